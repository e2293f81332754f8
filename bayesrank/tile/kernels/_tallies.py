"""Compiled loops over draws: winners, rank probabilities, the ranks of one entity, the holder of one rank.

Along a column the entities swap ranks where their lines cross (see ``_columns``), so the cost is that of the crossings.
Columns with ties, crossings on grid points or undefined scores are ranked point by point.
"""

import numpy as np

from bayesrank._compiled import njit
from bayesrank.tile.kernels._columns import (
    OPTIONS,
    TOLERANCE,
    add_best,
    add_best_by_points,
    add_point,
    add_ranks,
    column_is_slow,
    contenders,
    defined_entities,
    enter_column,
    log_or_less,
    may_be_slow,
    same,
    sort_point,
    swap_point,
    tied_until,
)


@njit(**OPTIONS)
def tally_best(draws, columns, points, best):
    """Sum the winners in ``columns`` over draws: differences along b, as in :func:`tally`."""
    n, last = draws.shape[2], points.size - 1
    s, x, y, own = np.empty(n), np.empty(n), np.empty(n), np.empty((4, n))
    for d in range(draws.shape[0]):
        cells = draws[d]
        entities = defined_entities(cells)
        who = contenders(cells, 1)[0]
        for p in range(who.size):
            for c in range(4):
                own[c, p] = cells[c, who[p]]
        slow = may_be_slow(cells, entities)
        for i in range(columns.size):
            a = columns[i]
            if slow:
                for k in entities:
                    s[k] = (1 - a) * cells[0, k] + a * cells[3, k]
                if column_is_slow(s, cells, entities):
                    add_best_by_points(cells, s, points, entities, best[i])
                    continue
            for p in range(who.size):
                right = (1 - a) * own[0, p] + a * own[3, p]
                x[p], y[p] = own[1, p] / right, own[2, p] / right
            add_best(x, y, who, last, best[i])


@njit(**OPTIONS)
def tally_ranks(draws, a, b, weight, out):
    """Add each draw's weight at paired (``a``, ``b``) to (entity, rank) in ``out``, with ties spread evenly."""
    n = draws.shape[2]
    log_s, log_u, keys = np.empty(n), np.empty(n), np.empty(n)
    for d in range(draws.shape[0]):
        cells = draws[d]
        entities = defined_entities(cells)
        order = entities.copy()
        for i in range(a.size):
            for k in entities:
                log_s[k] = log_or_less((1 - a[i]) * cells[0, k] + a[i] * cells[3, k])
            defined = sort_point(cells, log_s, b[i], entities, order, keys, log_u)
            first = 0
            while first < defined:
                end = tied_until(keys, order, first, defined)
                for p in range(first, end):
                    for r in range(first, end):
                        out[order[p], r] += weight[i] / (end - first)
                first = end


@njit(**OPTIONS)
def add_rank_steps(x, y, by_x, last, holder):
    """Add the ranks of a column, (entity, rank, b + 1), as differences; return False, adding nothing, if some may tie.

    Lines sorted by x swap only with neighbours, one pair after another.
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
    # Dry run: swaps closer than rounding may come in an order that no sequence of neighbours allows.
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
    """Sum ranks over draws, (a, entity, rank, b + 1): differences along b, with ties spread evenly.

    ``columns`` are the a, ``points`` the b.
    """
    last, n = points.size - 1, draws.shape[2]
    s, x, y, keys, log_s, log_u = np.empty((6, n))
    for d in range(draws.shape[0]):
        cells = draws[d]
        entities = defined_entities(cells)
        order, by_x = entities.copy(), entities.copy()
        for i in range(columns.size):
            if enter_column(cells, columns[i], entities, s, x, y) and add_rank_steps(x, y, by_x, last, out[i]):
                continue
            for k in entities:
                log_s[k] = log_or_less(s[k])
            for m in range(points.size):
                defined = sort_point(cells, log_s, points[m], entities, order, keys, log_u)
                first = 0
                while first < defined:
                    end = tied_until(keys, order, first, defined)
                    share = 1.0 / (end - first)
                    for p in range(first, end):
                        for r in range(first, end):
                            out[i, order[p], r, m] += share
                            out[i, order[p], r, m + 1] -= share
                    first = end


@njit(**OPTIONS, fastmath={"nnan", "nsz"})
def beside(values, pivot):
    """Return the numbers of values below and above a pivot, without ties, and the nearest value on each side."""
    fewer, low, high = (1 - TOLERANCE) * pivot, -np.inf, np.inf
    less, more = 0, 0
    for p in range(values.size):
        v = values[p]
        below, above = v < fewer, (1 - TOLERANCE) * v > pivot
        less += below
        more += above
        low = max(low, v if below else -np.inf)
        high = min(high, v if above else np.inf)
    return less, more, low, high


@njit(**OPTIONS)
def add_rank_of_column(x, y, entities, rank, points, pivot, out):
    """Add the holder of a rank in a column, (entity, b + 1), as differences; return the index of the first holder.

    The holder changes by single ranks from one point to the next. ``pivot`` is the index of the first holder in the
    previous column.
    """
    n = entities.size
    values = np.empty(n)
    holder, first = pivot, pivot
    for m in range(points.size):
        b = points[m]
        for p in range(n):
            values[p] = (1 - b) * x[p] + b * y[p]
        value = values[holder]
        less, more, low, high = beside(values, value)
        while not less < rank <= n - more:
            value = low if rank <= less else high
            less, more, low, high = beside(values, value)
        share = 1.0 / (n - more - less)
        for p in range(n):
            if same(values[p], value):
                holder = p
                out[entities[p], m] += share
                out[entities[p], m + 1] -= share
        if m == 0:
            first = holder
    return first


@njit(**OPTIONS)
def tally_some_ranks(draws, columns, points, ranks, out):
    """Sum some ``ranks`` over draws, (a, entity, rank, b + 1), with memory and time for these only."""
    n = draws.shape[2]
    s, x, y, keys, log_s, log_u = np.empty((6, n))
    x_own, y_own = np.empty(n), np.empty(n)
    for d in range(draws.shape[0]):
        cells = draws[d]
        entities = defined_entities(cells)
        order, pivots = entities.copy(), np.zeros(ranks.size, np.int64)
        for i in range(columns.size):
            if enter_column(cells, columns[i], entities, s, x, y):
                for p in range(entities.size):
                    x_own[p], y_own[p] = x[entities[p]], y[entities[p]]
                own = x_own[: entities.size], y_own[: entities.size]
                for r in range(ranks.size):
                    if ranks[r] <= entities.size:
                        pivots[r] = add_rank_of_column(*own, entities, ranks[r], points, pivots[r], out[i, :, r])
                continue
            for k in entities:
                log_s[k] = log_or_less(s[k])
            for m in range(points.size):
                defined = sort_point(cells, log_s, points[m], entities, order, keys, log_u)
                first = 0
                while first < defined:
                    end = tied_until(keys, order, first, defined)
                    for r in range(ranks.size):
                        if first < ranks[r] <= end:
                            for p in range(first, end):
                                out[i, order[p], r, m] += 1.0 / (end - first)
                                out[i, order[p], r, m + 1] -= 1.0 / (end - first)
                    first = end


@njit(**OPTIONS)
def tally_one(draws, columns, points, which, rank, undefined):
    """Sum one entity's ranks, and where it is undefined, over draws: arrays (a, b + 1), differences along b."""
    last, n = points.size - 1, draws.shape[2]
    s, x, y, key = np.empty((4, n))
    for d in range(draws.shape[0]):
        cells = draws[d]
        entities = defined_entities(cells)
        if not (entities == which).any():
            for i in range(columns.size):
                undefined[i, 0] += 1.0
            continue
        for i in range(columns.size):
            if enter_column(cells, columns[i], entities, s, x, y):
                rank[i, 0] += 1.0
                for k in entities:
                    if k == which:
                        continue
                    before, at, after, m = swap_point(x[which], y[which], x[k], y[k], last)
                    rank[i, 0] += 0.5 - 0.5 * before
                    rank[i, m] -= 0.5 * (at - before)
                    rank[i, m + 1] -= 0.5 * (after - at)
                continue
            for m in range(points.size):
                for k in entities:
                    u = (1 - points[m]) * cells[1, k] + points[m] * cells[2, k]
                    key[k] = log_or_less(s[k]) - log_or_less(u)  # NaN where both are -inf
                if np.isnan(key[which]):
                    undefined[i, m] += 1.0
                    undefined[i, m + 1] -= 1.0
                    continue
                place = 1.0
                for k in entities:
                    if k != which and (key[k] == key[which] or abs(key[k] - key[which]) <= TOLERANCE):
                        place += 0.5
                    elif key[k] > key[which]:
                        place += 1.0
                rank[i, m] += place
                rank[i, m + 1] -= place


@njit(**OPTIONS)
def holders(cells, points, rank, out):
    """Write the sole holder of a rank (b, a); -1 where there is none."""
    last, n = points.size - 1, cells.shape[1]
    entities = defined_entities(cells)
    order, by_x, by_y = entities.copy(), entities.copy(), entities.copy()
    s, x, y, keys, log_s, log_u = np.empty((6, n))
    ranks, unused = np.empty((n, last + 2)), np.empty((n, last + 2))
    for i in range(points.size):
        ranks[:] = 0.0
        if enter_column(cells, points[i], entities, s, x, y):
            add_ranks(x, y, by_x, by_y, last, ranks)
        else:
            for k in entities:
                log_s[k] = log_or_less(s[k])
            for m in range(points.size):
                defined = sort_point(cells, log_s, points[m], entities, order, keys, log_u)
                add_point(keys, order, defined, entities.size, m, unused, ranks, unused)
        out[:, i] = -1
        for k in entities:
            held = 0.0
            for m in range(points.size):
                held += ranks[k, m]
                # Tied entities share their average rank, so a sole holder has no tie.
                if held == rank:
                    out[m, i] = k if out[m, i] == -1 else -2
    for i in range(points.size):
        for m in range(points.size):
            out[m, i] = max(out[m, i], -1)
