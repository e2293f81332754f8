"""Hierarchical beta-binomial: rates vary between data sets around a mean, with a learned spread.

The rate of right answers in a class is Beta(mκ, (1 - m)κ) on each data set. The spread s = 1/√(κ +
1) is its standard deviation, divided by the maximum at this mean. Entities and classes are
independent given the class sizes, which have the same model. The mean has the prior of one data
set, and 1/√κ a half-Student-t prior (see ``_population``).
"""

from typing import Any, ClassVar

import numpy as np
import xarray as xr
from scipy.special import betaln, expit

from bayesrank._core.notes import Note
from bayesrank._core.random import Block, fingerprint, stream
from bayesrank.evidence.groups import GROUPS
from bayesrank.models.parts.conjugate import log_evidence
from bayesrank.models.parts.hierarchical import MEAN, SPREAD_OF, Hierarchical, Hyper

#: Prior probability that all groups of cases of an entity have one rate in a class.
EQUAL = 0.25


class HierarchicalBetaBinomial(Hierarchical):
    """Model each entity's rates as varying between data sets around a mean, with a learned spread.

    The evidence is counts of two classes or two outcomes, the options are those of
    :class:`~bayesrank.models.parts.hierarchical.Hierarchical`. Means and spreads are drawn by
    quadrature, without chains. If the counts are over groups of cases, the rates of the observed
    groups are averaged over two models: one rate for all groups, with prior probability 0.25, and
    this one. Typical and new groups have this one.

    The mean has the prior Beta(1/2, 1/2) by default (``prior="unit"``). The prior of s / √(1 - s²),
    where s is the spread, is half-Student-t with 3 degrees of freedom and scale ``spread``; with
    the default, 95% of the prior of s is below 0.62.

    Examples
    --------
    >>> cells = dict(tn=[8, 9, 7], fp=[2, 1, 3], fn=[1, 0, 9], tp=[9, 5, 1])
    >>> series = br.from_counts(**cells, entity=["a"] * 3, dataset=["x", "y", "z"])
    >>> fit = br.fit(series, "hierarchical_beta_binomial", seed=1)
    >>> fit["posterior"]["spread"].mean(["chain", "draw"]).round(1).values.tolist()
    [[0.2, 0.6]]
    """

    def __init__(self, counts: xr.DataArray, **options: Any) -> None:
        super().__init__(counts, **options)
        self.over_groups = "dataset" in counts.coords and GROUPS in counts["dataset"].attrs

    most_outcomes: ClassVar[int | None] = 2
    words: ClassVar[str] = (
        "The rates of each entity vary between data sets around a mean, with a learned spread."
    )

    def draw(
        self, group: str, block: Block, root: np.random.SeedSequence
    ) -> dict[str, xr.Variable]:
        mean, spread = (
            np.empty((block.size, *self.prior.shape)),
            np.empty((block.size, *self.prior.shape[:-1])),
        )
        for i, name in enumerate(self.names):
            for c, (prior, counts) in enumerate(zip(self.prior[i], self.members[i], strict=True)):
                rng = stream(
                    root,
                    group,
                    "population",
                    name,
                    c,
                    fingerprint(counts[self.order], prior),
                    *block.key,
                )
                mean[:, i, c], spread[:, i, c] = self._population(
                    group, counts, prior, self.spread, rng, block.size
                )
        hyper = {MEAN: mean, SPREAD_OF: spread} | self._draw_class_shares(group, block, root)
        return self._tables(hyper, group, block, root)

    def priors(self) -> list[Note]:
        """Return every prior, for reports."""
        return [
            *super().priors(),
            *[Note("prior_of_equal_groups", {"probability": EQUAL})] * self.over_groups,
        ]

    def _rates(
        self, hyper: Hyper, group: str, block: Block, root: np.random.SeedSequence
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Draw rates; those of observed groups are averaged over the model in which all groups have one rate."""
        observed, typical, new = super()._rates(hyper, group, block, root)
        if not self.over_groups:
            return observed, typical, new
        observed = observed.copy()
        for i, name in enumerate(self.names):
            for c, (prior, counts) in enumerate(zip(self.prior[i], self.members[i], strict=True)):
                rng = stream(
                    root,
                    group,
                    "equal groups",
                    name,
                    c,
                    fingerprint(counts[self.order], prior),
                    *block.key,
                )
                counts = counts if group == "posterior" else 0 * counts
                both = prior + counts.sum(axis=0)
                log_ratio = betaln(*both) - betaln(*prior) - self._log_evidence(counts, prior)
                equal = rng.random(block.size) < expit(log_ratio + np.log(EQUAL / (1 - EQUAL)))
                observed[equal, i, :, c] = rng.dirichlet(both, int(equal.sum()))[:, None]
        return observed, typical, new

    def log_evidence(
        self, members: np.ndarray | None = None, sizes: np.ndarray | None = None
    ) -> float:
        """Return the log marginal likelihood of the cases in their order.

        By default of the observed ``members`` (population, row, member, answer) and class ``sizes``
        (test set, class).
        """
        members = self.members if members is None else members
        result = 0.0
        for i in range(len(self.names)):
            for prior, counts in zip(self.prior[i], members[i], strict=True):
                result += self._log_evidence(counts, prior)
        if self.outcomes or self.totals is not None:
            return result
        sizes = self.class_sizes if sizes is None else sizes
        if self.learns_shares:
            return result + self._log_evidence(sizes, self.share_prior)
        return result + log_evidence(sizes, self.prior[0].sum(-1)).sum()

    def _log_evidence(self, counts: np.ndarray, prior: np.ndarray) -> float:
        """Return the log marginal likelihood of a population."""
        return (
            self.learn_population(counts, prior, self.spread).log_evidence if counts.any() else 0.0
        )
