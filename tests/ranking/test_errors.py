"""Stated Monte-Carlo errors against the spread of replications, also of sticky draws and of pairs that never cross."""

from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

import bayesrank as br
from bayesrank.ranking.evidence import sampling

DIMS = ("chain", "draw", "entity")


def sticky(rng, means, rho, chains=4, draws=1000):
    """AR(1) chains of standard normal marginals around ``means``."""
    noise = rng.normal(size=(chains, draws, len(means)))
    x = np.empty_like(noise)
    x[:, 0] = noise[:, 0]
    for d in range(1, draws):
        x[:, d] = rho * x[:, d - 1] + np.sqrt(1 - rho**2) * noise[:, d]
    return xr.DataArray(x + means, {"entity": list("abc")[: len(means)]}, DIMS)


@pytest.mark.slow
@pytest.mark.parametrize("rho", [0.0, 0.9])
def test_errors_are_the_spread_of_replications(rho):
    size = 100
    found = [
        br.credible_ranking(sticky(np.random.default_rng([5, i]), [0.0, 0.5, 1.0], rho), "mcc")
        for i in range(size)
    ]
    for name in (
        "probability_best",
        "expected_rank",
        "superiority",
        "expected_regret",
        "rank_probability",
    ):
        spread = np.std([one[name].values for one in found], axis=0, ddof=1)
        stated = np.sqrt(np.mean([one[f"{name}_error"].values ** 2 for one in found], axis=0))
        moves = spread > 0  # all but an entity against itself
        stated, spread = stated[moves], spread[moves]
        # The spread of 100 replications has the relative error 1 / sqrt(2 · 99). Batches of 100 draws of AR(1) with
        # rho 0.9 miss 2 · 0.9 / (100 · 0.1²) / 19 = 9% of the variance; the larger of two errors adds a little.
        assert (stated / spread).min() > 0.95 - 4.5 / np.sqrt(2 * (size - 1)), name
        assert (stated / spread).max() < 1.1 + 4.5 / np.sqrt(2 * (size - 1)), name


@pytest.mark.slow
def test_draws_that_never_cross_are_not_sure():
    """Two slow chains that happen to keep their order for all 4,000 draws, at a true probability of 0.95 or so."""
    rho, shift = 0.995, 2.33
    found, moved = [], []
    for i in range(20):
        values = sticky(np.random.default_rng([8, i]), [0.0, shift], rho, chains=1, draws=2000)
        if (values[..., 1] > values[..., 0]).all():
            found.append(br.credible_ranking(values.rename("mine")))
        moved.append(float((values[..., 1] > values[..., 0]).mean()))
    assert np.mean(moved) == pytest.approx(0.95, abs=0.05)
    assert len(found) >= 2
    for ranking in found:
        assert float(ranking["superiority"][1, 0]) == 1
        assert float(ranking["superiority_error"][1, 0]) > 0.005
        assert (ranking["probability_best_error"] > 0.005).all()
        assert (ranking["expected_rank_error"] > 0.005).all()
        assert "0.999" not in br.verdict(ranking)[0]


def test_a_free_entity_beside_a_sticky_one_is_not_sure_either():
    free = sticky(np.random.default_rng(1), [5.0], 0.0).values
    slow = sticky(np.random.default_rng(2), [0.0], 0.99).values
    values = xr.DataArray(np.concatenate([free, slow], axis=2), {"entity": ["a", "b"]}, DIMS)
    ranking = br.credible_ranking(values)
    assert float(ranking["effective_sample_size"][0]) > 2500
    assert float(ranking["effective_sample_size"][1]) < 200
    # Of the difference, half of the variance is sticky.
    assert float(ranking["superiority_error"][0, 1]) > 3 * 0.7 / 4000
    assert float(ranking["probability_best_error"][0]) > 0.7 / 200


def test_a_pair_is_judged_by_its_joint_draws():
    x = np.random.default_rng(3).random((4000, 3))
    x[1:, 2] = np.nan
    x[0, 2] = 2.0
    ranking = br.credible_ranking(
        xr.DataArray(x, {"entity": ["a", "b", "once"]}, ("draw", "entity"), name="f1")
    )
    assert float(ranking["superiority"].sel(entity="once", rival="a")) == 1
    assert float(ranking["superiority_error"].sel(entity="once", rival="a")) == pytest.approx(0.25)
    once = ranking.sel(entity="once")
    names = [
        "tier",
        "consensus_rank",
        "rank_lower",
        "rank_upper",
        "rank_marginal_lower",
        "rank_marginal_upper",
    ]
    for name in names:
        assert np.isnan(once[name]), name
        assert ranking[name].sel(entity=["a", "b"]).notnull().all(), name
    assert not once["in_best_set"]
    assert float(once["undefined"]) == 1 - 1 / 4000
    assert ranking["tier"].sel(entity="a") == 1
    assert "Not ranked: once has a defined F1 in less than half of the draws." in br.notes(ranking)
    assert "once" not in br.verdict(ranking)[0]


def test_what_a_pair_shares_does_not_count_against_it():
    """Both move slowly, together: their difference is free."""
    rng = np.random.default_rng(9)
    shared = sticky(rng, [0.0], 0.99).values
    values = xr.DataArray(
        shared + rng.normal([0.0, 2.0], 0.1, (4, 1000, 2)), {"entity": ["a", "b"]}, DIMS
    )
    ranking = br.credible_ranking(values)
    assert (ranking["effective_sample_size"] < 200).all()
    # 0.7 / n if none of n free draws crosses; 40 batches tell n within a few of its errors, sqrt(2 / 39).
    assert float(ranking["superiority_error"][1, 0]) < (1 + 4.5 * np.sqrt(2 / 39)) * 0.71 / 4000


@pytest.mark.parametrize("chains", [1, 2, 3])
def test_values_of_several_chains_have_an_r_hat(chains):
    values = xr.DataArray(
        sticky(np.random.default_rng(1), [0.0, 1.0], 0.1, chains, 100),
        dims=("chain", "draw", "entity"),
    )
    source = SimpleNamespace(
        group=lambda _: xr.Dataset({"diverging": (("chain", "draw"), np.zeros((chains, 100)))})
    )
    found = sampling(source, values)
    assert np.isfinite([found["rhat"], found["ess_bulk"]]).tolist() == [chains > 1] * 2
