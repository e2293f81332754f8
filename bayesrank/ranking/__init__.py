"""Rankings: from a number per draw to an order, and how sure it is."""

from bayesrank.ranking.credible import credible_ranking
from bayesrank.ranking.exact import exact_ranking
from bayesrank.ranking.preorder import dual, rank_bounds, relations
from bayesrank.ranking.ranks import rank
from bayesrank.ranking.summary import ranking_table, verdict

__all__ = ["credible_ranking", "dual", "exact_ranking", "rank", "rank_bounds", "ranking_table", "relations", "verdict"]
