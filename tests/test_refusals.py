"""Every public function refuses bad arguments by their names, on one line: by its signature, and by one table."""

import inspect
import math
import re
import shlex

import numpy as np
import pytest

import bayesrank as br
from bayesrank import cases, decisions, papers, theory
from tests import refusals
from tests.commands import run
from tests.refusals import COMMANDS, DRAWS, HUGE, POINT, ROWS, STRANGE, credible, figure_axes
from tests.strategies import peak_of


def refused(words, call, *values):
    values = [figure_axes() if value is figure_axes else value for value in values]
    with pytest.raises(br.ArgumentError) as caught:
        call(*values)
    message = str(caught.value)
    assert re.search(words, message), (message, values)
    assert "\n" not in message
    assert len(message) < 700


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize(("words", "call", "bad"), [(words, call, bad) for words, call, *bad in ROWS])
def test_bad_calls_are_refused_in_words(words, call, bad):
    for values in [(value,) for value in bad] or [()]:
        refused(words, call, *values)


@pytest.mark.parametrize(("words", "call", "bad"), [(words, call, bad) for words, call, *bad in HUGE])
def test_what_would_not_fit_is_refused_before_the_work(words, call, bad):
    for values in [(value,) for value in bad] or [()]:
        assert peak_of(refused, words, call, *values) < 50e6


@pytest.mark.parametrize(
    ("words", "typed", "text"),
    [(row[0], typed, text) for row in COMMANDS for typed in np.atleast_1d(row[1]) for text in row[2:] or [""]],
)
def test_bad_commands_are_refused_in_words(words, typed, text, tmp_path):
    path = tmp_path / "file.csv"
    path.write_text(text, encoding="latin-1")
    result = run(*(path if word == "FILE" else word for word in shlex.split(typed)))
    assert result.exit_code != 0
    assert words in f"{result.output} {result.exception}"
    assert "\n" not in str(result.exception)


# --- Arguments that many functions share --------------------------------------------------------------------------

#: What is no whole number, no share and no seed; None is fine where it is the default.
NO_COUNT = ["x", None, True, math.nan, -1, 1.5, 10**400, [1]]
NO_NUMBER = ["x", None, 1j, {}, [0.1, "x"], True]
NO_AXES = ["x", 3, [1, 2], {}]
NO_LABELS = [5, True, "ab", {"a", "b"}, {"a": 0, "b": 1}, ["a", None], [("a",), ("b",)], [["a"], ["b"]]]
NO_WINDOW = [1, (0, 1), ((0, 1), (0.5, 0.5)), ((0.2, 1.2), (0, 1)), "x", ((0, 1),)]
COUNTS = ("resolution", "k", "draws", "size", "points", "prob", "prevalence", "top", "chains", "bins", "total")
NUMBERS = ("a", "b", "value", "radius", "benefit", "undefined", "fpr", "tpr", "positives", "negatives", "alpha", "beta")
CHOICES = (
    *("kind", "join", "method", "sampler", "region", "operation", "model", "how", "orientation", "dim", "missing"),
    *("other", "reference", "entity", "score", "baseline", "by", "to", "positive"),
)
RESULTS = (
    "tile",
    "tiles",
    "ops",
    "credible",
    "regions",
    "square",
    "result",
    "pmf",
    "pmfs",
    "joint",
    "ranking",
    "table",
)
NO_RESULT = [None, 3, STRANGE[2]]
NO_CHOICE = [*STRANGE, "nonesuch"]
BAD = {
    **dict.fromkeys(COUNTS, NO_COUNT),
    **dict.fromkeys(NUMBERS, NO_NUMBER),
    **dict.fromkeys(CHOICES, NO_CHOICE),
    **dict.fromkeys(("ax", "axes", "figure"), NO_AXES),
    **dict.fromkeys(RESULTS, NO_RESULT),
    "colors": [["red"], "red", {"a": "no colour"}],
    "entities": [3, ["a", "a"], [["a"]]],
    "higher_is_better": ["yes", 1],
    "labels": NO_LABELS,
    "prior": ["x", 1j, True],
    "rope": ["x", -1],
    "seed": ["x", True, math.nan, -1, 1.5],
    "weights": ["x", 1j, {}],
    "window": NO_WINDOW,
}
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
#: What compiles is made when it is needed.
MADE = {"credible": credible, "frontiers": lambda: br.tile.frontiers(POINT), "regions": lambda: br.tile.regions(POINT)}
POPULATION = {"posterior": refusals.POPULATION, "source": refusals.POPULATION, "score": "f1"}
GOOD_OF = {
    **{name: {"source": POINT} for name in ("entity", "frontier", "frontiers", "isovalue", "robustness", "zone")},
    **{
        name: {"pmf": refusals.MATRIX_PMF} for name in ("matrix_pmf", "pmf_over_contours", "pr_pmf", "score_pmf_by_tpr")
    },
    **{name: {"predictions": {"a": [0, 1, 1]}} for name in ("from_predictions", "joint_outcomes")},
    **dict.fromkeys(("heterogeneity", "plan", "shrinkage", "summary_roc"), POPULATION),
    **{name: {"score": "lift_at_k", "at": 1, "size": 3} for name in ("of_value", "value_curves")},
    **{name: {"score": "f1"} for name in ("gate", "probability", "ranking_report", "sensitivity")},
    "beta_preferences": {"a": (1, 1), "b": (1, 1)},
    "best_threshold": {"y_true": [0, 0, 1, 1], "y_score": [0.1, 0.4, 0.3, 0.9]},
    "by_label": {"source": br.one_vs_rest(refusals.THREE)},
    "case_grid": {"cases": cases.deciding_cases(refusals.JOINT)},
    "confusion_simplex": {"positives": [3]},
    "decision_curve": {"curve": decisions.decision_curve([0, 1], {"a": [0.1, 0.9]}, [0.2, 0.3], draws=10, seed=1)},
    "drift": {"source": refusals.PERIODS},
    "from_rates": {"prevalence": 0.5, "fpr": 0.1},
    "mean_over_datasets": {"source": refusals.EACH},
    "mix": {"weights": {"a": 0.5, "b": 0.5}},
    "no_skill_curve": {"prevalence": 0.3},
    "ops_drift": {"result": refusals.DRIFT, "entity": "a"},
    "ops_values": {"ops": br.ops.value_curves("f1", [0.3], 3)},
    "paired_difference": {"entity": "a", "other": "b"},
    "pool": {"counts": refusals.STUDIES},
    "posterior_predictive": {"size": 5},
    "preference_ranking": {"b": 0.5},
    "regions": {"source": POINT},
    "score_pmfs": {"pmfs": {"x": refusals.SCORE_PMF}},
    "weighted_metric": {"y_true": [0, 1], "predictions": {"a": [0.1, 0.9]}},
}
#: Values that are good here: one class may be missing, and sequences of one. Arguments that another must go with.
ALLOWED = [(name, "prevalence", NO_COUNT[-1]) for name in ("no_skill", "value_tiles", "from_rates")]
ALLOWED += [(name, "entity", bad) for name in ("from_matrix", "from_rates") for bad in (STRANGE[3], "nonesuch")]
ALLOWED += [("mix", "dim", "nonesuch")]
#: Arguments that must go with others, or have other names in messages; rows of the table speak of them.
NOT_HERE = [("credible_ranking", "model"), ("around", "score"), ("independent_betas", "tpr"), ("plan", "entity")]
NOT_HERE += [("plan", "positives"), ("plan", "ax"), ("sensitivity", "ax"), ("sensitivity", "colors")]
NOT_HERE += [("roc_beside_tile", "colors"), ("zone", "entities")]
NOT_HERE += [("threshold_tile", name) for name in ("ax", "colors", "prevalence", "credible")]  # of another Tile
MODULES = (br, br.scores, br.tile, br.ops, br.predictive, br.plots, br.performance, cases, decisions, papers, theory)


def required(function):
    parameters = inspect.signature(function).parameters.values()
    return [p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and p.default is p.empty]


def shared_arguments():
    functions = [getattr(module, name) for module in MODULES for name in module.__all__]
    for function in dict.fromkeys(filter(inspect.isfunction, functions)):
        parameters = inspect.signature(function).parameters
        for argument in sorted(BAD.keys() & parameters.keys()):
            known = {*GOOD, *MADE, *GOOD_OF.get(function.__name__, ()), argument}
            if known >= set(required(function)) and (function.__name__, argument) not in NOT_HERE:
                yield pytest.param(function, argument, id=f"{function.__module__}.{function.__name__}-{argument}")


SHARED = list(shared_arguments())


@pytest.mark.parametrize(("function", "argument"), SHARED)
def test_bad_values_of_shared_arguments_are_refused_by_name(function, argument):
    parameters = inspect.signature(function).parameters
    several = [value for p in parameters.values() if p.kind is p.VAR_POSITIONAL for value in GOOD[p.name]]
    given = {name: MADE[name]() if name in MADE else GOOD.get(name) for name in required(function)}
    given |= {name: value for name, value in GOOD_OF.get(function.__name__, {}).items() if name in parameters}
    allowed = [value for name, of, value in ALLOWED if (name, of) == (function.__name__, argument)]
    for bad in BAD[argument]:
        if (bad is None and parameters[argument].default is None) or any(bad is one for one in allowed):
            continue
        refused(rf"^{argument} must ", lambda bad=bad: function(*several, **given | {argument: bad}))


def test_the_tables_are_large():
    assert len(SHARED) > 400
    assert sum(max(len(row) - 2, 1) for row in ROWS) > 700
