"""Rank intervals: for single entities, and simultaneous for all entities."""

from typing import Any

import numpy as np

from bayesrank._draws import BLOCK, Batches, iterate_blocks, mean_error, share_error

#: Differences of ranks and probabilities below this are rounding errors.
ROUNDING = 1e-12


def rank_intervals(probability: np.ndarray, tail: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the narrowest rank interval of each entity with at most ``tail`` beyond either end; NaN if unknown."""
    below = np.cumsum(probability, axis=1)
    above = np.cumsum(probability[:, ::-1], axis=1)[:, ::-1]
    lower = 1 + np.argmax(below > tail + ROUNDING, axis=1)
    upper = probability.shape[1] - np.argmax((above > tail + ROUNDING)[:, ::-1], axis=1)
    known = ~np.isnan(probability).any(axis=1)
    return with_gaps(lower, known), with_gaps(upper, known)


def simultaneous_intervals(
    mass: np.ndarray, twice: np.ndarray, batches: Batches, ranked: np.ndarray, prob: float, effective_size: float
) -> dict[str, Any]:
    """Return intervals at the narrowest common level that jointly hold all ranks with probability ``prob``.

    The result has the variable names of a ranking; its level is a tail, and 0 or less if there are too few draws to
    estimate it.

    ``mass`` holds the draws at each rank (half, entity, rank), ``twice`` doubled average ranks (draw, entity), 0 where
    undefined. Each half of the draws validates the intervals of the other, as intervals hold too many of their own.

    The depth of a rank is the tail at which it leaves its interval; outside the observed range, it is minus the number
    of ranks to the range. The depth of a draw is the smallest depth of its ranks.
    """
    halves = batches.half(np.repeat(np.arange(len(batches.sizes)), batches.sizes))
    share = _shares(mass.sum(axis=0), ranked)
    size = mass.shape[1]
    if not ranked.any() or np.bincount(halves, minlength=2).min() < 2:
        return _named(*rank_intervals(share, 0.0), np.nan, np.nan, 0.0)
    depth = np.empty(batches.number)
    members = np.flatnonzero(ranked)
    for half in (0, 1):
        table = _depths(_half_masses(mass, 1 - half)[members])
        own = np.arange(len(members))
        for block in iterate_blocks(twice, batches):
            if batches.half(block.batch) == half:
                at = slice(block.start, block.start + len(block.values))
                depth[at] = table[own, block.values[:, members]].min(axis=1)
        del table
    allowed = min(int(np.floor((1 - prob) * len(depth) + 1e-9)), len(depth) - 1)
    # A tail of 1/2 would give an empty interval if the median is between two ranks.
    level = min(np.partition(depth, allowed)[allowed], 0.5)
    held = depth >= level - ROUNDING
    sums = np.add.reduceat(held, np.cumsum(batches.sizes) - batches.sizes, dtype=float)
    probability = held.mean()
    error = share_error(probability, mean_error(sums, batches.sizes), len(held), effective_size)
    if level > 0:
        lower, upper = rank_intervals(share, level - 2 * ROUNDING)
    else:
        # The range of all draws is wider than the validated ranges of the halves, and would hold more ranks; use the
        # means of their ends.
        ranges = [rank_intervals(_shares(_half_masses(mass, half), ranked), 0.0) for half in (0, 1)]
        lower, upper = np.mean(ranges, axis=0)
        lower, upper = np.maximum(np.ceil(lower + level), 1), np.minimum(np.floor(upper - level), size)
    return _named(with_gaps(lower, ranked), with_gaps(upper, ranked), float(probability), float(error), float(level))


def _named(*results: Any) -> dict[str, Any]:
    names = ("lower", "upper", "probability", "probability_error", "level")
    return {f"rank_simultaneous_{name}": result for name, result in zip(names, results, strict=True)}


def with_gaps(whole: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Return whole numbers, or floats with NaN where unknown."""
    return whole.astype(int) if known.all() else np.where(known, whole.astype(float), np.nan)


def _half_masses(mass: np.ndarray, half: int) -> np.ndarray:
    """Return the mass of one half, or of the other half for entities without draws in it."""
    some = mass[half].any(axis=1)
    return mass[half] if some.all() else np.where(some[:, None], mass[half], mass[1 - half])


def _shares(mass: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Return each row divided by its sum, NaN where unknown."""
    total = np.where(known, mass.sum(axis=1), np.nan)
    return mass / total[:, None]


def _depths(mass: np.ndarray) -> np.ndarray:
    """Return the depth of each average rank, doubled (entity, 2 rank), from the side with the smaller depth.

    A rank between two ranks is held if both neighbours are; an undefined one, 0, always is.
    """
    size = mass.shape[1]
    depth = np.full((len(mass), 2 * size + 1), np.inf)
    rank, few = np.arange(size), max(BLOCK // size, 1)
    for start in range(0, len(mass), few):  # in blocks of entities, to save memory
        part, out = mass[start : start + few], depth[start : start + few]
        seen = part > 0
        lowest, highest = np.argmax(seen, axis=1)[:, None], size - 1 - np.argmax(seen[:, ::-1], axis=1)[:, None]
        share = part / part.sum(axis=1, keepdims=True)
        below = np.cumsum(share, axis=1)
        above = np.cumsum(share[:, ::-1], axis=1)[:, ::-1]
        low = np.where(rank < lowest, rank - lowest, below)
        high = np.where(rank > highest, highest - rank, above)
        out[:, 2::2] = np.minimum(low, high)
        out[:, 3::2] = np.minimum(low[:, :-1], high[:, 1:])
    return depth
