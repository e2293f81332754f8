"""Compiled split of each class against all others. Loaded on first use; compiled code is cached on disk."""

import numpy as np

from bayesrank._compiled import njit


@njit(cache=True, nogil=True)
def split(tables, all_four, cells):
    """Fill ``cells`` (4, class, table) with tn, fp, fn, tp of ``tables`` (table, actual, predicted), in one pass.

    tn is computed only with ``all_four``. Cells are summed, never subtracted: a difference of probabilities leaves
    rounding errors, whose rates are arbitrary.
    """
    size = tables.shape[1]
    left, wrongly, rightly = np.empty((3, size))
    for t in range(len(tables)):
        wrongly[:] = 0.0
        rightly[:] = 0.0
        for i in range(size):
            row, missed = tables[t, i], 0.0
            for j in range(i):
                missed += row[j]
                wrongly[j] += row[j]
            for j in range(i + 1, size):
                missed += row[j]
                wrongly[j] += row[j]
            cells[2, i, t], cells[3, i, t] = missed, row[i]
            if all_four:
                # Of an actual class, what is not predicted as another one: what stands left of that, what right.
                total = 0.0
                for j in range(size):
                    left[j] = total
                    total += row[j]
                total = 0.0
                for j in range(size - 1, -1, -1):
                    if j != i:
                        rightly[j] += left[j] + total
                    total += row[j]
        for j in range(size):  # slices would take most of the compile time
            cells[1, j, t] = wrongly[j]
            if all_four:
                cells[0, j, t] = rightly[j]
