"""Curves at their thresholds, matrices from rates, and thresholds judged by cases that did not choose."""

import numpy as np
import pytest
import xarray as xr
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_curve

import bayesrank as br
from tests.scripts import load_script


def cases(seed=1, size=200, skill=1.0):
    rng = np.random.default_rng(seed)
    truth = rng.random(size) < 0.3
    return truth.astype(int), np.round(rng.normal(size=size) + skill * truth, 1)


def test_curves_are_those_of_scikit_learn_with_both_ends():
    y_true, y_score = cases()
    found = br.ops.threshold_curves(y_true, {"m": y_score}).sel(entity="m")
    fpr, tpr, thresholds = roc_curve(y_true, y_score, drop_intermediate=False)
    np.testing.assert_allclose(found["fpr"], fpr)
    np.testing.assert_allclose(found["recall"], tpr)
    np.testing.assert_array_equal(found["threshold"], thresholds)
    precision, recall, _ = precision_recall_curve(y_true, y_score)
    np.testing.assert_allclose(found["precision"][1:], precision[:-1][::-1])
    np.testing.assert_allclose(found["recall"][1:], recall[:-1][::-1])
    np.testing.assert_allclose(found["lift"][1:] * y_true.mean(), found["precision"][1:])
    steps = np.diff(found["recall"]) * found["precision"][1:]
    assert steps.sum().item() == pytest.approx(average_precision_score(y_true, y_score))
    assert found["precision"][-1].item() == pytest.approx(y_true.mean())


def test_curves_of_several_end_in_nan():
    found = br.ops.threshold_curves([0, 1, 1], {"fine": [1, 2, 3], "coarse": [0, 1, 1]})
    assert found["threshold"].values.tolist()[0] == [np.inf, 3, 2, 1]
    assert np.isnan(found["recall"].sel(entity="coarse").values[3])
    assert found["recall"].sel(entity="coarse").values[:3].tolist() == [0, 1, 1]


def test_rates_and_matrices_are_each_others_inverse():
    """Zhao et al., Section 2.2."""
    tn, fp, fn, tp = np.random.default_rng(0).integers(1, 400, (4, 50))
    counts = br.from_counts(tn=tn, fp=fp, fn=fn, tp=tp)
    rates = {
        name: br.scores.get(name)(counts).values for name in ("tpr", "fpr", "tnr", "prevalence")
    }
    for other in ("fpr", "tnr"):
        again = br.from_rates(
            tpr=rates["tpr"], prevalence=rates["prevalence"], **{other: rates[other]}
        )
        np.testing.assert_allclose(again, br.as_performance(counts))
    one = br.from_rates(fpr=0.1, tpr=[0.8, 0.7], prevalence=0.5, entity=["x", "y"])
    assert br.ops.of_draws(one, "f1")["entity"].values.tolist() == ["x", "y"]
    assert br.from_rates(fpr=0.1, tpr=0.8, prevalence=0.5)["entity"].values.tolist() == ["entity 1"]


def test_draws_of_rates_are_a_posterior():
    rng = np.random.default_rng(1)
    dims, coords = ("chain", "draw", "entity"), {"entity": ["a", "b"]}
    tpr, tnr = (xr.DataArray(rng.beta(8, 2, (2, 50, 2)), coords, dims) for _ in range(2))
    shared = xr.DataArray(rng.beta(3, 7, (2, 50)), dims=dims[:2])
    found = br.from_rates(tpr=tpr, tnr=tnr, prevalence=shared)
    assert found.dims == (*dims, "actual", "predicted")
    for name, values in (
        ("tpr", tpr),
        ("tnr", tnr),
        ("prevalence", shared.expand_dims(entity=2, axis=2)),
    ):
        np.testing.assert_allclose(br.scores.get(name)(found), values)
    np.testing.assert_allclose(
        br.scores.fpr(br.from_rates(tpr=tpr, fpr=0.2, prevalence=[0.3])), 0.2
    )
    lazy = br.from_rates(tpr=tpr.chunk({"draw": 10}), tnr=tnr, prevalence=0.5)
    assert lazy.chunks is not None
    np.testing.assert_allclose(lazy, br.from_rates(tpr=tpr, tnr=tnr, prevalence=0.5))
    assert br.credible_ranking(found, "f1")["probability_best"].shape == (2,)


@pytest.mark.parametrize("name", ["f1", "mcc", "error_rate", "balanced_accuracy"])
def test_the_best_threshold_is_the_best(name):
    """Also of a second classifier, which shares the weights of the first."""
    y_true, y_score = cases(2)
    thresholds = [np.inf, *np.unique(y_score)[::-1]]
    values = br.scores.get(name)(
        br.from_predictions(y_true, {str(t): (y_score >= t).astype(int) for t in thresholds})
    )
    best = np.nanargmax(values if br.scores.get(name).higher_is_better else -values)
    both = br.ops.best_threshold(y_true, {"x": y_score, "y": y_score}, name, draws=3, seed=1)
    found = both["threshold"][0].item(), both["apparent"][0].item()
    assert found == pytest.approx((thresholds[best], values[best].item()))
    alone = br.ops.best_threshold(y_true, y_score, name, draws=3, seed=1)
    for one in ("honest_draws", "apparent_draws", "threshold_draws"):
        np.testing.assert_array_equal(both[one].sel(entity="x"), both[one].sel(entity="y"))
        np.testing.assert_array_equal(both[one].sel(entity="x"), alone[one].isel(entity=0))


def test_optimism_is_shown_and_removed():
    """Scores that know nothing: informedness is 0 on new cases, whatever the threshold."""
    rng = np.random.default_rng(4)
    y_true = np.repeat([0, 1], [40, 40])
    honest, apparent = [], []
    for k in range(30):
        found = br.ops.best_threshold(
            y_true, rng.random(80), "informedness", draws=10, seed=k
        ).isel(entity=0)
        honest.append(found["honest"].item())
        apparent.append(found["apparent"].item())
        assert found["optimism"] > 0
    # Within four standard errors of the mean over test sets.
    assert abs(np.mean(honest)) < 4 * np.std(honest) / np.sqrt(30)
    assert np.mean(apparent) > 0.1


def test_optimism_vanishes_with_skill_and_is_signed_by_the_direction():
    y_true = np.repeat([0, 1], [100, 100])
    found = br.ops.best_threshold(y_true, y_true + 0.0, "f1", draws=5, seed=1)
    assert (found["honest"].item(), found["optimism"].item(), found["threshold"].item()) == (
        1,
        0,
        1,
    )
    labels, score = cases(3, 80)
    lower = br.ops.best_threshold(labels, score, "error_rate", draws=40, seed=1)
    assert lower["optimism"].item() > 0
    np.testing.assert_allclose(
        lower["optimism"],
        (lower["honest_draws"] - lower["apparent_draws"]).mean("draw"),
        atol=1e-12,
    )
    assert (lower["apparent_draws"] <= lower["honest_draws"] + 1e-12).all()


def test_honest_intervals_hold_the_truth_with_ten_positive_cases():
    """30 boards, Monte-Carlo error 0.04; with the spread at the chosen threshold alone they held it in 0.80."""
    measure = load_script("scripts/measure_thresholds.py")
    honest, apparent, *_ = measure.coverage(
        np.random.default_rng(4), 30, 100, 0.1, 0.95, "informedness"
    )
    assert honest >= 0.87
    assert apparent < 0.7


def test_rates_over_another_dim_name_their_entities():
    draws = xr.DataArray([[0.8, 0.7], [0.9, 0.6]], {"model": ["x", "y"]}, ("draw", "model"))
    for given in (
        {"tpr": draws, "fpr": 0.1},
        {"tpr": 0.1, "fpr": draws},
        {"tpr": draws, "tnr": draws},
    ):
        name = "fpr" if given["tpr"] is not draws else "tpr"
        with pytest.raises(
            ValueError, match=rf"^{name} must have the dim entity.*{name}\.rename\(model='entity'\)"
        ):
            br.from_rates(**given, prevalence=0.5)
    found = br.from_rates(tpr=draws.rename(model="entity"), fpr=0.1, prevalence=0.5)
    assert br.credible_ranking(found, "tpr")["entity"].values.tolist() == ["x", "y"]
    kept = br.from_rates(tpr=draws, fpr=0.1, prevalence=0.5, entity="both")
    assert kept.sizes["model"] == 2
    assert kept["entity"].values.tolist() == ["both"]
