"""Inspect itself runs an eval set with its mock model; the hook ranks it, and its data frames are read."""

import json
import os
import subprocess
import sys
from html import escape
from pathlib import Path

import pandas as pd
import pytest

import bayesrank as br
from bayesrank.integrations.inspect import read_samples, write_ranking

SCRIPT = Path(__file__).with_name("inspect_eval.py")
KEY = ["entity", "dataset", "case", "run", "outcome"]


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """The folder of the logs, and what Inspect printed."""
    folder = tmp_path_factory.mktemp("inspect")
    env = os.environ | {"PYTHONPATH": str(SCRIPT.parents[1])}
    done = subprocess.run(
        [sys.executable, SCRIPT, folder], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return folder, done.stdout + done.stderr


@pytest.fixture(scope="module")
def tables(ran):
    folder, _ = ran
    return {
        path.stem: pd.read_parquet(path, dtype_backend="pyarrow")
        for path in folder.glob("*.parquet")
    }


def test_the_hook_writes_ranking_and_report_beside_the_logs(ran):
    folder, _ = ran
    found = json.loads((folder / "one" / "ranking.json").read_text("utf-8"))
    assert [(one["entity"], one["observed"]) for one in found["entities"]] == [
        ("mockllm/new", 0.9),
        ("mockllm/old", 0.2),
    ]
    assert found["headline"] == "best"
    assert escape(found["verdict"][0]) in (folder / "one" / "ranking.html").read_text("utf-8")


def test_logs_that_leave_open_what_is_ranked_get_a_warning_with_the_remedy(ran):
    folder, printed = ran
    words = " ".join(printed.split())
    assert "bayesrank wrote no ranking: " in words
    assert "reruns='runs'" in words
    assert not list((folder / "twice").glob("ranking.*"))
    # Another ranking replaces that of the hook, which is no log.
    assert br.read(folder / "one").attrs["doubts"] == []
    found = write_ranking(folder / "one")
    assert found.table["observed"].to_dict() == {"mockllm/new": 0.9, "mockllm/old": 0.2}


def test_the_data_frames_hold_what_the_logs_hold(ran, tables):
    logs = br.read(ran[0] / "one").sort_values(KEY[:4]).reset_index(drop=True)
    frame = (
        read_samples(tables["samples"], tables["evals"]).sort_values(KEY[:4]).reset_index(drop=True)
    )
    pd.testing.assert_frame_equal(frame[KEY], logs[KEY], check_dtype=False)
    assert len(frame) == 2 * 10 * 2
    assert frame.attrs["metric"] == logs.attrs["metric"] == {"quiz": "match"}
    assert br.analyze(frame).verdict == br.analyze(logs).verdict


def test_a_frame_with_the_columns_of_models_needs_no_second_one(tables):
    wide = tables["wide"]
    pd.testing.assert_frame_equal(
        read_samples(wide)[KEY], read_samples(tables["samples"], tables["evals"])[KEY]
    )
    wide["score_other"] = wide["score_match"]
    with pytest.raises(br.ArgumentError, match=r"quiz has 2 metrics, .*only=\{'metric': 'match'\}"):
        read_samples(wide)
    assert read_samples(wide, only={"metric": "match"})["entity"].nunique() == 2


def test_what_frames_lack_is_named(tables):
    with pytest.raises(br.ArgumentError, match=r"no model, task_name \(pass evals_df\(logs\)"):
        read_samples(tables["samples"])
    with pytest.raises(br.ArgumentError, match="a row for each eval_id of the samples"):
        read_samples(tables["samples"], tables["evals"].iloc[:1])
    with pytest.raises(br.ArgumentError, match="a column score_SCORER"):
        read_samples(tables["wide"].filter(regex="^(?!score_)"))


def test_errors_words_and_parts_of_scores_are_those_of_the_logs():
    samples = pd.DataFrame({"eval_id": "x", "id": ["a", "b", "c", "d"], "epoch": 1,
                            "model": "m", "task_name": "org/my-quiz",
                            "score_s": ["P", "N", None, None], "error": ["", "", "timeout", None],
                            "metadata_topic": ["sums", "sums", "words", "words"]})  # fmt: skip
    frame = read_samples(samples)
    assert frame["outcome"].tolist()[:2] == [0.5, 0.0]
    assert frame["outcome"].isna().tolist() == [False, False, True, True]
    assert frame["status"].tolist() == ["scored", "abstained", "error", "not scored"]
    assert frame["category"].tolist() == ["sums", "sums", "words", "words"]
    assert set(frame["dataset"]) == {"my_quiz"}
    samples["score_s"] = ['{"a": 1, "b": 0}'] * 4
    assert read_samples(samples, only={"metric": "s.a"})["outcome"].tolist()[:2] == [1.0, 1.0]


def test_a_ranking_of_another_tool_is_not_replaced(tmp_path):
    (tmp_path / "ranking.json").write_text('{"mine": 1}', encoding="utf-8")
    with pytest.raises(br.ArgumentError, match="not an earlier board of bayesrank"):
        write_ranking(tmp_path)
    with pytest.raises(
        br.ArgumentError, match="log_dir must be a folder of this machine; got 's3://bucket/logs'"
    ):
        write_ranking("s3://bucket/logs")
