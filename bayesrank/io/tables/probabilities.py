"""Tables of predicted probabilities: the true label of each case, and a number of each entity for it."""

import re
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.errors import ArgumentError
from bayesrank._core.labels import factorize, standing_pair
from bayesrank._core.notes import add_notes
from bayesrank._core.prose import list_names
from bayesrank.evidence.probabilities import from_probabilities
from bayesrank.io.tables.named_roles import NamedColumns
from bayesrank.io.tables.table import Roles, Table
from bayesrank.io.tables.values import is_missing, plain, to_number, to_share

#: Arguments that tables of probabilities do not take.
WITHOUT = ("run", "missing", "cost", "count")
#: Words beside the name of a class in the heading of its probabilities.
FILLERS = {
    "p",
    "pr",
    "prob",
    "probability",
    "proba",
    "pred",
    "predicted",
    "prediction",
    "score",
    "class",
    "is",
    "of",
}


def hold_probabilities(table: Table, actual: Any, names: Sequence[Any], chosen: bool) -> bool:
    """Return whether columns beside the true labels of two classes hold numbers, and no labels.

    In each of them a value lies between 0 and 1, or most values are no labels; in one of them, if
    the user has ``chosen`` the columns, as a tree may predict 0 and 1 alone.
    """
    labels = {str(plain(value)) for value in table.distinct(actual) if not is_missing(value)}
    if by_class(labels, names):
        return True
    if len(labels) != 2 or not names:
        return False
    numeric_labels = {to_number(label) for label in labels} - {None}
    numbers_of = []
    for name in names:
        numbers = [to_share(value) for value in table.columns[name] if not is_missing(value)]
        if not numbers or None in numbers:
            return False
        columns = np.array(numbers, float)
        foreign = ~np.isin(columns, [float(label) for label in numeric_labels if label is not None])
        numbers_of.append(
            bool(((columns > 0) & (columns < 1) & foreign).any() or foreign.mean() > 0.5)
        )
    return any(numbers_of) if chosen else all(numbers_of)


def by_class(labels: set[str], names: Sequence[Any]) -> dict[str, dict[str, Any]]:
    """Return the columns "entity: class" of each entity by class; empty unless each entity has all classes."""
    found: dict[str, dict[str, Any]] = {}
    for name in names:
        entity, mark, label = str(name).rpartition(": ")
        if not mark or label not in labels:
            return {}
        found.setdefault(entity, {})[label] = name
    return found if all(set(columns) == labels for columns in found.values()) else {}


def class_in(
    heading: Any, classes: Sequence[str], fillers: Collection[str] | None = FILLERS
) -> str | None:
    """Return the class that a heading names, as in malignant, p_malignant or ".pred_1"; None if there is none.

    ``fillers`` are the words that may stand beside it; None is any word.
    """
    words, matches = _words(heading), list[tuple[int, str]]()
    for label in classes:
        own = _words(label)
        size = len(own)
        for i in range(len(words) - size + 1) if own else ():
            if words[i : i + size] == own and (
                fillers is None or {*words[:i], *words[i + size :]} <= set(fillers)
            ):
                matches.append((size, label))
    # Of "benign" and "not benign", the longer one is meant.
    longest = {label for size, label in matches if size == max(matches)[0]}
    return longest.pop() if len(longest) == 1 else None


def _words(text: Any) -> list[str]:
    """Return the words of a heading or a label in lower case; those of a number are one."""
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", str(text)).replace("_", " ")
    return re.findall(r"(?<!\w)-\d+(?:\.\d+)?|\d+\.\d+|\w+", spaced.lower())


def refuse_class_names(table: Table, actual: Any, names: Sequence[Any]) -> None:
    """Raise an error for columns of numbers whose headings name classes: they are of one entity, which has no name."""
    labels = sorted(
        {str(plain(value)) for value in table.distinct(actual) if not is_missing(value)}
    )
    named = {name: label for name in names if (label := class_in(name, labels)) is not None}
    if not named:
        return
    name, label = next(iter(named.items()))
    raise ArgumentError(
        table.source,
        "must name the entity in the headings of its probabilities",
        f"{list_names(list(map(str, named)))}, which {'name classes' if len(named) > 1 else 'names a class'}",
        f"rename {name} to 'MODEL: {label}', and so for each class; or to MODEL if it is of the positive class",
    )


def read_wide(
    table: Table, named: NamedColumns, actual: Any, names: Sequence[Any], record: dict, roles: Roles
) -> xr.Dataset:
    """Read a table with one row for each case and one column of probabilities for each entity."""
    labels = {str(plain(value)) for value in table.distinct(actual) if not is_missing(value)}
    columns: dict[Any, Any] = {
        entity: pd.DataFrame({label: _numbers(table, name) for label, name in held.items()})
        for entity, held in by_class(labels, names).items()
    }
    if not columns:
        columns = {plain(name): _numbers(table, name) for name in names}
    return _evidence(table, named, table.columns[actual], columns, record, roles)


def read_long(table: Table, named: NamedColumns, roles: Roles) -> xr.Dataset:
    """Read a table with one row for each entity and case, with the columns case, actual and probability."""
    entity, names = factorize(table.read_names(named.by_role["entity"], "entity"))
    keys = [
        table.read_names(named.by_role[role], role)
        for role in ("dataset", "case")
        if role in named.by_role
    ]
    case, cases = factorize(list(zip(*keys, strict=True)))
    rows = _rows_by_case(table, (entity, names), (case, cases))
    numbers = np.array(_numbers(table, named.by_role["probability"]))
    record: dict[str, Any] = {}
    for role in ("actual", "dataset", "cluster", "weight"):
        if role not in named.by_role:
            continue
        column = table.columns[named.by_role[role]]
        first = rows[entity, case]
        for i, same in enumerate(rows[0][case].tolist()):
            if column[same] != column[i]:
                raise ArgumentError(
                    f"{table.where[int(first[i])]}: {named.by_role[role]}",
                    f"must be the same for all entities on case {cases[case[i]][-1]!r}",
                    f"{column[i]!r} after {column[same]!r}",
                )
        fields_of = table.read_numbers(named.by_role[role]) if role == "weight" else column
        record[role] = [fields_of[i] for i in rows[0]]
    actual = record.pop("actual")
    columns = {plain(name): numbers[rows[k]].tolist() for k, name in enumerate(names)}
    return _evidence(table, named, actual, columns, record, roles)


def _rows_by_case(
    table: Table, entity: tuple[np.ndarray, list], case: tuple[np.ndarray, list]
) -> np.ndarray:
    """Return the row of each entity on each case, from codes and names of both; raise an error unless it is one."""
    (entity_code, names), (case_code, cases) = entity, case
    rows = np.full((len(names), len(cases)), -1)
    for i, (k, c) in enumerate(zip(entity_code.tolist(), case_code.tolist(), strict=True)):
        if rows[k, c] >= 0:
            before = table.place(int(rows[k, c]))
            raise ArgumentError(
                f"{table.where[i]}: case",
                "must name each case once for each entity",
                f"{cases[c][-1]!r} in {before} as well",
            )
        rows[k, c] = i
    if (rows < 0).any():
        k, c = np.argwhere(rows < 0)[0]
        raise ArgumentError(
            table.source,
            "must have a row for every entity on every case",
            f"none for entity {names[k]!r} on case {cases[c][-1]!r}",
        )
    return rows


def _evidence(
    table: Table,
    named: NamedColumns,
    actual: list,
    columns: dict[Any, Any],
    record: dict[str, Any],
    roles: Roles,
) -> xr.Dataset:
    for argument in WITHOUT:
        if not (
            table.trial and argument == "missing"
        ):  # a suggestion may lead to the question what is missing
            table.refuse(roles, argument, "for predicted probabilities")
    if None in actual or any(is_missing(value) for value in actual):
        row = next(i for i, value in enumerate(actual) if is_missing(value))
        raise ArgumentError(f"{table.where[row]}: {named.by_role['actual']}", "must not be empty")
    labels = sorted({str(plain(value)) for value in actual})
    positive = labels[0] if table.trial and roles.positive is None else roles.positive
    if positive is None and len(labels) == 2 and standing_pair(labels) is None:
        raise ArgumentError(
            table.source,
            "must say which class the probabilities are of",
            list_names(labels),
            f"{table.options('positive', labels)} says it",
        )
    truth = (
        [str(plain(value)) for value in actual]
        if table.shell
        else [plain(value) for value in actual]
    )
    groups = {
        role: record[role] for role in ("case", "cluster", "dataset", "weight") if role in record
    }
    result = from_probabilities(truth, columns, positive=positive, **groups)
    return result.assign_attrs(add_notes(result.attrs, named.notes))


def _numbers(table: Table, name: Any) -> list[float]:
    """Return the numbers of a column; raise at a missing one."""
    result = []
    for where, value in zip(table.where, table.columns[name], strict=True):
        number = to_share(value)
        if number is None or number != number:
            raise ArgumentError(
                f"{where}: {name}", "must be a probability or another number", f"{value!r}"
            )
        result.append(number)
    return result
