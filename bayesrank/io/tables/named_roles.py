"""The roles of the columns of a table: named by the user, or by standard headings; and the forms that they make."""

from typing import Any, NamedTuple

from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.labels import find_repeat
from bayesrank._core.notes import Note
from bayesrank.io.tables.columns import (
    is_quantity_name,
    role_of,
    squeeze,
)
from bayesrank.io.tables.roles import (
    CELLS,
    FOLD_NAMES,
    FOLD_VALUES,
    LONG_CASE_NAMES,
    REFERENCES,
    STANDARD,
)
from bayesrank.io.tables.table import Roles, Table
from bayesrank.io.tables.values import (
    as_count,
    as_outcomes,
    distinct_fields,
    is_missing,
)

#: Forms of a table by their columns, and what a row is.
COUNTS = {
    CELLS: "a confusion matrix",
    ("actual", "predicted", "count"): "a cell of a confusion matrix",
    ("correct", "wrong"): "how many cases were right and wrong",
    ("correct", "total"): "how many of all cases were right",
    ("outcome", "count"): "how many cases had an outcome, which is a number or text",
}
MEANS = {
    ("mean", "se"): "a mean outcome and its standard error",
    ("mean", "lower", "upper"): "a mean outcome and the ends of its 95% interval",
}
CASES = {
    ("case", "outcome"): "the outcome of a case",
    ("case", "actual", "predicted"): "the true and the predicted label of a case",
    ("case", "actual", "probability"): "the true label, and the probability of the positive class",
}
FORMS = COUNTS | MEANS | CASES
#: Roles that a column of outcomes that the user names takes the place of.
OTHER_ANSWERS = {*CELLS, "actual", "predicted", "probability", "correct", "wrong", "mean"}
#: Roles that say how sure a mean is.
SPREADS = ("se", "lower", "upper")
#: Roles with several usual names: a column of the role's own name comes first.
SEVERAL = ("outcome", "case", "count", "correct", "wrong", "dataset")
#: Descriptions of columns that a user can name.
WHAT = {
    "entity": "names the entities",
    "dataset": "names the data sets or groups",
    "group": "names the groups of cases",
    "category": "names the category of each data set or group",
    "case": "names the cases",
    "run": "says which run of its case a row is",
    "training_seed": "says with which seed the answering model was trained",
    "cluster": "says what cases belong to",
    "cost": "says what an answer cost",
    "count": "says how many cases a row stands for",
    "outcome": "holds the outcomes of cases",
    "predicted": "holds the predicted labels",
    "probability": "holds the probabilities of the positive class",
    "correct": "counts right answers",
    "wrong": "counts wrong answers",
    "total": "counts all answers",
    "se": "holds the standard errors of means",
    "lower": "holds the lower ends of 95% intervals",
    "upper": "holds the upper ends of 95% intervals",
    "weight": "holds the importance weight of a case",
    "covariates": "holds a number for each data set, or for each entity on a data set",
    "tn": "counts true negatives",
    "fp": "counts false positives",
    "fn": "counts false negatives",
    "tp": "counts true positives",
}
#: Why scores of folds cannot be ranked as cases.
NO_FOLDS = "scores of folds are not independent, since their training data overlap"
#: Columns that mark a table of counts, or a table that names its entities.
MARKS = ("tn", "fp", "fn", "tp", "predicted", "count", "correct", "wrong", "outcome")


class NamedColumns(NamedTuple):
    """Column names by role, the inferred ones among them, and notes on these."""

    by_role: dict[str, Any]
    notes: list[Note]

    def free(self, table: Table) -> list[Any]:
        """Return the columns without a role."""
        return [name for name in table.columns if name not in self.by_role.values()]

    def status(self, table: Table) -> Any:
        """Return the column without a role that says what came of each run; None if there is none."""
        return next((name for name in self.free(table) if squeeze(name) == "status"), None)

    def marks(self) -> set[str]:
        """Return the roles, by their own names, that only tables of counts or cases have."""
        return {
            role for role in MARKS if role in self.by_role and squeeze(self.by_role[role]) == role
        }


def name_roles(table: Table, roles: Roles) -> NamedColumns:
    """Return the roles of columns, named by the user or by the column names."""
    of = _name_typed_roles(table, roles)
    if roles.truth is not None:
        of["actual"] = table.find("truth", roles.truth)
    _settle_count(table, of)
    _name_standard_roles(table, of)
    if roles.outcome is not None:
        of = {role: name for role, name in of.items() if role not in OTHER_ANSWERS}
    _settle_number(table, of)
    table.check_single(of.values())
    # With one row for each entity and case, the column correct holds the outcome.
    if "correct" in of and "outcome" not in of and not {"wrong", "total"} & set(of):
        of["outcome"] = of.pop("correct")
    return NamedColumns(of, [])


def _name_typed_roles(table: Table, roles: Roles) -> dict[str, Any]:
    """Return the roles that the user names, after a check that each column can have its role."""
    of: dict[str, Any] = {}
    for role, requested in roles.columns().items():
        text = "group" if role == "dataset" and roles.group is not None else role.split()[0]
        if not isinstance(requested, str | int | float):
            raise ArgumentTypeError(
                text, "must be the name of a column", f"{type(requested).__name__} {requested!r}"
            )
        name = table.find(text, requested)
        first_role = next((earlier for earlier, column in of.items() if column == name), None)
        if first_role is not None:
            raise ArgumentError(
                table.argument(text),
                "must name a different column",
                f"{name!r}, the {first_role} as well",
            )
        _check_heading(table, role, text, name, roles)
        _refuse_second_columns(table, role, text, name, roles)
        of["times" if role == "count" else role] = name
    return of


def _check_heading(table: Table, role: str, text: str, name: Any, roles: Roles) -> None:
    """Raise an error if the heading of a column has another role than the user gives it."""
    standard = role_of(name)
    is_entity = role != "entity" and standard == "entity" and roles.entity is None
    if standard in _forbidden_headings(role) or is_entity:
        raise ArgumentError(
            table.argument(text),
            f"must name a column that {WHAT[text]}",
            f"{name!r}, which is read as {standard}",
        )
    if role == "case" and squeeze(name) in FOLD_NAMES:
        raise ArgumentError(
            table.argument(role),
            f"must name a column that {WHAT[role]}",
            f"{name!r}, which names folds",
            suggest_folds(table, name),
        )


def _forbidden_headings(role: str) -> set[str]:
    """Return the standard headings of columns that cannot have this role."""
    if role in CELLS:
        return set(CELLS) - {role}
    marks = {*MARKS, "actual"} - {role}
    if role == "entity":
        return marks - {"predicted", "outcome", "actual"}
    if role == "outcome":
        return (marks | {"entity"}) - {"outcome", "correct"}
    if role in SPREADS:
        return marks | {"entity", "case", "mean"}
    return marks | {"entity", "case", "run"} if role == "cluster" else marks


def _refuse_second_columns(table: Table, role: str, text: str, name: Any, roles: Roles) -> None:
    """Raise an error if another column looks like clusters beside those named, or like data sets beside groups."""
    others = [column for column in table.columns if column != name]
    rival = next((column for column in others if squeeze(column) == role), None)
    if role == "cluster" and rival is not None:
        raise ArgumentError(
            table.argument(role),
            f"cannot be used with a column {rival}",
            f"{name!r}",
            f"{table.without(rival)} leaves the other out",
        )
    datasets = next((column for column in others if role_of(column) == "dataset"), None)
    datasets = datasets if roles.dataset is None else roles.dataset
    if text == "group" and datasets is not None:
        raise ArgumentError(
            table.argument("group"),
            f"cannot be used with the data sets in {datasets}",
            f"{name!r}",
            f"select the rows of one data set, or {table.without(datasets)} pools them",
        )


def _name_standard_roles(table: Table, of: dict[str, Any]) -> None:
    """Add the roles of columns with standard headings, and of a reference beside predicted labels."""
    for role in STANDARD:
        if role in of:
            continue
        names = [
            name for name in table.columns if role_of(name) == role and name not in of.values()
        ]
        exact = [name for name in names if squeeze(name) == role]
        names = exact if len(exact) == 1 and role in SEVERAL else names
        if len(names) > 1 and role not in ("total", "mean", *SPREADS):
            says = f"{table.without(names[-1])} leaves one out"
            raise ArgumentError(
                table.source,
                f"must have each column once; its heading has {' and '.join(map(str, names))}, both read as {role}",
                hint=f"{table.options('outcome', names)} says which" if role == "outcome" else says,
            )
        if names:
            of[role] = names[0]
    if "predicted" in of and "actual" not in of:
        references = [
            name
            for name in table.columns
            if squeeze(name) in REFERENCES and name not in of.values()
        ]
        of |= {"actual": references[0]} if len(references) == 1 else {}


def _settle_count(table: Table, of: dict[str, Any]) -> None:
    """Take a column count that the user named as the form's own, in a table without cases."""
    present = {role_of(name) for name in table.columns if name != of.get("times")} | set(of)
    outcomes = present & {"predicted", "outcome"} or (
        "correct" in present and not present & {"wrong", "total"}
    )
    cases = [name for name in table.columns if squeeze(name) in LONG_CASE_NAMES]
    rest = [
        column for name, column in table.columns.items() if name not in (*cases, of.get("times"))
    ]
    # Rows that differ by the names of their cases only are cases, each with a number of its own.
    named = "case" in present or (cases and find_repeat(zip(*rest, strict=True)) is not None)
    if "times" in of and outcomes and not named and not present & set(CELLS):
        of["count"] = of.pop("times")


def _settle_number(table: Table, of: dict[str, Any]) -> None:
    """Take a column n beside true and predicted labels as the count of a cell; ask about numbers of other names.

    A row with a number of cases is not a case, unless its case has a name.
    """
    cases = "case" in of or any(squeeze(name) in LONG_CASE_NAMES for name in table.columns)
    if not {"actual", "predicted"} <= set(of) or {"count", "times"} & set(of) or cases:
        return
    numbers = [
        name
        for name in table.columns
        if is_quantity_name(name)
        and all(as_count(value) is not None for value in table.distinct(name))
    ]
    others = [name for name in table.columns if name not in numbers]
    # Rows that all differ are cells, which mean nothing without their counts.
    cells = find_repeat(zip(*(table.columns[name] for name in others), strict=True)) is None
    keys = [
        name for name in others if name in of.values() or not holds_outcomes(table.columns[name])
    ]
    once = find_repeat(zip(*(table.columns[name] for name in keys), strict=True)) is None
    if len(numbers) == 1 and squeeze(numbers[0]) == "n" and once:
        of["count"] = numbers[0]
        of.pop("total", None)
    elif numbers:
        raise ArgumentError(
            table.source,
            f"must say what its column {numbers[0]} holds",
            "a table of true and predicted labels",
            f"{table.option('count', numbers[0])} if a row stands for that many cases"
            + ("" if cells else f", else {table.without(numbers[0])}"),
        )


def suggest_folds(
    table: Table,
    fold: Any = None,
    *typed: str,
    repeat: Any = None,
    size: int = 0,
    reason: bool = True,
) -> str:
    """Return why scores of folds are no cases, and what to type for those of a cross-validation.

    Its folds are in the column ``fold``, or each row is one of them, or there are ``size``;
    ``repeat`` may name its repetitions. Without ``reason``, only what to type is returned.
    """
    size = size or (len(table.where) if fold is None else len(set(map(str, table.columns[fold]))))
    test = round(1 / max(size, 2), 4)
    named = "" if fold is None else table.option("fold", fold)
    shares = [
        table.option(role, share) for role, share in (("train", round(1 - test, 4)), ("test", test))
    ]
    again = "" if repeat is None else table.option("repeat", repeat)
    text = table.together(named, again, *typed, *shares)
    if not reason:
        return text
    repeats = "" if repeat is None else f", and that each {repeat} has other splits"
    return f"{NO_FOLDS}: {text} says that they are of {max(size, 2)} folds, with these shares of cases{repeats}"


def names_folds(table: Table, name: Any) -> bool:
    """Return whether a column names folds, by its heading or by values such as Fold03.Rep1."""
    values = [str(value) for value in table.distinct(name) if not is_missing(value)]
    return squeeze(name) in FOLD_NAMES or (bool(values) and all(map(FOLD_VALUES.fullmatch, values)))


def holds_outcomes(column: list[Any]) -> bool:
    read = as_outcomes(distinct_fields(column))
    return all(value is None or isinstance(value, float) for value in read)


def is_binary(column: list[Any]) -> bool:
    """Return whether a column holds 0 and 1, or words for them, and nothing else but missing answers."""
    return set(as_outcomes(distinct_fields(column))) - {None} == {0.0, 1.0}


def is_key(table: Table, keys: list[list[Any]], name: Any) -> bool:
    """Return whether a column, with ``keys``, names each row once."""
    return find_repeat(zip(*keys, table.columns[name], strict=True)) is None


def different_names(table: Table, names: list[Any]) -> list[Any]:
    """Return the columns that may name entities, those with the fewest names first.

    Of columns that name the same groups of rows one is kept.
    """
    texts = {name: list(map(str, table.columns[name])) for name in names}
    retained: list[Any] = []
    for name in names:
        size = len(set(texts[name]))
        alike = (other for other in retained if len(set(texts[other])) == size < len(table.where))
        if not any(
            len(set(zip(texts[name], texts[other], strict=True))) == size for other in alike
        ):
            retained.append(name)
    sizes = {name: len(set(texts[name])) for name in retained}
    return sorted(retained, key=lambda name: (sizes[name] == 1, sizes[name]))


def name_cases(table: Table, entity: Any, keys_named: list[Any], free: list[Any]) -> list[Any]:
    """Return the columns that may name cases by their headings, with each name once for an entity.

    Of several, those are meant whose names entities share, since ids of rows are all different.
    """
    keys = [table.columns[name] for name in (entity, *keys_named)]
    candidates = [name for name in named_like_cases(table, free) if is_key(table, keys, name)]
    candidates = [
        name for name in candidates if find_repeat(table.columns[name]) is not None
    ] or candidates
    return different_names(table, candidates) if len(candidates) > 1 else candidates


def named_like_cases(table: Table, free: list[Any]) -> list[Any]:
    return [
        name for name in free if squeeze(name) in LONG_CASE_NAMES and not names_folds(table, name)
    ]
