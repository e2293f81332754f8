"""Exact regions against fine grids, and their degenerate cases; ranks under uncertain preferences."""

import numpy as np
import pytest
import xarray as xr

import bayesrank as br
from bayesrank.tile.geometry import holders


def random_entities(n, seed):
    table = np.random.default_rng(seed).dirichlet([4, 2, 2, 4], n).reshape(n, 2, 2)
    return xr.DataArray(table, {"entity": [f"e{i}" for i in range(n)]}, ("entity", "actual", "predicted"))


def mid_grid_rank_areas(array, rank, size=600):
    """Areas by counting the mid points of a fine grid."""
    t = (np.arange(size) + 0.5) / size
    cells = array.values.reshape(-1, 4)
    s = (1 - t) * cells[:, [0]] + t * cells[:, [3]]
    u = (1 - t) * cells[:, [1]] + t * cells[:, [2]]
    order = np.argsort(u[:, :, None] / s[:, None, :], axis=0, kind="stable")
    return np.bincount(order[rank - 1].ravel(), minlength=len(cells)) / size**2


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("n", "rank"), [(3, 1), (15, 1), (15, 2), (15, 8), (8, 8)])
def test_areas_cover_once_and_agree_with_a_fine_grid(n, rank, seed):
    array = random_entities(n, seed)
    share = br.tile.shares(array, rank)
    assert share.sum().item() == pytest.approx(1, abs=1e-9)
    # A grid of mid points errs by about the length of the frontiers times half a step.
    np.testing.assert_allclose(share, mid_grid_rank_areas(array, rank), atol=3e-3)


def test_all_ranks_share_all_areas():
    array = random_entities(6, 11)
    total = sum(br.tile.shares(array, rank) for rank in range(1, 7))
    np.testing.assert_allclose(total, 1, atol=1e-8)


def test_curves_enclose_their_areas():
    regions = br.tile.regions(random_entities(10, 2), points=400)
    for i in range(regions.sizes["region"]):
        a, b = (regions[name].isel(region=i).dropna("vertex").values for name in ("a", "b"))
        assert (a[0], b[0]) == (a[-1], b[-1])
        enclosed = abs(np.sum(a[:-1] * b[1:] - a[1:] * b[:-1])) / 2
        assert enclosed == pytest.approx(regions["area"].values[i], abs=1e-4)
    assert regions["slab_area"].sum().item() == pytest.approx(1, abs=1e-12)


def test_identical_perfect_and_useless_entities():
    counts = br.from_counts(
        tn=[40, 40, 30, 0],
        fp=[10, 10, 0, 50],
        fn=[10, 10, 0, 50],
        tp=[40, 40, 70, 0],
        entity=["x", "y", "best", "worst"],
    )
    np.testing.assert_allclose(br.tile.shares(counts), [0, 0, 1, 0], atol=1e-12)
    np.testing.assert_allclose(br.tile.shares(counts, rank=2), [0.5, 0.5, 0, 0], atol=1e-12)
    np.testing.assert_allclose(br.tile.shares(counts, rank=3), [0.5, 0.5, 0, 0], atol=1e-12)
    np.testing.assert_allclose(br.tile.shares(counts, rank=4), [0, 0, 0, 1], atol=1e-12)
    assert br.tile.regions(counts, rank=2)["entity"].values.tolist() == ["x = y"]
    one = br.tile.regions(counts.isel(entity=[0]))
    assert one["area"].values.tolist() == [1.0]


@pytest.mark.parametrize("prevalence", [0.0, 1.0])
def test_prevalence_0_and_1(prevalence):
    # With one class all canonical scores order by the one rate that is left.
    rate = np.array([0.9, 0.7])
    table = np.zeros((2, 2, 2))
    table[:, int(prevalence), int(prevalence)], table[:, int(prevalence), 1 - int(prevalence)] = rate, 1 - rate
    array = xr.DataArray(table, {"entity": ["good", "bad"]}, ("entity", "actual", "predicted"))
    np.testing.assert_allclose(br.tile.shares(array), [1, 0], atol=1e-9)
    tile = br.tile.credible(array, 11)
    np.testing.assert_allclose(tile["share"], [1, 0], atol=1e-9)
    assert (tile["winner"].isel(a=slice(1, -1), b=slice(1, -1)) == "good").all()


def test_symmetric_frontiers_that_meet_in_one_line():
    # tn = tp for all: the frontiers of the three are the same horizontal line b = 1/2.
    table = np.array([[0.4, 0.1, 0.1, 0.4], [0.4, 0.05, 0.15, 0.4], [0.4, 0.15, 0.05, 0.4]]).reshape(3, 2, 2)
    array = xr.DataArray(table, {"entity": ["flat", "low", "high"]}, ("entity", "actual", "predicted"))
    np.testing.assert_allclose(br.tile.shares(array), [0, 0.5, 0.5], atol=1e-8)
    np.testing.assert_allclose(br.tile.shares(array, rank=2), [1, 0, 0], atol=1e-8)


def test_robustness_is_the_distance_to_the_nearest_frontier():
    array = random_entities(4, 3)
    radius, order = br.tile.robustness(array, 41), br.tile.value(array, 41).argsort(0)
    changed = (order.diff("a") != 0).any("entity")
    # Where neighbouring columns differ, some frontier is within a step.
    near = np.minimum(radius.isel(a=slice(1, None)).values, radius.isel(a=slice(None, -1)).values)
    assert (near[changed.values] <= 1 / 40).all()
    i, j = np.unravel_index(radius.values.argmax(), radius.shape)
    far = radius.isel(b=i, a=j)
    inside = (radius["a"] - far["a"]) ** 2 + (radius["b"] - far["b"]) ** 2 < (far - 0.01) ** 2
    assert (order.where(inside.transpose("b", "a")).stack(p=("b", "a")).dropna("p").std("p") == 0).all()


def test_ranking_and_entity_agree():
    array = random_entities(5, 6)
    holder = br.tile.entity(array, rank=2, resolution=15)
    for name in array["entity"].values:
        rank = br.tile.entity_rank(array, name, 15)
        assert ((rank == 2).values == (holder == name).values).all()


def test_preference_ranking_of_a_landmark_is_the_credible_ranking_of_its_score():
    counts = br.from_counts(tn=[70, 75, 60], fp=[10, 5, 20], fn=[6, 9, 3], tp=[24, 21, 27])
    posterior = br.fit(counts, draws=250, seed=3)
    ranking = br.tile.preference_ranking(posterior, a=1.0, b=0.5)
    f1 = br.scores.f1(posterior).stack(s=("chain", "draw"))
    best = (f1 == f1.max("entity")).mean("s")
    np.testing.assert_allclose(ranking["probability_best"], best, atol=1e-12)
    tile = br.tile.credible(posterior, 3)
    np.testing.assert_allclose(tile["probability_best"].sel(a=1, b=0.5), best, atol=1e-12)
    np.testing.assert_allclose(ranking["rank_probability"].sum("rank"), 1)


def test_preferences_mix_by_weight():
    array = random_entities(4, 8)
    both = br.tile.preference_ranking(array, [0.2, 0.9], [0.7, 0.1], weights=[1, 3])
    one, two = (br.tile.preference_ranking(array, a, b) for a, b in ((0.2, 0.7), (0.9, 0.1)))
    np.testing.assert_allclose(
        both["rank_probability"], 0.25 * one["rank_probability"] + 0.75 * two["rank_probability"]
    )
    with pytest.raises(ValueError, match="weights"):
        br.tile.preference_ranking(array, [0.2, 0.9], [0.7, 0.1], weights=[1, -3])
    with pytest.raises(ValueError, match="one length"):
        br.tile.preference_ranking(array, [0.2, 0.9], [0.7, 0.1, 0.3])


def test_holders_have_the_shares_of_their_regions():
    counts = br.from_counts(tn=[70, 75, 60], fp=[10, 5, 20], fn=[6, 9, 2], tp=[24, 21, 28], entity=["a", "b", "c"])
    for rank in (1, 2):
        found, shares = holders(br.tile.regions(counts, rank)), br.tile.shares(counts, rank)
        assert (np.diff(found["area"]) <= 0).all()
        np.testing.assert_allclose(found["area"], shares.sel(entity=found["entity"]), atol=1e-9)
        assert found["tied"].values.tolist() == [1] * found.sizes["entity"]
        assert found["first"].values.tolist() == found["entity"].values.tolist()
