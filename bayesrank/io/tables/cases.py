"""Joint outcomes from tables of single cases: a row for each entity and case, or a column for each entity."""

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.checks import check_sequence, is_number
from bayesrank._core.errors import Advice, ArgumentError, InPython
from bayesrank._core.labels import (
    factorize,
    factorize_rows,
    find_repeat,
    object_array,
    standing_pair,
)
from bayesrank._core.notes import Note, add_notes
from bayesrank._core.prose import list_names
from bayesrank._core.records import EvidenceRecord
from bayesrank.evidence.components import variance_components
from bayesrank.evidence.folds import split_columns
from bayesrank.evidence.ledger import NO_OUTCOME, SCORED, add_runs, ledger_of
from bayesrank.evidence.outcomes import count_outcomes
from bayesrank.evidence.pooled import runs_of
from bayesrank.evidence.predictions import joint_outcomes
from bayesrank.io.tables.columns import (
    is_metadata_name,
    is_metric_name,
    is_quantity_name,
    is_row_number,
    is_truth_name,
    odd_columns,
    role_of,
    squeeze,
    unlike_the_others,
)
from bayesrank.io.tables.forms import (
    NO_FOLDS,
    Known,
    holds_outcomes,
    is_binary,
    name_roles,
    refuse_lacking,
    refuse_without_entity,
    suggest_folds,
)
from bayesrank.io.tables.probabilities import hold_probabilities, read_wide, refuse_class_names
from bayesrank.io.tables.proposals import NOTHING, could_be_score, propose_long
from bayesrank.io.tables.roles import (
    CELLS,
    ENTITY_WORDS,
    FOLD_NAMES,
    FOLD_SCORES,
    NAMELESS,
    REPEATS,
    TESTS,
    VOTERS,
    WEIGHT_NAMES,
)
from bayesrank.io.tables.table import NO_CLASSES, Roles, Table, list_choices
from bayesrank.io.tables.totals import find_summary, is_total_name, unit_of
from bayesrank.io.tables.values import (
    are_scores,
    as_count,
    as_outcomes,
    check_exact,
    count_hint,
    distinct_fields,
    is_missing,
    map_fields,
    missing_code,
    plain,
    to_number,
    to_share,
)

#: Fields by column, or by role.
Columns = dict[Any, list[Any]]
#: Roles of columns that describe cases, in all forms.
OF_CASES = ("case", "run", "training_seed", "dataset", "cluster", "times", "weight", "actual")
#: Categories are few, each with many cases; clusters are many.
MOST_CATEGORIES, LEAST_IN_CATEGORY, LEAST_CLUSTERS = 20, 3, 10
#: Up to so many whole numbers may be labels of classes.
MOST_LABELS = 12
#: Up to so many rows of fractions may be scores of folds.
FEW_ROWS = 10
#: So many rows are those of repeated cross-validations, such as 10 times 10 folds.
FOLD_ROWS = {15, 20, 25, 30, 50, 100}
#: Up to so many last rows may sum up the others, as pandas' describe writes them.
MOST_SUMMARIES = 8
#: The largest penalty of a proposal that is printed: one of its names is not usual for its role.
MOST_PENALTY = 1.5
#: Tables with more columns are no list of entities and cases, for which roles are proposed.
MOST_COLUMNS = 30
#: Treatments of missing answers that messages offer.
TREATMENTS = ("common", "own", 0)


class _Key(NamedTuple):
    """The key of a row in a table of cases; names of cases are unique within a data set."""

    dataset: Any
    case: Any
    run: Any
    training_seed: Any

    def __str__(self) -> str:
        named = [
            (what, held)
            for what, held in (("training seed", self.training_seed), ("run", self.run))
            if held != ""
        ]
        return repr(self.case) + (
            f" ({', '.join(f'{what} {held!r}' for what, held in named)})" if named else ""
        )


def read_answers(table: Table, known: Known, roles: Roles) -> xr.Dataset:
    """Read a table with one row for each case and one column for each entity."""
    why = "which does not say what each answer cost; write a row for each entity and case"
    table.refuse(roles, "cost", f"for a table with one column per entity, {why}")
    table.refuse(
        roles, "outcome", "for a table with one column per entity, whose columns hold the outcomes"
    )
    known = known._replace(of={role: name for role, name in known.of.items() if role in OF_CASES})
    _refuse_folds(table)
    chosen = roles.entities is not None
    described = known.of.values()
    names = [name for name in table.columns if name not in described]
    if chosen:
        names = [
            table.find("entities", requested)
            for requested in check_sequence("entities", roles.entities)
        ]
        twice = next((name for name in names if names.count(name) > 1 or name in described), None)
        if twice is not None:
            raise ArgumentError(
                f"{table.argument('entities')}",
                "must name each column once, and only for this purpose",
                f"{twice!r}",
            )
    if not names:
        raise ArgumentError(
            table.source, f"must have a column for each entity; its heading is {table.heading()}"
        )
    if not len(table.where):
        raise ArgumentError(table.source, "must have at least one row below its heading", "none")
    _refuse_matrices(table)
    if not chosen:
        _refuse_scores(table, known, names)
        _refuse_nameless(table, names)
    _refuse_second_truth(table, known, names, chosen)
    if "actual" not in known.of and not chosen:
        _refuse_predictions_alone(table, names)
    for name in names:
        if not chosen and isinstance(name, str) and to_number(name) is not None:
            raise ArgumentError(
                table.source,
                "must have a heading that names its columns, those of counts, or one for each entity "
                f"(see 'bayesrank rank --help-all'); it has {name} for a name",
            )
    if not chosen:
        _refuse_summaries(table, known, names)
    truths = (
        []
        if chosen or "actual" in known.of
        else [name for name in names if is_truth_name(name, names)]
    )
    if not chosen and not truths and "actual" not in known.of:
        _refuse_unlike_the_others(table, roles, names)
    listed = truths + (
        [] if chosen else [name for name in names if is_metadata_name(name) and name not in truths]
    )
    if any(role_of(name) == "outcome" for name in listed) and len(listed) == len(names):
        refuse_without_entity(table, known, ("outcome",))
    # If all columns are costs, each may name its entity, as in "gpt cost" and "llama cost".
    if listed and (len(listed) < len(names) or len(names) == 1):
        odd = {
            name: "named like " + ("the truth" if name in truths else "an id, a group or a cost")
            for name in listed
        }
        if "actual" not in known.of:
            text = [
                name
                for name in names
                if name not in odd and not holds_outcomes(table.columns[name])
            ]
            odd = (
                dict.fromkeys(text, "it holds text") | odd
                if len(text) + len(odd) < len(names)
                else odd
            )
        _refuse_odd(table, roles, names, odd)
    record, *_ = _read_about(table, known, None)
    if "actual" in known.of and hold_probabilities(table, known.of["actual"], names, chosen):
        if not chosen:
            refuse_class_names(table, known.of["actual"], names)
        return read_wide(table, known, known.of["actual"], names, record, roles)
    if "actual" in known.of:
        answers = _read_predictions(
            table, roles, known.of["actual"], names, chosen, roles.missing is not None
        )
        record["actual"] = answers.pop(known.of["actual"])
    else:
        table.refuse(roles, "positive", NO_CLASSES)
        if not chosen and not table.trial:  # a suggestion may lead to these questions
            _refuse_open_questions(table, known, names)
        answers = _read_outcomes(table, roles, names, chosen, roles.missing is not None)
        written = {name: table.columns[name] for name in names}
        _refuse_last_rows(table, answers, written, range(len(table.where)), record.get("case"))
    return _join(table, {plain(name): held for name, held in answers.items()}, record, known, roles)


def _refuse_scores(table: Table, known: Known, names: list[Any]) -> None:
    """Refuse columns of different scores, which are no entities: of one entity's cases, or of one in each row."""
    scores = [name for name in names if is_metric_name(name)]
    numbers = [
        name for name in names if any(to_share(value) is not None for value in table.distinct(name))
    ]
    if len(scores) < 2 or 2 * len(scores) < len(numbers):
        return
    rest = [name for name in table.columns if name not in names]
    ids = (
        [known.of["case"]]
        if "case" in known.of
        else [n for n in (*rest, *names) if n not in scores]
    )
    ids = [
        name for name in ids if find_repeat(table.columns[name]) is None and not is_row_number(name)
    ]
    ids.sort(key=lambda name: holds_outcomes(table.columns[name]))  # texts first
    words = {word for name in table.columns for word in re.findall(r"[a-z]+", str(name).lower())}
    # Rows of teams, of epochs and of a few classes are no cases.
    cases = (
        ids
        and len(table.where) > FEW_ROWS
        and not words & {*ENTITY_WORDS, *REPEATS, "step", "batch", "run"}
    )
    remedy = (
        f"if each row is a case of one entity, {table.mapping(ids[0], scores[0])}; if it is one "
        if cases
        else ""
    )
    raise ArgumentError(
        table.source,
        "must contain counts or cases of several entities",
        f"{list_names(list(map(str, scores)), 6)}, which are scores and no entities",
        f"{remedy or 'if each row is an '}entity, write the counts behind its scores as columns tn, fp, fn, tp, or "
        "correct, total",
    )


def _refuse_nameless(table: Table, names: list[Any]) -> None:
    """Ask whether columns are entities whose headings are those that tools give to columns without names."""
    if all(NAMELESS.fullmatch(str(name)) for name in names) and not table.trial:
        square = len(names) == len(table.where) and all(
            as_count(value) is not None for name in names for value in table.distinct(name)
        )
        matrix = " A confusion matrix is written as entity, tn, fp, fn, tp." if square else ""
        raise ArgumentError(
            table.source,
            "must name its columns",
            f"{list_names(list(map(str, names)), 6)}, which name nothing",
            f"{table.option('entities', names)} says that they are entities.{matrix}",
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


def _refuse_second_truth(table: Table, known: Known, names: list[Any], chosen: bool) -> None:
    """Ask about a column with the values and the name of the truth, such as y_true_2 beside y_true."""
    actual = known.of.get("actual")
    if actual is None or chosen:
        return
    held = list(map(str, table.columns[actual]))
    for name in names:
        if (
            squeeze(name).startswith(squeeze(actual))
            and list(map(str, table.columns[name])) == held
        ):
            rest = [other for other in names if other != name]
            alone = f"; {table.option('entities', rest)} ranks these alone" if rest else ""
            raise ArgumentError(
                table.source,
                f"must have one column for each entity, and {name!r} is probably not an entity: it has the name and "
                f"the values of {actual}. {table.without(name)} leaves it out{alone}",
            )


def _refuse_predictions_alone(table: Table, names: list[Any]) -> None:
    """Ask for the truth beside a column that is called predicted."""
    predicted = next((name for name in names if role_of(name) == "predicted"), None)
    if predicted is None or len(names) < 2:
        return
    labels = {str(value) for value in table.distinct(predicted) if not is_missing(value)}
    alike = [
        name
        for name in names
        if name != predicted
        and {str(v) for v in table.distinct(name) if not is_missing(v)} >= labels
    ]
    says = [f"{table.options('truth', alike[:4])} says so"] if alike else []
    if all(
        holds_outcomes(table.columns[name]) and not is_metadata_name(name)
        for name in names
        if name != predicted
    ):
        says.append(f"{table.option('entities', names)} ranks all columns as outcomes")
    raise ArgumentError(
        table.source,
        f"must say which column holds the true labels, beside {predicted}",
        list_names(list(map(str, alike)), 4) or "none",
        "; ".join(says),
    )


def _refuse_patterns(table: Table, known: Known, names: list[Any]) -> None:
    """Ask what 0 and 1 mean in a table of counted patterns: right answers, or results of tests beside the truth."""
    if "times" not in known.of or "case" in known.of or len(names) < 2:
        return
    rows = zip(
        *(table.columns[name] for name in table.columns if name != known.of["times"]), strict=True
    )
    if find_repeat(rows) is not None or not all(is_binary(table.columns[name]) for name in names):
        return
    columns = "COLUMN"
    others = table.together(table.option("truth", columns), table.option("entities", ["A", "B"]))
    raise ArgumentError(
        table.source,
        "must say what its values mean, since counted patterns may be those of tests beside the truth",
        f"{list_names(list(map(str, names)))} without a column actual",
        f"if 1 is a right answer, {table.option('entities', names)} says so; if a COLUMN holds the truth, type "
        f"{others} with the names of your columns",
    )


def _refuse_summaries(table: Table, known: Known, names: list[Any]) -> None:
    """Raise an error for columns that summarise cases, such as standard errors, and for a count without a meaning."""
    held = {role: name for name in names if (role := role_of(name)) is not None}
    if ("se" in held and not is_binary(table.columns[held["se"]])) or {"predicted", "count"} <= set(
        held
    ):
        refuse_lacking(table, known._replace(of=held), None)
    counts = [name for name in names if role_of(name) == "count" and len(names) > 1]
    if counts and all(as_count(value) is not None for value in table.distinct(counts[0])):
        others = zip(
            *(map(str, table.columns[name]) for name in table.columns if name != counts[0]),
            strict=True,
        )
        # Rows that all differ are patterns, which mean nothing without their counts.
        left = f", else {table.without(counts[0])}" if find_repeat(others) is not None else ""
        raise ArgumentError(
            table.source,
            f"must say what its column {counts[0]} holds",
            "a table with one column for each entity",
            f"{table.option('count', counts[0])} if a row stands for that many cases{left}",
        )


def _refuse_open_questions(table: Table, known: Known, names: list[Any]) -> None:
    """Ask what the values mean where they are probably no outcomes of cases; columns that the user lists are."""
    _refuse_test_results(table, known, names)
    _refuse_patterns(table, known, names)
    numbers = {to_share(value) for name in names for value in table.distinct(name)}
    rows = len(table.where)
    few = (rows <= FEW_ROWS or rows in FOLD_ROWS) and len(names) > 1 and "case" not in known.of
    if (
        few
        and None not in numbers
        and are_scores([number for number in numbers if number is not None])
    ):
        raise ArgumentError(
            table.source,
            "must say what its rows are",
            f"{rows} rows of fractions or percentages, which may be scores of folds",
            f"{suggest_folds(table)}; if each row is a case, {table.option('entities', names)} says so",
        )


def _refuse_test_results(table: Table, known: Known, names: list[Any]) -> None:
    """Ask what the truth is where 0 and 1 are results of tests, which do not say who was right.

    Under other names this stays open: a note says what was assumed.
    """
    numbers = {to_number(value) for name in names for value in table.distinct(name)} - {None}
    if not numbers <= {0.0, 1.0}:
        full = len(names) > 1 and all(number is not None and number % 1 == 0 for number in numbers)
        if full and len(numbers) <= MOST_LABELS:
            known.notes.append(Note("numbers_taken_as_grades", {}))
        return
    if len(names) > 1 and all(TESTS.search(str(name)) for name in names):
        raise ArgumentError(
            table.source,
            "must contain the truth beside results of tests, since a test that is often positive is not a good one. "
            "Name the column with the truth actual, and 1 is a positive result. If 1 already means right and 0 wrong, "
            f"{table.option('entities', names)} says so",
        )
    fields = {
        str(value).strip()
        for name in names
        for value in table.distinct(name)
        if not is_missing(value)
    }
    # Words such as true and pass say what they mean, and labels have no runs, whose mean would
    # count.
    if all(field[:1].isdigit() for field in fields) and not {"run", "training_seed"} & set(
        known.of
    ):
        known.notes.append(Note("ones_taken_as_right", {}))


def _refuse_odd(table: Table, roles: Roles, names: list[Any], odd: dict[Any, str]) -> None:
    """Raise an error for columns that are probably not entities, and say what to type: only what was tried."""
    first, *others = odd
    _refuse_long(table, roles, [name for name in odd if not holds_outcomes(table.columns[name])])
    rest = [name for name in names if name not in odd]
    binary = [name for name in rest if is_binary(table.columns[name])]
    rest = (
        binary if len(binary) > 1 else rest
    )  # a column of other numbers beside 0 and 1 is no entity
    also = f" ({list_names(others)}, too)" if others else ""
    wrong = f"must have one column for each entity, and {first!r} is probably not an entity: {odd[first]}{also}"
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
    left = table.drop(others)
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
        if _can_be_read(left, replace(roles, **{role: first}), rest):
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
            beside = {
                str(other): column for other, column in table.columns.items() if other != name
            }
            best = min(best, propose_long(beside, str(name)) or NOTHING, key=lambda found: found[0])
    penalty, given = best
    keys = [given.get(role, "") for role in ("entity", "case", "dataset", "run")]
    sizes = [len(set(map(str, table.columns[key]))) for key in keys if key in table.columns]
    if penalty > MOST_PENALTY or len(sizes) < 2 or int(np.prod(sizes)) != len(table.where):
        return
    typed = [table.option(role, name) for role, name in given.items()]
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
        _refuse_open_questions(alone, name_roles(alone, roles), rest)
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
    held = [as_count(value) for name in columns for value in table.distinct(name)]
    text = [isinstance(value, str) and to_number(value) is None for value in table.columns[names]]
    distinct = find_repeat(table.columns[names]) is None
    return (
        len(columns) >= 2
        and all(text)
        and distinct
        and None not in held
        and max(map(int, filter(None, held)), default=0) > 10
    )


def _can_be_read(table: Table, roles: Roles, entities: list[Any]) -> bool:
    """Return whether a table with other roles can be read, and has these entities."""
    roles = replace(roles, missing="common" if roles.missing is None else roles.missing)
    try:
        trial = replace(table, trial=True)
        found = read_answers(trial, name_roles(trial, roles), roles)
    except ArgumentError:
        return False
    return bool(found["entity"].values.tolist() == [plain(name) for name in entities])


def _refuse_folds(table: Table) -> None:
    """Raise an error for results of a cross-validation or a search of scikit-learn."""
    folds = [name for name in table.columns if squeeze(name) in FOLD_NAMES]
    again = [name for name in table.columns if squeeze(name) in REPEATS][:1]
    keys = [table.columns[name] for name in (*folds[:1], *again)]
    if folds and len(table.where) > 1 and find_repeat(zip(*keys, strict=True)) is None:
        _refuse_resamples(table, folds[0])
        raise ArgumentError(
            table.source,
            "must contain single cases",
            f"one row for each {' and '.join(map(str, (*folds[:1], *again)))}, so that its values are scores of folds",
            suggest_folds(table, folds[0], repeat=next(iter(again), None)),
        )
    if splits := split_columns(table.columns):
        (metric, columns), *others = splits.items()
        typed = [table.option("outcome", metric)] if others else []
        raise ArgumentError(
            table.source,
            "must contain single cases",
            f"scores of the folds of a cross-validation in columns such as {columns[0]}",
            suggest_folds(table, None, *typed, size=len(columns)),
        )
    found = [name for name in table.columns if FOLD_SCORES.fullmatch(str(name))]
    if found:
        raise ArgumentError(
            table.source,
            f"must contain counts or single cases; {list_names(found[:3])} contain{'s' * (len(found) == 1)} "
            "times, ranks or scores of the folds of a cross-validation, which are not cases. "
            "Pass the predicted label of each case, one column for each model, beside a column actual with the truth "
            "(sklearn.model_selection.cross_val_predict returns them)",
        )


def _refuse_resamples(table: Table, fold: Any) -> None:
    """Raise an error for caret's resamples, whose columns are called MODEL~METRIC, with a remedy for each metric."""
    of: dict[str, list[Any]] = {}
    for name in table.columns:
        model, mark, metric = str(name).partition("~")
        if mark and model:
            of.setdefault(metric, []).append(name)
    if len(of) > 1:
        typed = [
            suggest_folds(table, fold, table.option("entities", held), reason=False)
            for held in of.values()
        ]
        raise ArgumentError(
            table.source,
            "must contain single cases",
            f"scores of folds by {list_names(list(of))}",
            f"{NO_FOLDS}: {list_choices(typed[:4])} says that they are of folds with these shares of cases",
        )


def _refuse_matrices(table: Table) -> None:
    """Raise an error for a confusion matrix with its labels, and for a table whose rows are cells."""
    _refuse_cross_table(table)
    rows = [value for value in next(iter(table.columns.values())) if isinstance(value, str)]
    if rows and {role_of(row) for row in rows} >= set(CELLS):
        raise ArgumentError(
            table.source,
            "must have one row an entity and the columns entity, tn, fp, fn, tp; its rows are "
            f"{list_names(rows)} (turn rows and columns)",
        )
    if len(rows) > 1 and sorted(rows) == sorted(map(str, list(table.columns)[1:])):
        raise ArgumentError(
            table.source,
            "must not be a confusion matrix with labels on both sides, which does not say whether its "
            "rows are the actual or the predicted classes",
            hint=Advice(
                "write entity, actual, predicted, count with one row a cell",
                InPython(', or use br.from_matrix(frame, "actual_rows")'),
            ),
        )


def _refuse_cross_table(table: Table) -> None:
    """Raise an error for a cross table of one test and the truth, which its totals show: of rows and of columns."""
    first, *rest = table.columns
    if len(rest) < 3 or len(table.where) < 3:
        return
    counts = [map_fields(as_count, table.columns[name]) for name in rest]
    if any(None in column for column in counts):
        return
    held = np.array(counts, float).T
    if (
        (held[:, :-1].sum(1) == held[:, -1]).all()
        and (held[:-1].sum(0) == held[-1]).all()
        and held[-1, -1]
    ):
        raise ArgumentError(
            table.source,
            "must contain one row for each test with its counts",
            f"a cross table with totals, of {list_names([str(v) for v in table.columns[first][:-1]], 3)} by "
            f"{list_names(list(map(str, rest[:-1])), 3)}",
            "write a row for each test with the columns test, tp, fp, fn, tn",
        )


def _read_outcomes(
    table: Table, roles: Roles, names: list[Any], chosen: bool, may_lack: bool
) -> Columns:
    """Return the outcomes of each column as numbers, None if missing."""
    columns = {name: as_outcomes(table.columns[name]) for name in names}
    odd: dict[Any, str] = {}
    texts = {
        name: [i for i, v in enumerate(held) if not isinstance(v, float | None)]
        if set(map(type, held)) - {float, type(None)}
        else []
        for name, held in columns.items()
    }
    for name, rows in texts.items():
        if not rows:
            continue
        value, numbers = columns[name][rows[0]], sum(isinstance(v, float) for v in columns[name])
        wrong = chosen or len(rows) <= numbers or (len(names) == 1 and numbers > 0)
        if wrong or all(texts.values()):
            hint = count_hint(value)
            remedy = (
                ". Predicted labels need a column actual with the true ones; counts need the columns entity, tn, fp, "
                "fn, tp or entity, correct, wrong"
            )
            raise ArgumentError(
                f"{table.where[rows[0]]}: {name}",
                "must be an outcome, a number such as 1 for right and 0 for wrong",
                f"{value!r}{hint and f', {hint}'}{remedy * (not wrong)}",
            )
        odd[name] = f"got {value!r}, which is no outcome, in {table.place(rows[0])}"
    if not odd and (
        not chosen or (len(names) == 1 and roles.outcome is None and roles.entities is None)
    ):
        _refuse_codes(table, names, columns)
    if not odd and not chosen:
        odd = odd_columns({name: np.array(values, float) for name, values in columns.items()})
    if odd:
        # A text may be the name of a case, or a predicted label without a column of true labels.
        _refuse_odd(table, roles, names, odd)
    for name, values in columns.items():
        check_exact(
            [
                int(value)
                for value in distinct_fields(table.columns[name])
                if isinstance(value, int) or str(value).isdecimal()
            ]
        )
        if None in values and not may_lack:
            common, own, zero = (table.option("missing", what) for what in TREATMENTS)
            raise ArgumentError(
                f"{table.where[values.index(None)]}: {name}",
                f"must not be empty ({common} keeps the cases that all "
                f"entities met, {own} leaves each entity on its own cases, {zero} counts a missing answer as 0, or "
                "wrong)",
            )
    return columns


def _refuse_codes(table: Table, names: list[Any], columns: Columns) -> None:
    """Ask what a number means that may stand for a missing answer, such as -1 beside 0 and 1 or 999 beside grades."""
    values = {v for held in columns.values() for v in distinct_fields(held) if isinstance(v, float)}
    code = missing_code(values)
    if code is None or table.trial:
        return
    name = next(name for name, held in columns.items() if code in held)
    rest = [f"{value:g}" for value in sorted(values - {code})]
    beside = " and ".join(rest) if len(rest) == 2 else f"values from {rest[0]} to {rest[-1]}"
    grade = table.option("outcome", name) if len(names) == 1 else table.option("entities", names)
    raise ArgumentError(
        f"{table.where[columns[name].index(code)]}: {name}",
        f"must say what {code:g} means beside {beside}",
        f"{code:g}",
        f"leave the field empty if there is no answer; {grade} says that {code:g} is an ordinary outcome",
    )


def _read_predictions(
    table: Table, roles: Roles, actual: Any, names: list[Any], chosen: bool, may_lack: bool
) -> Columns:
    """Return the true labels and the predicted labels of each entity by column, of one type; None is missing."""
    labels, *columns = table.read_labels(actual, *names)
    for name, column in zip([actual, *names], [labels, *columns], strict=True):
        if None in column and (roles.truth is None if name == actual else not may_lack):
            hint = (
                f" ({table.option('missing', 'common')} keeps the cases that all entities met)"
                * (name != actual)
            )
            raise ArgumentError(
                f"{table.where[column.index(None)]}: {name}", f"must not be empty{hint}"
            )
    _refuse_last_labels(
        table, actual, names, dict(zip([actual, *names], [labels, *columns], strict=True))
    )
    if is_total_name(labels[-1]) and labels.count(labels[-1]) == 1:
        got = f"{labels[-1]!r} in {actual}"
        raise ArgumentError(
            f"{table.where[-1]}: a row", "must be a case, not a total", got, "leave that row out"
        )
    truth = set(labels) - {None}
    odd: dict[Any, str] = {}
    for name, column in zip(names, columns, strict=True):
        held = [label for label in column if label is not None]
        foreign = [label for label in held if label not in truth]
        probabilities = [v for v in foreign if isinstance(v, float) and 0 < v < 1]
        if probabilities and all(map(is_number, truth)):
            raise ArgumentError(
                f"{table.source}: {name}",
                "must contain labels, or all columns must contain probabilities of the positive class",
                f"{probabilities[0]:g}",
                f"{table.option('entities', names)} ranks all columns as probabilities; list those that are",
            )
        if len(foreign) == len(held) and held and len(truth) > 1:
            odd[name] = (
                f"got {held[0]!r}, which is none of the true labels {list_names(sorted(map(repr, truth)))}, in "
                f"{table.place(column.index(held[0]))}"
            )
        elif (
            not chosen
            and len(foreign) > len(held) / 2
            and len(set(map(repr, foreign))) > 1
            and len(truth) > 1
        ):
            odd[name] = f"most of its values, such as {foreign[0]!r}, are no true labels"
    if odd and (chosen or len(odd) == len(names)):
        first = next(iter(odd))
        raise ArgumentError(
            f"{table.source}: {first}",
            f"must use the labels of {actual}; {odd[first]} (rename its labels to those of {actual})",
        )
    if odd:
        _refuse_odd(table, roles, names, odd)
    return dict(zip([actual, *names], [labels, *columns], strict=True))


def _refuse_last_rows(
    table: Table,
    answers: Columns,
    written: Columns,
    at: Sequence[int],
    cases: list[Any] | None = None,
) -> None:
    """Raise an error if one of the last cases holds sums, means or standard deviations of all cases before it.

    It would count as a case. ``written`` holds the fields as they are in the table, ``at`` the row
    of each case, and ``cases`` their names.
    """
    rows = np.array(list(answers.values()), float).T  # NaN where an answer is missing
    for back in range(1, min(MOST_SUMMARIES, len(rows) - 3) + 1):
        every, last = rows[:-back], tuple(rows[-back].tolist())
        if np.isnan(last).any():
            continue
        name = None if cases is None else cases[-back]
        units = [unit_of(held[-back]) for held in written.values()]
        full = every[~np.isnan(every).any(axis=1)]
        if what := find_summary(full, last, units, name, True) or find_summary(
            every, last, units, name, True
        ):
            raise ArgumentError(
                f"{table.where[at[-back]]}: a row",
                f"must be a case; its values are the {what} of the rows above",
                f"{', '.join(str(held[-back]) for held in written.values())}",
                f"leave that row out{', and the rows below it' if back > 1 else ''}",
            )


def _refuse_last_labels(table: Table, actual: Any, names: list[Any], labels: Columns) -> None:
    """Raise an error if the last row of a table of labels holds the number or the share of right answers.

    A number in the column of the truth is one of them, too, in which all answers are right.
    """
    *truth, own = labels[actual]
    last = {name: to_number(str(labels[name][-1]).rstrip("%")) for name in [actual, *names]}
    full = [actual, *names] if last[actual] is not None else names
    equal = last[actual] is not None and len({last[name] for name in full}) == 1
    if len(truth) < 3 or equal or None in [last[name] for name in names]:
        return
    if own in truth or any(labels[name][-1] in truth for name in names):
        return
    right = {
        name: [float(a == b) for a, b in zip(labels[name][:-1], truth, strict=True)]
        for name in full
    }
    answers = {name: [*right[name], last[name]] for name in full}
    _refuse_last_rows(
        table, answers, {name: table.columns[name] for name in full}, range(len(table.where))
    )


def _read_role(table: Table, column: Any, role: str) -> list[Any]:
    """Return the values of a column that describes cases."""
    if role == "times":
        return table.read_counts(column)
    return table.read_numbers(column) if role == "weight" else table.read_names(column, role)


def _read_about(
    table: Table, known: Known, entities: list[Any] | None
) -> tuple[Columns, np.ndarray, list[_Key]]:
    """Return the columns that describe the cases, the case of each row, and the keys of the cases.

    No entity has a key twice.
    """
    record = {
        role: _read_role(table, known.of[role], role)
        for role in OF_CASES
        if role in known.of and role != "actual"
    }
    none = [""] * len(table.where)
    columns = [record.get(name, none) for name in _Key._fields]
    which = factorize_rows(*columns)
    first = np.unique(which, return_index=True)[1]
    keys = list(map(_Key, *(object_array(column)[first].tolist() for column in columns)))
    if "case" not in record:
        return record, which, keys
    rows = which if entities is None else factorize_rows(entities, which)
    if rows.max(initial=-1) + 1 < len(rows):
        i = int(np.argmax(pd.Series(rows).duplicated()))
        before = int(np.argmax(rows == rows[i]))
        must, of = (
            ("name each case once for each entity", f" of {entities[i]!r}")
            if entities
            else ("name each case once", "")
        )
        hint = _says_which_run(table, known, rows.tolist())
        raise ArgumentError(
            f"{table.where[i]}: case",
            f"must {must}",
            f"{keys[which[i]]}{of} in {table.place(before)} as well",
            hint,
        )
    return record, which, keys


def _says_which_run(table: Table, known: Known, rows: list[int]) -> str:
    """Return what to type if a free column distinguishes rows with the same number; empty if none does."""
    for name in known.free(table):
        if (
            squeeze(name) in REPEATS
            and find_repeat(zip(rows, table.columns[name], strict=True)) is None
        ):
            text = [table.option(role, name) for role in ("run", "training_seed")]
            return f"{text[0]} says that rows are runs of one fitted model, {text[1]} that models were retrained"
    for name in known.free(table):
        if (
            squeeze(name) in VOTERS
            and find_repeat(zip(rows, table.columns[name], strict=True)) is None
        ):
            return f"{table.option('run', name)} says that a case has several grades, whose mean counts"
    if "dataset" in known.of:
        return ""
    names = [name for name in known.free(table) if not holds_outcomes(table.columns[name])]
    for size in (1, 2):
        for chosen in combinations(names, size):
            held = [table.columns[name] for name in chosen]
            if find_repeat(zip(rows, *held, strict=True)) is None:
                typed = table.option("dataset", list(chosen) if size > 1 else chosen[0])
                return f"{typed} says that rows are of several data sets"
    return ""


def read_cases(table: Table, known: Known, form: tuple[str, ...], roles: Roles) -> xr.Dataset:
    """Read a table with one row for each entity and case; without ``missing``, all entities need all cases."""
    entities = table.read_names(known.of["entity"], "entity")
    last = known.of[form[-1]]
    record, of_case, keys = _read_about(table, known, entities)
    if form[-1] == "outcome":
        table.refuse(roles, "positive", NO_CLASSES)
        answers = _read_outcomes(table, roles, [last], True, roles.missing is not None)[last]
    else:
        labels = _read_predictions(
            table, roles, known.of["actual"], [last], True, roles.missing is not None
        )
        record["actual"], answers = labels[known.of["actual"]], labels[last]
        table.refuse(
            roles,
            "cost",
            "for predicted labels; it goes with outcomes, such as 1 for right and 0 for wrong",
        )
    of_entity, names = factorize(entities)
    first = np.unique(of_case, return_index=True)[1]
    for name, column in record.items():
        held = factorize(column)[0]
        if (unlike := held != held[first][of_case]).any():
            i = int(np.argmax(unlike))
            raise ArgumentError(
                f"{table.where[i]}: {name}",
                f"must be the same for all entities on case {keys[of_case[i]]}",
                f"{column[i]!r} after {column[first[of_case[i]]]!r}",
            )
    rows = np.full((len(names), len(keys)), -1)
    rows[of_entity, of_case] = np.arange(len(of_case))
    # An entity that was never trained with a seed lacks no row of it.
    seeds = factorize([key.training_seed for key in keys])[0]
    trained = np.zeros((len(names), seeds.max() + 1), bool)
    trained[of_entity, seeds[of_case]] = True
    if (lacking := (rows < 0) & trained[:, seeds]).any() and roles.missing is None:
        i, j = np.argwhere(lacking)[0]
        where = f" of dataset {keys[j].dataset!r}" if "dataset" in record else ""
        raise ArgumentError(
            table.source,
            "must have a row for every entity on every case",
            f"none for entity {names[i]!r} on case {keys[j]}{where}",
            f"{table.options('missing', TREATMENTS)} says how to treat them",
        )

    def spread(values: list[Any]) -> Columns:
        """Return a column for each entity, None where it has no row."""
        held = object_array([*values, None])[rows]
        return dict(zip(names, held.tolist(), strict=True))

    if "actual" not in record:
        names_of_cases = [record["case"][i] for i in first] if "case" in record else None
        _refuse_last_rows(
            table, spread(answers), spread(table.columns[last]), first.tolist(), names_of_cases
        )
    met = [held is not None for held in answers]
    none = [""] * len(entities)
    made = pd.DataFrame(
        {
            "entity": entities,
            "dataset": record.get("dataset", none),
            "case": record.get("case", none),
        }
    )
    made["outcome"] = np.where(met, 0, np.nan)
    made["status"] = _status_of(table, known, met)
    columns, filled = spread(answers), 0
    value, runs = roles.missing, "run" in record and "training_seed" not in record
    if runs and is_number(value):
        columns, filled = _fill_runs(
            spread([value if held is None else held for held in answers]), keys, value
        )
        filled += answers.count(None)
        roles = replace(roles, missing="own")
    cost = None
    if "cost" in known.of:
        paid = _read_outcomes(table, roles, [known.of["cost"]], True, True)[known.of["cost"]]
        cost = pd.DataFrame(spread(paid), dtype=float)
    record = {name: [column[i] for i in first] for name, column in record.items()}
    joint = _join(table, columns, record, known, roles, cost)
    ledger = add_runs(ledger_of(joint), made)
    if filled:
        notes = add_notes(
            joint.attrs, [Note("missing_runs_counted", {"value": value, "runs": filled})]
        )
        joint = joint.assign_attrs(notes, missing=f"{value:g}")
        ledger = replace(ledger, missing=f"{value:g}")
    return joint.assign_attrs(ledger.to_attrs())


def _status_of(table: Table, known: Known, met: list[bool]) -> list[str]:
    """Return what came of each run: the table's status, or else whether it has an outcome."""
    given = [None] * len(met) if "status" not in known.of else table.columns[known.of["status"]]
    return [
        str(status).strip() if not is_missing(status) else SCORED if scored else NO_OUTCOME
        for status, scored in zip(given, met, strict=True)
    ]


def _fill_runs(columns: Columns, keys: list[_Key], value: Any) -> tuple[Columns, int]:
    """Give each entity the value on the cases that it never met, once a run; return also the number of such cases.

    A run that was never made is not missing if the entity has other runs of the case.
    """
    cases = [(key.dataset, key.case) for key in keys]
    result, filled = {}, 0
    for name, column in columns.items():
        met = {case for case, held in zip(cases, column, strict=True) if held is not None}
        result[name] = [
            held if case in met else value for case, held in zip(cases, column, strict=True)
        ]
        filled += len(set(cases) - met)
    return result, filled


def _join(
    table: Table,
    answers: Columns,
    about: Columns,
    known: Known,
    roles: Roles,
    cost: pd.DataFrame | None = None,
) -> xr.Dataset:
    """Return joint outcomes from the entities' answers and the description of the cases."""
    actual = about.get("actual")
    if (
        actual is None
        and len(table.where) == 1
        and set().union(*answers.values()) - {0.0, 1.0, None}
    ):
        raise ArgumentError(
            table.source,
            "must have at least two cases: one case does not show how uncertain a mean is",
            "one row",
        )
    for role in ("run", "training_seed"):
        if role in about and ("case" not in about or actual is not None):
            means = "runs" if role == "run" else "training seeds"
            beside = f"beside actual: labels have no mean over {means}, as outcomes (1 for right, 0 for wrong) have"
            where = "without a column case" if actual is None else beside
            raise ArgumentError(table.source, f"must not have a column {known.of[role]} {where}")
    groups: dict[str, Any] = {name: about.get(name) for name in ("dataset", "cluster", "weight")}
    groups["count"] = about.get("times")
    notes = list(known.notes)
    if actual is None:
        frame = pd.DataFrame(answers, dtype=float)
        if {"run", "training_seed"} & set(about):
            # Names of cases are unique within a data set.
            case = about["case"]
            if "dataset" in about:
                case = [
                    f"{name!r} of {home!r}"
                    for name, home in zip(case, about["dataset"], strict=True)
                ]
            groups |= {"case": case}
            for role in ("run", "training_seed"):
                groups[role] = (
                    pd.Series(about[role], name=known.of[role]) if role in about else None
                )
        named = "entity" in known.of or roles.entities is not None
        joint = count_outcomes(frame, groups, missing=roles.missing, cost=cost, named=named)
        notes += _note_runs(joint, frame, groups)
    else:
        labels = set(actual).union(*answers.values()) - {None}
        notes += note_never_true(labels, actual)
        if len(labels) < 2:
            raise ArgumentError(
                table.source,
                "must contain at least two labels, true or predicted",
                f"only {actual[0]!r}",
            )
        dtype = table.categories.get(known.of["actual"])
        truth = actual if dtype is None else pd.Categorical(actual, dtype=dtype)
        joint = joint_outcomes(
            truth, answers, positive=roles.positive, **groups, missing=roles.missing
        )
        if len(labels) == 2 and "positive" not in joint.coords and standing_pair(labels) is None:
            notes.append(note_unknown_positive(table, labels))
    return joint.assign_attrs(add_notes(joint.attrs, [*notes, *_note_shared_names(about)]))


def note_never_true(labels: Iterable[Any], actual: Iterable[Any]) -> list[Note]:
    """Note labels that are predicted but never true, if there are more than two labels."""
    labels = set(labels)
    never = sorted(map(str, labels - set(actual)))
    return [Note("labels_never_true", {"labels": never})] if never and len(labels) > 2 else []


def note_unknown_positive(table: Table, labels: Iterable[Any]) -> Note:
    """Note that the positive one of two classes is unknown, and what to type."""
    both = sorted(map(str, labels))
    return Note(
        "positive_class_unknown", {"labels": both, "options": table.options("positive", both)}
    )


def _note_shared_names(about: Columns) -> list[Note]:
    """Note names of cases that occur in several data sets: different cases, unless folds overlap."""
    if not {"case", "dataset"} <= set(about):
        return []
    times = Counter(case for case, _ in set(zip(about["case"], about["dataset"], strict=True)))
    shared = sum(number > 1 for number in times.values())
    return [Note("case_names_shared", {"cases": shared, "if_pooled": True})] if shared else []


def _note_runs(joint: xr.Dataset, frame: pd.DataFrame, groups: dict[str, Any]) -> list[Note]:
    """Note that runs are not additional cases, and whether more runs would help."""
    if (EvidenceRecord.of(joint).most_runs or 1) == 1 or "seed_mean" in joint:
        return []
    notes = [Note("outcomes_are_means_over_runs", {"runs": runs_of(EvidenceRecord.of(joint))})]
    case, cluster = groups["case"], groups["cluster"]
    if not frame.isna().any(axis=None) and len(set(case)) > 1 and len(set(cluster or case)) > 1:
        advice = variance_components(frame, case=case, cluster=cluster).attrs["advice"]
        notes.append(Note("runs_or_cases_would_help", {"advice": advice}))
    return notes
