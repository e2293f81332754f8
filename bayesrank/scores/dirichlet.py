"""The distribution of a ranking score whose table is Dirichlet: a Beta variable, or a mixture of them."""

from collections.abc import Callable

import numpy as np
from scipy import special

__all__ = ["Curve", "enough_nodes", "gauss_jacobi", "of_dirichlet"]

Curve = Callable[[np.ndarray], np.ndarray]
#: Node numbers are doubled until the cdf moves by less.
WANTED = 1e-11


def of_dirichlet(
    right: list[tuple[float, float]], wrong: list[tuple[float, float]]
) -> tuple[Curve, Curve, float]:
    """Return cdf and pdf of values in (0, 1), and the error of the cdf.

    ``right`` and ``wrong`` list importance and concentration of their cells.

    A ranking score is s / (s + u), with s and u the importance of the right and of the wrong
    answers. The sum of the right cells against that of the wrong ones is a Beta, independent of how
    each sum is split, which is another Beta.
    """
    alpha, beta = (sum(a for _, a in side) for side in (right, wrong))

    def curves(size: int) -> tuple[Curve, Curve]:
        (s, s_weight), (u, u_weight) = (_split(side, size) for side in (right, wrong))
        s, u = s[:, None], u[None, :]
        weight = s_weight[:, None] * u_weight[None, :]

        def cdf(v: np.ndarray) -> np.ndarray:
            v = v[..., None, None]
            return (weight * special.betainc(alpha, beta, v * u / (v * u + (1 - v) * s))).sum(
                (-2, -1)
            )

        def pdf(v: np.ndarray) -> np.ndarray:
            v = v[..., None, None]
            share = v * u + (1 - v) * s
            return (weight * _beta_pdf(alpha, beta, v * u / share) * u * s / share**2).sum((-2, -1))

        return cdf, pdf

    sides = [side for side in (right, wrong) if len({w for w, _ in side}) > 1]
    if not sides:
        return *curves(1), 0.0
    s, u = (sum(w * a for w, a in side) / sum(a for _, a in side) for side in (right, wrong))
    x = special.betaincinv(alpha, beta, np.linspace(0.01, 0.99, 25))
    at = x * s / (x * s + (1 - x) * u)
    size, error = enough_nodes(lambda size: curves(size)[0], at, (16, 32, 64, 128, 256))
    return *curves(size), error


def _split(side: list[tuple[float, float]], size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean importance of one side's cells at each node, and the weights (one node if it does not vary)."""
    if len({w for w, _ in side}) == 1:
        return np.array([side[0][0]]), np.ones(1)
    (w1, a), (w2, b) = side
    share, weight = gauss_jacobi(size, a, b)
    return w1 * share + w2 * (1 - share), weight


def gauss_jacobi(size: int, a: float, b: float) -> tuple[np.ndarray, np.ndarray]:
    """Return nodes in (0, 1) and weights that integrate polynomials against Beta(a, b) (Golub and Welsch 1969)."""
    from scipy.linalg import eigh_tridiagonal

    p, q = b - 1, a - 1
    k = np.arange(1, size)
    total = 2 * k + p + q
    diagonal = np.concatenate([[(q - p) / (p + q + 2)], (q**2 - p**2) / (total * (total + 2))])
    last = np.where(k == 1, 1.0, (k + p + q) / np.where(k == 1, 1.0, total - 1))
    off = np.sqrt(4 * k * (k + p) * (k + q) / (total**2 * (total + 1)) * last)
    nodes, vectors = eigh_tridiagonal(diagonal, off)
    return np.clip((1 + nodes) / 2, 0, 1), vectors[0] ** 2


def _beta_pdf(a: float, b: float, x: np.ndarray) -> np.ndarray:
    return np.exp(special.xlogy(a - 1, x) + special.xlog1py(b - 1, -x) - special.betaln(a, b))


def enough_nodes(
    cdf_of: Callable[[int], Curve], at: np.ndarray, sizes: tuple[int, ...], wanted: float = WANTED
) -> tuple[int, float]:
    """Return how many nodes the cdf needs, and by how much the last doubling moved it."""
    before, error = cdf_of(sizes[0])(at), np.inf
    for size in sizes[1:]:
        after = cdf_of(size)(at)
        error, before = float(np.abs(after - before).max()), after
        if error < wanted:
            break
    return size, error
