"""The credible Tile against brute force over draws, degenerate inputs, and exact geometry."""

import warnings

import numpy as np
import pytest
import xarray as xr
from scipy.stats import rankdata

import bayesrank as br
from bayesrank.tile.posterior import leaders


def performances(draws, entities, seed=0, shared=True):
    """Random draws of performances with good rates."""
    rng = np.random.default_rng(seed)
    x, y = rng.beta(2, 8, (draws, entities)), rng.beta(8, 2, (draws, entities))
    pi = rng.beta(20, 30, (draws, 1 if shared else entities))
    values = np.stack([(1 - pi) * (1 - x), (1 - pi) * x, pi * (1 - y), pi * y], -1).reshape(draws, entities, 2, 2)
    return xr.DataArray(
        values, {"entity": [f"e{i}" for i in range(entities)]}, ("draw", "entity", "actual", "predicted")
    )


def brute_force(array, resolution):
    """P(best), mean rank and skill from one array of draws × entities × Tile."""
    a = np.linspace(0, 1, resolution)
    cells = array.values.reshape(*array.shape[:2], 4)
    tn, fp, fn, tp = (cells[..., i, None, None] for i in range(4))
    s, u = (1 - a) * tn + a * tp, (1 - a)[:, None] * fp + a[:, None] * fn
    with np.errstate(invalid="ignore"):
        score = s / (s + u)
    score = np.round(score, 12)  # ties up to rounding
    top = score == np.nanmax(score, axis=1, keepdims=True)
    best = (top / top.sum(1, keepdims=True)).mean(0)
    defined = ~np.isnan(score)
    rank = np.where(defined, rankdata(-score, axis=1, nan_policy="omit"), np.nan)
    return best, np.nansum(rank, 0) / defined.sum(0), 1 - defined.mean(0)


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize(("draws", "entities", "resolution"), [(40, 7, 23), (7, 1, 5), (33, 25, 11)])
def test_agrees_with_brute_force(draws, entities, resolution, shared):
    array = performances(draws, entities, shared=shared)
    tile = br.tile.credible(array, resolution)
    best, rank, _ = brute_force(array, resolution)
    np.testing.assert_allclose(tile["probability_best"], best, atol=1e-12)
    np.testing.assert_allclose(tile["expected_rank"], rank, atol=1e-12)
    assert tile["probability_best"].dims == tile["expected_rank"].dims == ("entity", "b", "a")
    np.testing.assert_allclose(tile["probability_best"].sum("entity"), 1, atol=1e-12)
    np.testing.assert_allclose(tile["share"].sum(), 1, atol=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_counts_with_zeros_and_ties_agree_with_brute_force(seed):
    # Small counts: zero cells, equal cells, identical entities, whole prevalence 0 or 1, undefined borders.
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, 3, (6, 4))
    cells[cells.sum(1) == 0, 0] = 1
    if seed == 6:
        cells[:, 2:] = 0
        cells[cells.sum(1) == 0, 0] = 1
    if seed == 7:
        cells[:, :2] = 0
        cells[cells.sum(1) == 0, 3] = 1
    tn, fp, fn, tp = cells.T
    performance = br.as_performance(br.from_counts(tn=tn, fp=fp, fn=fn, tp=tp))
    tile = br.tile.credible(performance, 21)
    xr.testing.assert_allclose(br.tile.probability_best(performance, 21), tile["probability_best"], atol=1e-12)
    with warnings.catch_warnings():  # NumPy warns of corners where nobody is defined
        warnings.simplefilter("ignore")
        best, rank, undefined = brute_force(performance.expand_dims("draw"), 21)
    best = np.where(undefined.all(0), np.nan, best)
    np.testing.assert_allclose(tile["probability_best"], best, atol=1e-12)
    np.testing.assert_allclose(tile["expected_rank"], rank, atol=1e-12)
    np.testing.assert_allclose(tile["undefined"], undefined, atol=1e-12)
    probabilities = br.tile.rank_probability(performance, 21)
    np.testing.assert_allclose(probabilities.sum("rank"), 1 - undefined, atol=1e-12)
    np.testing.assert_allclose(probabilities.sel(rank=1), np.nan_to_num(best), atol=1e-12)
    np.testing.assert_allclose((probabilities * probabilities["rank"]).sum("rank"), np.nan_to_num(rank), atol=1e-12)


def skilled_by_force(array, resolution):
    """Draws in which each entity beats "always negative" and "always positive", compared at every point."""
    a, b = np.linspace(0, 1, resolution), np.linspace(0, 1, resolution)[:, None]
    tn, fp, fn, tp = (array.values.reshape(*array.shape[:2], 4)[..., i, None, None] for i in range(4))
    s, u = (1 - a) * tn + a * tp, (1 - b) * fp + b * fn
    negative, positive = tn + fp, fn + tp
    better = s + u > 0
    for own, other in (((1 - a) * negative, b * positive), (a * positive, (1 - b) * negative)):
        better &= (own + other == 0) | (s * other > own * u * (1 + 1e-12))
    return better.sum(0)


def draws_of_counts(least, unknown):
    """Draws of small counts: ties all along and at grid points, and entities that are not defined in some draws."""
    rng = np.random.default_rng(8)
    cells = rng.integers(least, 4, (90, 6, 4)).astype(float)
    cells[cells.sum(-1) == 0, 0] = 1
    cells[::3, 3] = cells[::3, 1]
    cells /= cells.sum(-1, keepdims=True)
    cells[:unknown, 2] = np.nan
    return performances(90, 6).copy(data=cells.reshape(90, 6, 2, 2))


@pytest.mark.parametrize("unknown", [0, 30, 90])
@pytest.mark.parametrize("least", [0, 1])
def test_draws_with_ties_and_gaps_agree_with_brute_force(least, unknown):
    array = draws_of_counts(least, unknown)
    tile = br.tile.credible(array, 13)
    with warnings.catch_warnings():  # NumPy warns of points where nobody is defined
        warnings.simplefilter("ignore")
        _, rank, undefined = brute_force(array, 13)
        best = sum(np.nan_to_num(brute_force(array.isel(draw=[d]), 13)[0]) for d in range(90)) / 90
    np.testing.assert_allclose(tile["probability_best"].fillna(0), best, atol=1e-12)
    np.testing.assert_allclose(tile["undefined"], undefined, atol=1e-12)
    np.testing.assert_allclose(tile["expected_rank"], rank, atol=1e-12)
    skilled = np.where(undefined > 1 - 1e-12, np.nan, skilled_by_force(array, 13) / 90)
    np.testing.assert_allclose(tile["probability_skilled"], skilled, atol=1e-12)
    # On a fine grid of continuous draws two divisions tell where there is skill.
    fine = performances(20, 6, seed=2, shared=False)
    np.testing.assert_allclose(br.tile.credible(fine, 101)["probability_skilled"], skilled_by_force(fine, 101) / 20)


OPTIONAL = ("expected_rank", "probability_skilled", "expected_regret")


@pytest.mark.parametrize("maps", [(), *((name,) for name in OPTIONAL), OPTIONAL[1:]], ids="+".join)
def test_maps_that_are_left_out_change_no_other(maps):
    array = draws_of_counts(0, 30)
    whole, part = br.tile.credible(array, 9), br.tile.credible(array, 9, maps=maps)
    left_out = [f"{name}{end}" for name in OPTIONAL if name not in maps for end in ("", "_error")]
    xr.testing.assert_identical(part, whole.drop_vars(left_out))
    xr.testing.assert_identical(leaders(part), leaders(whole))


def test_batches_of_chains_that_share_chunks_are_kept_apart(monkeypatch):
    """Chunks end within batches of three chains: each has its own counts until it is complete."""
    from bayesrank.tile import _reducers

    array = performances(300, 4).values.reshape(3, 100, 4, 2, 2)
    array = xr.DataArray(array, {"entity": list("abcd")}, ("chain", "draw", "entity", "actual", "predicted"))
    expected = br.tile.credible(array, 7)
    for together in (_reducers.TOGETHER, 16 * 20):  # all draws, and hardly more than a block of them
        monkeypatch.setattr(_reducers, "TOGETHER", together)
        for chunks in ({"draw": 19}, {"chain": 1, "draw": 7}):
            xr.testing.assert_allclose(br.tile.credible(array.chunk(chunks), 7), expected, rtol=1e-12)


def test_rank_probabilities_agree_with_expected_rank_over_draws():
    array = performances(300, 6)
    probability = br.tile.rank_probability(array, 9)
    tile = br.tile.credible(array, 9)
    assert probability.dims == ("entity", "rank", "b", "a")
    np.testing.assert_allclose((probability * probability["rank"]).sum("rank"), tile["expected_rank"], atol=1e-9)
    np.testing.assert_allclose(probability.sel(rank=1, drop=True), tile["probability_best"], atol=1e-9)


@pytest.mark.parametrize("array", [draws_of_counts(0, 30), draws_of_counts(1, 0), performances(40, 7)])
def test_some_ranks_are_those_of_all(array):
    whole, n = br.tile.rank_probability(array, 9), array.sizes["entity"]
    for ranks in ([n // 2], [1, n], range(1, n + 1)):
        some = br.tile.rank_probability(array, 9, ranks=ranks)
        xr.testing.assert_allclose(some, whole.sel(rank=list(ranks)), atol=1e-12)


def test_ranks_are_there_and_fit_into_memory(monkeypatch):
    array = performances(3, 5)
    with pytest.raises(ValueError, match="ranks must lie between 1 and 5; got 6"):
        br.tile.rank_probability(array, 5, ranks=[6])
    with pytest.raises(TypeError, match="ranks must be a sequence"):
        br.tile.rank_probability(array, 5, ranks=3)
    pages = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 4}
    monkeypatch.setattr("os.sysconf", pages.__getitem__)
    with pytest.raises(ValueError, match=r"ranks must be fewer for 5 x 5 x 5 x 5 probabilities.*got 5 ranks"):
        br.tile.rank_probability(array, 5)
    assert br.tile.rank_probability(array, 5, ranks=[3]).sizes["rank"] == 1


def test_skill_and_regret_agree_with_values():
    array = performances(60, 5, seed=3)
    tile = br.tile.credible(array, 17)
    value = br.tile.value(array, 17)
    prevalence = array.isel(actual=1).sum("predicted")
    skill = br.tile.no_skill(prevalence, 17)
    np.testing.assert_allclose(tile["probability_skilled"], (value > skill).mean("draw").transpose("entity", "b", "a"))
    regret = (value.max("entity") - value).mean("draw").transpose("entity", "b", "a")
    np.testing.assert_allclose(tile["expected_regret"], regret, atol=1e-12)


def test_always_negative_and_always_positive_have_no_skill():
    counts = br.from_counts(
        tn=[80, 0, 70], fp=[0, 80, 10], fn=[20, 0, 5], tp=[0, 20, 15], entity=["never", "always", "x"]
    )
    skilled = br.tile.credible(counts, 11)["probability_skilled"]
    assert (skilled.sel(entity=["never", "always"]).fillna(0) == 0).all()
    assert skilled.sel(entity="x", a=0.5, b=0.5) == 1  # accuracy 0.85 against 0.8


def test_point_posterior_agrees_with_exact_geometry():
    array = performances(1, 12, seed=5, shared=False).isel(draw=0)
    tile = br.tile.credible(array, 11)
    np.testing.assert_allclose(tile["share"], br.tile.shares(array), atol=1e-12)
    assert (tile["probability_best_error"].fillna(0) == 0).all()
    names = tile["winner"].values
    for name in array["entity"].values:
        assert ((tile["probability_best"].sel(entity=name) == 1).values == (names == name)).all()


def test_winner_is_empty_where_entities_share_it():
    counts = br.from_counts(tn=[70, 70], fp=[10, 10], fn=[6, 6], tp=[24, 24], entity=["a", "b"])
    tile = br.tile.credible(counts, 5)
    assert (tile["winner"] == "").all()
    np.testing.assert_allclose(tile["probability_best"], 0.5)
    np.testing.assert_allclose(tile["share"], 0.5)
    np.testing.assert_allclose(tile["expected_rank"], 1.5)


def test_order_of_entities_changes_nothing():
    array = performances(50, 8)
    forward, backward = br.tile.credible(array, 9), br.tile.credible(array.isel(entity=slice(None, None, -1)), 9)
    np.testing.assert_allclose(
        backward["probability_best"].sel(entity=forward["entity"]), forward["probability_best"], atol=1e-12
    )
    assert (forward["winner"].values == backward["winner"].values).all()


def test_unmeasured_entity_has_no_rank():
    array = performances(20, 4)
    array[:10, 2] = np.nan
    array[:, 3] = np.nan
    tile = br.tile.credible(array, 5)
    np.testing.assert_allclose(tile["undefined"].isel(entity=2), 0.5)
    np.testing.assert_allclose(tile["probability_best"].sum("entity"), 1)
    assert tile["expected_rank"].isel(entity=3).isnull().all()
    assert (tile["expected_rank"].isel(entity=slice(0, 3)).max() <= 3).item()


def test_errors_cover_a_known_truth():
    # Two entities with independent equal posteriors: P(best) is 1/2 at every point, up to Monte-Carlo error.
    array = performances(2000, 2, seed=9)
    tile = br.tile.credible(array, 5)
    z = (tile["probability_best"] - 0.5) / tile["probability_best_error"]
    assert (np.abs(z) < 5).all()
    z = (tile["expected_rank"] - 1.5) / tile["expected_rank_error"]
    assert (np.abs(z) < 6).all()  # 31 degrees of freedom
    assert (np.abs(tile["share"] - 0.5) < 5 * tile["share_error"]).all()
    assert (tile["share_lower"] < tile["share_upper"]).all()


def test_undecided_area_is_where_the_winner_is_unsure():
    array = performances(200, 3)
    tile = br.tile.credible(array, 51, prob=0.9)
    rough = (tile["winner_probability"] < 0.9).isel(a=slice(1, -1), b=slice(1, -1)).mean()
    assert abs(tile["undecided_area"] - rough) < 0.03
    assert tile["undecided_area"] <= br.tile.credible(array, 51, prob=0.99)["undecided_area"]


def test_value_interval_agrees_with_all_values():
    array = performances(100, 2)
    tile, value = br.tile.value_interval(array, 5, prob=0.8), br.tile.value(array, 5)
    np.testing.assert_allclose(tile["mean"], value.mean("draw").transpose("entity", "b", "a"))
    np.testing.assert_allclose(tile["upper"], value.quantile(0.9, "draw").transpose("entity", "b", "a"))


def test_errors_of_independent_draws_are_those_of_a_mean():
    counts = br.from_counts(tn=[70, 75, 72], fp=[10, 5, 8], fn=[6, 9, 7], tp=[24, 21, 23], entity=["a", "b", "c"])
    posterior = br.fit(counts, "beta_binomial", seed=1)
    found = br.tile.credible(posterior, resolution=3)
    # Accuracy is at the centre. The error is estimated from 32 batches: its own relative error is 1 / sqrt(2 · 31).
    ranks = br.rank(br.scores.accuracy(posterior)).stack(draws=("chain", "draw"))
    expected = ranks.std("draws", ddof=1) / np.sqrt(ranks.sizes["draws"])
    centre = found["expected_rank_error"].sel(a=0.5, b=0.5)
    np.testing.assert_allclose(centre, expected, rtol=5 / np.sqrt(2 * 31))
    p = found["probability_best"].sel(a=0.5, b=0.5)
    binomial = np.sqrt(p * (1 - p) / ranks.sizes["draws"])
    np.testing.assert_allclose(found["probability_best_error"].sel(a=0.5, b=0.5), binomial, rtol=5 / np.sqrt(2 * 31))
    # Skill and regret, by the same route.
    value = br.tile.value(posterior, 3).sel(a=0.5, b=0.5).stack(draws=("chain", "draw"))
    regret = (value.max("entity") - value).transpose("entity", "draws")
    expected = regret.std("draws", ddof=1) / np.sqrt(regret.sizes["draws"])
    error = found["expected_regret_error"].sel(a=0.5, b=0.5)
    np.testing.assert_allclose(error, expected, rtol=5 / np.sqrt(2 * 31))
    p = found["probability_skilled"]
    floor = np.sqrt(p * (1 - p) / regret.sizes["draws"])
    assert (found["probability_skilled_error"] >= 0.99 * floor).all()  # shrinkage lowers it by less than that
    assert (found["probability_skilled_error"] > 0).all()
    point = br.tile.credible(counts, 3)
    assert not any(point[name].notnull().any() for name in point if name.endswith("_error"))


def test_leaders_lead_alone_or_share():
    """Three equal entities and one that is worse everywhere: the three share the whole Tile, exactly or by draws."""
    cells = {"tn": [70, 70, 70, 10], "fp": [10, 10, 10, 70], "fn": [6, 6, 6, 24], "tp": [24, 24, 24, 6]}
    counts = br.from_counts(**cells, entity=list("abcd"))
    for source in (counts, br.fit(counts, draws=500, seed=1)):
        found = leaders(br.tile.credible(source, resolution=7))
        assert found["shared"].all()
        assert (found["leader"] == "").all()
        assert found["among"].values.tolist() == [True, True, True, False]
        assert found["exact"].item() is (source is counts)
    alone = leaders(br.tile.credible(counts.isel(entity=[0, 3]), resolution=7))
    assert (alone["leader"] == "a").all()
    assert not alone["shared"].any()
    assert not alone["among"].any()


def test_no_entity_leads_where_nothing_is_defined():
    counts = br.from_counts(tn=[0, 0], fp=[0, 0], fn=[3, 2], tp=[1, 2], entity=["a", "b"])
    found = leaders(br.tile.credible(counts, resolution=5))
    assert not found["shared"].sel(a=0, b=0).item()
    assert found["leader"].sel(a=0, b=0).item() == ""
    assert found["leader"].sel(a=1, b=1).item() == "b"
