"""The predictive order: the score of the posterior mean performance, and everything that reads the order."""

import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayesrank as br
from bayesrank._core.notes import notes_of

COUNTS = br.from_counts(
    tn=[70, 79, 60, 50],
    fp=[10, 1, 20, 10],
    fn=[9, 1, 9, 10],
    tp=[21, 29, 21, 30],
    entity=["a", "b", "c", "d"],
)
APART = br.from_counts(tp=[0, 2], fn=[1, 5], tn=[9, 9], fp=[1, 1], entity=["short", "long"])


def test_exactly_it_is_the_score_of_counts_with_the_prior_added():
    exact = br.credible_ranking(
        COUNTS, "f1", method="exact", model="dirichlet_multinomial", order="predictive"
    )
    np.testing.assert_allclose(
        exact["predictive"], br.scores.f1(2 * COUNTS + 1), rtol=1e-12
    )  # half a case
    fixed = br.credible_ranking(
        COUNTS, "f1", method="exact", model="beta_binomial", order="predictive", prevalence=0.25
    )
    smoothed = 2 * COUNTS + 1
    rates = smoothed / smoothed.sum("predicted")
    mean = br.from_rates(
        fpr=rates.values[:, 0, 1],
        tpr=rates.values[:, 1, 1],
        prevalence=0.25,
        entity=COUNTS["entity"].values.tolist(),
    )
    np.testing.assert_allclose(fixed["predictive"], br.scores.f1(mean), rtol=1e-12)


def test_the_error_is_that_of_twenty_parts_of_the_draws():
    posterior = br.fit(COUNTS, seed=1)
    drawn = br.credible_ranking(posterior, "f1", order="predictive")
    tables = br.as_performance(posterior).transpose("draw", "chain", ...)
    parts = [
        br.scores.f1(tables.isel(draw=slice(50 * i, 50 * i + 50)).mean(["draw", "chain"]))
        for i in range(20)
    ]
    expected = np.std(parts, axis=0, ddof=1) / np.sqrt(20)
    np.testing.assert_allclose(drawn["predictive_error"], expected, rtol=1e-9)


def test_draws_agree_within_their_error():
    posterior = br.fit(COUNTS, seed=1)
    drawn = br.credible_ranking(posterior, "f1", order="predictive")
    exact = br.credible_ranking(posterior, "f1", method="exact", order="predictive")
    error = drawn["predictive_error"]
    assert ((error > 0) & (error < 0.01)).all()
    assert (abs(drawn["predictive"] - exact["predictive"]) < 5 * error).all()
    together = br.credible_ranking(posterior, "f1", method="auto", order="predictive")
    np.testing.assert_array_equal(together["predictive"], exact["predictive"])


def test_the_order_decides_who_leads_and_nothing_else():
    posterior = br.fit(APART, seed=1)
    plain, other = (
        br.credible_ranking(posterior, "tpr", order=order) for order in ("consensus", "predictive")
    )
    assert "predictive" not in plain
    for name in (
        "median",
        "probability_best",
        "superiority",
        "surely_above",
        "consensus_rank",
        "tier",
        "in_best_set",
    ):
        np.testing.assert_array_equal(plain[name], other[name])
    assert [br.ranking_table(one).index.tolist() for one in (plain, other)] == [
        ["long", "short"]
    ] * 2


def test_median_and_mean_may_disagree_and_the_outputs_follow_the_order():
    counts = br.from_counts(tp=[0, 5], fn=[1, 11], tn=[9, 9], fp=[1, 1], entity=["short", "long"])
    posterior = br.fit(
        counts, prior="uniform", seed=1
    )  # medians 0.293 and 0.329; means 1/3 and 6/18
    ranking = br.credible_ranking(posterior, "tpr", method="exact", order="predictive")
    assert ranking["predictive_rank"].values.tolist() == [1, 1]  # equal means share a rank
    assert ranking["consensus_rank"].values.tolist() == [2, 1]
    counts = br.from_counts(tp=[0, 5], fn=[1, 12], tn=[9, 9], fp=[1, 1], entity=["short", "long"])
    posterior = br.fit(counts, prior="uniform", seed=1)
    drawn = br.credible_ranking(posterior, "tpr", order="predictive")
    assert drawn["predictive_rank"].values.tolist() == [1, 2]
    assert drawn["consensus_rank"].values.tolist() == [2, 1]
    assert br.ranking_table(drawn).index.tolist() == ["short", "long"]
    board = json.loads(br.board(drawn))
    assert [(one["entity"], one["rank"]) for one in board["entities"]] == [
        ("short", 1),
        ("long", 2),
    ]
    assert br.verdict(drawn)[0].startswith("short is ahead")
    assert br.verdict(br.credible_ranking(posterior, "tpr"))[0].startswith("long is ahead")


def test_it_does_not_depend_on_rivals_or_on_the_order_of_input():
    """Axiom 1: each subset, exactly, has the order of the whole."""
    options = {"method": "exact", "model": "dirichlet_multinomial", "order": "predictive"}
    whole = br.credible_ranking(COUNTS, "f1", **options)["predictive"]
    for kept in ("ba", "bdca"):
        part = br.credible_ranking(COUNTS.sel(entity=list(kept)), "f1", **options)
        np.testing.assert_array_equal(part["predictive"], whole.sel(entity=list(kept)))


def test_several_data_sets_and_outcomes():
    trees = br.fit(
        br.datasets.load("utah_trees").isel(entity=slice(0, 3)),
        "dirichlet_multinomial",
        draws=200,
        seed=1,
    )
    found = br.credible_ranking(trees, "f1", order="predictive")
    assert set(found["predictive"].dims) == {"entity", "dataset"}
    for name in found["dataset"].values:
        alone = br.scores.f1(br.as_performance(trees).sel(dataset=name).mean(("chain", "draw")))
        # Entities with equal evidence share the mean of their values.
        np.testing.assert_allclose(found["predictive"].sel(dataset=name), alone, atol=4e-3)
    rng = np.random.default_rng(1)
    joint = br.from_outcomes(
        pd.DataFrame(rng.random((60, 2)) < [0.9, 0.6], columns=list("ab")).astype(int)
    )
    outcomes = br.credible_ranking(br.fit(joint, seed=1), order="predictive")
    assert outcomes["predictive_rank"].values.tolist() == [1, 2]


def test_lower_is_better_and_undefined_values():
    posterior = br.fit(COUNTS, seed=1)
    errors = br.credible_ranking(posterior, "error_rate", order="predictive")
    right = br.credible_ranking(posterior, "accuracy", order="predictive")
    np.testing.assert_array_equal(errors["predictive_rank"], right["predictive_rank"])
    point = br.credible_ranking(br.as_performance(COUNTS + 0), "ppv", order="predictive")
    assert point["predictive_error"].isnull().all()
    np.testing.assert_allclose(point["predictive"], br.scores.ppv(COUNTS))


def test_refusals():
    with pytest.raises(ValueError, match="order must be one of"):
        br.credible_ranking(COUNTS, "f1", order="median")
    values = br.scores.f1(br.fit(COUNTS, seed=1))
    with pytest.raises(ValueError, match="order must be 'consensus' for values of a score"):
        br.credible_ranking(values, "f1", order="predictive")


def test_the_next_step_is_about_the_leader_of_the_list():
    """P leads by its posterior mean, D by the consensus: the posterior of P is wide and skewed."""
    counts = br.from_counts(
        tp=[0, 99, 97], fn=[5, 603, 605], tn=[9] * 3, fp=[1] * 3, entity=["P", "D", "E"]
    )
    posterior = br.fit(counts, "beta_binomial", prior="uniform", seed=1)
    for order in ("predictive", "consensus"):
        ranking = br.credible_ranking(posterior, "tpr", order=order)
        leader = br.ranking_table(ranking).index[0]
        assert leader == ("P" if order == "predictive" else "D")
        [note] = notes_of(ranking.attrs["separation"])
        assert leader in (note.fields["entity"], note.fields["rival"])


def test_outcomes_of_0_and_1_have_the_mean_of_their_posterior():
    counts = xr.DataArray(
        [[5, 15], [9, 30]],
        dims=("entity", "outcome"),
        coords={"entity": ["A", "B"], "outcome": [0, 1]},
    )
    exact = br.credible_ranking(
        counts, method="exact", model="dirichlet_multinomial", order="predictive"
    )
    np.testing.assert_allclose(
        exact["predictive"], [15.5 / 21, 30.5 / 40]
    )  # half a case of each outcome more
    found = br.credible_ranking(br.fit(counts, seed=1), order="predictive", method="auto")
    np.testing.assert_allclose(found["predictive"], exact["predictive"])
