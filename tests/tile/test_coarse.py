"""The shares of the Tile from a coarse grid: known answers, and those of the whole Tile."""

import numpy as np
import pytest

import bayesrank as br
from bayesrank.tile.coarse import RESOLUTION, coarse_shares


def test_always_negative_and_always_positive_share_the_tile():
    """At prevalence 1/2 the first is better where a + b < 1, the second where a + b > 1, and they tie between."""
    one = br.performance.from_cells(
        tn=[0.5, 0.0], fp=[0.0, 0.5], fn=[0.5, 0.0], tp=[0.0, 0.5], entity=["never", "always"]
    )
    share, undecided = coarse_shares(one, 0.95)
    np.testing.assert_allclose(share.values, 0.5)
    assert 0 < undecided < 2 / (RESOLUTION - 1)  # the diagonal


def test_twins_share_and_an_entity_without_cases_has_no_share():
    counts = br.from_counts(
        tn=[70, 70, 40, 0],
        fp=[10, 10, 40, 0],
        fn=[9, 9, 20, 0],
        tp=[21, 21, 10, 0],
        entity=["a", "twin", "worse", "none"],
    )
    share, undecided = coarse_shares(br.as_performance(counts), 0.95)
    assert share.sel(entity=["a", "twin", "worse"]).values == pytest.approx([0.5, 0.5, 0.0])
    assert np.isnan(share.sel(entity="none"))
    assert undecided == pytest.approx(1)


def test_shares_are_those_of_the_whole_tile():
    counts = br.from_counts(
        tn=[73, 76, 70], fp=[7, 4, 10], fn=[6, 9, 2], tp=[24, 21, 28], entity=list("abc")
    )
    posterior = br.fit(counts, "beta_binomial", draws=2000, seed=1)
    share, undecided = coarse_shares(br.as_performance(posterior), 0.95)
    whole = br.tile.credible(posterior)
    # Of 1,000 draws, a share has a standard deviation of at most 0.016.
    np.testing.assert_allclose(
        share.values, whole["share"].sel(entity=share["entity"]).values, atol=0.05
    )
    assert undecided == pytest.approx(whole["undecided_area"].item(), abs=0.05)
    assert share.sum() == pytest.approx(1)
