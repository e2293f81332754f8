"""Decisions: what an entity is worth to a user, what choosing it risks, and whether it is as good as a reference."""

from bayesrank.decisions.curves import decision_curve
from bayesrank.decisions.margins import noninferiority
from bayesrank.decisions.utilities import expected_utility

__all__ = ["decision_curve", "expected_utility", "noninferiority"]
