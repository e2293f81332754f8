"""Averages of a two-class score over the classes of a larger problem, each class against all others."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from bayesrank._core.errors import ArgumentError
from bayesrank.scores._against_rest import DECLARED, OUTSIDE, against_rest
from bayesrank.scores.score import SCORES, Score, ratio

FOUNDATIONS = "Piérard et al., Foundations of the theory of performance-based ranking, A.2.1"
#: Description and source of each average.
AVERAGES = {
    "macro": ("mean over the classes of {}", f"Sokolova and Lapalme (2009); {FOUNDATIONS}"),
    "micro": (
        "{} of the sum over the classes of their tables",
        f"Sokolova and Lapalme (2009); {FOUNDATIONS}",
    ),
    "weighted": ("mean over the classes of {}, weighted by their cases", FOUNDATIONS),
    "geometric": ("geometric mean over the classes of {}", "Sun, Kamel and Wang (2006)"),
    "harmonic": ("harmonic mean over the classes of {}", "its formula"),
    "smallest": ("smallest over the classes of {}", "its formula"),
    "largest": ("largest over the classes of {}", "its formula"),
}


@dataclass(frozen=True)
class Average:
    """A function of confusion matrices (..., actual, predicted): the average over classes of a two-class score.

    NaN where the score is undefined for a class that takes part. Macro and weighted means of
    precision, recall, F and Jaccard follow scikit-learn instead: an undefined value counts 0, and a
    label that occurs in answers alone (``INVENTED``) is one more class, with the value 0. Otherwise
    a model could improve its mean by answers that are no class. ``cases_only`` leaves such labels
    out, as scikit-learn's balanced accuracy does. A label that is marked ``OUTSIDE`` takes no part:
    its cases and answers count as those of another class. A class that the user names
    (``DECLARED``) and that has no case in the sample counts 0 or is left out, too, but in draws it
    is a class like the others: it can have cases, and its recall has a posterior.
    """

    kind: str
    score: Score
    cases_only: bool = False

    def __call__(self, matrix: np.ndarray, present: Any) -> np.ndarray:
        """Return the average over the classes in ``present`` (..., class), as marked; True means all."""
        return self.of_rest(against_rest(np.asarray(matrix), self.needs_tn), present)

    @cached_property
    def worst(self) -> float | None:
        """Return what an undefined value counts, or None if it leaves the average undefined."""
        own = self.score.complement or self.score
        if self.cases_only or self.kind not in ("macro", "weighted") or own.importance is None:
            return None
        if own.importance["tn"] != 0 or own.importance["tp"] == 0:
            return None
        return 0.0 if own is self.score else 1.0

    @property
    def needs_tn(self) -> bool:
        """Return whether the score may depend on true negatives."""
        weight = self.score.importance if SCORES.get(self.score.name) is self.score else None
        return weight is None or weight["tn"] != 0

    def of_rest(self, cells: tuple[np.ndarray, ...], present: Any) -> np.ndarray:
        """Return the average from tables of each class against all others, tn, fp, fn, tp (..., class)."""
        present = np.broadcast_to(present, cells[3].shape)
        if self.kind == "micro":  # a class without cases can still have false positives
            part = present != OUTSIDE
            return self.score.of_cells(*(np.where(part, cell, 0.0).sum(axis=-1) for cell in cells))
        by_class = self.score.of_cells(*cells)
        possible = cells[2] + cells[3] != 0
        with_cases = (present == 1) | ((present == DECLARED) & possible)
        if self.worst is None:
            present = with_cases
        else:
            _, fp, fn, tp = cells
            present = (present > 0) & (tp + fp + fn != 0)
            # Nobody is truly in an invented class, although a prior may give it cases.
            by_class = np.where(
                np.isnan(by_class) & ~np.isnan(tp) | ~with_cases, self.worst, by_class
            )
        if self.kind == "weighted":
            present = present & with_cases
            cases = np.where(present, cells[2] + cells[3], 0.0)
            # A class without cases has weight 0, defined or not.
            return ratio(
                np.where(cases != 0, by_class * cases, 0.0).sum(axis=-1), cases.sum(axis=-1)
            )
        return MEANS[self.kind](by_class, present)


def _arithmetic(each: np.ndarray, present: np.ndarray) -> np.ndarray:
    return ratio(np.where(present, each, 0.0).sum(axis=-1), present.sum(axis=-1))


MEANS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "macro": _arithmetic,
    "geometric": lambda each, present: np.exp(_arithmetic(np.log(each), present)),
    "harmonic": lambda each, present: (
        1 / _arithmetic(np.where(each >= 0, 1 / np.abs(each), np.nan), present)
    ),
    "smallest": lambda each, present: np.where(present, each, np.inf).min(axis=-1),
    "largest": lambda each, present: np.where(present, each, -np.inf).max(axis=-1),
}


@lru_cache(maxsize=1024)
def average_of(score: Score, kind: str) -> Score:
    """Return the average of that kind over the classes, of a two-class score."""
    if score.function is None:
        raise ArgumentError(
            "score",
            "must be a score of two classes to be averaged over more classes",
            f"{score.name!r}",
        )
    if kind in ("geometric", "harmonic") and score.range[0] < 0:
        raise ArgumentError("score", f"must not be negative for a {kind} mean", f"{score.name!r}")
    words, reference = AVERAGES[kind]
    # The recall of a class, and 1 minus it, depends on the class alone.
    own, average = score.complement or score, Average(kind, score)
    of_class = own.importance is not None and own.importance["tn"] == own.importance["fp"] == 0
    return Score(
        f"{kind}_{score.name}",
        None,
        symbol=f"{kind} {score.symbol}".strip(),
        formula=words.format(score.symbol or score.name),
        range=score.range,
        higher_is_better=score.higher_is_better,
        depends_on_prevalence=kind in ("micro", "weighted") or not of_class,
        finite_mean=score.finite_mean,
        matrix_function=average,
        domain="where a case is known"
        if average.worst is not None
        else f"for every class with cases: {score.domain}",
        reference=reference,
    )


def is_average(score: Score | None) -> bool:
    """Return whether a score averages over classes."""
    return (
        score is not None
        and isinstance(score.matrix_function, Average)
        and score.matrix_function.kind != "micro"
    )
