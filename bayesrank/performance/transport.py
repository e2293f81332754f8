"""Performances of a posterior at another prevalence."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import check_labelled_prevalence, class_shares
from bayesrank._compat import groups_of, to_container
from bayesrank._types import Container
from bayesrank.evidence.counts import NO_CLASSES
from bayesrank.performance.arrays import KINDS, as_performance, posterior_of


def at_prevalence(source: Container, prevalence: Any) -> Any:
    """Return performances at a target prevalence, with unchanged rates.

    This assumes that the rates apply to the target population: its cases must be as hard.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Performances over ``actual`` and ``predicted``; in a posterior, all kinds of performance are changed.
    prevalence : number or DataArray
        Share of the positive class, or of all classes (dim ``actual``); labelled draws of it (``chain``, ``draw``)
        propagate its uncertainty.

    Returns
    -------
    DataArray, Dataset, InferenceData or DataTree
        The type of ``source``. Rows of classes that had a share of 0 are NaN, unless the posterior keeps their
        ``rate``. The attr ``prevalence`` of a posterior records the change.

    Examples
    --------
    >>> posterior = br.fit(br.from_counts(tn=45, fp=5, fn=10, tp=40), seed=1)
    >>> for share in (0.5, 0.02):
    ...     print(round(float(br.scores.ppv(at_prevalence(posterior, share)).median()), 2))
    0.88
    0.13
    """
    if isinstance(source, xr.DataArray):
        return _transport(as_performance(source), None, prevalence)
    groups = groups_of(source)
    group = posterior_of(source)
    kinds = {kind: name for kind, name in KINDS.items() if name in group}
    if not kinds:
        raise ValueError(f"source must hold a performance; got {sorted(map(str, group.data_vars))}")
    moved = {
        name: _transport(as_performance(group, kind), group.get("rate") if kind == "observed" else None, prevalence)
        for kind, name in kinds.items()
    }
    text = f"{float(prevalence):g}" if np.ndim(prevalence) == 0 else "given as an array"
    no_longer_apply = ["rate", "prevalence", "mean_prevalence", "spread_of_prevalence", "test_set"]
    found = group.drop_vars(no_longer_apply, errors="ignore").assign(moved).assign_attrs(prevalence=text)
    return to_container(groups | {"posterior": found}) if groups else found


def _transport(table: xr.DataArray, rate: xr.DataArray | None, prevalence: Any) -> xr.DataArray:
    if "actual" not in table.dims:
        hint = f" ({NO_CLASSES})" if "outcome" in table.dims else ""
        raise ValueError(f"source must hold a performance over actual and predicted; got {table.dims}{hint}")
    share = class_shares(check_labelled_prevalence(prevalence), table)
    if set(share.dims) - set(table.dims):
        raise ValueError(f"prevalence must have dims among {table.dims}; got {share.dims}")
    try:
        xr.align(share, table, join="exact")
    except ValueError:
        raise ValueError("prevalence must have the labels of the source on all dims; got others") from None
    return move_rates(table, rate, share)


def move_rates(table: xr.DataArray, rate: xr.DataArray | None, share: xr.DataArray) -> xr.DataArray:
    """Return a performance with the class shares ``share`` and the rates ``rate``, by default those of ``table``."""
    if rate is None:
        total = table.sum("predicted", skipna=False)
        rate = table / total.where(total > 0)
    # With a target share of 0, an unknown rate does not matter.
    return (rate.where(share > 0, 0.0) * share).where(table.notnull()).transpose(..., *table.dims).rename("performance")
