"""Comparison of models by their predictions for omitted data, and by their marginal likelihood."""

from bayesrank.comparisons.comparing import compare

__all__ = ["compare"]
