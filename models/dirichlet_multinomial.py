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
"""

from typing import Any

import xarray as xr

from bayesrank.models import _product_multinomial

#: What is known of the row totals when nothing else is said: they were sampled along with the cases.
PREVALENCE = "sampled"


def posterior(counts: xr.DataArray, concentration: xr.DataArray) -> xr.DataArray:
    """Concentration of the Dirichlet posterior: α + n, with the dims of ``counts``.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=8, fp=2, fn=1, tp=9)
    >>> posterior(counts, counts * 0 + 1).values.tolist()
    [[[9, 3], [2, 10]]]
    """
    return concentration + counts


def build(counts: xr.DataArray, concentration: xr.DataArray, prevalence: Any = PREVALENCE, shared: bool = True) -> Any:
    """The PyMC model.

    Parameters
    ----------
    counts : xarray.DataArray
        Integer counts (entity, [dataset], actual, predicted).
    concentration : xarray.DataArray
        Prior α with the dims of ``counts``.
    prevalence : "sampled" or xarray.DataArray
        Row totals sampled with the cases, or known ones (entity, [dataset], actual).
    shared : bool
        Whether entities of one test set share their row totals.

    Returns
    -------
    pymc.Model
        With the variables ``row`` (rates), ``prevalence`` where it is sampled, and ``performance``.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=8, fp=2, fn=1, tp=9)
    >>> model = build(counts, counts * 0 + 1.0)
    >>> sorted(variable.name for variable in model.free_RVs)
    ['prevalence', 'row']
    """
    return _product_multinomial.build(counts, concentration, prevalence, shared)
