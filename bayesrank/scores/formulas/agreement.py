"""Scores of agreement between predicted and actual classes: correlations, chance-corrected skill, biases."""

from collections.abc import Callable
from typing import Any

import numpy as np

from bayesrank.scores.derived import balanced
from bayesrank.scores.forms import Contour, Turning, corners, half_plane
from bayesrank.scores.names import (
    ALL_MARGINS,
    BOTH_PREDICTED,
    FOUNDATIONS,
    INFINITY,
    METRICS,
    TILE,
    add,
    quotient,
    score,
)
from bayesrank.scores.score import ratio

NOT_ALL_RIGHT = "not all cases in one of TN, TP"


def by_prediction_rate(rate: Any, skill: Any, p: Any, n: Any) -> tuple[Any, Any]:
    """Return FPR and TPR at a share called positive, p TPR + n FPR, and an informedness, TPR - FPR."""
    return rate - p * skill, rate + n * skill


def _cross(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return tp * tn - fp * fn


# Markedness


def _markedness_tpr(k: Any, x: Any, p: Any, n: Any) -> Any:
    # U Eq. 59 and 60 with the plus root for both signs of k. (root - n) / 2k is taken as
    # (root² - n²) / (2k (root + n)), from which k cancels.
    d, total = n * (1 - x), n + p
    root = np.sqrt((k * total + n) ** 2 - 4 * d * k * total)
    return (d + (p - n) / 2 + total * (k * total + 2 * n - 4 * d) / (2 * (root + n))) / p


def _markedness_area(value: Any, prevalence: Any) -> Any:
    """Return the area below a value as for MCC, with the contour d = v τ(1-τ) / (π₊π₋)."""
    positive, negative = prevalence, 1 - prevalence
    size = np.maximum(np.abs(value), 1e-300)
    low, tail = np.maximum(1 - negative / size, 0.0), np.maximum(1 - positive / size, 0.0)
    best = (positive**2 - low**2) / (2 * positive) + (negative**2 - tail**2) / (2 * negative)
    contour = _hump(1 - tail) - _hump(low)
    above = np.clip(best - size / (positive * negative) * contour, 0.0, 1.0)
    return np.where(value >= 0, 1 - above, above)


def _hump(share: Any) -> Any:
    return share**2 / 2 - share**3 / 3


@quotient(
    "MK",
    "PPV + NPV - 1",
    "mk delta_p clayton_skill_score",
    range=(-1.0, 1.0),
    domain=BOTH_PREDICTED,
    reference=TILE,
    contour=Contour(
        _markedness_tpr,
        corners((0, 0), (1, 1)),
        Turning(
            lambda k, t, p, n: by_prediction_rate(t, k * t * (1 - t) / (p * n), p, n),
            lambda x, y, p, n: p * y + n * x,
        ),
    ),
    area=_markedness_area,
)
def markedness(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return _cross(tn, fp, fn, tp), (tp + fp) * (tn + fn)


# MCC


def _mcc_matrix(matrix: np.ndarray, present: Any) -> np.ndarray:
    """Return the correlation of the actual and the predicted class (Gorodkin 2004)."""
    actual, predicted = (
        np.asarray(matrix, dtype=float).sum(axis=-1),
        np.asarray(matrix, dtype=float).sum(axis=-2),
    )
    total = actual.sum(axis=-1)
    covariance = np.trace(matrix, axis1=-2, axis2=-1) * total - (actual * predicted).sum(axis=-1)
    spread = [total**2 - (margin**2).sum(axis=-1) for margin in (actual, predicted)]
    return ratio(covariance, np.sqrt(np.maximum(spread[0], 0)) * np.sqrt(np.maximum(spread[1], 0)))


def _mcc_fraction(tn: Any, fp: Any, fn: Any, tp: Any) -> tuple[Any, Any, Any]:
    cross, predicted, actual = _cross(tn, fp, fn, tp), (tp + fp) * (tn + fn), (tp + fn) * (tn + fp)
    constant = np.min(actual) == np.max(actual)
    return (
        (cross * cross, predicted, np.max(actual))
        if constant
        else (cross * cross, predicted * actual, 1)
    )


def _mcc_tpr(k: Any, x: Any, p: Any, n: Any) -> Any:
    d = n * (1 - x)
    root = np.sqrt(k**2 * p * (n + p) ** 2 * (4 * d * (n - d) + k**2 * n * p) / n)
    tpr = (
        (np.sign(k) * root + 2 * d * p * (k**2 - 1) + k**2 * p * (p - n) + 2 * n * p)
        / (2 * (k**2 * p + n))
        / p
    )
    # The roots belong to k and -k. In the square, the root above the FPR is for the positive value
    # and the other for the negative one. Left of 0 both are above, right of 1 both below.
    return np.where(((x >= 0) | (k >= 0)) & ((x <= 1) | (k <= 0)), tpr, np.nan)


def _mcc_area(value: Any, prevalence: Any) -> Any:
    """Return the area where MCC < v, which is d < v √(τ(1-τ) / (π₊π₋)) in (τ, d) = (share called positive, TPR - FPR).

    The Jacobian is 1. Inverting all predictions turns MCC into -MCC, which gives the negative
    values.
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


@score(
    "MCC",
    "(TP TN - FP FN) / sqrt((TP + FP) (TP + FN) (TN + FP) (TN + FN))",
    "matthews_correlation_coefficient phi_coefficient phi matthews_corrcoef",
    range=(-1.0, 1.0),
    matrix_function=_mcc_matrix,
    domain=ALL_MARGINS,
    reference=f"{FOUNDATIONS}; Matthews (1975)",
    contour=Contour(
        _mcc_tpr,
        corners((0, 0), (1, 1)),
        # The share called positive is (1 - cos t) / 2: an ellipse is smooth in the angle.
        Turning(
            lambda k, t, p, n: by_prediction_rate(
                (1 - np.cos(t)) / 2, k * np.sin(t) / 2 / np.sqrt(p * n), p, n
            ),
            lambda x, y, p, n: np.arccos(1 - 2 * (p * y + n * x)),
            (0.0, np.pi),
        ),
    ),
    area=_mcc_area,
    fraction=_mcc_fraction,
)
def mcc(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    # Through informedness and markedness (U Eq. 40): single ratios, so that proportional counts tie
    # exactly.
    cross = _cross(tn, fp, fn, tp)
    return np.sign(cross) * np.sqrt(
        ratio(cross, (tp + fn) * (tn + fp)) * ratio(cross, (tp + fp) * (tn + fn))
    )


# Kappas


def _kappa_matrix(power: int) -> Callable[[np.ndarray, Any], np.ndarray]:
    """Return chance-corrected agreement; a disagreement weighs distance of classes to ``power`` (Cohen 1968)."""

    def function(matrix: np.ndarray, present: Any) -> np.ndarray:
        matrix = np.asarray(matrix, dtype=float)
        position = np.arange(matrix.shape[-1])
        distance = np.abs(position[:, None] - position)
        weight = distance**power if power else (distance > 0).astype(float)
        actual, predicted = matrix.sum(axis=-1), matrix.sum(axis=-2)
        chance = actual[..., :, None] * predicted[..., None, :]
        observed = (weight * matrix).sum(axis=(-2, -1)) * matrix.sum(axis=(-2, -1))
        expected = (weight * chance).sum(axis=(-2, -1))
        return ratio(expected - observed, expected)

    return function


def _kappa_tpr(k: Any, x: Any, p: Any, n: Any) -> Any:
    d = n * (1 - x)
    return (d * k * (n - p) + 2 * d * p - k * (n**2 + p**2) - 2 * n * p) / ((k - 2) * n - k * p) / p


def _kappa_area(value: Any, prevalence: Any) -> Any:
    positive, negative = prevalence, 1 - prevalence
    tilt, skill = value * (negative - positive), 2 * positive * negative
    return half_plane(
        skill + tilt * negative, skill - tilt * positive, skill + value * positive + tilt * negative
    )


@quotient(
    "κ",
    "2 (TP TN - FP FN) / ((TP + FP) (FP + TN) + (TP + FN) (FN + TN))",
    "kappa heidke_skill_score hss cohens_kappa",
    range=(-1.0, 1.0),
    matrix_function=_kappa_matrix(0),
    domain=NOT_ALL_RIGHT,
    reference=f"{TILE}; Cohen (1960)",
    # U exchanges TPR and TNR at the meeting points.
    contour=Contour(
        _kappa_tpr, lambda p: () if p == 0.5 else ((p / (2 * p - 1), p / (2 * p - 1)),)
    ),
    area=_kappa_area,
)
def cohen_kappa(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return 2 * _cross(tn, fp, fn, tp), (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)


for _word, _power, _aliases in (("linear", 1, ()), ("quadratic", 2, ("qwk",))):
    add(
        cohen_kappa,
        name=f"cohen_kappa_{_word}",
        symbol="κ_w",
        formula=f"1 - Σ w P / Σ w P(chance), {_word} w of the distance of the classes, in their order",
        aliases=(f"{_word}_kappa", f"{_word}_weighted_kappa", *_aliases),
        matrix_function=_kappa_matrix(_power),
        reference="Cohen (1968)",
    )


@quotient(
    "π",
    "(4 TP TN - (FP + FN)²) / ((2 TP + FP + FN) (2 TN + FP + FN))",
    "fleiss_kappa",
    range=(-1.0, 1.0),
    domain=NOT_ALL_RIGHT,
    reference=f"{TILE}; Scott (1955)",
)
def scott_pi(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    wrong = fp + fn
    return 4 * tp * tn - wrong * wrong, (2 * tp + wrong) * (2 * tn + wrong)


@quotient(
    "AC1",
    "(A - 2 q (1 - q)) / (1 - 2 q (1 - q)), q = (P(actual) + P(predicted)) / 2",
    "ac1",
    range=(-1.0, 1.0),
    reference="Gwet (2008)",
)
def gwet_ac1(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    total, wrong = tn + fp + fn + tp, fp + fn
    chance = (2 * tp + wrong) * (2 * tn + wrong)  # times 2 · total²
    return 2 * total * (tn + tp) - chance, 2 * total * total - chance


@quotient(
    "EA",
    "π₋ τ₋ + π₊ τ₊",
    "expected_accuracy random_accuracy",
    higher_is_better=None,
    reference=f"{FOUNDATIONS}; Cohen (1960)",
)
def chance_agreement(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return (tn + fp) * (tn + fn) + (fn + tp) * (fp + tp), (tn + fp + fn + tp) ** 2


@quotient(
    "S",
    "2 A - 1",
    "hamann",
    range=(-1.0, 1.0),
    reference=f"{TILE}; Bennett, Alpert and Goldstein (1954)",
)
def bennett_s(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return tn + tp - fp - fn, tn + fp + fn + tp


@quotient("|C|", "(TP TN - FP FN) / (TN + FP + FN + TP)²", range=(-0.25, 0.25), reference=TILE)
def determinant(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return _cross(tn, fp, fn, tp), (tn + fp + fn + tp) ** 2


@quotient(
    "GSS",
    "(TP - c) / (FP + FN + TP - c), c = (FP + TP) (FN + TP) / (TN + FP + FN + TP)",
    "gss equitable_threat_score ets",
    range=(-1 / 3, 1.0),
    domain=NOT_ALL_RIGHT,
    reference="Gilbert (1884)",
)
def gilbert_skill_score(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return _cross(tn, fp, fn, tp), (tn + fp + fn + tp) * (fp + fn + tp) - (fp + tp) * (fn + tp)


@quotient("DSS", "MCC²", higher_is_better=None, domain=ALL_MARGINS, reference="Doolittle (1885)")
def doolittle_skill_score(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return _cross(tn, fp, fn, tp) ** 2, (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)


@quotient(
    "BI",
    "(FP - FN) / (TN + FP + FN + TP)",
    "bias",
    range=(-1.0, 1.0),
    higher_is_better=None,
    reference=TILE,
)
def bias_index(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return fp - fn, tn + fp + fn + tp


@quotient(
    "PI",
    "(TP - TN) / (TN + FP + FN + TP)",
    range=(-1.0, 1.0),
    higher_is_better=None,
    reference="Byrt et al. (1993)",
)
def prevalence_index(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return tp - tn, tn + fp + fn + tp


@quotient(
    "B",
    "(FP + TP) / (FN + TP)",
    "bias_score",
    range=(0.0, INFINITY),
    higher_is_better=None,
    domain="FN + TP > 0",
    reference="Wilks (2011)",
)
def frequency_bias(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    return fp + tp, fn + tp


for _base, _equation in ((mcc, 41), (markedness, 32)):
    add(
        balanced(_base, f"balanced_{_base.name}"),
        symbol=f"{_base.symbol}_bal",
        reference=f"{METRICS}, Eq. {_equation}; Luque et al. (2019)",
    )
