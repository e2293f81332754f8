"""Kendall's tau-b of one ordering with many others, in O(n log n) each.

Private; loaded on first use, because it compiles.
"""

from typing import Any

import numpy as np

from bayesrank._compiled import njit

# Values within this tolerance, relative to their own and the average size, count as ties.
ROUNDING = 1e-12


def dense_ranks(values: np.ndarray) -> np.ndarray:
    """Return ranks 0, 1, ... along the last axis, with equal ranks for ties; -1 for NaN."""
    order = np.argsort(values, axis=-1)
    ordered = np.take_along_axis(values, order, axis=-1)
    size = np.abs(ordered)
    average = np.nansum(size, axis=-1, keepdims=True) / np.maximum(1, (~np.isnan(size)).sum(axis=-1, keepdims=True))
    gap = ordered[..., 1:] - ordered[..., :-1] > ROUNDING * (size[..., 1:] + average)
    ranks = np.zeros(values.shape, np.int32)
    np.cumsum(gap, axis=-1, out=ranks[..., 1:])
    ranks[np.isnan(ordered)] = -1
    result = np.empty_like(ranks)
    np.put_along_axis(result, order, ranks, axis=-1)
    return result


def tau_b(values: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """Return Kendall's tau-b of ``values`` (n) and each row of ``ranks`` (m, n), over the points defined in both.

    If either is constant, tau is 0.
    """
    groups = dense_ranks(values)
    order = np.argsort(groups, kind="stable")
    order = order[np.count_nonzero(groups < 0) :]
    return _tau_b_rows(groups[order], np.ascontiguousarray(ranks[:, order]))


@njit(cache=True, nogil=True)
def _tau_b_rows(groups: Any, ranks: Any) -> Any:
    """Count discordant pairs with a Fenwick tree over the ranks; ``groups`` (n) never decreases."""
    rows, n = ranks.shape
    result = np.zeros(rows)
    for row in range(rows):
        levels = 0
        for k in range(n):
            levels = max(levels, ranks[row, k] + 1)
        tree = np.zeros(levels + 1, np.int64)
        total = np.zeros(levels, np.int64)
        here = np.zeros(levels, np.int64)
        seen = discordant = tied_x = tied_y = tied_both = 0
        start = 0
        while start < n:
            stop = start
            while stop < n and groups[stop] == groups[start]:
                stop += 1
            added = 0
            for k in range(start, stop):
                rank = ranks[row, k]
                if rank < 0:
                    continue
                not_above, node = 0, rank + 1
                while node > 0:
                    not_above += tree[node]
                    node -= node & -node
                discordant += seen - not_above
                tied_both += here[rank]
                here[rank] += 1
                tied_y += total[rank]
                total[rank] += 1
                added += 1
            for k in range(start, stop):
                rank = ranks[row, k]
                if rank < 0:
                    continue
                here[rank] = 0
                node = rank + 1
                while node <= levels:
                    tree[node] += 1
                    node += node & -node
            tied_x += added * (added - 1) // 2
            seen += added
            start = stop
        pairs = seen * (seen - 1) // 2
        concordant_less_discordant = pairs - tied_x - tied_y + tied_both - 2 * discordant
        if pairs > tied_x and pairs > tied_y:
            result[row] = concordant_less_discordant / np.sqrt(pairs - tied_x) / np.sqrt(pairs - tied_y)
    return result
