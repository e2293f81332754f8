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


def named(path):
    """Strings that name a model, in code: not in docstrings, and not as defaults of arguments."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            skipped |= {id(default) for default in [*node.args.defaults, *node.args.kw_defaults]}
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(id(node.value))
        if isinstance(node, ast.Assign) and any(getattr(t, "id", "") == "__all__" for t in node.targets):
            skipped |= {id(part) for part in ast.walk(node)}
    known = [name for name in models.names() if name != "paired"]  # which is a word, too
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield from (name for name in known if name in node.value)


@pytest.mark.parametrize(
    "path",
    [path for path in FOLDER.rglob("*.py") if "models" not in path.relative_to(FOLDER).parts[0]],
    ids=lambda path: str(path.relative_to(FOLDER)),
)
def test_no_other_file_names_a_model(path):
    found = sorted(set(named(path)))
    if path.relative_to(FOLDER).as_posix() not in DEFAULTS:
        assert found == []


@pytest.mark.parametrize("path", DEFAULTS)
def test_every_exception_names_a_model(path):
    assert list(named(FOLDER / path))


def test_the_search_finds_a_name(tmp_path):
    path = tmp_path / "x.py"
    path.write_text('def f(model="beta_binomial"):\n    """Of beta_binomial."""\n    return model == "beta_binomial"\n')
    assert list(named(path)) == ["beta_binomial"]


@pytest.mark.parametrize("name", models.names())
def test_every_model_says_what_it_takes_and_learns(name):
    model = models.find_model(name)
    assert models.takes_cases(name) == (name == "paired")
    assert models.population_of(name) in ("", "data sets", "classes")
    assert (models.population_of(name) == "data sets") == hasattr(model, "over_datasets_together")
    assert all(isinstance(line, str) for line in models.references_of(name))
