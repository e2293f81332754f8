"""Compiled exact distances to frontiers. Loaded on first use, as it imports numba; compiled code is cached on disk.

Two entities tie where g(a, b) = A + B a + C b + D a b = 0: a hyperbola with axes of symmetry at 45 degrees, a line, or
two lines. About a point (p, q), with a = p + t, it is b = q - (e0 + e1 t) / (c0 + c1 t), where e0 = g(p, q),
e1 = B + D q, c0 = C + D p, c1 = D. The foot points are among the roots of t (c0 + c1 t)³ = K (e0 + e1 t) with
K = A D - B C, and the slope there is K / (c0 + c1 t)². Foot points where the curve is flatter than 45 degrees are
searched along a, all others along b.
"""

import numpy as np

from bayesrank._compiled import njit
from bayesrank.tile.kernels._columns import OPTIONS, same


@njit(**OPTIONS)
def frontiers(cells, curves, edges, corners):
    """Find where pairs of entities (4, entity) tie, except pairs that tie everywhere or nowhere; return their number.

    Curves are given as g at the corners (0, 0), (1, 0), (0, 1), (1, 1). Ties on whole edges (b = 0, b = 1, a = 0,
    a = 1) and at single corners are marked separately, since many pairs often share them.
    """
    count, n = 0, cells.shape[1]
    for i in range(n):
        for j in range(i):
            g = curves[count]
            for corner in range(4):
                correct, wrong = 3 * (corner % 2), 1 + corner // 2
                x, y = cells[correct, i] * cells[wrong, j], cells[correct, j] * cells[wrong, i]
                g[corner] = 0.0 if same(x, y) else x - y
            if not np.abs(g).max() > 0.0:  # they tie everywhere, or one is undefined
                continue
            # A g that is 0 on an edge is a multiple of the distance from it: divide by the distance.
            if g[0] == 0.0 and g[1] == 0.0:
                edges[0], g[0], g[1] = True, g[2], g[3]
            elif g[2] == 0.0 and g[3] == 0.0:
                edges[1], g[2], g[3] = True, g[0], g[1]
            if g[0] == 0.0 and g[2] == 0.0:
                edges[2], g[0], g[2] = True, g[1], g[3]
            elif g[1] == 0.0 and g[3] == 0.0:
                edges[3], g[1], g[3] = True, g[0], g[2]
            if g.min() >= 0.0 or g.max() <= 0.0:
                for corner in range(4):
                    corners[corner] |= g[corner] == 0.0
            else:
                # Normalise scale and sign, so that duplicates are recognised.
                largest = np.abs(g).max()
                g /= largest if g[np.argmax(np.abs(g) > 0.5 * largest)] > 0.0 else -largest
                count += 1
    return count


@njit(**OPTIONS)
def polynomial(c, degree, t):
    value = c[degree]
    for power in range(degree - 1, -1, -1):
        value = value * t + c[power]
    return value


@njit(**OPTIONS)
def sign_changes(c, low, high, places, work):
    """Find the sign changes of a quartic (coefficients in rising powers) between low and high; return their number.

    Neighbouring extremes enclose at most one sign change, and extremes are sign changes of the derivative. The search
    therefore starts at the third derivative.
    """
    found = 0
    for degree in range(1, 5):
        for power in range(degree + 1):
            work[power] = c[power + 4 - degree]
            for factor in range(power + 1, power + 5 - degree):
                work[power] *= factor
        start, below, kept = low, polynomial(work, degree, low) < 0.0, 0
        for k in range(found + 1):
            stop = places[k] if k < found else high
            change = (polynomial(work, degree, stop) < 0.0) != below
            if change:
                x, y = start, stop
                for _ in range(60):
                    middle = 0.5 * (x + y)
                    if (polynomial(work, degree, middle) < 0.0) == below:
                        x = middle
                    else:
                        y = middle
                places[kept] = 0.5 * (x + y)
                kept += 1
            start, below = stop, below != change
        found = kept
    return found


@njit(**OPTIONS)
def nearest_flat(p, q, e0, e1, c0, c1, k, radius, space):
    """Return the least squared distance from (p, q) to a foot point where the curve is no steeper than 45 degrees.

    Foot points beyond the radius may be ignored.
    """
    least = np.inf
    flat = 0.99 * np.sqrt(abs(k))  # below 1, so that the searches along a and along b overlap
    if c1 == 0.0 and abs(c0) < flat:
        return least
    pole, reach = (-c0 / c1, flat / abs(c1)) if c1 != 0.0 else (np.inf, 0.0)
    c, places, work = space
    c[0], c[1], c[2], c[3], c[4] = -k * e0, c0**3 - k * e1, 3 * c0**2 * c1, 3 * c0 * c1**2, c1**3
    for side in range(2):
        low, high = max(-p, -radius), min(1 - p, radius)
        if side == 0:
            high = min(high, pole - reach)
        else:
            low = max(low, pole + reach)
        if not low <= high:
            continue
        for i in range(sign_changes(c, low, high, places, work)):
            t = places[i]
            if c0 + c1 * t != 0.0:
                rise = -(e0 + e1 * t) / (c0 + c1 * t)
                if 0.0 <= q + rise <= 1.0:
                    least = min(least, t**2 + rise**2)
    return least


@njit(**OPTIONS)
def nearest_on_edge(first, second, along, across):
    """Return the squared distance to the tie on an edge of the Tile, from g at its ends."""
    if min(first, second) > 0.0 or max(first, second) < 0.0:
        return np.inf
    return (first / (first - second) - along) ** 2 + across**2


@njit(**OPTIONS)
def distance(g, p, q, radius, space):
    """Return the distance from (p, q) to a curve: to its foot points within the radius and its ends.

    All candidates lie on the curve, so the distance cannot be too small.
    """
    g00, g10, g01, g11 = g
    b, c, d = g10 - g00, g01 - g00, g00 + g11 - g10 - g01
    e0, k = g00 + b * p + c * q + d * p * q, g00 * g11 - g10 * g01
    if e0 == 0.0:
        return 0.0
    least = min(
        min(nearest_on_edge(g00, g10, p, q), nearest_on_edge(g01, g11, p, 1 - q)),
        min(nearest_on_edge(g00, g01, q, p), nearest_on_edge(g10, g11, q, 1 - p)),
    )
    least = min(least, nearest_flat(p, q, e0, b + d * q, c + d * p, d, k, radius, space))
    return np.sqrt(min(least, nearest_flat(q, p, e0, c + d * p, b + d * q, d, k, radius, space)))


@njit(**OPTIONS)
def distance_to_border(edges, corners, p, q):
    """Return the distance from (p, q) to the nearest marked edge or corner."""
    least = np.inf
    for edge, far in enumerate((q, 1 - q, p, 1 - p)):
        if edges[edge]:
            least = min(least, far)
    for corner in range(4):
        if corners[corner]:
            least = min(least, np.hypot(p - corner % 2, q - corner // 2))
    return least


@njit(**OPTIONS)
def distances(curves, edges, corners, points, out):
    """Write the distance from each grid point (b, a) to the nearest frontier, infinite if there is none."""
    space = np.empty(5), np.empty(5), np.empty(5)
    g00, g10, g01, g11 = curves.T.copy()
    bend = np.abs(g00 + g11 - g10 - g01)
    leftmost = 0
    for m in range(points.size):
        q, nearest = points[m], leftmost
        for i in range(points.size):
            p = points[i]
            radius = distance_to_border(edges, corners, p, q)
            if g00.size > 0:
                # The curve nearest to the previous point is near: few others need a closer check.
                radius = min(radius, distance(curves[nearest], p, q, radius, space))
            known = nearest
            for f in range(g00.size):
                left, right = (1 - q) * g00[f] + q * g01[f], (1 - q) * g10[f] + q * g11[f]
                along_a = right - left
                along_b = (1 - p) * (g01[f] - g00[f]) + p * (g11[f] - g10[f])
                # Within the radius g changes by at most radius · |gradient| + radius² |D| / 2.
                rest = abs(left + p * along_a) - 0.5 * bend[f] * radius**2
                if f == known or (rest > 0.0 and rest**2 > radius**2 * (along_a**2 + along_b**2)):
                    continue
                far = distance(curves[f], p, q, radius, space)
                if far < radius:
                    radius, nearest = far, f
            out[m, i] = radius
            if i == 0:
                leftmost = nearest
