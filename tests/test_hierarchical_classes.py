"""Classes as a population: what is learned, what is the Dirichlet-multinomial's, calibration, and who is told of it."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats
from scipy.special import expit, gammaln

import bayesrank as br
from bayesrank._core.sampling import dirichlet_of_each
from bayesrank.evidence.weighting import WEIGHTED
from bayesrank.models import chosen_by_evidence
from bayesrank.models.hierarchical_classes import HierarchicalClasses, size_contrast
from bayesrank.models.parts.population import (
    SLOPE,
    SPREAD,
    _sum_rising,
    draw_spread,
    learn,
    learn_slope,
)
from tests.commands import csv_of

MODEL = "hierarchical_classes"
PLAIN = "dirichlet_multinomial"
RNG = np.random.default_rng(5)
CLASSES = 5


def tables(values, **others):
    names = (
        ("entity", "dataset", "actual", "predicted")
        if np.ndim(values) == 4
        else ("entity", "actual", "predicted")
    )
    coords = {
        dim: np.arange(size) for dim, size in zip(names, np.shape(values), strict=True)
    } | others
    return xr.DataArray(np.asarray(values), coords, names, name="counts")


COUNTS = tables(
    RNG.multinomial(6, np.full((CLASSES, CLASSES), 0.05) + 0.75 * np.eye(CLASSES), (3, CLASSES))
)


@pytest.fixture(scope="module")
def fitted():
    return br.fit(COUNTS, MODEL, seed=1, groups=["prior", "log_likelihood", "posterior_predictive"])


def assert_means_near(draws, wanted):
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
    told = xr.concat(
        [rows.isel(actual=c, predicted=c, drop=True) for c in range(CLASSES)], "actual"
    )
    assert_means_near(told - wanted.assign_coords(actual=cases["actual"]).drop_vars("actual"), 0.0)
    for name in ("mean_recall", "spread"):
        for e in range(3):
            n, x = cases.values[e], right.values[e]
            mean, spread = learn(x, n, np.array([0.5, 0.5])).draw(np.random.default_rng(e), 20_000)
            other = mean if name == "mean_recall" else spread
            assert stats.ks_2samp(post[name].isel(entity=e).values.ravel(), other).pvalue > 1e-3


def test_class_shares_are_dirichlet_with_a_learned_spread(fitted):
    """Given the spread, the share of a class is (κ/5 + its cases) / (κ + cases)."""
    post, cases = fitted["posterior"], COUNTS.sum("predicted").isel(entity=0, drop=True)
    kappa = 1 / post["spread_of_prevalence"] ** 2 - 1
    assert_means_near(post["prevalence"] - (kappa / CLASSES + cases) / (kappa + cases.sum()), 0.0)
    drawn = draw_spread(
        cases.values[None], np.full((1, CLASSES), 0.2), np.random.default_rng(1), 20_000
    )
    assert stats.ks_2samp(post["spread_of_prevalence"].values.ravel(), drawn).pvalue > 1e-3
    np.testing.assert_allclose(
        fitted["posterior"]["performance"].sum(["actual", "predicted"]), 1, rtol=1e-12
    )


def test_errors_are_dirichlet_with_a_learned_spread(fitted):
    """Given the spread, the share of an error is (κ/4 + its cases) / (κ + errors on the class)."""
    off = xr.DataArray(~np.eye(CLASSES, dtype=bool), dims=("actual", "predicted"))
    errors, kappa = COUNTS.where(off, 0), 1 / fitted["posterior"]["spread_of_errors"] ** 2 - 1
    table = fitted["posterior"]["performance"].where(off, 0.0)
    wanted = (kappa / (CLASSES - 1) + errors) / (kappa + errors.sum("predicted"))
    gap = (table / table.sum("predicted") - wanted).where(off)
    assert_means_near(gap.stack(cell=("actual", "predicted")).dropna("cell"), 0.0)


@pytest.mark.parametrize("mean", [[0.25] * 4, [0.1, 0.2, 0.3, 0.4]])
def test_the_spread_of_errors_has_the_density_of_its_model(mean):
    """Draws against the Dirichlet-multinomial likelihood on a grid, with a uniform prior; a longer run starts alike."""
    counts, grid = (
        RNG.multinomial([3, 0, 7, 1], [0.6, 0.2, 0.1, 0.1]),
        (np.arange(4000) + 0.5) / 4000,
    )
    density = np.zeros(grid.size)
    for row in counts[counts.sum(-1) > 0]:
        alpha = (1 / grid[:, None] ** 2 - 1) * np.array(mean)
        density += stats.dirichlet_multinomial.logpmf(row, alpha, row.sum())
    total = np.cumsum(np.exp(density))
    drawn = draw_spread(counts, np.tile(mean, (4, 1)), np.random.default_rng(1), 20_000)
    assert (
        stats.kstest(drawn, lambda x: np.interp(x, grid + 0.5 / 4000, total / total[-1])).pvalue
        > 1e-3
    )
    some = draw_spread(counts, np.tile(mean, (4, 1)), np.random.default_rng(1), 50)
    np.testing.assert_array_equal(some, drawn[:50])


def test_a_spread_without_errors_is_that_of_its_prior(fitted):
    drawn = draw_spread(np.zeros((3, 2)), np.full((3, 2), 0.5), np.random.default_rng(1), 20_000)
    assert stats.kstest(drawn, "uniform").pvalue > 1e-3
    assert stats.kstest(fitted["prior"]["spread_of_errors"].values.ravel(), "uniform").pvalue > 1e-3


def test_the_prior_of_the_mean_is_one_class_shared_as_the_diagonal_and_the_rest_are(fitted):
    prior = fitted["prior"]
    assert stats.kstest(prior["mean_recall"].values.ravel(), stats.beta(0.5, 0.5).cdf).pvalue > 1e-3
    spread = prior["spread"].values.ravel()
    odds = spread / np.sqrt(1 - spread**2)
    assert stats.kstest(odds, lambda t: 2 * stats.t(3, scale=SPREAD).cdf(t) - 1).pvalue > 1e-3
    assert_means_near(prior["performance"].sum("predicted").isel(entity=0), 1 / CLASSES)
    assert stats.kstest(prior["spread_of_prevalence"].values.ravel(), "uniform").pvalue > 1e-3
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
    of_errors = float(post["spread_of_errors"][1, 7, 2])
    alpha = np.full(CLASSES - 1, (1 / of_errors**2 - 1) / (CLASSES - 1))
    wanted += stats.dirichlet_multinomial(alpha, 6 - right).logpmf(errors)
    assert float(found["counts"][1, 7, 2, 3]) == pytest.approx(wanted, rel=1e-9)
    assert (fitted["posterior_predictive"]["counts"].sum(["actual", "predicted"]) == 30).all()


def test_a_given_prevalence_keeps_the_rates():
    counts = tables([[[8, 2], [1, 4]]])
    post = br.fit(counts, MODEL, prevalence=0.0, seed=1, draws=50)["posterior"]
    np.testing.assert_allclose(post["performance"].sum("predicted").isel(actual=1), 0)
    np.testing.assert_allclose(post["rate"].sum("predicted"), 1, rtol=1e-12)
    assert br.at_prevalence(post, 0.5).notnull().all()


def test_it_is_the_default_of_thin_classes():
    """A thin class of any sizes; not two classes, weights, priors of cells, or many cases of each class."""
    assert chosen_by_evidence(COUNTS) == MODEL
    assert br.fit(COUNTS, draws=2, seed=1)["posterior"].attrs["model"] == MODEL
    for counts in (COUNTS[:, :2, :2], COUNTS.assign_attrs({WEIGHTED: 1}), 40 * COUNTS):
        assert chosen_by_evidence(counts) == PLAIN
    assert {chosen_by_evidence(COUNTS, options=[name]) for name in ("prior", "split_prior")} == {
        PLAIN
    }
    assert br.fit(COUNTS, draws=2, prior="jeffreys")["posterior"].attrs["model"] == PLAIN
    assert "mean_recall" in br.to_pymc(COUNTS).named_vars
    for sizes in ([100] * 9 + [5], [20] * 9 + [6], [125, 25, 5]):
        assert chosen_by_evidence(tables([np.diag(sizes)])) == MODEL
    sets = xr.concat([COUNTS, 0 * COUNTS], "dataset").transpose("entity", "dataset", ...)
    assert chosen_by_evidence(sets) == MODEL


def test_the_command_has_the_same_default(tmp_path):
    """With a prior of cells it is the model of cells."""
    path = tmp_path / "counts.csv"
    cells = [
        (e, a, p, int(COUNTS[e, a, p]))
        for e in range(3)
        for a in range(CLASSES)
        for p in range(CLASSES)
    ]
    pd.DataFrame(cells, columns=["entity", "actual", "predicted", "count"]).to_csv(
        path, index=False
    )
    named = COUNTS.assign_coords(entity=["0", "1", "2"])
    for more, model in (([], MODEL), (["--prior", "jeffreys"], PLAIN)):
        table = csv_of("rank", path, "--score", "macro_f1", "--draws", 100, *more)
        options = {"prior": "jeffreys"} if more else {}
        ranking = br.credible_ranking(
            br.fit(named, model, draws=100, seed=1, **options), "macro_f1"
        )
        for end in ("lower", "upper"):
            np.testing.assert_allclose(table.sort_index()[end], ranking[end], rtol=1e-9)
    assert br.fit(named, draws=100, seed=1)["posterior"].attrs["model"] == MODEL


def test_rankings_have_sets_for_fixed_truths():
    """What sets need is the spread of observed differences, which the tables have: sets, ranges and pairs agree."""
    recall = [0.95, 0.6, 0.6]
    each = np.array([np.full((CLASSES, CLASSES), (1 - r) / (CLASSES - 1)) for r in recall])
    each[:, np.arange(CLASSES), np.arange(CLASSES)] = np.array(recall)[:, None]
    ranking = br.credible_ranking(
        br.fit(tables(np.rint(80 * each).astype(int)), seed=1), "macro_f1"
    )
    assert (ranking.attrs["sets"], ranking.attrs["headline"]) == ("confidence", "best")
    assert ranking["in_best_set"].values.tolist() == [True, False, False]
    assert ranking["surely_above"].values.sum(axis=1).tolist() == [2, 0, 0]
    assert ranking["rank_lower"].values.tolist() == [1, 2, 2]
    assert ranking["rank_upper"].values.tolist() == [1, 3, 3]


def test_the_interval_is_closed_where_all_cases_are_right():
    ranking = br.credible_ranking(br.fit(tables([np.diag([3] * 6)] * 2), seed=1), "macro_f1")
    assert ranking["upper"].values.tolist() == [1.0, 1.0]
    assert (ranking["lower"] > 0.6).all()
    # A class without cases leaves the observed average undefined, but excludes no end.
    for answers, closed in (([3, 3, 3, 0], True), ([0, 0, 3, 3], True), ([3, 3, 3, 3], True)):
        table = np.diag(answers)
        counts = tables([table, table + 2 * np.eye(4, k=1, dtype=int)])
        for model in (MODEL, PLAIN):
            upper = br.credible_ranking(br.fit(counts, model, seed=1, draws=200), "macro_tpr")[
                "upper"
            ].values
            assert ((upper[0] == 1.0) == closed, upper[1] < 1.0) == (True, True)


def test_exact_results_refuse_it_in_words():
    with pytest.raises(ValueError, match="must have two classes"):
        br.score_posterior(COUNTS, "macro_f1")
    with pytest.raises(ValueError, match="must have two classes for a closed form"):
        br.credible_ranking(COUNTS, "macro_f1", method="exact")
    with pytest.raises(ValueError, match="posterior in closed form; HierarchicalClasses has none"):
        br.score_posterior(COUNTS, "macro_f1", model=MODEL)


@pytest.mark.parametrize("counts", [[3, 3, 7, 1, 0], [300, 4000, 17, 50_000], [2.5, 3.25, 7.0]])
def test_sums_of_rising_factorials(counts):
    """Few terms, large counts by Stirling's series, and fractions of cases."""
    a, times = np.geomspace(1e-6, 1e6, 40), np.arange(1.0, len(counts) + 1)
    wanted = sum(
        t * (gammaln(a + n) - gammaln(a) - n * np.log(a))
        for n, t in zip(counts, times, strict=True)
    )
    found = _sum_rising(a, np.array(counts), times)
    np.testing.assert_allclose(found[a < 1e3], wanted[a < 1e3], rtol=1e-9, atol=1e-9)
    if max(counts) < 10:  # without cancellation of large logarithms
        sums = [
            t * np.log1p(np.arange(int(n)) / 1e6).sum() for n, t in zip(counts, times, strict=True)
        ]
        assert found[-1] == pytest.approx(sum(sums), rel=1e-9) or counts[0] == 2.5


@pytest.mark.slow
def test_calibration():
    """Truths from the prior have uniform ranks: mean, spreads, a recall, a cell, a prevalence, and macro recall."""
    rng, number, size = np.random.default_rng(8), 250, 4
    mean, odds = rng.beta(0.5, 0.5, number), abs(SPREAD * rng.standard_t(3, number))
    spread, kappa = odds / np.sqrt(1 + odds**2), odds**-2
    recall = rng.beta((mean * kappa)[:, None], ((1 - mean) * kappa)[:, None], (number, size))
    of_shares = rng.random(number)
    share = dirichlet_of_each(rng, np.repeat((1 / of_shares**2 - 1)[:, None] / size, size, axis=1))
    rows = np.empty((number, size, size))
    off = ~np.eye(size, dtype=bool)
    of_errors = rng.random(number)
    alpha = np.repeat((1 / of_errors**2 - 1)[:, None, None] / (size - 1), size - 1, axis=-1)
    errors = dirichlet_of_each(rng, np.repeat(alpha, size, axis=1))
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
        "spread of errors": (post["spread_of_errors"], of_errors),
        "spread of shares": (
            post["spread_of_prevalence"].rename(test_set="entity").drop_vars("entity"),
            of_shares,
        ),
        "recall": (told.isel(actual=1, predicted=1), recall[:, 1]),
        "cell": (post["performance"].isel(actual=0, predicted=2), cells[:, 0, 2]),
        "prevalence": (post["performance"].sum("predicted").isel(actual=3), share[:, 3]),
        "macro": (
            sum(told.isel(actual=c, predicted=c, drop=True) for c in range(size)),
            recall.sum(1),
        ),
    }
    for name, (draws, truth) in pairs.items():
        below = (draws < xr.DataArray(truth, dims="entity")).sum(
            ["chain", "draw"]
        ).values + rng.random(number)
        assert stats.kstest(below / 201, "uniform").pvalue > 1e-3, name


def note(counts, score, model=PLAIN, words=("hierarchical_classes", "each class shifts")):
    ranking = br.credible_ranking(br.fit(counts, model, seed=1, draws=50), score)
    return [
        line
        for line in [*br.verdict(ranking), *br.notes(ranking)]
        if any(word in line for word in words)
    ]


def test_the_notes_recommend_it_where_classes_have_few_cases():
    why, remedy = note(COUNTS, "macro_f1")
    assert why.startswith(
        "For 3 entities at least half of the classes have fewer than 10 cases: the prior on each"
    )
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
    assert note(
        COUNTS,
        "macro_f1",
        MODEL,
        ["rates of such a class depend strongly on the prior and the other classes"],
    )


# Classes of unlike sizes: the mean recall depends on the size
UNLIKE = np.array([200, 60, 20, 6, 3])
RIGHT = np.array([192, 54, 15, 3, 1])


def by_brute_force(right, cases, covariate):
    """Return weights and grids of (logit of the mean, spread, slope) by a plain grid over all three."""
    logit, spread, slope = np.meshgrid(
        np.linspace(-3, 7, 61), np.linspace(0.005, 0.9, 60), np.linspace(-2.0, 2.0, 61)
    )
    mean, odds = expit(logit), spread / np.sqrt(1 - spread**2)
    density = 0.5 * np.log(mean * (1 - mean))  # Beta(1/2, 1/2), over the log odds
    density += stats.t.logpdf(odds / SPREAD, 3) - 1.5 * np.log(1 - spread**2)
    density += stats.norm.logpdf(slope, 0, SLOPE)
    kappa = 1 / spread**2 - 1
    for x, n, z in zip(right, cases, covariate, strict=True):
        own = expit(logit + slope * z)
        density += stats.betabinom.logpmf(x, n, own * kappa, (1 - own) * kappa)
    weight = np.exp(density - density.max())
    return weight / weight.sum(), logit, spread, slope


def test_a_slope_has_the_posterior_of_a_plain_grid():
    covariate = np.log1p(UNLIKE) - np.log1p(UNLIKE).mean()
    weight, logit, spread, slope = by_brute_force(RIGHT, UNLIKE, covariate)
    found = learn_slope(RIGHT, UNLIKE, np.array([0.5, 0.5]), covariate)
    drawn = found.draw(np.random.default_rng(1), 20_000)
    last = covariate[-1]
    pairs = {
        "slope": (drawn[2], slope),
        "spread": (drawn[1], spread),
        "mean": (drawn[0], expit(logit)),
        "rarest": (expit(np.log(drawn[0] / (1 - drawn[0])) + drawn[2] * last), expit(logit + slope * last)),
    }  # fmt: skip
    for name, (draws, grid) in pairs.items():
        mean = (weight * grid).sum()
        sd = np.sqrt((weight * (grid - mean) ** 2).sum())
        assert draws.mean() == pytest.approx(mean, abs=0.04 * sd), name
        assert draws.std() == pytest.approx(sd, rel=0.05), name
    # Rare classes are harder here.
    assert (weight * slope).sum() > 0.3


def test_without_data_a_slope_has_its_prior():
    covariate = np.array([1.0, -1.0])
    nothing = np.zeros(2, int)
    drawn = learn_slope(nothing, nothing, np.array([0.5, 0.5]), covariate).draw(
        np.random.default_rng(1), 4000
    )[2]
    assert stats.kstest(drawn / SLOPE, "norm").pvalue > 1e-3


def unlike(right=RIGHT, cases=UNLIKE):
    table = np.diag(right)
    table[np.arange(len(cases)), (np.arange(len(cases)) + 1) % len(cases)] = cases - right
    return tables([table])


def test_classes_of_unlike_sizes_have_a_slope():
    post = br.fit(unlike(), seed=1)["posterior"]
    assert post.attrs["model"] == MODEL
    assert float(post["slope_of_size"].mean()) > 0.3
    rows = post["performance"] / post["performance"].sum("predicted")
    recalls = [float(rows.isel(actual=c, predicted=c).mean()) for c in range(5)]
    # The rarest class, right in 1 of 3, is not given the recall of the largest.
    assert recalls[0] > 0.93
    assert 0.25 < recalls[4] < 0.7
    kappa = 1 / post["spread"] ** 2 - 1
    covariate = np.log1p(UNLIKE) - np.log1p(UNLIKE).mean()
    odds = post["mean_recall"] / (1 - post["mean_recall"])
    own = expit(np.log(odds) + post["slope_of_size"] * covariate[4])
    wanted = (own * kappa + 1) / (kappa + 3)
    assert_means_near(rows.isel(actual=4, predicted=4, drop=True) - wanted, 0.0)
    assert any(
        note.code == "prior_of_size_slope" for note in HierarchicalClasses(unlike()).priors()
    )


def test_similar_sizes_have_no_slope():
    for sizes in ([20] * 5, [18, 22, 25, 15, 20], [3, 1, 5, 4, 2], [0, 0, 0, 0, 0]):
        assert not size_contrast(np.array(sizes)).any(), sizes
    for sizes in ([100] * 9 + [5], [20] * 9 + [6], [125, 25, 5]):
        assert size_contrast(np.array(sizes)).sum() == pytest.approx(0, abs=1e-12)
        assert size_contrast(np.array(sizes))[-1] < -0.5
    assert "slope_of_size" not in br.fit(COUNTS, MODEL, draws=2, seed=1)["posterior"]


def test_tables_of_both_kinds_of_sizes_stay_apart():
    alike = br.fit(unlike()[:, ::-1, ::-1].assign_coords(entity=[7]), MODEL, seed=1, draws=50)
    both = xr.concat([COUNTS, unlike().assign_coords(entity=[7])], "entity")
    post = br.fit(both, MODEL, seed=1, draws=50)["posterior"]
    assert (post["slope_of_size"].isel(entity=[0, 1, 2]) == 0).all()
    assert (post["slope_of_size"].isel(entity=3) != 0).all()
    alone = br.fit(COUNTS, MODEL, seed=1, draws=50)["posterior"]["mean_recall"]
    np.testing.assert_array_equal(post["mean_recall"].isel(entity=[0, 1, 2]), alone)
    assert alike["posterior"]["slope_of_size"].shape == (4, 50, 1)


def test_the_prior_and_the_likelihood_know_the_slope():
    fitted = br.fit(
        unlike(), MODEL, seed=1, draws=30, groups=["prior", "log_likelihood", "log_prior"]
    )
    slope = fitted["prior"]["slope_of_size"].values.ravel()
    assert stats.kstest(slope / SLOPE, "norm").pvalue > 1e-3
    post = fitted["posterior"]
    mean, spread, slope, of_errors = (
        float(post[name][1, 7, 0])
        for name in ("mean_recall", "spread", "slope_of_size", "spread_of_errors")
    )
    covariate = np.log1p(UNLIKE) - np.log1p(UNLIKE).mean()
    own, kappa = expit(np.log(mean / (1 - mean)) + slope * covariate[3]), 1 / spread**2 - 1
    wanted = stats.betabinom(6, own * kappa, (1 - own) * kappa).logpmf(3)
    alpha = np.full(4, (1 / of_errors**2 - 1) / 4)
    wanted += stats.dirichlet_multinomial(alpha, 3).logpmf([3, 0, 0, 0])
    assert float(fitted["log_likelihood"]["counts"][1, 7, 0, 3]) == pytest.approx(wanted, rel=1e-9)
    found = fitted["log_prior"]["slope_of_size"][..., 0]
    gap = found - stats.norm.logpdf(post["slope_of_size"][..., 0], 0, SLOPE)
    assert float(gap.std()) == pytest.approx(0, abs=1e-9)
