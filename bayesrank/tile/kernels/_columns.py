"""Compiled parts of a column of the Tile, for one draw.

In column a of the Tile the inverse odds of entity k are a line in b: (1 - b) x + b y with x = fp / s(a) and
y = fn / s(a). The winner along a column is a lower envelope of lines, and two entities swap ranks at most once. A
column therefore costs its number of crossings, not of grid points. Counts are stored as differences along b.
"""

import numpy as np

from bayesrank._compiled import njit
from bayesrank.tile._grid import TOLERANCE

#: Cells below this could underflow in products; such columns are ranked point by point, in logarithms.
TINY = 1e-100
#: Loops compile faster than expressions of arrays.
OPTIONS = {"cache": True, "nogil": True, "error_model": "numpy"}


@njit(**OPTIONS)
def enter_column(cells, a, entities, s, x, y):
    """Write the lines of the entities in column ``a`` to ``x`` and ``y``.

    Return False if some score in the column may be undefined, or too small for products.
    """
    fine = True
    for k in entities:
        s[k] = (1 - a) * cells[0, k] + a * cells[3, k]
        x[k], y[k] = cells[1, k] / s[k], cells[2, k] / s[k]
        fine = fine and s[k] >= TINY and not (0.0 < cells[1, k] < TINY or 0.0 < cells[2, k] < TINY)
    return fine


@njit(**OPTIONS)
def log_or_less(value):
    """Return the logarithm, minus infinity for values rounded below 0."""
    return np.log(value) if value > 0 else -np.inf


@njit(**OPTIONS)
def defined_entities(cells):
    """Return the entities without NaN in their cells."""
    out, count = np.empty(cells.shape[1], np.int64), 0
    for k in range(cells.shape[1]):
        out[count] = k
        count += not np.isnan(cells[0, k] + cells[1, k] + cells[2, k] + cells[3, k])
    return out[:count]


@njit(**OPTIONS)
def contenders(cells, entities, rank):
    """Return those of the entities that may hold a rank somewhere, and the rank among them.

    Excluded are entities worse in all four cells, by more than rounding, than ``rank`` others, and entities better than
    all but fewer than ``rank``.
    """
    up, down = 1 + 1e-9, 1 - 1e-9
    worse, better = np.zeros(cells.shape[1], np.int64), np.zeros(cells.shape[1], np.int64)
    for i in entities:
        tn, fp, fn, tp = up * cells[0, i], down * cells[1, i], down * cells[2, i], up * cells[3, i]
        for j in entities:
            if cells[0, j] > tn and cells[3, j] > tp and cells[1, j] < fp and cells[2, j] < fn:
                worse[i] += 1
                better[j] += 1
                if rank == 1:
                    break
    out, count, ahead = np.empty(entities.size, np.int64), 0, 0
    for i in entities:
        if better[i] > entities.size - rank:
            ahead += 1
        elif worse[i] < rank:
            out[count] = i
            count += 1
    return out[:count], rank - ahead


@njit(**OPTIONS)
def same(p, q):
    return p == q or abs(p - q) <= TOLERANCE * max(p, q)


@njit(**OPTIONS)
def add_best(x, y, entities, last, best):
    """Add the winner of each point of a column, with ties shared, to differences along b.

    ``x`` and ``y`` hold the ends of the lines of the entities ``entities``, in this order.
    """
    n = entities.size
    m = 0 if n else last + 1
    while m <= last:
        b = m / last
        low, second, winner = np.inf, np.inf, 0
        for p in range(n):
            v = (1 - b) * x[p] + b * y[p]
            if v < low:
                low, second, winner = v, low, p
            elif v < second:
                second = v
        if second < np.inf and same(low, second):
            tied = 0
            for p in range(n):
                tied += same((1 - b) * x[p] + b * y[p], low)
            for p in range(n):
                if same((1 - b) * x[p] + b * y[p], low):
                    best[entities[p], m] += 1.0 / tied
                    best[entities[p], m + 1] -= 1.0 / tied
            m += 1
            continue
        end = last + 1.0
        for p in range(n):
            e0, e1 = x[winner] - x[p], y[winner] - y[p]
            if p != winner and e1 >= -1e-11 * (y[winner] + y[p]) and e0 < e1:
                end = min(end, e0 / (e0 - e1) * last)
        stop = min(max(m + 1, int(np.ceil(end - 1e-7))), last + 1)
        best[entities[winner], m] += 1.0
        best[entities[winner], stop] -= 1.0
        m = stop


@njit(**OPTIONS)
def sort_by(values, order):
    """Sort a nearly sorted order; return whether neighbours tie."""
    tied = False
    for p in range(1, order.size):
        k, q = order[p], p - 1
        while q >= 0 and values[order[q]] > values[k]:
            order[q + 1] = order[q]
            q -= 1
        order[q + 1] = k
    for p in range(1, order.size):
        tied = tied or same(values[order[p - 1]], values[order[p]])
    return tied


@njit(**OPTIONS)
def add_ranks(x, y, by_x, by_y, last, rank):
    """Add the ranks of a column to differences along b; return False, and add nothing, if entities tie at an end.

    ``by_x`` and ``by_y`` are the orders of the previous column, nearly right for this one.
    """
    n = by_x.size
    tied = sort_by(x, by_x)
    if sort_by(y, by_y) or tied:
        return False
    # Sorting by y after sorting by x meets each pair that swaps ranks exactly once.
    xs, ys, entities = np.empty(n), np.empty(n), np.empty(n, np.int64)
    for p in range(n):
        k = by_x[p]
        rank[k, 0] += p + 1.0
        xk, yk, q = x[k], y[k], p - 1
        while q >= 0 and ys[q] > yk:
            i = entities[q]  # better than k up to the swap
            e0 = xk - xs[q]
            place = e0 / (e0 + ys[q] - yk) * last
            m = int(place + 0.5)
            if abs(place - m) < 1e-6 and same((last - m) * xs[q] + m * ys[q], (last - m) * xk + m * yk):
                rank[i, m] += 0.5
                rank[k, m] -= 0.5
                rank[i, m + 1] += 0.5
                rank[k, m + 1] -= 0.5
            else:
                after = m if place <= m else m + 1
                rank[i, after] += 1.0
                rank[k, after] -= 1.0
            xs[q + 1], ys[q + 1], entities[q + 1] = xs[q], ys[q], i
            q -= 1
        xs[q + 1], ys[q + 1], entities[q + 1] = xk, yk, k
    return True


@njit(**OPTIONS)
def sort_point(cells, log_s, b, entities, order, keys):
    """Write the log odds of the entities at one b to ``keys`` and order them, best first, undefined last.

    Return the number of defined entities. ``order`` is nearly right if it comes from a neighbouring point.
    """
    defined = 0
    for k in entities:
        keys[k] = log_s[k] - log_or_less((1 - b) * cells[1, k] + b * cells[2, k])  # NaN where both are -inf
        defined += not np.isnan(keys[k])
    for p in range(1, entities.size):
        k, q = order[p], p - 1
        while q >= 0 and (keys[order[q]] < keys[k] or (np.isnan(keys[order[q]]) and not np.isnan(keys[k]))):
            order[q + 1] = order[q]
            q -= 1
        order[q + 1] = k
    return defined


@njit(**OPTIONS)
def tied_until(keys, order, first, defined):
    """Return the end of the tied group that begins at position ``first``."""
    end = first + 1
    while end < defined:
        p, q = keys[order[end - 1]], keys[order[end]]
        if p != q and not p - q <= TOLERANCE:
            break
        end += 1
    return end


@njit(**OPTIONS)
def add_point(keys, order, defined, total, m, best, rank, undefined):
    """Add the winners and ranks of one point to differences along b."""
    first = 0
    while first < defined:
        end = tied_until(keys, order, first, defined)
        for p in range(first, end):
            k = order[p]
            if first == 0:
                best[k, m] += 1.0 / end
                best[k, m + 1] -= 1.0 / end
            average = 0.5 * (first + 1 + end)
            rank[k, m] += average
            rank[k, m + 1] -= average
        first = end
    for p in range(defined, total):
        undefined[order[p], m] += 1.0
        undefined[order[p], m + 1] -= 1.0


@njit(**OPTIONS)
def first_below(x, y, rival, last):
    """Return the first of last + 1 grid points where the line from x to y is below that from 0 to ``rival``."""
    if y >= rival or same(y, rival):
        return last + 1
    m = int(x / (x + rival - y) * last + 0.5)
    b = m / last
    own = (1 - b) * x + b * y
    return m if own < b * rival and not same(own, b * rival) else m + 1


@njit(**OPTIONS)
def skilled_between(cells, a, x, y, k, last):
    """Return the range where an entity beats "always negative" and "always positive" at its own prevalence."""
    negative, positive = cells[0, k] + cells[1, k], cells[2, k] + cells[3, k]
    # "Always negative" is a line from 0, "always positive" one to 0; rivals with score 0 or undefined are ignored.
    low, high = 0, last
    if (1 - a) * negative > TINY:
        low = first_below(x[k], y[k], positive / ((1 - a) * negative), last)
    if a * positive > TINY:
        high = last - first_below(y[k], x[k], negative / (a * positive), last)
    return low, high + 1


@njit(**OPTIONS)
def add_skill_point(cells, a, b, entities, m, skilled):
    """Add the skill at one point by comparing values, where scores may be undefined."""
    for k in entities:
        negative, positive = cells[0, k] + cells[1, k], cells[2, k] + cells[3, k]
        s, u = (1 - a) * cells[0, k] + a * cells[3, k], (1 - b) * cells[1, k] + b * cells[2, k]
        if s + u == 0.0:
            continue
        better = True
        for side in range(2):
            rival_s = (1 - a) * negative if side == 0 else a * positive
            rival_u = b * positive if side == 0 else (1 - b) * negative
            if rival_s + rival_u > 0.0:
                better = better and s * rival_u > rival_s * u * (1 + TOLERANCE)
        if better:
            skilled[k, m] += 1.0
            skilled[k, m + 1] -= 1.0
