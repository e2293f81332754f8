"""``bayesrank decide``: the same numbers as the library's, words that state their errors, errors that name options."""

import io

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import bayesrank as br
from bayesrank.cli import cli
from tests.test_terminal import split_table

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
