"""Shared parts of evidence from single cases: patterns and their counts, names of cases, columns of a frame."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from bayesrank._checks import check_item_names, check_unique, describe_value, is_number
from bayesrank._labels import name_coord, object_array, unique_rows

#: Largest whole number that floats represent exactly.
EXACT = 2**53
#: Largest outcome: its squares can be summed over cases and draws.
LARGEST = 1e100


def patterns(
    codes: np.ndarray, weight: np.ndarray, groups: Mapping[str, list]
) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """Return the unique rows of each data set and cluster, their counts, and the coords of the groups.

    Parameters
    ----------
    codes : array of int (case, column)
    weight : array of int (case)
    groups : mapping
        Names, one for each case, of ``dataset`` and ``cluster``; other groups are ignored.
    """
    found = {group: pd.factorize(object_array(groups[group])) for group in ("dataset", "cluster") if group in groups}
    seen = weight > 0
    rows, which = unique_rows(np.column_stack([*(code for code, _ in found.values()), codes])[seen])
    count = np.zeros(len(rows), np.int64)
    np.add.at(count, which, weight[seen])
    named = {
        group: ("pattern", name_coord(names.tolist())[rows[:, i]])
        for i, (group, (_, names)) in enumerate(found.items())
    }
    return rows[:, len(found) :], count, named


def check_cases(names: list, weight: np.ndarray, datasets: list | None, runs: list | None = None) -> None:
    """Raise an error if a case counts twice: in two rows (except runs), in two data sets, or by its weight."""
    if (weight > 1).any():
        raise ValueError(
            f"weight must be 0 or 1 where cases have names: a case that counts {weight.max()} times is no new "
            f"evidence; got {weight.max()} for {names[int(weight.argmax())]!r}"
        )
    home: dict[Any, Any] = {}
    held = set()
    for i in np.flatnonzero(weight).tolist():
        name = names[i]
        if datasets is not None and home.setdefault(name, datasets[i]) != datasets[i]:
            raise ValueError(
                f"case must name each case in one data set only; got duplicate cases: {name!r} in {home[name]!r} and "
                f"in {datasets[i]!r}. Data sets that overlap, as repeated folds do, are replicates: the same "
                "case counted twice is not new evidence. Pass one row a case without dataset=, the mean over its "
                "repetitions (run= of br.from_outcomes), or all rows without dataset= and with the names as cluster="
            )
        key = (name, None if runs is None else runs[i])
        if key in held:
            if runs is not None:
                raise ValueError(f"run must name each run of a case once; got duplicate runs: {runs[i]!r} of {name!r}")
            raise ValueError(
                f"case must name each case once; got duplicate cases: {name!r} in several rows. The same case counted "
                "twice is not new evidence: pass one row a case, the mean over its repetitions (run= of "
                "br.from_outcomes), or the names as cluster= instead of case="
            )
        held.add(key)


def common_note(kept: int, left_out: int, what: str = "cases") -> dict[str, Any]:
    """Return attrs that record dropped cases, if any."""
    if not left_out:
        return {}
    return {
        "missing": "common",
        "cases": kept,
        "cases_left_out": left_out,
        "note": f"Answers are missing: {kept} of {kept + left_out} {what} are kept; all entities met these.",
    }


def without_columns(frame: Any, given: Mapping[str, Any]) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the columns of the entities, and the other arguments as sequences."""
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"frame must be a pandas DataFrame; got {describe_value(frame)}")
    check_unique("frame", check_item_names("frame", list(frame.columns), frame.shape[1]))
    columns = {name: held for name, held in given.items() if isinstance(held, str) and held in frame.columns}
    outcomes = frame.drop(columns=list(dict.fromkeys(columns.values())))
    if not outcomes.size:
        raise ValueError(
            f"frame must hold a case and an entity at least; got {outcomes.shape[0]} x {outcomes.shape[1]}"
        )
    return outcomes, {**given, **{name: frame[column] for name, column in columns.items()}}


def numbers_of(outcomes: pd.DataFrame) -> np.ndarray:
    """Return the outcomes (row, entity) as floats, NaN if missing."""
    return np.column_stack([_column(name, outcomes[name]) for name in outcomes.columns])


def _column(name: Any, column: pd.Series) -> np.ndarray:
    """Return the outcomes of an entity as numbers."""
    given = column[~column.isna()]
    others = [] if column.dtype.kind in "biuf" else [v for v in given if not (isinstance(v, bool) or is_number(v))]
    if others:
        raise TypeError(f"frame must hold numbers; got {describe_value(others[0])} in column {name!r}")
    values = column.to_numpy(dtype=float, na_value=np.nan)
    if column.dtype.kind in "iu" and given.size and max(abs(int(given.max())), abs(int(given.min()))) > EXACT:
        raise ValueError(f"frame must hold whole numbers up to 2**53; got {given.max()} in column {name!r}")
    if np.isinf(values).any():
        raise ValueError(f"frame must hold finite numbers; got an infinite one in column {name!r}")
    if given.size and np.nanmax(np.abs(values)) > LARGEST:
        raise ValueError(f"frame must hold numbers up to {LARGEST:.0e}, whose squares have sums; got more in {name!r}")
    return values
