"""Scores that order alike: The Tile, Lemma 10 and Section 4.2, and pairs that do not."""

import numpy as np
import pytest

import bayesrank as br


@pytest.mark.parametrize(
    ("one", "two", "fixed", "same_domain"),
    [
        ("informedness", "balanced_accuracy", {}, True),
        ("jaccard", "f1", {}, True),
        ("standardized_npv", "npv", {"prevalence": 0.2}, True),
        ("negative_likelihood_ratio", "npv", {"prevalence": 0.2}, False),
        ("standardized_ppv", "ppv", {"prevalence": 0.7}, True),
        ("positive_likelihood_ratio", "ppv", {"prevalence": 0.7}, False),
        ("error_rate", "bennett_s", {}, True),
        ("cohen_kappa", (0.8**2 / (0.8**2 + 0.2**2), 0.5), {"prevalence": 0.2}, True),
        ("markedness", (0.7, 0.3), {"prediction_rate": 0.3}, True),
    ],
)
def test_scores_that_order_alike(one, two, fixed, same_domain):
    found = br.theory.compare_orders(one, two, **fixed)
    assert found["alike"]
    assert not found["opposite"]
    assert "alike" in found["verdict"].item()
    assert bool(found["same_domain"]) == same_domain
    assert np.isnan(found["counterexample"]).all()


@pytest.mark.parametrize(
    ("one", "two", "fixed"),
    [
        ("standardized_npv", "npv", {}),
        ("balanced_accuracy", "accuracy", {"prevalence": 0.4}),
        ("markedness", "informedness", {"prediction_rate": 0.4}),
        ("f1", br.scores.f_beta(1.001), {}),
        ("mcc", "cohen_kappa", {"prevalence": 0.5}),
        (lambda tn, fp, fn, tp: np.round(tp, 3), lambda tn, fp, fn, tp: tp, {}),
        (lambda tn, fp, fn, tp: 0 * tp, "accuracy", {}),
    ],
)
def test_scores_that_do_not(one, two, fixed):
    found = br.theory.compare_orders(one, two, **fixed)
    assert not found["alike"]
    assert "differently" in found["verdict"].item()
    pair = found["counterexample"]
    assert pair.sum(["actual", "predicted"]).values == pytest.approx(1)
    if "prevalence" in fixed:
        assert pair.sel(actual="positive").sum("predicted").values == pytest.approx(
            fixed["prevalence"]
        )
    if "prediction_rate" in fixed:
        assert pair.sel(predicted="positive").sum("actual").values == pytest.approx(
            fixed["prediction_rate"]
        )
    signs = []
    for score, kept in ((one, "score_value"), (two, "other_value")):
        values = br.scores.as_score(score).of_tables(pair.values)
        assert values == pytest.approx(found[kept].values)
        signs.append(np.sign(np.round(np.diff(values), 13)).item())
    assert signs[0] != signs[1]


def test_the_reverse_of_a_score():
    found = br.theory.compare_orders("accuracy", lambda tn, fp, fn, tp: fp + fn)
    assert found["opposite"]
    assert not found["alike"]
    assert "opposite" in found["verdict"].item()
