r"""Hierarchical beta-binomial: rates vary between data sets around a mean, with a learned spread.

Entity :math:`e` is right on cases of class :math:`c` in data set :math:`d` with its own rate,

.. math::

    \theta_{edc} \sim \mathrm{Beta}(m_{ec}\kappa_{ec}, (1 - m_{ec})\kappa_{ec}), \qquad x_{edc} \sim
    \mathrm{Binomial}(n_{edc}, \theta_{edc}),

so that :math:`x` is beta-binomial. The spread :math:`s = 1/\sqrt{\kappa + 1}` is the standard deviation of the rates,
divided by its maximum at this mean. Entities and classes are independent given the class sizes. Class sizes have the
same model, in which every test set enters once. Outcomes of two values (right and wrong) are one class.

The unit of information on a population is a data set. The prior of the mean :math:`m` therefore has the weight of one
data set: Beta(1/2, 1/2), Jeffreys' prior of a rate. At :math:`s = 0` all cases are tosses of one coin; at :math:`s = 1`
each data set is one toss. The prior of :math:`1/\sqrt\kappa = s/\sqrt{1 - s^2}` is half-Student-t with 3 degrees of
freedom and scale 1/4: flat at 0 and falling to 0 at 1, where a few perfect data sets would be compatible with a mean
far below 1. The options ``prior`` and ``spread`` change these priors; the guide on many data sets reports the measured
coverage.

There are three performances. ``performance`` (observed) is that on each data set, with shrinkage of small data sets to
the mean. ``performance_typical`` averages rates and prevalence over data sets with equal weights. ``performance_new``
is that on one more data set, with the same prevalence for all entities but independent rates, since this model has no
shared difficulty. Without data sets the entities are the population, and only ``performance`` is available.

References
----------
Gelman et al., Bayesian Data Analysis, 3rd ed., section 5.3, the model for rats.
"""

from typing import Any, ClassVar

import numpy as np
import xarray as xr

from bayesrank._random import Block, fingerprint, stream
from bayesrank.models._conjugate import log_evidence
from bayesrank.models._hierarchical import MEAN, SPREAD_OF, Apart, Hyper
from bayesrank.models._population import learn


class HierarchicalBetaBinomial(Apart):
    """Model each entity's rates as varying between data sets around a mean, with a learned spread.

    The evidence is counts of two classes or two outcomes, the options are those of
    :class:`~bayesrank.models._hierarchical.Hierarchical`. Means and spreads are drawn by quadrature, without chains.

    Examples
    --------
    >>> import bayesrank as br
    >>> cells = dict(tn=[8, 9, 7], fp=[2, 1, 3], fn=[1, 0, 9], tp=[9, 5, 1])
    >>> series = br.from_counts(**cells, entity=["a"] * 3, dataset=["x", "y", "z"])
    >>> fit = br.fit(series, "hierarchical_beta_binomial", seed=1)
    >>> fit["posterior"]["spread"].mean(["chain", "draw"]).round(1).values.tolist()
    [[0.2, 0.6]]
    """

    most_outcomes: ClassVar[int | None] = 2
    words: ClassVar[str] = "The rates of each entity vary between data sets around a mean, with a learned spread."

    def __init__(self, counts: xr.DataArray, **options: Any) -> None:
        super().__init__(counts, **options)
        self._evidence: dict[str, float] = {}

    def draw(self, group: str, block: Block, root: np.random.SeedSequence) -> dict[str, xr.Variable]:
        """Draw one block of the prior or the posterior, with means and spreads by quadrature."""
        hyper: Hyper = {
            MEAN: np.empty((block.size, *self.prior.shape)),
            SPREAD_OF: np.empty((block.size, *self.prior.shape[:-1])),
        }
        for i, name in enumerate(self.names):
            for c, (prior, counts) in enumerate(zip(self.prior[i], self.members[i], strict=True)):
                rng = stream(root, group, "population", name, c, fingerprint(counts[self.order], prior), *block.key)
                hyper[MEAN][:, i, c], hyper[SPREAD_OF][:, i, c] = self._population(
                    group, counts, prior, self.spread, rng, block.size
                )
        return self._tables(hyper | self._draw_class_shares(group, block, root), group, block, root)

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
        seen = counts[counts.sum(-1) > 0]
        if not len(seen):
            return 0.0
        key = fingerprint(np.array(sorted(seen.tolist())), prior)
        if key not in self._evidence:
            self._evidence[key] = learn(seen[:, 1], seen.sum(-1), prior[::-1], self.spread).log_evidence
        return self._evidence[key]
