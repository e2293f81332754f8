"""Posterior predictive counts: sizes kept, moments of the beta-binomial, one future test set for all."""

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import bayesrank as br
from bayesrank._core.source import groups_of

COUNTS = br.from_counts(tn=[70, 60], fp=[10, 20], fn=[6, 9], tp=[24, 21], entity=["a", "b"])
BOTH = ["actual", "predicted"]


@pytest.fixture(scope="module")
def posterior():
    return br.fit(COUNTS, seed=1, draws=5000)


def assert_moments_agree(values, law):
    """Mean within 5 standard errors, variance within 5 of its own (fourth moment of the law)."""
    n = values.size
    assert abs(values.mean() - law.mean()) < 5 * law.std() / np.sqrt(n)
    kurtosis = float(law.stats("k"))
    assert abs(values.var() / law.var() - 1) < 5 * np.sqrt((kurtosis + 2) / n)


def cell(future, entity, actual):
    return future.sel(entity=entity, actual=actual, predicted="positive").values.ravel()


def test_class_sizes_given(posterior):
    future = br.posterior_predictive(posterior, size={"negative": 40, "positive": 25}, seed=2)
    assert (future.sum("predicted") == xr.DataArray([40, 25], dims="actual")).all()
    assert_moments_agree(cell(future, "a", "positive"), stats.betabinom(25, 24.5, 6.5))
    assert_moments_agree(cell(future, "b", "negative"), stats.betabinom(40, 20.5, 60.5))


def test_total_given(posterior):
    future = br.posterior_predictive(posterior, size=50, seed=2)
    assert (future.name, future.dtype.kind, future.dims) == (
        "counts",
        "i",
        br.as_performance(posterior).dims,
    )
    assert (future.sum(BOTH) == 50).all()
    positives = future.sum("predicted").sel(entity="a", actual="positive").values.ravel()
    assert_moments_agree(positives, stats.betabinom(50, 31, 81))
    assert_moments_agree(cell(future, "a", "positive"), stats.betabinom(50, 24.5, 112 - 24.5))


def test_entities_meet_the_same_future_test_set(posterior):
    future = br.posterior_predictive(posterior, size=50, seed=2).sum("predicted")
    xr.testing.assert_equal(future.sel(entity="a", drop=True), future.sel(entity="b", drop=True))
    apart = br.fit(COUNTS.assign_coords(test_set=("entity", ["x", "y"])), seed=1, draws=100)
    future = br.posterior_predictive(apart, size=50, seed=2).sum("predicted")
    assert not future.sel(entity="a", drop=True).equals(future.sel(entity="b", drop=True))


def test_default_size_is_that_observed(posterior):
    assert (br.posterior_predictive(posterior, seed=1).sum(BOTH) == 110).all()
    designed = br.posterior_predictive(br.fit(COUNTS, "beta_binomial", seed=1), seed=1)
    assert (designed.sum("predicted").sel(actual="positive") == 30).all()


def test_streams_depend_on_names_and_seed_alone(posterior):
    turned = br.fit(COUNTS.isel(entity=[1, 0]), seed=1, draws=5000)
    one, other = (br.posterior_predictive(p, 20, seed=3) for p in (posterior, turned))
    xr.testing.assert_equal(other.sel(entity=["a", "b"]), one)
    assert not br.posterior_predictive(posterior, 20, seed=4).equals(one)


def known(chains, draws):
    """Draws of one known performance."""
    classes = ["negative", "positive"]
    return xr.DataArray(
        np.broadcast_to([[0.5, 0.2], [0.1, 0.2]], (chains, draws, 1, 2, 2)),
        {"entity": ["a"], "actual": classes, "predicted": classes},
        ("chain", "draw", "entity", "actual", "predicted"),
    )


def test_known_performance_gives_the_multinomial():
    p = known(1, 4000).isel(chain=0)
    future = br.posterior_predictive(p, size=30, seed=1)
    for i, share in np.ndenumerate(p.values[0, 0]):
        assert_moments_agree(future.values[:, 0][(..., *i)], stats.binom(30, share))


def test_classes_without_cases_or_prevalence():
    counts = br.from_counts(tn=9, fp=2, fn=0, tp=0)
    future = br.posterior_predictive(
        br.fit(counts, prevalence="observed", seed=1, draws=20), seed=1
    )
    assert (future.sum(BOTH) == 11).all()
    assert (future.sel(actual="positive") == 0).all()
    # A posterior keeps the rates of a class of prevalence 0.
    posterior = br.fit(COUNTS, prevalence=0.0, seed=1, draws=5000)
    future = br.posterior_predictive(posterior, size={"negative": 5, "positive": 25}, seed=1)
    assert_moments_agree(cell(future, "a", "positive"), stats.betabinom(25, 24.5, 6.5))


def test_prior_predictive_has_the_prior_predictive_law():
    found = groups_of(
        br.fit(COUNTS, "beta_binomial", seed=1, draws=5000, groups=["prior", "prior_predictive"])
    )
    assert_moments_agree(
        cell(found["prior_predictive"]["counts"], "a", "positive"), stats.betabinom(30, 0.5, 0.5)
    )


def test_entities_that_meet_the_same_cases_are_not_drawn_apart():
    joint = br.joint_outcomes([0, 0, 1, 1] * 9, {"a": [0, 1, 1, 1] * 9, "b": [0, 0, 0, 1] * 9})
    posterior = br.fit(joint, "paired", draws=50, seed=1)
    with pytest.raises(
        ValueError, match="posterior must not be paired: its entities have the same future cases"
    ):
        br.posterior_predictive(posterior, 20)
    one = br.posterior_predictive(br.as_performance(posterior).sel(entity=["a"]), 20, seed=1)
    assert (one.sum(["actual", "predicted"]) == 20).all()
    alone = br.fit(joint.sel(entity=["a"]), "paired", draws=50, seed=1)
    assert br.posterior_predictive(alone, 20, seed=1).sizes["entity"] == 1


def test_every_block_of_draws_has_a_stream_of_its_own():
    """Of chain and block, though the draws are the same; chunks that end elsewhere change nothing."""
    p = known(2, 2300)
    for size in ({"negative": 20, "positive": 10}, 30):
        future = br.posterior_predictive(p, size=size, seed=1)
        parts = [future.values[c, at : at + 1000] for c in range(2) for at in (0, 1000)]
        assert not any((parts[i] == parts[j]).all() for i in range(4) for j in range(i))
    pytest.importorskip("dask")
    for chunks in ({"draw": 700}, {"chain": 1, "draw": 1500, "actual": 1}):
        lazy = br.posterior_predictive(p.chunk(chunks), size=30, seed=1)
        assert lazy.chunks is not None
        xr.testing.assert_identical(lazy.compute(), future)
        xr.testing.assert_identical(
            lazy.isel(chain=1, draw=slice(1990, 2010)).compute(), future[1, 1990:2010]
        )


def test_a_draw_without_a_performance_has_no_case(posterior):
    p = br.as_performance(posterior).copy()
    p[0, 3, 0] = np.nan
    for size in (30, {"negative": 20, "positive": 10}):
        future = br.posterior_predictive(p, size=size, seed=1).sum(BOTH)
        assert future[0, 3, 0] == 0
        assert (future == 30).sum() == future.size - 1
