"""LiveCodeBench: graded programs of each problem, and the site's shares of right programs in percent.

Graded programs of a problem are its runs, and the system has the name of the folder. The file of
the site has shares of right programs in percent, which become fractions and
are shown in percent.
"""

from pathlib import Path
from typing import Any

import pandas as pd

from bayesrank.io.formats._common import has_keys, read_json, rows_of

TITLE = "LiveCodeBench"
#: A percentage of the site.
PERCENT = 100


def recognise(head: str) -> bool:
    graded = has_keys(head, "question_id", "graded_list") or has_keys(
        head, "question_id", "code_list"
    )
    return graded or has_keys(head, "performances", "question_id", "model", "pass@1")


def read(path: Path) -> pd.DataFrame:
    log = read_json(path)
    if isinstance(log, dict):
        result = [_share(one) for one in log["performances"]]
        frame = rows_of(
            result, "the field model", dataset="LiveCodeBench", metric="pass@1", better=True
        )
        frame.attrs["in_percent"] = True
        return frame
    rows: list[dict[str, Any]] = []
    for problem in log:
        record = {"case": problem["question_id"], "category": problem.get("difficulty")}
        rows += [
            record | {"run": k, "outcome": float(one)}
            for k, one in enumerate(problem["graded_list"], 1)
        ]
    name = path.parent.name
    return rows_of(
        rows,
        "the name of the folder",
        entity=name,
        dataset="LiveCodeBench",
        metric="passed",
        better=True,
    )


def _share(one: dict[str, Any]) -> dict[str, Any]:
    named = {"entity": one["model"], "case": one["question_id"], "category": one.get("difficulty")}
    return named | {"outcome": one["pass@1"] / PERCENT}
