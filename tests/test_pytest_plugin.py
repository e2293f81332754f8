"""The plugin for pytest, run by pytest itself: a test fails if a new version is worse, and the summary says why."""

import subprocess
import sys

import pandas as pd
import pytest

import bayesrank as br
from bayesrank.integrations.pytest import assert_not_worse

pytest_plugins = "pytester"
BASE = {f"q{i}": int(i < 300) for i in range(400)}
WORSE = {case: int(value and case > "q18") for case, value in BASE.items()}
FILE = """
BASE = {f"q{i}": int(i < 300) for i in range(400)}
WORSE = {case: int(value and case > "q18") for case, value in BASE.items()}

def test_same(assert_not_worse):
    assert assert_not_worse(BASE, BASE)["identical"].item() == "outcomes"

def test_worse(assert_not_worse):
    assert_not_worse(BASE, WORSE, margin=0.01)
"""


def test_pytest_reports_the_decisions(pytester):
    pytester.makepyfile(FILE)
    found = pytester.runpytest_inprocess("--junitxml=out.xml")
    found.assert_outcomes(passed=1, failed=1)
    lines = [line for line in found.outlines if "test_" in line and "orse: " in line]
    assert any(
        "test_same: Not worse: new is not worse than base (the two versions had ident" in line
        for line in lines
    )
    assert any(
        "test_worse: Worse: new is worse than base by more than 0.01 (mean outcome -0." in line
        for line in lines
    )
    assert 'name="bayesrank gate" value="Worse: ' in (pytester.path / "out.xml").read_text("utf-8")


def test_the_decision_is_that_of_the_gate():
    frame = pd.DataFrame({"base": BASE, "new": WORSE})
    expected = br.decisions.gate(br.fit(br.from_outcomes(frame), seed=1), "base", margin=0.01)
    with pytest.raises(AssertionError, match="Worse: new is worse than base") as caught:
        assert_not_worse(BASE, pd.Series(WORSE), margin=0.01)
    assert str(caught.value) == " ".join(br.verdict(expected))
    few = {case: BASE[case] for case in ("q1", "q2", "q300", "q301")}
    other = {**few, "q1": 0}
    assert assert_not_worse(few, other)["verdict"].item() == "undecided"
    with pytest.raises(AssertionError, match="Undecided"):
        assert_not_worse(few, other, fail_on="undecided")


def test_cases_are_paired_by_name_and_missing_answers_stop():
    shuffled = dict(sorted(BASE.items(), reverse=True))
    assert assert_not_worse(BASE, shuffled)["identical"].item() == "outcomes"
    lacking = {case: value for case, value in BASE.items() if case != "q7"}
    with pytest.raises(br.ArgumentError, match="'new' on case 'q7'"):
        assert_not_worse(BASE, lacking)
    assert assert_not_worse(BASE, lacking, missing="common")["cases"].item() == 399
    assert assert_not_worse(BASE, lacking, missing=0)["cases"].item() == 400


def test_tables_may_hold_labels_or_come_from_logs():
    labels = pd.DataFrame(
        {"case": range(60), "actual": [0, 1] * 30, "predicted": [0, 1] * 25 + [1, 0] * 5}
    )
    found = assert_not_worse(labels, labels.assign(predicted=[0, 1] * 30), "f1")
    assert found["verdict"].item() == "not worse"
    logs = pd.DataFrame({"entity": "m", "case": [*BASE], "outcome": [*BASE.values()]})
    logs.attrs = {"higher_is_better": False}
    assert assert_not_worse(
        logs.assign(outcome=[*WORSE.values()]), logs.copy(), fail_on="worse", margin=1
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            "main.csv",
            "base must be outcomes by case, or a table of them; got str 'main.csv'.*pd.read_csv or br.read",
        ),
        ([1, 0, 1], "base must be outcomes by case"),
        (pd.DataFrame({"outcome": [1]}), "base must have a column case"),
        (
            pd.DataFrame({"case": [1, 1], "outcome": [1, 0], "entity": ["a", "b"]}),
            "base must come from one system; got a, b",
        ),
    ],
)
def test_what_has_no_cases_is_refused(given, words):
    with pytest.raises(br.ArgumentError, match=words):
        assert_not_worse(given, BASE)


def test_the_plugin_loads_nothing_heavy():
    code = (
        "import sys, pytest; before = set(sys.modules); import bayesrank.integrations.pytest;"
        "heavy = {'numpy', 'pandas', 'scipy', 'xarray', 'pymc', 'arviz', 'numba', 'matplotlib', 'rich', 'click'};"
        "sys.exit(' '.join(heavy & (set(sys.modules) - before)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
