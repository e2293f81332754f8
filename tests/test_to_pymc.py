"""PyMC models of all models that have one: dims, densities, what is ranked, and draws beside the package's own."""

import warnings

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import special, stats

import bayesrank as br
from bayesrank import models
from bayesrank._core.source import parse_source
from bayesrank.models.parts.population import dirichlet_by_uniforms

COUNTS = br.from_counts(
    tn=[70, 75, 60], fp=[10, 5, 20], fn=[6, 9, 3], tp=[24, 21, 27], entity=["a", "b", "c"]
)
#: B was not on data set z.
STUDIES = br.from_counts(
    tn=[45, 38, 90, 27, 40, 36, 80], fp=[5, 12, 10, 3, 10, 14, 20], fn=[4, 9, 2, 3, 6, 12, 7],
    tp=[16, 11, 28, 7, 14, 8, 23], entity=list("AAAABBB"), dataset=list("wxyzwxy"),
)  # fmt: skip
CLASSES = br.from_matrix(
    np.array([[[8, 1, 1], [2, 7, 1], [0, 1, 9]], [[7, 2, 1], [2, 6, 2], [0, 1, 9]]]),
    "actual_rows",
    entity=["a", "b"],
)
OUTCOMES = xr.DataArray(
    np.array([[[3, 7], [4, 8], [1, 9]], [[5, 5], [6, 6], [2, 8]]]),
    {"entity": ["a", "b"], "dataset": ["x", "y", "z"], "outcome": [0, 1]},
    ("entity", "dataset", "outcome"),
)
GRADES = xr.DataArray(
    [[3, 5, 2], [4, 4, 2]],
    {"entity": ["a", "b"], "outcome": [0.0, 0.5, 1.0]},
    ("entity", "outcome"),
)
VOTES = br.from_votes(
    pd.DataFrame({"a": list("xxyyzx"), "b": list("yzzxxy"), "winner": ["a", "a", "tie", "b", "a", "b"]}),
    a="a", b="b", winner="winner",
)  # fmt: skip
MEANS = br.from_frame(
    pd.DataFrame({"entity": ["a", "b"], "mean": [0.7, 0.6], "se": [0.03, 0.05], "n": [40, 12]})
)
FOLDS = br.from_folds(
    pd.DataFrame(np.random.default_rng(1).normal([0.80, 0.83], 0.03, (10, 2)), columns=["a", "b"]),
    train=90,
    test=10,
)
TESTS = br.datasets.load("tuberculosis_tests")
FEW_FOLDS = br.from_folds(pd.DataFrame(np.random.default_rng(1).random((3, 4))), train=2, test=1)
#: Evidence of each model that has a PyMC graph.
EVIDENCE = {
    "dirichlet_multinomial": COUNTS,
    "beta_binomial": COUNTS,
    "hierarchical_beta_binomial": STUDIES,
    "hierarchical_dirichlet_multinomial": CLASSES.expand_dims(dataset=["x", "y"], axis=1).copy(),
    "hierarchical_logit_normal": STUDIES,
    "crossed_logit_normal": STUDIES,
    "hierarchical_classes": CLASSES,
    "davidson": VOTES,
    "normal_means": MEANS,
    "correlated_folds": FOLDS,
    "latent_class": TESTS,
}
#: The graph is evaluated without compiling C, which takes longer than the test.
QUICK = "FAST_COMPILE"
WITHOUT = {"bayesian_bootstrap", "paired", "partial_truth", "retrained"}


def test_every_model_is_here():
    assert set(EVIDENCE) | WITHOUT == set(models.names())


@pytest.mark.parametrize("name", EVIDENCE)
def test_the_model_observes_the_evidence_and_holds_what_is_ranked(name):
    evidence, graph = EVIDENCE[name], br.to_pymc(EVIDENCE[name], name)
    held = {variable.name for variable in graph.unobserved_RVs}
    dims = {key: tuple(value) for key, value in graph.named_vars_to_dims.items()}
    if isinstance(evidence, xr.DataArray):
        assert dims["counts"] == dims["performance"] == evidence.dims
        np.testing.assert_array_equal(
            graph.rvs_to_values[graph["counts"]].data, evidence.transpose(*dims["counts"])
        )
        for kind in ("typical", "new") if "dataset" in evidence.dims else ():
            assert dims[f"performance_{kind}"] == ("entity", "actual", "predicted")
    else:
        assert held & {"strength", "mean_outcome", "performance"}
    assert list(graph.coords["entity"]) == evidence["entity"].values.tolist()


@pytest.mark.parametrize("name", ["dirichlet_multinomial", "crossed_logit_normal"])
def test_performances_are_probabilities_and_unmeasured_pairs_undefined(name):
    import pymc as pm

    graph = br.to_pymc(EVIDENCE[name], name)
    ranked = [
        variable.name
        for variable in graph.deterministics
        if variable.name.startswith("performance")
    ]
    with graph:
        drawn = dict(
            zip(
                ranked,
                pm.draw([graph[each] for each in ranked], random_seed=1, mode=QUICK),
                strict=True,
            )
        )
    for each, values in drawn.items():
        total = values.sum((-2, -1))
        if each == "performance" and "dataset" in EVIDENCE[name].dims:
            measured = EVIDENCE[name].sum(["actual", "predicted"]).values > 0
            assert np.isnan(total[~measured]).all()
            total = total[measured]
        np.testing.assert_allclose(total, 1)


def test_the_density_of_the_hierarchical_graph_is_that_of_the_model():
    """Log densities differ from the Dirichlet-multinomial populations, written out, by a constant."""
    graph = br.to_pymc(OUTCOMES, "hierarchical_beta_binomial")
    logp = graph.compile_logp(jacobian=False, mode=QUICK)
    prior = models.make_model("hierarchical_beta_binomial", OUTCOMES, {}).prior[:, 0]
    rng, gaps = np.random.default_rng(2), []
    for _ in range(4):
        mean, odds = rng.dirichlet([2, 3], 2), rng.uniform(0.1, 1, 2)
        point = {
            "mean_rate_simplex__": simplex(mean), "spread_odds_log__": np.log(odds),
            "uniform_probability_interval__": rng.normal(size=(2, 3, 1)),
            "uniform_rate_new_interval__": rng.normal(size=(2, 1)),
        }  # fmt: skip
        size = 1 / (odds**2 / (1 + odds**2)) - 1
        wanted = stats.t.logpdf(odds, 3, scale=0.25).sum()
        for i in range(2):
            wanted += stats.dirichlet.logpdf(mean[i], prior[i])
            counts = OUTCOMES.values[i]
            wanted += stats.dirichlet_multinomial.logpmf(
                counts, mean[i] * size[i], counts.sum(-1)
            ).sum()
        gaps.append(float(logp(point)) - wanted)
    assert np.ptp(gaps) == pytest.approx(0, abs=1e-8)


@pytest.mark.slow
def test_new_tables_of_classes_have_the_observed_sizes():
    import pymc as pm

    with br.to_pymc(CLASSES, "hierarchical_classes") as graph:
        drawn = pm.draw(graph["counts"], 2000, random_seed=1, mode=QUICK)
        recall = pm.draw(graph["mean_recall"], 2000, random_seed=2, mode=QUICK)
    assert (drawn.sum(-1) == CLASSES.values.sum(-1)).all()
    share = np.diagonal(drawn, axis1=-2, axis2=-1) / CLASSES.values.sum(-1)
    np.testing.assert_allclose(share.mean((0, 2)), recall.mean(0), atol=0.04)


@pytest.mark.slow
def test_dirichlet_variables_by_uniform_ones():
    """Means, variances and covariances are those of a Dirichlet distribution, from narrow to wide."""
    import pymc as pm

    alpha = np.array([[3.0, 1.0, 0.5], [200.0, 500.0, 300.0]])
    with pm.Model():
        drawn = pm.draw(
            dirichlet_by_uniforms("rate", alpha, alpha.shape), 4000, random_seed=3, mode=QUICK
        )
    for i, row in enumerate(alpha):
        one = stats.dirichlet(row)
        np.testing.assert_allclose(
            drawn[:, i].mean(0), one.mean(), atol=4 * np.sqrt(one.var().max() / 4000)
        )
        np.testing.assert_allclose(
            np.cov(drawn[:, i].T), one.cov(), atol=8 * one.var().max() / np.sqrt(4000)
        )
    np.testing.assert_allclose(drawn.sum(-1), 1)


def simplex(p):
    """Return probabilities as PyMC's simplex transform holds them."""
    log = np.log(p[..., :-1])
    return log - np.log(p).mean(-1, keepdims=True)


@pytest.mark.parametrize("factor", [1, pytest.param(40, marks=pytest.mark.slow)])
def test_the_density_of_classes_is_that_of_the_model(factor):
    """With 40 times the cases of a class its size is unlike, and means have a slope."""
    counts = CLASSES * xr.DataArray([factor, 1, 1], dims="actual")
    graph = br.to_pymc(counts, "hierarchical_classes", prevalence="observed")
    logp = graph.compile_logp(jacobian=False, mode=QUICK)
    model = models.make_model("hierarchical_classes", counts, {"prevalence": "observed"})
    assert model.log_size.any() == (factor > 1)
    rng, gaps = np.random.default_rng(3), []
    for _ in range(4):
        mean, odds = rng.uniform(0.2, 0.8, 2), rng.uniform(0.1, 1, 2)
        of_errors = rng.uniform(0.1, 0.9, 2)
        point = {
            "mean_recall_logodds__": special.logit(mean), "spread_odds_log__": np.log(odds),
            "spread_of_errors_interval__": special.logit(of_errors),
            "uniform_recall_interval__": rng.normal(size=(2, 3, 1)),
            "uniform_errors_interval__": rng.normal(size=(2, 3, 1)),
        }  # fmt: skip
        slope = np.zeros(2)
        if factor > 1:
            slope = point["slope_of_size"] = rng.normal(0, 0.5, 2)
        size = (1 / (odds**2 / (1 + odds**2)) - 1)[:, None]
        wanted = stats.norm.logpdf(slope).sum()
        wanted += stats.t.logpdf(odds, 3, scale=0.25).sum()
        wanted += stats.beta.logpdf(mean, model.prior[:, 1], model.prior[:, 0]).sum()
        for i in range(2):
            for c in range(3):
                row, others = counts.values[i, c], [k for k in range(3) if k != c]
                own = special.expit(special.logit(mean[i]) + slope[i] * model.log_size[i, c])
                alpha = own * size[i, 0], (1 - own) * size[i, 0]
                wanted += stats.betabinom.logpmf(row[c], row.sum(), *alpha)
                each = (1 / of_errors[i] ** 2 - 1) * model.error_mean[i, c]
                wanted += stats.dirichlet_multinomial(each, row[others].sum()).logpmf(row[others])
        gaps.append(float(logp(point)) - wanted)
    assert np.ptp(gaps) == pytest.approx(0, abs=1e-8)


def test_the_density_of_votes_is_that_of_davidson():
    """The model of few, unbalanced votes, whose pairs have different normalising terms."""
    import pytensor.tensor as pt

    graph, pairs = br.to_pymc(VOTES), models.make_model("davidson", VOTES, {}).pairs
    logp = graph.compile_logp(jacobian=False, mode=QUICK)
    rng, gaps = np.random.default_rng(4), []
    forward = graph.rvs_to_transforms[graph["strength"]].forward
    for _ in range(4):
        strength, log_nu = rng.normal(size=3), rng.normal()
        strength -= strength.mean()
        half = (strength[pairs.first] - strength[pairs.second]) / 2
        total = np.log(np.exp(half) + np.exp(-half) + np.exp(log_nu))
        wanted = (
            (pairs.wins - pairs.losses) * half + pairs.ties * log_nu - pairs.number * total
        ).sum()
        wanted -= ((strength**2).sum() + log_nu**2) / 8
        point = {
            "strength_zerosum__": forward(pt.as_tensor(strength)).eval(mode=QUICK),
            "log_nu": log_nu,
        }
        gaps.append(float(logp(point)) - wanted)
    assert np.ptp(gaps) == pytest.approx(0, abs=1e-8)


@pytest.mark.parametrize(
    "kind",
    [
        "none",
        *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("pairs", "common", "by_class")),
    ],
)
def test_the_density_of_verdicts_is_that_of_latent_classes(kind):
    hearts = br.datasets.load("myocardial_indicators")
    options = {"dependence": kind} | ({"pairs": [("LDH", "CPK")]} if kind == "pairs" else {})
    model = models.make_model("latent_class", hearts, options)
    graph = br.to_pymc(hearts, "latent_class", **options)
    logp = graph.compile_logp(jacobian=False, mode=QUICK)
    rng, gaps = np.random.default_rng(6), []
    for _ in range(4):
        theta = rng.normal(0.8, 0.5, model.cells.size)
        theta[model.cells.rates :] = np.abs(theta[model.cells.rates :])
        effects = theta[model.cells.rates :]
        point = {
            "prevalence_of_logodds__": theta[:1], "sensitivity_logodds__": theta[1:5],
            "specificity_logodds__": theta[5:9],
        }  # fmt: skip
        if kind == "pairs":
            point["log_odds_ratio"] = effects.reshape(1, 2)
        elif kind != "none":
            point["effect_log__"] = np.log(effects[0] if kind == "common" else effects)
        wanted = float(model.cells.value(theta[None])[0]) - (effects**2).sum() / (
            2 * model.prior.scale**2
        )
        gaps.append(float(logp(point)) - wanted)
    assert np.ptp(gaps) == pytest.approx(0, abs=1e-6)


def test_means_and_folds_have_the_density_of_their_posterior():
    mean = np.array([0.72, 0.58])
    logp = br.to_pymc(MEANS).compile_logp(mode=QUICK)
    wanted = stats.t.logpdf([0.70, 0.60], [39, 11], mean, [0.03, 0.05]).sum()
    assert float(logp({"mean_outcome": mean})) == pytest.approx(wanted)
    model = models.make_model("correlated_folds", FOLDS, {})
    scale = (1 / 10 + 10 / 90) * np.cov(model.units.T)
    wanted = stats.multivariate_t.logpdf(model.units.mean(0), mean, scale, 9)
    assert float(
        br.to_pymc(FOLDS).compile_logp(mode=QUICK)({"mean_outcome": mean})
    ) == pytest.approx(wanted)


def test_a_posterior_of_pymc_speaks_of_typical_data_sets():
    shape = (2, 50, 2)
    draws = np.random.default_rng(1).dirichlet([1, 1, 1, 1], shape).reshape(*shape, 2, 2)
    dims = ("chain", "draw", "entity", "actual", "predicted")
    coords = {"entity": ["a", "b"], "actual": [0, 1], "predicted": [0, 1]}
    tree = xr.DataTree.from_dict(
        {
            "posterior": xr.Dataset(
                {"performance_typical": (dims, draws), "performance": (dims, draws)}, coords
            ),
            "sample_stats": xr.Dataset({"diverging": (dims[:2], np.ones(shape[:2], bool))}),
        }
    )
    ranking = br.credible_ranking(tree, "f1")
    assert ranking.attrs["kind"] == "typical"
    assert ranking.attrs["sets"] in ("posterior", "none")
    assert "chains_unreliable" in ranking.attrs["notes"]
    assert parse_source(tree).group("posterior").attrs["population"] == "data sets"


@pytest.mark.parametrize(
    ("evidence", "model", "options", "wrong"),
    [
        (br.joint_outcomes([0, 1, 1, 0], {"a": [0, 1, 0, 0], "b": [1, 1, 1, 0]}), None, {}, "must have a PyMC graph"),
        (
            br.from_predictions([0, 1, 1, 0], {"a": [0, 1, 0, 0]}, weight=[1.0, 2.0, 0.5, 1.0]),
            None, {}, "whole numbers of cases",
        ),
        (
            COUNTS, None, {"prevalence": xr.DataArray(np.full((4, 10), 0.3), dims=("chain", "draw"))},
            "must be 'sampled', 'observed' or a number",
        ),
        (COUNTS, None, {"prior": "haldane"}, "must be positive for a PyMC model"),
        (FEW_FOLDS, None, {}, "must have more than 4 splits"),
    ],
)  # fmt: skip
def test_what_has_no_graph_is_refused(evidence, model, options, wrong):
    with pytest.raises(br.ArgumentError, match=wrong):
        br.to_pymc(evidence, model, **options)


@pytest.mark.slow
@pytest.mark.parametrize("name", EVIDENCE)
def test_draws_of_pymc_agree_with_the_own_ones(name):
    import pymc as pm

    graph = br.to_pymc(EVIDENCE[name], name)
    with graph, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = pm.sample(
            1000,
            tune=1000,
            chains=4,
            cores=2,
            progressbar=False,
            random_seed=1,
            target_accept=0.95,
            quiet=True,
        )
    ranked = [
        v
        for v in ("performance", "performance_typical", "mean_outcome", "strength")
        if v in found["posterior"]
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        own = br.fit(EVIDENCE[name], name, draws=2000, seed=1)
    for each in ranked:
        other = found["posterior"][each]
        mine = own["posterior"][each].transpose(*other.dims)
        mine = mine.sel(
            {dim: other[dim].values for dim in other.dims if dim not in ("chain", "draw")}
        )
        mean, sd = mine.mean(("chain", "draw")), mine.std(("chain", "draw"))
        # Five standard errors of means and standard deviations from 300 effective draws.
        assert (abs(other.mean(("chain", "draw")) - mean) / sd).max() < 5 / np.sqrt(300)
        assert (abs(np.log(other.std(("chain", "draw")) / sd))).max() < 5 / np.sqrt(2 * 300)
    score = (
        None
        if "performance" not in ranked
        else "accuracy"
        if name.endswith("classes")
        else "informedness"
    )
    score = "accuracy" if EVIDENCE[name].sizes.get("actual") == 3 else score
    kept = br.credible_ranking(own, score)
    direct = br.credible_ranking(found, score)
    gap = abs(
        direct["probability_best"] - kept["probability_best"].sel(entity=direct["entity"].values)
    )
    assert gap.max() < 5 * 0.5 / np.sqrt(300)
    assert direct.attrs["sets"] == kept.attrs["sets"]
