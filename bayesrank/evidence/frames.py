"""Counts from tables as people have them: confusion matrices and data frames."""

from collections.abc import Sequence
from typing import Any, Literal

import pandas as pd
import xarray as xr

from bayesrank._checks import (
    check_choice,
    check_class_labels,
    check_counts_array,
    check_item_names,
    check_labelled_numbers,
)
from bayesrank.evidence._reader import read_table
from bayesrank.evidence._table import Roles, table_of
from bayesrank.evidence.counts import TWO_CLASSES, arrange, put_in_class_order

__all__ = ["from_frame", "from_matrix", "from_rates"]


def from_matrix(
    matrix: Any,
    orientation: Literal["actual_rows", "predicted_rows"],
    *,
    labels: Sequence[Any] | None = None,
    positive: Any = None,
    entity: Any = None,
) -> xr.DataArray:
    """Counts from a square confusion matrix, or a stack of them.

    Parameters
    ----------
    matrix : array_like or DataFrame
        Whole numbers of shape (C, C), or (entities, C, C).
    orientation : {"actual_rows", "predicted_rows"}
        What the rows are. There is no default: it cannot be told from the numbers.
    labels : sequence, optional
        The C classes in the matrix's order, for two classes the negative one first. By default the labels of a
        DataFrame, ``["negative", "positive"]`` for two classes, else 0 to C - 1.
    positive : label, optional
        The positive one of two classes. By default the last of ``labels``, or that of a standing pair such as 0/1 or
        no/yes, whatever their order. The labels of a DataFrame, in the order of the alphabet or of chance, state none.
    entity : hashable or sequence, optional
        Name of the entity, or names of a stack's entities.

    Returns
    -------
    xarray.DataArray
        Integer ``counts`` (entity, actual, predicted), of two classes the positive one last. The coord ``positive``
        names it, where it is known and is not called "positive".

    Raises
    ------
    ValueError
        If the matrix is not square, not whole numbers (a normalised matrix holds no counts), or the orientation
        is not one of the two words.

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
        if list(matrix.index) != list(matrix.columns):
            raise ValueError(
                "matrix must have the same labels in the same order on rows and columns; "
                f"got rows {list(matrix.index)}, columns {list(matrix.columns)}"
            )
        labels = list(matrix.index) if labels is None else labels
        matrix = matrix.to_numpy()
    values = check_counts_array("matrix", matrix)
    if values.ndim not in (2, 3) or values.shape[-1] != values.shape[-2] or values.shape[-1] < 2 or not values.size:
        raise ValueError(f"matrix must have the shape (C, C) or (entities, C, C) with C >= 2; got {values.shape}")
    values = values.reshape(-1, *values.shape[-2:])
    if orientation == "predicted_rows":
        values = values.swapaxes(-1, -2)
    size, n_classes = values.shape[:2]
    if labels is None:
        labels = TWO_CLASSES if n_classes == 2 else range(n_classes)
    classes = check_class_labels(labels)
    if len(classes) != n_classes:
        raise ValueError(f"labels must name the {n_classes} classes of matrix; got {classes}")
    entities = [f"entity {i + 1}" for i in range(size)] if entity is None else check_item_names("entity", entity, size)
    return put_in_class_order(arrange(values, entities, None, classes), positive, ordered)


def from_frame(
    frame: pd.DataFrame,
    *,
    entity: Any = None,
    entities: Sequence[Any] | None = None,
    dataset: Any = None,
    case: Any = None,
    run: Any = None,
    cluster: Any = None,
    positive: Any = None,
    missing: Any = None,
) -> xr.DataArray | xr.Dataset:
    """Counts, or joint outcomes of single cases, from a table as people have it; the command reads files by it.

    The headings say what a row is, in any case and order, with blanks, hyphens or underscores between words:

    - a confusion matrix: ``entity, tn, fp, fn, tp`` (or ``true negatives``, ...);
    - a cell of one: ``entity, actual, predicted, count``;
    - right and wrong answers: ``entity, correct, wrong`` or ``entity, correct, total``;
    - how many cases had an outcome: ``entity, outcome, count``;
    - a case of an entity: ``entity, case, outcome`` (or ``correct``, ``is_correct``, ``score``) or
      ``entity, case, actual, predicted``;
    - a case, with one column an entity: its outcome, or beside a column ``actual`` (or ``y_true``) its predicted label.

    Outcomes are numbers, or words such as true/false, yes/no, pass/fail, C/I. Other columns of the first six forms do
    not matter. In the last one a column that is unlike the others is refused: numbers of rows, ids, costs.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table. An index that has a name is a column.
    entity : str, optional
        The column that names the entities; by default ``entity``, or else ``model``, ``team``, ``test`` and the like,
        where only one of them is there.
    entities : list of str, optional
        The columns that are entities, of a table with one column an entity; the others do not matter then.
    dataset, case, run, cluster : str, optional
        The columns that name the data set, the case, the run of the case, and what the case belongs to; by default the
        columns of these names.
    positive : label, optional
        The positive one of two classes, as for :func:`bayesrank.from_predictions`.
    missing : "common", "own" or number, optional
        What to do about missing answers of cases, as for :func:`bayesrank.from_outcomes`; refused by default.

    Returns
    -------
    xarray.DataArray or xarray.Dataset
        Integer ``counts`` (entity, [dataset], actual, predicted) or (entity, [dataset], outcome); of single cases what
        :func:`bayesrank.joint_outcomes` or :func:`bayesrank.from_outcomes` returns. A cell or an outcome without a row
        is 0. Outcomes 0 and 1 are both there even if only one occurred. ``attrs["remarks"]`` says what was inferred.

    Raises
    ------
    ValueError
        If columns are missing, of several forms, or may be no entities; if a row occurs twice; if a field holds a rate
        or a percentage instead of a count. The message says where, and what to write instead.
    TypeError
        If ``frame`` is no DataFrame, or outcomes are numbers as well as text.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"Team": ["a", "b"], "TN": [8, 9], "FP": [2, 1], "FN": [1, 3], "TP": [9, 7]})
    >>> from_frame(frame).dims
    ('entity', 'actual', 'predicted')
    >>> answers = pd.DataFrame({"entity": ["a", "b"], "correct": [17, 14], "total": [20, 20]})
    >>> from_frame(answers).sel(outcome=1).values.tolist()
    [17, 14]
    >>> cases = pd.DataFrame({"qid": [1, 2, 3], "gpt": ["pass", "fail", "pass"], "llama": ["pass", "fail", "fail"]})
    >>> from_frame(cases, case="qid")["outcome"].values.tolist()
    [[0, 0], [1, 0], [1, 1]]
    """
    roles = Roles(entity, entities, dataset, case, run, cluster, positive, missing)
    return read_table(table_of(frame), roles)


def from_rates(*, tpr: Any, fpr: Any = None, tnr: Any = None, prevalence: Any, entity: Any = None) -> xr.DataArray:
    """Return the two-class performance of a true positive rate and a false positive rate at a prevalence.

    Draws are taken as they are, so a PyMC model of one's own needs one line to be ranked.

    Parameters
    ----------
    tpr : number, sequence or DataArray
        True positive rates, between 0 and 1. A sequence has one number for each entity. A DataArray may have any dims,
        such as (chain, draw, entity), and may be lazy.
    fpr, tnr : number, sequence or DataArray
        False positive rates, or true negative rates: one of them.
    prevalence : number, sequence or DataArray
        Share of the positive class.
    entity : hashable or sequence, optional
        Names of the entities. By default those of a DataArray, else "entity 1", "entity 2", ...

    Returns
    -------
    xarray.DataArray
        ``performance`` (..., entity, actual, predicted): probabilities that sum to 1 over (actual, predicted). The dims
        before ``entity`` are those of the DataArrays, with chain and draw first.

    Raises
    ------
    ValueError, TypeError
        If a rate is no number between 0 and 1, lengths or labels differ, or both or neither of ``fpr`` and ``tnr`` are
        given.

    References
    ----------
    Zhao et al., Outperformance Score, Section 2.2, Table 2.

    Examples
    --------
    >>> from_rates(tpr=0.75, fpr=0.1, prevalence=0.2).sel(actual="negative").values.round(3).tolist()
    [[0.72, 0.08]]

    Draws of a model of one's own:

    >>> import numpy as np
    >>> import bayesrank as br
    >>> rng = np.random.default_rng(1)
    >>> dims = ("chain", "draw", "entity")
    >>> tpr, tnr = (xr.DataArray(rng.beta(a, 9, (4, 500, 2)), {"entity": ["A", "B"]}, dims) for a in ([40, 20], 30))
    >>> performance = from_rates(tpr=tpr, tnr=tnr, prevalence=0.3)
    >>> performance.dims
    ('chain', 'draw', 'entity', 'actual', 'predicted')
    >>> bool(br.credible_ranking(performance, "informedness")["probability_best"].sel(entity="A") > 0.75)
    True
    """
    if (fpr is None) == (tnr is None):
        raise ValueError(f"exactly one of fpr and tnr must be given; got {'neither' if fpr is None else 'both'}")
    second = ("fpr", fpr) if tnr is None else ("tnr", tnr)
    given = [_rate(name, value) for name, value in (("tpr", tpr), second, ("prevalence", prevalence))]
    sizes = {name: each.sizes["entity"] for name, each in zip(("tpr", second[0], "prevalence"), given, strict=True)
             if "entity" in each.dims}  # fmt: skip
    longest = max(sizes.values(), default=1)
    # One number stands for all entities.
    given = [each.isel(entity=0, drop=True) if sizes.get(name) == 1 and "entity" not in each.coords else each
             for name, each in zip(("tpr", second[0], "prevalence"), given, strict=True)]  # fmt: skip
    if any(size not in (1, longest) for size in sizes.values()):
        raise ValueError(f"tpr, fpr or tnr, and prevalence must be numbers or have one length; got lengths {sizes}")
    try:
        right, other, share = xr.align(*given, join="exact")
    except ValueError as error:
        raise ValueError(f"tpr, {second[0]} and prevalence must have the same labels on shared dims: {error}") from None
    wrong = other if tnr is None else 1 - other
    cells = xr.broadcast((1 - share) * (1 - wrong), (1 - share) * wrong, share * (1 - right), share * right)
    rows = [xr.concat(cells[i : i + 2], "predicted", coords="minimal", compat="override") for i in (0, 2)]
    table = xr.concat(rows, "actual", coords="minimal", compat="override")
    if "entity" not in table.dims:
        table = table.expand_dims("entity")
    if entity is not None or "entity" not in table.coords:
        longest = table.sizes["entity"]
        names = (
            [f"entity {i + 1}" for i in range(longest)]
            if entity is None
            else check_item_names("entity", entity, longest)
        )
        table = table.assign_coords(entity=names)
    first = [dim for dim in ("chain", "draw") if dim in table.dims]
    return (
        table.assign_coords(actual=list(TWO_CLASSES), predicted=list(TWO_CLASSES))
        .transpose(*first, ..., "entity", "actual", "predicted")
        .drop_attrs()
        .rename("performance")
    )


def _rate(name: str, values: Any) -> xr.DataArray:
    """Numbers between 0 and 1, a sequence along the dim entity."""
    found = check_labelled_numbers(name, values, 0.0, 1.0)
    return found if isinstance(values, xr.DataArray) else xr.DataArray(found.values, dims=["entity"] * found.ndim)
