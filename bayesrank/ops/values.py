"""Outperformance scores (OPS) of reported values, of posterior draws, and of the whole Tile."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import (
    check_integer,
    check_labelled_numbers,
    check_numbers,
    check_prevalences,
    check_weights,
    describe_value,
)
from bayesrank._core.draws import proportion_error
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.memory import check_memory
from bayesrank._core.types import Container, ScoreLike
from bayesrank.evidence.counts import one_vs_rest
from bayesrank.ops.references import Reference, below, check_reference
from bayesrank.performance.arrays import as_performance, two_class_cells
from bayesrank.scores import Score, as_score
from bayesrank.scores.contour_area import monotone, score_at
from bayesrank.scores.forms import ranking_area
from bayesrank.scores.ranking_scores import canonical_score

ERROR = "standard error of a share of the reference's sample"


@check_call
def of_draws(
    source: Container,
    score: ScoreLike,
    reference: Reference | None = None,
    *,
    kind: str | None = None,
) -> xr.DataArray:
    """Return the OPS of every draw of a performance, each at its own prevalence (Zhao et al., Section 5).

    Parameters
    ----------
    source, kind
        As for :func:`bayesrank.as_performance`, with two classes.
    score : Score, str or callable
        A score with a direction.
    reference : Distribution or Sample, optional
        The performances to compare with; uniform by default.

    Returns
    -------
    xarray.DataArray
        Named "ops", with the dims of the performance except the outcomes; NaN where the score is
        undefined or the prevalence is 0 or 1. Lazy if the source is.

    Examples
    --------
    >>> of_draws(br.fit(br.from_counts(tn=80, fp=5, fn=3, tp=27), draws=500, seed=1), "f1").dims
    ('chain', 'draw', 'entity')
    """
    score, reference = orient(score), check_reference(reference)
    performance = as_performance(source, kind)
    score.check_classes(performance)
    two_class_cells(performance)  # refuses outcomes, which have no classes
    arrays = (one(performance) for one in (score, as_score("prevalence")))
    find = partial(below, reference, score)
    ops = xr.apply_ufunc(find, *arrays, dask="parallelized", output_dtypes=[np.float64])
    return labelled(ops, f"OPS of {score.display}")


@check_call
def on_tile(source: Container, resolution: int = 101, *, kind: str | None = None) -> xr.DataArray:
    """Return the OPS of every canonical ranking score R_ab of the Tile (The Tile, Definition 1; Zhao et al., Eq. 6).

    Parameters
    ----------
    source, kind
        As for :func:`of_draws`. Each draw gives a Tile: pass chunked draws to stay lazy.
    resolution : int
        Number of points on each axis, ends included.

    Returns
    -------
    xarray.DataArray
        Named "ops" (..., b, a), for the uniform reference, in closed form; NaN where R_ab is
        undefined.

    Examples
    --------
    >>> counts = br.from_counts(tn=80, fp=1, fn=3, tp=27)
    >>> ops = on_tile(counts, resolution=3)
    >>> ops.dims, ops.sel(a=1, b=0.5).item() == of_draws(counts, "f1").item()
    (('entity', 'b', 'a'), True)
    """
    axis = np.linspace(0.0, 1.0, check_points(resolution, 2))
    performance = as_performance(source, kind)
    if {"a", "b"} & set(performance.dims):
        raise ArgumentError(
            "source", "must not have the dims a and b, since the Tile adds them", performance.dims
        )
    value, share = canonical_score(performance, axis, axis), as_score("prevalence")(performance)

    def area(value: np.ndarray, share: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return ranking_area(value, share, tn=1 - a, fp=1 - b, fn=b, tp=a)

    arrays = value, share.where((share > 0) & (share < 1)), value["a"], value["b"]
    return labelled(xr.apply_ufunc(area, *arrays, dask="parallelized", output_dtypes=[np.float64]))


@check_call
def by_label(
    source: Container,
    score: ScoreLike,
    *,
    weights: Mapping[Any, float] | None = None,
    reference: Reference | None = None,
    kind: str | None = None,
) -> xr.Dataset:
    """Return the OPS of each label of a multi-class or multi-label problem, and their average.

    Raw scores are not comparable between labels of different prevalence; OPS are (Zhao et al.,
    Section 5).

    Parameters
    ----------
    source : counts, DataArray, Dataset, InferenceData or DataTree
        A performance over C classes (each class against all others), or two-class performances with
        the dim ``label``.
    score, reference, kind
        As for :func:`of_draws`.
    weights : mapping, optional
        Non-negative weight of every label; equal by default.

    Returns
    -------
    xarray.Dataset
        ``ops`` (..., label) and ``average`` (...), for each draw. The average is NaN if the OPS of
        a label with a positive weight is undefined.

    Examples
    --------
    >>> counts = br.from_matrix([[50, 1, 0], [2, 70, 9], [0, 8, 4]], "actual_rows", labels=["a", "b", "c"])
    >>> result = by_label(counts, "f1")
    >>> result["ops"].dims, result["average"].dims
    (('entity', 'label'), ('entity',))
    """
    performance = as_performance(source, kind)
    if "label" not in performance.dims:
        if performance.sizes.get("actual", 0) < 3:
            raise ArgumentError(
                "source",
                "must have the dim label or more than two classes",
                dict(performance.sizes),
            )
        performance = one_vs_rest(performance)
    ops = of_draws(performance, score, reference)
    labels = ops["label"].values.tolist()
    share = np.ones(len(labels))
    if weights is not None:
        if not isinstance(weights, Mapping):
            raise ArgumentTypeError(
                "weights", "must be a mapping from labels to numbers", describe_value(weights)
            )
        if set(weights) != set(labels):
            raise ArgumentError("weights", f"must name the labels {labels}", list(weights))
        share = check_weights("weights", [weights[label] for label in labels])
    weight = xr.DataArray(share / share.sum(), dims="label")
    average = (ops * weight).where(weight > 0, 0.0).sum("label", skipna=False)
    return xr.Dataset({"ops": ops, "average": average.rename("average")})


def check_points(resolution: Any, least: int) -> int:
    """Check the number of points on each of two axes."""
    size = check_integer("resolution", resolution, least)
    check_memory("resolution must be lower", f"{size} x {size} points", (size, size), str(size))
    return size


def value_range(score: Score, prevalence: xr.DataArray) -> tuple[np.ndarray, np.ndarray]:
    """Return the smallest and largest value of a score at each prevalence."""
    # A score that rises with TPR and TNR takes them where both rates are 0 and 1. The range of the
    # metadata is used for other scores, and where the score is undefined or infinite there.
    shares = prevalence.values
    low, high = (np.full(shares.shape, end, dtype=float) for end in score.range)
    if shares.size and monotone(score, shares):
        sign = 1.0 if score.higher_is_better else -1.0
        ends = (
            sign * score_at(score, np.full(shares.shape, x), np.full(shares.shape, 1 - x), shares)
            for x in (1, 0)
        )
        worst, best = ends if score.higher_is_better else tuple(ends)[::-1]
        low, high = (
            np.where(np.isfinite(worst), worst, low),
            np.where(np.isfinite(best), best, high),
        )
    return low, high


def check_range(
    name: str, value: np.ndarray, prevalence: np.ndarray, low: np.ndarray, high: np.ndarray
) -> None:
    """Raise unless the values are possible for the score or metric at their prevalences."""
    slack = 1e-9 * np.maximum(1.0, np.abs(value))
    outside = (value < low - slack) | (value > high + slack)
    if outside.any():
        i = tuple(np.argwhere(outside)[0])
        raise ArgumentError(
            "value",
            f"must lie between {low[i]:.6g} and {high[i]:.6g}, the range of {name} at prevalence {prevalence[i]:.6g}",
            f"{value[i]:.6g}",
        )


def orient(score: Any) -> Score:
    """Return the score; raise if it has no direction."""
    score = as_score(score)
    if score.higher_is_better is None:
        raise ArgumentError(
            "score",
            "must have a direction, higher or lower is better",
            f"{score.name}, which has none",
        )
    return score


def broadcast(value: Any, prevalence: Any) -> tuple[xr.DataArray, xr.DataArray]:
    """Return values and prevalences as DataArrays of one shape, with checked prevalences."""
    arrays: list[Any] = [
        given if isinstance(given, xr.DataArray) else check_numbers(argument, given)
        for argument, given in (("value", value), ("prevalence", prevalence))
    ]
    if not any(isinstance(array, xr.DataArray) for array in arrays):
        arrays = list(np.broadcast_arrays(*arrays))
    values, shares = xr.broadcast(*(xr.DataArray(array) for array in arrays))
    return check_labelled_numbers("value", values), check_prevalences(shares)


def wrap(like: xr.DataArray, ops: np.ndarray, size: int | None) -> xr.DataArray:
    """Return OPS as a DataArray; for samples, the coord ``ops_error`` is its Monte-Carlo standard error."""
    out = labelled(like.copy(data=ops))
    if size is None:
        return out
    return out.assign_coords(ops_error=(like.dims, proportion_error(ops, size), {"method": ERROR}))


def labelled(ops: xr.DataArray, long_name: str = "OPS") -> xr.DataArray:
    """Return OPS with its own metadata: higher OPS is better even where a lower score is better."""
    out = ops.rename("ops")
    out.attrs = {
        "long_name": long_name,
        "units": "1",
        "direction": "higher is better",
        "range": [0.0, 1.0],
    }
    return out
