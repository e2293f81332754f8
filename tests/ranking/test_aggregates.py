"""Rankings over groups and tasks: published answers, closed forms, identities, and what is refused."""

import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats
from scipy.special import betaln

import bayesrank as br
from bayesrank._notes import notes_of
from bayesrank._records import RankingRecord
from bayesrank._source import groups_of
from bayesrank.models.parts.population import learn
from tests.commands import invoke, refused

RNG = np.random.default_rng(7)
FACES = br.datasets.load("face_classifiers")
DRAWN = br.fit(FACES, seed=1, draws=5000)
#: Scores (draw, entity, task) and the categories of the tasks.
TASKS = xr.DataArray(
    RNG.random((200, 4, 5)).round(1), {"entity": list("abcd"), "dataset": list("vwxyz")}, ("draw", "entity", "dataset"),
    name="accuracy",
)  # fmt: skip
CATEGORY = {"v": "math", "w": "math", "x": "code", "y": "code", "z": "code"}


def codes(ranking):
    return {note.code: note.fields for note in notes_of(ranking["notes"])}


# --- Published answers ------------------------------------------------------------------------------------------------


def test_the_worst_group_reverses_a_clear_order_of_the_reconstructed_face_classifiers():
    # P(Face++ beats IBM), reproduced from the published rates by another route: 0.996 overall, 0.535 by worst group.
    overall, worst = (
        br.probability(DRAWN, "Face++ > IBM", over="group", aggregate=how, weights=weights)
        for how, weights in (("mean", "cases"), ("worst", None))
    )
    assert float(overall["probability"]) == pytest.approx(0.996, abs=0.001 + 3 * float(overall["probability_error"]))
    assert float(worst["probability"]) == pytest.approx(0.535, abs=0.001 + 3 * float(worst["probability_error"]))
    ranking = br.credible_ranking(DRAWN, over="group", aggregate="worst")
    assert ranking["worst"].values.tolist() == ["DF"] * 3
    assert ranking["worst_probability"].min() > 0.999
    assert ranking["observed"].sel(entity="IBM").item() == pytest.approx(1 - 94 / 271)
    assert br.verdict(ranking)[0] == "MSFT is best for these 4 groups: P(best) > 0.999."


def test_the_gap_of_compas_is_the_published_one():
    counts = br.datasets.load("compas").sel(group=["African-American", "Caucasian"])
    posterior = br.fit(counts, "dirichlet_multinomial", seed=1, draws=5000)
    for score, gap, low, high in (("fpr", 0.214, 0.182, 0.245), ("fnr", 0.197, 0.160, 0.235)):
        ranking = br.credible_ranking(posterior, score, over="group", aggregate="gap")
        for name, value in (("observed", gap), ("median", gap), ("lower", low), ("upper", high)):
            assert ranking[name].item() == pytest.approx(value, abs=0.0015)
        assert ranking.attrs["higher_is_better"] == 0
    default = br.credible_ranking(br.fit(counts, seed=1), "fpr", over="group", aggregate="gap")
    assert default["median"].item() == pytest.approx(0.212, abs=0.003)  # exchangeable groups are a little nearer
    by_group = br.credible_ranking(posterior, "fpr")["observed"].sel(entity="COMPAS")
    assert by_group.values.round(4).tolist() == [0.4485, 0.2345]


# --- Closed forms and identities --------------------------------------------------------------------------------------


def test_the_worst_of_independent_groups_has_its_closed_form():
    counts = br.from_counts(tn=[0, 0], fp=[0, 0], fn=[30, 60], tp=[270, 240], entity=["a", "a"], group=["x", "y"])
    ranking = br.credible_ranking(
        br.fit(counts, "dirichlet_multinomial", seed=1, draws=10_000, prior=1.0), "tpr", over="group", aggregate="worst"
    )
    grid = np.linspace(0.6, 1, 4001)
    below = 1 - stats.beta.sf(grid, 271, 31) * stats.beta.sf(grid, 241, 61)
    for name, level in (("lower", 0.025), ("median", 0.5), ("upper", 0.975)):
        assert ranking[name].item() == pytest.approx(np.interp(level, below, grid), abs=0.0015)


@pytest.mark.parametrize("better", [True, False])
def test_win_rate_and_borda_points_count_rivals(better):
    plain = TASKS.values if better else -TASKS.values
    beats = (plain[:, :, None] > plain[:, None]) + 0.5 * (plain[:, :, None] == plain[:, None])
    points = beats.sum(axis=2) - 0.5  # no entity is its own rival
    weights = {"v": 3, "w": 1, "x": 0, "y": 1, "z": 1}
    share = np.array([3, 1, 0, 1, 1]) / 6
    for how, expected in (("borda", points @ share), ("win_rate", points @ share / 3)):
        values = br.aggregate_score(
            TASKS, "accuracy", over="dataset", aggregate=how, weights=weights, higher_is_better=better
        )
        np.testing.assert_allclose(values.values, expected, atol=1e-12)


def test_mean_worst_and_gap_are_those_of_numpy_and_follow_the_direction():
    for how, better, expected in (
        ("mean", True, TASKS.values.mean(-1)),
        ("worst", True, TASKS.values.min(-1)),
        ("worst", False, TASKS.values.max(-1)),
        ("gap", True, np.ptp(TASKS.values, axis=-1)),
    ):
        values = br.aggregate_score(TASKS, "accuracy", over="dataset", aggregate=how, higher_is_better=better)
        np.testing.assert_allclose(values.values, expected, atol=1e-12)


def test_nested_weights_reproduce_the_aggregate_of_a_board():
    # Mean within each category, then over categories.
    printed = pd.DataFrame(
        {"algebra": [40.0, 55.0, 62.4], "geometry": [50.0, 60.0, 70.0], "python": [60.0, 65.2, 74.5]},
        index=["small", "middle", "large"],
    )
    values = xr.DataArray(
        printed.to_numpy(), {"entity": printed.index, "dataset": printed.columns}, ("entity", "dataset")
    )
    nested = {"math": {"algebra": 1, "geometry": 1}, "code": ["python"]}
    found = br.aggregate_score(values, over="dataset", weights=nested)
    assert [f"{value:.2f}" for value in found.values] == ["52.50", "61.35", "70.35"]
    flat = br.aggregate_score(values, over="dataset", weights={"algebra": 0.25, "geometry": 0.25, "python": 0.5})
    of_category = br.aggregate_score(
        values, over="dataset", weights={"algebra": "math", "geometry": "math", "python": "code"}
    )
    held = values.assign_coords(category=("dataset", ["math", "math", "code"]))
    for other in (
        flat,
        of_category,
        br.aggregate_score(held, over="dataset", weights="category"),
        br.aggregate_score(held, over="category"),
    ):
        np.testing.assert_allclose(other.values, found.values, rtol=1e-12)
    worst = br.aggregate_score(held, over="category", aggregate="worst")
    assert worst.values.tolist() == pytest.approx([45.0, 57.5, 66.2])
    twice = br.aggregate_score(held, over="category", weights={"math": 3, "code": 1})
    assert twice.sel(entity="small").item() == pytest.approx(0.75 * 45 + 0.25 * 60)


def test_an_absent_entity_that_reverses_a_pair_is_named():
    # On x: a, c, b. On y and z: b, a, c. With weights 1, 0.8, 0.8, a has 3.6 points and b 3.2; without c 1 and 1.6.
    right = [90, 60, 60, 30, 80, 80, 60, 30, 30]
    counts = br.from_counts(
        tn=[0] * 9, fp=[0] * 9, fn=[100 - n for n in right], tp=right, entity=list("aaabbbccc"), dataset=list("xyz") * 3
    )
    posterior = br.fit(counts, "dirichlet_multinomial", seed=1)
    weights = {"x": 1, "y": 0.8, "z": 0.8}
    for how in ("win_rate", "borda"):
        ranking = br.credible_ranking(posterior, "tpr", over="dataset", aggregate=how, weights=weights)
        assert codes(ranking)["pair_reversed_by_absence"] == {"one": "a", "other": "b", "absent": "c"}
    assert ranking["observed"].values * 2.6 == pytest.approx([3.6, 3.2, 1.0])
    without = posterior["posterior"].sel(entity=["a", "b"])
    alone = br.credible_ranking(without, "tpr", over="dataset", aggregate="borda", weights=weights)
    assert alone["median"].sel(entity="b") > alone["median"].sel(entity="a")
    # Means never depend on others, and with equal weights no absence reverses this pair.
    assert "pair_reversed_by_absence" not in codes(br.credible_ranking(posterior, "tpr", over="dataset"))


def test_statements_on_values_are_shares_of_draws():
    gap = br.aggregate_score(DRAWN, over="group", aggregate="gap")
    for name in ("IBM", "Face++"):
        expected = float((gap.sel(entity=name) < 0.32).mean())
        for text in (f"{name} < 0.32", f"not {name} >= 0.32"):
            found = br.probability(DRAWN, text, over="group", aggregate="gap")
            assert float(found["probability"]) == pytest.approx(expected)
            assert 0 < float(found["probability_error"]) < 0.01
    both = br.probability(DRAWN, "IBM < 0.32 and Face++ < 0.32", over="group", aggregate="gap")
    assert float(both["probability"]) == pytest.approx(
        float(((gap.sel(entity="IBM") < 0.32) & (gap.sel(entity="Face++") < 0.32)).mean())
    )


def test_exchangeable_groups_do_not_exaggerate_the_gap_of_equal_ones():
    counts = br.from_counts(
        tn=[0] * 3, fp=[0] * 3, fn=[25, 20, 30], tp=[75, 80, 70], entity=["a"] * 3, group=["x", "y", "z"]
    )
    chosen, independent = br.fit(counts, seed=1), br.fit(counts, "dirichlet_multinomial", seed=1)
    assert groups_of(chosen)["posterior"].attrs["model"] == "hierarchical_beta_binomial"
    small, large = (
        float(br.probability(one, "a < 0.1", "tpr", over="group", aggregate="gap")["probability"])
        for one in (chosen, independent)
    )
    assert small > large + 0.3
    ranked = [codes(br.credible_ranking(one, "tpr", over="group", aggregate="gap")) for one in (chosen, independent)]
    assert ["groups_independent" in one for one in ranked] == [False, True]


def test_rates_of_groups_are_averaged_over_equal_and_exchangeable_ones():
    right, cases, prior = np.array([80, 74, 83]), np.full(3, 100), np.array([0.5, 0.5])
    counts = br.from_counts(
        tn=[0] * 3, fp=[0] * 3, fn=cases - right, tp=right, entity=["a"] * 3, group=["x", "y", "z"]
    )  # fmt: skip
    posterior = groups_of(br.fit(counts, "hierarchical_beta_binomial", seed=1, draws=4000))["posterior"]
    rates = posterior["performance"].sel(entity="a", actual="positive").stack(all=["chain", "draw"])
    rates = (rates.sel(predicted="positive") / rates.sum("predicted")).transpose("group", "all").values
    total = [prior[0] + right.sum(), prior[1] + (cases - right).sum()]
    odds = np.exp(betaln(*total) - betaln(*prior) - learn(right, cases, prior).log_evidence) / 3
    equal = np.ptp(rates, axis=0) < 1e-9
    assert equal.mean() == pytest.approx(odds / (1 + odds), abs=4 * np.sqrt(0.25 / equal.size))
    expected = stats.beta(*total)
    assert rates[0, equal].mean() == pytest.approx(expected.mean(), abs=5 * expected.std() / np.sqrt(equal.sum()))
    # Only groups of cases may be equal: data sets are not.
    apart = br.fit(counts.rename(group="dataset"), "hierarchical_beta_binomial", seed=1, draws=50)
    assert (np.ptp(br.scores.get("tpr")(apart, kind="observed").values, axis=-1) > 1e-9).all()


# --- Evidence ---------------------------------------------------------------------------------------------------------


def test_every_constructor_takes_groups():
    group = pd.Series(["old", "young"] * 30)
    y, a = RNG.integers(0, 2, 60), RNG.integers(0, 2, 60)
    counts = br.from_predictions(y, {"a": a}, group=group)
    joint = br.joint_outcomes(y, {"a": a}, group=group)
    right = pd.DataFrame({"a": (y == a).astype(int), "age": group})
    outcomes = br.from_outcomes(right, group="age")
    framed = br.from_frame(right, group="age")
    assert counts.dims == ("entity", "group", "actual", "predicted")
    for evidence in (joint, outcomes, framed):
        assert set(evidence["group"].values.tolist()) == {"old", "young"}
        assert "dataset" not in evidence.coords
    means = [
        br.credible_ranking(br.fit(one, model, seed=1), score, over="group")["observed"].item()
        for one, score, model in (
            (counts, "accuracy", None), (joint, "accuracy", None), (joint, "accuracy", "paired"),
            (outcomes, None, None), (framed, None, "paired"),
        )
    ]  # fmt: skip
    np.testing.assert_allclose(means, means[0])
    assert br.pool(counts).sum().item() == 60
    with pytest.raises(br.ArgumentError, match="group must be left out beside dataset="):
        br.from_predictions(y, {"a": a}, group=group, dataset="x")


def test_empty_groups_appear_undefined_and_named():
    group = pd.Categorical(["x", "y", "z"] * 2, categories=["x", "y", "z", "never"])
    counts = br.from_counts(
        tn=[0] * 6, fp=[0] * 6, fn=[9, 8, 0, 5, 6, 7], tp=[31, 42, 0, 45, 34, 33], entity=list("aaabbb"), group=group
    )
    assert counts["group"].values.tolist() == ["x", "y", "z", "never"]
    posterior = br.fit(counts, seed=1)
    each = br.credible_ranking(posterior, "tpr", kind="observed")
    assert np.isnan(each["median"].sel(group="never")).all()
    assert np.isnan(each["median"].sel(entity="a", group="z"))
    ranking = br.credible_ranking(posterior, "tpr", over="group", aggregate="worst")
    assert np.isnan(ranking["median"].sel(entity="a"))
    said = codes(ranking)
    assert said["groups_without_cases"]["groups"] == ["never"]
    assert said["entities_lack_groups"] == {"entities": ["a"], "lacking": ["z"], "unit": "group"}
    without = br.credible_ranking(
        posterior, "tpr", over="group", aggregate="worst", weights={"x": 1, "y": 1, "z": 0, "never": 0}
    )
    assert without["median"].notnull().all()


def test_order_of_groups_and_entities_has_no_effect():
    turned = FACES.isel(entity=[2, 0, 1], group=[3, 1, 0, 2])
    for how in ("mean", "worst", "gap", "borda", "win_rate"):
        first = br.credible_ranking(br.fit(FACES, seed=1), over="group", aggregate=how)
        other = br.credible_ranking(br.fit(turned, seed=1), over="group", aggregate=how).sel(entity=first["entity"])
        for name in ("median", "probability_best", "rank_lower", "rank_upper"):
            np.testing.assert_allclose(first[name].values, other[name].values, rtol=1e-9)


def test_entities_with_equal_evidence_have_equal_numbers():
    counts = br.from_counts(
        tn=[50] * 6, fp=[0, 2] * 3, fn=[0] * 4 + [9] * 2, tp=[50] * 6, entity=list("aabbcc"), group=list("xy") * 3
    )
    posterior = br.fit(counts, "dirichlet_multinomial", seed=1, draws=500)
    for how in ("worst", "gap", "win_rate"):
        ranking = br.credible_ranking(posterior, "accuracy", over="group", aggregate=how)
        for name in ("median", "probability_best", "rank_lower", "consensus_rank"):
            assert ranking[name].sel(entity="a") == ranking[name].sel(entity="b"), (how, name)


def test_groups_like_these_are_those_of_the_population():
    posterior = br.fit(FACES, "hierarchical_beta_binomial", seed=1)
    typical = br.credible_ranking(posterior, over="group", kind="typical")
    assert typical["median"].equals(br.credible_ranking(posterior, kind="typical")["median"])
    these = br.credible_ranking(posterior, over="group")
    assert these.attrs["stratum"] == "group"
    assert (typical["upper"] - typical["lower"] > these["upper"] - these["lower"]).all()


def test_the_tile_of_a_mean_is_that_of_the_mean_performance():
    counts = br.datasets.load("compas")
    posterior = br.fit(counts, seed=1, draws=200)
    tile = br.tile.credible(posterior, 5, over="group")
    mean = br.tile.credible(br.performance.mean_over_datasets(posterior), 5)
    assert tile["probability_best"].equals(mean["probability_best"])


# --- Refusals and the command -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "how"),
    [
        ("over must be group", {"over": "language"}),
        ("aggregate must be one of", {"over": "group", "aggregate": "median"}),
        ("aggregate must be left out without over=", {"aggregate": "worst"}),
        ("weights must name every group once", {"over": "group", "weights": {"DF": 1}}),
        ("weights must be equal, or 0", {"over": "group", "aggregate": "gap", "weights": "cases"}),
        ("weights must have each group in one category", {"over": "group", "weights": {"a": ["DF"], "b": ["DF"]}}),
        ("weights must be 'cases', a coord, or a mapping", {"over": "group", "weights": 3}),
        ("method must be 'draws' or 'auto' beside over=", {"over": "group", "method": "exact"}),
        ("kind must be left out", {"over": "group", "aggregate": "worst", "kind": "typical"}),
    ],
)
def test_what_has_no_meaning_is_refused(words, how):
    with pytest.raises(br.ArgumentError, match=words):
        br.credible_ranking(DRAWN, **how)


def test_a_source_without_groups_is_refused():
    with pytest.raises(br.ArgumentError, match="over must be a dim of source"):
        br.credible_ranking(br.fit(br.datasets.load("tornado").isel(dataset=0), seed=1), "f1", over="group")


def test_the_command_prints_the_ranking_of_python(tmp_path):
    path = tmp_path / "faces.csv"
    right = FACES.sel(outcome=1).to_series().rename("correct").reset_index()
    wrong = FACES.sel(outcome=0).to_series().to_numpy()
    right.assign(wrong=wrong, kind=np.where(right["group"].str[0] == "D", "darker", "lighter")).to_csv(
        path, index=False
    )
    words = "rank", path, "--group", "group", "--aggregate", "worst", "--format", "json"
    held = json.loads(invoke(*words, "--ask", "IBM < 0.6"))
    ranking = br.credible_ranking(br.fit(FACES, seed=1), over="group", aggregate="worst")
    for row in held["ranking"]:
        assert row["median"] == pytest.approx(ranking["median"].sel(entity=row["entity"]).item())
    asked = br.probability(br.fit(FACES, seed=1), "IBM < 0.6", over="group", aggregate="worst")
    assert held["asked"][0]["probability"] == pytest.approx(float(asked["probability"]))
    shown = invoke(*words[:-2], "--weights", "DF=1,DM=1,LF=0,LM=1")
    assert "over 3 groups" in shown
    assert "Most probable worst group: MSFT: DF" in shown
    by_kind = invoke("rank", path, "--group", "group", "--category", "kind", "--over", "category")
    assert "over 2 categories" in by_kind
    assert "for these 2 categories" in by_kind
    assert "--dataset must be left out" in refused(*words, "--dataset", "DF")
    assert "--aggregate must be left out without" in refused("rank", path, "--aggregate", "worst")


def test_categories_of_counts_and_labels_are_ranked_one_by_one(tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text("entity,topic,tn,fp,fn,tp\na,law,40,10,8,42\na,art,30,20,5,45\nb,law,45,5,20,30\nb,art,44,6,9,41\n")
    rows = json.loads(invoke("rank", path, "--by", "topic", "--score", "f1", "--format", "json"))["ranking"]
    assert {row["part"] for row in rows} == {
        "Mean over 2 categories, each weighing the same", "Worst category of each entity",
        "topic law (100 cases)", "topic art (100 cases)",
    }  # fmt: skip
    law = br.fit(
        br.from_counts(tn=[40, 45], fp=[10, 5], fn=[8, 20], tp=[42, 30], entity=["a", "b"]), seed=3, draws=4000
    )
    expected = br.credible_ranking(law, "f1")
    for row in (row for row in rows if row["part"] == "topic law (100 cases)"):
        assert row["median"] == pytest.approx(expected["median"].sel(entity=row["entity"]).item(), abs=0.006)
    labels = tmp_path / "labels.csv"
    y, topic = RNG.integers(0, 2, 80), np.repeat(["law", "art"], 40)
    pd.DataFrame({"actual": y, "a": y ^ (RNG.random(80) < 0.2), "b": 1, "topic": topic}).to_csv(labels, index=False)
    said = invoke("rank", labels, "--by", "topic", "--draws", "50")
    assert "topic art (40 cases)" in said
    assert ", 2 categories, from" in said
    assert "for these 2 categories" in said
    assert "data set" not in said


@pytest.mark.parametrize("model", [None, "dirichlet_multinomial"])
@pytest.mark.parametrize(("aggregate", "capped"), [("worst", True), ("gap", True), ("mean", False)])
def test_unequal_numbers_of_cases_cap_the_worst_score_and_the_gap(model, aggregate, capped):
    right = np.array([[900, 300, 900], [270, 264, 267]])
    total = np.array([[1000, 1000, 1000], [300, 300, 300]])
    names = {"entity": ["long", "short"], "group": list("xyz"), "outcome": [0, 1]}
    counts = xr.DataArray(np.stack([total - right, right], -1), names, [*names], name="counts")
    counts = counts.assign_coords(measured=(("entity", "group"), np.ones((2, 3), bool)))
    ranking = br.credible_ranking(br.fit(counts, model, seed=1), over="group", aggregate=aggregate)
    codes = [note.code for note in notes_of(ranking["notes"])] + list(RankingRecord.of(ranking).caps)
    assert ("groups_unequal" in codes) == capped
    assert (ranking.attrs["headline"] == "best") == (not capped)
    equal = br.fit(
        counts.sel(entity=["short"]).pipe(lambda x: xr.concat([x, x.assign_coords(entity=["same"])], "entity"))
    )
    assert "groups_unequal" not in RankingRecord.of(br.credible_ranking(equal, over="group", aggregate=aggregate)).caps


def test_a_data_set_of_weight_0_is_as_if_it_were_not_there():
    rows = {"entity": list("ab") * 3, "dataset": list("xxyyzz"), "correct": [20, 14, 30, 22, 9, 19], "wrong": [10] * 6}
    counts = br.from_frame(pd.DataFrame(rows))
    every = br.fit(counts, "dirichlet_multinomial", seed=1)
    two = br.fit(counts.sel(dataset=["x", "y"]), "dirichlet_multinomial", seed=1)
    left_out = br.credible_ranking(every, over="dataset", weights={"x": 1, "y": 1, "z": 0})
    absent = br.credible_ranking(two, over="dataset")
    words = ["notes", "separation"]
    xr.testing.assert_allclose(left_out.drop_vars(words), absent.drop_vars(words))
    codes = [[note.code for note in notes_of(found["notes"])] for found in (left_out, absent)]
    assert codes[0] == codes[1]
    assert "prior_repeated" in codes[0]


def test_an_infinite_value_of_one_data_set_leaves_other_categories_finite():
    """Without false positives on one of three data sets, the mean of its category alone is infinite."""
    counts = br.from_counts(
        tn=[80, 75, 75, 70] * 2, fp=[0, 5, 5, 10] * 2, fn=[9] * 8, tp=[21] * 8,
        entity=["I"] * 4 + ["A"] * 4, dataset=["w", "x", "y", "z"] * 2,
    )  # fmt: skip
    counts = counts.assign_coords(category=("dataset", ["one", "one", "two", "two"]))
    posterior = br.fit(counts, "dirichlet_multinomial", draws=200, seed=1)
    for aggregate in ("mean", "worst"):
        ranking = br.credible_ranking(posterior, "positive_likelihood_ratio", over="category", aggregate=aggregate)
        assert not ranking["unobserved"].any()
        assert ranking["observed"].notnull().values.all() == (aggregate == "worst")
