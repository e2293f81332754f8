"""Rankings over groups and tasks: published answers, closed forms, identities, and what is refused."""

import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats
from scipy.special import betaln

import bayesrank as br
from bayesrank._core.notes import notes_of
from bayesrank._core.records import RankingRecord
from bayesrank._core.source import groups_of
from bayesrank.claims.effective import Information
from bayesrank.models.parts.population import learn
from bayesrank.ranking.aggregates import reach_of_flips
from bayesrank.ranking.extremes import Comparison, Extremes
from bayesrank.ranking.values import ScoreValues
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
    return {note.code: note.fields for note in notes_of(ranking.attrs["notes"])}


# --- Published answers ------------------------------------------------------------------------------------------------


def test_the_worst_group_reverses_a_clear_order_of_the_reconstructed_face_classifiers():
    # P(Face++ beats IBM), reproduced from the published rates by another route: 0.996 overall, 0.535 by worst group.
    overall, worst = (
        br.probability(DRAWN, "Face++ > IBM", over="group", aggregate=how, weights=weights)
        for how, weights in (("mean", "cases"), ("worst", None))
    )
    assert float(overall["probability"]) == pytest.approx(
        0.996, abs=0.001 + 3 * float(overall["probability_error"])
    )
    assert float(worst["probability"]) == pytest.approx(
        0.535, abs=0.001 + 3 * float(worst["probability_error"])
    )
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
        for name, value in (("observed", gap), ("median", gap), ("upper", high)):
            assert ranking[name].item() == pytest.approx(value, abs=0.0015)
        # The published end is for a difference of two groups that are named beforehand, not for their largest.
        assert low - 0.006 < ranking["lower"].item() < low
        assert ranking.attrs["higher_is_better"] == 0
    default = br.credible_ranking(br.fit(counts, seed=1), "fpr", over="group", aggregate="gap")
    assert default["median"].item() == pytest.approx(
        0.212, abs=0.003
    )  # exchangeable groups are a little nearer
    by_group = br.credible_ranking(posterior, "fpr")["observed"].sel(entity="COMPAS")
    assert by_group.values.round(4).tolist() == [0.4485, 0.2345]


# --- Closed forms and identities --------------------------------------------------------------------------------------


def test_the_worst_of_independent_groups_has_its_closed_form():
    counts = br.from_counts(
        tn=[0, 0], fp=[0, 0], fn=[30, 60], tp=[270, 240], entity=["a", "a"], group=["x", "y"]
    )
    ranking = br.credible_ranking(
        br.fit(counts, "dirichlet_multinomial", seed=1, draws=10_000, prior=1.0),
        "tpr",
        over="group",
        aggregate="worst",
    )
    grid = np.linspace(0.6, 1, 4001)
    below = 1 - stats.beta.sf(grid, 271, 31) * stats.beta.sf(grid, 241, 61)
    assert ranking["median"].item() == pytest.approx(np.interp(0.5, below, grid), abs=0.0015)
    # The worse group is known: the lower end is that of its own interval, and the upper end allows for the choice.
    alone = stats.beta(240.5, 60.5)
    assert ranking["lower"].item() == pytest.approx(alone.ppf(0.025), abs=0.0015)
    assert alone.ppf(0.98) < ranking["upper"].item() < alone.ppf(0.996)


def test_the_difference_of_known_worst_groups_is_that_of_the_groups():
    """Group x is far worse for both: the interval covers that of x alone, and is at most a fifth wider."""
    counts = br.from_counts(
        tn=[0] * 4, fp=[0] * 4, fn=[90, 30, 120, 30], tp=[210, 570, 180, 570],
        entity=list("aabb"), group=list("xyxy"),
    )  # fmt: skip
    posterior = br.fit(counts, "dirichlet_multinomial", seed=1, draws=2000)
    worst = br.scores.tpr(posterior).sel(group="x")
    difference = worst.sel(entity="b") - worst.sel(entity="a")
    low, high = difference.quantile([0.025, 0.975]).values
    ranking = br.credible_ranking(posterior, "tpr", over="group", aggregate="worst")
    ends = ranking[["difference_lower", "difference_upper"]].to_array()
    assert ends.sel(entity="a").values.tolist() == [0.0, 0.0]
    lower, upper = ends.sel(entity="b").values
    assert lower < low < high < upper < 0
    assert upper - lower < 1.2 * (high - low)


@pytest.mark.parametrize("better", [True, False])
def test_win_rate_and_borda_points_count_rivals(better):
    plain = TASKS.values if better else -TASKS.values
    beats = (plain[:, :, None] > plain[:, None]) + 0.5 * (plain[:, :, None] == plain[:, None])
    points = beats.sum(axis=2) - 0.5  # no entity is its own rival
    weights = {"v": 3, "w": 1, "x": 0, "y": 1, "z": 1}
    share = np.array([3, 1, 0, 1, 1]) / 6
    for how, expected in (("borda", points @ share), ("win_rate", points @ share / 3)):
        values = br.scores.aggregate_score(
            TASKS,
            "accuracy",
            over="dataset",
            aggregate=how,
            weights=weights,
            higher_is_better=better,
        )
        np.testing.assert_allclose(values.values, expected, atol=1e-12)


def board_of_tasks(tasks, entities=4, seed=1):
    """Return one score of each entity on each task; the first entity is better by one standard deviation."""
    scores = np.random.default_rng(seed).normal(size=(entities, tasks))
    scores[0] += 1
    names = {
        "entity": [f"e{i}" for i in range(entities)],
        "dataset": [f"t{i}" for i in range(tasks)],
    }
    return xr.DataArray(scores, names, ["entity", "dataset"])


def test_scores_of_tasks_are_a_sample_of_tasks():
    """Points of independent tasks have the t interval of a mean."""
    board = board_of_tasks(25)
    beaten = (board.values[:, None] > board.values).sum(axis=1)
    ranking = br.credible_ranking(board, higher_is_better=True, over="dataset", aggregate="borda")
    half = stats.t.isf(0.025, 24) * beaten.std(axis=1, ddof=1) / 5
    for end, sign in (("lower", -1), ("upper", 1)):
        # The quantiles of 4,000 draws have a standard error of 4% of their distance from the middle.
        np.testing.assert_allclose(
            ranking[end], beaten.mean(axis=1) + sign * half, atol=0.12 * half.max()
        )
    assert ranking.attrs["population"] == "datasets_like_these"
    assert ranking["rank_upper"].values.max() <= 4
    shares = br.credible_ranking(board, higher_is_better=True, over="dataset", aggregate="win_rate")
    for name in ("rank_lower", "rank_upper", "in_best_set", "probability_best"):
        np.testing.assert_array_equal(shares[name], ranking[name])
    exact = br.scores.aggregate_score(
        board, higher_is_better=True, over="dataset", aggregate="borda"
    )
    np.testing.assert_allclose(exact, beaten.mean(axis=1), rtol=1e-12)


@pytest.mark.parametrize(("wins", "losses"), [(6, 0), (7, 1), (9, 2), (5, 5), (3, 7)])
def test_the_points_of_two_entities_have_the_reach_of_the_sign_test(wins, losses):
    ahead = np.repeat([1.0, 0.0], [wins, losses])
    reach = reach_of_flips(np.stack([ahead, 1 - ahead]))
    p = stats.binom.sf(max(wins, losses) - 1, wins + losses, 0.5)
    np.testing.assert_allclose(reach[[0, 1], [1, 0]], -stats.norm.ppf(p), rtol=1e-9)


def test_all_tasks_must_agree_that_one_of_two_entities_is_better():
    for wins, losses, said in ((6, 0, "best"), (7, 1, "leads"), (8, 1, "best")):
        ahead = np.repeat([1.0, 0.0], [wins, losses])
        board = xr.DataArray(
            np.stack([ahead, 1 - ahead]), {"entity": ["a", "b"]}, ["entity", "dataset"]
        )
        found = br.credible_ranking(board, higher_is_better=True, over="dataset", aggregate="borda")
        assert found.attrs["headline"] == said
        assert found["rank_upper"].values.tolist() == ([1, 2] if said == "best" else [2, 2])


def test_many_tasks_separate_entities_and_few_do_not():
    many = br.credible_ranking(
        board_of_tasks(200), higher_is_better=True, over="dataset", aggregate="borda"
    )
    assert many.attrs["headline"] == "best"
    assert br.verdict(many)[0] == "e0 is best on data sets like these: P(best) > 0.999."
    few = br.credible_ranking(
        board_of_tasks(5), higher_is_better=True, over="dataset", aggregate="borda"
    )
    assert few.attrs["caps"] == ["datasets_too_few"]
    assert few["rank_upper"].values.tolist() == [4] * 4


def test_order_of_tasks_and_entities_has_no_effect_on_their_sample():
    board = board_of_tasks(12)
    first = br.credible_ranking(board, higher_is_better=True, over="dataset", aggregate="borda")
    turned = board.isel(entity=[2, 0, 3, 1], dataset=slice(None, None, -1))
    other = br.credible_ranking(turned, higher_is_better=True, over="dataset", aggregate="borda")
    for name in ("median", "probability_best", "rank_lower", "rank_upper"):
        np.testing.assert_allclose(first[name], other[name].sel(entity=first["entity"]), rtol=1e-9)
    low = br.credible_ranking(-board, higher_is_better=False, over="dataset", aggregate="borda")
    np.testing.assert_allclose(low["median"], first["median"], rtol=1e-9)


def test_unequal_weights_and_missing_scores_leave_points_without_a_sample():
    board = board_of_tasks(12)
    weights = dict(zip(board["dataset"].values.tolist(), range(1, 13), strict=True))
    gaps = board.where((board["entity"] != "e1") | (board["dataset"] != "t3"))
    for source, own in ((board, weights), (gaps, None)):
        found = br.credible_ranking(
            source, higher_is_better=True, over="dataset", aggregate="borda", weights=own
        )
        assert (found.attrs["draws"], found.attrs["headline"]) == (1, "none")


def test_mean_worst_and_gap_are_those_of_numpy_and_follow_the_direction():
    for how, better, expected in (
        ("mean", True, TASKS.values.mean(-1)),
        ("worst", True, TASKS.values.min(-1)),
        ("worst", False, TASKS.values.max(-1)),
        ("gap", True, np.ptp(TASKS.values, axis=-1)),
    ):
        values = br.scores.aggregate_score(
            TASKS, "accuracy", over="dataset", aggregate=how, higher_is_better=better
        )
        np.testing.assert_allclose(values.values, expected, atol=1e-12)


def test_nested_weights_reproduce_the_aggregate_of_a_board():
    # Mean within each category, then over categories.
    printed = pd.DataFrame(
        {
            "algebra": [40.0, 55.0, 62.4],
            "geometry": [50.0, 60.0, 70.0],
            "python": [60.0, 65.2, 74.5],
        },
        index=["small", "middle", "large"],
    )
    values = xr.DataArray(
        printed.to_numpy(),
        {"entity": printed.index, "dataset": printed.columns},
        ("entity", "dataset"),
    )
    nested = {"math": {"algebra": 1, "geometry": 1}, "code": ["python"]}
    found = br.scores.aggregate_score(values, over="dataset", weights=nested)
    assert [f"{value:.2f}" for value in found.values] == ["52.50", "61.35", "70.35"]
    flat = br.scores.aggregate_score(
        values, over="dataset", weights={"algebra": 0.25, "geometry": 0.25, "python": 0.5}
    )
    of_category = br.scores.aggregate_score(
        values, over="dataset", weights={"algebra": "math", "geometry": "math", "python": "code"}
    )
    held = values.assign_coords(category=("dataset", ["math", "math", "code"]))
    for other in (
        flat,
        of_category,
        br.scores.aggregate_score(held, over="dataset", weights="category"),
        br.scores.aggregate_score(held, over="category"),
    ):
        np.testing.assert_allclose(other.values, found.values, rtol=1e-12)
    worst = br.scores.aggregate_score(held, over="category", aggregate="worst")
    assert worst.values.tolist() == pytest.approx([45.0, 57.5, 66.2])
    twice = br.scores.aggregate_score(held, over="category", weights={"math": 3, "code": 1})
    assert twice.sel(entity="small").item() == pytest.approx(0.75 * 45 + 0.25 * 60)


def test_an_absent_entity_that_reverses_a_pair_is_named():
    # On x: a, c, b. On y and z: b, a, c. With weights 1, 0.8, 0.8, a has 3.6 points and b 3.2; without c 1 and 1.6.
    right = [90, 60, 60, 30, 80, 80, 60, 30, 30]
    counts = br.from_counts(
        tn=[0] * 9,
        fp=[0] * 9,
        fn=[100 - n for n in right],
        tp=right,
        entity=list("aaabbbccc"),
        dataset=list("xyz") * 3,
    )
    posterior = br.fit(counts, "dirichlet_multinomial", seed=1)
    weights = {"x": 1, "y": 0.8, "z": 0.8}
    for how in ("win_rate", "borda"):
        ranking = br.credible_ranking(
            posterior, "tpr", over="dataset", aggregate=how, weights=weights
        )
        assert codes(ranking)["pair_reversed_by_absence"] == {
            "one": "a",
            "other": "b",
            "absent": "c",
        }
    assert ranking["observed"].values * 2.6 == pytest.approx([3.6, 3.2, 1.0])
    without = posterior["posterior"].sel(entity=["a", "b"])
    alone = br.credible_ranking(without, "tpr", over="dataset", aggregate="borda", weights=weights)
    assert alone["median"].sel(entity="b") > alone["median"].sel(entity="a")
    # Means never depend on others, and with equal weights no absence reverses this pair.
    assert "pair_reversed_by_absence" not in codes(
        br.credible_ranking(posterior, "tpr", over="dataset")
    )


def test_statements_on_values_are_shares_of_draws():
    gap = br.scores.aggregate_score(DRAWN, over="group", aggregate="gap")
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
        tn=[0] * 3,
        fp=[0] * 3,
        fn=[25, 20, 30],
        tp=[75, 80, 70],
        entity=["a"] * 3,
        group=["x", "y", "z"],
    )
    chosen, independent = br.fit(counts, seed=1), br.fit(counts, "dirichlet_multinomial", seed=1)
    assert groups_of(chosen)["posterior"].attrs["model"] == "hierarchical_beta_binomial"
    small, large = (
        float(br.probability(one, "a < 0.1", "tpr", over="group", aggregate="gap")["probability"])
        for one in (chosen, independent)
    )
    assert small > large + 0.3
    ranked = [
        codes(br.credible_ranking(one, "tpr", over="group", aggregate="gap"))
        for one in (chosen, independent)
    ]
    assert ["groups_independent" in one for one in ranked] == [False, True]


def test_rates_of_groups_are_averaged_over_equal_and_exchangeable_ones():
    right, cases, prior = np.array([80, 74, 83]), np.full(3, 100), np.array([0.5, 0.5])
    counts = br.from_counts(
        tn=[0] * 3, fp=[0] * 3, fn=cases - right, tp=right, entity=["a"] * 3, group=["x", "y", "z"]
    )  # fmt: skip
    posterior = groups_of(br.fit(counts, "hierarchical_beta_binomial", seed=1, draws=4000))[
        "posterior"
    ]
    rates = posterior["performance"].sel(entity="a", actual="positive").stack(all=["chain", "draw"])
    rates = (
        (rates.sel(predicted="positive") / rates.sum("predicted")).transpose("group", "all").values
    )
    total = [prior[0] + right.sum(), prior[1] + (cases - right).sum()]
    odds = np.exp(betaln(*total) - betaln(*prior) - learn(right, cases, prior).log_evidence) / 3
    equal = np.ptp(rates, axis=0) < 1e-9
    assert equal.mean() == pytest.approx(odds / (1 + odds), abs=4 * np.sqrt(0.25 / equal.size))
    expected = stats.beta(*total)
    assert rates[0, equal].mean() == pytest.approx(
        expected.mean(), abs=5 * expected.std() / np.sqrt(equal.sum())
    )
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
    with pytest.raises(br.ArgumentError, match="group cannot be used with dataset="):
        br.from_predictions(y, {"a": a}, group=group, dataset="x")


def test_empty_groups_appear_undefined_and_named():
    group = pd.Categorical(["x", "y", "z"] * 2, categories=["x", "y", "z", "never"])
    counts = br.from_counts(
        tn=[0] * 6,
        fp=[0] * 6,
        fn=[9, 8, 0, 5, 6, 7],
        tp=[31, 42, 0, 45, 34, 33],
        entity=list("aaabbb"),
        group=group,
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
        posterior,
        "tpr",
        over="group",
        aggregate="worst",
        weights={"x": 1, "y": 1, "z": 0, "never": 0},
    )
    assert without["median"].notnull().all()


def test_order_of_groups_and_entities_has_no_effect():
    turned = FACES.isel(entity=[2, 0, 1], group=[3, 1, 0, 2])
    one, moved = (br.fit(counts, seed=1, draws=250) for counts in (FACES, turned))
    for how in ("mean", "worst", "gap", "borda", "win_rate"):
        first, other = (
            br.credible_ranking(posterior, over="group", aggregate=how)
            for posterior in (one, moved)
        )
        other = other.sel(entity=first["entity"])
        for name in ("median", "probability_best", "rank_lower", "rank_upper"):
            np.testing.assert_allclose(first[name].values, other[name].values, rtol=1e-9)


def test_entities_with_equal_evidence_have_equal_numbers():
    counts = br.from_counts(
        tn=[50] * 6,
        fp=[0, 2] * 3,
        fn=[0] * 4 + [9] * 2,
        tp=[50] * 6,
        entity=list("aabbcc"),
        group=list("xy") * 3,
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
        ("aggregate cannot be used without over=", {"aggregate": "worst"}),
        ("weights must name every group once", {"over": "group", "weights": {"DF": 1}}),
        (
            "weights must be equal for the aggregate .*, or 0",
            {"over": "group", "aggregate": "gap", "weights": "cases"},
        ),
        (
            "weights must have each group in one category",
            {"over": "group", "weights": {"a": ["DF"], "b": ["DF"]}},
        ),
        ("weights must be 'cases', a coord, or a mapping", {"over": "group", "weights": 3}),
        ("method must be 'draws' or 'auto' beside over=", {"over": "group", "method": "exact"}),
        ("kind cannot be used", {"over": "group", "aggregate": "worst", "kind": "typical"}),
    ],
)
def test_what_has_no_meaning_is_refused(words, how):
    with pytest.raises(br.ArgumentError, match=words):
        br.credible_ranking(DRAWN, **how)


def test_a_source_without_groups_is_refused():
    with pytest.raises(br.ArgumentError, match="over must be a dim of source"):
        br.credible_ranking(
            br.fit(br.datasets.load("tornado").isel(dataset=0), seed=1), "f1", over="group"
        )


def test_the_command_prints_the_ranking_of_python(tmp_path):
    path = tmp_path / "faces.csv"
    right = FACES.sel(outcome=1).to_series().rename("correct").reset_index()
    wrong = FACES.sel(outcome=0).to_series().to_numpy()
    right.assign(
        wrong=wrong, kind=np.where(right["group"].str[0] == "D", "darker", "lighter")
    ).to_csv(path, index=False)
    words = "rank", path, "--group", "group", "--aggregate", "worst", "--format", "json"
    held = json.loads(invoke(*words, "--ask", "IBM < 0.6"))
    ranking = br.credible_ranking(br.fit(FACES, seed=1), over="group", aggregate="worst")
    for row in held["ranking"]:
        assert row["median"] == pytest.approx(ranking["median"].sel(entity=row["entity"]).item())
    asked = br.probability(br.fit(FACES, seed=1), "IBM < 0.6", over="group", aggregate="worst")
    assert held["asked"][0]["probability"] == pytest.approx(float(asked["probability"]))
    shown = invoke(*words[:-2], "--weights", "DF=1,DM=1,LF=0,LM=1")
    assert "over 3 groups" in shown
    assert "DF for MSFT" in shown or "for MSFT" in shown
    by_kind = invoke("rank", path, "--group", "group", "--category", "kind", "--over", "category")
    assert "over 2 categories" in by_kind
    assert "for these 2 categories" in by_kind
    assert "--dataset cannot be used" in refused(*words, "--dataset", "DF")
    alone = refused("rank", path, "--dataset-column", "group", "--aggregate", "worst")
    assert "--aggregate cannot be used without" in alone


def test_categories_of_counts_and_labels_are_ranked_one_by_one(tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text(
        "entity,topic,tn,fp,fn,tp\na,law,40,10,8,42\na,art,30,20,5,45\nb,law,45,5,20,30\nb,art,44,6,9,41\n"
    )
    rows = json.loads(invoke("rank", path, "--by", "topic", "--score", "f1", "--format", "json"))[
        "ranking"
    ]
    assert {row["part"] for row in rows} == {
        "Mean over 2 categories, each weighing the same", "Worst category of each entity",
        "topic law (100 cases)", "topic art (100 cases)",
    }  # fmt: skip
    law = br.fit(
        br.from_counts(tn=[40, 45], fp=[10, 5], fn=[8, 20], tp=[42, 30], entity=["a", "b"]),
        seed=3,
        draws=4000,
    )
    expected = br.credible_ranking(law, "f1")
    for row in (row for row in rows if row["part"] == "topic law (100 cases)"):
        assert row["median"] == pytest.approx(
            expected["median"].sel(entity=row["entity"]).item(), abs=0.006
        )
    labels = tmp_path / "labels.csv"
    y, topic = RNG.integers(0, 2, 80), np.repeat(["law", "art"], 40)
    pd.DataFrame({"actual": y, "a": y ^ (RNG.random(80) < 0.2), "b": 1, "topic": topic}).to_csv(
        labels, index=False
    )
    said = invoke("rank", labels, "--by", "topic", "--draws", "50")
    assert "topic art (40 cases)" in said
    assert ", 2 categories, from" in said
    assert "for these 2 categories" in said
    assert "data set" not in said


@pytest.mark.parametrize("model", [None, "dirichlet_multinomial"])
@pytest.mark.parametrize(
    ("aggregate", "capped"), [("worst", False), ("gap", True), ("mean", False)]
)
def test_unequal_numbers_of_cases_cap_the_gap(model, aggregate, capped):
    right = np.array([[900, 300, 900], [270, 264, 267]])
    total = np.array([[1000, 1000, 1000], [300, 300, 300]])
    names = {"entity": ["long", "short"], "group": list("xyz"), "outcome": [0, 1]}
    counts = xr.DataArray(np.stack([total - right, right], -1), names, [*names], name="counts")
    counts = counts.assign_coords(measured=(("entity", "group"), np.ones((2, 3), bool)))
    ranking = br.credible_ranking(br.fit(counts, model, seed=1), over="group", aggregate=aggregate)
    codes = [note.code for note in notes_of(ranking.attrs["notes"])] + list(
        RankingRecord.of(ranking).caps
    )
    assert ("groups_unequal" in codes) == capped
    assert (ranking.attrs["headline"] == "best") == (not capped)
    equal = br.fit(
        counts.sel(entity=["short"]).pipe(
            lambda x: xr.concat([x, x.assign_coords(entity=["same"])], "entity")
        )
    )
    assert (
        "groups_unequal"
        not in RankingRecord.of(br.credible_ranking(equal, over="group", aggregate=aggregate)).caps
    )


def test_a_data_set_of_weight_0_is_as_if_it_were_not_there():
    rows = {
        "entity": list("ab") * 3,
        "dataset": list("xxyyzz"),
        "correct": [20, 14, 30, 22, 9, 19],
        "wrong": [10] * 6,
    }
    counts = br.from_frame(pd.DataFrame(rows))
    every = br.fit(counts, "dirichlet_multinomial", seed=1)
    two = br.fit(counts.sel(dataset=["x", "y"]), "dirichlet_multinomial", seed=1)
    left_out = br.credible_ranking(every, over="dataset", weights={"x": 1, "y": 1, "z": 0})
    absent = br.credible_ranking(two, over="dataset")
    xr.testing.assert_allclose(left_out, absent)
    codes = [[note.code for note in notes_of(found.attrs["notes"])] for found in (left_out, absent)]
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
        ranking = br.credible_ranking(
            posterior, "positive_likelihood_ratio", over="category", aggregate=aggregate
        )
        assert not ranking["unobserved"].any()
        assert ranking["observed"].notnull().values.all() == (aggregate == "worst")


# --- The rule for worst scores and gaps -------------------------------------------------------------------------------


def extremes_of(rng, rates, cases, gap=False, better=True, draws=300):
    """The groups behind a worst score or a gap, and their information: draws of independent rates."""
    right = rng.binomial(cases, rates)
    drawn = rng.beta(0.5 + right, 0.5 + cases - right, (draws, *right.shape))
    base = ScoreValues(xr.DataArray(0.0), "accuracy", better, ends=(0.0, 1.0))
    size = np.full(len(right), float(cases))
    information = Information(size, np.full(len(right), np.nan), observed=np.zeros(len(right)))
    return Extremes(drawn, right / cases, base, gap), information


def by_loops(extremes, one, other):
    """T and the draws of E of one entity over another, from the definition."""
    sign = 1 if extremes.gap or extremes.found.higher_is_better else -1
    x, seen = sign * extremes.values, sign * extremes.observed
    groups = range(x.shape[2])
    if extremes.gap:
        parts = [(g, h) for g in groups for h in groups if g != h]
        part = lambda values, p: values[..., p[1]] - values[..., p[0]]  # noqa: E731
    else:
        parts, part = list(groups), lambda values, p: values[..., p]
    worst, best, errors = min(parts, key=lambda p: part(seen[one], p)), -np.inf, []
    for g in parts:
        ratios = []
        for h in parts:
            apart = part(x[:, one], h) - part(x[:, other], g)
            lead = min(apart.mean(), part(seen[one], h) - part(seen[other], g))
            ratios.append(lead / apart.std())
            if h == worst:
                errors.append((apart.mean() - apart) / apart.std())
        best = max(best, min(ratios))
    return best, np.max(errors, axis=0)


@pytest.mark.parametrize(
    ("gap", "better"), [(False, True), (False, False), (True, True), (True, False)]
)
def test_statistic_and_error_are_those_of_the_definition(gap, better):
    rates = np.array([[0.8, 0.6, 0.7, 0.9], [0.5, 0.7, 0.6, 0.9], [0.9, 0.9, 0.8, 0.8]])
    extremes, information = extremes_of(np.random.default_rng(4), rates, 60, gap, better)
    parts = extremes.scaled(np.arange(3), extremes.observed)[0]
    for one, other in ((0, 1), (1, 0), (0, 2), (2, 1)):
        statistic, error = by_loops(extremes, one, other)
        assert parts.statistic(one)[other] == pytest.approx(statistic)
        np.testing.assert_allclose(parts.error(one)[other], error, atol=1e-4)
        compared = Comparison(extremes, np.array([one, other]), information)
        bound = compared.plain_bound(
            0.05, -1
        )  # inverts the test: at this margin, T is the critical value
        pair = extremes.scaled(np.array([one, other]), extremes.observed)[0]
        critical = np.sort(error)[-int(0.05 * 301 + 1e-9)]
        assert pair.statistic(0, -bound)[1] == pytest.approx(critical, rel=1e-3)


@pytest.mark.parametrize(
    ("gap", "uneven", "even"),
    [
        (False, [0.6] + [0.9] * 11, [0.6] * 12),
        pytest.param(True, [0.8, 0.6] + [0.7] * 10, [0.8] * 6 + [0.6] * 6, marks=pytest.mark.slow),
    ],
)
def test_equal_extremes_of_unequal_profiles_are_rarely_separated(gap, uneven, even):
    """Of 60 boards, at most 3 + 2 errors may have a false claim; the draws of the extremes claim in far more."""
    rng, rates, false, drawn, covered = (
        np.random.default_rng(11),
        np.array([uneven, even]),
        0,
        0,
        np.zeros(2),
    )
    for _ in range(60):
        extremes, information = extremes_of(rng, rates, 200, gap, draws=600)
        false += extremes.decide(np.arange(2), 0.95, information).ruled_out().any()
        low, high = extremes.interval(0.95)
        covered += (low <= 0.2 + 0.4 * (not gap)) & (0.2 + 0.4 * (not gap) <= high)
        found = np.ptp(extremes.values, axis=2) if gap else extremes.values.min(axis=2)
        share = (found[:, 0] > found[:, 1]).mean()
        drawn += min(share, 1 - share) < 0.025
    assert false <= 6
    assert drawn >= 15
    assert covered.min() >= 54


def test_a_better_worst_group_and_a_smaller_gap_are_found():
    rates = np.array([[0.75, 0.9, 0.9, 0.9], [0.6, 0.9, 0.9, 0.9], [0.6, 0.7, 0.8, 0.9]])
    for gap in (False, True):
        extremes, information = extremes_of(np.random.default_rng(1), rates, 500, gap, draws=600)
        decided = extremes.decide(np.arange(3), 0.95, information)
        assert decided.ruled_out().tolist() == [False, True, True]
        assert decided.above[0, 1:].all()
        assert not decided.above[1:, 1:].any()


def test_an_undefined_group_leaves_others_alone():
    extremes, information = extremes_of(np.random.default_rng(1), np.full((3, 3), 0.7), 50)
    extremes.values[:, 1, 2] = np.nan
    low, high = extremes.interval(0.95)
    assert np.isnan(low).tolist() == np.isnan(high).tolist() == [False, True, False]
    assert extremes.decide(np.array([0, 2]), 0.95, information).above.shape == (2, 2)


@pytest.mark.parametrize("better", [True, False])
def test_bounds_of_few_cases_invert_the_test_on_both_scales(better):
    rates = np.full((2, 6), 0.6 if better else 0.4)
    extremes, information = extremes_of(
        np.random.default_rng(0), rates, 8, better=better, draws=2000
    )
    compared = Comparison(extremes, np.arange(2), information)
    apart = []
    for side in (-1, 1):
        bound = compared.bound(0.05, side)
        apart.append(side * (bound - compared.plain_bound(0.05, side)))
        outside, inside = (
            compared.p_value(-bound - side * step, -side) for step in (0.001, -0.001)
        )
        assert outside <= 0.05 < inside
    assert min(apart) >= 0
    assert max(apart) > 0.003  # the stretched scale decides
