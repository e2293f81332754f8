"""Integrals over a board with growing numbers of nodes, until they settle, and a check by another route."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy import special

from bayesrank.exact._closed_form import NoClosedForm
from bayesrank.exact._curves import tabulate
from bayesrank.exact._grid import NOISE, Extent, Grid, ends, make_grid
from bayesrank.exact._measures import Group, Measures, in_common, measure
from bayesrank.exact._plan import Board, Plan
from bayesrank.exact._prevalences import enough, places_with_fewer, with_fewer
from bayesrank.scores import betas as _betas
from bayesrank.scores.contour_area import root
from bayesrank.scores.distributions import FAR, Rates

#: Nodes of a panel and prevalences, step by step; each step is compared with the numbers before.
STEPS = ((24, 5), (34, 8), (36, 13), (38, 20))
#: Steps are taken until no probability, and no end of an interval as a share of its width, moves by
#: more.
WANTED = 1e-6
#: What rounding may leave in probabilities.
ROUNDING = 1e-10
#: Errors of probabilities that make an answer useless.
USELESS = 0.01
#: By how much two routes to a distribution function may differ, at how many points at most they are compared, and how
#: many times larger the errors of the second one are.
DIFFERENT, COMPARED, SLACK = 1e-5, 30, 1e3
#: Causes of errors.
AT_ENDS = (
    "a concentration near 0 puts scores so near to an end of their range that they look the same"
)
FEW_NODES = "the quadrature has too few nodes for so many entities, such prevalences or such narrow distributions"
#: Prevalences with which the interval of one entity is averaged if those of the board do not settle
#: it.
MORE = (32, 64, 128)
#: An end of an interval is settled if it moves by less, as a share of the width.
SETTLED = 1e-4


class ExactNumbers(NamedTuple):
    """Numbers of all entities; NaN for an entity without a value."""

    ends: np.ndarray  #: Quantiles of the score (entity, level).
    rank: np.ndarray  #: Probability of each rank (entity, rank).
    superior: np.ndarray  #: P(entity > rival by more than the ROPE).
    before: np.ndarray  #: P(entity > rival), ties as halves.
    expected: np.ndarray  #: Expected rank.
    regret: np.ndarray  #: Expected shortfall against the best.


class Answer(NamedTuple):
    """The numbers and their errors."""

    numbers: ExactNumbers
    error: ExactNumbers
    unseen: (
        np.ndarray
    )  #: Entities whose interval goes beyond the limits of the scale, which is NaN.
    reason: str  #: Why errors are as large as they are.


class _Step(NamedTuple):
    board: Board
    grid: Grid
    places: np.ndarray  #: Of the quantiles (item, level).
    measures: Measures


def answer(
    plan: Plan, levels: np.ndarray, rope: float, wanted: float = WANTED, settled: float = SETTLED
) -> Answer:
    """Return what the distributions imply about the order of the entities, with errors.

    Raise :class:`NoClosedForm` if probabilities err by more than 0.01, or if another route
    disagrees.
    """
    if not plan.contents:  # no entity has a value
        size = len(plan.item)
        by_entity, by_pair = np.full(size, np.nan), np.full((size, size), np.nan)
        none = ExactNumbers(
            np.full((size, len(levels)), np.nan),
            np.zeros((size, size)),
            by_pair,
            by_pair,
            by_entity,
            by_entity,
        )
        return Answer(none, none, np.zeros(size, bool), "")
    sign = 1 if plan.score.higher_is_better else -1
    levels = levels if sign > 0 else 1 - levels
    step, averaging, numbers, before = _settle(plan, levels, rope, wanted)
    _check(plan, step)
    moving = np.any(_moves(numbers, before) > settled, axis=1)
    numbers = numbers._replace(ends=_resolve_intervals(plan, numbers.ends, moving, levels, sign))
    defined = plan.item >= 0
    # Sorted, so that the order of input does not matter, not even to rounding.
    sums = [
        numbers.rank[defined].sum(axis=1),
        np.sort(numbers.rank[:, : defined.sum()], axis=0).sum(axis=0),
    ]
    lost = max(float(np.abs(each - 1).max()) for each in sums)
    unresolved = step.measures.unresolved
    slack = lost + step.grid.rest + unresolved + averaging + ROUNDING
    error = ExactNumbers(
        *(
            np.abs(by_entity - other) + slack
            for by_entity, other in zip(numbers, before, strict=True)
        )
    )
    off = max(float(np.nanmax(each, initial=0.0)) for each in (error.rank, error.superior))
    reason = AT_ENDS if unresolved > off / 2 else FEW_NODES
    if off > USELESS:
        raise _useless(off, reason)
    unseen = np.zeros(len(defined), bool)
    if not np.isfinite(plan.score.range).all() and plan.rate < 0:
        # An end of a ratio's interval lies beyond the integrated odds, as under a faint prior.
        with np.errstate(divide="ignore", invalid="ignore"):
            far = np.abs(np.log(np.abs(numbers.ends)))
        unseen = ((far > FAR - 5) & np.isfinite(far)).any(axis=1)
    numbers.ends[unseen] = np.nan
    return Answer(numbers, error, unseen, reason)


def _settle(
    plan: Plan, levels: np.ndarray, rope: float, wanted: float
) -> tuple[_Step, float, ExactNumbers, ExactNumbers]:
    """Return the first step whose numbers differ from those with fewer nodes by less than ``wanted``, or the last step.

    With it are the error of means over prevalences of test sets of their own, its numbers, and those with fewer nodes.
    """
    sign = 1 if plan.score.higher_is_better else -1
    pairs = list(pairwise(STEPS))
    first: int | None = 0
    if plan.averaged:
        first = enough(plan, [(fewer[1], more[1]) for fewer, more in pairs], wanted)
    # If polynomials in the prevalence do not tell what fewer prevalences give, these are a step of their own.
    last = _step(plan, STEPS[0], levels, rope) if first is None else None
    for fewer, more in pairs[first : None if plan.averaged else 1]:
        step, averaging = _step(plan, more, levels, rope), 0.0
        if first is not None:
            last, averaging = _with_fewer(plan, step, fewer, rope)
        assert last is not None
        numbers, before = (_of_entities(plan, each, sign) for each in (step, last))
        changes = (
            np.abs(a - b).max() for a, b in zip(step.measures[:3], last.measures[:3], strict=True)
        )
        if max(*changes, averaging, np.nan_to_num(_moves(numbers, before)).max()) < wanted:
            break
        last = step
    return step, averaging, numbers, before


def _moves(numbers: ExactNumbers, before: ExactNumbers) -> np.ndarray:
    """Return how far the ends of intervals moved, as a share of the width."""
    width = np.ptp(numbers.ends, axis=1, keepdims=True)
    return np.abs(numbers.ends - before.ends) / np.where(width > 0, width, np.inf)


def _resolve_intervals(
    plan: Plan, ends: np.ndarray, moving: np.ndarray, levels: np.ndarray, sign: int
) -> np.ndarray:
    """Return intervals; those of ``moving`` entities use more prevalences, each entity alone."""
    ends = ends.copy()
    for item in set(plan.item[moving].tolist()):
        alone, before = plan.of_item(item), None
        [(share, rates)] = alone.items
        assert isinstance(share, tuple)
        shares = special.betaincinv(*share, levels)
        beta = np.broadcast_to(np.reshape(rates, (2, 2)), (len(levels), 2, 2))
        certain = Rates(plan.score, plan.scale, beta, shares, plan.rate, {}).atom
        if not np.isnan(certain).any():  # a function of the prevalence alone
            ends[plan.item == item] = sign * np.sort(certain)
            continue
        for number in MORE:
            board = alone.build(number)
            quantiles = sign * plan.scale.value(
                _quantiles(board.rows, board.weight, _grid(plan, board, 0.0), levels)[0]
            )
            if before is not None and np.abs(quantiles - before).max() < SETTLED * np.ptp(
                quantiles
            ):
                break
            before = quantiles
        else:
            raise NoClosedForm(
                "source",
                "must have a prevalence that quadrature averages over; intervals still move with "
                f"{MORE[-1]} prevalences, since the score depends on little else (method='draws' ranks them)",
            )
        ends[plan.item == item] = quantiles
    return ends


def _step(plan: Plan, sizes: tuple[int, int], levels: np.ndarray, rope: float) -> _Step:
    """Return integrals with these numbers of nodes and prevalences."""
    board = plan.build(sizes[1])
    grid = _grid(plan, board, rope)
    places = _quantiles(board.rows, board.weight, grid, levels)
    return _Step(board, grid, places, _measure(plan, board.groups, grid, sizes[0], rope))


def _with_fewer(
    plan: Plan, step: _Step, sizes: tuple[int, int], rope: float
) -> tuple[_Step, float]:
    """Return integrals with fewer nodes and prevalences, and what these change between test sets of one item."""
    nodes, prevalences = sizes
    board, groups, places, change = step.board, step.board.groups, step.places, 0.0
    if plan.averaged:
        other = plan.build(prevalences)
        groups = with_fewer(board, other)
        places, changes = places_with_fewer(board, other, step.grid, places)
        alone = np.concatenate([np.full(len(group.times), not group.shared) for group in groups])
        change = 2 * float(changes[alone].max(initial=0.0))
    measures = _measure(plan, groups, step.grid, nodes, rope)
    return step._replace(places=places, measures=measures), change


def _measure(plan: Plan, groups: Sequence[Group], grid: Grid, nodes: int, rope: float) -> Measures:
    # Ranks of n entities vary within 1 / √n of a cdf.
    size = math.ceil(nodes * math.sqrt(max(1.0, (plan.item >= 0).sum() / 100)))
    return measure(groups, grid, plan.scale, size, rope, plan.score.finite_mean)


def _grid(plan: Plan, board: Board, rope: float) -> Grid:
    """Return the grid of a board; with a ROPE further rows have values that are higher by it.

    Refuse a board if too much of its probability lies beyond the limits of the scale.
    """
    scale, (cdf, extent, rest) = plan.scale, tabulate(board.rates)
    low, high, first, last, atom = extent
    size, varies = len(atom), np.isnan(atom)
    for beyond in (first, 1 - last):
        mass = [group.chance @ group.given(beyond) for group in board.groups]
        lost = in_common(mass, [group.times for group in board.groups])
        if lost > USELESS:
            raise _useless(lost, AT_ENDS)
    noise = 0.0 if plan.rate >= 0 else NOISE
    if not rope:
        grid = make_grid(cdf, extent, noise)
        return replace(grid, rest=grid.rest + rest)

    def moved(row: np.ndarray, place: np.ndarray) -> np.ndarray:
        own = np.where(row < size, place, scale.place(scale.value(place) - rope))
        return cdf(row % size, own)

    least, most = low[varies].min(initial=np.inf), high[varies].max(initial=-np.inf)
    low, high = (
        np.concatenate([end, np.where(varies, np.clip(there, least, most), there)])
        for end, there in ((end, scale.place(scale.value(end) + rope)) for end in (low, high))
    )
    masses = ends(moved, low, high, np.tile(varies, 2))
    grid = make_grid(moved, Extent(low, high, *masses, np.concatenate([atom, atom + rope])), noise)
    return replace(grid, rest=grid.rest + rest)


def _quantiles(rows: np.ndarray, weight: np.ndarray, grid: Grid, levels: np.ndarray) -> np.ndarray:
    """Return places of the quantiles of mixtures of ``rows`` (mixture, part): (mixture, level)."""
    shape = len(rows), len(levels)
    low, high, wanted = (
        np.broadcast_to(each, shape).ravel()
        for each in (grid.low[rows].min(1)[:, None], grid.high[rows].max(1)[:, None], levels)
    )
    item = np.repeat(np.arange(len(rows)), len(levels))

    def gap(place: np.ndarray, i: np.ndarray) -> np.ndarray:
        of = item[i]
        return (weight[of] * grid.cdf(rows[of], place[:, None])).sum(axis=1) - wanted[i]

    out = np.where(gap(low, np.arange(low.size)) < 0, high, low)
    some = np.flatnonzero(np.isfinite(low) & np.isfinite(high) & (low < high))
    out[some] = root(lambda place, i: gap(place, some[i]), low[some], high[some])
    return out.reshape(shape)


def _of_entities(plan: Plan, step: _Step, sign: int) -> ExactNumbers:
    """Return the numbers of each entity from those of its item; NaN for entities without a value."""
    defined, measures, item = plan.item >= 0, step.measures, plan.item
    rival = np.where(plan.group[:, None] == plan.group, item, plan.second)

    def of_pairs(table: np.ndarray, own: float) -> np.ndarray:
        out = np.clip(table[item[:, None], rival], 0.0, 1.0)
        np.fill_diagonal(out, own)
        return np.where(defined[:, None] & defined, out, np.nan)

    size, ranked = len(defined), int(defined.sum())
    rank = np.where(
        defined[:, None], np.pad(measures.rank, ((0, 0), (0, size - ranked)))[item], 0.0
    )
    before = of_pairs(measures.before, 0.5)
    values, atom = (
        sign * plan.scale.value(step.places),
        sign * step.board.rates.atom[step.board.rows],
    )
    certain = ~np.isnan(atom[:, :1]) & (atom == atom[:, :1]).all(axis=1, keepdims=True)
    ends = np.where(certain, atom[:, :1], values)[item]
    # 1 + Σ P(another is before it), less its own 1/2; sorted, so that the order of input does not
    # matter.
    expected = 0.5 + np.nansum(np.sort(before, axis=0), axis=0)
    regret = np.where(defined & plan.score.finite_mean, measures.regret[item], np.nan)
    ends, expected = np.where(defined[:, None], ends, np.nan), np.where(defined, expected, np.nan)
    return ExactNumbers(ends, rank, of_pairs(measures.superior, 0.0), before, expected, regret)


def _useless(off: float, reason: str) -> NoClosedForm:
    return NoClosedForm(
        "source and score",
        f"must have probabilities that quadrature resolves to {USELESS:g}",
        f"an error of {off:.1g}: {reason}",
        "method='draws' ranks them",
    )


def _check(plan: Plan, step: _Step) -> None:
    """Compare cdfs at some quantiles with those by another route, which shares neither contours nor polynomials.

    The rate that is not integrated over in the first route is integrated over here, and the contour
    is solved for; a Beta variable has its own inverse. Of several prevalences the most probable one
    is compared.
    """
    grid, rates = step.grid, step.board.rates
    rows = np.concatenate(
        [
            np.take_along_axis(group.rows, group.weight.argmax(axis=0)[None], axis=0)[0]
            for group in step.board.groups
        ]
    )
    item = np.flatnonzero(np.isnan(rates.atom[rows]) & ~np.isin(rows, list(rates.tables)))
    row, position = np.repeat(rows[item], step.places.shape[1]), step.places[item].ravel()
    # Beyond, rates and scores are rounded to an end of their range.
    some = np.flatnonzero(np.abs(position) < 18)[:: 1 + len(row) // COMPARED]
    row, position = row[some], position[some]
    free = np.isnan(rates.fixed[row])
    if plan.rate >= 0:
        direct = special.betainc(*rates.beta[row, plan.rate].T, special.expit(position))
        cut = np.zeros(len(row))
    else:
        turned = replace(
            rates.score,
            name=f"{rates.score.name} of exchanged classes",
            function=lambda tn, fp, fn, tp: rates.score.unclipped(tp, fn, fp, tn),
            importance=None,
            matrix_function=None,
        )
        exchanged = replace(
            rates,
            score=turned,
            beta=rates.beta[:, ::-1],
            share=1 - rates.share,
            slack=SLACK,
        )
        direct = exchanged.cdf(row, position)
        # The probability of rates outside the integrated log odds may be missing.
        a, b = np.where(free[..., None], rates.beta[row], 1.0).swapaxes(0, 2)
        cut = (_betas.cdf(a, b, -FAR) + 1 - _betas.cdf(a, b, FAR)).sum(axis=0)
    off = float((np.abs(grid.cdf(row, position) - direct) - cut).max(initial=0.0))
    if off > DIFFERENT:
        raise NoClosedForm(
            "source and score",
            f"must have a distribution that two routes agree on; they differ by {off:.1g} (method='draws' ranks them)",
        )
