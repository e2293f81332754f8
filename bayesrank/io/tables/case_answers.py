"""The answers in tables of cases: outcomes as numbers, or true and predicted labels."""

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from bayesrank._core.checks import is_number
from bayesrank._core.errors import ArgumentError
from bayesrank._core.prose import list_names
from bayesrank.io.tables.case_columns import Columns
from bayesrank.io.tables.columns import (
    odd_columns,
)
from bayesrank.io.tables.table import Roles, Table
from bayesrank.io.tables.totals import find_summary, is_total_name, unit_of
from bayesrank.io.tables.values import (
    as_outcomes,
    check_exact,
    count_hint,
    distinct_fields,
    missing_code,
    to_number,
)

#: Raises the error for columns that are probably not entities, with why by column.
RefuseOdd = Callable[[dict[Any, str]], NoReturn]
#: Treatments of missing answers that messages offer.
TREATMENTS = ("common", "own", 0)
#: The largest number of last rows that may sum up the others, as pandas' describe writes them.
MOST_SUMMARIES = 8


def read_outcomes(
    table: Table,
    roles: Roles,
    names: list[Any],
    may_lack: bool,
    refuse_odd: RefuseOdd | None = None,
) -> Columns:
    """Return the outcomes of each column as numbers, None if missing.

    ``refuse_odd`` raises the error for columns that are probably not entities; None if the user
    named all of them.
    """
    columns = {name: as_outcomes(table.columns[name]) for name in names}
    odd = _find_texts(table, columns, named=refuse_odd is None)
    alone = len(names) == 1 and roles.outcome is None and roles.entities is None
    if not odd and (refuse_odd is not None or alone):
        _refuse_codes(table, names, columns)
    if not odd and refuse_odd is not None:
        odd = odd_columns({name: np.array(values, float) for name, values in columns.items()})
    if odd and refuse_odd is not None:
        # A text may be the name of a case, or a predicted label without a column of true labels.
        refuse_odd(odd)
    for name, values in columns.items():
        check_exact(
            [
                int(value)
                for value in distinct_fields(table.columns[name])
                if isinstance(value, int) or str(value).isdecimal()
            ]
        )
        if None in values and not may_lack:
            common, own, zero = (table.option("missing", choice) for choice in TREATMENTS)
            raise ArgumentError(
                f"{table.where[values.index(None)]}: {name}",
                f"must not be empty ({common} keeps the cases that all "
                f"entities met, {own} leaves each entity on its own cases, {zero} counts a missing answer as 0, or "
                "wrong)",
            )
    return columns


def _find_texts(table: Table, columns: Columns, named: bool) -> dict[Any, str]:
    """Return why columns with texts may not be entities; raise an error if the texts must be mistakes.

    They must be if the user named the columns, if the column has more numbers than texts, or if
    every column has texts.
    """
    texts = {name: _rows_of_texts(column) for name, column in columns.items()}
    odd: dict[Any, str] = {}
    for name, rows in texts.items():
        if not rows:
            continue
        first = columns[name][rows[0]]
        numbers = sum(isinstance(value, float) for value in columns[name])
        wrong = named or len(rows) <= numbers or (len(columns) == 1 and numbers > 0)
        if wrong or all(texts.values()):
            hint = count_hint(first)
            remedy = (
                ". Predicted labels need a column actual with the true ones; counts need the columns entity, tn, fp, "
                "fn, tp or entity, correct, wrong"
            )
            raise ArgumentError(
                f"{table.where[rows[0]]}: {name}",
                "must be an outcome, a number such as 1 for right and 0 for wrong",
                f"{first!r}{hint and f', {hint}'}{remedy * (not wrong)}",
            )
        odd[name] = f"got {first!r}, which is no outcome, in {table.place(rows[0])}"
    return odd


def _rows_of_texts(column: list[Any]) -> list[int]:
    """Return the rows whose fields are neither numbers nor missing."""
    if not set(map(type, column)) - {float, type(None)}:
        return []
    return [i for i, value in enumerate(column) if not isinstance(value, float | None)]


def _refuse_codes(table: Table, names: list[Any], columns: Columns) -> None:
    """Ask what a number means that may stand for a missing answer, such as -1 beside 0 and 1 or 999 beside grades."""
    values = {v for held in columns.values() for v in distinct_fields(held) if isinstance(v, float)}
    code = missing_code(values)
    if code is None or table.trial:
        return
    name = next(name for name, held in columns.items() if code in held)
    rest = [f"{value:g}" for value in sorted(values - {code})]
    ordinary = " and ".join(rest) if len(rest) == 2 else f"values from {rest[0]} to {rest[-1]}"
    grade = table.option("outcome", name) if len(names) == 1 else table.option("entities", names)
    raise ArgumentError(
        f"{table.where[columns[name].index(code)]}: {name}",
        f"must say what {code:g} means beside {ordinary}",
        f"{code:g}",
        f"leave the field empty if there is no answer; {grade} says that {code:g} is an ordinary outcome",
    )


def read_predictions(
    table: Table,
    roles: Roles,
    actual: Any,
    names: list[Any],
    may_lack: bool,
    refuse_odd: RefuseOdd | None = None,
) -> Columns:
    """Return the true labels and the predicted labels of each entity by column, of one type; None is missing.

    ``refuse_odd`` is that of :func:`read_outcomes`.
    """
    labels, *columns = table.read_labels(actual, *names)
    for name, column in zip([actual, *names], [labels, *columns], strict=True):
        if None in column and (roles.truth is None if name == actual else not may_lack):
            hint = (
                f" ({table.option('missing', 'common')} keeps the cases that all entities met)"
                * (name != actual)
            )
            raise ArgumentError(
                f"{table.where[column.index(None)]}: {name}", f"must not be empty{hint}"
            )
    _refuse_last_labels(
        table, actual, names, dict(zip([actual, *names], [labels, *columns], strict=True))
    )
    if is_total_name(labels[-1]) and labels.count(labels[-1]) == 1:
        got = f"{labels[-1]!r} in {actual}"
        raise ArgumentError(
            f"{table.where[-1]}: a row", "must be a case, not a total", got, "leave that row out"
        )
    odd = _find_foreign(table, labels, dict(zip(names, columns, strict=True)), refuse_odd is None)
    if odd and (refuse_odd is None or len(odd) == len(names)):
        first = next(iter(odd))
        raise ArgumentError(
            f"{table.source}: {first}",
            f"must use the labels of {actual}; {odd[first]} (rename its labels to those of {actual})",
        )
    if odd and refuse_odd is not None:
        refuse_odd(odd)
    return dict(zip([actual, *names], [labels, *columns], strict=True))


def _find_foreign(table: Table, actual: list[Any], columns: Columns, named: bool) -> dict[Any, str]:
    """Return why columns may not hold predicted labels: none or, if the user did not name them, few are true labels."""
    truth = set(actual) - {None}
    odd: dict[Any, str] = {}
    for name, column in columns.items():
        labels = [label for label in column if label is not None]
        foreign = [label for label in labels if label not in truth]
        probabilities = [value for value in foreign if isinstance(value, float) and 0 < value < 1]
        if probabilities and all(map(is_number, truth)):
            raise ArgumentError(
                f"{table.source}: {name}",
                "must contain labels, or all columns must contain probabilities of the positive class",
                f"{probabilities[0]:g}",
                f"{table.option('entities', list(columns))} ranks all columns as probabilities; list those that are",
            )
        if not foreign or len(truth) < 2:
            continue
        if len(foreign) == len(labels):
            odd[name] = (
                f"got {labels[0]!r}, which is none of the true labels {list_names(sorted(map(repr, truth)))}, in "
                f"{table.place(column.index(labels[0]))}"
            )
        elif not named and 2 * len(foreign) > len(labels) and len(set(map(repr, foreign))) > 1:
            odd[name] = f"most of its values, such as {foreign[0]!r}, are no true labels"
    return odd


def _refuse_last_labels(table: Table, actual: Any, names: list[Any], labels: Columns) -> None:
    """Raise an error if the last row of a table of labels holds the number or the share of right answers.

    A number in the column of the truth is one of them, too, in which all answers are right.
    """
    *truth, own = labels[actual]
    last = {name: to_number(str(labels[name][-1]).rstrip("%")) for name in [actual, *names]}
    full = [actual, *names] if last[actual] is not None else names
    equal = last[actual] is not None and len({last[name] for name in full}) == 1
    if len(truth) < 3 or equal or None in [last[name] for name in names]:
        return
    if own in truth or any(labels[name][-1] in truth for name in names):
        return
    right = {
        name: [float(a == b) for a, b in zip(labels[name][:-1], truth, strict=True)]
        for name in full
    }
    answers = {name: [*right[name], last[name]] for name in full}
    refuse_last_rows(
        table, answers, {name: table.columns[name] for name in full}, range(len(table.where))
    )


def refuse_last_rows(
    table: Table,
    answers: Columns,
    written: Columns,
    at: Sequence[int],
    cases: list[Any] | None = None,
) -> None:
    """Raise an error if one of the last cases holds sums, means or standard deviations of all cases before it.

    It would count as a case. ``written`` holds the fields as they are in the table, ``at`` the row
    of each case, and ``cases`` their names.
    """
    rows = np.array(list(answers.values()), float).T  # NaN where an answer is missing
    for back in range(1, min(MOST_SUMMARIES, len(rows) - 3) + 1):
        every, last = rows[:-back], tuple(rows[-back].tolist())
        if np.isnan(last).any():
            continue
        name = None if cases is None else cases[-back]
        units = [unit_of(held[-back]) for held in written.values()]
        full = every[~np.isnan(every).any(axis=1)]
        if what := find_summary(full, last, units, name, True) or find_summary(
            every, last, units, name, True
        ):
            raise ArgumentError(
                f"{table.where[at[-back]]}: a row",
                f"must be a case; its values are the {what} of the rows above",
                f"{', '.join(str(held[-back]) for held in written.values())}",
                f"leave that row out{', and the rows below it' if back > 1 else ''}",
            )
