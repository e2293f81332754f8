r"""Hierarchical Dirichlet-multinomial: answers vary between data sets around a mean, with a learned spread.

Entity :math:`e` answers cases of class :math:`c` in data set :math:`d` with its own probabilities,

.. math::

    \theta_{edc} \sim \mathrm{Dirichlet}(\kappa_{ec} m_{ec}), \qquad x_{edc} \sim \mathrm{Multinomial}(n_{edc},
    \theta_{edc}),

so that :math:`x` is Dirichlet-multinomial. The Dirichlet prior of the mean :math:`m` has the weight of one data set,
half of it on the right answer. The spread :math:`s = 1/\sqrt{\kappa + 1}` is the standard deviation of each
probability, divided by its maximum at this mean. The prior of :math:`s/\sqrt{1 - s^2}` is half-Student-t with 3 degrees
of freedom and scale 1/4. Class shares have the same model. Outcomes without classes (right and wrong, grades) are one
class.

With two classes or outcomes it is the model ``hierarchical_beta_binomial``, drawn by quadrature; with more it is
sampled. That model also describes the observed, typical and new performance.
"""

from typing import Any, ClassVar

from bayesrank.evidence.counts import are_outcomes
from bayesrank.models._hierarchical import Apart
from bayesrank.models.hierarchical_beta_binomial import HierarchicalBetaBinomial


class HierarchicalDirichletMultinomial(Apart):
    """Model each entity's answers as varying between data sets around a mean, with a learned spread.

    The evidence is counts of any number of classes or outcomes; the options are those of
    :class:`~bayesrank.models._hierarchical.Hierarchical`.

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

    words: ClassVar[str] = "The answers of each entity vary between data sets around a mean, with a learned spread."

    @classmethod
    def taking(cls, evidence: Any) -> type:
        """Return the class for this evidence: with two answers, the hierarchical beta-binomial."""
        two = evidence.sizes.get("outcome" if are_outcomes(evidence) else "predicted") == 2
        return HierarchicalBetaBinomial if two else cls
