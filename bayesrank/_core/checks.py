"""Checks of arguments: invalid values raise an error that names the argument; nothing is converted silently."""

import os
from collections.abc import (
    Hashable,
    Iterable,
    Iterator,
    KeysView,
    Mapping,
    Sequence,
    Set,
    ValuesView,
)
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.errors import Advice, ArgumentError, ArgumentKeyError, ArgumentTypeError
from bayesrank._core.labels import check_positive, find_lookalike, object_array
from bayesrank._core.memory import check_memory
from bayesrank._core.prose import list_names

#: Minimum distance of a probability from 0 and 1, below which rounding dominates.
SMALLEST = 1e-12
#: Largest whole number that floats represent exactly. Its type fits arrays of 32 bits, the default
#: in a browser.
EXACT = np.int64(2**53)
#: Maximum number of names that a message lists.
MANY = 15


def check_number(
    argument: str,
    value: Any,
    low: float = -np.inf,
    high: float = np.inf,
    *,
    ends: bool = True,
    finite: bool = False,
) -> float:
    """Return one real number from ``low`` to ``high``, excluding these unless ``ends``; never NaN."""
    if not is_number(value):
        raise ArgumentTypeError(argument, "must be a number", describe_value(value))
    value = check_finite(argument, value)
    if not (low <= value <= high if ends else low < value < high) or (finite and np.isinf(value)):
        raise ArgumentError(argument, f"must {_describe_bounds(low, high, ends, finite)}", value)
    return float(value)


def check_finite(argument: str, value: Any) -> Any:
    """Return a number that a float can hold."""
    try:
        float(value)
    except OverflowError:
        size = f"a number of {int(value).bit_length()} bits"
        raise ArgumentError(argument, "must be at most 1.8e308", size) from None
    return value


def check_numbers(
    argument: str, values: Any, low: float = -np.inf, high: float = np.inf, *, ends: bool = True
) -> np.ndarray:
    """Return an array of real numbers as floats; with bounds, all are within them and none is NaN."""
    array = _check_real(argument, values, "numbers")
    _check_bounds(argument, array, low, high, ends)
    return array.astype(float)


def check_labelled_numbers(
    argument: str,
    values: Any,
    low: float = -np.inf,
    high: float = np.inf,
    *,
    ends: bool = True,
    dim: str = "",
) -> xr.DataArray:
    """Return real numbers as a DataArray, perhaps lazy; a sequence gets ``dim``, or a dim named after the argument."""
    if not isinstance(values, xr.DataArray):
        array = check_numbers(argument, values, low, high, ends=ends)
        if array.ndim > 1:
            raise ArgumentError(
                argument, "must be a number, a sequence or a DataArray", f"{array.ndim} dimensions"
            )
        labels = {argument: array} if array.ndim and not dim else {}
        return xr.DataArray(array, labels, (dim or argument,)[: array.ndim])
    if values.dtype.kind not in "iuf":
        raise ArgumentTypeError(argument, "must contain numbers", f"dtype {values.dtype}")
    _check_bounds(argument, values, low, high, ends)
    return values.astype(float)


def check_integer(argument: str, value: Any, least: int = 0, most: int | None = None) -> int:
    """Return a whole number from ``least`` to ``most``."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise ArgumentTypeError(argument, "must be a whole number", describe_value(value))
    number = int(value)
    requirement = f"be at least {least}" if most is None else f"lie between {least} and {most}"
    if abs(number) > 2**62:
        raise ArgumentError(
            argument,
            f"must {requirement}, of a size of at most 4.6e18",
            f"a number of {number.bit_length()} bits",
        )
    if number < least or (most is not None and number > most):
        raise ArgumentError(argument, f"must {requirement}", number)
    return number


def check_size(argument: str, value: Any, least: int = 1, power: int = 1) -> int:
    """Return a number of points, steps or cases; raise an error if this power of it would not fit into memory."""
    number = check_integer(argument, value, least)
    # Fewer than ten arrays of them are in memory at a time.
    check_memory(
        f"{argument} must be smaller", f"{number} {argument}", (10, number**power), str(number)
    )
    return number


def check_text(argument: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ArgumentTypeError(argument, "must be a text", describe_value(value))
    return value


def is_text(value: Any, text: str) -> bool:
    """Return whether a value is this text; arrays would compare item by item."""
    return isinstance(value, str) and value == text


def check_bool(argument: str, value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise ArgumentTypeError(argument, "must be True or False", describe_value(value))
    return bool(value)


def check_choice(
    argument: str,
    value: Any,
    options: Iterable[Any],
    error: type[ArgumentError] = ArgumentError,
    other: str = "",
) -> Any:
    """Return one of the options of an argument."""
    names = list(options)
    # Unhashable values are never options; arrays and Datasets would compare item by item, and NA
    # gives no truth value.
    if not isinstance(value, Hashable) or value is pd.NA or value not in names:
        text = repr(value)[:80] if isinstance(value, str) else describe_value(value)
        requested = (
            f"{names[:MANY]}"[:-1] + f", ... ({len(names)} in all)]" if len(names) > MANY else names
        )
        hint = find_lookalike(value, names) if isinstance(value, str | int | float) else ""
        raise error(argument, f"must be one of {requested}{other and f', or {other}'}", text, hint)
    return value


def check_prob(argument: str, value: Any) -> float:
    """Return a number in (0, 1), far enough from both ends to leave two tails."""
    result = check_number(argument, value, 0.0, 1.0, ends=False)
    if not SMALLEST <= result <= 1 - SMALLEST:
        raise ArgumentError(argument, f"must lie between {SMALLEST:g} and 1 - {SMALLEST:g}", value)
    return result


def check_interval(argument: str, pair: Any) -> tuple[float, float]:
    """Return a pair (low, high) of numbers, which may be infinite."""
    if not isinstance(pair, tuple):
        raise ArgumentTypeError(argument, "must be a tuple (low, high)", describe_value(pair))
    low, high = (check_number(argument, end) for end in pair) if len(pair) == 2 else (1.0, 0.0)
    if low > high:
        raise ArgumentError(argument, "must be a tuple (low, high)", pair)
    return low, high


def check_window(argument: str, value: Any) -> tuple[float, float, float, float]:
    """Return a part of the unit square, ((low, high), (low, high)), as four numbers."""
    pairs = check_numbers(argument, value, 0.0, 1.0)
    if pairs.shape != (2, 2) or not (pairs[:, 0] < pairs[:, 1]).all():
        requirement = "((low, high), (low, high)) for a and b, each low below its high"
        raise ArgumentError(argument, f"must be {requirement}", describe_value(value))
    (a, b), (c, d) = pairs.tolist()
    return a, b, c, d


def check_prevalence(value: Any, *, ends: bool = False) -> float:
    """Return a share of the positive class, in (0, 1) or, with ``ends``, in [0, 1]."""
    return check_number("prevalence", value, 0.0, 1.0, ends=ends)


def check_prevalences(values: Any, *, ends: bool = False) -> xr.DataArray:
    """Return shares of the positive class: one, a sequence along the dim prevalence, or a DataArray."""
    return check_labelled_numbers("prevalence", values, 0.0, 1.0, ends=ends)


def check_labelled_prevalence(value: Any, *, may_lack: bool = False) -> xr.DataArray:
    """Return one or labelled shares in [0, 1]; NaN is allowed if ``may_lack``."""
    if not is_number(value) and not isinstance(value, xr.DataArray):
        raise ArgumentTypeError(
            "prevalence", "must be a number or a DataArray", describe_value(value)
        )
    if may_lack and isinstance(value, xr.DataArray):
        return check_prevalences(value.fillna(0.0), ends=True).where(value.notnull())
    return check_prevalences(value, ends=True)


def class_shares(prevalence: xr.DataArray, table: xr.DataArray) -> xr.DataArray:
    """Return the shares (actual) of all classes, which sum to 1; of two, from the share of the positive class."""
    if "actual" in prevalence.dims:
        total = prevalence.sum("actual")
        if bool((np.abs(total - 1) > 1e-6).any()):
            raise ArgumentError(
                "prevalence", "must sum to 1 over actual", f"{float(total.max()):.6g}"
            )
        return prevalence
    if (size := table.sizes["actual"]) != 2:
        raise ArgumentError(
            "prevalence", f"must have the dim actual for {size} classes", prevalence.dims
        )
    check_positive(table, "prevalence, the share of the positive class")
    both = xr.concat([1 - prevalence, prevalence], "actual")
    return both.assign_coords(actual=table["actual"].values) if "actual" in table.coords else both


def check_cells(**given: Any) -> dict[str, float]:
    """Return the importance of each of the four cells of a two-class ranking score, by name."""
    result = {name: check_number(name, value) for name, value in given.items()}
    check_weights(
        "importance",
        list(result.values()),
        " and ".join(f"{name}={value}" for name, value in given.items()),
    )
    return result


def check_weights(argument: str, values: Any, held: str | None = None) -> np.ndarray:
    """Return finite non-negative weights, at least one of them positive."""
    array = check_numbers(argument, values)
    if not (np.isfinite(array) & (array >= 0)).all() or not array.any():
        raise ArgumentError(
            argument, "must be non-negative, finite and not all 0", held or array.tolist()
        )
    return array


def check_beta_parameters(argument: str, pair: Any) -> np.ndarray:
    array = check_numbers(argument, pair)
    if array.shape != (2,) or not (np.isfinite(array) & (array > 0)).all():
        raise ArgumentError(
            argument,
            "must contain two positive numbers, of a Beta distribution",
            describe_value(pair),
        )
    return array


def check_probabilities(**given: Any) -> None:
    """Raise an error unless all values are numbers, or arrays of numbers, in [0, 1]."""
    for argument, value in given.items():
        if not is_number(value) and not isinstance(value, np.ndarray | xr.DataArray):
            raise ArgumentTypeError(
                argument, "must be a number between 0 and 1, or an array", describe_value(value)
            )
        check_numbers(argument, value, 0.0, 1.0)


def check_labelled_probabilities(**given: Any) -> tuple[xr.DataArray, ...]:
    """Return numbers in [0, 1] as labelled arrays with matching labels."""
    check_probabilities(**given)
    for argument, value in given.items():
        if np.ndim(value) and not isinstance(value, xr.DataArray):
            raise ArgumentTypeError(
                argument, "must be a number or a DataArray with named dims", "a plain array"
            )
    arrays = [xr.DataArray(value) for value in given.values()]
    try:
        xr.align(*arrays, join="exact")
    except ValueError:
        raise ArgumentError(
            f"{', '.join(given)}", "must have the same labels on shared dims", "different labels"
        ) from None
    return xr.broadcast(*arrays)


def check_counts_array(argument: str, values: Any) -> np.ndarray:
    """Return non-negative whole numbers as int64; other values raise an error and are not rounded."""
    array = _check_real(argument, values, "whole numbers")
    bad = array[~np.isfinite(array) | (array < 0) | (array != np.floor(array)) | (array > EXACT)]
    if bad.size:
        raise ArgumentError(
            argument, "must contain non-negative whole numbers (counts, not rates)", bad[0]
        )
    return array.astype(np.int64)


def check_case_numbers(argument: str, values: Any, weighted: bool) -> np.ndarray:
    """Return numbers of cases: whole ones, or effective ones (floats) if the evidence is weighted."""
    if not weighted:
        return check_counts_array(argument, values)
    array = check_numbers(argument, values)
    bad = array[~np.isfinite(array) | (array < 0) | (array > EXACT)]
    if bad.size:
        raise ArgumentError(
            argument, "must contain non-negative effective numbers of cases", bad[0]
        )
    return array


def check_repeats(count: Any, size: int) -> np.ndarray:
    """Return the number of cases that each of ``size`` rows stands for, 1 by default."""
    result = (
        np.ones(size, np.int64)
        if count is None
        else np.atleast_1d(check_counts_array("count", count))
    )
    if result.shape != (size,):
        raise ArgumentError(
            "count", f"must contain one number for each of the {size} cases", result.shape
        )
    return result


@contextmanager
def rename_argument(argument: str, inner: str) -> Iterator[None]:
    """Rename an argument in the error messages of an inner function."""
    try:
        yield
    except ArgumentError as error:
        if error.argument == inner or error.argument.startswith(f"{inner} "):
            error.argument = argument + error.argument.removeprefix(inner)
        raise


def is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(
        value, bool | np.bool_
    )


def check_item_names(argument: str, names: Any, size: int, broadcast: bool = False) -> list:
    """Return one name for each of ``size`` items; with ``broadcast``, a single name applies to all."""
    names = check_order_of(argument, names, "names")
    single = isinstance(names, str | bytes) or not hasattr(names, "__iter__")
    single = single or getattr(names, "ndim", 1) == 0
    if not single and getattr(names, "ndim", 1) != 1:
        raise ArgumentError(
            argument, "must be a name, or a sequence of names", describe_value(names)
        )
    if single:
        result = [object_array(names).item()] * (size if broadcast else 1)
    else:
        result = object_array(names).tolist()
    if len(result) != size:
        raise ArgumentError(argument, f"must contain {size} name{'s' * (size != 1)}", len(result))
    check_names(argument, result)
    for name in result:
        if pd.isna(name):
            raise ArgumentError(argument, "must name every item", f"{name!r}")
    return result


def check_names(argument: str, names: list) -> None:
    """Raise an error for names that cannot be labels of a plain coord: collections, and texts with a NUL."""
    for name in names:
        if not isinstance(name, str | bytes) and (
            isinstance(name, Iterable) or not is_hashable(name)
        ):
            raise ArgumentTypeError(
                argument,
                "must contain strings, numbers or other scalar names",
                describe_value(name),
            )
        if isinstance(name, str) and "\0" in name:
            raise ArgumentError(argument, "must contain names without NUL characters", f"{name!r}")


def check_order_of(argument: str, values: Any, what: str) -> Any:
    """Return a value that may hold several items; raise an error if the items have no order of their own.

    Sets have another order in each run of Python, an iterator can be read only once, and of a
    mapping or a Dataset only the keys would be read. Views of a dictionary have an order.
    """
    if isinstance(values, Set) and not isinstance(values, KeysView):
        hint = "a list says the order, such as sorted(...)"
        raise ArgumentTypeError(
            argument, f"must be an ordered collection of {what}; a set has no order", "a set", hint
        )
    if isinstance(values, Iterator):
        hint = "list(...) makes a sequence of it"
        raise ArgumentTypeError(
            argument, f"must contain {what} in a sequence", f"a {type(values).__name__}", hint
        )
    if isinstance(values, Mapping):  # a Dataset, too
        raise ArgumentTypeError(
            argument, f"must contain {what} in a sequence", describe_value(values)
        )
    return list(values) if isinstance(values, KeysView | ValuesView) else values


def check_path(argument: str, value: Any) -> str:
    """Return a path as text."""
    if not isinstance(value, str | os.PathLike) or not isinstance(text := os.fspath(value), str):
        raise ArgumentTypeError(argument, "must be a path", describe_value(value))
    if not text or "\0" in text:
        raise ArgumentError(argument, "must be a path", f"{text!r}")
    return text


def check_paths(argument: str, value: Any) -> list[str]:
    """Return one path or several as texts, at least one."""
    if isinstance(value, str | os.PathLike):
        return [check_path(argument, value)]
    if isinstance(value, bytes) or not isinstance(value, Iterable):
        raise ArgumentTypeError(
            argument, "must be a path or a sequence of paths", describe_value(value)
        )
    result = [check_path(argument, path) for path in check_order_of(argument, value, "paths")]
    if not result:
        raise ArgumentError(argument, "must name a file, a folder or a pattern", "none")
    return result


def check_column(argument: str, name: Any, columns: Iterable[Any], table: str = "the frame") -> Any:
    """Return the name of a column of a table."""
    names = list(columns)
    check_column_name(argument, name, names, table)
    same = [column for column in names if column is name or column == name]
    if not same:
        requirement = f"must name a column of {table} ({_show_columns(names)})"
        raise ArgumentKeyError(argument, requirement, f"{name!r}"[:80], find_lookalike(name, names))
    return same[0]


def check_column_name(
    argument: str, name: Any, columns: Iterable[Any], table: str = "the frame"
) -> None:
    """Raise an error for what cannot be the name of a column, such as the values of one."""
    if (
        name is pd.NA
        or not is_hashable(name)
        or (isinstance(name, Iterable) and not isinstance(name, str | bytes))
    ):
        hint = f"frame.assign({argument}=...) adds values as a column, and {argument}={argument!r} names it"
        raise ArgumentTypeError(
            argument,
            f"must name a column of {table} ({_show_columns(columns)})",
            describe_value(name),
            hint if argument.isidentifier() else "",
        )


def check_column_names(
    argument: str, names: Any, columns: Iterable[Any], table: str = "the frame"
) -> list:
    """Return what may be the names of one column or more."""
    several = list(names) if isinstance(names, list | tuple) else [names]
    if not several:
        raise ArgumentError(argument, "must name at least one column", "none")
    for name in several:
        check_column_name(argument, name, columns, table)
    return several


def _show_columns(columns: Iterable[Any]) -> str:
    return list_names(list(map(str, columns)), 12)


def is_hashable(value: Any) -> bool:
    """Return whether a value can be a key; a tuple that holds a list can not."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def check_callable(argument: str, value: Any) -> Any:
    if not callable(value):
        raise ArgumentTypeError(argument, "must be a function", describe_value(value))
    return value


def check_absent(argument: str, value: Any, why: str) -> None:
    """Raise an error if an argument was given that has no effect here."""
    if value is not None:
        raise ArgumentError(argument, f"cannot be used {why}", describe_value(value))


def check_regular_array(argument: str, values: Any, what: str) -> np.ndarray:
    """Return an array from nested sequences of equal lengths."""
    values = check_order_of(argument, values, what)
    try:
        return np.asarray(values)
    except ValueError:  # rows of different lengths
        raise ArgumentError(
            argument, f"must contain {what} in a regular array", describe_value(values)
        ) from None


def check_sequence(argument: str, items: Any) -> list:
    items = check_order_of(argument, items, "its items")
    if (
        isinstance(items, str | bytes)
        or not isinstance(items, Iterable)
        or getattr(items, "ndim", 1) == 0
    ):
        raise ArgumentTypeError(argument, "must be a sequence", describe_value(items))
    return list(items)


def check_result(
    function: str, argument: str, value: Any, needed: Iterable[str], attrs: Iterable[str] = ()
) -> xr.Dataset:
    """Return a Dataset from this function, recognised by its variables and attrs."""
    requested = set(needed)
    lacking = (
        sorted(requested - set(value.variables))
        if isinstance(value, xr.Dataset)
        else sorted(requested)
    )
    if lacking or not isinstance(value, xr.Dataset):
        got = (
            f"a Dataset without {lacking[0]!r}"
            if 0 < len(lacking) < len(requested)
            else describe_value(value)
        )
        raise ArgumentError(argument, f"must come from {function}", got)
    if lacking := sorted(set(attrs) - set(value.attrs)):
        raise ArgumentError(
            argument, f"must come from {function}", f"a Dataset without the attr {lacking[0]!r}"
        )
    return value


def check_array(argument: str, value: Any, dims: Iterable[str], hint: str = "") -> xr.DataArray:
    """Return a DataArray of numbers with exactly these dims, none of length 0."""
    requirement = f"must be a DataArray of numbers over {' and '.join(dims)} alone{hint}"
    if not isinstance(value, xr.DataArray):
        raise ArgumentTypeError(argument, requirement, describe_value(value))
    if value.dtype.kind not in "biuf":
        raise ArgumentTypeError(argument, requirement, f"dtype {value.dtype}")
    if set(value.dims) != set(dims) or not value.size:
        raise ArgumentError(argument, requirement, dict(value.sizes))
    return value


def check_by_entity(argument: str, given: Any, what: str) -> list:
    """Return the entities in a mapping or DataFrame, at least one."""
    if not isinstance(given, Mapping | pd.DataFrame):
        requirement = f"a mapping or a DataFrame from entity to {what}"
        raise ArgumentTypeError(argument, f"must be {requirement}", describe_value(given))
    return check_entities(argument, list(given.keys()))


def check_entities(argument: str, names: list) -> list:
    """Return the names of entities, unique and at least one."""
    if not names:
        raise ArgumentError(argument, "must contain at least one entity", "none")
    return check_unique(argument, check_item_names(argument, names, len(names)))


def check_unique(argument: str, names: list) -> list:
    earlier = set()
    for name in names:
        if name in earlier:
            raise ArgumentError(argument, "must contain each name once", f"{name!r} more than once")
        earlier.add(name)
    return names


def check_labels(
    argument: str, values: Any, *, may_lack: bool = False, hint: str = ""
) -> np.ndarray:
    """Return one label for each case; some, but not all, may be missing if ``may_lack``."""
    # An object array: NumPy would turn ["a", nan] into strings and hide the missing label.
    values = check_order_of(argument, values, "labels")
    array = np.asarray(values if hasattr(values, "__array__") else object_array(values))
    if array.dtype.kind not in "biufUS":
        array = array.astype(object)
    if array.ndim != 1 or not array.size:
        raise ArgumentError(
            argument, "must be a sequence of labels, one a case", f"shape {array.shape}"
        )
    lacking = pd.isna(array)
    if lacking.any() and not may_lack:
        raise ArgumentError(
            argument, "must contain a label for every case", Advice("a missing value", hint)
        )
    if lacking.all():
        raise ArgumentError(argument, "must contain a label of at least one case", "none")
    if array.dtype == object:
        check_names(argument, array[~lacking].tolist())
    return array


def check_positives(y_true: Any, positive: Any) -> np.ndarray:
    """Return a mask of the positive cases, from labels of two classes."""
    labels = check_regular_array("y_true", y_true, "labels")
    if labels.ndim != 1 or pd.isna(labels).any():
        raise ArgumentError(
            "y_true",
            "must contain one label for every case",
            f"shape {labels.shape} or missing labels",
        )
    classes = np.unique(labels).tolist()
    if len(classes) != 2:
        raise ArgumentError("y_true", "must contain two classes", f"{classes[:5]}")
    return labels == check_choice("positive", positive, classes)


def check_nested(cluster: list, dataset: list) -> None:
    home: dict[Any, Any] = {}
    for one, there in zip(cluster, dataset, strict=True):
        if home.setdefault(one, there) != there:
            raise ArgumentError(
                "cluster",
                "must name clusters that each lie in one data set, since data sets are assumed independent",
                f"{one!r} in {home[one]!r} and {there!r}",
            )


def check_class_labels(labels: Any) -> list:
    """Return the classes given by the user, in order."""
    labels = check_order_of("labels", labels, "classes")
    if (
        isinstance(labels, str | bytes)
        or not hasattr(labels, "__iter__")
        or getattr(labels, "ndim", 1) != 1
    ):
        raise ArgumentTypeError(
            "labels", "must be a sequence of classes in order", describe_value(labels)
        )
    classes = object_array(labels).tolist()
    return check_unique("labels", check_item_names("labels", classes, len(classes)))


def all_classes(
    labels: Sequence[Any] | None, labels_seen: Sequence[np.ndarray], argument: str = "labels"
) -> list:
    """Return the classes that the user names, else the sorted labels; ``argument`` is what could say otherwise."""
    if labels is not None:
        classes = check_class_labels(labels)
    else:
        labels_of_all = set().union(*(set(values.tolist()) for values in labels_seen))
        try:
            classes = sorted(labels_of_all)
        except TypeError:
            requirement = (
                "must be given where labels do not sort"
                if argument == "labels"
                else "must contain labels that sort"
            )
            raise ArgumentTypeError(
                argument, requirement, sorted(map(repr, labels_of_all))
            ) from None
    if len(classes) < 2:
        hint = "pass labels= to keep an absent one" if argument == "labels" else ""
        raise ArgumentError(argument, "must name at least two classes", classes, hint)
    return classes


def label_values(labels: Any) -> np.ndarray | None:
    """Return numeric labels as floats; None if any label is not a number."""
    names = np.asarray(labels, dtype=object).tolist()
    are_numbers = all(isinstance(label, bool) or is_number(label) for label in names)
    return np.array(names, dtype=float) if are_numbers else None


def describe_value(value: Any) -> str:
    """Return a one-line description of a value for error messages."""
    if isinstance(value, xr.DataArray):
        return f"a DataArray with dims {value.dims}"
    if isinstance(value, xr.Dataset):
        return f"a Dataset of {sorted(map(str, value.variables))}"[:80]
    return " ".join(f"{type(value).__name__} {value!r}".split("\n"))[:80]


def _check_real(argument: str, values: Any, what: str) -> np.ndarray:
    """Return an array of real numbers, not of booleans."""
    array = check_regular_array(argument, values, what)
    if array.dtype == object and all(is_number(item) for item in array.ravel()):
        array = np.array([check_finite(argument, item) for item in array.ravel()], float).reshape(
            array.shape
        )
    if array.dtype.kind not in "iuf":
        raise ArgumentTypeError(argument, f"must contain {what}", describe_value(values))
    return array


def _check_bounds(argument: str, values: Any, low: float, high: float, ends: bool) -> None:
    """Raise an error unless all values are within the bounds; computes a lazy array."""
    if low == -np.inf and high == np.inf:
        return
    computed = np.asarray(values)
    outside = computed[
        ~((computed >= low) & (computed <= high) if ends else (computed > low) & (computed < high))
    ]
    if outside.size:
        raise ArgumentError(
            argument, f"must {_describe_bounds(low, high, ends)}", f"{outside.flat[0]:g}"
        )


def _describe_bounds(low: float, high: float, ends: bool, finite: bool = False) -> str:
    if low == -np.inf and high == np.inf:
        return "be finite" if finite else "not be NaN"
    if high < np.inf:
        return f"lie {'' if ends else 'strictly '}between {low:g} and {high:g}"
    return f"be {'at least' if ends else 'above'} {low:g}{' and finite' * finite}"
