"""Sensitivity: which conclusions of a ranking survive other priors, models, scores, prevalences and fewer data sets."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import (
    check_choice,
    check_prob,
    check_sequence,
    check_unique,
    describe_value,
)
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.labels import name_coord, select_names
from bayesrank._core.notes import Note, notes_of, notes_text
from bayesrank._core.prose import list_names
from bayesrank._core.random import Seed, root_sequence
from bayesrank._core.records import RankingRecord
from bayesrank._core.types import ModelName, ScoreLike
from bayesrank.evidence.counts import JOINS
from bayesrank.evidence.groups import groups_as_datasets, has_groups
from bayesrank.evidence.kinds.given import parse_given
from bayesrank.inference import fit
from bayesrank.models import chosen_by_evidence, find_model, make_model
from bayesrank.performance.arrays import posterior_of
from bayesrank.ranking import credible_ranking
from bayesrank.ranking.aggregates import check_needs_over
from bayesrank.ranking.facts import get_fact
from bayesrank.ranking.intervals import position_of
from bayesrank.ranking.summary import effective_draws, outside_interval
from bayesrank.sensitivities._alternatives import (
    KINDS,
    Alternative,
    alternatives_to,
    base_analysis,
    check_evidence,
    conflict,
    names_lost,
    weights_without,
)
from bayesrank.sensitivities._reweighting import reweight
from bayesrank.sensitivities.leaving_out import leave_out_entities
from bayesrank.sensitivities.missing_truth import note_on_missing, tipping_odds

#: A change within this many Monte-Carlo standard errors does not count.
SURE = 2
#: Variables of each entity under each alternative.
PER_ENTITY = (
    *(
        "median",
        "lower",
        "upper",
        "probability_best",
        "probability_best_error",
        "rank_lower",
        "rank_upper",
        "tier",
    ),
    "consensus_rank",
)
#: Variables that every sensitivity has.
NEEDED = (
    *("survives", "leader", "kendall_tau", "pairs", "pairs_kept", "pairs_turned", "notes"),
    *("base_leader_probability_best", "conclusion", "entity"),
)


@check_call
def sensitivity(
    evidence: xr.DataArray | xr.Dataset,
    score: ScoreLike | None = None,
    *,
    model: ModelName | None = None,
    alternatives: Iterable[str] = ("priors", "weights", "models", "datasets"),
    priors: Any = None,
    models: Iterable[Any] | None = None,
    scores: Iterable[Any] = (),
    prevalences: Iterable[Any] = (),
    join: Literal["exact", "inner"] = "exact",
    prob: float = 0.95,
    rope: float = 0.0,
    higher_is_better: bool | None = None,
    kind: str | None = None,
    over: str | None = None,
    aggregate: str | None = None,
    weights: Any = None,
    draws: int = 1000,
    seed: Seed = None,
    nuts: Mapping[str, Any] | None = None,
    **options: Any,
) -> xr.Dataset:
    """Rank again with other priors, models, scores, prevalences and data, and find the conclusions that survive.

    The prior is scaled: its density over log-odds is raised to the power 1/2 or 2, so that it
    counts as half or twice as many cases. Alternatives are fitted again, with one exception. For
    sampled models of logits, draws for other priors and without a data set are resampled from the
    base, with Pareto-smoothed importance weights (Vehtari et al. 2024, JMLR 25:72), if Pareto k
    says that these are reliable.

    Parameters
    ----------
    evidence : xarray.DataArray or Dataset
        Integer counts (entity, [dataset], actual, predicted) or (entity, [dataset], outcome), or
        joint outcomes, as from :func:`bayesrank.joint_outcomes` or :func:`bayesrank.from_outcomes`;
        groups may take the place of data sets. Several data sets are pooled, except for
        hierarchical models and with ``over``.
    score : Score, str, pair of float, or callable, optional
        The score of the base analysis; optional for outcomes without classes.
    model : str or class, optional
        The model of the base analysis; the default is that of :func:`bayesrank.fit`.
    alternatives : sequence of {"priors", "weights", "models", "datasets", "entities"}
        The changes in addition to scores and prevalences. ``"weights"`` halves and doubles the
        weight of the base prior, or for hierarchical models the scale of the prior of the spread.
        ``"datasets"`` omits each data set or group in turn, and ``"entities"`` each entity, without
        a new fit.
    priors : sequence or mapping, optional
        Other priors, as for :func:`bayesrank.fit`; a mapping gives their names. The default is
        "uniform" and "jeffreys", unless they equal the base prior. For outcomes with many values,
        the default is "haldane" (no prior) if ``range`` or ``base`` is given; otherwise no other
        prior is tried.
    models : sequence, optional
        Other models. The default for counts of two classes is the other one of the two conjugate
        models. For a truth that is known in part, two more alternatives take the verdicts of each
        judge as the truth, or use only the cases with a known truth.
    scores : sequence
        Other scores; a pair (a, b) is a point of the Tile.
    prevalences : sequence of float
        Prevalences of possible target populations, for scores that depend on the prevalence.
    join : {"exact", "inner"}
        Which data sets to pool, as for :func:`bayesrank.pool`.
    prob, rope, kind, over, aggregate, weights
        As for :func:`bayesrank.credible_ranking`. ``weights`` may name omitted data sets and
        groups.
    higher_is_better : bool, optional
        Direction of the base score, such as False for costs. Other scores have their own direction.
    draws : int
        Draws in each of four chains.
    seed, nuts
        As for :func:`bayesrank.fit`.
    **options
        Options of the model of the base analysis: ``prior``, ``prevalence``, ``range``, ...

    Returns
    -------
    xarray.Dataset
        Results over ``alternative``. The first one is "base"; the labels name the changes:

        - ``pareto_k``: Pareto k of the importance weights, for alternatives whose draws were
          resampled; above min(1 - 1/log10(number of draws), 0.7) the alternative was fitted again.
          NaN for other alternatives;
        - ``kind``: base, prior, model, score, prevalence or data;
        - ``leader``: the first entity of the first tier; ``median``, ``lower``, ``upper``,
          ``probability_best`` and its ``_error``, ``rank_lower``, ``rank_upper``, ``tier`` and
          ``consensus_rank`` (alternative, entity); ``base_leader_probability_best``,
          ``base_leader_rank_lower`` and ``_upper``;
        - ``kendall_tau``: tau-b between the consensus order and that of the base; NaN without an
          order;
        - ``survives`` (alternative, conclusion): whether each conclusion of the base holds, up to
          twice the Monte-Carlo error. The conclusions are: the leader, if no other shares its rank;
          that it is best with at least ``prob``; the members of the first tier; and the rivals that
          the leader beats with ``prob``;
        - ``pairs``: the number of pairs that the base separates with ``prob``; ``pairs_kept`` and
          ``pairs_turned`` (alternative): how many of them the alternative separates in the same and
          in the reverse order.

        ``tipping_odds`` (entity), for a truth that is known in part. Among cases with equal
        verdicts, those with a known truth may not be a random sample. Compare the odds that the
        leader is right (for classes: the odds of the last class) in cases with a known truth and in
        the other cases. At the ratio ``tipping_odds`` of both, the entity and the leader change
        places; NaN if no ratio up to 1,000 is enough.

        Over (``left_out``, ``entity``), with ``"entities"``: ``tier_without`` and
        ``position_without`` among the others; and over ``left_out``: ``changed_without``, the share
        of pairs of other entities whose tiers are in another order than in the base;
        ``leader_changed_without``, whether the first remaining entity of the consensus order changes
        ; and ``poth_without``, the precision of the order of the remaining entities.

        Over (``entity``, [``dataset``], ``check``), for base priors with a closed form. The items
        of ``check`` are the right answers in each class and in all classes, the class sizes if they
        are sampled, or the cases with each outcome:

        - ``check_observed``: the observed share; ``check_expected``: its prior mean;
        - ``check_tail_probability``: twice the smaller prior predictive tail, at most 1; NaN where
          there are no cases, or the prior is improper;
        - ``check_pull``: distance of the posterior mean from the observed share, in posterior
          standard deviations;
        - ``check_conflict``: whether the tail is at most ``attrs["check_bound"]``, 0.01 divided by
          the number of checks, and the pull is more than 2. Data easily contradict a prior that
          counts as a few cases; such a conflict does no harm.

        ``notes`` holds these conflicts and the notes of the base ranking, for
        :func:`bayesrank.notes`.

    Raises
    ------
    TypeError, ValueError, KeyError
        As :func:`bayesrank.fit` and :func:`bayesrank.credible_ranking`.

    References
    ----------
    Kallioinen, Paananen, Bürkner and Vehtari (2024), Statistics and Computing 34:57, for the
    powers; Box (1980), J. R. Stat. Soc. A 143:383-430, and Evans and Moshonov (2006), Bayesian
    Analysis 1:893-914, for the checks of the prior.

    Examples
    --------
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> found = sensitivity(counts, "f1", scores=["tnr"], seed=1)
    >>> found["alternative"].values.tolist()[:3]
    ['base', 'prior uniform', 'prior at half its weight']
    >>> bool(found["survives"].sel(conclusion="b beats a").all())
    True
    """
    prob = check_prob("prob", prob)
    requested = [
        check_choice("alternatives", kind, KINDS)
        for kind in check_sequence("alternatives", alternatives)
    ]
    for name, given in (("priors", priors), ("models", models)):
        if given is not None and name not in requested:
            raise ArgumentError(
                "alternatives", f"must contain {name!r}, because {name}= is given", requested
            )
    check_choice("join", join, JOINS)
    _check_over(over, aggregate, weights, requested)
    grouped = isinstance(evidence, xr.DataArray | xr.Dataset) and has_groups(evidence)
    if grouped:
        model = chosen_by_evidence(evidence, options=options) if model is None else model
        evidence = groups_as_datasets(evidence)
    evidence = check_evidence(evidence)
    pooled = join if over is None else None
    base = base_analysis(evidence, score, model, pooled, options)
    others = alternatives_to(base, evidence, requested, priors, models, scores, prevalences, pooled)
    check_unique("alternatives", [one.name for one in others])
    root = root_sequence(seed)
    rankings, pareto = list[xr.Dataset](), list[float]()
    fitted, log_densities = None, dict[str, Any]()
    for one in [base, *others]:
        # Another score needs no draws of its own, and other priors and omitted data sets often do
        # not.
        posterior, k = (fitted, np.nan) if one.kind == "score" else (None, np.nan)
        if posterior is None and one is not base and not grouped:
            posterior, k = reweight(base, one, fitted, root, log_densities)
        pareto.append(k)
        if posterior is None:
            posterior = _fit_alternative(one, grouped, draws, root, nuts)
        fitted = posterior if one is base else fitted
        has_kinds = "performance_new" in posterior_of(posterior)
        settings: dict[str, Any] = {
            "prob": prob,
            "rope": rope,
            "kind": kind if one is base or has_kinds else None,
            "higher_is_better": None if one.kind == "score" else higher_is_better,
        }
        if over is not None:
            lost = names_lost(base.evidence, one.evidence, over)
            remaining = weights_without(weights, lost)
            settings |= {"over": over, "aggregate": aggregate, "weights": remaining}
        rankings.append(credible_ranking(posterior, one.score, method="auto", **settings))
        if one is base and "entities" in requested:
            without = leave_out_entities(posterior, one.score, method="auto", **settings)
    result = _table([base, *others], rankings).assign(pareto_k=("alternative", pareto))
    if "entities" in requested:
        result = result.assign({f"{name}_without": values for name, values in without.items()})
    notes = [*outside_interval(rankings[0]), *notes_of(get_fact(rankings[0], "notes"))]
    if over is None:
        result, more = _with_tipping_odds(result, base, rankings[0])
        notes += more
    checks = conflict(base)
    if checks is not None:
        notes = [*notes_of(checks["notes"]), *notes]
        result = result.assign(
            {f"check_{name}": values for name, values in checks.drop_vars("notes").items()}
        )
        result.attrs["check_bound"] = checks.attrs["bound"]
    result["notes"] = notes_text(notes)
    attrs = rankings[0].attrs
    record = {name: attrs[name] for name in ("score", "display", "noun") if name in attrs}
    return result.assign_attrs(
        record | {"prob": prob, "rope": rope, "effective_draws": effective_draws(rankings[0])}
    )


def _check_over(over: Any, aggregate: Any, weights: Any, requested: list[str]) -> None:
    """Refuse options of an aggregate without ``over``, and omitted entities where the aggregate depends on them."""
    if over is None:
        check_needs_over(aggregate, weights)
    elif not isinstance(over, str):
        raise ArgumentTypeError("over", "must be the name of a dim or coord", describe_value(over))
    elif "entities" in requested and aggregate in ("borda", "win_rate"):
        why = f"must not contain 'entities' beside aggregate={aggregate!r}, which depends on the rivals"
        raise ArgumentError("alternatives", why, requested)


def _fit_alternative(
    one: Alternative,
    grouped: bool,
    draws: int,
    root: np.random.SeedSequence,
    nuts: Mapping[str, Any] | None,
) -> Any:
    """Return the posterior of an alternative."""
    separate = grouped and "dataset" in one.evidence.coords
    evidence = one.evidence.rename(dataset="group") if separate else one.evidence
    # Models with exact draws have no sampler to set.
    settings = None if hasattr(find_model(one.model), "draw") else nuts
    return fit(evidence, one.model, draws=draws, seed=root, nuts=settings, **one.options)


def _with_tipping_odds(
    result: xr.Dataset, base: Alternative, ranking: xr.Dataset
) -> tuple[xr.Dataset, list[Note]]:
    """Add the tipping odds of a truth that is known in part, and the note on them."""
    known_in_part = parse_given(base.evidence).truth_in_part
    if not known_in_part or hasattr(find_model(base.model), "alternatives"):
        return result, []
    if result.sizes["entity"] < 2 or result["leader"].values[0] == "":
        return result, []
    names = result["entity"].values.tolist()
    lead = names.index(result["leader"].values[0])
    model = make_model(base.model, base.evidence, base.options)
    better = bool(RankingRecord.of(ranking).higher_is_better)
    odds = tipping_odds(model, base.score, lead, better)
    note = note_on_missing(model, [str(name) for name in names], odds, lead)
    return result.assign(tipping_odds=("entity", odds)), [note]


def _table(alternatives: list[Alternative], rankings: list[xr.Dataset]) -> xr.Dataset:
    """Return the variables of each alternative, and the conclusions of the base that survive in it."""
    names, prob = rankings[0]["entity"].values.tolist(), RankingRecord.of(rankings[0]).prob
    stacked = {
        name: np.stack(
            [
                select_names(ranking[name], dict.fromkeys(ranking[name].dims, names)).values
                for ranking in rankings
            ]
        )
        for name in (*PER_ENTITY, "consensus_position")
    }
    variables: dict[str, Any] = {
        name: (("alternative", "entity"), stacked[name]) for name in PER_ENTITY
    }
    # None if no entity is ranked.
    positions = [position_of(select_names(ranking, entity=names)).values for ranking in rankings]
    leaders = [
        None if np.isnan(position).all() else int(np.nanargmin(position)) for position in positions
    ]
    lead = leaders[0]
    variables["kind"] = ("alternative", [one.kind for one in alternatives])
    variables["leader"] = (
        "alternative",
        name_coord(["" if i is None else names[i] for i in leaders]),
    )
    variables["kendall_tau"] = ("alternative", _taus(stacked["consensus_rank"]))
    for name in ("probability_best", "probability_best_error", "rank_lower", "rank_upper"):
        values = np.full(len(rankings), np.nan) if lead is None else stacked[name][:, lead]
        variables[f"base_leader_{name}"] = ("alternative", values)
    pairs, beats, still = _pairs_kept(rankings, names, prob)
    variables |= pairs
    conclusions = (
        {}
        if lead is None
        else _conclusions(
            stacked, lead, [str(name) for name in names], prob, beats[lead], still[:, lead]
        )
    )
    survives = np.array([*conclusions.values()], bool).reshape(-1, len(rankings)).T
    variables["survives"] = (("alternative", "conclusion"), survives)
    coords = {
        "alternative": [one.name for one in alternatives],
        "entity": rankings[0]["entity"].values,
    }
    return xr.Dataset(variables, coords | {"conclusion": [*conclusions]})


def _pairs_kept(
    rankings: list[xr.Dataset], names: list[Any], prob: float
) -> tuple[dict[str, Any], np.ndarray, np.ndarray]:
    """Return how many pairs of the base each ranking keeps and turns; the pairs; those kept (alternative, pair).

    Only changes beyond the Monte-Carlo error count as lost or turned pairs.
    """
    size = len(names)
    kept, turned = np.zeros((2, len(rankings)), int)
    beats, still = np.zeros((size, size), bool), np.zeros((len(rankings), size, size), bool)
    for i, ranking in enumerate(rankings):  # floats of all rankings take several times the memory
        probability, error = (
            select_names(ranking[name], {"entity": names, "rival": names}).values
            for name in ("superiority", "superiority_error")
        )
        slack = SURE * np.nan_to_num(error)
        beats = beats if i else probability >= prob
        still[i] = probability + slack >= prob
        kept[i] = (still[i] & beats).sum()
        turned[i] = ((probability - slack >= prob).T & beats).sum()
    counts = {"pairs_kept": ("alternative", kept), "pairs_turned": ("alternative", turned)}
    return {"pairs": int(beats.sum())} | counts, beats, still


def _taus(ranks: np.ndarray) -> list[float]:
    """Return Kendall's tau-b of each order with the first; NaN unless both have two ranks among the shared entities."""
    from scipy.stats import kendalltau

    shared = [~np.isnan(ranks[0]) & ~np.isnan(other) for other in ranks]
    pairs = zip(ranks, shared, strict=True)
    return [
        kendalltau(ranks[0][both], other[both]).statistic if both.sum() > 1 else np.nan
        for other, both in pairs
    ]


def _conclusions(
    stacked: dict[str, np.ndarray],
    lead: int,
    names: list[str],
    prob: float,
    beats: np.ndarray,
    still: np.ndarray,
) -> dict[str, np.ndarray]:
    """Return the conclusions of the first ranking, and the rankings in which each holds up to its error.

    The leader of the first ranking ``beats`` others (entity), and ``still`` does up to the error
    (alternative, entity).
    """
    result = {}
    first, tier = stacked["consensus_rank"] == 1, stacked["tier"] == 1
    # Entities share a rank if the draws do not separate them.
    if first[0].sum() == 1 and first[0, lead]:
        result[f"{names[lead]} comes first"] = first[:, lead]
    best = stacked["probability_best"][:, lead]
    if best[0] >= prob:
        error = SURE * np.nan_to_num(stacked["probability_best_error"][:, lead])
        result[f"{names[lead]} is the best with probability at least {prob:g}"] = (
            best + error >= prob
        )
    order = np.argsort(stacked["consensus_position"][0], kind="stable")
    members = [names[i] for i in order if tier[0, i]]
    result[f"the first tier is {list_names(members, 5)}"] = (tier == tier[0]).all(axis=1)
    return result | {f"{names[lead]} beats {names[j]}": still[:, j] for j in order if beats[j]}
