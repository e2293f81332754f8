"""Exact partition of the Tile by who holds a rank, compiled. Loaded on first use.

In column a the inverse odds of the entities are lines in b, so the holder of rank r changes along the column only where
two lines cross. Between events the sequence of holders is the same in every column and its borders are Möbius
functions of a. An event is a column where three lines meet (the determinant of s, fp, fn - fp is linear in a), where
two lines meet at b = 0 or b = 1, or where two lines become one.
"""

import numpy as np
from numba import njit

OPTIONS = {"cache": True, "nogil": True}
#: Slivers thinner than these are not resolved; they set the accuracy of areas.
STEP_A = 1e-9
STEP_B = 1e-10


@njit(**OPTIONS)
def border(cells, i, j, a):
    """The b at which entities i and j tie in column a, within [0, 1]."""
    si, sj = (1 - a) * cells[0, i] + a * cells[3, i], (1 - a) * cells[0, j] + a * cells[3, j]
    e0 = sj * cells[1, i] - si * cells[1, j]
    e1 = sj * cells[2, i] - si * cells[2, j]
    if e0 == e1:
        # The frontier is a vertical line or a limit; the derivative in a gives the limit.
        di, dj = cells[3, i] - cells[0, i], cells[3, j] - cells[0, j]
        e0, e1 = dj * cells[1, i] - di * cells[1, j], dj * cells[2, i] - di * cells[2, j]
        if e0 == e1:
            return 0.0
    return min(max(e0 / (e0 - e1), 0.0), 1.0)


@njit(**OPTIONS)
def slope(cells, i, j, a):
    """The denominator of the Möbius function of :func:`border`, up to sign."""
    si, sj = (1 - a) * cells[0, i] + a * cells[3, i], (1 - a) * cells[0, j] + a * cells[3, j]
    return sj * (cells[1, i] - cells[2, i]) - si * (cells[1, j] - cells[2, j])


@njit(**OPTIONS)
def area_below(cells, i, j, a0, a1):
    """∫ of the border over [a0, a1]: a weighted mean of its end points, the weight a function of one ratio."""
    first, last = border(cells, i, j, a0), border(cells, i, j, a1)
    m0, m1 = slope(cells, i, j, a0), slope(cells, i, j, a1)
    if m0 == 0.0 or m1 == 0.0 or m1 / m0 < 0.0:
        # A common root of numerator and denominator: the border does not depend on a.
        middle = border(cells, i, j, 0.5 * (a0 + a1))
        return (a1 - a0) * middle
    ratio = m1 / m0
    r = ratio - 1.0
    if abs(r) < 1e-2:
        weight = ratio * (1 / 2 - r * (1 / 3 - r * (1 / 4 - r * (1 / 5 - r * (1 / 6 - r * (1 / 7 - r / 8))))))
    else:
        weight = ratio * (r - np.log1p(r)) / (r * r)
    return (a1 - a0) * (first + (last - first) * weight)


@njit(**OPTIONS)
def holder(x, y, b, weight, rank):
    """Who holds the rank at b; entity k stands for ``weight[k]`` identical ones."""
    n = x.size
    if rank <= 1:
        best, low = 0, np.inf
        for k in range(n):
            v = (1 - b) * x[k] + b * y[k]
            if v < low:
                best, low = k, v
        return best
    for k in range(n):
        v = (1 - b) * x[k] + b * y[k]
        better = 0
        for j in range(n):
            w = (1 - b) * x[j] + b * y[j]
            if w < v or (w == v and j < k):
                better += weight[j]
        if better < rank <= better + weight[k]:
            return k
    return -1


@njit(**OPTIONS)
def column(cells, a, weight, rank, x, y, out):
    """The holders of a rank along column a, from b = 0 to b = 1, into ``out``; how many."""
    n = weight.size
    for k in range(n):
        s = (1 - a) * cells[0, k] + a * cells[3, k]
        x[k] = cells[1, k] / s if s > 0 else np.inf
        y[k] = cells[2, k] / s if s > 0 else np.inf
    now, count = 0.0, 0
    while True:
        k = holder(x, y, min(now + STEP_B, 1.0), weight, rank)
        if count == 0 or out[count - 1] != k:
            if count == out.size:
                return -1
            out[count] = k
            count += 1
        until = 2.0
        if np.isfinite(x[k]):
            for j in range(n):
                if j != k and np.isfinite(x[j]):
                    e0, e1 = x[k] - x[j], y[k] - y[j]
                    if e0 * e1 < 0.0:
                        b = e0 / (e0 - e1)
                        if now + STEP_B < b < until:
                            until = b
        if until >= 1.0:
            return count
        now = until


@njit(**OPTIONS)
def root(at0, at1):
    """Where a linear function with these values at 0 and 1 vanishes; 2 if not inside."""
    if at0 == at1 or at0 * at1 > 0.0:
        return 2.0
    return at0 / (at0 - at1)


@njit(**OPTIONS)
def determinant(cells, i, j, k, row):
    """Determinant of (s, fp, fn - fp) of three entities at a = 0 (row 0: s = tn) or a = 1 (row 3: s = tp)."""
    fi, fj, fk = cells[1, i], cells[1, j], cells[1, k]
    gi, gj, gk = cells[2, i], cells[2, j], cells[2, k]
    return (
        cells[row, i] * (fj * gk - fk * gj) + cells[row, j] * (fk * gi - fi * gk) + cells[row, k] * (fi * gj - fj * gi)
    )


@njit(**OPTIONS)
def next_event(cells, holders, count, after):
    """The first column after ``after`` where the sequence of holders may change."""
    event = 1.0
    n = cells.shape[1]
    for end in range(2):
        k = holders[0] if end == 0 else holders[count - 1]
        row = 1 if end == 0 else 2
        for j in range(n):
            if j != k:
                e0 = cells[0, j] * cells[row, k] - cells[0, k] * cells[row, j]
                e1 = cells[3, j] * cells[row, k] - cells[3, k] * cells[row, j]
                a = root(e0, e1)
                if after < a < event:
                    event = a
    for v in range(count - 1):
        i, j = holders[v], holders[v + 1]
        a = root(slope(cells, i, j, 0.0), slope(cells, i, j, 1.0))
        if after < a < event:
            event = a
        for k in range(n):
            if k != i and k != j:
                a = root(determinant(cells, i, j, k, 0), determinant(cells, i, j, k, 3))
                if after < a < event:
                    event = a
    return event


@njit(**OPTIONS)
def equal_sequences(p, count_p, q, count_q):
    equal = count_p == count_q
    i = 0
    while equal and i < count_p:
        equal = p[i] == q[i]
        i += 1
    return equal


@njit(**OPTIONS)
def partition(cells, weight, rank, slabs):
    """Cut the Tile by who holds a rank: rows (a0, a1, entity, below, above) into ``slabs``; how many, or -1.

    -1 says that ``slabs`` is too small.
    ``below`` and ``above`` are the entities beyond the slab's borders, or -1 at the border of the Tile.
    """
    n = weight.size
    x, y = np.empty(n), np.empty(n)
    holders, other = np.empty(4 * n + 8, np.int64), np.empty(4 * n + 8, np.int64)
    used = 0
    first_open = 0
    start = 0.0
    while start < 1.0:
        count = column(cells, min(start + STEP_A, 1.0), weight, rank, x, y, holders)
        if count < 0:
            return -1
        end = next_event(cells, holders, count, start + STEP_A)
        if end - start > 4 * STEP_A:
            # Rounding may have hidden an event: the far end must look the same, or the change is searched for.
            found = column(cells, end - STEP_A, weight, rank, x, y, other)
            if not equal_sequences(holders, count, other, found):
                low, high = start + STEP_A, end - STEP_A
                while high - low > STEP_A:
                    middle = 0.5 * (low + high)
                    found = column(cells, middle, weight, rank, x, y, other)
                    if equal_sequences(holders, count, other, found):
                        low = middle
                    else:
                        high = middle
                end = high
        if used + count > slabs.shape[0]:
            return -1
        open_until = used
        for v in range(count):
            below = holders[v - 1] if v > 0 else -1
            above = holders[v + 1] if v < count - 1 else -1
            carried = False
            for p in range(first_open, open_until):
                if slabs[p, 1] == start and slabs[p, 2] == holders[v] and slabs[p, 3] == below and slabs[p, 4] == above:
                    slabs[p, 1] = end
                    carried = True
                    break
            if not carried:
                slabs[used, 0], slabs[used, 1], slabs[used, 2] = start, end, holders[v]
                slabs[used, 3], slabs[used, 4] = below, above
                used += 1
        start = end
    return used


@njit(**OPTIONS)
def slab_area(cells, slab):
    """Area of one slab."""
    a0, a1, k, below, above = slab[0], slab[1], int(slab[2]), int(slab[3]), int(slab[4])
    top = area_below(cells, k, above, a0, a1) if above >= 0 else a1 - a0
    bottom = area_below(cells, below, k, a0, a1) if below >= 0 else 0.0
    return top - bottom


@njit(**OPTIONS)
def merge_identical(cells, kept, group):
    """Leave one of each set of entities that tie everywhere; ``group`` maps everyone to a position in the result."""
    count = 0
    for k in range(cells.shape[1]):
        group[k] = -1
        perfect, useless = cells[1, k] + cells[2, k] == 0.0, cells[0, k] + cells[3, k] == 0.0
        for p in range(count):
            j = kept[p]
            if (
                (perfect and cells[1, j] + cells[2, j] == 0.0)
                or (useless and cells[0, j] + cells[3, j] == 0.0)
                or (
                    abs(cells[0, j] - cells[0, k]) <= 1e-12 * cells[0, k]
                    and abs(cells[1, j] - cells[1, k]) <= 1e-12 * cells[1, k]
                    and abs(cells[2, j] - cells[2, k]) <= 1e-12 * cells[2, k]
                    and abs(cells[3, j] - cells[3, k]) <= 1e-12 * cells[3, k]
                )
            ):
                group[k] = p
                break
        if group[k] < 0:
            kept[count] = k
            group[k] = count
            count += 1
    return count


@njit(**OPTIONS)
def shares(draws, out):
    """For each draw the area on which each entity is best (draw, entity); identical entities share theirs evenly.

    NaN where no entity is defined, or where a partition would not end.
    """
    from_all = draws.shape[2]
    kept, group = np.empty(from_all, np.int64), np.empty(from_all, np.int64)
    for d in range(draws.shape[0]):
        cells = draws[d]
        entities = np.empty(from_all, np.int64)
        count = 0
        for i in range(from_all):
            beaten = np.isnan(cells[0, i] + cells[1, i] + cells[2, i] + cells[3, i])
            for j in range(from_all):
                beaten = beaten or (
                    cells[0, j] > cells[0, i]
                    and cells[3, j] > cells[3, i]
                    and cells[1, j] < cells[1, i]
                    and cells[2, j] < cells[2, i]
                )
            if not beaten:
                entities[count] = i
                count += 1
        out[d, :] = 0.0
        if count == 0:
            out[d, :] = np.nan
            continue
        mine = np.ascontiguousarray(cells[:, entities[:count]])
        distinct = merge_identical(mine, kept, group)
        lines = np.ascontiguousarray(mine[:, kept[:distinct]])
        weight = np.zeros(distinct, np.int64)
        for p in range(count):
            weight[group[p]] += 1
        rows = 16 * distinct + 64
        slabs = np.empty((rows, 5))
        used = partition(lines, weight, 1, slabs)
        while used < 0 and rows < 10_000_000:
            rows *= 8
            slabs = np.empty((rows, 5))
            used = partition(lines, weight, 1, slabs)
        if used < 0:
            out[d, :] = np.nan
            continue
        area = np.zeros(distinct)
        for p in range(used):
            area[int(slabs[p, 2])] += slab_area(lines, slabs[p])
        for p in range(count):
            out[d, entities[p]] = area[group[p]] / weight[group[p]]
