"""Compiled loops over draws and pairs of entities, for problems too large for NumPy."""

from itertools import pairwise

import numba
import numpy as np

from bayesrank._core.compiled import njit
from bayesrank._core.threads import in_threads

#: Number of entities in a strip: their draws stay in the cache during comparisons with all others.
STRIP = 16
#: Number of draws compared together for all pairs.
WIDTH = 512
#: Minimum of pairs times draws for a thread of its own: some milliseconds.
WORTH = 2**23
#: Number of draws of batches that are compared one after the other: those of a strip stay in the cache.
TILE = 2**12
#: Number of listed pairs for a thread at once.
TOGETHER = 2**12


@numba.njit(inline="always")
def _above(x: np.ndarray, y: np.ndarray) -> np.int32:
    count = np.int32(0)  # as narrow as the compared values, for vectorisation
    for d in range(x.size):
        count = np.int32(count + (x[d] > y[d]))
    return count


@numba.njit(inline="always")
def _above_by(x: np.ndarray, y: np.ndarray, by: float) -> int:
    count = 0
    for d in range(x.size):
        count += x[d] > y[d] + by
    return count


@njit(nogil=True, cache=True)
def _compare_strip(
    strip: int, values: np.ndarray, whole: np.ndarray, tied: np.ndarray, limits: np.ndarray, edges: np.ndarray,
    rope: float, joint: np.ndarray, batches: np.ndarray, won: np.ndarray, won_squares: np.ndarray,
    before: np.ndarray, before_squares: np.ndarray,
) -> None:  # fmt: skip
    """Compare a strip's entities with each other and with those after it."""
    size, number = len(values), len(edges) - 1
    start, stop = strip * STRIP, min(strip * STRIP + STRIP, size)
    first = 0
    while first < number:
        last = first + 1
        while last < number and edges[last + 1] - edges[first] <= TILE:
            last += 1
        for j in range(start, size):
            for i in range(start, min(stop, j + 1)):
                both_whole = whole[i] and whole[j]
                may_tie = (tied[i] and tied[j]) or not both_whole or i == j
                n_sum, n_batches = joint[i, j], batches[i, j]  # in registers, not in the tables
                up_sum, up_squares = won[i, j], won_squares[i, j]
                down_sum, down_squares = won[j, i], won_squares[j, i]
                half_sum, half_squares = before[i, j], before_squares[i, j]
                rest_sum, rest_squares = before[j, i], before_squares[j, i]
                for b in range(first, last):
                    x, y = values[i, edges[b] : edges[b + 1]], values[j, edges[b] : edges[b + 1]]
                    n = x.size
                    if not both_whole:
                        n = 0
                        for d in range(x.size):
                            n += (x[d] == x[d]) & (y[d] == y[d])
                    if n == 0:
                        continue
                    if limits[0, i, b] > limits[1, j, b] + rope:  # false with undefined draws
                        up, down, half = n, 0, float(n)
                    elif limits[0, j, b] > limits[1, i, b] + rope:
                        up, down, half = 0, n, 0.0
                    else:
                        up = int(_above(x, y))
                        down = int(_above(y, x)) if may_tie else n - up
                        half = (n + up - down) / 2
                        if rope > 0:
                            up, down = _above_by(x, y, rope), _above_by(y, x, rope)
                    n_sum += n
                    n_batches += 1
                    up_sum += up
                    up_squares += up * up / n
                    down_sum += down
                    down_squares += down * down / n
                    half_sum += half
                    half_squares += half * half / n
                    rest_sum += n - half
                    rest_squares += (n - half) * (n - half) / n
                # On the diagonal both sides are the same.
                joint[j, i], batches[j, i] = n_sum, n_batches
                won[j, i], won_squares[j, i] = down_sum, down_squares
                before[j, i], before_squares[j, i] = rest_sum, rest_squares
                joint[i, j], batches[i, j] = n_sum, n_batches
                won[i, j], won_squares[i, j] = up_sum, up_squares
                before[i, j], before_squares[i, j] = half_sum, half_squares
        first = last


def compare_pairs(
    values: np.ndarray, whole: np.ndarray, tied: np.ndarray, edges: np.ndarray, rope: float, *tables: np.ndarray
) -> None:  # fmt: skip
    """Fill the tables of :func:`bayesrank.ranking._loops.compare_pairs`.

    ``whole`` entities are always defined. Two entities have equal values only if both are ``tied``.
    In a batch where the ranges of two entities do not overlap, their draws need no comparison.
    """
    limits = _limits_of(values, edges)

    def fill(strips: list[int]) -> None:
        for strip in strips:
            _compare_strip(strip, values, whole, tied, limits, edges, rope, *tables)

    size, draws = values.shape
    number = (size + STRIP - 1) // STRIP
    # A strip is compared with those after it: pairing a long and a short one balances the work.
    pairs = [sorted({p, number - 1 - p}) for p in range((number + 1) // 2)]
    if size * size * draws < WORTH:
        pairs = [list(range(number))]
    in_threads(fill, pairs)


def _limits_of(values: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Return the lowest and the highest value of each entity in each batch (end, entity, batch); NaN if undefined."""
    limits = np.full((2, len(values), len(edges) - 1), np.nan, values.dtype)
    for b, (low, high) in enumerate(pairwise(edges)):
        if high > low:
            part = values[:, low:high]
            limits[0, :, b], limits[1, :, b] = part.min(axis=1), part.max(axis=1)
    return limits


@njit(nogil=True, cache=True)
def _largest(
    rows: np.ndarray,
    shift: np.ndarray,
    weight: np.ndarray,
    found: np.ndarray,
    first: int,
    last: int,
) -> None:
    size = len(rows)
    for low in range(first, last, WIDTH):
        high = min(low + WIDTH, last)
        best = np.zeros(high - low, rows.dtype)
        for start in range(0, size, STRIP):
            stop = min(start + STRIP, size)
            for j in range(start, size):
                y = rows[j, low:high]
                for i in range(start, min(stop, j)):
                    x = rows[i, low:high]
                    less, up, down = shift[i, j], weight[i, j], weight[j, i]
                    for d in range(high - low):
                        lead = x[d] - y[d] - less
                        one, other = lead * up, -lead * down
                        best[d] = one if one > best[d] else best[d]
                        best[d] = other if other > best[d] else best[d]
        for d in range(high - low):  # a slice takes four times as long to compile
            found[low + d] = best[d]


def largest(rows: np.ndarray, shift: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Find the largest leads, as :func:`bayesrank.ranking._loops.largest`."""
    size, draws = rows.shape
    result = np.empty(draws, rows.dtype)
    together = min(max(WORTH // (size * size), WIDTH), max(draws, 1))
    starts = range(0, draws, together)
    in_threads(
        lambda low: _largest(rows, shift, weight, result, low, min(low + together, draws)), starts
    )
    return result


@njit(nogil=True, cache=True)
def _largest_of_each(
    rows: np.ndarray,
    shift: np.ndarray,
    weight: np.ndarray,
    found: np.ndarray,
    first: int,
    last: int,
) -> None:
    size = len(rows)
    for low in range(first, last, WIDTH):
        high = min(low + WIDTH, last)
        for start in range(0, size, STRIP):
            stop = min(start + STRIP, size)
            for j in range(start, size):
                y, own = rows[j, low:high], found[j, low:high]
                for i in range(start, min(stop, j)):
                    x, other = rows[i, low:high], found[i, low:high]
                    less, up, down = shift[i, j], weight[i, j], weight[j, i]
                    for d in range(high - low):
                        lead = x[d] - y[d] - less
                        size_of_lead = lead * up if lead > 0 else -lead * down
                        own[d] = size_of_lead if size_of_lead > own[d] else own[d]
                        other[d] = size_of_lead if size_of_lead > other[d] else other[d]


def largest_of_each(rows: np.ndarray, shift: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Find the largest leads, as :func:`bayesrank.ranking._loops.largest_of_each`."""
    size, draws = rows.shape
    result = np.zeros_like(rows)
    together = min(max(WORTH // (size * size), WIDTH), max(draws, 1))
    starts = range(0, draws, together)
    in_threads(
        lambda low: _largest_of_each(rows, shift, weight, result, low, min(low + together, draws)),
        starts,
    )
    return result


@njit(nogil=True, cache=True, fastmath={"reassoc"})  # sums in any order can be vectorised
def _lower_squares(
    rows: np.ndarray, shift: np.ndarray, squares: np.ndarray, below: np.ndarray, strip: int
) -> None:
    size, draws = rows.shape
    start, stop = strip * STRIP, min(strip * STRIP + STRIP, size)
    for low in range(0, draws, WIDTH):
        high = min(low + WIDTH, draws)
        for j in range(start, size):
            y = rows[j, low:high]
            for i in range(start, min(stop, j)):
                x = rows[i, low:high]
                less = shift[i, j]
                down, up, fewer, more = np.float32(0), np.float32(0), np.float32(0), np.float32(0)
                for d in range(high - low):
                    lead = x[d] - y[d] - less
                    square = lead * lead
                    down += square if lead < 0 else np.float32(0)
                    up += square if lead > 0 else np.float32(0)
                    fewer += np.float32(1) if lead < 0 else np.float32(0)
                    more += np.float32(1) if lead > 0 else np.float32(0)
                squares[i, j] += down
                squares[j, i] += up
                below[i, j] += fewer
                below[j, i] += more


def lower_squares(
    rows: np.ndarray, shift: np.ndarray, squares: np.ndarray, below: np.ndarray
) -> None:
    """Add the squares and the numbers of negative leads (entity, rival) over draws, without undefined values."""
    strips = range((len(rows) + STRIP - 1) // STRIP)
    in_threads(lambda strip: _lower_squares(rows, shift, squares, below, strip), strips)


@njit(nogil=True, cache=True, fastmath={"reassoc"})
def _lower_squares_of(
    rows: np.ndarray,
    one: np.ndarray,
    other: np.ndarray,
    shift: np.ndarray,
    squares: np.ndarray,
    below: np.ndarray,
) -> None:
    draws = rows.shape[1]
    for low in range(0, draws, WIDTH):
        high = min(low + WIDTH, draws)
        for pair in range(len(one)):
            x, y, less = rows[one[pair], low:high], rows[other[pair], low:high], shift[pair]
            down, fewer = np.float32(0), np.float32(0)
            for d in range(high - low):
                lead = x[d] - y[d] - less
                down += lead * lead if lead < 0 else np.float32(0)
                fewer += np.float32(1) if lead < 0 else np.float32(0)
            squares[pair] += down
            below[pair] += fewer


def lower_squares_of(
    rows: np.ndarray,
    one: np.ndarray,
    other: np.ndarray,
    shift: np.ndarray,
    squares: np.ndarray,
    below: np.ndarray,
) -> None:
    """Add the squares and the numbers of negative leads of some entities over others (pair) over draws."""

    def add(start: int) -> None:
        part = slice(start, start + TOGETHER)
        _lower_squares_of(rows, one[part], other[part], shift[part], squares[part], below[part])

    in_threads(add, range(0, len(one), TOGETHER))
