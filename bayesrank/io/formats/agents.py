"""Runs of agents and robots: Terminal-Bench, Harbor, aider's benchmark, LeRobot.

In Terminal-Bench and Harbor a trial is a run of its task. A trial without a verdict has no outcome;
`--errors scored` counts it as failed, as the boards do. A time-out counts with its verdict. The
system is the agent with its model, from `run_metadata.json` or the file of the trial. aider's
benchmark writes a hidden file for each exercise: `solved` is the outcome of the last try,
`solved_first` of the first one, and the system is the model with its edit format. In LeRobot each
episode is a case of its task, and the system has the name of the folder. Choose `--only
metric=success`: sums of rewards are another metric.
"""

import json
import math
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd

from bayesrank._core.errors import ArgumentError
from bayesrank.io.formats._common import as_outcome, has_keys, read_json, rows_of

TITLE = "Terminal-Bench, Harbor, aider or LeRobot"
#: A trial without a verdict counts as failed on the boards of Terminal-Bench, Harbor and aider.
MISSING = 0


def recognise(head: str) -> str:
    terminal = has_keys(head, "results", "task_id", "is_resolved", "failure_mode")
    trial = has_keys(head, "task_name", "trial_name", "agent_info")
    aider = has_keys(head, "testcase", "edit_format") and has_keys(head, "model")
    robot = has_keys(head, "per_task", "successes") or has_keys(head, "per_episode", "sum_reward")
    if terminal or trial or aider or robot:
        return "cases"
    return (
        "about" if has_keys(head, "run_id", "agent_name", "dataset_name") or _is_job(head) else ""
    )


def _is_job(head: str) -> bool:
    """Return whether a file is the summary of a job of Harbor, which lies beside the folders of its trials."""
    return has_keys(head, "n_total_trials", "stats") or has_keys(head, "job_name", "jobs_dir")


def read(path: Path) -> pd.DataFrame:
    log = read_json(path)
    if "is_resolved" in json.dumps(log.get("results", ""))[:100_000]:
        return _read_terminal(log, path)
    if "trial_name" in log:
        return _read_trial(log)
    if "testcase" in log:
        return _read_aider(log, path)
    return _read_robot(log, path)


def _read_terminal(log: dict[str, Any], path: Path) -> pd.DataFrame:
    """Return the trials of a run of Terminal-Bench; null is a trial that was not judged, and counts as failed."""
    rows = []
    for trial in log["results"]:
        solved, mode = trial.get("is_resolved"), trial.get("failure_mode")
        state = None if mode in (None, "unset", "none") else str(mode).replace("_", " ")
        row = {"case": trial["task_id"], "outcome": as_outcome(solved), "status": state}
        if solved is None:
            row |= {"status": "error", "scored": 0.0}
        rows.append(row)
    frame = rows_of(
        rows,
        "run_metadata.json",
        entity=_agent_of(path),
        dataset="Terminal-Bench",
        metric="resolved",
    )
    frame["run"] = frame.groupby("case").cumcount() + 1
    return frame.assign(better=True)


def _agent_of(path: Path) -> str:
    """Return the agent and its model from the description of the run, or else the name of its folder."""
    with suppress(ArgumentError):
        record = read_json(path.parent / "run_metadata.json")
        named = [str(record[key]) for key in ("agent_name", "model_name") if record.get(key)]
        if named:
            return ", ".join(named)
    return path.parent.name


def _read_trial(log: dict[str, Any]) -> pd.DataFrame:
    """Return one trial of Harbor: its reward, which an error or a time-out may leave out."""
    agent = log.get("agent_info") or {}
    model = (agent.get("model_info") or {}).get("name")
    rewards = (log.get("verifier_result") or {}).get("rewards") or {}
    failure = (log.get("exception_info") or {}).get("exception_type")
    timeout = bool(failure) and "timeout" in str(failure).lower()
    one: dict[str, Any] = {"case": log["task_name"], "run": log["trial_name"]}
    one |= {"entity": ", ".join(str(name) for name in (agent.get("name"), model) if name)}
    one |= {"status": "timeout" if timeout else "error" if failure and not rewards else None}
    one |= {"cost": (log.get("agent_result") or {}).get("cost_usd")}
    result = [
        one | {"metric": name, "outcome": as_outcome(value)} for name, value in rewards.items()
    ]
    if not result:
        result = [
            one
            | {
                "metric": "reward",
                "outcome": math.nan,
                "scored": 0.0,
                "status": one["status"] or "error",
            }
        ]
    return rows_of(result, "agent_info", dataset=str(log.get("source") or "Harbor"), better=True)


def _read_aider(log: dict[str, Any], path: Path) -> pd.DataFrame:
    """Return one exercise of aider's benchmark: solved in the first try, and in the last one."""
    tries = log.get("tests_outcomes") or []
    language = next(
        (path.parts[i - 1] for i in range(1, len(path.parts)) if path.parts[i] == "exercises"), ""
    )
    one: dict[str, Any] = {
        "case": f"{language}/{log['testcase']}".lstrip("/"),
        "category": language or None,
    }
    one |= {"cost": log.get("cost"), "seconds": log.get("duration")}
    one |= {"status": "timeout" if log.get("test_timeouts") else None}
    if not tries:
        one |= {"status": "error", "scored": 0.0}
    result = [
        one | {"metric": metric, "outcome": as_outcome(tries[position]) if tries else math.nan}
        for metric, position in (("solved", -1), ("solved_first", 0))
    ]
    name = ", ".join(str(log[key]) for key in ("model", "edit_format") if log.get(key))
    return rows_of(result, "model", entity=name, dataset="aider", better=True)


def _read_robot(log: dict[str, Any], path: Path) -> pd.DataFrame:
    """Return the episodes of a policy: whether each succeeded, and the sum of its rewards."""
    result: list[dict[str, Any]] = []
    for task in log.get("per_task") or [{"metrics": _columns(log["per_episode"])}]:
        name = (
            "/".join(str(task[key]) for key in ("task_group", "task_id") if key in task)
            or "episodes"
        )
        metrics = task["metrics"]
        for metric, values in (
            ("success", metrics.get("successes")),
            ("sum_reward", metrics.get("sum_rewards")),
        ):
            for episode, value in enumerate(values or []):
                row = {
                    "case": f"{name} {episode}",
                    "cluster": name,
                    "metric": metric,
                    "outcome": as_outcome(value),
                }
                result.append(row)
    own = path.stem != "eval_info"
    entity, source = (
        (path.stem, "the name of the file") if own else (path.parent.name, "the name of the folder")
    )
    return rows_of(result, source, entity=entity, dataset="LeRobot", better=True)


def _columns(episodes: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {
        "successes": [one.get("success") for one in episodes if "success" in one],
        "sum_rewards": [one.get("sum_reward") for one in episodes],
    }
