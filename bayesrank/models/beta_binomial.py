r"""Beta-binomial: class sizes set by design, without information on the prevalence.

The study has :math:`N_-` negative and :math:`N_+` positive cases by design. An entity calls a negative case positive
with probability :math:`x` (its false positive rate), and a positive case positive with probability :math:`y` (its true
positive rate):

.. math::

    x \sim \mathrm{Beta}(\alpha_{fp}, \alpha_{tn}), \quad y \sim \mathrm{Beta}(\alpha_{tp}, \alpha_{fn}), \qquad fp \sim
    \mathrm{Binomial}(N_-, x), \quad tp \sim \mathrm{Binomial}(N_+, y).

The posterior rates are independent, :math:`\mathrm{Beta}(\alpha_{fp} + fp, \alpha_{tn} + tn)` and
:math:`\mathrm{Beta}(\alpha_{tp} + tp, \alpha_{fn} + fn)`. The prevalence :math:`\pi` is the design's share of positives
unless another is given. The performance (tn, fp, fn, tp) is :math:`((1-\pi)(1-x), (1-\pi)x, \pi(1-y), \pi y)`.
"""

from typing import ClassVar

from bayesrank.models._product_multinomial import ProductMultinomial


class BetaBinomial(ProductMultinomial):
    """Model class sizes set by design, without information on the prevalence.

    Options are those of :class:`~bayesrank.models._product_multinomial.ProductMultinomial`.

    Examples
    --------
    >>> import bayesrank as br
    >>> model = BetaBinomial(br.from_counts(tn=8, fp=2, fn=1, tp=9), prior="uniform")
    >>> model.conjugate().posterior.values.tolist()
    [[[9.0, 3.0], [2.0, 10.0]]]
    """

    needs_classes: ClassVar[bool] = True
    most_outcomes: ClassVar[int | None] = 2
    words: ClassVar[str] = "The class sizes were set by design and hold no information on the prevalence."
    PREVALENCE: ClassVar[str] = "observed"
