"""Maps over all canonical scores: their values, and references to compare them with.

The canonical score of the preference (a, b) is R = s / (s + u) with s = (1-a) tn + a tp and u =
(1-b) fp + b fn. The weight a trades true positives against true negatives; b trades false negatives
against false positives. The last dims are (b, a), so that plots have a on the horizontal axis. A
score of 0/0 is NaN.
"""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_prevalences, describe_value
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.types import Container
from bayesrank.performance import no_skill_twin
from bayesrank.tile.grid import (
    TOLERANCE,
    axis,
    canonical_cells,
    label_map,
    place_maps,
    ratio,
    tables_of,
    two_class,
    with_entity,
    zoom,
)


@check_call
def value(
    source: Container, resolution: int = 101, *, kind: str | None = None, window: Any = None
) -> xr.DataArray:
    """Return every canonical score of a performance.

    Source: Piérard et al., The Tile, Definitions 1 and 2.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances (entity, actual, predicted), with or without draws.
    resolution : int
        Number of points along each axis, ends included.
    kind : str, optional
        Which performance of the posterior, as in :func:`bayesrank.as_performance`.
    window : pair of pairs of float, optional
        ((low, high), (low, high)) of a and b: restrict the map to this part of the Tile.

    Returns
    -------
    xarray.DataArray
        Values (..., b, a) between 0 and 1; NaN where undefined. Lazy if the source is.

    Raises
    ------
    ValueError, TypeError
        If the source has other dims (for example data sets) or more than two classes, or the
        resolution is below 2.

    Examples
    --------
    >>> counts = br.from_counts(tn=80, fp=0, fn=3, tp=27, entity="a")
    >>> value(counts, resolution=3).sel(entity="a", a=1, b=1).item()  # recall
    0.9
    """
    array = two_class(*zoom(source, kind, window))
    points = axis(resolution, 4 * tables_of(array))
    return place_maps(label_map(canonical_cells(array, points), array, points, "value"), window)


@check_call
def baseline(
    source: Container, resolution: int = 101, dim: str = "entity", *, kind: str | None = None
) -> xr.DataArray:
    """Return the lowest value within a set at each point, ignoring undefined values.

    Source: Halin et al., A hitchhiker's guide (the baseline flavour).

    Parameters
    ----------
    source, resolution, kind
        As for :func:`value`, with its errors.
    dim : str
        The dim of the set, for example ``entity``; the source may have another one, such as
        ``dataset``.

    Returns
    -------
    xarray.DataArray
        Values (..., b, a); NaN where all are undefined. Lazy if the source is.

    Examples
    --------
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> round(baseline(counts, resolution=2).sel(a=1, b=1).item(), 12)
    0.7
    """
    return _over_set(source, resolution, dim, kind, "min", "baseline")


@check_call
def state_of_the_art(
    source: Container, resolution: int = 101, dim: str = "entity", *, kind: str | None = None
) -> xr.DataArray:
    """Return the highest value within a set at each point, as :func:`baseline` returns the lowest.

    Source: Halin et al., A hitchhiker's guide (the state-of-the-art flavour).

    Examples
    --------
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> round(state_of_the_art(counts, resolution=2).sel(a=1, b=1).item(), 12)
    0.8
    """
    return _over_set(source, resolution, dim, kind, "max", "state_of_the_art")


@check_call
def no_skill(prevalence: Any, resolution: int = 101) -> xr.DataArray:
    """Return the highest value that a classifier without skill reaches: it calls all cases negative, or all positive.

    Source: Piérard et al., The Tile, A.5.1 and Figure 9.

    Parameters
    ----------
    prevalence : number or DataArray
        Prevalence of the positive class, 0 to 1.
    resolution
        As for :func:`value`, with its errors.

    Returns
    -------
    xarray.DataArray
        Values (..., b, a).

    Examples
    --------
    >>> no_skill(0.2, resolution=3).sel(a=0.5, b=0.5).item()
    0.8
    """
    shares, points = check_prevalences(prevalence, ends=True), axis(resolution)
    return label_map(_no_skill(shares, points), shares, points, "no_skill")


@check_call
def relative_skill(
    source: Container, resolution: int = 101, *, kind: str | None = None
) -> xr.DataArray:
    """Return the skill of a performance relative to the best no-skill value at its own prevalence.

    Source: Piérard et al., The Tile, Section 4.4 and A.5.1.

    Parameters
    ----------
    source, resolution, kind
        As for :func:`value`, with its errors.

    Returns
    -------
    xarray.DataArray
        (R - no skill) / (1 - no skill), dims (..., b, a): 1 if perfect, 0 at no skill, negative
        below; NaN where no skill already reaches 1.

    Examples
    --------
    >>> counts = br.from_counts(tn=80, fp=0, fn=10, tp=10, entity="a")
    >>> round(relative_skill(counts, resolution=3).sel(a=0.5, b=0.5).item(), 12)
    0.5
    """
    array = two_class(source, kind)
    points = axis(resolution, 4 * tables_of(array))
    order = [dim for dim in array.dims if dim not in ("actual", "predicted")]
    prevalence = array.isel(actual=1).sum("predicted", skipna=False).clip(0, 1).transpose(*order)
    return _above(array, _no_skill(prevalence, points), points, "relative_skill")


@check_call
def chance_corrected(
    source: Container, resolution: int = 101, *, kind: str | None = None
) -> xr.DataArray:
    """Return every canonical score, corrected for chance as Cohen's κ corrects accuracy.

    Source: Piérard et al., The Tile, Section 4.4.

    Parameters
    ----------
    source, resolution, kind
        As for :func:`value`, with its errors.

    Returns
    -------
    xarray.DataArray
        (R - R₀) / (1 - R₀), dims (..., b, a), with R₀ of the no-skill performance with equal
        prevalence and prediction rate: 1 if perfect, 0 without skill; NaN where R₀ is 1 or R is
        undefined.

    Examples
    --------
    >>> counts = br.from_counts(tn=70, fp=10, fn=4, tp=16, entity="a")
    >>> chance_corrected(counts, resolution=3).sel(a=0.5, b=0.5).item(), br.scores.cohen_kappa(counts).item()
    (0.606..., 0.606...)
    """
    array = two_class(source, kind)
    points = axis(resolution, 4 * tables_of(array))
    return _above(array, canonical_cells(no_skill_twin(array), points), points, "chance_corrected")


def _above(array: xr.DataArray, floor: xr.Variable, points: np.ndarray, name: str) -> xr.DataArray:
    """Return the values above a floor, as a share of the room above it."""
    room = 1 - floor
    return label_map(
        (canonical_cells(array, points) - floor) / room.where(room > TOLERANCE), array, points, name
    )


def _no_skill(prevalence: xr.DataArray, points: np.ndarray) -> xr.Variable:
    """Return the higher value of calling all cases negative and calling all positive."""
    positive = prevalence.data[..., None, None]
    negative, a, b = 1 - positive, points, points[:, None]
    best = np.fmax(ratio((1 - a) * negative, b * positive), ratio(a * positive, (1 - b) * negative))
    return xr.Variable((*prevalence.dims, "b", "a"), best)


def _over_set(
    source: Any, resolution: int, dim: str, kind: str | None, how: str, name: str
) -> xr.DataArray:
    """Return the lowest ("min") or highest ("max") value along ``dim`` at each point."""
    if not isinstance(dim, str):
        raise ArgumentTypeError("dim", "must name a dim of source", describe_value(dim))
    array = with_entity(source, kind) if dim == "entity" else two_class(source, kind, dim)
    if dim not in array.dims or dim in ("actual", "predicted"):
        others = [held for held in array.dims if held not in ("actual", "predicted")]
        raise ArgumentError("dim", "must be a dim of source", f"{dim!r}, not in {others}")
    if not array.sizes[dim]:
        raise ArgumentError(
            "source", f"must not be empty along {dim}", f"the sizes {dict(array.sizes)}"
        )
    points = axis(resolution, 4 * tables_of(array))
    return label_map(getattr(canonical_cells(array, points), how)(dim), array, points, name)
