"""Compiled counts of who holds which rank. Loaded on first use.

Along a column of the Tile the entities swap ranks where their lines cross (see ``_columns``): a column costs what its
crossings cost. Columns with ties, crossings on grid points or undefined scores are ranked point by point.
"""

import numpy as np
from numba import njit

from bayesrank.tile._columns import OPTIONS, column_is_slow, defined_entities, same, sort_column, tied_until


@njit(**OPTIONS)
def add_rank_steps(x, y, by_x, last, holder):
    """Add who holds which rank in a column, (entity, rank, b + 1), as differences; False, and nothing, if some may tie.

    Lines sorted by x swap neighbours only, one pair after the other.
    """
    n = by_x.size
    for p in range(1, n):
        k, q = by_x[p], p - 1
        while q >= 0 and x[by_x[q]] > x[k]:
            by_x[q + 1] = by_x[q]
            q -= 1
        by_x[q + 1] = k
    count = 0
    for p in range(n):
        if p > 0 and same(x[by_x[p - 1]], x[by_x[p]]):
            return False
        for q in range(p):
            i, k = by_x[q], by_x[p]
            if same(y[i], y[k]):
                return False
            count += y[i] > y[k]
    at, first, second = np.empty(count), np.empty(count, np.int64), np.empty(count, np.int64)
    count = 0
    for p in range(n):
        for q in range(p):
            i, k = by_x[q], by_x[p]
            if y[i] > y[k]:
                e0 = x[k] - x[i]
                place = e0 / (e0 + y[i] - y[k]) * last
                if abs(place - np.rint(place)) < 1e-6:
                    return False
                r = count - 1
                while r >= 0 and at[r] > place:
                    at[r + 1], first[r + 1], second[r + 1] = at[r], first[r], second[r]
                    r -= 1
                at[r + 1], first[r + 1], second[r + 1] = place, i, k
                count += 1
    position = np.empty(holder.shape[0], np.int64)
    # Rehearse: swaps closer together than rounding may come in an order that no sequence of neighbours allows.
    for p in range(n):
        position[by_x[p]] = p
    for e in range(count):
        if position[second[e]] != position[first[e]] + 1:
            return False
        position[first[e]] += 1
        position[second[e]] -= 1
    for p in range(n):
        position[by_x[p]] = p
        holder[by_x[p], p, 0] += 1.0
    for e in range(count):
        i, k, m = first[e], second[e], int(at[e]) + 1
        p = position[i]
        holder[i, p, m] -= 1.0
        holder[k, p + 1, m] -= 1.0
        holder[i, p + 1, m] += 1.0
        holder[k, p, m] += 1.0
        position[i], position[k] = p + 1, p
    return True


@njit(**OPTIONS)
def tally_rank_steps(draws, columns, points, out):
    """Sum over draws of who holds which rank, (a, entity, rank, b + 1): differences along b, ties spread evenly.

    ``columns`` are the a, ``points`` the b.
    """
    last = points.size - 1
    n = draws.shape[2]
    s, x, y, keys = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    log_s, log_u = np.empty(n), np.empty(n)
    for d in range(draws.shape[0]):
        cells = draws[d]
        entities = defined_entities(cells)
        order, by_x = entities.copy(), entities.copy()
        for i in range(columns.size):
            a = columns[i]
            for k in entities:
                s[k] = (1 - a) * cells[0, k] + a * cells[3, k]
            if not column_is_slow(s, cells, entities):
                for k in entities:
                    x[k], y[k] = cells[1, k] / s[k], cells[2, k] / s[k]
                if add_rank_steps(x, y, by_x, last, out[i]):
                    continue
            for k in entities:
                log_s[k] = np.log(s[k]) if s[k] > 0 else -np.inf
            for m in range(points.size):
                for k in entities:
                    u = (1 - points[m]) * cells[1, k] + points[m] * cells[2, k]
                    log_u[k] = np.log(u) if u > 0 else -np.inf
                defined = sort_column(log_s, log_u, entities, order, keys)
                first = 0
                while first < defined:
                    end = tied_until(keys, order, first, defined)
                    share = 1.0 / (end - first)
                    for p in range(first, end):
                        for r in range(first, end):
                            out[i, order[p], r, m] += share
                            out[i, order[p], r, m + 1] -= share
                    first = end
