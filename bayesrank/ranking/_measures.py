"""What a board says: ranks, pairs, regret and quantiles of entities whose distributions are known."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bayesrank.ranking._board import Group, NoClosedForm, Panels, lobatto

__all__ = ["Measures", "measure", "quantiles"]

#: Mass that is taken for 0.
NOTHING = 1e-15


class Measures(NamedTuple):
    """Of every distribution (item), for one entity that has it; of pairs, for two entities of one group or of two."""

    rank: np.ndarray  #: Probability of each rank (item, rank).
    before: tuple[np.ndarray, np.ndarray]  #: P(item above another), ties as halves: in one group, and in two.
    superior: tuple[np.ndarray, np.ndarray]  #: P(item above another by more than the ROPE): in one group, and in two.
    regret: np.ndarray  #: Mean shortfall against the best.
    cdf: np.ndarray  #: Of the value, averaged over the prevalences (item, panel, node).
    unresolved: float  #: Probability that two of them are so near to an end of the range that nobody could tell.

    def moved(self, other: "Measures") -> float:
        """The greatest difference of a probability from that of others."""
        pairs = zip(
            (self.rank, *self.before, *self.superior), (other.rank, *other.before, *other.superior), strict=True
        )
        return max(float(np.abs(a - b).max()) for a, b in pairs)


class _Columns(NamedTuple):
    """Cdfs at all nodes (row, node), how much they change there, and how they stand on each panel (row, panel).

    The first and the last node hold what lies below and above all panels.
    """

    cdf: np.ndarray
    change: np.ndarray
    state: np.ndarray


def measure(groups: Sequence[Group], panels: Panels, size: int, rope: float, regret: bool) -> Measures:
    """All of it on nodes of that number a panel."""
    items = np.cumsum([0, *(len(group.times) for group in groups)])
    cdfs = panels.cdfs(groups, size)
    columns = [_columns(group, cdf, panels) for group, cdf in zip(groups, cdfs, strict=True)]
    shifted = cdfs if rope == 0 else panels.cdfs(groups, size, rope)
    beyond = (
        columns if rope == 0 else [_columns(group, cdf, panels) for group, cdf in zip(groups, shifted, strict=True)]
    )
    above, tied = _pairs(groups, columns, columns, 0.0)
    before = above[0] + tied[0] / 2, above[1] + tied[1] / 2
    superior = above if rope == 0 else _pairs(groups, columns, beyond, rope)[0]
    losses = _regret(groups, panels, cdfs, size) if regret and len(panels.edges) else np.zeros(items[-1])
    unresolved = 0.0
    for end in (0, -1):
        beyond_end = sum(
            float(g.copies * (g.share @ c.change[:, end].reshape(len(g.share), -1) @ g.times))
            for g, c in zip(groups, columns, strict=True)
        )
        unresolved += beyond_end**2
    mean = np.concatenate([_mean(g, c) for g, c in zip(groups, cdfs, strict=True)])
    return Measures(_ranks(groups, columns, size), before, superior, losses, mean, min(unresolved, 1.0))


def quantiles(groups: Sequence[Group], panels: Panels, cdf: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """Values at levels of each item's ``cdf``, as measured: (item, level)."""
    if not len(panels.edges):
        atoms = np.concatenate([group.source.atoms[0] for group in groups])
        return np.repeat(atoms[:, None], len(levels), axis=1)
    levels = np.broadcast_to(levels, (len(cdf), len(levels)))
    size = cdf.shape[2]
    ends = np.maximum.accumulate(cdf[..., [0, -1]].reshape(len(cdf), -1), axis=1)
    at = (ends[:, None] < levels[..., None]).sum(axis=2)
    panel = np.minimum(at // 2, len(panels.edges) - 1)
    values = np.take_along_axis(cdf, panel[..., None], axis=1)
    nodes = lobatto(size)[0]
    a, b = np.full(levels.shape, -1.0), np.ones(levels.shape)
    for _ in range(52):
        middle = (a + b) / 2
        less = interpolate(nodes, values, middle) < levels
        a, b = np.where(less, middle, a), np.where(less, b, middle)
    low, high = panels.edges[panel].transpose(2, 0, 1)
    inside = (low + high) / 2 + (high - low) / 2 * b
    # In a jump between two panels, or beyond all of them.
    edge = np.where(at < ends.shape[1], low, high)
    found = panels.scale.of(np.where(at % 2 == 1, inside, edge))
    for value in _atoms(groups):
        place = np.clip(panels.scale.x(value), panels.edges[0, 0], panels.edges[-1, 1])
        found = np.where((at % 2 == 0) & (np.abs(edge - place) < 1e-9), value, found)
    return found


def _mean(group: Group, cdf: np.ndarray) -> np.ndarray:
    """Averaged over the prevalences."""
    return np.tensordot(group.share, cdf, axes=1)


def interpolate(nodes: np.ndarray, values: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The polynomials through values (..., node) at x (...).

    Examples
    --------
    >>> interpolate(np.array([-1.0, 0.0, 1.0]), np.array([1.0, 0.0, 1.0]), np.array(0.5)).item()
    0.25
    """
    gap = nodes[:, None] - nodes
    np.fill_diagonal(gap, 1.0)
    away = x[..., None] - nodes
    here = np.abs(away) < 1e-15
    part = 1 / gap.prod(axis=1) / np.where(here, 1.0, away)
    part = np.where(here.any(axis=-1, keepdims=True), here, part)
    return (part * values).sum(axis=-1) / part.sum(axis=-1)


def _columns(group: Group, cdf: np.ndarray, panels: Panels) -> _Columns:
    atoms = group.source.atoms.ravel()
    jumps = ~np.isnan(atoms)
    number, size = cdf.shape[2:]
    cdf = cdf.reshape(len(jumps), number, size)
    if not number:
        nothing = np.zeros((len(cdf), 2))
        return _Columns(nothing, nothing, np.zeros((len(cdf), 2), np.int8))
    _, weight, slopes = lobatto(size)
    state = np.where(cdf.max(axis=2) <= NOTHING, 0, np.where(cdf.min(axis=2) >= 1 - NOTHING, 1, 2))
    change = cdf @ (weight[:, None] * slopes).T
    change[(state < 2) | jumps[:, None]] = 0.0
    low, high = cdf[:, 0, 0], cdf[:, -1, -1]
    below, above = np.where(jumps | (low <= NOTHING), 0.0, low), np.where(jumps | (high >= 1 - NOTHING), 0.0, 1 - high)
    # One value alone may be the end of the range, below or above all that is so near to it.
    at = panels.scale.x(np.nan_to_num(atoms))
    lowest, highest = jumps & (at <= panels.edges[0, 0]), jumps & (at >= panels.edges[-1, 1])
    return _Columns(
        np.column_stack([below / 2 + lowest, cdf.reshape(len(cdf), -1), 1 - above / 2 - highest]),
        np.column_stack([below, change.reshape(len(cdf), -1), above]),
        np.column_stack(
            [np.where(below > 0, 2, lowest), state, np.where(above > 0, 2, ~highest)],
        ).astype(np.int8),
    )


def _at(group: Group, value: float) -> tuple[np.ndarray, np.ndarray]:
    """Just below a value, the cdfs; and who always has it: (prevalence, item)."""
    atoms = group.source.atoms
    cdf = group.source.cdf(group.source.scale.x(np.array([value])))[..., 0]
    same = np.abs(atoms - value) <= 1e-12 * max(abs(value), 1.0)
    return np.where(np.isnan(atoms), cdf, (atoms < value) & ~same), same


def _atoms(groups: Sequence[Group]) -> np.ndarray:
    found = np.concatenate([group.source.atoms.ravel() for group in groups])
    return np.unique(found[~np.isnan(found)])


def _pairs(
    groups: Sequence[Group], columns: list[_Columns], moved: list[_Columns], rope: float
) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """P(item > another, moved up by the ROPE), and P(equal): each in one group, and in two."""
    items = np.cumsum([0, *(len(group.times) for group in groups)])
    same, same_tied = np.zeros((2, items[-1], items[-1]))
    parts = []
    for g, (group, own, other) in enumerate(zip(groups, columns, moved, strict=True)):
        here = slice(items[g], items[g + 1])
        shape = (len(group.share), len(group.times), -1)
        change, cdf = own.change.reshape(shape), other.cdf.reshape(shape)
        for q, weight in enumerate(group.share):
            same[here, here] += weight * change[q] @ cdf[q].T
        parts.append((_mean(group, change), _mean(group, cdf)))
    change, cdf = (np.concatenate(part) for part in zip(*parts, strict=True))
    two, two_tied = change @ cdf.T, np.zeros_like(same)
    for value in _atoms(groups):
        means = []
        for g, group in enumerate(groups):
            here = slice(items[g], items[g + 1])
            (less, equal), has = _at(group, value - rope), _at(group, value)[1]
            same[here, here] += (group.share[:, None] * has).T @ less
            same_tied[here, here] += (group.share[:, None] * has).T @ equal
            means.append(group.share @ np.stack([has, less, equal]))
        has, less, equal = np.concatenate(means, axis=1)
        two += np.outer(has, less)
        two_tied += np.outer(has, equal)
    return (same, two), (same_tied, two_tied)


def _ranks(groups: Sequence[Group], columns: list[_Columns], size: int) -> np.ndarray:
    """Probability of each rank (item, rank), from its generating function at the roots of unity."""
    from bayesrank.ranking._exact_kernel import fold_products, shared_out

    total = int(sum(group.copies * group.times.sum() for group in groups))
    z = np.concatenate([[0.0], np.exp(-2j * np.pi * np.arange(total // 2 + 1) / total)])
    cdf, change, state = (np.concatenate(part) for part in zip(*columns, strict=True))
    rows = np.cumsum([0, *(len(group.share) * len(group.times) for group in groups)])
    members = np.cumsum([0, *(len(group.times) for group in groups)])
    share = np.concatenate([np.repeat(group.share, len(group.times)) for group in groups])
    times = np.concatenate([group.times for group in groups])
    copies = np.array([group.copies for group in groups])
    panels = state.shape[1] - 2
    panel = np.concatenate([[0], np.repeat(np.arange(1, panels + 1), size), [panels + 1]])
    out = np.zeros((members[-1], len(z)), complex)
    shared_out(fold_products, len(z), cdf, change, state, panel, rows, share, members, times, copies, z, out)
    for value in _atoms(groups):
        out += _of_atom(groups, value, z)
    found = np.fft.irfft(out[:, 1:], total, axis=1)
    found[:, 0] = out[:, 0].real
    return np.clip(found, 0.0, 1.0)


def _of_atom(groups: Sequence[Group], value: float, z: np.ndarray) -> np.ndarray:
    """The part of the generating function (item, z) of those who have just this value, and share its ranks."""
    others, ties, has = [], [], []
    for group in groups:
        below, equal = _at(group, value)
        factor = np.where(equal[..., None], 1.0, below[..., None] + (1 - below[..., None]) * z)
        others.append((factor ** group.times[:, None]).prod(axis=1))
        ties.append(equal @ group.times)
        has.append(equal)
    if len(groups) == 1 and groups[0].copies == 1:
        share = groups[0].share[:, None] * others[0] * np.stack([_spread(int(m), z) for m in ties[0]])
        return has[0].T.astype(float) @ share
    if any(np.ptp(tie) for tie in ties):
        raise NoClosedForm(
            "source must not hold scores that are one value at one prevalence and another at another, where entities "
            f"have several test sets; got one of {value:g} (br.credible_ranking takes draws)"
        )
    everyone = np.prod([(g.share @ o) ** g.copies for g, o in zip(groups, others, strict=True)], axis=0)
    tied = int(sum(group.copies * tie[0] for group, tie in zip(groups, ties, strict=True)))
    return np.concatenate([part[0] for part in has])[:, None] * everyone * _spread(tied, z)


def _spread(tied: int, z: np.ndarray) -> np.ndarray:
    """Generating function of a place among so many tied entities."""
    return sum((z**k for k in range(tied)), np.zeros_like(z)) / max(tied, 1)


def _regret(groups: Sequence[Group], panels: Panels, cdfs: list[np.ndarray], size: int) -> np.ndarray:
    """E[best] - E[own]: the integral of the own cdf less that of the best."""
    best = np.prod(
        [_mean(g, (c ** g.times[:, None, None]).prod(axis=1)) ** g.copies for g, c in zip(groups, cdfs, strict=True)],
        axis=0,
    )
    half = np.diff(panels.edges, axis=1) / 2
    weight = half * lobatto(size)[1] * panels.scale.slope(panels.nodes(size))
    own = np.concatenate([_mean(g, c) for g, c in zip(groups, cdfs, strict=True)])
    return np.maximum(((own - best) * weight).sum(axis=(1, 2)), 0.0)
