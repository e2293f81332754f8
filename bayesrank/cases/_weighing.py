"""Draws of case weights: the cases of each data set, the units that share a draw, and their weights."""

from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from bayesrank._core.checks import (
    check_absent,
    check_case_numbers,
    check_item_names,
    check_labels,
    check_nested,
    check_repeats,
    check_size,
)
from bayesrank._core.errors import ArgumentError
from bayesrank._core.labels import factorize, object_array, unique_rows
from bayesrank._core.random import BLOCK, fingerprint, stream
from bayesrank.evidence.weighting import UNIT_WEIGHT, WEIGHTED

#: The names of the groups of cases.
GROUPS = ("dataset", "cluster")


class Cases(NamedTuple):
    """The cases and their properties, in the order of the input."""

    times: np.ndarray  # number of occurrences of each case, or the sum of their weights
    #: One label per case. For joint outcomes, rows of outcomes, with the entities sorted by name.
    label: np.ndarray | None
    rows: np.ndarray | None
    dataset: list | None
    cluster: list | None
    #: The weight of one occurrence of each case; None if all are equal.
    each: np.ndarray | None = None


class Part(NamedTuple):
    """The cases of one data set, and the random variables that give their weights."""

    where: np.ndarray  # (case), positions among all cases
    unit: np.ndarray  # (case), index of the unit whose draw the case shares
    size: np.ndarray  # (case), weight of a case within its unit
    shape: np.ndarray  # (unit), shape of its gamma variable
    groups: list[tuple[Any, float]]  # cases whose weights have a known sum
    key: tuple  # key of its random streams


def collect_cases(cases: Any, count: Any, dataset: Any, cluster: Any) -> Cases:
    """Check and collect the arguments of :func:`bayesrank.case_weights`."""
    if isinstance(cases, xr.Dataset):
        for name, given in (("count", count), ("dataset", dataset), ("cluster", cluster)):
            check_absent(name, given, "for joint outcomes, which hold it")
        result = _of_patterns(cases)
    else:
        number = isinstance(cases, int | float | np.number | str | None)
        label = None if number else check_labels("cases", cases)
        size = check_size("cases", cases) if label is None else label.size
        sets = (
            None if dataset is None else check_item_names("dataset", dataset, size, broadcast=True)
        )
        clusters = None if cluster is None else check_item_names("cluster", cluster, size)
        result = Cases(check_repeats(count, size), label, None, sets, clusters)
    if not result.times.any():
        raise ArgumentError("count", "must be above 0 for at least one case", "none")
    if result.cluster is not None and result.dataset is not None:
        check_nested(result.cluster, result.dataset)
    return result


def _of_patterns(joint: xr.Dataset) -> Cases:
    own = ["outcome"] if "outcome" in joint else ["actual", "predicted"]
    missing = [name for name in (*own, "count", "entity") if name not in joint.variables]
    if missing or any("pattern" not in joint[name].dims for name in (*own, "count")):
        raise ArgumentError(
            "cases",
            "must be a number, labels, or joint outcomes as from br.joint_outcomes or br.from_outcomes",
            f"a Dataset with {list(map(str, joint.variables))}",
        )
    names = np.argsort([repr(name) for name in joint["entity"].values.tolist()], kind="stable")
    rows = joint[own[-1]].transpose("pattern", "entity").values[:, names]
    label = joint["actual"].values if len(own) > 1 else None
    if label is not None:
        rows = np.column_stack([label.astype(object), rows.astype(object)])
    dataset, cluster = (
        joint[name].values.tolist() if name in joint.coords else None for name in GROUPS
    )
    weight = joint[UNIT_WEIGHT].values if UNIT_WEIGHT in joint.coords else None
    times = check_case_numbers("count", joint["count"].values, WEIGHTED in joint.attrs)
    return Cases(times, label, rows, dataset, cluster, weight)


def make_parts(cases: Cases, by_class: bool) -> list[Part]:
    size = cases.times.size
    where, names = factorize(cases.dataset or [""] * size)
    return [
        _part(cases, np.flatnonzero(where == i), name, by_class) for i, name in enumerate(names)
    ]


def _part(found: Cases, where: np.ndarray, name: Any, by_class: bool) -> Part:
    count = found.times[where]
    # Cases with more than a label are sorted by their content.
    content = np.arange(where.size) if found.rows is None else _index_rows(found.rows[where])
    if found.cluster is None:
        order = np.argsort(content, kind="stable")
        unit, size = (
            np.arange(where.size),
            np.ones(where.size) if found.each is None else found.each[where][order],
        )
        shape = (count[order] / size).round(9)
    else:
        unit = factorize(object_array(found.cluster)[where])[0]
        if found.rows is not None:
            unit = _by_content(unit, content, count)
        order = np.lexsort([content, unit])
        unit, size = unit[order], count[order].astype(float)
        shape = (np.bincount(unit, size) > 0).astype(float)
    where = where[order]
    rows = found.label if found.rows is None else found.rows
    evidence = fingerprint(unit, size, shape, *([] if rows is None else [rows[where]]))
    classes: list = [slice(None)]
    if by_class and found.label is not None:
        classes = [
            np.flatnonzero(found.label[where] == one) for one in dict.fromkeys(found.label.tolist())
        ]
    groups = [(cases, float(found.times[where[cases]].sum())) for cases in classes]
    return Part(where, unit, size, shape, groups, (name, evidence))


def _index_rows(rows: np.ndarray) -> np.ndarray:
    """Return the index of each row among the distinct rows, which are sorted by content."""
    columns = []
    for column in rows.T:
        which, distinct = factorize(column)
        columns.append(
            np.argsort(np.argsort([repr(value) for value in distinct], kind="stable"))[which]
        )
    return unique_rows(np.column_stack(columns))[1]


def _by_content(unit: np.ndarray, content: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Number clusters by their content; clusters with equal content are interchangeable."""
    held: list[list[tuple[int, int]]] = [[] for _ in range(unit.max() + 1)]
    for one, *pair in zip(unit.tolist(), content.tolist(), count.tolist(), strict=True):
        held[one].append(tuple(pair))
    order = sorted(range(len(held)), key=lambda one: sorted(held[one]))
    return np.argsort(order)[unit]


def draw_weights(
    parts: list[Part], size: int, root: np.random.SeedSequence, chain: int, start: int, stop: int
) -> np.ndarray:
    out = np.zeros((stop - start, size))
    for part in parts:
        out[:, part.where] = _draw(part, root, chain, start, stop)
    return out


def step_of(size: int) -> int:
    """Return how many draws come from one random stream; it depends on the evidence only."""
    return min(BLOCK, max(1, 2**20 // size))


def _draw(
    part: Part, root: np.random.SeedSequence, chain: int, start: int, stop: int
) -> np.ndarray:
    """Return the weights (draw, case) of the draws ``start`` to ``stop`` of a chain."""
    # So a draw does not depend on the number of draws.
    step = step_of(part.shape.size)
    weight = np.empty((stop - start, part.where.size))
    for first in range(start // step * step, stop, step):
        last = min(first + step, stop)
        rng = stream(root, "case_weights", *part.key, chain, first // step)
        mass = rng.standard_gamma(np.broadcast_to(part.shape, (last - first, part.shape.size)))
        mass = mass[max(start - first, 0) :]
        alone = part.shape.size == part.where.size and (part.size == 1).all()
        weight[max(first - start, 0) : last - start] = (
            mass if alone else mass[:, part.unit] * part.size
        )
    for cases, total in part.groups:
        if total:
            weight[:, cases] *= total / weight[:, cases].sum(axis=1, keepdims=True)
    return weight
