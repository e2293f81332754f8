"""Files that the command reads: each kind gives what Python makes of it; what is ambiguous is refused with a reason."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import bayesrank as br
from bayesrank._core.notes import Note, add_notes
from bayesrank.evidence.predictions import counts_of
from bayesrank.io.tables.files import read_evidence
from tests.commands import csv_of, invoke, json_of, refused

CASES = pd.DataFrame(
    {"gpt": [1, 1, 0, 1, 0, 1], "Llama": [1, 0, 0, 1, 0, 0], "7a": [0, 1, 1, 1, 1, 1]}
)
SETS, CLUSTERS = list("xxxyyy"), list("ppqrrs")
TRUTH = ["no", "yes", "yes", "no", "yes", "no"]
LABELS = pd.DataFrame(
    {
        "gpt": ["no", "yes", "no", "no", "yes", "yes"],
        "Llama": ["no", "no", "yes", "no", "yes", "no"],
    }
)


@pytest.fixture
def write(tmp_path):
    def _write(frame):
        path = tmp_path / f"file{len(list(tmp_path.iterdir()))}.csv"
        path.write_text(
            frame if isinstance(frame, str) else frame.to_csv(index=False), encoding="utf-8"
        )
        return str(path)

    return _write


def long_of(frame, value, **about):
    """One row an entity and a case, in an order of chance."""
    wide = frame.assign(case=range(1, len(frame) + 1), **about)
    return wide.melt(["case", *about], frame.columns, "entity", value).sample(
        frac=1, random_state=3
    )


# Counts


def test_outcomes_are_numbers_if_all_are(write):
    for outcomes, expected in (
        (["true", "False", "true"], [0, 1]),
        (["10", "9", "2.0"], [2, 9, 10]),
        (["0.5", "1", "0"], [0, 0.5, 1]),
        (["pass", "x", "fail"], ["fail", "pass", "x"]),
    ):
        frame = pd.DataFrame({"entity": ["a", "a", "b"], "outcome": outcomes, "count": [4, 5, 6]})
        counts = read_evidence(write(frame))
        assert counts["outcome"].values.tolist() == expected
        assert int(counts.sum()) == 15


# Single cases


def noted(joint):
    """The joint outcomes with the note that a table of 0 and 1 without the truth has."""
    return joint.assign_attrs(add_notes(joint.attrs, [Note("ones_taken_as_right", {})]))


def test_wide_outcomes(write):
    joint = read_evidence(write(CASES))
    assert joint.identical(noted(br.from_outcomes(CASES)))
    assert noted(read_evidence(write(CASES.replace({0: "fail", 1: "pass"})))).identical(joint)
    assert read_evidence(write(CASES * 2.5)).identical(br.from_outcomes(CASES * 2.5))
    about = CASES.assign(Case=range(6), dataset=SETS, Cluster=CLUSTERS, weight=[1, 2, 1, 0, 3, 1])
    expected = br.from_outcomes(CASES, dataset=SETS, cluster=CLUSTERS, count=about["weight"])
    assert read_evidence(write(about), count="weight").identical(noted(expected))


def test_runs_are_means_of_their_cases(write):
    wide = CASES.assign(case=list("kkkllm"), run=list("123121"))
    expected = br.from_outcomes(wide, case="case", run="run")
    advice = br.cases.variance_components(CASES, case=wide["case"]).attrs["advice"]
    long = wide.melt(["case", "run"], CASES.columns, "entity", "outcome").sample(
        frac=1, random_state=3
    )
    for path in (write(wide), write(long)):
        joint = read_evidence(path)
        assert joint.sizes == expected.sizes
        mean = (joint["outcome"] * joint["count"]).sum("pattern").sel(entity=CASES.columns)
        np.testing.assert_allclose(
            mean, [1.0 * 2 / 3 + 0.5 + 1, 1 / 3 + 0.5, 2 / 3 + 1 + 1], rtol=1e-12
        )
        output = invoke("rank", path, "--draws", "50")
        assert (
            "Note: The outcome of a case is its mean over 1 to 3 runs of one fitted model."
            in output
        )
        assert f"Note: {advice}" in output
    # Names of cases belong to their data set, and a run that is missing is left out.
    sets = wide.assign(case=list("kkkkkk"), run=list("123123"), dataset=SETS)
    assert int(read_evidence(write(sets))["count"].sum()) == 2
    gaps = wide.astype({"gpt": object})
    gaps.loc[0, "gpt"] = ""
    mean = read_evidence(write(gaps), missing="own")["outcome"].sel(entity="gpt").values.tolist()
    assert sorted(mean) == [0.5, 0.5, 1.0]


def test_labels_with_the_truth(write):
    joint = read_evidence(write(LABELS.assign(Actual=TRUTH, patient=CLUSTERS)), cluster="Patient")
    assert joint.identical(br.joint_outcomes(TRUTH, LABELS, cluster=CLUSTERS))
    long = read_evidence(write(long_of(LABELS, "predicted", y_true=TRUTH, cluster=CLUSTERS)))
    assert int(long["count"].sum()) == 6
    one, other = (
        br.fit(each, "paired", seed=1, draws=2)["observed_data"]["counts"] for each in (long, joint)
    )
    np.testing.assert_array_equal(one.sel(entity=["gpt", "Llama"]), other)


def test_the_ranking_of_cases_says_what_was_chosen(write):
    cases = pd.concat([CASES] * 4, ignore_index=True).assign(question=CLUSTERS * 4)
    output = invoke("rank", write(cases), "--cluster", "question", "--draws", "100")
    for line in (
        "Note: Per-case data are available, so the model is paired; --model chooses another.",
        "Note: Cases are in 4 clusters; cases of one cluster are not assumed independent.",
        "Only 4 clusters",
    ):
        assert line in output
    told = invoke("rank", write(cases), "--ignore", "question", "--draws", "9", "--model", "paired")
    assert "clusters" not in told
    assert "--model chooses" not in told


def test_cases_as_counts(write):
    assert counts_of(br.from_outcomes(CASES)).sel(entity="Llama").values.tolist() == [4, 2]
    weighted = br.joint_outcomes(TRUTH, LABELS, count=[3, 1, 2, 1, 1, 5])
    expected = br.from_predictions(TRUTH, LABELS, count=[3, 1, 2, 1, 1, 5])
    xr.testing.assert_equal(counts_of(weighted), expected)
    output = invoke(
        "rank", write(CASES), "--draws", "50", "--model", "dirichlet_multinomial", "--notes"
    )
    assert "(7a has 6): such a mean depends strongly on the prior" in output
    message = refused(
        "rank", write(CASES.assign(cluster=CLUSTERS)), "--model", "dirichlet_multinomial"
    )
    assert message.startswith("--model must be 'paired' for cases in clusters")


def test_cases_of_several_data_sets(write):
    path = write(CASES.assign(dataset=SETS))
    output = invoke("rank", path, "--draws", "50")
    assert "Note: Pooled over 2 data sets; --dataset chooses one." in output
    assert output.splitlines()[1].endswith("; pooled over 2 data sets.")
    one = invoke("rank", path, "--draws", "50", "--dataset", "y", "--format", "csv")
    assert one == invoke("rank", write(CASES.iloc[3:]), "--draws", "50", "--format", "csv")


MISSING = "a,b,c\n1,0,1\n1,,0\n0,1,1\n1,1,\n" + "1,0,1\n0,0,1\n" * 30
LONG = "entity,case,actual,predicted\na,1,x,x\na,2,y,x\na,3,y,y\nb,1,x,x\nb,2,y,\nb,4,x,y\na,4,x,x\nb,3,y,x\n"


def test_missing_answers(write):
    """What br.from_outcomes does about them, asked for as the command asks."""
    path = write(MISSING)
    frame = pd.read_csv(path)
    for missing in ("common", "own", 0.0):
        wanted = br.from_outcomes(frame, missing=missing)
        assert read_evidence(path, missing=missing).identical(noted(wanted))
    found = csv_of("rank", path, "--missing", missing, "--draws", "50")["median"]
    ranking = br.credible_ranking(br.fit(wanted, "paired", draws=50, seed=1), "mean_outcome")
    np.testing.assert_allclose(
        found[list("abc")], ranking["median"].sel(entity=list("abc")), rtol=1e-12
    )
    # Where a label is missing, too, and where a row is.
    long, rows = write(LONG), write("entity,case,outcome\na,1,1\na,2,0\nb,1,1\n")
    assert int(read_evidence(long, missing="common")["count"].sum()) == 3
    assert np.isnan(read_evidence(rows, missing="own")["outcome"].values).sum() == 1
    with pytest.raises(ValueError, match="--missing cannot be used for counts"):
        read_evidence(write("entity,tn,fp,fn,tp\na,1,2,3,4\n"), missing="own")


def test_a_wrong_label_between_1_and_2_is_no_probability(tmp_path):
    path, y = tmp_path / "ratings.csv", np.tile([1, 2, 3], 10)
    pd.DataFrame({"y": y, "a": np.where(np.arange(30) == 3, 1.5, y), "b": y}).to_csv(
        path, index=False
    )
    rows = json_of(
        "rank", path, "--truth", "y", "--entities", "a,b", "--score", "accuracy", "--draws", "50"
    )["ranking"]
    assert {row["entity"]: row["observed"] for row in rows} == pytest.approx({"a": 29 / 30, "b": 1})


def test_a_word_in_the_only_column_of_outcomes_is_no_label_of_a_classifier(tmp_path):
    """Without a number in it, the words may be predicted labels."""
    path, hint = tmp_path / "one.csv", "Predicted labels need"
    path.write_text("case,gpt\n1,good\n2,bad\n3,fine\n4,1\n")
    assert hint not in refused("rank", path)
    path.write_text("case,gpt\n1,good\n2,bad\n3,fine\n4,poor\n")
    assert hint in refused("rank", path)


def test_questions_on_headings_grow_with_their_number(write, monkeypatch):
    """Twice as many entities need about twice as many comparisons of headings, not four times as many."""
    from bayesrank.io.tables import columns

    asked, squeeze = [], columns.squeeze
    monkeypatch.setattr(columns, "squeeze", lambda name: asked.append(name) or squeeze(name))
    rng, calls = np.random.default_rng(1), []
    for size in (40, 80):
        names = [f"model{i}" for i in range(size)]
        path = write(pd.DataFrame(rng.integers(0, 2, (5, size)), columns=names))
        asked.clear()
        read_evidence(path)
        calls.append(len(asked))
    assert calls[1] < 2.5 * calls[0]
