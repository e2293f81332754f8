"""The place of a score by exact arithmetic, where its formula has no other operations than those of rational numbers.

Rounding can make 0/0 a number, and hides places next to an edge of the Tile.
"""

import operator
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import gcd
from typing import Any

import numpy as np

from bayesrank.scores.score import Score

Exact = tuple[Fraction, Fraction]
#: Largest denominator of the number that a float stands for, such as 1/5 for 0.2, and rounding
#: errors of a float.
DENOMINATOR, ULPS = 10**6, 4
#: Rounding error of a place that was computed in floats.
COMPUTED = Fraction(1, 10**13)
#: Triples of performances for each set of empty cells, and the largest share of a cell.
TRIPLES, LARGEST = 16, 97
#: Bits of a denominator beyond which common divisors are removed.
LONG = 256


# A formula has few numbers, and meets them in every performance.
@lru_cache(maxsize=1024, typed=True)
def to_fraction(number: Any) -> Fraction:
    """Return the number that a float stands for: the simplest one within a few rounding errors."""
    if isinstance(number, Fraction | int):
        return Fraction(number)
    number = float(number)
    simple = Fraction(number).limit_denominator(DENOMINATOR)
    return (
        simple
        if abs(float(simple) - number) <= ULPS * np.spacing(abs(number))
        else Fraction(number)
    )


class Rational:
    """A rational number in arrays of objects. Operations with floats are exact; others than rational ones fail.

    Numerator and denominator keep common divisors until they are long, as formulas are short.
    """

    __slots__ = ("bottom", "top")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, top: int, bottom: int) -> None:
        if bottom.bit_length() > LONG:
            divisor = gcd(top, bottom)
            top, bottom = top // divisor, bottom // divisor
        self.top, self.bottom = top, bottom

    @property
    def value(self) -> Fraction:
        return Fraction(self.top, self.bottom)

    def _with(self, other: Any, exact: Callable[..., Any], plain: Callable[..., Any]) -> Any:
        if isinstance(other, Rational):
            return exact(self, other)
        if isinstance(other, float | np.floating) and not np.isfinite(other):
            return plain(self.top / self.bottom, float(other))
        if isinstance(other, int | float | np.number | np.bool_ | Fraction):
            return exact(self, from_fraction(to_fraction(other)))
        return NotImplemented

    def __add__(self, other: Any) -> Any:
        return self._with(other, _sum, operator.add)

    def __sub__(self, other: Any) -> Any:
        return self._with(other, _difference, operator.sub)

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, lambda x, y: _difference(y, x), lambda x, y: y - x)

    def __mul__(self, other: Any) -> Any:
        return self._with(other, _product, operator.mul)

    def __truediv__(self, other: Any) -> Any:
        return self._with(other, _quotient, _divide)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with(other, lambda x, y: _quotient(y, x), lambda x, y: _divide(y, x))

    __radd__, __rmul__ = __add__, __mul__

    def __pow__(self, power: Any) -> Any:
        if isinstance(power, float | np.floating) and power == int(power):
            power = int(power)
        if not isinstance(power, int | np.integer):
            return NotImplemented
        if power < 0:
            return 1 / self ** (-power)
        return Rational(self.top ** int(power), self.bottom ** int(power))

    def __neg__(self) -> "Rational":
        return Rational(-self.top, self.bottom)

    def __abs__(self) -> "Rational":
        return Rational(abs(self.top), self.bottom)

    def _compare(self, other: Any, holds: Callable[[Any, Any], bool]) -> Any:
        return self._with(other, lambda x, y: holds(x.top * y.bottom, y.top * x.bottom), holds)

    def __eq__(self, other: object) -> Any:
        return self._compare(other, operator.eq)

    def __ne__(self, other: object) -> Any:
        return self._compare(other, operator.ne)

    def __lt__(self, other: Any) -> Any:
        return self._compare(other, operator.lt)

    def __le__(self, other: Any) -> Any:
        return self._compare(other, operator.le)

    def __gt__(self, other: Any) -> Any:
        return self._compare(other, operator.gt)

    def __ge__(self, other: Any) -> Any:
        return self._compare(other, operator.ge)

    def __bool__(self) -> bool:
        return self.top != 0


def from_fraction(number: Fraction) -> Rational:
    return Rational(number.numerator, number.denominator)


def _sum(x: Rational, y: Rational) -> Rational:
    if x.bottom == y.bottom:
        return Rational(x.top + y.top, x.bottom)
    return Rational(x.top * y.bottom + y.top * x.bottom, x.bottom * y.bottom)


def _difference(x: Rational, y: Rational) -> Rational:
    if x.bottom == y.bottom:
        return Rational(x.top - y.top, x.bottom)
    return Rational(x.top * y.bottom - y.top * x.bottom, x.bottom * y.bottom)


def _product(x: Rational, y: Rational) -> Rational:
    return Rational(x.top * y.top, x.bottom * y.bottom)


def _quotient(x: Rational, y: Rational) -> Any:
    if y.top == 0:
        return _divide(x.top, 0)
    sign = 1 if y.top > 0 else -1
    return Rational(sign * x.top * y.bottom, sign * x.bottom * y.top)


def _divide(x: float, y: float) -> float:
    if y == 0:
        return float("nan") if x == 0 or x != x else float(np.copysign(np.inf, float(x)))
    return x / y


def exact_values(score: Score, cells: Any) -> np.ndarray | None:
    """Return the values at performances (cell, ...) of fractions, None where undefined; None if they are not rational.

    Infinite values count as undefined.
    """
    function = score.function
    if function is None:
        return None
    numbers = np.vectorize(from_fraction, otypes=[object])(cells)
    try:
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            fractions = np.asarray(function(*numbers))
    except (TypeError, AttributeError, ValueError, ArithmeticError):
        return None
    if fractions.dtype != object:  # computed in floats
        return None
    fractions = np.broadcast_to(fractions, numbers.shape[1:])
    values = np.empty(fractions.shape, dtype=object)
    for at, value in np.ndenumerate(fractions):
        if isinstance(value, Rational):
            values[at] = value.value
        elif isinstance(value, int | float | np.number | np.bool_):
            values[at] = to_fraction(value) if np.isfinite(value) else None
        else:
            return None
    return values


def exact_order(score: Score, prevalence: float | None) -> Callable[[Exact], bool] | None:
    """Return a function that says whether the score orders as the canonical score at a place; None if not rational."""
    cells, inner = _triples(None if prevalence is None else to_fraction(prevalence))
    values = _values_at_triples(score, prevalence)
    return None if values is None else lambda at: _orders_alike(score, at, cells, inner, values)


def simplest(at: tuple[float, float]) -> Exact | None:
    """Return the place with simple fractions that is next to a computed place; None if there is none."""
    a, b = (Fraction(number).limit_denominator(DENOMINATOR) for number in at)
    return (a, b) if max(abs(a - Fraction(at[0])), abs(b - Fraction(at[1]))) <= COMPUTED else None


def exact_places(
    score: Score, prevalence: float | None, fixed: tuple[tuple[float, float], ...]
) -> Iterator[Exact]:
    """Yield the named places, those of balanced accuracy and Cohen's kappa, and where the level lines meet."""
    yield from ((to_fraction(a), to_fraction(b)) for a, b in fixed)
    if prevalence is not None:
        positive = to_fraction(prevalence)
        negative = 1 - positive
        yield negative, negative
        yield negative**2 / (negative**2 + positive**2), Fraction(1, 2)
    yield from _meeting_point(
        score, Fraction(2, 5) if prevalence is None else to_fraction(prevalence)
    )


@lru_cache(maxsize=64)
def _values_at_triples(score: Score, prevalence: float | None) -> np.ndarray | None:
    return exact_values(score, _triples(None if prevalence is None else to_fraction(prevalence))[0])


@lru_cache(maxsize=8)
def _triples(prevalence: Fraction | None) -> tuple[np.ndarray, np.ndarray]:
    """Return performances (cell, 3, triple) of fractions, and which triples have no empty cell."""
    full = [which for which in product((1, 0), repeat=4) if any(which)]
    if prevalence is not None:
        full = [which for which in full if any(which[:2]) and any(which[2:])]
    weights = (
        np.random.default_rng(0).integers(1, LARGEST + 1, (4, 3, len(full), TRIPLES)).astype(object)
    )
    weights[:, 0] *= np.array(full, dtype=object).T[:, :, None]
    weights = weights.reshape(4, 3, -1)
    unit = Fraction(1)
    if prevalence is None:
        cells = weights * unit / weights.sum(axis=0)
    else:
        parts = ((1 - prevalence, weights[:2]), (prevalence, weights[2:]))
        cells = np.concatenate([share * part / part.sum(axis=0) for share, part in parts])
    return cells, np.repeat([all(which) for which in full], TRIPLES)


def _canonical(cells: Any, a: Fraction, b: Fraction) -> tuple[Any, Any]:
    tn, fp, fn, tp = cells
    right = (1 - a) * tn + a * tp
    return right, right + (1 - b) * fp + b * fn


def _orders_alike(
    score: Score, at: Exact, cells: np.ndarray, inner: np.ndarray, values: np.ndarray
) -> bool:
    """Return whether the score orders as the canonical score at a place does, in every triple.

    The middle performance of three is equivalent to a mixture of the others.
    """
    up = score.higher_is_better
    allowed = {True, False} if up is None else {up}
    rises: set[bool] = set()
    ends: dict[Fraction, set[Fraction]] = {Fraction(0): set(), Fraction(1): set()}
    twins, middles = [], []
    for k in range(cells.shape[2]):
        parts = [_canonical(cells[:, j, k], *at) for j in range(3)]
        defined = [
            (value is not None, total != 0)
            for value, (_, total) in zip(values[:, k], parts, strict=True)
        ]
        if defined != [(True, True)] * 3:
            if inner[k] or (True, False) in defined:
                return False
            continue
        triple = sorted((right / total, j, total) for j, (right, total) in enumerate(parts))
        (low, i, size), (middle, j, _), (high, m, large) = triple
        least, value, most = values[[i, j, m], k]
        steps = [
            ((y > x) - (y < x), (w > v) - (w < v))
            for x, y, v, w in ((low, middle, least, value), (middle, high, value, most))
        ]
        if any((one == 0) != (other == 0) for one, other in steps):
            return False
        rises |= {other > 0 for _, other in steps if other}
        if len(rises) > 1 or not rises <= allowed:
            return False
        for canonical, position, _ in triple:
            if canonical in ends:
                ends[canonical].add(values[position, k])
        if low == high:
            continue
        share = (middle - low) * size
        share = share / (share + (high - middle) * large)
        twins.append((1 - share) * cells[:, i, k] + share * cells[:, m, k])
        middles.append(value)
    if not rises or any(len(seen) > 1 for seen in ends.values()):
        return False
    same = exact_values(score, np.array(twins, dtype=object).T)
    return same is not None and same.tolist() == middles


def _meeting_point(score: Score, prevalence: Fraction) -> Iterator[Exact]:
    """Yield the place of the pencil spanned by two level lines in ROC space, if the score is a ratio along a line."""
    near, far = Fraction(1, 5), Fraction(2, 5)
    below, above = (
        _level_line(score, prevalence, far, near),
        _level_line(score, prevalence, near, far),
    )
    if below is None or above is None:
        return
    (a1, b1, c1), (a2, b2, c2) = below, above
    x, y, w = b1 * c2 - c1 * b2, c1 * a2 - a1 * c2, a1 * b2 - b1 * a2
    negative = 1 - prevalence
    for_a, for_b = ((x - w) / prevalence, y / negative), (x / prevalence, (y - w) / negative)
    if sum(for_a) and sum(for_b):
        a, b = for_a[0] / sum(for_a), for_b[0] / sum(for_b)
        if 0 <= a <= 1 and 0 <= b <= 1:
            yield a, b


def _level_line(
    score: Score, prevalence: Fraction, fpr: Fraction, tpr: Fraction
) -> tuple[Fraction, ...] | None:
    """Return the level line through a point of ROC space, in homogeneous coordinates.

    Along a segment, the value of a ratio of linear functions is determined by three values, through
    a cross ratio.
    """
    reach, shares = Fraction(2, 5), (Fraction(0), Fraction(1, 2), Fraction(1))
    points = [(fpr, tpr), *((fpr + reach * (1 - share), tpr + reach * share) for share in shares)]
    negative = 1 - prevalence
    cells = [
        [negative * (1 - x), negative * x, prevalence * (1 - y), prevalence * y] for x, y in points
    ]
    values = exact_values(score, np.array(cells, dtype=object).T)
    if values is None or any(value is None for value in values):
        return None
    level, start, middle, end = values
    # (s - 0)(1/2 - 1) / ((s - 1)(1/2 - 0)) is the cross ratio of the values.
    above, under = (level - start) * (middle - end), (level - end) * (middle - start)
    # -s / (s - 1) = above / under
    if above + under == 0:
        return None
    share = above / (above + under)
    x, y = fpr + reach * (1 - share), tpr + reach * share
    # The line through (fpr, tpr, 1) and (x, y, 1).
    return tpr - y, x - fpr, fpr * y - tpr * x
