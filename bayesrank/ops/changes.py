"""Summaries of draws of OPS, and drift: changes between periods and their causes."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_choice, check_integer, check_prob, describe_value
from bayesrank._core.compat import is_container
from bayesrank._core.draws import (
    ERROR,
    Batches,
    BatchSums,
    EffectiveDraws,
    draw_dims,
    mean_error,
    reduce,
    share_error,
)
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.labels import check_positive
from bayesrank._core.source import Source, parse_source
from bayesrank._core.types import Container, ScoreLike
from bayesrank.evidence.kinds.base import Parts
from bayesrank.evidence.kinds.cases import CaseEvidence
from bayesrank.models import in_closed_form
from bayesrank.ops.alarms import find_alarms
from bayesrank.ops.clusters import ClusterCases, cases_of_clusters
from bayesrank.ops.prevalence import closest_free, prevalence_free
from bayesrank.ops.references import Reference, below, check_reference
from bayesrank.ops.values import labelled, orient
from bayesrank.performance import as_performance
from bayesrank.scores import as_score
from bayesrank.scores.score import cells_at


@check_call
def summarize(ops: xr.DataArray, *, prob: float = 0.95) -> xr.Dataset:
    """Return the posterior mean, standard deviation and equal-tailed credible interval of OPS, or of a difference.

    Parameters
    ----------
    ops : xarray.DataArray
        OPS with the dims ``chain`` and ``draw``.
    prob : float

    Returns
    -------
    xarray.Dataset
        ``mean``, ``sd``, ``lower``, ``upper``, and ``negative``, P(value < 0), with its Monte-Carlo
        standard error ``negative_error``; over the defined draws. NaN if half the draws or more are
        undefined.

    Examples
    --------
    >>> posterior = br.fit(br.from_counts(tn=880, fp=20, fn=40, tp=60), seed=1)
    >>> bool((summarize(br.ops.of_draws(posterior, "f1"))["lower"] > 0.9).all())
    True
    """
    if not isinstance(ops, xr.DataArray):
        raise ArgumentTypeError("ops", "must be a DataArray", describe_value(ops))
    draws = draw_dims(ops)
    if not draws:
        raise ArgumentError("ops", "must have the dims chain and draw, or sample", ops.dims)
    prob = check_prob("prob", prob)
    if ops.chunks is not None:
        ops = ops.chunk(dict.fromkeys(draws, -1))  # quantiles need all draws of an entity at once
    defined = ops.notnull().mean(draws) > 0.5
    tail = (1 - prob) / 2
    some = ops.where(defined, 0.0)  # avoid warnings for entries that become NaN below
    ends = some.quantile([tail, 1 - tail], draws)
    result = {
        "mean": some.mean(draws),
        "sd": some.std(draws),
        "lower": ends.isel(quantile=0, drop=True),
        "upper": ends.isel(quantile=1, drop=True),
    } | dict(zip(("negative", "negative_error"), below_zero(ops), strict=True))
    return xr.Dataset(
        {name: values.where(defined) for name, values in result.items()}
    ).assign_attrs(prob=prob)


def below_zero(values: xr.DataArray) -> tuple[xr.DataArray, xr.DataArray]:
    """Return the probability of a value below 0 among the defined draws, and its Monte-Carlo standard error."""
    draws = draw_dims(values)
    batches = Batches.of(values)

    def share(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rows = x.reshape(-1, batches.number).T
        sums, sizes = (
            reduce(1.0 * part, BatchSums(), batches=batches)[0]
            for part in (rows < 0, ~np.isnan(rows))
        )
        [effective] = reduce(rows, EffectiveDraws(), batches=batches)
        number = np.where(sizes.any(axis=0), sizes.sum(axis=0), np.nan)
        probability = sums.sum(axis=0) / number
        error = share_error(
            probability, mean_error(sums, sizes), number, effective * number / batches.number
        )
        shape = x.shape[: x.ndim - len(draws)]
        return probability.reshape(shape), error.reshape(shape)

    chunked = values if values.chunks is None else values.chunk(dict.fromkeys(draws, -1))
    probability, error = xr.apply_ufunc(
        share, chunked, input_core_dims=[draws], output_core_dims=[[], []], dask="parallelized",
        output_dtypes=[np.float64, np.float64],
    )  # fmt: skip
    return probability, error.assign_attrs(method=ERROR)


@check_call
def drift(
    source: Container | Mapping[Any, Container],
    score: ScoreLike,
    *,
    baseline: Any = None,
    looks: int = 24,
    prob: float = 0.95,
    reference: Reference | None = None,
    kind: str | None = None,
) -> xr.Dataset:
    """Return the changes of OPS between periods, split into a prevalence part and a rate part, and alarms on the rates.

    OPS of most scores depends on the prevalence even at fixed rates, so a lower OPS does not imply
    a worse classifier. Each part is the mean over both orders of changing prevalence and rates; the
    parts sum to the change.

    Each period after the baseline is a look. Three comparisons of each rate can raise an alarm: the
    look with the baseline, the last three looks together with the baseline, and the look with the
    one before. Cases in clusters count by the design effect of these: that of the period, or of all
    periods up to it if that is larger.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData, DataTree or mapping
        Two-class performances over ``dataset``, the periods in order of time; or a mapping from the
        name of each period to its performance.
    score, reference, kind
        As for :func:`of_draws`.
    baseline : label, optional
        The period to compare all others with, besides the previous one; by default the first.
    looks : int
        The number of successive looks in which a false alarm, of any entity and rate, has at most
        the probability 1 - ``prob``. It holds for fits of the counts of each period on its own, and
        for clusters of cases, also those that come again in later periods.
    prob : float
        Probability of the credible intervals, and of no false alarm.

    Returns
    -------
    xarray.Dataset
        ``ops`` (..., dataset) and ``change`` (..., dataset, part), the change from the previous
        period, with the parts "total", "prevalence" and "rates"; NaN for a period without a
        comparison. ``since_baseline``: the same change from the baseline, which shows a slow
        decline that no single step does. ``score``, ``tpr``, ``fpr``: the score and both rates,
        since OPS near 1 hides large changes of these.

        With draws also their ``_mean``, ``_lower`` and ``_upper``; and ``degraded`` and
        ``degraded_since_baseline``, P(rate part < 0), with Monte-Carlo standard errors ``_error``.
        If one rate fell and the other rose, ``degraded`` may depend on the score. ``alarm`` (...,
        dataset, rate, against): whether TPR fell or FPR rose against the "baseline" (alone, or the
        last three looks together) or the "previous" look; ``p_worse``: p-values, adjusted for all
        these comparisons in ``looks`` looks, so that an alarm is one of at most 1 - ``prob``.

        The attrs ``monitor`` and ``monitor_agreement`` name a score to monitor instead, whose OPS
        does not depend on the prevalence, and its rank correlation with the score at the mean
        prevalence. It is the score itself if its OPS does not depend on the prevalence; otherwise
        balanced accuracy, PPV or NPV.

    Raises
    ------
    ValueError
        If there are fewer than two periods, or they share random draws.

    References
    ----------
    Altham (1969), Exact Bayesian analysis of a 2 x 2 contingency table, and Fisher's "exact"
    significance test, Journal of the Royal Statistical Society B 31:261-269. Dunnett (1955), A
    multiple comparison procedure for comparing several treatments with a control, Journal of the
    American Statistical Association 50:1096-1121.

    Examples
    --------
    >>> spring, autumn = (br.from_counts(tn=tn, fp=tn // 4, fn=100, tp=900) for tn in (800, 15200))
    >>> change = drift({"spring": spring, "autumn": autumn}, "f1")["change"]  # a lower prevalence, the same rates
    >>> change.isel(entity=0).sel(dataset="autumn").round(3).values.tolist()
    [-0.051, -0.051, 0.0]
    """
    score, reference, prob = orient(score), check_reference(reference), check_prob("prob", prob)
    rates = _rates(_periods(source, kind))
    labels = rates["dataset"].values.tolist()
    if len(labels) < 2:
        raise ArgumentError("source", "must contain at least two periods along dataset", labels)
    looks, baseline = check_integer("looks", looks, 1), labels[0] if baseline is None else baseline
    check_choice("baseline", baseline, labels)
    first = labels.index(baseline)
    others = [i for i in range(len(labels)) if i != first]
    share = _check_apart(rates, labels)

    def of_rates(fpr: np.ndarray, tpr: np.ndarray, prevalence: np.ndarray) -> np.ndarray:
        return below(reference, score, score.of_cells(*cells_at(fpr, tpr, prevalence)), prevalence)

    def ops(state: xr.Dataset) -> xr.DataArray:
        arrays = [state[name] for name in ("fpr", "tpr", "prevalence")]
        return xr.apply_ufunc(of_rates, *arrays, dask="parallelized", output_dtypes=[np.float64])

    rates = rates.assign_coords(dataset=labels)

    def changes(later: list[int], earlier: list[int]) -> xr.DataArray:
        after = rates.isel(dataset=later)
        before = rates.isel(dataset=earlier).assign_coords(dataset=after["dataset"])
        return _parts_of_change(ops, before, after)

    change = changes([*range(1, len(labels))], [*range(len(labels) - 1)])
    since = changes(others, [first] * len(others))
    value = xr.apply_ufunc(
        lambda *cells: score.of_cells(*cells_at(*cells)),
        *(rates[name] for name in ("fpr", "tpr", "prevalence")),
        dask="parallelized",
        output_dtypes=[np.float64],
    )
    # A period without a comparison has no change: NaN.
    out = xr.Dataset({"ops": labelled(ops(rates)), "change": change.reindex(dataset=labels)})
    out = out.assign(
        {"since_baseline": since.reindex(dataset=labels), "score": value, **rates[["tpr", "fpr"]]}
    )
    monitor, agreement = (score.name, 1.0) if prevalence_free(score) else closest_free(score, share)
    out = out.assign_attrs(score=score.name, prob=prob, baseline=str(baseline), looks=looks)
    out = out.assign_attrs(monitor=monitor, monitor_agreement=agreement)
    if not draw_dims(out["ops"]):
        return out
    for name in ("ops", "change", "since_baseline", "score", "tpr", "fpr"):
        summary = summarize(out[name], prob=prob)
        out.update({f"{name}_{what}": summary[what] for what in ("mean", "lower", "upper")})
    for name, part in (("degraded", change), ("degraded_since_baseline", since)):
        by_part = (
            each.reindex(dataset=labels) for each in below_zero(part.sel(part="rates", drop=True))
        )
        out.update(dict(zip((name, f"{name}_error"), by_part, strict=True)))
    if (called := {one.words.noun for one in _sources(source)} - {""}) and len(called) == 1:
        out = out.assign_attrs(noun=called.pop())
    clusters = _clusters(source, rates)
    out.update(find_alarms(rates, first, looks, 1 - prob, clusters))
    return out if clusters is None else out.assign_attrs(unit="clusters")


def _clusters(source: Any, rates: xr.Dataset) -> ClusterCases | None:
    """Return the effective cases of each period, if the posteriors have clusters; else None."""
    labels = rates["dataset"].values.tolist()
    several = _is_mapping(source)
    sources = _sources(source)
    evidence_of_periods = [
        CaseEvidence.parse(Parts(one.observed, one.model, one.assembled)) for one in sources
    ]
    clustered = [
        one
        for one in evidence_of_periods
        if one is not None and one.clustered and one.actual is not None
    ]
    if not clustered or "entity" not in rates["tpr"].dims:
        return None
    if len(clustered) < len(evidence_of_periods):
        lacking = labels[
            next(i for i, one in enumerate(evidence_of_periods) if one is None or not one.clustered)
        ]
        raise ArgumentError(
            "source", "must have clusters in all periods or in no period", f"none in {lacking!r}"
        )
    periods = clustered if several else [clustered[0].on(label) for label in labels]
    positive = sources[0].observed["actual"].values.tolist()[-1]
    return cases_of_clusters(periods, rates["entity"].values.tolist(), positive)


def _parts_of_change(
    ops: Callable[[xr.Dataset], xr.DataArray], before: xr.Dataset, after: xr.Dataset
) -> xr.DataArray:
    """Return the change of OPS between rates and prevalences of the same periods (..., part)."""
    first, last = ops(before), ops(after)
    # The rates of the later period at the earlier prevalence, and the reverse.
    moved, shifted = (
        ops(one.assign(prevalence=other["prevalence"]))
        for one, other in ((after, before), (before, after))
    )
    parts = {
        "total": last - first,
        "prevalence": ((shifted - first) + (last - moved)) / 2,
        "rates": ((moved - first) + (last - shifted)) / 2,
    }
    return (
        xr.concat(list(parts.values()), "part")
        .assign_coords(part=list(parts))
        .transpose(..., "part")
    )


def _rates(performance: xr.DataArray) -> xr.Dataset:
    """Return both rates and the prevalence; NaN where a class has no share."""
    check_positive(performance, "changes of both rates")
    rates = xr.Dataset({name: as_score(name)(performance) for name in ("fpr", "tpr", "prevalence")})
    # NaN marks an unmeasured period; a coord would conflict between periods.
    return rates.drop_attrs().drop_vars("measured", errors="ignore")


def _check_apart(rates: xr.Dataset, labels: list) -> float:
    """Return a mean prevalence; raise if periods share random draws, as fits with one seed may.

    Their differences would look too certain.
    """
    dims = draw_dims(rates["prevalence"])
    # A few draws suffice for the check, and all rates are computed together, so that lazy data are
    # read once.
    first = rates.isel({d: slice(0, 3) for d in dims}).reset_coords(drop=True).compute()
    for name, rate in first.items():
        values = rate.transpose(*dims, "dataset", ...).values
        flat = values.reshape(int(np.prod(values.shape[: len(dims)])), len(labels), -1)
        varies = ~np.isclose(flat, flat[:1], rtol=1e-9, atol=0).all(axis=0)
        for i, label in enumerate(labels[:-1]):
            # Rates of the same draw at two prevalences differ by rounding, as do known shares.
            same = (
                np.isclose(flat[:, i + 1 :], flat[:, i : i + 1], rtol=1e-9, atol=0).all(axis=0)
                & varies[i]
            )
            if same.any():
                second = labels[i + 1 + int(np.argwhere(same)[0, 0])]
                raise ArgumentError(
                    "source",
                    f"must contain independent draws of every period; {label!r} and {second!r} have the same draws "
                    f"of the {name} (fit each period with a seed of its own, or all as data sets of one fit)",
                )
    mean = float(first["prevalence"].mean())
    return 0.5 if np.isnan(mean) else min(max(mean, 1e-3), 1 - 1e-3)


def _sources(source: Any) -> list[Source]:
    """Return the sources of a mapping, or the only one."""
    return (
        [parse_source(one) for one in source.values()]
        if _is_mapping(source)
        else [parse_source(source)]
    )


def _is_mapping(source: Any) -> bool:
    """Return whether the source is a mapping from periods to their sources."""
    return (
        isinstance(source, Mapping)
        and not isinstance(source, xr.Dataset)
        and not is_container(source)
    )


def _periods(source: Any, kind: str | None) -> xr.DataArray:
    if not _is_mapping(source):
        performance = as_performance(source, kind)
        if "dataset" not in performance.dims:
            separate = f"br.fit(counts, {in_closed_form()[0]!r}) fits each data set on its own"
            raise ArgumentError("source", "must have the dim dataset", performance.dims, separate)
        return performance
    if not source:
        raise ArgumentError("source", "must contain at least two periods", "none")
    performances = [as_performance(one, kind) for one in source.values()]
    sizes = {tuple(one.sizes[d] for d in draw_dims(one)) for one in performances}
    if len(sizes) > 1:
        raise ArgumentError(
            "source",
            "must contain the same numbers of chains and draws in every period",
            sorted(sizes),
        )
    if any("dataset" in one.dims for one in performances):
        raise ArgumentError(
            "source", "must contain one data set for each period of a mapping", "several for one"
        )
    return xr.concat(performances, pd.Index(list(source), name="dataset"))
