"""Dirichlet-multinomial: random cases, so that class sizes are informative about the prevalence.

A table has probabilities p ~ Dirichlet(α), which factor into row totals and independent rows.
Entities on the same test set share the row totals, observed once. Outcomes without classes are one
row.
"""

from typing import Any, ClassVar

from bayesrank.evidence.counts import are_outcomes, check_outcomes
from bayesrank.models.parts.product_multinomial import DirichletRows, ProductMultinomial


class Outcomes(DirichletRows):
    """Model random cases with one of several outcomes each, without classes: counts (entity, [dataset], outcome).

    The default prior spreads one case over all outcomes: Beta(1/2, 1/2) for right and wrong.
    """

    words: ClassVar[str] = "The cases are a random sample, and each has one of several outcomes."
    check = staticmethod(check_outcomes)


class DirichletMultinomial(ProductMultinomial):
    """Model random cases, with class sizes that are informative about the prevalence.

    Options are those of :class:`~bayesrank.models.parts.product_multinomial.ProductMultinomial` or,
    for outcomes without classes, of :class:`Outcomes`.

    Examples
    --------
    >>> model = DirichletMultinomial(br.from_counts(tn=8, fp=2, fn=1, tp=9), prior="uniform")
    >>> model.conjugate().posterior.values.tolist()
    [[[9.0, 3.0], [2.0, 10.0]]]
    """

    words: ClassVar[str] = (
        "The cases are a random sample, so the class sizes are informative about the prevalence."
    )
    PREVALENCE: ClassVar[str] = "sampled"

    @classmethod
    def taking(cls, evidence: Any) -> type:
        """Return the class for this evidence: for tables, or for outcomes without classes."""
        return Outcomes if are_outcomes(evidence) else cls
