"""One grid for a board: panels so short that every distribution function is a polynomial on each of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.polynomial.chebyshev import chebvander

#: Degree of the polynomials, and what may be left of a distribution function beyond it.
DEGREE, WANTED = 23, 1e-10
#: Errors that integrals may have, and a probability that is 0.
NOISE, NOTHING = 1e-7, 1e-13
#: The longest and the shortest panel as a share of a support, and a number of panels beyond which
#: more will not help.
LONGEST, SHORTEST, MANY = 0.5, 2.0**-34, 160
#: Chebyshev nodes, the matrix from values there to coefficients, and from coefficients to those of
#: both halves.
NODES = np.cos(np.pi * np.arange(DEGREE, -1, -1) / DEGREE)
COEFFICIENTS = np.linalg.inv(chebvander(NODES, DEGREE)).T
HALVES = [chebvander((NODES + side) / 2, DEGREE).T @ COEFFICIENTS for side in (-1, 1)]

Function = Callable[[np.ndarray, np.ndarray], np.ndarray]


class Extent(NamedTuple):
    """Where distribution functions (rows) vary."""

    #: Places between which a row varies, and its probability at or below each.
    low: np.ndarray
    high: np.ndarray
    first: np.ndarray
    last: np.ndarray
    atom: np.ndarray  #: The value of a row that has one; else NaN.


@dataclass(frozen=True)
class Grid:
    """Distribution functions (rows), as piecewise polynomials."""

    low: np.ndarray  #: As in the extent.
    high: np.ndarray
    first: np.ndarray
    last: np.ndarray
    atom: np.ndarray
    edges: np.ndarray  #: Ends of panels.
    #: Row and panel of each polynomial in order, as row times panels plus panel, and Chebyshev
    #: coefficients.
    key: np.ndarray
    series: np.ndarray
    rest: float  #: The largest remainder of a distribution function.

    def cdf(self, row: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Return P(value <= that of place x) of rows, elementwise."""
        row, x = np.broadcast_arrays(row, x)
        above, below = x >= self.high[row], x < self.low[row]
        out = np.where(above, self.last[row], 0.0)
        inside = ~above & ~below
        row, x = row[inside], x[inside]
        panel = np.searchsorted(self.edges, x, side="right") - 1
        piece = np.searchsorted(self.key, row * len(self.edges) + panel)
        t = 2 * (x - self.edges[panel]) / (self.edges[panel + 1] - self.edges[panel]) - 1
        a, b = np.zeros(t.shape), np.zeros(t.shape)
        for k in range(DEGREE, 0, -1):  # Clenshaw's rule
            a, b = self.series[piece, k] + 2 * t * a - b, a
        out[inside] = np.clip(self.series[piece, 0] + t * a - b, 0.0, 1.0)
        return out

    def stretches(self) -> Iterator[tuple[float, float, np.ndarray, np.ndarray]]:
        """Yield both ends of a panel, the rows that vary there and their Chebyshev coefficients (row, degree).

        Panels up to a point mass at an end of the range have no such rows.
        """
        for end in np.unique(self.low[np.isinf(self.low)]).tolist():
            start, right = (end, float(self.edges[0])) if end < 0 else (float(self.edges[-1]), end)
            yield start, right, np.zeros(0, int), self.series[:0]
        row, panel = np.divmod(self.key, len(self.edges))
        order = np.argsort(panel, kind="stable")
        starts = np.searchsorted(panel[order], np.arange(len(self.edges)))
        for k, (start, right) in enumerate(
            zip(self.edges[:-1].tolist(), self.edges[1:].tolist(), strict=True)
        ):
            members = order[starts[k] : starts[k + 1]]
            yield start, right, row[members], self.series[members]

    def points(self, own: int) -> Iterator[tuple[float, np.ndarray, np.ndarray, float]]:
        """Yield the point masses of the first ``own`` rows, and the ends of the range, where values look the same.

        These are place, P(value < place) and P(value <= place) (row), and the value of the mass;
        NaN at an end.
        """
        rows, atom, position = np.arange(own), self.atom[:own], self.low[:own]
        for value in np.unique(atom[~np.isnan(atom)]).tolist():
            same = atom == value
            at = float(position[same][0])
            cdf = (
                self.cdf(rows, np.full(own, at)) if np.isfinite(at) else np.full(own, float(at > 0))
            )
            yield at, np.where(same, 0.0, cdf), np.where(same, 1.0, cdf), value
        certain = ~np.isnan(atom)
        if (self.first[:own] > 0).any():
            lowest = (certain & np.isneginf(position)).astype(float)
            yield -np.inf, lowest, np.maximum(self.first[:own], lowest), np.nan
        if (self.last[:own] < 1).any():
            highest = (certain & np.isposinf(position)).astype(float)
            yield np.inf, np.minimum(self.last[:own], 1 - highest), 1 - highest, np.nan


def ends(
    cdf: Function, low: np.ndarray, high: np.ndarray, varies: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the probabilities at or below both places, of rows that vary."""
    rows = np.flatnonzero(varies)
    both = np.concatenate([low[rows], high[rows]])
    first, last = np.zeros(len(low)), np.ones(len(low))
    first[rows], last[rows] = cdf(np.tile(rows, 2), both).reshape(2, -1)
    first[first < NOTHING], last[last > 1 - NOTHING] = 0.0, 1.0
    return first, last


def make_grid(
    function: Function,
    extent: Extent,
    noise: float = NOISE,
    longest: float = LONGEST,
) -> Grid:
    """Halve panels until each row is close to a polynomial on them; ``function`` takes rows and points, elementwise.

    Panels are cut where a row jumps. A remainder below ``noise`` that does not shrink is an error
    of the function, not a reason to go on.
    """
    low, high, first, _, atom = extent
    varies = np.flatnonzero(np.isnan(atom))
    jumps = np.concatenate([low[~np.isnan(atom)], low[varies][first[varies] > 0]])
    start, stop = low[varies].min(initial=np.inf), high[varies].max(initial=-np.inf)
    cuts = np.unique(np.concatenate([[start, stop], jumps]))
    cuts = cuts[np.isfinite(cuts)] if np.isfinite(cuts).any() else np.zeros(1)
    lower, right = cuts[:-1], cuts[1:]
    row, panel = np.nonzero((low[varies, None] < right) & (high[varies, None] > lower))
    row, span = varies[row], np.subtract(high, low, out=np.zeros(len(low)), where=np.isnan(atom))
    series, before = np.zeros((len(row), DEGREE + 1)), np.full(len(row), np.inf)
    settled, rest = np.zeros(len(row), bool), 0.0
    edges, done = [], []
    while len(lower):
        width = (right - lower)[panel]
        ready = np.flatnonzero(~settled & (width <= longest * span[row]))
        x = lower[panel[ready], None] + width[ready, None] * (NODES + 1) / 2
        values = function(np.repeat(row[ready], len(NODES)), x.ravel()).reshape(x.shape)
        series[ready] = values @ COEFFICIENTS
        remainder = np.abs(series[ready, -2:]).max(axis=1)
        crowded = np.bincount(row[~settled], minlength=len(low))[row[ready]] > MANY
        good = (remainder < WANTED) | ((remainder < noise) & (remainder > 0.75 * before[ready]))
        good |= crowded | (width[ready] <= SHORTEST * span[row[ready]])
        rest = max(rest, float(remainder[good].max(initial=0.0)))
        settled[ready], before[ready] = good, remainder
        split = np.zeros(len(lower), bool)
        split[panel[~settled]] = True
        retained = ~split[panel]
        edges.append(lower[~split])
        done.append((row[retained], lower[panel[retained]], series[retained]))
        # Polynomials of settled rows hold on both halves of a panel that others split.
        middle = ((lower + right) / 2)[split]
        panel = (np.cumsum(split) - 1)[panel[~retained]]
        lower, right = (
            np.concatenate([lower[split], middle]),
            np.concatenate([middle, right[split]]),
        )
        row, settled, before = (np.tile(each[~retained], 2) for each in (row, settled, before))
        series = np.concatenate([series[~retained] @ half for half in HALVES])
        panel = np.concatenate([panel, panel + len(middle)])
        inside = (low[row] < right[panel]) & (high[row] > lower[panel])
        row, panel, series = row[inside], panel[inside], series[inside]
        before, settled = before[inside], settled[inside]
    if not done:
        return Grid(*extent, cuts, np.zeros(0, int), np.zeros((0, DEGREE + 1)), rest)
    edge = np.append(np.sort(np.concatenate(edges)), cuts[-1])
    rows, starts, coefficients = (np.concatenate(part) for part in zip(*done, strict=True))
    key = rows * len(edge) + np.searchsorted(edge, starts)
    order = np.argsort(key)
    return Grid(*extent, edge, key[order], coefficients[order], rest)
