"""Fast paths of the Tile beside slow and simple ones: Kendall's correlation by counting, ranks by crossings."""

import numpy as np
import pytest
import xarray as xr
from scipy.stats import kendalltau, rankdata

import bayesrank as br

LABELS = {"actual": ["negative", "positive"], "predicted": ["negative", "positive"]}


def source(cells):
    """Performances (entity, actual, predicted) from rows of tn, fp, fn, tp."""
    cells = cells / cells.sum(axis=-1, keepdims=True)
    dims = ("draw", "entity")[2 - (cells.ndim - 1) :]
    return xr.DataArray(cells.reshape(*cells.shape[:-1], 2, 2), LABELS, (*dims, "actual", "predicted"))


def random_cells(kind, size, rng):
    if kind == "lattice":  # many ties
        return rng.integers(1, 4, (*size, 4)).astype(float)
    if kind == "crowded":  # all values in few bins
        return np.array([8.0, 1, 1, 8]) + 1e-3 * rng.random((*size, 4))
    return rng.dirichlet(np.ones(4), size)


@pytest.mark.parametrize("kind", ["spread", "crowded", "lattice"])
def test_kendall_agrees_with_scipy(kind):
    cells = random_cells(kind, (700,), np.random.default_rng(4))
    found = br.tile.correlation("mcc", 4, performances=source(cells), method="kendall")
    tn, fp, fn, tp = cells.T
    mcc = br.scores.mcc.of_cells(tn, fp, fn, tp)
    for a in found["a"].values:
        for b in found["b"].values:
            right, wrong = (1 - a) * tn + a * tp, (1 - b) * fp + b * fn
            expected = kendalltau(np.round(mcc, 12), np.round(right / (right + wrong), 12)).statistic
            assert found.sel(a=a, b=b).item() == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("kind", ["spread", "crowded", "lattice"])
def test_rank_probabilities_agree_with_ranks_draw_by_draw(kind):
    cells = random_cells(kind, (40, 6), np.random.default_rng(5))
    array = source(cells)
    found = br.tile.rank_probability(array.assign_coords(entity=list("abcdef")), 5).transpose(
        "b", "a", "entity", "rank"
    )
    tn, fp, fn, tp = np.moveaxis(cells / cells.sum(axis=-1, keepdims=True), -1, 0)
    for (i, b), (j, a) in ((x, y) for x in enumerate(found["b"].values) for y in enumerate(found["a"].values)):
        odds = np.round(((1 - a) * tn + a * tp) / ((1 - b) * fp + b * fn), 10)
        expected = np.zeros((6, 6))
        for row in odds:
            first, last = rankdata(-row, "min").astype(int), rankdata(-row, "max").astype(int)
            for entity in range(6):
                expected[entity, first[entity] - 1 : last[entity]] += 1 / (last[entity] - first[entity] + 1)
        np.testing.assert_allclose(found.values[i, j], expected / len(odds), atol=1e-12)
