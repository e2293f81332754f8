"""Importing bayesrank stays light, and its public names are there."""

import ast
import graphlib
import subprocess
import sys
from pathlib import Path

import pytest

import bayesrank as br

HEAVY = ["pymc", "pytensor", "arviz", "matplotlib", "numba"]


def loaded_after(statement: str) -> set[str]:
    code = f"{statement}\nimport sys\nprint(*sorted(m for m in {HEAVY} if m in sys.modules))"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


@pytest.mark.parametrize(
    "statement",
    [
        "import bayesrank",
        "import bayesrank as br; br.from_counts(tn=1, fp=0, fn=0, tp=1)",
        "import bayesrank as br; br.scores.f1(br.datasets.load('tornado')); br.rank, br.fit, br.credible_ranking",
        "import bayesrank.models.dirichlet_multinomial, bayesrank.models.beta_binomial",
        "import bayesrank.cli",
    ],
)
def test_nothing_heavy_is_loaded(statement):
    assert loaded_after(statement) == set()


def test_no_module_of_scores_imports_itself_by_way_of_others():
    folder = Path(br.__file__).parent / "scores"
    imports = {}
    for path in folder.rglob("*.py"):
        name = ".".join(("bayesrank", *path.relative_to(folder.parent).with_suffix("").parts)).removesuffix(".__init__")
        found = imports[name] = set()
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom):
                found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    order = graphlib.TopologicalSorter({name: found & set(imports) - {name} for name, found in imports.items()})
    assert len(list(order.static_order())) == len(imports) > 15  # a circle raises CycleError


def test_every_public_name_loads():
    for name in br.__all__:
        assert getattr(br, name) is not None


def test_version():
    from importlib.metadata import version

    assert br.__version__ == version("bayesrank")
