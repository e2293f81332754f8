"""Refuse tables that hold no outcomes of cases: scores, folds, confusion matrices, sums, results of tests."""

import re
from typing import Any

import numpy as np

from bayesrank._core.errors import Advice, ArgumentError, InPython
from bayesrank._core.labels import (
    find_repeat,
)
from bayesrank._core.notes import Note
from bayesrank._core.prose import list_names
from bayesrank.evidence.folds import split_columns
from bayesrank.io.tables.columns import (
    is_metadata_name,
    is_metric_name,
    is_row_number,
    role_of,
    squeeze,
)
from bayesrank.io.tables.lacking import refuse_lacking
from bayesrank.io.tables.named_roles import (
    NO_FOLDS,
    NamedColumns,
    holds_outcomes,
    is_binary,
    suggest_folds,
)
from bayesrank.io.tables.roles import (
    CELLS,
    ENTITY_WORDS,
    FOLD_NAMES,
    FOLD_SCORES,
    NAMELESS,
    REPEATS,
    TESTS,
)
from bayesrank.io.tables.table import Table, list_choices
from bayesrank.io.tables.values import (
    are_scores,
    as_count,
    is_missing,
    map_fields,
    to_number,
    to_share,
)

#: The largest number of distinct whole numbers that may be labels of classes.
MOST_LABELS = 12
#: The largest number of rows of fractions that may be scores of folds.
FEW_ROWS = 10
#: Numbers of rows of repeated cross-validations, such as 10 times 10 folds.
FOLD_ROWS = {15, 20, 25, 30, 50, 100}


def refuse_scores(table: Table, named: NamedColumns, names: list[Any]) -> None:
    """Refuse columns of different scores, which are no entities: of one entity's cases, or of one in each row."""
    scores = [name for name in names if is_metric_name(name)]
    numbers = [
        name for name in names if any(to_share(value) is not None for value in table.distinct(name))
    ]
    if len(scores) < 2 or 2 * len(scores) < len(numbers):
        return
    rest = [name for name in table.columns if name not in names]
    ids = (
        [named.by_role["case"]]
        if "case" in named.by_role
        else [n for n in (*rest, *names) if n not in scores]
    )
    ids = [
        name for name in ids if find_repeat(table.columns[name]) is None and not is_row_number(name)
    ]
    ids.sort(key=lambda name: holds_outcomes(table.columns[name]))  # texts first
    words = {word for name in table.columns for word in re.findall(r"[a-z]+", str(name).lower())}
    # Rows of teams, of epochs and of a few classes are no cases.
    cases = (
        ids
        and len(table.where) > FEW_ROWS
        and not words & {*ENTITY_WORDS, *REPEATS, "step", "batch", "run"}
    )
    remedy = (
        f"if each row is a case of one entity, {table.mapping(ids[0], scores[0])}; if it is one "
        if cases
        else ""
    )
    raise ArgumentError(
        table.source,
        "must contain counts or cases of several entities",
        f"{list_names(list(map(str, scores)), 6)}, which are scores and no entities",
        f"{remedy or 'if each row is an '}entity, write the counts behind its scores as columns tn, fp, fn, tp, or "
        "correct, total",
    )


def refuse_nameless(table: Table, names: list[Any]) -> None:
    """Ask whether columns are entities if a tool made their headings, since the columns had no names."""
    if all(NAMELESS.fullmatch(str(name)) for name in names) and not table.trial:
        square = len(names) == len(table.where) and all(
            as_count(value) is not None for name in names for value in table.distinct(name)
        )
        matrix = " A confusion matrix is written as entity, tn, fp, fn, tp." if square else ""
        raise ArgumentError(
            table.source,
            "must name its columns",
            f"{list_names(list(map(str, names)), 6)}, which name nothing",
            f"{table.option('entities', names)} says that they are entities.{matrix}",
        )


def refuse_predictions_alone(table: Table, names: list[Any]) -> None:
    """Ask for the truth beside a column that is called predicted."""
    predicted = next((name for name in names if role_of(name) == "predicted"), None)
    if predicted is None or len(names) < 2:
        return
    labels = {str(value) for value in table.distinct(predicted) if not is_missing(value)}
    alike = [
        name
        for name in names
        if name != predicted
        and {str(v) for v in table.distinct(name) if not is_missing(v)} >= labels
    ]
    says = [f"{table.options('truth', alike[:4])} says so"] if alike else []
    if all(
        holds_outcomes(table.columns[name]) and not is_metadata_name(name)
        for name in names
        if name != predicted
    ):
        says.append(f"{table.option('entities', names)} ranks all columns as outcomes")
    raise ArgumentError(
        table.source,
        f"must say which column holds the true labels, beside {predicted}",
        list_names(list(map(str, alike)), 4) or "none",
        "; ".join(says),
    )


def refuse_summaries(table: Table, named: NamedColumns, names: list[Any]) -> None:
    """Raise an error for columns that summarise cases, such as standard errors, and for a count without a meaning."""
    by_role = {role: name for name in names if (role := role_of(name)) is not None}
    if ("se" in by_role and not is_binary(table.columns[by_role["se"]])) or {
        "predicted",
        "count",
    } <= set(by_role):
        refuse_lacking(table, named._replace(by_role=by_role), None)
    counts = [name for name in names if role_of(name) == "count" and len(names) > 1]
    if counts and all(as_count(value) is not None for value in table.distinct(counts[0])):
        others = zip(
            *(map(str, table.columns[name]) for name in table.columns if name != counts[0]),
            strict=True,
        )
        # Rows that all differ are patterns, which mean nothing without their counts.
        otherwise = f", else {table.without(counts[0])}" if find_repeat(others) is not None else ""
        raise ArgumentError(
            table.source,
            f"must say what its column {counts[0]} holds",
            "a table with one column for each entity",
            f"{table.option('count', counts[0])} if a row stands for that many cases{otherwise}",
        )


def refuse_open_questions(table: Table, named: NamedColumns, names: list[Any]) -> None:
    """Ask what the values mean where they are probably no outcomes of cases; columns that the user lists are."""
    _refuse_test_results(table, named, names)
    _refuse_patterns(table, named, names)
    numbers = {to_share(value) for name in names for value in table.distinct(name)}
    rows = len(table.where)
    may_be_folds = (
        (rows <= FEW_ROWS or rows in FOLD_ROWS) and len(names) > 1 and "case" not in named.by_role
    )
    if (
        may_be_folds
        and None not in numbers
        and are_scores([number for number in numbers if number is not None])
    ):
        raise ArgumentError(
            table.source,
            "must say what its rows are",
            f"{rows} rows of fractions or percentages, which may be scores of folds",
            f"{suggest_folds(table)}; if each row is a case, {table.option('entities', names)} says so",
        )


def _refuse_test_results(table: Table, named: NamedColumns, names: list[Any]) -> None:
    """Ask what the truth is where 0 and 1 are results of tests, which do not say who was right.

    Under other names this stays open: a note says what was assumed.
    """
    numbers = {to_number(value) for name in names for value in table.distinct(name)} - {None}
    if not numbers <= {0.0, 1.0}:
        full = len(names) > 1 and all(number is not None and number % 1 == 0 for number in numbers)
        if full and len(numbers) <= MOST_LABELS:
            named.notes.append(Note("numbers_taken_as_grades", {}))
        return
    if len(names) > 1 and all(TESTS.search(str(name)) for name in names):
        raise ArgumentError(
            table.source,
            "must contain the truth beside results of tests, since a test that is often positive is not a good one. "
            "Name the column with the truth actual, and 1 is a positive result. If 1 already means right and 0 wrong, "
            f"{table.option('entities', names)} says so",
        )
    fields = {
        str(value).strip()
        for name in names
        for value in table.distinct(name)
        if not is_missing(value)
    }
    # Words such as true and pass say what they mean, and labels have no runs, whose mean would
    # count.
    if all(field[:1].isdigit() for field in fields) and not {"run", "training_seed"} & set(
        named.by_role
    ):
        named.notes.append(Note("ones_taken_as_right", {}))


def _refuse_patterns(table: Table, named: NamedColumns, names: list[Any]) -> None:
    """Ask what 0 and 1 mean in a table of counted patterns: right answers, or results of tests beside the truth."""
    if "times" not in named.by_role or "case" in named.by_role or len(names) < 2:
        return
    rows = zip(
        *(table.columns[name] for name in table.columns if name != named.by_role["times"]),
        strict=True,
    )
    if find_repeat(rows) is not None or not all(is_binary(table.columns[name]) for name in names):
        return
    columns = "COLUMN"
    others = table.together(table.option("truth", columns), table.option("entities", ["A", "B"]))
    raise ArgumentError(
        table.source,
        "must say what its values mean, since counted patterns may be those of tests beside the truth",
        f"{list_names(list(map(str, names)))} without a column actual",
        f"if 1 is a right answer, {table.option('entities', names)} says so; if a COLUMN holds the truth, type "
        f"{others} with the names of your columns",
    )


def refuse_folds(table: Table) -> None:
    """Raise an error for results of a cross-validation or a search of scikit-learn."""
    folds = [name for name in table.columns if squeeze(name) in FOLD_NAMES]
    again = [name for name in table.columns if squeeze(name) in REPEATS][:1]
    keys = [table.columns[name] for name in (*folds[:1], *again)]
    if folds and len(table.where) > 1 and find_repeat(zip(*keys, strict=True)) is None:
        _refuse_resamples(table, folds[0])
        raise ArgumentError(
            table.source,
            "must contain single cases",
            f"one row for each {' and '.join(map(str, (*folds[:1], *again)))}, so that its values are scores of folds",
            suggest_folds(table, folds[0], repeat=next(iter(again), None)),
        )
    if splits := split_columns(table.columns):
        (metric, columns), *others = splits.items()
        typed = [table.option("outcome", metric)] if others else []
        raise ArgumentError(
            table.source,
            "must contain single cases",
            f"scores of the folds of a cross-validation in columns such as {columns[0]}",
            suggest_folds(table, None, *typed, size=len(columns)),
        )
    fold_columns = [name for name in table.columns if FOLD_SCORES.fullmatch(str(name))]
    if fold_columns:
        raise ArgumentError(
            table.source,
            f"must contain counts or single cases; {list_names(fold_columns[:3])} "
            f"contain{'s' * (len(fold_columns) == 1)} "
            "times, ranks or scores of the folds of a cross-validation, which are not cases. "
            "Pass the predicted label of each case, one column for each model, beside a column actual with the truth "
            "(sklearn.model_selection.cross_val_predict returns them)",
        )


def _refuse_resamples(table: Table, fold: Any) -> None:
    """Raise an error for caret's resamples, whose columns are called MODEL~METRIC, with a remedy for each metric."""
    of: dict[str, list[Any]] = {}
    for name in table.columns:
        model, mark, metric = str(name).partition("~")
        if mark and model:
            of.setdefault(metric, []).append(name)
    if len(of) > 1:
        typed = [
            suggest_folds(table, fold, table.option("entities", held), reason=False)
            for held in of.values()
        ]
        raise ArgumentError(
            table.source,
            "must contain single cases",
            f"scores of folds by {list_names(list(of))}",
            f"{NO_FOLDS}: {list_choices(typed[:4])} says that they are of folds with these shares of cases",
        )


def refuse_matrices(table: Table) -> None:
    """Raise an error for a confusion matrix with its labels, and for a table whose rows are cells."""
    _refuse_cross_table(table)
    rows = [value for value in next(iter(table.columns.values())) if isinstance(value, str)]
    if rows and {role_of(row) for row in rows} >= set(CELLS):
        raise ArgumentError(
            table.source,
            "must have one row an entity and the columns entity, tn, fp, fn, tp; its rows are "
            f"{list_names(rows)} (turn rows and columns)",
        )
    if len(rows) > 1 and sorted(rows) == sorted(map(str, list(table.columns)[1:])):
        raise ArgumentError(
            table.source,
            "must not be a confusion matrix with labels on both sides, which does not say whether its "
            "rows are the actual or the predicted classes",
            hint=Advice(
                "write entity, actual, predicted, count with one row a cell",
                InPython(', or use br.from_matrix(frame, "actual_rows")'),
            ),
        )


def _refuse_cross_table(table: Table) -> None:
    """Raise an error for a cross table of one test and the truth, which its totals show: of rows and of columns."""
    first, *rest = table.columns
    if len(rest) < 3 or len(table.where) < 3:
        return
    counts = [map_fields(as_count, table.columns[name]) for name in rest]
    if any(None in column for column in counts):
        return
    cells = np.array(counts, float).T
    if (
        (cells[:, :-1].sum(1) == cells[:, -1]).all()
        and (cells[:-1].sum(0) == cells[-1]).all()
        and cells[-1, -1]
    ):
        raise ArgumentError(
            table.source,
            "must contain one row for each test with its counts",
            f"a cross table with totals, of {list_names([str(v) for v in table.columns[first][:-1]], 3)} by "
            f"{list_names(list(map(str, rest[:-1])), 3)}",
            "write a row for each test with the columns test, tp, fp, fn, tn",
        )
