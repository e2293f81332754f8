"""What units of unequal sizes are worth: bias and degrees of freedom of a variance between units.

Bell and McCaffrey (2002), Bias reduction in standard errors for linear regression with multi-stage
samples, Survey Methodology 28:169-181.
"""

from typing import NamedTuple

import numpy as np


class UnitMoments(NamedTuple):
    """Moments of the estimated variance of a mean over units whose own means have equal variances, 1."""

    number: int
    true: float  #: The variance of the mean.
    expected: float  #: The expectation of the sum of squared deviations.
    square: float  #: Half the variance of this sum.


def moments_of_units(size: np.ndarray) -> UnitMoments:
    """Return the moments for units of these sizes, of which two at least are not 0."""
    s2, s3, s4, s5 = (float(((size / size.sum()) ** power).sum()) for power in (2, 3, 4, 5))
    square = s4 - 4 * s5 + 4 * s2 * s4 + 2 * s3**2 - 4 * s2**2 * s3 + s2**4
    return UnitMoments(int(np.count_nonzero(size)), s2, s2 - 2 * s3 + s2**2, square)


def unit_freedom(size: np.ndarray) -> tuple[float, float]:
    """Return the degrees of freedom of a mean over units, and the factor by which its plain variance is too small.

    G units of equal size have G - 1 degrees of freedom and the factor G / (G - 1).

    Examples
    --------
    >>> freedom, factor = unit_freedom(np.full(10, 3.0))
    >>> round(freedom, 6), round(factor, 6)
    (9.0, 1.111111)
    """
    if np.count_nonzero(size) < 2:
        return 0.0, np.inf
    moments = moments_of_units(size)
    return moments.expected**2 / moments.square, moments.true / moments.expected


def cluster_information(sizes: list[np.ndarray], weights: np.ndarray) -> tuple[float, float]:
    """Return the degrees of freedom of a mean over clusters, and the factor by which its bootstrap is too narrow.

    G clusters of equal size (of each data set) have G - 1 degrees of freedom and the factor √((G +
    1)/(G - 1)).
    """
    true = expected = squares = 0.0
    for size, weight in zip(sizes, weights.tolist(), strict=True):
        if np.count_nonzero(size) < 2:
            return 0.0, np.inf
        moments = moments_of_units(size)
        shrunk = weight**2 * moments.number / (moments.number + 1)
        true += weight**2 * moments.true
        expected += shrunk * moments.expected
        squares += shrunk**2 * moments.square
    return float(expected**2 / squares), float(np.sqrt(true / expected))
