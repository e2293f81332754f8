"""Every Eval Ever: instance-level lines, and aggregates without cases."""

import math
from pathlib import Path

import pandas as pd

from bayesrank.evidence.formats._common import as_outcome, category_of, has_keys, read_json, read_lines

TITLE = "Every Eval Ever"


def recognise(head: str) -> str:
    if has_keys(head, "$schema"):
        return ""
    if has_keys(head, "schema_version", "evaluation_id", "model_id", "sample_id"):
        return "cases"
    return "scores" if has_keys(head, "schema_version", "evaluation_id", "model_info") else ""


def read(path: Path) -> pd.DataFrame:
    beside = path.with_name(path.name.removesuffix("_samples.jsonl") + ".json")
    about = read_json(beside) if beside.is_file() else {}
    better = {
        held.get("evaluation_name"): not held["metric_config"]["lower_is_better"]
        for held in about.get("evaluation_results", [])
        if "lower_is_better" in (held.get("metric_config") or {})
    }
    found = []
    for row in read_lines(path):
        notes, name = row.get("metadata") or {}, row["evaluation_name"]
        variant = notes.get("filter")
        dataset = name.removesuffix(f"/{variant}") if variant else name
        score, failed = row["evaluation"]["score"], bool(row.get("error"))
        result = str(row.get("evaluation_result_id") or "")
        metric = result.split(":")[0] if ":" in result else result or "score"
        spent = row.get("performance") or {}
        late = spent.get("latency_ms")
        seconds = late / 1000 if isinstance(late, int | float) else math.nan
        found.append(
            (row["model_id"], dataset, row["sample_id"], notes.get("epoch"), as_outcome(score), metric, variant,
             row.get("sample_hash"), "error" if failed else None, category_of(notes), better.get(name), seconds)
        )  # fmt: skip
    columns = ["entity", "dataset", "case", "run", "outcome", "metric", "variant", "hash", "status", "category"]
    frame = pd.DataFrame(found, columns=[*columns, "better", "seconds"])
    setup = {"library": (about.get("eval_library") or {}).get("name")}
    size = (about.get("detailed_evaluation_results") or {}).get("total_rows")
    frame.attrs = {"source": "model_id", "variant": "filter", "beside": beside, "setup": setup}
    if isinstance(size, int) and len(frame) < size:
        frame.attrs["doubts"] = [f"the file holds {len(frame)} of {size} rows"]
    return frame
