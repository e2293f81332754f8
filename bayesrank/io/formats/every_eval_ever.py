"""Every Eval Ever: instance-level lines, and aggregates without cases.

The reader takes instance-level files (`*_samples.jsonl`), and the direction of the metric from the
aggregate file beside them. Aggregate files alone contain no cases. Different agents with the same
model have the same `model_id`; give each file a name with `--name FILE=NAME`. `bayesrank convert
--to every-eval-ever` [writes records](../howto/tools.md#every-eval-ever).
"""

from pathlib import Path

import pandas as pd

from bayesrank._core.notes import Note
from bayesrank.io.formats._common import (
    as_outcome,
    as_seconds,
    category_of,
    has_keys,
    read_json,
    read_lines,
    rows_of,
)

TITLE = "Every Eval Ever"


def recognise(head: str) -> str:
    if has_keys(head, "$schema"):
        return ""
    if has_keys(head, "schema_version", "evaluation_id", "model_id", "sample_id"):
        return "cases"
    return "scores" if has_keys(head, "schema_version", "evaluation_id", "model_info") else ""


def read(path: Path) -> pd.DataFrame:
    summary_path = path.with_name(path.name.removesuffix("_samples.jsonl") + ".json")
    record = read_json(summary_path) if summary_path.is_file() else {}
    better = {
        held.get("evaluation_name"): not held["metric_config"]["lower_is_better"]
        for held in record.get("evaluation_results", [])
        if "lower_is_better" in (held.get("metric_config") or {})
    }
    rows = []
    for row in read_lines(path):
        notes, name = row.get("metadata") or {}, row["evaluation_name"]
        variant, result = notes.get("filter"), str(row.get("evaluation_result_id") or "")
        fields = {
            "entity": row["model_id"],
            "dataset": name.removesuffix(f"/{variant}") if variant else name,
        }
        fields |= {
            "case": row["sample_id"],
            "run": notes.get("epoch"),
            "hash": row.get("sample_hash"),
        }
        fields |= {
            "outcome": as_outcome(row["evaluation"]["score"]),
            "better": better.get(name),
            "variant": variant,
        }
        fields |= {"metric": result.partition(":")[0] if result else "score"}
        fields |= {"status": "error" if row.get("error") else None, "category": category_of(notes)}
        rows.append(
            fields | {"seconds": as_seconds((row.get("performance") or {}).get("latency_ms"))}
        )
    frame = rows_of(rows, "model_id")
    size = (record.get("detailed_evaluation_results") or {}).get("total_rows")
    setup = {"library": (record.get("eval_library") or {}).get("name")}
    frame.attrs |= {"variant": "filter", "beside": summary_path, "setup": setup}
    if isinstance(size, int) and len(frame) < size:
        frame.attrs["doubts"] = [Note("fewer_rows", {"rows": len(frame), "expected": size})]
    return frame
