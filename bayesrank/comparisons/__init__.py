"""Comparisons of models by their predictions and marginal likelihood, and of data sets."""

from bayesrank.comparisons.comparing import compare
from bayesrank.comparisons.populations import heterogeneity, shrinkage

__all__ = ["compare", "heterogeneity", "shrinkage"]
