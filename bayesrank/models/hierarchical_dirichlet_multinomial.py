r"""Hierarchical Dirichlet-multinomial: answers vary from data set to data set around a mean, by a learned spread.

The story. Entity :math:`e` answers cases of class :math:`c` of data set :math:`d` with probabilities of its own there,

.. math::

    \theta_{edc} \sim \mathrm{Dirichlet}(\kappa_{ec} m_{ec}), \qquad
    x_{edc} \sim \mathrm{Multinomial}(n_{edc}, \theta_{edc}),

so that :math:`x` is Dirichlet-multinomial. The mean :math:`m` has a Dirichlet prior that is worth one data set, half
of it on the right answer. The standard deviation of each probability is the spread :math:`s = 1/\sqrt{\kappa + 1}`
times the largest that its mean allows; :math:`s/\sqrt{1 - s^2}` is half-Student-t with 3 degrees of freedom and scale
1/4 a priori. Class shares of test sets have the same model. Outcomes without classes (right and wrong, grades) are one
class.

With two classes or outcomes it is the model ``hierarchical_beta_binomial``, drawn by quadrature; with more it is
sampled. What is observed, typical and new is said there.
"""

from typing import Any, ClassVar

from bayesrank.evidence.counts import are_outcomes
from bayesrank.models._hierarchical import Apart
from bayesrank.models.hierarchical_beta_binomial import HierarchicalBetaBinomial


class HierarchicalDirichletMultinomial(Apart):
    """Each entity's answers vary from data set to data set around a mean, by a spread that is learned.

    Takes counts of any number of classes or outcomes, and the options of
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

    words: ClassVar[str] = (
        "Answers differ from data set to data set around a mean of each entity, by a spread that is learned."
    )

    @classmethod
    def taking(cls, evidence: Any) -> type:
        """The class that takes such evidence: with two answers the quadrature of the beta-binomial."""
        two = evidence.sizes.get("outcome" if are_outcomes(evidence) else "predicted") == 2
        return HierarchicalBetaBinomial if two else cls
