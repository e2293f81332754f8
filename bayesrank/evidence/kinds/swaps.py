"""Which entities may be swapped without a change of the evidence."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from bayesrank.evidence.counts import parts_of
from bayesrank.evidence.weighting import unit_weight_of


@dataclass(frozen=True)
class Fitted:
    """What a model was fitted to, beside evidence of any kind."""

    entities: int  #: Their number.
    tables: xr.DataArray | None = None  #: Counts (entity, ...), if there are any.
    prior: xr.DataArray | None = None  #: Prior of each cell in equivalent cases (entity, ...).
    by_prevalence: bool = (
        True  #: Whether the score depends on the prevalence, and so on the test set.
    )


def groups_of(keys: Iterable[Any]) -> list[np.ndarray]:
    """Return the positions of equal keys, two at least."""
    members: dict[Any, list[int]] = {}
    for i, key in enumerate(keys):
        members.setdefault(key, []).append(i)
    return [np.array(group) for group in members.values() if len(group) > 1]


def swaps_of_tables(fitted: Fitted) -> list[np.ndarray]:
    """Return the groups of entities with equal counts, weights and priors.

    They are on their own or on a common test set, or on any test sets if the score does not depend
    on the prevalence.
    """
    tables = fitted.tables
    if tables is None or tables.sizes["entity"] != fitted.entities:
        return []
    unit_weight = xr.Variable(tables.dims, unit_weight_of(tables))
    arrays = [_rows(tables.variable), _rows(unit_weight)]
    if (parts := parts_of(tables)) is not None:
        arrays.append(_rows(parts.variable))
    if fitted.prior is not None and "entity" in fitted.prior.dims:
        arrays.append(_rows(fitted.prior.variable))
    test_set = tables.coords.get("test_set")
    shared = np.full(fitted.entities, "")
    if test_set is not None and fitted.by_prevalence:
        shared = _shared_names(test_set)
    return groups_of(
        [
            (name, *(row.tobytes() for row in rows))
            for name, *rows in zip(shared, *arrays, strict=True)
        ]
    )


def _rows(array: xr.Variable) -> np.ndarray:
    """Return the values of each entity in one row."""
    return np.ascontiguousarray(
        array.transpose("entity", ...).values.reshape(array.sizes["entity"], -1).astype(float)
    )


def _shared_names(test_set: xr.DataArray) -> np.ndarray:
    """Return the names of the test sets of each entity; empty for test sets that no other entity has."""
    names = test_set.variable.transpose("entity", ...).values.astype(str)
    names = names.reshape(len(names), -1)
    for column in names.T:
        labels, number = np.unique(column, return_counts=True)
        column[np.isin(column, labels[number == 1])] = ""
    return np.array(["\n".join(row) for row in names])


def swaps_of_columns(
    answers: np.ndarray, count: np.ndarray, *places: np.ndarray | None
) -> list[np.ndarray]:
    """Return the groups of columns of ``answers`` (pattern, entity) that may be swapped.

    Answers are codes, negative if missing. ``count`` are the cases of each pattern, ``places`` what
    tells patterns apart, such as clusters. Only columns with equal answers in number are tried.
    """
    weights = np.random.default_rng(0).integers(2**31, size=answers.shape[1:])
    sums = answers.astype(np.int64) @ weights
    margins = [tuple(np.bincount(column + 1, count).tolist()) for column in answers.T]
    result = []
    for candidates in groups_of(margins):
        remaining = candidates.tolist()
        while len(remaining) > 1:
            first, *others = remaining
            alike = [
                other
                for other in others
                if _keeps_sums(answers, sums, weights, first, other)
                and _may_swap(answers, count, places, first, other)
            ]
            if alike:
                result.append(np.array([first, *alike]))
            remaining = [other for other in others if other not in alike]
    return result


def _keeps_sums(
    answers: np.ndarray, sums: np.ndarray, weights: np.ndarray, one: int, other: int
) -> bool:
    """Return whether swapping leaves the weighted sums of the patterns, as it must: whole patterns take longer."""
    differ = answers[:, one] != answers[:, other]
    before, more = sums[differ], (answers[differ, other] - answers[differ, one]).astype(np.int64)
    after = before + more * (weights[one] - weights[other])
    return np.array_equal(np.unique(before), np.unique(after))


def _may_swap(
    answers: np.ndarray,
    count: np.ndarray,
    places: Sequence[np.ndarray | None],
    one: int,
    other: int,
) -> bool:
    """Return whether swapping the answers of two entities leaves the weighted patterns as they are."""
    differ = answers[:, one] != answers[:, other]
    if not differ.any():
        return True
    swapped = answers[differ].copy()
    swapped[:, [one, other]] = swapped[:, [other, one]]
    where = [part[differ].tolist() for part in places if part is not None]
    return _tally(answers[differ], count[differ], where) == _tally(swapped, count[differ], where)


def _tally(rows: np.ndarray, count: np.ndarray, places: Sequence[list[Any]]) -> dict[Any, float]:
    """Return the number of cases of each pattern and place."""
    result: dict[Any, float] = defaultdict(float)
    for row, number, *where in zip(rows, count.tolist(), *places, strict=True):
        result[row.tobytes(), *where] += number
    return result


def swaps_of_votes(wins: np.ndarray, ties: np.ndarray) -> list[np.ndarray]:
    """Return the groups of entities with the same votes against every other one, and even votes among themselves."""
    result, remaining = [], list(range(len(wins)))
    while remaining:
        first, *others = remaining
        alike = [i for i in others if _same_votes(wins, ties, first, i)]
        if alike:
            result.append(np.array([first, *alike]))
        remaining = [i for i in others if i not in alike]
    return result


def _same_votes(wins: np.ndarray, ties: np.ndarray, one: int, other: int) -> bool:
    order = np.arange(len(wins))
    order[[one, other]] = other, one
    return all((votes == votes[np.ix_(order, order)]).all() for votes in (wins, ties))
