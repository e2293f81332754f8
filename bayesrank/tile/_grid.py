"""What the Tile's functions share: the axes, the cells, the two halves of the separable score, the draws."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import xarray as xr

from bayesrank.performance import as_performance, two_class_cells

DRAWS = ("chain", "draw", "sample")
CELLS = ("tn", "fp", "fn", "tp")


def axis(resolution: int) -> np.ndarray:
    """``resolution`` points from 0 to 1, both included."""
    if isinstance(resolution, bool) or not isinstance(resolution, int | np.integer):
        raise TypeError(f"resolution must be a whole number; got {resolution!r}")
    if resolution < 2:
        raise ValueError(f"resolution must be at least 2, to hold both ends of each axis; got {resolution}")
    return np.linspace(0.0, 1.0, int(resolution))


def axes(resolution: int) -> tuple[xr.DataArray, xr.DataArray]:
    """The coordinates a and b as labelled arrays."""
    points = axis(resolution)
    return xr.DataArray(points, {"a": points}, "a"), xr.DataArray(points, {"b": points}, "b")


def halves(source: Any, a: Any, b: Any) -> tuple[xr.DataArray, xr.DataArray]:
    """s(a) = (1-a) tn + a tp and u(b) = (1-b) fp + b fn: the canonical score is s / (s + u)."""
    tn, fp, fn, tp = two_class_cells(as_performance(source)).values()
    return (1 - a) * tn + a * tp, (1 - b) * fp + b * fn


def quotient(part: xr.DataArray, rest: xr.DataArray) -> xr.DataArray:
    """part / (part + rest), undefined where both are 0, with the dims b and a last."""
    whole = part + rest
    value = part / whole.where(whole > 0)
    last = [dim for dim in ("b", "a") if dim in value.dims]
    return value.transpose(..., *last)


def with_entity(source: Any) -> xr.DataArray:
    """The performance, with a dim ``entity`` even if it holds one entity alone."""
    array = as_performance(source)
    if "entity" not in array.dims:
        array = array.drop_vars("entity", errors="ignore").expand_dims(entity=["entity 1"])
    if "entity" not in array.coords:
        array = array.assign_coords(entity=[f"entity {i + 1}" for i in range(array.sizes["entity"])])
    return array


def draw_dims(array: xr.DataArray) -> list[str]:
    return [dim for dim in DRAWS if dim in array.dims]


def only_draws_and_entities(array: xr.DataArray, extra: tuple[str, ...] = ()) -> None:
    """Raise unless the performance has no dims beside draws and entities."""
    other = set(array.dims) - {*DRAWS, *extra, "entity", "actual", "predicted"}
    if other:
        raise ValueError(
            f"source must have no dims beside draws, entity, actual and predicted; got {sorted(map(str, other))} "
            "(select one, or pool with br.as_performance(source, kind='pooled'))"
        )


def batches(array: xr.DataArray, most: int = 32) -> Iterator[np.ndarray]:
    """The cells, (draws, 4, entity) and contiguous, in at most ``most`` batches of consecutive draws.

    A Dask-backed performance is loaded one batch at a time.
    """
    two_class_cells(array)
    dims = draw_dims(array)
    array = array.drop_vars(dims, errors="ignore").transpose(*dims, "actual", "predicted", "entity")
    sizes = [array.sizes[dim] for dim in dims]
    total = int(np.prod(sizes))
    if array.chunks is None:
        flat = array.values.reshape(total, 4, array.sizes["entity"])
        for part in np.array_split(np.arange(total), min(most, total)):
            yield np.ascontiguousarray(flat[part[0] : part[-1] + 1], dtype=np.float64)
        return
    stacked = array.stack(_all=dims, create_index=False) if dims else array.expand_dims("_all")
    stacked = stacked.transpose("_all", "actual", "predicted", "entity")
    for part in np.array_split(np.arange(total), min(most, total)):
        block = stacked.isel(_all=slice(part[0], part[-1] + 1)).values
        yield np.ascontiguousarray(block.reshape(len(part), 4, -1), dtype=np.float64)


def area_weights(resolution: int) -> xr.DataArray:
    """The area of the Tile that each grid point stands for (half cells on the borders); they sum to 1."""
    side = np.full(resolution, 1.0 / (resolution - 1))
    side[[0, -1]] /= 2
    points = axis(resolution)
    return xr.DataArray(np.outer(side, side), {"b": points, "a": points}, ("b", "a"))
