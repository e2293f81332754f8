"""What a reader must know of the evidence before the ranking: sentences that verdict, command and report put first."""

from collections import Counter
from typing import Any

import numpy as np
import xarray as xr

from bayesrank import _format
from bayesrank._compat import groups_of, import_arviz, is_container
from bayesrank.counts import parts_of
from bayesrank.performance import OUTCOME_DIMS, as_performance, draw_dims, observed_counts, outcome_dims
from bayesrank.pooling import pooling_notes
from bayesrank.scores import Score

__all__ = ["source_notes"]

#: A class with fewer cases leaves its rates to the prior.
FEW = 10
#: Chains that agree have an R-hat below this, and at least so many effective draws each (Vehtari et al. 2021).
RHAT, EFFECTIVE = 1.01, 100
NAMED = 3


def source_notes(source: Any, score: Score | None, values: xr.DataArray, kind: str | None = None) -> list[str]:
    """Sentences on what the evidence behind a ranking cannot carry.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        What is ranked.
    score : Score or None
        By which score, if it is one.
    values : DataArray
        Its draws.
    kind : str, optional
        Which performance of the posterior.
    """
    groups = groups_of(source) if is_container(source) else {}
    about = groups["posterior"].attrs if "posterior" in groups else {}
    counts = observed_counts(source)
    lines = _sampling(groups, values) + ([str(about["note"])] if "note" in about else [])
    if score is not None and score.depends_on_prevalence and _is_table(source, kind):
        lines += _prevalences(*_shares(source, counts, about, kind), score) + _designed(score, about)
    if counts is not None:
        parts = parts_of(counts)
        lines += pooling_notes(parts, score) if parts is not None and score is not None else []
        # A paired model was told how errors overlap.
        told = not groups or about.get("paired")
        lines += ([] if told else _same_cases(counts)) + _few_cases(counts)
    return lines


def _is_table(source: Any, kind: str | None) -> bool:
    """Whether what is ranked are tables of several entities (in memory, or at least with their counts)."""
    if isinstance(source, xr.DataArray) and not outcome_dims(source):
        return False
    array = as_performance(source, kind)
    return {"entity", *OUTCOME_DIMS} <= set(array.dims) and (
        array.chunks is None or observed_counts(source) is not None
    )


def _sampling(groups: dict[str, xr.Dataset], values: xr.DataArray) -> list[str]:
    """Whether the sampler's chains can be trusted, of what is ranked."""
    if "sample_stats" not in groups:
        return []
    found = sampling(groups, values)
    wrong = []
    if found["divergences"]:
        wrong.append(_format.count(found["divergences"], "divergence"))
    if found["rhat"] > RHAT:
        wrong.append(f"R-hat up to {found['rhat']:.2f}")
    if found["effective"] < EFFECTIVE * values.sizes.get("chain", 1):
        wrong.append(f"only {found['effective']:.0f} effective draws")
    if not wrong:
        return []
    return [
        f"The sampler did not settle ({', '.join(wrong)}): do not rely on these numbers yet. More draws and tuning, or "
        "nuts={'target_accept': 0.95}, may help; else the model."
    ]


def sampling(groups: dict[str, xr.Dataset], values: xr.DataArray) -> dict[str, Any]:
    """Divergences, largest R-hat and smallest bulk effective sample size of sampled values."""
    az = import_arviz()
    plain = values.drop_attrs().reset_coords(drop=True).rename("x").to_dataset()
    some = bool(values.notnull().all()) and values.sizes.get("draw", 0) >= 4
    stats = groups["sample_stats"]
    return {
        "divergences": int(stats["diverging"].sum()) if "diverging" in stats else 0,
        "rhat": float(az.rhat(plain)["x"].max()) if some and values.sizes.get("chain", 1) > 1 else np.nan,
        "effective": float(az.ess(plain)["x"].min()) if some else np.nan,
    }


def _prevalences(mean: xr.DataArray, variance: xr.DataArray, score: Score) -> list[str]:
    """Whether entities stand at different prevalences (entity, actual), by more than their uncertainty."""
    two = mean.sizes["actual"] == 2
    width = mean.max("entity") - mean.min("entity")
    if not bool(width.notnull().any()):
        return []
    place = 1 if two else int(np.nanargmax(width.values))
    m, v = mean.isel(actual=place).values, variance.isel(actual=place).values
    low, high = np.nanargmin(m), np.nanargmax(m)
    if m[high] - m[low] <= max(2 * np.sqrt(v[high] + v[low]), 1e-9):
        return []
    names = mean["entity"].values if "entity" in mean.coords else np.arange(m.size)
    what = "prevalence" if two else f"share of the class {str(mean['actual'].values[place])!r}"
    return [
        f"The {what} differs between entities, from {m[low]:.3g} ({names[low]}) to {m[high]:.3g} "
        f"({names[high]}), and {score.name} depends on it: part of this order may belong to the test sets."
    ]


def _shares(
    source: Any, counts: xr.DataArray | None, about: Any, kind: str | None
) -> tuple[xr.DataArray, xr.DataArray]:
    """Mean and variance of each entity's class shares: of its cases, or else of the draws of its performance."""
    how = about.get("prevalence", "sampled")
    if counts is not None and how in ("sampled", "observed"):
        cases = counts.sum([d for d in counts.dims if d not in ("entity", "actual")]).transpose("entity", "actual")
        total = cases.sum("actual")
        mean = cases / total.where(total > 0)
        return mean, mean * (1 - mean) / total * (how == "sampled")
    share = as_performance(source, kind).sum("predicted", skipna=False)
    over = [d for d in share.dims if d not in ("entity", "actual", *draw_dims(share))]
    share = share.mean(over)
    mean, variance = share.mean(draw_dims(share)), share.var(draw_dims(share))
    return mean.transpose("entity", "actual"), variance.transpose("entity", "actual")


def _designed(score: Score, about: Any) -> list[str]:
    """Whether the score rests on a prevalence that nobody observed."""
    if about.get("prevalence", "sampled") == "sampled":
        return []
    how = "the design of the study" if about["prevalence"] == "observed" else "the analyst"
    return [
        f"{score.name} depends on the prevalence, which was not learned from the cases but set by {how}: at another "
        "prevalence the ranking may differ."
    ]


def _same_cases(counts: xr.DataArray) -> list[str]:
    """Whether entities met the same cases, so that their errors may go together."""
    if "test_set" not in counts.coords:
        return []
    sets = Counter(name for name in counts["test_set"].values.ravel().tolist() if name)
    shared = sum(size for size in sets.values() if size > 1)
    if not shared:
        return []
    who = "All entities met the same cases" if len(sets) == 1 else f"{shared} of {sets.total()} share a test set"
    guess = "" if counts["test_set"].attrs.get("named") else ", as equal class sizes suggest"
    return [f"{who}{guess}; their errors are taken as independent, since matrices do not tell how they overlap."]


def _few_cases(counts: xr.DataArray) -> list[str]:
    """Which classes have so few cases that only the prior, or mostly the prior, speaks of them."""
    cases = counts.sum([d for d in counts.dims if d not in ("entity", "actual")]).transpose("entity", "actual")
    names, classes = (cases[d].values if d in cases.coords else np.arange(cases.sizes[d]) for d in cases.dims)
    lines = []
    for label, column in zip(classes, cases.values.T, strict=True):
        without = [str(name) for name in names[column == 0]]
        if without:
            who = _some(without)
            lines.append(f"No case of the class {str(label)!r}, so only the prior says how it is told: {who}.")
    few = (cases.values > 0) & (cases.values < FEW)
    if few.any():
        entity, label = np.unravel_index(np.where(few, cases.values, FEW).argmin(), few.shape)
        many = _format.count(int(few.any(axis=1).sum()), "entity")
        lines.append(
            f"Fewer than {FEW} cases of a class for {many} (fewest: {cases.values[entity, label]} of "
            f"{str(classes[label])!r} for {names[entity]}): what depends on its rate leans on the prior."
        )
    return lines


def _some(names: list[str]) -> str:
    """A few of many names."""
    return ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
