"""METR: runs of agents on tasks of known length."""

import math
from pathlib import Path

import pandas as pd

from bayesrank.evidence.formats._common import has_keys, read_lines

TITLE = "METR runs"


def recognise(head: str) -> bool:
    return has_keys(head, "run_id", "task_id", "task_family", "alias", "score_binarized")


def read(path: Path) -> pd.DataFrame:
    rows = list(read_lines(path))
    found = []
    for row in rows:
        failed = row.get("fatal_error_from") is not None
        seconds = (row["completed_at"] - row["started_at"]) / 1000 if row.get("completed_at") else math.nan
        for metric in ("score_binarized", "score"):
            value = float(row[metric]) if row.get(metric) is not None else math.nan
            found.append((row["alias"], row["task_id"], value, metric, row["task_family"], seconds,
                          row.get("dollar_equivalent"), "error" if failed else None))  # fmt: skip
    columns = ["entity", "case", "outcome", "metric", "category", "seconds", "cost", "status"]
    frame = pd.DataFrame(found, columns=columns)
    frame["run"] = frame.groupby(["entity", "case", "metric"]).cumcount() + 1
    frame.attrs = {"source": "alias"}
    if "human" in set(frame["entity"]):
        frame.attrs["doubts"] = ["the system human is the baseline of people, whose failed runs may be left out"]
    return frame.assign(dataset="METR", better=True)
