"""Credible rankings against brute force and the definitions; test_exact.py has quadrature."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

import bayesrank as br
from tests.strategies import draws_of, peak_of, score_draws


def reference(values, prob, rope):
    """Everything by loops over the draws."""
    x = values.transpose("draw", "entity").values
    n, size = x.shape
    mass = np.zeros((size, size))
    average = np.full(x.shape, np.nan)
    for d, row in enumerate(x):
        for i in range(size):
            if np.isnan(row[i]):
                continue
            above, tied = int((row > row[i]).sum()), int((row == row[i]).sum())
            mass[i, above : above + tied] += 1 / tied
            average[d, i] = above + (tied + 1) / 2
    superiority = np.full((size, size), np.nan)
    for i in range(size):
        for j in range(size):
            both = ~np.isnan(x[:, i]) & ~np.isnan(x[:, j])
            if both.any():
                superiority[i, j] = (x[both, i] > x[both, j] + rope).mean()
    defined = (~np.isnan(x)).sum(0)
    lower, upper = np.full(size, np.nan), np.full(size, np.nan)
    for i in np.flatnonzero(defined):
        p, tail = mass[i] / defined[i], (1 - prob) / 2
        lower[i] = next(r for r in range(1, size + 1) if p[:r].sum() > tail + 1e-9)
        upper[i] = next(r for r in range(size, 0, -1) if p[r - 1 :].sum() > tail + 1e-9)
    return mass / n, average, superiority, lower, upper, defined


@given(score_draws(), st.sampled_from([0.5, 0.8, 0.95]), st.sampled_from([0.0, 1.0]))
def test_against_loops(values, prob, rope):
    ranking = br.credible_ranking(values, prob=prob, rope=rope)
    probability, average, superiority, lower, upper, defined = reference(values, prob, rope)
    np.testing.assert_allclose(ranking["rank_probability"], probability, atol=1e-12)
    np.testing.assert_allclose(ranking["probability_best"], probability[:, 0], atol=1e-12)
    np.testing.assert_allclose(ranking["superiority"], superiority, atol=1e-12)
    ranked = 2 * defined >= len(average)
    np.testing.assert_array_equal(ranking["rank_marginal_lower"], np.where(ranked, lower, np.nan))
    np.testing.assert_array_equal(ranking["rank_marginal_upper"], np.where(ranked, upper, np.nan))
    np.testing.assert_allclose(ranking["undefined"], 1 - defined / len(average), atol=1e-12)
    np.testing.assert_allclose(
        ranking["rank_probability"].sum("rank"), 1 - ranking["undefined"], atol=1e-12
    )
    sums = (
        ranking["superiority"].values
        + ranking["superiority"].values.T
        + ranking["equivalence"].values
    )
    both = ~np.isnan(sums)
    np.testing.assert_allclose(sums[both], 1, atol=1e-12)
    np.testing.assert_array_equal(np.isnan(ranking["consensus_rank"]), ~ranked)
    np.testing.assert_array_equal(np.isnan(ranking["tier"]), ~ranked)
    assert not ranking["in_best_set"].values[~ranked].any()
    known = defined > 0
    mean = np.array([average[~np.isnan(average[:, i]), i].mean() for i in np.flatnonzero(known)])
    np.testing.assert_allclose(ranking["expected_rank"][known], mean)


@given(score_draws(), st.permutations(range(6)))
def test_order_of_input_changes_nothing(values, order):
    order = [i for i in order if i < values.sizes["entity"]]
    ranking, shuffled = br.credible_ranking(values), br.credible_ranking(values.isel(entity=order))
    shuffled = shuffled.sel(entity=ranking["entity"].values, rival=ranking["rival"].values)
    xr.testing.assert_allclose(shuffled, ranking)
    np.testing.assert_array_equal(shuffled["consensus_rank"], ranking["consensus_rank"])
    np.testing.assert_array_equal(shuffled["tier"], ranking["tier"])


@given(score_draws())
def test_lower_is_better_is_the_mirror(values):
    found, mirrored = (
        br.credible_ranking(values),
        br.credible_ranking(-values, higher_is_better=False),
    )
    ends = ["median", "lower", "upper", "difference", "difference_lower", "difference_upper"]
    xr.testing.assert_allclose(mirrored.drop_vars(ends), found.drop_vars(ends))
    turned = ["median", "upper", "lower", "difference", "difference_upper", "difference_lower"]
    for name, other in zip(ends, turned, strict=True):
        np.testing.assert_allclose(mirrored[name], -found[other])


@given(score_draws(max_draws=30), st.sampled_from([0.6, 0.95]))
def test_tiers_by_definition(values, prob):
    ranking = br.credible_ranking(values, prob=prob)
    tier, above = ranking["tier"].values, ranking["surely_above"].values
    np.testing.assert_array_equal(tier == 1, ranking["in_best_set"])
    np.testing.assert_array_equal(ranking["rank_lower"] == 1, ranking["in_best_set"])
    for t in range(2, int(np.nanmax([0, *tier])) + 1):
        rest, members = np.flatnonzero(tier >= t), np.flatnonzero(tier == t)
        free = ~above[np.ix_(rest, members)].any(axis=0)
        assert free.all() or not (~above[np.ix_(rest, rest)].any(axis=0)).any()


def test_no_probability_from_draws_has_error_zero():
    ranking = br.credible_ranking(draws_of([[0.0, 1.0]] * 1000), "f1")
    for name in (
        "rank_probability",
        "probability_best",
        "superiority",
        "expected_rank",
        "expected_regret",
    ):
        assert (ranking[f"{name}_error"] > 0).all(), name


@pytest.mark.slow
def test_nothing_is_of_draws_times_entities_squared():
    x = np.random.default_rng(1).normal(np.linspace(0, 3, 300), 1, (4, 400, 300))
    values = xr.DataArray(x, dims=("chain", "draw", "entity"))  # 4 MB
    br.credible_ranking(values.isel(entity=slice(0, 200)))  # compile
    assert peak_of(br.credible_ranking, values) < 40e6


def test_odds_too_large_for_sums_and_squares_are_ranked_without_a_warning():
    """As of somebody faultless under a faint prior; the suite takes warnings for errors."""
    rng = np.random.default_rng(1)
    x = np.column_stack([rng.normal(0.0, 1.0, 400), rng.normal(690.0, 1.0, 400)])
    draws = xr.DataArray(
        np.exp(x).reshape(2, 200, 2), {"entity": ["usual", "huge"]}, ("chain", "draw", "entity")
    )
    ranking = br.credible_ranking(draws)
    assert ranking["probability_best"].values.tolist() == [0.0, 1.0]
    assert np.isfinite(ranking["effective_sample_size"]).all()
    assert ranking["superiority_error"].max() < 0.01
    assert ranking["consensus_rank"].values.tolist() == [2, 1]


def test_a_credible_ranking_of_stacked_draws_is_one_ranking():
    values = br.scores.f1(br.fit(br.datasets.load("breast_cancer"), draws=25, chains=2, seed=1))
    stacked = values.stack(sample=("chain", "draw"))
    found, expected = br.credible_ranking(stacked), br.credible_ranking(values)
    # Which chain a draw is of is not known, and with it the batches and the halves.
    loose = ("_error", "effective_sample_size")
    exact = [name for name in expected if not name.endswith(loose) and "simultaneous" not in name]
    xr.testing.assert_allclose(found[exact], expected[exact])
