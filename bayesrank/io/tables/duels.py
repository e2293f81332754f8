"""Other forms of votes: one column a winner, two games with sides changed, winners beside losers."""

from dataclasses import replace
from typing import Any

from bayesrank._core.errors import ArgumentError
from bayesrank._core.notes import Note
from bayesrank.io.tables.columns import squeeze
from bayesrank.io.tables.table import Roles, Table
from bayesrank.io.tables.values import as_outcomes, is_missing

#: The winner by columns that hold 1 for it, as squeezed headings; the last two mean a tie.
ONE_HOT = {
    "winnermodela": "model_a",
    "winnermodelb": "model_b",
    "winnertie": "tie",
    "winnertiebothbad": "tie",
}
#: The winners of two games of a pair, with sides changed, in MT-bench's judgments.
GAMES = ("g1winner", "g2winner")
#: What MT-bench writes for a game that no judge could decide.
ERROR = "error"


def with_winner(table: Table, roles: Roles) -> tuple[Table, list[Note]]:
    """Return a table of votes with a column winner where another form says who won; other tables unchanged."""
    of = {squeeze(name): name for name in reversed(table.columns)}
    if (
        "winner" not in of
        and {"winnermodela", "winnermodelb"} <= set(of)
        and roles.entities is None
    ):
        return _of_one_hot(
            table, {of[name]: who for name, who in ONE_HOT.items() if name in of}
        ), []
    if "winner" not in of and set(GAMES) <= set(of):
        return _of_two_games(table, *(of[name] for name in GAMES))
    if (
        {"winner", "loser"} <= set(of)
        and not {"modela", "modelb"} & set(of)
        and roles.a is roles.b is None
    ):
        winners, losers = table.columns[of["winner"]], table.columns[of["loser"]]
        rest = {
            name: held
            for name, held in table.columns.items()
            if name not in (of["winner"], of["loser"])
        }
        return replace(
            table, columns={"model_a": winners, "model_b": losers, "winner": winners, **rest}
        ), []
    return table, []


def _of_one_hot(table: Table, columns: dict[Any, str]) -> Table:
    """Return the table with one column winner in place of several, one of which is 1 in each row."""
    outcomes = {name: as_outcomes(table.columns[name]) for name in columns}
    winners = []
    for row, values in enumerate(zip(*outcomes.values(), strict=True)):
        won = [who for who, value in zip(columns.values(), values, strict=True) if value == 1]
        if len(won) != 1 or not set(values) <= {0.0, 1.0}:
            names = ", ".join(map(str, columns))
            got = ", ".join("nothing" if value is None else f"{value}" for value in values)
            raise ArgumentError(
                f"{table.where[row]}: {names}",
                "must be 1 for one of them and 0 for the remaining ones",
                got,
            )
        winners += won
    return replace(
        table.drop(list(columns)), columns={**table.drop(list(columns)).columns, "winner": winners}
    )


def _of_two_games(table: Table, first: Any, second: Any) -> tuple[Table, list[Note]]:
    """Return the table with one winner of two games, one that won both, else a tie; undecided pairs are left out."""
    retained, winners = [], []
    for row, (one, other) in enumerate(
        zip(table.columns[first], table.columns[second], strict=True)
    ):
        if is_missing(one) or is_missing(other) or ERROR in (one, other):
            continue
        retained.append(row)
        winners.append(one if one == other else "tie")
    columns = {
        name: [held[row] for row in retained]
        for name, held in table.columns.items()
        if name not in (first, second)
    }
    notes = [Note("games_make_one_vote", {"left_out": len(table.where) - len(retained)})]
    return replace(
        table, columns={**columns, "winner": winners}, where=[table.where[row] for row in retained]
    ), notes
