"""More votes."""

from dataclasses import replace

import numpy as np

from bayesrank.evidence.kinds import VoteEvidence
from bayesrank.planning.preposterior import Preposterior, Request


def update_votes(evidence: VoteEvidence, source: Preposterior, request: Request) -> Preposterior:
    """Return how more votes, voters or questions would update strengths.

    Beside a judge, votes of people reduce what its votes leave open. The rest is the covariance of
    the same number of votes of people alone.
    """
    if evidence.units is not None:
        return source.normal(
            evidence.units.number[source.keep], source.covariance, unit=evidence.units.noun
        )
    votes = evidence.votes[source.keep]
    if evidence.labels is None:
        return source.normal(votes, source.covariance, unit=evidence.unit)
    labels = evidence.labels[source.keep]
    share = np.sqrt(labels / votes)
    values, vectors = np.linalg.eigh(source.covariance - source.covariance * share[:, None] * share)
    within = (vectors * np.maximum(values, 0.0)) @ vectors.T
    updated = source.normal(labels, within, unit="labels", fixed="verdicts")
    return replace(updated, most=max(float((votes - labels).min()), 1.0))
