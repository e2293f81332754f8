"""Compiled rank probabilities at points of the Tile."""

import numpy as np

from bayesrank._compiled import njit
from bayesrank.tile.kernels._columns import OPTIONS, defined_entities, log_or_less, sort_point, tied_until


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
