"""The ranking score that agrees best with a given score, on given performances."""

import numpy as np
import xarray as xr

from bayesrank._checks import check_bool, check_choice
from bayesrank._draws import draw_dims, iterate_blocks
from bayesrank._types import Container, ScoreLike
from bayesrank.performance import as_performance, only_two_classes
from bayesrank.scores import as_score
from bayesrank.scores.placement import place, places
from bayesrank.tile._grid import score_cells
from bayesrank.tile.correlations import rank_correlator

__all__ = ["best_consistency"]

#: Points per axis of the first grid, and the number of refinements around the best, each with a third of the step.
GRID, ZOOMS = 21, 4
ROUNDING = 1e-9


def best_consistency(
    score: ScoreLike, source: Container, *, method: str = "kendall", lowest: bool = False, kind: str | None = None
) -> xr.Dataset:
    """Find the ranking score on the Tile that orders given performances most like a score does.

    The search covers a grid of 21 by 21 points, the places of scores with a name, and finer grids around the best.
    Source: Piérard et al., Foundations of the theory of performance-based ranking, A.4.2 and A.7.2.

    Parameters
    ----------
    score : Score, str, callable or importance
        The score to match, by its direction: where lower is better, the order is reversed.
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances, all dims except draws stacked. Each draw is matched separately; if draws are the only
        dim, they are the sample.
    method : {"kendall", "spearman"}
        The rank correlation: Kendall's tau-b or Spearman's rho.
    lowest : bool
        Find the smallest correlation instead: the ranking score that contradicts the score most.
    kind : str, optional
        As for :func:`value`.

    Returns
    -------
    xarray.Dataset
        ``a`` and ``b`` of the best position, its ``correlation``, and ``share``, the fraction of a grid over the Tile
        with an equal correlation. With few entities many scores order alike, and the position is near their mean.
        Dims are those of the draws; NaN if fewer than two performances have both scores, or all are equal.

    Examples
    --------
    >>> import bayesrank as br
    >>> performances = br.tile.sample_performances(300, seed=1)
    >>> found = best_consistency("jaccard", performances)
    >>> found["a"].item(), found["b"].item(), found["correlation"].item()
    (1.0, 0.5, 1.0)
    """
    check_choice("method", method, ("kendall", "spearman"))
    array = as_performance(source, kind)
    only_two_classes(array)
    matched = as_score(score)
    along = list(draw_dims(array))
    own = place(matched)
    named = np.array([own, *places(None)] if own is not None else places(None))
    side = -1.0 if check_bool("lowest", lowest) else 1.0
    sign = side * (-1.0 if matched.higher_is_better is False else 1.0)
    table = score_cells(array, matched)
    if set(array.dims) <= {*along, "actual", "predicted"}:  # a sample, as from sample_performances
        along, samples = [], iter([table.values.reshape(-1, 5)])
    else:
        samples = (rows for block in iterate_blocks(table, across=True) for rows in block.values)
    found = np.array([_best(sign * rows[:, 0], rows[:, 1:].T, named, method) for rows in samples])
    columns = found.T.reshape(4, *(array.sizes[dim] for dim in along))
    columns[2] *= side
    held = {name: (along, values) for name, values in zip(("a", "b", "correlation", "share"), columns, strict=True)}
    coords = {dim: array[dim] for dim in along if dim in array.coords}
    return xr.Dataset(held, coords, {"method": method, "score": matched.name})


def _best(values: np.ndarray, cells: np.ndarray, named: np.ndarray, method: str) -> tuple[float, float, float, float]:
    """Return the best position, its correlation, and the share of the grid with an equal correlation."""
    known = ~np.isnan(values)
    if known.sum() < 2 or np.ptp(values[known]) == 0:
        return np.nan, np.nan, np.nan, np.nan
    values, cells = values[known], cells[:, known]
    correlate = rank_correlator(values, cells, method)
    axis = np.linspace(0.0, 1.0, GRID)
    candidates = np.hstack([named.T, np.array(np.meshgrid(axis, axis)).reshape(2, -1)])
    found = np.append([correlate(*at).item() for at in named[:, :, None]], correlate(axis, axis))
    found[np.isnan(found)] = 0.0  # a score is constant
    best = found.max()
    a, b = _midst(candidates, found >= best - ROUNDING)
    step = axis[1]
    for _ in range(0 if best > 1 - ROUNDING else ZOOMS):
        step /= 3
        around = np.arange(-2, 3) * step
        near = np.clip(a + around, 0, 1), np.clip(b + around, 0, 1)
        finer = np.nan_to_num(correlate(*near)).ravel()
        if finer.max() > best + ROUNDING:
            best = finer.max()
            a, b = _midst(np.array(np.meshgrid(*near)).reshape(2, -1), finer >= best - ROUNDING)
    return a, b, float(min(best, 1.0)), float((found[len(named) :] >= best - ROUNDING).mean())


def _midst(places: np.ndarray, chosen: np.ndarray) -> tuple[float, float]:
    """Return the chosen place nearest to the mean of all chosen places."""
    kept = places[:, chosen]
    nearest = np.argmin(((kept - kept.mean(axis=1, keepdims=True)) ** 2).sum(axis=0))
    return float(kept[0, nearest]), float(kept[1, nearest])
