"""Exact distances on the Tile to the nearest frontier.

Two entities tie where g(a, b) = A + B a + C b + D a b = 0: a hyperbola, a line, or two lines. About
a point (p, q) let e = g(p, q), v = B + D q and w = C + D p, the derivatives. At the point of the
curve nearest to (p, q) the derivative by b is a root x of x⁴ - w x³ - K v x - K² with K = A D - B
C; that by a is -K / x.
"""

import numpy as np

from bayesrank.tile.grid import gain_at_corners

#: Numbers of points and curves that are compared at once.
MOST = 2**20
#: Points at which each curve is sampled, in a and again in b, to find the curve nearest to a point.
SAMPLES = 33


def frontiers(cells: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return where pairs of entities (4, entity) tie, except pairs that tie everywhere or nowhere.

    Curves are given as g at the corners (0, 0), (1, 0), (0, 1), (1, 1). Ties on whole edges (b = 0,
    b = 1, a = 0, a = 1) and at single corners are marked separately, since many pairs often share
    them.
    """
    i, j = np.triu_indices(cells.shape[1], 1)
    g = gain_at_corners(cells[:, i], cells[:, j])
    g = g[np.abs(g).max(axis=1, initial=0.0) > 0]
    edges = np.zeros(4, bool)
    for edge, (here, there) in enumerate(
        (([0, 1], [2, 3]), ([2, 3], [0, 1]), ([0, 2], [1, 3]), ([1, 3], [0, 2]))
    ):
        # A g that is 0 on an edge is a multiple of the distance from it: divide by the distance.
        zero = (g[:, here] == 0).all(axis=1)
        edges[edge] = zero.any()
        g[np.ix_(zero, here)] = g[np.ix_(zero, there)]
    one_sign = (g.min(axis=1) >= 0) | (g.max(axis=1) <= 0)
    corners = (g[one_sign] == 0).any(axis=0)
    g = g[~one_sign]
    # Normalise scale and sign, so that the frontiers of identical entities are recognised.
    size = np.abs(g)
    first = (size > 0.5 * size.max(axis=1, keepdims=True)).argmax(axis=1)[:, None]
    g *= np.sign(np.take_along_axis(g, first, 1)) / size.max(axis=1, keepdims=True)
    _, retained = np.unique(np.round(g, 13), axis=0, return_index=True)
    return g[retained], edges, corners


def distances(
    curves: np.ndarray, edges: np.ndarray, corners: np.ndarray, points: np.ndarray
) -> np.ndarray:
    """Return the distance from each grid point (b, a) to the nearest frontier, infinite if there is none."""
    from scipy.spatial import cKDTree

    q, p = (grid.ravel() for grid in np.meshgrid(points, points, indexing="ij"))
    least = np.full(p.size, np.inf)
    for edge, far in zip(edges, (q, 1 - q, p, 1 - p), strict=True):
        least = np.minimum(least, far) if edge else least
    for corner in np.flatnonzero(corners):
        least = np.minimum(least, np.hypot(p - corner % 2, q - corner // 2))
    if len(curves):
        marks, owner = _samples(curves)
        nearest = owner[cKDTree(marks).query(np.column_stack([p, q]))[1]]
        least = np.minimum(least, _distance(curves[nearest], p, q))
        step = max(MOST // len(curves), 1)
        for start in range(0, p.size, step):
            chunk = np.arange(start, min(start + step, p.size))
            e, v, w, d = _expand(curves[:, None], p[chunk], q[chunk])
            # Within a distance r, g changes by at most r · |gradient| + r² |D| / 2.
            r = least[chunk]
            near = np.abs(e) < r * np.hypot(v, w) + 0.5 * np.abs(d) * r**2
            curve, which = np.nonzero(near & (np.arange(len(curves))[:, None] != nearest[chunk]))
            which = chunk[which]
            np.minimum.at(least, which, _distance(curves[curve], p[which], q[which]))
    return least.reshape(points.size, points.size)


def _expand(
    g: np.ndarray, p: np.ndarray, q: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return g at (p, q), its derivatives by a and by b, and the mixed one, from g (..., corner) at the corners."""
    g00, g10, g01, g11 = np.moveaxis(g, -1, 0)
    b, c, d = g10 - g00, g01 - g00, g00 + g11 - g10 - g01
    return g00 + b * p + c * q + d * p * q, b + d * q, c + d * p, d


def _samples(curves: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return points (a, b) of the curves at evenly spaced a and b, and the curve of each."""
    steps, marks, owners = np.linspace(0.0, 1.0, SAMPLES), [], []
    for turned in (False, True):
        g00, g10, g01, g11 = (curves[:, [0, 2, 1, 3]] if turned else curves).T[..., None]
        low, high = (1 - steps) * g00 + steps * g10, (1 - steps) * g01 + steps * g11
        owner, at = np.nonzero(low * high <= 0)
        low, high = low[owner, at], high[owner, at]
        across = np.divide(low, low - high, out=np.zeros_like(low), where=low != high)
        marks.append(np.column_stack([across, steps[at]] if turned else [steps[at], across]))
        owners.append(owner)
    return np.concatenate(marks), np.concatenate(owners)


def _distance(g: np.ndarray, p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return the distance from each point to its own curve (point, corner).

    All candidates lie on the curve, so the distance cannot be too small.
    """
    g00, g10, g01, g11 = g.T
    e, v, w, d = _expand(g, p, q)
    k = g00 * g11 - g10 * g01
    squares = [np.where(e == 0, 0.0, np.inf)]
    with np.errstate(divide="ignore", invalid="ignore"):
        for one, two, along, across in (
            (g00, g10, p, q),
            (g01, g11, p, 1 - q),
            (g00, g01, q, p),
            (g10, g11, q, 1 - p),
        ):
            # The end of the curve on an edge of the Tile.
            squares.append(
                np.where(one * two <= 0, (one / (one - two) - along) ** 2 + across**2, np.inf)
            )
        companion = np.zeros((len(k), 4, 4))
        companion[:, [1, 2, 3], [0, 1, 2]] = 1.0
        companion[:, :, 3] = np.stack([k**2, k * v, np.zeros_like(k), w], axis=1)
        roots = np.linalg.eigvals(companion).real.T
        for x, here, there, own, other in ((roots, p, q, v, w), (-k / roots, q, p, w, v)):
            # Along the axis on which the curve is flatter than 45 degrees; without a bend, the foot
            # on a line.
            shift = np.where(np.abs(d) > 1e-8, (x - other) / d, -e * own / (own**2 + other**2))
            shift = np.where(np.abs(x) >= 0.99 * np.sqrt(np.abs(k)), shift, 0.0)
            shift = np.concatenate([shift, np.zeros_like(shift[:1])])
            for _ in range(3):
                steep = other + d * shift
                error = shift * steep**3 - k * (e + own * shift)
                step = error / (steep**3 + 3 * d * shift * steep**2 - k * own)
                shift = np.where(np.abs(step) < 1e-3, shift - step, shift)
            rise = -(e + own * shift) / (other + d * shift)
            inside = (
                (here + shift >= 0)
                & (here + shift <= 1)
                & (there + rise >= 0)
                & (there + rise <= 1)
            )
            squares += list(np.where(inside, shift**2 + rise**2, np.inf))
    return np.sqrt(np.fmin.reduce(squares))
