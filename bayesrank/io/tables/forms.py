"""Forms of tables: the roles of columns, and which columns are missing."""

from typing import Any, NamedTuple, NoReturn

from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.labels import find_repeat
from bayesrank._core.notes import Note
from bayesrank._core.prose import list_names
from bayesrank.io.tables.columns import (
    is_metadata_name,
    is_quantity_name,
    is_row_number,
    may_name_units,
    role_of,
    squeeze,
)
from bayesrank.io.tables.roles import (
    AUTHORS,
    CELLS,
    ENTITY_NAMES,
    FOLD_NAMES,
    FOLD_VALUES,
    LONG_CASE_NAMES,
    OVER_RESAMPLES,
    RATES,
    REFERENCES,
    REPEATS,
    SE_NAMES,
    STANDARD,
    TRUTH_NAMES,
    WEIGHT_NAMES,
)
from bayesrank.io.tables.table import ROW, Roles, Table, list_choices
from bayesrank.io.tables.values import (
    as_count,
    as_outcomes,
    distinct_fields,
    is_missing,
    to_number,
    to_share,
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
#: The cells of a confusion matrix of detections: what was not there and not detected has no number.
DETECTION = ("fp", "fn", "tp")
#: Roles that a column of outcomes that the user names takes the place of.
OTHER_ANSWERS = {*CELLS, "actual", "predicted", "probability", "correct", "wrong", "mean"}
#: Roles that say how sure a mean is.
SPREADS = ("se", "lower", "upper")
#: Up to so many rows are listed that a remedy keeps.
MOST_KEPT = 12
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


class Known(NamedTuple):
    """Column names by role, the inferred ones among them, and notes on these."""

    of: dict[str, Any]
    notes: list[Note]

    def free(self, table: Table) -> list[Any]:
        """Return the columns without a role."""
        return [name for name in table.columns if name not in self.of.values()]

    def status(self, table: Table) -> Any:
        """Return the column without a role that says what came of each run; None if there is none."""
        return next((name for name in self.free(table) if squeeze(name) == "status"), None)

    def marks(self) -> set[str]:
        """Return the roles, by their own names, that only tables of counts or cases have."""
        return {role for role in MARKS if role in self.of and squeeze(self.of[role]) == role}


def name_roles(table: Table, roles: Roles) -> Known:
    """Return the roles of columns, named by the user or by the column names."""
    of: dict[str, Any] = {}
    for role, requested in roles.columns().items():
        text = "group" if role == "dataset" and roles.group is not None else role.split()[0]
        if not isinstance(requested, str | int | float):
            raise ArgumentTypeError(
                text, "must be the name of a column", f"{type(requested).__name__} {requested!r}"
            )
        name = table.find(text, requested)
        taken = next((other for other, held in of.items() if held == name), None)
        if taken is not None:
            raise ArgumentError(
                f"{table.argument(text)}",
                "must name a different column",
                f"{name!r}, the {taken} as well",
            )
        forbidden = {*MARKS, "actual"} - {role}
        if role == "entity":
            forbidden -= {"predicted", "outcome", "actual"}
        elif role == "outcome":
            forbidden = (forbidden | {"entity"}) - {"outcome", "correct"}
        elif role in SPREADS:
            forbidden |= {"entity", "case", "mean"}
        elif role == "cluster":
            forbidden |= {"entity", "case", "run"}
        other = role_of(name)
        if role in CELLS:
            forbidden = set(CELLS) - {role}
        if other in forbidden or (role != "entity" and other == "entity" and roles.entity is None):
            raise ArgumentError(
                table.argument(text),
                f"must name a column that {WHAT[text]}",
                f"{name!r}, which is read as {other}",
            )
        if role == "case" and squeeze(name) in FOLD_NAMES:
            raise ArgumentError(
                table.argument(role),
                f"must name a column that {WHAT[role]}",
                f"{name!r}, which names folds",
                suggest_folds(table, name),
            )
        rival = next(
            (other for other in table.columns if squeeze(other) == role and other != name), None
        )
        if role == "cluster" and rival is not None:
            raise ArgumentError(
                table.argument(role),
                f"cannot be used with a column {rival}",
                f"{name!r}",
                f"{table.without(rival)} leaves the other out",
            )
        datasets = next(
            (other for other in table.columns if role_of(other) == "dataset" and other != name),
            None,
        )
        if text == "group" and (roles.dataset is not None or datasets is not None):
            other = datasets if roles.dataset is None else roles.dataset
            raise ArgumentError(
                table.argument("group"),
                f"cannot be used with the data sets in {other}",
                f"{name!r}",
                f"select the rows of one data set, or {table.without(other)} pools them",
            )
        of["times" if role == "count" else role] = name
    if roles.truth is not None:
        of["actual"] = table.find("truth", roles.truth)
    _settle_count(table, of)
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
    if roles.outcome is not None:
        of = {role: name for role, name in of.items() if role not in OTHER_ANSWERS}
    _settle_number(table, of)
    table.check_single(of.values())
    # With one row for each entity and case, the column correct holds the outcome.
    if "correct" in of and "outcome" not in of and not {"wrong", "total"} & set(of):
        of["outcome"] = of.pop("correct")
    return Known(of, [])


def _settle_count(table: Table, of: dict[str, Any]) -> None:
    """Take a column count that the user named as the form's own, in a table without cases."""
    held = {role_of(name) for name in table.columns if name != of.get("times")} | set(of)
    outcomes = held & {"predicted", "outcome"} or (
        "correct" in held and not held & {"wrong", "total"}
    )
    cases = [name for name in table.columns if squeeze(name) in LONG_CASE_NAMES]
    rest = [
        column for name, column in table.columns.items() if name not in (*cases, of.get("times"))
    ]
    # Rows that differ by the names of their cases only are cases, each with a number of its own.
    named = "case" in held or (cases and find_repeat(zip(*rest, strict=True)) is not None)
    if "times" in of and outcomes and not named and not held & set(CELLS):
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
    other = "" if repeat is None else f", and that each {repeat} has other splits"
    return f"{NO_FOLDS}: {text} says that they are of {max(size, 2)} folds, with these shares of cases{other}"


def is_one_classifier(table: Table, known: Known, entity: Any, roles: Roles) -> bool:
    """Return whether a table has the true and the predicted labels of one classifier, and no column of entities.

    Other columns of labels would be other classifiers; a column of text may name several of them.
    """
    if (
        entity is not None
        or roles.entities is not None
        or not {"actual", "predicted"} <= set(known.of)
    ):
        return False
    free = known.free(table)
    labels = {str(value) for value in table.distinct(known.of["actual"]) if not is_missing(value)}
    text = []
    for name in free:
        held = {str(value) for value in table.distinct(name) if not is_missing(value)}
        if held and held <= labels:
            return False
        # Texts that are all different, or all equal, name no classifiers.
        if not holds_outcomes(table.columns[name]) and 1 < len(held) < len(table.where):
            text.append(name)
    folds = [
        name
        for name in free
        if names_folds(table, name) and find_repeat(table.columns[name]) is not None
    ]
    text = [name for name in text if name not in folds]
    if folds:
        raise ArgumentError(
            table.source,
            f"must contain one prediction for each case, and its column {folds[0]} names folds",
            "a table of the labels of one classifier",
            f"{table.without(folds)} says that each case is in one fold",
        )
    for name in free if "count" not in known.of else ():
        repeated = find_repeat(table.columns[name]) is not None
        role = (
            "weight"
            if squeeze(name) in WEIGHT_NAMES
            else "cluster"
            if may_name_units(name) and repeated
            else ""
        )
        if role:
            raise ArgumentError(
                table.source,
                f"must say what its column {name} holds",
                "a table of the labels of one classifier",
                f"{table.option(role, name)} if it {WHAT[role]}, else {table.without(name)}",
            )
    if text:
        refuse_without_entity(table, known, ("actual", "predicted"))
    if "count" not in known.of:
        _refuse_cells_without_counts(table, known, free)
    return True


def _refuse_cells_without_counts(table: Table, known: Known, free: list[Any]) -> None:
    """Ask for the counts of a table with one row for each pair of labels, which are cells of a matrix and no cases."""
    pairs = list(
        zip(
            *(map(str, table.columns[known.of[role]]) for role in ("actual", "predicted")),
            strict=True,
        )
    )
    sizes = [len(set(column)) for column in zip(*pairs, strict=True)]
    if len(pairs) < 4 or len(set(pairs)) < len(pairs) or len(pairs) < sizes[0] * sizes[1]:
        return
    numbers = [
        name for name in free if all(as_count(value) is not None for value in table.distinct(name))
    ]
    raise ArgumentError(
        table.source,
        "must have the number of cases of each cell: each pair of labels has one row",
        f"{len(pairs)} rows without counts",
        f"{table.options('count', numbers[:3])} if a row stands for that many cases"
        if numbers
        else "add a column count",
    )


def find_entity(table: Table, known: Known, roles: Roles) -> Any:
    """Return the only column that can name the entities, or None; several raise an error."""
    found = [
        name
        for name in known.free(table)
        if squeeze(name) in ENTITY_NAMES and name not in OVER_RESAMPLES
    ]
    if not known.marks() and not any(set(form) <= set(known.of) for form in FORMS):
        # In a table of answers, entities may have such names; columns of outcomes or of labels are
        # no names.
        labels = (
            set() if "actual" not in known.of else set(map(str, table.columns[known.of["actual"]]))
        )
        found = [name for name in found if not holds_outcomes(table.columns[name])]
        found = [name for name in found if not labels & set(map(str, table.columns[name]))]
        # What a column called name names is open: the same name in all rows is that of a metric or
        # a task.
        found = [
            name
            for name in found
            if squeeze(name) != "name" or len(set(map(str, table.columns[name]))) > 1
        ]
        found = [name for name in found if len(set(map(str, table.columns[name]))) > 1] or found
    if roles.entities is not None or not found:
        return None
    found = _different_names(table, found)
    if len(found) > 1:
        says = [table.option("entity", name) for name in found]
        raise ArgumentError(
            table.source,
            "must have one column that names the entities; its heading has "
            f"{' and '.join(map(str, found))}: {' or '.join(says)} says which",
        )
    return found[0]


def _different_names(table: Table, names: list[Any]) -> list[Any]:
    """Return the columns that may name entities, those with the fewest names first.

    Of columns that name the same groups of rows one is kept.
    """
    held = {name: list(map(str, table.columns[name])) for name in names}
    retained: list[Any] = []
    for name in names:
        size = len(set(held[name]))
        alike = (other for other in retained if len(set(held[other])) == size < len(table.where))
        if not any(len(set(zip(held[name], held[other], strict=True))) == size for other in alike):
            retained.append(name)
    sizes = {name: len(set(held[name])) for name in retained}
    return sorted(retained, key=lambda name: (sizes[name] == 1, sizes[name]))


def name_cases(table: Table, entity: Any, beside: list[Any], free: list[Any]) -> list[Any]:
    """Return the columns that may name cases by their headings, with each name once for an entity.

    Of several, those are meant whose names entities share, since ids of rows are all different.
    """
    keys = [table.columns[name] for name in (entity, *beside)]
    found = [name for name in _named_like_cases(table, free) if is_key(table, keys, name)]
    found = [name for name in found if find_repeat(table.columns[name]) is not None] or found
    return _different_names(table, found) if len(found) > 1 else found


def _named_like_cases(table: Table, free: list[Any]) -> list[Any]:
    return [
        name for name in free if squeeze(name) in LONG_CASE_NAMES and not names_folds(table, name)
    ]


def is_key(table: Table, keys: list[list[Any]], name: Any) -> bool:
    """Return whether a column, with ``keys``, names each row once."""
    return find_repeat(zip(*keys, table.columns[name], strict=True)) is None


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


def find_form(table: Table, known: Known, entity: Any, roles: Roles) -> tuple[str, ...] | None:
    """Return the columns that define the form of a row; None for answers (one column for each entity)."""
    held, marks = set(known.of), known.marks()
    if entity is None and roles.outcome is not None:
        refuse_without_entity(table, known, ("outcome",))
    full = [form for form in FORMS if set(form) <= held]
    if set(MEANS) & set(full) and any(str(name) in OVER_RESAMPLES for name in table.columns):
        raise ArgumentError(
            table.source,
            "must contain scores of single folds, since training data of folds overlap: a standard error over them is "
            "too small",
            "means over folds with their standard errors, as tidymodels writes them",
            "collect_metrics(summarize = FALSE) writes the score of each fold",
        )
    cases = "case" in held or any(squeeze(name) in LONG_CASE_NAMES for name in table.columns)
    if (
        {*DETECTION} <= held
        and not (held & {"actual", "predicted"})
        and _has_no_negatives(table, known)
    ):
        if "tn" not in held:
            _refuse_unnamed_negatives(table, known, entity)
        known.of.pop("tn", None)
        known.notes.append(Note("no_true_negatives", {}))
        return DETECTION
    spread = next((form for form in MEANS if set(form[1:]) <= held), None)
    if spread is not None and "outcome" in held and "mean" not in held and not cases and not full:
        known.of["mean"] = known.of.pop("outcome")
        return spread
    # Derived columns, such as a mean beside counts, or correct and total beside a matrix, are
    # ignored.
    for derived in (*reversed(MEANS), ("correct", "total")):
        if len(full) > 1:
            full = [form for form in full if form != derived]
    if len(full) > 1:
        both = " and of ".join(", ".join(form) for form in full)
        spare = [name for role, name in known.of.items() if role in full[1] and role not in full[0]]
        raise ArgumentError(
            table.source,
            f"must have the columns of one kind of table; its heading has those of {both} "
            f"({table.without(spare)} leaves the second out)",
        )
    if full and (entity is not None or full[0] not in CASES or marks & set(full[0])):
        if full[0] == ("case", "outcome") and roles.outcome is None:
            _refuse_labels_as_outcomes(table, known)
        if full[0] == ("outcome", "count") and entity is not None and roles.count is None:
            _refuse_total_as_count(table, known, entity)
        return full[0]
    if (
        entity is not None
        and roles.entity is roles.outcome is None
        and squeeze(entity) != "entity"
        and not marks
    ):
        # Two columns of 0 and 1 or more are the answers of entities, and the other one describes
        # the cases.
        binary = [
            name for name in known.free(table) if name != entity and is_binary(table.columns[name])
        ]
        if len(binary) > 1:
            return None
    if entity is not None:
        return _case_form(table, known, entity, roles)
    return refuse_lacking(table, known, entity) if marks else None


def _refuse_unnamed_negatives(table: Table, known: Known, entity: Any) -> None:
    """Ask whether a column of counts beside fp, fn and tp has the true negatives under another name."""
    used = {held for role, held in known.of.items() if role not in ("total", "count", "mean")} | {
        entity
    }
    counts = [name for name in table.columns if name not in used]
    counts = [
        name
        for name in counts
        if all(as_count(value) is not None for value in table.distinct(name))
    ]
    if counts:
        raise ArgumentError(
            table.source,
            f"must say what its column {counts[0]} holds, beside fp, fn and tp without tn",
            list_names(list(map(str, counts)), 4),
            f"{table.option('tn', counts[0])} if it has the true negatives, else {table.without(counts)}",
        )


def _has_no_negatives(table: Table, known: Known) -> bool:
    """Return whether true negatives have no column, or one that is empty or 0 in every row."""
    held = [] if "tn" not in known.of else table.distinct(known.of["tn"])
    return all(is_missing(value, words=True) for value in held) or all(
        as_count(value) == 0 for value in held
    )


def _refuse_labels_as_outcomes(table: Table, known: Known) -> None:
    """Ask whether outcomes beside true labels are predicted labels, if both have the same values."""
    outcome, actual = known.of["outcome"], known.of.get("actual")
    if actual is None or "predicted" in known.of:
        return
    held = [
        {str(value) for value in table.distinct(name) if not is_missing(value)}
        for name in (outcome, actual)
    ]
    if len(held[0]) > 1 and held[0] <= held[1]:
        new = {outcome: "predicted"}
        typed = (
            f"rename {outcome} to predicted" if table.shell else f"frame.rename(columns={new!r})"
        )
        raise ArgumentError(
            table.source,
            f"must say what its column {outcome} holds, which has the values of {actual}",
            list_names(sorted(held[0]), 4),
            f"{typed} if it holds predicted labels; {table.option('outcome', outcome)} if 1 is a right answer",
        )


def _refuse_total_as_count(table: Table, known: Known, entity: Any) -> None:
    """Ask whether a count is the number of cases with an outcome, or the total beside a number of right answers."""
    outcome, count = known.of["outcome"], known.of["count"]
    read = [[as_count(value) for value in table.columns[name]] for name in (outcome, count)]
    values, totals = ([value for value in column if value is not None] for column in read)
    if None in read[0] or None in read[1] or not values:
        return
    pairs = list(zip(values, totals, strict=True))
    keys = zip(
        *(table.columns[name] for name in (entity, known.of.get("dataset", entity))), strict=True
    )
    single = find_repeat(keys) is None and all(value <= of for value, of in pairs)
    beyond = role_of(outcome) == "correct" and any(value > 1 for value, _ in pairs)
    if not single and not beyond:
        return
    new = {outcome: "correct"} if role_of(outcome) != "correct" else {}
    new |= {count: "total"}
    renamed = " and ".join(f"{old} to {name}" for old, name in new.items())
    typed = f"rename {renamed}" if table.shell else f"frame.rename(columns={new!r})"
    raise ArgumentError(
        table.source,
        f"must say what its column {count} holds",
        f"{pairs[0][0]} and {pairs[0][1]} in {table.place(0)}",
        f"{typed} if {pairs[0][0]} of {pairs[0][1]} cases were right; "
        f"{table.option('count', count)} if {pairs[0][1]} cases had the outcome {pairs[0][0]}",
    )


def _case_form(table: Table, known: Known, entity: Any, roles: Roles) -> tuple[str, ...]:
    """Return the form of cases named by a column such as question_id; otherwise raise an error."""
    form = next((form for form in CASES if set(form) - {"case"} <= set(known.of)), None)
    if form is None:
        refuse_lacking(table, known, entity)
    free = [name for name in known.free(table) if name != entity]
    found = _named_like_cases(table, free)
    fitting = name_cases(
        table, entity, [known.of[r] for r in ("dataset", "run") if r in known.of], free
    )
    if len(fitting) == 1:
        beyond = {to_number(value) for value in table.distinct(known.of[form[-1]])} - {
            None,
            0.0,
            1.0,
        }
        if (
            len(table.where) > 1
            and find_repeat(table.columns[entity]) is None
            and beyond
            and form[-1] == "outcome"
        ):
            refuse_lacking(table, known, entity)  # one row for each entity is no case
        known.of["case"] = fitting[0]
        known.notes.append(Note("column_names_cases", {"column": str(fitting[0])}))
        return form
    numbers = {to_number(value) for value in table.distinct(known.of[form[-1]])} - {None}
    single = len(table.where) > 1 and find_repeat(table.columns[entity]) is None
    counts = [
        name
        for name in table.columns
        if is_quantity_name(name) and name not in (entity, known.of[form[-1]])
    ]
    counts = [
        name
        for name in counts
        if all(as_count(value) is not None for value in table.distinct(name))
    ]
    if counts and not found and not single and roles.count is None:
        raise ArgumentError(
            table.source,
            f"must say what its column {counts[0]} holds",
            f"a table of {entity} and {known.of[form[-1]]}",
            f"{table.option('count', counts[0])} if a row stands for that many cases",
        )
    if not found and not single:
        _refuse_unnamed_roles(table, known, entity)  # values such as Fold03 may name folds
    graded = not numbers <= {0.0, 1.0} and not found and roles.outcome is None
    if form[-1] == "outcome" and (single or graded):
        refuse_lacking(table, known, entity)
    offered = fitting or found or free[:1]
    remedy = f" ({table.options('case', offered)} says which column does)" if offered else ""
    raise ArgumentError(
        table.source,
        f"must have a column case that names the cases, beside {entity} and {known.of[form[-1]]}{remedy}",
    )


def refuse_lacking(table: Table, known: Known, entity: Any) -> NoReturn:
    """Raise an error that names missing columns, or scores without the number of their cases."""
    _refuse_unnamed_roles(table, known, entity)
    rates = [
        name for name in table.columns if name != entity and _holds_rates(name, table.columns[name])
    ]
    if not rates and entity is not None and find_repeat(table.columns[entity]) is None:
        # One row for each entity, with whole numbers up to 100 that no role has.
        numbers = [
            name
            for name in known.free(table)
            if name != entity and holds_shares(table.columns[name])
        ]
        shares = [to_share(value) for name in numbers for value in table.distinct(name)]
        rates = (
            numbers
            if len(numbers) > 1 and all(0 <= (share or 0) <= 100 for share in shares)
            else []
        )
    if rates:
        value = next((v for v in table.columns[rates[0]] if not is_missing(v)), "")
        raise ArgumentError(
            table.source,
            f"must contain counts or single cases; {list_names(rates)} contain{'s' * (len(rates) == 1)} "
            f"scores, such as {value}, which do not say of how many cases. Write the counts behind them as columns tn, "
            "fp, fn, tp, or correct, total; or their standard errors in a column se beside mean",
        )
    held = set(known.of)
    form = max(FORMS, key=lambda form: len(set(form) & held) / len(form))
    missing = [
        name for name in (*(["entity"] if entity is None else []), *form) if name not in held
    ]
    others = "; or ".join(", ".join(other) for other in FORMS if other != form)
    raise ArgumentError(
        table.source,
        f"must have the columns entity, {', '.join(form)}; its heading is {table.heading()}, without "
        f"{', '.join(missing)} (other tables have entity and the columns {others}; or they have one column for each "
        "entity, and none of these)",
    )


def _refuse_unnamed_roles(table: Table, known: Known, entity: Any) -> None:
    """Raise an error with the options that name columns of outcomes, of folds or of the truth, if they are enough."""
    free = [name for name in known.free(table) if name != entity]
    scores = [
        name
        for name in free
        if not (is_metadata_name(name) or is_quantity_name(name) or names_folds(table, name))
        and holds_outcomes(table.columns[name])
        and len(set(as_outcomes(table.columns[name])) - {None}) > 1
    ]
    scores = [known.of["outcome"]] if "outcome" in known.of else scores
    _refuse_unnamed_means(table, known, entity)
    _refuse_unnamed_predictions(table, known, entity, free)
    folds = [name for name in free if names_folds(table, name)]
    labels = [name for name in free if squeeze(name) in TRUTH_NAMES]
    if entity is None and "predicted" in known.of and "actual" not in known.of and labels:
        raise ArgumentError(
            table.source,
            f"must say which column holds the true labels, beside {known.of['predicted']}",
            list_names(list(map(str, labels)), 4),
            f"{table.options('truth', labels[:4])} says so",
        )
    if entity is None or not scores or find_repeat(table.columns[entity]) is None:
        return
    beside = [known.of[role] for role in ("dataset", "run", "training_seed") if role in known.of]
    keys = [table.columns[name] for name in (entity, *beside)]
    fitting = [known.of["case"]] if "case" in known.of else name_cases(table, entity, beside, free)
    cases = fitting or _named_like_cases(table, free)
    if len(fitting) == 1 and is_key(table, keys, fitting[0]) and "outcome" not in known.of:
        raise ArgumentError(
            table.source,
            f"must say which column holds the outcomes, beside {entity} and {fitting[0]}",
            list_names(list(map(str, scores)), 6),
            f"{table.options('outcome', scores[:6])} ranks the mean over cases",
        )
    texts = [name for name in free if name not in cases and not holds_outcomes(table.columns[name])]
    sets = [table.columns[cases[0]]] if len(cases) == 1 else []
    tasks = [name for name in texts if is_key(table, [*keys, *sets], name)]
    tasks = [name for name in tasks if find_repeat(table.columns[name]) is not None]
    if sets and tasks and "dataset" not in known.of:
        typed = [
            table.together(table.option("outcome", s), table.option("dataset", tasks[0]))
            for s in scores[:4]
        ]
        raise ArgumentError(
            table.source,
            f"must say which column holds the outcomes, beside {entity}, {cases[0]} and {tasks[0]}",
            list_names(list(map(str, scores)), 6),
            f"{list_choices(typed)} says so, and that {tasks[0]} names data sets",
        )
    again = next((name for name in free if squeeze(name) in REPEATS and name not in folds), None)
    keys += [] if again is None else [table.columns[again]]
    if not fitting and len(folds) == 1 and is_key(table, keys, folds[0]):
        score = next((name for name in scores if name != again), scores[0])
        raise ArgumentError(
            table.source,
            "must contain single cases",
            f"one row for each {entity} and {folds[0]}, so that its values are scores of folds",
            suggest_folds(table, folds[0], table.option("outcome", score), repeat=again),
        )
    shared = [name for name in texts if name not in folds and is_key(table, keys, name)]
    shared = [name for name in shared if find_repeat(table.columns[name]) is not None]
    if not fitting and shared and "outcome" not in known.of:
        typed = [
            table.together(table.option("case", shared[0]), table.option("outcome", name))
            for name in scores[:4]
        ]
        raise ArgumentError(
            table.source,
            f"must say which columns hold the cases and the outcomes, beside {entity}",
            f"{list_names(list(map(str, shared)), 3)}, and {list_names(list(map(str, scores)), 6)}",
            f"{list_choices(typed)} ranks the mean over cases",
        )


def _refuse_unnamed_predictions(table: Table, known: Known, entity: Any, free: list[Any]) -> None:
    """Raise an error with the options that name predicted labels, or probabilities, beside the truth."""
    if (
        entity is None
        or "actual" not in known.of
        or {"predicted", "outcome", "probability"} & set(known.of)
    ):
        return
    labels = {str(value) for value in table.distinct(known.of["actual"]) if not is_missing(value)}
    held = {
        name: {str(value) for value in table.distinct(name) if not is_missing(value)}
        for name in free
    }
    alike = [name for name in free if held[name] and held[name] <= labels]
    shares = [
        name for name in free if name not in alike and _holds_probabilities(table.columns[name])
    ]
    if alike or shares:
        typed = [table.option("predicted", name) for name in alike] + [
            table.option("probability", n) for n in shares
        ]
        raise ArgumentError(
            table.source,
            f"must say which column holds the predictions, beside {entity} and {known.of['actual']}",
            list_names(list(map(str, [*alike, *shares])), 6),
            f"{list_choices(typed[:4])} says so",
        )


def _holds_probabilities(column: list[Any]) -> bool:
    numbers = [to_share(value) for value in distinct_fields(column)]
    return (
        all(number is not None and 0 <= number <= 1 for number in numbers) and len(set(numbers)) > 2
    )


def _refuse_unnamed_means(table: Table, known: Known, entity: Any) -> None:
    """Raise an error with the options that name means beside their standard errors or the ends of intervals."""
    names = [name for name in table.columns if name != entity and holds_shares(table.columns[name])]
    spreads = {role: [name for name in names if role_of(name) == role] for role in SPREADS}
    spreads["se"] = spreads["se"] or [name for name in names if SE_NAMES.search(str(name))]
    ends = bool(spreads["lower"] and spreads["upper"]) and not spreads["se"]
    used = {
        role: spreads[role][0]
        for role in (("lower", "upper") if ends else ("se",))
        if spreads[role]
    }
    index = next((name for name in table.columns if is_row_number(name)), None)
    who = index if entity is None else entity
    if (
        not used
        or who is None
        or holds_outcomes(table.columns[who])
        or find_repeat(table.columns[who]) is not None
    ):
        return
    scores = [name for name in names if name not in used.values() and not is_metadata_name(name)]
    named = [name for name in scores if "se" in used and str(used["se"]).startswith(str(name))]
    # Without a name in common, the error stands right of its mean.
    first = min(names.index(name) for name in used.values())
    before = [name for name in names[:first] if name in scores]
    scores = named or before[-1:] or scores
    text = [table.option(role, name) for role, name in used.items() if role_of(name) != role]
    text = [*([table.option("entity", who)] if entity is None else []), *text]
    known_errors = (
        [to_share(value) for value in table.columns[used["se"]]] if "se" in used else [None]
    )
    if 0 in known_errors:
        retained = [table.columns[who][i] for i, error in enumerate(known_errors) if error != 0]
        text += [table.conditions(who, retained)] if 2 <= len(retained) <= MOST_KEPT else []
    typed = [table.together(table.option("outcome", score), *text) for score in scores[:4]]
    if typed:
        raise ArgumentError(
            table.source,
            f"must say which column holds the means, beside {list_names(list(map(str, used.values())))}",
            list_names(list(map(str, scores)), 6),
            f"{list_choices(typed)} says so"
            + " and leaves out rows without an error" * (0 in known_errors),
        )


def holds_shares(column: list[Any]) -> bool:
    """Return whether a column holds numbers, or percentages."""
    held = [value for value in distinct_fields(column) if not is_missing(value, words=True)]
    return bool(held) and all(to_share(value) is not None for value in held)


def _holds_rates(name: Any, column: list[Any]) -> bool:
    """Return whether a column holds scores by its name, or fractions, percentages or estimates with errors."""
    if squeeze(name) in RATES or str(name).strip().endswith("%"):
        return True
    fields = distinct_fields(column)
    texts = [str(value) for value in fields if not is_missing(value, words=True)]
    if not texts or role_of(name) in ("case", "cluster", "dataset"):
        return False
    if all("%" in text or "±" in text or "+-" in text or "+/-" in text for text in texts):
        return True
    numbers = [to_number(text.replace(",", ".")) for text in texts]
    return all(n is not None and 0 <= n <= 100 for n in numbers) and any(
        n and n % 1 for n in numbers
    )


def is_one_test(table: Table, known: Known, form: tuple[str, ...]) -> bool:
    """Return whether a table without entities has the counts of one: a row for each data set, and no other names."""
    if (
        "dataset" not in known.of
        or form in (*CASES, *MEANS)
        or find_repeat(table.columns[known.of["dataset"]])
    ):
        return False
    return all(holds_outcomes(table.columns[name]) for name in known.free(table))


def refuse_without_entity(table: Table, known: Known, form: tuple[str, ...]) -> NoReturn:
    """Raise an error that lists columns which may name the entities."""
    free = known.free(table)
    text = [name for name in free if not holds_outcomes(table.columns[name])] or free
    text.sort(key=lambda name: squeeze(name) in AUTHORS)  # authors name studies
    requested = ", ".join(form)
    labels = {"actual", "predicted"} <= set(form)
    if labels:  # texts that are all different, or all equal, name no classifiers
        text = [
            name for name in text if 1 < len(set(map(str, table.columns[name]))) < len(table.where)
        ] or text
    if ("dataset" in known.of or labels) and text and form not in (*CASES, *MEANS):
        raise ArgumentError(
            table.source,
            f"must have a column that names the entities beside {requested}; its heading is without entity: "
            f"{table.options('entity', text[:3])} says which, and {table.without(text)} that all rows are of one",
        )
    if not text:
        rows = f"{table.option('entity', ROW)} ranks the rows, {table.option('dataset', ROW)} says that they are data "
        rows = (
            f"{rows}sets of one entity"
            if len(table.where) > 1 and form in COUNTS and form[-1] != "count"
            else ""
        )
        raise ArgumentError(
            table.source,
            f"must have a column entity beside {requested}; its heading is {table.heading()}, without entity",
            hint=rows,
        )
    studies = f"; {table.option('dataset', text[0])} says that rows are data sets of one entity"
    single = len(table.where) > 1 and find_repeat(table.columns[text[0]]) is None
    raise ArgumentError(
        table.source,
        f"must have a column that names the entities beside {requested}; its heading is without entity",
        hint=f"{table.options('entity', text[:3])} says which{studies if form in COUNTS and single else ''}",
    )
