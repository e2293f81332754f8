"""Columns of a table as names, counts and labels, with a check of each field."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from bayesrank._checks import check_item_names
from bayesrank.evidence._table import Roles, Table
from bayesrank.evidence._values import as_count, as_label_columns, count_hint, is_missing

__all__ = [
    "EXACT", "as_floats", "check_exact", "join_with_or", "list_names", "read_count_column", "read_full_labels",
    "read_labels", "read_names", "refuse_positive", "say_never_true", "say_unknown_positive",
]  # fmt: skip

#: Largest whole number that floats represent exactly.
EXACT = 2**53


def join_with_or(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"


def list_names(names: Sequence[Any], most: int = 3) -> str:
    more = len(names) - most
    return ", ".join(map(str, names[:most])) + (f" and {more} more" if more > 0 else "")


def read_names(table: Table, column: Any, role: str) -> list[Any]:
    """Return names of entities, data sets or clusters: text or other single values, none missing."""
    found = table.column(column)
    for i, name in enumerate(found):
        if is_missing(name):
            raise ValueError(f"{table.where[i]}: {column} must not be empty, since it must name every item")
    return check_item_names(role, found, len(found))


def read_count_column(table: Table, column: Any, role: str) -> list[int]:
    found = []
    for i, value in enumerate(table.column(column)):
        number = as_count(value)
        if number is None:
            if is_missing(value, words=True):
                raise ValueError(f"{table.where[i]}: {column} must not be empty (write 0 if there were none)")
            hint = count_hint(value)
            raise ValueError(
                f"{table.where[i]}: {column} must be a count, a non-negative whole number without separators or signs; "
                f"got {value!r}{f' ({hint})' if hint else ''}"
            )
        found.append(number)
    return found


def read_labels(table: Table, *names: Any) -> list[list[Any]]:
    """Return columns of labels with one type; categorical columns unchanged."""
    columns = [table.column(name) for name in names]
    if any(name in table.categories for name in names):
        return columns
    try:
        return as_label_columns(*columns)
    except ValueError as error:
        raise ValueError(f"{table.source}: {error}") from None


def read_full_labels(table: Table, names: list[Any], must: list[bool]) -> list[list[Any]]:
    found = read_labels(table, *names)
    for name, column, may in zip(names, found, [False, *must[1:]], strict=True):
        lacking = next((i for i, label in enumerate(column) if label is None), None)
        if lacking is not None and not may:
            hint = (
                f" ({table.option('missing', 'common')} keeps the cases that all entities met)"
                if name != names[0]
                else ""
            )
            raise ValueError(f"{table.where[lacking]}: {name} must not be empty{hint}")
    return found


def refuse_positive(table: Table, roles: Roles) -> None:
    if roles.positive is not None:
        raise ValueError(
            f"{table.argument('positive')} must be left out for outcomes, which have no classes; got {roles.positive!r}"
        )


def check_exact(values: Sequence[Any]) -> None:
    large = [v for v in values if isinstance(v, int | np.integer) and not isinstance(v, bool) and abs(int(v)) > EXACT]
    if large:
        raise ValueError(f"outcome must hold whole numbers up to 2**53, beyond which digits are lost; got {large[0]}")


def as_floats(values: list[Any]) -> np.ndarray:
    return np.array([np.nan if value is None else value for value in values], float)


def say_never_true(labels: Iterable[Any], actual: Iterable[Any]) -> list[str]:
    """List labels that are predicted but never true, if there are more than two labels."""
    labels = list(labels)
    never = sorted(map(str, set(labels) - set(actual)))
    return [f"Predicted labels that no case has are always wrong: {list_names(never)}."] * (
        bool(never) and len(labels) > 2
    )


def say_unknown_positive(table: Table, labels: Iterable[Any]) -> str:
    """State that the positive one of two classes is unknown, and what to type."""
    first, second = sorted(map(str, labels))
    said = join_with_or([table.option("positive", label) for label in (first, second)])
    return f"None of the classes {first!r} and {second!r} is known as the positive one: {said} says which."
