"""Summaries of draws of OPS, and drift: changes between periods and their causes.

OPS depends on the prevalence even at fixed rates, so a lower OPS does not imply a worse classifier. Each change is
split into a prevalence part at fixed rates, and a rate part at fixed prevalence.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._checks import check_choice, check_prob, describe_value
from bayesrank._compat import is_container
from bayesrank._draws import ERROR, Batches, BatchSums, draw_dims, efficiency, mean_error, reduce, share_error
from bayesrank._labels import check_positive
from bayesrank._types import Container, ScoreLike
from bayesrank.ops.references import Reference, below, check_reference
from bayesrank.ops.values import labelled, orient
from bayesrank.performance import as_performance, two_class_cells
from bayesrank.scores.score import cells_at

__all__ = ["below_zero", "drift", "summarize"]


def summarize(ops: xr.DataArray, *, prob: float = 0.95) -> xr.Dataset:
    """Return the posterior mean, standard deviation and equal-tailed credible interval of OPS, or of a difference.

    Parameters
    ----------
    ops : xarray.DataArray
        OPS with the dims ``chain`` and ``draw``.
    prob : float
        Probability of the interval.

    Returns
    -------
    xarray.Dataset
        ``mean``, ``sd``, ``lower``, ``upper``, and ``negative``, P(value < 0), with its Monte-Carlo standard error
        ``negative_error``; over the defined draws. NaN if half the draws or more are undefined.

    Raises
    ------
    ValueError
        If there are no draws, or ``prob`` is not between 0 and 1.

    Examples
    --------
    >>> import bayesrank as br
    >>> spring = br.fit(br.from_counts(tn=880, fp=20, fn=40, tp=60), seed=1)
    >>> autumn = br.fit(br.from_counts(tn=600, fp=100, fn=120, tp=180), seed=2)
    >>> change = summarize(br.ops.of_draws(autumn, "f1") - br.ops.of_draws(spring, "f1"))
    >>> bool((change.upper < 0).all())
    True
    """
    if not isinstance(ops, xr.DataArray):
        raise TypeError(f"ops must be a DataArray; got {describe_value(ops)}")
    draws = draw_dims(ops)
    if not draws:
        raise ValueError(f"ops must have the dims chain and draw, or sample; got {ops.dims}")
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
        defined = ~np.isnan(rows)
        number = defined.sum(axis=0).astype(float)
        number[number == 0] = np.nan
        off = rows - np.where(defined, rows, 0.0).sum(axis=0) / number
        below, sizes, sums = (
            reduce(each, BatchSums(), batches=batches)[0] for each in (1.0 * (rows < 0), 1.0 * defined, off)
        )
        probability = below.sum(axis=0) / number
        variance = np.where(defined, off**2, 0.0).sum(axis=0) / number
        effective = number * efficiency(variance, number * mean_error(sums, sizes) ** 2)
        error = share_error(probability, mean_error(below, sizes), number, effective)
        shape = x.shape[: x.ndim - len(draws)]
        return probability.reshape(shape), error.reshape(shape)

    chunked = values if values.chunks is None else values.chunk(dict.fromkeys(draws, -1))
    probability, error = xr.apply_ufunc(
        share, chunked, input_core_dims=[draws], output_core_dims=[[], []], dask="parallelized",
        output_dtypes=[np.float64, np.float64],
    )  # fmt: skip
    return probability, error.assign_attrs(method=ERROR)


PARTS = ("total", "prevalence", "rates")
LAZILY: dict[str, Any] = {"dask": "parallelized", "output_dtypes": [np.float64]}


def drift(
    source: Container,
    score: ScoreLike,
    *,
    baseline: Any = None,
    dim: str = "dataset",
    prob: float = 0.95,
    reference: Reference | None = None,
    kind: str | None = None,
) -> xr.Dataset:
    """Return the changes of OPS between periods, split into a prevalence part and a rate part.

    Each part is the mean over both orders of changing prevalence and rates; the parts sum exactly to the change.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData, DataTree or mapping
        Two-class performances with the dim ``dim``, periods in order of time; or a mapping from the name of each
        period to its performance.
    score : Score, str or callable
        Any score with a direction.
    baseline : label, optional
        The period to compare all others with; by default each is compared with the previous one.
    dim : str
        The dim of the periods.
    prob : float
        Probability of the credible intervals.
    reference : Distribution or Sample, optional
        The performances to compare with; uniform distribution by default.
    kind : str, optional
        Which performance of the posterior, as in :func:`bayesrank.as_performance`.

    Returns
    -------
    xarray.Dataset
        ``ops`` (..., period) and ``change`` (..., period, part), with the parts "total", "prevalence" and "rates"; NaN
        for a period without a comparison. With draws also their ``_mean``, ``_lower`` and ``_upper``; ``degraded``,
        P(rate part < 0); and ``tpr_fell`` and ``tnr_fell``, the probabilities that each rate is lower. Monte-Carlo
        standard errors are ``<name>_error``.

    Raises
    ------
    ValueError
        If there are fewer than two periods, or the baseline is not a period.

    Notes
    -----
    If one rate fell and the other rose, scores may disagree. ``degraded`` refers to the given score; ``tpr_fell`` and
    ``tnr_fell`` show what changed.

    Examples
    --------
    >>> import bayesrank as br
    >>> # The same rates (TPR 0.9, TNR 0.8), at prevalences of 0.5 and 0.05: F1 and its OPS fall, nothing degraded.
    >>> periods = {
    ...     "spring": br.fit(br.from_counts(tn=800, fp=200, fn=100, tp=900), draws=500, seed=1),
    ...     "autumn": br.fit(br.from_counts(tn=15200, fp=3800, fn=100, tp=900), draws=500, seed=2),
    ... }
    >>> result = drift(periods, "f1")
    >>> autumn = result.change_mean.sel(dataset="autumn").isel(entity=0)
    >>> abs(autumn.sel(part="rates").item()) < 0.01 < 0.02 < -autumn.sel(part="prevalence").item()
    True
    """
    score, reference, prob = orient(score), check_reference(reference), check_prob("prob", prob)
    # NaN marks an unmeasured period; a coord would conflict between periods.
    performance = _periods(source, dim, kind).drop_vars("measured", errors="ignore")
    labels = performance[dim].values.tolist() if dim in performance.coords else list(range(performance.sizes[dim]))
    rates = _rates(performance)
    before, after = _pairs(rates, dim, labels, baseline)
    _check_apart(rates, dim, labels)

    def ops(fpr: np.ndarray, tpr: np.ndarray, prevalence: np.ndarray) -> np.ndarray:
        return below(reference, score, score.of_cells(*cells_at(fpr, tpr, prevalence)), prevalence)

    change = _split(ops, before, after)
    out = xr.Dataset(
        {
            "ops": labelled(xr.apply_ufunc(ops, *rates.values(), **LAZILY).assign_coords({dim: labels})),
            # A period without a comparison has no change: NaN.
            "change": change.reindex({dim: labels}),
        }
    ).assign_attrs(score=score.name, prob=prob, baseline="previous" if baseline is None else str(baseline))
    if not draw_dims(out["ops"]):
        return out
    for name in ("ops", "change"):
        summary = summarize(out[name], prob=prob)
        out.update({f"{name}_{what}": summary[what] for what in ("mean", "lower", "upper")})
    fallen = {
        "degraded": change.sel(part="rates", drop=True),
        "tpr_fell": after["tpr"] - before["tpr"],
        "tnr_fell": before["fpr"] - after["fpr"],
    }
    for name, values in fallen.items():
        probability, error = below_zero(values)
        out[name], out[f"{name}_error"] = (found.reindex({dim: labels}) for found in (probability, error))
    return out


def _rates(performance: xr.DataArray) -> dict[str, xr.DataArray]:
    """Return both rates and the prevalence; NaN where a class has no share."""
    check_positive(performance, "changes of both rates")
    cells = two_class_cells(performance)
    positive = cells["fn"] + cells["tp"]
    return {
        "fpr": cells["fp"] / (1 - positive).where(positive < 1),
        "tpr": cells["tp"] / positive.where(positive > 0),
        "prevalence": positive,
    }


def _pairs(
    rates: dict[str, xr.DataArray], dim: str, labels: list, baseline: Any
) -> tuple[dict[str, xr.DataArray], dict[str, xr.DataArray]]:
    """Return the rates before and after, along the compared periods: against the baseline, or the previous period."""
    if len(labels) < 2:
        raise ValueError(f"source must hold two or more periods along {dim}; got {labels}")
    if baseline is not None:
        check_choice("baseline", baseline, labels)
    later = [i for i, label in enumerate(labels) if (i > 0 if baseline is None else label != baseline)]
    earlier = [i - 1 if baseline is None else labels.index(baseline) for i in later]
    names = [labels[i] for i in later]
    before, after = (
        {name: rate.isel({dim: at}).assign_coords({dim: names}) for name, rate in rates.items()}
        for at in (earlier, later)
    )
    return before, after


def _split(
    ops: Callable[..., np.ndarray], before: dict[str, xr.DataArray], after: dict[str, xr.DataArray]
) -> xr.DataArray:
    """Return the changes of OPS (..., part): in total, and in parts that are means over both orders."""

    def split(*states: np.ndarray) -> np.ndarray:
        (x0, y0, p0), (x1, y1, p1) = states[:3], states[3:]
        first, last, moved, shifted = ops(x0, y0, p0), ops(x1, y1, p1), ops(x1, y1, p0), ops(x0, y0, p1)
        prevalence = ((shifted - first) + (last - moved)) / 2
        return np.stack([last - first, prevalence, ((moved - first) + (last - shifted)) / 2], axis=-1)

    change = xr.apply_ufunc(
        split,
        *before.values(),
        *after.values(),
        output_core_dims=[["part"]],
        dask_gufunc_kwargs={"output_sizes": {"part": len(PARTS)}},
        **LAZILY,
    )
    return change.assign_coords(part=list(PARTS))


def _check_apart(rates: dict[str, xr.DataArray], dim: str, labels: list) -> None:
    """Raise if periods share random draws: the uncertainty of their differences would be too small.

    Two fits with one seed and the same data share draws; constant values are not draws. A few draws of a lazy posterior
    suffice for the check.
    """
    dims = draw_dims(rates["prevalence"])
    few = {d: slice(0, 3) for d in dims}
    # Compute both together, so that lazy data are read once.
    first = xr.Dataset({name: rate.isel(few).reset_coords(drop=True) for name, rate in rates.items()}).compute()
    for name, rate in first.items():
        values = rate.transpose(*dims, dim, ...).values
        flat = values.reshape(int(np.prod(values.shape[: len(dims)])), len(labels), -1)
        varies = ~np.isclose(flat, flat[:1], rtol=1e-9, atol=0).all(axis=0)
        for i, label in enumerate(labels[:-1]):
            # Rates of the same draw at two prevalences differ by rounding, as do known shares.
            same = np.isclose(flat[:, i + 1 :], flat[:, i : i + 1], rtol=1e-9, atol=0).all(axis=0) & varies[i]
            if same.any():
                other = labels[i + 1 + int(np.argwhere(same)[0, 0])]
                raise ValueError(
                    f"source must hold independent draws of every period; {label!r} and {other!r} have the same draws "
                    f"of the {name} (fit each period with a seed of its own, or all as data sets of one fit)"
                )


def _periods(source: Any, dim: str, kind: str | None) -> xr.DataArray:
    """Return the performances of all periods along ``dim``."""
    if not isinstance(dim, str):
        raise TypeError(f"dim must be the name of a dim; got {describe_value(dim)}")
    if not isinstance(source, Mapping) or isinstance(source, xr.Dataset) or is_container(source):
        performance = as_performance(source, kind)
        if dim not in performance.dims:
            raise ValueError(f"source must have the dim {dim}; got {performance.dims}")
        return performance
    if not source:
        raise ValueError("source must hold two or more periods; got none")
    each = [as_performance(one, kind) for one in source.values()]
    sizes = {tuple(one.sizes[d] for d in draw_dims(one)) for one in each}
    if len(sizes) > 1:
        raise ValueError(f"source must hold the same numbers of chains and draws in every period; got {sorted(sizes)}")
    taken = sorted({str(d) for one in each for d in one.dims})
    if dim in taken:
        raise ValueError(f"dim must be a new name for the periods of a mapping, not in {taken}; got {dim!r}")
    return xr.concat(each, pd.Index(list(source), name=dim))
