"""Confidence sets for ranks: which ranks the data leave to each entity, whatever the true scores.

Of two entities the draws give the mean :math:`m_{ij}` and the standard deviation :math:`s_{ij}` of how far i is ahead
of j. That i is not ahead of j is one hypothesis for each ordered pair; it is given up where
:math:`m_{ij} > c\\,s_{ij}`, with the critical value c that the largest :math:`(d_{ij} - m_{ij}) / s_{ij}` of a draw,
over all pairs that may still err, exceeds with probability 1 - prob. A hypothesis that was given up errs no more: c is
found again without it, its reverse being kept, until nothing changes (the stepdown).

If none was given up wrongly, every true rank lies between 1 plus the number of those surely ahead and K minus the
number of those surely behind. Standard deviations obey the triangle inequality: who is surely ahead of one who is
surely ahead of a third is surely ahead of that.

Ranks know no scale, but means and standard deviations do. An entity is surely ahead only if it is on two scales, which
err in different corners: on a bounded one (rates), where a few cases in the middle of the range tell too much, and on a
stretched one (their logits), where unequal numbers of cases near an end do. docs/credible_ranking.md has the numbers.

Mogstad, Romano, Shaikh, Wilhelm (2024), Inference for ranks with applications to mobility across neighborhoods and
academic achievement across countries, Review of Economic Studies 91:476-518, with the posterior in place of the
bootstrap; the stepdown is that of Romano and Wolf (2005), Exact and approximate stepdown methods for multiple
hypothesis testing, Journal of the American Statistical Association 100:94-108.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, stdtrit

from bayesrank._draws import BLOCK, product_of
from bayesrank.ranking._information import Information
from bayesrank.ranking._intervals import with_gaps
from bayesrank.ranking._loops import largest
from bayesrank.ranking.values import ScoreValues
from bayesrank.scores.score import log

#: A variance of differences below this share of the variances that it comes from is what rounding left.
ROUNDING = 1e-12
#: Numbers not much beyond it are more than the single precision, in which draws are held, can tell.
HUGE = 1e30


class Sets(NamedTuple):
    """Confidence sets of one ranking; NaN where withheld, and for entities that are not ranked."""

    #: First and last rank that is left to each entity.
    lower: np.ndarray
    upper: np.ndarray
    #: Whether each entity could be the best one: 1 or 0.
    best: np.ndarray
    #: "joint" where sets are given, else why they are withheld.
    reason: str

    def variables(self) -> dict[str, np.ndarray]:
        """Return the variables of a ranking."""
        return {
            "rank_confidence_lower": self.lower,
            "rank_confidence_upper": self.upper,
            "in_best_confidence_set": self.best,
        }


def confidence_sets(
    x: np.ndarray,
    members: np.ndarray,
    found: ScoreValues,
    prob: float,
    worth: float,
    information: Information | None = None,
) -> Sets:
    """Ranks that are left to each entity and who could be best, jointly at ``prob``, from values (draw, entity).

    Parameters
    ----------
    x : ndarray
        NaN where undefined: such a draw says nothing of the pairs of this entity.
    members : ndarray
        Which entities (entity) are ranked, against each other alone; the sets of all others are NaN.
    found : Scored
        What is known of the score: its better end, and its range, which says on which scales it is measured.
    prob : float
        Confidence.
    worth : float
        Independent draws that the draws are worth. With fewer than 1 / (1 - prob), or NaN, nothing is sure.
    information : Information, optional
        Effective counts of the evidence: they withhold the sets, or widen them. Without, the evidence is taken as
        large.
    """
    who = np.flatnonzero(members)
    reason = information.withheld() if information else ""
    if reason:
        none = np.full(x.shape[1], np.nan)
        return Sets(none, none.copy(), none.copy(), reason)
    sure = np.zeros((len(who), len(who)), bool)
    out = np.zeros(len(who), bool)
    if worth * (1 - prob) >= 1 - 1e-9 and len(who) > 1:
        low, high = found.facts()["range"]
        sure[:], out[:] = True, True
        margin = Margin.of(information, who)
        for scale in scales(x, low, high, found.finite_mean):
            ahead, behind, _ = separate(_scaled(x, who, found.sign, scale), prob, margin)  # which frees the values
            sure &= ahead
            out &= behind
    ends = np.zeros((3, x.shape[1]))
    ends[:, who] = 1 + sure.sum(axis=0), len(who) - sure.sum(axis=1), ~out
    first, last, best = (with_gaps(end, members) for end in ends)
    return Sets(first, last, best, "joint")


class Margin(NamedTuple):
    """How much wider than draws of a normal posterior say a comparison has to be (entity, rival)."""

    freedom: np.ndarray | float = np.inf
    factor: np.ndarray | float = 1.0

    @classmethod
    def of(cls, information: Information | None, who: np.ndarray) -> "Margin":
        """Return the margin of some entities; a pair has the larger factor of its two."""
        if information is None:
            return cls()
        freedom, factor = information.freedom, information.inflation
        if isinstance(freedom, np.ndarray):
            freedom = freedom[np.ix_(who, who)]
        if isinstance(factor, np.ndarray):
            factor = np.maximum(factor[who][:, None], factor[who])
        return cls(freedom, factor)

    def threshold(self, critical: float) -> np.ndarray | float:
        """Return the standard deviations that a pair needs, by its t distribution, for the level of a normal one.

        Examples
        --------
        >>> round(float(Margin(5.0, np.sqrt(1.4)).threshold(1.96) / np.sqrt(1.4)), 2)
        2.57
        >>> Margin().threshold(1.96)
        1.96
        """
        if np.isinf(np.min(self.freedom)):
            return critical * self.factor
        freedom = np.asarray(self.freedom, float)
        wide = -stdtrit(np.where(np.isinf(freedom) | (freedom <= 0), 1.0, freedom), ndtr(-critical))
        quantile = np.where(freedom <= 0, np.inf, np.where(np.isinf(freedom), critical, wide))
        return quantile * self.factor


def _scaled(x: np.ndarray, who: np.ndarray, sign: int, scale: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Values (draw, entity) of some entities on a scale, higher is better; a few draws at a time."""
    y, few = np.empty((len(x), len(who))), max(BLOCK // len(who), 1)
    with np.errstate(over="ignore", invalid="ignore"):  # of outcomes near the largest float, whose distance overflows
        for start in range(0, len(x), few):
            y[start : start + few] = sign * scale(x[start : start + few, who])
    return y


def scales(x: np.ndarray, low: float, high: float, finite_mean: bool) -> list[Callable[[np.ndarray], np.ndarray]]:
    """The scales that a score is measured on, as functions that increase with it.

    Between two ends: the values and their logits. Beyond one end: the values and the logarithm of their distance
    from it; where the mean may be infinite (ratios), that distance as odds, t / (1 + t), takes the place of the values.
    Without ends, or with values outside of them: the values alone. Where there is no finite logarithm, NaN.

    Examples
    --------
    >>> x = np.array([0.0, 1.0, 9.0])
    >>> [scale(x).round(2).tolist() for scale in scales(x, 0.0, 10.0, True)]
    [[0.0, 1.0, 9.0], [nan, -2.2, 2.2]]
    >>> [scale(x).round(2).tolist() for scale in scales(x, 0.0, np.inf, False)]
    [[0.0, 0.5, 0.9], [nan, 0.0, 2.2]]
    """
    both = np.isfinite(low) and np.isfinite(high)
    slack = 1e-9 * (high - low if both else 1)  # for rounding
    least, most = np.fmin.reduce(x, axis=None), np.fmax.reduce(x, axis=None)
    if not (np.isfinite(low) or np.isfinite(high)) or least < low - slack or most > high + slack:
        return [np.asarray]
    if both:
        return [np.asarray, lambda part: log(part - low) - log(high - part)]
    direction, end = (1, low) if np.isfinite(low) else (-1, high)

    def distance(part: np.ndarray) -> np.ndarray:
        return direction * (part - end)

    def stretched(part: np.ndarray) -> np.ndarray:
        return direction * log(distance(part))

    def as_odds(part: np.ndarray) -> np.ndarray:
        return direction * distance(part) / (1 + distance(part))

    return [np.asarray if finite_mean else as_odds, stretched]


def separate(y: np.ndarray, prob: float, margin: Margin | None = None) -> tuple[np.ndarray, np.ndarray, float]:
    """Return who is surely ahead of whom (entity, rival), who is surely not best (entity), and the critical value.

    Both hold jointly at ``prob``. The two stepdowns share their first step. For ranks a decided pair leaves in its
    direction; for the best every pair of an entity that is surely not best leaves, so that the critical value is that
    of comparisons among those that could be best.

    Parameters
    ----------
    y : ndarray
        Values (draw, entity) on one scale, of which higher is better; NaN where undefined. Used up: the memory of it
        is taken for what is computed.
    prob : float
        Confidence. With fewer draws than 1 / (1 - prob) nothing is sure, and the critical value infinite.
    margin : Margin, optional
        How much wider comparisons have to be where the evidence is thin.

    Examples
    --------
    >>> y = np.random.default_rng(1).normal([0.0, 0.1, 9.0], 1.0, (4000, 3))
    >>> ahead, behind, _ = separate(y, 0.95)
    >>> ahead.astype(int).tolist(), behind.tolist()
    ([[0, 0, 0], [0, 0, 0], [1, 1, 0]], [True, True, False])
    """
    draws, size = y.shape
    margin = margin or Margin()
    none = np.zeros((size, size), bool)
    # As for one more draw among the others: so many of them may lie at the critical value or beyond.
    beyond = int(np.floor((1 - prob) * (draws + 1) + 1e-9))
    if not beyond:
        return none, np.zeros(size, bool), np.inf
    lead, spread, rows, shift = _leads(y)
    weight = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0).astype(rows.dtype)
    found = np.empty(draws, rows.dtype)
    largest(rows, shift, weight, found)

    def step_down(by_pairs: bool) -> tuple[np.ndarray, float]:
        sure, left, highest, stale = none.copy(), weight.copy(), found.copy(), np.zeros(draws, bool)
        while True:
            critical = _critical(rows, shift, left, highest, stale, beyond)
            with np.errstate(invalid="ignore"):  # no bound, of those that never differ
                more = (lead > margin.threshold(critical) * spread) & ~sure
            if not by_pairs:
                more[:, sure.any(axis=0)] = False  # whoever is out takes part in no more comparisons
                more[sure.any(axis=0)] = False
            if not more.any():
                return sure, critical
            sure |= more
            left[more] = 0
            if not by_pairs:
                out = sure.any(axis=0)
                left[out], left[:, out] = 0, 0
            stale[:] = True

    ahead, critical = step_down(by_pairs=True)
    behind = np.any(step_down(by_pairs=False)[0], axis=0)
    return ahead, np.asarray(behind), critical


def separated_pairs(y: np.ndarray, prob: float) -> tuple[np.ndarray, float]:
    """Return who is surely ahead of whom (entity, rival), and the critical value, as :func:`separate` does.

    Examples
    --------
    >>> y = np.random.default_rng(1).normal([0.0, 0.1, 9.0], 1.0, (4000, 3))
    >>> separated_pairs(y, 0.95)[0].astype(int).tolist()
    [[0, 0, 0], [0, 0, 0], [1, 1, 0]]
    """
    ahead, _, critical = separate(y, prob)
    return ahead, critical


def _critical(
    rows: np.ndarray, shift: np.ndarray, weight: np.ndarray, found: np.ndarray, stale: np.ndarray, beyond: int
) -> float:
    """The ``beyond``-largest of the draws' largest leads, which are of too many pairs in ``stale`` draws.

    With fewer pairs the largest lead of a draw can only fall, so that a draw has to be looked at again only while it
    is among the first.
    """
    beyond = min(max(beyond, 1), len(found))  # of a probability next to 0 or 1 no draw, or all
    while True:
        first = np.argpartition(found, -beyond)[-beyond:]
        again = np.sort(first[stale[first]])
        if not len(again):
            return float(found[first].min())
        part = np.empty(len(again), rows.dtype)
        largest(np.ascontiguousarray(rows[:, again]), shift, weight, part)
        found[again], stale[again] = part, False


def _leads(y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """How far one is ahead (entity, rival): mean and standard deviation of the draws in which both are defined.

    And centred values (entity, draw), with the mean lead by these (entity, rival): 0 where all is defined.
    """
    size = max(np.fmax.reduce(y, axis=None), -np.fmin.reduce(y, axis=None))
    if size > HUGE:  # who is ahead of whom does not depend on the unit
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
        # Means of an entity over the draws in which its rival is defined, too.
        product, own, shift = (part / number for part in (off.T @ off, np.square(off).T @ both, off.T @ both))
        shift -= shift.T.copy()
    lead = centre[:, None] - centre + shift
    lead[np.abs(lead) <= ROUNDING * (np.abs(centre)[:, None] + np.abs(centre))] = 0.0
    variance = own + own.T - 2 * product - shift**2
    variance[variance <= ROUNDING * (own + own.T)] = 0.0
    return lead, np.sqrt(variance), rows, shift.astype(rows.dtype)
