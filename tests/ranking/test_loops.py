"""Small problems are compared by NumPy and large ones by compiled loops: both give the same bits."""

import warnings

import numpy as np
import pytest
from scipy.special import ndtri

from bayesrank.ranking import _kernel, _loops
from bayesrank.ranking._tallies import ever_tied

BOARDS = {
    "continuous": lambda rng: rng.normal(size=(700, 7)),
    "ties": lambda rng: rng.integers(0, 4, (700, 7)) / 4,
    "undefined": lambda rng: np.where(
        rng.random((700, 7)) < 0.2, np.nan, rng.integers(0, 5, (700, 7)) / 3
    ),
    "never defined": lambda rng: np.where(np.arange(5) == 2, np.nan, rng.normal(size=(700, 5))),
    "one entity": lambda rng: rng.normal(size=(700, 1)),
    "two strips in threads": lambda rng: rng.integers(0, 9, (22_000, 20)) / 4,
}


def by_both(monkeypatch, work):
    monkeypatch.setattr(_loops, "SMALL_PAIRS", 2**40)
    plain = work()
    monkeypatch.setattr(_loops, "SMALL_PAIRS", 0)
    return zip(plain, work(), strict=True)


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("rope", [0.0, 0.3])
def test_pairs(monkeypatch, board, rope):
    values = np.ascontiguousarray(BOARDS[board](np.random.default_rng(1)).T)
    edges = np.array([0, 100, 350, values.shape[1]])
    for tied in {True, len(np.unique(values)) < values.size}:
        can_tie = np.full(len(values), tied)
        for one, other in by_both(
            monkeypatch,
            lambda can_tie=can_tie: _loops.compare_pairs(values, edges, rope, can_tie),
        ):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("turn", [1, -1])
@pytest.mark.parametrize("rope", [0.0, 0.4])
def test_entities_apart_are_not_compared_draw_by_draw(monkeypatch, rope, turn):
    """Of 60 entities, each overlaps in a batch with its nearest few: no comparison of all pairs, nor in both ways."""
    rng = np.random.default_rng(1)
    values = turn * (np.arange(60.0)[:, None] + rng.uniform(0, 2, (60, 40)))
    limits, edges = _kernel._limits_of(values, np.arange(0, 41, 10)), np.arange(0, 41, 10)
    compared = []
    monkeypatch.setattr(
        _kernel, "_above", lambda x, y: compared.append(1) or np.count_nonzero(x > y)
    )
    everyone = np.ones(60, bool)
    tables = [np.zeros((60, 60), int if i < 2 else float) for i in range(6)]
    for strip in range(4):
        _kernel._compare_strip.py_func(
            strip, values, everyone, ~everyone, limits, edges, rope, *tables
        )

    np.testing.assert_array_equal(tables[2], (values[:, None] > values + rope).sum(axis=-1))
    of_diagonal, of_neighbours = 2 * 60 * 4, (59 if rope == 0 else 59 + 58) * 4
    assert len(compared) <= of_diagonal + of_neighbours


def test_only_entities_that_share_a_rank_are_tied():
    """Ranks 1 and 2 of three, of which the last is undefined in a draw, are not shared; two halves are."""
    twice = np.array([[2, 4, 0, 0], [2, 5, 5, 8]])
    assert ever_tied(twice).tolist() == [False, True, True, False]
    assert not ever_tied(twice[:1]).any()


@pytest.mark.parametrize("board", BOARDS)
def test_largest_leads(monkeypatch, board):
    rng = np.random.default_rng(3)
    rows = np.ascontiguousarray(BOARDS[board](rng).T.astype(np.float32))
    shift, weight = rng.normal(size=(2, len(rows), len(rows)))
    weight = np.abs(weight).astype(np.float32)

    for one, other in by_both(monkeypatch, lambda: [_loops.largest(rows, shift - shift.T, weight)]):
        np.testing.assert_allclose(one, other, rtol=1e-6)


@pytest.mark.parametrize("board", BOARDS)
def test_largest_leads_of_each_entity(monkeypatch, board):
    rng = np.random.default_rng(4)
    rows = np.ascontiguousarray(BOARDS[board](rng).T.astype(np.float32))
    shift, weight = rng.normal(size=(2, len(rows), len(rows)))
    shift, weight = (shift - shift.T).astype(np.float32), np.abs(weight).astype(np.float32)
    leads = (rows[:, None] - rows - shift[:, :, None]) * weight[:, :, None]
    slow = np.fmax(np.fmax.reduce(leads, axis=1), np.fmax.reduce(leads, axis=0))
    for found in next(by_both(monkeypatch, lambda: [_loops.largest_of_each(rows, shift, weight)])):
        np.testing.assert_allclose(found, np.fmax(slow, 0), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found.max(axis=0), _loops.largest(rows, shift, weight), rtol=1e-5)


@pytest.mark.parametrize("board", BOARDS)
def test_spreads_of_the_lower_tail(monkeypatch, board):
    rng = np.random.default_rng(5)
    rows = np.ascontiguousarray(BOARDS[board](rng).T.astype(np.float32))
    rows -= np.nansum(rows, axis=1, keepdims=True) / rows.shape[1]  # leads are nearly centred
    shift = 0.1 * rng.normal(size=(len(rows), len(rows)))
    shift = (shift - shift.T).astype(np.float32)
    leads = rows[:, None] - rows - shift[:, :, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # entities that are never defined
        slow = np.nan_to_num(np.sqrt(np.nanmean(np.where(leads < 0, leads, np.nan) ** 2, axis=-1)))
    np.fill_diagonal(slow, 0.0)
    for found in next(by_both(monkeypatch, lambda: [_loops.lower_spreads(rows, shift)])):
        np.testing.assert_allclose(found, slow, rtol=1e-4, atol=1e-4)
    one, other = np.nonzero(rng.random(slow.shape) < 0.6)
    listed = by_both(monkeypatch, lambda: [_loops.lower_spreads_of(rows, shift, one, other)])
    for found in next(listed):
        np.testing.assert_allclose(found, slow[one, other], rtol=1e-4, atol=1e-4)


def test_the_spread_of_a_symmetric_lead_is_its_standard_deviation():
    """A normal lead of variance 1, and one whose lower tail is that of a uniform distribution."""
    levels = (np.arange(200_000) + 0.5) / 200_000
    rows = np.zeros((3, len(levels)), np.float32)
    rows[0], rows[1] = ndtri(levels), np.where(levels < 0.5, 2 * levels - 1, 3 * (2 * levels - 1))
    spread = _loops.lower_spreads(rows, np.zeros((3, 3), np.float32))
    assert spread[0, 2] == pytest.approx(1, rel=1e-3)
    assert spread[2, 0] == pytest.approx(1, rel=1e-3)
    assert (spread[1, 2], spread[2, 1]) == pytest.approx((np.sqrt(1 / 3), np.sqrt(3)), rel=1e-3)


def test_counts_of_many_draws_do_not_overflow(monkeypatch):
    """In a batch of 100,000 draws the square of a count is beyond 32 bits."""
    monkeypatch.setattr(_loops, "SMALL_PAIRS", 2**40)
    values = np.repeat([[1.0], [0.0]], 100_000, axis=1)
    joint, _, won, won_squares, before, before_squares = _loops.compare_pairs(
        values, np.array([0, 100_000]), 0.0, np.ones(2, bool)
    )
    for table in (joint, won, won_squares, before, before_squares):
        assert table[0, 1] == 100_000
