"""One pass over draws: every draw once and in order, whatever the chunks, and batches that depend on sizes alone."""

import numpy as np
import pytest
import xarray as xr

from bayesrank._core.draws import (
    Batches,
    BatchSums,
    EffectiveDraws,
    Moments,
    efficiency,
    iterate_blocks,
    mean_error,
    part_error,
    proportion_error,
    reduce,
)
from tests.ops.test_draws import counted


@pytest.mark.parametrize("chains", [1, 2, 3, 4, 7, 50])
@pytest.mark.parametrize("draws", [1, 2, 7, 8, 63, 1000, 1001])
def test_batches(chains, draws):
    batches = Batches(chains, draws)
    assert batches.sizes.sum() == chains * draws
    assert batches.each % 2 == 0
    assert chains > 20 or len(batches.sizes) <= 40
    if draws >= 8:
        assert batches.sizes.min() >= 4
    if draws > 1:
        assert batches.sizes.min() > 0
        halves = batches.half(np.repeat(np.arange(len(batches.sizes)), batches.sizes)).reshape(
            chains, draws
        )
        assert (np.diff(halves, axis=1) >= 0).all()
        assert (np.abs(halves.mean(axis=1) - 0.5) <= 0.5 / draws + 1e-12).all()


CHUNKS = [
    {"draw": 7},
    {"chain": 1, "draw": 50},
    {"chain": 2, "draw": 33, "entity": 2},
    {"entity": 1},
    {"draw": 103},
]


@pytest.mark.parametrize("across", [False, True])
@pytest.mark.parametrize("chunks", [None, *CHUNKS])
def test_every_draw_once_and_in_the_order_of_its_chain(chunks, across):
    """Within batches or, in fewer blocks, across them within chains."""
    array = xr.DataArray(
        np.arange(3 * 103 * 5.0).reshape(5, 3, 103), dims=("entity", "chain", "draw")
    )
    flat = array.transpose("chain", "draw", "entity").values.reshape(-1, 5)
    edges = 103 * np.arange(4) if across else np.cumsum([0, *Batches.of(array).sizes])
    array = array if chunks is None else array.chunk(chunks)
    at, complete, count = {}, [], 0
    for block in iterate_blocks(array, across=across):
        stop = block.start + len(block.values)
        np.testing.assert_array_equal(block.values, flat[block.start : stop])
        assert at.setdefault(block.batch, edges[block.batch]) == block.start
        at[block.batch] = stop
        assert block.complete == (stop == edges[block.batch + 1])
        complete += [block.batch] * block.complete
        count += 1
    assert sorted(complete) == list(range(len(edges) - 1))
    assert not across or count < sum(1 for _ in iterate_blocks(array))


@pytest.mark.parametrize("dims", [("sample", "entity"), ("entity",), ("draw", "entity")])
def test_other_dims_of_draws(dims):
    array = xr.DataArray(np.random.default_rng(1).random((20, 3)[2 - len(dims) :]), dims=dims)
    [sums] = reduce(array, BatchSums())
    np.testing.assert_allclose(sums.sum(axis=0), array.values.reshape(-1, 3).sum(axis=0))
    assert Batches.of(array).sampled == (len(dims) == 2)


@pytest.mark.parametrize("chunks", CHUNKS)
def test_each_chunk_is_computed_once_and_changes_nothing(chunks):
    plain = xr.DataArray(
        np.random.default_rng(1).random((3, 103, 5)), dims=("chain", "draw", "entity")
    )
    calls = []
    lazy = counted(plain, calls, **chunks)
    expected, found = (
        reduce(array, BatchSums(), EffectiveDraws(), Moments(np.full(5, 0.5)))
        for array in (plain, lazy)
    )
    assert len(calls) == lazy.data.npartitions
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-13)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-12)
    for one, two in zip(found[2], expected[2], strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-12, atol=1e-15)


def test_moments_of_free_draws_and_of_repeated_ones():
    rng = np.random.default_rng(2)
    free = rng.normal(size=(4000, 3)) @ [[1, 0.5, 0], [0, 1, 0], [0, 0, 2]]
    [(within, between)] = reduce(free, Moments(np.zeros(3)))
    np.testing.assert_allclose(within, np.cov(free.T, bias=True), atol=1e-12)
    # 40 batches: each entry of a covariance is within a few of its errors, sqrt((s_ii s_jj + s_ij²) / 39).
    error = np.sqrt((np.outer(np.diag(within), np.diag(within)) + within**2) / 39)
    assert (np.abs(between - within) < 4.5 * error).all()
    slow = np.repeat(free[:200], 20, axis=0)
    [(within, between)] = reduce(slow, Moments(np.zeros(3)))
    # Each draw counts twenty times: five free ones a batch of a hundred, whose variance has the error sqrt(2 / 39).
    np.testing.assert_allclose(
        efficiency(np.diag(within), np.diag(between)), 1 / 20, rtol=4.5 * np.sqrt(2 / 39)
    )


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_effective_sample_sizes(offset):
    rng = np.random.default_rng(5)
    free = rng.normal(size=(4000, 2)) + offset
    slow = np.repeat(free[:200], 20, axis=0)
    x = np.stack([free, slow], axis=1)
    x[:, 0, 1] = offset  # never moves
    [worth] = reduce(x, EffectiveDraws())
    # From 40 batches, five times the spread of a variance.
    np.testing.assert_allclose(worth[1], 200, rtol=5 * np.sqrt(2 / 39))
    assert 4000 / (1 + 5 * np.sqrt(2 / 39)) < worth[0, 0] <= 4000
    assert worth[0, 1] == 4000
    # As from moments.
    [moments] = reduce(x[:, :, 0], Moments(np.full(2, offset)))
    np.testing.assert_allclose(
        worth[:, 0], 4000 * efficiency(*(np.diag(m) for m in moments)), rtol=1e-6
    )
    x[7, 0] = np.nan
    [undefined] = reduce(x, EffectiveDraws())
    np.testing.assert_allclose(undefined[0, 0], worth[0, 0], rtol=0.1)


def test_the_error_of_a_mean_of_parts():
    from scipy.stats import beta

    least = beta(0.5, 100.5).std()
    found = part_error([0.5, 0.5, 0.0, 1.0, 0.01, np.nan], [0.02, 0.0, 0.0, 0.0, 1e-9, 0.0], 100)
    np.testing.assert_allclose(found, [0.02, least, least, least, beta(1.5, 99.5).std(), np.nan])
    assert np.isnan(part_error(0.5, np.nan, np.nan))


def test_mean_error_is_that_of_the_means():
    rng = np.random.default_rng(3)
    sums, sizes = rng.normal(size=(40, 2)) * 10 + 5, np.full(40, 100)
    np.testing.assert_allclose(
        mean_error(sums, sizes), (sums / 100).std(axis=0, ddof=1) / np.sqrt(40)
    )
    assert np.isnan(mean_error(np.ones((1, 2)), np.array([3]))).all()


def test_proportion_error_is_that_of_jeffreys():
    from scipy.stats import beta

    np.testing.assert_allclose(proportion_error(0.25, 40), beta(10.5, 30.5).std())
