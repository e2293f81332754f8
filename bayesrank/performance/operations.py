"""Operations on performances: mix, filter, relabel, swap classes, shift the prior, remove the skill.

Each function takes any container of a performance and returns a performance.
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
    """Return the performance after every prediction is changed to the other class.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances (..., actual, predicted).

    Returns
    -------
    xarray.DataArray
        A performance with the dims of the source; lazy if the source is.

    Raises
    ------
    ValueError, TypeError
        If the source holds no two-class performance.

    References
    ----------
    Piérard et al., The Tile, Lemma 1.

    Examples
    --------
    >>> import bayesrank as br
    >>> change_predicted(br.from_counts(tn=4, fp=3, fn=2, tp=1)).values.tolist()
    [[[0.3, 0.4], [0.1, 0.2]]]
    """
    return _map_cells(source, lambda tn, fp, fn, tp: (fp, tn, tp, fn))


def change_actual(source: Container) -> xr.DataArray:
    """Return the performance after every true class is changed to the other class.

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
    return _map_cells(source, lambda tn, fp, fn, tp: (fn, tp, tn, fp))


def swap_actual_predicted(source: Container) -> xr.DataArray:
    """Return the performance after truth and prediction are exchanged.

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
    return _map_cells(source, lambda tn, fp, fn, tp: (tn, fn, fp, tp))


def swap_classes(source: Container) -> xr.DataArray:
    """Return the performance after the two classes are exchanged.

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
    return _map_cells(source, lambda tn, fp, fn, tp: (tp, fn, fp, tn))


def shift_prior(source: Container, prevalence: Any) -> xr.DataArray:
    """Return the performance at another prevalence, with unchanged rates.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances.
    prevalence : number or DataArray
        The new share of the positive class.

    Returns
    -------
    xarray.DataArray
        NaN where the old prevalence is 0 or 1 and the new one differs.

    Raises
    ------
    ValueError, TypeError
        If the source holds no two-class performance, or the prevalence is not a number in [0, 1].

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
    share = check_labelled_prevalence(prevalence, may_lack=True)  # NaN if nothing was observed

    def shifted(tn: Any, fp: Any, fn: Any, tp: Any) -> tuple:
        negative, positive = tn + fp, fn + tp
        down = ((1 - share) / negative.where(negative > 0)).where((negative > 0) | (share < 1), 0.0)
        up = (share / positive.where(positive > 0)).where((positive > 0) | (share > 0), 0.0)
        return tn * down, fp * down, fn * up, tp * up

    return _map_cells(source, shifted)


def no_skill_twin(source: Container) -> xr.DataArray:
    """Return the performance with the same prevalence and prediction rate, but prediction independent of truth.

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

    return _map_cells(source, independent)


def check_importance(importance: Any, array: xr.DataArray) -> xr.DataArray:
    """Validate an importance and align it with the outcomes of ``array``.

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


def _map_cells(source: Any, function: Any) -> xr.DataArray:
    """Compute new cells from the old ones and write them into the old layout."""
    array = as_performance(source)
    cells = [cell.drop_vars(["actual", "predicted"], errors="ignore") for cell in two_class_cells(array).values()]
    tn, fp, fn, tp = function(*cells)
    rows = [xr.concat(row, "predicted", coords="minimal", compat="override") for row in ((tn, fp), (fn, tp))]
    table = xr.concat(rows, "actual", coords="minimal", compat="override")
    table = table.assign_coords({dim: array[dim] for dim in ("actual", "predicted") if dim in array.coords})
    return table.transpose(..., "actual", "predicted").rename("performance")
