"""The order of classes: arrays with class labels are ordered by label, never by position."""

from typing import Any, TypeVar

import numpy as np
import xarray as xr

from bayesrank._core.checks import check_unique
from bayesrank._core.errors import ArgumentError
from bayesrank._core.labels import arrange_classes, positive_label

DIMS = ("actual", "predicted")
#: The outcomes of two classes, the negative class first.
CELLS = ("tn", "fp", "fn", "tp")

Labelled = TypeVar("Labelled", xr.DataArray, xr.Dataset)


def by_class(array: Any) -> Any:
    """Return an array over the outcomes tn, fp, fn and tp as one over two classes; other arrays are unchanged."""
    if (
        not isinstance(array, xr.DataArray)
        or "outcome" not in array.dims
        or "outcome" not in array.coords
    ):
        return array
    named = [str(label).lower() for label in array["outcome"].values.tolist()]
    if sorted(named) != sorted(CELLS):
        return array
    cells = array.transpose(..., "outcome").isel(outcome=[named.index(cell) for cell in CELLS])
    coords = {name: held for name, held in cells.coords.items() if "outcome" not in held.dims}
    data = cells.data.reshape(*cells.shape[:-1], 2, 2)
    classes = {dim: ["negative", "positive"] for dim in DIMS}
    return xr.DataArray(
        data, {**coords, **classes}, (*cells.dims[:-1], *DIMS), cells.name, cells.attrs
    )


def order_classes(array: Labelled, argument: str = "source") -> Labelled:
    """Put ``actual`` and ``predicted`` in the same order by label.

    The order is that of ``actual``. Of two classes the positive one comes last: the one that the
    coord ``positive`` names, or that of a standing pair (no and yes, 0 and 1, ...). An axis without
    labels keeps its positions. The outcomes tn, fp, fn and tp become two classes.
    """
    array = by_class(array)
    named = array.coords.variables  # arrays of coords would copy all others
    labels = {dim: named[dim].values.tolist() for dim in DIMS if dim in array.dims and dim in named}
    if not labels:
        return array
    for dim, names in labels.items():
        check_unique(f"{argument} on {dim}", names)
    classes, positive = labels.get("actual", labels.get("predicted", [])), positive_label(array)
    requested, _ = arrange_classes(
        classes, positive if len(classes) == 2 and positive in classes else None
    )
    if len(labels) == 2 and set(labels["predicted"]) != set(requested):
        raise ArgumentError(
            argument,
            "must have the same classes on actual and predicted",
            f"{_short(labels['actual'])} and {_short(labels['predicted'])}",
        )
    moved = {
        dim: [names.index(name) for name in requested]
        for dim, names in labels.items()
        if names != requested
    }
    bare = [dim for dim in DIMS if dim in array.dims and dim not in labels]
    if moved and bare:
        raise ArgumentError(
            argument,
            f"must have labels on {bare[0]} too: on {next(iter(moved))} they are in another order than "
            f"{_short(requested)}",
            "none",
        )
    return _in_plain_order(array.isel(moved)) if moved else array


def _in_plain_order(array: Labelled) -> Labelled:
    """Return a copy in C order: the last bit of a sum depends on the memory layout."""
    if isinstance(array, xr.Dataset):
        return array.assign({name: _in_plain_order(each) for name, each in array.data_vars.items()})
    return (
        array.copy(data=np.ascontiguousarray(array.data))
        if isinstance(array.data, np.ndarray)
        else array
    )


def _short(labels: list[Any]) -> str:
    text = repr(labels)
    return text if len(text) <= 80 else text[:77] + "..."
