"""Folders of submissions: joined by id, missing answers, several files of a team, and files that are refused."""

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score, log_loss, roc_auc_score

import bayesrank as br
from bayesrank._source import groups_of
from bayesrank.logs.submissions import _stem
from tests.commands import invoke, json_of, refused

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
    assert score.sel(entity="poor").item() == pytest.approx(f1_score(TRUTH, np.roll(TRUTH, 1), average="macro"))
    shown = json_of("rank", folder / "all", "--truth", folder / "truth.csv", "--score", "macro_f1", "--draws", 100)
    assert shown["read"] == "Read 90 cases × 2 teams, 3 classes, from all."
    assert shown["ranking"][0]["observed"] == pytest.approx(score.sel(entity="good").item(), abs=1e-9)


def test_missing_answers_count_as_wrong_on_request(places):
    folder, guess = places
    write(folder / "part", "good.csv", guess)
    write(folder / "part", "short.csv", guess[5:], IDS[5:])
    truth = folder / "truth.csv"
    assert "--missing wrong" in refused("rank", folder / "part", "--truth", truth, "--score", "macro_f1")
    counts = observed(br.read(folder / "part", truth=truth, missing="wrong"))["counts"]
    full, short = (counts.sel(entity=name) for name in ("good", "short"))
    right = [full.sel(actual=c, predicted=c).item() - short.sel(actual=c, predicted=c).item() for c in "abc"]
    assert sum(right) == (guess[:5] == TRUTH[:5]).sum()
    assert (short.sel(predicted=list("abc")) <= full.sel(predicted=list("abc"))).all()  # no other class gains
    assert short.sel(predicted="(no answer)").sum().item() == 5
    said = invoke("rank", folder / "part", "--truth", truth, "--score", "macro_f1", "--missing", "wrong", "--draws", 50)
    assert "5 of 180, at most 5 of one team (short)" in said


def test_two_classes_get_the_other_label_and_probabilities_none_on_the_truth(tmp_path):
    truth = RNG.integers(0, 2, 90)
    chance = np.round(RNG.random(90) * 0.8 + 0.1, 3)
    pd.DataFrame({"Id": IDS, "Expected": truth, "Usage": "Public"}).to_csv(tmp_path / "solution.csv", index=False)
    write(tmp_path / "labels", "team.csv", 1 * (chance > 0.5)[4:], IDS[4:])
    counts = observed(br.read(tmp_path / "labels", truth=tmp_path / "solution.csv", missing="wrong"))["counts"]
    labels = np.append(1 - truth[:4], chance[4:] > 0.5)
    assert br.scores.f1(counts).item() == pytest.approx(f1_score(truth, labels))
    write(tmp_path / "chances", "team.csv.gz", chance[4:], IDS[4:], "Predicted")
    frame = br.read(tmp_path / "chances", truth=tmp_path / "solution.csv", missing="wrong")
    wanted = roc_auc_score(truth, np.append(1 - truth[:4], chance[4:]))
    assert observed(frame)["auc_roc"].item() == pytest.approx(wanted)
    with pytest.raises(ValueError, match="log loss infinite"):
        br.fit(br.from_frame(frame), scores=["log_loss"])


def test_probabilities_of_several_classes(places):
    folder, _ = places
    values = RNG.dirichlet([1, 1, 1], 90)
    frame = pd.DataFrame(values, columns=["prob_a", "prob_b", "prob_c"]).assign(id=IDS).sample(frac=1, random_state=1)
    (folder / "many").mkdir()
    frame.to_csv(folder / "many" / "team.csv", index=False)
    found = observed(br.read([folder / "many"], truth=folder / "truth.csv"))
    assert found["log_loss"].item() == pytest.approx(log_loss(TRUTH, values))
    shown = invoke("rank", folder / "many", "--truth", folder / "truth.csv", "--score", "log_loss", "--draws", 50)
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
    assert "bad" in refused("rank", folder / "bad", "--truth", folder / "truth.csv", "--score", "macro_f1")


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
    assert "--cluster" in refused("rank", folder / "all", "--truth", truth, "--cluster", "x", "--score", "macro_f1")
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
        pd.DataFrame({"passenger": IDS, "answer": answers}).to_csv(tmp_path / "all" / f"{name}.csv", index=False)
    frame = br.read(tmp_path / "all", truth=tmp_path / "truth.csv").set_index("case")
    assert frame.index.tolist() == IDS
    assert (frame["one"] == frame["actual"]).all()
    assert frame.loc[IDS, "other"].tolist() == np.roll(TRUTH, 1).tolist()
