"""Which entities met which data sets: whether they can be compared, and how data sets differ in their entities."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse.csgraph import connected_components

#: Smallest singular value of a direction in which data sets differ, relative to the number of data
#: sets.
SMALLEST = 1e-9


class Design(NamedTuple):
    """What an incomplete design allows."""

    #: "complete", "connected" or "unconnected".
    kind: str
    #: Number of pairs (entity, data set) that were not measured, and of all pairs.
    missing: int
    total: int
    #: Pairs of entities without a common data set that other entities connect, and pairs that
    #: nothing connects.
    through_others: list[list[str]]
    apart: list[list[str]]


def describe_design(measured: np.ndarray, names: Sequence[Any]) -> Design:
    """Return the design of entities that met data sets (entity, dataset); pairs are in the order of their names."""
    order = sorted(range(len(measured)), key=lambda i: str(names[i]))
    shared = measured.astype(int) @ measured.T.astype(int)
    _, group = connected_components(shared > 0, directed=False)
    through_others: list[list[str]] = []
    apart: list[list[str]] = []
    for position, i in enumerate(order):
        for j in order[position + 1 :]:
            if shared[i, j]:
                continue
            pair = [str(names[i]), str(names[j])]
            (through_others if group[i] == group[j] else apart).append(pair)
    kind = "complete"
    if not measured.all():
        kind = "unconnected" if apart else "connected"
    return Design(kind, int((~measured).sum()), measured.size, through_others, apart)


def basis_of_presence(measured: np.ndarray) -> np.ndarray:
    """Return orthogonal columns (dataset, column) that distinguish data sets with different entities.

    Each has mean 0 and mean square 1. They span the shares of the entities in each data set, less
    their means. A complete design has no column.
    """
    present = measured.T.astype(float)
    share = present / np.maximum(present.sum(1, keepdims=True), 1.0)
    vectors, size, _ = np.linalg.svd(share - share.mean(0), full_matrices=False)
    return np.sqrt(len(share)) * vectors[:, size > SMALLEST * len(share)]
