"""SWE-bench and its relatives: lists of results, run reports, reports of instances, and JSON lines of OpenHands.

The reader takes the run report, `results.json` of the experiments repository, `report.json` of
single instances, and the results of SWE-bench Pro. It also reads the board of the website, and JSON
lines of OpenHands. The system has the name of the file or of its folder. An empty patch is an
abstention that counts as 0; `error_ids` are errors of the harness, and have no outcome. Instances
that were never submitted are missing too. `--missing 0` counts all missing outcomes as unresolved,
as the leaderboard does; `bayesrank doctor` suggests it. The category is the repository of the
instance.

Some files list only resolved or attempted instances. The leaderboard divides by all instances of
the split: 300 in Lite, 500 in Verified, 2,294 in the full test set. `--cases 500` adds the unlisted
ones as wrong; `bayesrank doctor` says so where the number of instances is that of no split.

    bayesrank rank reports/ --missing 0 --cluster category
"""

import math
import re
from pathlib import Path
from typing import Any

import pandas as pd

from bayesrank._core.errors import ArgumentError
from bayesrank._core.notes import Note
from bayesrank.io.formats._common import has_keys, read_json, read_lines

TITLE = "SWE-bench"
#: The score is the share of all instances that are resolved.
MISSING = 0
#: Lists of instances, the later ones more specific: outcome and status. Errors are of the
#: infrastructure.
LISTS: dict[str, tuple[float, str | None]] = {
    "submitted_ids": (math.nan, "not scored"),
    "incomplete_ids": (math.nan, "not submitted"),
    "empty_patch_ids": (0.0, "abstained"),
    "unresolved_ids": (0.0, None),
    "error_ids": (math.nan, "error"),
    "resolved_ids": (1.0, None),
    "generated": (0.0, None),
    "no_generation": (0.0, "abstained"),
    "applied": (0.0, None),
    "no_apply": (0.0, None),
    "test_timeout": (0.0, "timeout"),
    "install_fail": (math.nan, "error"),
    "reset_failed": (math.nan, "error"),
    "test_errored": (math.nan, "error"),
    "no_logs": (math.nan, "error"),
    "resolved": (1.0, None),
}
#: The numbers of instances by which the boards divide. Some files list resolved or attempted
#: instances only.
TOTALS = {"Lite": 300, "Verified": 500, "the full test set": 2294}
REPORT = re.compile(r'\s*\{\s*("[^"]+"\s*:\s*\{\s*)?"(patch_is_None|patch_exists|resolved)"')


def recognise(head: str) -> bool:
    run = has_keys(head, "total_instances", "submitted_instances") or has_keys(
        head, "no_generation", "resolved"
    )
    lists = re.match(
        r'\s*\{\s*"(generated|no_generation|with_logs|no_logs|resolved)"\s*:\s*\[', head
    )
    first = re.match(r'\s*\{\s*"([^"\s]+)"\s*:\s*(true|false)', head)
    pro = first and "__" in first[1][1:-1]
    site = has_keys(head, "leaderboards", "per_instance_details")
    lines = re.match(r'\s*\{[^\n]*"instance_id"', head) and has_keys(head, "test_result", "report")
    return bool(
        run
        or lists
        or pro
        or site
        or lines
        or (REPORT.match(head) and has_keys(head, "tests_status"))
    )


def read(path: Path) -> pd.DataFrame:
    try:
        log = read_json(path)
    except ArgumentError:
        log = None
    if log is None or "test_result" in log:
        reports = [
            (row["instance_id"], (row["test_result"] or {}).get("report") or {})
            for row in read_lines(path)
        ]
        return _frame(
            [(_entity(path), *_read_report(i, report)) for i, report in reports],
            "the folder or the file",
        )
    if "leaderboards" in log:
        results = [
            (result["name"], *_read_report(i, held))
            for board in log["leaderboards"]
            for result in board["results"]
            for i, held in (result.get("per_instance_details") or {}).items()
        ]
        return _frame(results, "name on the leaderboard")
    if "resolved" in log and isinstance(log["resolved"], bool):
        # The report of one instance: its folder is the instance, the folder above it the run.
        return _frame(
            [(path.parent.parent.name, *_read_report(path.parent.name, log))],
            "the folder of the run",
        )
    if isinstance(next(iter(log.values()), None), bool):
        return _frame(
            [(_entity(path), i, float(held), None) for i, held in log.items()],
            "the folder or the file",
        )
    if all(isinstance(held, dict) for held in log.values()):
        above = path.parent.parent.name if path.parent.name in log else _entity(path)
        return _frame(
            [(above, *_read_report(i, held)) for i, held in log.items()], "the folder of the run"
        )
    both = set(log.get("resolved_ids") or []) & set(log.get("unresolved_ids") or [])
    if both:
        raise ArgumentError(
            path.name,
            f"must list an instance as resolved or as unresolved; {min(both)} is in both lists",
        )
    states: dict[str, tuple[float, str | None]] = {}
    for key, state in LISTS.items():
        states |= dict.fromkeys(log.get(key) or [] if isinstance(log.get(key), list) else [], state)
    frame = _frame(
        [(_entity(path), i, *state) for i, state in states.items()], "the folder or the file"
    )
    total, submitted = log.get("total_instances"), log.get("submitted_instances")
    frame.attrs["expected"] = total
    if total is not None and submitted is not None and submitted > total:
        frame.attrs["doubts"] = [Note("more_submitted", {"submitted": submitted, "total": total})]
    return frame


def _read_report(instance: str, report: dict[str, Any]) -> tuple[str, float, str | None]:
    if not isinstance(report.get("resolved"), bool):
        return instance, math.nan, "error"
    empty = report.get("patch_is_None") is True or report.get("patch_exists") is False
    return instance, float(report["resolved"]), "abstained" if empty else None


def _entity(path: Path) -> str:
    """Return the folder of a file whose name is the same for all systems; else the name of the file."""
    standing = re.fullmatch(
        r"(results|report|eval_results|output\.swebench_eval|summary)\.jsonl?", path.name
    )
    if not standing:
        return re.sub(r"\.jsonl?$", "", path.name)
    return path.parent.parent.name if path.parent.name in ("results", "logs") else path.parent.name


def _frame(results: list[tuple[str, str, float, str | None]], source: str) -> pd.DataFrame:
    frame = pd.DataFrame(results, columns=["entity", "case", "outcome", "status"])
    frame["category"] = frame["case"].str.removeprefix("instance_").str.split("__").str[0]
    frame.attrs = {"source": source}
    return frame.assign(dataset="SWE-bench")
