"""What clusters of cases are worth."""

import numpy as np

from bayesrank.claims.information.influence import STEP
from bayesrank.evidence.kinds import CaseEvidence
from bayesrank.evidence.kinds.cases import sums_within

#: Clusters are nearly equal if the largest has at most this many times the cases of the smallest.
NEARLY_EQUAL = 1.2
#: Smaller changes of a score by a case are rounding errors.
ROUNDING = 1e-8


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


def count_varying(
    influence: np.ndarray, evidence: CaseEvidence, strength: np.ndarray | None
) -> np.ndarray:
    """Return the effective number of clusters that show how much clusters differ (entity).

    If an entity errs in two of 60 clusters, these two show it. The clusters that count have an
    outcome other than the most frequent one. For scores of tables they have a case that lowers the
    score, or one that raises it, whichever are fewer. ``influence`` (pattern, entity) is the change
    of the score by each case of a pattern. ``strength`` (pattern) is the typical influence of a
    case, which makes the size of a cluster. The effective number is Kish's.
    """
    count, cluster, met = evidence.count[:, None], evidence.cluster, evidence.answers >= 0
    assert cluster is not None
    size = sums_within(cluster, count * met * (1.0 if strength is None else strength[:, None]))
    if not evidence.by_case:
        size /= np.maximum(sums_within(cluster, count * met), 1e-300)
    if evidence.outcome is not None:
        often = [_most_frequent(own, evidence.count) for own in evidence.answers.T]
        return effective_clusters(cluster, met & (evidence.answers != often), size)
    weight = evidence.weights(None)
    slope = np.divide(influence, weight, out=np.zeros(influence.shape), where=weight > 0)
    # Slopes of scores of tables are quotients of differences, with errors of this size.
    least = np.maximum(2 * STEP * np.abs(slope).max(axis=0), ROUNDING)
    lower, higher = (
        effective_clusters(cluster, moved, size) for moved in (slope < -least, slope > least)
    )
    return np.minimum(lower, higher)


def _most_frequent(answers: np.ndarray, count: np.ndarray) -> int:
    """Return the code that most cases have, of codes (pattern) that are negative where missing."""
    known = answers >= 0
    return int(np.bincount(answers[known], count[known], 1).argmax())


def effective_clusters(cluster: np.ndarray, cases: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Return Kish's number (entity) of the clusters, of a ``size`` (cluster, entity), with any of some cases."""
    own = np.where(sums_within(cluster, cases.astype(float)) > 0, size, 0.0)
    square = np.square(own).sum(axis=0)
    return np.divide(own.sum(axis=0) ** 2, square, out=np.zeros(len(square)), where=square > 0)


def _of_differences(products: np.ndarray) -> np.ndarray:
    """Return sums of squared differences (entity, rival) from sums of products; 0 if it is rounding error."""
    own = np.diag(products)[:, None] + np.diag(products)
    variance = own - 2 * products
    return np.where(variance > 1e-12 * own, variance, 0.0)
