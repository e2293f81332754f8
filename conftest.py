"""Shared by tests and doctests.

Pictures without a screen, closed after each test; the same random examples in every run, however slow the machine,
fewer of them in the quick run; and a switch that forbids skips in CI.
"""

import gc
import itertools
import os
import sys

# Before NumPy is imported, and passed on to workers: threads of BLAS, which gain nothing on small matrices, wait for
# each other actively, and several workers on few processors multiply the time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import hypothesis
import numpy as np
import pandas as pd
import pytest

import bayesrank as br
from bayesrank._core import random as _random
from bayesrank._core.compat import import_arviz

os.environ.setdefault("MPLBACKEND", "Agg")
# Whatever the machine says: without compiled modules, each run rewrites every test, and each process that a test starts
# compiles what it imports.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# pyarrow is there for the data frames of Inspect. Without it, pandas keeps texts as Python does, lone surrogates too.
pd.options.mode.string_storage = "python"

hypothesis.settings.register_profile("fixed", deadline=None, derandomize=True)
hypothesis.settings.register_profile("quick", deadline=None, derandomize=True, max_examples=10)


def is_quick(config):
    """Whether slow tests are left out."""
    return "not slow" in (config.getoption("markexpr", "") or "")


def pytest_configure(config):
    import_arviz()  # before workers start: on its first day ArviZ 0.23 fails in processes that import it at once
    hypothesis.settings.load_profile("quick" if is_quick(config) else "fixed")


#: Both import Inspect, which takes more than a second, and have no tests of their own.
collect_ignore = ["tests/inspect_eval.py", "bayesrank/integrations/inspect_hooks.py"]


def pytest_ignore_collect(collection_path, config):
    """Benchmarks are imported, which takes seconds, only where all tests run."""
    return True if is_quick(config) and "benchmarks" in collection_path.parts else None


def pytest_collection_finish():
    # What is imported and collected stays: the collector need not walk through it again and again.
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def _name_package(doctest_namespace):
    doctest_namespace["br"] = br  # examples in docstrings need not import what they document


@pytest.fixture(autouse=True)
def _repeat_unseeded_draws(monkeypatch):
    """Fits without a seed differ from each other, but not from run to run."""
    roots = itertools.count(1)
    monkeypatch.setattr(_random, "unseeded", lambda: np.random.SeedSequence([0, next(roots)]))


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if (
        report.skipped
        and os.environ.get("BAYESRANK_FORBID_SKIPS")
        and not hasattr(report, "wasxfail")
    ):
        report.outcome = "failed"
        report.longrepr = f"skipped where skips are forbidden: {report.longrepr}"
