r"""Pairs of correlated normal effects on the logits of two rates, partially centred.

An effect :math:`x \sim N(m, s)` is best sampled as it is with informative data, and as :math:`(x - m)/s` otherwise. In
between, :math:`y = m w + (x - m)/s^{1-w} \sim N(wm, s^w)` has a weight :math:`w` from 0 (little information) to 1. The
second effect of a pair is conditional on the first: with standard normal :math:`t_1, t_2`,

.. math::

    x_1 = m_1 + s_1 t_1, \qquad x_2 = m_2 + s_2 (\rho t_1 + \sqrt{1 - \rho^2}\, t_2).

References
----------
Papaspiliopoulos, Roberts and Sköld (2007), Statistical Science 22:59-73, on partially non-centred parametrizations.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import expit

#: Number of Gauss-Hermite nodes for means of rates.
NODES = 32
#: Added to variances so that near-zero covariances have a Cholesky factor.
TINY = 1e-12

#: Returns the latent normal variable of a row, given its mean and scale: in a PyMC model, or from its samples.
Latent = Callable[[int, Any, Any], Any]


def effects(
    latent: Latent, mean: list[Any], sd: list[Any], correlation: Any, weight: list[np.ndarray]
) -> tuple[list[Any], list[Any]]:
    """Return the effects on each row, and their standardised values, from latent variables (symbols or numbers).

    ``latent`` maps a row, and the mean and scale of its latent variables, to these. ``weight`` is the degree of
    centring of each effect, in [0, 1], by row.
    """
    found: list[Any] = []
    standard: list[Any] = []
    for row, (m, s, w) in enumerate(zip(mean, sd, weight, strict=True)):
        if row:
            m, s = m + s * correlation * standard[0], s * (1 - correlation**2) ** 0.5
        scale = s**w
        y = latent(row, w * m, scale)
        t = (y - w * m) / scale
        found.append(m + s * t)
        standard.append(t)
    return found, standard


def alike(weight: np.ndarray) -> np.ndarray:
    """Return the weights, or a single one if all are equal; PyTensor warns of constant vectors in a graph."""
    return weight[:1] if weight.size and np.ptp(weight) == 0 else weight


def covariance(sd: np.ndarray, half: np.ndarray | None) -> np.ndarray:
    """Return the covariance (draw, row, row) of one or two rows from standard deviations and (correlation + 1) / 2."""
    found = sd[:, :, None] * sd[:, None, :]
    if sd.shape[1] == 2 and half is not None:
        found[:, [0, 1], [1, 0]] *= (2 * half - 1)[:, None]
    return found


def factor_of(sd: np.ndarray, half: np.ndarray | None) -> np.ndarray:
    """Return the Cholesky factor of the covariance (draw, row, row)."""
    found = covariance(sd, half)
    return np.linalg.cholesky(found + TINY * np.eye(found.shape[-1]))


def logit_of_mean(mean: np.ndarray, sd: np.ndarray) -> np.ndarray:
    """Return the logit of the mean rate if logits are normal, without cancellation for rates near 1."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    right, wrong = (
        sum(w * expit(sign * (mean + z * sd)) for z, w in zip(nodes, weights / weights.sum(), strict=True))
        for sign in (1, -1)
    )
    return np.log(right) - np.log(wrong)
