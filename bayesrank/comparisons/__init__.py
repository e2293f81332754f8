"""Comparing models: how well each predicts what it has not seen, and the evidence for it.

:func:`compare` leaves out data sets, tables or cases in turn; :func:`log_evidence` is the probability of all data.
"""

from bayesrank.comparisons.comparing import compare, log_evidence

__all__ = ["compare", "log_evidence"]
