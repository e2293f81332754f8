"""Integrals over a board with growing numbers of nodes, until they settle, and a check by another route."""

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from bayesrank.exact._distributions import FAR, Mixtures, OneRate, Rates
from bayesrank.exact._grid import Board, Measures, in_common, measure
from bayesrank.exact._pieces import NOISE, approximate
from bayesrank.exact._plan import Plan
from bayesrank.exact._scales import NoClosedForm

__all__ = ["Answer", "answer"]

#: Nodes of a panel and prevalences, step by step; each step is compared with the one before.
STEPS = ((24, 5), (34, 8), (36, 13), (38, 20))
#: Entities from which on nodes grow with the root of their number: ranks of n entities vary within 1 / √n of a cdf.
CROWD = 100
#: Steps are taken until no probability, and no end of an interval as a share of its width, moves by more.
WANTED = 1e-6
#: What rounding may leave in probabilities.
ROUNDING = 1e-10
#: Errors of probabilities that make an answer useless.
USELESS = 0.01
#: A cdf that differs by more from that of another route is wrong.
WRONG = 1e-5
#: Places beyond which values of a score have lost so many digits that routes may differ.
SEEN = 18.0
#: Prevalences with which the interval of one entity is averaged if those of the board do not settle it.
MORE = (32, 64, 128)
#: An end of an interval is settled if it moves by less, as a share of the width.
SETTLED = 1e-4


class Numbers(NamedTuple):
    """Numbers of all entities; NaN for an entity without a value."""

    ends: np.ndarray  #: Quantiles of the score (entity, level).
    rank: np.ndarray  #: Probability of each rank (entity, rank).
    superior: np.ndarray  #: P(entity > rival by more than the ROPE).
    before: np.ndarray  #: P(entity > rival), ties as halves.
    expected: np.ndarray  #: Expected rank.
    regret: np.ndarray  #: Expected shortfall against the best.


class Answer(NamedTuple):
    """The numbers, those of the step before, and their errors."""

    numbers: Numbers
    before_last: Numbers
    error: Numbers
    unseen: np.ndarray  #: Entities whose interval goes beyond the limits of the scale, which is NaN.
    reason: str  #: Why errors are as large as they are.


class _Step(NamedTuple):
    board: Board
    mixtures: Mixtures
    own: np.ndarray  #: The distributions of each item (item, part).
    weight: np.ndarray
    places: np.ndarray  #: Of the quantiles (item, level).
    measures: Measures


def answer(plan: Plan, levels: np.ndarray, rope: float) -> Answer:
    """Return what the distributions imply about the order of the entities, with errors.

    Raise :class:`NoClosedForm` if probabilities err by more than 0.01, or if another route disagrees.
    """
    if not plan.contents:
        return _nothing(plan, levels)
    sign = 1 if plan.score.higher_is_better else -1
    levels = levels if sign > 0 else 1 - levels
    step = _step(plan, STEPS[0], levels, rope, None)
    numbers = _of_entities(plan, step, sign)
    for sizes in STEPS[1 : None if plan.averaged else 2]:
        last, before = step, numbers
        step = _step(plan, sizes, levels, rope, None if plan.averaged else last)
        numbers = _of_entities(plan, step, sign)
        width = np.ptp(numbers.ends, axis=1, keepdims=True)
        moved = np.abs(numbers.ends - before.ends) / np.where(width > 0, width, np.inf)
        if max(step.measures.moved(last.measures), np.nan_to_num(moved).max()) < WANTED:
            break
    _check(plan, step, levels)
    if (moved > SETTLED).any():
        numbers = numbers._replace(
            ends=_resolve_intervals(plan, numbers.ends, (moved > SETTLED).any(axis=1), levels, sign)
        )
    defined = plan.item >= 0
    # Sorted, so that the order of input does not matter, not even to rounding.
    sums = [numbers.rank[defined].sum(axis=1), np.sort(numbers.rank[:, : defined.sum()], axis=0).sum(axis=0)]
    lost = max(float(np.abs(each - 1).max()) for each in sums)
    rest, unresolved = float(step.board.pieces.rest.max()), step.measures.unresolved
    slack = lost + rest + unresolved + ROUNDING
    moves = Numbers(*(np.abs(one - other) for one, other in zip(numbers, before, strict=True)))
    error = Numbers(*(move + slack for move in moves))
    few_nodes = lost if plan.averaged else max(lost, _worst(moves))
    off, reason = _worst(error), _reason(unresolved, few_nodes, rest, _worst(moves))
    if off > USELESS:
        raise _useless(off, reason)
    unseen = defined & _misses_tail(plan, numbers.ends)
    numbers.ends[unseen] = np.nan
    return Answer(numbers, before, error, unseen, reason)


def _resolve_intervals(plan: Plan, ends: np.ndarray, moving: np.ndarray, levels: np.ndarray, sign: int) -> np.ndarray:
    """Return intervals; those of ``moving`` entities use more prevalences, each entity alone."""
    ends = ends.copy()
    for item in set(plan.item[moving].tolist()):
        alone, before = plan.of_item(item), None
        for number in MORE:
            groups, mixtures, own, weight = alone.build(number)
            board = Board(groups, approximate(mixtures.cdf, *mixtures.support), plan.scale, mixtures.atom)
            found = sign * board.scale.value(_quantiles(board, own, weight, levels)[0])
            if before is not None and np.abs(found - before).max() < SETTLED * np.ptp(found):
                break
            before = found
        else:
            raise NoClosedForm(
                "source must have a prevalence that quadrature averages over; intervals still move with "
                f"{MORE[-1]} prevalences, since the score depends on little else (method='draws' ranks them)"
            )
        ends[plan.item == item] = found
    return ends


def _nothing(plan: Plan, levels: np.ndarray) -> Answer:
    """Return the answer if no entity has a value."""
    size = len(plan.item)
    one, two = np.full(size, np.nan), np.full((size, size), np.nan)
    none = Numbers(np.full((size, len(levels)), np.nan), np.zeros((size, size)), two, two.copy(), one, one.copy())
    return Answer(none, none, none, np.zeros(size, bool), "")


def _step(plan: Plan, sizes: tuple[int, int], levels: np.ndarray, rope: float, last: _Step | None) -> _Step:
    """Return integrals with these numbers of nodes and prevalences, on the board of the last step if it still fits."""
    nodes, prevalences = sizes
    size = math.ceil(nodes * math.sqrt(max(1.0, (plan.item >= 0).sum() / CROWD)))
    if last is not None:
        return last._replace(measures=measure(last.board, size, rope, plan.score.finite_mean))
    groups, mixtures, own, weight = plan.build(prevalences)
    low, high = mixtures.support
    _refuse_unresolved(plan, mixtures, groups, low, high)
    board = Board(
        groups, approximate(mixtures.cdf, low, high, 0.0 if plan.rate >= 0 else NOISE), plan.scale, mixtures.atom
    )
    places = _quantiles(board, own, weight, levels)
    return _Step(board, mixtures, own, weight, places, measure(board, size, rope, plan.score.finite_mean))


def _refuse_unresolved(plan: Plan, mixtures: Mixtures, groups: Any, low: np.ndarray, high: np.ndarray) -> None:
    """Refuse a board early if too much of its probability lies beyond the limits of the scale."""
    rows = np.arange(len(low))
    varies = np.isnan(mixtures.atom)
    for end in (low, high):
        below = mixtures.cdf(rows, end)
        beyond = np.where(varies, below if end is low else 1 - below, 0.0)
        mass, times = zip(*((g.share @ beyond[g.rows], g.copies * g.times) for g in groups), strict=True)
        lost = in_common(np.concatenate(mass), np.concatenate(times))
        if lost > USELESS:
            raise _useless(lost, _reason(lost, 0.0, 0.0, 0.0))


def _quantiles(board: Board, own: np.ndarray, weight: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """Places of the quantiles of each item's own distribution (item, level), by bisection."""
    fixed = ~np.isnan(board.atom[own[:, 0]])
    low = np.repeat(board.pieces.low[own].min(axis=1)[:, None], len(levels), axis=1)
    high = np.repeat(board.pieces.high[own].max(axis=1)[:, None], len(levels), axis=1)
    for _ in range(80):
        middle = (low + high) / 2
        below = (weight[:, None] * board.cdf(own[:, None], middle[..., None])).sum(axis=2) < levels
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    high[fixed] = board.scale.place(board.atom[own[fixed, 0]])[:, None]
    return high


def _of_entities(plan: Plan, step: _Step, sign: int) -> Numbers:
    """Return the numbers of each entity from those of its item; NaN for entities without a value."""
    defined, board, found = plan.item >= 0, step.board, step.measures
    pair, together = defined[:, None] & defined, plan.group[:, None] == plan.group

    def of_pairs(same: np.ndarray, two: np.ndarray, own: float) -> np.ndarray:
        out = np.where(together, same[np.ix_(plan.item, plan.item)], two[np.ix_(plan.item, plan.item)])
        np.fill_diagonal(out, own)
        return np.where(pair, np.clip(out, 0.0, 1.0), np.nan)

    size, ranked = len(defined), int(defined.sum())
    rank = np.zeros((size, size))
    rank[defined, :ranked] = found.rank[plan.item[defined]]
    before = of_pairs(found.before_same, found.before_two, 0.5)
    values, atom = sign * board.scale.value(step.places), sign * board.atom[step.own[:, 0]]
    values = np.where(np.isnan(atom)[:, None], values, atom[:, None])
    # 1 + Σ P(another is before it), less its own 1/2; sorted, so that the order of input does not matter.
    expected = 0.5 + np.nansum(np.sort(before, axis=0), axis=0)
    regret = found.regret[plan.item] if plan.score.finite_mean else np.full(size, np.nan)
    return Numbers(
        np.where(defined[:, None], values[plan.item], np.nan),
        rank,
        of_pairs(found.same, found.two, 0.0),
        before,
        np.where(defined, expected, np.nan),
        np.where(defined, regret, np.nan),
    )


def _worst(error: Numbers) -> float:
    return max(float(np.nanmax(each, initial=0.0)) for each in (error.rank, error.superior))


def _reason(unresolved: float, few_nodes: float, bends: float, moved: float) -> str:
    """Return the cause of the largest error."""
    causes = {
        "a concentration near 0 puts scores so near to an end of their range that they look the same": unresolved,
        "the quadrature has too few nodes for so many entities or such narrow distributions": few_nodes,
        "the score bends too sharply for its distribution function to be approximated": bends,
        "the quadrature has too few prevalences, on which the order of the entities depends": moved,
    }
    return max(causes, key=lambda cause: causes[cause])


def _useless(off: float, reason: str) -> NoClosedForm:
    return NoClosedForm(
        f"source and score must have probabilities that quadrature resolves to {USELESS:g}; got an error of {off:.1g}: "
        f"{reason} (method='draws' ranks them)"
    )


def _misses_tail(plan: Plan, ends: np.ndarray) -> np.ndarray:
    """Return whether an end of a ratio's interval lies beyond the integrated odds, as under a faint prior."""
    if np.isfinite(plan.score.range).all() or plan.rate >= 0:
        return np.zeros(len(ends), bool)
    with np.errstate(divide="ignore", invalid="ignore"):
        far = np.abs(np.log(np.abs(ends)))
    return ((far > FAR - 5) & np.isfinite(far)).any(axis=1)


def _check(plan: Plan, step: _Step, levels: np.ndarray) -> None:
    """Compare cdfs at quantiles with those by another route, which shares neither contours nor pieces.

    The rate that is not integrated over in the first route is integrated over here, and the contour is solved for; a
    Beta variable has its own inverse. Of several prevalences the most probable one is compared.
    """
    board, mixtures, parts = step.board, step.mixtures, step.mixtures.parts
    rows = np.concatenate([group.rows[np.argmax(group.share)] for group in board.groups])
    rows = rows[np.isnan(board.atom[rows]) & (np.diff(mixtures.first)[rows] > 0)]
    place = _quantiles(board, rows[:, None], np.ones((len(rows), 1)), levels).ravel()
    row = np.repeat(rows, len(levels))
    seen = np.abs(place) < SEEN  # Beyond, rates and scores are rounded to an end of their range.
    row, place = row[seen], place[seen]
    if isinstance(parts, OneRate):
        other = special.betainc(*parts.beta[mixtures.first[row]].T, special.expit(place))
    else:
        other = replace(mixtures, parts=_exchange_classes(plan, parts), tables={}).cdf(row, place)
    cut = mixtures.lost()[row]
    off = float((np.abs(board.cdf(row, place) - other) - cut).max(initial=0.0))
    if off > WRONG:
        raise NoClosedForm(
            f"source and score must have a distribution that two routes agree on; they differ by {off:.1g} "
            "(method='draws' ranks them)"
        )


def _exchange_classes(plan: Plan, rates: Rates) -> Rates:
    """Return the same distributions with both classes exchanged, by a score without stated contours."""
    score = plan.score
    turned = replace(
        score,
        name=f"{score.name} of exchanged classes",
        function=lambda tn, fp, fn, tp: score.unclipped(tp, fn, fp, tn),
        importance=None,
        matrix_function=None,
    )
    return Rates(turned, rates.scale, rates.tpr, rates.tnr, 1 - rates.share)
