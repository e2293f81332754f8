"""What draws of a score say, on draws that are known."""

import numpy as np
import pytest
import xarray as xr

from bayesrank.scores.draws import differences, histograms

RNG = np.random.default_rng(4)


def draws(columns, **coords):
    return xr.DataArray(np.array(columns).T[None], dims=("chain", "draw", "entity"), coords=coords, name="f1")


LADDER = np.arange(101) / 100
VALUES = draws([LADDER, LADDER + 2, 1 - LADDER, np.full(101, np.nan)], entity=["a", "b", "c", "nobody"])


def test_differences_are_those_of_the_draws():
    found = differences(VALUES, "a", prob=0.9)
    assert found["entity"].values.tolist() == ["b", "c", "nobody"]
    np.testing.assert_allclose(found["median"], [2.0, 0.0, np.nan], atol=1e-12)
    # Of 1 - 2x with x even between 0 and 1 the middle 90% lies between -0.9 and 0.9.
    np.testing.assert_allclose(found["lower"], [2.0, -0.9, np.nan], atol=1e-12)
    np.testing.assert_allclose(found["upper"], [2.0, 0.9, np.nan], atol=1e-12)
    assert found["verdict"].values.tolist() == ["above", "undecided", ""]


@pytest.mark.parametrize(("rope", "verdict"), [(0.0, "below"), (1.9, "below"), (2.1, "undecided")])
def test_a_difference_within_the_rope_is_undecided(rope, verdict):
    assert differences(VALUES, "b", rope)["verdict"].sel(entity="a").item() == verdict
    assert differences(VALUES, "b", rope)["entity"].values[-1] == "nobody"


def test_differences_do_not_depend_on_the_order_of_dims_or_entities():
    found = differences(VALUES, "a")
    xr.testing.assert_identical(differences(VALUES.transpose("entity", "draw", "chain"), "a"), found)
    xr.testing.assert_identical(differences(VALUES.isel(entity=[2, 0, 1, 3]), "a"), found)


def test_histograms_hold_the_draws_between_the_extreme_quantiles():
    values = draws(RNG.beta(20, 5, (2, 4000)), entity=["a", "b"]) - xr.DataArray([0.2, 0.0], dims="entity")
    prior = draws(RNG.random((2, 4000)), entity=["a", "b"])
    found = histograms(values, prior)
    assert found["entity"].values.tolist() == ["b", "a"]
    edges = np.append(found["left"], found["right"][-1])
    np.testing.assert_array_equal(found["left"][1:], found["right"][:-1])
    np.testing.assert_allclose(np.diff(edges), np.ptp(edges) / 80)
    both = np.concatenate([values.values.ravel(), prior.values.ravel()])
    np.testing.assert_allclose(edges[[0, -1]], np.quantile(both, [0.001, 0.999]))
    for name, x in (("posterior", values), ("prior", prior)):
        inside = (x >= edges[0]) & (x <= edges[-1])
        np.testing.assert_array_equal(found[name].sum("bin").sel(entity=["a", "b"]), inside.sum(["chain", "draw"]))
