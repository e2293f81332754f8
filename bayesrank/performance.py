"""A performance: probabilities over the outcomes, as labelled arrays.

Everything that holds one is accepted everywhere: a DataArray, a Dataset, an ArviZ InferenceData or DataTree with a
``posterior`` group, and integer counts, which stand for their relative frequencies. Input is judged by its values.
"""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._compat import groups_of, is_container

__all__ = ["as_performance", "two_class_cells"]

KINDS = {"observed": "performance", "typical": "performance_typical", "new": "performance_new"}
OUTCOME_DIMS = ("actual", "predicted")


def as_performance(source: Any, kind: str | None = None) -> xr.DataArray:
    """The performance that ``source`` holds.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Probabilities over (``actual``, ``predicted``), or over ``outcome``; any other dims (``chain``, ``draw``,
        ``entity``, ...) pass through. Integer counts stand for their relative frequencies.
    kind : {"observed", "typical", "new", "pooled"}, optional
        Which performance of a posterior over several data sets: on the observed data sets (the default), of a
        typical and of a new data set (hierarchical models), or ``"pooled"``: on a random case of all measured
        data sets together, the mixture of its performances weighted by their numbers of cases (Piérard's
        summarization). The coord ``lacks`` (entity) then lists the data sets that an entity lacks.

    Returns
    -------
    xarray.DataArray
        Named "performance"; sums to 1 over the outcomes, or is NaN where nothing was observed.

    Raises
    ------
    ValueError
        If the values are no probabilities, or the kind is not there.
    TypeError
        If the source is none of the above.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=80, fp=0, fn=3, tp=27)
    >>> as_performance(counts).sel(actual="positive").sum().item()
    0.2727...
    """
    if kind is not None and kind not in (*KINDS, "pooled"):
        raise ValueError(f"kind must be one of {[*KINDS, 'pooled']}; got {kind!r}")
    if kind == "pooled":
        return _pooled(source)
    array = _find(source, KINDS[kind or "observed"])
    outcome = [dim for dim in (*OUTCOME_DIMS, "outcome") if dim in array.dims]
    if outcome not in [list(OUTCOME_DIMS), ["outcome"]]:
        raise ValueError(f"source must have the dims actual and predicted, or outcome; got {array.dims}")
    if array.dtype.kind in "iu":
        total = array.sum(outcome)
        if not _is_lazy(array) and (array < 0).any():
            raise ValueError(f"source must hold no negative counts; got {array.min().item()}")
        array = array / total.where(total > 0)
    elif array.dtype.kind != "f":
        raise TypeError(f"source must hold numbers; got dtype {array.dtype}")
    elif not _is_lazy(array):
        _check(array, outcome)
    return array.rename("performance")


def two_class_cells(array: xr.DataArray, argument: str = "source") -> dict[str, xr.DataArray]:
    """The four cells tn, fp, fn, tp of two-class counts or performances.

    Examples
    --------
    >>> import bayesrank as br
    >>> cells = two_class_cells(br.from_counts(tn=80, fp=1, fn=3, tp=27))
    >>> [cell.item() for cell in cells.values()]
    [80, 1, 3, 27]
    """
    sizes = {dim: array.sizes.get(dim) for dim in OUTCOME_DIMS}
    if set(sizes.values()) != {2}:
        raise ValueError(
            f"{argument} must have two classes on actual and predicted for a two-class score; got {sizes} "
            "(br.one_vs_rest makes two-class tables of more classes)"
        )
    return {
        cell: array.isel(actual=i, predicted=j, drop=True)
        for cell, i, j in (("tn", 0, 0), ("fp", 0, 1), ("fn", 1, 0), ("tp", 1, 1))
    }


def _find(source: Any, variable: str) -> xr.DataArray:
    """The DataArray called ``variable`` in whatever ``source`` is."""
    if isinstance(source, xr.DataArray):
        if variable != "performance":
            raise ValueError(f"source must be a posterior for kind {variable!r}; got a DataArray")
        return source
    if is_container(source):
        node = source if isinstance(source, xr.DataTree) and variable in source.data_vars else None
        groups = {} if node is not None else groups_of(source)
        if node is None and "posterior" not in groups:
            raise ValueError(f"source must have a posterior group; got the groups {sorted(groups)}")
        source = node.to_dataset() if node is not None else groups["posterior"]
    if not isinstance(source, xr.Dataset):
        raise TypeError(
            f"source must be a DataArray, a Dataset, or an ArviZ InferenceData or DataTree; got {type(source).__name__}"
        )
    if variable not in source:
        raise ValueError(f"source must hold a variable {variable!r}; got {sorted(map(str, source.data_vars))}")
    return source[variable]


def _pooled(source: Any) -> xr.DataArray:
    """Mixture over the measured data sets, weighted by their numbers of cases."""
    if isinstance(source, xr.DataArray):
        counts, array = source, as_performance(source)
        if counts.dtype.kind not in "iu":
            raise ValueError("source must hold counts to weight the data sets by; got a performance alone")
    else:
        array = as_performance(source)
        groups = groups_of(source) if is_container(source) else {}
        if "counts" not in groups.get("observed_data", ()):
            raise ValueError("source must have counts in the group observed_data for kind 'pooled'; got none")
        counts = groups["observed_data"]["counts"]
    if "dataset" not in array.dims:
        raise ValueError(f"source must have the dim dataset for kind 'pooled'; got {array.dims}")
    weight = counts.sum(list(OUTCOME_DIMS))
    weight = weight / weight.sum("dataset")
    pooled = (array.where(weight > 0, 0.0) * weight).sum("dataset", skipna=False).where(weight.sum("dataset") > 0)
    order = [dim for dim in array.dims if dim != "dataset"]
    measured = counts["measured"] if "measured" in counts.coords else counts.sum(list(OUTCOME_DIMS)) > 0
    names = counts["dataset"].values
    lacks = [", ".join(map(str, names[~row])) for row in measured.transpose("entity", "dataset").values]
    return pooled.transpose(*order).assign_coords(lacks=("entity", lacks)).rename("performance")


def _check(array: xr.DataArray, outcome: list[str]) -> None:
    """Probabilities that sum to 1, or all NaN."""
    total = array.sum(outcome, skipna=False)
    if (array < -1e-9).any() or (array > 1 + 1e-6).any() or (np.abs(total - 1) > 1e-6).any():
        worst = array.min().item() if (array < -1e-9).any() else total.where(np.abs(total - 1) > 1e-6).max().item()
        raise ValueError(
            f"source must hold probabilities that sum to 1 over {' and '.join(outcome)} "
            f"(or whole-number counts of integer type); got {worst:.6g}"
        )


def _is_lazy(array: xr.DataArray) -> bool:
    return array.chunks is not None
