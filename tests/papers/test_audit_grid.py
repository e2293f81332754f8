"""The picture of Table 1 of Foundations: marks of the tests and bars of the correlations."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

import bayesrank as br
from bayesrank.papers.audits import FAILED, PASSED


@pytest.fixture(scope="module")
def table():
    return br.theory.audit_table(["f1", "g_mean", "error_rate"], [0.2])


def test_marks_and_bars_are_those_of_the_table(table):
    tests, correlations = br.papers.audit_grid(table)
    marks = {}
    for line in tests.lines:
        for x, y in zip(*line.get_data(), strict=True):
            marks[round(float(x)), round(float(y))] = line.get_color()
    assert len(marks) == 9
    frame = br.theory.audit_frame(table)[0.2]
    for row, words in enumerate(frame["tests"]):
        for column, word in enumerate(words):
            assert to_rgb(marks[column, row]) == to_rgb((PASSED if word == "✓" else FAILED)[0])
    bars = np.array([segment[:, 0] for segment in correlations.collections[0].get_segments()])
    np.testing.assert_allclose(bars, frame[["tau_min", "tau_max"]].astype(float))
    assert [text.get_text() for text in tests.get_yticklabels()] == ["F1", "G-mean", "error rate"]
    plt.close("all")


def test_other_axes_and_tables_are_refused(table):
    with pytest.raises(ValueError, match="axes must contain 2 Axes"):
        br.papers.audit_grid(table, [plt.gca()])
    with pytest.raises((ValueError, TypeError), match=r"br\.theory\.audit_table"):
        br.papers.audit_grid(br.audit("f1")[["axiom_2"]])
    plt.close("all")
