"""More runs or more cases: identities of the one-way analysis of variance, and simulations of what is estimated."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

import bayesrank as br

RNG = np.random.default_rng(5)


def rows(values):
    """A frame with one row a run, from values (case, run)."""
    case, run = np.divmod(np.arange(values.size), values.shape[1])
    return pd.DataFrame({"a": values.ravel(), "q": case, "run": run})


@settings(max_examples=40)
@given(st.integers(2, 9), st.integers(2, 5), st.integers(0, 2**32 - 1))
def test_equal_runs_are_a_one_way_analysis_of_variance(cases, runs, seed):
    """Mean squares between and within, from total sums of squares: another route than means of cases."""
    values = np.random.default_rng(seed).normal(size=(cases, runs)).round(2)
    grand, square = values.sum() ** 2 / values.size, (values.sum(1) ** 2).sum() / runs
    between = (square - grand) / (cases - 1)
    within = ((values**2).sum() - square) / cases / (runs - 1)
    found = br.cases.variance_components(rows(values), case="q", run="run").sel(entity="a")
    single = br.cases.variance_components(rows(values), case="q", run="run", cluster="q").sel(
        entity="a"
    )
    xr.testing.assert_allclose(single, found, rtol=1e-10)  # clusters of one are cases
    assert found["between_runs"] == pytest.approx(within, abs=1e-9)
    assert found["between_cases"] == pytest.approx(max((between - within) / runs, 0), abs=1e-9)
    assert bool(found["truncated"]) == (between < within) or between == pytest.approx(within)
    assert found["standard_error"] == pytest.approx(
        np.sqrt(max(between, within) / values.size), abs=1e-7
    )
    assert found["with_twice_the_cases"] == pytest.approx(
        float(found["standard_error"]) / np.sqrt(2)
    )
    twice = (max((between - within) / runs, 0) + within / runs / 2) / cases
    assert found["with_twice_the_runs"] == pytest.approx(np.sqrt(twice), abs=1e-7)
    # For as many runs in all, more cases are never worse.
    assert found["with_twice_the_cases"] <= found["with_twice_the_runs"] + 1e-12


@pytest.mark.parametrize("by", ["number", "column", "sequence", "array"])
def test_shares_of_runs_are_runs(by):
    right = RNG.random((20, 6)) < RNG.random((20, 1))
    long = br.cases.variance_components(rows(right.astype(float)), case="q", run="run")
    shares = pd.DataFrame({"a": right.mean(axis=1), "times": 6})
    runs = {"number": 6, "column": "times", "sequence": [6] * 20, "array": np.full((20, 1), 6)}[by]
    frame = shares if by == "column" else shares[["a"]]
    short = br.cases.variance_components(frame, runs=runs)
    for name in long:
        np.testing.assert_allclose(short[name], long[name], rtol=1e-12)
    p = shares["a"]
    assert short["between_runs"].item() / 6 == pytest.approx((p * (1 - p) / 5).mean())
    assert short.attrs == long.attrs


def test_unequal_runs_by_hand():
    frame = pd.DataFrame({"q": list("xxxyyz"), "a": [1.0, 2.0, 3.0, 5.0, 7.0, 6.0]})
    found = br.cases.variance_components(frame, case="q").sel(entity="a")
    within = (1 + 2) / 2  # of x and y; z is taken to vary as these do
    noise = (1 / 3 + 2 / 2 + within / 1) / 3
    square = np.var([2, 6, 6], ddof=1)
    assert found["mean"] == pytest.approx(14 / 3)
    assert found["between_runs"] == pytest.approx(within)
    assert found["between_cases"] == pytest.approx(square - noise)
    assert found["standard_error"] == pytest.approx(np.sqrt(square / 3))
    assert found["with_twice_the_runs"] == pytest.approx(np.sqrt((square - noise / 2) / 3))
    shuffled = br.cases.variance_components(frame.iloc[[3, 0, 5, 2, 4, 1]], case="q").sel(
        entity="a"
    )
    assert {name: float(v) for name, v in shuffled.items()} == pytest.approx(
        {n: float(v) for n, v in found.items()}
    )


def test_clusters_of_equal_size_have_the_error_of_their_means():
    values = RNG.normal(size=(12, 4)) + np.repeat(RNG.normal(size=4), 3)[:, None]
    frame = rows(values).assign(group=np.repeat(np.arange(4), 12))
    found = br.cases.variance_components(frame, case="q", run="run", cluster="group").sel(
        entity="a"
    )
    means = values.reshape(4, 12).mean(axis=1)
    assert found["standard_error"] == pytest.approx(means.std(ddof=1) / 2)
    noise = values.var(axis=1, ddof=1).mean() / 4
    assert found["with_twice_the_runs"] == pytest.approx(
        np.sqrt(means.var(ddof=1) / 4 - noise / 12 / 2)
    )
    assert found.attrs["clusters"] == 4
    assert "in as many more clusters" in found.attrs["advice"]


def test_what_is_estimated_is_what_varies():
    """Bernoulli runs of clustered cases whose rates are Beta(2, 1): variances between 1/18, within 1/6."""
    rng, times, cases, runs, clusters = np.random.default_rng(9), 150, 60, 4, 20
    cluster = np.arange(cases) // (cases // clusters)
    shares = rng.binomial(runs, rng.beta(2, 1, (times, clusters))[:, cluster]) / runs
    found = [
        br.cases.variance_components(pd.DataFrame({"a": x}), runs=runs, cluster=cluster).isel(
            entity=0
        )
        for x in shares
    ]
    held = {name: np.array([float(f[name]) for f in found]) for name in found[0]}
    assert not held["truncated"].any()
    for name, truth in (("between_cases", 1 / 18), ("between_runs", 1 / 6), ("mean", 2 / 3)):
        error = held[name].std() / np.sqrt(times)
        assert abs(held[name].mean() - truth) < 5 * error, name
    # The squared standard error is the variance of the mean, and that of a larger study what was said.
    truths = {
        "standard_error": 1 / 18 / clusters + 1 / 6 / runs / cases,
        "with_twice_the_cases": (1 / 18 / clusters + 1 / 6 / runs / cases) / 2,
        "with_twice_the_runs": 1 / 18 / clusters + 1 / 6 / (2 * runs) / cases,
    }
    for name, truth in truths.items():
        squares = held[name] ** 2
        assert abs(squares.mean() - truth) < 5 * squares.std() / np.sqrt(times), name
    assert abs(held["mean"].var() / truths["standard_error"] - 1) < 5 * np.sqrt(2 / times)


def test_advice():
    alike = pd.DataFrame({"a": np.tile([0.0, 1.0], 20), "b": np.tile([1.0, 0.0], 20)})
    fixed = br.cases.variance_components(
        alike, case=np.arange(40) % 20
    )  # each case always the same
    more = "More cases, not more runs: twice the cases would divide the standard error by 1.41, twice the runs by about"
    assert fixed.attrs["advice"] == f"{more} 1.00."
    noise = br.cases.variance_components(
        alike, case=np.repeat(np.arange(20), 2)
    )  # each case half right
    assert noise["truncated"].all()
    assert (noise["between_cases"] == 0).all()
    assert noise.attrs["advice"].startswith("More runs help about as much as more cases: ")
    both = br.cases.variance_components(alike.assign(c=0.0), case=np.repeat(np.arange(20), 2))
    assert both.attrs["advice"] == noise.attrs["advice"]
    none = br.cases.variance_components(alike[["a"]] * 0, case=np.repeat(np.arange(20), 2))
    assert none.attrs["advice"].startswith("All cases have equal outcomes")
    mixed = pd.DataFrame(
        {"a": [0.5, 0.5, 1.0, 0.0, 0.75, 0.25], "b": [0.0, 1.0, 0.25, 0.75, 1.0, 0.0]}
    )
    advice = br.cases.variance_components(mixed, runs=4).attrs["advice"]
    assert advice.startswith("More cases help more than more runs: ")


def test_an_entity_of_single_runs_is_undefined():
    frame = pd.DataFrame({"a": [0.5, 1.0, 0.0], "b": [1.0, 0.0, 0.0]})
    found = br.cases.variance_components(frame, runs=np.array([[2, 1]] * 3))
    assert found["between_runs"].isnull().values.tolist() == [False, True]
    assert found["between_cases"].isnull().values.tolist() == [False, True]
    assert found["with_twice_the_runs"].isnull().values.tolist() == [False, True]
    np.testing.assert_allclose(
        found["standard_error"], [frame["a"].std() / 3**0.5, frame["b"].std() / 3**0.5]
    )


def test_the_runs_of_a_leaderboard():
    cases = pd.read_csv(
        Path(__file__).parents[1] / "examples" / "data" / "livecodebench_execution.csv"
    )
    shares = cases[["Claude-2", "Claude-3-Opus"]]
    found = br.cases.variance_components(shares.assign(q=cases["question"]), runs=10, cluster="q")
    assert found.attrs["advice"].startswith("More cases, not more runs")
    assert (
        found["standard_error"] > br.cases.variance_components(shares, runs=10)["standard_error"]
    ).all()
