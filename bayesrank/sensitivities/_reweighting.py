"""Alternatives to a sampled posterior without a new fit: its draws, resampled by smoothed importance weights."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.compat import pareto_k_threshold, smooth_weights, to_container
from bayesrank._core.labels import select_names
from bayesrank._core.random import stream
from bayesrank._core.records import SamplerRecord
from bayesrank._core.source import groups_of
from bayesrank.models import make_model
from bayesrank.models.parts.priors import in_words
from bayesrank.sensitivities._alternatives import Alternative


def reweight(
    base: Alternative,
    one: Alternative,
    fitted: Any,
    root: np.random.SeedSequence,
    known: dict[str, Any],
) -> tuple[Any, float]:
    """Return the posterior of an alternative from the draws of the base, and Pareto k; None where a fit is needed.

    A prior is exchanged by the ratio of its density to that of the base, and a data set is omitted
    by the inverse of its likelihood. In an incomplete design, the presence of entities on the
    omitted data set still counts for what a typical data set is. ``known`` keeps the likelihood of
    the data sets, which takes seconds, for other alternatives.
    """
    groups = groups_of(fitted)
    log_ratio = _log_ratio(base, one, groups, known)
    if log_ratio is None:
        return None, np.nan
    sampled, posterior = SamplerRecord.of(groups["sample_stats"]), groups["posterior"]
    shape = posterior.sizes["chain"], posterior.sizes["draw"]
    size = shape[0] * shape[1]
    efficiency = min(sampled.ess_bulk / size, 1.0) if np.isfinite(sampled.ess_bulk) else 1.0
    weight, k = smooth_weights(log_ratio.transpose("chain", "draw").values.ravel(), efficiency)
    if not k <= pareto_k_threshold(size):
        return None, k
    # Systematic resampling keeps the order: repeated draws are neighbours, which effective sample
    # sizes notice.
    start = stream(root, "resampled", one.name).random()
    places = (
        np.searchsorted(np.cumsum(weight), (np.arange(size) + start) / size)
        .clip(max=size - 1)
        .reshape(shape)
    )
    at = {
        dim: (("chain", "draw"), held)
        for dim, held in zip(("chain", "draw"), np.divmod(places, shape[1]), strict=True)
    }
    moved = posterior.drop_vars(["chain", "draw"], errors="ignore").isel(
        {d: xr.Variable(*held) for d, held in at.items()}
    )
    changed = groups | {
        "posterior": moved.assign_coords(
            {d: posterior[d] for d in ("chain", "draw") if d in posterior.coords}
        )
    }
    if one.kind == "data":
        lost = _omitted(base, one)
        changed = {
            name: held.drop_sel(dataset=lost) if "dataset" in held.dims else held
            for name, held in changed.items()
        }
    record = (
        {"prior": in_words(one.options["prior"], "")}
        if one.options.get("prior") is not None
        else {}
    )
    record |= {name: one.options[name] for name in ("spread",) if name in one.options}
    changed["posterior"] = changed["posterior"].assign_attrs(record)
    return to_container(changed), k


def _omitted(base: Alternative, one: Alternative) -> list[Any]:
    retained = one.evidence["dataset"].values.tolist()
    return [name for name in base.evidence["dataset"].values.tolist() if name not in retained]


def _log_ratio(
    base: Alternative, one: Alternative, groups: dict[str, xr.Dataset], known: dict[str, Any]
) -> xr.DataArray | None:
    """Return the log ratio (chain, draw) of the posterior densities of the alternative and of the base, but a constant.

    None if the ratio is not known: another model, draws without a sampler, or a score of a learned
    prevalence.
    """
    same = (
        one.model == base.model
        and isinstance(base.model, str)
        and isinstance(base.evidence, xr.DataArray)
    )
    if not same or "sample_stats" not in groups or one.kind not in ("prior", "data"):
        return None
    instance, posterior = make_model(base.model, base.evidence, base.options), groups["posterior"]
    if not hasattr(instance, "log_likelihood_of_datasets"):
        return None
    if getattr(instance, "learns_shares", False) and one.score.depends_on_prevalence:
        return None
    if one.kind == "prior":
        instance_of_other = make_model(one.model, one.evidence, one.options)
        ratio = instance_of_other.log_prior(posterior) - instance.log_prior(posterior)
        return ratio.to_array("part").sum("part")
    rest = one.evidence.sum([dim for dim in one.evidence.dims if dim != "entity"])
    lost = _omitted(base, one)
    if not bool((rest > 0).all()) or len(lost) != 1 or one.evidence.sizes["dataset"] < 2:
        return None
    if make_model(one.model, one.evidence, one.options).terms != instance.terms:
        return None
    if "datasets" not in known:
        known["datasets"] = instance.log_likelihood_of_datasets(posterior)["counts"]
    return -select_names(known["datasets"], dataset=lost[0], drop=True)
