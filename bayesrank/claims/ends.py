"""Ends of the range of a score that the data cannot exclude: intervals are closed there.

An interval with equal tails never contains an end of the range, although the observed value may be
there. So the near end of an interval is the end of the range if the observed value is there, or
would be if one case had been answered otherwise. The other end of the interval stays, so that
closing only widens it. For a rate this is the modified interval of Brown, Cai and DasGupta (2001),
Interval estimation for a binomial proportion, Statistical Science 16:101-133.

If all cases of one of two classes are right, its rate may be 1, from which the prior keeps the draws
away. So the interval then holds the value at a rate of 1 and at the end of the interval of the other
class's rate.
"""

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import xarray as xr
from scipy.special import betaincinv

from bayesrank._core.notes import Note
from bayesrank.performance.arrays import OUTCOME_DIMS
from bayesrank.scores import Score
from bayesrank.scores.score import values_of_tables

#: The attr "interval" of results whose intervals are closed.
CLOSED = "equal tails, closed at an end of the range that the observed value, or one case, reaches"
#: Absolute and relative error of values that are at an end.
ROUNDING = 1e-9
Sides = tuple[np.ndarray, np.ndarray]


def close_ends(
    lower: np.ndarray,
    upper: np.ndarray,
    observed: np.ndarray,
    limits: tuple[float, float],
    near: Sides | None = None,
) -> Sides:
    """Return intervals that are closed at finite ``limits`` of the score.

    ``observed`` is the observed value, and ``near`` whether it is one case away from each limit.
    Where it is as near to the other limit (0 of 1, 1 of 2), only the former counts.
    """
    low, high = at_ends(observed, limits)
    if near is not None:
        low, high = low | (near[0] & ~high & ~near[1]), high | (near[1] & ~low & ~near[0])
    return (
        np.where(low & ~np.isnan(lower), limits[0], lower),
        np.where(high & ~np.isnan(upper), limits[1], upper),
    )


def reach_end_of_class(
    interval: Sides,
    counts: xr.DataArray,
    prior: xr.DataArray,
    prob: float,
    value: Callable[[xr.DataArray], xr.DataArray | None],
) -> Sides:
    """Return intervals that hold the value at the end of one class's rate, if all of its cases are right or all wrong.

    The other one of two classes has the end of the interval of its rate on the same side. ``value``
    returns the score of performances (entity, actual, predicted).
    """
    dims = ("entity", *OUTCOME_DIMS)
    table = counts.variable.transpose(*dims).values.astype(float)
    mass = table + prior.variable.transpose(*(dim for dim in dims if dim in prior.dims)).values
    right, cases = np.diagonal(table, axis1=1, axis2=2), table.sum(axis=2)
    lower, upper = interval
    for rate, level in ((1.0, (1 + prob) / 2), (0.0, (1 - prob) / 2)):
        at_end = (right == rate * cases) & (cases > 0)
        who = np.flatnonzero(at_end.any(axis=1))
        if not who.size:
            continue
        own = np.diagonal(mass, axis1=1, axis2=2)[who]
        rates = betaincinv(own, mass[who].sum(axis=2) - own, level)
        rates = np.where(at_end[who], rate, rates)[..., None]
        shares = (cases[who] / cases[who].sum(axis=1, keepdims=True))[..., None]
        performance = shares * np.where(np.eye(2, dtype=bool), rates, 1 - rates)
        found = value(counts.transpose(*dims)[who].copy(data=performance))
        if found is None:
            break
        reached = np.full(len(table), np.nan)
        reached[who] = np.where(np.isfinite(found.values), found.values, np.nan)
        lower = np.where(reached < lower, reached, lower)
        upper = np.where(reached > upper, reached, upper)
    return lower, upper


def fill_empty_classes(counts: xr.DataArray) -> xr.DataArray:
    """Return tables of more than two classes with one right answer in each class without cases.

    An average over classes is undefined without cases of one, but such a class excludes no end of
    the range.
    """
    if counts.sizes["actual"] < 3:
        return counts
    table = counts.transpose("entity", *OUTCOME_DIMS)
    empty = table.values.sum(axis=2) == 0
    if not empty.any():
        return counts
    return table.copy(
        data=table.values + np.eye(table.sizes["actual"], dtype=table.dtype) * empty[:, None]
    )


def notes_on_closed(
    names: Iterable[object],
    score: str,
    open_ends: Sides,
    closed: Sides,
    limits: tuple[float, float],
) -> list[Note]:
    """Return a note on the entities with closed intervals, one for each end of the range."""
    result = []
    for before, after, limit in zip(open_ends, closed, limits, strict=True):
        moved = (before != after) & (after == limit)
        if moved.any():
            moved_names = sorted(str(name) for name, one in zip(names, moved, strict=True) if one)
            result.append(
                Note(
                    "interval_closed",
                    {"entities": moved_names, "score": score, "end": float(after[moved][0])},
                )
            )
    return result


def at_ends(values: np.ndarray, limits: tuple[float, float]) -> Sides:
    """Return which values are at each finite limit."""
    low, high = (
        np.abs(values - end) <= ROUNDING + ROUNDING * abs(end)
        if np.isfinite(end)
        else np.zeros(values.shape, bool)
        for end in limits
    )
    return low, high


def near_ends(counts: xr.DataArray, score: Score, limits: tuple[float, float]) -> Sides | None:
    """Return which entities have a score that one case keeps from each limit; None for outcomes other than 0 and 1."""
    if "outcome" in counts.dims:
        if not score.is_mean or counts["outcome"].values.tolist() != [0, 1]:
            return None
        wrong, right = counts.transpose("outcome", "entity").values
        return right <= 1, wrong <= 1
    dims = ("entity", *OUTCOME_DIMS)
    table = counts.variable.transpose(*dims).values
    moved = np.stack(list(_moves(table, score.position_in(counts))))
    low, high = at_ends(values_of_tables(score, moved, counts), limits)
    return np.any(low, axis=0), np.any(high, axis=0)


def _moves(table: np.ndarray, position: int | None) -> Iterator[np.ndarray]:
    """Yield tables (entity, actual, predicted) in which one case has another answer, and others unchanged.

    Of more than two classes, these are the tables with one error, which is put right; for a score
    of the class at ``position`` one error of this class, and its only right answer.
    """
    size = table.shape[-1]
    if size == 2:
        for row, start in np.ndindex(2, 2):
            step = np.zeros((2, 2), table.dtype)
            step[row, start], step[row, 1 - start] = -1, 1
            yield table + step * (table[:, row, start] > 0)[:, None, None]
        return
    off = ~np.eye(size, dtype=bool)
    masks = [off]
    if position is not None:
        one_hot = np.arange(size) == position
        masks = [off & one_hot[:, None], off & one_hot]
        right = table[:, position, position]
        step = np.zeros((size, size), table.dtype)
        step[position, position], step[position, (position + 1) % size] = -1, 1
        yield table + step * (right == 1)[:, None, None]
    for mask in masks:
        errors = table * mask * ((table * mask).sum((1, 2)) == 1)[:, None, None]
        yield table - errors + errors.sum(-1)[..., None] * ~off
