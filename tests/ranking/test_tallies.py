"""Tallies of whole chains against loops over their batches."""

import numpy as np
import pytest
from scipy.stats import rankdata

from bayesrank._core.draws import Batches
from bayesrank.ranking._tallies import tally_ranks
from bayesrank.ranking.hierarchy import hierarchy

#: Chains, draws of each, entities; one draw a chain leaves some batches empty, and 3,000 draws of
#: ten entities are several blocks.
SIZES = [(1, 60, 3), (4, 250, 5), (3, 1, 4), (2, 1500, 10)]


def ranks_by_loops(x, batches):
    """Shares of each rank in each batch, and twice the average ranks; no value has no rank."""
    twice = np.array([2 * rankdata(-row, nan_policy="omit") for row in x])
    twice = np.nan_to_num(twice).astype(int)
    shares = np.zeros((len(batches.sizes), x.shape[1], x.shape[1]))
    batch = np.repeat(np.arange(len(batches.sizes)), batches.sizes)
    for draw, row in enumerate(x):
        for i in np.flatnonzero(~np.isnan(row)):
            above, tied = (row > row[i]).sum(), (row == row[i]).sum()
            shares[batch[draw], i, above : above + tied] += 1 / tied
    return shares, twice


@pytest.mark.parametrize(("chains", "draws", "entities"), SIZES)
@pytest.mark.parametrize("kind", ["continuous", "ties", "undefined"])
def test_ranks_and_their_errors_against_loops(monkeypatch, chains, draws, entities, kind):
    monkeypatch.setattr("bayesrank._core.draws.BLOCK", 6000)
    rng = np.random.default_rng(31)
    x = np.round(rng.normal(np.arange(entities) / 4, 1, (chains * draws, entities)), 1)
    x[:, 0] += np.round(2 * np.sin(6 * np.arange(len(x)) / len(x)), 1)  # slower than batches
    x = x if kind == "ties" else x + rng.random(x.shape) / 50
    if kind == "undefined":
        x[rng.random(x.shape) < 0.1] = np.nan
    batches = Batches(chains, draws)
    assert batches.sizes.sum() == len(x)
    with np.errstate(invalid="ignore", divide="ignore"):
        found, twice = tally_ranks(x, 1, batches, len(x))
    shares, slow = ranks_by_loops(x, batches)
    np.testing.assert_array_equal(twice, slow)
    probability = shares.sum(axis=0) / len(x)
    np.testing.assert_allclose(found["rank_probability"], probability, atol=1e-12)
    some = batches.sizes > 0
    means = shares[some] / batches.sizes[some, None, None]
    weights = batches.sizes[some, None, None] / len(x)
    error = np.sqrt((weights * (means - probability) ** 2).sum(axis=0) / max(some.sum() - 1, 1))
    large = error > 0.6 / np.sqrt(len(x))  # others may be those of independent draws
    assert large.any() or draws == 1
    np.testing.assert_allclose(found["rank_probability_error"][large], error[large], rtol=1e-9)
    best = np.nanmax(x, axis=1, keepdims=True)
    np.testing.assert_allclose(found["expected_regret"], np.nanmean(best - x, axis=0), rtol=1e-9)


@pytest.mark.parametrize("undefined", [0.0, 0.1])
def test_the_precision_of_a_hierarchy_is_the_same_from_blocks_of_any_size(monkeypatch, undefined):
    rng = np.random.default_rng(32)
    x = rng.normal(np.arange(6) / 2, 1, (2000, 6))
    x[rng.random(x.shape) < undefined] = np.nan
    batches = Batches(4, 500)
    twice = tally_ranks(x, 1, batches, len(x))[1]
    preference = np.clip(0.5 + (np.arange(6)[:, None] - np.arange(6)) / 12, 0, 1)
    results = []
    for block in (2**17, 100):
        monkeypatch.setattr("bayesrank._core.draws.BLOCK", block)
        results.append(hierarchy(preference, twice, np.ones(6, bool), batches, len(x)))
    for name, value in results[0].items():
        np.testing.assert_allclose(value, results[1][name], rtol=1e-9)
    ranks = np.where(twice > 0, twice / 2, np.nan)
    defined = (twice > 0).sum(axis=1, keepdims=True)
    share = (defined - ranks) / (defined - 1)
    means = np.array([np.nanmean(share[i : i + 50], axis=0) for i in range(0, 2000, 50)])
    error = np.nanstd(means, axis=0, ddof=1) / np.sqrt(len(means))
    independent = np.nanstd(share, axis=0) / np.sqrt((twice > 0).sum(axis=0))
    expected = np.maximum(error, independent)
    np.testing.assert_allclose(
        results[0]["sucra_error"], expected, rtol=0.02 if undefined else 1e-9
    )
