"""Counterexamples to the axioms of performance-based ranking, from pairs on a lattice of performances."""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations_with_replacement, permutations
from math import comb
from typing import Any

import numpy as np

from bayesrank._core.errors import ArgumentError
from bayesrank._core.kendall import typical_size
from bayesrank.scores.placement import place
from bayesrank.scores.score import SCORES, Score

ROUNDING = 1e-9
# Steps of the lattices searched for counterexamples, coarse first, so that examples have few
# digits.
STEPS = {False: (2, 4, 8, 16), True: (2, 4, 10, 20, 40)}
#: Operations on entities at no cost: choose one at random, relabel its predictions, or shuffle
#: them.
OPERATIONS = ("mix", "relabel", "shuffle")
#: Words that limit a pass to what was searched.
FAR = ", as far as was found"
#: Words on a score that is better if lower: an audit tests its function, by which higher values are
#: better.
HIGHER = ", higher values counting as better"

Values = Callable[[np.ndarray], np.ndarray]


def counterexamples(
    score: Score, prevalence: float | None, classes: int = 2, operations: Sequence[Any] = ("mix",)
) -> np.ndarray:
    """Return counterexamples (test, role, cell); NaN if a test found none."""
    result = np.full((3, 3, classes**2), np.nan)
    function = _function(score, classes)
    right = np.eye(classes, dtype=bool).ravel()
    for points in _lattices(prevalence, classes):
        values = function(points)
        missing = np.isnan(result[1:, 0, 0])
        with np.errstate(
            over="ignore"
        ):  # a difference of huge values is as good a counterexample if it is infinite
            if np.isnan(result[0]).all():
                result[0, :2] = _axiom_2(function, points, values, right)
            if missing.any():
                result[1:][missing] = _axiom_3(function, points, values, operations, classes)[
                    missing
                ]
    if np.isnan(values).all():
        some = (
            "some performances"
            if classes < 4
            else "some performances in which a class has no cases"
        )
        raise ArgumentError(
            "score", f"must be defined for {some}; {score.name!r} is undefined for all of them"
        )
    return result


def even_mixtures(
    prevalence: float | None, *, finest: bool = True
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Yield pairs of performances of two classes: points (cell, point), two indices, and the mixtures (cell, ...).

    They come from lattices, coarse first; only from the second one if not ``finest``.
    """
    for number, points in enumerate(_lattices(prevalence, 2)):
        if finest or number == 1:
            for pairs in _images("mix", points, 2):
                yield points, *pairs


def as_far_as_found(
    score: Score, prevalence: float | None = None, prediction_rate: float | None = None
) -> str:
    """Return the words that limit a pass to what was searched; none for importances and known places."""
    in_catalog = SCORES.get(score.name) is score
    has_place = in_catalog and place(score, prevalence, prediction_rate=prediction_rate) is not None
    return "" if score.importance is not None or has_place else FAR


def _function(score: Score, classes: int) -> Values:
    """Return the score as a function of performances (cell, ...)."""
    if classes == 2:
        return lambda points: score.of_cells(*points)

    def of_tables(points: np.ndarray) -> np.ndarray:
        return score.of_tables(
            np.moveaxis(points, 0, -1).reshape(*points.shape[1:], classes, classes)
        )

    return of_tables


def _axiom_2(
    function: Values, points: np.ndarray, values: np.ndarray, right: np.ndarray
) -> np.ndarray:
    """Find a performance that is surely wrong and beats another, or surely right and is beaten."""
    all_wrong, all_right = points[right].sum(axis=0) == 0, points[~right].sum(axis=0) == 0
    result = np.full((2, len(points)), np.nan)
    worst_gap, size = 0.0, typical_size(values).item()
    moved = np.array([values, *(function(other) for other in _moved(points))])
    # The least value of the worse performance, and the greatest of the better one: rounding may not
    # decide.
    least, greatest = moved.min(axis=0), moved.max(axis=0)
    for low, high in ((all_wrong, np.ones_like(all_wrong)), (np.ones_like(all_wrong), all_right)):
        low_values, high_values = np.where(low, least, np.nan), np.where(high, greatest, np.nan)
        if np.isnan(low_values).all() or np.isnan(high_values).all():
            continue
        first, second = np.nanargmax(low_values), np.nanargmin(high_values)
        gap = least[first] - greatest[second]
        if gap > worst_gap + ROUNDING * np.abs(values[[first, second]]).max() + ROUNDING * size:
            result, worst_gap = points[:, [first, second]].T, gap
    return result


def _axiom_3(
    function: Values,
    points: np.ndarray,
    values: np.ndarray,
    operations: Sequence[Any],
    classes: int,
) -> np.ndarray:
    """Find an image that beats all its parts, and one that all its parts beat, over (2, role, cell)."""
    result = np.full((2, 3, len(points)), np.nan)
    points, values = points[:, ~np.isnan(values)], values[~np.isnan(values)]
    gaps = [0.0, 0.0]
    size = typical_size(values).item()
    inside = np.ones(values.shape, bool)
    for moved in _moved(points):
        inside &= ~np.isnan(function(moved))
    for operation in operations if values.size else ():
        for first, second, image in _images(operation, points, classes):
            after = function(image)
            parts = np.broadcast_arrays(values[first], values[second])
            slack = ROUNDING * np.abs(parts).max(axis=0) + ROUNDING * size
            excesses = after - np.max(parts, axis=0) - slack, np.min(parts, axis=0) - after - slack
            # An image outside the domain of the score is not comparable with its parts: a
            # violation. Parts and images at the edge of the domain do not count, as rounding moves
            # them.
            outside = np.isnan(after) & inside[first] & inside[second]
            for side, excess in enumerate(excesses):
                excess = np.where(outside, np.inf, np.nan_to_num(excess, nan=-np.inf))
                doubtful = excess > gaps[side]
                if doubtful.any():
                    lower_point, two = (
                        points[:, np.broadcast_to(part, excess.shape)[doubtful]]
                        for part in (first, second)
                    )
                    stays = _survives(function, lower_point, two, image[:, doubtful], side)
                    excess[doubtful] = np.where(stays, excess[doubtful], 0.0)
                best = np.argmax(excess)
                if excess.flat[best] > gaps[side]:
                    gaps[side] = excess.flat[best]
                    lower_point, two = (
                        np.broadcast_to(part, excess.shape).flat[best] for part in (first, second)
                    )
                    result[side] = (
                        points[:, lower_point],
                        points[:, two],
                        image.reshape(len(image), -1)[:, best],
                    )
    return result


def _survives(
    function: Values, one: np.ndarray, two: np.ndarray, image: np.ndarray, side: int
) -> np.ndarray:
    """Return whether images still violate axiom 3 if rounding moves the cells: a score that jumps may depend on it."""
    lowest, highest = [], []
    for points in (one, two, image):
        values = np.array([function(moved) for moved in _moved(points)])
        lowest.append(np.fmin.reduce(values))
        highest.append(np.fmax.reduce(values))
    undefined = np.isnan(values)  # of the images
    beyond = (
        lowest[2] > np.fmax(highest[0], highest[1])
        if side == 0
        else np.fmin(lowest[0], lowest[1]) > highest[2]
    )
    return undefined.all(axis=0) | (beyond & ~undefined.any(axis=0))


def _moved(points: np.ndarray) -> Iterator[np.ndarray]:
    """Yield performances whose cells are moved as rounding moves them and sums of them; a cell of 0 stays 0."""
    size = 1e-13 + 1e-15 / np.maximum(points, 1e-14)
    for way in np.random.default_rng(0).uniform(-1, 1, size=(4, len(points), 1)):
        for move in (1 + size * way, 1 - size * way):
            yield points * move / (points * move).sum(axis=0)


def _images(
    operation: Any, points: np.ndarray, classes: int
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield images of performances under an operation, with the indices of both their parts."""
    every = np.arange(points.shape[1])
    tables = points.reshape(classes, classes, -1)
    if not isinstance(operation, str):  # noise: transition probabilities of predictions
        yield every, every, np.einsum("apn,pq->aqn", tables, operation).reshape(points.shape)
    elif operation == "mix":
        for block in np.array_split(every, max(1, every.size // 200)):
            rest = every[block[0] :]  # each pair once
            yield block[:, None], rest, (points[:, block, None] + points[:, None, rest]) / 2
    elif operation == "shuffle":  # half of the predictions are permuted: skill is halved
        twins = tables.sum(axis=1, keepdims=True) * tables.sum(axis=0, keepdims=True)
        yield every, every, ((tables + twins) / 2).reshape(points.shape)
    else:  # replacing one label by another and exchanging two generate all relabellings
        for one, two in permutations(range(classes), 2):
            merged = tables.copy()
            merged[:, two] += merged[:, one]
            merged[:, one] = 0
            yield every, every, merged.reshape(points.shape)
            if one < two:
                swapped = tables.copy()
                swapped[:, [one, two]] = tables[:, [two, one]]
                yield every, every, swapped.reshape(points.shape)


def searched_pairs(prevalence: float | None, classes: int = 2) -> int:
    """Return the number of pairs of performances of the lattices, each with itself, too."""
    sizes = [points.shape[1] for points in _lattices(prevalence, classes)]
    return sum(size * (size + 1) // 2 for size in sizes)


def _lattices(prevalence: float | None, classes: int) -> Iterator[np.ndarray]:
    """Yield lattices of performances (cell, point), coarse first."""
    if classes == 2:
        yield from (lattice(steps, prevalence) for steps in STEPS[prevalence is not None])
        return
    cells = classes**2
    for steps in range(1, 9):
        if comb(steps + cells - 1, steps) > 2500:
            return
        chosen = combinations_with_replacement(range(cells), steps)  # the cell of each case
        yield np.array([np.bincount(one, minlength=cells) for one in chosen])[::-1].T / steps


def lattice(steps: int, prevalence: float | None) -> np.ndarray:
    """Return performances (cell, point): the simplex, or the ROC square of a prevalence, in equal steps."""
    if prevalence is None:
        grid = np.indices((steps + 1,) * 3).reshape(3, -1)
        grid = grid[:, grid.sum(axis=0) <= steps]
        return np.vstack([grid, steps - grid.sum(axis=0)])[[3, 0, 1, 2]] / steps
    fpr, tpr = np.indices((steps + 1,) * 2).reshape(2, -1)
    negative, positive = (1 - prevalence) / steps, prevalence / steps
    return np.array(
        [negative * (steps - fpr), negative * fpr, positive * (steps - tpr), positive * tpr]
    )
