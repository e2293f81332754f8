"""One aggregate, one answer: verdict, sets, statements, plan, gate, report and Tile agree on groups."""

import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayesrank as br
from bayesrank._core.notes import notes_of
from bayesrank.performance import aggregate_over
from bayesrank.sensitivities._alternatives import weights_without
from tests.commands import invoke, json_of, refused, run

COUNTS = br.from_counts(
    tn=[45, 82, 58, 47, 75, 49, 38, 88, 60], fp=[15, 18, 12, 13, 25, 21, 22, 12, 10],
    fn=[6, 12, 9, 7, 14, 5, 8, 10, 15], tp=[34, 48, 41, 33, 46, 45, 32, 50, 35],
    entity=list("aaabbbccc"), group=["x", "y", "z"] * 3,
)  # fmt: skip
POSTERIOR = br.fit(COUNTS, seed=1, draws=500)


def file_of_counts(folder):
    """A file with the counts, one row for each entity and group."""
    rows = [
        f"{e},{g}," + ",".join(str(int(n)) for n in COUNTS.sel(entity=e, group=g).values.ravel())
        for e in "abc" for g in "xyz"
    ]  # fmt: skip
    path = folder / "groups.csv"
    path.write_text("\n".join(["entity,group,tn,fp,fn,tp", *rows]) + "\n")
    return path


@pytest.mark.parametrize(
    ("score", "aggregate"), [("f1", "mean"), ("f1", "worst"), ("accuracy", "gap")]
)
def test_all_outputs_of_an_aggregate_agree(score, aggregate):
    over = aggregate_over(POSTERIOR, "group", aggregate)
    ranking = br.credible_ranking(over, score)
    assert ranking.identical(
        br.credible_ranking(POSTERIOR, score, over="group", aggregate=aggregate)
    )
    verdict = br.verdict(ranking)
    top = br.top_set(over, score, 1)
    for name in ("rank_lower", "rank_upper"):
        assert top[name].values.tolist() == ranking[name].values.tolist()
    assert top["in_confidence_set"].values.tolist() == ranking["in_best_set"].values.tolist()
    for name in "abc":
        best = br.probability(over, f"{name} is best", score)["probability"].item()
        assert best == pytest.approx(ranking["probability_best"].sel(entity=name).item())
    orders = br.statements.probable_orders(over, score, top=6)
    first = sum(orders["probability"].values[orders["entity"].values[:, 0] == "a"])
    assert first == pytest.approx(ranking["probability_best"].sel(entity="a").item(), abs=1e-9)
    assert verdict[0] in br.ranking_report(over, score, sections=[]).replace("&gt;", ">")
    if aggregate != "mean":
        with pytest.raises(br.ArgumentError, match="aggregate must be 'mean' for a plan"):
            br.plan(over, score)
        assert not notes_of(ranking.attrs["separation"])
    else:
        needed = br.plan(over, score)["needed"].item()
        [note] = notes_of(ranking.attrs["separation"])
        assert needed == pytest.approx(note.fields.get("needed") or np.nan, nan_ok=True)
    gate = br.decisions.gate(over, "a", score)
    values = br.scores.aggregate_score(POSTERIOR, score, over="group", aggregate=aggregate).mean(
        ["chain", "draw"]
    )
    values = values if aggregate == "mean" else ranking["observed"]
    sign = -1 if aggregate == "gap" else 1
    apart = sign * (values.sel(entity="b") - values.sel(entity="a")).item()
    assert gate["difference"].sel(entity="b").item() == pytest.approx(apart)


def test_the_mean_utility_is_the_utility_of_the_mean():
    benefit = {"tn": 0, "fp": -1, "fn": -3, "tp": 0}
    weights = {"x": 1, "y": 2, "z": 1}
    of_mean = br.decisions.expected_utility(
        aggregate_over(POSTERIOR, "group", "mean", weights), benefit
    )
    each = [
        br.decisions.expected_utility(POSTERIOR, benefit, kind="observed")[name]
        for name in ("mean", "observed")
    ]
    for name, values in zip(("mean", "observed"), each, strict=True):
        assert of_mean[name].values == pytest.approx(
            values.transpose("entity", "group").values @ [0.25, 0.5, 0.25]
        )
    rates = br.decisions.noninferiority(aggregate_over(POSTERIOR, "group"), "a")
    tpr = br.scores.aggregate_score(POSTERIOR, "tpr", over="group")
    assert rates["verdict"].dims == ("entity",)
    with pytest.raises(br.ArgumentError, match="aggregate must be 'mean' for an expected utility"):
        br.decisions.expected_utility(aggregate_over(POSTERIOR, "group", "worst"), benefit)
    assert tpr.sizes["entity"] == 3


def test_the_tile_by_the_worst_group_is_the_worst_score_at_each_point():
    tile = br.tile.credible(POSTERIOR, 5, over="group", aggregate="worst")
    for b in (0, 0.25, 1):
        for a in (0, 0.5, 1):
            point = (a, b)
            found = br.credible_ranking(
                POSTERIOR, point, over="group", aggregate="worst", joint=False
            )
            best = tile["probability_best"].sel(a=a, b=b)
            assert best.values == pytest.approx(found["probability_best"].values, abs=1e-9), point
    assert float(tile["share"].sum()) == pytest.approx(1)
    alone = br.fit(COUNTS.sel(group=["y"]), "dirichlet_multinomial", seed=1)
    one = br.tile.credible(alone, 5, over="group", aggregate="worst")
    plain = br.tile.credible(alone, 5, over="group")
    assert one["probability_best"].values == pytest.approx(
        plain["probability_best"].values, abs=1e-9
    )
    with pytest.raises(br.ArgumentError, match="aggregate must be 'mean' or 'worst' for a Tile"):
        br.tile.credible(POSTERIOR, 5, over="group", aggregate="gap")


def test_a_source_with_an_aggregate_is_refused_where_it_has_no_meaning():
    over = aggregate_over(POSTERIOR, "group", "worst")
    for use in (br.as_performance, br.heterogeneity, lambda source: br.tile.value(source, 5)):
        with pytest.raises(br.ArgumentError, match="an aggregate has no meaning here"):
            use(over)
    with pytest.raises(br.ArgumentError, match="source is already an aggregate"):
        aggregate_over(over, "group")
    with pytest.raises(
        br.ArgumentError, match="over cannot be used for a source that has an aggregate"
    ):
        br.credible_ranking(over, "f1", over="group")
    with pytest.raises(br.ArgumentError, match="looks must be a number for an aggregate"):
        br.decisions.gate(over, "a", "f1", looks="any")
    with pytest.raises(br.ArgumentError, match="width cannot be used for a plan over groups"):
        br.plan(aggregate_over(POSTERIOR, "group"), "f1", width=0.1)


def test_the_commands_print_the_same_headline_and_number(tmp_path):
    path = file_of_counts(tmp_path)
    words = path, "--rope", "0.05", "--score", "f1", "--group", "group", "--aggregate", "worst"
    ranked = json.loads(invoke("rank", *words, "--format", "json"))
    assert "--aggregate must be 'mean' for a plan" in refused("plan", *words)
    page = tmp_path / "page.html"
    reported = invoke("report", *words, "-o", page)
    assert ranked["verdict"][0] in reported
    assert "more cases" not in " ".join(ranked["verdict"])
    assert "share of the Tile" in invoke("tile", path, *words[5:], "--resolution", "5")


def test_aggregates_of_arrays_are_those_of_numpy():
    x = np.random.default_rng(3).random((300, 2, 3))
    values = POSTERIOR["posterior"]["performance"].isel(
        chain=0, draw=slice(0, 300), entity=slice(0, 2)
    )
    values = values.sum(["actual", "predicted"]).copy(data=x)
    ranking = br.credible_ranking(aggregate_over(values, "group", "worst"), "accuracy")
    assert ranking["probability_best"].values[0] == pytest.approx(
        (x[:, 0].min(1) > x[:, 1].min(1)).mean()
    )


@pytest.mark.parametrize(
    ("aggregate", "weights"),
    [
        ("worst", None),
        pytest.param("mean", {"x": 1, "y": 2, "z": 1}, marks=pytest.mark.slow),
        pytest.param("gap", None, marks=pytest.mark.slow),
    ],
)
def test_a_sensitivity_ranks_the_aggregate_of_each_refit(aggregate, weights):
    how = {"over": "group", "aggregate": aggregate}
    found = br.sensitivity(COUNTS, "accuracy", models=[], draws=100, seed=1, weights=weights, **how)
    changes = ["without group x", "without group y", "without group z"]
    assert found["alternative"].values.tolist()[-3:] == changes
    kept = {"x": None, "y": {"x": 1, "z": 1}, "z": {"x": 1, "y": 2}}
    for name in ("base", "without group z"):
        lost = name[-1]
        counts = COUNTS if name == "base" else COUNTS.drop_sel(group=lost)
        used = weights if name == "base" or weights is None else kept[lost]
        posterior = br.fit(counts, "hierarchical_beta_binomial", draws=100, seed=1)
        ranking = br.credible_ranking(posterior, "accuracy", weights=used, **how)
        one = found.sel(alternative=name)
        for column in ("median", "lower", "probability_best"):
            assert (
                one[column].values.tolist()
                == ranking[column].sel(entity=one["entity"]).values.tolist()
            ), name


def test_nested_weights_lose_the_groups_and_categories_that_are_omitted():
    given = {"one": ["x", "y"], "two": {"z": 2.0}}
    assert weights_without(given, {"x"}) == {"one": ["y"], "two": {"z": 2.0}}
    assert weights_without(given, {"z", "two"}) == {"one": ["x", "y"]}
    assert weights_without({"x": "one", "y": "two"}, {"x"}) == {"y": "two"}
    assert weights_without("cases", {"x"}) == "cases"
    held = xr.DataArray([1.0, 2.0], {"group": ["x", "y"]}, ["group"])
    assert weights_without(held, {"x"})["group"].values.tolist() == ["y"]


def test_a_sensitivity_to_categories_of_groups_loses_a_category():
    counts = COUNTS.assign_coords(category=("group", ["p", "p", "q"]))
    how = {"over": "category", "aggregate": "worst", "models": [], "draws": 100, "seed": 1}
    found = br.sensitivity(counts, "accuracy", weights={"p": 1, "q": 1}, **how)
    assert found.sizes["alternative"] == 7
    with pytest.raises(
        br.ArgumentError, match="must not contain 'entities' beside aggregate='borda'"
    ):
        br.sensitivity(counts, "f1", alternatives=["entities"], over="category", aggregate="borda")


def test_a_decision_over_groups_names_them():
    over = aggregate_over(br.fit(COUNTS, "dirichlet_multinomial", draws=200, seed=1), "group")
    decision = br.decisions.expected_utility(over, {"tn": 0, "fp": -1, "fn": -3, "tp": 0})
    assert "for these 3 groups" in br.verdict(decision)[0]
    assert any(
        note.startswith("Means over 3 groups, with equal weights") for note in br.notes(decision)
    )


def test_the_commands_decide_and_vary_what_python_does(tmp_path):
    path = file_of_counts(tmp_path)
    group = "--group", "group"
    varied = invoke(
        "sensitivity", path, "--score", "f1", *group, "--aggregate", "worst", "--draws", "100"
    )
    assert "without group z" in varied
    assert "by worst F1" in " ".join(varied.split())
    benefit = "--benefit", "tn=0,fp=-1,fn=-3,tp=0"
    assert "for these 3 groups" in " ".join(invoke("decide", path, *group, *benefit).split())
    assert "aggregate must be 'mean'" in refused(
        "decide", path, *group, "--aggregate", "worst", *benefit
    )


def test_a_gate_over_groups_decides_by_the_worst_group(tmp_path):
    rng = np.random.default_rng(1)
    language = np.repeat(["de", "en", "sw"], [400, 400, 100])
    before = rng.random(900) < 0.8
    after = np.where(
        language == "sw", before & (rng.random(900) < 0.5), before | (rng.random(900) < 0.3)
    )
    files = []
    for name, right in (("old", before), ("new", after)):
        files.append(tmp_path / f"{name}.csv")
        frame = pd.DataFrame(
            {"case": np.arange(900), "language": language, "outcome": right.astype(int)}
        )
        frame.to_csv(files[-1], index=False)
    words = "gate", *files, "--margin", "0.01", "--format", "json"
    assert json.loads(invoke(*words))["verdict"] == "not worse"
    worst = json.loads(run(*words, "--group", "language", "--aggregate", "worst").output)
    assert worst["verdict"] == "worse"
    mean = json.loads(run(*words, "--group", "language").output)["entities"][0]
    joint = br.from_outcomes(pd.DataFrame({"old": before, "new": after}), group=language)
    expected = br.decisions.gate(
        aggregate_over(br.fit(joint, "paired", seed=1), "group"), "old", margin=0.01
    )
    assert mean["difference"] == pytest.approx(expected["difference"].item())
    assert mean["discordant"] == (before != after).sum()
    assert "--group must name a column" in refused(*words, "--group", "lang")
    assert "--aggregate cannot be used without --group" in refused(*words, "--aggregate", "gap")


@pytest.mark.parametrize("dim", ["dataset", "group"])
def test_more_data_sets_help_a_ranking_of_their_population_and_paired_cases_that_of_one(dim):
    counts = COUNTS if dim == "group" else COUNTS.rename(group="dataset")
    posterior = br.fit(counts, model="hierarchical_dirichlet_multinomial", seed=1, draws=50)
    needed = {
        kind: br.credible_ranking(posterior, "f1", kind=kind).attrs["needed_evidence"]
        for kind in ("typical", "new")
    }
    assert [*needed.values()] == ["data sets"] * 2
    of_each = br.credible_ranking(posterior, "f1", kind="observed")["needed_evidence"]
    assert set(of_each.values.tolist()) == {"per-case data"}


def test_the_command_and_python_agree_on_groups_of_cases(tmp_path):
    rng = np.random.default_rng(1)
    cases = pd.DataFrame(
        [(m, f"{g}{i}", g) for m in "abc" for g in ("en", "de") for i in range(40)]
    )
    cases.columns = ["model", "case", "language"]
    right = {"a": 0.8, "b": 0.6, "c": 0.5}
    cases["outcome"] = (rng.random(len(cases)) < cases["model"].map(right)).astype(int)
    cases.to_csv(tmp_path / "cases.csv", index=False)
    posterior = br.fit(br.from_frame(cases, group="language"), seed=3, draws=200)
    assert "prior_of_equal_groups" in posterior["posterior"].attrs["priors"]
    for aggregate in ("mean", "worst"):
        ranking = br.credible_ranking(posterior, over="group", aggregate=aggregate)
        options = ("--group", "language", "--aggregate", aggregate, "--draws", 200, "--seed", 3)
        shown = json_of("rank", tmp_path / "cases.csv", *options)
        assert shown["read"].startswith("Read 80 cases × 3 models, from")
        found = pd.DataFrame(shown["ranking"]).set_index("entity").loc[list("abc"), "median"]
        np.testing.assert_allclose(found, ranking["median"].sel(entity=list("abc")), atol=1e-9)
