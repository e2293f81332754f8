"""Every picture of a ranking, for every shipped data set, without a warning and with readable names."""

import re
import warnings
from unicodedata import normalize

import matplotlib.pyplot as plt
import numpy as np
import pytest
from rich.cells import cell_len

import bayesrank as br
from bayesrank._names import short_names
from bayesrank.plots._style import entity_colors


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
    plt.close(ax.figure)
    return labels


PICTURES = {
    "forest": lambda c, p, v, r: br.plots.forest(r),
    "rank_heatmap": lambda c, p, v, r: br.plots.rank_heatmap(r),
    "superiority": lambda c, p, v, r: br.plots.superiority(r),
    "posterior_against_prior": lambda c, p, v, r: br.plots.posterior_against_prior(
        v, br.scores.informedness(p["prior"])
    ),
}


@pytest.mark.parametrize("name", PICTURES)
def test_names_every_entity_once(analysis, name):
    labels = drawn(lambda: PICTURES[name](*analysis))
    assert len(labels) == len(set(labels)) == analysis[0].sizes["entity"]
    assert max(map(len, labels)) <= 50


def test_difference_leaves_out_the_entity_compared_with(analysis):
    counts, _, values, _ = analysis
    to = counts["entity"].values[0]
    labels = drawn(lambda: br.plots.score_differences(values, to, rope=0.02))
    assert len(labels) == counts.sizes["entity"] - 1


def test_pictures_are_drawn_where_told(analysis):
    _, _, _, ranking = analysis
    _, ax = plt.subplots()
    assert br.plots.forest(ranking, ax=ax) is ax
    plt.close(ax.figure)


def test_difference_to_nobody():
    values = br.scores.f1(br.datasets.load("breast_cancer"))
    with pytest.raises(KeyError, match="to must be one of"):
        br.plots.score_differences(values, to="nobody")


def test_short_names_stay_unique():
    names = ["A" * 50 + str(i) + "B" * 50 for i in range(12)]
    assert len(set(short_names(names, 20))) == 12
    assert all(len(name) <= 26 for name in short_names(names, 20))
    assert short_names(["a  b", 3]) == ["a b", "3"]


@pytest.mark.parametrize("width", [5, 16, 17, 25, 40, 60])
def test_names_are_as_wide_as_they_look(width):
    alike = [f"{'An Institute of Many Words ' * 3}Kit {kind} (IgG)" for kind in "AB"]
    japanese = [f"国立研究所の迅速抗体検査キット第{number}号(血清)" for number in "一二"]
    letters = "x\u030c" * 40  # no composed form
    marks = [f"{letters}{end}{letters}" for end in ("e\u0301", "e\u0300")]
    names = [
        *alike,
        *japanese,
        *marks,
        "Kit\u3000一",
        "Kit 一",
        "cafe\u0301",
        "caf\u00e9",
        "x" * 90,
        "x" * 91,
        f"z{letters}",
        "y" * 9 + "国" * 99,
    ]
    short = short_names(names, width)
    assert max(map(cell_len, short)) <= width
    assert len({normalize("NFC", name) for name in short}) == len(names)
    # A mark stays with its letter.
    assert not any(cell_len(mark) == 0 for text in short for mark in re.findall("…(.)", text))


def test_short_names_differ_though_many_are_alike():
    names = [f"{'p' * 40}{i // 12}{'q' * 40}{i % 12}{'r' * 40}" for i in range(144)]
    short = short_names(names, 16)
    assert len(set(short)) == 144
    assert max(map(cell_len, short)) <= 16


@pytest.mark.parametrize("size", [1, 8, 9, 108])
def test_colours_are_distinct(size):
    names = [str(i) for i in range(size)]
    assert len({str(colour) for colour in entity_colors(names).values()}) == size


ODD = br.from_counts(
    tn=[70, 79, 60], fp=[10, 1, 20], fn=[9, 1, 8], tp=[21, 29, 22], entity=["$x_{", "_hidden", "<b> \\frac{"]
)


def test_odd_names_are_read_as_they_are():
    values = br.scores.f1(br.fit(ODD, draws=50, seed=1))
    ranking = br.credible_ranking(values)
    ax = br.plots.score_differences(values, to="$x_{")
    ax.figure.canvas.draw()  # a formula with an open brace would raise here
    assert ax.get_xlabel().startswith(r"F1 minus that of \$x_{")
    ax = br.plots.forest(ranking)
    ax.figure.canvas.draw()
    assert sorted(text.get_text() for text in ax.get_yticklabels()) == [" _hidden", "<b> \\frac{", r"\$x_{"]
    plt.close("all")


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
    plt.close("all")


def test_draws_that_are_all_equal_have_a_picture():
    values = br.scores.f1(br.fit(ODD, draws=50, seed=1))
    labels = drawn(lambda: br.plots.posterior_against_prior(0 * values + 0.5, 0 * values + 0.5))
    assert len(labels) == 3


def test_a_difference_needs_another_entity():
    values = br.scores.f1(br.fit(ODD.isel(entity=[0]), draws=5, seed=1))
    with pytest.raises(ValueError, match="values must hold another entity"):
        br.plots.score_differences(values, to="$x_{")


def test_where_nothing_has_a_rank_nothing_is_coloured():
    values = br.scores.f1(br.fit(ODD, draws=5, seed=1))
    ranking = br.credible_ranking(values.where(False))
    image = br.plots.rank_heatmap(ranking).collections[0]
    assert image.norm(0.0) == 0.0
    plt.close("all")
