"""Distributions of preferences against moments, quadrature, exact areas and brute force."""

import numpy as np
import pytest
import xarray as xr
from scipy.integrate import quad
from scipy.stats import beta as beta_distribution

import bayesrank as br

COUNTS = br.from_counts(tn=[70, 75], fp=[10, 5], fn=[6, 9], tp=[24, 21], entity=["a", "b"])


def frontier(a):
    """The b at which the two entities of COUNTS tie; above it the first is better."""
    (tn, fp), (fn, tp) = COUNTS.isel(entity=0).values
    (tn2, fp2), (fn2, tp2) = COUNTS.isel(entity=1).values
    s, s2 = (1 - a) * tn + a * tp, (1 - a) * tn2 + a * tp2
    low, high = s * fp2 - s2 * fp, s * fn2 - s2 * fn  # s u2 - s2 u at b = 0 and b = 1
    return low / (low - high)


def points_of(preferences):
    assert preferences.sizes.keys() == {"point"}
    return (preferences[name].values for name in ("a", "b", "weight"))


def first_is_best(preferences):
    return (
        br.tile.preference_ranking(COUNTS, preferences)["probability_best"].sel(entity="a").item()
    )


def test_beta_preferences_have_the_moments_of_their_distributions():
    a, b, weights = points_of(br.tile.beta_preferences((2, 3), (4, 1.5), points=201))
    assert abs(weights.sum() - 1) < 1e-12
    # Means of middles of equally probable intervals: the error falls faster than 1 / points.
    for values, shape in ((a, (2, 3)), (b, (4, 1.5))):
        assert abs(weights @ values - beta_distribution(*shape).mean()) < 1e-3
        assert abs(weights @ values**2 - beta_distribution(*shape).moment(2)) < 1e-3
    assert abs(weights @ (a * b) - 2 / 5 * 4 / 5.5) < 1e-3


@pytest.mark.parametrize("shapes", [((1, 1), (1, 1)), ((2, 3), (4, 1.5)), ((0.5, 0.5), (20, 20))])
def test_beta_preferences_against_quadrature(shapes):
    on_a, on_b = (beta_distribution(*shape) for shape in shapes)
    expected = quad(lambda p: on_b.sf(np.clip(frontier(on_a.ppf(p)), 0, 1)), 0, 1, limit=200)[0]
    # In the quantiles' square a monotone frontier crosses at most 2 n of n² cells, each half right on average.
    assert abs(first_is_best(br.tile.beta_preferences(*shapes, points=201)) - expected) < 1 / 201


def test_between_against_brute_force_and_moments():
    corners = [(0.1, 0.3), (0.9, 0.2), (1.0, 0.7), (0.4, 0.9)]
    preferences = br.tile.between(*corners, points=101)
    a, b, weights = points_of(preferences)
    x, y = np.random.default_rng(3).random((2, 400_000))
    inside = np.ones(x.size, bool)
    for (x0, y0), (x1, y1) in zip(corners, corners[1:] + corners[:1], strict=True):
        inside &= (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0) >= 0
    x, y = x[inside], y[inside]
    for found, sample in ((weights @ a, x), (weights @ b, y), (weights @ (a < b), x < y)):
        # Five standard errors of the sample, and the cells that the line a = b cuts.
        assert abs(found - sample.mean()) < 5 * sample.std() / np.sqrt(sample.size) + 1 / 101
    expected = (y > frontier(x)).mean()
    error = np.sqrt(expected * (1 - expected) / x.size)
    assert abs(first_is_best(preferences) - expected) < 5 * error + 2 / 101


def test_between_two_scores_is_the_segment():
    # The F-scores: the tie is at one b, so the share above it is the probability.
    found = first_is_best(br.tile.between("ppv", "tpr", points=400))
    assert abs(found - (1 - frontier(1.0))) <= 1 / 400


@pytest.mark.parametrize(
    ("centre", "radius"),
    [("f1", 0.2), ("accuracy", 0.3), ((0.0, 0.6), 0.4), ("tpr", 2.0), ((0.3, 0.6), np.inf)],
)
def test_around_against_brute_force(centre, radius):
    place = br.place(centre) if isinstance(centre, str) else centre
    x, y = np.meshgrid(*[(np.arange(800) + 0.5) / 800] * 2)
    inside = (x - place[0]) ** 2 + (y - place[1]) ** 2 <= radius**2
    expected = (y > frontier(x))[inside].mean()
    found = first_is_best(br.tile.around(centre, radius, points=20_000))
    # Points stand for equal areas; the error is of the order of the points beside the borders, about sqrt(n) of n.
    assert abs(found - expected) < 5 / np.sqrt(20_000)
    a, b, weights = points_of(br.tile.around(centre, radius, points=20_000))
    assert ((a >= 0) & (a <= 1) & (b >= 0) & (b <= 1)).all()
    assert abs(weights @ a - x[inside].mean()) < 5 / np.sqrt(20_000)


def test_a_tight_neighbourhood_is_the_score_itself():
    posterior = br.fit(COUNTS, draws=100, seed=3)
    near = br.tile.preference_ranking(posterior, br.tile.around("f1", 1e-9, points=10))
    at = br.tile.preference_ranking(posterior, *br.place("f1"))
    np.testing.assert_allclose(near["rank_probability"], at["rank_probability"], atol=1e-12)
    # Balanced accuracy has its place at a prevalence only.
    a, b, _ = points_of(br.tile.around("balanced_accuracy", 1e-9, prevalence=0.3))
    np.testing.assert_allclose([a.mean(), b.mean()], 0.7, atol=1e-8)


@pytest.mark.parametrize(
    ("region", "holds"),
    [
        ("tile", lambda a, b: a + b >= 0),
        ("f_scores", lambda a, b: a == 1),
        ("weighted_accuracies", lambda a, b: abs(a - b) < 1e-12),
        ("median_horizontal", lambda a, b: b == 0.5),
        ("median_vertical", lambda a, b: a == 0.5),
        ("upper_half", lambda a, b: b >= 0.5),
        ("lower_half", lambda a, b: b <= 0.5),
        ("right_half", lambda a, b: a >= 0.5),
        ("left_half", lambda a, b: a <= 0.5),
    ],
)
def test_a_named_region_holds_what_its_name_says(region, holds):
    a, b, weights = points_of(br.tile.over(region, points=40))
    assert holds(a, b).all()
    assert abs(weights.sum() - 1) < 1e-12
    # Uniform: the mean and the mean square of each axis that is not fixed are those of a uniform on its range.
    for values in (a, b):
        low, high = (
            (0, 1) if np.ptp(values) > 0.6 else (0.5, 1) if values.mean() > 0.6 else (0, 0.5)
        )
        if np.ptp(values) > 1e-9:
            assert abs(weights @ values - (low + high) / 2) < 1e-3
            assert abs(weights @ values**2 - (high**3 - low**3) / 3 / (high - low)) < 1e-3


def test_one_point_is_the_credible_ranking_of_its_score():
    counts = br.from_counts(
        tn=[70, 75, 72, 60], fp=[10, 5, 8, 20], fn=[6, 9, 7, 3], tp=[24, 21, 23, 27]
    )
    posterior = br.fit(counts, draws=250, seed=4)
    for score in ("tnr", "f1", "accuracy"):
        found = br.tile.preference_ranking(posterior, *br.place(score), prob=0.8)
        expected = br.credible_ranking(posterior, score, prob=0.8)
        for name in (
            "rank_probability",
            "probability_best",
            "expected_rank",
            "rank_marginal_lower",
            "rank_marginal_upper",
        ):
            np.testing.assert_allclose(
                found[name], expected[name], atol=1e-12, err_msg=f"{name} by {score}"
            )
        # From 32 and 40 batches: within the error of an error, 1 / sqrt(2 · 31), five times.
        for name in ("probability_best", "expected_rank"):
            np.testing.assert_allclose(
                found[f"{name}_error"], expected[f"{name}_error"], rtol=5 / np.sqrt(2 * 31)
            )


def test_grid_weights_give_the_mean_of_the_tile():
    counts = br.from_counts(tn=[70, 75, 72], fp=[10, 5, 8], fn=[6, 9, 7], tp=[24, 21, 23])
    posterior = br.fit(counts, draws=50, seed=5)
    tile = br.tile.rank_probability(posterior, 7)
    weights = np.random.default_rng(1).random((7, 7))
    a, b = np.meshgrid(tile["a"], tile["b"])
    found = br.tile.preference_ranking(posterior, a.ravel(), b.ravel(), weights.ravel())
    expected = (tile * (weights / weights.sum())).sum(["b", "a"])
    np.testing.assert_allclose(found["rank_probability"], expected, atol=1e-12)


def test_errors_are_never_zero_and_unknown_without_draws():
    point = br.tile.preference_ranking(COUNTS, 0.5, 0.5)
    assert point[["probability_best_error", "expected_rank_error"]].to_array().isnull().all()
    far = br.from_counts(tn=[990, 10], fp=[10, 990], fn=[10, 990], tp=[990, 10])
    found = br.tile.preference_ranking(br.fit(far, draws=25, seed=1), 0.5, 0.5)
    assert found["probability_best"].values.tolist() == [1, 0]
    # 100 draws that all agree: Jeffreys' posterior of a share, Beta(1/2, 100 1/2), or that of the fewer independent
    # draws that the cells are worth: the worst of eight, each judged from 40 batches.
    expected = beta_distribution(0.5, 100.5).std()
    assert (found["probability_best_error"] >= expected * (1 - 1e-12)).all()
    assert (found["probability_best_error"] < 2.5 * expected).all()
    assert (found["expected_rank_error"] > 0).all()
    assert found["probability_best_error"].attrs["method"].startswith("Monte-Carlo standard error")


def test_draws_that_hardly_move_have_a_small_effective_size():
    far = br.from_counts(tn=[990, 10], fp=[10, 990], fn=[10, 990], tp=[990, 10])
    free = br.as_performance(br.fit(far, draws=400, chains=1, seed=1))
    slow = free.isel(draw=np.repeat(np.arange(40), 10))
    error, of_slow = (
        br.tile.preference_ranking(x, 0.5, 0.5)["probability_best_error"] for x in (free, slow)
    )
    # Worth some 40 draws, not 400: of none of n, Jeffreys' posterior has the spread 0.7 / n. The worst of eight cells,
    # each judged from 40 batches, is worth at most a half more than it should be, and less than 1 / 2.5 hardly ever.
    least = beta_distribution(0.5, 60.5).std()
    assert (error < least / 2).all()
    assert (of_slow > least).all()
    tile = br.tile.credible(slow, 3)
    assert (tile["probability_best_error"] > least).all()
    assert (tile["share_error"] > least).all()


def test_errors_of_ranks_are_of_the_draws_that_have_one():
    rng = np.random.default_rng(1)
    cells = rng.dirichlet([16, 4, 3, 7], (4000, 3)).reshape(1, 4000, 3, 2, 2)
    cells[:, :, 2] = rng.dirichlet([12, 8, 5, 5], 4000).reshape(
        4000, 2, 2
    )  # nearly always the last
    cells[:, rng.random(4000) < 0.5, 2] = np.nan  # the third has no score in half of the draws
    dims = ("chain", "draw", "entity", "actual", "predicted")
    found = br.tile.preference_ranking(xr.DataArray(cells, dims=dims), 0.5, 0.5).isel(entity=2)
    accuracy = cells[0, ..., 0, 0] + cells[0, ..., 1, 1]
    rank = 1 + (accuracy[:, :2] > accuracy[:, 2:]).sum(axis=1)[~np.isnan(accuracy[:, 2])]
    assert found["expected_rank"].item() == pytest.approx(rank.mean(), abs=1e-12)
    # From 40 batches: the error of an error is 1 / sqrt(2 · 39).
    expected = rank.std() / np.sqrt(rank.size)
    assert found["expected_rank_error"].item() == pytest.approx(expected, rel=4 / np.sqrt(2 * 39))


def test_preferences_are_their_points():
    near = br.tile.around("f1", 0.2, points=5)
    points = br.tile.preference_ranking(COUNTS, near["a"], near["b"], near["weight"])
    assert br.tile.preference_ranking(COUNTS, near).identical(points)
    # Any Dataset with these names will do: weights that do not sum to 1, and points in an order of one's own.
    other = (3 * near[["weight"]]).assign(near[["a", "b"]]).isel(point=slice(None, None, -1))
    np.testing.assert_allclose(
        br.tile.preference_ranking(COUNTS, other)["rank_probability"],
        points["rank_probability"],
        atol=1e-15,
    )


def test_threads_beyond_the_points_lose_no_draw(monkeypatch):
    """Of one point and many threads, all but one thread have nothing to do, and must not undo what that one did."""
    monkeypatch.setattr("bayesrank._core.threads.workers", lambda: 8)
    posterior = br.fit(COUNTS, draws=50, seed=1)
    for _ in range(5):
        found = br.tile.preference_ranking(posterior, 0.5, 0.5)
        np.testing.assert_allclose(found["rank_probability"].sum("rank"), 1)
