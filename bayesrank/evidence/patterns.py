"""Shared parts of evidence from single cases: patterns and their counts, names of cases, columns of a frame."""

from collections.abc import Mapping
from itertools import compress
from typing import Any

import numpy as np
import pandas as pd

from bayesrank._core.checks import EXACT, check_item_names, check_unique, describe_value, is_number
from bayesrank._core.errors import Advice, ArgumentError, ArgumentTypeError, InPython, Typed
from bayesrank._core.labels import factorize, find_repeat, name_coord, unique_rows
from bayesrank._core.notes import Note, notes_text
from bayesrank.evidence.weighting import UNIT_WEIGHT

#: Largest outcome: its squares can be summed over cases and draws.
LARGEST = 1e100


def name_groups(size: int, stratum: str = "dataset", **given: Any) -> dict[str, list]:
    """Return the names that the user gave to the cases, by kind; one data set may be named for all.

    ``stratum`` is what messages call the data sets.
    """
    if given.get("run") is not None and given.get("case") is None:
        raise ArgumentError("case", "must be given with run=, since runs belong to cases", "None")
    return {
        group: check_item_names(
            stratum if group == "dataset" else group, names, size, broadcast=group == "dataset"
        )
        for group, names in given.items()
        if names is not None
    }


def keep_rows(groups: Mapping[str, list], rows: np.ndarray) -> dict[str, list]:
    return {group: list(compress(names, rows)) for group, names in groups.items()}


def patterns(
    codes: np.ndarray,
    numbers: np.ndarray,
    groups: Mapping[str, list],
    weight: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """Return the unique rows of ``codes`` (case, column) in each data set and cluster, their counts, and the coords.

    Cases of unequal ``weight`` have patterns of their own, since weights multiply and are no
    counts.
    """
    factorized = {
        group: factorize(groups[group])
        for group in ("dataset", "population", "cluster")
        if group in groups
    }
    columns = [*(code for code, _ in factorized.values()), codes]
    weights = np.empty(0)
    if weight is not None:
        weights, of_weight = np.unique(weight, return_inverse=True)
        columns.append(of_weight)
    rows, which = unique_rows(np.column_stack(columns))
    count = np.zeros(len(rows), numbers.dtype)
    np.add.at(count, which, numbers)
    coords = {
        group: ("pattern", name_coord(names)[rows[:, i]])
        for i, (group, (_, names)) in enumerate(factorized.items())
    }
    if weight is not None:
        coords[UNIT_WEIGHT], rows = ("pattern", weights[rows[:, -1]]), rows[:, :-1]
    return rows[:, len(factorized) :], count, coords


#: What to do about a case that counts twice.
COUNTED_TWICE = Advice(
    "The same case counted twice is not new evidence: pass one row a case, the mean over its repetitions (",
    *(Typed("run"), InPython(" of br.from_outcomes"), "), or the names as ", Typed("cluster")),
    *(" instead of ", Typed("case")),
)


def check_cases(groups: Mapping[str, list], count: np.ndarray) -> None:
    """Raise an error if a named case counts twice: in two rows (except runs), in two data sets, or by its count."""
    if "case" not in groups:
        return
    names = groups["case"]
    if (count > 1).any():
        raise ArgumentError(
            "count",
            f"must be 0 or 1 if cases have names: a case that counts {count.max()} times is not new evidence",
            f"{count.max()} for {names[int(count.argmax())]!r}",
        )
    pairs = list(dict.fromkeys(zip(names, groups.get("dataset", names), strict=True)))
    if "dataset" in groups and (twice := find_repeat(name for name, _ in pairs)) is not None:
        (name, second), (_, first) = (pairs[i] for i in twice)
        raise ArgumentError(
            "case",
            "must name each case in one data set only",
            Advice(
                f"duplicate cases: {name!r} in {first!r} and in {second!r}, as repeated folds do. ",
                *(COUNTED_TWICE, ", and no ", Typed("dataset")),
            ),
        )
    runs = groups.get("run")
    if (twice := find_repeat(zip(names, runs or names, strict=True))) is not None:
        name = names[twice[0]]
        if runs:
            raise ArgumentError(
                "run",
                "must name each run of a case once",
                f"duplicate runs: {runs[twice[0]]!r} of {name!r}",
            )
        got = Advice(f"duplicate cases: {name!r} in several rows. ", COUNTED_TWICE)
        raise ArgumentError("case", "must name each case once", got)


def common_note(common: int, left_out: int) -> dict[str, Any]:
    """Return attrs that record dropped cases, if any."""
    if not left_out:
        return {}
    return {
        "missing": "common",
        "cases": common,
        "cases_left_out": left_out,
        "notes": notes_text(
            [Note("answers_of_all_kept", {"kept": common, "total": common + left_out})]
        ),
    }


def without_columns(
    frame: Any, arguments: Mapping[str, Any]
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the columns of the entities, and the other arguments as sequences."""
    if not isinstance(frame, pd.DataFrame):
        raise ArgumentTypeError("frame", "must be a pandas DataFrame", describe_value(frame))
    check_unique("frame", check_item_names("frame", list(frame.columns), frame.shape[1]))
    columns = {
        name: held
        for name, held in arguments.items()
        if isinstance(held, str) and held in frame.columns
    }
    outcomes = frame.drop(columns=list(dict.fromkeys(columns.values())))
    if not outcomes.size:
        raise ArgumentError(
            "frame",
            "must contain at least one case and one entity",
            f"{outcomes.shape[0]} x {outcomes.shape[1]}",
        )
    return outcomes, {**arguments, **{name: frame[column] for name, column in columns.items()}}


def numbers_of(outcomes: pd.DataFrame) -> np.ndarray:
    """Return the outcomes (row, entity) as floats, NaN if missing."""
    result = np.empty(outcomes.shape)
    for i, (name, column) in enumerate(outcomes.items()):
        present = column[~column.isna()]
        others = (
            []
            if column.dtype.kind in "biuf"
            else [v for v in present if not (isinstance(v, bool) or is_number(v))]
        )
        if others:
            raise ArgumentTypeError(
                "frame", "must contain numbers", f"{describe_value(others[0])} in column {name!r}"
            )
        if (
            column.dtype.kind in "iu"
            and present.size
            and max(abs(int(present.max())), abs(int(present.min()))) > EXACT
        ):
            raise ArgumentError(
                "frame",
                "must contain whole numbers up to 2**53",
                f"{present.max()} in column {name!r}",
            )
        result[:, i] = column.to_numpy(dtype=float, na_value=np.nan)
        if np.isinf(result[:, i]).any():
            raise ArgumentError(
                "frame", "must contain finite numbers", f"an infinite one in column {name!r}"
            )
        if (np.abs(result[:, i]) > LARGEST).any():
            raise ArgumentError(
                "frame",
                f"must contain numbers up to {LARGEST:.0e}, whose squares have sums",
                f"more in {name!r}",
            )
    return result


def count_discordant(
    answers: np.ndarray,
    count: np.ndarray,
    cluster: np.ndarray | None,
    each: np.ndarray | None = None,
) -> np.ndarray:
    """Count the cases, or clusters, on which two entities give different answers (entity, rival).

    ``answers`` (pattern, entity) are codes; a negative one is missing and counts as no difference.
    With the weight ``each`` of a case of the pattern, ``count`` is a sum of weights, and the result
    the effective number of cases.
    """
    if cluster is not None:
        order = np.argsort(cluster, kind="stable")
        answers, count = answers[order], count[order]
        starts = np.flatnonzero(np.diff(cluster[order], prepend=-1))
    size = answers.shape[1]
    result = np.zeros((size, size))
    narrow = answers.astype(
        np.min_scalar_type(-max(int(answers.max(initial=0)), 1))
    )  # compares several at once
    rows = np.ascontiguousarray(narrow.T)
    complete, single = bool((rows >= 0).all()), each is None and bool((count == 1).all())
    for i in range(size - 1):
        differ = rows[i + 1 :] != rows[i]
        if not complete:
            differ &= (rows[i + 1 :] >= 0) & (rows[i] >= 0)
        if cluster is None:
            number = (
                np.count_nonzero(differ, axis=1)
                if single
                else effective_number(count, each, differ.T)
            )
            result[i, i + 1 :] = number
        else:
            result[i, i + 1 :] = np.logical_or.reduceat(differ, starts, axis=1).sum(axis=1)
    return result + result.T


def effective_number(count: np.ndarray, each: np.ndarray | None, counted: np.ndarray) -> np.ndarray:
    """Return the effective number of the cases of the patterns that are ``counted`` (pattern, column)."""
    total = count @ counted
    if each is None:
        return total
    square = (count * each) @ counted
    return np.divide(total**2, square, out=np.zeros(len(total)), where=square > 0)
