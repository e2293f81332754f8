"""Submissions to a competition: one file for each team, joined by id to the truth."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bayesrank._errors import ArgumentError
from bayesrank._inputs import is_hidden, list_files, parse_csv, read_unpacked
from bayesrank._labels import standing_pair
from bayesrank._notes import Note
from bayesrank._text import list_names
from bayesrank.logs.choices import Choices
from bayesrank.tables.columns import LONG_CASE_NAMES, role_of, squeeze
from bayesrank.tables.values import is_missing, plain, to_number

SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet")
#: Headings of ids and of true labels, beside those of the roles case and actual.
IDS = LONG_CASE_NAMES | {"case", "caseid", "row", "rowid", "index", "image", "file", "filename", "name", "unnamed0"}
TRUTHS = {"expected", "label", "target", "class", "y"}
#: Columns of a table of truth that do not matter.
SPARE = {"usage", "split"}
#: The answer of more than two classes where a team has none: a class without cases.
NO_ANSWER = "(no answer)"


def read_submissions(
    paths: Sequence[str], truth: str, choices: Choices, missing: Any = None, positive: Any = None
) -> pd.DataFrame:
    """Return a table with one row for each case: ``case``, ``actual``, and the answers of each team.

    A team has one column of labels, or of probabilities of the positive class; or, for more classes, one column of
    probabilities for each class, headed "team: class". ``attrs["remarks"]`` are notes on what was decided.
    """
    if missing not in (None, "wrong"):
        raise ArgumentError("missing", "must be 'wrong' or left out for submissions", f"{missing!r}")
    ids, actual = _read_truth(truth)
    files = _find(paths, Path(truth))
    chosen, remarks = _one_each(files, choices)
    place = {name: i for i, name in enumerate(ids)}
    columns: dict[str, Any] = {"case": ids, "actual": actual}
    lacking: dict[str, int] = {}
    kinds: dict[str, list[str]] = {}
    for team, path in chosen.items():
        rows, answers = _read_one(path, place, sorted(set(actual)))
        absent = np.ones(len(ids), bool)
        absent[rows] = False
        if absent.any():
            lacking[team] = int(absent.sum())
            if missing is None:
                raise ArgumentError(
                    str(path),
                    f"must have an answer for each of the {len(ids):,} cases of the truth",
                    f"none for {lacking[team]:,} of them, such as {ids[int(absent.argmax())]!r}",
                    choices.say("missing", "wrong") + " counts them as wrong",
                )
        found = _fill(rows, answers, absent, actual, positive)
        kinds.setdefault("labels" if found and next(iter(found.values())).dtype == object else "numbers", []).append(
            team
        )
        columns |= {team if name == "" else f"{team}: {name}": column for name, column in found.items()}
    if len(kinds) > 1:
        labels, numbers = (list_names(kinds[kind], 3) for kind in ("labels", "numbers"))
        raise ArgumentError(
            "paths",
            "must hold labels of all teams, or probabilities of all teams",
            f"labels of {labels}, and probabilities of {numbers}",
            f"{choices.say('name', '', str(chosen[kinds['labels'][0]]))} leaves a file out",
        )
    if lacking:
        most = max(lacking, key=lambda team: lacking[team])
        number = sum(lacking.values())
        fields = {"missing": number, "total": len(ids) * len(chosen), "most": lacking[most], "team": most}
        remarks.append(Note("submissions_lack_cases", fields))
    frame = pd.DataFrame(columns)
    frame.attrs["remarks"] = remarks
    return frame


def _find(paths: Sequence[str], truth: Path) -> dict[Path, str]:
    """Return the files of submissions, and the team of each: its folder below a given one, or its own name."""
    found: dict[Path, str] = {}
    for text in paths:
        folder = Path(text)
        matched = sorted(Path().glob(text)) if any(mark in text for mark in "*?[") and not folder.exists() else [folder]
        for one in matched:
            if not one.exists():
                raise ArgumentError("paths", "must name files or folders", f"{text!r}")
            files, problems = list_files(one) if one.is_dir() else ([one], [])
            if problems:
                raise problems[0]
            for path in files:
                inside = path.relative_to(one).parts if one.is_dir() else (path.name,)
                if is_hidden("/".join(inside)) or path.resolve() == truth.resolve():
                    continue
                if not path.name.lower().endswith(SUFFIXES):
                    continue
                found[path] = inside[0] if len(inside) > 1 else _stem(path)
    if not found:
        raise ArgumentError("paths", f"must hold submissions, files such as team.csv ({', '.join(SUFFIXES)})", "none")
    return found


def _stem(path: Path) -> str:
    stem, word = re.sub(r"(\.(csv|tsv|parquet))?(\.gz)?$", "", path.name, flags=re.I), "submission"
    first, rest = stem[: len(word)], stem[len(word) :]
    if first.lower() == word and rest.startswith(("_", "-")):
        return rest.lstrip("_-") or stem
    start, last = stem[: -len(word)], stem[-len(word) :]
    return (start.rstrip("_-") if last.lower() == word and start.endswith(("_", "-")) else stem) or stem


def _natural(path: Path) -> list[Any]:
    """Return a key that sorts names with numbers by these numbers."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", path.name) if part]


def _one_each(files: dict[Path, str], choices: Choices) -> tuple[dict[str, Path], list[Note]]:
    """Return the file of each team that counts: the last by its name where ``reruns`` is "latest"."""
    teams: dict[str, list[Path]] = {}
    for path, team in files.items():
        named = next((n for pattern, n in choices.name.items() if path.match(pattern) or str(path) == pattern), None)
        if named != "":
            teams.setdefault(team if named is None else named, []).append(path)
    if not teams:
        raise ArgumentError("paths", "must hold submissions", "none that is not left out")
    chosen, several = {}, 0
    for team, own in teams.items():
        own.sort(key=_natural)
        if len(own) > 1 and choices.reruns != "latest":
            raise ArgumentError(
                f"submissions of {team!r}",
                "must be one file",
                f"{len(own)}: {list_names([path.name for path in own], 3)}",
                f"{choices.say('reruns', 'latest')} keeps the last one by name; "
                f"{choices.say('name', '', str(own[0]))} leaves a file out",
            )
        several += len(own) > 1
        chosen[team] = own[-1]
    return chosen, [Note("latest_submission_counts", {"teams": several})] if several else []


def _read_table(path: Path) -> pd.DataFrame:
    """Return a table as text, without conversion of words such as NA."""
    if path.name.lower().endswith(".parquet"):
        try:
            frame = pd.read_parquet(path)
        except ImportError:
            raise ArgumentError(str(path), "needs the package pyarrow to be read", "none", "or write CSV") from None
        return frame.reset_index() if frame.index.name else frame
    try:
        text = read_unpacked(str(path)).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ArgumentError(str(path), "must be text in UTF-8", "other bytes") from None
    first = text.partition("\n")[0]
    mark = max(",;\t|", key=first.count)
    rows = [row for _, row in parse_csv(text, str(path), mark)]
    if len(rows) < 2:
        raise ArgumentError(str(path), "must have a heading and at least one row", f"{len(rows)}")
    wrong = next((i for i, row in enumerate(rows) if len(row) != len(rows[0])), None)
    if wrong is not None:
        raise ArgumentError(f"{path}, row {wrong}", f"must have {len(rows[0])} fields", len(rows[wrong]))
    return pd.DataFrame(rows[1:], columns=[name.strip() or "Unnamed: 0" for name in rows[0]], dtype=object)


def _ids(path: Path, frame: pd.DataFrame) -> tuple[Any, list[str]]:
    """Return the column with the ids, and its values as text."""
    named = [name for name in frame if squeeze(name) in IDS or role_of(name) == "case"]
    column = named[0] if named else frame.columns[0]
    found = [str(plain(value)).strip() for value in frame[column]]
    if len(set(found)) < len(found):
        twice = pd.Series(found)
        twice = twice[twice.duplicated()]
        if not named:
            raise ArgumentError(
                str(path), "must have a column id that names the cases", f"{list_names(list(map(str, frame.columns)))}"
            )
        raise ArgumentError(f"{path}: {column}", "must name each case once", f"{twice.iloc[0]!r} twice")
    return column, found


def _read_truth(text: str) -> tuple[list[str], np.ndarray]:
    """Return ids and true labels of all cases."""
    path = Path(text)
    if not path.is_file():
        raise ArgumentError("truth", "must name a file with the columns id and actual", f"{text!r}")
    frame = _read_table(path)
    column, ids = _ids(path, frame)
    rest = [name for name in frame if name != column and squeeze(name) not in SPARE]
    named = [name for name in rest if role_of(name) == "actual" or squeeze(name) in TRUTHS]
    rest = named if len(named) == 1 else rest
    if len(rest) != 1:
        raise ArgumentError(str(path), "must have one column of true labels beside the ids, called actual", rest)
    values = frame[rest[0]].tolist()
    empty = next((i for i, value in enumerate(values) if is_missing(value)), None)
    if empty is not None:
        raise ArgumentError(f"{path}: {rest[0]}", "must hold a label for each case", f"nothing for {ids[empty]!r}")
    return ids, np.array([str(plain(value)).strip() for value in values], object)


def _read_one(path: Path, place: dict[str, int], classes: list[str]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return the places of a submission's cases, and its labels or probabilities by class ("" for one column)."""
    frame = _read_table(path)
    column, ids = _ids(path, frame)
    foreign = [name for name in ids if name not in place]
    if foreign:
        raise ArgumentError(
            f"{path}: {column}",
            "must name cases of the truth",
            f"{foreign[0]!r}{f' and {len(foreign) - 1:,} others' * (len(foreign) > 1)}",
        )
    rows = np.array([place[name] for name in ids])
    rest = [name for name in frame if name != column and squeeze(name) not in SPARE]
    by_class = {re.sub(r"(?i)^(prob(ability)?|proba|p)[ _:.-]+", "", str(name)).strip(): name for name in rest}
    if len(rest) > 1 and set(by_class) == set(classes):
        return rows, {label: _numbers(path, by_class[label], frame) for label in classes}
    if len(rest) != 1:
        raise ArgumentError(
            str(path),
            f"must have one column beside the ids, or one of probabilities for each class {list_names(classes, 4)}",
            list_names(list(map(str, rest)), 4),
        )
    values = frame[rest[0]].tolist()
    empty = np.array([is_missing(value) for value in values])
    rows, values = rows[~empty], [value for value, none in zip(values, empty, strict=True) if not none]
    labels = [str(plain(value)).strip() for value in values]
    known = set(classes)
    unknown = [label for label in labels if label not in known]
    if not unknown:
        return rows, {"": np.array(labels, object)}
    same = {to_number(label): label for label in classes if to_number(label) is not None}
    numbers = [to_number(label) for label in labels]
    if None in numbers:
        wrong = next(label for label, number in zip(labels, numbers, strict=True) if label not in known)
        raise ArgumentError(
            f"{path}: {rest[0]}", f"must hold labels of the truth, {list_names(classes, 6)}", f"{wrong!r}"
        )
    if all(number in same for number in numbers):  # 1.0 for 1
        return rows, {"": np.array([same[number] for number in numbers], object)}
    if len(classes) != 2:
        raise ArgumentError(
            f"{path}: {rest[0]}", f"must hold labels of the truth, {list_names(classes, 6)}", f"{unknown[0]!r}"
        )
    return rows, {"": np.array(numbers, float)}


def _numbers(path: Path, name: Any, frame: pd.DataFrame) -> np.ndarray:
    found = [to_number(value) for value in frame[name]]
    if None in found:
        row = found.index(None)
        raise ArgumentError(f"{path}: {name}", "must hold probabilities", f"{frame[name].iloc[row]!r}")
    return np.array(found, float)


def _fill(
    rows: np.ndarray, answers: dict[str, np.ndarray], absent: np.ndarray, actual: np.ndarray, positive: Any
) -> dict[str, np.ndarray]:
    """Return columns for all cases, in which a case without an answer counts as wrong."""
    classes = sorted(set(actual.tolist()))
    found = {}
    for name, values in answers.items():
        column = np.empty(len(absent), values.dtype)
        column[rows] = values
        if values.dtype == object:
            other = dict(zip(classes, reversed(classes), strict=True)) if len(classes) == 2 else {}
            column[absent] = [other.get(label, NO_ANSWER) for label in actual[absent]]
        elif name == "":
            pair = standing_pair(classes)
            if absent.any() and positive is None and pair is None:
                hint = f"positive={classes[1]!r} or positive={classes[0]!r} says which"
                raise ArgumentError("positive", "must be known to count missing probabilities as wrong", "none", hint)
            up = pair[1] if positive is None and pair is not None else str(positive)
            low, high = (0.0, 1.0) if 0 <= values.min() <= values.max() <= 1 else (values.min() - 1, values.max() + 1)
            column[absent] = np.where(actual[absent] == up, low, high)
        else:
            column[absent] = np.where(actual[absent] == name, 0.0, 1 / (len(classes) - 1))
        found[name] = column
    return found
