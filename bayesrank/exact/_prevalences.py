"""How many prevalences an average needs, and what fewer of them would give.

A polynomial in the prevalence passes through distribution functions at the nodes of a quadrature. Its values at the
nodes of a smaller one give the result of fewer prevalences for items of one test set, without another board. Their mean
over the prevalence would not change: it is computed again with fewer prevalences, at some places.
"""

from collections.abc import Sequence

import numpy as np
from numpy.polynomial.legendre import legvander
from scipy import special

from bayesrank.exact._grid import Grid
from bayesrank.exact._measures import Group
from bayesrank.exact._plan import Board, Plan
from bayesrank.scores.distributions import Rates, value_at

#: What is typical must differ by less than this share of what results may differ by.
CAUTION = 0.25
#: The distance over which the slope of a distribution function is measured, as a share of the width of an interval.
NEAR = 1e-3


def enough(plan: Plan, pairs: Sequence[tuple[int, int]], wanted: float) -> int | None:
    """Return the position of the first pair of numbers of prevalences whose results are likely to differ by less.

    None if polynomials would make them differ by more than ``wanted``. Typical are distribution functions at the median
    of each item, computed once with many prevalences, and their squares.
    """
    most = plan.build(pairs[-1][1])
    varies, middle = np.isnan(most.rates.atom), _middle(most.rates)
    columns: list[tuple[int, np.ndarray]] = []
    values = np.zeros(len(varies))
    for k, group in enumerate(most.groups):
        several = np.flatnonzero((group.weight > 0).all(axis=0) & varies[group.rows].all(axis=0))
        if len(group.rows) > 1 and len(several):  # no closed forms
            rows = group.rows[:, several]
            place = np.broadcast_to(middle[rows[len(rows) // 2]], rows.shape)
            values[rows] = most.rates.cdf(rows.ravel(), place.ravel()).reshape(rows.shape)
            items = [several] if group.shared else np.split(several, len(several))
            columns += [(k, some) for some in items]
    change = 0.0
    for position, (fewer, more) in enumerate(pairs[:-1]):
        boards = plan.build(fewer), plan.build(more), most
        change = max((_change(plan, boards, k, some, values) for k, some in columns), default=0.0)
        if change < CAUTION * wanted:
            return position
    return len(pairs) - 1 if change < wanted else None


def _change(
    plan: Plan, boards: tuple[Board, Board, Board], k: int, items: np.ndarray, values: np.ndarray
) -> float:
    """Return by how much fewer and more prevalences make items of a group differ, from values at the most."""
    lower, upper, most = boards
    group, item = most.groups[k], int(items[0])
    weight, own = lower.groups[k].weight[:, item], values[group.rows[:, items]]
    changes = []
    if not group.shared or not plan.tables:  # of means
        changes.append(weight @ _mixing(most, lower, k, item) @ own - group.weight[:, item] @ own)
    if group.shared:
        there = _mixing(upper, lower, k, item) @ _mixing(most, upper, k, item) @ own
        changes.append(weight @ there**2 - group.weight[:, item] @ own**2)
    return float(np.abs(changes).max())


def with_fewer(board: Board, other: Board) -> list[Group]:
    """Return the groups of a board, those of one test set at the prevalences of another board."""
    return [
        theirs._replace(rows=own.rows, mixing=_mixing(board, other, k, 0)) if own.shared else own
        for k, (own, theirs) in enumerate(zip(board.groups, other.groups, strict=True))
    ]


def _mixing(board: Board, other: Board, group: int, item: int) -> np.ndarray:
    """Return the weights of values at the prevalences of an item in those at the prevalences of another board."""
    rows, weight = (each[:, item] for each in board.groups[group][:2])
    nodes, there = (of.rates.share[of.groups[group].rows[:, item]] for of in (board, other))
    middle, half = (nodes[0] + nodes[-1]) / 2, (nodes[-1] - nodes[0]) / 2
    here, there = (legvander((each - middle) / half, len(rows) - 1) for each in (nodes, there))
    # Through orthonormal polynomials, since nodes far from the mean have next to no weight.
    root = np.sqrt(weight)
    basis, triangle = np.linalg.qr(root[:, None] * here)
    return there @ np.linalg.solve(triangle, (basis * root[:, None]).T)


def places_with_fewer(
    board: Board, other: Board, grid: Grid, places: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return quantiles (item, level) on another board, and the largest change of each item's distribution there."""
    rates, (low, high), places = other.rates, other.rates.support, places.copy()
    some, changes = np.flatnonzero(np.isnan(rates.atom[other.rows]).all(1)), np.zeros(len(places))
    if not len(some):
        return places, changes
    row, place = np.broadcast_arrays(other.rows[some][..., None], places[some, None])
    inside = np.clip(place, low[row], high[row])
    values = rates.cdf(row.ravel(), inside.ravel()).reshape(row.shape)
    step = NEAR * np.ptp(places[some], axis=1, keepdims=True)
    here, below, above = (
        (board.weight[some, :, None] * grid.cdf(board.rows[some][..., None], at[:, None])).sum(1)
        for at in (places[some], places[some] - step, places[some] + step)
    )
    change = here - (other.weight[some][..., None] * values).sum(axis=1)
    slope = np.divide(above - below, 2 * step, out=np.zeros(change.shape), where=step > 0)
    places[some] += np.divide(change, slope, out=np.zeros(change.shape), where=slope > 0)
    changes[some] = np.abs(change).max(axis=1)
    return places, changes


def _middle(rates: Rates) -> np.ndarray:
    """Return the place of the score at the median of each rate (row)."""
    a, b = np.moveaxis(rates.beta, -1, 0)
    median = special.logit(special.betaincinv(a, b, 0.5))
    tnr, tpr = np.where(np.isnan(rates.fixed), median, rates.fixed).T
    return np.clip(rates.scale.place(value_at(rates.score, tnr, tpr, rates.share)), *rates.support)
