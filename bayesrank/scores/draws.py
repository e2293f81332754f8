"""Summaries of draws of scores, as plots show them: differences to one entity, histograms, regions in ROC space."""

from typing import Any

import numpy as np
import xarray as xr
from scipy.special import ndtr, ndtri

from bayesrank._core.checks import check_choice, check_number, check_prob, check_size
from bayesrank._core.draws import draw_dims, load_arrays
from bayesrank._core.errors import ArgumentError, ArgumentKeyError
from bayesrank._core.labels import select_names
from bayesrank.performance.arrays import name_entities, two_class_performance
from bayesrank.performance.regions import ellipse

__all__ = ["differences", "histograms", "rate_regions"]

#: Number of bins of a histogram.
BINS = 80


def differences(
    values: xr.DataArray, to: Any, rope: float = 0.0, *, prob: float = 0.95
) -> xr.Dataset:
    """Return the difference of each entity to the entity ``to``, largest median first.

    ``median``, ``lower`` and ``upper`` (entity) are in units of the score, over draws with both
    defined. ``verdict`` (entity) is "above" or "below" if the interval lies outside the region of
    practical equivalence, of half-width ``rope``, else "undecided", or "" if nothing is defined.
    """
    names = values["entity"].values.tolist()
    check_choice("to", to, names, ArgumentKeyError)
    if len(names) < 2:
        raise ArgumentError(
            "values", f"must contain a second entity to compare with {to!r}", "one entity"
        )
    rope, tail = check_number("rope", rope, 0.0, finite=True), (1 - check_prob("prob", prob)) / 2
    others = select_names(values, entity=[name for name in names if name != to]) - select_names(
        values, entity=to, drop=True
    )
    low, middle, high = _quantiles(others, [tail, 0.5, 1 - tail])
    order = np.argsort(-middle)
    low, middle, high = low[order], middle[order], high[order]
    verdict = np.select(
        [low > rope, high < -rope, ~np.isnan(middle)], ["above", "below", "undecided"], ""
    )
    columns = {"median": middle, "lower": low, "upper": high, "verdict": verdict}
    coords = {"entity": others["entity"].values[order]}
    return xr.Dataset({name: ("entity", column) for name, column in columns.items()}, coords)


def histograms(values: xr.DataArray, prior: xr.DataArray) -> xr.Dataset:
    """Return histograms of posterior and prior draws of a score, from the 0.1% to the 99.9% quantile of all draws.

    The result holds ``posterior`` and ``prior`` (entity, bin), counts of draws in bins of equal
    width, with the coords ``left`` and ``right`` (bin) in units of the score; entities by posterior
    median, highest first.
    """
    names = values["entity"].values
    both = {
        name: np.asarray(x.transpose("entity", ...).values).reshape(len(names), -1)
        for name, x in (("posterior", values), ("prior", prior))
    }
    # Cut off the extreme tails of both.
    low, high = np.nanquantile(np.concatenate([x.ravel() for x in both.values()]), [0.001, 0.999])
    middle, reach = (low + high) / 2, max((high - low) / 2, 1e-3)  # equal draws need a width too
    edges = np.linspace(middle - reach, middle + reach, BINS + 1)
    order = np.argsort(-_quantiles(values, [0.5])[0])
    return xr.Dataset(
        {
            name: (("entity", "bin"), [np.histogram(x[i], edges)[0] for i in order])
            for name, x in both.items()
        },
        {"entity": names[order], "left": ("bin", edges[:-1]), "right": ("bin", edges[1:])},
    )


def rate_regions(
    source: Any, points: int = 181, *, prob: float = 0.95, kind: str | None = None
) -> xr.Dataset:
    """Return the median rates of each entity, ``fpr`` and ``tpr`` (entity), and a credible region in ROC space.

    The region, ``region_fpr`` and ``region_tpr`` (entity, vertex), is an ellipse in the normal
    scores of both rates, transformed back to rates. It follows the skewness and correlation of the
    rates, holds the share ``prob`` of the draws, and does not extend beyond them. Draws with an
    undefined rate are ignored; an entity without any other is NaN.
    """
    prob, number_of = check_prob("prob", prob), check_size("points", points, 3)
    array = name_entities(two_class_performance(source, kind, "rates of two classes"))
    dims = draw_dims(array)
    total = array.sum("predicted", skipna=False)
    [by_entity] = load_arrays(
        (array.isel(predicted=1) / total.where(total > 0)).transpose("entity", "actual", *dims)
    )
    rates = by_entity.values.reshape(array.sizes["entity"], 2, -1)
    middle, curves = np.full((len(rates), 2), np.nan), np.full((len(rates), 2, number_of), np.nan)
    for i, draws in enumerate(rates):
        defined = draws[:, ~np.isnan(draws).any(axis=0)]
        if defined.size:
            middle[i] = np.median(defined, axis=1)
            curves[i] = _region(defined, prob, number_of)
    variables = {"fpr": ("entity", middle[:, 0]), "tpr": ("entity", middle[:, 1])}
    regions = {
        f"region_{name}": (("entity", "vertex"), curves[:, i])
        for i, name in enumerate(("fpr", "tpr"))
    }
    return xr.Dataset(
        variables | (regions if dims else {}), {"entity": array["entity"].values}, {"prob": prob}
    )


def _region(rates: np.ndarray, prob: float, points: int) -> np.ndarray:
    """Return the curve (2, point) around the share ``prob`` of the draws (2, draw) of two rates."""
    from scipy.stats import rankdata

    size = rates.shape[1]
    curve = ndtr(ellipse(ndtri((rankdata(rates, axis=1) - 0.5) / size).T, prob, points).T)
    middle = (np.arange(size) + 0.5) / size
    return np.stack(
        [np.interp(level, middle, np.sort(rate)) for level, rate in zip(curve, rates, strict=True)]
    )


def _quantiles(values: xr.DataArray, levels: list[float]) -> np.ndarray:
    """Return quantiles (level, entity) of the defined draws; NaN, without a warning, if there are none."""
    dims = draw_dims(values)
    defined = values.notnull().any(dims)
    quantiles = values.where(defined, 0.0).quantile(levels, dims, skipna=True).where(defined)
    return quantiles.transpose("quantile", "entity").values
