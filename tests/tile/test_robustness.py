"""Robustness against closed forms, against minimisers along the curves, and against sign changes on a fine grid."""

import numpy as np
import pytest
import xarray as xr
from scipy.optimize import minimize_scalar

import bayesrank as br
from bayesrank.tile._distances import distances


def performances(*cells):
    """Performances from rows of cells tn, fp, fn, tp, which are scaled to sum to 1."""
    table = np.array(cells, float)
    table /= table.sum(1, keepdims=True)
    names = [f"e{k}" for k in range(len(table))]
    return xr.DataArray(table.reshape(-1, 2, 2), {"entity": names}, ("entity", "actual", "predicted"))


def random_entities(n, seed):
    return performances(*np.random.default_rng(seed).dirichlet([4, 2, 2, 4], n))


def tie(first, second, a, b):
    """s₁ u₂ - s₂ u₁."""
    (tn, fp, fn, tp), (tn2, fp2, fn2, tp2) = first, second
    s, s2 = (1 - a) * tn + a * tp, (1 - a) * tn2 + a * tp2
    u, u2 = (1 - b) * fp + b * fn, (1 - b) * fp2 + b * fn2
    return s * u2 - s2 * u


def searched(array, a, b):
    """The distance from (a, b) to the nearest tie, by a minimiser along each curve, started from 1,001 points."""
    cells, best = array.values.reshape(-1, 4), np.inf
    t = np.linspace(0, 1, 1001)
    for i, first in enumerate(cells):
        for second in cells[i + 1 :]:
            for along_a in (True, False):

                def other(x, first=first, second=second, along_a=along_a):
                    low, high = (tie(first, second, *((x, y) if along_a else (y, x))) for y in (0.0, 1.0))
                    with np.errstate(divide="ignore", invalid="ignore"):
                        return low / (low - high)

                def squared(x, other=other, along_a=along_a):
                    y = other(x)
                    far = (x - a) ** 2 + (y - b) ** 2 if along_a else (x - b) ** 2 + (y - a) ** 2
                    return np.where((y >= 0) & (y <= 1), far, 9.0)

                values = squared(t)
                padded = np.r_[9.0, values, 9.0]
                low = np.flatnonzero((values <= padded[:-2]) & (values <= padded[2:]) & (values < 9))
                best = min(best, values.min())
                for k in low:
                    ends = t[max(k - 1, 0)], t[min(k + 1, 1000)]
                    best = min(
                        best, minimize_scalar(squared, bounds=ends, method="bounded", options={"xatol": 1e-12}).fun
                    )
    return np.sqrt(best)


@pytest.mark.parametrize("seed", range(2))
def test_agrees_with_minimisers_along_the_curves(seed):
    array = random_entities(4, seed)
    radius = br.tile.robustness(array, 4)
    for b, a in np.ndindex(4, 4):
        expected = searched(array, radius["a"].values[a], radius["b"].values[b])
        # The minimiser stops within 1e-8 or so of the foot point; the distance there is flat.
        assert expected == pytest.approx(radius.values[b, a], abs=1e-8)


def test_straight_frontiers():
    a, b = np.meshgrid(np.linspace(0, 1, 21), np.linspace(0, 1, 21))
    # tn = tp in both, fp + fn alike: they tie on b = 1/2, and by symmetry on a = 1/2
    horizontal = performances([8, 1, 3, 8], [8, 3, 1, 8])
    np.testing.assert_allclose(br.tile.robustness(horizontal, 21), abs(b - 0.5), atol=1e-12)
    vertical = performances([6, 2, 2, 10], [10, 2, 2, 6])
    np.testing.assert_allclose(br.tile.robustness(vertical, 21), abs(a - 0.5), atol=1e-12)
    both = xr.concat([horizontal, vertical.assign_coords(entity=["e2", "e3"])], "entity")
    assert (br.tile.robustness(both, 21) <= np.minimum(abs(a - 0.5), abs(b - 0.5)) + 1e-12).all()
    # balanced priors: Eq. 6 and 7, the line slope_a a + slope_b b + TNR1 - TNR2 = 0
    tnr, tpr = np.array([0.9, 0.6]), np.array([0.5, 0.85])
    oblique = performances(*np.stack([tnr, 1 - tnr, 1 - tpr, tpr], -1))
    slope_a = (1 - tnr[0]) * (1 - tpr[1]) - (1 - tpr[0]) * (1 - tnr[1])
    slope_b = tpr[0] * tnr[1] - tnr[0] * tpr[1]
    end = [(x, -(slope_a * x + tnr[0] - tnr[1]) / slope_b) for x in (0.0, 1.0)]
    ends = np.array([(x, y) if 0 <= y <= 1 else (-(slope_b * (z := np.clip(y, 0, 1)) + tnr[0] - tnr[1]) / slope_a, z)
                     for x, y in end])  # fmt: skip
    along = ends[1] - ends[0]
    share = (((a - ends[0, 0]) * along[0] + (b - ends[0, 1]) * along[1]) / (along @ along)).clip(0, 1)
    expected = np.hypot(a - ends[0, 0] - share * along[0], b - ends[0, 1] - share * along[1])
    np.testing.assert_allclose(br.tile.robustness(oblique, 21), expected, atol=1e-12)


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
        radius = distances(np.array([[0.25 - k, -0.25 - k, -0.25 - k, 0.25 - k]]), none, none, points)
        cross = np.minimum(abs(a - 0.5), abs(b - 0.5))
        # The vertices are √(2k) from the centre, and no point of the hyperbola is farther from the cross than that.
        # The corners of g, about 1/4, are rounded, which moves k by 1e-16 or so.
        np.testing.assert_allclose(radius, cross, rtol=0, atol=np.sqrt(2 * (k + 1e-15)) if k else 1e-12)
        on = a[0] != 0.5
        foot = radius[:, on][np.isclose(b[:, on], 0.5)]  # on the horizontal line, at distance |k / (a - 1/2)| at most
        assert (foot <= k / abs(a[0, on] - 0.5) + 1e-12).all()


def test_ties_along_an_edge_and_undefined_scores():
    a, b = np.meshgrid(np.linspace(0, 1, 11), np.linspace(0, 1, 11))
    # Prevalence 1: all score 0 on a = 0 and 1 on b = 0, and nothing is defined at their corner.
    array = performances([0, 0, 1, 9], [0, 0, 3, 7])
    np.testing.assert_allclose(br.tile.robustness(array, 11), np.minimum(a, b), atol=1e-12)
    array = performances([9, 1, 0, 0], [7, 3, 0, 0])
    np.testing.assert_allclose(br.tile.robustness(array, 11), np.minimum(1 - a, 1 - b), atol=1e-12)
    # One is undefined at (0, 0), where the other has a score, and better everywhere else.
    array = performances([0, 0, 1, 9], [1, 10, 10, 1])
    radius = br.tile.robustness(array, 11)
    curve = br.tile.frontier(array, "e0", "e1", points=2001)
    assert (curve["a"].values == 0).any()
    expected = np.hypot(a[..., None] - curve["a"].values, b[..., None] - curve["b"].values).min(-1)
    np.testing.assert_allclose(radius, expected, atol=1 / 2000)
    assert radius.values[0, 0] == 0


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
    again = xr.concat([array.isel(entity=slice(None, None, -1)), array.isel(entity=[0, 2])], "entity")
    xr.testing.assert_allclose(br.tile.robustness(again, 21), radius, atol=1e-12)
    worst = xr.concat([array, performances([0, 5, 5, 0]).assign_coords(entity=["worst"])], "entity")
    xr.testing.assert_allclose(br.tile.robustness(worst, 21), radius, atol=1e-12)
    assert radius.dims == ("b", "a")
    assert radius.name == "robustness"
