"""Closed forms: the area of the unit square on which a score lies on the worse side of a value.

All on plain arrays of values and prevalences, with the uniform reference. Most scores are ratios of linear functions
of the two rates, so that their contours are straight lines and one formula serves them all.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from bayesrank.scores import Score, get

__all__ = ["closed_form", "half_plane", "ranking_form"]

Form = Callable[[np.ndarray, np.ndarray], np.ndarray]

#: Shares of wrong outcomes among some cells: one minus the ranking score of the importance 1 on those cells.
WRONG = {
    "error_rate": {"tn": 1, "fp": 1, "fn": 1, "tp": 1},
    "fpr": {"tn": 1, "fp": 1, "fn": 0, "tp": 0},
    "fnr": {"tn": 0, "fp": 0, "fn": 1, "tp": 1},
    "false_discovery_rate": {"tn": 0, "fp": 1, "fn": 0, "tp": 1},
    "false_omission_rate": {"tn": 1, "fp": 0, "fn": 1, "tp": 0},
}


def closed_form(score: Score) -> Form | None:
    """OPS of ``score`` as a function of (value, prevalence), or None where only quadrature serves.

    The formula is the catalogue's, so it is used only for the catalogue's own function: a score of the same name
    with another function is not mistaken for it.
    """
    importance = score.importance
    if importance is not None:
        return lambda value, prevalence: ranking_form(value, prevalence, **importance)
    try:
        known = get(score.name)
    except KeyError:
        return None
    if known.function is not score.function:
        return None
    if score.name in WRONG:
        return lambda value, prevalence: ranking_form(1 - value, prevalence, **WRONG[score.name])
    return FORMS.get(score.name)


def half_plane(tnr: Any, tpr: Any, bound: Any) -> np.ndarray:
    """Area of {tnr·TNR + tpr·TPR < bound} in the unit square, for coefficients >= 0.

    As the mean over one rate of the clipped bound on the other. Divided by the larger coefficient, so that nothing
    cancels when the other one goes to 0.
    """
    first, second, bound = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in (tnr, tpr, bound)))
    large, small = np.maximum(first, second), np.maximum(np.minimum(first, second), 0.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        slope = small / large
        height = np.clip(bound / large, 0.0, 1.0 + slope)
    area = _ramp(height, slope) - _ramp(height - 1.0, slope)
    return np.where(large > 0, np.clip(area, 0.0, 1.0), np.where(np.isnan(bound), np.nan, bound > 0))


def _ramp(height: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """Integral of (height - slope·x)₊ over x in [0, 1]."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        triangle = np.maximum(height, 0.0) ** 2 / (2 * slope)
    return np.where(height >= slope, height - slope / 2, np.where(height > 0, triangle, 0.0))


def ranking_form(value: Any, prevalence: Any, *, tn: Any, fp: Any, fn: Any, tp: Any) -> np.ndarray:
    """OPS of the ranking score of an importance; everything broadcasts.

    R < v means (1 - v)(π₋ I(tn) TNR + π₊ I(tp) TPR) < v (π₋ I(fp) FPR + π₊ I(fn) FNR), which is a half-plane.
    """
    positive, negative = prevalence, 1 - prevalence
    return half_plane(
        negative * (tn * (1 - value) + fp * value),
        positive * (tp * (1 - value) + fn * value),
        value * (negative * fp + positive * fn),
    )


def _informedness(value: np.ndarray, prevalence: np.ndarray) -> np.ndarray:
    return half_plane(1.0, 1.0, 1 + value)


def _balanced_accuracy(value: np.ndarray, prevalence: np.ndarray) -> np.ndarray:
    return half_plane(1.0, 1.0, 2 * value)


def _cohen_kappa(value: np.ndarray, prevalence: np.ndarray) -> np.ndarray:
    positive, negative = prevalence, 1 - prevalence
    tilt, skill = value * (negative - positive), 2 * positive * negative
    return half_plane(skill + tilt * negative, skill - tilt * positive, skill + value * positive + tilt * negative)


def _positive_likelihood_ratio(value: np.ndarray, prevalence: np.ndarray) -> np.ndarray:
    return half_plane(value, 1.0, value)


def _negative_likelihood_ratio(value: np.ndarray, prevalence: np.ndarray) -> np.ndarray:
    return half_plane(value, 1.0, 1.0)


def _prevalence_threshold(value: np.ndarray, prevalence: np.ndarray) -> np.ndarray:
    return half_plane((1 - value) ** 2, value**2, (1 - value) ** 2)


def _diagnostic_odds_ratio(value: np.ndarray, prevalence: np.ndarray) -> np.ndarray:
    """∫ v x / (1 + (v - 1) x) dx; a power series near v = 1, where the logarithm cancels."""
    excess = value - 1
    near = np.abs(excess) < 0.1
    small = np.where(near, excess, 0.0)
    series = value * sum((-small) ** k / (k + 2) for k in range(16))
    far = np.where(near, 2.0, np.maximum(value, 1e-300))
    return np.where(near, series, far / (far - 1) - far * np.log(far) / (far - 1) ** 2)


def _g_mean(value: np.ndarray, prevalence: np.ndarray) -> np.ndarray:
    product = np.square(value)
    return product * (1 - np.log(np.maximum(product, 1e-300)))


def _fowlkes_mallows(value: np.ndarray, prevalence: np.ndarray) -> np.ndarray:
    """FM < v where FPR > TPR (TPR - v²) π₊ / (v² π₋): a parabola, integrated over TPR."""
    square, odds = np.maximum(np.square(value), 1e-300), prevalence / (1 - prevalence)
    top = np.minimum((square + np.sqrt(square**2 + 4 * square / odds)) / 2, 1.0)
    # ∫ y (y - v²) dy from v² to top, in the width top - v² so that nothing cancels
    width = np.maximum(top - square, 0.0)
    return top - odds * (width**2 / square) * (width / 3 + square / 2)


def _mcc(value: np.ndarray, prevalence: np.ndarray) -> np.ndarray:
    """In (τ, d) = (share called positive, TPR - FPR), of Jacobian 1, MCC < v is d < v √(τ(1-τ) / (π₊π₋)).

    Negative values follow by calling everything the other way round, which turns MCC into -MCC.
    """
    positive, negative = prevalence, 1 - prevalence
    size = np.abs(value)
    # d is at most τ/π₊ up to τ = π₊ and (1-τ)/π₋ beyond; the contour meets these at low and high.
    low_odds, high_odds = size**2 * positive / negative, size**2 * negative / positive
    low, tail = low_odds / (1 + low_odds), high_odds / (1 + high_odds)
    best = (positive**2 - low**2) / (2 * positive) + (negative**2 - tail**2) / (2 * negative)
    start, stop = np.arctan(np.sqrt(low_odds)), np.pi / 2 - np.arctan(np.sqrt(high_odds))
    contour = (stop - start) / 4 - (np.sin(4 * stop) - np.sin(4 * start)) / 16
    above = np.clip(best - size / np.sqrt(positive * negative) * contour, 0.0, 1.0)
    return np.where(value >= 0, 1 - above, above)


def _markedness(value: np.ndarray, prevalence: np.ndarray) -> np.ndarray:
    """As for MCC, with the contour d = v τ(1-τ) / (π₊π₋)."""
    positive, negative = prevalence, 1 - prevalence
    size = np.maximum(np.abs(value), 1e-300)
    low, tail = np.maximum(1 - negative / size, 0.0), np.maximum(1 - positive / size, 0.0)
    best = (positive**2 - low**2) / (2 * positive) + (negative**2 - tail**2) / (2 * negative)
    contour = _hump(1 - tail) - _hump(low)
    above = np.clip(best - size / (positive * negative) * contour, 0.0, 1.0)
    return np.where(value >= 0, 1 - above, above)


def _hump(share: np.ndarray) -> np.ndarray:
    return share**2 / 2 - share**3 / 3


FORMS: dict[str, Form] = {
    "informedness": _informedness,
    "balanced_accuracy": _balanced_accuracy,
    "cohen_kappa": _cohen_kappa,
    "positive_likelihood_ratio": _positive_likelihood_ratio,
    "negative_likelihood_ratio": _negative_likelihood_ratio,
    "prevalence_threshold": _prevalence_threshold,
    "diagnostic_odds_ratio": _diagnostic_odds_ratio,
    "g_mean": _g_mean,
    "fowlkes_mallows": _fowlkes_mallows,
    "mcc": _mcc,
    "markedness": _markedness,
}
