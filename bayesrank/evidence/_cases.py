"""Joint outcomes from tables of single cases: a row for each entity and case, or a column for each entity."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank import _text
from bayesrank._checks import is_number
from bayesrank._labels import standing_pair
from bayesrank.evidence._columns import CELLS, TOTALS, is_metadata_name, odd_columns, role_of, squeeze
from bayesrank.evidence._fields import (
    as_floats,
    check_exact,
    join_with_or,
    list_names,
    read_count_column,
    read_full_labels,
    read_names,
    refuse_positive,
    say_never_true,
    say_unknown_positive,
)  # fmt: skip
from bayesrank.evidence._forms import Known, refuse_without_entity
from bayesrank.evidence._table import Roles, Table
from bayesrank.evidence._values import as_outcome_columns, count_hint, is_missing, plain, to_number
from bayesrank.evidence.components import variance_components
from bayesrank.evidence.outcomes import from_outcomes
from bayesrank.evidence.predictions import joint_outcomes

__all__ = ["read_answers", "read_cases", "with_remarks"]

#: Roles of columns that describe cases, in all forms.
OF_CASES = ("case", "run", "dataset", "cluster", "weight", "actual")


class _Key(NamedTuple):
    """The key of a row in a table of cases; names of cases are unique within a data set."""

    dataset: Any
    case: Any
    run: Any


def read_answers(table: Table, known: Known, roles: Roles) -> xr.Dataset:
    """Read a table with one row for each case and one column for each entity."""
    if roles.entity is not None:
        raise ValueError(
            f"{table.argument('entity')} must be left out of a table with one column an entity; got {roles.entity!r}"
        )
    if roles.cost is not None:
        raise ValueError(
            f"{table.argument('cost')} must be left out of a table with one column an entity, which does not say what "
            f"each answer cost; write a row for each entity and case; got {roles.cost!r}"
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
            refuse_without_entity(table, known, ("outcome",))
        # If all columns are costs, each may name its entity, as in "gpt cost" and "llama cost".
        if listed and (len(listed) < len(names) or len(names) == 1):
            _refuse_odd(table, names, dict.fromkeys(listed, "named like an id, a group or a cost"))
    known = known._replace(of=of)
    titles = [plain(name) for name in names]
    if (twice := next((title for title in titles if titles.count(title) > 1), None)) is not None:
        raise ValueError(
            f"{table.source} must have each column once; got {twice!r} more than once (rename one of them)"
        )
    _check_case_names(table, known)
    if len(names) == 1 and str(names[0]).startswith("#"):
        raise ValueError(f"{table.source} must start with its heading; got the comment {names[0]!r} (leave it out)")
    if "actual" in of:
        answers = _read_predictions(table, of, names, chosen, roles)
    else:
        refuse_positive(table, roles)
        answers = _outcomes(table, names, chosen, roles.missing is not None)
        if "case" not in of:
            _check_last_row(table, answers)
    answers = {plain(name): held for name, held in answers.items()}
    return _joint(table, answers, _of_cases(table, known), known, roles)


def _chosen(table: Table, roles: Roles, of: dict[str, Any]) -> list[Any]:
    """Return the columns that the user names as entities."""
    if isinstance(roles.entities, str) or not isinstance(roles.entities, Sequence):
        raise TypeError(f"entities must be a list of columns; got {roles.entities!r}")
    names = [table.find("entities", wanted) for wanted in roles.entities]
    twice = next((name for name in names if names.count(name) > 1 or name in of.values()), None)
    if twice is not None:
        raise ValueError(f"{table.argument('entities')} must name columns for nothing else, each once; got {twice!r}")
    return names


def _refuse_odd(table: Table, names: list[Any], odd: dict[Any, str]) -> None:
    """Raise an error for columns that are probably not entities, and say what to type."""
    first = next(iter(odd))
    rest = [name for name in names if name not in odd]
    others = [name for name in odd if name != first]
    also = f" ({list_names(others)}, too)" if others else ""
    distinct = len(set(map(repr, table.column(first)))) == len(table.where)
    does = "case" if distinct else "cluster"
    says = "names the cases" if distinct else "names clusters of cases"
    keep = f"; {table.option('entities', rest)} ranks these alone" if rest else ""
    raise ValueError(
        f"{table.source} must have one column for each entity, and {first!r} is probably none: {odd[first]}{also}. "
        f"{table.option(does, first)} says that it {says}{keep}; {table.without(first)} leaves it out"
        + ("; as the true label it is called actual" if squeeze(first) in ("label", "target", "y", "class") else "")
    )


def _refuse_matrices(table: Table, names: list[Any]) -> None:
    """Raise an error for a confusion matrix with its labels, and for a table whose rows are cells."""
    first = table.names[0]
    rows = [value for value in table.column(first) if isinstance(value, str)]
    if rows and {role_of(row) for row in rows} >= set(CELLS):
        raise ValueError(
            f"{table.source} must have one row an entity and the columns entity, tn, fp, fn, tp; its rows are "
            f"{list_names(rows, 4)} (turn rows and columns)"
        )
    others = [str(name) for name in table.names[1:]]
    if len(rows) > 1 and sorted(rows) == sorted(others):
        raise ValueError(
            f"{table.source} must not be a confusion matrix with labels on both sides, which does not say whether its "
            "rows are the actual or the predicted classes: write entity, actual, predicted, count with one row a cell, "
            'or use br.from_matrix(frame, "actual_rows")'
        )


def _outcomes(table: Table, names: list[Any], chosen: bool, may_lack: bool) -> dict[Any, list[Any]]:
    """Return the outcomes of each entity as numbers, None if missing."""
    columns = dict(zip(names, as_outcome_columns([table.column(name) for name in names]), strict=True))
    odd: dict[Any, str] = {}
    for name, values in columns.items():
        texts = [(i, value) for i, value in enumerate(values) if value is not None and not isinstance(value, float)]
        if not texts:
            continue
        i, value = texts[0]
        bad = len(texts) <= sum(isinstance(value, float) for value in values)
        hint = count_hint(value) if isinstance(value, str) else ""
        if bad or chosen or (len(names) == 1 and len(texts) < len(values)):
            words = hint.split(":")[0] if "%" in str(value) or "±" in str(value) else ""
            raise ValueError(
                f"{table.where[i]}: {name} must be an outcome, a number such as 1 for right and 0 for wrong; got "
                f"{value!r}{f', {words}' if words else ''}"
            )
        odd[name] = f"got {value!r}, which is no outcome, in {table.where[i].removeprefix(table.source + ', ')}"
    if odd and len(odd) == len(names):
        _refuse_all_text(table, names, odd)
    if odd:
        # A text may be the name of a case, or a predicted label without a column of true labels.
        _refuse_odd(table, names, odd)
    if not chosen:
        found = odd_columns({name: as_floats(values) for name, values in columns.items()})
        if found:
            _refuse_odd(table, names, found)
    for name, values in columns.items():
        held = table.column(name)
        check_exact([int(value) for value in held if isinstance(value, int) or str(value).isdecimal()])
        lacking = [i for i, value in enumerate(values) if value is None]
        if lacking and not may_lack:
            raise ValueError(_lacking(table, name, lacking[0]))
    return columns


def _refuse_all_text(table: Table, names: list[Any], odd: dict[Any, str]) -> None:
    """Raise an error for a table without any column of outcomes."""
    first = names[0]
    value = next(value for value in table.column(first) if not is_missing(value))
    if len(table.names) == 1:
        raise ValueError(
            f"{table.source} must have columns with commas, semicolons, tabs or bars between them, or hold outcomes; "
            f"its one column {first} has {value!r}"
        )
    raise ValueError(
        f"{table.source}: {first} must be an outcome, a number such as 1 for right and 0 for wrong; got {value!r}"
        f"{f', {hint}' if (hint := count_hint(value) if isinstance(value, str) else '') else ''}. Predicted labels "
        "need a column actual with the true ones; counts need the columns entity, tn, fp, fn, tp or entity, correct, "
        "wrong"
    )


def _lacking(table: Table, name: Any, i: int) -> str:
    how = [table.option("missing", what) for what in ("common", "own", 0)]
    return (
        f"{table.where[i]}: {name} must not be empty ({how[0]} keeps the cases that all entities met, {how[1]} leaves "
        f"each entity on its own cases, {how[2]} counts a missing answer as 0, or wrong)"
    )


def _read_predictions(
    table: Table, of: dict[str, Any], names: list[Any], chosen: bool, roles: Roles
) -> dict[Any, list[Any]]:
    """Return the labels that each entity predicted, with the type of the true labels; None if missing."""
    raw = read_full_labels(table, [of["actual"], *names], [True] + [roles.missing is not None] * len(names))
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
                f"{table.source}: {name} must hold labels, not probabilities; got {probabilities[0]:g} (set a "
                "threshold)"
            )
        if len(foreign) == len(held) and held and len(truth) > 1:
            i = next(i for i, label in enumerate(columns[name]) if label is not None)
            odd[name] = (
                f"got {held[0]!r}, which is none of the true labels {list_names(sorted(map(repr, truth)))}, in "
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


def _check_last_row(table: Table, answers: dict[Any, list[Any]]) -> None:
    """Raise an error if the last row holds sums or means of the other rows, since it would count as a case."""
    *above, last = zip(*answers.values(), strict=True)
    known = {value for row in above for value in row}
    if len(above) < (3 if len(last) > 1 else 5) or None in last or set(last) <= known:
        return
    columns = np.array(above, float)
    for what, values in (("sums", columns.sum(0)), ("means", columns.mean(0))):
        if np.isclose(values, np.array(last, float), rtol=1e-4, atol=0).all():
            raise ValueError(
                f"{table.where[-1]}: a row must be a case; its values are the {what} of the rows above (leave that row "
                "out, or name the rows in a column case if it is a case)"
            )


def _check_case_names(table: Table, known: Known) -> None:
    """Raise an error if a case, or a run of a case, occurs twice."""
    if "case" not in known.of:
        return
    _refuse_total(table, known)
    first: dict[_Key, int] = {}
    for i, key in enumerate(_keys(table, known)):
        if key in first:
            free = [name for name in table.names if squeeze(name) in ("seed", "repeat", "repetition", "epoch", "trial")]
            hint = f"; {table.option('run', free[0])} says which run a row is" if free and "run" not in known.of else ""
            before = table.where[first[key]].removeprefix(table.source + ", ")
            raise ValueError(
                f"{table.where[i]}: case must name each case once; got {_describe_key(key)} again, after {before}{hint}"
            )
        first[key] = i


def _refuse_total(table: Table, known: Known) -> None:
    """Raise an error if one of several cases has the name of a row of sums."""
    found = read_names(table, known.of["case"], "case")
    total = next((name for name in found if str(name).lower() in TOTALS), None)
    if total is not None and len(set(map(repr, found))) > 2:
        raise ValueError(
            f"{table.where[found.index(total)]}: case must name a case; got {total!r}, which sums up others (leave it "
            "out, or rename the case if it is one)"
        )


def _keys(table: Table, known: Known) -> list[_Key]:
    none = [""] * len(table.where)
    columns = [read_names(table, known.of[name], name) if name in known.of else none for name in _Key._fields]
    return [_Key(*key) for key in zip(*columns, strict=True)]


def _describe_key(key: _Key) -> str:
    return repr(key.case) + (f" (run {key.run!r})" if key.run != "" else "")


def _of_cases(table: Table, known: Known) -> dict[str, list[Any]]:
    """Return the columns that describe the cases."""
    found: dict[str, list[Any]] = {}
    for role in OF_CASES:
        if role not in known.of or role == "actual":
            continue
        name = known.of[role]
        found[role] = read_count_column(table, name, role) if role == "weight" else read_names(table, name, role)
    return found


def read_cases(table: Table, known: Known, form: tuple[str, ...], roles: Roles) -> xr.Dataset:
    """Read a table with one row for each entity and case; without ``missing``, all entities need all cases."""
    entities = read_names(table, known.of["entity"], "entity")
    may_lack, last = roles.missing is not None, known.of[form[-1]]
    about = _of_cases(table, known)
    if form[-1] == "outcome":
        refuse_positive(table, roles)
        answers = _outcomes(table, [last], True, may_lack)[last]
    else:
        actual, answers = read_full_labels(table, [known.of["actual"], last], [True, may_lack])
        about["actual"] = actual
        odd = [label for label in answers if label is not None and label not in set(actual)]
        if answers and len(odd) == sum(label is not None for label in answers):
            raise ValueError(
                f"{table.source}: {last} must hold labels as {known.of['actual']} has them; got {odd[0]!r}, which is "
                f"none of {list_names(sorted(map(repr, set(actual))))} (rename its labels to those of "
                f"{known.of['actual']})"
            )
    _refuse_total(table, known)
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
                f"{table.where[i]}: case must stand once for each entity; got {_describe_key(case)} of {entity!r} in "
                f"{before} as well{hint}"
            )
        of[case], lines[entity, case] = answers[i], i
        same = first.setdefault(case, i)
        for name, column in about.items():
            if column[same] != column[i]:
                raise ValueError(
                    f"{table.where[i]}: {name} must be the same for all entities on case {_describe_key(case)}; got "
                    f"{column[i]!r} after {column[same]!r}"
                )
    for entity, of in held.items():
        lacking = next((case for case in first if case not in of), None)
        if lacking is not None and not may_lack:
            where = f" of dataset {lacking.dataset!r}" if "dataset" in about else ""
            how = join_with_or([table.option("missing", what) for what in ("common", "own", 0)])
            raise ValueError(
                f"{table.source} must have a row for every entity on every case; got none for entity {entity!r} on "
                f"case {_describe_key(lacking)}{where} ({how} says what to do about it)"
            )
    wide: dict[Any, list[Any]] = {entity: [of.get(case) for case in first] for entity, of in held.items()}
    cost = None
    if "cost" in known.of:
        if form[-1] != "outcome":
            raise ValueError(
                f"{table.argument('cost')} must be left out of predicted labels; it goes with outcomes, such as 1 for "
                f"right and 0 for wrong; got {roles.cost!r}"
            )
        paid = _outcomes(table, [known.of["cost"]], True, True)[known.of["cost"]]
        places = {entity: [lines.get((entity, case)) for case in first] for entity in held}
        cost = pd.DataFrame({e: as_floats([None if i is None else paid[i] for i in at]) for e, at in places.items()})
    known_of = {name: [column[i] for i in first.values()] for name, column in about.items()}
    if "actual" in known_of:
        wide = {known.of["actual"]: known_of.pop("actual"), **wide}
    else:
        known.of.pop("actual", None)
    return _joint(table, wide, known_of, known, roles, cost)


def _joint(
    table: Table,
    answers: dict[Any, list[Any]],
    about: dict[str, list[Any]],
    known: Known,
    roles: Roles,
    cost: pd.DataFrame | None = None,
) -> xr.Dataset:
    """Return joint outcomes from the entities' answers and the description of the cases."""
    labelled = "actual" in known.of
    if "run" in about and ("case" not in about or labelled):
        what = "actual: labels have no mean over runs, as outcomes (1 for right, 0 for wrong) have"
        raise ValueError(
            f"{table.source} must not have a column run {'beside ' + what if labelled else 'without a column case'}"
        )
    groups: dict[str, Any] = {name: about.get(name) for name in ("dataset", "cluster", "weight")}
    remarks = list(known.remarks)
    if not labelled:
        frame = pd.DataFrame({name: as_floats(values) for name, values in answers.items()})
        if "run" in about:
            # Names of cases are unique within a data set.
            case = list(map(repr, zip(about.get("dataset", about["case"]), about["case"], strict=True)))
            groups |= {"case": case, "run": about["run"]}
            remarks += _of_runs(frame, case, about)
        joint = from_outcomes(frame, **groups, missing=roles.missing, cost=cost)
    else:
        actual, *predicted = answers.values()
        names = list(answers)[1:]
        labels = set(actual).union(*predicted) - {None}
        remarks += say_never_true(labels, actual)
        if len(labels) < 2:
            raise ValueError(f"{table.source} must hold two labels or more, true or predicted; got only {actual[0]!r}")
        dtype = table.categories.get(known.of["actual"])
        truth = actual if dtype is None else pd.Categorical(actual, dtype=dtype)
        guesses = dict(zip(names, predicted, strict=True))
        joint = joint_outcomes(truth, guesses, positive=roles.positive, **groups, missing=roles.missing)
        if len(labels) == 2 and "positive" not in joint.coords and standing_pair(labels) is None:
            remarks.append(say_unknown_positive(table, labels))
    return with_remarks(joint, remarks, _same_names(about))


def with_remarks(evidence: Any, remarks: list[str], pooled: Sequence[str] = ()) -> Any:
    said = {"remarks": "\n".join(remarks), "remarks_pooled": "\n".join(pooled)}
    return evidence.assign_attrs({name: held for name, held in said.items() if held})


def _same_names(about: dict[str, list[Any]]) -> list[str]:
    """Describe names of cases that occur in several data sets: different cases, unless folds overlap."""
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
    """State that runs are not additional cases, and whether more runs would help."""
    times = pd.Series(case).value_counts()
    if times.max() == 1:
        return []
    many = (
        _text.count(int(times.max()), "run") if times.min() == times.max() else f"{times.min()} to {times.max()} runs"
    )
    said = [f"The outcome of a case is its mean over {many}."]
    known = not frame.isna().any(axis=None) and len(times) > 1 and len(set(about.get("cluster", case))) > 1
    if known and times.max() > 1:
        said.append(variance_components(frame, case=case, cluster=about.get("cluster")).attrs["advice"])
    return said
