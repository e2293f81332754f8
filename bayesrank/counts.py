"""Evidence: how often each outcome was observed, as labelled integer arrays.

Every function returns a DataArray named ``counts`` with the dims ``entity``, ``dataset`` (only if data sets were
given), ``actual`` and ``predicted``. An (entity, dataset) pair that was not measured is all zeros, and the boolean
coord ``measured`` says so. For two classes the negative one comes first and the positive one last.
"""

import json
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._checks import (
    all_classes,
    case_labels,
    class_labels,
    in_words,
    item_names,
    name_coord,
    ordered_categories,
    unique_names,
    whole_numbers,
)

__all__ = [
    "check_counts",
    "from_counts",
    "from_frame",
    "from_matrix",
    "one_vs_rest",
    "pool",
]

TWO_CLASSES = ("negative", "positive")
CELLS = ("tn", "fp", "fn", "tp")
#: Examples that a message names.
NAMED = 3


def from_counts(
    *,
    tn: Any,
    fp: Any,
    fn: Any,
    tp: Any,
    entity: Any = None,
    dataset: Any = None,
) -> xr.DataArray:
    """Two-class counts from the four cells.

    Parameters
    ----------
    tn, fp, fn, tp : int or sequence of int
        How many cases fell into each cell. Scalars, or sequences of one length.
    entity : hashable or sequence, optional
        Names of the entities, one for each count; "entity 1", "entity 2", ... by default.
    dataset : hashable or sequence, optional
        Names of the data sets, one for each count. Every (entity, dataset) pair may occur once.

    Returns
    -------
    xarray.DataArray
        Integer ``counts`` (entity, [dataset], actual, predicted).

    Raises
    ------
    ValueError
        If a count is negative, not finite or not whole, lengths differ, or a pair occurs twice.
    TypeError
        If a count is not a number.

    Examples
    --------
    >>> counts = from_counts(tn=2680, fp=72, fn=23, tp=28, entity="Finley")
    >>> counts.sel(entity="Finley", actual="positive", predicted="positive").item()
    28
    """
    cells = {
        name: np.atleast_1d(whole_numbers(name, value)) for name, value in zip(CELLS, (tn, fp, fn, tp), strict=True)
    }
    lengths = {name: values.shape for name, values in cells.items()}
    if len(set(lengths.values())) > 1 or cells["tn"].ndim != 1:
        held = ", ".join(f"{name} {shape}" for name, shape in lengths.items())
        raise ValueError(f"tn, fp, fn, tp must be scalars or sequences of one length; got shapes {held}")
    size = cells["tn"].size
    if not size:
        raise ValueError("tn, fp, fn, tp must hold at least one count each; got none")
    entities = [f"entity {i + 1}" for i in range(size)] if entity is None else item_names("entity", entity, size)
    datasets = None if dataset is None else item_names("dataset", dataset, size)
    values = np.stack([cells[name] for name in CELLS], axis=-1).reshape(size, 2, 2)
    return arrange(values, entities, datasets, list(TWO_CLASSES))


def from_matrix(
    matrix: Any,
    orientation: Literal["actual_rows", "predicted_rows"],
    *,
    labels: Sequence[Any] | None = None,
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
    entity : hashable or sequence, optional
        Name of the entity, or names of a stack's entities.

    Returns
    -------
    xarray.DataArray
        Integer ``counts`` (entity, actual, predicted).

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
    if orientation not in ("actual_rows", "predicted_rows"):
        raise ValueError(f"orientation must be 'actual_rows' or 'predicted_rows'; got {orientation!r}")
    if isinstance(matrix, pd.DataFrame):
        if list(matrix.index) != list(matrix.columns):
            raise ValueError(
                "matrix must have the same labels in the same order on rows and columns; "
                f"got rows {list(matrix.index)}, columns {list(matrix.columns)}"
            )
        labels = list(matrix.index) if labels is None else labels
        matrix = matrix.to_numpy()
    values = whole_numbers("matrix", matrix)
    if values.ndim not in (2, 3) or values.shape[-1] != values.shape[-2] or values.shape[-1] < 2 or not values.size:
        raise ValueError(f"matrix must have the shape (C, C) or (entities, C, C) with C >= 2; got {values.shape}")
    values = values.reshape(-1, *values.shape[-2:])
    if orientation == "predicted_rows":
        values = values.swapaxes(-1, -2)
    size, n_classes = values.shape[:2]
    if labels is None:
        labels = TWO_CLASSES if n_classes == 2 else range(n_classes)
    classes = class_labels(labels)
    if len(classes) != n_classes:
        raise ValueError(f"labels must name the {n_classes} classes of matrix; got {classes}")
    entities = [f"entity {i + 1}" for i in range(size)] if entity is None else item_names("entity", entity, size)
    return arrange(values, entities, None, classes)


def from_frame(frame: pd.DataFrame, *, entity: str = "entity", dataset: str | None = None) -> xr.DataArray:
    """Counts from a table: one row a matrix (tn, fp, fn, tp), or one row a cell (actual, predicted, count).

    Parameters
    ----------
    frame : pandas.DataFrame
        Columns ``tn``, ``fp``, ``fn``, ``tp``, or columns ``actual``, ``predicted``, ``count``.
    entity : str
        The column that names the entities.
    dataset : str, optional
        The column that names the data sets.

    Returns
    -------
    xarray.DataArray
        Integer ``counts`` (entity, [dataset], actual, predicted). In the long form a cell without a row is 0,
        and classes stand in sorted order, so for two classes the larger label is the positive one; call a column
        of ordered categories to say otherwise.

    Raises
    ------
    ValueError
        If columns are missing, an (entity, dataset) pair or one of its cells occurs twice, or counts are bad.
    TypeError
        If ``frame`` is no DataFrame.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"entity": ["a", "b"], "tn": [8, 9], "fp": [2, 1], "fn": [1, 3], "tp": [9, 7]})
    >>> from_frame(frame).dims
    ('entity', 'actual', 'predicted')
    """
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"frame must be a pandas DataFrame; got {type(frame).__name__}")
    for argument, column in (("entity", entity), ("dataset", "" if dataset is None else dataset)):
        if not isinstance(column, str):
            raise TypeError(f"{argument} must be the name of a column; got {column!r}")
    long = {"actual", "predicted", "count"} <= set(frame.columns)
    wanted = (
        [entity]
        + ([dataset] if dataset is not None else [])
        + (["actual", "predicted", "count"] if long else list(CELLS))
    )
    missing = [column for column in wanted if column not in frame.columns]
    if missing:
        raise ValueError(
            f"frame must have the columns {wanted} (or actual, predicted, count for the cells); "
            f"got {list(frame.columns)}, without {missing}"
        )
    if frame.empty:
        raise ValueError("frame must have at least one row; got none")
    if not long:
        cells = {name: frame[name].to_numpy() for name in CELLS}
        return from_counts(
            **cells, entity=list(frame[entity]), dataset=None if dataset is None else list(frame[dataset])
        )
    keys = [entity] + ([dataset] if dataset is not None else [])
    for key in keys:
        item_names(key, frame[key], len(frame))
    repeated = frame.duplicated([*keys, "actual", "predicted"])
    if repeated.any():
        held = frame.loc[repeated, [*keys, "actual", "predicted"]].iloc[0].to_dict()
        raise ValueError(f"frame must have one row for each cell; got the cell {held} more than once")
    classes = all_classes(
        ordered_categories(frame["actual"]), [case_labels(c, frame[c]) for c in ("actual", "predicted")]
    )
    code = {label: i for i, label in enumerate(classes)}
    unknown = [label for c in ("actual", "predicted") for label in frame[c].tolist() if label not in code]
    if unknown:
        raise ValueError(f"predicted must hold categories of actual, {classes}; got {unknown[0]!r}")
    pairs = list(dict.fromkeys(frame[keys].itertuples(index=False, name=None)))
    position = {pair: i for i, pair in enumerate(pairs)}
    values = np.zeros((len(pairs), len(classes), len(classes)), np.int64)
    rows = [position[pair] for pair in frame[keys].itertuples(index=False, name=None)]
    actual, predicted = ([code[label] for label in frame[c].tolist()] for c in ("actual", "predicted"))
    values[rows, actual, predicted] = whole_numbers("count", frame["count"].to_numpy())
    datasets = [pair[1] for pair in pairs] if dataset is not None else None
    return arrange(values, [pair[0] for pair in pairs], datasets, classes)


def pool(counts: xr.DataArray, *, join: Literal["exact", "inner"] = "exact") -> xr.DataArray:
    """The cases of all data sets together: counts summed over ``dataset``.

    Pool evidence, never posteriors: each data set's posterior has a prior of its own, and the mixture of 58 posteriors
    has 58 priors. A prior that is added to the sum counts once.

    Parameters
    ----------
    counts : xarray.DataArray
        Integer counts (entity, dataset, actual, predicted).
    join : {"exact", "inner"}
        Sums over different data sets compare nothing. ``"exact"`` refuses where entities saw different ones;
        ``"inner"`` keeps the data sets that every entity saw.

    Returns
    -------
    xarray.DataArray
        Integer ``counts`` (entity, actual, predicted). Coords over entities stay, also those that are the same on
        all data sets. The attr ``parts`` remembers the summands, for remarks on what pooling hides.

    Raises
    ------
    ValueError
        If there is no dim ``dataset``, entities saw different data sets, or no data set was seen by all of them.

    Examples
    --------
    >>> studies = from_counts(tn=[9] * 30, fp=[1] * 30, fn=[1] * 30, tp=[9] * 30, entity=["a"] * 30, dataset=range(30))
    >>> pool(studies).values.tolist()
    [[[270, 30], [30, 270]]]
    """
    if join not in ("exact", "inner"):
        raise ValueError(f"join must be 'exact' or 'inner'; got {join!r}")
    counts = check_counts(counts)
    if "dataset" not in counts.dims:
        raise ValueError(f"counts must have the dim dataset to be pooled; got {counts.dims}")
    common, lacking = common_datasets(counts)
    if lacking and join == "exact":
        raise ValueError(
            f"counts must hold the same data sets for every entity to be pooled; got {lacking} (join='inner' keeps "
            f"the data sets that every entity saw, here {common.sum()}; or select data sets or entities)"
        )
    if not common.any():
        raise ValueError(
            f"counts must hold a data set that every entity saw; got none{': ' * bool(lacking)}{lacking} "
            "(select data sets or entities)"
        )
    kept = counts.isel(dataset=common)
    first = kept.isel(dataset=0, drop=True)
    same = [
        name
        for name, coord in kept.coords.items()
        if {"entity", "dataset"} <= set(coord.dims) and name != "measured" and bool((coord == first[name]).all())
    ]
    parts = {
        "dataset": kept.get_index("dataset").tolist(),
        "entity": kept.get_index("entity").tolist(),
        "counts": kept.values.tolist(),
    }
    pooled = kept.sum("dataset").assign_coords({name: first[name].variable for name in same})
    return pooled.assign_attrs(parts=json.dumps(parts, default=str)).rename("counts")


def parts_of(pooled: xr.DataArray) -> xr.DataArray | None:
    """The counts that :func:`pool` summed, of the entities that are still there; None where they are not known.

    The attrs may be gone, or outdated by arithmetic: parts that do not sum to the counts are not theirs.

    Examples
    --------
    >>> counts = from_counts(tn=[8, 9], fp=[2, 1], fn=[1, 0], tp=[9, 7], entity=["a", "a"], dataset=["x", "y"])
    >>> parts_of(pool(counts)).sel(entity="a", dataset="y").values.tolist()
    [[9, 1], [0, 7]]
    """
    if pooled.dims != ("entity", "actual", "predicted") or "parts" not in pooled.attrs:
        return None
    held = json.loads(pooled.attrs["parts"])
    # As in the text, where 1 and "1" are two names, and a date is what it is called.
    position = {json.dumps(name): i for i, name in enumerate(held["entity"])}
    wanted = [json.dumps(json.loads(json.dumps(name, default=str))) for name in pooled.get_index("entity").tolist()]
    if not set(wanted) <= set(position):
        return None
    tables = np.array(held["counts"], np.int64)[[position[name] for name in wanted]]
    if not np.array_equal(tables.sum(1), pooled.values):
        return None
    coords = {"dataset": name_coord(held["dataset"]), **{dim: pooled[dim].values for dim in pooled.dims}}
    return xr.DataArray(tables, coords, ("entity", "dataset", "actual", "predicted"), name="counts")


def common_datasets(counts: xr.DataArray) -> tuple[np.ndarray, str]:
    """Which data sets every entity saw, and in words who lacks what others saw: "" if nobody lacks any.

    Without the coord ``measured``, a table of zeros is one that was not seen.

    Examples
    --------
    >>> cells = {cell: [1, 2, 3] for cell in CELLS}
    >>> common_datasets(from_counts(**cells, entity=["a", "b", "a"], dataset=["x", "x", "y"]))
    (array([ True, False]), "'b' without 'y'")
    """
    seen = counts["measured"] if "measured" in counts.coords else (counts > 0).any(["actual", "predicted"])
    table = np.asarray(seen.transpose("entity", "dataset").values, bool)
    missing = ~table & table.any(axis=0)
    who = np.flatnonzero(missing.any(axis=1))
    names, sets = (counts.get_index(dim).tolist() for dim in ("entity", "dataset"))
    examples = []
    for i in who[:NAMED]:
        lacks = [repr(sets[j]) for j in np.flatnonzero(missing[i])]
        more = f" and {len(lacks) - NAMED} more" if len(lacks) > NAMED else ""
        examples.append(f"{names[i]!r} without {', '.join(lacks[:NAMED])}{more}")
    more = f"; and {who.size - NAMED} more entities" if who.size > NAMED else ""
    return np.asarray(table.all(axis=0)), "; ".join(examples) + more


def one_vs_rest(counts: xr.DataArray) -> xr.DataArray:
    """Each class against all others: C × C counts become two-class counts with a new dim ``label``.

    Parameters
    ----------
    counts : xarray.DataArray
        Counts, or a performance, with the dims ``actual`` and ``predicted`` of C >= 2 classes.

    Returns
    -------
    xarray.DataArray
        The other dims as they were, then ``label`` (C), ``actual`` (2) and ``predicted`` (2). The label is the
        positive class.

    Raises
    ------
    ValueError, TypeError
        If the counts have no classes, other classes on one axis than on the other, the dim ``label`` already, or are
        negative or no numbers.

    Examples
    --------
    >>> counts = from_matrix([[5, 1, 0], [2, 7, 1], [0, 0, 4]], "actual_rows", labels=["a", "b", "c"])
    >>> one_vs_rest(counts).sel(entity="entity 1", label="b").values.tolist()
    [[9, 1], [3, 7]]
    """
    if not isinstance(counts, xr.DataArray) or not {"actual", "predicted"} <= set(counts.dims):
        raise TypeError(f"counts must be a DataArray with the dims actual and predicted; got {in_words(counts)}")
    if counts.sizes["actual"] != counts.sizes["predicted"]:
        raise ValueError(
            "counts must have the same classes on actual and predicted; "
            f"got {counts.sizes['actual']} and {counts.sizes['predicted']} classes"
        )
    if "label" in counts.dims:
        raise ValueError(f"counts must not have the dim label yet, which the result has; got {counts.dims}")
    if counts.dtype.kind not in "iuf":
        raise TypeError(f"counts must hold numbers; got dtype {counts.dtype}")
    if counts.chunks is None and (counts < 0).any():
        raise ValueError(f"counts must not be negative; got {counts.min().item()}")
    labels = counts["actual"].values
    # Sums of cells only: a difference of probabilities leaves rounding errors, and rates of those can be anything.
    eye = np.eye(labels.size, dtype=counts.dtype)
    this, others = (xr.DataArray(mask, dims=("actual", "label")) for mask in (eye, 1 - eye))
    plain = counts.drop_vars(["actual", "predicted"], errors="ignore")
    column = plain.rename(predicted="label")
    without = xr.dot(plain, others.rename(actual="predicted"), dim="predicted")
    tp, fp = (column * this).sum("actual"), (column * others).sum("actual")
    fn, tn = (without * this).sum("actual"), (without * others).sum("actual")
    tn, fp, fn, tp = (cell.assign_coords(label=labels) for cell in (tn, fp, fn, tp))
    rows = [xr.concat(pair, "predicted") for pair in ((tn, fp), (fn, tp))]
    out = xr.concat(rows, "actual").assign_coords(actual=list(TWO_CLASSES), predicted=list(TWO_CLASSES))
    rest = [d for d in counts.dims if d not in ("actual", "predicted")]
    return out.transpose(*rest, "label", "actual", "predicted").rename(counts.name)


def check_counts(counts: Any, argument: str = "counts") -> xr.DataArray:
    """The counts themselves, after a check that they are what every function expects.

    Raises
    ------
    TypeError, ValueError
        If ``counts`` is no DataArray of whole non-negative numbers with the dims of this module.

    Examples
    --------
    >>> check_counts(from_counts(tn=8, fp=2, fn=1, tp=9)).sizes["entity"]
    1
    """
    if not isinstance(counts, xr.DataArray):
        hint = " (joint outcomes are for br.fit(..., 'paired'))" if isinstance(counts, xr.Dataset) else ""
        raise TypeError(
            f"{argument} must be a DataArray as made by br.from_counts and its kin; got {in_words(counts)}{hint}"
        )
    dims = set(counts.dims)
    if not {"entity", "actual", "predicted"} <= dims or dims - {
        "entity",
        "dataset",
        "label",
        "actual",
        "predicted",
    }:
        raise ValueError(f"{argument} must have the dims entity, [dataset], actual, predicted; got {counts.dims}")
    if counts.sizes["actual"] != counts.sizes["predicted"] or counts.sizes["actual"] < 2:
        raise ValueError(
            f"{argument} must have the same two or more classes on actual and predicted; "
            f"got {counts.sizes['actual']} and {counts.sizes['predicted']}"
        )
    for dim in ("actual", "predicted", "entity"):
        if dim not in counts.coords:
            raise ValueError(f"{argument} must have a coord that names each {dim}; got coords {list(counts.coords)}")
    if list(counts["actual"].values) != list(counts["predicted"].values):
        raise ValueError(
            f"{argument} must have the same classes in the same order on actual and predicted; "
            f"got {counts['actual'].values} and {counts['predicted'].values}"
        )
    if not counts.sizes["entity"]:
        raise ValueError(f"{argument} must hold at least one entity; got none")
    for dim in {"entity", "dataset"} & dims:
        unique_names(dim, counts[dim].values.tolist())
    order = [d for d in ("entity", "dataset", "label", "actual", "predicted") if d in dims]
    return counts.transpose(*order).copy(data=whole_numbers(argument, counts.transpose(*order).values))


def arrange(values: np.ndarray, entities: list, datasets: list | None, classes: list) -> xr.DataArray:
    """Matrices (pair, C, C) as a labelled array; pairs not given are zeros and not ``measured``."""
    coords: dict[str, Any] = {"actual": name_coord(classes), "predicted": name_coord(classes)}
    if datasets is None:
        names = unique_names("entity", entities)
        return xr.DataArray(
            values, {"entity": name_coord(names), **coords}, ("entity", "actual", "predicted"), name="counts"
        )
    names, sets = list(dict.fromkeys(entities)), list(dict.fromkeys(datasets))
    row = {name: i for i, name in enumerate(names)}
    column = {name: i for i, name in enumerate(sets)}
    where = ([row[e] for e in entities], [column[d] for d in datasets])
    measured = np.zeros((len(names), len(sets)), bool)
    np.add.at(times := np.zeros_like(measured, dtype=int), where, 1)
    if times.max() > 1:
        e, d = np.argwhere(times > 1)[0]
        raise ValueError(
            f"entity and dataset must name each pair once; got {names[e]!r} on {sets[d]!r} {times[e, d]} times"
        )
    measured[where] = True
    table = np.zeros((len(names), len(sets), len(classes), len(classes)), np.int64)
    table[where] = values
    return xr.DataArray(
        table,
        {
            "entity": name_coord(names),
            "dataset": name_coord(sets),
            **coords,
            "measured": (("entity", "dataset"), measured),
        },
        ("entity", "dataset", "actual", "predicted"),
        name="counts",
    )
