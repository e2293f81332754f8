"""OpenAI evals: logs of events; events of the types match and metrics hold outcomes.

Events `match` and `metrics` give the outcomes. A sample without such an event has no outcome.
"""

from pathlib import Path
from typing import Any

import pandas as pd

from bayesrank.io.formats._common import as_outcome, has_keys, read_lines, rows_of

TITLE = "OpenAI evals"


def recognise(head: str) -> bool:
    return head.lstrip().startswith('{"spec"') and has_keys(head, "completion_fns", "eval_name")


def read(path: Path) -> pd.DataFrame:
    first, *events = read_lines(path)
    spec = first["spec"]
    found: dict[tuple[str, str], Any] = {}
    others: dict[str, str | None] = {}
    for event in events:
        data, case = event.get("data") or {}, event.get("sample_id")
        if case is None:
            continue
        if event["type"] == "match":
            found[case, "correct"] = data["correct"]
        elif event["type"] == "metrics":
            found |= {
                (case, name): held
                for name, held in data.items()
                if isinstance(held, bool | int | float)
            }
        elif event["type"] == "error":
            others[case] = "error"
        else:
            others.setdefault(case, "no outcome")
    rows = [
        {"case": case, "metric": name, "outcome": as_outcome(held)}
        for (case, name), held in found.items()
    ]
    others = {
        case: state for case, state in others.items() if case not in {case for case, _ in found}
    }
    rows += [
        {"case": case, "outcome": as_outcome(None), "status": state}
        for case, state in others.items()
    ]
    system = ", ".join(spec["completion_fns"])
    frame = rows_of(rows, "completion_fns", entity=system, dataset=spec["eval_name"])
    frame.attrs["setup"] = {"seed": (spec.get("run_config") or {}).get("seed")}
    return frame
