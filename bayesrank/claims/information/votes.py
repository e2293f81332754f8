"""What votes are worth."""

from dataclasses import replace

import numpy as np

from bayesrank._core.notes import Note
from bayesrank.claims.effective import Information
from bayesrank.claims.information.judged import with_labels
from bayesrank.claims.information.pairings import pairing_factor
from bayesrank.claims.observed import Observed
from bayesrank.evidence.kinds import VoteEvidence
from bayesrank.scores import Score


def weigh_votes(
    evidence: VoteEvidence, observed: Observed, score: Score | None, found: Information
) -> Information:
    """Return the counts of votes, with wider sets if earlier votes may have chosen the pairs of a connected pool."""
    pool, wins, ties = evidence.pool, evidence.wins, evidence.ties
    # Votes do not compare entities of pools that no vote connects, however sure both strengths are.
    freedom = np.where(pool[:, None] == pool, np.inf, 0.0)
    if evidence.units is not None:
        own = evidence.units.freedom
        freedom = np.minimum(freedom, np.minimum(own[:, None], own))
        found = replace(
            found, clusters=own + 1, unit=evidence.units.noun, excess=evidence.units.excess
        )
        wins, ties = (
            _as_units(votes, wins + wins.T + ties, evidence.units.on_pair) for votes in (wins, ties)
        )
    found = replace(found, freedom=freedom)
    factor, uneven = 1.0, None
    for name in np.unique(pool):
        members = np.flatnonzero(pool == name)
        if len(members) < 3:
            continue
        among = np.ix_(members, members)
        wider, close = pairing_factor(wins[among], ties[among])
        if wider > factor:
            factor, fields = wider, {"percent": 100 * (wider - 1)}
            if not close:
                on_pairs = (wins + wins.T + ties)[among][np.triu_indices(len(members), 1)]
                fields |= {"fewest": int(on_pairs.min()), "most": int(on_pairs.max())}
            uneven = Note("close_strengths_met" if close else "votes_uneven", fields)
    found = replace(found, inflation=found.inflation * factor, uneven=uneven)
    return found if evidence.labels is None else with_labels(found, evidence.labels)


def _as_units(votes: np.ndarray, number: np.ndarray, units: np.ndarray) -> np.ndarray:
    """Return votes (entity, rival) scaled to the numbers of units that voted on each pair."""
    return votes * np.divide(units, number, out=np.zeros(number.shape), where=number > 0)
