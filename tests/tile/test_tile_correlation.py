"""The correlation Tile beside SciPy at each point."""

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr

import bayesrank as br
from tests.strategies import performances

METHODS = {"kendall": kendalltau, "spearman": spearmanr, "pearson": pearsonr}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", ["spread", "crowded", "lattice", "ends", "undefined"])
def test_agrees_with_scipy(kind, method):
    rng = np.random.default_rng(14)
    cells = rng.dirichlet(np.ones(4), 300)
    if kind == "lattice":  # many ties
        cells = rng.integers(1, 4, (300, 4)).astype(float)
    if kind == "crowded":  # all values in few bins
        cells = np.array([8.0, 1, 1, 8]) + 1e-3 * rng.random((300, 4))
    if kind == "ends":  # odds of 0 and of infinity, never both undefined
        cells[:90, 1:3], cells[90:120, [0, 3]] = 0.0, 0.0
    if kind == "undefined":
        cells = rng.integers(0, 3, (60, 4)) + np.array([1.0, 0, 0, 0])
    array = performances(*cells)
    name = "mcc" if kind in ("spread", "lattice") else "accuracy"
    found, value = (
        br.tile.correlation(name, 4, performances=array, method=method),
        br.tile.value(array, 4),
    )
    digits = 15 if method == "pearson" else 12  # ties up to rounding
    score = np.round(br.scores.get(name)(array).values, digits)
    for j, i in np.ndindex(4, 4):
        there = np.round(value.values[:, j, i], digits)
        known = ~np.isnan(there)
        expected = METHODS[method](score[known], there[known]).statistic
        assert found.values[j, i] == pytest.approx(expected, abs=1e-9)


def test_pearson_of_constants():
    same = performances(*np.tile([4.0, 2, 1, 3], (5, 1)))
    assert br.tile.correlation("accuracy", 2, performances=same, method="pearson").isnull().all()
    array = performances(*np.random.default_rng(9).dirichlet(np.ones(4), 60))
    small = br.scores.Score(
        "small", lambda tn, fp, fn, tp: 1e-9 * (tn + tp)
    )  # a small scale is no constant
    found, expected = (
        br.tile.correlation(x, 3, performances=array, method="pearson") for x in (small, "accuracy")
    )
    np.testing.assert_allclose(found, expected, atol=1e-10)


def test_kendall_of_many_performances():
    array = br.tile.sample_performances(65_536, seed=8)  # more than 16 bits can count
    found = br.tile.correlation("informedness", 3, performances=array)
    expected = kendalltau(br.scores.informedness(array), br.scores.accuracy(array)).statistic
    assert found.sel(a=0.5, b=0.5).item() == pytest.approx(expected, abs=1e-9)
