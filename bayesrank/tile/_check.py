"""Checks of arguments that the modules on the Tile's geometry share."""

from numbers import Real
from typing import Any

import numpy as np
import xarray as xr

__all__ = ["labelled", "units", "whole"]


def units(**numbers: Any) -> None:
    """Raise unless all are numbers, or arrays of numbers, between 0 and 1."""
    for argument, number in numbers.items():
        if isinstance(number, bool) or not isinstance(number, Real | np.ndarray | xr.DataArray):
            raise TypeError(f"{argument} must be a number between 0 and 1, or an array; got {number!r}")
        values = np.asarray(number)
        if values.dtype.kind not in "iuf":
            raise TypeError(f"{argument} must hold numbers between 0 and 1; got {values.dtype} values")
        outside = values[~((values >= 0) & (values <= 1))]
        if outside.size:
            raise ValueError(f"{argument} must lie between 0 and 1; got {outside.flat[0]}")


def labelled(**numbers: Any) -> tuple[xr.DataArray, ...]:
    """Numbers between 0 and 1 as labelled arrays that fit together."""
    units(**numbers)
    for argument, number in numbers.items():
        if np.ndim(number) and not isinstance(number, xr.DataArray):
            raise TypeError(f"{argument} must be a number, or a DataArray, whose dims have names; got a plain array")
    return xr.broadcast(*(xr.DataArray(number) if np.ndim(number) == 0 else number for number in numbers.values()))


def whole(least: int, **numbers: Any) -> None:
    """Raise unless all are whole numbers, not below the least one allowed."""
    for argument, number in numbers.items():
        if isinstance(number, bool) or not isinstance(number, int | np.integer):
            raise TypeError(f"{argument} must be a whole number; got {number!r}")
        if number < least:
            raise ValueError(f"{argument} must be at least {least}; got {number}")
