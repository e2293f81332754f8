"""lighteval: details of a task as Parquet, and the results beside them.

Write details with `--save-details`. The system is named by the folders between `details` and the
time of the run. Cases without an id have the number of their row. Reading Parquet needs pyarrow or
polars.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from bayesrank._core.errors import ArgumentError
from bayesrank.io.formats._common import as_outcome, has_keys, list_names, read_parquet

TITLE = "lighteval"
#: Names of files of details: the task, with the number of shots behind its last bar, and the time
#: of the run.
NAME = re.compile(r"details_(.+?)(?:\|(\d+))?_(\d{4}-\d\d-\d\dT[\d.:-]+)")
#: Columns with the scores of a case, and with what the case is, in the order of the tool's
#: versions.
SCORES, CASES = ("metric", "metrics", "__metric__", "__metrics__"), ("doc", "__doc__")


def recognise(head: str) -> str:
    if head.startswith("PAR1"):
        return "cases"
    return "scores" if has_keys(head, "config_general", "lighteval_sha") else ""


def read(path: Path) -> pd.DataFrame:
    records = read_parquet(path)
    scores = next(
        (name for name in SCORES if records and isinstance(records[0].get(name), Mapping)), None
    )
    if scores is None:
        raise ArgumentError(
            path.name,
            "must have the scores of each case in a column metrics, as the details of lighteval have",
            ", ".join(map(str, records[0])) if records else "no rows",
            "br.from_frame(pandas.read_parquet(path)) reads other tables",
        )
    rows = []
    for i, record in enumerate(records):
        case_fields = next(
            (record[name] for name in CASES if isinstance(record.get(name), Mapping)), record
        )
        name_of_case = case_fields.get("id")
        content = (
            case_fields.get("query") or case_fields.get("full_prompt") or case_fields.get("example")
        )
        case = {"case": str(i if name_of_case in (None, "") else name_of_case), "hash": content}
        rows += [
            case | {"metric": name, "outcome": as_outcome(value)}
            for name, value in record[scores].items()
        ]
    task, shots, time = _task_of(path)
    folder, system = _system_of(path)
    summary = None if folder is None else _results_of(folder, system, time)
    frame = pd.DataFrame(rows)
    frame.attrs = {
        "source": "the folder of the details" if folder else "the name of the file",
        "setup": {"shots": shots},
    }
    frame.attrs |= {} if summary is None else {"beside": summary}
    return frame.assign(entity=system or path.stem, dataset=task)


def _task_of(path: Path) -> tuple[str, str | None, str]:
    match = NAME.fullmatch(path.stem)
    return (path.stem, None, "") if match is None else (match[1], match[2], match[3])


def _system_of(path: Path) -> tuple[Path | None, str]:
    """Return the folder of all details, and the model: the folders between it and that of the time."""
    parts = path.parent.parts
    if "details" in parts:
        at = len(parts) - 1 - parts[::-1].index("details")
        names = parts[at + 1 : -1] if re.match(r"\d{4}-\d\d-\d\dT", parts[-1]) else parts[at + 1 :]
        return Path(*parts[: at + 1]), "/".join(names)
    hub = next((part for part in parts[::-1] if part.startswith("details_")), None)
    return None, "" if hub is None else hub.removeprefix("details_").replace("__", "/")


def _results_of(details: Path, system: str, time: str) -> Path | None:
    """Return the results of the same run, which lie in a folder beside that of the details."""
    folder = details.parent.joinpath("results", *system.split("/"))
    names: list[Any] = (
        [name for name in list_names(folder) if time and time in name] if folder.is_dir() else []
    )
    return folder / names[0] if len(names) == 1 else None
