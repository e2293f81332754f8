"""Counts from tables of matrices, cells, right and wrong answers, or outcomes."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import all_classes, check_labels, is_number
from bayesrank._labels import arrange_classes
from bayesrank.evidence._columns import CELLS, TOTALS, is_metadata_name
from bayesrank.evidence._fields import (
    EXACT,
    check_exact,
    read_count_column,
    read_labels,
    read_names,
    refuse_positive,
    say_never_true,
    say_unknown_positive,
)
from bayesrank.evidence._forms import Known, holds_outcomes
from bayesrank.evidence._table import Roles, Table
from bayesrank.evidence._values import VERDICTS, to_number
from bayesrank.evidence.counts import TWO_CLASSES, arrange, arrange_outcomes, put_in_class_order

__all__ = ["read_counts"]


def read_counts(table: Table, known: Known, form: tuple[str, ...], roles: Roles) -> xr.DataArray:
    entities = read_names(table, known.of["entity"], "entity")
    datasets = read_names(table, known.of["dataset"], "dataset") if "dataset" in known.of else None
    if form in (CELLS, ("correct", "wrong"), ("correct", "total")):
        cells = np.array([read_count_column(table, known.of[name], name) for name in form], np.int64)
        _check_pairs(table, known, entities, datasets)
        _check_totals(table.where, cells.T, entities, datasets)
        if form == CELLS:
            if roles.positive is not None and str(roles.positive).lower() != "positive":
                raise ValueError(
                    f"{table.argument('positive')} must be left out for tn, fp, fn, tp, which say it; got "
                    f"{roles.positive!r}"
                )
            return arrange(cells.T.reshape(-1, 2, 2), entities, datasets, list(TWO_CLASSES))
        refuse_positive(table, roles)
        right = cells[0]
        wrong = cells[1] if form[1] == "wrong" else _rest(table, known, right, cells[1])
        return arrange_outcomes(np.stack([wrong, right], axis=-1), entities, datasets, [0, 1])
    columns = list(form[:-1])
    if form[0] == "outcome":
        refuse_positive(table, roles)
        labels, codes = _outcome_codes(table, known)
        positive = None
    else:
        labels, positive, codes = _class_codes(table, known, roles)
    counts = read_count_column(table, known.of["count"], "count")
    rows = list(zip(entities, datasets, strict=True)) if datasets is not None else [(name,) for name in entities]
    first: dict[Any, int] = {}
    for i, key in enumerate(zip(rows, *codes, strict=True)):
        if key in first:
            what = "outcome" if form[0] == "outcome" else "cell"
            held = ", ".join(f"{name} {table.column(known.of[name])[i]!r}" for name in columns)
            raise ValueError(
                f"{table.where[i]}: a table must have one row for each {what}; got {held} of {entities[i]!r} in "
                f"{table.where[first[key]].removeprefix(table.source + ', ')} as well{_dataset_hint(table, known)}"
            )
        first[key] = i
    position = {pair: i for i, pair in enumerate(dict.fromkeys(rows))}
    values = np.zeros((len(position), *[len(labels)] * len(columns)), np.int64)
    values[([position[pair] for pair in rows], *codes)] = counts
    sets = [pair[1] for pair in position] if datasets is not None else None
    line = dict(reversed(list(zip(rows, table.where, strict=True))))
    _check_totals([line[pair] for pair in position], values, [pair[0] for pair in position], sets)
    for axis in range(1, values.ndim):
        _check_classes(table, columns[axis - 1], np.moveaxis(values, axis, -1), labels)
    if form[0] == "outcome":
        return arrange_outcomes(values, [pair[0] for pair in position], sets, labels)
    known.remarks.extend(say_never_true(labels, [label for k, label in enumerate(labels) if values[:, k].any()]))
    if len(labels) == 2 and positive is None:
        known.remarks.append(say_unknown_positive(table, labels))
    return put_in_class_order(arrange(values, [pair[0] for pair in position], sets, labels), positive)


def _rest(table: Table, known: Known, right: np.ndarray, total: np.ndarray) -> np.ndarray:
    wrong = total - right
    if (wrong < 0).any():
        i = int((wrong < 0).argmax())
        raise ValueError(
            f"{table.where[i]}: {known.of['correct']} must be at most {known.of['total']}; got {right[i]} of {total[i]}"
        )
    return wrong


def _check_pairs(table: Table, known: Known, entities: list[Any], datasets: list[Any] | None) -> None:
    """Raise an error if an entity occurs in two rows."""
    first: dict[Any, int] = {}
    for i, key in enumerate(zip(entities, datasets or [None] * len(entities), strict=True)):
        if key in first:
            where = table.where[first[key]].removeprefix(table.source + ", ")
            on = f" on {key[1]!r}" if datasets is not None else ""
            raise ValueError(
                f"{table.where[i]}: entity must name each entity once{on}; got {entities[i]!r} in {where} as well"
                f"{_dataset_hint(table, known)}"
            )
        first[key] = i


def _dataset_hint(table: Table, known: Known) -> str:
    """Return the column that may distinguish rows of one entity."""
    if "dataset" in known.of:
        return ""
    free = [name for name in table.names if name not in known.of.values()]
    entities = table.column(known.of["entity"])
    telling = [name for name in free if len(set(zip(entities, table.column(name), strict=True))) == len(table.where)]
    offered = [name for name in telling if not holds_outcomes(table.column(name)) or is_metadata_name(name)]
    if not offered:
        return " (rename one of them, or add a column dataset)"
    return f" (if {offered[0]} names data sets, pass {table.option('dataset', offered[0])})"


def _check_totals(where: list[str], counts: np.ndarray, entities: list[Any], datasets: list[Any] | None) -> None:
    """Raise an error for counts (row, ...) that sum other rows: they would be ranked, or count twice."""
    names = [("entity", entities, datasets), *([("dataset", datasets, entities)] if datasets is not None else [])]
    for role, called, other in names:
        for i, name in enumerate(called):
            if not isinstance(name, str) or name.lower() not in TOTALS:
                continue
            rest = [j for j in range(len(called)) if j != i and (other is None or other[j] == other[i])]
            if not rest:
                continue
            sums = (counts[rest].sum(axis=0) == counts[i]).all() or counts[rest].sum() == counts[i].sum()
            means = (np.abs(counts[rest].mean(axis=0) - counts[i]) <= 0.5).all()
            if sums or means or (name.lower() in ("total", "totals", "grand total", "sum") and len(rest) > 1):
                raise ValueError(
                    f"{where[i]}: {name!r} must be no row of its own where it sums up the other rows (leave that row "
                    f"out, or rename the {role} if it is one)"
                )


def _check_classes(table: Table, role: str, values: np.ndarray, labels: list[Any]) -> None:
    """Raise an error for a class or outcome (..., label) that sums the others, such as margins."""
    for k, label in enumerate(labels):
        others = np.delete(values, k, axis=-1).sum(axis=-1)
        named = isinstance(label, str) and label.lower() in TOTALS and len(labels) > 2
        own, rest = (part.reshape(len(values), -1).sum(axis=1) for part in (values[..., k], others))
        if named and others.any() and ((others == values[..., k]).all() or (own == rest).all()):
            raise ValueError(
                f"{table.source}: {label!r} must be no {role} where it sums up the others (leave its rows out, or "
                "rename it if it is one)"
            )


def _class_codes(table: Table, known: Known, roles: Roles) -> tuple[list[Any], Any, list[list[int]]]:
    """Return the ordered classes, the positive one, and the actual and predicted class of each row."""
    dtype = table.categories.get(known.of["actual"])
    columns = read_labels(table, known.of["actual"], known.of["predicted"])
    named = None if dtype is None else list(dtype.categories)
    classes = all_classes(
        named, [check_labels(name, column) for name, column in zip(("actual", "predicted"), columns, strict=True)]
    )
    classes, positive = arrange_classes(classes, roles.positive, dtype is not None and bool(dtype.ordered))
    code = {label: i for i, label in enumerate(classes)}
    unknown = [label for column in columns for label in column if label not in code]
    if unknown:
        raise ValueError(f"predicted must hold categories of actual, {classes}; got {unknown[0]!r}")
    return classes, positive, [[code[label] for label in column] for column in columns]


def _outcome_codes(table: Table, known: Known) -> tuple[list[Any], list[list[int]]]:
    """Return the ordered outcomes, and the outcome of each row."""
    column = known.of["outcome"]
    held = [_plain_label(value) for value in check_labels("outcome", table.column(column)).tolist()]
    dtype = table.categories.get(column)
    texts = [value for value in held if isinstance(value, str)]
    if texts and dtype is None and len(texts) == len(held):
        numbers = [to_number(text) for text in texts]
        words = {text.lower() for text in texts}
        pair = next((pair for pair in VERDICTS if words <= set(pair)), None)
        if None not in numbers:
            held = numbers
        elif pair is not None:
            held = [int(text.lower() == pair[1]) for text in texts]
    labels, found = (_plain_outcomes(values) for values in (held if dtype is None else list(dtype.categories), held))
    if dtype is None:
        labels = [0, 1] if set(labels) <= {0, 1} else sorted(set(labels))
    if len(labels) < 2:
        raise ValueError(f"outcome must hold two or more outcomes; got {labels}")
    code = {label: i for i, label in enumerate(labels)}
    return labels, [[code[label] for label in found]]


def _plain_label(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _plain_outcomes(values: list[Any]) -> list[Any]:
    """Return outcomes as numbers (whole ones as int) or text."""
    numbers = [isinstance(value, bool | np.bool_) or is_number(value) for value in values]
    if not all(numbers):
        other = next(value for value, number in zip(values, numbers, strict=True) if not number)
        if any(numbers) or not all(isinstance(value, str) for value in values):
            raise TypeError(
                f"outcome must hold numbers, or else text; got {type(other).__name__} {other!r}{' too' * any(numbers)}"
            )
        return values
    if not np.isfinite(np.asarray(values, dtype=float)).all():
        raise ValueError("outcome must hold finite numbers; got an infinite one")
    check_exact(values)
    whole = all(value == int(value) and abs(value) <= EXACT for value in values)
    return [int(value) for value in values] if whole else list(map(float, values))
