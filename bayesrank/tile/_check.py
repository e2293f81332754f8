"""Checks of arguments that the modules on the Tile's geometry share."""

from typing import Any

import numpy as np

__all__ = ["units", "whole"]


def units(**numbers: Any) -> None:
    """Raise unless all numbers lie between 0 and 1."""
    for argument, number in numbers.items():
        try:
            inside = (np.asarray(number, dtype=float) >= 0) & (np.asarray(number, dtype=float) <= 1)
        except (TypeError, ValueError):
            raise TypeError(f"{argument} must be a number between 0 and 1; got {number!r}") from None
        if not inside.all():
            raise ValueError(f"{argument} must lie between 0 and 1; got {number}")


def whole(least: int, **numbers: Any) -> None:
    """Raise unless all are whole numbers, not below the least one allowed."""
    for argument, number in numbers.items():
        if isinstance(number, bool) or not isinstance(number, int | np.integer):
            raise TypeError(f"{argument} must be a whole number; got {number!r}")
        if number < least:
            raise ValueError(f"{argument} must be at least {least}; got {number}")
