"""DeepEval: test cases, each with several metrics."""

import math
from pathlib import Path

import pandas as pd

from bayesrank.evidence.formats._common import as_outcome, has_keys, read_json

TITLE = "DeepEval"


def recognise(head: str) -> bool:
    return has_keys(head, "testCases", "metricsData")


def read(path: Path) -> pd.DataFrame:
    log = read_json(path)
    model = (log.get("hyperparameters") or {}).get("model")
    found = []
    for test in log["testCases"]:
        metrics = test.get("metricsData") or []
        failed = any(one.get("error") for one in metrics)
        about = (test["name"], str(test.get("input")), test.get("runDuration"), test.get("evaluationCost"))
        found.append((*about, "success", as_outcome(test.get("success")), "error" if failed else None))
        for one in metrics:
            state = "error" if one.get("error") else None
            found.append((*about, one["name"], math.nan if state else as_outcome(one.get("score")), state))
    frame = pd.DataFrame(found, columns=["case", "hash", "seconds", "cost", "metric", "outcome", "status"])
    judges = {one.get("evaluationModel") for test in log["testCases"] for one in test.get("metricsData") or []}
    judge = ", ".join(sorted(str(j) for j in judges if j and j != "n/a"))
    why = "hyperparameters.model" if model else "the run has no hyperparameters with a model"
    frame.attrs = {"source": why}
    return frame.assign(entity=model, dataset="DeepEval", judge=judge or None)
