"""Comparing models: how well each predicts what it has not seen, and the evidence for it."""

from bayesrank.comparisons.comparing import compare

__all__ = ["compare"]
