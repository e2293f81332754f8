r"""Effects on the logits of two rates that go together: a normal pair, one after the other, each centred as it should.

An effect :math:`x \sim N(m, s)` of which the data say much is best sampled as it is; one of which they say little, as
:math:`(x - m)/s`. Between them lies :math:`y = m w + (x - m)/s^{1-w} \sim N(wm, s^w)`, with a weight :math:`w` from 0,
little, to 1, much. The second of a pair is conditional on the first: with standard normal :math:`t_1, t_2`,

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

#: Nodes of Gauss and Hermite's rule for means of rates.
NODES = 32
#: Keeps a covariance of next to nothing factorable.
TINY = 1e-12

#: Given its row, mean and scale, the latent normal variable: one of a PyMC model, or what was sampled of it.
Latent = Callable[[int, Any, Any], Any]


def effects(
    latent: Latent, mean: list[Any], sd: list[Any], correlation: Any, weight: list[np.ndarray]
) -> tuple[list[Any], list[Any]]:
    """Effects on each row, and their standardised values, from latent variables; by symbols or by numbers.

    Parameters
    ----------
    latent : callable
        From the row, and the mean and the scale of its latent variables, to these.
    mean, sd : list
        Of each row: means of the effects, and their standard deviation.
    correlation : number or symbol
        Of the two rows; not used if there is one.
    weight : list of numpy.ndarray
        Of each row, how centred each effect is: from 0 to 1.

    Examples
    --------
    >>> found, _ = effects(lambda row, mean, scale: mean + scale, [0.0, 0.0], [2.0, 1.0], 0.6, [np.zeros(1)] * 2)
    >>> [value.round(2).tolist() for value in found]
    [[2.0], [1.4]]
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
    """Weights, or one for all where they are the same: PyTensor complains of constant vectors in a graph.

    Examples
    --------
    >>> alike(np.array([0.5, 0.5])).tolist(), alike(np.array([0.5, 0.4])).tolist()
    ([0.5], [0.5, 0.4])
    """
    return weight[:1] if weight.size and np.ptp(weight) == 0 else weight


def covariance(sd: np.ndarray, half: np.ndarray | None) -> np.ndarray:
    """Of one or two rows (draw, row, row), from standard deviations and (correlation + 1) / 2."""
    found = sd[:, :, None] * sd[:, None, :]
    if sd.shape[1] == 2 and half is not None:
        found[:, [0, 1], [1, 0]] *= (2 * half - 1)[:, None]
    return found


def factor_of(sd: np.ndarray, half: np.ndarray | None) -> np.ndarray:
    """Cholesky's factor of the covariance (draw, row, row).

    Examples
    --------
    >>> factor_of(np.array([[3.0, 5.0]]), np.array([0.8])).round(2).tolist()
    [[[3.0, 0.0], [3.0, 4.0]]]
    """
    found = covariance(sd, half)
    return np.linalg.cholesky(found + TINY * np.eye(found.shape[-1]))


def logit_of_mean(mean: np.ndarray, sd: np.ndarray) -> np.ndarray:
    """Logit of the mean rate where logits are normal; a rate next to 1 loses no digits.

    Examples
    --------
    >>> logit_of_mean(np.array([-2.0, 2.0, 2.0]), np.array([1.0, 0.0, 1.0])).round(3).tolist()
    [-1.692, 2.0, 1.692]
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    right, wrong = (
        sum(w * expit(sign * (mean + z * sd)) for z, w in zip(nodes, weights / weights.sum(), strict=True))
        for sign in (1, -1)
    )
    return np.log(right) - np.log(wrong)
