"""Every public function refuses bad arguments by their names, on one line: by its signature, and by one table."""

import inspect
import math
import re
import shlex

import numpy as np
import pytest

import bayesrank as br
from bayesrank import cases, decisions, papers, theory
from tests.calls import valid_call
from tests.commands import run
from tests.refusals import COMMANDS, HUGE, ROWS, STRANGE, figure_axes
from tests.strategies import peak_of


def assert_refused(words, call, *values):
    values = [figure_axes() if value is figure_axes else value for value in values]
    with pytest.raises(br.ArgumentError) as caught:
        call(*values)
    message = str(caught.value)
    assert re.search(words, message), (message, values)
    assert "\n" not in message
    assert len(message) < 700


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize(
    ("words", "call", "bad"), [(words, call, bad) for words, call, *bad in ROWS]
)
def test_bad_calls_are_refused_in_words(words, call, bad):
    for values in [(value,) for value in bad] or [()]:
        assert_refused(words, call, *values)


@pytest.mark.parametrize(
    ("words", "call", "bad"), [(words, call, bad) for words, call, *bad in HUGE]
)
def test_what_would_not_fit_is_refused_before_the_work(words, call, bad):
    for values in [(value,) for value in bad] or [()]:
        assert peak_of(assert_refused, words, call, *values) < 80e6


@pytest.mark.parametrize(
    ("words", "typed", "text"),
    [
        (row[0], typed, text)
        for row in COMMANDS
        for typed in np.atleast_1d(row[1])
        for text in row[2:] or [""]
    ],
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
NO_LABELS = [
    5,
    True,
    "ab",
    {"a", "b"},
    {"a": 0, "b": 1},
    ["a", None],
    [("a",), ("b",)],
    [["a"], ["b"]],
]
NO_WINDOW = [1, (0, 1), ((0, 1), (0.5, 0.5)), ((0.2, 1.2), (0, 1)), "x", ((0, 1),)]
COUNTS = (
    "resolution",
    "k",
    "draws",
    "size",
    "points",
    "prob",
    "prevalence",
    "top",
    "chains",
    "bins",
    "total",
)
NUMBERS = (
    "a",
    "b",
    "value",
    "radius",
    "benefit",
    "undefined",
    "fpr",
    "tpr",
    "positives",
    "negatives",
    "alpha",
    "beta",
)
CHOICES = (
    *(
        "kind",
        "join",
        "method",
        "sampler",
        "region",
        "operation",
        "model",
        "how",
        "orientation",
        "dim",
        "missing",
    ),
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
#: Values that are good here: one class may be missing, and sequences of one. Arguments that another must go with.
ALLOWED = [(name, "prevalence", NO_COUNT[-1]) for name in ("no_skill", "value_tiles", "from_rates")]
ALLOWED += [
    (name, "entity", bad)
    for name in ("from_matrix", "from_rates")
    for bad in (STRANGE[3], "nonesuch")
]
ALLOWED += [("mix", "dim", "nonesuch")]
#: Arguments that must go with others, or have other names in messages; rows of the table speak of them.
NOT_HERE = [
    ("credible_ranking", "model"),
    ("around", "score"),
    ("independent_betas", "tpr"),
    ("plan", "entity"),
]
NOT_HERE += [
    ("plan", "positives"),
    ("plan", "ax"),
    ("sensitivity", "ax"),
    ("sensitivity", "colors"),
]
NOT_HERE += [
    ("analyze", "kind"),
    ("analyze", "weights"),
    ("analyze", "join"),
]  # of several data sets
NOT_HERE += [("aggregate_over", "weights")]  # checked where they are used
NOT_HERE += [("roc_beside_tile", "colors"), ("zone", "entities")]
NOT_HERE += [
    ("threshold_tile", name) for name in ("ax", "colors", "prevalence", "credible")
]  # of another Tile
MODULES = (
    br,
    br.scores,
    br.tile,
    br.ops,
    br.predictive,
    br.plots,
    br.performance,
    cases,
    decisions,
    papers,
    theory,
)


def shared_arguments():
    functions = [getattr(module, name) for module in MODULES for name in module.__all__]
    for function in dict.fromkeys(filter(inspect.isfunction, functions)):
        parameters = inspect.signature(function).parameters
        for argument in sorted(BAD.keys() & parameters.keys()):
            if (function.__name__, argument) not in NOT_HERE:
                yield pytest.param(
                    function, argument, id=f"{function.__module__}.{function.__name__}-{argument}"
                )


SHARED = list(shared_arguments())


@pytest.mark.parametrize(("function", "argument"), SHARED)
def test_bad_values_of_shared_arguments_are_refused_by_name(
    function, argument, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)  # calls may write a file
    parameters = inspect.signature(function).parameters
    several, given = valid_call(function)
    allowed = [value for name, of, value in ALLOWED if (name, of) == (function.__name__, argument)]
    for bad in BAD[argument]:
        if (bad is None and parameters[argument].default is None) or any(
            bad is one for one in allowed
        ):
            continue
        assert_refused(
            rf"^{argument} (must|cannot) ",
            lambda bad=bad: function(*several, **given | {argument: bad}),
        )


def test_the_tables_are_large():
    assert len(SHARED) > 400
    assert sum(max(len(row) - 2, 1) for row in ROWS) > 700
