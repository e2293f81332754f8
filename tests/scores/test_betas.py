"""Tables of Beta distribution functions against SciPy's incomplete beta function."""

import numpy as np
import pytest
from scipy import special

from bayesrank.scores.betas import CdfTable, cdf

#: Rare, even, and sure rates, from few and many cases.
PAIRS = np.array([[0.5, 0.5], [0.3, 40.0], [0.5, 1e6], [20.5, 3.5], [1e5, 1e5], [30_000.5, 0.5]])


def test_a_table_has_the_values_of_the_function():
    table = CdfTable.of(*PAIRS.T)
    rng = np.random.default_rng(0)
    row = rng.integers(len(PAIRS), size=60_000)
    a, b = PAIRS[row].T
    rate = special.betaincinv(a, b, rng.random(row.size))
    np.testing.assert_allclose(
        table.at(row, special.logit(rate)), special.betainc(a, b, rate), atol=1e-9
    )


@pytest.mark.parametrize("end", [-np.inf, np.inf, -1e4, 1e4])
def test_beyond_a_table_are_0_and_1(end):
    rows = np.arange(len(PAIRS))
    np.testing.assert_allclose(
        CdfTable.of(*PAIRS.T).at(rows, np.full(len(PAIRS), end)), float(end > 0), atol=1e-13
    )


def test_a_table_goes_through_its_points():
    table = CdfTable.of(*PAIRS[3:4].T)
    x = table.low + table.step * np.arange(4097)
    np.testing.assert_array_equal(
        table.at(np.zeros(4096, int), x[:-1]).round(12), cdf(*PAIRS[3], x)[:-1].round(12)
    )
