"""Tests of equality of data sets, whose cases are exchangeable under the null hypothesis."""

import numpy as np
from scipy import special

from bayesrank._core.random import fingerprint, root_sequence, stream

#: Minimum size of each data set for the gamma approximation, as a multiple of the kurtosis of the
#: outcomes; for two outcomes, an expected count of ten of the rarer one.
EXPECTED = 10.0
#: p-value above which no permutations are drawn.
DOUBTFUL = 0.3
#: Initial number of permutations, and the exceedances among them that are sufficient.
FIRST, SETTLED = 999, 60
#: Permutations for each test that is corrected for, and their maximum.
EACH, MOST = 40, 9_999
#: Number of values that are cheap to draw.
CHEAP = 120_000
#: Relative difference below which statistics are equal.
CLOSE = 1e-9


def mean_differs(table: np.ndarray, values: np.ndarray, tests: int = 1) -> float:
    """Return the p-value of equal mean outcomes in all data sets; NaN with fewer than two data sets.

    The statistic is the sum over data sets of n (mean - overall mean)² / S², with S² the variance
    of all outcomes; for two outcomes, Pearson's times (N - 1) / N. Two data sets with two outcomes
    have Fisher's exact test. Else a gamma distribution with the exact permutation mean and variance
    gives the tail or, where it does not fit, permutations do.

    ``table`` (data set, outcome) has the numbers of cases (or clusters), and ``tests`` is the
    number of tests that the p-value will be corrected for, which increases the number of
    permutations. Moments under permutations are those of Box and Andersen (1955), Journal of the
    Royal Statistical Society B 17:1-34.
    """
    table, values = np.asarray(table, np.int64), np.asarray(values, float)
    occurs = table.sum(axis=0) > 0
    table, values = table[table.sum(axis=1) > 0][:, occurs], values[occurs]
    if len(table) < 2:
        return np.nan
    if table.shape[1] < 2:
        return 1.0
    table = table[np.lexsort(table.T)]  # the order of the data sets has no effect
    size, times = table.sum(axis=1), table.sum(axis=0)
    z = values - times @ values / times.sum()
    z /= np.sqrt(times @ z**2 / (times.sum() - 1))
    observed = float(((table @ z) ** 2 / size).sum())
    if len(size) == len(z) == 2:
        count = np.arange(max(0, times[0] - size[1]), min(size[0], times[0]) + 1)
        total = (
            count * z[0] + (size[0] - count) * z[1]
        )  # the total of the other data set is minus this
        statistic = total**2 / size[0] + total**2 / size[1]
        # The same formula for the observed table: rounding would otherwise break ties at 0.
        as_far = statistic >= statistic[table[0, 0] - count[0]] * (1 - CLOSE)
        from scipy.stats import hypergeom

        return float(min(hypergeom.pmf(count[as_far], times.sum(), size[0], times[0]).sum(), 1.0))
    first = _gamma_tail(observed, size, times, z)
    if first > DOUBTFUL or size.min() >= EXPECTED * (times @ z**4) / times.sum():
        return first
    rng = stream(root_sequence(0), "homogeneity", fingerprint(table, values))
    limit = observed * (1 - CLOSE)
    above = (_permute_statistics(size, times, z, FIRST, rng) >= limit).sum()
    if above >= SETTLED:
        return float((1 + above) / (1 + FIRST))
    cheap = CHEAP // (len(size) if len(z) == 2 else int(times.sum()))
    further = max(FIRST, EACH * tests, min(MOST, cheap))
    above += (_permute_statistics(size, times, z, further, rng) >= limit).sum()
    return float((1 + above) / (1 + FIRST + further))


def _gamma_tail(observed: float, size: np.ndarray, times: np.ndarray, z: np.ndarray) -> float:
    """Return P(statistic >= seen) of the gamma distribution with the exact permutation mean and variance."""
    number = int(times.sum())
    if number < 4:
        return 0.0  # left to permutations
    # Expected products of the outcomes of two to four distinct cases; outcomes have sum 0, sum of
    # squares number - 1.
    square, fourth = number - 1.0, float(times @ z**4)
    pairs, triples = number * (number - 1.0), number * (number - 1.0) * (number - 2.0)
    e4, e22, e31 = fourth / number, (square**2 - fourth) / pairs, -fourth / pairs
    e211 = (2 * fourth - square**2) / triples
    e1111 = (3 * square**2 - 6 * fourth) / (triples * (number - 3.0))
    n = size.astype(float)
    own = e4 + (n - 1) * (3 * e22 + 4 * e31 + (n - 2) * (6 * e211 + (n - 3) * e1111))  # E T⁴ / n
    average, number_of_sets = (n - 1).sum(), len(n)
    # E T_a² T_b² / (n_a n_b) = e22 + (n_a + n_b - 2) e211 + (n_a - 1)(n_b - 1) e1111, summed over a
    # ≠ b.
    between = (
        number_of_sets * (number_of_sets - 1) * e22 + 2 * (number_of_sets - 1) * average * e211
    )
    between += (average**2 - ((n - 1) ** 2).sum()) * e1111
    mean = number_of_sets - 1.0
    variance = (own / n).sum() + between - mean**2
    if variance < 1e-12 * mean:
        return 1.0 if observed <= mean * (1 + CLOSE) else 0.0
    return float(special.gammaincc(mean**2 / variance, observed * mean / variance))


def _permute_statistics(
    size: np.ndarray, times: np.ndarray, z: np.ndarray, number: int, rng: np.random.Generator
) -> np.ndarray:
    """Return the statistic of ``number`` random permutations of the cases."""
    if len(z) == 2:
        rarer = int(times.argmin())
        count = rng.multivariate_hypergeometric(size, times[rarer], number, method="marginals")
        total = count * z[rarer] + (size - count) * z[1 - rarer]
        return (total**2 / size).sum(axis=1)
    cases = np.repeat(z, times)
    start = np.concatenate([[0], np.cumsum(size)[:-1]])
    return np.array(
        [(np.add.reduceat(rng.permutation(cases), start) ** 2 / size).sum() for _ in range(number)]
    )


def holm(p: np.ndarray) -> np.ndarray:
    """Return p-values adjusted by the method of Holm (1979), Scand. J. Statist. 6:65-70; NaN values are ignored."""
    flat = np.ravel(np.asarray(p, float))
    order = np.argsort(flat, kind="stable")[: (~np.isnan(flat)).sum()]
    adjusted = np.full(flat.shape, np.nan)
    adjusted[order] = np.minimum(
        np.maximum.accumulate(flat[order] * np.arange(order.size, 0, -1)), 1.0
    )
    return adjusted.reshape(np.shape(p))
