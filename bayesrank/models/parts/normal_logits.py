"""Rates of one or two rows whose logits are normal: moments of the observed logits, and designs."""

import numpy as np

#: Relative difference of matrices that are equal except for rounding.
SAME = 1e-9
#: Smallest estimate of a standard deviation between data sets.
SMALLEST_SD = 0.1
#: Added to variances so that near-zero covariances have a Cholesky factor.
TINY = 1e-12


def identified_terms(pairs: np.ndarray) -> tuple[str, ...]:
    """Return the terms that a design identifies: ("difficulty", "deviations"), ("deviations",) or ().

    ``pairs`` (pair, 2) holds entity and data set of each table with cases. Entity effects are free.
    With X their columns, P = 1 - X X⁺, and Z the columns of the data sets, logits have the
    covariance σ² ZZ' + τ² 1, identified from P ZZ' P and P. There is no term if P is 0 (no entity
    has two data sets), and one if the two are multiples.
    """
    entity, dataset = pairs.T
    # Entities on one data set have residuals of 0 and do not contribute.
    several = np.bincount(entity)[entity] > 1
    entity, dataset = entity[several], dataset[several]
    if entity.size == 0:
        return ()
    # Without matrices of all pairs: P ZZ' P = c P if R'R, with R = PZ, has as many equal
    # eigenvalues as the rank of P.
    sizes = np.bincount(entity)
    measured = np.zeros((sizes.size, dataset.max() + 1))
    measured[entity, dataset] = 1
    gram = np.diag(measured.sum(0)) - measured.T @ (measured / np.maximum(sizes, 1)[:, None])
    values = np.linalg.eigvalsh(gram)
    rank = entity.size - (sizes > 0).sum()
    large = np.sort(values)[::-1][:rank]
    alike = np.ptp(large) <= SAME * values.max()
    return ("deviations",) if alike else ("difficulty", "deviations")


def empirical_logits(right: np.ndarray, cases: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return logits of observed rates, with half a case added to each side, and their information (0 without cases)."""
    yes, no = right + 0.5, cases - right + 0.5
    return np.log(yes / no), np.where(cases > 0, yes * no / (cases + 1), 0.0)


def between(
    logit: np.ndarray, information: np.ndarray, entity: np.ndarray
) -> tuple[np.ndarray, float]:
    """Estimate the weighted mean of each entity's logits, and their variance between data sets by moments.

    DerSimonian and Laird (1986), Controlled Clinical Trials 7:177-188, equation 8, summed over
    entities.
    """
    total = np.bincount(entity, information)
    mean = np.bincount(entity, information * logit) / np.maximum(total, 1e-300)
    q = (information * (logit - mean[entity]) ** 2).sum()
    freedom = (information > 0).sum() - (total > 0).sum()
    scale = (total - np.bincount(entity, information**2) / np.maximum(total, 1e-300)).sum()
    return mean, max(float((q - freedom) / scale), SMALLEST_SD**2) if scale > 0 else SMALLEST_SD**2


def covariance(sd: np.ndarray, half: np.ndarray | None) -> np.ndarray:
    """Return the covariance (draw, row, row) of one or two rows from standard deviations and (correlation + 1) / 2."""
    result = sd[:, :, None] * sd[:, None, :]
    if sd.shape[1] == 2 and half is not None:
        result[:, [0, 1], [1, 0]] *= (2 * half - 1)[:, None]
    return result


def factor_of(sd: np.ndarray, half: np.ndarray | None) -> np.ndarray:
    """Return the Cholesky factor of the covariance (draw, row, row)."""
    matrix = covariance(sd, half)
    return np.linalg.cholesky(matrix + TINY * np.eye(matrix.shape[-1]))
