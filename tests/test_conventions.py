"""One convention of arguments and of names, over every public function."""

import inspect
from collections import defaultdict
from typing import Any

import pytest

import bayesrank as br
from bayesrank.scores.names import SCORES

SPACES = {name: held for name in br.__all__ if inspect.ismodule(held := getattr(br, name))} | {
    "": br
}
FUNCTIONS = {
    (space, name): function
    for space, module in SPACES.items()
    for name in module.__all__
    if inspect.isfunction(function := getattr(module, name))
}
PUBLIC = {f"{space}.{name}".strip("."): function for (space, name), function in FUNCTIONS.items()}
#: What says how to compute, not what: it may follow the seed.
TECHNICAL = {"sampler", "groups", "nuts", "chunks", "options", "roles"}
#: Of future test sets whose class sizes are given.
GIVEN_SIZES = {"predictive.confusion_pmf", "predictive.by_class"}
#: What has no more arguments than fit on the line of a call.
POSITIONAL = {
    ("as_performance", "kind"),
    ("counts_or_performance", "kind"),
    ("directed_binary_tree", "seed"),
}


@pytest.mark.parametrize("name", PUBLIC)
def test_arguments_follow_one_convention(name):
    parameters = inspect.signature(PUBLIC[name]).parameters
    assert not {"most", "n", "credibility", "random_state"} & set(parameters)
    for argument in ("prob", "top", "kind", "seed"):
        if argument in parameters and (name.split(".")[-1], argument) not in POSITIONAL:
            assert parameters[argument].kind == inspect.Parameter.KEYWORD_ONLY, argument
    assert "prob" not in parameters or parameters["prob"].default == 0.95
    assert "kind" not in parameters or parameters["kind"].default is None
    if "seed" in parameters:
        assert set([*parameters][[*parameters].index("seed") + 1 :]) <= TECHNICAL
    known = {"source", "posterior", "score", "model"} & set(parameters)
    assert not [argument for argument in known if parameters[argument].annotation is Any]
    if "model" in parameters:
        assert parameters["model"].default == ("beta_binomial" if name in GIVEN_SIZES else None)


def test_no_two_public_names_differ_only_by_namespace():
    """But for pictures, which are called like the result that they draw."""
    held = defaultdict(set)
    for space, module in SPACES.items():
        for name in module.__all__:
            if space != "plots":
                held[name].add(id(getattr(module, name)))
    for name in SCORES:
        held[name].add(id(SCORES[name]))
    assert {name for name, objects in held.items() if len(objects) > 1} == set()
