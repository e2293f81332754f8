r"""Rank sets: the ranks that the data allow each entity, for any true scores.

The draws give mean and standard deviation of the lead of i over j. A pair is separated if its mean lead exceeds c
standard deviations; c is the quantile of a draw's largest standardised error over all pairs that are not yet separated
(stepdown). An entity is surely ahead only if it is so on two scales that fail in different cases: a bounded one is too
confident for few cases in the middle of the range, a stretched one for unequal numbers of cases near an end.

Mogstad, Romano, Shaikh, Wilhelm (2024), Inference for ranks with applications to mobility across neighborhoods and
academic achievement across countries, Review of Economic Studies 91:476-518, with the posterior instead of the
bootstrap; Romano and Wolf (2005), Exact and approximate stepdown methods for multiple hypothesis testing, Journal of
the American Statistical Association 100:94-108.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from bayesrank._draws import product_of
from bayesrank._notes import Note
from bayesrank.ranking._information import Information
from bayesrank.ranking._loops import largest
from bayesrank.ranking.intervals import with_gaps
from bayesrank.ranking.values import ScoreValues
from bayesrank.scores.score import log

#: Share of the error that the best set may spend; the pairs have the rest. In simulations of up to 50 entities the
#: joint error of all ranks is then at most 0.052 ± 0.007 at 0.95, and 0.075 if each spends all of it.
OF_BEST = 0.95
#: Values on which a scale is computed at once: larger intermediate arrays cost more time than their logarithms.
FEW = 2**14
#: A variance of differences below this share of the original variances is rounding error.
ROUNDING = 1e-12


class RankSets(NamedTuple):
    """Which order of the entities is sure, at the joint level of a ranking."""

    above: np.ndarray  #: Whether the entity is surely above the rival (entity, rival).
    not_best: np.ndarray  #: Whether another entity is surely better (entity).
    kind: str  #: "confidence", "posterior" (of a population model), or "none" if nothing can be justified.
    reason: Note | None = None  #: Why nothing can be justified.

    def ranks(self, members: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the best and the worst possible rank of each entity, NaN for entities that are not ``members``."""
        lower, upper = 1 + self.above.sum(axis=0), members.sum() - self.above.sum(axis=1)
        lower = np.where(self.not_best, np.maximum(lower, 2), lower)
        best = members & (lower == 1)
        if best.sum() == 1:  # the only one that could be best is best
            upper = np.where(best, 1, upper)
        return with_gaps(lower, members), with_gaps(upper, members)


def rank_sets(
    x: np.ndarray,
    members: np.ndarray,
    found: ScoreValues,
    prob: float,
    effective_size: float,
    information: Information | None = None,
) -> RankSets:
    """Return which entities are surely above which, and which are surely not best, jointly at ``prob``.

    Draws ``x`` (draw, entity) that are NaN do not count for pairs of this entity. Nothing is sure of entities that are
    not ``members``, nor of any if the effective sample size ``effective_size`` is NaN or below 1 / (1 - prob). Pairs
    need 20 times as many effective draws, as they have a twentieth of the error.
    """
    who = np.flatnonzero(members)
    above, not_best = np.zeros((x.shape[1], x.shape[1]), bool), np.zeros(x.shape[1], bool)
    if information and (reason := information.withheld()) is not None:
        return RankSets(above, not_best, "none", reason)
    error = 1 - prob
    of_pairs = (1 - OF_BEST) * error
    if effective_size * error >= 1 - 1e-9 and len(who) > 1:
        low, high = found.range
        sure, out = np.ones((len(who), len(who)), bool), np.ones(len(who), bool)
        threshold = partial(information.threshold, who) if information else float
        observed = None if information is None or information.observed is None else information.observed[None]
        known = scales(x, low, high, found.finite_mean)
        for first, scale in enumerate(known if found.stretched else known[:1]):
            values = _scale_values(x, who, found.sign, scale)
            # The prior moves few cases further than many. The first scale is finite at the ends of the range.
            seen = None if first or observed is None else _scale_values(observed, who, found.sign, scale)[0]
            ahead, behind, _ = separate(values, 1 - OF_BEST * error, threshold, 1 - of_pairs, seen)
            del values
            sure &= ahead if effective_size * of_pairs >= 1 - 1e-9 else False
            out &= behind
        if not (out | sure.any(axis=0)).all():  # else undefined draws leave a circle of sure pairs: nothing is sure
            above[np.ix_(who, who)], not_best[who] = sure, out
    return RankSets(above, not_best, "posterior" if information and information.population else "confidence")


def _scale_values(x: np.ndarray, who: np.ndarray, sign: int, scale: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Return values (draw, entity) of some entities on a scale where higher is better, in blocks of draws."""
    y, few = np.empty((len(x), len(who))), max(FEW // len(who), 1)
    with np.errstate(over="ignore", invalid="ignore"):  # differences of huge outcomes overflow
        for start in range(0, len(x), few):
            y[start : start + few] = sign * scale(x[start : start + few, who])
    return y


def scales(x: np.ndarray, low: float, high: float, finite_mean: bool) -> list[Callable[[np.ndarray], np.ndarray]]:
    """Return the scales on which a score is measured, as increasing functions of the score.

    These are the values, and their logits or the logarithm of their distance from the one finite end. If the mean may
    be infinite (ratios), the odds transform t / (1 + t) of that distance replaces the values.
    """
    both = np.isfinite(low) and np.isfinite(high)
    slack = 1e-9 * (high - low if both else 1)  # for rounding errors
    least, most = np.fmin.reduce(x, axis=None), np.fmax.reduce(x, axis=None)
    if not (np.isfinite(low) or np.isfinite(high)) or least < low - slack or most > high + slack:
        return [np.asarray]
    if both:
        return [np.asarray, lambda part: log(part - low) - log(high - part)]
    direction, end = (1, low) if np.isfinite(low) else (-1, high)

    def as_odds(part: np.ndarray) -> np.ndarray:
        distance = direction * (part - end)
        return direction * np.where(np.isinf(distance), 1.0, distance / (1 + distance))

    return [np.asarray if finite_mean else as_odds, lambda part: direction * log(direction * (part - end))]


def separate(
    y: np.ndarray,
    prob: float,
    threshold: Callable[[float], Any] = float,
    of_pairs: float | None = None,
    observed: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the pairs (entity, rival) that are decided, the entities that are surely not best, and the critical value.

    The second holds at ``prob``, the first at ``of_pairs`` (by default the same). For ranks, a rejected pair is
    removed; for the best, all pairs of an entity that is surely not best are removed. Values ``y`` (draw, entity) on
    one scale, NaN where undefined, are overwritten. ``threshold`` widens the critical value for each pair. ``observed``
    values (entity), NaN where unknown, must be as far ahead as their means over draws. With fewer draws than
    1 / (1 - prob) nothing is sure, and the critical value is infinite.
    """
    draws, size = y.shape
    none = np.zeros((size, size), bool)
    # The numbers of draws at or beyond the critical value, as if there were one more draw.
    levels = (prob if of_pairs is None else of_pairs, prob)
    for_pairs, for_best = (min(int(np.floor((1 - level) * (draws + 1) + 1e-9)), draws) for level in levels)
    if not for_best:
        return none, np.zeros(size, bool), np.inf
    lead, spread, rows, shift = _leads(y)
    if observed is not None:
        lead = np.fmin(lead, observed[:, None] - observed)
    weight = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0).astype(rows.dtype)
    found = largest(rows, shift, weight)

    def step_down(by_pairs: bool) -> tuple[np.ndarray, float]:
        sure, left, highest, stale = none.copy(), weight.copy(), found.copy(), np.zeros(draws, bool)
        beyond = for_pairs if by_pairs else for_best
        while beyond:
            critical = _critical(rows, shift, left, highest, stale, beyond)
            with np.errstate(invalid="ignore"):  # pairs that never differ have no bound
                more = (lead > threshold(critical) * spread) & ~sure
            if not by_pairs:
                more[:, sure.any(axis=0)] = False  # entities surely not best take part in no more comparisons
                more[sure.any(axis=0)] = False
            if not more.any():
                return sure, critical
            sure |= more
            left[more] = 0
            if not by_pairs:
                out = sure.any(axis=0)
                left[out], left[:, out] = 0, 0
            stale[:] = True
        return sure, np.inf

    ahead, critical = step_down(by_pairs=True)
    behind = np.any(step_down(by_pairs=False)[0], axis=0)
    return ahead, np.asarray(behind), critical


def _critical(
    rows: np.ndarray, shift: np.ndarray, weight: np.ndarray, found: np.ndarray, stale: np.ndarray, beyond: int
) -> float:
    """Return the ``beyond``-largest of the draws' largest leads, updating ``stale`` draws as needed.

    Removing pairs can only lower a draw's largest lead, so a draw is recomputed only while it is near the first: twice
    as many draws as needed, so that few rounds are enough.
    """
    wide = min(2 * beyond, len(found))
    while True:
        order = np.argpartition(found, (-wide, -beyond))
        if not stale[order[-beyond:]].any():
            return float(found[order[-beyond:]].min())
        again = np.sort(order[-wide:][stale[order[-wide:]]])
        found[again], stale[again] = largest(np.ascontiguousarray(rows[:, again]), shift, weight), False


def _leads(y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return mean and standard deviation of the leads (entity, rival), over draws in which both are defined.

    Also return centred values (entity, draw), and their mean lead (entity, rival): 0 where all is defined.
    """
    size = max(np.fmax.reduce(y, axis=None), -np.fmin.reduce(y, axis=None))
    if size > 1e30:  # near the end of single precision; leads do not depend on the unit
        y /= size
    centre = y.sum(axis=0) / len(y)
    whole = not np.isnan(centre).any()
    if not whole:
        defined = ~np.isnan(y)
        centre = y.sum(axis=0, where=defined) / np.maximum(defined.sum(axis=0), 1)
    off = np.subtract(y, centre, out=y)
    rows = np.array(off.T, np.float32, order="C")
    if whole:
        product = product_of(off) / len(y)
        own, shift = np.diag(product)[:, None], np.zeros_like(product)
    else:
        np.nan_to_num(off, copy=False, nan=0.0)
        both = defined.astype(float)
        number = both.T @ both
        number[number == 0] = np.nan
        # Means of an entity over the draws in which its rival is defined too.
        product, own, shift = (part / number for part in (off.T @ off, np.square(off).T @ both, off.T @ both))
        shift -= shift.T.copy()
    lead = centre[:, None] - centre + shift
    lead[np.abs(lead) <= ROUNDING * (np.abs(centre)[:, None] + np.abs(centre))] = 0.0
    variance = own + own.T - 2 * product - shift**2
    variance[variance <= ROUNDING * (own + own.T)] = 0.0
    return lead, np.sqrt(variance), rows, shift.astype(rows.dtype)
