"""Decisions: the expected utility of each entity, the loss from a wrong choice, and comparisons with a reference."""

from bayesrank.decisions.curves import decision_curve
from bayesrank.decisions.margins import noninferiority
from bayesrank.decisions.utilities import expected_utility

__all__ = ["decision_curve", "expected_utility", "noninferiority"]
