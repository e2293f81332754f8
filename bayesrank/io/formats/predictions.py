"""Tables of true and predicted labels: scikit-learn, caret, yardstick, Kaggle.

The outcome is 1 if both labels are equal, else 0. These tables are read: out-of-fold predictions of
scikit-learn (`model, repeat, fold, row_id, y_true, y_pred`), `id, target` and one column per model,
predictions of caret (`pred, obs, rowIndex, Resample`), and submissions to Kaggle beside the
solution. For predicted probabilities, choose a threshold and write labels, or rank a table of
[probabilities](../start/probabilities.md) by areas and losses. For other tables of labels, see
[labels](../start/labels.md).
"""

import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd

from bayesrank._core.errors import ArgumentError
from bayesrank._core.inputs import split_line
from bayesrank.io.formats._common import begin_of, list_names, read_csv, remember, stem_of
from bayesrank.io.tables.columns import squeeze
from bayesrank.io.tables.roles import ENTITY_NAMES

TITLE = "predictions in CSV"
TRUTH, GUESS = (
    ("obs", "truth", "ytrue", "label", "actual", "target"),
    ("pred", "predicted", "ypred", "prediction"),
)
CASE = ("rowindex", "rowid", "row", "sample", "id", "case", "index", ".row")


def recognise(head: str) -> str:
    heading = _heading(head)
    names = [squeeze(name) for name in heading]
    if {"ranktestscore", "meantestscore"} <= set(names) and "split0testscore" not in names:
        return "scores"
    if names[:2] == ["id", "expected"]:
        return "about"
    if names == ["id", "predicted"] or _is_wide(head, names):
        return "cases"
    truth, guess = ([name for name in names if name in known] for known in (TRUTH, GUESS))
    resampling = {"resample", "rowindex", "repeat", "fold", "rowid"} & set(names)
    # A table that names its entities is read as any other, but for repeated cross-validation.
    named = {"entity", *ENTITY_NAMES} & set(names)
    fits = (
        truth
        and guess
        and (not named or {"model", "repeat"} <= set(names))
        and (resampling or len(names) > 4)
    )
    # Without names of cases, a table of labels is of one classifier.
    fits = fits and set(CASE) & set(names)
    return "cases" if fits else ""


def is_one_classifier(head: str) -> bool:
    """Return whether a table has the labels of one classifier, once a case: it is read as any other table."""
    names = [squeeze(name) for name in _heading(head)]
    headings = set(names) & {"resample", "repeat", "fold", "model", "entity", *ENTITY_NAMES}
    return (
        not headings
        and any(name in TRUTH for name in names)
        and any(name in GUESS for name in names)
    )


def _is_wide(head: str, names: list[str]) -> bool:
    """Return whether a table has an id, a target, and a column of labels for each of several models."""
    if names[:2] != ["id", "target"] or len(names) < 4:
        return False
    rows = [split_line(line) for line in head[:8192].splitlines()[1:-1]]
    labels = {row[1] for row in rows if len(row) == len(names)}
    return bool(labels) and all(
        cell in labels for row in rows if len(row) == len(names) for cell in row[2:]
    )


def _heading(head: str) -> list[str]:
    line = head.lstrip().partition("\n")[0].strip()
    return split_line(line) if "," in line and line[:1] not in "[{" else []


def read(path: Path) -> pd.DataFrame:
    table = read_csv(path)
    of = {squeeze(name): name for name in table}
    if list(of) == ["id", "predicted"]:
        return _of_kaggle(path, table)
    if list(of)[:2] == ["id", "target"] and not set(GUESS) & set(of):
        long = table.melt(id_vars=list(table)[:2], var_name="entity", value_name="guess")
        outcome = _outcome(long[of["target"]], long["guess"])
        content = long[of["id"]] + " " + long[of["target"]]
        frame = pd.DataFrame(
            {"entity": long["entity"], "case": long[of["id"]], "outcome": outcome, "hash": content}
        )
        frame.attrs = {"source": "the heading"}
        return frame.assign(dataset="predictions", metric="correct", better=True)

    def column(names: tuple[str, ...]) -> Any:
        return next((table[of[name]] for name in names if name in of), None)

    truth, guess, case = column(TRUTH), column(GUESS), column(CASE)
    if case is None:
        raise ArgumentError(
            path.name,
            "must have a column that names the cases, such as rowIndex or row_id; without it, cases of two models "
            "cannot be paired",
        )
    fold = column(("resample",))
    run = column(("repeat",))
    if fold is not None:
        repeats = fold.str.extract(r"Rep(\d+)", expand=False)
        run = repeats if repeats.notna().any() else None
        if run is None and fold.str.contains("Boot", case=False).any():
            run = fold
    before = list(table)[: list(table).index(truth.name)] if fold is not None else []
    tuned = [
        name for name in before if name not in (guess.name, case.name) and squeeze(name) != "model"
    ]
    tuned = [name for name in tuned if table[name].nunique() > 1]
    records = table[tuned].to_dict("records") if tuned else []
    variant = [", ".join(f"{k}={v}" for k, v in row.items()) for row in records] or None
    model, source = column(("model",)), "the column model"
    if model is None:
        name = re.sub("^(caret|yardstick)_|_p(red)?$", "", stem_of(path))
        model, source = name, "the name of the file"
    frame = pd.DataFrame(
        {"case": case, "outcome": _outcome(truth, guess), "hash": case + " " + truth}
    )
    frame.attrs = {"source": source, "variant": "tuning parameters"}
    return frame.assign(
        entity=model, dataset="predictions", run=run, variant=variant, metric="correct", better=True
    )


def _outcome(truth: pd.Series, guess: pd.Series) -> pd.Series:
    """Return 1 for a right label and 0 for a wrong one; NaN where either is missing."""
    return (truth == guess).astype(float).where((truth != "") & (guess != ""))


@remember
def _find_solution(folder: Path) -> Path | None:
    for name in list_names(folder):
        if name.endswith(".csv"):
            with suppress(ArgumentError):  # another file, which cannot be read
                if [squeeze(title) for title in _heading(begin_of(folder / name))][:2] == [
                    "id",
                    "expected",
                ]:
                    return folder / name
    return None


def _of_kaggle(path: Path, table: pd.DataFrame) -> pd.DataFrame:
    """Read a submission beside the solution, which has the column Expected."""
    table.columns = ["id", "predicted"]
    solution_path = _find_solution(path.parent)
    if solution_path is None:
        raise ArgumentError(
            path.name, "must lie beside the solution, a table with the columns Id and Expected"
        )
    solution = read_csv(solution_path)
    solution.columns = ["id", "expected", *solution.columns[2:]]
    foreign = ~table["predicted"].isin(set(solution["expected"]))
    if foreign.any():
        raise ArgumentError(
            path.name,
            f"must use the labels of the solution; got {table.loc[foreign, 'predicted'].iloc[0]} in the column "
            "Predicted. If these are probabilities, choose a threshold and write labels: table['Predicted'] = "
            "(table['Predicted'] >= 0.5).astype(int)",
        )
    both = solution.merge(table, "left", "id")
    frame = pd.DataFrame(
        {"case": both["id"], "outcome": _outcome(both["expected"], both["predicted"].fillna(""))}
    )
    frame["hash"] = both["id"] + " " + both["expected"]
    frame["status"] = both["predicted"].isna().map({True: "not submitted", False: None})
    frame["category"] = both[both.columns[2]] if "Usage" in solution else None
    frame.attrs = {"source": "the name of the file", "beside": solution_path}
    name = re.sub("(?i)kaggle_|_?submission_?", "", path.stem) or path.stem
    return frame.assign(entity=name, dataset="Kaggle", metric="correct", better=True)
