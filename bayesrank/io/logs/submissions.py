"""Submissions to a competition: one file for each team, joined by id to the truth."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bayesrank._core.errors import ArgumentError
from bayesrank._core.inputs import guard, is_hidden, list_files
from bayesrank._core.labels import NO_ANSWER, find_repeat, standing_pair
from bayesrank._core.notes import Note
from bayesrank._core.prose import list_names
from bayesrank.io.formats._common import read_parquet
from bayesrank.io.logs.choices import Choices
from bayesrank.io.tables.columns import role_of, squeeze
from bayesrank.io.tables.files import read_csv
from bayesrank.io.tables.probabilities import class_in
from bayesrank.io.tables.roles import LONG_CASE_NAMES
from bayesrank.io.tables.table import Table, table_of
from bayesrank.io.tables.values import is_missing, plain, to_number, to_share

SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet")
#: Headings of row numbers, which are ids only if there are no other ones.
ROW_NUMBERS = {"row", "index", "unnamed0"}
#: Headings of ids and of true labels, beside those of the roles case and actual.
IDS = (LONG_CASE_NAMES - ROW_NUMBERS) | {"case", "caseid", "file", "filename", "name"}
TRUTHS = {"expected", "label", "target", "class", "y"}
#: Columns that say which part of a competition a case is in.
SPARE = {"usage", "split"}
#: What the columns of the table are called that come from no team.
CASE, ACTUAL = "case", "actual"
#: Probabilities of two classes may differ by so much from a sum of 1, by rounding.
ROUNDING = 0.02


@dataclass(frozen=True)
class Truth:
    """The ids and true labels of all cases, the other columns, and the rows that are kept."""

    ids: list[str]
    actual: np.ndarray
    about: dict[str, list[Any]]
    kept: np.ndarray
    #: The positive one of two classes; None if it is unknown, or of more classes.
    positive: str | None

    @property
    def classes(self) -> list[str]:
        return sorted(set(self.actual.tolist()))


def read_submissions(
    paths: Sequence[str], truth: str, choices: Choices, missing: Any = None, positive: Any = None
) -> pd.DataFrame:
    """Return a table with one row for each case: ``case``, ``actual``, the answers of each team, and the truth's rest.

    A team has one column of labels, or of probabilities of the positive class; or, for more
    classes, one column of probabilities for each class, headed "team: class".
    ``attrs["truth_columns"]`` are the columns of this rest, and ``attrs["remarks"]`` notes on what
    was decided. The problems of all files are raised together.
    """
    _check_choices(choices, missing)
    truth_kept = _keep(_read_truth(truth, positive), choices)
    problems: list[ArgumentError] = []
    files, skipped = _find(paths, Path(truth), choices, problems)
    chosen, remarks = _one_each(files, choices, problems)
    if not chosen and not problems:
        others = f"none, but {list_names(skipped, 6)}" if skipped else "none"
        raise ArgumentError(
            "paths",
            f"must contain submissions, files such as team.csv ({', '.join(SUFFIXES)})",
            others,
        )
    answers: dict[str, dict[str, np.ndarray]] = {}
    lacking: dict[str, np.ndarray] = {}
    for team, path in chosen.items():
        with _collect(problems):
            rows, labels = _read_one(path, truth_kept, choices)
            absent = np.ones(len(truth_kept.ids), bool)
            absent[rows] = False
            lacking[team] = absent & truth_kept.kept
            answers[team] = _fill(rows, labels, absent, truth_kept, choices)
    if missing is None:
        problems += _lacking_problem(
            {chosen[team]: absent for team, absent in lacking.items()}, truth_kept, choices
        )
    kinds = {
        team: "labels" if next(iter(labels.values())).dtype == object else "numbers"
        for team, labels in answers.items()
    }
    problems += _mixture_problem(kinds, chosen, choices)
    columns = {}
    for team, labels in answers.items():
        for name, column in labels.items():
            heading = team if name == "" else f"{team}: {name}"
            if heading in (CASE, ACTUAL, *truth_kept.about):
                remedy = choices.say("name", "NAME", str(chosen[team]))
                wrong = "must not have the name of a column of the truth"
                problems.append(ArgumentError(str(chosen[team]), wrong, team, remedy))
            columns[heading] = column
    _raise_together(problems)
    if any(absent.any() for absent in lacking.values()):
        remarks.append(_note_lacking(lacking, int(truth_kept.kept.sum()) * len(chosen)))
    if skipped:
        remarks.append(Note("submissions_skipped", {"files": skipped, "suffixes": list(SUFFIXES)}))
    frame = pd.DataFrame(
        {CASE: truth_kept.ids, ACTUAL: truth_kept.actual} | columns | truth_kept.about
    )
    frame = frame[truth_kept.kept].reset_index(drop=True)
    frame.attrs |= {"remarks": remarks, "truth_columns": list(truth_kept.about)}
    return frame


def _check_choices(choices: Choices, missing: Any) -> None:
    """Refuse choices that are for logs."""
    if missing not in (None, "wrong"):
        raise ArgumentError(
            "missing", "must be 'wrong' or not given for submissions", f"{missing!r}"
        )
    for argument, is_set in (
        ("match", choices.match != "id"),
        ("errors", choices.errors),
        ("map", choices.map),
    ):
        if is_set:
            raise ArgumentError(
                argument, "cannot be used for submissions", f"{getattr(choices, argument)!r}"
            )
    if choices.cases is not None:
        raise ArgumentError(
            "cases", "cannot be used for submissions, whose truth lists every case", choices.cases
        )


def _note_lacking(lacking: dict[str, np.ndarray], total: int) -> Note:
    """Note how many of all answers are missing, and which team lacks most."""
    numbers = {team: int(absent.sum()) for team, absent in lacking.items()}
    worst = max(numbers, key=lambda team: numbers[team])
    fields = {"missing": sum(numbers.values()), "total": total}
    return Note("submissions_lack_cases", fields | {"most": numbers[worst], "team": worst})


class SeveralProblems(ArgumentError):
    """The problems of all submissions, with the remedies that they share."""

    def __init__(self, problems: Sequence[ArgumentError], shared: str) -> None:
        self.problems = list(problems)
        listed = "; ".join(f"({number}) {problem}" for number, problem in enumerate(problems, 1))
        super().__init__("the submissions", f"have {len(problems)} problems: {listed}", hint=shared)


@contextmanager
def _collect(problems: list[ArgumentError]) -> Iterator[None]:
    """Keep the problem of one file, so that those of the others are found, too."""
    try:
        yield
    except ArgumentError as error:
        problems.append(error)


def _raise_together(problems: list[ArgumentError]) -> None:
    """Raise the only problem, or one error that lists all, with each remedy once."""
    if len(problems) < 2:
        for problem in problems:
            raise problem
        return
    hints = [problem.hint for problem in problems]
    shared = list(dict.fromkeys(hint for hint in hints if hint and hints.count(hint) > 1))
    for problem in problems:
        problem.hint = "" if problem.hint in shared else problem.hint
    raise SeveralProblems(problems, "; ".join(shared))


# --- Files ------------------------------------------------------------------------------------------------------------


def _find(
    paths: Sequence[str], truth: Path, choices: Choices, problems: list[ArgumentError]
) -> tuple[dict[Path, str], list[str]]:
    """Return the files of submissions with the team of each, and the names of files of other kinds.

    The team is the folder of the file below a given folder, or its own name; ``name`` gives
    another, or "" for none.
    """
    result: dict[Path, str] = {}
    skipped: list[str] = []
    used: set[str] = set()
    for text in paths:
        folder = Path(text)
        pattern = any(mark in text for mark in "*?[") and not folder.exists()
        for one in sorted(_glob(text)) if pattern else [folder]:
            if not one.exists():
                raise ArgumentError("paths", "must name files or folders", f"{text!r}")
            files, unreadable = list_files(one) if one.is_dir() else ([one], [])
            problems += unreadable
            for path in files:
                inside = path.relative_to(one).parts if one.is_dir() else (path.name,)
                if is_hidden("/".join(inside)) or path.resolve() == truth.resolve():
                    continue
                own = inside[0] if len(inside) > 1 else _stem(path)
                keys = [
                    key
                    for key in choices.name
                    if key and (path.match(key) or path.is_relative_to(key))
                ]
                used |= set(keys)
                team = choices.name[keys[0]] if keys else own
                if team == "":
                    continue
                if path.name.lower().endswith(SUFFIXES):
                    result[path] = team
                elif one.is_dir() or pattern:
                    skipped.append("/".join(inside))
                else:
                    problems.append(
                        ArgumentError(str(path), f"must be one of the files {', '.join(SUFFIXES)}")
                    )
    if unused := [key for key in choices.name if key not in used]:
        argument = "--name" if choices.shell else "name"
        problems.append(
            ArgumentError(
                argument, "must start with the name of a file that was read", f"{unused[0]!r}"
            )
        )
    return result, skipped


def _glob(text: str) -> list[Path]:
    folder = Path(Path(text).anchor)
    result = list(folder.glob(str(Path(text).relative_to(folder))))
    if not result:
        raise ArgumentError("paths", "must name files or folders", f"{text!r}")
    return result


def _stem(path: Path) -> str:
    stem, word = re.sub(r"(\.(csv|tsv|parquet))?(\.gz)?$", "", path.name, flags=re.I), "submission"
    first, rest = stem[: len(word)], stem[len(word) :]
    if first.lower() == word and rest.startswith(("_", "-")):
        return rest.lstrip("_-") or stem
    start, last = stem[: -len(word)], stem[-len(word) :]
    return (
        start.rstrip("_-") if last.lower() == word and start.endswith(("_", "-")) else stem
    ) or stem


def _natural(path: Path) -> list[Any]:
    """Return a key that sorts names with numbers by these numbers."""
    return [
        (0, int(part), "") if part.isdecimal() else (1, 0, part)
        for part in re.split(r"(\d+)", path.name)
        if part
    ]


def _one_each(
    files: dict[Path, str], choices: Choices, problems: list[ArgumentError]
) -> tuple[dict[str, Path], list[Note]]:
    """Return the file of each team that counts: the last by its name where ``reruns`` is "latest"."""
    teams: dict[str, list[Path]] = {}
    for path, team in files.items():
        teams.setdefault(team, []).append(path)
    chosen, several = {}, 0
    for team, own in teams.items():
        own.sort(key=_natural)
        if len(own) > 1 and choices.reruns != "latest":
            hint = (
                f"{choices.say('reruns', 'latest')} keeps the last one by name; "
                f"{choices.say('name', '', str(own[0]))} leaves a file out"
            )
            names = list_names([path.name for path in own], 3)
            problems.append(
                ArgumentError(
                    f"submissions of {team!r}", "must be one file", f"{len(own)}: {names}", hint
                )
            )
        several += len(own) > 1
        chosen[team] = own[-1]
    return chosen, [Note("latest_submission_counts", {"teams": several})] if several else []


def _read_table(path: Path) -> Table:
    """Return the columns of a file; the text of a CSV file is not converted."""
    if not path.name.lower().endswith(".parquet"):
        return read_csv(str(path))
    with guard(str(path)):
        table = table_of(pd.DataFrame(read_parquet(path)))
    return replace(
        table, source=str(path), where=[f"{path}, row {i}" for i in range(len(table.where))]
    )


# --- Truth ------------------------------------------------------------------------------------------------------------


def _ids(path: Path, table: Table) -> tuple[Any, list[str]]:
    """Return the column with the ids, and its values as text."""
    named = [name for name in table.columns if squeeze(name) in IDS or role_of(name) == "case"]
    named += [name for name in table.columns if squeeze(name) in ROW_NUMBERS]
    column = named[0] if named else next(iter(table.columns))
    result = list(map(_text, table.columns[column]))
    if "" in result:
        raise ArgumentError(
            f"{table.where[result.index('')]}: {column}",
            "must not be empty, since it names the case",
        )
    if (twice := find_repeat(result)) is not None:
        if not named:
            raise ArgumentError(
                str(path),
                "must have a column id that names the cases",
                f"{list_names(list(map(str, table.columns)))}",
            )
        raise ArgumentError(
            f"{path}: {column}", "must name each case once", f"{result[twice[0]]!r} twice"
        )
    return column, result


def _text(value: Any) -> str:
    """Return a field as text, empty if it is missing; numbers of a typed file without .0."""
    if is_missing(value):
        return ""
    full = isinstance(value, float) and value % 1 == 0 and abs(value) < 2**53
    return str(int(value) if full else plain(value)).strip()


def _read_truth(text: str, positive: Any) -> Truth:
    path = Path(text)
    if not os.path.isfile(text):
        raise ArgumentError("truth", "must name a file with the columns id and actual", f"{text!r}")
    table = _read_table(path)
    column, ids = _ids(path, table)
    others = [name for name in table.columns if name != column]
    rest = [name for name in others if squeeze(name) not in SPARE | ROW_NUMBERS]
    named = [name for name in rest if role_of(name) == "actual"]
    named = named or [name for name in rest if squeeze(name) in TRUTHS]
    rest = named if len(named) == 1 else rest
    if len(rest) != 1:
        raise ArgumentError(
            str(path),
            "must have one column of true labels beside the ids, called actual",
            list_names(list(map(str, rest)), 6) if rest else "none",
        )
    values = list(map(_text, table.columns[rest[0]]))
    if "" in values:
        where = ids[values.index("")]
        raise ArgumentError(
            f"{path}: {rest[0]}", "must contain a label for each case", f"nothing for {where!r}"
        )
    classes = sorted(set(values))
    if positive is not None and str(positive) not in classes:
        raise ArgumentError(
            "positive", f"must be a label of the truth, {list_names(classes, 6)}", f"{positive!r}"
        )
    positive_class = None
    if len(classes) == 2:
        label = (standing_pair(classes) or (None, None))[1] if positive is None else positive
        positive_class = None if label is None else str(label)
    record = {str(name): table.columns[name] for name in others if name != rest[0]}
    if twice := {CASE, ACTUAL} & set(record):
        raise ArgumentError(
            str(path), "must have one column of ids and one of labels", f"also {twice.pop()}"
        )
    return Truth(ids, np.array(values, object), record, np.ones(len(ids), bool), positive_class)


def _keep(truth: Truth, choices: Choices) -> Truth:
    """Return the truth with the rows that ``only`` keeps, by its other columns."""
    names = {squeeze(name): name for name in truth.about}
    retained = truth.kept
    for key, requested in choices.only.items():
        if squeeze(key) not in names:
            columns_text = (
                f"one of {list_names(list(truth.about), 8)}"
                if truth.about
                else "left out, as it has none"
            )
            raise ArgumentError(
                choices.say("only", requested, key),
                f"must name a column of the truth, {columns_text}",
            )
        column = [_text(value) for value in truth.about[names[squeeze(key)]]]
        parts = [
            part.strip()
            for text in requested
            for part in ([text] if text in column else text.split(","))
        ]
        if unknown := [part for part in parts if part not in column]:
            columns_text = list_names(list(dict.fromkeys(column)), 8)
            raise ArgumentError(choices.say("only", unknown, key), f"must be one of {columns_text}")
        retained = retained & np.isin(np.array(column, object).astype(str), parts)
    return replace(truth, kept=retained)


# --- Answers ----------------------------------------------------------------------------------------------------------


def _places(path: Path, column: Any, ids: list[str], truth: Truth) -> np.ndarray:
    """Return the place of each case in the truth; 1.0 names the case 1."""
    position = {name: i for i, name in enumerate(truth.ids)}
    named = [name if name in position else re.sub(r"(?<=\d)\.0+$", "", name) for name in ids]
    foreign = [name for name in named if name not in position]
    if not foreign:
        if (twice := find_repeat(named)) is not None:
            raise ArgumentError(
                f"{path}: {column}", "must name each case once", f"{named[twice[0]]!r} twice"
            )
        return np.array([position[name] for name in named])
    bare = {name.lstrip("0"): name for name in truth.ids}
    same = bare.get(foreign[0].lstrip("0"))
    hint = (
        f"the truth calls it {same!r}: leading zeros were lost or added; write ids as text, in pandas with dtype=str"
        if same is not None
        else ""
    )
    raise ArgumentError(
        f"{path}: {column}",
        "must name cases of the truth",
        f"{foreign[0]!r}{f' and {len(foreign) - 1:,} other ids' * (len(foreign) > 1)}",
        hint,
    )


def _read_one(
    path: Path, truth: Truth, choices: Choices
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return the places of a submission's cases, and its labels or probabilities by class ("" for one column)."""
    table, classes = _read_table(path), truth.classes
    column, ids = _ids(path, table)
    rows = _places(path, column, ids, truth)
    rest = [
        name
        for name in table.columns
        if name != column and squeeze(name) not in SPARE | ROW_NUMBERS
    ]
    by_class = {class_in(name, classes): name for name in rest}
    if len(rest) > 1 and len(by_class) == len(rest) and set(by_class) == set(classes):
        empty = np.array([[is_missing(value) for value in table.columns[name]] for name in rest])
        answered = np.array(~empty.all(axis=0))
        probabilities = {label: _numbers(table, by_class[label], answered) for label in classes}
        if len(classes) == 2:
            probabilities = {"": _of_positive(path, truth, choices, probabilities, by_class)}
        return rows[answered], probabilities
    if len(rest) != 1:
        raise ArgumentError(
            str(path),
            f"must have one column beside the ids, or one of probabilities for each class {list_names(classes, 4)}",
            list_names(list(map(str, rest)), 4) if rest else "none",
        )
    values = table.columns[rest[0]]
    answered = ~np.array([is_missing(value) for value in values])
    named = next(iter(by_class))
    labels = _as_labels(
        [value for value, one in zip(values, answered, strict=True) if one], classes
    )
    if (
        labels is not None
        and named is not None
        and to_number(named) is not None
        and len(classes) == 2
    ):
        raise ArgumentError(
            f"{path}: {rest[0]}",
            "must say whether it holds labels or probabilities, since its heading names a class",
            f"{values[0]!r}",
            "label is the heading of labels, and prediction that of probabilities of the positive class",
        )
    if labels is not None:
        return rows[answered], {"": labels}
    numbers = [to_share(value) for value, one in zip(values, answered, strict=True) if one]
    if None in numbers or len(classes) != 2:
        wrong = next(
            text
            for text, one in zip(map(_text, values), answered, strict=True)
            if one and text not in classes
        )
        raise ArgumentError(
            f"{path}: {rest[0]}",
            f"must contain labels of the truth, {list_names(classes, 6)}",
            f"{wrong!r}",
        )
    shares = np.array(numbers, float)
    if named is not None:
        return rows[answered], {"": _of_positive(path, truth, choices, {named: shares}, by_class)}
    among = class_in(rest[0], [label for label in classes if to_number(label) is None], None)
    if among not in (None, truth.positive):
        raise ArgumentError(
            f"{path}: {rest[0]}",
            "must be the name of a class, or prediction for probabilities of the positive class",
            f"{among} among other words",
        )
    return rows[answered], {"": shares}


def _as_labels(values: list[Any], classes: list[str]) -> np.ndarray | None:
    """Return labels as the truth writes them, 1 for 1.0; None if a value is no label."""
    names = set(classes)
    same = {to_number(label): label for label in classes if to_number(label) is not None}
    labels = [
        text if (text := _text(value)) in names else same.get(to_number(value)) for value in values
    ]
    return None if None in labels else np.array(labels, object)


def _of_positive(
    path: Path,
    truth: Truth,
    choices: Choices,
    probabilities: dict[str, np.ndarray],
    by_class: dict[str | None, Any],
) -> np.ndarray:
    """Return the probabilities of the positive one of two classes, from those of one class or of both."""
    headings = list_names([str(by_class[label]) for label in probabilities])
    if truth.positive is None:
        hint = f"{choices.say('positive', truth.classes[1])} or {choices.say('positive', truth.classes[0])} says which"
        raise ArgumentError(
            str(path), "needs the positive class, since its heading names a class", headings, hint
        )
    for label, values in probabilities.items():
        if (bad := (values < 0) | (values > 1)).any() and (
            len(probabilities) > 1 or label != truth.positive
        ):
            raise ArgumentError(
                f"{path}: {by_class[label]}",
                "must contain probabilities",
                f"{values[bad.argmax()]:g}",
            )
    total = np.sum(list(probabilities.values()), axis=0)
    if len(probabilities) == 2 and (bad := np.abs(total - 1) > ROUNDING).any():
        both = " and ".join(f"{values[bad.argmax()]:g}" for values in probabilities.values())
        raise ArgumentError(
            str(path), f"must contain probabilities with the sum 1 in {headings}", both
        )
    [label, values] = (
        next(iter(probabilities.items()))
        if truth.positive not in probabilities
        else (truth.positive, probabilities[truth.positive])
    )
    return values if label == truth.positive else 1 - values


def _numbers(table: Table, name: Any, answered: np.ndarray) -> np.ndarray:
    numbers = [to_share(value) for value in table.columns[name]]
    for row in np.flatnonzero(answered).tolist():
        if numbers[row] is None:
            raise ArgumentError(
                f"{table.where[row]}: {name}",
                "must contain probabilities",
                f"{table.columns[name][row]!r}",
            )
    return np.array([number for number, one in zip(numbers, answered, strict=True) if one], float)


def _lacking_problem(
    lacking: dict[Path, np.ndarray], truth: Truth, choices: Choices
) -> list[ArgumentError]:
    """Return the problem of files without an answer for each case, if there is one."""
    short = {path: absent for path, absent in lacking.items() if absent.any()}
    if not short:
        return []
    listed = [
        f"{int(absent.sum()):,} in {path}, such as {truth.ids[int(absent.argmax())]!r}"
        for path, absent in short.items()
    ]
    return [
        ArgumentError(
            "each submission",
            f"must have an answer for each of the {int(truth.kept.sum()):,} cases of the truth",
            f"none for {'; for '.join(listed)}",
            choices.say("missing", "wrong") + " counts them as wrong",
        )
    ]


def _mixture_problem(
    kinds: dict[str, str], chosen: dict[str, Path], choices: Choices
) -> list[ArgumentError]:
    """Return the problem of labels beside probabilities, if there is one."""
    if len(set(kinds.values())) < 2:
        return []
    labels, numbers = (
        [team for team, held in kinds.items() if held == kind] for kind in ("labels", "numbers")
    )
    return [
        ArgumentError(
            "paths",
            "must contain labels of all teams, or probabilities of all teams",
            f"labels of {list_names(labels, 3)}, and probabilities of {list_names(numbers, 3)}",
            f"{choices.say('name', '', str(chosen[labels[0]]))} leaves a file out",
        )
    ]


def _fill(
    rows: np.ndarray,
    answers: dict[str, np.ndarray],
    absent: np.ndarray,
    truth: Truth,
    choices: Choices,
) -> dict[str, np.ndarray]:
    """Return columns for all cases, in which a case without an answer counts as wrong."""
    classes, actual, result = truth.classes, truth.actual, {}
    lacks = bool((absent & truth.kept).any())
    for name, values in answers.items():
        column = np.empty(len(absent), values.dtype)
        column[rows] = values
        if values.dtype == object:
            opposite = (
                dict(zip(classes, reversed(classes), strict=True)) if len(classes) == 2 else {}
            )
            column[absent] = [opposite.get(label, NO_ANSWER) for label in actual[absent]]
        elif name == "":
            if lacks and truth.positive is None:
                hint = f"{choices.say('positive', classes[1])} or {choices.say('positive', classes[0])} says which"
                raise ArgumentError(
                    "positive",
                    "must be known to count missing probabilities as wrong",
                    "none",
                    hint,
                )
            within = values.size == 0 or 0 <= values.min() <= values.max() <= 1
            low, high = (0.0, 1.0) if within else (values.min() - 1, values.max() + 1)
            column[absent] = np.where(actual[absent] == truth.positive, low, high)
        else:
            column[absent] = np.where(actual[absent] == name, 0.0, 1 / (len(classes) - 1))
        result[name] = column
    return result
