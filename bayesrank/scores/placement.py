"""Where the order that a score induces lies on the Tile.

A ranking score orders performances as the canonical score at one point (a, b) does. Some scores do so only while the
prevalence is fixed, and their point moves with it; most scores have no place at all, and rank by no importance.
A score of which less is better has the place of the order that it induces by its own direction.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from bayesrank.scores.catalog import as_score
from bayesrank.scores.score import Score

__all__ = ["place", "place_of_importance", "places"]

Place = tuple[float, float]

# Monotone functions of a ranking score, whatever the performances (The Tile, Section 2.2 and A.3).
ALWAYS: dict[str, Place] = {
    "error_rate": (0.5, 0.5),
    "bennett_s": (0.5, 0.5),
    "fpr": (0.0, 0.0),
    "fnr": (1.0, 1.0),
    "false_discovery_rate": (1.0, 0.0),
    "false_omission_rate": (0.0, 1.0),
}


def _diagonal(prevalence: float) -> Place:
    return 1 - prevalence, 1 - prevalence


def _kappa(prevalence: float) -> Place:
    positive, negative = prevalence**2, (1 - prevalence) ** 2
    return negative / (negative + positive), 0.5


def _corner(a: float, b: float) -> Callable[[float], Place]:
    return lambda prevalence: (a, b)


# The same while the prevalence is fixed (The Tile, Section 4.2 and A.3; Foundations, A.7.4).
AT_PREVALENCE: dict[str, Callable[[float], Place]] = {
    "balanced_accuracy": _diagonal,
    "informedness": _diagonal,
    "determinant": _diagonal,
    "cohen_kappa": _kappa,
    "positive_likelihood_ratio": _corner(1.0, 0.0),
    "standardized_ppv": _corner(1.0, 0.0),
    "negative_likelihood_ratio": _corner(0.0, 1.0),
    "standardized_npv": _corner(0.0, 1.0),
    "true_negative_probability": _corner(0.0, 0.0),
    "false_positive_probability": _corner(0.0, 0.0),
    "false_negative_probability": _corner(1.0, 1.0),
    "true_positive_probability": _corner(1.0, 1.0),
}


def place(score: Any, prevalence: float | None = None) -> Place | None:
    """Where the order that a score induces lies on the Tile, exactly.

    Parameters
    ----------
    score : Score, str or callable
        A plain function, and a score of no known importance or name, has no known place; :func:`bayesrank.audit`
        searches for the nearest.
    prevalence : float, optional
        Strictly between 0 and 1, for the order among performances of that prevalence. Without it, among all.

    Returns
    -------
    tuple of float or None
        (a, b), or None if the score orders as no ranking score does, or is not known to.

    Raises
    ------
    ValueError
        If the prevalence is not strictly between 0 and 1.

    References
    ----------
    Piérard et al., The Tile, Section 4.2, A.3 and Table 2; Foundations of the theory of performance-based ranking,
    A.7.3 and A.7.4.

    Examples
    --------
    >>> place("jaccard"), place("error_rate"), place("mcc")
    ((1.0, 0.5), (0.5, 0.5), None)
    >>> place("balanced_accuracy"), place("balanced_accuracy", prevalence=0.25)
    (None, (0.75, 0.75))
    """
    prevalence = check_prevalence(prevalence)
    found = as_score(score)
    if found.importance is not None:
        return place_of_importance(found.importance) if found.higher_is_better else None
    if found.name in ALWAYS:
        at = ALWAYS[found.name]
    elif prevalence is None:
        return None
    elif found.name in AT_PREVALENCE:
        at = AT_PREVALENCE[found.name](prevalence)
    elif found.name.startswith("weighted_accuracy"):
        at = _weighted_accuracy(found, prevalence)
    else:
        return None
    return at if _orders_alike(found, at, prevalence) else None


def place_of_importance(importance: Mapping[str, float]) -> Place | None:
    """The place of a ranking score; None where it is constant, as all correct or all wrong outcomes weigh nothing.

    Examples
    --------
    >>> place_of_importance({"tn": 0.0, "fp": 1.0, "fn": 4.0, "tp": 5.0})
    (1.0, 0.8)
    """
    right, wrong = importance["tn"] + importance["tp"], importance["fp"] + importance["fn"]
    if right <= 0 or wrong <= 0:
        return None
    return float(importance["tp"] / right), float(importance["fn"] / wrong)


def places(prevalence: float | None) -> list[Place]:
    """The places of all orders that have a name, at a prevalence or for all performances."""
    named = {(a, b) for a in (0.0, 0.5, 1.0) for b in (0.0, 0.5, 1.0)} | {(1.0, 0.2), (1.0, 0.8)}
    if prevalence is not None:
        named |= {at(prevalence) for at in AT_PREVALENCE.values()}
    return sorted(named)


def check_prevalence(prevalence: Any) -> float | None:
    """The prevalence as a float strictly between 0 and 1, or None."""
    if prevalence is None:
        return None
    if isinstance(prevalence, bool) or not isinstance(prevalence, int | float | np.number):
        raise TypeError(f"prevalence must be a number or None; got {prevalence!r}")
    if not 0 < prevalence < 1:
        raise ValueError(f"prevalence must be strictly between 0 and 1; got {prevalence}")
    return float(prevalence)


def _weighted_accuracy(score: Score, prevalence: float) -> Place:
    """(1 − α) TNR + α TPR is α where all positives and no negatives are right (The Tile, Lemma 9)."""
    alpha = float(score.of_cells(0.0, 1 - prevalence, 0.0, prevalence))
    weight = alpha * (1 - prevalence)
    at = weight / (weight + (1 - alpha) * prevalence)
    return at, at


def _orders_alike(score: Score, at: Place, prevalence: float | None) -> bool:
    """Whether the score, by its direction, orders some performances as the place does.

    A guard, for a name alone proves nothing: a user's score may bear the name of another one.
    """
    rng = np.random.default_rng(0)
    positive = rng.random(64) if prevalence is None else np.full(64, prevalence)
    fpr, tpr = rng.random((2, 64))
    tn, fp, fn, tp = (1 - positive) * (1 - fpr), (1 - positive) * fpr, positive * (1 - tpr), positive * tpr
    a, b = at
    right, wrong = (1 - a) * tn + a * tp, (1 - b) * fp + b * fn
    order = np.argsort(right / (right + wrong))
    steps = np.diff(score.of_cells(tn, fp, fn, tp)[order])
    # A score without a direction is placed by the one direction that has a place.
    rises, falls = bool((steps > -1e-12).all()), bool((steps < 1e-12).all())
    return {True: rises, False: falls, None: rises != falls}[score.higher_is_better]
