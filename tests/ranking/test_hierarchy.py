"""SUCRA and POTH against identities and replication."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from scipy.special import ndtr

import bayesrank as br
from bayesrank.ranking.hierarchy import poth_of
from bayesrank.ranking.without_draws import _hierarchy
from tests.strategies import draws_of, score_draws


@given(score_draws(max_draws=10, max_entities=6))
def test_identities(values):
    ranking = br.credible_ranking(values)
    ranked = ranking["tier"].notnull().values
    sucra, size = ranking["sucra"].values, int(ranked.sum())
    assert np.isnan(sucra[~ranked]).all()
    if size < 2:
        assert np.isnan(sucra).all()
        assert np.isnan(ranking["poth"])
        return
    assert sucra[ranked].mean() == pytest.approx(0.5)
    assert ((sucra[ranked] >= 0) & (sucra[ranked] <= 1)).all()
    assert 0 <= ranking["poth"].item() <= 1 + 1e-12
    # The error of an entity that is never defined together with another one is unknown.
    defined = values.notnull().values[:, ranked]
    met = (defined & (defined.sum(1, keepdims=True) > 1)).any(0)
    assert (ranking["sucra_error"].values[ranked][met] > 0).all()
    assert ranking["poth_error"] > 0 or not met.all()
    # The mean probability of being before a rival, of the draws in which both are defined.
    sup = ranking["superiority"].values
    before = np.nan_to_num((1 + sup - sup.T) / 2, nan=0.5)[np.ix_(ranked, ranked)]
    np.testing.assert_allclose(sucra[ranked], (before.sum(1) - 0.5) / (size - 1), atol=1e-12)
    certain = np.var(np.arange(size) / (size - 1))
    assert ranking["poth"].item() == pytest.approx(np.var(sucra[ranked]) / certain, abs=1e-12)
    if not np.isnan(values.values).any():
        expected = ranking["expected_rank"].values
        np.testing.assert_allclose(sucra, (size - expected) / (size - 1), atol=1e-12)
        np.testing.assert_allclose(
            ranking["sucra_error"], ranking["expected_rank_error"] / (size - 1), rtol=1e-9
        )
        # The area under the curve of cumulative rank probabilities.
        curve = ranking["rank_probability"].cumsum("rank").values[:, :-1]
        np.testing.assert_allclose(sucra, curve.mean(1), atol=1e-12)


@pytest.mark.parametrize(
    ("size", "spread"), [(2, 0.0), (5, 1.0), pytest.param(12, 0.0, marks=pytest.mark.slow)]
)
def test_errors_by_replication(size, spread):
    """The stated error of the POTH is what it is off by, where there is an order and where there is none."""
    means = spread * np.linspace(0, 1, size)
    before = ndtr((means[:, None] - means) / np.sqrt(2))
    exact = poth_of((before.sum(1) - 0.5) / (size - 1))
    rng = np.random.default_rng(size)
    rankings = [
        br.credible_ranking(draws_of(rng.normal(means, size=(100, size)))) for _ in range(40)
    ]
    off = np.array([r["poth"].item() - exact for r in rankings])
    stated = np.array([r["poth_error"].item() for r in rankings])
    ratio = np.sqrt((off**2).mean()) / np.sqrt((stated**2).mean())
    # Forty squares of normal numbers, or of sums of their squares, have a root mean square within 45% of it.
    assert 0.55 < ratio < 1.45
    assert (np.abs(off) > 3 * stated).sum() <= 2


def test_points_and_undefined_entities():
    point = br.credible_ranking(xr.DataArray([0.3, 0.1, 0.2], dims="entity"))
    assert point["sucra"].values.tolist() == [1, 0, 0.5]
    assert point["poth"] == 1
    assert np.isnan(point["sucra_error"]).all()
    assert np.isnan(point["poth_error"])
    # Two that are never defined at once say nothing of their order.
    apart = draws_of([[0.5, np.nan], [np.nan, 0.4]] * 20)
    ranking = br.credible_ranking(apart)
    assert ranking["sucra"].values.tolist() == [0.5, 0.5]
    assert ranking["poth"] == 0
    # One that is mostly undefined takes no part, also in draws in which it is defined.
    rng = np.random.default_rng(4)
    values = rng.normal(size=(400, 4)) + np.arange(4)
    values[:300, 3] = np.nan
    whole, three = (
        br.credible_ranking(draws_of(values)),
        br.credible_ranking(draws_of(values[:, :3])),
    )
    for name in ("sucra", "sucra_error"):
        np.testing.assert_allclose(whole[name][:3], three[name])
        assert np.isnan(whole[name][3])
    for name in ("poth", "poth_error"):
        assert whole[name].item() == pytest.approx(three[name].item())


def test_errors_of_an_order_that_never_changes():
    """The next draw may swap two neighbours: an expected rank is off by 1 / n, a SUCRA by 1 / n / (entities - 1)."""
    ranking = br.credible_ranking(draws_of(np.tile([3.0, 2.0, 1.0], (200, 1))))
    np.testing.assert_allclose(ranking["expected_rank_error"], 1 / 200)
    np.testing.assert_allclose(ranking["sucra_error"], 1 / 400)
    # The POTH has the slope 2 in the first and the last SUCRA.
    error = np.hypot(2 * np.sqrt(2) / 400 * np.sqrt(2), 2 * 3 / 400**2)
    assert ranking["poth_error"].item() == pytest.approx(error, rel=1e-6)


def test_an_order_that_turns_in_each_draw_has_no_linear_error():
    ranking = br.credible_ranking(draws_of(np.tile([[2.0, 1.0], [1.0, 2.0]], (100, 1))))
    assert ranking["poth"].item() == 0
    errors = ranking["sucra_error"].values
    assert ranking["poth_error"].item() == pytest.approx(2 * (errors**2).sum(), rel=1e-6)


def test_the_error_of_an_exact_poth_is_that_of_expected_ranks_further_apart():
    """For two entities POTH is the difference of the squared win shares from their mean."""
    found = _hierarchy(np.array([1.2, np.nan, 1.8]), np.array([0.01, np.nan, 0.01]))
    np.testing.assert_allclose(found["sucra"], [0.8, np.nan, 0.2])
    assert found["poth"] == pytest.approx(4 * 0.3**2)
    assert found["poth_error"] == pytest.approx(4 * 0.31**2 - 4 * 0.3**2)
