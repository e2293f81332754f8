"""P(best) on a grid in NumPy equals the compiled maps."""

import numpy as np
import pytest

import bayesrank as br
from bayesrank.tile._best import best_on_grid


@pytest.mark.parametrize("draws", [False, True])
def test_equals_the_kernels_also_with_ties_empty_cells_and_undefined_entities(draws):
    counts = br.from_counts(tn=[70, 75, 75, 0], fp=[0, 5, 5, 5], fn=[6, 9, 9, 9], tp=[24, 21, 21, 0])
    source = br.fit(counts, seed=1, draws=100)["posterior"]["performance"].copy(deep=True) if draws else counts
    if draws:
        source[..., 3, :, :] = np.nan
        source[..., 2, :, :] = source[..., 1, :, :].values
    found, expected = best_on_grid(source, 11), br.tile.credible(source, 11, maps=())
    for name in found:
        np.testing.assert_allclose(found[name], expected[name].transpose(*found[name].dims), rtol=0, atol=1e-12)
