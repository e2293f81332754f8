"""Arrays of names and labels, without conversion; the positive one of two classes."""

import os
from collections.abc import Hashable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.errors import Advice, ArgumentError, ArgumentKeyError, InPython, Typed

#: The coord that says which classes take part in averages over classes; without it, all do.
AVERAGED = "averaged"
#: The answer of more than two classes where an entity has none; it is no class.
NO_ANSWER = "(no answer)"

Selected = TypeVar("Selected", xr.DataArray, xr.Dataset)

#: The place of the actual class of each cell, and what happens to its cases.
CELL_WORDS = {
    "tn": (0, "cleared"),
    "fp": (0, "false alarm"),
    "fn": (1, "missed"),
    "tp": (1, "found"),
}


def index_of(values: Any, name: str | None = None) -> pd.Index:
    """Return a pandas Index; with pyarrow, text that is no UTF-8 (a lone surrogate) has no other type than object."""
    try:
        return pd.Index(values, name=name)
    except UnicodeEncodeError:
        return pd.Index(values, dtype=object, name=name)


def sum_except(array: xr.DataArray, *dims: Hashable) -> np.ndarray:
    """Return sums over all dims but some, which keep their order; NaN counts 0.

    NumPy takes a tenth of the time of a labelled sum, which matters for tables of a few counts.
    """
    over = tuple(i for i, dim in enumerate(array.dims) if dim not in dims)
    return np.asarray(np.nansum(array.values, axis=over))


def over_other_dims(
    array: xr.DataArray, dims: Iterable[Hashable], values: np.ndarray
) -> xr.DataArray:
    """Return ``values`` over the dims of an array except ``dims``, with the coords that remain.

    The coords keep their indexes: xarray would make them again, which takes longer than most
    computations on tables of a few counts.
    """
    removed = {*dims}
    named = array.coords.variables.items()
    variables = {name: coord for name, coord in named if removed.isdisjoint(coord.dims)}
    indexes = {name: index for name, index in array.xindexes.items() if name in variables}
    left = [dim for dim in array.dims if dim not in removed]
    return xr.DataArray(values, xr.Coordinates(variables, indexes), left, array.name)


def object_array(values: Any) -> np.ndarray:
    """Return an object array of a sequence's items; nested sequences stay whole."""
    if (
        hasattr(values, "__array__")
        or isinstance(values, str | bytes)
        or not hasattr(values, "__iter__")
    ):
        return np.asarray(values, dtype=object)
    items = list(values)
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def factorize(names: Any) -> tuple[np.ndarray, list]:
    """Return the position of each name among the distinct ones, and these in the order of their first occurrence."""
    codes, distinct = pd.factorize(object_array(names))
    return codes, distinct.tolist()


def factorize_rows(*columns: Any) -> np.ndarray:
    """Return the position of each row among the distinct ones, in the order of their first occurrence."""
    first, *rest = columns
    codes = factorize(first)[0]
    for column in rest:
        own, distinct = factorize(column)
        codes = pd.factorize(codes * len(distinct) + own)[0]
    return codes


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


#: The least similarity of names of which one is a misprint of the other.
NEAR = 0.7
#: Dims that name no entities.
OTHER_DIMS = {
    "chain",
    "draw",
    "sample",
    "dataset",
    "group",
    "actual",
    "predicted",
    "outcome",
    "case",
    "rank",
    "run",
}


def suggest_entity(dims: Iterable[Any], what: str = "source") -> str:
    """Return how to name the dim entity, if one other dim may be meant; else ""."""
    rest = [str(dim) for dim in dims if dim not in OTHER_DIMS]
    return (
        f"{what}.rename({rest[0]}='entity') names it"
        if len(rest) == 1 and rest[0].isidentifier()
        else ""
    )


def suggest_file(path: str) -> str:
    """Return the file of the same folder whose name is nearest to that of a path; else ""."""
    folder, file = os.path.split(path)
    files = os.listdir(folder or ".") if os.path.isdir(folder or ".") else []
    near = get_close_matches(file, files, n=1, cutoff=NEAR)
    return f"did you mean {os.path.join(folder, near[0])!r}?" if near else ""


def find_lookalike(name: Any, known: Iterable[Any]) -> str:
    """Return a hint at a known name that looks like another one, as "001" does like 1, or is spelled nearly so."""
    key, names = _look_of(name), list(known)
    alike = next((other for other in names if _look_of(other) == key and other is not name), None)
    if alike is None:
        texts = {str(other).casefold(): other for other in names if isinstance(other, str)}
        near = (
            get_close_matches(name.casefold(), texts, n=1, cutoff=NEAR)
            if isinstance(name, str)
            else []
        )
        return f"did you mean {texts[near[0]]!r}?" if near else ""
    if isinstance(name, str) == isinstance(alike, str):
        return f"did you mean {alike!r}?"
    return f"{name!r} and {alike!r} are names of two types: convert one of them"


def _look_of(name: Any) -> str:
    """Return a name as text without its type, case, blanks and leading zeros."""
    text = " ".join(str(name).split()).casefold()
    try:
        return f"{float(text):.15g}"
    except ValueError:
        return text


def name_coord(names: list) -> np.ndarray:
    """Return names as a coord, with a NumPy type if it keeps every name unchanged, else as objects."""
    array = np.asarray(names)
    keeps_type = array.ndim == 1 and array.tolist() == names and len({type(n) for n in names}) == 1
    return array if keeps_type else object_array(names)


def select_names(
    array: Selected, names: Mapping[Any, Any] | None = None, *, drop: bool = False, **dims: Any
) -> Selected:
    """Select by names along dims, as ``.sel`` does, which would take a list of booleans as a mask.

    Examples
    --------
    >>> import xarray as xr
    >>> values = xr.DataArray([0.2, 0.7], {"group": [False, True]}, ("group",))
    >>> select_names(values, group=[True, False]).values.tolist(), select_names(values, group=True).item()
    ([0.7, 0.2], 0.7)

    An array of names selects one value for each of its positions:

    >>> select_names(values, group=xr.DataArray([[True, False]], dims=("row", "column"))).dims
    ('row', 'column')
    """
    places = {
        dim: _places_of(array, dim, requested)
        for dim, requested in {**(names or {}), **dims}.items()
    }
    return array.isel(places, drop=drop)


def _places_of(array: Any, dim: Any, wanted: Any) -> Any:
    """Return the position of one name along a dim, or those of several."""
    index = array.get_index(dim)
    if isinstance(wanted, xr.DataArray) and wanted.ndim:  # one name for each of its positions
        return wanted.copy(
            data=np.reshape(_places_of(array, dim, wanted.values.ravel()), wanted.shape)
        )
    single = np.ndim(wanted) == 0
    names = index_of(
        np.atleast_1d(wanted)
        if hasattr(wanted, "dtype")
        else object_array([wanted] if single else wanted)
    )
    places = index.get_indexer(names)
    if (places < 0).any():
        lacking = names[int((places < 0).argmax())]
        hint = find_lookalike(lacking, index.tolist())
        raise ArgumentKeyError(
            str(dim), f"must be one of {index.tolist()[:15]}", f"{lacking!r}", hint
        )
    return int(places[0]) if single else places


#: Standard pairs of labels: (negative, positive), in lower case.
STANDING_PAIRS = (
    ("0", "1"),
    ("-1", "1"),
    ("false", "true"),
    ("negative", "positive"),
    ("no", "yes"),
)


def standing_pair(labels: Any) -> tuple[Any, Any] | None:
    """Return two labels as (negative, positive) if they are a standard pair, in any case; else None."""
    by_key = {_pair_key(label): label for label in labels}
    for negative, positive in STANDING_PAIRS:
        if set(by_key) == {negative, positive} and len(list(labels)) == 2:
            return by_key[negative], by_key[positive]
    return None


def _pair_key(label: Any) -> str:
    """Return the label as the standard pairs spell it: "1" for both 1.0 and "1"."""
    if isinstance(label, str):
        return label.strip().lower()
    number = isinstance(label, int | float | np.number) and not isinstance(label, bool)
    return (
        str(int(label))
        if number and np.isfinite(label) and label == int(label)
        else str(label).lower()
    )


def arrange_classes(classes: list, positive: Any = None, ordered: bool = False) -> tuple[list, Any]:
    """Order two classes as negative, positive; return them and the positive class, None if unknown.

    ``positive`` is the positive class or its text. If the classes are ``ordered``, the user gave
    the negative one first.
    """
    if positive is not None:
        if len(classes) != 2:
            raise ArgumentError(
                "positive", f"cannot be used for {len(classes)} classes", f"{positive!r}"
            )
        chosen = _find_label(positive, classes)
        return [label for label in classes if label != chosen] + [chosen], chosen
    pair = standing_pair(classes) if len(classes) == 2 else None
    if pair is not None:
        return list(pair), pair[1]
    return classes, classes[1] if ordered and len(classes) == 2 else None


def check_order(labels: Any) -> None:
    """Raise an error if ordered labels of the user contradict a standard pair."""
    names = list(labels)
    pair = standing_pair(names) if len(names) == 2 else None
    if pair is not None and list(pair) != names:
        raise ArgumentError(
            "labels",
            f"must have the negative class first, {list(pair)}",
            names,
            Advice(Typed("positive", names[1]), f" makes {names[1]!r} the positive class"),
        )


def _find_label(positive: Any, classes: list) -> Any:
    # Arrays would compare item by item, and NA gives no truth value.
    hashable = isinstance(positive, Hashable) and positive is not pd.NA
    same = [label for label in classes if label is positive or (hashable and label == positive)]
    same = same or [
        label for label in classes if str(label).strip().lower() == str(positive).strip().lower()
    ]
    if len(same) != 1:
        text = " ".join(repr(positive).split())
        raise ArgumentError("positive", f"must be one of the classes {classes}", f"{text[:80]}")
    return same[0]


def has_positive_class(array: Any) -> bool:
    """Return whether the positive class of two-class counts or performances is known, or labels are absent."""
    if array.sizes.get("actual") != 2 or "actual" not in array.coords:
        return True
    return (
        positive_label(array) is not None
        or standing_pair(array.coords.variables["actual"].values.tolist()) is not None
    )


def positive_label(source: Any) -> Any:
    """Return the positive class in the coord ``positive``; None without one."""
    named = source.coords.variables.get("positive")
    return None if named is None or named.ndim else named.item()


def classes_in_averages(source: Any, array: Any) -> np.ndarray:
    """Return whether each class of ``array`` takes part in averages over classes, by the coord of ``source``."""
    named = source.coords.get(AVERAGED)
    size = array.sizes["actual"]
    if named is None or "actual" not in array.coords:
        return np.ones(size, bool)
    part = dict(zip(named[named.dims[0]].values.tolist(), named.values.tolist(), strict=True))
    return np.array([part.get(label, True) for label in array["actual"].values.tolist()])


def names_classes(source: Any) -> bool:
    """Return whether the user named the classes of ``source``, so that one without cases is a class, too."""
    return AVERAGED in source.coords and bool(source.coords[AVERAGED].attrs.get("named", 0))


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


def cell_headings(source: Any) -> dict[str, str]:
    """Return a heading for each cell of a table of two classes, which names its actual class if it is known.

    Examples
    --------
    >>> counts = br.from_counts(tn=9, fp=1, fn=2, tp=8)
    >>> cell_headings(counts)["fn"]
    'FN: missed'
    >>> cell_headings(counts.assign_coords(actual=["benign", "malignant"], positive="malignant"))["fn"]
    'FN: malignant missed'
    """
    classes = known_classes(source)
    if classes in (None, ("negative", "positive")):
        return {cell: f"{cell.upper()}: {what}" for cell, (_, what) in CELL_WORDS.items()}
    # A number alone would look like a count.
    names = [f"class {label}" if str(label)[:1].isdigit() else str(label) for label in classes]
    return {
        cell: f"{cell.upper()}: {names[actual]} {what}"
        for cell, (actual, what) in CELL_WORDS.items()
    }


def check_positive(array: Any, what: str) -> None:
    """Raise an error if ``what`` needs a positive class and that of ``array`` is unknown."""
    if has_positive_class(array):
        return
    first, second = array["actual"].values.tolist()
    raise ArgumentError(
        "positive",
        f"must name the positive class for {what}, which changes when the classes are swapped",
        f"{first!r} and {second!r}",
        Advice(
            *(
                "pass ",
                Typed("positive", second),
                " or ",
                Typed("positive", first),
                " when the labels are read",
            ),
            InPython(f", or array.assign_coords(positive={second!r})"),
        ),
    )
