"""Effective numbers of cases and degrees of freedom of each period, if cases are in clusters.

The variance of a rate between clusters, over that of independent cases, is the design effect of a
period. It is known to few degrees of freedom, and a period without errors shows none at all. So a
period has the larger one of its own design effect and that of all periods up to it together, and
never less than 1. The degrees of freedom are those of its own clusters: two periods that are
compared have the sum of theirs.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from bayesrank.evidence.kinds.cases import CaseEvidence, sums_within
from bayesrank.evidence.units import unit_freedom


class ClusterCases(NamedTuple):
    """The effective cases of each period, and the degrees of freedom of its clusters (rate, entity, dataset)."""

    cases: np.ndarray
    freedom: np.ndarray


def cases_of_clusters(
    periods: Sequence[CaseEvidence], entities: Sequence[Any], positive: Any
) -> ClusterCases:
    """Return the effective cases of each period for TPR and for 1 - FPR, and their degrees of freedom."""
    cells = np.array(
        [
            [_of_entity(periods, name, positive, rate) for name in entities]
            for rate in ("tpr", "fpr")
        ]
    )
    return ClusterCases(*np.moveaxis(cells, 2, 0))


def _of_entity(
    periods: Sequence[CaseEvidence], entity: Any, positive: Any, rate: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return the effective cases and the degrees of freedom of one entity and rate (dataset)."""
    sums = []
    for one in periods:
        assert one.actual is not None
        assert one.cluster is not None
        of_rate = (one.actual == positive) == (rate == "tpr")
        right = one.given[:, one.entities.index(entity)] == one.actual
        size = sums_within(one.cluster, one.count * of_rate)
        own = sums_within(one.cluster, one.count * of_rate * right)[size > 0]
        sums.append((own, size[size > 0], float((one.squares * of_rate).sum())))
    return worth_of_periods(sums)


def worth_of_periods(
    sums: Sequence[tuple[np.ndarray, np.ndarray, float]],
) -> tuple[np.ndarray, np.ndarray]:
    """Return the effective cases of each period and the degrees of freedom of its clusters.

    Each period has the right cases and all cases of each of its clusters, and the sum of the
    squared weights of cases.
    """
    between = independent = 0.0
    cases, degrees = [], []
    for right, size, squares in sums:
        total = size.sum()
        if len(size) < 2:
            cases.append(0.0)
            degrees.append(0.0)
            continue
        own, factor = unit_freedom(size)
        rate = (right.sum() + 0.5) / (total + 1)
        variance = factor * np.square(right - right.sum() / total * size).sum() / total**2
        alone = rate * (1 - rate) * squares / total**2
        between, independent = between + variance / alone, independent + 1.0
        effect = max(1.0, variance / alone, between / independent)
        # The inverse of an estimated variance is too large on average, by about this factor.
        cases.append(total**2 / squares / effect * own / (own + 2))
        degrees.append(own)
    return np.array(cases), np.array(degrees)
