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


def error(*arguments):
    result = CliRunner().invoke(cli, ["scores", *arguments])
    assert result.exit_code != 0
    return f"{result.output} {result.exception}"


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
    assert "--score must name each score once; got f1 and F-one" in error("tornado", "-s", "f1", "-s", "F-one")


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


def test_what_is_said_of_the_prevalence():
    own = scores("breast_cancer", "--model", "beta_binomial", "--draws", "20", "--score", "ppv")
    assert "Precision (PPV) depends on the prevalence" in own
    moved = scores("breast_cancer", "--model", "beta_binomial", "--draws", "20", "--score", "ppv", "--prevalence", "2%")
    assert "depends on the prevalence" not in moved
    assert "At a prevalence of 0.02, to which the rates are taken to hold." in moved


def test_every_layout_shows_every_number():
    command = ["scores", "breast_cancer", "--draws", "50"]
    one = ["scores", "-", "--draws", "50"]
    narrow, wide = (on_terminals([command], columns)[0] for columns in (60, 250))
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


def test_undefined_is_a_dash():
    text = scores("-", "--draws", "50", "--score", "lr+", input="entity,tn,fp,fn,tp\na,90,0,5,45\nb,80,10,5,45\n")
    assert text.count("–") == 0  # the posterior has values
    text = scores("-", "--draws", "50", "--score", "lr+", input="entity,tn,fp,fn,tp\na,90,0,5,45\n")
    assert text.splitlines()[2].split()[-1] == "–"  # the observed one has not


def test_without_data_all_scores_are_listed():
    assert "diagnostic_odds_ratio" in scores()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--score", "f1"], "DATA must be given for --score"),
        (["--prevalence", "2%"], "DATA must be given for --prevalence"),
        (["--format", "csv"], "DATA must be given for --format"),
        (["--top", "3"], "DATA must be given for --top"),
        (["mnist_folds", "--draws", "5", "--score", "ppv"], "--score must be one of accuracy"),
        (["mnist_folds", "--draws", "5", "--prevalence", "2%"], "--prevalence must be left out for 10 classes"),
        (["mnist_folds", "--draws", "5", "--score", "mean_outcome"], "for 10 classes; got 'mean_outcome'"),
        (["langchain_tool_use", "--draws", "5", "--score", "f1"], "--score must be 'mean_outcome' for outcomes"),
        (["langchain_tool_use", "--draws", "5", "--prevalence", "2%"], "--prevalence must be left out for outcomes"),
        (["breast_cancer", "--score", "temperature"], "score must be one of those"),
        (["breast_cancer", "--draws", "5", "--score", "sens", "--score", "tpr"], "scores must name each score once"),
    ],
)
def test_errors_name_the_option(arguments, message):
    assert message in error(*arguments)


@pytest.mark.parametrize(
    ("typed", "same"), [("f0.7", br.scores.f_beta(0.7)), ("a=0.3,b=0.7", (0.3, 0.7)), ("tn=1,fp=1,fn=5,tp=1", None)]
)
def test_rank_takes_an_importance_a_place_and_any_f_score(typed, same, tmp_path):
    """Foundations, 4.3: a ranking score wherever a score is wanted."""
    path = tmp_path / "counts.csv"
    path.write_text("entity,tn,fp,fn,tp\nA,80,20,10,40\nB,70,30,5,45\n", encoding="utf-8")
    result = CliRunner().invoke(cli, ["rank", str(path), "--score", typed], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    wanted = br.importance(tn=1, fp=1, fn=5, tp=1) if same is None else same
    counts = br.from_counts(tn=[80, 70], fp=[20, 30], fn=[10, 5], tp=[40, 45], entity=["A", "B"])
    median = br.credible_ranking(br.fit(counts, seed=1), wanted)["median"].max().item()
    assert f"{median:.2f}" in result.output
