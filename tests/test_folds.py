"""Scores of cross-validation: the corrected t posterior, data sets as units, what one run supports, and bad input."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bayesrank as br
from bayesrank._core.source import groups_of
from tests.told import codes_in

RNG = np.random.default_rng(5)
SPLITS = pd.DataFrame(
    RNG.normal([0.80, 0.82, 0.70], 0.03, (100, 3)), columns=["tree", "forest", "stump"]
)
RUNS = SPLITS.assign(run=np.repeat(range(10), 10))
DATASETS = SPLITS.assign(dataset=np.repeat([f"d{i:02}" for i in range(20)], 5))


def ranked(scores, draws=1000, **columns):
    posterior = br.fit(br.from_folds(scores, train=90, test=10, **columns), seed=1, draws=draws)
    return posterior, br.credible_ranking(posterior)


def probability_above(difference, factor):
    """P(the first is better), by the t distribution of Corani and Benavoli (2015), equation 5."""
    scale = np.sqrt(factor * difference.var(ddof=1))
    return stats.t.sf(0, len(difference) - 1, difference.mean(), scale)


def test_every_difference_has_the_corrected_t_distribution():
    _, ranking = ranked(RUNS, draws=100_000, repeat="run")
    for one, other in (("tree", "forest"), ("tree", "stump")):
        expected = probability_above((SPLITS[one] - SPLITS[other]).to_numpy(), 1 / 100 + 1 / 9)
        found = ranking["superiority"].sel(entity=one, rival=other).item()
        assert found == pytest.approx(expected, abs=4.5 * np.sqrt(0.25 / 400_000))


def test_the_interval_of_a_learner():
    posterior, _ = ranked(RUNS, draws=50_000, repeat="run")
    drawn = groups_of(posterior)["posterior"]["mean_outcome"].sel(entity="tree").values.ravel()
    exact = stats.t(99, SPLITS["tree"].mean(), np.sqrt((1 / 100 + 1 / 9) * SPLITS["tree"].var()))
    assert stats.kstest(drawn, exact.cdf).pvalue > 1e-4


def test_data_sets_are_the_units_if_there_are_several():
    _, ranking = ranked(DATASETS, draws=100_000, dataset="dataset")
    means = DATASETS.groupby("dataset").mean()
    expected = probability_above((means["tree"] - means["forest"]).to_numpy(), 1 / 20)
    assert ranking["superiority"].sel(entity="tree", rival="forest").item() == pytest.approx(
        expected, abs=0.004
    )
    np.testing.assert_allclose(ranking["observed"], means.mean(), rtol=1e-12)


def test_one_run_supports_no_headline_about_learners():
    _, ranking = ranked(RUNS.iloc[:10].drop(columns="run"))
    assert ranking.attrs["caps"] == ["one_run_of_folds"]
    assert ranking.attrs["sets"] == "none"
    assert (ranking["rank_lower"] == 1).all()
    assert "one run of cross-validation cannot rule out any other" in br.verdict(ranking)[0]
    assert {"one_run_of_folds", "folds_of_one_dataset"} <= {
        *codes_in(ranking),
        *ranking.attrs["caps"],
    }
    _, repeated = ranked(RUNS, repeat="run")
    assert repeated.attrs["caps"] == []
    assert repeated["tier"].sel(entity="stump") == 2


@pytest.mark.parametrize(
    ("datasets", "caps"), [(2, ["datasets_too_few"]), (4, ["datasets_too_few"]), (5, [])]
)
def test_a_few_data_sets_rule_out_no_learner(datasets, caps):
    _, ranking = ranked(DATASETS.iloc[: 5 * datasets], dataset="dataset")
    assert ranking.attrs["caps"] == caps
    assert ranking.attrs["sets"] == ("none" if caps else "confidence")


def test_order_and_other_learners_change_no_draw():
    posterior, _ = ranked(RUNS, repeat="run")
    changed, _ = ranked(RUNS[::-1][["forest", "run", "tree"]], repeat="run")
    for name in ("tree", "forest"):
        one, other = (
            groups_of(p)["posterior"]["mean_outcome"].sel(entity=name) for p in (posterior, changed)
        )
        assert one.std().item() == pytest.approx(other.std().item(), rel=0.05)
    same, _ = ranked(RUNS[::-1], repeat="run")
    np.testing.assert_allclose(
        groups_of(same)["posterior"]["mean_outcome"],
        groups_of(posterior)["posterior"]["mean_outcome"],
        rtol=1e-12,
    )


def test_equal_learners_share_the_first_place():
    _, ranking = ranked(RUNS.assign(copy=RUNS["forest"]).drop(columns="tree"), repeat="run")
    assert ranking.attrs["headline"] == "shared"


@pytest.mark.parametrize(
    ("scores", "given", "said"),
    [
        (RUNS, {}, "'run' is probably not one"),
        (SPLITS.head(1), {}, "at least two splits"),
        (SPLITS.mask(SPLITS > 0.85), {}, "must be finite in each split"),
        (SPLITS.assign(kind="x"), {}, "column 'kind' holds none"),
        (SPLITS, {"train": 0}, "train must be whole numbers"),
        (SPLITS, {"test": "size"}, "test must name a column"),
        (SPLITS, {"test": None}, "test must be a number of cases"),
        (RUNS, {"repeat": "run", "dataset": "run"}, "dataset must name a different column"),
        (RUNS[["run"]], {"repeat": "run"}, "a column of scores for each learner"),
        (SPLITS.to_numpy(), {}, "must be a pandas DataFrame"),
    ],
)
def test_bad_input(scores, given, said):
    with pytest.raises((ValueError, TypeError, KeyError), match=said):
        br.from_folds(scores, **{"train": 90, "test": 10} | given)


def test_other_models_and_analyses_refuse_folds():
    folds = br.from_folds(RUNS, train=90, test=10, repeat="run")
    with pytest.raises(ValueError, match="must be correlated_folds for scores of folds"):
        br.fit(folds, "paired")
    with pytest.raises(ValueError, match="scores of folds have one model"):
        br.sensitivity(folds)
