"""Rows of a table that are read, entities that several columns name, and metrics, of which one is ranked."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from bayesrank._core.checks import describe_value
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.inputs import split_line
from bayesrank._core.notes import Note
from bayesrank._core.prose import list_names
from bayesrank.io.tables.columns import may_be_low, role_of, squeeze
from bayesrank.io.tables.roles import ENTITY_NAMES, METRIC_NAMES
from bayesrank.io.tables.table import ROW, Roles, Table, list_choices
from bayesrank.io.tables.values import is_missing, plain, to_number

#: Roles that several columns may have together.
SEVERAL = ("entity", "dataset", "case", "cluster")


def select(table: Table, roles: Roles) -> tuple[Table, Roles, list[Note]]:
    """Return the rows of one metric that the user wants, with one column of entities, and notes on what was selected.

    The roles returned have no ``where``, and one column for ``entity``.
    """
    notes: list[Note] = []
    if roles.where is not None:
        table, note = _keep_rows(table, roles)
        notes.append(note)
    table, roles = table_with_rows(table, replace(roles, where=None))
    for role in SEVERAL:
        table, roles = _join_columns(table, roles, role)
    _refuse_metrics(table, roles)
    return table, roles, notes


def _keep_rows(table: Table, roles: Roles) -> tuple[Table, Note]:
    """Return the rows with the wanted values; a column that then has one value, and no role, is left out."""
    if not isinstance(roles.where, Mapping) or not roles.where:
        got = describe_value(roles.where)
        raise ArgumentTypeError(
            "where", "must be a dictionary of columns and values, such as {'metric': 'dice'}", got
        )
    retained, text, unmatched = list(range(len(table.where))), [], []
    for requested, given in roles.where.items():
        name = table.find("where", requested)
        values = list(given) if isinstance(given, list | tuple) else [given]
        retained = _matching_rows(table, name, values, retained)
        unmatched.append(name)
        text.append(f"{name} = {' or '.join(map(str, values))}")
    size = len(table.where)
    table = replace(
        table,
        columns={name: [held[i] for i in retained] for name, held in table.columns.items()},
        where=[table.where[i] for i in retained],
    )
    named = {
        squeeze(name) for one in fields(Roles) if isinstance(name := getattr(roles, one.name), str)
    }
    named |= {squeeze(name) for role in SEVERAL for name in _columns_of(table, roles, role)}
    spare = [
        name
        for name in unmatched
        if len(set(map(str, table.columns[name]))) == 1
        and role_of(name) is None
        and squeeze(name) not in named | ENTITY_NAMES
    ]
    return table.drop(spare), Note(
        "rows_selected", {"conditions": text, "rows": len(retained), "of": size}
    )


def _matching_rows(table: Table, name: Any, values: list[Any], rows: list[int]) -> list[int]:
    """Return the rows with one of the values in a column; raise an error if there is none."""
    texts, column = {str(plain(value)) for value in values}, table.columns[name]
    matching = [
        i
        for i in rows
        if not is_missing(column[i]) and (column[i] in values or str(column[i]) in texts)
    ]
    if not matching:
        names = dict.fromkeys(str(value) for value in column if not is_missing(value))
        raise ArgumentError(
            table.argument("where"),
            "must keep at least one row",
            f"{name}={', '.join(map(str, values))}",
            f"{name} holds {list_names(list(names), 8)}",
        )
    return matching


def table_with_rows(table: Table, roles: Roles) -> tuple[Table, Roles]:
    """Return the table with a column of row numbers if a role is typed as @row."""
    requested = [
        role for role in SEVERAL if isinstance(name := getattr(roles, role), str) and name == ROW
    ]
    if len(requested) > 1:
        first, second = (table.argument(role) for role in requested[:2])
        raise ArgumentError(second, "must name a different column", f"{ROW!r}, as {first} does")
    if not requested:
        return table, roles
    name = next(name for name in ("row", "row number", ROW) if name not in table.columns)
    columns = {**table.columns, name: [f"row {i + 1}" for i in range(len(table.where))]}
    return replace(table, columns=columns), replace(roles, **{requested[0]: name})


def _columns_of(table: Table, roles: Roles, role: str) -> list[Any]:
    """Return the columns that together name the entities, data sets or cases, if the user named two or more."""
    named = getattr(roles, role)
    if isinstance(named, list | tuple) and len(named) > 1:
        return list(named)
    if (
        not table.shell
        or not isinstance(named, str)
        or "," not in named
        or named in map(str, table.columns)
    ):
        return []
    names = [plain(name) for name in split_line(named) if name.strip()]
    return names if len(names) > 1 else []


def _join_columns(table: Table, roles: Roles, role: str) -> tuple[Table, Roles]:
    """Return the table with one column in place of several that together have a role."""
    requested = _columns_of(table, roles, role)
    if not requested:
        return table, roles
    names = [table.find(role, name) for name in requested]
    others = {
        one.name: getattr(roles, one.name)
        for one in fields(Roles)
        if one.name not in (role, "entities")
    }
    used = next(
        (other for other, value in others.items() if isinstance(value, str) and value in names),
        None,
    )
    if used is not None or len(set(names)) < len(names):
        got = f"{others[used]!r}, the {used} as well" if used else ", ".join(map(str, names))
        raise ArgumentError(table.argument(role), "must name different columns", got)
    rows = list(zip(*(table.read_names(name, role) for name in names), strict=True))
    joined = [", ".join(map(str, row)) for row in rows]
    if len(set(joined)) < len(set(rows)):
        raise ArgumentError(
            table.argument(role),
            "must name columns whose joined values differ",
            f"{joined[0]!r}",
        )
    title = ", ".join(map(str, names))
    columns = {title if name == names[0] else name: held for name, held in table.columns.items()}
    columns[title] = joined
    return replace(table, columns=columns).drop(names[1:]), replace(roles, **{role: title})


def _refuse_metrics(table: Table, roles: Roles) -> None:
    """Ask for one of several metrics, since a mean over metrics is the value of none."""
    for name in table.columns:
        if squeeze(name) not in METRIC_NAMES or name == roles.entity:
            continue
        values = [value for value in dict.fromkeys(table.columns[name]) if not is_missing(value)]
        if len(values) > 1 and any(to_number(value) is None for value in values):
            raise ArgumentError(
                table.source,
                "must contain only one metric: metrics cannot be averaged",
                f"{list_names(list(map(str, values)), 6)} in the column {name}",
                f"{list_choices([table.condition(name, value) for value in values[:6]])} keeps one",
            )


def low_outcome(roles: Roles, selected: list[Note]) -> str:
    """Return the name of the outcome or metric of the rows that are read if low may be good; empty if not."""
    retained = [text.partition(" = ") for note in selected for text in note.fields["conditions"]]
    names = [value for name, _, value in retained if squeeze(name) in METRIC_NAMES]
    names += [roles.outcome] if isinstance(roles.outcome, str) else []
    return next((name for name in names if may_be_low(name)), "")
