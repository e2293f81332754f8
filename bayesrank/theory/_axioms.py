"""Counterexamples to the axioms of performance-based ranking, from pairs on a lattice of performances."""

from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from math import comb
from typing import Any

import numpy as np

from bayesrank.scores.score import Score

__all__ = ["OPERATIONS", "counterexamples", "lattice"]

ROUNDING = 1e-9
# Steps of the lattices searched for counterexamples, coarse first, so that examples have few digits.
STEPS = {False: (2, 4, 8, 16), True: (2, 4, 10, 20, 40)}
#: Maximum number of performances of more than two classes, as there are many more pairs.
MOST = 2500
#: Operations on entities at no cost: choose one at random, relabel its predictions, or shuffle them.
OPERATIONS = ("mix", "relabel", "shuffle")

Values = Callable[[np.ndarray], np.ndarray]


def counterexamples(
    score: Score, prevalence: float | None, classes: int = 2, operations: Sequence[Any] = ("mix",)
) -> np.ndarray:
    """Return counterexamples (test, role, cell); NaN if a test found none."""
    found = np.full((3, 3, classes**2), np.nan)
    function = _function(score, classes)
    right = np.eye(classes, dtype=bool).ravel()
    for points in _lattices(prevalence, classes):
        values = function(points)
        if np.isnan(found[0]).all():
            found[0, :2] = _axiom_2(points, values, right)
        if np.isnan(found[1:, 0]).any():
            pairs = np.full((2, 3, classes**2), np.nan)
            if any(isinstance(one, str) and one == "mix" for one in operations):
                pairs = _axiom_3(function, points, values)
            others = [image for one in operations for image in _images(one, points, classes)]
            if others:
                changed = _find_changes(function, points, values, others)
                pairs = np.where(np.isnan(pairs), changed, pairs)
            for test in (1, 2):
                if np.isnan(found[test]).all():
                    found[test] = pairs[test - 1]
    if np.isnan(values).all():
        raise ValueError(f"score must be defined for some performances; {score.name!r} is for none")
    return found


def _function(score: Score, classes: int) -> Values:
    """Return the score as a function of performances (cell, ...)."""
    if classes == 2:
        return lambda points: score.of_cells(*points)

    def of_tables(points: np.ndarray) -> np.ndarray:
        return score.of_tables(np.moveaxis(points, 0, -1).reshape(*points.shape[1:], classes, classes))

    return of_tables


def _axiom_2(points: np.ndarray, values: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Find a performance that is surely wrong and beats another, or surely right and is beaten."""
    all_wrong, all_right = points[right].sum(axis=0) == 0, points[~right].sum(axis=0) == 0
    result = np.full((2, len(points)), np.nan)
    worst_gap = 0.0
    for low, high in ((all_wrong, np.ones_like(all_wrong)), (np.ones_like(all_wrong), all_right)):
        low_values, high_values = np.where(low, values, np.nan), np.where(high, values, np.nan)
        if np.isnan(low_values).all() or np.isnan(high_values).all():
            continue
        first, second = np.nanargmax(low_values), np.nanargmin(high_values)
        gap = values[first] - values[second]
        if gap > worst_gap + ROUNDING * np.nanmean(np.abs(values)):
            result, worst_gap = points[:, [first, second]].T, gap
    return result


def _axiom_3(function: Values, points: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Find two performances whose even mixture beats both, and two that both beat theirs, over (2, role, cell)."""
    result = np.full((2, 3, len(points)), np.nan)
    points, values = points[:, ~np.isnan(values)], values[~np.isnan(values)]
    if values.size == 0:
        return result
    gaps = [0.0, 0.0]
    size = np.abs(values).mean()
    for block in np.array_split(np.arange(values.size), max(1, values.size // 200)):
        rest = slice(block[0], None)  # each pair once
        middle = (points[:, block, None] + points[:, None, rest]) / 2
        mixed = function(middle)
        high = np.maximum(values[block, None], values[rest])
        low = np.minimum(values[block, None], values[rest])
        slack = ROUNDING * (np.maximum(np.abs(high), np.abs(low)) + size)
        for side, excess in enumerate((mixed - high - slack, low - mixed - slack)):
            # A mixture outside the domain of the score is not comparable with either part: no violation.
            excess = np.where(np.isnan(mixed), np.inf, excess)
            i, j = np.unravel_index(np.argmax(excess), excess.shape)
            if excess[i, j] > gaps[side]:
                gaps[side] = excess[i, j]
                result[side] = points[:, block[i]], points[:, block[0] + j], middle[:, i, j]
    return result


def _images(operation: Any, points: np.ndarray, classes: int) -> Iterator[np.ndarray]:
    """Yield the images of performances under an operation on single entities; none, for mixtures."""
    tables = points.reshape(classes, classes, -1)
    if not isinstance(operation, str):  # noise: transition probabilities of predictions
        yield np.einsum("apn,pq->aqn", tables, operation).reshape(points.shape)
        return
    if operation == "mix":
        return
    if operation == "shuffle":  # half of the predictions are permuted: skill is halved
        twins = tables.sum(axis=1, keepdims=True) * tables.sum(axis=0, keepdims=True)
        yield ((tables + twins) / 2).reshape(points.shape)
        return
    # Replace one label by another, or exchange two: these generate all relabellings.
    for one, two in permutations(range(classes), 2):
        merged = tables.copy()
        merged[:, two] += merged[:, one]
        merged[:, one] = 0
        yield merged.reshape(points.shape)
        if one < two:
            swapped = tables.copy()
            swapped[:, [one, two]] = tables[:, [two, one]]
            yield swapped.reshape(points.shape)


def _find_changes(function: Values, points: np.ndarray, values: np.ndarray, images: list[np.ndarray]) -> np.ndarray:
    """Find a performance that an operation improves, and one that it degrades, over (2, role, cell)."""
    result = np.full((2, 3, len(points)), np.nan)
    gaps = [0.0, 0.0]
    known = ~np.isnan(values)
    size = np.abs(values[known]).mean() if known.any() else 0.0
    for image in images:
        after = function(image)
        slack = ROUNDING * (np.abs(values) + size)
        for side, gain in enumerate((after - values - slack, values - after - slack)):
            gain = np.where(known & np.isnan(after), np.inf, np.nan_to_num(gain, nan=-1.0))
            best = np.argmax(gain)
            if gain[best] > gaps[side]:
                gaps[side] = gain[best]
                result[side] = points[:, best], points[:, best], image[:, best]
    return result


def _lattices(prevalence: float | None, classes: int) -> Iterator[np.ndarray]:
    """Yield lattices of performances (cell, point), coarse first."""
    if classes == 2:
        yield from (lattice(steps, prevalence) for steps in STEPS[prevalence is not None])
        return
    cells = classes**2
    for steps in range(1, 9):
        if comb(steps + cells - 1, steps) > MOST:
            return
        yield _compositions(steps, cells).T / steps


def _compositions(total: int, cells: int) -> np.ndarray:
    """Return all ways to put ``total`` cases into cells, one per row."""
    if cells == 1:
        return np.array([[total]])
    rows = [np.insert(_compositions(total - first, cells - 1), 0, first, axis=1) for first in range(total + 1)]
    return np.concatenate(rows)


def lattice(steps: int, prevalence: float | None) -> np.ndarray:
    """Return performances (cell, point): the simplex, or the ROC square of a prevalence, in equal steps."""
    if prevalence is None:
        grid = np.indices((steps + 1,) * 3).reshape(3, -1)
        grid = grid[:, grid.sum(axis=0) <= steps]
        return np.vstack([grid, steps - grid.sum(axis=0)])[[3, 0, 1, 2]] / steps
    fpr, tpr = np.indices((steps + 1,) * 2).reshape(2, -1)
    negative, positive = (1 - prevalence) / steps, prevalence / steps
    return np.array([negative * (steps - fpr), negative * fpr, positive * (steps - tpr), positive * tpr])
