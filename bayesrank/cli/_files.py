"""What a file holds, told by the columns of its heading alone: counts, or single cases; none of it is guessed."""

import textwrap
from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd
import xarray as xr

import bayesrank as br
from bayesrank import _text
from bayesrank._checks import nested
from bayesrank.cli._table import Table, as_count, as_labels, as_outcome, read_table, to_number

COUNTS = {
    ("tn", "fp", "fn", "tp"): "a confusion matrix",
    ("actual", "predicted", "count"): "a cell of one; of two labels the last in sorted order is the positive one",
    ("correct", "wrong"): "how many cases were right and wrong",
    ("outcome", "count"): "how many cases had an outcome, which is a number or text",
}
CASES = {
    ("case", "outcome"): "the outcome of a case",
    ("case", "actual", "predicted"): "the true and the predicted label of a case",
}
FORMS = (*COUNTS, *CASES)
#: What else the column entity is called; only beside the columns of counts or cases, where it can be nothing else.
ENTITY = ("model", "classifier", "system", "detector", "algorithm", "method")
NUMBERS = ("tn", "fp", "fn", "tp", "count", "correct", "wrong")
#: Columns of a file of single cases that are no entities.
OF_CASES = ("case", "run", "dataset", "cluster", "weight", "actual")
#: Columns that a file of counts has, or one that names its entities.
MARKS = {name for form in FORMS for name in form} - set(OF_CASES)
#: What is hardly the name of an entity: numbers in such a column would be ranked in silence.
HARDLY = {
    *("id", "index", "item", "question", "task", "fold", "group", "patient", "subject", "seed", "split", "label"),
    *("target", "truth", "y"),
}

#: Columns and what they say, in lines of a terminal.
HELP = "\n".join(
    textwrap.fill(words, 80, initial_indent=f"  {'entity, ' + ', '.join(form):34}", subsequent_indent=" " * 36)
    for form, words in (COUNTS | CASES).items()
)


def read_evidence(
    path: str, cluster: str | None = None, ignore: Sequence[str] = (), missing: str | float | None = None
) -> xr.DataArray | xr.Dataset:
    """Counts from a file of counts, joint outcomes from one of single cases, where answers may be ``missing``.

    What a reader should know of how the cases were read is in ``attrs["remarks"]``, and if data sets are pooled in
    ``attrs["remarks_pooled"]``, one a line.
    """
    table = _with_entity(read_table(path, cluster, ignore))
    wide = "entity" not in table.names and not MARKS & set(table.names)
    form = None if wide else _form(table)
    known = OF_CASES if form is None else ("entity", *form, *OF_CASES)
    twice = [name for name in known if table.names.count(name) > 1]
    if twice:
        raise ValueError(f"{path} must have each column once; its heading has {twice[0]} more than once")
    if form is None:
        return _wide(table, missing)
    if form in CASES:
        return _long(table, form, missing)
    if cluster is not None:
        raise ValueError(f"--cluster must be left out for counts, which do not tell single cases; got {cluster!r}")
    if missing is not None:
        raise ValueError(f"--missing must be left out for counts, which do not tell single cases; got {missing!r}")
    return _counts(table, form)


def _with_entity(table: Table) -> Table:
    """The table with a column entity, if one that is called otherwise can be nothing else."""
    others = [name for name in table.names if name in ENTITY]
    if "entity" in table.names or not others or not any(set(form) <= set(table.names) for form in FORMS):
        return table
    if len(others) > 1:
        raise ValueError(
            f"{table.path} must have one column that names the entities; its heading has {' and '.join(others)} "
            "(--ignore COLUMN leaves one out)"
        )
    return table._replace(names=["entity" if name == others[0] else name for name in table.names])


def _form(table: Table) -> tuple[str, ...]:
    """The columns, beside entity, that tell what a row is."""
    held = set(table.names)
    whole = [form for form in FORMS if set(form) <= held]
    if len(whole) > 1:
        both = " and of ".join(", ".join(form) for form in whole)
        raise ValueError(
            f"{table.path} must have the columns of one kind of file; its heading has those of {both} (--ignore COLUMN "
            "leaves one out)"
        )
    form = whole[0] if whole else max(FORMS, key=lambda form: len(set(form) & held) / len(form))
    missing = [name for name in ("entity", *form) if name not in held]
    if missing:
        others = "; or ".join(", ".join(other) for other in FORMS if other != form)
        raise ValueError(
            f"{table.path} must have the columns entity, {', '.join(form)} (or, beside entity, {others}; or no entity "
            f"and none of these, but one column for each entity); its heading is {', '.join(table.typed)}, without "
            f"{', '.join(missing)}"
        )
    return form


def _counts(table: Table, form: tuple[str, ...]) -> xr.DataArray:
    columns = {name: table.column(name, as_count if name in NUMBERS else None) for name in ("entity", *form)}
    if "dataset" in table.names:
        columns["dataset"] = table.column("dataset")
    if "actual" in form:
        columns |= dict(zip(("actual", "predicted"), as_labels(columns["actual"], columns["predicted"]), strict=True))
    if "outcome" in form:
        numbers = [to_number(text) for text in columns["outcome"]]
        columns["outcome"] = columns["outcome"] if None in numbers else numbers
    return br.from_frame(pd.DataFrame(columns), dataset="dataset" if "dataset" in columns else None)


def _wide(table: Table, missing: Any) -> xr.Dataset:
    """One row a case, one column an entity."""
    entities = [i for i, name in enumerate(table.names) if name not in OF_CASES]
    typed = [table.typed[i] for i in entities]
    for name in typed:
        if not name or to_number(name) is not None:
            raise ValueError(
                f"{table.path} must have a heading that names its columns, those of counts, or one for each "
                f"entity (see 'bayesrank rank --help'); it has {name or 'nothing'!r} for a name"
            )
        if name.lower() in HARDLY:
            raise ValueError(
                f"{table.path} must have one column for each entity, and {name!r} is hardly one: --cluster {name} says "
                f"that it names clusters of cases, --ignore {name} leaves it out"
            )
        if typed.count(name) > 1:
            raise ValueError(f"{table.path} must have each column once; its heading has {name} more than once")
    if not entities:
        raise ValueError(f"{table.path} must have a column for each entity; its heading is {', '.join(table.typed)}")
    _check_cases(table)
    read = None if "actual" in table.names else as_outcome
    # By position: names that differ in case are two.
    plain = table._replace(names=[str(i) for i in range(len(table.names))])
    answers = {table.typed[i]: plain.column(str(i), read, missing is not None) for i in entities}
    return _joint(table.path, answers, _of_cases(table), missing)


def _check_cases(table: Table) -> None:
    """Raise if a case, or a run of one, occurs twice."""
    if "case" not in table.names:
        return
    seen = set()
    for i, key in enumerate(_keys(table)):
        if key in seen:
            raise ValueError(f"{table.at(i)}: case must name each case once; got {_called(key)} again")
        seen.add(key)


class _Key(NamedTuple):
    """What names a row of a file of cases; names of cases belong to their data set."""

    dataset: str
    case: str
    run: str


def _keys(table: Table) -> list[_Key]:
    none = [""] * len(table.rows)
    columns = (table.column(name) if name in table.names else none for name in _Key._fields)
    return [_Key(*key) for key in zip(*columns, strict=True)]


def _called(key: _Key) -> str:
    return repr(key.case) + (f" (run {key.run!r})" if key.run else "")


def _long(table: Table, form: tuple[str, ...], missing: Any) -> xr.Dataset:
    """One row an entity and a case; every entity must have met every case."""
    last = form[-1]
    entities, answers = (
        table.column("entity"),
        table.column(last, as_outcome if last == "outcome" else None, missing is not None),
    )
    about = _of_cases(table)
    if "actual" not in form:
        about.pop("actual", None)
    cases = _keys(table)
    first: dict[_Key, int] = {}
    held: dict[str, dict[_Key, Any]] = {}
    for i, (entity, case) in enumerate(zip(entities, cases, strict=True)):
        of = held.setdefault(entity, {})
        if case in of:
            raise ValueError(
                f"{table.at(i)}: case must be told once for each entity; got {_called(case)} of {entity!r}"
            )
        of[case] = answers[i]
        same = first.setdefault(case, i)
        for name, column in about.items():
            if column[same] != column[i]:
                raise ValueError(
                    f"{table.at(i)}: {name} must be the same for all entities on case {_called(case)}; got "
                    f"{column[i]!r} after {column[same]!r}"
                )
    for entity, of in held.items():
        lacking = next((case for case in first if case not in of), None)
        if lacking is not None and missing is None:
            where = f" of dataset {lacking.dataset!r}" if "dataset" in about else ""
            raise ValueError(
                f"{table.path} must have a row for every entity on every case; got none for entity {entity!r} on case "
                f"{_called(lacking)}{where} (--missing says what to do about it)"
            )
    wide = {entity: [of.get(case) for case in first] for entity, of in held.items()}
    known = {name: [column[i] for i in first.values()] for name, column in about.items()}
    return _joint(table.path, wide, known, missing)


def _of_cases(table: Table) -> dict[str, list]:
    """What the file tells of its cases."""
    given = [name for name in OF_CASES if name in table.names]
    return {name: table.column(name, as_count if name == "weight" else None) for name in given}


def _joint(path: str, answers: dict[str, list], about: dict[str, list], missing: Any) -> xr.Dataset:
    """Joint outcomes of cases: what each entity answered, and what is known of the cases."""
    if "run" in about and ("case" not in about or "actual" in about):
        what = "actual: labels have no mean over runs, as outcomes (1 for right, 0 for wrong) have"
        raise ValueError(
            f"{path} must not have a column run {'beside ' + what if 'actual' in about else 'without a column case'}"
        )
    if {"cluster", "dataset"} <= set(about):
        nested(about["cluster"], about["dataset"])
    groups: dict[str, Any] = {name: about.get(name) for name in ("dataset", "cluster", "weight")}
    remarks = []
    if "actual" not in about:
        frame = pd.DataFrame(answers, dtype=float)
        if "run" in about:
            # Names of cases belong to their data set.
            case = list(map(repr, zip(about.get("dataset", about["case"]), about["case"], strict=True)))
            groups |= {"case": case, "run": about["run"]}
            remarks = _of_runs(frame, case, about)
        joint = br.from_outcomes(frame, **groups, missing=missing)
    else:
        actual, *predicted = as_labels(about["actual"], *answers.values())
        labels = set(actual).union(*predicted) - {None}
        if len(labels) < 2:
            raise ValueError(f"{path} must hold two labels or more, true or predicted; got only {about['actual'][0]!r}")
        joint = br.joint_outcomes(actual, dict(zip(answers, predicted, strict=True)), **groups, missing=missing)
    said = {"remarks": "\n".join(remarks), "remarks_pooled": "\n".join(_same_names(about))}
    return joint.assign_attrs({name: held for name, held in said.items() if held})


def _same_names(about: dict[str, list]) -> list[str]:
    """Names of cases that several data sets have: cases of their own, if they are no overlapping folds."""
    if not {"case", "dataset"} <= set(about):
        return []
    home: dict[str, set] = {}
    for case, dataset in zip(about["case"], about["dataset"], strict=True):
        home.setdefault(case, set()).add(dataset)
    shared = sum(len(where) > 1 for where in home.values())
    said = (
        f"Several data sets have cases of the same name ({shared}), taken as different cases: were they the same ones, "
        "as in overlapping folds, pooling would count them twice."
    )
    return [said] * (shared > 0)


def _of_runs(frame: pd.DataFrame, case: list, about: dict[str, list]) -> list[str]:
    """That runs are no more cases, and whether more of them would help."""
    times = pd.Series(case).value_counts()
    many = (
        _text.count(int(times.max()), "run") if times.min() == times.max() else f"{times.min()} to {times.max()} runs"
    )
    said = [f"The outcome of a case is its mean over {many}."]
    known = not frame.isna().any(axis=None) and len(times) > 1 and len(set(about.get("cluster", case))) > 1
    if known and times.max() > 1:
        said.append(br.variance_components(frame, case=case, cluster=about.get("cluster")).attrs["advice"])
    return said
