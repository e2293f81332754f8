"""A credible ranking: what the posterior of a score implies about the order of the entities."""

from typing import Any, NamedTuple

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
from bayesrank.ranking._discordance import discordance_notes
from bayesrank.ranking._hierarchy import hierarchy
from bayesrank.ranking._information import Information
from bayesrank.ranking._intervals import rank_intervals, simultaneous_intervals
from bayesrank.ranking._reducers import Mass, RankReducer, Ranks, compare
from bayesrank.ranking.consensus import best_set, consensus_of
from bayesrank.ranking.evidence import Evidence, evidence_of
from bayesrank.ranking.values import ScoreValues, finite, score_values, variables_of
from bayesrank.ranking.without_draws import rank_exactly, replace_drawn

__all__ = ["credible_ranking", "quantiles_of"]

METHODS = ("draws", "exact", "auto")
#: An entity that has no value in more than this share of the draws is not ranked.
MOSTLY = 0.5
#: Numbers that are sorted together: 16 MB.
COLUMNS = 2**21
#: Numbers beyond it have no squares that could be summed.
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
    """Rank probabilities, intervals, consensus and tiers of a score, from draws or without them.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Whatever holds a performance, with the score to rank by; a posterior, with the name of one of its variables
        over ``entity``; or values of a score (chain, draw, entity), or (sample, entity) where chains and draws were
        stacked. Without any of these dims there is one draw. Any other dim, such as ``dataset``, gives one ranking
        for each of its items. If lazy, each chunk is computed once, and the values of the score are held.
    score : Score, str or callable, optional
        What to rank by: it brings its direction, its range, its name, and whether its mean is finite. A variable
        of the posterior is taken to be better the higher it is, unless a score of the catalogue has its name. Outcomes
        without classes need none: their mean is the natural one. Left out elsewhere, ``source`` is values of which
        higher is better and nothing else is known, so without a regret; values whose name or attrs say otherwise are
        refused.
    method : str
        - ``"draws"``: from the draws of ``source``.
        - ``"exact"``: by integrals over the distributions of the score, without draws or seed. The source is integer
          counts (entity, [dataset], actual, predicted), or a posterior that :func:`bayesrank.fit` made of counts with a
          conjugate model: its evidence and prior count, not its draws. The score has two classes and rises, or falls,
          with TPR and with TNR: ranking scores, informedness, MCC, markedness, kappa, likelihood and odds ratios, ...
          Of more classes it is the accuracy, or a function of it, and each entity has a test set of its own. Counts of
          outcomes 0 and 1 (entity, [dataset], outcome) are ranked by their mean. Equal counts get equal
          numbers, to the last digit.
        - ``"auto"``: from the draws of ``source``, and exact wherever that is possible: within an error of 5e-4, within
          1,000 distributions (an averaged prevalence counts as eight), and if the draws have the exact medians. What
          needs joint draws stays as drawn. The command and the report use this method.
    prob : float
        Credible probability of intervals, tiers and the best set, between 0 and 1.
    rope : float
        Region of practical equivalence, in units of the score: differences up to it do not count as superiority.
    higher_is_better : bool, optional
        Overrides the direction of the score; must be told for scores that have none.
    kind : str, optional
        Which performance of the posterior, as in :func:`bayesrank.as_performance`.
    joint : bool
        Whether to compare every entity with every other one, which takes draws × entities² and, of thousands of
        entities, most of the time and of the memory. Without, the result lacks the dim ``rival`` and what rests on
        pairs: ``superiority``, ``equivalence``, ``sucra``, ``poth``, ``tier``, and whatever begins with ``consensus_``
        or ``rank_confidence_``. All else is the same to the last bit. :func:`bayesrank.ranking_table` and the pictures
        of scores and of ranks take such a ranking, in the order of the expected ranks; what needs pairs refuses it.
    model : str or class, optional
        With ``method="exact"`` and counts, as for :func:`bayesrank.fit`: ``"dirichlet_multinomial"`` (the default) or
        ``"beta_binomial"``.
    **options
        With ``method="exact"`` and counts, those of the model, as for :func:`bayesrank.fit`: ``prior``, ``prevalence``
        (no draws of it), ``shared_prevalence``, ``force``.

    Returns
    -------
    xarray.Dataset
        With the dims ``entity``, ``rank`` (1 is best) and ``rival``:

        - ``median``, ``lower``, ``upper``: of the score, equal tails at ``prob``, of the draws in which it is
          defined; ``observed``: the score of the observed counts, NaN where not known; ``contradicted``: whether that
          lies outside of the interval by more than Monte-Carlo error, and at no end of what can be observed;
          ``cases``: how many cases the entity met, NaN where not known.
        - ``rank_probability`` (entity, rank), ``probability_best``, ``expected_rank``: tied entities share evenly
          the positions that they occupy.
        - ``sucra``: surface under the cumulative ranking curve, the mean probability of being before a rival, ties as
          halves: (K - ``expected_rank``) / (K - 1) of K entities that are always defined. ``poth``: the precision of
          the whole order, the variance of ``sucra`` over the largest there is; 0 if all are the same, 1 if the order
          is certain (Wigle et al., Precision of treatment hierarchy, arXiv:2501.11596).
        - ``rank_lower``, ``rank_upper``: equal-tailed rank interval of each entity at ``prob``.
        - ``rank_simultaneous_lower``, ``rank_simultaneous_upper``: the intervals with the narrowest common tail that
          jointly hold the ranks of all entities with probability ``prob``. Each half of the draws is judged by the
          intervals of the other; the share that they hold is ``rank_simultaneous_probability``.
          ``rank_simultaneous_level`` is the tail, or minus the ranks by which all intervals were widened beyond
          the range of the draws, where these are too few.
        - ``rank_confidence_lower``, ``rank_confidence_upper``: confidence sets for the ranks, which jointly hold all
          true ranks in about ``prob`` of repeated experiments whatever the true scores. They start at 1 plus the
          number of entities that are surely ahead, and end before those surely behind; a ROPE does not change
          them. With fewer than 1 / (1 - prob) independent draws they hold all ranks. With few or unequal clusters
          they rest on t distributions, as the effective number of clusters demands.
        - ``in_best_confidence_set``: 1 for each entity that could be truly best, 0 for those that surely are not. All
          that are truly best, ties included, are in the set in about ``prob`` of repeated experiments, whatever the
          true scores; the set is at most that of the entities whose confidence set starts at rank 1.
        - Both are NaN where the evidence cannot carry that promise; ``attrs["confidence_sets"]`` is "joint", or else
          says why they are withheld ("population prior", "fewer than 5 effective clusters").
        - ``superiority`` (entity, rival): probability that the entity beats the rival by more than the ROPE, among
          the draws in which both are defined; ``equivalence`` (entity, rival): 1 minus superiority both ways.
        - ``consensus_rank``: rank in the order with the smallest expected Kendall distance; entities that the
          draws cannot tell apart, within twice the Monte-Carlo error, share a rank. ``consensus_position`` is the
          place in that order, in which no two share one. ``consensus_distance`` is its distance and
          ``consensus_lower_bound`` what no order can beat.
        - ``tier``: the first entity not yet placed, in consensus order, takes with it all unplaced ones that it
          does not beat with probability ``prob``. A comparison with the tier's first entity, not an equivalence
          between all its members; tiers need not be contiguous in any ranking. Comparisons are pairwise and of the
          posterior: of many equal entities nearly always some fall into a second tier.
        - ``in_best_set``: whether in the smallest set that holds the best entity with probability ``prob``, by these
          draws: of others it holds less, by about a Monte-Carlo error. :func:`bayesrank.top_set` with ``k=1`` has one
          half of the draws judge the set of the other.
        - ``expected_regret``: mean shortfall against the best of each draw, in units of the score; NaN unless the
          score is known and its mean finite.
        - ``overestimate``: by how much the score of the entity is expected to be worse on new cases than estimated,
          since entities that look best were also lucky (winner's curse); by empirical Bayes, in units of the score.
          NaN of fewer than three entities, where ``expected_regret`` is, and where the model learned a population of
          entities.
        - ``undefined``: share of draws without a value. What is said of ranks is then among the other draws, and
          rank probabilities sum to 1 minus this share. An entity undefined in more than half of the draws is not
          ranked: it has no rank interval, consensus rank or tier, and is not in the best set.
        - ``effective_sample_size``: how many independent draws the entity's values are worth.
        - Monte-Carlo standard errors ``<name>_error``; they allow for autocorrelation, and are never 0.

        The attrs are ``score``, ``prob``, ``rope``, ``higher_is_better``, ``draws``, ``range`` and ``finite_mean``
        of the score, ``depends_on_prevalence`` where it is known, ``method``, and ``evidence``: how that was put
        together, if it was (pooled data sets, clusters, runs, missing answers). The variable ``notes`` holds
        notes on the evidence, one a line, and ``caveats`` how each changes the reading; :func:`bayesrank.verdict` and
        :func:`bayesrank.notes` read them. ``needed_evidence`` says which further evidence would help most.

        Without draws, ``attrs["method"]`` is "exact" and there are no ``draws``. What needs joint draws is missing
        (``rank_simultaneous_*``, ``rank_confidence_*`` and ``effective_sample_size``); with ``method="auto"`` it comes
        from the draws, and ``attrs["drawn"]`` names it. Errors are those of the quadrature: the difference of two
        numbers of nodes, plus what the integrals are known to lack. ``undefined`` is 0 or 1. A ratio whose interval
        reaches beyond exp(145) or below exp(-145) has a rank, but no median and no interval.

    Raises
    ------
    ValueError, TypeError
        Naming the argument, what it held and what it should hold. With ``method="exact"`` also where the posterior of
        the score is not known in closed form, or where integrals err by more than 0.01.

    References
    ----------
    Without draws, the number of entities above a value is a Poisson-binomial variable, by its generating function at
    the roots of unity: Hong, On computing the distribution function for the Poisson binomial distribution
    (Computational Statistics & Data Analysis, 2013).

    Notes
    -----
    Under the prior that the model was fitted with, the intervals cover at least ``prob`` of true ranks on average.
    At fixed, nearly tied truths they may cover less; the documentation has the numbers.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> ranking = credible_ranking(br.fit(counts, seed=1), "informedness")
    >>> ranking["tier"].values.tolist()
    [2, 1]
    >>> exact = credible_ranking(counts, "informedness", method="exact", model="beta_binomial")
    >>> exact["probability_best"].round(6).values.tolist()
    [0.000172, 0.999828]
    """
    check_choice("method", method, METHODS)
    prob = check_prob("prob", prob)
    rope = check_number("rope", rope, 0.0, finite=True)
    asked = RankingOptions(prob, rope, check_bool("joint", joint))
    if method == "exact":
        return rank_exactly(
            source,
            score,
            prob=prob,
            rope=rope,
            higher_is_better=higher_is_better,
            kind=kind,
            joint=joint,
            model=model,
            options=options,
        )
    if model is not None or options:
        raise ValueError(
            f"model and its options must be left out for method={method!r}, which ranks a posterior; got "
            f"{describe_value(model)}, {sorted(options)} (method='exact' takes them with counts)"
        )
    drawn = _of_draws(source, score, asked, higher_is_better, kind)
    return replace_drawn(drawn, source, score, prob, rope) if method == "auto" and kind is None else drawn


def _of_draws(
    source: Any, score: Any, asked: "RankingOptions", higher_is_better: bool | None, kind: str | None
) -> xr.Dataset:
    """A ranking from draws."""
    found = score_values(source, score, higher_is_better, kind)
    values = _checked(found.values)
    size = values.sizes["entity"]
    # Ranks and, jointly, pairs and their errors; some of each are held at a time.
    many = (10 if asked.joint else 6, size, size)
    check_memory("source must hold fewer entities", f"{size} x {size} probabilities of ranks", many, f"{size} entities")
    evidence = evidence_of(source, found.variable, values, kind)
    [values] = load_arrays(values.transpose(*draw_dims(values), ..., "entity").astype(float, copy=False))
    return _each(values, evidence, found, asked)


class RankingOptions(NamedTuple):
    """What is asked of a ranking, as in :func:`credible_ranking`."""

    prob: float
    rope: float
    joint: bool


def _each(values: xr.DataArray, evidence: Evidence, found: ScoreValues, asked: RankingOptions) -> xr.Dataset:
    """One ranking for each item of every other dim."""
    extra = [str(dim) for dim in values.dims if dim not in (*draw_dims(values), "entity")]
    if not extra:
        return _one(values, evidence, found, asked)
    dim = extra[0]
    parts = [
        _each(values.isel({dim: i}, drop=True), evidence.at(dim, i), found, asked) for i in range(values.sizes[dim])
    ]
    # Coords that differ along this dim, such as test sets, are those of the values; xr.concat would keep the first.
    own = {
        n: c.variable for n, c in values.coords.items() if dim in c.dims and not set(c.dims) & set(draw_dims(values))
    }
    own.setdefault(dim, xr.Variable(dim, range(values.sizes[dim])))
    parts = [part.drop_vars(own, errors="ignore") for part in parts]
    joined = xr.concat(parts, dim=dim, combine_attrs="override", coords="minimal", compat="override", join="exact")
    reasons = dict.fromkeys(part.attrs["confidence_sets"] for part in parts) if asked.joint else ()
    about = {"confidence_sets": "; ".join(reasons)} if reasons else {}
    return joined.assign_coords(own).assign_attrs(about)


def _one(values: xr.DataArray, evidence: Evidence, found: ScoreValues, asked: RankingOptions) -> xr.Dataset:
    size = values.sizes["entity"]
    names = values["entity"].values if "entity" in values.coords else np.arange(size)
    batches = Batches.of(values)
    x = finite(values.values).reshape(batches.number, size)
    score = None if found.variable else found.score
    information = evidence.information(score, size)
    result, sets = _summarize(x, batches, np.array([str(n) for n in names]), asked, found, information)
    seen, extreme = evidence.observed(score), evidence.extreme()
    result["observed"] = np.full(size, np.nan) if seen is None else seen.values.astype(float)
    settled = np.zeros(size, bool) if extreme is None else extreme.values
    result["contradicted"] = _contradicted(x, result["observed"], result, found, asked.prob) & ~settled
    pooled = evidence.observed_in_pool(score)
    if pooled is not None:  # a typical value lies between the pool's and the mean over data sets
        result["contradicted"] &= _contradicted(x, pooled.values.astype(float), result, found, asked.prob)
    result["cases"] = evidence.size(size)
    notes = [*found.notes(), *evidence.notes(score)]
    if asked.joint:
        notes += discordance_notes(information, evidence.about or {}, names, *_leads(result, asked.prob))
    result |= join_notes(notes) | {"needed_evidence": evidence.needed()}
    variables = variables_of(result, ERROR)
    # What is known of the entities (what they lack, who made them) stays with them.
    coords: dict[str, Any] = {"entity": names} | ({"rival": names} if asked.joint else {})
    coords["rank"] = np.arange(1, size + 1)
    coords |= {str(name): coord for name, coord in values.coords.items() if coord.dims == ("entity",)}
    facts = {"prob": asked.prob, "rope": asked.rope, "draws": batches.number, "method": "draws"}
    facts |= {"confidence_sets": sets} if asked.joint else {}
    return xr.Dataset(variables, coords, found.facts() | facts | evidence.facts())


def _leads(result: dict[str, Any], prob: float) -> tuple[np.ndarray, np.ndarray]:
    """The consensus order, and whom its first entity beats with the required probability."""
    order = result["consensus_position"]
    first = 0 if np.isnan(order).all() else int(np.nanargmin(order))
    return order, result["superiority"][first] >= prob


def _contradicted(
    x: np.ndarray, observed: np.ndarray, result: dict[str, Any], found: ScoreValues, prob: float
) -> np.ndarray:
    """Whether what was observed lies beyond the tail of its own interval, by more than Monte-Carlo error.

    One at an end of the score's range is outside of every equal-tailed interval, and contradicts nothing.
    """
    size = result["effective_sample_size"]
    defined = np.maximum((~np.isnan(x)).sum(axis=0), 1)
    beyond = np.minimum((x <= observed).sum(axis=0), (x >= observed).sum(axis=0)) / defined
    at_an_end = np.isclose(observed[:, None], found.facts()["range"], rtol=1e-9, atol=1e-9).any(axis=1)
    return (beyond + 2 * proportion_error(beyond, size) < (1 - prob) / 2) & ~np.isnan(observed) & ~at_an_end


def _summarize(
    x: np.ndarray,
    batches: Batches,
    names: np.ndarray,
    asked: RankingOptions,
    found: ScoreValues,
    information: Information,
) -> tuple[dict[str, Any], str]:
    """Return everything, from values (draw, entity), and whether confidence sets are given or why not."""
    prob = asked.prob
    with np.errstate(over="ignore", invalid="ignore"):  # sums and squares of what is huge, which nobody is told
        middle, low, high, centre = quantiles_of(x, (1 - prob) / 2)
        [(ranks, mass, twice)] = reduce(x, RankReducer(found.sign), batches=batches)
    [moments] = reduce(_bounded(x), Moments(_bounded(centre), pairs=asked.joint), batches=batches)
    own = efficiency(*(np.diag(part) if asked.joint else part for part in moments))
    undefined = 1 - ranks.defined / batches.number
    ranked = undefined <= MOSTLY
    # Ranks depend on all: where they hardly move, they are worth as little as the stickiest entity's draws.
    worst = _known(batches) * batches.number * own[ranked].min(initial=1.0)

    probabilities, intervals = _of_ranks(ranks, mass, twice, batches, ranked, prob, worst)
    del mass  # tables of entities × entities, and of draws × entities, are freed when they have been read
    best = probabilities["probability_best"]
    settled: dict[str, Any] = {}
    pairs, order, sets, reason = settled, settled, settled, ""
    if asked.joint:
        paired = efficiency(*map(_of_differences, moments))
        pairs, preference, error = _of_pairs(x, found.sign, twice, batches, asked.rope, ranks.defined, paired)
        del paired, moments
        order = consensus_of(names, ranks.expected, preference, error, pairs["superiority"], ranked, prob)
        settled = hierarchy(preference, twice, ranked, batches, worst)._asdict()
        del preference, error, twice
        with np.errstate(over="ignore", invalid="ignore"):  # outcomes near the largest float
            given = confidence_sets(x, ranked, found, prob, worst, information)
        sets, reason = given.variables(), given.reason
    none = np.full((2, x.shape[1]), np.nan)
    independent = information.population != "entities"  # a model of their population has shrunk them itself
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
        "effective_sample_size": _known(batches) * own * _some(ranks.defined),
    }, reason


def _bounded(x: np.ndarray) -> np.ndarray:
    """Values whose squares are numbers: odds under a faint prior may have none, which are cut off."""
    huge = max(np.fmax.reduce(x, axis=None), -np.fmin.reduce(x, axis=None)) > HUGE
    return np.clip(x, -HUGE, HUGE) if huge else x


def _known(batches: Batches) -> float:
    """A point has no error that could be known."""
    return 1.0 if batches.sampled else np.nan


def _some(number: np.ndarray) -> np.ndarray:
    """How many draws there are; NaN for none."""
    return np.where(number > 0, number, np.nan)


def _of_ranks(
    ranks: Ranks, mass: Mass, twice: np.ndarray, batches: Batches, ranked: np.ndarray, prob: float, worst: float
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Probabilities of ranks and what is expected of them; and their intervals, of each and of all at once."""
    some = _some(ranks.defined)
    lower, upper = rank_intervals(mass.draws.sum(axis=0) / np.where(ranked, some, np.nan)[:, None], (1 - prob) / 2)
    together = simultaneous_intervals(mass.draws, twice, batches, ranked, prob, worst)
    probability = mass.draws.sum(axis=0) / batches.number
    error = share_error(probability, mass.share_error, _known(batches) * batches.number, worst)
    probabilities = {
        "rank_probability": probability,
        "rank_probability_error": error,
        "probability_best": probability[:, 0],
        "probability_best_error": error[:, 0],
        "expected_rank": ranks.expected,
        # A rank that never moved in n draws may still have moved in the next: as one success in n more.
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
    """Who beats whom by more than the ROPE; and who comes before whom, without one, with the error."""
    pairs = compare(x, sign, twice, batches, rope)
    joint = _known(batches) * _some(pairs.joint)
    superiority, worth = pairs.superiority, efficiencies * joint
    error = share_error(superiority, pairs.superiority_error, joint, worth)
    preference = np.nan_to_num(pairs.preference, copy=False, nan=0.5)
    preference_error = np.nan_to_num(share_error(preference, pairs.preference_error, joint, worth))
    equivalence = 1 - superiority - superiority.T
    np.fill_diagonal(equivalence, np.where(defined > 0, 1.0, np.nan))
    found = {"superiority": superiority, "superiority_error": error, "equivalence": equivalence}
    return found, preference, preference_error


def _checked(values: xr.DataArray) -> xr.DataArray:
    """Values of which a ranking can be made."""
    if not values.size:
        raise ValueError(f"source must hold at least one entity and one draw; got the sizes {dict(values.sizes)}")
    if {"rank", "rival"} & set(values.dims):
        raise ValueError(f"source must not have dims called rank or rival, which the result has; got {values.dims}")
    return values


def quantiles_of(x: np.ndarray, tail: float) -> tuple[np.ndarray, ...]:
    """Median, lower and upper end, and mean of each column, of its defined draws; a few columns at a time.

    Examples
    --------
    >>> [float(q[0]) for q in quantiles_of(np.array([[1.0], [2.0], [np.nan], [3.0], [5.0]]), 0.0)]
    [2.5, 1.0, 5.0, 2.75]
    """
    out = np.full((4, x.shape[1]), np.nan)
    few = max(min(32, COLUMNS // max(len(x), 1)), 1)
    for start in range(0, x.shape[1], few):
        part = np.array(x[:, start : start + few].T, order="C")  # a copy, even of one draw: it will be sorted
        known = (~np.isnan(part)).sum(axis=1)
        some, total = known > 0, part.sum(axis=1) if known.min() == len(x) else np.nansum(part, axis=1)
        np.divide(total, known, out=out[3, start : start + few], where=some)
        # A sort of each, the undefined last, is quicker than to look for every quantile apart.
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
    """The variance of each difference of two entities (entity, rival)."""
    own = np.diag(covariance)
    spread = own[:, None] + own - 2 * covariance
    # What rounding leaves of entities that always are as far apart.
    spread[spread < 1e-12 * (own[:, None] + own)] = 0.0
    return spread


def _regret(ranks: Ranks, best: np.ndarray, worth: float) -> tuple[np.ndarray, np.ndarray]:
    """Expected regret and its error; a regret that is hardly ever, or hardly ever not, 0 counts as rare."""
    some = np.where(ranks.defined > 0, ranks.defined, np.nan)
    rare = np.minimum(best, 1 - best) * worth < RARE
    spread = np.maximum(ranks.regret_spread, np.finfo(float).eps)
    error = _mean_error(ranks.regret_error, spread, some, worth, 0.0)
    return ranks.regret, np.where(rare, np.fmax(error, spread / np.sqrt(worth)), error)


def _mean_error(error: np.ndarray, spread: np.ndarray, number: np.ndarray, worth: float, step: float) -> np.ndarray:
    """Error of a mean, at least that of independent draws, and that of one ``step`` in what the draws are worth."""
    least = np.maximum(spread / np.sqrt(number), step / worth)
    return np.where(np.isnan(least), np.nan, np.fmax(error, least))
