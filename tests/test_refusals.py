"""Every public function refuses bad arguments by their names, on one line: by its signature, and by one table."""

import inspect
import math
import re
import shlex
import tracemalloc

import pytest
from click.testing import CliRunner

import bayesrank as br
from bayesrank import cases, decisions, papers, theory
from bayesrank.cli import cli
from tests import refusals
from tests.refusals import COMMANDS, DRAWS, HUGE, POINT, ROWS, STRANGE, credible, figure_axes


def refused(words, call, *values):
    values = [figure_axes() if value is figure_axes else value for value in values]
    with pytest.raises((TypeError, ValueError, KeyError)) as caught:
        call(*values)
    assert type(caught.value) in (TypeError, ValueError, KeyError)
    message = str(caught.value.args[0])
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
        tracemalloc.start()
        refused(words, call, *values)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < 50e6


@pytest.mark.parametrize("row", COMMANDS, ids=" ".join)
def test_bad_commands_are_refused_in_words(row, tmp_path):
    """A row is the words, what is typed, and texts of FILE; each is refused."""
    words, typed, *texts = row
    path = tmp_path / "file.csv"
    for text in texts or [""]:
        path.write_text(text, encoding="latin-1")
        result = CliRunner().invoke(cli, [str(path) if word == "FILE" else word for word in shlex.split(typed)])
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
    "a": 0.5,
    "alpha": 1,
    "b": 0.5,
    "benefit": {"tn": 0, "fp": -1, "fn": -2, "tp": 0},
    "cases": 3,
    "corners": ("f1", "accuracy"),
    "counts": refusals.COUNTS.sel(entity=["a"]),
    "curve": "roc",
    "entities": "a",
    "entity": "a",
    "evidence": refusals.COUNTS,
    "fpr": 0.1,
    "how": "macro",
    "importance": refusals.IMPORTANCE,
    "joint": refusals.JOINT,
    "k": 1,
    "matrix": [[1, 2], [3, 4]],
    "metric": "auc_roc",
    "name": "mine",
    "negatives": 30,
    "operation": "swap_classes",
    "ops": br.ops.of_draws(DRAWS, "f1"),
    "orientation": "actual_rows",
    "other": "accuracy",
    "pmf": refusals.SCORE_PMF,
    "pmfs": refusals.SCORE_PMF,
    "positives": 20,
    "posterior": DRAWS,
    "predictions": {"a": [0.1, 0.9, 0.4]},
    "prevalence": 0.3,
    "prior": refusals.F1,
    "ranking": refusals.RANKING,
    "reference": "a",
    "region": "tile",
    "result": refusals.CURVE,
    "rival": "b",
    "rivals": "b",
    "sampler": lambda rng, n: (rng.random(n), rng.random(n)),
    "score": "f1",
    "scores": ["f1"],
    "source": DRAWS,
    "square": br.ops.square("f1", 0.5, 0.3, 5),
    "statement": "a > b",
    "steps": 3,
    "table": br.score_table(refusals.POSTERIOR, ["tpr", "tnr"]),
    "thresholds": [0.2, 0.5],
    "tile": refusals.TILE.isel(entity=0),
    "tiles": refusals.TILE,
    "total": 10,
    "tpr": 0.8,
    "value": 0.5,
    "values": refusals.F1,
    "weights": refusals.TWO,
    "y_score": [0.1, 0.9, 0.4],
    "y_true": [0, 1, 1],
}
#: What compiles is made when it is needed.
MADE = {
    "credible": credible,
    "frontiers": lambda: br.tile.frontiers(POINT),
    "regions": lambda: br.tile.regions(POINT),
}
POINTS, MATRICES, LABELS = {"source": POINT}, {"pmf": refusals.MATRIX_PMF}, {"predictions": {"a": [0, 1, 1]}}
POPULATION = {"posterior": refusals.POPULATION, "source": refusals.POPULATION, "score": "f1"}
AT_K = {"score": "lift_at_k", "at": 1, "size": 3}
GOOD_OF = {
    "beta_preferences": {"a": (1, 1), "b": (1, 1)},
    "best_threshold": {"y_true": [0, 0, 1, 1], "y_score": [0.1, 0.4, 0.3, 0.9]},
    "by_label": {"source": br.one_vs_rest(refusals.THREE)},
    "case_grid": {"cases": cases.deciding_cases(refusals.JOINT)},
    "confusion_simplex": {"positives": [3]},
    "decision_curve": {"curve": decisions.decision_curve([0, 1], {"a": [0.1, 0.9]}, [0.2, 0.3], draws=10, seed=1)},
    "drift": {"source": refusals.PERIODS},
    "entity": POINTS,
    "frontier": POINTS,
    "frontiers": POINTS,
    "from_predictions": LABELS,
    "from_rates": {"prevalence": 0.5, "fpr": 0.1},
    "heterogeneity": POPULATION,
    "isovalue": POINTS,
    "joint_outcomes": LABELS,
    "matrix_pmf": MATRICES,
    "mean_over_datasets": {"source": refusals.EACH},
    "mix": {"weights": {"a": 0.5, "b": 0.5}},
    "no_skill_curve": {"prevalence": 0.3},
    "of_value": AT_K,
    "ops_drift": {"result": refusals.DRIFT, "entity": "a"},
    "ops_values": {"ops": br.ops.value_curves("f1", [0.3], 3)},
    "paired_difference": {"entity": "a", "other": "b"},
    "plan": POPULATION,
    "pmf_over_contours": MATRICES,
    "pool": {"counts": refusals.STUDIES},
    "posterior_predictive": {"size": 5},
    "pr_pmf": MATRICES,
    "preference_ranking": {"b": 0.5},
    "probability": {"score": "f1"},
    "ranking_report": {"score": "f1"},
    "regions": POINTS,
    "robustness": POINTS,
    "score_pmf_by_tpr": MATRICES,
    "score_pmfs": {"pmfs": {"x": refusals.SCORE_PMF}},
    "sensitivity": {"score": "f1"},
    "shrinkage": POPULATION,
    "summary_roc": POPULATION,
    "value_curves": AT_K,
    "weighted_metric": {"y_true": [0, 1], "predictions": {"a": [0.1, 0.9]}},
    "zone": POINTS,
}
#: Values that are good here: one class may be missing, and sequences of one. Arguments that another must go with.
ALLOWED = [(name, "prevalence", NO_COUNT[-1]) for name in ("no_skill", "value_tiles", "from_rates")]
ALLOWED += [(name, "entity", bad) for name in ("from_matrix", "from_rates") for bad in (STRANGE[3], "nonesuch")]
ALLOWED += [("mix", "dim", "nonesuch")]
#: Arguments that must go with others, or have other names in messages; rows of the table speak of them.
NOT_HERE = [("credible_ranking", "model"), ("around", "score"), ("independent_betas", "tpr"), ("plan", "entity")]
NOT_HERE += [("plan", "positives"), ("plan", "ax"), ("sensitivity", "ax"), ("sensitivity", "colors")]
NOT_HERE += [("roc_beside_tile", "colors"), ("zone", "entities")]
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
