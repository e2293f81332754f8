"""Compiled parts that the kernels of the Tile share."""

import numpy as np

from bayesrank._core.compiled import njit
from bayesrank.tile.grid import TOLERANCE

#: Loops compile faster than expressions of arrays, and than np.zeros and other ways to fill them.
OPTIONS = {"cache": True, "nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
HELPER = OPTIONS | {"no_cpython_wrapper": True}


@njit(**HELPER)
def defined_entities(cells):
    """Return the entities without NaN in their cells."""
    out, count = np.empty(cells.shape[1], np.int64), 0
    for k in range(cells.shape[1]):
        out[count] = k
        count += not np.isnan(cells[0, k] + cells[1, k] + cells[2, k] + cells[3, k])
    return out[:count]


@njit(**HELPER)
def contenders(cells, entities, rank):
    """Return those of the entities that may hold a rank somewhere, and the rank among them.

    Excluded are entities worse in all four cells, by more than rounding, than ``rank`` others, and
    entities better than all but fewer than ``rank``.
    """
    up, down = 1 + 1e-9, 1 - 1e-9
    worse, better = np.empty(cells.shape[1], np.int64), np.empty(cells.shape[1], np.int64)
    for i in entities:
        worse[i] = better[i] = 0
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


@njit(**HELPER)
def same(p, q):
    return p == q or abs(p - q) <= TOLERANCE * max(p, q)


@njit(**HELPER)
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
