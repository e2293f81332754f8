"""Classes as a population: what is learned, what is the Dirichlet-multinomial's, calibration, and who is told of it."""

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import bayesrank as br
from bayesrank.models.hierarchical_classes import HierarchicalClasses
from bayesrank.models.parts.population import SPREAD, learn

MODEL = "hierarchical_classes"
PLAIN = "dirichlet_multinomial"
RNG = np.random.default_rng(5)
CLASSES = 5


def tables(values, **others):
    names = ("entity", "dataset", "actual", "predicted") if np.ndim(values) == 4 else ("entity", "actual", "predicted")
    coords = {dim: np.arange(size) for dim, size in zip(names, np.shape(values), strict=True)} | others
    return xr.DataArray(np.asarray(values), coords, names, name="counts")


COUNTS = tables(RNG.multinomial(6, np.full((CLASSES, CLASSES), 0.05) + 0.75 * np.eye(CLASSES), (3, CLASSES)))


@pytest.fixture(scope="module")
def fitted():
    return br.fit(COUNTS, MODEL, seed=1, groups=["prior", "log_likelihood", "posterior_predictive"])


def close(draws, wanted):
    """Means within four and a half standard errors of independent draws, some hundred of them."""
    error = draws.std(["chain", "draw"]) / np.sqrt(draws.sizes["chain"] * draws.sizes["draw"])
    gap = (draws.mean(["chain", "draw"]) - wanted) / error
    assert float(abs(gap).max()) < 4.5


def test_rates_are_those_of_the_population(fitted):
    """Given mean and spread a rate is Beta: its mean is (mκ + right) / (κ + cases)."""
    post = fitted["posterior"]
    cases = COUNTS.sum("predicted")
    right = xr.DataArray(np.diagonal(COUNTS.values, axis1=1, axis2=2), cases.coords, cases.dims)
    kappa = 1 / post["spread"] ** 2 - 1
    wanted = (post["mean_recall"] * kappa + right) / (kappa + cases)
    rows = post["performance"] / post["performance"].sum("predicted")
    told = xr.concat([rows.isel(actual=c, predicted=c, drop=True) for c in range(CLASSES)], "actual")
    close(told - wanted.assign_coords(actual=cases["actual"]).drop_vars("actual"), 0.0)
    for name in ("mean_recall", "spread"):
        for e in range(3):
            n, x = cases.values[e], right.values[e]
            mean, spread = learn(x, n, np.array([0.5, 0.5])).draw(np.random.default_rng(e), 20_000)
            other = mean if name == "mean_recall" else spread
            assert stats.ks_2samp(post[name].isel(entity=e).values.ravel(), other).pvalue > 1e-3


def test_errors_and_row_totals_are_those_of_the_dirichlet_multinomial(fitted):
    plain = br.fit(COUNTS, PLAIN, seed=1)["posterior"]
    xr.testing.assert_equal(fitted["posterior"]["prevalence"], plain["prevalence"])
    off = xr.DataArray(~np.eye(CLASSES, dtype=bool), dims=("actual", "predicted"))
    alpha = (COUNTS + 2 / CLASSES / (CLASSES - 1)).where(off, 0.0)
    table = fitted["posterior"]["performance"].where(off, 0.0)
    close((table / table.sum("predicted")).where(off), (alpha / alpha.sum("predicted")).where(off))
    np.testing.assert_allclose(fitted["posterior"]["performance"].sum(["actual", "predicted"]), 1, rtol=1e-12)


def test_the_prior_of_the_mean_is_one_class_shared_as_the_diagonal_and_the_rest_are(fitted):
    prior = fitted["prior"]
    assert stats.kstest(prior["mean_recall"].values.ravel(), stats.beta(0.5, 0.5).cdf).pvalue > 1e-3
    spread = prior["spread"].values.ravel()
    odds = spread / np.sqrt(1 - spread**2)
    assert stats.kstest(odds, lambda t: 2 * stats.t(3, scale=SPREAD).cdf(t) - 1).pvalue > 1e-3
    share = prior["performance"].sum("predicted").isel(entity=0, actual=0).values.ravel()
    assert stats.kstest(share, stats.beta(4 / CLASSES, 4 - 4 / CLASSES).cdf).pvalue > 1e-3
    one_a_cell = HierarchicalClasses(COUNTS, prior="uniform")
    np.testing.assert_allclose(one_a_cell.prior, np.tile([1 - 1 / CLASSES, 1 / CLASSES], (3, 1)))
    # Not the same both ways: a prior of one a cell expects one answer of five to be right.
    flat = br.fit(COUNTS, MODEL, prior="uniform", seed=1, draws=200, groups=["prior"])["prior"]
    assert stats.kstest(flat["mean_recall"].values.ravel(), stats.beta(0.2, 0.8).cdf).pvalue > 1e-3


def test_a_class_without_cases_is_described_like_the_others():
    counts = tables([np.diag([2] * 9 + [0])])
    rates = br.fit(counts, MODEL, seed=1)["posterior"]["performance"]
    rates = (rates / rates.sum("predicted")).mean(["chain", "draw", "entity"])
    assert 0.9 < float(rates[9, 9]) < float(rates[0, 0]) < 0.99
    # A flat prior knows nothing of it.
    plain = br.fit(counts, PLAIN, seed=1)["posterior"]["performance"]
    plain = (plain / plain.sum("predicted")).mean(["chain", "draw", "entity"])
    assert float(plain[9, 9]) == pytest.approx(0.5, abs=0.05)


def test_the_loglikelihood_is_of_rows(fitted):
    post, found = fitted["posterior"], fitted["log_likelihood"]
    assert found["counts"].dims == ("chain", "draw", "entity", "actual")
    assert found["row_totals"].dims == ("chain", "draw", "test_set")
    mean, spread = (float(post[name][1, 7, 2]) for name in ("mean_recall", "spread"))
    kappa = 1 / spread**2 - 1
    row, right = COUNTS.values[2, 3], int(COUNTS.values[2, 3, 3])
    errors = np.delete(row, 3)
    wanted = stats.betabinom(6, mean * kappa, (1 - mean) * kappa).logpmf(right)
    wanted += stats.dirichlet_multinomial(np.full(CLASSES - 1, 0.1), 6 - right).logpmf(errors)
    assert float(found["counts"][1, 7, 2, 3]) == pytest.approx(wanted, rel=1e-9)
    assert (fitted["posterior_predictive"]["counts"].sum(["actual", "predicted"]) == 30).all()


def test_a_given_prevalence_keeps_the_rates():
    counts = tables([[[8, 2], [1, 4]]])
    post = br.fit(counts, MODEL, prevalence=0.0, seed=1, draws=50)["posterior"]
    np.testing.assert_allclose(post["performance"].sum("predicted").isel(actual=1), 0)
    np.testing.assert_allclose(post["rate"].sum("predicted"), 1, rtol=1e-12)
    assert br.at_prevalence(post, 0.5).notnull().all()


@pytest.mark.slow
def test_calibration():
    """Truths from the prior have uniform ranks: mean, spread, a recall, a cell, a prevalence, and macro recall."""
    rng, number, size = np.random.default_rng(8), 250, 4
    mean, odds = rng.beta(0.5, 0.5, number), abs(SPREAD * rng.standard_t(3, number))
    spread, kappa = odds / np.sqrt(1 + odds**2), odds**-2
    recall = rng.beta((mean * kappa)[:, None], ((1 - mean) * kappa)[:, None], (number, size))
    share = rng.dirichlet(np.full(size, 1.0), number)  # four cases: mass 4/C a row
    rows = np.empty((number, size, size))
    off = ~np.eye(size, dtype=bool)
    errors = rng.dirichlet(np.full(size - 1, 2 / size / (size - 1)), (number, size))
    rows[:, off] = (errors * (1 - recall)[..., None]).reshape(number, -1)
    rows[:, ~off] = recall
    cells = share[..., None] * rows
    cases = rng.integers(1, 40, number)
    counts = tables(rng.multinomial(cases, cells.reshape(number, -1)).reshape(cells.shape))
    counts = counts.assign_coords(test_set=("entity", [f"own {i}" for i in range(number)]))
    post = br.fit(counts, MODEL, seed=1, draws=100, chains=2)["posterior"]
    told = post["performance"] / post["performance"].sum("predicted")
    pairs = {
        "mean": (post["mean_recall"], mean),
        "spread": (post["spread"], spread),
        "recall": (told.isel(actual=1, predicted=1), recall[:, 1]),
        "cell": (post["performance"].isel(actual=0, predicted=2), cells[:, 0, 2]),
        "prevalence": (post["performance"].sum("predicted").isel(actual=3), share[:, 3]),
        "macro": (sum(told.isel(actual=c, predicted=c, drop=True) for c in range(size)), recall.sum(1)),
    }
    for name, (draws, truth) in pairs.items():
        below = (draws < xr.DataArray(truth, dims="entity")).sum(["chain", "draw"]).values + rng.random(number)
        assert stats.kstest(below / 201, "uniform").pvalue > 1e-3, name


def note(counts, score, model=PLAIN, words=("hierarchical_classes", "each class shifts")):
    ranking = br.credible_ranking(br.fit(counts, model, seed=1, draws=50), score)
    return [line for line in [*br.verdict(ranking), *br.notes(ranking)] if any(word in line for word in words)]


def test_the_notes_recommend_it_where_classes_have_few_cases():
    why, remedy = note(COUNTS, "macro_f1")
    assert why.startswith("For 3 entities at least half of the classes have fewer than 10 cases: the prior on each")
    assert "shifts macro F1," in why
    assert remedy.startswith("The model 'hierarchical_classes' learns")
    two = COUNTS[:, :2, :2].assign_coords(actual=[0, 1], predicted=[0, 1])
    for counts, score, model in (
        (COUNTS, "accuracy", PLAIN),  # no average over classes
        (COUNTS, "micro_f1", PLAIN),
        (COUNTS * 10, "macro_f1", PLAIN),  # cases enough
        (COUNTS, "macro_f1", MODEL),  # as recommended
        (two, "macro_f1", PLAIN),  # two classes tell nothing
    ):
        assert not note(counts, score, model)
    assert note(COUNTS, "macro_f1", MODEL, ["rates of such a class depend strongly on the prior and the other classes"])
