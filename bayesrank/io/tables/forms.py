"""The form of a table: the column of the entities, and the columns that say what a row is."""

from typing import Any, NoReturn

from bayesrank._core.errors import ArgumentError
from bayesrank._core.labels import find_repeat
from bayesrank._core.notes import Note
from bayesrank._core.prose import list_names
from bayesrank.io.tables.columns import (
    is_quantity_name,
    may_name_units,
    role_of,
    squeeze,
)
from bayesrank.io.tables.lacking import refuse_lacking, refuse_unnamed_roles, refuse_without_entity
from bayesrank.io.tables.named_roles import (
    CASES,
    FORMS,
    MEANS,
    WHAT,
    NamedColumns,
    different_names,
    holds_outcomes,
    is_binary,
    name_cases,
    named_like_cases,
    names_folds,
)
from bayesrank.io.tables.roles import (
    ENTITY_NAMES,
    LONG_CASE_NAMES,
    OVER_RESAMPLES,
    WEIGHT_NAMES,
)
from bayesrank.io.tables.table import Roles, Table
from bayesrank.io.tables.values import (
    as_count,
    is_missing,
    to_number,
)

#: The cells of a confusion matrix of detections: what was not there and not detected has no number.
DETECTION = ("fp", "fn", "tp")


def is_one_classifier(table: Table, named: NamedColumns, entity: Any, roles: Roles) -> bool:
    """Return whether a table has the true and the predicted labels of one classifier, and no column of entities.

    Other columns of labels would be other classifiers; a column of text may name several of them.
    """
    if (
        entity is not None
        or roles.entities is not None
        or not {"actual", "predicted"} <= set(named.by_role)
    ):
        return False
    free = named.free(table)
    labels = {
        str(value) for value in table.distinct(named.by_role["actual"]) if not is_missing(value)
    }
    text = []
    for name in free:
        labels_of = {str(value) for value in table.distinct(name) if not is_missing(value)}
        if labels_of and labels_of <= labels:
            return False
        # Texts that are all different, or all equal, name no classifiers.
        if not holds_outcomes(table.columns[name]) and 1 < len(labels_of) < len(table.where):
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
    if "count" not in named.by_role:
        _refuse_unnamed_units(table, free)
    if text:
        refuse_without_entity(table, named, ("actual", "predicted"))
    if "count" not in named.by_role:
        _refuse_cells_without_counts(table, named, free)
    return True


def _refuse_unnamed_units(table: Table, free: list[Any]) -> None:
    """Raise an error if a column beside the labels of one classifier may have weights, or name clusters."""
    for name in free:
        role = ""
        if squeeze(name) in WEIGHT_NAMES:
            role = "weight"
        elif may_name_units(name) and find_repeat(table.columns[name]) is not None:
            role = "cluster"
        if role:
            raise ArgumentError(
                table.source,
                f"must say what its column {name} holds",
                "a table of the labels of one classifier",
                f"{table.option(role, name)} if it {WHAT[role]}, else {table.without(name)}",
            )


def _refuse_cells_without_counts(table: Table, named: NamedColumns, free: list[Any]) -> None:
    """Ask for the counts of a table with one row for each pair of labels, which are cells of a matrix and no cases."""
    pairs = list(
        zip(
            *(map(str, table.columns[named.by_role[role]]) for role in ("actual", "predicted")),
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


def find_entity(table: Table, named: NamedColumns, roles: Roles) -> Any:
    """Return the only column that can name the entities, or None; several raise an error."""
    candidates = [
        name
        for name in named.free(table)
        if squeeze(name) in ENTITY_NAMES and name not in OVER_RESAMPLES
    ]
    if not named.marks() and not any(set(form) <= set(named.by_role) for form in FORMS):
        # In a table of answers, entities may have such names; columns of outcomes or of labels are
        # no names.
        labels = (
            set()
            if "actual" not in named.by_role
            else set(map(str, table.columns[named.by_role["actual"]]))
        )
        candidates = [name for name in candidates if not holds_outcomes(table.columns[name])]
        candidates = [
            name for name in candidates if not labels & set(map(str, table.columns[name]))
        ]
        # What a column called name names is open: the same name in all rows is that of a metric or
        # a task.
        candidates = [
            name
            for name in candidates
            if squeeze(name) != "name" or len(set(map(str, table.columns[name]))) > 1
        ]
        candidates = [
            name for name in candidates if len(set(map(str, table.columns[name]))) > 1
        ] or candidates
    if roles.entities is not None or not candidates:
        return None
    candidates = different_names(table, candidates)
    if len(candidates) > 1:
        says = [table.option("entity", name) for name in candidates]
        raise ArgumentError(
            table.source,
            "must have one column that names the entities; its heading has "
            f"{' and '.join(map(str, candidates))}: {' or '.join(says)} says which",
        )
    return candidates[0]


def find_form(
    table: Table, named: NamedColumns, entity: Any, roles: Roles
) -> tuple[str, ...] | None:
    """Return the columns that define the form of a row; None for answers (one column for each entity)."""
    present, marks = set(named.by_role), named.marks()
    if entity is None and roles.outcome is not None:
        refuse_without_entity(table, named, ("outcome",))
    full = [form for form in FORMS if set(form) <= present]
    if set(MEANS) & set(full):
        _refuse_means_over_folds(table)
    cases = "case" in present or any(squeeze(name) in LONG_CASE_NAMES for name in table.columns)
    if (
        {*DETECTION} <= present
        and not (present & {"actual", "predicted"})
        and _has_no_negatives(table, named)
    ):
        if "tn" not in present:
            _refuse_unnamed_negatives(table, named, entity)
        named.by_role.pop("tn", None)
        named.notes.append(Note("no_true_negatives", {}))
        return DETECTION
    spread = next((form for form in MEANS if set(form[1:]) <= present), None)
    if (
        spread is not None
        and "outcome" in present
        and "mean" not in present
        and not cases
        and not full
    ):
        named.by_role["mean"] = named.by_role.pop("outcome")
        return spread
    # Derived columns, such as a mean beside counts, or correct and total beside a matrix, are
    # ignored.
    for derived in (*reversed(MEANS), ("correct", "total")):
        if len(full) > 1:
            full = [form for form in full if form != derived]
    if len(full) > 1:
        _refuse_two_kinds(table, named, full)
    if full and (entity is not None or full[0] not in CASES or marks & set(full[0])):
        if full[0] == ("case", "outcome") and roles.outcome is None:
            _refuse_labels_as_outcomes(table, named)
        if full[0] == ("outcome", "count") and entity is not None and roles.count is None:
            _refuse_total_as_count(table, named, entity)
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
            name for name in named.free(table) if name != entity and is_binary(table.columns[name])
        ]
        if len(binary) > 1:
            return None
    if entity is not None:
        return _case_form(table, named, entity, roles)
    return refuse_lacking(table, named, entity) if marks else None


def _refuse_means_over_folds(table: Table) -> None:
    """Raise an error if means with standard errors are over folds, as columns of tidymodels show."""
    if any(str(name) in OVER_RESAMPLES for name in table.columns):
        raise ArgumentError(
            table.source,
            "must contain scores of single folds, since training data of folds overlap: a standard error over them is "
            "too small",
            "means over folds with their standard errors, as tidymodels writes them",
            "collect_metrics(summarize = FALSE) writes the score of each fold",
        )


def _refuse_two_kinds(table: Table, named: NamedColumns, forms: list[tuple[str, ...]]) -> NoReturn:
    """Raise an error for a heading with the columns of two kinds of tables."""
    both = " and of ".join(", ".join(form) for form in forms)
    first, second, *_ = forms
    spare = [name for role, name in named.by_role.items() if role in second and role not in first]
    raise ArgumentError(
        table.source,
        f"must have the columns of one kind of table; its heading has those of {both} "
        f"({table.without(spare)} leaves the second out)",
    )


def _refuse_unnamed_negatives(table: Table, named: NamedColumns, entity: Any) -> None:
    """Ask whether a column of counts beside fp, fn and tp has the true negatives under another name."""
    used = {
        held for role, held in named.by_role.items() if role not in ("total", "count", "mean")
    } | {entity}
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


def _has_no_negatives(table: Table, named: NamedColumns) -> bool:
    """Return whether true negatives have no column, or one that is empty or 0 in every row."""
    fields_of = [] if "tn" not in named.by_role else table.distinct(named.by_role["tn"])
    return all(is_missing(value, words=True) for value in fields_of) or all(
        as_count(value) == 0 for value in fields_of
    )


def _refuse_labels_as_outcomes(table: Table, named: NamedColumns) -> None:
    """Ask whether outcomes beside true labels are predicted labels, if both have the same values."""
    outcome, actual = named.by_role["outcome"], named.by_role.get("actual")
    if actual is None or "predicted" in named.by_role:
        return
    labels_of = [
        {str(value) for value in table.distinct(name) if not is_missing(value)}
        for name in (outcome, actual)
    ]
    if len(labels_of[0]) > 1 and labels_of[0] <= labels_of[1]:
        new = {outcome: "predicted"}
        typed = (
            f"rename {outcome} to predicted" if table.shell else f"frame.rename(columns={new!r})"
        )
        raise ArgumentError(
            table.source,
            f"must say what its column {outcome} holds, which has the values of {actual}",
            list_names(sorted(labels_of[0]), 4),
            f"{typed} if it holds predicted labels; {table.option('outcome', outcome)} if 1 is a right answer",
        )


def _refuse_total_as_count(table: Table, named: NamedColumns, entity: Any) -> None:
    """Ask whether a count is the number of cases with an outcome, or the total beside a number of right answers."""
    outcome, count = named.by_role["outcome"], named.by_role["count"]
    read = [[as_count(value) for value in table.columns[name]] for name in (outcome, count)]
    values, totals = ([value for value in column if value is not None] for column in read)
    if None in read[0] or None in read[1] or not values:
        return
    pairs = list(zip(values, totals, strict=True))
    keys = zip(
        *(table.columns[name] for name in (entity, named.by_role.get("dataset", entity))),
        strict=True,
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


def _case_form(table: Table, named: NamedColumns, entity: Any, roles: Roles) -> tuple[str, ...]:
    """Return the form of cases named by a column such as question_id; otherwise raise an error."""
    form = next((form for form in CASES if set(form) - {"case"} <= set(named.by_role)), None)
    if form is None:
        refuse_lacking(table, named, entity)
    free = [name for name in named.free(table) if name != entity]
    candidates = named_like_cases(table, free)
    fitting = name_cases(
        table, entity, [named.by_role[r] for r in ("dataset", "run") if r in named.by_role], free
    )
    numbers = {to_number(value) for value in table.distinct(named.by_role[form[-1]])} - {None}
    single = len(table.where) > 1 and find_repeat(table.columns[entity]) is None
    if len(fitting) == 1:
        if single and form[-1] == "outcome" and not numbers <= {0.0, 1.0}:
            refuse_lacking(table, named, entity)  # one row for each entity is no case
        named.by_role["case"] = fitting[0]
        named.notes.append(Note("column_names_cases", {"column": str(fitting[0])}))
        return form
    if not candidates and not single:
        if roles.count is None:
            _refuse_unnamed_count(table, entity, named.by_role[form[-1]])
        refuse_unnamed_roles(table, named, entity)  # values such as Fold03 may name folds
    graded = not numbers <= {0.0, 1.0} and not candidates and roles.outcome is None
    if form[-1] == "outcome" and (single or graded):
        refuse_lacking(table, named, entity)
    offered = fitting or candidates or free[:1]
    remedy = f" ({table.options('case', offered)} says which column does)" if offered else ""
    raise ArgumentError(
        table.source,
        f"must have a column case that names the cases, beside {entity} and {named.by_role[form[-1]]}{remedy}",
    )


def _refuse_unnamed_count(table: Table, entity: Any, answer: Any) -> None:
    """Raise an error if a column of quantities beside entities and answers may say how many cases a row has."""
    for name in table.columns:
        if (
            is_quantity_name(name)
            and name not in (entity, answer)
            and all(as_count(value) is not None for value in table.distinct(name))
        ):
            raise ArgumentError(
                table.source,
                f"must say what its column {name} holds",
                f"a table of {entity} and {answer}",
                f"{table.option('count', name)} if a row stands for that many cases",
            )


def is_one_test(table: Table, named: NamedColumns, form: tuple[str, ...]) -> bool:
    """Return whether a table without entities has the counts of one: a row for each data set, and no other names."""
    if (
        "dataset" not in named.by_role
        or form in (*CASES, *MEANS)
        or find_repeat(table.columns[named.by_role["dataset"]])
    ):
        return False
    return all(holds_outcomes(table.columns[name]) for name in named.free(table))
