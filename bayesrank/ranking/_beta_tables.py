"""Cdfs of Beta variables over the logit, in tables that compiled loops can read."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

__all__ = ["FAR", "TAIL", "BetaTables", "beta_tables", "window"]

#: Mass of a variable beyond either end of the window in which it is looked at.
TAIL = 1e-15
#: Windows end there: beyond, products of four rates could underflow.
FAR = 150.0
#: Pieces of a table: at least so many, and none wider.
PIECES, WIDEST = 768, 0.06


def window(a: Any, b: Any) -> tuple[np.ndarray, np.ndarray]:
    """Logits between which a Beta variable lies, but for a mass of ``TAIL`` beyond either.

    Examples
    --------
    >>> low, high = window(1.0, 1.0)
    >>> round(low.item(), 2), round(high.item(), 2)
    (-34.54, 34.54)
    """
    with np.errstate(divide="ignore"):
        low, high = special.logit(special.betaincinv(a, b, TAIL)), -special.logit(special.betaincinv(b, a, TAIL))
    return np.clip(low, -FAR, FAR), np.clip(high, -FAR, FAR)


@dataclass(frozen=True)
class BetaTables:
    """Cdfs of several variables, in pieces of the fifth degree that meet in value and in two slopes."""

    low: np.ndarray  #: Where the window of each begins.
    high: np.ndarray  #: And ends.
    step: np.ndarray  #: Length of its pieces.
    starts: np.ndarray  #: The first piece of each, and one beyond the last.
    coefficients: np.ndarray  #: (piece, degree), of the place within a piece, from 0 to 1.


def beta_tables(pairs: np.ndarray) -> BetaTables:
    """Those of the Beta parameters (variable, 2).

    Examples
    --------
    >>> tables = beta_tables(np.array([[3.0, 2.0]]))
    >>> middle = int(-tables.low[0] / tables.step[0])
    >>> left = tables.low[0] + middle * tables.step[0]
    >>> bool(abs(tables.coefficients[middle, 0] - special.betainc(3, 2, special.expit(left))) < 1e-15)
    True
    """
    low, high = window(*pairs.T)
    number = np.maximum(np.ceil((high - low) / WIDEST), PIECES).astype(int)
    step = (high - low) / number
    found = [
        _pieces(a, b, start + each * np.arange(n + 1))
        for (a, b), start, each, n in zip(pairs.tolist(), low, step, number.tolist(), strict=True)
    ]
    return BetaTables(low, high, step, np.concatenate([[0], np.cumsum(number)]), np.concatenate(found))


def _pieces(a: float, b: float, x: np.ndarray) -> np.ndarray:
    step = x[1] - x[0]
    f = np.where(x < 0, special.betainc(a, b, special.expit(x)), special.betaincc(b, a, special.expit(-x)))
    slope = np.exp(a * special.log_expit(x) + b * special.log_expit(-x) - special.betaln(a, b))
    bend = slope * (a * special.expit(-x) - b * special.expit(x)) * step**2
    slope = slope * step
    rise, s0, s1, b0, b1 = np.diff(f), slope[:-1], slope[1:], bend[:-1], bend[1:]
    third = 10 * rise - 6 * s0 - 4 * s1 - 1.5 * b0 + 0.5 * b1
    fourth = -15 * rise + 8 * s0 + 7 * s1 + 1.5 * b0 - b1
    fifth = 6 * rise - 3 * (s0 + s1) - 0.5 * b0 + 0.5 * b1
    return np.stack([f[:-1], s0, b0 / 2, third, fourth, fifth], axis=1)
