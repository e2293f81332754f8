"""Flavours of the Tile: maps over all canonical scores, of one performance or of a set of entities.

The canonical score of the preference (a, b) is R = s / (s + u) with s = (1-a) tn + a tp and u = (1-b) fp + b fn: a
weighs true positives against true negatives, b weighs false negatives against false positives. Maps end in the dims
(b, a), so that a is horizontal in pictures; a score that is 0/0 is NaN.
"""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank.performance import as_performance, two_class_cells
from bayesrank.tile._grid import (
    area_weights,
    axes,
    axis,
    batches,
    draw_dims,
    halves,
    only_draws_and_entities,
    quotient,
    with_entity,
)

__all__ = [
    "baseline",
    "entity",
    "no_skill",
    "ranking",
    "relative_skill",
    "robustness",
    "state_of_the_art",
    "value",
]


def value(source: Any, resolution: int = 101) -> xr.DataArray:
    """Every canonical score of a performance.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances (..., actual, predicted); all other dims are kept.
    resolution : int
        Points along each axis, ends included.

    Returns
    -------
    xarray.DataArray
        Values (..., b, a) between 0 and 1; NaN where undefined. Lazy if the source is.

    Raises
    ------
    ValueError, TypeError
        If the source has not two classes, or the resolution is below 2.

    References
    ----------
    Piérard et al., The Tile, Definitions 1 and 2.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=80, fp=0, fn=3, tp=27, entity="a")
    >>> tile = value(counts, resolution=3).squeeze("entity")
    >>> tile.sel(a=1, b=1).item()  # recall
    0.9
    """
    return quotient(*halves(source, *axes(resolution))).rename("value")


def baseline(source: Any, resolution: int = 101, dim: str = "entity") -> xr.DataArray:
    """The lowest value within a set, at each point; undefined values are left out.

    References
    ----------
    The baseline flavour of the sequel of Piérard et al., The Tile (Halin et al., A hitchhiker's guide).

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> round(baseline(counts, resolution=2).sel(a=1, b=1).item(), 12)
    0.7
    """
    return value(source, resolution).min(dim).rename("baseline")


def state_of_the_art(source: Any, resolution: int = 101, dim: str = "entity") -> xr.DataArray:
    """The highest value within a set, at each point; undefined values are left out.

    References
    ----------
    The state-of-the-art flavour of the sequel of Piérard et al., The Tile (Halin et al., A hitchhiker's guide).

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> round(state_of_the_art(counts, resolution=2).sel(a=1, b=1).item(), 12)
    0.8
    """
    return value(source, resolution).max(dim).rename("state_of_the_art")


def no_skill(prevalence: Any, resolution: int = 101) -> xr.DataArray:
    """The highest value that a classifier without skill reaches at a prevalence.

    It is reached by calling all cases negative, or all positive, since a canonical score is monotone along the line
    of no-skill performances.

    Parameters
    ----------
    prevalence : number or DataArray
        Share of the positive class, 0 to 1.
    resolution : int
        Points along each axis.

    Returns
    -------
    xarray.DataArray
        Values (..., b, a).

    References
    ----------
    Piérard et al., The Tile, A.5.1 and Figure 9.

    Examples
    --------
    >>> no_skill(0.2, resolution=3).sel(a=0.5, b=0.5).item()
    0.8
    """
    positive = _shares("prevalence", prevalence)
    negative = 1 - positive
    a, b = axes(resolution)
    never = quotient((1 - a) * negative, b * positive)
    always = quotient(a * positive, (1 - b) * negative)
    last = [dim for dim in never.dims if dim not in ("b", "a")]
    return xr.where(never.isnull() | (always > never), always, never).transpose(*last, "b", "a").rename("no_skill")


def relative_skill(source: Any, resolution: int = 101) -> xr.DataArray:
    """How much of the way from the best no-skill value to 1 a performance goes, at its own prevalence.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances (..., actual, predicted).
    resolution : int
        Points along each axis.

    Returns
    -------
    xarray.DataArray
        (R - no skill) / (1 - no skill), dims (..., b, a): 1 when perfect, 0 at no skill, negative below; NaN where
        no skill already reaches 1.

    References
    ----------
    Piérard et al., The Tile, Section 4.4 and A.5.1.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=80, fp=0, fn=10, tp=10, entity="a")
    >>> round(relative_skill(counts, resolution=3).sel(a=0.5, b=0.5).item(), 12)
    0.5
    """
    cells = two_class_cells(as_performance(source))
    floor = no_skill((cells["fn"] + cells["tp"]).clip(0, 1), resolution)
    room = 1 - floor
    return ((value(source, resolution) - floor) / room.where(room > 1e-12)).rename("relative_skill")


def ranking(source: Any, of: Any, resolution: int = 101) -> xr.DataArray:
    """The rank of one entity among all, at each point; 1 is best and ties share the average rank.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances (entity, actual, predicted); with draws the rank is the posterior mean.
    of : hashable
        Name of the entity.
    resolution : int
        Points along each axis.

    Returns
    -------
    xarray.DataArray
        Ranks (b, a); NaN where the entity has no score.

    Raises
    ------
    KeyError
        If no entity has that name.

    References
    ----------
    Piérard et al., The Tile, Section 4.3.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> ranking(counts, "a", resolution=2).values.tolist()
    [[2.0, 2.0], [1.0, 1.0]]
    """
    array = with_entity(source)
    if of not in array["entity"].values:
        raise KeyError(f"of must be one of the entities; got {of!r}, not in {array['entity'].values.tolist()}")
    ranks, grid = _mean_ranks(array, resolution)
    position = array["entity"].values.tolist().index(of)
    return grid.copy(data=ranks[:, position].T).rename("rank")


def entity(source: Any, rank: int = 1, resolution: int = 101) -> xr.DataArray:
    """Who holds a rank, at each point.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances (entity, actual, predicted) without draws (see :func:`credible` for posteriors).
    rank : int
        1 for the best.
    resolution : int
        Points along each axis.

    Returns
    -------
    xarray.DataArray
        Names (b, a); "" where several entities tie for the rank or fewer have a score.

    Raises
    ------
    ValueError
        If there is no such rank, or the source has draws.

    References
    ----------
    Piérard et al., The Tile, Section 4.3 and Figure 5.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> entity(counts, resolution=2).values.tolist()
    [['b', 'b'], ['a', 'a']]
    """
    array = with_entity(source)
    if draw_dims(array):
        raise ValueError(f"source must hold no draws; got dims {array.dims} (br.tile.credible takes a posterior)")
    if rank not in range(1, array.sizes["entity"] + 1):
        raise ValueError(f"rank must be one of 1 to {array.sizes['entity']}; got {rank!r}")
    ranks, grid = _mean_ranks(array, resolution)
    # Tied entities share their average rank, so that a rank which one entity alone has is held without a tie.
    holders = ranks == rank
    held = np.count_nonzero(holders, axis=1) == 1
    names = array["entity"].values.astype(object)[holders.argmax(1)]
    return grid.copy(data=np.where(held, names, "").T).rename("entity_at_rank")


def robustness(source: Any, resolution: int = 101) -> xr.DataArray:
    """How far the preference can move, in any direction, before the order of the entities changes.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances (entity, actual, predicted) without draws.
    resolution : int
        Points along each axis.

    Returns
    -------
    xarray.DataArray
        Radius (b, a) to the nearest frontier of any two entities, along 512 points of each frontier; infinite where no
        two ever swap. Entities that tie everywhere are no frontier.

    References
    ----------
    After Piérard et al., The Tile, Section 4.2, which calls an order robust that holds under small changes.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[80, 70], fp=[0, 10], fn=[3, 5], tp=[27, 25], entity=["a", "b"])
    >>> robustness(counts, resolution=2).values.tolist()
    [[inf, inf], [inf, inf]]
    """
    from scipy.spatial import cKDTree

    from bayesrank.tile.geometry import frontier

    array = with_entity(source)
    only_draws_and_entities(array)
    if draw_dims(array):
        raise ValueError(f"source must hold no draws; got dims {array.dims}")
    names = array["entity"].values
    curves = [
        np.column_stack([curve["a"].values, curve["b"].values])
        for i, first in enumerate(names)
        for second in names[i + 1 :]
        for curve in [frontier(array, first, second, points=512)]
    ]
    marks = np.concatenate([curve[~np.isnan(curve).any(1)] for curve in curves] or [np.empty((0, 2))])
    grid = area_weights(resolution)
    a, b = np.meshgrid(grid["a"].values, grid["b"].values)
    if len(marks) == 0:
        return grid.copy(data=np.full(a.shape, np.inf)).rename("robustness")
    distance, _ = cKDTree(marks).query(np.column_stack([a.ravel(), b.ravel()]))
    return grid.copy(data=distance.reshape(a.shape)).rename("robustness")


def _mean_ranks(array: xr.DataArray, resolution: int) -> tuple[np.ndarray, xr.DataArray]:
    """Average ranks (a, entity, b), over the draws where defined, and an empty map (b, a)."""
    from bayesrank.tile import _kernel

    points = axis(resolution)
    only_draws_and_entities(array)
    best, total, undefined, skilled = np.zeros((4, resolution, array.sizes["entity"], resolution + 1))
    draws = 0
    for block in batches(array):
        _kernel.tally(block, points, best, total, undefined, skilled)
        draws += block.shape[0]
    np.cumsum(total, -1, out=total)
    np.cumsum(undefined, -1, out=undefined)
    defined = (draws - undefined)[..., :-1]
    ranks = np.divide(total[..., :-1], defined, out=np.full(defined.shape, np.nan), where=defined > 0)
    grid = xr.DataArray(np.empty((resolution, resolution)), {"b": points, "a": points}, ("b", "a"))
    return ranks, grid


def _shares(argument: str, number: Any) -> xr.DataArray:
    """Numbers between 0 and 1, labelled."""
    shares = number if isinstance(number, xr.DataArray) else xr.DataArray(np.asarray(number, dtype=float))
    if bool(((shares < 0) | (shares > 1)).any()):
        raise ValueError(f"{argument} must lie between 0 and 1; got {shares.values}")
    return shares
