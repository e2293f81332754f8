"""The standing of entities: the leader, the entities that could also be best, and the worse ones."""

import numpy as np
import xarray as xr

from bayesrank import _text
from bayesrank.ranking.claims import why_withheld
from bayesrank.ranking.summary import effective_draws
from bayesrank.words.parts import NAMED, few_names, join_names


class Standing:
    """The compared entities, leader first, and the comparisons between them.

    ``order`` ranks the entities (NaN: not ranked). Those without data are left out, and ``places`` are the positions of
    the others in the ranking; other arrays follow them. ``superiority`` and ``equivalence`` are the probabilities that
    the leader beats each, and equals it within the ROPE. ``tied`` marks the entities that share the first place;
    ``could_be_best`` the confidence set for the best, None where such sets are withheld; ``rivals`` the others that may
    be best, by this set or else by the credible set. ``by`` is the margin of a comparison in words.
    """

    def __init__(self, ranking: xr.Dataset, order: np.ndarray) -> None:
        places = np.argsort(order, kind="stable")
        places = places[~np.isnan(order[places])]
        if "cases" in ranking:
            with_data = places[ranking["cases"].values[places] != 0]
            places = with_data if len(with_data) else places
        self.ranking, self.places, self.size = ranking, places, len(places)
        self.prob, self.rope = (float(ranking.attrs[name]) for name in ("prob", "rope"))
        self.by = f" by more than {self.rope:g}" if self.rope else ""
        self.names = [str(name) for name in ranking["entity"].values[places]]
        self.leader = "".join(self.names[:1])
        self.superiority, self.equivalence = (
            np.where(places == places[:1], np.nan, ranking[name].values[places[:1], places])
            for name in ("superiority", "equivalence")
        )
        rank = ranking["consensus_rank"].values[places]
        self.tied = rank == rank[:1]
        self.could_be_best, best = None, ranking["in_best_set"].values[places].astype(bool)
        if not why_withheld(ranking):
            best = ranking["in_best_confidence_set"].values[places] != 0  # NaN: not ruled out
            best[:1] = True
            self.could_be_best = best
        self.rivals = best & (np.arange(self.size) > 0)

    def named(self, members: np.ndarray) -> list[str]:
        """Return the names of the marked entities, leader first."""
        return [self.names[i] for i in np.flatnonzero(members)]

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
    every = standing.names[1] if standing.size == 2 else "every rival"
    text = f"{best}, and it beats {every}{standing.by} with probability at least {standing.prob:g}"
    return "clear winner", text + (" (posterior probabilities only)." if withheld else ".")


def _tie(standing: Standing) -> str:
    """Return the headline of a tie: "9 of 108 entities share the first place; 45 more cannot be ruled out."""
    tied, size = standing.tied, standing.size
    few = tied.sum() <= NAMED
    who = join_names(sorted(standing.named(tied))) if few else f"{tied.sum():,} of {size:,} entities"
    chances = {standing.best(int(i)) for i in np.flatnonzero(tied)}
    parts = [f"{who} share the first place" + (f" ({chances.pop()} each)" if len(chances) == 1 else "")]
    more = standing.rivals & ~tied
    if more.any() and standing.could_be_best is None:
        parts.append(f"{_others(standing, more)} could also be best (posterior)")
    elif more.any():
        parts.append(f"{more.sum():,} more cannot be ruled out")
    if standing.could_be_best is not None and (worse := ~standing.could_be_best & ~tied).any():
        parts.append(_worse(standing, worse))
    return "; ".join(parts) + "."


def _close(standing: Standing, lead: str, short: np.ndarray) -> str:
    """Return the headline if only the leader could be best, but by less than the required margin or probability."""
    near = np.append(False, short)
    if short.sum() == 1:
        i = int(np.argmax(near))
        p = relation(float(standing.superiority[i]), effective_draws(standing.ranking))
        return f"{lead}, but P({standing.leader} beats {standing.names[i]}{standing.by}) {p}, below {standing.prob:g}."
    who = _others(standing, near)
    return f"{lead}, but its probability of beating {who}{standing.by} is below {standing.prob:g} for each."


def _by_posterior(standing: Standing, lead: str) -> tuple[str, str]:
    """Return the headline without confidence sets: it uses the credible set for the best, and says so."""
    rivals, size = standing.rivals, standing.size
    credible = f"the {standing.prob:g} credible set for the best"
    if rivals.sum() == size - 1:
        group = "both entities" if size == 2 else f"all {size:,} entities"
        text = f"No winner: {lead}, but {credible} holds {group} (posterior probabilities only)."
        return "inconclusive", text
    return "leading group", f"{lead}; {credible} also holds {_others(standing, rivals)} (posterior probabilities only)."


def _by_confidence_set(standing: Standing, lead: str) -> tuple[str, str]:
    """Return the headline by the confidence set for the best, named if the posterior alone would claim more."""
    assert standing.could_be_best is not None
    rivals, worse = standing.rivals, ~standing.could_be_best
    beaten = (standing.superiority >= standing.prob) & rivals
    named = f" by the {standing.prob:g} confidence set for the best" if beaten.any() else ""
    nothing_separated = True  # every confidence set contains all ranks
    if "rank_confidence_lower" in standing.ranking:
        low, high = (standing.ranking[f"rank_confidence_{end}"].values[standing.places] for end in ("lower", "upper"))
        nothing_separated = bool((low == 1).all() and (high >= standing.size).all())
    if worse.any():
        who = _others(standing, rivals)
        return "leading group", f"{lead}, but {who} cannot be ruled out{named}; {_worse(standing, worse)}."
    if standing.size == 2:
        text = f"{_others(standing, rivals)} cannot be ruled out{named}"
    elif not named and nothing_separated:
        text = "no entity is separated from any other"
    else:
        text = f"no other entity can be ruled out{named}"
    return "inconclusive", f"No winner: {lead}, but {text}."


def _others(standing: Standing, members: np.ndarray) -> str:
    """Return a few members by name, or the number of many."""
    names = standing.named(members)
    return join_names(names) if len(names) <= NAMED else f"{len(names):,} others"


def _worse(standing: Standing, members: np.ndarray) -> str:
    if members.sum() == 1:
        return f"{few_names(standing.named(members))} is worse"
    return f"{members.sum():,} others are worse"
