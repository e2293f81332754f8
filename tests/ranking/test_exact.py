"""Exact rankings: closed forms, adaptive quadrature, simulations that share no code, and what must not change."""

import math
import warnings
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special, stats

import bayesrank as br
from bayesrank._core.compat import to_container
from bayesrank._core.source import groups_of
from bayesrank.exact import NoClosedForm, _engine, closed_form_of, plan_of
from bayesrank.ranking import without_draws
from bayesrank.ranking.without_draws import FACTS_OF_CLAIM, _are_draws_of
from bayesrank.scores.families import by_importance
from bayesrank.statements.probabilities import exact_probability
from tests.brute_force import probability_below
from tests.strategies import INCOMPLETE, two_class_counts
from tests.told import codes_in, notes_in

THREE = br.from_counts(
    tn=[30, 28, 40], fp=[2, 4, 0], fn=[3, 1, 5], tp=[15, 17, 15], entity=["a", "b", "c"]
)
MIXED = by_importance("mixed", tn=1, fp=2, fn=5, tp=3)


def exact(counts, score, **options):
    return br.credible_ranking(counts, score, method="exact", **options)


def of_rates(tpr, tnr=(1, 1)):
    """Counts whose posteriors under a uniform prior are these Beta variables."""
    tpr, tnr = (np.broadcast_to(np.array(pair), (len(tpr), 2)) - 1 for pair in (tpr, tnr))
    names = [f"e{i}" for i in range(len(tpr))]
    return br.from_counts(tn=tnr[:, 0], fp=tnr[:, 1], fn=tpr[:, 1], tp=tpr[:, 0], entity=names)


def ranked(tpr, **options):
    options |= {"model": "beta_binomial", "prior": "uniform", "prevalence": 0.5, "force": True}
    return exact(of_rates(tpr), "tpr", **options)


# Closed forms


def beta(x, y):
    return Fraction(math.factorial(x - 1) * math.factorial(y - 1), math.factorial(x + y - 1))


def beats(a, b, c, d):
    """P(X > Y) of X ~ Beta(a, b) and Y ~ Beta(c, d), in whole numbers: integrating by parts makes it a finite sum."""
    return float(
        sum(beta(c + i, b + d) / ((b + i) * beta(1 + i, b) * beta(c, d)) for i in range(a))
    )


@pytest.mark.parametrize(
    "pairs", [((16, 4), (18, 2)), ((3, 9), (40, 70)), ((1, 1), (2, 1)), ((300, 20), (310, 31))]
)
def test_the_better_of_two_betas_is_a_finite_sum(pairs):
    ranking = ranked(pairs)
    assert ranking["superiority"].values[0, 1] == pytest.approx(
        beats(*pairs[0], *pairs[1]), abs=1e-11
    )
    assert ranking["superiority"].values[1, 0] == pytest.approx(
        beats(*pairs[1], *pairs[0]), abs=1e-11
    )
    np.testing.assert_allclose(
        ranking["probability_best"], ranking["superiority"].values[[0, 1], [1, 0]], atol=1e-12
    )


def test_independent_betas_agree_with_adaptive_quadrature():
    pairs = [(16, 4), (18, 2), (5, 5), (25, 1)]
    ranking, betas = ranked(pairs), [stats.beta(*pair) for pair in pairs]

    def integral(function):
        return integrate.quad(
            function, 0, 1, epsabs=1e-13, limit=500, points=[0.5, 0.8, 0.9, 0.97]
        )[0]

    for i, own in enumerate(betas):
        others = [beta for beta in betas if beta is not own]
        for r in range(len(betas)):
            above = lambda x: sum(  # noqa: E731
                np.prod([o.sf(x) if j in better else o.cdf(x) for j, o in enumerate(others)])  # noqa: B023
                for better in combinations(range(len(others)), r)  # noqa: B023
            )
            slow = integral(lambda x: own.pdf(x) * above(x))  # noqa: B023
            assert ranking["rank_probability"].values[i, r] == pytest.approx(slow, abs=1e-10)
    best = integral(lambda x: 1 - np.prod([beta.cdf(x) for beta in betas]))
    np.testing.assert_allclose(
        ranking["expected_regret"], [best - beta.mean() for beta in betas], atol=1e-10
    )
    np.testing.assert_allclose(ranking["median"], [beta.median() for beta in betas], atol=1e-10)
    np.testing.assert_allclose(ranking["lower"], [beta.ppf(0.025) for beta in betas], atol=1e-10)
    closed = ranking["observed"] > 1 - 1.5 / ranking["cases"]  # at most one case is wrong
    upper = np.where(closed, 1.0, [beta.ppf(0.975) for beta in betas])
    np.testing.assert_allclose(ranking["upper"], upper, atol=1e-10)


def test_a_region_of_practical_equivalence():
    pairs, rope = [(16, 4), (18, 2)], 0.07
    ranking, (x, y) = ranked(pairs, rope=rope), (stats.beta(*pair) for pair in pairs)
    first = integrate.quad(lambda t: x.pdf(t) * y.cdf(t - rope), rope, 1, epsabs=1e-13)[0]
    second = integrate.quad(lambda t: y.pdf(t) * x.cdf(t - rope), rope, 1, epsabs=1e-13)[0]
    expected = [[0, first], [second, 0]]
    np.testing.assert_allclose(ranking["superiority"], expected, atol=1e-9)
    np.testing.assert_allclose(
        ranking["equivalence"], [[1, 1 - first - second], [1 - first - second, 1]], atol=1e-9
    )
    plain = ranked(pairs)
    for name in (
        "rank_probability",
        "expected_rank",
        "expected_regret",
        "median",
        "consensus_rank",
    ):
        np.testing.assert_allclose(ranking[name], plain[name], atol=1e-9)


def test_seven_rates_of_which_nothing_is_known():
    """The mean of the best of seven uniform variables is 7/8."""
    ranking = ranked([(1, 1)] * 7)
    np.testing.assert_allclose(ranking["rank_probability"], np.full((7, 7), 1 / 7), atol=1e-12)
    np.testing.assert_allclose(ranking["expected_regret"], np.full(7, 7 / 8 - 1 / 2), atol=1e-11)
    assert (ranking["consensus_rank"] == 1).all()
    assert (ranking["tier"] == 1).all()
    assert ranking["in_best_set"].all()


def test_the_precision_of_a_shared_prevalence_ranks_as_the_likelihood_ratio():
    """PPV's odds are LR+ times those of the prevalence, which cancel."""
    counts = br.from_counts(
        tn=[30, 28, 31], fp=[4, 6, 3], fn=[3, 1, 5], tp=[15, 17, 13], entity=["a", "b", "c"]
    )
    shared = exact(counts, "ppv")
    ratio = exact(counts, "positive_likelihood_ratio")
    for name in ("rank_probability", "superiority", "expected_rank"):
        np.testing.assert_allclose(shared[name], ratio[name], atol=1e-9)
    apart = exact(counts.assign_coords(test_set=("entity", ["x", "y", "z"])), "ppv")
    assert np.abs(apart["superiority"] - ratio["superiority"]).max() > 1e-3
    # The same tables on two test sets: pairs of one share its prevalence, pairs of two do not.
    both = xr.concat([counts, counts.assign_coords(entity=["d", "e", "f"])], "entity")
    twice = exact(both.assign_coords(test_set=("entity", list("xxxyyy"))), "ppv")
    within, between = (
        twice["superiority"].values[:3, rivals] for rivals in (slice(3), slice(3, 6))
    )
    np.testing.assert_allclose(within, shared["superiority"], atol=1e-9)
    np.testing.assert_allclose(
        between - np.diag(between.diagonal()), apart["superiority"], atol=1e-7
    )
    for name in ("rank_probability", "expected_rank", "expected_regret", "median"):
        np.testing.assert_array_equal(twice[name][:3], twice[name][3:])


def test_the_antibody_tests():
    """108 tests; nine were right about all samples (theory: 0.0843 each under uniform priors)."""
    counts = br.datasets.load("antibody_tests")
    ranking = exact(counts, "informedness", model="beta_binomial", prior="uniform")
    perfect = (counts.values == [[80, 0], [0, 30]]).all((1, 2))
    best = ranking["probability_best"].values[perfect]
    assert len(best) == 9
    assert len(set(best.tolist())) == 1
    assert best[0] == pytest.approx(0.0843, abs=5e-5)
    error = ranking["rank_probability_error"]
    assert (np.abs(ranking["rank_probability"].sum("entity") - 1) <= error.sum("entity")).all()
    assert (np.abs(ranking["rank_probability"].sum("rank") - 1) <= error.sum("rank")).all()
    assert float(error.max()) < 1e-6
    assert float(ranking["superiority_error"].max()) < 1e-9


def test_several_test_sets_and_draws_of_fit():
    counts = br.from_counts(
        tn=[30, 29, 12, 13, 40],
        fp=[2, 3, 3, 2, 1],
        fn=[3, 1, 2, 5, 5],
        tp=[15, 17, 10, 7, 15],
        entity=list("abcde"),
    )
    assert (
        len(
            set(
                br.models.conjugate_posterior(
                    "dirichlet_multinomial", counts, {}
                ).test_set.values.tolist()
            )
        )
        == 3
    )
    ranking = exact(counts, "accuracy")
    draws = br.credible_ranking(br.fit(counts, draws=10_000, seed=2), "accuracy")
    for name in ("rank_probability", "superiority", "expected_rank", "expected_regret"):
        assert np.nanmax(np.abs((draws[name] - ranking[name]) / draws[f"{name}_error"])) < 5
    for name in ("rank_probability", "superiority"):
        # From 40 batches of independent draws: an error has the relative error 1 / sqrt(2 · 39).
        free = np.sqrt(draws[name] * (1 - draws[name]) / 40_000)
        assert (draws[f"{name}_error"] < (1 + 4.5 / np.sqrt(2 * 39)) * free + 1e-4).all()
        assert (draws[f"{name}_error"] >= 0.999 * free).all()
    for name in (
        "consensus_rank",
        "rank_marginal_lower",
        "rank_marginal_upper",
        "undefined",
        "contradicted",
    ):
        np.testing.assert_array_equal(ranking[name], draws[name])
    for name in ("median", "lower", "upper"):
        np.testing.assert_allclose(ranking[name], draws[name], atol=0.005)
    np.testing.assert_array_equal(ranking["observed"], draws["observed"])
    assert ranking.attrs["notes"] == draws.attrs["notes"]
    same = draws.attrs.keys() - {"draws", "method", *FACTS_OF_CLAIM}
    assert {name: ranking.attrs[name] for name in same} == {
        name: draws.attrs[name] for name in same
    }


def test_auto_takes_from_draws_what_needs_them():
    posterior = br.fit(THREE, draws=500, seed=1)
    full, exact, drawn = (
        br.credible_ranking(posterior, "f1", method=m) for m in ("auto", "exact", "draws")
    )
    assert set(full) == set(drawn)
    claim = {
        "rank_lower",
        "rank_upper",
        "in_best_set",
        "surely_above",
        "tier",
    }
    claim |= {
        "rank_alone_lower",
        "rank_alone_upper",
        "difference",
        "difference_lower",
        "difference_upper",
    }
    assert set(full.attrs["drawn"]) == set(drawn) - set(exact) | claim
    for name in set(exact) - claim:
        xr.testing.assert_identical(full[name], exact[name])
    for name in ("probability_best_error", "superiority_error", "expected_rank_error"):
        assert exact[name].attrs["method"].startswith("difference of two numbers of nodes")
        assert drawn[name].attrs["method"].startswith("Monte-Carlo standard error")
    assert full.attrs["sets"] == "confidence"
    assert (exact.attrs["sets"], exact.attrs["caps"]) == ("none", ["sets_need_draws"])
    for name in (*claim, "effective_sample_size"):
        np.testing.assert_array_equal(full[name], drawn[name])
    # SUCRA follows from the expected ranks.
    np.testing.assert_allclose(exact["sucra"], (3 - exact["expected_rank"]) / 2, atol=1e-12)
    assert abs(exact["poth"] - drawn["poth"]) < 5 * drawn["poth_error"]


def test_what_is_asked_is_answered_by_the_ranking_where_it_can():
    posterior = br.fit(THREE.isel(entity=[0, 1, 2, 0]).assign_coords(entity=list("abcd")), seed=1)
    for score in ("f1", "fnr"):
        full = br.credible_ranking(posterior, score, rope=0.02, method="auto")
        one = exact_probability(full, "a is best")["probability"].item()
        assert (
            one
            == full["probability_best"].values[0]
            == exact_probability(full, "d is best")["probability"].item()
        )
        known = (
            "a in top 2",
            "not b is worst",
            "a < b",
            "a >= c",
            "a = d",
            "not a > b",
            "b > a",
            "a <= c",
            "c >= a",
        )
        for statement in known:
            found = exact_probability(full, statement)
            drawn = br.probability(posterior, statement, score, rope=0.02)
            assert found.attrs["statement"] == drawn.attrs["statement"]
            assert (
                found.attrs.items()
                >= {k: v for k, v in drawn.attrs.items() if k not in ("draws", "method")}.items()
            )
            assert (
                abs(found["probability"] - drawn["probability"]) < 5 * drawn["probability_error"]
            ), statement
            assert found["probability_error"] < 1e-6
        for statement in ("a > b > c", "a is best or b is best"):
            assert exact_probability(full, statement) is None
    # Claims on one of two superiorities have its error; equality has both.
    errors = full["superiority_error"].copy(data=np.arange(16.0).reshape(4, 4))
    for statement, error in (("a > b", 1), ("a >= b", 4), ("a = b", 1 + 4)):
        assert (
            exact_probability(full.assign(superiority_error=errors), statement)["probability_error"]
            == error
        )
    counts = br.from_counts(
        tn=[20, 19, 15], fp=[0, 1, 5], fn=[3, 2, 1], tp=[7, 8, 9], entity=["a", "b", "c"]
    )
    some = exact(counts, "lr+", model="beta_binomial", prior="haldane", force=True)
    for statement, p in (
        ("a is best", 0),
        ("a = b", 0),
        ("a >= b", 0),
        ("not a > b", 1),
        ("a in top 3", 0),
    ):
        found = exact_probability(some, statement)
        assert (found["probability"], found["undefined"]) == (p, 1)
    last = exact_probability(some, "b is worst")
    assert (last["probability"], last["undefined"]) == (some["rank_probability"].values[1, 1], 0)


def test_auto_is_of_draws_where_integrals_are_not_accurate_or_take_long(monkeypatch):
    posterior = br.fit(THREE, draws=500, seed=1)
    for score, better in (("optimized_precision", None), ("f1", False)):
        asked = {"score": score, "higher_is_better": better}
        one, other = (br.credible_ranking(posterior, **asked, method=m) for m in ("auto", "draws"))
        xr.testing.assert_identical(one, other)
    groups = groups_of(posterior)
    groups["posterior"] = groups["posterior"].assign(
        performance=groups["posterior"]["performance"].copy()
    )
    groups["posterior"]["performance"].values[:] = groups["posterior"]["performance"].values[
        ..., ::-1
    ]
    other = to_container(groups)
    assert br.credible_ranking(other, "f1", method="auto").attrs["method"] == "draws"
    # What chance does to a median is no replacement, however narrow the intervals.
    assert br.credible_ranking(posterior, "f1", prob=0.02, method="auto").attrs["method"] == "exact"
    # A prior that leaves next to all at the ends of the range, where quadrature does not tell.
    few = br.from_counts(tn=[3, 2], fp=[0, 0], fn=[0, 0], tp=[2, 2], entity=["a", "b"])
    faint = br.fit(few, "beta_binomial", prior=1e-3, seed=1)
    assert br.credible_ranking(faint, "informedness", method="auto").attrs["method"] == "draws"
    monkeypatch.setattr("bayesrank.ranking.without_draws.MOST_SECONDS", 0.07)
    assert br.credible_ranking(posterior, "mcc", method="auto").attrs["method"] == "draws"
    assert br.credible_ranking(posterior, "f1", method="auto").attrs["method"] == "exact"
    assert br.credible_ranking(posterior, "informedness", method="auto").attrs["method"] == "exact"


# Prevalences that are averaged over

OWN_TEST_SETS = THREE.assign_coords(test_set=("entity", list("xyz")))


@pytest.mark.parametrize(
    ("counts", "score"),
    [
        (THREE, "accuracy"),
        pytest.param(THREE, "mcc", marks=pytest.mark.slow),
        (THREE, "f1"),
        (OWN_TEST_SETS, "cohen_kappa"),
    ],
)
def test_more_prevalences_change_numbers_by_less_than_their_errors(counts, score, monkeypatch):
    ranking = exact(counts, score, rope=0.01)
    monkeypatch.setattr(_engine, "STEPS", ((38, 20), (40, 32)))
    monkeypatch.setattr(_engine, "enough", lambda *_: None)
    more = exact(counts, score, rope=0.01)
    for name in ("rank_probability", "superiority", "expected_rank", "expected_regret"):
        error = ranking[f"{name}_error"] + more[f"{name}_error"]
        assert (np.abs(ranking[name] - more[name]) <= error).all(), name
        assert float(error.max()) < 2e-6
    for name in ("lower", "median", "upper"):
        np.testing.assert_allclose(ranking[name], more[name], atol=1e-7)


@pytest.mark.parametrize("counts", [THREE, OWN_TEST_SETS])
def test_polynomials_in_the_prevalence_tell_what_fewer_prevalences_give(counts):
    plan = plan_of(br.scores.get("mcc"), closed_form_of(counts, None, {}))
    levels = np.array([0.025, 0.5, 0.975])
    few, more = (_engine._step(plan, sizes, levels, 0.0) for sizes in ((24, 5), (34, 13)))
    told, change = _engine._with_fewer(plan, more, (24, 5), 0.0)
    np.testing.assert_allclose(told.places, few.places, atol=1e-7)
    for one, other in zip(told.measures[:3], few.measures[:3], strict=True):
        np.testing.assert_allclose(one, other, atol=1e-8 + change)
    moved = np.abs(more.measures.rank - few.measures.rank).max()
    assert moved > 1e-11
    assert change <= 1e-5


# Nobody changes who is not concerned


def test_equal_counts_have_equal_numbers_beside_any_others():
    counts = THREE.isel(entity=[0, 1, 0, 2, 1]).assign_coords(entity=list("vwxyz"))
    apart = counts.assign_coords(test_set=("entity", list("vwxyz")))
    for model in ("beta_binomial", "dirichlet_multinomial"):
        for evidence in (counts, apart):
            ranking = exact(evidence, "accuracy", model=model)
            for a, b in (("v", "x"), ("w", "z")):
                for name in (
                    "rank_probability",
                    "expected_rank",
                    "expected_regret",
                    "median",
                    "lower",
                    "tier",
                ):
                    np.testing.assert_array_equal(
                        ranking[name].sel(entity=a), ranking[name].sel(entity=b)
                    )
                assert ranking["superiority"].sel(entity=a, rival=b) == pytest.approx(
                    0.5, abs=1e-12
                )


def test_one_who_cannot_win_changes_nothing():
    poor = br.from_counts(tn=1, fp=400, fn=300, tp=2, entity="poor")
    one = exact(THREE, "informedness", model="beta_binomial")
    two = exact(xr.concat([THREE, poor], "entity"), "informedness", model="beta_binomial")
    three = two.isel(entity=slice(3), rival=slice(3))
    for name in ("probability_best", "superiority", "expected_rank", "expected_regret"):
        error = one[f"{name}_error"] + three[f"{name}_error"]
        assert (np.abs(one[name] - three[name]) <= error).all()
    assert two["probability_best"].values[3] < 1e-12


@pytest.mark.slow
@settings(max_examples=6, deadline=None)
@given(
    two_class_counts(min_entities=1, max_entities=4),
    st.sampled_from(["informedness", "npv", "fnr", "diagnostic_odds_ratio"]),
    st.sampled_from(["uniform", "jeffreys", 0.2]),
)
def test_what_must_hold_of_any_counts(counts, score, prior):
    ranking = exact(counts, score, model="beta_binomial", prior=prior, force=True, prevalence=0.3)
    error = ranking["rank_probability_error"]
    defined = 1 - ranking["undefined"]
    assert defined.all()
    assert (np.abs(ranking["rank_probability"].sum("rank") - 1) <= error.sum("rank")).all()
    assert (np.abs(ranking["rank_probability"].sum("entity") - 1) <= error.sum("entity")).all()
    mean = (ranking["rank_probability"] * ranking["rank"]).sum("rank")
    np.testing.assert_allclose(mean, ranking["expected_rank"], atol=1e-6)
    superiority = ranking["superiority"].values
    np.testing.assert_allclose(superiority + superiority.T, 1 - np.eye(len(superiority)), atol=1e-9)
    assert (ranking["lower"] <= ranking["median"]).all()
    assert (ranking["median"] <= ranking["upper"]).all()


def above_in_steps(counts, faint):
    """P(Beta(n + e, m + e) > Beta(k + f, l + f)) for whole numbers (n, m, k, l) and (e, f): steps of 1 from a half.

    Cook, Exact calculation of Beta inequalities (2005): each adds B(a + c, b + d) / (B(a, b) B(c, d)) over what grows.
    """
    at, found = np.repeat(faint, 2), 0.5
    for k, sign in enumerate((1, -1, -1, 1)):
        for _ in range(counts[k]):
            a, b, c, d = at
            log = special.betaln(a + c, b + d) - special.betaln(a, b) - special.betaln(c, d)
            found += sign * np.exp(log) / at[k]
            at[k] += 1
    return found


@pytest.mark.parametrize("faint", [0.05, 1e-7])
def test_faultless_entities_under_a_faint_prior_are_separated(faint):
    """Next to all of Beta(n + e, e) lies so near to 1 that no number tells: its logit does, and draws would tie."""
    correct, wrong = np.array([10, 50, 45, 0, 3]), np.array([0, 0, 5, 4, 0])
    # Without much of a prior, some of more of it, and one of a usual one.
    each = faint * np.array([1, 1, 1, 1, 3])
    counts = br.from_frame(
        pd.DataFrame({"entity": list("abcde"), "correct": correct, "wrong": wrong})
    )
    prior = xr.DataArray(np.stack([each, each], axis=1), dims=("entity", "outcome"))
    ranking = exact(counts, "mean_outcome", prior=prior)
    betas, of = np.stack([correct + each, wrong + each], axis=1), np.stack([correct, wrong], axis=1)
    wanted = np.zeros((5, 5))
    for i, j in zip(*np.nonzero(1 - np.eye(5)), strict=True):
        wanted[i, j] = above_in_steps([*of[i], *of[j]], each[[i, j]])
    np.testing.assert_allclose(ranking["superiority"], wanted, atol=1e-9)
    expected = 1 + wanted.sum(axis=0)
    np.testing.assert_allclose(ranking["expected_rank"], expected, atol=1e-8)
    np.testing.assert_allclose(
        ranking["rank_probability"].values @ np.arange(1, 6), expected, atol=1e-8
    )
    for name, level in (("lower", 0.025), ("median", 0.5), ("upper", 0.975)):
        np.testing.assert_allclose(ranking[name], special.betaincinv(*betas.T, level), atol=1e-12)
    assert ranking["rank_probability_error"].max() < 1e-8
    assert not {"interval_missing", "quadrature_error"} & set(codes_in(ranking))
    # By more than a margin, too.
    margin = exact(counts, "mean_outcome", prior=prior, rope=0.02)["superiority"].sel(
        entity="a", rival="c"
    )
    x, y = (stats.beta(*betas[i]) for i in (0, 2))
    above = integrate.quad(
        lambda t: y.pdf(t) * x.sf(t + 0.02), 0, 0.98, epsabs=1e-13, points=[0.8, 0.9]
    )[0]
    assert margin.item() == pytest.approx(above, abs=1e-8)


@pytest.mark.parametrize(("score", "rate"), [("tpr", 1), ("tnr", 0), ("fnr", 1), ("fpr", 0)])
def test_a_rate_of_one_class_is_ranked_as_a_mean_of_right_and_wrong(score, rate):
    tables = np.array([[[30, 2], [0, 12]], [[40, 0], [0, 20]], [[32, 0], [5, 10]]])
    right, wrong = (
        np.diagonal(tables, axis1=1, axis2=2)[:, rate],
        tables[:, [0, 1], [1, 0]][:, rate],
    )
    one = exact(br.from_matrix(tables, "actual_rows"), score, model="beta_binomial", prior=0.01)
    outcomes = br.from_frame(
        pd.DataFrame({"entity": one["entity"], "correct": right, "wrong": wrong})
    )
    other = exact(outcomes, "mean_outcome", prior=0.01)
    for name in ("rank_probability", "superiority", "expected_regret"):
        np.testing.assert_allclose(one[name], other[name], atol=1e-9)
    median = one["median"] if score in ("tpr", "tnr") else 1 - one["median"]
    np.testing.assert_allclose(median, other["median"], atol=1e-9)


def logs_of_little(rng, little, rest, size):
    """Logarithms of the odds of a Beta variable, which may be too small for a number."""
    gamma = np.log(rng.standard_gamma(little + 1, size)) + np.log(rng.random(size)) / little
    return gamma - np.log(rng.standard_gamma(rest, size))


@pytest.mark.parametrize(
    "faint",
    [1e-3, pytest.param(0.02, marks=pytest.mark.slow), pytest.param(0.05, marks=pytest.mark.slow)],
)
@pytest.mark.parametrize(
    "score",
    [
        "diagnostic_odds_ratio", "positive_likelihood_ratio",
        pytest.param("negative_likelihood_ratio", marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_ratios_of_a_faultless_entity_have_their_quantiles_or_none(score, faint):
    counts = br.from_counts(
        tn=[80, 76], fp=[0, 4], fn=[0, 9], tp=[30, 21], entity=["faultless", "other"]
    )
    rng, size = np.random.default_rng(1), 100_000
    fpr, fnr = (logs_of_little(rng, faint, n + faint, size) for n in (80, 30))  # odds
    logs = {
        "diagnostic_odds_ratio": -fpr - fnr,
        "positive_likelihood_ratio": np.logaddexp(0, -fpr) - np.logaddexp(0, fnr),
        "negative_likelihood_ratio": np.logaddexp(0, fpr) - np.logaddexp(0, -fnr),
    }[score]
    ranking = exact(counts, score, model="beta_binomial", prior=faint)
    one, other = (ranking.sel(entity=name) for name in ranking["entity"].values)
    assert np.isfinite([other["lower"], other["median"], other["upper"]]).all()
    assert one["probability_best"] > 0.97
    far = np.abs(np.quantile(logs, [0.025, 0.975])).max()
    told = [np.isnan(one[name]) for name in ("lower", "median", "upper")]
    note = [one.fields for one in notes_in(ranking) if one.code == "interval_missing"] == [
        {"entities": 1}
    ]
    if far > 160:
        assert all(told)
        assert note
        return
    assert not any(told)
    assert not note
    levels = {"lower": 0.025, "median": 0.5, "upper": 0.975}
    if np.isfinite(one["observed"]):  # at the end of the range, where the interval is closed
        assert one["lower"] == one["observed"] == 0
        del levels["lower"]
    at = [(logs < np.log(float(one[name]))).mean() for name in levels]
    np.testing.assert_allclose(at, [*levels.values()], atol=4 * 0.5 / np.sqrt(size))


# Atoms, ties, scores without a value


def test_a_rate_that_is_certain_leaves_the_other():
    """Without a prior a perfect TPR is 1: informedness is then the TNR."""
    counts = br.from_counts(
        tn=[16, 14, 10], fp=[4, 6, 10], fn=[0, 0, 5], tp=[9, 7, 15], entity=["a", "b", "c"]
    )
    ranking = exact(counts, "informedness", model="beta_binomial", prior="haldane", force=True)
    assert ranking["superiority"].values[0, 1] == pytest.approx(beats(16, 4, 14, 6), abs=1e-10)
    np.testing.assert_allclose(
        ranking["lower"][:2],
        [stats.beta(16, 4).ppf(0.025), stats.beta(14, 6).ppf(0.025)],
        atol=1e-9,
    )


@pytest.mark.parametrize("model", ["beta_binomial", "dirichlet_multinomial"])
def test_values_that_are_certain_tie(model):
    """Two precisions are 1 for sure; two entities are perfect."""
    counts = br.from_counts(
        tn=[20, 20, 15], fp=[0, 0, 5], fn=[3, 2, 1], tp=[7, 8, 9], entity=["a", "b", "c"]
    )
    ranking = exact(counts, "ppv", model=model, prior="haldane", force=True)
    expected = [[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]]
    np.testing.assert_allclose(ranking["rank_probability"], expected, atol=1e-12)
    np.testing.assert_allclose(
        ranking["superiority"], [[0, 0, 1], [0, 0, 1], [0, 0, 0]], atol=1e-12
    )
    np.testing.assert_allclose(
        ranking["equivalence"], [[1, 1, 0], [1, 1, 0], [0, 0, 1]], atol=1e-12
    )
    np.testing.assert_array_equal(ranking["consensus_rank"], [1, 1, 3])
    np.testing.assert_array_equal(ranking["median"][:2], [1, 1])
    assert ranking["expected_regret"].values[:2].tolist() == [0, 0]
    assert ranking["expected_regret"].values[2] > 0.1
    alone = exact(counts.isel(entity=slice(2)), "ppv", model=model, prior="haldane", force=True)
    np.testing.assert_allclose(alone["rank_probability"], np.full((2, 2), 0.5), atol=1e-13)
    np.testing.assert_array_equal(alone["lower"], [1, 1])


@pytest.mark.slow
def test_a_certain_end_of_the_range_is_above_all_that_come_near_to_it():
    """Yule's Q is 1 where TPR is; of few cases much is so near to 1 that no number tells it apart."""
    counts = br.from_counts(
        tn=[20, 3, 2], fp=[3, 0, 0], fn=[0, 0, 1], tp=[7, 3, 2], entity=["a", "b", "c"]
    )

    def ranking_with(prior):
        return exact(
            counts,
            "yule_q",
            model="beta_binomial",
            prior={"a": 0, "b": prior, "c": prior},
            force=True,
        )

    ranking = ranking_with(0.2)
    np.testing.assert_allclose(ranking["rank_probability"][0], [1, 0, 0], atol=1e-9)
    error = ranking["rank_probability_error"].sum("entity")
    assert (np.abs(ranking["rank_probability"].sum("entity") - 1) <= error).all()
    assert ranking["probability_best_error"].max() > 1e-6  # what cannot be told is in the error
    with pytest.raises(ValueError, match=r"got an error of 0\.02: a concentration near 0"):
        ranking_with(0.1)


def test_a_value_that_depends_on_the_prevalence_alone_needs_one_test_set():
    """Always positive, for sure: the accuracy is the prevalence."""
    one = br.from_counts(
        tn=[0, 0, 8], fp=[10, 10, 2], fn=[0, 0, 3], tp=[12, 12, 9], entity=["a", "b", "c"]
    )
    ranking = exact(one, "accuracy", prior="haldane", force=True)
    np.testing.assert_allclose(ranking["rank_probability"][0], ranking["rank_probability"][1])
    assert ranking["equivalence"].values[0, 1] == pytest.approx(1)
    # Given π, c is better if (1 - π) TNR + π TPR > π.
    rng = np.random.default_rng(5)
    tnr, tpr, share = rng.beta(8, 2, 400_000), rng.beta(9, 3, 400_000), rng.beta(12, 10, 400_000)
    seen = ((1 - share) * tnr + share * tpr > share).mean()
    assert ranking["superiority"].values[2, 0] == pytest.approx(
        seen, abs=5 * 0.5 / np.sqrt(400_000)
    )
    two = br.from_counts(
        tn=[0, 0, 8], fp=[10, 11, 2], fn=[0, 0, 3], tp=[12, 12, 9], entity=["a", "b", "c"]
    )
    with pytest.raises(
        ValueError, match="source must not contain scores that are one value at one prevalence"
    ):
        exact(two, "accuracy", prior="haldane", force=True)


def test_what_has_no_value_is_not_ranked():
    counts = br.from_counts(
        tn=[20, 19, 15], fp=[0, 1, 5], fn=[3, 2, 1], tp=[7, 8, 9], entity=["a", "b", "c"]
    )
    ranking = exact(counts, "lr+", model="beta_binomial", prior="haldane", force=True)
    draws = br.credible_ranking(
        br.fit(counts, "beta_binomial", prior="haldane", force=True, draws=100, seed=1), "lr+"
    )
    np.testing.assert_array_equal(ranking["undefined"], [1, 0, 0])
    for name in (
        "consensus_rank",
        "tier",
        "expected_rank",
        "median",
        "superiority",
        "equivalence",
        "rank_lower",
    ):
        np.testing.assert_array_equal(np.isnan(ranking[name]), np.isnan(draws[name]))
    assert ranking["rank_probability"].sum().item() == pytest.approx(2)
    assert not ranking["in_best_set"].values[0]
    assert br.ranking_table(ranking).index[-1] == "a"
    assert br.notes(ranking)[-1] == "Not ranked: a has no defined positive likelihood ratio."
    assert ranking["expected_regret"].isnull().all()  # a mean that may be infinite
    nobody = exact(
        counts.isel(entity=[0]), "lr+", model="beta_binomial", prior="haldane", force=True
    )
    assert br.verdict(nobody) == [
        "Nothing to rank: no entity has a defined positive likelihood ratio."
    ]


def test_pairs_that_were_not_measured():
    ranking = exact(INCOMPLETE, "f1")
    assert ranking.sizes["dataset"] == 2
    np.testing.assert_array_equal(ranking["undefined"].sel(dataset="y"), [0, 1])
    alone = exact(INCOMPLETE.sel(dataset="x", drop=True).drop_vars("measured"), "f1")
    np.testing.assert_allclose(
        ranking["superiority"].sel(dataset="x"), alone["superiority"], atol=1e-13
    )
    draws = br.credible_ranking(br.fit(INCOMPLETE, seed=1), "f1")
    assert set(ranking["median"].dims) == set(draws["median"].dims)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_class_that_is_not_there(share):
    ranking = exact(THREE, "informedness", model="beta_binomial", prevalence=share)
    assert (ranking["undefined"] == 1).all()
    # Scores that are then one number for everybody tie.
    for score in ["kappa", "ppv", "npv", "markedness"] + ["f1"] * (share == 0):
        ranking = exact(THREE, score, model="beta_binomial", prevalence=share)
        np.testing.assert_allclose(ranking["rank_probability"], np.full((3, 3), 1 / 3), atol=1e-13)
        assert (ranking["equivalence"] == 1).all()
    accuracy = exact(THREE, "accuracy", model="beta_binomial", prevalence=share)
    rate = exact(THREE, "tpr" if share else "tnr", model="beta_binomial")
    np.testing.assert_allclose(accuracy["rank_probability"], rate["rank_probability"], atol=1e-10)


@pytest.mark.parametrize("model", ["dirichlet_multinomial", "beta_binomial"])
def test_a_class_that_the_score_does_not_need_may_be_empty_for_some(model):
    counts = br.from_counts(tn=[9, 5], fp=[2, 5], fn=[0, 3], tp=[0, 4], entity=["a", "b"])
    ranking = exact(counts, "tnr", model=model, prior="haldane")
    expected = special.betaincinv([9, 5], [2, 5], 0.5)
    np.testing.assert_allclose(ranking["median"], expected, atol=1e-9)


# Sources


@pytest.mark.parametrize(
    ("model", "options"),
    [
        ("dirichlet_multinomial", {"prior": "jeffreys"}),
        ("dirichlet_multinomial", {"prior": "uniform"}),
        ("dirichlet_multinomial", {"prevalence": "observed", "prior": {"a": 1, "b": 2, "c": 0.5}}),
        ("beta_binomial", {"prevalence": 1 / 7}),
        (
            "beta_binomial",
            {
                "prevalence": xr.DataArray(
                    [0.1, 0.2, 1 / 3], {"entity": ["a", "b", "c"]}, ["entity"]
                )
            },
        ),
    ],
)
def test_a_posterior_knows_its_counts_and_prior(model, options):
    counts = (
        THREE.assign_coords(test_set=("entity", ["one", "one", "two"]))
        if options == {"prior": "uniform"}
        else THREE
    )
    posterior = br.fit(counts, model, draws=3, chains=1, seed=1, **options)
    told = exact(posterior, "accuracy")
    plain = exact(counts, "accuracy", model=model, **options)
    for name in ("rank_probability", "superiority", "median", "observed"):
        np.testing.assert_allclose(told[name], plain[name], atol=1e-13)
    assert codes_in(told) == codes_in(plain)


def test_groups_are_ranked_one_by_one():
    """Each group has the exact ranking of its own counts; the default model learns from all, and has no closed form."""
    cells = {
        "tn": [40, 30, 45, 33],
        "fp": [5, 15, 5, 12],
        "fn": [4, 9, 8, 3],
        "tp": [50, 40, 41, 47],
    }
    counts = br.from_counts(**cells, entity=list("aabb"), group=list("xyxy"))
    how = {"method": "exact", "model": "dirichlet_multinomial"}
    posterior = br.fit(counts, "dirichlet_multinomial", draws=10, chains=1, seed=1)
    for ranking in (
        br.credible_ranking(counts, "tpr", **how),
        br.credible_ranking(posterior, "tpr", method="exact"),
    ):
        for i, name in enumerate("xy"):
            own = br.from_counts(
                **{cell: held[i::2] for cell, held in cells.items()}, entity=list("ab")
            )
            alone = br.credible_ranking(own, "tpr", **how)
            for variable in ("median", "lower", "probability_best", "expected_rank"):
                np.testing.assert_allclose(
                    ranking[variable].sel(group=name), alone[variable], rtol=1e-9
                )
    with pytest.raises(br.ArgumentError, match="in closed form; HierarchicalBetaBinomial has none"):
        br.credible_ranking(counts, "tpr", method="exact")


def test_what_has_no_closed_form_is_refused():
    posterior = br.fit(THREE, draws=3, chains=1, seed=1)
    joint = br.joint_outcomes([0, 1, 0, 1], {"a": [0, 1, 1, 1], "b": [0, 0, 0, 1]})
    paired = br.fit(joint, "paired", draws=3, chains=1, seed=1)
    draws = xr.DataArray([[0.1, 0.2]], dims=("chain", "draw"))
    bare = to_container({"posterior": groups_of(posterior)["posterior"]})
    three = br.from_matrix(np.full((2, 3, 3), 5), "actual_rows")
    refused = [
        (THREE, "optimized_precision", {}, "score must be monotone in TPR and in TNR"),
        (
            THREE,
            lambda tn, fp, fn, tp: tp * fp,
            {},
            "score must be monotone in TPR and in TNR",
        ),
        (THREE, "f1", {"prevalence": draws}, "prevalence must be one number for each table"),
        (
            paired,
            "accuracy",
            {},
            "source must be a posterior that br.fit made of counts with a conjugate model",
        ),
        (
            bare,
            "accuracy",
            {},
            "source must be a posterior that br.fit made of counts with a conjugate model",
        ),
        (
            br.fit(THREE, prevalence=draws, draws=2, chains=1),
            "f1",
            {},
            "source must not rest on draws of a prevalence",
        ),
        (three, "accuracy", {}, "source must have two classes for a closed form"),
    ]
    for source, score, options, words in refused:
        with pytest.raises(NoClosedForm, match=f"^{words}"):
            exact(source, score, **options)


# Words, tables, pictures


def test_words_say_nothing_of_draws():
    ranking = exact(
        THREE.isel(entity=[0, 1, 1]).assign_coords(entity=["a", "b", "c"]), "informedness"
    )
    assert not [name for name in ranking if "simultaneous" in str(name) or "effective" in str(name)]
    table = br.ranking_table(ranking)
    assert table.index.tolist() == ["b", "c", "a"]
    sentences = br.verdict(ranking)
    assert sentences[0].startswith(
        "b and c are ahead (39% chance of being best each), but integrals alone cannot rule out"
    )
    assert not [s for s in sentences[1:] if "draw" in s or "Monte" in s]
    ax = br.plots.forest(ranking)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["b", "c", "a"]
    sure = exact(
        br.from_counts(tn=[900, 1], fp=[1, 900], fn=[1, 900], tp=[900, 1], entity=["a", "b"]),
        "informedness",
    )
    loss = "If you pick a, expect to lose less than 0.000001 in informedness (Youden's J) against the true best."
    assert br.verdict(sure)[1] == loss


def test_what_was_observed_lies_inside_or_is_said_to_lie_outside():
    counts = br.from_counts(tn=[95, 1], fp=[5, 0], fn=[4, 0], tp=[96, 1], entity=["a", "b"])
    ranking = exact(counts, "informedness", prior=200)
    assert ranking["contradicted"].values.tolist() == [True, False]  # b is at the end of the range
    assert br.verdict(ranking)[-1].startswith(
        "The observed informedness (Youden's J) of a is outside its 95% interval"
    )
    assert not exact(counts, "informedness")["contradicted"].any()


# Boards of 10 to 10 million cases, equal and far apart, against closed forms and other routes

LEVELS = [0.025, 0.5, 0.975]


def ends(ranking):
    return np.stack([ranking[name].values for name in ("lower", "median", "upper")], axis=1)


def board(rng, cases, entities, apart):
    """Entities on one test set whose rates are nearly equal, or far apart."""
    negative = int(cases * rng.uniform(0.3, 0.8))
    spread = 0.15 if apart else 0.3 / np.sqrt(cases)
    fpr, fnr = (
        np.clip(rng.uniform(0.1, 0.4) + spread * rng.standard_normal(entities), 0.005, 0.9)
        for _ in range(2)
    )
    fp, fn = rng.binomial(negative, fpr), rng.binomial(cases - negative, fnr)
    names = [f"e{i}" for i in range(entities)]
    return br.from_counts(tn=negative - fp, fp=fp, fn=fn, tp=cases - negative - fn, entity=names)


def cells(counts):
    return counts.transpose("entity", "actual", "predicted").values.reshape(-1, 4).T + 1.0


def far_off(counts, score, ranking, shares, size=2_001):
    """By how much the cdfs of single posteriors, by brute force, miss the levels at the ends found, if not closed."""
    score, tables = br.scores.get(score), cells(counts).T
    found = [
        [
            np.mean(
                [probability_below(score, v, (tp, fn), (tn, fp), share, size) for share in shares]
            )
            for v in values
        ]
        for (tn, fp, fn, tp), values in zip(tables, ends(ranking), strict=True)
    ]
    closed = np.isin(np.array(ends(ranking)), score.range)
    return np.where(closed, 0.0, np.abs(np.array(found) - LEVELS)).max()


#: Boards of a size on one test set or apart; the quick run has the ends and the middle.
BOARDS = [(10, False), (10_000_000, True)]


def boards(*sizes):
    each = [(cases, apart) for cases in sizes for apart in (False, True)]
    return [pytest.param(*one, marks=[pytest.mark.slow] * (one not in BOARDS)) for one in each]


@pytest.mark.parametrize(("cases", "apart"), boards(10, 100, 1_000, 20_000, 160_000, 10_000_000))
def test_intervals_are_those_of_single_entities(cases, apart):
    counts = board(np.random.default_rng([cases, apart]), cases, 3, apart)
    # The accuracy of a uniform Dirichlet is a Beta.
    tn, fp, fn, tp = cells(counts)
    wanted = stats.beta(tn + tp, fp + fn).ppf(np.array(LEVELS)[:, None]).T
    wanted[:, 2] = np.where(fp + fn - 2 <= 1, 1.0, wanted[:, 2])  # closed with at most one error
    found = ends(exact(counts, "accuracy", prior="uniform"))
    assert (np.abs(found - wanted) < 5e-6 * (wanted[:, 2:] - wanted[:, :1])).all()
    for score in ("f1", *(["informedness"] if 10 < cases < 1e6 else [])):
        ranking = exact(counts, score, model="beta_binomial", prior="uniform")
        share = (fn + tp - 2)[0] / ((fn + tp - 2) + (tn + fp - 2))[0]
        assert far_off(counts, score, ranking, [share]) < 1e-5, score
        assert ranking["rank_probability_error"].max() < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("cases", [100, 40_000])
def test_mcc_of_a_sampled_prevalence_has_its_own_intervals(cases):
    counts = board(np.random.default_rng(cases), cases, 2, True)
    tn, fp, fn, tp = cells(counts)[:, 0]
    shares = stats.beta(fn + tp, tn + fp).ppf((np.arange(60) + 0.5) / 60)
    found = exact(counts, "mcc", prior="uniform")
    assert far_off(counts, "mcc", found, shares, 501) < 1e-4


QUICK = [("f1", "sampled"), ("mcc", "observed"), ("negative_likelihood_ratio", 0.2)]
SCORES = [
    pytest.param(score, share, marks=[pytest.mark.slow] * ((score, share) not in QUICK))
    for score in (
        "accuracy",
        "informedness",
        "f1",
        "mcc",
        "markedness",
        "negative_likelihood_ratio",
    )
    for share in ("sampled", "observed", 0.2)
]


@pytest.mark.parametrize(("cases", "apart"), boards(10, 20_000, 10_000_000))
@pytest.mark.parametrize(("score", "prevalence"), SCORES)
def test_probabilities_agree_with_draws(score, prevalence, cases, apart):
    """Of boards whose order is open: 50,000 draws of NumPy's Betas, one prevalence for all."""
    rng = np.random.default_rng([cases, apart, len(score)])
    counts, draws = board(rng, cases, 4, apart), 50_000
    tn, fp, fn, tp = cells(counts)
    tnr, tpr = rng.beta(tn, fp, (draws, 4)), rng.beta(tp, fn, (draws, 4))
    positives = counts[0, 1].sum().item() / counts[0].sum().item()
    share = {
        "sampled": rng.beta((fn + tp)[0], (tn + fp)[0], (draws, 1)),
        "observed": positives,
    }.get(prevalence, 0.2)
    score = br.scores.get(score)
    values = score.of_cells(
        (1 - share) * tnr, (1 - share) * (1 - tnr), share * (1 - tpr), share * tpr
    )
    values = values if score.higher_is_better else -values
    places = np.argsort(np.argsort(-values, axis=1), axis=1)
    ranking = exact(counts, score, prevalence=prevalence, prior="uniform")
    for r in range(4):
        p = ranking["rank_probability"].values[:, r]
        seen = (places == r).mean(axis=0)
        # 4.9 standard errors; one more draw where hardly any is expected.
        np.testing.assert_array_less(
            np.abs(seen - p), 4.9 * np.sqrt(p * (1 - p) / draws) + 12 / draws
        )
    for j in range(3):
        seen, p = (values[:, j] > values[:, j + 1]).mean(), ranking["superiority"].values[j, j + 1]
        assert abs(seen - p) < 4.9 * np.sqrt(p * (1 - p) / draws) + 12 / draws
    if not score.finite_mean:
        return
    mean = values.max(axis=1, keepdims=True) - values
    error = 4.9 * mean.std(axis=0) / np.sqrt(draws) + 1e-7
    np.testing.assert_array_less(
        np.abs(mean.mean(axis=0) - ranking["expected_regret"].values), error
    )


def test_the_order_of_entities_changes_nothing():
    """Not a digit, in 3 boards, whatever is ranked: verdicts included."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        counts = board(rng, int(rng.choice([60, 300, 20_000])), 3, bool(seed % 2))
        score, model = (("informedness", "beta_binomial"), ("f1", None), ("mcc", "beta_binomial"))[
            seed % 3
        ]
        order = rng.permutation(counts.sizes["entity"])
        one, other = (
            exact(table, score, model=model) for table in (counts, counts.isel(entity=order))
        )
        back = np.argsort(order)
        assert one.identical(other.isel(entity=back, rival=back))
        assert br.verdict(one) == br.verdict(other)


def test_a_score_whose_contour_is_wrong_is_refused():
    """The self-check: another route sees what a wrong contour would make of the distributions."""
    wrong = replace(br.scores.informedness, name="wrong", contour=br.scores.get("lr+").contour)
    assert wrong.contour is not None
    with pytest.raises(ValueError, match="two routes"):
        exact(THREE, wrong, model="beta_binomial")


@pytest.mark.parametrize(("replaced", "same"), [(0.0, True), (0.02, True), (0.08, False)])
def test_draws_with_another_median_are_no_draws_of_the_posterior(replaced, same):
    """Of 10,000 draws a share differs from a half by 0.03 in six standard errors."""
    values = np.sort(np.random.default_rng(1).normal(size=10_000))
    moved = np.concatenate(
        [values[: int(replaced * 10_000)] + 10, values[int(replaced * 10_000) :]]
    )
    draws = xr.DataArray(moved[:, None], dims=("draw", "entity"))
    assert _are_draws_of(draws, xr.DataArray([np.median(values)], dims="entity")) == same


def test_all_wrong_answers_are_no_contradiction():
    """Any posterior lies on one side of the score of all wrong answers, whatever the prior."""
    wrong = [[[0, 3, 3], [3, 0, 3], [3, 3, 0]], [[1, 3, 2], [3, 0, 3], [3, 3, 0]]]
    ranking = br.credible_ranking(
        br.fit(br.from_matrix(wrong, "actual_rows"), prior=5, seed=1), "accuracy"
    )
    assert ranking["lower"].values[0] == 0  # closed at the observed value
    assert ranking["observed"].values[1] < ranking["lower"].values[1]
    assert ranking["contradicted"].values.tolist() == [False, True]


def test_an_exact_ranking_that_takes_minutes_says_so_before_it_begins(monkeypatch):
    def begin(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(without_draws, "answer", begin)
    cells = np.random.default_rng(0).integers(20, 90, (4, 1000))
    names = [f"m{i}" for i in range(1000)]
    counts = br.from_counts(**dict(zip(("tn", "fp", "fn", "tp"), cells, strict=True)), entity=names)
    how = {"method": "exact", "model": "dirichlet_multinomial"}
    with (
        pytest.warns(UserWarning, match="1,000 entities takes about .* minutes"),
        pytest.raises(ZeroDivisionError),
    ):
        br.credible_ranking(counts, "mcc", **how)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ZeroDivisionError):
            br.credible_ranking(counts[:50], "mcc", **how)
