"""What a design of entities on data sets can tell apart, and how closely counts pin the rates of a table down."""

import numpy as np

#: Of matrices that are the same but for rounding.
SAME = 1e-9
#: No spread is taken for less when latent values are scaled.
LEAST = 0.1


def terms(pairs: np.ndarray) -> tuple[str, ...]:
    """Which differences between data sets a design can tell: of ("difficulty", "deviations") both, the last, or none.

    Entity effects are free. With X their columns, P = 1 - X X⁺, and Z the columns of the data sets, logits have the
    covariance σ² ZZ' + τ² 1. It is told from P ZZ' P and P: where P is 0 nobody met two data sets, and nothing differs
    between data sets that is not the entity's own; where they are multiples of each other (one entity; no data set met
    by two) the two terms are one.

    Parameters
    ----------
    pairs : numpy.ndarray of int
        Entity and data set of each table with cases, by number (pair, 2).

    Examples
    --------
    >>> terms(np.array([(0, 0), (0, 1)])), terms(np.array([(0, 0), (0, 1), (1, 0), (1, 1)]))
    (('deviations',), ('difficulty', 'deviations'))
    >>> terms(np.array([(0, 0), (1, 0)]))
    ()
    """
    entity, dataset = pairs.T
    # Only entities on several data sets say anything: the residuals of the others are 0.
    several = np.bincount(entity)[entity] > 1
    entity, dataset = entity[several], dataset[several]
    if entity.size == 0:
        return ()
    # P ZZ' P = c P with c > 0 or not: by norms and traces, without matrices of all pairs. R = PZ has the columns of
    # the data sets less the means of the entities; P ZZ' P has the eigenvalues of R'R, and P as many ones as its rank.
    sizes = np.bincount(entity)
    met = np.zeros((sizes.size, dataset.max() + 1))
    met[entity, dataset] = 1
    gram = np.diag(met.sum(0)) - met.T @ (met / np.maximum(sizes, 1)[:, None])
    values = np.linalg.eigvalsh(gram)
    rank = entity.size - (sizes > 0).sum()
    # As many eigenvalues other than 0 as P has, and all the same: the matrices are multiples of each other. One is 0.
    large = np.sort(values)[::-1][:rank]
    alike = np.ptp(large) <= SAME * values.max()
    return ("deviations",) if alike else ("difficulty", "deviations")


def empirical_logits(right: np.ndarray, cases: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Logits of observed rates, half a case added to each side, and their information: 0 without cases.

    Examples
    --------
    >>> [part.round(3).tolist() for part in empirical_logits(np.array([5, 0]), np.array([10, 0]))]
    [[0.0, 0.0], [2.75, 0.0]]
    """
    yes, no = right + 0.5, cases - right + 0.5
    return np.log(yes / no), np.where(cases > 0, yes * no / (cases + 1), 0.0)


def between(logit: np.ndarray, information: np.ndarray, entity: np.ndarray) -> tuple[np.ndarray, float]:
    """Weighted mean of each entity's logits, and their variance between data sets by moments.

    References
    ----------
    DerSimonian and Laird (1986), Controlled Clinical Trials 7:177-188, equation 8, summed over entities.

    Examples
    --------
    >>> mean, variance = between(np.array([-1.0, 1.0]), np.array([50.0, 50.0]), np.array([0, 0]))
    >>> mean.tolist(), round(variance, 2)
    ([0.0], 1.98)
    """
    total = np.bincount(entity, information)
    mean = np.bincount(entity, information * logit) / np.maximum(total, 1e-300)
    q = (information * (logit - mean[entity]) ** 2).sum()
    freedom = (information > 0).sum() - (total > 0).sum()
    scale = (total - np.bincount(entity, information**2) / np.maximum(total, 1e-300)).sum()
    return mean, max(float((q - freedom) / scale), LEAST**2) if scale > 0 else LEAST**2
