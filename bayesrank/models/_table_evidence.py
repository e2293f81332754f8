"""Marginal likelihood of a table: binomials with normal logits."""

import numpy as np
from scipy.special import gammaln

#: Number of Gauss-Hermite nodes along each axis, centred at the mode.
NODES = 11
#: Number of Newton steps, and the maximum length of each in logits.
STEPS, REACH = 30, 3.0


def binomial_evidence(
    right: np.ndarray, cases: np.ndarray, mean: np.ndarray, sd: np.ndarray, correlation: np.ndarray
) -> np.ndarray:
    """Return the log probability (draw) of right answers (row), with the normal logits of the rates integrated out.

    There are one or two rows. ``mean`` and ``sd`` (draw, row) and ``correlation`` (draw) are those of the logits.
    """
    rows = cases.size
    # Logits are mean + factor @ t with t standard normal.
    factor = np.zeros((len(mean), rows, rows))
    factor[:, 0, 0] = sd[:, 0]
    if rows == 2:
        factor[:, 1, 0] = sd[:, 1] * correlation
        factor[:, 1, 1] = sd[:, 1] * np.sqrt(1 - correlation**2)
    mode = np.zeros_like(mean)
    for _ in range(STEPS):
        rate, curvature = _rate(mean + np.einsum("drk,dk->dr", factor, mode), cases)
        gradient = np.einsum("drk,dr->dk", factor, right - cases * rate) - mode
        step = np.linalg.solve(_precision(factor, curvature), gradient[..., None])[..., 0]
        far = abs(np.einsum("drk,dk->dr", factor, step)).max(1, keepdims=True)
        mode = mode + step * np.minimum(1, REACH / np.maximum(far, 1e-300))
    _, curvature = _rate(mean + np.einsum("drk,dk->dr", factor, mode), cases)
    around = np.linalg.cholesky(np.linalg.inv(_precision(factor, curvature)))
    nodes, weights = np.polynomial.hermite.hermgauss(NODES)
    grid = np.stack([axis.ravel() for axis in np.meshgrid(*[nodes] * rows, indexing="ij")], -1)
    weight = np.prod(np.stack([axis.ravel() for axis in np.meshgrid(*[weights] * rows, indexing="ij")], -1), -1)
    t = mode[:, None] + np.sqrt(2) * np.einsum("dkl,nl->dnk", around, grid)
    logits = mean[:, None] + np.einsum("drk,dnk->dnr", factor, t)
    log = (right * logits - cases * np.logaddexp(0, logits)).sum(-1) - (t**2).sum(-1) / 2 + (grid**2).sum(-1)
    top = log.max(1)
    summed = np.log(np.exp(log - top[:, None]) @ weight) + top
    choose = (gammaln(cases + 1) - gammaln(right + 1) - gammaln(cases - right + 1)).sum()
    # The normal density has (2π)^(-rows/2), the change to nodes √2 for each axis.
    scale = np.log(np.diagonal(around, axis1=1, axis2=2)).sum(1) - rows * np.log(np.pi) / 2
    return choose + summed + scale


def _rate(logits: np.ndarray, cases: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return rates, and the information of the cases on their logits."""
    rate = 0.5 * (1 + np.tanh(logits / 2))
    return rate, cases * rate * (1 - rate)


def _precision(factor: np.ndarray, curvature: np.ndarray) -> np.ndarray:
    """Return the precision of the standard normal variables (draw, row, row)."""
    return np.eye(factor.shape[-1]) + np.einsum("drk,dr,drl->dkl", factor, curvature, factor)
