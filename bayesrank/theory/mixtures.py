"""Mixtures of performances, and performances filtered by the importance of outcomes."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_labelled_numbers, check_numbers, describe_value
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.types import Container
from bayesrank.performance.arrays import as_performance, outcome_dims
from bayesrank.performance.operations import check_importance


@check_call
def mix(
    source: Container,
    weights: xr.DataArray | Mapping[Any, float],
    dim: str = "entity",
    *,
    kind: str | None = None,
) -> xr.DataArray:
    """Return the performance of a random choice among entities, or among data sets.

    Choosing an entity at random for each case gives the convex mixture of performances (Fawcett's
    interpolation); choosing a data set gives Piérard's summarization. No mixture should rank above
    the best or below the worst of its parts. Source: Piérard et al., Foundations, Section 3.4.

    Parameters
    ----------
    source, kind
        As for :func:`bayesrank.as_performance`.
    weights : DataArray or mapping
        Probabilities of labels of ``dim``, which sum to 1. Further dims of a DataArray give one
        mixture each.
    dim : str

    Returns
    -------
    xarray.DataArray
        The performance without ``dim``; NaN where a part of positive weight is NaN.

    Examples
    --------
    >>> counts = br.from_counts(tn=[50, 90], fp=[40, 0], fn=[0, 6], tp=[10, 4], entity=["eager", "shy"])
    >>> mix(counts, {"eager": 0.5, "shy": 0.5}).sel(actual="positive").values
    array([0.03, 0.07])
    """
    array = as_performance(source, kind)
    if not isinstance(dim, str):
        raise ArgumentTypeError("dim", "must name a dim of source", describe_value(dim))
    if dim not in array.dims:
        raise ArgumentError("source", f"must have the dim {dim!r} to mix over", array.dims)
    if isinstance(weights, Mapping) and not isinstance(weights, xr.Dataset):
        weights = xr.DataArray(
            check_numbers("weights", list(weights.values())), dims=dim, coords={dim: list(weights)}
        )
    if not isinstance(weights, xr.DataArray):
        raise ArgumentTypeError(
            "weights", "must be a DataArray or a mapping", describe_value(weights)
        )
    weights = check_labelled_numbers("weights", weights)
    if dim not in weights.dims or dim not in weights.coords:
        raise ArgumentError("weights", f"must have the labelled dim {dim!r}", weights.dims)
    if dim in array.coords:
        unknown = [label for label in weights[dim].values if label not in array[dim].values]
        if unknown:
            raise ArgumentError(
                "weights", f"must name labels of {dim!r}, {array[dim].values.tolist()}", unknown
            )
        weights = weights.reindex({dim: array[dim]}, fill_value=0.0)
    total = weights.sum(dim, skipna=False)
    if (weights < 0).any() or not np.allclose(total, 1.0, rtol=0, atol=1e-9):
        raise ArgumentError(
            "weights", f"must be non-negative and sum to 1 over {dim!r}", weights.values.tolist()
        )
    parts = xr.where(weights > 0, array * weights, 0.0)
    order = [d for d in array.dims if d != dim]
    return parts.sum(dim, skipna=False).transpose(..., *order).rename("performance")


@check_call
def filter_by_importance(
    source: Container, importance: xr.DataArray, *, kind: str | None = None
) -> xr.DataArray:
    """Return the performance after keeping outcomes in proportion to their importance (Foundations, Property 1).

    P'(ω) = I(ω) P(ω) / Σ I P. A ranking score is the expected satisfaction of the filtered
    performance, which is NaN where no outcome with importance occurs.

    Parameters
    ----------
    source, kind
        As for :func:`bayesrank.as_performance`.
    importance : DataArray
        Non-negative, over the outcomes, as from :func:`bayesrank.importance`.

    Examples
    --------
    >>> counts = br.from_counts(tn=80, fp=10, fn=4, tp=6)
    >>> filter_by_importance(counts, br.importance(fp=1, tp=1)).sel(predicted="positive").squeeze().values
    array([0.625, 0.375])
    """
    array = as_performance(source, kind)
    retained = array * check_importance(importance, array)
    total = retained.sum(outcome_dims(array), skipna=False)
    return (retained / total.where(total > 0)).transpose(..., *array.dims).rename("performance")
