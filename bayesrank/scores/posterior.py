"""Exact posteriors of ranking scores: distribution functions, densities and quantiles without sampling.

A ranking score is at most v where a weighted sum of the cells is negative. Under a Dirichlet posterior that is a Beta
probability, or an integral of some; under two Beta rates and a known prevalence a one-dimensional integral.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import xarray as xr

from bayesrank.inference import MODELS, _row_totals, concentration
from bayesrank.performance import two_class_cells
from bayesrank.scores._quadrature import Curve, of_dirichlet, of_two_betas
from bayesrank.scores.catalog import as_score

__all__ = ["ScorePosterior", "score_posterior"]

#: Values computed at a time, to bound the memory.
CHUNK = 128


@dataclass(frozen=True)
class ScorePosterior:
    """The exact posterior of a score, table by table; made by :func:`score_posterior`.

    Parameters
    ----------
    error : xarray.DataArray
        How far :meth:`cdf` may be off (the dims of the counts but the outcomes); 0 where it is a Beta function.
    """

    error: xr.DataArray
    _curves: np.ndarray = field(repr=False)

    def cdf(self, value: Any) -> xr.DataArray:
        """P(score <= value), with the dim ``value`` where that is a sequence."""
        return self._map(value, "value", lambda curves, v: _at(curves[0], v, 0.0, 1.0), "cdf")

    def pdf(self, value: Any) -> xr.DataArray:
        """The density at ``value``, 0 outside of the open unit interval."""
        return self._map(value, "value", lambda curves, v: _at(curves[1], v, 0.0, 0.0), "pdf")

    def quantile(self, q: Any) -> xr.DataArray:
        """The values at which the cdf is ``q``, with the dim ``quantile`` where that is a sequence."""
        levels = np.asarray(q, dtype=float)
        if not ((levels >= 0) & (levels <= 1)).all():
            raise ValueError(f"q must hold probabilities between 0 and 1; got {q!r}")
        return self._map(q, "quantile", lambda curves, p: _invert(curves[0], p), "value")

    def _map(self, argument: Any, dim: str, function: Callable[[Any, np.ndarray], np.ndarray], name: str) -> Any:
        points = np.asarray(argument, dtype=float)
        if points.ndim > 1:
            raise ValueError(f"{dim} must be a number or a sequence; got {points.ndim} dimensions")
        out = np.empty((*self.error.shape, *points.shape))
        for position in np.ndindex(*self.error.shape):
            curves = self._curves[position]
            out[position] = np.nan if curves is None else function(curves, points.reshape(-1)).reshape(points.shape)
        dims = (*self.error.dims, *(dim,) * points.ndim)
        return xr.DataArray(out, {**self.error.coords, dim: points}, dims, name)


def score_posterior(
    counts: xr.DataArray, score: Any, model: str = "dirichlet_multinomial", prior: Any = None, prevalence: Any = None
) -> ScorePosterior:
    """The exact posterior distribution of a ranking score.

    Parameters
    ----------
    counts : xarray.DataArray
        Integer two-class counts (actual, predicted; any other dims).
    score : Score or str
        With an importance, as all ranking scores have.
    model : {"dirichlet_multinomial", "beta_binomial"}
        As for :func:`bayesrank.fit`.
    prior : optional
        As for :func:`bayesrank.fit`.
    prevalence : "sampled", "observed" or number, optional
        As for :func:`bayesrank.fit`.

    Returns
    -------
    ScorePosterior
        With the methods ``cdf``, ``pdf`` and ``quantile``, and their ``error``; NaN where nothing was measured.

    Raises
    ------
    ValueError
        If the score has no importance, or a needed cell has neither prior nor cases.
    KeyError
        If the model is another.

    References
    ----------
    Piérard et al., Foundations of the theory of performance-based ranking, Section 4.3, for ranking scores; the
    aggregation of Dirichlet variables for the Beta.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=32, fp=8, fn=4, tp=16)
    >>> posterior = br.score_posterior(counts, "jaccard")  # a Beta(17, 14)
    >>> round(posterior.cdf(0.5).item(), 4), posterior.quantile([0.025, 0.975]).values.round(3).tolist()
    (0.2923, [[0.374, 0.717]])
    """
    score = as_score(score)
    if score.importance is None:
        raise ValueError(f"score must be a ranking score, with an importance; got {score.name}")
    if model not in ("dirichlet_multinomial", "beta_binomial"):
        raise KeyError(f"model must be 'dirichlet_multinomial' or 'beta_binomial'; got {model!r}")
    totals = _row_totals(counts, MODELS[model].PREVALENCE if prevalence is None else prevalence)
    if isinstance(totals, xr.DataArray) and {"chain", "draw"} & set(totals.dims):
        raise ValueError(f"prevalence must be one number for each table; got {totals.dims}")
    alpha = MODELS[model].posterior(counts, concentration(counts, prior))
    cells = two_class_cells(alpha.drop_vars("measured", errors="ignore"), "counts")
    frame = xr.zeros_like(cells["tn"]).rename("error")
    share = None
    if isinstance(totals, xr.DataArray):
        share = (totals.isel(actual=1, drop=True) + frame).transpose(*frame.dims).values
    measured = np.broadcast_to(counts["measured"].values, frame.shape) if "measured" in counts.coords else None
    weights = {cell: float(score.importance[cell]) for cell in cells}
    error, curves = np.full(frame.shape, np.nan), np.full(frame.shape, None)
    for position in np.ndindex(*frame.shape):
        if measured is None or measured[position]:
            a = {name: float(cell.values[position]) for name, cell in cells.items()}
            cdf, pdf, error[position] = _curves(a, weights, None if share is None else float(share[position]))
            curves[position] = (cdf, pdf)
    return ScorePosterior(frame.copy(data=error), curves)


def _curves(alpha: dict[str, float], weights: dict[str, float], share: float | None) -> tuple[Curve, Curve, float]:
    known = [c for c in weights if weights[c] > 0]
    empty = [c for c in known if alpha[c] <= 0]
    if empty:
        raise ValueError(f"prior must be positive where a cell has no cases; got 0 and 0 for {empty}")
    if not set(known) & {"tn", "tp"} or not set(known) & {"fp", "fn"}:
        raise ValueError(f"score must weigh a right and a wrong outcome; got the importance {weights}")
    if share is None:
        right, wrong = ([(weights[c], alpha[c]) for c in side if c in known] for side in (("tn", "tp"), ("fn", "fp")))
        return of_dirichlet(right, wrong)
    return of_two_betas((alpha["tp"], alpha["fn"]), (alpha["tn"], alpha["fp"]), weights, share)


def _at(curve: Curve, values: np.ndarray, below: float, above: float) -> np.ndarray:
    """A curve on the open unit interval, and what it is outside."""
    out = np.where(values >= 1, above, below)
    inside = np.flatnonzero((values > 0) & (values < 1))
    for start in range(0, len(inside), CHUNK):
        block = inside[start : start + CHUNK]
        out[block] = curve(values[block])
    return np.where(np.isnan(values), np.nan, out)


def _invert(cdf: Curve, levels: np.ndarray) -> np.ndarray:
    """Quantiles by bisection, to the last few bits."""
    low, high = np.zeros(len(levels)), np.ones(len(levels))
    for _ in range(50):
        middle = (low + high) / 2
        below = _at(cdf, middle, 0.0, 1.0) < levels
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.where(levels == 0, 0.0, np.where(levels == 1, 1.0, (low + high) / 2))
