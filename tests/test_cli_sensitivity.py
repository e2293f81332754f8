"""``bayesrank sensitivity``, and options of single cases that all commands share."""

import io
import json
import re

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import bayesrank as br
from bayesrank.cli import cli
from bayesrank.cli._errors import in_options
from bayesrank.cli._files import read_evidence


def run(*arguments):
    return CliRunner().invoke(cli, list(map(str, arguments)), catch_exceptions=True)


def test_the_table_is_that_of_the_function():
    options = ["--draws", "100", "--other-score", "f1", "--other-prior", "9"]
    done = run("sensitivity", "tornado", *options, "--format", "csv")
    frame = pd.read_csv(io.StringIO(done.output))
    f1 = br.scores.get("f1")
    counts = br.pool(br.datasets.load("tornado"))
    found = br.sensitivity(counts, "informedness", scores=[f1], priors=[9.0], draws=100, seed=1)
    assert frame["alternative"].unique().tolist() == found["alternative"].values.tolist()
    for name in ("median", "probability_best", "tier"):
        np.testing.assert_allclose(frame[name], found[name].values.ravel(), rtol=1e-12)


def test_it_leaves_in_every_form_and_takes_percent(tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text("entity,tn,fp,fn,tp\nlogreg,79,1,1,29\nknn5,70,10,9,21\n")
    asked = ["sensitivity", path, "--draws", "50", "--score", "f1", "--other-prevalence", "2%"]
    frame = pd.read_csv(io.StringIO(run(*asked, "--format", "csv").output))
    held = json.loads(run(*asked, "--format", "json").output)
    assert [one["entity"] for one in held["alternatives"]] == frame["entity"].tolist()
    assert "prevalence 0.02" in frame["alternative"].tolist()
    plain = run(*asked).output
    assert all(sentence in plain for sentence in held["verdict"])
    assert " (2)" not in plain  # one leader of several rows has one name
    assert all(word in plain for word in ("alternative", "leader", "P(best)", "survive"))


@pytest.mark.slow
@pytest.mark.parametrize(("form", "row"), [("markdown", "| base | logreg |"), ("latex", r"base & logreg &")])
def test_it_leaves_as_a_table_of_a_paper(form, row, tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text("entity,tn,fp,fn,tp\nlogreg,79,1,1,29\nknn5,70,10,9,21\n")
    assert row in run("sensitivity", path, "--draws", "50", "--score", "f1", "--format", form).output


def test_words_are_those_of_the_function(tmp_path):
    rng = np.random.default_rng(2)
    path = tmp_path / "cases.csv"
    frame = pd.DataFrame({"good": rng.binomial(1, 0.8, 60), "bad": rng.binomial(1, 0.4, 60)})
    frame.assign(dataset=["s", "t"] * 30).to_csv(path, index=False)
    done = run("sensitivity", path, "--draws", "200")
    joint = br.from_outcomes(frame.assign(dataset=["s", "t"] * 30), dataset="dataset")
    found = br.sensitivity(joint, seed=1, draws=200)
    for line in br.verdict(found):
        assert line in done.output.split("\n")
    assert "without data set s" in done.output
    assert "without data set s" not in run("sensitivity", path, "--draws", "50", "--no-leave-out").output
    assert "without data set" not in run("sensitivity", path, "--draws", "50", "--dataset", "s").output
    other = run("sensitivity", path, "--draws", "50", "--other-model", "dirichlet_multinomial").output
    assert "model dirichlet_multinomial" in other


CASES = "a,b,c\n1,0,1\n1,,0\n0,1,1\n1,1,\n" + "1,0,1\n0,0,1\n" * 30
LONG = "entity,case,actual,predicted\na,1,x,x\na,2,y,x\na,3,y,y\nb,1,x,x\nb,2,y,\nb,4,x,y\na,4,x,x\nb,3,y,x\n"


def test_missing_answers(tmp_path):
    """What br.from_outcomes does about them, asked for as the command asks."""
    path = tmp_path / "cases.csv"
    path.write_text(CASES)
    with pytest.raises(ValueError, match=r"line 3: b must not be empty .--missing common keeps"):
        read_evidence(str(path))
    frame = pd.read_csv(path)
    for missing in ("common", "own", 0.0):
        wanted = br.from_outcomes(frame, missing=missing)
        assert read_evidence(str(path), missing=missing).identical(wanted)
        done = run("rank", path, "--missing", missing, "--draws", "50", "--format", "csv")
        ranking = br.credible_ranking(br.fit(wanted, "paired", draws=50, seed=1), "mean_outcome")
        table = pd.read_csv(io.StringIO(done.output), index_col="entity")["median"]
        np.testing.assert_allclose(table[list("abc")], ranking["median"].sel(entity=list("abc")), rtol=1e-12)
    # Where a label is missing, too, and where a row is.
    path.write_text(LONG)
    assert int(read_evidence(str(path), missing="common")["count"].sum()) == 3
    with pytest.raises(ValueError, match=r"missing must be one of .'common'., or None"):
        read_evidence(str(path), missing="own")
    path.write_text("entity,case,outcome\na,1,1\na,2,0\nb,1,1\n")
    with pytest.raises(ValueError, match=r"none for entity 'b' on case '2' .--missing common, --missing own or"):
        read_evidence(str(path))
    assert np.isnan(read_evidence(str(path), missing="own")["outcome"].values).sum() == 1
    path.write_text("entity,tn,fp,fn,tp\na,1,2,3,4\n")
    with pytest.raises(ValueError, match="--missing must be left out of counts"):
        read_evidence(str(path), missing="own")


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("prior must be a number; got 'x'", "--prior must be a number; got 'x'"),
        ("evidence must hold a case (br.fit(..., force=True) accepts it)", "DATA must hold a case"),
        ("statement must have an end; got 'a >'", "--ask must have an end; got 'a >'"),
        ("frame must have one (missing='common', missing=0)", "DATA must have one (--missing common, --missing 0)"),
        ("x (positive='a b' says which) (or, in Python, y.z(positive='a b'))", "x (--positive 'a b' says which)"),
        ("x (--dataset NAME, in Python br.fit)", "x (--dataset NAME, in Python br.fit)"),
        ("prevalences must lie", "--other-prevalence must lie"),
        ("--prior must be", "--prior must be"),
        ("priority must be", "priority must be"),
    ],
)
def test_errors_name_options(said, meant):
    assert in_options(said) == meant


def test_no_error_advises_what_a_shell_cannot_do(tmp_path, capsys, monkeypatch):
    from bayesrank.cli import main

    path = tmp_path / "counts.csv"
    for text, options, start in (
        ("a,0,0,1,4\nb,3,1,2,2\n", ["--prior", "haldane"], "--prior must be positive, as four_cases, uniform"),
        ("a,0,0,0,0\nb,3,1,2,2\n", [], "DATA must hold at least one case of every entity"),
        (
            "a,5,1,1,4\nb,3,1,2,2\n",
            ["--prior", "flat"],
            "--prior must be one of ['four_cases', 'uniform', 'jeffreys', 'haldane', 'unit'], or a number; got",
        ),
    ):
        path.write_text("entity,tn,fp,fn,tp\n" + text)
        monkeypatch.setattr("sys.argv", ["bayesrank", "rank", str(path), *options])
        with pytest.raises(SystemExit):
            main()
        said = capsys.readouterr().err
        assert said.startswith(f"bayesrank: {start}")
        assert not re.search(r"br\.|force", said)


@pytest.mark.slow
def test_a_sampler_keeps_quiet(tmp_path):
    """Of a process of its own: PyTensor warns once, when it is first used."""
    import subprocess
    import sys

    path = tmp_path / "counts.csv"
    path.write_text("entity,tn,fp,fn,tp\na,70,10,9,21\nb,79,1,1,29\n")
    code = "from bayesrank.cli import main; main()"
    command = [sys.executable, "-c", code, "rank", str(path), "--sampler", "nuts", "--draws", "50"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stderr == ""
