"""Covariates of data sets: density, predictions at chosen values, refusals, and a fit with known slopes."""

import numpy as np
import pytest
import xarray as xr
from scipy import special, stats

import bayesrank as br
from bayesrank.models import make_model

NAME = "crossed_logit_normal"
SETS = 12
THRESHOLD = np.linspace(1.0, 5.0, SETS)


def studies(slopes=((0.5, -0.5), (0.0, 0.0)), cases=(120, 80), seed=1):
    """Return two tests on 12 studies; logits of TNR and TPR have these slopes on a threshold that varies by study."""
    rng = np.random.default_rng(seed)
    logits = 1 + np.array(slopes)[:, None] * (THRESHOLD - 3)[None, :, None] + rng.normal(0, 0.2, (2, SETS, 2))
    (tn, tp) = rng.binomial(cases, special.expit(logits)).reshape(-1, 2).T
    names, sets = np.repeat(["A", "B"], SETS), [f"s{i:02}" for i in range(SETS)] * 2
    counts = br.from_counts(tn=tn, fp=cases[0] - tn, fn=cases[1] - tp, tp=tp, entity=names, dataset=sets)
    return counts.assign_coords(threshold=("dataset", THRESHOLD))


def test_the_density_has_a_slope_of_each_entity():
    """Log densities of the PyMC model against the model written out, up to a constant."""
    import pytensor.tensor as pt

    model = make_model(NAME, studies(), {"covariates": "threshold"})
    graph = model.build()
    logp = graph.compile_logp(jacobian=False, mode="FAST_COMPILE")
    sum_to_zero = graph.rvs_to_transforms[graph["contrasts"]]
    rng, gaps = np.random.default_rng(3), []
    x = (THRESHOLD - THRESHOLD.mean()) / THRESHOLD.std()
    for _ in range(4):
        mu, common, sd_of_slopes = rng.normal(size=(2, 2)), rng.normal(size=(1, 2)), rng.uniform(0.1, 1, (1, 2))
        z = rng.normal(size=(2, 1, 2))
        slope = (common + sd_of_slopes * z)[:, 0]
        point = {
            "median_right_logodds__": mu.mean(0),
            "contrasts_zerosum__": sum_to_zero.forward(pt.as_tensor((mu - mu.mean(0)).T)).eval(),
            "common_slope": common, "sd_of_slopes_log__": np.log(sd_of_slopes), "standard_slopes": z,
        }  # fmt: skip
        wanted = stats.norm.logpdf(mu - mu.mean(0), scale=2).sum() + stats.norm.logpdf(common).sum()
        wanted += stats.halfnorm.logpdf(sd_of_slopes, scale=0.5).sum() + stats.norm.logpdf(z).sum()
        effects = {}
        for name, number in (("difficulty", SETS), ("deviations", len(model.pairs))):
            sd, half = rng.uniform(0.2, 1.5, 2), rng.uniform(0.1, 0.9)
            standard = rng.normal(size=(number, 2))
            point |= {f"sd_of_{name}_log__": np.log(sd), f"half_of_{name}_logodds__": special.logit(half)}
            point[f"standard_{name}"] = standard
            wanted += (
                stats.halfnorm.logpdf(sd).sum() + stats.beta.logpdf(half, 2, 2) + stats.norm.logpdf(standard).sum()
            )
            rho = 2 * half - 1
            effects[name] = standard @ np.linalg.cholesky(np.outer(sd, sd) * [[1, rho], [rho, 1]]).T
        entity, dataset = model.pairs.T
        logits = mu[entity] - effects["difficulty"][dataset] + effects["deviations"] + x[dataset, None] * slope[entity]
        wanted += stats.binom(model.cases, special.expit(logits)).logpmf(model.hits).sum()
        gaps.append(float(logp(point)) - wanted)
    assert np.ptp(gaps) == pytest.approx(0, abs=1e-7)


def test_typical_rates_move_with_the_chosen_value():
    """Drawn from given parameters: at one standard deviation above the mean, logits differ by the slope."""
    at = THRESHOLD.mean() + THRESHOLD.std()
    slope = np.array([[[0.7, -0.3]], [[0.0, 0.4]]])
    found = {}
    for name, value in (("mean", None), ("above", {"threshold": at})):
        model = make_model(NAME, studies(), {"covariates": ["threshold"], "at": value})
        hyper = {"mu": np.array([[[1.0, 0.5], [0.2, 0.1]]]), "logits": np.zeros((1, 24, 2)), "slope": slope[None]}
        hyper |= {f"sd_of_{term}": np.full((1, 2), 1e-9) for term in model.terms}
        hyper |= {f"half_of_{term}": np.full(1, 0.5) for term in model.terms}
        from bayesrank._random import Block, root_sequence

        found[name] = model._rates(hyper, "posterior", Block(0, 0, 1, (1, 1)), root_sequence(1))
    for kind in (1, 2):
        right = [special.logit(found[name][kind][0][..., [0, 1], [0, 1]]) for name in ("mean", "above")]
        np.testing.assert_allclose(right[1] - right[0], slope[:, 0], atol=1e-6)


@pytest.mark.parametrize(
    ("counts", "options", "wrong"),
    [
        (studies(), {"covariates": "dose"}, r"must be among the coords of counts along dataset, \['threshold'\]"),
        (studies(), {"covariates": "threshold", "at": {"dose": 1.0}}, "must have values of the covariates"),
        (studies(), {"covariates": "threshold", "at": {"threshold": "high"}}, "must be a number for 'threshold'"),
        (studies(), {"at": {"threshold": 1.0}}, "must be None without covariates"),
        (studies().assign_coords(threshold=("dataset", np.ones(SETS))), {"covariates": "threshold"}, "must vary"),
        (studies().assign_coords(kind=("entity", [0.0, 1.0])), {"covariates": "kind"}, "along dataset"),
        (
            studies().assign_coords(threshold=("dataset", [np.nan, *THRESHOLD[1:]])),
            {"covariates": "threshold"}, "a finite number for each measured table",
        ),
        (studies().assign_coords(site=("dataset", list("abcdefghijkl"))), {"covariates": "site"}, "must hold numbers"),
    ],
)  # fmt: skip
def test_other_covariates_are_refused(counts, options, wrong):
    with pytest.raises(br.ArgumentError, match=wrong):
        make_model(NAME, counts, options)


@pytest.mark.slow
def test_slopes_are_found_and_the_order_depends_on_the_value():
    counts, found = studies(), {}
    for at in (1.0, 5.0):
        posterior = br.fit(counts, covariates=["threshold"], at={"threshold": at}, draws=400, seed=1)
        found[at] = br.credible_ranking(posterior, "tpr")
    slope = posterior["posterior"]["slope"].isel(covariate=0)
    truth = xr.DataArray([[0.5, -0.5], [0.0, 0.0]], dims=("entity", "actual"))
    error = (slope.mean(("chain", "draw")) - truth) / slope.std(("chain", "draw"))
    assert abs(error).max() < 3
    assert found[1.0]["probability_best"].sel(entity="A") > 0.7
    assert found[5.0]["probability_best"].sel(entity="B") > 0.95
    assert found[5.0].attrs["headline"] == "best"
    assert "threshold = 5" in " ".join(br.notes(found[5.0]))
    assert np.isnan(found[5.0]["observed"]).all()
