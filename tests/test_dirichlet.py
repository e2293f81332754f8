"""Dirichlet draws: known distributions, and independent streams."""

import numpy as np
import pytest
from scipy import stats

from bayesrank._core.random import root_sequence, seed_words
from bayesrank._core.sampling import dirichlet, fill_tables

SEEDS = np.array([[3, 2**63 + 5], [4, 2**63 + 5]], np.uint64)


def filled(concentration, draws=1000, seeds=SEEDS, place=(0, 0), **more):
    concentration = np.asarray(concentration, float)
    out = np.empty((draws, *concentration.shape))
    fill_tables(
        out,
        np.arange(len(concentration)),
        concentration,
        seeds[: len(concentration)],
        place,
        **more,
    )
    return out


@pytest.mark.parametrize(
    ("a", "b"), [(3.0, 40.0), (1.0, 0.5), (2.0, 0.05), (0.05, 0.02), (0.09, 700.0)]
)
def test_components_are_beta_variables(a, b):
    """Equal numbers of 200,000 draws between known quantiles."""
    x = filled([[[a, b]]], 200_000)[:, 0, 0]
    np.testing.assert_allclose(x.sum(-1), 1, rtol=1e-12)
    levels = np.linspace(0, 1, 201)[1:-1]
    # Each component from the side where floats are dense.
    for own, (p, q) in zip(x.T, ((a, b), (b, a)), strict=True):
        edges = stats.beta.ppf(levels, p, q)
        edges = edges[(edges > 1e-290) & (edges < 0.5)]
        if len(edges) < 2:
            continue
        expected = np.diff(stats.beta.cdf(edges, p, q)) * len(own)
        seen = np.histogram(own, edges)[0]
        spread = (seen - expected) / np.sqrt(expected)
        assert np.abs(spread).max() < 4.5
        assert abs((spread**2).sum() - len(spread)) < 5 * np.sqrt(2 * len(spread))


def test_of_tiny_concentrations_one_takes_all():
    x = filled([[[1e-4, 2e-4]]], 20_000)[:, 0, 0, 0]
    expected = stats.beta.sf(0.5, 1e-4, 2e-4)  # a third
    assert abs((x > 0.5).mean() - expected) < 4.5 * np.sqrt(expected * (1 - expected) / 20_000)
    assert ((x < 1e-9) | (x > 1 - 1e-9)).mean() > 0.99


def test_rows_are_independent_of_one_another():
    alpha = np.array([[[2.0, 3.0], [4.0, 0.5]], [[2.0, 3.0], [4.0, 0.5]]])
    parts = [
        filled(alpha, 50_000, place=place)[..., 0].reshape(50_000, 4)
        for place in ((0, 0), (0, 1), (1, 0))
    ]
    ranks = stats.rankdata(np.hstack(parts), axis=0)
    correlations = np.corrcoef(ranks.T)[np.triu_indices(12, 1)]
    assert np.abs(correlations).max() < 4.5 / np.sqrt(50_000)
    # Nor of the draw before.
    after = [np.corrcoef(column[1:], column[:-1])[0, 1] for column in ranks.T]
    assert np.abs(after).max() < 4.5 / np.sqrt(50_000)


def test_nothing_is_0_but_what_has_no_concentration():
    x = filled(
        [
            [
                [0.0, 0.0, 0.0],
                [0.0, 2.0, 0.0],
                [1e-300, 5.0, 1e-5],
                [1e-300, 1e-290, 0.0],
                [5e-324, 1e-310, 0.0],
            ]
        ]
    )
    x = x[:, 0]
    assert np.isnan(x[:, 0]).all()
    assert (x[:, 1] == [0, 1, 0]).all()
    assert (x[:, 2] > 0).all()
    assert (x[:, 3:, :2] > 0).all()
    assert not x[:, 3:, 2].any()
    np.testing.assert_allclose(x[:, 1:].sum(-1), 1, rtol=1e-12)


def test_words_belong_to_their_key():
    root = root_sequence(1)
    assert seed_words(root, "a", 1).tolist() == seed_words(root, "a", 1).tolist()
    keys = [("a", 1), ("a", "1"), ("a", 2), ("b", 1)]
    assert len({int(word) for key in keys for word in seed_words(root, *key)}) == 8
    assert seed_words(root, "a").tolist() != seed_words(root_sequence(2), "a").tolist()


@pytest.mark.parametrize("wrong", [np.nan, -1e-300, np.inf])
def test_what_is_no_concentration_is_refused(wrong):
    alpha = np.array([[[2.0, wrong, 3.0]], [[1.0, 2.0, 3.0]]])
    with pytest.raises(
        ValueError,
        match=f"concentration must be non-negative with finite sums of rows; got {wrong}",
    ):
        dirichlet(np.random.default_rng(1), alpha, 2)
    with pytest.raises(
        ValueError, match=r"concentration must be .* finite sums of rows; got 1e\+308"
    ):
        dirichlet(np.random.default_rng(1), np.array([1e308, 1e308]), 2)
