"""Arguments, checked: what is not what it should be is refused by name, and nothing is coerced in silence."""

from numbers import Real
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._evidence import in_words, is_number


def number(argument: str, value: Any, low: float = -np.inf, high: float = np.inf, *, ends: bool = True) -> float:
    """One real number from ``low`` to ``high``, without ``ends`` strictly between them."""
    if not is_number(value):
        raise TypeError(f"{argument} must be a number; got {in_words(value)}")
    if not (low <= value <= high if ends else low < value < high):
        raise ValueError(f"{argument} must {_within(low, high, ends)}; got {value}")
    return float(value)


def credibility(argument: str, value: Any) -> float:
    """One number strictly between 0 and 1."""
    return number(argument, value, 0.0, 1.0, ends=False)


def whole(argument: str, value: Any, least: int = 0) -> int:
    """One whole number, ``least`` or more."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{argument} must be a whole number; got {in_words(value)}")
    if value < least:
        raise ValueError(f"{argument} must be at least {least}; got {value}")
    return int(value)


def numbers(argument: str, values: Any) -> np.ndarray:
    """Real numbers in an array of any shape, as floats."""
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        raise ValueError(f"{argument} must hold numbers in a regular array; got {in_words(values)}") from None
    if array.dtype == object and all(is_number(item) for item in array.ravel()):
        array = array.astype(float)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{argument} must hold numbers; got {in_words(values)}")
    return array.astype(float)


def labelled_numbers(argument: str, values: xr.DataArray) -> xr.DataArray:
    """The same of a DataArray, which may be lazy."""
    if values.dtype.kind not in "iuf":
        raise TypeError(f"{argument} must hold numbers; got dtype {values.dtype}")
    return values.astype(float)


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


def labelled_units(**numbers: Any) -> tuple[xr.DataArray, ...]:
    """Numbers between 0 and 1 as labelled arrays that fit together."""
    units(**numbers)
    for argument, number in numbers.items():
        if np.ndim(number) and not isinstance(number, xr.DataArray):
            raise TypeError(f"{argument} must be a number, or a DataArray, whose dims have names; got a plain array")
    return xr.broadcast(*(xr.DataArray(number) if np.ndim(number) == 0 else number for number in numbers.values()))


def _within(low: float, high: float, ends: bool) -> str:
    if low == -np.inf and high == np.inf:
        return "not be NaN"
    if high < np.inf:
        return f"lie between {low:g} and {high:g}" + ("" if ends else ", ends excluded")
    return f"be {'at least' if ends else 'above'} {low:g}"
