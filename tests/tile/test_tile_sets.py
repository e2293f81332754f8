"""Zones, corrections for chance, and best consistency."""

import numpy as np
import pytest
import xarray as xr
from scipy.stats import kendalltau, spearmanr

import bayesrank as br
from tests.strategies import performances

THREE = br.from_counts(
    tn=[70, 50, 40], fp=[30, 50, 60], fn=[30, 20, 25], tp=[70, 80, 75], entity=list("abc")
)


@pytest.mark.parametrize("seed", range(3))
def test_a_zone_holds_the_scores_by_which_all_are_ahead_of_all(seed):
    source = performances(*np.random.default_rng(seed).dirichlet(np.ones(4), 6))
    ones, others = ["e0", "e1"], ["e2", "e3", "e4"]
    found = br.tile.zone(source, ones, others, points=11)
    b = xr.DataArray(np.linspace(0, 1, 201), dims="b")
    for k, a in enumerate(found["a"].values):
        values = br.canonical_score(source, float(a), b)
        ahead = (
            values.sel(entity=ones).min("entity") >= values.sel(entity=others).max("entity")
        ).values
        low, high = found["lower"].values[k], found["upper"].values[k]
        inside = (b.values > low + 1e-9) & (b.values < high - 1e-9)
        outside = np.isnan(low) | (b.values < low - 1e-9) | (b.values > high + 1e-9)
        assert ahead[inside].all()
        assert not ahead[outside].any()


def test_zones_of_two_are_their_regions():
    regions = br.tile.shares(THREE.sel(entity=["a", "b"]))
    assert br.tile.zone(THREE, "a", "b")["area"].item() == pytest.approx(
        regions.sel(entity="a").item(), abs=1e-6
    )
    both = br.tile.zone(THREE, "a", "b")["area"] + br.tile.zone(THREE, "b", "a")["area"]
    assert both.item() == pytest.approx(1, abs=1e-9)
    same = br.tile.zone(THREE, ["a"], ["a"], points=3)
    assert (same["area"].item(), same["lower"].values.tolist(), same["upper"].values.tolist()) == (
        1,
        [0] * 3,
        [1] * 3,
    )
    worse = br.tile.zone(
        THREE, "c", "b", points=3
    )  # c is worse by both rates, at the same prevalence
    assert worse["area"].item() == 0
    tied = br.from_counts(
        tn=[5, 5], fp=[5, 4], fn=[2, 2], tp=[8, 8], entity=["a", "b"]
    )  # at b = 1; else b is ahead
    edge = br.tile.zone(tied, "a", "b", points=3)
    assert (edge["lower"] == 1).all()
    assert (edge["upper"] == 1).all()
    with pytest.raises(KeyError, match=r"rivals must be one of .* got 'x'"):
        br.tile.zone(THREE, "a", "x")
    with pytest.raises(ValueError, match="entities must contain at least one entity"):
        br.tile.zone(THREE, [], "a")
    with pytest.raises(
        ValueError, match="rivals must contain each name once; got 'b' more than once"
    ):
        br.tile.zone(THREE, "a", ["b", "b"])


def test_a_zone_with_an_unknown_performance_is_empty():
    source = br.as_performance(THREE).where(THREE["entity"] != "b")
    found = br.tile.zone(source, "a", ["b", "c"], points=3)
    assert found["lower"].isnull().all()
    assert not found["area"].item() > 0


def test_equal_priors_make_the_zone_a_polygon():
    """The Tile, Eq. 6 and 7: its border is a line."""
    found = br.tile.zone(THREE, "a", "b", points=21)
    p = {
        rate: br.scores.get(rate)(THREE).sel(entity=["a", "b"]).values
        for rate in ("fpr", "fnr", "tpr", "tnr")
    }
    for_a = p["fpr"][0] * p["fnr"][1] - p["fnr"][0] * p["fpr"][1]
    for_b = p["tpr"][0] * p["tnr"][1] - p["tnr"][0] * p["tpr"][1]
    free = p["tnr"][0] - p["tnr"][1]
    assert found["upper"].values == pytest.approx(-(for_a * found["a"].values + free) / for_b)


def test_corrected_values_order_as_the_corrected_place():
    """The Tile, Section 4.4, at a fixed prevalence."""
    source = br.tile.sample_performances(300, prevalence=0.3, seed=2)
    found = br.tile.chance_corrected(source.rename(sample="entity"), 5)
    place = br.tile.chance_corrected_place(0.25, 0.75, 0.3)
    tau = kendalltau(found.sel(a=0.25, b=0.75), br.canonical_score(source, *place)).statistic
    assert tau == pytest.approx(1)
    kappa = br.scores.cohen_kappa(source).values
    assert found.sel(a=0.5, b=0.5).values == pytest.approx(kappa)
    twin = br.performance.no_skill_twin(source).rename(sample="entity")
    assert np.nanmax(np.abs(br.tile.chance_corrected(twin, 5))) < 1e-9


@pytest.mark.parametrize("method", ["kendall", "spearman"])
def test_best_consistency_beats_a_grid_and_tells_the_truth(method):
    source = br.tile.sample_performances(80, seed=3)
    found = br.tile.best_consistency("mcc", source, method=method)
    mcc = br.scores.mcc(source).values
    there = br.canonical_score(source, found["a"].item(), found["b"].item()).values
    judge = kendalltau if method == "kendall" else spearmanr
    assert judge(mcc, there).statistic == pytest.approx(found["correlation"].item())
    grid = br.tile.correlation("mcc", 11, performances=source, method=method)
    assert found["correlation"].item() >= grid.max().item() - 1e-12


def test_best_consistency_of_draws_and_of_what_is_known():
    posterior = br.as_performance(br.fit(THREE, draws=4, chains=2, seed=1))
    found = br.tile.best_consistency("balanced_accuracy", posterior)
    assert dict(found.sizes) == {"chain": 2, "draw": 4}
    one = br.tile.best_consistency("balanced_accuracy", posterior.isel(chain=1, draw=2))
    assert found.isel(chain=1, draw=2)["correlation"].item() == one["correlation"].item() == 1
    assert 0 < one["share"].item() < 1
    assert br.tile.best_consistency("error_rate", THREE)["correlation"].item() == 1
    alone = br.tile.best_consistency("f1", THREE.isel(entity=[0]))
    assert alone["correlation"].isnull()
    with pytest.raises(ValueError, match="method must be"):
        br.tile.best_consistency("f1", THREE, method="pearson")
