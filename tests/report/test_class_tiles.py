"""The section of small Tiles, one for each class against the others."""

import re
from html import unescape

import numpy as np
import pytest

import bayesrank as br
from bayesrank.report import ranking_report
from bayesrank.tile.posterior import MEAN
from bayesrank.words.tile import format_share

COUNTS = br.from_matrix(
    [[[30, 2, 1], [3, 25, 2], [1, 1, 35]], [[20, 12, 1], [3, 15, 12], [1, 11, 25]]], "actual_rows",
    labels=["cat", "cow", "dog"], entity=["u", "v"],
)  # fmt: skip


@pytest.fixture(scope="module")
def posterior():
    return br.fit(COUNTS, "dirichlet_multinomial", seed=1, draws=50)


@pytest.fixture(scope="module")
def section(posterior):
    html = ranking_report(posterior, "accuracy", sections=["class_tiles"])
    return html[html.index('<h2 id="class_tiles">') : html.index('<h2 id="notes">')]


def test_the_mean_and_each_class_have_a_map_with_its_leader(posterior, section):
    assert re.findall(r"<figcaption><b>(.*?)</b>", section) == [MEAN, "cat", "cow", "dog"]
    tiles = br.tile.credible_by_class(posterior, 21)
    shown = re.findall(r"</svg>\s*<figcaption>(.*?)</figcaption>", unescape(section))
    expected = []
    for label in (MEAN, "cat", "cow", "dog"):
        share = tiles["share"].sel(label=label)
        expected.append(
            f"{share['entity'].values[int(share.values.argmax())]} {format_share(float(share.max()))}"
        )
    assert shown == expected
    assert (
        f"By the mean over classes: u is best on {expected[0].split()[1]} of the Tile"
        in unescape(section)
    )
    same = sum(one.startswith("u") for one in expected[1:])
    assert f"u has the largest share for {same} of 3 classes." in section


def test_a_map_has_a_cell_for_each_point(section):
    svg = section[section.index("<svg") : section.index("</svg>")]
    widths = [int(width) for width in re.findall(r'<rect x="\d+" y="\d+" width="(\d+)"', svg)]
    assert sum(widths) == 21 * 21


def test_draws_are_thinned_evenly_and_names_are_escaped():
    counts = COUNTS.assign_coords(
        entity=["<u>", "v"], actual=["<a>", "b", "c"], predicted=["<a>", "b", "c"]
    )
    posterior = br.fit(counts, "dirichlet_multinomial", seed=1, draws=700, chains=2)
    html = ranking_report(posterior, "accuracy", sections=["class_tiles"])
    assert "<u>" not in html
    assert "<a>" not in html
    few = br.tile.credible_by_class(
        br.as_performance(posterior).isel(draw=slice(None, None, 2)), 21
    )
    share = float(few["share"].sel(label=MEAN).max())
    assert f"is best on {format_share(share)} of the Tile" in unescape(html)


@pytest.mark.parametrize("classes", [2, 13])
def test_other_numbers_of_classes_have_no_section(classes):
    matrix = np.full((2, classes, classes), 3) + 10 * np.eye(classes, dtype=int)
    posterior = br.fit(
        br.from_matrix(matrix, "actual_rows"), "dirichlet_multinomial", seed=1, draws=20, chains=1
    )
    html = ranking_report(posterior, "accuracy", sections=["class_tiles"])
    assert '<h2 id="class_tiles">' not in html
    assert (
        "The section class_tiles is left out: it needs two entities or more and 3 to 12 classes"
        in html
    )
