"""Compiled exact partition of the Tile by the holder of a rank.

In column a the inverse odds of the entities are lines in b, so the holder of rank r changes along
the column only where two lines cross. Between events the sequence of holders is the same in every
column, with Möbius functions of a as borders. An event is a column where three lines meet (the
determinant of s, fp, fn is linear in a), where two lines meet at b = 0 or b = 1, or where two lines
coincide.
"""

import numpy as np

from bayesrank._core.compiled import njit
from bayesrank.tile.kernels._shared import (
    HELPER,
    OPTIONS,
    contenders,
    defined_entities,
    same,
    sort_by,
)

#: Smallest width of a slab; it sets the accuracy of areas.
STEP = 1e-9
#: Relative error of a sum of products of cells; closer lines count as meeting.
ROUNDING = 4e-15


@njit(**HELPER)
def border(cells, i, j, a):
    """Return the b at which entities i and j tie in column a, within [0, 1]."""
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


@njit(**HELPER)
def slope(cells, i, j, a):
    """Return the denominator of the Möbius function of :func:`border`, up to sign."""
    si, sj = (1 - a) * cells[0, i] + a * cells[3, i], (1 - a) * cells[0, j] + a * cells[3, j]
    return sj * (cells[1, i] - cells[2, i]) - si * (cells[1, j] - cells[2, j])


@njit(**HELPER)
def area_below(cells, i, j, a0, a1):
    """Return ∫ of the border over [a0, a1]: a weighted mean of its ends, with a weight that depends on one ratio."""
    first, last = border(cells, i, j, a0), border(cells, i, j, a1)
    m0, m1 = slope(cells, i, j, a0), slope(cells, i, j, a1)
    if m0 == 0.0 or m1 == 0.0 or m1 / m0 <= 0.0:
        # Numerator and denominator share a root: the border does not depend on a.
        middle = border(cells, i, j, 0.5 * (a0 + a1))
        return (a1 - a0) * middle
    ratio = min(m1 / m0, 1e300)
    r = ratio - 1.0
    if abs(r) < 1e-2:
        weight = ratio * (
            1 / 2 - r * (1 / 3 - r * (1 / 4 - r * (1 / 5 - r * (1 / 6 - r * (1 / 7 - r / 8)))))
        )
    else:
        weight = (ratio / r) * ((r - np.log(ratio)) / r)
    return (a1 - a0) * (first + (last - first) * weight)


@njit(**HELPER)
def settle(x, y, b, k, weight, rank, met):
    """Return the holder of the rank just above b, given an entity k that ties there with the holder.

    ``met`` marks the entities that tie with k at b up to rounding. They leave the point in the
    order of their slopes, and do not meet again.
    """
    left = rank
    for j in range(weight.size):
        met[j] = j == k
        if j == k or x[j] == np.inf:
            continue
        here = (1 - b) * (x[j] - x[k]) + b * (y[j] - y[k])
        # Not (1 - b) x, as the error of b counts too.
        met[j] = abs(here) <= ROUNDING * (max(x[k], x[j]) + b * max(y[k], y[j]))
        if not met[j] and here < 0.0:
            left -= weight[j]
    last, flattest = -1, -np.inf
    while True:
        following, steepest = -1, np.inf
        for j in range(weight.size):
            if met[j]:
                rise = y[j] - y[k] - (x[j] - x[k])
                if (rise > flattest or (rise == flattest and j > last)) and rise < steepest:
                    following, steepest = j, rise
        if following < 0:
            return last
        last, flattest = following, steepest
        left -= weight[last]
        if left <= 0:
            return last


@njit(**HELPER)
def column(cells, a, weight, rank, x, y, met, out):
    """Write the holders of a rank along column a, from b = 0 to 1, to ``out``; return their number, or -1 if too many.

    Entities without a correct outcome have infinite odds and share the last ranks.
    """
    k = -1
    for j in range(weight.size):
        s = (1 - a) * cells[0, j] + a * cells[3, j]
        x[j] = cells[1, j] / s if s > 0.0 else np.inf
        y[j] = cells[2, j] / s if s > 0.0 else np.inf
        if k < 0 or x[j] < x[k]:
            k = j
    if rank > 1:
        left, order = rank, np.empty(weight.size, np.int64)
        for j in range(weight.size):
            order[j] = j
        sort_by(x, order)
        for k in order:
            left -= weight[k]
            if left <= 0:
                break
    if x[k] < np.inf:
        k = settle(x, y, 0.0, k, weight, rank, met)
    out[0], count, b = k, 1, 0.0
    while x[k] < np.inf:
        until = 1.0
        for j in range(weight.size):
            e0, e1 = x[k] - x[j], y[k] - y[j]
            if e0 * e1 < 0.0 and not met[j]:
                at = e0 / (e0 - e1)
                if b < at < until:
                    until = at
        if until == 1.0:
            break
        b = until
        j = settle(x, y, b, k, weight, rank, met)
        if j != k:
            if count == out.size:
                return -1
            k = out[count] = j
            count += 1
    return count


@njit(**HELPER)
def root(at0, at1):
    """Return the root of a linear function with these values at 0 and 1; 2 if it is outside."""
    if at0 == at1 or at0 * at1 > 0.0:
        return 2.0
    return at0 / (at0 - at1)


@njit(**HELPER)
def determinant(cells, i, j, k, row):
    """Return the determinant of (s, fp, fn) of three entities at a = 0 (row 0: s = tn) or a = 1 (row 3: s = tp).

    Differences keep it accurate for nearly identical entities.
    """
    s, f, g = cells[row, i], cells[1, i], cells[2, i]
    sj, fj, gj = cells[row, j] - s, cells[1, j] - f, cells[2, j] - g
    sk, fk, gk = cells[row, k] - s, cells[1, k] - f, cells[2, k] - g
    return s * (fj * gk - fk * gj) + f * (gj * sk - gk * sj) + g * (sj * fk - sk * fj)


@njit(**HELPER)
def next_event(cells, holders, count, after):
    """Return the first column after ``after`` where the sequence of holders may change."""
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


@njit(**HELPER)
def alike(p, count_p, q, count_q):
    equal = count_p == count_q
    for i in range(count_p):
        equal = equal and p[i] == q[i]
    return equal


@njit(**HELPER, inline="always")  # one call: a library of its own would be optimised once more
def partition(cells, weight, rank, slabs):
    """Write rows (a0, a1, entity, below, above) of the Tile cut by holder to ``slabs``; return their number.

    The result is -1 if ``slabs`` is too small. ``below`` and ``above`` are the entities beyond the
    slab's borders, or -1 at the border of the Tile.
    """
    x, y, met = np.empty(weight.size), np.empty(weight.size), np.empty(weight.size, np.int64)
    holders, other = np.empty(slabs.shape[0], np.int64), np.empty(slabs.shape[0], np.int64)
    # The slabs that end at ``start``, and those that end at ``end``.
    ending, reaching = np.empty(slabs.shape[0], np.int64), np.empty(slabs.shape[0], np.int64)
    used, open_until = 0, 0
    start = 0.0
    while start < 1.0:
        near = start + min(STEP, 0.5 * (1.0 - start))
        count = column(cells, near, weight, rank, x, y, met, holders)
        if count < 0:
            return -1
        end = next_event(cells, holders, count, near)
        # Rounding may have hidden an event: if the middle or the far end differ, search for the
        # change.
        for high in (0.5 * (start + end), end - STEP):
            if high > near and not alike(
                holders, count, other, column(cells, high, weight, rank, x, y, met, other)
            ):
                low = near
                while high - low > STEP:
                    middle = 0.5 * (low + high)
                    if alike(
                        holders, count, other, column(cells, middle, weight, rank, x, y, met, other)
                    ):
                        low = middle
                    else:
                        high = middle
                end = high
                break
        if used + count > slabs.shape[0]:
            return -1
        for v in range(count):
            below = holders[v - 1] if v > 0 else -1
            above = holders[v + 1] if v < count - 1 else -1
            reaching[v] = used
            for p in ending[:open_until]:
                if slabs[p, 2] == holders[v] and slabs[p, 3] == below and slabs[p, 4] == above:
                    reaching[v] = p
                    break
            if reaching[v] == used:
                slabs[used, 0], slabs[used, 2], slabs[used, 3], slabs[used, 4] = (
                    start,
                    holders[v],
                    below,
                    above,
                )
                used += 1
            slabs[reaching[v], 1] = end
        ending, reaching, open_until = reaching, ending, count
        start = end
    return used


@njit(**HELPER)
def sizes(cells, slabs):
    """Return the areas of slabs."""
    out = np.empty(slabs.shape[0])
    for p in range(slabs.shape[0]):
        a0, a1, k, below, above = (
            slabs[p, 0],
            slabs[p, 1],
            int(slabs[p, 2]),
            int(slabs[p, 3]),
            int(slabs[p, 4]),
        )
        top = area_below(cells, k, above, a0, a1) if above >= 0 else a1 - a0
        bottom = area_below(cells, below, k, a0, a1) if below >= 0 else 0.0
        out[p] = max(top - bottom, 0.0)
    return out


@njit(**HELPER)
def merge_identical(cells, entities, group):
    """Return one of each set of entities that tie everywhere; ``group`` maps entities to positions in the result."""
    retained, count = np.empty(entities.size, np.int64), 0
    for i in range(entities.size):
        k = entities[i]
        group[i] = count
        perfect, useless = cells[1, k] + cells[2, k] == 0.0, cells[0, k] + cells[3, k] == 0.0
        for p in range(count):
            j = retained[p]
            equal = perfect and cells[1, j] + cells[2, j] == 0.0
            equal = equal or (useless and cells[0, j] + cells[3, j] == 0.0)
            if equal or (
                same(cells[0, j], cells[0, k])
                and same(cells[1, j], cells[1, k])
                and same(cells[2, j], cells[2, k])
                and same(cells[3, j], cells[3, k])
            ):
                group[i] = p
                break
        if group[i] == count:
            retained[count] = k
            count += 1
    return retained[:count]


def _cut(cells, rank):
    """Cut the Tile by the holder of a rank, among entities that are defined.

    Return the entities that may hold the rank, the group of identical entities of each, the cells
    of each group, the slabs (with groups), and their areas. There is no slab if the partition does
    not terminate.
    """
    entities, rank = contenders(cells, defined_entities(cells), rank)
    group = np.empty(entities.size, np.int64)
    retained = merge_identical(cells, entities, group)
    count = retained.size
    lines = np.empty((4, count))
    for row in range(4):
        for p in range(count):
            lines[row, p] = cells[row, retained[p]]
    weight = np.empty(count, np.int64)
    for p in range(count):
        weight[p] = 0
    for p in range(entities.size):
        weight[group[p]] += 1
    rows, used = 2 * count + 8, -1
    while used < 0 and rows < 10_000_000:
        rows *= 8
        slabs = np.empty((rows, 5))
        used = partition(lines, weight, rank, slabs)
    slabs = slabs[: max(used, 0)]
    return entities, group, lines, slabs, sizes(lines, slabs)


#: For calls from Python, and within :func:`shares`.
cut, inlined_cut = njit(**OPTIONS)(_cut), njit(**HELPER, inline="always")(_cut)


@njit(**OPTIONS)
def shares(draws, out):
    """Write, for each draw, the area on which each entity is best; identical entities share theirs evenly.

    NaN where no entity is defined, or where the partition does not terminate.
    """
    for d in range(draws.shape[0]):
        out[d, :] = np.nan
        if defined_entities(draws[d]).size == 0:
            continue
        entities, group, _, slabs, size = inlined_cut(
            draws[d], np.int64(1)
        )  # not a literal, for which all of it would be compiled again
        if slabs.shape[0] == 0:
            continue
        out[d, :] = 0.0
        area, weight = np.empty(entities.size), np.empty(entities.size)
        for p in range(entities.size):
            area[p] = weight[p] = 0.0
        for p in range(slabs.shape[0]):
            area[int(slabs[p, 2])] += size[p]
        for p in range(entities.size):
            weight[group[p]] += 1.0
        for p in range(entities.size):
            out[d, entities[p]] = area[group[p]] / weight[group[p]]
