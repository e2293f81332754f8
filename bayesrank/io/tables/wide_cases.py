"""Joint outcomes from tables with one row for each case and one column for each entity."""

import shlex
from collections import Counter
from dataclasses import replace
from functools import partial
from typing import Any, NoReturn

import numpy as np
import xarray as xr

from bayesrank._core.checks import check_sequence
from bayesrank._core.errors import ArgumentError
from bayesrank._core.labels import (
    find_repeat,
)
from bayesrank._core.prose import list_names
from bayesrank.io.tables.case_answers import read_outcomes, read_predictions, refuse_last_rows
from bayesrank.io.tables.case_columns import OF_CASES, describe_cases, join_answers
from bayesrank.io.tables.columns import (
    is_metadata_name,
    is_quantity_name,
    is_row_number,
    is_truth_name,
    role_of,
    squeeze,
    unlike_the_others,
)
from bayesrank.io.tables.lacking import refuse_without_entity
from bayesrank.io.tables.named_roles import NamedColumns, holds_outcomes, is_binary, name_roles
from bayesrank.io.tables.not_cases import (
    refuse_folds,
    refuse_matrices,
    refuse_nameless,
    refuse_open_questions,
    refuse_predictions_alone,
    refuse_scores,
    refuse_summaries,
)
from bayesrank.io.tables.probabilities import hold_probabilities, read_wide, refuse_class_names
from bayesrank.io.tables.proposals import NOTHING, could_be_score, propose_long
from bayesrank.io.tables.roles import (
    CELLS,
    FOLD_NAMES,
    WEIGHT_NAMES,
)
from bayesrank.io.tables.table import NO_CLASSES, Roles, Table
from bayesrank.io.tables.values import (
    as_count,
    is_missing,
    plain,
    to_number,
)

#: Categories are few, each with many cases; clusters are many.
MOST_CATEGORIES, LEAST_IN_CATEGORY, LEAST_CLUSTERS = 20, 3, 10
#: The largest penalty of a proposal that is printed: one of its names is not usual for its role.
MOST_PENALTY = 1.5
#: Tables with more columns are no list of entities and cases, for which roles are proposed.
MOST_COLUMNS = 30


def read_answers(table: Table, named: NamedColumns, roles: Roles) -> xr.Dataset:
    """Read a table with one row for each case and one column for each entity."""
    why = "which does not say what each answer cost; write a row for each entity and case"
    table.refuse(roles, "cost", f"for a table with one column per entity, {why}")
    table.refuse(
        roles, "outcome", "for a table with one column per entity, whose columns hold the outcomes"
    )
    named = named._replace(
        by_role={role: name for role, name in named.by_role.items() if role in OF_CASES}
    )
    refuse_folds(table)
    listed = roles.entities is not None
    names = _find_entities(table, named, roles)
    _refuse_empty(table, names)
    refuse_matrices(table)
    if not listed:
        _refuse_other_columns(table, named, roles, names)
    record, *_ = describe_cases(table, named, None)
    actual = named.by_role.get("actual")
    if actual is not None and hold_probabilities(table, actual, names, listed):
        if not listed:
            refuse_class_names(table, actual, names)
        return read_wide(table, named, actual, names, record, roles)
    ask = None if listed else partial(_refuse_odd, table, roles, names)
    may_lack = roles.missing is not None
    if actual is not None:
        answers = read_predictions(table, roles, actual, names, may_lack, ask)
        record["actual"] = answers.pop(actual)
    else:
        table.refuse(roles, "positive", NO_CLASSES)
        if not listed and not table.trial:  # a suggestion may lead to these questions
            refuse_open_questions(table, named, names)
        answers = read_outcomes(table, roles, names, may_lack, ask)
        written = {name: table.columns[name] for name in names}
        refuse_last_rows(table, answers, written, range(len(table.where)), record.get("case"))
    columns = {plain(name): column for name, column in answers.items()}
    return join_answers(table, columns, record, named, roles)


def _refuse_empty(table: Table, names: list[Any]) -> None:
    """Raise an error if a table has no column of an entity, or no row."""
    if not names:
        raise ArgumentError(
            table.source, f"must have a column for each entity; its heading is {table.heading()}"
        )
    if not len(table.where):
        raise ArgumentError(table.source, "must have at least one row below its heading", "none")


def _find_entities(table: Table, named: NamedColumns, roles: Roles) -> list[Any]:
    """Return the columns that the user lists as entities; by default all that do not describe cases."""
    described = named.by_role.values()
    if roles.entities is None:
        return [name for name in table.columns if name not in described]
    requested = check_sequence("entities", roles.entities)
    names = [table.find("entities", name) for name in requested]
    often = Counter(names)
    twice = next((name for name in names if often[name] > 1 or name in described), None)
    if twice is not None:
        raise ArgumentError(
            table.argument("entities"),
            "must name each column once, and only for this purpose",
            f"{twice!r}",
        )
    return names


def _refuse_other_columns(
    table: Table, named: NamedColumns, roles: Roles, names: list[Any]
) -> None:
    """Raise an error if a column that the user did not list as an entity is probably something else."""
    has_truth = "actual" in named.by_role
    refuse_scores(table, named, names)
    refuse_nameless(table, names)
    _refuse_second_truth(table, named, names)
    if not has_truth:
        refuse_predictions_alone(table, names)
    for name in names:
        if isinstance(name, str) and to_number(name) is not None:
            raise ArgumentError(
                table.source,
                "must have a heading that names its columns, those of counts, or one for each entity "
                f"(see 'bayesrank rank --help-all'); it has {name} for a name",
            )
    refuse_summaries(table, named, names)
    truths = [] if has_truth else [name for name in names if is_truth_name(name, names)]
    if not truths and not has_truth:
        _refuse_unlike_the_others(table, roles, names)
    metadata = [name for name in names if is_metadata_name(name) and name not in truths]
    doubtful = truths + metadata
    if any(role_of(name) == "outcome" for name in doubtful) and len(doubtful) == len(names):
        refuse_without_entity(table, named, ("outcome",))
    # If all columns are costs, each may name its entity, as in "gpt cost" and "llama cost".
    if not doubtful or (len(doubtful) == len(names) and len(names) > 1):
        return
    odd = dict.fromkeys(truths, "named like the truth")
    odd |= dict.fromkeys(metadata, "named like an id, a group or a cost")
    if not has_truth:
        text = [
            name for name in names if name not in odd and not holds_outcomes(table.columns[name])
        ]
        if len(text) + len(odd) < len(names):
            odd = dict.fromkeys(text, "it holds text") | odd
    _refuse_odd(table, roles, names, odd)


def _refuse_second_truth(table: Table, named: NamedColumns, names: list[Any]) -> None:
    """Ask about a column with the values and the name of the truth, such as y_true_2 beside y_true."""
    actual = named.by_role.get("actual")
    if actual is None:
        return
    labels = list(map(str, table.columns[actual]))
    for name in names:
        if (
            squeeze(name).startswith(squeeze(actual))
            and list(map(str, table.columns[name])) == labels
        ):
            rest = [other for other in names if other != name]
            alone = f"; {table.option('entities', rest)} ranks these alone" if rest else ""
            raise ArgumentError(
                table.source,
                f"must have one column for each entity, and {name!r} is probably not an entity: it has the name and "
                f"the values of {actual}. {table.without(name)} leaves it out{alone}",
            )


def _refuse_unlike_the_others(table: Table, roles: Roles, names: list[Any]) -> None:
    """Ask whether a column holds the truth if the others are numbered and all have the same labels, as d, y1, y2 do."""
    odd = unlike_the_others(names)
    rest = [name for name in names if name != odd]
    labels = [
        {str(value) for value in table.distinct(name) if not is_missing(value)} for name in names
    ]
    if odd is None or table.trial or len(set.union(*labels)) != 2:
        return
    if not _can_be_read(table, replace(roles, truth=odd, entities=rest), rest):
        return
    both = table.together(table.option("truth", odd), table.option("entities", rest))
    raise ArgumentError(
        table.source,
        f"must say what its column {odd} holds, which is not numbered like {list_names(list(map(str, rest)), 3)}",
        f"{odd}",
        f"{both} says that it holds the true labels; {table.option('entities', names)} ranks all columns",
    )


def _refuse_odd(table: Table, roles: Roles, names: list[Any], odd: dict[Any, str]) -> NoReturn:
    """Raise an error for columns that are probably not entities, and say what to type: only what was tried."""
    first, *others = odd
    _refuse_long(table, roles, [name for name in odd if not holds_outcomes(table.columns[name])])
    rest = [name for name in names if name not in odd]
    # A column of other numbers beside columns of 0 and 1 is no entity.
    binary = [name for name in rest if is_binary(table.columns[name])]
    rest = binary if len(binary) > 1 else rest
    others_text = f" ({list_names(others)}, too)" if others else ""
    wrong = f"must have one column for each entity, and {first!r} is probably not an entity: {odd[first]}{others_text}"
    if table.trial:
        raise ArgumentError(table.source, wrong)
    if _may_be_counts(table, first, rest):
        cells = " ".join(f"--{cell} COLUMN" for cell in CELLS)
        if not table.shell:
            cells = ", ".join(f"{cell}=COLUMN" for cell in CELLS)
        comma = "" if table.shell else ","
        raise ArgumentError(
            table.source,
            f"{wrong}. If its columns hold counts, {table.option('entity', first)}{comma} {cells} says which column "
            f"holds which count",
        )
    without_others = table.drop(others)
    says = []
    truth = is_truth_name(first, names) and "actual" not in {
        role_of(name) for name in table.columns
    }
    if truth:
        labels = {str(value) for value in table.distinct(first) if not is_missing(value)}
        alike = [
            name
            for name in rest
            if {str(v) for v in table.distinct(name) if not is_missing(v)} <= labels
        ]
        rest = alike or rest
    if truth and _can_be_read(table, replace(roles, truth=first, entities=rest), rest):
        both = table.together(table.option("truth", first), table.option("entities", rest))
        says.append(f"{both} says that it holds the true labels")
    for role, meaning in () if truth else _possible_roles(table, first):
        if _can_be_read(without_others, replace(roles, **{role: first}), rest):
            typed = (
                f"--by {shlex.quote(str(first))}"
                if role == "dataset" and table.shell
                else table.option(role, first)
            )
            typed = (
                table.together(typed, table.without(others)) if others and table.shell else typed
            )
            says.append(f"{typed} says that it {meaning}")
    if (
        not truth
        and rest
        and _can_be_read(table, replace(roles, entities=rest), rest)
        and _is_settled(table, roles, names, rest)
    ):
        says.append(f"{table.option('entities', rest)} ranks these alone")
    if not truth and _can_be_read(table.drop(list(odd)), roles, rest):
        says.append(
            f"{table.without(list(odd) if others else first)} leaves {'them' if others else 'it'} out"
        )
    if not says and not truth and (possible := _possible_roles(table, first)):
        # Another column has to be explained first, too.
        says = [f"{table.option(possible[0][0], first)} says that it {possible[0][1]}"]
    hint = f"columns that {table.argument('entities')} lists are always entities" if truth else ""
    raise ArgumentError(table.source, f"{wrong}{'. ' * bool(says)}{'; '.join(says)}", hint=hint)


def _refuse_long(table: Table, roles: Roles, texts: list[Any]) -> None:
    """Propose the columns of a table with one row for each entity and case, under names that no role has."""
    if (
        table.trial
        or len(texts) < 2
        or roles.entities is not None
        or len(table.columns) > MOST_COLUMNS
    ):
        return
    best: tuple[float, dict[str, str]] = NOTHING
    for name, held in table.columns.items():
        if could_be_score(str(name), held):
            other_columns = {
                str(other): column for other, column in table.columns.items() if other != name
            }
            best = min(
                best, propose_long(other_columns, str(name)) or NOTHING, key=lambda found: found[0]
            )
    penalty, roles_proposed = best
    keys = [roles_proposed.get(role, "") for role in ("entity", "case", "dataset", "run")]
    sizes = [len(set(map(str, table.columns[key]))) for key in keys if key in table.columns]
    if penalty > MOST_PENALTY or len(sizes) < 2 or int(np.prod(sizes)) != len(table.where):
        return
    typed = [table.option(role, name) for role, name in roles_proposed.items()]
    raise ArgumentError(
        table.source,
        "must say which columns hold the entities, the cases and the outcomes",
        f"one row for each {' and '.join(key for key in keys if key)}",
        f"{table.together(*typed)} says so",
    )


def _is_settled(table: Table, roles: Roles, names: list[Any], rest: list[Any]) -> bool:
    """Return whether the rest of the columns raise no question of their own, which listing them would answer."""
    alone = table.drop([name for name in names if name not in rest])
    try:
        refuse_open_questions(alone, name_roles(alone, roles), rest)
    except ArgumentError:
        return False
    return True


def _possible_roles(table: Table, column: Any) -> list[tuple[str, str]]:
    """Return the roles that the values of a column fit, and their meaning."""
    rows, distinct = len(table.where), len(set(map(repr, table.distinct(column))))
    numbers = [to_number(value) for value in table.distinct(column)]
    fractions = any(number is not None and number % 1 for number in numbers)
    quantity = (
        fractions
        or is_quantity_name(column)
        or squeeze(column) in FOLD_NAMES
        or is_row_number(column)
    )
    result = [("case", "names the cases")] if distinct == rows and not quantity else []
    # Few values, each many times, are categories; many small groups are clusters.
    cases = next((name for name in table.columns if role_of(name) == "case"), column)
    if (
        cases != column
        and find_repeat(zip(table.columns[cases], table.columns[column], strict=True)) is None
    ):
        result += [
            ("run", "names runs of one fitted model"),
            ("training_seed", "names training seeds"),
        ]
    if 2 <= distinct <= MOST_CATEGORIES and rows >= LEAST_IN_CATEGORY * distinct:
        result.append(("dataset", "names categories of cases"))
    if LEAST_CLUSTERS <= distinct < rows:
        result.append(("cluster", "names clusters of cases"))
    if squeeze(column) in WEIGHT_NAMES and all(
        number is not None and number >= 0 for number in numbers
    ):
        result.append(("weight", "holds the importance weight of a case"))
    if is_quantity_name(column) and all(
        as_count(value) is not None for value in table.distinct(column)
    ):
        result.append(("count", "holds the number of cases of a row"))
    return result


def _may_be_counts(table: Table, names: Any, columns: list[Any]) -> bool:
    """Return whether a table has a column of distinct names, and others that hold whole numbers as counts do."""
    counts = [as_count(value) for name in columns for value in table.distinct(name)]
    text = [isinstance(value, str) and to_number(value) is None for value in table.columns[names]]
    distinct = find_repeat(table.columns[names]) is None
    return (
        len(columns) >= 2
        and all(text)
        and distinct
        and None not in counts
        and max(map(int, filter(None, counts)), default=0) > 10
    )


def _can_be_read(table: Table, roles: Roles, entities: list[Any]) -> bool:
    """Return whether a table with other roles can be read, and has these entities."""
    roles = replace(roles, missing="common" if roles.missing is None else roles.missing)
    try:
        trial = replace(table, trial=True)
        evidence = read_answers(trial, name_roles(trial, roles), roles)
    except ArgumentError:
        return False
    return bool(evidence["entity"].values.tolist() == [plain(name) for name in entities])
