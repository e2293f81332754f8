"""What truth known in part is worth."""

from dataclasses import replace
from typing import Any

import numpy as np

from bayesrank.claims.effective import ENOUGH_FREEDOM, Information
from bayesrank.claims.information.clusters import effective_clusters
from bayesrank.claims.observed import Observed
from bayesrank.evidence.kinds import JudgedEvidence
from bayesrank.evidence.kinds.cases import sums_within
from bayesrank.evidence.units import cluster_information
from bayesrank.scores import Score


def weigh_judged(
    evidence: JudgedEvidence, observed: Observed, score: Score | None, information: Information
) -> Information:
    """Return the effective counts of labelled cases, or of clusters with a labelled case."""
    estimate, labels = observed.observed(score), evidence.number_of_labels
    information = replace(
        information, observed=None if estimate is None else estimate.values.astype(float)
    )
    if evidence.cluster is None:
        return with_labels(information, labels)
    information = replace(information, cases=labels)
    truth = np.broadcast_to(evidence.truth, evidence.verdict.shape)
    count = evidence.count[:, None]
    size = sums_within(evidence.cluster, count * (truth >= 0))
    freedom, factor = np.array(
        [cluster_information([own[own > 0]], np.ones(1)) for own in size.T]
    ).T
    varying: Any = np.inf
    if evidence.of_outcomes:
        wrong, right = (effective_clusters(evidence.cluster, truth == y, size) for y in (0, 1))
        varying = np.minimum(wrong, right)
    information = replace(
        information, freedom=np.minimum(freedom[:, None], freedom), clusters=freedom + 1
    )
    return replace(
        information,
        inflation=np.maximum(information.inflation, factor),
        freedom_of_interval=np.where(np.isfinite(factor), freedom, np.inf),
        factor_of_interval=factor,
        varying=varying,
    )


def with_labels(information: Information, labels: np.ndarray) -> Information:
    """Return the counts with known truths as cases, and fewer degrees of freedom where these are few."""
    small_freedom = np.where(labels < ENOUGH_FREEDOM, np.maximum(labels - 1.0, 0.0), np.inf)
    freedom = np.minimum(information.freedom, np.minimum(small_freedom[:, None], small_freedom))
    return replace(information, cases=labels.astype(float), freedom=freedom)
