"""Summary points of entities over many data sets, with credible and prediction regions."""

from typing import Any

import numpy as np
import xarray as xr
from scipy.special import expit, logit

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_prob
from bayesrank._core.draws import draw_dims
from bayesrank._core.errors import ArgumentError
from bayesrank._core.types import Container
from bayesrank.performance.arrays import (
    as_performance,
    observed_counts,
    only_two_classes,
    posterior_of,
)

#: Number of vertices of a region, and of points of a curve.
VERTICES, POINTS = 121, 61
#: Bound of logits, for rates that underflowed; share of the largest variance below which draws
#: count as constant.
FAR, FLAT = 30.0, 1e-12


@check_call
def summary_points(source: Container, *, prob: float = 0.95) -> xr.Dataset:
    """Return the parts of a summary ROC plot: summary points, credible and prediction regions, curves and studies.

    The regions are ellipses in the logits of FPR and TPR. Their centre is the mean of the draws,
    and their shape is that of the covariance of the draws. They contain the share ``prob`` of the
    draws. The curve shows how TPR and FPR vary together between data sets. It requires a model of
    their correlation, and is omitted without a trade-off (median correlation of TPR and TNR at
    least 0).

    Parameters
    ----------
    source : InferenceData, DataTree or Dataset
        A posterior with ``performance_typical`` and ``performance_new`` (chain, draw, entity,
        actual, predicted).
    prob : float
        Share of the draws within the regions.

    Returns
    -------
    xarray.Dataset
        - ``fpr``, ``tpr`` (entity): the summary point, medians of the typical rates;
        - ``credible_fpr``, ``credible_tpr`` (entity, vertex): the region of the typical data set;
        - ``prediction_fpr``, ``prediction_tpr`` (entity, vertex): the region of one more data set;
        - ``curve_fpr``, ``curve_tpr`` (entity, point): the summary curve over the entity's range of
          FPR, or NaN. In logits, it is the line through the medians whose slope is the ratio of the
          standard deviations;
        - ``observed_fpr``, ``observed_tpr``, ``cases`` (entity, dataset): the studies, if their
          counts are known.

    References
    ----------
    Reitsma et al. (2005), Journal of Clinical Epidemiology 58:982-990, on both regions. Rutter and
    Gatsonis (2001), Statistics in Medicine 20:2865-2884, on the curve; in these terms Harbord et
    al. (2007), Biostatistics 8:239-251.

    Examples
    --------
    >>> points = summary_points(br.fit(br.datasets.load("ascus_hc2_repc"), "hierarchical_beta_binomial", seed=1))
    >>> points["tpr"].round(2).values.tolist(), points["cases"].sizes["dataset"]
    ([0.71, 0.9], 10)
    """
    prob = check_prob("prob", prob)
    group = posterior_of(source)
    found: dict[str, Any] = {}
    for kind, region in (("typical", "credible"), ("new", "prediction")):
        table = as_performance(group, kind)
        only_two_classes(table)
        if not draw_dims(table) or "entity" not in table.dims:
            raise ArgumentError(
                "source", f"must contain draws of a {kind} performance of each entity", table.dims
            )
        logits = _logits(table)
        if kind == "typical":
            found |= _rates("", "entity", np.median(expit(logits), axis=0))
        edge = [ellipse(logits[:, i], prob, VERTICES) for i in range(logits.shape[1])]
        found |= _rates(f"{region}_", ("entity", "vertex"), expit(edge))
    found |= _rates("curve_", ("entity", "point"), _curves(group, logits.shape[1]))
    result = xr.Dataset(found, {"entity": table["entity"]} if "entity" in table.coords else {})
    counts = observed_counts(source)
    if counts is not None and "dataset" in counts.dims:
        result = result.assign(_studies(counts))
    return result.assign_attrs(prob=prob)


def _rates(prefix: str, dims: Any, both: np.ndarray) -> dict[str, Any]:
    """Return FPR and TPR (..., 2) as two variables."""
    return {f"{prefix}fpr": (dims, both[..., 0]), f"{prefix}tpr": (dims, both[..., 1])}


def _logits(table: xr.DataArray) -> np.ndarray:
    """Return the logits of FPR and TPR (draw, entity, 2), without cancellation in 1 minus a rate."""
    values = table.transpose(*draw_dims(table), "entity", "actual", "predicted").values
    cells = values.reshape(-1, *values.shape[-3:])
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.clip(np.log(cells[..., 1]) - np.log(cells[..., 0]), -FAR, FAR)


def ellipse(points: np.ndarray, prob: float, vertices: int) -> np.ndarray:
    """Return vertices (vertex, 2) of the ellipse around a share of points (draw, 2); NaN if one is undefined.

    Its centre is the mean of the points, and its shape that of their covariance.
    """
    if np.isnan(points).any():
        return np.full((vertices, 2), np.nan)
    centre = points.mean(0)
    variance, axes = np.linalg.eigh(np.cov(points.T, ddof=0))
    spread = np.sqrt(np.where(variance > FLAT * max(variance[-1], FLAT), variance, 0))
    along = (points - centre) @ axes
    scaled = np.divide(along, spread, out=np.zeros_like(along), where=spread > 0)
    radius = np.quantile(np.hypot(*scaled.T), prob)
    angle = np.linspace(0, 2 * np.pi, vertices)
    circle = np.stack([np.cos(angle), np.sin(angle)], -1)
    return centre + radius * (circle * spread) @ axes.T


def _curves(group: xr.Dataset, entities: int) -> np.ndarray:
    """Return points (entity, point, 2) of each entity's curve; NaN if there is none."""
    result = np.full((entities, POINTS, 2), np.nan)
    needed = ("median_rate", "sd_between_datasets", "correlation_between_datasets", "performance")
    if any(name not in group for name in needed) or not float(group[needed[2]].median()) < 0:
        return result
    centre = _logits(group["median_rate"])
    sd = group["sd_between_datasets"].transpose(..., "actual").values.reshape(-1, 2)
    slope = sd[:, 1] / sd[:, 0]
    observed = group["performance"]
    rate = observed.isel(predicted=1) / observed.sum("predicted", skipna=False)
    observed_rates = (
        rate.isel(actual=0).median(draw_dims(observed)).transpose("entity", "dataset").values
    )
    for i, fpr in enumerate(observed_rates):
        at = np.linspace(logit(np.nanmin(fpr)), logit(np.nanmax(fpr)), POINTS)
        line = centre[:, i, [1]] + slope[:, None] * (at - centre[:, i, [0]])
        result[i] = expit(np.stack([at, np.median(line, axis=0)], -1))
    return result


def _studies(counts: xr.DataArray) -> dict[str, xr.DataArray]:
    """Return the observed rates and sizes of each table."""
    cells = counts.drop_vars([name for name in counts.coords if name not in ("entity", "dataset")])
    total = cells.transpose("entity", "dataset", "actual", "predicted").sum("predicted")
    fpr, tpr = (
        cells.isel(actual=i, predicted=1) / total.isel(actual=i).where(lambda n: n > 0)
        for i in (0, 1)
    )
    return {"observed_fpr": fpr, "observed_tpr": tpr, "cases": total.sum("actual")}
