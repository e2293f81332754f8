"""Hierarchical beta-binomial: the quadrature against integrals and NUTS, calibration, and what all three kinds hold."""

import numpy as np
import pytest
import xarray as xr
from scipy import special, stats

import bayesrank as br
from bayesrank._core.source import groups_of
from bayesrank.models import make_model
from bayesrank.models.parts.population import SPREAD, learn, log_likelihood
from tests.strategies import outcome_counts

ONES = np.ones(2)


def concentration(mean, spread):
    """Of right and wrong."""
    return mean * (1 / spread**2 - 1), (1 - mean) * (1 / spread**2 - 1)


def spread_cdf(spread):
    """The prior's distribution function, of a half-Student-t of s / sqrt(1 - s²)."""
    return 2 * stats.t(3, scale=SPREAD).cdf(spread / np.sqrt(1 - spread**2)) - 1


def prior_spread(rng, size=None):
    """Draws of the prior of the spread."""
    odds = abs(SPREAD * rng.standard_t(3, size))
    return odds / np.sqrt(1 + odds**2)


def by_quadrature(right, cases, prior, functions):
    """Means of functions of mean and spread under the posterior, and the evidence, by Gauss-Legendre nodes."""
    nodes, weights = np.polynomial.legendre.leggauss(400)
    # Angles resolve priors that are unbounded at an end.
    angle = (nodes + 1) * np.pi / 4
    of_mean, of_spread = np.meshgrid(angle, angle, indexing="ij")
    mean, spread, odds = np.sin(of_mean) ** 2, np.sin(of_spread), np.tan(of_spread)
    width = np.outer(weights * np.sin(2 * angle), weights / np.cos(angle) ** 2) * (np.pi / 4) ** 2
    log = stats.t(3, scale=SPREAD).logpdf(odds) + np.log(2) + stats.beta(*prior).logpdf(mean)
    a, b = mean / odds**2, np.cos(of_mean) ** 2 / odds**2
    for x, n in zip(right, cases, strict=True):
        log += sum(np.log(a + k) for k in range(x)) + sum(np.log(b + k) for k in range(n - x))
        log -= sum(np.log(a + b + k) for k in range(n))
    mass = width * np.exp(log)
    return [(mass * f(mean, spread)).sum() / mass.sum() for f in functions], mass.sum()


CASES = [
    ([9, 8, 10], [10, 10, 10], ONES),
    ([3, 0, 7, 1], [5, 9, 8, 1], np.array([2.0, 0.5])),
    ([4], [9], ONES),
]


@pytest.mark.parametrize(("right", "cases", "prior"), CASES, ids=["three", "uneven", "one"])
def test_mean_spread_and_evidence_are_those_of_plain_integrals(right, cases, prior):
    found = learn(np.array(right), np.array(cases), prior)
    mean, spread = found.draw(np.random.default_rng(1), 100_000)
    functions = [lambda m, s: m, lambda m, s: s, lambda m, s: m * s]
    wanted, total = by_quadrature(right, cases, prior, functions)
    for values, expected in zip((mean, spread, mean * spread), wanted, strict=True):
        assert abs(values.mean() - expected) < 4 * values.std() / np.sqrt(values.size)
    assert found.log_evidence == pytest.approx(np.log(total), abs=2e-4)


def test_no_cases_are_certain():
    counts = br.from_counts(
        tn=[7, 8], fp=[2, 1], fn=[9, 1], tp=[2, 9], entity=["a", "a"], dataset=["x", "y"]
    )
    model = make_model("hierarchical_beta_binomial", counts, {})
    assert model.log_evidence(0 * model.members, 0 * model.class_sizes) == 0
    assert model.log_evidence() < -1


def test_without_cases_it_is_the_prior():
    none = np.zeros(0, int)
    mean, spread = learn(none, none, np.array([2.0, 3.0])).draw(np.random.default_rng(1), 20_000)
    assert stats.kstest(mean, stats.beta(2, 3).cdf).pvalue > 1e-3
    assert stats.kstest(spread, spread_cdf).pvalue > 1e-3


@pytest.mark.parametrize(
    "prior", [(0.01, 0.02), (1e-4, 1.0), (0.25, 100.0), (100.0, 0.01)], ids=str
)
def test_priors_without_a_bound_at_their_ends(prior):
    """Of single cases the spread says nothing: the mean of one is known, and so is its probability."""
    a, b = prior
    found = learn(np.array([1]), np.array([1]), np.array(prior))
    mean, spread = found.draw(np.random.default_rng(1), 20_000)
    assert found.log_evidence == pytest.approx(np.log(a / (a + b)), abs=2e-3)
    assert stats.kstest(spread, spread_cdf).pvalue > 1e-3
    # Within cells of which the mean changes by orders all levels are alike: a hundredth is allowed.
    at = np.array([1e-6, 1e-3, 0.1, 0.5, 0.9, 0.999])
    assert np.mean(mean[:, None] <= at, axis=0) == pytest.approx(
        special.betainc(a + 1, b, at), abs=0.015
    )


def test_a_small_prior_gives_way_to_many_cases():
    found = learn(np.array([300_000, 310_000]), np.array([10**6] * 2), np.array([0.01, 0.01]))
    mean, spread = found.draw(np.random.default_rng(1), 100_000)
    # By integrals over the logit of the mean, in a range of its own for each of 3,001 logits of the spread.
    assert found.log_evidence == pytest.approx(-1229980.6258, abs=1e-3)
    assert abs(mean.mean() - 0.307991) < 4 * mean.std() / np.sqrt(mean.size)
    assert abs(spread.mean() - 0.098264) < 4 * spread.std() / np.sqrt(spread.size)


@pytest.mark.parametrize("cases", [10**6, 10**9])
def test_many_cases_lose_no_digits(cases):
    """Equal rates of very many cases: the mean is theirs, the spread next to none."""
    mean, spread = learn(np.full(40, 9 * cases // 10), np.full(40, cases), ONES).draw(
        np.random.default_rng(1), 2000
    )
    assert abs(mean - 0.9).max() < 8 * np.sqrt(0.09 / cases / 40)
    assert np.quantile(spread, 0.975) < 3 / np.sqrt(cases)


def test_the_likelihood_is_scipys():
    rng = np.random.default_rng(2)
    mean, spread, cases = rng.random(50), rng.random(50), rng.integers(0, 60, 50)
    right = rng.integers(0, cases + 1)
    table, rates = np.stack([cases - right, right], -1), np.stack([1 - mean, mean], -1)
    known = stats.betabinom(cases, *concentration(mean, spread)).logpmf(right)
    np.testing.assert_allclose(log_likelihood(table, rates, spread), known, rtol=1e-9, atol=1e-10)
    # With next to no spread it is binomial, where SciPy's own loses its digits.
    known = stats.binom(cases, mean).logpmf(right)
    np.testing.assert_allclose(log_likelihood(table, rates, np.full(50, 1e-9)), known, atol=1e-9)


RNG = np.random.default_rng(7)
SETS = 8
CELLS = {"tn": RNG.integers(60, 80, 3 * SETS), "tp": RNG.integers(10, 30, 3 * SETS)}
WRONG = {"fp": 80 - CELLS["tn"], "fn": 30 - CELLS["tp"]}
STUDIES = br.from_counts(
    **CELLS, **WRONG, entity=np.repeat(["a", "b", "c"], SETS), dataset=list(range(SETS)) * 3
)


@pytest.fixture(scope="module")
def whole():
    groups = ["log_likelihood", "prior_predictive", "posterior_predictive"]
    return br.fit(STUDIES, "hierarchical_beta_binomial", seed=1, groups=groups)


@pytest.fixture(scope="module")
def fitted(whole):
    return whole["posterior"]


@pytest.mark.slow
def test_nuts_agrees(fitted):
    """Means of every variable within four standard errors, of NUTS's effective draws and of the others."""
    import arviz as az

    sampled = groups_of(
        br.fit(
            STUDIES,
            "hierarchical_beta_binomial",
            sampler="nuts",
            seed=1,
            nuts={"tune": 500},
            draws=500,
        )
    )["posterior"]
    for name in (
        "mean_rate",
        "spread",
        "performance",
        "performance_typical",
        "performance_new",
        "mean_prevalence",
    ):
        ours, other = fitted[name], sampled[name]
        errors = np.hypot(
            ours.std(["chain", "draw"]) / np.sqrt(4000), az.mcse(sampled[[name]])[name]
        )
        gap = abs(ours.mean(["chain", "draw"]) - other.mean(["chain", "draw"])) / errors
        assert float(gap.max()) < 5, name  # some two hundred comparisons


def test_typical_is_the_mean_and_new_varies_around_it(fitted):
    """New rates have the mean of the means; their variance is m(1 - m)s² more (the law of total variance)."""
    typical, new = (br.scores.tpr(fitted, kind=kind) for kind in ("typical", "new"))
    mean = fitted["mean_rate"].sel(actual="positive", predicted="positive", drop=True)
    spread = fitted["spread"].sel(actual="positive", drop=True)
    np.testing.assert_allclose(typical.values, mean.transpose(*typical.dims).values, rtol=1e-12)
    more = mean * (1 - mean) * spread**2
    z = (new - mean) / np.sqrt(more)
    for moment in (z, z**2 - 1):
        error = moment.std(["chain", "draw"]) / np.sqrt(4000)
        assert float((abs(moment.mean(["chain", "draw"])) / error).max()) < 4


def test_entities_meet_the_same_new_data_set(fitted):
    """One prevalence for all, once a draw."""
    for kind in ("observed", "typical", "new"):
        share = br.as_performance(fitted, kind).sum("predicted").sel(actual="positive")
        np.testing.assert_allclose(share.transpose(..., "entity").values.std(-1), 0, atol=1e-12)
    share = fitted["performance_new"].sum("predicted").sel(actual="positive", entity="a")
    assert share.std() > 0.9 * fitted["mean_prevalence"].sel(actual="positive").std()


def test_what_is_not_there_is_predicted():
    """A data set without positives has a rate of positives nevertheless."""
    counts = STUDIES.copy()
    counts.loc[{"dataset": 0, "actual": "positive"}] = 0
    fit = br.fit(counts, "hierarchical_beta_binomial", seed=1, draws=100)
    assert br.scores.tpr(fit, kind="observed").sel(dataset=0).notnull().all()
    assert br.credible_ranking(fit, "f1")["undefined"].max() == 0
    assert br.credible_ranking(fit, "f1", kind="new")["probability_best"].sum() == pytest.approx(1)


def test_entities_are_a_population_without_data_sets():
    """Equal shares of unequal sizes: the smaller the test set, the nearer to all others."""
    cells = {"tn": [30, 300, 60, 70, 65], "fp": [0, 0, 40, 30, 35], "fn": [1] * 5, "tp": [9] * 5}
    counts = br.from_counts(**cells, entity=["small", "large", "x", "y", "z"])
    posterior = br.fit(counts, "hierarchical_beta_binomial", seed=1)["posterior"]
    tnr = br.scores.tnr(posterior).mean(["chain", "draw"])
    mean = float(posterior["mean_rate"].sel(actual="negative", predicted="negative").mean())
    assert 1 > float(tnr.sel(entity="large")) > float(tnr.sel(entity="small")) > mean
    assert "performance_typical" not in posterior
    tp = br.scores.tpr(posterior)
    assert (
        stats.ks_2samp(tp.sel(entity="x").values.ravel(), tp.sel(entity="y").values.ravel()).pvalue
        > 1e-3
    )


def test_the_loglikelihood_is_of_tables(whole):
    found, post = whole["log_likelihood"], whole["posterior"]
    assert found["counts"].dims == ("chain", "draw", "entity", "dataset", "actual")
    a, b = concentration(post["mean_rate"].values[1, 7, 2, 1, 1], post["spread"].values[1, 7, 2, 1])
    tp = int(STUDIES.values[2, 5, 1, 1])
    assert float(found["counts"][1, 7, 2, 5, 1]) == pytest.approx(
        stats.betabinom(30, a, b).logpmf(tp), rel=1e-9
    )
    assert found["row_totals"].dims == ("chain", "draw", "test_set")
    for group in ("prior_predictive", "posterior_predictive"):
        assert (whole[group]["counts"].sum(["actual", "predicted"]) == 110).all()


def test_a_given_prevalence_is_that_of_all_kinds():
    fit = br.fit(STUDIES, "hierarchical_beta_binomial", seed=1, draws=50, prevalence=0.02)
    for kind in ("observed", "typical", "new"):
        share = br.as_performance(fit, kind).sum("predicted").sel(actual="positive")
        np.testing.assert_allclose(share, 0.02, rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("sparse", [False, True], ids=["plain", "sparse"])
def test_calibration(sparse):
    """Truths drawn from the prior have uniform ranks among their draws: mean, spread, a rate, a new one."""
    rng = np.random.default_rng(3)
    replicates, draws = 2000, 99
    ranks = {name: np.empty(replicates) for name in ("mean", "spread", "rate", "new")}
    for i in range(replicates):
        cases = rng.integers(0, 4, 12) if sparse else rng.integers(1, 40, 6)
        mean, spread = rng.beta(1, 1), prior_spread(rng)
        a, b = concentration(mean, spread)
        rates = rng.beta(a, b, cases.size)
        right, new = rng.binomial(cases, rates), rng.beta(a, b)
        m, s = learn(right, cases, ONES).draw(rng, draws)
        a, b = concentration(m, s)
        found = {
            "mean": m,
            "spread": s,
            "rate": rng.beta(a + right[0], b + cases[0] - right[0]),
            "new": rng.beta(a, b),
        }
        for name, truth in (("mean", mean), ("spread", spread), ("rate", rates[0]), ("new", new)):
            ranks[name][i] = (found[name] < truth).sum() + rng.random()
    for name, found in ranks.items():
        assert stats.kstest(found / (draws + 1), "uniform").pvalue > 1e-3, name


# --- More than two answers, and outcomes --------------------------------------------------------------------------


def grades(sizes=(60, 40, 30, 50)):
    """Three grades of two entities on four data sets."""
    rng = np.random.default_rng(9)
    mean = np.array([[0.2, 0.3, 0.5], [0.3, 0.4, 0.3]])
    counts = [[rng.multinomial(n, rng.dirichlet(20 * m)) for n in sizes] for m in mean]
    return outcome_counts(counts).assign_coords(entity=["a", "b"])


@pytest.fixture(scope="module")
def graded():
    nuts = {"tune": 400, "target_accept": 0.9}
    return br.fit(
        grades(), "hierarchical_dirichlet_multinomial", seed=1, draws=400, chains=2, nuts=nuts
    )


def test_two_answers_go_by_quadrature_whatever_the_name():
    two = grades().isel(outcome=[0, 2])
    first, second = (br.fit(two, name, seed=1, draws=50)["posterior"] for name in NAMES)
    xr.testing.assert_equal(first, second)
    assert first.attrs["sampler"] == "exact"


NAMES = ("hierarchical_beta_binomial", "hierarchical_dirichlet_multinomial")


@pytest.mark.slow
def test_grades_have_means_of_each_kind(graded):
    post = graded["posterior"]
    for kind in ("", "_typical", "_new"):
        mean = (post[f"performance{kind}"] * [0, 1, 2]).sum("outcome")
        xr.testing.assert_allclose(
            mean, post[f"mean_outcome{kind}"].transpose(*mean.dims), rtol=1e-10
        )
    ranking = br.credible_ranking(graded, "mean_outcome")
    assert br.ranking_table(ranking).index.tolist() == ["a", "b"]
    xr.testing.assert_equal(
        ranking["median"], br.credible_ranking(graded, "mean_outcome", kind="typical")["median"]
    )
    new = br.credible_ranking(graded, "mean_outcome", kind="new")
    assert float(new["upper"][0] - new["lower"][0]) > float(
        ranking["upper"][0] - ranking["lower"][0]
    )
    assert (
        br.credible_ranking(graded, "mean_outcome", kind="observed")["median"].sizes["dataset"] == 4
    )


@pytest.mark.slow
def test_many_classes_are_tables_of_each_kind():
    rng = np.random.default_rng(2)
    tables = rng.multinomial(
        80, [0.3, 0.02, 0.02, 0.02, 0.3, 0.02, 0.02, 0.02, 0.28], (2, 3)
    ).reshape(2, 3, 3, 3)
    coords = {
        "entity": ["a", "b"],
        "dataset": list("xyz"),
        "actual": [0, 1, 2],
        "predicted": [0, 1, 2],
    }
    counts = xr.DataArray(
        tables, coords, ("entity", "dataset", "actual", "predicted"), name="counts"
    )
    counts.values[1] = counts.values[0][:, :, [0, 2, 1]]  # b confuses, on the same cases
    fit = br.fit(
        counts, NAMES[1], seed=1, draws=200, chains=2, nuts={"tune": 300}, groups=["log_likelihood"]
    )
    for kind in ("observed", "typical", "new"):
        performance = br.as_performance(fit, kind)
        np.testing.assert_allclose(performance.sum(["actual", "predicted"]), 1, rtol=1e-9)
    assert br.ranking_table(br.credible_ranking(fit, "macro_f1")).index[0] == "a"
    assert fit["log_likelihood"]["counts"].sizes["actual"] == 3
    assert fit["posterior"]["mean_prevalence"].dims == ("chain", "draw", "actual")


#: The calibration of the Dirichlet-multinomial: entities are independent, so every one of a fit is a replicate.
ANSWERS, MEMBERS = 3, 4


def dirichlet(rng, concentration):
    """One draw for each row of concentrations, which may be tiny."""
    log = (
        np.log(rng.standard_gamma(concentration + 1))
        + np.log(rng.random(concentration.shape)) / concentration
    )
    share = np.exp(log - log.max(-1, keepdims=True))
    return share / share.sum(-1, keepdims=True)


def world(seed, replicates, sparse):
    """Truths from the prior, and counts (entity, dataset, outcome) of a few cases each; sparse: mostly none."""
    rng = np.random.default_rng(seed)
    mean = rng.dirichlet(np.full(ANSWERS, 1 / ANSWERS), replicates)
    spread = np.maximum(prior_spread(rng, replicates), 1e-6)
    alpha = np.maximum(mean * (1 / spread**2 - 1)[:, None], 1e-12)
    rates = dirichlet(rng, np.repeat(alpha[:, None], MEMBERS, 1))
    cases = (
        rng.poisson(0.7, (replicates, MEMBERS))
        if sparse
        else rng.integers(1, 25, (replicates, MEMBERS))
    )
    cases[:, 0] += cases.sum(1) == 0
    counts = outcome_counts(rng.multinomial(cases, rates))
    return counts, {
        "mean": mean[:, -1],
        "spread": spread,
        "rate": rates[:, 0, -1],
        "new": dirichlet(rng, alpha)[:, -1],
    }


@pytest.mark.slow
@pytest.mark.parametrize("sparse", [False, True], ids=["plain", "sparse"])
def test_calibration_of_three_answers(sparse):
    counts, truth = world(2, 300, sparse)
    nuts = {"tune": 300, "target_accept": 0.9}
    post = br.fit(counts, NAMES[1], seed=1, draws=500, chains=2, nuts=nuts)["posterior"]
    last = {"outcome": ANSWERS - 1}
    found = {
        "mean": post["mean_rate"].isel(last),
        "spread": post["spread"],
        "rate": post["performance"].isel(last | {"dataset": 0}),
        "new": post["performance_new"].isel(last),
    }
    for name, draws in found.items():
        below = (draws < xr.DataArray(truth[name], dims="entity")).mean(["chain", "draw"])
        assert stats.kstest(below, "uniform").pvalue > 1e-3, name
