"""Exact posteriors of scores: Betas, double integrals, complements of each other, and the draws of fit."""

import numpy as np
import pytest
from scipy import special, stats

import bayesrank as br
from bayesrank.scores.families import by_importance
from tests.brute_force import probability_below

TABLE = br.from_counts(tn=32, fp=8, fn=4, tp=16)
VALUES = np.linspace(0.05, 0.95, 19)
#: The distance of 10,000 draws is above this with probability 1e-3.
KOLMOGOROV = 1.95 / 100
MIXED = by_importance("mixed", tn=1, fp=2, fn=5, tp=3)


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("tpr", 16.5, 4.5), ("tnr", 32.5, 8.5), ("ppv", 16.5, 8.5), ("npv", 32.5, 4.5), ("accuracy", 49, 13),
        ("jaccard", 16.5, 13), ("error_rate", 13, 49),
    ],
)  # fmt: skip
def test_scores_of_plain_importance_are_betas(name, right, wrong):
    exact = br.score_posterior(TABLE, name)
    beta = stats.beta(right, wrong)
    np.testing.assert_allclose(exact.cdf(VALUES)[0], beta.cdf(VALUES), atol=1e-13)
    np.testing.assert_allclose(exact.pdf(VALUES)[0], beta.pdf(VALUES), rtol=1e-10)
    np.testing.assert_allclose(exact.quantile([0.025, 0.5])[0], beta.ppf([0.025, 0.5]), atol=1e-12)
    assert exact.error.item() == 0
    # F1 is a transformation of TP against FP + FN.
    f1 = br.score_posterior(TABLE, "f1").cdf(VALUES)[0]
    np.testing.assert_allclose(f1, stats.beta(16.5, 13).cdf(VALUES / (2 - VALUES)), atol=1e-13)


# The last ones have rates of very unlike precision.
TABLES = [
    (32, 8, 4, 16),
    (1, 0, 0, 3),
    (50_000, 300, 2, 9),
    (8, 2, 200_000, 800_000),
    (5, 5, 10**6, 10**6),
]


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    ("score", "share"),
    [("accuracy", None), ("ppv", 0.02), (MIXED, 1 / 3), ("f1", 0.02), ("error_rate", None), ("informedness", None),
     ("mcc", None), ("negative_likelihood_ratio", None)],
    ids=lambda each: getattr(each, "name", each),
)  # fmt: skip
def test_two_rates_agree_with_brute_force(score, share, table):
    counts = br.from_matrix(np.reshape(table, (2, 2)), "actual_rows")
    exact = br.score_posterior(counts, score, "beta_binomial", prevalence=share or "observed")
    tn, fp, fn, tp = np.add(table, 0.5)
    share = share or sum(table[2:]) / sum(table)
    for value in exact.quantile([0.003, 0.5, 0.999]).values[0]:
        # Where a contour leaves the square at a density that is not 0, brute force errs.
        size, within = (5_001, 4e-5) if min(table) == 0 else (2_001, 1e-10)
        slow = probability_below(score, value, (tp, fn), (tn, fp), share, size)
        assert exact.cdf(value).item() == pytest.approx(slow, abs=within)
    assert exact.error.item() <= 1e-9


def test_fully_mixed_importances_under_a_dirichlet():
    """Against a double integral by the trapezoidal rule, which is precise as the densities vanish at both ends."""
    exact = br.score_posterior(TABLE, MIXED)
    t = np.linspace(0, 1, 401)
    p, q = t[:, None], t[None]  # tp among right, fn among wrong
    weight = stats.beta(16.5, 32.5).pdf(p) * stats.beta(4.5, 8.5).pdf(q) / 400**2
    for v in (0.5, 0.6, 0.7):
        s, u = 3 * p + (1 - p), 5 * q + 2 * (1 - q)
        slow = (weight * special.betainc(49, 13, v * u / (v * u + (1 - v) * s))).sum()
        assert exact.cdf(v).item() == pytest.approx(slow, abs=1e-9)
    assert exact.error.item() < 1e-11


@pytest.mark.parametrize("model", ["dirichlet_multinomial", "beta_binomial"])
@pytest.mark.parametrize(
    ("score", "prior"), [("f1", "uniform"), ("accuracy", "jeffreys"), (MIXED, "uniform")]
)
def test_the_draws_of_fit_follow_it(model, score, prior):
    counts = br.from_counts(tn=[32, 4], fp=[8, 1], fn=[4, 2], tp=[16, 1], entity=["a", "b"])
    draws = br.scores.as_score(score)(
        br.fit(counts, model, prior=prior, draws=5000, chains=2, seed=11)
    )
    exact = br.score_posterior(counts, score, model, prior=prior)
    for name in ("a", "b"):
        sample = np.sort(draws.sel(entity=name).values.ravel())[::50]
        assert (
            np.abs(exact.cdf(sample).sel(entity=name) - np.arange(len(sample)) / len(sample)).max()
            < KOLMOGOROV
        )


@pytest.mark.parametrize(
    ("table", "prior"),
    [((1, 0, 0, 3), "uniform"), ((1, 0, 0, 3), "jeffreys"), ((50_000, 300, 2, 9), "uniform"), ((0, 0, 0, 0), "uniform"),
     ((40_000, 10_000, 20_000, 30_000), "uniform")],
)  # fmt: skip
@pytest.mark.parametrize("model", ["dirichlet_multinomial", "beta_binomial"])
def test_the_density_is_the_slope_and_integrates_to_one(table, prior, model):
    counts = br.from_matrix(np.reshape(table, (2, 2)), "actual_rows")
    empty = {} if sum(table) else {"prevalence": 0.3, "force": True}
    exact = br.score_posterior(counts, "f2", model, prior=prior, **empty)
    assert exact.error.item() < 1e-8
    low, middle, high = exact.quantile([0.1, 0.5, 0.9]).values[0]
    assert 0 < low < middle < high < 1
    step = (high - low) * 1e-4
    slope = (exact.cdf(middle + step) - exact.cdf(middle - step)).item() / (2 * step)
    assert exact.pdf(middle).item() == pytest.approx(slope, rel=1e-5)
    assert exact.cdf([0.0, 1.0, -3.0, 5.0]).values.tolist() == [[0, 1, 0, 1]]
    np.testing.assert_allclose(exact.cdf([low, middle, high])[0], [0.1, 0.5, 0.9], atol=1e-9)


LEVELS = [1e-6, 0.003, 0.3, 0.9, 0.999]


@pytest.mark.parametrize(
    "table", [TABLES[0], *(pytest.param(table, marks=pytest.mark.slow) for table in TABLES[1:])]
)
def test_scores_without_importance_agree_with_the_ranking_scores_they_are_made_of(table):
    counts = br.from_matrix(np.reshape(table, (2, 2)), "actual_rows")
    accuracy = br.score_posterior(counts, "accuracy")
    error_rate = br.score_posterior(counts, lambda tn, fp, fn, tp: fp + fn)
    at = accuracy.quantile(LEVELS).values[0]
    within = error_rate.error.item()
    assert within < 1e-5 if min(table) == 0 else within <= 1e-9
    np.testing.assert_allclose(1 - error_rate.cdf(1 - at)[0], accuracy.cdf(at)[0], atol=within)
    # A density is the slope of the distribution function between nodes, whose errors are those stated.
    np.testing.assert_allclose(
        error_rate.pdf(1 - at)[0, 2:], accuracy.pdf(at)[0, 2:], rtol=1e-6 + 100 * within
    )


def test_faint_priors_put_probability_next_to_the_end():
    """Against draws of log(1 - rate), which hold what no rate in floating point can."""
    counts, prior, size = br.from_counts(tn=3, fp=0, fn=0, tp=3), 0.02, 100_000
    exact = br.score_posterior(counts, "informedness", "beta_binomial", prior=prior)
    rng = np.random.default_rng(1)

    def log_gamma(shape):  # gamma(a) is gamma(a + 1) times the power 1 / a of a uniform variable
        return np.log(rng.gamma(shape + 1, size=(2, size))) + np.log(rng.random((2, size))) / shape

    wrong, right = log_gamma(prior), log_gamma(prior + 3)
    missing = np.logaddexp(*(wrong - np.logaddexp(wrong, right)))  # log(2 - TPR - TNR)
    for distance in (1e-12, 1e-6, 1e-2):
        seen, p = (missing >= np.log(distance)).mean(), exact.cdf(1 - distance).item()
        assert abs(seen - p) < 4.9 * np.sqrt(p * (1 - p) / size)


def test_quantiles_next_to_the_end_of_a_range_are_where_the_cdf_has_their_levels():
    counts = br.from_counts(tn=1000, fp=0, fn=3, tp=20)
    fpr, ratio = (
        br.score_posterior(counts, name, prior=0.05)
        for name in ("fpr", "positive_likelihood_ratio")
    )
    np.testing.assert_allclose(
        fpr.quantile(LEVELS)[0, 1:], stats.beta(0.05, 1000.05).ppf(LEVELS[1:]), rtol=1e-9
    )
    at = ratio.quantile(LEVELS)
    np.testing.assert_allclose(ratio.cdf(at), [LEVELS], atol=1e-9)
    slope = (ratio.cdf(at * 1.001) - ratio.cdf(at / 1.001)) / (2 * np.log(1.001) * at)
    np.testing.assert_allclose(ratio.pdf(at)[0, 1:], slope[0, 1:], rtol=1e-5)


@pytest.mark.parametrize("model", ["dirichlet_multinomial", "beta_binomial"])
def test_the_density_of_a_score_of_one_rate_is_that_of_the_rate(model):
    fpr = br.score_posterior(TABLE, lambda tn, fp, fn, tp: fp / (tn + fp), model)
    at = stats.beta(8.5, 32.5).ppf([0.001, 0.1, 0.5, 0.9, 0.999])
    np.testing.assert_allclose(fpr.pdf(at)[0], stats.beta(8.5, 32.5).pdf(at), rtol=1e-6)
    np.testing.assert_allclose(fpr.cdf(at)[0], [0.001, 0.1, 0.5, 0.9, 0.999], atol=1e-12)


NOT_RANKING = ("mcc", "diagnostic_odds_ratio", "negative_likelihood_ratio", "information_score")
FOLLOWED = [
    (model, score) for model in ("beta_binomial", "dirichlet_multinomial") for score in NOT_RANKING
]


@pytest.mark.parametrize(
    ("model", "score"),
    [FOLLOWED[0], *(pytest.param(*pair, marks=pytest.mark.slow) for pair in FOLLOWED[1:])],
)
def test_the_draws_of_fit_follow_scores_without_importance(model, score):
    draws = np.sort(
        br.scores.as_score(score)(
            br.fit(TABLE, model, draws=5000, chains=2, seed=12)
        ).values.ravel()
    )
    exact = br.score_posterior(TABLE, score, model)
    levels = np.arange(250, len(draws), 500)
    assert np.abs(exact.cdf(draws[levels]).values[0] - levels / len(draws)).max() < KOLMOGOROV
    low, high = exact.quantile([0.1, 0.9]).values[0]
    np.testing.assert_allclose(exact.cdf([low, high])[0], [0.1, 0.9], atol=1e-7)
    node, weight = np.polynomial.legendre.leggauss(12)
    density = exact.pdf(low + (1 + node) * (high - low) / 2).values[0]
    assert density @ weight * (high - low) / 2 == pytest.approx(0.8, abs=1e-5)
    assert exact.cdf(br.scores.as_score(score).range).values.tolist() == [[0, 1]]


def test_pairs_that_were_not_measured_are_nan():
    cells = {"tn": [3, 4, 5], "fp": [1, 1, 1], "fn": [1, 2, 3], "tp": [6, 6, 6]}
    counts = br.from_counts(**cells, entity=["a", "a", "b"], dataset=["x", "y", "x"])
    cdf = br.score_posterior(counts, "f1").cdf([0.3, 0.7])
    assert cdf.dims == ("entity", "dataset", "value")
    assert np.isnan(cdf.sel(entity="b", dataset="y")).all()
    assert (cdf.sel(entity="a") > 0).all()
    median = br.score_posterior(counts, "f1").quantile(0.5)
    np.testing.assert_allclose(
        br.score_posterior(counts, "f1").cdf(median), [[0.5, 0.5], [0.5, np.nan]], atol=1e-12
    )


NO_POSITIVES = br.from_counts(tn=50, fp=5, fn=0, tp=0)


@pytest.mark.parametrize("score", ["mcc", "informedness", "tpr", "ppv", "npv", "f1", "g_mean"])
@pytest.mark.parametrize("share", [0.0, 1.0, "observed"])
def test_scores_that_need_both_classes_refuse_a_prevalence_that_leaves_one(score, share):
    """At prevalence 0 they are 0/0, or 0 or 1 whatever the rates; some at 1 are distributions still."""
    if share == 1.0 and score in ("tpr", "f1"):  # of fn and tp alone
        assert 0 < br.score_posterior(TABLE, score, prevalence=share).cdf(0.7).item() < 1
        return
    with pytest.raises(
        ValueError, match=f"prevalence must lie strictly between 0 and 1 for {score}; got [01]"
    ):
        br.score_posterior(NO_POSITIVES, score, prevalence=share)


def test_scores_of_the_class_that_is_left_have_a_posterior():
    specificity = stats.beta(50.5, 5.5)
    for score in ("accuracy", "tnr", "jaccard_negative"):
        exact = br.score_posterior(
            NO_POSITIVES, score, "beta_binomial"
        )  # the prevalence observed: 0
        np.testing.assert_allclose(
            exact.cdf([0.8, 0.9])[0], specificity.cdf([0.8, 0.9]), atol=1e-12
        )
