"""Contours: where in (and beyond) the ROC square a score takes one value.

Every score of Lovell et al., appendices B and C, has its contour in closed form, as has every ranking score: there a
contour is a straight line, and all lines of one prevalence meet in a point. A balanced score is the plain one at a
prevalence of 1/2. Any other score that is monotone in TPR is solved numerically, within the square.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._arguments import labelled_numbers, numbers
from bayesrank.scores.catalog import SCORES, as_score
from bayesrank.scores.score import Score

__all__ = ["contour", "contour_curve", "contour_meeting_points"]

#: TPR as a function of value k, FPR x, prevalences of the positive p and of the negative class n.
ClosedForm = Callable[[Any, Any, Any, Any], Any]
#: FPR and TPR as functions of value k, a parameter t, and the prevalences p and n.
Curve = Callable[[Any, Any, Any, Any], tuple[Any, Any]]


def _mcc(k: Any, x: Any, p: Any, n: Any) -> Any:
    d = n * (1 - x)
    root = np.sqrt(k**2 * p * (n + p) ** 2 * (4 * d * (n - d) + k**2 * n * p) / n)
    tpr = (np.sign(k) * root + 2 * d * p * (k**2 - 1) + k**2 * p * (p - n) + 2 * n * p) / (2 * (k**2 * p + n)) / p
    # The roots are of k and of -k. In the square one is above the FPR, for the positive value, and one below. Left of 0
    # both are above, right of 1 both below.
    return np.where(((x >= 0) | (k >= 0)) & ((x <= 1) | (k <= 0)), tpr, np.nan)


def _markedness(k: Any, x: Any, p: Any, n: Any) -> Any:
    # Eq. 59 and 60 with the plus root for both signs of k. (root - n) / 2k is taken as (root² - n²) / (2k (root + n)),
    # from which k cancels.
    d, total = n * (1 - x), n + p
    root = np.sqrt((k * total + n) ** 2 - 4 * d * k * total)
    return (d + (p - n) / 2 + total * (k * total + 2 * n - 4 * d) / (2 * (root + n))) / p


def _kappa(k: Any, x: Any, p: Any, n: Any) -> Any:
    d = n * (1 - x)
    return (d * k * (n - p) + 2 * d * p - k * (n**2 + p**2) - 2 * n * p) / ((k - 2) * n - k * p) / p


def _fowlkes_mallows(k: Any, x: Any, p: Any, n: Any) -> Any:
    return np.where(k >= 0, (np.sqrt(k**2 * p * (4 * n * x + k**2 * p)) + k**2 * p) / (2 * p), np.nan)


def _prevalence_threshold(k: Any, x: Any, p: Any, n: Any) -> Any:
    return np.where((k > 0) & (k <= 1) & (x >= 0), ((1 - k) / k) ** 2 * x, np.nan)


def _odds_ratio(k: Any, x: Any, p: Any, n: Any) -> Any:
    return k * x / (k * x + 1 - x)


CLOSED: dict[str, ClosedForm] = {
    "mcc": _mcc,
    "markedness": _markedness,
    "cohen_kappa": _kappa,
    "fowlkes_mallows": _fowlkes_mallows,
    "informedness": lambda k, x, p, n: k + x,
    "balanced_accuracy": lambda k, x, p, n: 2 * k - 1 + x,
    "g_mean": lambda k, x, p, n: np.where(k >= 0, k**2 / (1 - x), np.nan),
    "positive_likelihood_ratio": lambda k, x, p, n: k * x,
    "negative_likelihood_ratio": lambda k, x, p, n: 1 - k * (1 - x),
    "diagnostic_odds_ratio": _odds_ratio,
    "prevalence_threshold": _prevalence_threshold,
}


def _by_prediction_rate(rate: Any, skill: Any, p: Any, n: Any) -> tuple[Any, Any]:
    """FPR and TPR at a share called positive, p TPR + n FPR, and an informedness, TPR - FPR."""
    return rate - p * skill, rate + n * skill


def _mcc_curve(k: Any, t: Any, p: Any, n: Any) -> tuple[Any, Any]:
    # The share called positive is (1 - cos t) / 2: an ellipse is smooth in the angle.
    return _by_prediction_rate((1 - np.cos(t)) / 2, k * np.sin(t) / 2 / np.sqrt(p * n), p, n)


def _markedness_curve(k: Any, t: Any, p: Any, n: Any) -> tuple[Any, Any]:
    return _by_prediction_rate(t, k * t * (1 - t) / (p * n), p, n)


def _fowlkes_mallows_curve(k: Any, t: Any, p: Any, n: Any) -> tuple[Any, Any]:
    return np.where(k > 0, p * (t**2 / k**2 - t) / n, np.nan), t


#: Contours that turn back beyond the square, where two TPRs go with one FPR: as curves, and their parameter as a
#: function of FPR and TPR.
TURNING: dict[str, tuple[Curve, ClosedForm]] = {
    "mcc": (_mcc_curve, lambda x, y, p, n: np.arccos(1 - 2 * (p * y + n * x))),
    "markedness": (_markedness_curve, lambda x, y, p, n: p * y + n * x),
    "fowlkes_mallows": (_fowlkes_mallows_curve, lambda x, y, p, n: y),
}
#: Scores that are 1 minus another, or the logarithm of another.
MIRRORED = {"error_rate": "accuracy", "fnr": "tpr", "fpr": "tnr", "false_discovery_rate": "ppv",
            "false_omission_rate": "npv"}  # fmt: skip
LOGARITHMS = {f"log_{name}": name for name in ("positive_likelihood_ratio", "negative_likelihood_ratio",
                                               "diagnostic_odds_ratio")}  # fmt: skip
#: The balanced version of each is itself at a prevalence of 1/2.
BALANCED = {
    "balanced_mcc": "mcc", "balanced_markedness": "markedness", "balanced_f1": "f1", "standardized_ppv": "ppv",
    "balanced_fowlkes_mallows": "fowlkes_mallows", "balanced_threat_score": "jaccard", "standardized_npv": "npv",
}  # fmt: skip
#: Where the contours of scores that are no ranking scores meet.
CORNERS = {
    "mcc": ((0, 0), (1, 1)), "markedness": ((0, 0), (1, 1)), "diagnostic_odds_ratio": ((0, 0), (1, 1)),
    "fowlkes_mallows": ((0, 0),), "positive_likelihood_ratio": ((0, 0),), "prevalence_threshold": ((0, 0),),
    "negative_likelihood_ratio": ((1, 1),),
}  # fmt: skip
STEPS = 55


def contour(score: Any, value: Any, fpr: Any, prevalence: Any) -> xr.DataArray:
    """TPR at which a score takes a value, for a FPR and a prevalence.

    Parameters
    ----------
    score : Score, str or callable
        A Score, a name or alias, or a function of (tn, fp, fn, tp).
    value : float, sequence or DataArray
        Values of the score; a sequence gives the dim ``value``.
    fpr : float, sequence or DataArray
        False positive rates; a sequence gives the dim ``fpr``. Closed forms go beyond 0 and 1 too.
    prevalence : float, sequence or DataArray
        Shares of the positive class, between 0 and 1, ends excluded; a sequence gives the dim ``prevalence``.

    Returns
    -------
    xarray.DataArray
        ``tpr`` over the dims given. By closed forms also below 0 and above 1: the contour beyond the ROC square. NaN
        where the score takes the value for no TPR (numerically solved scores: none in [0, 1]), or does not depend
        on it. Some contours turn back beyond the square, so that two TPRs go with one FPR: this is the one on the
        branch that crosses the square; :func:`contour_curve` follows the contour around.

    Raises
    ------
    ValueError
        If a prevalence is outside of (0, 1).

    References
    ----------
    Lovell et al., Never mind the metrics, Eq. 45-112; Eq. 59-60 hold with the plus root for negative values as well.

    Examples
    --------
    >>> import bayesrank as br
    >>> br.contour("f1", 2 / 3, [0.1, 0.2], 1 / 3).round(6).values.tolist()
    [0.6, 0.7]
    """
    score = as_score(score)
    k, x, p = (_labelled(held, dim) for held, dim in ((value, "value"), (fpr, "fpr"), (prevalence, "prevalence")))
    _check_prevalence(p)
    closed = closed_form(score)
    if closed is not None:
        with np.errstate(divide="ignore", invalid="ignore"):
            tpr = xr.apply_ufunc(lambda k, x, p: _finite(closed(k, x, p, 1 - p)), k, x, p)
    else:
        tpr = xr.apply_ufunc(lambda k, x, p: _solve(score, k, x, p), k, x, p)
    order = [dim for dim in ("value", "prevalence", "fpr") if dim in tpr.dims]
    return tpr.transpose(..., *order).rename("tpr")


def contour_curve(
    score: Any, value: Any, prevalence: float, extent: tuple[float, float] = (0.0, 1.0), points: int = 401
) -> xr.Dataset:
    """Contours as curves to draw, vertical ones (of scores of the TNR alone) and those that turn back included.

    Parameters
    ----------
    score, value
        As for :func:`contour`.
    prevalence : float
        Share of the positive class.
    extent : pair of float
        Range of FPR and TPR.
    points : int
        Points along each curve; twice as many along contours that turn back.

    Returns
    -------
    xarray.Dataset
        ``fpr`` and ``tpr`` (value, point), NaN outside of the extent.

    Examples
    --------
    >>> contour_curve("tnr", [0.75], 0.5, points=3)["fpr"].values.tolist()
    [[0.25, 0.25, 0.25]]
    """
    of, k = as_score(score), _labelled(np.atleast_1d(value), "value")
    low, high = extent
    along = xr.DataArray(np.linspace(low, high, points), dims=("point",))
    mirrored = SCORES.get(of.name) is of and MIRRORED.get(of.name) == "tnr"
    weights = SCORES["tnr"].importance if mirrored else of.importance
    if weights is not None and weights["fn"] == weights["tp"] == 0:
        v = 1 - k if mirrored else k
        fpr, tpr = xr.broadcast((1 - v) * weights["tn"] / ((1 - v) * weights["tn"] + v * weights["fp"]), along)
    elif SCORES.get(of.name) is of and BALANCED.get(of.name, of.name) in TURNING:
        fpr, tpr = _around(of, k, along, prevalence, extent)
    else:
        tpr = contour(of, k, along, prevalence)
        fpr, tpr = xr.broadcast(along, tpr)
    inside = (tpr >= low) & (tpr <= high) & (fpr >= low) & (fpr <= high)
    return xr.Dataset({"fpr": fpr.where(inside), "tpr": tpr.where(inside)}).transpose("value", "point")


def _around(
    score: Score, k: xr.DataArray, along: xr.DataArray, prevalence: float, extent: tuple[float, float]
) -> tuple[xr.DataArray, xr.DataArray]:
    """FPR and TPR along contours that turn back: at the parameters of evenly spaced FPRs, and at evenly spaced ones."""
    curve, parameter = TURNING[BALANCED.get(score.name, score.name)]
    p = 0.5 if score.name in BALANCED else prevalence
    with np.errstate(invalid="ignore", divide="ignore"):
        across = parameter(along, contour(score, k, along, prevalence), p, 1 - p)
        ends = (0.0, np.pi) if curve is _mcc_curve else extent
        evenly = xr.DataArray(np.linspace(*ends, along.size), dims="point") + 0 * k
        t = xr.concat([across, evenly], "point").transpose(..., "point")
        t = t.copy(data=np.sort(t, axis=-1))
        return xr.apply_ufunc(lambda k, t: curve(k, t, p, 1 - p), k, t, output_core_dims=[[], []])


def contour_meeting_points(score: Any, prevalence: float) -> xr.Dataset:
    """Where all contours of a score meet, within or beyond the ROC square.

    Parameters
    ----------
    score : Score or str
        One whose contours are known in closed form.
    prevalence : float
        Share of the positive class.

    Returns
    -------
    xarray.Dataset
        ``fpr`` and ``tpr`` (point); no point where the contours are parallel or do not meet. The contours of mcc for
        k and -k make up one ellipse: each is the part of it between both points, above or below their line.

    Raises
    ------
    ValueError
        If no contours of the score are known in closed form, or the prevalence is not strictly between 0 and 1.

    References
    ----------
    Lovell et al., Never mind the metrics, appendices B and C.

    Examples
    --------
    >>> meeting = contour_meeting_points("f1", 0.2)
    >>> meeting["fpr"].values.tolist(), meeting["tpr"].values.tolist()
    ([-0.25], [0.0])
    """
    score, p = as_score(score), float(prevalence)
    _check_prevalence(xr.DataArray(p))
    n = 1 - p
    known = SCORES.get(score.name) is score
    if closed_form(score) is None:
        raise ValueError(f"score must have contours in closed form; got {score.name}")
    if known and score.name in BALANCED:
        return contour_meeting_points(SCORES[BALANCED[score.name]], 0.5)
    plain = SCORES[MIRRORED[score.name]] if known and score.name in MIRRORED else score
    places: list[tuple[float, float]] = []
    if plain.importance is not None:
        tn, fp, fn, tp = (float(plain.importance[cell]) for cell in ("tn", "fp", "fn", "tp"))
        # Where the weighted right answers and the weighted wrong ones are both 0.
        lines = np.array([[-n * tn, p * tp], [n * fp, -p * fn]])
        if abs(np.linalg.det(lines)) > 1e-12 * np.abs(lines).max() ** 2:
            places = [tuple(np.linalg.solve(lines, [-n * tn, -p * fn]) + 0.0)]
    elif known and score.name == "cohen_kappa":
        # The paper has TPR and TNR the other way round.
        places = [(p / (p - n), p / (p - n))] if p != n else []
    else:
        places = list(CORNERS.get(score.name.removeprefix("scaled_").removeprefix("log_"), ()))
    table = np.array(places, dtype=float).reshape(-1, 2)
    return xr.Dataset({"fpr": ("point", table[:, 0]), "tpr": ("point", table[:, 1])})


def closed_form(score: Score) -> ClosedForm | None:
    """The score's contour as a function of value, FPR and class shares, or None."""
    name = score.name
    if score.importance is not None:
        return _line(score)
    if (benefits := _benefits(score)) is not None:
        return _benefit_line(benefits)
    if name.startswith("scaled_log_"):
        return _scaled(score, name.removeprefix("scaled_log_"))
    if SCORES.get(name) is not score:
        return None
    if name in CLOSED:
        return CLOSED[name]
    if name in MIRRORED:
        plain = _line(SCORES[MIRRORED[name]])
        return lambda k, x, p, n: plain(1 - k, x, p, n)
    if name in LOGARITHMS:
        ratio = CLOSED[LOGARITHMS[name]]
        return lambda k, x, p, n: ratio(np.exp(k), x, p, n)
    if name in BALANCED:
        same = closed_form(SCORES[BALANCED[name]])
        return None if same is None else lambda k, x, p, n: same(k, x, 0.5 + 0 * p, 0.5 + 0 * p)
    return None


def _line(score: Score) -> ClosedForm:
    """A ranking score is k where (1 - k) times the weighted right answers is k times the weighted wrong ones."""
    weights = score.importance or {}
    tn, fp, fn, tp = (float(weights[cell]) for cell in ("tn", "fp", "fn", "tp"))

    def line(k: Any, x: Any, p: Any, n: Any) -> Any:
        return (k * (n * fp * x + p * fn) - (1 - k) * n * tn * (1 - x)) / (p * ((1 - k) * tp + k * fn))

    return line


def _benefits(score: Score) -> dict[str, float] | None:
    """What each outcome is worth, if the score is the mean of that over the cases: seen at five performances."""
    if np.isnan(worth := score.of_cells(*np.eye(4))).any():
        return None
    mixed = np.array([[0.1, 0.2, 0.3, 0.4], [0.4, 0.1, 0.2, 0.3], [0.35, 0.3, 0.05, 0.3], [0.2, 0.6, 0.1, 0.1],
                      [0.7, 0.1, 0.1, 0.1]])  # fmt: skip
    same = np.allclose(score.of_cells(*mixed.T), mixed @ worth, rtol=1e-12, atol=1e-12 * np.abs(worth).max())
    return dict(zip(("tn", "fp", "fn", "tp"), worth.tolist(), strict=True)) if same else None


def _scaled(score: Score, name: str) -> ClosedForm | None:
    """The logarithm of a likelihood or odds ratio, divided by a number that is read off at two performances."""
    ratio = CLOSED.get(name)
    if ratio is None or name not in SCORES:
        return None
    tables = np.array([[0.4, 0.1, 0.2, 0.3], [0.45, 0.05, 0.1, 0.4]]).T
    scale = np.log(SCORES[name].of_cells(*tables)) / score.of_cells(*tables)
    if not np.isclose(scale[0], scale[1], rtol=1e-9):
        return None
    return lambda k, x, p, n: ratio(np.exp(scale[0] * k), x, p, n)


def _benefit_line(benefits: Mapping[str, float]) -> ClosedForm:
    """Parallel lines. Eq. 53 and 54, whose last term should be n times the benefit of a false positive."""
    tn, fp, fn, tp = (float(benefits[cell]) for cell in ("tn", "fp", "fn", "tp"))
    return lambda k, x, p, n: (k - n * (tn * (1 - x) + fp * x) - p * fn) / (p * (tp - fn))


def _solve(score: Score, k: Any, x: Any, p: Any) -> np.ndarray:
    """TPR in [0, 1] by bisection; scores may rise or fall with it, and may be undefined at its ends."""
    k, x, p = np.broadcast_arrays(*(np.asarray(a, dtype=float) for a in (k, x, p)))

    def at(y: np.ndarray) -> np.ndarray:
        return score.of_cells((1 - p) * (1 - x), (1 - p) * x, p * (1 - y), p * y)

    ends = []
    for end, inner in ((0.0, 1e-12), (1.0, 1 - 1e-12)):
        there = at(np.full(k.shape, end))
        ends.append(np.where(np.isnan(there), at(np.full(k.shape, inner)), there))
    rises = ends[1] >= ends[0]
    lower, upper = np.where(rises, ends[0], ends[1]), np.where(rises, ends[1], ends[0])
    low, high = np.zeros(k.shape), np.ones(k.shape)
    for _ in range(STEPS):
        middle = (low + high) / 2
        below = (at(middle) < k) == rises
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    reached = (lower <= k) & (k <= upper) & (lower < upper) & (x >= 0) & (x <= 1)
    return np.where(reached, (low + high) / 2, np.nan)


def _finite(values: Any) -> Any:
    return np.where(np.isfinite(values), values, np.nan)


def _labelled(held: Any, dim: str) -> xr.DataArray:
    if isinstance(held, xr.DataArray):
        return labelled_numbers(dim, held)
    values = numbers(dim, held)
    if values.ndim > 1:
        raise ValueError(f"{dim} must be a number, a sequence or a DataArray; got {values.ndim} dimensions")
    return xr.DataArray(values, {dim: values} if values.ndim else {}, (dim,)[: values.ndim])


def _check_prevalence(prevalence: xr.DataArray) -> None:
    outside = ~((prevalence > 0) & (prevalence < 1))
    if bool(outside.any()):
        raise ValueError(f"prevalence must lie between 0 and 1, ends excluded; got {prevalence.values[outside.values]}")
