r"""Dirichlet-multinomial: the cases were drawn at random, so the class sizes tell about the prevalence.

The story. A test set of :math:`N` cases is a random sample of the population. Each case is of class :math:`i` with
probability :math:`\pi_i`, and the entity answers :math:`j` to a case of class :math:`i` with probability
:math:`\theta_{ij}`:

.. math::

    \pi \sim \mathrm{Dirichlet}(\textstyle\sum_j \alpha_{1j}, \ldots), \qquad
    \theta_i \sim \mathrm{Dirichlet}(\alpha_{i1}, \ldots, \alpha_{iC}),

    (N_1, \ldots, N_C) \sim \mathrm{Multinomial}(N, \pi), \qquad
    (n_{i1}, \ldots, n_{iC}) \sim \mathrm{Multinomial}(N_i, \theta_i).

The performance is :math:`p_{ij} = \pi_i \theta_{ij}`; a priori :math:`p \sim \mathrm{Dirichlet}(\alpha)`, because a
Dirichlet factors into its row totals and independent rows. The prior is conjugate: a posteriori
:math:`p \sim \mathrm{Dirichlet}(\alpha + n)`.

Entities that were evaluated on one test set share its row totals: their rows are independent, their :math:`\pi` is
the same random quantity, observed once.

Outcomes without classes (right and wrong, grades) are one row:
:math:`p \sim \mathrm{Dirichlet}(\alpha)`, :math:`n \sim \mathrm{Multinomial}(N, p)`. There is no prevalence, and the
four cases of the default prior are spread over all outcomes.
"""

from typing import Any, ClassVar

from bayesrank.evidence.counts import are_outcomes
from bayesrank.models._outcomes import Outcomes
from bayesrank.models._product_multinomial import ProductMultinomial


class DirichletMultinomial(ProductMultinomial):
    """The cases were drawn at random, so the class sizes tell about the prevalence.

    Takes the options of :class:`~bayesrank.models._product_multinomial.ProductMultinomial`; by its name, of counts of
    outcomes without classes, those of :class:`~bayesrank.models._outcomes.Outcomes`.

    Examples
    --------
    >>> import bayesrank as br
    >>> model = DirichletMultinomial(br.from_counts(tn=8, fp=2, fn=1, tp=9), prior="uniform")
    >>> model.conjugate().posterior.values.tolist()
    [[[9.0, 3.0], [2.0, 10.0]]]
    """

    words: ClassVar[str] = "The cases were drawn at random, so the class sizes tell about the prevalence."
    PREVALENCE: ClassVar[str] = "sampled"

    @classmethod
    def taking(cls, evidence: Any) -> type:
        """The class that takes such evidence: tables, or outcomes without classes."""
        return Outcomes if are_outcomes(evidence) else cls
