"""Forms that people have: counts in any long table, one classifier, outcomes of any name. Answers are known."""

import json
import shlex

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayesrank as br
from bayesrank.io.tables.files import read_evidence
from tests.commands import csv_of, refused, run

CELLS = pd.DataFrame(
    [("A", 0, 0, 50), ("A", 0, 1, 44), ("A", 1, 0, 37), ("A", 1, 1, 7), ("B", 0, 0, 29), ("B", 0, 1, 17),
     ("B", 1, 0, 27), ("B", 1, 1, 11)],
    columns=["model", "actual", "predicted", "n"],
)  # fmt: skip
MATRICES = br.from_matrix(
    [[[50, 44], [37, 7]], [[29, 17], [27, 11]]], "actual_rows", entity=["A", "B"], labels=[0, 1]
)
OUTCOMES = pd.DataFrame({"entity": list("AABB"), "outcome": [0, 1, 0, 1], "n": [18, 41, 48, 32]})
#: The example of caret's confusionMatrix: sensitivity 0.8953 and specificity 0.6279 if abnormal is positive.
TABLE_OF_R = pd.DataFrame(
    {
        "Prediction": ["abnormal", "normal"] * 2,
        "Reference": ["abnormal"] * 2 + ["normal"] * 2,
        "Freq": [231, 27, 32, 54],
    }
)
rng = np.random.default_rng(4)
TRUTH = np.array(["Class1", "Class2"])[rng.integers(0, 2, 30)]
GUESS = np.where(rng.random(30) < 0.8, TRUTH, np.where(TRUTH == "Class1", "Class2", "Class1"))
DICE = pd.DataFrame(
    {"case": np.repeat(range(20), 2), "model": ["A", "B"] * 20, "dice": rng.random(40).round(3)}
)


def both(frame, tmp_path, typed="", name="table"):
    """The evidence by the reader of files and in Python, with the roles of what is typed, which must agree."""
    file = tmp_path / f"{name}.csv"
    frame.to_csv(file, index=False)
    words = shlex.split(typed)
    roles = {
        option.lstrip("-"): value for option, value in zip(words[::2], words[1::2], strict=True)
    }
    found, evidence = read_evidence(str(file), **roles), br.from_frame(frame, **roles)
    same = found.assign_coords(entity=evidence["entity"])
    assert type(found) is type(evidence)
    xr.testing.assert_equal(same, evidence)
    assert run("rank", file, *words, "--draws", 20).exit_code == 0
    return found


# --- Counts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", ["n", "Freq", "count", "patients", "N"])
def test_a_count_of_any_name_counts_cells(count, tmp_path):
    frame = CELLS.rename(columns={"n": count})
    xr.testing.assert_equal(both(frame, tmp_path, f"--count {count}"), MATRICES)
    xr.testing.assert_equal(
        both(frame.iloc[::-1], tmp_path, f"--count {count}").sel(entity=["A", "B"]), MATRICES
    )


@pytest.mark.parametrize("count", ["n", "N", "Freq", "count", "freq"])
def test_an_exact_standard_heading_counts_cells_without_being_named(count, tmp_path):
    xr.testing.assert_equal(both(CELLS.rename(columns={"n": count}), tmp_path), MATRICES)


def test_another_number_beside_labels_is_asked_for(tmp_path):
    frame = CELLS.rename(columns={"n": "n_patients"})
    with pytest.raises(
        br.ArgumentError, match="must say what its column n_patients holds"
    ) as caught:
        br.from_frame(frame)
    assert "count='n_patients' if a row stands for that many cases" in str(caught.value)
    frame.to_csv(tmp_path / "cells.csv", index=False)
    assert "--count n_patients if a row" in refused("rank", tmp_path / "cells.csv")
    xr.testing.assert_equal(both(frame, tmp_path, "--count n_patients"), MATRICES)
    # Of cases with names, n is no number of cases.
    named = pd.DataFrame(
        {
            "case": [1, 2, 1, 2],
            "model": list("aabb"),
            "actual": [0, 1, 0, 1],
            "predicted": 1,
            "n": 7,
        }
    )
    assert br.from_frame(named)["count"].sum() == 2


@pytest.mark.parametrize("count", ["n", "cases_seen", "Freq"])
@pytest.mark.parametrize("outcome", ["outcome", "passed", "correct"])
def test_a_count_of_any_name_counts_outcomes(outcome, count, tmp_path):
    frame = OUTCOMES.rename(columns={"n": count, "outcome": outcome})
    found = both(frame, tmp_path, f"--count {count}")
    assert found.sel(outcome=1).values.tolist() == [41, 32]
    assert found.sel(outcome=0).values.tolist() == [18, 48]


def test_n_beside_outcomes_is_asked_for(tmp_path):
    OUTCOMES.to_csv(tmp_path / "counts.csv", index=False)
    assert "--count n if a row stands for that many cases" in refused(
        "rank", tmp_path / "counts.csv"
    )
    table = csv_of("rank", tmp_path / "counts.csv", "--count", "n", "--draws", 50)
    np.testing.assert_allclose(table["observed"], [41 / 59, 32 / 80])
    # Without repeated entities, n is the number of all cases, as before.
    right = pd.DataFrame({"entity": ["a", "b"], "correct": [17, 14], "n": 20})
    assert br.from_frame(right).sel(outcome=0).values.tolist() == [3, 6]


def test_rows_that_differ_by_their_cases_have_each_a_count(tmp_path):
    frame = pd.DataFrame(
        {
            "question_id": [1, 2, 3] * 2,
            "model": list("aaabbb"),
            "passed": [1, 1, 0, 0, 1, 0],
            "n": [2, 3, 4] * 2,
        }
    )
    found = both(frame, tmp_path, "--count n")
    assert found["count"].sum() == 9
    assert float((found["outcome"] * found["count"]).sel(entity="a").sum()) == 5


# --- One classifier ---------------------------------------------------------------------------------------------------


def test_a_table_of_r_has_the_rates_of_caret(tmp_path):
    for typed in ("--count Freq", ""):
        found = both(TABLE_OF_R, tmp_path, f"{typed} --positive abnormal", "liver")
        assert found["entity"].values.tolist() == ["liver"]
        assert br.scores.tpr(found).item() == pytest.approx(0.8953, abs=5e-5)
        assert br.scores.tnr(found).item() == pytest.approx(0.6279, abs=5e-5)
    assert br.from_frame(TABLE_OF_R)["entity"].values.tolist() == ["predicted"]
    xr.testing.assert_equal(
        found,
        both(TABLE_OF_R.rename(columns={"Freq": "n"}), tmp_path, "--positive abnormal", "liver"),
    )


@pytest.mark.parametrize("actual", ["actual", "truth", "Reference", "y_true", "obs"])
@pytest.mark.parametrize("predicted", ["predicted", ".pred_class", "Prediction", "y_pred"])
def test_rows_of_true_and_predicted_labels_are_cases_of_one_classifier(actual, predicted, tmp_path):
    frame = pd.DataFrame({actual: TRUTH, predicted: GUESS})
    found = both(frame, tmp_path, name="knn")
    assert found["entity"].values.tolist() == ["knn"]
    xr.testing.assert_equal(found, br.joint_outcomes(TRUTH, {"knn": GUESS}))
    assert both(frame.assign(id=range(30)), tmp_path, "--case id", "knn")["count"].sum() == 30


def test_probabilities_beside_predicted_classes_are_pointed_out(tmp_path):
    p = rng.random(30).round(3)
    frame = pd.DataFrame({"truth": TRUTH, "Class1": p, "Class2": 1 - p, "predicted": GUESS})
    found = both(frame, tmp_path, name="tidy")
    xr.testing.assert_equal(found, br.joint_outcomes(TRUTH, {"tidy": GUESS}))
    assert '["probabilities_unused", {"columns": ["Class1", "Class2"]}]' in found.attrs["notes"]
    said = run("rank", tmp_path / "tidy.csv", "--draws", 20).output
    assert (
        "The probabilities in Class1, Class2 are not used: br.from_probabilities takes them."
        in said
    )
    xr.testing.assert_equal(found, both(frame.assign(extra=2.5, more=7.5), tmp_path, name="tidy"))
    three = frame.assign(Class3=0.0)
    xr.testing.assert_equal(found, both(three, tmp_path, name="tidy"))


def test_several_columns_of_labels_are_not_one_classifier(tmp_path):
    with pytest.raises(br.ArgumentError, match="columns entity"):
        br.from_frame(pd.DataFrame({"actual": TRUTH, "predicted": GUESS, "other": GUESS}))
    frame = pd.DataFrame({"actual": TRUTH, "predicted": GUESS, "scanner": ["x", "y"] * 15})
    frame.to_csv(tmp_path / "labels.csv", index=False)
    said = refused("rank", tmp_path / "labels.csv")
    assert "--entity scanner says which, and --ignore scanner that all rows are of one" in said
    found = json.loads(
        run(
            "rank",
            tmp_path / "labels.csv",
            "--ignore",
            "scanner",
            "--draws",
            20,
            "--format",
            "json",
        ).stdout
    )
    assert [row["entity"] for row in found["ranking"]] == ["labels"]


def test_a_truth_of_another_name_is_asked_for(tmp_path):
    frame = pd.DataFrame({"label": TRUTH, "predicted": GUESS})
    frame.to_csv(tmp_path / "labels.csv", index=False)
    assert "--truth label says so" in refused("rank", tmp_path / "labels.csv")
    xr.testing.assert_equal(
        both(frame, tmp_path, "--truth label", "knn"), br.joint_outcomes(TRUTH, {"knn": GUESS})
    )


@pytest.mark.parametrize(
    ("column", "values", "option"),
    [
        ("patient", [f"p{i // 2}" for i in range(30)], "cluster"),
        ("patient_id", [f"p{i // 3}" for i in range(30)], "cluster"),
        ("question", [f"q{i % 10}" for i in range(30)], "cluster"),
        ("weight", np.linspace(0.5, 2, 30), "weight"),
    ],
)
def test_units_and_weights_of_one_classifier_are_asked_for(column, values, option, tmp_path):
    frame = pd.DataFrame({column: values, "actual": TRUTH, "predicted": GUESS})
    frame.to_csv(tmp_path / "labels.csv", index=False)
    said = refused("rank", tmp_path / "labels.csv")
    assert f"--{option} {column} if it " in said
    assert f", else --ignore {column}" in said
    plain = frame.drop(columns=column)
    xr.testing.assert_equal(
        read_evidence(str(tmp_path / "labels.csv"), [column]), both(plain, tmp_path, name="labels")
    )
    found = both(frame, tmp_path, f"--{option} {column}", "labels")
    assert {"cluster": "cluster", "weight": "unit_weight"}[option] in {
        *found.coords,
        *found.data_vars,
    }


def test_n_beside_an_age_is_asked_for():
    frame = pd.DataFrame({"age": range(30), "actual": TRUTH, "predicted": GUESS, "n": 2})
    with pytest.raises(br.ArgumentError, match="count='n' if a row stands for that many cases"):
        br.from_frame(frame)


# --- Outcomes of any name ---------------------------------------------------------------------------------------------


def test_outcomes_of_any_name_are_ranked_by_their_mean(tmp_path):
    file = tmp_path / "dice.csv"
    DICE.to_csv(file, index=False)
    said = refused("rank", file)
    assert (
        "must say which column holds the outcomes, beside model and case; got dice (--outcome dice ranks"
        in said
    )
    table = csv_of("rank", file, "--outcome", "dice", "--draws", 50)
    pd.testing.assert_series_equal(
        table["observed"].sort_index(), DICE.groupby("model")["dice"].mean(), check_names=False
    )
    found = both(DICE, tmp_path, "--outcome dice")
    wide = DICE.pivot(index="case", columns="model", values="dice")
    xr.testing.assert_equal(found, br.from_outcomes(wide.reset_index(drop=True)))
    # The same with other columns of answers, and with cases of another name.
    more = DICE.assign(score=1, correct=0, is_correct=0, tn=3, iou=0.5)
    xr.testing.assert_equal(found, both(more, tmp_path, "--outcome dice"))
    xr.testing.assert_equal(
        found, both(DICE.rename(columns={"case": "image_id"}), tmp_path, "--outcome dice")
    )


def test_each_outcome_that_is_offered_can_be_ranked(tmp_path):
    frame = DICE.assign(volume=rng.integers(1, 90, 40))
    with pytest.raises(br.ArgumentError, match="got dice, volume") as caught:
        br.from_frame(frame)
    assert "outcome='dice' or outcome='volume'" in str(caught.value)
    for name in ("dice", "volume"):
        found = both(frame, tmp_path, f"--outcome {name}")
        means = (found["outcome"] * found["count"]).sum("pattern") / found["count"].sum()
        np.testing.assert_allclose(means, frame.groupby("model")[name].mean())


@pytest.mark.parametrize("name", ["rmse", "hd95", "surface_distance", "loss"])
def test_outcomes_that_may_be_good_when_low_are_asked_for(name, tmp_path):
    frame = DICE.rename(columns={"dice": name})
    frame.to_csv(tmp_path / "cases.csv", index=False)
    assert "--lower-is-better ranks low ones first" in refused(
        "rank", tmp_path / "cases.csv", "--outcome", name
    )
    table = csv_of(
        "rank", tmp_path / "cases.csv", "--outcome", name, "--lower-is-better", "--draws", 50
    )
    assert table["observed"].is_monotonic_increasing
    assert "low_may_be_good" in br.from_frame(frame, outcome=name).attrs["notes"]


def test_an_outcome_that_cannot_be_one(tmp_path):
    for outcome in ("model", "predicted"):
        with pytest.raises(
            br.ArgumentError, match="outcome must name a column that holds the outcomes"
        ):
            br.from_frame(
                DICE.assign(entity="a", predicted=1).drop(columns="model"),
                outcome={"model": "entity"}.get(outcome, outcome),
            )
    with pytest.raises(
        br.ArgumentError, match="must have a column that names the entities beside outcome"
    ):
        br.from_frame(DICE.rename(columns={"model": "scanner"}), outcome="dice")
    xr.testing.assert_equal(
        br.from_frame(DICE.rename(columns={"model": "scanner"}), outcome="dice", entity="scanner"),
        br.from_frame(DICE, outcome="dice"),
    )
    # One row an entity is a leaderboard, not a case.
    with pytest.raises(br.ArgumentError, match="do not say of how many cases"):
        br.from_frame(pd.DataFrame({"id": [1, 2], "model": ["a", "b"], "dice": [0.8, 0.7]}))


def test_fractions_are_counts_up_to_a_rate_of_one():
    frame = pd.DataFrame(
        {
            "test": ["a", "b"],
            "sensitivity": ["45/50", "100% (50/50)"],
            "specificity": ["90/100 (90.0%)", "0/100"],
        }
    )
    cells = br.from_frame(frame).values.tolist()
    assert cells == [[[90, 10], [5, 45]], [[0, 100], [0, 50]]]
    with pytest.raises(br.ArgumentError):
        br.from_frame(frame.assign(sensitivity=["45/50", "51/50"]))


def test_a_text_column_is_no_entity_where_no_row_counts():
    frame = pd.DataFrame({"name": ["x", "y"], "a": [1, 0], "b": [0, 1], "n": [0, 0]})
    with pytest.raises(br.ArgumentError, match="'name' is probably not an entity"):
        br.from_frame(frame, count="n")
