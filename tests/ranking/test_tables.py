"""Several scores side by side: the numbers of a ranking by each, and transport."""

import warnings

import numpy as np
import pytest
import xarray as xr

import bayesrank as br
from bayesrank.claims.ends import CLOSED
from bayesrank.ranking.intervals import quantiles_of

DIAGNOSTIC = ["tpr", "tnr", "ppv", "npv", "positive_likelihood_ratio", "negative_likelihood_ratio"]
DIAGNOSTIC += ["diagnostic_odds_ratio"]
COUNTS = br.from_counts(
    tn=[90, 70, 97], fp=[10, 30, 3], fn=[5, 2, 20], tp=[45, 48, 30], entity=["a", "b", "c"]
)


@pytest.fixture(scope="module")
def posterior():
    return br.fit(COUNTS, draws=2000, seed=1)


@pytest.mark.parametrize("score", DIAGNOSTIC)
def test_numbers_are_those_of_a_ranking(posterior, score):
    table = br.score_table(posterior, DIAGNOSTIC)
    ranking = br.credible_ranking(posterior, score)
    for name in ("median", "lower", "upper", "observed", "undefined"):
        np.testing.assert_allclose(
            table[name].sel(score=score), ranking[name], rtol=1e-12, err_msg=name
        )
    assert table["median"].dims == ("entity", "score")
    assert (table["lower"] < table["observed"]).all()
    assert (table["observed"] < table["upper"]).all()


def test_transport_moves_what_depends_on_the_prevalence_and_nothing_else(posterior):
    here, there = (
        br.score_table(posterior, DIAGNOSTIC, prevalence=share) for share in (None, 0.02)
    )
    same = [
        "tpr",
        "tnr",
        "positive_likelihood_ratio",
        "negative_likelihood_ratio",
        "diagnostic_odds_ratio",
    ]
    xr.testing.assert_allclose(here.sel(score=same), there.sel(score=same), rtol=1e-12)
    assert (there["upper"].sel(score="ppv") < here["lower"].sel(score="ppv")).all()
    # Bayes' theorem, of what was observed: 0.02 * 0.9 / (0.02 * 0.9 + 0.98 * 0.1).
    assert there["observed"].sel(entity="a", score="ppv").item() == pytest.approx(
        0.018 / 0.116, rel=1e-12
    )
    assert there.attrs == here.attrs | {"prevalence": 0.02}
    assert here.attrs == {"prob": 0.95, "method": "draws", "interval": CLOSED}
    assert "prevalence" not in here.attrs
    # A model that was told the prevalence says the same.
    told = br.score_table(br.fit(COUNTS, prevalence=0.02, draws=2000, seed=1), ["ppv"])
    np.testing.assert_allclose(
        told["observed"].sel(score="ppv"), there["observed"].sel(score="ppv"), rtol=1e-6
    )


def test_draws_of_a_prevalence_carry_its_uncertainty(posterior):
    draws = xr.DataArray(np.random.default_rng(1).beta(2, 98, (4, 2000)), dims=("chain", "draw"))
    draws = draws.assign_coords(chain=range(4), draw=range(2000))
    table = br.score_table(posterior, ["ppv", "tpr"], prevalence=draws)
    fixed = br.score_table(posterior, ["ppv", "tpr"], prevalence=float(draws.mean()))
    width, narrow = (t["upper"] - t["lower"] for t in (table, fixed))
    assert (width.sel(score="ppv") > 1.2 * narrow.sel(score="ppv")).all()
    assert table.attrs["prevalence"] == "given as an array"
    assert table["observed"].sel(score="ppv").isnull().all()
    assert table["observed"].sel(score="tpr").notnull().all()


def test_a_zero_in_a_denominator_is_undefined_and_no_infinity():
    counts = br.from_counts(
        tn=[50, 50], fp=[0, 10], fn=[5, 5], tp=[45, 45], entity=["none", "some"]
    )
    table = br.score_table(
        br.fit(counts, prior="haldane", draws=200, seed=1, force=True), ["LR+", "dor", "tnr"]
    )
    for name in ("median", "lower", "upper", "observed"):
        here = table[name].sel(score=["positive_likelihood_ratio", "diagnostic_odds_ratio"])
        assert here.sel(entity="none").isnull().all(), name
        assert np.isfinite(here.sel(entity="some")).all(), name
    assert table["undefined"].sel(entity="none").values.tolist() == [1, 1, 0]
    # With a prior what was observed is undefined still, and the rest is not.
    table = br.score_table(br.fit(counts, draws=200, seed=1), ["LR+"]).sel(entity="none")
    assert table["observed"].isnull().all()
    assert np.isfinite(table["upper"]).all()


def test_other_dims_stay_between():
    cells = {"tn": [9, 8, 7, 6], "fp": [1, 2, 3, 4], "fn": [2] * 4, "tp": [8] * 4}
    counts = br.from_counts(**cells, entity=list("aabb"), dataset=list("xyxy"))
    table = br.score_table(br.fit(counts, draws=100, seed=1), ["tnr", "tpr"]).sel(score="tnr")
    assert table["median"].dims == ("entity", "dataset")
    assert table["observed"].values.tolist() == [[0.9, 0.8], [0.7, 0.6]]
    assert table["median"].sel(entity="a", dataset="x") > table["median"].sel(
        entity="b", dataset="y"
    )


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("draws", [1, 2, 7, 101])
@pytest.mark.parametrize("tail", [0.0, 0.025, 0.25])
def test_quantiles_are_those_of_the_defined_draws_and_leave_the_values_alone(draws, tail, order):
    rng = np.random.default_rng(draws)
    x = np.round(rng.normal(size=(draws, 70)), 1)
    x[rng.random(x.shape) < 0.2] = np.nan
    x[:, 3] = np.nan
    x = np.array(x, order=order)
    before = x.copy()
    middle, low, high, mean, number = quantiles_of(x, tail)
    np.testing.assert_array_equal(x, before)
    np.testing.assert_array_equal(number, (~np.isnan(x)).sum(axis=0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        wanted = np.nanquantile(x, [0.5, tail, 1 - tail], axis=0)
        np.testing.assert_allclose(mean, np.nanmean(x, axis=0), atol=1e-12)
    np.testing.assert_allclose([middle, low, high], wanted, rtol=1e-12, atol=1e-12)


def test_scores_together_are_each_alone():
    counts = br.from_matrix(
        [[[8, 2, 1], [0, 0, 0], [1, 0, 9]], [[7, 1, 1], [2, 8, 3], [0, 1, 5]]], "actual_rows"
    )
    posterior = br.fit(counts, draws=50, seed=1, force=True)
    backwards = br.scores.Score(
        "of_the_last",
        None,
        matrix_function=lambda m, present: m[..., 0, 0] / m[..., 0, :].sum(-1),
        labels=(2, 1, 0),
    )
    scores = [
        "macro_f1",
        "mcc",
        "macro_tpr",
        "micro_f1",
        backwards,
        "accuracy",
        "weighted_f1",
        "macro_informedness",
    ]
    table = br.score_table(posterior, scores)
    for score in scores:
        name = getattr(score, "name", score)
        alone = br.score_table(posterior, [score]).isel(score=0, drop=True)
        xr.testing.assert_identical(table.sel(score=name, drop=True), alone)
        values = br.scores.as_score(score)(posterior)
        np.testing.assert_allclose(alone["median"], values.median(("chain", "draw")), atol=1e-12)
    rate = br.as_performance(posterior).isel(actual=2)
    rate = (rate.isel(predicted=2) / rate.sum("predicted")).median(("chain", "draw"))
    np.testing.assert_allclose(table["median"].sel(score="of_the_last"), rate, atol=1e-12)
