"""Contours: curves in (and beyond) the ROC square on which a score has one value.

Scores without contours in closed form that are monotone in TPR are solved numerically, within the
square.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import (
    check_labelled_numbers,
    check_prevalence,
    check_prevalences,
    check_size,
)
from bayesrank._core.errors import ArgumentError
from bayesrank._core.types import ScoreLike
from bayesrank.scores.contour_area import EDGE, root
from bayesrank.scores.derived import Balanced, Logarithm
from bayesrank.scores.families import OfItself
from bayesrank.scores.forms import Area, Contour, ranking_area
from bayesrank.scores.names import as_score
from bayesrank.scores.score import Score, cells_at

__all__ = ["closed_area", "closed_form", "contour", "contour_curve", "contour_meeting_points"]


@check_call
def contour(score: ScoreLike, value: Any, fpr: Any, prevalence: Any) -> xr.DataArray:
    """Return the TPR at which a score takes a value, for a FPR and a prevalence.

    The formulas are those of Lovell et al., Never mind the metrics, Eq. 45-112. For MCC (Eq. 59-60)
    the root with the plus sign is used at all values, negative ones included.

    Parameters
    ----------
    score : Score, str or callable
        A Score, a name or alias, or a function of (tn, fp, fn, tp).
    value : float, sequence or DataArray
        Values of the score; a sequence gives the dim ``value``.
    fpr : float, sequence or DataArray
        False positive rates; a sequence gives the dim ``fpr``. Closed forms also accept rates
        outside [0, 1].
    prevalence : float, sequence or DataArray
        Prevalence of the positive class, strictly between 0 and 1; a sequence gives the dim
        ``prevalence``.

    Returns
    -------
    xarray.DataArray
        ``tpr`` over the given dims; closed forms also give values outside [0, 1]. NaN where no TPR
        gives the value, or where the score does not depend on the TPR. If a contour turns back and
        has two TPRs, the result is on the branch that crosses the unit square.

    Examples
    --------
    >>> br.contour("f1", 2 / 3, [0.1, 0.2], 1 / 3).round(6).values.tolist()
    [0.6, 0.7]
    """
    score = as_score(score)
    k, x, p = (
        check_labelled_numbers("value", value),
        check_labelled_numbers("fpr", fpr),
        check_prevalences(prevalence),
    )
    closed = closed_form(score)
    if closed is None:
        tpr = xr.apply_ufunc(lambda k, x, p: _solve(score, k, x, p), k, x, p)
    else:
        with np.errstate(divide="ignore", invalid="ignore"):
            tpr = xr.apply_ufunc(lambda k, x, p: _finite(closed.tpr(k, x, p, 1 - p)), k, x, p)
    order = [dim for dim in ("value", "prevalence", "fpr") if dim in tpr.dims]
    return tpr.transpose(..., *order).rename("tpr")


def contour_curve(
    score: Any,
    value: Any,
    prevalence: float,
    extent: tuple[float, float] = (0.0, 1.0),
    points: int = 401,
) -> xr.Dataset:
    """Return contours as curves for plotting, including vertical contours and contours that turn back.

    The result holds ``fpr`` and ``tpr`` (value, point), NaN outside ``extent``, the range of both
    rates. Contours that turn back have twice as many points.
    """
    of, k = as_score(score), check_labelled_numbers("value", np.atleast_1d(value))
    low, high = extent
    along = xr.DataArray(np.linspace(low, high, check_size("points", points, 2)), dims=("point",))
    closed = closed_form(of)
    if closed is not None and closed.upright is not None:
        fpr, tpr = xr.broadcast(closed.upright(k, prevalence, 1 - prevalence), along)
    elif closed is not None and closed.turning is not None:
        fpr, tpr = _around(closed, k, along, prevalence, extent)
    else:
        fpr, tpr = xr.broadcast(along, contour(of, k, along, prevalence))
        fpr, tpr = fpr.transpose("value", "point").copy(), tpr.transpose("value", "point").copy()
        for x, y in zip(fpr.values, tpr.values, strict=True):
            _reach(x, y, low, high)
    inside = (tpr >= low) & (tpr <= high) & (fpr >= low) & (fpr <= high)
    return xr.Dataset({"fpr": fpr.where(inside), "tpr": tpr.where(inside)}).transpose(
        "value", "point"
    )


def _reach(x: np.ndarray, y: np.ndarray, low: float, high: float) -> None:
    """Move, in place, the first point of a curve outside the extent to its edge, so that steep curves reach it.

    A step back, or one much larger than the previous step, crosses a pole and is not moved.
    """
    inside = (y >= low) & (y <= high)
    for i in np.flatnonzero(inside):
        for step in (1, -1):
            out, back = i + step, i - step
            if not 0 <= out < len(y) or inside[out] or not np.isfinite(y[out]):
                continue
            rise = y[out] - y[i]
            before = y[i] - y[back] if 0 <= back < len(y) else np.nan
            if np.isfinite(before) and not 0 < rise * np.sign(before) <= 10 * abs(before):
                continue
            edge = high if rise > 0 else low
            x[out], y[out] = x[i] + (x[out] - x[i]) * (edge - y[i]) / rise, edge


def _around(
    closed: Contour, k: xr.DataArray, along: xr.DataArray, p: float, extent: tuple[float, float]
) -> tuple[xr.DataArray, xr.DataArray]:
    """Return FPR and TPR along contours that turn back, at evenly spaced FPRs and parameters."""
    turning = closed.turning
    assert turning is not None
    with np.errstate(invalid="ignore", divide="ignore"):
        tpr = xr.apply_ufunc(lambda k, x: _finite(closed.tpr(k, x, p, 1 - p)), k, along)
        across = turning.parameter(along, tpr, p, 1 - p)
        evenly = (
            xr.DataArray(np.linspace(*(turning.ends or extent), along.size), dims="point") + 0 * k
        )
        t = xr.concat([across, evenly], "point").transpose(..., "point")
        t = t.copy(data=np.sort(t, axis=-1))
        return xr.apply_ufunc(
            lambda k, t: turning.rates(k, t, p, 1 - p), k, t, output_core_dims=[[], []]
        )


def contour_meeting_points(score: Any, prevalence: float) -> xr.Dataset:
    """Return the points where all contours of a score meet, within or beyond the ROC square.

    The result holds ``fpr`` and ``tpr`` (point); it is empty if the contours do not meet. The MCC
    contours for k and -k are two parts of one ellipse, divided by the line through both points.
    Scores without contours in closed form raise ValueError. (Lovell et al., Never mind the metrics,
    appendices B and C)

    Examples
    --------
    >>> meeting = contour_meeting_points("f1", 0.2)
    >>> meeting["fpr"].values.tolist(), meeting["tpr"].values.tolist()
    ([-0.25], [0.0])
    """
    score, p = as_score(score), check_prevalence(prevalence)
    closed = closed_form(score)
    if closed is None:
        raise ArgumentError("score", "must have contours in closed form", score.name)
    table = np.array(closed.meeting(p), dtype=float).reshape(-1, 2)
    return xr.Dataset({"fpr": ("point", table[:, 0]), "tpr": ("point", table[:, 1])})


def closed_form(score: Score) -> Contour | None:
    """Return the closed-form contours of a score, derived from its importance or benefits if necessary; or None."""
    if score.importance is not None:
        return _lines(score.importance)
    if score.contour is not None:
        return score.contour
    function = score.function
    if score.complement is not None:
        of_complement = closed_form(score.complement)
        return of_complement and of_complement.at(lambda k: 1 - k)
    if isinstance(function, Balanced):
        of_complement = closed_form(function.score)
        return of_complement and of_complement.balanced()
    if isinstance(function, Logarithm):
        of_complement, scale = closed_form(function.score), function.scale
        return of_complement and of_complement.at(lambda k: np.exp(scale * k))
    if isinstance(function, OfItself):
        return Contour(lambda k, x, p, n: _line(function.importance(k), k, x, p, n))
    return None if (benefits := _benefits(score)) is None else _parallels(benefits)


def _line(importance: Mapping[str, Any], k: Any, x: Any, p: Any, n: Any) -> Any:
    """Return the TPR at which (1 - k) times weighted right answers equals k times weighted wrong answers."""
    tn, fp, fn, tp = (importance[cell] for cell in ("tn", "fp", "fn", "tp"))
    return (k * (n * fp * x + p * fn) - (1 - k) * n * tn * (1 - x)) / (p * ((1 - k) * tp + k * fn))


def _lines(importance: Mapping[str, float]) -> Contour:
    """Return the contours of a ranking score, which meet in one point."""
    tn, fp, fn, tp = (float(importance[cell]) for cell in ("tn", "fp", "fn", "tp"))

    def meeting(p: float) -> tuple[tuple[float, float], ...]:
        # Weighted right answers and weighted wrong answers are both 0.
        n = 1 - p
        lines = np.array([[-n * tn, p * tp], [n * fp, -p * fn]])
        if abs(np.linalg.det(lines)) <= 1e-12 * np.abs(lines).max() ** 2:
            return ()
        x, y = np.linalg.solve(lines, [-n * tn, -p * fn]) + 0.0
        return ((x, y),)

    upright = (lambda k, p, n: (1 - k) * tn / ((1 - k) * tn + k * fp)) if fn == tp == 0 else None
    return Contour(lambda k, x, p, n: _line(importance, k, x, p, n), meeting, upright=upright)


def _benefits(score: Score) -> dict[str, float] | None:
    """Return the benefit of each outcome if the score is a mean benefit, tested at five performances."""
    if np.isnan(benefits := score.of_cells(*np.eye(4))).any():
        return None
    mixed = np.array([[0.1, 0.2, 0.3, 0.4], [0.4, 0.1, 0.2, 0.3], [0.35, 0.3, 0.05, 0.3], [0.2, 0.6, 0.1, 0.1],
                      [0.7, 0.1, 0.1, 0.1]])  # fmt: skip
    same = np.allclose(
        score.of_cells(*mixed.T), mixed @ benefits, rtol=1e-12, atol=1e-12 * np.abs(benefits).max()
    )
    return dict(zip(("tn", "fp", "fn", "tp"), benefits.tolist(), strict=True)) if same else None


def _parallels(benefits: Mapping[str, float]) -> Contour:
    """Return parallel contours, vertical if finding positives has no benefit.

    See Eq. 53 and 54, whose last term should be n times the benefit of a false positive.
    """
    tn, fp, fn, tp = (float(benefits[cell]) for cell in ("tn", "fp", "fn", "tp"))
    upright = (
        (lambda k, p, n: (n * tn + p * fn - k) / (n * (tn - fp))) if tp == fn and tn != fp else None
    )
    return Contour(
        lambda k, x, p, n: (k - n * (tn * (1 - x) + fp * x) - p * fn) / (p * (tp - fn)),
        upright=upright,
    )


def _solve(score: Score, k: Any, x: Any, p: Any) -> np.ndarray:
    """Return the TPR in [0, 1] by root finding; scores may rise or fall, and be undefined at the ends."""
    k, x, p = np.broadcast_arrays(*(np.asarray(a, dtype=float) for a in (k, x, p)))
    shape, (k, x, p) = k.shape, (a.ravel() for a in (k, x, p))

    def gap(y: Any, i: Any = slice(None)) -> np.ndarray:
        return score.of_cells(*cells_at(x[i], y, p[i])) - k[i]

    low, high = np.full(k.shape, EDGE), np.full(k.shape, 1 - EDGE)
    at_0, at_1 = (
        np.where(np.isnan(gap(end)), gap(inner), gap(end))
        for end, inner in ((0.0, low), (1.0, high))
    )
    sign = np.where(at_1 >= at_0, 1.0, -1.0)
    solution = root(lambda y, i: sign[i] * gap(y, i), low, high)
    reached = (at_0 * at_1 <= 0) & (at_0 != at_1) & (x >= 0) & (x <= 1)
    return np.where(reached, solution, np.nan).reshape(shape)


def _finite(values: Any) -> Any:
    return np.where(np.isfinite(values), values, np.nan)


def closed_area(score: Score) -> Area | None:
    """Return OPS of ``score`` as a function of (value, prevalence), or None without a closed form."""
    if score.importance is not None:
        return partial(ranking_area, **score.importance)
    if score.area is not None:
        return score.area
    # score < v means complement > 1 - v, and the better end of one is the worse end of the other.
    of_complement = closed_area(score.complement) if score.complement is not None else None
    return (
        None
        if of_complement is None
        else lambda value, prevalence: of_complement(1 - value, prevalence)
    )
