"""Beta-binomial: class sizes set by design, and a Dirichlet prior of the answers in each class."""

from typing import ClassVar

from bayesrank.models.parts.product_multinomial import ProductMultinomial


class BetaBinomial(ProductMultinomial):
    """Model class sizes set by design, without information on the prevalence.

    Options are those of :class:`~bayesrank.models.parts.product_multinomial.ProductMultinomial`.

    Examples
    --------
    >>> model = BetaBinomial(br.from_counts(tn=8, fp=2, fn=1, tp=9), prior="uniform")
    >>> model.conjugate().posterior.values.tolist()
    [[[9.0, 3.0], [2.0, 10.0]]]
    """

    needs_classes: ClassVar[bool] = True
    most_outcomes: ClassVar[int | None] = 2
    words: ClassVar[str] = (
        "The class sizes were set by design and contain no information on the prevalence."
    )
    PREVALENCE: ClassVar[str] = "observed"
