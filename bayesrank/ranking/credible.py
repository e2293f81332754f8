"""Credible rankings: the posterior order of the entities by a score."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import check_bool, check_choice, check_memory, check_number, check_prob, describe_value
from bayesrank._draws import (
    ERROR,
    RARE,
    Batches,
    Moments,
    draw_dims,
    efficiency,
    load_arrays,
    proportion_error,
    reduce,
    share_error,
)
from bayesrank._notes import join_notes
from bayesrank._types import Container, ModelName, ScoreLike
from bayesrank.ranking._claims import expected_overestimates
from bayesrank.ranking._confidence import confidence_sets
from bayesrank.ranking._hierarchy import hierarchy
from bayesrank.ranking._information import Information
from bayesrank.ranking._intervals import rank_intervals, simultaneous_intervals
from bayesrank.ranking._notes import discordance_notes, first_two_agree
from bayesrank.ranking._reducers import Mass, RankReducer, Ranks, compare
from bayesrank.ranking.consensus import best_set, consensus_of
from bayesrank.ranking.evidence import Evidence, evidence_of
from bayesrank.ranking.values import RankingOptions, ScoreValues, finite, ranking_of, score_values
from bayesrank.ranking.without_draws import rank_exactly, replace_drawn

__all__ = ["credible_ranking", "quantiles_of"]

METHODS = ("draws", "exact", "auto")
#: Maximum share of draws without a value for an entity to be ranked.
MOSTLY = 0.5
#: Number of values sorted together: 16 MB.
COLUMNS = 2**21
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
        Performances, with the score to rank by; a posterior, with the name of one of its variables over ``entity``; or
        values of a score (chain, draw, entity) or (sample, entity). Without these dims there is one draw. Any other
        dim, such as ``dataset``, gives one ranking per item. Lazy chunks are computed once.
    score : Score, str or callable, optional
        With its direction and range. Outcomes without classes default to their mean. Without a score, ``source`` must
        be values where higher is better (checked against name and attrs), and regret is undefined.
    method : str
        - ``"draws"``: from the draws of ``source``.
        - ``"exact"``: by integrals, without draws or seed; equal counts give equal results. ``source`` is counts of two
          classes or of the outcomes 0 and 1, or a conjugate posterior from :func:`bayesrank.fit`. A two-class score
          must be monotone in TPR and TNR; outcomes are ranked by their mean.
        - ``"auto"``: from draws, and exact where the error is below 5e-4, the work is small, and the medians agree with
          the draws. The command and the report use this method.
    prob : float
        Credibility of intervals, tiers and the best set, between 0 and 1.
    rope : float
        Region of practical equivalence, in units of the score: superiority requires a larger difference.
    higher_is_better : bool, optional
        Overrides the direction of the score; required for scores without one.
    kind : str, optional
        Which performance of the posterior, as in :func:`bayesrank.as_performance`.
    joint : bool
        Compare all pairs of entities, which takes draws × entities² operations. If False, the result lacks the dim
        ``rival`` and what depends on pairs: ``superiority``, ``equivalence``, ``sucra``, ``poth``, ``tier``,
        ``consensus_*`` and ``rank_confidence_*``.
    model, **options
        With ``method="exact"`` and counts, a conjugate model of :func:`bayesrank.fit` and its options; the prevalence
        cannot be draws.

    Returns
    -------
    xarray.Dataset
        With the dims ``entity``, ``rank`` (1 is best) and ``rival``. Undefined numbers are NaN; Monte-Carlo standard
        errors ``<name>_error`` account for autocorrelation.

        - ``median``, ``lower``, ``upper``: of the score over draws with a defined value, equal tails at ``prob``;
          ``observed``: the score of the observed counts; ``contradicted``: whether ``observed`` is outside the interval
          (beyond Monte-Carlo error, and not at an end of its range); ``cases``: number of cases.
        - ``rank_probability`` (entity, rank), ``probability_best``, ``expected_rank``: tied entities share positions.
        - ``sucra``: mean probability of ranking before a rival, with ties as halves. ``poth``: variance of ``sucra``
          relative to its maximum; 0 if all are equal, 1 if the order is certain (Wigle et al., arXiv:2501.11596).
        - ``rank_lower``, ``rank_upper``: equal-tailed rank interval of each entity at ``prob``.
        - ``rank_simultaneous_lower``, ``rank_simultaneous_upper``: the narrowest intervals with a common tail
          probability ``rank_simultaneous_level`` that jointly hold all ranks with probability ``prob``. With too few
          draws, ranks are added at both ends, and the level is minus their number. ``rank_simultaneous_probability``:
          their joint coverage, cross-validated on halves of the draws.
        - ``rank_confidence_lower``, ``rank_confidence_upper``: confidence sets that jointly hold all true ranks in
          about ``prob`` of repeated experiments, for any true scores, without ROPE. ``in_best_confidence_set``: 1 for
          entities that could be truly best, else 0. ``attrs["confidence_sets"]`` is "joint", or why all are NaN.
        - ``superiority`` (entity, rival): probability that the entity beats the rival by more than the ROPE, among
          draws with both defined; ``equivalence`` (entity, rival): that neither beats the other by more.
        - ``consensus_rank``: rank in the order with the smallest expected Kendall distance; entities within twice the
          Monte-Carlo error share a rank. ``consensus_position`` has no shared positions. ``consensus_distance`` is the
          expected distance of this order, and ``consensus_lower_bound`` a lower bound for any order.
        - ``tier``: the first tier is the first entity in consensus order, and all entities that it does not beat with
          probability ``prob``; the next tiers likewise from the remaining entities. Comparisons are pairwise: many
          equal entities often form two tiers.
        - ``in_best_set``: whether the entity is in the smallest set that holds the best entity with probability
          ``prob``; :func:`bayesrank.top_set` with ``k=1`` cross-validates it.
        - ``expected_regret``: mean difference from the best of each draw, in units of the score, if its mean is finite.
        - ``overestimate``: expected loss of the score on new cases (winner's curse), by empirical Bayes, for three
          entities or more and models without a population of entities.
        - ``undefined``: share of draws in which the entity has no value and is not ranked. Entities undefined in more
          than half of the draws are not ranked.
        - ``effective_sample_size``: effective number of draws of the entity's values.

        The attrs are ``score``, ``prob``, ``rope``, ``higher_is_better``, ``draws``, ``range`` and ``finite_mean``
        of the score, ``depends_on_prevalence`` if known, ``method``, and ``evidence``. :func:`bayesrank.verdict` and
        :func:`bayesrank.notes` read the variables ``notes``, ``caveats`` and ``needed_evidence``.

        With ``method="exact"`` there are no ``draws``, ``rank_simultaneous_*``, ``rank_confidence_*`` or
        ``effective_sample_size``; with ``"auto"`` they come from the draws, and ``attrs["drawn"]`` names them. Errors
        are those of the quadrature. A ratio with an interval beyond exp(±145) has a rank, but no median or interval.

    Raises
    ------
    ValueError, TypeError
        If an argument is invalid. With ``method="exact"`` also if the posterior of the score has no closed form, or
        integrals have an error above 0.01.

    Notes
    -----
    Averaged over the prior of the model, the intervals cover at least ``prob`` of true ranks. For fixed, nearly tied
    truths they may cover less. For exact ranks, the number of entities above a value is Poisson-binomial: Hong, On
    computing the distribution function for the Poisson binomial distribution (Computational Statistics & Data Analysis,
    2013).

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> br.credible_ranking(br.fit(counts, seed=1), "informedness")["tier"].values.tolist()
    [2, 1]
    >>> exact = br.credible_ranking(counts, "informedness", method="exact", model="beta_binomial")
    >>> exact["probability_best"].round(6).values.tolist()
    [0.000172, 0.999828]
    """
    check_choice("method", method, METHODS)
    settings = RankingOptions(
        check_prob("prob", prob), check_number("rope", rope, 0.0, finite=True), check_bool("joint", joint)
    )
    if method == "exact":
        return rank_exactly(source, score, settings, higher_is_better, kind, model, options)
    if model is not None or options:
        raise ValueError(
            f"model and its options must be left out for method={method!r}, which ranks a posterior; got "
            f"{describe_value(model)}, {sorted(options)} (method='exact' takes them with counts)"
        )
    drawn = _of_draws(source, score, settings, higher_is_better, kind)
    return replace_drawn(drawn, source, score, settings) if method == "auto" and kind is None else drawn


def _of_draws(
    source: Any, score: Any, settings: RankingOptions, higher_is_better: bool | None, kind: str | None
) -> xr.Dataset:
    """Return a ranking from draws."""
    found = score_values(source, score, higher_is_better, kind)
    values, size = found.values, found.values.sizes["entity"]
    if not values.size:
        raise ValueError(f"source must hold at least one entity and one draw; got the sizes {dict(values.sizes)}")
    if {"rank", "rival"} & set(values.dims):
        raise ValueError(f"source must not have dims called rank or rival, which the result has; got {values.dims}")
    # Rank probabilities and, with ``joint``, pairs and their errors; several of each are in memory at a time.
    many = (10 if settings.joint else 6, size, size)
    check_memory("source must hold fewer entities", f"{size} x {size} probabilities of ranks", many, f"{size} entities")
    evidence = evidence_of(source, found.variable, values, kind)
    [values] = load_arrays(values.transpose(*draw_dims(values), ..., "entity").astype(float, copy=False))
    return _each(values, evidence, found, settings)


def _each(values: xr.DataArray, evidence: Evidence, found: ScoreValues, settings: RankingOptions) -> xr.Dataset:
    """Return one ranking for each item of every other dim."""
    extra = [str(dim) for dim in values.dims if dim not in (*draw_dims(values), "entity")]
    if not extra:
        return _one(values, evidence, found, settings)
    dim = extra[0]
    parts = [
        _each(values.isel({dim: i}, drop=True), evidence.at(dim, i), found, settings) for i in range(values.sizes[dim])
    ]
    # Coords that differ along this dim, such as test sets, come from the values; xr.concat would keep the first.
    own = {
        n: c.variable for n, c in values.coords.items() if dim in c.dims and not set(c.dims) & set(draw_dims(values))
    }
    own.setdefault(dim, xr.Variable(dim, range(values.sizes[dim])))
    parts = [part.drop_vars(own, errors="ignore") for part in parts]
    joined = xr.concat(parts, dim=dim, combine_attrs="override", coords="minimal", compat="override", join="exact")
    reasons = dict.fromkeys(part.attrs["confidence_sets"] for part in parts) if settings.joint else ()
    about = {"confidence_sets": "; ".join(reasons)} if reasons else {}
    return joined.assign_coords(own).assign_attrs(about)


def _one(values: xr.DataArray, evidence: Evidence, found: ScoreValues, settings: RankingOptions) -> xr.Dataset:
    size = values.sizes["entity"]
    names = values["entity"].values if "entity" in values.coords else np.arange(size)
    batches = Batches.of(values)
    x = finite(values.values).reshape(batches.number, size)
    score = None if found.variable else found.score
    information = evidence.information(score, size)
    result, sets = _summarize(x, batches, np.array([str(n) for n in names]), settings, found, information)
    seen, extreme = evidence.observed(score), evidence.extreme()
    result["observed"] = np.full(size, np.nan) if seen is None else seen.values.astype(float)
    settled = np.zeros(size, bool) if extreme is None else extreme.values
    result["contradicted"] = _outside_interval(x, result["observed"], result, found, settings.prob) & ~settled
    pooled = evidence.observed_in_pool(score)
    if pooled is not None:  # a typical value lies between the pool's and the mean over data sets
        result["contradicted"] &= _outside_interval(x, pooled.values.astype(float), result, found, settings.prob)
    result["cases"] = evidence.size(size)
    notes, needed = [*found.notes(), *evidence.notes(score)], evidence.needed()
    if settings.joint:
        order = result["consensus_position"]
        first = 0 if np.isnan(order).all() else int(np.nanargmin(order))
        claimed = result["superiority"][first] >= settings.prob
        notes += discordance_notes(information, evidence.about or {}, names, order, claimed)
        if needed == "paired cases" and first_two_agree(information, order, result["superiority"]):
            needed = "other cases"
    result |= join_notes(notes) | {"needed_evidence": needed}
    facts = {"prob": settings.prob, "rope": settings.rope, "draws": batches.number, "method": "draws"}
    facts |= {"confidence_sets": sets} if settings.joint else {}
    return ranking_of(result, values, settings.joint, ERROR, found.facts() | facts | evidence.facts())


def _outside_interval(
    x: np.ndarray, observed: np.ndarray, result: dict[str, Any], found: ScoreValues, prob: float
) -> np.ndarray:
    """Return whether the observed value is outside its own interval by more than Monte-Carlo error.

    A value at an end of the score's range is outside every equal-tailed interval, and does not count.
    """
    size = result["effective_sample_size"]
    defined = np.maximum((~np.isnan(x)).sum(axis=0), 1)
    beyond = np.minimum((x <= observed).sum(axis=0), (x >= observed).sum(axis=0)) / defined
    return (
        (beyond + 2 * proportion_error(beyond, size) < (1 - prob) / 2)
        & ~np.isnan(observed)
        & ~found.at_an_end(observed)
    )


def _summarize(
    x: np.ndarray,
    batches: Batches,
    names: np.ndarray,
    settings: RankingOptions,
    found: ScoreValues,
    information: Information,
) -> tuple[dict[str, Any], str]:
    """Return all results from values (draw, entity), and "joint" or why confidence sets are withheld."""
    prob = settings.prob
    with np.errstate(over="ignore", invalid="ignore"):  # sums and squares of huge values, not reported
        middle, low, high, centre = quantiles_of(x, (1 - prob) / 2)
        [(ranks, mass, twice)] = reduce(x, RankReducer(found.sign), batches=batches)
    [moments] = reduce(_clip_huge(x), Moments(_clip_huge(centre), pairs=settings.joint), batches=batches)
    own = efficiency(*(np.diag(part) if settings.joint else part for part in moments))
    undefined = 1 - ranks.defined / batches.number
    ranked = undefined <= MOSTLY
    # Ranks depend on all entities: where they hardly move, use the smallest effective sample size of all.
    worst = _error_factor(batches) * batches.number * own[ranked].min(initial=1.0)

    probabilities, intervals = _of_ranks(ranks, mass, twice, batches, ranked, prob, worst)
    del mass  # free tables of entities × entities, and of draws × entities, as early as possible
    best = probabilities["probability_best"]
    settled: dict[str, Any] = {}
    pairs, order, sets, reason = settled, settled, settled, ""
    if settings.joint:
        paired = efficiency(*map(_of_differences, moments))
        pairs, preference, error = _of_pairs(x, found.sign, twice, batches, settings.rope, ranks.defined, paired)
        del paired, moments
        order = consensus_of(names, ranks.expected, preference, error, pairs["superiority"], ranked, prob)
        settled = hierarchy(preference, twice, ranked, batches, worst)._asdict()
        del preference, error, twice
        with np.errstate(over="ignore", invalid="ignore"):  # outcomes near the largest float
            given = confidence_sets(x, ranked, found, prob, worst, information)
        sets, reason = given.variables(), given.reason
    none = np.full((2, x.shape[1]), np.nan)
    independent = information.population != "entities"  # a model of their population already shrinks them
    regret, regret_error = _regret(ranks, best, worst) if found.finite_mean else none
    return {
        "median": middle,
        "lower": low,
        "upper": high,
        **probabilities,
        **settled,
        **intervals,
        **sets,
        **pairs,
        **order,
        "in_best_set": best_set(np.where(ranked, best, 0.0), prob),
        "expected_regret": regret,
        "expected_regret_error": regret_error,
        "overestimate": (
            expected_overestimates(x, ranked, found.sign) if found.finite_mean and independent else none[0]
        ),
        "undefined": undefined,
        "effective_sample_size": _error_factor(batches) * own * _nan_if_zero(ranks.defined),
    }, reason


def _clip_huge(x: np.ndarray) -> np.ndarray:
    """Clip values whose squares would overflow, such as odds under a weak prior."""
    huge = max(np.fmax.reduce(x, axis=None), -np.fmin.reduce(x, axis=None)) > HUGE
    return np.clip(x, -HUGE, HUGE) if huge else x


def _error_factor(batches: Batches) -> float:
    """Return the factor for errors: NaN for a single point, whose error is unknown."""
    return 1.0 if batches.sampled else np.nan


def _nan_if_zero(number: np.ndarray) -> np.ndarray:
    return np.where(number > 0, number, np.nan)


def _of_ranks(
    ranks: Ranks, mass: Mass, twice: np.ndarray, batches: Batches, ranked: np.ndarray, prob: float, worst: float
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return rank probabilities and expectations, and rank intervals, individual and simultaneous."""
    some = _nan_if_zero(ranks.defined)
    lower, upper = rank_intervals(mass.draws.sum(axis=0) / np.where(ranked, some, np.nan)[:, None], (1 - prob) / 2)
    together = simultaneous_intervals(mass.draws, twice, batches, ranked, prob, worst)
    probability = mass.draws.sum(axis=0) / batches.number
    error = share_error(probability, mass.share_error, _error_factor(batches) * batches.number, worst)
    probabilities = {
        "rank_probability": probability,
        "rank_probability_error": error,
        "probability_best": probability[:, 0],
        "probability_best_error": error[:, 0],
        "expected_rank": ranks.expected,
        # A rank that is constant over n draws may change in the next: assume one success in n more draws.
        "expected_rank_error": _mean_error(ranks.expected_error, ranks.expected_spread, some, worst, 1.0),
    }
    intervals = {
        "rank_lower": lower,
        "rank_upper": upper,
        "rank_simultaneous_lower": together.lower,
        "rank_simultaneous_upper": together.upper,
        "rank_simultaneous_probability": together.probability,
        "rank_simultaneous_probability_error": together.error,
        "rank_simultaneous_level": together.level,
    }
    return probabilities, intervals


def _of_pairs(
    x: np.ndarray,
    sign: int,
    twice: np.ndarray,
    batches: Batches,
    rope: float,
    defined: np.ndarray,
    efficiencies: np.ndarray,
) -> tuple[dict[str, Any], np.ndarray, np.ndarray]:
    """Return superiority by more than the ROPE, and the preference between entities, without ROPE, with its error."""
    pairs = compare(x, sign, twice, batches, rope)
    joint = _error_factor(batches) * _nan_if_zero(pairs.joint)
    superiority, effective_size = pairs.superiority, efficiencies * joint
    error = share_error(superiority, pairs.superiority_error, joint, effective_size)
    preference = np.nan_to_num(pairs.preference, copy=False, nan=0.5)
    preference_error = np.nan_to_num(share_error(preference, pairs.preference_error, joint, effective_size))
    equivalence = 1 - superiority - superiority.T
    np.fill_diagonal(equivalence, np.where(defined > 0, 1.0, np.nan))
    found = {"superiority": superiority, "superiority_error": error, "equivalence": equivalence}
    return found, preference, preference_error


def quantiles_of(x: np.ndarray, tail: float) -> tuple[np.ndarray, ...]:
    """Return median, lower and upper end, and mean of each column over its defined draws, in blocks of columns."""
    out = np.full((4, x.shape[1]), np.nan)
    few = max(min(32, COLUMNS // max(len(x), 1)), 1)
    for start in range(0, x.shape[1], few):
        part = np.array(x[:, start : start + few].T, order="C")  # a copy, as it will be sorted
        known = (~np.isnan(part)).sum(axis=1)
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


def _regret(ranks: Ranks, best: np.ndarray, effective_size: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the expected regret and its error; a regret that is nearly always, or never, 0 counts as rare."""
    some = _nan_if_zero(ranks.defined)
    rare = np.minimum(best, 1 - best) * effective_size < RARE
    spread = np.maximum(ranks.regret_spread, np.finfo(float).eps)
    error = _mean_error(ranks.regret_error, spread, some, effective_size, 0.0)
    return ranks.regret, np.where(rare, np.fmax(error, spread / np.sqrt(effective_size)), error)


def _mean_error(
    error: np.ndarray, spread: np.ndarray, number: np.ndarray, effective_size: float, step: float
) -> np.ndarray:
    """Return the error of a mean, at least that of independent draws and of one ``step`` in the effective draws."""
    least = np.maximum(spread / np.sqrt(number), step / effective_size)
    return np.where(np.isnan(least), np.nan, np.fmax(error, least))
