"""METR: runs of agents on tasks of known length.

The system is the alias, because two aliases may have the same model. A run that ended at a usage
limit counts with its score, as METR counts it; other runs with `fatal_error_from` have no outcome.
The category is the task family. Systems have different numbers of runs, so use `--missing own`.
"""

from pathlib import Path

import pandas as pd

from bayesrank._core.notes import Note
from bayesrank.io.formats._common import as_outcome, as_seconds, has_keys, read_lines, rows_of

TITLE = "METR runs"
#: What ended a run: METR counts a run at a usage limit with its score, which is nearly always 0, as
#: one with a weight.
STATES = {None: None, "usageLimits": "usage limit"}


def recognise(head: str) -> bool:
    return has_keys(head, "run_id", "task_id", "task_family", "alias", "score_binarized")


def read(path: Path) -> pd.DataFrame:
    rows = []
    for row in read_lines(path):
        record = {"entity": row["alias"], "case": row["task_id"], "category": row["task_family"]}
        record |= {"cost": row.get("dollar_equivalent")}
        record["seconds"] = (
            as_seconds(row["completed_at"] - row["started_at"]) if row.get("completed_at") else None
        )
        record["status"] = STATES.get(row.get("fatal_error_from"), "error")
        for metric in ("score_binarized", "score"):
            rows.append(record | {"metric": metric, "outcome": as_outcome(row.get(metric))})
    frame = rows_of(rows, "alias", dataset="METR", better=True)
    frame["run"] = frame.groupby(["entity", "case", "metric"]).cumcount() + 1
    if "human" in set(frame["entity"]):
        frame.attrs["doubts"] = [Note("human_baseline")]
    return frame
