"""Compiled loops of the credible Tile, all its maps in one pass, and of rank probabilities at points.

A column of the Tile processes all draws, batch by batch, before the next column. Its counts, and
the sums and squares of the batches, then stay in the processor's cache.

In column a of the Tile the inverse odds of entity k are a line in b: (1 - b) x + b y with x = fp /
s(a) and y = fn / s(a). The winner along a column is a lower envelope of lines, and two entities
swap ranks at most once. A column therefore costs its number of crossings, not of grid points.
Counts are stored as differences along b.
"""

import numpy as np

from bayesrank._core.compiled import njit
from bayesrank.tile.grid import TOLERANCE
from bayesrank.tile.kernels._shared import (
    HELPER,
    OPTIONS,
    contenders,
    defined_entities,
    same,
    sort_by,
)

#: Cells below this could underflow in products; such columns are ranked point by point, in
#: logarithms.
TINY = 1e-100


@njit(**HELPER)
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


@njit(**HELPER)
def log_or_less(value):
    """Return the logarithm, minus infinity for values rounded below 0."""
    return np.log(value) if value > 0 else -np.inf


@njit(**HELPER)
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


@njit(**HELPER)
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
            position = e0 / (e0 + ys[q] - yk) * last
            m = int(position + 0.5)
            if abs(position - m) < 1e-6 and same(
                (last - m) * xs[q] + m * ys[q], (last - m) * xk + m * yk
            ):
                rank[i, m] += 0.5
                rank[k, m] -= 0.5
                rank[i, m + 1] += 0.5
                rank[k, m + 1] -= 0.5
            else:
                after = m if position <= m else m + 1
                rank[i, after] += 1.0
                rank[k, after] -= 1.0
            xs[q + 1], ys[q + 1], entities[q + 1] = xs[q], ys[q], i
            q -= 1
        xs[q + 1], ys[q + 1], entities[q + 1] = xk, yk, k
    return True


@njit(**HELPER)
def sort_point(cells, log_s, b, entities, order, keys):
    """Write the log odds of the entities at one b to ``keys`` and order them, best first, undefined last.

    Return the number of defined entities. ``order`` is nearly right if it comes from a neighbouring
    point.
    """
    defined = 0
    for k in entities:
        keys[k] = log_s[k] - log_or_less(
            (1 - b) * cells[1, k] + b * cells[2, k]
        )  # NaN where both are -inf
        defined += not np.isnan(keys[k])
    for p in range(1, entities.size):
        k, q = order[p], p - 1
        while q >= 0 and (
            keys[order[q]] < keys[k] or (np.isnan(keys[order[q]]) and not np.isnan(keys[k]))
        ):
            order[q + 1] = order[q]
            q -= 1
        order[q + 1] = k
    return defined


@njit(**HELPER)
def tied_until(keys, order, first, defined):
    """Return the end of the tied group that begins at position ``first``."""
    end = first + 1
    while end < defined:
        p, q = keys[order[end - 1]], keys[order[end]]
        if p != q and not p - q <= TOLERANCE:
            break
        end += 1
    return end


@njit(**HELPER)
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


@njit(**HELPER)
def first_below(x, y, rival, last):
    """Return the first of last + 1 grid points where the line from x to y is below that from 0 to ``rival``."""
    if y >= rival or same(y, rival):
        return last + 1
    m = int(x / (x + rival - y) * last + 0.5)
    b = m / last
    own = (1 - b) * x + b * y
    return m if own < b * rival and not same(own, b * rival) else m + 1


@njit(**HELPER)
def skilled_between(cells, a, x, y, k, last):
    """Return the range where an entity beats "always negative" and "always positive" at its own prevalence."""
    negative, positive = cells[0, k] + cells[1, k], cells[2, k] + cells[3, k]
    # "Always negative" is a line from 0, "always positive" one to 0; rivals with score 0 or
    # undefined are ignored.
    low, high = 0, last
    if (1 - a) * negative > TINY:
        low = first_below(x[k], y[k], positive / ((1 - a) * negative), last)
    if a * positive > TINY:
        high = last - first_below(y[k], x[k], negative / (a * positive), last)
    return low, high + 1


@njit(**HELPER)
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


@njit(**HELPER)
def fold_steps(steps, draws, held, sums, squares):
    """Add a batch's counts of ``draws`` draws, and their squares / draws, to the sums.

    Counts are differences along the first axis. ``held`` is a work array, one number per entity.
    """
    for k in range(held.size):
        held[k] = 0.0
    for m in range(sums.shape[0]):
        for k in range(sums.shape[1]):
            held[k] += steps[m, k]
            sums[m, k] += held[k]
            squares[m, k] += held[k] * held[k] / draws


@njit(**HELPER)
def fold_losses(total, top, draws, sums, squares):
    """Add a batch's losses (largest value minus own value) and their squares / draws to the sums."""
    for k in range(total.shape[0]):
        for m in range(total.shape[1]):
            loss = top[m] - total[k, m]
            sums[m, k] += loss
            squares[m, k] += loss * loss / draws


@njit(**HELPER)
def clear(steps, values, top):
    """Set the counts and values of a batch to 0."""
    for j in range(steps.shape[0]):
        for m in range(steps.shape[1]):
            for k in range(steps.shape[2]):
                steps[j, m, k] = 0.0
    for m in range(top.size):
        top[m] = 0.0
        for k in range(values.shape[0]):
            values[k, m] = 0.0


@njit(**HELPER)
def add_values(cells, a, points, entities, high, total, top):
    """Add the values of all entities in a column (entity, b) and the largest one (b); undefined values add 0.

    ``high`` is a work array.
    """
    for m in range(points.size):
        high[m] = 0.0
    for k in entities:
        s, fp, fn = (1 - a) * cells[0, k] + a * cells[3, k], cells[1, k], cells[2, k]
        for m in range(points.size):
            full = s + ((1 - points[m]) * fp + points[m] * fn)
            value = s / (full if full > 0.0 else 1.0)
            total[k, m] += value
            high[m] = max(high[m], value)
    for m in range(points.size):
        top[m] += high[m]


@njit(**OPTIONS)
def tally(draws, ends, columns, points, ranks, skill, regret, undefined, sums, squares):
    """Sum winners and the requested ranks, skill and losses over draws, by batches.

    ``ends`` are the ends of the batches among the draws, ``columns`` the a, ``points`` the b. The
    counts of a batch, and their squares / draws, are added to ``sums`` and ``squares`` (a, map, b,
    entity), losses last. ``undefined`` (a, b + 1, entity) holds differences along b over all draws.
    """
    last = points.size - 1
    held, n = draws.shape[0], draws.shape[2]
    work = np.empty((8, n))
    s, x, y, keys, log_s, room = work[0], work[1], work[2], work[3], work[4], work[5]
    x_best, y_best = work[6], work[7]
    # The counts of a batch in a column, as differences along b, with unused ranks last; its values
    # (entity, b), and the largest one (b).
    maps = 1 + ranks + skill
    steps = np.empty((maps + 1, last + 2, n))
    values, top, high = (
        np.empty((n if regret else 0, last + 1)),
        np.empty(last + 1),
        np.empty(last + 1),
    )
    best, rank, skilled = steps[0].T, steps[1 if ranks else maps].T, steps[maps - 1].T
    # For each draw: the defined entities, the candidates for best, and their orders in the previous
    # column.
    known, few, slow = np.empty(held, np.int64), np.empty(held, np.int64), np.empty(held, np.bool_)
    all_orders, all_candidates = np.empty((held, 4, n), np.int64), np.empty((held, n), np.int64)
    for d in range(held):
        entities = defined_entities(draws[d])
        candidates = contenders(draws[d], entities, np.int64(1))[
            0
        ]  # not a literal: it would be compiled again
        known[d], few[d], slow[d] = entities.size, candidates.size, False
        for p in range(entities.size):
            k = entities[p]
            slow[d] = (
                slow[d]
                or min(draws[d, 0, k], draws[d, 1, k], draws[d, 2, k], draws[d, 3, k]) < TINY
            )
            for which in range(4):
                all_orders[d, which, p] = k
        for p in range(candidates.size):
            all_candidates[d, p] = candidates[p]
        for k in range(n if entities.size < n else 0):
            if np.isnan(draws[d, 0, k] + draws[d, 1, k] + draws[d, 2, k] + draws[d, 3, k]):
                for i in range(columns.size):
                    undefined[i, 0, k] += 1.0
    for i in range(columns.size):
        a, nothing = columns[i], undefined[i].T
        start = 0
        for end in ends:
            clear(steps, values, top)
            for d in range(start, end):
                cells, candidates = draws[d], all_candidates[d, : few[d]]
                entities, order = all_orders[d, 0, : known[d]], all_orders[d, 1, : known[d]]
                if regret:
                    add_values(cells, a, points, entities, high, values, top)
                fast = not (ranks or skill or slow[d]) or enter_column(cells, a, entities, s, x, y)
                if fast and ranks:
                    fast = add_ranks(
                        x, y, all_orders[d, 2, : known[d]], all_orders[d, 3, : known[d]], last, rank
                    )
                if fast:
                    for p in range(candidates.size):
                        k = candidates[p]
                        own = (1 - a) * cells[0, k] + a * cells[3, k]
                        x_best[p], y_best[p] = cells[1, k] / own, cells[2, k] / own
                    add_best(x_best, y_best, candidates, last, best)
                    for k in entities if skill else entities[:0]:
                        first, beyond = skilled_between(cells, a, x, y, k, last)
                        if first < beyond:
                            skilled[k, first] += 1.0
                            skilled[k, beyond] -= 1.0
                    continue
                for k in entities:
                    log_s[k] = log_or_less(s[k])
                for m in range(points.size):
                    defined = sort_point(cells, log_s, points[m], entities, order, keys)
                    add_point(keys, order, defined, entities.size, m, best, rank, nothing)
                    if skill:
                        add_skill_point(cells, a, points[m], entities, m, skilled)
            for j in range(maps):
                fold_steps(steps[j], end - start, room, sums[i, j], squares[i, j])
            if regret:
                fold_losses(values, top, end - start, sums[i, maps], squares[i, maps])
            start = end


@njit(**OPTIONS)
def tally_ranks(draws, a, b, weight, columns, out):
    """Add each draw's weight at the points (``a``, ``b``) to ``out`` (point or 1, entity, column); spread ties evenly.

    ``columns`` maps each rank (from 0) to its column of ``out``, or to -1.
    """
    n = draws.shape[2]
    log_s, keys = np.empty(n), np.empty(n)
    for d in range(draws.shape[0]):
        cells = draws[d]
        entities = defined_entities(cells)
        order = entities.copy()
        for i in range(a.size):
            if i == 0 or a[i] != a[i - 1]:
                for k in entities:
                    log_s[k] = log_or_less((1 - a[i]) * cells[0, k] + a[i] * cells[3, k])
            here = out[i if out.shape[0] > 1 else 0]
            defined = sort_point(cells, log_s, b[i], entities, order, keys)
            first = 0
            while first < defined:
                end = tied_until(keys, order, first, defined)
                for r in range(first, end):
                    if columns[r] >= 0:
                        for p in range(first, end):
                            here[order[p], columns[r]] += weight[i] / (end - first)
                first = end
