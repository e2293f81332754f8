"""Files that the command reads: each kind gives what Python makes of it; what is ambiguous is refused with a reason."""

import io

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from click.testing import CliRunner

import bayesrank as br
from bayesrank.cli import cli
from bayesrank.cli._analysis import counts_of
from bayesrank.cli._files import read_evidence

CASES = pd.DataFrame({"gpt": [1, 1, 0, 1, 0, 1], "Llama": [1, 0, 0, 1, 0, 0], "7a": [0, 1, 1, 1, 1, 1]})
SETS, CLUSTERS = list("xxxyyy"), list("ppqrrs")
TRUTH = ["no", "yes", "yes", "no", "yes", "no"]
LABELS = pd.DataFrame({"gpt": ["no", "yes", "no", "no", "yes", "yes"], "Llama": ["no", "no", "yes", "no", "yes", "no"]})


@pytest.fixture
def write(tmp_path):
    def _write(frame):
        path = tmp_path / f"file{len(list(tmp_path.iterdir()))}.csv"
        path.write_text(frame if isinstance(frame, str) else frame.to_csv(index=False), encoding="utf-8")
        return str(path)

    return _write


def invoke(*arguments):
    result = CliRunner().invoke(cli, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def refused(*arguments):
    return str(CliRunner().invoke(cli, list(arguments)).exception)


def long_of(frame, value, **about):
    """One row an entity and a case, in an order of chance."""
    wide = frame.assign(case=range(1, len(frame) + 1), **about)
    return wide.melt(["case", *about], frame.columns, "entity", value).sample(frac=1, random_state=3)


# Counts


def test_right_and_wrong(write):
    frame = pd.DataFrame({"Entity": ["01", "1"], "WRONG": [3, 6], "correct": [17, 14], "remark": ["x", ""]})
    counts = read_evidence(write(frame))
    assert counts["entity"].values.tolist() == ["01", "1"]
    assert counts.values.tolist() == [[3, 17], [6, 14]]


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        (["0", "1", "1"], [0, 1]),
        (["true", "False", "true"], [0, 1]),
        (["10", "9", "2.0"], [2, 9, 10]),
        (["0.5", "1", "0"], [0, 0.5, 1]),
        (["pass", "10", "fail"], ["10", "fail", "pass"]),
    ],
)
def test_outcomes_are_numbers_if_all_are(outcomes, expected, write):
    frame = pd.DataFrame({"entity": ["a", "a", "b"], "outcome": outcomes, "count": [4, 5, 6]})
    counts = read_evidence(write(frame))
    assert counts["outcome"].values.tolist() == expected
    assert int(counts.sum()) == 15


def test_counts_of_several_data_sets_are_pooled(write):
    frame = pd.DataFrame({"entity": list("aabb"), "dataset": list("xyxy"), "correct": [9, 8, 5, 4], "wrong": 1})
    output = invoke("rank", write(frame), "--draws", "50")
    assert "Note: Pooled over 2 data sets; --dataset chooses one." in output
    counts = br.pool(br.from_frame(frame, dataset="dataset"))
    ranking = br.credible_ranking(counts, "mean_outcome", method="exact")
    assert all(f"{float(m):.3f}" in output for m in ranking["median"])
    assert "Pooled" not in invoke("rank", write(frame), "--draws", "50", "--dataset", "y")


# Single cases


def test_wide_outcomes(write):
    joint = read_evidence(write(CASES))
    assert joint.identical(br.from_outcomes(CASES))
    assert joint["entity"].values.tolist() == ["gpt", "Llama", "7a"]
    about = CASES.assign(Case=range(6), dataset=SETS, Cluster=CLUSTERS, weight=[1, 2, 1, 0, 3, 1])
    expected = br.from_outcomes(CASES, dataset=SETS, cluster=CLUSTERS, weight=about["weight"])
    assert read_evidence(write(about)).identical(expected)


def test_true_and_grades(write):
    assert read_evidence(write(CASES.astype(bool))).identical(br.from_outcomes(CASES))
    grades = CASES * 2.5
    assert read_evidence(write(grades)).identical(br.from_outcomes(grades))


def test_long_outcomes_are_wide_ones(write):
    long = read_evidence(write(long_of(CASES, "outcome", dataset=SETS, cluster=CLUSTERS)))
    wide = br.from_outcomes(CASES, dataset=SETS, cluster=CLUSTERS)
    order = ["gpt", "Llama", "7a"]
    for name in order:
        one, other = (
            joint.sel(entity=name).to_dataframe().groupby(["dataset", "cluster", "outcome"])["count"].sum()
            for joint in (long, wide)
        )
        assert one.to_dict() == other.to_dict()
    one, other = (br.fit(joint, "paired", seed=1, draws=20)["posterior"] for joint in (long.sel(entity=order), wide))
    np.testing.assert_allclose(one["mean_outcome"].sel(dataset="y"), other["mean_outcome"].sel(dataset="y"), rtol=1e-9)


def test_runs_are_means_of_their_cases(write):
    wide = CASES.assign(case=list("kkkllm"), run=list("123121"))
    expected = br.from_outcomes(wide, case="case", run="run")
    advice = br.cases.variance_components(CASES, case=wide["case"]).attrs["advice"]
    long = wide.melt(["case", "run"], CASES.columns, "entity", "outcome").sample(frac=1, random_state=3)
    for path in (write(wide), write(long)):
        joint = read_evidence(path)
        assert joint.sizes == expected.sizes
        mean = (joint["outcome"] * joint["count"]).sum("pattern").sel(entity=CASES.columns)
        np.testing.assert_allclose(mean, [1.0 * 2 / 3 + 0.5 + 1, 1 / 3 + 0.5, 2 / 3 + 1 + 1], rtol=1e-12)
        output = invoke("rank", path, "--draws", "50")
        assert "Note: The outcome of a case is its mean over 1 to 3 runs." in output
        assert f"Note: {advice}" in output
    # Names of cases belong to their data set, and a run that is missing is left out.
    sets = wide.assign(case=list("kkkkkk"), run=list("123123"), dataset=SETS)
    assert int(read_evidence(write(sets))["count"].sum()) == 2
    gaps = wide.astype({"gpt": object})
    gaps.loc[0, "gpt"] = ""
    mean = read_evidence(write(gaps), missing="own")["outcome"].sel(entity="gpt").values.tolist()
    assert sorted(mean) == [0.5, 0.5, 1.0]


def test_cases_of_one_name_in_several_data_sets_are_told(write):
    path = write(CASES.assign(case=list("abcabd"), dataset=SETS))
    words = "Note: Several data sets have cases of the same name (2), taken as different cases"
    assert words in invoke("rank", path, "--draws", "50")
    assert words not in invoke("rank", path, "--draws", "50", "--dataset", "x")
    assert "same name" not in invoke("rank", write(CASES.assign(case=range(6), dataset=SETS)), "--draws", "50")


@pytest.mark.parametrize("truth", ["actual", "y_true", "Actual"])
def test_labels_with_the_truth(truth, write):
    expected = br.joint_outcomes(TRUTH, LABELS, cluster=CLUSTERS)
    joint = read_evidence(write(LABELS.assign(**{truth: TRUTH}, patient=CLUSTERS)), cluster="Patient")
    assert joint.identical(expected)
    long = read_evidence(write(long_of(LABELS, "predicted", **{truth: TRUTH}, cluster=CLUSTERS)))
    assert int(long["count"].sum()) == 6
    observed = (br.fit(j, "paired", seed=1, draws=2)["observed_data"]["counts"] for j in (long, expected))
    one, other = observed
    np.testing.assert_array_equal(one.sel(entity=["gpt", "Llama"]), other)


def test_labels_that_are_numbers_stand_in_their_order(write):
    frame = pd.DataFrame({"actual": [10, 9, 2], "m": ["10.0", "2", "2"]})
    assert read_evidence(write(frame))["label"].values.tolist() == [2, 9, 10]


def test_the_ranking_of_cases_is_that_of_python(write):
    cases = pd.concat([CASES] * 4, ignore_index=True).assign(question=CLUSTERS * 4)
    output = invoke("rank", write(cases), "--cluster", "question", "--draws", "100")
    ranking = br.credible_ranking(
        br.fit(br.from_outcomes(cases, cluster="question"), "paired", draws=100, seed=1), "mean_outcome"
    )
    for name in ("gpt", "Llama", "7a"):
        row = next(line.split() for line in output.splitlines() if line.startswith(name))
        assert row[1] == f"{float(ranking['median'].sel(entity=name)):.3f}"
    for line in (
        "Note: Per-case data are available, so the model is paired; --model chooses another.",
        "Note: Cases are in 4 clusters; cases of one cluster are not assumed independent.",
        "Note: No --score was given: the ranking is by mean outcome, the mean of outcomes from 0 to 1.",
        "Only 4 clusters",
    ):
        assert line in output
    named = invoke("rank", write(cases), "--cluster", "question", "--draws", "9", "--score", "mean_outcome")
    assert "No --score was given" not in named
    told = invoke("rank", write(cases), "--ignore", "question", "--draws", "9", "--model", "paired")
    assert "clusters" not in told
    assert "--model chooses" not in told


def test_labels_take_every_score_and_have_a_tile(write):
    path = write(LABELS.assign(actual=TRUTH))
    output = invoke("rank", path, "--draws", "50", "--score", "f1")
    assert "The positive class is 'yes', the negative one 'no'." in output
    assert "the model is paired" in output
    assert "Llama" in invoke("tile", path, "--draws", "20")
    assert "gpt" in invoke("ops", path, "--draws", "20", "--prevalence", "0.3")
    counts = invoke("rank", path, "--draws", "50", "--score", "f1", "--model", "beta_binomial", "--notes")
    assert "the model is paired" not in counts
    assert "All entities met the same cases" in counts


def test_cases_as_counts(write):
    assert counts_of(br.from_outcomes(CASES)).sel(entity="Llama").values.tolist() == [4, 2]
    weighted = br.joint_outcomes(TRUTH, LABELS, weight=[3, 1, 2, 1, 1, 5])
    expected = br.from_predictions(TRUTH, LABELS, weight=[3, 1, 2, 1, 1, 5])
    xr.testing.assert_equal(counts_of(weighted), expected)
    output = invoke("rank", write(CASES), "--draws", "50", "--model", "dirichlet_multinomial", "--notes")
    assert "(7a has 6): the prior has a large weight in the mean" in output
    message = refused("rank", write(CASES.assign(cluster=CLUSTERS)), "--model", "dirichlet_multinomial")
    assert message.startswith("model must be 'paired' for cases in clusters")


def test_cases_of_several_data_sets(write):
    path = write(CASES.assign(dataset=SETS))
    output = invoke("rank", path, "--draws", "50")
    assert "Note: Pooled over 2 data sets; --dataset chooses one." in output
    one = invoke("rank", path, "--draws", "50", "--dataset", "y", "--format", "csv")
    assert one == invoke("rank", write(CASES.iloc[3:]), "--draws", "50", "--format", "csv")
    assert refused("rank", path, "--dataset", "z") == "--dataset must be one of x, y; got 'z'"
    pooled = invoke("rank", write(CASES), "--draws", "50", "--format", "csv")
    # The column evidence says what was pooled; every number is the same.
    of_two = pd.read_csv(io.StringIO(invoke("rank", path, "--draws", "50", "--format", "csv")), dtype=str)
    assert set(of_two.pop("evidence")) == {"Pooled over 2 data sets: x, y."}
    assert pooled == of_two.to_csv(index=False, lineterminator="\n")
    assert pooled == invoke("rank", write(CASES.assign(dataset="all")), "--draws", "50", "--format", "csv")


def test_grades_without_a_prior_are_told_so(write):
    path = write(CASES * 2.5)
    assert "Before any data" not in invoke("rank", path, "--draws", "50", "--notes")
    given = ["--draws", "50", "--prior", "four_cases"]
    assert "Before any data, the four_cases prior" in invoke("rank", path, *given, "--notes")
    # A note, not a part of the verdict.
    assert "Before any data" not in invoke("rank", path, *given)


def test_shipped_cases(tmp_path):
    report = tmp_path / "r.html"
    invoke("report", "livecodebench_execution", "--draws", "20", "-o", str(report))
    output = invoke("rank", "livecodebench_execution", "--draws", "20")
    assert "Cases are in 92 clusters" in output
    assert "from 0 to 10" in output
    assert "CC BY-SA 4.0" in report.read_text(encoding="utf-8")
    output = invoke("rank", "langchain_tool_use", "--draws", "20", "--format", "json")
    assert '"score": "mean_outcome"' in output
    assert "logreg" in invoke("rank", "breast_cancer", "--model", "paired", "--draws", "20")
    assert "Pooled over 13 data sets" in invoke("rank", "utah_trees", "--model", "paired", "--draws", "20")


def test_the_help_names_every_kind():
    output = invoke("rank", "--help")
    for words in ("entity, correct, wrong", "entity, outcome, count", "entity, case, outcome", "--cluster", "--ignore"):
        assert words in output


# What is refused

WHAT_IS_WRONG = [
    ("entity,correct\na,17\n", "must have the columns entity, outcome, count (or, beside entity, tn, fp, fn, tp; or"),
    ("entity,correct\na,17\n", "its heading is entity, correct, without"),
    ("entity,score\na,7\n", "its heading is entity, score, without"),
    ("entity,score\na,1\na,0\n", "must have a column case that names the cases, beside entity and score"),
    ("correct,wrong\n1,2\n", "its heading is correct, wrong, without entity"),
    ("thing,outcome,count\na,1,2\n", "without entity"),
    (
        "entity,correct,wrong,tn,fp,fn,tp\na,1,2,3,4,5,6\n",
        "has those of tn, fp, fn, tp and of correct, wrong",
    ),
    (
        "entity,case,outcome,count\na,1,1,2\n",
        "has those of outcome, count and of case, outcome",
    ),
    ("entity,correct,wrong,wrong\na,1,2,3\n", "its heading has wrong more than once"),
    (
        "entity,correct,wrong\na,1,-2\n",
        "line 2: wrong must be a count, a non-negative whole number without separators or signs",
    ),
    ("entity,outcome,count\na,1,2.5\n", "line 2: count must be a count"),
    ("entity,outcome,count\na,1,2\na,1.0,3\n", "one row for each outcome"),
    ("gpt,gpt\n1,0\n", "its heading has gpt more than once"),
    (
        "gpt,question\n1,77\n",
        "'question' is hardly one: named like an id, a group or a cost. --case question says that it names the cases",
    ),
    ("gpt,\n1,0\n", "--entities gpt ranks these alone; --ignore 'Unnamed: 1' leaves it out"),
    ("1,0\n1,0\n", "must have a heading that names its columns"),
    ("case,weight\n1,0\n", "must have a column for each entity; its heading is case, weight"),
    (
        "gpt,llama\n1,1\n0,0\n1,x\n",
        "line 4: llama must be an outcome, a number such as 1 for right and 0 for wrong; got 'x'",
    ),
    ("gpt,llama\n1,1\n0,inf\n", "line 3: llama must be an outcome"),
    ("gpt,llama\n1,1\n0,1_0\n", "line 3: llama must be an outcome"),
    ("gpt,llama\n1,\n", "line 2: llama must not be empty"),
    ("case,gpt\n1,0\n1,1\n", "line 3: case must name each case once; got '1'"),
    ("case,run,gpt\n1,1,0\n1,2,1\n1,2,1\n", "line 4: case must name each case once; got '1' (run '2') again"),
    (
        "entity,case,run,outcome\na,1,1,1\na,1,2,0\nb,1,1,1\n",
        "got none for entity 'b' on case '1' (run '2') (--missing common, --missing own or --missing 0 says",
    ),
    ("run,gpt\n1,0\n", "must not have a column run without a column case"),
    ("case,run,actual,gpt\n1,1,0,0\n", "must not have a column run beside actual: labels have no mean over runs"),
    ("case,run,weight,gpt\n1,1,2,0\n1,2,2,1\n", "weight must be 0 or 1 where cases have names"),
    ("gpt,weight\n1,0.5\n", "line 2: weight must be a count"),
    (
        "actual,y_true,gpt\n1,1,1\n",
        "its heading has actual and y_true, both read as actual (--ignore y_true leaves one out)",
    ),
    ("actual,gpt\n1,0.3\n0,0.1\n", "labels, not probabilities"),
    ("actual,gpt\n1,1\n1,1\n", "must hold two labels or more"),
    (
        "entity,case,outcome\na,1,1\na,2,0\nb,1,1\n",
        "for every entity on every case; got none for entity 'b' on case '2'",
    ),
    ("entity,case,outcome\na,1,1\na,1,0\n", "line 3: case must stand once for each entity; got '1' of 'a' in line 2"),
    (
        "entity,case,outcome,cluster\na,1,1,x\nb,1,0,y\n",
        "line 3: cluster must be the same for all entities on case '1'",
    ),
    (
        "entity,case,actual,predicted\na,1,1,1\nb,1,0,1\n",
        "line 3: actual must be the same for all entities on case '1'",
    ),
    ("entity,case,outcome\na,1,good\n", "line 2: outcome must be an outcome"),
    (
        "entity,outcome,count\na,good,3\na,bad,4\n",
        "outcomes that are numbers to be ranked by their mean; got bad, good",
    ),
    ("entity,correct,wrong\na,0,0\n", "DATA must hold at least one case"),
    ("actual,a,b\n1,1,1\n", "must hold two labels or more, true or predicted; got only 1"),
    ('entity,correct,wrong\n"a,1,2\n', "line 2: must close each quotation mark that it opens"),
]


@pytest.mark.parametrize(("text", "words"), WHAT_IS_WRONG)
def test_files_that_cannot_be_told(text, words, write):
    message = refused("rank", write(text), "--draws", "9")
    assert words in message
    assert "\n" not in message


RIGHT = "entity,correct,wrong\na,17,3\nb,14,6\n"


@pytest.mark.parametrize(
    ("command", "text", "words"),
    [
        (["rank", "--model", "paired"], RIGHT, "--model must not be paired for counts, which do not tell how errors"),
        (["rank", "--model", "beta_binomial"], RIGHT, "--model must be dirichlet_multinomial for counts of outcomes"),
        (["rank", "--score", "f1"], RIGHT, "--score must be 'mean_outcome' for outcomes, which have no classes"),
        (["rank", "--score", "mean_outcome"], "entity,tn,fp,fn,tp\na,1,2,3,4\n", "--score must be 'f1', "),
        (["rank", "--prevalence", "0.3"], RIGHT, "--prevalence must be left out for outcomes"),
        (["rank", "--cluster", "entity"], RIGHT, "--cluster must name a column that says what cases belong to"),
        (["rank", "--cluster", "q"], RIGHT, "--cluster must name a column of"),
        (["rank", "--ignore", "q"], RIGHT, "--ignore must name a column of"),
        (["rank", "--cluster", "q"], "entity,correct,wrong,q\na,1,2,x\n", "--cluster must be left out of counts"),
        (["rank", "--cluster", "q"], "gpt,q,cluster\n1,2,3\n", "--cluster must be left out beside a column cluster"),
        (["rank", "--cluster", "q", "--ignore", "q"], "gpt,q\n1,2\n", "--cluster must name a column that --ignore"),
        (["rank", "--cluster", "Case"], "entity,case,outcome\na,1,1\n", "--cluster must name a column that says what"),
        (["report", "-o", "there/is/none.html"], RIGHT, "--output must lie in a folder that exists"),
        (["tile"], RIGHT, "DATA must have classes for a Tile; "),
        (["ops"], RIGHT, "DATA must have classes for outperformance scores; "),
        (["tile"], "gpt,llama\n1,0\n0,0\n", "holds outcomes without classes (bayesrank rank ranks them)"),
    ],
)  # fmt: skip
def test_options_that_do_not_fit_the_file(command, text, words, write):
    assert words in refused(command[0], write(text), *command[1:], "--draws", "9")


def test_options_that_do_not_fit_a_shipped_data_set():
    assert refused("rank", "tornado", "--model", "paired").startswith("--model must not be paired for counts")
    assert (
        refused("rank", "tornado", "--cluster", "x")
        == "--cluster must be left out for a shipped data set, whose columns are known; got 'x'"
    )
    assert (
        refused("rank", "tornado", "--ignore", "x")
        == "--ignore must be left out for a shipped data set, whose columns are known; got 'x'"
    )
