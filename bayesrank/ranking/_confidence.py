r"""Rank sets: what the data say of the order of the entities, for any true scores.

The draws give mean and spread of the lead of i over j. Two promises follow, each with an error of
its own:

- *Who could be best?* An entity that beats every rival at the two-sided level is best, without a
  correction for the number of rivals: to be named wrongly it must beat an entity that is at least
  as good (Hung and Fithian 2019). Without such a winner, an entity that another one beats by more
  than the critical value of all pairs is ruled out, and its pairs no longer count (stepdown).
- *Where does each entity stand?* Entity i is surely above j if its lead exceeds the critical value
  of all pairs that are not yet separated (stepdown). This relation is right for all pairs at once.

A lead must be large enough on two scales that fail in different cases: a bounded one is too
confident for few cases in the middle of the range, a stretched one for unequal numbers of cases
near an end. On the stretched scale, the spread of a lead is that of its lower tail, the root mean
square of the draws below the mean: whether i beats j does not depend on how much better than today
i might be.

Logits stretch the ends so much that their lower tails are far lighter than normal ones: at the
critical values of many pairs, an entity without an error would be above none. There, leads are
measured by fourth roots, and in logits they need exceed ``MILD`` only. Fourth roots alone are too
confident below it.

Hung and Fithian (2019), Rank verification for exponential families, Annals of Statistics
47:758-782; Mogstad, Romano, Shaikh, Wilhelm (2024), Inference for ranks with applications to
mobility across neighborhoods and academic achievement across countries, Review of Economic Studies
91:476-518, with the posterior instead of the bootstrap; Romano and Wolf (2005), Exact and
approximate stepdown methods for multiple hypothesis testing, Journal of the American Statistical
Association 100:94-108.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from bayesrank._core.draws import product_of
from bayesrank._core.notes import Note
from bayesrank.claims.effective import Information
from bayesrank.ranking._loops import largest, largest_of_each, lower_spreads, lower_spreads_of
from bayesrank.ranking.intervals import with_gaps
from bayesrank.ranking.values import ScoreValues
from bayesrank.scores.score import log

#: Values on which a scale is computed at once: larger intermediate arrays cost more time than their
#: logarithms.
FEW = 2**14
#: Critical value beyond which logits are too timid. Bonferroni's normal value of up to six entities
#: is smaller.
MILD = 3.0
#: A variance of differences below this share of the original variances is rounding error.
ROUNDING = 1e-12


class RankSets(NamedTuple):
    """What is sure of the order of the entities."""

    above: (
        np.ndarray
    )  #: Whether the entity is surely above the rival (entity, rival), right for all pairs at once.
    not_best: np.ndarray  #: Whether another entity is surely better (entity), by a test of its own.
    kind: str  #: "confidence", "posterior" (of a population model), or "none" if nothing can be justified.
    reason: Note | None = None  #: Why nothing can be justified.
    #: The entities that are surely above and below each one, if this one was named beforehand
    #: (entity, rival).
    alone: tuple[np.ndarray, np.ndarray] | None = None
    narrowed: bool = False  #: Whether more would be sure without the alternatives.

    def ranks(self, members: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the best and the worst possible rank of each entity, NaN for entities that are not ``members``.

        The best one is 1 for each entity that could be best, and at least 2 for each other one. The
        only entity that could be best has rank 1.
        """
        best = members & ~self.not_best
        lower, upper = 1 + self.above.sum(axis=0), members.sum() - self.above.sum(axis=1)
        lower = np.where(best, 1, np.maximum(lower, 2))
        upper = np.where(best & (best.sum() == 1), 1, upper)
        return with_gaps(lower, members), with_gaps(upper, members)

    def ranks_alone(self, members: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the best and the worst possible rank of an entity that was named beforehand, as ``ranks``."""
        above, below = self.alone or (np.zeros_like(self.above),) * 2
        return with_gaps(1 + above.sum(axis=1), members), with_gaps(
            members.sum() - below.sum(axis=1), members
        )


class Decided(NamedTuple):
    """What is decided on one scale, or on several."""

    above: np.ndarray  #: Pairs (entity, rival), right for all at once.
    behind: np.ndarray  #: Entities that are ruled out as best by the stepdown.
    wins: np.ndarray  #: Entities that beat every rival, each at the two-sided level.
    alone_above: (
        np.ndarray
    )  #: Rivals above the entity (entity, rival), right for all rivals of one entity.
    alone_below: np.ndarray
    critical: float = np.inf  #: The critical value of the pairs that are not decided.

    def __and__(self, other: "Decided") -> "Decided":
        """Return what is decided on both scales."""
        return Decided(
            self.above & other.above,
            self.behind & other.behind,
            self.wins & other.wins,
            self.alone_above & other.alone_above,
            self.alone_below & other.alone_below,
            max(self.critical, other.critical),
        )

    @classmethod
    def nothing(cls, size: int) -> "Decided":
        pairs, entities = np.zeros((size, size), bool), np.zeros(size, bool)
        return cls(pairs, entities, entities, pairs, pairs)

    def ruled_out(self) -> np.ndarray:
        """Return the entities that are not best: all others beside a verified winner, else those of the stepdown."""
        return ~self.wins if self.wins.sum() == 1 else self.behind


def rank_sets(
    x: np.ndarray,
    members: np.ndarray,
    found: ScoreValues,
    prob: float,
    effective_size: float,
    information: Information | None = None,
    alternatives: Sequence[np.ndarray] = (),
    decide: Callable[[np.ndarray, float, Information | None], Decided] | None = None,
) -> RankSets:
    """Return which entities are surely above which, and which are surely not best, each at ``prob``.

    Draws ``x`` (draw, entity) that are NaN do not count for pairs of this entity. Nothing is sure
    of entities that are not ``members``, nor of any if the effective sample size ``effective_size``
    is NaN or below 1 / (1 - prob). ``alternatives`` are draws of the same score under other
    conditions, such as at other prevalences: what is sure holds under all of them. ``decide``
    replaces the rule, given the members, for scores that have one of their own.
    """
    who = np.flatnonzero(members)
    above, not_best = np.zeros((x.shape[1], x.shape[1]), bool), np.zeros(x.shape[1], bool)
    if information and (reason := information.withheld()) is not None:
        return RankSets(above, not_best, "none", reason)
    promised = information is not None and information.supported and not information.population
    kind = "confidence" if promised else "posterior"
    alone = above.copy(), above.copy()
    if effective_size * (1 - prob) < 1 - 1e-9 or len(who) < 2:
        return RankSets(above, not_best, kind, alone=alone)
    observed = None if information is None else information.observed
    if decide is None:
        decided = first = _decide(x, who, found, prob, information, observed)
    else:
        decided = first = decide(who, prob, information)
    for draws in alternatives:
        decided &= _decide(draws, who, found, prob, information, None)
    out = decided.ruled_out()
    narrowed = bool((first.above & ~decided.above).any() or (first.ruled_out() & ~out).any())
    if not (
        out | decided.above.any(axis=0)
    ).all():  # else undefined draws leave a circle of sure pairs: nothing is sure
        pairs = np.ix_(who, who)
        above[pairs], not_best[who] = decided.above, out
        alone[0][pairs], alone[1][pairs] = decided.alone_above, decided.alone_below
    return RankSets(above, not_best, kind, alone=alone, narrowed=narrowed)


def _decide(
    x: np.ndarray,
    who: np.ndarray,
    found: ScoreValues,
    prob: float,
    information: Information | None,
    observed: np.ndarray | None,
) -> Decided:
    """Return what is decided on all scales of a score."""
    low, high = found.range
    threshold = partial(information.threshold, who) if information else _plain
    known = scales(x, low, high, found.finite_mean)
    first = _scale_values(x, who, found.sign, known[0])
    # The prior moves few cases further than many. The first scale is finite at the ends of the
    # range.
    seen = None if observed is None else _scale_values(observed[None], who, found.sign, known[0])[0]
    decided = separate(first, prob, threshold, seen)
    if len(known) == 1 or not found.stretched:
        return decided
    stretched = _scale_values(x, who, found.sign, known[1])
    ends = known[0](np.array(found.range))
    if not np.isfinite(ends).all() or bonferroni(prob, len(who) * (len(who) - 1)) <= MILD:
        return decided & separate(stretched, prob, threshold, directional=True)
    roots = _scale_values(x, who, found.sign, lambda part: fourth_roots(known[0](part), *ends))
    return decided & separate(
        roots, prob, threshold, directional=True, at_least=LowerLeads(stretched)
    )


def _scale_values(
    x: np.ndarray, who: np.ndarray, sign: int, scale: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """Return values (draw, entity) of some entities on a scale where higher is better, in blocks of draws."""
    y, few = np.empty((len(x), len(who))), max(FEW // len(who), 1)
    with np.errstate(over="ignore", invalid="ignore"):  # differences of huge outcomes overflow
        for start in range(0, len(x), few):
            y[start : start + few] = sign * scale(x[start : start + few, who])
    return y


def scales(
    x: np.ndarray, low: float, high: float, finite_mean: bool
) -> list[Callable[[np.ndarray], np.ndarray]]:
    """Return the scales on which a score is measured, as increasing functions of the score.

    These are the values, and their logits or the logarithm of their distance from the one finite
    end. If the mean may be infinite (ratios), the odds transform t / (1 + t) of that distance
    replaces the values.
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
        with np.errstate(invalid="ignore"):
            return direction * np.where(np.isinf(distance), 1.0, distance / (1 + distance))

    return [
        np.asarray if finite_mean else as_odds,
        lambda part: direction * log(direction * (part - end)),
    ]


def fourth_roots(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """Return values between ``low`` and ``high`` on a scale that stretches both ends, but keeps them finite."""
    share = np.clip((values - low) / (high - low), 0, 1)
    return np.asarray(np.sqrt(np.sqrt(share)) - np.sqrt(np.sqrt(1 - share)))


def _plain(critical: Any, _: float) -> np.ndarray:
    return np.asarray(critical)


def bonferroni(prob: float, comparisons: int) -> float:
    """Return the normal critical value of one of several one-sided comparisons."""
    return float(ndtri(1 - (1 - prob) / max(comparisons, 1)))


def separate(
    y: np.ndarray,
    prob: float,
    threshold: Callable[[Any, float], Any] = _plain,
    observed: np.ndarray | None = None,
    directional: bool = False,
    at_least: "LowerLeads | None" = None,
) -> Decided:
    """Return what is decided of values ``y`` (draw, entity) on one scale, NaN where undefined, which are overwritten.

    ``threshold`` widens a critical value for each pair; its second argument is a Bonferroni value,
    a lower bound for pairs of few units. ``observed`` values (entity), NaN where unknown, must be
    as far ahead as their means over draws. With ``directional``, the spread of a lead is that of
    its lower tail. Leads ``at_least``, on another scale, must exceed the same critical value, or
    ``MILD`` if that is less. With fewer draws than 1 / (1 - prob) nothing is sure, and
    the critical value is infinite.
    """
    draws, size = y.shape
    # The number of draws at or beyond the critical value, as if there were one more draw.
    beyond = min(int(np.floor((1 - prob) * (draws + 1) + 1e-9)), draws)
    if not beyond:
        return Decided.nothing(size)
    lead, spread, rows, shift = measure_lower_leads(y) if directional else measure_leads(y)
    single = ndtri(
        (1 + prob) / 2
    )  # also for pairs without a spread, whose draws have no critical value
    if observed is not None:
        lead = np.fmin(lead, observed[:, None] - observed)
    weight = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0).astype(rows.dtype)
    rows, shift = -rows, -shift  # a lead is too large where the draw of the difference is small
    of_each = largest_of_each(rows, shift, weight)
    found = of_each.max(axis=0)

    def exceeds(critical: Any, comparisons: int = 1, every: bool = False) -> np.ndarray:
        """Return which leads suffice (entity, rival); with ``every``, only for entities whose leads all do."""
        bound = bonferroni(prob, comparisons)
        with np.errstate(invalid="ignore"):  # pairs that never differ have no bound
            enough = np.asarray(lead > threshold(critical, bound) * spread)
        if every:
            enough[enough.sum(axis=1) < size - 1] = False
        if at_least is not None and enough.any():
            mild = threshold(np.minimum(critical, MILD), min(bound, MILD))
            enough &= at_least.exceed(mild, enough)
        return enough

    def step_down(by_pairs: bool) -> tuple[np.ndarray, float]:
        sure, left = np.zeros((size, size), bool), weight.copy()
        highest, stale = found.copy(), np.zeros(draws, bool)
        while True:
            critical = _critical(rows, shift, left, highest, stale, beyond)
            more = exceeds(critical or single, int(np.count_nonzero(left))) & ~sure
            if not by_pairs:
                more[:, sure.any(axis=0)] = (
                    False  # entities surely not best take part in no more comparisons
                )
                more[sure.any(axis=0)] = False
            if not more.any():
                return sure, critical
            sure |= more
            left[more] = 0
            if not by_pairs:
                out = sure.any(axis=0)
                left[out], left[:, out] = 0, 0
            stale[:] = True

    above, critical = step_down(by_pairs=True)
    behind = np.asarray(step_down(by_pairs=False)[0].any(axis=0))
    own = np.partition(of_each, -beyond, axis=1)[:, [-beyond]]
    own = np.where(own > 0, own, single) * np.ones_like(
        spread
    )  # of the entity that is named (entity, rival)
    alone_below, alone_above = exceeds(own, 2 * (size - 1)), exceeds(own.T, 2 * (size - 1)).T
    wins = exceeds(single, 2, every=True).sum(axis=1) == size - 1
    return Decided(above, behind, wins, alone_above, alone_below, critical)


def _critical(
    rows: np.ndarray,
    shift: np.ndarray,
    weight: np.ndarray,
    found: np.ndarray,
    stale: np.ndarray,
    beyond: int,
) -> float:
    """Return the ``beyond``-largest of the draws' largest leads, updating ``stale`` draws as needed.

    Removing pairs can only lower a draw's largest lead, so a draw is recomputed only while it is
    near the first: twice as many draws as needed, so that few rounds are enough.
    """
    wide = min(2 * beyond, len(found))
    left = weight.any(axis=0) | weight.any(axis=1)  # entities with a pair
    if not left.all():
        rows, shift, weight = rows[left], shift[np.ix_(left, left)], weight[np.ix_(left, left)]
    while True:
        order = np.argpartition(found, (-wide, -beyond))
        if not stale[order[-beyond:]].any():
            return float(found[order[-beyond:]].min())
        again = np.sort(order[-wide:][stale[order[-wide:]]])
        found[again], stale[again] = (
            largest(np.ascontiguousarray(rows[:, again]), shift, weight),
            False,
        )


def measure_lower_leads(y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the same as ``measure_leads``, but with the spread of the lower tail of each lead."""
    lead, spread, rows, shift = measure_leads(y)
    return lead, np.where(spread > 0, lower_spreads(rows, shift), 0.0), rows, shift


class LowerLeads:
    """Leads as of ``measure_lower_leads``; the spread of a pair is computed when it is first needed."""

    def __init__(self, y: np.ndarray) -> None:
        self.lead, spread, self.rows, self.shift = measure_leads(y)
        self.spread = np.where(spread > 0, np.nan, 0.0)

    def exceed(self, critical: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        """Return which leads exceed the critical value times their spread (entity, rival), True only in ``pairs``."""
        pairs = pairs & (self.lead > 0)
        unknown = pairs & np.isnan(self.spread)
        one, other = np.nonzero(unknown)
        self.spread[one, other] = lower_spreads_of(self.rows, self.shift, one, other)
        with np.errstate(invalid="ignore"):
            return np.asarray(pairs & (self.lead > critical * self.spread))


def measure_leads(y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return mean and standard deviation of the leads (entity, rival), over draws in which both are defined.

    Also return centred values (entity, draw), and their mean lead (entity, rival): 0 where all is
    defined.
    """
    size = max(np.fmax.reduce(y, axis=None), -np.fmin.reduce(y, axis=None))
    if size > 1e30:  # near the end of single precision; leads do not depend on the unit
        y /= size
    centre = y.sum(axis=0) / len(y)
    full = not np.isnan(centre).any()
    if not full:
        defined = ~np.isnan(y)
        centre = y.sum(axis=0, where=defined) / np.maximum(defined.sum(axis=0), 1)
    off = np.subtract(y, centre, out=y)
    rows = np.array(off.T, np.float32, order="C")
    if full:
        product = product_of(off) / len(y)
        own, shift = np.diag(product)[:, None], np.zeros_like(product)
    else:
        np.nan_to_num(off, copy=False, nan=0.0)
        both = defined.astype(float)
        number = both.T @ both
        number[number == 0] = np.nan
        # Means of an entity over the draws in which its rival is defined too.
        product, own, shift = (
            part / number for part in (off.T @ off, np.square(off).T @ both, off.T @ both)
        )
        shift -= shift.T.copy()
    lead = centre[:, None] - centre + shift
    lead[np.abs(lead) <= ROUNDING * (np.abs(centre)[:, None] + np.abs(centre))] = 0.0
    variance = own + own.T - 2 * product - shift**2
    variance[variance <= ROUNDING * (own + own.T)] = 0.0
    return lead, np.sqrt(variance), rows, shift.astype(rows.dtype)
