"""A score along one rate that varies, on a scale: however near to an end a Beta variable lives.

Where the other rate is 0 or 1, a ratio of bilinear functions of both is one of linear functions of the rate. So its
place on the scale follows from the logit of the rate, and the other way round, with logarithms alone: a rate that no
number tells from 1 still has its place, and concentrations near 0 are no harder than others.
"""

from typing import Any

import numpy as np
from scipy import special

from bayesrank.ranking._beta_tables import TAIL

__all__ = ["below", "ends_of", "logit_at", "place_at"]

#: Beyond this logit the cdf of a Beta variable is a power of the odds, to the last digit.
POWER = 40.0


def below(a: float, b: float, logit: Any) -> np.ndarray:
    """P(Beta(a, b) <= a rate), by the rate's logit.

    Examples
    --------
    >>> below(2.0, 1.0, np.array([0.0])).tolist(), below(5.0, 1e-3, np.array([1e3])).round(3).tolist()
    ([0.25], [0.631])
    """
    x = np.asarray(logit, dtype=float)
    near = np.clip(x, -POWER, POWER)
    with np.errstate(over="ignore", under="ignore"):
        middle = np.where(
            x < 0, special.betainc(a, b, special.expit(near)), special.betaincc(b, a, special.expit(-near))
        )
        low = np.exp(a * x - np.log(a) - special.betaln(a, b))
        high = -np.expm1(-b * x - np.log(b) - special.betaln(a, b))
    return np.where(x < -POWER, low, np.where(x > POWER, high, middle))


def ends_of(a: float, b: float) -> np.ndarray:
    """Logits between which a Beta variable lies, but for a mass of ``TAIL`` beyond either.

    Examples
    --------
    >>> low, high = ends_of(1e-3, 1.0)
    >>> bool(abs(below(1e-3, 1.0, low) / TAIL - 1) < 1e-9), bool(abs(high + np.log(TAIL * 1e3)) < 1e-3)
    (True, True)
    """

    def low(a: float, b: float) -> float:
        power = float((np.log(TAIL * a) + special.betaln(a, b)) / a)
        return power if power < -POWER else float(special.logit(special.betaincinv(a, b, TAIL)))

    return np.array([low(a, b), -low(b, a)])


def place_at(lines: np.ndarray, logit: Any) -> np.ndarray:
    """Where on the scale the score is at a logit of the rate; ``lines`` (side, rate of 0 and of 1) are in its ratio.

    Examples
    --------
    >>> place_at(np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([-900.0, 2.0])).tolist()  # the rate itself
    [-900.0, 2.0]
    """
    z = np.asarray(logit, dtype=float)
    with np.errstate(divide="ignore"):
        (low_0, low_1), (high_0, high_1) = np.log(lines)
    with np.errstate(invalid="ignore"):
        return np.logaddexp(low_1 + z, low_0) - np.logaddexp(high_1 + z, high_0)


def logit_at(lines: np.ndarray, place: Any) -> np.ndarray:
    """The logit of the rate where the score is at a place of the scale; infinite where it always is above, or below.

    Examples
    --------
    >>> lines = np.array([[0.0, 3.0], [2.0, 1.0]])
    >>> logit_at(lines, place_at(lines, np.array([-50.0, 0.3]))).round(9).tolist(), logit_at(lines, np.array([9.0]))
    ([-50.0, 0.3], array([inf]))
    """
    x = np.asarray(place, dtype=float)
    with np.errstate(divide="ignore"):
        (low_0, low_1), (high_0, high_1) = np.log(lines)
    over, under = _log_difference(x + high_0, low_0), _log_difference(low_1, x + high_1)
    with np.errstate(invalid="ignore"):
        found = over - under
    return np.where(np.isneginf(over), -np.inf, np.where(np.isneginf(under), np.inf, found))


def _log_difference(one: Any, other: Any) -> np.ndarray:
    """log(exp(one) - exp(other)); minus infinity where that is not above 0."""
    one, other = np.broadcast_arrays(np.asarray(one, dtype=float), np.asarray(other, dtype=float))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        found = np.where(np.isneginf(other), one, one + np.log(-np.expm1(np.minimum(other - one, 0.0))))
    return np.where(one > other, found, -np.inf)
