"""Hierarchical Dirichlet-multinomial: answers vary between data sets around a mean, with a learned spread.

The probabilities of the answers in a class are Dirichlet(κm) on each data set. With two answers it
is the hierarchical beta-binomial, drawn by quadrature; with more it is sampled.
"""

from typing import Any, ClassVar

from bayesrank.evidence.counts import are_outcomes
from bayesrank.models.hierarchical_beta_binomial import HierarchicalBetaBinomial
from bayesrank.models.parts.hierarchical import Hierarchical


class HierarchicalDirichletMultinomial(Hierarchical):
    """Model each entity's answers as varying between data sets around a mean, with a learned spread.

    The evidence is counts of any number of classes or outcomes; the options are those of
    :class:`~bayesrank.models.parts.hierarchical.Hierarchical`.

    Examples
    --------
    >>> import numpy as np
    >>> import xarray as xr
    >>> grades = xr.DataArray(
    ...     np.array([[[3, 5, 2], [4, 5, 1]]]),
    ...     {"entity": ["a"], "dataset": ["x", "y"], "outcome": [0, 1, 2]},
    ...     ("entity", "dataset", "outcome"),
    ... )
    >>> HierarchicalDirichletMultinomial(grades).prior.round(2).tolist()
    [[[0.33, 0.33, 0.33]]]
    """

    words: ClassVar[str] = (
        "The answers of each entity vary between data sets around a mean, with a learned spread."
    )

    @classmethod
    def taking(cls, evidence: Any) -> type:
        """Return the class for this evidence: with two answers, the hierarchical beta-binomial."""
        two = evidence.sizes.get("outcome" if are_outcomes(evidence) else "predicted") == 2
        return HierarchicalBetaBinomial if two else cls
