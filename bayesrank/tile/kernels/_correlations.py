"""Compiled rank correlations along columns of the Tile.

Kendall's τ counts pairs: the order changes little between grid points, an insertion sort repairs
it, and each swap changes the count by a known step. Spearman's correlation needs only the order,
which buckets give in two passes but for a few neighbours: ten times as fast as repairing it with
the count.
"""

import numpy as np

from bayesrank._core.compiled import njit
from bayesrank.tile.kernels._shared import HELPER, OPTIONS

#: Moves per value above which sorting from scratch is faster than repairing the previous order.
ENOUGH = 32


@njit(**HELPER)
def inversions(ranks):
    """Return the number of falling minus rising pairs of a sequence, by merging."""
    n = ranks.size
    now, other = ranks.copy(), np.empty(n, ranks.dtype)
    falling = 0
    width = 1
    while width < n:
        for low in range(0, n, 2 * width):
            middle, high = min(low + width, n), min(low + 2 * width, n)
            i, j = low, middle
            for p in range(low, high):
                if j >= high or (i < middle and now[i] <= now[j]):
                    other[p] = now[i]
                    i += 1
                else:
                    other[p] = now[j]
                    falling += middle - i
                    j += 1
        now, other = other, now
        width *= 2
    tied = 0
    first = 0
    for p in range(1, n + 1):
        if p == n or now[p] != now[first]:
            tied += (p - first) * (p - first - 1) // 2
            first = p
    return 2 * falling + tied - n * (n - 1) // 2


@njit(**HELPER)
def repair(keys, x, order):
    """Sort nearly sorted ``keys`` by insertion; return success and the change of the count of falling pairs of ``x``.

    Give up when sorting from scratch is faster.
    """
    n = keys.size
    change, left = 0, ENOUGH * n
    for p in range(1, n):
        v, w, k, q = keys[p], x[p], order[p], p - 1
        while q >= 0 and keys[q] > v:
            # x[q] stood before w: falling pairs become rising ones
            change += 2 * ((x[q] < w) - (x[q] > w))
            keys[q + 1], x[q + 1], order[q + 1] = keys[q], x[q], order[q]
            q -= 1
        keys[q + 1], x[q + 1], order[q + 1] = v, w, k
        left -= p - q
        if left < 0:
            return False, 0
    return True, change


@njit(**HELPER)
def sort_in_buckets(odds, x, share, place, ends, keys, along):
    """Write ``odds`` in rising order to ``keys``, and ``x`` in that order to ``along``; False if buckets are crowded.

    Odds between 0 and infinity fall into buckets by 1 / (1 + odds). ``share``, ``place`` and
    ``ends`` are work arrays.
    """
    n = odds.size
    low, high = 1.0, 0.0
    for k in range(n):
        share[k] = 1.0 / (1.0 + odds[k])
        low, high = min(low, share[k]), max(high, share[k])
    each = (n - 1) / (high - low) if high > low else 0.0
    ends[:] = 0
    for k in range(n):
        place[k] = np.int32((high - share[k]) * each)
        ends[place[k]] += 1
    total = 0
    for i in range(n):
        here = ends[i]
        ends[i] = total
        total += here
    for k in range(n):
        at = ends[place[k]]
        ends[place[k]] = at + 1
        keys[at], along[at] = odds[k], x[k]
    left = ENOUGH * n
    for p in range(1, n):
        v, w, q = keys[p], along[p], p - 1
        while q >= 0 and keys[q] > v:
            keys[q + 1], along[q + 1] = keys[q], along[q]
            q -= 1
        keys[q + 1], along[q + 1] = v, w
        left -= p - q
        if left < 0:
            return False
    return True


@njit(**OPTIONS)
def rank_column(cells, a, points, doubled, untied, kendall, out):
    """Write rank correlations of one column of scores with the other score, of rising ``doubled`` ranks, to ``out``.

    Ties as in τ-b, or average ranks for Spearman; ``untied`` is the number of pairs with different
    ranks. Points with undefined scores stay NaN.
    """
    n = doubled.size
    pairs, middle, var_x = n * (n - 1) / 2, 0.5 * (n + 1), 0.0
    s, values, order = np.empty(n), np.empty(n), np.arange(n)
    for k in range(n):
        s[k] = (1 - a) * cells[0, k] + a * cells[3, k]
        var_x += (0.5 * doubled[k] - middle) ** 2
    share, position, ends = np.empty(n), np.empty(n, np.int32), np.empty(n, np.int32)
    keys, x = np.empty(n), np.empty(n, np.int64)
    started = False
    count = 0
    for m in range(points.size):
        b = points[m]
        undefined = False
        for k in range(n):
            u = (1 - b) * cells[1, k] + b * cells[2, k]
            undefined = undefined or (s[k] == 0.0 and u == 0.0)
            values[k] = u / s[k] if s[k] > 0.0 else np.inf
        if undefined:
            continue
        if kendall and started:
            keys, x = values[order], doubled[order]
            started, change = repair(keys, x, order)
            count += change
        if not started and (
            kendall or not sort_in_buckets(values, doubled, share, position, ends, keys, x)
        ):
            order = np.argsort(values)
            keys, x = values[order], doubled[order]
            count = inversions(x) if kendall else 0
            started = kendall
        ties, within, product, var_r = 0.0, 0, 0.0, 0.0
        first = 0
        for p in range(1, n + 1):
            if p < n and (
                keys[p] == keys[p - 1] or keys[p] - keys[p - 1] <= 1e-12 * min(keys[p], 1e300)
            ):
                continue
            size = p - first
            if size > 1:
                ties += size * (size - 1) / 2
                within += inversions(x[first:p]) if kendall else 0
            average = 0.5 * (first + 1 + p) - middle
            var_r += size * average * average
            for q in range(first, p):
                product -= average * (0.5 * x[q] - middle)
            first = p
        if kendall and untied * (pairs - ties) > 0:
            out[m] = (count - within) / np.sqrt(untied * (pairs - ties))
        elif not kendall and var_r * var_x > 0:
            out[m] = product / np.sqrt(var_r * var_x)
