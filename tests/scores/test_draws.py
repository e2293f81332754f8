"""What draws of a score say, on draws that are known."""

import numpy as np
import pytest
import xarray as xr
from matplotlib.path import Path
from scipy import stats

import bayesrank as br
from bayesrank.scores.draws import differences, histograms, rate_regions

RNG = np.random.default_rng(4)


def draws(columns, **coords):
    return xr.DataArray(
        np.array(columns).T[None], dims=("chain", "draw", "entity"), coords=coords, name="f1"
    )


LADDER = np.arange(101) / 100
VALUES = draws(
    [LADDER, LADDER + 2, 1 - LADDER, np.full(101, np.nan)], entity=["a", "b", "c", "nobody"]
)


def test_differences_are_those_of_the_draws():
    found = differences(VALUES, "a", prob=0.9)
    assert found["entity"].values.tolist() == ["b", "c", "nobody"]
    np.testing.assert_allclose(found["median"], [2.0, 0.0, np.nan], atol=1e-12)
    # Of 1 - 2x with x even between 0 and 1 the middle 90% lies between -0.9 and 0.9.
    np.testing.assert_allclose(found["lower"], [2.0, -0.9, np.nan], atol=1e-12)
    np.testing.assert_allclose(found["upper"], [2.0, 0.9, np.nan], atol=1e-12)
    assert found["verdict"].values.tolist() == ["above", "undecided", ""]


@pytest.mark.parametrize(("rope", "verdict"), [(0.0, "below"), (1.9, "below"), (2.1, "undecided")])
def test_a_difference_within_the_rope_is_undecided(rope, verdict):
    assert differences(VALUES, "b", rope)["verdict"].sel(entity="a").item() == verdict
    assert differences(VALUES, "b", rope)["entity"].values[-1] == "nobody"


def test_differences_do_not_depend_on_the_order_of_dims_or_entities():
    found = differences(VALUES, "a")
    xr.testing.assert_identical(
        differences(VALUES.transpose("entity", "draw", "chain"), "a"), found
    )
    xr.testing.assert_identical(differences(VALUES.isel(entity=[2, 0, 1, 3]), "a"), found)


def test_histograms_hold_the_draws_between_the_extreme_quantiles():
    values = draws(RNG.beta(20, 5, (2, 4000)), entity=["a", "b"]) - xr.DataArray(
        [0.2, 0.0], dims="entity"
    )
    prior = draws(RNG.random((2, 4000)), entity=["a", "b"])
    found = histograms(values, prior)
    assert found["entity"].values.tolist() == ["b", "a"]
    edges = np.append(found["left"], found["right"][-1])
    np.testing.assert_array_equal(found["left"][1:], found["right"][:-1])
    np.testing.assert_allclose(np.diff(edges), np.ptp(edges) / 80)
    both = np.concatenate([values.values.ravel(), prior.values.ravel()])
    np.testing.assert_allclose(edges[[0, -1]], np.quantile(both, [0.001, 0.999]))
    for name, x in (("posterior", values), ("prior", prior)):
        inside = (x >= edges[0]) & (x <= edges[-1])
        np.testing.assert_array_equal(
            found[name].sum("bin").sel(entity=["a", "b"]), inside.sum(["chain", "draw"])
        )


def performance(fpr, tpr, prevalence=0.5):
    """Draws of one entity with these rates."""
    cells = (
        np.array([[1 - fpr, fpr], [1 - tpr, tpr]])
        * np.array([1 - prevalence, prevalence])[:, None, None]
    )
    return xr.DataArray(
        cells[..., None], {"entity": ["e"]}, ("actual", "predicted", "draw", "entity")
    )


def held(found, fpr, tpr):
    curve = Path(np.column_stack([found["region_fpr"][0], found["region_tpr"][0]]))
    return curve.contains_points(np.column_stack([fpr, tpr])).mean()


@pytest.mark.parametrize("prob", [0.5, 0.95])
@pytest.mark.parametrize(
    ("tpr", "fpr"), [((25, 7), (11, 71)), ((31, 1), (1, 81)), ((1, 1), (0.5, 0.5))]
)
def test_a_region_holds_its_share_of_new_draws(tpr, fpr, prob):
    rng = np.random.default_rng(1)
    size = 10_000
    found = rate_regions(performance(rng.beta(*fpr, size), rng.beta(*tpr, size)), 721, prob=prob)
    share = held(found, rng.beta(*fpr, size), rng.beta(*tpr, size))
    # Two samples of a share, and the quantile's own error: four standard errors.
    assert share == pytest.approx(prob, abs=4 * np.sqrt(2 * prob * (1 - prob) / size) + 0.002)
    assert found["tpr"].item() == pytest.approx(stats.beta.median(*tpr), abs=0.02)
    assert found["fpr"].item() == pytest.approx(stats.beta.median(*fpr), abs=0.02)


def test_a_region_of_independent_normal_scores_is_known():
    # Its extent along one rate: the quantiles at plus and minus the radius that holds 95% of a normal plane.
    rng = np.random.default_rng(2)
    found = rate_regions(
        performance(rng.beta(3, 50, 50_000), rng.beta(31, 2, 50_000)), 721, prob=0.95
    )
    reach = np.sqrt(stats.chi2.ppf(0.95, 2))
    wanted = stats.beta.ppf(stats.norm.cdf([-reach, reach]), 31, 2)
    np.testing.assert_allclose(
        [found["region_tpr"].min(), found["region_tpr"].max()], wanted, atol=0.005
    )


def test_a_region_follows_the_correlation():
    rng = np.random.default_rng(3)
    x = rng.normal(size=5000)
    fpr, tpr = (1 / (1 + np.exp(-z)) for z in (x - 2, x + 0.3 * rng.normal(size=5000)))
    found = rate_regions(performance(fpr, tpr), 721, prob=0.9)
    assert held(found, fpr, tpr) == pytest.approx(0.9, abs=0.01)
    assert np.corrcoef(found["region_fpr"][0, :-1], found["region_tpr"][0, :-1])[0, 1] > 0.8


def test_rates_without_draws_or_cases():
    counts = br.from_counts(
        tn=[8, 0, 8], fp=[2, 0, 2], fn=[1, 1, 0], tp=[9, 9, 0], entity=["a", "no negatives", "no"]
    )
    found = rate_regions(counts)
    assert set(found) == {"fpr", "tpr"}
    # Who has no point in ROC has neither rate.
    np.testing.assert_allclose(found["fpr"], [0.2, np.nan, np.nan])
    np.testing.assert_allclose(found["tpr"], [0.9, np.nan, np.nan])
    never = performance(np.full(50, 0.1), np.full(50, 1.0))
    np.testing.assert_allclose(rate_regions(never)["region_tpr"], 1.0)
