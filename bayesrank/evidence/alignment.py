"""One order for everything that carries labels of cases: the index of pandas objects, the coordinate of DataArrays."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.errors import ArgumentError
from bayesrank._core.labels import find_lookalike
from bayesrank._core.notes import Note

#: Dims of a DataArray that do not hold cases.
NOT_CASES = {"entity", "chain", "draw", "sample", "label"}

#: Arguments with one item for each case; a mapping of them is from the case.
OF_EACH_CASE = {"y_true", "dataset", "population", "cluster", "case", "run", "count", "weight"}


class _Labelled(NamedTuple):
    """An argument with labels of cases: its name in messages, its labels, and an expression that gives them."""

    name: str
    labels: pd.Index
    expression: str


def align_cases(arguments: Mapping[str, Any]) -> tuple[dict[str, Any], list[Note]]:
    """Put arguments that hold one item for each case into one order, by their labels.

    Equal labels in equal order stay as they are. The same labels in another order are joined by
    label, unless one index is the default 0, 1, ..., n - 1. A default index beside other whole
    numbers, or texts that are no numbers, is matched by position, since a split leaves such labels
    beside new frames. Anything else is refused. Arguments without labels (lists, NumPy arrays) are
    in the order of the first argument. The keys of a mapping from case to value are labels, and so
    is the only coordinate of a DataArray of one dim.

    Parameters
    ----------
    given : mapping
        The arguments by name. A mapping of predictions or costs holds one object for each entity.
        None is allowed.

    Returns
    -------
    dict, list of Note
        The arguments in the order of the first one, and what was done.

    Raises
    ------
    ArgumentError
        If the order of the cases is ambiguous.

    Examples
    --------
    >>> import pandas as pd
    >>> first, second = pd.Series([1, 2], ["x", "y"]), pd.Series([4, 3], ["y", "x"])
    >>> given, notes = align_cases({"y_true": first, "weight": second})
    >>> given["weight"].tolist(), notes[0].code
    ([3, 4], 'joined_by_label')
    """
    arguments = {argument: _with_labels(argument, value) for argument, value in arguments.items()}
    parts = dict(_parts_of(arguments))
    labelled = [one for name, value in parts.items() if (one := _labelled(name, value)) is not None]
    if not labelled:
        return dict(arguments), []
    first = labelled[0]
    others = [
        one
        for one in labelled
        if len(one.labels) == len(first.labels) and not _same_order(one, first)
    ]
    if not others:
        return dict(arguments), []
    if _by_position(first, others):
        return dict(arguments), [
            Note(
                "joined_by_position", {"arguments": [one.name for one in others], "by": first.name}
            )
        ]
    start = next(iter(parts))
    if first.name != start and parts[start] is not None:
        raise ArgumentError(
            others[0].name,
            f"must have its labels in the order of {first.name}, since {start} has no labels to join by",
            _show(others[0].labels),
            _by_label(others[0], parts, first),
        )
    orders = {one.name: one.labels.get_indexer(first.labels) for one in others}
    return _reorder(arguments, orders), [
        Note("joined_by_label", {"arguments": list(orders), "by": first.name})
    ]


def case_labels(value: Any) -> pd.Index | None:
    """Return the labels of the cases of a Series, DataFrame or DataArray; None if it has none."""
    if isinstance(value, pd.Series | pd.DataFrame):
        return value.index
    if isinstance(value, xr.DataArray) and (dim := _case_dim(value)) is not None:
        return value.indexes.get(dim)
    return None


def is_default(labels: pd.Index) -> bool:
    """Return whether labels are 0, 1, ..., n - 1 in this order, which say no more than a position."""
    return _are_integers(labels) and bool((labels.to_numpy() == np.arange(len(labels))).all())


def _with_labels(argument: str, value: Any) -> Any:
    """Return mappings from case to value as Series, Datasets as mappings from entity, and coordinates as an index."""
    if isinstance(value, xr.Dataset):
        return (
            {name: _indexed(value[name]) for name in value.data_vars}
            if argument == "predictions"
            else value
        )
    if not isinstance(value, Mapping):
        return _indexed(value)
    if argument in OF_EACH_CASE:
        return pd.Series(dict(value))
    return {
        name: pd.Series(dict(held)) if isinstance(held, Mapping) else _indexed(held)
        for name, held in value.items()
    }


def _indexed(value: Any) -> Any:
    """Return a DataArray whose only coordinate of the cases is their index; anything else unchanged."""
    if (
        not isinstance(value, xr.DataArray)
        or value.ndim != 1
        or (dim := _case_dim(value)) in (None, "pattern", *value.coords)
    ):
        return value
    names = [name for name, coord in value.coords.items() if coord.dims == (dim,)]
    return value.swap_dims({dim: names[0]}) if len(names) == 1 else value


def _parts_of(arguments: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the objects of all arguments, with their names in messages."""
    result: list[tuple[str, Any]] = []
    for argument, value in arguments.items():
        if isinstance(value, Mapping) and not isinstance(value, xr.Dataset):
            result += [(f"{argument}[{name!r}]", held) for name, held in value.items()]
        elif value is not None:
            result.append((argument, value))
    return result


def _labelled(name: str, value: Any) -> _Labelled | None:
    labels = case_labels(value)
    if labels is None:
        return None
    if isinstance(value, xr.DataArray):
        return _Labelled(name, labels, f"{name}.indexes[{_case_dim(value)!r}]")
    return _Labelled(name, labels, f"{name}.index")


def _case_dim(array: xr.DataArray) -> Any:
    """Return the dim of the cases: the only one that is none of entities or draws; else None."""
    dims = [dim for dim in array.dims if dim not in NOT_CASES]
    return dims[0] if len(dims) == 1 else None


def _same_order(one: _Labelled, other: _Labelled) -> bool:
    return one.labels is other.labels or one.labels.equals(other.labels)


def _are_integers(labels: pd.Index) -> bool:
    return not isinstance(labels, pd.MultiIndex) and labels.dtype.kind in "iu"


def _refuse_repeated_labels(first: _Labelled, others: list[_Labelled]) -> None:
    """Raise an error if an argument has a label of a case twice."""
    for one in (first, *others):
        if not one.labels.is_unique:
            second = others[0] if one is first else first
            raise ArgumentError(
                one.name,
                f"must have each label of its cases once, or the labels of {second.name} in the same order",
                f"{one.labels[one.labels.duplicated()].tolist()[0]!r} more than once",
                f"correct the repeated label, or {one.name}.to_numpy() goes by position if the rows are those of "
                f"{second.name}",
            )


def _refuse_other_labels(first: _Labelled, others: list[_Labelled]) -> None:
    """Raise an error if an argument has other labels than the first one."""
    labels = set(first.labels)
    for other in others:
        if labels == set(other.labels):
            continue
        foreign = [label for label in other.labels if label not in labels]
        alike = find_lookalike(foreign[0], first.labels.tolist()) if foreign else ""
        raise ArgumentError(
            other.name,
            f"must have the labels of {first.name}",
            f"{foreign[0]!r}, which {first.name} lacks" if foreign else "only some of them",
            f"{alike}{'; or ' * bool(alike)}{other.name}.to_numpy() goes by position, if the rows are those of "
            f"{first.name}",
        )


def _by_position(first: _Labelled, others: list[_Labelled]) -> bool:
    """Return whether labels are matched by position, not joined; raise an error if neither is certain."""
    _refuse_repeated_labels(first, others)
    default = [one for one in (first, *others) if is_default(one.labels)]
    if not default:
        _refuse_other_labels(first, others)
        return False
    unlabelled = default[0]
    for one in (first, *others):
        if _same_order(one, unlabelled):
            continue
        if not _are_no_positions(one.labels, unlabelled.labels):
            _refuse_default(unlabelled, one, first)
    odd = [one for one in (first, *others) if not _same_order(one, unlabelled)]
    if apart := [one for one in odd if not _same_order(one, odd[0])]:
        raise ArgumentError(
            apart[0].name,
            f"must have its labels in the order of {odd[0].name}, since {unlabelled.name} has a default index",
            _show(apart[0].labels),
            f"{apart[0].name}.to_numpy() goes by position",
        )
    return True


def _are_no_positions(labels: pd.Index, plain: pd.Index) -> bool:
    """Return whether labels cannot be meant by 0, 1, ...: other whole numbers, or texts that are no numbers."""
    if _are_integers(labels):
        return set(labels) != set(plain)
    if isinstance(labels, pd.MultiIndex) or not all(isinstance(label, str) for label in labels):
        return False
    return isinstance(plain, pd.RangeIndex) and not any(
        label.strip().isdecimal() for label in labels
    )


def _refuse_default(plain: _Labelled, other: _Labelled, first: _Labelled) -> None:
    """Raise an error for a default index beside labels that contradict it, or that are not numbers of rows."""
    later = other if plain is first else plain
    ways = f"{later.name}.to_numpy() goes by position, if the rows are those of {first.name}"
    foreign = [label for label in other.labels.tolist() if label not in set(plain.labels)]
    if foreign and (alike := find_lookalike(foreign[0], plain.labels.tolist())):
        ways = f"{alike}; or {ways}"
    if set(other.labels) == set(plain.labels):
        ways = f"{later.name}.loc[{first.expression}] goes by label, {ways}"
    raise ArgumentError(
        later.name,
        f"must have the labels of {first.name}, or no labels: the default index of {plain.name} may be a position or "
        "a label",
        f"{_show(later.labels)} beside {_show(first.labels)}",
        ways,
    )


def _by_label(one: _Labelled, parts: Mapping[str, Any], first: _Labelled) -> str:
    """Return the expression that puts an argument into the order of the first one."""
    expression = parts[one.name]
    if isinstance(expression, xr.DataArray):
        return f"{one.name}.sel({{{_case_dim(expression)!r}: {first.expression}}})"
    return f"{one.name}.loc[{first.expression}]"


def _show(labels: pd.Index) -> str:
    shown = ", ".join(repr(label) for label in labels[:3].tolist())
    return f"{shown}, ..." if len(labels) > 3 else shown


def _reorder(arguments: Mapping[str, Any], orders: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Return the arguments with their cases in these orders, by the name of each object."""
    result: dict[str, Any] = {}
    for argument, value in arguments.items():
        if isinstance(value, Mapping) and not isinstance(value, xr.Dataset):
            expressions = {name: f"{argument}[{name!r}]" for name in value}
            result[argument] = {
                name: _take(value[name], orders[known]) if known in orders else value[name]
                for name, known in expressions.items()
            }
        else:
            result[argument] = _take(value, orders[argument]) if argument in orders else value
    return result


def _take(value: Any, order: np.ndarray) -> Any:
    if isinstance(value, xr.DataArray):
        moved = value.isel({_case_dim(value): order})
        # A copy in C order: the last bit of a sum depends on the memory layout.
        return (
            moved.copy(data=np.ascontiguousarray(moved.data))
            if isinstance(moved.data, np.ndarray)
            else moved
        )
    return value.iloc[order]
