"""A window of the Tile is the Tile of other cells: its numbers are those of the whole Tile at the same places."""

import numpy as np
import pytest
import xarray as xr

import bayesrank as br

COUNTS = br.from_counts(
    tn=[970, 955, 900, 0],
    fp=[10, 25, 80, 0],
    fn=[14, 9, 2, 0],
    tp=[6, 11, 18, 0],
    entity=["a", "b", "c", "none"],
)
DRAWS = br.as_performance(br.fit(COUNTS.isel(entity=slice(0, 3)), draws=50, seed=1))
POINT = br.as_performance(COUNTS)
WINDOW = ((0.9, 1.0), (0.2, 0.6))


def inside(tile):
    """The points of a Tile of 101 that lie in the window, at every second step of b."""
    return tile.isel(a=slice(90, 101, 1), b=slice(20, 61, 4))


@pytest.mark.parametrize(
    ("function", "source"),
    [
        (br.tile.value, POINT),
        (br.tile.value, DRAWS),
        (lambda *a, **k: br.tile.entity_rank(a[0], "b", *a[1:], **k), DRAWS),
        (br.tile.probability_best, DRAWS),
        (br.tile.rank_probability, DRAWS),
        (br.tile.value_interval, DRAWS),
    ],
)
def test_maps_of_a_window_are_those_of_the_tile(function, source):
    whole, part = function(source, 101), function(source, 11, window=WINDOW)
    np.testing.assert_allclose(part["a"], np.linspace(0.9, 1, 11))
    np.testing.assert_allclose(part["b"], np.linspace(0.2, 0.6, 11))
    assert part.attrs["window"] == [0.9, 1.0, 0.2, 0.6]
    labelled = inside(whole).assign_coords(a=part["a"], b=part["b"])
    xr.testing.assert_allclose(part, labelled, rtol=1e-9)


def test_a_credible_window():
    whole, part = br.tile.credible(DRAWS, 101), br.tile.credible(DRAWS, 11, window=WINDOW)
    assert set(whole) - set(part) == {"probability_skilled", "probability_skilled_error"}
    for name in ("probability_best", "expected_rank", "expected_regret", "winner_probability"):
        np.testing.assert_allclose(part[name], inside(whole)[name], rtol=1e-9, atol=1e-12)
    # The share of a window is the mean over it, up to its frontiers.
    fine = br.tile.probability_best(DRAWS, 201, window=WINDOW)
    np.testing.assert_allclose(part["share"], fine.mean(["a", "b"]), atol=0.01)
    np.testing.assert_allclose(part["share"].sum(), 1, rtol=1e-9)


def test_regions_of_a_window_are_exact():
    share = br.tile.shares(POINT.isel(entity=slice(0, 3)), window=WINDOW)
    found = br.tile.regions(POINT, window=WINDOW)
    assert found["area"].sum().item() == pytest.approx(1, abs=1e-9)
    for name, area in found.groupby("entity").sum()["area"].to_series().items():
        assert area == pytest.approx(share.sel(entity=name).item(), abs=1e-9)
    who = br.tile.entity(POINT, 1, 401, window=WINDOW)
    for name in "abc":
        assert share.sel(entity=name).item() == pytest.approx((who == name).mean().item(), abs=0.01)
    assert found["a"].min().item() == pytest.approx(0.9)
    assert found["a"].max().item() == pytest.approx(1)
    assert found["b"].min().item() == pytest.approx(0.2)
    assert found["b"].max().item() == pytest.approx(0.6)
