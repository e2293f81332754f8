"""What can be done to a performance: mix, filter, and with two classes relabel, swap, shift the prior, take all skill.

Each takes whatever holds a performance and gives a performance.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import in_words, labelled_numbers, labelled_prevalence, numbers
from bayesrank._labels import check_positive
from bayesrank.performance.arrays import align_outcomes, as_performance, outcome_dims, two_class_cells

__all__ = [
    "change_actual",
    "change_predicted",
    "check_importance",
    "filter_by_importance",
    "mix",
    "no_skill_twin",
    "shift_prior",
    "swap_actual_predicted",
    "swap_classes",
]


def change_predicted(source: Any) -> xr.DataArray:
    """The performance when every prediction is turned into the other class.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances (..., actual, predicted).

    Returns
    -------
    xarray.DataArray
        A performance with the dims of the source. Lazy if the source is.

    Raises
    ------
    ValueError, TypeError
        If the source holds no performance of two classes.

    References
    ----------
    Piérard et al., The Tile, Lemma 1.

    Examples
    --------
    >>> import bayesrank as br
    >>> change_predicted(br.from_counts(tn=4, fp=3, fn=2, tp=1)).values.tolist()
    [[[0.3, 0.4], [0.1, 0.2]]]
    """
    return _mapped(source, lambda tn, fp, fn, tp: (fp, tn, tp, fn))


def change_actual(source: Any) -> xr.DataArray:
    """The performance when every true class is turned into the other.

    Parameters, result and errors are those of :func:`change_predicted`.

    References
    ----------
    Piérard et al., The Tile, Lemma 2.

    Examples
    --------
    >>> import bayesrank as br
    >>> change_actual(br.from_counts(tn=4, fp=3, fn=2, tp=1)).values.tolist()
    [[[0.2, 0.1], [0.4, 0.3]]]
    """
    return _mapped(source, lambda tn, fp, fn, tp: (fn, tp, tn, fp))


def swap_actual_predicted(source: Any) -> xr.DataArray:
    """The performance when truth and prediction change roles.

    Parameters, result and errors are those of :func:`change_predicted`.

    References
    ----------
    Piérard et al., The Tile, Lemma 3.

    Examples
    --------
    >>> import bayesrank as br
    >>> swap_actual_predicted(br.from_counts(tn=4, fp=3, fn=2, tp=1)).values.tolist()
    [[[0.4, 0.2], [0.3, 0.1]]]
    """
    return _mapped(source, lambda tn, fp, fn, tp: (tn, fn, fp, tp))


def swap_classes(source: Any) -> xr.DataArray:
    """The performance when the classes change roles.

    Parameters, result and errors are those of :func:`change_predicted`.

    References
    ----------
    Piérard et al., The Tile, Lemma 4.

    Examples
    --------
    >>> import bayesrank as br
    >>> swap_classes(br.from_counts(tn=4, fp=3, fn=2, tp=1)).values.tolist()
    [[[0.1, 0.2], [0.3, 0.4]]]
    """
    return _mapped(source, lambda tn, fp, fn, tp: (tp, fn, fp, tn))


def shift_prior(source: Any, prevalence: Any) -> xr.DataArray:
    """The performance at another prevalence, rates unchanged.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances.
    prevalence : number or DataArray
        The new share of the positive class.

    Returns
    -------
    xarray.DataArray
        NaN where the old prevalence is 0 or 1, unless the new one is the same.

    Raises
    ------
    ValueError, TypeError
        If the source holds no performance of two classes, or the prevalence is no number between 0 and 1.

    References
    ----------
    Piérard et al., The Tile, Section 3.2 and Property 1.

    Examples
    --------
    >>> import bayesrank as br
    >>> shift_prior(br.from_counts(tn=40, fp=10, fn=10, tp=40), 0.1).values.round(6).tolist()
    [[[0.72, 0.18], [0.02, 0.08]]]
    """
    check_positive(as_performance(source), "prevalence, the share of the positive class")
    share = labelled_prevalence(prevalence, may_lack=True)  # NaN where nothing was observed

    def shifted(tn: Any, fp: Any, fn: Any, tp: Any) -> tuple:
        negative, positive = tn + fp, fn + tp
        down = ((1 - share) / negative.where(negative > 0)).where((negative > 0) | (share < 1), 0.0)
        up = (share / positive.where(positive > 0)).where((positive > 0) | (share > 0), 0.0)
        return tn * down, fp * down, fn * up, tp * up

    return _mapped(source, shifted)


def no_skill_twin(source: Any) -> xr.DataArray:
    """The performance with the same prevalence and prediction rate, prediction and truth independent.

    Parameters, result and errors are those of :func:`change_predicted`.

    References
    ----------
    Piérard et al., The Tile, Sections 2.1 and 2.2 (the operation no-skill).

    Examples
    --------
    >>> import bayesrank as br
    >>> no_skill_twin(br.from_counts(tn=40, fp=10, fn=10, tp=40)).values.round(6).tolist()
    [[[0.25, 0.25], [0.25, 0.25]]]
    """

    def independent(tn: Any, fp: Any, fn: Any, tp: Any) -> tuple:
        negative, positive, no, yes = tn + fp, fn + tp, tn + fn, fp + tp
        return negative * no, negative * yes, positive * no, positive * yes

    return _mapped(source, independent)


def mix(
    source: Any, weights: xr.DataArray | Mapping[Any, float], dim: str = "entity", *, kind: str | None = None
) -> xr.DataArray:
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
    kind : str, optional
        Which performance of the posterior, as in :func:`bayesrank.as_performance`.

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
    array = as_performance(source, kind)
    if not isinstance(dim, str):
        raise TypeError(f"dim must name a dim of source; got {in_words(dim)}")
    if dim not in array.dims:
        raise ValueError(f"source must have the dim {dim!r} to mix over; got {array.dims}")
    if isinstance(weights, Mapping) and not isinstance(weights, xr.Dataset):
        weights = xr.DataArray(numbers("weights", list(weights.values())), dims=dim, coords={dim: list(weights)})
    if not isinstance(weights, xr.DataArray):
        raise TypeError(f"weights must be a DataArray or a mapping; got {in_words(weights)}")
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


def filter_by_importance(source: Any, importance: xr.DataArray, *, kind: str | None = None) -> xr.DataArray:
    """The performance after outcomes are kept with a probability in proportion to their importance.

    P'(ω) = I(ω) P(ω) / Σ I P. A ranking score is the expected satisfaction of the filtered performance.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Whatever holds a performance.
    importance : DataArray
        Non-negative, over the outcomes, as from :func:`bayesrank.importance`.
    kind : str, optional
        Which performance of the posterior, as in :func:`bayesrank.as_performance`.

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
    array = as_performance(source, kind)
    kept = array * check_importance(importance, array)
    total = kept.sum(outcome_dims(array), skipna=False)
    return (kept / total.where(total > 0)).transpose(..., *array.dims).rename("performance")


def check_importance(importance: Any, array: xr.DataArray) -> xr.DataArray:
    """The importance, valid and labelled as the outcomes of ``array`` are.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_counts(tn=80, fp=1, fn=3, tp=27)
    >>> check_importance(br.importance(fn=1), counts).sum().item()
    1.0
    """
    weights = align_outcomes(importance, array, "importance")
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError(f"importance must be non-negative and finite; got {weights.values.tolist()}")
    if not (weights > 0).any([dim for dim in outcome_dims(array) if dim in weights.dims]).all():
        raise ValueError("importance must be positive for some outcome; got 0 for all")
    return weights


def _mapped(source: Any, function: Any) -> xr.DataArray:
    """New cells from old ones, put where the old ones were."""
    array = as_performance(source)
    cells = [cell.drop_vars(["actual", "predicted"], errors="ignore") for cell in two_class_cells(array).values()]
    tn, fp, fn, tp = function(*cells)
    rows = [xr.concat(row, "predicted", coords="minimal", compat="override") for row in ((tn, fp), (fn, tp))]
    table = xr.concat(rows, "actual", coords="minimal", compat="override")
    table = table.assign_coords({dim: array[dim] for dim in ("actual", "predicted") if dim in array.coords})
    return table.transpose(..., "actual", "predicted").rename("performance")
