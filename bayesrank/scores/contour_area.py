"""The probability that a score is worse than a value: an integral over the FPR of the TPR at which it takes the value.

The FPR runs through the quantiles of its distribution, so that its density never appears. Adaptive
Gauss-Kronrod on all values at once: kinks and steep layers (small prevalences) cost a few more
rounds and no Python loop over values.

A contour of a maximum or minimum of scores has a kink where the scores cross, often in a strip at
an end that no node meets. So a panel also counts as done only if its polynomial meets the contour
at the ends of the panel.
"""

from collections.abc import Callable

import numpy as np

from bayesrank.scores.score import Score, cells_at

#: Rates stay this far from 0 and 1, where ratios may be undefined; it changes an area by less than
#: 1e-11.
EDGE = 1e-12
TOLERANCE = 1e-10
BLOCK = 1000
SCAN = 65

Quantile = Callable[[np.ndarray], np.ndarray]
Conditional = Callable[[np.ndarray, np.ndarray], np.ndarray]

# Gauss-Kronrod 7-15 (Piessens et al., QUADPACK, 1983); every second node is one of Gauss-Legendre's
# seven.
_HALF = [
    0.991455371120812639206854697526329, 0.949107912342758524526189684047851, 0.864864423359769072789712788640926,
    0.741531185599394439863864773280788, 0.586087235467691130294144691693013, 0.405845151377397166906606412076961,
    0.207784955007898467600689403773245,
]  # fmt: skip
_KRONROD = [
    0.022935322010529224963732008058970, 0.063092092629978553290700663189204, 0.104790010322250183839876322541518,
    0.140653259715525918745189590510238, 0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
    0.204432940075298892414161999234649,
]  # fmt: skip
NODES = np.array([*(-x for x in _HALF), 0.0, *reversed(_HALF)])
KRONROD = np.array([*_KRONROD, 0.209482141084727828012999174891714, *reversed(_KRONROD)])
GAUSS = np.polynomial.legendre.leggauss(7)[1]
#: Points next to the ends of a panel.
NEAR_ENDS = np.array([-1 + 1e-9, 1 - 1e-9])


def extrapolation(nodes: np.ndarray) -> np.ndarray:
    """Return the weights of values at nodes that extrapolate to ``NEAR_ENDS`` (barycentric Lagrange)."""
    barycentric = 1 / np.prod(2 * (nodes[:, None] - nodes) + np.eye(nodes.size), axis=1)
    weights = barycentric[:, None] / (NEAR_ENDS - nodes[:, None])
    return weights / weights.sum(axis=0)


def highest_degrees(nodes: np.ndarray) -> np.ndarray:
    """Return the weights of values at nodes in the coefficients of the four Legendre polynomials of highest degree."""
    vandermonde = np.polynomial.legendre.legvander(nodes, nodes.size - 1)
    return np.linalg.inv(vandermonde).T[:, -4:]


TO_ENDS, HIGHEST = extrapolation(NODES), highest_degrees(NODES)


def score_at(score: Score, fpr: np.ndarray, tpr: np.ndarray, prevalence: np.ndarray) -> np.ndarray:
    """Return the values, with the sign changed if lower is better; infinities are kept."""
    values = score.unclipped(*cells_at(fpr, tpr, prevalence))
    return values if score.higher_is_better else -values


def monotone(score: Score, prevalence: np.ndarray) -> bool:
    """Return whether, on a grid, the score never falls as TPR or TNR rises, at the extreme prevalences."""
    grid = (np.arange(24) + 0.5) / 24
    for share in {float(prevalence.min()), float(prevalence.max())}:
        values = score_at(score, grid[None, :], grid[:, None], np.asarray(share))
        if np.isnan(values).any():
            return False
        slack = 1e-12 * np.maximum(np.abs(values), 1)
        if (np.diff(values, axis=0) < -slack[1:]).any() or (
            np.diff(values, axis=1) > slack[:, 1:]
        ).any():
            return False
    return True


def probability_worse(
    score: Score,
    value: np.ndarray,
    prevalence: np.ndarray,
    quantile: Quantile,
    conditional: Conditional,
) -> np.ndarray:
    """Return the probability that a performance is worse than ``value``, for flat arrays.

    ``quantile(u)`` is the quantile of the FPR, ``conditional(fpr, tpr)`` the probability of a lower
    TPR given that FPR.
    """
    signed = value if score.higher_is_better else -value
    rises = value.size and monotone(score, prevalence)
    out = np.empty(value.shape)
    for start in range(0, value.size, BLOCK):
        part = slice(start, start + BLOCK)
        below = _under_contour if rises else _by_scan
        out[part] = below(score, signed[part], prevalence[part], quantile, conditional)
    return np.clip(out, 0.0, 1.0)


def _under_contour(
    score: Score,
    value: np.ndarray,
    prevalence: np.ndarray,
    quantile: Quantile,
    conditional: Conditional,
) -> np.ndarray:
    """Integrate along the contour of a monotone score, from where it leaves TPR 0 to where it meets TPR 1.

    Beyond, all performances are worse.
    """
    low, high = np.full(value.shape, EDGE), np.full(value.shape, 1 - EDGE)

    def along(tpr: float) -> np.ndarray:
        """Return the end of the performances that are not worse; from the other side, so that ties belong to them."""
        return 1 - root(
            lambda u, i: (
                score_at(score, quantile(1 - u), np.full(u.shape, tpr), prevalence[i]) - value[i]
            ),
            low,
            high,
        )

    def below(i: np.ndarray, u: np.ndarray) -> np.ndarray:
        fpr = quantile(u)
        contour = root(
            lambda tpr, j: score_at(score, fpr[j], tpr, prevalence[i[j]]) - value[i[j]],
            np.full(fpr.shape, EDGE),
            np.full(fpr.shape, 1 - EDGE),
        )
        return conditional(fpr, contour)

    start = along(EDGE)
    end = np.maximum(start, along(1 - EDGE))
    return integrate(below, np.arange(value.size), start, end, value.size) + 1 - end


def _by_scan(
    score: Score,
    value: np.ndarray,
    prevalence: np.ndarray,
    quantile: Quantile,
    conditional: Conditional,
) -> np.ndarray:
    """Integrate over all crossings of a grid of TPRs, for scores that are not monotone."""
    grid = np.linspace(EDGE, 1 - EDGE, SCAN)

    def below(i: np.ndarray, u: np.ndarray) -> np.ndarray:
        fpr = quantile(u)
        gap = score_at(score, fpr[:, None], grid, prevalence[i][:, None]) - value[i][:, None]
        worse = gap < 0
        row, step = np.nonzero(worse[:, 1:] != worse[:, :-1])
        crossing = root(
            lambda tpr, j: (
                score_at(score, fpr[row[j]], tpr, prevalence[i[row[j]]]) - value[i[row[j]]]
            ),
            grid[step],
            grid[step + 1],
        )
        signed = np.where(worse[row, step], 1.0, -1.0) * conditional(fpr[row], crossing)
        total = np.where(worse[:, -1], 1.0, 0.0)
        np.add.at(total, row, signed)
        return total

    return integrate(
        below, np.arange(value.size), np.zeros(value.shape), np.ones(value.shape), value.size
    )


def integrate(
    height: Callable[[np.ndarray, np.ndarray], np.ndarray],
    index: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    size: int,
    tolerance: float = TOLERANCE,
) -> np.ndarray:
    """Return, for each of ``size`` items i, the sum of ∫ height(i, x) dx over its panels, by adaptive quadrature.

    A panel is halved until three signs of a kink are below the tolerance: the difference of the
    rules of Gauss and of Kronrod, the coefficients of the highest degrees, and the error of the
    polynomial at the ends of the panel.
    """
    total = np.zeros(size)
    wide = right > left
    panel_item, low, high = index[wide], left[wide], right[wide]
    for _ in range(40):  # halving 40 times is beyond double precision
        if not panel_item.size:
            break
        half, middle = (high - low) / 2, (high + low) / 2
        x = middle[:, None] + half[:, None] * np.append(NODES, NEAR_ENDS)
        heights = height(np.repeat(panel_item, x.shape[1]), x.ravel()).reshape(x.shape)
        y, ends = heights[:, : NODES.size], heights[:, NODES.size :]
        fine = half * (y @ KRONROD)
        errors = [
            np.abs(fine - half * (y[:, 1::2] @ GAUSS)),
            half * np.abs(y @ HIGHEST).max(axis=1),
            half * (1 + NODES[0]) * np.abs(ends - y @ TO_ENDS).sum(axis=1),
        ]
        done = (np.max(errors, axis=0) < tolerance) | (half < EDGE)
        np.add.at(total, panel_item[done], fine[done])
        panel_item, low, middle, high = (z[~done] for z in (panel_item, low, middle, high))
        panel_item, low, high = (
            np.tile(panel_item, 2),
            np.concatenate([low, middle]),
            np.concatenate([middle, high]),
        )
    return total


def root(
    function: Callable[[np.ndarray, np.ndarray], np.ndarray], low: np.ndarray, high: np.ndarray
) -> np.ndarray:
    """Return the end of {function(x, i) < 0} between low[i] and high[i], for functions that increase with x.

    Chandrupatla's method (Advances in Engineering Software, 1997) for all items at once. SciPy's
    ``elementwise.find_root`` is as exact and as fast, but loading it takes a fifth of the time of a
    first ranking.
    """
    at = np.arange(low.size)
    a, b = low.astype(float), high.astype(float)
    fa, fb = function(a, at), function(b, at)
    out = np.where(fa < 0, b, a)
    open_ = (fa < 0) != (fb < 0)
    at, a, b, fa, fb = at[open_], a[open_], b[open_], fa[open_], fb[open_]
    step = np.full(at.size, 0.5)
    for _ in range(100):
        if not at.size:
            break
        x = a + step * (b - a)
        fx = function(x, at)
        same = (fx < 0) == (fa < 0)
        c, fc = np.where(same, a, b), np.where(same, fa, fb)
        b, fb = np.where(same, b, a), np.where(same, fb, fa)
        a, fa = x, fx
        best = np.where(np.abs(fa) < np.abs(fb), a, b)
        least = 1e-14 / np.maximum(np.abs(b - a), 1e-300)
        done = least > 0.5
        out[at[done]] = best[done]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
            quadratic = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (
                fc - fa
            ) * fb / (fc - fb)
            safe = (phi**2 < xi) & ((1 - phi) ** 2 < 1 - xi) & np.isfinite(quadratic)
        step = np.clip(np.where(safe, quadratic, 0.5), least, 1 - least)
        at, a, b, c, fa, fb, fc, step = (z[~done] for z in (at, a, b, c, fa, fb, fc, step))
    out[at] = (a + b) / 2
    return out
