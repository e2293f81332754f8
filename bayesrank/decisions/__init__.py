"""Decisions: what an entity is worth to a user, what choosing it risks, and whether it is as good as a reference."""

from bayesrank.decisions.curves import decision_curve
from bayesrank.decisions.margins import noninferiority
from bayesrank.decisions.utilities import expected_utility
from bayesrank.decisions.words import decision_verdict

__all__ = ["decision_curve", "decision_verdict", "expected_utility", "noninferiority"]
