"""How a score relates to all canonical scores: its correlation Tile."""

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import numpy as np
import xarray as xr

from bayesrank._checks import named, one_of, whole
from bayesrank._random import Seed, root_sequence, stream
from bayesrank.performance import as_performance, two_class_cells
from bayesrank.scores import as_score
from bayesrank.scores.placement import fixed_rate
from bayesrank.tile._grid import axis

__all__ = ["correlation", "sample_performances"]


def correlation(
    score: Any,
    resolution: int = 101,
    *,
    performances: Any = None,
    method: Literal["kendall", "spearman", "pearson"] = "kendall",
    size: int = 10_000,
    prevalence: float | None = None,
    prediction_rate: float | None = None,
    seed: Seed = 0,
    kind: str | None = None,
) -> xr.DataArray:
    """The correlation of a score with every canonical score, over a distribution of performances.

    Parameters
    ----------
    score : Score, str or callable
        Any two-class score; taken as it is, whether higher is better or not.
    resolution : int
        Points along each axis.
    performances : DataArray, Dataset, InferenceData or DataTree, optional
        Performances to correlate over (all dims but the outcome's together): the empirical distribution.
    method : {"kendall", "spearman", "pearson"}
        Kendall's τ-b by default.
    size, prevalence, prediction_rate, seed
        Without ``performances``: as for :func:`sample_performances`.
    kind : str, optional
        Which performance of ``performances``, as in :func:`bayesrank.as_performance`.

    Returns
    -------
    xarray.DataArray
        Correlations (b, a), over the performances for which both scores are defined; NaN where one of them is constant.

    Raises
    ------
    ValueError
        If fewer than two performances have the score.

    References
    ----------
    Piérard et al., The Tile, Section 4.2 and Figures 4 and 7.

    Examples
    --------
    >>> tile = correlation("accuracy", resolution=3, size=200)
    >>> round(tile.sel(a=0.5, b=0.5).item(), 12)
    1.0
    """
    one_of("method", method, ("kendall", "spearman", "pearson"))
    points = axis(resolution)
    if performances is None:
        performances = sample_performances(size, prevalence=prevalence, prediction_rate=prediction_rate, seed=seed)
    with named("performances", "source"):
        array = as_performance(performances, kind).compute()
    values = as_score(score)(array).values.ravel()
    other = [dim for dim in array.dims if dim not in ("actual", "predicted")]
    cells = np.stack([c.transpose(*other).values.ravel() for c in two_class_cells(array, "performances").values()])
    known = ~np.isnan(values)
    if known.sum() < 2:
        raise ValueError(f"performances must hold at least two for which the score is defined; got {known.sum()}")
    values, cells = values[known], cells[:, known]
    found = _correlations(values, cells, points, points, method)
    if method != "pearson":
        _fill_undefined(found, values, cells, points, method)
    return xr.DataArray(found, {"b": points, "a": points}, ("b", "a"), name=f"{method}_correlation")


def sample_performances(
    size: int = 10_000,
    *,
    prevalence: float | None = None,
    prediction_rate: float | None = None,
    seed: Seed = None,
) -> xr.DataArray:
    """Performances drawn uniformly: from all of them, at a prevalence, or at a rate of positive predictions.

    Parameters
    ----------
    size : int
        How many.
    prevalence, prediction_rate : float, optional
        What is fixed, between 0 and 1; at most one of them.
    seed : int, SeedSequence or Generator, optional
        Of the draws.

    Returns
    -------
    xarray.DataArray
        Performances (sample, actual, predicted).

    Raises
    ------
    ValueError, TypeError
        If the size is no whole number above 0, both rates are fixed, or one is no number between 0 and 1.

    References
    ----------
    Piérard et al., The Tile, Figures 4 and 7: the uniform Dirichlet distribution, and its case of fixed priors.

    Examples
    --------
    >>> sample_performances(100, prevalence=0.3, seed=1).isel(actual=1).sum("predicted").values.round(12).max().item()
    0.3
    """
    fixed = fixed_rate(prevalence, prediction_rate, ends=True)
    size = whole("size", size, 1)
    rng = stream(root_sequence(seed), "sample_performances")
    if fixed.share is None:
        table = rng.dirichlet(np.ones(4), size).reshape(size, 2, 2)
    else:
        share = fixed.share
        first, second = rng.random(size), rng.random(size)
        down, up = 1 - share, share
        table = np.stack([down * (1 - first), down * first, up * (1 - second), up * second], -1).reshape(size, 2, 2)
        if fixed.predicted:
            table = table.swapaxes(1, 2)
    labels = ["negative", "positive"]
    return xr.DataArray(
        table, {"actual": labels, "predicted": labels}, ("sample", "actual", "predicted"), name="performance"
    )


def _correlations(values: np.ndarray, cells: np.ndarray, a: np.ndarray, b: np.ndarray, method: str) -> np.ndarray:
    """Correlations (b, a)."""
    from bayesrank.tile.kernels import _correlations as kernel

    x = values if method == "pearson" else _ranks(values)
    order = np.argsort(x, kind="stable")
    x, cells = x[order], np.ascontiguousarray(cells[:, order])

    def one(at: float) -> np.ndarray:
        out = np.full(b.size, np.nan)
        if method == "pearson":
            kernel.pearson_column(cells, at, b, x, out)
        else:
            kernel.rank_column(cells, at, b, x, method == "kendall", out)
        return out

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return np.stack(list(pool.map(one, a)), axis=1)


def _fill_undefined(found: np.ndarray, values: np.ndarray, cells: np.ndarray, points: np.ndarray, method: str) -> None:
    """Points where some canonical score is undefined: the rank correlation over the others."""
    tn, fp, fn, tp = cells
    never_correct = [(tn == 0) if a == 0 else (tp == 0) if a == 1 else (tn == 0) & (tp == 0) for a in points]
    never_wrong = [(fp == 0) if b == 0 else (fn == 0) if b == 1 else (fp == 0) & (fn == 0) for b in points]
    for i, left in enumerate(never_correct):
        if not left.any():
            continue
        for j, right in enumerate(never_wrong):
            known = ~(left & right)
            if not known.all() and known.sum() >= 2:
                found[j, i] = _correlations(values[known], cells[:, known], points[[i]], points[[j]], method).item()


def _ranks(values: np.ndarray) -> np.ndarray:
    """Average ranks; values that differ by rounding alone are ties."""
    from scipy.stats import rankdata

    order = np.argsort(values, kind="stable")
    steps = np.diff(values[order]) > 1e-12 * np.abs(values[order])[1:]
    group = np.empty(len(values), int)
    group[order] = np.concatenate([[0], np.cumsum(steps)])
    return rankdata(group)
