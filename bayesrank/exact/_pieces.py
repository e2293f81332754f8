"""Distribution functions that take long to compute, as Chebyshev series on pieces as short as each one needs."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

__all__ = ["NOISE", "Pieces", "approximate"]

#: Degree of a piece, what may be left of a cdf beyond it, and how many pieces a cdf starts with.
DEGREE, WANTED, START = 19, 1e-10, 4
#: Errors that integrals may have.
NOISE = 1e-7
#: The shortest piece as a share of the whole, and a number of pieces beyond which more will not help.
SHORTEST, MANY = 2.0**-34, 160
#: Chebyshev nodes of a piece, and the matrix from values there to coefficients.
NODES = np.cos(np.pi * np.arange(DEGREE, -1, -1) / DEGREE)
COEFFICIENTS = np.linalg.inv(np.polynomial.chebyshev.chebvander(NODES, DEGREE)).T


@dataclass(frozen=True)
class Pieces:
    """Several functions (rows), each from ``low`` to ``high``; constant beyond."""

    low: np.ndarray
    high: np.ndarray
    #: Where pieces begin and end, as a share of the row (piece, 2), plus the number of the row.
    edges: np.ndarray
    #: Chebyshev coefficients (piece, degree).
    series: np.ndarray
    #: The largest remainder of each row.
    rest: np.ndarray

    def __call__(self, row: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Return the value of each row at x, elementwise."""
        low, high = self.low[row], self.high[row]
        share = np.clip((np.clip(x, low, high) - low) / np.where(high > low, high - low, 1.0), 0.0, 1 - 2.0**-36)
        piece = np.searchsorted(self.edges[:, 0], row + share, side="right") - 1
        start, stop = self.edges[piece, 0] - row, self.edges[piece, 1] - row
        t = np.clip(2 * (share - start) / (stop - start) - 1, -1.0, 1.0)
        a, b = np.zeros(t.shape), np.zeros(t.shape)
        for k in range(DEGREE, 0, -1):  # Clenshaw's rule
            a, b = self.series[piece, k] + 2 * t * a - b, a
        return np.clip(self.series[piece, 0] + t * a - b, 0.0, 1.0)

    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """Return where every piece begins and ends."""
        row = np.floor(self.edges[:, 0]).astype(int)
        return tuple(self.low[row] + (self.edges[:, k] - row) * (self.high - self.low)[row] for k in (0, 1))


def approximate(
    function: Callable[[np.ndarray, np.ndarray], np.ndarray], low: np.ndarray, high: np.ndarray, noise: float = NOISE
) -> Pieces:
    """Halve the pieces of each row until all are resolved; ``function`` takes rows and places, elementwise.

    A remainder below ``noise`` that does not shrink is an error of the function, not a reason to go on.
    """
    row = np.repeat(np.arange(len(low)), START)
    start = np.tile(np.arange(START) / START, len(low))
    width, parent = np.full(len(row), 1 / START), np.full(len(row), np.inf)
    done: list[tuple[np.ndarray, ...]] = []
    number, remainder = np.zeros(len(low), int), np.zeros(len(low))
    while len(row):
        share = start[:, None] + width[:, None] * (NODES + 1) / 2
        x = low[row, None] + share * (high - low)[row, None]
        series = function(np.repeat(row, len(NODES)), x.ravel()).reshape(x.shape) @ COEFFICIENTS
        rest = np.abs(series[:, -2:]).max(axis=1)
        many = (number + np.bincount(row, minlength=len(low)) > MANY)[row]
        good = (rest < WANTED) | ((rest < noise) & (rest > 0.75 * parent)) | (width <= SHORTEST) | many
        done.append((row[good], start[good], width[good], series[good]))
        number += np.bincount(row[good], minlength=len(low))
        np.maximum.at(remainder, row[good], rest[good])
        row, parent = np.repeat(row[~good], 2), np.repeat(rest[~good], 2)
        width = np.repeat(width[~good] / 2, 2)
        start = np.repeat(start[~good], 2) + width * np.tile([0.0, 1.0], len(row) // 2)
    row, start, width, series = (np.concatenate(part) for part in zip(*done, strict=True))
    order = np.lexsort((start, row))
    edges = (row[:, None] + np.stack([start, start + width], axis=1))[order]
    return Pieces(low, high, edges, series[order], remainder)
