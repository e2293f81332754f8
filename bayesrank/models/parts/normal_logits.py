"""Rates of one or two rows whose logits are normal: moments of the observed logits, designs, and likelihoods."""

import numpy as np
from scipy.special import gammaln

#: Relative difference of matrices that are equal except for rounding.
SAME = 1e-9
#: Smallest estimate of a standard deviation between data sets.
SMALLEST_SD = 0.1
#: Added to variances so that near-zero covariances have a Cholesky factor.
TINY = 1e-12
#: Number of Gauss-Hermite nodes along each axis of a table's integral, centred at the mode.
NODES = 11
#: Number of Newton steps, and the maximum length of each in logits.
STEPS, REACH = 30, 3.0


def identified_terms(pairs: np.ndarray) -> tuple[str, ...]:
    """Return the terms that a design identifies: ("difficulty", "deviations"), ("deviations",) or ().

    ``pairs`` (pair, 2) holds entity and data set of each table with cases. Entity effects are free. With X their
    columns, P = 1 - X X⁺, and Z the columns of the data sets, logits have the covariance σ² ZZ' + τ² 1, identified from
    P ZZ' P and P. There is no term if P is 0 (no entity has two data sets), and one if the two are multiples.
    """
    entity, dataset = pairs.T
    # Entities on one data set have residuals of 0 and do not contribute.
    several = np.bincount(entity)[entity] > 1
    entity, dataset = entity[several], dataset[several]
    if entity.size == 0:
        return ()
    # Without matrices of all pairs: P ZZ' P = c P if R'R, with R = PZ, has as many equal eigenvalues as the rank of P.
    sizes = np.bincount(entity)
    met = np.zeros((sizes.size, dataset.max() + 1))
    met[entity, dataset] = 1
    gram = np.diag(met.sum(0)) - met.T @ (met / np.maximum(sizes, 1)[:, None])
    values = np.linalg.eigvalsh(gram)
    rank = entity.size - (sizes > 0).sum()
    large = np.sort(values)[::-1][:rank]
    alike = np.ptp(large) <= SAME * values.max()
    return ("deviations",) if alike else ("difficulty", "deviations")


def empirical_logits(right: np.ndarray, cases: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return logits of observed rates, with half a case added to each side, and their information (0 without cases)."""
    yes, no = right + 0.5, cases - right + 0.5
    return np.log(yes / no), np.where(cases > 0, yes * no / (cases + 1), 0.0)


def between(logit: np.ndarray, information: np.ndarray, entity: np.ndarray) -> tuple[np.ndarray, float]:
    """Estimate the weighted mean of each entity's logits, and their variance between data sets by moments.

    DerSimonian and Laird (1986), Controlled Clinical Trials 7:177-188, equation 8, summed over entities.
    """
    total = np.bincount(entity, information)
    mean = np.bincount(entity, information * logit) / np.maximum(total, 1e-300)
    q = (information * (logit - mean[entity]) ** 2).sum()
    freedom = (information > 0).sum() - (total > 0).sum()
    scale = (total - np.bincount(entity, information**2) / np.maximum(total, 1e-300)).sum()
    return mean, max(float((q - freedom) / scale), SMALLEST_SD**2) if scale > 0 else SMALLEST_SD**2


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


def binomial_evidence(right: np.ndarray, cases: np.ndarray, mean: np.ndarray, factor: np.ndarray) -> np.ndarray:
    """Return the log probability (draw) of right answers (row), with the normal logits of the rates integrated out.

    There are one or two rows. Logits are ``mean`` (draw, row) + ``factor`` (draw, row, row) @ t, t standard normal.
    """
    rows = cases.size
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
