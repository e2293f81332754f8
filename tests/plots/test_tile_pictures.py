"""Pictures of Tiles: ties are named, scales and isovalue lines are right, windows end where they should."""

import numpy as np
import pytest
import xarray as xr

import bayesrank as br

COUNTS = br.from_counts(
    tn=[70, 75, 60], fp=[10, 5, 20], fn=[6, 9, 3], tp=[24, 21, 27], entity=["a", "b", "c"]
)


def texts(ax):
    """What a Tile says of its regions, in them and beside it, the largest first."""
    inside = [text.get_text() for text in ax.texts if text.get_text().endswith("%")]
    legend = ax.get_legend()
    beside = [text.get_text() for text in legend.get_texts()] if legend else []
    return ["  ".join(text.rsplit("\n", 1)) for text in inside] + beside


def test_identical_entities_are_counted():
    counts = br.from_counts(
        tn=[9, 9, 9, 8],
        fp=[1, 1, 1, 2],
        fn=[2, 2, 2, 1],
        tp=[8, 8, 8, 9],
        entity=["x = y", "second", "third", "other"],
    )
    regions = br.tile.regions(counts)
    assert set(zip(regions["first"].values, regions["tied"].values, strict=True)) == {
        ("x = y", 3),
        ("other", 1),
    }
    assert sorted(text.split("  ")[0] for text in texts(br.plots.winner_tile(regions))) == [
        "other",
        "x = y\nand 2 more, tied",
    ]


def test_a_tie_is_named_once():
    # y and x are one to the other as they are to z, which is best below; where all tie, nobody else is named.
    counts = br.from_counts(
        tn=[9, 9, 10], fp=[1, 1, 0], fn=[2, 2, 5], tp=[8, 8, 5], entity=["x", "y", "z"]
    )
    tile = br.tile.credible(counts, 21)
    found = texts(br.plots.credible_tile(tile))
    share = tile["share"].sel(entity=["x", "y"]).sum().item()
    assert found[:2] == [f"z  {1 - share:.0%}", f"x\nand 1 more, tied  {share:.0%}"]
    pair = br.tile.credible(counts.isel(entity=[1, 0]), 5)
    assert texts(br.plots.credible_tile(pair))[0] == "y\nand 1 more, tied  100%"


def test_correlations_have_one_scale_and_panels_their_prevalence():
    tiles = xr.concat(
        [br.tile.no_skill(p, 11) for p in (0.2, 0.8)], xr.DataArray([0.2, 0.8], dims="prevalence")
    )
    tiles = tiles.assign_coords(prevalence=[0.2, 0.8])
    figure = br.plots.value_tiles(tiles, prevalence=[0.2, 0.8])
    first, second = (ax.lines[-1].get_xydata() for ax in figure.axes[:2])
    # Every point of a no-skill curve: π₊² a b = π₋² (1 - a)(1 - b), The Tile, Section 4.4.
    for (a, b), p in ((first.T, 0.2), (second.T, 0.8)):
        np.testing.assert_allclose(p**2 * a * b, (1 - p) ** 2 * (1 - a) * (1 - b), atol=1e-12)
    correlations = tiles.rename("kendall_correlation")
    assert br.plots.value_tiles(correlations).axes[0].collections[0].get_clim() == (-1, 1)


def limits(tile):
    return br.plots.value_tile(tile).collections[0].get_clim()


def test_a_map_has_the_scale_of_its_kind():
    assert limits(br.tile.entity_rank(COUNTS, "a", 5)) == (1, 3)
    assert limits(br.tile.relative_skill(COUNTS, 5).isel(entity=0)) == (-1, 1)
    robust = br.tile.robustness(COUNTS, 11)
    assert limits(robust) == (0, pytest.approx(robust.max().item()))
    assert limits(br.tile.value(COUNTS, 5).isel(entity=0)) == (0, 1)
    assert limits(br.tile.value(COUNTS, 5).isel(entity=0).rename("difference") - 0.9)[0] < 0
    ax = br.plots.value_tile(br.tile.entity_rank(COUNTS, "a", 5))
    bar = ax.figure.axes[1]
    assert bar.get_ylim() == (3, 1)  # the best on top
    image = ax.collections[0]
    assert sum(image.cmap(image.norm(1))[:3]) > sum(image.cmap(image.norm(3))[:3])  # and brightest
    low = br.tile.relative_skill(br.from_counts(tn=1, fp=79, fn=29, tp=1), 5).squeeze()
    assert low.min() < -1
    assert br.plots.value_tile(low).collections[0].colorbar.extend == "min"
    tops = br.plots.expected_rank_tile(br.tile.credible(br.fit(COUNTS, draws=20, seed=1), 3), "a")
    assert tops.collections[0].get_clim() == (1, 3)


def test_isovalue_lines_lie_where_they_say():
    tile = br.tile.value(COUNTS, 101).isel(entity=0)
    ax = br.plots.value_tile(tile, lines=[0.75, 5.0])
    [lines] = [c for c in ax.collections if hasattr(c, "levels")]
    assert list(lines.levels) == [0.75]
    a, b = lines.get_paths()[0].vertices.T
    at = tile.interp(a=xr.DataArray(a, dims="p"), b=xr.DataArray(b, dims="p"))
    np.testing.assert_allclose(at, 0.75, atol=1e-3)
    assert not [
        c for c in br.plots.value_tile(tile, lines=[5.0]).collections if hasattr(c, "levels")
    ]
    assert not [
        c for c in br.plots.value_tile(tile * 0, lines=5).collections if hasattr(c, "levels")
    ]
    assert [c for c in br.plots.value_tile(tile, lines=5).collections if hasattr(c, "levels")]


def test_pictures_end_where_a_window_does():
    window = ((0.9, 1.0), (0.25, 0.75))
    posterior = br.fit(COUNTS, draws=20, seed=1)
    axes = [
        br.plots.value_tile(br.tile.value(COUNTS, 5, window=window).isel(entity=0)),
        br.plots.winner_tile(br.tile.regions(COUNTS, window=window)),
        br.plots.credible_tile(br.tile.credible(posterior, 5, window=window)),
        br.plots.value_tile(
            br.tile.value(COUNTS, 101).sel(a=slice(0.9, 1), b=slice(0.25, 0.75)).isel(entity=0)
        ),
    ]
    for ax in axes:
        np.testing.assert_allclose([*ax.get_xlim(), *ax.get_ylim()], [0.9, 1, 0.25, 0.75])
        marks = {text.get_text() for text in ax.texts} & {"TNR", "PPV", "NPV", "TPR", "A", "F₁"}
        assert marks == {"F₁"}
    words = [text.get_text() for text in axes[2].get_legend().get_texts()]
    assert any("of the window" in text for text in words)
    assert "window" in br.plots.shares(br.tile.credible(posterior, 5, window=window)).get_xlabel()


def test_the_legend_stands_beside_the_tile_and_covers_none_of_it():
    counts = br.from_counts(
        tn=[95, 70, 40],
        fp=[5, 30, 60],
        fn=[60, 30, 5],
        tp=[40, 70, 95],
        entity=["first", "second", "third"],
    )
    ax = br.plots.winner_tile(br.tile.regions(counts))
    ax.figure.canvas.draw()
    assert len(texts(ax)) == 3
    assert ax.get_legend().get_window_extent().x0 >= ax.get_window_extent().x1
