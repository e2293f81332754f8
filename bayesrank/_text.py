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


def number(x: float, digits: int = 3) -> str:
    """A number, or a dash where it is undefined."""
    return "–" if math.isnan(x) else _rounded(x, digits)


def interval(low: float, high: float, digits: int = 3) -> str:
    """An interval, or a dash where it is undefined."""
    return "–" if math.isnan(low) else f"{_rounded(low, digits)} to {_rounded(high, digits)}"


def _rounded(x: float, digits: int) -> str:
    return f"{round(x, digits) + 0.0:.{digits}f}"  # 0, not -0


def count(n: int, noun: str) -> str:
    """A number and its noun: 1 entity, 2 entities."""
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{n} {noun if n == 1 else plural}"
