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
        row = next(line.split() for line in output.splitlines()[3:] if line.startswith(name))
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


# What is refused


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
