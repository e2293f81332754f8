"""Tables of votes on pairs: the columns model_a, model_b and winner."""

from dataclasses import fields, replace
from itertools import combinations
from typing import Any

import xarray as xr

from bayesrank._core.errors import ArgumentError
from bayesrank._core.notes import add_notes
from bayesrank.evidence.ballots import NOUNS, STRATUM, UNITS
from bayesrank.evidence.ledger import ledger_of
from bayesrank.evidence.votes import TIES, count_votes
from bayesrank.io.tables.columns import role_of, squeeze
from bayesrank.io.tables.judgements import find_judges
from bayesrank.io.tables.named_roles import holds_outcomes
from bayesrank.io.tables.roles import QUESTIONS, STANDARD, VOTERS
from bayesrank.io.tables.table import Roles, Table
from bayesrank.io.tables.values import is_missing

#: The columns of such a table by role, without case, blanks and underscores.
HEADINGS = {role: STANDARD[role] for role in ("a", "b", "winner")}
#: The roles of columns with numbers of votes, and their weights.
NUMBERS = ("count", "weight")
#: Headings of columns that look like voters and like questions.
LIKE_UNITS = {"cluster": VOTERS, "case": QUESTIONS}


def find_votes(table: Table, roles: Roles) -> dict[str, Any] | None:
    """Return the columns of a table of votes by role; None for other tables.

    The column with the truth holds the votes of people, and takes the place of the winner.
    """
    named_columns = {role: getattr(roles, role) for role in HEADINGS}
    named = {
        role: table.find(role, name) for role, name in named_columns.items() if name is not None
    }
    by_heading = {squeeze(name): name for name in reversed(table.columns)}
    requested = [role for role in HEADINGS if role != "winner" or roles.truth is None]
    usual = {
        role: by_heading[one]
        for role in HEADINGS
        for one in reversed(HEADINGS[role])
        if one in by_heading
    }
    columns = usual | named
    pair = [columns[role] for role in ("a", "b") if role in columns]
    names = len(pair) == 2 and not any(holds_outcomes(table.columns[name]) for name in pair)
    if named or (names and roles.truth is None and roles.entities is None):
        _refuse_lacking(table, columns, requested)
    if any(role not in columns for role in requested):
        _refuse_unnamed_votes(table, roles)
        return None
    columns = {role: columns[role] for role in requested}
    table.check_single(columns.values())
    return (
        columns if roles.truth is None else columns | {"winner": table.find("truth", roles.truth)}
    )


def _refuse_lacking(table: Table, columns: dict[str, Any], wanted: list[str]) -> None:
    """Raise an error for votes without one of their columns."""
    lacking = [role for role in wanted if role not in columns]
    if not lacking:
        return
    present = " and ".join(str(columns[role]) for role in HEADINGS if role in columns)
    if lacking == ["winner"]:
        raise ArgumentError(
            table.source,
            f"must have a column winner beside {present}; its heading is {table.heading()}. "
            "Its values are model_a, model_b, tie, or the name of the winner",
        )
    raise ArgumentError(
        table.argument(lacking[0]),
        f"must name a column beside {present}: votes have the columns a, b and winner",
        "none",
    )


def _refuse_unnamed_votes(table: Table, roles: Roles) -> None:
    """Ask for the columns of votes where each value of a column is that of one of two others in its row, or a tie."""
    roles_set = (one.name for one in fields(Roles) if getattr(roles, one.name) is not None)
    if set(roles_set) - {"count", "where"} or not len(table.where):
        return
    texts = {
        name: held
        for name, held in table.columns.items()
        if not holds_outcomes(held) and name not in table.nested
    }
    for winner, won in texts.items():
        others = [name for name in texts if name != winner]
        for a, b in combinations(others, 2):
            if _are_votes(texts[a], texts[b], won):
                typed = [
                    table.option(role, name)
                    for role, name in (("a", a), ("b", b), ("winner", winner))
                ]
                raise ArgumentError(
                    table.source,
                    "must say which columns hold the entities of each vote and its winner",
                    f"{a}, {b} and {winner}",
                    f"{table.together(*typed)} says so",
                )


def _are_votes(first: list[Any], second: list[Any], won: list[Any]) -> bool:
    """Return whether each winner is the entity of one of two columns in its row, or a tie; both sides occur."""
    rows = list(zip(first, second, won, strict=True))
    ties = {tie.casefold() for tie in TIES}
    if any(a == b for a, b, _ in rows):
        return False
    valid = all(w in (a, b) or str(w).strip().casefold() in ties for a, b, w in rows)
    return valid and any(w == a for a, _, w in rows) and any(w == b for _, b, w in rows)


def read_votes(table: Table, headings: dict[str, Any], roles: Roles) -> xr.Dataset:
    """Return the votes of a table, as :func:`bayesrank.from_votes` does; an inferred judge is noted."""
    _refuse_other_roles(table, roles)
    if roles.count is not None:
        headings = headings | {"count": table.find("count", roles.count)}
    elif named := [name for name in table.columns if squeeze(name) in ("count", "votes")]:
        raise ArgumentError(
            table.source,
            f"must say what its column {named[0]} holds",
            "a table of votes",
            f"{table.option('count', named[0])} if a row stands for that many votes, else {table.without(named[0])}",
        )
    if roles.weight is not None:
        headings = headings | {"weight": table.find("weight", roles.weight)}
    judges, notes = find_judges(table, roles, list(headings.values()), True)
    swaying = [table.find("covariates", name) for name in roles.covariate_columns()]
    if roles.dataset is not None:
        headings = headings | {STRATUM: table.find("dataset", roles.dataset)}
    headings = headings | _find_units(table, roles, [*headings.values(), *judges, *swaying])
    columns = {
        role: table.read_numbers(name) if role == "weight" else table.columns[name]
        for role, name in headings.items()
    }
    result = count_votes(
        columns,
        headings | ({"covariates": swaying[0]} if swaying else {}),
        table.where,
        {name: table.columns[name] for name in judges},
        {name: table.columns[name] for name in swaying},
    )
    used = {*headings.values(), *judges, *swaying}
    ignored = tuple(str(name) for name in table.columns if name not in used)
    return result.assign_attrs(
        add_notes(result.attrs, notes) | replace(ledger_of(result), ignored=ignored).to_attrs()
    )


def _refuse_other_roles(table: Table, roles: Roles) -> None:
    """Raise an error if the user names a column that votes do not have."""
    for one in fields(Roles):
        if one.name == "group" and roles.group is not None:
            by = f"; --by {roles.group} ranks each category" if table.shell else ""
            table.refuse(roles, "group", f"for votes, which have no mean over groups{by}")
        if one.name not in (*HEADINGS, *NUMBERS, "truth", "judge", "covariates", "dataset", *UNITS):
            table.refuse(
                roles, one.name, "for votes, whose columns are model_a, model_b and winner"
            )


def _find_units(table: Table, roles: Roles, used: list[Any]) -> dict[str, Any]:
    """Return the columns of voters and questions by role; stop at a column that looks like one and is not named."""
    result = {
        role: table.find(role, name) for role in UNITS if (name := getattr(roles, role)) is not None
    }
    free = [name for name in table.columns if name not in (*used, *result.values())]
    for role in UNITS:
        if role not in result and (same := [name for name in free if role_of(name) == role]):
            result[role] = same[0]
    like = {
        role: next(
            (name for name in free if squeeze(name) in names and _repeats(table.columns[name])),
            None,
        )
        for role, names in LIKE_UNITS.items()
        if role not in result
    }
    if doubts := {role: name for role, name in like.items() if name is not None}:
        several = len(doubts) > 1
        nouns = " and ".join(f"{NOUNS[role]}s" for role in doubts)
        raise ArgumentError(
            table.source,
            f"must say whether its {'columns' if several else 'column'} {' and '.join(map(str, doubts.values()))} "
            f"{'name' if several else 'names'} {nouns}, whose votes are not independent",
            "",
            f"{table.together(*(table.option(role, name) for role, name in doubts.items()))} if so, else "
            f"{table.without(list(doubts.values()))}",
        )
    return result


def _repeats(column: list[Any]) -> bool:
    """Return whether a value stands in several rows, but not in all."""
    names = [value for value in column if not is_missing(value)]
    return 1 < len(set(names)) < len(names)
