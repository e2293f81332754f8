"""One aggregate, one answer: verdict, sets, statements, plan, gate, report and Tile agree on groups."""

import json

import numpy as np
import pytest

import bayesrank as br
from bayesrank._notes import notes_of
from bayesrank.performance import aggregate_over
from tests.commands import invoke, refused

COUNTS = br.from_counts(
    tn=[45, 82, 58, 47, 75, 49, 38, 88, 60], fp=[15, 18, 12, 13, 25, 21, 22, 12, 10],
    fn=[6, 12, 9, 7, 14, 5, 8, 10, 15], tp=[34, 48, 41, 33, 46, 45, 32, 50, 35],
    entity=list("aaabbbccc"), group=["x", "y", "z"] * 3,
)  # fmt: skip
POSTERIOR = br.fit(COUNTS, seed=1, draws=500)


@pytest.mark.parametrize(("score", "aggregate"), [("f1", "mean"), ("f1", "worst"), ("accuracy", "gap")])
def test_all_outputs_of_an_aggregate_agree(score, aggregate):
    over = aggregate_over(POSTERIOR, "group", aggregate)
    ranking = br.credible_ranking(over, score)
    assert ranking.identical(br.credible_ranking(POSTERIOR, score, over="group", aggregate=aggregate))
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
    if aggregate == "gap":
        with pytest.raises(br.ArgumentError, match="aggregate must be 'mean' or 'worst' for a plan"):
            br.plan(over, score)
    else:
        needed = br.plan(over, score)["needed"].item()
        [note] = notes_of(ranking["separation"])
        assert needed == pytest.approx(note.fields.get("needed") or np.nan, nan_ok=True)
    gate = br.decisions.gate(over, "a", score)
    values = br.aggregate_score(POSTERIOR, score, over="group", aggregate=aggregate).mean(["chain", "draw"])
    sign = -1 if aggregate == "gap" else 1
    apart = sign * (values.sel(entity="b") - values.sel(entity="a")).item()
    assert gate["difference"].sel(entity="b").item() == pytest.approx(apart)


def test_the_mean_utility_is_the_utility_of_the_mean():
    benefit = {"tn": 0, "fp": -1, "fn": -3, "tp": 0}
    weights = {"x": 1, "y": 2, "z": 1}
    of_mean = br.decisions.expected_utility(aggregate_over(POSTERIOR, "group", "mean", weights), benefit)
    each = [br.decisions.expected_utility(POSTERIOR, benefit, kind="observed")[name] for name in ("mean", "observed")]
    for name, values in zip(("mean", "observed"), each, strict=True):
        assert of_mean[name].values == pytest.approx(values.transpose("entity", "group").values @ [0.25, 0.5, 0.25])
    rates = br.decisions.noninferiority(aggregate_over(POSTERIOR, "group"), "a")
    tpr = br.aggregate_score(POSTERIOR, "tpr", over="group")
    assert rates["verdict"].dims == ("entity",)
    with pytest.raises(br.ArgumentError, match="aggregate must be 'mean' for an expected utility"):
        br.decisions.expected_utility(aggregate_over(POSTERIOR, "group", "worst"), benefit)
    assert tpr.sizes["entity"] == 3


def test_the_tile_by_the_worst_group_is_the_worst_score_at_each_point():
    tile = br.tile.credible(POSTERIOR, 5, over="group", aggregate="worst")
    for b in (0, 0.25, 1):
        for a in (0, 0.5, 1):
            point = (a, b)
            found = br.credible_ranking(POSTERIOR, point, over="group", aggregate="worst", joint=False)
            best = tile["probability_best"].sel(a=a, b=b)
            assert best.values == pytest.approx(found["probability_best"].values, abs=1e-9), point
    assert float(tile["share"].sum()) == pytest.approx(1)
    alone = br.fit(COUNTS.sel(group=["y"]), "dirichlet_multinomial", seed=1)
    one = br.tile.credible(alone, 5, over="group", aggregate="worst")
    plain = br.tile.credible(alone, 5, over="group")
    assert one["probability_best"].values == pytest.approx(plain["probability_best"].values, abs=1e-9)
    with pytest.raises(br.ArgumentError, match="aggregate must be 'mean' or 'worst' for a Tile"):
        br.tile.credible(POSTERIOR, 5, over="group", aggregate="gap")


def test_a_source_with_an_aggregate_is_refused_where_it_has_no_meaning():
    over = aggregate_over(POSTERIOR, "group", "worst")
    for use in (br.as_performance, br.heterogeneity, lambda source: br.tile.value(source, 5)):
        with pytest.raises(br.ArgumentError, match="an aggregate has no meaning here"):
            use(over)
    with pytest.raises(br.ArgumentError, match="source must be aggregated once"):
        aggregate_over(over, "group")
    with pytest.raises(br.ArgumentError, match="over must be left out of a source that has an aggregate"):
        br.credible_ranking(over, "f1", over="group")
    with pytest.raises(br.ArgumentError, match="looks must be a number beside an aggregate"):
        br.decisions.gate(over, "a", "f1", looks="any")
    with pytest.raises(br.ArgumentError, match="width must be left out of a plan over groups"):
        br.plan(over, "f1", width=0.1)


def test_the_commands_print_the_same_headline_and_number(tmp_path):
    path = tmp_path / "groups.csv"
    rows = [
        f"{e},{g}," + ",".join(str(int(n)) for n in COUNTS.sel(entity=e, group=g).values.ravel())
        for e in "abc" for g in "xyz"
    ]  # fmt: skip
    path.write_text("\n".join(["entity,group,tn,fp,fn,tp", *rows]) + "\n")
    words = path, "--rope", "0.05", "--score", "f1", "--group", "group", "--aggregate", "worst"
    ranked = json.loads(invoke("rank", *words, "--format", "json"))
    planned = json.loads(invoke("plan", *words, "--format", "json"))
    page = tmp_path / "page.html"
    reported = invoke("report", *words, "-o", page)
    assert ranked["verdict"][0] in reported
    assert planned["needed"] > 100
    assert planned["verdict"][0].split(" if ")[0] in " ".join(ranked["verdict"])
    assert "share of the Tile" in invoke("tile", path, *words[5:], "--resolution", "5")
    assert "aggregate must be 'mean' or 'worst'" in refused("plan", *words[:-1], "gap")


def test_aggregates_of_arrays_are_those_of_numpy():
    x = np.random.default_rng(3).random((300, 2, 3))
    values = POSTERIOR["posterior"]["performance"].isel(chain=0, draw=slice(0, 300), entity=slice(0, 2))
    values = values.sum(["actual", "predicted"]).copy(data=x)
    ranking = br.credible_ranking(aggregate_over(values, "group", "worst"), "accuracy")
    assert ranking["probability_best"].values[0] == pytest.approx((x[:, 0].min(1) > x[:, 1].min(1)).mean())
