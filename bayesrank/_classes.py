"""The order of classes: arrays with class labels are put in order by label, and are never read by position."""

from typing import Any, TypeVar

import numpy as np
import xarray as xr

from bayesrank._checks import unique_names

__all__ = ["is_standing_pair", "order_classes", "standing_order"]

DIMS = ("actual", "predicted")
#: Pairs of labels whose order needs no explanation, the negative class first.
STANDING_PAIRS = (("0", "1"), ("-1", "1"), ("false", "true"), ("negative", "positive"), ("no", "yes"))

Labelled = TypeVar("Labelled", xr.DataArray, xr.Dataset)


def standing_order(labels: list[Any]) -> list[Any]:
    """The labels with the negative class first if they are a standing pair, else as they are.

    Examples
    --------
    >>> standing_order(["Yes", "No"]), standing_order([1, -1]), standing_order(["cancer", "healthy"])
    (['No', 'Yes'], [-1, 1], ['cancer', 'healthy'])
    """
    return labels[::-1] if tuple(map(_plain, labels[::-1])) in STANDING_PAIRS else labels


def is_standing_pair(labels: list[Any]) -> bool:
    """Whether these are two labels of which one is the positive class by convention.

    Examples
    --------
    >>> is_standing_pair([True, False]), is_standing_pair(["cancer", "healthy"])
    (True, False)
    """
    return tuple(map(_plain, standing_order(labels))) in STANDING_PAIRS


def order_classes(array: Labelled, argument: str = "source") -> Labelled:
    """Put ``actual`` and ``predicted`` in the same order by label.

    The order is that of ``actual``; of a standing pair (no and yes, 0 and 1, ...) the negative class comes first.
    An axis without labels keeps its positions.

    Raises
    ------
    ValueError
        If a label occurs twice on an axis, the labels of ``predicted`` are not those of ``actual``, or one axis would
        have to be reordered and the other has no labels.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=80, fp=1, fn=3, tp=27)
    >>> order_classes(counts.isel(predicted=[1, 0])).values.tolist()
    [[[80, 1], [3, 27]]]
    """
    labels = {dim: array[dim].values.tolist() for dim in DIMS if dim in array.dims and dim in array.coords}
    if not labels:
        return array
    for dim, names in labels.items():
        unique_names(f"{argument} on {dim}", names)
    wanted = standing_order(labels.get("actual", labels.get("predicted", [])))
    if len(labels) == 2 and set(labels["predicted"]) != set(wanted):
        raise ValueError(
            f"{argument} must have the same classes on actual and predicted; "
            f"got {_short(labels['actual'])} and {_short(labels['predicted'])}"
        )
    moved = {dim: [names.index(name) for name in wanted] for dim, names in labels.items() if names != wanted}
    bare = [dim for dim in DIMS if dim in array.dims and dim not in labels]
    if moved and bare:
        raise ValueError(
            f"{argument} must have labels on {bare[0]}, too, since the classes {_short(wanted)} are in another order "
            f"on {next(iter(moved))}; got none"
        )
    return _in_plain_order(array.isel(moved)) if moved else array


def _in_plain_order(array: Labelled) -> Labelled:
    """The same in C order in memory: the last bit of a sum depends on it, and equal evidence gives equal numbers."""
    if isinstance(array, xr.Dataset):
        return array.assign({name: _in_plain_order(each) for name, each in array.data_vars.items()})
    return array.copy(data=np.ascontiguousarray(array.data)) if isinstance(array.data, np.ndarray) else array


def _plain(label: Any) -> str:
    """A label as it is compared: True, "true" and "TRUE" are one, and so are 1, 1.0 and "1"."""
    if isinstance(label, int | float | np.number) and not isinstance(label, bool):
        return f"{label:g}"
    return str(label).strip().casefold()


def _short(labels: list[Any]) -> str:
    held = repr(labels)
    return held if len(held) <= 80 else held[:77] + "..."
