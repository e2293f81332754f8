"""The checks themselves, and how numbers are written: what the doors of public functions do not show."""

import math

import numpy as np
import pytest
import xarray as xr

import bayesrank as br
from bayesrank._core import prose
from bayesrank._core.checks import (
    check_choice,
    check_labelled_prevalence,
    class_shares,
    rename_argument,
)
from bayesrank._core.errors import ArgumentError, ArgumentKeyError

COUNTS = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
POINT = br.as_performance(COUNTS)
THREE = br.from_matrix([[5, 1, 0], [2, 7, 1], [0, 0, 4]], "actual_rows")


def test_one_of_many_names_the_first():
    assert check_choice("entity", 3, range(5)) == 3
    with pytest.raises(KeyError) as caught:
        check_choice("entity", "z", range(100), ArgumentKeyError)
    assert str(caught.value) == (
        "entity must be one of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, ... (100 in all)]; got 'z'"
    )
    with pytest.raises(ValueError, match=r"^how must be one of \['a'\], or a function; got int 3$"):
        check_choice("how", 3, ["a"], other="a function")


def test_errors_speak_of_the_callers_argument():
    with pytest.raises(KeyError) as caught, rename_argument("other", "score"):
        check_choice("score", "x", ["f1"], ArgumentKeyError)
    assert str(caught.value) == "other must be one of ['f1']; got 'x'"
    with pytest.raises(ArgumentError, match=r"^scores differ$"), rename_argument("other", "score"):
        raise ArgumentError("scores", "differ")


def test_shares_of_classes():
    share = check_labelled_prevalence(0.25)
    assert class_shares(share, POINT).values.tolist() == [0.75, 0.25]
    assert class_shares(share, POINT)["actual"].values.tolist() == ["negative", "positive"]
    three = xr.DataArray([0.2, 0.3, 0.5], dims="actual")
    assert class_shares(three, THREE) is three
    lacking = xr.DataArray([0.3, np.nan], dims="entity")
    xr.testing.assert_identical(check_labelled_prevalence(lacking, may_lack=True), lacking)
    with pytest.raises(ValueError, match=r"^prevalence must lie between 0 and 1; got nan$"):
        check_labelled_prevalence(lacking)


def test_numbers_for_people():
    assert [prose.interval(*pair) for pair in ((8.0, 5.5e167), (2.4, 1560.0), (0.0, 12.0))] == [
        "8 to 5.5e+167", "2.4 to 1560", "0 to 12.00",
    ]  # fmt: skip
    assert prose.format_with_interval(0.0004, -0.1, 0.1) == "0.000"
    assert prose.format_with_interval(7.0, 3.0, 5000.0) == "7"
    assert prose.estimate(133.25, 8.0, 1200.0) == "133 (8 to 1200)"
    assert prose.estimate(math.nan, 0, 1) == "–"
    assert prose.list_names("abcdefg") == "a, b, c, d and 3 more"
    assert (prose.significant(0.0000664), prose.significant(1234.0)) == ("0.000066", "1200")
