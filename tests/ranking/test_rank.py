"""Ranks: axiom 1 of the foundations, ties, undefined values, direction, and all other dims untouched."""

import numpy as np
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

import bayesrank as br
from tests.strategies import score_draws


@given(score_draws(), st.sampled_from(["average", "min", "max"]), st.booleans())
def test_agrees_with_scipy_among_the_defined(values, method, higher):
    ranks = br.rank(values, method=method, higher_is_better=higher)
    sign = -1 if higher else 1
    expected = rankdata(sign * values.values, method=method, axis=1, nan_policy="omit")
    np.testing.assert_array_equal(ranks.values, np.where(np.isnan(values), np.nan, expected))


def test_other_dims_and_coords_pass_through():
    values = xr.DataArray(
        np.random.default_rng(1).random((2, 3, 4, 5)),
        {"entity": list("abc"), "group": ("entity", [1, 1, 2]), "a": np.linspace(0, 1, 5)},
        ("dataset", "entity", "b", "a"),
    )
    ranks = br.rank(values)
    assert ranks.dims == values.dims
    assert ranks.name == "rank"
    assert ranks["group"].values.tolist() == [1, 1, 2]
    assert not ranks.attrs
    one = br.rank(values.isel(dataset=1, b=2, a=3, drop=True))
    np.testing.assert_array_equal(ranks.isel(dataset=1, b=2, a=3), one)


def test_negative_zero_ties_with_zero_and_infinities_rank():
    values = xr.DataArray([0.0, -0.0, np.inf, -np.inf, np.nan], dims="entity")
    np.testing.assert_array_equal(br.rank(values), [2.5, 2.5, 1.0, 4.0, np.nan])
