"""How many more cases separate two entities, if they truly differ by a given amount.

Today's evidence is kept, and new cases of the same kind are simulated: estimates are normal, new
cases are as informative as the observed ones, and an average over both has the prior's cases among
the old ones. Success is what a ranking would then say: its best set has one of the two entities
only. The true scores of the others, and the centre of the two, are today's means. So N is
conditional on the difference, and no prior of differences enters.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from bayesrank._core.draws import covariance_of, finite_rows
from bayesrank._core.notes import Note
from bayesrank.claims.effective import ENOUGH_FREEDOM, Information
from bayesrank.claims.information import parts_of_pair, sampling_variance
from bayesrank.ranking.evidence import RankingEvidence
from bayesrank.ranking.intervals import order_name, position_of
from bayesrank.ranking.shrinkage import MeanPopulation, population_of
from bayesrank.ranking.values import ScoreValues
from bayesrank.scores import Score

#: Probability of success of the number of cases, and the largest multiple of today's units that is
#: tried.
ASSURANCE, MOST = 0.8, 100
#: Simulated futures; the noise of the difference is evenly spread over them.
FUTURES = 512
#: Entities that could be best, up to which critical values are computed, and numbers of draws times
#: pairs for them.
MOST_ENTITIES, MOST_PAIRS = 300, 2**21
#: Relative width at which the search for the number ends.
PRECISION = 2e-3
#: Smaller learned differences, in standard deviations, are those of draws, and no number of cases
#: shows them.
LEAST = 0.02
#: Variances of class shares up to this one are rounding errors.
TINY = 1e-18
#: Kinds of units whose number reduces the error, by ``RankingEvidence.needed``; for others no number is
#: given.
UNITS = {
    "cases": "cases",
    "paired cases": "cases",
    "per-case data": "cases",
    "clusters": "clusters",
    "data sets": "data sets",
}
#: Shares of positives that are tried, and how many times fewer cases one must need to be offered.
SHARES, SAVING = (0.25, 0.5, 0.75), 10


class _Scale(NamedTuple):
    """Values of futures on one scale, higher is better, and their standard deviations."""

    values: tuple[np.ndarray, ...]  #: (entity, future); each of these leads as far.
    spread: np.ndarray  #: (entity, future)


def _least_leads(
    scales: list[_Scale], first: Any, correlation: Any, others: Any = ...
) -> np.ndarray:
    """Return the smallest lead of all scales, of the values at ``first`` over the others, in standard deviations."""
    leads = []
    for values, spread in scales:
        one, other = spread[first], spread[others]
        square = one**2 + other**2 - 2 * correlation * one * other
        gap = reduce(np.minimum, (each[first] - each[others] for each in values))
        leads.append(gap / np.sqrt(np.maximum(square, 1e-300)))
    return np.asarray(reduce(np.minimum, leads))


@dataclass(frozen=True)
class Separation:
    """Today's evidence on two entities (first and second) and the others that could be best (entity)."""

    entity: Any
    rival: Any
    difference: float  #: The assumed true difference, in units of the score.
    given: bool  #: Whether it was given, instead of learned from the data.
    score: str  #: Its name.
    per_case: bool  #: Whether per-case data may need fewer cases.
    paired: bool  #: Whether all entities answer the new units.
    unit: str
    units: np.ndarray  #: Observed units with the units for which the prior counts (entity).
    prior: np.ndarray  #: Units for which the prior counts (entity).
    cases_each: float
    mean: (
        np.ndarray
    )  #: Means of draws, higher is better; on the same orientation as the ends of the range.
    covariance: np.ndarray
    observed: np.ndarray
    wider: np.ndarray  #: Factor of the standard deviation (entity).
    freedom: float
    ends: tuple[float, float]
    critical: (
        np.ndarray
    )  #: Critical value by the number of entities that may be best; NaN below two.
    alone: (
        float  #: Critical value of one pair, which a verified winner exceeds against every rival.
    )
    parts: tuple[np.ndarray, np.ndarray] | None  #: Variance of the difference and cases, by class.
    apart: bool  #: Whether only one of the two could be best today.
    ahead: int  #: How many share the first rank with the leader; 2 if a pair was asked for.

    def success(self, more: float) -> float:
        """Return the share of futures with ``more`` units in which only one of the two could be best."""
        share = (self.units / (self.units + more))[:, None]
        estimate = self._truth[:, None] + self._noise / np.sqrt(more)
        mean = self.mean[:, None] * share + estimate * (1 - share)
        old = (self.units - self.prior)[:, None]
        known = np.isfinite(self.observed)[:, None]
        past = np.where(known, self.observed[:, None], 0.0) * old
        observed = np.where(known, (past + estimate * more) / (old + more), mean)
        own = self.wider * np.sqrt(np.diag(self.covariance) * share[:, 0])
        scales = self._scales(mean, observed, own[:, None])
        top, future = mean.argmax(axis=0), np.arange(mean.shape[1])
        of_top = _least_leads(scales, (top, future), self._correlation[:, top])
        of_pair = _least_leads(scales, (0,), self._correlation[0, 1], (1,))
        both = self._critical_with(more, np.array([self.alone, *self.critical]))
        alone, critical = both[0], both[1:]
        of_top[top, future] = np.inf
        wins = (top < 2) & (of_top > alone).all(axis=0)
        of_top[top, future] = -np.inf
        alive = np.full(len(future), len(mean))
        while True:
            out = of_top > critical[alive]
            freedom = np.maximum(len(mean) - out.sum(axis=0), 2)
            if (freedom == alive).all():
                return float((wins | (out[1] & ~out[0]) | (of_pair > critical[alive])).mean())
            alive = freedom

    def needed(self, assurance: float = ASSURANCE) -> float:
        """Return the smallest number of units with this success; NaN if it is more than MOST times today's."""
        most = MOST * float(self.units[:2].max())
        if not self.difference > 0 or not self._spread > 0:
            return np.nan
        wide = (self.alone + max(ndtri(assurance), 0.0)) * self._spread / self.difference
        high = float(np.clip(self.units[:2].max() * (wide**2 - 1), 1.0, most))
        while self.success(high) < assurance:
            if high >= most:
                return np.nan
            high = min(2 * high, most)
        low = high / 2
        while low >= 1 and self.success(low) >= assurance:
            low, high = low / 2, low
        low = max(low, 0.5)
        while high / low > 1 + PRECISION and np.ceil(high) - np.ceil(low) > 0.5:
            middle = np.sqrt(low * high)
            low, high = (low, middle) if self.success(middle) >= assurance else (middle, high)
        return float(np.ceil(high - 1e-9))

    def designed(self, needed: float) -> tuple[float, float] | None:
        """Return the share of positives with which a tenth of the cases or fewer are enough, and their number."""
        if self.parts is None or np.isnan(needed):
            return None
        from scipy.optimize import brentq  # takes longer to import than a small ranking

        variance, cases = self.parts
        requested = variance.sum() / (1 + needed / cases.sum())
        found: list[tuple[float, float]] = []
        for share in SHARES:

            def left(log: float, new: np.ndarray) -> float:
                """Return how much variance is left above the wanted one."""
                return float((variance / (1 + np.exp(log) * new / cases)).sum() - requested)

            new = np.array([1 - share, share])
            if left(np.log(needed / SAVING), new) < 0:
                found.append(
                    (float(np.exp(brentq(left, -20.0, np.log(needed), args=(new,)))), share)
                )
        return (min(found)[1], float(np.ceil(min(found)[0]))) if found else None

    def note(self, assurance: float = ASSURANCE) -> Note:
        """Return the fact on the number of units, or why there is none."""
        pair = {"entity": str(self.entity), "rival": str(self.rival)}
        if not self.difference > 0:
            return Note("no_difference", pair | {"ahead": self.ahead})
        needed = self.needed(assurance)
        design = self.designed(needed)
        fields = {"difference": self.difference, "score": self.score, "unit": self.unit}
        number = {
            "needed": None if np.isnan(needed) else needed,
            "most": MOST,
            "cases_each": self.cases_each,
        }
        number |= {
            "designed": design and design[1],
            "positives": design and design[0],
            "per_case": self.per_case,
        }
        number |= {"paired": self.paired, "assurance": assurance}
        return Note("more_to_separate", pair | fields | number)

    @cached_property
    def _truth(self) -> np.ndarray:
        """Return true scores (entity): the pair on both sides of its centre, inside of the range."""
        truth = self.mean.copy()
        truth[:2] = truth[:2].mean() + self.difference * np.array([0.5, -0.5])
        truth[:2] -= max(truth[0] - self.ends[1], 0.0) - max(self.ends[0] - truth[1], 0.0)
        return truth

    @cached_property
    def _noise(self) -> np.ndarray:
        """Return the noise of one new unit (entity, future)."""
        scale = self.wider * np.sqrt(self.units)
        noise = self.covariance * scale[:, None] * scale
        values, vectors = np.linalg.eigh(noise)
        drawn = np.random.default_rng(0).standard_normal((FUTURES, len(values)))
        drawn = drawn @ (vectors * np.sqrt(np.maximum(values, 0))).T
        along = noise[:, 0] - noise[:, 1]
        variance = along[0] - along[1]
        if variance > 0:
            even = ndtri((np.arange(FUTURES) + 0.5) / FUTURES) * np.sqrt(variance)
            drawn += np.outer(even - (drawn[:, 0] - drawn[:, 1]), along / variance)
        return np.ascontiguousarray(drawn.T)

    @property
    def _spread(self) -> float:
        """Return today's standard deviation of the difference."""
        own = self.wider[:2, None] * self.covariance[:2, :2] * self.wider[:2]
        return float(np.sqrt(max(own[0, 0] + own[1, 1] - 2 * own[0, 1], 0.0)))

    def _critical_with(self, more: float, critical: np.ndarray) -> np.ndarray:
        """Return normal critical values with the degrees of freedom after more units."""
        freedom = (self.freedom + 1) * (1 + more / self.units[:2].max()) - 1
        if np.isinf(freedom) or (self.unit == "cases" and freedom >= ENOUGH_FREEDOM):
            return critical
        return np.asarray(-stdtrit(freedom, ndtr(-critical)))

    @cached_property
    def _correlation(self) -> np.ndarray:
        own = np.sqrt(np.diag(self.covariance))
        return np.asarray(self.covariance / (own[:, None] * own))

    def _scales(self, mean: np.ndarray, observed: np.ndarray, root: np.ndarray) -> list[_Scale]:
        """Return the scales of the rank sets, by the means and observed values of futures and standard deviations."""
        first = _Scale((mean, observed), np.broadcast_to(root, mean.shape))
        low, high = self.ends
        if np.isfinite(low) and np.isfinite(high):
            # A Beta distribution with this mean and variance; digamma and trigamma by their
            # asymptotic series.
            middle = ((mean - low) / (high - low)).clip(1e-9, 1 - 1e-9)
            size = np.maximum(middle * (1 - middle) * (high - low) ** 2 / root**2 - 1, 1e-3)
            a, b = (np.maximum(part * size - 0.5, 0.05) for part in (middle, 1 - middle))
            return [first, _Scale((np.log(a) - np.log(b),), np.sqrt(1 / a + 1 / b))]
        if np.isfinite(low) or np.isfinite(high):
            side = 1 if np.isfinite(low) else -1
            distance = np.maximum(side * (mean - (low if side > 0 else high)), 1e-300)
            square = np.log1p((root / distance) ** 2)
            return [first, _Scale((side * (np.log(distance) - square / 2),), np.sqrt(square))]
        return [first]


def population_behind(
    x: np.ndarray,
    ranked: np.ndarray,
    found: ScoreValues,
    evidence: RankingEvidence,
    information: Information,
) -> MeanPopulation | None:
    """Return the learned population of the ranked entities of draws ``x`` (draw, entity).

    None if a model of them already shrinks their scores, or their means are not finite.
    """
    if not found.finite_mean or information.population == "entities":
        return None
    ends = (found.facts.range if found.stretched else None) or (-np.inf, np.inf)
    return population_of(
        x, np.flatnonzero(ranked), ends, information, evidence.prior_cases(x.shape[1])
    )


class RankedDraws(NamedTuple):
    """Draws of a score, their evidence, and the ranking that follows from them."""

    x: np.ndarray  #: (draw, entity)
    found: ScoreValues
    evidence: RankingEvidence
    information: Information
    population: MeanPopulation | None  #: Of the ranked entities.
    ranking: Mapping[str, Any]  #: The variables of the ranking, as arrays.
    prob: float


def _to_claim(difference: float, covariance: np.ndarray) -> float:
    """Return a difference of the first two entities in two digits, or 0 if its error is far larger."""
    rounded = float(f"{difference:.2g}")
    spread = np.sqrt(max(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1], 0.0))
    return rounded if rounded > LEAST * spread else 0.0


class Pair(NamedTuple):
    """What is asked: two entities, by default the leader and its closest rival, and how much they truly differ.

    A ``difference`` of 0 stands for that of the learned population.
    """

    entity: Any = None
    rival: Any = None
    difference: float = 0.0

    def of(self, compared: RankedDraws) -> Separation | None:
        """Return today's evidence on the pair; None if it does not say what more cases would add."""
        x, scored, evidence, information, population, ranking, prob = compared
        position, best = np.asarray(position_of(ranking)), np.asarray(ranking["in_best_set"])
        # Rounded, so that of equals the first is chosen, not one by rounding errors.
        superiority = np.asarray(ranking["superiority"]).round(10)
        order = np.lexsort((position, ~best))
        order = order[~np.isnan(position[order])]
        if len(order) < 2 or not scored.finite_mean or information.withheld() is not None:
            return None
        names = scored.values["entity"].values.tolist()
        pair = self._choose(names, order, best, superiority)
        if pair is None:
            return None
        entity, rival = pair
        if np.asarray(ranking["unobserved"])[[entity, rival]].any():
            return None  # the prior alone separates them
        if not self.difference > 0 and superiority[entity, rival] < superiority[rival, entity]:
            entity, rival = rival, entity
        needed = evidence.needed()
        units = _units(evidence, needed, information, x, None if scored.variable else scored.score)
        entities = np.array(
            [entity, rival, *(i for i in order.tolist() if best[i] and i not in (entity, rival))]
        )
        y = finite_rows(x[:, entities])
        y *= scored.sign
        if (
            units is None
            or len(y) < 2
            or len(entities) > MOST_ENTITIES
            or not (units[1][entities] > 0).all()
        ):
            return None
        unit, number, prior, weight = units
        mean, covariance = y.mean(axis=0), covariance_of(y)
        if not (np.diag(covariance) > 0).all():
            return None
        difference = self.difference
        if not difference > 0:
            shrunk = mean[:2]
            if population is not None:
                ranked = sorted(order.tolist())
                places = [ranked.index(entity), ranked.index(rival)]
                shrunk = scored.sign * population.means()[places]
            # Errors that entities share can move a shrunken difference beyond the observed one: not
            # to be claimed.
            leads = [mean[0] - mean[1]]
            if information.observed is not None:
                observed_lead = information.observed[entity] - information.observed[rival]
                leads.append(scored.sign * observed_lead)
            difference = _to_claim(min(shrunk[0] - shrunk[1], np.nanmax(leads)), covariance)
        low, high = scored.facts.range or (-np.inf, np.inf)
        size = len(names)
        observed = np.full(size, np.nan) if information.observed is None else information.observed
        freedom = information.freedom_of_pair(entity, rival)
        return Separation(
            entity=names[entity], rival=names[rival], difference=difference, given=self.difference > 0,
            score=scored.facts.display, per_case=needed == "per-case data",
            paired=needed not in ("cases", "per-case data"), unit=unit,
            units=number[entities], prior=prior[entities], cases_each=weight, mean=mean, covariance=covariance,
            observed=scored.sign * observed[entities], wider=np.broadcast_to(information.inflation, size)[entities],
            freedom=freedom, ends=(low, high) if scored.sign > 0 else (-high, -low),
            critical=_critical_values(y, _by_lead(mean, covariance), prob), alone=float(ndtri((1 + prob) / 2)),
            parts=parts_of_pair(evidence, None if scored.variable else scored.score, entity, rival),
            apart=bool(best[entity] != best[rival]), ahead=2 if self.is_named else _ahead(ranking, order[0]),
        )  # fmt: skip

    @property
    def is_named(self) -> bool:
        """Return whether the user named one of the two."""
        return self.entity is not None or self.rival is not None

    def _choose(
        self, names: list[Any], order: np.ndarray, best: np.ndarray, superiority: np.ndarray
    ) -> tuple[int, int] | None:
        """Return the positions of the two entities: by default the leader and its closest rival that could be best."""
        rival = None if self.rival is None else names.index(self.rival)
        if self.entity is not None:
            entity = names.index(self.entity)
        else:
            entity = int(order[0] if order[0] != rival else order[1])
        if rival is not None:
            return entity, rival
        others = [int(i) for i in order if i != entity]
        close = [i for i in others if best[i]]
        close = close or (others if self.entity is not None else [])
        if not close:
            return None
        return entity, close[int(np.argmin(np.nan_to_num(superiority[entity, close], nan=2.0)))]


def _ahead(ranking: Any, leader: int) -> int:
    """Return how many entities that could be best share the leader's rank."""
    rank = np.asarray(ranking[f"{order_name(ranking)}_rank"])
    return int(((rank == rank[leader]) & np.asarray(ranking["in_best_set"])).sum())


def _units(
    evidence: RankingEvidence,
    needed: str,
    information: Information,
    x: np.ndarray,
    score: Score | None,
) -> tuple[str, np.ndarray, np.ndarray, float] | None:
    """Return the kind of new units, their observed number with the prior's (entity), the latter, and cases in one."""
    unit = UNITS.get(needed)
    if unit is None or not np.isnan(information.datasets) or not np.isnan(information.repeats):
        return None
    if score is not None and score.depends_on_prevalence and evidence.model.sets_prevalence:
        variance = evidence.class_shares()[1]
        if variance is not None and (variance > TINY).any():
            return None  # new cases do not reduce the uncertainty of a prevalence that has draws
    size = x.shape[1]
    # Of an aggregate, the cases of all its groups.
    cases = information.cases if evidence.known is None else evidence.size(size)
    prior = evidence.prior_cases(size)
    if unit == "data sets":
        if evidence.kind != "typical" or not evidence.fewest_datasets:
            return None
        number = np.full(size, float(evidence.fewest_datasets))
        # The prior of the mean counts as one data set.
        return unit, number + 1, np.ones(size), float(np.nanmean(cases / number))
    if np.isnan(cases).any():
        return None
    if unit == "clusters":
        joint = evidence.joint_cases
        assert joint is not None
        assert joint.cluster is not None
        number = np.full(size, float(len(np.unique(joint.cluster))))
        weight_of_unit = float(joint.count.sum() / number[0])
        return unit, number + prior / weight_of_unit, prior / weight_of_unit, weight_of_unit
    if information.population == "entities":
        with np.errstate(divide="ignore", invalid="ignore"):
            own = sampling_variance(evidence, score, size) / np.nanvar(x, axis=0)
            prior = np.maximum(cases * (own - 1), 0.0)
        if not np.isfinite(prior).all():
            return None
    return unit, cases + prior, prior, 1.0


def _by_lead(mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """Return an order of entities: the first two, then the others by their distance from the first."""
    own = np.diag(covariance)
    spread = np.sqrt(np.maximum(own + own[0] - 2 * covariance[0], 1e-300))
    distance = (mean[0] - mean) / spread
    distance[:2] = -np.inf
    return np.argsort(distance, kind="stable")


def _critical_values(y: np.ndarray, order: np.ndarray, prob: float) -> np.ndarray:
    """Return the quantile of the largest standardised error of all pairs of the first k entities in order, by k."""
    size = len(order)
    draws = min(len(y), max(MOST_PAIRS // size**2, 1000))
    y = np.ascontiguousarray((y[:draws, order] - y.mean(axis=0)[order]).T, np.float32)
    beyond = max(int((1 - prob) * (draws + 1) + 1e-9), 1)
    largest, result = np.zeros(draws, np.float32), np.full(size + 1, np.nan)
    for k in range(1, size):
        off = y[k] - y[:k]
        spread = off.std(axis=1, keepdims=True)
        np.divide(np.abs(off), spread, out=off, where=spread > 0)
        np.maximum(largest, off.max(axis=0), out=largest)
        result[k + 1] = np.partition(largest, -beyond)[-beyond]
    return result
