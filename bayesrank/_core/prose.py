"""Format numbers for people; probabilities estimated from draws are never printed as 0 or 1."""

import math
from collections.abc import Iterable, Sequence

#: Ends of ranges of scores, which an interval has exactly only where it is closed.
CLOSED = (-1.0, 0.0, 1.0)


def probability(p: float, size: float) -> str:
    """Format a probability from draws with effective sample size ``size``, to its significant digits."""
    if math.isnan(p) or size < 2:  # undefined from a single draw
        return "–"
    digits = 3 if size >= 2000 else 2
    least = max(10.0**-digits, 1 / size)
    if p < least:
        return f"<{least:.{digits}f}"
    if p > 1 - least:
        return f">{1 - least:.{digits}f}"
    return f"{p:.{digits}f}"


def percent(p: float, size: float) -> str:
    """Format a probability from draws with effective sample size ``size`` in percent.

    Examples
    --------
    >>> percent(0.513, 4000), percent(0.9996, 4000), percent(0.004, 4000)
    ('51%', 'over 99.9%', '0.4%')
    """
    text = probability(p, size)
    if text[:1] in "<>":
        return f"{'under' if text[0] == '<' else 'over'} {100 * float(text[1:]):.3g}%"
    return text if text == "–" else f"{100 * p:.{0 if 0.01 <= p <= 0.99 else 1}f}%"


def signed(x: float, low: float, high: float) -> str:
    """Format a difference with the decimals of its interval, with a minus sign if it is negative."""
    return format_with_interval(x, low, high).replace("-", "−")


def signed_interval(low: float, high: float) -> str:
    """Format the interval of a difference."""
    return f"{signed(low, low, high)} to {signed(high, low, high)}"


def format_probability_with_error(p: float, error: float) -> str:
    """Format a probability and its Monte-Carlo error, to two digits."""
    least = max(2 * error, 0.01)
    if math.isnan(p):
        return "–"
    if p > 1 - least:
        return f">{1 - least:.2f}"
    if p < least:
        return f"<{least:.2f}"
    return f"{p:.2f}"


def number(x: float, digits: int | None = None) -> str:
    """Format a number with three decimals by default, fewer if it is large; a dash if undefined."""
    return (
        "–" if math.isnan(x) else _format_rounded(x, decimals(3, x) if digits is None else digits)
    )


def interval(low: float, high: float, digits: int | None = None) -> str:
    """Format an interval with this number of decimals, by default as :func:`interval_digits`; a dash if undefined.

    A closed end, such as 1, has no decimals.
    """
    if math.isnan(low):
        return "–"
    if digits is None:
        return interval_digits(low, high)
    return " to ".join(
        f"{x:.0f}" if x in CLOSED else _format_rounded(x, digits) for x in (low, high)
    )


def interval_digits(low: float, high: float, digits: int = 3) -> str:
    """Format an interval with this many decimals, fewer for large numbers; the lower end may have more than the upper.

    Examples
    --------
    >>> interval_digits(0.25, 0.75), interval_digits(0.0432, 156.02), interval_digits(0.0004, 0.5)
    ('0.250 to 0.750', '0.043 to 156.0', '0.0004 to 0.500')
    >>> interval_digits(0.97, 1.0), interval_digits(0.97, 0.9999)
    ('0.970 to 1', '0.970 to 1.000')
    """
    return " to ".join(
        f"{x:.0f}" if x in CLOSED else format_with_interval(x, low, high, digits)
        for x in (low, high)
    )


def format_with_interval(x: float, low: float, high: float, digits: int = 3) -> str:
    """Format a number with the decimals of its interval; a small positive number keeps two digits and is never 0."""
    places = decimals(digits, low, high)
    small = 0 < x < (10.0 ** (1 - places) if places < digits else 0.5 * 10.0**-places)
    return f"{x:.2g}" if small and low >= 0 else number(x, places)


def _format_rounded(x: float, digits: int) -> str:
    if 1e15 <= abs(x) < math.inf:  # beyond the precision of a float
        return f"{x:.2g}"
    return f"{round(x, digits) + 0.0:.{digits}f}"  # 0, not -0


def estimate(middle: float, low: float, high: float) -> str:
    """Format a number and its interval with the decimals of the interval, 0.500 (0.250 to 0.750)."""
    return (
        "–"
        if math.isnan(middle)
        else f"{format_with_interval(middle, low, high)} ({interval(low, high)})"
    )


def decimals(digits: int, *values: float) -> int:
    """Return the number of decimals: at most ``digits``, fewer for large numbers."""
    size = max([1.0, *(abs(x) for x in values if math.isfinite(x))])
    return max(digits - int(math.log10(size)), 0)


def list_names(names: Iterable[object], most: int = 4) -> str:
    """Format the first names of a list, and the number of the others."""
    texts = list(map(str, names))
    return ", ".join(texts[:most]) + (f" and {len(texts) - most} more" if len(texts) > most else "")


def significant(value: float, digits: int = 2) -> str:
    """Format a number to its first digits, without an exponent."""
    import numpy as np

    return np.format_float_positional(value, precision=digits, fractional=False, trim="-")


def below_one(share: float, digits: int) -> str:
    """Format a number from 0 to 1 with these digits; its distance from 1 has as many.

    Examples
    --------
    >>> below_one(0.0014999, 3), below_one(1 - 0.0014999, 3)
    ('0.0015', '0.9985')
    """
    zeros = math.ceil(-math.log10(1 - share)) - 1 if 0.5 < share < 1 else 0
    return f"{share:.{digits + max(zeros, 0)}g}"


def join_names(names: Sequence[str]) -> str:
    """Return the names as a sentence lists them."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def few_names(names: Sequence[str], most: int = 5) -> str:
    """Return all names, or the first few and the number of the others, at least two."""
    if len(names) <= most + 1:
        return join_names(names)
    return f"{', '.join(names[:most])} and {len(names) - most:,} more"


def plural(noun: str) -> str:
    """Return the plural of a noun."""
    return noun[:-1] + "ies" if noun.endswith("y") else noun + "s"


def count(n: int, noun: str) -> str:
    """Format a number with its noun: 1 entity, 2,000 entities."""
    return f"{n:,} {noun if n == 1 else plural(noun)}"


def round_up(n: float) -> int:
    """Round a number of cases up to two digits."""
    if n < 100:
        return math.ceil(n)
    unit = 10 ** (int(math.log10(n)) - 1)
    return math.ceil(n / unit) * unit
