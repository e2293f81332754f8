"""Kendall's tau-b of one ordering with many others."""

from inspect import unwrap

import numpy as np

# Values within this tolerance, relative to their own and the typical size, count as ties.
ROUNDING = 1e-12


def dense_ranks(values: np.ndarray) -> np.ndarray:
    """Return ranks 0, 1, ... along the last axis, with equal ranks for ties; -1 for NaN."""
    order = np.argsort(values, axis=-1)
    ordered = np.take_along_axis(values, order, axis=-1)
    slack = ROUNDING * np.abs(ordered[..., 1:]) + ROUNDING * typical_size(ordered)
    gap = ordered[..., 1:] - ordered[..., :-1] > slack
    ranks = np.zeros(values.shape, np.int32)
    np.cumsum(gap, axis=-1, out=ranks[..., 1:])
    ranks[np.isnan(ordered)] = -1
    result = np.empty_like(ranks)
    np.put_along_axis(result, order, ranks, axis=-1)
    return result


def typical_size(values: np.ndarray) -> np.ndarray:
    """Return the lower median of absolute values along the last axis, which is kept; a few huge ones have no effect.

    Zeros and NaN are left out; without other values it is 0.
    """
    size = np.abs(values)
    some = size > 0
    number = some.sum(axis=-1, keepdims=True)
    if not number.any():
        return np.zeros(number.shape)
    ordered = np.sort(np.where(some, size, np.inf), axis=-1)
    return np.where(
        number > 0, np.take_along_axis(ordered, np.maximum(number - 1, 0) // 2, axis=-1), 0.0
    )


def tau_b(values: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """Return Kendall's tau-b of ``values`` (n) and each row of ``ranks`` (m, n), over the points defined in both.

    If either is constant, tau is 0.
    """
    from scipy.stats import kendalltau

    tau = unwrap(kendalltau)  # without checks of the arguments, which take as long as the sorting
    groups, taus = dense_ranks(values), []
    # Ranks of two bytes, sorted once by ``values``, are sorted by SciPy in half of the time.
    small = np.int16 if groups.size <= np.iinfo(np.int16).max else np.int32
    order = np.argsort(groups, kind="stable")
    groups = groups[order].astype(small)
    for row in ranks.astype(small)[:, order]:
        both = (groups >= 0) & (row >= 0)
        taus.append(tau(row[both], groups[both])[0])
    return np.nan_to_num(taus)
