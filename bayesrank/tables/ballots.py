"""Tables of votes on pairs: the columns model_a, model_b and winner."""

from dataclasses import fields, replace
from typing import Any

import xarray as xr

from bayesrank._errors import ArgumentError
from bayesrank._notes import add_notes
from bayesrank.evidence.ledger import ledger_of
from bayesrank.evidence.votes import count_votes
from bayesrank.tables.columns import squeeze
from bayesrank.tables.forms import holds_outcomes
from bayesrank.tables.judgements import find_judges
from bayesrank.tables.table import Roles, Table

#: The columns of such a table by role, without case, blanks and underscores.
HEADINGS = {"a": "modela", "b": "modelb", "winner": "winner"}


def find_votes(table: Table, roles: Roles) -> dict[str, Any] | None:
    """Return the columns of a table of votes by role; None for other tables.

    The column with the truth holds the votes of people, and takes the place of the winner.
    """
    held = {squeeze(name): name for name in table.columns}
    wanted = [role for role in HEADINGS if role != "winner" or roles.truth is None]
    pair = [held[HEADINGS[role]] for role in ("a", "b") if HEADINGS[role] in held]
    names = len(pair) == 2 and not any(holds_outcomes(table.columns[name]) for name in pair)
    if names and "winner" not in held and roles.truth is None and roles.entities is None:
        raise ArgumentError(
            table.source,
            f"must have a column winner beside {pair[0]} and {pair[1]}; its heading is {table.heading()}. "
            "Its values are model_a, model_b, tie, or the name of the winner",
        )
    if any(HEADINGS[role] not in held for role in wanted):
        return None
    found = {role: held[HEADINGS[role]] for role in wanted}
    table.check_single(found.values())
    return found if roles.truth is None else found | {"winner": table.find("truth", roles.truth)}


def read_votes(table: Table, headings: dict[str, Any], roles: Roles) -> xr.Dataset:
    """Return the votes of a table, as :func:`bayesrank.from_votes` does; an inferred judge is noted."""
    for one in fields(Roles):
        if one.name not in ("count", "truth", "judge"):
            table.refuse(roles, one.name, "of votes, whose columns are model_a, model_b and winner")
    if roles.count is not None:
        headings = headings | {"count": table.find("count", roles.count)}
    elif named := [name for name in table.columns if squeeze(name) in ("count", "votes")]:
        raise ArgumentError(
            table.source,
            f"must say what its column {named[0]} holds",
            "a table of votes",
            f"{table.option('count', named[0])} if a row stands for that many votes, else {table.without(named[0])}",
        )
    columns = {role: table.columns[name] for role, name in headings.items()}
    judges, notes = find_judges(table, roles, list(headings.values()), True)
    found = count_votes(columns, headings, table.where, {name: table.columns[name] for name in judges})
    used = {*headings.values(), *judges}
    ignored = tuple(str(name) for name in table.columns if name not in used)
    return found.assign_attrs(add_notes(found.attrs, notes) | replace(ledger_of(found), ignored=ignored).to_attrs())
