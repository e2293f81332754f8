"""Regions in ROC, blobs, scales of maps, isovalue lines, windows, and letters that a font lacks."""

import warnings

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr
from matplotlib.path import Path
from scipy import stats

import bayesrank as br
from bayesrank.plots._style import add_missing_fonts, fallback
from bayesrank.scores.draws import rate_regions


def performance(fpr, tpr, prevalence=0.5):
    """Draws of one entity with these rates."""
    cells = np.array([[1 - fpr, fpr], [1 - tpr, tpr]]) * np.array([1 - prevalence, prevalence])[:, None, None]
    return xr.DataArray(cells[..., None], {"entity": ["e"]}, ("actual", "predicted", "draw", "entity"))


def held(found, fpr, tpr):
    curve = Path(np.column_stack([found["region_fpr"][0], found["region_tpr"][0]]))
    return curve.contains_points(np.column_stack([fpr, tpr])).mean()


@pytest.mark.parametrize("prob", [0.5, 0.95])
@pytest.mark.parametrize(("tpr", "fpr"), [((25, 7), (11, 71)), ((31, 1), (1, 81)), ((1, 1), (0.5, 0.5))])
def test_a_region_holds_its_share_of_new_draws(tpr, fpr, prob):
    rng = np.random.default_rng(1)
    size = 10_000
    found = rate_regions(performance(rng.beta(*fpr, size), rng.beta(*tpr, size)), 721, prob=prob)
    share = held(found, rng.beta(*fpr, size), rng.beta(*tpr, size))
    # Two samples of a share, and the quantile's own error: four standard errors.
    assert share == pytest.approx(prob, abs=4 * np.sqrt(2 * prob * (1 - prob) / size) + 0.002)
    assert found["tpr"].item() == pytest.approx(stats.beta.median(*tpr), abs=0.02)
    assert found["fpr"].item() == pytest.approx(stats.beta.median(*fpr), abs=0.02)


def test_a_region_of_independent_normal_scores_is_known():
    # Its extent along one rate: the quantiles at plus and minus the radius that holds 95% of a normal plane.
    rng = np.random.default_rng(2)
    found = rate_regions(performance(rng.beta(3, 50, 50_000), rng.beta(31, 2, 50_000)), 721, prob=0.95)
    reach = np.sqrt(stats.chi2.ppf(0.95, 2))
    wanted = stats.beta.ppf(stats.norm.cdf([-reach, reach]), 31, 2)
    np.testing.assert_allclose([found["region_tpr"].min(), found["region_tpr"].max()], wanted, atol=0.005)


def test_a_region_follows_the_correlation():
    rng = np.random.default_rng(3)
    x = rng.normal(size=5000)
    fpr, tpr = (1 / (1 + np.exp(-z)) for z in (x - 2, x + 0.3 * rng.normal(size=5000)))
    found = rate_regions(performance(fpr, tpr), 721, prob=0.9)
    assert held(found, fpr, tpr) == pytest.approx(0.9, abs=0.01)
    assert np.corrcoef(found["region_fpr"][0, :-1], found["region_tpr"][0, :-1])[0, 1] > 0.8


def test_rates_without_draws_or_cases():
    counts = br.from_counts(tn=[8, 0, 8], fp=[2, 0, 2], fn=[1, 1, 0], tp=[9, 9, 0], entity=["a", "no negatives", "no"])
    found = rate_regions(counts)
    assert set(found) == {"fpr", "tpr"}
    # Who has no point in ROC has neither rate.
    np.testing.assert_allclose(found["fpr"], [0.2, np.nan, np.nan])
    np.testing.assert_allclose(found["tpr"], [0.9, np.nan, np.nan])
    never = performance(np.full(50, 0.1), np.full(50, 1.0))
    np.testing.assert_allclose(rate_regions(never)["region_tpr"], 1.0)


COUNTS = br.from_counts(tn=[70, 75, 60], fp=[10, 5, 20], fn=[6, 9, 3], tp=[24, 21, 27], entity=["a", "b", "c"])


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
    assert not [c for c in br.plots.value_tile(tile, lines=[5.0]).collections if hasattr(c, "levels")]
    assert not [c for c in br.plots.value_tile(tile * 0, lines=5).collections if hasattr(c, "levels")]
    assert [c for c in br.plots.value_tile(tile, lines=5).collections if hasattr(c, "levels")]


def test_pictures_end_where_a_window_does():
    window = ((0.9, 1.0), (0.25, 0.75))
    posterior = br.fit(COUNTS, draws=20, seed=1)
    axes = [
        br.plots.value_tile(br.tile.value(COUNTS, 5, window=window).isel(entity=0)),
        br.plots.winner_tile(br.tile.regions(COUNTS, window=window)),
        br.plots.credible_tile(br.tile.credible(posterior, 5, window=window)),
        br.plots.value_tile(br.tile.value(COUNTS, 101).sel(a=slice(0.9, 1), b=slice(0.25, 0.75)).isel(entity=0)),
    ]
    for ax in axes:
        np.testing.assert_allclose([*ax.get_xlim(), *ax.get_ylim()], [0.9, 1, 0.25, 0.75])
        marks = {text.get_text() for text in ax.texts} & {"TNR", "PPV", "NPV", "TPR", "A", "F₁"}
        assert marks == {"F₁"}
    words = [text.get_text() for text in axes[2].get_legend().get_texts()]
    assert any("of the window" in text for text in words)
    assert "window" in br.plots.shares(br.tile.credible(posterior, 5, window=window)).get_xlabel()


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
    from bayesrank.plots._style import log_ticks

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
