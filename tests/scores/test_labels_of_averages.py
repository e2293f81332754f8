"""``labels=`` restricts averages over classes as scikit-learn's does, and a missing answer is no class."""

import numpy as np
import pytest
import xarray as xr
from sklearn import metrics

import bayesrank as br
from bayesrank._core.source import groups_of

RNG = np.random.default_rng(11)
TRUTH = RNG.choice([*"abcd"], 240)
ANSWERS = np.where(RNG.random(240) < 0.6, TRUTH, RNG.choice([*"abcd", "?"], 240))
GUESS = {"m": ANSWERS, "other": np.roll(TRUTH, 1)}
FUNCTIONS = {
    "f1": metrics.f1_score,
    "precision": metrics.precision_score,
    "recall": metrics.recall_score,
    "jaccard": metrics.jaccard_score,
}


def counted(evidence):
    return groups_of(br.fit(evidence, draws=4, seed=1))["observed_data"]["counts"]


@pytest.mark.parametrize("labels", [["a", "c"], ["d", "b", "a"], [*"abcd"], [*"abcd", "?"]])
@pytest.mark.filterwarnings("ignore:y_pred contains classes")
def test_averages_are_over_the_labels(labels):
    counts, joint = (
        br.from_predictions(TRUTH, GUESS, labels=labels),
        br.joint_outcomes(TRUTH, GUESS, labels=labels),
    )
    for source in (counts, br.as_performance(counts), counted(counts), counted(joint)):
        for name, function in FUNCTIONS.items():
            for average in ("macro", "micro", "weighted"):
                theirs = function(TRUTH, ANSWERS, labels=labels, average=average, zero_division=0)
                ours = br.scores.get(f"{average}_{name}")(source).sel(entity="m").item()
                assert ours == pytest.approx(theirs, abs=1e-12), (average, name)
    assert br.scores.accuracy(counts).sel(entity="m").item() == pytest.approx(
        (TRUTH == ANSWERS).mean()
    )


@pytest.mark.parametrize("make", [br.from_predictions, br.joint_outcomes])
def test_draws_average_over_the_same_labels(make):
    posterior = br.fit(make(TRUTH, GUESS, labels=["a", "c"]), draws=50, seed=1)
    each = br.scores.f1(br.one_vs_rest(br.as_performance(posterior)).sel(label=["a", "c"]))
    np.testing.assert_allclose(br.scores.macro_f1(posterior), each.mean("label"), rtol=1e-9)
    ranking = br.credible_ranking(posterior, "macro_f1")
    theirs = metrics.f1_score(TRUTH, ANSWERS, labels=["a", "c"], average="macro")
    assert ranking["observed"].sel(entity="m").item() == pytest.approx(theirs)
    assert not ranking["contradicted"].any()
    assert any("not chosen: ?, b, d." in note for note in br.notes(ranking))
    assert br.plan(posterior, "macro_f1", seed=1)["success"].notnull().all()


def test_labels_survive_a_file_and_a_pool(tmp_path):
    counts = br.from_predictions(TRUTH, GUESS, labels=["a", "c"], dataset=["x"] * 100 + ["y"] * 140)
    theirs = metrics.f1_score(TRUTH, ANSWERS, labels=["a", "c"], average="macro")
    posterior = br.fit(br.pool(counts), draws=20, seed=1)
    posterior.to_netcdf(tmp_path / "p.nc")
    for source in (br.pool(counts), posterior["observed_data"]["counts"]):
        assert br.scores.macro_f1(source).sel(entity="m").item() == pytest.approx(theirs)
    with xr.open_datatree(tmp_path / "p.nc") as read:
        np.testing.assert_array_equal(br.scores.macro_f1(read), br.scores.macro_f1(posterior))


def test_a_missing_answer_is_wrong_and_no_class():
    """One missing answer of 240 must not cost a fifth of macro F1."""
    guess = TRUTH.astype(object)
    guess[0] = "(no answer)"
    counts = br.from_predictions(TRUTH, {"m": guess})
    wanted = metrics.f1_score(TRUTH, guess, labels=[*"abcd"], average="macro")
    assert br.scores.macro_f1(counts).item() == pytest.approx(wanted)
    assert wanted > 0.99
    assert br.scores.accuracy(counts).item() == pytest.approx(239 / 240)


@pytest.mark.parametrize(
    ("answers", "options", "message"),
    [
        (["A", "b"], {"labels": ["a", "b"]}, "must spell labels as in y_true, such as 'a'"),
        ([0.3, 0.9], {"labels": ["a", "b"]}, "not probabilities"),
        (
            ["x", "b"],
            {"labels": ["a", "b"], "positive": "b"},
            "positive cannot be used for 3 classes",
        ),
    ],
)
def test_misspelt_labels_are_no_others(answers, options, message):
    with pytest.raises(br.ArgumentError, match=message):
        br.from_predictions(["a", "b"], {"m": answers}, **options)


def test_a_misspelt_label_of_the_truth_is_refused():
    with pytest.raises(
        br.ArgumentError, match=r"holds the label 'Dog', not among labels .*did you mean 'dog'"
    ):
        br.from_predictions(
            ["cat", "Dog", "owl"], {"m": ["cat", "dog", "owl"]}, labels=["cat", "dog", "owl"]
        )


def test_truth_known_in_part_has_the_same_labels():
    truth = TRUTH.astype(object)
    truth[::6] = None
    posterior = br.fit(
        br.joint_outcomes(truth, GUESS, labels=["a", "c"]), draws=100, chains=1, seed=1
    )
    theirs = metrics.f1_score(TRUTH, ANSWERS, labels=["a", "c"], average="macro")
    over_all = metrics.f1_score(TRUTH, ANSWERS, average="macro", zero_division=0)
    found = br.scores.macro_f1(posterior).sel(entity="m").mean().item()
    assert found == pytest.approx(theirs, abs=0.05)
    assert abs(found - over_all) > 0.1
