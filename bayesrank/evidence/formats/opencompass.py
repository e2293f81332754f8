"""OpenCompass: predictions by position; without a rule that scores them they hold no outcomes."""

from pathlib import Path

import pandas as pd

from bayesrank.evidence.formats._common import as_outcome, has_keys, read_json, stem_of

TITLE = "OpenCompass"


def recognise(head: str) -> bool:
    return (
        head.lstrip().startswith('{"0"') or head.lstrip()[:60].replace("\n", "").replace(" ", "").startswith('{"0":{')
    ) and (has_keys(head, "prediction", "origin_prompt") or has_keys(head, "pred", "correct"))


def read(path: Path) -> pd.DataFrame:
    log = read_json(path)
    rows = log.get("details", log)
    found = []
    for key, row in rows.items():
        right = row.get("correct", row.get("is_correct"))
        if right is None:
            pairs = isinstance(row.get("gold"), dict) and "answer1" in row["gold"]
            what = "the verdicts of a judge as text" if pairs else "predictions without outcomes"
            raise ValueError(
                f"must say for each case whether the answer is right; it holds {what}. Run OpenCompass with "
                "--dump-eval-details, or score the answers and write a table with the columns entity, case, outcome"
            )
        found.append((key, as_outcome(right), str(row.get("origin_prompt", row.get("prompt", "")))))
    frame = pd.DataFrame(found, columns=["case", "outcome", "hash"])
    frame.attrs = {"source": "the folder"}
    return frame.assign(entity=path.parent.name, dataset=stem_of(path))
