"""Numbers for people: a probability from draws is never printed as 0 or 1."""

import math


def probability(p: float, size: float) -> str:
    """A probability estimated from draws worth ``size`` independent ones, to the digits that they support."""
    if math.isnan(p) or size < 2:  # one draw tells no probability
        return "–"
    digits = 3 if size >= 2000 else 2
    least = max(10.0**-digits, 1 / size)
    if p < least:
        return f"<{least:.{digits}f}"
    if p > 1 - least:
        return f">{1 - least:.{digits}f}"
    return f"{p:.{digits}f}"


def chance(p: float, error: float) -> str:
    """A probability with this Monte-Carlo error, to two digits."""
    least = max(2 * error, 0.01)
    if math.isnan(p):
        return "–"
    return f">{1 - least:.2f}" if p > 1 - least else f"<{least:.2f}" if p < least else f"{p:.2f}"


def number(x: float, digits: int | None = None) -> str:
    """A number, or a dash where it is undefined; by default to three decimals, or fewer where it is large."""
    return "–" if math.isnan(x) else _rounded(x, decimals(3, x) if digits is None else digits)


def interval(low: float, high: float, digits: int | None = None) -> str:
    """An interval, or a dash where it is undefined; by default to three decimals, or fewer where it is large."""
    if math.isnan(low):
        return "–"
    places = decimals(3, low, high) if digits is None else digits
    return f"{_rounded(low, places)} to {_rounded(high, places)}"


def _rounded(x: float, digits: int) -> str:
    return f"{round(x, digits) + 0.0:.{digits}f}"  # 0, not -0


def estimate(middle: float, low: float, high: float) -> str:
    """A number and its interval, to the decimals of the interval; a dash where it is undefined.

    Examples
    --------
    >>> estimate(0.5, 0.25, 0.75), estimate(133.25, 8.0, 1200.0), estimate(math.nan, 0, 1)
    ('0.500 (0.250 to 0.750)', '133 (8 to 1200)', '–')
    """
    return "–" if math.isnan(middle) else f"{number(middle, decimals(3, low, high))} ({interval(low, high)})"


def decimals(digits: int, *values: float) -> int:
    """So many decimals, or fewer the larger the numbers are: what an odds ratio of a thousand has behind the point is
    noise.

    Examples
    --------
    >>> decimals(3, 0.1, 0.9), decimals(3, 5.0, 12721.3)
    (3, 0)
    """
    size = max([1.0, *(abs(x) for x in values if math.isfinite(x))])
    return max(digits - int(math.log10(size)), 0)


def count(n: int, noun: str) -> str:
    """A number and its noun: 1 entity, 2 entities."""
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{n} {noun if n == 1 else plural}"
