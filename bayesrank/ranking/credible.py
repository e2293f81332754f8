"""Credible rankings: the posterior order of the entities by a score."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import check_bool, check_choice, check_memory, check_number, check_prob, describe_value
from bayesrank._draws import (
    ERROR,
    Batches,
    Moments,
    draw_dims,
    efficiency,
    load_arrays,
    proportion_error,
    reduce,
)
from bayesrank._errors import ArgumentError
from bayesrank._notes import notes_text
from bayesrank._source import Source, parse_source
from bayesrank._types import Container, ModelName, ScoreLike
from bayesrank.ranking._confidence import confidence_sets
from bayesrank.ranking._information import Information
from bayesrank.ranking._tallies import compare_draws, positive, rank_draws
from bayesrank.ranking.claims import expected_overestimates
from bayesrank.ranking.consensus import best_set, consensus_of
from bayesrank.ranking.evidence import Evidence, evidence_of, rank_each
from bayesrank.ranking.hierarchy import hierarchy
from bayesrank.ranking.intervals import rank_intervals, simultaneous_intervals
from bayesrank.ranking.notes import discordance_of
from bayesrank.ranking.values import RankingOptions, ScoreValues, finite, ranking_of, score_values
from bayesrank.ranking.without_draws import rank_exactly, replace_drawn

#: Maximum share of draws without a value for an entity to be ranked.
MOSTLY = 0.5
#: Larger numbers have squares that cannot be summed.
HUGE = 1e120


def credible_ranking(
    source: Container,
    score: ScoreLike | None = None,
    *,
    method: str = "draws",
    prob: float = 0.95,
    rope: float = 0.0,
    higher_is_better: bool | None = None,
    kind: str | None = None,
    joint: bool = True,
    model: ModelName | None = None,
    **options: Any,
) -> xr.Dataset:
    """Return rank probabilities, intervals, consensus ranks and tiers for a score, with or without draws.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Performances; a posterior with the scored variable over ``entity``; or values of a score (chain, draw, entity)
        or (sample, entity), else one draw. Any other dim, such as ``dataset``, gives one ranking per item. May be lazy.
    score : Score, str or callable, optional
        The score or the variable of the posterior. Outcomes without classes default to their mean. Without a score,
        ``source`` must be values where higher is better (checked against name and attrs), and regret is undefined.
    method : str
        - ``"draws"``: from the draws of ``source``.
        - ``"exact"``: by integrals, without draws or seed; equal counts give equal results. ``source`` is counts of two
          classes or of the outcomes 0 and 1, or a conjugate posterior from :func:`bayesrank.fit`. A two-class score
          must be monotone in TPR and TNR; outcomes are ranked by their mean.
        - ``"auto"`` (command and report): from draws, and exact where the error is below 5e-4, the work is small, and
          the medians agree with the draws.
    prob : float
        Credibility of intervals, tiers and the best set, between 0 and 1.
    rope : float
        Region of practical equivalence, in units of the score: superiority requires a larger difference.
    higher_is_better : bool, optional
        Overrides the direction of the score; required for scores without one.
    kind : str, optional
        Which performance of the posterior, as in :func:`bayesrank.as_performance`.
    joint : bool
        Compare all pairs of entities, which takes draws × entities² operations. If False, the result has no ``rival``,
        ``superiority``, ``equivalence``, ``sucra``, ``poth``, ``tier``, ``consensus_*`` and ``rank_confidence_*``.
    model, **options
        With ``method="exact"`` and counts, a conjugate model of :func:`bayesrank.fit` and its options; the prevalence
        cannot be draws.

    Returns
    -------
    xarray.Dataset
        Over ``entity``, ``rank`` (1 is best) and ``rival``, NaN where undefined, with Monte-Carlo standard errors
        ``<name>_error``:

        - ``median``, ``lower``, ``upper``: of the defined draws of the score, equal tails at ``prob``; ``observed``:
          score of the observed counts; ``contradicted``: whether ``observed`` is outside the interval (beyond
          Monte-Carlo error, and not at an end of its range); ``cases``: number of cases.
        - ``rank_probability`` (entity, rank), ``probability_best``, ``expected_rank``: tied entities share positions.
        - ``sucra``: mean probability of ranking before a rival, with ties as halves. ``poth``: variance of ``sucra``
          relative to its maximum; 0 if all are equal, 1 if the order is certain (Wigle et al., arXiv:2501.11596).
        - ``rank_lower``, ``rank_upper``: equal-tailed rank interval of each entity at ``prob``.
        - ``rank_simultaneous_lower``, ``rank_simultaneous_upper``: the narrowest intervals with a common tail
          probability ``rank_simultaneous_level`` that jointly hold all ranks at ``prob``; with too few draws, ranks are
          added at both ends, and the level is minus their number. ``rank_simultaneous_probability``: their joint
          coverage, cross-validated on halves of the draws.
        - ``rank_confidence_lower``, ``rank_confidence_upper``: sets that jointly hold all true ranks in about ``prob``
          of repeated experiments, for any true scores, without ROPE. ``in_best_confidence_set``: 1 for entities that
          could be truly best, else 0. ``attrs["confidence_sets"]`` is "joint", or why all are NaN.
        - ``superiority`` (entity, rival): probability that the entity beats the rival by more than the ROPE, among
          draws with both defined; ``equivalence`` (entity, rival): that neither beats the other by more.
        - ``consensus_rank``: rank in the order with the smallest expected Kendall distance, shared within twice the
          Monte-Carlo error; ``consensus_position``: without shared ranks. ``consensus_distance``: expected distance of
          this order; ``consensus_lower_bound``: of any order.
        - ``tier``: the first tier is the first entity in consensus order, and all that it does not beat with
          probability ``prob``; the next tiers likewise from the rest. Comparisons are pairwise: many equal entities
          often form two tiers.
        - ``in_best_set``: whether the entity is in the smallest set that holds the best with probability ``prob``;
          :func:`bayesrank.top_set` with ``k=1`` cross-validates it.
        - ``expected_regret``: mean difference from the best of each draw, in units of the score, if its mean is finite.
        - ``overestimate``: expected loss of the score on new cases (winner's curse), by empirical Bayes, for three
          entities or more and models without a population of entities.
        - ``undefined``: share of draws without a value; above one half, the entity is not ranked.
        - ``effective_sample_size``: effective number of draws of the entity's values.
        - ``notes``, ``needed_evidence``: read by :func:`bayesrank.verdict` and :func:`bayesrank.notes`.

        The attrs are ``score``, ``prob``, ``rope``, ``higher_is_better``, ``draws``, ``range`` and ``finite_mean`` of
        the score, ``depends_on_prevalence`` if known, ``method``, and ``evidence``. With ``method="exact"``, errors are
        those of the quadrature, and there are no ``draws``, ``rank_simultaneous_*``, ``rank_confidence_*`` or
        ``effective_sample_size``; with ``"auto"`` these come from draws, named in ``attrs["drawn"]``. A ratio with an
        interval beyond exp(±145) has a rank, but no median or interval.

    Raises
    ------
    ValueError, TypeError
        If an argument is invalid. With ``method="exact"`` also if the posterior of the score has no closed form, or
        integrals have an error above 0.01.

    Notes
    -----
    Averaged over the prior, the intervals cover at least ``prob`` of true ranks. For fixed, nearly tied truths they
    may cover less. For exact ranks, the number of entities above a value is Poisson-binomial: Hong (2013),
    Computational Statistics & Data Analysis 59:41-51.

    Examples
    --------
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> br.credible_ranking(br.fit(counts, seed=1), "informedness")["tier"].values.tolist()
    [2, 1]
    >>> exact = br.credible_ranking(counts, "informedness", method="exact", model="beta_binomial")
    >>> exact["probability_best"].round(6).values.tolist()
    [0.000172, 0.999828]
    """
    check_choice("method", method, ("draws", "exact", "auto"))
    source = parse_source(source)
    settings = RankingOptions(
        check_prob("prob", prob), check_number("rope", rope, 0.0, finite=True), check_bool("joint", joint)
    )
    if method == "exact":
        return rank_exactly(source, score, settings, higher_is_better, kind, model, options)
    if model is not None or options:
        raise ArgumentError(
            "model and its options",
            f"must be left out for method={method!r}, which ranks a posterior",
            f"{describe_value(model)}, {sorted(options)}",
            "method='exact' takes them with counts",
        )
    drawn = _of_draws(source, score, settings, higher_is_better, kind)
    return replace_drawn(drawn, source, score, settings) if method == "auto" and kind is None else drawn


def _of_draws(
    source: Source, score: ScoreLike | None, settings: RankingOptions, higher_is_better: bool | None, kind: str | None
) -> xr.Dataset:
    """Return a ranking from draws."""
    found = score_values(source, score, higher_is_better, kind)
    values, size = found.values, found.values.sizes["entity"]
    if not values.size:
        raise ArgumentError("source", "must hold at least one entity and one draw", f"the sizes {dict(values.sizes)}")
    if {"rank", "rival"} & set(values.dims):
        raise ArgumentError("source", "must not have dims called rank or rival, which the result has", values.dims)
    # Rank probabilities and, with ``joint``, pairs and their errors; several of each are in memory at a time.
    many = (10 if settings.joint else 6, size, size)
    check_memory("source must hold fewer entities", f"{size} x {size} probabilities of ranks", many, f"{size} entities")
    evidence = evidence_of(source, found.variable, values, kind)
    [values] = load_arrays(values.transpose(*draw_dims(values), ..., "entity").astype(float, copy=False))
    return rank_each(values, evidence, lambda part, known, _: _one(part, known, found, settings))


def _one(values: xr.DataArray, evidence: Evidence, found: ScoreValues, settings: RankingOptions) -> xr.Dataset:
    names, batches = values["entity"].values, Batches.of(values)
    x = finite(values.values).reshape(batches.number, len(names))
    score = None if found.variable else found.score
    information = evidence.information(score, len(names))
    result, sets = _summarize(x, batches, np.array([str(n) for n in names]), settings, found, information)

    def outside(observed: np.ndarray) -> np.ndarray:
        """Return whether values are outside the interval by more than Monte-Carlo error."""
        defined = np.maximum((~np.isnan(x)).sum(axis=0), 1)
        beyond = np.minimum((x <= observed).sum(axis=0), (x >= observed).sum(axis=0)) / defined
        error = proportion_error(beyond, result["effective_sample_size"])
        return (beyond + 2 * error < (1 - settings.prob) / 2) & ~np.isnan(observed) & ~found.at_an_end(observed)

    result |= evidence.compare(score, len(names), outside)
    notes, needed = [*found.notes(), *evidence.notes(score)], evidence.needed()
    if settings.joint:
        few, agree = discordance_of(information, evidence.about or {}, names, result, settings.prob, evidence.patterns)
        notes += few
        needed = "other cases" if agree and needed == "paired cases" else needed
    result |= {"notes": notes_text(notes), "needed_evidence": needed}
    facts = {"prob": settings.prob, "rope": settings.rope, "draws": batches.number, "method": "draws"}
    facts |= {"confidence_sets": sets} if settings.joint else {}
    return ranking_of(result, values, settings.joint, ERROR, found.facts() | facts | evidence.facts())


def _summarize(
    x: np.ndarray,
    batches: Batches,
    names: np.ndarray,
    settings: RankingOptions,
    found: ScoreValues,
    information: Information,
) -> tuple[dict[str, Any], str]:
    """Return all results from values (draw, entity), and "joint" or why confidence sets are withheld."""
    prob, tail = settings.prob, (1 - settings.prob) / 2
    with np.errstate(over="ignore", invalid="ignore"):  # sums and squares of huge values, not reported
        middle, low, high, centre, defined = quantiles_of(x, tail)
        [moments] = reduce(_clip_huge(x), Moments(_clip_huge(centre), pairs=settings.joint), batches=batches)
        own = efficiency(*(np.diag(part) if settings.joint else part for part in moments))
        undefined = 1 - defined / batches.number
        ranked = undefined <= MOSTLY
        # Ranks depend on all entities: where they hardly move, use the smallest effective sample size of all. The error
        # of a single point is unknown.
        worst = batches.number * own[ranked].min(initial=1.0) if batches.sampled else np.nan
        probabilities, mass, twice = rank_draws(x, found.sign, batches, worst)
    best = probabilities["probability_best"]
    lower, upper = rank_intervals(mass.sum(axis=0) / np.where(ranked, positive(defined), np.nan)[:, None], tail)
    result = {"median": middle, "lower": low, "upper": high, "rank_lower": lower, "rank_upper": upper} | probabilities
    result |= simultaneous_intervals(mass, twice, batches, ranked, prob, worst)
    del mass  # free tables of entities × entities, and of draws × entities, as early as possible
    reason = ""
    if settings.joint:
        paired = efficiency(*map(_of_differences, moments))
        pairs, preference, error = compare_draws(x, found.sign, twice, batches, settings.rope, paired, worst)
        del paired, moments
        expected = probabilities["expected_rank"]
        result |= pairs | consensus_of(names, expected, preference, error, pairs["superiority"], ranked, prob)
        result |= hierarchy(preference, twice, ranked, batches, worst)
        del preference, error, twice
        with np.errstate(over="ignore", invalid="ignore"):  # outcomes near the largest float
            sets, reason = confidence_sets(x, ranked, found, prob, worst, information)
        result |= sets
    unknown = np.full(x.shape[1], np.nan)
    result["overestimate"] = unknown
    if not found.finite_mean:
        result |= {"expected_regret": unknown.copy(), "expected_regret_error": unknown.copy()}
    elif information.population != "entities":  # a model of their population already shrinks them
        result["overestimate"] = expected_overestimates(x, ranked, found.sign)
    return result | {
        "in_best_set": best_set(np.where(ranked, best, 0.0), prob),
        "undefined": undefined,
        "effective_sample_size": own * positive(defined) * (1.0 if batches.sampled else np.nan),
    }, reason


def _clip_huge(x: np.ndarray) -> np.ndarray:
    """Clip values whose squares would overflow, such as odds under a weak prior."""
    huge = max(np.fmax.reduce(x, axis=None), -np.fmin.reduce(x, axis=None)) > HUGE
    return np.clip(x, -HUGE, HUGE) if huge else x


def quantiles_of(x: np.ndarray, tail: float) -> tuple[np.ndarray, ...]:
    """Return median, lower and upper end, mean and number of the defined draws of each column, by blocks of columns."""
    out = np.full((5, x.shape[1]), np.nan)
    few = max(min(32, 2**21 // max(len(x), 1)), 1)  # 16 MB are sorted together
    for start in range(0, x.shape[1], few):
        part = np.array(x[:, start : start + few].T, order="C")  # a copy, as it will be sorted
        out[4, start : start + few] = known = (~np.isnan(part)).sum(axis=1)
        some, total = known > 0, part.sum(axis=1) if known.min() == len(x) else np.nansum(part, axis=1)
        np.divide(total, known, out=out[3, start : start + few], where=some)
        # Sorting each column, undefined values last, is faster than separate quantiles.
        part.sort(axis=1)
        for k, share in enumerate((0.5, tail, 1 - tail)):
            place = np.maximum(share * (known - 1), 0.0)
            below = np.floor(place).astype(int)
            low, high = (
                part[np.arange(len(part)), at] for at in (below, np.minimum(below + 1, np.maximum(known, 1) - 1))
            )
            out[k, start : start + few] = low + (high - low) * (place - below)
    return tuple(out)


def _of_differences(covariance: np.ndarray) -> np.ndarray:
    """Return the variance of the difference of each pair of entities (entity, rival)."""
    own = np.diag(covariance)
    spread = own[:, None] + own - 2 * covariance
    # A variance due to rounding alone counts as 0.
    spread[spread < 1e-12 * (own[:, None] + own)] = 0.0
    return spread
