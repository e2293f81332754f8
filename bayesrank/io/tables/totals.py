"""Rows that sum up or average the other rows of a table, found by arithmetic: in any language they are no evidence."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bayesrank.io.tables.roles import TOTALS

#: A row agrees by more than chance from this product on, over its columns, of the number of values
#: that it could hold.
STRONG = 1e4
#: Where all others are 0 and 1, a row of other numbers is odd already: less is enough, and the
#: least in long tables.
STRONG_IN_BINARY = {"sums": (25.0, 0.0, 12), "means": (1e3, 100.0, 20)}


def find_summary(
    above: np.ndarray,
    last: Sequence[float],
    units: Sequence[float],
    name: Any = None,
    grid: bool = False,
) -> str:
    """Return "sums", "means" or "standard deviations" if a row holds those of the rows above, by more than chance.

    Other rows return "".

    Parameters
    ----------
    above : numpy.ndarray
        Values (row, column) of the other rows; NaN where one is missing.
    last : sequence of float
        Values of the row, and ``units`` of their last digit, to which means may be rounded.
    name : optional
        Name of the row. A word such as "total" confirms what may be due to chance.
    grid : bool
        Whether values may lie on a coarser grid than their digits say, as partial credit does.
    """
    if len(above) < 2 or not above.size:
        return ""
    values, unit = np.array(last, float), np.array(units, float)
    named = is_total_name(name)
    numbers = above[~np.isnan(above)]
    if not (numbers.size and np.isfinite(numbers).all()) or np.isnan(above).all(axis=0).any():
        return ""
    binary = bool(np.isin(numbers, (0.0, 1.0)).all())
    if binary and np.isin(values, (0.0, 1.0)).all():
        # The row is like any other.
        return ""
    sums, means = np.nansum(above, axis=0), np.nanmean(above, axis=0)
    spread = np.nanmax(above, axis=0) - np.nanmin(above, axis=0)
    grain = np.maximum(unit, _smallest_gap(numbers)) if grid and not binary else unit
    if (np.abs(values - sums) <= unit / 2 + 1e-9 * np.maximum(1, np.abs(sums))).all() and (
        named or _is_strong("sums", np.abs(sums) / grain, binary, above.size)
    ):
        return "sums"
    for scale in (1, 100) if binary else (1,):
        rounded = np.abs(values - scale * means) <= unit / 2 + 1e-9 * np.maximum(1, np.abs(means))
        if rounded.all() and (
            named or _is_strong("means", _free(above, scale * spread / grain), binary, above.size)
        ):
            return "means"
    if not binary and len(above) > 2:
        # Software differs in the divisor.
        spreads = [np.nanstd(above, axis=0, ddof=ddof) for ddof in (0, 1)]
        strong = named or _is_strong("means", _free(above, spread / grain), binary, above.size)
        if strong and any((np.abs(values - one) <= unit / 2 + 1e-9).all() for one in spreads):
            return "standard deviations"
    return ""


def is_total_name(name: Any) -> bool:
    """Return whether a name, in one of several languages, says that a row summarises other rows."""
    return isinstance(name, str) and name.strip().lower() in TOTALS


def unit_of(value: Any) -> float:
    """Return the unit of the last digit of a number as it is written."""
    digits = str(value).strip().replace(",", ".").partition(".")[2]
    if not digits:
        return 1.0
    return 10.0 ** -len(digits) if digits.isdecimal() else 1e-15


def _is_strong(what: str, values: np.ndarray, binary: bool, size: int) -> bool:
    """Return whether ordinary values agree so less often than 1 in 1,000 times; ``values`` is how many a column has."""
    strength = float(np.prod(values + 1))
    if not binary:
        return strength >= STRONG
    enough, enough_in_long, long = STRONG_IN_BINARY[what]
    return strength >= enough or (size >= long and strength >= enough_in_long)


def _smallest_gap(above: np.ndarray) -> float:
    """Return the smallest difference between values, the step of a grid of partial credit."""
    distinct = np.unique(above)
    return float(np.diff(distinct).min()) if distinct.size > 1 else 1.0


def _free(above: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Return the spreads of columns that others do not determine: with equal row totals half of them are free."""
    full = above.sum(1)
    return np.sqrt(spread + 1) - 1 if above.shape[1] > 1 and np.ptp(full) == 0 else spread
