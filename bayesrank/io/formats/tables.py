"""MLflow and Weights & Biases: tables as columns and data, with a column of outcomes.

Tables need a column whose name ends in `/score` or is `correct`. The system has the name of the
run's folder.
"""

import re
from pathlib import Path

import pandas as pd

from bayesrank._core.errors import ArgumentError
from bayesrank.io.formats._common import as_outcome, has_keys, read_json
from bayesrank.io.tables.columns import squeeze
from bayesrank.io.tables.roles import CATEGORIES, LONG_CASE_NAMES

TITLE = "MLflow or Weights & Biases"
RIGHT = ("correct", "iscorrect", "passed", "success", "score", "exactmatch", "accuracy")
#: Folders of a run that do not name it.
STANDING = {"artifacts", "media", "table", "files", "eval", "outputs"}


def recognise(head: str) -> bool:
    return bool(re.match(r'\s*\{\s*"(columns|_type|ncols)"', head)) and has_keys(
        head, "columns", "data"
    )


def read(path: Path) -> pd.DataFrame:
    log = read_json(path)
    table = pd.DataFrame(log["data"], columns=log["columns"])
    metrics = [name for name in table if str(name).endswith("/score") or squeeze(name) in RIGHT]
    if not metrics:
        raise ArgumentError(
            path.name,
            f"must have a column that ends in /score or is called correct; got {', '.join(map(str, table))}",
        )
    names = [name for name in table if squeeze(name) in LONG_CASE_NAMES]
    inputs = [name for name in table if squeeze(name) in ("inputs", "input", "question", "prompt")]
    ids = [*names, *inputs]
    case = table[ids[0]] if ids else pd.Series(range(len(table)))
    groups = [name for name in table if squeeze(name) in CATEGORIES]
    seconds = next((table[name] for name in table if squeeze(name) in ("latency", "seconds")), None)
    parts = []
    for name in metrics:
        values = table[name].map(as_outcome)
        part = pd.DataFrame(
            {
                "case": case.astype(str),
                "outcome": values,
                "metric": str(name).removesuffix("/score"),
            }
        )
        parts.append(part.assign(hash=table[inputs[0]].astype(str) if inputs else None, seconds=seconds,
                                 category=table[groups[0]] if groups else None))  # fmt: skip
    frame = pd.concat(parts, ignore_index=True)
    folder = next((part for part in reversed(path.parent.parts) if part not in STANDING), path.stem)
    frame.attrs = {"source": "the folder of the run"}
    return frame.assign(entity=folder, dataset=re.split("_[0-9]+_|\\.", path.name)[0])
