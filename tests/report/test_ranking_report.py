"""The report opens without a network, escapes every name, and has all its sections."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

import bayesrank as br
from bayesrank.report import ranking_report
from tests.test_pooling import STONES

NASTY = ['<script>alert("x")</script>', "a & b", "cost $5_{ and $6^", "ünïcödé 中"]
COUNTS = br.from_counts(
    tn=[70, 79, 60, 71], fp=[10, 1, 20, 9], fn=[9, 1, 8, 7], tp=[21, 29, 22, 23], entity=NASTY
)


class Page(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.tags, self.loads, self.ids, self.text = [], [], set(), []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        attrs = dict(attrs)
        self.ids.add(attrs.get("id"))
        self.loads += [
            v
            for k, v in attrs.items()
            if k in ("src", "href", "xlink:href", "action", "data") and v
        ]

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture(scope="module")
def html():
    posterior = br.fit(COUNTS, seed=1, draws=200, groups=["prior"])
    about = {"title": "A <b>bold</b> title", "caveats": "x < y"}
    asked = ["default", "tile", "diagnostics"]
    return ranking_report(posterior, "f1", sections=asked, data=about, command="bayesrank rank x")


def test_nothing_is_loaded_from_elsewhere_and_links_lead_somewhere(html):
    page = Page(html)
    assert {link[1:] for link in page.loads if link.startswith("#")} <= page.ids
    assert all(link.startswith(("#", "data:")) for link in page.loads), page.loads
    assert not re.search(r"@import|url\(\s*['\"]?(?!#)", html)
    assert "link" not in page.tags
    assert page.tags.count("script") == 2  # the script, and the data of the Tile


def test_names_are_escaped_and_kept(html):
    assert '<script>alert("x")' not in html
    assert "<b>bold</b>" not in html
    text = "".join(Page(html).text)
    for name in NASTY:
        assert name in text, name
    assert "A <b>bold</b> title" in text


def test_every_section_is_there(html):
    page = Page(html)
    parts = "verdict picture table rates tile diagnostics notes data model methods"
    assert set(parts.split()) <= page.ids
    assert "svg" in page.tags
    text = " ".join("".join(page.text).split())
    for phrase in (
        "P(best)", "Dirichlet-multinomial", "one_case", "before any data it gives",
        "x < y", "Seed 1", "bayesrank rank x", "rank sets",
    ):  # fmt: skip
        assert phrase in text, phrase


def test_notes_repeat_nothing():
    posterior = br.fit(br.datasets.load("breast_cancer"), seed=1, draws=50)
    html = ranking_report(
        posterior, "f1", ranking=br.credible_ranking(posterior, "f1"), sections=[]
    )
    lines = [
        line.strip() for line in re.findall(r"<(?:p|li|dd)[^>]*>(.*?)</(?:p|li|dd)>", html, re.S)
    ]
    assert any("The positive class is" in line for line in lines)
    assert any("rank sets" in line for line in lines)
    assert len(lines) == len(set(lines))


def test_a_prevalence_set_by_design_is_warned_of_where_the_score_depends_on_it():
    warning = "depends on the prevalence, which was set by the design"
    for model, score, warned in (
        ("beta_binomial", "f1", True), ("beta_binomial", "tpr", False), ("dirichlet_multinomial", "f1", False),
    ):  # fmt: skip
        posterior = br.fit(COUNTS, model, seed=1, draws=50)
        html = ranking_report(
            posterior, score, ranking=br.credible_ranking(posterior, score), sections=[]
        )
        assert (warning in html) == warned


def test_what_pooling_hides_comes_before_other_caveats():
    posterior = br.fit(br.pool(STONES), seed=1, draws=50)
    html = ranking_report(posterior, "tpr", sections=[], data={"caveats": "other caveats"})
    assert "2 data sets, pooled" in html
    assert html.index("A above B; the pool ranks the opposite") < html.index("other caveats")
    assert "pooled" not in ranking_report(br.fit(COUNTS, seed=1, draws=50), "tpr", sections=[])


@pytest.mark.parametrize(("score", "sign"), [("f1", "−"), ("fnr", "")])
def test_the_table_says_by_how_much_each_entity_differs_from_the_leader(score, sign):
    posterior = br.fit(COUNTS.assign_coords(entity=list("abcd")), draws=400, seed=1)
    ranking = br.credible_ranking(posterior, score)
    html = ranking_report(posterior, score, ranking=ranking, sections=[])
    assert ">difference from the leader (95% interval)<" in html
    leader, *others = br.ranking_table(ranking).index
    assert leader == "b"
    rows = dict(re.findall(r'<tr><td>(\w)</td>.*?<td class="below"[^>]*>(.*?)</td>', html))
    assert rows[leader] == ""
    values = (
        posterior["posterior"]["performance"]
        .pipe(getattr(br.scores, score))
        .stack(x=("chain", "draw"))
    )
    for name in others:
        low, middle, high = (
            (values.sel(entity=name) - values.sel(entity="b")).quantile([0.025, 0.5, 0.975]).values
        )
        shown = [float(x.replace("−", "-")) for x in re.findall(r"−?[\d.]+", rows[name])]
        assert shown == pytest.approx([middle, low, high], abs=6e-3)
        assert rows[name].startswith(sign)
        assert (middle < 0) == (sign == "−")


def test_a_ranking_without_draws_has_no_differences_in_the_table():
    ranking = br.credible_ranking(COUNTS, "informedness", method="exact")
    html = ranking_report(COUNTS, "informedness", ranking=ranking, sections=[])
    assert "difference from the leader" not in html


def test_point_estimates_have_differences_without_an_interval_and_no_column_of_them():
    ranking = br.credible_ranking(COUNTS, "tpr")
    known = ranking["observed"] - ranking["observed"].isel(
        entity=int(ranking["consensus_position"].argmin())
    )
    np.testing.assert_allclose(ranking["difference"], known, atol=1e-12)
    assert ranking["difference_lower"].isnull().all()
    assert "difference from the leader" not in ranking_report(COUNTS, "tpr", sections=[])
