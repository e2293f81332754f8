"""Which points of a lattice have exactly the same score.

Points are sorted by the score in floating point. Neighbours within a few units in the last place are taken as
candidates; where the score is known as a ratio of whole numbers, or as the signed root of one, they are held against
each other exactly: n1 d2 = n2 d1, in arithmetic modulo 2^64. That is exact, because candidates are so close that the
two products, if they differ, differ by less than 2^64. Other scores merge what floating point cannot tell apart.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import Any

import numpy as np

from bayesrank.scores import Score
from bayesrank.scores._forms import ExactRatio

__all__ = ["equal_runs", "exact_ratio"]

#: Pairs compared at a time.
BLOCK = 2**20
#: Candidates differ by at most this much, relative to the larger of 1 and the value.
CLOSE = 32 * np.finfo(float).eps

Cells = tuple[Any, Any, Any, Any]


def exact_ratio(score: Score) -> ExactRatio | None:
    """The score's whole numbers, or None if they are not known."""
    if score.fraction is not None or score.importance is None:
        return score.fraction
    weights = {cell: Fraction(score.importance[cell]).limit_denominator(10_000) for cell in ("tn", "fp", "fn", "tp")}
    if any(abs(float(w) - score.importance[cell]) > 1e-15 * float(w) for cell, w in weights.items()):
        return None
    scale = lcm(*(w.denominator for w in weights.values()))
    tn_, fp_, fn_, tp_ = (int(w * scale) for w in weights.values())

    def ratio(tn: Any, fp: Any, fn: Any, tp: Any) -> tuple[Any, Any, Any]:
        correct = tn_ * tn + tp_ * tp
        return correct, correct + fp_ * fp + fn_ * fn, 1

    return ratio


def equal_runs(
    values: np.ndarray, cells_of: Callable[[np.ndarray], Cells], ratio: ExactRatio | None
) -> tuple[Any, Any]:
    """The order that sorts the defined values, and where in it each run of equal ones starts.

    Parameters
    ----------
    values : numpy.ndarray
        Scores of all points of a lattice, NaN where undefined.
    cells_of : callable
        From positions in ``values`` to whole numbers tn, fp, fn, tp.
    ratio : callable or None
        From :func:`exact_ratio`.

    Returns
    -------
    order, starts : numpy.ndarray
    """
    order = np.argsort(values)
    order = order[: len(order) - int(np.isnan(values).sum())]
    if not len(order):
        return order, order
    ordered = values[order]
    far = np.diff(ordered) > CLOSE * np.maximum(np.abs(ordered[1:]), 1.0)
    if ratio is not None and not far.all():
        _split(order, ordered, far, cells_of, ratio)
    return order, np.concatenate([[0], np.flatnonzero(far) + 1])


def _split(
    order: np.ndarray, ordered: np.ndarray, far: np.ndarray, cells_of: Callable[[np.ndarray], Cells], ratio: ExactRatio
) -> None:
    """Marks in ``far``, in place, the close neighbours that differ; reorders those that are out of order."""
    close = np.flatnonzero(~far)
    differs = np.zeros(len(close), bool)
    for start in range(0, len(close), BLOCK):
        block = close[start : start + BLOCK]
        pair = [cells_of(order[block]), cells_of(order[block + 1])]
        tops, bottoms, factors = zip(*(ratio(*(cell.astype(float) for cell in side)) for side in pair), strict=True)
        top, bottom, factor = (float(np.max(np.abs(x))) for x in (tops, bottoms, factors))
        # Ratios that differ do so by 1 / (d1 d2) or more, and roots by half of that or more.
        apart = 1 / (bottom * factor) if np.min(bottoms) == bottom else 1 / (bottom**2 * factor)
        if 4 * CLOSE * max(1.0, top / (bottom * factor)) < apart:
            continue
        if 4 * CLOSE * factor * bottom * max(bottom, top / factor) >= 2.0**62:
            continue  # too large to be told apart modulo 2^64: floating point has to do
        with np.errstate(over="ignore"):
            n, d, _ = zip(*(ratio(*(cell.astype(np.uint64) for cell in side)) for side in pair), strict=True)
            differs[start : start + BLOCK] = n[0] * d[1] != n[1] * d[0]
    # A run of candidates that are not all equal is sorted exactly. There are few.
    run = np.cumsum(far)
    for number in np.unique(run[close[differs]]):
        first, last = np.searchsorted(run, (number, number + 1)) + np.array([number > 0, 1])
        inside = order[first:last]
        tops, bottoms, _ = ratio(*(cell.astype(object) for cell in cells_of(inside)))
        sign = -1 if ordered[first] < 0 < np.min(tops) else 1  # a negative root of a positive ratio
        exact = [sign * Fraction(int(t), int(b)) for t, b in np.broadcast(tops, bottoms)]
        rank = sorted(range(len(exact)), key=exact.__getitem__)
        order[first:last] = inside[rank]
        far[first : last - 1] = [exact[i] != exact[j] for i, j in pairwise(rank)]
