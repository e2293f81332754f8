"""The record of a pool: names of the pooled data sets, and p-values of differences between them.

The record is text (JSON), which files can store, with a p-value of each entity and part of its evidence. The summed
tables are in memory only; a posterior holds them as a variable.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._labels import object_array
from bayesrank._random import fingerprint
from bayesrank.evidence._homogeneity import mean_differs

__all__ = ["MEAN", "RECALL", "SHARE", "TABLES", "Pooled", "pooled_cases", "pooled_counts", "record_of", "record_text"]

#: Parts of the evidence; for the first two, a class follows.
RECALL, SHARE, MEAN = "recall", "share", "mean outcome"
#: The observed-data variable with the summed tables.
TABLES = "counts_by_dataset"
#: Number of digits of a p-value.
DIGITS = 4


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


def record_of(about: Mapping[Any, Any]) -> dict[str, Any] | None:
    """Return the record of a pool in attrs, or None."""
    return json.loads(record_text(about["pooled"])) if "pooled" in about else None


def pooled_counts(kept: xr.DataArray, tested: bool = True) -> Pooled:
    """Record a pool of counts (entity, dataset, actual, predicted) or (entity, dataset, outcome), tested or not."""
    plain = kept.drop_vars("measured", errors="ignore")
    names, values = kept.get_index("entity").tolist(), kept.values
    parts: dict[tuple[str, str], list[np.ndarray]] = {}  # tables (data set, outcome) of every entity
    outcomes, size = np.array([0.0, 1.0]), kept.shape[-1]
    if "outcome" in kept.dims:
        labels = kept["outcome"].values.tolist()
        numbers = all(isinstance(label, int | float) for label in labels)
        outcomes = np.array(labels if numbers else range(len(labels)), float)
        parts[MEAN, ""] = list(values)
    else:
        classes = [str(label) for label in kept["actual"].values.tolist()]
        rows = values.sum(axis=-1)
        for i, label in enumerate(classes):
            right = values[:, :, i, i]
            parts[RECALL, label] = list(np.stack([rows[:, :, i] - right, right], axis=-1))
        for i, label in _classes_with_shares(classes):
            parts[SHARE, label] = list(np.stack([rows.sum(axis=-1) - rows[:, :, i], rows[:, :, i]], axis=-1))
    p = _p_values({part: [(table, outcomes) for table in tables] for part, tables in parts.items() if tested})
    order = np.argsort([str(name) for name in kept.get_index("dataset")], kind="stable")
    sizes = [fingerprint(one) for one in values[:, order].sum(axis=-1)]  # equal class sizes share a test set
    return Pooled(_text(kept.get_index("dataset").tolist(), names, p, size, sizes=sizes), plain)


def pooled_cases(joint: xr.Dataset) -> Pooled:
    """Record a pool of joint outcomes; the compared units are clusters, if there are any."""
    where, datasets = pd.factorize(object_array(joint["dataset"].values.tolist()))
    count = joint["count"].values.astype(float)
    unit = where
    if "cluster" in joint.coords:
        clusters = pd.factorize(object_array(joint["cluster"].values.tolist()))[0]
        unit = pd.factorize(clusters * len(datasets) + where)[0]
    clustered = "cluster" in joint.coords
    names = joint["entity"].values.tolist()

    def units(outcome: np.ndarray, here: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the table (data set, value) of the cases in the mask ``here``, and its values."""
        weight = count[here]
        if not weight.size:
            return np.zeros((len(datasets), 1), np.int64), np.zeros(1)
        y, at, home = outcome[here], where[here], unit[here]
        if clustered:
            # The value of a cluster is the sum of its outcomes minus its expectation under the overall mean.
            centred = y - np.average(y, weights=weight)
            which, first = np.unique(home, return_inverse=True)
            sums = np.bincount(first, weight * centred)
            at_unit = np.zeros(len(which), int)
            at_unit[first] = at
            y, at, weight = sums.round(9), at_unit, np.ones(len(which))
        values, code = np.unique(y, return_inverse=True)
        table = np.zeros((len(datasets), len(values)), np.int64)
        np.add.at(table, (at, code), weight.astype(np.int64))
        return table, values

    parts: dict[tuple[str, str], list[tuple[np.ndarray, np.ndarray]]] = {}
    values = 2
    if "outcome" in joint:
        outcome = joint["outcome"].transpose("pattern", "entity").values.astype(float)
        parts[MEAN, ""] = [units(column, ~np.isnan(column)) for column in outcome.T]
        values = len(np.unique(outcome[~np.isnan(outcome)]))
    else:
        actual = joint["actual"].values
        right = (joint["predicted"].transpose("pattern", "entity").values == actual[:, None]).astype(float)
        labels = joint["label"].values.tolist()
        values = len(labels)
        for label in labels:
            parts[RECALL, str(label)] = [units(column, actual == label) for column in right.T]
        for i, label in _classes_with_shares([str(label) for label in labels]):
            of_label = units((actual == labels[i]).astype(float), np.ones(len(actual), bool))
            parts[SHARE, label] = [of_label] * len(names)
    return Pooled(_text(list(datasets), names, _p_values(parts), values, clustered))


def _classes_with_shares(classes: Sequence[str]) -> list[tuple[int, str]]:
    """Return the classes with informative shares: the last of two, or all."""
    return [*enumerate(classes)][len(classes) == 2 :]


def _p_values(
    parts: Mapping[tuple[str, str], list[tuple[np.ndarray, np.ndarray]]],
) -> dict[tuple[str, str], list[float]]:
    """Return the p-values of every part and entity; equal tables are tested once."""
    tests = sum(map(len, parts.values()))
    known: dict[tuple, float] = {}
    found: dict[tuple[str, str], list[float]] = {}
    for part, tables in parts.items():
        found[part] = []
        for table, values in tables:
            key = (table.tobytes(), table.shape, values.tobytes())
            if key not in known:
                known[key] = mean_differs(table, values, tests)
            found[part].append(known[key])
    return found


def _text(
    datasets: list,
    names: list,
    p: Mapping[tuple[str, str], list[float]],
    outcomes: int,
    clustered: bool = False,
    sizes: Sequence[str] = (),
) -> str:
    record: dict[str, Any] = {
        "datasets": sorted(str(name) for name in datasets),  # independent of the order of the input
        "entities": names,
        "outcomes": outcomes,
        "clusters": clustered,
        **({"sizes": list(sizes)} if sizes else {}),
        "p": [[*part, [None if np.isnan(x) else float(f"{x:.{DIGITS}g}") for x in each]] for part, each in p.items()],
    }
    return json.dumps(record, default=str)
