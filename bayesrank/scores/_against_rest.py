"""Multi-class confusion matrices as two-class tables: each class against all others."""

import numpy as np

Cells = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
#: The mark of a label that occurs in the answers of an entity and never in the truth; 1 (True) is a
#: class with cases.
INVENTED = 2
#: The mark of a class that the user names and that has no case in the sample: a class wherever cases
#: of it are possible, as in draws, and like ``INVENTED`` where they are not.
DECLARED = 3
#: The mark of a label that takes no part in averages, because the user's ``labels`` do not name it.
OUTSIDE = -1


def mark_classes(cases: np.ndarray, answers: np.ndarray) -> np.ndarray:
    """Return 1 for classes with cases, ``INVENTED`` for labels of answers alone, and 0 for other classes."""
    return np.where(cases > 0, 1, INVENTED * (answers > 0))


def mark_chosen(marks: np.ndarray, averaged: np.ndarray, named: bool) -> np.ndarray:
    """Return marks by which classes take part in averages, and whether the user named these classes."""
    inside = np.where(marks == 1, 1, DECLARED) if named else marks
    return np.where(averaged, inside, OUTSIDE)


def against_rest(matrix: np.ndarray, tn: bool = True) -> Cells:
    """Return tn, fp, fn, tp (..., class) of each class against all others; tn, the slowest, only on request."""
    size = matrix.shape[-1]
    # Class by class, so that each step runs along many tables. Cells are summed, never subtracted:
    # differences of probabilities leave rounding errors, whose rates are arbitrary.
    table = np.ascontiguousarray(np.moveaxis(np.asarray(matrix, float), (-2, -1), (0, 1)))
    shape = (size, *matrix.shape[:-2])
    fp, fn, right = np.zeros(shape), np.zeros(shape), np.empty(shape)
    for i in range(size):
        right[i] = table[i, i]
        for others in (slice(0, i), slice(i + 1, size)):
            fn[others] += table[others, i]
            fp[others] += table[i, others]
    cells = (_without_class(table) if tn else np.zeros(shape), fp, fn, right)
    return tuple(np.moveaxis(cell, 0, -1) for cell in cells)  # type: ignore[return-value]


def _without_class(table: np.ndarray) -> np.ndarray:
    """Return, for each class (class, ...), the sum of tables (actual, predicted, ...) without its row and column."""
    outside, out = np.zeros_like(table), np.zeros_like(table[0])
    for order in (
        range(len(table)),
        range(len(table) - 1, -1, -1),
    ):  # the predictions left of a class, then right of it
        total = np.zeros_like(table[0])
        for j in order:
            outside[:, j] += total
            total += table[:, j]
    for i in range(len(table)):
        for others in (slice(0, i), slice(i + 1, None)):
            out[others] += outside[i, others]
    return out
