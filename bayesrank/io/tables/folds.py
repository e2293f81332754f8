"""Tables of scores of cross-validation: one column per learner, one row a learner and a fold, or cv_results_."""

from dataclasses import fields, replace
from itertools import product
from typing import Any, NoReturn

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.errors import ArgumentError
from bayesrank._core.labels import find_repeat
from bayesrank._core.notes import Note, add_notes
from bayesrank._core.nouns import noun_of_column
from bayesrank._core.prose import list_names
from bayesrank._core.records import EvidenceRecord
from bayesrank.evidence.folds import from_folds, split_columns
from bayesrank.evidence.ledger import ledger_of
from bayesrank.io.tables.columns import is_metadata_name, may_be_low, role_of, squeeze
from bayesrank.io.tables.forms import find_entity
from bayesrank.io.tables.lacking import holds_shares
from bayesrank.io.tables.named_roles import NamedColumns
from bayesrank.io.tables.roles import ENTITY_NAMES, FOLD_NAMES, FOLD_SCORES
from bayesrank.io.tables.table import Roles, Table
from bayesrank.io.tables.totals import find_summary, unit_of
from bayesrank.io.tables.values import as_count, is_missing, is_percent, to_number, to_share

#: Roles of tables of folds.
ROLES = ("entity", "entities", "dataset", "outcome", "fold", "repeat", "train", "test")


def are_folds(roles: Roles) -> bool:
    """Return whether the user says that the scores of a table are of the folds of a cross-validation."""
    return any(value is not None for value in (roles.fold, roles.repeat, roles.train, roles.test))


def read_folds(table: Table, roles: Roles) -> xr.Dataset:
    """Return scores of folds, as :func:`bayesrank.from_folds` does."""
    for one in fields(Roles):
        if one.name not in ROLES:
            table.refuse(roles, one.name, "for scores of folds")
    _check_sizes(table, roles)
    if splits := split_columns(table.columns):
        return _read_search(table, roles, splits)
    used = _find_columns(table, roles)
    sizes = {role: used.get(role) or to_number(getattr(roles, role)) for role in ("train", "test")}
    rest = table.drop([*used.values()])
    entity = _find_entity(table, roles, rest)
    if entity is None:
        table.refuse(roles, "outcome", "for a table with one column per learner")
        scores = _read_wide(table, roles, used, rest)
    else:
        table.refuse(roles, "entities", "for a table whose column entity names them")
        scores = _read_long(table, roles, used, rest, entity)
    retained = {role: used[role] for role in ("repeat", "dataset") if role in used}
    result = from_folds(
        scores, **{role: used.get(role, size) for role, size in sizes.items()}, **retained
    )
    is_usual = entity is None or squeeze(entity) == "entity" or noun_of_column(entity)
    notes = []
    if not is_usual and roles.entity is None:
        notes.append(Note("column_names_entities", {"column": str(entity)}))
    low = scores.attrs.get("score") if roles.outcome is None else None
    if low is not None and may_be_low(low):
        notes.append(Note("low_may_be_good", {"name": low}))
    read = {*used.values(), *scores.columns, entity, scores.attrs.get("score")}
    ignored = tuple(str(name) for name in table.columns if name not in read)
    ledger = replace(ledger_of(result), ignored=ignored)
    written = [*scores] if entity is None else [scores.attrs["score"]]
    called = EvidenceRecord(
        noun="" if entity is None else noun_of_column(entity),
        in_percent=any(
            is_percent(table.columns[name]) for name in written if name in table.columns
        ),
    )
    return result.assign_attrs(
        add_notes(result.attrs, notes) | ledger.to_attrs() | called.to_attrs()
    )


def _check_sizes(table: Table, roles: Roles) -> None:
    """Raise an error unless the numbers of training and test cases are given."""
    for role, purpose, share in (("train", "training", 0.9), ("test", "the test", 0.1)):
        if getattr(roles, role) is None:
            raise ArgumentError(
                table.argument(role),
                f"must say how many cases a split has for {purpose}",
                "none",
                f"a number of cases, a share such as {share}, or a column",
            )


def _find_columns(table: Table, roles: Roles) -> dict[str, Any]:
    """Return the columns that describe splits, by role; fold, repeat and dataset also by their own names."""
    of: dict[str, Any] = {}
    for role in ("fold", "repeat", "dataset", "train", "test"):
        requested = getattr(roles, role)
        if requested is not None and not (
            role in ("train", "test") and to_number(requested) is not None
        ):
            name = table.find(role, requested)
            if taken := next((other for other, held in of.items() if held == name), None):
                raise ArgumentError(
                    table.argument(role),
                    "must name a different column",
                    f"{name!r}, the {taken} as well",
                )
            of[role] = name
    for role in ("fold", "repeat", "dataset"):
        candidates = [
            name
            for name in table.columns
            if squeeze(name) == role or role_of(name) == role == "dataset"
        ]
        if role not in of and len(candidates) == 1 and candidates[0] not in of.values():
            of[role] = candidates[0]
    return of


def _find_entity(table: Table, roles: Roles, rest: Table) -> Any:
    """Return the column of learners of a table with one row a learner and a split; None for one column per learner."""
    if roles.entity is not None or roles.entities is not None:
        return None if roles.entity is None else table.find("entity", roles.entity)
    exact = [name for name in rest.columns if squeeze(name) == "entity"]
    usual = [name for name in rest.columns if squeeze(name) in ENTITY_NAMES]
    # Numbers that name learners are whole, and each has several folds.
    numbered = [
        name
        for name in usual
        if all(as_count(value) is not None for value in rest.columns[name])
        and find_repeat(rest.columns[name])
    ]
    if exact or len(numbered) == 1:
        return (exact or numbered)[0]
    return find_entity(rest, NamedColumns({}, []), replace(roles, outcome=None))


def _keys(table: Table, used: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Return the split of each row: its data set, repetition and fold."""
    names = [used[role] for role in ("dataset", "repeat", "fold") if role in used]
    for name in names:
        table.read_names(name, "fold")
    return list(zip(*(table.columns[name] for name in names), strict=True))


def _read_scores(table: Table, column: Any) -> list[float]:
    """Return the scores of a column, none missing; 90% is 0.9."""
    numbers = [None if is_missing(value) else to_share(value) for value in table.columns[column]]
    if None in numbers:
        row = numbers.index(None)
        got = table.columns[column][row]
        raise ArgumentError(
            f"{table.where[row]}: {column}", "must be the score of a fold", f"{got!r}"
        )
    return [score for score in numbers if score is not None]


def _read_wide(table: Table, roles: Roles, used: dict[str, Any], rest: Table) -> pd.DataFrame:
    """Return a column of scores of each learner, from a table with one row a split."""
    if "fold" in used and (twice := find_repeat(_keys(table, used))) is not None:
        _refuse_twice(table, used, rest, twice, [""] * len(table.where))
    if roles.entities is not None:
        learners = [table.find("entities", name) for name in roles.entities]
    else:
        learners = list(rest.columns)
        odd = [
            name
            for name in learners
            if is_metadata_name(name)
            or squeeze(name) in FOLD_NAMES
            or role_of(name) is not None
            or FOLD_SCORES.fullmatch(str(name))
            or not holds_shares(rest.columns[name])
        ]
        if odd:
            others = [name for name in learners if name not in odd]
            text = [value for value in rest.columns[odd[0]] if to_share(value) is None]
            why = f": it contains {text[0]!r}, which is not a number" if text else ""
            raise ArgumentError(
                table.source,
                f"must have one column for each learner, and {odd[0]!r} is probably not one{why}",
                hint=f"{table.option('entities', others)} ranks the others" if others else "",
            )
    scores = {name: _read_scores(table, name) for name in learners}
    _refuse_scales(table, scores)
    rows = np.array([*scores.values()]).T
    if what := find_summary(
        rows[:-1], rows[-1].tolist(), [unit_of(table.columns[name][-1]) for name in learners]
    ):
        raise ArgumentError(
            f"{table.where[-1]}: a row", f"must be a split; its values are the {what} of the rows above",
            ", ".join(f"{value:g}" for value in rows[-1]), "leave that row out",
        )  # fmt: skip
    return pd.DataFrame(scores | _of_splits(table, used, range(len(table.where))))


def _refuse_scales(table: Table, scores: dict[Any, list[float]]) -> None:
    """Raise an error where some learners have fractions, and all scores of another are percentages."""
    shares = [name for name, held in scores.items() if min(held) >= 0 and max(held) <= 1]
    percent = [name for name, held in scores.items() if min(held) > 1 and max(held) <= 100]
    if shares and percent:
        raise ArgumentError(
            table.source,
            "must use the same scale for all learners",
            f"{scores[shares[0]][0]:g} of {shares[0]!r}, and {scores[percent[0]][0]:g} of {percent[0]!r}",
            "divide scores in percent by 100",
        )


def _find_score(table: Table, roles: Roles, rest: Table, free: list[Any]) -> Any:
    """Return the column with the scores of the folds; raise an error that asks for it if several may be it."""
    if roles.outcome is not None:
        return table.find("outcome", roles.outcome)
    usual = [name for name in free if role_of(name) == "outcome"]
    numbers = [
        name for name in free if holds_shares(rest.columns[name]) and not is_metadata_name(name)
    ]
    for names in (usual, numbers):
        if len(names) == 1:
            return names[0]
    offered = numbers or free
    raise ArgumentError(
        table.source,
        "must say which column holds the scores of the folds",
        list_names(list(map(str, offered)), 6) or "none",
        f"{table.options('outcome', offered)} says which" if offered else "",
    )


def _read_long(
    table: Table, roles: Roles, used: dict[str, Any], rest: Table, entity: Any
) -> pd.DataFrame:
    """Return a column of scores of each learner, from a table with one row a learner and a split."""
    entities = table.read_names(entity, "entity")
    free = [name for name in rest.columns if name != entity]
    score = _find_score(table, roles, rest, free)
    if "fold" not in used:
        others = [name for name in free if name != score]
        remedy = f"{table.options('fold', others[:4])} says so" if others else ""
        raise ArgumentError(
            table.source,
            f"must have a column that names the folds, beside {entity} and {score}",
            "none",
            remedy,
        )
    keys = _keys(table, used)
    if (twice := find_repeat(zip(entities, keys, strict=True))) is not None:
        _refuse_twice(table, used, rest.drop([entity, score]), twice, entities)
    rows = {(name, key): i for i, (name, key) in enumerate(zip(entities, keys, strict=True))}
    names, splits = list(dict.fromkeys(entities)), list(dict.fromkeys(keys))
    for name, key in product(names, splits):
        if (name, key) not in rows:
            raise ArgumentError(
                table.source,
                "must have a score for every learner on every split",
                f"none of {name!r} on {', '.join(map(str, key))}",
                "leave out the splits that a learner lacks, for all learners",
            )
    values = _read_scores(table, score)
    scores = {name: [values[rows[name, key]] for key in splits] for name in names}
    _refuse_scales(table, scores)
    first = [keys.index(key) for key in splits]
    for role in ("train", "test"):
        if role in used:
            _check_same(table, used[role], [first[splits.index(key)] for key in keys])
    result = pd.DataFrame(scores | _of_splits(table, used, first))
    result.attrs["score"] = score
    return result


def _refuse_twice(
    table: Table, used: dict[str, Any], rest: Table, twice: tuple[int, int], entities: list[Any]
) -> NoReturn:
    """Raise an error for a fold that occurs twice, with the columns that may name repetitions."""
    i, before = twice
    again = [
        name
        for name, held in rest.columns.items()
        if len(set(map(str, held))) < len(held)
        and find_repeat(zip(entities, _keys(table, used), held, strict=True)) is None
    ]
    says = (
        f"{table.options('repeat', again[:3])} says that it names repetitions with other splits"
        if again
        else ""
    )
    raise ArgumentError(
        f"{table.where[i]}: {used['fold']}",
        f"must name each split once{f' of {entities[i]!r}' if entities[i] else ''}",
        f"{table.columns[used['fold']][i]!r} in {table.place(before)} as well",
        "" if "repeat" in used else says,
    )


def _check_same(table: Table, column: Any, of: list[int]) -> None:
    """Raise an error if a column differs between the learners of a split."""
    column_values = table.columns[column]
    for i, first in enumerate(of):
        if column_values[i] != column_values[first]:
            got = f"{column_values[first]!r} and {column_values[i]!r}"
            raise ArgumentError(
                f"{table.where[i]}: {column}", "must be the same for all learners of a split", got
            )


def _of_splits(table: Table, used: dict[str, Any], rows: Any) -> dict[Any, list[Any]]:
    """Return the columns that describe splits, as from_folds takes them."""
    result = {}
    for role, name in used.items():
        if role in ("train", "test"):
            numbers = table.read_numbers(name)
            result[name] = [numbers[i] for i in rows]
        elif role != "fold":
            result[name] = [table.read_names(name, role)[i] for i in rows]
    return result


def _read_search(table: Table, roles: Roles, splits: dict[str, list[Any]]) -> xr.Dataset:
    """Return the scores of a search of scikit-learn, whose table has one row a candidate."""
    for role in ("fold", "entities", "dataset"):
        table.refuse(
            roles, role, "for cv_results_, which has one row per candidate and one column per split"
        )
    if len(splits) > 1 and roles.outcome is None:
        raise ArgumentError(
            table.source,
            "must say which score to rank by",
            list_names(list(splits)),
            f"{table.options('outcome', splits)} says so",
        )
    scores = {
        name: [_number(value) for value in table.columns[name]]
        for scores in splits.values()
        for name in scores
    }
    frame = pd.DataFrame({**table.columns, **scores})
    sizes = {role: to_number(getattr(roles, role)) for role in ("train", "test")}
    for role, size in sizes.items():
        if size is None:
            raise ArgumentError(
                table.argument(role),
                "must be a number for cv_results_",
                f"{getattr(roles, role)!r}",
            )
    again = None if roles.repeat is None else to_number(roles.repeat)
    if roles.repeat is not None and again is None:
        raise ArgumentError(
            table.argument("repeat"), "must be the number of repetitions", f"{roles.repeat!r}"
        )
    number = None if again is None else int(again)
    name = None if roles.entity is None else table.find("entity", roles.entity)
    if name is not None:
        frame = frame[[column for scores in splits.values() for column in scores]]
        frame = frame.assign(params=table.read_names(name, "entity"))
    return from_folds(frame, **sizes, repeat=number, metric=roles.outcome)


def _number(value: Any) -> float | None:
    return None if is_missing(value) else to_share(value)
