"""Scores: from a performance to a number.

Every score of the catalogue is an attribute, by its name or an alias: ``br.scores.f1``, ``br.scores.recall``.
"""

from bayesrank.scores.catalog import ALIASES, SCORES, as_score, catalog, get
from bayesrank.scores.families import (
    balanced,
    decision_benefit,
    f_beta,
    net_benefit,
    probability,
    scaled_log,
    tversky,
    weighted_accuracy,
)
from bayesrank.scores.multiclass import macro_average, micro_average, weighted_average
from bayesrank.scores.score import Score

__all__ = [
    "Score",
    "as_score",
    "balanced",
    "catalog",
    "decision_benefit",
    "f_beta",
    "get",
    "macro_average",
    "micro_average",
    "net_benefit",
    "probability",
    "scaled_log",
    "tversky",
    "weighted_accuracy",
    "weighted_average",
]


def __getattr__(name: str) -> Score:
    if name in SCORES or name in ALIASES:
        return get(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *SCORES, *ALIASES})
