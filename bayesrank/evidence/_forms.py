"""Forms of tables: the roles of columns, and which columns are missing."""

from typing import Any, NamedTuple

from bayesrank.evidence._columns import CELLS, ENTITY_NAMES, LONG_CASE_NAMES, ROLES, role_of, squeeze
from bayesrank.evidence._fields import join_with_or, list_names
from bayesrank.evidence._table import Roles, Table
from bayesrank.evidence._values import as_outcome_columns, is_missing, to_number

__all__ = [
    "CASES",
    "COUNTS",
    "FORMS",
    "MEANS",
    "Known",
    "find_entity",
    "find_form",
    "holds_outcomes",
    "name_roles",
    "refuse_without_entity",
]

#: Forms of a table by their columns, and what a row is.
COUNTS = {
    CELLS: "a confusion matrix",
    ("actual", "predicted", "count"): "a cell of a confusion matrix",
    ("correct", "wrong"): "how many cases were right and wrong",
    ("correct", "total"): "how many of all cases were right",
    ("outcome", "count"): "how many cases had an outcome, which is a number or text",
}
MEANS = {("mean", "se"): "a mean outcome and its standard error"}
CASES = {
    ("case", "outcome"): "the outcome of a case",
    ("case", "actual", "predicted"): "the true and the predicted label of a case",
}
FORMS = COUNTS | MEANS | CASES
#: Descriptions of columns that a user can name.
WHAT = {
    "entity": "names the entities",
    "dataset": "names the data sets",
    "case": "names the cases",
    "run": "says which run of its case a row is",
    "cluster": "says what cases belong to",
    "cost": "says what an answer cost",
}
#: Columns that mark a table of counts, or a table that names its entities.
MARKS = ("tn", "fp", "fn", "tp", "predicted", "count", "correct", "wrong", "outcome")
#: Names of scores, which lack the number of cases.
RATES = (
    *("accuracy", "acc", "sensitivity", "specificity", "precision", "recall", "f1", "fscore", "auc", "auroc", "roc"),
    *("tpr", "tnr", "fpr", "fnr", "ppv", "npv", "mcc", "kappa", "support", "rate", "percent", "winrate", "passrate"),
    *("fmeasure", "auprc", "map", "bleu", "rouge", "em", "exactmatch", "top1", "top5", "balancedaccuracy", "dice"),
)


class Known(NamedTuple):
    """Column names by role, the inferred ones among them, and remarks on these."""

    of: dict[str, Any]
    remarks: list[str]


def name_roles(table: Table, roles: Roles) -> Known:
    """Return the roles of columns, named by the user or by the column names."""
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
        rival = next((other for other in table.names if squeeze(other) == role and other != name), None)
        if role == "cluster" and rival is not None:
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
        if len(names) > 1 and role not in ("total", "mean", "se"):
            raise ValueError(
                f"{table.source} must have each column once; its heading has {' and '.join(map(str, names))}, both "
                f"read as {role} ({table.without(names[-1])} leaves one out)"
            )
        if names:
            of[role] = names[0]
    exact = [name for name in table.names if squeeze(name) == "entity"]
    if "entity" not in of and exact:
        if len(exact) > 1:
            raise ValueError(f"{table.source} must have each column once; its heading has entity more than once")
        of["entity"] = exact[0]
    # With one row for each entity and case, the column correct holds the outcome.
    if "correct" in of and "outcome" not in of and not {"wrong", "total"} & set(of):
        of["outcome"] = of.pop("correct")
    return Known(of, [])


def find_entity(table: Table, known: Known, roles: Roles) -> Any:
    """Return the only column that can name the entities, or None; several raise an error."""
    if roles.entities is not None:
        return None
    free = [name for name in table.names if name not in known.of.values()]
    found = [name for name in free if squeeze(name) in ENTITY_NAMES]
    forms = [form for form in FORMS if set(form) <= set(known.of)]
    if not forms and not _marks(known):
        # In a table of answers, entities may have such names; columns of outcomes are not names.
        found = [name for name in found if not holds_outcomes(table.column(name))]
    if not found or (not forms and not _marks(known) and "actual" in known.of):
        return None
    if len(found) > 1:
        options = [table.option("entity", name) for name in found]
        if len(found) == 2 and squeeze(found[1]) == "study" and "dataset" not in known.of:
            options[0] += f"{' ' if table.shell else ', '}{table.option('dataset', found[1])}"
        raise ValueError(
            f"{table.source} must have one column that names the entities; its heading has "
            f"{' and '.join(map(str, found))}: {join_with_or(options)} says which"
        )
    return found[0]


def _marks(known: Known) -> set[str]:
    """Return the roles, by their own names, that only tables of counts or cases have."""
    return {role for role in MARKS if role in known.of and squeeze(known.of[role]) in (role, ROLES[role][0])}


def holds_outcomes(column: list[Any]) -> bool:
    read = as_outcome_columns([column])[0]
    return all(value is None or isinstance(value, float) for value in read)


def find_form(table: Table, known: Known, entity: Any) -> tuple[str, ...] | None:
    """Return the columns that define the form of a row; None for answers (one column for each entity)."""
    held = set(known.of)
    whole = [form for form in FORMS if set(form) <= held]
    cases = "case" in held or any(squeeze(name) in LONG_CASE_NAMES for name in table.names)
    if {"outcome", "se"} <= held and "mean" not in held and not cases and not whole:
        known.of["mean"] = known.of.pop("outcome")
        whole = list(MEANS)
    # Derived columns, such as a mean beside counts, or correct and total beside a matrix, are ignored.
    for derived in (*MEANS, ("correct", "total")):
        if len(whole) > 1:
            whole = [form for form in whole if form != derived]
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


def _case_form(table: Table, known: Known, entity: Any) -> tuple[str, ...]:
    """Return the form of cases named by a column such as question_id; otherwise raise an error."""
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
    remedy = (
        f" ({join_with_or([table.option('case', name) for name in offered])} says which column does)" if offered else ""
    )
    many = " that names each case of an entity once" if found and not fitting else " that names the cases"
    runs = (
        f"; if several rows are runs of one case, {table.option('run', free[-1])} says which column numbers the runs"
        if found and not fitting and len(free) > 1
        else ""
    )
    raise ValueError(
        f"{table.source} must have a column case{many}, beside {entity} and {known.of[form[-1]]}{remedy}{runs}"
    )


def _missing_columns(table: Table, known: Known, entity: Any) -> Any:
    """Raise an error that names missing columns, and possible roles of the others."""
    _refuse_rates(table, known, entity)
    held = set(known.of)
    form = max(FORMS, key=lambda form: len(set(form) & held) / len(form))
    missing = [name for name in (*(["entity"] if entity is None else []), *form) if name not in held]
    others = "; or ".join(", ".join(other) for other in FORMS if other != form)
    raise ValueError(
        f"{table.source} must have the columns entity, {', '.join(form)} (or, beside entity, {others}; or no entity "
        f"and none of these, but one column for each entity); its heading is {', '.join(map(str, table.names))}, "
        f"without {', '.join(missing)}"
    )


def _refuse_rates(table: Table, known: Known, entity: Any) -> None:
    """Raise an error for a leaderboard of scores, which lacks the number of cases."""
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
        f"{table.source} must hold counts or single cases; {list_names(rates)} hold{'s' * (len(rates) == 1)} scores, "
        f"such as {value}, which do not say of how many cases. Write the counts behind them as columns tn, fp, fn, "
        "tp, or correct, total; or their standard errors in a column se beside mean; br.from_rates makes counts of "
        "rates and a size"
    )


def refuse_without_entity(table: Table, known: Known, form: tuple[str, ...]) -> None:
    """Raise an error that lists columns which may name the entities."""
    free = [name for name in table.names if name not in known.of.values()]
    text = [name for name in free if not holds_outcomes(table.column(name))] or free
    wanted = ", ".join(form)
    if not text:
        raise ValueError(
            f"{table.source} must have a column entity beside {wanted}; its heading is "
            f"{', '.join(map(str, table.names))}, without entity"
        )
    also = f"; {table.option('entity', text[0])} says that {text[0]} does" if text else ""
    raise ValueError(
        f"{table.source} must have a column that names the entities beside {wanted}; its heading is without entity: "
        f"rename {text[0]} to entity or pass "
        f"{join_with_or([table.option('entity', name) for name in text[:3]])}{also * 0}"
    )
