"""What votes are worth."""

from dataclasses import replace

import numpy as np

from bayesrank._core.notes import Note
from bayesrank.claims.effective import Information
from bayesrank.claims.information.judged import with_labels
from bayesrank.claims.observed import Observed
from bayesrank.evidence.kinds import VoteEvidence
from bayesrank.scores import Score


def weigh_votes(
    evidence: VoteEvidence, observed: Observed, score: Score | None, information: Information
) -> Information:
    """Return the counts of votes, with wider sets if earlier votes may have chosen the pairs of a connected pool."""
    pool, pairing = evidence.pool, evidence.pairing
    # Votes do not compare entities of pools that no vote connects, however sure both strengths are.
    freedom = np.where(pool[:, None] == pool, np.inf, 0.0)
    if evidence.units is not None:
        own = evidence.units.freedom
        freedom = np.minimum(freedom, np.minimum(own[:, None], own))
        # If voters share a taste, the entities that looked good to the first voters are met by more
        # of them: the draws alone cover too little.
        information = replace(
            information,
            clusters=_effective_units(evidence),
            unit=evidence.units.noun,
            excess=evidence.units.excess,
            freedom_of_interval=np.maximum(own, 1.0),
            # How far a single voter is from others is unknown.
            factor_of_interval=np.where(own > 0, pairing.of_intervals, np.inf),
        )
    information = replace(
        information, freedom=freedom, inflation=information.inflation * pairing.factor
    )
    if pairing.factor > 1:
        wider = None if evidence.units is None else 100 * (pairing.of_intervals - 1)
        fields = {"percent": 100 * (pairing.factor - 1), "intervals": wider}
        if not pairing.close:
            fields |= {"fewest": pairing.fewest, "most": pairing.most}
        code = "close_strengths_met" if pairing.close else "votes_uneven"
        information = replace(information, uneven=Note(code, fields))
    return information if evidence.labels is None else with_labels(information, evidence.labels)


def _effective_units(evidence: VoteEvidence) -> np.ndarray:
    """Return the effective number of voters or questions (entity), NaN where no person voted beside a judge."""
    assert evidence.units is not None
    number = evidence.units.freedom + 1
    return number if evidence.labels is None else np.where(evidence.labels > 0, number, np.nan)
