"""The axis on which distributions of a score are integrated, such as log odds: it stretches the ends of a range."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

__all__ = ["NoClosedForm", "Scale", "range_scale"]

#: Values nearer than this share of the range to one of its ends cannot be distinguished from that end.
EDGE = 1e-12
#: Places between which a score of infinite range is integrated: logarithms of ratios.
FARTHEST = 300.0


class NoClosedForm(ValueError):
    """The posterior of the score is not known in closed form, or quadrature cannot resolve it."""


class Scale(NamedTuple):
    """A monotone map between places (-inf, inf) and values of a score, higher is better."""

    value: Callable[[Any], np.ndarray]  #: The value at a place.
    place: Callable[[Any], np.ndarray]  #: The place of a value; infinite at the ends of the range.
    limits: tuple[float, float]  #: Places beyond which values cannot be distinguished from the ends of the range.


def range_scale(low: float, high: float) -> Scale:
    """Return the scale of a score from ``low`` to ``high``: log odds of the distances from both ends."""
    if np.isfinite([low, high]).all():
        far = -float(np.log(EDGE))
        return Scale(
            lambda x: _between(low, high, np.asarray(x, dtype=float)),
            lambda v: _log(np.subtract(v, low)) - _log(np.subtract(high, v)),
            (-far, far),
        )
    if np.isfinite(low):
        return Scale(lambda x: low + np.exp(x), lambda v: _log(np.subtract(v, low)), (-FARTHEST, FARTHEST))
    if np.isfinite(high):
        return Scale(lambda x: high - np.exp(-x), lambda v: -_log(np.subtract(high, v)), (-FARTHEST, FARTHEST))
    return Scale(lambda x: np.asarray(x, dtype=float), lambda v: np.asarray(v, dtype=float), (-1e300, 1e300))


def _between(low: float, high: float, x: np.ndarray) -> np.ndarray:
    near = np.exp(-np.abs(x))
    distance = (high - low) * near / (1 + near)
    return np.where(x < 0, low + distance, high - distance)


def _log(distance: Any) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(distance, 0.0))
