"""Places of scores and pencils of lines: The Tile, Figures 2 and 3."""

import numpy as np
import pytest

import bayesrank as br


def points(ax):
    """Where single marks are."""
    return [
        (line.get_xdata()[0], line.get_ydata()[0]) for line in ax.lines if line.get_marker() == "o"
    ]


def test_scores_are_marked_where_they_lie():
    ax = br.papers.placement_tile(0.3, prediction_rate=0.6)
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
    assert not any("†" in text.get_text() for text in br.papers.placement_tile().texts)


def test_labels_on_the_right_edge_are_clear_of_the_curve():
    ax = br.papers.placement_tile(0.3)
    ax.figure.canvas.draw()
    boxes = {text.get_text(): text.get_window_extent() for text in ax.texts if text.get_text()}
    assert {"F₀.₅", "F₁, J₊", "F₂"} <= set(boxes)
    curve = next(line for line in ax.lines if "γ_π" in line.get_label())
    pixels = ax.transData.transform(curve.get_xydata())
    for name in ("F₀.₅", "F₁, J₊", "F₂"):
        assert not any(boxes[name].contains(*point) for point in pixels)
        assert not any(boxes[name].overlaps(box) for other, box in boxes.items() if other != name)


def test_the_vertex_is_where_it_is_computed_to_be():
    ax = br.papers.pencil(0.95, 0.7, 0.2)
    vertex = br.tile.vertex(0.95, 0.7, 0.2)
    assert points(ax) == [(vertex["fpr"].item(), vertex["tpr"].item())]
    low, high = ax.get_xlim()
    assert low < vertex["fpr"].item() < high
    assert points(br.papers.pencil(0.5, 0.5, 0.3)) == []  # parallel lines
    # Along the purple line the value changes linearly.
    line = next(line for line in ax.lines if line.get_label() == "value changes linearly")
    x, y = (np.linspace(*data, 5) for data in line.get_data())
    value = br.scores.canonical(0.95, 0.7).of_cells(0.8 * (1 - x), 0.8 * x, 0.2 * (1 - y), 0.2 * y)
    assert np.ptp(np.diff(value)) == pytest.approx(0, abs=1e-12)
    assert np.ptp(value) > 0.1


def test_vertices_lie_in_the_grey_areas():
    for ax in br.papers.vertices(0.2):
        lines = [
            line.get_data()
            for line in ax.lines
            if line.get_linewidth() == 1.8 and len(line.get_xdata())
        ]
        assert lines
        for x, y in lines:
            assert ((np.maximum(x, y) <= 1e-9) | (np.minimum(x, y) >= 1 - 1e-9)).all()


def test_several_scores_stand_beside_the_tile_with_named_points():
    counts = br.from_counts(tn=[70, 50], fp=[30, 50], fn=[9, 5], tp=[21, 25], entity=["a", "b"])
    tile = br.tile.value(counts, 5).isel(entity=0)
    figure = br.papers.roc_beside_tile(tile, [1, 1, 1], [0, 0.5, 1], 0.25, counts)
    left, *squares = [
        ax for ax in figure.axes if ax.get_aspect() != "auto" and ax.get_label() != "<colorbar>"
    ]
    assert [ax.get_title()[:1] for ax in squares] == ["1", "2", "3"]
    marks = [line.get_xydata()[0].tolist() for line in left.lines if line.get_markersize() == 12]
    assert marks == [[1, 0], [1, 0.5], [1, 1]]
    assert {text.get_text() for text in left.texts} >= {"1", "2", "3"}
    for ax in squares:
        points = {line.get_label(): line for line in ax.lines if line.get_marker() == "o"}
        assert points["b"].get_xydata()[0] == pytest.approx([0.5, 25 / 30])
    assert [text.get_text() for text in squares[-1].get_legend().get_texts()] == ["a", "b"]
    for ax, b in zip(
        squares, (0, 0.5, 1), strict=True
    ):  # all points of a line have one value: precision, F1, recall
        x, y = ax.lines[5].get_data()
        inside = (x > 0.01) & (y > 0.01)
        value = br.scores.canonical(1, b).of_cells(
            0.75 * (1 - x), 0.75 * x, 0.25 * (1 - y), 0.25 * y
        )[inside]
        np.testing.assert_allclose(value, 0.5, atol=1e-9)


def test_the_grid_of_a_prevalence_is_where_the_shift_takes_it():
    axes = br.papers.prior_grids([0.2, 0.5])
    for ax, p in zip(axes, (0.2, 0.5), strict=True):
        *grid, curve = ax.lines
        across = sorted(
            {x for line in grid for x in line.get_xdata() if np.ptp(line.get_xdata()) == 0}
        )
        moved = [
            br.tile.moved_place("shift_prior", a, 0.5, 0.5, p)[0] for a in np.linspace(0, 1, 11)
        ]
        assert across == pytest.approx(moved)
        a = np.linspace(0, 1, 9)  # the descending diagonal, shifted with the grid
        to = np.array([br.tile.moved_place("shift_prior", x, 1 - x, 0.5, p) for x in a]).T
        np.testing.assert_allclose(np.interp(to[0], *curve.get_data()), to[1], atol=2e-3)
