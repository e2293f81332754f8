"""Every picture of a ranking, for every shipped data set, without a warning and with readable names."""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pytest
from rich.cells import cell_len

import bayesrank as br
from bayesrank._names import short_names


def two_class(name):
    """Two-class counts of one label, and of the last of the data sets that measured most entities."""
    counts = br.datasets.load(name)
    if "dataset" in counts.dims:
        measured = counts["measured"].sum("entity").values
        counts = counts.isel(dataset=np.flatnonzero(measured == measured.max())[-1], drop=True)
        counts = counts.isel(entity=counts["measured"].values).drop_vars("measured")
    return counts if counts.sizes["actual"] == 2 else br.one_vs_rest(counts).isel(label=0, drop=True)


@pytest.fixture(
    scope="module", params=[name for name in br.datasets.names() if "actual" in br.datasets.load(name).dims]
)
def analysis(request):
    counts = two_class(request.param)
    posterior = br.fit(counts, draws=100, seed=1, groups=["prior"])
    values = br.scores.informedness(posterior)
    return counts, posterior, values, br.credible_ranking(values, rope=0.01)


def drawn(picture):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax = picture()
        ax.figure.canvas.draw()
    labels = [label.get_text() for label in ax.get_yticklabels()]
    return labels


def test_difference_leaves_out_the_entity_compared_with(analysis):
    counts, _, values, _ = analysis
    to = counts["entity"].values[0]
    labels = drawn(lambda: br.plots.score_differences(values, to, rope=0.02))
    assert len(labels) == counts.sizes["entity"] - 1


def test_pictures_are_drawn_on_the_given_axes(analysis):
    _, _, _, ranking = analysis
    _, ax = plt.subplots()
    assert br.plots.forest(ranking, ax=ax) is ax


def test_short_names_stay_unique():
    names = ["A" * 50 + str(i) + "B" * 50 for i in range(12)]
    assert len(set(short_names(names, 20))) == 12
    assert all(len(name) <= 26 for name in short_names(names, 20))
    assert short_names(["a  b", 3]) == ["a b", "3"]


def test_short_names_differ_though_many_are_alike():
    names = [f"{'p' * 40}{i // 12}{'q' * 40}{i % 12}{'r' * 40}" for i in range(144)]
    short = short_names(names, 16)
    assert len(set(short)) == 144
    assert max(map(cell_len, short)) <= 16


ODD = br.from_counts(
    tn=[70, 79, 60], fp=[10, 1, 20], fn=[9, 1, 8], tp=[21, 29, 22], entity=["$x_{", "_hidden", "<b> \\frac{"]
)


@pytest.mark.parametrize("size", [1, 2, 9, 13, 108, 300])
def test_ticks_are_whole_ranks_from_the_first_on(size):
    counts = br.from_counts(tn=[70] * size, fp=[10] * size, fn=[9] * size, tp=[21] * size)
    ranking = br.credible_ranking(br.scores.f1(br.fit(counts, draws=5, seed=1)))
    ticks = br.plots.rank_heatmap(ranking).get_xticks().tolist()
    assert ticks[0] == 1
    assert ticks[-1] <= size
    assert all(tick == int(tick) for tick in ticks)
    assert len(ticks) <= 14


def test_a_sure_entity_does_not_hide_the_others():
    ranking = br.credible_ranking(br.scores.f1(br.fit(ODD, draws=50, seed=1)))
    image = br.plots.rank_heatmap(ranking).collections[0]
    assert image.norm(0.04 * image.norm.vmax) == pytest.approx(0.2)


def test_draws_that_are_all_equal_have_a_picture():
    values = br.scores.f1(br.fit(ODD, draws=50, seed=1))
    labels = drawn(lambda: br.plots.posterior_against_prior(0 * values + 0.5, 0 * values + 0.5))
    assert len(labels) == 3


def test_where_nothing_has_a_rank_nothing_is_coloured():
    values = br.scores.f1(br.fit(ODD, draws=5, seed=1))
    ranking = br.credible_ranking(values.where(False))
    image = br.plots.rank_heatmap(ranking).collections[0]
    assert image.norm(0.0) == 0.0
