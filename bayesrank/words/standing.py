"""The standing of entities: the leader, the entities that could also be best, and the worse ones."""

import numpy as np
import xarray as xr

from bayesrank import _text
from bayesrank._notes import Note
from bayesrank._records import RankingRecord
from bayesrank.ranking.claims import ON_THESE, UNJUSTIFIED, caps_of
from bayesrank.ranking.intervals import order_name
from bayesrank.ranking.summary import effective_draws, score_name
from bayesrank.words.parts import NAMED, few_names, join_names

#: What a ranking is over, by the code of its population.
POPULATIONS = {
    "datasets_like_these": "on data sets like these",
    "new_dataset": "on a new data set",
    "samples_like_this": "on samples like this data set",
    "retrained": "over retrained models",
    "fitted": "for these fitted models",
}
_BEFORE = "before any entity can be ruled out."
#: What would lift a cap of the headline, by its code.
LIFTS = {
    "clusters_too_few": f"At least {{enough}} effective clusters instead of {{clusters:.2g}} are needed {_BEFORE}",
    "cases_too_few": f"At least {{enough}} cases instead of {{cases:g}} are needed {_BEFORE}",
    "cases_of_class_too_few": f"At least {{enough}} cases of each class and data set are needed {_BEFORE}",
    "datasets_too_few": f"At least {{enough}} data sets instead of {{datasets}} are needed {_BEFORE}",
    "one_run_of_folds": f"Repeats with other splits (repeat=), or more data sets, are needed {_BEFORE}",
    "means_without_n": f"The numbers of cases behind the means (column n) are needed {_BEFORE}",
    "sets_need_draws": f"Draws (method='auto') are needed {_BEFORE}",
    "not_measured": "No number of cases lifts this limit: the error rate of rank sets for {what} is not known.",
    "prevalences_differ": "A comparison at one prevalence (--prevalence) is needed first, not more cases.",
    "chains_unreliable": "Longer chains (draws=, tune=) are needed first, not more cases.",
    "observed_undefined": "Cases on which the {score} of {leader} is defined are needed.",
    "model_contradicted": "Another prior or model is needed first, not more cases.",
    "pairs_unconnected": "Cases or data sets that {leader} shares with its rivals are needed.",
    "seeds_too_few": "At least {enough} training seeds of each entity are needed before any can be ruled out.",
    "pools_unconnected": "Votes that connect {leader} with its rivals are needed.",
}


class Standing:
    """The ranked entities, leader first, and the comparisons between them.

    ``order`` ranks the entities (NaN: not ranked); ``places`` are their positions in the ranking, and other arrays
    follow them. ``superiority`` and ``equivalence`` are the probabilities that the leader beats each, and equals it
    within the ROPE. ``tied`` marks the entities that share the first place of the consensus order; ``could_be_best``
    the best set of the ranking, and ``rivals`` its members but the leader. ``by`` is the margin of a comparison.
    """

    def __init__(self, ranking: xr.Dataset, order: np.ndarray) -> None:
        places = np.argsort(order, kind="stable")
        places = places[~np.isnan(order[places])]
        self.ranking, self.places, self.size = ranking, places, len(places)
        about = RankingRecord.of(ranking)
        self.prob, self.rope = about.prob, about.rope
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
        self.headline, self.sets = str(ranking["headline"].item()), str(ranking["sets"].item())
        self.caps = caps_of(ranking)

    @property
    def population(self) -> str:
        """Return what the ranking is over, such as "on these 8 data sets"; empty if it is over cases alone."""
        pooled = next((cap.fields for cap in self.caps if cap.code == "pooled_datasets"), None)
        if pooled is None:
            about = RankingRecord.of(self.ranking)
            return POPULATIONS.get(about.population, "").replace("data set", about.stratum or "data set")
        return (
            f"{'on' if pooled['unit'] == 'data set' else 'for'} these {_text.count(pooled['datasets'], pooled['unit'])}"
        )

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


def headline_text(standing: Standing, lead: str, best: str) -> str:
    """Return the headline of two entities or more, by the field of the ranking.

    ``lead`` is what is said of a leader with rivals, and ``best`` of an entity that is best.
    """
    where = f" {standing.population}".rstrip()
    if standing.headline == "best":
        every = standing.names[1] if standing.size == 2 else "every rival"
        margin = (
            f", and it beats {every}{standing.by} with probability at least {standing.prob:g}" if standing.by else ""
        )
        return f"{best.replace(' is best', f' is best{where}')}{margin}."
    worse = ~standing.could_be_best
    if standing.headline == "shared":
        members = standing.could_be_best
        why = "equal evidence"
        if first_are_equivalent(standing):
            equal = f"equal with probability at least {standing.prob:g}"
            why = f"equivalent within {standing.rope:g}" if standing.rope else equal
        who = (
            join_names(sorted(standing.named(members)))
            if members.sum() <= NAMED
            else f"{members.sum():,} of {standing.size:,} entities"
        )
        return "; ".join([f"{who} share the first place{where} ({why})", *_worse(standing, worse)]) + "."
    tied = standing.tied & standing.could_be_best
    if tied.sum() > 1:
        who = (
            join_names(sorted(standing.named(tied)))
            if tied.sum() <= NAMED
            else f"{tied.sum():,} of {standing.size:,} entities"
        )
        chances = {standing.best(int(i)) for i in np.flatnonzero(tied)}
        lead = f"{who} lead" + (f" ({chances.pop()} each)" if len(chances) == 1 else "")
    lead += where
    limits = [cap for cap in standing.caps if cap.code not in ON_THESE]
    if limits and (not standing.rivals.any() or any(cap.code in UNJUSTIFIED for cap in limits)):
        return f"{lead}, but {_limit(standing, limits[0])}."
    others = standing.rivals & ~tied
    if not others.any():
        return "; ".join([lead, *_worse(standing, worse)]) + "."
    if tied.sum() > 1:
        more = f"{others.sum():,} more cannot be ruled out"
        return "; ".join([lead, more, *_worse(standing, worse)]) + "."
    if worse.any() or standing.size == 2:
        return (
            "; ".join([f"{lead}, but {_others(standing, others)} cannot be ruled out", *_worse(standing, worse)]) + "."
        )
    upper = standing.ranking["rank_upper"].values[standing.places]
    if (upper >= standing.size).all():
        return f"{lead}, but no entity is separated from any other."
    return f"{lead}, but no other entity can be ruled out."


def first_are_equivalent(standing: Standing) -> bool:
    """Return whether those that could be best are equal, or equivalent within the ROPE, with probability ``prob``."""
    best = np.flatnonzero(standing.ranking["in_best_set"])
    equal = standing.ranking["equivalence"].transpose("entity", "rival").values[np.ix_(best, best)]
    return bool((equal >= standing.prob).all())


def _limit(standing: Standing, cap: Note) -> str:
    """Return why the leader is not called best."""
    fields = cap.fields
    rivals = standing.names[1] if standing.size == 2 else "any other"
    if cap.code == "clusters_too_few":
        return f"{fields['clusters']:.2g} effective clusters are too few to rule out {rivals}"
    if cap.code == "cases_too_few":
        return f"fewer than {fields['enough']} cases are too few to rule out {rivals}"
    if cap.code == "means_without_n":
        return f"means without numbers of cases cannot rule out {rivals}"
    if cap.code == "one_run_of_folds":
        return f"one run of cross-validation cannot rule out {rivals}"
    if cap.code == "seeds_too_few":
        return f"{fields['seeds']} training seeds are too few to rule out {rivals}"
    if cap.code == "runs_differ":
        return f"runs of {fields['entity']} differ more than their cases allow"
    if cap.code == "easy_datasets_credited":
        lacking = fields["lacking"]
        return f"{few_names(lacking)} {'lacks' if len(lacking) == 1 else 'lack'} data sets, which may be the hard ones"
    if cap.code == "datasets_too_few":
        return f"{fields['datasets']} data sets are too few to rule out {rivals}"
    if cap.code == "cases_of_class_too_few":
        return f"with fewer than {fields['enough']} cases of a class or data set, no entity can be ruled out"
    if cap.code == "sets_need_draws":
        return f"integrals alone cannot rule out {rivals} (method='auto' computes rank sets from draws)"
    if cap.code == "groups_unequal":
        return f"the sizes of a {fields['unit']} differ too much between entities to rule out {rivals}"
    if cap.code == "not_measured":
        return f"rank sets for {fields['what']} are not justified"
    if cap.code == "prevalences_differ":
        return f"the test sets differ in prevalence, on which {score_name(standing.ranking)} depends"
    if cap.code == "chains_unreliable":
        return "the chains did not converge"
    if cap.code == "observed_undefined":
        return f"the observed {score_name(standing.ranking)} of {standing.leader} is undefined"
    if cap.code == "latent_fit_unchecked":
        return "the cases cannot show how the errors of the tests depend on each other"
    if cap.code == "latent_first_depends":
        return "another dependence of the tests, which fits no worse, puts another test first"
    if cap.code == "latent_fit_poor":
        return "the dependence of the tests in the model contradicts the data"
    if cap.code == "model_contradicted":
        return "the prior or the model contradicts the data"
    if cap.code == "pairs_unconnected":
        return f"{standing.leader} shares no data set or case with {few_names(fields['entities'])}"
    size = effective_draws(standing.ranking)
    if fields["rival"] is None:
        return f"P(best) is below {fields['prob']:g}"
    rival = f"{standing.leader} beats {fields['rival']}{standing.by}"
    return f"P({rival}) {relation(fields['p'], size)}, below {fields['prob']:g}"


def _others(standing: Standing, members: np.ndarray) -> str:
    """Return a few members by name, or the number of many."""
    names = standing.named(members)
    return join_names(names) if len(names) <= NAMED else f"{len(names):,} others"


def _worse(standing: Standing, members: np.ndarray) -> list[str]:
    if not members.any():
        return []
    if members.sum() == 1:
        return [f"{few_names(standing.named(members))} is worse"]
    return [f"{members.sum():,} others are worse"]


def lift_of(cap: Note, leader: str, score: str) -> str:
    """Return what would lift a cap of the headline; empty if more cases would."""
    return LIFTS.get(cap.code, "").format(**{**cap.fields, "leader": leader, "score": score})
