"""Means and shares over draws, with Monte-Carlo errors, for arrays with any dims."""

import numpy as np
import xarray as xr

from bayesrank._core.draws import (
    BatchSums,
    EffectiveDraws,
    draw_dims,
    mean_error,
    reduce,
    share_error,
)
from bayesrank.claims.effective import Allowance


def mean_and_error(values: xr.DataArray) -> tuple[xr.DataArray, xr.DataArray]:
    """Return the mean over the defined draws and its Monte-Carlo standard error, at least that of independent draws.

    Both are NaN where no draw is defined. Without draws the error is NaN.
    """
    dims = draw_dims(values)
    average = mean_over_draws(values)
    [sums] = reduce(values, BatchSums())
    [defined] = reduce(values.notnull().astype(float), BatchSums())
    number = defined.sum(axis=0)
    if not dims:
        return average, average * np.nan
    with np.errstate(invalid="ignore"):
        least = values.std(dims).values / np.sqrt(number)
    return average, average.copy(
        data=np.where(number > 0, np.fmax(mean_error(sums, defined), least), np.nan)
    )


def share_and_error(
    events: xr.DataArray, *numbers: xr.DataArray
) -> tuple[xr.DataArray, xr.DataArray]:
    """Return the share of the defined draws in which an event occurs, and its Monte-Carlo standard error (never 0).

    ``events`` are 1, 0, or NaN where undefined. The autocorrelation of the ``numbers`` that they
    compare gives the effective sample size where the share is constant.
    """
    share, error = mean_and_error(events)
    if not draw_dims(events):
        return share, error
    effective = np.min([reduce(values, EffectiveDraws())[0] for values in numbers], axis=0)
    number = events.notnull().sum(draw_dims(events)).values
    some = np.where(number > 0, number, np.nan)
    all_draws = events.size / max(share.size, 1)
    return share, share.copy(
        data=share_error(share.values, error.values, some, effective * some / all_draws)
    )


def name_pair(name: str, pair: tuple[xr.DataArray, xr.DataArray]) -> dict[str, xr.DataArray]:
    """Return a value and its Monte-Carlo error by name."""
    return {name: pair[0], f"{name}_error": pair[1]}


def widen(
    interval: dict[str, xr.DataArray], allowance: xr.Dataset, limits: tuple[float, float]
) -> dict[str, xr.DataArray]:
    """Return a median and both ends of its interval, by name, with an interval that allows for few units."""
    middle, lower, upper = interval.values()
    fields = {str(name): held.transpose(*middle.dims).values for name, held in allowance.items()}
    ends = Allowance(**fields).widen(middle.values, (lower.values, upper.values), limits)
    wide = (end.copy(data=held) for end, held in zip((lower, upper), ends, strict=True))
    return dict(zip(interval, (middle, *wide), strict=True))


def mean_over_draws(values: xr.DataArray) -> xr.DataArray:
    """Return the mean over the draws; the values themselves without draws."""
    return values.mean(draw_dims(values)) if draw_dims(values) else values


def effective_size(*arrays: xr.DataArray) -> float:
    """Return the smallest effective number of draws of some values; 1 without draws."""
    return float(
        min(
            (reduce(array, EffectiveDraws())[0].min() for array in arrays if draw_dims(array)),
            default=1.0,
        )
    )
