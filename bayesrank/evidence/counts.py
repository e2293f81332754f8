"""Counts of outcomes as labelled integer arrays.

Every function returns a DataArray named ``counts`` (entity, [dataset], actual, predicted), or (entity, [dataset],
outcome) for outcomes without classes (right and wrong, grades). An (entity, dataset) pair without observations has
zeros and ``False`` in the coord ``measured``. Of two classes, the negative one comes first.
"""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import xarray as xr

from bayesrank._checks import check_choice, check_counts_array, check_item_names, check_unique, describe_value
from bayesrank._classes import order_classes
from bayesrank._labels import arrange_classes, name_coord, positive_label
from bayesrank.evidence._pooled import TABLES, Pooled, pooled_cases, pooled_counts, record_text

__all__ = [
    "are_outcomes",
    "check_counts",
    "check_outcomes",
    "check_tables",
    "from_counts",
    "one_vs_rest",
    "pool",
]

TWO_CLASSES = ("negative", "positive")
CELLS = ("tn", "fp", "fn", "tp")
NO_CLASSES = "outcomes have no classes: they are ranked by their mean_outcome, or by br.ranking_score"
#: Values of ``join``: the same data sets are required for all entities, or the common ones are kept.
JOINS = ("exact", "inner")
#: The number of examples that an error message lists.
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
    """Return two-class counts from the four cells of each confusion matrix.

    Parameters
    ----------
    tn, fp, fn, tp : int or sequence of int
        Number of cases in each cell: scalars, or sequences of equal length.
    entity : hashable or sequence, optional
        Entity of each matrix; by default "entity 1", "entity 2", ...
    dataset : hashable or sequence, optional
        Data set of each matrix. An (entity, dataset) pair may occur only once.

    Returns
    -------
    xarray.DataArray
        Integer ``counts`` (entity, [dataset], actual, predicted).

    Raises
    ------
    ValueError
        If a count is negative, not finite or not a whole number, lengths differ, or a pair occurs twice.
    TypeError
        If a count is not a number.

    Examples
    --------
    >>> counts = from_counts(tn=2680, fp=72, fn=23, tp=28, entity="Finley")
    >>> counts.sel(entity="Finley", actual="positive", predicted="positive").item()
    28
    """
    cells = {
        name: np.atleast_1d(check_counts_array(name, value))
        for name, value in zip(CELLS, (tn, fp, fn, tp), strict=True)
    }
    lengths = {name: values.shape for name, values in cells.items()}
    if len(set(lengths.values())) > 1 or cells["tn"].ndim != 1:
        held = ", ".join(f"{name} {shape}" for name, shape in lengths.items())
        raise ValueError(f"tn, fp, fn, tp must be scalars or sequences of one length; got shapes {held}")
    size = cells["tn"].size
    if not size:
        raise ValueError("tn, fp, fn, tp must hold at least one count each; got none")
    entities = [f"entity {i + 1}" for i in range(size)] if entity is None else check_item_names("entity", entity, size)
    datasets = None if dataset is None else check_item_names("dataset", dataset, size)
    values = np.stack([cells[name] for name in CELLS], axis=-1).reshape(size, 2, 2)
    return arrange(values, entities, datasets, list(TWO_CLASSES))


def pool(counts: Any, *, join: Literal["exact", "inner"] = "exact") -> Any:
    """Pool the cases of all data sets: sum counts over ``dataset``, or drop data sets from joint outcomes.

    Pool evidence, not posteriors: a mixture of 58 posteriors contains 58 priors, while the sum of 58 tables needs only
    one. Each entity is tested for differences between its data sets, and rankings report the differences found.

    Parameters
    ----------
    counts : xarray.DataArray or Dataset
        Integer counts (entity, dataset, actual, predicted) or (entity, dataset, outcome); or joint outcomes with the
        coord ``dataset``, from :func:`bayesrank.joint_outcomes` or :func:`bayesrank.from_outcomes`.
    join : {"exact", "inner"}
        ``"exact"`` raises an error if the entities have different data sets; ``"inner"`` keeps the data sets that all
        entities have.

    Returns
    -------
    xarray.DataArray or Dataset
        Integer ``counts`` without the dim ``dataset``, or joint outcomes without the coord. Coords that do not vary
        between data sets stay. The attr ``pooled`` (JSON) holds the names of the data sets and, for each entity, the
        p-value of equal recalls, class shares or mean outcomes.

    Raises
    ------
    ValueError
        If there is no dim ``dataset``, entities have different data sets, or they have none in common.

    Examples
    --------
    >>> studies = from_counts(tn=[9] * 30, fp=[1] * 30, fn=[1] * 30, tp=[9] * 30, entity=["a"] * 30, dataset=range(30))
    >>> pool(studies).values.tolist()
    [[[270, 30], [30, 270]]]
    """
    return _pool(counts, join, tested=True)


def pool_without_tests(counts: Any, join: Any) -> Any:
    """Pool as :func:`pool` does, without the tests of differences between data sets."""
    return _pool(counts, join, tested=False)


def _pool(counts: Any, join: Any, tested: bool) -> Any:
    check_choice("join", join, JOINS)
    if isinstance(counts, xr.Dataset) and "pattern" in counts.dims:
        return _pool_cases(counts, join, tested)
    counts = check_tables(counts)
    if "dataset" not in counts.dims:
        raise ValueError(f"counts must have the dim dataset to be pooled; got {counts.dims}")
    common, lacking = common_datasets(counts)
    if lacking and join == "exact":
        raise ValueError(
            f"counts must hold the same data sets for every entity to be pooled; got {lacking} (join='inner' keeps "
            f"the data sets that every entity saw, here {common.sum()}; a hierarchical model learns from all of them "
            "without pooling; or select data sets or entities)"
        )
    if not common.any():
        raise ValueError(
            f"counts must hold a data set that every entity saw; got none{': ' * bool(lacking)}{lacking} "
            "(a hierarchical model learns from all of them without pooling; or select data sets or entities)"
        )
    kept = counts.isel(dataset=common)
    first = kept.isel(dataset=0, drop=True)
    same = [
        name
        for name, coord in kept.coords.items()
        if {"entity", "dataset"} <= set(coord.dims) and name != "measured" and bool((coord == first[name]).all())
    ]
    pooled = kept.sum("dataset").assign_coords({name: first[name].variable for name in same})
    return pooled.assign_attrs(counts.attrs | {"pooled": pooled_counts(kept, tested)}).rename("counts")


def _pool_cases(joint: xr.Dataset, join: str, tested: bool) -> xr.Dataset:
    """Return joint outcomes without data sets."""
    if "dataset" not in joint.coords:
        raise ValueError(f"joint outcomes must have the coord dataset to be pooled; got {list(joint.coords)}")
    if join == "inner" and "outcome" in joint:
        seen = joint["outcome"].notnull().groupby("dataset").any("pattern").all("entity")
        joint = joint.isel(pattern=joint["dataset"].isin(seen["dataset"].values[seen.values]).values)
        if not joint.sizes["pattern"]:
            raise ValueError("joint outcomes must hold a data set that every entity saw; got none (select entities)")
    pooled = joint.drop_vars("dataset")
    return pooled.assign_attrs(pooled=record_text(pooled_cases(joint))) if tested else pooled


def parts_of(pooled: xr.DataArray) -> xr.DataArray | None:
    """Return the counts that :func:`pool` summed, for the entities still present; None if they are unknown.

    The parts are kept in memory only, not in files. Parts that do not sum to the counts, as after arithmetic, are
    ignored.
    """
    tables = getattr(pooled.attrs.get("pooled"), "tables", None)
    if tables is None or pooled.dims not in (("entity", "actual", "predicted"), ("entity", "outcome")):
        return None
    position = {_own(name): i for i, name in enumerate(tables["entity"].values.tolist())}
    wanted = [_own(name) for name in pooled.get_index("entity").tolist()]
    if not set(wanted) <= set(position):
        return None
    tables = tables.isel(entity=[position[name] for name in wanted])
    if tables.dims != (pooled.dims[0], "dataset", *pooled.dims[1:]):
        return None
    if tables.sum("dataset").shape != pooled.shape or not np.array_equal(tables.sum("dataset").values, pooled.values):
        return None
    coords = {"dataset": tables["dataset"].variable, **{dim: pooled[dim].values for dim in pooled.dims}}
    return mark_positive(xr.DataArray(tables.values, coords, tables.dims, name="counts"), positive_label(pooled))


def _own(name: Any) -> tuple[type, Any]:
    """Return a key that distinguishes equal names of different types, such as 1 and True."""
    return type(name), name


def hold_parts(counts: xr.DataArray) -> dict[str, xr.DataArray]:
    """Return the observed-data variable with the summands of pooled counts; empty if they are unknown."""
    parts = parts_of(counts)
    if parts is None:
        return {}
    names = parts["dataset"].values
    if names.dtype == object and len(set(map(type, names.tolist()))) > 1:  # files cannot store names of mixed types
        parts = parts.assign_coords(dataset=[str(name) for name in names.tolist()])
    return {TABLES: parts.rename(TABLES)}


def with_parts(observed: xr.Dataset) -> xr.DataArray:
    """Return the counts of observed data, with the summands of pooled counts restored."""
    counts = observed["counts"]
    if TABLES not in observed or "pooled" not in counts.attrs:
        return counts
    return counts.assign_attrs(pooled=Pooled(record_text(counts.attrs["pooled"]), observed[TABLES]))


def common_datasets(counts: xr.DataArray) -> tuple[np.ndarray, str]:
    """Return a mask of the data sets that all entities have, and a text that names the missing pairs ("" if none).

    Without the coord ``measured``, a table of zeros counts as not measured.
    """
    seen = counts["measured"] if "measured" in counts.coords else (counts > 0).any(_outcome_dims(counts))
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
    """Convert C × C counts to two-class counts of each class against all others, along the new dim ``label``.

    Parameters
    ----------
    counts : xarray.DataArray
        Counts, or a performance, with the dims ``actual`` and ``predicted`` of C >= 2 classes.

    Returns
    -------
    xarray.DataArray
        The other dims, then ``label`` (C), ``actual`` (2) and ``predicted`` (2). The label is the positive class.

    Raises
    ------
    ValueError, TypeError
        If the counts have no classes, different classes on the two axes, a dim ``label``, or negative or non-numeric
        values.

    Examples
    --------
    >>> import bayesrank as br
    >>> counts = br.from_matrix([[5, 1, 0], [2, 7, 1], [0, 0, 4]], "actual_rows", labels=["a", "b", "c"])
    >>> one_vs_rest(counts).sel(entity="entity 1", label="b").values.tolist()
    [[9, 1], [3, 7]]
    """
    if not isinstance(counts, xr.DataArray) or not {"actual", "predicted"} <= set(counts.dims):
        hint = f" ({NO_CLASSES})" if are_outcomes(counts) else ""
        raise TypeError(
            f"counts must be a DataArray with the dims actual and predicted; got {describe_value(counts)}{hint}"
        )
    if counts.sizes["actual"] != counts.sizes["predicted"]:
        raise ValueError(
            "counts must have the same classes on actual and predicted; "
            f"got {counts.sizes['actual']} and {counts.sizes['predicted']} classes"
        )
    if "label" in counts.dims:
        raise ValueError(f"counts must not have the dim label yet, which the result has; got {counts.dims}")
    if counts.dtype.kind not in "iuf":
        raise TypeError(f"counts must hold numbers; got dtype {counts.dtype}")
    counts = order_classes(counts, "counts")
    if counts.chunks is None and (counts < 0).any():
        raise ValueError(f"counts must not be negative; got {counts.min().item()}")
    labels = counts["actual"].values
    counts = counts.drop_vars("positive", errors="ignore")
    # Add cells only: subtracting probabilities leaves rounding errors, which make rates of empty classes arbitrary.
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


def are_outcomes(source: Any) -> bool:
    """Return whether ``source`` is an array over outcomes without classes."""
    return isinstance(source, xr.DataArray) and "outcome" in source.dims


def check_tables(counts: Any, argument: str = "counts") -> xr.DataArray:
    """Validate and return counts over classes or over outcomes."""
    return (check_outcomes if are_outcomes(counts) else check_counts)(counts, argument)


def check_counts(counts: Any, argument: str = "counts") -> xr.DataArray:
    """Validate counts over classes; return them with the standard order of dims and classes.

    Raises
    ------
    TypeError, ValueError
        If ``counts`` is not a DataArray of non-negative whole numbers (entity, [dataset], actual, predicted).
    """
    if not isinstance(counts, xr.DataArray):
        hint = " (joint outcomes are for br.fit(..., 'paired'))" if isinstance(counts, xr.Dataset) else ""
        raise TypeError(
            f"{argument} must be a DataArray as made by br.from_counts and its kin; got {describe_value(counts)}{hint}"
        )
    dims = set(counts.dims)
    if not {"entity", "actual", "predicted"} <= dims or dims - {
        "entity",
        "dataset",
        "label",
        "actual",
        "predicted",
    }:
        hint = " (counts of outcomes are for br.fit(..., 'dirichlet_multinomial'))" * are_outcomes(counts)
        raise ValueError(f"{argument} must have the dims entity, [dataset], actual, predicted; got {counts.dims}{hint}")
    if counts.sizes["actual"] != counts.sizes["predicted"] or counts.sizes["actual"] < 2:
        raise ValueError(
            f"{argument} must have the same two or more classes on actual and predicted; "
            f"got {counts.sizes['actual']} and {counts.sizes['predicted']}"
        )
    checked = _check_layout(counts, argument, ("entity", "dataset", "label", "actual", "predicted"))
    return order_classes(checked, argument)


def check_outcomes(counts: Any, argument: str = "counts") -> xr.DataArray:
    """Validate counts over outcomes without classes; return them with the standard order of dims.

    Raises
    ------
    TypeError, ValueError
        If ``counts`` is not a DataArray of non-negative whole numbers (entity, [dataset], outcome), or has fewer than
        two outcomes.
    """
    if not isinstance(counts, xr.DataArray):
        raise TypeError(f"{argument} must be a DataArray as made by br.from_frame; got {describe_value(counts)}")
    dims = set(counts.dims)
    if not {"entity", "outcome"} <= dims or dims - {"entity", "dataset", "outcome"}:
        raise ValueError(f"{argument} must have the dims entity, [dataset], outcome; got {counts.dims}")
    checked = _check_layout(counts, argument, ("entity", "dataset", "outcome"))
    check_unique("outcome", counts["outcome"].values.tolist())
    if counts.sizes["outcome"] < 2:
        raise ValueError(f"{argument} must have two or more outcomes; got {counts['outcome'].values.tolist()}")
    return checked


def _check_layout(counts: xr.DataArray, argument: str, dims: Sequence[str]) -> xr.DataArray:
    """Validate the dims, labels and values of counts; return them with their dims in this order."""
    for dim in [dim for dim in reversed(dims) if dim in counts.dims and dim not in ("dataset", "label")]:
        if dim not in counts.coords:
            raise ValueError(f"{argument} must have a coord that names each {dim}; got coords {list(counts.coords)}")
    if not counts.sizes["entity"]:
        raise ValueError(f"{argument} must hold at least one entity; got none")
    for dim in [dim for dim in ("entity", "dataset") if dim in counts.dims]:
        check_unique(dim, counts[dim].values.tolist())
    ordered = counts.transpose(*[dim for dim in dims if dim in counts.dims])
    return ordered.copy(data=check_counts_array(argument, ordered.values))


def arrange(values: np.ndarray, entities: list, datasets: list | None, classes: list) -> xr.DataArray:
    """Label matrices (pair, C, C) as counts; pairs without a matrix get zeros and ``measured=False``."""
    return _arrange(values, entities, datasets, {"actual": name_coord(classes), "predicted": name_coord(classes)})


def count_cases(
    codes: np.ndarray, weight: np.ndarray, entities: list, where: list | None, classes: list
) -> xr.DataArray:
    """Return the counts of cases, whose actual and predicted classes are ``codes`` (case, 1 + entity).

    ``where`` names the data set of each case, or is None.
    """
    datasets = [None] if where is None else list(dict.fromkeys(where))
    place = {name: i for i, name in enumerate(datasets)}
    rows = np.zeros(len(codes), int) if where is None else np.array([place[name] for name in where], int)
    tables = np.zeros((len(entities), len(datasets), len(classes), len(classes)), np.int64)
    for table, predicted in zip(tables, codes[:, 1:].T, strict=True):
        np.add.at(table, (rows, codes[:, 0], predicted), weight)
    pairs = [(entity, dataset) for entity in entities for dataset in datasets]
    sets = None if where is None else [dataset for _, dataset in pairs]
    return arrange(tables.reshape(len(pairs), *tables.shape[2:]), [entity for entity, _ in pairs], sets, classes)


def arrange_outcomes(values: np.ndarray, entities: list, datasets: list | None, outcomes: list) -> xr.DataArray:
    """Label counts (pair, outcome); pairs without counts get zeros and ``measured=False``."""
    return _arrange(values, entities, datasets, {"outcome": name_coord(outcomes)})


def _arrange(values: np.ndarray, entities: list, datasets: list | None, outcome: dict[str, np.ndarray]) -> xr.DataArray:
    if datasets is None:
        names = check_unique("entity", entities)
        return xr.DataArray(values, {"entity": name_coord(names), **outcome}, ("entity", *outcome), name="counts")
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
    table = np.zeros((len(names), len(sets), *values.shape[1:]), np.int64)
    table[where] = values
    coords = {"entity": name_coord(names), "dataset": name_coord(sets), **outcome}
    seen = {"measured": (("entity", "dataset"), measured)}
    return xr.DataArray(table, {**coords, **seen}, ("entity", "dataset", *outcome), name="counts")


def mark_positive(array: Any, positive: Any) -> Any:
    """Add the scalar coord ``positive``, if the positive class is known and not named "positive".

    A coord, unlike an attr, survives arithmetic, selection and files.
    """
    if positive is None or positive == TWO_CLASSES[1]:
        return array.drop_vars("positive", errors="ignore")
    return array.assign_coords(positive=positive)


def put_in_class_order(evidence: Any, positive: Any = None, ordered: bool = False) -> Any:
    """Return counts or joint outcomes with the negative class first and the positive class last, marked if known."""
    dims = ["label"] if "label" in evidence.coords else ["actual", "predicted"]
    classes, chosen = arrange_classes(evidence[dims[0]].values.tolist(), positive, ordered)
    return mark_positive(evidence.sel(dict.fromkeys(dims, classes)), chosen)


def _outcome_dims(counts: xr.DataArray) -> list:
    """Return the dims of the sample space."""
    return [dim for dim in counts.dims if dim in ("actual", "predicted", "outcome")]
