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
from bayesrank.io.tables.named_roles import NamedColumns, holds_outcomes
from bayesrank.io.tables.roles import CELLS
from bayesrank.io.tables.table import NO_CLASSES, Roles, Table
from bayesrank.io.tables.totals import find_summary, is_total_name, unit_of
from bayesrank.io.tables.values import as_outcomes, check_exact, is_percent, missing_code, to_share

#: The quantile of the normal distribution at the upper end of a 95% interval.
NORMAL_95 = 1.959963984540054


def read_means(
    table: Table, named: NamedColumns, form: tuple[str, ...], roles: Roles
) -> xr.Dataset:
    """Return ``mean_outcome`` and ``standard_error`` (entity), and the number of ``cases`` if the table has it."""
    table.refuse(roles, "positive", NO_CLASSES)
    if "dataset" in named.by_role:
        raise ArgumentError(
            table.source,
            "must contain one row for each entity; means and standard errors of several data sets "
            f"({named.by_role['dataset']}) cannot be pooled without outcomes by case. Keep the rows of one data set "
            f"({table.without(named.by_role['dataset'])} if there is only one)",
        )
    entities = table.read_names(named.by_role["entity"], "entity")
    _check_pairs(table, named, entities, None)
    numbers = _read_means(table, named, form)
    held: dict[str, Any] = {"mean_outcome": numbers["mean"], "standard_error": numbers.get("se")}
    if "lower" in form:
        held["standard_error"] = _halve_intervals(table, named, numbers)
        named.notes.append(
            Note("ends_of_intervals", {"columns": [str(named.by_role[role]) for role in form[1:]]})
        )
    _refuse_certain_means(table, named, held["standard_error"], form[-1], entities)
    written = [table.columns[named.by_role[role]][-1] for role in form]
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
    if "total" in named.by_role:
        held["cases"] = table.read_counts(named.by_role["total"])
    coords = {"entity": name_coord(entities)}
    return xr.Dataset({name: ("entity", np.array(values)) for name, values in held.items()}, coords)


def _read_means(table: Table, named: NamedColumns, form: tuple[str, ...]) -> dict[str, list[float]]:
    """Return the numbers of means and of their errors or ends by role; 90% is 0.9 if all are written so."""
    result: dict[str, list[float]] = {}
    percent = {role: is_percent(table.distinct(named.by_role[role])) for role in form}
    for role in form:
        column = named.by_role[role]
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


def _halve_intervals(
    table: Table, named: NamedColumns, numbers: dict[str, list[float]]
) -> list[float]:
    """Return the standard errors that belong to the ends of 95% intervals of a normal distribution."""
    result = []
    for i, (mean, low, high) in enumerate(
        zip(*(numbers[role] for role in ("mean", "lower", "upper")), strict=True)
    ):
        if not low <= mean <= high:
            column = named.by_role["lower"] if low > mean else named.by_role["upper"]
            raise ArgumentError(
                f"{table.where[i]}: {column}", f"must be the end of an interval around {named.by_role['mean']}",
                f"{mean:g} with the ends {low:g} and {high:g}",
                "write the values at both ends, and not their distances from the mean",
            )  # fmt: skip
        result.append((high - low) / (2 * NORMAL_95))
    return result


def _refuse_certain_means(
    table: Table, named: NamedColumns, errors: list[float], role: str, entities: list[Any]
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
    keep = table.conditions(named.by_role["entity"], rest)
    can_be_kept = errors[i] == 0 and 2 <= len(rest) <= MOST_KEPT
    raise ArgumentError(
        f"{table.where[i]}: {named.by_role[role]}",
        "must be a standard error above 0"
        if role == "se"
        else "must be the end of an interval with a width",
        f"{errors[i]:g}{why * (errors[i] == 0)}",
        f"{keep} leaves out {list_names([str(entities[k]) for k in certain], 4)}, such as a baseline that every other "
        "is compared with"
        if can_be_kept
        else "",
    )


def read_counts(
    table: Table, named: NamedColumns, form: tuple[str, ...], roles: Roles
) -> xr.DataArray:
    entities = table.read_names(named.by_role["entity"], "entity")
    datasets = (
        table.read_names(named.by_role["dataset"], "dataset")
        if "dataset" in named.by_role
        else None
    )
    if form in (CELLS, DETECTION) and str(roles.positive).lower() != "positive":
        table.refuse(
            roles,
            "positive",
            "for the columns tn, fp, fn and tp, whose names say which class is positive",
        )
    elif "actual" not in form:
        table.refuse(roles, "positive", NO_CLASSES)
    if form[-1] != "count":
        return _read_rows_of_entities(table, named, form, entities, datasets)
    columns = list(form[:-1])
    labels, positive, codes = (_outcome_codes if form[0] == "outcome" else _class_codes)(
        table, named, roles
    )
    counts = table.read_counts(named.by_role["count"])
    _refuse_sum_of_rows(table, entities, codes, counts)
    rows = list(zip(entities, datasets or [None] * len(entities), strict=True))
    if (twice := find_repeat(zip(rows, *codes, strict=True))) is not None:
        i, before = twice
        fields_text = ", ".join(
            f"{name} {table.columns[named.by_role[name]][i]!r}" for name in columns
        )
        raise ArgumentError(
            f"{table.where[i]}: a table",
            f"must have one row for each {'outcome' if len(columns) == 1 else 'cell'}",
            f"{fields_text} of {entities[i]!r} in {table.place(before)} as well{_dataset_hint(table, named)}",
        )
    position, pairs = factorize(rows)
    values = np.zeros((len(pairs), *[len(labels)] * len(columns)), np.int64)
    cell: tuple[Any, ...] = (position, *codes)
    values[cell] = counts
    entity_names = [entity for entity, _ in pairs]
    sets = [dataset for _, dataset in pairs] if datasets is not None else None
    places = [table.where[rows.index(pair)] for pair in pairs]
    _refuse_totals(replace(table, where=places), named, values, entity_names, sets)
    for axis, role in enumerate(columns, 1):
        _refuse_total_label(table, role, np.moveaxis(values, axis, -1), labels)
    result = arrange(values, entity_names, sets, dict.fromkeys(columns, labels))
    if form[0] == "outcome":
        return result
    named.notes.extend(
        note_never_true(labels, [label for k, label in enumerate(labels) if values[:, k].any()])
    )
    if len(labels) == 2 and positive is None:
        named.notes.append(note_unknown_positive(table, labels))
    return put_in_class_order(result, positive)


def _read_rows_of_entities(
    table: Table, named: NamedColumns, form: tuple[str, ...], entities: list[Any], datasets: Any
) -> xr.DataArray:
    """Read a table with a row for each entity: all cells of its matrix, or its right and wrong answers."""
    cells = np.array([table.read_counts(named.by_role[name]) for name in form], np.int64)
    if form == DETECTION:
        cells, form = np.vstack([np.zeros_like(cells[:1]), cells]), CELLS
    _check_pairs(table, named, entities, datasets)
    _refuse_totals(table, named, cells.T, entities, datasets)
    if form == CELLS:
        return arrange(cells.T.reshape(-1, 2, 2), entities, datasets, class_dims(TWO_CLASSES))
    right, other = cells
    wrong = other - right if form[1] == "total" else other
    if (wrong < 0).any():
        i = int((wrong < 0).argmax())
        raise ArgumentError(
            f"{table.where[i]}: {named.by_role['correct']}",
            f"must be at most {named.by_role['total']}",
            f"{right[i]} of {other[i]}",
        )
    return arrange(np.stack([wrong, right], axis=-1), entities, datasets, {"outcome": [0, 1]})


def _refuse_sum_of_rows(table: Table, entities: list[Any], codes: Any, counts: list[int]) -> None:
    """Raise an error if a row holds the sum of the others, by its name or by labels of its own."""
    total = sum(counts)
    half = [2 * count == total for count in counts]
    for i, name in enumerate(entities):
        if is_total_name(name) and half[i]:
            raise ArgumentError(
                f"{table.where[i]}: {name!r}", "must not be a row, since it holds the sum of the other rows",
                f"{counts[i]}", "leave that row out",
            )  # fmt: skip
    if len(codes) < 2 or len(counts) <= 4:
        return
    for i, labels_of in enumerate(zip(*codes, strict=True)):
        pairs = zip(codes, labels_of, strict=True)
        if half[i] and all(column.count(label) == 1 for column, label in pairs):
            raise ArgumentError(
                f"{table.where[i]}: a row", "must be a cell, not the sum of the other rows", f"{counts[i]}",
                "leave that row out",
            )  # fmt: skip


def _check_pairs(
    table: Table, named: NamedColumns, entities: list[Any], datasets: list[Any] | None
) -> None:
    """Raise an error if an entity occurs in two rows."""
    if (twice := find_repeat(zip(entities, datasets or entities, strict=True))) is not None:
        i, before = twice
        on = f" on {datasets[i]!r}" if datasets else ""
        raise ArgumentError(
            f"{table.where[i]}: entity",
            f"must name each entity once{on}",
            f"{entities[i]!r} in {table.place(before)} as well{_dataset_hint(table, named)}",
        )


def _dataset_hint(table: Table, named: NamedColumns) -> str:
    """Return the column that may distinguish rows of one entity."""
    if "dataset" in named.by_role:
        return ""
    for name in named.free(table):
        column = table.columns[name]
        distinct = (
            find_repeat(zip(table.columns[named.by_role["entity"]], column, strict=True)) is None
        )
        if distinct and (not holds_outcomes(column) or is_metadata_name(name)):
            return f" (if {name} names data sets, pass {table.option('dataset', name)})"
    return " (rename one of them, or add a column dataset)"


def _refuse_totals(
    table: Table,
    named: NamedColumns,
    counts: np.ndarray,
    entities: list[Any],
    datasets: list[Any] | None,
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
                column = named.by_role["entity" if called is entities else "dataset"]
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
    table: Table, named: NamedColumns, roles: Roles
) -> tuple[list[Any], Any, list[list[int]]]:
    """Return the ordered classes, the positive one, and the actual and predicted class of each row."""
    dtype = table.categories.get(named.by_role["actual"])
    columns = table.read_labels(named.by_role["actual"], named.by_role["predicted"])
    labels = [
        check_labels(name, column)
        for name, column in zip(("actual", "predicted"), columns, strict=True)
    ]
    if not set(labels[0].tolist()) & set(labels[1].tolist()):
        raise ArgumentError(
            f"{table.source}: {named.by_role['predicted']}",
            f"must use the labels of {named.by_role['actual']}",
            f"{columns[1][0]!r}, and {columns[0][0]!r} in {named.by_role['actual']}",
            f"rename its labels to those of {named.by_role['actual']}",
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
    table: Table, named: NamedColumns, roles: Roles
) -> tuple[list[Any], None, list[list[int]]]:
    """Return the ordered outcomes, no positive one, and the outcome of each row."""
    column = named.by_role["outcome"]
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
    labels = values
    if dtype is None:
        labels = [0, 1] if {*values} <= {0, 1} else sorted({*values})
    if len(labels) < 2:
        raise ArgumentError("outcome", "must contain at least two outcomes", labels)
    code = {text: labels.index(value) for text, value in zip(written, values, strict=True)}
    return labels, None, [[code[value] for value in outcomes]]
