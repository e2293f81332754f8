"""Counts from tables of matrices, cells, right and wrong answers, or outcomes; means with their standard errors."""

from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.checks import EXACT, all_classes, check_labels
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.labels import arrange_classes, factorize, find_repeat, name_coord
from bayesrank._core.notes import Note
from bayesrank._core.prose import list_names
from bayesrank.evidence.counts import TWO_CLASSES, arrange, class_dims, put_in_class_order
from bayesrank.io.tables.case_columns import note_never_true, note_unknown_positive
from bayesrank.io.tables.columns import is_metadata_name
from bayesrank.io.tables.forms import DETECTION
from bayesrank.io.tables.lacking import MOST_KEPT
from bayesrank.io.tables.named_roles import Known, holds_outcomes
from bayesrank.io.tables.roles import CELLS
from bayesrank.io.tables.table import NO_CLASSES, Roles, Table
from bayesrank.io.tables.totals import find_summary, is_total_name, unit_of
from bayesrank.io.tables.values import as_outcomes, check_exact, is_percent, missing_code, to_share

#: The quantile of the normal distribution at the upper end of a 95% interval.
NORMAL_95 = 1.959963984540054


def read_means(table: Table, known: Known, form: tuple[str, ...], roles: Roles) -> xr.Dataset:
    """Return ``mean_outcome`` and ``standard_error`` (entity), and the number of ``cases`` if the table has it."""
    table.refuse(roles, "positive", NO_CLASSES)
    if "dataset" in known.of:
        raise ArgumentError(
            table.source,
            "must contain one row for each entity; means and standard errors of several data sets "
            f"({known.of['dataset']}) cannot be pooled without outcomes by case. Keep the rows of one data set "
            f"({table.without(known.of['dataset'])} if there is only one)",
        )
    entities = table.read_names(known.of["entity"], "entity")
    _check_pairs(table, known, entities, None)
    numbers = _read_means(table, known, form)
    held: dict[str, Any] = {"mean_outcome": numbers["mean"], "standard_error": numbers.get("se")}
    if "lower" in form:
        held["standard_error"] = _halve_intervals(table, known, numbers)
        known.notes.append(
            Note("ends_of_intervals", {"columns": [str(known.of[role]) for role in form[1:]]})
        )
    _refuse_certain_means(table, known, held["standard_error"], form[-1], entities)
    written = [table.columns[known.of[role]][-1] for role in form]
    rows = np.array([numbers[role] for role in form]).T
    if what := find_summary(
        rows[:-1], rows[-1].tolist(), list(map(unit_of, written)), entities[-1]
    ):
        raise ArgumentError(
            f"{table.where[-1]}: {entities[-1]!r}",
            f"must not be a row, since it holds the {what} of the other rows",
            ", ".join(map(str, written)),
            "leave that row out",
        )
    if "total" in known.of:
        held["cases"] = table.read_counts(known.of["total"])
    coords = {"entity": name_coord(entities)}
    return xr.Dataset({name: ("entity", np.array(values)) for name, values in held.items()}, coords)


def _read_means(table: Table, known: Known, form: tuple[str, ...]) -> dict[str, list[float]]:
    """Return the numbers of means and of their errors or ends by role; 90% is 0.9 if all are written so."""
    result: dict[str, list[float]] = {}
    percent = {role: is_percent(table.distinct(known.of[role])) for role in form}
    for role in form:
        column = known.of[role]
        fields = table.columns[column]
        numbers_read = (
            [to_share(value) for value in fields] if all(percent.values()) else as_outcomes(fields)
        )
        for i, number in enumerate(numbers_read):
            if not isinstance(number, float) or not np.isfinite(number):
                raise ArgumentError(
                    f"{table.where[i]}: {column}",
                    "must be a finite number",
                    f"{fields[i]!r}",
                    "write a mean and its standard error or interval as numbers, on one scale",
                )
        result[role] = [number for number in numbers_read if isinstance(number, float)]
    return result


def _halve_intervals(table: Table, known: Known, numbers: dict[str, list[float]]) -> list[float]:
    """Return the standard errors that belong to the ends of 95% intervals of a normal distribution."""
    result = []
    for i, (mean, low, high) in enumerate(
        zip(*(numbers[role] for role in ("mean", "lower", "upper")), strict=True)
    ):
        if not low <= mean <= high:
            column = known.of["lower"] if low > mean else known.of["upper"]
            raise ArgumentError(
                f"{table.where[i]}: {column}", f"must be the end of an interval around {known.of['mean']}",
                f"{mean:g} with the ends {low:g} and {high:g}",
                "write the values at both ends, and not their distances from the mean",
            )  # fmt: skip
        result.append((high - low) / (2 * NORMAL_95))
    return result


def _refuse_certain_means(
    table: Table, known: Known, errors: list[float], role: str, entities: list[Any]
) -> None:
    """Raise an error for a mean without uncertainty, with the rows that have some if they are few."""
    certain = [i for i, number in enumerate(errors) if number <= 0]
    if not certain:
        return
    i = certain[0]
    why = (
        " (the outcomes of all cases were equal, which does not show how sure the mean is: write counts as "
        "entity, correct, total)"
    )
    rest = [str(name) for k, name in enumerate(entities) if k not in certain]
    keep = table.conditions(known.of["entity"], rest)
    can_be_kept = errors[i] == 0 and 2 <= len(rest) <= MOST_KEPT
    raise ArgumentError(
        f"{table.where[i]}: {known.of[role]}",
        "must be a standard error above 0"
        if role == "se"
        else "must be the end of an interval with a width",
        f"{errors[i]:g}{why * (errors[i] == 0)}",
        f"{keep} leaves out {list_names([str(entities[k]) for k in certain], 4)}, such as a baseline that every other "
        "is compared with"
        if can_be_kept
        else "",
    )


def read_counts(table: Table, known: Known, form: tuple[str, ...], roles: Roles) -> xr.DataArray:
    entities = table.read_names(known.of["entity"], "entity")
    datasets = table.read_names(known.of["dataset"], "dataset") if "dataset" in known.of else None
    if form in (CELLS, DETECTION) and str(roles.positive).lower() != "positive":
        table.refuse(
            roles,
            "positive",
            "for the columns tn, fp, fn and tp, whose names say which class is positive",
        )
    elif "actual" not in form:
        table.refuse(roles, "positive", NO_CLASSES)
    if form[-1] != "count":
        cells = np.array([table.read_counts(known.of[name]) for name in form], np.int64)
        if form == DETECTION:
            cells, form = np.vstack([np.zeros_like(cells[:1]), cells]), CELLS
        _check_pairs(table, known, entities, datasets)
        _refuse_totals(table, known, cells.T, entities, datasets)
        if form == CELLS:
            return arrange(cells.T.reshape(-1, 2, 2), entities, datasets, class_dims(TWO_CLASSES))
        right, other = cells
        wrong = other - right if form[1] == "total" else other
        if (wrong < 0).any():
            i = int((wrong < 0).argmax())
            raise ArgumentError(
                f"{table.where[i]}: {known.of['correct']}",
                f"must be at most {known.of['total']}",
                f"{right[i]} of {other[i]}",
            )
        return arrange(np.stack([wrong, right], axis=-1), entities, datasets, {"outcome": [0, 1]})
    columns = list(form[:-1])
    labels, positive, codes = (_outcome_codes if form[0] == "outcome" else _class_codes)(
        table, known, roles
    )
    counts = table.read_counts(known.of["count"])
    for i, name in enumerate(entities):
        if is_total_name(name) and 2 * counts[i] == sum(counts):
            raise ArgumentError(
                f"{table.where[i]}: {name!r}", "must not be a row, since it holds the sum of the other rows",
                f"{counts[i]}", "leave that row out",
            )  # fmt: skip
    for i, labels_of in enumerate(zip(*codes, strict=True)):
        alone = all(
            column.count(label) == 1 for column, label in zip(codes, labels_of, strict=True)
        )
        if len(columns) > 1 and len(counts) > 4 and alone and 2 * counts[i] == sum(counts):
            raise ArgumentError(
                f"{table.where[i]}: a row", "must be a cell, not the sum of the other rows", f"{counts[i]}",
                "leave that row out",
            )  # fmt: skip
    rows = list(zip(entities, datasets or [None] * len(entities), strict=True))
    if (twice := find_repeat(zip(rows, *codes, strict=True))) is not None:
        i, before = twice
        fields_text = ", ".join(f"{name} {table.columns[known.of[name]][i]!r}" for name in columns)
        raise ArgumentError(
            f"{table.where[i]}: a table",
            f"must have one row for each {'outcome' if len(columns) == 1 else 'cell'}",
            f"{fields_text} of {entities[i]!r} in {table.place(before)} as well{_dataset_hint(table, known)}",
        )
    position, pairs = factorize(rows)
    values = np.zeros((len(pairs), *[len(labels)] * len(columns)), np.int64)
    cell: tuple[Any, ...] = (position, *codes)
    values[cell] = counts
    named, sets = (
        [entity for entity, _ in pairs],
        [dataset for _, dataset in pairs] if datasets is not None else None,
    )
    places = [table.where[rows.index(pair)] for pair in pairs]
    _refuse_totals(replace(table, where=places), known, values, named, sets)
    for axis, role in enumerate(columns, 1):
        _refuse_total_label(table, role, np.moveaxis(values, axis, -1), labels)
    result = arrange(values, named, sets, dict.fromkeys(columns, labels))
    if form[0] == "outcome":
        return result
    known.notes.extend(
        note_never_true(labels, [label for k, label in enumerate(labels) if values[:, k].any()])
    )
    if len(labels) == 2 and positive is None:
        known.notes.append(note_unknown_positive(table, labels))
    return put_in_class_order(result, positive)


def _check_pairs(
    table: Table, known: Known, entities: list[Any], datasets: list[Any] | None
) -> None:
    """Raise an error if an entity occurs in two rows."""
    if (twice := find_repeat(zip(entities, datasets or entities, strict=True))) is not None:
        i, before = twice
        on = f" on {datasets[i]!r}" if datasets else ""
        raise ArgumentError(
            f"{table.where[i]}: entity",
            f"must name each entity once{on}",
            f"{entities[i]!r} in {table.place(before)} as well{_dataset_hint(table, known)}",
        )


def _dataset_hint(table: Table, known: Known) -> str:
    """Return the column that may distinguish rows of one entity."""
    if "dataset" in known.of:
        return ""
    for name in known.free(table):
        column = table.columns[name]
        distinct = find_repeat(zip(table.columns[known.of["entity"]], column, strict=True)) is None
        if distinct and (not holds_outcomes(column) or is_metadata_name(name)):
            return f" (if {name} names data sets, pass {table.option('dataset', name)})"
    return " (rename one of them, or add a column dataset)"


def _refuse_totals(
    table: Table, known: Known, counts: np.ndarray, entities: list[Any], datasets: list[Any] | None
) -> None:
    """Raise an error for counts (row, ...) that sum or average other rows: they would be ranked, or count twice."""
    rows, same = counts.reshape(len(counts), -1), [None] * len(entities)
    for called, other in ((entities, datasets or same), (datasets or same, entities)):
        names = list(dict.fromkeys(called))
        for name in [
            name
            for name in names
            if name in (names[0], names[-1]) or (name in names[2:] and is_total_name(name))
        ]:
            i = called.index(name)
            rest = [j for j in range(len(called)) if called[j] != name and other[j] == other[i]]
            # A row of totals may have a data set of its own.
            rest = rest or [
                j for j in range(len(called)) if called[j] != name and is_total_name(name)
            ]
            summary = find_summary(rows[rest], rows[i].tolist(), [1.0] * rows.shape[1], name)
            if summary and (summary == "sums" or name != names[0]):
                column = known.of["entity" if called is entities else "dataset"]
                others = [str(other) for other in names if other != name]
                can_be_kept = len(others) <= MOST_KEPT and str(column) in map(str, table.columns)
                raise ArgumentError(
                    f"{table.where[i]}: {name!r}",
                    f"must not be a row, since it holds the {summary} of the other rows",
                    ", ".join(map(str, rows[i].tolist())),
                    f"{table.conditions(column, others)} leaves it out"
                    if can_be_kept
                    else "leave that row out",
                )


def _refuse_total_label(table: Table, role: str, values: np.ndarray, labels: list[Any]) -> None:
    """Raise an error for a class or outcome (..., label) that sums the others, such as margins."""
    for k, label in enumerate(labels):
        own, others = values[..., k], np.delete(values, k, axis=-1)
        if not isinstance(label, str) or len(labels) < 3 or not others.any():
            continue
        sums = find_summary(
            np.moveaxis(others, -1, 0).reshape(len(labels) - 1, -1),
            own.ravel().tolist(),
            [1.0] * own.size,
            label,
        )
        first, second = (part.reshape(len(values), -1).sum(axis=1) for part in (own, others))
        if sums == "sums" or (is_total_name(label) and np.array_equal(first, second)):
            raise ArgumentError(
                f"{table.source}: {label!r}",
                f"must not be a label of {role}: its rows hold the sums of the other labels (delete these rows, or "
                "rename it)",
            )


def _class_codes(
    table: Table, known: Known, roles: Roles
) -> tuple[list[Any], Any, list[list[int]]]:
    """Return the ordered classes, the positive one, and the actual and predicted class of each row."""
    dtype = table.categories.get(known.of["actual"])
    columns = table.read_labels(known.of["actual"], known.of["predicted"])
    labels = [
        check_labels(name, column)
        for name, column in zip(("actual", "predicted"), columns, strict=True)
    ]
    if not set(labels[0].tolist()) & set(labels[1].tolist()):
        raise ArgumentError(
            f"{table.source}: {known.of['predicted']}",
            f"must use the labels of {known.of['actual']}",
            f"{columns[1][0]!r}, and {columns[0][0]!r} in {known.of['actual']}",
            f"rename its labels to those of {known.of['actual']}",
        )
    classes = all_classes(None if dtype is None else list(dtype.categories), labels)
    classes, positive = arrange_classes(
        classes, roles.positive, dtype is not None and bool(dtype.ordered)
    )
    code = {label: i for i, label in enumerate(classes)}
    unknown = [label for column in columns for label in column if label not in code]
    if unknown:
        raise ArgumentError(
            "predicted", f"must contain only categories of actual, {classes}", f"{unknown[0]!r}"
        )
    return classes, positive, [[code[label] for label in column] for column in columns]


def _outcome_codes(
    table: Table, known: Known, roles: Roles
) -> tuple[list[Any], None, list[list[int]]]:
    """Return the ordered outcomes, no positive one, and the outcome of each row."""
    column = known.of["outcome"]
    dtype = table.categories.get(column)
    outcomes = check_labels("outcome", table.columns[column]).tolist()
    written = list(dict.fromkeys(outcomes)) if dtype is None else list(dtype.categories)
    check_exact(written)
    values = as_outcomes(written)
    texts = [value for value in values if not isinstance(value, float)]
    if texts and (len(texts) < len(values) or not all(isinstance(value, str) for value in texts)):
        raise ArgumentTypeError(
            "outcome",
            "must contain numbers only, or text only",
            f"{type(texts[0]).__name__} {texts[0]!r}",
        )
    if not texts and not np.isfinite(values).all():
        raise ArgumentError("outcome", "must contain finite numbers", "an infinite one")
    if not texts and all(value % 1 == 0 and abs(value) <= EXACT for value in values):
        values = list(map(int, values))
    if roles.outcome is None and not texts and (meant := missing_code(values)) is not None:
        rest = sorted(value for value in values if value != meant)
        raise ArgumentError(
            table.source,
            f"must say what {meant:g} means beside values from {rest[0]:g} to {rest[-1]:g}",
            f"{meant:g} in {column}",
            f"leave its rows out if there was no answer; {table.option('outcome', column)} says that {meant:g} is an "
            "outcome like the others",
        )
    labels = values if dtype is not None else [0, 1] if {*values} <= {0, 1} else sorted({*values})
    if len(labels) < 2:
        raise ArgumentError("outcome", "must contain at least two outcomes", labels)
    code = {text: labels.index(value) for text, value in zip(written, values, strict=True)}
    return labels, None, [[code[value] for value in outcomes]]
