"""What predicted probabilities are worth for areas and losses."""

from dataclasses import replace
from typing import Any

import numpy as np

from bayesrank.claims.effective import ENOUGH_FREEDOM, Information
from bayesrank.claims.observed import Observed
from bayesrank.evidence.kinds import ProbabilityEvidence
from bayesrank.scores import Score


def weigh_probabilities(
    evidence: ProbabilityEvidence, observed: Observed, score: Score | None, information: Information
) -> Information:
    """Return the effective counts of predicted probabilities: cases, or clusters, of the rarest class."""
    record, area = observed.model, evidence.withheld is not None
    least = record.fewest_of_class if area else sum(record.units)
    freedom: Any = least - 1 if least < ENOUGH_FREEDOM else np.inf
    if (
        evidence.discordant is not None
    ):  # the draws have no case, and no pseudo-case, on which the others differ
        discordant = evidence.discordant.values.astype(float)
        information = replace(information, discordant=discordant)
        freedom = np.minimum(freedom, np.maximum(discordant - 1, 0.0))
    information = replace(
        information,
        freedom=freedom,
        observed=None if observed.values is None else observed.values.values,
    )
    if record.clustered:
        information = replace(information, clusters=np.full(len(information.cases), least))
    if evidence.freedom is not None and evidence.factor is not None:
        freedom, factor = float(evidence.freedom), float(evidence.factor)
        information = replace(
            information,
            inflation=np.maximum(information.inflation, factor),
            # Of a single cluster, no variance is known: its interval is the whole range.
            freedom_of_interval=freedom if np.isfinite(factor) else np.inf,
            factor_of_interval=factor,
        )
    return replace(information, of_class=least if area else np.nan)
