"""Pictures of decisions: nothing clipped, names once, nothing told by colour alone."""

import warnings

import numpy as np
import pytest

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
