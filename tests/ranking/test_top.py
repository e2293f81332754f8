"""Sets of the k best against all subsets, fresh draws, and the rankings that they go with."""

from itertools import combinations

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

import bayesrank as br
from bayesrank.ranking.top import smallest_set
from tests.strategies import draws_of, score_draws


def best_by_brute_force(top, prob):
    """The size of the smallest set, and the draws that the best of its size holds."""
    draws, size = top.shape
    for number in range(size + 1):
        held = max(
            (~np.delete(top, s, axis=1).any(axis=1)).sum()
            for s in map(list, combinations(range(size), number))
        )
        if held >= prob * draws - 1e-9:
            return number, held
    raise AssertionError


def best_of(x, k):
    """Who is among the k best of each draw, by loops."""
    top = np.zeros(x.shape, bool)
    ranked = np.isnan(x).mean(axis=0) <= 0.5
    for d, row in enumerate(np.where(ranked, x, np.nan)):
        for i, value in enumerate(row):
            top[d, i] = not np.isnan(value) and (row > value).sum() < k
    return top[top.any(axis=1)]


@given(
    score_draws(max_draws=30, max_entities=6),
    st.integers(1, 6),
    st.sampled_from([0.0, 0.05, 0.2, 0.5]),
)
def test_the_smallest_of_all_subsets(values, k, share):
    top = best_of(values.values, k)
    if len(top):
        chosen, smallest = smallest_set(top, int(share * len(top)))
        number, held = best_by_brute_force(top, 1 - share)
        assert smallest
        assert chosen.sum() == number
        assert (~(top & ~chosen).any(axis=1)).sum() == held


@given(
    score_draws(max_draws=40, max_entities=6),
    st.integers(1, 6),
    st.sampled_from([0.5, 0.8]),
    st.randoms(),
)
def test_each_half_is_judged_by_the_other(values, k, prob, random):
    size = values.sizes["entity"]
    k = min(k, size)
    found = br.top_set(values, None, k, prob=prob)
    top = best_of(values.values, k)
    chosen = found["in_credible_set"].values
    if len(top):
        np.testing.assert_allclose(found["probability_top"], top.mean(axis=0))
        assert (~(top & ~chosen).any(axis=1)).mean() >= prob - 1e-9
        claimed = float(found["credible_probability"])
        if claimed < prob - 1e-9:  # too few draws: everybody who was ever among the best
            assert (chosen == top.any(axis=0)).all()
    else:
        assert not chosen.any()
    order = random.sample(range(size), size)
    shuffled = br.top_set(values.isel(entity=order), None, k, prob=prob).isel(
        entity=np.argsort(order)
    )
    xr.testing.assert_allclose(shuffled, found)


def test_equally_small_sets_go_by_the_draws_that_they_hold_and_then_by_name():
    top = np.eye(3, dtype=bool)[np.repeat([0, 1, 2], [4, 5, 1])]
    assert smallest_set(top, 6)[0].tolist() == [False, True, False]
    for names in (["a", "b"], ["b", "a"]):
        found = br.top_set(draws_of(np.eye(2)[[0, 1] * 20], names), None, 1, prob=0.5)
        assert found["entity"].values[found["in_credible_set"]].tolist() == ["a"]


@pytest.mark.slow
def test_a_set_that_was_fitted_to_its_draws_is_not_believed():
    """Of 300 equals the draws leave out those who happened not to be first; of fresh draws these are first as often."""
    x = np.random.default_rng(5).random((600, 150))
    found = br.top_set(draws_of(x), None, 1, prob=0.8)
    claimed, error = (
        float(found["credible_probability"]),
        float(found["credible_probability_error"]),
    )
    assert claimed >= 0.8
    # Each is first as often as any other. The set has seen all draws, and holds more than those of the halves.
    assert found["in_credible_set"].values.mean() > claimed - 4 * error
    fitted, _ = smallest_set(best_of(x, 1), 120)
    assert fitted.mean() < 0.8 - 4 * error
    assert found.attrs["smallest"] == 1


@pytest.mark.parametrize("k", [1, 10])
def test_fresh_draws_are_held_as_claimed(k):
    mean = np.random.default_rng(k).normal(0, 1.5, 60)
    rng = np.random.default_rng(100 + k)
    found = br.top_set(draws_of(rng.normal(mean, 1, (4000, 60))), None, k)
    chosen = found["in_credible_set"].values
    assert k <= chosen.sum() < 60
    fresh = np.argsort(-rng.normal(mean, 1, (8000, 60)), axis=1)[:, :k]
    held = chosen[fresh].all(axis=1).mean()
    error = float(found["credible_probability_error"])
    assert error == pytest.approx(np.sqrt(0.05 * 0.95 / 4000), rel=0.6)
    assert float(found["credible_probability"]) >= 0.95
    assert (
        abs(held - float(found["credible_probability"]))
        < 4 * np.hypot(error, np.sqrt(0.05 * 0.95 / 8000)) + 0.01
    )
    assert found["probability_top"].sum() == pytest.approx(k)


def test_both_kinds_go_with_the_ranking():
    counts = br.datasets.load("antibody_tests").isel(entity=slice(0, 20))
    posterior = br.fit(counts, "beta_binomial", seed=1)
    ranking = br.credible_ranking(posterior, "informedness")
    for k in (1, 5, 20):
        found = br.top_set(posterior, "informedness", k)
        for end in ("lower", "upper"):
            np.testing.assert_array_equal(found[f"rank_{end}"], ranking[f"rank_{end}"])
        np.testing.assert_array_equal(found["in_confidence_set"], ranking["rank_lower"] <= k)
        np.testing.assert_array_equal(found["surely_top"], ranking["rank_upper"] <= k)
        assert (found["surely_top"] <= found["in_confidence_set"]).all()
        assert found["in_confidence_set"].sum() >= k
    assert found["in_credible_set"].all()
    assert found["surely_top"].all()
