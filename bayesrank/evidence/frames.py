"""Evidence from confusion matrices, tables and rates; no choice that matters is guessed."""

from collections.abc import Sequence
from typing import Any, Literal

import pandas as pd
import xarray as xr

from bayesrank._checks import check_choice, check_class_labels, check_counts_array, check_labelled_numbers
from bayesrank.evidence._cases import read_answers, read_cases, with_remarks
from bayesrank.evidence._columns import squeeze
from bayesrank.evidence._counting import read_counts, read_means
from bayesrank.evidence._forms import CASES, MEANS, find_entity, find_form, name_roles, refuse_without_entity
from bayesrank.evidence._table import Roles, Table, table_of
from bayesrank.evidence.counts import CLASS_DIMS, TWO_CLASSES, arrange, class_dims, entity_names, put_in_class_order


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
        Whether the rows are actual or predicted classes. There is no default, because the numbers do not show it.
    labels : sequence, optional
        The C classes in the order of the matrix; with two classes, the negative one first. By default the labels of a
        DataFrame, else ``["negative", "positive"]`` for two classes, else 0 to C - 1.
    positive : label, optional
        The positive one of two classes. By default the last of ``labels``, or the positive one of a standard pair (0/1,
        no/yes, ...) in any order. The order of a DataFrame's labels does not define it.
    entity : hashable or sequence, optional
        Name of each matrix.

    Returns
    -------
    xarray.DataArray
        Integer ``counts`` (entity, actual, predicted). The coord ``positive`` names the positive class, if it is known
        and not named "positive".

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
            raise ValueError(
                "matrix must have the same labels in the same order on rows and columns; got rows "
                f"{rows}, columns {columns}"
            )
        labels, matrix = rows if labels is None else labels, matrix.to_numpy()
    values = check_counts_array("matrix", matrix)
    if values.ndim not in (2, 3) or values.shape[-1] != values.shape[-2] or values.shape[-1] < 2 or not values.size:
        raise ValueError(f"matrix must have the shape (C, C) or (entities, C, C) with C >= 2; got {values.shape}")
    size = values.shape[-1]
    values = values.reshape(-1, size, size)
    if orientation == "predicted_rows":
        values = values.swapaxes(-1, -2)
    if labels is None:
        labels = TWO_CLASSES if size == 2 else range(size)
    classes = check_class_labels(labels)
    if len(classes) != size:
        raise ValueError(f"labels must name the {size} classes of matrix; got {classes}")
    counts = arrange(values, entity_names(entity, len(values)), None, class_dims(classes))
    return put_in_class_order(counts, positive, ordered)


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
    cost: Any = None,
) -> xr.DataArray | xr.Dataset:
    """Return counts, means or joint outcomes of single cases from a table, as ``bayesrank`` on the shell reads files.

    The column names say what a row is. Case, order, and blanks, hyphens or underscores between words do not matter:

    - a confusion matrix: ``entity, tn, fp, fn, tp`` (or ``true negatives``, ...);
    - a cell of a matrix: ``entity, actual, predicted, count``;
    - right and wrong answers: ``entity, correct, wrong`` or ``entity, correct, total``;
    - the number of cases with an outcome: ``entity, outcome, count``;
    - a mean outcome and its standard error: ``entity, mean, se`` and, if known, ``n``; the comparison is then unpaired;
    - a case of one entity: ``entity, case, outcome`` (or ``correct``, ``is_correct``, ``score``) or
      ``entity, case, actual, predicted``;
    - a case of all entities, one column each: the outcomes; or, with ``actual`` (or ``y_true``), the predicted labels.

    Outcomes are numbers, or words such as true/false, yes/no, pass/fail, C/I. All forms but the last ignore other
    columns; the last raises an error for a column unlike the others, such as row numbers, ids or costs.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table. A named index is used as a column.
    entity : str, optional
        Column with the entities; by default ``entity``, or the only one of ``model``, ``team``, ``test`` and the like.
    entities : list of str, optional
        Columns that are entities, if there is one column for each; all other columns are then ignored.
    dataset, case, run, cluster : str, optional
        Columns with the data set, the case, the run and the cluster of the case; by default the columns of these names.
    positive : label, optional
        The positive one of two classes, as for :func:`bayesrank.from_predictions`.
    missing : "common", "own" or number, optional
        How to treat missing answers, as for :func:`bayesrank.from_outcomes`; by default they raise an error.
    cost : str, optional
        Column with the cost of each answer, in a table with a row for each entity and case; see
        :func:`bayesrank.decisions.pareto_front`.

    Returns
    -------
    xarray.DataArray or xarray.Dataset
        Integer ``counts`` (entity, [dataset], actual, predicted) or (entity, [dataset], outcome); for single cases the
        result of :func:`bayesrank.joint_outcomes` or :func:`bayesrank.from_outcomes`; for means a Dataset of
        ``mean_outcome``, ``standard_error`` and, if known, ``cases`` (entity). Cells and outcomes without a row are 0,
        and the outcomes 0 and 1 are always both present. ``attrs["remarks"]`` lists the inferred choices.

    Raises
    ------
    ValueError, TypeError
        If columns are missing or ambiguous, a row occurs twice, a rate or percentage stands for a count, or outcomes
        mix numbers and text. The message names the place and the fix.

    Examples
    --------
    >>> import pandas as pd
    >>> cases = pd.DataFrame({"qid": [1, 2, 3], "gpt": ["pass", "fail", "pass"], "llama": ["pass", "fail", "fail"]})
    >>> from_frame(cases, case="qid")["outcome"].values.tolist()
    [[0, 0], [1, 0], [1, 1]]
    """
    roles = Roles(entity, entities, dataset, case, run, cluster, positive, missing, cost)
    return read_table(table_of(frame), roles)


def read_table(table: Table, roles: Roles) -> xr.DataArray | xr.Dataset:
    """Return counts, means with their standard errors, or joint outcomes if the table has single cases.

    The attr ``remarks`` lists what was inferred, ``remarks_pooled`` what applies if data sets are pooled, one sentence
    a line.
    """
    known = name_roles(table, roles)
    entity = known.of.get("entity") or find_entity(table, known, roles)
    form = find_form(table, known, entity)
    if form is None:
        return read_answers(table, known, roles)
    table.refuse(roles, "entities", "of a table whose column entity names them")
    if entity is None:
        refuse_without_entity(table, known, form)
    known.of["entity"] = entity
    if squeeze(entity) != "entity" and roles.entity is None:
        known.remarks.append(f"The column {entity} names the entities.")
    if table.index is not None:
        raise ValueError(
            f"frame must have its names in columns; its index without a name holds {table.index!r}. If pandas read "
            "rows that are longer than the heading, columns are shifted: give every column a name in the file. Else "
            "name the index (frame.rename_axis('entity')), or drop it (frame.reset_index(drop=True))"
        )
    if not len(table.where):
        raise ValueError(f"{table.source} must have at least one row; got none")
    if form in CASES:
        return read_cases(table, known, form, roles)
    what, read = ("means", read_means) if form in MEANS else ("counts", read_counts)
    for argument in ("cluster", "case", "run", "missing", "cost"):
        table.refuse(roles, argument, f"of {what}, which hold no single cases")
    return with_remarks(read(table, known, form, roles), known.remarks)


def from_rates(*, tpr: Any, fpr: Any = None, tnr: Any = None, prevalence: Any, entity: Any = None) -> xr.DataArray:
    """Return the two-class performance with these rates and prevalence.

    Draws keep their dims, so posterior draws from any PyMC model can be ranked.

    Parameters
    ----------
    tpr : number, sequence or DataArray
        True positive rates in [0, 1]. A sequence has one number for each entity. A DataArray may have any dims, such as
        (chain, draw, entity), and may be lazy.
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
        raise ValueError(f"exactly one of fpr and tnr must be given; got {'neither' if fpr is None else 'both'}")
    second = "fpr" if tnr is None else "tnr"
    given = {"tpr": tpr, second: fpr if tnr is None else tnr, "prevalence": prevalence}
    held = {name: check_labelled_numbers(name, value, 0.0, 1.0, dim="entity") for name, value in given.items()}
    sizes = {name: each.sizes["entity"] for name, each in held.items() if "entity" in each.dims}
    longest = max(sizes.values(), default=1)
    if any(size not in (1, longest) for size in sizes.values()):
        raise ValueError(f"tpr, fpr or tnr, and prevalence must be numbers or have one length; got lengths {sizes}")
    # A single number applies to all entities.
    parts = [
        each.isel(entity=0, drop=True) if sizes.get(name) == 1 and "entity" not in each.coords else each
        for name, each in held.items()
    ]
    try:
        right, other, share = xr.align(*parts, join="exact")
    except ValueError as error:
        raise ValueError(f"tpr, {second} and prevalence must have the same labels on shared dims: {error}") from None
    wrong = other if tnr is None else 1 - other
    cells = xr.broadcast((1 - share) * (1 - wrong), (1 - share) * wrong, share * (1 - right), share * right)
    rows = [xr.concat(cells[i : i + 2], "predicted", coords="minimal", compat="override") for i in (0, 2)]
    table = xr.concat(rows, "actual", coords="minimal", compat="override")
    if "entity" not in table.dims:
        table = table.expand_dims("entity")
    if entity is not None or "entity" not in table.coords:
        table = table.assign_coords(entity=entity_names(entity, table.sizes["entity"]))
    first = [dim for dim in ("chain", "draw") if dim in table.dims]
    table = table.assign_coords(class_dims(TWO_CLASSES)).drop_attrs().rename("performance")
    return table.transpose(*first, ..., "entity", *CLASS_DIMS)
