"""What a table leaves open is asked: counts beside successes, truths, folds, codes, and probabilities of classes."""

import itertools

import numpy as np
import pandas as pd
import pytest

import bayesrank as br
from tests.commands import csv_of, refused

SUCCESSES = (
    "correct",
    "right",
    "n_correct",
    "correct_answers",
    "passed",
    "success",
    "score",
    "result",
    "is_correct",
)
rng = np.random.default_rng(5)
TRUTH = rng.integers(0, 2, 40)
TESTS = pd.DataFrame({"y1": TRUTH ^ (rng.random(40) < 0.2), "y2": TRUTH ^ (rng.random(40) < 0.3)})


def counted(successes, count, right=(8, 12, 15), of=20):
    return pd.DataFrame({"entity": list("ABC"), successes: right, count: of})


@pytest.mark.parametrize(
    ("successes", "count"),
    zip(SUCCESSES, itertools.cycle(["count", "counts", "frequency", "freq"]), strict=False),
)
def test_a_count_beside_successes_is_no_frequency_of_a_grade(successes, count, tmp_path):
    """8, 12 and 15 of 20 were the grades 8, 12 and 15 of 20 cases each, so that C was best for sure."""
    frame = counted(successes, count)
    with pytest.raises(
        br.ArgumentError, match=rf"must say what its column {count} holds; got 8 and 20"
    ) as caught:
        br.from_frame(frame)
    assert f"count={count!r} if 20 cases had the outcome 8" in str(caught.value)
    frame.to_csv(tmp_path / "counts.csv", index=False)
    said = refused("rank", tmp_path / "counts.csv")
    assert f"{count} to total if 8 of 20 cases were right; --count {count} if 20 cases had" in said
    # What the message says to type, for each meaning.
    assert br.from_frame(frame, count=count)["outcome"].values.tolist() == [8, 12, 15]
    named = frame.rename(columns={successes: "correct", count: "total"})
    assert br.from_frame(named).sel(outcome=1).values.tolist() == [8, 12, 15]
    named.to_csv(tmp_path / "counts.csv", index=False)
    best = csv_of("rank", tmp_path / "counts.csv")["probability_best"]
    assert best["C"] == pytest.approx(0.817, abs=0.03)


@pytest.mark.parametrize(
    ("right", "of"), [((1, 0, 1), 5), ((8, 12, 15), (8, 20, 15)), ((0, 0, 3), (3, 3, 4))]
)
def test_a_count_that_is_never_exceeded_is_asked_for(right, of):
    for successes in ("score", "outcome", "correct"):
        with pytest.raises(br.ArgumentError, match="must say what its column count holds"):
            br.from_frame(counted(successes, "count", right, of))


def test_several_data_sets_and_several_rows_of_successes_are_asked_for_too():
    frame = pd.DataFrame({"entity": list("AABB"), "correct": [8, 9, 3, 4], "count": 20})
    for held in (frame, frame.assign(dataset=list("xyxy"))):
        with pytest.raises(br.ArgumentError, match="must say what its column count holds"):
            br.from_frame(held)


@pytest.mark.parametrize("outcome", ["outcome", "correct", "passed"])
def test_counts_of_both_outcomes_are_frequencies(outcome):
    frame = pd.DataFrame({"entity": list("AABB"), outcome: [0, 1, 0, 1], "count": [3, 17, 6, 14]})
    assert br.from_frame(frame).values.tolist() == [[3, 17], [6, 14]]
    grades = pd.DataFrame({"entity": list("AABB"), "grade": [1, 5, 1, 5], "count": [30, 17, 6, 14]})
    assert br.from_frame(grades).values.tolist() == [[30, 17], [6, 14]]


@pytest.mark.parametrize(
    "name",
    [
        *(
            "d",
            "D",
            "disease",
            "status",
            "reference",
            "ref_std",
            "gt",
            "diagnosis",
            "biopsy",
            "CAD",
            "pcr",
            "human",
        ),
        *("label", "target", "class", "y"),
    ],
)
def test_a_column_named_like_the_truth_is_no_competitor(name, tmp_path):
    frame = TESTS.assign(**{name: TRUTH})
    with pytest.raises(br.ArgumentError, match="named like the truth") as caught:
        br.from_frame(frame)
    assert f"truth={name!r}, entities=['y1', 'y2'] says that it holds the true labels" in str(
        caught.value
    )
    frame.to_csv(tmp_path / "tests.csv", index=False)
    assert f"--truth {name} --entities y1,y2 says" in refused("rank", tmp_path / "tests.csv")
    found = br.from_frame(frame, truth=name, entities=["y1", "y2"])
    assert found.equals(br.joint_outcomes(TRUTH, TESTS.astype(int)))
    assert br.from_frame(frame, entities=[name, "y1", "y2"]).sizes["entity"] == 3


def test_patterns_of_two_tests_have_the_published_rates():
    """Paired1 of the R package DTComPair."""
    rows = [(d, a, b) for d in (0, 1) for a in (0, 1) for b in (0, 1)]
    frame = pd.DataFrame(rows, columns=["d", "y1", "y2"]).assign(
        Freq=[155, 22, 53, 31, 32, 22, 78, 319]
    )
    with pytest.raises(br.ArgumentError, match="must say what its column Freq holds"):
        br.from_frame(frame)
    with pytest.raises(br.ArgumentError, match="named like the truth"):
        br.from_frame(frame, count="Freq")
    posterior = br.fit(
        br.from_frame(frame, count="Freq", truth="d", entities=["y1", "y2"]), draws=20, seed=1
    )
    counts = posterior["observed_data"]["counts"]
    assert br.scores.tpr(counts).values.round(3).tolist() == [0.88, 0.756]
    assert br.scores.tnr(counts).values.round(3).tolist() == [0.678, 0.797]


def test_a_letter_among_letters_is_an_entity():
    assert (
        br.from_frame(pd.DataFrame(rng.integers(0, 2, (9, 4)), columns=list("abcd"))).sizes[
            "entity"
        ]
        == 4
    )


SCORES = pd.DataFrame(
    rng.uniform(0.6, 0.8, (10, 3)).round(4), columns=["adaboost", "bagging", "tree"]
)


def test_scores_of_folds_are_no_cases(tmp_path):
    """Ten folds were ten independent cases: "bagging is best: P(best) = 0.999"."""
    for frame, words in (
        (SCORES, "must say what its rows are; got 10 rows of fractions"),
        (
            (100 * SCORES).round(2),
            "must say what its rows are; got 10 rows of fractions or percentages",
        ),
        (SCORES.assign(fold=range(10)), "one row for each fold"),
        (SCORES.assign(split=range(1, 11)), "one row for each split"),
    ):
        with pytest.raises(br.ArgumentError, match=words) as caught:
            br.from_frame(frame)
        assert "train=0.9, test=0.1 says that they are of 10 folds" in str(caught.value)
        frame.to_csv(tmp_path / "folds.csv", index=False)
        assert words in refused("rank", tmp_path / "folds.csv")
    with pytest.raises(
        br.ArgumentError, match="case must name a column that names the cases; got 'fold'"
    ):
        br.from_frame(SCORES.assign(fold=range(10)), case="fold")
    long = SCORES.assign(fold=range(10)).melt("fold", var_name="model", value_name="score")
    with pytest.raises(br.ArgumentError, match="which names folds"):
        br.from_frame(long, case="fold")


def test_rows_of_fractions_with_names_or_many_of_them_are_cases():
    assert br.from_frame(SCORES.assign(case=range(10))).sizes["entity"] == 3
    assert br.from_frame(pd.concat([SCORES, SCORES + 0.01, SCORES[:3]])).sizes["entity"] == 3
    assert br.from_frame(SCORES, entities=list(SCORES)).sizes["entity"] == 3


def test_minus_one_beside_right_and_wrong_is_asked_for():
    frame = TESTS.astype(int)
    frame.iloc[3] = -1
    with pytest.raises(br.ArgumentError, match="must say what -1 means beside 0 and 1"):
        br.from_frame(frame)
    assert br.from_frame(frame.replace(-1, np.nan), missing="own").sizes["entity"] == 2
    assert br.from_frame(frame, entities=["y1", "y2"]).sizes["entity"] == 2
    assert br.from_frame(2 * TESTS.astype(int) - 1).sizes["entity"] == 2


@pytest.mark.parametrize(
    "headings", [("sick", "well"), ("p_sick", "p_well"), (".pred_sick", ".pred_well")]
)
def test_probabilities_of_classes_are_of_one_entity(headings):
    p = np.where(TRUTH, 0.7, 0.4) + rng.uniform(-0.2, 0.2, 40)
    frame = pd.DataFrame(
        {"actual": np.where(TRUTH, "sick", "well"), headings[0]: p, headings[1]: 1 - p}
    )
    with pytest.raises(
        br.ArgumentError, match=f"got {headings[0]}, {headings[1]}, which name classes"
    ) as caught:
        br.from_frame(frame, positive="sick")
    assert "'MODEL: sick'" in str(caught.value)
    named = frame.set_axis(["actual", "MODEL: sick", "MODEL: well"], axis=1)
    direct = br.from_frame(
        frame[["actual", headings[0]]].set_axis(["actual", "MODEL"], axis=1), positive="sick"
    )
    found = br.from_frame(named, positive="sick")
    assert np.allclose(found["probability"], direct["probability"])


def test_percentages_are_probabilities():
    """A of the case in the review has an area of 1, B of 7/9; the last row was called the totals of the others."""
    columns = {"A": [90, 80, 30, 10, 70, 35], "B": [40, 85, 45, 20, 60, 55]}
    frame = pd.DataFrame(
        {"actual": [1, 1, 0, 0, 1, 0]}
        | {name: [f"{v}%" for v in of] for name, of in columns.items()}
    )
    area = br.fit(br.from_frame(frame), seed=1, draws=5)["observed_data"]["auc_roc"]
    assert area.values.round(4).tolist() == [1.0, 0.7778]
    for last in ("100%", "12.5%", "0%"):
        frame.loc[5, ["A", "B"]] = last
        assert (
            br.from_frame(frame)["probability"].values[5].tolist() == [float(last[:-1]) / 100] * 2
        )
