"""The command, run as people run it: output in three formats, the report, exit codes, silence in a pipe."""

import io
import json
import re
import subprocess
import sys
import warnings

import pandas as pd
import pytest
from click.testing import CliRunner

import bayesrank as br
from bayesrank._text import probability as format_probability
from bayesrank.cli import cli, main
from bayesrank.cli._files import read_evidence


def run(*arguments, **options):
    code = "from bayesrank.cli import main; main()"
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, **options)


def inside(*arguments):
    """The same in this process, which has imported and compiled what it takes."""
    return CliRunner().invoke(cli, list(arguments))


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text("entity,tn,fp,fn,tp\nnull,70,10,9,21\nNA,79,1,1,29\n")
    return str(path)


def test_rank_prints_a_table_and_a_verdict_and_nothing_else(table):
    done = run("rank", table, "--score", "f1", "--draws", "200")
    assert done.returncode == 0
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    for word in ("Ranking of 2 entities by F1.", "entity", "P(best)", "tier", "null", "NA", "95% interval"):
        assert word in done.stdout
    assert "NA is best: P(best) > 0.999, and it beats null with probability at least 0.95." in done.stdout


def test_what_is_asked_of_the_order_is_answered(table):
    """As the Python function does, and in JSON beside the ranking."""
    joined = "NA > null or null is best"
    asked = ["--score", "f1", "--draws", "200", "--ask", "NA > null", "--ask", "null in top 1", "--ask", joined]
    lines = inside("rank", table, *asked).stdout.splitlines()
    posterior = br.fit(br.from_frame(pd.read_csv(table, keep_default_na=False)), seed=1, draws=200)
    exact, drawn = br.credible_ranking(posterior, "f1", method="auto"), br.probability(posterior, joined, "f1")
    # What the table knows is answered by it, whatever the draws say.
    for text in ("NA > null", "null in top 1"):
        (line,) = [line for line in lines if line.startswith(f"{text}: probability")]
        assert line.endswith("(without draws).")
    (line,) = [line for line in lines if line.startswith(f"{joined}: probability")]
    assert line.endswith(f"(from draws, Monte-Carlo error {float(drawn['probability_error']):.2g}).")
    held = json.loads(inside("rank", table, *asked, "--format", "json").stdout)["asked"]
    assert [one["method"] for one in held] == ["exact", "exact", "draws"]
    assert held[0]["probability"] == exact["superiority"].sel(entity="NA", rival="null")
    assert held[1]["probability"] == exact["probability_best"].sel(entity="null")
    assert held[2]["probability"] == drawn["probability"]
    assert "--ask must be left out of --format csv" in str(inside("rank", table, *asked, "--format", "csv").exception)


def test_a_hierarchical_model_keeps_data_sets_apart(tmp_path):
    path = tmp_path / "studies.csv"
    rows = ["a,x,45,5,4,16", "a,y,38,12,9,11", "a,z,90,10,2,28", "b,x,60,40,1,19", "b,y,44,6,12,8", "b,z,95,5,6,24"]
    path.write_text("\n".join(["entity,dataset,tn,fp,fn,tp", *rows]))
    model = ["--model", "hierarchical_beta_binomial", "--draws", "100"]
    done = inside("rank", str(path), *model)
    assert done.exit_code == 0
    assert "Learned from 3 data sets, each with rates of its own." in done.stdout
    widths = {}
    for kind in ("typical", "new"):
        table = pd.read_csv(io.StringIO(inside("rank", str(path), *model, "--kind", kind, "--format", "csv").stdout))
        widths[kind] = (table["upper"] - table["lower"]).mean()
    assert widths["typical"] < widths["new"]
    assert "--kind must be left out" in str(inside("rank", str(path), "--kind", "new").exception)
    one = inside("rank", str(path), *model, "--dataset", "x").stdout
    assert "Learned from" not in one


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rank", "no_such_thing"], "DATA must be a CSV file or one of"),
        (["rank", "tornado", "--draws", "many"], "'many' is not a valid integer"),
        (["rang"], "No such command 'rang'"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments, message, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["bayesrank", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("bayesrank: ")
    assert message in said.err
    assert said.err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "same", "words"),
    [
        ("around f1", br.tile.around("f1"), "within 0.1 of f1 on the Tile, uniformly."),
        ("around (0.5, 1) 0.3", br.tile.around((0.5, 1), 0.3), "within 0.3 of (0.5, 1) on the Tile, uniformly."),
        ("between ppv and tpr", br.tile.between("ppv", "tpr"), "on the line between ppv and tpr, uniformly."),
        (
            "between tnr, ppv and (1 0.5)",
            br.tile.between("tnr", "ppv", (1, 0.5)),
            "in the region between tnr, ppv and (1 0.5), uniformly.",
        ),
        ("over F scores", br.tile.over("f_scores"), "f scores (the F-scores, from PPV to TPR), uniformly."),
        ("beta 1 1 4 1", br.tile.beta_preferences((1, 1), (4, 1)), "a ~ Beta(1, 1), b ~ Beta(4, 1). Uniform is"),
        ("beta 2 1 4 1", br.tile.beta_preferences((2, 1), (4, 1)), "a ~ Beta(2, 1), b ~ Beta(4, 1).\n"),
    ],
)
def test_a_preference_is_what_python_makes_of_it(table, text, same, words):
    output = invoke("tile", table, "--preference", text, "--draws", "50", "--seed", "3")
    assert f"Preferences: {words}" in output
    assert ("convention, not ignorance" in output) == (text != "beta 2 1 4 1")
    counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["null", "NA"])
    ranking = br.tile.preference_ranking(br.fit(counts, draws=50, seed=3), same)
    rows = {line.split()[0]: line.split() for line in output.splitlines() if line.strip()}
    for name in ("NA", "null"):
        best, expected, low, _, high = rows[name][1:]
        one = ranking.sel(entity=name)
        assert best == format_probability(one["probability_best"].item(), 200)
        assert expected == f"{one['expected_rank'].item():.1f}"
        assert (int(low), int(high)) == (one["rank_lower"], one["rank_upper"])


def test_the_place_of_a_preference_may_need_a_prevalence(table):
    output = invoke("tile", table, "--preference", "around balanced_accuracy", "--prevalence", "0.3", "--draws", "9")
    assert "within 0.1 of balanced_accuracy" in output


def test_tile_writes_its_picture(table, tmp_path):
    for options, name in (([], "a.png"), (["--credible"], "b.SVG"), (["--preference", "over tile"], "c.pdf")):
        path = tmp_path / name
        assert f"Picture: {path}" in invoke("tile", table, *options, "--draws", "20", "--picture", str(path))
        assert path.stat().st_size > 1000


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffentity,tn,fp,fn,tp\n01,70,10,9,21\n1,79,1,1,29\n",
        "entity;tn;fp;fn;tp\n01;70;10;9;21\n1;79;1;1;29\n",
        "entity\tTN\tFP\tFN\tTP\n01\t70\t10\t9\t21\n1\t79\t1\t1\t29\n",
        ' Entity, TP, tn, fp, fn, remark\n 01 , 21, 70, 10, 9, "so, so"\n\n"1", 29.0, 79, 1, 1,\n',
        "entity,tn,fp,fn,tp\r\n01,70,10,9,21,\r\n1,79,1,1,29,\r\n",
        "entity,actual,predicted,count\n01,0,0,70\n01,0,1,10\n01,1,0,9\n01,1,1,21\n"
        "1,0,0,79\n1,0,1,1\n1,1,0,1\n1,1,1,29\n",
    ],
)
def test_tables_as_people_have_them(text, tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text(text, encoding="utf-8", newline="")
    counts = read_evidence(str(path))
    assert counts["entity"].values.tolist() == ["01", "1"]
    assert counts.values.reshape(2, 4).tolist() == [[70, 10, 9, 21], [79, 1, 1, 29]]


@pytest.mark.parametrize(
    ("data", "score", "shown"),
    [
        ("breast_cancer", "informedness", "informedness (Youden's J)"),
        ("mnist_folds", "accuracy", "accuracy"),
        ("langchain_tool_use", "mean_outcome", "mean outcome"),
    ],
)
def test_the_default_score_is_one_that_the_data_speak_of(data, score, shown):
    """Of ten classes there is no informedness; outcomes have no classes at all."""
    output = invoke("rank", data, "--draws", "50")
    assert re.split(r"\s{2,}", output.splitlines()[3])[1] == shown
    assert re.search(rf"\nExpected loss from choosing .*: [^:]* {re.escape(shown)}( in all 200 draws)?\.\n", output)
    assert ("Note: No --score was given: the ranking is by accuracy." in output) == (score == "accuracy")
    mean = "Note: No --score was given: the ranking is by mean outcome, the mean of outcomes from 0 to 1."
    assert (mean in output) == (score == "mean_outcome")
    assert "No --score" not in invoke("rank", data, "--draws", "20", "--score", score)


def test_nothing_defined_is_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        done = inside("rank", "tornado", "--prevalence", "0", "--draws", "20")
    assert done.exit_code == 0
    assert "Nothing to rank: no entity has a defined informedness (Youden's J).\n" in done.stdout


def test_the_observed_tile_moves_to_the_prevalence_asked_for():
    shifted = br.performance.shift_prior(br.datasets.load("tornado").sum("dataset"), 0.5)
    share = 100 * br.tile.shares(shifted).sel(entity="Finley").item()
    found = invoke("tile", "tornado", "--prevalence", "0.5", "--draws", "5")
    assert f"{share:.1f}%" in found
    assert f"{share:.1f}%" not in invoke("tile", "tornado", "--draws", "5")


def invoke(*arguments):
    result = CliRunner().invoke(cli, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_csv_and_json_hold_the_same_as_python(table):
    options = ["rank", table, "--score", "f1", "--draws", "50", "--seed", "3"]
    csv = pd.read_csv(io.StringIO(invoke(*options, "--format", "csv")), keep_default_na=False, index_col="entity")
    found = json.loads(invoke(*options, "--format", "json"))
    counts = br.from_counts(tn=[70, 79], fp=[10, 1], fn=[9, 1], tp=[21, 29], entity=["null", "NA"])
    ranking = br.credible_ranking(br.fit(counts, draws=50, seed=3), "f1", method="auto")
    expected = br.ranking_table(ranking)
    assert csv.index.tolist() == [row["entity"] for row in found["ranking"]] == expected.index.tolist()
    for column in expected.columns:
        assert csv[column].astype(float).tolist() == pytest.approx(expected[column].tolist()), column
        assert [row[column] for row in found["ranking"]] == pytest.approx(expected[column].tolist(), abs=1e-8), column
    assert found["verdict"] == br.verdict(ranking)


def test_what_data_sets_differ_by_is_in_the_numbers(tmp_path):
    path = tmp_path / "studies.csv"
    rows = [f"{name},s{k},{40 + 9 * k},{9 - k},{4 + k},{16 + k}" for name in "AB" for k in range(3)]
    path.write_text("\n".join(["entity,dataset,tn,fp,fn,tp", *rows]))
    command = ["rank", str(path), "--score", "tpr", "--draws", "50", "--model", "hierarchical_beta_binomial"]
    table = pd.read_csv(io.StringIO(invoke(*command, "--format", "csv")), index_col="entity")
    posterior = br.fit(br.from_frame(pd.read_csv(path), dataset="dataset"), command[-1], draws=50, seed=1)
    found = br.heterogeneity(posterior, "tpr")
    columns = [str(name) for name in found.data_vars]
    assert {"typical", "new_upper", "between_sd", "share_lower"} <= set(columns)
    for name in columns:
        assert table[name].tolist() == pytest.approx(found[name].sel(entity=table.index.tolist()).values.tolist()), name
    records = json.loads(invoke(*command, "--format", "json"))["ranking"]
    assert [one["between_sd"] for one in records] == pytest.approx(table["between_sd"].tolist())
    assert "between_sd" not in invoke("rank", "tornado", "--draws", "50", "--format", "csv")


def test_the_report_is_written_with_what_is_asked_for(table, tmp_path):
    path = tmp_path / "out.html"
    asked = ["report", table, "--draws", "50", "--score", "f1", "-o", str(path)]
    output = invoke(*asked)
    assert "P(best)" in output
    assert f"Report: {path}" in output
    benefit = "tn=0,fp=-1,fn=-10,tp=0"
    invoke(*asked, "--with", "sensitivity, ops", "--benefit", benefit, "--prevalence", "2%", "--reference", "null")
    page = path.read_text(encoding="utf-8")
    for words in (
        "hold under all 3 alternatives",
        "TN 0, FP -1, FN -10, TP 0",
        "No worse than null?",
        "prevalence of 2%",
    ):
        assert words in page, words
    assert [f'<h2 id="{name}">' in page for name in ("rates", "ops", "decisions", "drift")] == [True, True, True, False]


def test_cases_and_sections_that_cannot_be_had(tmp_path):
    answers, path = tmp_path / "answers.csv", tmp_path / "out.html"
    answers.write_text("a,b\n" + "1,0\n1,1\n0,1\n" * 5)
    asked = ["report", str(answers), "--draws", "20", "-o", str(path), "--with"]
    said = "The section tile is left out: it needs two classes."
    assert f"Note: {said}" in invoke(*asked, "tile,cases")
    page = path.read_text(encoding="utf-8")
    assert said in page
    assert "10 of 15 cases decide: on the others all entities have the same outcome" in page
    assert [f'<h2 id="{name}">' in page for name in ("pairing", "cases")] == [True, True]
    words = "--with cases must go with one row a case"
    assert words in str(inside(*asked, "cases", "--model", "dirichlet_multinomial").exception)


def test_the_report_tells_what_changed_from_period_to_period(tmp_path):
    periods, report = tmp_path / "periods.csv", tmp_path / "out.html"
    rows = ["May,80,20,10,90", "June,170,30,9,71", "April,60,40,4,50"]
    periods.write_text("\n".join(["entity,dataset,tn,fp,fn,tp", *(f"m,{row}" for row in rows)]))
    asked = ["report", str(periods), "--draws", "250", "--score", "f1", "-o", str(report), "--with", "drift"]
    invoke(*asked)
    text = " ".join(re.sub(r"<[^>]*>", " ", report.read_text(encoding="utf-8")).split())
    assert "The OPS of F1 in each of 3 periods, compared with the one before" in text
    # In the order of the file, and by the draws that the same seed gives in Python.
    counts = br.from_frame(pd.read_csv(periods), dataset="dataset")
    result = br.ops.drift(br.fit(counts, draws=250, seed=1), "f1").isel(entity=0)
    shown = re.findall(r" m (May|June|April) (0\.\d{3}) ", text)
    assert shown == [(name, f"{float(result['ops_mean'].sel(dataset=name)):.3f}") for name in ("May", "June", "April")]
    assert "--with drift needs data sets of two classes as periods" in str(inside(*asked, "--dataset", "May").exception)


@pytest.mark.slow
def test_sensitivity_knows_one_more_data_set(tmp_path):
    path, report = tmp_path / "studies.csv", tmp_path / "out.html"
    rows = ["a,x,45,5,4,16", "a,y,38,12,9,11", "a,z,90,10,2,28", "b,x,60,40,1,19", "b,y,44,6,12,8", "b,z,95,5,6,24"]
    path.write_text("\n".join(["entity,dataset,tn,fp,fn,tp", *rows]))
    model = ["--model", "hierarchical_beta_binomial", "--draws", "50", "--kind", "new", "--with", "sensitivity"]
    invoke("report", str(path), *model, "-o", str(report))
    assert "The ranking is for one new data set" in report.read_text(encoding="utf-8")


def test_one_dataset_of_several():
    one = str(br.datasets.load("anomaly_detectors")["dataset"].values[0])
    output = invoke("rank", "anomaly_detectors", "--dataset", one, "--draws", "20")
    assert "Pooled" not in output
    assert "data sets differ" not in output
    output = invoke("rank", "anomaly_detectors", "--draws", "100", "--score", "f1")
    assert "Note: Pooled over 58 data sets; --dataset chooses one." in output
    # What pooling hides is the caveat of the verdict.
    lines = output.splitlines()
    (caveat,) = [i for i, line in enumerate(lines) if line.startswith("The 58 pooled data sets differ")]
    assert lines[caveat - 1].startswith("Expected loss from choosing ")
    assert lines[0].endswith("; pooled over 58 data sets.")


@pytest.mark.parametrize("command", ["rank", "tile", "ops"])
def test_different_data_sets_are_pooled_only_where_all_saw_them(command, tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text("entity,dataset,tn,fp,fn,tp\na,x,70,10,9,21\nb,x,79,1,1,29\na,y,9,1,0,10\n")
    result = CliRunner().invoke(cli, [command, str(path), "--draws", "20"])
    message = str(result.exception)
    assert message.startswith("--join must be inner (which keeps the 1 data set that every entity saw), or --model")
    assert message.endswith("got 'b' without 'y'")
    inner = invoke(command, str(path), "--draws", "20", "--join", "inner")
    assert "Note: Pooled over 1 data set of 2, seen by every entity; --dataset chooses one." in inner
    one = invoke(command, str(path), "--draws", "20", "--dataset", "x")
    assert inner.splitlines()[1:4] == one.splitlines()[1:4]


def test_a_file_without_data_sets_to_pool_is_stated(tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text("entity,dataset,tn,fp,fn,tp\na,x,70,10,9,21\nb,y,79,1,1,29\n")
    for join in ("exact", "inner"):
        result = CliRunner().invoke(cli, ["rank", str(path), "--join", join])
        assert "where no data set was seen by every entity" in str(result.exception)
        assert "'a' without 'y'; 'b' without 'x'" in str(result.exception)


QUICK = ("tornado", "mnist_folds", "langchain_tool_use")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name not in QUICK)) for name in br.datasets.names()]
)
def test_every_shipped_data_set_can_be_ranked_as_it_is(name):
    outcomes = name in ("langchain_tool_use", "livecodebench_execution", "imagenet_models")
    # No study used all three tests, so there is nothing to pool.
    model = ["--model", "hierarchical_logit_normal"] if name == "scheidler_lymph_imaging" else []
    score = "mean_outcome" if outcomes else "accuracy"
    assert "95% ranks" in invoke("rank", name, "--score", score, "--draws", "10", *model)


def test_help_has_examples():
    for arguments in (["--help"], ["rank", "--help"]):
        assert "bayesrank rank antibody_tests" in invoke(*arguments)
    assert br.__version__ in invoke("--version")


def test_no_arguments_show_the_help_on_lines_of_their_own():
    shown = inside().output
    assert "Usage: " in shown
    assert shown.count("\n") > 5


@pytest.mark.parametrize("module", ["pandas", "bayesrank.cli.rank"])
def test_an_interrupt_while_it_is_loaded_is_one_line(module):
    code = (
        "import sys\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}: raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "from bayesrank.cli import main\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", code, "rank", "tornado"], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "bayesrank: interrupted")


def test_the_answer_stands_above_the_table_and_columns_are_added_on_request(table):
    shown = invoke("rank", table, "--score", "ppv", "--prevalence", "2%", "--top", "1", "--columns", "expected_rank")
    title, headline, blank, heading = shown.splitlines()[:4]
    assert title == "Ranking of the first 1 of 2 entities by precision (PPV); prevalence 2%."
    assert headline.startswith("NA is best")
    assert blank == ""
    assert heading.split()[-1] == "expected_rank"
    wrong = inside("rank", table, "--columns", "nothing")
    assert "--columns must hold names among" in str(wrong.exception)
