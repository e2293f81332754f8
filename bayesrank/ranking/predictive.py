"""The predictive order: by the score of the posterior mean performance, which is the performance on the next case.

Under the conditions of docs/theory/uncertainty.md it keeps the axioms of ranking.
"""

from itertools import pairwise
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.draws import draw_dims
from bayesrank._core.errors import ArgumentError
from bayesrank._core.source import Source
from bayesrank.performance.arrays import as_performance, outcome_dims
from bayesrank.ranking.intervals import with_gaps
from bayesrank.ranking.values import ScoreValues
from bayesrank.scores import get

#: Parts of the draws whose scores give the Monte-Carlo error.
PARTS = 20


def predictive_values(source: Source, found: ScoreValues, kind: str | None) -> xr.Dataset:
    """Return the score of the posterior mean performance, ``predictive``, and its Monte-Carlo error (..., entity)."""
    bare = source.array is not None and not outcome_dims(source.array)
    if bare or found.score is None or (found.variable and found.name != "mean_outcome"):
        raise ArgumentError(
            "order",
            "must be 'consensus' for values of a score, which have no performance",
            "'predictive'",
        )
    score = found.score
    linear = found.name == "mean_outcome"
    array = found.values if linear else as_performance(source, kind)
    draws = draw_dims(array)

    def value(part: xr.DataArray) -> xr.DataArray:
        mean = part.mean(draw_dims(part))
        return mean if linear else score(mean)

    size = int(np.prod([array.sizes[dim] for dim in draws])) if draws else 1
    result = xr.Dataset({"predictive": value(array)})
    if size < 2 * PARTS:
        return result.assign(predictive_error=xr.full_like(result["predictive"], np.nan))
    last = draws[-1]
    edges = np.linspace(0, array.sizes[last], min(PARTS, array.sizes[last]) + 1).astype(int)
    parts = xr.concat(
        [value(array.isel({last: slice(low, high)})) for low, high in pairwise(edges)],
        "part",
        coords="minimal",
        compat="override",
    )
    return result.assign(predictive_error=parts.std("part", ddof=1) / np.sqrt(parts.sizes["part"]))


def exact_predictive(
    concentration: np.ndarray, totals: np.ndarray | None, score: Any
) -> np.ndarray:
    """Return the score of the mean performance of conjugate posteriors (entity, actual, predicted)."""
    rows = concentration.sum(axis=-1, keepdims=True)
    share = (
        rows / rows.sum(axis=-2, keepdims=True) if totals is None else np.asarray(totals)[..., None]
    )
    mean = np.divide(concentration, rows, out=np.zeros_like(concentration), where=rows > 0) * share
    # Right or wrong is the TPR of cases that are all positive.
    return (get("tpr") if score.space == "outcomes" else score).of_tables(mean)


def predictive_order(
    value: np.ndarray, error: np.ndarray, found: ScoreValues, ranked: np.ndarray, expected: np.ndarray,
    names: np.ndarray, unseen: np.ndarray,
) -> dict[str, np.ndarray]:  # fmt: skip
    """Return the order by the variable names of a ranking; entities without an observed score come last.

    Values tie within 1e-10: ratios relative to each other, others relative to the largest.
    """
    low, high = found.range
    if np.isfinite(low) and np.isinf(high):
        with np.errstate(divide="ignore"):
            size = np.log(value - low)
    else:
        largest = [
            np.nanmax(np.abs(value[ranked & (unseen == one)]), initial=0.0) or 1.0
            for one in (False, True)
        ]
        size = value / np.where(unseen, largest[1], largest[0])
    key = np.where(np.isnan(size), np.inf, np.round(-found.sign * size, 10))
    order = np.lexsort((names, np.round(expected, 10), key, unseen))
    order = order[ranked[order]]
    position, rank = np.zeros(len(value), int), np.zeros(len(value), int)
    position[order] = np.arange(1, len(order) + 1)
    for before, entity in zip([None, *order], order, strict=False):
        tied = (
            before is not None and key[before] == key[entity] and unseen[before] == unseen[entity]
        )
        rank[entity] = rank[before] if tied else position[entity]
    return {
        "predictive": value,
        "predictive_error": error,
        "predictive_rank": with_gaps(rank, ranked),
        "predictive_position": with_gaps(position, ranked),
    }
