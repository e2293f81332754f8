"""Pictures of Tiles: nothing cut off, ties and long names told apart."""

import numpy as np
import xarray as xr

import bayesrank as br


def texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_identical_entities_are_counted():
    counts = br.from_counts(
        tn=[9, 9, 9, 8], fp=[1, 1, 1, 2], fn=[2, 2, 2, 1], tp=[8, 8, 8, 9], entity=["x = y", "second", "third", "other"]
    )
    regions = br.tile.regions(counts)
    assert set(zip(regions["first"].values, regions["tied"].values, strict=True)) == {("x = y", 3), ("other", 1)}
    assert sorted(text.split("  ")[0] for text in texts(br.plots.winner_tile(regions))) == [
        "other",
        "x = y\nand 2 more, tied",
    ]


def test_a_tie_is_named_once():
    # y and x are one to the other as they are to z, which is best below; where all tie, nobody else is named.
    counts = br.from_counts(tn=[9, 9, 10], fp=[1, 1, 0], fn=[2, 2, 5], tp=[8, 8, 5], entity=["x", "y", "z"])
    tile = br.tile.credible(counts, 21)
    found = texts(br.plots.credible_tile(tile))
    share = tile["share"].sel(entity=["x", "y"]).sum().item()
    assert found[:2] == [f"z  {1 - share:.0%}", f"x\nand 1 more, tied  {share:.0%}"]
    pair = br.tile.credible(counts.isel(entity=[1, 0]), 5)
    assert texts(br.plots.credible_tile(pair))[0] == "y\nand 1 more, tied  100%"


def test_correlations_have_one_scale_and_panels_their_prevalence():
    tiles = xr.concat([br.tile.no_skill(p, 11) for p in (0.2, 0.8)], xr.DataArray([0.2, 0.8], dims="prevalence"))
    tiles = tiles.assign_coords(prevalence=[0.2, 0.8])
    figure = br.plots.value_tiles(tiles, prevalence=[0.2, 0.8])
    first, second = (ax.lines[-1].get_xydata() for ax in figure.axes[:2])
    # Every point of a no-skill curve: π₊² a b = π₋² (1 - a)(1 - b), The Tile, Section 4.4.
    for (a, b), p in ((first.T, 0.2), (second.T, 0.8)):
        np.testing.assert_allclose(p**2 * a * b, (1 - p) ** 2 * (1 - a) * (1 - b), atol=1e-12)
    correlations = tiles.rename("kendall_correlation")
    assert br.plots.value_tiles(correlations).axes[0].collections[0].get_clim() == (-1, 1)
