"""What the paper that introduced the Tile says: values, lemmas, properties, figures with known answers."""

import numpy as np
import pytest
import xarray as xr
from scipy.stats import kendalltau, spearmanr

import bayesrank as br
from bayesrank import performance


def rates(tnr, tpr, prevalence):
    """Performances from rates, entities along the given lists."""
    tnr, tpr = np.asarray(tnr, float), np.asarray(tpr, float)
    table = np.stack(
        [(1 - prevalence) * tnr, (1 - prevalence) * (1 - tnr), prevalence * (1 - tpr), prevalence * tpr], -1
    )
    names = [f"P{i}" for i in range(len(tnr))]
    return xr.DataArray(table.reshape(-1, 2, 2), {"entity": names}, ("entity", "actual", "predicted"))


@pytest.fixture
def any_performances():
    return br.tile.sample_performances(50, seed=4).rename(sample="entity")


def test_landmarks(any_performances):
    tile = br.tile.value(any_performances, 101)
    assert tile.dims == ("entity", "b", "a")
    for name, a, b in [
        ("tnr", 0, 0), ("tpr", 1, 1), ("ppv", 1, 0), ("npv", 0, 1), ("accuracy", 0.5, 0.5), ("f1", 1, 0.5),
        (br.scores.f_beta(2.0), 1, 0.8), (br.scores.f_beta(0.5), 1, 0.2),
    ]:  # fmt: skip
        score = br.scores.as_score(name)
        np.testing.assert_allclose(tile.sel(a=a, b=b, method="nearest"), score(any_performances), rtol=1e-12)


def test_interpolation_by_f_means(any_performances):
    # 1 / R = 1 + u(b) / s is linear in b, and 1 / (1 - R) = 1 + s(a) / u in a. So f(x) = 1 / x goes with the vertical
    # and 1 / (1 - x) with the horizontal: Section 4.1 prints them the other way round, against its own example of F1.
    tile = br.tile.value(any_performances, 5)
    t = 0.25
    for at in (0.25, 0.5, 0.75):
        column, row = tile.sel(a=at), tile.sel(b=at)
        vertical = 1 / ((1 - t) / column.sel(b=0) + t / column.sel(b=1))
        np.testing.assert_allclose(column.sel(b=t), vertical, rtol=1e-12)
        horizontal = 1 - 1 / ((1 - t) / (1 - row.sel(a=0)) + t / (1 - row.sel(a=1)))
        np.testing.assert_allclose(row.sel(a=t), horizontal, rtol=1e-12)
        printed = 1 / ((1 - t) / row.sel(a=0) + t / row.sel(a=1))
        assert np.abs(row.sel(a=t) - printed).max() > 1e-3


@pytest.mark.parametrize("name", ["change_predicted", "change_actual", "swap_actual_predicted", "swap_classes"])
def test_lemmas_1_to_4(any_performances, name):
    before, after = br.tile.value(any_performances, 11), br.tile.value(performance.relabel(any_performances, name), 11)
    for a, b in [(0.2, 0.7), (0.0, 0.3), (0.9, 0.9), (1.0, 0.0)]:
        new_a, new_b = br.tile.moved_place(name, a, b)
        there = before.sel(a=new_a, b=new_b, method="nearest")
        expected = 1 - there if name.startswith("change") else there
        np.testing.assert_allclose(after.sel(a=a, b=b, method="nearest"), expected, rtol=1e-9)


def test_lemma_5_and_property_1():
    rng = np.random.default_rng(1)
    before = rates(rng.random(60), rng.random(60), 0.3)
    after = performance.shift_prior(before, 0.8)
    np.testing.assert_allclose(after.isel(actual=1).sum("predicted"), 0.8)
    np.testing.assert_allclose(br.scores.tpr(after), br.scores.tpr(before))
    for a, b in [(0.3, 0.6), (0.9, 0.1)]:
        # the order at (a, b) of the old performances is the order of the new ones at the moved place
        new_a, new_b = br.tile.moved_place("shift_prior", a, b, old=0.3, new=0.8)
        old = ranking_score(before, 1 - a, 1 - b, b, a)
        new = ranking_score(after, 1 - new_a, 1 - new_b, new_b, new_a)
        assert kendalltau(old, new)[0] == pytest.approx(1)
        # Property 1: R_I after the shift is R_I' before it
        importance = np.array([1 - a, 1 - b, b, a]) * [0.2 / 0.7, 0.2 / 0.7, 0.8 / 0.3, 0.8 / 0.3]
        np.testing.assert_allclose(ranking_score(after, 1 - a, 1 - b, b, a), ranking_score(before, *importance))
        # Property 2: scaling both correct or both wrong importances keeps the order
        scaled = ranking_score(before, 5 * (1 - a), 1 - b, b, 5 * a)
        assert kendalltau(old, scaled)[0] == pytest.approx(1)
    balanced = br.tile.prior_grid(0.8).values
    expected = [br.tile.moved_place("shift_prior", x, x, old=0.5, new=0.8)[0] for x in np.linspace(0, 1, 11)]
    np.testing.assert_allclose(balanced, expected)


def ranking_score(array, tn, fp, fn, tp):
    p = array.values.reshape(-1, 4)
    correct = tn * p[:, 0] + tp * p[:, 3]
    return correct / (correct + fp * p[:, 1] + fn * p[:, 2])


@pytest.mark.parametrize("prevalence", [0.2, 0.5, 0.8])
def test_figure_5(prevalence):
    # always negative, (TNR, TPR) = (0.7, 0.7) and (0.5, 0.8), always positive
    toy = rates([1, 0.7, 0.5, 0], [0, 0.7, 0.8, 1], prevalence)
    regions = br.tile.regions(toy)
    share = br.tile.shares(toy)
    assert (share > 0).all()
    assert share.sum().item() == pytest.approx(1, abs=1e-12)
    by_name = regions[["entity", "area"]].to_dataframe().groupby("entity")["area"].sum()
    np.testing.assert_allclose(by_name[share["entity"].values], share)
    # "never" holds the lower left corner's side, "always" the upper right one's; a finer grid agrees with the areas
    winner = br.tile.entity(toy, resolution=401)
    weight = np.outer(*[np.r_[0.5, np.ones(399), 0.5] / 400] * 2)
    for name in toy["entity"].values:
        assert (weight * (winner.values == name)).sum() == pytest.approx(share.sel(entity=name).item(), abs=4e-3)
    assert winner.sel(a=0.02, b=0.1, method="nearest") == "P0"
    assert winner.sel(a=0.98, b=0.9, method="nearest") == "P3"
    # T A.5.1: the border of "never" and "always" is the curve γ_π
    border, curve = br.tile.frontier(toy, "P0", "P3"), br.tile.no_skill_curve(prevalence=prevalence)
    np.testing.assert_allclose(np.interp(border["a"], curve["a"], curve["b"]), border["b"], atol=2e-3)
    if prevalence == 0.5:  # Eq. 6 and 7: with balanced priors all frontiers are lines
        tnr, tpr = np.array([1, 0.7, 0.5, 0]), np.array([0, 0.7, 0.8, 1])
        for i, j in [(0, 1), (1, 2), (2, 3), (0, 3)]:
            line = br.tile.frontier(toy, f"P{i}", f"P{j}")
            slope_a = (1 - tnr[i]) * (1 - tpr[j]) - (1 - tpr[i]) * (1 - tnr[j])
            slope_b = tpr[i] * tnr[j] - tnr[i] * tpr[j]
            np.testing.assert_allclose(slope_a * line["a"] + slope_b * line["b"] + tnr[i] - tnr[j], 0, atol=1e-12)


def test_no_skill_is_the_best_of_no_skill_performances():
    tau = np.linspace(0, 1, 101)
    top = br.tile.value(rates(1 - tau, tau, 0.2), 21).max("entity")
    np.testing.assert_allclose(br.tile.no_skill(0.2, 21), top, atol=1e-12)
    for prevalence in (0.0, 1.0):  # calling every case the only class there is reaches 1 wherever it is defined
        floor = br.tile.no_skill(prevalence, 5).isel(a=slice(1, -1), b=slice(1, -1))
        np.testing.assert_allclose(floor, 1)


def test_value_is_linear_along_purple_lines():
    # on any line of slope -π₋/π₊ (Figure 2a)
    x = np.linspace(0.1, 0.2, 5)
    values = ranking_score(rates(1 - x, 0.9 - 4 * (x - 0.1), 0.2), 0.05, 0.3, 0.7, 0.95)
    np.testing.assert_allclose(np.diff(values, 2), 0, atol=1e-12)


def test_volume_ranks_almost_as_accuracy():
    array = br.tile.sample_performances(20_000, seed=1)
    rho = spearmanr(br.tile.volume(array), br.scores.accuracy(array))[0]
    assert rho == pytest.approx(0.996, abs=0.001)  # printed to three digits; its standard error is below 1e-4


def test_figure_4_and_7():
    # NPV with PPV and TNR with TPR: null for the uniform distribution; standard error of τ about 0.0067 at 10,000
    tile = br.tile.correlation("npv", 3, seed=1)
    assert abs(tile.sel(a=1, b=0)) < 5 * 0.0067
    assert tile.sel(a=0, b=1) == pytest.approx(1)
    assert (br.tile.correlation("tnr", 3, seed=1) > -5 * 0.0067).all()
    # balanced accuracy is at (π₋, π₋), kappa on b = 1/2
    tile = br.tile.correlation("balanced_accuracy", 11, prevalence=0.3, size=2000)
    assert tile.sel(a=0.7, b=0.7, method="nearest") == pytest.approx(1)
    assert tile.argmax(...)["a"] == tile.argmax(...)["b"] == 7
