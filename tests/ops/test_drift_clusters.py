"""Drift of clustered cases: what the cases of a period are worth, and alarms."""

import numpy as np
import pandas as pd
import pytest

import bayesrank as br
from bayesrank.ops.alarms import compare_looks
from bayesrank.ops.clusters import worth_of_periods
from tests.commands import invoke, refused


def test_clusters_of_one_case_are_cases():
    right, size = np.repeat([1.0, 0.0], [150, 50]), np.ones(200)
    cases, freedom = worth_of_periods([(right, size, 200.0)] * 3)
    np.testing.assert_allclose(cases, 200, rtol=0.02)
    np.testing.assert_allclose(freedom, 199)


def test_cases_of_one_cluster_with_one_outcome_count_as_one():
    """G clusters of m equal cases: the design effect of intraclass correlation 1 is m."""
    right, size = 10.0 * np.repeat([1.0, 0.0], [15, 5]), np.full(20, 10.0)
    cases, freedom = worth_of_periods([(right, size, 200.0)])
    # G/(G - 1) for the variance, half a case of each outcome in that of independent cases, 19 degrees of freedom.
    rate = 150.5 / 201
    assert cases[0] == pytest.approx(20 * 19 / 20 * rate * (1 - rate) / (0.75 * 0.25) * 19 / 21)
    assert freedom[0] == pytest.approx(19)


def test_a_period_without_errors_has_the_design_effect_of_the_periods_before():
    clustered = 10.0 * np.repeat([1.0, 0.0], [15, 5])
    size = np.full(20, 10.0)
    alone = worth_of_periods([(size, size, 200.0)])[0][0]
    after = worth_of_periods([(clustered, size, 200.0), (size, size, 200.0)])[0][1]
    assert alone == pytest.approx(200 * 19 / 21)
    assert after < 200 / 4
    # A period alone has one cluster at least, and is not compared otherwise.
    assert worth_of_periods([(size[:1], size[:1], 10.0)])[0][0] == 0


def test_degrees_of_freedom_make_p_values_larger():
    mean, cases = np.array([0.95, 0.85, 0.95]), np.full(3, 200.0)
    normal = compare_looks(mean, cases, 0, 24, 0.025)
    np.testing.assert_allclose(compare_looks(mean, cases, 0, 24, 0.025, np.full(3, np.inf)), normal)
    few = compare_looks(mean, cases, 0, 24, 0.025, np.full(3, 9.0))
    assert few[1, 0] > 2 * normal[1, 0]


def clustered_months(fall, seed=3):
    """Four months with 20 sites of 10 cases of each class, and an intraclass correlation of 0.1."""
    rng, rows = np.random.default_rng(seed), []
    for month in range(4):
        for site in range(20):
            for actual, rate in ((0, 0.9), (1, 0.6 if fall and month > 1 else 0.92)):
                own = rng.beta(9 * rate, 9 * (1 - rate))
                right = rng.random(10) < own
                rows += [
                    (f"month {month}", f"{month} {site}", actual, actual if one else 1 - actual)
                    for one in right
                ]
    return pd.DataFrame(rows, columns=["month", "site", "y_true", "model"])


def test_the_whole_of_it_and_the_command(tmp_path):
    for fall in (False, True):
        frame = clustered_months(fall)
        joint = br.joint_outcomes(
            frame["y_true"], frame[["model"]], cluster=frame["site"], dataset=frame["month"]
        )
        found = br.ops.drift(br.fit(joint, "paired", seed=1, draws=200), "f1")
        assert bool(found["alarm"].any()) == fall
        assert any(
            "if the clusters of each period are independent" in line for line in br.notes(found)
        )
        frame.to_csv(tmp_path / "cases.csv", index=False)
        asked = (
            "drift",
            tmp_path / "cases.csv",
            "--dataset-column",
            "month",
            "--cluster",
            "site",
            "--draws",
            200,
        )
        assert br.verdict(found)[0] in invoke(*asked, "--score", "f1", status=int(fall))
    assert "--model must be 'paired' for cases in clusters" in refused(
        *asked, "--model", "beta_binomial"
    )
    # Without the clusters, the same cases look like more.
    plain = br.fit(
        br.joint_outcomes(frame["y_true"], frame[["model"]], dataset=frame["month"]),
        "paired",
        seed=1,
    )
    p_plain = (
        br.ops.drift(plain, "f1")["p_worse"]
        .sel(dataset="month 2", rate="tpr", against="baseline")
        .item()
    )
    assert p_plain < found["p_worse"].sel(dataset="month 2", rate="tpr", against="baseline").item()


def test_a_mapping_of_periods_has_clusters_in_all_or_none():
    frame = clustered_months(True)
    joint = {
        month: br.joint_outcomes(own["y_true"], own[["model"]], cluster=own["site"])
        for month, own in frame.groupby("month")
    }
    periods = {
        month: br.fit(one, "paired", seed=i, draws=100)
        for i, (month, one) in enumerate(joint.items())
    }
    assert br.ops.drift(periods, "f1")["alarm"].sel(dataset="month 2", rate="tpr").any()
    first = frame[frame["month"] == "month 0"]
    periods["month 0"] = br.fit(
        br.joint_outcomes(first["y_true"], first[["model"]]), "paired", seed=9, draws=100
    )
    with pytest.raises(
        ValueError, match="clusters in all periods or in no period; got none in 'month 0'"
    ):
        br.ops.drift(periods, "f1")
