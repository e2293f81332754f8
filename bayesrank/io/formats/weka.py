"""Weka: predictions printed as text, with an attribute that names the cases.

The text output of `-p 1` is read: the outcome is 1 if the true and the predicted label are equal,
else 0.
"""

import re
from pathlib import Path

import pandas as pd

from bayesrank._core.errors import ArgumentError
from bayesrank.io.formats._common import read_text, rows_of, stem_of

TITLE = "Weka predictions"
ROW = re.compile(
    r"\s*+(\d++)\s++(\d+:\S++|\?)\s++(\d+:\S++|\?)\s++(?:(\+)\s*+)?([\d.,*E-]++)(?:\s++\((.*)\))?\s*+$"
)


def recognise(head: str) -> bool:
    return bool(re.search(r"inst#\s+actual\s+predicted\s+error", head))


def read(path: Path) -> pd.DataFrame:
    result = []
    for line in read_text(path).splitlines():
        row = ROW.match(line)
        if row:
            _, actual, _, wrong, _, name = row.groups()
            if name is None:
                raise ArgumentError(
                    path.name,
                    "must name its cases, since row numbers restart in each fold; run Weka with -p 1",
                )
            has_truth = actual != "?"
            fields = {
                "case": name,
                "hash": f"{name} {actual}",
                "outcome": float(not wrong) if has_truth else float("nan"),
            }
            result.append(fields | {"status": None if has_truth else "no label"})
    entity = re.sub("^weka_", "", stem_of(path))
    return rows_of(
        result, "the name of the file", entity=entity, dataset="Weka", metric="correct", better=True
    )
