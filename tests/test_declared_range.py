"""Numbers between declared ends: two cases at each end, or a base measure of one's own."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats

import bayesrank as br
from bayesrank._core.notes import Note
from bayesrank._core.source import groups_of
from tests.strategies import LEVEL
from tests.told import codes_in, fields_of, notes_in

RNG = np.random.default_rng(21)
RIGHT = pd.DataFrame(RNG.random((40, 2)) < [0.8, 0.6], columns=["a", "b"]).astype(int)
SKEWED = pd.DataFrame({"x": RNG.beta(0.4, 3, 60), "y": RNG.beta(0.6, 3, 60)}).assign(
    z=lambda f: 0.9 * f.x
)
GRADES = pd.DataFrame(RNG.integers(1, 5, (50, 2)), columns=["x", "y"])


def mean_of(frame, **options):
    return groups_of(br.fit(br.from_outcomes(frame), "paired", seed=1, **options))["posterior"][
        "mean_outcome"
    ]


def test_right_and_wrong_in_their_range_are_right_and_wrong():
    plain = mean_of(RIGHT)
    xr.testing.assert_equal(mean_of(RIGHT, range=(0, 1)), plain)
    xr.testing.assert_equal(mean_of(RIGHT, base={0: 0.5, 1: 0.5}), plain)


@pytest.mark.parametrize("frame", [SKEWED, SKEWED[:12].round(1)])
@pytest.mark.parametrize(
    ("how", "mass"), [({"range": (0, 1)}, {0: 0.5, 1: 0.5}), ({"base": {0: 3, 0.1: 4, 1: 1}}, None)]
)
def test_means_have_their_closed_form(frame, how, mass):
    """Posterior mean and variance of a Dirichlet process whose base mixes the prior's points with the cases."""
    mass = mass or how["base"]
    drawn, n, c = mean_of(frame, draws=2500, **how), len(frame), sum(mass.values())
    points, weight = np.array(list(mass)), np.array(list(mass.values()))
    for v, found in ((frame["x"], drawn.sel(entity="x")), (frame["y"], drawn.sel(entity="y"))):
        mean = (v.sum() + weight @ points) / (c + n)
        square = ((v**2).sum() + weight @ points**2) / (c + n)
        variance = (square - mean**2) / (c + n + 1)
        assert abs(float(found.mean()) - mean) < 5 * np.sqrt(variance / found.size)
        assert abs(float(found.var()) / variance - 1) < 5 * np.sqrt(2.5 / found.size)
    # Of a difference too: a priori both are drawn independently from the base measure.
    d, found = frame["z"] - frame["x"], drawn.sel(entity="z") - drawn.sel(entity="x")
    spread = weight @ points**2 / c - (weight @ points / c) ** 2
    variance = (((d**2).sum() + c * 2 * spread) / (c + n) - (d.sum() / (c + n)) ** 2) / (c + n + 1)
    assert abs(float(found.mean()) - d.sum() / (c + n)) < 5 * np.sqrt(variance / found.size)
    assert abs(float(found.var()) / variance - 1) < 5 * np.sqrt(2.5 / found.size)


def test_few_values_have_dirichlet_probabilities():
    fit = br.fit(br.from_outcomes(GRADES), "paired", range=(0, 5), seed=1)
    performance = br.as_performance(fit)
    assert performance["outcome"].values.tolist() == [0, 1, 2, 3, 4, 5]
    for value, extra in ((0, 0.5), (3, 0), (5, 0.5)):
        n = int((GRADES["y"] == value).sum()) + extra
        drawn = performance.sel(entity="y", outcome=value).values.ravel()
        assert stats.kstest(drawn, stats.beta(n, 51 - n).cdf).pvalue > LEVEL
    ranking = br.credible_ranking(fit, "mean_outcome")
    assert ranking.attrs["range"] == [0.0, 5.0]
    assert ranking["expected_regret"].notnull().all()


def test_a_range_may_only_be_declared():
    assert (
        float(abs(mean_of(SKEWED, range=(0, 1), prior="haldane") - mean_of(SKEWED)).max()) < 1e-12
    )
    fit = br.fit(br.from_outcomes(SKEWED), "paired", range=(0, 1), prior="haldane", draws=10)
    assert fit["posterior"].attrs["mean_outcome_range"] == [0.0, 1.0]


@pytest.mark.parametrize("frame", [SKEWED, GRADES / 5])
def test_the_prior_is_that_of_the_ends(frame):
    """Of 0/1 ends with half a case each: Beta(1/2, 1/2), of many values as of few."""
    fit = br.fit(br.from_outcomes(frame), "paired", range=(0, 1), seed=1, groups=["prior"])
    prior = groups_of(fit)["prior"]["mean_outcome"].sel(entity="x").values.ravel()
    assert stats.kstest(prior, stats.beta(0.5, 0.5).cdf).pvalue > LEVEL
    assert groups_of(fit)["constant_data"]["prior_concentration"].sel(
        outcome=[0, 1]
    ).values.tolist() == [[0.5, 0.5]] * len(frame.columns)


def test_few_cases_between_the_ends_of_a_range_are_drawn_to_the_middle():
    few = br.from_outcomes(SKEWED[:20])
    unranged = br.credible_ranking(br.fit(few, "paired", draws=20), "mean_outcome")
    assert fields_of(unranged, "few_units_without_prior")["units"] == 20
    ranged = br.fit(few, "paired", range=(0, 1), draws=20)
    fields = {"cases": 20, "prior_cases": 1, "centre": 0.5}
    assert notes_in(br.credible_ranking(ranged, "mean_outcome")) == [
        Note("few_cases_and_prior_of_range", fields)
    ]
    for evidence, how in (
        (RIGHT[:20], {"range": (0, 1)}),
        (SKEWED, {"range": (0, 1)}),
        (SKEWED[:20], {"base": {0: 1, 0.2: 1}}),
    ):
        fit = br.fit(br.from_outcomes(evidence), "paired", draws=20, seed=1, **how)
        codes = codes_in(br.credible_ranking(fit, "mean_outcome"))
        assert not {"few_units_without_prior", "few_cases_and_prior_of_range"} & set(codes)


def test_ranges_go_with_data_sets_clusters_and_missing_answers():
    frame = SKEWED.mask(RNG.random(SKEWED.shape) < 0.2)
    held = br.from_outcomes(
        frame, missing="own", dataset=np.repeat(["u", "v"], 30), cluster=np.arange(60) // 2
    )
    fit = br.fit(held, "paired", range=(0, 1), split_prior=True, seed=1)
    prior = groups_of(fit)["constant_data"]["prior_concentration"]
    assert (prior == 0.25).all()
    assert prior.sizes == {"entity": 3, "dataset": 2, "outcome": 2}
    assert ((fit["posterior"]["mean_outcome"] > 0) & (fit["posterior"]["mean_outcome"] < 1)).all()


def test_order_and_company_change_no_distribution():
    one = mean_of(SKEWED, range=(0, 1))
    two = mean_of(SKEWED[["z", "x", "y"]].iloc[::-1], range=(0, 1))
    xr.testing.assert_equal(two.sel(entity=["x", "y", "z"]), one)
    alone = mean_of(SKEWED[["x"]], range=(0, 1)).values.ravel()
    assert stats.ks_2samp(alone, one.sel(entity="x").values.ravel()).pvalue > LEVEL


def test_one_prevalence_for_all_entities():
    y = [0] * 6 + [1] * 4
    joint = br.joint_outcomes(y, {"a": y, "b": [0] * 10})
    own = xr.DataArray([0.2, 0.3], {"entity": ["a", "b"]}, ["entity"])
    same = br.fit(joint, "paired", prevalence=own * 0 + 0.2, seed=1, draws=20)
    one = br.fit(joint, "paired", prevalence=0.2, seed=1, draws=20)
    xr.testing.assert_allclose(br.as_performance(same), br.as_performance(one))
    drawn = xr.DataArray(np.linspace(0.1, 0.4, 20), dims="draw")
    br.fit(joint, "paired", prevalence=drawn, draws=20)
