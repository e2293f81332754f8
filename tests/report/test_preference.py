"""The Tile as the headline of two-class reports: its place, its words, and the line of the command."""

import re

import numpy as np
import pytest
import xarray as xr

import bayesrank as br
from bayesrank._core.compiled import can_compile
from bayesrank.tile.coarse import coarse_shares
from bayesrank.words.tile import weighting_sentence
from tests.commands import invoke

pytestmark = pytest.mark.skipif(not can_compile(), reason="needs Numba")

#: Where a missed case costs more, bold is best; where a false alarm does, cautious; between them middling.
COUNTS = br.from_counts(
    tn=[8000, 6000, 7000], fp=[2000, 4000, 3000], fn=[1200, 200, 600], tp=[2800, 3800, 3400],
    entity=["cautious", "bold", "middling"],
)  # fmt: skip
CLOSE = br.from_counts(
    tn=[8, 7, 8], fp=[2, 3, 2], fn=[3, 2, 3], tp=[7, 8, 7], entity=["a", "b", "c"]
)


def report(counts, score, **options):
    return br.ranking_report(br.fit(counts, draws=400, seed=1), score, **options)


def board_of(html):
    return html[html.index('<div class="board"') : html.index('<ul class="legend">')]


def test_the_tile_and_then_the_ops_are_the_first_sections():
    titles = re.findall(r"<h2[^>]*>(.*?)</h2>", report(COUNTS, "f1"))
    first = titles.index("Does your preference change the winner?")
    assert titles[first + 1] == "Compared with all possible performances (OPS)"
    assert titles[first + 2].startswith("Sensitivity")


def test_the_edges_say_what_costs_more_and_three_entities_have_three_colours():
    board = board_of(report(COUNTS, "f1"))
    for words in (
        "a missed case costs more",
        "a false alarm costs more",
        "finding a case",
        "clearing a non-case",
    ):
        assert words in board
    assert len(set(re.findall(r'fill="(var\(--e\d+\))"', board))) == 3
    assert len(re.findall('class="number"', board)) == 3  # for readers who do not see the colours
    assert board.count('class="ring"') == 1
    assert re.search(r'class="own"[^>]*>F1<', board)


@pytest.mark.parametrize(("score", "rings"), [("informedness", 1), ("accuracy", 1), ("mcc", 0)])
def test_the_chosen_score_is_marked_if_it_has_a_place(score, rings):
    html = report(COUNTS, score)
    assert board_of(html).count('class="ring"') == rings
    assert ("has no place on the Tile" in html) == (rings == 0)


def test_where_everything_is_undecided_it_says_so_without_a_hatch():
    undecided, decided = report(CLOSE, "f1"), report(COUNTS, "f1")
    assert "No weighting decides with probability 0.95." in undecided
    assert '<path d="" fill="url(#unsure)"/>' in undecided
    assert "Nowhere is an entity best with probability 0.95" in undecided
    assert '<path d="" fill="url(#unsure)"/>' not in decided
    assert "Hatched: no entity is best with probability 0.95" in decided


def test_a_report_of_one_entity_or_of_more_classes_has_no_tile():
    assert 'class="board"' not in report(COUNTS.isel(entity=[0]), "f1")
    classes = br.from_matrix([[[30, 2, 1], [3, 25, 2], [1, 1, 35]], [[20, 12, 1], [3, 15, 12], [1, 11, 25]]],
                             "actual_rows", entity=["u", "v"])  # fmt: skip
    assert 'class="board"' not in report(classes, "accuracy")


def test_ops_says_better_than_which_share_and_warns_where_it_saturates():
    near = br.from_counts(tn=[990, 995], fp=[10, 5], fn=[5, 2], tp=[995, 998], entity=["a", "b"])
    saturated, other = report(near, "f1"), report(COUNTS, "f1")
    assert (
        "b is better than over 99.9% of all possible performances at its prevalence." in saturated
    )
    assert re.search(r"By F1, \w+ is better than \d\d\.\d% of all possible performances", other)
    assert "OPS saturates" in saturated
    assert "OPS saturates" not in other


@pytest.mark.parametrize(
    ("shares", "undecided", "said"),
    [
        ([0.31, 0.62, 0.07, 0.001], 0.4, "b is best on 62% of the Tile, a on 31%, c on 7%."),
        ([1.0, 0.0], 0.0, "a is best on >99% of the Tile."),
        ([0.9991, 0.0009], 0.0, "a is best on >99% of the Tile."),
        (
            [0.5, 0.5],
            1.0,
            "a is best on 50% of the Tile, b on 50%. No weighting decides with probability 0.95.",
        ),
    ],
)
def test_the_sentence_on_shares(shares, undecided, said):
    share = xr.DataArray(shares, {"entity": list("abcd")[: len(shares)]}, ("entity",))
    assert weighting_sentence(share, undecided, 0.95) == f"By the weighting of errors: {said}"


def test_without_a_score_anywhere_there_is_no_sentence():
    assert (
        weighting_sentence(xr.DataArray([np.nan], {"entity": ["a"]}, ("entity",)), 1.0, 0.95) == ""
    )


def test_rank_prints_the_shares_of_two_classes_in_one_line():
    printed = invoke("rank", "breast_cancer", "--score", "f1", "--draws", 200)
    assert printed.count("By the weighting of errors: logreg is best on ") == 1
    assert "weighting of errors" not in invoke("rank", "langchain_tool_use", "--draws", 200)


def test_the_coarse_shares_are_those_of_the_tile():
    """A grid of 21 points and a thousand draws: errors below two points of a hundred."""
    performance = br.as_performance(br.fit(COUNTS[:, :, :] // 50, seed=1))
    share, undecided = coarse_shares(performance, 0.95)
    tile = br.tile.credible(performance, 51, prob=0.95, maps=())
    np.testing.assert_allclose(share, tile["share"], atol=0.02)
    assert undecided == pytest.approx(float(tile["undecided_area"]), abs=0.05)
    assert float(share.sum()) == pytest.approx(1.0)
