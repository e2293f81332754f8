"""Facts about a model stand in its file: other code asks for them and names no model, but for defaults and data."""

import ast
from pathlib import Path

import pytest

import bayesrank as br
from bayesrank import models

FOLDER = Path(br.__file__).parent
#: Where a model is named as a default that its users can change, or as a fact about a data set.
DEFAULTS = {
    "evidence/counts.py": "advice in a message, from a module that stands to the left of the models",
    "cli/plan.py": "an example in the help",
    "comparisons/comparing.py": "an example in a message",
    "planning/_evidence.py": "advice in a message: the model of class sizes set by design",
    "ranking/_notes.py": "advice to learn from all classes, which one model does",
}


def named(text):
    """Strings that name a model, in code: not in docstrings, and not as defaults of arguments."""
    known = [name for name in models.names() if name != "paired" and name in text]  # "paired" is a word, too
    if not known:
        return []
    tree, skipped = ast.parse(text), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            skipped |= {id(default) for default in [*node.args.defaults, *node.args.kw_defaults]}
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(id(node.value))
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            skipped |= {id(part) for part in ast.walk(node)}
    strings = [x for x in ast.walk(tree) if isinstance(x, ast.Constant) and isinstance(x.value, str)]
    return [name for x in strings if id(x) not in skipped for name in known if name in x.value]


def test_no_other_file_names_a_model():
    found = {path.relative_to(FOLDER).as_posix(): named(path.read_text("utf-8")) for path in FOLDER.rglob("*.py")}
    assert {path for path, names in found.items() if names and not path.startswith("models/")} == set(DEFAULTS)
    assert named('def f(model="beta_binomial"):\n    """Of beta_binomial."""\n    return "beta_binomial"\n')


@pytest.mark.parametrize("name", models.names())
def test_every_model_says_what_it_takes_and_learns(name):
    model = models.find_model(name)
    assert models.takes_cases(name) == (name == "paired")
    assert models.population_of(name) in ("", "data sets", "classes")
    assert (models.population_of(name) == "data sets") == hasattr(model, "over_datasets_together")
    assert all(isinstance(line, str) for line in models.references_of(name))
