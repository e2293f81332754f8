"""Compiled rank correlations along columns of the Tile. Loaded on first use.

The order by a canonical score changes little from one grid point to the next. Insertion sort repairs it, and each pair
that it swaps moves Kendall's count by one known step, so a point costs what has changed since its neighbour.
"""

import numpy as np
from numba import njit

#: Bins of equal width that hold the values of one point: 16 x 16 x 32, the sizes of three nested counts of them.
BINS = 8192
#: Values nearer than this to the edge of a bin, or to each other in bins, may be ties and are left to the exact way.
EDGE = 1e-7
#: Row i adds 1 to all counts beyond the one that i belongs to.
BEYOND_16 = np.triu(np.ones((16, 16), np.int32), 1)
BEYOND_32 = np.triu(np.ones((32, 32), np.int32), 1)
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
def scale_of_bins(s, fp, fn):
    """Where the scale of bins starts and its bins per unit of 1 - R, for a whole column; 0 bins if it cannot be used.

    1 - R = u / (s + u) is monotone along a column, so that its ends bound it.
    """
    low, high = 1.0, 0.0
    for k in range(s.size):
        if s[k] == 0.0:
            return 0.0, 0.0
        first, second = fp[k] / (s[k] + fp[k]), fn[k] / (s[k] + fn[k])
        low, high = min(low, first, second), max(high, first, second)
    # The tolerance of ties, 1e-12 of the odds, must stay below EDGE.
    return (low, (BINS - 1) / (high - low)) if high - low > 0.05 else (0.0, 0.0)


@njit(**OPTIONS)
def falling_pairs(values, top, middle, bottom, head, following):
    """Pairs of a sequence on the scale of bins that fall; -1 if some might tie, or crowd in few bins.

    Three nested counts tell how many of those before lie in lower bins; those of the same bin are compared.
    """
    n = values.size
    top[:] = 0
    middle[:] = 0
    bottom[:] = 0
    head[:] = -1
    rising = 0
    left = 16 * n
    for k in range(n):
        v = values[k]
        if not 0 <= v < BINS:  # rounding at the ends, or NaN: nothing is written beyond the bins
            return -1
        place = np.uint32(v)
        rest = v - place
        if rest < EDGE or rest > 1 - EDGE:
            return -1
        i, j = place >> np.uint32(9), place >> np.uint32(5)
        within_top, within_middle = j & np.uint32(15), place & np.uint32(31)
        rising += top[i] + middle[i, within_top] + bottom[j, within_middle]
        q = head[place]
        while q >= 0:
            if abs(values[q] - v) < EDGE:
                return -1
            rising += values[q] < v
            q = following[q]
            left -= 1
        if left < 0:
            return -1
        following[k] = head[place]
        head[place] = k
        for t in range(16):
            top[t] += BEYOND_16[i, t]
        for t in range(16):
            middle[i, t] += BEYOND_16[within_top, t]
        for t in range(32):
            bottom[j, t] += BEYOND_32[within_middle, t]
    return n * (n - 1) // 2 - rising


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
    # Without ties a point is counted afresh, in the order of the other score; else neighbours help.
    start, bins = scale_of_bins(s, cells[1], cells[2]) if kendall and ties_x == 0 else (0.0, 0.0)
    by_rank = np.argsort(whole)
    s_sorted, fp, fn = s[by_rank], cells[1][by_rank], cells[2][by_rank]
    top, middle, bottom = np.empty(16, np.int32), np.empty((16, 16), np.int32), np.empty((256, 32), np.int32)
    head, following = np.empty(BINS, np.int32), np.empty(n, np.int32)
    started = False
    count = 0
    for m in range(points.size):
        b = points[m]
        if bins > 0:
            for k in range(n):
                u = (1 - b) * fp[k] + b * fn[k]
                values[k] = 0.5 + (u / (s_sorted[k] + u) - start) * bins
            falling = falling_pairs(values, top, middle, bottom, head, following)
            if falling >= 0:
                out[m] = (2 * falling - pairs) / pairs
                started = False
                continue
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
