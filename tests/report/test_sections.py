"""Sections of the report: how they are found, what each shows, and the pictures of rows that they share."""

import json
import re
import sys
from html import unescape

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats

import bayesrank as br
from bayesrank._core.records import ModelRecord
from bayesrank.report import ranking_report, sections
from bayesrank.report.methods import definition, methods
from bayesrank.report.pictures import Axis, inline_svg
from bayesrank.report.ranking_report import _visible_rows
from bayesrank.report.sections.ranks import COLUMNS, rank_rows
from bayesrank.report.sections.tile import RESOLUTION, map_of
from tests.commands import invoke

COUNTS = br.from_counts(
    tn=[70, 79, 60, 66],
    fp=[10, 1, 20, 14],
    fn=[9, 1, 9, 9],
    tp=[21, 29, 21, 21],
    entity=["a", "b", "c", "d"],
)
CONFUSED = np.array([[[30, 2, 1], [3, 25, 2], [1, 1, 35]], [[20, 12, 1], [3, 15, 12], [1, 11, 25]]])
STUDIES = br.from_counts(
    tn=[45, 38, 90, 27, 60], fp=[5, 12, 10, 3, 40], fn=[4, 9, 2, 3, 1], tp=[16, 11, 28, 7, 19],
    entity=["A"] * 5, dataset=["Oslo", "Rome", "Lima", "Kyiv", "Bonn"],
)  # fmt: skip


def text_of(html):
    body = re.sub(r"<(style|script).*?</\1>", "", html, flags=re.S)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", body.replace("<wbr>", ""))).split())


def shown(html):
    """Names of the sections between table and notes."""
    ids = re.findall(r'<h2 id="(\w+)">', html)
    return ids[1 : ids.index("notes")]


def many(size):
    right = np.linspace(40, 90, size).round().astype(int)
    return br.from_counts(
        tn=right, fp=100 - right, fn=100 - right, tp=right, entity=[f"n{i}" for i in range(size)]
    )


def crossed(first=0, size=2):
    """Counts of which the entity in place ``first`` is best where negatives count, and the next where positives do."""
    tn, tp = (
        [{first: best, first + 1: rest}.get(i, 30) for i in range(size)]
        for best, rest in ((95, 40), (40, 95))
    )
    return br.from_counts(
        tn=tn,
        fp=[100 - n for n in tn],
        fn=[100 - n for n in tp],
        tp=tp,
        entity=[f"m{i}" for i in range(size)],
    )


@pytest.fixture(scope="module")
def posterior():
    return br.fit(COUNTS, seed=1, draws=250)


@pytest.fixture(scope="module")
def ranking(posterior):
    return br.credible_ranking(posterior, "f1", method="exact")


@pytest.fixture
def report_of(posterior, ranking):
    """The report of the posterior by F1, whose ranking is made once."""
    return lambda **options: ranking_report(posterior, "f1", ranking=ranking, **options)


# --- How sections are found -------------------------------------------------------------------------------------------

SECTION = """
from bayesrank.report.page import PageBlock, block

PLACE, ON_REQUEST, NEEDS = 15, {on_request}, "more than one entity"


def compute(request):
    return request.title


def make(page):
    size = len(page.order)
    text = f"There are {{size}}: {{page.results.get('census')}}."
    return PageBlock("A census", block("words", [text]), "They were counted.", ("A & B (2026).",)) if size > 1 else None
"""


@pytest.mark.parametrize("on_request", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_section_is_one_file(on_request, report_of, tmp_path, monkeypatch):
    """A file in the folder is all that the function, its notes, the methods and the command need."""
    (tmp_path / "census.py").write_text(SECTION.format(on_request=on_request))
    monkeypatch.setattr(sections, "__path__", [*sections.__path__, str(tmp_path)])
    monkeypatch.delitem(sys.modules, f"{sections.__name__}.census", raising=False)
    sections.find.cache_clear()
    assert ("census" in sections.names(defaults=True)) == (not on_request)
    given = None if not on_request else {"census": "by hand"}
    html = report_of(results=given)
    assert "census" in shown(html)
    assert shown(html).index("rates") < shown(html).index("census") < shown(html).index("ranks")
    text = text_of(html)
    assert f"There are 4: {'by hand' if on_request else 'None'}." in text
    assert "They were counted." in text
    assert "A & B (2026)." in text
    assert '<a href="#census">A census</a>' in html
    one = br.fit(COUNTS.isel(entity=[0]), seed=1, draws=50)
    without = ranking_report(one, "tpr", sections=["census"])
    assert "The section census is left out: it needs more than one entity." in without

    path = tmp_path / "out.html"
    invoke("report", "tornado", "--draws", "20", "-o", path, "--with", "census")
    title = br.datasets.describe("tornado")["title"]
    assert f"There are 2: {title}." in text_of(path.read_text(encoding="utf-8"))


def test_the_data_choose_the_sections_and_names_change_them(report_of):
    assert shown(report_of()) == ["tile", "ops", "rates", "ranks"]
    assert shown(report_of(sections=[])) == []
    assert shown(report_of(sections=["ops", "tile"])) == ["tile", "ops"]
    assert shown(report_of(sections=["default", "ops"])) == ["tile", "ops", "rates", "ranks"]
    three = br.fit(br.from_matrix(CONFUSED, "actual_rows", entity=["u", "v"]), seed=1, draws=50)
    html = ranking_report(three, "accuracy", sections=["default", "tile"])
    assert shown(html) == ["confusions", "class_tiles"]
    assert "The section tile is left out: it needs two entities and two classes." in html


# --- Rows of pictures -------------------------------------------------------------------------------------------------


def test_marks_keep_their_order_and_proportions():
    axis = Axis.of([[0.5, 0.25, 1.0, 0.75], [0.25, 0.0, 0.5, np.nan]])
    assert [text for _, text in axis.ticks] == ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
    assert [axis.place(x) for x in (0.0, 0.25, 0.5, 1.0)] == [3.0, 26.5, 50.0, 97.0]
    mark = axis.mark([0.25, 0.0, 0.5, np.nan])
    assert (mark["low"], mark["middle"], mark["high"], mark["seen"]) == (3.0, 26.5, 50.0, None)
    assert Axis.of([1.0]).place(1.0) == 50
    assert Axis.of([np.nan, np.inf]).place(np.inf) is None
    ratio = Axis.of([1.0, 10.0, 100.0, 0.0, np.inf], ratio=True)
    assert [ratio.place(x) for x in (1.0, 10.0, 100.0, 0.0, np.inf)] == [
        3.0,
        50.0,
        97.0,
        None,
        None,
    ]
    assert [text for _, text in ratio.ticks] == ["1", "2", "5", "10", "20", "50", "100"]
    assert ratio.ticks[3] == (50.0, "10")


def test_ratios_have_a_logarithmic_axis_that_says_so(posterior, report_of):
    drawn = br.credible_ranking(posterior, "diagnostic_odds_ratio")
    html = ranking_report(posterior, "diagnostic_odds_ratio", ranking=drawn, sections=[])
    assert "The axis is logarithmic" in text_of(html)
    assert "logarithmic" not in text_of(report_of(sections=[]))


@pytest.mark.parametrize("size", [2, 30, 100])
def test_rank_columns_hold_all_of_the_probability(size):
    ranking = br.credible_ranking(many(size), "informedness", method="exact")
    names = br.ranking_table(ranking).index.tolist()[:40]
    axis, rows = rank_rows(ranking, names)
    marks = rows[0]["panels"][0]
    assert all(mark["x"] >= 0 and mark["x"] + mark["width"] <= 100.02 for mark in marks)
    if size <= COLUMNS:
        first = ranking["rank_probability"].sel(entity=names[0]).values
        highest = float(ranking["rank_probability"].sel(entity=names).max())
        seen = [np.sqrt(p / highest) for p in first if p > 0.001]
        np.testing.assert_allclose([mark["dark"] for mark in marks], seen, atol=0.0051)
    assert 1 < len(axis.ticks) <= 9
    assert axis.ticks[0][1].startswith("1")


def test_ranks_that_share_a_column_are_as_dark_as_those_that_do_not():
    size = 100
    ranking = xr.Dataset(
        {"rank_probability": (("entity", "rank"), np.full((size, size), 1 / size))},
        coords={"entity": np.arange(size), "rank": np.arange(1, size + 1)},
    )
    axis, rows = rank_rows(ranking, list(range(size)))
    assert axis.ticks[0][1] == "1–2"
    # The last column holds what is left over.
    for one in (rows, rank_rows(ranking.isel(rank=slice(0, 99)), [0])[1]):
        assert {mark["dark"] for mark in one[0]["panels"][0]} == {1.0}


def test_pictures_have_the_page_s_colours_and_no_ground():
    import matplotlib.pyplot as plt

    def draw(figure):
        ax = figure.subplots()
        ax.plot([0, 1], [0, 1], color="0.5")
        ax.plot([0, 1], [1, 0], color="#0072B2")

    here = str(inline_svg(draw, (2, 2)))
    with plt.style.context("dark_background"):
        assert str(inline_svg(draw, (2, 2))) == here
    assert "var(--g80)" in here
    assert "var(--e0)" in here
    assert not re.search(r"#([0-9a-f]{2})\1\1(?![0-9a-f])|#0072b2", here)
    assert "var(--gff)" not in here  # no white patch behind it


def test_the_leaders_are_seen_and_the_others_folded():
    html = ranking_report(many(60), "informedness", sections=["ranks"])
    first, rest = html.split("<details>", 1)
    assert 5 <= first.count('<div class="row band') + first.count('<div class="row"') <= 12
    assert "Show the first 40 of 60" in rest
    assert "<details>" not in ranking_report(many(3), "informedness", sections=[])
    tiers = {3: 10, 15: 15, 50: 20}
    for size, kept in tiers.items():
        assert _visible_rows(pd.Series([1.0] * size + [2.0] * (60 - size))) == kept
    assert _visible_rows(pd.Series([1.0] * 25)) == 0


# --- What the data support --------------------------------------------------------------------------------------------


def test_rates_are_beta_and_their_counts_are_of_a_thousand_cases():
    posterior = br.fit(COUNTS, "beta_binomial", prior="uniform", prevalence=0.1, seed=1, draws=50)
    html = ranking_report(posterior, "informedness", sections=["rates"])
    text = text_of(html)
    noted = COUNTS.assign_coords(
        origin=("entity", [f"file {i}" for i in range(COUNTS.sizes["entity"])])
    )
    posterior = br.fit(noted, "beta_binomial", prior="uniform", prevalence=0.1, seed=1, draws=50)
    assert text_of(ranking_report(posterior, "informedness", sections=["rates"])) == text
    assert "In 1,000 cases at a prevalence of 10%, 100 are positive." in text
    # One error is one case away from a perfect rate, so that intervals are closed.
    low, middle, high = *stats.beta(1 + 29, 1 + 1).ppf([0.025, 0.5]), 1.0
    found, missed = (
        100 * np.array(x) for x in ((middle, low, high), (1 - middle, 1 - high, 1 - low))
    )
    low, middle, high = *stats.beta(1 + 79, 1 + 1).ppf([0.025, 0.5]), 1.0
    alarms, cleared = (
        900 * np.array(x) for x in ((1 - middle, 1 - high, 1 - low), (middle, low, high))
    )
    cells = [f"{x[0]:.{d}f} ({x[1]:.{d}f} to {x[2]:.{d}f})" for x, d in zip(
        (found, missed, alarms, cleared), (0, 1, 0, 0), strict=True)]  # fmt: skip
    assert f"b {' '.join(cells)}" in text
    drawn = text_of(ranking_report(br.fit(COUNTS, seed=1, draws=50), "f1", sections=["rates"]))
    assert re.search(r"at the mean prevalence of these data, 2[78](.\d)?%", drawn)


def test_confusions_are_shares_of_the_actual_class():
    posterior = br.fit(br.from_matrix(CONFUSED, "actual_rows", entity=["u", "v"]), seed=1, prior=0)
    text = text_of(ranking_report(posterior, "accuracy", sections=["confusions"]))
    table = text[text.index("actual ↓ predicted → 0 1 2 0 ") :]
    shares = [int(x) for x in re.findall(r"\d+", table)]
    assert shares[3:7] == [0, 91, 6, 3]  # of 33 cases
    # The class that the first entity misses most comes first: 25 of 30.
    assert re.search(
        r"recall .the share of a class that is found. .*? 1 0 2 Recall of each class",
        text,
    )
    wide = br.from_matrix(np.eye(14, dtype=int)[None] * 9 + 1, "actual_rows", entity=["u"])
    text = text_of(
        ranking_report(br.fit(wide, seed=1, draws=50), "accuracy", sections=["confusions"])
    )
    assert "The largest confusions of u" in text


def test_studies_have_forests_and_a_summary_roc():
    posterior = br.fit(STUDIES, "hierarchical_beta_binomial", seed=1, draws=250)
    ranking = br.credible_ranking(posterior, "f1")
    html = ranking_report(posterior, "f1", ranking=ranking, sections=["datasets"])
    text = text_of(html)
    found = br.heterogeneity(posterior, "f1").sel(entity="A")
    assert f" A 5 {float(found['typical']):.3f} (" in text
    assert f" {float(found['between_sd']):.3f} ({float(found['between_sd_lower']):.3f} to" in text
    rows = re.findall(r'<div class="row[^>]*><span>([^<]+)</span>', html.split("<h3>")[1])
    assert set(rows[:5]) == set(STUDIES["dataset"].values.tolist())
    assert rows[5:7] == ["typical data set", "new data set"]
    assert "Summary ROC" in text
    entities = br.fit(COUNTS, "hierarchical_beta_binomial", seed=1, draws=100)
    assert "Entities as a population" in text_of(
        ranking_report(entities, "tpr", sections=["datasets"])
    )
    heading = "The 2 × 2 tables entity data set TN: cleared FP: false alarm FN: missed TP: found"
    assert f"{heading} A Oslo 45 5 4 16 A Rome 38 12 9 11" in text_of(html)
    pooled = ranking_report(br.fit(br.pool(STUDIES), seed=1, draws=100), "tpr")
    assert "datasets" not in shown(pooled)
    assert "Does the model replicate the data? The spread of the means of data sets" in text_of(
        pooled
    )


# --- The Tile ---------------------------------------------------------------------------------------------------------


def test_the_map_holds_what_the_posterior_says(posterior):
    prob, size = 0.95, 1000.0
    found = map_of(br.as_performance(posterior), br.scores.f1, prob, size, None)
    data = json.loads(re.search(">(.*)</script>", found["data"], re.S)[1])
    best = br.tile.credible(posterior, RESOLUTION)["probability_best"].transpose("b", "a", "entity")
    who = np.array(data["who"]).reshape(RESOLUTION, RESOLUTION, -1)
    p = np.array(data["p"]).reshape(who.shape) / 10 ** data["digits"]
    assert data["digits"] == 2  # as many digits as the draws support
    for j, i in [(0, 0), (50, 0), (25, 50), (9, 39)]:
        stated = {
            data["names"][k]: share for k, share in zip(who[j, i], p[j, i], strict=True) if k >= 0
        }
        here = best.isel(a=i, b=j)
        assert list(stated.values()) == sorted(stated.values(), reverse=True)
        for name, share in stated.items():
            assert share == pytest.approx(float(here.sel(entity=name)), abs=0.0051)
        assert set(stated) == {
            str(n) for n in here["entity"].values if float(here.sel(entity=n)) > 0
        }
    # Every point is drawn once, the first row on top.
    area = np.zeros((RESOLUTION, RESOLUTION), int)
    for x, y, width, *_ in found["cells"]:
        area[y, x : x + width] += 1
    assert (area == 1).all()
    unsure = sum(int(w) for w in re.findall(r"h(\d+)v", found["unsure"]))
    assert unsure == int((best.max("entity") < prob).sum())
    assert data["start"] == [50, 25]
    assert {row["place"]: row["at"] for row in found["rows"]}["F2"] == "50 40"


@pytest.mark.parametrize("first", [0, 12])
def test_the_map_is_the_right_way_up_and_regions_have_numbers(first):
    counts = crossed(first, 14)
    found = map_of(
        br.as_performance(br.fit(counts, seed=1, draws=250)), br.scores.f1, 0.95, 1000.0, None
    )
    colour = {(x + k, y): c for x, y, width, c, _ in found["cells"] for k in range(width)}
    legend = {name: c for c, _, name, _ in found["legend"]}
    last = RESOLUTION - 1
    # NPV is at the upper left, PPV at the lower right.
    assert (colour[0, 0], colour[last, last]) == (legend[f"m{first + 1}"], legend[f"m{first}"])
    numbers = {number: c for c, number, *_ in found["legend"]}
    assert len(found["numbers"]) >= 2
    for number, x, y in found["numbers"]:
        assert colour[round(x), last - round(y)] == numbers[number]


def test_the_map_is_shown_whether_or_not_preference_changes_the_winner():
    equal = br.from_counts(tn=[70] * 3, fp=[10] * 3, fn=[9] * 3, tp=[21] * 3)
    for counts in (crossed(), equal):
        assert shown(ranking_report(br.fit(counts, seed=1, draws=250), "tpr"))[:2] == [
            "tile",
            "ops",
        ]


def test_scores_of_one_order_are_distinguished_in_words(posterior):
    performance = br.as_performance(posterior)
    at = {
        "f1": "F1",
        "jaccard": "F1, which orders as Jaccard index",
        "tpr": "TPR (sensitivity, recall)",
        "npv": "NPV",
    }
    for score, name in at.items():
        rows = map_of(performance, br.scores.get(score), 0.95, 1000, None)["rows"]
        assert name in [row["place"] for row in rows]
    assert '"start":[25,25]' in map_of(performance, br.scores.mcc, 0.95, 1000, None)["data"]


# --- Methods and pairing ----------------------------------------------------------------------------------------------


def test_what_is_ranked_by_is_said_for_its_kind_of_evidence():
    assert definition("accuracy", br.scores.accuracy, 3, (0, 1)).startswith(
        "accuracy, the share of cases whose"
    )
    assert "TN" in definition("accuracy", br.scores.accuracy, 2, (0, 1))
    assert "TN" not in definition("cohen_kappa", br.scores.get("cohen_kappa"), 3, (-1, 1))
    answers = pd.DataFrame({"x": [1, 1, 0, 1] * 9, "y": [1, 0, 0, 1] * 9})
    text = text_of(
        ranking_report(
            br.fit(br.from_outcomes(answers), "paired", seed=1, draws=100), "mean_outcome"
        )
    )
    assert "mean outcome, the expected outcome of a case, between 0 and 1" in text
    assert "What pairing adds" in text


def test_methods_cite_what_was_used(posterior, ranking):
    text = text_of(ranking_report(posterior, "f1", ranking=ranking, sections=["tile", "ops"]))
    cited = text[text.index("Methods to paste") :]
    for words in (
        "prior one_case",
        "closed form",
        "95%",
        "consensus order",
        "the Tile",
        "OPS",
        "bayesrank 0",
    ):
        assert words in cited, words
    assert re.findall(r"(Piérard|Zhao|Hoffman|Mogstad)", cited) == ["Piérard", "Piérard", "Zhao"]
    drawn = br.credible_ranking(posterior, "optimized_precision", method="auto")
    text, cited = methods(ModelRecord(model="x", sampler="nuts"), drawn, "y", "4 entities", "")
    assert "(Markov chain Monte Carlo, NUTS)" in text
    assert [line.split(" ")[0] for line in cited] == ["Piérard,", "Hoffman", "Mogstad,", "Hung"]
    drawn = ranking_report(
        posterior, "f1", ranking=br.credible_ranking(posterior, "f1"), sections=[]
    )
    assert "without draws" not in text_of(drawn)


def test_pairing_is_shown_with_what_it_adds():
    rng = np.random.default_rng(1)
    hard = rng.random(300)
    frame = pd.DataFrame(
        {name: (hard < level).astype(int) for name, level in [("x", 0.8), ("y", 0.77), ("z", 0.5)]}
    )
    posterior = br.fit(br.from_outcomes(frame), "paired", seed=1)
    text = text_of(ranking_report(posterior, "mean_outcome", sections=["pairing"]))
    row = re.search(
        r"as if independent y ([\d.]+) \(([\d.]+) to [\d.]+\) ([<>\d.]+) ([<>\d.]+)", text
    )
    assert float(row[1]) == pytest.approx(frame["x"].mean() - frame["y"].mean(), abs=0.005)
    assert float(row[2]) > 0
    # x is right wherever y is: surely better, as only pairing tells.
    assert float(row[3].strip("<>")) > 0.99
    assert 0.7 < float(row[4]) < 0.95
    opposite = pd.DataFrame({"x": [1, 0] * 50, "y": [0, 1] * 50})
    text = text_of(
        ranking_report(br.fit(br.from_outcomes(opposite), "paired", seed=1), "mean_outcome")
    )
    # Perfect opposites: the difference is twice as uncertain as one of them, and independent ones sqrt(2) times.
    share = re.search(
        r"All entities met the same cases\. .* is ([\d.]+) times that of independent errors\.", text
    )
    assert float(share[1]) == pytest.approx(2**0.5, abs=0.04)
    gaps = opposite.astype(float).mask(np.arange(100)[:, None] >= [100, 60])
    text = text_of(
        ranking_report(
            br.fit(br.from_outcomes(gaps, missing="own"), "paired", seed=1), "mean_outcome"
        )
    )
    assert "Entities met cases together, though not all of them. " in text


# --- Results that are given -------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_sensitivity_is_shown_where_it_is_given(posterior):
    result = br.sensitivity(COUNTS, "f1", seed=1, draws=100)
    text = text_of(ranking_report(posterior, "f1", sections=[], results={"sensitivity": result}))
    assert "conclusions kept base b >0.99" in text
    for line in [*br.verdict(result), *br.notes(result)]:
        assert " ".join(line.split()) in text


def test_decisions_are_shown_where_they_are_given(posterior, ranking):
    worth = {"tn": 0, "fp": -1, "fn": -10, "tp": 0}
    utility = br.decisions.expected_utility(posterior, worth, prevalence=0.02, strategies=True)
    compared = br.decisions.noninferiority(posterior, "a")
    rng = np.random.default_rng(1)
    truth = rng.random(200) < 0.3
    curve = br.decisions.decision_curve(
        truth, {"m": np.where(truth, 0.6, 0.3) * rng.random(200)}, [0.1, 0.2], seed=1, draws=200
    )
    given = {"ranking": ranking, "sections": []}
    html = ranking_report(
        posterior, "f1", **given, results={"decisions": [utility, compared, curve]}
    )
    text = text_of(html)
    for line in [*br.verdict(utility), *br.notes(utility)]:
        assert " ".join(line.split()) in text
    assert (
        "Benefit of each outcome of a case: TN 0, FP -1, FN -10, TP 0, at a prevalence of 0.02."
        in text
    )
    first = utility["entity"].values[int(utility["mean"].argmax())]
    assert re.search(rf"P\(best\) regret {first} {float(utility['mean'].max()):.3f}", text)
    assert "always negative -0.2" in text
    assert "No worse than a?" in text
    for name, verdict in zip(compared["entity"].values, compared["verdict"].values, strict=True):
        assert f"{name} {verdict} " in text
    assert "net benefit (mean and 95% interval)" in text
    assert "No worse than a?" in ranking_report(
        posterior, "f1", **given, results={"decisions": compared}
    )


def test_changes_are_shown_of_the_first_entities(posterior, ranking):
    counts = br.from_counts(
        tn=[80, 170, 60] * 4, fp=[20, 30, 40] * 4, fn=[10, 9, 4] * 4, tp=[90, 71, 50] * 4,
        entity=np.repeat(["d", "c", "b", "a"], 3), dataset=["May", "June", "July"] * 4,
    )  # fmt: skip
    result = br.ops.drift(
        br.fit(counts, "dirichlet_multinomial", seed=1, draws=250), "f1", baseline="May"
    )
    given = {"ranking": ranking, "sections": []}
    text = text_of(ranking_report(posterior, "f1", **given, results={"drift": result}))
    assert "since May" in text
    assert "The first 3 of 4 entities." in text
    table = text[text.index("P(rates got worse)") :]
    order = br.ranking_table(ranking).index.tolist()
    rows = re.findall(r"([abcd]) (May|June|July) (0\.\d+) \((0\.\d+) to", table)
    assert [name for name, *_ in rows] == [name for name in order[:3] for _ in range(3)]
    for name, month, mean, low in rows:
        here = result.sel(entity=name, dataset=month)
        assert float(mean) == pytest.approx(
            float(here["score_mean"]), abs=0.00051
        )  # the first column
        assert float(low) == pytest.approx(float(here["score_lower"]), abs=0.00051)
    with pytest.raises(
        ValueError, match="drift must contain only entities of the posterior; got 'z'"
    ):
        ranking_report(
            posterior, "f1", **given, results={"drift": result.assign_coords(entity=list("zyxw"))}
        )


def test_cases_are_shown_of_the_entities_of_the_posterior():
    answers = pd.DataFrame(
        {"a": [1, 1, 0, 1, 0] * 9, "b": [1, 0, 0, 1, 1] * 9, "c": [1, 0, 0, 0, 0] * 9}
    )
    joint = br.from_outcomes(answers)
    posterior = br.fit(joint, "paired", seed=1, draws=100)
    html = ranking_report(
        posterior, "mean_outcome", sections=[], results={"cases": br.cases.deciding_cases(joint)}
    )
    assert shown(html) == ["cases"]
    assert "27 of 45 cases decide: on the others" in text_of(
        html
    )  # the second, the fourth and the fifth of each five
    other = br.cases.deciding_cases(br.from_outcomes(answers.rename(columns={"a": "z"})))
    with pytest.raises(
        ValueError,
        match="cases must have the entities of the posterior; got a, z in only one of the two",
    ):
        ranking_report(posterior, "mean_outcome", sections=[], results={"cases": other})


# --- Extremes ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "counts",
    [
        br.from_counts(tn=8, fp=2, fn=1, tp=9),
        br.from_counts(tn=[10, 0], fp=[0, 10], fn=[0, 10], tp=[10, 0], entity=["perfect", "wrong"]),
        br.from_counts(
            tn=[10, 8], fp=[0, 2], fn=[0, 0], tp=[0, 0], entity=["no positives", "none either"]
        ),
    ],
)
def test_any_table_has_a_report(counts):
    for score in ("f1", "diagnostic_odds_ratio"):
        text = text_of(
            ranking_report(br.fit(counts, seed=1, draws=50), score, sections=sections.names())
        )
        assert "Ranking by" in text
        assert "nan" not in text.replace("financ", "")


def test_where_no_entity_has_a_score_there_is_no_picture():
    counts = br.from_counts(tn=[10, 8], fp=[0, 2], fn=[0, 0], tp=[0, 0], entity=["x", "y"])
    html = ranking_report(br.fit(counts, "beta_binomial", seed=1, draws=50), "tpr")
    assert 'id="picture"' not in html
    assert "x – – – – – 10 10 0 0 0" in text_of(html)


@pytest.mark.slow
def test_fifteen_hundred_entities_are_less_than_three_megabytes():
    counts = br.pool(br.datasets.load("imagenet_models"))
    html = ranking_report(br.fit(counts, seed=1, draws=250, groups=["prior"]), "mean_outcome")
    assert len(html.encode()) < 3e6
    assert html.count("<tr><td>") == 1555
    assert "Show the first 40 of 1,555" in html
