"""Scores of more than two classes, against scikit-learn and against themselves at two classes."""

import numpy as np
import pytest
import xarray as xr
from sklearn import metrics

import bayesrank as br

RNG = np.random.default_rng(3)
TRUTH = RNG.integers(0, 4, 300)
GUESS = np.where(RNG.random(300) < 0.6, TRUTH, RNG.integers(0, 4, 300))
COUNTS = br.from_predictions(TRUTH, {"it": GUESS})
KAPPAS = {None: "cohen_kappa", "linear": "cohen_kappa_linear", "quadratic": "cohen_kappa_quadratic"}


@pytest.mark.parametrize("weights", KAPPAS)
def test_kappa(weights):
    theirs = metrics.cohen_kappa_score(TRUTH, GUESS, weights=weights)
    assert br.scores.get(KAPPAS[weights])(COUNTS).item() == pytest.approx(theirs)


def test_accuracy_and_mcc():
    assert br.scores.accuracy(COUNTS).item() == pytest.approx(metrics.accuracy_score(TRUTH, GUESS))
    assert br.scores.error_rate(COUNTS).item() == pytest.approx(metrics.zero_one_loss(TRUTH, GUESS))
    assert br.scores.mcc(COUNTS).item() == pytest.approx(metrics.matthews_corrcoef(TRUTH, GUESS))


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("ppv", metrics.precision_score),
        ("tpr", metrics.recall_score),
        ("f1", metrics.f1_score),
        ("jaccard", metrics.jaccard_score),
    ],
)
def test_averages(average, name, theirs):
    ours = getattr(br.scores, f"{average}_average")
    assert ours(COUNTS, name).item() == pytest.approx(theirs(TRUTH, GUESS, average=average))
    performance = br.as_performance(COUNTS)
    assert ours(performance, name).item() == pytest.approx(theirs(TRUTH, GUESS, average=average))


@pytest.mark.parametrize("name", ["accuracy", "error_rate", "mcc", *KAPPAS.values()])
def test_two_classes_are_the_special_case(name):
    score = br.scores.get(name)
    tables = np.random.default_rng(1).integers(0, 5, (200, 2, 2))
    matrices = score.matrix_function(tables)
    cells = score.of_cells(*(tables[:, i, j] for i in (0, 1) for j in (0, 1)))
    np.testing.assert_allclose(matrices, cells, rtol=1e-9, atol=1e-12)


def test_draws_and_dask():
    pytest.importorskip("dask")
    performance = br.as_performance(br.fit(COUNTS, draws=10, seed=1))
    for name in ("accuracy", "mcc", "cohen_kappa_quadratic"):
        values = br.scores.get(name)(performance)
        assert values.dims == ("chain", "draw", "entity")
        xr.testing.assert_allclose(br.scores.get(name)(performance.chunk(draw=5)).compute(), values)


def test_averages_are_over_the_classes_with_cases():
    """Of the counts, and of a posterior that keeps them: of the other classes only the prior speaks."""
    counts = br.from_matrix([[5, 1, 0], [2, 7, 0], [0, 0, 0]], "actual_rows")
    assert br.scores.macro_average(counts, "tpr").item() == pytest.approx((5 / 6 + 7 / 9) / 2)
    assert br.scores.weighted_average(counts, "tpr").item() == pytest.approx(12 / 15)
    assert br.scores.micro_average(counts, "tpr").item() == pytest.approx(12 / 15)
    posterior = br.fit(counts, seed=1)
    two = br.scores.tpr(br.one_vs_rest(br.as_performance(posterior))).isel(label=[0, 1]).mean("label")
    xr.testing.assert_allclose(br.scores.macro_average(posterior, "tpr").drop_attrs(), two.drop_attrs())
    each = br.scores.macro_average(br.as_performance(posterior), "tpr")
    assert not np.allclose(each, two)


def test_an_average_is_undefined_where_a_class_with_cases_is():
    counts = br.from_matrix([[5, 1, 0], [2, 7, 0], [1, 0, 0]], "actual_rows")
    assert np.isnan(br.scores.macro_average(counts, "ppv")).all()


def test_a_two_class_score_of_more_classes_is_refused():
    with pytest.raises(ValueError, match=r"two classes.*one_vs_rest"):
        br.scores.f1(COUNTS)


def test_direction_goes_with_the_average():
    assert br.scores.macro_average(COUNTS, "fnr").attrs["direction"] == "lower is better"


def test_one_vs_rest_is_exact_where_cells_are_nearly_empty():
    draws = np.random.default_rng(0).dirichlet([0.02] * 9, 20_000).reshape(-1, 3, 3)
    performance = xr.DataArray(
        draws, {"actual": list("abc"), "predicted": list("abc")}, ("draw", "actual", "predicted")
    )
    tables = br.one_vs_rest(performance).sel(label="b")
    keep = np.array([0, 2])
    tn, fn = draws[:, keep[:, None], keep].sum((1, 2)), draws[:, 1, keep].sum(1)
    np.testing.assert_allclose(tables[:, 0, 0], tn, rtol=1e-12)
    np.testing.assert_allclose(tables[:, 1, 0], fn, rtol=1e-12)
    np.testing.assert_allclose(br.scores.npv(tables), tn / (tn + fn), rtol=1e-12)
