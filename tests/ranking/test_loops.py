"""Small problems are compared by NumPy and large ones by compiled loops: both give the same bits."""

import numpy as np
import pytest

from bayesrank.ranking import _loops

BOARDS = {
    "continuous": lambda rng: rng.normal(size=(700, 7)),
    "ties": lambda rng: rng.integers(0, 4, (700, 7)) / 4,
    "undefined": lambda rng: np.where(rng.random((700, 7)) < 0.2, np.nan, rng.integers(0, 5, (700, 7)) / 3),
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
    for one, other in by_both(monkeypatch, lambda: _loops.compare_pairs(values, edges, rope)):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("board", BOARDS)
def test_largest_leads(monkeypatch, board):
    rng = np.random.default_rng(3)
    rows = np.ascontiguousarray(BOARDS[board](rng).T.astype(np.float32))
    shift, weight = rng.normal(size=(2, len(rows), len(rows)))
    weight = np.abs(weight).astype(np.float32)

    for one, other in by_both(monkeypatch, lambda: [_loops.largest(rows, shift - shift.T, weight)]):
        np.testing.assert_allclose(one, other, rtol=1e-6)


def test_counts_of_many_draws_do_not_overflow(monkeypatch):
    """In a batch of 100,000 draws the square of a count is beyond 32 bits."""
    monkeypatch.setattr(_loops, "SMALL_PAIRS", 2**40)
    values = np.repeat([[1.0], [0.0]], 100_000, axis=1)
    joint, _, won, won_squares, before, before_squares = _loops.compare_pairs(values, np.array([0, 100_000]), 0.0)
    for table in (joint, won, won_squares, before, before_squares):
        assert table[0, 1] == 100_000
