"""What a reader must know of the evidence before the ranking: sentences that verdict, command and report put first."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank import _format
from bayesrank._compat import groups_of, import_arviz, is_container
from bayesrank.counts import parts_of
from bayesrank.performance import OUTCOME_DIMS, as_performance, draw_dims, observed_counts
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
    lines = _sampling(groups, values)
    if score is not None and score.depends_on_prevalence and (counts is not None or groups):
        lines += _prevalences(as_performance(source, kind), score) + _designed(score, about)
    if counts is not None:
        parts = parts_of(counts)
        lines += pooling_notes(parts, score) if parts is not None and score is not None else []
        lines += (_same_cases(counts) if groups else []) + _few_cases(counts)
    return lines


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


def _prevalences(performance: xr.DataArray, score: Score) -> list[str]:
    """Whether entities stand at different prevalences, by more than their uncertainty."""
    if set(OUTCOME_DIMS) - set(performance.dims) or "entity" not in performance.dims:
        return []
    share = performance.sum("predicted", skipna=False)
    draws = draw_dims(share)
    mean, variance = (share.mean(draws), share.var(draws)) if draws else (share, share * 0.0)
    over = [d for d in mean.dims if d not in ("entity", "actual")]
    mean, variance = (x.mean(over).transpose("entity", "actual") for x in (mean, variance))
    if mean.isnull().all():
        return []
    width = mean.max("entity") - mean.min("entity")
    label = width["actual"].values[int(width.argmax())] if mean.sizes["actual"] > 2 else mean["actual"].values[-1]
    m, v = mean.sel(actual=label), variance.sel(actual=label)
    low, high = int(m.argmin()), int(m.argmax())
    if float(m[high] - m[low]) <= max(2 * float(np.sqrt(v[high] + v[low])), 1e-9):
        return []
    names = m["entity"].values if "entity" in m.coords else np.arange(m.size)
    what = "prevalence" if mean.sizes["actual"] == 2 else f"share of the class {str(label)!r}"
    return [
        f"The {what} differs between entities, from {float(m[low]):.3g} ({names[low]}) to {float(m[high]):.3g} "
        f"({names[high]}), and {score.name} depends on it: part of this order may belong to the test sets."
    ]


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
    sets = [name for name in counts["test_set"].values.ravel().tolist() if name]
    shared = sum(name in {other for other in sets if sets.count(other) > 1} for name in sets)
    if not shared:
        return []
    who = "All entities" if len(set(sets)) == 1 else f"{shared} of {len(sets)} entities"
    guess = "" if counts["test_set"].attrs.get("named") else ", as equal class sizes suggest"
    return [
        f"{who} met the same cases as others{guess}; their errors are taken as independent, since matrices do not "
        "tell how they overlap."
    ]


def _few_cases(counts: xr.DataArray) -> list[str]:
    """Which classes have so few cases that only the prior, or mostly the prior, speaks of them."""
    cases = counts.sum([d for d in counts.dims if d not in ("entity", "actual")]).transpose("entity", "actual")
    names, classes = (cases[d].values if d in cases.coords else np.arange(cases.sizes[d]) for d in cases.dims)
    lines = []
    for label, column in zip(classes, cases.values.T, strict=True):
        without = [str(name) for name in names[column == 0]]
        if without:
            lines.append(f"No case of the class {str(label)!r}, so only the prior says how it is told: {_some(without)}.")
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
