"""Ranks of entities: 1 is best, ties share a rank, and undefined values have no rank."""

from typing import Literal

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_choice
from bayesrank._core.types import Container, ScoreLike
from bayesrank.ranking._loops import tied_groups
from bayesrank.ranking.values import score_values


@check_call
def rank(
    source: Container,
    score: ScoreLike | None = None,
    *,
    method: Literal["average", "min", "max"] = "average",
    higher_is_better: bool | None = None,
    kind: str | None = None,
) -> xr.DataArray:
    """Rank the entities along ``entity``, in each draw.

    Parameters
    ----------
    source, score, higher_is_better, kind
        As for :func:`bayesrank.credible_ranking`, with its errors. All other dims are kept. May be
        lazy.
    method : {"average", "min", "max"}
        The rank of tied entities: the mean, the best or the worst of their positions.

    Returns
    -------
    xarray.DataArray
        Float ``rank``; 1 is best, among defined values; NaN where the value is NaN. It satisfies
        axiom 1 of Piérard et al., Foundations of the theory of performance-based ranking.

    Examples
    --------
    >>> counts = br.from_counts(tn=[9, 5], fp=[1, 5], fn=[1, 4], tp=[9, 6], entity=["good", "bad"])
    >>> rank(counts, "fnr").values.tolist()
    [1.0, 2.0]
    """
    check_choice("method", method, ("average", "min", "max"))
    found = score_values(source, score, higher_is_better, kind)
    values = found.values
    if values.chunks is not None:
        values = values.chunk(entity=-1)
    ranked = xr.apply_ufunc(
        _ranks,
        values,
        input_core_dims=[["entity"]],
        output_core_dims=[["entity"]],
        kwargs={"method": method, "sign": found.sign},
        dask="parallelized",
        dask_gufunc_kwargs={"allow_rechunk": True},
        output_dtypes=[np.float64],
    )
    return ranked.transpose(*values.dims).rename("rank").drop_attrs()


def positions(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return first and last position (from 0) of each value's tied group on the last axis, highest first, NaN last."""
    order = np.argsort(-values, axis=-1)
    ordered = np.take_along_axis(values, order, axis=-1)
    out = np.empty((2, *values.shape), np.int32)
    for group, position in zip(tied_groups(ordered), out, strict=True):
        np.put_along_axis(position, order, group, axis=-1)
    return out[0], out[1]


def _ranks(values: np.ndarray, method: str, sign: int) -> np.ndarray:
    values = np.asarray(values, dtype=float)
    first, last = positions(sign * values)
    position = {"min": first, "max": last, "average": (first + last) / 2}[method]
    return np.where(np.isnan(values), np.nan, position + 1.0)
