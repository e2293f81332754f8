"""Every check of an argument: what is not what it should be is refused by name, and nothing is coerced in silence.

First numbers, then the names, labels and classes that evidence is made of.
"""

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr


def number(argument: str, value: Any, low: float = -np.inf, high: float = np.inf, *, ends: bool = True) -> float:
    """One real number from ``low`` to ``high``, without ``ends`` strictly between them."""
    if not is_number(value):
        raise TypeError(f"{argument} must be a number; got {in_words(value)}")
    if not (low <= value <= high if ends else low < value < high):
        raise ValueError(f"{argument} must {_within(low, high, ends)}; got {value}")
    return float(value)


def credibility(argument: str, value: Any) -> float:
    """One number strictly between 0 and 1."""
    return number(argument, value, 0.0, 1.0, ends=False)


def whole(argument: str, value: Any, least: int = 0) -> int:
    """One whole number, ``least`` or more."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{argument} must be a whole number; got {in_words(value)}")
    if value < least:
        raise ValueError(f"{argument} must be at least {least}; got {value}")
    return int(value)


def numbers(argument: str, values: Any) -> np.ndarray:
    """Real numbers in an array of any shape, as floats."""
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        raise ValueError(f"{argument} must hold numbers in a regular array; got {in_words(values)}") from None
    if array.dtype == object and all(is_number(item) for item in array.ravel()):
        array = array.astype(float)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{argument} must hold numbers; got {in_words(values)}")
    return array.astype(float)


def labelled_numbers(argument: str, values: xr.DataArray) -> xr.DataArray:
    """The same of a DataArray, which may be lazy."""
    if values.dtype.kind not in "iuf":
        raise TypeError(f"{argument} must hold numbers; got dtype {values.dtype}")
    return values.astype(float)


def units(**numbers: Any) -> None:
    """Raise unless all are numbers, or arrays of numbers, between 0 and 1."""
    for argument, number in numbers.items():
        if isinstance(number, bool) or not isinstance(number, Real | np.ndarray | xr.DataArray):
            raise TypeError(f"{argument} must be a number between 0 and 1, or an array; got {number!r}")
        values = np.asarray(number)
        if values.dtype.kind not in "iuf":
            raise TypeError(f"{argument} must hold numbers between 0 and 1; got {values.dtype} values")
        outside = values[~((values >= 0) & (values <= 1))]
        if outside.size:
            raise ValueError(f"{argument} must lie between 0 and 1; got {outside.flat[0]}")


def labelled_units(**numbers: Any) -> tuple[xr.DataArray, ...]:
    """Numbers between 0 and 1 as labelled arrays that fit together."""
    units(**numbers)
    for argument, number in numbers.items():
        if np.ndim(number) and not isinstance(number, xr.DataArray):
            raise TypeError(f"{argument} must be a number, or a DataArray, whose dims have names; got a plain array")
    return xr.broadcast(*(xr.DataArray(number) if np.ndim(number) == 0 else number for number in numbers.values()))


def whole_numbers(argument: str, values: Any) -> np.ndarray:
    """Non-negative whole numbers as int64; anything else is refused, never rounded."""
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        raise ValueError(f"{argument} must hold whole numbers in a regular array; got {in_words(values)}") from None
    if array.dtype == bool or array.dtype.kind not in "iuf":
        if array.dtype.kind != "O" or not all(is_number(v) for v in array.ravel()):
            raise TypeError(f"{argument} must hold whole numbers; got {in_words(values)}")
        array = array.astype(float)
    bad = ~np.isfinite(array) | (array < 0) | (array != np.floor(array)) | (array > 2**53)
    if bad.any():
        raise ValueError(
            f"{argument} must hold non-negative whole numbers (counts, not rates); got {array[bad].ravel()[0]}"
        )
    return array.astype(np.int64)


def is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool | np.bool_)


def item_names(argument: str, names: Any, size: int, broadcast: bool = False) -> list:
    """One name for each of ``size`` items; a single name stands for one item, or for all with ``broadcast``."""
    single = isinstance(names, str | bytes) or not hasattr(names, "__iter__")
    found = [names] * (size if broadcast else 1) if single else object_array(names).tolist()
    if len(found) != size:
        raise ValueError(f"{argument} must hold {size} name{'s' * (size != 1)}; got {len(found)}")
    check_names(argument, found)
    for name in found:
        if pd.isna(name):
            raise ValueError(f"{argument} must name every item; got {name!r}")
    return found


def object_array(values: Any) -> np.ndarray:
    """A sequence's items as they are; a nested one is not taken apart."""
    if hasattr(values, "__array__") or isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        return np.asarray(values, dtype=object)
    items = list(values)
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def check_names(argument: str, names: list) -> None:
    """Names are single things: a tuple or a list would make a coord of several levels, or none."""
    for name in names:
        if isinstance(name, tuple | list | set | dict | np.ndarray):
            raise TypeError(f"{argument} must hold strings, numbers or other single names; got {name!r}")


def unique_names(argument: str, names: list) -> list:
    seen = set()
    for name in names:
        if name in seen:
            raise ValueError(f"{argument} must hold each name once; got {name!r} more than once")
        seen.add(name)
    return names


def case_labels(argument: str, values: Any) -> np.ndarray:
    # As objects: NumPy would turn a list like ["a", nan] into strings, and hide that a label is missing.
    array = np.asarray(values if hasattr(values, "__array__") else object_array(values))
    if array.dtype.kind not in "biufUS":
        array = array.astype(object)
    if array.ndim != 1 or not array.size:
        raise ValueError(f"{argument} must be a sequence of labels, one a case; got shape {array.shape}")
    if pd.isna(array).any():
        raise ValueError(f"{argument} must hold a label for every case; got a missing value")
    check_names(argument, array.tolist())
    return array


def class_labels(labels: Any) -> list:
    """The classes that a user names, in their order."""
    if isinstance(labels, str | bytes | Mapping | set | frozenset) or not hasattr(labels, "__iter__"):
        raise TypeError(f"labels must be a sequence of classes in order; got {in_words(labels)}")
    classes = object_array(labels).tolist()
    check_names("labels", classes)
    if any(pd.isna(name) for name in classes):
        raise ValueError(f"labels must name every class; got {classes}")
    return unique_names("labels", classes)


def all_classes(labels: Sequence[Any] | None, seen: Sequence[np.ndarray]) -> list:
    if labels is not None:
        classes = class_labels(labels)
    else:
        found = set().union(*(set(values.tolist()) for values in seen))
        try:
            classes = sorted(found)
        except TypeError:
            raise TypeError(f"labels must be given where labels do not sort; got {sorted(map(repr, found))}") from None
    if len(classes) < 2:
        raise ValueError(f"labels must name two or more classes; got {classes} (pass labels= to keep an absent one)")
    return classes


def ordered_categories(column: Any) -> list | None:
    """The categories of a Series or Categorical that has some."""
    dtype = getattr(column, "dtype", None)
    return list(dtype.categories) if isinstance(dtype, pd.CategoricalDtype) else None


def name_coord(names: list) -> np.ndarray:
    """Names as a coord: NumPy's own type where it keeps every name as it is, objects elsewhere."""
    array = np.asarray(names)
    if array.ndim == 1 and array.tolist() == names and len({type(n) for n in names}) == 1:
        return array
    out = np.empty(len(names), dtype=object)
    out[:] = names
    return out


def in_words(value: Any) -> str:
    if isinstance(value, xr.DataArray):
        return f"a DataArray with dims {value.dims}"
    return f"{type(value).__name__} {value!r}"[:80]


def _within(low: float, high: float, ends: bool) -> str:
    if low == -np.inf and high == np.inf:
        return "not be NaN"
    if high < np.inf:
        return f"lie between {low:g} and {high:g}" + ("" if ends else ", ends excluded")
    return f"be {'at least' if ends else 'above'} {low:g}"
