"""Alternatives to an analysis, each with one change: prior, model, score, prevalence, or the data sets."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from bayesrank._core.checks import check_sequence, is_number
from bayesrank._core.errors import ArgumentError
from bayesrank._core.records import EvidenceRecord
from bayesrank._core.types import Evidence
from bayesrank.evidence.counts import check_tables, pool, pool_evidence
from bayesrank.evidence.groups import GROUPS
from bayesrank.evidence.kinds.given import parse_given
from bayesrank.evidence.predictions import counts_of
from bayesrank.evidence.weighting import WEIGHTED
from bayesrank.models import (
    chosen_by_evidence,
    find_model,
    in_closed_form,
    make_model,
    model_for_datasets,
    options_of,
    population_of,
    takes_cases,
)
from bayesrank.models.parts.joint import check_joint
from bayesrank.models.parts.margins import VALUES
from bayesrank.models.parts.priors import concentration
from bayesrank.models.parts.priors import in_words as prior_in_words
from bayesrank.ranking.values import natural_score
from bayesrank.scores import Score, as_score
from bayesrank.sensitivities.conflicts import prior_conflict
from bayesrank.sensitivities.missing_truth import evidence_with_other_truths

#: Factors of the prior's weight, and their names.
WEIGHTS = {"prior at half its weight": 0.5, "prior at twice its weight": 2.0}
#: Factors of the scale of the prior of the spread, for hierarchical models, and their names.
SPREADS = {
    "prior of the spread at half its scale": 0.5,
    "prior of the spread at twice its scale": 2.0,
}
#: Kinds of alternatives in addition to scores and prevalences.
KINDS = ("priors", "weights", "models", "datasets", "entities")
#: The default alternative priors.
PRIORS = ("uniform", "jeffreys")


class Alternative(NamedTuple):
    """An alternative: its name, its kind, and the changed analysis."""

    name: str
    kind: str
    evidence: Evidence
    model: Any
    score: Score
    options: dict[str, Any]


def check_evidence(evidence: Any) -> Evidence:
    """Check that the evidence is counts over classes or outcomes, or joint outcomes."""
    kind = parse_given(evidence)
    if kind.summary:
        requirement = f"must be counts or joint outcomes; {kind.noun} have one model and one prior"
        raise ArgumentError("evidence", requirement, kind.noun)
    if not kind.of_cases:
        return check_tables(evidence, "evidence")
    if not kind.truth_in_part:
        check_joint(evidence)
    return evidence


def base_analysis(
    evidence: Evidence, score: Any, model: Any, join: Any, options: dict[str, Any]
) -> Alternative:
    """Return the base analysis."""
    model = chosen_by_evidence(evidence, options=options) if model is None else model
    pooled = _evidence_for(evidence, model, join, pool)
    return Alternative("base", "base", pooled, model, _score(evidence, score), options)


def alternatives_to(
    base: Alternative,
    evidence: Evidence,
    wanted: Sequence[str],
    priors: Any,
    models: Iterable[Any] | None,
    scores: Iterable[Any],
    prevalences: Iterable[Any],
    join: Any,
) -> list[Alternative]:
    """Return all alternatives to the base analysis."""
    if hasattr(find_model(base.model), "alternatives"):
        return _of_model(base, wanted, priors, models) + _scores_and_prevalences(
            base, evidence, scores, prevalences
        )
    result = _priors(base, priors if "priors" in wanted else (), "weights" in wanted)
    scale = getattr(_instance_of(base), "spread", None)
    if "weights" in wanted and scale is not None:
        result += [
            _with_options(base, name, "prior", spread=factor * scale)
            for name, factor in SPREADS.items()
        ]
    if "models" in wanted:
        result += _models(base, models, evidence, join)
        base_evidence = parse_given(base.evidence)
        if base_evidence.truth_in_part:
            others = evidence_with_other_truths(base_evidence.held)
            result += [
                base._replace(name=name, kind="model", evidence=one, model="paired")
                for name, one in others.items()
            ]
    result += _scores_and_prevalences(base, evidence, scores, prevalences)
    return result + (_without_each_dataset(base, evidence, join) if "datasets" in wanted else [])


def _scores_and_prevalences(
    base: Alternative, evidence: Evidence, scores: Iterable[Any], prevalences: Iterable[Any]
) -> list[Alternative]:
    result = []
    for score in check_sequence("scores", scores):
        base_score = _score(evidence, score)
        result.append(
            base._replace(name=f"score {base_score.name}", kind="score", score=base_score)
        )
    for share in check_sequence("prevalences", prevalences):
        result.append(
            _with_options(base, f"prevalence {_name_of(share)}", "prevalence", prevalence=share)
        )
    return result


def _of_model(
    base: Alternative, wanted: Sequence[str], priors: Any, models: Any
) -> list[Alternative]:
    """Return the alternatives that a model has of itself: other priors, and other forms of the model."""
    if models is not None:
        raise ArgumentError(
            "models",
            f"must be None for the model {base.model}, which defines its own alternatives",
            models,
        )
    requested = {} if priors is None else priors
    if not isinstance(requested, Mapping):
        raise ArgumentError(
            "priors", f"must be a mapping from name to priors for the model {base.model}", requested
        )
    kinds = {"model": "models" in wanted, "prior": "weights" in wanted}
    own = [
        (kind, name, changed)
        for kind, name, changed in _instance_of(base).alternatives()
        if kinds[kind]
    ]
    own += [("prior", f"prior {name}", {"priors": prior}) for name, prior in requested.items()]
    return [_with_options(base, name, kind, **changed) for kind, name, changed in own]


def _with_options(base: Alternative, name: str, kind: str, **changed: Any) -> Alternative:
    return base._replace(name=name, kind=kind, options=base.options | changed)


def conflict(base: Alternative) -> xr.Dataset | None:
    """Check whether the data contradict the base prior, if there is a closed form for whole numbers of cases."""
    evidence, model, options = base.evidence, base.model, base.options
    parsed = parse_given(evidence)
    if parsed.truth_in_part or WEIGHTED in evidence.attrs:
        return None
    if parsed.of_cases:
        if not takes_cases(model) or "cluster" in evidence.coords:
            return None
        # The check looks at one table per entity, so it uses the model that treats entities
        # separately.
        margins, evidence = _instance_of(base).margins, counts_of(parsed.held)
        if "outcome" in evidence.dims:
            if not margins.proper or not margins.few:
                return None
            evidence = evidence.reindex(outcome=margins.values, fill_value=0)
        model = in_closed_form()[0]
        options = {"prior": margins.concentration, "force": True} | {
            name: options[name] for name in ("prevalence",) if name in options
        }
    elif not hasattr(_instance_of(base), "conjugate"):
        return None
    return prior_conflict(evidence, model, **options)  # type: ignore[arg-type]  # counts, by now


def _score(evidence: Evidence, score: Any) -> Score:
    """Return the score of the ranking; without one, the default score of the evidence."""
    chosen: Any = natural_score(evidence) if score is None else score
    parsed = as_score(chosen)
    parsed.check_space(parse_given(evidence).space)
    return parsed


def _instance_of(one: Alternative) -> Any:
    return make_model(
        one.model, one.evidence, one.options, ("prob", "rope", "draws", "seed", "over", "aggregate")
    )


def _evidence_for(
    evidence: Evidence, model: Any, join: Any, pooling: Callable[..., Any] = pool_evidence
) -> Evidence:
    """Return the evidence for a model: pooled, unless the model learns from several data sets together.

    If ``join`` is None, data sets are never pooled.
    """
    parsed = parse_given(evidence)
    if parsed.of_cases and not takes_cases(model):
        evidence = counts_of(parsed.held)
    together = getattr(find_model(model), "over_datasets_together", False)
    separate = together or join is None or "dataset" not in evidence.coords
    return evidence if separate else pooling(evidence, join=join)


def _name_of(value: Any) -> str:
    return f"{value:g}" if is_number(value) else prior_in_words(value, "")


def _prior(one: Alternative) -> xr.DataArray:
    constants = _instance_of(one).observed().get("constant_data", {})
    if "prior_concentration" in constants:
        return constants["prior_concentration"].reset_coords(drop=True)
    assert isinstance(one.evidence, xr.DataArray)  # models of counts take DataArrays
    return concentration(one.evidence, one.options.get("prior"))


def _mass_of_values(prior: xr.DataArray, factor: float = 1.0) -> dict[float, float]:
    """Return the prior of joint outcomes, the same for every entity, as a mapping from values to mass."""
    prior_of_outcomes = prior.isel({dim: 0 for dim in prior.dims if dim != "outcome"})
    return dict(
        zip(
            prior_of_outcomes["outcome"].values.tolist(),
            (factor * prior_of_outcomes).values.tolist(),
            strict=True,
        )
    )


def _with_base(options: dict[str, Any], base: dict[float, float]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name != "prior"} | {"base": base}


def _is_graded(base: Alternative) -> bool:
    """Return whether the outcomes of single cases are numbers; these have other priors."""
    return isinstance(base.evidence, xr.Dataset) and "outcome" in base.evidence.data_vars


def _default_priors(base: Alternative) -> tuple[str, ...]:
    if not _is_graded(base):
        return PRIORS
    if {"range", "base"} & set(base.options) or EvidenceRecord.of(base.evidence).range is not None:
        return ("haldane",)
    return PRIORS if _instance_of(base).margins.values.size <= VALUES else ()


def _priors(base: Alternative, priors: Any, weights: bool) -> list[Alternative]:
    """Return alternative priors and the scaled base prior, without duplicates."""
    if priors is None and "prior" not in options_of(find_model(base.model)):
        return []  # a user's model; its priors are unknown here
    priors = _default_priors(base) if priors is None else priors
    named = (
        dict(priors)
        if isinstance(priors, Mapping)
        else {_name_of(p): p for p in check_sequence("priors", priors)}
    )
    # A base measure is a prior.
    others = {name: value for name, value in base.options.items() if name != "base"}
    options = {f"prior {name}": others | {"prior": prior} for name, prior in named.items()}
    own, instance = _prior(base), _instance_of(base)
    # Hierarchical models have more priors than this one, so it is not scaled.
    if weights and (hasattr(instance, "conjugate") or hasattr(instance, "margins")):
        for name, factor in WEIGHTS.items():
            if not _is_graded(base):
                options[name] = others | {"prior": own * factor}
            elif instance.margins.proper:
                options[name] = _with_base(others, _mass_of_values(own, factor))
    tried, result = [own], []
    for name, these in options.items():
        alternative = base._replace(name=name, kind="prior", options=these)
        parsed = _prior(alternative)
        if not any(_are_equal(parsed, other) for other in tried):
            tried.append(parsed)
            result.append(alternative)
    return result


def _are_equal(one: xr.DataArray, other: xr.DataArray) -> bool:
    """Return whether two priors have the same mass on the same values; a mass of 0 counts as absent."""
    if one.dims != other.dims:
        return not one.values.any() and not other.values.any()
    if "outcome" in one.dims:
        one, other = xr.align(one, other, join="outer", fill_value=0.0)
    return np.array_equal(one.values, other.values)


def _other_of_datasets(base: Alternative) -> list[Alternative]:
    """Return the model of shared difficulties of the data sets as an alternative; instead of itself, its own."""
    sizes = base.evidence.sizes
    if min(sizes.get("dataset", 0), sizes.get("entity", 0)) < 2:
        return []
    default = model_for_datasets(sizes.get("outcome", sizes.get("predicted", 2)))
    second_model = (
        getattr(find_model(default), "alternative", "") if base.model == default else default
    )
    retained = {
        name: value for name, value in base.options.items() if name in ("prior", "prevalence")
    }
    return (
        [
            base._replace(
                name=f"model {second_model}", kind="model", model=second_model, options=retained
            )
        ]
        if second_model
        else []
    )


def _models(
    base: Alternative, models: Iterable[Any] | None, evidence: Evidence, join: Any
) -> list[Alternative]:
    of_datasets = []
    if models is None:
        conjugate = in_closed_form()
        two = base.evidence.sizes.get("actual") == 2 and base.model in conjugate
        models = [name for name in conjugate if two and name != base.model]
        if population_of(base.model) == "data sets" and isinstance(base.evidence, xr.DataArray):
            of_datasets = _other_of_datasets(base)
    # Options that only a user's own model has are left out.
    own = set() if isinstance(base.model, str) else set(options_of(base.model))
    result = []
    for model in check_sequence("models", models):
        lost = own - set(options_of(find_model(model))) if own else own
        result.append(
            base._replace(
                name=f"model {model if isinstance(model, str) else getattr(model, '__name__', model)}",
                kind="model",
                model=model,
                evidence=_evidence_for(evidence, model, join),
                options={name: value for name, value in base.options.items() if name not in lost},
            )
        )
    return result + of_datasets


def _without_each_dataset(base: Alternative, evidence: Evidence, join: Any) -> list[Alternative]:
    """Return the alternatives without one data set; the others are pooled unless the model takes them together."""
    if "dataset" not in evidence.coords:
        return []
    used = list(dict.fromkeys(evidence["dataset"].values.tolist()))
    if len(used) < 2:
        return []
    unit = "group" if GROUPS in evidence["dataset"].attrs else "data set"
    options = base.options
    if (
        _is_graded(base)
        and "base" not in options
        and (margins := _instance_of(base).margins).proper
    ):
        # Keep the prior, even if a value occurred only in this data set.
        options = _with_base(options, _mass_of_values(margins.concentration))
    # Rates stay those at the same values of covariates.
    options = (
        options | {"at": getattr(_instance_of(base), "as_designed", {}).get("at")}
        if "covariates" in options
        else options
    )
    result = []
    for i, name in enumerate(used):
        if parse_given(evidence).of_cases:
            rest: Evidence = evidence.isel(pattern=(evidence["dataset"] != name).values)
        else:
            rest = evidence.isel(dataset=[j for j in range(len(used)) if j != i])
        alternative = base._replace(name=f"without {unit} {name}", kind="data", options=options)
        result.append(alternative._replace(evidence=_evidence_for(rest, base.model, join)))
    return result


def names_lost(before: Evidence, after: Evidence, over: str) -> set[Any]:
    """Return the data sets that were omitted, and the categories of ``over`` that have none left."""
    dims = [dim for dim in ("dataset", over) if dim in before.coords and dim in after.coords]
    return {
        name
        for dim in dims
        for name in set(before[dim].values.tolist()) - set(after[dim].values.tolist())
    }


def weights_without(weights: Any, lost: set[Any]) -> Any:
    """Return the weights of an aggregate without those of omitted data sets and categories."""
    if isinstance(weights, xr.DataArray):
        return weights[[name not in lost for name in weights[weights.dims[0]].values.tolist()]]
    if not isinstance(weights, Mapping):
        return weights
    result: dict[Any, Any] = {}
    for name, remaining in weights.items():
        if isinstance(remaining, Mapping):
            remaining = {inner: weight for inner, weight in remaining.items() if inner not in lost}
        elif isinstance(remaining, list | tuple):
            remaining = [inner for inner in remaining if inner not in lost]
        elif name in lost:
            continue
        if isinstance(remaining, str) or not hasattr(remaining, "__len__") or remaining:
            result[name] = remaining
    return result
