"""Scores are found: scikit-learn's names, one class of several, groups, completion, and the direction of outcomes."""

import numpy as np
import pytest
import sklearn.metrics as sk

import bayesrank as br
from bayesrank._core.source import groups_of
from bayesrank.cli._options import SCORE_TYPE
from tests.commands import invoke, refused

RNG = np.random.default_rng(1)
TRUTH, GUESS = RNG.choice(list("abc"), 80), RNG.choice(list("abc"), 80)
JOINT = br.joint_outcomes(TRUTH, {"m": GUESS, "n": TRUTH})


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("f1_macro", "macro_f1"),
        ("precision_weighted", "weighted_ppv"),
        ("recall_score", "tpr"),
        ("balanced_accuracy_score", "balanced_accuracy"),
        ("neg_brier_score", "brier"),
        ("neg_log_loss", "log_loss"),
        ("neg_mean_squared_error", "mean_squared_error"),
        ("average_precision", "average_precision"),
        ("roc_auc", "auc_roc"),
        ("cohen_kappa_score", "cohen_kappa"),
    ],
)
def test_names_of_scikit_learn(name, found):
    assert br.scores.get(name).name == found
    if name.startswith("neg"):
        assert br.scores.get(name).higher_is_better is False


@pytest.mark.parametrize(
    "name", ["neg_accuracy", "negf1", "f1_samples", "colour:a", "f1:", "macro_f1:a"]
)
def test_names_that_mean_nothing_are_refused(name):
    with pytest.raises((KeyError, ValueError)):
        br.scores.get(name)


@pytest.mark.parametrize(
    "label", ["b", *(pytest.param(other, marks=pytest.mark.slow) for other in "ac")]
)
def test_one_class_against_the_rest_is_scikit_learns(label):
    posterior = br.fit(JOINT, seed=1, draws=100)
    counts = groups_of(posterior)["observed_data"]["counts"]
    wanted = sk.f1_score(TRUTH, GUESS, labels=[label], average="macro")
    assert br.scores.get(f"f1:{label}")(counts).sel(entity="m").item() == pytest.approx(
        wanted, abs=1e-12
    )
    order = {"actual": list("cab"), "predicted": list("cab")}
    assert br.scores.get(f"f1:{label}")(counts.sel(order)).sel(entity="m").item() == pytest.approx(
        wanted, abs=1e-12
    )
    drawn = br.one_vs_rest(br.as_performance(posterior)).sel(label=label)
    np.testing.assert_allclose(
        br.scores.get(f"recall:{label}")(posterior), br.scores.tpr(drawn), rtol=1e-9
    )
    ranking = br.credible_ranking(posterior, f"f1:{label}")
    assert ranking["entity"].values[ranking["consensus_position"].argmin()].item() == "n"
    assert br.plan(posterior, f"f1:{label}", seed=1)["success"].notnull().all()


def test_messages_name_the_forms_for_more_classes():
    with pytest.raises(ValueError, match="'macro_f1' or 'weighted_f1', or f1:CLASS for one class"):
        br.credible_ranking(br.fit(JOINT, seed=1, draws=10), "f1")
    with pytest.raises(ValueError, match=r"one of the classes \['a', 'b', 'c'\]"):
        br.credible_ranking(br.fit(JOINT, seed=1, draws=10), "f1:z")


def test_the_list_has_groups_and_shells_complete_names():
    shown = invoke("scores")
    heads = [line for line in shown.splitlines() if line.startswith("Scores of")]
    assert len(heads) == len(set(br.scores.catalog()["space"]))
    completed = {item.value for item in SCORE_TYPE.shell_complete(None, None, "auc")}
    assert completed == {"auc_roc", "auc_gain"}


@pytest.mark.parametrize("heading", ["{} error", "loss_{}", "{}: time", "cost {}", "{}-rank"])
def test_headings_of_errors_ask_for_the_direction(tmp_path, heading):
    names = [heading.format(name) for name in ("svm", "rf")]
    (tmp_path / "t.csv").write_text(",".join(names) + "\n" + "1,0\n0,0\n1,1\n0,0\n" * 3)
    entities = ["--entities", ",".join(names), "--draws", 20]
    said = refused("rank", tmp_path / "t.csv", *entities)
    assert "--lower-is-better" in said
    first = invoke("rank", tmp_path / "t.csv", *entities, "--lower-is-better").splitlines()
    assert any(line.startswith(names[1]) for line in first)
    assert "95% ranks" in invoke("rank", tmp_path / "t.csv", *entities, "--higher-is-better")
    assert "--lower-is-better" in refused(
        "rank", tmp_path / "t.csv", "--lower-is-better", "--higher-is-better"
    )
