"""The compiled steps of exact rankings: integrals along contours, and products of all entities but one."""

import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from bayesrank._compiled import njit
from bayesrank._threads import in_threads

#: Parts that the items of a kernel are shared out in.
PARTS = 32


def shared_out(kernel: Callable[..., None], size: int, *given: Any) -> None:
    """Call a kernel with the first of some of so many items, the end of them, and what is given, in threads.

    Numba's own parallel loops take twice as long to compile.
    """
    each = max(-(-size // PARTS), 1)
    in_threads(lambda first: kernel(first, min(first + each, size), *given), range(0, size, each))


@numba.njit(inline="always")
def _table(x: float, low: float, step: float, first: int, last: int, coefficients: np.ndarray) -> float:
    """A cdf at x, from its fifth-degree pieces ``first`` to ``last``: 0 below them, 1 above."""
    place = (x - low) / step
    if not place > 0.0:
        return 0.0
    if place >= last - first:
        return 1.0
    piece = int(place)
    t = place - piece
    c = coefficients[first + piece]
    return c[0] + t * (c[1] + t * (c[2] + t * (c[3] + t * (c[4] + t * c[5]))))


@njit(cache=True)
def along_contours(
    entity: np.ndarray, middle: np.ndarray, starts: np.ndarray, s: np.ndarray, slopes: np.ndarray, first: np.ndarray,
    last: np.ndarray, beta: np.ndarray, of_tnr: np.ndarray, of_tpr: np.ndarray, windows: np.ndarray, lows: np.ndarray,
    steps: np.ndarray, pieces: np.ndarray, coefficients: np.ndarray, out: np.ndarray,
) -> None:  # fmt: skip
    """Fill ``out`` (value) with P(score <= value): the integral of the cdf of TPR over that of TNR.

    ``middle`` (panel of a value, 1 + node + 1) are the mean logits of TNR and TPR along the contour of each value, from
    ``starts`` on, with both ends of a panel; ``slopes`` takes the logits of TNR at the nodes to the quadrature's
    weights.
    """
    nodes = len(slopes)
    for v in range(len(entity)):
        i = entity[v]
        z, y = of_tnr[i], of_tpr[i]
        a, b, c = beta[i, 0], beta[i, 1], beta[i, 2]
        # What lies below the contour and what lies above it; the smaller of them has the smaller error.
        below, above, begun, ended = 0.0, 0.0, False, False
        left, right = 0.0, 0.0
        zeta = np.empty(nodes)
        for p in range(first[i], last[i]):
            m = middle[starts[v] + p - first[i]]
            left, right = m[0] + s[p, 0] / 2, m[nodes + 1] + s[p, nodes + 1] / 2
            if right <= windows[0, i] or m[nodes + 1] - s[p, nodes + 1] / 2 >= windows[3, i]:
                continue
            if not begun:
                below = _table(left, lows[z], steps[z], pieces[z], pieces[z + 1], coefficients)
                begun = True
            if left >= windows[1, i] or m[0] - s[p, 0] / 2 <= windows[2, i]:
                above += 1.0 - _table(left, lows[z], steps[z], pieces[z], pieces[z + 1], coefficients)
                ended = True
                break
            for r in range(nodes):
                zeta[r] = m[r + 1] + s[p, r + 1] / 2
            for r in range(nodes):
                x, h = zeta[r], m[r + 1] - s[p, r + 1] / 2
                if windows[0, i] < x < windows[1, i]:
                    slope = 0.0
                    for k in range(nodes):
                        slope += slopes[r, k] * zeta[k]
                    under = _table(h, lows[y], steps[y], pieces[y], pieces[y + 1], coefficients)
                    small = math.log1p(math.exp(-abs(x)))
                    mass = slope * math.exp(a * (min(x, 0.0) - small) + b * (min(-x, 0.0) - small) - c)
                    below += mass * under
                    above += mass * (1.0 - under)
        end = _table(right, lows[z], steps[z], pieces[z], pieces[z + 1], coefficients)
        if not begun:
            below = end
        if not ended:
            above += 1.0 - end
        out[v] = min(max(below if below < above else 1.0 - above, 0.0), 1.0)


@numba.njit
def _crossing(
    x: float, pieces: np.ndarray, ends: np.ndarray, starts: np.ndarray, low: np.ndarray, step: np.ndarray,
    q: int, p: int, r: int,
) -> float:  # fmt: skip
    """Where the score is x on panel p: at an end of its pieces, if it is not there; NaN in a piece without any."""
    left, right = starts[p], starts[p + 1]
    if not x > ends[q, left, r, 0]:
        return low[p]
    if not x < ends[q, right - 1, r, 1]:
        return low[p] + step[p] * (right - left)
    while right - left > 1:
        middle = (left + right) // 2
        if ends[q, middle, r, 0] < x:
            left = middle
        else:
            right = middle
    c = pieces[q, left, r]
    if np.isnan(c[0]):
        return np.nan
    a, b = -1.0, 1.0
    t = -1.0 + 2.0 * (x - ends[q, left, r, 0]) / (ends[q, left, r, 1] - ends[q, left, r, 0])
    for _ in range(12):
        # Clenshaw's rule, of the value and of the slope.
        y0, y1, d0, d1 = 0.0, 0.0, 0.0, 0.0
        for k in range(len(c) - 1, 0, -1):
            d0, d1 = 2.0 * t * d0 - d1 + 2.0 * y0, d0
            y0, y1 = 2.0 * t * y0 - y1 + c[k], y0
        value = t * y0 - y1 + c[0] - x
        slope = t * d0 - d1 + y0
        if value < 0.0:
            a = t
        else:
            b = t
        new = t - value / slope if slope > 0.0 else 2.0
        if not (a <= new <= b):
            new = (a + b) / 2.0
        moved = abs(new - t)
        t = new
        # The next step would be the square of it.
        if moved < 1e-7:
            break
    return low[p] + step[p] * (left - starts[p] + (t + 1.0) / 2.0)


@numba.njit
def _solved(up: float, down: float, ratio: np.ndarray, q: int, s: float, far: float) -> float:
    """Where up times the first of two bilinear functions is down times the second: half the logarithm of a root.

    With x = exp of the mean logit, a = exp(s / 2): TNR TPR, TNR FNR, FPR TPR and FPR FNR are as x², x a, x / a and 1.
    """
    both = up * ratio[q, 0, 1, 1] - down * ratio[q, 1, 1, 1]
    none = up * ratio[q, 0, 0, 0] - down * ratio[q, 1, 0, 0]
    a = math.exp(s / 2)
    one = (up * ratio[q, 0, 1, 0] - down * ratio[q, 1, 1, 0]) * a + (
        up * ratio[q, 0, 0, 1] - down * ratio[q, 1, 0, 1]
    ) / a
    wide = math.sqrt(max(one * one - 4.0 * both * none, 0.0))
    above, below = (-2.0 * none, one + wide) if one > 0.0 else (wide - one, 2.0 * both)
    if not above > 0.0:
        return -far
    if not below > 0.0:
        return far
    return min(max(math.log(above / below), -far), far)


@numba.njit
def _of_correlation(x: float, share: float, s: float, far: float) -> float:
    """Where MCC is tanh(x / 2), at a prevalence: the mean logit m.

    With a = exp(s / 2), p the prevalence, q = 1 - p and c(a) = p a + q / a that is

        4 p q sinh(m)² = sinh(x / 2)² (c(a) exp(m) + 2 + c(1 / a) exp(-m)),

    from MCC² / (1 - MCC²), where nothing cancels. Over log sinh(m) the logarithm of the ratio has slopes from 1 to 3.
    """
    if x == 0.0:
        return 0.0
    a, p, q = math.exp(s / 2), share, 1.0 - share
    up, down = p * a + q / a, p / a + q * a
    if x < 0.0:
        up, down = down, up
    wanted = math.sinh(abs(x) / 2) ** 2 / (4.0 * p * q)
    # As it is near to 0 and far from it: c(a) exp(m) is c(a) (1 or 2 sinh(m)).
    sinh = wanted * up + math.sqrt(wanted * (wanted * up * up + 2.0 + up + down))
    low, high = 0.0, math.inf
    for _ in range(60):
        cosh = math.sqrt(1.0 + sinh * sinh)
        e = sinh + cosh
        rising, falling = up * e, down / e
        rest = rising + 2.0 + falling
        f = math.log(sinh * sinh / (wanted * rest))
        if f > 0.0:
            high = sinh
        else:
            low = sinh
        step = f / (2.0 - sinh / cosh * (rising - falling) / rest)
        new = sinh * math.exp(-step)
        if not (low <= new <= high):
            new = (low + high) / 2.0 if high < math.inf else 2.0 * sinh
        sinh = new
        if abs(step) < 1e-7:
            break
    m = min(math.asinh(sinh), far)
    return m if x > 0.0 else -m


@numba.njit
def _place(
    x: float, sides: np.ndarray, pieces: np.ndarray, ends: np.ndarray, starts: np.ndarray, low: np.ndarray,
    step: np.ndarray, ratio: np.ndarray, correlated: np.ndarray, far: float, s: float, q: int, p: int, r: int,
) -> float:  # fmt: skip
    """The mean logit at which the score is x on the scale, by the way that there is for it."""
    if len(ratio):
        return _solved(sides[0], sides[1], ratio, q, s, far)
    if len(correlated):
        return _of_correlation(x, correlated[q], s, far)
    return _crossing(x, pieces, ends, starts, low, step, q, p, r)


@njit(nogil=True, cache=True)
def cross(
    begin: int, end: int,
    pieces: np.ndarray, ends: np.ndarray, starts: np.ndarray, low: np.ndarray, step: np.ndarray, ratio: np.ndarray,
    correlated: np.ndarray, sides: np.ndarray, far: float, share: np.ndarray, entity: np.ndarray, wanted: np.ndarray,
    first: np.ndarray, last: np.ndarray, s: np.ndarray, windows: np.ndarray, offsets: np.ndarray, out: np.ndarray,
) -> None:  # fmt: skip
    """Fill ``out`` (panel of a value, 1 + node + 1) with the mean logits at which the score takes some wanted values.

    Between its ends a panel is left alone where an entity does not live: below, above, left or right of the contour.
    Where there are ``ratio`` (prevalence, side, TNR, TPR), the score is wanted where these, bilinear functions by their
    values in the corners, are in the ratio of the ``sides`` (value, side); where there are prevalences ``correlated``
    it is the MCC. No pieces are needed then.
    """
    nodes = s.shape[1] - 2
    for v in range(begin, end):
        q, i, x = share[v], entity[v], wanted[v]
        for p in range(first[i], last[i]):
            m = out[offsets[v] + p - first[i]]
            for r in (0, nodes + 1):
                m[r] = _place(x, sides[v], pieces, ends, starts, low, step, ratio, correlated, far, s[p, r], q, p, r)
            beyond = (
                m[nodes + 1] + s[p, nodes + 1] / 2 <= windows[0, i]
                or m[nodes + 1] - s[p, nodes + 1] / 2 >= windows[3, i]
                or m[0] + s[p, 0] / 2 >= windows[1, i]
                or m[0] - s[p, 0] / 2 <= windows[2, i]
            )
            if not beyond:
                for r in range(1, nodes + 1):
                    m[r] = _place(
                        x, sides[v], pieces, ends, starts, low, step, ratio, correlated, far, s[p, r], q, p, r
                    )


@njit(cache=True)
def evaluate(edges: np.ndarray, starts: np.ndarray, coefficients: np.ndarray, x: np.ndarray, out: np.ndarray) -> None:
    """Fill ``out`` (row, value) with what pieces, Chebyshev series between ``edges`` (piece, 2), are at x.

    Those of a row begin at ``starts``. Below and above them is what they end with; 0 and 1 at infinity.
    """
    for row in range(len(starts) - 1):
        for v in range(len(x)):
            if x[v] == -np.inf:
                out[row, v] = 0.0
                continue
            if x[v] == np.inf:
                out[row, v] = 1.0
                continue
            left, right = starts[row], starts[row + 1]
            while right - left > 1:
                middle = (left + right) // 2
                if edges[middle, 0] <= x[v]:
                    left = middle
                else:
                    right = middle
            low, high = edges[left]
            t = min(max((2.0 * x[v] - low - high) / (high - low), -1.0), 1.0) if high > low else 0.0
            y0, y1 = 0.0, 0.0
            for k in range(coefficients.shape[1] - 1, 0, -1):
                y0, y1 = 2.0 * t * y0 - y1 + coefficients[left, k], y0
            f = t * y0 - y1 + coefficients[left, 0]
            # What is left of a series is no probability.
            out[row, v] = 0.0 if f < 1e-13 else 1.0 if f > 1.0 - 1e-13 else f


@numba.njit(inline="always")
def _power(x: complex, times: int) -> complex:
    out = 1.0 + 0.0j
    while times > 0:
        if times & 1:
            out *= x
        x *= x
        times >>= 1
    return out


@njit(nogil=True, cache=True)
def fold_products(
    begin: int, end: int,
    cdf: np.ndarray, change: np.ndarray, state: np.ndarray, panel: np.ndarray, rows: np.ndarray, share: np.ndarray,
    members: np.ndarray, times: np.ndarray, copies: np.ndarray, z: np.ndarray, out: np.ndarray,
) -> None:  # fmt: skip
    """Fill ``out`` (entity, z), of some z, with E[z^(entities above it)]: a product over all others, integrated.

    ``cdf`` and ``change`` (row, node) hold each group's entities, prevalence by prevalence, from row ``rows[g]``;
    ``share`` (row) is the probability of the row's prevalence. ``state`` (row, panel): 0 where the cdf is 0 on all of
    a panel, 1 where it is 1, else 2; ``panel`` (node) is that of a node. ``members[g]`` is the first entity of a group,
    ``times`` how often each is there, ``copies`` how often the group. No factor is divided by another, so that none has
    to differ from 0.
    """
    groups, number = len(copies), cdf.shape[1]
    entities = len(times)
    for k in range(begin, end):
        mean = np.empty(groups, np.complex128)
        others = np.empty(groups + 1, np.complex128)
        left_out = np.empty(entities, np.complex128)
        before = np.empty(entities + 1, np.complex128)
        active = np.empty(entities, np.int64)
        for t in range(number):
            p = panel[t]
            for g in range(groups):
                size = members[g + 1] - members[g]
                mean[g] = 0.0
                for u in range(members[g], members[g + 1]):
                    left_out[u] = 0.0
                for row in range(rows[g], rows[g + 1], size):
                    count, above = 0, 0
                    before[0] = 1.0
                    for j in range(size):
                        if state[row + j, p] == 2:
                            f = cdf[row + j, t]
                            active[count] = j
                            before[count + 1] = before[count] * _power(f + (1.0 - f) * z[k], times[members[g] + j])
                            count += 1
                        elif state[row + j, p] == 0:
                            above += times[members[g] + j]
                    weight = share[row] * _power(z[k], above)
                    mean[g] += weight * before[count]
                    after = weight
                    for c in range(count - 1, -1, -1):
                        j = active[c]
                        u = members[g] + j
                        f = cdf[row + j, t]
                        factor = f + (1.0 - f) * z[k]
                        rest = after * _power(factor, times[u] - 1)
                        left_out[u] += change[row + j, t] * before[c] * rest
                        after = rest * factor
            others[groups] = 1.0
            for g in range(groups - 1, -1, -1):
                others[g] = others[g + 1] * _power(mean[g], copies[g])
            earlier = 1.0 + 0.0j
            for g in range(groups):
                rest = earlier * _power(mean[g], copies[g] - 1) * others[g + 1]
                for u in range(members[g], members[g + 1]):
                    out[u, k] += left_out[u] * rest
                earlier *= _power(mean[g], copies[g])
