"""The value under the Tile: the mean of all canonical scores."""

from typing import Any

import numpy as np
from scipy.special import xlogy

from bayesrank.scores.names import score
from bayesrank.scores.score import ratio

NODES, WEIGHTS = np.polynomial.legendre.leggauss(14)
NODES, WEIGHTS = (NODES + 1) / 2, WEIGHTS / 2


@score(
    "VUT",
    "∫∫ R_ab da db over the Tile",
    "value_under_the_tile volume_under_the_tile",
    reference="Piérard et al., The Tile, Eq. 9 to 15",
)
def vut(tn: Any, fp: Any, fn: Any, tp: Any) -> Any:
    """Return the mean of s / (s + u) for s uniform between tn and tp and u uniform between fp and fn.

    The closed form has four cases and cancels near their borders. Here an axis along which the
    score varies little (by a factor below 1.5) is integrated by 14-point Gauss quadrature, exact up
    to rounding, and the other axis in closed form. The fourth case is split into a smooth integral
    by the same quadrature and a closed form.
    """
    total = tn + fp + fn + tp  # divided by it, so that proportional counts tie exactly
    tn, fp, fn, tp = (ratio(cell, total) for cell in (tn, fp, fn, tp))
    s0, s1 = np.minimum(tn, tp), np.maximum(tn, tp)
    u0, u1 = np.minimum(fp, fn), np.maximum(fp, fn)
    ds, du, low = s1 - s0, u1 - u0, s0 + u0
    flat_s, flat_u = ds <= 0.5 * low, du <= 0.5 * low
    flat_s, flat_u = flat_s | (ds == 0), flat_u | (du == 0)
    turned = u1 > s1
    over = np.where(turned, [u0, u1, s0, s1], [s0, s1, u0, u1])
    both = np.where(turned, _small_share(*over), 1 - _small_share(*over))
    by_s = sum(w * _mean_over_u(s0 + x * ds, u0, u1) for x, w in zip(NODES, WEIGHTS, strict=True))
    by_u = sum(
        w * (1 - _mean_over_u(u0 + x * du, s0, s1)) for x, w in zip(NODES, WEIGHTS, strict=True)
    )
    smooth = sum(
        w * v * (s0 + x * ds) / (s0 + x * ds + u0 + y * du)
        for x, w in zip(NODES, WEIGHTS, strict=True)
        for y, v in zip(NODES, WEIGHTS, strict=True)
    )
    volume = np.select([flat_s & flat_u, flat_s, flat_u], [smooth, by_s, by_u], both)
    return np.clip(volume, 0.0, 1.0)  # rounding


def _small_share(s0: np.ndarray, s1: np.ndarray, u0: np.ndarray, u1: np.ndarray) -> np.ndarray:
    """Return the mean of u / (s + u) where u1 <= s1, and neither s nor u is nearly constant relative to s0 + u0.

    The mean over s is u log((u + s1) / (u + s0)) / (s1 - s0). Its integral over u is that of u
    log(1 + u / s1), by quadrature, minus that of u log((u + s0) / s1), in closed form; neither is
    large relative to the difference.
    """
    u = [(w, u0 + x * (u1 - u0)) for x, w in zip(NODES, WEIGHTS, strict=True)]
    upper = sum(w * x * np.log1p(x / s1) for w, x in u)

    def primitive(whole: np.ndarray) -> np.ndarray:
        return xlogy(whole * (whole / 2 - s0), whole / s1) - whole**2 / 4 + s0 * whole

    lower = (primitive(u1 + s0) - primitive(u0 + s0)) / (u1 - u0)
    return (upper - lower) / (s1 - s0)


def _mean_over_u(s: np.ndarray, u0: np.ndarray, u1: np.ndarray) -> np.ndarray:
    """Return the mean of s / (s + u) over u; 0 where s is 0."""
    return np.where(s == 0, 0.0, s * np.log1p((u1 - u0) / (s + u0)) / (u1 - u0))
