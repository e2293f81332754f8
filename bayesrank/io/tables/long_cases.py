"""Joint outcomes from tables with one row for each entity and case."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.checks import is_number
from bayesrank._core.errors import ArgumentError
from bayesrank._core.labels import (
    factorize,
    object_array,
)
from bayesrank._core.notes import Note, add_notes
from bayesrank.evidence.ledger import NO_OUTCOME, SCORED, add_runs, ledger_of
from bayesrank.io.tables.case_answers import (
    TREATMENTS,
    read_outcomes,
    read_predictions,
    refuse_last_rows,
)
from bayesrank.io.tables.case_columns import CaseKey, Columns, describe_cases, join_answers
from bayesrank.io.tables.named_roles import NamedColumns
from bayesrank.io.tables.table import NO_CLASSES, Roles, Table
from bayesrank.io.tables.values import is_missing


@dataclass(frozen=True)
class Layout:
    """Where each entity has its row of each case: -1 where it has none."""

    entities: list[Any]
    keys: list[CaseKey]
    #: The first row of each case, which describes it.
    first: np.ndarray
    #: The row (entity, case).
    rows: np.ndarray

    def spread(self, fields: list[Any]) -> Columns:
        """Return a column for each entity, None where it has no row."""
        columns = object_array([*fields, None])[self.rows]
        return dict(zip(self.entities, columns.tolist(), strict=True))


def read_cases(
    table: Table, named: NamedColumns, form: tuple[str, ...], roles: Roles
) -> xr.Dataset:
    """Read a table with one row for each entity and case; without ``missing``, all entities need all cases."""
    entities = table.read_names(named.by_role["entity"], "entity")
    last = named.by_role[form[-1]]
    record, of_case, keys = describe_cases(table, named, entities)
    answers = _read_answers(table, named, form, roles, record)
    of_entity, names = factorize(entities)
    first = np.unique(of_case, return_index=True)[1]
    _check_descriptions(table, record, of_case, keys, first)
    rows = np.full((len(names), len(keys)), -1)
    rows[of_entity, of_case] = np.arange(len(of_case))
    layout = Layout(names, keys, first, rows)
    if roles.missing is None:
        _refuse_gaps(table, layout, of_entity, of_case, "dataset" in record)
    if "actual" not in record:
        case_names = [record["case"][i] for i in first] if "case" in record else None
        written = layout.spread(table.columns[last])
        refuse_last_rows(table, layout.spread(answers), written, first.tolist(), case_names)
    runs = _runs_of(table, named, entities, record, answers)
    columns, filled = layout.spread(answers), 0
    value = roles.missing
    if "run" in record and "training_seed" not in record and is_number(value):
        complete = [value if answer is None else answer for answer in answers]
        columns, filled = _fill_runs(layout.spread(complete), keys, value)
        filled += answers.count(None)
        roles = replace(roles, missing="own")
    cost = None
    if (cost_column := named.by_role.get("cost")) is not None:
        costs = read_outcomes(table, roles, [cost_column], True)[cost_column]
        cost = pd.DataFrame(layout.spread(costs), dtype=float)
    record = {name: [column[i] for i in first] for name, column in record.items()}
    joint = join_answers(table, columns, record, named, roles, cost)
    ledger = add_runs(ledger_of(joint), runs)
    if filled:
        note = Note("missing_runs_counted", {"value": value, "runs": filled})
        joint = joint.assign_attrs(add_notes(joint.attrs, [note]), missing=f"{value:g}")
        ledger = replace(ledger, missing=f"{value:g}")
    return joint.assign_attrs(ledger.to_attrs())


def _read_answers(
    table: Table, named: NamedColumns, form: tuple[str, ...], roles: Roles, record: Columns
) -> list[Any]:
    """Return the outcome or the predicted label of each row; true labels are added to the record of the cases."""
    last, may_lack = named.by_role[form[-1]], roles.missing is not None
    if form[-1] == "outcome":
        table.refuse(roles, "positive", NO_CLASSES)
        return read_outcomes(table, roles, [last], may_lack)[last]
    actual = named.by_role["actual"]
    labels = read_predictions(table, roles, actual, [last], may_lack)
    record["actual"] = labels[actual]
    why = "for predicted labels; it goes with outcomes, such as 1 for right and 0 for wrong"
    table.refuse(roles, "cost", why)
    return labels[last]


def _check_descriptions(
    table: Table, record: Columns, of_case: np.ndarray, keys: list[CaseKey], first: np.ndarray
) -> None:
    """Check that the rows of a case describe it alike."""
    for name, column in record.items():
        codes = factorize(column)[0]
        unlike = codes != codes[first][of_case]
        if unlike.any():
            i = int(np.argmax(unlike))
            raise ArgumentError(
                f"{table.where[i]}: {name}",
                f"must be the same for all entities on case {keys[of_case[i]]}",
                f"{column[i]!r} after {column[first[of_case[i]]]!r}",
            )


def _refuse_gaps(
    table: Table, layout: Layout, of_entity: np.ndarray, of_case: np.ndarray, has_datasets: bool
) -> None:
    """Raise an error if an entity has no row on a case; it needs none of a seed with which it was never trained."""
    seeds = factorize([key.training_seed for key in layout.keys])[0]
    trained = np.zeros((len(layout.entities), seeds.max() + 1), bool)
    trained[of_entity, seeds[of_case]] = True
    lacking = (layout.rows < 0) & trained[:, seeds]
    if not lacking.any():
        return
    i, j = np.argwhere(lacking)[0]
    key = layout.keys[j]
    dataset = f" of dataset {key.dataset!r}" if has_datasets else ""
    raise ArgumentError(
        table.source,
        "must have a row for every entity on every case",
        f"none for entity {layout.entities[i]!r} on case {key}{dataset}",
        f"{table.options('missing', TREATMENTS)} says how to treat them",
    )


def _runs_of(
    table: Table, named: NamedColumns, entities: list[Any], record: Columns, answers: list[Any]
) -> pd.DataFrame:
    """Return a row for each answer or missing answer, as the ledger counts them."""
    has_answer = [answer is not None for answer in answers]
    none = [""] * len(entities)
    return pd.DataFrame(
        {
            "entity": entities,
            "dataset": record.get("dataset", none),
            "case": record.get("case", none),
            "outcome": np.where(has_answer, 0, np.nan),
            "status": _statuses(table, named, has_answer),
        }
    )


def _statuses(table: Table, named: NamedColumns, has_answer: list[bool]) -> list[str]:
    """Return what came of each run: the status in the table, or else whether it has an outcome."""
    column = named.by_role.get("status")
    fields = [None] * len(has_answer) if column is None else table.columns[column]
    without_one = [SCORED if scored else NO_OUTCOME for scored in has_answer]
    return [
        status if is_missing(field) else str(field).strip()
        for field, status in zip(fields, without_one, strict=True)
    ]


def _fill_runs(columns: Columns, keys: list[CaseKey], value: Any) -> tuple[Columns, int]:
    """Give each entity the value on the cases that it never met, once a run; return also the number of such cases.

    A run that was never made is not missing if the entity has other runs of the case.
    """
    cases = [(key.dataset, key.case) for key in keys]
    complete, filled = {}, 0
    for name, column in columns.items():
        answers = list(zip(cases, column, strict=True))
        answered = {case for case, answer in answers if answer is not None}
        complete[name] = [answer if case in answered else value for case, answer in answers]
        filled += len(set(cases) - answered)
    return complete, filled
