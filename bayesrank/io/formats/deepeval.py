"""DeepEval: test cases, each with several metrics.

The system is the model in the hyperparameters.
"""

import math
from pathlib import Path
from typing import Any

import pandas as pd

from bayesrank.io.formats._common import as_outcome, has_keys, read_json, rows_of

TITLE = "DeepEval"


def recognise(head: str) -> bool:
    return has_keys(head, "testCases", "metricsData")


def read(path: Path) -> pd.DataFrame:
    log = read_json(path)
    result: list[dict[str, Any]] = []
    judges: set[str] = set()
    for test in log["testCases"]:
        record = {"case": test["name"], "hash": str(test.get("input"))}
        record |= {"seconds": test.get("runDuration"), "cost": test.get("evaluationCost")}
        metrics = test.get("metricsData") or []
        failed = "error" if any(one.get("error") for one in metrics) else None
        result.append(
            record
            | {"metric": "success", "outcome": as_outcome(test.get("success")), "status": failed}
        )
        for one in metrics:
            state = "error" if one.get("error") else None
            outcome = math.nan if state else as_outcome(one.get("score"))
            result.append(record | {"metric": one["name"], "outcome": outcome, "status": state})
            judges |= {str(one.get("evaluationModel"))} - {"None", "", "n/a"}
    model = (log.get("hyperparameters") or {}).get("model")
    source = "hyperparameters.model" if model else "the run has no hyperparameters with a model"
    return rows_of(
        result, source, entity=model, dataset="DeepEval", judge=", ".join(sorted(judges)) or None
    )
