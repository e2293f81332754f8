"""Compiled loops of the credible Tile: all its maps in one pass. Loaded on first use.

A column of the Tile processes all buffered draws, batch by batch, before the next column. Its counts, and the sums and
squares of the batches, then stay in the processor's cache.
"""

import numpy as np

from bayesrank._compiled import njit
from bayesrank.tile.kernels._columns import (
    OPTIONS,
    add_best,
    add_point,
    add_ranks,
    add_skill_point,
    contenders,
    defined_entities,
    enter_column,
    log_or_less,
    may_be_slow,
    skilled_between,
    sort_point,
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
def tally(draws, spans, columns, points, ranks, skill, regret, steps, undefined, values, top, sums, squares):
    """Sum winners and the requested ranks, skill and losses over draws, by batches.

    ``spans`` are runs of draws of one batch: start, end, and the size of the batch if they complete it, else 0.
    ``columns`` are the a, ``points`` the b. Counts of a batch go to ``steps`` (map, a, b + 1, entity), as differences
    along b, and to ``values`` (a, entity, b) and ``top`` (a, b). A complete batch is folded into ``sums`` and
    ``squares`` (map, a, b, entity), losses last. ``undefined`` (a, b + 1, entity) covers all draws.
    """
    last = points.size - 1
    held, n = draws.shape[0], draws.shape[2]
    s, x, y, keys = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    x_best, y_best = np.empty(n), np.empty(n)
    log_s = np.empty(n)
    room, of_values = np.empty(n), np.empty(points.size)
    unused = np.zeros((points.size + 1, n)).T
    # For each draw: the defined entities, the candidates for best, and their orders in the previous column.
    known, few, slow = np.empty(held, np.int64), np.empty(held, np.int64), np.empty(held, np.bool_)
    all_orders, all_candidates = np.empty((held, 4, n), np.int64), np.empty((held, n), np.int64)
    for d in range(held):
        entities, candidates = defined_entities(draws[d]), contenders(draws[d], 1)[0]
        known[d], few[d], slow[d] = entities.size, candidates.size, may_be_slow(draws[d], entities)
        for p in range(entities.size):
            all_orders[d, :, p] = entities[p]
        all_candidates[d, : candidates.size] = candidates
        if entities.size < n:
            for k in range(n):
                if np.isnan(draws[d, 0, k] + draws[d, 1, k] + draws[d, 2, k] + draws[d, 3, k]):
                    undefined[:, 0, k] += 1.0
    for i in range(columns.size):
        a = columns[i]
        best, nothing = steps[0, i].T, undefined[i].T
        rank, skilled = steps[1, i].T if ranks else unused, steps[-1, i].T
        for t in range(spans.shape[0]):
            for d in range(spans[t, 0], spans[t, 1]):
                cells, candidates = draws[d], all_candidates[d, : few[d]]
                entities, order = all_orders[d, 0, : known[d]], all_orders[d, 1, : known[d]]
                if regret:
                    add_values(cells, a, points, entities, of_values, values[i], top[i])
                lines = ranks or skill or slow[d]
                if not lines or enter_column(cells, a, entities, s, x, y):
                    for p in range(candidates.size):
                        k = candidates[p]
                        own = (1 - a) * cells[0, k] + a * cells[3, k]
                        x_best[p], y_best[p] = cells[1, k] / own, cells[2, k] / own
                    add_best(x_best, y_best, candidates, last, best)
                    if ranks:
                        add_ranks(x, y, all_orders[d, 2, : known[d]], all_orders[d, 3, : known[d]], last, rank)
                    for k in entities if skill else entities[:0]:
                        first, beyond = skilled_between(cells, s, a, x, y, k, last)
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
            number = spans[t, 2]
            if number > 0:
                for j in range(steps.shape[0]):
                    fold_steps(steps[j, i], number, room, sums[j, i], squares[j, i])
                if regret:
                    fold_losses(values[i], top[i], number, sums[-1, i], squares[-1, i])
