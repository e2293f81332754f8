"""The simplex of confusion matrices, and its slices in the ROC and precision-recall squares."""

from math import comb

import numpy as np
import pytest

import bayesrank as br
from bayesrank.scores.lattice import (
    all_matrices,
    lattice_values,
    roc_lattice,
    roc_to_pr,
    simplex,
    simplex_corners,
    simplex_slice,
)


def test_simplex_is_regular():
    corners = br.from_counts(tn=[60, 0, 0, 0], fp=[0, 60, 0, 0], fn=[0, 0, 60, 0], tp=[0, 0, 0, 60])
    points = simplex(corners)
    assert points.dims == ("entity", "axis")
    np.testing.assert_allclose(points, [[-20, -20, -20], [0, 60, 0], [0, 0, 60], [60, 0, 0]])
    np.testing.assert_allclose(points, simplex_corners(60).sel(cell=["TN", "FP", "FN", "TP"]))
    distances = np.linalg.norm(points.values[:, None] - points.values[None], axis=-1)
    np.testing.assert_allclose(distances[~np.eye(4, dtype=bool)], 60 * np.sqrt(2))


def test_slices_are_rectangles_in_a_plane():
    points = simplex_slice(20, 80)
    assert points.dims == ("tp", "fp", "axis")
    corners = points.values[[0, 0, -1, -1], [0, -1, 0, -1]]
    sides = corners[1] - corners[0], corners[2] - corners[0]
    np.testing.assert_allclose(corners[3] - corners[0], sides[0] + sides[1])
    assert sides[0] @ sides[1] == pytest.approx(0, abs=1e-9)  # a right angle
    np.testing.assert_allclose(
        [np.linalg.norm(s) for s in sides], [80 * np.sqrt(2), 20 * np.sqrt(2)]
    )


def test_lattices_map_onto_each_other():
    """U Eq. 113 takes every ROC point to its precision-recall point."""
    roc = roc_lattice(20, 30)
    assert roc["tpr"].shape == (21, 31)
    mapped = roc_to_pr(roc["fpr"], roc["tpr"], 20 / 50)
    np.testing.assert_allclose(mapped["precision"], roc["precision"], rtol=1e-12)
    np.testing.assert_allclose(mapped["recall"], roc["tpr"])
    assert np.isnan(roc["precision"].sel(tp=0, fp=0))


def test_values_of_a_lattice_are_those_of_its_tables():
    found = lattice_values(3, 4, "mcc")
    assert found.dims == ("tp", "fp")
    assert found.shape == (4, 5)
    for tp in range(4):
        for fp in range(5):
            expected = br.scores.mcc.of_cells(4 - fp, fp, 3 - tp, tp)
            np.testing.assert_array_equal(found.sel(tp=tp, fp=fp), expected)


def test_all_matrices_are_there_once():
    matrices = all_matrices(7).values.reshape(-1, 4)
    assert len(np.unique(matrices, axis=0)) == len(matrices) == comb(10, 3)
    assert (matrices.sum(axis=1) == 7).all()
    assert matrices.min() == 0
    assert all_matrices(100).sizes["matrix"] == 176_851  # as the paper counts them


def test_the_twelve_neighbours_of_a_matrix_are_equally_far():
    """Lovell et al., 2.3: one case moved from one cell to another, in the barycentric projection of Eq. 1."""
    cells = np.array([9, 4, 3, 7])
    moved = [
        cells - np.eye(4, dtype=int)[i] + np.eye(4, dtype=int)[j]
        for i in range(4)
        for j in range(4)
        if i != j
    ]
    names = ("tn", "fp", "fn", "tp")
    centre, around = (
        simplex(
            br.from_counts(**dict(zip(names, np.array(each).reshape(-1, 4).T, strict=True)))
        ).values
        for each in (cells, moved)
    )
    assert len(np.unique(around, axis=0)) == 12
    np.testing.assert_allclose(np.linalg.norm(around - centre, axis=1), np.sqrt(2))
