"""A performance: probabilities over the outcomes, as labelled arrays.

Everything that holds one is accepted everywhere: a DataArray, a Dataset, an ArviZ InferenceData or DataTree with a
``posterior`` group, and integer counts, which stand for their relative frequencies. Input is judged by its values.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._arguments import labelled_numbers, numbers
from bayesrank._compat import groups_of, is_container

__all__ = [
    "align_outcomes",
    "as_performance",
    "draw_dims",
    "filter_by_importance",
    "mix",
    "outcome_dims",
    "two_class_cells",
]

KINDS = {"observed": "performance", "typical": "performance_typical", "new": "performance_new"}
OUTCOME_DIMS = ("actual", "predicted")
DRAW_DIMS = ("chain", "draw", "sample")


def as_performance(source: Any, kind: str | None = None) -> xr.DataArray:
    """The performance that ``source`` holds.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Probabilities over (``actual``, ``predicted``), or over ``outcome``; any other dims (``chain``, ``draw``,
        ``entity``, ...) pass through. Integer counts stand for their relative frequencies.
    kind : {"observed", "typical", "new"}, optional
        Which performance of a posterior over several data sets: on the observed data sets, or of a typical or a new
        data set (hierarchical models). By default the one that the model names, else the observed one. For one
        performance on all cases, fit :func:`bayesrank.pool` of the counts; for a mixture of performances see
        :func:`mix`.

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
    if kind is not None and kind not in KINDS:
        raise ValueError(f"kind must be one of {list(KINDS)}; got {kind!r}")
    array = _find(source, kind)
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


def observed_counts(source: Any) -> xr.DataArray | None:
    """The counts that ``source`` rests on: itself, or those that a posterior keeps; None where nobody knows.

    Examples
    --------
    >>> import bayesrank as br
    >>> observed_counts(br.fit(br.from_counts(tn=80, fp=1, fn=3, tp=27), seed=1)).values.tolist()
    [[[80, 1], [3, 27]]]
    """
    if isinstance(source, xr.DataArray):
        return source if source.dtype.kind in "iu" and outcome_dims(source) else None
    groups = groups_of(source) if is_container(source) else {}
    return groups["observed_data"].get("counts") if "observed_data" in groups else None


def two_class_cells(array: xr.DataArray, argument: str = "source") -> dict[str, xr.DataArray]:
    """The four cells tn, fp, fn, tp of two-class counts or performances.

    Examples
    --------
    >>> import bayesrank as br
    >>> cells = two_class_cells(br.from_counts(tn=80, fp=1, fn=3, tp=27))
    >>> [cell.item() for cell in cells.values()]
    [80, 1, 3, 27]
    """
    only_two_classes(array, argument)
    return {
        cell: array.isel(actual=i, predicted=j, drop=True)
        for cell, i, j in (("tn", 0, 0), ("fp", 0, 1), ("fn", 1, 0), ("tp", 1, 1))
    }


def only_two_classes(array: xr.DataArray, argument: str = "source") -> None:
    """Raise unless there are two classes."""
    sizes = {dim: array.sizes.get(dim) for dim in OUTCOME_DIMS}
    if set(sizes.values()) != {2}:
        raise ValueError(
            f"{argument} must have two classes on actual and predicted for a two-class score; got {sizes} "
            "(br.one_vs_rest makes two-class tables of more classes)"
        )


def mix(source: Any, weights: xr.DataArray | Mapping[Any, float], dim: str = "entity") -> xr.DataArray:
    """The performance of a random choice among entities, or on a random choice among data sets.

    Choosing an entity at random before each use gives the convex mixture of the entities' performances (Fawcett's
    interpolation); choosing the data set that a case comes from gives that of the data sets' (Piérard's
    summarization). No such mixture should rank above the best of its parts, nor below the worst.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Whatever holds a performance, with the dim ``dim``.
    weights : DataArray or mapping
        The probability of each label of ``dim``; labels left out have none. A DataArray may have further dims,
        one mixture each.
    dim : str
        The dim to mix over.

    Returns
    -------
    xarray.DataArray
        The performance without ``dim``; NaN where a part of positive weight is.

    Raises
    ------
    ValueError
        If the source has no such dim, a label is not there, or the weights are no probabilities that sum to 1.

    References
    ----------
    Piérard et al., Foundations of the theory of performance-based ranking, Section 3.4.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=[50, 90], fp=[40, 0], fn=[0, 6], tp=[10, 4], entity=["eager", "shy"])
    >>> mix(counts, {"eager": 0.5, "shy": 0.5}).sel(actual="positive").values
    array([0.03, 0.07])
    """
    array = as_performance(source)
    if dim not in array.dims:
        raise ValueError(f"source must have the dim {dim!r} to mix over; got {array.dims}")
    if isinstance(weights, Mapping):
        weights = xr.DataArray(numbers("weights", list(weights.values())), dims=dim, coords={dim: list(weights)})
    if not isinstance(weights, xr.DataArray):
        raise TypeError(f"weights must be a DataArray or a mapping; got {type(weights).__name__}")
    weights = labelled_numbers("weights", weights)
    if dim not in weights.dims or dim not in weights.coords:
        raise ValueError(f"weights must have the labelled dim {dim!r}; got {weights.dims}")
    if dim in array.coords:
        unknown = [label for label in weights[dim].values if label not in array[dim].values]
        if unknown:
            raise ValueError(f"weights must name labels of {dim!r}, {array[dim].values.tolist()}; got {unknown}")
        weights = weights.reindex({dim: array[dim]}, fill_value=0.0)
    total = weights.sum(dim, skipna=False)
    if (weights < 0).any() or not np.allclose(total, 1.0, rtol=0, atol=1e-9):
        raise ValueError(f"weights must be non-negative and sum to 1 over {dim!r}; got {weights.values.tolist()}")
    parts = xr.where(weights > 0, array * weights, 0.0)
    order = [d for d in array.dims if d != dim]
    return parts.sum(dim, skipna=False).transpose(..., *order).rename("performance")


def filter_by_importance(source: Any, importance: xr.DataArray) -> xr.DataArray:
    """The performance after outcomes are kept with a probability in proportion to their importance.

    P'(ω) = I(ω) P(ω) / Σ I P. A ranking score is the expected satisfaction of the filtered performance.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Whatever holds a performance.
    importance : DataArray
        Non-negative, over the outcomes, as from :func:`bayesrank.importance`.

    Returns
    -------
    xarray.DataArray
        A performance; NaN where no outcome of any importance occurs.

    Raises
    ------
    ValueError
        If the importance is negative or nowhere positive, or its labels are not those of the source.

    References
    ----------
    Piérard et al., Foundations of the theory of performance-based ranking, Property 1.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=80, fp=10, fn=4, tp=6)
    >>> filter_by_importance(counts, br.importance(fp=1, tp=1)).sel(predicted="positive").squeeze().values
    array([0.625, 0.375])
    """
    array = as_performance(source)
    kept = array * check_importance(importance, array)
    total = kept.sum(outcome_dims(array), skipna=False)
    return (kept / total.where(total > 0)).transpose(..., *array.dims).rename("performance")


def check_importance(importance: Any, array: xr.DataArray) -> xr.DataArray:
    """The importance, valid and labelled as the outcomes of ``array`` are."""
    weights = align_outcomes(importance, array, "importance")
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError(f"importance must be non-negative and finite; got {weights.values.tolist()}")
    if not (weights > 0).any([dim for dim in outcome_dims(array) if dim in weights.dims]).all():
        raise ValueError("importance must be positive for some outcome; got 0 for all")
    return weights


def draw_dims(array: xr.DataArray) -> list[str]:
    """The dims of the draws: chain and draw, or sample where these were stacked.

    Examples
    --------
    >>> draw_dims(xr.DataArray(np.zeros((2, 3, 1)), dims=("chain", "draw", "entity")))
    ['chain', 'draw']
    """
    return [dim for dim in DRAW_DIMS if dim in array.dims]


def outcome_dims(array: xr.DataArray) -> list[str]:
    """The dims of the sample space: actual and predicted, or outcome.

    Examples
    --------
    >>> outcome_dims(xr.DataArray(np.ones((1, 4)) / 4, dims=("entity", "outcome")))
    ['outcome']
    """
    return [dim for dim in (*OUTCOME_DIMS, "outcome") if dim in array.dims]


def align_outcomes(values: Any, array: xr.DataArray, argument: str) -> xr.DataArray:
    """A function on the sample space, its labels in the order of those of a performance.

    Labels are matched by name. Two-class values labelled negative and positive go by position, since in every
    two-class performance the negative class comes first.
    """
    if not isinstance(values, xr.DataArray):
        raise TypeError(f"{argument} must be a DataArray over the outcomes; got {type(values).__name__}")
    values = labelled_numbers(argument, values)
    here = outcome_dims(array)
    foreign = [dim for dim in (*OUTCOME_DIMS, "outcome") if dim in values.dims and dim not in here]
    if foreign:
        raise ValueError(f"{argument} must be over {' and '.join(here)}, as source is; got {values.dims}")
    for dim in here:
        if dim not in values.dims:
            continue
        if values.sizes[dim] != array.sizes[dim]:
            raise ValueError(f"{argument} must have size {array.sizes[dim]} on {dim}; got {values.sizes[dim]}")
        if dim not in values.coords or dim not in array.coords:
            got = wanted = []
        else:
            got, wanted = values[dim].values.tolist(), array[dim].values.tolist()
        if got != wanted and set(got) == set(wanted):
            values = values.sel({dim: wanted})
        elif got != wanted and got != ["negative", "positive"]:
            raise ValueError(f"{argument} must have the labels of source on {dim}, {wanted}; got {got}")
        if dim in array.coords:
            values = values.assign_coords({dim: array[dim]})
    for dim in set(values.dims) & set(array.dims) - set(here):
        if values.sizes[dim] != array.sizes[dim] or (
            dim in values.coords and dim in array.coords and (values[dim].values != array[dim].values).any()
        ):
            raise ValueError(f"{argument} must have the labels of source on {dim}; got others")
    return values


def posterior_of(source: Any) -> xr.Dataset:
    """The posterior group of a container, or a Dataset as it is.

    Examples
    --------
    >>> import bayesrank as br
    >>> sorted(posterior_of(br.fit(br.from_counts(tn=80, fp=1, fn=3, tp=27), seed=1)))
    ['performance', 'prevalence']
    """
    if is_container(source):
        groups = groups_of(source)
        if "posterior" in groups:
            return groups["posterior"]
        if not isinstance(source, xr.DataTree) or not source.data_vars:
            raise ValueError(f"source must have a posterior group; got the groups {sorted(groups)}")
        return source.to_dataset()
    if not isinstance(source, xr.Dataset):
        raise TypeError(
            f"source must be a DataArray, a Dataset, or an ArviZ InferenceData or DataTree; got {type(source).__name__}"
        )
    return source


def _find(source: Any, kind: str | None) -> xr.DataArray:
    """The performance of that kind in whatever ``source`` is."""
    if isinstance(source, xr.DataArray):
        if kind not in (None, "observed"):
            raise ValueError(f"source must be a posterior for kind {kind!r}; got a DataArray")
        return source
    posterior = posterior_of(source)
    variable = KINDS.get(kind or posterior.attrs.get("kind", "observed"), "performance")
    if variable not in posterior:
        raise ValueError(f"source must hold a variable {variable!r}; got {sorted(map(str, posterior.data_vars))}")
    return posterior[variable]


def _check(array: xr.DataArray, outcome: list[str]) -> None:
    """Probabilities that sum to 1, but for classes of which nothing is known."""
    values = array.data  # bare: labels would cost more than the checks do
    total = values.sum(array.get_axis_num(outcome))
    if np.isnan(total).any():
        # Nothing may be known, or nothing of a class; a table with holes is a mistake.
        unknown, row = np.isnan(values), array.get_axis_num(outcome[-1])
        if (unknown.any(row) != unknown.all(row)).any():
            raise ValueError(
                f"source must hold probabilities, or NaN for all of {outcome[-1]} where nothing was observed; "
                "got NaN beside numbers"
            )
    negative, unequal = (values < -1e-9).any(), np.abs(total - 1) > 1e-6
    if negative or (values > 1 + 1e-6).any() or unequal.any():
        worst = values[values < -1e-9].min() if negative else total[unequal].max() if unequal.any() else values.max()
        raise ValueError(
            f"source must hold probabilities that sum to 1 over {' and '.join(outcome)} "
            f"(or whole-number counts of integer type); got {worst:.6g}"
        )


def _is_lazy(array: xr.DataArray) -> bool:
    return array.chunks is not None
