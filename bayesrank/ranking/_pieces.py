"""Cdfs that take long to compute, as pieces that do not: polynomials on intervals as narrow as each cdf asks for."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

__all__ = ["Pieces", "pieces_of"]

#: Degree of a piece, what may be left of a cdf beyond it, and how many pieces to begin with.
DEGREE, WANTED, START = 15, 1e-10, 8
#: What is left by less, and hardly less of it in half of a piece, are errors of the cdf itself.
NOISE = 1e-7
#: The narrowest piece, as a share of all, and so many of a row that more will not help.
NARROWEST, MANY = 1e-10, 120


@dataclass(frozen=True)
class Pieces:
    """Rows of pieces."""

    edges: np.ndarray  #: (piece, 2)
    starts: np.ndarray  #: The first piece of each row, and one beyond the last.
    coefficients: np.ndarray  #: Of Chebyshev polynomials (piece, degree).

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """All of them at x: (row, value)."""
        from bayesrank.ranking._exact_kernel import evaluate

        out = np.empty((len(self.starts) - 1, len(x)))
        evaluate(self.edges, self.starts, self.coefficients, np.ascontiguousarray(x), out)
        return out


def pieces_of(function: Callable[[np.ndarray, np.ndarray], np.ndarray], low: np.ndarray, high: np.ndarray) -> Pieces:
    """Pieces of cdfs between the ends of each row; ``function`` takes numbers of rows, and places.

    Examples
    --------
    >>> found = pieces_of(lambda row, x: (1 + row) * x / 2, np.zeros(2), np.ones(2))
    >>> found(np.array([0.5, 2.0])).round(12).tolist()
    [[0.25, 0.5], [0.5, 1.0]]
    """
    rows, start = np.repeat(np.arange(len(low)), START), np.tile(np.arange(START), len(low))
    wide = ((high - low) / START)[rows]
    pending = np.column_stack([low[rows] + wide * start, low[rows] + wide * (start + 1)])
    nodes = np.cos(np.pi * np.arange(DEGREE, -1, -1) / DEGREE)
    turn = np.linalg.inv(np.polynomial.chebyshev.chebvander(nodes, DEGREE)).T
    done: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    number, parent = np.zeros(len(low), int), np.full(len(rows), np.inf)
    while len(rows):
        half = np.diff(pending, axis=1) / 2
        x = pending.mean(axis=1, keepdims=True) + half * nodes
        found = function(np.repeat(rows, len(nodes)), x.ravel()).reshape(x.shape) @ turn
        rest = np.abs(found[:, -2:]).max(axis=1)
        many = number + np.bincount(rows, minlength=len(low)) > MANY
        noise = (rest < NOISE) & (rest > parent / 4)
        good = (rest < WANTED) | noise | (2 * half[:, 0] <= NARROWEST * (high - low)[rows]) | many[rows]
        done.append((rows[good], pending[good], found[good]))
        number += np.bincount(rows[good], minlength=len(low))
        rows, wide = np.repeat(rows[~good], 2), pending[~good]
        parent, middle = np.repeat(rest[~good], 2), wide.mean(axis=1)
        pending = np.stack([wide[:, 0], middle, middle, wide[:, 1]], axis=1).reshape(-1, 2)
    row, edges, coefficients = (np.concatenate(part) for part in zip(*done, strict=True))
    order = np.lexsort((edges[:, 0], row))
    starts = np.concatenate([[0], np.cumsum(number)])
    return Pieces(edges[order], starts, coefficients[order])
