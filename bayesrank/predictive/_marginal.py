"""Exact masses of one future count: beta-binomial and binomial by recurrences, windows, bins.

Plain numbers and arrays; the labelled functions are in :mod:`bayesrank.predictive.confusion`.
"""

import numpy as np

__all__ = ["Axis", "beta_binomial", "binomial", "binned", "kept"]

#: One axis of a lattice: the first and last count of every bin, and the count that stands for it.
Axis = tuple[np.ndarray, np.ndarray, np.ndarray]


def beta_binomial(size: int, alpha: float, beta: float) -> np.ndarray:
    """Masses of 0, ..., size successes, whose rate is Beta(alpha, beta); one of the two may be 0.

    Murphy (2012) and U Eq. 4, by the ratio of neighbours: products of ratios lose a few units in the last place,
    where a difference of log-gamma functions of large numbers loses ten digits.
    """
    a = np.arange(size, dtype=float)
    with np.errstate(divide="ignore"):
        return _from_ratios((size - a) * (alpha + a), (a + 1) * (beta + size - 1 - a), alpha, beta)


def binomial(size: int, rate: float) -> np.ndarray:
    """Masses of 0, ..., size successes of that rate (U Eq. 3)."""
    a = np.arange(size, dtype=float)
    return _from_ratios((size - a) * rate, (a + 1) * (1 - rate), rate, 1 - rate)


def _from_ratios(numerator: np.ndarray, denominator: np.ndarray, up: float, down: float) -> np.ndarray:
    """Masses from P(a + 1) / P(a) = numerator / denominator, multiplied outwards from the largest mass."""
    masses = np.zeros(len(numerator) + 1)
    if up == 0 or down == 0:  # never, or always
        masses[0 if up == 0 else -1] = 1.0
        return masses
    start = int(np.argmax(np.concatenate([[0.0], np.cumsum(np.log(numerator / denominator))])))
    masses[start] = 1.0
    with np.errstate(under="ignore"):
        masses[start + 1 :] = np.cumprod(numerator[start:] / denominator[start:])
        masses[:start] = np.cumprod((denominator[:start] / numerator[:start])[::-1])[::-1]
    return masses / masses.sum()


def kept(masses: np.ndarray, tail: float) -> tuple[int, int, float]:
    """First and last count to keep, and the mass lost, so that each tail loses at most ``tail``."""
    left, right = np.cumsum(masses), np.cumsum(masses[::-1])
    low = int(np.searchsorted(left, tail, side="right"))
    high = len(masses) - 1 - int(np.searchsorted(right, tail, side="right"))
    lost = (left[low - 1] if low > 0 else 0.0) + (right[len(masses) - 2 - high] if high < len(masses) - 1 else 0.0)
    return low, high, float(lost)


def binned(masses: np.ndarray, low: int, high: int, bins: int) -> Axis:
    """At most ``bins`` bins of the counts low, ..., high; one count each where that is enough.

    The counts at the two ends, where scores may be undefined, keep bins of their own. A bin is represented by its
    mean, rounded.
    """
    points = high - low + 1
    if points <= bins:
        every = np.arange(low, high + 1)
        return every, every, every
    width = -(-(points - 2) // (bins - 2))
    first = np.concatenate([[low], np.arange(low + 1, high, width), [high]])
    last = np.append(first[1:] - 1, high)
    inside = masses[low : high + 1]
    mass = np.add.reduceat(inside, first - low)
    moment = np.add.reduceat(inside * np.arange(low, high + 1), first - low)
    middle = (first + last) / 2
    mean = np.divide(moment, mass, out=middle, where=mass > 0)
    return first, last, np.clip(np.rint(mean), first, last).astype(int)
