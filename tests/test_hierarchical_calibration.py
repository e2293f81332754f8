"""Simulation-based calibration of the hierarchical Dirichlet-multinomial: truths drawn from the prior are as uncertain
as claimed. Populations of different entities are independent, so every entity of one fit is a replicate."""

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import bayesrank as br
from bayesrank.models._population import SPREAD

ANSWERS, SETS = 3, 4
MODEL = "hierarchical_dirichlet_multinomial"


def dirichlet(rng, concentration):
    """One draw for each row of concentrations, which may be tiny."""
    log = np.log(rng.standard_gamma(concentration + 1)) + np.log(rng.random(concentration.shape)) / concentration
    share = np.exp(log - log.max(-1, keepdims=True))
    return share / share.sum(-1, keepdims=True)


def world(seed, replicates, sparse):
    """Truths from the prior, and counts (entity, dataset, outcome) of a few cases each; sparse: mostly none."""
    rng = np.random.default_rng(seed)
    mean = rng.dirichlet(np.full(ANSWERS, 1 / ANSWERS), replicates)
    odds = np.maximum(abs(SPREAD * rng.standard_t(3, replicates)), 1e-6)
    spread = odds / np.sqrt(1 + odds**2)
    alpha = np.maximum(mean * (1 / spread**2 - 1)[:, None], 1e-12)
    rates = dirichlet(rng, np.repeat(alpha[:, None], SETS, 1))
    cases = rng.poisson(0.7, (replicates, SETS)) if sparse else rng.integers(1, 25, (replicates, SETS))
    cases[:, 0] += cases.sum(1) == 0
    coords = {"entity": np.arange(replicates), "dataset": list("wxyz"), "outcome": np.arange(ANSWERS)}
    counts = xr.DataArray(rng.multinomial(cases, rates), coords, ("entity", "dataset", "outcome"), name="counts")
    return counts, {"mean": mean[:, -1], "spread": spread, "rate": rates[:, 0, -1], "new": dirichlet(rng, alpha)[:, -1]}


def least_p_value(counts, truth, draws, tune):
    """Which quantity's truths stand least evenly among their draws, and the p-value of Kolmogorov and Smirnov."""
    nuts = {"tune": tune, "target_accept": 0.9}
    fit = br.fit(counts, MODEL, seed=1, draws=draws, chains=2, nuts=nuts)["posterior"]
    post = fit.to_dataset() if hasattr(fit, "to_dataset") else fit
    last = {"outcome": ANSWERS - 1}
    found = {
        "mean": post["mean_rate"].isel(last),
        "spread": post["spread"],
        "rate": post["performance"].isel(last | {"dataset": 0}),
        "new": post["performance_new"].isel(last),
    }
    below = {name: (found[name] < xr.DataArray(truth[name], dims="entity")).mean(["chain", "draw"]) for name in found}
    return min((stats.kstest(ranks, "uniform").pvalue, name) for name, ranks in below.items())


@pytest.mark.slow
def test_calibration_in_short():
    assert least_p_value(*world(1, 20, False), draws=100, tune=150) > (1e-3, "")


@pytest.mark.slow
@pytest.mark.parametrize("sparse", [False, True], ids=["plain", "sparse"])
def test_calibration(sparse):
    assert least_p_value(*world(2, 300, sparse), draws=500, tune=300) > (1e-3, "")
