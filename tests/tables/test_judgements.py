"""Tables of judged cases, by column names and by the options --truth and --judge."""

import numpy as np
import pandas as pd
import pytest

import bayesrank as br
from tests.commands import invoke, refused
from tests.evidence.test_judged import DISEASE, TEST, board, of_board


@pytest.fixture
def judged(tmp_path):
    frame = board(cases=60, labels=30)
    frame.astype({"human": "Int64"}).to_csv(tmp_path / "judged.csv", index=False)
    return tmp_path / "judged.csv"


def test_the_command_reads_what_from_judged_reads(judged):
    frame = board(cases=60, labels=30)
    found = br.from_frame(frame, truth="human")
    wanted = of_board(frame)
    assert found.drop_attrs().identical(wanted.drop_attrs())
    printed = invoke("rank", judged, "--truth", "human")
    assert "Read 60 cases × 2 systems, the truth known for 30, from judged.csv." in printed
    assert "Note: The column gpt holds the verdicts of the judge." in printed
    named = invoke("rank", judged, "--truth", "human", "--judge", "gpt")
    assert named == printed.replace("Note: The column gpt holds the verdicts of the judge.\n", "")
    ranking = br.credible_ranking(br.fit(wanted, seed=1), method="auto")
    assert br.verdict(ranking)[0] in printed


def test_several_judges_are_a_choice(judged):
    frame = pd.read_csv(judged).assign(claude=lambda held: 1 - held["gpt"])
    frame.to_csv(judged, index=False)
    message = refused("rank", judged, "--truth", "human")
    assert "--judge gpt or --judge claude (several together: --judge gpt,claude)" in message
    both = br.from_frame(frame, truth="human", judge=["gpt", "claude"])
    assert both["judge"].values.tolist() == ["gpt", "claude"]
    assert "ignored: claude" in invoke("rank", judged, "--truth", "human", "--judge", "gpt")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda f: f.assign(gpt=f["gpt"].where(f["human"].isna())), "labels of other cases"),
        (lambda f: f.assign(human=np.nan), "at least one case"),
        (lambda f: f.assign(human=f["human"] * 3), "1 or 0"),
        (lambda f: pd.concat([f, f]), "each case of an entity once"),
        (lambda f: f.drop(columns="gpt"), "verdicts of a judge"),
        (lambda f: f.assign(count=2), "--count count if a row stands for that many cases"),
        (lambda f: f.drop(columns="system"), "--entities gpt if they are predictions"),
    ],
)
def test_bad_tables_are_refused_with_what_to_type(judged, change, words):
    change(pd.read_csv(judged)).to_csv(judged, index=False)
    message = refused("rank", judged, "--truth", "human")
    assert words in message
    assert "Traceback" not in message


def test_a_judge_needs_a_truth_and_options_their_columns(judged):
    assert "--truth must name the column" in refused("rank", judged, "--judge", "gpt")
    assert "--truth must name a column" in refused("rank", judged, "--truth", "people")
    assert "--missing cannot be used for judged cases" in refused(
        "rank", judged, "--truth", "human", "--missing", "own"
    )


def test_doctor_describes_labels_their_choice_and_the_judge(judged):
    frame = pd.read_csv(judged)
    frame.loc[(frame["system"] == "b") & (frame["case"] >= 20), "human"] = np.nan
    frame["human"] = frame["human"].where((frame["system"] == "a") | (frame["gpt"] == 1))
    frame.to_csv(judged, index=False)
    printed = invoke("doctor", judged, "--truth", "human")
    wrong = frame[(frame["system"] == "a") & (frame["human"] == 0)]
    assert (
        f"wrong answers that it accepts, of those with a known truth: a {wrong['gpt'].mean():.0%} of"
        in printed
    )
    assert f"a 30, b {int(frame[frame['system'] == 'b']['human'].notna().sum())}" in printed
    assert "cases of b with the verdict 0" in printed
    assert printed.strip().endswith(f"bayesrank rank {judged} --truth human")
    assert str(br.doctor(judged, truth="human")) in printed
    assert "stops" in dir(br.doctor(judged, truth="human", judge="nobody"))
    assert "must name a column" in invoke("doctor", judged, "--truth", "human", "--judge", "nobody")
    assert "must not name the column with the truth" in refused(
        "rank", judged, "--truth", "human", "--judge", "human"
    )


def test_verification_is_a_truth_beside_predictions(tmp_path):
    frame = pd.DataFrame({"disease": DISEASE, "scan": TEST}).astype({"disease": "Int64"})
    frame.to_csv(tmp_path / "scans.csv", index=False)
    wanted = br.joint_outcomes(DISEASE, {"scan": TEST})
    for found in (
        br.from_frame(
            frame.astype(object).where(frame.notna(), None), truth="disease", entities=["scan"]
        ),
        br.datasets.load("hepatic_scans"),
    ):
        assert sorted(found["count"].values) == sorted(wanted["count"].values)
        assert br.scores.tpr(br.fit(found, seed=1)).median().item() == pytest.approx(
            0.8365, abs=0.004
        )
    printed = invoke(
        "rank", tmp_path / "scans.csv", "--truth", "disease", "--entities", "scan", "--score", "tpr"
    )
    assert "the truth known for 344" in printed
    long = frame.rename(columns={"scan": "predicted"}).assign(test="scan", case=range(650))
    long.to_csv(tmp_path / "long.csv", index=False)
    assert "the truth known for 344" in invoke(
        "rank", tmp_path / "long.csv", "--truth", "disease", "--score", "tpr"
    )
    assert "actual must not be empty" in refused(
        "rank", _renamed(tmp_path, frame), "--score", "tpr"
    )


def _renamed(folder, frame):
    frame.rename(columns={"disease": "actual"}).to_csv(folder / "actual.csv", index=False)
    return folder / "actual.csv"


@pytest.mark.parametrize("command", ["scores", "sensitivity", "report", "tile", "ops", "decide"])
def test_commands_take_verified_cases(command, tmp_path):
    more = {
        "decide": ["--benefit", "tn=0,fp=-1,fn=-9,tp=0"],
        "report": ["-o", tmp_path / "page.html"],
    }
    assert "the truth known for 344" in invoke(
        command, "hepatic_scans", "--draws", 50, *more.get(command, [])
    )
