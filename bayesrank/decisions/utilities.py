"""Expected utility: which entity to use, given the benefits and costs of right and wrong answers."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import (
    check_bool,
    check_labelled_numbers,
    check_labelled_prevalence,
    check_numbers,
    check_prob,
    class_shares,
    is_number,
)
from bayesrank._core.draws import DRAW_DIMS, check_size, draw_dims
from bayesrank._core.errors import ArgumentError
from bayesrank._core.labels import check_positive, known_classes, name_coord
from bayesrank._core.notes import notes_text
from bayesrank._core.source import parse_source
from bayesrank._core.types import Container
from bayesrank.claims.information import information_of
from bayesrank.decisions._means import mean_and_error, mean_over_draws, name_pair
from bayesrank.evidence.counts import NO_CLASSES
from bayesrank.models.parts.priors import align
from bayesrank.performance.arrays import OUTCOME_DIMS, align_outcomes, as_performance
from bayesrank.ranking.claims import cap
from bayesrank.ranking.credible import KnownFacts, rank_variable
from bayesrank.ranking.evidence import RankingEvidence, evidence_of
from bayesrank.ranking.facts import set_facts
from bayesrank.ranking.identical import average_within, identical_groups
from bayesrank.ranking.performances import mean_performance
from bayesrank.scores import Score

CELLS = ("tn", "fp", "fn", "tp")


@check_call
def expected_utility(
    source: Container,
    benefit: Any,
    *,
    prevalence: Any = None,
    strategies: bool = False,
    prob: float = 0.95,
    kind: str | None = None,
) -> xr.Dataset:
    """Rank entities by expected benefit per case, and compute the value of perfect information and of the prevalence.

    Source: Raiffa and Schlaifer (1961), Applied Statistical Decision Theory, chapter 4, for the
    values of information.

    Parameters
    ----------
    source, kind
        As for :func:`bayesrank.as_performance`, with any number of classes.
    benefit : mapping, array_like or DataArray
        The benefit of each outcome, in any unit; costs are negative. A mapping with ``tn``, ``fp``,
        ``fn`` and ``tp`` for two classes, an array (actual class, predicted class), or a DataArray,
        which is matched by label.
    prevalence : number or DataArray, optional
        Prevalence of the positive class in the target population, by default that of the source.
        Labelled draws of it include its uncertainty; the dim ``actual`` gives the shares of all
        classes.
    strategies : bool
        Whether to add rivals that give every case the same answer ("always negative", "always
        positive", ...). They become entities, and the coord ``strategy`` marks them.
    prob : float
        Probability of the credible intervals, and of tiers.

    Returns
    -------
    xarray.Dataset
        The variables of :func:`bayesrank.credible_ranking` for the utility (in the unit of the
        benefits, per case), and:

        - ``mean`` (entity): the expected utility, by which to decide, and ``mean_error``;
        - ``choice``: the entity with the highest mean; among ties the first by name;
        - ``value_of_perfect_information``: E[max U] - max E[U], the expected regret of the best
          choice, with ``_error``. It is an upper bound of the value of any study of these entities,
          per case;
        - ``value_of_prevalence_information``: the value of knowing only the prevalence, E[max E[U |
          prevalence]] - max E[U], with ``_error``. It assumes that the prevalence is independent of
          the rates, and is NaN unless ``prevalence`` has draws.

        The attrs contain ``benefit`` as text, ``population`` as for a ranking, and ``prevalence``
        if it is one number.

    Examples
    --------
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[1, 9], tp=[29, 21], entity=["eager", "shy"])
    >>> benefit = {"tn": 0, "fp": -1, "fn": -20, "tp": 0}
    >>> found = expected_utility(br.fit(counts, seed=1), benefit, prevalence=0.05, strategies=True)
    >>> found["choice"].item(), found["mean"].round(2).values.tolist()
    ('eager', [-0.17, -0.32, -1.0, -0.95])
    """
    prob = check_prob("prob", prob)
    check_bool("strategies", strategies)
    source = parse_source(mean_performance(source, "an expected utility"))
    performance = _with_classes(source, kind)
    benefits = _benefits(benefit, performance)
    class_share = None
    if prevalence is not None:
        shared_dims = [*DRAW_DIMS, *(dim for dim in performance.dims if dim != "predicted")]
        class_share = align(
            "prevalence", _bare(check_labelled_prevalence(prevalence)), performance, shared_dims
        )
        class_share = class_shares(class_share, performance)
    utility = _by_class(performance, benefits)
    shares = performance.sum("predicted", skipna=False) if class_share is None else class_share
    evidence = evidence_of(source, None, utility.isel(actual=0, drop=True), kind)
    observed = _observed_benefit(evidence, benefits, class_share)
    if strategies:
        utility, shares = _with_strategies(utility, benefits, shares)
        observed = (
            None if observed is None else _with_strategies(observed[0], benefits, observed[1])
        )
    values = _utility(utility, shares)
    # Ranked as a variable: draws, range, observed values, and the diagnostics of the sampler.
    ends = {"utility_range": [float(benefits.min()), float(benefits.max())]}
    groups = {"posterior": values.to_dataset().assign_attrs(ends)}
    if observed is not None:
        groups["observed_data"] = _utility(*observed).to_dataset()
    if (stats := source.group("sample_stats")) is not None:
        groups["sample_stats"] = stats
    score, constants = (
        _score(benefits, class_share),
        utility.sizes["entity"] - performance.sizes["entity"],
    )
    extra = [dim for dim in values.dims if dim not in (*draw_dims(values), "entity")]

    def known_of(at: tuple[int, ...]) -> KnownFacts:
        part, entities = evidence, performance.sizes["entity"]
        for dim, i in zip(extra, at, strict=True):
            part = part.at(str(dim), i)
        return KnownFacts(
            information_of(part, score, entities).with_constants(constants),
            identical_groups(part, entities),
        )

    ranking = rank_variable(xr.DataTree.from_dict(groups), "utility", prob, known_of)
    if evidence.counts is not None:
        settled = _are_extreme(evidence.counts, performance, ranking)
        ranking["contradicted"] &= ~settled.transpose(*ranking["contradicted"].dims).values
    notes = evidence.notes(score)
    texts = {"notes": notes_text(notes), "needed_evidence": evidence.needed()}
    ranking = set_facts(ranking, **texts)
    # The utility was ranked without the notes on its evidence: what limits claims was lost.
    ranking = cap(ranking, evidence.limits(notes))
    if strategies:
        always = np.arange(utility.sizes["entity"]) >= performance.sizes["entity"]
        ranking = ranking.assign_coords(strategy=("entity", always))
    mean, error = mean_and_error(values.compute())
    medians = ranking["median"].transpose(*mean.dims).values
    for at in np.ndindex(*mean.shape[:-1]):
        equal_groups = [group for group in known_of(at).groups if np.ptp(medians[at][group]) == 0]
        mean.values[at] = average_within(equal_groups, mean.values[at])
    more = {"mean": mean, "mean_error": error, "choice": _choice(ranking, mean)}
    more |= name_pair("value_of_perfect_information", _least_regret(ranking))
    more |= name_pair(
        "value_of_prevalence_information", _of_prevalence(class_share, utility, ranking)
    )
    facts = (
        {"benefit": _in_words(benefits, performance), "population": evidence.population()}
        | evidence.called()
        | ({"prevalence": float(prevalence)} if is_number(prevalence) else {})
    )
    return ranking.assign(
        {name: value.reset_coords(drop=True).drop_attrs() for name, value in more.items()}
    ).assign_attrs(facts)


def _are_extreme(
    counts: xr.DataArray, performance: xr.DataArray, ranking: xr.Dataset
) -> xr.DataArray:
    """Return which entities were always right or always wrong on a class, and the strategies.

    Such a rate is outside any interval of it; the answers of strategies are fixed.
    """
    others = [d for d in counts.dims if d not in (*performance.dims, *OUTCOME_DIMS)]
    table = counts.sum(others).transpose(..., *OUTCOME_DIMS)
    right = xr.DataArray(np.diagonal(table.values, axis1=-2, axis2=-1), dims=table.dims[:-1])
    extreme = ((right == 0) | (right == table.sum("predicted").values)).any("actual")
    labelled = extreme.assign_coords(entity=performance["entity"])
    return labelled.reindex(entity=ranking["entity"], fill_value=True)


def _least_regret(ranking: xr.Dataset) -> tuple[xr.DataArray, xr.DataArray]:
    """Return the smallest expected regret of a ranked entity, and its Monte-Carlo error."""
    regret = ranking["expected_regret"].where(ranking["tier"].notnull())
    least = regret.min("entity")
    return least, ranking["expected_regret_error"].where(regret == least).max("entity")


def _with_classes(source: Any, kind: str | None) -> xr.DataArray:
    performance = _bare(as_performance(source, kind))
    if not {"entity", *OUTCOME_DIMS} <= set(performance.dims):
        if "outcome" in performance.dims:
            requirement = "must have classes, since benefits belong to cells of a confusion matrix"
            raise ArgumentError("source", requirement, f"outcomes, {performance.dims}", NO_CLASSES)
        raise ArgumentError(
            "source", "must have the dims entity, actual and predicted", f"{performance.dims}"
        )
    check_size(performance)
    if "entity" in performance.coords:
        return performance
    return performance.assign_coords(entity=np.arange(performance.sizes["entity"]))


def _bare(array: xr.DataArray) -> xr.DataArray:
    """Drop the labels of the draws, which have no meaning."""
    return array.drop_vars(
        [name for name, coord in array.coords.items() if set(coord.dims) & set(DRAW_DIMS)]
    )


def _benefits(benefit: Any, performance: xr.DataArray) -> xr.DataArray:
    """Return the benefit of each outcome (actual, predicted), with the labels of the performance."""
    size = performance.sizes["actual"], performance.sizes["predicted"]
    if isinstance(benefit, Mapping):
        if not benefit or not set(benefit) <= set(CELLS) or size != (2, 2):
            requirement = (
                "tn, fp, fn and tp"
                if size == (2, 2)
                else f"no mapping but an array for {size[0]} classes"
            )
            raise ArgumentError("benefit", f"must contain {requirement}", f"{dict(benefit)!r:.60}")
        check_positive(performance, "a benefit of tn, fp, fn and tp")
        tn, fp, fn, tp = (benefit.get(cell, 0) for cell in CELLS)
        benefit = [[tn, fp], [fn, tp]]
    if isinstance(benefit, xr.DataArray):
        if set(benefit.dims) != set(OUTCOME_DIMS):
            raise ArgumentError("benefit", "must have the dims actual and predicted", benefit.dims)
        benefits = align_outcomes(
            check_labelled_numbers("benefit", benefit), performance, "benefit"
        ).transpose(*OUTCOME_DIMS)
    else:
        array = check_numbers("benefit", benefit)
        if array.shape != size:
            raise ArgumentError("benefit", f"must be of shape {size}", array.shape)
        labels = {dim: performance[dim].values for dim in OUTCOME_DIMS if dim in performance.coords}
        benefits = xr.DataArray(array, labels, OUTCOME_DIMS)
    if not np.isfinite(benefits).all():
        raise ArgumentError("benefit", "must be finite", benefits.values.tolist())
    return benefits


def _in_words(benefits: xr.DataArray, performance: xr.DataArray) -> str:
    """Return the benefits as text: TN 0, FP -1, FN -10, TP 0, with named classes; for more classes row by row."""
    if benefits.shape == (2, 2):
        text = ", ".join(
            f"{cell.upper()} {w:g}" for cell, w in zip(CELLS, benefits.values.ravel(), strict=True)
        )
        classes = known_classes(performance)
        if classes in (None, ("negative", "positive")):
            return text
        return f"{text} (FN: {classes[1]!r} called {classes[0]!r})"
    rows = "; ".join(" ".join(f"{w:g}" for w in row) for row in benefits.values)
    return f"{rows} (a row for each actual class)"


def _by_class(performance: xr.DataArray, benefits: xr.DataArray) -> xr.DataArray:
    """Return the mean benefit of a case of each class (..., actual); NaN for a class without cases."""
    total = performance.sum("predicted", skipna=False)
    return xr.dot(performance, benefits, dim="predicted") / total.where(total > 0)


def _utility(each: xr.DataArray, shares: xr.DataArray) -> xr.DataArray:
    """Return the mean of the class benefits, weighted by the class shares; classes with share 0 are ignored."""
    values = xr.where(shares == 0, 0.0, shares * each).sum("actual", skipna=False)
    extra = [
        name
        for name in values.coords
        if name not in values.dims and values[name].dims != ("entity",)
    ]
    return (
        values.drop_vars(extra)
        .transpose(*draw_dims(values), ..., "entity")
        .rename("utility")
        .drop_attrs()
    )


def _score(benefits: xr.DataArray, class_share: xr.DataArray | None) -> Score:
    """Return the utility as a score of tables, at the mean shares if supplied, for the notes on the evidence."""
    fixed = (
        None
        if class_share is None
        else class_share.mean([dim for dim in class_share.dims if dim != "actual"]).values
    )

    def of_matrix(matrix: np.ndarray, present: Any) -> np.ndarray:
        cases = matrix.sum(-1)
        shares = cases / cases.sum(-1, keepdims=True) if fixed is None else fixed
        return np.where(shares == 0, 0.0, shares * (matrix * benefits.values).sum(-1) / cases).sum(
            -1
        )

    ends = (float(benefits.min()), float(benefits.max()))
    return Score(
        "utility", None, matrix_function=of_matrix, range=ends, depends_on_prevalence=fixed is None
    )


def _observed_benefit(
    evidence: RankingEvidence, benefits: xr.DataArray, class_share: xr.DataArray | None
) -> tuple[xr.DataArray, xr.DataArray] | None:
    """Return the observed benefit of each class and the class shares; None if they are unknown."""
    if evidence.counts is None or evidence.table is None:
        return None
    rates, shares = as_performance(evidence.table).assign_coords(benefits.coords), class_share
    if shares is None:
        set_by_hand = evidence.model.sets_prevalence
        table = evidence.performance if set_by_hand and evidence.performance is not None else rates
        shares = table.sum("predicted", skipna=False)
    return _by_class(rates, benefits), mean_over_draws(shares)


def _with_strategies(
    each: xr.DataArray, benefits: xr.DataArray, shares: xr.DataArray
) -> tuple[xr.DataArray, xr.DataArray]:
    """Return class benefits and shares of entities and strategies; strategies need shares common to all entities."""
    labels = (
        benefits["predicted"].values
        if "predicted" in benefits.coords
        else np.arange(benefits.sizes["predicted"])
    )
    names = name_coord([f"always {label}" for label in labels.tolist()])
    # The benefit of each constant answer in each class (actual, entity).
    answers = (
        benefits.drop_vars("predicted", errors="ignore")
        .rename(predicted="entity")
        .assign_coords(entity=names)
    )
    duplicates = [name for name in each["entity"].values.tolist() if name in names]
    if duplicates:
        raise ArgumentError(
            "source", "must not give an entity the name of a strategy", f"{duplicates[0]!r}"
        )
    if "entity" in shares.dims:
        complete = shares.isel(
            entity=shares.notnull().all([dim for dim in shares.dims if dim != "entity"]).values
        )
        if (
            not complete.sizes["entity"]
            or float(np.abs(complete - complete.isel(entity=0, drop=True)).max()) > 1e-9
        ):
            raise ArgumentError(
                "prevalence",
                "must be given to compare with strategies, unless all entities have the same one",
                "None with entities at different prevalences",
            )
        shares = _append_entities(
            shares, complete.isel(entity=[0] * len(names)).assign_coords(entity=names)
        )
    return _append_entities(each, answers), shares


def _append_entities(array: xr.DataArray, more: xr.DataArray) -> xr.DataArray:
    """Append entities to an array, with empty coords except names; fill missing dims."""
    names = [*array["entity"].values.tolist(), *more["entity"].values.tolist()]
    first, second = (part.reset_coords(drop=True).drop_vars("entity") for part in (array, more))
    second = second.broadcast_like(first.isel(entity=0)).transpose(*first.dims)
    joined = xr.concat(
        [first, second], "entity", join="override", coords="minimal", compat="override"
    )
    return joined.transpose(*first.dims).assign_coords(entity=name_coord(names))


def _choice(ranking: xr.Dataset, mean: xr.DataArray) -> xr.DataArray:
    """Return the entity with the highest mean, the first by name among ties; "" if none is ranked."""
    names = ranking["entity"].values.tolist()
    order = sorted(range(len(names)), key=lambda i: str(names[i]))
    ranked = mean.where(ranking["tier"].notnull()).isel(entity=order).round(12)
    best = (
        ranked.fillna(-np.inf)
        .argmax("entity")
        .where(ranked.notnull().any("entity"), len(names))
        .astype(int)
    )
    choices = np.array([*(names[i] for i in order), ""], dtype=object)
    return best.copy(data=choices[best.values])


def _of_prevalence(
    class_share: xr.DataArray | None, each: xr.DataArray, ranking: xr.Dataset
) -> tuple[xr.DataArray, xr.DataArray]:
    """Return the value of knowing the prevalence; if it is independent of the rates, only their means matter."""
    if class_share is None:
        gain = ranking["expected_regret"].max("entity") * np.nan
        return gain, gain
    expected = (
        _utility(mean_over_draws(each), class_share).where(ranking["tier"].notnull()).compute()
    )
    best = mean_over_draws(expected).fillna(-np.inf).argmax("entity")
    gain, error = mean_and_error(expected.max("entity") - expected.isel(entity=best, drop=True))
    # A known prevalence has an information value of exactly 0.
    return gain, error if draw_dims(class_share) else xr.zeros_like(gain)
