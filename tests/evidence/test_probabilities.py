"""Predicted probabilities: published areas, scikit-learn's values, invariances, withheld intervals, and the command."""

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics as sk

import bayesrank as br
from bayesrank._core.source import groups_of
from bayesrank.models.bayesian_bootstrap import BayesianBootstrap
from tests.commands import invoke, json_of, refused

ASAH, HANLEY = br.datasets.load("roc_asah"), br.datasets.load("roc_hanley_mcneil")
FITTED = br.fit(ASAH, seed=1)
RNG = np.random.default_rng(3)
TRUTH = RNG.integers(0, 2, 60)
TIED = {
    name: np.round(1 / (1 + np.exp(-(TRUTH - 0.5 + RNG.normal(size=60)))), 1).clip(0.1, 0.9)
    for name in "ab"
}
WEIGHT = RNG.integers(1, 5, 60) / 2


def observed(evidence, **options):
    return groups_of(br.fit(evidence, seed=1, draws=4, chains=1, **options))["observed_data"]


def posterior(evidence, draws=1000, **options):
    return groups_of(br.fit(evidence, seed=1, draws=draws, **options))["posterior"]


def test_published_areas_and_the_test_of_delong():
    np.testing.assert_allclose(
        groups_of(FITTED)["observed_data"]["auc_roc"], [0.8237, 0.7314, 0.6120], atol=5e-5
    )
    area = groups_of(FITTED)["posterior"]["auc_roc"]
    difference = area.sel(entity="wfns") - area.sel(entity="s100b")
    assert (0.8237 - 0.7314) / float(difference.std()) == pytest.approx(
        2.209, abs=0.1
    )  # a normal approximation
    assert observed(HANLEY)["auc_roc"].item() == pytest.approx(0.893, abs=5e-4)
    assert float(posterior(HANLEY)["auc_roc"].std()) == pytest.approx(0.032, abs=0.002)


def test_every_metric_is_that_of_scikit_learn_with_the_same_weights():
    found = observed(br.from_probabilities(TRUTH, TIED, weight=WEIGHT))
    same = {"auc_roc": sk.roc_auc_score, "average_precision": sk.average_precision_score}
    same |= {"brier": sk.brier_score_loss, "log_loss": sk.log_loss}
    for name, metric in same.items():
        for entity, values in TIED.items():
            wanted = metric(TRUTH, values, sample_weight=WEIGHT)
            assert found[name].sel(entity=entity).item() == pytest.approx(wanted, abs=1e-12)
    prevalence = TRUTH @ WEIGHT / WEIGHT.sum()
    gain = prevalence / 2 + (1 - prevalence) * found["auc_roc"]
    np.testing.assert_allclose(found["auc_gain"], gain, atol=1e-12)


def test_draws_are_metrics_of_weighted_cases_with_a_pseudo_case():
    part = BayesianBootstrap(br.from_probabilities(TRUTH, TIED)).parts[0]
    weight, mass = RNG.exponential(size=(5, 60)), RNG.exponential(size=(5, 1, 2))
    chosen = RNG.integers(0, 60, (5, 1, 2)).astype(np.int32)
    found = part.evaluate(weight, mass, chosen)
    truth = part.actual
    for d in range(5):
        # Both pseudo-cases are appended, and each class keeps its total.
        own = weight[d].copy()
        sums = np.array([own[truth == c].sum() for c in (0, 1)])
        extra = mass[d, 0] * sums / (sums + mass[d, 0])
        own *= (sums / (sums + mass[d, 0]))[truth]
        both = np.append(truth, [0, 1])
        for k, name in enumerate("ab"):
            values = np.asarray(TIED[name])[part.where]
            values, every = np.append(values, values[chosen[d, 0]]), np.append(own, extra)
            assert found[0, d, k] == pytest.approx(
                sk.roc_auc_score(both, values, sample_weight=every), abs=1e-12
            )
            wanted = sk.average_precision_score(both, values, sample_weight=every)
            assert found[1, d, k] == pytest.approx(wanted, abs=1e-12)
            plain = sk.log_loss(truth, values[:60], sample_weight=weight[d])
            assert found[4, d, k] == pytest.approx(plain, abs=1e-12)


def test_more_classes_are_compared_one_against_the_rest():
    truth, values = RNG.integers(0, 3, 90), RNG.dirichlet([1, 1, 1], 90)
    values = (values + np.eye(3)[truth]) / 2
    found = observed(br.from_probabilities(truth, {"m": values}))
    onehot = np.eye(3)[truth]
    assert found["auc_roc"].item() == pytest.approx(
        sk.roc_auc_score(truth, values, multi_class="ovr"), abs=1e-12
    )
    assert found["average_precision"].item() == pytest.approx(
        sk.average_precision_score(onehot, values), abs=1e-12
    )
    assert found["log_loss"].item() == pytest.approx(sk.log_loss(truth, values), abs=1e-12)
    assert found["brier"].item() == pytest.approx(
        np.square(onehot - values).sum(axis=1).mean(), abs=1e-12
    )


def test_order_of_input_and_length_of_the_run_do_not_matter():
    order = RNG.permutation(60)
    groups = {"cluster": np.arange(60) // 3}
    first = br.from_probabilities(TRUTH, TIED, **groups)
    second = br.from_probabilities(
        TRUTH[order], {name: TIED[name][order] for name in "ba"}, cluster=groups["cluster"][order]
    )
    one, other = posterior(first, 300), posterior(second, 200)
    np.testing.assert_allclose(
        one["auc_roc"].isel(draw=slice(200)).sel(entity="b"),
        other["auc_roc"].sel(entity="b"),
        atol=1e-12,
    )
    rising = br.from_probabilities(TRUTH, {"a": TIED["a"], "b": np.exp(3 * TIED["a"])})
    area = posterior(rising, 50)["auc_roc"]
    assert (area.sel(entity="a") == area.sel(entity="b")).all()  # the order alone counts


def test_intervals_of_few_and_nearly_perfect_cases_are_withheld():
    few = br.from_probabilities(
        [0] * 40 + [1] * 4, {"a": np.arange(44.0), "b": np.arange(44.0) % 7}
    )
    ranking = br.credible_ranking(br.fit(few, seed=1), "auc_roc")
    assert ranking["lower"].isnull().all()
    assert ranking.attrs["headline"] == "leads"
    assert "cases_of_class_too_few" in ranking.attrs["caps"]
    rare = br.from_probabilities(
        [0] * 90 + [1] * 10, {"perfect": np.arange(100.0), "poor": np.arange(100) % 9.0}
    )
    fitted = br.fit(rare, seed=1)
    for found in (
        br.credible_ranking(fitted, "auc_roc"),
        br.score_table(fitted, ["auc_roc"]).isel(score=0),
    ):
        assert found["lower"].isnull().values.tolist() == [True, False]
        assert found["median"].notnull().all()
    said = " ".join([*br.verdict(br.credible_ranking(fitted, "auc_roc"))])
    assert "No interval is shown for perfect" in said
    # Twenty of a hundred, at an area of 0.80, are never withheld: no area is then near enough.
    usual = br.from_probabilities([0] * 80 + [1] * 20, {"perfect": np.arange(100.0)})
    assert not observed(usual)["auc_roc_withheld"].any()


def test_a_perfect_order_has_an_interval_with_a_width():
    truth = [0] * 20 + [1] * 8
    area = posterior(br.from_probabilities(truth, {"perfect": np.arange(28.0)}))["auc_roc"]
    assert (
        observed(br.from_probabilities(truth, {"perfect": np.arange(28.0)}))["auc_roc"].item() == 1
    )
    low, high = area.quantile([0.025, 0.975])
    assert low < 0.9
    assert high > 0.99


def test_data_sets_have_scores_of_their_own_or_a_mean():
    where = np.repeat(["x", "y"], 30)
    evidence = br.from_probabilities(TRUTH, TIED, dataset=where)
    each, mean = observed(evidence)["auc_roc"], observed(evidence, average=True)["auc_roc"]
    np.testing.assert_allclose(each.mean("dataset"), mean)
    assert each.sel(dataset="y", entity="a").item() == pytest.approx(
        sk.roc_auc_score(TRUTH[30:], TIED["a"][30:])
    )
    ranking = br.credible_ranking(br.fit(evidence, seed=1, draws=200, average=True), "auc_roc")
    assert "pooled_datasets" in ranking.attrs["caps"]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([0, 1, 1], [0.1, np.nan, 0.3]), {}, "finite number for every case"),
        (([0, 1, 1], [0.1, 0.2]), {}, "each of the 3 cases"),
        (([0, 0, 0], [0.1, 0.2, 0.3]), {}, "at least two classes"),
        ((["u", "v", "v"], [0.1, 0.2, 0.3]), {}, "positive must name the class"),
        (([0, 1, 2], {"m": [0.1, 0.2, 0.3]}), {}, "each of the 3 classes"),
        (([0, 1, 1], [0.1, 0.2, 0.3]), {"case": [1, 1, 2]}, "each case once"),
        (([0, 1, 1], {"m": ["a", "b", "c"]}), {}, "must contain numbers"),
    ],
)
def test_bad_probabilities_are_refused(arguments, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        br.from_probabilities(*arguments, **options)


def test_scores_that_values_do_not_allow_are_refused_and_others_named():
    assert set(groups_of(FITTED)["posterior"].data_vars) == {
        "auc_roc",
        "average_precision",
        "auc_gain",
    }
    with pytest.raises(ValueError, match="between 0 and 1"):
        br.fit(ASAH, scores=["brier"])
    sure = br.from_probabilities([0, 1, 1], {"m": [0.2, 0.0, 0.9]})
    with pytest.raises(ValueError, match="0 or 1 for a wrong prediction"):
        br.fit(sure, scores=["log_loss"])
    assert "log_loss" not in posterior(sure, 2)
    for call in (br.credible_ranking, br.tile.credible, br.as_performance):
        with pytest.raises(ValueError, match="probabilities"):
            call(FITTED)
    with pytest.raises(ValueError, match="bayesian_bootstrap"):
        br.fit(ASAH, "paired")
    assert br.scores.get("roc_auc").name == "auc_roc"
    assert br.scores.get("neg_log_loss").higher_is_better is False
    assert br.plan(FITTED, "auc_roc", seed=1).attrs["unit"] == "cases"


def test_the_command_reads_wide_and_long_tables(tmp_path):
    wide = pd.DataFrame({"case": np.arange(60), "y_true": TRUTH, **TIED})
    wide.to_csv(tmp_path / "wide.csv", index=False)
    long = wide.melt(["case", "y_true"], var_name="model", value_name="probability")
    long.to_csv(tmp_path / "long.csv", index=False)
    found = [
        json_of("rank", tmp_path / name, "--score", "auc_roc", "--draws", 200)
        for name in ("wide.csv", "long.csv")
    ]
    assert found[0]["ranking"] == found[1]["ranking"]
    fitted = br.fit(br.from_frame(wide), draws=200, seed=1, scores=["auc_roc"])
    python = br.credible_ranking(fitted, "auc_roc")["median"]
    assert found[0]["ranking"][0]["median"] == pytest.approx(float(python.max()), abs=1e-9)
    assert "auc_roc, average_precision" in refused("rank", tmp_path / "wide.csv")
    assert "threshold" in refused("rank", tmp_path / "wide.csv", "--score", "f1")
    assert "cannot be used" in refused(
        "rank", tmp_path / "wide.csv", "--score", "auc", "--prior", "uniform"
    )
    long.iloc[:-1].to_csv(tmp_path / "gap.csv", index=False)
    assert "every case" in refused("rank", tmp_path / "gap.csv", "--score", "auc")
    wide.assign(a=TRUTH).to_csv(tmp_path / "mixed.csv", index=False)
    assert "--entities a,b" in refused("rank", tmp_path / "mixed.csv", "--score", "auc")
    assert "AUC" in invoke("rank", tmp_path / "mixed.csv", "--score", "auc", "--entities", "a,b")
    assert "wfns is best" in invoke("rank", "roc_asah", "--score", "roc_auc")
    wide.assign(dataset=np.repeat(["x", "y"], 30)).to_csv(tmp_path / "sets.csv", index=False)
    assert "averaged over 2 data sets" in invoke("rank", tmp_path / "sets.csv", "--score", "auc")
    assert "predicted probabilities" in refused("tile", tmp_path / "wide.csv", "--draws", 20)


def test_cases_on_which_probabilities_differ():
    """Losses differ on cases with other probabilities, areas on cases with another order to the other class."""
    rng = np.random.default_rng(1)
    for _ in range(40):
        truth = np.append([0, 1], rng.integers(0, 2, rng.integers(4, 12)))
        values = {name: rng.integers(1, 5, truth.size) / 6 for name in "abc"}
        found = BayesianBootstrap(br.from_probabilities(truth, values)).observed()["observed_data"]
        order = {
            name: np.sign(x[truth == 1][:, None] - x[truth == 0]) for name, x in values.items()
        }
        for one in "abc":
            for other in "abc":
                pair, moved = {"entity": one, "rival": other}, order[one] != order[other]
                least = min(moved.any(axis=1).sum(), moved.any(axis=0).sum())
                assert found["auc_roc_discordant"].sel(pair) == least
                assert found["brier_discordant"].sel(pair) == (values[one] != values[other]).sum()


def change_one(truth, values, label):
    """The probabilities with one case of a class moved past all others, for the better."""
    changed = values.copy()
    case = np.flatnonzero(truth == label)[np.argmin(np.abs(values[truth == label] - (1 - label)))]
    changed[case] = 0.01 + 0.98 * label
    return changed


@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize("score", ["brier", "log_loss", "auc_roc", "average_precision"])
@pytest.mark.parametrize("clustered", [False, True])
def test_one_case_that_differs_is_too_few(score, label, clustered):
    rng = np.random.default_rng(6)
    truth = np.arange(100) % 2
    values = np.clip(np.where(truth == 1, 0.65, 0.35) + rng.normal(0, 0.2, 100), 0.02, 0.98)
    better = change_one(truth, values, label)
    cluster = np.arange(100) // 2 if clustered else None
    fitted = br.fit(
        br.from_probabilities(truth, {"a": values, "b": better}, cluster=cluster), seed=1
    )
    ranking = br.credible_ranking(fitted, score)
    assert ranking.attrs["headline"] == "leads"
    # The sign-flip test of one cluster has a mid-p value of 0.25.
    best = ranking["probability_best"].sel(entity="b").item()
    assert 0.7 < best < 0.85 if clustered else best > 0.95
    beats = best >= 0.95
    units = "1 cluster" if clustered else "1 of 100 cases"
    rests = (
        "the comparison rests on these"
        if score in ("auc_roc", "average_precision")
        else "too few for the Bayesian"
    )
    told = " ".join(br.notes(ranking) + br.verdict(ranking))
    assert (f"they differ on only {units}: {rests}" in told) == beats
    # Of fewer entities the rivals are those that are left.
    alone = br.credible_ranking(fitted.sel(entity=["b"]), score)
    assert not any("they differ" in note for note in br.notes(alone) + br.verdict(alone))


def test_many_cases_that_differ_have_no_such_note():
    rng = np.random.default_rng(6)
    truth = np.arange(200) % 2
    values = np.clip(np.where(truth == 1, 0.6, 0.4) + rng.normal(0, 0.2, 200), 0.1, 0.9)
    better = values + np.where(truth == 1, 1, -1) * 0.09
    ranking = br.credible_ranking(
        br.fit(br.from_probabilities(truth, {"a": values, "b": better}), seed=1), "brier"
    )
    assert ranking.attrs["headline"] == "best"
    assert not any("they differ" in note for note in br.notes(ranking) + br.verdict(ranking))
