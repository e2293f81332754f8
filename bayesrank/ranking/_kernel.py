"""The steps whose work is draws × entities × entities, or batches × entities × entities, compiled."""

import numba
import numpy as np

#: Entities of one strip: their draws stay in the cache while all others pass by.
STRIP = 16
#: Draws that go through all pairs together.
WIDTH = 512


@numba.njit(inline="always")
def _above(x: np.ndarray, y: np.ndarray) -> np.int32:
    count = np.int32(0)  # as narrow as what is compared, so that as many are compared at once
    for d in range(x.size):
        count = np.int32(count + (x[d] > y[d]))
    return count


@numba.njit(inline="always")
def _above_by(x: np.ndarray, y: np.ndarray, by: float) -> int:
    count = 0
    for d in range(x.size):
        count += x[d] > y[d] + by
    return count


@numba.njit(parallel=True, cache=True)
def compare_pairs(
    values: np.ndarray, whole: np.ndarray, edges: np.ndarray, rope: float, joint: np.ndarray, batches: np.ndarray,
    won: np.ndarray, won_squares: np.ndarray, before: np.ndarray, before_squares: np.ndarray,
) -> None:  # fmt: skip
    """Fill tables (entity, rival) from values (entity, draw), whose draws fall into batches between ``edges``.

    ``joint``: draws in which both are defined (always, for entities that are ``whole``), in how many ``batches``;
    ``won``: those in which the entity beats the rival by more than ``rope``; ``before``: by anything, ties as halves;
    each with the sum over batches of squares over the batch's joint draws.
    """
    size = len(values)
    strips = (size + STRIP - 1) // STRIP
    # A strip meets those behind it: a long one and a short one make pairs of strips that are equal work.
    for p in numba.prange((strips + 1) // 2):
        for turn in range(2):
            strip = p if turn == 0 else strips - 1 - p
            if turn == 1 and strip == p:
                continue
            start, stop = strip * STRIP, min(strip * STRIP + STRIP, size)
            for b in range(len(edges) - 1):
                low, high = edges[b], edges[b + 1]
                for j in range(start, size):
                    y = values[j, low:high]
                    for i in range(start, min(stop, j + 1)):
                        x = values[i, low:high]
                        n = high - low
                        if not (whole[i] and whole[j]):
                            n = 0
                            for d in range(high - low):
                                n += (x[d] == x[d]) & (y[d] == y[d])
                        if n == 0:
                            continue
                        up, down = int(_above(x, y)), int(_above(y, x))
                        half = (n + up - down) / 2
                        if rope > 0:
                            up, down = _above_by(x, y, rope), _above_by(y, x, rope)
                        joint[i, j] += n
                        batches[i, j] += 1
                        won[i, j] += up
                        won_squares[i, j] += up * up / n
                        before[i, j] += half
                        before_squares[i, j] += half * half / n
                        if i != j:
                            joint[j, i] += n
                            batches[j, i] += 1
                            won[j, i] += down
                            won_squares[j, i] += down * down / n
                            before[j, i] += n - half
                            before_squares[j, i] += (n - half) * (n - half) / n


@numba.njit(cache=True)
def fold_ranks(steps: np.ndarray, draws: int, mass: np.ndarray, squares: np.ndarray) -> None:
    """Add a complete batch's draws at each rank (entity, rank), and their squares over its draws.

    ``steps`` (entity, rank + 1) go up at the first position of a tied group and down after its last: their running
    sum is the mass.
    """
    size = len(mass)
    for i in range(size):
        total = 0.0
        for r in range(size):
            total += steps[i, r]
            # Shares of ties do not always cancel to the last digit.
            if total > 1e-9:
                mass[i, r] += total
                squares[i, r] += total * total / draws


@numba.njit(parallel=True, cache=True)
def largest(rows: np.ndarray, shift: np.ndarray, weight: np.ndarray, found: np.ndarray) -> None:
    """Of each draw, the largest weighted lead of one entity over another, and at least 0, into ``found`` (draw).

    ``rows`` (entity, draw); leads are less ``shift`` and count ``weight`` (entity, rival) times, those of an undefined
    value not at all.
    """
    size, draws = rows.shape
    blocks = (draws + WIDTH - 1) // WIDTH
    for b in numba.prange(blocks):
        low, high = b * WIDTH, min(b * WIDTH + WIDTH, draws)
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
        found[low:high] = best
