"""Compiled loops of the credible Tile, all its maps in one pass, and of rank probabilities at points.

A column of the Tile processes all draws, batch by batch, before the next column. Its counts, and the sums and squares
of the batches, then stay in the processor's cache.
"""

import numpy as np

from bayesrank._compiled import njit
from bayesrank.tile.kernels._columns import (
    OPTIONS,
    TINY,
    add_best,
    add_point,
    add_ranks,
    add_skill_point,
    contenders,
    defined_entities,
    enter_column,
    log_or_less,
    skilled_between,
    sort_point,
    tied_until,
)


@njit(**OPTIONS)
def fold_steps(steps, draws, held, sums, squares):
    """Add a batch's counts of ``draws`` draws, and their squares / draws, to the sums; then clear the batch.

    Counts are differences along the first axis. ``held`` is a work array, one number per entity.
    """
    held[:] = 0.0
    for m in range(sums.shape[0]):
        for k in range(sums.shape[1]):
            held[k] += steps[m, k]
            sums[m, k] += held[k]
            squares[m, k] += held[k] * held[k] / draws
            steps[m, k] = 0.0
    steps[sums.shape[0]] = 0.0


@njit(**OPTIONS)
def fold_losses(total, top, draws, sums, squares):
    """Add a batch's losses (largest value minus own value) and their squares / draws to the sums; clear the batch."""
    for k in range(total.shape[0]):
        for m in range(total.shape[1]):
            loss = top[m] - total[k, m]
            sums[m, k] += loss
            squares[m, k] += loss * loss / draws
            total[k, m] = 0.0
    top[:] = 0.0


@njit(**OPTIONS)
def add_values(cells, a, points, entities, high, total, top):
    """Add the values of all entities in a column (entity, b) and the largest one (b); undefined values add 0.

    ``high`` is a work array.
    """
    high[:] = 0.0
    for k in entities:
        s, fp, fn = (1 - a) * cells[0, k] + a * cells[3, k], cells[1, k], cells[2, k]
        for m in range(points.size):
            whole = s + ((1 - points[m]) * fp + points[m] * fn)
            value = s / (whole if whole > 0.0 else 1.0)
            total[k, m] += value
            high[m] = max(high[m], value)
    for m in range(points.size):
        top[m] += high[m]


@njit(**OPTIONS)
def tally(draws, ends, columns, points, ranks, skill, regret, undefined, sums, squares):
    """Sum winners and the requested ranks, skill and losses over draws, by batches.

    ``ends`` are the ends of the batches among the draws, ``columns`` the a, ``points`` the b. The counts of a batch,
    and their squares / draws, are added to ``sums`` and ``squares`` (map, a, b, entity), losses last. ``undefined``
    (a, b + 1, entity) holds differences along b over all draws.
    """
    last = points.size - 1
    held, n = draws.shape[0], draws.shape[2]
    s, x, y, keys, log_s, room = np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    x_best, y_best = np.empty(n), np.empty(n)
    # The counts of a batch in a column, as differences along b; its values (entity, b), and the largest one (b).
    steps, unused = np.zeros((1 + ranks + skill, last + 2, n)), np.zeros((last + 2, n)).T
    values, top, high = np.zeros((n if regret else 0, last + 1)), np.zeros(last + 1), np.empty(last + 1)
    best, rank, skilled = steps[0].T, steps[1].T if ranks else unused, steps[-1].T
    # For each draw: the defined entities, the candidates for best, and their orders in the previous column.
    known, few, slow = np.empty(held, np.int64), np.empty(held, np.int64), np.empty(held, np.bool_)
    all_orders, all_candidates = np.empty((held, 4, n), np.int64), np.empty((held, n), np.int64)
    for d in range(held):
        entities = defined_entities(draws[d])
        candidates = contenders(draws[d], entities, np.int64(1))[0]  # not a literal: it would be compiled again
        known[d], few[d], slow[d] = entities.size, candidates.size, False
        for p in range(entities.size):
            k = entities[p]
            slow[d] = slow[d] or min(draws[d, 0, k], draws[d, 1, k], draws[d, 2, k], draws[d, 3, k]) < TINY
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
            for d in range(start, end):
                cells, candidates = draws[d], all_candidates[d, : few[d]]
                entities, order = all_orders[d, 0, : known[d]], all_orders[d, 1, : known[d]]
                if regret:
                    add_values(cells, a, points, entities, high, values, top)
                fast = not (ranks or skill or slow[d]) or enter_column(cells, a, entities, s, x, y)
                if fast and ranks:
                    fast = add_ranks(x, y, all_orders[d, 2, : known[d]], all_orders[d, 3, : known[d]], last, rank)
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
            for j in range(steps.shape[0]):
                fold_steps(steps[j], end - start, room, sums[j, i], squares[j, i])
            if regret:
                fold_losses(values, top, end - start, sums[-1, i], squares[-1, i])
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
