"""Rankings: from a number per draw to an order, and how sure it is."""

from bayesrank.ranking.credible import credible_ranking
from bayesrank.ranking.ranks import rank
from bayesrank.ranking.summary import ranking_table
from bayesrank.ranking.tables import score_table
from bayesrank.ranking.top import top_set
from bayesrank.sensitivities.leaving_out import stability

__all__ = [
    "credible_ranking",
    "rank",
    "ranking_table",
    "score_table",
    "stability",
    "top_set",
]
