"""Single cases: counts of each entity, the patterns that they met together, and the cases that decide."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

import bayesrank as br
from bayesrank._core import labels as _labels
from bayesrank._core.labels import unique_rows

CASES = st.integers(1, 30).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, 2), min_size=n, max_size=n) for _ in range(5)))
)


def marginal(joint, entity):
    """The confusion matrix of one entity, from the patterns."""
    where = {label: i for i, label in enumerate(joint["label"].values.tolist())}
    table = np.zeros((len(where), len(where)), int)
    predicted = joint["predicted"].sel(entity=entity).values.tolist()
    for actual, guess, count in zip(
        joint["actual"].values.tolist(), predicted, joint["count"].values, strict=True
    ):
        table[where[actual], where[guess]] += count
    return table


@given(CASES)
def test_patterns_hold_what_the_counts_of_each_entity_hold(cases):
    truth, first, second, weight, group = cases
    guesses = {"first": first, "second": second}
    how = {"labels": [2, 0, 1], "count": weight}
    joint = br.joint_outcomes(truth, guesses, **how, dataset=group)
    counts = br.from_predictions(truth, guesses, **how, dataset=group)
    assert joint["label"].values.tolist() == counts["actual"].values.tolist() == [2, 0, 1]
    for dataset in set(group):
        part = joint.isel(pattern=joint["dataset"].values == dataset)
        for entity in guesses:
            assert (
                marginal(part, entity) == counts.sel(entity=entity, dataset=dataset).values
            ).all()
    # each pattern once, as often as its cases weigh
    seen = {}
    for *key, w in zip(group, truth, first, second, weight, strict=True):
        seen[tuple(key)] = seen.get(tuple(key), 0) + w
    columns = joint["dataset"].values, joint["actual"].values, *joint["predicted"].values.T
    found = {
        tuple(map(int, key)): int(n)
        for *key, n in zip(*columns, joint["count"].values, strict=True)
    }
    assert found == {key: n for key, n in seen.items() if n}
    assert len(found) == joint.sizes["pattern"]


def test_cases_of_different_clusters_stay_apart():
    truth, guesses = (
        ["well", "ill", "ill", "ill"],
        {"a": ["well", "ill", "well", "ill"], "b": ["ill"] * 4},
    )
    joint = br.joint_outcomes(truth, guesses, labels=["well", "ill"], cluster=["p", "q", "q", "r"])
    assert joint["cluster"].values.tolist() == ["p", "q", "q", "r"]
    assert joint["actual"].values.tolist() == ["well", "ill", "ill", "ill"]
    assert joint["predicted"].sel(entity="a").values.tolist() == ["well", "well", "ill", "ill"]
    together = br.joint_outcomes(truth, guesses, labels=["well", "ill"])
    assert together["count"].values.tolist() == [1, 1, 2]
    assert "cluster" not in together.coords


def test_patterns_know_their_positive_class():
    """Two future cases, one of each class: the difference of TPRs is what the positive patterns say."""
    truth, guesses = (
        ["ill"] * 6 + ["well"],
        {"a": ["ill"] * 6 + ["well"], "b": ["well"] * 6 + ["well"]},
    )
    joint = br.joint_outcomes(
        truth, guesses, labels=["well", "ill"]
    )  # sorted, "well" would be the positive class
    pmf = br.predictive.paired_difference(joint, "a", "b", "tpr", positives=1, negatives=1)
    right, wrong = 6.5 / 7, 0.5 / 7  # of Beta(1/2, 1/2) and six of six
    # a right where b is wrong: six of six, prior share 1/4 of one pseudo-case
    better = (6 + 0.25) / 7
    assert pmf["probability"].sel(value=1.0).item() == pytest.approx(better)
    assert pmf["probability"].sel(value=-1.0).item() == pytest.approx(0.25 / 7)
    assert (pmf["value"] * pmf["probability"]).sum().item() == pytest.approx(right - wrong)


def test_categories_have_their_order_unless_there_are_labels():
    truth = pd.Categorical(["low", "high", "high"], categories=["low", "high"], ordered=True)
    counts = br.from_predictions(pd.Series(truth), {"a": ["low", "low", "high"]})
    assert counts["actual"].values.tolist() == ["low", "high"]
    assert counts.squeeze().values.tolist() == [[1, 0], [1, 1]]
    assert br.joint_outcomes(truth, {"a": ["low", "low", "high"]})["label"].values.tolist() == [
        "low",
        "high",
    ]
    frame = pd.DataFrame(
        {"entity": "a", "actual": truth, "predicted": ["low", "low", "high"], "count": 1}
    )
    xr.testing.assert_identical(counts, br.from_frame(frame))
    counts = br.from_predictions(truth, {"a": ["low", "high", "low"]}, labels=["high", "low"])
    assert counts["actual"].values.tolist() == ["high", "low"]


@pytest.mark.parametrize("columns", [1, 5, 90])  # ninety columns are more than one number can hold
def test_distinct_rows_are_those_of_numpy(columns):
    rows = (
        np.random.default_rng(3).integers(0, 5, (400, columns)) * (np.arange(400) % 3 > 0)[:, None]
    )
    found, which = unique_rows(rows)
    wanted, inverse = np.unique(rows, axis=0, return_inverse=True)
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(which, inverse.ravel())


def test_indices_of_rows_have_the_bits_of_the_platform(monkeypatch):
    """Where indices have 32 bits, as in a browser, np.bincount refuses those of 64, which pandas makes everywhere."""
    monkeypatch.setattr(_labels, "np", SimpleNamespace(intp=np.int32, unique=np.unique))
    assert unique_rows(np.eye(3))[1].dtype == np.int32


# --- Which cases decide -------------------------------------------------------------------------------------------


def test_who_differs_decides():
    """One row a case, so that every number can be counted from the frame."""
    cases = br.datasets.load_cases("breast_cancer")
    names = ["logreg", "knn5", "tree"]
    right = cases[names].eq(cases["y_true"], axis=0)
    found = br.cases.deciding_cases(br.joint_outcomes(cases["y_true"], cases[names]))
    assert found["count"].sum() == len(cases)
    assert found["count"].where(found["decides"]).sum() == (right.nunique(axis=1) > 1).sum()
    assert (
        found["entity"].values.tolist() == right.mean().sort_values(ascending=False).index.tolist()
    )
    np.testing.assert_allclose(
        found["mean_outcome"], right.mean()[found["entity"].values], rtol=1e-14
    )
    assert (np.diff(found["outcome"].mean("entity")) <= 1e-12).all()
    counted = right[found["entity"].values].value_counts()
    for i in range(found.sizes["pattern"]):
        assert counted[tuple(found["outcome"].values[i].astype(bool))] == found["count"][i]


def test_the_order_of_cases_and_entities_changes_nothing():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.integers(0, 3, (40, 4)), columns=list("wxyz"))
    found = br.cases.deciding_cases(br.from_outcomes(frame))
    turned = br.cases.deciding_cases(br.from_outcomes(frame.iloc[::-1, [2, 0, 3, 1]]))
    xr.testing.assert_identical(found, turned)


@pytest.mark.parametrize("group", ["cluster", "dataset"])
def test_clusters_and_data_sets_do_not_split_patterns(group):
    frame = pd.DataFrame({"a": [1, 1, 0], "b": [1, 1, 1]})
    found = (
        br.cases.deciding_cases(br.from_outcomes(frame, **how))
        for how in ({}, {group: ["u", "v", "v"]})
    )
    xr.testing.assert_identical(*found)


def test_an_outcome_that_is_missing_decides_nothing():
    joint = br.from_outcomes(pd.DataFrame({"a": [1, 1, 0], "b": [1, 0, 0]}))
    assert br.cases.deciding_cases(joint)["decides"].sum() == 1
    joint["outcome"] = joint["outcome"].where(joint["outcome"] == joint["outcome"].sel(entity="a"))
    found = br.cases.deciding_cases(joint)
    assert not found["decides"].any()
    assert found["mean_outcome"].sel(entity=["a", "b"]).values.tolist() == [2 / 3, 1 / 2]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "tuberculosis_tests",
            "joint must have the true class of every case; got 1877 cases without one",
        ),
        (
            "hepatic_scans",
            "joint must have the true class of every case; got 306 cases without one",
        ),
        (
            "trajectory_judges",
            "joint must come from br.joint_outcomes or br.from_outcomes; got verdicts of a judge",
        ),
    ],
)
def test_cases_without_a_true_class_do_not_count_as_errors(name, words):
    with pytest.raises(br.ArgumentError, match=words):
        br.cases.deciding_cases(br.datasets.load(name))
