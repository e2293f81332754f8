"""Modules follow the story from left to right: each knows what stands to its left, and nothing to its right."""

import ast
import graphlib
from functools import cache
from pathlib import Path

import pytest

import bayesrank as br
from tests.source import syntax

STORY = [
    "_core",
    "evidence",
    "io",
    "datasets",
    "models",
    "inference",
    "performance",
    "scores",
    "cases exact claims",
    "predictive ranking",
    "statements theory tile ops",
    "decisions comparisons",
    "planning",
    "sensitivities",
    "words",
    "diagnosis inspection",
    "plots",
    "papers report",
    "analysis",
    "integrations",
    "cli __main__",
]
PLACE = {name: place for place, names in enumerate(STORY) for name in names.split()}
LAST = len(STORY) - 1
FOLDER = Path(br.__file__).parent


def name_of(path):
    return ".".join(("bayesrank", *path.relative_to(FOLDER).with_suffix("").parts)).removesuffix(
        ".__init__"
    )


MODULES = {name_of(path): path for path in FOLDER.rglob("*.py")}


@cache
def imports(path, anywhere):
    """Return the modules of the package that a file imports, on its top level or anywhere in it."""
    return list(_imports(path, anywhere))


def _imports(path, anywhere):
    tree = syntax(path)
    for node in ast.walk(tree) if anywhere else tree.body:
        if isinstance(node, ast.Import):
            yield from (
                alias.name for alias in node.names if alias.name.split(".")[0] == "bayesrank"
            )
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}:{node.lineno}: a relative import would not be seen here"
            if node.module.split(".")[0] == "bayesrank":
                inner = [f"{node.module}.{alias.name}" for alias in node.names]
                yield from (name if name in MODULES else node.module for name in inner)


def part_of(module):
    """The module or folder of the story that a module belongs to; none for the package itself."""
    return module.split(".")[1] if "." in module else None


def looks_right(modules):
    for module, path in modules.items():
        for found in imports(path, anywhere=True):
            here, there = part_of(module), part_of(found)
            # The command, last of all, uses the public names of the package as people do.
            if here is not None and PLACE.get(there, LAST) > PLACE[here]:
                yield module, found


def test_every_module_has_a_layer():
    assert {part_of(module) for module in MODULES} - {None} == set(PLACE)
    assert len(MODULES) > 70


def test_no_module_knows_what_stands_to_its_right():
    assert set(looks_right(MODULES)) == set()


@pytest.mark.parametrize(
    ("anywhere", "name"), [(True, part_of), (False, str)], ids=["parts", "modules"]
)
def test_nothing_imports_itself_by_way_of_others(anywhere, name):
    """Neither parts, by any import, nor modules, by those of their top level. The command uses public names."""
    order = graphlib.TopologicalSorter()
    for module, path in MODULES.items():
        if name(module):
            order.add(
                name(module),
                *{name(found) for found in imports(path, anywhere)} - {name(module), None},
            )
    assert list(order.static_order())  # a circle raises CycleError
