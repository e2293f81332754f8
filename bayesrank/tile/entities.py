"""Ranks of several entities on the Tile, rank probabilities, and the robustness of the order."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_choice, check_integer, check_sequence
from bayesrank._core.draws import Batches, iterate_blocks, reduce
from bayesrank._core.errors import ArgumentKeyError
from bayesrank._core.memory import check_memory
from bayesrank._core.threads import thread_pool
from bayesrank._core.types import Container
from bayesrank.tile._reducers import Credible
from bayesrank.tile.grid import (
    axes,
    axis,
    cells_of,
    on_the_tile,
    place_maps,
    point_cells,
    with_entity,
    zoom,
)


@check_call
def entity_rank(
    source: Container,
    entity: Any,
    resolution: int = 101,
    *,
    kind: str | None = None,
    window: Any = None,
) -> xr.DataArray:
    """Return the rank of one entity at each point; 1 is best, and ties share the average rank.

    Source: Piérard et al., The Tile, Section 4.3.

    Parameters
    ----------
    source, resolution, kind, window
        As for :func:`value`, with its errors; with draws the rank is the posterior mean.
    entity : hashable
        Name of the entity, else a KeyError.

    Returns
    -------
    xarray.DataArray
        Ranks (b, a); NaN where the entity has no score. The attr ``entities`` is the number of
        entities.

    Examples
    --------
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> entity_rank(counts, "a", resolution=2).values.tolist()
    [[2.0, 2.0], [1.0, 1.0]]
    """
    array = on_the_tile(with_entity(*zoom(source, kind, window)))
    names = array["entity"].values.tolist()
    points = axis(resolution, 8 * len(names))
    which = names.index(check_choice("entity", entity, names, ArgumentKeyError))
    with thread_pool() as share_out:
        [ranks] = reduce(
            array, Credible(len(names), points, ["expected_rank"], share_out, areas=False)
        )
    defined = 1 - ranks.undefined[which]
    mean = ranks.mean["expected_rank"][which]
    rank = np.divide(mean, defined, out=np.full(defined.shape, np.nan), where=defined > 1e-12)
    return place_maps(
        xr.DataArray(rank, axes(resolution), ("b", "a"), "rank", {"entities": len(names)}), window
    )


@check_call
def entity(
    source: Container,
    rank: int = 1,
    resolution: int = 101,
    *,
    kind: str | None = None,
    window: Any = None,
) -> xr.DataArray:
    """Return the entity that holds a rank, at each point.

    Source: Piérard et al., The Tile, Section 4.3 and Figure 5.

    Parameters
    ----------
    source, resolution, kind, window
        As for :func:`value`, with its errors; the source has no draws (see :func:`credible` for
        posteriors).
    rank : int
        1 for the best; a ValueError if the rank does not exist.

    Returns
    -------
    xarray.DataArray
        Names (b, a); "" where several entities tie for the rank, or too few have a score.

    Examples
    --------
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> entity(counts, resolution=2).values.tolist()
    [['b', 'b'], ['a', 'a']]
    """
    _, entities = point_cells(*zoom(source, kind, window))
    axis(
        resolution, 8 + 3 * len(entities)
    )  # before the numbers of ranks are checked, which are not the caller's
    rank = check_integer("rank", rank, 1, len(entities))
    probability = rank_probability(
        source, resolution, ranks=[rank], kind=kind, window=window
    ).squeeze("rank", drop=True)
    names = np.array([*entities, ""], dtype=object)
    holder = np.where(
        probability.max("entity") == 1, probability.argmax("entity"), len(entities)
    )  # tied entities share a rank
    return probability[0].drop_vars("entity").copy(data=names[holder]).rename("entity_at_rank")


@check_call
def rank_probability(
    source: Container,
    resolution: int = 101,
    *,
    ranks: Iterable[int] | None = None,
    kind: str | None = None,
    window: Any = None,
) -> xr.DataArray:
    """Return the probability that each entity holds each rank, at each point of the Tile.

    Source: Piérard et al., The Tile, Section 4.3.

    Parameters
    ----------
    source, resolution, kind, window
        As for :func:`value`, with its errors.
    ranks : iterable of int, optional
        Ranks to compute, 1 for the best; all by default. A ValueError if their probabilities exceed
        the memory, as those of hundreds of entities may.

    Returns
    -------
    xarray.DataArray
        Probabilities (entity, rank, b, a). Ties are spread evenly over the positions of the tied
        group. The sum over all ranks is 1 minus the undefined share.

    Examples
    --------
    >>> counts = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
    >>> rank_probability(counts, resolution=3).sel(entity="a", rank=1).values.tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.5], [1.0, 1.0, 1.0]]
    """
    from bayesrank.tile.kernels._credible import tally_ranks

    points = axis(resolution)
    array = on_the_tile(with_entity(*zoom(source, kind, window)))
    n = array.sizes["entity"]
    chosen = range(1, n + 1) if ranks is None else check_sequence("ranks", ranks)
    order = np.array([*dict.fromkeys(check_integer("ranks", rank, 1, n) for rank in chosen)], int)
    shape = (points.size, points.size, n, order.size)
    size = f"{' x '.join(map(str, shape))} probabilities"
    check_memory("ranks must be fewer", size, (2, *shape), f"{order.size} ranks")
    b, a = np.tile(points, points.size), np.repeat(points, points.size)
    count, weight, columns = np.zeros((a.size, n, order.size)), np.ones(a.size), np.full(n, -1)
    columns[order - 1] = np.arange(order.size)
    with thread_pool() as share_out:
        for block in iterate_blocks(array, across=True):
            cells = cells_of(block)

            def add(part: slice, cells: np.ndarray = cells) -> None:
                tally_ranks(cells, a[part], b[part], weight[part], columns, count[part])

            share_out(add, a.size)
    values = count.reshape(shape).transpose(2, 3, 1, 0) / Batches.of(array).number
    coords = {"entity": array["entity"].values, "rank": order, "b": points, "a": points}
    return place_maps(
        xr.DataArray(values, coords, ("entity", "rank", "b", "a"), name="rank_probability"), window
    )


@check_call
def robustness(
    source: Container, resolution: int = 101, *, kind: str | None = None
) -> xr.DataArray:
    """Return the distance that the preference can move in any direction before the order of the entities changes.

    Source: Piérard et al., The Tile, Section 4.2 (robust orders hold under small changes of the
    preference).

    Parameters
    ----------
    source, kind
        As for :func:`frontier`, with its errors.
    resolution
        As for :func:`value`.

    Returns
    -------
    xarray.DataArray
        Radius (b, a): the exact distance to the nearest point of the Tile where two entities tie;
        infinite if none do. Pairs that tie everywhere are ignored. An undefined score (0/0) counts
        as a tie, as in :func:`frontier`.

    Examples
    --------
    >>> counts = br.from_counts(tn=[8, 8], fp=[1, 3], fn=[3, 1], tp=[8, 8], entity=["a", "b"])
    >>> robustness(counts, resolution=3)[:, 0].values.tolist()  # they tie where b = 1/2
    [0.5, 0.0, 0.5]
    """
    from bayesrank.tile._distances import distances, frontiers

    cells, entities = point_cells(source, kind)
    points = axis(resolution, 8 + 2 * len(entities))
    radius = distances(*frontiers(cells), points)
    return xr.DataArray(radius, axes(resolution), ("b", "a"), "robustness")
