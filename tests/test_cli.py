"""The command: the numbers of the package, words that state them, exit codes, and silence in a pipe."""

import re
import shlex
import subprocess
import sys
import warnings
import zipfile
from pathlib import Path

import click
import numpy as np
import pandas as pd
import pytest

import bayesrank as br
from bayesrank._core.errors import Advice, ArgumentError, InPython, Typed
from bayesrank.cli import in_options, main
from bayesrank.cli._typed import read_preferences
from bayesrank.cli.report import report_beside
from tests.commands import csv_of, invoke, json_of, refused
from tests.test_terminal import on_terminals, split_table

TWO = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["null", "NA"])
BENEFIT = "tn=0,fp=-1,fn=-10,tp=0"
WORTH = {"tn": 0, "fp": -1, "fn": -10, "tp": 0}
DIAGNOSTIC = ["sens", "spec", "ppv", "npv", "lr+", "lr-", "dor"]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text("entity,tn,fp,fn,tp\nnull,70,10,9,21\nNA,79,1,1,29\n")
    return str(path)


@pytest.fixture
def studies(tmp_path):
    """Two tests in three studies, which differ."""
    path = tmp_path / "studies.csv"
    rows = [
        "a,x,45,5,4,16",
        "a,y,38,12,9,11",
        "a,z,90,10,2,28",
        "b,x,60,40,1,19",
        "b,y,44,6,12,8",
        "b,z,95,5,6,24",
    ]
    path.write_text("\n".join(["entity,dataset,tn,fp,fn,tp", *rows]))
    return str(path)


def python(*arguments):
    return subprocess.run([sys.executable, "-c", *arguments], capture_output=True, text=True)


def test_rank_prints_a_table_and_a_verdict_and_nothing_else(table):
    done = python(
        "from bayesrank.cli import main; main()", "rank", table, "--score", "f1", "--draws", "200"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    assert [line for line in done.stdout.splitlines() if line.endswith(" ")] == []
    for word in (
        "Ranking of 2 entities by F1.",
        "entity",
        "P(best)",
        "tier",
        "null",
        "NA",
        "95% interval",
    ):
        assert word in done.stdout
    assert "NA is best: P(best) > 0.999." in done.stdout


def test_an_interrupt_while_it_is_loaded_is_one_line():
    code = (
        "import sys\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'bayesrank.cli.rank': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "from bayesrank.cli import main\n"
        "main()"
    )
    done = python(code, "rank", "tornado")
    assert (done.returncode, done.stdout, done.stderr.strip()) == (
        130,
        "",
        "bayesrank: interrupted",
    )


@pytest.mark.parametrize(
    ("name", "code"), [("SIGTERM", 143), pytest.param("SIGHUP", 129, marks=pytest.mark.slow)]
)
def test_a_signal_to_end_leaves_no_temporary_folder(name, code, tmp_path):
    """A signal that arrives while logs are unpacked ends the command as an exit does."""
    archive = tmp_path / "logs.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("model.json", '[{"task_id": 1, "reward": 1, "info": {}}]')
    (tmp_path / "unpacked").mkdir()
    code_of = (
        "import os, signal, tempfile\n"
        f"tempfile.tempdir = {str(tmp_path / 'unpacked')!r}\n"
        "from bayesrank.cli import main\n"
        "from bayesrank.io.logs import files\n"
        f"signal.signal(signal.{name}, signal.SIG_DFL)\n"  # as in a terminal, whatever runs the tests
        "def interrupt(*_):\n"
        "    assert os.listdir(tempfile.tempdir)\n"
        f"    os.kill(os.getpid(), signal.{name})\n"
        "files._recognise = interrupt\n"
        "main()"
    )
    done = python(code_of, "convert", archive)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", "")
    assert not list((tmp_path / "unpacked").iterdir())


@pytest.mark.parametrize(
    ("stage", "words"),
    [
        (
            "reading",
            "(fewer cases or entities in DATA, or the counts of their outcomes instead of single cases)",
        ),
        (
            "drawing",
            "(fewer --draws, or fewer cases or entities in DATA, or the counts of their outcomes",
        ),
    ],
)
def test_too_little_memory_names_its_cause(stage, words, table, capsys, monkeypatch):
    def analyse(step, **_):
        step(stage)
        raise MemoryError

    monkeypatch.setattr("bayesrank.cli.rank.analyse", analyse)
    monkeypatch.setattr("sys.argv", ["bayesrank", "rank", table])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    assert (ended.value.code, said.out) == (2, "")
    assert said.err.startswith(f"bayesrank: the memory is too small: no more can be had {words}")


@pytest.mark.slow
def test_a_sampler_keeps_quiet(table):
    """Of a process of its own: PyTensor warns once, when it is first used."""
    code = "from bayesrank.cli import main; main()"
    done = python(code, "rank", table, "--sampler", "nuts", "--draws", "50")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("rank no_such_thing", "DATA must be a file that exists"),
        ("rank tornado --draws many", "Invalid value for '--draws': 'many' is not a valid integer"),
        ("rang", "No such command 'rang'"),
        ("rank tornado --prior flat", "--prior must be one of ['one_case', 'four_cases'"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(typed, message, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["bayesrank", *typed.split()])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    assert (ended.value.code, said.out) == (2, "")
    assert said.err.startswith(f"bayesrank: {message}")
    assert said.err.count("\n") == 1
    assert not re.search(r"br\.|force", said.err)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (("prior", "must be a number", "'x'"), "--prior must be a number; got 'x'"),
        (
            ("evidence", "must contain a case", "", InPython("br.fit(..., force=True) accepts it")),
            "DATA must contain a case",
        ),
        (("statement", "must have an end", "'a >'"), "--ask must have an end; got 'a >'"),
        (
            (
                "frame",
                "must have one",
                "",
                Advice(Typed("missing", "common"), ", ", Typed("missing", 0)),
            ),
            "DATA must have one (--missing common, --missing 0)",
        ),
        (
            (
                *("x", Advice("must be y, as ", Typed("positive", "a b"), " says"), ""),
                InPython("y.z(positive='a b')"),
            ),
            "x must be y, as --positive 'a b' says",
        ),
        (
            (
                "case",
                "must be one",
                Advice(
                    "without ", Typed("missing"), InPython(" of br.fit"), ", or ", Typed("k", 1)
                ),
            ),
            "case must be one; got without --missing, or k=1",
        ),
        # Words and names that look like arguments, or like Python.
        (("x", "must be missing=0"), "x must be missing=0"),
        (
            ("runs/a,seed=2", "must not be positive='b'", "prior=1 (or, in Python, br.fit)"),
            "runs/a,seed=2 must not be positive='b'; got prior=1 (or, in Python, br.fit)",
        ),
        (
            ("x", "is y", "", "--dataset NAME, in Python br.fit"),
            "x is y (--dataset NAME, in Python br.fit)",
        ),
        (("counts.csv, line 3: tn", "must be a count"), "counts.csv, line 3: tn must be a count"),
        (("--prior", "must be one"), "--prior must be one"),
        (("priority", "must be one"), "priority must be one"),
    ],
)
def test_errors_name_options(said, meant):
    options = [["--prior"], ["--ask", "statement"], ["--missing"], ["--positive"]]
    command = click.Command("rank", params=[click.Option(names) for names in options])
    assert str(in_options(ArgumentError(*said), command)) == meant


@pytest.mark.parametrize(
    "bug",
    [
        lambda *_, **__: np.zeros(3) + np.zeros(4),
        lambda *_, **__: {"a": 1}["b"],
        lambda *_, **__: float("none"),
        lambda *_, **__: [].append(1, 2),
    ],
    ids=["broadcasting", "a missing key", "a value", "a type"],
)
def test_a_bug_is_a_traceback_with_a_request_to_report_it(bug, table, capsys, monkeypatch):
    monkeypatch.setattr("bayesrank.cli.rank.analyse", bug)
    monkeypatch.setattr("sys.argv", ["bayesrank", "rank", table])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    assert (ended.value.code, said.out) == (70, "")
    assert said.err.startswith("Traceback (most recent call last)")
    assert said.err.splitlines()[-1].endswith(
        "please report it with the command and the lines above"
    )


def test_csv_and_json_hold_the_same_as_python(table):
    """Also what is asked of the order, which the table answers where it can, whatever the draws say."""
    joined = "NA > null or null is best"
    options = ["rank", table, "--score", "f1", "--draws", "50", "--seed", "3"]
    asked = ["--ask", "NA > null", "--ask", "null in top 1", "--ask", joined]
    csv, found = csv_of(*options), json_of(*options, *asked)
    posterior = br.fit(TWO, draws=50, seed=3)
    ranking, drawn = (
        br.credible_ranking(posterior, "f1", method="auto"),
        br.probability(posterior, joined, "f1"),
    )
    expected = br.ranking_table(ranking)
    assert (
        csv.index.tolist() == [row["entity"] for row in found["ranking"]] == expected.index.tolist()
    )
    for column in expected.columns:
        assert csv[column].astype(float).tolist() == pytest.approx(expected[column].tolist()), (
            column
        )
        assert [row[column] for row in found["ranking"]] == pytest.approx(
            expected[column].tolist(), abs=1e-8
        ), column
    assert found["verdict"] == br.verdict(ranking)
    assert [one["method"] for one in found["asked"]] == ["exact", "exact", "draws"]
    wanted = (
        ranking["superiority"].sel(entity="NA", rival="null"),
        ranking["probability_best"].sel(entity="null"),
    )
    assert [one["probability"] for one in found["asked"]] == [*wanted, drawn["probability"]]
    lines = [line for line in invoke(*options, *asked).splitlines() if ": probability" in line]
    error = float(drawn["probability_error"])
    ends = ["(without draws).", "(without draws).", f"(from draws, Monte-Carlo error {error:.2g})."]
    assert all(line.endswith(end) for line, end in zip(lines, ends, strict=True))
    assert "--ask cannot be used for --format csv" in refused(*options, *asked, "--format", "csv")


def test_the_answer_stands_above_the_table_and_columns_are_added_on_request(table):
    shown = invoke(
        "rank",
        table,
        "--score",
        "ppv",
        "--prevalence",
        "2%",
        "--top",
        "1",
        "--columns",
        "expected_rank",
    )
    title, headline, blank, heading = shown.splitlines()[1:5]
    assert title == "Ranking of the first of 2 entities by precision (PPV); prevalence 2%."
    assert headline.startswith("NA is best")
    assert blank == ""
    assert heading.split()[-1] == "expected_rank"
    assert "--columns must contain names among" in refused("rank", table, "--columns", "nothing")


def test_a_hierarchical_model_keeps_data_sets_apart(studies):
    command = [
        "rank",
        studies,
        "--model",
        "hierarchical_beta_binomial",
        "--draws",
        "50",
        "--score",
        "tpr",
    ]
    typical, new = (csv_of(*command, "--kind", kind) for kind in ("typical", "new"))
    assert (typical["upper"] - typical["lower"] < new["upper"] - new["lower"]).all()
    # How much data sets differ is in the numbers.
    posterior = br.fit(br.from_frame(pd.read_csv(studies)), command[3], draws=50, seed=1)
    found = br.heterogeneity(posterior, "tpr")
    assert {"typical", "new_upper", "between_sd", "share_lower"} <= set(found.data_vars)
    for name in map(str, found.data_vars):
        assert typical[name].tolist() == pytest.approx(
            found[name].sel(entity=typical.index.tolist()).values.tolist()
        )
    shown = invoke(*command, "--notes")
    assert "The model is fitted to 3 data sets, each with its own rates." in shown
    assert (
        br.verdict(
            found.sel(entity=[br.ranking_table(br.credible_ranking(posterior, "tpr")).index[0]])
        )[0]
        in shown
    )
    assert "The model is fitted to" not in invoke(*command, "--dataset", "x")
    assert "--kind cannot be used" in refused("rank", studies, "--kind", "new")


@pytest.mark.parametrize("command", ["rank", "tile", "ops"])
def test_different_data_sets_are_pooled_only_where_all_saw_them(command, tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text("entity,dataset,tn,fp,fn,tp\na,x,70,10,9,21\nb,x,79,1,1,29\na,y,9,1,0,10\n")
    message = refused(command, path)
    assert (
        "DATA must have the same data sets for every entity to be pooled; got 'b' without 'y' (--join inner"
        in message
    )
    inner, one = (
        invoke(command, path, "--draws", "20", *more)
        for more in (["--join", "inner"], ["--dataset", "x"])
    )
    assert (
        "Note: Pooled over 1 data set of 2, seen by every entity; --dataset chooses one." in inner
    )
    assert inner.splitlines()[2:5] == one.splitlines()[2:5]
    path.write_text("entity,dataset,tn,fp,fn,tp\na,x,70,10,9,21\nb,y,79,1,1,29\n")
    for join in ("exact", "inner"):
        message = refused(command, path, "--join", join)
        assert "got 'a' without 'y'; 'b' without 'x' (--model crossed" in message


@pytest.mark.parametrize(
    ("data", "shown", "named"),
    [
        ("breast_cancer", "informedness (Youden's J)", []),
        ("mnist_folds", "accuracy", ["accuracy."]),
        ("langchain_tool_use", "mean outcome", ["mean outcome, the mean of outcomes from 0 to 1."]),
    ],
)
def test_the_default_score_is_one_that_the_data_speak_of(data, shown, named):
    """Of ten classes there is no informedness; outcomes have no classes at all."""
    output = invoke("rank", data, "--draws", "50")
    assert re.split(r"\s{2,}", output.splitlines()[4])[1] == shown
    assert re.search(
        rf"\n(If you pick .* in|The difference is [−\d.]+) {re.escape(shown)}[ .]", output
    )
    said = [line for line in output.splitlines() if "No --score was given" in line]
    assert said == [f"Note: No --score was given: the ranking is by {words}" for words in named]
    assert "No --score" not in invoke(
        "rank", data, "--draws", "20", "--score", shown.split(" (")[0]
    )


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (name != "tornado"))
        for name in br.datasets.names()
    ],
)
def test_every_shipped_data_set_can_be_ranked_as_it_is(name):
    outcomes = name in ("langchain_tool_use", "imagenet_models", "face_classifiers")
    # No study used all three tests, so there is nothing to pool.
    model = ["--model", "hierarchical_logit_normal"] if name == "scheidler_lymph_imaging" else []
    score = (
        "mean_outcome" if outcomes or name in ("trajectory_judges", "agent_runs") else "accuracy"
    )
    score = (
        "strength"
        if name in ("puddings", "arena_battles")
        else "auc_roc"
        if name.startswith("roc")
        else score
    )
    assert "95% ranks" in invoke("rank", name, "--score", score, "--draws", "10", *model)


def test_nothing_defined_is_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shown = invoke("rank", "tornado", "--prevalence", "0", "--draws", "20")
    assert "Nothing to rank: no forecaster has a defined informedness (Youden's J).\n" in shown


# The Tile


@pytest.mark.parametrize(
    ("text", "same", "words"),
    [
        ("around f1", br.tile.around("f1"), "within 0.1 of f1 on the Tile, uniformly."),
        (
            "around (0.5, 1) 0.3",
            br.tile.around((0.5, 1), 0.3),
            "within 0.3 of (0.5, 1) on the Tile, uniformly.",
        ),
        (
            "around balanced_accuracy",
            br.tile.around("balanced_accuracy", 0.1, 0.3),
            "within 0.1 of balanced_accuracy",
        ),
        (
            "between ppv and tpr",
            br.tile.between("ppv", "tpr"),
            "on the line between ppv and tpr, uniformly.",
        ),
        (
            "between tnr, ppv and (1 0.5)",
            br.tile.between("tnr", "ppv", (1, 0.5)),
            "in the region between tnr, ppv and",
        ),
        (
            "over F scores",
            br.tile.over("f_scores"),
            "f scores (the F-scores, from PPV to TPR), uniformly.",
        ),
        (
            "beta 1 1 4 1",
            br.tile.beta_preferences((1, 1), (4, 1)),
            "a ~ Beta(1, 1), b ~ Beta(4, 1). Which distribution is uniform is",
        ),
        (
            "beta 2 1 4 1",
            br.tile.beta_preferences((2, 1), (4, 1)),
            "a ~ Beta(2, 1), b ~ Beta(4, 1).",
        ),
    ],
)
def test_a_preference_is_what_python_makes_of_it(text, same, words):
    found, line = read_preferences(text, 0.3 if "balanced" in text else None)
    assert found.identical(same)
    assert line.startswith(f"Preferences: {words}")
    assert ("is a convention" in line) == (text != "beta 2 1 4 1")


def test_preferences_rank_as_in_python(table):
    found = json_of("tile", table, "--preference", "over F scores", "--draws", "50", "--seed", "3")
    ranking = br.tile.preference_ranking(br.fit(TWO, draws=50, seed=3), br.tile.over("f_scores"))
    for row in found["entities"]:
        one = ranking.sel(entity=row["entity"])
        for name in (
            "probability_best",
            "expected_rank",
            "rank_marginal_lower",
            "rank_marginal_upper",
        ):
            assert row[name] == pytest.approx(one[name].item())


def test_the_observed_tile_moves_to_the_prevalence_asked_for():
    shifted = br.performance.shift_prior(br.datasets.load("tornado").sum("dataset"), 0.5)
    share = 100 * br.tile.shares(shifted).sel(entity="Finley").item()
    assert f"{share:.1f}%" in invoke("tile", "tornado", "--observed", "--prevalence", "0.5")
    assert f"{share:.1f}%" not in invoke("tile", "tornado", "--observed")
    for option, value in (("--resolution", "5"), ("--prob", "0.8"), ("--draws", "5")):
        message = f"{option} cannot be used with --observed, "
        assert message in refused("tile", "tornado", "--observed", option, value)
    message = "--resolution cannot be used for --preference without --picture"
    typed = "--preference", "around f1", "--resolution", "5"
    assert message in refused("tile", "tornado", *typed)


# Decisions


def test_one_data_set_of_shipped_data_has_a_model_of_its_own():
    """The usual model of these data compares entities within several data sets."""
    assert "see5" in invoke("ops", "utah_trees", "--dataset", "PIPO", "--draws", "20")


def test_decide_is_the_expected_utility_and_the_comparison_of_the_package():
    command = [
        "decide",
        "breast_cancer",
        "--benefit",
        BENEFIT,
        "--prevalence",
        "0.02",
        "--draws",
        "50",
    ]
    compared = [*command, "--reference", "logreg", "--margin-tnr", "0.1"]
    posterior = br.fit(br.datasets.load("breast_cancer"), prevalence=0.02, draws=50, seed=1)
    found = br.decisions.expected_utility(posterior, WORTH, strategies=True)
    frame = csv_of(*command, "--always")
    for name in ("mean", "lower", "upper", "probability_best", "expected_regret"):
        np.testing.assert_allclose(
            frame[name], found[name].sel(entity=frame.index.tolist()), rtol=1e-9
        )
    assert frame["mean"].is_monotonic_decreasing
    heading, rows, _, below = split_table(invoke(*command, "--always"))
    assert heading == ["entity", "expected utility", "95% interval", "P(best)", "regret"]
    assert [row[0] for row in rows] == frame.index.tolist()
    assert float(rows[0][1]) == pytest.approx(frame["mean"].iloc[0], abs=6e-5)
    assert all(line in below for line in br.verdict(found))
    value = float(found["value_of_perfect_information"])
    lost = f"If you pick logreg, expect to lose {value:.2g} per case (in the unit of the benefits)"
    assert f"{lost} against the true best." in below
    against = br.decisions.noninferiority(posterior, "logreg", tnr=0.1)
    frame = csv_of(*compared)
    for name in ("noninferior", "superior_error", "tnr_noninferior"):
        np.testing.assert_allclose(
            frame[name][against["entity"].values.tolist()], against[name], rtol=1e-9
        )
    assert frame["verdict"].isna().sum() == 1
    printed = invoke(*compared)
    for words in (
        "against logreg",
        "TPR at most 0.05 below that of logreg",
        "TNR at most 0.1 below",
        "equivalent",
    ):
        assert words in printed


# Several scores


@pytest.mark.parametrize("prevalence", [None, "2%"])
def test_the_default_scores_are_the_table_of_the_package(prevalence):
    given = [] if prevalence is None else ["--prevalence", prevalence]
    frame = csv_of("scores", "breast_cancer", "--draws", "50", *given, index=["entity", "score"])
    posterior = br.fit(br.datasets.load("breast_cancer"), draws=50, seed=1)
    table = br.score_table(posterior, DIAGNOSTIC, prevalence=None if prevalence is None else 0.02)
    assert [score for _, score in frame.index[:7]] == table["score"].values.tolist()
    for name in ("median", "lower", "upper", "observed", "undefined"):
        expected = table[name].to_series().loc[frame.index]
        pd.testing.assert_series_equal(frame[name], expected, rtol=1e-12, check_names=False)
    assert frame.xs("tpr", level="score")["median"].is_monotonic_decreasing


def test_importances_places_and_other_betas_are_scores():
    typed = {
        "LR-": "negative_likelihood_ratio",
        "tn=1,fp=1,fn=5,tp=1": br.importance(tn=1, fp=1, fn=5, tp=1),
    }
    typed |= {"a=0.3,b=0.7": (0.3, 0.7), "f0.7": br.scores.f_beta(0.7)}
    given = [word for name in typed for word in ("--score", name)]
    frame = csv_of("scores", "breast_cancer", "--draws", "50", *given)
    posterior = br.fit(br.datasets.load("breast_cancer"), draws=50, seed=1)
    for name, score in zip(frame["score"].unique(), typed.values(), strict=True):
        wanted = br.score_table(posterior, [score])["median"].isel(score=0).to_series()
        found = frame[frame["score"] == name]["median"]
        pd.testing.assert_series_equal(
            found, wanted.loc[found.index], rtol=1e-12, check_names=False
        )
    # A score that is better low comes first low.
    assert frame[frame["score"] == "negative_likelihood_ratio"]["median"].is_monotonic_increasing


def test_any_task_has_default_scores_and_a_line_that_says_so():
    note = "Note: These are the default scores, as no --score was given."
    for data, names in (
        ("mnist_folds", ["accuracy", "macro_tpr", "macro_ppv", "macro_f1", "mcc"]),
        ("langchain_tool_use", ["mean_outcome"]),
    ):
        found = json_of("scores", data, "--draws", "10")
        assert list(dict.fromkeys(row["score"] for row in found["scores"])) == names
        assert note in invoke("scores", data, "--draws", "10")
    assert note not in invoke("scores", data, "--draws", "10", "--score", names[0])


def test_every_layout_of_scores_shows_every_number():
    assert "diagnostic_odds_ratio" in invoke("scores")
    command = ["scores", "breast_cancer", "--draws", "50"]
    [narrow], [wide] = on_terminals([command], 60, 250)
    assert max(map(len, narrow.split("Sorted")[0].splitlines())) <= 60
    assert "Left out" not in narrow + wide
    rows = list(csv_of(*command).itertuples())
    for text in (narrow, wide):
        assert text.count("Sorted by") == 1
        for row in rows:
            assert row.Index in text
            if row.upper < 1:
                low = f"{row.lower:.3f}" if row.lower >= 0.0005 else f"{row.lower:.2g}"
                assert f"{row.median:.3f}" in text
                assert f"{low} to {row.upper:.3f}" in text
    alone = invoke(
        "scores", "-", "--draws", "50", input="entity,tn,fp,fn,tp\nkit,90,10,5,45\n"
    ).splitlines()
    assert alone[0] == "Read 150 cases × 1 entity, 2 classes, from standard input."
    assert alone[2].split() == ["kit", "median", "95%", "interval", "observed"]
    assert [line.split()[0] for line in alone[4:11]] == [
        "sensitivity",
        "specificity",
        "PPV",
        "NPV",
        "LR+",
        "LR-",
        "DOR",
    ]
    assert alone[4].split()[-1] == "0.900"


# Sensitivity


@pytest.mark.slow
def test_sensitivity_is_that_of_python_in_every_form(table):
    asked = [
        "sensitivity",
        table,
        "--draws",
        "50",
        "--score",
        "tpr",
        "--other-score",
        "tnr",
        "--other-prior",
        "9",
    ]
    asked += ["--other-prevalence", "2%"]
    frame, held, plain = csv_of(*asked, index=None), json_of(*asked), invoke(*asked)
    settings = {"priors": [9.0], "scores": ["tnr"], "prevalences": [0.02], "draws": 50, "seed": 1}
    found = br.sensitivity(TWO, "tpr", **settings)
    assert frame["alternative"].unique().tolist() == found["alternative"].values.tolist()
    assert "prevalence 0.02" in frame["alternative"].tolist()
    for name in ("median", "probability_best", "tier"):
        np.testing.assert_allclose(frame[name], found[name].values.ravel(), rtol=1e-12)
    assert [one["entity"] for one in held["alternatives"]] == frame["entity"].tolist()
    assert held["verdict"] == br.verdict(found)
    assert all(line in plain.splitlines() for line in held["verdict"])
    assert " (2)" not in plain  # one leader of several rows has one name
    assert all(word in plain for word in ("alternative", "leader", "P(best)", "survive"))


def test_sensitivity_omits_data_sets_and_takes_other_models(tmp_path):
    path = tmp_path / "cases.csv"
    path.write_text("good,bad,dataset\n" + "1,0,s\n1,1,t\n0,1,s\n1,0,t\n1,0,s\n" * 12)
    command = ["sensitivity", path, "--draws", "50"]
    done = invoke(*command, "--other-model", "dirichlet_multinomial")
    assert "model dirichlet_multinomial" in done
    assert "without data set s" in done
    assert "without data set" not in invoke(*command, "--dataset", "s")


# Reports


def test_the_report_is_written_with_what_is_asked_for(table, tmp_path):
    path = tmp_path / "out.html"
    asked = [
        "report",
        table,
        "--draws",
        "50",
        "--score",
        "f1",
        "-o",
        path,
        "--with",
        "sensitivity, ops",
    ]
    output = invoke(*asked, "--benefit", BENEFIT, "--prevalence", "2%", "--reference", "null")
    assert "P(best)" in output
    assert f"Report: {path}" in output
    page = path.read_text(encoding="utf-8")
    for words in (
        "hold under all 3 alternatives",
        "TN 0, FP -1, FN -10",
        "No worse than null?",
        "prevalence of 2%",
    ):
        assert words in page, words
    assert [f'<h2 id="{name}">' in page for name in ("rates", "ops", "decisions", "drift")] == [
        True,
        True,
        True,
        False,
    ]


def test_cases_and_sections_that_cannot_be_had(tmp_path):
    answers, path = tmp_path / "answers.csv", tmp_path / "out.html"
    answers.write_text("a,b\n" + "1,0\n1,1\n0,1\n" * 5)
    asked = ["report", answers, "--draws", "20", "-o", path, "--with"]
    said = "The section tile is left out: it needs two entities and two classes."
    assert f"Note: {said}" in invoke(*asked, "tile,cases")
    page = path.read_text(encoding="utf-8")
    assert said in page
    assert "10 of 15 cases decide: on the others all entities have the same outcome" in page
    assert [f'<h2 id="{name}">' in page for name in ("pairing", "cases")] == [True, True]
    assert "--with cases cannot be used unless there is one row for each case" in refused(
        *asked, "cases", "--model", "dirichlet_multinomial"
    )


def test_a_report_without_a_name_lies_beside_its_data(table, tmp_path, monkeypatch):
    printed = invoke("report", table, "--draws", "20", "--score", "f1")
    beside = Path(table).with_suffix(".html")
    assert printed.splitlines()[-1] == f"Report: {beside}"
    assert "<!doctype html>" in beside.read_text(encoding="utf-8").lower()
    monkeypatch.chdir(tmp_path)
    assert invoke("report", "tornado", "--draws", "20").splitlines()[-1] == "Report: tornado.html"
    beside.write_text("mine", encoding="utf-8")
    assert "must not replace" in refused("report", table, "--draws", "20")
    assert beside.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    ("data", "page"),
    [
        (("a/counts.csv",), "a/counts.html"),
        (("a/counts.csv.gz",), "a/counts.html"),
        (("a/logs/",), "a/logs.html"),
        (("a/one.json", "b/two.json"), "a/one.html"),
        (("a/logs/*.json",), "a/logs.html"),
        (("tornado",), "tornado.html"),
        (("-",), "report.html"),
        (("a/model.v2.csv",), "a/model.v2.html"),
        ((".",), "report.html"),
    ],
)
def test_the_name_of_a_report_follows_from_its_data(data, page):
    assert report_beside(data) == page


def test_the_report_tells_what_changed_from_period_to_period(tmp_path):
    periods, report = tmp_path / "periods.csv", tmp_path / "out.html"
    rows = ["May,80,20,10,90", "June,170,30,9,71", "April,60,40,4,50"]
    periods.write_text("\n".join(["entity,dataset,tn,fp,fn,tp", *(f"m,{row}" for row in rows)]))
    invoke(
        *("report", periods, "--model", "dirichlet_multinomial", "--draws", "50", "--score", "f1"),
        *("-o", report, "--with", "drift"),
    )
    text = " ".join(re.sub(r"<[^>]*>", " ", report.read_text(encoding="utf-8")).split())
    assert "The OPS of F1 in each of 3 periods, compared with the one before" in text
    # In the order of the file, and by the draws that the same seed gives in Python.
    counts = br.from_frame(pd.read_csv(periods), dataset="dataset")
    result = br.ops.drift(br.fit(counts, "dirichlet_multinomial", draws=50, seed=1), "f1").isel(
        entity=0
    )
    # The OPS come after F1, TPR and FPR with their intervals.
    shown = re.findall(r" m (May|June|April) (?:0\.\d{3} \([^)]*\) ){3}(0\.\d{3}) ", text)
    assert shown == [
        (name, f"{float(result['ops_mean'].sel(dataset=name)):.3f}")
        for name in ("May", "June", "April")
    ]


@pytest.mark.slow
def test_sensitivity_of_a_new_data_set_is_in_the_report(studies, tmp_path):
    model = [
        "--model",
        "hierarchical_beta_binomial",
        "--draws",
        "50",
        "--kind",
        "new",
        "--with",
        "sensitivity",
    ]
    invoke("report", studies, *model, "-o", tmp_path / "out.html")
    assert "The ranking is for one new data set" in (tmp_path / "out.html").read_text(
        encoding="utf-8"
    )


def test_costs_as_a_score_are_refused_with_a_decision_that_works():
    said = refused("rank", "tornado", "--score", "tn=0,fp=1,fn=10,tp=0")
    assert "always 0" in said
    words = shlex.split(
        said[said.index("bayesrank decide") : said.rindex(")")].removeprefix("bayesrank ")
    )
    assert words == ["decide", "DATA", "--benefit", "tn=0,fp=-1,fn=-10,tp=0", "--prevalence", "0.1"]
    assert "expected utility" in invoke("decide", "tornado", *words[2:])


def test_an_infinite_observed_value_is_none_that_is_undefined(tmp_path):
    """Z has no false positives, Y no positive calls."""
    path = tmp_path / "counts.csv"
    path.write_text("entity,tn,fp,fn,tp\nA,700,100,9,91\nZ,800,0,9,91\nY,800,0,100,0\n")
    rows = [line.split() for line in invoke("rank", path, "--score", "dor").splitlines()]
    assert {row[0]: row[5] for row in rows if row and row[0] in {"A", "Z", "Y"}} == {
        "A": "70.8",
        "Z": "infinite",
        "Y": "undefined",
    }
