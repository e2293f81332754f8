"""What the prior implies on a score, in words: of one prior one sentence, of different ones who differs."""

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import bayesrank as br
from bayesrank._core.source import groups_of
from bayesrank.ranking.without_draws import prior_quantiles
from bayesrank.report import ranking_report
from bayesrank.report.words import implied_prior, prior_scores

LEVELS = np.array([0.025, 0.5, 0.975])


@pytest.mark.parametrize("entities", [1, 3, 108])
def test_one_prior_is_stated_once_for_all_entities_that_have_it(entities):
    """Informedness is the sum of two uniforms less 1: a triangle, with its 2.5% quantile at sqrt(0.05) - 1."""
    counts = br.from_counts(
        tn=[70] * entities, fp=[10] * entities, fn=[6] * entities, tp=[24] * entities
    )
    posterior = br.fit(counts, "beta_binomial", prior="uniform", seed=1, groups=["prior"])
    words = implied_prior(prior_scores(posterior, br.scores.informedness), 0.95)
    assert " up to " not in words
    middle, low, high = (float(w.strip(",")) for w in np.array(words.split())[[1, 4, 6]])
    # An estimated tail of n draws is off by sqrt(0.025 * 0.975 / n) in probability; the density there is sqrt(0.05).
    error = 5 * np.sqrt(0.025 * 0.975 / (4000 * entities)) / np.sqrt(0.05) + 0.0005
    assert abs(low - (np.sqrt(0.05) - 1)) < error
    assert abs(high - (1 - np.sqrt(0.05))) < error
    assert abs(middle) < 5 * 0.5 / np.sqrt(4000 * entities) + 0.0005


def test_nothing_is_said_of_what_is_not_there():
    assert implied_prior(None, 0.95) is None
    assert (
        implied_prior(
            xr.DataArray(np.full((1, 4, 1), np.nan), dims=("chain", "draw", "entity")), 0.95
        )
        is None
    )


def test_a_prior_in_closed_form_has_its_own_quantiles_in_every_output():
    """The accuracy of a uniform Dirichlet is a Beta(2, 2); informedness is a triangle."""
    counts = br.from_counts(tn=[70, 60], fp=[10, 20], fn=[6, 6], tp=[24, 24])
    posterior = br.fit(counts, "dirichlet_multinomial", prior="uniform", seed=1, groups=["prior"])
    exact = prior_quantiles(posterior, "accuracy", LEVELS)
    np.testing.assert_allclose(exact, [stats.beta(2, 2).ppf(LEVELS)] * 2, atol=1e-6)
    exact = prior_quantiles(posterior, "informedness", LEVELS)
    np.testing.assert_allclose(exact, [[np.sqrt(0.05) - 1, 0, 1 - np.sqrt(0.05)]] * 2, atol=1e-6)
    words = implied_prior(prior_scores(posterior, br.scores.accuracy), 0.95, posterior, "accuracy")
    assert words == "median 0.500, 95% interval 0.094 to 0.906"
    assert words in ranking_report(posterior, "accuracy")


def test_a_prior_that_averages_over_prevalences_has_the_quantiles_of_draws():
    posterior = br.fit(br.from_counts(tn=[70], fp=[10], fn=[6], tp=[24]), seed=1, draws=20)
    found = prior_quantiles(posterior, "mcc", LEVELS).values[0]
    before = groups_of(
        br.fit(
            br.from_counts(tn=[70], fp=[10], fn=[6], tp=[24]),
            seed=2,
            draws=20_000,
            groups=["prior"],
        )
    )
    drawn = br.scores.mcc(before["prior"]["performance"]).values
    below = [np.nanmean(drawn < end) for end in found]
    np.testing.assert_array_less(
        np.abs(below - LEVELS), 4.5 * np.sqrt(LEVELS * (1 - LEVELS) / drawn.size)
    )


def test_different_priors_are_distinguished():
    counts = br.from_counts(
        tn=[70, 70], fp=[10, 10], fn=[6, 6], tp=[24, 24], entity=["doubter", "believer"]
    )
    prior = {"doubter": 1, "believer": np.array([[9, 1], [1, 9]])}
    posterior = br.fit(counts, "beta_binomial", seed=1, groups=["prior"], prior=prior)
    drawn = implied_prior(prior_scores(posterior, br.scores.informedness), 0.95)
    assert [part.split()[-1] for part in drawn.split(" up to a ")] == ["(doubter)", "(believer)"]
    words = implied_prior(prior_scores(posterior, br.scores.tpr), 0.95, posterior, "tpr")
    low, middle, high = stats.beta(9, 1).ppf(LEVELS)
    assert words == (
        "median 0.500, 95% interval 0.025 to 0.975 (doubter) up to a "
        f"median {middle:.3f}, 95% interval {low:.3f} to {high:.3f} (believer)"
    )
