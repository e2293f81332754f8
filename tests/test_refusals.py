"""Every public function refuses bad arguments by their names, on one line: one table, and what many of them share."""

import inspect
import math
import re
import shlex
import tracemalloc

import pytest
from click.testing import CliRunner

import bayesrank as br
from bayesrank.cli import cli
from tests.refusals import COMMANDS, DRAWS, HUGE, ONE, POINT, ROWS, TILE, credible, figure_axes

CASES = [
    pytest.param(words, call, values, id=f"{i}-{words[:30]}" + (f"-{j}" if values else ""))
    for i, (words, call, *bad) in enumerate(ROWS)
    for j, values in enumerate([(value,) for value in bad] or [()])
]


#: The first cases are of what would not fit into memory.
LARGE = sum(len(row) - 2 or 1 for row in HUGE)


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize(("words", "call", "values"), CASES[LARGE:])
def test_bad_calls_are_refused_in_words(words, call, values):
    if values and values[0] is figure_axes:
        values = (figure_axes(),)
    with pytest.raises((TypeError, ValueError, KeyError)) as caught:
        call(*values)
    assert type(caught.value) in (TypeError, ValueError, KeyError)
    message = str(caught.value.args[0])
    assert re.search(words, message), message
    assert "\n" not in message
    assert len(message) < 700


@pytest.mark.parametrize(("words", "call", "values"), CASES[:LARGE])
def test_what_would_not_fit_is_refused_before_the_work(words, call, values):
    tracemalloc.start()
    with pytest.raises((TypeError, ValueError), match=words):
        call(*values)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 50e6


@pytest.mark.parametrize(("words", "typed", "text"), [(*row, "")[:3] for row in COMMANDS])
def test_bad_commands_are_refused_in_words(words, typed, text, tmp_path):
    path = tmp_path / "file.csv"
    path.write_text(text, encoding="latin-1")
    result = CliRunner().invoke(cli, [str(path) if word == "FILE" else word for word in shlex.split(typed)])
    assert result.exit_code != 0
    assert words in f"{result.output} {result.exception}"
    assert "\n" not in str(result.exception)


# --- Arguments that many functions share --------------------------------------------------------------------------

#: What is no whole number, no share and no seed; None is fine where it is the default.
NO_NUMBER = ["x", None, True, math.nan, -1, 1.5, [1]]
BAD = dict.fromkeys(["resolution", "k", "draws", "size", "points", "prob", "prevalence"], NO_NUMBER)
BAD["seed"] = ["x", True, math.nan, -1, 1.5]
#: Good values of what else must be given, by name, or by function and name.
GOOD = {
    "a": 0.5,
    "b": 0.5,
    "cases": 3,
    "benefit": {"tn": 0, "fp": -1, "fn": -2, "tp": 0},
    "corners": ("f1", "accuracy"),
    "curve": "roc",
    "entities": "a",
    "entity": "a",
    "evidence": br.from_counts(tn=70, fp=10, fn=6, tp=24),
    "fnr": 0.1,
    "fpr": 0.1,
    "k": 1,
    "metric": "auc_roc",
    "ops": br.ops.of_draws(DRAWS, "f1"),
    "other": "accuracy",
    "pmf": br.predictive.score_pmf(br.predictive.confusion_pmf(ONE, positives=5, negatives=6), "f1"),
    "posterior": DRAWS,
    "predictions": {"a": [0.1, 0.9, 0.4]},
    "prevalence": 0.3,
    "reference": "a",
    "region": "tile",
    "rival": "b",
    "rivals": "b",
    "sampler": lambda rng, n: (rng.random(n), rng.random(n)),
    "score": "f1",
    "scores": ["f1"],
    "source": DRAWS,
    "steps": 3,
    "thresholds": [0.2, 0.5],
    "tile": TILE.isel(entity=0),
    "tiles": TILE,
    "to": "a",
    "tpr": 0.8,
    "value": 0.5,
    "values": br.scores.f1(DRAWS),
    "y_score": [0.1, 0.9, 0.4],
    "y_true": [0, 1, 1],
}
GOOD["counts"] = GOOD["evidence"]
#: What compiles is made when it is needed.
MADE = {
    "credible": credible,
    "frontiers": lambda: br.tile.frontiers(POINT),
    "regions": lambda: br.tile.regions(POINT),
}
POINTS = {"source": POINT}
GOOD_OF = {
    "beta_preferences": {"a": (1, 1), "b": (1, 1)},
    "drift": {"source": {"old": POINT, "new": POINT}},
    "entity": POINTS,
    "frontier": POINTS,
    "frontiers": POINTS,
    "from_rates": {"prevalence": 0.5, "fpr": 0.1},
    "no_skill_curve": {"prevalence": 0.3},
    "of_value": {"score": "lift_at_k", "at": 1, "size": 3},
    "posterior_predictive": {"size": 5},
    "preference_ranking": {"b": 0.5},
    "regions": POINTS,
    "robustness": POINTS,
    "sensitivity": {"score": "f1"},
    "value_curves": {"score": "lift_at_k", "at": 1, "size": 3},
}
#: Sequences of prevalences are good here, and a class may be missing.
ALLOWED = [(name, "prevalence", [1]) for name in ("no_skill", "value_tiles", "from_rates")]


def shared_arguments():
    modules = (br, br.scores, br.tile, br.ops, br.predictive, br.plots, br.performance)
    functions = [getattr(module, name) for module in modules for name in module.__all__]
    for function in dict.fromkeys(filter(inspect.isfunction, functions)):
        parameters = inspect.signature(function).parameters
        for argument in sorted(BAD.keys() & parameters.keys()):
            for bad in BAD[argument]:
                optional = bad is None and parameters[argument].default is None
                if not optional and (function.__name__, argument, bad) not in ALLOWED:
                    yield pytest.param(function, argument, bad, id=f"{function.__name__}-{argument}-{bad!r}")


@pytest.mark.parametrize(("function", "argument", "bad"), shared_arguments())
def test_bad_values_of_shared_arguments_are_refused_by_name(function, argument, bad):
    parameters = inspect.signature(function).parameters.values()
    several = [value for p in parameters if p.kind is p.VAR_POSITIONAL for value in GOOD[p.name]]
    needed = [p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and p.default is p.empty]
    given = {name: MADE[name]() if name in MADE else GOOD[name] for name in needed} | GOOD_OF.get(function.__name__, {})
    with pytest.raises((TypeError, ValueError), match=rf"^{argument} must ") as caught:
        function(*several, **given | {argument: bad})
    assert "\n" not in str(caught.value)


def test_the_table_is_large():
    assert len({(case.values[0], case.values[1]) for case in shared_arguments()}) > 50
    assert len(CASES) > 900
