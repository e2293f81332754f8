"""Rankings without draws: what exact probabilities imply about the order, in the form of a credible ranking."""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.checks import check_bool
from bayesrank._core.draws import draw_dims
from bayesrank._core.errors import ArgumentError
from bayesrank._core.notes import Note, notes_of, notes_text
from bayesrank._core.nouns import nouns
from bayesrank._core.records import EvidenceRecord, ModelRecord, RankingRecord
from bayesrank._core.source import Source, parse_source
from bayesrank._core.types import Container, ScoreLike
from bayesrank.claims.ends import CLOSED, notes_on_closed
from bayesrank.exact import Answer, ClosedForm, NoClosedForm, Plan, answer, closed_form_of, plan_of
from bayesrank.ranking._confidence import RankSets
from bayesrank.ranking.claims import (
    OF_LEADER,
    caps_of,
    facts_of_claim,
    headline_of,
    ranks_and_tiers,
)
from bayesrank.ranking.consensus import consensus_of
from bayesrank.ranking.evidence import RankingEvidence, cases_of, evidence_of, rank_each
from bayesrank.ranking.facts import get_fact
from bayesrank.ranking.hierarchy import poth_of
from bayesrank.ranking.identical import depends_on_prevalence, identical_groups
from bayesrank.ranking.intervals import position_of, rank_intervals
from bayesrank.ranking.predictive import exact_predictive, predictive_order
from bayesrank.ranking.values import RankingOptions, ScoreValues, natural_score, ranking_of
from bayesrank.scores import Score, as_score

#: Quadrature errors above which probabilities are not exact to three digits.
UNRESOLVED = 5e-4
#: How far an end of an interval that is only printed may move in the last step, as a share of the
#: width.
ROUNDED = 2e-4
#: CPU seconds that integrals may take, roughly, beside draws.
MOST_SECONDS = 2.0
#: With fewer entities, in all rankings together, integrals take less than a minute.
MANY = 100
#: The variables of a claim; "rank_lower" and the others of entities need draws.
CLAIM = (
    "rank_lower",
    "rank_upper",
    "rank_alone_lower",
    "rank_alone_upper",
    "in_best_set",
    "surely_above",
    "tier",
    *OF_LEADER,
)
#: The facts of a claim, in attrs.
FACTS_OF_CLAIM = ("headline", "sets", "caps", "cap_notes", "separation")


def rank_exactly(
    source: Container,
    score: ScoreLike | None,
    settings: RankingOptions,
    higher_is_better: bool | None = None,
    kind: str | None = None,
    model: Any = None,
    options: dict[str, Any] | None = None,
) -> xr.Dataset:
    """Rank as :func:`bayesrank.credible_ranking` by integrals; raise :class:`NoClosedForm` if they are not accurate."""
    if kind is not None:
        raise ArgumentError(
            "kind",
            "cannot be used for method='exact', which ranks no learned population",
            f"{kind!r}",
        )
    source = parse_source(source)
    natural = natural_score(source) if score is None else None
    requested = natural or score
    if requested is None:
        raise ArgumentError("score", "must be given for method='exact'", "None")
    score = as_score(requested)
    if score.higher_is_better is None:
        raise ArgumentError(
            "score", "must have a direction to rank by", f"{score.name}, which has none"
        )
    what = _values_of(score, natural is not None)
    if (
        higher_is_better is not None
        and check_bool("higher_is_better", higher_is_better) != what.higher_is_better
    ):
        raise ArgumentError(
            "higher_is_better",
            f"cannot be used for method='exact', which takes it from {what.name}",
            f"{higher_is_better!r}",
        )
    known = closed_form_of(source, model, options or {})
    if known.frame.size >= MANY:
        _warn_of_cost(plan_of(score, known.at((0,) * (known.frame.ndim - 1))), known)
    if source.array is not None:
        counts = known.model.observed()["observed_data"]["counts"]
        counts = counts.rename(dataset="group") if "group" in known.frame.dims else counts
        evidence = RankingEvidence(
            counts,
            performance=known.performance,
            about=ModelRecord.from_attrs(known.model.settings),
            assembled=EvidenceRecord.from_attrs(known.model.settings),
            cases=cases_of(source, known.frame),
        )
    else:
        evidence = evidence_of(source, None, known.frame.rename(what.name), None)
    return _rank_closed_form(known, evidence, what, settings)


def _warn_of_cost(plan: Plan, known: ClosedForm) -> None:
    """Warn of integrals that take minutes, before they begin; ``plan`` is of the first of several rankings."""
    entities = known.frame.sizes["entity"]
    minutes = plan.seconds * (known.frame.size // entities) / 60
    if minutes >= 1:
        warnings.warn(
            f"An exact ranking of {entities:,} {nouns()} takes about {minutes:.2g} minutes; "
            "method='draws' takes seconds.",
            UserWarning,
            stacklevel=5,
        )


def _values_of(score: Score, natural: bool) -> ScoreValues:
    """Return a score with a direction, without values."""
    ends = (0.0, 1.0) if score.space == "outcomes" else None
    values = xr.DataArray(name=score.name)
    return ScoreValues(
        values, score.name, bool(score.higher_is_better), score, ends=ends, natural=natural
    )


def _rank_closed_form(
    known: ClosedForm, evidence: RankingEvidence, what: ScoreValues, settings: RankingOptions
) -> xr.Dataset:
    """Return the ranking by integrals over closed forms, of the entities in each item of the other dims."""
    score = what.score
    assert score is not None
    if evidence.counts is not None:
        score.check_space(evidence.counts.sizes)
        score.check_classes(evidence.counts)
    ranking = rank_each(
        known.frame, evidence, lambda _, held, at: _one(known.at(at), held, what, settings)
    )
    if settings.joint:
        return ranking
    pairwise = ("superiority", "equivalence", "sucra", "poth", "consensus", "predictive")
    compared = (*pairwise, *CLAIM, *FACTS_OF_CLAIM)
    retained = ranking.drop_vars(
        [*(name for name in ranking.data_vars if str(name).startswith(compared)), "rival"]
    )
    return retained.drop_attrs(deep=False).assign_attrs(
        {name: fact for name, fact in ranking.attrs.items() if name not in FACTS_OF_CLAIM}
    )


def replace_drawn(
    drawn: xr.Dataset,
    source: Source,
    found: ScoreValues,
    evidence: RankingEvidence,
    settings: RankingOptions,
) -> xr.Dataset:
    """Return a ranking of draws with all numbers that are known exactly, if there are such; else the same ranking.

    What needs joint draws, such as the rank sets, is kept and named in ``attrs["drawn"]``.
    """
    score, values = found.score, found.values
    known = None if found.variable else score
    if (
        score is None
        or drawn["expected_rank"].dims != ("entity",)
        or not _is_conjugate(source, known)
    ):
        return drawn
    if found.higher_is_better != score.higher_is_better:
        return drawn
    try:
        closed = closed_form_of(source, None, {})
        if closed.frame.ndim > 1 or plan_of(score, closed).seconds > MOST_SECONDS:
            return drawn
        exact = _rank_closed_form(closed, evidence, _values_of(score, found.natural), settings)
    except NoClosedForm:
        return drawn
    if exact["rank_probability_error"].max() > UNRESOLVED or not _are_draws_of(
        values, exact["median"]
    ):
        return drawn
    # Names of test sets that were inferred depend on the order of input: an exact ranking has none.
    drawn = drawn.drop_vars("test_set", errors="ignore")
    rest = {str(name): held for name, held in drawn.items() if name not in exact or name in CLAIM}
    record = RankingRecord(draws=RankingRecord.of(drawn).draws, drawn=tuple(rest))
    claim = {name: drawn.attrs[name] for name in FACTS_OF_CLAIM if name in drawn.attrs}
    joined = exact.assign(rest).assign_attrs(record.to_attrs() | claim)
    return _claim_again(joined, evidence) if settings.joint else joined


def _claim_again(ranking: xr.Dataset, evidence: RankingEvidence) -> xr.Dataset:
    """Return a ranking with rank sets of draws, and the headline that follows from the exact numbers."""
    ranking = ranking.copy()
    caps = [
        note
        for note in caps_of(ranking)
        if note.code not in ("probability_below", "model_contradicted")
    ]
    if bool((ranking["contradicted"] & ranking["in_best_set"]).any()):
        caps.append(Note("model_contradicted"))
    arrays = {
        str(name): held.transpose("entity", ...).values
        for name, held in ranking.items()
        if "entity" in held.dims
    }
    record = RankingRecord.of(ranking)
    groups = identical_groups(
        evidence, ranking.sizes["entity"], record.depends_on_prevalence in (None, True)
    )
    headline, caps = headline_of(
        arrays, ranking["entity"].values.tolist(), caps, record.prob, record.rope, groups
    )
    position = int(
        np.argmin(np.nan_to_num(position_of(arrays), nan=np.inf))
    )  # any, if no entity is ranked
    leader = str(ranking["entity"].values[position]) if headline != "none" else ""
    if ranking["difference"].values[position] != 0:  # differences from the leader of the draws
        for name in OF_LEADER:
            ranking[name] = ranking[name] * np.nan
    apart = [
        pair
        for pair in notes_of(get_fact(ranking, "separation"))
        if leader in (pair.fields["entity"], pair.fields["rival"])
    ]
    claim = facts_of_claim(headline, get_fact(ranking, "sets"), caps)
    # The separation is not that of the leader of the draws.
    return ranking.assign_attrs(claim | {"separation": notes_text(apart)})


def prior_quantiles(posterior: Any, score: Any, levels: np.ndarray) -> xr.DataArray | None:
    """Return quantiles of a score before any data (entity, level), if the prior of the score has a closed form."""
    posterior = parse_source(posterior)
    if not _is_conjugate(posterior, score):
        return None
    try:
        known = closed_form_of(posterior, None, {}, "prior")
        if known.frame.ndim > 1:
            return None
        plan = plan_of(as_score(score), known)
        found = np.full((len(plan.item), len(levels)), np.nan)
        for item in set(plan.item[plan.item >= 0].tolist()):
            alone = plan.of_item(item)
            found[plan.item == item] = answer(alone, levels, 0.0, ROUNDED, ROUNDED).numbers.ends
    except NoClosedForm:
        return None
    return xr.DataArray(
        found, {"entity": known.frame["entity"], "level": levels}, ("entity", "level")
    )


def _are_draws_of(values: xr.DataArray, median: xr.DataArray) -> bool:
    """Return whether draws of scores have these medians; those of a posterior may have been replaced by others."""
    dims = draw_dims(values)
    slack = 1e-9 * (1 + np.abs(median))
    # A share of draws differs from a half by six standard errors never by chance.
    allowed = 6 / 2 / np.sqrt(float(np.prod([values.sizes[dim] for dim in dims])))
    less, more = ((values < median - slack).mean(dims), (values > median + slack).mean(dims))
    return bool((np.maximum(less, more) <= 0.5 + allowed).all())


def _is_conjugate(source: Source, score: Any) -> bool:
    """Return whether a posterior has draws of its own model, and is ranked by a score."""
    if score is None or (posterior := source.group("posterior")) is None:
        return False
    # The mean of outcomes follows from their counts; other variables may be anything.
    variable = isinstance(score, str) and score in posterior and score != "mean_outcome"
    return ModelRecord.of(posterior).sampler == "exact" and not variable


def _one(
    known: ClosedForm, evidence: RankingEvidence, what: ScoreValues, settings: RankingOptions
) -> xr.Dataset:
    names = [str(name) for name in known.frame["entity"].values]
    assert what.score is not None
    plan = plan_of(what.score, known)
    tail = (1 - settings.prob) / 2
    found = answer(plan, np.array([tail, 0.5, 1 - tail]), settings.rope)
    result = _results(plan, found, settings.prob)
    slack = 1e-9 * (1 + result["upper"] - result["lower"])  # for rounding errors

    def outside(observed: np.ndarray) -> np.ndarray:
        beyond = (observed < result["lower"] - slack) | (observed > result["upper"] + slack)
        return beyond & ~what.at_an_end(observed)

    interval = result["median"], result["lower"], result["upper"]
    result |= evidence.compare(what.score, interval, settings.prob, outside)
    closed = evidence.close(what.score, interval[1:], what.range, settings.prob)
    result["lower"], result["upper"] = closed
    notes = [*_notes(found), *what.notes(), *evidence.notes(what.score)]
    notes += notes_on_closed(names, what.display, interval[1:], closed, what.range)
    ranked = result["undefined"] < 1
    before, error = np.nan_to_num(found.numbers.before, nan=0.5), np.nan_to_num(found.error.before)
    unseen = result["unobserved"]
    result |= consensus_of(np.array(names), found.numbers.expected, before, error, ranked, unseen)
    nothing = np.zeros(before.shape, bool)
    sets = RankSets(nothing, np.zeros(len(names), bool), "none", Note("sets_need_draws"))
    if settings.order == "predictive":
        value = exact_predictive(known.concentration, known.totals, what.score)
        expected, texts = found.numbers.expected, np.array(names)
        result |= predictive_order(
            value, np.zeros(len(names)), what, ranked, expected, texts, unseen
        )
    result |= ranks_and_tiers(sets, ranked) | {
        name: np.full(len(names), np.nan) for name in OF_LEADER
    }
    caps = [Note("sets_need_draws"), *evidence.caps(notes, result, names)]
    groups = identical_groups(evidence, len(names), depends_on_prevalence(what.score))
    headline, caps = headline_of(result, names, caps, settings.prob, settings.rope, groups)
    facts = replace(
        what.facts, prob=settings.prob, rope=settings.rope, method="exact", interval=CLOSED
    )
    attrs = facts.to_attrs() | evidence.facts() | facts_of_claim(headline, sets.kind, caps)
    attrs |= {"notes": notes_text(notes), "needed_evidence": evidence.needed()}
    return ranking_of(result, known.frame, True, "difference of two numbers of nodes", attrs)


def _results(plan: Plan, found: Answer, prob: float) -> dict[str, Any]:
    """Return the results that follow from the probabilities, by name."""
    numbers, error, defined = found.numbers, found.error, plan.item >= 0
    probability = numbers.rank
    lower, upper = rank_intervals(np.where(defined[:, None], probability, np.nan), (1 - prob) / 2)
    superiority = numbers.superior
    equivalence = np.clip(1 - superiority - superiority.T, 0.0, 1.0)
    np.fill_diagonal(equivalence, np.where(defined, 1.0, np.nan))
    return {
        "median": numbers.ends[:, 1],
        "lower": numbers.ends[:, 0],
        "upper": numbers.ends[:, 2],
        "rank_probability": probability,
        "rank_probability_error": error.rank,
        "probability_best": probability[:, 0],
        "probability_best_error": error.rank[:, 0],
        "expected_rank": numbers.expected,
        "expected_rank_error": error.expected,
        "rank_marginal_lower": lower,
        "rank_marginal_upper": upper,
        "superiority": superiority,
        "superiority_error": error.superior,
        "equivalence": equivalence,
        **_hierarchy(numbers.expected, error.expected),
        "expected_regret": numbers.regret,
        "expected_regret_error": error.regret,
        "undefined": 1.0 - defined,
    }


def _hierarchy(expected: np.ndarray, error: np.ndarray) -> dict[str, Any]:
    """Return SUCRA and POTH of the expected ranks, with errors."""
    size = int((~np.isnan(expected)).sum())
    rivals = size - 1 if size > 1 else np.nan
    sucra, sucra_error = (size - expected) / rivals, error / rivals
    # Sorted, so that the order of input does not matter.
    poth, higher = (
        poth_of(np.sort(each[~np.isnan(each)]))
        for each in (sucra, 0.5 + np.abs(sucra - 0.5) + sucra_error)
    )
    return {"sucra": sucra, "sucra_error": sucra_error, "poth": poth, "poth_error": higher - poth}


def _notes(found: Answer) -> list[Note]:
    """Return notes on intervals that are missing, and on errors in the third digit."""
    notes = []
    if found.unseen.any():
        notes.append(Note("interval_missing", {"entities": int(found.unseen.sum())}))
    off = max(
        float(np.nanmax(each, initial=0.0)) for each in (found.error.rank, found.error.superior)
    )
    if off >= UNRESOLVED:
        notes.append(Note("quadrature_error", {"error": off, "reason": found.reason}))
    return notes
