"""Means over data sets with stated weights, and a prior that is split over the data sets, never repeated."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats

import bayesrank as br
from bayesrank._core.notes import Note
from bayesrank._core.source import groups_of
from bayesrank.performance import mean_over_datasets
from tests.strategies import LEVEL
from tests.told import codes_in, fields_of, notes_in

RNG = np.random.default_rng(8)
TASK = np.repeat(np.arange(30), 20)
#: Thirty tasks of twenty cases, of which each entity gets nineteen right.
RIGHT = pd.DataFrame(
    {name: RNG.permuted(np.tile([1] * 19 + [0], (30, 1)), axis=1).ravel() for name in "ab"}
)
TRUTH = RNG.integers(0, 2, 600)
ANSWERS = {name: np.where(RIGHT[name] == 1, TRUTH, 1 - TRUTH) for name in RIGHT}
EVIDENCE = {
    "right and wrong": (
        br.from_frame(
            pd.DataFrame({"entity": ["a"] * 30, "dataset": range(30), "correct": 19, "wrong": 1})
        ),
        *("dirichlet_multinomial", "mean_outcome"),
    ),
    "outcomes": (br.from_outcomes(RIGHT, dataset=TASK), "paired", "mean_outcome"),
    "paired": (br.joint_outcomes(TRUTH, ANSWERS, dataset=TASK), "paired", "accuracy"),
    "dirichlet_multinomial": (
        br.from_predictions(TRUTH, ANSWERS, dataset=TASK),
        "dirichlet_multinomial",
        "accuracy",
    ),
    "beta_binomial": (
        br.from_predictions(TRUTH, ANSWERS, dataset=TASK),
        "beta_binomial",
        "accuracy",
    ),
}
CELLS = {"tn": [8, 60, 9, 50], "fp": [2, 40, 1, 50], "fn": [1, 30, 3, 40], "tp": [9, 70, 7, 60]}
SMALL = br.from_counts(**CELLS, entity=list("aabb"), dataset=["small", "large"] * 2)


@pytest.mark.parametrize("kind", EVIDENCE)
def test_the_mean_of_many_tasks_holds_what_was_observed(kind):
    """Under one prior in all, split over the tasks; not under a prior that each task repeats."""
    evidence, model, score = EVIDENCE[kind]
    own = (
        {"base": {0: 2, 1: 2}} if kind == "outcomes" else {"prior": "four_cases"}
    )  # heavy enough to contradict
    whole, split = (
        br.fit(evidence, model, seed=1, draws=125, split_prior=s, **own) for s in (False, True)
    )
    repeated, once = (
        br.credible_ranking(mean_over_datasets(posterior), score) for posterior in (whole, split)
    )
    for ranking in (repeated, once):
        np.testing.assert_allclose(ranking["observed"], 0.95)
        assert fields_of(ranking, "means_over_datasets") == {
            "datasets": 30,
            "weights": None,
            "unit": "data set",
        }
    assert repeated["contradicted"].all()
    assert (repeated["upper"] < 0.95).all()
    assert fields_of(repeated, "prior_repeated") == {"cases": 120}
    assert not once["contradicted"].any()
    assert ((once["lower"] < 0.95) & (once["upper"] > 0.95)).all()
    assert "prior_repeated" not in codes_in(once)
    assert split["posterior"].attrs["split_prior"] == 1
    if kind != "beta_binomial":
        values = (
            split["posterior"]["mean_outcome"]
            if kind == "outcomes"
            else br.scores.get(score)(split)
        )
        drawn = values.isel(entity=-1, dataset=3).values.ravel()
        assert stats.kstest(drawn, stats.beta(19 + 2 / 30, 1 + 2 / 30).cdf).pvalue > LEVEL
    if kind != "outcomes":
        for posterior, cases in ((whole, 120), (split, 4)):
            prior = groups_of(posterior)["constant_data"]["prior_concentration"].sel(entity="a")
            assert float(prior.sum()) == pytest.approx(cases)


def test_a_prior_is_split_over_the_data_sets_that_an_entity_saw():
    cells = {"tn": [8, 9, 7], "fp": [2, 1, 3], "fn": [1, 0, 2], "tp": [9, 7, 8]}
    counts = br.from_counts(**cells, entity=["a", "a", "b"], dataset=["x", "y", "y"])
    prior = groups_of(br.fit(counts, prior="uniform", split_prior=True, draws=10))["constant_data"]
    assert (prior["prior_concentration"].sel(entity="a") == 0.5).all()
    assert (prior["prior_concentration"].sel(entity="b") == 1).all()


def test_means_are_means_of_draws():
    posterior = br.fit(SMALL, seed=1, draws=50, split_prior=True)
    found = mean_over_datasets(posterior, {"large": 3, "small": 1})
    each = br.as_performance(posterior)
    wanted = each.sel(dataset="small") / 4 + each.sel(dataset="large") * 3 / 4
    np.testing.assert_allclose(
        br.as_performance(found), wanted.transpose(*br.as_performance(found).dims)
    )
    assert found["posterior"].attrs["datasets"] == "small, large"
    assert found["posterior"].attrs["dataset_weights"] == [0.25, 0.75]
    ranking = br.credible_ranking(found, "accuracy")
    np.testing.assert_allclose(ranking["observed"], [0.85 / 4 + 0.65 * 0.75, 0.8 / 4 + 0.55 * 0.75])
    assert fields_of(ranking, "means_over_datasets") == {
        "datasets": 2,
        "weights": ["small 0.25", "large 0.75"],
        "unit": "data set",
    }
    alone = mean_over_datasets(posterior, {"large": 1, "small": 0})["posterior"].attrs
    assert notes_in(alone) == [
        Note("mean_of_one_dataset", {"dataset": "large", "unit": "data set"})
    ]
    by_array = xr.DataArray([3.0, 1.0], {"dataset": ["large", "small"]}, ["dataset"])
    xr.testing.assert_equal(
        br.as_performance(mean_over_datasets(posterior, by_array)), br.as_performance(found)
    )


def test_the_mean_of_a_score_is_not_the_score_of_the_mean():
    posterior = br.fit(SMALL, seed=1, draws=50)
    f1 = br.scores.f1(posterior)
    mean = mean_over_datasets(f1)
    np.testing.assert_allclose(mean, f1.mean("dataset"))
    assert mean.attrs["dataset_weights"] == [0.5, 0.5]
    assert float(abs(mean - br.scores.f1(mean_over_datasets(posterior))).max()) > 1e-4
    br.credible_ranking(mean, "f1")


def test_one_ranking_a_task_and_one_over_tasks():
    """Ranks of each task are those of the task alone; over tasks another one may lead."""
    right = {"a": [45, 25], "b": [30, 35]}  # of 50 on each task
    frame = pd.DataFrame(
        {name: np.repeat([1, 0, 1, 0], [r, 50 - r, q, 50 - q]) for name, (r, q) in right.items()}
    )
    posterior = br.fit(
        br.from_outcomes(frame, dataset=np.repeat(["x", "y"], 50)), "paired", draws=250, seed=1
    )
    each = br.credible_ranking(posterior, "mean_outcome")
    assert each["expected_rank"].dims == ("dataset", "entity")
    np.testing.assert_allclose(each["observed"].sel(dataset="x"), [0.9, 0.6])
    assert each["consensus_rank"].sel(entity="a").values.tolist() == [1, 2]
    alone = posterior["posterior"]["mean_outcome"].sel(dataset="y")
    np.testing.assert_allclose(
        each["superiority"].sel(dataset="y"), br.credible_ranking(alone)["superiority"], rtol=1e-12
    )
    assert mean_over_datasets(posterior)["posterior"]["mean_outcome"].dims == (
        "chain",
        "draw",
        "entity",
    )
    equal = br.credible_ranking(mean_over_datasets(posterior), "mean_outcome")
    np.testing.assert_allclose(equal["observed"], [0.7, 0.65])
    other = br.credible_ranking(mean_over_datasets(posterior, {"x": 0.2, "y": 0.8}), "mean_outcome")
    np.testing.assert_allclose(other["observed"], [0.58, 0.68])
    assert other["consensus_rank"].values.tolist() == [2, 1]


def test_the_order_of_data_sets_changes_nothing():
    dataset = groups_of(br.fit(SMALL, seed=1, draws=50))["posterior"]
    one = mean_over_datasets(dataset)["performance"]
    two = mean_over_datasets(dataset.isel(dataset=[1, 0]))["performance"]
    np.testing.assert_allclose(two, one, rtol=1e-12)


def test_perfect_on_all_data_sets_contradicts_nothing():
    counts = br.from_counts(
        tn=[50] * 3, fp=[0] * 3, fn=[0] * 3, tp=[50] * 3, entity=["a"] * 3, dataset=list("xyz")
    )
    ranking = br.credible_ranking(mean_over_datasets(br.fit(counts, seed=1)), "f1")
    assert ranking["observed"].item() == 1
    assert not ranking["contradicted"].any()


def test_few_cases_in_all_are_few():
    frame = pd.DataFrame({"a": RNG.random(80), "b": RNG.random(80)})
    many = br.fit(
        br.from_outcomes(frame, dataset=np.repeat([1, 2], 40)), "paired", draws=20, seed=1
    )
    assert (
        fields_of(
            br.credible_ranking(many, "mean_outcome").isel(dataset=0), "few_units_without_prior"
        )["units"]
        == 40
    )
    assert "few_units_without_prior" not in codes_in(
        br.credible_ranking(mean_over_datasets(many), "mean_outcome")
    )
    few = br.fit(
        br.from_outcomes(frame[:40], dataset=np.repeat([1, 2], 20)), "paired", draws=20, seed=1
    )
    assert (
        fields_of(
            br.credible_ranking(mean_over_datasets(few), "mean_outcome"), "few_units_without_prior"
        )["units"]
        == 20
    )


def test_entities_on_the_same_cases_are_said_to_be():
    ranking = br.credible_ranking(mean_over_datasets(br.fit(SMALL, seed=1, draws=20)), "accuracy")
    fields = fields_of(ranking, "same_cases")
    assert (fields["one"], fields["of_outcomes"], fields["named"]) == (True, False, False)
    paired = mean_over_datasets(br.fit(EVIDENCE["paired"][0], "paired", seed=1, draws=20))
    assert "same_cases" not in codes_in(br.credible_ranking(paired, "accuracy"))
