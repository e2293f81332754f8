"""What clusters of cases are worth."""

import numpy as np

from bayesrank.evidence.kinds import CaseEvidence
from bayesrank.evidence.kinds.cases import sums_within

#: Clusters are nearly equal if the largest has at most this many times the cases of the smallest.
NEARLY_EQUAL = 1.2


def excess_of_cases(
    influence: np.ndarray, evidence: CaseEvidence, factor: np.ndarray
) -> np.ndarray:
    """Return the ratio of standard deviations of differences, of independent cases to clusters, at least 1.

    ``influence`` (pattern, entity) is the change of a score by each case of a pattern; the result
    (entity, rival). Clusters that vary less than their cases would by themselves are usually luck:
    the larger variance is conservative. ``factor`` (entity) is the one of the clusters' bootstrap.
    """
    count, cluster = evidence.count, evidence.cluster
    assert cluster is not None
    groups = len(np.unique(cluster[(influence != 0).any(axis=1)]))
    sums = sums_within(cluster, count[:, None] * influence)
    of_clusters = _of_differences(sums.T @ sums) * groups / (groups + 1)
    of_cases = _of_differences((evidence.squares[:, None] * influence).T @ influence)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.sqrt(of_cases / of_clusters) / np.maximum(factor[:, None], factor)
    # Without a difference of any case the draws have no difference either.
    return np.where(
        of_cases > 0, np.maximum(np.nan_to_num(ratio, nan=1.0, posinf=np.inf), 1.0), 1.0
    )


def _of_differences(products: np.ndarray) -> np.ndarray:
    """Return sums of squared differences (entity, rival) from sums of products; 0 if it is rounding error."""
    own = np.diag(products)[:, None] + np.diag(products)
    variance = own - 2 * products
    return np.where(variance > 1e-12 * own, variance, 0.0)
