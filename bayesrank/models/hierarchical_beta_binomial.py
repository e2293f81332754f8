"""Hierarchical beta-binomial: rates vary between data sets around a mean, with a learned spread.

The rate of right answers in a class is Beta(mκ, (1 - m)κ) on each data set. The spread s = 1/√(κ + 1) is its standard
deviation, divided by the maximum at this mean. Entities and classes are independent given the class sizes, which have
the same model. The mean has the prior of one data set, and 1/√κ a half-Student-t prior (see ``_population``).
"""

from typing import ClassVar

import numpy as np
import xarray as xr

from bayesrank._random import Block, fingerprint, stream
from bayesrank.models.parts.conjugate import log_evidence
from bayesrank.models.parts.hierarchical import MEAN, SPREAD_OF, Hierarchical


class HierarchicalBetaBinomial(Hierarchical):
    """Model each entity's rates as varying between data sets around a mean, with a learned spread.

    The evidence is counts of two classes or two outcomes, the options are those of
    :class:`~bayesrank.models.parts.hierarchical.Hierarchical`. Means and spreads are drawn by quadrature, without
    chains.

    Examples
    --------
    >>> cells = dict(tn=[8, 9, 7], fp=[2, 1, 3], fn=[1, 0, 9], tp=[9, 5, 1])
    >>> series = br.from_counts(**cells, entity=["a"] * 3, dataset=["x", "y", "z"])
    >>> fit = br.fit(series, "hierarchical_beta_binomial", seed=1)
    >>> fit["posterior"]["spread"].mean(["chain", "draw"]).round(1).values.tolist()
    [[0.2, 0.6]]
    """

    most_outcomes: ClassVar[int | None] = 2
    words: ClassVar[str] = "The rates of each entity vary between data sets around a mean, with a learned spread."

    def draw(self, group: str, block: Block, root: np.random.SeedSequence) -> dict[str, xr.Variable]:
        mean, spread = np.empty((block.size, *self.prior.shape)), np.empty((block.size, *self.prior.shape[:-1]))
        for i, name in enumerate(self.names):
            for c, (prior, counts) in enumerate(zip(self.prior[i], self.members[i], strict=True)):
                rng = stream(root, group, "population", name, c, fingerprint(counts[self.order], prior), *block.key)
                mean[:, i, c], spread[:, i, c] = self._population(group, counts, prior, self.spread, rng, block.size)
        hyper = {MEAN: mean, SPREAD_OF: spread} | self._draw_class_shares(group, block, root)
        return self._tables(hyper, group, block, root)

    def log_evidence(self, members: np.ndarray | None = None, sizes: np.ndarray | None = None) -> float:
        """Return the log marginal likelihood of the cases in their order.

        By default of the observed ``members`` (population, row, member, answer) and class ``sizes`` (test set, class).
        """
        members = self.members if members is None else members
        found = 0.0
        for i in range(len(self.names)):
            for prior, counts in zip(self.prior[i], members[i], strict=True):
                found += self._log_evidence(counts, prior)
        if self.outcomes or self.totals is not None:
            return found
        sizes = self.class_sizes if sizes is None else sizes
        if self.learns_shares:
            return found + self._log_evidence(sizes, self.share_prior)
        return found + log_evidence(sizes, self.prior[0].sum(-1)).sum()

    def _log_evidence(self, counts: np.ndarray, prior: np.ndarray) -> float:
        """Return the log marginal likelihood of a population."""
        return self.learn_population(counts, prior, self.spread).log_evidence if counts.any() else 0.0
