"""Both generations of ArviZ work on what a fit gives: summaries, leaving out, predictive checks, power-scaling."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats

import bayesrank as br
from bayesrank._core.compat import import_arviz
from bayesrank._core.source import groups_of
from bayesrank.models import names
from tests.strategies import INCOMPLETE, PERIODS

pytestmark = pytest.mark.filterwarnings("ignore")
az = import_arviz()
MODERN = int(az.__version__.split(".")[0]) >= 1
EVIDENCE = {
    "whole": PERIODS,
    "incomplete": INCOMPLETE,
    "described": br.datasets.load("antibody_tests").isel(entity=slice(0, 3)),
}


def fit(model, evidence, **options):
    if model == "paired":
        evidence = br.datasets.load_joint("langchain_tool_use")
    elif model == "hierarchical_classes":
        evidence = br.pool(br.datasets.load("mnist_folds")) // 100
    elif model == "normal_means":
        evidence = br.from_frame(
            pd.DataFrame({"entity": ["a", "b"], "mean": [0.6, 0.5], "se": [0.1, 0.2]})
        )
    elif model == "correlated_folds":
        evidence = br.from_folds(
            pd.DataFrame({"a": [0.6, 0.5, 0.7], "b": [0.6, 0.7, 0.8]}), train=9, test=1
        )
    elif model == "latent_class":
        evidence = br.datasets.load_joint("tuberculosis_tests")
    elif model == "bayesian_bootstrap":
        evidence = br.from_probabilities(
            [0, 1, 1, 0] * 5, {"a": [0.1, 0.8, 0.6, 0.4] * 5, "b": [0.3, 0.6, 0.7, 0.5] * 5}
        )
    elif model == "partial_truth":
        evidence = br.joint_outcomes([0, 1, None] * 4, {"a": [0, 1, 1] * 4, "b": [0, 0, 1] * 4})
    elif model == "retrained":
        frame = pd.DataFrame(
            {"a": [1, 0, 1, 1] * 3, "b": [0, 1, 1, 0] * 3, "case": [*range(4)] * 3}
        )
        evidence = br.from_outcomes(
            frame.assign(seed=sorted([1, 2, 3] * 4)), case="case", training_seed="seed"
        )
    elif model == "davidson":
        votes = pd.DataFrame(
            {"left": ["x", "x", "y"], "right": ["y", "y", "x"], "winner": ["x", "tie", "y"]}
        )
        evidence = br.from_votes(votes, a="left", b="right", winner="winner")
    return br.fit(evidence, model, draws=60, seed=1, **options)


@pytest.mark.parametrize(
    ("model", "evidence"),
    [
        *((name, "incomplete") for name in names()),
        ("beta_binomial", "whole"),
        ("beta_binomial", "described"),
    ],
)
def test_fits_can_be_summarised(model, evidence):
    table = az.summary(fit(model, EVIDENCE[evidence]))
    assert len(table) > 1
    assert np.isfinite(table["mean"].astype(float)).any()


def test_coords_that_describe_entities_are_with_the_data():
    posterior = fit("beta_binomial", EVIDENCE["described"])
    groups = groups_of(posterior)
    assert "panel" not in groups["posterior"].coords
    assert "panel" in groups["observed_data"].coords
    assert "panel" in br.as_performance(posterior).coords


@pytest.mark.parametrize(
    ("model", "evidence"),
    [
        ("hierarchical_beta_binomial", "whole"),
        ("dirichlet_multinomial", "incomplete"),
        ("hierarchical_beta_binomial", "incomplete"),
        ("hierarchical_logit_normal", "incomplete"),
    ],
)
def test_the_measured_tables_are_left_out_and_predicted(model, evidence):
    posterior = fit(model, EVIDENCE[evidence], groups=["log_likelihood", "posterior_predictive"])
    if evidence == "incomplete":
        assert groups_of(posterior)["log_likelihood"]["counts"].sizes["table"] == 3
    found = az.loo(posterior, var_name="counts")
    assert np.isfinite(found.elpd if MODERN else found.elpd_loo)
    if evidence == "whole":
        az.plot_ppc_dist(posterior) if MODERN else az.plot_ppc(posterior, num_pp_samples=5)


@pytest.mark.parametrize("model", ["dirichlet_multinomial", "beta_binomial"])
def test_the_log_prior_to_a_power_scales_the_concentrations(model):
    """With twice the log prior, weights turn the posterior of Beta(1/2 + n) into that of Beta(1 + n)."""
    counts = br.from_counts(tn=70, fp=10, fn=9, tp=21)
    posterior = br.fit(counts, model, draws=10_000, seed=1, groups=["log_prior"])
    log = groups_of(posterior)["log_prior"]
    tpr = br.scores.tpr(posterior).isel(entity=0)
    weight = np.exp(log["rate"].isel(entity=0).sel(actual="positive"))
    mean = float((tpr * weight).sum() / weight.sum())
    assert mean == pytest.approx((21 + 1) / (30 + 2), abs=4 * float(tpr.std()) / np.sqrt(20_000))
    assert ("prevalence" in log) == (model == "dirichlet_multinomial")


def test_power_scaling_finds_its_groups():
    posterior = br.fit(
        PERIODS,
        "hierarchical_logit_normal",
        draws=250,
        seed=1,
        groups=["log_prior", "log_likelihood"],
    )
    names = {"median_rate", "spread_of_difficulty", "spread_of_deviations"}
    assert set(groups_of(posterior)["log_prior"]) == names
    for name in ("log_prior", "log_likelihood"):
        assert np.isfinite(groups_of(posterior)[name].to_array()).all(), name
    if MODERN:
        prior = {"prior_var_names": ["spread_of_deviations"], "likelihood_var_names": "counts"}
        assert len(az.psense_summary(posterior, var_names=["median_rate"], **prior)) > 0


def test_log_priors_of_a_population_are_closed_forms():
    """Differences between draws: Beta means over their log odds, and half-Student-t spreads by change of variables."""
    groups = groups_of(
        fit("hierarchical_beta_binomial", EVIDENCE["incomplete"], groups=["log_prior"])
    )
    post, found = groups["posterior"], groups["log_prior"]
    prior = groups["constant_data"]["prior_concentration"].isel(dataset=0, entity=0).values
    for row, (a, b) in enumerate(prior):
        mean, spread = (post[name].isel(actual=row) for name in ("mean_rate", "spread"))
        m = mean.isel(predicted=0)
        odds = spread / np.sqrt(1 - spread**2)
        wanted = {
            "mean_rate": stats.beta(a, b).logpdf(m) + np.log(m * (1 - m)),
            "spread": stats.t(3).logpdf(odds / 0.25) - 1.5 * np.log(1 - spread**2),
        }
        for name, log in wanted.items():
            gap = (found[name].isel(actual=row) - log).values
            np.testing.assert_allclose(gap, gap.flat[0], atol=1e-8)
    assert {"mean_prevalence", "spread_of_prevalence"} <= set(found)


@pytest.mark.parametrize("model", ["dirichlet_multinomial", "hierarchical_classes"])
def test_power_scaling_takes_other_models(model):
    counts = br.from_frame(
        pd.DataFrame({"entity": ["a", "b"], "correct": [9, 7], "total": [12, 12]})
    )
    posterior = fit(model, counts, groups=["log_prior", "log_likelihood"])
    groups = groups_of(posterior)
    for name in ("log_prior", "log_likelihood"):
        assert np.isfinite(groups[name].to_array()).all()
    if model == "hierarchical_classes":
        mean, prior = (groups[name]["mean_recall"] for name in ("posterior", "log_prior"))
        assert prior.dims == mean.dims


def test_a_log_prior_is_that_of_the_graph():
    """Differences between draws of the densities of standard deviations and correlations."""
    posterior = br.fit(
        PERIODS, "hierarchical_logit_normal", draws=50, seed=1, groups=["log_prior"], spread=0.5
    )
    groups = groups_of(posterior)
    post = groups["posterior"]
    wanted = stats.halfnorm(scale=0.5).logpdf(post["sd_of_deviations"]).sum(-1)
    wanted = wanted + stats.beta(2, 2, -1, 2).logpdf(post["correlation_of_deviations"])
    gap = groups["log_prior"]["spread_of_deviations"] - wanted
    assert float(gap.max() - gap.min()) == pytest.approx(0, abs=1e-9)


def test_draws_of_ranks_have_the_means_of_the_ranking():
    posterior = br.fit(PERIODS, draws=200, seed=1, groups=["log_prior", "log_likelihood"])
    draws = br.rank_draws(posterior, "false_positive_rate")  # lower is better
    ranking = br.credible_ranking(posterior, "false_positive_rate")
    groups = groups_of(draws)
    assert {"log_prior", "log_likelihood", "observed_data"} <= set(groups)
    means = groups["posterior"].mean(["chain", "draw"])
    for name, mean in (("best", "probability_best"), ("rank", "expected_rank")):
        np.testing.assert_allclose(means[name], ranking[mean].transpose(*means[name].dims))
    assert len(az.summary(draws, var_names=["rank"])) == ranking["median"].size
    az.plot_forest(draws, var_names=["rank"], combined=True)
    if MODERN:
        az.plot_rank_dist(draws, var_names=["rank"])
        names = {"prior_var_names": "rate", "likelihood_var_names": "counts"}
        score = "fpr"
        az.plot_psense_dist(draws, var_names=[score], **names)


def test_tied_entities_divide_the_first_place():
    values = xr.DataArray([[3.0, 3.0, 1.0], [1.0, 2.0, np.nan]], dims=("draw", "entity"))
    posterior = groups_of(br.rank_draws(values.rename("skill")))["posterior"]
    assert posterior["best"].values.tolist() == [[[0.5, 0.5, 0.0], [0.0, 1.0, 0.0]]]
    np.testing.assert_array_equal(posterior["rank"], [[[1.5, 1.5, 3.0], [2.0, 1.0, np.nan]]])
    assert posterior["skill"].dims == ("chain", "draw", "entity")
    with pytest.raises(br.ArgumentError, match=r"must have draws.*br\.rank"):
        br.rank_draws(values[0])


def test_the_counts_of_one_cell_can_be_compared_with_their_predictions():
    posterior = fit("dirichlet_multinomial", EVIDENCE["whole"], groups=["posterior_predictive"])
    cell = {"actual": "positive", "predicted": "positive"}
    hits = {
        name: groups_of(posterior)[name]["counts"].sel(cell, drop=True).reset_coords(drop=True)
        for name in ("posterior_predictive", "observed_data")
    }
    tables = {
        name: counts.stack(table=["entity", "dataset"], create_index=False).to_dataset(name="hits")
        for name, counts in hits.items()
    }
    names = ["entity", "dataset"]
    one, other = (table.coords.to_dataset()[names].load() for table in tables.values())
    xr.testing.assert_identical(one, other)
    if MODERN:  # several dims are an error of ArviZ 1.3
        picture = az.plot_ppc_pit(xr.DataTree.from_dict(tables))
        assert list(picture.viz["ecdf_lines"].data_vars) == ["hits"]


def test_a_posterior_alone_has_the_kind_of_its_model():
    container = br.fit(PERIODS, "hierarchical_beta_binomial", seed=1, draws=100)
    posterior = groups_of(container)["posterior"]
    whole = br.scores.informedness(container)
    for alone in (
        container["posterior"],
        posterior,
        xr.DataTree.from_dict({"posterior": posterior})["posterior"],
    ):
        xr.testing.assert_equal(br.scores.informedness(alone), whole)
