"""Importing bayesrank stays light, and its public names are there."""

import os
import subprocess
import sys
from importlib.metadata import version

import bayesrank as br

HEAVY = [
    "pymc",
    "pytensor",
    "arviz",
    "matplotlib",
    "numba",
    "scipy.stats",
    "scipy.signal",
    "scipy.optimize",
]


def loaded_after(*statements: str) -> list[set[str]]:
    """What a new process has loaded of the heavy packages after each statement."""
    code = (
        "import sys\nfor statement in sys.argv[1:]:\n    exec(statement)\n"
        f"    print(*(name for name in {HEAVY} if name in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *statements], capture_output=True, text=True, check=True
    )
    return [set(line.split()) for line in done.stdout.splitlines()]


LIGHT = [
    "import bayesrank",
    "import bayesrank as br; br.from_counts(tn=1, fp=0, fn=0, tp=1)",
    "import bayesrank as br; br.scores.f1(br.datasets.load('tornado')); br.rank, br.fit, br.credible_ranking",
    "import bayesrank.models.dirichlet_multinomial, bayesrank.models.beta_binomial",
    "import bayesrank as br; br.case_weights(9, draws=2); br.cases.weighted_metric",
    "import bayesrank as br; br.models.names()",
    "import bayesrank.cli, contextlib, io",
    "with contextlib.redirect_stdout(io.StringIO()): bayesrank.cli.cli(['rank', 'tornado'], standalone_mode=False)",
]
FIT = "import bayesrank as br; f = br.fit(br.from_counts(tn=8, fp=2, fn=1, tp=9), seed=1); br.scores.f1(f)"


def test_nothing_heavy_is_loaded_and_by_a_fit_only_its_container():
    """ArviZ 0.23 has a container of its own; later ones take a tree of xarray's."""
    old = version("arviz").startswith("0.")
    *light, fit = loaded_after(*LIGHT, FIT)
    assert dict(zip(LIGHT, light, strict=True)) == {statement: set() for statement in LIGHT}
    assert fit & {"arviz", "matplotlib", "pymc"} == ({"arviz", "matplotlib"} if old else set())


def test_a_report_loads_only_what_its_tile_is_computed_with(tmp_path):
    report = f"cli.cli(['report', 'tornado', '-o', {str(tmp_path / 'page.html')!r}], standalone_mode=False)"
    assert loaded_after(
        "from bayesrank import cli; import contextlib, io",
        f"with contextlib.redirect_stdout(io.StringIO()): {report}",
    ) == [set(), {"numba"}]


def test_the_first_statement_may_name_the_models():
    """An attribute of the package that only a later import sets is missing in a new process."""
    code = "import bayesrank as br; print(br.models.names()[0])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "dirichlet_multinomial"


def test_another_process_may_import_arviz_at_the_same_time(tmp_path):
    """ArviZ 0.23 moves a file when it is first imported on a day, which another process may have moved."""
    code = (
        "import pathlib, sys\nmove = pathlib.Path.replace\n"
        "def moved(path, to):\n    move(path, to)\n    return move(path, to)\n"
        "pathlib.Path.replace = moved\n"
        "from bayesrank._core.compat import import_arviz\nassert import_arviz() is sys.modules['arviz']"
    )
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_version():
    assert br.__version__ == version("bayesrank")
