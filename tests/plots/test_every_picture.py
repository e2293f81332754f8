"""Every picture, for one entity and for hundreds, on white and on black: no warning, nothing clipped, one colour."""

import inspect
import re
import warnings
from functools import cache
from itertools import pairwise

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from matplotlib.colors import to_hex, to_rgb
from matplotlib.text import Text
from rich.cells import cell_len

import bayesrank as br
from bayesrank._core.names import short_names
from bayesrank.plots.kit.colors import DISTINCT, GREY, PALETTE, place_colors
from bayesrank.plots.kit.style import (
    add_missing_fonts,
    fallback,
    label_curves,
    log_ticks,
    rank_ticks,
)

FEW = br.from_counts(tn=8, fp=2, fn=1, tp=4)
NAMES = [
    "plain {}",
    "A Producer of Rapid Tests with a Long Name, test {} (flow)",
    "$x_{{{}}}$",
    "_{}",
    "Élodie {}",
]
SIZES = [6, *(pytest.param(size, marks=pytest.mark.slow) for size in (1, 3, 12, 60, 300))]


@cache
def analysed(size):
    """All results that pictures are drawn from, of so many entities."""
    rng = np.random.default_rng(size)
    tn, tp = (
        rng.binomial(n, np.clip(rng.beta(a, 2, size), 0.4, 0.99)) for n, a in ((200, 12), (120, 8))
    )
    names = [NAMES[i % len(NAMES)].format(i) for i in range(size)]
    counts = br.from_counts(tn=tn, fp=200 - tn, fn=120 - tp, tp=tp, entity=names)
    posterior = br.fit(counts, draws=30, chains=2, seed=1, groups=["prior"])
    values = br.scores.informedness(posterior)
    actual = rng.random(60) < 0.4
    judged = pd.DataFrame({"system": np.repeat(names, 20), "case": [*range(20)] * size})
    judged = judged.assign(
        judge=rng.integers(0, 2, 20 * size),
        human=judged["case"].map(dict(enumerate([1, 0, 1] * 3))),
    )
    judges = br.fit(br.from_frame(judged, truth="human", judge="judge"), draws=30, chains=2, seed=1)
    risk = {name: np.clip(0.3 * actual + 0.7 * rng.random(60), 0, 1) for name in names}
    return {
        "counts": counts,
        "names": names,
        "posterior": posterior,
        "values": values,
        "prior": br.scores.informedness(posterior["prior"]),
        "ranking": br.credible_ranking(values, rope=0.01),
        "credible": br.tile.credible(posterior, 7),
        "point": br.as_performance(counts),
        "actual": actual.astype(int),
        "risk": risk,
        "judges": br.judge_errors(judges),
    }


def evidence(d):
    return br.from_probabilities(d["actual"], d["risk"])


def _classes(d):
    """The Tiles of three classes, of as many entities."""
    rng = np.random.default_rng(1)
    tables = rng.integers(5, 60, (len(d["names"]), 3, 3)) + 60 * np.eye(3, dtype=int)
    labels = ["a class with a long name, of which there are more", "$x_1$", "_"]
    return br.tile.credible_by_class(
        br.from_matrix(tables, "actual_rows", labels=labels, entity=d["names"]), 5
    )


def bands(d, curve):
    return br.ops.credible_curves(evidence(d), curve, draws=30, chains=1, seed=1)


PICTURES = {
    "ranking": lambda d: br.plots.ranking(d["ranking"]),
    "forest": lambda d: br.plots.forest(d["ranking"]),
    "rank_heatmap": lambda d: br.plots.rank_heatmap(d["ranking"]),
    "pareto_front": lambda d: br.plots.pareto_front(
        br.decisions.pareto_front(d["values"], cost=d["values"] ** 2)
    ),
    "superiority": lambda d: br.plots.superiority(d["ranking"]),
    "natural_frequencies": lambda d: br.plots.natural_frequencies(
        br.decisions.natural_frequencies(d["posterior"], prevalence=0.02)
    ),
    "judge_ranks": lambda d: br.plots.judge_ranks(d["judges"]),
    "score_differences": lambda d: br.plots.score_differences(
        d["values"], ranking=d["ranking"], rope=0.02
    ),
    "posterior_against_prior": lambda d: br.plots.posterior_against_prior(
        d["values"], d["prior"], ranking=d["ranking"]
    ),
    "neutral_tile": lambda d: br.plots.neutral_tile(br.tile.neutral_band((3, 7), points=21)),
    "frontier_tile": lambda d: br.plots.frontier_tile(
        br.tile.frontiers(d["point"]), prevalence=0.2
    ),
    "winner_tile": lambda d: br.plots.winner_tile(br.tile.regions(d["point"]), prevalence=0.2),
    "class_tiles": lambda d: br.plots.class_tiles(_classes(d)),
    "credible_tile": lambda d: br.plots.credible_tile(d["credible"], prevalence=0.2),
    "threshold_tile": lambda d: br.plots.threshold_tile(
        br.tile.credible(
            br.fit(br.ops.apply_threshold(evidence(d), [0.4, 0.6]), draws=30, seed=1),
            9,
            by="classifier",
        )
    ),
    "roc_curve": lambda d: br.plots.roc_curve(bands(d, "roc")),
    "precision_recall_curve": lambda d: br.plots.precision_recall_curve(
        bands(d, "precision_recall")
    ),
    "calibration_curve": lambda d: br.plots.calibration_curve(bands(d, "calibration")),
    "expected_rank_tile": lambda d: br.plots.expected_rank_tile(d["credible"], "plain 0"),
    "value_tile": lambda d: br.plots.value_tile(
        br.tile.relative_skill(d["point"], 7).isel(entity=0), lines=4
    ),
    "value_tiles": lambda d: br.plots.value_tiles(
        br.tile.value(d["point"], 5).isel(entity=slice(0, 4)), lines=[0.7]
    ),
    "placement_tile": lambda d: br.papers.placement_tile(0.3, prediction_rate=0.6),
    "pencil": lambda d: br.papers.pencil(0.95, 0.7, 0.2),
    "vertices": lambda d: br.papers.vertices(0.2)[0],
    "shares": lambda d: br.plots.shares(d["credible"]),
    "prior_grids": lambda d: br.papers.prior_grids([0.1, 0.5]),
    "roc_beside_tile": lambda d: br.papers.roc_beside_tile(
        br.tile.value(d["point"], 7).isel(entity=0), 0.9, 0.4, 0.25, d["point"]
    ),
    "roc_regions": lambda d: br.plots.roc_regions(d["posterior"], d["ranking"]),
    "sensitivity": lambda d: br.plots.sensitivity(
        br.sensitivity(d["counts"], "informedness", draws=20, seed=1)
    ),
    "case_grid": lambda d: br.plots.case_grid(
        br.cases.deciding_cases(
            br.joint_outcomes(
                d["actual"], {name: (p > 0.4).astype(int) for name, p in d["risk"].items()}
            )
        )
    ),
    "ops_curve": lambda d: br.plots.ops_curve(
        br.ops.of_curve(
            d["actual"], dict(list(d["risk"].items())[:30]), "precision_at_recall", at=[0.3, 0.6]
        )
    ),
    "intervals": lambda d: br.plots.intervals(br.score_table(d["posterior"], ["tpr", "tnr"])),
    "shrinkage": lambda d: br.plots.shrinkage(
        br.fit(d["counts"], "hierarchical_beta_binomial", seed=1, draws=20),
        "tpr",
        entities=d["names"][:3],
    ),
    "effect_of_size": lambda d: br.plots.effect_of_size(FEW),
    "pmf_over_contours": lambda d: br.plots.pmf_over_contours(
        br.predictive.confusion_pmf(FEW), "f1"
    ),
    "score_pmf_by_tpr": lambda d: br.plots.score_pmf_by_tpr(br.predictive.confusion_pmf(FEW), "f1"),
}
#: Pictures without entities, or of one alone, and pages, which have tests of their own.
OTHERS = {
    "animate_contours", "attempts", "audit_grid", "colors", "confusion_simplex", "contours", "count_ticks",
    "decision_curve", "explore_contours", "explore_pmf", "latent_rates", "matrix_pmf", "multiplicities", "ops_drift",
    "ops_square", "ops_values", "plan", "pr_pmf", "pr_points", "predictive_check", "roc_points", "save",
    "score_pmf", "score_pmfs", "summary_roc", "turning_simplex",
}  # fmt: skip


def figure_of(picture):
    return (
        picture
        if hasattr(picture, "savefig")
        else np.ravel(np.asarray(picture, dtype=object))[0].figure
    )


def contrast(color, other):
    light = []
    for rgb in (to_rgb(color), to_rgb(other)):
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
        light.append(float(np.dot(linear, [0.2126, 0.7152, 0.0722])) + 0.05)
    return max(light) / min(light)


def looked_at(figure):
    """What eyes would see: text inside the figure, names that do not run into each other, ink on paper."""
    renderer = figure.canvas.get_renderer()
    for ax in figure.axes:
        if not ax.get_visible():
            continue
        labels = [
            label for label in ax.get_yticklabels() if label.get_text() and label.get_visible()
        ]
        boxes = sorted(
            (label.get_window_extent(renderer) for label in labels), key=lambda box: box.y0
        )
        for below, above in pairwise(boxes):
            assert below.y1 <= above.y0 + 0.45 * below.height, [
                label.get_text() for label in labels
            ][:5]
    for text in figure.findobj(Text):
        if not text.get_text().strip() or not text.get_visible():
            continue
        ax = text.axes
        if ax is None or not ax.get_visible() or not text.get_window_extent(renderer).width:
            continue
        box = text.get_window_extent(renderer)
        ticks = {
            label for axis in (ax.xaxis, ax.yaxis) for label in axis.get_ticklabels(which="both")
        }
        if text in ticks and not (ax.bbox.x0 - 1 <= box.x1 and box.x0 <= ax.bbox.x1 + 60):
            continue  # ticks outside of the limits are not drawn
        assert -2 <= box.x0 <= box.x1 <= figure.bbox.x1 + 2, text.get_text()
        assert box.y0 >= -2, text.get_text()
        if (
            not text.get_path_effects()
            and not (ax.images and text in ax.texts)
            and text not in ax.texts
        ):
            assert contrast(text.get_color(), ax.get_facecolor()) > 3, text.get_text()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", PICTURES)
def test_drawn_without_a_warning(name, size):
    if name == "score_differences" and size == 1:
        with pytest.raises(ValueError, match="entity"):
            PICTURES[name](analysed(size))
        return
    style = "dark_background" if size in (6, 60) else "default"
    with plt.style.context(style), warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = figure_of(PICTURES[name](analysed(size)))
        figure.set_dpi(50)
        figure.canvas.draw()
        looked_at(figure)
    assert max(figure.get_size_inches()) <= (36 if size == 300 else 13)
    assert name != "superiority" or max(figure.get_size_inches()) <= 15


#: Pictures that are drawn on the Axes of a report or page that a phone shows.
ON_AXES = {
    "ranking": lambda d, ax: br.plots.ranking(d["ranking"], ax),
    "forest": lambda d, ax: br.plots.forest(d["ranking"], ax),
    "rank_heatmap": lambda d, ax: br.plots.rank_heatmap(d["ranking"], ax),
    "superiority": lambda d, ax: br.plots.superiority(d["ranking"], ax),
    "score_differences": lambda d, ax: br.plots.score_differences(
        d["values"], ranking=d["ranking"], ax=ax
    ),
    "credible_tile": lambda d, ax: br.plots.credible_tile(d["credible"], ax),
    "winner_tile": lambda d, ax: br.plots.winner_tile(br.tile.regions(d["point"]), ax),
    "roc_curve": lambda d, ax: br.plots.roc_curve(bands(d, "roc"), ax),
    "roc_regions": lambda d, ax: br.plots.roc_regions(d["posterior"], d["ranking"], ax),
    "score_pmf_by_tpr": lambda d, ax: br.plots.score_pmf_by_tpr(
        br.predictive.confusion_pmf(FEW), "f1", ax
    ),
}


@pytest.mark.parametrize("name", ON_AXES)
def test_a_phone_shows_all_of_a_picture(name):
    figure, ax = plt.subplots(figsize=(3.9, 6.0), layout="constrained")
    ON_AXES[name](analysed(6), ax)
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    texts = [ax.title, ax.xaxis.label, *ax.get_yticklabels()]
    legend = ax.get_legend()
    for text in [*texts, *(legend.get_texts() if legend else [])]:
        box = text.get_window_extent(renderer)
        if text.get_text():
            assert -2 <= box.x0 <= box.x1 <= figure.bbox.x1 + 2, text.get_text()
    assert ax.bbox.width > 0.3 * figure.bbox.width
    if legend:
        assert not legend.get_window_extent(renderer).overlaps(ax.bbox)


def test_a_phone_shows_the_tiles_of_classes_below_each_other():
    figure = plt.figure(figsize=(3.9, 14), layout="constrained")
    assert br.plots.class_tiles(_classes(analysed(6)), figure) is figure
    figure.canvas.draw()
    looked_at(figure)
    lefts, widths = zip(*((ax.bbox.x0, ax.bbox.width) for ax in figure.axes), strict=True)
    assert np.ptp(lefts) < 40
    assert min(widths) > 0.6 * figure.bbox.width


def test_names_in_a_tile_lie_in_their_regions():
    """The whole text of a region lies where its entity is best; names without room are beside the Tile."""
    counts = br.from_counts(
        tn=[95, 70, 40], fp=[5, 30, 60], fn=[60, 30, 5], tp=[40, 70, 95], entity=["u", "v", "w"]
    )
    regions = br.tile.regions(counts)
    ax = br.plots.winner_tile(regions)
    ax.figure.canvas.draw()
    found = [text for text in ax.texts if text.get_text().endswith("%")]
    assert {text.get_text()[0] for text in found} == {"u", "v", "w"}
    best = br.tile.entity(counts, 1, 101)
    for text in found:
        box, at = text.get_window_extent(), text.get_position()
        [region] = [patch for patch in ax.patches if patch.get_path().contains_point(at)]
        corners = ax.transData.inverted().transform(
            [(x, y) for x in (box.x0, box.x1) for y in (box.y0, box.y1)]
        )
        assert region.get_path().contains_points(corners, radius=0.03).all(), text.get_text()
        a, b = at
        assert best.sel(a=a, b=b, method="nearest").item() == text.get_text()[0]


def test_labels_of_regions_lie_in_their_regions():
    """Of a band the middle is labelled; labels stay within the Axes."""
    d = analysed(3)
    labels = br.ops.apply_threshold(evidence(d), [0.4, 0.6])
    tile = br.tile.credible(br.fit(labels, draws=30, seed=1), 21, by="classifier")
    ax = br.plots.threshold_tile(tile)
    ax.figure.canvas.draw()
    found = [text for text in ax.texts if "\nat " in text.get_text()]
    assert found
    for text in found:
        name, threshold = text.get_text().strip().split("\nat ")
        a, b = text.get_position()
        point = tile.sel(a=a, b=b, method="nearest")
        assert float(point["threshold"]) == float(threshold)
        assert str(point["winner"].item())[:4].strip() == name.replace("\\", "")[:4].strip()
        box = text.get_window_extent()
        assert ax.bbox.x0 <= box.x0 <= box.x1 <= ax.bbox.x1
        assert ax.bbox.y0 <= box.y0 <= box.y1 <= ax.bbox.y1


def test_blue_and_grey_differ_in_print_without_colours():
    for style in ("default", "dark_background"):
        with plt.style.context(style):
            rows = br.plots.forest(RANKING).collections[0].get_colors()
            shades = {to_hex(color) for color in rows}
            assert len(shades) == 2
            assert contrast(*shades) > 1.5


def test_these_are_all_pictures():
    names = [*br.plots.__all__, *br.papers.__all__]
    assert set(names) == {*PICTURES, *OTHERS}


@pytest.mark.parametrize(
    "module", [br.plots, br.papers, br.ops, br.predictive, br.performance, br.theory, br.cases]
)
def test_every_argument_has_a_line_in_the_docstring(module):
    for name in module.__all__:
        function = getattr(module, name)
        if inspect.isfunction(function) and (
            arguments := sorted(inspect.signature(function).parameters)
        ):
            section = re.search(
                r"Parameters\n-+\n(.*?)(?=\n\n\w+\n--)", inspect.getdoc(function), re.DOTALL
            )[1]
            told = re.findall(r"^[\w*].*?(?= :|$)", section, re.MULTILINE)
            assert sorted(", ".join(told).replace("*", "").split(", ")) == arguments, name


def labels_of(ax):
    """The names of curves beside the Axes."""
    return [text for text in ax.texts if text.get_text()]


def colors_at_labels(ax):
    """The hue of a Tile where it has a name: the paint, mixed with white."""
    ax.figure.canvas.draw()
    found = {}
    for text in ax.texts:
        if not text.get_text().endswith("%"):
            continue
        at = text.get_position()
        paints = [
            patch.get_facecolor() for patch in ax.patches if patch.get_path().contains_point(at)
        ]
        for image in ax.images:
            values, (left, right, low, high) = image.get_array(), image.get_extent()
            row = int((at[1] - low) / (high - low) * values.shape[0])
            paints = [values[row, int((at[0] - left) / (right - left) * values.shape[1])]]
        found[re.split(r"\n|  ", text.get_text())[0]] = np.array(paints[-1])[:3]
    return found


def legend_colors(ax):
    legend = ax.get_legend()
    found = {}
    if legend is None:
        return found
    for handle, text in zip(legend.legend_handles, legend.get_texts(), strict=True):
        color = handle.get_facecolor() if hasattr(handle, "get_facecolor") else handle.get_color()
        found[text.get_text().split("  ")[0].strip()] = to_hex(
            np.ravel(color)[:3] if not isinstance(color, str) else color
        )
    return found


COUNTS = br.from_counts(
    tn=[70, 75, 60, 79],
    fp=[10, 5, 20, 1],
    fn=[6, 9, 3, 20],
    tp=[24, 21, 27, 10],
    entity=["d", "c", "b", "a"],
)
POSTERIOR = br.fit(COUNTS, draws=200, seed=1)
RANKING = br.credible_ranking(POSTERIOR, "informedness")


@pytest.mark.parametrize("told", [None, {"a": "red", "b": "#123456", "nobody": "blue"}])
def test_an_entity_has_one_colour_in_all_pictures(told):
    wanted = dict(zip("dcba", PALETTE, strict=False))
    wanted = {name: c.lower() for name, c in wanted.items()} if told is None else {
        "a": to_hex("red"), "b": "#123456", "c": GREY.lower(), "d": GREY.lower()
    }  # fmt: skip
    axes = {
        "winner": br.plots.winner_tile(br.tile.regions(COUNTS), colors=told),
        "credible": br.plots.credible_tile(br.tile.credible(POSTERIOR, 11), colors=told),
        "roc": br.plots.roc_regions(POSTERIOR, RANKING, colors=told),
    }
    for name, ax in axes.items():
        found = {k: c for k, c in legend_colors(ax).items() if k in wanted}
        assert {k: wanted[k] for k in found} == found, name
        inside = {k: c for k, c in colors_at_labels(ax).items() if k in wanted}
        for one, color in inside.items():
            faded, full = 1 - color, 1 - np.array(to_rgb(wanted[one]))
            strength = faded.sum() / full.sum()
            assert 0.34 < strength < 1.01, (name, one)
            np.testing.assert_allclose(faded, strength * full, atol=0.01)
        assert len(found) + len(inside) >= 3, name
    order = br.ranking_table(RANKING).index.tolist()
    if told is not None:
        rows = br.plots.forest(RANKING, colors=told).collections[0].get_colors()
        assert [to_hex(c) for c in rows] == [wanted[name] for name in order]
        ax = br.plots.score_differences(POSTERIOR, score="informedness", colors=told)
        rows = ax.collections[0].get_colors()
        assert [to_hex(c) for c in rows] == [wanted[name] for name in order[1:]]
    tile = br.tile.credible(POSTERIOR, 11)
    rows = br.plots.shares(tile, colors=told).collections[0].get_colors()
    assert [to_hex(c) for c in rows] == [
        wanted[k] for k in tile.sortby(-tile["share"])["entity"].values
    ]
    # The no-skill curve is nobody's.
    ax = br.plots.winner_tile(br.tile.regions(COUNTS), prevalence=0.3, colors=told)
    curve = next(line for line in ax.get_lines() if len(line.get_xdata()) > 20)
    assert to_hex(curve.get_color()) not in wanted.values()


def test_rows_have_one_order_in_all_pictures():
    order = [str(name) for name in br.ranking_table(RANKING).index]
    values = br.scores.informedness(POSTERIOR)
    pictures = {
        "forest": br.plots.forest(RANKING),
        "heat": br.plots.rank_heatmap(RANKING),
        "superiority": br.plots.superiority(RANKING),
        "prior": br.plots.posterior_against_prior(values, values, ranking=RANKING),
    }
    for name, ax in pictures.items():
        shown = [label.get_text().split("  ")[-1] for label in ax.get_yticklabels()]
        assert shown == order, name
    assert pictures["superiority"].get_yticklabels()[2].get_text() == f"3  {order[2]}"
    assert pictures["superiority"].get_xticks().tolist() == [1, 2, 3, 4]
    shown = br.plots.score_differences(values, to=order[2], ranking=RANKING).get_yticklabels()
    assert [label.get_text() for label in shown] == [name for name in order if name != order[2]]
    for picture in (br.plots.forest, br.plots.rank_heatmap, br.plots.superiority):
        ax = picture(RANKING, top=2)
        assert [label.get_text().split("  ")[-1] for label in ax.get_yticklabels()] == order[:2]
        assert "2 more are not shown" in ax.get_xlabel() + ax.get_title()


def test_more_than_six_tiers_are_distinguished():
    wrong = np.arange(0, 1000, 100)
    counts = br.from_counts(
        tn=1000 - wrong, fp=wrong, fn=wrong, tp=1000 - wrong, entity=[f"e{i}" for i in range(10)]
    )
    ranking = br.credible_ranking(br.fit(counts, draws=200, seed=1), "accuracy")
    words = [text.get_text() for text in br.plots.forest(ranking).texts]
    assert words == [f"tier {i}" for i in range(1, 11)]


def test_the_entities_that_could_be_best_are_blue_and_rows_say_what_the_ranking_says():
    ax = br.plots.ranking(RANKING)
    table = br.ranking_table(RANKING)
    blue = [to_hex(color) == "#0072b2" for color in ax.collections[0].get_colors()]
    assert blue == (table["rank_lower"] == 1).tolist()
    words = [text.get_text() for text in ax.texts]
    assert words[:3] == ["P(best)", "ranks", "tier"]
    ends = [cell.split(" to ") for cell in words[4::3]]
    assert ends == table[["rank_lower", "rank_upper"]].astype(int).astype(str).values.tolist()
    assert words[5::3] == table["tier"].astype(int).astype(str).tolist()


@pytest.mark.parametrize("name", ["ranking", "forest", "rank_heatmap", "superiority"])
def test_a_picture_is_drawn_on_the_axes_that_are_given(name):
    figure, (left, right) = plt.subplots(1, 2)
    assert getattr(br.plots, name)(RANKING, right) is right
    assert right.has_data()
    assert not left.has_data()
    assert plt.get_fignums() == [figure.number]


def test_differences_are_of_the_same_draw():
    # b is a plus a constant, draw by draw, so that their difference is known though each is not.
    values = br.scores.informedness(POSTERIOR).sel(entity=["a", "b"]).copy()
    values.loc[{"entity": "b"}] = values.sel(entity="a") + 0.125
    ax = br.plots.score_differences(values.rename("x"))
    assert ax.get_xlabel().startswith("x minus that of b ")
    segment = ax.collections[0].get_segments()[0]
    np.testing.assert_allclose(segment[:, 0], -0.125, atol=1e-12)
    named = br.plots.score_differences(values.assign_coords(entity=["best", "other"]).rename("x"))
    assert named.get_xlabel().startswith("x minus that of best ")
    lower = br.plots.score_differences(POSTERIOR, score="fnr")
    best = br.ranking_table(br.credible_ranking(POSTERIOR, "fnr")).index[0]
    assert lower.get_xlabel().startswith(f"false negative rate (FNR) minus that of {best} ")


def test_ratios_are_compared_by_division():
    """Half and twice as much are equally far from 1: to swap two entities turns the picture round."""
    order = br.ranking_table(br.credible_ranking(POSTERIOR, "diagnostic_odds_ratio")).index.tolist()
    first, last = order[0], order[-1]
    odds = br.scores.get("diagnostic_odds_ratio")(POSTERIOR).sel(entity=[first, last])

    def ends(to):
        ax = br.plots.score_differences(odds, to=to)
        assert ax.get_xscale() == "log"
        assert "diagnostic odds ratio divided by that of " in ax.get_xlabel()
        assert "log scale" in ax.get_xlabel()
        assert [line.get_xdata()[0] for line in ax.lines[:1]] == [1]
        [[low, high]] = [part[:, 0] for part in ax.collections[0].get_segments()]
        return low, high

    one, other = ends(last), ends(first)
    draws = (odds.sel(entity=first) / odds.sel(entity=last)).values
    np.testing.assert_allclose(one, np.quantile(draws, [0.025, 0.975]), rtol=1e-2)
    np.testing.assert_allclose(one, 1 / np.array(other)[::-1], rtol=1e-6)
    assert br.plots.score_differences(POSTERIOR, score="f1").get_xscale() == "linear"


def seen(colors):
    """OKLab of colours as seen by people without and with each kind of colour blindness (Machado et al., 2009)."""
    rgb = np.array([to_rgb(c) for c in colors])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    kinds = [
        np.eye(3),
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ],
    ]
    cones = [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
    lab = [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
    for kind in kinds:
        yield np.cbrt(
            np.clip(linear @ np.transpose(kind), 0, 1) @ np.transpose(cones)
        ) @ np.transpose(lab)


def test_the_colours_are_distinct_for_all_readers():
    for lab in seen([*PALETTE, GREY]):
        apart = np.linalg.norm(lab[:, None] - lab, axis=-1) + np.eye(len(lab))
        assert apart[:-1, :-1].min() > 0.07  # white and black are 1 apart
        assert apart[-1].min() > 0.05
    assert all(min(contrast(color, "white"), contrast(color, "black")) > 1.9 for color in PALETTE)
    assert len(set(place_colors(range(10 * DISTINCT)))) == 10 * DISTINCT


@pytest.mark.parametrize("size", [3, 20, pytest.param(8, marks=pytest.mark.slow)])
def test_a_decision_curve(size):
    rng = np.random.default_rng(0)
    actual = rng.random(150) < 0.4
    risk = {
        f"$model_{i}$ of a long name": np.clip(0.3 * actual + 0.7 * rng.random(150), 0, 1)
        for i in range(size)
    }
    curve = br.decisions.decision_curve(
        actual, risk, np.linspace(0.05, 0.8, 12)[::-1], draws=50, seed=1
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax = br.plots.decision_curve(curve)
        ax.figure.canvas.draw()
        looked_at(ax.figure)
    mean = curve.sortby("threshold")["mean"].values
    lines = [line for line in ax.get_lines() if len(line.get_xdata()) == 12]
    assert sorted(tuple(line.get_ydata()) for line in lines) == sorted(map(tuple, mean))
    # Nothing is told by colour alone. Of many, those that are best somewhere have a name; of few, all.
    named = [line for line in lines if line.get_linewidth() != 0.7]
    looks = {
        (str(line.get_color()), str(line.get_linestyle()), line.get_linewidth()) for line in named
    }
    assert len(looks) == len(named)
    best = {tuple(mean[i]) for i in mean[:-2].argmax(axis=0)}
    assert best <= {tuple(line.get_ydata()) for line in named} or len(named) == 10
    assert size > 12 or len(named) == size + 2
    assert len(labels_of(ax)) == len(named) + (size > 12)
    low, high = ax.get_ylim()
    assert low < 0 < high
    assert high >= float(curve["upper"].max())


@pytest.mark.parametrize("curve", ["roc", "calibration"])
@pytest.mark.parametrize("size", [3, 12])
def test_names_of_curves_stand_beside_them_in_order(curve, size):
    """Each name once, in the colour of its curve, from the highest to the lowest, none over another."""
    found = bands(analysed(size), curve)
    draw = br.plots.roc_curve if curve == "roc" else br.plots.calibration_curve
    ax = draw(found)
    ax.figure.canvas.draw()
    lines = {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}
    labels = labels_of(ax)
    assert sorted(text.get_text() for text in labels) == sorted(lines)
    boxes = sorted((text.get_window_extent() for text in labels), key=lambda box: box.y0)
    for below, above in pairwise(boxes):
        assert below.y1 <= above.y0 + 0.3 * below.height
    means = [np.nanmean(lines[text.get_text()].get_ydata()) for text in labels]
    tops = [-text.get_window_extent().y0 for text in labels]
    assert np.argsort(means).tolist()[::-1] == np.argsort(tops, kind="stable").tolist()
    for text in labels:
        ink, paint = np.array(to_rgb(text.get_color())), to_rgb(lines[text.get_text()].get_color())
        np.testing.assert_allclose(ink, 0.7 * np.array(paint), atol=0.01)
    filled = len(ax.collections)
    # Of many curves, at most four have bands, and the title says how many.
    assert filled == 3 if size == 3 else f"the {filled} that are" in ax.get_title()
    assert filled <= 4


def test_names_at_ends_of_curves_are_near_them():
    """A name is as high as the end of its curve, unless another name is there."""
    ends = {"low": 0.1, "middle": 0.5, "next": 0.505, "top": 0.9}
    _, ax = plt.subplots(figsize=(7, 4))
    for name, end in ends.items():
        ax.plot([0, 1], [0, end], label=name)
    ax.set_ylim(0, 1)
    label_curves(ax)
    ax.figure.canvas.draw()
    at = {text.get_text(): text.xy[1] for text in labels_of(ax)}
    assert at["low"] == pytest.approx(0.1, abs=1e-9)
    assert at["top"] == pytest.approx(0.9, abs=1e-9)
    assert at["next"] > at["middle"]
    assert (at["next"] + at["middle"]) / 2 == pytest.approx(0.5025, abs=1e-9)
    assert at["next"] - at["middle"] < 0.06


def test_short_names_stay_unique():
    names = ["A" * 50 + str(i) + "B" * 50 for i in range(12)]
    assert len(set(short_names(names, 20))) == 12
    assert all(len(name) <= 26 for name in short_names(names, 20))
    assert short_names(["a  b", 3]) == ["a b", "3"]
    alike = short_names(
        [f"{'p' * 40}{i // 12}{'q' * 40}{i % 12}{'r' * 40}" for i in range(144)], 16
    )
    assert len(set(alike)) == 144
    assert max(map(cell_len, alike)) <= 16


def test_ticks_are_whole_ranks_from_the_first_on():
    axis = plt.subplots()[1].xaxis
    for size in (1, 2, 9, 13, 108, 300, 5000):
        rank_ticks(axis, size)
        ticks = axis.get_ticklocs().tolist()
        assert (ticks[0], len(ticks) <= 14) == (1, True)
        assert ticks[-1] <= size
        assert all(tick == int(tick) for tick in ticks)


def test_extreme_draws_have_pictures():
    values = br.scores.f1(br.fit(COUNTS, draws=20, seed=1))
    # A certain entity does not hide the others, and where nothing has a rank nothing is coloured.
    image = br.plots.rank_heatmap(br.credible_ranking(values)).collections[0]
    assert image.norm(0.04 * image.norm.vmax) == pytest.approx(0.2)
    image = br.plots.rank_heatmap(br.credible_ranking(values.where(False))).collections[0]
    assert image.norm(0.0) == 0.0
    ax = br.plots.posterior_against_prior(0 * values + 0.5, 0 * values + 0.5)
    assert len(ax.get_yticklabels()) == 4


@pytest.mark.parametrize(("score", "log"), [("diagnostic_odds_ratio", True), ("tpr", False)])
def test_axes_of_ratios_are_logarithmic_and_say_so(score, log):
    counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["a", "b"])
    posterior = br.fit(counts, draws=100, seed=1, groups=["prior"])
    values, prior = br.scores.get(score)(posterior), br.scores.get(score)(posterior["prior"])
    drawn = [
        br.plots.forest(br.credible_ranking(posterior, score)),
        br.plots.posterior_against_prior(values, prior),
        br.plots.intervals(br.score_table(posterior, [score]))[0],
    ]
    for ax in drawn:
        assert (ax.get_xscale() == "log", "log scale" in ax.get_xlabel()) == (log, log)
        labels = [label.get_text() for label in ax.get_xticklabels()]
        assert not any("$" in label for label in labels)  # 10, not a power
    # Each density is highest where most of its draws are.
    patch = drawn[1].patches[1]
    edges, density = patch.get_data().edges, -patch.get_data().values
    first = values.sel(entity=drawn[1].get_yticklabels()[0].get_text()).values.ravel()
    assert edges[density.argmax()] < np.quantile(first, 0.9)
    assert edges[density.argmax() + 1] > np.quantile(first, 0.1)


def test_ticks_of_a_logarithmic_axis_are_round_and_few():
    for low, high in [(1.1, 1.7), (0.03, 0.4), (1, 100), (1e-3, 1e5), (1e-30, 1e30)]:
        ticks = log_ticks(low, high)
        assert 2 <= len(ticks) <= 9
        assert all(low <= tick <= high for tick in ticks)
        assert all(len(f"{tick:g}".rstrip("0")) <= 5 for tick in ticks)


def test_another_font_helps_out():
    # STIX lacks Arabic, one of the fonts that come with Matplotlib has it.
    with matplotlib.rc_context({"font.family": "STIXGeneral"}), warnings.catch_warnings():
        warnings.simplefilter("error")
        figure, ax = plt.subplots()
        ax.set_title("اختبار")
        add_missing_fonts(ax)
        figure.canvas.draw()
        assert ax.title.get_fontfamily()[0] == "STIXGeneral"
        assert len(ax.title.get_fontfamily()) == 2
    assert fallback("abcé", ("DejaVu Sans",)) == ()
    assert fallback("\U0010fffd", ("no such font",)) == ()
    assert add_missing_fonts(figure) is figure


def test_the_axis_of_costs_has_their_unit():
    scores = xr.DataArray([0.8, 0.7], {"entity": ["a", "b"]}, ["entity"])
    for attrs, words in (({"units": "USD"}, "mean cost (USD; median"), ({}, "mean cost (median")):
        cost = scores.copy(data=[2.0, 1.0]).assign_attrs(attrs)
        assert (
            br.plots.pareto_front(br.decisions.pareto_front(scores, cost=cost))
            .get_xlabel()
            .startswith(words)
        )
