"""The papers' own objects: performances as four probabilities, satisfactions of outcomes, and names as printed."""

import numpy as np
import pytest
import xarray as xr

import bayesrank as br

CELLS = {"tn": 0.4, "fp": 0.1, "fn": 0.2, "tp": 0.3}
OUTCOMES = xr.DataArray([0.3, 0.4, 0.2, 0.1], {"outcome": ["tp", "tn", "fn", "fp"]}, ("outcome",))
THREE = xr.DataArray(
    [[40, 30, 30], [55, 25, 20]],
    {"entity": ["a", "b"], "outcome": ["found", "late", "missed"]},
    ("entity", "outcome"),
)
GOOD = xr.DataArray([0.0, 1.0, 0.4], {"outcome": ["missed", "found", "late"]}, ("outcome",))


def test_four_probabilities_are_a_performance():
    one = br.performance.from_cells(**CELLS)
    assert one.sel(actual="positive", predicted="negative").item() == 0.2
    assert br.scores.f1(one).item() == pytest.approx(0.6 / 0.9)
    two = br.performance.from_cells(
        tn=[0.4, 0.7], fp=[0.1, 0.1], fn=[0.2, 0.1], tp=[0.3, 0.1], entity=["a", "b"]
    )
    assert br.rank(two, "accuracy").values.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ({**CELLS, "tp": 0.4}, "must be probabilities that sum to 1; got 1.1"),
        ({**CELLS, "tp": [0.3, 0.3]}, "sequences of the same length"),
        (
            {"tn": 40, "fp": 10, "fn": 10, "tp": 40},
            "tn must lie between 0 and 1; got 40 .br.from_counts takes",
        ),
        ({**CELLS, "tp": float("nan")}, "tp must"),
        ({**CELLS, "tp": []}, "sequences of the same length"),
    ],
)
def test_other_numbers_are_refused(cells, words):
    with pytest.raises(ValueError, match=words):
        br.performance.from_cells(**cells)


@pytest.mark.parametrize(
    "source", [CELLS, OUTCOMES, dict(reversed(CELLS.items()))], ids=["dict", "outcome", "reversed"]
)
def test_a_dict_and_an_outcome_dim_of_the_four_cells_have_two_classes(source):
    assert br.scores.f1(source).item() == pytest.approx(0.6 / 0.9)
    assert br.canonical_score(source, 0.5, 0.5).item() == pytest.approx(0.7)
    assert br.performance.shift_prior(source, 0.1).sel(
        actual="positive"
    ).sum().item() == pytest.approx(0.1)
    weights = xr.DataArray([1.0, 0.0, 1.0, 1.0], OUTCOMES.coords, ("outcome",))
    assert br.ranking_score(source, weights).item() == pytest.approx(
        br.scores.jaccard(source).item()
    )


def test_counts_over_the_four_cells_can_be_fitted():
    counts = xr.DataArray(
        [[70, 10, 9, 21]],
        {"entity": ["a"], "outcome": ["TN", "FP", "FN", "TP"]},
        ("entity", "outcome"),
    )
    known = br.fit(br.from_counts(tn=70, fp=10, fn=9, tp=21, entity="a"), seed=1, draws=50)
    found = br.fit(counts, seed=1, draws=50)
    np.testing.assert_array_equal(
        found["posterior"]["performance"], known["posterior"]["performance"]
    )


@pytest.mark.parametrize("new", [0.05, 0.5, 0.9])
def test_property_1_a_shift_of_the_prior_changes_the_importance(new):
    performance = br.performance.from_cells(**CELLS)
    weights = br.importance(tn=1, fp=2, fn=5, tp=3)
    shifted = br.performance.shift_importance(weights, 0.5, new)
    moved = br.ranking_score(br.performance.shift_prior(performance, new), weights)
    xr.testing.assert_allclose(br.ranking_score(performance, shifted), moved)
    with pytest.raises(ValueError, match="prevalence"):
        br.performance.shift_importance(weights, 0.0, new)


def test_a_satisfaction_of_any_outcomes_ranks():
    posterior = br.fit(THREE, seed=1, draws=400)
    ranking = br.credible_ranking(posterior, GOOD)
    draws = posterior["posterior"]["performance"]
    by_hand = draws.sel(outcome="found") + 0.4 * draws.sel(outcome="late")
    np.testing.assert_allclose(ranking["median"], by_hand.median(("chain", "draw")), atol=1e-12)
    np.testing.assert_allclose(ranking["observed"], [0.52, 0.65])
    assert ranking.attrs["headline"] in ("best", "leads", "shared")
    assert br.verdict(ranking)
    assert (ranking["range"] if "range" in ranking else ranking.attrs["range"]) == [0.0, 1.0]


def test_a_satisfaction_with_an_importance_is_the_ranking_score():
    weights = xr.DataArray([1.0, 2.0, 3.0], {"outcome": ["found", "late", "missed"]}, ("outcome",))
    score = br.scores.of_satisfaction(GOOD, weights)
    shares = THREE / THREE.sum("outcome")
    xr.testing.assert_allclose(
        score(shares), br.ranking_score(shares, weights, GOOD), check_dim_order=False
    )
    assert score.higher_is_better
    assert score.range == (0.0, 1.0)


@pytest.mark.parametrize(
    ("satisfaction", "words"),
    [
        (GOOD.isel(outcome=[0, 1]), "must have the outcomes"),
        (GOOD * 0, "must differ"),
        (GOOD.drop_vars("outcome"), "with labels"),
        (GOOD.where(GOOD > 0), "must be finite"),
    ],
)
def test_unfit_satisfactions_are_refused(satisfaction, words):
    with pytest.raises((ValueError, TypeError), match=words):
        br.credible_ranking(THREE / THREE.sum("outcome"), satisfaction)


#: Names as the papers print them, and the score.
PRINTED = {
    "TS": "jaccard", "Threat Score (TS)": "jaccard", "TS_bal": "balanced_threat_score", "PPV_bal": "standardized_ppv",
    "NPV_bal": "standardized_npv", "Balanced FM": "balanced_fowlkes_mallows", "FM_bal": "balanced_fowlkes_mallows",
    "Balanced kappa": "informedness", "Prev": "prevalence", "Odds Ratio (OR)": "diagnostic_odds_ratio",
    "Matthews Correlation Coefficient (MCC)": "mcc", "Type-I error": "fpr", "Type-II error": "fnr",
    "True Positive Rate (TPR)": "tpr", "AUC(PRC)": "auc_pr", "AUC(ROC)": "auc_roc",
}  # fmt: skip


@pytest.mark.parametrize("name", PRINTED)
def test_names_as_the_papers_print_them(name):
    assert br.scores.get(name).name == br.scores.get(PRINTED[name]).name


@pytest.mark.parametrize(
    ("name", "words"), [("DB", "decision_benefit"), ("NAUC", "br.ops"), ("AUC(lift)", "br.ops")]
)
def test_names_of_families_and_curves_say_what_to_write(name, words):
    with pytest.raises(KeyError, match=words):
        br.scores.get(name)


def test_the_mode_of_a_predicted_mcc_is_where_its_probability_is():
    pmf = br.predictive.score_pmf(
        br.predictive.confusion_pmf(br.from_counts(tn=32, fp=8, fn=4, tp=16)), "mcc"
    )
    found = br.predictive.summary(pmf)
    assert found["hdi_lower"] < found["mode"] < found["hdi_upper"]
    assert found["mode"].item() == pytest.approx(found["median"].item(), abs=found["sd"].item() / 2)


def test_table_1_as_a_frame():
    frame = br.theory.audit_frame(br.theory.audit_table(["ppv", "balanced_accuracy"], [None, 0.2]))
    assert frame.index.tolist() == ["ppv", "balanced_accuracy"]
    free, fixed = (
        frame.iloc[:, part].droplevel("prevalence", axis=1) for part in (slice(3), slice(3, 6))
    )
    assert free["tests"].tolist() == ["✓✓✓", "✓✗✗"]
    assert fixed["tests"].tolist() == ["✓✓✓", "✓✓✓"]
    np.testing.assert_allclose(
        free[["tau_min", "tau_max"]].astype(float), [[0, 1], [0.486, 0.713]], atol=0.0025
    )
