"""The credible Tile against brute force over draws, degenerate inputs, and exact geometry."""

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
    values = np.stack([(1 - pi) * (1 - x), (1 - pi) * x, pi * (1 - y), pi * y], -1).reshape(
        draws, entities, 2, 2
    )
    return xr.DataArray(
        values,
        {"entity": [f"e{i}" for i in range(entities)]},
        ("draw", "entity", "actual", "predicted"),
    )


@pytest.mark.parametrize(
    ("draws", "entities", "resolution"), [(40, 7, 101), (7, 1, 5), (33, 25, 11)]
)
def test_agrees_with_brute_force(draws, entities, resolution):
    array = performances(draws, entities, shared=entities == 7)
    tile, value = br.tile.credible(array, resolution), br.tile.value(array, resolution)
    rank = (
        xr.apply_ufunc(rankdata, -value, kwargs={"axis": 1})
        if entities > 1
        else xr.ones_like(value)
    )
    expected = {
        "probability_best": rank == 1,
        "expected_rank": rank,
        "expected_regret": value.max("entity") - value,
        "probability_skilled": value
        > br.tile.no_skill(array.isel(actual=1).sum("predicted"), resolution),
    }
    for name, each in expected.items():
        np.testing.assert_allclose(
            tile[name], each.mean("draw").transpose("entity", "b", "a"), atol=1e-12
        )
        assert tile[name].dims == ("entity", "b", "a")
    np.testing.assert_allclose(tile["share"].sum(), 1, atol=1e-9)


def draws_of_counts(least, unknown):
    """Draws of small counts: ties all along and at grid points, and entities that are not defined in some draws."""
    rng = np.random.default_rng(8)
    cells = rng.integers(least, 4, (90, 6, 4)).astype(float)
    cells[cells.sum(-1) == 0, 0] = 1
    cells[::3, 3] = cells[::3, 1]
    cells /= cells.sum(-1, keepdims=True)
    cells[:unknown, 2] = np.nan
    return performances(90, 6).copy(data=cells.reshape(90, 6, 2, 2))


OPTIONAL = ("expected_rank", "probability_skilled", "expected_regret")


@pytest.mark.parametrize("maps", [(), OPTIONAL[:1], OPTIONAL[2:], OPTIONAL[1:]], ids="+".join)
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
    array = xr.DataArray(
        array, {"entity": list("abcd")}, ("chain", "draw", "entity", "actual", "predicted")
    )
    expected = br.tile.credible(array, 7)
    for together in (
        _reducers.TOGETHER,
        16 * 20,
    ):  # all draws, and hardly more than a block of them
        monkeypatch.setattr(_reducers, "TOGETHER", together)
        for chunks in ({"draw": 19}, {"chain": 1, "draw": 7}):
            xr.testing.assert_allclose(
                br.tile.credible(array.chunk(chunks), 7), expected, rtol=1e-12
            )


@pytest.mark.parametrize(
    "array", [draws_of_counts(0, 30), draws_of_counts(1, 0), performances(40, 7)]
)
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
    with pytest.raises(
        ValueError, match=r"ranks must be fewer for 5 x 5 x 5 x 5 probabilities.*got 5 ranks"
    ):
        br.tile.rank_probability(array, 5)
    assert br.tile.rank_probability(array, 5, ranks=[3]).sizes["rank"] == 1


def test_value_interval_agrees_with_all_values():
    array = performances(100, 2)
    tile, value = br.tile.value_interval(array, 5, prob=0.8), br.tile.value(array, 5)
    np.testing.assert_allclose(tile["mean"], value.mean("draw").transpose("entity", "b", "a"))
    np.testing.assert_allclose(
        tile["upper"], value.quantile(0.9, "draw").transpose("entity", "b", "a")
    )


def test_leaders_lead_alone_or_share():
    """Three equal entities and one that is worse everywhere: the three share the whole Tile, exactly or by draws."""
    cells = {
        "tn": [70, 70, 70, 10],
        "fp": [10, 10, 10, 70],
        "fn": [6, 6, 6, 24],
        "tp": [24, 24, 24, 6],
    }
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
    gaps = br.from_counts(tn=[0, 0], fp=[0, 0], fn=[3, 2], tp=[1, 2], entity=["a", "b"])
    found = leaders(br.tile.credible(gaps, resolution=5))
    assert not found["shared"].sel(a=0, b=0).item()
    assert [found["leader"].sel(a=x, b=x).item() for x in (0, 1)] == ["", "b"]


def test_the_nine_antibody_tests_without_an_error_are_best_on_most_of_the_tile():
    """The share of docs/understand/tile.md."""
    counts = br.datasets.load("antibody_tests")
    nine = br.scores.accuracy(counts).values == 1
    tile = br.tile.credible(br.fit(counts, "beta_binomial", seed=1), resolution=5, maps=())
    assert nine.sum() == 9
    assert tile["share"].values[nine].sum() == pytest.approx(0.88, abs=0.02)
