"""Heterogeneity and shrinkage: what they say is what the draws hold, and what simulated worlds were made of."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats

import bayesrank as br
from tests.strategies import right_of

MODEL = "hierarchical_beta_binomial"
DRAWS = ["chain", "draw"]


def world(entities, sets, cases, mean=8.0, rest=2.0, seed=1):
    """True rates of right answers, and counts (entity, dataset, outcome) of as many cases each."""
    rng = np.random.default_rng(seed)
    rates = rng.beta(mean, rest, (entities, sets))
    return rates, right_of(rng.binomial(cases, rates), cases)


@pytest.fixture(scope="module")
def many():
    """Eighty entities of eight data sets of thirty cases."""
    rates, counts = world(80, 8, 30)
    return rates, counts, br.fit(counts, MODEL, seed=1, draws=500, chains=2)


@pytest.mark.slow
def test_standard_deviations_of_the_true_rates_are_covered(many):
    rates, _, fit = many
    found = br.heterogeneity(fit, "mean_outcome", prob=0.9)
    truth = rates.std(1, ddof=1)
    held = (found["between_sd_lower"].values <= truth) & (truth <= found["between_sd_upper"].values)
    assert 0.9 - 3 * 0.034 < held.mean() <= 1
    assert abs(found["between_sd"].values.mean() - truth.mean()) < 0.02
    # One more data set lies in the prediction interval: in 0.86 to 0.88 at this spread, which the prior expects less.
    ends = stats.beta(8, 2).cdf([found["new_lower"].values, found["new_upper"].values])
    assert 0.83 < (ends[1] - ends[0]).mean() < 0.93
    assert (
        found["new_upper"] - found["new_lower"] > found["typical_upper"] - found["typical_lower"]
    ).all()


def test_what_a_mean_over_cases_has_in_closed_form(many):
    """The sampling variance of a share is θ(1 - θ)/n; a new rate varies around the mean by m(1 - m)s²."""
    _, _, fit = many
    found = br.heterogeneity(fit, "mean_outcome")
    post = fit["posterior"]
    rate = post["performance"].sel(outcome=1, drop=True)
    v = (rate * (1 - rate) / 30).mean([*DRAWS, "dataset"])
    # 400 replicates of eight squares, each with a standard deviation of some 1.4 times its mean.
    np.testing.assert_allclose(found["sampling_sd"] ** 2, v, rtol=5 * 1.5 / np.sqrt(3200))
    mean = post["mean_rate"].sel(outcome=1, drop=True)
    wanted = np.sqrt((mean * (1 - mean) * post["spread"] ** 2).mean(DRAWS))
    np.testing.assert_allclose(found["new_sd"], wanted, rtol=0.15)
    sd = rate.std("dataset", ddof=1)
    np.testing.assert_allclose(found["between_sd"], sd.median(DRAWS), rtol=1e-12)
    share = sd**2 / (sd**2 + found["sampling_sd"] ** 2)
    np.testing.assert_allclose(found["share_upper"], share.quantile(0.975, DRAWS), rtol=1e-12)
    np.testing.assert_allclose(found["typical_lower"], mean.quantile(0.025, DRAWS), rtol=1e-12)


def test_many_cases_leave_nothing_to_sampling_and_equal_rates_are_all_sampling():
    rates, counts = world(2, 5, 10**7)
    found = br.heterogeneity(br.fit(counts, MODEL, seed=1, draws=200), "mean_outcome")
    np.testing.assert_allclose(found["between_sd"], rates.std(1, ddof=1), rtol=0.01)
    assert (found["share_lower"] > 0.999).all()
    _, counts = world(2, 30, 40, mean=8e6, rest=2e6)
    found = br.heterogeneity(br.fit(counts, MODEL, seed=1, draws=200), "mean_outcome")
    assert (found["share"] < 0.4).all()
    assert (found["between_sd"] < 0.05).all()
    np.testing.assert_allclose(found["sampling_sd"], np.sqrt(0.16 / 40), rtol=0.1)


STUDIES = br.from_counts(
    tn=[45, 38, 90, 27, 60, 44, 95, 20], fp=[5, 12, 10, 3, 40, 6, 5, 10], fn=[4, 9, 2, 3, 1, 12, 6, 2],
    tp=[16, 11, 28, 7, 19, 8, 24, 8], entity=["A"] * 4 + ["B"] * 4, dataset=["Oslo", "Rome", "Lima", "Kyiv"] * 2,
)  # fmt: skip


@pytest.fixture(scope="module")
def studies():
    return br.fit(STUDIES, MODEL, seed=1)


def test_data_sets_without_an_observed_score_have_no_sampling_error():
    """Where no positive was met, a replicate would meet one by chance, and its TPR be 0 or 1: rare, and enormous."""
    none = br.from_counts(tn=[300], fp=[10], fn=[0], tp=[0], entity=["A"], dataset=["Bonn"])
    counts = xr.concat([STUDIES.sel(entity=["A"]), none], "dataset")
    fit = br.fit(counts, MODEL, seed=1)
    found, performance = br.heterogeneity(fit, "tpr"), fit["posterior"]["performance"]
    performance = performance.isel(actual=1, drop=True)
    told = performance.isel(predicted=1, drop=True) / performance.sum("predicted")
    met = STUDIES.sel(entity="A").sum("predicted").isel(actual=1, drop=True)
    v = (
        (told * (1 - told) / met).mean([*DRAWS, "dataset"]).sel(entity="A")
    )  # Bonn has no place in ``met``
    # Numbers of positives, ten to thirty, vary from replicate to replicate, which adds some 5% to the variance.
    np.testing.assert_allclose(
        found["sampling_sd"].sel(entity="A") ** 2, v, rtol=0.05 + 5 * 1.5 / np.sqrt(1600)
    )
    assert found["datasets"].item() == 5


def test_predictions_at_a_given_prevalence():
    """Observed scores are then of that prevalence, too: a sampling error of PPV, not of the study's class sizes."""
    fit = br.fit(STUDIES, MODEL, prevalence=0.9, seed=1)
    given, rate = br.heterogeneity(fit, "accuracy"), fit["posterior"]["performance"]
    p, n = rate.sum("predicted"), STUDIES.sum("predicted")
    told = rate / p
    v = sum((p**2 * told * (1 - told) / n).isel(actual=c, predicted=c, drop=True) for c in (0, 1))
    np.testing.assert_allclose(
        given["sampling_sd"] ** 2, v.mean([*DRAWS, "dataset"]), rtol=5 * 1.5 / np.sqrt(1600)
    )
    shares = xr.DataArray(np.full((4, 1000), 0.9), dims=("chain", "draw"))
    drawn = br.heterogeneity(br.fit(STUDIES, MODEL, prevalence=shares, seed=1), "accuracy")
    assert drawn["share"].isnull().all()
    assert drawn["between_sd"].notnull().all()


def test_no_order_and_no_other_entity_changes_a_number(studies):
    found = br.heterogeneity(studies, "f1")
    moved = STUDIES.isel(entity=[1, 0], dataset=[2, 0, 3, 1])
    other = br.heterogeneity(br.fit(moved, MODEL, seed=1), "f1")
    for name in found:
        np.testing.assert_allclose(
            found[name], other[name].sel(entity=["A", "B"]), rtol=1e-9, err_msg=str(name)
        )


def test_of_fewer_than_two_data_sets_nothing_is_known():
    counts = STUDIES.copy()
    counts.loc[{"entity": "B", "dataset": ["Rome", "Lima", "Kyiv"]}] = 0
    counts["measured"].loc[{"entity": "B", "dataset": ["Rome", "Lima", "Kyiv"]}] = False
    fit = br.fit(counts, MODEL, seed=1, draws=200)
    found = br.heterogeneity(fit, "tpr")
    assert found["datasets"].values.tolist() == [4, 1]
    assert found[["between_sd", "share"]].to_dataarray().sel(entity="B").isnull().all()
    assert found[["typical", "new"]].to_dataarray().sel(entity="B").notnull().all()
    assert (
        br.notes(found)[0]
        == "Differences between data sets are unknown with fewer than two data sets: B."
    )
    shrunk = br.comparisons.shrinkage(fit, "tpr")
    assert shrunk["median"].sel(entity="B").notnull().sum() == 1
    assert shrunk["cases"].sel(entity="B", dataset="Lima") == 0
    br.plots.shrinkage(fit, "tpr")


def test_a_posterior_without_counts_has_no_sampling_error(studies):
    post = studies["posterior"]
    post = post.to_dataset() if hasattr(post, "to_dataset") else post
    found = br.heterogeneity(post, "tpr")
    assert found["share"].isnull().all()
    np.testing.assert_allclose(
        found["between_sd"], br.heterogeneity(studies, "tpr")["between_sd"], rtol=1e-12
    )
    assert not any("variance" in line for line in br.notes(found))
    assert br.comparisons.shrinkage(post, "tpr")["observed"].isnull().all()


# --- Shrinkage ------------------------------------------------------------------------------------------------------


def test_shrinkage_holds_what_was_observed_and_what_is_known(studies):
    found = br.comparisons.shrinkage(studies, "f1", prob=0.9)
    xr.testing.assert_allclose(found["observed"], br.scores.f1(STUDIES).reset_coords(drop=True))
    draws = br.scores.f1(studies, kind="observed")
    np.testing.assert_allclose(found["median"], draws.median(DRAWS).transpose("entity", "dataset"))
    np.testing.assert_allclose(
        found["upper"], draws.quantile(0.95, DRAWS).transpose("entity", "dataset")
    )
    np.testing.assert_allclose(
        found["typical"], br.scores.f1(studies, kind="typical").median(DRAWS)
    )
    np.testing.assert_allclose(
        found["new_lower"], br.scores.f1(studies, kind="new").quantile(0.05, DRAWS)
    )
    assert (found["cases"] == STUDIES.sum(["actual", "predicted"])).all()
    assert ((found["lower"] <= found["observed"]) & (found["observed"] <= found["upper"])).all()
    inner = abs(found["median"] - found["typical"]) < abs(found["observed"] - found["typical"])
    assert inner.where(abs(found["observed"] - found["typical"]) > 0.1, True).all()


def test_entities_are_a_population_of_their_own():
    frame = pd.DataFrame(
        {"entity": ["new", *"ABCD"], "correct": [5, 455, 441, 88, 83], "wrong": [0, 45, 59, 12, 17]}
    )
    board = br.fit(br.from_frame(frame), MODEL, seed=1)
    found = br.comparisons.shrinkage(board, "mean_outcome")
    assert found["median"].dims == ("entity",)
    np.testing.assert_allclose(
        found["typical"], board["posterior"]["mean_outcome"].mean("entity").median()
    )
    assert found["new_lower"].isnull()
    new = found.sel(entity="new")
    assert float(new["observed"]) == 1
    assert float(found["typical"]) < float(new["median"]) < 0.95


def test_the_picture_shows_the_numbers(studies):
    found = br.comparisons.shrinkage(studies, "f1")
    axes = br.plots.shrinkage(studies, "f1")
    order = (
        found["median"]
        .sel(entity="A")
        .sortby(-found["median"].sel(entity="A"))["dataset"]
        .values.tolist()
    )
    assert [label.get_text() for label in axes[0].get_yticklabels()] == order
    assert [ax.get_title() for ax in axes] == ["A", "B"]
    b = found.sel(entity="B", dataset=order)
    circles = axes[1].collections[-1]
    np.testing.assert_allclose(circles.get_offsets()[:, 0], b["observed"])
    areas = circles.get_sizes()
    np.testing.assert_allclose(areas / areas.max(), b["cases"] / b["cases"].max())
    line = next(x for x in axes[1].lines if x.get_label() == "typical data set")
    assert line.get_xdata()[0] == pytest.approx(float(b["typical"]))
