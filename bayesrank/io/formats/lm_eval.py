"""lm-evaluation-harness: samples of versions 0.4.0 and later, and results without cases.

Run it with `--log_samples`, and keep `results_*.json` beside `samples_*.jsonl`. Only the results
contain the name of the model, the direction of metrics and the number of cases. bayesrank reads
files of version 0.4.0 and later. Files before 0.4.3 do not name the filters, so these are called
`filter 1` and `filter 2` in the order of the file. With `--limit`, the cases beyond the limit have
no rows. The tool does not score repeats of a document separately, so they do not count as runs.

    bayesrank rank results/ --only metric=exact_match --only variant=strict-match
"""

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd

from bayesrank.io.formats._common import (
    as_outcome,
    begin_of,
    category_of,
    has_keys,
    list_names,
    read_json,
    read_lines,
)

TITLE = "lm-evaluation-harness"
FIXED = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"}
STAMP = re.compile(r"_(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d+)\.jsonl?$")


def recognise(head: str) -> str:
    if head.lstrip()[:1] in "[{" and has_keys(head, "doc_id", "resps", "filtered_resps"):
        return "cases"
    keys = has_keys(head, "results", "versions") or has_keys(head, "results", "configs")
    return "scores" if keys and re.match(r'\s*\{\s*"results"\s*:\s*\{', head) else ""


def read(path: Path) -> pd.DataFrame:
    stamp = STAMP.search(path.name)
    summary, task = _results(path, stamp[1] if stamp else None), path.stem
    record = read_json(summary) if summary else {}
    if stamp:
        task = path.name[: stamp.start()].removeprefix("samples_")
    old = begin_of(path).startswith("[")  # versions before 0.4.3 wrote one list
    rows = read_json(path) if old else read_lines(path)
    # Layouts without timestamps have the arguments of the model in the name of the file.
    tasks = [name for name in record.get("results", {}) if old and path.stem.endswith(f"_{name}")]
    task = max(tasks, key=len, default=task)
    better = record.get("higher_is_better", {}).get(task, {})
    seen: dict[Any, int] = {}
    scored = []
    for row in rows:
        names = row.get("metrics") or [
            key for key in row if key not in FIXED and not key.endswith("_hash")
        ]
        key = row["doc_id"]
        seen[key] = seen.get(key, 0) + 1
        variant = row.get("filter") or f"filter {seen[key]}"
        content = row.get("doc_hash") or json.dumps(row.get("doc"), sort_keys=True)
        category = category_of(row.get("doc"))
        for name in names:
            if name in row:
                value = as_outcome(row[name])
                scored.append((str(key), value, name, variant, content, better.get(name), category))
    frame = pd.DataFrame(
        scored, columns=["case", "outcome", "metric", "variant", "hash", "better", "category"]
    )
    frame["entity"], source = _system(path, record)
    frame["dataset"] = task
    shots = record.get("n-shot", {}).get(task, record.get("config", {}).get("num_fewshot"))
    size = record.get("n-samples", {}).get(task, {}).get("effective")
    setup = {"shots": shots, "version": record.get("versions", {}).get(task)}
    frame.attrs = {
        "source": source,
        "variant": "filter",
        "expected": size,
        "setup": setup,
        "beside": summary,
    }
    return frame


def _results(path: Path, stamp: str | None) -> Path | None:
    """Return the file of results beside a file of samples."""
    if stamp:
        names = [name for name in list_names(path.parent) if name.endswith(f"{stamp}.json")]
    else:
        names = [
            name
            for name in list_names(path.parent)
            if name.startswith("results") and name.endswith(".json")
        ]
    return path.with_name(names[0]) if len(names) == 1 else None


def _system(path: Path, record: dict[str, Any]) -> tuple[str | None, str]:
    if record.get("model_source") == "CUSTOM":
        return None, "model_name is random for a model given as a Python object"
    if record.get("model_name"):
        return record["model_name"], "model_name in the results beside the samples"
    arguments = record.get("config", {}).get("model_args") or path.name
    if isinstance(arguments, str):
        match = re.search(r"(?:pretrained|model)(?:=|__)([^,]+)", arguments)
        arguments = {"pretrained": match[1].replace("__", "/")} if match else {}
    name = arguments.get("pretrained") or arguments.get("model")
    if name:
        return name, "model_args of the run"
    if "__" in path.parent.name:
        return path.parent.name.replace("__", "/"), "the folder"
    return (
        None,
        "no results file with model_name is beside the samples, and the folder is not called org__model",
    )
