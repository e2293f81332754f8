"""Votes on pairs of entities: how often each entity won against each other."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_column, check_column_names, describe_value
from bayesrank._core.errors import Advice, ArgumentError, ArgumentTypeError, Typed
from bayesrank._core.labels import factorize, name_coord
from bayesrank._core.notes import Note, add_notes
from bayesrank._core.nouns import noun_of_column
from bayesrank._core.prose import list_names
from bayesrank._core.records import EvidenceRecord
from bayesrank.evidence.ballots import ABSENT, STRATUM, UNITS, Ballots, read_covariates
from bayesrank.evidence.ledger import Entry, Ledger
from bayesrank.evidence.weighting import Weighted, check_numbers_of_cases, scale_weights

#: Winners that mean a tie, and the first or the second entity of a row. Names of columns are added.
BOTH_BAD = ("tie (bothbad)", "both_bad", "bothbad", "both bad")
TIES = ("tie", "draw", *BOTH_BAD)
FIRST, SECOND = ("model_a", "a"), ("model_b", "b")


#: The vote of a judge, or of a person, that is not there.
UNKNOWN = 3


@check_call
def from_votes(
    frame: pd.DataFrame,
    *,
    a: Any,
    b: Any,
    winner: Any,
    count: Any = None,
    weight: Any = None,
    judge: Any = None,
    cluster: Any = None,
    case: Any = None,
    covariates: Any = None,
) -> xr.Dataset:
    """Count the votes on pairs of entities, such as battles of language models that a person judged.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row for each vote, or for each number of equal votes with ``count``.
    a, b : str
        Columns with the two entities of a vote. Their order does not matter.
    winner : str
        Column with the winner: the name of the entity, the name of its column (or "model_a",
        "model_b", "a", "b"), or "tie" (also "tie (bothbad)", "both_bad", "draw"), in upper or lower
        case.
    count : str, optional
        Column with the number of votes that a row stands for.
    weight : str, optional
        Column with the importance weight of a vote, such as the survey weight of its voter, on any
        scale. A weight multiplies the random weight of the voter or question, so it needs
        ``cluster`` or ``case``. Sums of weights are scaled to the effective number of votes, (Σw)²
        / Σw².
    judge : str or list of str, optional
        Column with the votes of a judge, such as a language model, on all rows, or one column for
        each judge; in the words of ``winner``. ``winner`` then holds the votes of people on some of
        the rows, and is empty in the others. Where one of several judges gave no vote, this counts
        as a vote of its own.
    cluster : str, optional
        Column with the voter. Votes of one voter share a taste, so that voters, not votes, are
        independent. With ``judge``, it may be empty where no person voted; each such row is then
        independent of the others.
    case : str, optional
        Column with the question (prompt) on which the answers of the two were compared. Votes on
        one question are not independent either. With ``cluster`` too, both are taken into account.
        Both orders of one battle (the same pair, question and voter, with the sides swapped) are
        one vote.
    covariates : str or list of str, optional
        Columns with numbers that may sway a vote, such as a difference in length: the value of
        ``a`` minus that of ``b``. The model then estimates strengths at equal values, and the
        coefficients.

    Returns
    -------
    xarray.Dataset
        ``wins`` (entity, rival): how many votes prefer the entity to the rival; ``ties`` (entity,
        rival): how many call them equal, symmetric, or sums of weights; ``cases`` (entity): the
        number of votes on the entity. Entities are in order of appearance. The attr ``ledger`` says
        what was read. Rows with 0 votes do not count. With ``judge``, wins and ties count the votes
        of people, ``cases`` counts all votes, and ``labels`` (entity) the votes of people. A
        ``battle`` is all rows with the same pair of entities and the same votes of judges. ``side``
        (battle, place) contains the two entities.
        ``judge_vote`` (battle, judge) is 0 for the first, 1 for the second, 2 for a tie, 3 for no
        vote. ``human_votes`` (battle, result) counts the people who voted for the first, for the
        second, for a tie, and not at all. With ``cluster``, ``case`` or ``covariates``, a
        ``battle`` is all rows with the same pair and equal values of these: ``results`` (battle,
        result), without judges, counts its votes for the first, for the second, and ties;
        ``cluster``, ``case`` and ``covariate_<name>`` are along ``battle``. A voter of an empty
        name stands for as many voters as there are votes.

    Raises
    ------
    ValueError, TypeError, KeyError
        If a column, a name, a winner or a number is missing; a winner is neither of the two
        entities nor a tie; or an entity is compared with itself. With ``judge``, also if a row has
        no vote of a judge, or no row has a vote of a person. With ``weight``, if neither voters nor
        questions are named.

    References
    ----------
    Davidson (1970), On extending the Bradley-Terry model to accommodate ties in paired comparison
    experiments, Journal of the American Statistical Association 65:317-328, for the model
    ``davidson`` of such counts.

    Examples
    --------
    >>> import pandas as pd
    >>> battles = pd.DataFrame({"left": ["x", "x", "y"], "right": ["y", "y", "x"], "winner": ["x", "tie", "x"]})
    >>> votes = br.from_votes(battles, a="left", b="right", winner="winner")
    >>> votes["wins"].sel(entity="x", rival="y").item(), votes["ties"].sel(entity="x", rival="y").item()
    (2, 1)
    """
    if not isinstance(frame, pd.DataFrame):
        raise ArgumentTypeError("frame", "must be a pandas DataFrame", describe_value(frame))
    judges = _named_columns(frame, "judge", judge)
    swaying = _named_columns(frame, "covariates", covariates)
    roles = [("a", a), ("b", b), ("winner", winner), *(("judge", name) for name in judges)]
    one_each = {"count": count, "weight": weight, "cluster": cluster, "case": case}
    roles += [(role, name) for role, name in one_each.items() if name is not None]
    roles += [("covariates", name) for name in swaying]
    for i, (role, name) in enumerate(roles):
        check_column(role, name, frame.columns)
        first_role = next((other for other, held in roles[:i] if held == name), None)
        if first_role is not None:
            raise ArgumentError(
                role, "must name a different column", f"{name!r}, the {first_role} as well"
            )
    columns = {
        role: frame[name].tolist() for role, name in roles if role not in ("judge", "covariates")
    }
    where = [f"frame, row {label}" for label in frame.index.tolist()]
    return count_votes(
        columns,
        dict(roles),
        where,
        {name: frame[name].tolist() for name in judges},
        {name: frame[name].tolist() for name in swaying},
    )


def _named_columns(frame: pd.DataFrame, role: str, columns: Any) -> list[Any]:
    if columns is None:
        return []
    return [
        check_column(role, name, frame.columns)
        for name in check_column_names(role, columns, frame.columns)
    ]


def count_votes(
    columns: dict[str, list[Any]],
    headings: dict[str, Any],
    where: Sequence[str],
    verdicts: Mapping[Any, list[Any]] | None = None,
    covariates: Mapping[Any, list[Any]] | None = None,
) -> xr.Dataset:
    """Return the votes in columns by role (a, b, winner, [count], [weight], [cluster], [case], [stratum]).

    ``where`` is the place of each row in messages. ``verdicts`` are the votes of judges by name;
    winners may then be unknown. ``covariates`` are columns of numbers by name.
    """
    if not len(where):
        raise ArgumentError("frame", "must have at least one vote", "no row")
    units = [role for role in (*UNITS, STRATUM) if role in columns]
    if verdicts and "cluster" in columns:
        columns = columns | {"cluster": _name_absent_voters(columns)}
    _refuse_empty_fields(columns, headings, where, units, judged=bool(verdicts))
    code, names = factorize([*columns["a"], *columns["b"]])
    first, second = np.split(code, 2)
    _refuse_own_votes(columns, headings, where, first == second)
    numbers_of = _counts(columns.get("count"), headings, where)
    weighted = _weigh(numbers_of, columns, headings)
    counts, notes = weighted.number, weighted.notes
    rows = _VoteRows(columns, headings, where, names, first, second)
    sides = rows.sides(headings["winner"], columns["winner"])
    battles: dict[str, Any] = {}
    numbers = read_covariates(covariates or {}, where)
    has_votes = counts > 0
    shared = {role: columns[role] for role in units}
    ballots = Ballots.of(first, second, sides, counts, shared, numbers).where(has_votes)
    if units or covariates:
        merged, swapped = ballots.merge_orders()
        battles = {} if verdicts else ballots.to_variables(names, merged)
        if swapped:
            notes = [*notes, *swapped]
            counts = counts.astype(float)
            counts[has_votes] = merged
    wins, ties = _count_pairs(first, second, sides, counts, len(names))
    counted = counts if weighted.each is None else numbers_of * (counts > 0)
    cases = np.rint(np.bincount(code, np.tile(counted, 2), len(names))).astype(np.int64)
    _refuse_without_votes(names, cases, str(headings.get("count")))
    entries = tuple(Entry(str(name), int(n)) for name, n in zip(names, cases, strict=True))
    results = rows.results(sides, counts)
    ledger = Ledger(entries, round(counts.sum()), unit="vote", results=results)
    if units or covariates:
        ledger = replace(
            ledger,
            units=tuple(
                (role, sum(name != ABSENT for name in ballots.names[role]))
                for role in units
                if role in UNITS
            ),
            covariates=tuple(
                (name, float(column.min()), float(column.max())) for name, column in numbers.items()
            ),
        )
    variables: dict[str, Any] = {
        "wins": (("entity", "rival"), wins),
        "ties": (("entity", "rival"), ties),
        "cases": ("entity", cases),
    }
    coords: dict[str, Any] = {"entity": name_coord(names), "rival": name_coord(names)}
    if verdicts:
        labels = (wins + wins.T + ties).sum(axis=1)
        labelled = int(labels.sum()) // 2
        votes = _votes_of_judges(rows, verdicts, labelled)
        battles = _judged_battles(
            ballots,
            votes[has_votes],
            names,
            first[has_votes],
            second[has_votes],
            sides[has_votes],
            counts[has_votes],
        )
        variables["labels"] = ("entity", labels)
        ledger = replace(ledger, labels=(labelled, labelled))
    coords |= {role: battles.pop(role) for role in units}
    coords |= {"judge": [str(name) for name in verdicts]} if verdicts else {}
    noun = EvidenceRecord(noun=noun_of_column(headings["a"])).to_attrs()
    return xr.Dataset(variables | battles, coords, add_notes(noun | ledger.to_attrs(), notes))


def _refuse_without_votes(names: list, votes: np.ndarray, heading: str) -> None:
    """Raise an error if an entity has no vote."""
    if not votes.all():
        lacking = [str(names[i]) for i in np.flatnonzero(votes == 0)]
        raise ArgumentError(
            heading, "must contain a vote for each entity", f"0 for {list_names(lacking, 3)}"
        )


def _refuse_empty_fields(
    columns: Mapping[str, list[Any]],
    headings: Mapping[str, Any],
    where: Sequence[str],
    units: Sequence[str],
    judged: bool,
) -> None:
    """Raise an error for an empty field; beside judges, people need neither vote nor have a name."""
    for role in [*(("a", "b") if judged else ("a", "b", "winner")), *units]:
        for position, value, won in zip(where, columns[role], columns["winner"], strict=True):
            may_lack = role == "cluster" and judged and _is_missing(won)
            if _is_missing(value) and not may_lack:
                hint = ""
                if role == "winner":
                    hint = "write tie for a vote without a winner, or leave the row out"
                raise ArgumentError(
                    f"{position}: {headings[role]}", "must not be empty", "nothing", hint
                )


def _refuse_own_votes(
    columns: Mapping[str, list[Any]],
    headings: Mapping[str, Any],
    where: Sequence[str],
    same: np.ndarray,
) -> None:
    """Raise an error for a vote of an entity against itself."""
    if same.any():
        i = int(same.argmax())
        raise ArgumentError(
            f"{where[i]}: {headings['b']}",
            f"must differ from {headings['a']}",
            f"{columns['a'][i]!r} twice",
            "leave out votes of an entity against itself",
        )


def _count_pairs(
    first: np.ndarray, second: np.ndarray, sides: np.ndarray, counts: np.ndarray, size: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the wins (winner, loser), and the ties of each pair in both orders."""
    wins, ties = (np.zeros((size, size), counts.dtype) for _ in range(2))
    for side, winners, losers in ((0, first, second), (1, second, first)):
        np.add.at(wins, (winners[sides == side], losers[sides == side]), counts[sides == side])
    tied = sides == 2
    np.add.at(ties, (first[tied], second[tied]), counts[tied])
    return wins, ties + ties.T


def _votes_of_judges(
    rows: "_VoteRows", verdicts: Mapping[Any, list[Any]], labelled: int
) -> np.ndarray:
    """Return the votes (row, judge); raise an error without a vote of a person, or for a row without any of a judge."""
    if not labelled:
        raise ArgumentError(
            str(rows.headings["winner"]),
            "must contain the vote of a person for at least one row",
            "none",
        )
    votes = np.column_stack([rows.sides(name, column) for name, column in verdicts.items()])
    none = (votes == UNKNOWN).all(axis=1)
    if none.any():
        raise ArgumentError(
            f"{rows.where[int(none.argmax())]}: {list_names(list(map(str, verdicts)), 3)}",
            "must contain a vote of a judge in each row: other votes do not show how the judge errs",
            "none",
            "let the judge vote on these pairs too, or leave the rows out",
        )
    return votes


def _judged_battles(
    ballots: Ballots,
    votes: np.ndarray,
    names: list[Any],
    first: np.ndarray,
    second: np.ndarray,
    sides: np.ndarray,
    counts: np.ndarray,
) -> dict[str, Any]:
    """Return variables of battles: rows with the same two entities in order, and equal votes of judges and units."""
    values = [np.where(ballots.turned, -held, held) for held in ballots.covariates.values()]
    keys = pd.DataFrame(np.column_stack([first, second, votes, *ballots.units.values(), *values]))
    row = keys.groupby(list(keys.columns)).ngroup().to_numpy()
    where = np.unique(row, return_index=True)[1]
    people = np.zeros((len(where), UNKNOWN + 1), counts.dtype)
    np.add.at(people, (row, sides), counts)
    result: dict[str, Any] = {
        "side": (("battle", "place"), name_coord(names)[np.column_stack([first, second])[where]]),
        "judge_vote": (("battle", "judge"), votes[where]),
        "human_votes": (("battle", "result"), people),
    }
    for role, code in ballots.units.items():
        result[role] = ("battle", np.asarray(name_coord(ballots.names[role]))[code[where]])
    for name, held in zip(ballots.covariates, values, strict=True):
        result[f"covariate_{name}"] = ("battle", held[where])
    return result


def _name_absent_voters(columns: dict[str, list[Any]]) -> list[Any]:
    """Return the voters as text, ``ABSENT`` where no person voted, if some have no name there."""
    absent = [
        _is_missing(voter) and _is_missing(won)
        for voter, won in zip(columns["cluster"], columns["winner"], strict=True)
    ]
    if not any(absent):
        return columns["cluster"]
    return [
        ABSENT if none else voter if _is_missing(voter) else str(voter)
        for none, voter in zip(absent, columns["cluster"], strict=True)
    ]


def connected_pools(total: np.ndarray) -> np.ndarray:
    """Return the number of the connected pool of each entity, from the votes on each pair (entity, rival)."""
    from scipy.sparse.csgraph import connected_components

    return np.asarray(connected_components(np.asarray(total) > 0, directed=False)[1])


def _counts(fields: list[Any] | None, headings: dict[str, Any], where: Sequence[str]) -> np.ndarray:
    if fields is None:
        return np.ones(len(where), np.int64)
    numbers = pd.to_numeric(pd.Series(fields, dtype=object), errors="coerce").to_numpy(float)
    wrong = ~(
        np.isfinite(numbers) & (numbers >= 0) & (numbers == np.floor(numbers)) & (numbers < 2**53)
    )
    if wrong.any():
        i = int(wrong.argmax())
        raise ArgumentError(
            f"{where[i]}: {headings['count']}",
            "must be a non-negative whole number of votes",
            f"{fields[i]!r}",
        )
    return numbers.astype(np.int64)


def _weigh(counts: np.ndarray, columns: dict[str, list[Any]], headings: dict[str, Any]) -> Weighted:
    """Return the sums of the weights of each row's votes; weights need the units that are random."""
    if "weight" not in columns:
        return Weighted(counts, None, {}, [])
    if not {*UNITS} & {*columns}:
        raise ArgumentError(
            "weight",
            "must come with the voter or the question of each vote, whose random weight it multiplies",
            f"{headings['weight']!r} alone",
            Advice(Typed("cluster", "voter"), " names the column of the voters"),
        )
    numbers = check_numbers_of_cases(counts.tolist(), columns["weight"], len(counts))
    weighted = scale_weights(numbers, None)
    fields = {
        "votes": int(counts[numbers.counted].sum()),
        "effective": float(weighted.number.sum()),
    }
    notes = [] if weighted.each is None else [Note("weighted_votes", fields)]
    return weighted._replace(notes=notes)


class _VoteRows(NamedTuple):
    """The rows of a table of votes; a row is about a pair of entities."""

    columns: dict[str, list[Any]]
    headings: dict[str, Any]
    #: The place of each row in messages.
    where: Sequence[str]
    #: The names of all entities, and the positions of the first and of the second one of each row.
    names: list[Any]
    first: np.ndarray
    second: np.ndarray

    def _sides_by_word(self) -> dict[str, int]:
        """Return the sides by the words that stand for them: 0 the first entity, 1 the second, 2 a tie."""
        # Entities may be called a and b, unless the columns are called so too.
        entities = set(map(_fold, self.names))
        sides = {word: side for side, words in enumerate((FIRST, SECOND)) for word in words}
        sides = {word: side for word, side in sides.items() if word not in entities}
        headings = {_fold(self.headings["a"]): 0, _fold(self.headings["b"]): 1}
        return sides | {_fold(word): 2 for word in TIES} | headings

    def sides(self, heading: Any, column: list[Any]) -> np.ndarray:
        """Return what each vote of a column is for: 0 the first entity, 1 the second, 2 a tie, 3 no vote.

        Votes are names of entities, or words for sides. If both readings of a column are complete,
        they must mean the same.
        """
        side_of = self._sides_by_word()
        position = {name: i for i, name in enumerate(self.names)}
        codes, winners = factorize([None if _is_missing(value) else value for value in column])
        unknown = codes < 0
        entity = np.array([*(position.get(winner, -1) for winner in winners), -1])[codes]
        by_word = np.array([*(side_of.get(_fold(winner), -1) for winner in winners), -1])[codes]
        by_name = np.where(
            unknown, -1, np.where(self.first == entity, 0, np.where(self.second == entity, 1, -1))
        )
        named = (by_name >= 0) | (by_word == 2) | unknown
        unclear = (by_name >= 0) & (by_word >= 0) & (by_name != by_word)
        if named.all() and not ((by_word >= 0) | unknown).all():
            # All votes are names: only a tie may be an entity as well.
            unclear &= by_word == 2
        if unclear.any():
            i = int(unclear.argmax())
            raise ArgumentError(
                f"{self.where[i]}: {heading}",
                "must not be the name of an entity and also of a column, or a tie",
                f"{column[i]!r}",
                "rename that entity",
            )
        sides = np.where(unknown, UNKNOWN, np.where(by_name >= 0, by_name, by_word))
        if (sides < 0).any():
            i = int((sides < 0).argmax())
            first, second = self.columns["a"][i], self.columns["b"][i]
            raise ArgumentError(
                f"{self.where[i]}: {heading}",
                f"must be {first!r}, {second!r}, {self.headings['a']!r}, {self.headings['b']!r} or 'tie'",
                f"{column[i]!r}",
            )
        return sides

    def results(self, sides: np.ndarray, counts: np.ndarray) -> tuple[tuple[str, float], ...]:
        """Return how many votes have a winner, are ties, and call both bad."""
        codes, words = factorize(
            [None if _is_missing(word) else word for word in self.columns["winner"]]
        )
        bad = np.array([*(_fold(word) in BOTH_BAD for word in words), False])[codes] & (sides == 2)
        numbers = {
            "decided": counts[sides < 2].sum(),
            "tie": counts[(sides == 2) & ~bad].sum(),
            "both bad": counts[bad].sum(),
        }
        return tuple((name, float(number)) for name, number in numbers.items())


def _is_missing(value: Any) -> bool:
    return bool(
        value is None or value == "" or value is pd.NA or value != value
    )  # NaN differs from itself


def _fold(word: Any) -> str:
    return str(word).strip().casefold()
