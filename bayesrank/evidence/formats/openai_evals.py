"""OpenAI evals: logs of events; events of the types match and metrics hold outcomes."""

import math
from pathlib import Path
from typing import Any

import pandas as pd

from bayesrank.evidence.formats._common import as_outcome, has_keys, read_lines

TITLE = "OpenAI evals"


def recognise(head: str) -> bool:
    return head.lstrip().startswith('{"spec"') and has_keys(head, "completion_fns", "eval_name")


def read(path: Path) -> pd.DataFrame:
    events = list(read_lines(path))
    spec = events[0]["spec"]
    found: dict[tuple[str, str], tuple[object, str | None]] = {}
    others: dict[str, str | None] = {}
    for event in events[1:]:
        data, case = event.get("data") or {}, event.get("sample_id")
        if case is None:
            continue
        if event["type"] == "match":
            found[case, "correct"] = as_outcome(data["correct"]), None
        elif event["type"] == "metrics":
            held = {name: as_outcome(value) for name, value in data.items() if isinstance(value, bool | int | float)}
            found |= {(case, name): (value, None) for name, value in held.items()}
        elif event["type"] == "error":
            others[case] = "error"
        else:
            others.setdefault(case, "no outcome")
    rows: list[tuple[Any, ...]] = [(case, metric, *held) for (case, metric), held in found.items()]
    with_outcome = {case for case, _ in found}
    rows += [(case, None, math.nan, state) for case, state in others.items() if case not in with_outcome]
    frame = pd.DataFrame(rows, columns=["case", "metric", "outcome", "status"])
    frame.attrs = {"source": "completion_fns", "setup": {"seed": (spec.get("run_config") or {}).get("seed")}}
    return frame.assign(entity=", ".join(spec["completion_fns"]), dataset=spec["eval_name"])
