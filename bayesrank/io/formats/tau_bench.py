"""tau-bench: a list of runs with rewards; tau2-bench: simulations with rewards.

Rewards are outcomes and trials are runs. In tau-bench a run with an error has no outcome; `--errors
scored` counts it as 0, as the tool does, and `bayesrank doctor` suggests it. In tau2-bench only
runs with an infrastructure error have no outcome. The data set is the domain, and the text of the
task is the content of the case: retail and airline number their tasks alike. If a file shows no
domain, `bayesrank doctor` says so.
"""

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd

from bayesrank._core.notes import Note
from bayesrank.io.formats._common import as_outcome, has_keys, read_json, rows_of, stem_of

TITLE = "tau-bench"
#: tau-bench averages the rewards of all runs; a run that ended with an exception has the reward 0.
ERRORS = "scored"
#: tau2-bench leaves out runs that ended so, and gives all others a reward: 0 unless the agent or
#: the user ended them.
LEFT_OUT = "infrastructure_error"
#: Ends of a run that need no mention.
ENDED = ("user_stop", "agent_stop", None)
#: The domains of tau-bench, whose tasks are numbered from 0 in each, by names of tools that only
#: they have.
DOMAINS = {
    "airline": re.compile("reservation|flight|baggage|certificate|passenger"),
    "retail": re.compile("order|product|user_address"),
}


def recognise(head: str) -> bool:
    if re.match(r"\s*\[", head):
        return has_keys(head, "task_id", "reward", "info")
    return has_keys(head, "agent_info", "simulations") or has_keys(
        head, "agent_info", "environment_info"
    )


def read(path: Path) -> pd.DataFrame:
    log = read_json(path)
    frame = _read_simulations(log) if isinstance(log, dict) else _read_runs(log, path)
    # A run that ended with an error may lack the text of its task, which other runs of the task
    # have.
    case = frame["case"].astype(str)
    texts = dict(zip(case[frame["hash"].notna()], frame["hash"].dropna(), strict=True))
    frame["hash"] = case.map(texts).astype(object)
    return frame


def _read_simulations(log: dict[str, Any]) -> pd.DataFrame:
    info, result = log["info"], []
    tasks = {
        str(task.get("id")): _content(task.get("user_scenario")) for task in log.get("tasks") or []
    }
    for run in log["simulations"]:
        reward, end = (run.get("reward_info") or {}).get("reward"), run.get("termination_reason")
        row = {"case": run["task_id"], "run": run.get("trial"), "outcome": as_outcome(reward)}
        row |= {
            "hash": tasks.get(str(run["task_id"])),
            "status": None if end in ENDED else str(end).replace("_", " "),
        }
        if reward is None or end == LEFT_OUT:
            row["status"] = "error"
        result.append(row | {"cost": run.get("agent_cost"), "seconds": run.get("duration")})
    domain = (info.get("environment_info") or {}).get("domain_name") or "tau2-bench"
    return rows_of(result, "agent_info.llm", entity=info["agent_info"]["llm"], dataset=domain)


def _read_runs(log: list[dict[str, Any]], path: Path) -> pd.DataFrame:
    rows = []
    for run in log:
        info = run.get("info") or {}
        row = {
            "case": run["task_id"],
            "run": run.get("trial"),
            "outcome": as_outcome(run["reward"]),
        }
        failed = bool(info.get("error"))
        row |= {"status": "error" if failed else None, "scored": row["outcome"] if failed else None}
        rows.append(row | {"hash": _content(info.get("task"))})
    domain = _domain(log, path)
    name = f"tau-bench {domain}" if domain else "tau-bench"
    frame = rows_of(rows, "the name of the file", entity=stem_of(path), dataset=name)
    # Some versions number the runs through, so that no task has two of one number.
    case, trial = frame["case"].astype(str), frame["run"].astype(str)
    numbered = frame["run"].notna().all() and trial.nunique() == len(frame)
    if numbered and trial.groupby(case).nunique().nunique() == 1:
        frame["run"] = frame.groupby(case).cumcount()
    if not domain:
        frame.attrs["doubts"] = [Note("unknown_domain", {"domains": list(DOMAINS)})]
    return frame


def _content(task: Any) -> str | None:
    """Return the text of a task; None if the file does not hold it."""
    return json.dumps(task, sort_keys=True) if task else None


def _domain(log: list[dict[str, Any]], path: Path) -> str:
    """Return the domain that the tools of the tasks, or else the path, show; empty if neither shows one."""
    tasks = [(run.get("info") or {}).get("task") or {} for run in log]
    tools = [str(action.get("name")) for task in tasks for action in task.get("actions") or []]
    often = {
        domain: sum(bool(words.search(tool)) for tool in tools) for domain, words in DOMAINS.items()
    }
    domain = max(DOMAINS, key=lambda one: often[one])
    if often[domain]:
        return domain
    named = [one for one in DOMAINS if any(one in part.lower() for part in path.parts[-3:])]
    return named[0] if len(named) == 1 else ""
