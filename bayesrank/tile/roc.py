"""The Tile and ROC space: pencils of iso-performance lines, no-skill curves, shifts of the prior, places that move."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank.scores.score import ratio

__all__ = ["chance_corrected_place", "isoperformance", "moved_place", "no_skill_curve", "prior_grid", "vertex"]


def isoperformance(a: float, b: float, value: float, prevalence: float, points: int = 2) -> xr.Dataset:
    """The line of ROC space on which a canonical score takes a value.

    Parameters
    ----------
    a, b : float
        Place of the score on the Tile.
    value : float
        Between 0 and 1.
    prevalence : float
        Share of the positive class.
    points : int
        Points along the line.

    Returns
    -------
    xarray.Dataset
        ``fpr`` and ``tpr`` along ``point``, from end to end of the part within ROC; NaN if the line misses ROC or
        is no line (the score is undefined or constant).

    References
    ----------
    Piérard et al., The Tile, Section 3.3 and Figure 2a.

    Examples
    --------
    >>> line = isoperformance(a=1, b=1, value=0.8, prevalence=0.3)
    >>> line["tpr"].values.round(12).tolist(), line["fpr"].values.tolist()
    ([0.8, 0.8], [0.0, 1.0])
    """
    _units(a=a, b=b, value=value, prevalence=prevalence)
    positive, negative = prevalence, 1 - prevalence
    # of_y * tpr = of_x * fpr + constant, with both coefficients at least 0
    of_y = positive * ((1 - value) * a + value * b)
    of_x = negative * ((1 - value) * (1 - a) + value * (1 - b))
    constant = value * b * positive - (1 - value) * (1 - a) * negative
    ends = np.full((2, 2), np.nan)
    if of_y > 0 and of_x > 0:
        low, high = max(0.0, -constant / of_x), min(1.0, (of_y - constant) / of_x)
        if low <= high:
            ends = np.array([[x, min(max((of_x * x + constant) / of_y, 0.0), 1.0)] for x in (low, high)])
    elif of_y > 0 and 0 <= constant / of_y <= 1:
        ends = np.array([[0.0, constant / of_y], [1.0, constant / of_y]])
    elif of_x > 0 and 0 <= -constant / of_x <= 1:
        ends = np.array([[-constant / of_x, 0.0], [-constant / of_x, 1.0]])
    line = ends[0] + np.linspace(0, 1, points)[:, None] * (ends[1] - ends[0])
    return xr.Dataset({"fpr": ("point", line[:, 0]), "tpr": ("point", line[:, 1])})


def vertex(a: Any, b: Any, prevalence: Any) -> xr.Dataset:
    """Where all iso-performance lines of a canonical score meet, outside ROC space.

    Parameters
    ----------
    a, b, prevalence : number or DataArray
        Place of the score, and share of the positive class.

    Returns
    -------
    xarray.Dataset
        ``fpr`` and ``tpr`` of the vertex, NaN where the lines are parallel (a = b), and the slopes of the lines of
        value 0 (``slope_zero``; through (1, 0), one for each a) and of value 1 (``slope_one``; through (0, 1), one for
        each b), NaN where vertical. Where a = b both are the slope of all lines.

    References
    ----------
    Piérard et al., The Tile, Section 3.3 and Figures 2a to 2c.

    Examples
    --------
    >>> place = vertex(a=0.95, b=0.7, prevalence=0.2)
    >>> place["fpr"].item() < 0 and place["tpr"].item() < 0
    True
    """
    a, b, positive = xr.broadcast(
        *(x if isinstance(x, xr.DataArray) else xr.DataArray(float(x)) for x in (a, b, prevalence))
    )
    _units(a=a, b=b, prevalence=positive)
    negative = 1 - positive

    def divide(part: xr.DataArray, whole: xr.DataArray) -> xr.DataArray:
        return xr.apply_ufunc(ratio, part, whole)

    return xr.Dataset(
        {
            "fpr": divide(b * ((1 - a) * negative + a * positive), negative * (b - a)),
            "tpr": divide((1 - a) * (b * positive + (1 - b) * negative), positive * (b - a)),
            "slope_zero": divide(negative * (1 - a), positive * a),
            "slope_one": divide(negative * (1 - b), positive * b),
        }
    )


def no_skill_curve(
    *, prevalence: float | None = None, prediction_rate: float | None = None, points: int = 201
) -> xr.Dataset:
    """The canonical scores that put all no-skill performances on one footing.

    Parameters
    ----------
    prevalence, prediction_rate : float
        What is fixed: the share of positive cases (γ_π), or of positive predictions (γ_τ). Just one of them.
    points : int
        Points of a, and as many of b, at which the curve is given.

    Returns
    -------
    xarray.Dataset
        ``a`` and ``b`` along ``point``.

    References
    ----------
    Piérard et al., The Tile, Section 4.4 and Figure 6.

    Examples
    --------
    >>> curve = no_skill_curve(prevalence=0.5, points=3)
    >>> curve["a"].values.tolist(), curve["b"].values.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0, 1.0], [1.0, 1.0, 0.5, 0.5, 0.0, 0.0])
    """
    if (prevalence is None) == (prediction_rate is None):
        raise ValueError(f"give either prevalence or prediction_rate; got {prevalence!r} and {prediction_rate!r}")
    given = {"prevalence": prevalence, "prediction_rate": prediction_rate}
    name, share = next((name, share) for name, share in given.items() if share is not None)
    _units(**{name: share})
    plus, minus = share**2, (1 - share) ** 2
    t = np.linspace(0.0, 1.0, points)
    if prevalence is not None:
        # π₊² a b = π₋² (1-a) (1-b): symmetric in a and b
        other = ratio(minus * (1 - t), plus * t + minus * (1 - t))
        a, b, falls = np.concatenate([t, other]), np.concatenate([other, t]), True
    else:
        # τ₊² a (1-b) = τ₋² (1-a) b
        b_of_a = ratio(plus * t, plus * t + minus * (1 - t))
        a_of_b = ratio(minus * t, minus * t + plus * (1 - t))
        a, b, falls = np.concatenate([t, a_of_b]), np.concatenate([b_of_a, t]), False
    on = ~(np.isnan(a) | np.isnan(b))
    a, b = a[on], b[on]
    order = np.lexsort((-b if falls else b, a))
    return xr.Dataset({"a": ("point", a[order]), "b": ("point", b[order])})


def chance_corrected_place(a: Any, b: Any, prevalence: Any) -> tuple[Any, Any]:
    """Where Cohen's correction for chance sends a canonical score, at a fixed prevalence.

    The corrected score (R - R of the no-skill twin) / (1 - R of the no-skill twin) orders as the canonical score at
    the place returned: a whole horizontal line of the Tile goes to its point on the curve γ_π.

    References
    ----------
    Piérard et al., The Tile, Section 4.4.

    Examples
    --------
    >>> a, b = chance_corrected_place(0.5, 0.5, prevalence=0.2)  # of accuracy: Cohen's kappa
    >>> round(float(a), 6), b
    (0.941176, 0.5)
    """
    _units(a=a, b=b, prevalence=prevalence)
    plus, minus = prevalence**2 * b, (1 - prevalence) ** 2 * (1 - b)
    return ratio(minus, minus + plus) + 0 * a, b


def prior_grid(prevalence: float, lines: int = 11) -> xr.DataArray:
    """Where the lines of a regular grid go when balanced priors are shifted to a prevalence, on either axis.

    References
    ----------
    Piérard et al., The Tile, A.2.2, Eq. 4 and 5.

    Examples
    --------
    >>> prior_grid(0.5, lines=3).values.tolist()
    [0.0, 0.5, 1.0]
    """
    _units(prevalence=prevalence)
    x = np.linspace(0.0, 1.0, lines)
    place = ratio(x * (1 - prevalence), (1 - x) * prevalence + x * (1 - prevalence))
    return xr.DataArray(place, {"line": x}, "line", name="prior_grid")


def moved_place(operation: str, a: Any, b: Any, old: float | None = None, new: float | None = None) -> tuple[Any, Any]:
    """Where the order at (a, b) moves when an operation is applied to all performances.

    Parameters
    ----------
    operation : str
        ``"change_predicted"`` and ``"change_actual"`` (the order is inverted), ``"swap_actual_predicted"``,
        ``"swap_classes"``, or ``"shift_prior"``: the functions of :mod:`bayesrank.operations`.
    a, b : number or array
        The original place.
    old, new : float, optional
        Prevalence before and after a shift.

    Returns
    -------
    tuple
        The new a and b.

    References
    ----------
    Piérard et al., The Tile, Table 1 and Lemmas 1 to 5.

    Examples
    --------
    >>> moved_place("swap_classes", 1.0, 0.0)
    (0.0, 1.0)
    """
    if operation == "shift_prior":
        if old is None or new is None:
            raise ValueError(f"old and new must be given for shift_prior; got {old!r} and {new!r}")
        _units(old=old, new=new)

        def back(x: Any) -> Any:
            plus, minus = x * old * (1 - new), (1 - x) * new * (1 - old)
            return ratio(plus, plus + minus)

        return back(a), back(b)
    places = {
        "change_predicted": (b, a),
        "change_actual": (1 - b, 1 - a),
        "swap_actual_predicted": (a, 1 - b),
        "swap_classes": (1 - a, 1 - b),
    }
    if operation not in places:
        raise KeyError(f"operation must be one of {[*places, 'shift_prior']}; got {operation!r}")
    return places[operation]


def _units(**numbers: Any) -> None:
    for argument, number in numbers.items():
        if not bool(np.all((np.asarray(number) >= 0) & (np.asarray(number) <= 1))):
            raise ValueError(f"{argument} must lie between 0 and 1; got {number}")
