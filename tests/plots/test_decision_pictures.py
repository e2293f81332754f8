"""Pictures of decisions: nothing clipped, names once, nothing told by colour alone."""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr

import bayesrank as br

RNG = np.random.default_rng(0)
Y = RNG.random(150) < 0.4


def drawn(ax):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax.figure.canvas.draw()
    return ax


@pytest.mark.parametrize("size", [1, 3, 8, 20])
def test_a_decision_curve(size):
    risk = {f"$model_{i}$ of a long name": np.clip(0.3 * Y + 0.7 * RNG.random(150), 0, 1) for i in range(size)}
    curve = br.decisions.decision_curve(Y, risk, np.linspace(0.05, 0.8, 12)[::-1], draws=200, seed=1)
    ax = drawn(br.plots.decision_curve(curve))
    lines = [line for line in ax.get_lines() if len(line.get_xdata()) == 12]
    assert len(lines) == size + 2
    ordered = curve.sortby("threshold")
    drawn_lines = {tuple(line.get_ydata()) for line in lines}
    assert drawn_lines == {tuple(row) for row in ordered["mean"].values}
    named = [line for line in lines if line.get_linewidth() != 0.7]
    looks = {(str(line.get_color()), str(line.get_linestyle()), line.get_linewidth()) for line in named}
    assert len(looks) == len(named)
    # Of many, those that are best somewhere have a name; of few, all.
    best = {tuple(row) for row in ordered["mean"].values[:-2][np.unique(ordered["mean"].values[:-2].argmax(axis=0))]}
    assert best <= {tuple(line.get_ydata()) for line in named} or len(named) == 10
    assert size > 12 or len(named) == size + 2
    assert len({str(line.get_linestyle()) for line in lines}) > 1 or size == 1
    low, high = ax.get_ylim()
    assert low < 0 < high
    assert high >= float(curve["upper"].max())
    legend = ax.get_legend()
    box, figure = legend.get_window_extent(), ax.figure.bbox
    assert box.x0 >= 0
    assert box.x1 <= figure.x1 + 1
    assert box.y1 <= figure.y1 + 1
    assert len(legend.get_texts()) == len(named) + (size > 12)
    plt.close(ax.figure)


def test_a_sensitivity():
    counts = br.datasets.load("breast_cancer")
    result = br.sensitivity(counts, "informedness", scores=["f1"], draws=100, seed=1)
    ax = drawn(br.plots.sensitivity(result))
    assert [label.get_text() for label in ax.get_yticklabels()] == result["alternative"].values.tolist()
    legend = ax.get_legend()
    assert len(legend.get_texts()) == len({text.get_text() for text in legend.get_texts()}) == 6
    assert legend.get_texts()[0].get_text() == result["leader"].values[0]
    assert len({line.get_marker() for line in ax.get_lines() if line.get_marker() not in ("", "None")}) == 6
    filled = {
        (x, y)
        for line in ax.get_lines()
        if line.get_fillstyle() == "full" and line.get_marker() not in ("", "None")
        for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
    }
    leader = result["leader"].values[0]
    tier = result["tier"].sel(entity=leader).values
    assert {
        (p, i) for i, p in enumerate(result["probability_best"].sel(entity=leader).values) if tier[i] == 1
    } <= filled
    low, high = ax.get_xlim()
    assert low < 0
    assert high > float(result["probability_best"].max())
    plt.close(ax.figure)


def test_one_entity_and_bad_input():
    one = br.sensitivity(br.from_counts(tn=8, fp=2, fn=1, tp=9), "f1", draws=20, seed=1)
    plt.close(drawn(br.plots.sensitivity(one)).figure)
    with pytest.raises(ValueError, match=r"^result must come from br\.sensitivity"):
        br.plots.sensitivity(xr.Dataset())
    with pytest.raises(ValueError, match=r"^curve must come from br\.decision_curve"):
        br.plots.decision_curve(xr.Dataset())
    with pytest.raises(ValueError, match=r"^curve must be of two thresholds"):
        br.plots.decision_curve(br.decisions.decision_curve(Y, {"a": np.full(150, 0.5)}, [0.3], draws=10, seed=1))
