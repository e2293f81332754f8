"""Shared parts of evidence from single cases: patterns and their counts, names of cases, columns of a frame."""

from collections.abc import Mapping
from itertools import compress
from typing import Any

import numpy as np
import pandas as pd

from bayesrank._checks import EXACT, check_item_names, check_unique, describe_value, is_number
from bayesrank._errors import ArgumentError, ArgumentTypeError
from bayesrank._labels import factorize, find_repeat, name_coord, unique_rows
from bayesrank._notes import Note, notes_text

#: Largest outcome: its squares can be summed over cases and draws.
LARGEST = 1e100


def name_groups(size: int, **given: Any) -> dict[str, list]:
    """Return the names that the user gave to the cases, by kind; one data set may be named for all."""
    if given["run"] is not None and given["case"] is None:
        raise ArgumentError("case", "must be given where run is, to tell whose runs they are", "None")
    return {
        group: check_item_names(group, names, size, broadcast=group == "dataset")
        for group, names in given.items()
        if names is not None
    }


def keep_rows(groups: Mapping[str, list], kept: np.ndarray) -> dict[str, list]:
    return {group: list(compress(names, kept)) for group, names in groups.items()}


def patterns(
    codes: np.ndarray, numbers: np.ndarray, groups: Mapping[str, list]
) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """Return the unique rows of ``codes`` (case, column) in each data set and cluster, their counts, and the coords."""
    found = {group: factorize(groups[group]) for group in ("dataset", "population", "cluster") if group in groups}
    rows, which = unique_rows(np.column_stack([*(code for code, _ in found.values()), codes]))
    count = np.zeros(len(rows), numbers.dtype)
    np.add.at(count, which, numbers)
    coords = {group: ("pattern", name_coord(names)[rows[:, i]]) for i, (group, (_, names)) in enumerate(found.items())}
    return rows[:, len(found) :], count, coords


def check_cases(groups: Mapping[str, list], count: np.ndarray) -> None:
    """Raise an error if a named case counts twice: in two rows (except runs), in two data sets, or by its count."""
    if "case" not in groups:
        return
    names = groups["case"]
    if (count > 1).any():
        raise ArgumentError(
            "count",
            f"must be 0 or 1 where cases have names: a case that counts {count.max()} times is no new evidence",
            f"{count.max()} for {names[int(count.argmax())]!r}",
        )
    remedy = (
        "The same case counted twice is not new evidence: pass one row a case, the mean over its repetitions (run= of "
        "br.from_outcomes), or the names as cluster= instead of case="
    )
    pairs = list(dict.fromkeys(zip(names, groups.get("dataset", names), strict=True)))
    if "dataset" in groups and (twice := find_repeat(name for name, _ in pairs)) is not None:
        (name, second), (_, first) = (pairs[i] for i in twice)
        raise ArgumentError(
            "case",
            "must name each case in one data set only",
            f"duplicate cases: {name!r} in {first!r} and in "
            f"{second!r}, as repeated folds do. {remedy}, and no dataset=",
        )
    runs = groups.get("run")
    if (twice := find_repeat(zip(names, runs or names, strict=True))) is not None:
        name = names[twice[0]]
        if runs:
            raise ArgumentError(
                "run", "must name each run of a case once", f"duplicate runs: {runs[twice[0]]!r} of {name!r}"
            )
        raise ArgumentError("case", "must name each case once", f"duplicate cases: {name!r} in several rows. {remedy}")


def common_note(kept: int, left_out: int) -> dict[str, Any]:
    """Return attrs that record dropped cases, if any."""
    if not left_out:
        return {}
    return {
        "missing": "common",
        "cases": kept,
        "cases_left_out": left_out,
        "notes": notes_text([Note("answers_of_all_kept", {"kept": kept, "total": kept + left_out})]),
    }


def without_columns(frame: Any, given: Mapping[str, Any]) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the columns of the entities, and the other arguments as sequences."""
    if not isinstance(frame, pd.DataFrame):
        raise ArgumentTypeError("frame", "must be a pandas DataFrame", describe_value(frame))
    check_unique("frame", check_item_names("frame", list(frame.columns), frame.shape[1]))
    columns = {name: held for name, held in given.items() if isinstance(held, str) and held in frame.columns}
    outcomes = frame.drop(columns=list(dict.fromkeys(columns.values())))
    if not outcomes.size:
        raise ArgumentError(
            "frame", "must hold a case and an entity at least", f"{outcomes.shape[0]} x {outcomes.shape[1]}"
        )
    return outcomes, {**given, **{name: frame[column] for name, column in columns.items()}}


def numbers_of(outcomes: pd.DataFrame) -> np.ndarray:
    """Return the outcomes (row, entity) as floats, NaN if missing."""
    found = np.empty(outcomes.shape)
    for i, (name, column) in enumerate(outcomes.items()):
        given = column[~column.isna()]
        others = [] if column.dtype.kind in "biuf" else [v for v in given if not (isinstance(v, bool) or is_number(v))]
        if others:
            raise ArgumentTypeError("frame", "must hold numbers", f"{describe_value(others[0])} in column {name!r}")
        if column.dtype.kind in "iu" and given.size and max(abs(int(given.max())), abs(int(given.min()))) > EXACT:
            raise ArgumentError("frame", "must hold whole numbers up to 2**53", f"{given.max()} in column {name!r}")
        found[:, i] = column.to_numpy(dtype=float, na_value=np.nan)
        if np.isinf(found[:, i]).any():
            raise ArgumentError("frame", "must hold finite numbers", f"an infinite one in column {name!r}")
        if (np.abs(found[:, i]) > LARGEST).any():
            raise ArgumentError(
                "frame", f"must hold numbers up to {LARGEST:.0e}, whose squares have sums", f"more in {name!r}"
            )
    return found
