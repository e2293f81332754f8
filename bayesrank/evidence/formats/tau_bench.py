"""tau-bench: a list of runs with rewards; tau2-bench: simulations with rewards."""

import math
import re
from pathlib import Path

import pandas as pd

from bayesrank.evidence.formats._common import has_keys, read_json, stem_of

TITLE = "tau-bench"


def recognise(head: str) -> bool:
    if re.match(r"\s*\[", head):
        return has_keys(head, "task_id", "reward", "info")
    return has_keys(head, "agent_info", "simulations") or has_keys(head, "agent_info", "environment_info")


def read(path: Path) -> pd.DataFrame:
    log = read_json(path)
    entity, source, dataset, found = stem_of(path), "the name of the file", "tau-bench", []
    if isinstance(log, dict):
        info = log["info"]
        entity, source = info["agent_info"]["llm"], "agent_info.llm"
        dataset = (info.get("environment_info") or {}).get("domain_name") or "tau2-bench"
        for run in log["simulations"]:
            reward = (run.get("reward_info") or {}).get("reward")
            failed = reward is None or "error" in str(run.get("termination_reason"))
            found.append((run["task_id"], run.get("trial"), reward, failed, run.get("agent_cost"), run.get("duration")))
    else:
        found = [
            (r["task_id"], r.get("trial"), r["reward"], bool((r.get("info") or {}).get("error")), None, None)
            for r in log
        ]
    frame = pd.DataFrame(found, columns=["case", "run", "outcome", "failed", "cost", "seconds"])
    # Some versions number the runs through, so that no task has two of one number.
    if (
        not isinstance(log, dict)
        and frame.groupby("case")["run"].nunique().nunique() == 1
        and frame["run"].nunique() == len(frame)
    ):
        frame["run"] = frame.groupby("case").cumcount()
    frame["outcome"] = frame["outcome"].astype(float)
    frame["status"] = frame["failed"].map({True: "error", False: None})
    frame["scored"] = frame["outcome"].where(frame["failed"], math.nan)
    frame.attrs = {"source": source}
    return frame.assign(entity=entity, dataset=dataset).drop(columns="failed")
