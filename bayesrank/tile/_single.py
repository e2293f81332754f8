"""Compiled loops over the Tile's columns for one entity's rank and for one rank's holder. Loaded on first use.

They do what :mod:`bayesrank.tile._kernel` does for all entities and ranks at once, in a fraction of its memory.
"""

import numpy as np
from numba import njit

from bayesrank.tile._columns import (
    OPTIONS,
    TOLERANCE,
    add_point,
    add_ranks,
    column_is_slow,
    defined_entities,
    sort_column,
    swap_point,
)


@njit(**OPTIONS)
def log_or_less(value):
    """The logarithm, minus infinity for what rounding has put below 0."""
    return np.log(value) if value > 0 else -np.inf


@njit(**OPTIONS)
def tally_one(draws, columns, points, which, rank, undefined):
    """Sum over draws of one entity's ranks, and of where it is undefined: arrays (a, b + 1), differences along b."""
    last, n = points.size - 1, draws.shape[2]
    s, key = np.empty(n), np.empty(n)
    for d in range(draws.shape[0]):
        cells = draws[d]
        entities = defined_entities(cells)
        if not (entities == which).any():
            undefined[:, 0] += 1.0
            continue
        for i in range(columns.size):
            a = columns[i]
            for k in entities:
                s[k] = (1 - a) * cells[0, k] + a * cells[3, k]
            if not column_is_slow(s, cells, entities):
                rank[i, 0] += 1.0
                x, y = cells[1, which] / s[which], cells[2, which] / s[which]
                for k in entities:
                    if k == which:
                        continue
                    before, at, after, m = swap_point(x, y, cells[1, k] / s[k], cells[2, k] / s[k], last)
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
    """Who alone holds a rank, (b, a); -1 where nobody does."""
    last, n = points.size - 1, cells.shape[1]
    entities = defined_entities(cells)
    order, by_x, by_y = entities.copy(), entities.copy(), entities.copy()
    s, x, y, keys, log_s, log_u = np.empty((6, n))
    ranks, unused = np.empty((n, last + 2)), np.empty((n, last + 2))
    for i in range(points.size):
        a = points[i]
        ranks[:] = 0.0
        for k in entities:
            s[k] = (1 - a) * cells[0, k] + a * cells[3, k]
            log_s[k] = log_or_less(s[k])
        if not column_is_slow(s, cells, entities):
            for k in entities:
                x[k], y[k] = cells[1, k] / s[k], cells[2, k] / s[k]
            add_ranks(x, y, by_x, by_y, last, ranks)
        else:
            for m in range(points.size):
                for k in entities:
                    log_u[k] = log_or_less((1 - points[m]) * cells[1, k] + points[m] * cells[2, k])
                defined = sort_column(log_s, log_u, entities, order, keys)
                add_point(keys, order, defined, entities.size, m, unused, ranks, unused)
        out[:, i] = -1
        for k in entities:
            held = 0.0
            for m in range(points.size):
                held += ranks[k, m]
                # Tied entities share their average rank: what one entity alone has is held without a tie.
                if held == rank:
                    out[m, i] = k if out[m, i] == -1 else -2
    for i in range(points.size):
        for m in range(points.size):
            out[m, i] = max(out[m, i], -1)
