"""Preorders, dominance, axioms and audits of scores (Piérard et al., Foundations of performance-based ranking)."""

from bayesrank.theory.audits import audit_table
from bayesrank.theory.mixtures import filter_by_importance, mix
from bayesrank.theory.orders import compare_orders
from bayesrank.theory.preorder import dominance, dual, rank_bounds, relation_properties, relations

__all__ = [
    "audit_table",
    "compare_orders",
    "dominance",
    "dual",
    "filter_by_importance",
    "mix",
    "rank_bounds",
    "relation_properties",
    "relations",
]
