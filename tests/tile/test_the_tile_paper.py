"""What the paper that introduced the Tile says: values, lemmas, properties, figures with known answers."""

import numpy as np
import pytest
import xarray as xr
from scipy.stats import kendalltau, pearsonr, spearmanr

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


def test_no_skill_performances_tie_on_their_curves():
    x = np.array([0.1, 0.4, 0.9])
    for curve, array in [
        (br.tile.no_skill_curve(prevalence=0.3, points=9), rates(1 - x, x, 0.3)),
        (
            br.tile.no_skill_curve(prediction_rate=0.3, points=9),
            rates(1 - x, x, 0.3).transpose("entity", "predicted", "actual"),
        ),
    ]:
        array = array if array.dims[1] == "actual" else array.rename(actual="predicted", predicted="actual")
        array = array.transpose("entity", "actual", "predicted")
        for a, b in zip(curve["a"].values[2:-2], curve["b"].values[2:-2], strict=True):
            assert np.ptp(ranking_score(array, 1 - a, 1 - b, b, a)) < 1e-12


def test_no_skill_is_the_best_of_no_skill_performances():
    tau = np.linspace(0, 1, 101)
    top = br.tile.value(rates(1 - tau, tau, 0.2), 21).max("entity")
    np.testing.assert_allclose(br.tile.no_skill(0.2, 21), top, atol=1e-12)
    for prevalence in (0.0, 1.0):  # calling every case the only class there is reaches 1 wherever it is defined
        floor = br.tile.no_skill(prevalence, 5).isel(a=slice(1, -1), b=slice(1, -1))
        np.testing.assert_allclose(floor, 1)


def test_chance_correction():
    rng = np.random.default_rng(2)
    array = rates(rng.random(80), rng.random(80), 0.3)
    for a, b in [(0.5, 0.5), (0.2, 0.8)]:
        plain = ranking_score(array, 1 - a, 1 - b, b, a)
        chance = ranking_score(performance.no_skill_twin(array), 1 - a, 1 - b, b, a)
        new_a, new_b = br.tile.chance_corrected_place(a, b, 0.3)
        there = ranking_score(array, 1 - new_a, 1 - new_b, new_b, new_a)
        assert kendalltau((plain - chance) / (1 - chance), there)[0] == pytest.approx(1)


@pytest.mark.parametrize(
    ("a", "b"), [(0.95, 0.7), (0.2, 0.6), (0.4, 0.4), (0.0, 0.0), (1.0, 1.0), (1.0, 0.5), (0.0, 1.0)]
)
def test_isoperformance_lines_and_vertex(a, b):
    prevalence = 0.2
    place = br.tile.vertex(a, b, prevalence)
    for value in (0.1, 0.5, 0.9):
        line = br.tile.isoperformance(a, b, value, prevalence, points=7)
        if line["fpr"].isnull().all():
            continue
        inner = line.isel(point=slice(1, -1))  # ends may be 0/0
        got = ranking_score(rates(1 - inner["fpr"], inner["tpr"], prevalence), 1 - a, 1 - b, b, a)
        np.testing.assert_allclose(got, value, atol=1e-12)
        dx, dy = float(line["fpr"][-1] - line["fpr"][0]), float(line["tpr"][-1] - line["tpr"][0])
        if a != b:  # the vertex lies on every line
            x, y = float(place["fpr"] - line["fpr"][0]), float(place["tpr"] - line["tpr"][0])
            assert dx * y - dy * x == pytest.approx(0, abs=1e-12)
        elif dx > 0:
            assert float(place["slope_zero"]) == pytest.approx(dy / dx)
    assert bool(place["fpr"].isnull()) == (a == b)


def test_value_is_linear_along_purple_lines():
    # on any line of slope -π₋/π₊ (Figure 2a)
    x = np.linspace(0.1, 0.2, 5)
    values = ranking_score(rates(1 - x, 0.9 - 4 * (x - 0.1), 0.2), 0.05, 0.3, 0.7, 0.95)
    np.testing.assert_allclose(np.diff(values, 2), 0, atol=1e-12)


def test_volume():
    def quadrature(p):
        t, w = np.polynomial.legendre.leggauss(200)
        t, w = (t + 1) / 2, w / 2
        s, u = (1 - t) * p[0] + t * p[3], (1 - t) * p[1] + t * p[2]
        return w @ (s[:, None] / (s[:, None] + u)) @ w

    rng = np.random.default_rng(5)
    cases = [*rng.dirichlet(np.ones(4), 20), [0.4, 0.1, 0.1, 0.4], [0.4, 0.15, 0.05, 0.4], [0.5, 0.1, 0.1, 0.3]]
    for tiny in (1e-3, 1e-6, 1e-9, 1e-13):
        cases += [
            [0.4 + tiny, 0.1 - tiny, 0.1, 0.4],
            [0.5 + tiny, 0.1, 0.1 - tiny, 0.3],
            [0.4, 0.15 - tiny, 0.05, 0.4 + tiny],
        ]
    array = xr.DataArray(np.reshape(cases, (-1, 2, 2)), dims=("entity", "actual", "predicted"))
    np.testing.assert_allclose(br.tile.volume(array), [quadrature(p) for p in cases], rtol=0, atol=1e-11)
    # Eq. 13 to 15, printed
    tn, fp, fn, tp = 0.4, 0.15, 0.05, 0.4
    assert br.tile.volume(array[21]).item() == pytest.approx(tn / (fn - fp) * (np.log(tn + fn) - np.log(tn + fp)))
    tn, fp, fn, tp = 0.5, 0.1, 0.1, 0.3
    assert br.tile.volume(array[22]).item() == pytest.approx(1 - fn / (tp - tn) * (np.log(tp + fn) - np.log(tn + fn)))
    # zero cells: perfect, useless, always negative, whole classes missing
    ends = np.reshape([[0.5, 0, 0, 0.5], [0, 0.5, 0.5, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0.5, 0, 0.5, 0]], (-1, 2, 2))
    got = br.tile.volume(xr.DataArray(ends, dims=("entity", "actual", "predicted"))).values
    # s = 0.5 (1-a), u = 0.5 b: the mean of x / (x + y) over the unit square is 1/2 by symmetry
    np.testing.assert_allclose(got, [1, 0, 1, 0, 0.5], atol=1e-12)


def test_volume_ranks_almost_as_accuracy():
    array = br.tile.sample_performances(20_000, seed=1)
    rho = spearmanr(br.tile.volume(array), br.scores.accuracy(array))[0]
    assert rho == pytest.approx(0.996, abs=0.001)  # printed to three digits; its standard error is below 1e-4


@pytest.mark.parametrize(
    ("method", "reference"), [("kendall", kendalltau), ("spearman", spearmanr), ("pearson", pearsonr)]
)
def test_correlation_agrees_with_scipy(method, reference):
    array = br.tile.sample_performances(300, prevalence=0.3, seed=2)
    tile = br.tile.correlation("balanced_accuracy", 6, performances=array, method=method)
    score, value = br.scores.balanced_accuracy(array), br.tile.value(array, 6)
    expected = [[reference(score, value.isel(a=i, b=j))[0] for i in range(6)] for j in range(6)]
    np.testing.assert_allclose(tile, expected, atol=1e-10)


@pytest.mark.parametrize("method", ["kendall", "spearman"])
def test_correlation_with_ties_and_undefined(method):
    cells = np.random.default_rng(3).integers(0, 3, (60, 4)) + np.array([1, 0, 0, 0])
    array = br.as_performance(br.from_counts(**dict(zip(("tn", "fp", "fn", "tp"), cells.T, strict=True))))
    tile = br.tile.correlation("accuracy", 5, performances=array, method=method)
    value = np.round(br.tile.value(array, 5).values, 12)
    score = np.round(br.scores.accuracy(array).values, 12)
    reference = kendalltau if method == "kendall" else spearmanr
    for j, i in np.ndindex(5, 5):
        known = ~np.isnan(value[:, j, i])
        assert tile.values[j, i] == pytest.approx(reference(score[known], value[known, j, i])[0], abs=1e-10)


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


def test_relative_skill():
    toy = rates([1, 1, 0.7], [0, 1, 0.7], 0.3)
    skill = br.tile.relative_skill(toy, 21)
    never = skill.sel(entity="P0")
    assert never.max() < 1e-9
    assert (skill.sel(entity="P1").dropna("a", how="all") > 1 - 1e-9).any()
    value, floor = br.tile.value(toy, 21), br.tile.no_skill(0.3, 21)
    np.testing.assert_allclose(skill.sel(a=0.5, b=0.5), (value - floor).sel(a=0.5, b=0.5) / (1 - 0.7))
