"""Heavy tails: outcomes so skewed that the bootstrap interval of their mean is too narrow."""

import numpy as np

__all__ = ["LIMIT", "skewness_ratio"]

#: Above this ratio, intervals of 95% covered 0.93 or less in scripts/measure_heavy_tails.py.
LIMIT = 0.25


def skewness_ratio(values: np.ndarray, count: np.ndarray | None = None) -> np.ndarray:
    """Return |skewness| / sqrt(cases) of each column of values (case, ...), the first error term of a normal mean.

    Parameters
    ----------
    values : ndarray
        Values, NaN if missing.
    count : ndarray, optional
        Number of occurrences of each row.

    Examples
    --------
    >>> skewness_ratio(np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 9.0]])).round(3).tolist()
    [0.0, 0.384]
    >>> skewness_ratio(1e308 * np.array([[0.0], [0.1], [1.0]])).round(3).tolist()
    [0.393]
    """
    weight = np.ones(len(values)) if count is None else count.astype(float)
    known = ~np.isnan(values)
    each = weight.reshape(-1, *[1] * (values.ndim - 1)) * known
    size = each.sum(axis=0)
    plain = np.where(known, values, 0.0)
    # The ratio has no unit: scaling by a power of two avoids overflow of sums and powers.
    plain = np.ldexp(plain, -np.frexp(np.abs(plain).max(axis=0, initial=0.0))[1])
    with np.errstate(invalid="ignore", divide="ignore"):
        off = np.where(known, plain - (each * plain).sum(axis=0) / size, 0.0)
        second, third = ((each * off**k).sum(axis=0) / size for k in (2, 3))
        ratio = np.abs(third) / second**1.5 / np.sqrt(size)
    return np.where(second > 0, np.nan_to_num(ratio), 0.0)
