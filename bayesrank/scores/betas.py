"""Beta distributions over the log odds of a rate, however near to 0 or 1 the rate may be."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

#: Probability beyond either end of a support.
TAIL = 1e-14
#: Beyond these log odds the cdf of a Beta variable is a power of the odds, to the last digit.
POWER = 40.0
#: Stirling's series replaces the logarithm of the gamma function from here on, where that would
#: lose digits.
STIRLING = 20.0
#: Intervals of a table: its cubic polynomials err by less than 1e-9.
INTERVALS = 4096


def cdf(a: Any, b: Any, logit: Any) -> np.ndarray:
    """Return P(Beta(a, b) <= a rate), given the log odds of the rate."""
    a, b, x = np.broadcast_arrays(*(np.asarray(each, dtype=float) for each in (a, b, logit)))
    negative = x < 0
    # From the end that is nearer, so that neither end loses digits.
    tail = special.betainc(
        np.where(negative, a, b), np.where(negative, b, a), special.expit(-np.abs(x))
    )
    result = np.where(negative, tail, 1 - tail)
    far = np.abs(x) > POWER
    if far.any():
        near, opposite = np.where(negative, a, b)[far], np.where(negative, b, a)[far]
        with np.errstate(under="ignore"):
            tail = np.exp(-near * np.abs(x[far]) - np.log(near) - special.betaln(near, opposite))
        result[far] = np.where(negative[far], tail, 1 - tail)
    return result


def support(a: Any, b: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the log odds between which a Beta variable lies, except for a probability of ``TAIL`` at either end."""
    return _low(a, b), -_low(b, a)


def _low(a: Any, b: Any) -> np.ndarray:
    with np.errstate(divide="ignore"):
        power = (np.log(TAIL * a) + special.betaln(a, b)) / a
        return np.where(power < -POWER, power, special.logit(special.betaincinv(a, b, TAIL)))


@dataclass(frozen=True)
class CdfTable:
    """Distribution functions of Beta variables (rows) over log odds, as cubic polynomials, for many evaluations.

    Cubic Hermite interpolation is exact in values and densities at the ends of each interval.
    """

    low: np.ndarray
    step: np.ndarray
    value: np.ndarray  #: Values at the ends of the intervals of all rows, one row after the other.
    slope: np.ndarray  #: Densities there, for an interval of length 1.

    @classmethod
    def of(cls, a: np.ndarray, b: np.ndarray) -> "CdfTable":
        """Return the table of Beta variables with parameters that are all positive."""
        low, high = support(a, b)
        step = (high - low) / INTERVALS
        x = low[:, None] + step[:, None] * np.arange(INTERVALS + 1)
        a, b = a[:, None], b[:, None]
        slope = density(a, b, x, log_at_mode(a, b)) * step[:, None]
        return cls(low, step, cdf(a, b, x).ravel(), slope.ravel())

    def at(self, row: np.ndarray, logit: np.ndarray) -> np.ndarray:
        """Return P(variable of the row <= a rate), given the log odds of the rate, elementwise."""
        positions = np.clip((logit - self.low[row]) / self.step[row], 0, INTERVALS)
        interval = np.minimum(positions, INTERVALS - 1).astype(np.intp)
        t = positions - interval
        i = row * (INTERVALS + 1) + interval
        start, rise = self.value[i], self.value[i + 1] - self.value[i]
        first, last = self.slope[i] - rise, self.slope[i + 1] - rise
        return start + t * (rise + (1 - t) * ((1 - t) * first - t * last))


def density(a: Any, b: Any, logit: Any, log_at_mode: Any) -> np.ndarray:
    """Return the density of the log odds of a Beta(a, b) variable, given its logarithm at the mode log(a / b)."""
    step = logit - np.log(a / b)
    above = step > 0
    # a log(p / p0) + b log(q / q0), each from the side on which its exponential is small.
    change = np.log1p(np.where(above, b / (a + b), a / (a + b)) * np.expm1(-np.abs(step)))
    up = np.where(above, 0.0, step) - change
    return np.exp(a * up + b * (up - step) + log_at_mode)


def log_at_mode(a: Any, b: Any) -> np.ndarray:
    """Return the logarithm of the density of the log odds of a Beta(a, b) variable at its mode."""
    return 0.5 * np.log(a / (a + b) * b / (2 * np.pi)) - _rest(a) - _rest(b) + _rest(a + b)


def _rest(a: Any) -> np.ndarray:
    """Return the difference between log gamma(a) and Stirling's formula."""
    a = np.asarray(a, dtype=float)
    large = np.maximum(a, STIRLING)
    series = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / 1680 / large**2) / large**2) / large**2) / large
    small = np.minimum(a, STIRLING)
    direct = (
        special.gammaln(small) - (small - 0.5) * np.log(small) + small - 0.5 * np.log(2 * np.pi)
    )
    return np.where(a < STIRLING, direct, series)
