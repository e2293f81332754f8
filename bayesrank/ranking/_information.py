"""How much information the evidence holds: effective counts, and what they allow a ranking to claim.

Cases are no measure of information where they come in clusters, where two entities give the same answer to nearly all
of them, where a class has few, or where a population prior ties the entities together. Every sentence and every
confidence set asks the record of this module instead of counting cases.

A mean of clusters with the shares w has a posterior standard deviation that is too small: the clusters with the
largest shares pull the mean towards themselves, and the weights of a Bayesian bootstrap vary too little. With equal
variances of the cluster means the expected shortfall and Satterthwaite's degrees of freedom have closed forms in the
sums of powers of w. Bell and McCaffrey (2002), Bias reduction in standard errors for linear regression with
multi-stage samples, Survey Methodology 28:169-181.
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import xarray as xr

__all__ = ["Information", "Patterns", "average_inflation", "cluster_information", "count_discordant"]

#: With fewer effective clusters, or fewer cases without a prior, no confidence set is given.
FEWEST_UNITS = 5
#: With fewer cases of a class (or data set) the spread of its rate cannot be estimated.
FEWEST_OF_CLASS = 2
#: A prior that counts as fewer cases does not make up for few discordant ones.
PRIOR_CASES = 2.0


@dataclass(frozen=True)
class Information:
    """Effective counts behind a ranking; NaN (or None) where not known or not applicable.

    Arrays are over ``entity`` in the order of the ranking, but for ``discordant``.
    """

    #: Cases that each entity met.
    cases: np.ndarray
    #: Effective number of clusters: Satterthwaite's degrees of freedom plus 1.
    clusters: np.ndarray
    #: Cases of the rarest class that has some.
    rarest: np.ndarray
    #: Of paired evidence: cases (or clusters) on which two entities differ (entity, rival).
    discordant: np.ndarray | None = None
    #: Number of data sets that the evidence comes from.
    datasets: int = 1
    #: What a hierarchical model learns a population of: "entities", "data sets" or "classes"; empty without one.
    population: str = ""
    #: Degrees of freedom of a difference (entity, rival); infinite where a normal quantile serves.
    freedom: np.ndarray | float = np.inf
    #: Factor by which the posterior standard deviation of a score is too small (entity), at least 1.
    inflation: np.ndarray | float = 1.0

    def withheld(self) -> str:
        """Return why confidence sets are withheld, in plain words; empty where they are given.

        Examples
        --------
        >>> unknown = np.full(2, np.nan)
        >>> Information(unknown, np.array([4.0, 4.0]), unknown).withheld()
        'fewer than 5 effective clusters'
        >>> Information(unknown, unknown, unknown).withheld()
        ''
        """
        if self.population in ("entities", "data sets"):
            return "population prior"
        if least(self.clusters) < FEWEST_UNITS - 1e-9:
            return f"fewer than {FEWEST_UNITS} effective clusters"
        if not np.isfinite(np.max(self.inflation, initial=1.0)):
            return f"fewer than {FEWEST_OF_CLASS} cases of a class or data set"
        if np.isnan(self.clusters).all() and np.isfinite(self.freedom).any() and least(self.cases) < FEWEST_UNITS:
            return f"fewer than {FEWEST_UNITS} cases"
        return ""

    @property
    def fewest_discordant(self) -> float:
        """Cases (or clusters) on which the two most similar entities differ; NaN unless paired."""
        if self.discordant is None or len(self.discordant) < 2:
            return np.nan
        return float(self.discordant[np.triu_indices(len(self.discordant), 1)].min())


@dataclass(frozen=True)
class Patterns:
    """Joint outcomes of paired evidence, as codes."""

    #: Answers (pattern, entity); negative where one is missing.
    answers: np.ndarray
    #: Cases of each pattern.
    count: np.ndarray
    #: Cluster of each pattern; None where cases are independent.
    cluster: np.ndarray | None
    #: Data set of each pattern; None for a single one.
    dataset: np.ndarray | None
    #: Whether all cases weigh the same, whatever the size of their cluster.
    by_case: bool

    @classmethod
    def of(cls, observed: xr.Dataset, by_case: bool) -> "Patterns | None":
        """Read the patterns of the group ``observed_data``; None where it has none.

        Examples
        --------
        >>> Patterns.of(xr.Dataset(), True) is None
        True
        """
        held = observed.get("pattern_outcome", observed.get("pattern_predicted"))
        if held is None or "pattern_count" not in observed:
            return None
        values = held.transpose("pattern", "entity").values
        codes = pd.factorize(values.ravel())[0].reshape(values.shape)
        cluster = pd.factorize(observed["pattern_cluster"].values)[0] if "pattern_cluster" in observed else None
        dataset = observed["pattern_dataset"].values if "pattern_dataset" in observed else None
        return cls(codes, observed["pattern_count"].values.astype(float), cluster, dataset, by_case)

    def on(self, dataset: object) -> "Patterns":
        """Return the patterns of one data set."""
        if self.dataset is None:
            return self
        here = np.array([name == dataset for name in self.dataset.tolist()])
        cluster = None if self.cluster is None else self.cluster[here]
        return replace(self, answers=self.answers[here], count=self.count[here], cluster=cluster, dataset=None)

    def sizes(self, entity: int) -> list[np.ndarray]:
        """Return the weights of the units of each data set for one entity: of its clusters, or of single cases."""
        met = self.answers[:, entity] >= 0
        names = np.zeros(len(met), int) if self.dataset is None else pd.factorize(self.dataset)[0]
        found = []
        for place in range(names.max(initial=0) + 1):
            here = met & (names == place)
            if self.cluster is None:
                found.append(np.ones(int(self.count[here].sum())))
                continue
            size = np.bincount(self.cluster[here], self.count[here])
            found.append(size[size > 0] if self.by_case else np.ones(np.count_nonzero(size)))
        return found


def least(values: np.ndarray) -> float:
    """Return the smallest known value; infinite if none is known.

    Examples
    --------
    >>> least(np.array([np.nan, 3.0])), least(np.array([np.nan]))
    (3.0, inf)
    """
    return float(np.fmin.reduce(values, axis=None, initial=np.inf))


def cluster_information(sizes: list[np.ndarray], weights: np.ndarray) -> tuple[float, float]:
    """Return the degrees of freedom of a mean over clusters, and the factor by which its bootstrap is too narrow.

    Parameters
    ----------
    sizes : list of ndarray
        Cases of each cluster (cluster), of each data set.
    weights : ndarray
        Weight of each data set (dataset).

    Returns
    -------
    freedom : float
        Satterthwaite's degrees of freedom, for equal variances of the means of clusters: G - 1 for equal sizes.
    factor : float
        True standard deviation over the one expected of the Bayesian bootstrap: √((G + 1)/(G - 1)) for equal sizes.

    Examples
    --------
    >>> freedom, factor = cluster_information([np.full(6, 10.0)], np.ones(1))
    >>> round(freedom, 9), round(factor**2, 9)
    (5.0, 1.4)
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


def average_inflation(cases: np.ndarray, mass: np.ndarray, weights: np.ndarray) -> float:
    """Return the factor by which the posterior of an average over classes or data sets is too narrow.

    A rate p seen on n cases, with a prior that counts as a cases, has the posterior mean (x + ap)/(n + a), whose
    variance is np(1 - p)/(n + a)². The expected posterior variance is (1 - n/(n + a)²) p(1 - p)/(n + a + 1). Without
    a prior their ratio is (n + 1)/(n - 1); a prior of two cases makes it less than 1 for every n.

    Parameters
    ----------
    cases, mass, weights : ndarray
        Of each class or data set: its cases, the cases that its prior counts as, and its weight.

    Examples
    --------
    >>> three = np.full(10, 3.0)
    >>> round(average_inflation(three, np.zeros(10), np.ones(10)) ** 2, 9)
    2.0
    >>> average_inflation(three, np.full(10, 2.0), np.ones(10))
    1.0
    """
    seen = (weights > 0) & (cases > 0)
    n, a, share = cases[seen], mass[seen], np.square(weights[seen])
    if not seen.any():
        return 1.0
    kept = n / (n + a) ** 2
    expected = (share * (1 - kept) / (n + a + 1)).sum()
    alone = n + a < FEWEST_OF_CLASS  # whose rate seems certain whatever it is
    if alone.any() or expected <= 0:
        return np.inf
    return float(np.sqrt(max((share * kept).sum() / expected, 1.0)))


def count_discordant(answers: np.ndarray, count: np.ndarray, cluster: np.ndarray | None) -> np.ndarray:
    """Count the cases, or the clusters, on which two entities give different answers (entity, rival).

    Parameters
    ----------
    answers : ndarray of int
        Answers (pattern, entity) as codes; negative where one is missing, which is no difference.
    count : ndarray
        Cases of each pattern.
    cluster : ndarray of int, optional
        Cluster of each pattern: clusters with a difference are then counted.

    Examples
    --------
    >>> count_discordant(np.array([[0, 0, 1], [1, 0, 1]]), np.array([3, 2]), None).astype(int).tolist()
    [[0, 2, 3], [2, 0, 5], [3, 5, 0]]
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
