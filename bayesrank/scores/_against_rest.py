"""Confusion matrices of many classes as tables of two: each class against all others."""

import numpy as np


def against_rest(matrix: np.ndarray, tn: bool = True) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """tn, fp, fn, tp (..., class) of each class against all others; the first, most of the work, 0 if not ``tn``.

    Sums of cells only: a difference of probabilities leaves rounding errors, and rates of those can be anything.

    Examples
    --------
    >>> [cell.tolist() for cell in against_rest(np.array([[5, 1, 0], [2, 7, 1], [0, 0, 4]]))]
    [[12, 9, 15], [2, 1, 1], [1, 3, 0], [5, 7, 4]]
    """
    tables = np.moveaxis(matrix, (-2, -1), (0, 1))
    own = (np.arange(len(tables)),) * 2
    tp, errors = tables[own], tables.copy()
    errors[own] = 0
    if not tn:
        cells = np.broadcast_to(0.0, tp.shape), errors.sum(axis=0), errors.sum(axis=1), tp
        return tuple(np.moveaxis(cell, 0, -1) for cell in cells)  # type: ignore[return-value]
    # Of an actual class, what is not predicted as another one: what stands left of that, and what stands right.
    elsewhere = np.zeros_like(tables)
    for i in range(1, len(tables)):
        elsewhere[:, i] = elsewhere[:, i - 1] + tables[:, i - 1]
    right = np.zeros_like(tables[:, 0])
    for i in range(len(tables) - 1, 0, -1):
        right += tables[:, i]
        elsewhere[:, i - 1] += right
    elsewhere[own] = 0
    cells = elsewhere.sum(axis=0), errors.sum(axis=0), errors.sum(axis=1), tp
    return tuple(np.moveaxis(cell, 0, -1) for cell in cells)  # type: ignore[return-value]
