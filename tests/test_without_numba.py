"""Python in a browser (Pyodide) has no Numba, ArviZ or PyMC, and starts no thread: conjugate models do without."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayesrank as br
from tests.commands import invoke

ROOT = Path(__file__).parents[1]
#: What a browser lacks, put in place when NumPy, SciPy and pandas are loaded, as these are built for the browser.
BARE = """
import contextlib, importlib.metadata, sys, threading
with contextlib.suppress(ImportError):
    import dask.array  # xarray asks for it, and it knows no browser
import numpy, pandas, scipy.special, scipy.stats, xarray
LACKING = ("arviz", "matplotlib", "numba", "pymc", "pytensor")
sys.modules.update(dict.fromkeys((*LACKING, "bz2", "lzma")))
discover = importlib.metadata.Distribution.discover
def found(**about):
    return [] if about.get("name") in LACKING else discover(**about)
importlib.metadata.Distribution.discover = found
def refuse(self):
    raise RuntimeError("can't start new thread")
threading.Thread.start = refuse
sys.platform = "emscripten"
"""


def run_bare(folder, code, path=ROOT):
    """Run code with the package at a path, in a new process that lacks what a browser lacks; return what it prints."""
    environment = {**os.environ, "PYTHONPATH": str(path)}
    done = subprocess.run(
        [sys.executable, "-c", BARE + code],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


OPTIONS = ["--seed", "1", "--draws", "1000", "--format", "csv"]
RANKINGS = [
    ["rank", "counts.csv", "--score", "mcc", *OPTIONS],
    ["rank", "counts.csv", "--score", "f1", "--model", "beta_binomial", *OPTIONS],
    ["rank", "answers.csv", *OPTIONS],
]
REPORT = ["report", "three.csv", "--score", "f1", "--draws", "250", "-o", "page.html"]
REFUSED = ["bayesrank", "rank", "sets.csv", "--score", "mcc"]


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """The folder of one process that lacks what a browser lacks, and what each of its commands printed."""
    folder = tmp_path_factory.mktemp("bare")
    # With 40 entities, both the threads and the compiled loops are in use where they exist.
    cells = np.random.default_rng(3).integers(5, 60, (40, 4))
    names = [f"model {i}" for i in range(40)]
    pd.DataFrame(cells, names, ["tn", "fp", "fn", "tp"]).rename_axis("entity").to_csv(
        folder / "counts.csv"
    )
    tables = {
        "answers": "entity,correct,wrong\nA,80,20\nB,70,30\n",
        "three": "entity,tn,fp,fn,tp\nA,95,5,40,60\nB,60,40,5,95\nC,80,20,20,80\n",
        "sets": "entity,dataset,tn,fp,fn,tp\n"
        + "".join(f"{e},{d},9,1,2,8\n" for e in "AB" for d in "xyz"),
    }
    for name, text in tables.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    code = (
        "from bayesrank.cli import cli, main\n"
        f"for command in {[*RANKINGS, REPORT]}:\n"
        "    cli.main(command, standalone_mode=False)\n    print('====')\n"
        f"sys.stderr, sys.argv = sys.stdout, {REFUSED}\n"
        "try:\n    main()\nexcept SystemExit as end:\n    print(end.code)\n"
    )
    return folder, run_bare(folder, code).split("====\n")


def test_a_ranking_without_numba_arviz_and_threads_is_the_same_to_the_last_bit(bare, monkeypatch):
    folder, printed = bare
    monkeypatch.chdir(folder)
    assert printed[: len(RANKINGS)] == [invoke(*command) for command in RANKINGS]


def test_the_tile_without_numba_has_the_same_probabilities(monkeypatch):
    """Areas are those of a grid: with 21 points along each axis, they differ by less than 0.005."""
    held = np.random.default_rng(1).dirichlet([7.0, 2.0, 2.0, 5.0], (2, 50, 3))
    draws = xr.DataArray(
        held.reshape(2, 50, 3, 2, 2),
        dims=("chain", "draw", "entity", "actual", "predicted"),
        name="performance",
    ).assign_coords(entity=list("abc"))
    compiled = br.tile.credible(draws, 21, maps=())
    monkeypatch.setattr("bayesrank.tile.posterior.can_compile", lambda: False)
    plain = br.tile.credible(draws, 21)
    assert set(plain) == set(compiled)
    for name in ("probability_best", "winner_probability", "undefined", "undecided_area"):
        np.testing.assert_allclose(plain[name], compiled[name], atol=1e-12)
    np.testing.assert_allclose(plain["share"], compiled["share"], atol=5e-3)


def test_a_report_without_numba_has_the_tile_and_names_what_was_used(bare):
    report = (bare[0] / "page.html").read_text(encoding="utf-8")
    assert 'data-page="tile"' in report
    assert "Probability of each rank" in report
    assert "numpy" in report
    assert "arviz" not in report
    assert "pymc" not in report


def test_what_needs_numba_names_it(bare):
    """A model with compiled chains is refused by the missing package, not by a wrong number."""
    assert bare[1][-1].splitlines() == [
        "bayesrank: a browser has no numba, which this needs: use an installed package (pip install .)",
        "2",
    ]
