"""Distributions of scores in numbers: a Beta variable, or an integral over Beta variables.

Each function returns cdf and pdf as functions of values strictly inside the score's range, and the error of the cdf.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy import special

from bayesrank.scores._contour_area import EDGE, density, monotone, probability_worse
from bayesrank.scores.score import Score, cells_at

__all__ = ["gauss_jacobi", "of_dirichlet", "of_rates", "of_two_betas"]

Curve = Callable[[np.ndarray], np.ndarray]
#: Node numbers are doubled until the cdf moves by less.
WANTED = 1e-11
#: What adaptive quadrature leaves.
QUADRATURE = 1e-9


def of_dirichlet(right: list[tuple[float, float]], wrong: list[tuple[float, float]]) -> tuple[Curve, Curve, float]:
    """Return the curves for Dirichlet cells; ``right`` and ``wrong`` list importance and concentration of their cells.

    A ranking score is s / (s + u), with s and u the importance of the right and of the wrong answers. The sum of the
    right cells against that of the wrong ones is a Beta, independent of how each sum is split, which is another Beta.
    """
    alpha, beta = (sum(a for _, a in side) for side in (right, wrong))

    def curves(size: int) -> tuple[Curve, Curve]:
        (s, s_weight), (u, u_weight) = (_split(side, size) for side in (right, wrong))
        s, u = s[:, None], u[None, :]
        weight = s_weight[:, None] * u_weight[None, :]

        def cdf(v: np.ndarray) -> np.ndarray:
            v = v[..., None, None]
            return (weight * special.betainc(alpha, beta, v * u / (v * u + (1 - v) * s))).sum((-2, -1))

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
    return _refine(curves, x * s / (x * s + (1 - x) * u), (16, 32, 64, 128, 256))


def of_two_betas(
    tpr: tuple[float, float], tnr: tuple[float, float], importance: dict[str, float], positives: float
) -> tuple[Curve, Curve, float]:
    """Return the curves for independent Beta rates and a known prevalence: an integral over TPR."""
    tn, fp = ((1 - positives) * importance[cell] for cell in ("tn", "fp"))
    fn, tp = (positives * importance[cell] for cell in ("fn", "tp"))

    def line(v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The score is at most v where c1 TNR + c2 TPR <= t."""
        return (1 - v) * tn + v * fp, (1 - v) * tp + v * fn, v * (fp + fn)

    if tn + fp == 0 or tp + fn == 0:  # a function of one rate alone
        rate, (up, down) = (tpr, (tp, fn)) if tn + fp == 0 else (tnr, (tn, fp))
        return of_dirichlet([(up, rate[0])], [(down, rate[1])])
    breaks = _breaks(*tnr)
    own = np.sort(np.concatenate([special.betaincinv(*tpr, LEVELS), special.betainccinv(*tpr, LEVELS)]))

    def curves(size: int) -> tuple[Curve, Curve]:
        node, node_weight = np.polynomial.legendre.leggauss(size)

        def nodes(v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            """TPR and its weights for each v: Gauss-Legendre panels in its logit, cut where TNR's cdf bends."""
            c1, c2, t = line(v[:, None])
            with np.errstate(divide="ignore", invalid="ignore"):
                mapped = (t - c1 * breaks) / c2
            edges = np.concatenate([np.broadcast_to(own, (len(v), len(own))), np.nan_to_num(mapped, nan=0.5)], axis=1)
            low, high = max(own[0], 1e-300), min(own[-1], 1 - 2e-16)
            edges = special.logit(np.sort(np.clip(edges, low, high), axis=1))
            half = np.diff(edges, axis=1)[..., None] / 2
            x = edges[:, :-1, None] + half * (1 + node)
            log = tpr[0] * special.log_expit(x) + tpr[1] * special.log_expit(-x) - special.betaln(*tpr)
            x, weight = x.reshape(len(v), -1), (half * node_weight * np.exp(log)).reshape(len(v), -1)
            # What lies beyond the ends sits at the ends.
            x = np.concatenate([x, edges[:, [0, -1]]], axis=1)
            outer = np.broadcast_to([special.betainc(*tpr, low), special.betaincc(*tpr, high)], (len(v), 2))
            weight = np.concatenate([weight, outer], axis=1)
            return special.expit(x), weight / weight.sum(axis=1, keepdims=True)

        def cdf(v: np.ndarray) -> np.ndarray:
            rate, weight = nodes(v)
            c1, c2, t = line(v[:, None])
            return (weight * special.betainc(*tnr, np.clip((t - c2 * rate) / c1, 0, 1))).sum(-1)

        def pdf(v: np.ndarray) -> np.ndarray:
            rate, weight = nodes(v)
            c1, c2, t = line(v[:, None])
            other = (t - c2 * rate) / c1
            slope = ((fp + fn) - (fn - tp) * rate - (fp - tn) * other) / c1
            inside = (other > 0) & (other < 1)
            return (weight * np.where(inside, _beta_pdf(*tnr, np.where(inside, other, 0.5)) * slope, 0)).sum(-1)

        return cdf, pdf

    y, z = np.meshgrid(*(special.betaincinv(*rate, np.array([0.02, 0.3, 0.5, 0.7, 0.98])) for rate in (tpr, tnr)))
    s, u = tn * z + tp * y, fp * (1 - z) + fn * (1 - y)
    return _refine(curves, np.clip((s / (s + u)).ravel(), 1e-12, 1 - 1e-12), (4, 8, 16, 32))


def of_rates(
    score: Score, tpr: tuple[float, float], tnr: tuple[float, float], prevalence: float | tuple[float, float]
) -> tuple[Curve, Curve, float]:
    """Return the curves of a score monotone in both rates, which are independent Betas, as the prevalence may be."""
    if score.higher_is_better is None:
        score = replace(score, higher_is_better=True)
    fpr = tnr[::-1]
    # Where the cdf of TPR bends.
    bends = np.concatenate([special.betaincinv(*tpr, LEVELS[1:]), special.betainccinv(*tpr, LEVELS[1:])])
    cuts = tuple(np.unique(bends[(bends > EDGE) & (bends < 1 - EDGE)]))

    def rate(u: np.ndarray) -> np.ndarray:
        return special.betaincinv(*fpr, u)

    if not score.depends_on_prevalence:
        prevalence = 0.5

    def curves(size: int) -> tuple[Curve, Curve]:
        if isinstance(prevalence, tuple):
            share, weight = gauss_jacobi(size, *prevalence)
        else:
            share, weight = np.array([prevalence]), np.ones(1)
        if not monotone(score, share):
            raise ValueError(f"score must rise, or fall, with TPR and with TNR; got {score.name}")

        def over_prevalences(function: Callable[..., np.ndarray], conditional: Callable, v: np.ndarray) -> np.ndarray:
            pairs = np.repeat(v, share.size), np.tile(share, v.size)
            return function(score, *pairs, rate, conditional, cuts).reshape(-1, share.size) @ weight

        def cdf(v: np.ndarray) -> np.ndarray:
            worse = over_prevalences(probability_worse, lambda x, y: special.betainc(*tpr, y), v)
            return worse if score.higher_is_better else 1 - worse

        def pdf(v: np.ndarray) -> np.ndarray:
            return over_prevalences(density, lambda x, y: _beta_pdf(*tpr, y), v)

        return cdf, pdf

    if not isinstance(prevalence, tuple):
        return *curves(1), QUADRATURE
    y, z = np.meshgrid(*(special.betaincinv(*beta, np.array([0.02, 0.5, 0.98])) for beta in (tpr, tnr)))
    at = score.of_cells(*cells_at(1 - z, y, prevalence[0] / sum(prevalence)))
    cdf, pdf, error = _refine(curves, at[np.isfinite(at)], (16, 32, 64), QUADRATURE)
    return cdf, pdf, max(error, QUADRATURE)


LEVELS = 10.0 ** -np.array([16, 13, 10, 8, 6, 5, 4, 3, 2, 1.3, 1, 0.6, 0.4])


def _breaks(alpha: float, beta: float) -> np.ndarray:
    """Return where the cdf of a Beta bends: its quantiles, and towards 0 and 1 steps by a factor of 4."""
    low, high = special.betaincinv(alpha, beta, LEVELS), special.betainccinv(alpha, beta, LEVELS)
    # From the far end of each tail: the distance to the edge, so that nothing is lost near 1.
    far = special.betaincinv(beta, alpha, LEVELS)
    steps = 4.0 ** -np.arange(40)
    inner, outer = 0.5 * steps[0.5 * steps > max(low[1], 1e-18)], 0.5 * steps[0.5 * steps > max(far[1], 1e-18)]
    return np.unique(np.concatenate([[0.0, 1.0], low, high, inner, 1 - outer]))


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


def _refine(
    curves: Callable[[int], tuple[Curve, Curve]], at: np.ndarray, sizes: tuple[int, ...], wanted: float = WANTED
) -> tuple[Curve, Curve, float]:
    """Return curves with enough nodes that more of them do not move the cdf, and by how much the last doubling did."""
    cdf, pdf = curves(sizes[0])
    before, error = cdf(at), np.inf
    for size in sizes[1:]:
        cdf, pdf = curves(size)
        after = cdf(at)
        error, before = float(np.abs(after - before).max()), after
        if error < wanted:
            break
    return cdf, pdf, error
