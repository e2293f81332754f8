"""What truth known in part is worth."""

from dataclasses import replace

import numpy as np

from bayesrank.claims.effective import ENOUGH_FREEDOM, Information
from bayesrank.claims.observed import Observed
from bayesrank.evidence.kinds import JudgedEvidence
from bayesrank.evidence.units import cluster_information
from bayesrank.scores import Score


def weigh_judged(
    evidence: JudgedEvidence, observed: Observed, score: Score | None, found: Information
) -> Information:
    """Return the effective counts of labelled cases, or of clusters with a labelled case."""
    estimate, labels = observed.observed(score), evidence.number_of_labels
    found = replace(found, observed=None if estimate is None else estimate.values.astype(float))
    if evidence.cluster is None:
        return with_labels(found, labels)
    found = replace(found, cases=labels)
    labelled = np.broadcast_to(evidence.truth >= 0, evidence.verdict.shape)
    cases_by_cluster = [
        np.bincount(evidence.cluster, evidence.count * column) for column in labelled.T
    ]
    freedom, factor = np.array(
        [cluster_information([own[own > 0]], np.ones(1)) for own in cases_by_cluster]
    ).T
    found = replace(found, freedom=np.minimum(freedom[:, None], freedom), clusters=freedom + 1)
    return replace(found, inflation=np.maximum(found.inflation, factor))


def with_labels(found: Information, labels: np.ndarray) -> Information:
    """Return the counts with known truths as cases, and fewer degrees of freedom where these are few."""
    small_freedom = np.where(labels < ENOUGH_FREEDOM, np.maximum(labels - 1.0, 0.0), np.inf)
    freedom = np.minimum(found.freedom, np.minimum(small_freedom[:, None], small_freedom))
    return replace(found, cases=labels.astype(float), freedom=freedom)
