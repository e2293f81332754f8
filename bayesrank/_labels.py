"""Names, labels and rows of them as arrays, each as it is."""

from typing import Any

import numpy as np
import pandas as pd


def object_array(values: Any) -> np.ndarray:
    """A sequence's items as they are; a nested one is not taken apart."""
    if hasattr(values, "__array__") or isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        return np.asarray(values, dtype=object)
    items = list(values)
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def ordered_categories(column: Any) -> list | None:
    """The categories of a Series or Categorical that has some."""
    dtype = getattr(column, "dtype", None)
    return list(dtype.categories) if isinstance(dtype, pd.CategoricalDtype) else None


def unique_rows(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct rows of small non-negative integers, sorted, and which of them each row is.

    What :func:`numpy.unique` finds along an axis, by one number a row, which sorts many times faster.

    Examples
    --------
    >>> found, which = unique_rows(np.array([[1, 0], [0, 2], [1, 0]]))
    >>> found.tolist(), which.tolist()
    ([[0, 2], [1, 0]], [1, 0, 1])
    """
    key, numbers = np.zeros(len(rows), np.int64), 1
    for column in rows.T:
        base = int(column.max(initial=0)) + 1
        if numbers > 2**62 // base:
            key = np.unique(key, return_inverse=True)[1].ravel()
            numbers = int(key.max()) + 1
        key, numbers = key * base + column, numbers * base
    _, first, which = np.unique(key, return_index=True, return_inverse=True)
    return rows[first], which.ravel()


def name_coord(names: list) -> np.ndarray:
    """Names as a coord: NumPy's own type where it keeps every name as it is, objects elsewhere."""
    array = np.asarray(names)
    if array.ndim == 1 and array.tolist() == names and len({type(n) for n in names}) == 1:
        return array
    out = np.empty(len(names), dtype=object)
    out[:] = names
    return out
