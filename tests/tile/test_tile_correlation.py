"""Fast paths of the Tile beside slow and simple ones: Kendall's correlation by counting, ranks by crossings."""

import numpy as np
import pytest
import xarray as xr
from scipy.stats import kendalltau, pearsonr, rankdata, spearmanr

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


@pytest.mark.parametrize("kind", ["spread", "crowded", "lattice", "ends"])
def test_spearman_agrees_with_scipy(kind):
    rng = np.random.default_rng(14)
    cells = random_cells(kind, (700,), rng)
    if kind == "ends":  # odds of 0 and of infinity, never both undefined
        cells[:200, 1:3], cells[200:300, [0, 3]] = 0.0, 0.0
    found = br.tile.correlation("accuracy", 5, performances=source(cells), method="spearman")
    tn, fp, fn, tp = (cells / cells.sum(-1, keepdims=True)).T
    for a in found["a"].values:
        for b in found["b"].values:
            right, wrong = (1 - a) * tn + a * tp, (1 - b) * fp + b * fn
            expected = spearmanr(np.round(tn + tp, 12), np.round(right / (right + wrong), 12)).statistic
            assert found.sel(a=a, b=b).item() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("kind", ["spread", "equal", "ends", "one far away"])
def test_buckets_sort(kind):
    from bayesrank.tile.kernels._correlations import ENOUGH, sort_in_buckets

    rng, n = np.random.default_rng(15), 3000
    odds = rng.exponential(size=n)
    if kind == "equal":
        odds[:] = 2.0
    if kind == "ends":
        odds[:50], odds[50:90] = 0.0, np.inf
    if kind == "one far away":  # all others fall into one bucket
        odds, odds[7] = 1 + 1e-9 * odds, 1e9
    x = rng.integers(0, 9, n)
    room = np.empty(n), np.empty(n, np.int32), np.empty(n, np.int32)
    keys, along = np.empty(n), np.empty(n, np.int64)
    assert sort_in_buckets(odds, x, *room, keys, along) == (kind != "one far away")
    assert n > 4 * ENOUGH  # or a crowd would not be too many
    if kind != "one far away":
        np.testing.assert_array_equal(keys, np.sort(odds))
        assert sorted(zip(keys, along, strict=True)) == sorted(zip(odds, x, strict=True))


@pytest.mark.parametrize("spread", [0.04, 0.1, 1.0])  # below 0.05 the bins are too few, below 0.2 they are not all used
def test_kendall_of_scores_near_each_other(spread):
    accuracy = 0.5 + spread * (np.random.default_rng(6).random((2000, 1)) - 0.5)
    split = np.random.default_rng(7).random((2000, 2))
    cells = np.column_stack([accuracy * split[:, :1], np.zeros((2000, 2)), accuracy * (1 - split[:, :1])])
    cells[:, 1:3] = (1 - accuracy) * np.column_stack([split[:, 1], 1 - split[:, 1]])
    found = br.tile.correlation("mcc", 5, performances=source(cells))
    tn, fp, fn, tp = cells.T
    for a, b in [(0.5, 0.5), (0.25, 0.5), (0.5, 0.75)]:
        right, wrong = (1 - a) * tn + a * tp, (1 - b) * fp + b * fn
        expected = kendalltau(br.scores.mcc.of_cells(tn, fp, fn, tp), right / (right + wrong)).statistic
        assert found.sel(a=a, b=b).item() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("size", [65_535, 65_536])  # as many as counts of 16 bits can hold, and more
def test_kendall_of_many_performances(size):
    array = br.tile.sample_performances(size, seed=8)
    found = br.tile.correlation("informedness", 3, performances=array)
    expected = kendalltau(br.scores.informedness(array), br.scores.accuracy(array)).statistic
    assert found.sel(a=0.5, b=0.5).item() == pytest.approx(expected, abs=1e-9)


def test_pearson_leaves_out_what_is_undefined_and_knows_no_constant():
    cells = np.random.default_rng(9).integers(0, 3, (60, 4)) + np.array([1, 0, 0, 0])
    array = source(cells.astype(float))
    found, value = br.tile.correlation("accuracy", 5, performances=array, method="pearson"), br.tile.value(array, 5)
    score = 1e-9 * br.scores.accuracy(array)  # a small scale is no constant
    for a in value["a"].values:
        for b in value["b"].values:
            at = value.sel(a=a, b=b)
            known = at.notnull()
            expected = pearsonr(score[known], at[known]).statistic
            assert found.sel(a=a, b=b).item() == pytest.approx(expected, abs=1e-10)
    same = source(np.tile([4.0, 2, 1, 3], (5, 1)))
    assert br.tile.correlation("accuracy", 2, performances=same, method="pearson").isnull().all()


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
