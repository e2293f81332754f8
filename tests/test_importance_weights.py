"""Weights multiply the random mass of a case and are no counts: known posteriors, invariances, effective numbers."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats
from sklearn import metrics
from sklearn.utils.class_weight import compute_sample_weight

import bayesrank as br
from bayesrank._core.notes import notes_of
from bayesrank.evidence.weighting import (
    check_numbers_of_cases,
    effective_cases,
    prior_weights,
    scale_weights,
)
from tests.strategies import LEVEL
from tests.told import fields_of

RNG = np.random.default_rng(11)
#: 3,000 rows, 95 of them positive; the entity finds about 40% of them.
TRUTH = np.repeat([1, 0], [95, 2905])
GUESS = {"a": np.where(TRUTH == 1, np.arange(3000) % 5 < 2, np.arange(3000) % 20 == 0).astype(int)}
GUESS["b"] = np.roll(GUESS["a"], 7)
MODELS = {
    "dirichlet_multinomial": br.from_predictions,
    "beta_binomial": br.from_predictions,
    "paired": br.joint_outcomes,
}
#: Draws of one fit; the error of a mean is at most the posterior deviation / 90.
DRAWS = {"draws": 8000, "chains": 1, "seed": 1}


def draws_of(evidence, model, score, entity="a", **options):
    return score(br.fit(evidence, model, **DRAWS, **options)).sel(entity=entity).values.ravel()


def right_or_wrong(right, size, weight=None):
    return br.from_outcomes(
        pd.DataFrame({"a": np.repeat([1, 0], [right, size - right])}), weight=weight
    )


# --- Known posteriors ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("of_negatives", [0.1, 10.0])
def test_weights_of_negatives_do_not_change_recall(model, of_negatives):
    weight = np.where(TRUTH == 1, 1.0, of_negatives)
    plain, weighted = (MODELS[model](TRUTH, GUESS, weight=w) for w in (None, weight))
    draws = [
        draws_of(evidence, model, br.scores.tpr, prior="jeffreys") for evidence in (plain, weighted)
    ]
    # Beta(x + 1/2, n - x + 1/2), whatever the negatives count.
    right = int(GUESS["a"][:95].sum())
    for held in draws:
        assert stats.kstest(held, stats.beta(right + 0.5, 95 - right + 0.5).cdf).pvalue > LEVEL


def test_recall_of_positives_of_one_weight_is_known_in_closed_form():
    weight = np.where(TRUTH == 1, 1.0, 0.1)
    counts = br.from_predictions(TRUTH, GUESS, weight=weight)
    right = int(GUESS["a"][:95].sum())
    found = br.score_posterior(counts, "tpr", model="beta_binomial", prior="jeffreys")
    np.testing.assert_allclose(
        found.quantile([0.025, 0.975]).sel(entity="a"),
        stats.beta(right + 0.5, 95.5 - right).ppf([0.025, 0.975]),
    )
    with pytest.raises(
        br.ArgumentError, match="weight must be equal for a posterior in closed form"
    ):
        br.score_posterior(counts, "tpr")


@pytest.mark.parametrize("model", ["paired", "dirichlet_multinomial"])
def test_the_variance_of_a_mean_is_that_of_the_weighted_bootstrap(model):
    """Weights that depend on the outcome: Σ w² (x - μ)² / (Σ w)² to first order."""
    right = RNG.random(2000) < 0.7
    weight = np.where(right, RNG.gamma(2.0, 0.5, 2000), RNG.gamma(2.0, 2.0, 2000))
    evidence = br.from_outcomes(pd.DataFrame({"a": right.astype(int)}), weight=weight)
    mean = np.average(right, weights=weight)
    deviation = np.sqrt((weight**2 * (right - mean) ** 2).sum()) / weight.sum()
    draws = draws_of(evidence, model, lambda posterior: posterior["posterior"]["mean_outcome"])
    assert draws.mean() == pytest.approx(mean, abs=0.004)
    # The deviation of 8,000 draws has an error of 0.8%.
    assert draws.std() == pytest.approx(deviation, rel=0.04)


def test_tables_have_the_variance_of_the_weighted_bootstrap_for_every_score():
    """Tables of weights that depend on class and answer, beside the bootstrap of their cases."""
    truth = RNG.random(1500) < 0.4
    guess = np.where(RNG.random(1500) < np.where(truth, 0.6, 0.9), truth, ~truth)
    weight = (
        RNG.gamma(2.0, 1.0, 1500) * np.where(guess == truth, 1.0, 3.0) * np.where(truth, 1.0, 2.0)
    )
    counts = br.from_predictions(truth, {"a": guess}, weight=weight)
    mass = RNG.standard_exponential((4000, 1500)) * weight
    for name, score in (
        ("accuracy", br.scores.accuracy),
        ("f1", br.scores.f1),
        ("tpr", br.scores.tpr),
    ):
        tp, fp, fn = (
            (mass * part).sum(1) for part in (truth & guess, ~truth & guess, truth & ~guess)
        )
        known = {
            "accuracy": 1 - (fp + fn) / mass.sum(1),
            "f1": 2 * tp / (2 * tp + fp + fn),
            "tpr": tp / (tp + fn),
        }
        draws = draws_of(counts, "dirichlet_multinomial", score, prior=0.01)
        assert draws.std() == pytest.approx(known[name].std(), rel=0.06)
        assert draws.mean() == pytest.approx(known[name].mean(), abs=0.2 * known[name].std())


def test_clusters_keep_the_weights_of_their_cases():
    """Survey weights in clusters: the linearised variance of a ratio, summed over clusters."""
    cluster = np.repeat(np.arange(300), 4)
    rate = RNG.beta(2, 1, 300)[cluster]
    right = (RNG.random(1200) < rate).astype(int)
    weight = RNG.gamma(2.0, 1.0, 300)[cluster] * RNG.gamma(9.0, 1.0, 1200)
    evidence = br.from_outcomes(pd.DataFrame({"a": right}), weight=weight, cluster=cluster)
    mean = np.average(right, weights=weight)
    sums = np.bincount(cluster, weight * (right - mean))
    draws = draws_of(
        evidence,
        "paired",
        lambda posterior: posterior["posterior"]["mean_outcome"],
        prior="haldane",
    )
    assert draws.std() == pytest.approx(np.sqrt(np.square(sums).sum()) / weight.sum(), rel=0.04)


# --- What weights do not do ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["paired", "dirichlet_multinomial"])
@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_the_prior_weighs_as_the_cases_do(model, scale):
    """Eight of ten, and twenty more cases of weight 0: no scale of the weights moves the estimate."""
    weight = np.repeat([scale, 0.0], [10, 20])
    frame = pd.DataFrame({"a": [1] * 8 + [0] * 2 + [1] * 20})
    evidence = br.from_outcomes(frame, weight=weight)
    draws = draws_of(
        evidence, model, lambda posterior: posterior["posterior"]["mean_outcome"], prior="jeffreys"
    )
    assert stats.kstest(draws, stats.beta(8.5, 2.5).cdf).pvalue > LEVEL


@pytest.mark.parametrize("model", MODELS)
def test_the_prior_of_a_class_has_the_weight_of_its_cases(model):
    """Eight of ten positives of weight 0.01 beside 1,000 negatives of weight 1: Beta(8.5, 2.5)."""
    truth, guess = np.repeat([1, 1, 0], [8, 2, 1000]), np.repeat([1, 0, 0], [8, 2, 1000])
    evidence = MODELS[model](truth, {"a": guess}, weight=np.where(truth == 1, 0.01, 1.0))
    draws = draws_of(evidence, model, br.scores.tpr, prior="jeffreys")
    assert draws.mean() == pytest.approx(8.5 / 11, abs=0.006)
    assert stats.kstest(draws, stats.beta(8.5, 2.5).cdf).pvalue > LEVEL


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("factor", [4.0, 7.3, 1e-9])
def test_a_common_factor_changes_nothing(model, factor):
    weight = RNG.gamma(2.0, 1.0, 3000)
    one, other = (MODELS[model](TRUTH, GUESS, weight=w) for w in (weight, factor * weight))
    xr.testing.assert_allclose(one, other, rtol=1e-6)
    draws = [
        br.scores.f1(br.fit(each, model, draws=200, chains=1, seed=1)) for each in (one, other)
    ]
    np.testing.assert_allclose(*draws, rtol=1e-4)


@pytest.mark.parametrize("model", MODELS)
def test_whole_weights_are_no_counts(model):
    """Two equal test sets, and one with weights of 2: only cases narrow an interval."""
    weight = np.where(np.arange(3000) % 2, 2, 4)
    doubled, plain = (MODELS[model](TRUTH, GUESS, weight=w) for w in (2 * weight, weight))
    xr.testing.assert_identical(doubled, plain)
    counted = MODELS[model](TRUTH, GUESS, count=weight)
    spread = [draws_of(evidence, model, br.scores.tpr).std() for evidence in (plain, counted)]
    assert spread[0] > 1.5 * spread[1]


@pytest.mark.parametrize("model", MODELS)
def test_cases_without_weight_are_absent(model):
    weight = np.where(np.arange(3000) % 3, RNG.gamma(2.0, 1.0, 3000), 0.0)
    kept = weight > 0
    whole = MODELS[model](TRUTH, GUESS, weight=weight)
    part = MODELS[model](
        TRUTH[kept], {name: held[kept] for name, held in GUESS.items()}, weight=weight[kept]
    )
    xr.testing.assert_identical(whole, part)


# --- Strata of weights, and classes made equal --------------------------------------------------------------------


def test_few_weights_have_a_prior_each():
    weight = np.repeat([100.0, 1.0, 7.0], [10, 1000, 4])
    classes = np.repeat([0, 0, 1], [10, 1000, 4])
    number = weight.copy()
    np.testing.assert_allclose(prior_weights(number, weight, classes, 3), [[1, 7, 1], [100, 0, 0]])
    # Cases of one weight that are too few for a stratum share a prior with the others.
    np.testing.assert_allclose(
        prior_weights(number, weight, np.zeros(1014, int), 1), [[(weight**2).sum() / weight.sum()]]
    )
    many = RNG.gamma(2.0, 1.0, 50)
    np.testing.assert_allclose(
        prior_weights(many, many, np.zeros(50, int), 1), [[(many**2).sum() / many.sum()]]
    )


def test_strata_of_weights_in_closed_form():
    """Ten cases of weight 100, all right, and 1,000 of weight 1: each stratum is a Dirichlet of its own."""
    frame = pd.DataFrame({"a": np.repeat([1, 1, 0], [10, 950, 50])})
    evidence = br.from_outcomes(frame, weight=np.repeat([100.0, 1.0], [10, 1000]))
    draws = draws_of(
        evidence,
        "paired",
        lambda posterior: posterior["posterior"]["mean_outcome"],
        prior="jeffreys",
    )
    right = 100 * RNG.standard_gamma(10.5, 20000) + RNG.standard_gamma(950.5, 20000)
    wrong = 100 * RNG.standard_gamma(0.5, 20000) + RNG.standard_gamma(50.5, 20000)
    assert stats.ks_2samp(draws, right / (right + wrong)).pvalue > LEVEL


@pytest.mark.parametrize("maker", ["from_predictions", "joint_outcomes"])
def test_balanced_weights_fix_the_prevalence(maker):
    truth = np.repeat([1, 0], [40, 960])
    guess = {"a": np.where(np.arange(1000) % 10 < 8, truth, 1 - truth)}
    weight = compute_sample_weight("balanced", truth)
    evidence = getattr(br, maker)(truth, guess, weight=weight)
    assert "weights_balance_classes" in [note.code for note in notes_of(evidence.attrs["notes"])]
    posterior = br.fit(evidence, **DRAWS, prior="jeffreys")
    performance = br.as_performance(posterior).sum("predicted")
    np.testing.assert_allclose(performance, 0.5)
    # Balanced accuracy is the mean of two independent rates.
    x = [int((guess["a"][truth == c] == c).sum()) for c in (0, 1)]
    rates = [stats.beta(k + 0.5, n - k + 0.5) for k, n in zip(x, (960, 40), strict=True)]
    draws = br.scores.accuracy(posterior).values.ravel()
    assert draws.mean() == pytest.approx(sum(rate.mean() for rate in rates) / 2, abs=0.002)
    assert draws.std() == pytest.approx(np.sqrt(sum(rate.var() for rate in rates)) / 2, rel=0.05)
    # Weights of a survey leave the prevalence random.
    survey = getattr(br, maker)(truth, guess, weight=np.where(truth == 1, 3.0, 1.0))
    assert br.as_performance(br.fit(survey, **DRAWS)).sum("predicted").std() > 0.01


# --- Effective numbers --------------------------------------------------------------------------------------------


def test_effective_numbers_are_those_of_a_class():
    weight = np.where(TRUTH == 1, 1.0, RNG.gamma(1.0, 1.0, 3000))
    counts = br.from_predictions(TRUTH, GUESS, weight=weight)
    found = effective_cases(counts, "predicted").sel(entity="a")
    own = weight[TRUTH == 0]
    np.testing.assert_allclose(found, [own.sum() ** 2 / (own**2).sum(), 95], rtol=1e-6)


def test_a_class_of_few_cases_is_thin_whatever_it_weighs():
    truth, guess = np.repeat([1, 0], [6, 500]), np.repeat([1, 0], [6, 500])
    evidence = br.joint_outcomes(
        truth, {"a": guess, "b": guess[::-1]}, weight=np.where(truth == 1, 50.0, 1.0)
    )
    ranking = br.credible_ranking(br.fit(evidence, draws=500, seed=1), "tpr")
    assert fields_of(ranking, "few_cases_of_class")["fewest"] == 6
    assert any("a has 6 of '1'" in sentence for sentence in br.notes(ranking))


def test_one_case_of_a_great_weight_counts_little():
    numbers = check_numbers_of_cases(None, [100.0] + [1.0] * 100, 101)
    assert scale_weights(numbers, None).number.sum() == pytest.approx(
        200**2 / (100**2 + 100), rel=1e-6
    )


# --- scikit-learn -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["balanced", "gamma"])
@pytest.mark.parametrize("maker", ["from_predictions", "joint_outcomes"])
def test_point_values_are_those_of_scikit_learn(kind, maker):
    truth = RNG.choice(3, 400, p=[0.6, 0.3, 0.1])
    guess = np.where(RNG.random(400) < 0.7, truth, RNG.integers(0, 3, 400))
    weight = (
        RNG.gamma(1.0, 1.0, 400) if kind == "gamma" else compute_sample_weight("balanced", truth)
    )
    evidence = getattr(br, maker)(truth, {"a": guess, "b": guess[::-1]}, weight=weight)
    posterior = br.fit(evidence, draws=50, seed=1)
    expected = {
        "accuracy": metrics.accuracy_score(truth, guess, sample_weight=weight),
        "macro_f1": metrics.f1_score(truth, guess, sample_weight=weight, average="macro"),
        "balanced_accuracy": metrics.balanced_accuracy_score(truth, guess, sample_weight=weight),
        "kappa": metrics.cohen_kappa_score(truth, guess, sample_weight=weight),
        "mcc": metrics.matthews_corrcoef(truth, guess, sample_weight=weight),
    }
    for name, value in expected.items():
        ranking = br.credible_ranking(posterior, name)
        assert ranking["observed"].sel(entity="a").item() == pytest.approx(value, abs=1e-6)


def test_areas_and_losses_are_those_of_scikit_learn():
    truth = RNG.integers(0, 2, 300)
    p = np.clip(0.3 * truth + RNG.random(300) * 0.7, 0.01, 0.99)
    weight = RNG.gamma(1.0, 1.0, 300)
    evidence = br.from_probabilities(truth, {"a": p, "b": p[::-1]}, positive=1, weight=weight)
    observed = br.fit(evidence, draws=50, seed=1)["observed_data"].sel(entity="a")
    expected = {
        "auc_roc": metrics.roc_auc_score(truth, p, sample_weight=weight),
        "average_precision": metrics.average_precision_score(truth, p, sample_weight=weight),
        "brier": metrics.brier_score_loss(truth, p, sample_weight=weight),
        "log_loss": metrics.log_loss(truth, p, sample_weight=weight),
    }
    for name, value in expected.items():
        assert observed[name].item() == pytest.approx(value, abs=1e-6)


# --- Predicted probabilities --------------------------------------------------------------------------------------


def test_losses_have_the_variance_of_the_weighted_bootstrap():
    truth = RNG.integers(0, 2, 800)
    p = np.clip(0.3 * truth + RNG.random(800) * 0.7, 0.01, 0.99)
    weight = RNG.gamma(1.0, 1.0, 800) * np.where(truth == 1, 1.0, 4.0)
    evidence = br.from_probabilities(truth, {"a": p}, positive=1, weight=weight)
    loss = (p - truth) ** 2
    mean = np.average(loss, weights=weight)
    draws = draws_of(evidence, None, lambda posterior: posterior["posterior"]["brier"])
    assert draws.std() == pytest.approx(
        np.sqrt((weight**2 * (loss - mean) ** 2).sum()) / weight.sum(), rel=0.04
    )


@pytest.mark.slow
def test_weights_of_negatives_do_not_change_what_positives_say_of_an_area():
    """Few positives, many negatives: the weights of the negatives leave the spread of the area as it is."""
    truth = np.repeat([1, 0], [40, 4000])
    p = np.where(truth == 1, RNG.beta(4, 2, 4040), RNG.beta(2, 4, 4040))
    spreads = []
    for of_negatives in (0.1, 1.0, 10.0):
        weight = np.where(truth == 1, 1.0, of_negatives)
        evidence = br.from_probabilities(truth, {"a": p}, positive=1, weight=weight)
        draws = draws_of(evidence, None, lambda posterior: posterior["posterior"]["auc_roc"])
        spreads.append(draws.std())
    np.testing.assert_allclose(spreads, spreads[1], rtol=0.04)


def test_case_weights_multiply_the_weights_of_the_evidence():
    right = np.repeat([1, 0], [700, 300])
    weight = np.where(right == 1, RNG.gamma(2.0, 1.0, 1000), RNG.gamma(2.0, 3.0, 1000))
    joint = br.from_outcomes(pd.DataFrame({"a": right}), weight=weight)
    drawn = br.case_weights(joint, draws=4000, chains=1, seed=1)
    share = (drawn * joint["outcome"].sel(entity="a")).sum("pattern") / drawn.sum("pattern")
    mean = np.average(right, weights=weight)
    assert float(share.std()) == pytest.approx(
        np.sqrt((weight**2 * (right - mean) ** 2).sum()) / weight.sum(), rel=0.05
    )


@pytest.mark.parametrize("maker", ["from_predictions", "joint_outcomes"])
def test_weighted_evidence_has_a_sensitivity_analysis_and_no_predictions(maker):
    evidence = getattr(br, maker)(TRUTH, GUESS, weight=RNG.gamma(2.0, 1.0, 3000))
    found = br.sensitivity(evidence, "f1", seed=1, draws=50, alternatives=["priors"])
    assert found.sizes["alternative"] > 1
    if maker == "from_predictions":
        with pytest.raises(br.ArgumentError, match="whole numbers of cases for predictions"):
            br.fit(evidence, draws=50, seed=1, groups=["posterior_predictive"])
