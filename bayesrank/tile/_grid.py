"""What the Tile's functions share: the axes, the cells, the two halves of the separable score, the draws."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._arguments import whole
from bayesrank.performance import DRAW_DIMS, as_performance, draw_dims, only_two_classes, two_class_cells

CELLS = ("tn", "fp", "fn", "tp")
#: Batches of draws, for errors from their means.
BATCHES = 32


def axis(resolution: int) -> np.ndarray:
    """``resolution`` points from 0 to 1, both included."""
    return np.linspace(0.0, 1.0, whole("resolution", resolution, 2))  # both ends of each axis, at least


def canonical(array: xr.DataArray, points: np.ndarray) -> xr.Variable:
    """All canonical scores (..., b, a) of performances, not labelled yet, since labels cost more than small maps do."""
    only_two_classes(array)
    table = array.variable.transpose("actual", "predicted", ...)
    tn, fp, fn, tp = (table.data[i, j, ..., None, None] for i in (0, 1) for j in (0, 1))
    return xr.Variable((*table.dims[2:], "b", "a"), ratio(*parts(tn, fp, fn, tp, points, points[:, None])))


def labelled(scores: xr.Variable, like: xr.DataArray, points: np.ndarray, name: str) -> xr.DataArray:
    """A map with the axes and whatever other coords of ``like`` fit its dims."""
    gone = {dim: 0 for dim in like.dims if dim not in scores.dims}
    coords = like.isel(gone, drop=True).coords.merge(axes(points.size)).coords
    return xr.DataArray(scores.data, coords, scores.dims, name, like.attrs)


@lru_cache(maxsize=8)
def axes(resolution: int) -> xr.Coordinates:
    """The coordinates b and a."""
    points = axis(resolution)
    return xr.Coordinates({"b": points, "a": points})


def parts(tn: Any, fp: Any, fn: Any, tp: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """s(a) = (1-a) tn + a tp and u(b) = (1-b) fp + b fn: the canonical score is s / (s + u). For any kind of array."""
    return (1 - a) * tn + a * tp, (1 - b) * fp + b * fn


def ratio(part: Any, rest: Any) -> Any:
    """part / (part + rest) of bare arrays, be they lazy, undefined where both are 0."""
    whole = part + rest
    whole[whole <= 0] = np.nan
    return part / whole


def halves(source: Any, a: Any, b: Any) -> tuple[xr.DataArray, xr.DataArray]:
    """s(a) and u(b), labelled."""
    return parts(**two_class_cells(as_performance(source)), a=a, b=b)


def quotient(part: xr.DataArray, rest: xr.DataArray) -> xr.DataArray:
    """part / (part + rest), labelled, with the dims b and a last."""
    value = xr.apply_ufunc(ratio, part, rest, dask="allowed", keep_attrs=True)
    last = [dim for dim in ("b", "a") if dim in value.dims]
    return value.transpose(..., *last)


def with_entity(source: Any) -> xr.DataArray:
    """The performance, with a dim ``entity`` even if it holds one entity alone."""
    array = as_performance(source)
    if "entity" not in array.dims:
        name = array["entity"].item() if "entity" in array.coords else "entity 1"
        array = array.drop_vars("entity", errors="ignore").expand_dims(entity=[name])
    if "entity" not in array.coords:
        array = array.assign_coords(entity=[f"entity {i + 1}" for i in range(array.sizes["entity"])])
    return array


def only_draws_and_entities(array: xr.DataArray, extra: tuple[str, ...] = ()) -> None:
    """Raise unless the performance has no dims beside draws and entities."""
    other = set(array.dims) - {*DRAW_DIMS, *extra, "entity", "actual", "predicted"}
    if other:
        raise ValueError(
            f"source must have no dims beside draws, entity, actual and predicted; got {sorted(map(str, other))} "
            "(select one, or br.pool(counts) before fitting)"
        )


def not_empty(array: xr.DataArray) -> None:
    """Raise unless there is an entity and a draw."""
    if not array.size:
        raise ValueError(f"source must hold at least one entity and one draw; got the sizes {dict(array.sizes)}")


def batches(array: xr.DataArray, most: int = BATCHES) -> Iterator[np.ndarray]:
    """The cells, (draws, 4, entity) and contiguous, in at most ``most`` batches of consecutive draws.

    A Dask-backed performance is loaded one batch at a time, in many batches, so that it need not fit into memory.
    """
    two_class_cells(array)
    not_empty(array)
    dims = draw_dims(array)
    along = [name for name, coord in array.coords.items() if set(coord.dims) & set(dims)]
    array = array.drop_vars(along).transpose(*dims, "actual", "predicted", "entity")
    sizes = [array.sizes[dim] for dim in dims]
    total = int(np.prod(sizes))
    if array.chunks is None:
        flat = array.values.reshape(total, 4, array.sizes["entity"])
        for part in np.array_split(np.arange(total), min(most, total)):
            yield np.ascontiguousarray(flat[part[0] : part[-1] + 1], dtype=np.float64)
        return
    stacked = array.stack(_all=dims, create_index=False) if dims else array.expand_dims("_all")
    stacked = stacked.transpose("_all", "actual", "predicted", "entity")
    for part in np.array_split(np.arange(total), min(BATCHES, total)):
        block = stacked.isel(_all=slice(part[0], part[-1] + 1)).values
        yield np.ascontiguousarray(block.reshape(len(part), 4, -1), dtype=np.float64)


def workers() -> int:
    return min(os.cpu_count() or 1, 8)


def threaded(function: Callable[[np.ndarray], Any], blocks: Iterator[np.ndarray]) -> Iterator[Any]:
    """The results in order, so that sums do not depend on the threads; a few blocks in memory at a time."""
    with ThreadPoolExecutor(workers()) as pool:
        window = []
        for block in blocks:
            window.append(pool.submit(function, block))
            if len(window) >= workers():
                yield window.pop(0).result()
        for job in window:
            yield job.result()


def area_weights(resolution: int) -> xr.DataArray:
    """The area of the Tile that each grid point stands for (half cells on the borders); they sum to 1."""
    side = np.full(resolution, 1.0 / (resolution - 1))
    side[[0, -1]] /= 2
    points = axis(resolution)
    return xr.DataArray(np.outer(side, side), {"b": points, "a": points}, ("b", "a"))
