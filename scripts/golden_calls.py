"""Analyses of ``golden.py`` that are no operation on a kind of evidence: functions, and commands on files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from golden_analyses import (
    CASES,
    CELLS,
    CLASSES,
    DRAWS,
    GROUPS,
    KINDS,
    STUDIES,
    battles,
    case_table,
    counts,
    fold_scores,
    grades,
    labels,
    right,
    risks,
    studies,
    verdicts,
    with_gaps,
)

import bayesrank as br
from bayesrank import cases, decisions, ops, performance, predictive, scores, theory, tile

COUNTS = KINDS["counts"]()
CURVE: dict[str, Any] = {"draws": 30, "seed": 1}


def matrix() -> xr.DataArray:
    return br.from_matrix(CLASSES[0], "actual_rows", labels=["u", "v", "w"])


def posterior() -> Any:
    return br.fit(COUNTS, **DRAWS)


def relations(name: str = "ppv") -> xr.Dataset:
    return theory.relations(scores.get(name)(COUNTS), COUNTS)


def score_pmf(entity: int, name: str = "f1") -> xr.Dataset:
    return predictive.score_pmf(predictive.confusion_pmf(COUNTS.isel(entity=entity), 12, 15), name)


def preference(weighting: xr.Dataset) -> dict[str, Any]:
    return {"weighting": weighting, "ranking": tile.preference_ranking(COUNTS, weighting)}


def weights_of_cases() -> xr.DataArray:
    return br.case_weights(labels()[0], draws=20, chains=2, seed=1)


def values_of_scores(evidence: Any, *spaces: str) -> dict[str, Any]:
    """Return the values of all scores of these spaces."""
    space = scores.catalog()["space"]
    return {name: scores.get(name)(evidence).values for name in space.index[space.isin(spaces)]}


def values_of_families() -> dict[str, Any]:
    """Return the values of a score of each family."""
    found = {
        "as_score": scores.as_score((1.0, 0.5)),
        "average": scores.average("tpr", "macro"),
        "balanced": scores.balanced(scores.ppv, "mine"),
        "canonical": scores.canonical(1, 0.5),
        "conditional_probability": scores.conditional_probability("mine", "tp", "fp tp"),
        "decision_benefit": scores.decision_benefit([[0, -1], [-9, 0]]),
        "f_beta": scores.f_beta(2.0),
        "implicit": scores.implicit((0.35, 0.65), (0.65, 0.35)),
        "net_benefit": scores.net_benefit(0.2),
        "of_importance": scores.of_importance(br.importance(tp=1, fp=2, fn=1)),
        "scaled_log": scores.scaled_log(scores.diagnostic_odds_ratio, 20, 40),
        "tversky": scores.tversky(1, 0.5),
        "weighted_accuracy": scores.weighted_accuracy(0.75),
    }
    return {
        name: {"name": score.name, "values": score(COUNTS).values} for name, score in found.items()
    }


def ops_of_references() -> dict[str, Any]:
    """Return the outperformance score of one value against each kind of reference."""
    references: dict[str, Any] = {
        "independent_betas": ops.independent_betas((1, 4), (4, 1)),
        "better_than_chance": ops.better_than_chance(),
        "from_sampler": ops.from_sampler(
            lambda rng, n: (rng.beta(1, 3, n), rng.beta(3, 1, n)), 500
        ),
    }
    return {
        name: ops.of_value("informedness", 0.6, 0.3, reference=each)
        for name, each in references.items()
    }


#: Functions that need no evidence, or one kind only.
BARE: dict[str, Callable[[], Any]] = {
    "catalog of scores": lambda: scores.catalog().drop(columns="importance"),
    "scores of counts": lambda: values_of_scores(COUNTS, "binary", "classes"),
    "scores of classes": lambda: values_of_scores(matrix(), "classes"),
    "families of scores": values_of_families,
    "ranking without a score": lambda: br.credible_ranking(posterior()),
    "place": lambda: {
        name: br.place(name, 0.3) for name in ("f1", "accuracy", "ppv", "tpr", "cohen_kappa", "mcc")
    },
    "contour": lambda: br.contour("mcc", [0.2, 0.5], [0.1, 0.4], 0.3),
    "ranking_score": lambda: br.ranking_score(COUNTS, br.importance(tn=1, fp=2, fn=1, tp=3)),
    "canonical_score": lambda: br.canonical_score(COUNTS, 0.3, 0.7),
    "audit": lambda: {name: br.audit(name, 0.3) for name in ("f1", "mcc", "balanced_accuracy")},
    "audit of classes": lambda: br.audit("macro_f1", classes=3),
    "data sets": lambda: {
        name: br.datasets.load(name) for name in br.datasets.names() if name != "imagenet_models"
    },
    "questions of data sets": lambda: {
        name: br.datasets.describe(name)["question"] for name in br.datasets.names()
    },
    "cases of a data set": lambda: br.datasets.load_cases("langchain_tool_use"),
    "joint outcomes of a data set": lambda: br.datasets.load_joint("langchain_tool_use"),
    "case_weights": weights_of_cases,
    "weighted_metric": lambda: cases.weighted_metric("auc_roc", *risks(), weights_of_cases()),
    "reliability": lambda: cases.reliability(br.fit(KINDS["outcomes_runs"](), **DRAWS)),
    "attempts_curve": lambda: scores.attempts_curve(br.fit(KINDS["outcomes_runs"](), **DRAWS)),
    "variance_components": lambda: cases.variance_components(
        right(item=CASES // 2, attempt=CASES % 2), case="item", run="attempt"
    ),
    "decision_curve": lambda: decisions.decision_curve(*risks(), [0.2, 0.5], draws=100, seed=1),
    "theory audit_table": lambda: theory.audit_table(["f1", "mcc"], [0.2]),
    "audit_frame": lambda: theory.audit_frame(theory.audit_table(["f1", "mcc"], [0.2])),
    "credible_by_class": lambda: br.tile.credible_by_class(matrix(), 3),
    "theory compare_orders": lambda: theory.compare_orders("f1", "accuracy"),
    "theory relations": relations,
    "theory dominance": lambda: theory.dominance(relations(), relations("tpr")),
    "theory rank_bounds": lambda: theory.rank_bounds(relations()),
    "theory relation_properties": lambda: theory.relation_properties(
        relations()["worse_or_equivalent"]
    ),
    "theory exact_superiority": lambda: theory.exact_superiority([(0, 1), (0, 1)], (1, 3)),
    "theory filter_by_importance": lambda: theory.filter_by_importance(
        COUNTS, br.importance(fp=1, tp=1)
    ),
    "theory mix": lambda: theory.mix(COUNTS, {"a": 0.5, "b": 0.25, "c": 0.25}),
    "aggregate_over": lambda: br.top_set(
        performance.aggregate_over(br.fit(studies(), **DRAWS), "dataset", "worst"), "f1", 1
    ),
    "no_skill_twin": lambda: performance.no_skill_twin(COUNTS),
    "prevalence_draws": lambda: performance.prevalence_draws(12, 600, **DRAWS),
    "relabel": lambda: performance.relabel(COUNTS, "swap_classes"),
    "shift_prior": lambda: performance.shift_prior(COUNTS, 0.1),
    "shift_importance": lambda: performance.shift_importance(
        br.importance(tn=1, fp=2, fn=5, tp=3), 0.5, 0.1
    ),
    "from_cells": lambda: performance.from_cells(tn=0.4, fp=0.1, fn=0.2, tp=0.3),
    "tile value": lambda: tile.value(COUNTS, 3),
    "tile value_interval": lambda: tile.value_interval(posterior(), 3),
    "tile baseline": lambda: tile.baseline(COUNTS, 3),
    "tile state_of_the_art": lambda: tile.state_of_the_art(COUNTS, 3),
    "tile no_skill": lambda: tile.no_skill(0.2, 3),
    "tile relative_skill": lambda: tile.relative_skill(COUNTS, 3),
    "tile chance_corrected": lambda: tile.chance_corrected(COUNTS, 3),
    "tile chance_corrected_place": lambda: tile.chance_corrected_place(0.5, 0.5, 0.2),
    "tile entity": lambda: tile.entity(COUNTS, 1, 5),
    "tile entity_rank": lambda: tile.entity_rank(COUNTS, "a", 5),
    "tile rank_probability": lambda: tile.rank_probability(posterior(), 3),
    "tile probability_best": lambda: tile.probability_best(posterior(), 3),
    "tile robustness": lambda: tile.robustness(COUNTS, 3),
    "tile shares": lambda: tile.shares(COUNTS),
    "tile regions": lambda: tile.regions(COUNTS, points=9),
    "tile frontier": lambda: tile.frontier(COUNTS, "a", "c", 5),
    "tile frontiers": lambda: tile.frontiers(COUNTS, 5),
    "tile zone": lambda: tile.zone(COUNTS, "a", ["b", "c"], 5),
    "tile isovalue": lambda: tile.isovalue(COUNTS, 0.8),
    "tile isoperformance": lambda: tile.isoperformance(1, 0.5, 0.8, 0.3),
    "tile volume": lambda: tile.volume(COUNTS),
    "tile vertex": lambda: tile.vertex(0.95, 0.7, 0.2),
    "tile prior_grid": lambda: tile.prior_grid(0.3, 5),
    "tile moved_place": lambda: tile.moved_place("shift_prior", 0.5, 0.5, old=0.5, new=0.2),
    "tile neutral_prevalence": lambda: tile.neutral_prevalence(0.8, 0.7),
    "tile neutral_band": lambda: tile.neutral_band((30, 70), points=5),
    "tile no_skill_curve": lambda: tile.no_skill_curve(prevalence=0.3, points=5),
    "tile no_skill_spread": lambda: tile.no_skill_spread(0.5, 0.5, 0.3),
    "tile describe_place": lambda: tile.describe_place(0.9, 0.6, 0.3),
    "tile correlation": lambda: tile.correlation("f1", 3, size=200),
    "tile best_consistency": lambda: tile.best_consistency(
        "jaccard", tile.sample_performances(300, seed=1)
    ),
    "tile performance_grid": lambda: tile.performance_grid(10, prediction_rate=0.3),
    "tile around": lambda: preference(tile.around("f1", 0.2, points=200)),
    "tile between": lambda: preference(tile.between("tnr", "ppv", "npv")),
    "tile over": lambda: preference(tile.over("upper_half")),
    "tile beta_preferences": lambda: preference(tile.beta_preferences((1, 1), (4, 1))),
    "ops of_value": lambda: ops.of_value("f1", 0.6, [0.1, 0.5]),
    "ops references": ops_of_references,
    "ops on_tile": lambda: ops.on_tile(COUNTS, 3),
    "ops by_label": lambda: ops.by_label(matrix(), "f1"),
    "ops square": lambda: ops.square("f1", 0.6, 0.1, 11),
    "ops value_curves": lambda: ops.value_curves("f1", [0.1, 0.5], 5),
    "ops of_curve": lambda: ops.of_curve(*risks(), "auc_roc", **CURVE),
    "ops of_curve among trees": lambda: ops.of_curve(
        *risks(), "auc_roc", reference=ops.directed_binary_tree(3, 50), **CURVE
    ),
    "ops threshold_curves": lambda: ops.threshold_curves(risks()[0], risks()[1]["a"]),
    "ops best_threshold": lambda: ops.best_threshold(
        risks()[0], risks()[1]["a"], "informedness", **CURVE
    ),
    "ops ideal_area": lambda: ops.ideal_area("lift", [0.1, 0.5]),
    "ops prevalence_free": lambda: {
        name: ops.prevalence_free(name) for name in ("f1", "ppv", "mcc", "tpr")
    },
    "predictive score_pmf": lambda: score_pmf(0),
    "predictive summary": lambda: predictive.summary(score_pmf(0, "mcc")),
    "predictive difference": lambda: predictive.summary(
        predictive.difference(score_pmf(0), score_pmf(1))
    ),
    "predictive multiplicity": lambda: predictive.multiplicity(8, 12, "f1"),
    "predictive by_class": lambda: predictive.summary(predictive.by_class(matrix(), "f1")),
    "predictive paired_difference": lambda: predictive.summary(
        predictive.paired_difference(KINDS["joint_labels"](), "a", "b", "accuracy")
    ),
}


def metrics() -> pd.DataFrame:
    """Return two metrics of two models in two variants on the same cases, in rows."""
    rng = np.random.default_rng(21)
    keys = [
        (i, m, v, of)
        for of in ("dice", "hd95")
        for i in range(12)
        for m in "AB"
        for v in ("large", "small")
    ]
    frame = pd.DataFrame(keys, columns=["case", "model", "variant", "metric"])
    return frame.assign(
        value=(rng.random(len(frame)) * np.where(frame["metric"] == "hd95", 30, 1)).round(3)
    )


#: Tables that commands read, as NAME.csv.
FILES: dict[str, Callable[[], pd.DataFrame]] = {
    "studies": lambda: STUDIES,
    "counts": lambda: pd.DataFrame({"entity": list("abc"), **CELLS}),
    "groups": lambda: GROUPS,
    "right_wrong": lambda: pd.DataFrame(
        {"model": list("abc"), "correct": [46, 39, 30], "wrong": [4, 11, 20]}
    ),
    "means": lambda: pd.DataFrame({"model": list("ab"), "mean": [0.71, 0.62], "se": [0.01, 0.02]}),
    "outcomes": lambda: case_table(topic=np.repeat(["u", "v"], 40)),
    "wide": right,
    "grades": grades,
    "gaps": with_gaps,
    "predictions": lambda: pd.DataFrame({"actual": labels()[0], **labels()[1]}),
    "truth_unnamed": lambda: pd.DataFrame({"label": labels()[0], **labels()[1]}),
    "votes": battles,
    "verdicts": verdicts,
    "folds": fold_scores,
    "total_row": lambda: pd.DataFrame(
        {"entity": ["a", "b", "total"], "correct": [46, 39, 85], "wrong": [4, 11, 15]}
    ),
}
#: Commands of each file.
COMMANDS = (
    "rank FILE --draws 200",
    "rank FILE --draws 200 --format csv",
    "rank FILE --draws 200 --notes",
    "rank FILE --draws 200 --format markdown --top 1",
    "scores FILE --draws 200 --format csv",
    "tile FILE --draws 200 --resolution 5 --format csv",
    "ops FILE --draws 200 --format csv",
    "decide FILE --draws 200 --benefit tn=0,fp=-1,fn=-9,tp=0 --prevalence 10%",
    "plan FILE --draws 200",
    "sensitivity FILE --draws 100",
    "doctor FILE",
    "convert FILE",
)
#: Commands with further options, of data sets, of logs, and of two versions.
MORE_COMMANDS = (
    "",
    "nonesuch",
    "datasets",
    "scores counts.csv --per 1000 --prevalence 2%",
    "rank tornado --score f1",
    "rank breast_cancer --top 3",
    "rank counts.csv --format board",
    "rank counts.csv --format json",
    "rank counts.csv --format latex",
    "rank counts.csv --score tn=1,fp=1,fn=5,tp=1 --prior jeffreys",
    "rank counts.csv --score fnr --columns expected_rank,observed",
    "rank counts.csv --model paired",
    "rank counts.csv --score nonesuch",
    "rank counts.csv --nonesuch",
    "rank counts.csv --prob 2",
    "rank nonesuch.csv",
    "rank wide.csv --ask 'a > b' --ask 'b in top 1'",
    "rank outcomes.csv --by topic",
    "rank gaps.csv --missing own",
    "rank gaps.csv --missing 0",
    "rank groups.csv --group group --aggregate worst --draws 200",
    "rank studies.csv --over dataset --aggregate borda --draws 200",
    "rank studies.csv --dataset w --score mcc",
    "audit mcc",
    "rank verdicts.csv --judge gpt --truth human --entity system --case case",
    "rank metrics.csv --where metric=dice --outcome value --entity model,variant",
    "rank folds.csv --train 0.9 --test 0.1",
    "rank logs",
    "rank logs --map case=id,entity=model,outcome=score",
    "doctor logs",
    "check means.csv",
    "convert logs --map case=id,entity=model,outcome=score",
    "tile counts.csv --preference 'around f1 0.2'",
    "decide counts.csv --benefit tn=0,fp=-1,fn=-9,tp=0 --reference a --always",
    "plan counts.csv --true-scores population",
    "sensitivity counts.csv --score f1 --other-prevalence 2%",
    "drift studies.csv --score f1 --draws 200",
    "drift studies.csv --score f1 --draws 200 --looks 12 --format json",
    "gate base.csv change.csv",
    "gate base.csv change.csv --margin 0.3",
    "gate base.csv change.csv --format junit",
    "gate change.csv base.csv --looks any --format json",
    "gate base.csv base.csv --fail-on undecided --format markdown",
    "diff old.json new.json",
    "diff old.json new.json --format csv",
    "diff old.json old.json",
    "diff old.json counts.csv",
    "report counts.csv",
    "report counts.csv --output page.html",
    "report wide.csv --output page.html",
    "report studies.csv --model beta_binomial --output page.html",
)


def write_files() -> None:
    """Write what the commands read into this folder: tables, two versions, two boards, and logs of no known tool."""
    for name, table in FILES.items():
        table().to_csv(f"{name}.csv", index=False)
    metrics().to_csv("metrics.csv", index=False)
    for name, entity in (("base", "a"), ("change", "b")):
        pd.DataFrame({"case": CASES, "outcome": right()[entity]}).to_csv(f"{name}.csv", index=False)
    for name, tp in (("old", 21), ("new", 30)):
        later = counts(CELLS | {"tp": [tp, 29, 21]}, entity=list("abc"))
        Path(f"{name}.json").write_text(br.board(br.credible_ranking(br.fit(later, **DRAWS), "f1")))
    Path("logs").mkdir()
    for system in ("a", "b"):
        rows = [
            {"id": i, "model": system, "score": int(value)}
            for i, value in enumerate(right()[system])
        ]
        Path("logs", f"{system}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
