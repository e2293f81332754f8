"""The standing of entities: the leader, the entities that could also be best, and the worse ones."""

from dataclasses import dataclass

import numpy as np
import xarray as xr

from bayesrank import _text
from bayesrank.ranking._claims import sets_available
from bayesrank.ranking.summary import effective_draws
from bayesrank.words._parts import NAMED, few_names, join_names

__all__ = ["Standing", "headline_of"]


@dataclass(frozen=True)
class Standing:
    """The compared entities, leader first, and the comparisons between them.

    ``places`` are positions in the ranking. ``could_be_best`` marks the members of the confidence set for the best;
    None where such sets are withheld.
    """

    ranking: xr.Dataset
    places: np.ndarray
    could_be_best: np.ndarray | None

    @classmethod
    def of(cls, ranking: xr.Dataset, order: np.ndarray) -> "Standing":
        """Return the standing of the entities that are ranked and have data, in this ``order`` (NaN: not ranked)."""
        places = np.argsort(order, kind="stable")
        places = places[~np.isnan(order[places])]
        if "cases" in ranking:
            with_data = places[ranking["cases"].values[places] != 0]
            places = with_data if len(with_data) else places
        return cls(ranking, places, _could_be_best(ranking, places))

    @property
    def prob(self) -> float:
        return float(self.ranking.attrs["prob"])

    @property
    def rope(self) -> float:
        return float(self.ranking.attrs["rope"])

    @property
    def size(self) -> int:
        return len(self.places)

    @property
    def by(self) -> str:
        """Return the margin of a comparison in words; empty without a ROPE."""
        return f" by more than {self.rope:g}" if self.rope else ""

    def name(self, i: int) -> str:
        """Return the name of the entity in this place of the order."""
        return str(self.ranking["entity"].values[self.places[i]])

    def names(self, members: np.ndarray) -> list[str]:
        """Return the names of the ``members`` (place in the order), leader first."""
        return [self.name(int(i)) for i in np.flatnonzero(members)]

    def _against(self, name: str) -> np.ndarray:
        """Return a probability of the leader and each (place in the order); NaN for the leader itself."""
        found = self.ranking[name].values[self.places[0], self.places].astype(float)
        found[0] = np.nan
        return found

    @property
    def superiority(self) -> np.ndarray:
        """Return the probability that the leader beats each."""
        return self._against("superiority")

    @property
    def equivalence(self) -> np.ndarray:
        """Return the probability that the leader and each are equal within the ROPE."""
        return self._against("equivalence")

    @property
    def tied(self) -> np.ndarray:
        """Mark the entities that share the first place of the consensus order, including the leader."""
        rank = self.ranking["consensus_rank"].values[self.places]
        return rank == rank[0]

    @property
    def rivals(self) -> np.ndarray:
        """Mark the other entities that may be best, by confidence sets or else by the credible set for the best."""
        found = self.could_be_best
        if found is None:
            found = self.ranking["in_best_set"].values[self.places].astype(bool)
        return found & (np.arange(self.size) > 0)

    def best(self, i: int = 0) -> str:
        """Return P(best) with its relation, such as "P(best) = 0.48"."""
        p = float(self.ranking["probability_best"].values[self.places[i]])
        return f"P(best) {relation(p, effective_draws(self.ranking))}"


def relation(p: float, size: float) -> str:
    """Return a probability with the relation that its digits allow."""
    text = _text.probability(p, size)
    return f"{text[0]} {text[1:]}" if text[0] in "<>" else f"= {text}"


def headline_of(standing: Standing, lead: str, best: str) -> tuple[str, str]:
    """Return the kind of headline and its text, for two entities or more."""
    if standing.tied.sum() > 1:
        return "tie at the top", _tie(standing)
    withheld = standing.could_be_best is None
    if standing.rivals.any():
        return _by_posterior(standing, lead) if withheld else _by_confidence_set(standing, lead)
    short = ~(standing.superiority[1:] >= standing.prob)
    if short.any():
        return "leading group", _close(standing, lead, short)
    if float(standing.ranking["probability_best"].values[standing.places[0]]) < standing.prob:
        return "leading group", f"{lead}, but P(best) is below {standing.prob:g}."
    every = standing.name(1) if standing.size == 2 else "every rival"
    text = f"{best}, and it beats {every}{standing.by} with probability at least {standing.prob:g}"
    return "clear winner", text + (" (posterior probabilities only)." if withheld else ".")


def _tie(standing: Standing) -> str:
    """Return the headline of a tie: "9 of 108 entities share the first place; 45 more cannot be ruled out."""
    tied, size = standing.tied, standing.size
    if tied.sum() <= NAMED:
        who = join_names(sorted(standing.names(tied)))
    else:
        who = f"{tied.sum():,} of {size:,} entities"
    chances = {standing.best(int(i)) for i in np.flatnonzero(tied)}
    each = f" ({chances.pop()} each)" if len(chances) == 1 else ""
    text = f"{who} share the first place{each}"
    if tied.all():
        return f"{text}."
    if standing.could_be_best is None:
        more = standing.rivals & ~tied
        return text + (f"; {_others(standing, more)} could also be best (posterior)." if more.any() else ".")
    more, worse = standing.rivals & ~tied, ~standing.could_be_best & ~tied
    parts = [text]
    if more.any():
        parts.append(f"{more.sum():,} more cannot be ruled out")
    if worse.any():
        parts.append(_worse(standing, worse))
    return "; ".join(parts) + "."


def _close(standing: Standing, lead: str, short: np.ndarray) -> str:
    """Return the headline if only the leader could be best, but by less than the required margin or probability."""
    near = np.flatnonzero(short) + 1
    if len(near) == 1:
        i = int(near[0])
        p = relation(float(standing.superiority[i]), effective_draws(standing.ranking))
        return f"{lead}, but P({standing.name(0)} beats {standing.name(i)}{standing.by}) {p}, below {standing.prob:g}."
    who = _others(standing, np.isin(np.arange(standing.size), near))
    return f"{lead}, but its probability of beating {who}{standing.by} is below {standing.prob:g} for each."


def _by_posterior(standing: Standing, lead: str) -> tuple[str, str]:
    """Return the headline without confidence sets: it uses the credible set for the best, and says so."""
    rivals, size = standing.rivals, standing.size
    if rivals.sum() == size - 1:
        group = "both entities" if size == 2 else f"all {size:,} entities"
        return "inconclusive", (
            f"No winner: {lead}, but the {standing.prob:g} credible set for the best holds {group} (posterior "
            "probabilities only)."
        )
    return "leading group", (
        f"{lead}; the {standing.prob:g} credible set for the best also holds {_others(standing, rivals)} (posterior "
        "probabilities only)."
    )


def _by_confidence_set(standing: Standing, lead: str) -> tuple[str, str]:
    """Return the headline by the confidence set for the best, named if the posterior alone would claim more."""
    assert standing.could_be_best is not None
    rivals, worse = standing.rivals, ~standing.could_be_best
    worse[0] = False
    beaten = (standing.superiority >= standing.prob) & rivals
    named = f" by the {standing.prob:g} confidence set for the best" if beaten.any() else ""
    if worse.any():
        return "leading group", (
            f"{lead}, but {_others(standing, rivals)} cannot be ruled out{named}; {_worse(standing, worse)}."
        )
    if _nothing_separated(standing) and standing.size > 2 and not named:
        return "inconclusive", f"No winner: {lead}, but no entity is separated from any other."
    who = _others(standing, rivals) if standing.size == 2 else "no other entity"
    can = "cannot be ruled out" if standing.size == 2 else "can be ruled out"
    return "inconclusive", f"No winner: {lead}, but {who} {can}{named}."


def _nothing_separated(standing: Standing) -> bool:
    """Return whether every confidence set contains all ranks."""
    if "rank_confidence_lower" not in standing.ranking:
        return True
    low, high = (standing.ranking[f"rank_confidence_{end}"].values[standing.places] for end in ("lower", "upper"))
    return bool((low == 1).all() and (high >= standing.size).all())


def _others(standing: Standing, members: np.ndarray) -> str:
    """Return a few members by name, or the number of many."""
    names = standing.names(members)
    return join_names(names) if len(names) <= NAMED else f"{len(names):,} others"


def _worse(standing: Standing, members: np.ndarray) -> str:
    if members.sum() == 1:
        return f"{few_names(standing.names(members))} is worse"
    return f"{members.sum():,} others are worse"


def _could_be_best(ranking: xr.Dataset, places: np.ndarray) -> np.ndarray | None:
    """Mark the members of the confidence set for the best, and the leader; None where the set is withheld."""
    if not sets_available(ranking):
        return None
    found = ranking["in_best_confidence_set"].values[places] != 0  # NaN: not ruled out
    found[:1] = True
    return found
