"""Rankings: from a number per draw to an order, and how sure it is."""

from bayesrank.ranking.credible import credible_ranking
from bayesrank.ranking.leaving_out import stability
from bayesrank.ranking.orders import probability, probable_orders
from bayesrank.ranking.preorder import dominance, dual, rank_bounds, relation_properties, relations
from bayesrank.ranking.publishing import board
from bayesrank.ranking.ranks import rank
from bayesrank.ranking.summary import ranking_table, verdict
from bayesrank.ranking.tables import score_table
from bayesrank.ranking.top import top_set

__all__ = [
    "board",
    "credible_ranking",
    "dominance",
    "dual",
    "probability",
    "probable_orders",
    "rank",
    "rank_bounds",
    "ranking_table",
    "relation_properties",
    "relations",
    "score_table",
    "stability",
    "top_set",
    "verdict",
]
