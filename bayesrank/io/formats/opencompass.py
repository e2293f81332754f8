"""OpenCompass: predictions by position; without a rule that scores them they hold no outcomes.

Files with predictions alone do not show which predictions are right. Run OpenCompass with
`--dump-eval-details`.
"""

import re
from pathlib import Path

import pandas as pd

from bayesrank._core.errors import ArgumentError
from bayesrank.io.formats._common import as_outcome, has_keys, read_json, rows_of, stem_of

TITLE = "OpenCompass"
#: How --dump-eval-details begins the cases, after the scores over all of them.
DETAILS = re.compile(r'"details"\s*:\s*\{\s*("type"\s*:\s*"\w+"\s*,\s*)?"0"\s*:\s*\{')


def recognise(head: str) -> bool:
    if DETAILS.search(head):
        return True
    has_predictions = has_keys(head, "prediction", "origin_prompt") or has_keys(
        head, "pred", "correct"
    )
    return has_predictions and bool(re.match(r'\s*\{\s*"0"\s*:\s*\{', head))


def read(path: Path) -> pd.DataFrame:
    log = read_json(path)
    result = []
    for key, row in log.get("details", log).items():
        if key == "type":
            continue
        right = row.get("correct", row.get("is_correct"))
        if right is None:
            pairs = isinstance(row.get("gold"), dict) and "answer1" in row["gold"]
            problem = "the verdicts of a judge as text" if pairs else "predictions without outcomes"
            raise ArgumentError(
                path.name,
                f"must say for each case whether the answer is right; it holds {problem}. Run OpenCompass with "
                "--dump-eval-details, or score the answers and write a table with the columns entity, case, outcome",
            )
        content = str(row.get("origin_prompt", row.get("prompt", "")))
        result.append({"case": key, "outcome": as_outcome(right), "hash": content})
    return rows_of(result, "the folder", entity=path.parent.name, dataset=stem_of(path))
