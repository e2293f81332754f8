"""A board of entities with known distributions: who beats whom, who is best, and the ranks, by quadrature.

Values are cut into panels on which every cdf is a polynomial to within 1e-10. On Gauss and Lobatto's nodes the rule for
∫ F dG is exact for products of such polynomials, so that P(a beats b) + P(b beats a) is 1 to the last digits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np

__all__ = ["Group", "NoClosedForm", "Panels", "Scale", "Source", "lobatto", "slopes_at"]

#: Nodes of a panel when cdfs are resolved.
NODES = 16
#: What may be left of a cdf beyond the polynomials of a panel.
WANTED = 1e-10
#: What is left by less, and hardly less of it in half of a panel, are errors of the cdfs themselves.
NOISE = 1e-7
#: The narrowest panel, as a share of all: narrower ones are jumps.
NARROWEST = 1e-10
#: Panels to start with, and so many that more will not help.
START, MANY = 12, 400
#: Of a range with ends, values are looked at up to so near to them.
EDGE = 1e-12
#: Of one without, so far on its scale.
FARTHEST = 500.0


class NoClosedForm(ValueError):
    """What is asked for can be had from draws only."""


class Source(Protocol):
    """Distributions of entities, given each of some prevalences."""

    atoms: Any  #: The one value that an entity always has (prevalence, entity); NaN where it varies.
    scale: Any  #: One on which values are looked at.
    span: Any  #: Places on the scale between which all others lie.
    endless: Any  #: Whether the cdf tells places that no value tells from the end of the range.

    def cdf(self, places: np.ndarray) -> np.ndarray:
        """P(value <= that of places on the scale), (prevalence, entity, place)."""
        ...


class Group(NamedTuple):
    """Entities that are independent given one prevalence, which is random."""

    source: Source
    #: Probabilities of the prevalences.
    share: np.ndarray
    #: How many entities have each distribution.
    times: np.ndarray
    #: How many such groups there are, independent of each other.
    copies: int


@dataclass(frozen=True)
class Scale:
    """A stretched scale on which the ends of a range are far away: values = ``of(x)``, of ``slope(x)``."""

    low: float
    high: float

    def x(self, value: Any) -> Any:
        """Where a value lies; infinite at the ends of the range."""
        with np.errstate(divide="ignore", invalid="ignore"):
            below, above = np.maximum(value - self.low, 0.0), np.maximum(self.high - value, 0.0)
            if self.low > -np.inf and self.high < np.inf:
                return np.log(below / above)
            return np.log(below) if self.low > -np.inf else -np.log(above) if self.high < np.inf else value

    def of(self, x: Any) -> Any:
        """The value at x."""
        if self.low > -np.inf and self.high < np.inf:
            e = np.exp(-np.abs(x))
            near = (self.high - self.low) * e / (1 + e)
            return np.where(x < 0, self.low + near, self.high - near)
        return self.low + np.exp(x) if self.low > -np.inf else self.high - np.exp(-x) if self.high < np.inf else x

    def slope(self, x: Any) -> Any:
        """How fast the value rises."""
        if self.low > -np.inf and self.high < np.inf:
            e = np.exp(-np.abs(x))
            return (self.high - self.low) * e / (1 + e) ** 2
        return np.exp(x) if self.low > -np.inf else np.exp(-x) if self.high < np.inf else np.ones_like(x)

    def sides(self, x: Any) -> np.ndarray:
        """What the distances of the value at x from both ends are as: (x, side).

        Examples
        --------
        >>> Scale(0.0, 1.0).sides(np.array([0.0])).tolist()
        [[0.5, 0.5]]
        """
        if self.low > -np.inf and self.high < np.inf:
            e = np.exp(-np.abs(x))
            far, near = 1 / (1 + e), e / (1 + e)
            up, down = np.where(x < 0, far, near), np.where(x < 0, near, far)
        elif self.low > -np.inf:
            up, down = np.ones_like(x), np.exp(x)
        else:
            up, down = (np.exp(-x), np.ones_like(x)) if self.high < np.inf else (np.ones_like(x), x)
        return np.stack([up, down], axis=-1)

    def near(self, value: Any) -> Any:
        """Where a value lies, but not nearer to an end than it could be told from it."""
        low, high = self.farthest
        near = (low, high) if np.isinf(self.high - self.low) else (np.log(EDGE), -np.log(EDGE))
        return np.clip(self.x(value), *near)

    @property
    def farthest(self) -> tuple[float, float]:
        """Places between which values are finite; where the range has ends, all are."""
        far = np.array([1e300, FARTHEST, np.inf])[np.isfinite([self.low, self.high]).sum()]
        return -far, far


@lru_cache(maxsize=8)
def lobatto(size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gauss and Lobatto's nodes on [-1, 1], their weights, and the matrix of slopes.

    Examples
    --------
    >>> nodes, weights, slopes = lobatto(3)
    >>> nodes.tolist(), (slopes @ nodes**2).round(12).tolist()
    ([-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0])
    """
    last = np.polynomial.legendre.Legendre.basis(size - 1)
    inner = last.deriv().roots().real
    x = np.concatenate([[-1.0], (inner - inner[::-1]) / 2, [1.0]])
    return x, 2 / (size * (size - 1) * last(x) ** 2), slopes_at(x)


def slopes_at(x: np.ndarray) -> np.ndarray:
    """The matrix that takes the values of a polynomial at nodes to those of its slope (Berrut and Trefethen 2004)."""
    gap = x[:, None] - x
    np.fill_diagonal(gap, 1.0)
    w = 1 / np.prod(gap, axis=1)
    slopes = w / w[:, None] / gap
    np.fill_diagonal(slopes, 0.0)
    np.fill_diagonal(slopes, -slopes.sum(axis=1))
    return slopes


@dataclass(frozen=True)
class Panels:
    """Edges (panel, 2) on a scale."""

    scale: Scale
    edges: np.ndarray

    def nodes(self, size: int) -> np.ndarray:
        """Places of the nodes (panel, node) on the scale."""
        middle, half = self.edges.mean(axis=1), np.diff(self.edges, axis=1)[:, 0] / 2
        return middle[:, None] + half[:, None] * lobatto(size)[0]

    @classmethod
    def resolving(cls, groups: Sequence[Group], scale: Scale, rope: float) -> "Panels":
        """Panels on which all cdfs, moved by the ROPE or not, and their product are resolved.

        They have edges where these jump.
        """
        low, high, cuts = _ends(groups, scale, rope)
        if low >= high:
            return cls(scale, np.zeros((0, 2)))
        edges = np.unique(np.concatenate([np.linspace(low, high, START + 1), cuts[(cuts > low) & (cuts < high)]]))
        done: list[np.ndarray] = []
        pending, parent = np.column_stack([edges[:-1], edges[1:]]), np.full(len(edges) - 1, np.inf)
        tails = np.linalg.inv(np.polynomial.legendre.legvander(lobatto(NODES)[0], NODES - 1))[-2:]
        while len(pending):
            panels = cls(scale, pending)
            rest = np.zeros(len(pending))
            for shift in {0.0, rope}:
                for group, cdf in zip(groups, panels.cdfs(groups, NODES, shift), strict=True):
                    whole = np.prod(cdf ** group.times[:, None, None], axis=1, keepdims=True)
                    for part in (cdf, whole):
                        rest = np.maximum(rest, np.abs(part @ tails.T).max(axis=(0, 1, 3)))
            narrow = np.diff(pending, axis=1)[:, 0] < NARROWEST * (high - low)
            noise = (rest < NOISE) & (rest > parent / 4)
            good = (rest < WANTED) | narrow | noise | (sum(len(part) for part in done) + len(pending) > MANY)
            done.append(pending[good])
            wide = pending[~good]
            parent, middle = np.tile(rest[~good], 2), wide.mean(axis=1)
            pending = np.concatenate([np.column_stack([wide[:, 0], middle]), np.column_stack([middle, wide[:, 1]])])
        found = np.concatenate(done)
        return cls(scale, found[np.argsort(found[:, 0])])

    def cdfs(self, groups: Sequence[Group], size: int, shift: float = 0.0) -> list[np.ndarray]:
        """P(value + shift <= that of a node) of every group: (prevalence, entity, panel, node)."""
        places, middle = self.nodes(size), self.edges.mean(axis=1)
        if shift:
            places, middle = (self.scale.x(self.scale.of(x) - shift) for x in (places, middle))
        found = []
        for group in groups:
            source = group.source
            cdf = source.cdf(places.ravel()).reshape(len(group.share), len(group.times), *places.shape)
            # At its value an entity of one value alone jumps: it has jumped on the panel above, not on that below.
            at = np.argwhere(~np.isnan(source.atoms))
            for q, u in at:
                cdf[q, u] = (middle > self.scale.x(source.atoms[q, u]))[:, None]
            found.append(cdf)
        return found


def _ends(groups: Sequence[Group], scale: Scale, rope: float) -> tuple[float, float, np.ndarray]:
    """Where to look, and where cdfs jump."""
    places = np.array([f(group.source.span[i] for group in groups) for i, f in enumerate((min, max))])
    places = np.clip(places, *scale.farthest)
    low, high = scale.of(places)
    atoms = np.concatenate([group.source.atoms.ravel() for group in groups])
    cuts = np.unique(atoms[~np.isnan(atoms)])
    some = places[: 2 * bool(places[0] < places[1])]
    ends = np.concatenate([scale.of(some), cuts])
    endless = all(group.source.endless for group in groups)
    x = np.concatenate([scale.near(np.concatenate([ends, ends + rope])), some[: len(some) * endless]])
    return x.min(), x.max(), np.unique(scale.near(np.concatenate([cuts, cuts + rope, [low + rope, high]])))
