"""Rank intervals: of one entity, and of all entities together."""

from typing import NamedTuple

import numpy as np

from bayesrank._draws import BLOCK, Batches, iterate_blocks, mean_error, share_error

#: Ranks and probabilities that differ by less differ by rounding.
ROUNDING = 1e-12


def rank_intervals(probability: np.ndarray, tail: float) -> tuple[np.ndarray, np.ndarray]:
    """Narrowest rank interval of each entity with no more than ``tail`` beyond either end; NaN where not known.

    Examples
    --------
    >>> low, high = rank_intervals(np.array([[0.02, 0.9, 0.08], [0.9, 0.1, 0.0]]), 0.025)
    >>> low.tolist(), high.tolist()
    ([2, 1], [3, 2])
    """
    below = np.cumsum(probability, axis=1)
    above = np.cumsum(probability[:, ::-1], axis=1)[:, ::-1]
    lower = 1 + np.argmax(below > tail + ROUNDING, axis=1)
    upper = probability.shape[1] - np.argmax((above > tail + ROUNDING)[:, ::-1], axis=1)
    known = ~np.isnan(probability).any(axis=1)
    return with_gaps(lower, known), with_gaps(upper, known)


class Simultaneous(NamedTuple):
    """Intervals of all entities together, the share of draws that they hold, and the level that they are cut at."""

    lower: np.ndarray
    upper: np.ndarray
    probability: float
    error: float
    #: The tail; 0 or less where the draws are too few to tell it.
    level: float


def simultaneous_intervals(
    mass: np.ndarray, twice: np.ndarray, batches: Batches, ranked: np.ndarray, prob: float, worth: float
) -> Simultaneous:
    """Intervals with the narrowest common level that together hold all ranks with probability ``prob``.

    Intervals judged by the draws that made them hold too much: with hundreds of entities most of their ends are the
    extremes of those very draws. So each half of the draws is judged by the intervals of the other.

    The depth of a rank under an entity's mass is the smaller of the probabilities at or below it and at or above it:
    the tail at which it drops out of its interval. Beyond the range of ranks seen it is minus the number of ranks
    to the range, by which an interval must be widened to hold it. A draw's depth is the smallest of its ranks'.

    Parameters
    ----------
    mass : ndarray
        Draws at each rank (half, entity, rank).
    twice : ndarray
        Twice the average rank of each draw (draw, entity), 0 where undefined.
    batches : Batches
        Of the draws.
    ranked : ndarray
        Which entities have intervals.
    prob : float
        Probability to hold all of them.
    worth : float
        Independent draws that the draws are worth.
    """
    halves = batches.half(np.repeat(np.arange(len(batches.sizes)), batches.sizes))
    share = _shares(mass.sum(axis=0), ranked)
    size = mass.shape[1]
    if not ranked.any() or np.bincount(halves, minlength=2).min() < 2:
        lower, upper = rank_intervals(share, 0.0)
        return Simultaneous(lower, upper, np.nan, np.nan, 0.0)
    depth = np.empty(batches.number)
    members = np.flatnonzero(ranked)
    for half in (0, 1):
        table = _depths(_seen(mass, 1 - half)[members])
        own = np.arange(len(members))
        for block in iterate_blocks(twice, batches):
            if batches.half(block.batch) == half:
                at = slice(block.start, block.start + len(block.values))
                depth[at] = table[own, block.values[:, members]].min(axis=1)
        del table
    allowed = min(int(np.floor((1 - prob) * len(depth) + 1e-9)), len(depth) - 1)
    # A tail of 1/2 would empty an interval whose median is between two ranks.
    level = min(np.partition(depth, allowed)[allowed], 0.5)
    held = depth >= level - ROUNDING
    sums = np.add.reduceat(held, np.cumsum(batches.sizes) - batches.sizes, dtype=float)
    probability = held.mean()
    error = share_error(probability, mean_error(sums, batches.sizes), len(held), worth)
    if level > 0:
        lower, upper = rank_intervals(share, level - 2 * ROUNDING)
    else:
        # The range of all draws is wider than the halves' ranges that were judged, and would hold more than they do:
        # the means of their ends are nearer to what was judged.
        ranges = [rank_intervals(_shares(_seen(mass, half), ranked), 0.0) for half in (0, 1)]
        lower, upper = np.mean(ranges, axis=0)
        lower, upper = np.maximum(np.ceil(lower + level), 1), np.minimum(np.floor(upper - level), size)
    return Simultaneous(
        with_gaps(lower, ranked), with_gaps(upper, ranked), float(probability), float(error), float(level)
    )


def with_gaps(whole: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Whole numbers, or floats with NaN where something is not known."""
    return whole.astype(int) if known.all() else np.where(known, whole.astype(float), np.nan)


def _seen(mass: np.ndarray, half: int) -> np.ndarray:
    """The mass of one half; that of the other for entities which this half never saw."""
    some = mass[half].any(axis=1)
    return mass[half] if some.all() else np.where(some[:, None], mass[half], mass[1 - half])


def _shares(mass: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Each row over its sum, NaN where not known."""
    total = np.where(known, mass.sum(axis=1), np.nan)
    return mass / total[:, None]


def _depths(mass: np.ndarray) -> np.ndarray:
    """Of each average rank, doubled (entity, 2 rank), its depth from that side where it is smaller.

    One between two ranks is held if its neighbours on either side are; an undefined one, 0, always is.
    """
    size = mass.shape[1]
    depth = np.full((len(mass), 2 * size + 1), np.inf)
    rank, few = np.arange(size), max(BLOCK // size, 1)
    for start in range(0, len(mass), few):  # some entities at a time: there are many tables on the way
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
