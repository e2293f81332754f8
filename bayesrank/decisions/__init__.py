"""Decisions: the expected utility of each entity, the loss from a wrong choice, comparisons with a reference, costs."""

from bayesrank.decisions.curves import decision_curve
from bayesrank.decisions.frequencies import natural_frequencies
from bayesrank.decisions.fronts import pareto_front
from bayesrank.decisions.gates import gate
from bayesrank.decisions.margins import noninferiority
from bayesrank.decisions.utilities import expected_utility

__all__ = [
    "decision_curve",
    "expected_utility",
    "gate",
    "natural_frequencies",
    "noninferiority",
    "pareto_front",
]
