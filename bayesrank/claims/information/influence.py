"""The influence of single cases on a score of tables: how much it changes with one more case in a cell."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank.evidence.kinds import CaseEvidence

#: Share by which one cell of a table grows to see its influence on a score.
STEP = 1e-6
#: Most numbers in the tables that grow: those of 50 entities with 25 classes.
LARGEST = 2e7


def slopes_of(
    score: Callable[[xr.DataArray], xr.DataArray | None], frame: xr.DataArray, shares: np.ndarray
) -> np.ndarray | None:
    """Return how much a score changes with one more case in each cell, per share (entity, cell); None if unknown.

    ``frame`` (entity, ...) has the labels of the cells, ``shares`` (entity, cell) the observed
    ones. The mean over the observed cases is 0.
    """
    cells = shares.shape[1]
    if shares.size * cells > LARGEST:
        return None
    grown = (1 - STEP) * shares[:, None] + STEP * np.eye(cells)
    tables = np.concatenate([shares[:, None], grown], axis=1).reshape(
        len(shares), -1, *frame.shape[1:]
    )
    retained = {
        name: held for name, held in frame.coords.items() if set(held.dims) <= {*frame.dims[1:]}
    }
    names = {name: held.variable for name, held in retained.items()}
    values = score(xr.DataArray(tables, names, ("entity", "cell", *frame.dims[1:])))
    if values is None:
        return None
    slopes = values.transpose("entity", "cell").values.astype(float)
    slope = (slopes[:, 1:] - slopes[:, :1]) / STEP
    slope -= np.where(shares > 0, shares * slope, 0.0).sum(axis=1, keepdims=True)
    return slope if np.isfinite(slope[shares > 0]).all() else None


def influence_of_tables(
    score: Callable[[xr.DataArray], xr.DataArray | None],
    frame: xr.DataArray,
    evidence: CaseEvidence,
    weight: np.ndarray,
) -> np.ndarray | None:
    """Return the change of a score of tables by each case of a pattern (pattern, entity); None if unknown.

    ``weight`` (pattern, entity) is the weight of a case in the table of an entity.
    """
    assert evidence.actual is not None
    assert evidence.predicted is not None
    labels, size = frame["actual"].values.tolist(), frame.sizes["entity"]
    position = {label: i for i, label in enumerate(labels)}
    rows = np.array([position[label] for label in evidence.actual.tolist()])
    columns = np.array([[position[label] for label in row] for row in evidence.predicted.tolist()])
    cells, cell_count = rows[:, None] * len(labels) + columns, len(labels) ** 2
    shares = np.stack(
        [np.bincount(cells[:, i], evidence.count * weight[:, i], cell_count) for i in range(size)]
    )
    slope = slopes_of(score, frame.transpose("entity", "actual", "predicted"), shares)
    return None if slope is None else weight * slope[np.arange(size), cells]


def class_strength(
    influence: np.ndarray, evidence: CaseEvidence, weight: np.ndarray
) -> np.ndarray | None:
    """Return the typical influence of the cases of each class (pattern); None without classes or influence.

    It is the root mean square over entities, so that an entity without errors has the clusters of
    the others.
    """
    if evidence.actual is None:
        return None
    influence_per_case = influence / np.where(influence != 0, weight, 1.0)
    square = np.square(influence_per_case).mean(axis=1)
    classes = pd.factorize(evidence.actual)[0]
    mean = np.bincount(classes, evidence.count * square) / np.bincount(classes, evidence.count)
    return np.sqrt(mean)[classes] if mean.any() else None
