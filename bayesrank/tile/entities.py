"""Ranks of several entities on the Tile, rank probabilities, and the robustness of the order."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import check_choice, check_integer, check_memory, check_sequence
from bayesrank._draws import Batches, reduce
from bayesrank._threads import thread_pool
from bayesrank._types import Container
from bayesrank.tile._grid import axes, axis, on_the_tile, place_maps, point_cells, with_entity, zoom
from bayesrank.tile._reducers import Steps

__all__ = ["entity", "rank_probability", "entity_rank", "robustness"]


def entity_rank(
    source: Container, entity: Any, resolution: int = 101, *, kind: str | None = None, window: Any = None
) -> xr.DataArray:
    """Return the rank of one entity at each point; 1 is best, and ties share the average rank.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances (entity, actual, predicted); with draws the rank is the posterior mean.
    entity : hashable
        Name of the entity.
    resolution : int
        Number of points along each axis.
    kind : str, optional
        Which performance of the posterior, as in :func:`bayesrank.as_performance`.
    window : pair of pairs of float, optional
        ((low, high), (low, high)) of a and b: restrict the map to this part of the Tile.

    Returns
    -------
    xarray.DataArray
        Ranks (b, a); NaN where the entity has no score. The attr ``entities`` is the number of entities.

    Raises
    ------
    KeyError
        If the entity is unknown.

    References
    ----------
    Piérard et al., The Tile, Section 4.3.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> entity_rank(counts, "a", resolution=2).values.tolist()
    [[2.0, 2.0], [1.0, 1.0]]
    """
    from bayesrank.tile.kernels import _tallies

    array = with_entity(*zoom(source, kind, window))
    points = axis(resolution, 4 * array.sizes["entity"])
    names = array["entity"].values.tolist()
    which = names.index(check_choice("entity", entity, names, KeyError))

    def tally(draws: np.ndarray, columns: np.ndarray, points: np.ndarray, steps: np.ndarray) -> None:
        _tallies.tally_one(draws, columns, points, which, steps[:, 0], steps[:, 1])

    with thread_pool() as share_out:
        [steps] = reduce(on_the_tile(array), Steps(tally, points, (2,), share_out), across=True)
    total, undefined = steps[:, 0].T, steps[:, 1].T
    defined = Batches.of(array).number - undefined
    mean = np.divide(total, defined, out=np.full(defined.shape, np.nan), where=defined > 0.5)
    return place_maps(xr.DataArray(mean, axes(resolution), ("b", "a"), "rank", {"entities": len(names)}), window)


def entity(
    source: Container, rank: int = 1, resolution: int = 101, *, kind: str | None = None, window: Any = None
) -> xr.DataArray:
    """Return the entity that holds a rank, at each point.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances (entity, actual, predicted) without draws (see :func:`credible` for posteriors).
    rank : int
        1 for the best.
    resolution : int
        Number of points along each axis.
    kind : str, optional
        Which performance of the posterior, as in :func:`bayesrank.as_performance`.
    window : pair of pairs of float, optional
        ((low, high), (low, high)) of a and b: restrict the map to this part of the Tile.

    Returns
    -------
    xarray.DataArray
        Names (b, a); "" where several entities tie for the rank, or too few have a score.

    Raises
    ------
    ValueError
        If the rank does not exist, or the source has draws.

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
    from bayesrank.tile.kernels import _tallies

    cells, entities = point_cells(*zoom(source, kind, window))
    points = axis(resolution, 8 + len(entities))
    rank = check_integer("rank", rank, 1, len(entities))
    who = np.empty((points.size, points.size), np.int64)
    _tallies.holders(cells, points, rank, who)
    names = np.array([*entities, ""], dtype=object)
    return place_maps(xr.DataArray(names[who], axes(resolution), ("b", "a"), "entity_at_rank"), window)


def rank_probability(
    source: Container,
    resolution: int = 101,
    *,
    ranks: Iterable[int] | None = None,
    kind: str | None = None,
    window: Any = None,
) -> xr.DataArray:
    """Return the probability that each entity holds each rank, at each point of the Tile.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances (entity, actual, predicted), with or without draws.
    resolution : int
        Number of points along each axis.
    ranks : iterable of int, optional
        Ranks to compute, 1 for the best; all by default, which may exceed the memory for hundreds of entities.
    kind : str, optional
        Which performance of the posterior, as in :func:`bayesrank.as_performance`.
    window : pair of pairs of float, optional
        ((low, high), (low, high)) of a and b: restrict the map to this part of the Tile.

    Returns
    -------
    xarray.DataArray
        Probabilities (entity, rank, b, a). Ties are spread evenly over the positions of the tied group. The sum over
        all ranks is 1 minus the undefined share.

    Raises
    ------
    ValueError, TypeError
        If the source has other dims (for example data sets), more than two classes or no draw, the resolution is below
        2, a rank does not exist, or the probabilities exceed the memory.

    References
    ----------
    Piérard et al., The Tile, Section 4.3.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> rank_probability(counts, resolution=3).sel(entity="a", rank=1).values.tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.5], [1.0, 1.0, 1.0]]
    """
    from bayesrank.tile.kernels import _tallies

    points = axis(resolution)
    array = on_the_tile(with_entity(*zoom(source, kind, window)))
    n = array.sizes["entity"]
    asked = (
        range(1, n + 1)
        if ranks is None
        else [check_integer("ranks", rank, 1, n) for rank in check_sequence("ranks", ranks)]
    )
    order = np.array(asked, int)
    shape = (points.size, n, order.size, points.size + 1)
    check_memory(
        "ranks must be fewer", f"{' x '.join(map(str, shape))} probabilities", (2, *shape), f"{order.size} ranks"
    )

    def some(draws: np.ndarray, columns: np.ndarray, points: np.ndarray, out: np.ndarray) -> None:
        _tallies.tally_some_ranks(draws, columns, points, order, out)

    tally = _tallies.tally_rank_steps if ranks is None else some
    with thread_pool() as share_out:
        [held] = reduce(array, Steps(tally, points, (n, order.size), share_out), across=True)
    values = held.transpose(1, 2, 3, 0) / Batches.of(array).number
    # Shares of ties may not cancel to the last digit.
    np.maximum(values, 0.0, out=values)
    coords = {"entity": array["entity"].values, "rank": order, "b": points, "a": points}
    return place_maps(xr.DataArray(values, coords, ("entity", "rank", "b", "a"), name="rank_probability"), window)


def robustness(source: Container, resolution: int = 101, *, kind: str | None = None) -> xr.DataArray:
    """Return the distance that the preference can move in any direction before the order of the entities changes.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances (entity, actual, predicted) without draws.
    resolution : int
        Number of points along each axis.
    kind : str, optional
        Which performance of the posterior, as in :func:`bayesrank.as_performance`.

    Returns
    -------
    xarray.DataArray
        Radius (b, a): the exact distance to the nearest point of the Tile where two entities tie; infinite if none do.
        Pairs that tie everywhere are ignored. An undefined score (0/0) counts as a tie, as in :func:`frontier`.

    Raises
    ------
    ValueError
        If the source has draws.

    References
    ----------
    Piérard et al., The Tile, Section 4.2 (robust orders hold under small changes of the preference).

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[8, 8], fp=[1, 3], fn=[3, 1], tp=[8, 8], entity=["a", "b"])
    >>> robustness(counts, resolution=3)[:, 0].values.tolist()  # they tie where b = 1/2
    [0.5, 0.0, 0.5]
    """
    from bayesrank.tile.kernels import _distances

    cells, entities = point_cells(source, kind)
    points = axis(resolution, 8 + 2 * len(entities))
    n = len(entities)
    curves, edges, corners = np.empty((n * (n - 1) // 2 + 1, 4)), np.zeros(4, bool), np.zeros(4, bool)
    curves = curves[: _distances.frontiers(cells, curves, edges, corners)]
    _, first = np.unique(np.round(curves, 13), axis=0, return_index=True)  # identical entities repeat curves
    radius = np.empty((points.size, points.size))
    _distances.distances(curves[first], edges, corners, points, radius)
    return xr.DataArray(radius, axes(resolution), ("b", "a"), "robustness")
