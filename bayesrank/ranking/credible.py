"""Credible rankings: the posterior order of the entities by a score."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import (
    check_bool,
    check_choice,
    check_number,
    check_prob,
    describe_value,
)
from bayesrank._core.draws import (
    ERROR,
    Batches,
    Moments,
    check_size,
    draw_dims,
    efficiency,
    load_arrays,
    proportion_error,
    reduce,
)
from bayesrank._core.errors import ArgumentError
from bayesrank._core.keywords import arguments_of, check_keywords
from bayesrank._core.memory import available_memory, check_memory
from bayesrank._core.notes import Note, notes_of, notes_text
from bayesrank._core.records import RankingRecord
from bayesrank._core.source import Over, Source, parse_source
from bayesrank._core.types import Container, ModelName, ScoreLike
from bayesrank.claims.effective import Information
from bayesrank.claims.ends import CLOSED, notes_on_closed
from bayesrank.claims.information import information_of
from bayesrank.claims.units import Units
from bayesrank.models import find_model, in_closed_form, options_of
from bayesrank.performance.arrays import posterior_of
from bayesrank.ranking._confidence import RankSets, rank_sets
from bayesrank.ranking._tallies import compare_draws, positive, tally_ranks
from bayesrank.ranking.aggregates import Scored, others_like, over_of, scored
from bayesrank.ranking.claims import (
    FEWEST,
    OF_LEADER,
    cap,
    facts_of_claim,
    headline_of,
    ranks_and_tiers,
)
from bayesrank.ranking.consensus import consensus_of
from bayesrank.ranking.evidence import RankingEvidence, rank_each
from bayesrank.ranking.extremes import Extremes
from bayesrank.ranking.facts import get_fact, set_facts
from bayesrank.ranking.hierarchy import hierarchy
from bayesrank.ranking.identical import (
    agree,
    average_pairs,
    average_within,
    depends_on_prevalence,
    hold_sets,
    hold_within,
    identical_groups,
    lowest_within,
)
from bayesrank.ranking.intervals import position_of, quantiles_of, rank_intervals
from bayesrank.ranking.notes import discordance_of
from bayesrank.ranking.predictive import predictive_order, predictive_values
from bayesrank.ranking.prevalence import values_at_common
from bayesrank.ranking.separation import Pair, RankedDraws, Separation, population_behind
from bayesrank.ranking.values import RankingOptions, ScoreValues, finite, ranking_of
from bayesrank.ranking.without_draws import rank_exactly, replace_drawn

#: Maximum share of draws without a value for an entity to be ranked.
MOSTLY = 0.5
#: With fewer entities, the leader's expected overestimate is not stated.
FEWEST_ENTITIES = 3
#: The ends of the interval of a score.
OF_INTERVAL = ("lower", "upper")
#: Larger numbers have squares that cannot be summed.
HUGE = 1e120


@check_call
def credible_ranking(
    source: Container,
    score: ScoreLike | None = None,
    *,
    method: str = "draws",
    prob: float = 0.95,
    rope: float = 0.0,
    higher_is_better: bool | None = None,
    kind: str | None = None,
    over: str | None = None,
    aggregate: str | None = None,
    weights: Any = None,
    joint: bool = True,
    order: str = "consensus",
    evidence: Any = None,
    model: ModelName | None = None,
    **options: Any,
) -> xr.Dataset:
    """Return rank probabilities, intervals, consensus ranks and tiers for a score, with or without draws.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Performances; a posterior with the scored variable over ``entity``; or values of a score
        (chain, draw, entity) or (sample, entity); values without these dims are one draw. Any other
        dim, such as ``dataset``, gives one ranking per item (unless ``over`` is given). May be
        lazy.
    score : Score, str or callable, optional
        The score or the variable of the posterior. For outcomes without classes the default is
        their mean. Other sources without a score must be values of which higher ones are better,
        unless ``higher_is_better`` is given. An error is raised if their name or attrs say
        otherwise. Regret is undefined for such values.
    method : str
        - ``"draws"``: from the draws of ``source``.
        - ``"exact"``: by integrals, without draws or seed; equal counts give equal results.
          ``source`` is counts of two classes or of the outcomes 0 and 1, or a conjugate posterior
          from :func:`bayesrank.fit`. A two-class score must be monotone in TPR and TNR; outcomes
          are ranked by their mean.
        - ``"auto"`` (command and report): from draws, and, for a single ranking, exact where the
          error is below 5e-4, the work is small, and the medians agree with the draws.
    prob : float
        Probability of the credible intervals and joint level of the rank sets, between 0 and 1.
    rope : float
        Region of practical equivalence, in units of the score: superiority requires a larger
        difference.
    higher_is_better : bool, optional
        Overrides the direction of the score; required for scores without one.
    kind : str, optional
        Which performance of the posterior, as in :func:`bayesrank.as_performance`.
    over, aggregate, weights : optional
        Rank by an aggregate over ``"group"``, ``"dataset"`` or a coord along it such as
        ``"category"``: ``"mean"`` (default), ``"worst"``, ``"gap"``, ``"borda"`` or ``"win_rate"``,
        as for :func:`bayesrank.scores.aggregate_score`. The ranking is for these groups;
        ``kind="typical"`` or ``"new"`` with the mean is for groups like these.
    joint : bool
        Compare all pairs of entities, which takes draws × entities² operations. If False, the
        result has no ``rival``, ``superiority``, ``equivalence``, ``sucra``, ``poth``,
        ``consensus_*``, ``predictive*``, ``rank_lower``, ``rank_upper``, ``surely_above``,
        ``tier``, ``in_best_set``, ``separation``, headline, sets and caps.
    order : str
        The order of the entities within a tier. The first of the first tier is the leader.
        ``"consensus"``; or ``"predictive"``: the order by the score of the posterior mean
        performance, which needs performances, not values of a score. The page on the theory
        of uncertainty says when ``predictive_rank`` keeps the axioms of ranking. Sets, tiers and probabilities do
        not depend on ``order``.
    evidence : optional
        Counts or outcomes behind draws of a model that is not of this package, as
        :func:`bayesrank.fit` takes them. Draws alone carry no promise for fixed true scores, and
        their headline is at most "leads". With evidence they carry it, if no difference of two
        entities varies less than 0.8 times as much as in the default model of this evidence. A
        posterior with these counts in its group ``observed_data`` needs no ``evidence``.
    model, **options
        With ``method="exact"`` and counts, a conjugate model of :func:`bayesrank.fit` and its
        options; the prevalence cannot be draws.

    Returns
    -------
    xarray.Dataset
        Over ``entity``, ``rank`` (1 is best) and ``rival``, NaN where undefined, with Monte-Carlo
        standard errors ``<name>_error``:

        - ``median``, ``lower``, ``upper``: of the defined draws of the score, equal tails at
          ``prob``. Where the observed value is at an end of the score's range, or one case away
          from it, the near end of the interval is the end of the range, so that the interval can
          hold a perfect score. If one of two classes has no error, its rate may be 1, and the
          interval holds the score at this rate and at the end of that of the other class. With few
          clusters or voters, both ends are farther from the median than those of the draws.
          ``observed``: score of the observed counts, NaN if undefined or infinite; ``unobserved``:
          whether it is undefined (not infinite) while that of another entity is not;
          ``contradicted``: whether ``observed`` is outside the interval (beyond Monte-Carlo error,
          and not at an end of its range); ``cases``: number of cases. The draws of a worst score or
          a gap are shifted: its interval, and that of its differences, come from the intervals of
          the groups, and a median outside of it is moved to the closest end.
        - ``rank_probability`` (entity, rank), ``probability_best``, ``expected_rank``: tied
          entities share positions. With few clusters or voters, these and all other probabilities
          are of draws whose differences from the best entity have a t distribution with so many
          degrees of freedom.
        - ``sucra``: mean probability of ranking before a rival, with ties as halves. ``poth``:
          variance of ``sucra`` relative to its maximum; 0 if all are equal, 1 if the order is
          certain and has no ties (Wigle et al., arXiv:2501.11596).
        - ``in_best_set``: whether the entity could be best. In a share of about ``prob`` of
          repeated experiments the set contains every truly best entity, for any true scores. An
          entity that beats each rival at this level is alone in it (a verified winner). ROPE has no
          effect.
        - ``surely_above`` (entity, rival): pairs whose order is right for all pairs at once in
          about ``prob`` of repeated experiments. ``rank_lower``, ``rank_upper``: the best and the
          worst possible rank, of all entities at once: 1 plus the number surely above, and the
          number of ranked entities minus the number surely below. The best possible rank is 1 in
          the best set and at least 2 outside it; the only entity that could be best has rank 1.
          Without enough evidence, every rank is possible.
        - ``rank_alone_lower``, ``rank_alone_upper``: the possible ranks of one entity that was
          named before the data were seen. They are narrower, but do not hold for an entity that was
          chosen because of its rank.
        - ``win_rate``, ``win_against_leader`` (votes): the observed share of won votes, and the
          expected one against the leader; a tie is half a win.
        - ``difference``, ``difference_lower``, ``difference_upper``: median and interval of the
          difference from the leader, in units of the score, also wider for few clusters. The
          interval of point estimates is NaN.
        - ``rank_marginal_lower``, ``rank_marginal_upper``: equal-tailed posterior interval of the
          rank of each entity alone.
        - ``superiority`` (entity, rival): probability that the entity beats the rival by more than
          the ROPE, among draws with both defined; ``equivalence`` (entity, rival): that neither
          beats the other by more.
        - ``consensus_rank``: rank in the order with the smallest expected Kendall distance in which
          entities without an observed score come last; entities share a rank if their order is
          within twice the Monte-Carlo error. (Of more than 16 entities in a cycle, the order is one
          that no move of an entity improves.) ``consensus_position``: the rank in this order
          without shared ranks. ``consensus_distance``: expected distance of this order;
          ``consensus_lower_bound``: lower bound of the expected distance of any order.
        - ``predictive``, ``predictive_rank``, ``predictive_position``, with ``order="predictive"``:
          the score of the posterior mean performance, the rank by it, and the rank without ties.
          Entities without an observed score come last here, too.
        - ``tier``: tier 1 is the best set; tier 2 has the remaining entities that no other
          remaining entity is surely above, and so on.
        - ``expected_regret``: mean difference from the best of each draw, in units of the score, if
          its mean is finite.
        - ``overestimate``: expected excess of the estimate over the true score (winner's curse). It
          assumes that the true scores of the entities are a sample of a normal population, and
          averages over the spread of this population. It needs at least three entities. It is NaN
          for models that learn such a population themselves.
        - ``undefined``: share of draws without a value; above one half, the entity is not ranked.
        - ``effective_sample_size``: effective number of draws of the entity's values.
        - ``worst``, ``worst_probability``, with ``aggregate="worst"``: the group that is most
          probably the worst one.

        The facts of one ranking are attrs (of several rankings variables, one for each):

        - ``headline``: "best", "shared", "leads" or "none", as in :func:`bayesrank.verdict`. "best"
          needs a best set of one entity, and no cap except that data sets were pooled; "shared" a
          best set with equal evidence, or whose entities are equal, or within the ROPE of each
          other, with probability ``prob``.
        - ``sets``: what the rank sets rest on: "confidence", "posterior" (for a model that learns a
          population of entities or data sets), or "none".
        - ``caps``: the codes of the reasons that limit the headline; ``cap_notes`` has their
          fields.
        - ``separation``: how many more cases would separate the leader from its closest rival if
          they truly differ by the ROPE. Without a ROPE, the assumed difference is estimated from
          the population of entities. :func:`bayesrank.verdict` prints this number.
        - ``notes``, ``needed_evidence``: what :func:`bayesrank.verdict` and :func:`bayesrank.notes`
          print.

        Other attrs are ``score``, ``prob``, ``rope``, ``higher_is_better``, ``draws``, ``method``,
        ``interval`` (how intervals were made), the
        ``range`` and ``finite_mean`` of the score, and ``depends_on_prevalence`` if known. If data
        sets were combined, ``evidence`` says how. If the headline is about a population other than
        the cases, ``population`` is its code. With ``method="exact"``, errors are those of the
        quadrature, every rank is possible, and there are no ``draws``, ``effective_sample_size``,
        ``overestimate`` or ``separation``. With ``"auto"``, ``attrs["drawn"]`` names the variables
        that come from draws, such as the rank sets. A ratio with an interval beyond exp(±145) has a
        rank, but no median or interval.

    Raises
    ------
    ValueError, TypeError
        If the score is missing or unknown, the source has no entity or no draw, ``prob`` is not
        between 0 and 1, ``rope`` is negative, or ``model`` is given without ``method="exact"``.
        With this method also if the posterior of the score has no closed form, integrals have an
        error above 0.01, or ``over`` is given.

    Notes
    -----
    Entities with identical evidence have identical numbers. For exact ranks, the number of entities
    above a value is Poisson-binomial: Hong (2013), Computational Statistics & Data Analysis
    59:41-51.

    Examples
    --------
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> br.credible_ranking(br.fit(counts, seed=1), "informedness")["tier"].values.tolist()
    [2, 1]
    >>> exact = br.credible_ranking(counts, "informedness", method="exact", model="beta_binomial")
    >>> exact["probability_best"].round(6).values.tolist()
    [9e-05, 0.99991]
    """
    check_choice("method", method, ("draws", "exact", "auto"))
    _check_options(options, model)
    source = over_of(source, over, aggregate, weights)
    source = others_like(source, kind)
    parsed = source if isinstance(source, Over) else parse_source(source)
    settings = RankingOptions(
        check_prob("prob", prob),
        check_number("rope", rope, 0.0, finite=True),
        check_bool("joint", joint),
        check_choice("order", order, ("consensus", "predictive")),
    )
    if order == "predictive" and not joint:
        raise ArgumentError(
            "order", "must be left out for joint=False, which leaves out tiers", repr(order)
        )
    if method == "exact":
        _refuse_draws(source, evidence)
        return rank_exactly(source, score, settings, higher_is_better, kind, model, options)
    if model is not None or options:
        raise ArgumentError(
            "model and its options",
            f"cannot be used for method={method!r}, which ranks a posterior",
            f"{describe_value(model)}, {sorted(options)}",
            "method='exact' takes them with counts",
        )
    grouped = isinstance(parsed, Source) and parsed.over_groups
    scored_source = scored(
        parsed.with_datasets() if isinstance(parsed, Source) else parsed,
        score,
        higher_is_better,
        kind,
        evidence,
    )
    drawn = _rank(scored_source, settings, kind)
    if scored_source.source is None:
        return drawn
    if grouped:
        drawn = drawn.rename(dataset="group") if "dataset" in drawn.dims else drawn
        return drawn.assign_attrs(RankingRecord(stratum="group").to_attrs())
    exact = method == "auto" and kind is None
    ranking = (
        replace_drawn(
            drawn, scored_source.source, scored_source.found, scored_source.evidence, settings
        )
        if exact
        else drawn
    )
    return _with_columns(ranking, scored_source.source, scored_source.evidence)


def _check_options(options: dict[str, Any], model: ModelName | None) -> None:
    """Raise an error if an option is none of the model, or of any model in closed form."""
    if options:
        of_models = [
            name
            for kind_of_model in (in_closed_form() if model is None else [model])
            for name in options_of(find_model(kind_of_model))
        ]
        check_keywords(
            options, [*arguments_of(credible_ranking), *of_models], "br.credible_ranking"
        )


def _refuse_draws(source: Any, evidence: Any) -> None:
    """Raise an error if a ranking without draws has an aggregate, or evidence of its own."""
    if isinstance(source, Over):
        raise ArgumentError(
            "method",
            "must be 'draws' or 'auto' beside over=, whose aggregate needs draws",
            "'exact'",
        )
    if evidence is not None:
        raise ArgumentError(
            "evidence", "cannot be used for method='exact'", describe_value(evidence)
        )


def _with_columns(ranking: xr.Dataset, source: Source, evidence: RankingEvidence) -> xr.Dataset:
    """Add the columns that only this kind of evidence has to one ranking with a posterior."""
    if source.array is not None or ranking["median"].dims != ("entity",):
        return ranking
    leader = None
    if "tier" in ranking and not np.isnan(ranking["tier"].values).all():
        leader = int(np.nanargmin(np.asarray(position_of(ranking), float)))
    draws = posterior_of(source)
    columns = evidence.behind.columns(draws, leader)
    if more := evidence.behind.notes_on(draws, RankingRecord.of(ranking).prob):
        notes = notes_text([*notes_of(get_fact(ranking, "notes")), *more])
        ranking = set_facts(ranking, notes=notes)
    if not columns:
        return ranking
    return ranking.assign({name: ("entity", values) for name, values in columns.items()})


class KnownFacts(NamedTuple):
    """The information in the evidence of one ranking, and the groups of entities with identical evidence."""

    information: Information
    groups: list[np.ndarray]


def rank_variable(
    source: Container, name: str, prob: float, known: Callable[[tuple[int, ...]], KnownFacts]
) -> xr.Dataset:
    """Return rankings of a posterior variable, whose evidence the source lacks.

    ``known`` returns what is known of the evidence of one ranking, by its position in the other
    dims.
    """
    return _rank(scored(source, name, None, None), RankingOptions(prob, 0.0, True), None, known)


def rank_pair(
    one: Scored, settings: RankingOptions, kind: str | None, pair: Pair
) -> tuple[xr.Dataset, Separation | None]:
    """Return a ranking from draws, and the evidence on how many more cases separate a pair; None if not known."""
    held: list[Separation | None] = []
    ranking = _rank(one, settings, kind, also=lambda compared: held.append(pair.of(compared)))
    return ranking, held[0] if len(held) == 1 else None


def _rank(
    one: Scored,
    settings: RankingOptions,
    kind: str | None,
    known: Callable[[tuple[int, ...]], KnownFacts] | None = None,
    also: Callable[[RankedDraws], Any] | None = None,
) -> xr.Dataset:
    """Return a ranking of scores or of an aggregate; raise if they are empty, have dims of the result, or are many."""
    if one.source is None and settings.order == "predictive":
        raise ArgumentError(
            "order",
            "must be 'consensus' beside over=, since an aggregate has no predictive order",
            "'predictive'",
        )
    check_size(one.found.values)
    _check_dims(one.found.values)
    check_ranks(one.found.values.sizes["entity"], settings.joint)
    ranking = _of_draws(one, settings, kind, known, also)
    if one.source is not None:
        return ranking
    ranking = cap(ranking, one.caps)
    notes = notes_text([*one.notes, *notes_of(get_fact(ranking, "notes"))])
    results = {name: ("entity", held) for name, held in one.results.items()}
    return set_facts(ranking.assign(results), notes=notes).assign_attrs(one.facts)


def check_ranks(size: int, joint: bool = True) -> None:
    """Raise an error if probabilities of ranks, and with ``joint`` the pairs, of so many entities exceed the memory."""
    # Several of each, and of their errors, are in memory at a time.
    tables = 10 if joint else 6
    most = int(np.sqrt(available_memory()[0] / 2 / 8 / tables))
    check_memory(
        "source must contain fewer entities",
        f"{size} x {size} probabilities of ranks",
        (tables, size, size),
        f"{size} entities; at most {most:,} fit",
    )


def _check_dims(values: xr.DataArray) -> None:
    """Raise an error if a dim has the name of one of the result."""
    if {"rank", "rival"} & set(values.dims):
        raise ArgumentError(
            "source",
            "must not have dims called rank or rival, since the result adds them",
            values.dims,
        )


def _of_draws(
    scores: Scored,
    settings: RankingOptions,
    kind: str | None,
    known: Callable[[tuple[int, ...]], KnownFacts] | None,
    also: Callable[[RankedDraws], Any] | None,
) -> xr.Dataset:
    """Return a ranking from draws; ``also`` is called with the ranked draws."""
    result, values = scores.found, scores.found.values
    values = values.transpose(*draw_dims(values), ..., "entity")
    values = values if values.dtype == float else values.astype(float)
    parts: list[xr.DataArray] = []
    if settings.joint and known is None:
        parts = values_at_common(scores.source, scores.score, kind, scores.evidence.own_counts)
    # Together, so that a lazy posterior is drawn once.
    [values, *common] = load_arrays(values, *(part.transpose(*values.dims) for part in parts))
    expected = None
    if scores.source is not None and settings.order == "predictive":
        expected = predictive_values(scores.source, result, kind)
    if expected is not None:  # one item of the other dims after the other, as the values
        extra = [str(dim) for dim in values.dims if dim not in draw_dims(values)]
        expected = expected.transpose(*extra).compute()

    def rank_one(part: xr.DataArray, one: RankingEvidence, at: tuple[int, ...]) -> xr.Dataset:
        facts = None if known is None else known(at)
        predictive = None if expected is None else _at(expected, at)
        parts = (
            each.isel(dict(zip(values.dims[len(draw_dims(values)) : -1], at, strict=True)))
            for each in common
        )
        alternatives = [part.values.reshape(-1, part.sizes["entity"]) for part in parts]
        return _one(
            part, one, result, settings, predictive, facts, also, alternatives, scores.extremes
        )

    evidence = scores.evidence if known is None else replace(scores.evidence, unsupported=None)
    return rank_each(values, evidence, rank_one)


def _at(expected: xr.Dataset, at: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return the predictive values and errors (entity) at a position of the other dims."""
    return expected["predictive"].values[at], expected["predictive_error"].values[at]


def _one(
    values: xr.DataArray,
    evidence: RankingEvidence,
    found: ScoreValues,
    settings: RankingOptions,
    predictive: tuple[np.ndarray, np.ndarray] | None = None,
    known: KnownFacts | None = None,
    also: Callable[[RankedDraws], Any] | None = None,
    alternatives: Sequence[np.ndarray] = (),
    extremes: Extremes | None = None,
) -> xr.Dataset:
    names, batches = values["entity"].values, Batches.of(values)
    x = finite(values.values).reshape(batches.number, len(names))
    score = None if found.variable else found.score
    if known is None:
        groups = identical_groups(evidence, len(names), depends_on_prevalence(score))
        known = KnownFacts(information_of(evidence, score, len(names)), groups)
    information, groups = known
    drawn = xr.DataArray(x, dims=("draw", "entity"))
    likely = Units.behind(information).spread_differences(drawn, found.range, found.sign).values
    result, tally = _summarize(x, likely, batches, settings, found, groups)
    groups, ranked = tally.groups, result["undefined"] <= MOSTLY
    if extremes is not None:
        ends = (average_within(groups, end) for end in extremes.interval(settings.prob))
        result |= _replaced(result, dict(zip(OF_INTERVAL, ends, strict=True)))
    population = population_behind(x, ranked, found, evidence, information)
    if population is not None and ranked.sum() >= FEWEST_ENTITIES:
        loss = np.full(len(names), np.nan)
        loss[ranked] = found.sign * (np.nanmean(x[:, ranked], axis=0) - population.means())
        result["overestimate"] = average_within(groups, loss)

    compared = RankedDraws(x, found, evidence, information, population, result, settings.prob)
    interval, notes_on_interval = _interval_beside_observed(compared, names, groups)
    result |= interval
    notes = [*found.notes(), *evidence.notes(score), *notes_on_interval]
    claim = {"notes": notes_text(notes), "needed_evidence": evidence.needed()}
    if settings.joint:
        pairs, before, error = _compare_pairs(likely, settings, found, tally)
        result |= pairs | _orders(compared, names, (before, error), tally, predictive)
        sets = _rank_sets(compared, tally, alternatives, extremes)
        if alternatives:
            notes = evidence.notes_at_common(notes, score, sets.narrowed)
        result |= ranks_and_tiers(sets, ranked)
        result |= _differences_from_leader(compared, groups, extremes)
        claim = _claim(compared, names, sets, notes, settings.rope, tally)
        if also is not None:
            also(compared)
    facts = replace(found.facts, prob=settings.prob, rope=settings.rope, draws=batches.number)
    facts = replace(facts, method="draws", interval=CLOSED)
    attrs = facts.to_attrs() | evidence.facts() | claim
    return ranking_of(result, values, settings.joint, ERROR, attrs)


class _Tally(NamedTuple):
    """The ranks of each draw, and what their Monte-Carlo errors depend on."""

    twice: np.ndarray  #: Twice the ranks (draw, entity), 0 where undefined.
    batches: Batches
    paired: np.ndarray | None  #: Effective draws per draw of each pair.
    worst: float  #: The smallest effective sample size.
    groups: list[np.ndarray]  #: Entities with equal evidence.


def _interval_beside_observed(
    compared: RankedDraws, names: np.ndarray, groups: list[np.ndarray]
) -> tuple[dict[str, np.ndarray], list[Note]]:
    """Return the interval, which allows for few units, and the observed values beside it, with notes on it."""
    _, found, evidence, information, _, result, prob = compared
    score = None if found.variable else found.score
    middle, of_draws = result["median"], (result["lower"], result["upper"])
    allowance = information.allowance(prob, found.range)
    wide = allowance.widen(middle, of_draws, found.range)
    outside = partial(_is_outside, compared, wide)
    results = evidence.compare(score, (middle, *wide), prob, outside)
    results["contradicted"] = hold_within(groups, results["contradicted"])
    closed = evidence.close(score, wide, found.range, prob)
    results["lower"], results["upper"] = closed
    if evidence.behind.withheld is not None:
        for end in ("lower", "upper"):
            results[end] = np.where(evidence.behind.withheld.values, np.nan, results[end])
    notes = allowance.notes(names, middle, of_draws, found.range)
    return results, [*notes, *notes_on_closed(names, found.display, wide, closed, found.range)]


def _is_outside(
    compared: RankedDraws, wide: tuple[np.ndarray, np.ndarray], observed: np.ndarray
) -> np.ndarray:
    """Return whether values are outside the interval by more than Monte-Carlo error."""
    x, ranking, found = compared.x, compared.ranking, compared.found
    apart = ((observed < wide[0]) | (observed > wide[1])) & ~found.at_an_end(observed)
    if not apart.any():
        return apart
    defined = np.maximum((~np.isnan(x)).sum(axis=0), 1)
    beyond = np.minimum((x <= observed).sum(axis=0), (x >= observed).sum(axis=0)) / defined
    error = proportion_error(beyond, ranking["effective_sample_size"])
    return apart & (beyond + 2 * error < (1 - compared.prob) / 2)


def _orders(
    compared: RankedDraws,
    names: np.ndarray,
    before: tuple[np.ndarray, np.ndarray],
    tally: _Tally,
    predictive: tuple[np.ndarray, np.ndarray] | None,
) -> dict[str, Any]:
    """Return the consensus order by P(i before j) and its errors, how precise it is, and the predictive order."""
    result, groups, texts = compared.ranking, tally.groups, np.array([str(name) for name in names])
    ranked = result["undefined"] <= MOSTLY
    unseen, expected = result["unobserved"], result["expected_rank"]
    order = consensus_of(texts, expected, *before, ranked, unseen)
    order["consensus_rank"] = lowest_within(groups, order["consensus_rank"])
    order |= hierarchy(before[0], tally.twice, ranked, tally.batches, tally.worst)
    order["sucra_error"] = average_within(groups, order["sucra_error"])
    if predictive is not None:
        value, error = (average_within(groups, part) for part in predictive)
        order |= predictive_order(value, error, compared.found, ranked, expected, texts, unseen)
    return order


def _rank_sets(
    compared: RankedDraws,
    tally: _Tally,
    alternatives: Sequence[np.ndarray],
    extremes: Extremes | None,
) -> RankSets:
    """Return what is sure of the order, the same for entities with equal evidence."""
    decide = None if extremes is None else extremes.decide
    with np.errstate(over="ignore", invalid="ignore"):  # outcomes near the largest float
        sets = rank_sets(
            compared.x,
            compared.ranking["undefined"] <= MOSTLY,
            compared.found,
            compared.prob,
            tally.worst,
            compared.information,
            alternatives,
            decide,
        )
    return hold_sets(tally.groups, sets)


def _differences_from_leader(
    compared: RankedDraws, groups: list[np.ndarray], extremes: Extremes | None
) -> dict[str, np.ndarray]:
    """Return median and interval of the difference of each entity from the first in position."""
    x, found, _, information, _, result, prob = compared
    position, ranked = np.asarray(position_of(result)), result["undefined"] <= MOSTLY
    differences = _differences(x, position, prob, groups)
    differences |= _widen_differences(differences, position, information, prob, found.range)
    if extremes is None or not ranked.any():
        return differences
    leader = int(np.nanargmin(position))
    of_leader = extremes.differences(leader, np.flatnonzero(ranked), prob, information)
    others = [group for group in groups if leader not in group]
    ends = dict(zip(OF_LEADER[1:], average_within(others, of_leader.T).T, strict=True))
    return differences | _replaced(differences, ends)


def _claim(
    compared: RankedDraws,
    names: np.ndarray,
    sets: RankSets,
    notes: list[Note],
    rope: float,
    tally: _Tally,
) -> dict[str, Any]:
    """Return the headline with what limits it, what would separate the first two, and the notes, as attrs."""
    _, _, evidence, information, _, result, prob = compared
    few_cases, alike = discordance_of(
        information, evidence.model, names, result, prob, evidence.joint_cases
    )
    notes = [*notes, *few_cases, *information.notes()]
    texts = [str(name) for name in names]
    caps = [] if sets.reason is None else [sets.reason]
    caps += evidence.caps(notes, result, texts, information)
    headline, caps = headline_of(result, names.tolist(), caps, prob, rope, tally.groups)
    if not tally.worst >= FEWEST:  # a point estimate, or too few draws for probabilities
        headline = "none"
    pair = Pair(difference=rope).of(compared) if headline in ("leads", "shared") else None
    needed = evidence.needed()
    return facts_of_claim(headline, sets.kind, caps) | {
        "separation": notes_text([] if pair is None else [pair.note()]),
        "notes": notes_text(notes),
        "needed_evidence": "other cases" if alike and needed == "paired cases" else needed,
    }


def _summarize(
    x: np.ndarray,
    likely: np.ndarray,
    batches: Batches,
    settings: RankingOptions,
    found: ScoreValues,
    groups: list[np.ndarray],
) -> tuple[dict[str, Any], _Tally]:
    """Return the results that need no pairs, from values (draw, entity), and the ranks of each draw.

    Ranks are of the ``likely`` values, whose differences are spread where units are few.
    """
    tail = (1 - settings.prob) / 2
    with np.errstate(
        over="ignore", invalid="ignore"
    ):  # sums and squares of huge values, not reported
        middle, low, high, centre, defined = quantiles_of(x, tail)
        [moments] = reduce(
            _clip_huge(x), Moments(_clip_huge(centre), pairs=settings.joint), batches=batches
        )
        own = efficiency(*(np.diag(part) if settings.joint else part for part in moments))
        undefined = 1 - defined / batches.number
        effective = own * positive(defined) * (1.0 if batches.sampled else np.nan)
        groups = agree(groups, x, effective)
        undefined, defined = (average_within(groups, each) for each in (undefined, defined))
        ranked = undefined <= MOSTLY
        # Ranks depend on all entities: where they hardly move, use the smallest effective sample
        # size of all. The error of a single point is unknown.
        worst = batches.number * own[ranked].min(initial=1.0) if batches.sampled else np.nan
        found_ranks, twice = tally_ranks(likely, found.sign, batches, worst)
    result = {"median": middle, "lower": low, "upper": high} | found_ranks
    unknown = np.full(x.shape[1], np.nan)
    result |= {"overestimate": unknown, "effective_sample_size": effective}
    if not found.finite_mean:
        result |= {"expected_regret": unknown.copy(), "expected_regret_error": unknown.copy()}
    result = {name: average_within(groups, each) for name, each in result.items()} | {
        "undefined": undefined
    }
    share = (
        result["rank_probability"]
        * batches.number
        / np.where(ranked, positive(defined), np.nan)[:, None]
    )
    result["rank_marginal_lower"], result["rank_marginal_upper"] = rank_intervals(share, tail)
    paired = efficiency(*map(_of_differences, moments)) if settings.joint else None
    return result, _Tally(twice, batches, paired, worst, groups)


def _replaced(result: dict[str, Any], ends: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return both ends of an interval, where they are finite, and the median, or the end that is closest to it."""
    replaced = {name: np.where(np.isfinite(end), end, result[name]) for name, end in ends.items()}
    middle = "difference" if "difference_lower" in ends else "median"
    return replaced | {middle: np.clip(result[middle], *replaced.values())}


def _differences(
    x: np.ndarray, position: np.ndarray, prob: float, groups: list[np.ndarray]
) -> dict[str, np.ndarray]:
    """Return median and interval of the difference of each entity from the first in position, over draws.

    Point estimates have differences without an interval.
    """
    ranked, summary = ~np.isnan(position), np.full((3, len(position)), np.nan)
    if ranked.any():
        leader = int(np.nanargmin(position))
        with np.errstate(over="ignore", invalid="ignore"):  # differences of huge outcomes overflow
            summary[:, ranked] = quantiles_of(x[:, ranked] - x[:, [leader]], (1 - prob) / 2)[:3]
        if len(x) < 2:
            summary[1:] = np.nan
        groups = [group for group in groups if leader not in group]
    return {
        name: average_within(groups, each) for name, each in zip(OF_LEADER, summary, strict=True)
    }


def _widen_differences(
    result: dict[str, Any],
    position: np.ndarray,
    information: Information,
    prob: float,
    limits: tuple[float, float],
) -> dict[str, np.ndarray]:
    """Return the ends of differences from the leader, which allow for few units; ``limits`` are those of the score."""
    if np.isnan(position).all():
        return {}
    leader, largest = int(np.nanargmin(position)), limits[1] - limits[0]
    middle, *ends = (result[name] for name in OF_LEADER)
    allowance = information.allowance_of_differences(prob, limits, leader)
    wide = allowance.widen(middle, (ends[0], ends[1]), (-largest, largest))
    return dict(zip(OF_LEADER[1:], wide, strict=True))


def _compare_pairs(
    x: np.ndarray, settings: RankingOptions, found: ScoreValues, tally: _Tally
) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
    """Compare pairs of entities as ``compare_draws`` does, averaged within groups of equal evidence."""
    groups = tally.groups
    pairs, preference, error = compare_draws(
        x, found.sign, tally.twice, tally.batches, settings.rope, tally.paired, tally.worst
    )
    pairs = {name: average_pairs(groups, values) for name, values in pairs.items()}
    return pairs, average_pairs(groups, preference), average_pairs(groups, error)


def _clip_huge(x: np.ndarray) -> np.ndarray:
    """Clip values whose squares would overflow, such as odds under a weak prior."""
    huge = max(np.fmax.reduce(x, axis=None), -np.fmin.reduce(x, axis=None)) > HUGE
    return np.clip(x, -HUGE, HUGE) if huge else x


def _of_differences(covariance: np.ndarray) -> np.ndarray:
    """Return the variance of the difference of each pair of entities (entity, rival)."""
    own = np.diag(covariance)
    spread = own[:, None] + own - 2 * covariance
    # A variance due to rounding alone counts as 0.
    spread[spread < 1e-12 * (own[:, None] + own)] = 0.0
    return spread
