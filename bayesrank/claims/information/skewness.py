"""How skewed outcomes may be for a claim on their means."""

import numpy as np

from bayesrank.evidence.kinds.cases import sums_within

#: Above this skewness ratio, bootstrap intervals of 95% covered 0.93 or less in
#: scripts/measure_heavy_tails.py.
HEAVY_TAIL = 0.25
#: The skewness ratio of a difference that a critical value of 1 allows. The error of a normal tail
#: grows with the critical value, so that the ratio must be smaller the larger it is. Larger limits
#: led to false claims, and smaller ones lost power for normal outcomes
#: (docs/measured/claim_sweep.md).
OF_DIFFERENCE = 0.5
#: The same for the difference of two signed ratios: the limit for many units, at most the second
#: one for few. By chance alone, two ratios of n normal outcomes differ with the standard deviation
#: √12 / n, so that BY_CHANCE / n is added.
OF_ENTITIES, BY_CHANCE = (0.4, 0.6), 6.0
#: Number of entities from which differences are measured by products of matrices.
MANY = 50
#: A variance of a difference below this share of the two variances costs products too many digits:
#: an error of 1e-16 in sums of cubes is one of up to 1e-10 in the ratio. Below ``LEAST``, in units of
#: the largest outcome, cubes underflow.
NEAR, LEAST = 1e-4, 1e-150


def reach_of_pairs(
    outcome: np.ndarray,
    count: np.ndarray,
    cluster: np.ndarray | None,
    each: np.ndarray | None = None,
) -> np.ndarray:
    """Return the largest critical value for the t statistic of each mean difference (entity, rival).

    ``outcome`` (pattern, entity) are numbers. The units are cases, or the means of clusters. A long
    tail of one entity alone may hide in the differences, so the skewness of the two must be alike,
    too.
    """
    if cluster is not None:
        defined = ~np.isnan(outcome)
        total = sums_within(cluster, count[:, None] * np.where(defined, outcome, 0.0))
        size = sums_within(cluster, count[:, None] * defined)
        outcome = np.divide(total, size, out=np.full_like(total, np.nan), where=size > 0)
        count, each = np.ones(len(outcome)), None
    own = signed_skewness(outcome, count, each)
    units = np.maximum(count @ ~np.isnan(outcome), 1.0)
    allowed = np.minimum(
        OF_ENTITIES[0] + BY_CHANCE / np.minimum(units[:, None], units), OF_ENTITIES[1]
    )
    used = np.abs(own[:, None] - own) / allowed
    used = np.maximum(used, ratios_of_differences(outcome, count, each) / OF_DIFFERENCE)
    return np.divide(1.0, used, out=np.full_like(used, np.inf), where=used > 0)


def ratios_of_differences(
    outcome: np.ndarray, count: np.ndarray, each: np.ndarray | None
) -> np.ndarray:
    """Return the skewness ratio of the differences of all pairs of columns (entity, rival)."""
    size = outcome.shape[1]
    ratio, known = np.zeros((size, size)), np.zeros((size, size), bool)
    if size > MANY and not np.isnan(outcome).any():
        ratio, known = _by_products(outcome, count, each)
    for i in range(size - 1):
        rest = i + 1 + np.flatnonzero(~known[i, i + 1 :])
        if rest.size:
            ratio[i, rest] = skewness_ratio(outcome[:, rest] - outcome[:, [i]], count, each)
            ratio[rest, i] = ratio[i, rest]
    return ratio


def _by_products(
    outcome: np.ndarray, count: np.ndarray, each: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the ratios of complete outcomes by expanding powers of differences, and which of them are precise."""
    weight, repeats = count.astype(float), 1.0 if each is None else each
    scaled = np.ldexp(outcome, -np.frexp(np.abs(outcome).max(initial=0.0))[1])
    off = scaled - weight @ scaled / weight.sum()
    product = off.T @ ((weight * repeats)[:, None] * off)
    mixed = np.square(off).T @ ((weight * repeats**2)[:, None] * off)
    squares, cubes = np.diag(product)[:, None], np.diag(mixed)[:, None]
    second = squares + squares.T - (product + product.T)  # symmetric to the last bit
    third = cubes - cubes.T - 3 * (mixed - mixed.T)
    known = second > np.maximum(NEAR * (squares + squares.T), LEAST)
    return np.abs(third) / np.where(known, second, np.inf) ** 1.5, known


def skewness_ratio(
    values: np.ndarray, count: np.ndarray | None = None, each: np.ndarray | None = None
) -> np.ndarray:
    """Return |skewness| / sqrt(cases) of each column of values (case, ...), the first error term of a normal mean."""
    return np.abs(signed_skewness(values, count, each))


def signed_skewness(
    values: np.ndarray, count: np.ndarray | None = None, each: np.ndarray | None = None
) -> np.ndarray:
    """Return skewness / sqrt(cases) of each column of values (case, ...).

    NaN is missing; ``count`` is the number of occurrences of each row, or with the weight ``each``
    of one of them the sum of their weights.
    """
    weight = np.ones(len(values)) if count is None else count.astype(float)
    defined = ~np.isnan(values)
    number = weight.reshape(-1, *[1] * (values.ndim - 1)) * defined
    repeats = (
        np.ones((1,) * values.ndim) if each is None else each.reshape(-1, *[1] * (values.ndim - 1))
    )
    size = number.sum(axis=0)
    filled = np.where(defined, values, 0.0)
    # The ratio has no unit: scaling by a power of two avoids overflow of sums and powers.
    filled = np.ldexp(filled, -np.frexp(np.abs(filled).max(axis=0, initial=0.0))[1])
    with np.errstate(invalid="ignore", divide="ignore"):
        off = np.where(defined, filled - (number * filled).sum(axis=0) / size, 0.0)
        second, third = ((number * repeats ** (k - 1) * off**k).sum(axis=0) for k in (2, 3))
        ratio = third / second**1.5
    return np.where(second > 0, np.nan_to_num(ratio), 0.0)
