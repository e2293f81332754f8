"""``bayesrank scores``: the library's table in a layout that any terminal has room for."""

import io
import json

import pandas as pd
import pytest
from click.testing import CliRunner

import bayesrank as br
from bayesrank.cli import cli
from tests.test_terminal import on_terminals

NAMES = ["tpr", "tnr", "ppv", "npv", "positive_likelihood_ratio", "negative_likelihood_ratio"]
NAMES += ["diagnostic_odds_ratio"]


def scores(*arguments, **options):
    result = CliRunner().invoke(cli, ["scores", *arguments], catch_exceptions=False, **options)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("prevalence", [None, "2%"])
def test_the_default_table_is_that_of_the_library(prevalence):
    given = [] if prevalence is None else ["--prevalence", prevalence]
    frame = pd.read_csv(io.StringIO(scores("breast_cancer", "--draws", "100", "--format", "csv", *given)))
    posterior = br.fit(br.datasets.load("breast_cancer"), draws=100, seed=1)
    table = br.score_table(posterior, NAMES, prevalence=None if prevalence is None else 0.02)
    assert frame["score"].tolist()[:7] == NAMES
    frame = frame.set_index(["entity", "score"])
    for name in ("median", "lower", "upper", "observed", "undefined"):
        expected = table[name].to_series().loc[frame.index]
        pd.testing.assert_series_equal(frame[name], expected, rtol=1e-12, check_names=False)
    first = frame.xs("tpr", level="score")["median"]
    assert first.is_monotonic_decreasing


def test_importances_places_and_other_betas_are_scores():
    typed = {"tn=1,fp=1,fn=5,tp=1": br.importance(tn=1, fp=1, fn=5, tp=1), "tn=1,fp=1,fn=2,tp=1": br.importance(
        tn=1, fp=1, fn=2, tp=1), "a=0.3,b=0.7": (0.3, 0.7), "f0.7": br.scores.f_beta(0.7)}  # fmt: skip
    given = [word for name in typed for word in ("--score", name)]
    frame = pd.read_csv(io.StringIO(scores("breast_cancer", "--draws", "50", "--format", "csv", *given)))
    posterior = br.fit(br.datasets.load("breast_cancer"), draws=50, seed=1)
    for name, score in zip(frame["score"].unique(), typed.values(), strict=True):
        wanted = br.score_table(posterior, [score])["median"].isel(score=0).to_series()
        found = frame[frame["score"] == name].set_index("entity")["median"]
        pd.testing.assert_series_equal(found, wanted.loc[found.index], rtol=1e-12, check_names=False)
    repeated = CliRunner().invoke(cli, ["scores", "tornado", "-s", "f1", "-s", "F-one"])
    assert "--score must name each score once; got f1 and F-one" in str(repeated.exception)


def test_a_score_that_is_better_low_comes_first_low():
    frame = pd.read_csv(
        io.StringIO(scores("breast_cancer", "--draws", "50", "--format", "csv", "--score", "LR-", "--score", "mcc"))
    )
    assert frame[frame["score"] == "negative_likelihood_ratio"]["median"].is_monotonic_increasing


@pytest.mark.parametrize(
    ("data", "names"),
    [
        ("mnist_folds", ["accuracy", "macro_tpr", "macro_ppv", "macro_f1", "mcc"]),
        ("langchain_tool_use", ["mean_outcome"]),
        ("livecodebench_execution", ["mean_outcome"]),
    ],
)
def test_any_task_has_default_scores_and_a_line_that_says_so(data, names):
    found = json.loads(scores(data, "--draws", "20", "--format", "json"))
    assert list(dict.fromkeys(row["score"] for row in found["scores"])) == names
    output = scores(data, "--draws", "20")
    assert "Note: These are the default scores, as no --score was given." in output
    assert "default scores" not in scores(data, "--draws", "20", "--score", names[0])


def test_every_layout_shows_every_number():
    command = ["scores", "breast_cancer", "--draws", "50"]
    one = ["scores", "-", "--draws", "50"]
    [narrow], [wide] = on_terminals([command], 60, 250)
    assert max(map(len, narrow.split("Sorted")[0].splitlines())) <= 60
    assert "Left out" not in narrow + wide
    frame = pd.read_csv(io.StringIO(scores(*command[1:], "--format", "csv")))
    for text in (narrow, wide):
        for row in frame.itertuples():
            assert row.entity in text
            if row.upper < 1:
                assert f"{row.median:.3f}" in text
                low = f"{row.lower:.3f}" if row.lower >= 0.0005 else f"{row.lower:.2g}"
                assert f"{low} to {row.upper:.3f}" in text
    assert narrow.count("Sorted by") == wide.count("Sorted by") == 1
    alone = scores(*one[1:], input="entity,tn,fp,fn,tp\nkit,90,10,5,45\n")
    assert alone.splitlines()[0].split() == ["kit", "median", "95%", "interval", "observed"]
    assert [line.split()[0] for line in alone.splitlines()[2:9]] == [
        "sensitivity", "specificity", "PPV", "NPV", "LR+", "LR-", "DOR",
    ]  # fmt: skip
    assert alone.splitlines()[2].split()[-1] == "0.900"


def test_without_data_all_scores_are_listed():
    assert "diagnostic_odds_ratio" in scores()
