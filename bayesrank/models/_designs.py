"""Which differences between data sets a design of entities on data sets identifies, and the precision of rates."""

import numpy as np

#: Relative difference of matrices that are equal except for rounding.
SAME = 1e-9
#: Minimum spread for the scaling of latent values.
LEAST = 0.1


def terms(pairs: np.ndarray) -> tuple[str, ...]:
    """Return the terms that a design identifies: ("difficulty", "deviations"), ("deviations",) or ().

    ``pairs`` (pair, 2) holds entity and data set of each table with cases. Entity effects are free. With X their
    columns, P = 1 - X X⁺, and Z the columns of the data sets, logits have the covariance σ² ZZ' + τ² 1, identified from
    P ZZ' P and P. If P is 0, no entity has two data sets and no term is identified. If the two are multiples (one
    entity, or no data set with two entities) there is one term.
    """
    entity, dataset = pairs.T
    # Entities on one data set have residuals of 0 and do not contribute.
    several = np.bincount(entity)[entity] > 1
    entity, dataset = entity[several], dataset[several]
    if entity.size == 0:
        return ()
    # Check P ZZ' P = c P by norms and traces, without matrices of all pairs. R = PZ has the columns of the data sets
    # minus the means of the entities. P ZZ' P has the eigenvalues of R'R; P has as many ones as its rank.
    sizes = np.bincount(entity)
    met = np.zeros((sizes.size, dataset.max() + 1))
    met[entity, dataset] = 1
    gram = np.diag(met.sum(0)) - met.T @ (met / np.maximum(sizes, 1)[:, None])
    values = np.linalg.eigvalsh(gram)
    rank = entity.size - (sizes > 0).sum()
    # Multiples have as many equal nonzero eigenvalues as the rank of P.
    large = np.sort(values)[::-1][:rank]
    alike = np.ptp(large) <= SAME * values.max()
    return ("deviations",) if alike else ("difficulty", "deviations")


def empirical_logits(right: np.ndarray, cases: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return logits of observed rates, with half a case added to each side, and their information (0 without cases)."""
    yes, no = right + 0.5, cases - right + 0.5
    return np.log(yes / no), np.where(cases > 0, yes * no / (cases + 1), 0.0)


def between(logit: np.ndarray, information: np.ndarray, entity: np.ndarray) -> tuple[np.ndarray, float]:
    """Estimate the weighted mean of each entity's logits, and their variance between data sets by moments.

    References
    ----------
    DerSimonian and Laird (1986), Controlled Clinical Trials 7:177-188, equation 8, summed over entities.
    """
    total = np.bincount(entity, information)
    mean = np.bincount(entity, information * logit) / np.maximum(total, 1e-300)
    q = (information * (logit - mean[entity]) ** 2).sum()
    freedom = (information > 0).sum() - (total > 0).sum()
    scale = (total - np.bincount(entity, information**2) / np.maximum(total, 1e-300)).sum()
    return mean, max(float((q - freedom) / scale), LEAST**2) if scale > 0 else LEAST**2
