"""MTEB: results of tasks; a task and its language subset is a case.

A case is a task, or one language subset of a task. So the ranking is for a population of tasks, not
of documents. Choose one split. Scores in a folder `external` are self-reported, and the column
`status` says so.
"""

import re
from pathlib import Path

import pandas as pd

from bayesrank._core.notes import Note
from bayesrank.io.formats._common import has_keys, read_json, rows_of

TITLE = "MTEB"


def recognise(head: str) -> str:
    if has_keys(head, "task_name", "main_score", "scores"):
        return "cases"
    return "about" if has_keys(head, "revision", "similarity_fn_name", "n_parameters") else ""


def read(path: Path) -> pd.DataFrame:
    log, meta_path = read_json(path), path.with_name("model_meta.json")
    revision = re.fullmatch("[0-9a-f]{8,}|external|no_revision_available", path.parent.name)
    entity, source = (
        (path.parent.parent if revision else path.parent).name.replace("__", "/"),
        "the folder",
    )
    if meta_path.is_file():
        entity, source = read_json(meta_path)["name"], "name in model_meta.json"
    rows = []
    for split, held in log["scores"].items():
        for one in held:
            subset = one.get("hf_subset", "default")
            case = log["task_name"] if subset == "default" else f"{log['task_name']} {subset}"
            rows.append({"case": case, "outcome": one["main_score"], "variant": split})
    frame = rows_of(rows, source, entity=entity, dataset="MTEB", metric="main_score", better=True)
    doubts = [Note("case_is_task")]
    if path.parent.name == "external":
        frame["status"], doubts = "self-reported", [*doubts, Note("self_reported")]
    frame.attrs |= {
        "variant": "split",
        "doubts": doubts,
        "setup": {"version": log.get("mteb_version")},
    }
    return frame
