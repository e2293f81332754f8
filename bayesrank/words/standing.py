"""The standing of entities: the leader, the entities that could also be best, and those that are ruled out."""

from functools import cached_property

import numpy as np
import xarray as xr

from bayesrank._core import prose
from bayesrank._core.notes import Note
from bayesrank._core.nouns import noun, nouns
from bayesrank._core.prose import few_names, join_names
from bayesrank._core.records import RankingRecord
from bayesrank.claims.caps import Limit, cap_of, is_limited
from bayesrank.ranking.claims import caps_of
from bayesrank.ranking.facts import get_fact
from bayesrank.ranking.intervals import order_name
from bayesrank.ranking.summary import effective_draws, score_name
from bayesrank.words.parts import NAMED

#: Rivals that a headline names, if there are more.
CONTENDERS = 2
#: Number of characters of their names from which they are only counted.
LONG = 100
#: What a ranking is over, by the code of its population.
POPULATIONS = {
    "datasets_like_these": "on data sets like these",
    "new_dataset": "on a new data set",
    "samples_like_this": "on samples like this data set",
    "retrained": "over retrained models",
    "fitted": "for these fitted models",
    "cases_like_these": "on cases like these",
    "these_cases": "on these cases",
}


class Standing:
    """The ranked entities, leader first, and the comparisons between them.

    ``order`` ranks the entities (NaN: not ranked); ``places`` are their positions in the ranking,
    and other arrays follow them. ``superiority`` and ``equivalence`` are the probabilities that the
    leader beats each, and equals it within the ROPE. ``tied`` marks the entities that share the
    first place of the consensus order; ``could_be_best`` the best set of the ranking, and
    ``rivals`` its members but the leader. ``by`` is the margin of a comparison.
    """

    def __init__(self, ranking: xr.Dataset, order: np.ndarray) -> None:
        places = np.argsort(order, kind="stable")
        places = places[~np.isnan(order[places])]
        self.ranking, self.places, self.size = ranking, places, len(places)
        record = RankingRecord.of(ranking)
        self.prob, self.rope = record.prob, record.rope
        self.by = f" by more than {self.rope:g}" if self.rope else ""
        self.names = [str(name) for name in ranking["entity"].values[places]]
        self.leader = "".join(self.names[:1])
        self.superiority, self.equivalence = (
            np.where(places == places[:1], np.nan, ranking[name].values[places[:1], places])
            for name in ("superiority", "equivalence")
        )
        rank = ranking[f"{order_name(ranking)}_rank"].values[places]
        self.tied = rank == rank[:1]
        self.could_be_best = ranking["in_best_set"].values[places].astype(bool)
        self.rivals = self.could_be_best & (np.arange(self.size) > 0)
        self.headline, self.sets = get_fact(ranking, "headline"), get_fact(ranking, "sets")
        self.caps = caps_of(ranking)

    @cached_property
    def draws(self) -> float:
        """Return the smallest effective sample size over the entities; infinite without draws."""
        return effective_draws(self.ranking)

    @cached_property
    def chances(self) -> np.ndarray:
        """Return P(best) of each ranked entity."""
        return np.asarray(self.ranking["probability_best"].values[self.places])

    @property
    def population(self) -> str:
        """Return what the ranking is over, such as "on these 8 data sets"; empty if it is over cases alone."""
        pooled = next((cap.fields for cap in self.caps if cap.code == "pooled_datasets"), None)
        if pooled is None:
            record = RankingRecord.of(self.ranking)
            return POPULATIONS.get(record.population, "").replace(
                "data set", record.stratum or "data set"
            )
        return (
            f"{'on' if pooled['unit'] == 'data set' else 'for'} these "
            f"{prose.count(pooled['datasets'], pooled['unit'])}"
        )

    def named(self, members: np.ndarray) -> list[str]:
        """Return the names of the marked entities, leader first."""
        return [self.names[i] for i in np.flatnonzero(members)]

    def best(self, i: int = 0) -> str:
        """Return P(best) with its relation, such as "P(best) = 0.48"."""
        return f"P(best) {relation(self.chance(i), self.draws)}"

    def chance(self, i: int = 0) -> float:
        """Return P(best)."""
        return float(self.chances[i])

    def chance_text(self, i: int = 0) -> str:
        """Return P(best) in words, such as "48% chance of being best"."""
        text = prose.percent(self.chance(i), self.draws)
        return f"{text} chance of being best"


def relation(p: float, size: float) -> str:
    """Return a probability with the relation that its digits allow."""
    text = prose.probability(p, size)
    return f"{text[0]} {text[1:]}" if text[0] in "<>" else f"= {text}"


def headline_text(standing: Standing, lead: str, best: str) -> str:
    """Return the headline of two entities or more, by the field of the ranking.

    ``lead`` is what is said of a leader with rivals, and ``best`` of an entity that is best.
    """
    where = f" {standing.population}".rstrip()
    if standing.headline == "best":
        return f"{best.replace(' is best', f' is best{where}')}{_margin(standing)}."
    if standing.headline == "shared":
        members = standing.could_be_best
        why = "equal evidence"
        if first_are_equivalent(standing):
            equal = f"equal with probability at least {standing.prob:g}"
            why = f"equivalent within {standing.rope:g}" if standing.rope else equal
        leaders = _names_or_number(standing, members)
        return (
            "; ".join([f"{leaders} share the first place{where} ({why})", *_ruled_out(standing)])
            + "."
        )
    tied = standing.tied & standing.could_be_best
    if tied.sum() > 1:
        chances = {standing.chance_text(int(i)) for i in np.flatnonzero(tied)}
        chance_each = f" ({chances.pop()} each)" if len(chances) == 1 else ""
        lead = f"{_names_or_number(standing, tied)} are ahead{chance_each}"
    lead += where
    limits = [cap for cap in standing.caps if is_limited([cap], Limit.HEADLINE)]
    sure = standing.chance() >= standing.prob
    if limits and (sure or not standing.rivals.any() or is_limited(limits, Limit.SETS)):
        return f"{lead}, but {_limit(standing, limits[0])}."
    if sure and standing.rivals.any():
        lead += ", a posterior probability (for some true scores such data mislead more often)"
    others = standing.rivals & ~tied
    parts = [lead]
    if others.any():
        parts.append(_in_contention(standing, others))
    return "; ".join([*parts, *_ruled_out(standing)]) + "."


def _margin(standing: Standing) -> str:
    """Return what "best" means where a margin or P(best) does not say it."""
    every = standing.names[1] if standing.size == 2 else "every rival"
    if standing.by:
        return f", and it beats {every}{standing.by} with probability at least {standing.prob:g}"
    if standing.chance() < standing.prob:
        return f" (it beats {every}, each at the level {standing.prob:g})"
    return ""


def _in_contention(standing: Standing, others: np.ndarray) -> str:
    """Return which rivals could be best, too."""
    upper = standing.ranking["rank_upper"].values[standing.places]
    if standing.could_be_best.all() and (upper >= standing.size).all() and standing.size > 2:
        return f"no {noun()} is separated from any other"
    names = few_names(standing.named(others), CONTENDERS)
    if others.sum() > CONTENDERS and len(names) > LONG:
        names = f"{others.sum():,} more"
    return f"{names} {'is' if others.sum() == 1 else 'are'} still in contention"


def _names_or_number(standing: Standing, members: np.ndarray) -> str:
    """Return the names of a few entities, or the number of many."""
    if members.sum() <= NAMED:
        return join_names(sorted(standing.named(members)))
    return f"{members.sum():,} of {standing.size:,} {nouns()}"


def first_are_equivalent(standing: Standing) -> bool:
    """Return whether those that could be best are equal, or equivalent within the ROPE, with probability ``prob``."""
    best = np.flatnonzero(standing.ranking["in_best_set"])
    equal = standing.ranking["equivalence"].transpose("entity", "rival").values[np.ix_(best, best)]
    return bool((equal >= standing.prob).all())


def _limit(standing: Standing, cap: Note) -> str:
    """Return why the leader is not called best."""
    entry, fields = cap_of(cap), cap.fields
    claim = "P(best) is"
    if fields.get("rival") is not None:
        beats = f"P({standing.leader} beats {fields['rival']}{standing.by})"
        claim = f"{beats} {relation(fields['p'], standing.draws)},"
    rivals = standing.names[1] if standing.size == 2 else "any other"
    context = {"leader": standing.leader, "score": score_name(standing.ranking)}
    return entry.fill(entry.why, fields, rivals=rivals, claim=claim, **context)


def _ruled_out(standing: Standing) -> list[str]:
    """Return a clause on the entities that are not best, if there are any."""
    members = ~standing.could_be_best
    if not members.any():
        return []
    if members.sum() == 1:
        return [f"{few_names(standing.named(members))} is ruled out as best"]
    return [f"{members.sum():,} are ruled out as best"]


def lift_of(cap: Note, leader: str, score: str) -> str:
    """Return what would lift a cap of the headline; empty if more cases would."""
    entry = cap_of(cap)
    return entry.fill(entry.lift, cap.fields, leader=leader, score=score)
