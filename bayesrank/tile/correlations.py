"""Correlations of a score with all canonical scores, and the canonical score that agrees best with it."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_bool, check_choice, check_size, rename_argument
from bayesrank._core.draws import Batches, DrawBlock, draw_dims, iterate_blocks, reduce
from bayesrank._core.errors import ArgumentError
from bayesrank._core.random import Seed, root_sequence, stream
from bayesrank._core.threads import ShareOut, in_threads, thread_pool
from bayesrank._core.types import Container, ScoreLike
from bayesrank.performance.arrays import as_performance, only_two_classes
from bayesrank.scores import as_score
from bayesrank.scores.placement import canonical_values, fixed_rate, place, places
from bayesrank.theory.axioms import lattice
from bayesrank.tile.grid import axis, parts, ratio, score_cells

Correlator = Callable[[np.ndarray, np.ndarray], np.ndarray]
#: Points per axis of the first grid, and the number of refinements around the best, each with a
#: third of the step.
GRID, ZOOMS = 21, 4
ROUNDING = 1e-9
#: Number of performances that a column of Pearson's correlations processes together.
TOGETHER = 2048


@check_call
def correlation(
    score: ScoreLike,
    resolution: int = 101,
    *,
    performances: Any = None,
    method: Literal["kendall", "spearman", "pearson"] = "kendall",
    size: int = 10_000,
    prevalence: float | None = None,
    prediction_rate: float | None = None,
    kind: str | None = None,
    seed: Seed = 0,
) -> xr.DataArray:
    """Return the correlation of a score with every canonical score, over a distribution of performances.

    For lazy performances, Pearson's correlation keeps only sums in memory. Rank correlations keep
    about 100 bytes per performance. Source: Piérard et al., The Tile, Section 4.2 and Figures 4 and
    7.

    Parameters
    ----------
    score : Score, str or callable
        Any two-class score, used as it is even if lower is better.
    performances : DataArray, Dataset, InferenceData or DataTree, optional
        Performances to correlate over: the empirical distribution, with all dims except the
        outcome's stacked.
    method : {"kendall", "spearman", "pearson"}
        Kendall's is τ-b.
    size, prevalence, prediction_rate, seed
        Without ``performances``: the arguments of :func:`sample_performances`.
    resolution, kind
        As for :func:`value`.

    Returns
    -------
    xarray.DataArray
        Correlations (b, a) over performances with both scores defined; NaN where a score is
        constant. A ValueError if fewer than two have a defined score.

    Examples
    --------
    >>> tile = correlation("accuracy", resolution=3, size=200)
    >>> round(tile.sel(a=0.5, b=0.5).item(), 12)
    1.0
    """
    check_choice("method", method, ("kendall", "spearman", "pearson"))
    points = axis(resolution)
    if performances is None:
        performances = sample_performances(
            size, prevalence=prevalence, prediction_rate=prediction_rate, seed=seed
        )
    with rename_argument("performances", "source"):
        array = as_performance(performances, kind)
        only_two_classes(array)
        table = score_cells(array, as_score(score))
    if method == "pearson":
        with thread_pool() as share_out:
            [(count, correlations)] = reduce(table, Products(points, share_out), across=True)
    else:
        blocks = iterate_blocks(table, across=True)
        rows = np.concatenate(
            [part[~np.isnan(part[:, 0])] for part in (b.values.reshape(-1, 5) for b in blocks)]
        )
        count, values, cells = len(rows), rows[:, 0], rows[:, 1:].T
    if count < 2:
        raise ArgumentError(
            "performances", "must contain at least two for which the score is defined", count
        )
    if method != "pearson":
        correlations = rank_correlator(values, cells, method)(points, points)
    return xr.DataArray(
        correlations, {"b": points, "a": points}, ("b", "a"), name=f"{method}_correlation"
    )


@check_call
def sample_performances(
    size: int = 10_000,
    *,
    prevalence: float | None = None,
    prediction_rate: float | None = None,
    seed: Seed = None,
) -> xr.DataArray:
    """Sample performances uniformly: from all, at a fixed prevalence, or at a fixed rate of positive predictions.

    Source: Piérard et al., The Tile, Figures 4 and 7: uniform Dirichlet distribution, without and
    with fixed priors.

    Parameters
    ----------
    size : int
        Number of performances.
    prevalence, prediction_rate : float, optional
        The fixed quantity, between 0 and 1; a ValueError if both are given.
    seed : int, SeedSequence or Generator, optional
        Seed of the random numbers.

    Returns
    -------
    xarray.DataArray
        Performances (sample, actual, predicted).

    Examples
    --------
    >>> sample_performances(100, prevalence=0.3, seed=1).isel(actual=1).sum("predicted").values.round(12).max().item()
    0.3
    """
    fixed = fixed_rate(prevalence, prediction_rate, ends=True)
    size = check_size("size", size)
    rng = stream(root_sequence(seed), "sample_performances")
    if fixed.share is None:
        return _label_samples(rng.dirichlet(np.ones(4), size), False)
    down, up = 1 - fixed.share, fixed.share
    first, second = rng.random(size), rng.random(size)
    cells = [down * (1 - first), down * first, up * (1 - second), up * second]
    return _label_samples(np.stack(cells, -1), fixed.predicted)


@check_call
def performance_grid(
    steps: int, *, prevalence: float | None = None, prediction_rate: float | None = None
) -> xr.DataArray:
    """Return performances on a regular grid: all, at fixed prevalence, or at a fixed rate of positive predictions.

    Parameters
    ----------
    steps : int
        Number of steps along the simplex of all performances, or the square with the fixed rate.
    prevalence, prediction_rate
        As for :func:`sample_performances`, with its errors.

    Returns
    -------
    xarray.DataArray
        Performances (sample, actual, predicted), ends included. Their mean is the mean of the
        uniform distribution.

    Examples
    --------
    >>> grid = performance_grid(10, prediction_rate=0.3)
    >>> grid.sizes["sample"], grid.mean("sample").values.round(12).tolist()
    (121, [[0.35, 0.15], [0.35, 0.15]])
    """
    fixed = fixed_rate(prevalence, prediction_rate, ends=True)
    check_size("steps", steps, power=3 if fixed.share is None else 2)
    return _label_samples(lattice(steps, fixed.share).T, fixed.predicted)


def _label_samples(cells: np.ndarray, predicted: bool) -> xr.DataArray:
    """Return samples (sample, cell) as performances, with swapped dims if the rate of predictions is fixed."""
    table = cells.reshape(-1, 2, 2).swapaxes(1, 2) if predicted else cells.reshape(-1, 2, 2)
    classes = ["negative", "positive"]
    dims = ("sample", "actual", "predicted")
    return xr.DataArray(table, {"actual": classes, "predicted": classes}, dims, name="performance")


class Products:
    """Pearson's correlation with each canonical score, from sums of products centred at the first values."""

    def __init__(self, points: np.ndarray, share_out: ShareOut) -> None:
        self.points, self.share_out = points, share_out
        self.centre = np.nan
        self.centres = np.full((points.size, points.size), np.nan)
        #: By a, then: number, sums of both scores and of their squares, and of their product, by b.
        self.sums = np.zeros((points.size, 6, points.size))

    def start(self, batches: Batches) -> None:
        self.count = 0

    def add(self, block: DrawBlock) -> None:
        rows = block.values.reshape(-1, 5)
        rows = rows[~np.isnan(rows[:, 0])]
        if not len(rows):
            return
        if not self.count:
            self.centre = rows[0, 0]
        self.count += len(rows)

        def add(columns: slice) -> None:
            for start in range(0, len(rows), TOGETHER):
                x, *cells = rows[start : start + TOGETHER].T
                for i in range(columns.start, columns.stop):
                    self._add_column(i, x - self.centre, cells)

        self.share_out(add, self.points.size)

    def _add_column(self, i: int, x: np.ndarray, cells: list[np.ndarray]) -> None:
        tn, fp, fn, tp = cells
        y = ratio(*parts(tn, fp, fn, tp, self.points[i], self.points[:, None]))
        defined = ~np.isnan(y)
        first = y[np.arange(len(y)), defined.argmax(axis=1)]
        centre = self.centres[i] = np.where(np.isnan(self.centres[i]), first, self.centres[i])
        x, y = np.where(defined, x, 0.0), np.where(defined, y - centre[:, None], 0.0)
        products = (np.einsum("br,br->b", *pair) for pair in ((x, x), (y, y), (x, y)))
        self.sums[i] += [defined.sum(1), x.sum(1), y.sum(1), *products]

    def finish(self) -> tuple[int, np.ndarray]:
        """Return the number of performances, and the correlations (b, a)."""
        number, x, y, xx, yy, xy = self.sums.transpose(1, 2, 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            square = xx + 2 * self.centre * x + number * self.centre**2
            xx, yy, xy = xx - x * x / number, yy - y * y / number, xy - x * y / number
            # A variance due to rounding alone counts as 0.
            some = (number > 1) & (xx > 1e-28 * square) & (yy > 1e-28 * number)
            return self.count, np.where(some, xy / np.sqrt(xx * yy), np.nan)


def rank_correlator(values: np.ndarray, cells: np.ndarray, method: str) -> Correlator:
    """Return a function of a and b that gives rank correlations (b, a) of values with canonical scores of cells (4, n).

    They are NaN where a score is constant.
    """
    from scipy.stats import rankdata

    from bayesrank._core.kendall import dense_ranks
    from bayesrank.tile.kernels._correlations import rank_column

    x = rankdata(dense_ranks(values))
    order = np.argsort(x, kind="stable")
    doubled, ordered = (2 * x[order]).astype(np.int64), np.ascontiguousarray(cells[:, order])
    ties = np.unique(x, return_counts=True)[1]
    untied = (x.size**2 - (ties.astype(float) ** 2).sum()) / 2

    def correlate(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        correlations = np.full((a.size, b.size), np.nan)

        def fill(i: int) -> None:
            rank_column(ordered, a[i], b, doubled, untied, method == "kendall", correlations[i])

        in_threads(fill, range(a.size), correlations.size * x.size)
        # Where some canonical scores are undefined, correlate over the other performances.
        for i, j in np.argwhere(np.isnan(correlations)):
            defined = ~np.isnan(canonical_values(cells, a[i], b[j]))
            if 2 <= defined.sum() < x.size:
                correlations[i, j] = rank_correlator(values[defined], cells[:, defined], method)(
                    a[[i]], b[[j]]
                ).item()
        return correlations.T

    return correlate


@check_call
def best_consistency(
    score: ScoreLike,
    source: Container,
    *,
    method: str = "kendall",
    lowest: bool = False,
    kind: str | None = None,
) -> xr.Dataset:
    """Find the ranking score on the Tile that orders given performances most like a score does.

    The search covers a grid of 21 by 21 points, the places of scores with a name, and finer grids
    around the best. Source: Piérard et al., Foundations of the theory of performance-based ranking,
    A.4.2 and A.7.2.

    Parameters
    ----------
    score : Score, str, callable or importance
        The score to match, by its direction: where lower is better, the order is reversed.
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances, all dims except draws stacked. Each draw is matched separately; if
        draws are the only dim, they are the sample.
    method : {"kendall", "spearman"}
        The rank correlation: Kendall's tau-b or Spearman's rho.
    lowest : bool
        Find the smallest correlation instead: the ranking score that contradicts the score most.
    kind : str, optional
        As for :func:`value`.

    Returns
    -------
    xarray.Dataset
        ``a`` and ``b`` of the best position, its ``correlation``, and ``share``, the fraction of a
        grid over the Tile with an equal correlation. With few entities, many positions give the
        same order; the result is then near the mean of these positions. Dims are those of the
        draws; NaN if fewer than two performances have both scores, or all are equal.

    Examples
    --------
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
    best = np.array([_best(sign * rows[:, 0], rows[:, 1:].T, named, method) for rows in samples])
    columns = best.T.reshape(4, *(array.sizes[dim] for dim in along))
    columns[2] *= side
    variables = {
        name: (along, values)
        for name, values in zip(("a", "b", "correlation", "share"), columns, strict=True)
    }
    coords = {dim: array[dim] for dim in along if dim in array.coords}
    return xr.Dataset(variables, coords, {"method": method, "score": matched.name})


def _best(
    values: np.ndarray, cells: np.ndarray, named: np.ndarray, method: str
) -> tuple[float, float, float, float]:
    """Return the best position, its correlation, and the share of the grid with an equal correlation."""
    defined = ~np.isnan(values)
    if defined.sum() < 2 or np.ptp(values[defined]) == 0:
        return np.nan, np.nan, np.nan, np.nan
    values, cells = values[defined], cells[:, defined]
    correlate = rank_correlator(values, cells, method)
    axis = np.linspace(0.0, 1.0, GRID)
    candidates = np.hstack([named.T, np.array(np.meshgrid(axis, axis)).reshape(2, -1)])
    values_at = np.append(
        [correlate(*at).item() for at in named[:, :, None]], correlate(axis, axis)
    )
    values_at[np.isnan(values_at)] = 0.0  # a score is constant
    best = values_at.max()
    a, b = _midst(candidates, values_at >= best - ROUNDING)
    step = axis[1]
    for _ in range(0 if best > 1 - ROUNDING else ZOOMS):
        step /= 3
        around = np.arange(-2, 3) * step
        near = np.clip(a + around, 0, 1), np.clip(b + around, 0, 1)
        finer = np.nan_to_num(correlate(*near)).ravel()
        if finer.max() > best + ROUNDING:
            best = finer.max()
            a, b = _midst(np.array(np.meshgrid(*near)).reshape(2, -1), finer >= best - ROUNDING)
    return a, b, float(min(best, 1.0)), float((values_at[len(named) :] >= best - ROUNDING).mean())


def _midst(places: np.ndarray, chosen: np.ndarray) -> tuple[float, float]:
    """Return the chosen place nearest to the mean of all chosen places."""
    retained = places[:, chosen]
    nearest = np.argmin(((retained - retained.mean(axis=1, keepdims=True)) ** 2).sum(axis=0))
    return float(retained[0, nearest]), float(retained[1, nearest])
