"""Places of scores and pencils of lines: The Tile, Figures 2 and 3."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import bayesrank as br


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def points(ax):
    """Where single marks are."""
    return [(line.get_xdata()[0], line.get_ydata()[0]) for line in ax.lines if line.get_marker() == "o"]


def test_scores_are_marked_where_they_lie():
    ax = br.plots.placement_tile(0.3, prediction_rate=0.6)
    found = np.array(points(ax))
    for score, fixed in [
        ("accuracy", {}), ("f1", {}), ("f2", {}), ("f0_5", {}), ("npv", {}), ("tpr", {}), ("jaccard_negative", {}),
        ("balanced_accuracy", {"prevalence": 0.3}), ("cohen_kappa", {"prevalence": 0.3}),
        ("markedness", {"prediction_rate": 0.6}),
    ]:  # fmt: skip
        assert np.abs(found - br.place(score, **fixed)).sum(axis=1).min() < 1e-9, score
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert any("0.3" in label for label in labels)
    assert any("0.6" in label for label in labels)
    assert not any("†" in text.get_text() for text in br.plots.placement_tile().texts)


def test_the_vertex_is_where_it_is_computed_to_be():
    ax = br.plots.pencil(0.95, 0.7, 0.2)
    vertex = br.tile.vertex(0.95, 0.7, 0.2)
    assert points(ax) == [(vertex["fpr"].item(), vertex["tpr"].item())]
    low, high = ax.get_xlim()
    assert low < vertex["fpr"].item() < high
    assert points(br.plots.pencil(0.5, 0.5, 0.3)) == []  # parallel lines
    # Along the purple line the value changes linearly.
    line = next(line for line in ax.lines if line.get_label() == "value changes linearly")
    x, y = (np.linspace(*data, 5) for data in line.get_data())
    value = br.scores.canonical(0.95, 0.7).of_cells(0.8 * (1 - x), 0.8 * x, 0.2 * (1 - y), 0.2 * y)
    assert np.ptp(np.diff(value)) == pytest.approx(0, abs=1e-12)
    assert np.ptp(value) > 0.1


def test_vertices_lie_in_the_grey_areas():
    for ax in br.plots.vertices(0.2, values=[0.2, 0.6]):
        for line in ax.lines:
            if line.get_linewidth() == 1.8 and len(line.get_xdata()):
                x, y = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
                assert ((np.maximum(x, y) <= 1e-9) | (np.minimum(x, y) >= 1 - 1e-9)).all()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: br.plots.pencil(1.2, 0, 0.3), "a must lie"),
        (lambda: br.plots.pencil(1, 0, 0), "prevalence must"),
        (lambda: br.plots.pencil(1, 0, 0.2, lines=1), "lines must"),
        (lambda: br.plots.placement_tile(prediction_rate=1.0), "prediction_rate must"),
        (lambda: br.plots.vertices(0.2, values=[2]), "values must"),
    ],
)
def test_bad_arguments_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
