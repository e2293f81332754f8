"""OPS as a function of the value of a score or of a metric of a curve."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import check_integer, check_memory, check_numbers
from bayesrank._types import ScoreLike
from bayesrank.ops.curves import curve_metric, curve_range, of_value
from bayesrank.ops.references import Reference
from bayesrank.ops.values import broadcast, orient, value_range

__all__ = ["value_curves"]


def value_curves(
    score: ScoreLike,
    prevalence: Any,
    points: int = 201,
    reference: Reference | xr.Dataset | None = None,
    *,
    at: float | None = None,
    size: int | None = None,
) -> xr.DataArray:
    """Return OPS as a function of the value, for several prevalences.

    Parameters
    ----------
    score : Score, str or callable
        A two-class score with a direction and a finite range, or a metric of a curve, as for
        :func:`bayesrank.ops.of_value`.
    prevalence : sequence of float
        Prevalences of the positive class, strictly between 0 and 1.
    points : int
        Number of values, evenly spaced over the range of the score or metric at these prevalences.
    reference : Distribution or Sample; for curves a Dataset, optional
        As for :func:`bayesrank.ops.of_value`.
    at, size : number, optional
        Position on the curve, and size of the test set, as for :func:`bayesrank.ops.of_value`.

    Returns
    -------
    xarray.DataArray
        Named "ops" (prevalence, value); NaN outside the range at a prevalence. For samples, the coord ``ops_error`` is
        the standard error.

    Raises
    ------
    ValueError
        If the score has no direction or an infinite range, or does not accept ``at`` or ``size``.

    References
    ----------
    Zhao et al., Outperformance Score, Figures 1 (c) and 3.

    Examples
    --------
    >>> value_curves("f1", [0.1, 0.5], points=3).round(3).values.tolist()
    [[0.0, 0.926, 1.0], [0.0, 0.5, 1.0]]
    >>> value_curves("precision_at_recall", [0.1], points=3, at=0.8).round(1).values.tolist()
    [[0.0, 1.0, 1.0]]
    """
    given, points = check_numbers("prevalence", prevalence), check_integer("points", points, 2)
    if not given.size:
        raise ValueError("prevalence must hold one share or more; got none")
    check_memory("points must be fewer", f"{given.size} x {points} values", (given.size, points), str(points))
    shares = broadcast(0.0, given.reshape(-1, 1))[1]
    if curve_metric(score):
        least, most = (np.broadcast_to(end, shares.shape) for end in curve_range(score, shares.values, at, size))
        ends, name = (least.min(), most.max()), str(score) if at is None else f"{score} {at:g}"
    else:
        found = orient(score)
        if not np.isfinite(found.range).all():
            raise ValueError(f"score must have a finite range to run through; got {found.name} with {found.range}")
        ends, name = found.range, found.name
        least, most = value_range(found, shares)
    value = np.linspace(*ends, points)
    inside = np.where((value >= least - 1e-12) & (value <= most + 1e-12), np.clip(value, least, most), np.nan)
    axes = {"prevalence": np.ravel(prevalence), "value": value}
    values = xr.DataArray(inside, axes, ("prevalence", "value"))
    return of_value(score, values, values["prevalence"], at=at, size=size, reference=reference).assign_attrs(score=name)
