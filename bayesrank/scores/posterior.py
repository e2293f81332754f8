"""Exact posteriors of scores: distribution functions, densities and quantiles without sampling."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import xarray as xr
from scipy import special

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_labelled_numbers
from bayesrank._core.errors import ArgumentError
from bayesrank._core.keywords import arguments_of
from bayesrank._core.types import ModelName, ScoreLike
from bayesrank.evidence.counts import check_counts
from bayesrank.models import conjugate_posterior
from bayesrank.performance.arrays import two_class_cells
from bayesrank.scores.contour_area import monotone, root
from bayesrank.scores.dirichlet import Curve, enough_nodes, gauss_jacobi, of_dirichlet
from bayesrank.scores.distributions import (
    FARTHEST,
    LOGITS,
    TOLERANCE,
    Rates,
    Scale,
    range_scale,
    scale_of,
    value_at,
)
from bayesrank.scores.names import as_score
from bayesrank.scores.score import Score, cells_at

__all__ = ["ScorePosterior", "score_posterior"]

#: Values computed at a time, to bound the memory.
CHUNK = 128


@dataclass(frozen=True)
class ScorePosterior:
    """The exact posterior of a score, table by table; made by :func:`score_posterior`.

    ``error`` (the dims of the counts without the outcomes) bounds the error of :meth:`cdf`; it is 0
    for a Beta function.

    Examples
    --------
    >>> accuracy = br.score_posterior(br.from_counts(tn=8, fp=2, fn=1, tp=9), "accuracy")
    >>> accuracy.cdf([0.0, 0.8, 1.0]).values.round(4).tolist(), accuracy.pdf([0.8, 1.2]).values.round(3).tolist()
    ([[0.0, 0.3704, 1.0]], [[4.313, 0.0]])
    >>> accuracy.quantile(0.5).values.round(4).tolist()
    [0.8279]
    """

    error: xr.DataArray
    _curves: np.ndarray = field(repr=False)
    _range: tuple[float, float] = field(repr=False)

    def cdf(self, value: Any) -> xr.DataArray:
        """Return P(score <= value), with the dim ``value`` for a sequence; a DataArray keeps its dims."""
        return self._map(
            _points("value", value, "value"), lambda curves, v: _at(curves[0], v, self._range, 1.0)
        ).rename("cdf")

    def pdf(self, value: Any) -> xr.DataArray:
        """Return the density at ``value``, 0 outside the range of the score and at its ends."""
        return self._map(
            _points("value", value, "value"), lambda curves, v: _at(curves[1], v, self._range, 0.0)
        ).rename("pdf")

    def quantile(self, q: Any) -> xr.DataArray:
        """Return the values at which the cdf is ``q``, with the dim ``quantile`` for a sequence."""
        levels = _points("q", q, "quantile", 0.0, 1.0)
        return self._map(levels, lambda curves, p: _invert(curves[0], p, self._range)).rename(
            "value"
        )

    def _map(
        self, points: xr.DataArray, function: Callable[[Any, np.ndarray], np.ndarray]
    ) -> xr.DataArray:
        try:
            values, _ = xr.broadcast(*xr.align(points, self.error, join="exact"))
        except ValueError:
            raise ArgumentError(
                "value and q",
                "must have the labels of the counts on shared dims",
                "different labels",
            ) from None
        values = values.transpose(*self.error.dims, ...)
        out = np.full(values.shape, np.nan)
        for position in np.ndindex(*self.error.shape):
            if (curves := self._curves[position]) is not None:
                out[position] = function(curves, values.values[position].reshape(-1)).reshape(
                    out[position].shape
                )
        return values.copy(data=out).assign_coords(self.error.coords)


@check_call
def score_posterior(
    counts: xr.DataArray, score: ScoreLike, model: ModelName | None = None, **options: Any
) -> ScorePosterior:
    """Return the exact posterior distribution of a score.

    Parameters
    ----------
    counts : xarray.DataArray
        Integer two-class counts ([entity], [dataset], [label], actual, predicted).
    score : Score, str or callable
        Any two-class score that rises, or falls, with TPR and with TNR: the ranking scores,
        informedness, MCC, kappa, likelihood ratios, ...
    model : str or class, optional
        As for :func:`bayesrank.fit`; only models with a posterior in closed form.
    **options
        Options of the model, as for :func:`bayesrank.fit`: ``prior``, ``prevalence`` (no draws of
        it), ``force``.

    Returns
    -------
    ScorePosterior
        With the methods ``cdf``, ``pdf`` and ``quantile``, and their ``error``; NaN where nothing
        was measured. The density of a ranking score of a Dirichlet table is exact. Others are
        slopes of the cdf: six digits are correct where the density is smooth and the error 1e-9,
        fewer next to kinks and poles of the density.

    Raises
    ------
    KeyError, ValueError
        If there is no such model, the score is not monotone or constant somewhere, a needed cell
        has neither prior nor cases, or a prevalence of 0 or 1 leaves the score undefined or
        constant.

    Examples
    --------
    >>> counts = br.from_counts(tn=32, fp=8, fn=4, tp=16)
    >>> posterior = br.score_posterior(counts, "jaccard")  # a Beta(16.5, 13)
    >>> round(posterior.cdf(0.5).item(), 4), posterior.quantile([0.025, 0.975]).values.round(3).tolist()
    (0.2564, [[0.381, 0.73]])
    """
    score = as_score(score)
    counts, is_single = _check_counts(counts)
    posterior = conjugate_posterior(model, counts, options, arguments_of(score_posterior))
    totals = posterior.totals
    if totals is not None and {"chain", "draw"} & set(totals.dims):
        raise ArgumentError("prevalence", "must be one number for each table", totals.dims)
    score.check_classes(counts)
    cells = two_class_cells(posterior.posterior, "counts")
    frame = xr.zeros_like(cells["tn"]).rename("error")
    share = None
    if isinstance(totals, xr.DataArray):
        share = (totals.isel(actual=1, drop=True) + frame).transpose(*frame.dims).values
    limits = (0.0, 1.0) if score.importance else score.range
    measured = counts["measured"].values if "measured" in counts.coords else True
    error, curves = np.full(frame.shape, np.nan), np.full(frame.shape, None)
    for position in zip(*np.nonzero(np.broadcast_to(measured, frame.shape)), strict=True):
        a = {name: float(cell.values[position]) for name, cell in cells.items()}
        cdf, pdf, error[position] = _curves(
            score, a, None if share is None else float(share[position])
        )
        curves[position] = cdf, pdf or partial(_slope, cdf, limits)
    result = frame.copy(data=error)
    if is_single:
        result, curves = result.isel(entity=0), curves[0]
    return ScorePosterior(result, np.asarray(curves), limits)


def _points(
    argument: str, given: Any, dim: str, low: float = -np.inf, high: float = np.inf
) -> xr.DataArray:
    """Return numbers, of a sequence labelled by themselves along a dim; those of a DataArray keep their labels."""
    points = check_labelled_numbers(argument, given, low, high, dim=dim)
    return (
        points if isinstance(given, xr.DataArray) else points.assign_coords({dim: points.variable})
    )


def _check_counts(counts: xr.DataArray) -> tuple[xr.DataArray, bool]:
    """Return the counts after a check, and whether they are of one selected entity, without the dim."""
    if not isinstance(counts, xr.DataArray) or "entity" in counts.dims:
        return check_counts(counts), False
    name = counts["entity"].item() if "entity" in counts.coords else "entity 1"
    return check_counts(
        counts.drop_vars("entity", errors="ignore").expand_dims(entity=[name])
    ), True


def _curves(
    score: Score, alpha: dict[str, float], share: float | None
) -> tuple[Curve, Curve | None, float]:
    """Return cdf and pdf of values within the score's range, and the error of the cdf; no pdf if it has no formula."""
    importance = score.importance or (score.complement and score.complement.importance)
    weights = importance or dict.fromkeys(alpha, 1.0)
    weighted = [c for c in weights if weights[c] > 0]
    empty = [c for c in weighted if alpha[c] <= 0]
    if empty:
        raise ArgumentError(
            "prior", "must be positive if a cell has no cases", f"0 and 0 for {empty}"
        )
    if share in (0.0, 1.0):
        cells_left = ("tn", "fp") if share == 0 else ("fn", "tp")
        if importance is None or any(weights[cell] <= 0 for cell in cells_left):
            raise ArgumentError(
                "prevalence", f"must lie strictly between 0 and 1 for {score.name}", f"{share:g}"
            )
    if importance is None:
        return _of_rates(score, alpha, share)
    if not set(weighted) & {"tn", "tp"} or not set(weighted) & {"fp", "fn"}:
        raise ArgumentError(
            "score", "must give weight to a right and a wrong outcome", f"the importance {weights}"
        )
    if share is None or set(weighted) in (
        {"tn", "fp"},
        {"fn", "tp"},
    ):  # scores of one class do not depend on it
        right, wrong = (
            [(weights[c], alpha[c]) for c in side if c in weighted]
            for side in (("tn", "tp"), ("fn", "fp"))
        )
        return of_dirichlet(right, wrong) if score.importance else of_dirichlet(wrong, right)
    return _of_rates(score, alpha, share)


def _of_rates(
    score: Score, alpha: dict[str, float], share: float | None
) -> tuple[Curve, Curve | None, float]:
    """Return the cdf of a score of independent Beta rates, averaged over the prevalence if that is not known."""
    rates = np.array([[alpha["tn"], alpha["fp"]], [alpha["tp"], alpha["fn"]]])
    negatives, positives = rates.sum(axis=1)
    middle = positives / (positives + negatives) if share is None else share
    averaged, score = share is None and score.depends_on_prevalence, _in_direction(score, middle)
    scale = scale_of(score, {middle})

    def cdf_of(size: int) -> Curve:
        shares, weight = (
            gauss_jacobi(size, positives, negatives)
            if averaged
            else (np.array([middle]), np.ones(1))
        )
        if not monotone(score, shares):
            raise ArgumentError(
                "score", "must be monotone in TPR and in TNR at all prevalences", score.name
            )
        distributions = Rates(score, scale, np.broadcast_to(rates, (size, 2, 2)), shares, -1, {})

        def cdf(v: np.ndarray) -> np.ndarray:
            position = scale.place(v if score.higher_is_better else -v)
            row = np.tile(np.arange(size), v.size)
            worse = (
                distributions.cdf(row, np.repeat(position, size)).reshape(*v.shape, size) @ weight
            )
            return worse if score.higher_is_better else 1 - worse

        return cdf

    if not averaged:
        return cdf_of(1), None, TOLERANCE
    y, z = np.meshgrid(*(special.betaincinv(*rate, [0.02, 0.5, 0.98]) for rate in rates[::-1]))
    at = score.of_cells(*cells_at(1 - z, y, middle))
    size, error = enough_nodes(cdf_of, at[np.isfinite(at)], (16, 32, 64), TOLERANCE)
    return cdf_of(size), None, max(error, TOLERANCE)


def _in_direction(score: Score, prevalence: float) -> Score:
    """Return the score with the direction in which it never falls as TPR and TNR rise; refuse point masses."""
    for better in (True, False):
        directed = replace(score, higher_is_better=better)
        if monotone(directed, np.array([prevalence])):
            break
    else:
        raise ArgumentError("score", "must be monotone in TPR and in TNR", score.name)
    odds = np.union1d(LOGITS, special.logit((np.arange(24) + 0.5) / 24))
    if (np.diff(value_at(directed, odds, odds, prevalence)) <= 0).any():
        raise ArgumentError(
            "score",
            "must rise or fall wherever TPR and TNR both rise",
            f"{score.name}, which is constant somewhere",
        )
    return directed


def _at(curve: Curve, values: np.ndarray, limits: tuple[float, float], above: float) -> np.ndarray:
    """Return the values of a curve strictly inside the limits; below them it is 0."""
    low, high = limits
    out = np.where(values >= high, above, 0.0)
    inside = np.flatnonzero((values > low) & (values < high))
    for start in range(0, len(inside), CHUNK):
        block = inside[start : start + CHUNK]
        out[block] = curve(values[block])
    return np.where(np.isnan(values), np.nan, out)


def _slope(cdf: Curve, limits: tuple[float, float], value: np.ndarray) -> np.ndarray:
    """Return the density: the slope of the cdf on the scale of places, by differences of high order."""
    from scipy.differentiate import derivative

    (low, high), scale = limits, _scale_of(limits)
    start, end = scale.place(_invert(cdf, np.array([0.1, 0.9]), limits))
    density = derivative(
        lambda x: _at(cdf, scale.value(x).ravel(), limits, 1.0).reshape(x.shape),
        scale.place(value),
        initial_step=(end - start) / 4,
        maxiter=30,
        tolerances={"rtol": 1e-6},
    )
    from_low, from_high = value - low, high - value
    if np.isfinite([low, high]).all():
        step = from_low * from_high / (high - low)
    else:
        step = (
            np.sqrt(1 + value**2)
            if np.isinf([low, high]).all()
            else np.minimum(from_low, from_high)
        )
    return np.maximum(density.df, 0.0) / step


def _invert(cdf: Curve, levels: np.ndarray, limits: tuple[float, float]) -> np.ndarray:
    """Return quantiles: the roots of cdf - level on the scale of places."""
    (low, high), scale = limits, _scale_of(limits)
    end = np.full(levels.shape, FARTHEST)
    roots = root(lambda x, i: _at(cdf, scale.value(x), limits, 1.0) - levels[i], -end, end)
    below, above = (levels == 0) | (roots <= -FARTHEST), (levels == 1) | (roots >= FARTHEST)
    return np.where(below, low, np.where(above, high, scale.value(roots)))


def _scale_of(limits: tuple[float, float]) -> Scale:
    """Return a scale on which values next to a limit, and very large ones, are apart."""
    if np.isinf(limits).all():
        return Scale(np.sinh, np.arcsinh, (-FARTHEST, FARTHEST))
    return range_scale(*limits)
