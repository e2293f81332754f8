"""Arrays of names and labels, without conversion; the positive one of two classes."""

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
import pandas as pd

from bayesrank._errors import ArgumentError


def object_array(values: Any) -> np.ndarray:
    """Return an object array of a sequence's items; nested sequences stay whole."""
    if hasattr(values, "__array__") or isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        return np.asarray(values, dtype=object)
    items = list(values)
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def factorize(names: Any) -> tuple[np.ndarray, list]:
    """Return the position of each name among the distinct ones, and these in the order of their first occurrence."""
    codes, found = pd.factorize(object_array(names))
    return codes, found.tolist()


def find_repeat(keys: Iterable[Any]) -> tuple[int, int] | None:
    """Return the positions of the first key that occurred before, and of the key that it repeats."""
    first: dict[Any, int] = {}
    for i, key in enumerate(keys):
        if first.setdefault(key, i) != i:
            return i, first[key]
    return None


def ordered_categories(column: Any) -> list | None:
    """Return the categories of a categorical Series or Categorical, else None."""
    dtype = getattr(column, "dtype", None)
    return list(dtype.categories) if isinstance(dtype, pd.CategoricalDtype) else None


def is_ordered(column: Any) -> bool:
    """Return whether a Series or Categorical has ordered categories (``ordered=True``)."""
    dtype = getattr(column, "dtype", None)
    return isinstance(dtype, pd.CategoricalDtype) and bool(dtype.ordered)


def unique_rows(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the sorted unique rows, and the index of each row among them.

    The result is that of :func:`numpy.unique` along an axis; pandas is up to 20 times faster.
    """
    # Indices of the platform: those of pandas have 64 bits everywhere.
    which = pd.DataFrame(rows).groupby(list(range(rows.shape[1]))).ngroup().to_numpy(np.intp)
    return rows[np.unique(which, return_index=True)[1]], which


def name_coord(names: list) -> np.ndarray:
    """Return names as a coord, with a NumPy type if it keeps every name unchanged, else as objects."""
    array = np.asarray(names)
    plain = array.ndim == 1 and array.tolist() == names and len({type(n) for n in names}) == 1
    return array if plain else object_array(names)


#: Standard pairs of labels: (negative, positive), in lower case.
STANDING_PAIRS = (("0", "1"), ("-1", "1"), ("false", "true"), ("negative", "positive"), ("no", "yes"))


def standing_pair(labels: Any) -> tuple[Any, Any] | None:
    """Return two labels as (negative, positive) if they are a standard pair, in any case; else None."""
    found = {_pair_key(label): label for label in labels}
    for negative, positive in STANDING_PAIRS:
        if set(found) == {negative, positive} and len(list(labels)) == 2:
            return found[negative], found[positive]
    return None


def _pair_key(label: Any) -> str:
    """Return the label as the standard pairs spell it: "1" for both 1.0 and "1"."""
    if isinstance(label, str):
        return label.strip().lower()
    number = isinstance(label, int | float | np.number) and not isinstance(label, bool)
    return str(int(label)) if number and np.isfinite(label) and label == int(label) else str(label).lower()


def arrange_classes(classes: list, positive: Any = None, ordered: bool = False) -> tuple[list, Any]:
    """Order two classes as negative, positive; return them and the positive class, None if unknown.

    ``positive`` is the positive class or its text. If the classes are ``ordered``, the user gave the negative one
    first.
    """
    if positive is not None:
        if len(classes) != 2:
            raise ArgumentError("positive", f"must be left out for {len(classes)} classes", f"{positive!r}")
        chosen = _find_label(positive, classes)
        return [label for label in classes if label != chosen] + [chosen], chosen
    pair = standing_pair(classes) if len(classes) == 2 else None
    if pair is not None:
        return list(pair), pair[1]
    return classes, classes[1] if ordered and len(classes) == 2 else None


def check_order(labels: Any) -> None:
    """Raise an error if ordered labels of the user contradict a standard pair."""
    given = list(labels)
    pair = standing_pair(given) if len(given) == 2 else None
    if pair is not None and list(pair) != given:
        raise ArgumentError(
            "labels",
            f"must have the negative class first, {list(pair)}",
            given,
            f"positive={given[1]!r} makes {given[1]!r} the positive class",
        )


def _find_label(positive: Any, classes: list) -> Any:
    hashable = isinstance(positive, Hashable)  # arrays would compare item by item
    same = [label for label in classes if label is positive or (hashable and label == positive)]
    same = same or [label for label in classes if str(label).strip().lower() == str(positive).strip().lower()]
    if len(same) != 1:
        held = " ".join(repr(positive).split())
        raise ArgumentError("positive", f"must be one of the classes {classes}", f"{held[:80]}")
    return same[0]


def has_positive_class(array: Any) -> bool:
    """Return whether the positive class of two-class counts or performances is known, or labels are absent."""
    if array.sizes.get("actual") != 2 or "actual" not in array.coords:
        return True
    return (
        positive_label(array) is not None or standing_pair(array.coords.variables["actual"].values.tolist()) is not None
    )


def positive_label(source: Any) -> Any:
    """Return the positive class in the coord ``positive``; None without one."""
    named = source.coords.variables.get("positive")
    return None if named is None or named.ndim else named.item()


def known_classes(source: Any) -> tuple[Any, Any] | None:
    """Return the negative and positive class of counts, performances or joint outcomes; None if unknown."""
    dim = "label" if "label" in source.coords and "actual" not in source.dims else "actual"
    if dim not in source.coords or source.sizes.get(dim) != 2:
        return None
    labels = source[dim].values.tolist()
    positive = positive_label(source)
    if positive in labels:
        return next(label for label in labels if label != positive), positive
    return standing_pair(labels)


def check_positive(array: Any, what: str) -> None:
    """Raise an error if ``what`` needs a positive class and that of ``array`` is unknown."""
    if has_positive_class(array):
        return
    first, second = array["actual"].values.tolist()
    raise ArgumentError(
        "positive",
        f"must name the positive class for {what}, which changes when the classes are swapped",
        f"{first!r} and {second!r}",
        f"pass positive={second!r} or positive={first!r} when the labels are read) (or, in Python, "
        f"array.assign_coords(positive={second!r})",
    )
