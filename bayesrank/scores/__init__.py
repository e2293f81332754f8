"""Scores: from a performance to a number.

Each score of the catalogue is an attribute by its name or alias, such as ``br.scores.f1`` or
``br.scores.recall``. Averages over classes are, too: ``br.scores.macro_f1``.
"""

from importlib import import_module
from typing import Any

from bayesrank.scores import formulas, lattice  # noqa: F401 - the catalogue fills itself; lattice is br.scores.lattice
from bayesrank.scores.attempts import majority_at_k, pass_at_k, pass_hat_k
from bayesrank.scores.derived import average, balanced, scaled_log
from bayesrank.scores.families import (
    canonical,
    conditional_probability,
    decision_benefit,
    f_beta,
    implicit,
    net_benefit,
    tversky,
    weighted_accuracy,
)
from bayesrank.scores.names import ALIASES, SCORES, as_score, catalog, find, get
from bayesrank.scores.ranking_scores import of_importance, of_satisfaction
from bayesrank.scores.score import Score

__all__ = [
    "Score",
    "as_score",
    "aggregate_score",
    "attempts_curve",
    "average",
    "balanced",
    "canonical",
    "catalog",
    "conditional_probability",
    "decision_benefit",
    "f_beta",
    "get",
    "implicit",
    "net_benefit",
    "of_importance",
    "of_satisfaction",
    "pass_at_k",
    "majority_at_k",
    "pass_hat_k",
    "scaled_log",
    "tversky",
    "weighted_accuracy",
]

#: Functions that need what comes after scores: the order of groups, and claims.
LATER = {
    "aggregate_score": "bayesrank.ranking.aggregates",
    "attempts_curve": "bayesrank.ranking.attempts",
}


def __getattr__(name: str) -> Any:
    if name in LATER:
        return getattr(import_module(LATER[name]), name)
    if not name.startswith("_") and (result := find(name)) is not None:
        return result
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *SCORES, *filter(str.isidentifier, ALIASES)})
