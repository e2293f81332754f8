"""Folders of submissions: joined by id, missing answers, several files of a team, and files that are refused."""

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score, log_loss, roc_auc_score

import bayesrank as br
from bayesrank._core.source import groups_of
from bayesrank.io.logs.submissions import _stem
from bayesrank.io.tables.probabilities import class_in
from tests.commands import csv_of, invoke, json_of, refused, run
from tests.told import said

RNG = np.random.default_rng(1)
IDS = [f"x{i}" for i in range(90)]
TRUTH = np.array(list("abc"))[RNG.integers(0, 3, 90)]


def write(folder, name, answers, ids=IDS, heading="label"):
    folder.mkdir(parents=True, exist_ok=True)
    frame = pd.DataFrame({"id": ids, heading: answers}).sample(frac=1, random_state=len(name))
    frame.to_csv(folder / name, index=False, sep="\t" if ".tsv" in name else ",")


@pytest.fixture
def places(tmp_path):
    """A truth, and two teams of which one lacks five answers."""
    pd.DataFrame({"id": IDS, "actual": TRUTH}).to_csv(tmp_path / "truth.csv", index=False)
    guess = np.where(RNG.random(90) < 0.8, TRUTH, "a")
    write(tmp_path / "all", "good.csv", guess)
    write(tmp_path / "all", "poor.tsv", np.roll(TRUTH, 1))
    return tmp_path, guess


def observed(frame, **options):
    return groups_of(br.fit(br.from_frame(frame, **options), seed=1, draws=4))["observed_data"]


def test_labels_are_joined_by_id(places):
    folder, guess = places
    frame = br.read(folder / "all", truth=folder / "truth.csv")
    assert frame.columns.tolist() == ["case", "actual", "good", "poor"]
    score = br.scores.macro_f1(observed(frame)["counts"])
    assert score.sel(entity="good").item() == pytest.approx(f1_score(TRUTH, guess, average="macro"))
    assert score.sel(entity="poor").item() == pytest.approx(
        f1_score(TRUTH, np.roll(TRUTH, 1), average="macro")
    )
    shown = json_of(
        "rank",
        folder / "all",
        "--truth",
        folder / "truth.csv",
        "--score",
        "macro_f1",
        "--draws",
        100,
    )
    assert shown["read"] == "Read 90 cases × 2 teams, 3 classes, from all."
    assert shown["ranking"][0]["observed"] == pytest.approx(
        score.sel(entity="good").item(), abs=1e-9
    )


def test_missing_answers_count_as_wrong_on_request(places):
    folder, guess = places
    write(folder / "part", "good.csv", guess)
    write(folder / "part", "short.csv", guess[5:], IDS[5:])
    truth = folder / "truth.csv"
    assert "--missing wrong" in refused(
        "rank", folder / "part", "--truth", truth, "--score", "macro_f1"
    )
    counts = observed(br.read(folder / "part", truth=truth, missing="wrong"))["counts"]
    full, short = (counts.sel(entity=name) for name in ("good", "short"))
    right = [
        full.sel(actual=c, predicted=c).item() - short.sel(actual=c, predicted=c).item()
        for c in "abc"
    ]
    assert sum(right) == (guess[:5] == TRUTH[:5]).sum()
    assert (
        short.sel(predicted=list("abc")) <= full.sel(predicted=list("abc"))
    ).all()  # no other class gains
    assert short.sel(predicted="(no answer)").sum().item() == 5
    answers = [*["(no answer)"] * 5, *guess[5:]]
    wanted = f1_score(TRUTH, answers, labels=list("abc"), average="macro")
    assert br.scores.macro_f1(counts).sel(entity="short").item() == pytest.approx(wanted)
    said = invoke(
        "rank",
        folder / "part",
        "--truth",
        truth,
        "--score",
        "macro_f1",
        "--missing",
        "wrong",
        "--draws",
        50,
    )
    assert "5 of 180, at most 5 of one team (short)" in said


def test_two_classes_get_the_other_label_and_probabilities_none_on_the_truth(tmp_path):
    truth = RNG.integers(0, 2, 90)
    chance = np.round(RNG.random(90) * 0.8 + 0.1, 3)
    pd.DataFrame({"Id": IDS, "Expected": truth, "Usage": "Public"}).to_csv(
        tmp_path / "solution.csv", index=False
    )
    write(tmp_path / "labels", "team.csv", 1 * (chance > 0.5)[4:], IDS[4:])
    counts = observed(
        br.read(tmp_path / "labels", truth=tmp_path / "solution.csv", missing="wrong")
    )["counts"]
    labels = np.append(1 - truth[:4], chance[4:] > 0.5)
    assert br.scores.f1(counts).item() == pytest.approx(f1_score(truth, labels))
    write(tmp_path / "chances", "team.csv.gz", chance[4:], IDS[4:], "Predicted")
    frame = br.read(tmp_path / "chances", truth=tmp_path / "solution.csv", missing="wrong")
    wanted = roc_auc_score(truth, np.append(1 - truth[:4], chance[4:]))
    assert observed(frame)["auc_roc"].item() == pytest.approx(wanted)
    with pytest.raises(ValueError, match="log loss would be infinite"):
        br.fit(br.from_frame(frame), scores=["log_loss"])


def test_probabilities_of_several_classes(places):
    folder, _ = places
    values = RNG.dirichlet([1, 1, 1], 90)
    frame = (
        pd.DataFrame(values, columns=["prob_a", "prob_b", "prob_c"])
        .assign(id=IDS)
        .sample(frac=1, random_state=1)
    )
    (folder / "many").mkdir()
    frame.to_csv(folder / "many" / "team.csv", index=False)
    found = observed(br.read([folder / "many"], truth=folder / "truth.csv"))
    assert found["log_loss"].item() == pytest.approx(log_loss(TRUTH, values))
    shown = invoke(
        "rank",
        folder / "many",
        "--truth",
        folder / "truth.csv",
        "--score",
        "log_loss",
        "--draws",
        50,
    )
    assert "ignored" not in shown


def test_the_last_submission_of_a_team_counts(places):
    folder, guess = places
    for name, answers in (("v2.csv", np.roll(TRUTH, 1)), ("v10.csv", guess)):
        write(folder / "teams" / "blue", name, answers)
    write(folder / "teams" / "red", "only.csv", np.roll(TRUTH, 2))
    truth = folder / "truth.csv"
    with pytest.raises(ValueError, match="reruns='latest'"):
        br.read(folder / "teams", truth=truth)
    frame = br.read(folder / "teams", truth=truth, reruns="latest")
    assert frame.columns.tolist() == ["case", "actual", "blue", "red"]
    assert (frame["blue"] == guess).all()
    named = br.read(folder / "teams", truth=truth, name={"*/v2.csv": "", "*/only.csv": "green"})
    assert named.columns.tolist() == ["case", "actual", "blue", "green"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id,label,label\nx0,a,a\n", "each column once"),
        ("id,label\n,a\n", "must not be empty"),
        ("id,label\nx0,a\nx0,b\n", "each case once; got 'x0' twice"),
        ("id,label\nzz,a\n", "cases of the truth; got 'zz'"),
        ("id,label\nx0,d\n", "labels of the truth"),
        ("id,label,more\nx0,a,b\n", "one column beside the ids"),
        ("id,label\n", "at least one row"),
        ("id,label\nx0\n", "must have 2 fields"),
        ("id,label\nx0,a\n", "each of the 90 cases"),
        ("id,label\nx0,0.5\n", "labels of the truth"),
    ],
)
def test_bad_submissions_are_refused(places, content, message):
    folder, _ = places
    (folder / "bad").mkdir()
    (folder / "bad" / "team.csv").write_text(content)
    with pytest.raises(ValueError, match=message):
        br.read(folder / "bad", truth=folder / "truth.csv")
    assert "bad" in refused(
        "rank", folder / "bad", "--truth", folder / "truth.csv", "--score", "macro_f1"
    )


def test_arguments_that_do_not_fit_are_refused(places):
    folder, _ = places
    (folder / "empty").mkdir()
    with pytest.raises(ValueError, match="missing"):
        br.read(folder / "all", missing="wrong")
    with pytest.raises(ValueError, match="truth must name a file"):
        br.read(folder / "all", truth=folder / "none.csv")
    with pytest.raises(ValueError, match="submissions, files such as"):
        br.read(folder / "empty", truth=folder / "truth.csv")
    with pytest.raises(ValueError, match="files or folders"):
        br.read(folder / "absent", truth=folder / "truth.csv")
    truth = folder / "truth.csv"
    assert "--cluster" in refused(
        "rank", folder / "all", "--truth", truth, "--cluster", "x", "--score", "macro_f1"
    )
    (folder / "all" / "packed.csv.gz").write_bytes(gzip.compress(b"id,label\nx0,\xff\n"))
    assert "UTF-8" in refused("rank", folder / "all", "--truth", truth, "--score", "macro_f1")


@pytest.mark.parametrize(
    ("file", "team"),
    [
        ("alpha_submission.csv", "alpha"),
        ("submission-beta.csv.gz", "beta"),
        ("submission.csv", "submission"),
        ("a.parquet", "a"),
        ("longteamname-submission.tsv", "longteamname"),
        ("mysubmission.csv", "mysubmission"),
    ],
)
def test_the_team_is_the_name_of_the_file_without_the_word_submission(file, team):
    assert _stem(Path(file)) == team


def test_the_first_column_has_the_ids_if_no_heading_says_so(tmp_path):
    pd.DataFrame({"passenger": IDS, "actual": TRUTH}).to_csv(tmp_path / "truth.csv", index=False)
    (tmp_path / "all").mkdir()
    for name, answers in (("one", TRUTH), ("other", np.roll(TRUTH, 1))):
        pd.DataFrame({"passenger": IDS, "answer": answers}).to_csv(
            tmp_path / "all" / f"{name}.csv", index=False
        )
    frame = br.read(tmp_path / "all", truth=tmp_path / "truth.csv").set_index("case")
    assert frame.index.tolist() == IDS
    assert (frame["one"] == frame["actual"]).all()
    assert frame.loc[IDS, "other"].tolist() == np.roll(TRUTH, 1).tolist()


# Probabilities of a class that the heading names

SICK = np.array(["benign", "malignant"])[RNG.integers(0, 2, 90)]
MALIGNANT = np.clip(0.35 + 0.3 * (SICK == "malignant") + RNG.normal(0, 0.2, 90), 0.01, 0.99).round(
    4
)
BENIGN = (1 - MALIGNANT).round(4)
AREA = roc_auc_score(SICK == "malignant", MALIGNANT)


@pytest.fixture
def clinic(tmp_path):
    """A truth with a column split, and a function that writes a file of a team with these columns."""
    split = np.where(np.arange(90) < 40, "public", "private")
    pd.DataFrame({"image_id": IDS, "diagnosis": SICK, "actual": SICK, "split": split}).to_csv(
        tmp_path / "truth.csv", index=False
    )
    (tmp_path / "all").mkdir()

    def file(name, **columns):
        frame = pd.DataFrame({"image_id": IDS, **columns}).sample(frac=1, random_state=1)
        frame.to_csv(tmp_path / "all" / name, index=False)

    return tmp_path, file


@pytest.mark.parametrize(
    "heading", ["benign", "Benign", "p_benign", "P(benign)", "prob benign", "benign_probability"]
)
def test_a_heading_that_names_a_class_decides_the_class(clinic, heading):
    """The column benign was taken as P(malignant): an area of 0.082 for 0.918."""
    folder, file = clinic
    file("one.csv", **{heading: BENIGN})
    file("two.csv", malignant=MALIGNANT)
    file("three.csv", **{heading: BENIGN, "malignant": MALIGNANT})
    file("four.csv", prediction=MALIGNANT)
    frame = br.read(folder / "all", truth=folder / "truth.csv", positive="malignant")
    assert [name for name in frame if name not in ("case", "actual", "diagnosis", "split")] == [
        *("four", "one", "three", "two")
    ]
    found = observed(frame, positive="malignant")["auc_roc"]
    assert found.values == pytest.approx(AREA)
    options = [
        "--truth",
        folder / "truth.csv",
        "--score",
        "auc_roc",
        "--positive",
        "malignant",
        "--draws",
        20,
    ]
    assert csv_of("rank", folder / "all", *options)["observed"].to_numpy() == pytest.approx(AREA)
    # The other class, too: files of P(malignant) are turned.
    other = br.read(
        folder / "all", truth=folder / "truth.csv", positive="benign", name={"*/four.csv": ""}
    )
    assert observed(other, positive="benign")["auc_roc"].values == pytest.approx(AREA)


def test_a_heading_with_a_class_needs_the_positive_one(clinic):
    folder, file = clinic
    file("one.csv", benign=BENIGN)
    with pytest.raises(
        ValueError, match=r"needs the positive class.*positive='malignant' or positive='benign'"
    ):
        br.read(folder / "all", truth=folder / "truth.csv")
    with pytest.raises(ValueError, match="positive must be a label of the truth"):
        br.read(folder / "all", truth=folder / "truth.csv", positive="sick")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"not_benign": MALIGNANT}, "must be the name of a class, or prediction"),
        ({"benign": 10 * BENIGN}, "must contain probabilities; got"),
        ({"benign": BENIGN, "malignant": BENIGN}, "with the sum 1"),
        ({"benign": BENIGN, "other": MALIGNANT}, "one column beside the ids"),
    ],
)
def test_columns_of_unclear_classes_are_refused(clinic, columns, message):
    folder, file = clinic
    file("one.csv", **columns)
    with pytest.raises(ValueError, match=message):
        br.read(folder / "all", truth=folder / "truth.csv", positive="malignant")


def test_a_number_in_a_heading_is_a_class_only_beside_words_for_probabilities(tmp_path):
    truth = 1 * (SICK == "malignant")
    pd.DataFrame({"id": IDS, "actual": truth}).to_csv(tmp_path / "truth.csv", index=False)
    for i, (heading, values) in enumerate(
        [("0", BENIGN), ("prob_0", BENIGN), ("model_0", MALIGNANT), ("1", MALIGNANT)]
    ):
        write(tmp_path / "all", f"{i}.csv", values, heading=heading)
    found = observed(br.read(tmp_path / "all", truth=tmp_path / "truth.csv"))["auc_roc"]
    assert found.values == pytest.approx(AREA)
    write(tmp_path / "all", "hard.csv", truth, heading="0")
    with pytest.raises(ValueError, match="must say whether it holds labels or probabilities"):
        br.read(tmp_path / "all", truth=tmp_path / "truth.csv")


@pytest.mark.parametrize(
    ("heading", "classes", "label"),
    [
        ("malignant", ["benign", "malignant"], "malignant"),
        (".pred_Class1", ["Class1", "Class2"], "Class1"),
        ("P(Not Benign)", ["benign", "not benign"], "not benign"),
        ("probMalignant", ["benign", "malignant"], "malignant"),
        ("benign_or_malignant", ["benign", "malignant"], None),
        ("model_1", ["0", "1"], None),
        ("prob_-1", ["-1", "1"], "-1"),
        ("label", ["a", "b"], None),
    ],
)
def test_classes_in_headings(heading, classes, label):
    assert class_in(heading, classes) == label


# Files that are not read, other columns of the truth, and all problems at once


def test_a_file_that_is_skipped_is_named(places):
    """A team that sent a workbook vanished without a word."""
    folder, _ = places
    for name in ("blue.xlsx", "red.txt", "notes.json", "old.zip", ".hidden.txt"):
        (folder / "all" / name).write_text("x")
    words = [
        "rank",
        folder / "all",
        "--truth",
        folder / "truth.csv",
        "--score",
        "macro_f1",
        "--draws",
        20,
    ]
    listed = "blue.xlsx, notes.json, old.zip, red.txt."
    for form in ("table", "csv", "json", "markdown", "latex", "board"):
        result = run(*words, "--format", form)
        assert result.exit_code == 0
        assert listed in result.stderr
        assert listed in result.stdout or form in ("csv", "board", "latex")
    frame = br.read(folder / "all", truth=folder / "truth.csv")
    assert frame.attrs["remarks"][0].fields["files"] == [
        "blue.xlsx",
        "notes.json",
        "old.zip",
        "red.txt",
    ]
    evidence = br.from_frame(frame)
    assert listed in said(evidence.attrs)
    named = [
        word
        for name in ("blue.xlsx", "red.txt", "notes.json", "old.zip")
        for word in ("--name", f"{name}=")
    ]
    assert run(*words, *named).stderr == ""
    with pytest.raises(ValueError, match=r"blue\.xlsx must be one of the files"):
        br.read([folder / "all" / "blue.xlsx"], truth=folder / "truth.csv")


def test_other_columns_of_the_truth_are_kept(clinic):
    folder, file = clinic
    for i, name in enumerate(("one.csv", "two.csv")):
        file(name, label=np.where(MALIGNANT - 0.2 * i > 0.4, "malignant", "benign"))
    truth = folder / "truth.csv"
    frame = br.read(folder / "all", truth=truth)
    assert frame.columns.tolist() == ["case", "actual", "one", "two", "diagnosis", "split"]
    options = {"positive": "malignant"}
    whole = observed(frame, **options)["counts"]
    assert whole["entity"].values.tolist() == ["one", "two"]
    # A team that the user adds is an entity; one that is left out is none.
    assert br.from_frame(frame.assign(three=frame["one"]), **options).sizes["entity"] == 3
    assert br.from_frame(frame.drop(columns="two"), **options).sizes["entity"] == 1
    grouped = br.from_frame(frame, group="split", **options)
    assert set(grouped["group"].values.tolist()) == {"public", "private"}
    public = br.read(folder / "all", truth=truth, only={"split": "public"})
    assert len(public) == 40
    words = [
        "rank",
        folder / "all",
        "--truth",
        truth,
        "--score",
        "f1",
        "--positive",
        "malignant",
        "--draws",
        20,
    ]
    assert "Read 90 cases × 2 teams" in invoke(*words)
    assert "Mean over 2 categories" in invoke(*words, "--by", "split")
    assert "2 groups" in invoke(*words, "--group", "split")
    kept = csv_of(*words, "--only", "split=public")
    expected = br.scores.f1(observed(public, **options)["counts"])
    assert kept["observed"].sort_index().to_numpy() == pytest.approx(expected.values)
    assert kept["cases"].tolist() == [40, 40]
    assert csv_of(*words, "--dataset-column", "split", "--dataset", "public")["cases"].tolist() == [
        40,
        40,
    ]
    assert "must be one of public, private" in refused(*words, "--only", "split=none").replace(
        "private, public", "public, private"
    )
    assert "must name a column of the truth, one of diagnosis, split" in refused(
        *words, "--only", "metric=acc"
    )


def test_answers_are_needed_only_for_the_cases_that_are_kept(clinic):
    folder, _ = clinic
    pd.DataFrame({"id": IDS[:40], "label": SICK[:40]}).to_csv(
        folder / "all" / "one.csv", index=False
    )
    with pytest.raises(ValueError, match=r"none for 50 in .*one\.csv"):
        br.read(folder / "all", truth=folder / "truth.csv")
    frame = br.read(folder / "all", truth=folder / "truth.csv", only={"split": "public"})
    assert (frame["one"] == frame["actual"]).all()


def test_all_problems_of_a_folder_are_in_one_message(places):
    """Nine broken files took nine runs."""
    folder, guess = places
    bad = {
        "twice.csv": "id,label\nx0,a\nx0,b\n",
        "foreign.csv": "id,label\nzz,a\n",
        "wide.csv": "id,label,more\nx0,a,b\n",
        "empty.csv": "",
        "short.csv": "id,label\nx0\n",
        "odd.csv": "id,label\nx0,d\n",
        "bytes.csv": b"id,label\nx0,\xff\n",
    }
    for name, content in bad.items():
        (folder / "all" / name).write_bytes(
            content if isinstance(content, bytes) else content.encode()
        )
    for name in ("lacks1.csv", "lacks2.csv"):
        write(folder / "all", name, guess[5:], IDS[5:])
    with pytest.raises(br.ArgumentError) as caught:
        br.read(folder / "all", truth=folder / "truth.csv")
    message = str(caught.value)
    assert all(name in message for name in (*bad, "lacks1.csv", "lacks2.csv"))
    assert message.startswith("the submissions have 8 problems: (1) ")
    assert message.count("missing='wrong'") == 1
    assert "\n" not in message
    shown = refused("rank", folder / "all", "--truth", folder / "truth.csv", "--score", "macro_f1")
    assert all(name in shown for name in (*bad, "lacks1.csv", "lacks2.csv"))


def test_lost_leading_zeros_are_said(tmp_path):
    ids = [f"{i:03d}" for i in range(90)]
    pd.DataFrame({"id": ids, "actual": TRUTH}).to_csv(tmp_path / "truth.csv", index=False)
    write(tmp_path / "all", "team.csv", TRUTH, range(90))
    with pytest.raises(
        ValueError, match=r"the truth calls it '\d+': leading zeros were lost or added.*dtype=str"
    ):
        br.read(tmp_path / "all", truth=tmp_path / "truth.csv")
    # The other way round, and no hint where the ids differ otherwise.
    pd.DataFrame({"id": range(90), "actual": TRUTH}).to_csv(tmp_path / "truth.csv", index=False)
    write(tmp_path / "other", "team.csv", TRUTH, ids)
    with pytest.raises(ValueError, match="leading zeros"):
        br.read(tmp_path / "other", truth=tmp_path / "truth.csv")
    write(tmp_path / "third", "team.csv", TRUTH, [f"x{i}" for i in ids])
    with pytest.raises(ValueError, match="must name cases of the truth") as caught:
        br.read(tmp_path / "third", truth=tmp_path / "truth.csv")
    assert "leading zeros were" not in str(caught.value)


def test_ids_are_joined_rather_than_row_numbers(places):
    folder, guess = places
    frame = (
        pd.DataFrame({"id": IDS, "label": guess})
        .sample(frac=1, random_state=2)
        .reset_index(drop=True)
    )
    (folder / "numbered").mkdir()
    frame.to_csv(folder / "numbered" / "team.csv")  # with an index
    found = br.read(folder / "numbered", truth=folder / "truth.csv")
    assert (found["team"] == guess).all()


def test_a_team_named_like_a_column_of_the_truth_is_refused(clinic):
    folder, file = clinic
    for name in ("split.csv", "actual.csv"):
        file(name, label=SICK)
    with pytest.raises(
        ValueError, match="must not have the name of a column of the truth"
    ) as caught:
        br.read(folder / "all", truth=folder / "truth.csv")
    assert "split.csv" in str(caught.value)
    assert "actual.csv" in str(caught.value)
    named = {"split.csv": "a", "actual.csv": "b"}
    assert {"a", "b"} < set(br.read(folder / "all", truth=folder / "truth.csv", name=named))


def test_options_that_do_nothing_are_refused(places):
    folder, _ = places
    for options in (
        {"match": "content"},
        {"errors": "scored"},
        {"map": {"case": "id", "entity": "m", "outcome": "x"}},
    ):
        with pytest.raises(ValueError, match="cannot be used for submissions"):
            br.read(folder / "all", truth=folder / "truth.csv", **options)
    with pytest.raises(ValueError, match="must start with the name of a file that was read"):
        br.read(folder / "all", truth=folder / "truth.csv", name={"gone.csv": ""})


def test_a_number_of_cases_is_for_logs_and_neither_for_submissions_nor_tables_nor_the_gate(places):
    folder, _ = places
    with pytest.raises(br.ArgumentError, match="cases cannot be used for submissions"):
        br.read(folder / "all", truth=folder / "truth.csv", cases=100)
    given = ["--cases", "100"]
    assert "--cases cannot be used for submissions" in refused(
        "rank", folder / "all", "--truth", folder / "truth.csv", *given
    )
    assert "--cases is for logs, and cannot be used for a table" in refused(
        "rank", "tornado", *given
    )
    assert "--cases cannot be used for the gate" in refused(
        "gate", folder / "all", folder / "all", *given
    )
