"""Refuse tables that lack a column of every form, with the options that name the columns they may have instead."""

from typing import Any, NoReturn

from bayesrank._core.errors import ArgumentError
from bayesrank._core.labels import find_repeat
from bayesrank._core.prose import list_names
from bayesrank.io.tables.columns import (
    is_metadata_name,
    is_quantity_name,
    is_row_number,
    role_of,
    squeeze,
)
from bayesrank.io.tables.named_roles import (
    CASES,
    COUNTS,
    FORMS,
    MEANS,
    SPREADS,
    NamedColumns,
    holds_outcomes,
    is_key,
    name_cases,
    named_like_cases,
    names_folds,
    suggest_folds,
)
from bayesrank.io.tables.roles import (
    AUTHORS,
    RATES,
    REPEATS,
    SE_NAMES,
    TRUTH_NAMES,
)
from bayesrank.io.tables.table import ROW, Table, list_choices
from bayesrank.io.tables.values import (
    as_outcomes,
    distinct_fields,
    is_missing,
    to_number,
    to_share,
)

#: The largest number of rows that a remedy lists as those to keep.
MOST_KEPT = 12


def refuse_lacking(table: Table, named: NamedColumns, entity: Any) -> NoReturn:
    """Raise an error that names missing columns, or scores without the number of their cases."""
    refuse_unnamed_roles(table, named, entity)
    rates = [
        name for name in table.columns if name != entity and _holds_rates(name, table.columns[name])
    ]
    if not rates and entity is not None and find_repeat(table.columns[entity]) is None:
        # One row for each entity, with whole numbers up to 100 that no role has.
        numbers = [
            name
            for name in named.free(table)
            if name != entity and holds_shares(table.columns[name])
        ]
        shares = [to_share(value) for name in numbers for value in table.distinct(name)]
        if len(numbers) > 1 and all(0 <= (share or 0) <= 100 for share in shares):
            rates = numbers
    if rates:
        value = next((v for v in table.columns[rates[0]] if not is_missing(v)), "")
        raise ArgumentError(
            table.source,
            f"must contain counts or single cases; {list_names(rates)} contain{'s' * (len(rates) == 1)} "
            f"scores, such as {value}, which do not say of how many cases. Write the counts behind them as columns tn, "
            "fp, fn, tp, or correct, total; or their standard errors in a column se beside mean",
        )
    present = set(named.by_role)
    form = max(FORMS, key=lambda form: len(set(form) & present) / len(form))
    missing = [
        name for name in (*(["entity"] if entity is None else []), *form) if name not in present
    ]
    others = "; or ".join(", ".join(other) for other in FORMS if other != form)
    raise ArgumentError(
        table.source,
        f"must have the columns entity, {', '.join(form)}; its heading is {table.heading()}, without "
        f"{', '.join(missing)} (other tables have entity and the columns {others}; or they have one column for each "
        "entity, and none of these)",
    )


def refuse_unnamed_roles(table: Table, named: NamedColumns, entity: Any) -> None:
    """Raise an error with the options that name columns of outcomes, of folds or of the truth, if they are enough."""
    free = [name for name in named.free(table) if name != entity]
    scores = [
        name
        for name in free
        if not (is_metadata_name(name) or is_quantity_name(name) or names_folds(table, name))
        and holds_outcomes(table.columns[name])
        and len(set(as_outcomes(table.columns[name])) - {None}) > 1
    ]
    scores = [named.by_role["outcome"]] if "outcome" in named.by_role else scores
    _refuse_unnamed_means(table, entity)
    _refuse_unnamed_predictions(table, named, entity, free)
    folds = [name for name in free if names_folds(table, name)]
    labels = [name for name in free if squeeze(name) in TRUTH_NAMES]
    if entity is None and "predicted" in named.by_role and "actual" not in named.by_role and labels:
        raise ArgumentError(
            table.source,
            f"must say which column holds the true labels, beside {named.by_role['predicted']}",
            list_names(list(map(str, labels)), 4),
            f"{table.options('truth', labels[:4])} says so",
        )
    if entity is None or not scores or find_repeat(table.columns[entity]) is None:
        return
    key_columns = [
        named.by_role[role] for role in ("dataset", "run", "training_seed") if role in named.by_role
    ]
    keys = [table.columns[name] for name in (entity, *key_columns)]
    fitting = (
        [named.by_role["case"]]
        if "case" in named.by_role
        else name_cases(table, entity, key_columns, free)
    )
    cases = fitting or named_like_cases(table, free)
    if len(fitting) == 1 and is_key(table, keys, fitting[0]) and "outcome" not in named.by_role:
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
    if sets and tasks and "dataset" not in named.by_role:
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
    if not fitting and shared and "outcome" not in named.by_role:
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


def _refuse_unnamed_predictions(
    table: Table, named: NamedColumns, entity: Any, free: list[Any]
) -> None:
    """Raise an error with the options that name predicted labels, or probabilities, beside the truth."""
    if (
        entity is None
        or "actual" not in named.by_role
        or {"predicted", "outcome", "probability"} & set(named.by_role)
    ):
        return
    labels = {
        str(value) for value in table.distinct(named.by_role["actual"]) if not is_missing(value)
    }
    labels_of = {
        name: {str(value) for value in table.distinct(name) if not is_missing(value)}
        for name in free
    }
    alike = [name for name in free if labels_of[name] and labels_of[name] <= labels]
    shares = [
        name for name in free if name not in alike and _holds_probabilities(table.columns[name])
    ]
    if alike or shares:
        typed = [table.option("predicted", name) for name in alike] + [
            table.option("probability", n) for n in shares
        ]
        raise ArgumentError(
            table.source,
            f"must say which column holds the predictions, beside {entity} and {named.by_role['actual']}",
            list_names(list(map(str, [*alike, *shares])), 6),
            f"{list_choices(typed[:4])} says so",
        )


def _holds_probabilities(column: list[Any]) -> bool:
    numbers = [to_share(value) for value in distinct_fields(column)]
    return (
        all(number is not None and 0 <= number <= 1 for number in numbers) and len(set(numbers)) > 2
    )


def _refuse_unnamed_means(table: Table, entity: Any) -> None:
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
    entity_column = index if entity is None else entity
    if (
        not used
        or entity_column is None
        or holds_outcomes(table.columns[entity_column])
        or find_repeat(table.columns[entity_column]) is not None
    ):
        return
    scores = [name for name in names if name not in used.values() and not is_metadata_name(name)]
    named = [name for name in scores if "se" in used and str(used["se"]).startswith(str(name))]
    # Without a name in common, the error stands right of its mean.
    first = min(names.index(name) for name in used.values())
    before = [name for name in names[:first] if name in scores]
    scores = named or before[-1:] or scores
    text = [table.option(role, name) for role, name in used.items() if role_of(name) != role]
    text = [*([table.option("entity", entity_column)] if entity is None else []), *text]
    known_errors = (
        [to_share(value) for value in table.columns[used["se"]]] if "se" in used else [None]
    )
    if 0 in known_errors:
        retained = [
            table.columns[entity_column][i] for i, error in enumerate(known_errors) if error != 0
        ]
        text += (
            [table.conditions(entity_column, retained)] if 2 <= len(retained) <= MOST_KEPT else []
        )
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
    present = [value for value in distinct_fields(column) if not is_missing(value, words=True)]
    return bool(present) and all(to_share(value) is not None for value in present)


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
    if not all(number is not None and 0 <= number <= 100 for number in numbers):
        return False
    return any(number and number % 1 for number in numbers)


def refuse_without_entity(table: Table, named: NamedColumns, form: tuple[str, ...]) -> NoReturn:
    """Raise an error that lists columns which may name the entities."""
    free = named.free(table)
    text = [name for name in free if not holds_outcomes(table.columns[name])] or free
    text.sort(key=lambda name: squeeze(name) in AUTHORS)  # authors name studies
    requested = ", ".join(form)
    labels = {"actual", "predicted"} <= set(form)
    if labels:  # texts that are all different, or all equal, name no classifiers
        text = [
            name for name in text if 1 < len(set(map(str, table.columns[name]))) < len(table.where)
        ] or text
    if ("dataset" in named.by_role or labels) and text and form not in (*CASES, *MEANS):
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
