"""Shared by tests and doctests.

Pictures without a screen, closed after each test; the same random examples in every run, however slow the machine; and
a switch that forbids skips in CI.
"""

import os
import sys

import hypothesis
import pytest

os.environ.setdefault("MPLBACKEND", "Agg")

hypothesis.settings.register_profile("fixed", deadline=None, derandomize=True)
hypothesis.settings.load_profile("fixed")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.skipped and os.environ.get("BAYESRANK_FORBID_SKIPS") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped where skips are forbidden: {report.longrepr}"
