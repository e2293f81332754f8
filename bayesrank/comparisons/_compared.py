"""Inputs of a comparison: the model of each posterior, its sorted evidence, and the units that are left out."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.prose import count
from bayesrank._core.records import ModelRecord
from bayesrank._core.source import parse_source
from bayesrank.evidence.counts import parts_of, with_parts
from bayesrank.models import find_model, model_of, names
from bayesrank.performance.arrays import outcome_dims

BY = ("dataset", "table", "case")
#: A unit: its name, its tables (entity, data set), and its class sizes.
Unit = tuple[str, list[tuple[int, int]], list[int]]


class Sizes(NamedTuple):
    """The class sizes of one test set on one data set, which count once for all its entities."""

    test_set: str
    entities: frozenset[int]
    dataset: int
    cases: tuple[int, ...]


@dataclass(frozen=True)
class Compared:
    """A posterior, its model, and its evidence (entity, data set, row, answer), names in order.

    ``order`` holds the positions of entities and data sets in the posterior. The ``tables`` of
    pooled counts are those of their data sets.
    """

    name: str
    groups: dict[str, xr.Dataset]
    instance: Any
    options: dict[str, Any]
    entities: list[str]
    datasets: list[str]
    labels: list[str]
    order: tuple[np.ndarray, np.ndarray]
    tables: np.ndarray
    measured: np.ndarray
    #: Class sizes that the model predicts.
    sizes: list[Sizes]
    pooled: bool
    over_datasets: bool

    @property
    def posterior(self) -> xr.Dataset:
        return self.groups["posterior"]


def model_to_compare(name: str, posterior: Any, parts: bool) -> Compared:
    """Prepare a posterior for comparison; ``parts`` splits pooled counts into their data sets."""
    groups, instance, options = _read_posterior(name, posterior)
    counts = with_parts(groups["observed_data"])
    separate = (
        parts_of(counts)
        if parts and "dataset" not in counts.dims and hasattr(instance, "conjugate")
        else None
    )
    tables = counts if separate is None else separate
    row = outcome_dims(tables)
    over = "dataset" in tables.dims
    tables = (tables if over else tables.expand_dims(dataset=["all"])).transpose(
        "entity", "dataset", *row
    )
    entities, datasets = (
        [str(x) for x in tables[dim].values.tolist()] for dim in ("entity", "dataset")
    )
    order = np.argsort(entities, kind="stable"), np.argsort(datasets, kind="stable")
    in_order = {"entity": order[0], "dataset": order[1]}
    cells = tables.isel(dict.fromkeys(row, 0), drop=True)
    measured = xr.ones_like(cells, bool)
    if separate is None and "measured" in tables.coords:
        measured = tables["measured"].reset_coords(drop=True) & measured
    values = tables.isel(in_order).values
    values = values.reshape(*values.shape[:2], -1, values.shape[-1])
    has_table = measured.transpose("entity", "dataset").isel(in_order).values
    if instance is None:
        joint = "row_totals" in groups["log_likelihood"]
    else:
        joint = ModelRecord.of(groups["posterior"]).prevalence == "sampled"
    sizes: list[Sizes] = []
    if joint and len(row) == 2 and "test_set" in counts.coords:
        named = (
            counts["test_set"].reset_coords(drop=True).broadcast_like(cells.reset_coords(drop=True))
        )
        sizes = _sizes(
            named.transpose("entity", "dataset").isel(in_order).values, values, has_table
        )
    return Compared(
        name=name,
        groups=groups,
        instance=instance,
        options=options,
        entities=[entities[i] for i in order[0]],
        datasets=[datasets[i] for i in order[1]],
        labels=[str(label) for label in tables[row[-1]].values.tolist()],
        order=order,
        tables=values,
        measured=has_table,
        sizes=sizes,
        pooled=separate is not None,
        over_datasets=over,
    )


def _read_posterior(name: str, posterior: Any) -> tuple[dict[str, xr.Dataset], Any, dict[str, Any]]:
    """Return the groups, the model and the options of a posterior, or raise if it cannot be compared."""
    source = parse_source(posterior, "posteriors")
    if source.container is None:
        raise ArgumentTypeError(
            "posteriors",
            "must map names to results of br.fit",
            f"{type(posterior).__name__} for {name!r}",
        )
    groups = source.groups
    if "posterior" not in groups or "counts" not in groups.get("observed_data", xr.Dataset()):
        raise ArgumentError(
            "posteriors",
            "must contain a posterior and the observed counts of tables",
            f"{sorted(groups)} for {name!r}",
        )
    model = source.model.model
    if model in names() and not {"conjugate", "log_likelihood"} & set(dir(find_model(model))):
        raise ArgumentError(
            "posteriors",
            f"must come from models of tables; {name!r} is a fit of {model!r}, which has no tables",
        )
    instance, options = model_of(groups)
    if instance is None and "log_likelihood" not in groups:
        raise ArgumentError(
            "posteriors",
            "must contain log_likelihood (br.fit(..., groups=['log_likelihood'])) where the model is not one "
            f"of {names()}",
            f"none for {name!r}",
        )
    return groups, instance, options


def _sizes(named: np.ndarray, tables: np.ndarray, measured: np.ndarray) -> list[Sizes]:
    """Return the class sizes of every named test set (entity, data set) on each data set."""
    result = []
    for name in dict.fromkeys(x for x in named.ravel().tolist() if x):
        for d in range(tables.shape[1]):
            members = np.flatnonzero((named[:, d] == name) & measured[:, d])
            if members.size:
                cases = tables[members[0], d].sum(-1)
                result.append(Sizes(name, frozenset(members.tolist()), d, tuple(cases.tolist())))
    return sorted(result, key=lambda one: (one.dataset, sorted(one.entities), one.test_set))


def check_same_data(models: list[Compared], by: str) -> None:
    """Raise if the posteriors come from different data, or from different parts of the same data."""
    first = models[0]
    for other in models[1:]:
        if (
            (first.entities, first.labels) != (other.entities, other.labels)
            or first.datasets != other.datasets
            or not np.array_equal(first.tables, other.tables)
            or not np.array_equal(first.measured, other.measured)
        ):
            raise ArgumentError(
                "posteriors",
                "must be fitted to the same data",
                f"{first.name!r} of {_describe(first)} and {other.name!r} of "
                f"{_describe(other)}{_difference(first, other)}",
            )
        if bool(first.sizes) != bool(other.sizes):
            joint, conditional = (first, other) if first.sizes else (other, first)
            raise ArgumentError(
                "posteriors",
                "must all predict class sizes, or none",
                f"{joint.name!r}, which predicts them, and "
                f"{conditional.name!r}, whose likelihood is conditional on them",
                "prevalence='sampled' for all, or for none",
            )
        if [one[1:] for one in first.sizes] != [one[1:] for one in other.sizes]:
            raise ArgumentError(
                "posteriors",
                "must share the same test sets, because the class sizes of a test set count once",
                f"{len(first.sizes)} for {first.name!r} and {len(other.sizes)} for {other.name!r}",
                "the coord test_set of the counts names them",
            )
    if by == "dataset" and not first.over_datasets:
        raise ArgumentError("by", "must be 'table' or 'case' if there are no data sets", f"{by!r}")


def _describe(model: Compared) -> str:
    entities, cases = count(len(model.entities), "entity"), count(int(model.tables.sum()), "case")
    return f"{entities} on {count(len(model.datasets), 'data set')}, {cases} in all"


def _difference(first: Compared, other: Compared) -> str:
    """Return the names that differ, if any."""
    for what in ("entities", "datasets", "labels"):
        if apart := set(getattr(first, what)) ^ set(getattr(other, what)):
            return f": only one has {sorted(apart)[:3]}"
    return ": the counts differ" if first.tables.shape == other.tables.shape else ""


def left_out_units(model: Compared, by: str) -> list[Unit]:
    """Return the units that are left out in turn: name, tables (entity, data set) and class sizes."""
    places = [(int(i), int(j)) for i, j in np.argwhere(model.measured)]
    if by == "dataset":
        units = []
        for j, name in enumerate(model.datasets):
            sizes = [k for k, one in enumerate(model.sizes) if one.dataset == j]
            units.append((name, [position for position in places if position[1] == j], sizes))
        return [unit for unit in units if unit[1]]
    e, d = model.entities, model.datasets
    named = [f"{e[i]} on {d[j]}" if model.over_datasets else e[i] for i, j in places]
    tables: list[Unit] = [
        (name, [position], []) for name, position in zip(named, places, strict=True)
    ]
    return [*tables, *((_name_of_sizes(model, one), [], [k]) for k, one in enumerate(model.sizes))]


def _name_of_sizes(model: Compared, sizes: Sizes) -> str:
    """Return class sizes by name; a pooled test set has one name for each data set."""
    if not model.over_datasets:
        return f"class sizes of {sizes.test_set}"
    alone = sum(one.dataset == sizes.dataset for one in model.sizes) == 1
    entity_text = "" if alone else f" of {model.entities[min(sizes.entities)]}"
    return f"class sizes{entity_text} on {model.datasets[sizes.dataset]}"
