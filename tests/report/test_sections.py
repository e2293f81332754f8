"""What the report shows beside the ranking: pictures in percent, the map's data, optional sections, and methods."""

import json
import re
from html import unescape

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayesrank as br
from bayesrank.report import ranking_report
from bayesrank.report.given import decisions_section, drift_section
from bayesrank.report.methods import definition, methods
from bayesrank.report.pictures import COLUMNS, MOST, inline_svg, interval_rows, paints, rank_rows, shown_first
from bayesrank.report.preferences import RESOLUTION, preferences_section
from bayesrank.report.ranking_report import _kept

COUNTS = br.from_counts(
    tn=[70, 79, 60, 66], fp=[10, 1, 20, 14], fn=[9, 1, 9, 9], tp=[21, 29, 21, 21], entity=["a", "b", "c", "d"]
)
CONFUSED = np.array([[[30, 2, 1], [3, 25, 2], [1, 1, 35]], [[20, 12, 1], [3, 15, 12], [1, 11, 25]]])
STUDIES = br.from_counts(
    tn=[45, 38, 90, 27, 60], fp=[5, 12, 10, 3, 40], fn=[4, 9, 2, 3, 1], tp=[16, 11, 28, 7, 19],
    entity=["A"] * 5, dataset=["Oslo", "Rome", "Lima", "Kyiv", "Bonn"],
)  # fmt: skip


def text_of(html):
    body = re.sub(r"<(style|script).*?</\1>", "", html, flags=re.S)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", body)).split())


def many(size, score="informedness"):
    right = np.linspace(40, 90, size).round().astype(int)
    return br.from_counts(tn=right, fp=100 - right, fn=100 - right, tp=right, entity=[f"n{i}" for i in range(size)])


@pytest.fixture(scope="module")
def posterior():
    return br.fit(COUNTS, seed=1, draws=250)


@pytest.fixture(scope="module")
def ranking(posterior):
    return br.credible_ranking(posterior, "f1", method="exact")


def test_intervals_keep_their_order_and_proportions():
    table = pd.DataFrame(
        {
            "median": [0.5, 0.25], "lower": [0.25, 0.0], "upper": [1.0, 0.5], "observed": [0.75, np.nan],
            "tier": [1, np.nan],
        },
        ["a", "b"],
    )  # fmt: skip
    axis, first, second = interval_rows(table, {"a": "red", "b": "blue"})
    assert [text for _, text in axis["ticks"]] == ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
    assert (first["low"], first["middle"], first["seen"], first["high"]) == (26.5, 50.0, 73.5, 97.0)
    assert (second["low"], second["middle"], second["high"], second["seen"]) == (3.0, 26.5, 50.0, None)
    assert (first["tier"], first["new"], second["tier"]) == ("1", True, "")
    alone = interval_rows(pd.DataFrame({"median": [1.0], "lower": [1.0], "upper": [1.0]}, ["a"]), {"a": "red"})[1]
    assert alone["middle"] == 50
    nobody = interval_rows(pd.DataFrame({"median": [np.nan], "lower": np.nan, "upper": np.inf}, ["a"]), {"a": "red"})[1]
    assert nobody["middle"] is nobody["high"] is None


@pytest.mark.parametrize("size", [2, 30, 200])
def test_rank_columns_hold_all_of_the_probability(size):
    ranking = br.credible_ranking(many(size), "informedness", method="exact")
    names, words = shown_first(ranking)
    assert len(names) == min(size, MOST)
    assert ("The first 40 of 200" in words) == (size > MOST)
    axis, *rows = rank_rows(ranking, names)
    first = ranking["rank_probability"].sel(entity=names[0]).values
    parts = rows[0]["parts"]
    assert all(x >= 0 and x + width <= 100.02 for x, width, _ in parts)
    if size <= COLUMNS:
        highest = float(ranking["rank_probability"].sel(entity=names).max())
        seen = [np.sqrt(p / highest) for p in first if p > 0.001]
        np.testing.assert_allclose([dark for *_, dark in parts], seen, atol=0.0051)
    assert 1 < len(axis["ticks"]) <= 9
    assert axis["ticks"][0][1].startswith("1")


def test_colours_are_those_of_other_pictures():
    from bayesrank.plots._colors import entity_colors

    assert paints(["a", "b"]) == entity_colors(["a", "b"])
    assert set(paints(list(range(13))).values()) == {"var(--bar)"}


def test_pictures_have_no_ground_and_the_page_s_greys():
    import matplotlib.pyplot as plt

    def draw(ax):
        ax.plot([0, 1], [0, 1], color="0.5")
        ax.set_title("ROC")

    here = str(inline_svg(draw, (2, 2)))
    with plt.style.context("dark_background"):
        assert str(inline_svg(draw, (2, 2))) == here
    assert "var(--g80)" in here
    assert not re.search(r"#([0-9a-f]{2})\1\1(?![0-9a-f])", here)
    assert "var(--gff)" not in here  # no white patch behind it


def test_the_map_holds_what_the_posterior_says(posterior):
    prob, size = 0.95, 1000.0
    found = preferences_section(br.as_performance(posterior), br.scores.f1, prob, size, None)
    data = json.loads(re.search(">(.*)</script>", found["data"], re.S)[1])
    best = br.tile.credible(posterior, RESOLUTION)["probability_best"].transpose("b", "a", "entity")
    who = np.array(data["who"]).reshape(RESOLUTION, RESOLUTION, -1)
    p = np.array(data["p"]).reshape(who.shape) / 10 ** data["digits"]
    assert data["digits"] == 2  # as many digits as the draws support
    for j, i in [(0, 0), (40, 0), (20, 40), (7, 31)]:
        told = {data["names"][k]: share for k, share in zip(who[j, i], p[j, i], strict=True) if k >= 0}
        here = best.isel(a=i, b=j)
        assert list(told.values()) == sorted(told.values(), reverse=True)
        for name, share in told.items():
            assert share == pytest.approx(float(here.sel(entity=name)), abs=0.0051)
        assert set(told) == {str(n) for n in here["entity"].values if float(here.sel(entity=n)) > 0}
    # Every point is drawn once, the first row on top.
    area = np.zeros((RESOLUTION, RESOLUTION), int)
    for x, y, width, *_ in found["cells"]:
        area[y, x : x + width] += 1
    assert (area == 1).all()
    unsure = sum(int(w) for w in re.findall(r"h(\d+)v", found["unsure"]))
    assert unsure == int((best.max("entity") < prob).sum())
    assert data["start"] == [40, 20]
    assert {row["place"]: row["at"] for row in found["rows"]}["F2"] == "40 32"


def test_the_map_is_drawn_the_right_way_up():
    counts = br.from_counts(tn=[95, 60], fp=[5, 40], fn=[40, 5], tp=[60, 95], entity=["careful", "eager"])
    posterior = br.fit(counts, seed=1, draws=250)
    found = preferences_section(br.as_performance(posterior), br.scores.f1, 0.95, 1000.0, None)
    color = {(x + k, y): c for x, y, width, c, _ in found["cells"] for k in range(width)}
    careful, eager = paints(["careful", "eager"]).values()
    last = RESOLUTION - 1
    assert (color[0, 0], color[last, last]) == (eager, careful)  # NPV is at the upper left, PPV at the lower right
    best = br.tile.credible(posterior, RESOLUTION)["probability_best"].max("entity")
    unsure = sum(int(w) for w in re.findall(r"h(\d+)v", found["unsure"]))
    assert unsure == int((best < 0.95).sum()) > int((best < 0.6).sum())


@pytest.mark.parametrize("first", [0, 12])
def test_regions_have_numbers_where_colours_come_again(first):
    """Those of the legend, in the middle of the region that has their colour."""
    # The careful one is best where negatives count, the eager one where positives do; the others nowhere.
    tn, tp = ([{first: best, 1: rest}.get(i, 30) for i in range(14)] for best, rest in ((95, 40), (40, 95)))
    counts = br.from_counts(
        tn=tn, fp=[100 - n for n in tn], fn=[100 - n for n in tp], tp=tp, entity=[f"m{i}" for i in range(14)]
    )
    performance = br.as_performance(br.fit(counts, seed=1, draws=250))
    found = preferences_section(performance, br.scores.f1, 0.95, 1000.0, None)
    legend = {number or name: color for color, number, name, _ in found["legend"]}
    color = {(x + k, y): c for x, y, width, c, _ in found["cells"] for k in range(width)}
    if first < 12:
        assert found["numbers"] == []
        assert {"m0", "m1"} <= set(legend)
        return
    assert [number for number, *_ in found["numbers"]] == list(range(1, len(found["numbers"]) + 1))
    assert len(found["numbers"]) >= 2
    for number, x, y in found["numbers"]:
        assert color[round(x), RESOLUTION - 1 - round(y)] == legend[number]


def test_long_tables_are_folded_after_the_first_tier():
    tiers = {3: 10, 15: 15, 50: 20}
    for first, kept in tiers.items():
        assert _kept(pd.Series([1.0] * first + [2.0] * (60 - first))) == kept
    assert _kept(pd.Series([1.0] * 25)) == 0


def test_scores_of_one_order_are_told_apart_in_words(posterior):
    performance = br.as_performance(posterior)
    at = {"f1": "F1", "jaccard": "F1, which orders as Jaccard index", "tpr": "TPR (sensitivity, recall)", "npv": "NPV"}
    for score, name in at.items():
        rows = preferences_section(performance, br.scores.get(score), 0.95, 1000, None)["rows"]
        assert name in [row["place"] for row in rows]
    mcc = preferences_section(performance, br.scores.mcc, 0.95, 1000, None)
    assert '"start":[20,20]' in mcc["data"]


def test_what_is_ranked_by_is_said_for_its_kind_of_evidence():
    assert definition("accuracy", br.scores.accuracy, 3, (0, 1)).startswith("accuracy, the share of cases whose")
    assert "TN" in definition("accuracy", br.scores.accuracy, 2, (0, 1))
    assert "TN" not in definition("cohen_kappa", br.scores.get("cohen_kappa"), 3, (-1, 1))
    html = ranking_report(
        br.fit(br.from_matrix(CONFUSED, "actual_rows", entity=["u", "v"]), seed=1, draws=50), "accuracy"
    )
    text = text_of(html)
    assert "share of cases whose predicted class, of 3, is the actual one" in text
    assert "(TN + TP)" not in text
    assert "Choose your preference" not in text
    answers = pd.DataFrame({"x": [1, 1, 0, 1] * 9, "y": [1, 0, 0, 1] * 9})
    text = text_of(ranking_report(br.fit(br.from_outcomes(answers), "paired", seed=1, draws=100), "mean_outcome"))
    assert "mean outcome, the expected outcome of a case, between 0 and 1" in text
    assert "What pairing adds" in text


def test_only_what_rests_on_no_draws_is_said_to(posterior):
    text = text_of(ranking_report(posterior, "f1"))
    assert (
        "Confidence sets, simultaneous intervals, OPS and what is said of other preferences rest on 1000 draws" in text
    )
    alone = text_of(ranking_report(posterior, "f1", sections=[]))
    assert "Confidence sets and simultaneous intervals rest on 1000 draws" in alone
    drawn = text_of(ranking_report(posterior, "f1", br.credible_ranking(posterior, "f1")))
    assert "without draws" not in drawn


def test_methods_cite_what_was_used(posterior):
    ranking = br.credible_ranking(posterior, "f1", method="exact")
    about = {"model": "dirichlet_multinomial", "prior": "four_cases"}
    text, cited = methods(about, ranking, "f1", "4 entities", "bayesrank 0", True, True)
    for words in ("prior four_cases", "closed form", "95%", "consensus order", "the Tile", "OPS", "bayesrank 0"):
        assert words in text, words
    assert [c.split(" (")[0].split(",")[0].split(".")[0] for c in cited] == ["Piérard", "Piérard", "Zhao"]
    drawn = br.credible_ranking(posterior, "optimized_precision", method="auto")
    text, cited = methods({"model": "x", "sampler": "nuts"}, drawn, "y", "4 entities", "", False, False)
    assert "(Markov chain Monte Carlo, NUTS)" in text
    assert any("No-U-Turn" in line for line in cited)
    assert any("Mogstad" in line for line in cited)
    assert not any("Tile" in line for line in cited)


def test_pairing_is_shown_with_what_it_adds():
    rng = np.random.default_rng(1)
    hard = rng.random(300)
    frame = pd.DataFrame({name: (hard < level).astype(int) for name, level in [("x", 0.8), ("y", 0.77), ("z", 0.5)]})
    posterior = br.fit(br.from_outcomes(frame), "paired", seed=1)
    text = text_of(ranking_report(posterior, "mean_outcome"))
    row = re.search(r"as if independent y ([\d.]+) \(([\d.]+) to [\d.]+\) ([<>\d.]+) ([<>\d.]+)", text)
    assert float(row[1]) == pytest.approx(frame["x"].mean() - frame["y"].mean(), abs=0.005)
    assert float(row[2]) > 0
    # x is right wherever y is: surely better, as only pairing tells.
    assert float(row[3].strip("<>")) > 0.99
    assert 0.7 < float(row[4]) < 0.95
    without = text_of(ranking_report(posterior, "mean_outcome", sections=["predictive"]))
    assert "What pairing adds" not in without


def test_what_pairing_adds_claims_no_more_than_its_numbers():
    """Who errs where others do not is told apart worse than on cases of its own; not all met all where answers lack."""
    opposite = pd.DataFrame({"x": [1, 0] * 50, "y": [0, 1] * 50})
    posterior = br.fit(br.from_outcomes(opposite), "paired", seed=1)
    text = text_of(ranking_report(posterior, "mean_outcome", sections=["paired"]))
    # Perfect opposites: the difference is twice as uncertain as one of them, and independent ones sqrt(2) times.
    share = re.search(
        r"All entities met the same cases\. .* is ([\d.]+) times what independent cases would leave:", text
    )
    assert float(share[1]) == pytest.approx(2**0.5, abs=0.04)
    gaps = opposite.astype(float).mask(np.arange(100)[:, None] >= [100, 60])
    posterior = br.fit(br.from_outcomes(gaps, missing="own"), "paired", seed=1)
    text = text_of(ranking_report(posterior, "mean_outcome", sections=["paired"]))
    assert "Entities met cases together, though not all of them. " in text
    assert "All entities met" not in text


def test_a_predictive_check_is_shown_of_several_data_sets():
    pooled = text_of(ranking_report(br.fit(br.pool(STUDIES), seed=1, draws=100), "f1"))
    assert "Predictive check What all entities" in pooled
    assert "Predictive check" not in text_of(ranking_report(br.fit(COUNTS, seed=1, draws=50), "f1"))


@pytest.mark.slow
def test_sensitivity_is_shown_where_it_is_given(posterior):
    result = br.sensitivity(COUNTS, "f1", seed=1, draws=100)
    text = text_of(ranking_report(posterior, "f1", sensitivity=result))
    assert f"conclusions kept base b {'>0.99'}" in text
    for line in [*br.verdict(result), *br.notes(result)]:
        assert " ".join(line.split()) in text
    with pytest.raises(ValueError, match=r"sensitivity must come from br.sensitivity"):
        ranking_report(posterior, "f1", sensitivity=br.credible_ranking(COUNTS, "f1", method="exact"))


def test_decisions_are_shown_where_they_are_given(posterior, ranking):
    worth = {"tn": 0, "fp": -1, "fn": -10, "tp": 0}
    utility = br.decisions.expected_utility(posterior, worth, prevalence=0.02, strategies=True)
    compared = br.decisions.noninferiority(posterior, "a")
    rng = np.random.default_rng(1)
    truth = rng.random(200) < 0.3
    curve = br.decisions.decision_curve(
        truth, {"m": np.where(truth, 0.6, 0.3) * rng.random(200)}, [0.1, 0.2], seed=1, draws=200
    )
    html = ranking_report(posterior, "f1", ranking, decisions=[utility, compared, curve], sections=[])
    text = text_of(html)
    for line in [*br.verdict(utility), *br.notes(utility)]:
        assert " ".join(line.split()) in text
    assert "Benefit of each outcome of a case: TN 0, FP -1, FN -10, TP 0, at a prevalence of 0.02." in text
    first = utility["entity"].values[int(utility["mean"].argmax())]
    assert re.search(rf"P\(best\) regret {first} {float(utility['mean'].max()):.3f}", text)
    assert "always negative -0.2" in text
    assert "No worse than a?" in text
    for name, verdict in zip(compared["entity"].values, compared["verdict"].values, strict=True):
        assert f"{name} {verdict} " in text
    assert "net benefit (mean and 95% interval)" in text
    assert '<a href="#decisions">' in html
    assert [part["title"] for part in decisions_section(compared)] == ["No worse than a?"]
    assert decisions_section(None) is None
    with pytest.raises(
        ValueError, match=r"decisions must come from br.decisions.expected_utility, .*; got a Dataset of"
    ):
        decisions_section(ranking)


def test_changes_are_shown_of_the_first_entities(posterior, ranking):
    counts = br.from_counts(
        tn=[80, 170, 60] * 4, fp=[20, 30, 40] * 4, fn=[10, 9, 4] * 4, tp=[90, 71, 50] * 4,
        entity=np.repeat(["d", "c", "b", "a"], 3), dataset=["May", "June", "July"] * 4,
    )  # fmt: skip
    result = br.ops.drift(br.fit(counts, seed=1, draws=250), "f1", baseline="May")
    text = text_of(ranking_report(posterior, "f1", ranking, drift=result, sections=[]))
    assert "in each of 3 periods, compared with May" in text
    assert "The first 3 of 4 entities." in text
    table = text[text.index("P(rates got worse)") :]
    order = br.ranking_table(ranking).index.tolist()
    shown = re.findall(r"([abcd]) (May|June|July) (0\.\d+) \((0\.\d+) to", table)
    assert [name for name, *_ in shown] == [name for name in order[:3] for _ in range(3)]
    for name, month, mean, low in shown:
        here = result.sel(entity=name, dataset=month)
        assert float(mean) == pytest.approx(float(here["ops_mean"]), abs=0.00051)
        assert float(low) == pytest.approx(float(here["ops_lower"]), abs=0.00051)
    assert re.search(rf"{order[0]} May [^–]*– – –", table)
    with pytest.raises(ValueError, match=r"drift must come from br.ops.drift of draws; got a Dataset of"):
        drift_section(ranking, order)
    with pytest.raises(ValueError, match="drift must be of entities of the posterior; got 'z'"):
        drift_section(result.assign_coords(entity=list("zyxw")), order)


def test_cases_are_shown_of_the_entities_of_the_posterior():
    answers = pd.DataFrame({"a": [1, 1, 0, 1, 0] * 9, "b": [1, 0, 0, 1, 1] * 9, "c": [1, 0, 0, 0, 0] * 9})
    joint = br.from_outcomes(answers)
    posterior = br.fit(joint, "paired", seed=1, draws=100)
    html = ranking_report(posterior, "mean_outcome", cases=br.cases.deciding_cases(joint), sections=[])
    text = text_of(html)
    assert "27 of 45 cases decide" in text  # the second, the fourth and the fifth of each five
    assert "27 of 45 cases decide; on the pale ones all are alike" in text
    other = br.cases.deciding_cases(br.from_outcomes(answers.rename(columns={"a": "z"})))
    with pytest.raises(ValueError, match="cases must be of the entities of the posterior; got a, z in one alone"):
        ranking_report(posterior, "mean_outcome", cases=other, sections=[])
    assert 'id="cases"' not in ranking_report(posterior, "mean_outcome", sections=[])


def test_ratios_are_drawn_on_a_logarithmic_axis_that_says_so(posterior):
    table = pd.DataFrame({"median": [10.0, 0.0], "lower": [1.0, 0.0], "upper": [100.0, np.inf]}, ["a", "b"])
    axis, first, second = interval_rows(table, {"a": "red", "b": "blue"}, ratio=True)
    assert (first["low"], first["middle"], first["high"]) == (3.0, 50.0, 97.0)
    assert second["low"] is second["middle"] is second["high"] is None  # 0 and infinity have no place
    assert [text for _, text in axis["ticks"]] == ["1", "2", "5", "10", "20", "50", "100"]
    assert axis["ticks"][3] == (50.0, "10")
    assert "The axis is logarithmic" in text_of(ranking_report(posterior, "diagnostic_odds_ratio", sections=[]))
    assert "logarithmic" not in text_of(ranking_report(posterior, "f1", sections=[]))


def test_a_population_is_left_out_where_it_is_not_asked_for():
    posterior = br.fit(COUNTS, "hierarchical_beta_binomial", seed=1, draws=100)
    assert "Entities as a population" in text_of(ranking_report(posterior, "tpr"))
    assert "Entities as a population" not in text_of(ranking_report(posterior, "tpr", sections=["tile"]))


def test_sections_are_checked(posterior):
    with pytest.raises(
        ValueError, match="sections must be among tile, ops, paired, hierarchical, predictive; got str 'roc'"
    ):
        ranking_report(posterior, "f1", sections=["roc"])
    with pytest.raises(TypeError, match="sections must be a list of names; got str 'tile'"):
        ranking_report(posterior, "f1", sections="tile")


@pytest.mark.slow
@pytest.mark.parametrize(
    "counts",
    [
        br.from_counts(tn=8, fp=2, fn=1, tp=9),
        br.from_counts(tn=[10, 0], fp=[0, 10], fn=[0, 10], tp=[10, 0], entity=["perfect", "wrong"]),
        br.from_counts(tn=[10, 8], fp=[0, 2], fn=[0, 0], tp=[0, 0], entity=["no positives", "none either"]),
    ],
)
def test_any_table_has_a_report(counts):
    for score in ("f1", "diagnostic_odds_ratio"):
        text = text_of(ranking_report(br.fit(counts, seed=1, draws=50), score))
        assert "Verdict" in text
        assert "nan" not in text.replace("financ", "")


def test_where_nobody_has_a_score_there_is_no_picture():
    counts = br.from_counts(tn=[10, 8], fp=[0, 2], fn=[0, 0], tp=[0, 0], entity=["x", "y"])
    html = ranking_report(br.fit(counts, "beta_binomial", seed=1, draws=50), "tpr")
    assert "<figure" not in html
    assert "x – – – – – 10 0 0 0" in text_of(html)


@pytest.mark.slow
def test_fifteen_hundred_entities_are_less_than_three_megabytes():
    counts = br.pool(br.datasets.load("imagenet_models"))
    html = ranking_report(br.fit(counts, seed=1, draws=250, groups=["prior"]), "mean_outcome")
    assert len(html.encode()) < 3e6
    assert html.count("<tr><td>") == 1555
    assert "The first 40 of 1,555 are shown; the table has all." in html


def test_ranks_that_share_a_column_are_as_dark_as_those_that_do_not():
    size = 100
    ranking = xr.Dataset(
        {"rank_probability": (("entity", "rank"), np.full((size, size), 1 / size))},
        coords={"entity": np.arange(size), "rank": np.arange(1, size + 1)},
    )
    axis, first, *_ = rank_rows(ranking, list(range(size)))
    assert {dark for *_, dark in first["parts"]} == {1.0}
    assert axis["ticks"][0][1] == "1–2"
    # The last column holds what is left over.
    odd = ranking.isel(rank=slice(0, 99))
    assert {dark for *_, dark in rank_rows(odd, [0])[1]["parts"]} == {1.0}
