"""Names of cases, repeated runs and missing answers: no case counts twice, and nothing is dropped in silence."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bayesrank as br
from bayesrank._core.source import groups_of
from bayesrank.evidence.ledger import ledger_of
from tests.strategies import LEVEL
from tests.told import said as said_in

RNG = np.random.default_rng(11)
RIGHT = pd.DataFrame(RNG.random((60, 3)) < [0.8, 0.6, 0.5], columns=list("abc")).astype(float)
GAPS = RIGHT.mask(RNG.random((60, 3)) < [0.3, 0.1, 0.0])
NAMES = [f"q{i}" for i in range(60)]
TRUTH = [0, 0, 1, 1]
GUESSES = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}


def notes(posterior, score="mean_outcome"):
    return said_in(br.credible_ranking(posterior, score))


# --- Names --------------------------------------------------------------------------------------------------------


def test_names_change_nothing_but_what_is_refused():
    named = br.from_outcomes(RIGHT.assign(q=NAMES), case="q")
    xr.testing.assert_identical(named, br.from_outcomes(RIGHT))
    joint = br.joint_outcomes(TRUTH, GUESSES, case=list("wxyz"), dataset=list("uuvv"))
    xr.testing.assert_identical(joint, br.joint_outcomes(TRUTH, GUESSES, dataset=list("uuvv")))


def test_a_case_of_no_weight_is_none():
    found = br.joint_outcomes(TRUTH, GUESSES, case=list("wxyx"), count=[1, 1, 1, 0])
    assert int(found["count"].sum()) == 3


# --- Runs ---------------------------------------------------------------------------------------------------------


def test_the_outcome_of_a_case_is_its_mean_over_runs():
    frame = pd.DataFrame(
        {"q": list("xyxxy"), "seed": [1, 1, 2, 3, 2], "a": [1, 0, 1, 0, 1], "b": [0.5, 2, 1, 3, 4]}
    )
    found = br.from_outcomes(frame, case="q", run="seed")
    rows = {tuple(row) for row in found["outcome"].values.round(12).tolist()}
    assert rows == {(round(2 / 3, 12), 1.5), (0.5, 3.0)}
    assert found["count"].values.tolist() == [1, 1]
    assert (found.attrs["fewest_runs"], found.attrs["most_runs"]) == (2, 3)


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1))
def test_the_order_of_runs_changes_no_number(seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.random((12, 2)), columns=["a", "b"]).assign(
        q=rng.integers(0, 4, 12), seed=range(12)
    )
    one = br.from_outcomes(frame, case="q", run="seed", cluster=frame["q"] // 2)
    mixed = frame.sample(frac=1, random_state=seed)
    two = br.from_outcomes(mixed, case="q", run="seed", cluster=mixed["q"] // 2)
    key = np.lexsort(one["outcome"].values.T), np.lexsort(two["outcome"].values.T)
    np.testing.assert_array_equal(one["outcome"].values[key[0]], two["outcome"].values[key[1]])


def test_runs_are_no_more_cases():
    """Ten runs of each of thirty cases that always come out the same are thirty cases."""
    frame = pd.DataFrame({"a": [1, 0, 1] * 10, "b": [0, 0, 1] * 10})
    runs = pd.concat([frame.assign(q=range(30), seed=seed) for seed in range(10)])
    joint = br.from_outcomes(runs, case="q", run="seed")
    assert (joint["runs"] == 10).all()
    xr.testing.assert_equal(joint.drop_vars("runs"), br.from_outcomes(frame))


# --- Missing answers ----------------------------------------------------------------------------------------------


def test_common_cases_are_said():
    found, whole = br.from_outcomes(GAPS, missing="common"), GAPS.dropna()
    xr.testing.assert_equal(found, br.from_outcomes(whole))
    assert (found.attrs["cases"], found.attrs["cases_left_out"]) == (len(whole), 60 - len(whole))
    posterior = br.fit(found, "paired", seed=1, draws=20)
    assert f"{len(whole)} of 60 cases are kept; all entities met these." in notes(posterior)
    assert posterior["posterior"].attrs["missing"] == "common"


def test_a_missing_answer_may_count_as_a_number():
    found, lacking = br.from_outcomes(GAPS, missing=0), GAPS.isna().sum()
    xr.testing.assert_equal(found, br.from_outcomes(GAPS.fillna(0)))
    told = f"Missing answers count as 0: {lacking.sum()} of 180, at most {lacking.max()} of one entity (a)."
    assert told in notes(br.fit(found, "paired", seed=1, draws=20))


@pytest.mark.parametrize(("prior", "mass"), [(None, 0.5), (0.3, 0.3), ("haldane", 0)])
def test_on_its_own_cases_an_entity_has_the_marginals_of_its_own_counts(prior, mass):
    posterior = br.fit(br.from_outcomes(GAPS, missing="own"), "paired", prior=prior, seed=4)
    mean = posterior["posterior"]["mean_outcome"]
    for name, column in GAPS.items():
        right, met = column.sum(), column.notna().sum()
        drawn = mean.sel(entity=name).values.ravel()
        assert stats.kstest(drawn, stats.beta(mass + right, mass + met - right).cdf).pvalue > LEVEL
    observed = groups_of(posterior)["observed_data"]["mean_outcome"]
    np.testing.assert_allclose(observed, GAPS.mean())
    said = f"from {GAPS['a'].count()} of 60 (a) to 60: the ranking assumes that answers are missing at random"
    assert f"different cases, {said}" in notes(posterior)


def test_own_grades_have_dirichlet_marginals_and_own_numbers_the_bootstrap():
    rng = np.random.default_rng(2)
    grades = pd.DataFrame(rng.integers(1, 4, (80, 2)), columns=["x", "y"]).mask(
        rng.random((80, 2)) < 0.25
    )
    fit = br.fit(br.from_outcomes(grades, missing="own"), "paired", prior=[1, 2, 1], seed=1)
    for name, column in grades.items():
        n = [(column == grade).sum() for grade in (1, 2, 3)]
        alpha = np.array(n) + np.array([1, 2, 1])
        for i in range(3):
            drawn = br.as_performance(fit).sel(entity=name).isel(outcome=i).values.ravel()
            assert (
                stats.kstest(drawn, stats.beta(alpha[i], alpha.sum() - alpha[i]).cdf).pvalue > LEVEL
            )
    costs = pd.DataFrame(rng.gamma(2, size=(70, 2)), columns=["x", "y"]).mask(
        rng.random((70, 2)) < 0.25
    )
    mean = br.fit(br.from_outcomes(costs, missing="own"), "paired", seed=1, draws=2500)[
        "posterior"
    ]["mean_outcome"]
    for name, column in costs.items():
        v = column.dropna()
        variance = ((v - v.mean()) ** 2).sum() / len(v) / (len(v) + 1)
        drawn = mean.sel(entity=name)
        assert abs(float(drawn.mean()) - v.mean()) < 5 * np.sqrt(variance / drawn.size)
        assert abs(float(drawn.var()) / variance - 1) < 5 * np.sqrt(2.2 / drawn.size)


def test_cases_met_by_both_still_pair_them():
    """Twins that lack different cases: what they met together does not blur their difference."""
    base = RNG.random(200) < 0.7
    twins = pd.DataFrame({"a": base, "b": base}).astype(float)
    twins.loc[:9, "a"], twins.loc[10:19, "b"] = np.nan, np.nan
    mean = br.fit(br.from_outcomes(twins, missing="own"), "paired", seed=1)["posterior"][
        "mean_outcome"
    ]
    difference = (mean.sel(entity="a") - mean.sel(entity="b")).std()
    assert float(difference) < 0.5 * float(mean.sel(entity="a").std())


def test_an_entity_without_cases_on_a_data_set_has_no_value_there():
    frame = RIGHT.copy()
    frame.loc[:29, "a"] = np.nan
    found = br.from_outcomes(frame, dataset=np.repeat(["u", "v"], 30), missing="own")
    fit = br.fit(found, "paired", seed=1, draws=50, groups=["prior"])
    for group in ("posterior", "prior"):
        mean = groups_of(fit)[group]["mean_outcome"]
        assert mean.sel(entity="a", dataset="u").isnull().all()
        assert mean.notnull().all(["chain", "draw"]).sum() == 5
    with pytest.raises(ValueError, match=r"got 'a' without 'u'$"):
        br.performance.mean_over_datasets(fit)
    only = br.performance.mean_over_datasets(fit, {"u": 0, "v": 1})
    np.testing.assert_allclose(
        only["posterior"]["mean_outcome"],
        fit["posterior"]["mean_outcome"].sel(dataset="v"),
        rtol=1e-12,
    )


@pytest.mark.parametrize(
    ("rows", "cluster", "said"),
    [
        (90, None, "Only 20 cases: with almost no prior"),
        (90, np.arange(90) // 2, "Only 10 clusters"),
        (90, np.arange(90) % 45, "Only 20 clusters"),  # one answer is enough for a cluster to count
        (1, None, "Only 1 case: with almost no prior"),
        (2, ["x", "x"], "Only 1 cluster: how much clusters differ"),
    ],
)
def test_few_own_cases_are_few(rows, cluster, said):
    frame = pd.DataFrame(RNG.random((90, 2)), columns=["a", "b"])
    frame.loc[20:, "b"] = np.nan
    outcomes = br.from_outcomes(frame[:rows], missing="own", cluster=cluster)
    assert said in said_in(br.fit(outcomes, "paired", draws=5)["posterior"].attrs)


@pytest.mark.parametrize(
    ("missing", "rows", "said"),
    [
        ("own", [(0.5, 0.0), (1.0, 0.5)], ""),  # the ledger has the numbers
        ("common", [(0.5, 0.0), (1.0, 0.5)], ""),  # all entities met both cases
        (0, [(0.5, 0.0), (0.5, 0.5)], "1 of 8"),
    ],
)
def test_missing_runs_are_left_out_of_means(missing, rows, said):
    frame = pd.DataFrame(
        {"q": list("xxyy"), "s": [1, 2, 1, 2], "a": [1, np.nan, 0, 1], "b": [1, 0, 0, 0]}
    )
    found = br.from_outcomes(frame, case="q", run="s", missing=missing)
    assert sorted(map(tuple, found["outcome"].values.tolist())) == rows
    assert said in said_in(found.attrs)
    assert [entry.runs for entry in ledger_of(found).entries] == [3, 4]


def test_common_cases_keep_all_their_runs():
    """Runs have numbers of their own for each entity: a made the runs 1 and 2 of x, b the runs 3 and 4."""
    gap = np.nan
    frame = pd.DataFrame(
        {
            "q": list("xxxxyy"),
            "s": [1, 2, 3, 4, 1, 2],
            "a": [1, 0, gap, gap, 1, 1],
            "b": 4 * [gap] + [1, gap],
        }
    )
    frame.loc[2:3, "b"] = [1, 1]
    frame.loc[6] = ["z", 1, 1, gap]
    found = br.from_outcomes(frame, case="q", run="s", missing="common")
    assert sorted(map(tuple, found["outcome"].values.tolist())) == [(0.5, 1.0), (1.0, 1.0)]
    assert (found.attrs["cases"], found.attrs["cases_left_out"]) == (2, 1)
    assert "2 of 3 cases are kept" in said_in(found.attrs)
    ledger = ledger_of(found)
    assert [(drop.what, drop.number, drop.total) for drop in ledger.dropped] == [
        ("cases", 1, 3),
        ("runs", 1, 8),
    ]
    assert [(entry.cases, entry.absent, entry.runs) for entry in ledger.entries] == [
        (2, 0, 5),
        (2, 1, 3),
    ]


@pytest.mark.parametrize("kind", ["Int64", "boolean", object])
def test_missing_values_of_any_kind_are_missing(kind):
    frame = pd.DataFrame({"a": pd.array([1, None, 0], dtype=kind), "b": [1, 1, 0]})
    assert br.from_outcomes(frame, missing="common")["count"].sum() == 2
    assert int(br.from_outcomes(frame, missing="own")["outcome"].isnull().sum()) == 1


def test_missing_predictions():
    guesses, truth = {"a": [0, None, 1, 1, 0], "b": [0, 1, 0, 1, np.nan]}, [0, 0, 1, 1, 2]
    found = br.joint_outcomes(truth, guesses, missing="common", dataset=list("uvuuv"))
    kept = br.joint_outcomes(
        [0, 1, 1], {"a": [0, 1, 1], "b": [0, 0, 1]}, labels=[0, 1, 2], dataset=list("uuu")
    )
    # Only labels that are given are named classes.
    xr.testing.assert_equal(found, kept.drop_vars("averaged"))  # the class that lost its case stays
    assert "3 of 5 cases" in notes(
        br.fit(found.drop_vars("dataset"), "paired", seed=1, draws=20), "accuracy"
    )


# --- Order and company --------------------------------------------------------------------------------------------


def test_clusters_of_one_change_no_number_where_answers_are_missing():
    one, single = (
        br.fit(br.from_outcomes(GAPS, missing="own", **how), "paired", seed=1, draws=50)[
            "posterior"
        ]["mean_outcome"]
        for how in ({}, {"cluster": NAMES})
    )
    xr.testing.assert_allclose(single, one, rtol=1e-12)


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        ({"a": [1], "b": [0]}, "Only 1 case: the result depends on the prior."),
        ({"a": [1, 0] * 5, "b": [0, 1] * 5}, ""),  # the entities differ on every case
        (
            {"a": [1, 0] * 5, "b": [0] * 10},
            "a beats b (pairwise), but they differ on only 5 of 10 cases: the comparison rests on these and on the "
            "prior.",
        ),
    ],
)
def test_few_answers_have_a_note_on_the_prior_as_few_counts_have(frame, said):
    lines = notes(
        br.fit(br.from_outcomes(pd.DataFrame(frame)), "paired", seed=1, draws=50)
    ).splitlines()
    assert [line for line in lines if "the end of the range" not in line] == (
        [said] if said else []
    )


def test_bounds_of_the_evidence_are_those_of_the_fit():
    grades = pd.DataFrame({"x": [1, 5, 3, 4], "y": [2, 2, 3, 3]})
    of_evidence = br.fit(br.from_outcomes(grades, range=(1, 5)), seed=1, draws=50)
    of_fit = br.fit(br.from_outcomes(grades), seed=1, range=(1, 5), draws=50)
    for fitted in (of_evidence, of_fit):
        assert groups_of(fitted)["posterior"].attrs["mean_outcome_range"] == [1, 5]
    xr.testing.assert_equal(
        *(groups_of(fitted)["posterior"]["mean_outcome"] for fitted in (of_evidence, of_fit))
    )


def test_runs_of_a_case_are_its_cluster():
    truth = [0, 0, 1, 1, 0, 1]
    predictions, case, run = {"a": truth, "b": [0, 1, 1, 1, 0, 0]}, list("uuvvww"), [1, 2] * 3
    xr.testing.assert_identical(
        br.joint_outcomes(truth, predictions, case=case, run=run),
        br.joint_outcomes(truth, predictions, cluster=case),
    )


@pytest.mark.parametrize(
    ("column", "values"),
    [("essay", [1, 2, 3, 4, 5, 6]), ("case", list("uvwxyz")), ("id", [7, 3, 9, 4, 1, 2])],
)
def test_a_column_that_names_cases_is_no_entity(column, values):
    grades = pd.DataFrame({"ada": [8, 6, 9, 5, 7, 7], "bob": [6, 6, 8, 4, 7, 5]})
    with pytest.raises(br.ArgumentError, match=f"case='{column}' says so"):
        br.from_outcomes(grades.assign(**{column: values}))
    named = br.from_outcomes(grades.assign(**{column: values}), case=column)
    assert named["entity"].values.tolist() == ["ada", "bob"]
    assert br.from_outcomes(grades.assign(cat=[6, 5, 4, 3, 2, 1])).sizes["entity"] == 3


def test_shares_with_a_0_stand_beside_right_and_wrong():
    right, shares = np.tile([0, 1], 15), np.linspace(0, 0.97, 30)
    frame = pd.DataFrame({"a": right, "b": shares})
    assert br.from_outcomes(frame).sizes["entity"] == 2
    with pytest.raises(br.ArgumentError, match="'b' is probably not an entity"):
        br.from_outcomes(frame.assign(b=shares + 0.1))


def without_common_cases(first, second, more=None):
    """Outcomes of two systems that share no case, and of others on all cases, if there are."""
    frame = pd.DataFrame(
        {"a": [*first, *[np.nan] * len(second)], "b": [*[np.nan] * len(first), *second]}
    )
    return frame if more is None else frame.assign(**more)


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (without_common_cases([1] * 50, [0] * 50), ""),
        (without_common_cases([1] * 50, [0] * 50, {"c": [0] * 100}), ""),
        # a and c share 6 cases, and differ on all of them.
        (
            without_common_cases([1] * 6, [0] * 94, {"c": [0] * 100}),
            "a beats c (pairwise), but they differ on only 6 of 6 cases",
        ),
    ],
)
def test_only_systems_that_share_cases_differ_on_few(frame, said):
    found = notes(br.fit(br.from_outcomes(frame, missing="own"), "paired", seed=1, draws=200))
    assert "differ on only 0" not in found
    assert said in found if said else "differ on only" not in found
