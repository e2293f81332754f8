"""One grid for a board: panels short enough for every distribution on them, and the integrals over all panels.

Panels come from the pieces of the distributions, so that a narrow one is as well resolved as a wide one. On Gauss and
Lobatto's nodes the rule for ∫ F dG satisfies integration by parts, so that P(a > b) + P(b > a) is 1 to the last digits.
On a panel only the distributions that vary there take part; the others are 0 or 1.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from bayesrank.exact._pieces import Pieces
from bayesrank.exact._scales import NoClosedForm, Scale

__all__ = ["Board", "Group", "Measures", "measure"]

#: Probability that is 0.
NOTHING = 1e-13
#: Complex numbers that are held at a time: 32 MB.
MOST = 2_000_000


class Group(NamedTuple):
    """Items that are independent given each of some prevalences."""

    rows: np.ndarray  #: The distribution of each item given each prevalence (prevalence, item).
    share: np.ndarray  #: Probabilities of the prevalences.
    times: np.ndarray  #: How many entities have each item.
    copies: int  #: How many such groups there are, independent of each other.


@dataclass(frozen=True)
class Board:
    """All distributions (rows) and the groups of entities that have them."""

    groups: Sequence[Group]
    pieces: Pieces
    scale: Scale
    #: The one value of a row that does not vary, else NaN.
    atom: np.ndarray

    @property
    def items(self) -> np.ndarray:
        """Return where the items of each group begin, and the number of items."""
        return np.cumsum([0, *(len(group.times) for group in self.groups)])

    def ends(self, rope: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """Places between which each row varies, moved up by the ROPE; infinite if the row's own end leaves some out."""
        pieces, row = self.pieces, np.arange(len(self.atom))
        low = np.where(pieces(row, pieces.low) > NOTHING, -np.inf, pieces.low)
        high = np.where(pieces(row, pieces.high) < 1 - NOTHING, np.inf, pieces.high)
        fixed = ~np.isnan(self.atom)
        low[fixed] = high[fixed] = self.scale.place(self.atom[fixed])
        return self.moved(low, rope), self.moved(high, rope)

    def moved(self, place: np.ndarray, rope: float) -> np.ndarray:
        """Places of values that are higher by the ROPE."""
        return self.scale.place(self.scale.value(place) + rope) if rope else place

    def cdf(self, row: np.ndarray, x: np.ndarray, rope: float = 0.0) -> np.ndarray:
        """Return P(value + ROPE <= that of x) of rows that vary, elementwise."""
        x = self.moved(x, -rope)
        found = self.pieces(row, x)
        below = (x < self.pieces.low[row]) & ((found < NOTHING) | np.isneginf(x))
        above = (x > self.pieces.high[row]) & ((found > 1 - NOTHING) | np.isposinf(x))
        return np.where(below, 0.0, np.where(above, 1.0, found))


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


@lru_cache(maxsize=8)
def lobatto(size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return Gauss and Lobatto's nodes on [-1, 1], and the matrices of slopes and of slopes times weights."""
    last = np.polynomial.legendre.Legendre.basis(size - 1)
    inner = last.deriv().roots().real
    x = np.concatenate([[-1.0], (inner - inner[::-1]) / 2, [1.0]])
    gap = x[:, None] - x
    np.fill_diagonal(gap, 1.0)
    part = 1 / gap.prod(axis=1)
    slopes = part / part[:, None] / gap  # Berrut and Trefethen 2004
    np.fill_diagonal(slopes, 0.0)
    np.fill_diagonal(slopes, -slopes.sum(axis=1))
    return x, slopes, slopes * (2 / (size * (size - 1) * last(x) ** 2))[:, None]


def in_common(mass: np.ndarray, times: np.ndarray) -> float:
    """Return the expected number of pairs of entities that are both somewhere, at most 1."""
    return float(np.clip(((mass @ times) ** 2 - mass**2 @ times) / 2, 0.0, 1.0))


def measure(board: Board, size: int, rope: float, regret: bool) -> Measures:
    """Return all integrals with ``size`` nodes on each panel."""
    number, total = board.items[-1], int(sum(group.copies * group.times.sum() for group in board.groups))
    rank, losses, unresolved = np.zeros((number, total)), np.zeros(number), 0.0
    plain, ties, beyond = np.zeros((3, 2, number, number))
    for panel in _panels(board, size, 0.0, 0.0):
        _add_pairs(board, panel, panel, plain)
        _add_ranks(board, panel, rank)
        if regret:
            _add_regret(board, panel, losses)
        if not np.isfinite(panel.right - panel.left):
            mass = [
                group.share @ part.change.sum(axis=2) for group, part in zip(board.groups, panel.parts, strict=True)
            ]
            times = [g.copies * g.times[p.active] for g, p in zip(board.groups, panel.parts, strict=True)]
            unresolved += in_common(np.concatenate(mass), np.concatenate(times))
    _add_atoms(board, rank, plain, ties, 0.0)
    before = plain + ties / 2
    if rope:
        for panel, other in zip(_panels(board, size, rope, 0.0), _panels(board, size, rope, rope), strict=True):
            _add_pairs(board, panel, other, beyond)
        _add_atoms(board, None, beyond, ties, rope)
    superior = beyond if rope else plain
    (same, two), (before_same, before_two) = superior, before
    return Measures(
        np.clip(rank, 0, 1), same, two, before_same, before_two, np.maximum(losses, 0.0), min(unresolved, 1.0)
    )


class _Part(NamedTuple):
    """What a group does on a panel."""

    active: np.ndarray  #: Items that vary there.
    done: np.ndarray  #: Items whose values all lie below.
    above: int  #: Entities whose values all lie above.
    cdf: np.ndarray  #: Of the active items (prevalence, item, node).
    change: np.ndarray  #: By how much their cdfs rise at each node.


class _Panel(NamedTuple):
    left: float
    right: float
    value: np.ndarray  #: At each node.
    parts: list[_Part]


def _panels(board: Board, size: int, rope: float, move: float) -> Iterator[_Panel]:
    """Yield all panels; ``rope`` makes them fit distributions that are moved up by it, ``move`` moves them."""
    nodes, _, changes = lobatto(size)
    low, high = board.ends(move)
    fixed = ~np.isnan(board.atom)
    spans = [(low[group.rows].min(axis=0), high[group.rows].max(axis=0)) for group in board.groups]
    for left, right in _edges(board, rope):
        within = np.isfinite(right - left)
        x = (left + right) / 2 + (right - left) / 2 * nodes if within else np.where(nodes < 1, left, right)
        parts = []
        for group, (starts, stops) in zip(board.groups, spans, strict=True):
            active = np.flatnonzero((starts < right) & (stops > left))
            rows = group.rows[:, active]
            if within:
                cdf = board.cdf(rows[..., None], x, move)
            else:  # Values beyond the limits of the scale cannot be resolved: their probability is spread evenly.
                ends = (board.cdf(rows, np.full(rows.shape, end), move)[..., None] for end in (left, right))
                first, last = ends
                cdf = first + (last - first) * (nodes + 1) / 2
            certain = fixed[rows][..., None]
            cdf = np.where(certain, (low[rows] <= left)[..., None], cdf)
            change = np.where(certain, 0.0, cdf @ changes.T)
            above = int(group.copies * group.times[starts >= right].sum())
            parts.append(_Part(active, np.flatnonzero((stops <= left) & (starts < right)), above, cdf, change))
        yield _Panel(left, right, board.scale.value(x), parts)


def _edges(board: Board, rope: float) -> Iterator[tuple[float, float]]:
    """Yield ends of panels, none longer than a piece of a distribution that varies there, none across a point mass."""
    moves = (0.0, rope) if rope else (0.0,)
    varies = np.isnan(board.atom)
    row = np.floor(board.pieces.edges[:, 0]).astype(int)
    pieces = [end[varies[row]] for end in board.pieces.ends()]
    starts, stops = (np.concatenate([board.moved(end, move) for move in moves]) for end in pieces)
    ends = np.concatenate([np.concatenate(board.ends(move)) for move in moves])
    known = np.isfinite(starts) & np.isfinite(stops) & (stops > starts)
    starts, stops = starts[known], stops[known]
    length = stops - starts
    cuts = np.unique(np.concatenate([ends[~np.tile(varies, 2 * len(moves))], ends[np.isinf(ends)]]))
    points = np.concatenate([starts, stops, cuts])
    x, last = (points.min(), points.max()) if len(points) else (0.0, 0.0)
    while x < last:
        later = stops > x + 1e-9 * length
        s, here = starts[later], starts[later] <= x
        next_ = np.maximum(s, x) + length[later] if here.any() else s
        right = min(next_.min(initial=last), cuts[cuts > x].min(initial=last))
        yield float(x), float(right)
        x = right


def _mean(group: Group, values: np.ndarray) -> np.ndarray:
    """Return values averaged over the prevalences."""
    return np.tensordot(group.share, values, axes=1)


def _add_pairs(board: Board, panel: _Panel, other: _Panel, out: np.ndarray) -> None:
    """Add P(item > another) on a panel to ``out`` (in one group or in two, item, item)."""
    items = board.items
    own = np.concatenate([part.active + start for part, start in zip(panel.parts, items[:-1], strict=True)])
    rivals = np.concatenate([part.active + start for part, start in zip(other.parts, items[:-1], strict=True)])
    below = np.concatenate([part.done + start for part, start in zip(other.parts, items[:-1], strict=True)])
    if not len(own):
        return
    pairs = list(zip(board.groups, panel.parts, strict=True))
    change = np.concatenate([_mean(group, part.change) for group, part in pairs])
    cdf = np.concatenate([_mean(group, part.cdf) for group, part in zip(board.groups, other.parts, strict=True)])
    two, risen = change @ cdf.T, change.sum(axis=1)
    for table in out:
        table[np.ix_(own, below)] += risen[:, None]
    out[1][np.ix_(own, rivals)] += two
    for (group, part), rest, start in zip(pairs, other.parts, items[:-1], strict=True):
        here = np.ix_(part.active + start, rest.active + start)
        out[0][here] += np.einsum("q,qin,qjn->ij", group.share, part.change, rest.cdf, optimize=True)


def _roots(size: int) -> np.ndarray:
    """Return half of the roots of unity of an odd order, without -1, where a factor could be 0."""
    order = size | 1
    return np.exp(-2j * np.pi * np.arange(order // 2 + 1) / order)


def _add_ranks(board: Board, panel: _Panel, rank: np.ndarray) -> None:
    """Add the probability of each rank on a panel, from the generating function of the number of entities above."""
    counts = [group.copies * group.times[part.active] for group, part in zip(board.groups, panel.parts, strict=True)]
    size, above = int(sum(count.sum() for count in counts)), sum(part.above for part in panel.parts)
    if not size:
        return
    z = _roots(size)
    widest = max(part.cdf.shape[0] * part.cdf.shape[1] for part in panel.parts)
    few, nodes = max(MOST // (widest * len(z)), 1), len(panel.value)
    out = sum(_generating(board, panel, slice(start, start + few), z) for start in range(0, nodes, few))
    found = np.fft.irfft(out, size | 1, axis=1)[:, :size]
    active = np.concatenate([part.active + start for part, start in zip(panel.parts, board.items[:-1], strict=True)])
    rank[active, above : above + size] += found


def _generating(board: Board, panel: _Panel, some: slice, z: np.ndarray) -> np.ndarray:
    """Return E[z^(active entities above an item)] on some nodes (active item, z): all factors, divided by its own."""
    everyone, others = [], []
    for group, part in zip(board.groups, panel.parts, strict=True):
        cdf, change, times = part.cdf[..., some, None], part.change[..., some, None], group.times[part.active]
        factor = cdf + (1 - cdf) * z
        powers = factor if (times == 1).all() else factor ** times[:, None, None]
        product = powers.prod(axis=1)
        everyone.append(_mean(group, product))
        np.divide(product[:, None], factor, out=factor)
        others.append(np.einsum("q,qinz->inz", group.share, change * factor))
    found = []
    for g, group in enumerate(board.groups):
        rest = everyone[g] ** (group.copies - 1)
        for h, other in enumerate(board.groups):
            if h != g:
                rest = rest * everyone[h] ** other.copies
        found.append((others[g] * rest).sum(axis=1))
    return np.concatenate(found)


def _add_regret(board: Board, panel: _Panel, losses: np.ndarray) -> None:
    """Add E[best] - E[own] on a panel: the integral of the own cdf less that of the best."""
    if not np.isfinite(panel.value).all():
        return
    rise = lobatto(len(panel.value))[2] @ panel.value
    best = np.full(len(rise), float(not any(part.above for part in panel.parts)))
    for group, part in zip(board.groups, panel.parts, strict=True):
        best = best * _mean(group, (part.cdf ** group.times[part.active][:, None]).prod(axis=1)) ** group.copies
    for group, part, start in zip(board.groups, panel.parts, board.items[:-1], strict=True):
        losses[part.active + start] += (_mean(group, part.cdf) - best) @ rise
        losses[part.done + start] += (1 - best) @ rise


def _add_atoms(board: Board, rank: np.ndarray | None, above: np.ndarray, ties: np.ndarray, rope: float) -> None:
    """Add what happens at values that some items have for sure: ties share their ranks."""
    fixed = ~np.isnan(board.atom)
    total = int(sum(group.copies * group.times.sum() for group in board.groups))
    z = _roots(total)
    for value in np.unique(board.atom[fixed]):
        has, less, equal = [], [], []
        for group in board.groups:
            atom = board.atom[group.rows]
            place = board.scale.place(np.array(value - rope))
            cdf = board.cdf(group.rows, np.full(group.rows.shape, place))
            slack = 1e-12 * max(abs(value), 1.0)
            has.append(atom == value)
            equal.append(np.abs(atom - (value - rope)) <= slack)
            less.append(np.where(np.isnan(atom), cdf, (atom < value - rope) & ~equal[-1]))
        for table, parts in ((above, less), (ties, equal)):
            means = [_mean(group, part) for group, part in zip(board.groups, parts, strict=True)]
            table[1] += np.outer(np.concatenate([_mean(g, h) for g, h in zip(board.groups, has, strict=True)]),
                                 np.concatenate(means))  # fmt: skip
            for group, own, part, start in zip(board.groups, has, parts, board.items[:-1], strict=True):
                here = slice(start, start + len(group.times))
                table[0][here, here] += (group.share[:, None] * own).T @ part
        if rank is not None:
            order = total | 1
            rank += np.fft.irfft(_generating_at(board, has, less, equal, z), order, axis=1)[:, :total]


def _generating_at(
    board: Board, has: list[np.ndarray], less: list[np.ndarray], equal: list[np.ndarray], z: np.ndarray
) -> np.ndarray:
    """Return the generating function (item, z) of the ranks of items with a point mass."""
    products, tied = [], []
    for group, below, same in zip(board.groups, less, equal, strict=True):
        factor = np.where(same[..., None], 1.0, below[..., None] + (1 - below[..., None]) * z)
        products.append((factor ** group.times[:, None]).prod(axis=1))
        tied.append(same @ group.times)
    alone = len(board.groups) == 1 and board.groups[0].copies == 1
    if not alone and any(np.ptp(number) for number in tied):
        raise NoClosedForm(
            "source must not hold scores that are certain given the prevalence but differ between prevalences, where "
            "entities have several test sets (method='draws' ranks them)"
        )
    if alone:
        group = board.groups[0]
        each = group.share[:, None] * products[0] * np.stack([_tie_polynomial(int(number), z) for number in tied[0]])
        return has[0].T.astype(float) @ each
    everyone = np.prod(
        [_mean(group, product) ** group.copies for group, product in zip(board.groups, products, strict=True)], axis=0
    )
    number = int(sum(group.copies * each[0] for group, each in zip(board.groups, tied, strict=True)))
    return np.concatenate([own[0] for own in has])[:, None] * everyone * _tie_polynomial(number, z)


def _tie_polynomial(number: int, z: np.ndarray) -> np.ndarray:
    """Return the generating function of a place among this number of tied entities."""
    return sum((z**k for k in range(number)), np.zeros_like(z)) / max(number, 1)
