"""Pairwise comparisons, compiled: the only step whose work is draws × entities × entities."""

import numba
import numpy as np


@numba.njit(parallel=True, cache=True)
def count_wins(values: np.ndarray, rope: float) -> np.ndarray:
    """In how many draws entity i beats entity j by more than ``rope``; values (entity, draw). NaN never wins."""
    size, draws = values.shape
    wins = np.zeros((size, size), np.int64)
    for i in numba.prange(size):
        for j in range(size):
            count = 0
            for d in range(draws):
                count += values[i, d] > values[j, d] + rope
            wins[i, j] = count
    return wins
