"""Robustness against closed forms, and against the frontiers."""

import numpy as np
import pytest
import xarray as xr

import bayesrank as br
from bayesrank.tile._distances import distances
from tests.strategies import performances


def random_entities(n, seed):
    return performances(*np.random.default_rng(seed).dirichlet([4, 2, 2, 4], n))


SETS = {
    "random": random_entities(4, 0),
    "others": random_entities(4, 1),
    "equal priors, whose frontiers are lines": performances(
        [0.9, 0.1, 0.5, 0.5], [0.6, 0.4, 0.15, 0.85]
    ),
    "one undefined in a corner, where the other has a score": performances(
        [0, 0, 1, 9], [1, 10, 10, 1]
    ),
}


@pytest.mark.parametrize("array", SETS.values(), ids=SETS)
def test_it_is_the_distance_to_the_nearest_frontier(array):
    """20,000 chords of each curve: their ends are exact, and between them they are off by less than 1e-9."""
    curves = br.tile.frontiers(array, points=20_001)
    ends = (curves["a"] + 1j * curves["b"]).values
    start, chord = ends[:, :-1], np.diff(ends)
    radius = br.tile.robustness(array, 6)
    for b, a in np.ndindex(6, 6):
        there = complex(radius["a"][a], radius["b"][b])
        share = np.clip(((there - start) * chord.conj()).real / abs(chord) ** 2, 0, 1)
        expected = np.nanmin(abs(start + share * chord - there))
        assert radius.values[b, a] == pytest.approx(expected, abs=1e-8)


def test_straight_frontiers():
    a, b = np.meshgrid(np.linspace(0, 1, 21), np.linspace(0, 1, 21))
    # tn = tp in both, fp + fn alike: they tie on b = 1/2, and by symmetry on a = 1/2
    horizontal = performances([8, 1, 3, 8], [8, 3, 1, 8])
    np.testing.assert_allclose(br.tile.robustness(horizontal, 21), abs(b - 0.5), atol=1e-12)
    vertical = performances([6, 2, 2, 10], [10, 2, 2, 6])
    np.testing.assert_allclose(br.tile.robustness(vertical, 21), abs(a - 0.5), atol=1e-12)
    both = xr.concat([horizontal, vertical.assign_coords(entity=["e2", "e3"])], "entity")
    assert (br.tile.robustness(both, 21) <= np.minimum(abs(a - 0.5), abs(b - 0.5)) + 1e-12).all()


@pytest.mark.parametrize("c", [0.1, 0.25, 0.6])
def test_symmetric_hyperbola(c):
    # s₁ = a, u₁ = 1, s₂ = c, u₂ = b (up to scale): they tie on the hyperbola a b = c.
    array = performances([0, 1, 1, 1], [c, 0, 1, c])
    radius = br.tile.robustness(array, 101)
    for t in (0.2, 0.5, 0.8, 1.0):
        # On the axis the nearest point is the vertex, if t < 2 √c; beyond it are two, where a + b = t and a b = c.
        expected = np.sqrt(t**2 - 2 * c) if t > 2 * np.sqrt(c) else np.sqrt(2) * abs(t - np.sqrt(c))
        assert radius.sel(a=t, b=t, method="nearest") == pytest.approx(expected, abs=1e-12)
    np.testing.assert_allclose(radius, radius.T, atol=1e-12)


def test_sharp_hyperbolas_near_two_crossing_lines():
    # (a - 0.5) (b - 0.5) = k: as k vanishes, the distance to the cross, but for the rounding of its corner.
    points, none = np.linspace(0, 1, 21), np.zeros(4, bool)
    a, b = np.meshgrid(points, points)
    for k in (1e-3, 1e-6, 1e-9, 1e-12, 0.0):
        radius = distances(
            np.array([[0.25 - k, -0.25 - k, -0.25 - k, 0.25 - k]]), none, none, points
        )
        cross = np.minimum(abs(a - 0.5), abs(b - 0.5))
        # The vertices are √(2k) from the centre, and no point of the hyperbola is farther from the cross than that.
        # The corners of g, about 1/4, are rounded, which moves k by 1e-16 or so.
        np.testing.assert_allclose(
            radius, cross, rtol=0, atol=np.sqrt(2 * (k + 1e-15)) if k else 1e-12
        )
        on = a[0] != 0.5
        foot = radius[:, on][
            np.isclose(b[:, on], 0.5)
        ]  # on the horizontal line, at distance |k / (a - 1/2)| at most
        assert (foot <= k / abs(a[0, on] - 0.5) + 1e-12).all()


def test_ties_along_an_edge_and_undefined_scores():
    a, b = np.meshgrid(np.linspace(0, 1, 11), np.linspace(0, 1, 11))
    # Prevalence 1: all score 0 on a = 0 and 1 on b = 0, and nothing is defined at their corner.
    array = performances([0, 0, 1, 9], [0, 0, 3, 7])
    np.testing.assert_allclose(br.tile.robustness(array, 11), np.minimum(a, b), atol=1e-12)
    array = performances([9, 1, 0, 0], [7, 3, 0, 0])
    np.testing.assert_allclose(br.tile.robustness(array, 11), np.minimum(1 - a, 1 - b), atol=1e-12)


def test_lonely_corners():
    a, b = np.meshgrid(np.linspace(0, 1, 11), np.linspace(0, 1, 11))
    # The same NPV 4/7, of different counts, whose rounding differs; the first is better everywhere else.
    array = performances([4, 1, 3, 3], [4, 3, 3, 2])
    np.testing.assert_allclose(br.tile.robustness(array, 11), np.hypot(a, 1 - b), atol=1e-12)
    # The same TNR and TPR at different prevalences: they tie in the corners of TNR and of TPR at least.
    array = performances([1, 1, 2, 6], [3, 3, 1, 3])
    radius = br.tile.robustness(array, 11)
    np.testing.assert_allclose([radius[0, 0], radius[-1, -1]], 0, atol=1e-12)


def test_sets_without_frontiers():
    assert np.isinf(br.tile.robustness(performances([70, 10, 6, 24]), 5)).all()
    identical = br.from_counts(tn=[40, 4, 28], fp=[10, 1, 7], fn=[10, 1, 7], tp=[40, 4, 28])
    assert np.isinf(br.tile.robustness(identical, 5)).all()
    dominated = performances([40, 10, 10, 40], [30, 20, 20, 30])
    assert np.isinf(br.tile.robustness(dominated, 5)).all()
    unknown = performances([40, 10, 10, 40], [1, 2, 3, 4])
    unknown[1] = np.nan
    assert np.isinf(br.tile.robustness(unknown, 5)).all()


def test_copies_and_order_and_dominated_entities_change_nothing():
    array = random_entities(5, 8)
    radius = br.tile.robustness(array, 21)
    again = xr.concat(
        [array.isel(entity=slice(None, None, -1)), array.isel(entity=[0, 2])], "entity"
    )
    xr.testing.assert_allclose(br.tile.robustness(again, 21), radius, atol=1e-12)
    worst = xr.concat([array, performances([0, 5, 5, 0]).assign_coords(entity=["worst"])], "entity")
    xr.testing.assert_allclose(br.tile.robustness(worst, 21), radius, atol=1e-12)
    assert radius.dims == ("b", "a")
    assert radius.name == "robustness"
