"""Kendall's tau-b of one ordering with many others."""

import numpy as np

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
    from scipy.stats import kendalltau

    groups, taus = dense_ranks(values), []
    for row in ranks:
        both = (groups >= 0) & (row >= 0)
        taus.append(kendalltau(groups[both], row[both]).statistic)
    return np.nan_to_num(taus)
