"""What sorbetto offers beside the papers: lines of a value, all frontiers, the lowest correlation, grids at a rate."""

import numpy as np
import pytest

import bayesrank as br

COUNTS = br.from_counts(
    tn=[70, 50, 60, 60],
    fp=[30, 50, 40, 40],
    fn=[30, 20, 31, 40],
    tp=[70, 80, 69, 60],
    entity=list("abcd"),
)


def test_ends_of_a_line_have_its_value_and_lie_on_the_border():
    values = np.array([0.61, 0.66, 0.71, 0.76])  # of no corner
    ends = br.tile.isovalue(COUNTS, values)
    for i, name in enumerate(COUNTS["entity"].values):
        tile = br.tile.value(COUNTS, 201).sel(entity=name)
        for k, value in enumerate(values):
            a, b = ends["a"].values[i, k], ends["b"].values[i, k]
            passes = bool((tile.min() < value) & (tile.max() > value))
            assert passes == bool(np.isfinite(a).all())
            if passes:
                for place in (0.0, 0.5, 1.0):  # the line between them, too
                    at = a[0] + place * np.diff(a)[0], b[0] + place * np.diff(b)[0]
                    assert br.canonical_score(COUNTS.sel(entity=name), *at).item() == pytest.approx(
                        value
                    )
                assert (np.isin(a, (0, 1)) | np.isin(b, (0, 1))).all()
                assert np.hypot(np.diff(a), np.diff(b)).item() > 0.01
    assert br.tile.isovalue(COUNTS, 0.6).sizes == {"entity": 4, "point": 2}
    with pytest.raises(ValueError, match="value must"):
        br.tile.isovalue(COUNTS, 1.5)


def test_a_value_that_all_scores_or_none_have_has_no_line():
    same = br.from_counts(tn=7, fp=3, fn=3, tp=7)
    assert br.tile.isovalue(same, [0.7, 0.2])["a"].isnull().all()


def test_all_frontiers_are_those_of_the_pairs():
    found = br.tile.frontiers(COUNTS, points=31)
    pairs = list(zip(found["entity"].values, found["rival"].values, strict=True))
    for i, pair in enumerate(pairs):
        one = br.tile.frontier(COUNTS, *pair, points=31)
        np.testing.assert_array_equal(found["a"].values[i, : one.sizes["point"]], one["a"])
    assert ("a", "b") in pairs
    assert ("a", "d") not in pairs  # d is worse everywhere
    assert br.tile.frontiers(COUNTS.sel(entity=["a", "d"])).sizes["pair"] == 0


def test_the_lowest_correlation_is_no_higher_than_on_a_fine_tile():
    performances = br.tile.sample_performances(400, seed=3)
    tile = br.tile.correlation("mcc", 41, performances=performances)
    low = br.tile.best_consistency("mcc", performances, lowest=True)
    assert low["correlation"].item() <= tile.min().item() + 1e-9
    error = br.tile.best_consistency("error_rate", performances, lowest=True)["correlation"].item()
    assert error == pytest.approx(
        br.tile.best_consistency("accuracy", performances, lowest=True)["correlation"].item()
    )


@pytest.mark.parametrize(
    ("fixed", "mean"),
    [
        ({}, [[0.25, 0.25], [0.25, 0.25]]),
        ({"prevalence": 0.3}, [[0.35, 0.35], [0.15, 0.15]]),
        ({"prediction_rate": 0.3}, [[0.35, 0.15], [0.35, 0.15]]),
    ],
)
def test_grids_have_the_mean_of_the_uniform_distribution_and_the_rate(fixed, mean):
    grid = br.tile.performance_grid(8, **fixed)
    np.testing.assert_allclose(grid.mean("sample"), mean, atol=1e-12)
    np.testing.assert_allclose(
        br.tile.sample_performances(4000, seed=1, **fixed).mean("sample"), mean, atol=0.02
    )
    np.testing.assert_allclose(grid.sum(["actual", "predicted"]), 1)
    if "prediction_rate" in fixed:
        np.testing.assert_allclose(grid.sel(predicted="positive").sum("actual"), 0.3)


def test_maps_have_other_colours_and_no_bar_on_request():
    tile = br.tile.value(COUNTS, 11).isel(entity=0)
    ax = br.plots.value_tile(tile, cmap="magma", bar=False)
    assert ax.collections[0].get_cmap().name == "magma"
    assert len(ax.figure.axes) == 1
    assert len(br.plots.value_tile(tile).figure.axes) == 2
