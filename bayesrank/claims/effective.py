"""The information in the evidence: effective counts, and the claims that they allow."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import betaincinv, ndtr, ndtri, stdtrit

from bayesrank._core.notes import Note

#: Minimum of effective clusters, or of cases without a prior, for rank sets.
FEWEST_UNITS = 5
#: Fewest effective clusters if all are nearly equal: four such clusters count as 3.9 or more. See
#: docs/measured/claim_sweep.md.
FEWEST_EQUAL = 3.9
#: With fewer degrees of freedom of the cases behind a score of a table, rank sets use a t
#: distribution.
ENOUGH_FREEDOM = 19
#: Minimum of cases of a class (or data set) for estimating the spread of its rate.
FEWEST_OF_CLASS = 2
#: A single run of cross-validation has no unbiased estimate of its variance (Bengio and Grandvalet
#: 2004).
FEWEST_REPEATS = 2
#: With fewer data sets, one of ten equal learners was ruled out in 0.19 (3) and 0.76 (2) of boards;
#: with 5, in 0.01.
FEWEST_DATASETS = 5
#: With fewer training seeds, the variance between fitted models is hardly known; see
#: scripts/measure_seeds.py.
FEWEST_SEEDS = 4
#: Fewer degrees of freedom, as of effective clusters in a part, are none.
LEAST_FREEDOM = 0.5
#: A note says which intervals are more than so many times wider, because clusters nearly all agree.
MUCH_WIDER = 1.2
#: Both ends of intervals (entity).
Ends = tuple[np.ndarray, np.ndarray]
#: The critical value of a single pair at 95%.
SINGLE = float(ndtri(0.975))


@dataclass(frozen=True)
class Allowance:
    """How much wider than the interval of draws an interval must be, since units are few (entity, ...).

    ``factor`` is for few units. ``thin`` is for units that nearly all agree; the ends that it gives
    are not outside of ``lower`` and ``upper``, the interval if the cases of a unit were all alike.
    """

    factor: np.ndarray
    thin: np.ndarray
    lower: np.ndarray
    upper: np.ndarray

    def widen(self, middle: np.ndarray, ends: Ends, limits: tuple[float, float]) -> Ends:
        """Return intervals whose ends are further from the middle, within the limits of the score."""
        few = stretch(self.factor, middle, ends, limits)
        thin = stretch(self.thin, middle, ends, limits)
        return (
            np.minimum(few[0], np.fmax(thin[0], self.lower)),
            np.maximum(few[1], np.fmin(thin[1], self.upper)),
        )

    def notes(
        self, names: Iterable[object], middle: np.ndarray, ends: Ends, limits: tuple[float, float]
    ) -> list[Note]:
        """Return a note on the entities (middle and ends of their draws) whose units nearly all agree."""
        few, wide = stretch(self.factor, middle, ends, limits), self.widen(middle, ends, limits)
        much = wide[1] - wide[0] > MUCH_WIDER * (few[1] - few[0])
        alike = sorted(str(name) for name, one in zip(names, much, strict=True) if one)
        return [Note("clusters_hardly_differ", {"entities": alike})] if alike else []


@dataclass(frozen=True)
class Information:
    """Effective counts behind a ranking (entity); NaN (or None) if unknown or not applicable."""

    cases: np.ndarray
    clusters: (
        np.ndarray
    )  #: Effective number of clusters: Satterthwaite's degrees of freedom plus 1.
    nearly_equal: bool = False  #: Whether clusters have nearly equal sizes.
    unit: str = "clusters"  #: What clusters are called, such as voters.
    #: For paired evidence: cases (or clusters) on which two entities differ (entity, rival).
    discordant: np.ndarray | None = None
    #: The population of tables in a hierarchical model, "entities" or "data sets"; empty without
    #: one.
    population: str = ""
    #: Degrees of freedom of a difference (entity, rival); infinite for a normal quantile.
    freedom: np.ndarray | float = np.inf
    #: Factor by which the posterior standard deviation of a score is too small (entity); at least
    #: 1, unless draws were spread for few cases.
    inflation: np.ndarray | float = 1.0
    #: Factor by which independent cases vary more than their clusters do, or claims need a larger
    #: spread than that of the posterior with its light prior (entity, rival), at least 1.
    excess: np.ndarray | float = 1.0
    #: Degrees of freedom of the interval of a score, and its factor besides their t quantile
    #: (entity), where units are few.
    freedom_of_interval: np.ndarray | float = np.inf
    factor_of_interval: np.ndarray | float = 1.0
    #: Effective number of clusters with cases that lower the score, or with cases that raise it,
    #: whichever are fewer (entity); infinite where unknown.
    varying: np.ndarray | float = np.inf
    #: The observed score (entity), NaN where unknown; None in models whose population moves it.
    observed: np.ndarray | None = None
    #: Repetitions of a cross-validation on one data set; NaN for other evidence.
    repeats: float = np.nan
    #: Data sets on which learners were compared; NaN for other evidence.
    datasets: float = np.nan
    seeds: float = np.nan  #: Training seeds of each entity, at least; NaN for other evidence.
    of_class: float = np.nan  #: Cases, or clusters, of the rarest class, for areas under curves.
    supported: bool = True  #: Whether evidence is known behind the draws.
    errors_known: bool = True  #: False for standard errors of means of unknown numbers of cases.
    refusal: Note | None = (
        None  #: Why nothing can be justified, such as parameters that are not identified.
    )
    #: Largest critical value at which the skewness of a difference, or the number of tasks, allows
    #: a claim (entity, rival).
    reach: np.ndarray | float = np.inf
    uneven: Note | None = None  #: Votes are spread unevenly, as if earlier ones chose the pairs.

    def allowance(self, prob: float, limits: tuple[float, float]) -> Allowance:
        """Return how much wider the interval of each entity must be than the one from draws."""
        size = len(self.cases)
        freedom, inflation, varying = (
            np.broadcast_to(each, size).astype(float)
            for each in (self.freedom_of_interval, self.factor_of_interval, self.varying)
        )
        return _allow(prob, freedom, inflation, varying, self._ends_of_alike(prob, limits))

    def allowance_of_differences(
        self, prob: float, limits: tuple[float, float], reference: int
    ) -> Allowance:
        """Return how much wider the interval of each entity's difference from one of them must be.

        It has the fewer degrees of freedom and the larger factor of the two entities. The clusters
        that vary are those on which the two differ.
        """
        size, (lower, upper) = len(self.cases), self._ends_of_alike(prob, limits)
        freedom, inflation, varying = (
            np.broadcast_to(each, size).astype(float)
            for each in (self.freedom_of_interval, self.factor_of_interval, self.varying)
        )
        varying = varying + varying[reference]
        if self.discordant is not None:
            varying = np.minimum(varying, self.discordant[reference])
        return _allow(
            prob,
            np.minimum(freedom, freedom[reference]),
            np.maximum(inflation, inflation[reference]),
            varying,
            (lower - upper[reference], upper - lower[reference]),
        )

    def _ends_of_alike(self, prob: float, limits: tuple[float, float]) -> Ends:
        """Return Jeffreys intervals (entity) of the observed score, of as many cases as there are effective clusters.

        This is what the clusters would show if the cases of each were all alike. NaN where unknown.
        """
        size, (low, high) = len(self.cases), limits
        if self.observed is None or not np.isfinite(high - low):
            return np.full(size, np.nan), np.full(size, np.nan)
        clusters = np.broadcast_to(self.freedom_of_interval, size) + 1.0
        clusters = np.where(np.isfinite(clusters), clusters, np.nan)
        share = np.clip((self.observed - low) / (high - low), 0.0, 1.0)
        shape, tail = (clusters * share + 0.5, clusters * (1 - share) + 0.5), (1 - prob) / 2
        lower, upper = (low + (high - low) * betaincinv(*shape, each) for each in (tail, 1 - tail))
        return lower, upper

    def withheld(self) -> Note | None:
        """Return why no rank set but all ranks can be justified; None if sets are available."""
        clusters, cases = least(self.clusters), least(self.cases)
        if self.refusal is not None:
            return self.refusal
        if not self.errors_known:
            return Note("means_without_n")
        if self.repeats < FEWEST_REPEATS:
            return Note("one_run_of_folds")
        if self.datasets < FEWEST_DATASETS:
            return Note(
                "datasets_too_few", {"datasets": int(self.datasets), "enough": FEWEST_DATASETS}
            )
        if self.seeds < FEWEST_SEEDS:
            return Note("seeds_too_few", {"seeds": int(self.seeds), "enough": FEWEST_SEEDS})
        if self.of_class < FEWEST_UNITS:
            return Note("cases_of_class_too_few", {"enough": FEWEST_UNITS})
        if clusters < (FEWEST_EQUAL if self.nearly_equal else FEWEST_UNITS) - 1e-9:
            return Note(
                "clusters_too_few",
                {"clusters": clusters, "enough": FEWEST_UNITS, "unit": self.unit},
            )
        if not np.isfinite(np.max(self.inflation, initial=1.0)):
            return Note("cases_of_class_too_few", {"enough": FEWEST_OF_CLASS})
        if (
            np.isnan(self.clusters).all()
            and np.isfinite(self.freedom).any()
            and cases < FEWEST_UNITS
        ):
            return Note("cases_too_few", {"cases": cases, "enough": FEWEST_UNITS})
        return None

    def with_constants(self, number: int) -> "Information":
        """Return the counts with more entities of known values, such as the same answer to every case."""
        old = len(self.cases)
        if not number:
            return self

        def pairs(values: Any, beside: np.ndarray, alone: float) -> np.ndarray:
            result = np.full((old + number,) * 2, alone)
            result[:old, :old] = np.broadcast_to(values, (old, old))
            result[:old, old:], result[old:, :old] = beside[:, None], beside
            return result

        freedom, excess = (
            np.broadcast_to(each, (old, old)) for each in (self.freedom, self.excess)
        )
        unknown = np.full(number, np.nan)
        return replace(
            self,
            cases=np.append(self.cases, unknown),
            clusters=np.append(self.clusters, unknown),
            freedom=pairs(freedom, np.diag(freedom), np.inf),
            excess=pairs(excess, excess.max(axis=1), 1.0),
            inflation=np.append(np.broadcast_to(self.inflation, old), np.ones(number)),
            freedom_of_interval=np.append(
                np.broadcast_to(self.freedom_of_interval, old), np.full(number, np.inf)
            ),
            factor_of_interval=np.append(
                np.broadcast_to(self.factor_of_interval, old), np.ones(number)
            ),
            varying=np.append(np.broadcast_to(self.varying, old), np.full(number, np.inf)),
            discordant=None
            if self.discordant is None
            else pairs(self.discordant, np.full(old, np.inf), np.inf),
            reach=pairs(np.broadcast_to(self.reach, (old, old)), np.full(old, np.inf), np.inf),
            observed=None if self.observed is None else np.append(self.observed, unknown),
        )

    def notes(self) -> list[Note]:
        """Return notes on rank sets that are wider than the posterior alone would make them."""
        if self.withheld() is not None:
            return []
        if self.uneven is not None:
            return [self.uneven]
        if np.max(self.excess, initial=1.0) <= 1 or np.isnan(self.clusters).all():
            return []
        pairs = int(np.triu(self.excess > 1, 1).sum())
        fields = {"pairs": pairs, "of": len(self.cases) * (len(self.cases) - 1) // 2}
        return [
            Note(
                "clusters_vary_less",
                fields | ({} if self.unit == "clusters" else {"unit": self.unit}),
            )
        ]

    def too_skewed(self) -> np.ndarray:
        """Return whether a difference is too skewed for any claim at 95% (entity, rival)."""
        return np.broadcast_to(self.reach, (len(self.cases),) * 2) < SINGLE

    def freedom_of_pair(self, one: int, other: int) -> float:
        """Return the degrees of freedom of a difference, 0 if it is too skewed."""
        if self.too_skewed()[one, other]:
            return 0.0
        return float(np.broadcast_to(self.freedom, (len(self.cases),) * 2)[one, other])

    def of_pair(self, one: int, other: int) -> tuple[float, float, float]:
        """Return the degrees of freedom of a difference, the factor of its standard deviation, and the excess.

        With d discordant cases (or clusters) there are at most d - 1 degrees of freedom.
        """
        size, freedom = len(self.cases), self.freedom_of_pair(one, other)
        if self.discordant is not None:
            freedom = min(freedom, float(max(self.discordant[one, other] - 1, 0.0)))
        inflation = np.broadcast_to(self.inflation, size)
        excess = float(np.broadcast_to(self.excess, (size, size))[one, other])
        return freedom, float(max(inflation[one], inflation[other])), excess

    def threshold(self, who: np.ndarray, critical: Any, bonferroni: float = 0.0) -> np.ndarray:
        """Return the standard deviations that a lead requires (entity, rival), for normal critical values.

        They are quantiles of t distributions times the larger factor of the two entities, but at
        least what as many independent cases would need: a normal quantile times their larger
        standard deviation. With few degrees of freedom, the critical value is at least
        ``bonferroni``: draws from G units lie in G - 1 dimensions, so the largest of many leads is
        smaller in the draws than in repeated experiments. Of 20 equal entities on 5 cases, one was
        called worse in 0.27 of boards without this bound. No lead is enough if the difference is
        too skewed.
        """
        size = len(self.cases)
        factor = np.broadcast_to(self.inflation, size)[who]
        factor = np.maximum(factor[:, None], factor)
        pairs: Any = ... if np.array_equal(who, np.arange(size)) else np.ix_(who, who)
        least = critical * factor * np.broadcast_to(self.excess, (size, size))[pairs]
        if not np.isinf(self.reach).all():
            least = np.where(
                critical > np.broadcast_to(self.reach, (size, size))[pairs], np.inf, least
            )
        if np.isinf(self.freedom).all():
            return least
        freedom = np.broadcast_to(self.freedom, (size, size))[pairs]
        position: Any = ...
        if np.ndim(critical) == 0:  # many pairs have the same degrees of freedom
            freedom, position = np.unique(freedom, return_inverse=True)
            position = position.reshape(least.shape)
        critical = np.where(freedom < ENOUGH_FREEDOM, np.maximum(critical, bonferroni), critical)
        wide = np.where(freedom > 0, critical, np.inf).astype(float)
        some = (freedom > 0) & np.isfinite(freedom)
        wide[some] = -stdtrit(freedom[some], ndtr(-critical[some]))
        return np.maximum(wide[position] * factor, least)


def _allow(
    prob: float, freedom: np.ndarray, inflation: np.ndarray, varying: np.ndarray, alike: Ends
) -> Allowance:
    """Return the allowance for few clusters (entity); of d clusters that vary, at most d - 1 degrees of freedom."""
    factor = inflation * _t_over_normal(prob, freedom)
    thin = inflation * _t_over_normal(prob, np.minimum(freedom, varying - 1))
    known = np.isfinite(alike).all(axis=0) & np.isfinite(freedom)
    return Allowance(factor, np.where(known, thin, factor), *alike)


def _t_over_normal(prob: float, freedom: np.ndarray) -> np.ndarray:
    """Return the quantile of a t distribution, infinite without freedom, over that of the normal one."""
    tail = (1 - prob) / 2
    some = (freedom >= LEAST_FREEDOM) & np.isfinite(freedom)
    ratio = stdtrit(np.where(some, freedom, 1.0), tail) / ndtri(tail)
    return np.where(some, ratio, np.where(freedom < LEAST_FREEDOM, np.inf, 1.0))


def stretch(
    factor: np.ndarray, middle: np.ndarray, ends: Ends, limits: tuple[float, float]
) -> Ends:
    """Return intervals with both ends moved away from the middle by a factor, within the limits of the score.

    An infinite factor gives the whole range of the score, or NaN where the range is infinite. An
    end that is equal to the middle stays.
    """

    def move(end: np.ndarray, limit: float) -> np.ndarray:
        with np.errstate(invalid="ignore"):
            moved = np.clip(middle + factor * (end - middle), *limits)
        moved = np.where(np.isinf(factor), limit if np.isfinite(limit) else np.nan, moved)
        return np.where((factor == 1) | (end == middle), end, moved)

    return move(ends[0], limits[0]), move(ends[1], limits[1])


def least(values: np.ndarray) -> float:
    """Return the smallest known value; infinite if none is known."""
    return float(np.fmin.reduce(values, axis=None, initial=np.inf))
