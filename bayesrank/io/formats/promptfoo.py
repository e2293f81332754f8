"""promptfoo: results as JSON, JSON lines or CSV.

The reader takes JSON, JSON lines and CSV. The system is the provider, with the prompt if there are
several. Repetitions of a test are runs of one case. Only `failureReason` 2 is an error; a failed
assertion counts as a wrong answer.

    bayesrank rank out.json --only metric=success --missing common
"""

import json
import math
import re
from pathlib import Path
from typing import Any

import pandas as pd

from bayesrank._core.errors import ArgumentError
from bayesrank._core.inputs import parse_csv, split_line
from bayesrank.io.formats._common import (
    as_outcome,
    as_seconds,
    begin_of,
    category_of,
    has_keys,
    read_json,
    read_lines,
    read_text,
    rows_of,
)

TITLE = "promptfoo"
HEADING = re.compile(r"\[(.+?)\] (.*)", re.S)
#: Beginnings of outputs in older files, which have no column Status.
GRADED = re.compile(r"\[(PASS|FAIL|ERROR)\]")


def recognise(head: str) -> bool:
    if has_keys(head, "evalId", "results") or (
        has_keys(head, "promptIdx", "testIdx") and head.lstrip()[:1] in "[{"
    ):
        return True
    names = split_line(head.partition("\n")[0])
    rows = [split_line(line) for line in head[:8192].splitlines()[1:3]]
    for i, name in enumerate(names):
        if HEADING.fullmatch(name) and names[i + 1 : i + 3] == ["Status", "Score"]:
            return True
        if HEADING.fullmatch(name) and any(GRADED.match(row[i]) for row in rows if len(row) > i):
            return True
    return False


def read(path: Path) -> pd.DataFrame:
    begin = begin_of(path)
    if begin[:1] not in ("{", "["):
        return _of_csv(path)
    rows = (
        list(read_lines(path))
        if begin.startswith("{") and '"evalId"' not in begin[:2000]
        else _rows(read_json(path), path.name)
    )
    prompts = {
        row["promptIdx"]: (row["prompt"].get("label") or row["promptIdx"], row["provider"])
        for row in rows
    }
    several = len({label for label, _ in prompts.values()}) > 1
    result = []
    for row in rows:
        provider, test = row["provider"], row.get("testCase") or {}
        entity = (
            (provider.get("label") or provider["id"]) if isinstance(provider, dict) else provider
        )
        if several:
            entity = f"{entity} | {row['prompt'].get('label') or row['promptIdx']}"
        content = json.dumps(row.get("vars") or test.get("vars"), sort_keys=True)
        failed = row.get("failureReason") == 2
        record = {
            "entity": entity,
            "case": test.get("description") or content,
            "hash": content,
            "cost": row.get("cost"),
        }
        record |= {"category": category_of(test.get("metadata") or row.get("metadata"))}
        record |= {
            "status": "error" if failed else None,
            "seconds": as_seconds(row.get("latencyMs")),
        }
        own = {
            "success": row["success"],
            "score": row.get("score"),
            **(row.get("namedScores") or {}),
        }
        for metric, value in own.items():
            result.append(
                record | {"metric": metric, "outcome": math.nan if failed else as_outcome(value)}
            )
    return _frame(result, "the provider" + (" and the prompt" if several else ""))


def _rows(log: dict[str, Any], name: str) -> list[dict[str, Any]]:
    results = log["results"]
    entries = results["results"] if isinstance(results, dict) else results
    if not isinstance(entries, list) or (
        isinstance(results, dict) and results.get("version", 3) < 3
    ):
        raise ArgumentError(
            name, "must contain results of version 3; export them again with a current promptfoo"
        )
    return entries


def _of_csv(path: Path) -> pd.DataFrame:
    heading, *rows = [row for _, row in parse_csv(read_text(path), path.name)]
    graded = [i for i in range(len(heading)) if all(GRADED.match(row[i]) for row in rows)]
    at = [
        i
        for i, name in enumerate(heading)
        if HEADING.fullmatch(name) and (i in graded or heading[i + 1 : i + 2] == ["Status"])
    ]
    several = len({HEADING.fullmatch(heading[i])[2] for i in at}) > 1  # type: ignore[index]
    result = []
    for row in rows:
        content = json.dumps(row[: at[0]])
        case = row[heading.index("Description")] if "Description" in heading[: at[0]] else content
        for i in at:
            provider, prompt = HEADING.fullmatch(heading[i]).groups()  # type: ignore[union-attr]
            mark = GRADED.match(row[i]) if i in graded else None
            state = row[i + 1] if mark is None else mark[1]
            failed = state == "ERROR"
            entity = f"{provider} | {prompt}" if several else provider
            record = {
                "entity": entity,
                "case": case or content,
                "status": "error" if failed else None,
            }
            scores = [] if mark else [("score", row[i + 2])]
            for metric, value in [("success", state == "PASS"), *scores]:
                result.append(
                    record | {"metric": metric, "outcome": math.nan if failed else float(value)}
                )
    return _frame(result, "the heading")


def _frame(results: list[Any], source: str) -> pd.DataFrame:
    frame = rows_of(results, source, dataset="promptfoo")
    # Repeats of a test have numbers of their own in the file, and the same description.
    frame["run"] = frame.groupby(["entity", "case", "metric"]).cumcount() + 1
    return frame
