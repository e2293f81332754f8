"""Inspect: logs as JSON, and as .eval archives.

The reader takes JSON logs and `.eval` archives. Scores C, P and I are 1, 0.5 and 0; N is an
abstention that counts as 0, as in Inspect. If a scorer returns several values, each is a metric
with the name `scorer.value`. Epochs are runs. A sample with an error has no outcome. Since July
2026 archives are compressed with Zstandard. To read them with a Python before 3.14, use `pip
install zstandard`.

    bayesrank rank logs/*.eval --only metric=match --missing own

At the end of an eval set, [a hook](../howto/tools.md#inspect) writes ranking and report beside the
logs.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from bayesrank._core.inputs import decode, is_zip, open_archive, parse_json, read_head, read_member
from bayesrank._core.notes import Note
from bayesrank.io.formats._common import as_outcome, category_of, has_keys, read_json

TITLE = "Inspect"
#: Words that Inspect counts as numbers; N is no answer, which it counts as 0.
WORDS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}


def recognise(head: str) -> str:
    # Inspect's lists of the logs of a folder, and of the tasks of an eval set.
    if re.match(r'\s*\{\s*("[^"]+\.(eval|json)"\s*:\s*\{\s*"version"|"eval_set_id")', head):
        return "about"
    if head.startswith("PK\x03\x04"):
        return "cases" if "_journal/" in head or "header.json" in head or "samples/" in head else ""
    return (
        "cases"
        if re.match(r'\s*\{\s*"(version|status)"', head) and has_keys(head, "eval", "task", "model")
        else ""
    )


def read(path: Path) -> pd.DataFrame:
    packed = is_zip(read_head(path))
    log, samples = (
        _unpack(path) if packed else ((full := read_json(path)), full.get("samples") or [])
    )
    run = log["eval"]
    task = run["task"].split("/")[-1].replace("-", "_")
    rows = []
    for sample in samples:
        record = {"case": str(sample["id"]), "run": sample.get("epoch") or 1}
        record |= {
            "category": category_of(sample.get("metadata")),
            "seconds": sample.get("total_time"),
        }
        record["hash"] = json.dumps([sample.get("input"), sample.get("target")], sort_keys=True)
        scores = {name: score["value"] for name, score in (sample.get("scores") or {}).items()}
        old = sample.get("score")
        if isinstance(old, dict) and not scores:
            scores["score"] = old.get("value")
        failed = bool(sample.get("error"))
        for metric, value in flat_scores(scores) if scores else [(None, None)]:
            outcome, status = outcome_and_status(value, failed)
            rows.append(record | {"metric": metric, "outcome": outcome, "status": status})
    frame = pd.DataFrame(
        rows, columns=["case", "run", "metric", "outcome", "status", "category", "seconds", "hash"]
    )
    frame["entity"], frame["dataset"] = run["model"], task
    config = run.get("config") or {}
    dataset = run.get("dataset") or {}
    size = len(dataset.get("sample_ids") or []) or dataset.get("samples")
    setup = {name: run.get(name) for name in ("solver", "task_args", "model_roles", "task_version")}
    setup["limit"] = config.get("limit")
    # Without a model of its own, a scorer that asks a model asks the one that is evaluated.
    role = (run.get("model_roles") or {}).get("grader")
    default = (role.get("model") if isinstance(role, dict) else role) or run["model"]
    judge_of = {s["name"]: (s.get("options") or {}).get("model") for s in run.get("scorers") or []}
    judges = {
        name: (m.get("model") if isinstance(m, dict) else m) or default
        for name, m in judge_of.items()
    }
    graded = frame["metric"].astype(str).str.startswith("model_graded")
    frame["judge"] = (
        frame["metric"]
        .where(graded)
        .map(lambda name: judges.get(name, default), na_action="ignore")
    )
    state = log.get("status")
    doubts = [Note("run_status", {"status": state})] if state not in (None, "success") else []
    frame.attrs = {"source": "eval.model", "expected": size, "setup": setup, "doubts": doubts}
    return frame


def outcome_and_status(value: Any, failed: bool) -> tuple[Any, str | None]:
    """Return the outcome of a score, None if the sample has no score, and how the sample ended."""
    outcome = WORDS.get(value, value) if isinstance(value, str) else as_outcome(value)
    if failed:
        return outcome, "error"
    if value is None:
        return outcome, "not scored"
    return outcome, "abstained" if value == "N" else None


def flat_scores(scores: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield scores by name; a score with several parts has a name for each part."""
    for name, value in scores.items():
        if isinstance(value, dict):
            yield from ((f"{name}.{part}", held) for part, held in value.items())
        else:
            yield name, value


def _unpack(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the header of a log and its samples; of a member that occurs twice, the last one counts."""
    with open_archive(path, path.name) as archive:
        members = {info.filename: info for info in archive.infolist()}
        first = members.get("header.json") or members["_journal/start.json"]
        requested = [
            first,
            *(info for name, info in members.items() if name.startswith("samples/")),
        ]
        log, *samples = [
            _parse(read_member(archive, info, path.name), path.name) for info in requested
        ]
    return log, samples


def _parse(data: bytes, name: str) -> Any:
    return parse_json(decode(data, name), name)
