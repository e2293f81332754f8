"""Checks of arguments: invalid values raise an error that names the argument; nothing is converted silently."""

import os
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from math import prod
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._errors import ArgumentError, ArgumentTypeError
from bayesrank._labels import check_positive, object_array

#: Minimum distance of a probability from 0 and 1, below which rounding dominates.
SMALLEST = 1e-12
#: Largest whole number that floats represent exactly. Its type fits arrays of 32 bits, the default in a browser.
EXACT = np.int64(2**53)
#: Maximum number of names that a message lists.
MANY = 15


def check_number(
    argument: str, value: Any, low: float = -np.inf, high: float = np.inf, *, ends: bool = True, finite: bool = False
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
        held = f"a number of {int(value).bit_length()} bits"
        raise ArgumentError(argument, "must lie within 1.8e308 of 0", held) from None
    return value


def check_numbers(
    argument: str, values: Any, low: float = -np.inf, high: float = np.inf, *, ends: bool = True
) -> np.ndarray:
    """Return an array of real numbers as floats; with bounds, all are within them and none is NaN."""
    array = _check_real(argument, values, "numbers")
    _check_bounds(argument, array, low, high, ends)
    return array.astype(float)


def check_labelled_numbers(
    argument: str, values: Any, low: float = -np.inf, high: float = np.inf, *, ends: bool = True, dim: str = ""
) -> xr.DataArray:
    """Return real numbers as a DataArray, perhaps lazy; a sequence gets ``dim``, or a dim named after the argument."""
    if not isinstance(values, xr.DataArray):
        array = check_numbers(argument, values, low, high, ends=ends)
        if array.ndim > 1:
            raise ArgumentError(argument, "must be a number, a sequence or a DataArray", f"{array.ndim} dimensions")
        labels = {argument: array} if array.ndim and not dim else {}
        return xr.DataArray(array, labels, (dim or argument,)[: array.ndim])
    if values.dtype.kind not in "iuf":
        raise ArgumentTypeError(argument, "must hold numbers", f"dtype {values.dtype}")
    _check_bounds(argument, values, low, high, ends)
    return values.astype(float)


def check_integer(argument: str, value: Any, least: int = 0, most: int | None = None) -> int:
    """Return a whole number from ``least`` to ``most``."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise ArgumentTypeError(argument, "must be a whole number", describe_value(value))
    number = int(value)
    wanted = f"be at least {least}" if most is None else f"lie between {least} and {most}"
    if abs(number) > 2**62:
        raise ArgumentError(
            argument, f"must {wanted}, and within 4.6e18 of 0", f"a number of {number.bit_length()} bits"
        )
    if number < least or (most is not None and number > most):
        raise ArgumentError(argument, f"must {wanted}", number)
    return number


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
    known = list(options)
    # Unhashable values are never options; arrays and Datasets would compare item by item, and NA gives no truth value.
    if not isinstance(value, Hashable) or value is pd.NA or value not in known:
        held = repr(value)[:80] if isinstance(value, str) else describe_value(value)
        wanted = f"{known[:MANY]}"[:-1] + f", ... ({len(known)} in all)]" if len(known) > MANY else known
        raise error(argument, f"must be one of {wanted}{other and f', or {other}'}", held)
    return value


def check_prob(argument: str, value: Any) -> float:
    """Return a number in (0, 1), far enough from both ends to leave two tails."""
    found = check_number(argument, value, 0.0, 1.0, ends=False)
    if not SMALLEST <= found <= 1 - SMALLEST:
        raise ArgumentError(argument, f"must lie between {SMALLEST:g} and 1 - {SMALLEST:g}", value)
    return found


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
        wanted = "((low, high), (low, high)) for a and b, each low below its high"
        raise ArgumentError(argument, f"must be {wanted}", describe_value(value))
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
        raise ArgumentTypeError("prevalence", "must be a number or a DataArray", describe_value(value))
    if may_lack and isinstance(value, xr.DataArray):
        return check_prevalences(value.fillna(0.0), ends=True).where(value.notnull())
    return check_prevalences(value, ends=True)


def class_shares(prevalence: xr.DataArray, table: xr.DataArray) -> xr.DataArray:
    """Return the shares (actual) of all classes, which sum to 1; of two, from the share of the positive class."""
    if "actual" in prevalence.dims:
        total = prevalence.sum("actual")
        if bool((np.abs(total - 1) > 1e-6).any()):
            raise ArgumentError("prevalence", "must sum to 1 over actual", f"{float(total.max()):.6g}")
        return prevalence
    if (size := table.sizes["actual"]) != 2:
        raise ArgumentError("prevalence", f"must have the dim actual for {size} classes", prevalence.dims)
    check_positive(table, "prevalence, the share of the positive class")
    both = xr.concat([1 - prevalence, prevalence], "actual")
    return both.assign_coords(actual=table["actual"].values) if "actual" in table.coords else both


def check_cells(**given: Any) -> dict[str, float]:
    """Return the importance of each of the four cells of a two-class ranking score, by name."""
    found = {name: check_number(name, value) for name, value in given.items()}
    check_weights("importance", list(found.values()), " and ".join(f"{name}={value}" for name, value in given.items()))
    return found


def check_weights(argument: str, values: Any, held: str | None = None) -> np.ndarray:
    """Return finite non-negative weights, at least one of them positive."""
    array = check_numbers(argument, values)
    if not (np.isfinite(array) & (array >= 0)).all() or not array.any():
        raise ArgumentError(argument, "must be non-negative, finite and not all 0", held or array.tolist())
    return array


def check_beta_parameters(argument: str, pair: Any) -> np.ndarray:
    array = check_numbers(argument, pair)
    if array.shape != (2,) or not (np.isfinite(array) & (array > 0)).all():
        raise ArgumentError(argument, "must hold two positive numbers, of a Beta distribution", describe_value(pair))
    return array


def check_probabilities(**given: Any) -> None:
    """Raise an error unless all values are numbers, or arrays of numbers, in [0, 1]."""
    for argument, value in given.items():
        if not is_number(value) and not isinstance(value, np.ndarray | xr.DataArray):
            raise ArgumentTypeError(argument, "must be a number between 0 and 1, or an array", describe_value(value))
        check_numbers(argument, value, 0.0, 1.0)


def check_labelled_probabilities(**given: Any) -> tuple[xr.DataArray, ...]:
    """Return numbers in [0, 1] as labelled arrays with matching labels."""
    check_probabilities(**given)
    for argument, value in given.items():
        if np.ndim(value) and not isinstance(value, xr.DataArray):
            raise ArgumentTypeError(
                argument, "must be a number, or a DataArray, whose dims have names", "a plain array"
            )
    arrays = [xr.DataArray(value) for value in given.values()]
    try:
        xr.align(*arrays, join="exact")
    except ValueError:
        raise ArgumentError(f"{', '.join(given)}", "must have the same labels on shared dims", "others") from None
    return xr.broadcast(*arrays)


def check_memory(wanted: str, what: str, shape: tuple[int, ...], held: str) -> None:
    """Raise an error if this many floats exceed half of the available memory."""
    needed = 8 * prod(shape)
    there, whose = available_memory()
    if needed > there / 2:
        raise ArgumentError(
            f"{wanted} for {what}, which",
            f"are {needed / 2**30:.1f} GiB, more than half of {whose} ({there / 2**30:.1f} GiB)",
            held,
        )


def available_memory() -> tuple[float, str]:
    """Return the bytes available to this process and what limits them: the process, its container or the machine."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else np.inf
    limits: list[tuple[float, str]] = [(machine, "this machine's memory")]
    limits += [(limit, "this container's memory") for limit in _own_limits()]
    with suppress(ImportError):  # Windows
        import resource

        soft = resource.getrlimit(resource.RLIMIT_AS)[0]
        if soft != resource.RLIM_INFINITY:
            limits.append((soft, "the memory that this process may use"))
    return min(limits)


@cache
def _own_limits() -> list[float]:
    return container_limits()  # once: reading the files takes longer than a small fit


def container_limits(root: Path = Path("/sys/fs/cgroup"), own: Path = Path("/proc/self/cgroup")) -> list[float]:
    """Return the memory limits of the process's control groups (versions 1 and 2), if any."""
    entries = [["", "", "/"], ["", "memory", "/"]]
    with suppress(OSError):
        entries += [line.split(":", 2) for line in own.read_text().splitlines()]
    found = []
    for _, controllers, path in entries:
        if controllers not in ("", "memory"):
            continue
        base, file = (root / "memory", "memory.limit_in_bytes") if controllers else (root, "memory.max")
        here = PurePosixPath(path)
        for folder in (here, *here.parents):
            with suppress(OSError):
                text = (base / str(folder).lstrip("/") / file).read_text().strip()
                found += [float(text)] if text.isdigit() else []
    return found


def check_counts_array(argument: str, values: Any) -> np.ndarray:
    """Return non-negative whole numbers as int64; other values raise an error and are not rounded."""
    array = _check_real(argument, values, "whole numbers")
    bad = array[~np.isfinite(array) | (array < 0) | (array != np.floor(array)) | (array > EXACT)]
    if bad.size:
        raise ArgumentError(argument, "must hold non-negative whole numbers (counts, not rates)", bad[0])
    return array.astype(np.int64)


def check_case_numbers(argument: str, values: Any, weighted: bool) -> np.ndarray:
    """Return numbers of cases: whole ones, or effective ones (floats) if the evidence is weighted."""
    if not weighted:
        return check_counts_array(argument, values)
    array = check_numbers(argument, values)
    bad = array[~np.isfinite(array) | (array < 0) | (array > EXACT)]
    if bad.size:
        raise ArgumentError(argument, "must hold non-negative effective numbers of cases", bad[0])
    return array


def check_repeats(count: Any, size: int) -> np.ndarray:
    """Return the number of cases that each of ``size`` rows stands for, 1 by default."""
    found = np.ones(size, np.int64) if count is None else np.atleast_1d(check_counts_array("count", count))
    if found.shape != (size,):
        raise ArgumentError("count", f"must hold one number for each of the {size} cases", found.shape)
    return found


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
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool | np.bool_)


def check_item_names(argument: str, names: Any, size: int, broadcast: bool = False) -> list:
    """Return one name for each of ``size`` items; with ``broadcast``, a single name applies to all."""
    names = _no_dataset(argument, names, "names")
    single = isinstance(names, str | bytes) or not hasattr(names, "__iter__")
    found = [names] * (size if broadcast else 1) if single else object_array(names).tolist()
    if len(found) != size:
        raise ArgumentError(argument, f"must hold {size} name{'s' * (size != 1)}", len(found))
    check_names(argument, found)
    for name in found:
        if pd.isna(name):
            raise ArgumentError(argument, "must name every item", f"{name!r}")
    return found


def check_names(argument: str, names: list) -> None:
    """Raise an error for names that cannot be labels of a plain coord: tuples, lists, and texts with a NUL."""
    for name in names:
        if isinstance(name, tuple | list | set | dict | np.ndarray):
            raise ArgumentTypeError(argument, "must hold strings, numbers or other single names", f"{name!r}")
        if isinstance(name, str) and "\0" in name:
            raise ArgumentError(argument, "must hold names without the character NUL", f"{name!r}")


def check_callable(argument: str, value: Any) -> Any:
    if not callable(value):
        raise ArgumentTypeError(argument, "must be a function", describe_value(value))
    return value


def check_absent(argument: str, value: Any, why: str) -> None:
    """Raise an error if an argument was given that has no effect here."""
    if value is not None:
        raise ArgumentError(argument, f"must be left out {why}", describe_value(value))


def check_regular_array(argument: str, values: Any, what: str) -> np.ndarray:
    """Return an array from nested sequences of equal lengths."""
    try:
        return np.asarray(_no_dataset(argument, values, what))
    except ValueError:  # rows of different lengths
        raise ArgumentError(argument, f"must hold {what} in a regular array", describe_value(values)) from None


def check_sequence(argument: str, given: Any) -> list:
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise ArgumentTypeError(argument, "must be a sequence", describe_value(given))
    return list(given)


def check_result(
    function: str, argument: str, value: Any, needed: Iterable[str], attrs: Iterable[str] = ()
) -> xr.Dataset:
    """Return a Dataset from this function, recognised by its variables and attrs."""
    wanted = set(needed)
    lacking = sorted(wanted - set(value.variables)) if isinstance(value, xr.Dataset) else sorted(wanted)
    if lacking or not isinstance(value, xr.Dataset):
        held = f"a Dataset without {lacking[0]!r}" if 0 < len(lacking) < len(wanted) else describe_value(value)
        raise ArgumentError(argument, f"must come from {function}", held)
    if lacking := sorted(set(attrs) - set(value.attrs)):
        raise ArgumentError(argument, f"must come from {function}", f"a Dataset without the attr {lacking[0]!r}")
    return value


def check_array(argument: str, value: Any, dims: Iterable[str], hint: str = "") -> xr.DataArray:
    """Return a DataArray of numbers with exactly these dims, none of length 0."""
    wanted = f"must be a DataArray of numbers over {' and '.join(dims)} alone{hint}"
    if not isinstance(value, xr.DataArray):
        raise ArgumentTypeError(argument, wanted, describe_value(value))
    if value.dtype.kind not in "biuf":
        raise ArgumentTypeError(argument, wanted, f"dtype {value.dtype}")
    if set(value.dims) != set(dims) or not value.size:
        raise ArgumentError(argument, wanted, dict(value.sizes))
    return value


def check_by_entity(argument: str, given: Any, what: str) -> list:
    """Return the entities in a mapping or DataFrame, at least one."""
    if not isinstance(given, Mapping | pd.DataFrame):
        wanted = f"a mapping or a DataFrame from entity to {what}"
        raise ArgumentTypeError(argument, f"must be {wanted}", describe_value(given))
    return check_entities(argument, list(given.keys()))


def check_entities(argument: str, names: list) -> list:
    """Return the names of entities, unique and at least one."""
    if not names:
        raise ArgumentError(argument, "must hold at least one entity", "none")
    return check_unique(argument, check_item_names(argument, names, len(names)))


def check_unique(argument: str, names: list) -> list:
    seen = set()
    for name in names:
        if name in seen:
            raise ArgumentError(argument, "must hold each name once", f"{name!r} more than once")
        seen.add(name)
    return names


def check_labels(argument: str, values: Any, *, may_lack: bool = False, hint: str = "") -> np.ndarray:
    """Return one label for each case; some, but not all, may be missing if ``may_lack``."""
    # An object array: NumPy would turn ["a", nan] into strings and hide the missing label.
    values = _no_dataset(argument, values, "labels")
    array = np.asarray(values if hasattr(values, "__array__") else object_array(values))
    if array.dtype.kind not in "biufUS":
        array = array.astype(object)
    if array.ndim != 1 or not array.size:
        raise ArgumentError(argument, "must be a sequence of labels, one a case", f"shape {array.shape}")
    lacking = pd.isna(array)
    if lacking.any() and not may_lack:
        raise ArgumentError(argument, "must hold a label for every case", f"a missing value{hint}")
    if lacking.all():
        raise ArgumentError(argument, "must hold a label of at least one case", "none")
    if array.dtype == object:
        check_names(argument, array[~lacking].tolist())
    return array


def check_positives(y_true: Any, positive: Any) -> np.ndarray:
    """Return a mask of the positive cases, from labels of two classes."""
    labels = check_regular_array("y_true", y_true, "labels")
    if labels.ndim != 1 or pd.isna(labels).any():
        raise ArgumentError("y_true", "must hold one label for every case", f"shape {labels.shape} or missing labels")
    classes = np.unique(labels).tolist()
    if len(classes) != 2:
        raise ArgumentError("y_true", "must hold two classes", f"{classes[:5]}")
    return labels == check_choice("positive", positive, classes)


def check_nested(cluster: list, dataset: list) -> None:
    home: dict[Any, Any] = {}
    for one, there in zip(cluster, dataset, strict=True):
        if home.setdefault(one, there) != there:
            raise ArgumentError(
                "cluster",
                "must name clusters within one data set each, since data sets are taken as independent",
                f"{one!r} in {home[one]!r} and {there!r}",
            )


def check_class_labels(labels: Any) -> list:
    """Return the classes given by the user, in order."""
    if isinstance(labels, str | bytes | Mapping | set | frozenset) or not hasattr(labels, "__iter__"):
        raise ArgumentTypeError("labels", "must be a sequence of classes in order", describe_value(labels))
    classes = object_array(labels).tolist()
    return check_unique("labels", check_item_names("labels", classes, len(classes)))


def all_classes(labels: Sequence[Any] | None, seen: Sequence[np.ndarray]) -> list:
    if labels is not None:
        classes = check_class_labels(labels)
    else:
        found = set().union(*(set(values.tolist()) for values in seen))
        try:
            classes = sorted(found)
        except TypeError:
            raise ArgumentTypeError(
                "labels", "must be given where labels do not sort", sorted(map(repr, found))
            ) from None
    if len(classes) < 2:
        raise ArgumentError("labels", "must name two or more classes", classes, "pass labels= to keep an absent one")
    return classes


def label_values(labels: Any) -> np.ndarray | None:
    """Return numeric labels as floats; None if any label is not a number."""
    held = np.asarray(labels, dtype=object).tolist()
    plain = all(isinstance(label, bool) or is_number(label) for label in held)
    return np.array(held, dtype=float) if plain else None


def describe_value(value: Any) -> str:
    """Return a one-line description of a value for error messages."""
    if isinstance(value, xr.DataArray):
        return f"a DataArray with dims {value.dims}"
    if isinstance(value, xr.Dataset):
        return f"a Dataset of {sorted(map(str, value.variables))}"[:80]
    return " ".join(f"{type(value).__name__} {value!r}".split("\n"))[:80]


def _no_dataset(argument: str, values: Any, what: str) -> Any:
    """Return the values; raise an error for a Dataset, which is iterable but not an array."""
    if isinstance(values, xr.Dataset):
        raise ArgumentTypeError(argument, f"must hold {what}", describe_value(values))
    return values


def _check_real(argument: str, values: Any, what: str) -> np.ndarray:
    """Return an array of real numbers, not of booleans."""
    array = check_regular_array(argument, values, what)
    if array.dtype == object and all(is_number(item) for item in array.ravel()):
        array = np.array([check_finite(argument, item) for item in array.ravel()], float).reshape(array.shape)
    if array.dtype.kind not in "iuf":
        raise ArgumentTypeError(argument, f"must hold {what}", describe_value(values))
    return array


def _check_bounds(argument: str, values: Any, low: float, high: float, ends: bool) -> None:
    """Raise an error unless all values are within the bounds; computes a lazy array."""
    if low == -np.inf and high == np.inf:
        return
    held = np.asarray(values)
    outside = held[~((held >= low) & (held <= high) if ends else (held > low) & (held < high))]
    if outside.size:
        raise ArgumentError(argument, f"must {_describe_bounds(low, high, ends)}", f"{outside.flat[0]:g}")


def _describe_bounds(low: float, high: float, ends: bool, finite: bool = False) -> str:
    if low == -np.inf and high == np.inf:
        return "be finite" if finite else "not be NaN"
    if high < np.inf:
        return f"lie {'' if ends else 'strictly '}between {low:g} and {high:g}"
    return f"be {'at least' if ends else 'above'} {low:g}{' and finite' * finite}"
