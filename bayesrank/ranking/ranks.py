"""Ranks of entities: 1 is best, ties share a rank, and an undefined value has none."""

from typing import Any, Literal

import numpy as np
import xarray as xr

__all__ = ["check_values", "positions", "rank"]


def rank(
    values: xr.DataArray,
    method: Literal["average", "min", "max"] = "average",
    higher_is_better: bool | None = None,
) -> xr.DataArray:
    """Ranks along ``entity``, draw by draw.

    Parameters
    ----------
    values : xarray.DataArray
        A score's values with the dim ``entity``; all other dims pass through. May be lazy.
    method : {"average", "min", "max"}
        The rank that tied entities share: the mean, the best or the worst of the positions that they occupy.
    higher_is_better : bool, optional
        By default the direction of the score that made the values (kept in their attrs), else True. xarray keeps
        attrs through arithmetic: after turning a score around (``1 - fnr``), say so here.

    Returns
    -------
    xarray.DataArray
        Float ``rank``; 1 is best, NaN where the value is NaN, and the others rank among the defined. It satisfies
        axiom 1 of Piérard et al., Foundations of the theory of performance-based ranking.

    Raises
    ------
    ValueError
        If there is no dim ``entity``, or the score has no direction and none was told.

    Examples
    --------
    >>> import xarray as xr
    >>> values = xr.DataArray([0.8, 0.9, 0.9], {"entity": ["a", "b", "c"]}, ["entity"])
    >>> rank(values).values.tolist()
    [3.0, 1.5, 1.5]
    """
    if method not in ("average", "min", "max"):
        raise ValueError(f"method must be 'average', 'min' or 'max'; got {method!r}")
    values, sign = check_values(values, higher_is_better)
    if values.chunks is not None:
        values = values.chunk(entity=-1)
    ranked = xr.apply_ufunc(
        _ranks,
        values,
        input_core_dims=[["entity"]],
        output_core_dims=[["entity"]],
        kwargs={"method": method, "sign": sign},
        dask="parallelized",
        dask_gufunc_kwargs={"allow_rechunk": True},
        output_dtypes=[np.float64],
    )
    return ranked.transpose(*values.dims).rename("rank").drop_attrs()


def check_values(values: Any, higher_is_better: bool | None) -> tuple[xr.DataArray, int]:
    """The values after a check, and the sign that makes higher better.

    Examples
    --------
    >>> import bayesrank as br
    >>> check_values(br.scores.fnr(br.from_counts(tn=80, fp=0, fn=3, tp=27)), None)[1]
    -1
    """
    if not isinstance(values, xr.DataArray):
        raise TypeError(f"values must be a DataArray of score values; got {type(values).__name__}")
    if "entity" not in values.dims:
        raise ValueError(f"values must have the dim entity; got {values.dims}")
    if {"actual", "predicted"} & set(values.dims):
        raise ValueError(f"values must be a score's values, not a performance; got the dims {values.dims}")
    if values.dtype.kind not in "fiub":
        raise TypeError(f"values must hold numbers; got dtype {values.dtype}")
    if higher_is_better is None:
        direction = values.attrs.get("direction", "higher is better")
        if direction == "none":
            raise ValueError(f"higher_is_better must be told for {values.name!r}, a score without direction; got None")
        higher_is_better = direction == "higher is better"
    elif not isinstance(higher_is_better, bool | np.bool_):
        raise TypeError(f"higher_is_better must be True, False or None; got {higher_is_better!r}")
    return values, 1 if higher_is_better else -1


def positions(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First and last position (from 0) of each value's tied group along the last axis, the highest first.

    NaN come after all others; their positions mean nothing.

    Examples
    --------
    >>> first, last = positions(np.array([0.8, 0.9, 0.9]))
    >>> first.tolist(), last.tolist()
    ([2, 0, 0], [2, 1, 1])
    """
    order = np.argsort(-values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    index = np.arange(values.shape[-1], dtype=np.int32)
    starts = np.ones(values.shape, bool)
    starts[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    ends = np.ones(values.shape, bool)
    ends[..., :-1] = starts[..., 1:]
    first = np.maximum.accumulate(np.where(starts, index, 0), axis=-1)
    last = np.minimum.accumulate(np.where(ends, index, values.shape[-1])[..., ::-1], axis=-1)[..., ::-1]
    out = np.empty((2, *values.shape), np.int32)
    for group, place in zip((first, last), out, strict=True):
        np.put_along_axis(place, order, group.astype(np.int32), axis=-1)
    return out[0], out[1]


def _ranks(values: np.ndarray, method: str, sign: int) -> np.ndarray:
    values = np.asarray(values, dtype=float)
    first, last = positions(sign * values)
    place = {"min": first, "max": last, "average": (first + last) / 2}[method]
    return np.where(np.isnan(values), np.nan, place + 1.0)
