"""Scores: from a performance to a number.

Every score of the catalogue is an attribute, by its name or an alias: ``br.scores.f1``, ``br.scores.recall``.
"""

from bayesrank.scores.catalog import ALIASES, SCORES, as_score, catalog, get
from bayesrank.scores.families import f_beta, probability
from bayesrank.scores.score import Score

__all__ = ["Score", "as_score", "catalog", "f_beta", "get", "probability"]


def __getattr__(name: str) -> Score:
    if name in SCORES or name in ALIASES:
        return get(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *SCORES, *ALIASES})
