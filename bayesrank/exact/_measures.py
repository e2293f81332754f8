"""Integrals over a grid: probabilities of ranks and of pairs, and the expected loss.

On Gauss and Lobatto's nodes the rule for ∫ F dG satisfies integration by parts, so that P(a > b) +
P(b > a) is 1 to the last digits. On a panel only the distributions that vary there take part; the
others are 0 or 1. At a point, values are in random order, so that ties share their ranks.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.polynomial.chebyshev import chebvander
from numpy.polynomial.legendre import Legendre

from bayesrank.exact._grid import DEGREE, Grid
from bayesrank.scores.distributions import Scale

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
    mixing: np.ndarray | None = None  #: A matrix between prevalences, applied to all numbers.

    def given(self, rows: np.ndarray) -> np.ndarray:
        """Return numbers of rows (row, ...) for each item, given each prevalence that they share."""
        result = rows[self.rows]
        if self.shared:
            return result if self.mixing is None else np.tensordot(self.mixing, result, 1)
        weight = self.weight.reshape(*self.weight.shape, *[1] * (result.ndim - 2))
        return (weight * result).sum(axis=0, keepdims=True)

    @property
    def chance(self) -> np.ndarray:
        """Return the probability of each shared prevalence."""
        return self.weight[:, 0] if self.shared else np.ones(1)


class Measures(NamedTuple):
    """Integrals over a board, for one entity of each item; pairs are two entities, if of one item as well."""

    rank: np.ndarray  #: Probability of each rank (item, rank).
    superior: np.ndarray  #: P(item > another by more than the ROPE).
    before: np.ndarray  #: P(item > another), ties as halves.
    regret: np.ndarray  #: Mean shortfall against the best.
    unresolved: float  #: Probability that two values are so near to an end of the range that they look the same.


class _Part(NamedTuple):
    """What a group does on a panel or at a point."""

    chance: np.ndarray  #: Probabilities of the prevalences that its items share.
    active: np.ndarray  #: Items that are neither all below nor all above,
    done: np.ndarray  #: and those whose values all lie below.
    times: np.ndarray  #: How many entities have each active item.
    above: int  #: Entities whose values all lie above.
    cdf: np.ndarray  #: Of the active items (prevalence, item, node).
    change: np.ndarray  #: By how much their cdfs rise at each node.
    shifted: np.ndarray  #: Distribution functions of values plus the ROPE, of all items.


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
    all_masses, number = np.concatenate(mass), np.concatenate(times)
    return float(np.clip(((all_masses @ number) ** 2 - all_masses**2 @ number) / 2, 0.0, 1.0))


def measure(
    groups: Sequence[Group], grid: Grid, scale: Scale, size: int, rope: float, regret: bool
) -> Measures:
    """Return all integrals with ``size`` nodes a panel; with a ROPE the last half of the rows is higher by it."""
    items, entities = (
        sum(len(group.times) for group in groups),
        sum(int(group.times.sum()) for group in groups),
    )
    rank, losses, unresolved = np.zeros((items, entities)), np.zeros(items), 0.0
    before, ties, beyond = np.zeros((3, items, items))
    for parts, rise, value in _panels(groups, grid, scale, size, rope):
        own, change = (
            np.concatenate([part.active for part in parts]),
            [part.change for part in parts],
        )
        mass = [each.sum(axis=2, keepdims=True) for each in change]
        below = np.concatenate([part.done for part in parts])
        before[np.ix_(own, below)] += np.concatenate(_average(parts, mass))
        before[np.ix_(own, own)] += _products(parts, change, [part.cdf for part in parts])
        if rope:
            beyond[own] += _products(parts, change, [part.shifted for part in parts])
        _add_ranks(parts, rank)
        if regret and np.isfinite(rise).all():
            _add_regret(parts, rise, losses)
        if value is not None and np.isnan(value):
            unresolved += in_common(
                [each[:, 0] for each in _average(parts, mass)], [part.times for part in parts]
            )
        elif value is not None:
            ties[np.ix_(own, own)] += _products(parts, mass, mass)
    superior = beyond if rope else before - ties / 2
    return Measures(
        np.clip(rank, 0, 1), superior, before, np.maximum(losses, 0.0), min(unresolved, 1.0)
    )


def _panels(
    groups: Sequence[Group], grid: Grid, scale: Scale, size: int, rope: float
) -> Iterator[tuple[list[_Part], np.ndarray, float | None]]:
    """Yield what each group does on each panel and at each point, and by how much the score rises at each node.

    Last is the value of a point mass; NaN at an end of the range, and None between points.
    """
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
            x = (
                np.where(nodes < 1, left, right)
                if np.isfinite(left)
                else np.where(nodes > -1, right, left)
            )
        yield _parts(groups, cdf, changes, below[:own], above[:own]), changes @ scale.value(x), None
    for position, before, after, value in grid.points(own):
        with_mass = before != after
        number = sum(int(group.times[with_mass[group.rows].any(axis=0)].sum()) for group in groups)
        nodes, changes = lobatto(
            number // 2 + 3
        )  # exact for a product of ``number`` straight lines
        cdf = before[:, None] + (after - before)[:, None] * (nodes + 1) / 2
        if rope:
            rivals = np.arange(own, 2 * own)
            equal = np.abs(grid.atom[rivals] - value) <= ROUNDING * max(abs(value), 1.0)
            less = np.where(equal, 0.0, grid.cdf(rivals, np.full(own, position)))
            cdf = np.concatenate([cdf, np.repeat(less[:, None], len(nodes), axis=1)])
        yield _parts(groups, cdf, changes, before == 1, after == 0), np.zeros(len(nodes)), value


def _parts(
    groups: Sequence[Group],
    cdf: np.ndarray,
    changes: np.ndarray,
    below: np.ndarray,
    above: np.ndarray,
) -> list[_Part]:
    """Return what each group does, given the cdfs of the rows and which rows lie all below or all above."""
    parts, start = [], 0
    for group in groups:
        all_below, all_above = below[group.rows].all(axis=0), above[group.rows].all(axis=0)
        active = np.flatnonzero(~all_below & ~all_above)
        own = group._replace(rows=group.rows[:, active], weight=group.weight[:, active]).given(cdf)
        shifted = group.given(cdf[len(below) :]) if len(cdf) > len(below) else own[:, :0]
        places = active + start, np.flatnonzero(all_below) + start
        counted = group.times[active], int(group.times[all_above].sum())
        parts.append(_Part(group.chance, *places, *counted, own, own @ changes.T, shifted))
        start += len(group.times)
    return parts


def _average(parts: list[_Part], each: list[np.ndarray]) -> list[np.ndarray]:
    """Return numbers (prevalence, item, node) of each part, averaged over its prevalences."""
    return [
        np.einsum("q,q...->...", part.chance, numbers)
        for part, numbers in zip(parts, each, strict=True)
    ]


def _products(parts: list[_Part], left: list[np.ndarray], right: list[np.ndarray]) -> np.ndarray:
    """Return the mean of left times right for each pair of items, summed over nodes (item, item)."""
    out = np.concatenate(_average(parts, left)) @ np.concatenate(_average(parts, right)).T
    row = column = 0
    for part, one, other in zip(parts, left, right, strict=True):
        if len(part.chance) > 1:  # items of one test set depend on its prevalence
            together = (part.chance[:, None, None] * one @ other.swapaxes(1, 2)).sum(axis=0)
            out[row : row + one.shape[1], column : column + other.shape[1]] = together
        row, column = row + one.shape[1], column + other.shape[1]
    return out


def _add_ranks(parts: list[_Part], rank: np.ndarray) -> None:
    """Add the probability of each rank on a panel, from the generating function of the number of entities above."""
    size, above = sum(int(part.times.sum()) for part in parts), sum(part.above for part in parts)
    if not size:
        return
    # Half of the roots of unity of an odd order, without -1, where a factor could be 0.
    order = size | 1
    z = np.exp(-2j * np.pi * np.arange(order // 2 + 1) / order)
    block = max(MOST // (max(part.cdf.shape[0] * part.cdf.shape[1] for part in parts) * len(z)), 1)
    nodes = range(0, parts[0].cdf.shape[-1], block)
    out = sum(_generating(parts, slice(start, start + block), z) for start in nodes)
    own = np.concatenate([part.active for part in parts])
    rank[own, above : above + size] += np.fft.irfft(out, order, axis=1)[:, :size]


def _generating(parts: list[_Part], some: slice, z: np.ndarray) -> np.ndarray:
    """Return E[z^(active entities above an item)] on some nodes (active item, z): all factors, divided by its own."""
    everyone, others = [], []
    for part in parts:
        cdf, change, times = part.cdf[..., some, None], part.change[..., some, None], part.times
        factor = cdf + (1 - cdf) * z
        powers = factor if (times == 1).all() else factor ** times[:, None, None]
        product = powers.prod(axis=1)
        everyone.append(np.einsum("q,qnz->nz", part.chance, product))
        np.divide(product[:, None], factor, out=factor)
        others.append(np.einsum("q,qinz->inz", part.chance, change * factor))
    rest = [np.prod(everyone[:g] + everyone[g + 1 :], axis=0) for g in range(len(parts))]
    return np.concatenate(
        [(own * other).sum(axis=1) for own, other in zip(others, rest, strict=True)]
    )


def _add_regret(parts: list[_Part], rise: np.ndarray, losses: np.ndarray) -> None:
    """Add E[best] - E[own] on a panel: the integral of the own cdf less that of the best."""
    best = np.full(len(rise), float(not any(part.above for part in parts)))
    for part in parts:
        best = best * (part.chance @ (part.cdf ** part.times[:, None]).prod(axis=1))
    for part, own in zip(parts, _average(parts, [part.cdf for part in parts]), strict=True):
        losses[part.active] += (own - best) @ rise
        losses[part.done] += (1 - best) @ rise
