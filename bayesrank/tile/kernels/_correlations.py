"""Compiled correlations along columns of the Tile. Loaded on first use.

Spearman's correlation needs the performances in the order of a canonical score at each grid point. Buckets put them
nearly in order in two passes, and an insertion sort does the rest: five times as fast as sorting the keys. Kendall's τ
counts pairs: the order changes little between grid points, an insertion sort repairs it, and each swap changes the
count by a known step. Where no values nearly tie, Kendall's count comes from bins instead: half the time for 1,000
performances, below 0.4 of it for 10,000, with the same result.
"""

import numpy as np

from bayesrank._compiled import njit

#: Equal-width bins for the values of one point: 32 x 32 x 64, two nested counts and the bits of a word.
BINS = 65536
#: Maximum number of values: 16-bit counts are added four at a time, as 64-bit words.
MOST = 65535
#: Row i adds 1 to all counts after i.
BEYOND = np.triu(np.ones((32, 32), np.uint16), 1).view(np.uint64)
#: Values closer than this to the edge of a bin, or to each other, may tie and are counted exactly.
EDGE = 1e-7
#: Moves per value above which sorting from scratch is faster than repairing the previous order.
ENOUGH = 32
OPTIONS = {"cache": True, "nogil": True, "error_model": "numpy"}


@njit(**OPTIONS)
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


@njit(**OPTIONS)
def scale_of_bins(s, fp, fn):
    """Return the start of the bins and the bins per unit of 1 - R for a column; 0 bins if they cannot be used.

    1 - R = u / (s + u) is monotone along a column, so its ends bound it.
    """
    low, high = 1.0, 0.0
    for k in range(s.size):
        if s[k] == 0.0:
            return 0.0, 0.0
        first, second = fp[k] / (s[k] + fp[k]), fn[k] / (s[k] + fn[k])
        low, high = min(low, first, second), max(high, first, second)
    if high - low < 0.05 or s.size > MOST:
        return 0.0, 0.0
    # No bin is narrower than 0.2 / BINS: a tie (1e-12 of the odds, at most 1e-12 / 4 of R) must stay below EDGE.
    return low, (BINS - 1) / max(high - low, 0.2)


@njit(**OPTIONS)
def ones(word):
    """Return the number of bits set in a word."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(**OPTIONS)
def falling_pairs(values, top, middle, words, first, later, following):
    """Return the number of falling pairs of a binned sequence; -1 if some may tie, or crowd in few bins.

    Two nested counts give the earlier values in lower words of 64 bins; the bits of a word mark its occupied bins. A
    value in an occupied bin joins the list of its word, whose members are compared one by one.
    """
    n = values.size
    top[:] = 0
    middle[:] = 0
    words[:] = 0
    later[:] = -1
    top_by_4, middle_by_4 = top.view(np.uint64), middle.view(np.uint64)
    rising = 0
    left = 16 * n
    for k in range(n):
        v = values[k]
        if not 0 <= v < BINS:  # rounding at the ends, or NaN: do not write outside the bins
            return -1
        place = np.uint32(v)
        rest = v - place
        if rest < EDGE or rest > 1 - EDGE:
            return -1
        at = place >> np.uint32(6)
        i, j = at >> np.uint32(5), at & np.uint32(31)
        word, bit = words[at], np.uint64(1) << np.uint64(place & np.uint32(63))
        rising += np.int64(top[i]) + np.int64(middle[i, j]) + ones(word & (bit - np.uint64(1)))
        for t in range(8):
            top_by_4[t] += BEYOND[i, t]
        for t in range(8):
            middle_by_4[i, t] += BEYOND[j, t]
        q = later[at]
        while q >= 0:
            if abs(values[q] - v) < EDGE:
                return -1
            rising += values[q] < v
            q = following[q]
            left -= 1
        if word & bit:
            if abs(values[first[place]] - v) < EDGE or left < 0:
                return -1
            rising += values[first[place]] < v
            following[k] = later[at]
            later[at] = k
        else:
            words[at] = word | bit
            first[place] = k
    return n * (n - 1) // 2 - rising


@njit(**OPTIONS)
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


@njit(**OPTIONS)
def sort_in_buckets(odds, x, share, place, ends, keys, along):
    """Write ``odds`` in rising order to ``keys``, and ``x`` in that order to ``along``; False if buckets are crowded.

    Odds between 0 and infinity fall into buckets by 1 / (1 + odds). ``share``, ``place`` and ``ends`` are work arrays.
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
def rank_column(cells, a, points, ranks, kendall, out):
    """Write the rank correlations of ``ranks`` (of the other score, rising) with one column of scores to ``out``.

    Ties as in τ-b, or average ranks for Spearman. Points with undefined scores stay NaN.
    """
    n = ranks.size
    s = np.empty(n)
    for k in range(n):
        s[k] = (1 - a) * cells[0, k] + a * cells[3, k]
    whole = np.empty(n, np.int64)
    for k in range(n):
        whole[k] = np.int64(2 * ranks[k])
    pairs = n * (n - 1) / 2
    ties_x = pairs - _count_untied(whole)
    centred = ranks - 0.5 * (n + 1)
    var_x = (centred**2).sum()
    values, order = np.empty(n), np.empty(n, np.int64)
    # Without ties each point is counted independently, in the order of the other score; else from its neighbour.
    fp, fn = cells[1], cells[2]
    start, bins = scale_of_bins(s, fp, fn) if kendall and ties_x == 0 else (0.0, 0.0)
    top, middle, words = np.empty(32, np.uint16), np.empty((32, 32), np.uint16), np.empty(1024, np.uint64)
    first_of, later, following = np.empty(BINS, np.int32), np.empty(1024, np.int32), np.empty(n, np.int32)
    started = False
    count = 0
    keys, x = np.empty(n), np.empty(n, np.int64)
    share, place, ends = np.empty(n), np.empty(n, np.int32), np.empty(n, np.int32)
    for m in range(points.size):
        b = points[m]
        if bins > 0:
            for k in range(n):
                u = (1 - b) * fp[k] + b * fn[k]
                values[k] = 0.5 + (u / (s[k] + u) - start) * bins
            falling = falling_pairs(values, top, middle, words, first_of, later, following)
            if falling >= 0:
                out[m] = (2 * falling - pairs) / pairs
                started = False
                continue
        undefined = False
        for k in range(n):
            u = (1 - b) * fp[k] + b * fn[k]
            undefined = undefined or (s[k] == 0.0 and u == 0.0)
            values[k] = u / s[k] if s[k] > 0.0 else np.inf
        if undefined:
            continue
        if kendall and started:
            keys, x = values[order], whole[order]
            started, change = repair(keys, x, order)
            count += change
        if not started and (kendall or not sort_in_buckets(values, whole, share, place, ends, keys, x)):
            order = np.argsort(values)
            keys, x = values[order], whole[order]
            count = inversions(x) if kendall else 0
            started = kendall
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
def add_products(rows, columns, points, centre, centres, sums, everywhere):
    """Add the sums for Pearson's correlation of performances (score, cells) with each canonical score.

    ``sums`` (a, 6, b) are the number with both scores, the centred sums of both, of their squares, and of their
    product. Parts independent of b where s > 0 go to ``everywhere`` (a, 3): the number, and the sums of the score.
    Unknown centres (a, b) of canonical scores, NaN, become the first values.
    """
    for i in range(columns.size):
        a = columns[i]
        number, x, xx, y, yy, xy = sums[i]
        at = centres[i]
        missing = np.isnan(at).any()
        for k in range(rows.shape[0]):
            dx, fp, fn = rows[k, 0] - centre, rows[k, 2], rows[k, 3]
            s = (1 - a) * rows[k, 1] + a * rows[k, 4]
            if s == 0.0 or missing:
                for m in range(points.size):
                    if s > 0.0 or (1 - points[m]) * fp + points[m] * fn > 0.0:
                        if np.isnan(at[m]):
                            at[m] = s / (s + ((1 - points[m]) * fp + points[m] * fn))
                        if s == 0.0:
                            number[m] += 1.0
                            x[m] += dx
                            xx[m] += dx * dx
                            y[m] -= at[m]
                            yy[m] += at[m] * at[m]
                            xy[m] -= dx * at[m]
                missing = np.isnan(at).any()
            if s > 0.0:
                everywhere[i, 0] += 1.0
                everywhere[i, 1] += dx
                everywhere[i, 2] += dx * dx
                for m in range(points.size):
                    dy = s / (s + ((1 - points[m]) * fp + points[m] * fn)) - at[m]
                    y[m] += dy
                    yy[m] += dy * dy
                    xy[m] += dx * dy


@njit(**OPTIONS)
def _count_untied(ordered):
    """Return the number of pairs of a sorted sequence that differ."""
    n = ordered.size
    out = n * (n - 1) / 2
    first = 0
    for p in range(1, n + 1):
        if p == n or ordered[p] != ordered[first]:
            out -= (p - first) * (p - first - 1) / 2
            first = p
    return out
