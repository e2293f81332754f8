"""The claim of a ranking: rank sets, tiers, headline and caps agree in every output, and identical evidence ties."""

import html
import json
import re

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.colors import to_hex

import bayesrank as br
from bayesrank._core.notes import Note
from bayesrank.ranking._confidence import RankSets
from bayesrank.ranking.claims import cap, caps_of, headline_of, ranks_and_tiers, tiers_of
from bayesrank.ranking.intervals import position_of
from bayesrank.report import ranking_report
from bayesrank.words.results import verdict_parts
from bayesrank.words.standing import Standing
from tests.pages import run_command
from tests.scripts import load_script

NAMES = list("abcdefgh")


def relation(size, *pairs):
    above = np.zeros((size, size), bool)
    for i, j in pairs:
        above[i, j] = True
    return above


def test_ranks_and_tiers_by_hand():
    """a above c and d, b above d; e is surely not best, though no pair says which one is better."""
    above = relation(5, (0, 2), (0, 3), (1, 3))
    not_best = np.array([False, False, True, True, True])
    sets = RankSets(above, not_best, "confidence")
    found = ranks_and_tiers(sets, np.ones(5, bool))
    assert found["rank_lower"].tolist() == [1, 1, 2, 3, 2]
    assert found["rank_upper"].tolist() == [3, 4, 5, 5, 5]
    assert found["in_best_set"].tolist() == [True, True, False, False, False]
    assert found["tier"].tolist() == [1, 1, 2, 2, 2]
    chain = relation(3, (0, 1), (0, 2), (1, 2))
    assert tiers_of(np.array([True, False, False]), chain, np.ones(3, bool)).tolist() == [1, 2, 3]


def test_a_circle_of_sure_pairs_leaves_the_first_place_open():
    """Each draw is defined for three entities only, so that a beats b, b beats c, and c beats a."""
    rng, names = np.random.default_rng(0), "exabc"
    x = np.full((6000, 5), np.nan)
    for start, block in enumerate(("eab", "ebc", "eca", "xec", "bxc", "abx")):
        for value, name in zip((0.7, 0.5, 0.3), block, strict=True):
            x[start::6, names.index(name)] = value + rng.normal(0, 0.005, 1000)
    values = xr.DataArray(x[None], {"entity": list(names)}, ("chain", "draw", "entity"), "value")
    ranking = br.credible_ranking(values, higher_is_better=True)
    assert ranking["superiority"].sel(entity="x", rival="e") == 1
    assert not ranking["surely_above"].any()
    assert (ranking["tier"] == 1).all()
    assert (ranking["rank_upper"] == 5).all()
    assert not br.top_set(values, None, 1, higher_is_better=True)["surely_top"].any()
    # Entities that are not ranked count for nothing.
    sets = RankSets(relation(3, (1, 2)), np.array([False, False, True]), "confidence")
    found = ranks_and_tiers(sets, np.array([False, True, True]))
    np.testing.assert_array_equal(found["rank_lower"], [np.nan, 1, 2])


@pytest.mark.parametrize("order", ["consensus", "predictive"])
def test_the_leader_is_the_first_that_could_be_best(order):
    """A has the highest posterior mean precision by a prior of few cases, and is surely not the best."""
    counts = br.from_counts(
        tp=[0, 500, 480],
        fn=[10, 500, 520],
        fp=[1, 500, 800],
        tn=[10**6, 500, 200],
        entity=["A", "X", "Y"],
    )
    posterior = br.fit(counts, "beta_binomial", prior=1e-3, prevalence=0.5, seed=1)
    ranking = br.credible_ranking(posterior, "ppv", order=order)
    assert position_of(ranking).values.tolist() == (
        [3, 0, 2] if order == "consensus" else [1, 0, 3]
    )
    assert ranking["rank_lower"].values.tolist() == [2, 1, 2]
    assert ranking["tier"].values.tolist() == [2, 1, 2]
    assert br.verdict(ranking)[0] == "X is best: P(best) = 0.989."
    assert br.ranking_table(ranking).index.tolist() == (
        ["X", "Y", "A"] if order == "consensus" else ["X", "A", "Y"]
    )
    assert json.loads(br.board(ranking, top=1))["entities"][0]["entity"] == "X"


@pytest.mark.parametrize(
    ("best", "superiority", "chance", "codes", "rope", "headline", "caps"),
    [
        ([True, False], 0.99, 0.99, [], 0.0, "best", []),
        ([True, False], 0.99, 0.99, ["pooled_datasets"], 0.0, "best", ["pooled_datasets"]),
        ([True, False], 0.99, 0.99, ["chains_unreliable"], 0.0, "leads", ["chains_unreliable"]),
        ([True, False], 0.9, 0.97, [], 0.0, "best", []),
        ([True, False], 0.9, 0.97, [], 0.01, "leads", ["probability_below"]),
        ([True, True], 0.99, 0.99, [], 0.0, "leads", []),
        ([True, True], 0.2, 0.5, [], 0.1, "shared", []),
    ],
)
def test_headlines(best, superiority, chance, codes, rope, headline, caps):
    ranking = {
        "in_best_set": best,
        "consensus_position": np.array([1.0, 2.0]),
        "superiority": np.array([[0.0, superiority], [0.0, 0.0]]),
        "equivalence": np.array([[1.0, 0.96 if rope else 0.0], [0.96 if rope else 0.0, 1.0]]),
        "probability_best": np.array([chance, 1 - chance]),
    }
    found, limits = headline_of(ranking, ["a", "b"], [Note(code) for code in codes], 0.95, rope)
    assert (found, [limit.code for limit in limits]) == (headline, caps)


#: Kinds of evidence of random boards.
KINDS = ("tables", "cases", "seeds", "pooled", "means", "folds")


def boards():
    """Random boards: few and many cases, equal and different entities, several kinds of evidence."""
    return st.tuples(
        st.integers(0, 10**6),
        st.integers(2, 8),
        st.sampled_from([10, 60, 900]),
        st.sampled_from(KINDS),
    )


def posterior_of_board(seed, size, cases, kind):
    rng = np.random.default_rng(seed)
    rates = rng.choice([0.6, 0.62, 0.8, 0.95], size)
    names = NAMES[:size]
    if kind == "seeds":
        fits = rng.integers(2, 6)
        frame = pd.DataFrame((rng.random((20 * fits, size)) < rates).astype(int), columns=names)
        frame = frame.assign(case=np.tile(range(20), fits), seed=np.repeat(range(fits), 20))
        evidence = br.from_outcomes(frame, case="case", training_seed="seed")
        return br.fit(evidence, rng.choice(["retrained", "paired"]), seed=seed, draws=100), None
    if kind == "means":
        table = pd.DataFrame({"entity": names, "mean": rates, "se": rng.uniform(0.001, 0.1, size)})
        table = table.assign(n=cases) if rng.random() < 0.5 else table
        return br.fit(br.from_frame(table), seed=seed, draws=100), None
    if kind == "folds":
        scores = pd.DataFrame(rng.normal(rates, 0.05, (20, size)), columns=names).assign(
            run=np.arange(20) // 10
        )
        runs = scores if rng.random() < 0.5 else scores.head(10)
        return br.fit(
            br.from_folds(runs, train=90, test=10, repeat="run"), seed=seed, draws=100
        ), None
    if kind == "cases":
        frame = pd.DataFrame((rng.random((cases, size)) < rates).astype(int), columns=NAMES[:size])
        cluster = rng.integers(0, rng.choice([3, 30]), cases) if rng.random() < 0.5 else None
        return br.fit(br.from_outcomes(frame, cluster=cluster), seed=seed, draws=100), None
    right = rng.binomial(cases, rates, (2, size))
    counts = br.from_counts(
        tn=right[0], fp=cases - right[0], fn=cases - right[1], tp=right[1], entity=names
    )
    if kind == "pooled":
        counts = br.pool(xr.concat([counts, counts], "dataset").assign_coords(dataset=["x", "y"]))
    return br.fit(counts, seed=seed, draws=100), rng.choice(["accuracy", "f1", "precision"])


@settings(max_examples=5)
@given(boards())
def test_every_output_makes_the_same_claim(board):
    check_board(board)


@pytest.mark.slow
@settings(max_examples=300)
@given(boards())
def test_every_output_makes_the_same_claim_on_many_boards(board):
    check_board(board)


def check_board(board):
    source, score = posterior_of_board(*board)
    ranking = br.credible_ranking(source, score)
    check_outputs(source, score, ranking)
    if board[0] % 20 == 0:
        check_report(source, score, ranking)


@pytest.mark.slow
@pytest.mark.parametrize("name", br.datasets.names())
def test_every_output_of_the_command_makes_the_same_claim_on_shipped_data(name, tmp_path):
    """Table, CSV, JSON, board and report of each shipped data set have the same headline, ranks and tiers."""
    shared = f"{name} --draws 500" + " --score auc_roc" * name.startswith("roc_")
    board, found = (
        json.loads(run_command(f"bayesrank rank {shared} --format {form}"))
        for form in ("board", "json")
    )
    path = tmp_path / "report.html"
    run_command(f"bayesrank report {shared} --output {path}")
    page, printed = path.read_text(encoding="utf-8"), run_command(f"bayesrank rank {shared}")
    claim = [[one[key] for key in ("rank_lower", "rank_upper", "tier")] for one in found["ranking"]]
    assert [
        [one[key] for key in ("rank_lower", "rank_upper", "tier")] for one in board["entities"]
    ] == claim
    assert [one["in_best_set"] for one in board["entities"]] == [low == 1 for low, *_ in claim]
    assert claims_of_page(page) == [claim_text(*one) for one in claim]
    assert found["verdict"][0] == board["verdict"][0]
    assert found["verdict"][0] in printed
    assert found["verdict"][0] in text_of(page)


def claims_of_page(page):
    """Return possible ranks and tier of each row of a report."""
    return re.findall(
        r'<tr><td>.*?<td class="span" data-v="[^"]*">([^<]*)</td><td>([^<]*)</td>', page
    )


def claim_text(low, high, tier):
    """Return possible ranks and tier as tables print them."""
    missing = tier is None or np.isnan(tier)
    return ("–", "–") if missing else (f"{low:.0f} to {high:.0f}", f"{tier:.0f}")


def text_of(page):
    """Return the text of a page without tags and marks of direction."""
    return re.sub("[\u2068\u2069]", "", html.unescape(re.sub("<[^>]*>", "", page)))


def check_report(source, score, ranking):
    """The rows of the report are those of the table, and its first sentence is the verdict's."""
    page, table = ranking_report(source, score, ranking=ranking), br.ranking_table(ranking)
    claim = table[["rank_lower", "rank_upper", "tier"]].itertuples(index=False)
    assert claims_of_page(page) == [claim_text(*one) for one in claim]
    assert br.verdict(ranking)[0] in text_of(page)


def check_outputs(source, score, ranking):
    best = ranking["in_best_set"].values
    ranked = ranking["tier"].notnull().values
    assert (best == (ranking["rank_lower"].values == 1)).all()
    assert (best == (ranking["tier"].values == 1)).all()
    assert (ranking["rank_lower"] <= ranking["rank_upper"])[ranked].all()
    headline, sentence = ranking.attrs["headline"], br.verdict(ranking)[0]
    assert verdict_parts(ranking).kind == headline
    where = re.search(r" is best( on| over| for)?.*: P\(best\)", sentence)
    assert (where is not None) == (headline == "best")
    population = Standing(ranking, ranking["consensus_position"].values).population
    assert population in sentence or headline == "none"
    assert ("share the first place" in sentence) == (headline == "shared")
    if headline == "best":
        assert best.sum() == 1
    if ranking.attrs["sets"] == "none":
        assert headline in ("leads", "none", "shared")
        assert (ranking["rank_upper"] == ranked.sum())[ranked].all()
    table = br.ranking_table(ranking)
    assert table["tier"].is_monotonic_increasing
    text = json.loads(br.board(ranking))
    assert (text["headline"], text["sets"], text["caps"]) == tuple(
        ranking.attrs[n] for n in ("headline", "sets", "caps")
    )
    assert (text["population"] or "") == population
    assert [one["entity"] for one in text["entities"]] == table.index.tolist()
    members = {str(name) for name in ranking["entity"].values[best]}
    assert {str(one["entity"]) for one in text["entities"] if one["in_best_set"]} == members
    standing = Standing(ranking, ranking["consensus_position"].values)
    assert set(standing.named(standing.could_be_best)) == members
    if score == "accuracy":
        check_decision(source, ranking)
    top = br.top_set(source, score, 1)
    assert set(top["entity"].values[top["in_confidence_set"].values]) >= members - {standing.leader}


def test_equal_tables_have_equal_numbers():
    counts = br.from_counts(
        tn=[70, 79, 70, 70],
        fp=[10, 1, 10, 10],
        fn=[9, 1, 9, 9],
        tp=[21, 29, 21, 21],
        entity=list("abcd"),
    )
    for method in ("draws", "auto", "exact"):
        ranking = br.credible_ranking(br.fit(counts, seed=1), "f1", method=method)
        equal = ranking.sel(entity=["a", "c", "d"])
        for name, values in equal.data_vars.items():
            if values.dims in (("entity",), ("entity", "rank")) and name != "consensus_position":
                np.testing.assert_array_equal(values, [values.values[0]] * 3, f"{method} {name}")
        pairs = ranking["superiority"].sel(rival="b", entity=["a", "c", "d"])
        assert (pairs == pairs[0]).all()
    best = br.credible_ranking(br.fit(counts.isel(entity=[0, 2, 3]), seed=1), "f1")
    assert best.attrs["headline"] == "shared"
    assert br.verdict(best)[0] == "a, c and d share the first place (equal evidence)."


@pytest.mark.parametrize("strategies", [False, True])
def test_equal_tables_share_a_decision(strategies):
    """The utility of equal tables has equal numbers, as their accuracy has, beside rivals that were not measured."""
    counts = br.from_counts(
        tn=[70, 70, 60], fp=[10, 10, 20], fn=[5, 5, 15], tp=[25, 25, 15], entity=list("abc")
    )
    found = br.decisions.expected_utility(
        br.fit(counts, seed=1),
        {"tn": 1, "fp": 0, "fn": 0, "tp": 1},
        prevalence=0.3,
        strategies=strategies,
    )
    assert found.attrs["headline"] == "shared"
    assert found["choice"] == "a"
    for name in ("mean", "median", "lower", "probability_best", "tier", "expected_regret"):
        assert found[name].sel(entity="a") == found[name].sel(entity="b"), name
    assert found["mean"].sel(entity="c") < found["mean"].sel(entity="a")


def test_a_cap_leaves_equal_entities_equal():
    counts = br.from_counts(tn=[70, 70], fp=[10, 10], fn=[5, 5], tp=[25, 25], entity=list("ab"))
    ranking = br.credible_ranking(br.fit(counts, seed=1), "accuracy")
    assert cap(ranking, [Note("prevalences_differ", {})]).attrs["headline"] == "shared"


def test_nearly_equal_entities_share_nothing():
    counts = br.from_counts(tn=[40, 44], fp=[60, 56], fn=[60, 56], tp=[40, 44], entity=["a", "b"])
    ranking = br.credible_ranking(br.fit(counts, seed=1), "accuracy", method="auto")
    assert ranking.attrs["headline"] == "leads"


def test_paired_entities_are_equal_if_their_columns_may_be_swapped():
    """b and c are right equally often: swapped they leave the first patterns as they are, but not the second."""
    base = np.repeat([[1, 1, 0], [1, 0, 1], [0, 1, 1]], 20, axis=0)
    other = np.vstack([base, [[1, 1, 0]] * 5, [[0, 0, 1]] * 5])
    for answers, expected in ((base, [1, 1, 1]), (other, None)):
        frame = pd.DataFrame(answers, columns=list("abc"))
        ranking = br.credible_ranking(br.fit(br.from_outcomes(frame), seed=1))
        if expected:
            assert ranking["consensus_rank"].values.tolist() == expected
            assert ranking["median"].values.tolist() == [ranking["median"].values[0]] * 3
        else:
            assert ranking["median"].values[1] != ranking["median"].values[2]


def test_an_undefined_observed_score_comes_last():
    """Precision of a test that never says yes is undefined: its prior mean alone would lead."""
    counts = br.from_counts(
        tn=[40, 40, 50], fp=[30, 25, 0], fn=[10, 8, 20], tp=[10, 12, 0], entity=list("abn")
    )
    ranking = br.credible_ranking(br.fit(counts, seed=1), "precision")
    assert ranking["consensus_rank"].sel(entity="n") == 3
    assert ranking.attrs["headline"] == "leads"
    assert bool(ranking["in_best_set"].sel(entity="n"))


def test_pooled_data_sets_are_best_only_on_themselves():
    frame = pd.DataFrame(
        {
            "entity": list("abab"),
            "dataset": list("xxyy"),
            "correct": [900, 500, 850, 450],
            "wrong": [100, 500, 150, 550],
        }
    )
    pooled = br.fit(br.pool(br.from_frame(frame, dataset="dataset")), seed=1)
    ranking = br.credible_ranking(pooled)
    assert ranking.attrs["headline"] == "best"
    assert ranking.attrs["caps"] == ["pooled_datasets"]
    assert br.verdict(ranking)[0].startswith("a is best on these 2 data sets: ")


def test_entities_on_different_data_sets_are_not_compared():
    frame = pd.DataFrame(
        {
            "entity": list("aabb"),
            "dataset": list("xyzw"),
            "correct": [900, 880, 450, 500],
            "wrong": [100, 120, 550, 500],
        }
    )
    for evidence, model in (
        (br.from_frame(frame, dataset="dataset"), "hierarchical_beta_binomial"),
    ):
        ranking = br.credible_ranking(br.fit(evidence, model, seed=1, draws=200), kind="typical")
        assert "pairs_unconnected" in ranking.attrs["caps"]
        assert ranking.attrs["headline"] == "leads"


def test_test_sets_of_different_prevalence_cap_the_headline():
    """C10: equal TPR and TNR at two prevalences; the order by F1 comes from the test sets."""
    counts = br.from_counts(
        tn=[9000, 5000], fp=[450, 250], fn=[100, 500], tp=[900, 4500], entity=["low", "high"]
    )
    ranking = br.credible_ranking(br.fit(counts, seed=1), "f1")
    assert (ranking.attrs["headline"], ranking.attrs["caps"]) == ("leads", ["prevalences_differ"])
    assert "differ in prevalence" in br.verdict(ranking)[0]


def test_decisions_keep_what_limits_the_evidence():
    rng = np.random.default_rng(2)
    y = pd.Series(rng.integers(0, 2, 60))
    predictions = {
        "a": y.where(rng.random(60) < 0.97, 1 - y),
        "b": y.where(rng.random(60) < 0.55, 1 - y),
    }
    joint = br.joint_outcomes(y, pd.DataFrame(predictions), cluster=np.arange(60) // 20, positive=1)
    decision = br.decisions.expected_utility(br.fit(joint, seed=1), [[0, -1], [-1, 0]])
    assert "clusters_too_few" in decision.attrs["caps"]
    assert decision.attrs["headline"] == "leads"
    assert "is best" not in br.verdict(decision)[0]


def test_capping_a_ranking_by_hand():
    counts = br.from_counts(
        tn=[95, 70, 40], fp=[5, 30, 60], fn=[5, 30, 60], tp=[95, 70, 40], entity=list("abc")
    )
    ranking = br.credible_ranking(br.fit(counts, seed=1), "accuracy")
    assert ranking.attrs["headline"] == "best"
    capped = cap(ranking, [Note("not_measured", {"what": "the worst of several categories"})])
    assert (capped.attrs["headline"], capped.attrs["sets"]) == ("leads", "none")
    assert capped["rank_lower"].values.tolist() == [1, 1, 1]
    assert capped["tier"].values.tolist() == [1, 1, 1]
    assert [note.code for note in caps_of(capped)] == capped.attrs["caps"] == ["not_measured"]
    assert ranking.attrs["headline"] == "best"  # the original stays


def test_several_rankings_have_a_headline_each():
    right = np.array([95, 70, 80, 79])
    cells = {"tn": right, "fp": 100 - right, "fn": 100 - right, "tp": right}
    counts = br.from_counts(**cells, entity=["a", "b", "a", "b"], dataset=["x", "x", "y", "y"])
    both = br.credible_ranking(br.fit(counts, "dirichlet_multinomial", seed=1), "accuracy")
    assert both["headline"].values.tolist() == ["best", "leads"]
    assert "headline" not in both.attrs
    assert br.verdict(both.isel(dataset=0))[0].startswith("a is best")


def check_decision(source, ranking):
    """The expected utility that is the accuracy has the claim of the ranking by accuracy."""
    decision = br.decisions.expected_utility(source, {"tn": 1, "fp": 0, "fn": 0, "tp": 1})
    for name in ("rank_lower", "rank_upper", "in_best_set"):
        same = ranking[name].sel(entity=decision["entity"]).values
        assert (decision[name].values == same).all()
    assert decision.attrs["headline"] == ranking.attrs["headline"]
    assert decision.attrs["sets"] == ranking.attrs["sets"]
    assert decision.attrs["population"] == ranking.attrs.get("population", "")
    assert verdict_parts(decision).kind == decision.attrs["headline"]


def test_thin_evidence_limits_decisions_as_it_limits_rankings():
    """Six cases a class; before, the decision named a best entity that the ranking did not."""
    counts = br.from_counts(tn=[6, 4], fp=[0, 2], fn=[0, 2], tp=[6, 4], entity=["a", "b"])
    source = br.fit(counts, seed=30)
    ranking = br.credible_ranking(source, "accuracy")
    assert ranking.attrs["headline"] == "leads"
    check_decision(source, ranking)
    strategies = br.decisions.expected_utility(source, [[1, 0], [0, 1]], strategies=True)
    assert strategies["in_best_set"].sel(entity=["a", "b"]).all()


def test_the_picture_of_the_readme_is_drawn_from_the_claim():
    picture = load_script("scripts/make_readme_picture.py")
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        (rng.random((300, 5)) < [0.9, 0.88, 0.6, 0.5, 0.4]).astype(int), columns=NAMES[:5]
    )
    table = br.ranking_table(br.credible_ranking(br.fit(br.from_outcomes(frame), seed=1)))
    table["printed_rank"] = range(1, 6)
    figure = picture.draw(table, "Five systems")
    bars = figure.axes[0].patches
    assert [to_hex(bar.get_facecolor()).upper() == picture.BLUE for bar in bars] == (
        table["rank_lower"] == 1
    ).tolist()
    assert [round(bar.get_x() + 0.35) for bar in bars] == table["rank_lower"].tolist()
    assert [round(bar.get_x() + bar.get_width() - 0.35) for bar in bars] == table[
        "rank_upper"
    ].tolist()


def test_a_better_observed_ratio_never_rules_an_entity_out():
    """A strong prior has B far below A. B's observed ratio is better, and without false positives it is infinite."""
    for false_positives in (1, 0):
        counts = br.from_counts(
            tp=[80, 10],
            fn=[20, 2],
            fp=[10, false_positives],
            tn=[90, 15 - false_positives],
            entity=["A", "B"],
        )
        posterior = br.fit(
            counts, "beta_binomial", prior={"A": 1.0, "B": [[300, 300], [1, 1]]}, seed=1
        )
        ranking = br.credible_ranking(posterior, "positive_likelihood_ratio")
        assert ranking["in_best_set"].sel(entity="B"), false_positives
