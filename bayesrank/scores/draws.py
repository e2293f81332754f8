"""Summaries of draws of scores: differences to one entity, prior and posterior histograms, regions in ROC space."""

from typing import Any

import numpy as np
import xarray as xr
from scipy.special import ndtr, ndtri

from bayesrank._checks import check_choice, check_integer, check_number, check_prob
from bayesrank._draws import draw_dims, load_arrays
from bayesrank.performance.arrays import name_entities, two_class_performance
from bayesrank.performance.regions import ellipse

__all__ = ["differences", "histograms", "rate_regions"]


def differences(values: xr.DataArray, to: Any, rope: float = 0.0, *, prob: float = 0.95) -> xr.Dataset:
    """Return the difference of each entity to one entity: median, interval, and practical importance.

    Parameters
    ----------
    values : xarray.DataArray
        Draws of a score (chain, draw, entity).
    to : hashable
        The entity to compare with.
    rope : float
        Half-width of the region of practical equivalence, in units of the score.
    prob : float
        Credible probability of the intervals (equal tails).

    Returns
    -------
    xarray.Dataset
        ``median``, ``lower``, ``upper`` (entity), in units of the score, over draws with both defined, largest median
        first; and ``verdict`` (entity): "above" or "below" if the interval lies outside the region of practical
        equivalence, else "undecided", or "" if nothing is defined.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> differences(br.scores.f1(br.fit(counts, seed=1)), to="a", rope=0.02)["verdict"].values.tolist()
    ['above']
    """
    names = values["entity"].values.tolist()
    check_choice("to", to, names, KeyError)
    if len(names) < 2:
        raise ValueError(f"values must hold another entity to compare with {to!r}; got no other")
    rope, tail = check_number("rope", rope, 0.0, finite=True), (1 - check_prob("prob", prob)) / 2
    others = values.sel(entity=[name for name in names if name != to]) - values.sel(entity=to, drop=True)
    low, middle, high = _quantiles(others, [tail, 0.5, 1 - tail])
    order = np.argsort(-middle)
    low, middle, high = low[order], middle[order], high[order]
    verdict = np.select([low > rope, high < -rope, ~np.isnan(middle)], ["above", "below", "undecided"], "")
    columns = {"median": middle, "lower": low, "upper": high, "verdict": verdict}
    coords = {"entity": others["entity"].values[order]}
    return xr.Dataset({name: ("entity", column) for name, column in columns.items()}, coords)


def histograms(values: xr.DataArray, prior: xr.DataArray, bins: int = 80) -> xr.Dataset:
    """Return histograms of posterior and prior draws of a score, from the 0.1% to the 99.9% quantile of all draws.

    The result holds ``posterior`` and ``prior`` (entity, bin), counts of draws in bins of equal width, with the coords
    ``left`` and ``right`` (bin) in units of the score; entities by posterior median, highest first.

    Examples
    --------
    >>> import bayesrank as br
    >>> posterior = br.fit(br.from_counts(tn=70, fp=10, fn=9, tp=21), draws=500, seed=1, groups=["prior"])
    >>> found = histograms(br.scores.f1(posterior), br.scores.f1(posterior["prior"]))
    >>> bool(found["posterior"].max() > found["prior"].max())  # the data narrowed it
    True
    """
    names = values["entity"].values
    both = {
        name: np.asarray(x.transpose("entity", ...).values).reshape(len(names), -1)
        for name, x in (("posterior", values), ("prior", prior))
    }
    # Cut off the extreme tails of both.
    low, high = np.nanquantile(np.concatenate([x.ravel() for x in both.values()]), [0.001, 0.999])
    middle, reach = (low + high) / 2, max((high - low) / 2, 1e-3)  # equal draws need a width too
    edges = np.linspace(middle - reach, middle + reach, bins + 1)
    order = np.argsort(-_quantiles(values, [0.5])[0])
    return xr.Dataset(
        {name: (("entity", "bin"), [np.histogram(x[i], edges)[0] for i in order]) for name, x in both.items()},
        {"entity": names[order], "left": ("bin", edges[:-1]), "right": ("bin", edges[1:])},
    )


def rate_regions(source: Any, points: int = 181, *, prob: float = 0.95, kind: str | None = None) -> xr.Dataset:
    """Return the median rates of each entity, and a credible region in ROC space.

    The region is an ellipse in the normal scores of both rates, transformed back to rates. It lies within ROC space,
    follows the skewness and correlation of the rates, and holds the share ``prob`` of the draws. It does not extend
    beyond the draws.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances (entity, actual, predicted), with or without draws.
    points : int
        Number of points on each region's closed curve, at least 3.
    prob : float
        Credible probability of each entity's region.
    kind : str, optional
        Which performance of the posterior, as in :func:`bayesrank.as_performance`.

    Returns
    -------
    xarray.Dataset
        ``fpr``, ``tpr`` (entity), medians; with draws also ``region_fpr``, ``region_tpr`` (entity, vertex). Draws with
        an undefined rate are ignored; an entity without any other is NaN.

    Examples
    --------
    >>> import bayesrank as br
    >>> posterior = br.fit(br.from_counts(tn=70, fp=10, fn=6, tp=24, entity="a"), seed=1)
    >>> found = rate_regions(posterior, points=4)
    >>> round(found["tpr"].item(), 2), found["region_tpr"].sizes["vertex"]
    (0.79, 4)
    """
    prob, number_of = check_prob("prob", prob), check_integer("points", points, 3)
    array = name_entities(two_class_performance(source, kind, "rates of two classes"))
    dims = draw_dims(array)
    total = array.sum("predicted", skipna=False)
    [each] = load_arrays((array.isel(predicted=1) / total.where(total > 0)).transpose("entity", "actual", *dims))
    rates = each.values.reshape(array.sizes["entity"], 2, -1)
    middle, curves = np.full((len(rates), 2), np.nan), np.full((len(rates), 2, number_of), np.nan)
    for i, draws in enumerate(rates):
        known = draws[:, ~np.isnan(draws).any(axis=0)]
        if known.size:
            middle[i] = np.median(known, axis=1)
            curves[i] = _region(known, prob, number_of)
    found = {"fpr": ("entity", middle[:, 0]), "tpr": ("entity", middle[:, 1])}
    regions = {f"region_{name}": (("entity", "vertex"), curves[:, i]) for i, name in enumerate(("fpr", "tpr"))}
    return xr.Dataset(found | (regions if dims else {}), {"entity": array["entity"].values}, {"prob": prob})


def _region(rates: np.ndarray, prob: float, points: int) -> np.ndarray:
    """Return the curve (2, point) around the share ``prob`` of the draws (2, draw) of two rates."""
    from scipy.stats import rankdata

    size = rates.shape[1]
    curve = ndtr(ellipse(ndtri((rankdata(rates, axis=1) - 0.5) / size).T, prob, points).T)
    middle = (np.arange(size) + 0.5) / size
    return np.stack([np.interp(level, middle, np.sort(rate)) for level, rate in zip(curve, rates, strict=True)])


def _quantiles(values: xr.DataArray, levels: list[float]) -> np.ndarray:
    """Return quantiles (level, entity) of the defined draws; NaN, without a warning, if there are none."""
    dims = draw_dims(values)
    known = values.notnull().any(dims)
    found = values.where(known, 0.0).quantile(levels, dims, skipna=True).where(known)
    return found.transpose("quantile", "entity").values
