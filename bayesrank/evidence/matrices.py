"""Evidence from confusion matrices and from rates; no choice that matters is guessed."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import (
    check_choice,
    check_class_labels,
    check_counts_array,
    check_labelled_numbers,
)
from bayesrank._core.errors import ArgumentError
from bayesrank.evidence.counts import (
    CLASS_DIMS,
    TWO_CLASSES,
    arrange,
    class_dims,
    entity_names,
    mark_averaged,
    put_in_class_order,
)

#: Dims of rates of one entity.
BESIDE_ENTITIES = ("chain", "draw", "sample", "dataset", "group", "prevalence", "threshold")


@check_call
def from_matrix(
    matrix: Any,
    orientation: Literal["actual_rows", "predicted_rows"],
    *,
    labels: Sequence[Any] | None = None,
    positive: Any = None,
    entity: Any = None,
) -> xr.DataArray:
    """Return counts from a square confusion matrix or a stack of them.

    Parameters
    ----------
    matrix : array_like or DataFrame
        Whole numbers of shape (C, C), or (entities, C, C).
    orientation : {"actual_rows", "predicted_rows"}
        Whether the rows are actual or predicted classes. There is no default, because the numbers
        do not show it.
    labels : sequence, optional
        The C classes in the order of the matrix; with two classes, the negative one first. By
        default the labels of a DataFrame, else ``["negative", "positive"]`` for two classes, else 0
        to C - 1. A row of zeros is a class without cases if ``labels`` names it, else a wrong
        answer: averages over classes count it 0 in draws, too.
    positive : label, optional
        The positive one of two classes. By default the last of ``labels``, or the positive one of a
        standard pair (0/1, no/yes, ...) in any order. The order of a DataFrame's labels does not
        define it.
    entity : hashable or sequence, optional
        Name of each matrix.

    Returns
    -------
    xarray.DataArray
        Integer ``counts`` (entity, actual, predicted). The coord ``positive`` names the positive
        class, if it is known and not named "positive".

    Raises
    ------
    ValueError, TypeError
        If the matrix is not square, or does not hold whole numbers (such as normalised rows).

    Examples
    --------
    >>> from_matrix([[90, 10], [3, 17]], "actual_rows").sel(actual="negative", predicted="positive").item()
    10
    >>> from_matrix([[90, 3], [10, 17]], "predicted_rows").sel(actual="negative", predicted="positive").item()
    10
    """
    check_choice("orientation", orientation, ("actual_rows", "predicted_rows"))
    ordered = labels is not None
    if isinstance(matrix, pd.DataFrame):
        rows, columns = list(matrix.index), list(matrix.columns)
        if rows != columns:
            raise ArgumentError(
                "matrix",
                "must have the same labels in the same order on rows and columns",
                f"rows {rows}, columns {columns}",
            )
        labels, matrix = rows if labels is None else labels, matrix.to_numpy()
    values = _check_square(matrix)
    size = values.shape[-1]
    if orientation == "predicted_rows":
        values = values.swapaxes(-1, -2)
    if labels is None:
        labels = TWO_CLASSES if size == 2 else range(size)
    classes = check_class_labels(labels)
    if len(classes) != size:
        raise ArgumentError("labels", f"must name the {size} classes of matrix", classes)
    counts = arrange(values, entity_names(entity, len(values)), None, class_dims(classes))
    counts = mark_averaged(counts, [True] * size, named=ordered)
    return put_in_class_order(counts, positive, ordered)


def _check_square(matrix: Any) -> np.ndarray:
    """Return square matrices of counts (entity, class, class)."""
    values = check_counts_array("matrix", matrix)
    size = values.shape[-1] if values.ndim in (2, 3) and values.size else 0
    if size < 2 or values.shape[-2] != size:
        raise ArgumentError(
            "matrix", "must have the shape (C, C) or (entities, C, C) with C >= 2", values.shape
        )
    return values.reshape(-1, size, size)


@check_call
def from_rates(
    *, tpr: Any, fpr: Any = None, tnr: Any = None, prevalence: Any, entity: Any = None
) -> xr.DataArray:
    """Return the two-class performance with these rates and prevalence.

    Draws keep their dims, so posterior draws from any PyMC model can be ranked.

    Parameters
    ----------
    tpr : number, sequence or DataArray
        True positive rates in [0, 1]. A sequence has one number for each entity. A DataArray may
        have other dims, such as (chain, draw, entity), and may be lazy. Dims of another name than
        entity need ``entity``, or a rename.
    fpr, tnr : number, sequence or DataArray
        False positive rates or true negative rates: exactly one of them.
    prevalence : number, sequence or DataArray
        Share of the positive class.
    entity : hashable or sequence, optional
        Names of the entities; by default those of a DataArray, else "entity 1", "entity 2", ...

    Returns
    -------
    xarray.DataArray
        ``performance`` (..., entity, actual, predicted), which sums to 1 over (actual, predicted).

    Raises
    ------
    ValueError, TypeError
        If a rate is not a number in [0, 1], or lengths or labels differ.

    References
    ----------
    Zhao et al., Outperformance Score, Section 2.2, Table 2.

    Examples
    --------
    >>> from_rates(tpr=0.75, fpr=0.1, prevalence=0.2).sel(actual="negative").values.round(3).tolist()
    [[0.72, 0.08]]
    """
    if (fpr is None) == (tnr is None):
        raise ArgumentError(
            "exactly one of fpr and tnr", "must be given", "neither" if fpr is None else "both"
        )
    second = "fpr" if tnr is None else "tnr"
    arguments = {"tpr": tpr, second: fpr if tnr is None else tnr, "prevalence": prevalence}
    rates = {
        name: check_labelled_numbers(name, value, 0.0, 1.0, dim="entity")
        for name, value in arguments.items()
    }
    right, second_rate, share = _align_rates(rates)
    wrong = second_rate if tnr is None else 1 - second_rate
    cells = xr.broadcast(
        (1 - share) * (1 - wrong), (1 - share) * wrong, share * (1 - right), share * right
    )
    rows = [
        xr.concat(cells[i : i + 2], "predicted", coords="minimal", compat="override")
        for i in (0, 2)
    ]
    table = xr.concat(rows, "actual", coords="minimal", compat="override")
    if "entity" not in table.dims:
        if entity is None:
            _refuse_other_dims(table, rates)
        table = table.expand_dims("entity")
    if entity is not None or "entity" not in table.coords:
        table = table.assign_coords(entity=entity_names(entity, table.sizes["entity"]))
    first = [dim for dim in ("chain", "draw") if dim in table.dims]
    table = table.assign_coords(class_dims(TWO_CLASSES)).drop_attrs().rename("performance")
    return table.transpose(*first, ..., "entity", *CLASS_DIMS)


def _align_rates(rates: dict[str, xr.DataArray]) -> tuple[xr.DataArray, ...]:
    """Return the rates with equal labels; a single number applies to all entities."""
    sizes = {name: each.sizes["entity"] for name, each in rates.items() if "entity" in each.dims}
    longest = max(sizes.values(), default=1)
    if any(size not in (1, longest) for size in sizes.values()):
        raise ArgumentError(
            "tpr, fpr or tnr, and prevalence",
            "must be numbers or have the same length",
            f"lengths {sizes}",
        )
    parts = [
        each.isel(entity=0, drop=True)
        if sizes.get(name) == 1 and "entity" not in each.coords
        else each
        for name, each in rates.items()
    ]
    try:
        return xr.align(*parts, join="exact")
    except ValueError as error:
        first, second, third = rates
        raise ArgumentError(
            f"{first}, {second} and {third}", f"must have the same labels on shared dims: {error}"
        ) from None


def _refuse_other_dims(table: xr.DataArray, rates: dict[str, xr.DataArray]) -> None:
    """Raise an error if rates without the dim entity have a dim that may stand for it."""
    odd = next((str(dim) for dim in table.dims if dim not in (*BESIDE_ENTITIES, *CLASS_DIMS)), None)
    if odd is None:
        return
    rate = next(name for name, each in rates.items() if odd in each.dims)
    raise ArgumentError(
        rate,
        f"must have the dim entity if it has other dims than {', '.join(BESIDE_ENTITIES)}",
        f"the dim {odd}",
        f"{rate}.rename({odd}='entity') makes these the entities; entity='name' says whose rates they are",
    )
