"""The versions that a gate compares: one table of them all, and which answers each of them lacks."""

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

import pandas as pd
import xarray as xr

from bayesrank._core.errors import ArgumentError
from bayesrank._core.inputs import STDIN
from bayesrank._core.labels import NO_ANSWER, standing_pair
from bayesrank._core.notes import Note, notes_text
from bayesrank._core.prose import list_names
from bayesrank.cli._logs import are_logs
from bayesrank.diagnosis import diagnose
from bayesrank.evidence.ledger import NO_OUTCOME, ledger_of
from bayesrank.io.logs import Choices
from bayesrank.io.tables.ballots import find_votes
from bayesrank.io.tables.case_columns import OF_CASES
from bayesrank.io.tables.columns import may_be_low, squeeze
from bayesrank.io.tables.files import read_csv
from bayesrank.io.tables.forms import find_entity, find_form
from bayesrank.io.tables.frames import read_table
from bayesrank.io.tables.named_roles import FORMS, name_roles
from bayesrank.io.tables.probabilities import hold_probabilities
from bayesrank.io.tables.roles import LONG_CASE_NAMES
from bayesrank.io.tables.selection import low_outcome, select
from bayesrank.io.tables.table import Roles, Table, table_of
from bayesrank.io.tables.values import as_label_columns, as_outcomes, to_number

#: Columns of logs that say nothing of the outcome.
SPARE = {"category", "cost", "seconds"}
#: The column of why there is no outcome, and the one with the groups of ``--by``.
STATUS, GROUP_OF = "status", "group of --by"
#: Why an answer is missing if its run is in no row, though other cases of the version have it.
NO_RUN = "runs not in the file"
#: What an answer is, by role.
ANSWERS = ("outcome", "predicted", "probability")


@dataclass(frozen=True)
class Lack:
    """The answers that a version lacks: on cases without a row, and in rows without an answer, by reason."""

    absent: int
    empty: dict[str, int]
    #: The number of answers that it would have.
    total: int

    @property
    def number(self) -> int:
        return self.absent + sum(self.empty.values())

    def describe(self) -> str:
        """Return how many answers are missing, and why."""
        why = {
            reason: n for reason, n in ({"not in the file": self.absent} | self.empty).items() if n
        }
        text = list_names([f"{n:,} {reason}" for reason, n in why.items()] if len(why) > 1 else why)
        return f"{self.number:,} of {self.total:,} ({text})"


@dataclass(frozen=True)
class Versions:
    """All versions in one table, whose headings are roles; ``roles`` says the rest."""

    table: Table
    roles: Roles
    baseline: str
    entities: list[str]
    #: Whether higher outcomes are better, if the files say so.
    higher_is_better: bool | None
    #: What the logs say of their files, among it the files that cannot be read.
    doubts: list[Note]
    ignored: list[str]

    @property
    def answer(self) -> str:
        """Return the role of the column with answers of single cases; empty for counts and means."""
        if "case" not in self.table.columns:
            return ""
        return next((role for role in ANSWERS if role in self.table.columns), "")

    def lacks(self) -> dict[str, Lack]:
        """Return what each version lacks, of those that lack an answer."""
        if not self.answer:
            return {}
        columns = self.table.columns
        status = columns.get(STATUS, [NO_OUTCOME] * len(self.table.where))
        met: dict[str, set[Any]] = {name: set() for name in self.entities}
        empty: dict[str, Counter[str]] = {name: Counter() for name in self.entities}
        rows: Counter[str] = Counter(columns["entity"])
        for name, _, runs in self._short_runs():
            empty[name][NO_RUN] += len(runs)
            rows[name] += len(runs)
        for name, case, lacking, why in zip(
            columns["entity"], columns["case"], self._empty(), status, strict=True
        ):
            met[name].add(case)
            if lacking:
                empty[name][str(why or NO_OUTCOME)] += 1
        cases = set().union(*met.values())
        lacks = {
            name: Lack(
                len(cases) - len(met[name]),
                dict(empty[name]),
                rows[name] + len(cases) - len(met[name]),
            )
            for name in self.entities
        }
        return {name: lack for name, lack in lacks.items() if lack.number}

    def unreadable(self) -> list[str]:
        """Return the files that cannot be read, with the reasons."""
        return [
            file
            for note in self.doubts
            if note.code == "unreadable_files"
            for file in note.fields["files"]
        ]

    def common(self) -> set[Any]:
        """Return the cases on which every version has an answer."""
        met: dict[str, set[Any]] = {name: set() for name in self.entities}
        columns = self.table.columns
        for name, case, lacking in zip(
            columns["entity"], columns["case"], self._empty(), strict=True
        ):
            if not lacking:
                met[name].add(case)
        if not (common := set.intersection(*met.values())):
            raise ArgumentError(
                "--missing", "cannot be common: no case has answers of all versions", "none"
            )
        return common

    def settle(self, missing: str | float | None, lower: bool) -> "Versions":
        """Return the versions with missing answers treated as ``missing`` says: "common", "wrong" or a number.

        ``lower`` is whether the user said that lower outcomes are better.
        """
        if not self.lacks():
            # Versions may have different numbers of runs.
            runs = replace(self.roles, missing="common")
            return (
                replace(self, roles=runs)
                if "run" in self.table.columns and self.answer == "outcome"
                else self
            )
        if missing is None:
            return self
        if self.answer == "outcome":
            made = self if missing == "common" else self._with_short_runs()
            return replace(made, roles=replace(self.roles, missing=self._outcome(missing, lower)))
        if missing == "common" and self.answer == "predicted":
            return replace(self, roles=replace(self.roles, missing="common"))
        if missing == "common":
            retained = self.common()
            return self._keep([case in retained for case in self.table.columns["case"]])
        if missing != "wrong":
            answers = "labels" if self.answer == "predicted" else "probabilities"
            raise ArgumentError(
                "--missing", f"must be wrong or common for predicted {answers}", f"{missing:g}"
            )
        return self._fill_wrong()

    def evidence(self) -> xr.DataArray | xr.Dataset:
        """Return the evidence on all versions, as the command reads a table of entities."""
        evidence = read_table(self.table.drop([STATUS, GROUP_OF]), self.roles)
        return evidence.assign_attrs(
            replace(ledger_of(evidence), ignored=tuple(self.ignored)).to_attrs()
        )

    def _empty(self) -> list[bool]:
        """Return which rows have no answer."""
        column = self.table.columns[self.answer]
        if self.answer == "outcome":
            return [value is None for value in as_outcomes(column)]
        if self.answer == "predicted":
            return [value is None for value in as_label_columns(column)[0]]
        return [value is None for value in as_outcomes(column)]

    def _short_runs(self) -> list[tuple[str, int, list[Any]]]:
        """Return the cases of which a version lacks runs: its name, a row, and these runs.

        A version with equally many runs of all its cases lacks none. Else it should have as many as
        the case with the most of all versions.
        """
        columns = self.table.columns
        if "run" not in columns:
            return []
        first: dict[tuple[str, Any], int] = {}
        runs: dict[tuple[str, Any], dict[Any, None]] = {}
        for row, (name, case, run) in enumerate(
            zip(*(columns[k] for k in ("entity", "case", "run")), strict=True)
        ):
            first.setdefault((name, case), row)
            runs.setdefault((name, case), {})[run] = None
        sizes = {
            own: {len(held) for (name, _), held in runs.items() if name == own}
            for own in self.entities
        }
        most, every = max(map(len, runs.values())), dict.fromkeys(columns["run"])
        return [
            (name, first[name, case], [run for run in every if run not in held][: most - len(held)])
            for (name, case), held in runs.items()
            if len(sizes[name]) > 1 and len(held) < most
        ]

    def _with_short_runs(self) -> "Versions":
        """Return the versions with a row without an outcome for each run that a version lacks."""
        columns, where = (
            {name: list(held) for name, held in self.table.columns.items()},
            list(self.table.where),
        )
        for _, row, lacking in self._short_runs():
            for run in lacking:
                changed = {"run": run, "outcome": None}
                for role, held in columns.items():
                    held.append(changed.get(role, held[row]))
                where.append(where[row])
        return replace(self, table=replace(self.table, columns=columns, where=where))

    def _keep(self, rows: list[bool]) -> "Versions":
        columns = {
            name: [value for value, here in zip(held, rows, strict=True) if here]
            for name, held in self.table.columns.items()
        }
        where = [position for position, here in zip(self.table.where, rows, strict=True) if here]
        return replace(self, table=replace(self.table, columns=columns, where=where))

    def _outcome(self, missing: str | float, lower: bool) -> str | float:
        """Return how outcomes that are missing are treated; wrong is 0 of outcomes from 0 to 1."""
        if missing != "wrong":
            return missing
        numbers = [
            value
            for value in as_outcomes(self.table.columns["outcome"])
            if isinstance(value, float)
        ]
        if lower or self.higher_is_better is False:
            raise ArgumentError(
                "--missing",
                "must be common or a number if lower outcomes are better",
                "wrong",
                f"--missing {max(numbers, default=1):g} counts a missing answer as the worst outcome in the files",
            )
        if numbers and not 0 <= min(numbers) <= max(numbers) <= 1:
            raise ArgumentError(
                "--missing",
                "must be common or a number unless outcomes lie between 0 for wrong and 1 for right",
                f"wrong, and outcomes from {min(numbers):g} to {max(numbers):g}",
                f"--missing {min(numbers):g} counts a missing answer as the worst outcome in the files",
            )
        return 0

    def _fill_wrong(self) -> "Versions":
        """Return the versions with a wrong label, or probability, instead of each missing one."""
        columns = {name: list(held) for name, held in self.table.columns.items()}
        where, answers = list(self.table.where), columns[self.answer]
        truth: list[Any] = as_label_columns(columns["actual"])[0]
        written = {
            label: raw
            for label, raw in zip(truth, columns["actual"], strict=True)
            if label is not None
        }
        wrong = self._wrong_answers(sorted(written, key=str), written)
        for row, lacking in enumerate(self._empty()):
            if lacking:
                answers[row] = wrong.get(truth[row], NO_ANSWER)
        first = {case: row for row, case in reversed(list(enumerate(columns["case"])))}
        for name in self.entities:
            own = {
                case
                for entity, case in zip(columns["entity"], columns["case"], strict=True)
                if entity == name
            }
            for case, row in first.items():
                if case in own:
                    continue
                for role, held in columns.items():
                    held.append(held[row])
                    if role == "entity":
                        held[-1] = name
                    elif role == self.answer:
                        held[-1] = wrong.get(truth[row], NO_ANSWER)
                where.append(where[row])
        return replace(self, table=replace(self.table, columns=columns, where=where))

    def _wrong_answers(self, labels: list[Any], written: dict[Any, Any]) -> dict[Any, Any]:
        """Return the wrong answer to each true label: the other label of two, as written, or the worst probability."""
        if self.answer == "predicted":
            return (
                {labels[0]: written[labels[1]], labels[1]: written[labels[0]]}
                if len(labels) == 2
                else {}
            )
        positive = self.roles.positive
        if positive is None and (pair := standing_pair(labels)) is not None:
            positive = str(pair[1])
        probabilities = [to_number(value) for value in self.table.columns["probability"]]
        defined = [value for value in probabilities if value is not None]
        if positive is None or not 0 <= min(defined, default=0) <= max(defined, default=1) <= 1:
            raise ArgumentError(
                "--missing",
                "must be common unless the positive class is known and probabilities lie between 0 and 1",
                "wrong",
                f"{self.table.options('positive', labels)} says which class is positive"
                * (positive is None),
            )
        return {label: 0.0 if str(label) == str(positive) else 1.0 for label in labels}


def read_versions(
    base: str,
    new: Sequence[str],
    logs: Choices,
    roles: Roles,
    ignore: Sequence[str],
    by: str | None,
    directed: bool,
) -> Versions:
    """Read BASE and all NEW by the rules of ``bayesrank rank``; a file without a column of entities names its version.

    ``by`` is a column of groups of cases, which is kept. ``directed`` is whether the user said
    which outcomes are good.
    """
    paths = [base, *new]
    typed = logs.typed().removesuffix("--lower-is-better")
    if typed and not logs.map and not any(are_logs([path]) for path in paths):
        raise ArgumentError(typed.split()[0], "is for logs, and cannot be used for a table", base)
    files = [_read(path, logs, roles, ignore, by, directed) for path in paths]
    _check_ignored(ignore, files, paths)
    named = list(dict.fromkeys(files[0].table.columns["entity"]))
    if len(named) > 1:
        raise ArgumentError(
            "BASE",
            "must contain one entity",
            list_names(named),
            "keep one: --only entity=NAME for logs, or a table of one entity",
        )
    _check_same_columns([one.table for one in files], new)
    tables = _with_unique_names([one.table for one in files])
    _check_common_cases(tables, new)
    table = _join(tables, keep=roles.group == "dataset")
    better = {one.higher_is_better for one in files} - {None}
    if len(better) > 1:
        raise ArgumentError(
            "NEW",
            "must have the same direction as BASE",
            "higher is better in one, lower in another",
        )
    return Versions(
        table,
        _roles_of(table, roles),
        named[0],
        list(dict.fromkeys(table.columns["entity"])),
        next(iter(better), None),
        list({notes_text([note]): note for one in files for note in one.doubts}.values()),
        list(dict.fromkeys(name for one in files for name in one.ignored)),
    )


def _check_ignored(ignore: Sequence[str], files: "list[_File]", paths: list[str]) -> None:
    """Raise an error if a column to ignore is in no file."""
    for name in ignore:
        if not any(
            name in one.ignored or squeeze(name) in map(squeeze, one.ignored) for one in files
        ):
            raise ArgumentError(
                "--ignore", f"must name a column of {list_names(paths, 3)}", f"{name!r}"
            )


def _check_same_columns(tables: list[Table], new: Sequence[str]) -> None:
    """Raise an error if the table of a new version has other columns than that of BASE."""
    first, *others = map(_form_of, tables)
    for path, form in zip(new, others, strict=True):
        if form != first:
            differ = sorted({"cluster", "weight"} & (set(first) ^ set(form)))
            hint = f"--ignore {differ[0]} leaves {differ[0]} out" if differ else ""
            raise ArgumentError(
                path, f"must have the columns of BASE, {', '.join(first)}", ", ".join(form), hint
            )


def _with_unique_names(tables: list[Table]) -> list[Table]:
    """Return the tables with another name for a version that is called like one of a table before."""
    used: set[Any] = set()
    renamed_tables = []
    for table in tables:
        names = dict.fromkeys(table.columns["entity"])
        renamed = {name: name if name not in used else _free(name, used) for name in names}
        used |= set(renamed.values())
        entity = [renamed[name] for name in table.columns["entity"]]
        renamed_tables.append(replace(table, columns=table.columns | {"entity": entity}))
    return renamed_tables


@dataclass(frozen=True)
class _File:
    """One file or folder: its table, whose headings are roles, and what is said of it."""

    table: Table
    ignored: list[str]
    higher_is_better: bool | None = None
    doubts: list[Note] = field(default_factory=list)


def _read(
    path: str, logs: Choices, roles: Roles, ignore: Sequence[str], by: str | None, directed: bool
) -> _File:
    if logs.map or are_logs([path]):
        return _read_logs(path, logs, roles, ignore, by)
    table, left_out = _drop(read_csv(path), ignore)
    if find_votes(table, roles) is not None:
        raise ArgumentError(
            path, "must contain the cases or the counts of a version", "votes on pairs"
        )
    table, spare = _in_roles(table, roles, by, _stem(path), directed)
    return _File(table, [*left_out, *spare])


def _read_logs(
    path: str, logs: Choices, roles: Roles, ignore: Sequence[str], by: str | None
) -> _File:
    # The gate itself counts what is missing, and names files that cannot be read.
    diagnosis = diagnose([path], logs.also(missing="own", errors=logs.errors or "skip"))
    if diagnosis.stops:
        raise diagnosis.stops[0]
    frame = diagnosis.frame
    assert isinstance(frame, pd.DataFrame)
    record, retained = frame.attrs, {*map(str, roles.columns().values()), by}
    frame = frame.drop(columns=[name for name in frame if name in SPARE - retained])
    if roles.group not in (None, "dataset"):
        frame = frame.assign(case=frame["dataset"] + " " + frame["case"]).drop(columns="dataset")
    table = table_of(frame)
    where = [f"{path}, row {i + 1}" for i in range(len(frame))]
    table, left_out = _drop(replace(table, source=path, where=where, shell=True), ignore)
    table, _ = _in_roles(table, roles, by, _stem(path), True)
    return _File(
        table, left_out, record.get("higher_is_better"), [*record["remarks"], *record["doubts"]]
    )


def _drop(table: Table, ignore: Sequence[str]) -> tuple[Table, list[str]]:
    """Return a table without the columns to ignore that it has, and their names."""
    names = [name for name in table.columns if squeeze(name) in map(squeeze, ignore)]
    return table.drop(names), list(map(str, names))


def _in_roles(
    table: Table, roles: Roles, by: str | None, name: str, directed: bool
) -> tuple[Table, list[str]]:
    """Return the table of a file with roles as headings, and the columns that have none.

    ``name`` is that of the version if the table has no column of entities.
    """
    group = None if by is None else table.find("by", by)
    extra = {} if group is None else {GROUP_OF: table.columns[group]}
    table, roles, selected = select(table, roles)
    if not directed and (low := low_outcome(roles, selected)):
        _ask_direction(table, low)
    named = name_roles(table, roles)
    entity = named.by_role.get("entity") or find_entity(table, named, roles)
    if entity is None:
        alone = replace(table, columns={"entity": [name] * len(table.where), **table.columns})
        named_alone = name_roles(alone, roles)
        if any(set(form) - {"case"} <= set(named_alone.by_role) for form in FORMS):
            table, entity, named = alone, "entity", named_alone
    form = None if entity is None else find_form(table, named, entity, roles)
    if form is None:
        return _melt(table, roles, extra, group, directed), []
    used = {
        role: column
        for role, column in named.by_role.items()
        if role in (*form, *OF_CASES, "total")
    }
    columns = {_heading(role, roles): table.columns[column] for role, column in used.items()}
    columns["entity"] = table.read_names(entity, "entity")
    if "case" in used:
        columns["case"] = table.read_names(used["case"], "case")
    if STATUS in table.columns and STATUS not in (*used.values(), entity):
        extra[STATUS] = table.columns[STATUS]
    spare = [
        str(column)
        for column in table.columns
        if column not in (*used.values(), entity, group, STATUS)
    ]
    return replace(table, columns=columns | extra), spare


def _ask_direction(table: Table, name: str) -> NoReturn:
    """Ask which outcomes are good, where a heading names an error or a cost."""
    raise ArgumentError(
        table.source,
        "must say which outcomes are good, because headings name errors, losses, times, costs or ranks",
        f"{name!r}",
        "--lower-is-better prefers low ones, --higher-is-better high ones",
    )


def _heading(role: str, roles: Roles) -> str:
    return str(roles.group) if role == "dataset" and roles.group is not None else role


def _melt(
    table: Table, roles: Roles, extra: dict[Any, list[Any]], group: Any, directed: bool
) -> Table:
    """Return a table with one column for each version as one with a row for each answer."""
    role_columns = name_roles(table, roles)
    named = role_columns.by_role.get("case") or next(
        (name for name in table.columns if squeeze(name) in LONG_CASE_NAMES), None
    )
    if named is None:
        raise ArgumentError(
            table.source,
            "must have a column that names the cases, by which versions are paired",
            table.heading(),
            f"{table.options('case', list(table.columns)[:3])} says which",
        )
    of = {role: name for role, name in role_columns.by_role.items() if role in OF_CASES} | {
        "case": named
    }
    spare = [] if group is None or group in of.values() else [group]
    names = [name for name in table.columns if name not in (*of.values(), *spare)]
    if roles.entities is not None:
        names = [table.find("entities", requested) for requested in roles.entities]
    answer, missing = "outcome", {"outcome": "own", "predicted": "common"}
    if "actual" in of:
        shares = hold_probabilities(table, of["actual"], names, roles.entities is not None)
        answer = "probability" if shares else "predicted"
    # The reader of the other commands finds what is wrong with these columns.
    read = read_table(table.drop(spare), replace(roles, case=named, missing=missing.get(answer)))
    if answer == "probability" and [str(name) for name in names] != [
        str(name) for name in read["entity"].values
    ]:
        raise ArgumentError(
            table.source,
            "must have one column of probabilities for each version",
            list_names(map(str, names), 4),
        )
    if answer == "outcome" and not directed and all(map(may_be_low, names)):
        _ask_direction(table, str(names[0]))
    rows = range(len(table.where))
    made = {"entity": [str(name) for name in names for _ in rows]}
    made |= {_heading(role, roles): table.columns[name] * len(names) for role, name in of.items()}
    made |= {"case": table.read_names(named, "case") * len(names)}
    made |= {answer: [value for name in names for value in table.columns[name]]}
    made |= {name: held * len(names) for name, held in extra.items()}
    return replace(table, columns=made, where=table.where * len(names))


def _form_of(table: Table) -> list[str]:
    """Return the headings that all files must share."""
    return sorted(name for name in table.columns if name not in (STATUS, "dataset", "run", "total"))


def _join(tables: list[Table], keep: bool) -> Table:
    """Return the rows of all tables. A case of a data set has a name of its own; ``keep`` keeps the data set, too."""
    lacking = {STATUS: None, "run": "1"}
    columns: dict[Any, list[Any]] = {}
    for name in dict.fromkeys(name for table in tables for name in table.columns):
        if name in lacking or all(name in table.columns for table in tables):
            columns[name] = [
                value
                for table in tables
                for value in table.columns.get(name, [lacking.get(name)] * len(table.where))
            ]
    if {"dataset", "case"} <= set(columns):
        # All cases count alike, whatever their data set.
        columns["case"] = [
            f"{dataset} {case}"
            for dataset, case in zip(columns["dataset"], columns["case"], strict=True)
        ]
        if not keep:
            del columns["dataset"]
    source = list_names(dict.fromkeys(table.source for table in tables), 3)
    return Table(
        source, columns, [position for table in tables for position in table.where], shell=True
    )


def _check_common_cases(tables: list[Table], new: Sequence[str]) -> None:
    """Raise an error for a version that shares no case with the baseline."""
    cases = [set(table.columns.get("case", ())) for table in tables]
    for path, own in zip(new, cases[1:], strict=True):
        if cases[0] and not cases[0] & own:
            got = f"none: {min(cases[0])!r} is in BASE, {min(own)!r} in {path}"
            raise ArgumentError(
                "NEW", "must contain cases of BASE, by which the two are paired", got
            )


def _roles_of(table: Table, roles: Roles) -> Roles:
    """Return the roles of a table whose headings are roles."""
    named = {"weight": "weight", "times": "count", "training_seed": "training_seed"}
    present = {argument: role for role, argument in named.items() if role in table.columns}
    group = None if roles.group is None else str(roles.group)
    return Roles(entity="entity", positive=roles.positive, group=group, **present)


def _free(name: str, used: Iterable[str]) -> str:
    """Return a name that is not taken yet, for a version called like another one."""
    result, number = f"{name} (new)", 2
    while result in used:
        result, number = f"{name} (new {number})", number + 1
    return result


def _stem(path: str) -> str:
    """Return the name of a version by its file; bytes that are not UTF-8 are written as escapes."""
    name = STDIN if path == "-" else Path(path).name.split(".")[0] or Path(path).name or path
    return os.fsencode(name).decode("utf-8", "backslashreplace")
