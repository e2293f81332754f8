"""What can be done to a performance: mix, filter, and with two classes relabel, swap, shift the prior, take all skill.

Each takes whatever holds a performance and gives a performance.
"""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import check_labelled_prevalence
from bayesrank._labels import check_positive
from bayesrank._types import Container
from bayesrank.performance.arrays import align_outcomes, as_performance, outcome_dims, two_class_cells

__all__ = [
    "change_actual",
    "change_predicted",
    "check_importance",
    "no_skill_twin",
    "shift_prior",
    "swap_actual_predicted",
    "swap_classes",
]


def change_predicted(source: Container) -> xr.DataArray:
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


def change_actual(source: Container) -> xr.DataArray:
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


def swap_actual_predicted(source: Container) -> xr.DataArray:
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


def swap_classes(source: Container) -> xr.DataArray:
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


def shift_prior(source: Container, prevalence: Any) -> xr.DataArray:
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
    share = check_labelled_prevalence(prevalence, may_lack=True)  # NaN where nothing was observed

    def shifted(tn: Any, fp: Any, fn: Any, tp: Any) -> tuple:
        negative, positive = tn + fp, fn + tp
        down = ((1 - share) / negative.where(negative > 0)).where((negative > 0) | (share < 1), 0.0)
        up = (share / positive.where(positive > 0)).where((positive > 0) | (share > 0), 0.0)
        return tn * down, fp * down, fn * up, tp * up

    return _mapped(source, shifted)


def no_skill_twin(source: Container) -> xr.DataArray:
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
