"""Summaries of draws of OPS, and drift: changes between periods and their causes."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._checks import check_choice, check_prob, describe_value
from bayesrank._compat import is_container
from bayesrank._draws import ERROR, Batches, BatchSums, EffectiveDraws, draw_dims, mean_error, reduce, share_error
from bayesrank._errors import ArgumentError, ArgumentTypeError
from bayesrank._labels import check_positive
from bayesrank._types import Container, ScoreLike
from bayesrank.models import in_closed_form
from bayesrank.ops.prevalence import closest_free, prevalence_free
from bayesrank.ops.references import Reference, below, check_reference
from bayesrank.ops.values import labelled, orient
from bayesrank.performance import as_performance
from bayesrank.scores import as_score
from bayesrank.scores.score import cells_at


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
        ``mean``, ``sd``, ``lower``, ``upper``, and ``negative``, P(value < 0), with its Monte-Carlo standard error
        ``negative_error``; over the defined draws. NaN if half the draws or more are undefined.

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
    known = ops.notnull().mean(draws) > 0.5
    tail = (1 - prob) / 2
    some = ops.where(known, 0.0)  # avoid warnings for entries that become NaN below
    ends = some.quantile([tail, 1 - tail], draws)
    result = {
        "mean": some.mean(draws),
        "sd": some.std(draws),
        "lower": ends.isel(quantile=0, drop=True),
        "upper": ends.isel(quantile=1, drop=True),
    } | dict(zip(("negative", "negative_error"), below_zero(ops), strict=True))
    return xr.Dataset({name: values.where(known) for name, values in result.items()}).assign_attrs(prob=prob)


def below_zero(values: xr.DataArray) -> tuple[xr.DataArray, xr.DataArray]:
    """Return the probability of a value below 0 among the defined draws, and its Monte-Carlo standard error."""
    draws = draw_dims(values)
    batches = Batches.of(values)

    def share(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rows = x.reshape(-1, batches.number).T
        sums, sizes = (reduce(1.0 * part, BatchSums(), batches=batches)[0] for part in (rows < 0, ~np.isnan(rows)))
        [effective] = reduce(rows, EffectiveDraws(), batches=batches)
        number = np.where(sizes.any(axis=0), sizes.sum(axis=0), np.nan)
        probability = sums.sum(axis=0) / number
        error = share_error(probability, mean_error(sums, sizes), number, effective * number / batches.number)
        shape = x.shape[: x.ndim - len(draws)]
        return probability.reshape(shape), error.reshape(shape)

    chunked = values if values.chunks is None else values.chunk(dict.fromkeys(draws, -1))
    probability, error = xr.apply_ufunc(
        share, chunked, input_core_dims=[draws], output_core_dims=[[], []], dask="parallelized",
        output_dtypes=[np.float64, np.float64],
    )  # fmt: skip
    return probability, error.assign_attrs(method=ERROR)


def drift(
    source: Container | Mapping[Any, Container],
    score: ScoreLike,
    *,
    baseline: Any = None,
    prob: float = 0.95,
    reference: Reference | None = None,
    kind: str | None = None,
) -> xr.Dataset:
    """Return the changes of OPS between periods, split into a prevalence part and a rate part.

    OPS of most scores depends on the prevalence even at fixed rates, so a lower OPS does not imply a worse classifier.
    Each part is the mean over both orders of changing prevalence and rates; the parts sum to the change.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData, DataTree or mapping
        Two-class performances over ``dataset``, the periods in order of time; or a mapping from the name of each period
        to its performance.
    score, reference, kind
        As for :func:`of_draws`.
    baseline : label, optional
        The period to compare all others with; by default each is compared with the previous one.
    prob : float
        Probability of the credible intervals.

    Returns
    -------
    xarray.Dataset
        ``ops`` (..., dataset) and ``change`` (..., dataset, part), with the parts "total", "prevalence" and "rates";
        NaN for a period without a comparison. With draws also their ``_mean``, ``_lower`` and ``_upper``; and
        ``degraded``, P(rate part < 0), with its Monte-Carlo standard error ``degraded_error``. If one rate fell and the
        other rose, ``degraded`` may depend on the score. The attrs ``monitor`` and ``monitor_agreement`` name a score
        to monitor instead, whose OPS does not depend on the prevalence, and its rank correlation with the score at the
        mean prevalence. It is the score itself if its OPS does not depend on the prevalence; otherwise balanced
        accuracy, PPV or NPV.

    Raises
    ------
    ValueError
        If there are fewer than two periods, or they share random draws.

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
        raise ArgumentError("source", "must hold two or more periods along dataset", labels)
    if baseline is not None:
        check_choice("baseline", baseline, labels)
    later = [i for i, label in enumerate(labels) if (i > 0 if baseline is None else label != baseline)]
    earlier = [i - 1 if baseline is None else labels.index(baseline) for i in later]
    share = _check_apart(rates, labels)

    def of_rates(fpr: np.ndarray, tpr: np.ndarray, prevalence: np.ndarray) -> np.ndarray:
        return below(reference, score, score.of_cells(*cells_at(fpr, tpr, prevalence)), prevalence)

    def ops(state: xr.Dataset) -> xr.DataArray:
        arrays = [state[name] for name in ("fpr", "tpr", "prevalence")]
        return xr.apply_ufunc(of_rates, *arrays, dask="parallelized", output_dtypes=[np.float64])

    rates = rates.assign_coords(dataset=labels)
    after = rates.isel(dataset=later)
    before = rates.isel(dataset=earlier).assign_coords(dataset=after["dataset"])
    first, last = ops(before), ops(after)
    # The rates of the later period at the earlier prevalence, and the reverse.
    moved, shifted = (
        ops(one.assign(prevalence=other["prevalence"])) for one, other in ((after, before), (before, after))
    )
    parts = {
        "total": last - first,
        "prevalence": ((shifted - first) + (last - moved)) / 2,
        "rates": ((moved - first) + (last - shifted)) / 2,
    }
    change = xr.concat(list(parts.values()), "part").assign_coords(part=list(parts)).transpose(..., "part")
    # A period without a comparison has no change: NaN.
    out = xr.Dataset({"ops": labelled(ops(rates)), "change": change.reindex(dataset=labels)})
    monitor, agreement = (score.name, 1.0) if prevalence_free(score) else closest_free(score, share)
    out = out.assign_attrs(score=score.name, prob=prob, baseline="previous" if baseline is None else str(baseline))
    out = out.assign_attrs(monitor=monitor, monitor_agreement=agreement)
    if not draw_dims(out["ops"]):
        return out
    for name in ("ops", "change"):
        summary = summarize(out[name], prob=prob)
        out.update({f"{name}_{what}": summary[what] for what in ("mean", "lower", "upper")})
    degraded = (found.reindex(dataset=labels) for found in below_zero(change.sel(part="rates", drop=True)))
    return out.assign(dict(zip(("degraded", "degraded_error"), degraded, strict=True)))


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
    # A few draws suffice for the check, and all rates are computed together, so that lazy data are read once.
    first = rates.isel({d: slice(0, 3) for d in dims}).reset_coords(drop=True).compute()
    for name, rate in first.items():
        values = rate.transpose(*dims, "dataset", ...).values
        flat = values.reshape(int(np.prod(values.shape[: len(dims)])), len(labels), -1)
        varies = ~np.isclose(flat, flat[:1], rtol=1e-9, atol=0).all(axis=0)
        for i, label in enumerate(labels[:-1]):
            # Rates of the same draw at two prevalences differ by rounding, as do known shares.
            same = np.isclose(flat[:, i + 1 :], flat[:, i : i + 1], rtol=1e-9, atol=0).all(axis=0) & varies[i]
            if same.any():
                other = labels[i + 1 + int(np.argwhere(same)[0, 0])]
                raise ArgumentError(
                    "source",
                    f"must hold independent draws of every period; {label!r} and {other!r} have the same draws "
                    f"of the {name} (fit each period with a seed of its own, or all as data sets of one fit)",
                )
    mean = float(first["prevalence"].mean())
    return 0.5 if np.isnan(mean) else min(max(mean, 1e-3), 1 - 1e-3)


def _periods(source: Any, kind: str | None) -> xr.DataArray:
    if not isinstance(source, Mapping) or isinstance(source, xr.Dataset) or is_container(source):
        performance = as_performance(source, kind)
        if "dataset" not in performance.dims:
            separate = f"br.fit(counts, {in_closed_form()[0]!r}) fits each data set on its own"
            raise ArgumentError("source", "must have the dim dataset", performance.dims, separate)
        return performance
    if not source:
        raise ArgumentError("source", "must hold two or more periods", "none")
    each = [as_performance(one, kind) for one in source.values()]
    sizes = {tuple(one.sizes[d] for d in draw_dims(one)) for one in each}
    if len(sizes) > 1:
        raise ArgumentError("source", "must hold the same numbers of chains and draws in every period", sorted(sizes))
    if any("dataset" in one.dims for one in each):
        raise ArgumentError("source", "must hold one data set for each period of a mapping", "several for one")
    return xr.concat(each, pd.Index(list(source), name="dataset"))
