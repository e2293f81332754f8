"""Evidence from estimators: scikit-learn's own predictions, out-of-fold ones, and refusals."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import bayesrank as br
from bayesrank._core.source import groups_of

RNG = np.random.default_rng(1)
Y = RNG.integers(0, 2, 120)
X = RNG.normal(size=(120, 3)) + 0.8 * Y[:, None]
MODELS = {
    "pipeline": make_pipeline(StandardScaler(), LogisticRegression()),
    "search": GridSearchCV(DecisionTreeClassifier(random_state=1), {"max_depth": [1, 2]}, cv=2),
    "margin": LinearSVC(random_state=1),
}


def test_fitted_estimators_give_labels_and_probabilities():
    fitted = {name: model.fit(X[:60], Y[:60]) for name, model in MODELS.items()}
    evidence = br.from_estimators(fitted, X[60:], Y[60:])
    posterior = br.fit(evidence, seed=1, draws=50)
    assert groups_of(posterior)["posterior"].attrs["model"] == "paired"
    observed = br.scores.f1(groups_of(posterior)["observed_data"]["counts"])
    areas = groups_of(br.fit(evidence, "bayesian_bootstrap", seed=1, draws=4))["observed_data"][
        "auc_roc"
    ]
    for name, model in fitted.items():
        assert observed.sel(entity=name).item() == pytest.approx(
            f1_score(Y[60:], model.predict(X[60:]))
        )
        method = (
            model.decision_function
            if name == "margin"
            else lambda part, m=model: m.predict_proba(part)[:, 1]
        )
        assert areas.sel(entity=name).item() == pytest.approx(roc_auc_score(Y[60:], method(X[60:])))
    assert (
        br.sensitivity(evidence, "f1", seed=1, draws=50).sizes["entity"] == 3
    )  # probabilities do not disturb


def test_out_of_fold_predictions_are_those_of_scikit_learn():
    folds = StratifiedKFold(4, shuffle=True, random_state=2)
    evidence = br.from_estimators(MODELS, X, Y, cv=folds)
    for name, method in (
        ("pipeline", "predict_proba"),
        ("search", "predict_proba"),
        ("margin", "decision_function"),
    ):
        wanted = cross_val_predict(MODELS[name], X, Y, cv=folds, method=method)
        found = evidence["probability"].sel(entity=name)
        np.testing.assert_allclose(found, wanted if wanted.ndim == 1 else wanted[:, 1], rtol=1e-12)
    notes = br.notes(br.credible_ranking(br.fit(evidence, seed=1, draws=50), "f1"))
    assert any("4 fitted models" in note for note in notes)


def test_more_classes_and_frames():
    frame, truth = load_iris(return_X_y=True, as_frame=True)
    names = truth.map({0: "setosa", 1: "versicolor", 2: "virginica"})
    evidence = br.from_estimators(
        {"logistic": LogisticRegression(max_iter=500)}, frame, names, cv=3
    )
    assert evidence["probability"].dims == ("case", "entity", "label")
    probabilities = cross_val_predict(
        LogisticRegression(max_iter=500), frame, names, cv=3, method="predict_proba"
    )
    fitted = br.fit(evidence, "bayesian_bootstrap", seed=1, draws=4)
    wanted = roc_auc_score(names, probabilities, multi_class="ovr")
    assert groups_of(fitted)["observed_data"]["auc_roc"].item() == pytest.approx(wanted, abs=1e-12)


class Guess:
    def predict(self, cases):
        return np.zeros(len(cases), int)


def test_estimators_without_probabilities_have_labels_alone():
    evidence = br.from_estimators({"zero": Guess(), "tree": MODELS["search"].fit(X, Y)}, X, Y)
    assert "probability" not in evidence
    assert "probabilities_lacking" in evidence.attrs["notes"]
    with pytest.raises((TypeError, ValueError), match="must be predicted probabilities"):
        br.fit(evidence, "bayesian_bootstrap")
    with pytest.raises(
        ValueError,
        match=r"^positive must name the class that the probabilities are of.*positive='u'",
    ):
        br.from_estimators({"m": LogisticRegression()}, X, np.array(["u", "v"])[Y], cv=3)
    named = br.from_estimators(
        {"m": LogisticRegression()}, X, np.array(["u", "v"])[Y], cv=3, positive="u"
    )
    assert named["label"].values.tolist() == ["v", "u"]
    plain = br.from_estimators({"m": LogisticRegression()}, X, Y, cv=3)
    np.testing.assert_allclose(named["probability"], 1 - plain["probability"], rtol=1e-9)


@pytest.mark.parametrize(
    ("estimators", "options", "message"),
    [
        ({"m": LogisticRegression()}, {}, "pass cv="),
        ({"m": LogisticRegression}, {}, "object with the method predict"),
        (LogisticRegression(), {}, "fit it before"),
        (
            {"m": LogisticRegression()},
            {"cv": RepeatedStratifiedKFold(n_splits=3, n_repeats=2)},
            "each case once",
        ),
        ({"m": LogisticRegression()}, {"cv": 1}, "cv must"),
    ],
)
def test_bad_estimators_are_refused(estimators, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        br.from_estimators(estimators, X, Y, **options)


def test_an_estimator_must_know_all_classes():
    two = {"m": LogisticRegression().fit(X, Y)}
    labels = np.where(np.arange(len(Y)) < 5, 2, Y)
    with pytest.raises(br.ArgumentError, match=r"know the classes \[0, 1, 2\]; got .* knows 2"):
        br.from_estimators(two, X, labels)


def test_scikit_learn_is_imported_for_cv_alone():
    code = (
        "import sys, bayesrank as br\n"
        "class One:\n    def predict(self, X): return [1] * len(X)\n"
        "br.from_estimators({'one': One()}, [[1], [2], [3]], [0, 1, 1])\n"
        "print('sklearn' in sys.modules)"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "False\n"
