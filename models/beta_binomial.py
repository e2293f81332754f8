r"""Beta-binomial: the numbers of negatives and positives were set by design and say nothing of the prevalence.

The story. The designer of the study chose :math:`N_-` negative and :math:`N_+` positive cases. An entity calls a
negative case positive with probability :math:`x` (its false positive rate), and a positive case positive with
probability :math:`y` (its true positive rate):

.. math::

    x \sim \mathrm{Beta}(\alpha_{fp}, \alpha_{tn}), \quad y \sim \mathrm{Beta}(\alpha_{tp}, \alpha_{fn}), \qquad
    fp \sim \mathrm{Binomial}(N_-, x), \quad tp \sim \mathrm{Binomial}(N_+, y).

The priors are conjugate: a posteriori the rates are independent
:math:`\mathrm{Beta}(\alpha_{fp} + fp, \alpha_{tn} + tn)` and :math:`\mathrm{Beta}(\alpha_{tp} + tp, \alpha_{fn} + fn)`.
The performance needs a prevalence :math:`\pi`, which these data do not tell: the design's share of positives unless
another is given. It is :math:`((1-\pi)(1-x), (1-\pi)x, \pi(1-y), \pi y)` for tn, fp, fn, tp.
"""

from typing import Any

import xarray as xr

from bayesrank.models import _product_multinomial

#: What is known of the row totals when nothing else is said: they were set by design.
PREVALENCE = "observed"


def posterior(counts: xr.DataArray, concentration: xr.DataArray) -> xr.DataArray:
    """Parameters of the Beta posterior of each row: α + n, with the dims of ``counts``.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=8, fp=2, fn=1, tp=9)
    >>> posterior(counts, counts * 0 + 1).values.tolist()
    [[[9, 3], [2, 10]]]
    """
    return concentration + counts


def build(counts: xr.DataArray, concentration: xr.DataArray, prevalence: Any, shared: bool = True) -> Any:
    """The PyMC model; see :func:`bayesrank.models.dirichlet_multinomial.build` for the arguments.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=8, fp=2, fn=1, tp=9)
    >>> shares = counts.sum("predicted") / counts.sum(["actual", "predicted"])
    >>> [variable.name for variable in build(counts, counts * 0 + 1.0, shares).free_RVs]
    ['row']
    """
    return _product_multinomial.build(counts, concentration, prevalence, shared)
