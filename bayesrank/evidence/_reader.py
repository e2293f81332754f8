"""From a table to evidence: counts, or joint outcomes of single cases. Nothing that changes the answer is guessed.

A table is one of these, told by its headings: counts (a matrix, a cell, right and wrong, or an outcome a row), cases (one
row an entity and a case), or answers (one row a case, one column an entity). What is ambiguous is refused, and the message
says what to type.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank import _text
from bayesrank._checks import all_classes, case_labels, is_number, item_names
from bayesrank._labels import order_classes, standing_pair
from bayesrank.cases import from_outcomes, joint_outcomes, variance_components
from bayesrank.counts import TWO_CLASSES, arrange, arrange_outcomes, put_in_class_order
from bayesrank.evidence._columns import (
    CELLS,
    ENTITY_NAMES,
    LONG_CASE_NAMES,
    ROLES,
    is_metadata_name,
    odd_columns,
    role_of,
    squeeze,
)
from bayesrank.evidence._table import Roles, Table
from bayesrank.evidence._values import (
    VERDICTS,
    as_count,
    as_label_columns,
    as_outcome_columns,
    count_hint,
    is_missing,
    to_number,
)

__all__ = ["CASES", "COUNTS", "read_table"]

#: Whole numbers beyond it are not all distinguished by a float.
EXACT = 2**53
#: Forms of a table, by the columns that make them, and what a row is.
COUNTS = {
    CELLS: "a confusion matrix",
    ("actual", "predicted", "count"): "a cell of one",
    ("correct", "wrong"): "how many cases were right and wrong",
    ("correct", "total"): "how many of all cases were right",
    ("outcome", "count"): "how many cases had an outcome, which is a number or text",
}
CASES = {
    ("case", "outcome"): "the outcome of a case",
    ("case", "actual", "predicted"): "the true and the predicted label of a case",
}
#: What a column says that a user names.
WHAT = {
    "entity": "names the entities",
    "dataset": "names the data sets",
    "case": "names the cases",
    "run": "says which run of its case a row is",
    "cluster": "says what cases belong to",
}
#: Columns that belong to the cases, whatever the form.
OF_CASES = ("case", "run", "dataset", "cluster", "weight", "actual")
#: Columns that make a table one of counts, or one that names its entities.
MARKS = ("tn", "fp", "fn", "tp", "predicted", "count", "correct", "wrong", "outcome")
#: Headings of scores, which do not say of how many cases.
RATES = (
    *("accuracy", "acc", "sensitivity", "specificity", "precision", "recall", "f1", "fscore", "auc", "auroc", "roc"),
    *("tpr", "tnr", "fpr", "fnr", "ppv", "npv", "mcc", "kappa", "support", "rate", "percent", "winrate", "passrate"),
    *("fmeasure", "auprc", "map", "bleu", "rouge", "em", "exactmatch", "top1", "top5", "balancedaccuracy", "dice"),
)
#: Rows that sum up the others.
TOTALS = {"total", "totals", "sum", "grand total", "all", "overall", "average", "mean", "macro avg", "weighted avg"}


class _Roles(NamedTuple):
    """Headings by role, which of them were inferred, and sentences on these."""

    of: dict[str, Any]
    remarks: list[str]


def read_table(table: Table, roles: Roles) -> xr.DataArray | xr.Dataset:
    """Return counts, or joint outcomes where the table has single cases.

    ``attrs["remarks"]`` holds what was inferred, and ``attrs["remarks_pooled"]`` what to know if data sets are pooled, one
    sentence a line.
    """
    table = table.drop_empty()
    known = _named_roles(table, roles)
    entity = known.of.get("entity") or _entity_of(table, known, roles)
    form = _form(table, known, entity)
    if form is None:
        return _read_answers(table, known, roles)
    if roles.entities is not None:
        raise ValueError(
            f"{table.argument('entities')} must be left out of a table whose column entity names them; got "
            f"{', '.join(map(str, roles.entities))}"
        )
    if entity is None:
        _refuse_without_entity(table, known, form)
    known.of["entity"] = entity
    if squeeze(entity) != "entity" and roles.entity is None:
        known.remarks.append(f"The column {entity} names the entities.")
    if not len(table.where):
        raise ValueError(f"{table.source} must have at least one row; got none")
    if form in CASES:
        return _read_cases(table, known, form, roles)
    for argument, value in (("cluster", roles.cluster), ("case", roles.case), ("run", roles.run)):
        if value is not None:
            raise ValueError(
                f"{table.argument(argument)} must be left out of counts, which hold no single cases; got {value!r}"
            )
    if roles.missing is not None:
        raise ValueError(
            f"{table.argument('missing')} must be left out of counts, which hold no single cases; got {roles.missing!r}"
        )
    return _with_remarks(_read_counts(table, known, form, roles), known.remarks)


# Which column is what


def _named_roles(table: Table, roles: Roles) -> _Roles:
    """Roles that the user names, and those that headings name."""
    of: dict[str, Any] = {}
    for role, wanted in roles.columns().items():
        if not isinstance(wanted, str | int | float):
            raise TypeError(f"{role} must be the name of a column; got {type(wanted).__name__} {wanted!r}")
        name = table.find(role, wanted)
        taken = next((other for other, held in of.items() if held == name), None)
        if taken is not None:
            raise ValueError(f"{table.argument(role)} must name a column of its own; got {name!r}, the {taken} as well")
        other = role_of(name)
        forbidden = other in (*MARKS, "actual", "weight") or (role == "cluster" and other in ("entity", "case", "run"))
        if role == "entity":
            forbidden = other in (*CELLS, "count", "correct", "wrong", "weight")
        elif squeeze(name) == "entity" and roles.entity is None:
            forbidden = True
        if forbidden:
            raise ValueError(
                f"{table.argument(role)} must name a column that {WHAT[role]}; got {name!r}, which is read as {other}"
            )
        if other == role and squeeze(name) == role:
            pass
        elif (rival := next((n for n in table.names if squeeze(n) == role and n != name), None)) is not None:
            if role == "cluster":
                raise ValueError(
                    f"{table.argument(role)} must be left out beside a column {rival}; got {name!r} "
                    f"({table.without(rival)} leaves the other out)"
                )
        of[role] = name
    for role in ROLES:
        if role in of or role == "entity":
            continue
        names = [name for name in table.names if role_of(name) == role and name not in of.values()]
        exact = [name for name in names if squeeze(name) == role]
        names = exact if len(exact) == 1 and role in ("outcome", "case", "count", "correct", "wrong") else names
        if len(names) > 1 and role not in ("total",):
            raise ValueError(
                f"{table.source} must have each column once; its heading has {' and '.join(map(str, names))}, both read "
                f"as {role} ({table.without(names[-1])} leaves one out)"
            )
        if names:
            of[role] = names[0]
    exact = [name for name in table.names if squeeze(name) == "entity"]
    if "entity" not in of and exact:
        if len(exact) > 1:
            raise ValueError(f"{table.source} must have each column once; its heading has entity more than once")
        of["entity"] = exact[0]
    # One row an entity and a case: the column correct holds the outcome.
    if "correct" in of and "outcome" not in of and not {"wrong", "total"} & set(of):
        of["outcome"] = of.pop("correct")
    return _Roles(of, [])


def _entity_of(table: Table, known: _Roles, roles: Roles) -> Any:
    """The column that names the entities by another name, if only one does; None where there is none."""
    if roles.entities is not None:
        return None
    free = [name for name in table.names if name not in known.of.values()]
    found = [name for name in free if squeeze(name) in ENTITY_NAMES]
    forms = [form for form in (*COUNTS, *CASES) if set(form) <= set(known.of)]
    if not forms and not _marks(known):
        # A table of answers may have entities of such names; a column of names is none of them.
        found = [name for name in found if not _holds_outcomes(table.column(name))]
    if not found or (not forms and not _marks(known) and "actual" in known.of):
        return None
    if len(found) > 1:
        raise ValueError(
            f"{table.source} must have one column that names the entities; its heading has "
            f"{' and '.join(map(str, found))}: {_or([table.option('entity', name) for name in found])} says which"
        )
    return found[0]


def _marks(known: _Roles) -> set[str]:
    """Roles that only a table of counts or of cases has, by their own names."""
    return {role for role in MARKS if role in known.of and squeeze(known.of[role]) in (role, ROLES[role][0])}


def _holds_outcomes(column: list[Any]) -> bool:
    read = as_outcome_columns([column])[0]
    return all(value is None or isinstance(value, float) for value in read)


def _form(table: Table, known: _Roles, entity: Any) -> tuple[str, ...] | None:
    """The columns that say what a row is; None of answers, with one column an entity."""
    held = set(known.of)
    whole = [form for form in (*COUNTS, *CASES) if set(form) <= held]
    # Derived columns, such as correct and total beside a matrix, do not matter.
    if len(whole) > 1:
        whole = [form for form in whole if form != ("correct", "total")] or whole
    if len(whole) > 1:
        both = " and of ".join(", ".join(form) for form in whole)
        spare = [name for role, name in known.of.items() if role in whole[1] and role not in whole[0]]
        raise ValueError(
            f"{table.source} must have the columns of one kind of table; its heading has those of {both} "
            f"({table.without(spare)} leaves the second out)"
        )
    if whole:
        if entity is not None or _marks(known) & set(whole[0]) - {"outcome", "predicted"}:
            return whole[0]
        if whole[0] not in CASES or {"outcome", "predicted"} & _marks(known):
            return whole[0]
    if entity is None and not _marks(known):
        return None
    if entity is not None:
        return _case_form(table, known, entity)
    return _missing_columns(table, known, entity)


def _case_form(table: Table, known: _Roles, entity: Any) -> tuple[str, ...]:
    """The form of cases whose names stand in a column such as question_id; else say what is missing."""
    form = next((form for form in CASES if set(form) - {"case"} <= set(known.of)), None)
    if form is None:
        return _missing_columns(table, known, entity)
    free = [name for name in table.names if name not in (*known.of.values(), entity)]
    found = [name for name in free if squeeze(name) in LONG_CASE_NAMES]
    keys = [
        table.column(name) for name in (entity, *(known.of[role] for role in ("dataset", "run") if role in known.of))
    ]
    fitting = [name for name in found if len(set(zip(*keys, table.column(name), strict=True))) == len(table.where)]
    if len(fitting) == 1:
        known.of["case"] = fitting[0]
        known.remarks.append(f"The column {fitting[0]} names the cases.")
        return form
    values = table.column(known.of[form[-1]])
    numbers = [number for number in map(to_number, values) if number is not None]
    single = len(set(table.column(entity))) == len(table.where) and len(table.where) > 1
    if form[-1] == "outcome" and (single or (numbers and not set(numbers) <= {0.0, 1.0} and not found)):
        return _missing_columns(table, known, entity)
    offered = fitting or found or free[:1]
    remedy = f" ({_or([table.option('case', name) for name in offered])} says which column does)" if offered else ""
    many = " that names each case of an entity once" if found and not fitting else " that names the cases"
    runs = (
        f"; if several rows are runs of one case, {table.option('run', free[-1])} says which column tells them apart"
        if found and not fitting and len(free) > 1
        else ""
    )
    raise ValueError(
        f"{table.source} must have a column case{many}, beside {entity} and {known.of[form[-1]]}{remedy}{runs}"
    )


def _missing_columns(table: Table, known: _Roles, entity: Any) -> Any:
    """Say which columns are missing, and what the others may be instead."""
    _refuse_rates(table, known, entity)
    held = set(known.of)
    form = max((*COUNTS, *CASES), key=lambda form: len(set(form) & held) / len(form))
    missing = [name for name in (*(["entity"] if entity is None else []), *form) if name not in held]
    others = "; or ".join(", ".join(other) for other in (*COUNTS, *CASES) if other != form)
    raise ValueError(
        f"{table.source} must have the columns entity, {', '.join(form)} (or, beside entity, {others}; or no entity "
        f"and none of these, but one column for each entity); its heading is {', '.join(map(str, table.names))}, without "
        f"{', '.join(missing)}"
    )


def _refuse_rates(table: Table, known: _Roles, entity: Any) -> None:
    """Refuse a leaderboard of scores, which do not say of how many cases."""
    free = [name for name in table.names if name != entity]
    rates = [name for name in free if squeeze(name) in RATES or str(name).strip().endswith("%")]
    for name in free:
        texts = [str(value) for value in table.column(name) if not is_missing(value, words=True)]
        numbers = [to_number(text.replace(",", ".")) for text in texts]
        shares = texts and all(n is not None and 0 <= n <= 1 for n in numbers) and any(0 < n < 1 for n in numbers if n)
        shares = shares or (
            texts and all(n is not None and 0 <= n <= 100 for n in numbers) and any(n % 1 for n in numbers if n)
        )
        errors = texts and all(("%" in text or "±" in text or "+-" in text or "+/-" in text) for text in texts)
        if (shares or errors) and name not in rates and role_of(name) not in ("case", "cluster", "dataset", "weight"):
            rates.append(name)
    if not rates:
        return
    value = next((v for v in table.column(rates[0]) if not is_missing(v)), "")
    raise ValueError(
        f"{table.source} must hold counts or single cases; {_listed(rates)} hold{'s' * (len(rates) == 1)} scores, such as "
        f"{value}, which do not say of how many cases. Write the counts behind them as columns tn, fp, fn, tp, or "
        "correct, total; br.from_rates makes counts of rates and a size"
    )


def _refuse_without_entity(table: Table, known: _Roles, form: tuple[str, ...]) -> None:
    """Say what may name the entities."""
    free = [name for name in table.names if name not in known.of.values()]
    text = [name for name in free if not _holds_outcomes(table.column(name))] or free
    wanted = ", ".join(form)
    if not text:
        raise ValueError(
            f"{table.source} must have a column entity beside {wanted}; its heading is "
            f"{', '.join(map(str, table.names))}, without entity"
        )
    also = f"; {table.option('entity', text[0])} says that {text[0]} does" if text else ""
    raise ValueError(
        f"{table.source} must have a column that names the entities beside {wanted}; its heading is without entity: "
        f"rename {text[0]} to entity or pass {_or([table.option('entity', name) for name in text[:3]])}{also * 0}"
    )


def _or(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"


def _listed(names: Sequence[Any], most: int = 3) -> str:
    more = len(names) - most
    return ", ".join(map(str, names[:most])) + (f" and {more} more" if more > 0 else "")


# Counts


def _read_counts(table: Table, known: _Roles, form: tuple[str, ...], roles: Roles) -> xr.DataArray:
    entities = _names(table, known.of["entity"], "entity")
    datasets = _names(table, known.of["dataset"], "dataset") if "dataset" in known.of else None
    if form in (CELLS, ("correct", "wrong"), ("correct", "total")):
        cells = np.array([_counts(table, known.of[name], name) for name in form], np.int64)
        _check_pairs(table, known, entities, datasets)
        _check_totals(table, entities, cells, datasets)
        if form == CELLS:
            if roles.positive is not None and str(roles.positive).lower() != "positive":
                raise ValueError(
                    f"{table.argument('positive')} must be left out for tn, fp, fn, tp, which say it; got "
                    f"{roles.positive!r}"
                )
            return arrange(cells.T.reshape(-1, 2, 2), entities, datasets, list(TWO_CLASSES))
        _no_positive(table, roles)
        right = cells[0]
        wrong = cells[1] if form[1] == "wrong" else _rest(table, known, right, cells[1])
        return arrange_outcomes(np.stack([wrong, right], axis=-1), entities, datasets, [0, 1])
    columns = list(form[:-1])
    if form[0] == "outcome":
        _no_positive(table, roles)
        labels, codes = _outcome_codes(table, known)
        positive = None
    else:
        labels, positive, codes = _class_codes(table, known, roles)
    counts = _counts(table, known.of["count"], "count")
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
    if form[0] == "outcome":
        return arrange_outcomes(values, [pair[0] for pair in position], sets, labels)
    return put_in_class_order(arrange(values, [pair[0] for pair in position], sets, labels), positive)


def _no_positive(table: Table, roles: Roles) -> None:
    if roles.positive is not None:
        raise ValueError(
            f"{table.argument('positive')} must be left out for outcomes, which have no classes; got {roles.positive!r}"
        )


def _names(table: Table, column: Any, role: str) -> list[Any]:
    """Names of entities, data sets, clusters: text or other single values, none missing."""
    found = table.column(column)
    for i, name in enumerate(found):
        if is_missing(name):
            raise ValueError(f"{table.where[i]}: {column} must not be empty, since it must name every item")
    return item_names(role, found, len(found))


def _counts(table: Table, column: Any, role: str) -> list[int]:
    found = []
    for i, value in enumerate(table.column(column)):
        number = as_count(value)
        if number is None:
            hint = count_hint(value)
            raise ValueError(
                f"{table.where[i]}: {column} must be a count, a non-negative whole number without separators or signs; "
                f"got {value!r}{f' ({hint})' if hint else ''}"
            )
        found.append(number)
    return found


def _rest(table: Table, known: _Roles, right: np.ndarray, total: np.ndarray) -> np.ndarray:
    wrong = total - right
    if (wrong < 0).any():
        i = int((wrong < 0).argmax())
        raise ValueError(
            f"{table.where[i]}: {known.of['correct']} must be at most {known.of['total']}; got {right[i]} of {total[i]}"
        )
    return wrong


def _check_pairs(table: Table, known: _Roles, entities: list[Any], datasets: list[Any] | None) -> None:
    """Refuse an entity that stands in two rows."""
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


def _dataset_hint(table: Table, known: _Roles) -> str:
    """The column that may tell rows of one entity apart."""
    if "dataset" in known.of:
        return ""
    free = [name for name in table.names if name not in known.of.values()]
    entities = table.column(known.of["entity"])
    telling = [name for name in free if len(set(zip(entities, table.column(name), strict=True))) == len(table.where)]
    offered = [name for name in telling if not _holds_outcomes(table.column(name)) or is_metadata_name(name)]
    if not offered:
        return " (rename one of them, or add a column dataset)"
    return f" (if {offered[0]} names data sets, pass {table.option('dataset', offered[0])})"


def _check_totals(table: Table, entities: list[Any], cells: np.ndarray, datasets: list[Any] | None) -> None:
    """Refuse a row that sums up the others: it would be ranked as an entity."""
    for i, name in enumerate(entities):
        if not isinstance(name, str) or name.lower() not in TOTALS or len(entities) < 3:
            continue
        others = np.delete(cells, i, axis=1)
        sums = (others.sum(axis=1) == cells[:, i]).all()
        means = (np.abs(others.mean(axis=1) - cells[:, i]) <= 0.5).all()
        if sums or means or name.lower() in ("total", "totals", "grand total", "sum"):
            raise ValueError(
                f"{table.where[i]}: {name!r} must be no row of its own where it sums up the other rows (leave that row "
                "out, or rename the entity if it is one)"
            )


def _class_codes(table: Table, known: _Roles, roles: Roles) -> tuple[list[Any], Any, list[list[int]]]:
    """The classes in order, the positive one, and the actual and predicted class of each row."""
    dtype = table.categories.get(known.of["actual"])
    columns = _labels(table, known.of["actual"], known.of["predicted"])
    named = None if dtype is None else list(dtype.categories)
    classes = all_classes(
        named, [case_labels(name, column) for name, column in zip(("actual", "predicted"), columns, strict=True)]
    )
    classes, positive = order_classes(classes, roles.positive, dtype is not None and bool(dtype.ordered))
    code = {label: i for i, label in enumerate(classes)}
    unknown = [label for column in columns for label in column if label not in code]
    if unknown:
        raise ValueError(f"predicted must hold categories of actual, {classes}; got {unknown[0]!r}")
    return classes, positive, [[code[label] for label in column] for column in columns]


def _labels(table: Table, *names: Any) -> list[list[Any]]:
    """Columns of labels, alike; those of a categorical column as they are."""
    columns = [table.column(name) for name in names]
    if any(name in table.categories for name in names):
        return columns
    try:
        return as_label_columns(*columns)
    except ValueError as error:
        raise ValueError(f"{table.source}: {error}") from None


def _outcome_codes(table: Table, known: _Roles) -> tuple[list[Any], list[list[int]]]:
    """The outcomes in order, and that of each row."""
    column = known.of["outcome"]
    held = [_plain_label(value) for value in case_labels("outcome", table.column(column)).tolist()]
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
    """Numbers, whole ones as such, or else text."""
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
    _check_exact(values)
    whole = all(value == int(value) and abs(value) <= EXACT for value in values)
    return [int(value) for value in values] if whole else list(map(float, values))


def _check_exact(values: Sequence[Any]) -> None:
    large = [v for v in values if isinstance(v, int | np.integer) and not isinstance(v, bool) and abs(int(v)) > EXACT]
    if large:
        raise ValueError(f"outcome must hold whole numbers up to 2**53, beyond which digits are lost; got {large[0]}")


# Single cases


class _Key(NamedTuple):
    """What names a row of a table of cases; names of cases belong to their data set."""

    dataset: Any
    case: Any
    run: Any


def _read_answers(table: Table, known: _Roles, roles: Roles) -> xr.Dataset:
    """One row a case, one column an entity."""
    if roles.entity is not None:
        raise ValueError(
            f"{table.argument('entity')} must be left out of a table with one column an entity; got {roles.entity!r}"
        )
    of = {role: name for role, name in known.of.items() if role in OF_CASES}
    chosen = roles.entities is not None
    names = _chosen(table, roles, of) if chosen else [name for name in table.names if name not in of.values()]
    if not names:
        raise ValueError(
            f"{table.source} must have a column for each entity; its heading is {', '.join(map(str, table.names))}"
        )
    if not len(table.where):
        raise ValueError(f"{table.source} must have at least one row below its heading; got none")
    _refuse_matrices(table, names)
    for name in names:
        if isinstance(name, str) and to_number(name) is not None:
            raise ValueError(
                f"{table.source} must have a heading that names its columns, those of counts, or one for each entity "
                f"(see 'bayesrank rank --help'); it has {name} for a name"
            )
    if not chosen:
        listed = [name for name in names if is_metadata_name(name)]
        if "outcome" in known.of and len(listed) == len(names):
            _refuse_without_entity(table, known, ("outcome",))
        # Of costs alone, each may name its entity, as in "gpt cost" and "llama cost".
        if listed and (len(listed) < len(names) or len(names) == 1):
            _refuse_odd(table, names, dict.fromkeys(listed, "named like an id, a group or a cost"))
    known = known._replace(of=of)
    _check_case_names(table, known)
    if "actual" in of:
        answers = _predicted(table, of, names, chosen, roles)
    else:
        _no_positive(table, roles)
        answers = _outcomes(table, names, chosen, roles.missing is not None)
    return _joint(table, answers, _of_cases(table, known), known, roles)


def _chosen(table: Table, roles: Roles, of: dict[str, Any]) -> list[Any]:
    """The columns that the user names as entities."""
    if isinstance(roles.entities, str) or not isinstance(roles.entities, Sequence):
        raise TypeError(f"entities must be a list of columns; got {roles.entities!r}")
    names = [table.find("entities", wanted) for wanted in roles.entities]
    twice = next((name for name in names if names.count(name) > 1 or name in of.values()), None)
    if twice is not None:
        raise ValueError(f"{table.argument('entities')} must name columns for nothing else, each once; got {twice!r}")
    return names


def _refuse_odd(table: Table, names: list[Any], odd: dict[Any, str]) -> None:
    """Refuse columns that may be no entities, with what to type."""
    first = next(iter(odd))
    rest = [name for name in names if name not in odd]
    others = [name for name in odd if name != first]
    also = f" ({_listed(others)}, too)" if others else ""
    distinct = len(set(map(repr, table.column(first)))) == len(table.where)
    does = "case" if distinct else "cluster"
    says = "names the cases" if distinct else "names clusters of cases"
    keep = f"; {table.option('entities', rest)} ranks these alone" if rest else ""
    raise ValueError(
        f"{table.source} must have one column for each entity, and {first!r} is hardly one: {odd[first]}{also}. "
        f"{table.option(does, first)} says that it {says}{keep}; {table.without(first)} leaves it out"
        + ("; as the true label it is called actual" if squeeze(first) in ("label", "target", "y", "class") else "")
    )


def _refuse_matrices(table: Table, names: list[Any]) -> None:
    """Refuse one confusion matrix with its labels, and a table whose rows are cells."""
    first = table.names[0]
    rows = [value for value in table.column(first) if isinstance(value, str)]
    if rows and {role_of(row) for row in rows} >= set(CELLS):
        raise ValueError(
            f"{table.source} must have one row an entity and the columns entity, tn, fp, fn, tp; its rows are "
            f"{_listed(rows, 4)} (turn rows and columns)"
        )
    others = [str(name) for name in table.names[1:]]
    if len(rows) > 1 and sorted(rows) == sorted(others):
        raise ValueError(
            f"{table.source} must not be a confusion matrix with labels on both sides, which does not say whether its "
            "rows are the actual or the predicted classes: write entity, actual, predicted, count with one row a cell, "
            'or use br.from_matrix(frame, "actual_rows")'
        )


def _outcomes(table: Table, names: list[Any], chosen: bool, may_lack: bool) -> dict[Any, list[Any]]:
    """The outcomes of each entity, as numbers; None where one is missing."""
    columns = dict(zip(names, as_outcome_columns([table.column(name) for name in names]), strict=True))
    odd: dict[Any, str] = {}
    for name, values in columns.items():
        texts = [(i, value) for i, value in enumerate(values) if value is not None and not isinstance(value, float)]
        if not texts:
            continue
        i, value = texts[0]
        bad = len(texts) <= sum(isinstance(value, float) for value in values)
        hint = count_hint(value) if isinstance(value, str) else ""
        if bad or chosen or len(names) == 1:
            words = hint.split(":")[0] if "%" in str(value) or "±" in str(value) else ""
            raise ValueError(
                f"{table.where[i]}: {name} must be an outcome, a number such as 1 for right and 0 for wrong; got "
                f"{value!r}{f', {words}' if words else ''}"
            )
        odd[name] = f"got {value!r}, which is no outcome, in {table.where[i].removeprefix(table.source + ', ')}"
    if odd and len(odd) == len(names):
        _refuse_all_text(table, names, odd)
    if odd:
        # A text may be the name of a case, or a predicted label whose true one is not there.
        _refuse_odd(table, names, odd)
    if not chosen:
        found = odd_columns({name: _floats(values) for name, values in columns.items()})
        if found:
            _refuse_odd(table, names, found)
    for name, values in columns.items():
        _check_exact([value for value in table.column(name) if isinstance(value, int)])
        lacking = [i for i, value in enumerate(values) if value is None]
        if lacking and not may_lack:
            raise ValueError(_lacking(table, name, lacking[0]))
    return columns


def _refuse_all_text(table: Table, names: list[Any], odd: dict[Any, str]) -> None:
    """Refuse a table without a single column of outcomes."""
    first = names[0]
    value = next(value for value in table.column(first) if not is_missing(value))
    raise ValueError(
        f"{table.source}: {first} must be an outcome, a number such as 1 for right and 0 for wrong; got {value!r}. "
        "Predicted labels need a column actual with the true ones; counts need the columns entity, tn, fp, fn, tp or "
        "entity, correct, wrong"
    )


def _floats(values: list[Any]) -> np.ndarray:
    return np.array([np.nan if value is None else value for value in values], float)


def _lacking(table: Table, name: Any, i: int) -> str:
    how = [table.option("missing", what) for what in ("common", "own", 0)]
    return (
        f"{table.where[i]}: {name} must not be empty ({how[0]} keeps the cases that all entities met, {how[1]} leaves each "
        f"entity on its own cases, {how[2]} counts a missing answer as 0, or wrong)"
    )


def _predicted(table: Table, of: dict[str, Any], names: list[Any], chosen: bool, roles: Roles) -> dict[Any, list[Any]]:
    """The labels that each entity predicted, alike with the true ones; None where one is missing."""
    raw = _fields_of_labels(table, [of["actual"], *names], [True] + [roles.missing is not None] * len(names))
    columns = dict(zip([of["actual"], *names], raw, strict=True))
    actual = columns[of["actual"]]
    truth = set(actual)
    odd: dict[Any, str] = {}
    for name in names:
        held = [label for label in columns[name] if label is not None]
        foreign = [label for label in held if label not in truth]
        probabilities = [v for v in foreign if isinstance(v, float) and 0 < v < 1]
        if probabilities and all(is_number(label) for label in truth):
            raise ValueError(
                f"{table.source}: {name} must hold labels, not probabilities; got {probabilities[0]:g} (set a threshold)"
            )
        if len(foreign) == len(held) and held and len(truth) > 1:
            i = next(i for i, label in enumerate(columns[name]) if label is not None)
            odd[name] = (
                f"got {held[0]!r}, which is none of the true labels {_listed(sorted(map(repr, truth)))}, in "
                + (table.where[i].removeprefix(table.source + ", "))
            )
        elif len(foreign) > len(held) / 2 and len(set(map(repr, foreign))) > 1 and len(truth) > 1:
            odd[name] = f"most of its values, such as {foreign[0]!r}, are no true labels"
    if odd and (chosen or len(odd) == len(names)):
        first = next(iter(odd))
        raise ValueError(
            f"{table.source}: {first} must hold labels as {of['actual']} has them; {odd[first]} (rename its labels to "
            f"those of {of['actual']})"
        )
    if odd:
        _refuse_odd(table, names, odd)
    return {of["actual"]: actual, **{name: columns[name] for name in names}}


def _fields_of_labels(table: Table, names: list[Any], must: list[bool]) -> list[list[Any]]:
    found = _labels(table, *names)
    for name, column, may in zip(names, found, [False, *must[1:]], strict=True):
        lacking = next((i for i, label in enumerate(column) if label is None), None)
        if lacking is not None and not may:
            hint = (
                f" ({table.option('missing', 'common')} keeps the cases that all entities met)"
                if name != names[0]
                else ""
            )
            raise ValueError(f"{table.where[lacking]}: {name} must not be empty{hint}")
    return found


def _check_case_names(table: Table, known: _Roles) -> None:
    """Raise if a case, or a run of one, occurs twice."""
    if "case" not in known.of:
        return
    first: dict[_Key, int] = {}
    for i, key in enumerate(_keys(table, known)):
        if key in first:
            free = [name for name in table.names if squeeze(name) in ("seed", "repeat", "repetition", "epoch", "trial")]
            hint = f"; {table.option('run', free[0])} says which run a row is" if free and "run" not in known.of else ""
            before = table.where[first[key]].removeprefix(table.source + ", ")
            raise ValueError(
                f"{table.where[i]}: case must name each case once; got {_called(key)} again, after {before}{hint}"
            )
        first[key] = i


def _keys(table: Table, known: _Roles) -> list[_Key]:
    none = [""] * len(table.where)
    columns = [_names(table, known.of[name], name) if name in known.of else none for name in _Key._fields]
    return [_Key(*key) for key in zip(*columns, strict=True)]


def _called(key: _Key) -> str:
    return repr(key.case) + (f" (run {key.run!r})" if key.run != "" else "")


def _of_cases(table: Table, known: _Roles) -> dict[str, list[Any]]:
    """What the table says of its cases."""
    found: dict[str, list[Any]] = {}
    for role in OF_CASES:
        if role not in known.of or role == "actual":
            continue
        name = known.of[role]
        found[role] = _counts(table, name, role) if role == "weight" else _names(table, name, role)
    return found


def _read_cases(table: Table, known: _Roles, form: tuple[str, ...], roles: Roles) -> xr.Dataset:
    """One row an entity and a case; every entity must have met every case, unless missing answers are dealt with."""
    entities = _names(table, known.of["entity"], "entity")
    may_lack, last = roles.missing is not None, known.of[form[-1]]
    about = _of_cases(table, known)
    if form[-1] == "outcome":
        _no_positive(table, roles)
        answers = _outcomes(table, [last], True, may_lack)[last]
    else:
        actual, answers = _fields_of_labels(table, [known.of["actual"], last], [True, may_lack])
        about["actual"] = actual
        odd = [label for label in answers if label is not None and label not in set(actual)]
        if answers and len(odd) == sum(label is not None for label in answers):
            raise ValueError(
                f"{table.source}: {last} must hold labels as {known.of['actual']} has them; got {odd[0]!r}, which is none "
                f"of {_listed(sorted(map(repr, set(actual))))} (rename its labels to those of {known.of['actual']})"
            )
    cases = _keys(table, known)
    first: dict[_Key, int] = {}
    held: dict[Any, dict[_Key, Any]] = {}
    lines: dict[Any, int] = {}
    for i, (entity, case) in enumerate(zip(entities, cases, strict=True)):
        of = held.setdefault(entity, {})
        if case in of:
            before = table.where[lines[entity, case]].removeprefix(table.source + ", ")
            free = [name for name in table.names if name not in known.of.values()]
            telling = [
                name
                for name in free
                if len(set(zip(entities, cases, table.column(name), strict=True))) == len(table.where)
            ]
            hint = f" ({table.option('run', telling[0])} if {telling[0]} names its runs)" if telling else ""
            raise ValueError(
                f"{table.where[i]}: case must stand once for each entity; got {_called(case)} of {entity!r} in {before} "
                f"as well{hint}"
            )
        of[case], lines[entity, case] = answers[i], i
        same = first.setdefault(case, i)
        for name, column in about.items():
            if column[same] != column[i]:
                raise ValueError(
                    f"{table.where[i]}: {name} must be the same for all entities on case {_called(case)}; got "
                    f"{column[i]!r} after {column[same]!r}"
                )
    for entity, of in held.items():
        lacking = next((case for case in first if case not in of), None)
        if lacking is not None and not may_lack:
            where = f" of dataset {lacking.dataset!r}" if "dataset" in about else ""
            how = _or([table.option("missing", what) for what in ("common", "own", 0)])
            raise ValueError(
                f"{table.source} must have a row for every entity on every case; got none for entity {entity!r} on case "
                f"{_called(lacking)}{where} ({how} says what to do about it)"
            )
    wide: dict[Any, list[Any]] = {entity: [of.get(case) for case in first] for entity, of in held.items()}
    known_of = {name: [column[i] for i in first.values()] for name, column in about.items()}
    if "actual" in known_of:
        wide = {known.of["actual"]: known_of.pop("actual"), **wide}
    else:
        known.of.pop("actual", None)
    return _joint(table, wide, known_of, known, roles)


def _joint(
    table: Table, answers: dict[Any, list[Any]], about: dict[str, list[Any]], known: _Roles, roles: Roles
) -> xr.Dataset:
    """Joint outcomes of cases: what each entity answered, and what is known of the cases."""
    labelled = "actual" in known.of
    if "run" in about and ("case" not in about or labelled):
        what = "actual: labels have no mean over runs, as outcomes (1 for right, 0 for wrong) have"
        raise ValueError(
            f"{table.source} must not have a column run {'beside ' + what if labelled else 'without a column case'}"
        )
    groups: dict[str, Any] = {name: about.get(name) for name in ("dataset", "cluster", "weight")}
    remarks = list(known.remarks)
    if not labelled:
        frame = pd.DataFrame({name: _floats(values) for name, values in answers.items()})
        if "run" in about:
            # Names of cases belong to their data set.
            case = list(map(repr, zip(about.get("dataset", about["case"]), about["case"], strict=True)))
            groups |= {"case": case, "run": about["run"]}
            remarks += _of_runs(frame, case, about)
        joint = from_outcomes(frame, **groups, missing=roles.missing)
    else:
        actual, *predicted = answers.values()
        names = list(answers)[1:]
        labels = set(actual).union(*predicted) - {None}
        if len(labels) < 2:
            raise ValueError(f"{table.source} must hold two labels or more, true or predicted; got only {actual[0]!r}")
        dtype = table.categories.get(known.of["actual"])
        truth = actual if dtype is None else pd.Categorical(actual, dtype=dtype)
        guesses = dict(zip(names, predicted, strict=True))
        joint = joint_outcomes(truth, guesses, positive=roles.positive, **groups, missing=roles.missing)
        pair = standing_pair(sorted(labels, key=repr)) if len(labels) == 2 else None
        if len(labels) == 2 and pair is None and "positive" not in joint.coords:
            first, second = sorted(map(str, labels))
            remarks.append(
                f"None of the classes {first!r} and {second!r} is known as the positive one: "
                f"{_or([table.option('positive', label) for label in (first, second)])} says which."
            )
    return _with_remarks(joint, remarks, _same_names(about))


def _with_remarks(evidence: Any, remarks: list[str], pooled: Sequence[str] = ()) -> Any:
    said = {"remarks": "\n".join(remarks), "remarks_pooled": "\n".join(pooled)}
    return evidence.assign_attrs({name: held for name, held in said.items() if held})


def _same_names(about: dict[str, list[Any]]) -> list[str]:
    """Names of cases that several data sets have: cases of their own, if they are no overlapping folds."""
    if not {"case", "dataset"} <= set(about):
        return []
    home: dict[Any, set[Any]] = {}
    for case, dataset in zip(about["case"], about["dataset"], strict=True):
        home.setdefault(case, set()).add(dataset)
    shared = sum(len(where) > 1 for where in home.values())
    said = (
        f"Several data sets have cases of the same name ({shared}), taken as different cases: were they the same ones, "
        "as in overlapping folds, pooling would count them twice."
    )
    return [said] * (shared > 0)


def _of_runs(frame: pd.DataFrame, case: list[Any], about: dict[str, list[Any]]) -> list[str]:
    """That runs are no more cases, and whether more of them would help."""
    times = pd.Series(case).value_counts()
    many = (
        _text.count(int(times.max()), "run") if times.min() == times.max() else f"{times.min()} to {times.max()} runs"
    )
    said = [f"The outcome of a case is its mean over {many}."]
    known = not frame.isna().any(axis=None) and len(times) > 1 and len(set(about.get("cluster", case))) > 1
    if known and times.max() > 1:
        said.append(variance_components(frame, case=case, cluster=about.get("cluster")).attrs["advice"])
    return said
