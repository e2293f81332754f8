"""promptfoo: results as JSON, JSON lines or CSV."""

import csv
import json
import math
import re
from pathlib import Path
from typing import Any

import pandas as pd

from bayesrank.evidence.formats._common import as_outcome, category_of, has_keys, read_json, read_lines

TITLE = "promptfoo"
HEADING = re.compile(r"\[(.+?)\] (.*)", re.S)


def recognise(head: str) -> bool:
    if has_keys(head, "evalId", "results") or (has_keys(head, "promptIdx", "testIdx") and head.lstrip()[:1] in "[{"):
        return True
    first = head.partition("\n")[0]
    return bool(re.search(r",\[[^\]]+\] .*,Status,Score,", first))


def read(path: Path) -> pd.DataFrame:
    with path.open(encoding="utf-8-sig") as file:
        begin = file.read(4096).lstrip()
    if begin[:1] not in ("{", "["):
        return _of_csv(path)
    rows = (
        list(read_lines(path)) if begin.startswith("{") and '"evalId"' not in begin[:2000] else _rows(read_json(path))
    )
    prompts = {row["promptIdx"]: (row["prompt"].get("label") or row["promptIdx"], row["provider"]) for row in rows}
    several = len({label for label, _ in prompts.values()}) > 1
    found = []
    for row in rows:
        provider, test = row["provider"], row.get("testCase") or {}
        entity = (provider.get("label") or provider["id"]) if isinstance(provider, dict) else provider
        if several:
            entity = f"{entity} | {row['prompt'].get('label') or row['promptIdx']}"
        content = json.dumps(row.get("vars") or test.get("vars"), sort_keys=True)
        case = test.get("description") or content
        failed = row.get("failureReason") == 2
        cost, ms = row.get("cost"), row.get("latencyMs")
        own = {"success": row["success"], "score": row.get("score"), **(row.get("namedScores") or {})}
        for metric, value in own.items():
            outcome = math.nan if failed else as_outcome(value)
            about = ("error" if failed else None, category_of(test.get("metadata") or row.get("metadata")), cost)
            seconds = ms / 1000 if isinstance(ms, int | float) else math.nan
            found.append((entity, case, outcome, metric, content, *about, seconds))
    return _frame(found, "the provider" + (" and the prompt" if several else ""))


def _rows(log: dict[str, Any]) -> list[dict[str, Any]]:
    results = log["results"]
    held = results["results"] if isinstance(results, dict) else results
    if not isinstance(held, list) or (isinstance(results, dict) and results.get("version", 3) < 3):
        raise ValueError("must hold results of version 3; export them again with a current promptfoo")
    return held


def _of_csv(path: Path) -> pd.DataFrame:
    with path.open(encoding="utf-8-sig", newline="") as file:
        heading, *rows = list(csv.reader(file))
    at = [i for i, name in enumerate(heading) if HEADING.fullmatch(name) and heading[i + 1 : i + 2] == ["Status"]]
    several = len({HEADING.fullmatch(heading[i])[2] for i in at}) > 1  # type: ignore[index]
    found = []
    for row in rows:
        content = json.dumps(row[: at[0]])
        case = row[heading.index("Description")] if "Description" in heading[: at[0]] else content
        for i in at:
            provider, prompt = HEADING.fullmatch(heading[i]).groups()  # type: ignore[union-attr]
            state = row[i + 1]
            failed = state == "ERROR"
            for metric, value in (("success", state == "PASS"), ("score", row[i + 2])):
                outcome = math.nan if failed else float(value)
                entity = f"{provider} | {prompt}" if several else provider
                found.append(
                    (entity, case or content, outcome, metric, None, "error" if failed else None, None, None, None)
                )
    return _frame(found, "the heading")


def _frame(found: list[Any], source: str) -> pd.DataFrame:
    columns = ["entity", "case", "outcome", "metric", "hash", "status", "category", "cost", "seconds"]
    frame = pd.DataFrame(found, columns=columns)
    # Repeats of a test have numbers of their own in the file, and the same description.
    frame["run"] = frame.groupby(["entity", "case", "metric"]).cumcount() + 1
    frame.attrs = {"source": source}
    return frame.assign(dataset="promptfoo")
