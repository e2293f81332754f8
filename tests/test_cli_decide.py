"""``bayesrank decide``: the same numbers as the library's, words that state their errors, errors that name options."""

import io

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import bayesrank as br
from bayesrank.cli import cli
from tests.test_terminal import on_terminals, split_table

BENEFIT = "tn=0,fp=-1,fn=-10,tp=0"
WORTH = {"tn": 0, "fp": -1, "fn": -10, "tp": 0}


def decide(*arguments):
    return CliRunner().invoke(cli, ["decide", *arguments, "--draws", "200"])


def test_the_table_is_that_of_the_library():
    done = decide("breast_cancer", "--benefit", BENEFIT, "--prevalence", "0.02", "--always", "--format", "csv")
    frame = pd.read_csv(io.StringIO(done.output), index_col="entity")
    posterior = br.fit(br.datasets.load("breast_cancer"), prevalence=0.02, draws=200, seed=1)
    found = br.decisions.expected_utility(posterior, WORTH, strategies=True)
    for name in ("mean", "lower", "upper", "probability_best", "expected_regret"):
        np.testing.assert_allclose(frame[name], found[name].sel(entity=frame.index.tolist()), rtol=1e-9)
    assert (frame["mean"].diff().iloc[1:] <= 0).all()
    printed = decide("breast_cancer", "--benefit", BENEFIT, "--prevalence", "0.02", "--always").output
    heading, rows, _, below = split_table(printed)
    assert heading == ["entity", "expected utility", "95% interval", "P(best)", "regret"]
    assert [row[0] for row in rows] == frame.index.tolist()
    assert float(rows[0][1]) == pytest.approx(frame["mean"].iloc[0], abs=6e-5)
    for line in br.verdict(found):
        assert line in below
    value = float(found["value_of_perfect_information"])
    assert f"instead of the true best: {value:.2g} per case (in the unit of the benefits)." in below


def test_against_a_reference():
    arguments = ("breast_cancer", "--benefit", BENEFIT, "--reference", "logreg", "--margin-tnr", "0.1")
    frame = pd.read_csv(io.StringIO(decide(*arguments, "--format", "csv").output), index_col="entity")
    posterior = br.fit(br.datasets.load("breast_cancer"), draws=200, seed=1)
    found = br.decisions.noninferiority(posterior, "logreg", tnr=0.1)
    for name in ("noninferior", "superior_error", "tnr_noninferior"):
        np.testing.assert_allclose(frame[name][found["entity"].values.tolist()], found[name], rtol=1e-9)
    assert frame["verdict"].isna().sum() == 1
    printed = decide(*arguments).output
    assert "against logreg" in printed
    assert "TPR above that of logreg minus 0.05" in printed
    assert "TNR above it minus 0.1" in printed
    assert "equivalent" in printed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["breast_cancer"], "Missing option '--benefit'"),
        (["breast_cancer", "--benefit", "tn=0"], "--benefit must be tn=NUMBER"),
        (["breast_cancer", "--benefit", "tn=0,fp=x,fn=1,tp=1"], "--benefit must be tn=NUMBER"),
        (["breast_cancer", "--benefit", "tn=0,fp=1,fn=1,tp=nan"], "--benefit must be tn=NUMBER"),
        (["breast_cancer", "--benefit", "tn=0,tn=0,fp=1,fn=1,tp=2"], "--benefit must be tn=NUMBER"),
        (["breast_cancer", "--benefit", BENEFIT, "--margin-tpr", "0.1"], "--margin-tpr must go with --reference"),
        (
            ["breast_cancer", "--benefit", BENEFIT, "--reference", "lda", "--margin-tnr", "2"],
            "--margin-tnr must lie between 0 and 1; got 2",
        ),
        (["breast_cancer", "--benefit", BENEFIT, "--reference", "nobody"], "--reference must be one of logreg"),
        (["mnist_folds", "--benefit", BENEFIT], "DATA must have two classes for a benefit of four cells; got 10"),
        (["small_studies", "--benefit", BENEFIT, "--always"], "--prevalence must be a number for --always"),
        (["breast_cancer", "--benefit", BENEFIT, "--prevalence", "2"], "prevalence must lie between 0 and 1"),
    ],
)
def test_errors_name_the_option(arguments, message):
    result = decide(*arguments)
    assert result.exit_code != 0
    assert message in f"{result.output} {result.exception}"


def test_numbers_are_whole_on_any_terminal():
    command = ["decide", "breast_cancer", "--benefit", BENEFIT, "--draws", "100", "--reference", "logreg"]
    _, rows, lines, _ = split_table(on_terminals([command], 60)[0])
    assert max(map(len, lines)) <= 60
    assert len(rows) == 9
    assert all(float(row[1]) <= 0 for row in rows)
