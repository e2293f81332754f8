"""Shared helpers of the Tile: axes, cells, the two parts of a canonical score, and windows."""

from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.checks import check_integer
from bayesrank._core.checks import check_window as checked_window
from bayesrank._core.draws import DrawBlock, check_size, draw_dims
from bayesrank._core.errors import ArgumentError
from bayesrank._core.memory import check_memory
from bayesrank.performance.arrays import name_entities, two_class_cells, two_class_performance
from bayesrank.scores import Score

#: Relative difference of odds below which entities tie: rounding in the cells must not decide a
#: rank.
TOLERANCE = 1e-12


def axis(resolution: int, maps: int = 2) -> np.ndarray:
    """Return ``resolution`` points from 0 to 1, ends included; raise if ``maps`` maps exceed the memory."""
    size = check_integer("resolution", resolution, 2)
    check_memory(
        "resolution must be lower",
        f"{maps} maps of {size} x {size} points",
        (maps, size, size),
        str(size),
    )
    return np.linspace(0.0, 1.0, size)


def tables_of(array: xr.DataArray) -> int:
    """Return the number of tables in a performance, or in a block of a lazy one."""
    sizes = (
        dict(array.sizes)
        if array.chunks is None
        else {d: max(n) for d, n in array.chunksizes.items()}
    )
    return max(prod(n for dim, n in sizes.items() if dim not in ("actual", "predicted")), 1)


def canonical_cells(array: xr.DataArray, points: np.ndarray) -> xr.Variable:
    """Return all canonical scores (..., b, a) of performances, unlabelled, as labels cost more than small maps."""
    table = array.variable.transpose("actual", "predicted", ...)
    tn, fp, fn, tp = (table.data[i, j, ..., None, None] for i in (0, 1) for j in (0, 1))
    return xr.Variable(
        (*table.dims[2:], "b", "a"), ratio(*parts(tn, fp, fn, tp, points, points[:, None]))
    )


def label_map(
    scores: xr.Variable, like: xr.DataArray, points: np.ndarray, name: str
) -> xr.DataArray:
    """Return a map with the axes and those coords of ``like`` that fit its dims."""
    gone = {dim: 0 for dim in like.dims if dim not in scores.dims}
    coords = like.isel(gone, drop=True).coords.merge(axes(points.size)).coords
    return xr.DataArray(scores.data, coords, scores.dims, name, like.attrs)


@lru_cache(maxsize=8)
def axes(resolution: int) -> xr.Coordinates:
    """Return the coordinates b and a."""
    points = axis(resolution)
    return xr.Coordinates({"b": points, "a": points})


def parts(tn: Any, fp: Any, fn: Any, tp: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """Return s(a) = (1-a) tn + a tp and u(b) = (1-b) fp + b fn: the canonical score is s / (s + u)."""
    return (1 - a) * tn + a * tp, (1 - b) * fp + b * fn


def gain_at_corners(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return s u' - s' u of pairs (cell, pair) at (a, b) = (0, 0), (1, 0), (0, 1), (1, 1), as (pair, corner).

    It is positive where the first entity is ahead, and linear along each axis; differences by
    rounding alone are 0.
    """
    gain, loss = (
        first[[0, 3, 0, 3]] * second[[1, 1, 2, 2]],
        second[[0, 3, 0, 3]] * first[[1, 1, 2, 2]],
    )
    return np.where(np.abs(gain - loss) <= TOLERANCE * np.maximum(gain, loss), 0.0, gain - loss).T


def ratio(part: Any, rest: Any) -> Any:
    """Return part / (part + rest) of bare or lazy arrays, NaN where both are 0."""
    full = part + rest
    full[full <= 0] = np.nan
    return part / full


def two_class(source: Any, kind: str | None, dim: str | None = None) -> xr.DataArray:
    """Return the two-class performance; allow only the dims of draws, entities and outcomes, and ``dim``."""
    return two_class_performance(source, kind, "the Tile", dim)


def with_entity(source: Any, kind: str | None, dim: str | None = None) -> xr.DataArray:
    """Return the two-class performance, with a dim ``entity`` even for one entity."""
    return name_entities(two_class(source, kind, dim))


def zoom(
    source: Any, kind: str | None, window: Any, dim: str | None = None
) -> tuple[Any, str | None]:
    """Return a source whose full Tile is the window of the Tile of ``source``, and its kind.

    s is linear in a and u in b, so their values at the ends of the window replace the four cells,
    divided by their sum.
    """
    if window is None:
        return source, kind
    array = two_class(source, kind, dim)
    west, east, low, high = checked_window("window", window)
    (tn, fp), (fn, tp) = (
        [array.isel(actual=i, predicted=j, drop=True) for j in (0, 1)] for i in (0, 1)
    )
    s = [(1 - end) * tn + end * tp for end in (west, east)]
    u = [(1 - end) * fp + end * fn for end in (low, high)]
    rows = [xr.concat(row, "predicted") for row in ((s[0], u[0]), (u[1], s[1]))]
    table = xr.concat(rows, "actual").transpose(*array.dims)
    return (table / table.sum(["actual", "predicted"], skipna=False)).rename("performance"), None


def place_maps(result: Any, window: Any) -> Any:
    """Label maps over a full, zoomed Tile with the positions of the window."""
    if window is None:
        return result
    west, east, low, high = edges = checked_window("window", window)
    for axis_name, start, end in (("a", west, east), ("b", low, high)):
        result = result.assign_coords({axis_name: start + (end - start) * result[axis_name]})
    return result.assign_attrs(window=list(edges))


def on_the_tile(array: xr.DataArray) -> xr.DataArray:
    """Return two-class performances of draws and entities for reducers; raise if there are none."""
    check_size(array)
    return array.transpose(*draw_dims(array), "actual", "predicted", "entity")


def point_cells(source: Any, kind: str | None) -> tuple[np.ndarray, list]:
    """Return the cells (4, entity) of performances without draws, and the names."""
    array = with_entity(source, kind)
    if draw_dims(array):
        raise ArgumentError(
            "source",
            "must contain no draws",
            f"dims {array.dims}",
            "br.tile.credible takes a posterior",
        )
    cells = on_the_tile(array).values.reshape(4, -1)
    return np.ascontiguousarray(cells, dtype=np.float64), array["entity"].values.tolist()


def cells_of(block: DrawBlock) -> np.ndarray:
    """Return the cells (draws, 4, entity) of a block of performances, contiguous."""
    draws, *_, entities = block.values.shape
    return np.ascontiguousarray(block.values.reshape(draws, 4, entities), dtype=np.float64)


def score_cells(array: xr.DataArray, score: Score) -> xr.DataArray:
    """Return a score and the four cells of two-class performances, (draws, rest, part), lazy if the source is.

    ``rest`` stacks all dims except those of draws and the outcome; there is at least one draw.
    """
    along = draw_dims(array)
    rest = [dim for dim in array.dims if dim not in (*along, "actual", "predicted")]
    parts = [
        part.drop_vars(part.coords) for part in (score(array), *two_class_cells(array).values())
    ]
    table = xr.concat([part.transpose(*along, *rest) for part in parts], "part")
    table = table.stack(rest=rest, create_index=False) if rest else table.expand_dims("rest")
    return table.transpose(*along, "rest", "part")


def area_weights(resolution: int) -> xr.DataArray:
    """Return the area of each grid point, with half cells on the borders; the areas sum to 1."""
    side = np.full(resolution, 1.0 / (resolution - 1))
    side[[0, -1]] /= 2
    return xr.DataArray(np.outer(side, side), axes(resolution), ("b", "a"))
