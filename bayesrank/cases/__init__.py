"""Analyses of single cases: weights of cases, weighted metrics, deciding cases, components of variance,
reliability of runs.
"""

from bayesrank.cases.deciding import deciding_cases
from bayesrank.cases.metrics import weighted_metric
from bayesrank.cases.reliability import reliability
from bayesrank.cases.weights import case_weights
from bayesrank.evidence.components import variance_components

__all__ = [
    "case_weights",
    "deciding_cases",
    "reliability",
    "variance_components",
    "weighted_metric",
]
