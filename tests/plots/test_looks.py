"""What eyes found wrong in pictures, one test for each kind: clipped, faint, covered, or left out without a word."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.text import Text

import bayesrank as br
from bayesrank.plots._colors import contrast, halo, light, paper_color, place_colors, scale_on

LONG = "A Producer of Rapid Tests with a Long Name, test {} (flow)"
STYLES = pytest.mark.parametrize("style", ["default", "dark_background"])


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def counts_of(size, datasets=0):
    rng = np.random.default_rng(size)
    rows = size * max(datasets, 1)
    tn, tp = rng.integers(60, 90, rows), rng.integers(15, 28, rows)
    names = np.repeat([LONG.format(i) for i in range(size)], max(datasets, 1)).tolist()
    periods = {"dataset": [f"2024, quarter {i}" for i in range(datasets)] * size} if datasets else {}
    return br.from_counts(tn=tn, fp=100 - tn, fn=30 - tp, tp=tp, entity=names, **periods)


def all_inside(figure):
    """Every text of a drawn figure is within it; but for ticks, of which those outside of the limits are not drawn."""
    renderer = figure.canvas.get_renderer()
    ticks = {tick for ax in figure.axes for axis in (ax.xaxis, ax.yaxis) for tick in axis.get_ticklabels(which="both")}
    for text in set(figure.findobj(Text)) - ticks:
        box = text.get_window_extent(renderer)
        if text.get_visible() and text.get_text().strip() and box.width:
            assert box.x0 >= -1, text.get_text()
            assert box.x1 <= figure.bbox.x1 + 1, text.get_text()
            assert -1 <= box.y0 <= box.y1 <= figure.bbox.y1 + 1, text.get_text()


def drawn(picture):
    figure = picture if hasattr(picture, "savefig") else np.ravel(np.asarray(picture, dtype=object))[0].figure
    figure.canvas.draw()
    return figure


@pytest.mark.parametrize("size", [2, 3, 8])
@pytest.mark.parametrize("top", [None, 2])
def test_the_title_of_a_small_matrix_is_whole(size, top):
    ranking = br.credible_ranking(br.fit(counts_of(size), draws=50, seed=1), "informedness", rope=0.01)
    figure = drawn(br.plots.superiority(ranking, top=top))
    all_inside(figure)
    assert figure.axes[0].get_title().replace("\n", " ").startswith("P(row beats column by more than 0.01)")


@pytest.mark.parametrize("size", [3, 12])
def test_a_tile_beside_roc_is_as_high_as_its_colour_bar(size):
    performance = br.as_performance(counts_of(size))
    tile = br.tile.value(performance, 7).isel(entity=0)
    figure = drawn(br.papers.roc_beside_tile(tile, 0.9, 0.4, 0.25, performance))
    all_inside(figure)
    square, *_, bar = sorted(figure.axes, key=lambda ax: ax.bbox.x0)
    assert bar.bbox.height <= square.bbox.height * 1.02
    title = square.title.get_window_extent()
    assert not any(title.overlaps(other.bbox) for other in figure.axes)


def test_long_names_of_periods_do_not_run_into_each_other():
    drift = br.ops.drift(br.fit(counts_of(1, 8), seed=1, draws=100), "f1")
    figure = drawn(br.plots.ops_drift(drift))
    boxes = [label.get_window_extent() for label in figure.axes[1].get_xticklabels()]
    assert all(one.x1 <= other.x0 for one, other in pairwise(boxes))
    short = br.plots.ops_drift(drift.assign_coords(dataset=list("abcdefgh")))[1].get_xticklabels()
    assert {label.get_rotation() for label in short} == {0.0}


def test_names_in_the_legend_of_a_meta_analysis_are_whole():
    counts = counts_of(3, 5).assign_coords(entity=["CLASSIFIER OF GRADIENT BOOSTING", "b", "c"])
    posterior = br.fit(counts, "hierarchical_beta_binomial", seed=1, draws=50)
    # All of both axes, so that the picture is square beside its legend.
    ax = br.plots.summary_roc(posterior)
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    all_inside(drawn(ax))


def test_binned_probabilities_above_single_ones_are_whole():
    pmf = br.predictive.score_pmf(br.predictive.confusion_pmf(counts_of(1)), "f1")
    ax = br.plots.score_pmf(pmf, bins=40)
    [above] = drawn(ax).axes[0].child_axes
    assert above.bbox.y1 <= ax.figure.bbox.y1 - 1


def test_the_lowest_of_each_column_of_tiles_has_numbers():
    figure = drawn(br.plots.value_tiles(br.tile.value(br.as_performance(counts_of(5)), 5), columns=3))
    numbered = [any(label.get_visible() for label in ax.get_xticklabels()) for ax in figure.axes[:5]]
    assert numbered == [False, False, True, True, True]
    assert [bool(ax.get_xlabel()) for ax in figure.axes[:5]] == numbered


@STYLES
@pytest.mark.parametrize("name", ["viridis", "viridis_r", "cividis", "coolwarm_r"])
def test_lines_of_any_colour_of_a_scale_are_seen(style, name):
    with plt.style.context(style):
        ax = plt.figure().gca()
        shown = scale_on(ax, name)(np.linspace(0, 1, 101))[:, :3]
        plain = plt.get_cmap(name)(np.linspace(0, 1, 101))[:, :3]
        assert min(contrast(color, paper_color(ax)) for color in shown) > 1.99
        # Colours that are seen stay what they are.
        kept = [np.abs(a - b).max() for a, b in zip(shown, plain, strict=True) if contrast(b, paper_color(ax)) > 2.1]
        assert len(kept) > 30
        assert (len(kept) == 101) == (name == "coolwarm_r" and style == "dark_background")
        assert max(kept) < 0.02


@STYLES
def test_curves_of_prevalences_are_seen(style):
    with plt.style.context(style):
        ax = br.plots.ops_values(br.ops.value_curves("f1", [0.1, 0.3, 0.5], 11))
        assert min(contrast(line.get_color(), paper_color(ax)) for line in ax.get_lines()) > 1.99


def test_colours_that_come_again_are_seen():
    assert light("#ffffff") == pytest.approx(1)
    assert min(contrast(color, "white") for color in place_colors(range(120))) > 1.6
    assert min(contrast(color, "black") for color in place_colors(range(120))) > 1.9


def test_the_edge_of_a_dotted_line_is_unbroken():
    figure = plt.figure(figsize=(4, 1), dpi=100)
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set(facecolor="white", xlim=(0, 1), ylim=(-1, 1))
    edge = halo(ax, 6.0)
    ax.axhspan(-1, 1, color="blue")
    ax.plot([0, 1], [0, 0], color="black", linestyle=(0, (1, 3)), linewidth=3, path_effects=edge)
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba())[:, 20:-20, :3].astype(int)
    white = (pixels > 200).all(-1).any(0)
    assert white.all()
