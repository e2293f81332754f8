"""Ranks of entities: 1 is best, ties share a rank, and undefined values have no rank."""

from typing import Any, Literal

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_choice
from bayesrank._core.compat import to_container
from bayesrank._core.errors import ArgumentError
from bayesrank._core.source import parse_source
from bayesrank._core.types import Container, ScoreLike
from bayesrank.ranking._loops import positions
from bayesrank.ranking.aggregates import scored


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

    See Also
    --------
    credible_ranking : Probabilities of ranks, intervals and tiers over all draws.

    Examples
    --------
    >>> counts = br.from_counts(tn=[9, 5], fp=[1, 5], fn=[1, 4], tp=[9, 6], entity=["good", "bad"])
    >>> rank(counts, "fnr").values.tolist()
    [1.0, 2.0]
    """
    check_choice("method", method, ("average", "min", "max"))
    one = scored(source, score, higher_is_better, kind)
    return _rank_values(one.likely, one.found.sign, method)


@check_call
def rank_draws(
    source: Container,
    score: ScoreLike | None = None,
    *,
    higher_is_better: bool | None = None,
    kind: str | None = None,
) -> Any:
    """Return the score, the rank and whether it is first in each draw, in a container that ArviZ takes.

    Parameters
    ----------
    source, score, higher_is_better, kind
        As for :func:`bayesrank.credible_ranking`, with its errors.

    Returns
    -------
    InferenceData or DataTree
        The container of the installed ArviZ. Its group ``posterior`` has, over (``chain``,
        ``draw``, [other dims], ``entity``):

        - the score, by its name, as uncertain as few clusters or voters make it;
        - ``rank``: 1 is best, tied entities have the mean of their positions, NaN where the score
          is undefined. Its mean is the ``expected_rank`` of :func:`bayesrank.credible_ranking`;
        - ``best``: 1 for the first entity, divided among tied ones, else 0. Its mean is
          ``probability_best``.

        The other groups are those of ``source``, so that ``az.psense_summary`` finds the log prior
        and the log likelihood.

    Raises
    ------
    ValueError
        If ``source`` has no draws.

    Examples
    --------
    >>> counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    >>> draws = rank_draws(br.fit(counts, seed=1), "f1")
    >>> list(draws["posterior"].data_vars)
    ['f1', 'rank', 'best']

    ``az.plot_forest(draws, var_names=["rank"])`` and ``az.plot_rank_dist(draws)`` draw them.
    """
    source = parse_source(source)
    one = scored(source, score, higher_is_better, kind)
    found, values = one.found, one.likely.reset_coords(drop=True)
    if "sample" in values.dims:
        values = values.reset_index("sample", drop=True) if "sample" in values.indexes else values
        values = values.rename(sample="draw")
    if "draw" not in values.dims:
        raise ArgumentError(
            "source",
            "must have draws, over chain and draw",
            f"the dims {values.dims}",
            "br.rank(source, score) ranks point estimates",
        )
    if "chain" not in values.dims:
        values = values.expand_dims(chain=1)
    values = values.transpose("chain", "draw", ..., "entity").drop_attrs()
    first, last = (_rank_values(values, found.sign, method) for method in ("min", "max"))
    best = xr.where(first == 1, 1 / last, 0.0)
    variables = {found.name: values.clip(*found.range), "rank": (first + last) / 2, "best": best}
    coords = {dim: np.arange(values.sizes[dim]) for dim in ("chain", "draw")}
    groups = {name: held for name, held in source.groups.items() if name != "posterior"}
    return to_container({"posterior": xr.Dataset(variables).assign_coords(coords), **groups})


def _rank_values(values: xr.DataArray, sign: int, method: str) -> xr.DataArray:
    """Return the ranks along ``entity``."""
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


def _ranks(values: np.ndarray, method: str, sign: int) -> np.ndarray:
    values = np.asarray(values, dtype=float)
    first, last = positions(sign * values)
    position = {"min": first, "max": last, "average": (first + last) / 2}[method]
    return np.where(np.isnan(values), np.nan, position + 1.0)
