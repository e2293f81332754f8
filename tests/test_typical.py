"""The typical data set of near-perfect entities: coverage, observed values beside it, and what few data sets allow."""

from itertools import combinations_with_replacement
from math import factorial

import numpy as np
import pytest
from scipy import stats

import bayesrank as br
from bayesrank._core.source import groups_of
from bayesrank.models import model_of
from bayesrank.models.parts.population import SPREAD, learn, log_prior_of_spread
from bayesrank.ranking.evidence import evidence_of
from bayesrank.ranking.values import score_values
from tests.strategies import right_of
from tests.told import codes_in, fields_of

MODEL = "hierarchical_beta_binomial"
UNIT = np.array([0.5, 0.5])


@pytest.fixture(scope="module")
def near_perfect():
    return br.fit(right_of([[200, 199, 200, 198, 200], [160] * 5], 200), MODEL, seed=1)


def test_near_perfect_data_sets_have_a_near_perfect_typical_rate(near_perfect):
    mean, _ = learn(np.array([200, 199, 200, 198, 200]), np.full(5, 200), UNIT).draw(
        np.random.default_rng(1), 400_000
    )
    assert np.quantile(mean, 0.025) > 0.93
    assert (
        br.credible_ranking(near_perfect, "mean_outcome")["superiority"].sel(entity=0, rival=1)
        > 0.99
    )
    # A new data set after perfect ones is no coin.
    mean, spread = learn(np.full(5, 20), np.full(5, 20), UNIT).draw(
        np.random.default_rng(1), 100_000
    )
    kappa = np.minimum(1 / spread**2 - 1, 1e12)
    assert (
        np.quantile(np.random.default_rng(2).beta(mean * kappa, (1 - mean) * kappa), 0.025) > 0.85
    )


@pytest.mark.parametrize(("mean", "sd"), [(0.99, 0.0), (0.95, 0.0), (0.99, 0.02)], ids=str)
def test_coverage_of_the_typical_rate_on_three_data_sets(mean, sd):
    """By enumeration of what three data sets of 20 cases show; boards of a probability below 0.1% are left out."""
    kappa = mean * (1 - mean) / sd**2 - 1 if sd else np.inf
    one = stats.betabinom(20, mean * kappa, (1 - mean) * kappa) if sd else stats.binom(20, mean)
    p = one.pmf(np.arange(21))
    rng, held, known = np.random.default_rng(1), 0.0, 0.0
    for board in combinations_with_replacement(range(21), 3):
        times = factorial(3) / np.prod([factorial(board.count(x)) for x in set(board)])
        chance = float(times * p[list(board)].prod())
        if chance < 1e-3:
            continue
        draws = learn(np.array(board), np.full(3, 20), UNIT).draw(rng, 4000)[0]
        low, high = np.quantile(draws, [0.025, 0.975])
        known, held = known + chance, held + chance * (low <= mean <= high)
    assert known > 0.95
    assert held / known > 0.93


@pytest.mark.parametrize("scale", [0.01, SPREAD, 3.0])
def test_the_prior_of_the_spread_is_a_half_student_t(scale):
    spread = np.array([1e-6, 0.01, 0.2, 0.7, 0.999])
    odds = spread / np.sqrt(1 - spread**2)
    wanted = 2 * stats.t(3, scale=scale).pdf(odds) * (1 - spread**2) ** -1.5
    np.testing.assert_allclose(np.exp(log_prior_of_spread(spread, scale)), wanted, rtol=1e-9)


def test_without_a_spread_the_mean_is_that_of_the_pool():
    """As its scale goes to 0 all data sets have one rate, whose posterior is a Beta."""
    mean, _ = learn(np.array([18, 3, 9]), np.array([20, 5, 10]), UNIT, 1e-4).draw(
        np.random.default_rng(1), 20_000
    )
    assert stats.kstest(mean, stats.beta(30.5, 5.5).cdf).pvalue > 1e-3


def test_the_scale_of_the_spread_is_an_option_that_a_posterior_remembers():
    counts = right_of([[20, 12, 17, 15]], 20)
    narrow, wide = (br.fit(counts, MODEL, seed=1, spread=scale) for scale in (0.02, 1.0))
    assert narrow["posterior"]["spread"].median() < 0.1 < wide["posterior"]["spread"].median()
    assert model_of(groups_of(narrow))[0].spread == 0.02


# --- What was observed of a typical data set ------------------------------------------------------------------------


def test_the_observed_value_of_a_typical_data_set_is_the_mean_over_data_sets(near_perfect):
    typical, new = (
        br.credible_ranking(near_perfect, "mean_outcome", kind=kind) for kind in ("typical", "new")
    )
    np.testing.assert_allclose(typical["observed"], [0.997, 0.8])
    assert new["observed"].isnull().all()
    assert typical.attrs["typical"] == "mean"
    assert (typical.attrs["kind"], new.attrs["kind"]) == ("typical", "new")


def test_the_observed_table_has_mean_rates_and_mean_shares():
    """TNR 0.9 and 0.5, TPR 0.8 and 0.6; a third of the first test set is positive, and half of the second.

    The first test set counts once, although two entities met it.
    """
    counts = br.from_counts(
        tn=[18, 5, 10],
        fp=[2, 5, 10],
        fn=[2, 4, 5],
        tp=[8, 6, 5],
        entity=list("aab"),
        dataset=list("xyx"),
    )
    fit = br.fit(counts, MODEL, seed=1, draws=50)
    share = (1 / 3 + 1 / 2) / 2
    wanted = {"tnr": 0.7, "tpr": 0.7, "ppv": 0.7 * share / (0.7 * share + 0.3 * (1 - share))}
    for name, value in wanted.items():
        assert float(br.credible_ranking(fit, name)["observed"][0]) == pytest.approx(value)


def test_an_observed_value_outside_its_interval_is_found_for_a_typical_data_set():
    counts = right_of([[19] * 5], 20)
    strong = br.credible_ranking(br.fit(counts, MODEL, seed=1, prior=[900, 100]), "mean_outcome")
    assert bool(strong["contradicted"][0])
    assert not br.credible_ranking(br.fit(counts, MODEL, seed=1), "mean_outcome")[
        "contradicted"
    ].any()
    # The mean over data sets is outside of the interval, the rate of the pool within: the model weighs as the pool.
    tiny = right_of([[950, 951, 949, 0]], np.array([1000, 1000, 1000, 1]))
    ranking = br.credible_ranking(br.fit(tiny, MODEL, seed=1), "mean_outcome")
    assert float(ranking["observed"][0]) < float(ranking["lower"][0])
    assert not bool(ranking["contradicted"][0])


# --- A prior that is split over data sets of few cases ---------------------------------------------------------------


@pytest.mark.parametrize(("datasets", "said"), [(5, True), (10, False)])
def test_few_data_sets_are_a_caveat(datasets, said):
    fit = br.fit(right_of([[15] * datasets], 20), MODEL, seed=1, draws=50)
    for kind in ("typical", "new", "observed"):
        found = score_values(fit, "mean_outcome", None, kind)
        notes = evidence_of(fit, found.variable, found.values, kind).notes(None)
        few = [note.fields for note in notes if note.code == "few_datasets"]
        expected = {"datasets": datasets, "kind": kind, "enough": 10, "unit": "data set"}
        assert few == [expected] * (said and kind != "observed")


@pytest.mark.parametrize(("cases", "percent"), [(2, 42), (3, 29), (30, None)])
def test_a_split_prior_on_few_cases_warns_of_the_variance_that_it_loses(cases, percent):
    """The share of the standard error that is left is sqrt((n - 1) / (n + 1))."""
    counts = right_of([[cases - 1] * 30], cases)
    mean = br.performance.mean_over_datasets(br.fit(counts, seed=1, draws=50, split_prior=True))
    ranking = br.credible_ranking(mean, "mean_outcome")
    if percent is None:
        assert "variance_lost" not in codes_in(ranking)
        return
    lost = fields_of(ranking, "variance_lost")
    assert (lost["cases"], round(lost["percent"])) == (cases, percent)


def test_the_observed_score_of_a_typical_data_set_knows_the_positive_class():
    """Counts whose labels do not say which class is positive, but whose coord does, as those with plain labels."""
    named = br.datasets.load("utah_trees")
    plain = named.drop_vars("positive").assign_coords(
        actual=["negative", "positive"], predicted=["negative", "positive"]
    )
    found = []
    for counts in (named, plain):
        posterior = br.fit(counts, MODEL, draws=100, chains=2, seed=1)
        values = score_values(posterior, "f1", None, "typical")
        found.append(evidence_of(posterior, None, values.values, "typical").observed(values.score))
    assert found[0].notnull().all()
    np.testing.assert_array_equal(found[0], found[1])
