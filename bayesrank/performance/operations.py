"""Operations on performances: relabel, swap classes, shift the prior, remove the skill.

Each function takes any container of a performance and returns a performance.
"""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import check_choice, check_labelled_prevalence
from bayesrank._labels import check_positive
from bayesrank._types import Container
from bayesrank.performance.arrays import align_outcomes, as_performance, outcome_dims, two_class_cells

#: Cells of the result of each operation, in the order tn, fp, fn, tp (The Tile, Lemmas 1 to 4).
OPERATIONS = {
    "change_predicted": ("fp", "tn", "tp", "fn"),
    "change_actual": ("fn", "tp", "tn", "fp"),
    "swap_actual_predicted": ("tn", "fn", "fp", "tp"),
    "swap_classes": ("tp", "fn", "fp", "tn"),
}


def relabel(source: Container, operation: str) -> xr.DataArray:
    """Return the performance after truth or predictions are relabelled.

    Parameters
    ----------
    source : DataArray, Dataset, InferenceData or DataTree
        Two-class performances (..., actual, predicted), with or without draws. The result has its dims, and is lazy if
        the source is.
    operation : {"change_predicted", "change_actual", "swap_actual_predicted", "swap_classes"}
        Change every prediction, or every true class, to the other class; exchange truth and prediction, or the two
        classes.

    Raises
    ------
    ValueError, TypeError, KeyError
        If the source has no performance of two classes, or the operation is unknown.

    References
    ----------
    Piérard et al., The Tile, Lemmas 1 to 4.

    Examples
    --------
    >>> relabel(br.from_counts(tn=4, fp=3, fn=2, tp=1), "swap_classes").values.tolist()
    [[[0.1, 0.2], [0.3, 0.4]]]
    """
    order = OPERATIONS[check_choice("operation", operation, OPERATIONS, KeyError)]
    return _map_cells(source, lambda **cells: [cells[cell] for cell in order])


def shift_prior(source: Container, prevalence: Any) -> xr.DataArray:
    """Return the performance at another prevalence, with unchanged rates (The Tile, Section 3.2 and Property 1).

    The prevalence, a number or DataArray, is the new share of the positive class. Where the old one is 0 or 1 and the
    new one differs, the result is NaN. Source, result and errors are those of :func:`relabel`.

    Examples
    --------
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

    This is the operation no-skill of The Tile, Sections 2.1 and 2.2. Source, result and errors are those of
    :func:`relabel`.

    Examples
    --------
    >>> no_skill_twin(br.from_counts(tn=40, fp=10, fn=10, tp=40)).values.round(6).tolist()
    [[[0.25, 0.25], [0.25, 0.25]]]
    """

    def independent(tn: Any, fp: Any, fn: Any, tp: Any) -> tuple:
        negative, positive, no, yes = tn + fp, fn + tp, tn + fn, fp + tp
        return negative * no, negative * yes, positive * no, positive * yes

    return _map_cells(source, independent)


def check_importance(importance: Any, array: xr.DataArray) -> xr.DataArray:
    """Validate an importance and align it with the outcomes of ``array``."""
    weights = align_outcomes(importance, array, "importance")
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError(f"importance must be non-negative and finite; got {weights.values.tolist()}")
    if not (weights > 0).any([dim for dim in outcome_dims(array) if dim in weights.dims]).all():
        raise ValueError("importance must be positive for some outcome; got 0 for all")
    return weights


def _map_cells(source: Any, function: Any) -> xr.DataArray:
    """Compute new cells from the old ones and write them into the old layout."""
    array = as_performance(source)
    cells = {
        name: cell.drop_vars(["actual", "predicted"], errors="ignore") for name, cell in two_class_cells(array).items()
    }
    tn, fp, fn, tp = function(**cells)
    rows = [xr.concat(row, "predicted", coords="minimal", compat="override") for row in ((tn, fp), (fn, tp))]
    table = xr.concat(rows, "actual", coords="minimal", compat="override")
    table = table.assign_coords({dim: array[dim] for dim in ("actual", "predicted") if dim in array.coords})
    return table.transpose(..., "actual", "predicted").rename("performance")
