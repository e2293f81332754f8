"""With truth drawn from the fitting prior, rank intervals cover and P(best) is calibrated."""

import numpy as np
import pytest

from tests.scripts import load_script


def simulate(boards, size, seed):
    return load_script("scripts/measure_coverage.py").from_the_prior(boards, size, seed)


@pytest.mark.parametrize(
    ("boards", "size", "seed"), [(15, 4, 1), pytest.param(1500, 10, 5, marks=pytest.mark.slow)]
)
def test_rank_intervals_cover_and_p_best_is_calibrated(boards, size, seed):
    found = simulate(boards, size, seed)
    each = found["rank interval"].mean(axis=1)
    # At least 95%, up to 4 standard errors of the leaderboards' means, theirs taken as if at 95%.
    assert each.mean() > 0.95 - 4 * max(each.std(), 0.05) / np.sqrt(boards)
    for joint in ("rank sets", "best set"):
        assert found[joint].mean() > 0.95 - 4 * np.sqrt(0.95 * 0.05 / boards), joint
    said, was = found["probability_best"], found["is_best"]
    np.testing.assert_allclose(said.sum(axis=1), 1, atol=1e-9)
    for low, high in [(0, 0.1), (0.1, 0.5), (0.5, 0.9), (0.9, 1.01)]:
        inside = (said >= low) & (said < high)
        if inside.any():
            # A sum of Bernoulli variables with the probabilities said; entities of a board only compete.
            spread = np.sqrt((said[inside] * (1 - said[inside])).sum())
            assert abs(was[inside].sum() - said[inside].sum()) < 4.5 * spread + 1, (low, high)
