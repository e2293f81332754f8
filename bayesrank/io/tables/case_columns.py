"""The columns that describe cases, and joint outcomes from them and the answers of the entities."""

from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.errors import ArgumentError
from bayesrank._core.labels import (
    factorize_rows,
    find_repeat,
    object_array,
    standing_pair,
)
from bayesrank._core.notes import Note, add_notes
from bayesrank._core.records import EvidenceRecord
from bayesrank.evidence.components import variance_components
from bayesrank.evidence.outcomes import count_outcomes
from bayesrank.evidence.pooled import runs_of
from bayesrank.evidence.predictions import joint_outcomes
from bayesrank.io.tables.columns import (
    squeeze,
)
from bayesrank.io.tables.named_roles import NamedColumns, holds_outcomes
from bayesrank.io.tables.roles import (
    REPEATS,
    VOTERS,
)
from bayesrank.io.tables.table import Roles, Table

#: Fields by column, or by role.
Columns = dict[Any, list[Any]]
#: Roles of columns that describe cases, in all forms.
OF_CASES = ("case", "run", "training_seed", "dataset", "cluster", "times", "weight", "actual")


class CaseKey(NamedTuple):
    """The key of a row in a table of cases; names of cases are unique within a data set."""

    dataset: Any
    case: Any
    run: Any
    training_seed: Any

    def __str__(self) -> str:
        numbers = {"training seed": self.training_seed, "run": self.run}
        text = ", ".join(f"{name} {number!r}" for name, number in numbers.items() if number != "")
        return f"{self.case!r} ({text})" if text else repr(self.case)


def describe_cases(
    table: Table, named: NamedColumns, entities: list[Any] | None
) -> tuple[Columns, np.ndarray, list[CaseKey]]:
    """Return the columns that describe the cases, the case of each row, and the keys of the cases.

    No entity has a key twice.
    """
    record = {
        role: _read_role(table, named.by_role[role], role)
        for role in OF_CASES
        if role in named.by_role and role != "actual"
    }
    none = [""] * len(table.where)
    columns = [record.get(name, none) for name in CaseKey._fields]
    which = factorize_rows(*columns)
    first = np.unique(which, return_index=True)[1]
    keys = list(map(CaseKey, *(object_array(column)[first].tolist() for column in columns)))
    if "case" not in record:
        return record, which, keys
    rows = which if entities is None else factorize_rows(entities, which)
    if rows.max(initial=-1) + 1 < len(rows):
        i = int(np.argmax(pd.Series(rows).duplicated()))
        before = int(np.argmax(rows == rows[i]))
        for_each, of = (" for each entity", f" of {entities[i]!r}") if entities else ("", "")
        raise ArgumentError(
            f"{table.where[i]}: case",
            f"must name each case once{for_each}",
            f"{keys[which[i]]}{of} in {table.place(before)} as well",
            _explain_repeats(table, named, rows.tolist()),
        )
    return record, which, keys


def _read_role(table: Table, column: Any, role: str) -> list[Any]:
    """Return the values of a column that describes cases."""
    if role == "times":
        return table.read_counts(column)
    return table.read_numbers(column) if role == "weight" else table.read_names(column, role)


def _explain_repeats(table: Table, named: NamedColumns, rows: list[int]) -> str:
    """Return what to type if a free column distinguishes rows with the same number; empty if none does."""

    def distinguish(*names: Any) -> bool:
        columns = (table.columns[name] for name in names)
        return find_repeat(zip(rows, *columns, strict=True)) is None

    free = named.free(table)
    for name in free:
        if squeeze(name) in REPEATS and distinguish(name):
            run, seed = (table.option(role, name) for role in ("run", "training_seed"))
            return f"{run} says that rows are runs of one fitted model, {seed} that models were retrained"
    for name in free:
        if squeeze(name) in VOTERS and distinguish(name):
            return f"{table.option('run', name)} says that a case has several grades, whose mean counts"
    if "dataset" in named.by_role:
        return ""
    texts = [name for name in free if not holds_outcomes(table.columns[name])]
    for names in [*combinations(texts, 1), *combinations(texts, 2)]:
        if distinguish(*names):
            typed = table.option("dataset", list(names) if len(names) > 1 else names[0])
            return f"{typed} says that rows are of several data sets"
    return ""


def join_answers(
    table: Table,
    answers: Columns,
    record: Columns,
    named: NamedColumns,
    roles: Roles,
    cost: pd.DataFrame | None = None,
) -> xr.Dataset:
    """Return joint outcomes from the answers by entity and the record, which describes the cases by role."""
    _check_record(table, answers, record, named)
    if "actual" in record:
        joint, notes = _join_labels(table, answers, record, named, roles)
    else:
        joint, notes = _join_outcomes(answers, record, named, roles, cost)
    notes = [*named.notes, *notes, *_note_shared_names(record)]
    return joint.assign_attrs(add_notes(joint.attrs, notes))


def _check_record(table: Table, answers: Columns, record: Columns, named: NamedColumns) -> None:
    """Refuse a single case with a grade, and runs without cases or of labels."""
    has_truth = "actual" in record
    graded = set().union(*answers.values()) - {0.0, 1.0, None}
    if not has_truth and len(table.where) == 1 and graded:
        raise ArgumentError(
            table.source,
            "must have at least two cases: one case does not show how uncertain a mean is",
            "one row",
        )
    for role, name in (("run", "runs"), ("training_seed", "training seeds")):
        if role in record and ("case" not in record or has_truth):
            where = "without a column case"
            if has_truth:
                where = f"beside actual: labels have no mean over {name}, as outcomes (1 for right, 0 for wrong) have"
            raise ArgumentError(
                table.source, f"must not have a column {named.by_role[role]} {where}"
            )


def _groups_of(record: Columns) -> dict[str, Any]:
    """Return the arguments of br.joint_outcomes that describe cases."""
    groups = {role: record.get(role) for role in ("dataset", "cluster", "weight")}
    return groups | {"count": record.get("times")}


def _join_outcomes(
    answers: Columns, record: Columns, named: NamedColumns, roles: Roles, cost: pd.DataFrame | None
) -> tuple[xr.Dataset, list[Note]]:
    frame, groups = pd.DataFrame(answers, dtype=float), _groups_of(record)
    if {"run", "training_seed"} & set(record):
        # Names of cases are unique within a data set.
        case = record["case"]
        if "dataset" in record:
            pairs = zip(case, record["dataset"], strict=True)
            case = [f"{name!r} of {dataset!r}" for name, dataset in pairs]
        groups["case"] = case
        for role in ("run", "training_seed"):
            has_role = role in record
            groups[role] = pd.Series(record[role], name=named.by_role[role]) if has_role else None
    named_entities = "entity" in named.by_role or roles.entities is not None
    joint = count_outcomes(frame, groups, missing=roles.missing, cost=cost, named=named_entities)
    return joint, _note_runs(joint, frame, groups)


def _join_labels(
    table: Table, answers: Columns, record: Columns, named: NamedColumns, roles: Roles
) -> tuple[xr.Dataset, list[Note]]:
    actual = record["actual"]
    labels = set(actual).union(*answers.values()) - {None}
    notes = note_never_true(labels, actual)
    if len(labels) < 2:
        raise ArgumentError(
            table.source,
            "must contain at least two labels, true or predicted",
            f"only {actual[0]!r}",
        )
    dtype = table.categories.get(named.by_role["actual"])
    truth = actual if dtype is None else pd.Categorical(actual, dtype=dtype)
    joint = joint_outcomes(
        truth, answers, positive=roles.positive, **_groups_of(record), missing=roles.missing
    )
    if len(labels) == 2 and "positive" not in joint.coords and standing_pair(labels) is None:
        notes.append(note_unknown_positive(table, labels))
    return joint, notes


def note_never_true(labels: Iterable[Any], actual: Iterable[Any]) -> list[Note]:
    """Note labels that are predicted but never true, if there are more than two labels."""
    labels = set(labels)
    never = sorted(map(str, labels - set(actual)))
    return [Note("labels_never_true", {"labels": never})] if never and len(labels) > 2 else []


def note_unknown_positive(table: Table, labels: Iterable[Any]) -> Note:
    """Note that the positive one of two classes is unknown, and what to type."""
    both = sorted(map(str, labels))
    return Note(
        "positive_class_unknown", {"labels": both, "options": table.options("positive", both)}
    )


def _note_shared_names(record: Columns) -> list[Note]:
    """Note names of cases that occur in several data sets: different cases, unless folds overlap."""
    if not {"case", "dataset"} <= set(record):
        return []
    times = Counter(case for case, _ in set(zip(record["case"], record["dataset"], strict=True)))
    shared = sum(number > 1 for number in times.values())
    return [Note("case_names_shared", {"cases": shared, "if_pooled": True})] if shared else []


def _note_runs(joint: xr.Dataset, frame: pd.DataFrame, groups: dict[str, Any]) -> list[Note]:
    """Note that runs are not additional cases, and whether more runs would help."""
    if (EvidenceRecord.of(joint).most_runs or 1) == 1 or "seed_mean" in joint:
        return []
    notes = [Note("outcomes_are_means_over_runs", {"runs": runs_of(EvidenceRecord.of(joint))})]
    case, cluster = groups["case"], groups["cluster"]
    if not frame.isna().any(axis=None) and len(set(case)) > 1 and len(set(cluster or case)) > 1:
        advice = variance_components(frame, case=case, cluster=cluster).attrs["advice"]
        notes.append(Note("runs_or_cases_would_help", {"advice": advice}))
    return notes
