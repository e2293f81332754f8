"""A valid call of every public function, around which tests change one argument at a time."""

import inspect
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

import bayesrank as br
from bayesrank import cases, decisions, papers, theory
from tests import refusals
from tests.refusals import DRAWS, POINT, credible

MODULES = (
    *(
        br,
        br.scores,
        br.tile,
        br.ops,
        br.predictive,
        br.plots,
        br.performance,
        br.comparisons,
        br.datasets,
    ),
    *(br.models, br.statements, cases, decisions, papers, theory),
)


class Constant:
    """An estimator that always predicts 1."""

    def predict(self, X):
        return [1] * len(X)


PROBABILITIES = br.from_probabilities(
    [0, 1, 0, 1] * 5, {"a": np.linspace(0.1, 0.9, 20), "b": [0.3, 0.4] * 10}
)
FOLDS = pd.DataFrame(
    {"tree": [0.8, 0.7, 0.9, 0.7], "forest": [0.9, 0.8, 0.8, 0.9], "n": 9, "again": [1, 1, 2, 2]}
)
VOTES = pd.DataFrame(
    {"left": list("xxy"), "right": list("yyx"), "won": ["x", "tie", "x"], "judge": "tie", "n": 2}
)
JUDGED = pd.DataFrame(
    {
        "who": list("aaabbb"),
        "item": [1, 2, 3] * 2,
        "gpt": [1, 1, 0, 1, 0, 1],
        "human": [1, 0, 0, None, None, 1],
    }
)
CASES = pd.DataFrame(
    {
        "who": list("aaabbb"),
        "item": [1, 2, 3] * 2,
        "right": [1, 1, 0, 1, 0, 1],
        "place": list("xyz") * 2,
    }
)
ANSWERS = pd.DataFrame(
    {"a": [0, 1, 1, 0] * 3, "b": [0, 0, 1, 1] * 3, "task": np.arange(12) // 2, "again": [1, 2] * 6}
)


def case_file():
    """Write a table of cases into the working folder."""
    Path("cases.csv").write_text("agent,task,right\na,1,1\na,2,0\nb,1,0\nb,2,1\n")
    return "cases.csv"


@cache
def latent():
    """Return posteriors of tests without a gold standard, whose sampler compiles."""
    return {"x": br.fit(br.datasets.load("myocardial_indicators"), draws=20, chains=1, seed=1)}


def thresholds():
    """Return a credible Tile of two thresholds of an entity, which compiles."""
    return br.tile.credible(
        br.fit(br.ops.apply_threshold(PROBABILITIES, [0.3, 0.7]), **refusals.RUN),
        3,
        by="classifier",
    )


@cache
def class_tiles():
    """Return credible Tiles of three classes, which compile."""
    return br.tile.credible_by_class(refusals.THREE, 3)


@cache
def calibration():
    """Return calibration curves, which compile."""
    return br.ops.credible_curves(PROBABILITIES, "calibration", seed=1, draws=5)


@cache
def refits():
    """Return a sensitivity, which fits several models."""
    return br.sensitivity(refusals.COUNTS, "tpr", seed=1, draws=20)


RETRIES = br.fit(br.from_outcomes(ANSWERS, case="task", run="again"), draws=50, chains=2, seed=1)
COSTS = xr.DataArray([1.0, 2.0], {"entity": ["a", "b"]}, ("entity",))
TRUSTED = br.fit(
    br.from_judged(JUDGED, judge="gpt", truth="human", entity="who", case="item"),
    draws=20,
    chains=1,
    seed=1,
)

#: Good values of what else must be given, by name, or by function and name.
GOOD = {
    **dict.fromkeys(("a", "b", "value"), 0.5),
    **dict.fromkeys(("k", "alpha"), 1),
    **dict.fromkeys(("cases", "steps"), 3),
    **dict.fromkeys(("entities", "entity", "reference"), "a"),
    **dict.fromkeys(("rival", "rivals"), "b"),
    **dict.fromkeys(("pmf", "pmfs"), refusals.SCORE_PMF),
    **dict.fromkeys(("posterior", "source"), DRAWS),
    **dict.fromkeys(("prior", "values"), refusals.F1),
    "benefit": refusals.BENEFIT,
    "corners": ("f1", "accuracy"),
    "counts": refusals.COUNTS.sel(entity=["a"]),
    "curve": "roc",
    "evidence": refusals.COUNTS,
    "fpr": 0.1,
    "how": "macro",
    "importance": refusals.IMPORTANCE,
    "joint": refusals.JOINT,
    "matrix": [[1, 2], [3, 4]],
    "metric": "auc_roc",
    "name": "mine",
    "negatives": 30,
    "operation": "swap_classes",
    "ops": br.ops.of_draws(DRAWS, "f1"),
    "orientation": "actual_rows",
    "other": "accuracy",
    "positives": 20,
    "predictions": {"a": [0.1, 0.9, 0.4]},
    "prevalence": 0.3,
    "ranking": refusals.RANKING,
    "region": "tile",
    "result": refusals.CURVE,
    "sampler": lambda rng, n: (rng.random(n), rng.random(n)),
    "score": "f1",
    "scores": ["f1"],
    "square": br.ops.square("f1", 0.5, 0.3, 5),
    "orders": [theory.relations(br.scores.f1(POINT))],
    "statement": "a > b",
    "table": br.score_table(refusals.POSTERIOR, ["tpr", "tnr"]),
    "thresholds": [0.2, 0.5],
    "tile": refusals.TILE.isel(entity=0),
    "tiles": refusals.TILE,
    "total": 10,
    "tpr": 0.8,
    "weights": refusals.TWO,
    "y_score": [0.1, 0.9, 0.4],
    "y_true": [0, 1, 1],
}
#: Audits of one score at one prevalence.
AUDITS = xr.Dataset(
    {
        name: (("score", "prevalence"), [[True]])
        for name in ("axiom_2", "axiom_3_upper", "axiom_3_lower")
    }
    | {name: (("score", "prevalence"), [[1.0]]) for name in ("tau_min", "tau_max")},
    {"score": ["f1"], "prevalence": [0.2]},
)
#: What compiles is made when it is needed.
MADE = {
    "credible": credible,
    "frontiers": lambda: br.tile.frontiers(POINT),
    "regions": lambda: br.tile.regions(POINT),
}
POPULATION = {"posterior": refusals.POPULATION, "source": refusals.POPULATION, "score": "f1"}
GOOD_OF = {
    **{
        name: {"source": POINT}
        for name in ("entity", "frontier", "frontiers", "isovalue", "robustness", "zone")
    },
    **{
        name: {"pmf": refusals.MATRIX_PMF}
        for name in ("matrix_pmf", "pmf_over_contours", "pr_pmf", "score_pmf_by_tpr")
    },
    **{name: {"predictions": {"a": [0, 1, 1]}} for name in ("from_predictions", "joint_outcomes")},
    **dict.fromkeys(("heterogeneity", "shrinkage", "summary_roc"), POPULATION),
    **{name: {"score": "lift_at_k", "at": 1, "size": 3} for name in ("of_value", "value_curves")},
    **{
        name: {"score": "f1"}
        for name in (
            "credible_ranking",
            "gate",
            "probability",
            "probable_orders",
            "rank",
            "ranking_report",
        )
    },
    "beta_preferences": {"a": (1, 1), "b": (1, 1)},
    "analyze": {"data": refusals.COUNTS, "score": "f1"},
    "best_threshold": {"y_true": [0, 0, 1, 1], "y_score": [0.1, 0.4, 0.3, 0.9], "score": "f1"},
    "credible_by_class": {"source": refusals.THREE},
    "class_tiles": {"tiles": class_tiles},
    "audit_grid": {"table": AUDITS},
    "by_label": {"source": br.one_vs_rest(refusals.THREE)},
    "case_grid": {"cases": cases.deciding_cases(refusals.JOINT)},
    "confusion_simplex": {"positives": [3]},
    "decision_curve": {
        "curve": decisions.decision_curve([0, 1], {"a": [0.1, 0.9]}, [0.2, 0.3], draws=10, seed=1)
    },
    "drift": {"source": refusals.PERIODS},
    "from_rates": {"prevalence": 0.5, "fpr": 0.1},
    "mean_over_datasets": {"source": refusals.EACH},
    "mix": {"weights": {"a": 0.5, "b": 0.5}},
    "no_skill_curve": {"prevalence": 0.3},
    **{name: {"result": refusals.RANKING} for name in ("notes", "verdict")},
    "ops_drift": {"result": refusals.DRIFT, "entity": "a"},
    "ops_values": {"ops": br.ops.value_curves("f1", [0.3], 3)},
    "paired_difference": {"entity": "a", "other": "b"},
    "plan": {"posterior": refusals.PLANNED, "score": "mcc"},
    "pool": {"counts": refusals.STUDIES},
    "independent_betas": {"tpr": (3, 1), "fpr": (1, 3)},
    "latent_rates": {"posteriors": latent},
    "load": {"name": "tornado"},
    "load_cases": {"name": "utah_trees"},
    "load_joint": {"name": "puddings"},
    "neutral_band": {"prevalence": (30, 70), "points": 5},
    "predictive_check": {
        "posterior": refusals.EACH,
        "check": br.predictive.predictive_check(refusals.EACH, seed=1),
    },
    "prevalence_draws": {"positives": 2, "cases": 3},
    "shares": {"source": POINT},
    "summary_points": {"source": refusals.POPULATION},
    "describe": {"name": "tornado"},
    "posterior_predictive": {"size": 5},
    "preference_ranking": {"b": 0.5},
    "regions": {"source": POINT},
    "score_pmfs": {"pmfs": {"x": refusals.SCORE_PMF}},
    "weighted_metric": {"y_true": [0, 1], "predictions": {"a": [0.1, 0.9]}},
    "audit_table": {"scores": ["f1"], "prevalences": [0.3]},
    "aggregate_over": {"source": refusals.EACH, "over": "dataset"},
    "aggregate_score": {"source": refusals.EACH, "score": "f1", "over": "dataset"},
    "apply_threshold": {"evidence": PROBABILITIES, "threshold": 0.5},
    "calibration_curve": {"curves": calibration},
    "case_weights": {"joint": refusals.JOINT},
    "compare": {"evidence": refusals.COUNTS, "models": ["dirichlet_multinomial"]},
    "conditional_probability": {"name": "mine", "event": "tp"},
    "correlation": {"score": "f1", "resolution": 3, "size": 50},
    "count_ticks": {"ax": refusals.figure_axes, "positives": 3, "negatives": 4},
    "credible_curves": {"evidence": PROBABILITIES},
    "decision_benefit": {"benefit": [[0, -1], [-9, 5]]},
    "doctor": {"paths": case_file},
    "exact_superiority": {"first": (3, 2), "second": (2, 3)},
    "f_beta": {"beta": 2.0},
    "from_counts": {"tn": [8, 9], "fp": [2, 1], "fn": [1, 3], "tp": [9, 7]},
    "from_cells": {"tn": [0.4, 0.5], "fp": [0.1, 0.1], "fn": [0.1, 0.1], "tp": [0.4, 0.3]},
    "from_estimators": {
        "estimators": {"always": Constant()},
        "X": [[0.1], [0.3], [0.7]],
        "y": [0, 1, 1],
    },
    "from_folds": {"scores": FOLDS, "train": 50, "test": 50},
    "from_frame": {"frame": refusals.FRAME},
    "from_judged": {
        "frame": JUDGED,
        "judge": "gpt",
        "truth": "human",
        "entity": "who",
        "case": "item",
    },
    "from_outcomes": {"frame": ANSWERS},
    "from_probabilities": {"probabilities": {"a": [0.1, 0.9, 0.4]}},
    "from_votes": {"frame": VOTES, "a": "left", "b": "right", "winner": "won"},
    "gate": {"source": refusals.POSTERIOR, "baseline": "a", "score": "f1"},
    "importance": {"tn": 1},
    "get": {"name": "f1"},
    "implicit": {"low": (0.2, 0.3), "high": (0.7, 0.8)},
    "judge_errors": {"posterior": TRUSTED},
    "judge_ranks": {"errors": br.judge_errors(TRUSTED)},
    "natural_frequencies": {"frequencies": decisions.natural_frequencies(refusals.POSTERIOR)},
    "neutral_tile": {"band": br.tile.neutral_band((30, 70), points=5)},
    "net_benefit": {"threshold": 0.3},
    "attempts": {"curve": br.scores.attempts_curve(RETRIES)},
    "attempts_curve": {"posterior": RETRIES},
    "reliability": {"posterior": RETRIES},
    "pareto_front": {
        "front": decisions.pareto_front(refusals.POSTERIOR, "f1", COSTS),
        "score": "f1",
        "cost": COSTS,
    },
    "precision_recall_curve": {
        "curves": br.ops.credible_curves(PROBABILITIES, "precision_recall", seed=1, draws=5)
    },
    "rank_bounds": {"order": theory.relations(br.scores.f1(POINT))},
    "read": {"paths": case_file, "map": {"entity": "agent", "case": "task", "outcome": "right"}},
    "relation_properties": {"relation": theory.relations(refusals.F1)["better"]},
    "roc_curve": {"curves": br.ops.credible_curves(PROBABILITIES, "roc", seed=1, draws=5)},
    "save": {"html": papers.turning_simplex(4, [2], "mcc"), "path": "page.html"},
    "scaled_log": {"score": "positive_likelihood_ratio"},
    "sensitivity": {"score": "f1", "alternatives": ["priors"], "draws": 20, "chains": 1},
    "turning_simplex": {"positives": [3, 4], "total": 8},
    "tversky": {"alpha": 1.0, "beta": 2.0},
    "variance_components": {"frame": refusals.RUNS, "case": "q"},
    "weighted_accuracy": {"weight": 0.3},
}


def functions():
    """Return every public function once, by its shortest name."""
    found = {}
    for module in MODULES:
        for name in getattr(module, "__all__", None) or [
            n for n in vars(module) if not n.startswith("_")
        ]:
            function = getattr(module, name)
            if inspect.isfunction(function):
                found.setdefault(function, f"{module.__name__.replace('bayesrank', 'br')}.{name}")
    return found


def required(function):
    parameters = inspect.signature(function).parameters.values()
    return [
        p.name
        for p in parameters
        if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and p.default is p.empty
    ]


#: More valid calls: function, what is special, and arguments. A call "" takes the place of the usual one.
MORE = [
    (br.plots.threshold_tile, "", {"credible": thresholds}),
    (br.predictive.difference, "", {"pmf": refusals.SCORE_PMF, "other": refusals.SCORE_PMF}),
    (br.predictive.score_pmf, "", {"pmf": refusals.MATRIX_PMF, "score": "f1"}),
    (br.plots.colors, "", {"entities": ["a", "b"]}),
    (br.plots.plan, "", {"result": br.plan(refusals.PLANNED, "mcc")}),
    (br.plots.sensitivity, "", {"result": refits}),
    (
        br.from_counts,
        "studies",
        {
            "tn": [8, 9],
            "fp": [2, 1],
            "fn": [1, 3],
            "tp": [9, 7],
            "entity": ["a", "b"],
            "dataset": ["x", "x"],
        },
    ),
    (br.from_frame, "cases", {"frame": CASES, "entity": "who", "case": "item"}),
    (
        br.from_frame,
        "votes",
        {"frame": VOTES.rename(columns={"left": "model_a", "right": "model_b", "won": "winner"})},
    ),
    (
        br.from_frame,
        "judged",
        {"frame": JUDGED, "entity": "who", "case": "item", "judge": "gpt", "truth": "human"},
    ),
    (br.from_outcomes, "runs", {"frame": ANSWERS, "case": "task", "run": "again"}),
    (br.from_outcomes, "seeds", {"frame": ANSWERS, "case": "task", "training_seed": "again"}),
    (br.from_folds, "columns", {"scores": FOLDS, "train": "n", "test": 50, "repeat": "again"}),
    (
        br.from_rates,
        "tnr",
        {"tpr": [0.8, 0.7], "tnr": [0.9, 0.9], "prevalence": [0.2, 0.2], "entity": ["a", "b"]},
    ),
    (
        br.joint_outcomes,
        "no truth",
        {"y_true": None, "predictions": {"a": [0, 1, 1, 0], "b": [0, 1, 0, 0]}},
    ),
    (
        br.from_probabilities,
        "classes",
        {"y_true": list("xyzx"), "probabilities": {"a": np.full((4, 3), 1 / 3)}},
    ),
    (br.fit, "joint", {"evidence": refusals.JOINT}),
    (br.fit, "studies", {"evidence": refusals.STUDIES, "model": "beta_binomial"}),
    (br.credible_ranking, "exact", {"source": refusals.COUNTS, "score": "f1", "method": "exact"}),
    (br.credible_ranking, "over", {"source": refusals.EACH, "score": "f1", "over": "dataset"}),
    (br.rank, "values", {"source": refusals.F1, "score": None}),
    (br.ranking_report, "posterior", {"source": refusals.POSTERIOR, "score": "f1"}),
    (br.decisions.noninferiority, "posterior", {"source": refusals.POSTERIOR, "reference": "a"}),
]


def calls():
    """Return the valid calls: an id, the function, and the arguments if they are not the usual ones."""
    special = {function for function, what, _ in MORE if not what}
    found = [
        (name, function, None) for function, name in functions().items() if function not in special
    ]
    return found + [
        (f"{functions()[function]} {what}".strip(), function, given)
        for function, what, given in MORE
    ]


def valid_call(function, more=None):
    """Return positional and keyword arguments with which a function works."""
    parameters = inspect.signature(function).parameters
    several = [
        value for p in parameters.values() if p.kind is p.VAR_POSITIONAL for value in GOOD[p.name]
    ]
    given = dict(more or {})
    if more is None:
        given = {
            name: MADE[name]() if name in MADE else GOOD.get(name) for name in required(function)
        }
        given |= {
            name: value
            for name, value in GOOD_OF.get(function.__name__, {}).items()
            if name in parameters
        }
    made = (
        refusals.figure_axes,
        case_file,
        *(latent, thresholds, class_tiles, calibration, refits),
    )
    return several, {
        name: value() if callable(value) and value in made else value
        for name, value in given.items()
    }
