"""May a score rank? The verdicts on the scores of the catalogue, which ``scripts/make_verdicts.py`` stores."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from bayesrank.scores.score import SCORES, OfClass, Score

FILE = Path(__file__).with_suffix(".json")
#: What a counterexample shows, by the test that fails: a surely no more satisfying performance with
#: a higher value, a mixture above all its parts, or one below them. A fourth fault is "undefined",
#: a mixture without a value.
FAULTS = ("surely worse", "above", "below")


@dataclass(frozen=True)
class ScoreVerdict:
    """Whether a score may rank, by the axioms of performance-based ranking (Foundations, Section 3.4).

    ``may_rank`` is "yes", "at one prevalence" (only among performances of one prevalence), "no", or
    "" if unknown. ``first`` and ``second`` are the cells (tn, fp, fn, tp) of two performances on
    equally many cases, and their sum is an even mixture of them: the counterexample, whose fault is
    one of ``FAULTS`` or "undefined".
    """

    may_rank: str = ""
    fault: str = ""
    first: tuple[int, ...] = ()
    second: tuple[int, ...] = ()
    _nearest: tuple[Any, ...] = ()

    def nearest(self, prevalence: float | None = None) -> tuple[str, float, float | None] | None:
        """Return the score that may rank whose order is most like this score's.

        The result is its name, Kendall's tau-b between both orders of all performances, and the
        tabulated prevalence that is closest to the given one (by default 1/2; None for a score that
        may rank at one prevalence).
        """
        if not self._nearest:
            return None
        if self.may_rank != "no":
            name, tau = self._nearest
            return name, tau, None
        target = 0.5 if prevalence is None else prevalence
        share, name, tau = min(self._nearest, key=lambda row: abs(row[0] - target))
        return name, tau, share


NONE = ScoreVerdict()
#: Verdicts for more than two classes. Cohen's kappa has different values there for performances
#: without a right answer.
OF_MORE = {
    **dict.fromkeys(("accuracy", "error_rate"), ScoreVerdict("yes")),
    "balanced_accuracy": ScoreVerdict("at one prevalence", "above"),
    "cohen_kappa": ScoreVerdict("no", "surely worse"),
    **dict.fromkeys(("mcc", "g_mean"), ScoreVerdict("no", "above")),
}


def verdict_on(score: Score, classes: int = 2) -> ScoreVerdict:
    """Return the verdict on a score of the catalogue or a ranking score; averages and own functions have none."""
    if (
        score.importance is not None or score.attempts is not None
    ):  # a mean over cases is linear in their distribution
        return ScoreVerdict("yes")
    base = score.matrix_function.score if isinstance(score.matrix_function, OfClass) else score
    if SCORES.get(base.name) is not base:
        return NONE
    if classes > 2 and score.space == "classes" and not score.one_class:
        return OF_MORE.get(base.name, NONE)
    return _read_verdicts().get(base.name, NONE)


def turned(score: Score) -> Score:
    """Return the score with the opposite sign, of which higher values are better."""
    matrices = (
        None
        if score.matrix_function is None
        else lambda table, present: -score.of_tables(table, present)
    )
    return replace(
        score,
        function=lambda *cells: -score.of_cells(*cells),
        matrix_function=matrices,
        higher_is_better=True,
    )


def example_of(verdict: ScoreVerdict) -> np.ndarray | None:
    """Return the counterexample in whole numbers (role, cell): two performances and, for mixtures, half of each."""
    if not verdict.fault:
        return None
    parts = np.array([verdict.first, verdict.second])
    if verdict.fault == "surely worse":
        return parts
    parts = parts * (1 + (parts.sum(axis=0) % 2).any())
    return np.vstack([parts, parts.sum(axis=0) // 2])


@cache
def _read_verdicts() -> Mapping[str, ScoreVerdict]:
    read = json.loads(FILE.read_text(encoding="utf-8"))
    return {name: _entry(**entry) for name, entry in read.items()}


def _entry(
    may_rank: str, fault: str = "", first: Any = (), second: Any = (), nearest: Any = ()
) -> ScoreVerdict:
    return ScoreVerdict(may_rank, fault, tuple(first), tuple(second), tuple(nearest))
