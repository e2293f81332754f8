"""Fields of tables are read once for each distinct one, with the result of reading each of them."""

import numpy as np
import pandas as pd
import pytest

from bayesrank._core.labels import factorize_rows
from bayesrank.io.tables.values import distinct_fields, map_fields, to_number

NAN = float("nan")


@pytest.mark.parametrize(
    ("column", "distinct"),
    [
        (["b", "a", "b", None], ["b", "a", None]),
        ([2, 1, 2, None], [2, 1, None]),
        ([0.5, 0.5], [0.5]),
        # Equal numbers of several types differ: as names of cases, 1 and True are two.
        ([1, True, 1.0], [1, True, 1.0]),
        ([["a"], ["a"]], [["a"], ["a"]]),
        ([np.float64(1), np.float64(1)], [np.float64(1), np.float64(1)]),
    ],
)
def test_equal_fields_are_one_if_they_mean_the_same(column, distinct):
    found = distinct_fields(column)
    assert found == distinct
    assert list(map(type, found)) == list(map(type, distinct))


@pytest.mark.parametrize(
    "column",
    [["1", "x", "1", None, ""], [1, 2, 1], [0.5, NAN, NAN, 0.5], [True, 1, 1.0], [["a"]], []],
)
def test_each_field_is_read_as_if_it_were_alone(column):
    calls = []

    def read(value):
        calls.append(value)
        return repr(to_number(value))

    assert map_fields(read, column) == [repr(to_number(value)) for value in column]
    assert len(calls) == len(distinct_fields(column))


def test_rows_are_numbered_in_the_order_of_their_first_occurrence():
    rng = np.random.default_rng(0)
    columns = [rng.choice(list("abc"), 200).tolist(), rng.integers(0, 3, 200), [""] * 200]
    rows = list(zip(*columns, strict=True))
    assert factorize_rows(*columns).tolist() == pd.factorize(pd.Series(rows))[0].tolist()
