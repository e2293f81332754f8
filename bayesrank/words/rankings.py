"""The verdict on a ranking."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import xarray as xr

from bayesrank._core import prose
from bayesrank._core.notes import Note, notes_of
from bayesrank._core.nouns import noun, nouns
from bayesrank._core.percent import in_percent, score_text, score_unit
from bayesrank._core.prose import few_names
from bayesrank._core.records import RankingRecord
from bayesrank.claims.caps import Limit, is_limited
from bayesrank.ranking.claims import FEWEST, OF_LEADER, leader_overestimate
from bayesrank.ranking.facts import get_fact
from bayesrank.ranking.intervals import order_name, position_of
from bayesrank.ranking.summary import (
    check_complete,
    is_exact,
    outside_interval,
    score_name,
)
from bayesrank.words.identification import why_and_remedy
from bayesrank.words.parts import NAMED, Verdict, compose
from bayesrank.words.sentences import say
from bayesrank.words.sentences.claims import LOOKING
from bayesrank.words.standing import (
    Standing,
    first_are_equivalent,
    headline_text,
    lift_of,
    relation,
)

#: A smaller P(best) of an entity that could be best is explained.
UNLIKELY = 0.01
#: Smaller expected losses are printed as this bound.
LEAST = 1e-6
#: Fields of the note on parameters that are not identified, which its words need.
IDENTIFIED_BY = ("rank", "structural", "parameters", "weak", "tests", "populations", "dependence")
#: Advice on separating entities, by the variable ``needed_evidence``, where no number is known.
#: Kinds of evidence that users add name theirs.
STEPS = {
    "data sets": "More data sets would help most; more cases of the same data sets would help less",
    "clusters": "More clusters would help; more cases of the same clusters would help less",
    "paired cases": "More cases would help; only those on which {nouns} differ count",
    "per-case data": "Per-case data would help (the paired model compares {nouns} on the same cases), as would more "
    "cases",
    "cases": "More cases would help to separate them",
    "training seeds": "More training seeds would help; more cases of the same models would help less",
    "votes": "More votes would help most, on pairs of the {nouns} that could be best",
    "voters": "More voters would help; more votes of the same voters would help less",
    "questions": "More questions would help; more verdicts on the same questions would help less",
    "voters and questions": "More voters and more questions would help; more votes on the same ones would help less",
    "runs of these cases": "More runs of these cases would help",
    "labels": "More true labels would help, on the {nouns} that could be best",
    "verified cases": "More verified cases would help",
    "": "More data would help to separate them",
}


def verdict_of_ranking(ranking: xr.Dataset, more: Sequence[Note] = ()) -> Verdict:
    """Return the verdict on one complete ranking; ``more`` are additional notes."""
    check_complete(ranking)
    score, exact = score_name(ranking), is_exact(ranking)
    notes: list[Note | str] = [
        *outside_interval(ranking),
        *more,
        *notes_of(get_fact(ranking, "notes")),
    ]
    ranked = ~np.isnan(ranking["tier"].values)
    if not (ranking["undefined"].values < 1).any():
        where = "" if exact else " in any draw"
        return compose("none", f"Nothing to rank: no {noun()} has a defined {score}{where}.", notes)
    if not ranked.any():
        text = f"Nothing to rank: no {noun()} has a defined {score} in half of the draws."
        return compose("none", text, notes)
    standing = Standing(ranking, np.where(ranked, position_of(ranking).values, np.nan))
    if len(standing.places) < 2:
        rest = " with data" if ranked.sum() > 1 else f" with a defined {score}"
        text = f"Nothing to rank: {standing.leader} is the only {noun()}{rest if ranking.sizes['entity'] > 1 else ''}."
        return compose("none", text, [*notes, *_unranked_notes(ranking, score)])
    point = not exact and bool(np.isnan(ranking["effective_sample_size"].values).all())
    if point or standing.draws < FEWEST:
        why, step = "a point estimate has no probabilities", "A model gives probabilities (br.fit)."
        if not point:
            why = f"an effective sample size of {standing.draws:.0f} draws gives no probabilities"
            step = "More draws would help (draws=)."
        names = sorted(standing.named(standing.tied))
        headline = f"No ranking: {few_names(names)} {'comes' if len(names) == 1 else 'come'} first, but {why}."
        return compose("none", headline, [*notes, *_unranked_notes(ranking, score)], next_step=step)
    unidentified = next((cap for cap in standing.caps if is_limited([cap], Limit.ALL)), None)
    if unidentified is not None:
        why, step = why_and_remedy(
            **{
                name: unidentified.fields[name]
                for name in unidentified.fields
                if name in IDENTIFIED_BY
            }
        )
        # Two sentences say it already, so that its note is no caveat.
        others = [note for note in notes if isinstance(note, str) or note.code != unidentified.code]
        result = compose(
            "none", f"No ranking: {why}.", [*others, *common_notes(standing, score)], next_step=step
        )
        return replace(result, others=(*result.others, unidentified))
    leader, best = standing.leader, standing.best()
    headline = headline_text(
        standing, f"{leader} is ahead ({standing.chance_text()})", f"{leader} is best: {best}"
    )
    if standing.headline == "none":
        headline = f"No ranking: {few_names(standing.names)} never have a value in the same draw."
    notes = [*notes, *common_notes(standing, score)]
    picked = leader if (standing.tied & standing.could_be_best).sum() <= NAMED else "one of them"
    much = difference_of(ranking, standing, score) or loss_of(
        ranking, picked, standing.places[0], score_unit(score, "in")
    )
    if standing.headline == "best":
        return compose(standing.headline, headline, notes, much)
    step, looks_again = next_step(ranking, standing)
    return compose(
        standing.headline, headline, [*notes, LOOKING] if looks_again else notes, much, step
    )


def difference_of(ranking: xr.Dataset, standing: Standing, score: str) -> str:
    """Return the sentence on the difference of two entities, with its interval; empty for more, or if undefined."""
    if standing.size != 2 or not set(OF_LEADER) <= set(ranking):
        return ""
    # That of the rival from the leader, the other way round.
    middle, upper, lower = (-float(ranking[name].values[standing.places[1]]) for name in OF_LEADER)
    if np.isnan([middle, lower, upper]).any():
        return ""
    interval = (
        f"{100 * standing.prob:g}% interval {score_text(prose.signed_interval(lower, upper))}"
    )
    much = f"{score_text(prose.signed(middle, lower, upper))} {score_unit(score)}"
    return f"The difference is {much} ({interval})."


def loss_of(ranking: xr.Dataset, leader: str, place: int, unit: str) -> str:
    """Return the sentence on the expected loss from choosing the leader; empty if undefined."""
    regret = float(ranking["expected_regret"].values[place])
    if np.isnan(regret):
        return ""
    if regret == 0 and not is_exact(ranking):
        better = f"no other {noun()} is better in any of {RankingRecord.of(ranking).draws:,} draws"
        return f"If you pick {leader}, expect to lose 0 {unit}: {better}."
    amount = score_text(prose.significant(max(regret, LEAST)))
    much = f"{'less than ' * (regret < LEAST)}{amount} {unit}"
    return f"If you pick {leader}, expect to lose {much} against the true best."


def needed_evidence(ranking: xr.Dataset) -> str:
    """Return the kind of evidence that would help most; empty if not known."""
    return get_fact(ranking, "needed_evidence")


def next_step(ranking: xr.Dataset, standing: Standing) -> tuple[str, bool]:
    """Return what would lift a cap, or how many more cases would separate the leader from its closest rival.

    Also return whether the step invites more cases, after which the ranking is looked at again.
    """
    if lifts := [
        lift
        for cap in standing.caps
        if (lift := lift_of(cap, standing.leader, score_name(ranking)))
    ]:
        return lifts[0], False
    needed = needed_evidence(ranking)
    if needed == "other cases":
        i = int(
            np.nanargmin(standing.superiority.round(10))
        )  # of equals the first, not by rounding errors
        pair = f"separate {standing.leader} from {standing.names[i]}"
        return (
            f"No number of cases like these is expected to {pair}: they had the same outcome on every case.",
            False,
        )
    separation = notes_of(get_fact(ranking, "separation"))
    if separation:
        return say(separation[0]), separation[0].code == "more_to_separate" and separation[
            0
        ].fields["needed"] is not None
    if standing.headline == "shared" and first_are_equivalent(standing):
        return "", False
    return (
        f"{STEPS.get(needed, f'More {needed} would help to separate them').format(nouns=nouns())}.",
        True,
    )


def unobserved_last(ranking: xr.Dataset) -> str:
    """Return words on entities without an observed score, if there are any."""
    some = "unobserved" in ranking and bool(ranking["unobserved"].values.any())
    return ", those without an observed score last" if some else ""


def common_notes(standing: Standing, score: str) -> list[str | Note]:
    """Return the notes that follow from the comparisons of any ranking."""
    ranking = standing.ranking
    text = [note.code for note in notes_of(get_fact(ranking, "notes"))]
    notes: list[str | Note] = [cap for cap in standing.caps if cap.code not in text]
    last = unobserved_last(ranking)
    if order_name(ranking) == "predictive":
        notes.append(
            f"Within a tier, {nouns()} are ordered by the {score} of the posterior mean performance{last}. So the "
            "first need not have the highest P(best)."
        )
    elif last:
        notes.append(f"Within a tier, {nouns()} are in consensus order{last}.")
    notes += [note for describe in (_rank_sets, _pairs, _ties) for note in describe(standing)]
    tiers = np.fmax.reduce(ranking["tier"].values)
    if tiers > 1:
        notes.append(
            f"There are {int(tiers)} tiers. Tier 1 contains the {nouns()} that could be best; tier 2 "
            f"contains the remaining {nouns()} that no other remaining {noun()} is surely above, and so on."
        )
    name, loss, much = leader_overestimate(ranking)
    if much:
        points = " percentage points" * in_percent()
        notes.append(
            f"The {score} of {name} is expected to be {score_text(prose.significant(loss))}{points} worse on new "
            f"cases than estimated, if {nouns()} vary as in a normal distribution: the best of several estimates is "
            f"often too good. A hierarchical model, which learns how {nouns()} vary, corrects this."
        )
    return notes + _unranked_notes(ranking, score)


def _rank_sets(standing: Standing) -> list[str]:
    """Note which entities could be best by the rank sets, unless nothing justifies such sets."""
    size, prob = len(standing.places), standing.prob
    if standing.sets == "none":
        return []
    names = sorted(standing.named(standing.could_be_best))
    everyone = f"both {nouns()}" if size == 2 else f"all {size} {nouns()}"
    which = (
        everyone if len(names) == size else f"{len(names)} of {size} {nouns()} ({few_names(names)})"
    )
    basis = "confidence" if standing.sets == "confidence" else "posterior probability"
    chances = standing.chances[standing.could_be_best]
    small = int((chances < UNLIKELY).sum())
    why = ""
    if small:
        reason = (
            "the sets hold for any true scores"
            if standing.sets == "confidence"
            else "the sets hold jointly"
        )
        why = f" P(best) is below {UNLIKELY:g} for {small:,} of these: it is a posterior probability, and {reason}."
    return [f"By the rank sets ({basis} {prob:g}), {which} could be best.{why}"]


def _pairs(standing: Standing) -> list[str]:
    """Note the rivals that the leader beats, pair by pair."""
    p = standing.superiority
    if len(p) == 2:
        if np.isnan(p[1]):
            return []
        size = standing.draws
        return [
            f"P({standing.leader} beats {standing.names[1]}{standing.by}) {relation(float(p[1]), size)}."
        ]
    beaten = p >= standing.prob
    if not beaten.any():
        return [
            f"No rival is beaten{standing.by} by {standing.leader} with probability {standing.prob:g} (pairwise)."
        ]
    names = standing.named(beaten)
    beaten_names = "every rival" if len(names) == len(p) - 1 else few_names(names)
    qualifier = " each (pairwise, not jointly)" if beaten.sum() > 1 else " (pairwise)"
    return [
        f"{standing.leader} beats {beaten_names}{standing.by} with probability at least {standing.prob:g}{qualifier}."
    ]


def _ties(standing: Standing) -> list[str]:
    """Note the entities that are equivalent to the leader with the required probability."""
    equal = standing.equivalence >= standing.prob
    if not equal.any():
        return []
    names, single = standing.named(equal), bool(equal.sum() == 1)
    verb = (
        f"differ{'s' * single} by at most {standing.rope:g} from"
        if standing.rope
        else f"tie{'s' * single} with"
    )
    suffix = "" if single else " each"
    return [
        f"{few_names(names)} {verb} {standing.leader} with probability at least {standing.prob:g}{suffix}."
    ]


def _unranked_notes(ranking: xr.Dataset, score: str) -> list[str]:
    """Return notes on the entities that are unranked in all draws, or in some of them."""
    lines = []
    undefined = ranking["undefined"].values
    unranked, never = np.isnan(ranking["tier"].values), undefined == 1
    for here, how in (
        (never, f"no defined {score}"),
        (~never, f"a defined {score} in less than half of the draws"),
    ):
        names = sorted(str(name) for name in ranking["entity"].values[here & unranked])
        if names:
            lines.append(
                f"Not ranked: {few_names(names)} {'has' if len(names) == 1 else 'have'} {how}."
            )
    partly = int(((undefined > 0) & ~unranked).sum())
    if partly:
        subject = f"{prose.count(partly, noun())} {'has' if partly == 1 else 'have'}"
        lines.append(
            f"{subject} no defined {score} in some draws; ranks are among the defined ones."
        )
    return lines
