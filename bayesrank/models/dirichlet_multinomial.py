r"""Dirichlet-multinomial: random cases, so that class sizes are informative about the prevalence.

A test set of :math:`N` cases is a random sample of the population. A case is of class :math:`i` with probability
:math:`\pi_i`, and an entity answers :math:`j` to a case of class :math:`i` with probability :math:`\theta_{ij}`:

.. math::

    \pi \sim \mathrm{Dirichlet}(\textstyle\sum_j \alpha_{1j}, \ldots), \qquad \theta_i \sim
    \mathrm{Dirichlet}(\alpha_{i1}, \ldots, \alpha_{iC}),

    (N_1, \ldots, N_C) \sim \mathrm{Multinomial}(N, \pi), \qquad (n_{i1}, \ldots, n_{iC}) \sim \mathrm{Multinomial}(N_i,
    \theta_i).

The performance is :math:`p_{ij} = \pi_i \theta_{ij}`, with the prior :math:`p \sim \mathrm{Dirichlet}(\alpha)`, because
a Dirichlet factors into row totals and independent rows. The posterior is :math:`\mathrm{Dirichlet}(\alpha + n)`.

Entities on the same test set share its row totals: their rows are independent, their :math:`\pi` is the same random
quantity, observed once.

Outcomes without classes (right and wrong, grades) are one row: :math:`p \sim \mathrm{Dirichlet}(\alpha)`, :math:`n \sim
\mathrm{Multinomial}(N, p)`. There is no prevalence, and the default prior spreads its four cases over all outcomes.
"""

from typing import Any, ClassVar

from bayesrank.evidence.counts import are_outcomes
from bayesrank.models._outcomes import Outcomes
from bayesrank.models._product_multinomial import ProductMultinomial


class DirichletMultinomial(ProductMultinomial):
    """Model random cases, with class sizes that are informative about the prevalence.

    Options are those of :class:`~bayesrank.models._product_multinomial.ProductMultinomial` or, for outcomes without
    classes, of :class:`~bayesrank.models._outcomes.Outcomes`.

    Examples
    --------
    >>> import bayesrank as br
    >>> model = DirichletMultinomial(br.from_counts(tn=8, fp=2, fn=1, tp=9), prior="uniform")
    >>> model.conjugate().posterior.values.tolist()
    [[[9.0, 3.0], [2.0, 10.0]]]
    """

    words: ClassVar[str] = "The cases are a random sample, so the class sizes are informative about the prevalence."
    PREVALENCE: ClassVar[str] = "sampled"

    @classmethod
    def taking(cls, evidence: Any) -> type:
        """Return the class for this evidence: for tables, or for outcomes without classes."""
        return Outcomes if are_outcomes(evidence) else cls
