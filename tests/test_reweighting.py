"""Alternatives by importance weights: the weights are ratios of densities, and refits agree."""

from itertools import product

import numpy as np
import pytest
import xarray as xr
from scipy.special import expit
from scipy.stats import binom

import bayesrank as br
from bayesrank._core.compat import pareto_k_threshold, smooth_weights
from bayesrank._core.random import Block, root_sequence
from bayesrank.models import make_model
from bayesrank.sensitivities._alternatives import Alternative
from bayesrank.sensitivities._reweighting import reweight

#: Two entities on six data sets, of which the last has one entity.
CELLS = {"tn": [45, 38, 90, 27, 60, 44, 40, 30, 80, 29, 66], "fp": [5, 12, 10, 3, 40, 6, 9, 20, 20, 1, 30],
         "fn": [4, 9, 2, 3, 1, 12, 6, 7, 5, 2, 6], "tp": [16, 11, 28, 7, 19, 8, 14, 13, 25, 8, 14]}  # fmt: skip
STUDIES = br.from_counts(**CELLS, entity=["A"] * 6 + ["B"] * 5, dataset=[*"uvwxyz", *"uvwxy"])
COMPLETE = STUDIES.sel(dataset=[*"uvwxy"])
SCORE = br.scores.informedness


def alternative(kind="prior", evidence=COMPLETE, score=SCORE, **options):
    return Alternative("other", kind, evidence, "crossed_logit_normal", score, options)


BASE = alternative("base")


def posterior_of_medians(seed, spread):
    """A stand-in for draws: the prior itself, whose density ratios are known exactly."""
    model = make_model("crossed_logit_normal", COMPLETE, {"spread": spread})
    block = Block(0, 0, 4000, (1, 4000))
    held = model.draw_prior(block, root_sequence(seed))
    group = xr.Dataset(dict(held), model.coords()).expand_dims("chain")
    return {"posterior": group, "sample_stats": xr.Dataset(attrs={"ess_bulk": 4000.0})}


def test_weights_turn_one_prior_into_another():
    """Without data the answer is known: the means of half-normal variables are proportional to their scales."""
    groups = posterior_of_medians(1, 1.0)
    moved, k = reweight(
        BASE, alternative(spread=0.7), xr.DataTree.from_dict(groups), root_sequence(2), {}
    )
    assert k < 0.7
    for name, scale in (("sd_of_difficulty", 1.4), ("sd_of_deviations", 0.7)):
        wanted, sd = scale * np.sqrt(2 / np.pi), 0.6 * scale
        assert float(moved["posterior"][name].mean()) == pytest.approx(
            wanted, abs=5 * sd / np.sqrt(1500)
        )
    assert moved["posterior"].attrs["spread"] == 0.7
    # A uniform prior of the level: its variance is 1/12, that of a Beta(1/2, 1/2) is 1/8.
    moved, k = reweight(
        BASE, alternative(prior="uniform"), xr.DataTree.from_dict(groups), root_sequence(2), {}
    )
    right = moved["posterior"]["median_rate"].sel(actual="positive", predicted="positive")
    level = expit(np.log(right / (1 - right)).mean("entity"))
    assert float(level.var()) == pytest.approx(1 / 12, abs=0.012)


def test_twice_the_scale_of_the_prior_has_heavy_weights():
    groups = posterior_of_medians(1, 1.0)
    moved, k = reweight(
        BASE, alternative(spread=8.0), xr.DataTree.from_dict(groups), root_sequence(2), {}
    )
    assert moved is None
    assert k > pareto_k_threshold(4000)


def test_a_learned_prevalence_or_another_model_is_fitted_again():
    tree = xr.DataTree.from_dict(posterior_of_medians(1, 1.0))
    for other in (
        alternative(score=br.scores.f1, spread=0.7),
        alternative("model", spread=0.7)._replace(model="hierarchical_beta_binomial"),
        alternative("data", evidence=COMPLETE.sel(dataset=["u"])),
    ):
        moved, k = reweight(BASE, other, tree, root_sequence(2), {})
        assert moved is None
        assert np.isnan(k)


def test_the_likelihood_of_a_data_set_integrates_over_its_difficulty():
    model = make_model("crossed_logit_normal", STUDIES, {})
    held = model.draw_prior(Block(0, 0, 40, (1, 40)), root_sequence(4))
    group = xr.Dataset(dict(held), model.coords()).expand_dims("chain")
    found = model.log_likelihood_of_datasets(group)["counts"].sel(dataset="z").values[0]
    rng, size = np.random.default_rng(1), 200_000
    for draw in np.argsort(-found)[:3]:
        one = group.isel(chain=0, draw=int(draw))
        right = np.diagonal(one["median_rate"].sel(entity="A").values)
        mean = np.log(right / (1 - right)) - one["mean_difficulty"].sel(dataset="z").values
        total = np.zeros((size, 2))
        for name in ("difficulty", "deviations"):
            sd, r = one[f"sd_of_{name}"].values, float(one[f"correlation_of_{name}"])
            cov = np.outer(sd, sd) * np.array([[1, r], [r, 1]])
            total += rng.multivariate_normal([0, 0], cov, size, method="cholesky")
        rate = expit(mean + total)
        each = binom.pmf(44, 50, rate[:, 0]) * binom.pmf(8, 20, rate[:, 1])
        assert found[draw] == pytest.approx(
            np.log(each.mean()), abs=5 * each.std() / each.mean() / np.sqrt(size)
        )


@pytest.mark.parametrize("classes", [True, False])
def test_the_probabilities_of_all_data_sets_sum_to_one(classes):
    """Every result that two entities can have on one data set is a data set here."""
    sizes = [(2, 1), (1, 2)] if classes else [(3,), (2,)]
    each = [list(product(*(range(n + 1) for n in size))) for size in sizes]
    results = list(product(*each))
    right = np.array([[one[e] for one in results] for e in (0, 1)])  # (entity, data set, row)
    wrong = np.array(sizes)[:, None] - right
    names = {"entity": ["A", "B"], "dataset": [f"r{i:03}" for i in range(len(results))]}
    if classes:
        table = np.stack(
            [
                np.stack([right[..., 0], wrong[..., 0]], -1),
                np.stack([wrong[..., 1], right[..., 1]], -1),
            ],
            -2,
        )
        both = {"actual": ["negative", "positive"], "predicted": ["negative", "positive"]}
        counts = xr.DataArray(table, names | both, ("entity", "dataset", "actual", "predicted"))
    else:
        table = np.stack([wrong[..., 0], right[..., 0]], -1)
        counts = xr.DataArray(table, names | {"outcome": [0, 1]}, ("entity", "dataset", "outcome"))
    # Standard deviations of up to about 2.5 logits; the quadrature loses 2% where they are twice as large.
    model = make_model(
        "crossed_logit_normal", counts, {"spread": 0.5} | ({"prevalence": 0.5} if classes else {})
    )
    assert model.terms == ("difficulty", "deviations")
    held = model.draw_prior(Block(0, 0, 30, (1, 30)), root_sequence(5))
    group = xr.Dataset(dict(held), model.coords()).expand_dims("chain")
    found = model.log_likelihood_of_datasets(group)["counts"]
    np.testing.assert_allclose(np.exp(found).sum("dataset"), 1, atol=0.01)


def test_the_likelihood_of_two_tables_integrates_over_their_difficulty():
    model = make_model("crossed_logit_normal", COMPLETE, {})
    held = model.draw_prior(Block(0, 0, 200, (1, 200)), root_sequence(6))
    group = xr.Dataset(dict(held), model.coords()).expand_dims("chain")
    found = model.log_likelihood_of_datasets(group)["counts"].sel(dataset="v").values[0]
    rng, size = np.random.default_rng(2), 400_000
    for draw in np.argsort(-found)[:3]:
        one = group.isel(chain=0, draw=int(draw))
        effects = {}
        for name, number in (("difficulty", 1), ("deviations", 2)):
            sd, r = one[f"sd_of_{name}"].values, float(one[f"correlation_of_{name}"])
            cov = np.outer(sd, sd) * np.array([[1, r], [r, 1]])
            effects[name] = [
                rng.multivariate_normal([0, 0], cov, size, method="cholesky") for _ in range(number)
            ]
        each = np.ones(size)
        for entity, deviation, (tn, n, tp, m) in zip(
            "AB", effects["deviations"], [(38, 50, 11, 20), (30, 50, 13, 20)], strict=True
        ):
            right = np.diagonal(one["median_rate"].sel(entity=entity).values)
            rate = expit(np.log(right / (1 - right)) - effects["difficulty"][0] + deviation)
            each *= binom.pmf(tn, n, rate[:, 0]) * binom.pmf(tp, m, rate[:, 1])
        error = each.std() / each.mean() / np.sqrt(size)
        assert error < 0.05
        assert found[draw] == pytest.approx(np.log(each.mean()), abs=5 * error)


def test_weights_are_normalised_and_smooth():
    rng = np.random.default_rng(3)
    weight, k = smooth_weights(rng.normal(0, 0.3, 4000), 1.0)
    assert weight.sum() == pytest.approx(1)
    assert k < 0.5
    assert smooth_weights(np.full(9, 3.0), 1.0)[0].tolist() == [pytest.approx(1 / 9)] * 9
    # Larger ratios have larger weights.
    log_ratio = np.linspace(-1, 1, 500)
    assert np.corrcoef(smooth_weights(log_ratio, 1.0)[0], log_ratio)[0, 1] > 0.9


@pytest.mark.slow
def test_refits_agree_with_weights():
    fitted = br.fit(COMPLETE, seed=1)
    for other in (
        alternative(prior="jeffreys"),
        alternative(spread=0.5),
        alternative("data", evidence=COMPLETE.sel(dataset=[*"uvwx"])),
    ):
        moved, k = reweight(BASE, other, fitted, root_sequence(2), {})
        if moved is None:
            assert k > pareto_k_threshold(4000)
            continue
        again = br.fit(other.evidence, "crossed_logit_normal", seed=2, **other.options)
        one, two = (SCORE(br.as_performance(x, "typical")) for x in (moved, again))
        dims = ("chain", "draw")
        assert float(abs(one.mean(dims) - two.mean(dims)).max()) < 0.02
        assert float(abs(one.std(dims) / two.std(dims) - 1).max()) < 0.15
    assert fitted["posterior"].sizes["dataset"] == 5
