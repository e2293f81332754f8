r"""Worst scores and gaps: intervals from all groups, since the draws of a minimum are biased.

The posterior of a minimum of G noisy scores is shifted, and more so if the groups are alike. So
entities are compared by their groups. An entity is above a rival in its worst score if some group
of the rival is below *all* of its groups:

    T = max over groups g of the rival of [min over groups h of the entity of (lead of h over g) /
    spread].

If the claim is false, the true worst group h of the entity is at or below each group of the rival,
and T is at most the largest standardised error of its leads. The draws have the distribution of
this error, with the observed worst group instead of h (intersection and union of tests: Berger
1982, Technometrics 24:295-300). The gap is minus the smallest of the differences -(x_g - x_h) of
all pairs of groups, so that the same rule compares gaps.

Below, a *part* is a group, or a pair of groups for gaps; the aggregate is the smallest part, higher
is better.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from scipy.special import expit, ndtr, ndtri, stdtr, stdtrit

from bayesrank._core.draws import product_of
from bayesrank._core.random import stream
from bayesrank.claims.effective import Information
from bayesrank.claims.observed import Observed
from bayesrank.performance.arrays import outcome_dims
from bayesrank.ranking._confidence import ROUNDING, Decided, scales
from bayesrank.ranking.values import ScoreValues
from bayesrank.scores import Score

#: Parts of a rival that may be below all parts of the entity: the smallest ones. More would cost
#: time, not validity.
MOST_PARTS = 32
#: The prior's cases in each cell, where groups are drawn again from their counts alone.
HALF = 0.5
#: Errors (entity, rival, part, draw) that are computed at most; more entities or parts use fewer
#: draws, but at least ``FEWEST_DRAWS``.
MOST_ERRORS, FEWEST_DRAWS = 2**29, 1000
#: Bisections of a bound, and a smaller margin than any rounding of it.
STEPS, TINY = 16, 1e-12


@dataclass(frozen=True, eq=False)
class Extremes:
    """The scores of the groups behind the worst score or the gap of each entity."""

    values: np.ndarray  #: Draws (draw, entity, group), NaN where undefined.
    observed: np.ndarray | None  #: Observed scores (entity, group).
    found: ScoreValues  #: The score of the groups, with its direction and range.
    gap: bool

    def decide(self, who: np.ndarray, prob: float, information: Information | None) -> Decided:
        """Return what is decided of the entities ``who``, on all scales of the score."""
        threshold = partial(information.threshold, who) if information else np.asarray
        observed = (
            self.observed if information is None or information.observed is not None else None
        )
        decided = [parts.decide(prob, threshold) for parts in self.scaled(who, observed)]
        return decided[0] if len(decided) == 1 else decided[0] & decided[1]

    def differences(
        self, leader: int, who: np.ndarray, prob: float, information: Information
    ) -> np.ndarray:
        """Return both ends of the interval of the difference of each entity from the leader (end, entity)."""
        result, level = np.full((2, self.values.shape[1]), np.nan), (1 - prob) / 2
        for i in who.tolist():
            if i == leader:
                result[:, i] = 0.0
                continue
            compared = Comparison(self, np.array([i, leader]), information)
            ends = self._sign * np.array([compared.plain_bound(level, side) for side in (-1, 1)])
            result[:, i] = np.sort(ends)
        return result

    def interval(self, prob: float) -> tuple[np.ndarray, np.ndarray]:
        """Return both ends of the interval of the worst score or gap (entity), NaN where a group is undefined.

        The smallest part is at or below every part and their mean, whose upper bounds hold
        together. It is not below all lower bounds, each for itself, as one of the parts is the
        smallest.
        """
        ends, tail = np.full((2, self.values.shape[1]), np.nan), (1 - prob) / 2
        scale, back = self._stretched()
        for i in range(self.values.shape[1]):
            x = self.values[:, i]
            x = x[~np.isnan(x).any(axis=1)]
            if len(x) < 2:
                continue
            sign = 1 if self.gap else self.found.sign
            y = sign * x @ self._contrasts.T
            low = np.quantile(y, tail, axis=0).min()
            # Near an end of the range, errors of a group are too skewed for standard deviations of
            # the score itself.
            y = sign * scale(sign * np.column_stack([y, y.mean(axis=1)]))
            y = y[np.isfinite(y).all(axis=1)]
            spread, centre = y.std(axis=0), y.mean(axis=0)
            error = np.divide(y - centre, spread, out=np.zeros_like(y), where=spread > 0).max(
                axis=1
            )
            if self.gap:  # a group that is near an end by chance seems precise
                spread = np.maximum(spread, np.sqrt(np.square(spread[:-1]).mean())) * (spread > 0)
            high = sign * back(sign * (centre + np.quantile(error, 1 - tail) * spread).min())
            ends[:, i] = np.sort(self._sign * np.array([low, high]))
        return ends[0], ends[1]

    def _stretched(
        self,
    ) -> tuple[Callable[[np.ndarray], np.ndarray], Callable[[np.ndarray], np.ndarray]]:
        """Return the scale on which upper bounds are found, and its inverse."""
        low, high = self.found.range
        candidates = [] if self.gap else scales(self.values, low, high, self.found.finite_mean)
        if len(candidates) < 2:
            return np.asarray, np.asarray
        if np.isfinite(low) and np.isfinite(high):
            return candidates[1], lambda y: low + (high - low) * expit(y)
        return candidates[1], (lambda y: low + np.exp(y)) if np.isfinite(low) else (
            lambda y: high - np.exp(-y)
        )

    @property
    def _sign(self) -> int:
        return -1 if self.gap else self.found.sign

    def _oriented(self, values: np.ndarray) -> np.ndarray:
        return values if self.gap else self.found.sign * values

    @cached_property
    def _contrasts(self) -> np.ndarray:
        """Return the parts as linear functions of the groups (part, group)."""
        unit = np.eye(self.values.shape[2])
        if not self.gap:
            return unit
        pairs = unit[:, None] - unit
        return np.asarray(pairs[~unit.astype(bool)])

    def scaled(
        self, who: np.ndarray, seen: np.ndarray | None, one: int = 0, more: float = 0.0
    ) -> "list[GroupParts]":
        """Return the parts of entities on each scale, where ``more`` is added to the ``one`` of them, if better."""
        x, (low, high) = self.values[:, who], self.found.range
        candidates: list[Callable[[np.ndarray], np.ndarray]] = [np.asarray]
        if not self.gap:
            if more:
                x[:, one] += self.found.sign * more
            candidates = scales(x, low - abs(more), high + abs(more), self.found.finite_mean)
        result = []
        for first, scale in enumerate(candidates):
            with np.errstate(over="ignore", invalid="ignore"):
                y = self._oriented(scale(x))
                # The first scale is finite at the ends of the range.
                oriented = None if first or seen is None else self._oriented(scale(seen[who]))
            result.append(GroupParts(y, oriented, self._contrasts))
        return result


class GroupParts:
    """Parts of some entities on one scale where higher is better: estimates, and errors as draws."""

    def __init__(self, y: np.ndarray, observed: np.ndarray | None, contrasts: np.ndarray) -> None:
        """Take values (draw, entity, group), observed ones (entity, group), and the parts (part, group)."""
        y = y[np.isfinite(y).all(axis=(1, 2))]
        draws, self.size, groups = y.shape
        self.contrasts = contrasts
        self.mean = (
            y.mean(axis=0) @ contrasts.T if draws else np.full((self.size, len(contrasts)), np.nan)
        )
        self.observed = self.mean
        if observed is not None:
            with np.errstate(invalid="ignore"):
                parts_observed = observed @ contrasts.T
            self.observed = np.where(np.isfinite(parts_observed), parts_observed, self.mean)
        self.worst = self.observed.argmin(axis=1)
        off = (y - y.mean(axis=0)).reshape(draws, -1) if draws else y.reshape(0, -1)
        covariance = product_of(off) / max(draws, 1)
        self.covariance = covariance.reshape(self.size, groups, self.size, groups)
        own = np.einsum("klkm->klm", self.covariance)
        self.variance = np.einsum("pl,klm,pm->kp", contrasts, own, contrasts)
        draws_kept = max(MOST_ERRORS // (self.size**2 * len(contrasts)), FEWEST_DRAWS)
        self.errors = np.ascontiguousarray(off[:draws_kept].T, np.float32).reshape(
            self.size, groups, -1
        )
        order = np.argsort(self.observed, axis=1, kind="stable")
        self.low = order[
            :, :MOST_PARTS
        ]  #: Parts of a rival that are compared with all parts of an entity.

    def leads(self, one: int) -> tuple[np.ndarray, np.ndarray]:
        """Return leads of all parts of an entity over the smallest ones of each rival, and their spread."""
        entities = np.arange(self.size)[:, None]
        lead = np.fmin(
            *(x[one][:, None, None] - x[entities, self.low] for x in (self.mean, self.observed))
        )
        cross = np.einsum(
            "pl,lkm,kqm->pkq",
            self.contrasts,
            self.covariance[one],
            self.contrasts[self.low],
            optimize=True,
        )
        return lead, _spread(
            self.variance[one][:, None, None], self.variance[entities, self.low], cross
        )

    def statistic(self, one: int, margin: float = 0.0) -> np.ndarray:
        """Return by how many standard deviations an entity is above each rival minus a margin (rival)."""
        lead, spread = self.leads(one)
        lead = lead + margin
        ratio = np.divide(lead, spread, out=np.where(lead > 0, np.inf, -np.inf), where=spread > 0)
        return np.asarray(ratio.min(axis=0).max(axis=-1))

    def least_lead(self, one: int, wide: Any) -> np.ndarray:
        """Return the largest margin by which an entity is above each rival by ``wide`` standard deviations (rival)."""
        lead, spread = self.leads(one)
        return np.asarray((lead - np.reshape(wide, (-1, 1)) * spread).min(axis=0).max(axis=-1))

    def error(self, one: int) -> np.ndarray:
        """Return the draws of the largest error of the lead of the worst part of an entity over a rival's parts.

        The result is (rival, draw). That of an entity over itself is not used.
        """
        worst = self.contrasts[self.worst[one]]
        cross = np.einsum(
            "l,lkm,pm->kp", worst, self.covariance[one], self.contrasts, optimize=True
        )
        spread = _spread(self.variance[one, self.worst[one]], self.variance, cross)
        weight = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0).astype(
            np.float32
        )
        own = worst.astype(np.float32) @ self.errors[one]
        contrasts, result = (
            self.contrasts.astype(np.float32),
            np.empty((self.size, len(own)), np.float32),
        )
        for k in range(self.size):
            off = contrasts @ self.errors[k]
            off -= own
            off *= weight[k][:, None]
            result[k] = off.max(axis=0)
        return result

    def decide(self, prob: float, threshold: Callable[[Any], Any]) -> Decided:
        """Return what is decided of the entities: each promise with critical values of its own."""
        draws, size = self.errors.shape[-1], self.size
        beyond, beyond_alone = (
            int(np.floor(share * (draws + 1) + 1e-9)) for share in (1 - prob, (1 - prob) / 2)
        )
        if not beyond:
            return Decided.nothing(size)
        others = ~np.eye(size, dtype=bool)
        lead = np.array([self.statistic(i) for i in range(size)])
        own, of_each = np.full((size, size), np.inf), np.zeros((size, draws), np.float32)
        for i in range(size):
            error = self.error(i)
            if beyond_alone:
                own[i] = _quantile(error, beyond_alone)
            of_each[i] = np.maximum(of_each[i], error[others[i]].max(axis=0))
            of_each[others[i]] = np.maximum(of_each[others[i]], error[others[i]])

        def exceeds(critical: Any) -> np.ndarray:
            return np.asarray((lead > threshold(critical)) & others)

        def step_down(by_pairs: bool) -> tuple[np.ndarray, float]:
            sure, open_pairs, largest = (
                np.zeros((size, size), bool),
                others.copy(),
                of_each.max(axis=0),
            )
            while True:
                critical = float(_quantile(largest, beyond))
                more = exceeds(critical) & open_pairs
                if not more.any():
                    return sure, critical
                sure |= more
                open_pairs &= ~more
                if not by_pairs:
                    out = sure.any(axis=0)
                    open_pairs[out], open_pairs[:, out] = False, False
                largest = np.zeros(draws, np.float32)
                for i in np.flatnonzero(open_pairs.any(axis=1)).tolist():
                    largest = np.maximum(largest, self.error(i)[open_pairs[i]].max(axis=0))

        above, critical = step_down(by_pairs=True)
        behind = np.asarray(step_down(by_pairs=False)[0].any(axis=0))
        alone = exceeds(_quantile(of_each, beyond)[:, None])
        return Decided(
            above,
            behind,
            exceeds(own),
            exceeds(_quantile(of_each, beyond)[None]).T,
            alone,
            critical,
        )


class Comparison:
    """Two entities: p-values and bounds of the difference of their worst scores, or of their gaps.

    A difference is that of the first from the second, higher is better.
    """

    def __init__(
        self, extremes: Extremes, who: np.ndarray, information: Information, withheld: bool = False
    ) -> None:
        self.extremes, self.who = extremes, who
        self.seen = None if information.observed is None else extremes.observed
        self.freedom, self.factor, self.excess = information.of_pair(*who.tolist())
        self.withheld = withheld or not self.freedom > 0 or not np.isfinite(self.factor)
        self.parts = extremes.scaled(who, self.seen)[0]
        first, second = self.parts.observed.min(axis=1)
        self.difference = float(first - second)

    def p_value(self, margin: float, side: int) -> float:
        """Return the p-value of the claim that the first is above (1) or below (-1) the second minus a margin."""
        place, more = (0, margin) if side > 0 else (1, -margin)
        if self.withheld:
            return 1.0
        lead = float(self.parts.statistic(place, more)[1 - place])
        return max(self._p_value(self.parts, place, lead), self._stretched(place, more))

    def bound(self, level: float, side: int) -> float:
        """Return the upper (1) or lower (-1) bound: the differences beyond it are rejected on all scales."""
        place, result = (1 if side > 0 else 0), self.plain_bound(level, side)
        if not np.isfinite(result) or self._stretched(place, side * result + TINY) <= level:
            return result
        low = side * result
        high = low + float(np.subtract(*self.extremes.found.range[::-1]))
        for _ in range(STEPS):
            middle = (low + high) / 2
            low, high = (low, middle) if self._stretched(place, middle) <= level else (middle, high)
        return side * high

    def plain_bound(self, level: float, side: int) -> float:
        """Return the bound on the scale of the score alone."""
        place = 1 if side > 0 else 0
        error = self.parts.error(place)[1 - place]
        beyond = int(np.floor(level * (len(error) + 1) + 1e-9))
        if not beyond or self.withheld:
            return side * np.inf
        critical = float(_quantile(error, beyond))
        wide = critical * self.excess
        if np.isfinite(self.freedom):
            wide = max(wide, -float(stdtrit(self.freedom, ndtr(-critical))))
        return float(-side * self.parts.least_lead(place, wide * self.factor)[1 - place])

    def needed(self, margin: float, cases: float, level: float) -> float:
        """Return NaN: the number of cases depends on which group is the worst, which more cases may change."""
        return np.nan

    def _stretched(self, one: int, more: float) -> float:
        """Return the p-value, on the stretched scale, of the claim that ``one`` with ``more`` is above the other."""
        scaled = self.extremes.scaled(self.who, None, one, more)
        if len(scaled) < 2:
            return 0.0
        return self._p_value(scaled[1], one, float(scaled[1].statistic(one)[1 - one]))

    def _p_value(self, parts: GroupParts, one: int, lead: float) -> float:
        error, lead = parts.error(one)[1 - one], lead / self.factor
        if np.isnan(lead):
            return 1.0
        z = lead / self.excess if lead > 0 else lead
        if np.isfinite(self.freedom) and np.isfinite(lead):
            z = min(z, -float(ndtri(stdtr(self.freedom, -lead))))
        return float((1 + (error >= z).sum()) / (1 + len(error)))


def draw_alone(
    evidence: Observed, score: Score | None, names: np.ndarray, used: np.ndarray, draws: int
) -> np.ndarray | None:
    """Draw scores (draw, entity, data set) from the counts of each data set alone, with half a case in each cell.

    A population of data sets moves the scores of its members towards each other, and a prior of
    more cases moves them away from the ends. Both shift a minimum. None where the counts do not say
    all, or have more than two classes.
    """
    counts = evidence.counts
    if (
        counts is None
        or score is None
        or evidence.joint_cases is not None
        or evidence.model.model is None
    ):
        return None
    dims = outcome_dims(counts)
    counts = counts.transpose("entity", "dataset", *dims).isel(dataset=used)
    if "dataset" not in counts.dims or max(counts.shape[2:]) > 2:
        return None
    cells = counts.values.reshape(*counts.shape[:2], -1) + HALF
    drawn = np.empty((draws, *cells.shape))
    groups = counts["dataset"].values if "dataset" in counts.coords else np.flatnonzero(used)
    for i, k in np.ndindex(
        cells.shape[:2]
    ):  # streams by name, so that the order of entities does not matter
        rng = stream(np.random.SeedSequence(0), "groups", str(names[i]), str(groups[k]))
        drawn[:, i, k] = rng.dirichlet(cells[i, k], draws)
    tables = (
        counts.astype(float).expand_dims(draw=draws).copy(data=drawn.reshape(draws, *counts.shape))
    )
    values = evidence.score_of(score, tables)
    return None if values is None else values.transpose("draw", "entity", "dataset").values


def _spread(one: np.ndarray, other: np.ndarray, cross: np.ndarray) -> np.ndarray:
    """Return the standard deviation of differences; 0 if it is rounding error."""
    variance = one + other - 2 * cross
    return np.sqrt(np.where(variance > ROUNDING * (one + other), variance, 0.0))


def _quantile(errors: np.ndarray, beyond: int) -> np.ndarray:
    """Return the ``beyond``-largest error over the last axis."""
    return np.asarray(np.partition(errors, -beyond, axis=-1)[..., -beyond])
