"""How evidence was assembled: the record of a pool as JSON, which files can store, and sentences."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core import prose
from bayesrank._core.labels import factorize
from bayesrank._core.random import fingerprint
from bayesrank._core.records import EvidenceRecord, reading_attr
from bayesrank.evidence.homogeneity import mean_differs

#: What a record always says.
WRITTEN = ("datasets", "entities", "outcomes", "clusters", "p")
#: Parts of the evidence; for the first two, a class follows.
RECALL, SHARE, MEAN = "recall", "share", "mean outcome"
#: The observed-data variable with the summed tables.
TABLES = "counts_by_dataset"


class Pooled(np.ndarray):
    """The text of a record and, in memory, the summed tables (entity, dataset, ...).

    It is an array with one text, since attrs in files may be such arrays but not subclasses of str.
    """

    tables: xr.DataArray | None

    def __new__(cls, text: str, tables: xr.DataArray | None = None) -> "Pooled":
        record = np.array(text, dtype=object).view(cls)
        record.tables = tables
        return record

    def __array_finalize__(self, other: Any) -> None:
        self.tables = getattr(other, "tables", None)

    def __reduce__(self) -> tuple[Any, ...]:
        return Pooled, (self.item(), self.tables)


def record_text(record: Any) -> str:
    """Return the text of a record, without tables."""
    return str(record.item()) if isinstance(record, np.ndarray) else str(record)


def record_of(about: EvidenceRecord) -> dict[str, Any] | None:
    """Return the record of a pool, or None."""
    if about.pooled is None:
        return None
    with reading_attr("pooled"):
        record = json.loads(record_text(about.pooled))
        return {name: record[name] for name in (*WRITTEN, *({"sizes"} & set(record)))}


def runs_of(record: EvidenceRecord) -> str:
    """Return how many runs a case has."""
    most = record.most_runs or 1
    return (
        prose.count(most, "run")
        if record.fewest_runs == most
        else f"{record.fewest_runs} to {most} runs"
    )


def provenance(about: EvidenceRecord) -> list[str]:
    """Describe how the evidence was assembled."""
    lines = []
    if (record := record_of(about)) is not None:
        names = record["datasets"]
        lines.append(f"Pooled over {prose.count(len(names), 'data set')}: {', '.join(names)}.")
    if about.clusters is not None:
        lines.append(
            f"Cases come in {prose.count(about.clusters, 'cluster')}, each counted as one unit."
        )
    if about.most_runs is not None:
        lines.append(f"A case has {runs_of(about)}; its outcome is their mean.")
    if about.missing is not None:
        text = f"each counts as {about.missing}."
        if about.missing == "common":
            retained = about.cases or 0
            text = f"the {retained} of {retained + about.cases_left_out} cases that all entities met are kept."
        elif about.missing == "own":
            text = "each entity has its own cases, which are assumed to represent the missing ones."
        lines.append(f"Answers are missing: {text}")
    return lines


#: Tables (data set, value) and values of each entity, by part of the evidence and class.
Parts = Mapping[tuple[str, str], list[tuple[np.ndarray, np.ndarray]]]


def pooled_counts(kept: xr.DataArray, tested: bool = True) -> Pooled:
    """Record a pool of counts (entity, dataset, actual, predicted) or (entity, dataset, outcome), tested or not."""
    datasets, names = (kept.get_index(dim).tolist() for dim in ("dataset", "entity"))
    order = np.argsort(list(map(str, datasets)), kind="stable")
    sizes = [
        fingerprint(one) for one in kept.values[:, order].sum(axis=-1)
    ]  # equal class sizes share a test set
    parts = _parts_of_counts(kept) if tested else {}
    text = _write_record(datasets, names, parts, kept.shape[-1], clusters=False, sizes=sizes)
    return Pooled(text, kept.drop_vars("measured", errors="ignore"))


def _parts_of_counts(counts: xr.DataArray) -> Parts:
    values = counts.values
    if "outcome" in counts.dims:
        labels = counts["outcome"].values.tolist()
        numbers = all(isinstance(label, int | float) for label in labels)
        outcomes = np.array(labels if numbers else range(len(labels)), float)
        return {(MEAN, ""): [(table, outcomes) for table in values]}
    classes = [str(label) for label in counts["actual"].values.tolist()]
    rows = values.sum(axis=-1)
    recalls = {
        (RECALL, label): _binary(values[:, :, i, i], rows[:, :, i])
        for i, label in enumerate(classes)
    }
    shares = {
        (SHARE, label): _binary(rows[:, :, i], rows.sum(axis=-1))
        for i, label in _classes_with_shares(classes)
    }
    return recalls | shares


def _binary(hits: np.ndarray, total: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the table (data set, miss or hit) of each entity."""
    return [(table, np.array([0.0, 1.0])) for table in np.stack([total - hits, hits], axis=-1)]


@dataclass(frozen=True)
class _Units:
    """The compared units of joint outcomes by pattern: cases, or clusters if there are any."""

    datasets: list
    dataset: np.ndarray  # (pattern), codes
    cluster: np.ndarray | None  # (pattern), codes of clusters within their data set
    count: np.ndarray  # (pattern)

    @classmethod
    def of(cls, joint: xr.Dataset) -> "_Units":
        """Return the units of joint outcomes."""
        dataset, names = factorize(joint["dataset"].values.tolist())
        cluster = None
        if "cluster" in joint.coords:
            clusters = zip(joint["cluster"].values.tolist(), dataset.tolist(), strict=True)
            cluster = factorize(list(clusters))[0]
        return cls(names, dataset, cluster, joint["count"].values.astype(float))

    def table(self, outcome: np.ndarray, mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the table (data set, value) of the units in a mask of patterns, and its values."""
        y, dataset, weight = outcome[mask], self.dataset[mask], self.count[mask]
        if not weight.size:
            return np.zeros((len(self.datasets), 1), np.int64), np.zeros(1)
        if self.cluster is not None:
            # The value of a cluster is the sum of its outcomes minus its expectation under the
            # overall mean.
            centred = y - np.average(y, weights=weight)
            _, first, which = np.unique(self.cluster[mask], return_index=True, return_inverse=True)
            y = np.bincount(which, weight * centred).round(9)
            dataset, weight = dataset[first], np.ones(len(first))
        values, code = np.unique(y, return_inverse=True)
        table = np.zeros((len(self.datasets), len(values)), np.int64)
        np.add.at(table, (dataset, code), weight.astype(np.int64))
        return table, values


def pooled_cases(joint: xr.Dataset) -> Pooled:
    """Record a pool of joint outcomes; the compared units are clusters, if there are any."""
    units = _Units.of(joint)
    names = joint["entity"].values.tolist()
    parts: dict[tuple[str, str], list[tuple[np.ndarray, np.ndarray]]] = {}
    if "outcome" in joint:
        outcome = joint["outcome"].transpose("pattern", "entity").values.astype(float)
        parts[MEAN, ""] = [units.table(column, ~np.isnan(column)) for column in outcome.T]
        number = len(np.unique(outcome[~np.isnan(outcome)]))
    else:
        actual, labels = joint["actual"].values, joint["label"].values.tolist()
        right = (
            joint["predicted"].transpose("pattern", "entity").values == actual[:, None]
        ).astype(float)
        number = len(labels)
        for label in labels:
            parts[RECALL, str(label)] = [units.table(column, actual == label) for column in right.T]
        for _, label in _classes_with_shares(labels):
            of_label = units.table((actual == label).astype(float), np.ones(len(actual), bool))
            parts[SHARE, str(label)] = [of_label] * len(names)
    return Pooled(_write_record(units.datasets, names, parts, number, units.cluster is not None))


def _classes_with_shares(classes: Sequence[Any]) -> list[tuple[int, Any]]:
    """Return the classes with informative shares: the last of two, or all."""
    return [*enumerate(classes)][len(classes) == 2 :]


def _write_record(
    datasets: list,
    names: list,
    parts: Parts,
    outcomes: int,
    clusters: bool,
    sizes: Sequence[str] | None = None,
) -> str:
    """Return the record; equal tables are tested once."""
    tests = sum(map(len, parts.values()))
    known: dict[tuple, float | None] = {}
    found: list[list[Any]] = []
    for part, tables in parts.items():
        keys = [(table.tobytes(), table.shape, values.tobytes()) for table, values in tables]
        for key, (table, values) in zip(keys, tables, strict=True):
            if key not in known:
                p = mean_differs(table, values, tests)
                known[key] = None if np.isnan(p) else float(f"{p:.4g}")
        found.append([*part, [known[key] for key in keys]])
    record = {
        "datasets": sorted(map(str, datasets)),  # independent of the order of the input
        "entities": names,
        "outcomes": outcomes,
        "clusters": clusters,
        **({"sizes": sizes} if sizes else {}),
        "p": found,
    }
    return json.dumps(record, default=str)
