"""Tiles of each class against the others, and of their mean over the classes, of more than two classes."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr

import bayesrank as br

LABELS = ["cat", "cow", "dog"]
COUNTS = br.from_matrix(
    [[[30, 2, 1], [3, 25, 2], [1, 1, 35]], [[28, 3, 2], [2, 27, 1], [4, 3, 30]]], "actual_rows",
    labels=LABELS, entity=["u", "v"],
)  # fmt: skip


@pytest.fixture(scope="module")
def posterior():
    return br.fit(COUNTS, seed=1, draws=100, chains=2)


@pytest.fixture(scope="module")
def tiles(posterior):
    return br.tile.credible_by_class(posterior, 9)


def test_each_class_has_the_tile_of_itself_against_the_others(posterior, tiles):
    assert tiles["label"].values.tolist() == [*LABELS, "mean over classes"]
    one = br.tile.credible(
        br.one_vs_rest(br.as_performance(posterior)).sel(label="cow", drop=True), 9, maps=()
    )
    cow = tiles.sel(label="cow", drop=True)
    for name in ("probability_best", "share", "undecided_area", "winner_probability"):
        np.testing.assert_allclose(cow[name].transpose(*one[name].dims), one[name], atol=1e-12)
    assert (cow["winner"] == one["winner"]).all()


def test_the_mean_over_classes_is_that_of_the_scores_by_hand(posterior, tiles):
    draws = br.one_vs_rest(br.as_performance(posterior))
    mean = tiles.sel(label="mean over classes")
    for a, b in ((0.0, 0.5), (0.5, 0.5), (1.0, 0.25)):
        value = br.canonical_score(draws, a, b).mean("label")
        best = (value == value.max("entity")).mean(("chain", "draw"))
        found = mean["probability_best"].sel(a=a, b=b)
        np.testing.assert_allclose(found, best.transpose("entity"), atol=1e-12)
        assert mean["winner_probability"].sel(a=a, b=b).item() == pytest.approx(best.max().item())
        assert mean["winner"].sel(a=a, b=b).item() == str(best["entity"][int(best.argmax())].item())
    assert mean["share"].sum().item() == pytest.approx(1.0)
    assert (mean["share_lower"] <= mean["share"]).all()
    # Accuracy of a class against the others sums to accuracy: the mean follows it at the centre.
    accuracy = br.scores.accuracy(posterior)
    best = (accuracy == accuracy.max("entity")).mean(("chain", "draw"))
    np.testing.assert_allclose(mean["probability_best"].sel(a=0.5, b=0.5), best, atol=1e-12)


def test_a_class_without_cases_has_no_mean_where_its_score_is_undefined():
    matrix = [[[30, 0, 0], [0, 0, 0], [1, 0, 35]], [[30, 0, 0], [0, 0, 0], [2, 0, 34]]]
    counts = br.from_matrix(matrix, "actual_rows", labels=LABELS, entity=["u", "v"])
    found = br.tile.credible_by_class(counts, 9).sel(label="mean over classes")
    assert np.isnan(found["winner_probability"].sel(a=1.0, b=1.0))  # no recall of "cow"
    assert found["winner"].sel(a=0.5, b=0.5).item() == "u"


def test_two_classes_are_refused_and_a_label_dim_is_taken(posterior):
    with pytest.raises(ValueError, match="more than two classes"):
        br.tile.credible_by_class(br.from_counts(tn=8, fp=2, fn=1, tp=4))
    own = br.one_vs_rest(br.as_performance(posterior))
    xr.testing.assert_allclose(
        br.tile.credible_by_class(own, 9), br.tile.credible_by_class(posterior, 9)
    )


def test_the_tiles_are_drawn_side_by_side_in_the_same_colours(tiles):
    figure = br.plots.class_tiles(tiles)
    assert [ax.get_title(loc="left") for ax in figure.axes] == [*LABELS, "mean over classes"]
    figure.canvas.draw()
    with pytest.raises((ValueError, TypeError), match=r"br\.tile\.credible_by_class"):
        br.plots.class_tiles(tiles.sel(label="cow"))
    plt.close("all")
