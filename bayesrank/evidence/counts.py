"""Counts of outcomes as labelled integer arrays: made, checked, pooled, and reduced to two classes."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import (
    check_case_numbers,
    check_choice,
    check_counts_array,
    check_item_names,
    check_unique,
    describe_value,
)
from bayesrank._core.classes import by_class, order_classes
from bayesrank._core.errors import Advice, ArgumentError, ArgumentTypeError, InPython, Typed
from bayesrank._core.labels import (
    AVERAGED,
    arrange_classes,
    classes_in_averages,
    factorize,
    name_coord,
    names_classes,
    positive_label,
    select_names,
)
from bayesrank._core.records import EvidenceRecord
from bayesrank.evidence.groups import groups_as_datasets, has_groups, take_groups
from bayesrank.evidence.pooled import TABLES, Pooled, pooled_cases, pooled_counts, record_text
from bayesrank.evidence.weighting import (
    PRIOR_TIMES,
    PRIOR_WEIGHT,
    UNIT_WEIGHT,
    WEIGHTED,
    check_whole_cases,
    prior_weights,
)

TWO_CLASSES = ("negative", "positive")
CLASS_DIMS = ("actual", "predicted")
NO_CLASSES = (
    "outcomes have no classes: they are ranked by their mean_outcome, or by br.ranking_score"
)
#: Values of ``join``: the same data sets are required for all entities, or the common ones are
#: kept.
JOINS = ("exact", "inner")
#: The number of examples that an error message lists.
NAMED = 3


@check_call
def from_counts(
    *,
    tn: Any,
    fp: Any,
    fn: Any,
    tp: Any,
    entity: Any = None,
    dataset: Any = None,
    group: Any = None,
) -> xr.DataArray:
    """Return two-class counts from the four cells of each confusion matrix.

    Parameters
    ----------
    tn, fp, fn, tp : int or sequence of int
        Number of cases in each cell: scalars, or sequences of equal length.
    entity, dataset : hashable or sequence, optional
        Entity ("entity 1", "entity 2", ... by default) and data set of each matrix. A pair may
        occur only once.
    group : hashable or sequence, optional
        Instead of ``dataset``: the group of the cases of each matrix, such as a language or an age.
        Matrices without cases and unused categories are empty groups, whose scores are NaN.

    Returns
    -------
    xarray.DataArray
        Integer ``counts`` (entity, [dataset or group], actual, predicted). A pair without a matrix
        has zeros, and False in the coord ``measured`` (entity, dataset or group).

    Raises
    ------
    ValueError, TypeError
        If a count is not a non-negative whole number, lengths differ, or a pair occurs twice.

    Examples
    --------
    >>> counts = from_counts(tn=2680, fp=72, fn=23, tp=28, entity="Finley")
    >>> counts.sel(entity="Finley", actual="positive", predicted="positive").item()
    28
    """
    arguments = {"tn": tn, "fp": fp, "fn": fn, "tp": tp}
    cells = {
        name: np.atleast_1d(check_counts_array(name, value)) for name, value in arguments.items()
    }
    shapes = {values.shape for values in cells.values()}
    if len(shapes) > 1 or cells["tn"].ndim != 1:
        texts = ", ".join(f"{name} {values.shape}" for name, values in cells.items())
        raise ArgumentError(
            "tn, fp, fn, tp", "must be scalars or sequences of the same length", f"shapes {texts}"
        )
    size = cells["tn"].size
    if not size:
        raise ArgumentError("tn, fp, fn, tp", "must contain at least one count each", "none")
    dataset, finish = take_groups(dataset, group)
    datasets = (
        None
        if dataset is None
        else check_item_names("dataset" if group is None else "group", dataset, size)
    )
    values = np.stack(list(cells.values()), axis=-1).reshape(size, 2, 2)
    return finish(arrange(values, entity_names(entity, size), datasets, class_dims(TWO_CLASSES)))


def class_dims(classes: Sequence[Any]) -> dict[str, list]:
    return {"actual": list(classes), "predicted": list(classes)}


def entity_names(entity: Any, size: int) -> list:
    """Return the names of entities, by default "entity 1", "entity 2", ..."""
    return (
        [f"entity {i + 1}" for i in range(size)]
        if entity is None
        else check_item_names("entity", entity, size)
    )


@check_call
def pool(counts: Any, *, join: Literal["exact", "inner"] = "exact") -> Any:
    """Pool the cases of all data sets or groups: sum counts over them, or drop their names from joint outcomes.

    Pool evidence, not posteriors: a mixture of 58 posteriors contains 58 priors, while the sum of
    58 tables needs only one. Each entity is tested for differences between its data sets, and
    rankings report the differences found.

    Parameters
    ----------
    counts : xarray.DataArray or Dataset
        Integer counts (entity, dataset, actual, predicted) or (entity, dataset, outcome); or joint
        outcomes with the coord ``dataset``, from :func:`bayesrank.joint_outcomes` or
        :func:`bayesrank.from_outcomes`.
    join : {"exact", "inner"}
        ``"exact"`` raises an error if the entities have different data sets; ``"inner"`` keeps the
        data sets that all entities have.

    Returns
    -------
    xarray.DataArray or Dataset
        The evidence without ``dataset``, and with the coords that do not vary between data sets.
        The attr ``pooled`` (JSON) holds the names of the data sets and, for each entity, the
        p-value of equal recalls, class shares or mean outcomes.

    Raises
    ------
    ValueError
        If there are no data sets, entities have different ones, or they have none in common.

    Examples
    --------
    >>> studies = from_counts(tn=[9] * 30, fp=[1] * 30, fn=[1] * 30, tp=[9] * 30, entity=["a"] * 30, dataset=range(30))
    >>> pool(studies).values.tolist()
    [[[270, 30], [30, 270]]]
    """
    return pool_evidence(counts, join, tested=True)


def _datasets_to_pool(counts: xr.DataArray, join: Any) -> np.ndarray:
    """Return which data sets every entity saw; raise an error if there is none, or if all must be."""
    common, lacking = common_datasets(counts)
    others = "a hierarchical model learns from all of them without pooling; or select data sets or entities"
    if lacking and join == "exact":
        raise ArgumentError(
            "counts",
            "must contain the same data sets for every entity to be pooled",
            lacking,
            Advice(
                Typed("join", "inner"),
                f" keeps the data sets that every entity saw, here {common.sum()}; {others}",
            ),
        )
    if not common.any():
        raise ArgumentError(
            "counts",
            "must contain a data set on which every entity has cases",
            f"none{': ' * bool(lacking)}{lacking}",
            others,
        )
    return common


def pool_evidence(counts: Any, join: Any, tested: bool = False) -> Any:
    """Pool as :func:`pool` does, with or without the tests of differences between data sets."""
    check_choice("join", join, JOINS)
    if isinstance(counts, xr.DataArray | xr.Dataset):
        counts = groups_as_datasets(counts) if has_groups(counts) else counts
        check_whole_cases(counts, "counts", "to be pooled")
    if isinstance(counts, xr.Dataset) and "pattern" in counts.dims:
        return _pool_cases(counts, join, tested)
    counts = check_tables(counts)
    if "dataset" not in counts.dims:
        raise ArgumentError("counts", "must have the dim dataset to be pooled", counts.dims)
    retained = counts.isel(dataset=_datasets_to_pool(counts, join))
    pooled = (
        retained.sum("dataset")
        .assign_attrs(counts.attrs | {"pooled": pooled_counts(retained, tested)})
        .rename("counts")
    )
    for name, coord in retained.drop_vars("measured", errors="ignore").coords.items():
        first = (
            coord.isel(dataset=0, drop=True) if {"entity", "dataset"} <= set(coord.dims) else None
        )
        if first is not None and (coord == first).all():
            pooled = pooled.assign_coords({name: first.variable})
    return pooled


def _pool_cases(joint: xr.Dataset, join: str, tested: bool) -> xr.Dataset:
    if "dataset" not in joint.coords:
        raise ArgumentError(
            "joint outcomes", "must have the coord dataset to be pooled", list(joint.coords)
        )
    if join == "inner" and "outcome" in joint:
        complete = joint["outcome"].notnull().groupby("dataset").any("pattern").all("entity")
        joint = joint.isel(
            pattern=joint["dataset"].isin(complete["dataset"].values[complete.values]).values
        )
        if not joint.sizes["pattern"]:
            raise ArgumentError(
                "joint outcomes",
                "must contain a data set on which every entity has cases",
                "none",
                "select entities",
            )
    pooled = joint.drop_vars("dataset")
    return pooled.assign_attrs(pooled=record_text(pooled_cases(joint))) if tested else pooled


def parts_of(pooled: xr.DataArray) -> xr.DataArray | None:
    """Return the counts that :func:`pool` summed, for the entities still present; None if they are unknown.

    The parts are kept in memory only, not in files. Parts that do not sum to the counts, as after
    arithmetic, are ignored.
    """
    tables = getattr(EvidenceRecord.of(pooled).pooled, "tables", None)
    if tables is None or pooled.dims != tuple(dim for dim in tables.dims if dim != "dataset"):
        return None
    position = tables.get_index("entity").get_indexer(pooled.get_index("entity"))
    tables = tables.isel(entity=position)
    if (position < 0).any() or not np.array_equal(tables.sum("dataset"), pooled):
        return None
    coords = {
        "dataset": tables["dataset"].variable,
        **{dim: pooled[dim].values for dim in pooled.dims},
    }
    return mark_classes_as(xr.DataArray(tables.values, coords, tables.dims, name="counts"), pooled)


def hold_parts(counts: xr.DataArray) -> dict[str, xr.DataArray]:
    """Return the observed-data variable with the summands of pooled counts; empty if they are unknown."""
    parts = parts_of(counts)
    if parts is None:
        return {}
    names = parts["dataset"].values
    if names.dtype == object:  # files cannot store names of mixed types
        parts = parts.assign_coords(dataset=[str(name) for name in names.tolist()])
    return {TABLES: parts.rename(TABLES)}


def with_parts(observed: xr.Dataset) -> xr.DataArray:
    """Return the counts of observed data, with the summands of pooled counts restored."""
    counts = observed["counts"]
    if TABLES not in observed or (record := EvidenceRecord.of(counts).pooled) is None:
        return counts
    return counts.assign_attrs(pooled=Pooled(record_text(record), observed[TABLES]))


def common_datasets(counts: xr.DataArray) -> tuple[np.ndarray, str]:
    """Return a mask of the data sets that all entities have, and a text that names the missing pairs ("" if none).

    Without the coord ``measured``, a table of zeros counts as not measured.
    """
    outcome = [dim for dim in counts.dims if dim in (*CLASS_DIMS, "outcome")]
    has_cases = counts["measured"] if "measured" in counts.coords else (counts > 0).any(outcome)
    table = np.asarray(has_cases.transpose("entity", "dataset").values, bool)
    names, sets = (counts.get_index(dim).tolist() for dim in ("entity", "dataset"))
    lacking = [
        f"{names[i]!r} without {sets[j]!r}" for i, j in np.argwhere(~table & table.any(axis=0))
    ]
    more = f"; and {len(lacking) - NAMED} more" if len(lacking) > NAMED else ""
    return np.asarray(table.all(axis=0)), "; ".join(lacking[:NAMED]) + more


@check_call
def one_vs_rest(counts: xr.DataArray) -> xr.DataArray:
    """Convert C × C counts to two-class counts of each class against all others, along the new dim ``label``.

    Parameters
    ----------
    counts : xarray.DataArray
        Counts, or a performance, with the dims ``actual`` and ``predicted`` of C >= 2 classes.

    Returns
    -------
    xarray.DataArray
        The other dims, then ``label`` (C), ``actual`` (2) and ``predicted`` (2). The label is the
        positive class.

    Raises
    ------
    ValueError, TypeError
        If the classes of the two axes differ, there is a dim ``label``, or a value is negative or
        no number.

    Examples
    --------
    >>> counts = br.from_matrix([[5, 1, 0], [2, 7, 1], [0, 0, 4]], "actual_rows", labels=["a", "b", "c"])
    >>> one_vs_rest(counts).sel(entity="entity 1", label="b").values.tolist()
    [[9, 1], [3, 7]]
    """
    if not isinstance(counts, xr.DataArray) or not set(CLASS_DIMS) <= set(counts.dims):
        hint = f" ({NO_CLASSES})" if are_outcomes(counts) else ""
        raise ArgumentTypeError(
            "counts",
            "must be a DataArray with the dims actual and predicted",
            f"{describe_value(counts)}{hint}",
        )
    sizes = [counts.sizes[dim] for dim in CLASS_DIMS]
    if sizes[0] != sizes[1]:
        raise ArgumentError(
            "counts",
            "must have the same classes on actual and predicted",
            f"{sizes[0]} and {sizes[1]}",
        )
    if "label" in counts.dims:
        raise ArgumentError(
            "counts", "must not have the dim label, since the result adds it", counts.dims
        )
    if counts.dtype.kind not in "iuf":
        raise ArgumentTypeError("counts", "must contain numbers", f"dtype {counts.dtype}")
    counts = order_classes(counts, "counts")
    if counts.chunks is None and (counts < 0).any():
        raise ArgumentError("counts", "must not be negative", counts.min().item())
    labels = counts["actual"].values
    rest = [dim for dim in counts.dims if dim not in CLASS_DIMS]
    # Add cells only: subtracting probabilities leaves rounding errors, which make rates of empty
    # classes arbitrary.
    is_class = np.eye(labels.size, dtype=counts.dtype)
    member = np.stack([1 - is_class, is_class], axis=-1)
    converted = counts.drop_vars([*CLASS_DIMS, "positive"], errors="ignore")
    for dim in CLASS_DIMS:
        converted = xr.dot(
            converted, xr.DataArray(member, dims=(dim, "label", f"new {dim}")), dim=dim
        )
    converted = converted.rename({f"new {dim}": dim for dim in CLASS_DIMS})
    coords = {"label": labels, **class_dims(TWO_CLASSES)}
    return (
        converted.assign_coords(coords).transpose(*rest, "label", *CLASS_DIMS).rename(counts.name)
    )


def are_outcomes(source: Any) -> bool:
    """Return whether ``source`` is an array over outcomes without classes."""
    return (
        isinstance(source, xr.DataArray) and "outcome" in source.dims and by_class(source) is source
    )


def check_tables(counts: Any, argument: str = "counts") -> xr.DataArray:
    return (check_outcomes if are_outcomes(counts) else check_counts)(counts, argument)


def check_counts(counts: Any, argument: str = "counts") -> xr.DataArray:
    """Return valid counts (entity, [dataset], actual, predicted) with the standard order of dims and classes."""
    counts = by_class(counts)
    if are_outcomes(counts):
        raise ArgumentError(
            argument,
            "must have the dims entity, [dataset], actual, predicted",
            counts.dims,
            InPython("counts of outcomes are for br.fit(..., 'dirichlet_multinomial')"),
        )
    hint = (
        " (joint outcomes are for br.fit(..., 'paired'))" if isinstance(counts, xr.Dataset) else ""
    )
    checked = _check_layout(
        counts, argument, ("entity", "dataset", "label", *CLASS_DIMS), f"br.from_counts{hint}"
    )
    if checked.sizes["actual"] != checked.sizes["predicted"] or checked.sizes["actual"] < 2:
        raise ArgumentError(
            argument,
            "must have the same two or more classes on actual and predicted",
            f"{counts.sizes['actual']} and {counts.sizes['predicted']}",
        )
    return order_classes(checked, argument)


def check_outcomes(counts: Any, argument: str = "counts") -> xr.DataArray:
    """Return valid counts (entity, [dataset], outcome) of two or more outcomes, with the standard order of dims."""
    checked = _check_layout(counts, argument, ("entity", "dataset", "outcome"), "br.from_frame")
    if len(check_unique("outcome", checked["outcome"].values.tolist())) < 2:
        raise ArgumentError(
            argument, "must have at least two outcomes", counts["outcome"].values.tolist()
        )
    return checked


def _check_layout(counts: Any, argument: str, dims: Sequence[str], maker: str) -> xr.DataArray:
    """Validate the dims, labels and values of counts; return them with their dims in this order."""
    if not isinstance(counts, xr.DataArray):
        raise ArgumentTypeError(
            argument, f"must be a DataArray, as made by {maker}", describe_value(counts)
        )
    needed = [dim for dim in dims if dim not in ("dataset", "label")]
    if not set(needed) <= set(counts.dims) <= set(dims):
        requested = ", ".join(["entity", "[dataset]", *needed[1:]])
        raise ArgumentError(argument, f"must have the dims {requested}", counts.dims)
    for dim in reversed(needed):
        if dim not in counts.coords:
            raise ArgumentError(
                argument,
                f"must have a coord that names each {dim}",
                f"coords {list(counts.coords)}",
            )
    if not counts.sizes["entity"]:
        raise ArgumentError(argument, "must contain at least one entity", "none")
    ordered = counts.transpose(*[dim for dim in dims if dim in counts.dims])
    for axis in ordered.dims[: 1 + ("dataset" in counts.dims)]:
        check_unique(str(axis), counts[axis].values.tolist())
    return ordered.copy(
        deep=False, data=check_case_numbers(argument, ordered.values, WEIGHTED in counts.attrs)
    )


def arrange(
    values: np.ndarray, entities: list, datasets: list | None, dims: Mapping[str, list]
) -> xr.DataArray:
    """Label tables (pair, ...) as counts; pairs without a table get zeros and ``measured=False``."""
    labels, measured = (
        {"entity": check_unique("entity", entities) if datasets is None else entities},
        {},
    )
    if datasets is not None:
        (row, names), (column, sets) = factorize(entities), factorize(datasets)
        times = np.zeros((len(names), len(sets)), int)
        np.add.at(times, (row, column), 1)
        if (times > 1).any():
            e, d = np.argwhere(times > 1)[0]
            raise ArgumentError(
                "entity and dataset",
                "must name each pair once",
                f"{names[e]!r} on {sets[d]!r} {times[e, d]} times",
            )
        tables = np.zeros((*times.shape, *values.shape[1:]), values.dtype)
        tables[row, column] = values
        labels, values = {"entity": names, "dataset": sets}, tables
        measured = {"measured": (("entity", "dataset"), times > 0)}
    labels |= dims
    coords = {dim: name_coord(list(held)) for dim, held in labels.items()}
    return xr.DataArray(values, coords | measured, list(labels), "counts")


def count_cases(
    codes: Sequence[np.ndarray],
    numbers: np.ndarray,
    entities: list,
    where: list | None,
    dims: Mapping[str, list],
) -> xr.DataArray:
    """Return the counts of cases from their positions (case, entity) along each of ``dims``, -1 if missing.

    ``numbers`` are the numbers of cases; ``where`` names the data set of each case, or is None.
    """
    rows, datasets = (np.zeros(len(numbers), int), [""]) if where is None else factorize(where)
    tables = np.zeros((len(entities), len(datasets), *map(len, dims.values())), numbers.dtype)
    for i, table in enumerate(tables):
        own = [code[:, i] if code.shape[1] > 1 else code[:, 0] for code in codes]
        has_prediction = own[-1] >= 0
        np.add.at(
            table,
            (rows[has_prediction], *(code[has_prediction] for code in own)),
            numbers[has_prediction],
        )
    pairs = tables.reshape(-1, *tables.shape[2:])
    if where is None:
        return arrange(pairs, entities, None, dims)
    return arrange(
        pairs, [name for name in entities for _ in datasets], datasets * len(entities), dims
    )


def count_weighted(
    codes: Sequence[np.ndarray],
    number: np.ndarray,
    each: np.ndarray | None,
    entities: list,
    where: list | None,
    dims: Mapping[str, list],
) -> xr.DataArray:
    """Return counts as :func:`count_cases`, with the weights of cases and of priors if cases have unequal ones.

    ``number`` is the sum of the weights of each row's cases, and ``each`` the weight of one of
    them, or None.
    """
    counts = count_cases(codes, number, entities, where, dims)
    if each is None:
        return counts
    square = count_cases(codes, number * each, entities, where, dims).values
    weight = np.divide(square, counts.values, out=np.ones(counts.shape), where=counts.values > 0)
    classes = codes[0][:, 0] if len(codes) > 1 else np.zeros(len(number), int)
    rows, datasets = (np.zeros(len(number), int), [""]) if where is None else factorize(where)
    size = len(next(iter(dims.values()))) if len(codes) > 1 else 1
    priors = [
        prior_weights(number[rows == i], each[rows == i], classes[rows == i], size)
        for i in range(len(datasets))
    ]
    total, squares = (
        np.array([(prior**power).sum(axis=0) for prior in priors]) for power in (1, 2)
    )
    of = [*([] if where is None else ["dataset"]), *(["actual"] if len(codes) > 1 else [])]
    shape = [counts.sizes[dim] for dim in of]
    return counts.assign_coords(
        {
            UNIT_WEIGHT: (counts.dims, weight),
            PRIOR_WEIGHT: (of, (squares / total).reshape(shape)),
            PRIOR_TIMES: (of, (total**2 / squares).reshape(shape)),
        }
    )


def names_test_sets(counts: xr.DataArray) -> bool:
    """Return whether test sets have names of the user; others are inferred from equal class sizes."""
    return "test_set" in counts.coords and bool(counts["test_set"].attrs.get("named", 0))


def mark_positive(array: Any, positive: Any) -> Any:
    """Add the scalar coord ``positive``, if the positive class is known and not named "positive".

    A coord, unlike an attr, survives arithmetic, selection and files.
    """
    if positive is None or positive == TWO_CLASSES[1]:
        return array.drop_vars("positive", errors="ignore")
    return array.assign_coords(positive=positive)


def mark_averaged(array: Any, averaged: Sequence[bool], named: bool) -> Any:
    """Add the coord ``averaged`` (actual or label): which classes take part in averages over classes.

    Its attr says whether the user named them. Without the coord, all classes take part and none of
    more than two is named.
    """
    if all(averaged) and (not named or len(averaged) == 2):
        return array
    dim = "label" if "label" in array.coords else "actual"
    return array.assign_coords({AVERAGED: (dim, list(averaged), {"named": int(named)})})


def mark_classes_as(array: Any, source: Any) -> Any:
    """Mark the positive class of counts, and the classes of averages, as other counts or joint outcomes do."""
    marked = mark_positive(array, positive_label(source))
    if AVERAGED not in source.coords:
        return marked
    return mark_averaged(marked, classes_in_averages(source, array).tolist(), names_classes(source))


def put_in_class_order(evidence: Any, positive: Any = None, ordered: bool = False) -> Any:
    """Return counts or joint outcomes with the negative class first and the positive class last, marked if known."""
    dims = ["label"] if "label" in evidence.coords else ["actual", "predicted"]
    classes, chosen = arrange_classes(evidence[dims[0]].values.tolist(), positive, ordered)
    moved = {dim: classes for dim in dims if evidence[dim].values.tolist() != classes}
    return mark_positive(select_names(evidence, moved) if moved else evidence, chosen)
