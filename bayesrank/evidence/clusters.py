"""The degrees of freedom of means over cases or clusters of unequal sizes.

Bell and McCaffrey (2002), Bias reduction in standard errors for linear regression with multi-stage samples, Survey
Methodology 28:169-181, have the bias and Satterthwaite's degrees of freedom for means over clusters.
"""

import numpy as np


def cluster_information(sizes: list[np.ndarray], weights: np.ndarray) -> tuple[float, float]:
    """Return the degrees of freedom of a mean over clusters, and the factor by which its bootstrap is too narrow.

    G clusters of equal size (of each data set) have G - 1 degrees of freedom and the factor √((G + 1)/(G - 1)).
    """
    true = expected = squares = 0.0
    for size, weight in zip(sizes, weights.tolist(), strict=True):
        number = np.count_nonzero(size)
        if number < 2:
            return 0.0, np.inf
        s2, s3, s4, s5 = (float(((size / size.sum()) ** power).sum()) for power in (2, 3, 4, 5))
        trace = s2 - 2 * s3 + s2**2
        square = s4 - 4 * s5 + 4 * s2 * s4 + 2 * s3**2 - 4 * s2**2 * s3 + s2**4
        shrunk = weight**2 * number / (number + 1)
        true += weight**2 * s2
        expected += shrunk * trace
        squares += shrunk**2 * square
    return float(expected**2 / squares), float(np.sqrt(true / expected))
