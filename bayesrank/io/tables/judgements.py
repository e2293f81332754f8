"""Tables of judged cases: a column with the truth of some cases, and columns with verdicts on all of them."""

from dataclasses import fields, replace
from typing import Any

import xarray as xr

from bayesrank._core.checks import check_column_names
from bayesrank._core.errors import ArgumentError
from bayesrank._core.notes import Note, add_notes
from bayesrank._core.nouns import noun_of_column
from bayesrank._core.prose import list_names
from bayesrank._core.records import EvidenceRecord
from bayesrank.evidence.judged import VERDICTS, collect_judged
from bayesrank.evidence.ledger import ledger_of
from bayesrank.io.tables.columns import is_metadata_name, role_of, squeeze
from bayesrank.io.tables.forms import find_entity
from bayesrank.io.tables.named_roles import NamedColumns
from bayesrank.io.tables.roles import LONG_CASE_NAMES
from bayesrank.io.tables.table import Roles, Table
from bayesrank.io.tables.values import is_missing, to_number

#: Roles of columns beside verdicts and truth.
BESIDE = ("entity", "case", "cluster", "dataset", "count")


def are_judged(table: Table, roles: Roles) -> bool:
    """Return whether a table has verdicts of judges; otherwise a truth that is known in part is a true label."""
    if roles.truth is None and roles.judge is not None:
        raise ArgumentError(
            table.argument("truth"),
            f"must name the column with the truth when {table.argument('judge')} is given",
            "none",
        )
    named = roles.predicted is not None or roles.probability is not None
    predicted = named or any(role_of(name) == "predicted" for name in table.columns)
    return roles.truth is not None and (
        roles.judge is not None or (roles.entities is None and not predicted)
    )


def read_judged(table: Table, roles: Roles) -> xr.Dataset:
    """Return the judged outcomes of a table, as :func:`bayesrank.from_judged` does; an inferred judge is noted."""
    for one in fields(Roles):
        if one.name not in (*BESIDE, "judge", "truth", "weight"):
            table.refuse(roles, one.name, "for judged cases")
    truth = table.find("truth", roles.truth)
    columns = _find_columns(table, roles, [truth, *_named_judges(table, roles, [truth])])
    judges, notes = find_judges(table, roles, [truth, *columns.values()], "entity" in columns)
    by_role = {role: table.columns[name] for role, name in columns.items()}
    for role in set(BESIDE[:-1]) & set(by_role):
        table.read_names(columns[role], role)
    if "count" in columns:
        by_role["count"] = table.read_counts(columns["count"])
    if "weight" in columns:
        by_role["weight"] = table.read_numbers(columns["weight"])
    verdicts = [list(map(_plain, table.columns[name])) for name in judges]
    result = collect_judged(
        by_role,
        verdicts,
        list(map(_plain, table.columns[truth])),
        [str(j) for j in judges],
        table.where,
    )
    used = {truth, *judges, *columns.values()}
    ignored = tuple(str(name) for name in table.columns if name not in used)
    ledger = replace(ledger_of(result), ignored=ignored)
    called = EvidenceRecord(noun=noun_of_column(columns.get("entity")))
    return result.assign_attrs(
        add_notes(result.attrs, notes) | ledger.to_attrs() | called.to_attrs()
    )


def find_judges(
    table: Table, roles: Roles, used: list[Any], long: bool
) -> tuple[list[Any], list[Note]]:
    """Return the columns with verdicts beside a truth, and a note if the only one that can be meant was inferred."""
    judges = _named_judges(table, roles, used)
    if judges or roles.truth is None:
        return judges, []
    judges = [_only_judge(table, used, long)]
    return judges, [Note("column_holds_verdicts", {"column": str(judges[0])})]


def _named_judges(table: Table, roles: Roles, used: list[Any]) -> list[Any]:
    columns = (
        []
        if roles.judge is None
        else check_column_names("judge", roles.judge, table.columns, table.source)
    )
    judges = [table.find("judge", name) for name in columns]
    if other := [name for name in judges if name in used]:
        raise ArgumentError(
            table.argument("judge"),
            "must not name the column with the truth",
            f"{other[0]!r}",
        )
    return judges


def _find_columns(table: Table, roles: Roles, used: list[Any]) -> dict[str, Any]:
    """Return the columns beside verdicts and truth by role: named by the user, or with usual names."""
    named = {
        role: table.find(role, name)
        for role in (*BESIDE, "weight")
        if (name := getattr(roles, role)) is not None
    }
    free = [name for name in table.columns if name not in (*used, *named.values())]
    if "entity" not in named:
        entity = next((name for name in free if squeeze(name) == "entity"), None)
        rest = replace(table, columns={name: table.columns[name] for name in free})
        entity = find_entity(rest, NamedColumns({}, []), roles) if entity is None else entity
        named |= {} if entity is None else {"entity": entity}
    for role in BESIDE[1:-1]:
        if (
            role not in named
            and (name := next((name for name in free if role_of(name) == role), None)) is not None
        ):
            named[role] = name
    others = [name for name in free if squeeze(name) in LONG_CASE_NAMES]
    if "case" not in named and len(others) == 1:
        named["case"] = others[0]
    if "count" not in named and (counts := [name for name in free if role_of(name) == "count"]):
        raise ArgumentError(
            table.source,
            f"must say what its column {counts[0]} holds",
            "a table of judged cases",
            f"{table.option('count', counts[0])} if a row stands for that many cases, else {table.without(counts[0])}",
        )
    return named


def _only_judge(table: Table, used: list[Any], long: bool) -> Any:
    """Return the only column that can hold verdicts of a judge, in a table whose entities have a column."""
    free = [name for name in table.columns if name not in used and not is_metadata_name(name)]
    free = [
        name
        for name in free
        if 1 < len({v for v in table.distinct(name) if not is_missing(v)}) <= VERDICTS
    ]
    if len(free) == 1 and long:
        return free[0]
    if not free:
        raise ArgumentError(
            table.source,
            "must have a column with the verdicts of a judge",
            "none",
            f"{table.argument('judge')} names it",
        )
    several = f" (several together: {table.option('judge', free[:2])})" * (len(free) > 1)
    tests = (
        ""
        if long
        else f"; {table.option('entities', free)} if they are predictions or tests that are compared"
    )
    raise ArgumentError(
        table.source,
        "must say which column holds the verdicts of a judge",
        list_names(list(map(str, free)), 4),
        f"{table.options('judge', free[:3])}{several}{tests}",
    )


def _plain(value: Any) -> Any:
    """Return the number that a field spells, so that 1, "1" and "1.0" are one verdict; text otherwise."""
    number = None if is_missing(value) else to_number(value)
    return value if number is None else number
