"""Tables of scores of folds: the command and br.from_frame read what br.from_folds takes. Values are known."""

import json
import shlex

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    RepeatedKFold,
    cross_val_score,
    cross_validate,
)
from sklearn.tree import DecisionTreeClassifier

import bayesrank as br
from bayesrank.io.tables.files import read_evidence
from tests.commands import csv_of, refused, run

rng = np.random.default_rng(8)
SCORES = pd.DataFrame(
    rng.uniform(0.7, 0.8, (10, 3)).round(3) + np.array([0, 0.1, 0.02]),
    columns=["ada", "bagging", "tree"],
)
WIDE = SCORES.assign(fold=range(10))
LONG = WIDE.melt("fold", var_name="model", value_name="score")
TWICE = SCORES.assign(fold=[*range(5)] * 2, repeat=np.repeat([0, 1], 5))
TYPED = shlex.split("--fold fold --train 90 --test 10 --draws 50")
DIRECT = br.from_folds(SCORES, train=90, test=10)


def both(frame, tmp_path, typed):
    """The evidence by the reader of files and in Python, with the roles of what is typed, which must agree."""
    file = tmp_path / "folds.csv"
    frame.to_csv(file, index=False)
    words = shlex.split(typed)
    roles = {
        {"dataset-column": "dataset"}.get(option[2:], option[2:]): value
        for option, value in zip(words[::2], words[1::2], strict=True)
    }
    roles |= {"entities": roles["entities"].split(",")} if "entities" in roles else {}
    found, evidence = read_evidence(str(file), **roles), br.from_frame(frame, **roles)
    xr.testing.assert_equal(
        found, evidence.assign_coords({c: found[c] for c in ("repeat", "dataset") if c in found})
    )
    assert run("rank", file, *words, "--draws", 20).exit_code == 0
    return found


@pytest.mark.parametrize(
    ("frame", "typed"),
    [
        (SCORES, ""),
        (WIDE, "--fold fold"),
        (WIDE.rename(columns={"fold": "split"}), "--fold split"),
        (WIDE.assign(note="x"), "--fold fold --entities ada,bagging,tree"),
        (LONG, "--fold fold"),
        (LONG.rename(columns={"score": "kappa"}), "--fold fold"),
        (LONG.assign(other=0.5), "--fold fold"),
        (LONG.rename(columns={"score": "f1"}).assign(auc=0.5), "--fold fold --outcome f1"),
        (LONG.rename(columns={"model": "entity"}), "--fold fold"),
        (LONG.rename(columns={"model": "pipeline"}), "--fold fold --entity pipeline"),
        (LONG.sample(frac=1, random_state=1).sort_values("model", kind="stable"), "--fold fold"),
    ],
)
def test_scores_of_folds_are_those_of_from_folds(frame, typed, tmp_path):
    found = both(frame, tmp_path, f"{typed} --train 90 --test 10")
    order = found["fold_score"].sel(entity=SCORES.columns).values
    assert sorted(order.tolist()) == sorted(SCORES.to_numpy().tolist())
    assert set(found["training_cases"].values.tolist()) == {90}
    shares = both(frame, tmp_path, f"{typed} --train 0.9 --test 0.1")
    np.testing.assert_allclose(shares["test_cases"] / shares["training_cases"], 1 / 9)


def test_the_command_ranks_folds_as_python_does(tmp_path):
    file = tmp_path / "folds.csv"
    table = br.ranking_table(br.credible_ranking(br.fit(DIRECT, draws=50, seed=1), method="auto"))
    for frame in (WIDE, LONG):
        frame.to_csv(file, index=False)
        found = csv_of("rank", file, *TYPED)
        np.testing.assert_allclose(
            found[table.columns].to_numpy(float), table.to_numpy(float), rtol=1e-12
        )
    assert "Read 10 splits × 3 models" in run("rank", file, *TYPED).output


def test_learners_may_have_numbers(tmp_path):
    numbered = LONG.assign(model=LONG["model"].map({"ada": 1, "bagging": 2, "tree": 3}))
    found = br.from_frame(numbered, fold="fold", train=90, test=10)
    numbered.to_csv(tmp_path / "folds.csv", index=False)
    named = read_evidence(str(tmp_path / "folds.csv"), fold="fold", train=90, test=10)
    np.testing.assert_array_equal(named["fold_score"], found["fold_score"])
    assert list(map(str, found["entity"].values.tolist())) == ["1", "2", "3"]
    np.testing.assert_array_equal(found["fold_score"], SCORES)


def test_scores_named_like_errors_ask_for_their_direction(tmp_path):
    frame = LONG.rename(columns={"score": "rmse"})
    frame.to_csv(tmp_path / "folds.csv", index=False)
    for typed in ([], ["--outcome", "rmse"]):
        words = [tmp_path / "folds.csv", *TYPED, *typed]
        assert "--lower-is-better ranks low ones first" in refused("rank", *words)
        assert csv_of("rank", *words, "--lower-is-better")["observed"].is_monotonic_increasing
        assert (
            br.from_frame(frame, fold="fold", train=9, test=1)
            .attrs["notes"]
            .count("low_may_be_good")
            == 1
        )
    frame.rename(columns={"rmse": "neg_mean_squared_error"}).to_csv(
        tmp_path / "folds.csv", index=False
    )
    assert csv_of("rank", tmp_path / "folds.csv", *TYPED)["observed"].is_monotonic_decreasing


def test_repetitions_and_sizes_are_columns(tmp_path):
    expected = br.from_folds(TWICE.drop(columns="fold"), train=80, test=20, repeat="repeat")
    for frame in (TWICE, TWICE.melt(["fold", "repeat"], var_name="model", value_name="score")):
        for typed in ("--fold fold --repeat repeat", "--fold fold"):
            found = both(frame, tmp_path, f"{typed} --train 80 --test 20")
            xr.testing.assert_equal(found.assign_coords(repeat=expected["repeat"]), expected)
        sized = frame.assign(n_train=80, n_test=20)
        found = both(sized, tmp_path, "--fold fold --train n_train --test n_test")
        xr.testing.assert_equal(found.assign_coords(repeat=expected["repeat"]), expected)
    named = TWICE.rename(columns={"repeat": "rep"})
    with pytest.raises(br.ArgumentError, match="repeat='rep' says that it names repetitions"):
        br.from_frame(named, fold="fold", train=80, test=20)
    found = both(named, tmp_path, "--fold fold --repeat rep --train 80 --test 20")
    xr.testing.assert_equal(found.assign_coords(repeat=expected["repeat"]), expected)


def test_data_sets_are_read_beside_folds(tmp_path):
    frame = SCORES.assign(fold=[*range(5)] * 2, dataset=np.repeat(["u", "v"], 5))
    expected = br.from_folds(frame.drop(columns="fold"), train=80, test=20, dataset="dataset")
    long = frame.melt(["fold", "dataset"], var_name="model", value_name="score")
    for one in (
        frame,
        long,
        frame.rename(columns={"dataset": "task"}),
        long.rename(columns={"dataset": "task"}),
    ):
        typed = "--dataset-column task " * ("task" in one)
        found = both(one, tmp_path, f"{typed}--fold fold --train 80 --test 20")
        assert found["dataset"].values.tolist() == expected["dataset"].values.tolist()
        xr.testing.assert_equal(
            found["fold_score"].drop_vars("dataset"), expected["fold_score"].drop_vars("dataset")
        )


@pytest.mark.parametrize(
    ("frame", "typed"),
    [
        (SCORES, "--train 0.9 --test 0.1"),
        (WIDE, "--fold fold --train 0.9 --test 0.1"),
        (WIDE.rename(columns={"fold": "split"}), "--fold split --train 0.9 --test 0.1"),
        (LONG, "--fold fold --outcome score --train 0.9 --test 0.1"),
        (
            LONG.rename(columns={"score": "accuracy"}),
            "--fold fold --outcome accuracy --train 0.9 --test 0.1",
        ),
        (TWICE, "--fold fold --repeat repeat --train 0.8 --test 0.2"),
        (
            TWICE.melt(["fold", "repeat"], var_name="model", value_name="f1"),
            "--fold fold --repeat repeat --outcome f1 --train 0.8 --test 0.2",
        ),
    ],
)
def test_the_line_that_is_printed_ranks_the_learners(frame, typed, tmp_path):
    frame.to_csv(tmp_path / "folds.csv", index=False)
    assert f"{typed} says that they are of" in refused("rank", tmp_path / "folds.csv")
    words = shlex.split(typed)
    found = json.loads(
        run("rank", tmp_path / "folds.csv", *words, "--draws", 30, "--format", "json").stdout
    )
    observed = {row["entity"]: row["observed"] for row in found["ranking"]}
    assert observed == pytest.approx(SCORES.mean().to_dict())
    roles = {
        option[2:]: float(value) if value[:2] == "0." else value
        for option, value in zip(words[::2], words[1::2], strict=True)
    }
    with pytest.raises(br.ArgumentError) as caught:
        br.from_frame(frame)
    assert ", ".join(f"{role}={value!r}" for role, value in roles.items()) in str(caught.value)
    assert br.from_frame(frame, **roles).sizes == {"split": 10, "entity": 3}


@pytest.mark.parametrize(
    ("frame", "roles", "words"),
    [
        (WIDE, {"fold": "fold"}, "train must say how many cases a split has for training"),
        (WIDE, {"fold": "fold", "train": 90}, "test must say how many cases a split has for the test"),
        (WIDE, {"fold": "fold", "train": 90, "test": 0.1}, "train must be a number of cases if test is"),
        (WIDE, {"fold": "fold", "train": 0.9, "test": 0.2}, "train must be a share that is at most 1 together"),
        (WIDE, {"fold": "fold", "train": 9, "test": 1, "case": "fold"}, "case cannot be used for scores of folds"),
        (WIDE, {"fold": "nope", "train": 9, "test": 1}, "fold must name a column of frame"),
        (WIDE.assign(case=1), {"fold": "fold", "train": 9, "test": 1}, "'case' is probably not one"),
        (WIDE.assign(fit_time=1.5), {"fold": "fold", "train": 9, "test": 1}, "'fit_time' is probably not one"),
        (WIDE.assign(seed=1), {"fold": "fold", "train": 9, "test": 1}, "'seed' is probably not one"),
        (
            WIDE.assign(svm="85.2 points"), {"fold": "fold", "train": 9, "test": 1},
            "'svm' is probably not one: it contains '85.2 points', which is not a number",
        ),
        (WIDE.assign(fold=0), {"fold": "fold", "train": 9, "test": 1}, "must name each split once"),
        (LONG.iloc[1:], {"fold": "fold", "train": 9, "test": 1}, "none of 'ada' on 0"),
        (LONG.drop(columns="fold"), {"train": 9, "test": 1}, "must have a column that names the folds"),
        (LONG.assign(fold=1), {"fold": "fold", "train": 9, "test": 1}, "must name each split once of 'ada'"),
        (WIDE.assign(ada="x"), {"fold": "fold", "entities": ["ada"], "train": 9, "test": 1}, "got 'x'"),
        (LONG.rename(columns={"score": "f1"}).assign(auc=1), {"fold": "fold", "train": 9, "test": 1},
         "which column holds the scores of the folds; got f1, auc .outcome='f1' or outcome='auc' says which"),
    ],
)  # fmt: skip
def test_what_is_no_table_of_folds_is_refused(frame, roles, words):
    with pytest.raises(ValueError, match=words):
        br.from_frame(frame, **roles)


# --- scikit-learn -----------------------------------------------------------------------------------------------------

X, Y = make_classification(120, random_state=3)
LEARNERS = {"logistic": LogisticRegression(), "tree": DecisionTreeClassifier(random_state=0)}


def test_results_of_cross_validate_are_taken_by_learner():
    scores = {name: cross_val_score(model, X, Y, cv=KFold(6)) for name, model in LEARNERS.items()}
    expected = br.from_folds(pd.DataFrame(scores), train=100, test=20)
    results = {name: cross_validate(model, X, Y, cv=KFold(6)) for name, model in LEARNERS.items()}
    xr.testing.assert_identical(br.from_folds(results, train=100, test=20), expected)
    xr.testing.assert_identical(br.from_folds(scores, train=100, test=20), expected)
    indexed = {
        name: cross_validate(
            model, X, Y, cv=KFold(6), return_indices=True, scoring=["accuracy", "f1"]
        )
        for name, model in LEARNERS.items()
    }
    xr.testing.assert_identical(br.from_folds(indexed, metric="accuracy"), expected)
    with pytest.raises(br.ArgumentError, match="metric must be one of accuracy, f1; got none"):
        br.from_folds(indexed)
    uneven = {
        name: cross_validate(model, X, Y, cv=KFold(7), return_indices=True)
        for name, model in LEARNERS.items()
    }
    found = br.from_folds(uneven)
    assert float((found["test_cases"] / found["training_cases"]).mean()) == pytest.approx(1 / 6)
    other = indexed | {
        "tree": cross_validate(
            LEARNERS["tree"], X, Y, cv=KFold(6, shuffle=True), return_indices=True
        )
    }
    with pytest.raises(br.ArgumentError, match="must have the same splits for every learner"):
        br.from_folds(
            {
                name: held | {"test_score": held.get("test_accuracy", [0] * 6)}
                for name, held in other.items()
            },
            metric="score",
        )
    with pytest.raises(
        br.ArgumentError,
        match="results of each learner by its name; got fit_time, score_time, test_score",
    ):
        br.from_folds(results["tree"], train=100, test=20)
    with pytest.raises(
        br.ArgumentError,
        match="the same number of splits for every learner; got 6 of 'a', 2 of 'b'",
    ):
        br.from_folds({"a": scores["tree"], "b": [0.1, 0.2]}, train=100, test=20)


def test_candidates_of_a_search_are_learners(tmp_path):
    cv = RepeatedKFold(n_splits=3, n_repeats=2, random_state=1)
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1.0]}, cv=cv).fit(X, Y)
    found = br.from_folds(search.cv_results_, train=80, test=40, repeat=2)
    assert found["entity"].values.tolist() == ["C=0.01", "C=1.0"]
    assert found["repeat"].values.tolist() == [0, 0, 0, 1, 1, 1]
    means = search.cv_results_["mean_test_score"]
    np.testing.assert_allclose(found["fold_score"].mean("split"), means)
    frame = pd.DataFrame(search.cv_results_)
    xr.testing.assert_equal(br.from_folds(frame, train=80, test=40, repeat=2), found)
    with pytest.raises(
        br.ArgumentError, match=r"train=0.8333, test=0.1667 says that they are of 6 folds"
    ):
        br.from_frame(frame)
    xr.testing.assert_equal(br.from_frame(frame, train=80, test=40, repeat=2), found)
    frame.to_csv(tmp_path / "search.csv", index=False)
    assert "--train 0.8333 --test 0.1667 says" in refused("rank", tmp_path / "search.csv")
    typed = ["--train", 80, "--test", 40, "--repeat", 2, "--draws", 30]
    table = csv_of("rank", tmp_path / "search.csv", *typed)
    np.testing.assert_allclose(table["observed"].sort_values(), sorted(means))
    with pytest.raises(
        br.ArgumentError,
        match="repeat must be the number of repetitions, a divisor of the 6 splits",
    ):
        br.from_folds(frame, train=80, test=40, repeat=4)
    with pytest.raises(
        br.ArgumentError, match="must have a column params that names each candidate"
    ):
        br.from_folds(frame.drop(columns="params"), train=80, test=40)


def test_one_of_several_scores_of_a_search_is_ranked(tmp_path):
    frame = pd.DataFrame(
        {"params": ["{'C': 1}", "{'C': 2}"], "split0_test_f1": [0.5, 0.6], "split1_test_f1": [0.4, 0.7],
         "split0_test_auc": [0.8, 0.7], "split1_test_auc": [0.9, 0.8], "split0_train_f1": [1, 1]}
    )  # fmt: skip
    for metric, means in (("f1", [0.45, 0.65]), ("auc", [0.85, 0.75])):
        found = both(frame, tmp_path, f"--train 50 --test 50 --outcome {metric}")
        np.testing.assert_allclose(found["fold_score"].mean("split"), means)
    with pytest.raises(
        br.ArgumentError, match=r"must say which score to rank by; got f1, auc .outcome='f1' or"
    ):
        br.from_frame(frame, train=50, test=50)
    with pytest.raises(br.ArgumentError, match=r"outcome='f1', train=0.5, test=0.5 says"):
        br.from_frame(frame)
