"""The lattice of all confusion matrices of one size: as a simplex, and in ROC and precision-recall space.

Matrices with the same number of positives form a slice, a rectangular lattice. Scaled by the class
sizes, it is the ROC square.
"""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.checks import check_integer, check_labelled_numbers
from bayesrank.performance.arrays import two_class_cells
from bayesrank.scores.names import as_score
from bayesrank.scores.score import ratio

CLASSES = ["negative", "positive"]


def simplex(counts: xr.DataArray) -> xr.DataArray:
    """Return two-class counts (actual, predicted, ...) as points (..., axis) in space, with equal distances.

    The axes x, y and z are TP, FP and FN, each minus TN / 3. The matrices of N cases fill a regular
    tetrahedron with edges of length N √2 (Lovell et al., Never mind the metrics, Eq. 1).

    Examples
    --------
    >>> simplex(br.from_counts(tn=30, fp=0, fn=0, tp=0)).values.tolist()
    [[-10.0, -10.0, -10.0]]
    """
    cells = two_class_cells(counts, "counts")
    axes = [cells[name] - cells["tn"] / 3 for name in ("tp", "fp", "fn")]
    points = xr.concat(axes, xr.DataArray(["x", "y", "z"], dims="axis", name="axis"))
    return points.transpose(..., "axis").rename("simplex")


def simplex_slice(positives: int, negatives: int) -> xr.DataArray:
    """Return the points (tp, fp, axis) of all matrices with given class sizes, a rectangular lattice in the simplex.

    Examples
    --------
    >>> simplex_slice(20, 80).sizes["tp"], simplex_slice(20, 80).sizes["fp"]
    (21, 81)
    """
    return simplex(_matrices(positives, negatives))


def all_matrices(total: int) -> xr.DataArray:
    """Return every confusion matrix of a number of cases, as counts (matrix, actual, predicted).

    There are (total + 3)! / (3! total!) matrices, 176,851 for 100 cases, ordered by positives, then
    true positives, then false positives (Lovell et al., Never mind the metrics, Section 3).

    Examples
    --------
    >>> matrices = all_matrices(2)
    >>> matrices.sizes["matrix"], br.scores.accuracy(matrices).values.tolist()
    (10, [1.0, 0.5, 0.0, 0.5, 0.0, 1.0, 0.5, 0.0, 0.5, 1.0])
    """
    check_integer("total", total)
    slices = [_matrices(p, total - p).values.reshape(-1, 2, 2) for p in range(total + 1)]
    coords = {"actual": CLASSES, "predicted": CLASSES}
    return xr.DataArray(np.concatenate(slices), coords, ("matrix", "actual", "predicted"), "counts")


def simplex_corners(total: int) -> xr.DataArray:
    """Return the corners (cell, axis) of the simplex of matrices of one size, with all cases in one cell.

    Examples
    --------
    >>> simplex_corners(30).sel(cell="TN").values.tolist()
    [-10.0, -10.0, -10.0]
    """
    check_integer("total", total)
    ends = np.array([(1, 0, 0), (0, 1, 0), (0, 0, 1), (-1 / 3, -1 / 3, -1 / 3)]) * total
    coords = {"cell": ["TP", "FP", "FN", "TN"], "axis": ["x", "y", "z"]}
    return xr.DataArray(ends, coords, ("cell", "axis"), "simplex")


def lattice_values(positives: int, negatives: int, score: Any) -> xr.DataArray:
    """Return a score of all matrices with given class sizes, (tp, fp); NaN where the score is undefined.

    Examples
    --------
    >>> lattice_values(2, 4, "f1").sel(tp=1, fp=1).item()
    0.5
    """
    score, (tp, fp) = as_score(score), xr.broadcast(*_ranges(positives, negatives))
    return xr.apply_ufunc(score.of_cells, negatives - fp, fp, positives - tp, tp).rename(score.name)


def roc_lattice(positives: int, negatives: int) -> xr.Dataset:
    """Return all points that a test set can have in ROC and precision-recall space.

    ``fpr``, ``tpr`` (the recall) and ``precision`` (tp, fp) are NaN if a class has no cases, or
    without a positive call (Lovell et al., Never mind the metrics, Appendix D.2).

    Examples
    --------
    >>> points = roc_lattice(2, 4).sel(tp=1, fp=3)
    >>> points["tpr"].item(), points["precision"].item()
    (0.5, 0.25)
    """
    tp, fp = xr.broadcast(*_ranges(positives, negatives))
    ratios = {"fpr": (fp, negatives), "tpr": (tp, positives), "precision": (tp, tp + fp)}
    return xr.Dataset({name: xr.apply_ufunc(ratio, *parts) for name, parts in ratios.items()})


def roc_to_pr(fpr: Any, tpr: Any, prevalence: Any) -> xr.Dataset:
    """Transform points from ROC space, numbers or arrays, to precision-recall space, at one prevalence.

    The result holds ``recall`` and ``precision``; precision is NaN at (0, 0), without a positive
    call (Lovell et al., Never mind the metrics, Eq. 113, in a form that also holds for TPR = 0).

    Examples
    --------
    >>> float(roc_to_pr(0.2, 0.8, 1 / 3)["precision"].round(6))
    0.666667
    """
    arguments = {"fpr": fpr, "tpr": tpr, "prevalence": prevalence}
    x, y, p = (
        check_labelled_numbers(name, values, 0.0, 1.0, dim="point")
        for name, values in arguments.items()
    )
    precision = xr.apply_ufunc(ratio, *xr.broadcast(p * y, p * y + (1 - p) * x))
    return xr.Dataset({"recall": y + 0 * precision.fillna(0), "precision": precision})


def _ranges(positives: int, negatives: int) -> tuple[xr.DataArray, xr.DataArray]:
    check_integer("positives", positives)
    check_integer("negatives", negatives)
    ranges = {"tp": np.arange(positives + 1), "fp": np.arange(negatives + 1)}
    tp, fp = (xr.DataArray(values, {name: values}, (name,)) for name, values in ranges.items())
    return tp, fp


def _matrices(positives: int, negatives: int) -> xr.DataArray:
    tp, fp = xr.broadcast(*_ranges(positives, negatives))
    cells = np.stack([negatives - fp, fp, positives - tp, tp], axis=-1).reshape(*tp.shape, 2, 2)
    coords = {"tp": tp["tp"], "fp": fp["fp"], "actual": CLASSES, "predicted": CLASSES}
    return xr.DataArray(cells, coords, ("tp", "fp", "actual", "predicted"), "counts")
