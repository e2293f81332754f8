"""EvalPlus, BigCodeBench and CRUXEval: whether programs passed their tests.

The system has the name of the file, and the samples of a task are runs. EvalPlus has the metrics
`base` and `plus`; `plus` is 1 only if the base tests pass as well. A timeout counts as wrong and
keeps its status.
"""

import re
from pathlib import Path
from typing import Any

import pandas as pd

from bayesrank.io.formats._common import has_keys, read_json, rows_of

TITLE = "EvalPlus, BigCodeBench or CRUXEval"
#: The numbers of tasks by which the boards divide. A task without samples has no key in the file.
TOTALS = {
    "HumanEval": 164,
    "MBPP": 378,
    "BigCodeBench": 1140,
    "BigCodeBench-Hard": 148,
    "CRUXEval": 800,
}


def recognise(head: str) -> str:
    plus = has_keys(head, "eval", "base_status", "plus_status")
    if (
        plus
        or has_keys(head, "eval", "solution", "status", "details")
        or has_keys(head, "raw_scored_generations")
    ):
        return "cases"
    if re.match(r'\s*\{\s*"raw_generations"', head):
        return "cases"
    return "scores" if has_keys(head, "pass@1") and not has_keys(head, "question_id") else ""


def read(path: Path) -> pd.DataFrame:
    log = read_json(path)
    parts = re.sub(r"(eval_results|output)\.json$", "", path.name).rstrip("_.-").split("--")
    result: list[dict[str, Any]] = []
    if "raw_scored_generations" in log:
        dataset, entity = (
            "CRUXEval",
            re.sub("^sample_scored_", "", path.name).removesuffix("_output.json"),
        )
        for case, passed in log["raw_scored_generations"].items():
            result += [
                {"case": case, "run": k, "outcome": float(one), "metric": "passed"}
                for k, one in enumerate(passed)
            ]
    else:
        first = next(iter(log["eval"]))
        plus = "base_status" in log["eval"][first][0]
        split = [part for part in parts if part.lower().startswith("bigcodebench")]
        dataset = first.split("/")[0] if plus or not split else split[0]
        entity = (
            "--".join(parts)
            if plus or not split
            else "--".join(parts[: max(parts.index(split[0]) - 1, 1)])
        )
        for case, samples in log["eval"].items():
            for k, one in enumerate(samples):
                for metric, keys in _metrics(one).items():
                    states = [one[key] for key in keys]
                    row = {
                        "case": case,
                        "run": k,
                        "outcome": float(set(states) == {"pass"}),
                        "metric": metric,
                    }
                    result.append(row | {"status": "timeout" if "timeout" in states else None})
    return rows_of(result, "the name of the file", entity=entity, dataset=dataset, better=True)


def _metrics(one: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return the status fields that must all be "pass", by metric; EvalPlus needs the base tests as well."""
    if "base_status" not in one:
        return {"passed": ("status",)}
    return {"base": ("base_status",)} | (
        {"plus": ("base_status", "plus_status")} if one.get("plus_status") else {}
    )
