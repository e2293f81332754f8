"""Compiled rank correlations along columns of the Tile. Loaded on first use.

The order by a canonical score changes little from one grid point to the next. Insertion sort repairs it, and each pair
that it swaps moves Kendall's count by one known step, so a point costs what has changed since its neighbour.
"""

import numpy as np
from numba import njit

OPTIONS = {"cache": True, "nogil": True}


@njit(**OPTIONS)
def inversions(ranks):
    """Pairs of a sequence in falling minus pairs in rising order, by merging."""
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


@njit(**OPTIONS)
def column(cells, a, points, ranks, kendall, out):
    """Rank correlation of ``ranks`` (of the other score) with the canonical scores of one column, into ``out``.

    Ties as in τ-b, or average ranks for Spearman. Points where a score is undefined are left NaN.
    """
    n = ranks.size
    s = np.empty(n)
    for k in range(n):
        s[k] = (1 - a) * cells[0, k] + a * cells[3, k]
    whole = np.empty(n, np.int64)
    for k in range(n):
        whole[k] = np.int64(2 * ranks[k])
    pairs = n * (n - 1) / 2
    ties_x = pairs - _untied(np.sort(whole))
    centred = ranks - 0.5 * (n + 1)
    var_x = (centred**2).sum()
    values, order = np.empty(n), np.empty(n, np.int64)
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
        if not started:
            order = np.argsort(values)
            count = inversions(whole[order])
            started = True
        keys, x = values[order], whole[order]
        for p in range(1, n):
            v, w, k, q = keys[p], x[p], order[p], p - 1
            while q >= 0 and keys[q] > v:
                # x[q] stood before w: falling pairs become rising ones
                count += 2 * ((x[q] < w) - (x[q] > w))
                keys[q + 1], x[q + 1], order[q + 1] = keys[q], x[q], order[q]
                q -= 1
            keys[q + 1], x[q + 1], order[q + 1] = v, w, k
        ties_r, within, product, var_r = 0.0, 0, 0.0, 0.0
        first = 0
        for p in range(1, n + 1):
            if p < n and (keys[p] == keys[p - 1] or keys[p] - keys[p - 1] <= 1e-12 * min(keys[p], 1e300)):
                continue
            size = p - first
            if size > 1:
                ties_r += size * (size - 1) / 2
                if kendall:
                    within += inversions(x[first:p])
            average = 0.5 * (first + 1 + p) - 0.5 * (n + 1)
            var_r += size * average * average
            if not kendall:
                for q in range(first, p):
                    product -= average * (0.5 * x[q] - 0.5 * (n + 1))
            first = p
        if kendall:
            scale = (pairs - ties_x) * (pairs - ties_r)
            if scale > 0:
                out[m] = (count - within) / np.sqrt(scale)
        elif var_r > 0 and var_x > 0:
            out[m] = product / np.sqrt(var_r * var_x)


@njit(**OPTIONS)
def _untied(ordered):
    """Pairs of a sorted sequence that differ."""
    n = ordered.size
    out = n * (n - 1) / 2
    first = 0
    for p in range(1, n + 1):
        if p == n or ordered[p] != ordered[first]:
            out -= (p - first) * (p - first - 1) / 2
            first = p
    return out
