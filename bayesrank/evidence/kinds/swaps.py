"""Which entities may be swapped without a change of the evidence."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np


def groups_of(keys: Iterable[Any]) -> list[np.ndarray]:
    """Return the positions of equal keys, two at least."""
    members: dict[Any, list[int]] = {}
    for i, key in enumerate(keys):
        members.setdefault(key, []).append(i)
    return [np.array(group) for group in members.values() if len(group) > 1]


def swaps_of_columns(answers: np.ndarray, count: np.ndarray, *places: np.ndarray | None) -> list[np.ndarray]:
    """Return the groups of columns of ``answers`` (pattern, entity) that may be swapped.

    Answers are codes, negative if missing. ``count`` are the cases of each pattern, ``places`` what tells patterns
    apart, such as clusters. Only columns with equal answers in number are tried.
    """
    margins = [tuple(np.bincount(column + 1, count).tolist()) for column in answers.T]
    found = []
    for candidates in groups_of(margins):
        left = candidates.tolist()
        while len(left) > 1:
            first, *others = left
            alike = [other for other in others if _may_swap(answers, count, places, first, other)]
            if alike:
                found.append(np.array([first, *alike]))
            left = [other for other in others if other not in alike]
    return found


def _may_swap(
    answers: np.ndarray, count: np.ndarray, places: Sequence[np.ndarray | None], one: int, other: int
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
    found: dict[Any, float] = defaultdict(float)
    for row, number, *where in zip(rows, count.tolist(), *places, strict=True):
        found[row.tobytes(), *where] += number
    return found


def swaps_of_votes(wins: np.ndarray, ties: np.ndarray) -> list[np.ndarray]:
    """Return the groups of entities with the same votes against every other one, and even votes among themselves."""
    found, left = [], list(range(len(wins)))
    while left:
        first, *others = left
        alike = [i for i in others if _same_votes(wins, ties, first, i)]
        if alike:
            found.append(np.array([first, *alike]))
        left = [i for i in others if i not in alike]
    return found


def _same_votes(wins: np.ndarray, ties: np.ndarray, one: int, other: int) -> bool:
    order = np.arange(len(wins))
    order[[one, other]] = other, one
    return all((votes == votes[np.ix_(order, order)]).all() for votes in (wins, ties))
