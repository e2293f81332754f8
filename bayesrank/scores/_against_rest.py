"""Multi-class confusion matrices as two-class tables: each class against all others."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

Cells = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def against_rest(matrix: np.ndarray, tn: bool = True) -> Cells:
    """Return tn, fp, fn, tp (..., class) of each class against all others; tn, the slowest, only on request.

    Examples
    --------
    >>> [cell.tolist() for cell in against_rest(np.array([[5, 1, 0], [2, 7, 1], [0, 0, 4]]))]
    [[12.0, 9.0, 15.0], [2.0, 1.0, 1.0], [1.0, 3.0, 0.0], [5.0, 7.0, 4.0]]
    """
    from bayesrank.scores._rest_kernel import split

    lead, size = matrix.shape[:-2], matrix.shape[-1]
    # Class by class, so that later steps run along many tables.
    cells = np.empty((4, size, *lead))
    if not tn:
        cells[0] = 0
    split(np.ascontiguousarray(matrix, float).reshape(-1, size, size), tn, cells.reshape(4, size, -1))
    found = np.moveaxis(cells, 1, -1)
    return found[0], found[1], found[2], found[3]


@dataclass(frozen=True)
class OfMargins:
    """A function of confusion matrices (..., actual, predicted) that needs only the margins and the diagonal.

    Parameters
    ----------
    function : callable
        Function of the right answers of each class, its cases and its predictions (..., class).
    """

    function: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
    needs_tn: ClassVar[bool] = False

    def __call__(self, matrix: np.ndarray, present: Any) -> np.ndarray:
        return self.of_rest(against_rest(np.asarray(matrix), self.needs_tn), present)

    def of_rest(self, cells: Cells, present: Any) -> np.ndarray:
        """Return the value from tables of each class against all others."""
        _, fp, fn, tp = cells
        return self.function(tp, tp + fn, tp + fp)
