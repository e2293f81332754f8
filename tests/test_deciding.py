"""Which cases decide: against counting by hand, and properties under permutation."""

import numpy as np
import pandas as pd
import xarray as xr

import bayesrank as br


def test_who_differs_decides():
    """One row a case, so that every number can be counted from the frame."""
    cases = br.datasets.load_cases("breast_cancer")
    names = ["logreg", "knn5", "tree"]
    right = cases[names].eq(cases["y_true"], axis=0)
    found = br.cases.deciding_cases(br.joint_outcomes(cases["y_true"], cases[names]))
    assert found["count"].sum() == len(cases)
    assert found["count"].where(found["decides"]).sum() == (right.nunique(axis=1) > 1).sum()
    assert found["entity"].values.tolist() == right.mean().sort_values(ascending=False).index.tolist()
    np.testing.assert_allclose(found["mean_outcome"], right.mean()[found["entity"].values], rtol=1e-14)
    assert (np.diff(found["ease"]) <= 0).all()
    counted = right[found["entity"].values].value_counts()
    for i in range(found.sizes["pattern"]):
        assert counted[tuple(found["outcome"].values[i].astype(bool))] == found["count"][i]


def test_the_order_of_cases_and_entities_changes_nothing():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.integers(0, 3, (40, 4)), columns=list("wxyz"))
    found = br.cases.deciding_cases(br.from_outcomes(frame))
    turned = br.cases.deciding_cases(br.from_outcomes(frame.iloc[::-1, [2, 0, 3, 1]]))
    xr.testing.assert_identical(found, turned)


def test_clusters_and_data_sets_do_not_split_patterns():
    frame = pd.DataFrame({"a": [1, 1, 0], "b": [1, 1, 1]})
    plain = br.cases.deciding_cases(br.from_outcomes(frame))
    xr.testing.assert_identical(br.cases.deciding_cases(br.from_outcomes(frame, cluster=["u", "v", "w"])), plain)
    xr.testing.assert_identical(br.cases.deciding_cases(br.from_outcomes(frame, dataset=["u", "v", "v"])), plain)


def test_an_outcome_that_is_missing_decides_nothing():
    joint = br.from_outcomes(pd.DataFrame({"a": [1, 1, 0], "b": [1, 0, 0]}))
    assert br.cases.deciding_cases(joint)["decides"].sum() == 1
    joint["outcome"] = joint["outcome"].where(joint["outcome"] == joint["outcome"].sel(entity="a"))
    found = br.cases.deciding_cases(joint)
    assert not found["decides"].any()
    assert found["mean_outcome"].sel(entity=["a", "b"]).values.tolist() == [2 / 3, 1 / 2]
