"""The Tile and ROC space: iso-performance lines, no-skill curves and prior shifts."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import (
    check_choice,
    check_labelled_probabilities,
    check_prevalence,
    check_probabilities,
    check_size,
    describe_value,
)
from bayesrank._core.errors import ArgumentError, ArgumentKeyError
from bayesrank.scores.placement import fixed_rate
from bayesrank.scores.score import ratio


@check_call
def isoperformance(a: Any, b: Any, value: Any, prevalence: Any, points: int = 2) -> xr.Dataset:
    """Return the line of ROC space on which a canonical score takes a value.

    Source: Piérard et al., The Tile, Section 3.3 and Figure 2a.

    Parameters
    ----------
    a, b, value, prevalence : number or DataArray
        Position of the score on the Tile, its value, and the prevalence of the positive class,
        between 0 and 1. Several values give a pencil of lines.
    points : int
        Number of points along the line, at least 2.

    Returns
    -------
    xarray.Dataset
        ``fpr`` and ``tpr`` along ``point``, after the dims of the arguments, from end to end within
        ROC space; NaN if the score is undefined or constant. ``precision``, the curve in
        precision-recall space at the same ``tpr``; NaN without a positive call.

    Raises
    ------
    TypeError, ValueError
        If an argument is not a number between 0 and 1, or ``points`` is below 2.

    Examples
    --------
    >>> line = isoperformance(a=1, b=1, value=0.8, prevalence=0.3)
    >>> line["tpr"].values.round(12).tolist(), line["fpr"].values.tolist()
    ([0.8, 0.8], [0.0, 1.0])
    """
    check_size("points", points, 2)
    a, b, value, positive = check_labelled_probabilities(
        a=a, b=b, value=value, prevalence=prevalence
    )
    negative = 1 - positive
    # of_y * tpr = of_x * fpr + constant, with coefficients of at least 0: the line meets ROC space.
    of_y = positive * ((1 - value) * a + value * b)
    of_x = negative * ((1 - value) * (1 - a) + value * (1 - b))
    constant = value * b * positive - (1 - value) * (1 - a) * negative
    low = xr.where(of_x > 0, _over(-constant, of_x), 0.0).clip(0, 1)
    high = xr.where(of_x > 0, _over(of_y - constant, of_x), 1.0).clip(low, 1)
    t = xr.DataArray(np.linspace(0.0, 1.0, points), dims="point")
    fpr = low + t * (high - low)
    # A vertical line does not determine tpr.
    tpr = xr.where(of_y > 0, _over(of_x * fpr + constant, of_y).clip(0, 1), t)
    # The score is defined half-way along the line, or nowhere on it.
    x, y = (low + high) / 2, (tpr.isel(point=0) + tpr.isel(point=-1)) / 2
    correct = (1 - a) * negative * (1 - x) + a * positive * y
    wrong = (1 - b) * negative * x + b * positive * (1 - y)
    line = xr.Dataset({"fpr": fpr, "tpr": tpr}).where((of_y + of_x > 0) & (correct + wrong > 0))
    called = positive * line["tpr"] + negative * line["fpr"]
    line["precision"] = (positive * line["tpr"] / called.where(called > 0)).clip(0, 1)
    return line.transpose(..., "point")


@check_call
def vertex(a: Any, b: Any, prevalence: Any) -> xr.Dataset:
    """Return the point where all iso-performance lines of a canonical score meet.

    Source: Piérard et al., The Tile, Section 3.3 and Figures 2a to 2c.

    Parameters
    ----------
    a, b, prevalence
        As for :func:`isoperformance`, with its errors.

    Returns
    -------
    xarray.Dataset
        ``fpr`` and ``tpr`` of the vertex, outside ROC space or at one of its corners; NaN for
        parallel lines (a = b, or a prevalence of 0 or 1). ``slope_zero`` and ``slope_one`` are the
        slopes of the lines of value 0, through (1, 0), and 1, through (0, 1); NaN if vertical.

    Examples
    --------
    >>> place = vertex(a=0.95, b=0.7, prevalence=0.2)
    >>> place["fpr"].item() < 0 and place["tpr"].item() < 0
    True
    """
    a, b, positive = check_labelled_probabilities(a=a, b=b, prevalence=prevalence)
    negative = 1 - positive
    fpr = _over(b * ((1 - a) * negative + a * positive), negative * (b - a))
    tpr = _over((1 - a) * (b * positive + (1 - b) * negative), positive * (b - a))
    position = xr.Dataset({"fpr": fpr, "tpr": tpr}).where(positive * negative > 0)
    slopes = (_over(negative * (1 - x), positive * x) for x in (a, b))
    return position.assign(dict(zip(("slope_zero", "slope_one"), slopes, strict=True)))


def _over(part: Any, whole: Any) -> Any:
    """Return the quotient of numbers or arrays, NaN where the divisor is 0."""
    if isinstance(part, xr.DataArray) or isinstance(whole, xr.DataArray):
        return xr.apply_ufunc(ratio, part, whole)
    value = ratio(part, whole)
    return value if value.ndim else float(value)


@check_call
def no_skill_curve(
    *, prevalence: float | None = None, prediction_rate: float | None = None, points: int = 201
) -> xr.Dataset:
    """Return the canonical scores that give all no-skill performances the same value.

    Source: Piérard et al., The Tile, Section 4.4 and Figure 6.

    Parameters
    ----------
    prevalence, prediction_rate : float
        The fixed quantity: prevalence (curve γ_π) or share of positive predictions (curve γ_τ).
        Pass exactly one, between 0 and 1, else a ValueError.
    points : int
        Number of points in a, and again in b; at least 2.

    Returns
    -------
    xarray.Dataset
        ``a`` and ``b`` along ``point``, ordered along the curve.

    Examples
    --------
    >>> curve = no_skill_curve(prevalence=0.5, points=3)
    >>> curve["a"].values.tolist(), curve["b"].values.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0, 1.0], [1.0, 1.0, 0.5, 0.5, 0.0, 0.0])
    """
    share = fixed_rate(prevalence, prediction_rate, ends=True).share
    if share is None:
        raise ArgumentError("prevalence", "or prediction_rate must be given", "neither")
    check_size("points", points, 2)
    plus, minus = share**2, (1 - share) ** 2
    t = np.linspace(0.0, 1.0, points)
    # π₊² a b = π₋² (1-a) (1-b): symmetric in a and b
    ordinate = ratio(minus * (1 - t), plus * t + minus * (1 - t))
    a, b = np.concatenate([t, ordinate]), np.concatenate([ordinate, t])
    on = ~(np.isnan(a) | np.isnan(b))
    a, b = a[on], b[on]
    order = np.lexsort((-b, a))
    # Exchanging truth and prediction mirrors the Tile: τ₊² a (1-b) = τ₋² (1-a) b.
    return xr.Dataset(
        {
            "a": ("point", a[order]),
            "b": ("point", b[order] if prevalence is not None else 1 - b[order]),
        }
    )


@check_call
def chance_corrected_place(a: Any, b: Any, prevalence: Any) -> tuple[Any, Any]:
    """Return the position of a canonical score after Cohen's correction for chance, at a fixed prevalence.

    The corrected score is (R - R₀) / (1 - R₀), with R₀ the score of the no-skill performance with
    the same prevalence and prediction rate. It orders performances as the canonical score at the
    returned position, which lies on the curve γ_π for the same b. Source: Piérard et al., The Tile,
    Section 4.4.

    Parameters
    ----------
    a, b, prevalence
        As for :func:`isoperformance`, with its errors.

    Returns
    -------
    tuple
        The new a and b; a is NaN at a prevalence of 0 or 1, where no performance has skill.

    Examples
    --------
    >>> a, b = chance_corrected_place(0.5, 0.5, prevalence=0.2)  # of accuracy: Cohen's kappa
    >>> round(a, 6), b
    (0.941176, 0.5)
    """
    check_probabilities(a=a, b=b, prevalence=prevalence)
    plus, minus = prevalence**2 * b, (1 - prevalence) ** 2 * (1 - b)
    skilled = prevalence * (1 - prevalence) > 0
    return _over(minus * skilled, (minus + plus) * skilled) + 0 * a, b + 0 * a


@check_call
def prior_grid(prevalence: float, lines: int = 11) -> xr.DataArray:
    """Return the positions of regular grid lines after a shift from balanced priors to a prevalence.

    Source: Piérard et al., The Tile, A.2.2, Eq. 4 and 5.

    Parameters
    ----------
    prevalence : number
        Prevalence of the positive class after the shift.
    lines : int
        Number of lines, including those at 0 and 1.

    Returns
    -------
    xarray.DataArray
        Positions (line) between 0 and 1, the same on both axes; the coordinate holds the positions
        before the shift.

    Examples
    --------
    >>> prior_grid(0.5, lines=3).values.tolist()
    [0.0, 0.5, 1.0]
    """
    check_size("lines", lines, 2)
    share = check_prevalence(prevalence, ends=True)
    x = np.linspace(0.0, 1.0, lines)
    return xr.DataArray(_shift_line(x, 0.5, share), {"line": x}, "line", name="prior_grid")


@check_call
def moved_place(
    operation: str, a: Any, b: Any, old: Any | None = None, new: Any | None = None
) -> tuple[Any, Any]:
    """Return the new position of the order at (a, b) after an operation on all performances.

    Source: Piérard et al., The Tile, Table 1 and Lemmas 1 to 5.

    Parameters
    ----------
    operation : str
        An operation of :func:`bayesrank.performance.relabel`, or ``"shift_prior"``.
        ``"change_predicted"`` and ``"change_actual"`` invert the order.
    a, b, old, new : number or array
        The original position; for ``"shift_prior"`` also the prevalence before and after.

    Returns
    -------
    tuple
        The new a and b; NaN for a shift from a prevalence of 0 or 1 to another.

    Raises
    ------
    KeyError, TypeError, ValueError
        If the operation is unknown, or a number missing, superfluous, or not between 0 and 1.

    Examples
    --------
    >>> moved_place("swap_classes", 1.0, 0.0)
    (0.0, 1.0)
    >>> [round(x, 6) for x in moved_place("shift_prior", 0.5, 0.5, old=0.5, new=0.2)]
    [0.8, 0.8]
    """
    check_probabilities(a=a, b=b)
    places = {
        "change_predicted": (b, a),
        "change_actual": (1 - b, 1 - a),
        "swap_actual_predicted": (a, 1 - b),
        "swap_classes": (1 - a, 1 - b),
    }
    if (
        check_choice("operation", operation, [*places, "shift_prior"], ArgumentKeyError)
        == "shift_prior"
    ):
        if old is None or new is None:
            raise ArgumentError(
                "old and new", "must be given for shift_prior", f"{old!r} and {new!r}"
            )
        check_probabilities(old=old, new=new)
        return _shift_line(a, old, new), _shift_line(b, old, new)
    if old is not None or new is not None:
        shares_text = " and ".join(
            describe_value(share) for share in (old, new) if share is not None
        )
        raise ArgumentError(
            "old and new", "cannot be used unless operation='shift_prior'", shares_text
        )
    return places[operation]


def _shift_line(x: Any, old: Any, new: Any) -> Any:
    """Return the position of a line of the Tile after a prior shift; lines at 0 and 1 do not move."""
    plus, minus = x * old * (1 - new), (1 - x) * new * (1 - old)
    stays = plus + minus == 0
    defined = (old * (1 - old) > 0) | (old == new)
    return _over((plus + stays * x) * defined, (plus + minus + stays) * defined)
