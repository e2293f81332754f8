"""Integrals over a grid: probabilities of ranks and of pairs, and the expected loss.

On Gauss and Lobatto's nodes the rule for ∫ F dG satisfies integration by parts, so that P(a > b) + P(b > a) is 1 to the
last digits. On a panel only the distributions that vary there take part; the others are 0 or 1. At a point, values are
in random order, so that ties share their ranks.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.polynomial.chebyshev import chebvander
from numpy.polynomial.legendre import Legendre

from bayesrank.exact._grid import DEGREE, Grid
from bayesrank.exact._scales import Scale

__all__ = ["Group", "Measures", "in_common", "measure"]

#: Complex numbers that are held at a time: 32 MB.
MOST = 2_000_000
#: Relative size of differences that are rounding errors.
ROUNDING = 1e-12


class Group(NamedTuple):
    """Items of one test set, independent given its prevalence; or items of test sets of their own."""

    rows: np.ndarray  #: The distribution of each item given each prevalence (prevalence, item).
    weight: np.ndarray  #: Probabilities of the prevalences (prevalence, item).
    shared: bool  #: Whether the items share the prevalence.
    times: np.ndarray  #: How many entities have each item.
    copies: int  #: How many such groups there are, independent of each other.

    def given(self, rows: np.ndarray, items: np.ndarray) -> np.ndarray:
        """Return numbers of rows (row, ...) for some items, given each prevalence that they share."""
        found = rows[self.rows[:, items]]
        if self.shared:
            return found
        weight = self.weight[:, items].reshape(*found.shape[:2], *[1] * (found.ndim - 2))
        return (weight * found).sum(axis=0, keepdims=True)

    @property
    def chance(self) -> np.ndarray:
        """Return the probability of each shared prevalence."""
        return self.weight[:, 0] if self.shared else np.ones(1)


class Measures(NamedTuple):
    """Integrals over a board, for one entity of each item; for pairs, two entities of one group or of two."""

    rank: np.ndarray  #: Probability of each rank (item, rank).
    same: np.ndarray  #: P(item > another by more than the ROPE) in one group,
    two: np.ndarray  #: and in two groups.
    before_same: np.ndarray  #: P(item > another), ties as halves, in one group,
    before_two: np.ndarray  #: and in two groups.
    regret: np.ndarray  #: Mean shortfall against the best.
    unresolved: float  #: Probability that two values are so near to an end of the range that they look the same.

    def moved(self, other: "Measures") -> float:
        """Return the greatest difference of a probability."""
        return max(float(np.abs(a - b).max()) for a, b in zip(self[:5], other[:5], strict=True))


class _Part(NamedTuple):
    """What a group does on a panel or at a point."""

    active: np.ndarray  #: Items that are neither all below nor all above.
    done: np.ndarray  #: Items whose values all lie below.
    above: int  #: Entities whose values all lie above.
    cdf: np.ndarray  #: Of the active items (prevalence, item, node).
    change: np.ndarray  #: By how much their cdfs rise at each node.
    shifted: np.ndarray  #: Distribution functions of values plus the ROPE, of all items (item, node).


class _Panel(NamedTuple):
    parts: list[_Part]
    rise: np.ndarray  #: By how much the score rises at each node.
    value: float | None  #: The value of a point mass; NaN at an end of the range, and None between points.


@lru_cache(maxsize=64)
def lobatto(size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return Gauss and Lobatto's nodes on [-1, 1], and the matrix of slopes times weights."""
    last = Legendre.basis(size - 1)
    inner = last.deriv().roots().real
    x = np.concatenate([[-1.0], (inner - inner[::-1]) / 2, [1.0]])
    gap = x[:, None] - x
    np.fill_diagonal(gap, 1.0)
    slopes = last(x)[:, None] / last(x) / gap
    np.fill_diagonal(slopes, 0.0)
    np.fill_diagonal(slopes, -slopes.sum(axis=1))
    return x, slopes * (2 / (size * (size - 1) * last(x) ** 2))[:, None]


def in_common(mass: Sequence[np.ndarray], times: Sequence[np.ndarray]) -> float:
    """Return the expected number of pairs of entities that are both somewhere, at most 1."""
    each, number = np.concatenate(mass), np.concatenate(times)
    return float(np.clip(((each @ number) ** 2 - each**2 @ number) / 2, 0.0, 1.0))


def measure(groups: Sequence[Group], grid: Grid, scale: Scale, size: int, rope: float, regret: bool) -> Measures:
    """Return all integrals with ``size`` nodes on each panel.

    With a ROPE the second half of the grid's rows has the distributions of values that are higher by it.
    """
    items = np.cumsum([0, *(len(group.times) for group in groups)])
    entities = int(sum(group.copies * group.times.sum() for group in groups))
    rank, losses, unresolved = np.zeros((items[-1], entities)), np.zeros(items[-1]), 0.0
    plain, ties, beyond = np.zeros((3, 2, items[-1], items[-1]))
    for panel in _panels(groups, grid, scale, size, rope):
        _add_pairs(groups, items, panel, plain, beyond if rope else None)
        _add_ranks(groups, items, panel.parts, rank)
        if regret and np.isfinite(panel.rise).all():
            _add_regret(groups, items, panel, losses)
        if panel.value is None:
            continue
        mass = [part.change.sum(axis=2) for part in panel.parts]
        if np.isnan(panel.value):
            times = [g.copies * g.times[part.active] for g, part in zip(groups, panel.parts, strict=True)]
            unresolved += in_common([g.chance @ each for g, each in zip(groups, mass, strict=True)], times)
        else:
            _add_ties(groups, items, panel.parts, mass, ties)
    same, two = beyond if rope else plain - ties / 2
    return Measures(np.clip(rank, 0, 1), same, two, plain[0], plain[1], np.maximum(losses, 0.0), min(unresolved, 1.0))


def _panels(groups: Sequence[Group], grid: Grid, scale: Scale, size: int, rope: float) -> Iterator[_Panel]:
    nodes, changes = lobatto(size)
    basis = chebvander(nodes, DEGREE).T
    own = len(grid.low) // 2 if rope else len(grid.low)
    for left, right, rows, series in grid.stretches():
        below, above = grid.high <= left, grid.low >= right
        cdf = np.repeat(np.where(below, grid.last, 0.0)[:, None], size, axis=1)
        cdf[rows] = series @ basis
        if np.isfinite(right - left):
            x = (left + right) / 2 + (right - left) / 2 * nodes
        else:
            x = np.where(nodes < 1, left, right) if np.isfinite(left) else np.where(nodes > -1, right, left)
        rise = changes @ scale.value(x)
        parts = [_part(group, cdf, changes, below[:own], above[:own]) for group in groups]
        yield _Panel(parts, rise, None)
    for place, before, after, value in grid.points(own):
        with_mass = before != after
        number = sum(int(g.copies * g.times[with_mass[g.rows].any(axis=0)].sum()) for g in groups)
        nodes, changes = lobatto(number // 2 + 3)  # exact for a product of so many straight lines
        cdf = before[:, None] + (after - before)[:, None] * (nodes + 1) / 2
        if rope:
            rivals = np.arange(own, 2 * own)
            atom = grid.atom[rivals]
            equal = np.abs(atom - value) <= ROUNDING * max(abs(value), 1.0)
            less = np.where(equal, 0.0, grid.cdf(rivals, np.full(own, place)))
            cdf = np.concatenate([cdf, np.repeat(less[:, None], len(nodes), axis=1)])
        parts = [_part(group, cdf, changes, before == 1, after == 0) for group in groups]
        yield _Panel(parts, np.zeros(len(nodes)), value)


def _part(group: Group, cdf: np.ndarray, changes: np.ndarray, below: np.ndarray, above: np.ndarray) -> _Part:
    all_below, all_above = below[group.rows].all(axis=0), above[group.rows].all(axis=0)
    active = np.flatnonzero(~all_below & ~all_above)
    number = int(group.copies * group.times[all_above].sum())
    own = group.given(cdf, active)
    shifted = group.given(cdf[len(below) :], np.arange(len(group.times))) if len(cdf) > len(below) else own[:, :0]
    return _Part(active, np.flatnonzero(all_below), number, own, own @ changes.T, shifted)


def _concatenate(parts: list[_Part], items: np.ndarray, name: str) -> np.ndarray:
    """Return the numbers of the ``active`` or ``done`` items of all groups."""
    return np.concatenate([getattr(part, name) + start for part, start in zip(parts, items[:-1], strict=True)])


def _add_pairs(
    groups: Sequence[Group], items: np.ndarray, panel: _Panel, plain: np.ndarray, beyond: np.ndarray | None
) -> None:
    """Add P(item > another), ties as halves, and P(item > another + ROPE) (in one group or in two, item, item)."""
    pairs = list(zip(groups, panel.parts, items[:-1], strict=True))
    own, done = _concatenate(panel.parts, items, "active"), _concatenate(panel.parts, items, "done")
    change = np.concatenate([group.chance @ part.change.swapaxes(0, 1) for group, part, _ in pairs])
    cdf = np.concatenate([group.chance @ part.cdf.swapaxes(0, 1) for group, part, _ in pairs])
    for table in plain:
        table[np.ix_(own, done)] += change.sum(axis=1)[:, None]
    plain[1][np.ix_(own, own)] += change @ cdf.T
    if beyond is not None:
        beyond[1][own] += change @ np.concatenate([g.chance @ part.shifted.swapaxes(0, 1) for g, part, _ in pairs]).T
    for group, part, start in pairs:
        here = part.active + start
        weighted = group.chance[:, None, None] * part.change
        plain[0][np.ix_(here, here)] += (weighted @ part.cdf.swapaxes(1, 2)).sum(axis=0)
        if beyond is not None:
            every = slice(start, start + len(group.times))
            beyond[0][here, every] += (weighted @ part.shifted.swapaxes(1, 2)).sum(axis=0)


def _add_ties(
    groups: Sequence[Group], items: np.ndarray, parts: list[_Part], mass: list[np.ndarray], ties: np.ndarray
) -> None:
    """Add P(two items have the value of this point) (in one group or in two, item, item)."""
    own = _concatenate(parts, items, "active")
    mean = np.concatenate([group.chance @ each for group, each in zip(groups, mass, strict=True)])
    ties[1][np.ix_(own, own)] += np.outer(mean, mean)
    for group, part, each, start in zip(groups, parts, mass, items[:-1], strict=True):
        ties[0][np.ix_(part.active + start, part.active + start)] += (group.chance[:, None] * each).T @ each


def _add_ranks(groups: Sequence[Group], items: np.ndarray, parts: list[_Part], rank: np.ndarray) -> None:
    """Add the probability of each rank on a panel, from the generating function of the number of entities above."""
    size = int(sum(group.copies * group.times[part.active].sum() for group, part in zip(groups, parts, strict=True)))
    above = sum(part.above for part in parts)
    if not size:
        return
    # Half of the roots of unity of an odd order, without -1, where a factor could be 0.
    order = size | 1
    z = np.exp(-2j * np.pi * np.arange(order // 2 + 1) / order)
    nodes = parts[0].cdf.shape[-1]
    few = max(MOST // (max(part.cdf.shape[0] * part.cdf.shape[1] for part in parts) * len(z)), 1)
    out = sum(_generating(groups, parts, slice(start, start + few), z) for start in range(0, nodes, few))
    rank[_concatenate(parts, items, "active"), above : above + size] += np.fft.irfft(out, order, axis=1)[:, :size]


def _generating(groups: Sequence[Group], parts: list[_Part], some: slice, z: np.ndarray) -> np.ndarray:
    """Return E[z^(active entities above an item)] on some nodes (active item, z): all factors, divided by its own."""
    everyone, others = [], []
    for group, part in zip(groups, parts, strict=True):
        cdf, change, times = part.cdf[..., some, None], part.change[..., some, None], group.times[part.active]
        factor = cdf + (1 - cdf) * z
        powers = factor if (times == 1).all() else factor ** times[:, None, None]
        product = powers.prod(axis=1)
        everyone.append(np.tensordot(group.chance, product, axes=1))
        np.divide(product[:, None], factor, out=factor)
        others.append(np.einsum("q,qinz->inz", group.chance, change * factor))
    found = []
    for g, group in enumerate(groups):
        rest = everyone[g] ** (group.copies - 1)
        for h, other in enumerate(groups):
            if h != g:
                rest = rest * everyone[h] ** other.copies
        found.append((others[g] * rest).sum(axis=1))
    return np.concatenate(found)


def _add_regret(groups: Sequence[Group], items: np.ndarray, panel: _Panel, losses: np.ndarray) -> None:
    """Add E[best] - E[own] on a panel: the integral of the own cdf less that of the best."""
    best = np.full(len(panel.rise), float(not any(part.above for part in panel.parts)))
    for group, part in zip(groups, panel.parts, strict=True):
        each = (part.cdf ** group.times[part.active][:, None]).prod(axis=1)
        best = best * (group.chance @ each) ** group.copies
    for group, part, start in zip(groups, panel.parts, items[:-1], strict=True):
        own = group.chance @ part.cdf.swapaxes(0, 1)
        losses[part.active + start] += (own - best) @ panel.rise
        losses[part.done + start] += (1 - best) @ panel.rise
