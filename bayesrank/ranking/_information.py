"""The information in the evidence: effective counts, and the claims that they allow.

Bell and McCaffrey (2002), Bias reduction in standard errors for linear regression with multi-stage samples, Survey
Methodology 28:169-181, have the bias and Satterthwaite's degrees of freedom for means over clusters.

Miller and Siegmund (1982), Maximally selected chi square statistics, Biometrics 38:1011-1016, have the largest error
over a growing sample.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import ndtr, stdtrit

from bayesrank._notes import Note

#: Minimum of effective clusters, or of cases without a prior, for rank sets.
FEWEST_UNITS = 5
#: With fewer degrees of freedom of the cases behind a score of a table, rank sets use a t distribution.
ENOUGH_FREEDOM = 19
#: Minimum of cases of a class (or data set) for estimating the spread of its rate.
FEWEST_OF_CLASS = 2
#: A single run of cross-validation has no unbiased estimate of its variance (Bengio and Grandvalet 2004).
FEWEST_REPEATS = 2
#: With fewer data sets, one of ten equal learners was ruled out in 0.19 (3) and 0.76 (2) of boards; with 5, in 0.01.
FEWEST_DATASETS = 5
#: With fewer training seeds, the variance between fitted models is hardly known; see scripts/measure_seeds.py.
FEWEST_SEEDS = 4
#: Above this skewness ratio, bootstrap intervals of 95% covered 0.93 or less in scripts/measure_heavy_tails.py.
HEAVY_TAIL = 0.25
#: A prior equivalent to fewer cases does not compensate for few discordant cases.
PRIOR_CASES = 2.0


@dataclass(frozen=True)
class Information:
    """Effective counts behind a ranking (entity); NaN (or None) if unknown or not applicable."""

    cases: np.ndarray
    clusters: np.ndarray  #: Effective number of clusters: Satterthwaite's degrees of freedom plus 1.
    #: For paired evidence: cases (or clusters) on which two entities differ (entity, rival).
    discordant: np.ndarray | None = None
    #: The population in a hierarchical model: "entities", "data sets" or "classes"; empty without one.
    population: str = ""
    #: Degrees of freedom of a difference (entity, rival); infinite for a normal quantile.
    freedom: np.ndarray | float = np.inf
    #: Factor by which the posterior standard deviation of a score is too small (entity), at least 1.
    inflation: np.ndarray | float = 1.0
    #: Factor by which independent cases vary more than their clusters do (entity, rival), at least 1.
    excess: np.ndarray | float = 1.0
    #: The observed score (entity), NaN where unknown; None in models whose population moves it.
    observed: np.ndarray | None = None
    #: Repetitions of a cross-validation on one data set; NaN for other evidence.
    repeats: float = np.nan
    #: Data sets on which learners were compared; NaN for other evidence.
    datasets: float = np.nan
    seeds: float = np.nan  #: Training seeds of each entity, at least; NaN for other evidence.
    of_class: float = np.nan  #: Cases, or clusters, of the rarest class, for areas under curves.
    errors_known: bool = True  #: False for standard errors of means of unknown numbers of cases.
    unidentified: Note | None = None  #: Why the model's parameters are not identified by the cases.
    uneven: Note | None = None  #: Votes are spread unevenly, as if earlier ones chose the pairs.

    def withheld(self) -> Note | None:
        """Return why no rank set but all ranks can be justified; None if sets are available."""
        clusters, cases = least(self.clusters), least(self.cases)
        if self.unidentified is not None:
            return self.unidentified
        if not self.errors_known:
            return Note("means_without_n")
        if self.repeats < FEWEST_REPEATS:
            return Note("one_run_of_folds")
        if self.datasets < FEWEST_DATASETS:
            return Note("datasets_too_few", {"datasets": int(self.datasets), "enough": FEWEST_DATASETS})
        if self.seeds < FEWEST_SEEDS:
            return Note("seeds_too_few", {"seeds": int(self.seeds), "enough": FEWEST_SEEDS})
        if self.of_class < FEWEST_UNITS:
            return Note("cases_of_class_too_few", {"enough": FEWEST_UNITS})
        if clusters < FEWEST_UNITS - 1e-9:
            return Note("clusters_too_few", {"clusters": clusters, "enough": FEWEST_UNITS})
        if not np.isfinite(np.max(self.inflation, initial=1.0)):
            return Note("cases_of_class_too_few", {"enough": FEWEST_OF_CLASS})
        if np.isnan(self.clusters).all() and np.isfinite(self.freedom).any() and cases < FEWEST_UNITS:
            return Note("cases_too_few", {"cases": cases, "enough": FEWEST_UNITS})
        return None

    def with_constants(self, number: int) -> "Information":
        """Return the counts with more entities of known values, such as the same answer to every case."""
        old = len(self.cases)
        if not number:
            return self

        def pairs(values: Any, beside: np.ndarray, alone: float) -> np.ndarray:
            found = np.full((old + number,) * 2, alone)
            found[:old, :old] = np.broadcast_to(values, (old, old))
            found[:old, old:], found[old:, :old] = beside[:, None], beside
            return found

        freedom, excess = (np.broadcast_to(each, (old, old)) for each in (self.freedom, self.excess))
        unknown = np.full(number, np.nan)
        return replace(
            self,
            cases=np.append(self.cases, unknown),
            clusters=np.append(self.clusters, unknown),
            freedom=pairs(freedom, np.diag(freedom), np.inf),
            excess=pairs(excess, excess.max(axis=1), 1.0),
            inflation=np.append(np.broadcast_to(self.inflation, old), np.ones(number)),
            discordant=None if self.discordant is None else pairs(self.discordant, np.full(old, np.inf), np.inf),
            observed=None if self.observed is None else np.append(self.observed, unknown),
        )

    def notes(self) -> list[Note]:
        """Return notes on rank sets that are wider than the posterior alone would make them."""
        if self.withheld() is not None:
            return []
        if self.uneven is not None:
            return [self.uneven]
        if np.max(self.excess, initial=1.0) <= 1:
            return []
        pairs = int(np.triu(self.excess > 1, 1).sum())
        return [Note("clusters_vary_less", {"pairs": pairs, "of": len(self.cases) * (len(self.cases) - 1) // 2})]

    def of_pair(self, one: int, other: int) -> tuple[float, float]:
        """Return the degrees of freedom of a difference, and the factor by which its standard deviation is too small.

        With d discordant cases (or clusters) there are at most d - 1 degrees of freedom.
        """
        size = len(self.cases)
        freedom = float(np.broadcast_to(self.freedom, (size, size))[one, other])
        if self.discordant is not None:
            freedom = min(freedom, float(max(self.discordant[one, other] - 1, 0.0)))
        inflation = np.broadcast_to(self.inflation, size)
        factor = max(inflation[one], inflation[other]) * np.broadcast_to(self.excess, (size, size))[one, other]
        return freedom, float(factor)

    def threshold(self, who: np.ndarray, critical: float) -> np.ndarray:
        """Return the standard deviations that a lead requires (entity, rival), for a normal critical value.

        They are quantiles of t distributions, times the larger factor of the two entities and the excess of the pair.
        """
        size = len(self.cases)
        factor = np.broadcast_to(self.inflation, size)[who]
        factor = np.maximum(factor[:, None], factor) * np.broadcast_to(self.excess, (size, size))[np.ix_(who, who)]
        if np.isinf(self.freedom).all():
            return critical * factor
        freedom = np.broadcast_to(self.freedom, (size, size))[np.ix_(who, who)]
        wide = np.where(freedom > 0, critical, np.inf)
        some = (freedom > 0) & np.isfinite(freedom)
        wide[some] = -stdtrit(freedom[some], ndtr(-critical))
        return wide * factor


@dataclass(frozen=True)
class Patterns:
    """Joint outcomes of paired evidence, as codes."""

    answers: np.ndarray  #: (pattern, entity); negative if missing.
    count: np.ndarray  #: Cases of each pattern.
    cluster: np.ndarray | None  #: Of each pattern; None for independent cases.
    dataset: np.ndarray | None  #: Of each pattern; None for a single one.
    by_case: bool  #: Whether all cases have equal weight, regardless of the size of their cluster.
    outcome: np.ndarray | None = None  #: Outcomes that are numbers (pattern, entity).
    actual: np.ndarray | None = None  #: Label of each pattern, if cases have classes.
    predicted: np.ndarray | None = None  #: Predicted labels (pattern, entity), if cases have classes.

    @classmethod
    def of(cls, observed: xr.Dataset, by_case: bool) -> "Patterns | None":
        """Read the patterns of the group ``observed_data``; None if there are none."""
        held = observed.get("pattern_outcome", observed.get("pattern_predicted"))
        if held is None or "pattern_count" not in observed:
            return None
        values = held.transpose("pattern", "entity").values
        codes = pd.factorize(values.ravel())[0].reshape(values.shape)
        cluster = pd.factorize(observed["pattern_cluster"].values)[0] if "pattern_cluster" in observed else None
        dataset = observed["pattern_dataset"].values if "pattern_dataset" in observed else None
        found = cls(codes, observed["pattern_count"].values.astype(float), cluster, dataset, by_case)
        if "pattern_outcome" in observed:
            return replace(found, outcome=values.astype(float))
        actual = observed["pattern_actual"].values if "pattern_actual" in observed else None
        return replace(found, actual=actual, predicted=values)

    def on(self, dataset: object) -> "Patterns":
        """Return the patterns of one data set."""
        if self.dataset is None:
            return self
        here = np.array([name == dataset for name in self.dataset.tolist()])
        cluster = None if self.cluster is None else self.cluster[here]
        named = ("answers", "count", "outcome", "actual", "predicted")
        own = {name: values[here] for name in named if (values := getattr(self, name)) is not None}
        return replace(self, **own, cluster=cluster, dataset=None)

    def share_cases(self, one: int, other: int) -> bool:
        """Return whether two entities have answers to a common case."""
        return bool(((self.answers[:, one] >= 0) & (self.answers[:, other] >= 0)).any())

    def of_clusters(self, influence: np.ndarray) -> np.ndarray:
        """Return the sums of squares over clusters of the influence of cases (pattern, entity)."""
        assert self.cluster is not None
        return np.square(_sums(self.cluster, self.count[:, None] * influence)).sum(axis=0)

    def weights(self, of_datasets: np.ndarray | None) -> np.ndarray:
        """Return the weight of each case of a pattern in the mean of an entity (pattern, entity), 0 if missing.

        ``of_datasets`` are the weights of the data sets in a mean over them, in their order of appearance; without
        weights all cases count alike, or all clusters.
        """
        each = (self.answers >= 0).astype(float)
        if self.cluster is not None and not self.by_case:
            each /= np.maximum(_sums(self.cluster, self.count[:, None] * each), 1e-300)[self.cluster]
        if of_datasets is None or self.dataset is None:
            return each / (self.count @ each)
        names = pd.factorize(self.dataset)[0]
        return each / np.maximum(_sums(names, self.count[:, None] * each), 1e-300)[names] * of_datasets[names, None]

    def sizes(self, entity: int, strength: np.ndarray | None = None) -> list[np.ndarray]:
        """Return the weights of the units (clusters, or single cases) of each data set for one entity.

        ``strength`` is the influence of a case of each pattern (all alike without it): clusters without positive cases
        tell nothing about a rate of positive cases.
        """
        met = self.answers[:, entity] >= 0
        names = np.zeros(len(met), int) if self.dataset is None else pd.factorize(self.dataset)[0]
        found: list[np.ndarray] = []
        for place in range(names.max(initial=0) + 1):
            here = met & (names == place)
            if self.cluster is None:
                found.append(np.ones(int(self.count[here].sum())))
                continue
            cluster, count = self.cluster[here], self.count[here]
            own = count if strength is None else count * strength[here]
            size = np.bincount(cluster, own).astype(float)
            if not self.by_case:
                size = size / np.maximum(np.bincount(cluster, count), 1e-300)
            found.append(size[size > 0])
        return found


def least(values: np.ndarray) -> float:
    """Return the smallest known value; infinite if none is known."""
    return float(np.fmin.reduce(values, axis=None, initial=np.inf))


def cluster_information(sizes: list[np.ndarray], weights: np.ndarray) -> tuple[float, float]:
    """Return the degrees of freedom of a mean over clusters, and the factor by which its bootstrap is too narrow.

    G clusters of equal size (of each data set) have G - 1 degrees of freedom and the factor √((G + 1)/(G - 1)).
    """
    true = expected = squares = 0.0
    for size, weight in zip(sizes, weights.tolist(), strict=True):
        number = np.count_nonzero(size)
        if number < 2:
            return 0.0, np.inf
        s2, s3, s4, s5 = (float(((size / size.sum()) ** power).sum()) for power in (2, 3, 4, 5))
        trace = s2 - 2 * s3 + s2**2
        square = s4 - 4 * s5 + 4 * s2 * s4 + 2 * s3**2 - 4 * s2**2 * s3 + s2**4
        shrunk = weight**2 * number / (number + 1)
        true += weight**2 * s2
        expected += shrunk * trace
        squares += shrunk**2 * square
    return float(expected**2 / squares), float(np.sqrt(true / expected))


def excess_of_cases(influence: np.ndarray, count: np.ndarray, cluster: np.ndarray, factor: np.ndarray) -> np.ndarray:
    """Return the ratio of standard deviations of differences, of independent cases to clusters, at least 1.

    ``influence`` (pattern, entity) is the change of a score by each case of a pattern; the result (entity, rival).
    Clusters that vary less than their cases would by themselves are usually luck: the larger variance is conservative.
    ``factor`` (entity) is the one of the clusters' bootstrap.
    """
    groups = len(np.unique(cluster[(influence != 0).any(axis=1)]))
    sums = _sums(cluster, count[:, None] * influence)
    of_clusters = _of_differences(sums.T @ sums) * groups / (groups + 1)
    of_cases = _of_differences((count[:, None] * influence).T @ influence)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.sqrt(of_cases / of_clusters) / np.maximum(factor[:, None], factor)
    # Without a difference of any case the draws have no difference either.
    return np.where(of_cases > 0, np.maximum(np.nan_to_num(ratio, nan=1.0, posinf=np.inf), 1.0), 1.0)


def _sums(group: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the sums of values (item, ...) over the items of each group."""
    sums = np.zeros((group.max(initial=-1) + 1, *values.shape[1:]))
    np.add.at(sums, group, values)
    return sums


def _of_differences(products: np.ndarray) -> np.ndarray:
    """Return sums of squared differences (entity, rival) from sums of products; 0 if it is rounding error."""
    own = np.diag(products)[:, None] + np.diag(products)
    found = own - 2 * products
    return np.where(found > 1e-12 * own, found, 0.0)


def average_inflation(cases: np.ndarray, mass: np.ndarray, weights: np.ndarray) -> float:
    """Return the factor by which the posterior of an average over classes or data sets is too narrow.

    For n cases at rate p and a prior of a cases, the posterior mean (x + ap)/(n + a) has the variance np(1 - p)/(n +
    a)². The expected posterior variance is (1 - n/(n + a)²) p(1 - p)/(n + a + 1). Their ratio is (n + 1)/(n - 1)
    without a prior, and below 1 for a = 2.
    """
    seen = (weights > 0) & (cases > 0)
    n, a, share = cases[seen], mass[seen], np.square(weights[seen])
    if not seen.any():
        return 1.0
    kept = n / (n + a) ** 2
    expected = (share * (1 - kept) / (n + a + 1)).sum()
    alone = n + a < FEWEST_OF_CLASS  # a single case makes any rate seem certain
    if alone.any() or expected <= 0:
        return np.inf
    return float(np.sqrt(max((share * kept).sum() / expected, 1.0)))


def freedom_of_cases(variance: np.ndarray, cases: np.ndarray) -> np.ndarray:
    """Return the degrees of freedom (entity) of scores whose variance has these parts (entity, class).

    The cases of each class estimate its part, as in Satterthwaite (1946), Biometrics Bulletin 2:110-114. Infinite if
    enough, and 0 if rank sets are not justified: without them, the entity that has few cases is called worse than a
    rival with many too often.
    """
    part = np.where(variance > 0, np.square(variance) / np.maximum(cases - 1, 1e-9), 0.0).sum(axis=1)
    freedom = np.divide(np.square(variance.sum(axis=1)), part, out=np.full(len(part), np.inf), where=part > 0)
    freedom[freedom < FEWEST_UNITS - 1 - 1e-9] = 0.0
    return np.where(freedom < ENOUGH_FREEDOM, freedom, np.inf)


def count_discordant(answers: np.ndarray, count: np.ndarray, cluster: np.ndarray | None) -> np.ndarray:
    """Count the cases, or clusters, on which two entities give different answers (entity, rival).

    ``answers`` (pattern, entity) are codes; a negative one is missing and counts as no difference.
    """
    if cluster is not None:
        order = np.argsort(cluster, kind="stable")
        answers, count = answers[order], count[order]
        starts = np.flatnonzero(np.diff(cluster[order], prepend=-1))
    size = answers.shape[1]
    found = np.zeros((size, size))
    for i in range(size - 1):
        differ = (answers[:, i + 1 :] != answers[:, [i]]) & (answers[:, i + 1 :] >= 0) & (answers[:, [i]] >= 0)
        if cluster is None:
            found[i, i + 1 :] = count @ differ
        else:
            found[i, i + 1 :] = np.logical_or.reduceat(differ, starts).sum(axis=0)
    return found + found.T


def skewness_ratio(values: np.ndarray, count: np.ndarray | None = None) -> np.ndarray:
    """Return |skewness| / sqrt(cases) of each column of values (case, ...), the first error term of a normal mean.

    NaN is missing; ``count`` is the number of occurrences of each row.
    """
    weight = np.ones(len(values)) if count is None else count.astype(float)
    known = ~np.isnan(values)
    each = weight.reshape(-1, *[1] * (values.ndim - 1)) * known
    size = each.sum(axis=0)
    plain = np.where(known, values, 0.0)
    # The ratio has no unit: scaling by a power of two avoids overflow of sums and powers.
    plain = np.ldexp(plain, -np.frexp(np.abs(plain).max(axis=0, initial=0.0))[1])
    with np.errstate(invalid="ignore", divide="ignore"):
        off = np.where(known, plain - (each * plain).sum(axis=0) / size, 0.0)
        second, third = ((each * off**k).sum(axis=0) / size for k in (2, 3))
        ratio = np.abs(third) / second**1.5 / np.sqrt(size)
    return np.where(second > 0, np.nan_to_num(ratio), 0.0)
