"""Modules follow the story from left to right: each knows what stands to its left, and nothing to its right."""

import ast
import graphlib
from functools import cache
from pathlib import Path

import pytest

import bayesrank as br

STORY = [
    "_types _labels _notes _escape _outputs _checks _classes _compat _text _names _threads _compiled _draws _random "
    "_chunks _sampling _nuts _kendall",
    "evidence",
    "datasets",
    "models",
    "inference",
    "performance",
    "scores",
    "cases exact",
    "predictive ranking",
    "statements theory tile ops",
    "decisions comparisons populations",
    "planning",
    "sensitivities",
    "words",
    "plots",
    "papers report",
    "cli __main__",
]
PLACE = {name: place for place, names in enumerate(STORY) for name in names.split()}
LAST = len(STORY) - 1
FOLDER = Path(br.__file__).parent


def name_of(path):
    return ".".join(("bayesrank", *path.relative_to(FOLDER).with_suffix("").parts)).removesuffix(".__init__")


MODULES = {name_of(path): path for path in FOLDER.rglob("*.py")}


@cache
def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path, anywhere):
    """Modules of the package that a file imports, on its top level or anywhere in it."""
    tree = parsed(path)
    for node in ast.walk(tree) if anywhere else tree.body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "bayesrank")
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


@pytest.mark.parametrize("group", STORY)
def test_those_who_stand_side_by_side_do_not_know_each_other_both_ways(group):
    names = group.split()
    known = {
        (part_of(module), part_of(found))
        for module, path in MODULES.items()
        if part_of(module) in names
        for found in imports(path, anywhere=True)
    }
    order = graphlib.TopologicalSorter({one: {b for a, b in known if a == one and b != one} for one in names})
    assert list(order.static_order())  # a circle raises CycleError


def test_no_module_imports_itself_by_way_of_others():
    order = graphlib.TopologicalSorter(
        {module: set(imports(path, anywhere=False)) - {module} for module, path in MODULES.items()}
    )
    assert list(order.static_order())  # a circle raises CycleError
