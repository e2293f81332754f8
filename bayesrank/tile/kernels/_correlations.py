"""Compiled correlations along columns of the Tile. Loaded on first use.

Spearman's correlation needs the performances in the order of a canonical score at each grid point. As many buckets as
performances put them nearly in order in two passes, and an insertion sort does the rest: five times as quick as to sort
the keys. Kendall's also counts pairs: the order changes little from one grid point to the next, an insertion sort
repairs it, and each pair that it swaps moves the count by one known step, so that a point costs what has changed since
its neighbour. Where no values are near a tie, Kendall's count comes afresh from bins instead: of 1,000 performances in
half the time, of 10,000 in less than 0.4 of it (and the same numbers), which is what the bins are kept for.
"""

import numpy as np

from bayesrank._compiled import njit

#: Bins of equal width that hold the values of one point: 32 x 32 x 64, two nested counts and the bits of a word.
BINS = 65536
#: Counts of 16 bits are added four at a time, as words of 64; more values than this they could not hold.
MOST = 65535
#: Row i adds 1 to all counts beyond the one that i belongs to.
BEYOND = np.triu(np.ones((32, 32), np.uint16), 1).view(np.uint64)
#: Values nearer than this to the edge of a bin, or to each other in bins, may be ties and are left to the exact way.
EDGE = 1e-7
#: Moves per value beyond which sorting anew is cheaper than repairing the order of the point before.
ENOUGH = 32
OPTIONS = {"cache": True, "nogil": True, "error_model": "numpy"}


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
    if high - low < 0.05 or s.size > MOST:
        return 0.0, 0.0
    # No bin is narrower than 0.2 / BINS: a tie, 1e-12 of the odds and so 1e-12 / 4 of R at most, must stay below EDGE.
    return low, (BINS - 1) / max(high - low, 0.2)


@njit(**OPTIONS)
def ones(word):
    """The bits of a word that are set."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(**OPTIONS)
def falling_pairs(values, top, middle, words, first, later, following):
    """Pairs of a sequence on the scale of bins that fall; -1 if some might tie, or crowd in few bins.

    Two nested counts tell how many of those before lie in lower words of 64 bins, and the bits of a word which of its
    bins are taken. Who finds a bin taken joins the list of its word, whose members are compared one by one.
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
        if not 0 <= v < BINS:  # rounding at the ends, or NaN: nothing is written beyond the bins
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
    """Sort by insertion what is nearly sorted by ``keys``: whether it is, and by how much the pairs of ``x`` that fall,
    less those that rise, become more. It gives up when sorting anew is cheaper."""
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
    """Put ``odds`` in rising order in ``keys``, and ``x`` in the same order in ``along``; False if too many crowd.

    Odds lie between 0 and infinity, these included, and fall into buckets by 1 / (1 + odds). ``share``, ``place`` and
    ``ends`` are room to work in.
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
    """Rank correlation of ``ranks`` (of the other score, rising) with the canonical scores of one column, into ``out``.

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
    ties_x = pairs - _untied(whole)
    centred = ranks - 0.5 * (n + 1)
    var_x = (centred**2).sum()
    values, order = np.empty(n), np.empty(n, np.int64)
    # Without ties a point is counted afresh, in the order of the other score; else neighbours help.
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
    """Add, for performances (score, cells), the sums of which Pearson's correlation with each canonical score is made.

    ``sums`` (a, 6, b) are: how many have both scores; the sums of both, less a centre; of their squares; and of their
    product. What does not depend on b where s > 0 goes ``everywhere`` (a, 3) instead: the number, and sums of the score
    alone. Centres of canonical scores (a, b) that are not known yet, NaN, become the first values.
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
