"""Verdicts of language models as judges: AlpacaEval's preferences, Arena-Hard's games, MT-bench's grades.

AlpacaEval's preferences become wins over the reference, from 0 to 1, and a tie is 0.5. Arena-Hard
judges a pair twice with sides changed: each game is a run, won (1), tied (0.5) or lost (0), and
`>>` counts like `>`. In MT-bench's grades each turn is a case, and the turns of a question are a
cluster. What the judge could not grade is missing. MT-bench's file of pairs is read as a table of
votes: a model wins if it wins both games.
"""

import hashlib
import math
from pathlib import Path
from typing import Any

import pandas as pd

from bayesrank.io.formats._common import begin_of, has_keys, read_json, read_lines, rows_of

TITLE = "AlpacaEval, Arena-Hard or MT-bench"
#: Arena-Hard's words for the winner, and how much of a win they are for the second answer.
GAMES = {
    "A>>B": 0.0,
    "A>B": 0.0,
    "A=B": 0.5,
    "B=A": 0.5,
    "B>A": 1.0,
    "B>>A": 1.0,
    "A<B": 1.0,
    "A<<B": 1.0,
}
#: MT-bench's grade of an answer that the judge did not grade.
NO_GRADE = -1


def recognise(head: str) -> bool:
    alpaca = has_keys(head, "generator_1", "generator_2", "preference")
    arena = has_keys(head, "model", "judge", "games") and (
        has_keys(head, "question_id") or has_keys(head, "uid")
    )
    graded = has_keys(head, "question_id", "model", "judge", "judgment", "score", "turn")
    return alpaca or arena or graded


def read(path: Path) -> pd.DataFrame:
    rows = read_json(path) if begin_of(path).startswith("[") else list(read_lines(path))
    first = rows[0]
    if "preference" in first:
        return rows_of(
            [_preference(row) for row in rows], "generator_2", dataset="AlpacaEval", better=True
        )
    if "games" in first:
        result = [one for row in rows for one in _games(row)]
        return rows_of(result, "the field model", dataset="Arena-Hard", better=True)
    return rows_of(
        [_grade(row) for row in rows], "the field model", dataset="MT-bench", better=True
    )


def _preference(row: dict[str, Any]) -> dict[str, Any]:
    """Return how much of a win an answer is over that of the reference, generator_1: from 0 to 1."""
    preference = row.get("preference")
    if preference is None:
        outcome = math.nan
    else:
        outcome = preference - 1 if preference else 0.5
    text = str(row["instruction"])
    named = {
        "entity": row["generator_2"],
        "case": hashlib.sha256(text.encode()).hexdigest()[:12],
        "hash": text,
    }
    record = {
        "metric": "preference",
        "judge": _text(row.get("annotator")),
        "category": row.get("dataset"),
    }
    return named | record | {"outcome": outcome, "status": "error" if preference is None else None}


def _games(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the games of a question: in the first one the baseline stands first, in the second one last."""
    result = []
    for number, game in enumerate(row["games"]):
        share = None if game is None else GAMES.get(str(game.get("score")))
        won = share if number % 2 == 0 or share is None else 1 - share
        row_of_game = {
            "entity": row["model"],
            "case": row.get("question_id", row.get("uid")),
            "run": number + 1,
        }
        row_of_game |= {
            "judge": _text(row.get("judge")),
            "category": row.get("category"),
            "metric": "win",
        }
        result.append(
            row_of_game
            | {
                "outcome": math.nan if won is None else won,
                "status": "error" if won is None else None,
            }
        )
    return result


def _grade(row: dict[str, Any]) -> dict[str, Any]:
    """Return the grade of an answer; the turns of a question are cases of one cluster."""
    missing = row["score"] in (None, NO_GRADE)
    grade = {
        "entity": row["model"],
        "case": f"turn {row['turn']} of {row['question_id']}",
        "cluster": row["question_id"],
    }
    grade |= {"judge": _text(row.get("judge")), "metric": "grade"}
    return grade | {
        "outcome": math.nan if missing else float(row["score"]),
        "status": "error" if missing else None,
    }


def _text(judge: Any) -> str | None:
    if isinstance(judge, list):
        return " ".join(map(str, judge))
    return None if judge is None else str(judge)
