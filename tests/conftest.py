"""Shared by all tests: a non-interactive matplotlib, and a switch that forbids skips in CI."""

import os

import pytest

os.environ.setdefault("MPLBACKEND", "Agg")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.skipped and os.environ.get("BAYESRANK_FORBID_SKIPS") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped where skips are forbidden: {report.longrepr}"
