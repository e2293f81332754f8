"""More cases with predicted probabilities."""

from bayesrank.evidence.kinds import ProbabilityEvidence
from bayesrank.planning.preposterior import Preposterior, Request


def update_probabilities(
    evidence: ProbabilityEvidence, source: Preposterior, request: Request
) -> Preposterior:
    """Return how more cases would update areas and losses, which are assumed to be normal."""
    return source.normal(evidence.cases[source.keep], source.covariance)
