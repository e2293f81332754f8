"""Logs of agents, of robots and of judges: known answers, by the rule of each tool for errors and time-outs."""

import json

import pandas as pd
import pytest

import bayesrank as br
from tests.commands import csv_of, refused


def write(path, held, lines=False):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(map(json.dumps, held)) if lines else json.dumps(held))
    return path


def means(frame):
    return frame.groupby("entity")["outcome"].mean().to_dict()


def alpaca(model, preferences):
    return [
        {
            "instruction": f"q{i}",
            "output_1": "x",
            "generator_1": "base",
            "output_2": "y",
            "generator_2": model,
            "annotator": "gpt4",
            "preference": p,
            "raw_completion": {"logprobs": {"content": []}},
        }
        for i, p in enumerate(preferences)
    ]


def test_alpaca_evals_preferences_are_shares_of_a_win(tmp_path):
    for name, held in (("m", [1.0, 2.0, 1.5, 1.75]), ("n", [2.0, 2.0, 0, 1.25])):
        write(tmp_path / f"{name}.json", alpaca(name, held))
    frame = br.read(tmp_path)
    assert means(frame) == {"m": (0 + 1 + 0.5 + 0.75) / 4, "n": (1 + 1 + 0.5 + 0.25) / 4}
    found = csv_of("rank", tmp_path, "--draws", 50)["observed"]
    assert found["n"] == pytest.approx(0.6875)
    # A comparison that the annotator could not decide is missing, and never a loss.
    write(tmp_path / "n.json", alpaca("n", [2.0, None, 0, 1.25]))
    assert "n (1 error)" in refused("rank", tmp_path)


def games(*scores):
    return {
        "question_id": "",
        "model": "",
        "judge": "j",
        "games": [{"score": one} for one in scores],
    }


def test_arena_hards_second_game_has_the_sides_changed(tmp_path):
    """In the first game the baseline is A, in the second B: both games of q0 are wins of the model, of q1 losses."""
    scores = [("B>A", "A>>B"), ("A>B", "B>A"), ("A=B", "B>A")]
    rows = [games(*one) | {"question_id": f"q{i}", "model": "m"} for i, one in enumerate(scores)]
    write(tmp_path / "m.jsonl", rows, lines=True)
    frame = br.read(tmp_path)
    assert frame.groupby("case")["outcome"].mean().to_dict() == {"q0": 1.0, "q1": 0.0, "q2": 0.25}


def test_mt_bench_grades_turns_of_a_question_in_one_cluster(tmp_path):
    rows = [
        {
            "question_id": q,
            "model": m,
            "judge": ["gpt-4", "single-v1"],
            "user_prompt": "",
            "judgment": "",
            "score": s,
            "turn": t,
        }
        for m, grades in (("a", (8, 6, 9, 7)), ("b", (5, 5, 4, 6)))
        for (q, t), s in zip(((1, 1), (1, 2), (2, 1), (2, 2)), grades, strict=True)
    ]
    path = write(tmp_path / "gpt-4_single.jsonl", rows, lines=True)
    frame = br.read(path)
    assert means(frame) == {"a": 7.5, "b": 5.0}
    assert frame["cluster"].nunique() == 2
    rows[0]["score"] = -1
    write(path, rows, lines=True)
    assert "a (1 error)" in refused("rank", path)


def terminal(states):
    return {
        "id": "x",
        "accuracy": 0.5,
        "results": [
            {"task_id": f"t{i}", "trial_name": f"t{i}.1", "is_resolved": s, "failure_mode": m}
            for i, (s, m) in enumerate(states)
        ],
    }


def test_terminal_bench_counts_a_trial_without_a_verdict_as_failed(tmp_path):
    states = [(True, "unset"), (False, "unset"), (None, "parse_error"), (True, "agent_timeout")]
    write(tmp_path / "one" / "results.json", terminal(states))
    write(
        tmp_path / "one" / "run_metadata.json",
        {"run_id": "1", "agent_name": "terminus", "model_name": "m", "dataset_name": "d"},
    )
    write(tmp_path / "two" / "results.json", terminal([(False, "unset")] * 4))
    frame = br.read(tmp_path, errors="scored")
    assert means(frame) == {"terminus, m": 0.5, "two": 0.0}
    assert "the rule of the tool" in refused("rank", tmp_path)


def trial(task, number, reward, failure=None):
    return {
        "id": "x",
        "task_name": task,
        "trial_name": f"{task}__{number}",
        "agent_info": {"name": "terminus-2", "model_info": {"name": "m"}},
        "agent_result": {"cost_usd": 0.25},
        "verifier_result": None if reward is None else {"rewards": {"reward": reward}},
        "exception_info": failure and {"exception_type": failure},
    }


def test_harbor_has_a_file_for_each_trial(tmp_path):
    trials = [
        trial("a", 1, 1.0),
        trial("a", 2, 0.0),
        trial("b", 1, 1.0, "AgentTimeoutError"),
        trial("b", 2, None, "VerifierError"),
    ]
    for one in trials:
        write(tmp_path / "job" / one["trial_name"] / "result.json", one)
    write(tmp_path / "job" / "result.json", {"id": "j", "n_total_trials": 4, "stats": {}})
    frame = br.read(tmp_path, errors="scored")
    assert frame.groupby("case")["outcome"].mean().to_dict() == {"a": 0.5, "b": 0.5}
    assert frame["entity"].unique().tolist() == ["terminus-2, m"]
    assert frame["status"].tolist().count("timeout") == 1


def test_aider_is_solved_by_the_last_try(tmp_path):
    for name, tries in (("bowling", [False, True]), ("zipper", [True]), ("forth", [False, False])):
        held = {
            "testcase": name,
            "model": "m",
            "edit_format": "diff",
            "tests_outcomes": tries,
            "cost": 0.1,
            "duration": 3.0,
        }
        write(
            tmp_path / "run" / "python" / "exercises" / "practice" / name / ".aider.results.json",
            held,
        )
    frame = br.read(tmp_path, only={"metric": "solved"})
    assert means(frame) == {"m, diff": pytest.approx(2 / 3)}
    assert sorted(frame["case"]) == ["python/bowling", "python/forth", "python/zipper"]
    assert means(br.read(tmp_path, only={"metric": "solved_first"})) == {
        "m, diff": pytest.approx(1 / 3)
    }


def test_lerobot_ranks_success_and_never_a_sum_of_two_metrics(tmp_path):
    metrics = {
        "sum_rewards": [1.0, 2.0, 0.5],
        "max_rewards": [1, 1, 0],
        "successes": [True, True, False],
    }
    for name, changed in (
        ("act", metrics),
        ("diffusion", metrics | {"successes": [True, False, False]}),
    ):
        task = {"task_group": "libero", "task_id": 0, "metrics": changed}
        write(
            tmp_path / name / "eval_info.json", {"per_task": [task], "overall": {"pc_success": 50}}
        )
    assert means(br.read(tmp_path, only={"metric": "success"})) == {
        "act": pytest.approx(2 / 3),
        "diffusion": pytest.approx(1 / 3),
    }
    assert "--only metric=success" in refused("rank", tmp_path)


def test_livecodebench_has_graded_programs_or_percentages(tmp_path):
    problems = [
        {
            "question_id": f"p{i}",
            "graded_list": g,
            "code_list": [""] * 2,
            "pass@1": 0.5,
            "difficulty": "easy",
        }
        for i, g in enumerate(([True, False], [True, True]))
    ]
    write(tmp_path / "m" / "eval_all.json", problems)
    frame = br.read(tmp_path)
    assert means(frame) == {"m": 0.75}
    site = [
        {"question_id": f"p{i}", "model": m, "pass@1": v}
        for i, (a, b) in enumerate(((100.0, 90.0), (50.0, 20.0)))
        for m, v in (("a", a), ("b", b))
    ]
    path = write(tmp_path / "performances.json", {"performances": site, "models": []})
    assert means(br.read(path)) == pytest.approx({"a": 0.75, "b": 0.55})
    assert pd.api.types.is_float_dtype(frame["outcome"])
