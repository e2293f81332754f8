"""The compiled steps of exact rankings: integrals along contours, and products of all entities but one."""

import math

import numba
import numpy as np


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


@numba.njit(parallel=True, cache=True)
def along_contours(
    zeta: np.ndarray, eta: np.ndarray, weight: np.ndarray, corner: np.ndarray, first: np.ndarray, last: np.ndarray,
    beta: np.ndarray, of_tnr: np.ndarray, of_tpr: np.ndarray, lows: np.ndarray, steps: np.ndarray,
    starts: np.ndarray, coefficients: np.ndarray, values: np.ndarray, out: np.ndarray,
) -> None:  # fmt: skip
    """Fill ``out`` (prevalence, entity, value) with P(score <= value): the integral of the cdf of TPR over that of TNR.

    ``zeta`` and ``eta`` (value, prevalence, panel, 1 + node + 1) are the logits of TNR and TPR along the contour, with
    both ends of a panel; ``weight`` (value, prevalence, panel, node) is the quadrature's, times the slope of zeta.
    """
    number, shares, panels, nodes = weight.shape
    for v in numba.prange(number):
        log_right, log_wrong = np.empty((panels, nodes)), np.empty((panels, nodes))
        for q in range(shares):
            for p in range(panels):
                for r in range(nodes):
                    x = zeta[v, q, p, r + 1]
                    small = math.log1p(math.exp(-abs(x)))
                    log_right[p, r] = min(x, 0.0) - small
                    log_wrong[p, r] = min(-x, 0.0) - small
            for i in range(len(of_tnr)):
                if values[v] <= corner[q, i, 0]:
                    out[q, i, v] = 0.0
                    continue
                if values[v] >= corner[q, i, 1]:
                    out[q, i, v] = 1.0
                    continue
                z, y = of_tnr[i], of_tpr[i]
                # What lies below the contour and what lies above it; the smaller of them has the smaller error.
                at = zeta[v, q, first[i], 0]
                below = _table(at, lows[z], steps[z], starts[z], starts[z + 1], coefficients)
                at = zeta[v, q, last[i] - 1, nodes + 1]
                above = 1.0 - _table(at, lows[z], steps[z], starts[z], starts[z + 1], coefficients)
                a, b, c = beta[i, 0], beta[i, 1], beta[i, 2]
                top = lows[z] + steps[z] * (starts[z + 1] - starts[z])
                for p in range(first[i], last[i]):
                    for r in range(nodes):
                        x, h = zeta[v, q, p, r + 1], eta[v, q, p, r + 1]
                        if lows[z] < x < top:
                            under = _table(h, lows[y], steps[y], starts[y], starts[y + 1], coefficients)
                            mass = weight[v, q, p, r] * math.exp(a * log_right[p, r] + b * log_wrong[p, r] - c)
                            below += mass * under
                            above += mass * (1.0 - under)
                out[q, i, v] = min(max(below if below < above else 1.0 - above, 0.0), 1.0)


@numba.njit(parallel=True, cache=True)
def cross(
    pieces: np.ndarray,
    ends: np.ndarray,
    low: float,
    step: float,
    wanted: np.ndarray,
    needed: np.ndarray,
    at: np.ndarray,
) -> None:
    """Fill ``at`` (value, prevalence, panel, node): where rising functions take the wanted values.

    ``pieces`` (prevalence, panel, node, piece, degree) are Chebyshev coefficients of the functions on intervals of
    length ``step``, from ``low`` on, at whose ``ends`` they take those values. 0 where it is not ``needed``; NaN where
    the function does not take the value, or its first coefficient is NaN.
    """
    shares, panels, nodes, number, degrees = pieces.shape
    for v in numba.prange(len(wanted)):
        x = wanted[v]
        for q in range(shares):
            for p in range(panels):
                for r in range(nodes):
                    at[v, q, p, r] = 0.0
                    if not needed[v, q, p]:
                        continue
                    at[v, q, p, r] = np.nan
                    f = ends[q, p, r]
                    if not (f[0] < x and x < f[number]):
                        continue
                    left, right = 0, number
                    while right - left > 1:
                        middle = (left + right) // 2
                        if f[middle] < x:
                            left = middle
                        else:
                            right = middle
                    c = pieces[q, p, r, left]
                    if np.isnan(c[0]):
                        continue
                    a, b = -1.0, 1.0
                    t = -1.0 + 2.0 * (x - f[left]) / (f[right] - f[left])
                    for _ in range(12):
                        # Clenshaw's rule, of the value and of the slope.
                        y0, y1, d0, d1 = 0.0, 0.0, 0.0, 0.0
                        for k in range(degrees - 1, 0, -1):
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
                        if moved < 1e-9:
                            break
                    at[v, q, p, r] = low + step * (left + (t + 1.0) / 2.0)


@numba.njit(inline="always")
def _power(x: complex, times: int) -> complex:
    out = 1.0 + 0.0j
    while times > 0:
        if times & 1:
            out *= x
        x *= x
        times >>= 1
    return out


@numba.njit(parallel=True, cache=True)
def fold_products(
    cdf: np.ndarray, change: np.ndarray, state: np.ndarray, panel: np.ndarray, rows: np.ndarray, share: np.ndarray,
    members: np.ndarray, times: np.ndarray, copies: np.ndarray, z: np.ndarray, out: np.ndarray,
) -> None:  # fmt: skip
    """Fill ``out`` (entity, z) with E[z^(entities above it)]: the product over all others, integrated over its cdf.

    ``cdf`` and ``change`` (row, node) hold each group's entities, prevalence by prevalence, from row ``rows[g]``;
    ``share`` (row) is the probability of the row's prevalence. ``state`` (row, panel): 0 where the cdf is 0 on all of
    a panel, 1 where it is 1, else 2; ``panel`` (node) is that of a node. ``members[g]`` is the first entity of a group,
    ``times`` how often each is there, ``copies`` how often the group. No factor is divided by another, so that none has
    to differ from 0.
    """
    groups, number = len(copies), cdf.shape[1]
    for k in numba.prange(len(z)):
        entities = len(times)
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
