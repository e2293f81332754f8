"""Comparisons and displays for users of scikit-learn, checked against its own numbers."""

import subprocess
import sys
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import calibration_curve
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, fbeta_score, make_scorer, roc_auc_score
from sklearn.tree import DecisionTreeClassifier

import bayesrank as br
from bayesrank.evidence.columns import name_columns, name_estimators
from bayesrank.integrations.sklearn import (
    CredibleCalibrationDisplay,
    CredibleRocDisplay,
    RankingDisplay,
    compare_estimators,
)
from bayesrank.scores.metrics import is_metric, metric_name, split_metric

X, Y = make_classification(600, 8, n_informative=4, weights=[0.6], random_state=1)
TRAIN, TEST = slice(0, 300), slice(300, None)
OLD = LogisticRegression().fit(X[TRAIN], Y[TRAIN])
NEW = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X[TRAIN], Y[TRAIN])
MODELS = {"old": OLD, "new": NEW}
WORDS = np.array(["ok", "fraud"])
WORDED = {
    "old": LogisticRegression().fit(X[TRAIN], WORDS[Y[TRAIN]]),
    "new": NEW.__class__(max_depth=3, random_state=0),
}
WORDED["new"].fit(X[TRAIN], WORDS[Y[TRAIN]])


def test_the_observed_values_are_those_of_scikit_learn():
    found = compare_estimators(MODELS, X[TEST], Y[TEST], f1_score)
    for name, model in MODELS.items():
        assert found.table.loc[name, "observed"] == pytest.approx(
            f1_score(Y[TEST], model.predict(X[TEST]))
        )
    areas = compare_estimators(MODELS, X[TEST], Y[TEST], "roc_auc")
    for name, model in MODELS.items():
        expected = roc_auc_score(Y[TEST], model.predict_proba(X[TEST])[:, 1])
        assert areas.table.loc[name, "observed"] == pytest.approx(expected)
    assert "2 models" in repr(found)


def test_weights_are_those_of_scikit_learn():
    weight = np.random.default_rng(0).uniform(0.5, 2, 300)
    found = compare_estimators(MODELS, X[TEST], Y[TEST], "f1", sample_weight=weight)
    for name, model in MODELS.items():
        expected = f1_score(Y[TEST], model.predict(X[TEST]), sample_weight=weight)
        assert found.table.loc[name, "observed"] == pytest.approx(expected)


def test_labelled_weights_are_joined_to_the_cases_for_labels_and_probabilities():
    index = pd.Index([f"c{i}" for i in range(300)])
    weight = pd.Series(np.random.default_rng(0).uniform(0.5, 2, 300), index)
    y = pd.Series(Y[TEST], index)
    straight = br.from_estimators(MODELS, X[TEST], y, weight=weight)
    mixed = br.from_estimators(MODELS, X[TEST], y, weight=weight.sample(frac=1, random_state=2))
    np.testing.assert_array_equal(straight["case_weight"], mixed["case_weight"])
    np.testing.assert_array_equal(straight["count"], mixed["count"])


def test_a_scorer_names_the_positive_class():
    scorer = make_scorer(f1_score, pos_label="fraud")
    found = compare_estimators(WORDED, X[TEST], WORDS[Y[TEST]], scorer)
    expected = f1_score(WORDS[Y[TEST]], WORDED["old"].predict(X[TEST]), pos_label="fraud")
    assert found.table.loc["old", "observed"] == pytest.approx(expected)
    with pytest.raises(
        br.ArgumentError, match="positive must be the pos_label of the scorer, 'fraud'"
    ):
        compare_estimators(WORDED, X[TEST], WORDS[Y[TEST]], scorer, positive="ok")
    with pytest.raises(br.ArgumentError, match="positive='ok' or positive='fraud'"):
        compare_estimators(WORDED, X[TEST], WORDS[Y[TEST]], "f1")


@pytest.mark.parametrize(
    ("metric", "name"),
    [
        (f1_score, "f1"),
        (make_scorer(f1_score, average="macro"), "macro_f1"),
        (make_scorer(fbeta_score, beta=2), "f_beta_2"),
        (partial(fbeta_score, beta=0.5, zero_division=0), "f_beta_0.5"),
        (roc_auc_score, "auc_roc"),
    ],
)
def test_a_metric_is_the_score_of_its_name(metric, name):
    assert is_metric(metric)
    if "beta" not in name:
        assert br.scores.get(metric_name(metric)) == br.scores.get(name)
    counts = br.from_counts(tn=[50], fp=[4], fn=[3], tp=[20])
    if "auc" not in name and "macro" not in name:
        beta = 1.0 if name == "f1" else float(name.removeprefix("f_beta_"))
        value = br.scores.get(metric_name(metric))(counts).item()
        assert value == pytest.approx((1 + beta**2) * 20 / ((1 + beta**2) * 20 + beta**2 * 3 + 4))


def test_metrics_with_other_arguments_are_refused():
    with pytest.raises(br.ArgumentError, match="labels"):
        metric_name(make_scorer(f1_score, labels=[1]))
    with pytest.raises(br.ArgumentError, match=r"must not set pos_label, .*pass positive="):
        metric_name(make_scorer(f1_score, pos_label=1))
    assert split_metric("f1", 1) == ("f1", 1)
    assert not is_metric(lambda tn, fp, fn, tp: tp)


def test_displays_draw_what_their_results_hold():
    ranked = RankingDisplay.from_estimators(MODELS, X[TEST], Y[TEST], score="f1")
    assert ranked.ax_.figure is ranked.figure_
    assert [
        text.get_text() for text in ranked.ax_.get_yticklabels()
    ] == ranked.analysis.table.index.tolist()
    assert ranked.plot().ax_ is not None
    predicted = {name: model.predict(X[TEST]) for name, model in MODELS.items()}
    again = RankingDisplay.from_predictions(Y[TEST], predicted, score="f1")
    assert again.analysis.table["median"].to_dict() == ranked.analysis.table["median"].to_dict()
    curves = CredibleRocDisplay.from_estimators(MODELS, X[TEST], Y[TEST])
    assert curves.curves["entity"].values.tolist() == ["old", "new"]
    drawn = CredibleRocDisplay.from_predictions(Y[TEST], OLD.predict_proba(X[TEST]), ax=curves.ax_)
    assert drawn.ax_ is curves.ax_


@pytest.mark.parametrize("strategy", ["quantile", "uniform"])
def test_calibration_has_the_bins_of_scikit_learn(strategy):
    p = OLD.predict_proba(X[TEST])[:, 1]
    display = CredibleCalibrationDisplay.from_predictions(Y[TEST], {"old": p}, strategy=strategy)
    one = display.curves.isel(entity=0).dropna("point")
    frequency, mean = calibration_curve(Y[TEST], p, n_bins=10, strategy=strategy)
    np.testing.assert_allclose(one["probability"], mean)
    np.testing.assert_allclose(one["observed"], frequency)
    assert ((one["lower"] <= one["median"]) & (one["median"] <= one["upper"])).all()
    beside = CredibleCalibrationDisplay.from_estimators(
        {"old": OLD}, X[TEST], Y[TEST], strategy=strategy
    )
    np.testing.assert_allclose(beside.curves["median"], display.curves["median"])


def test_labels_alone_have_no_curves():
    class Labels:
        def predict(self, X):
            return (X[:, 0] > 0).astype(int)

    with pytest.raises(br.ArgumentError, match="RankingDisplay ranks by predicted labels"):
        CredibleRocDisplay.from_estimators({"labels": Labels()}, X[TEST], Y[TEST])


def test_columns_without_names_are_numbered():
    assert list(name_columns("predictions", np.zeros((5, 2)), 5)) == ["entity 1", "entity 2"]
    assert list(name_columns("predictions", [[0] * 5, [1] * 5], 5)) == ["entity 1", "entity 2"]
    assert list(name_columns("predictions", [("a", [0] * 5)], 5)) == ["a"]
    for bad in (np.zeros((5, 5)), [[0, 1], [1, 0]]):
        with pytest.raises(br.ArgumentError, match="which is which"):
            name_columns("predictions", bad, len(bad))
    with pytest.raises(br.ArgumentError, match=r"predictions\.T"):
        name_columns("predictions", np.zeros((2, 5)), 5)
    with pytest.raises(br.ArgumentError, match="'a' twice"):
        name_columns("predictions", [("a", [0]), ("a", [1])], 1)


def test_estimators_without_names_are_called_by_their_classes():
    assert list(name_estimators("estimators", [OLD, NEW])) == [
        "LogisticRegression",
        "DecisionTreeClassifier",
    ]
    assert list(name_estimators("estimators", OLD)) == ["LogisticRegression"]
    with pytest.raises(br.ArgumentError, match="must be named if classes repeat"):
        name_estimators("estimators", [OLD, OLD])


def test_a_default_index_beside_texts_has_no_labels():
    """But digits as texts, and dates, may be meant by it."""
    y = pd.Series([0, 1, 0, 1], ["a", "b", "c", "d"])
    predictions = pd.DataFrame({"m": [0, 1, 1, 1]})
    joint = br.joint_outcomes(y, predictions)
    assert joint["count"].sum() == 4
    assert "joined_by_position" in joint.attrs["notes"]
    for index in (["0", "1", "2", "3"], pd.date_range("2024", periods=4)):
        with pytest.raises(br.ArgumentError, match="default index"):
            br.joint_outcomes(y.set_axis(index), predictions)


def test_comparing_imports_no_scikit_learn():
    code = "import sys, bayesrank.integrations.sklearn; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
