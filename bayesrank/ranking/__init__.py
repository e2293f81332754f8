"""Rankings: the order of entities by draws of a score, and its uncertainty."""

from bayesrank.ranking.aggregates import aggregate_score
from bayesrank.ranking.credible import credible_ranking
from bayesrank.ranking.judges import judge_errors
from bayesrank.ranking.ranks import rank, rank_draws
from bayesrank.ranking.summary import ranking_table
from bayesrank.ranking.tables import score_table
from bayesrank.ranking.top import top_set

__all__ = [
    "aggregate_score",
    "credible_ranking",
    "judge_errors",
    "rank",
    "rank_draws",
    "ranking_table",
    "score_table",
    "top_set",
]
