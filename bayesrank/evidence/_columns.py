"""Roles of table columns, inferred from their names and from their values beside the other columns."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = [
    "CELLS", "ENTITY_NAMES", "LONG_CASE_NAMES", "ROLES", "TOTALS", "is_metadata_name", "odd_columns", "role_of",
    "squeeze",
]  # fmt: skip

CELLS = ("tn", "fp", "fn", "tp")
#: Column names by role, as :func:`squeeze` returns them. The first is the name of the role.
ROLES: dict[str, tuple[str, ...]] = {
    **{
        f"{right[0]}{sign[0]}": (f"{right[0]}{sign[0]}", *(f"{right}{sign}{s}" for s in ("", "s")))
        for right in ("true", "false")
        for sign in ("negative", "positive")
    },
    "actual": (
        *("actual", "ytrue", "truelabel", "trueclass", "truth", "groundtruth", "gold", "goldlabel", "goldstandard"),
        *("actuallabel", "actualclass", "referencestandard", "ytest", "yactual"),
    ),
    "predicted": ("predicted", "ypred", "prediction", "pred", "predictedlabel", "predictedclass", "predlabel", "yhat"),
    "count": ("count", "counts", "frequency", "freq"),
    "correct": ("correct", "ncorrect", "numcorrect", "right", "correctanswers"),
    "wrong": ("wrong", "incorrect", "nwrong", "nincorrect", "numincorrect", "wronganswers"),
    "total": ("total", "n", "ntotal", "numtotal", "ncases", "trials"),
    "mean": ("mean", "meanoutcome", "meanscore", "average", "avg"),
    "se": ("se", "stderr", "stderror", "standarderror", "sem"),
    "outcome": ("outcome", "iscorrect", "score", "result", "passed", "success", "grade"),
    "entity": ("entity",),
    "case": ("case", "caseid", "casename"),
    "run": ("run", "runid"),
    "dataset": ("dataset", "datasetname", "datasetid"),
    "cluster": ("cluster", "clusterid"),
    "weight": ("weight",),
}
_BY_NAME = {name: role for role, names in ROLES.items() for name in names}
#: Alternative names of the column entity, used if there is no other candidate.
ENTITY_NAMES = {
    f"{name}{ending}"
    for name in (
        *("model", "classifier", "system", "detector", "algorithm", "method", "name", "team", "test", "study"),
        *("center", "centre", "submission", "participant", "player", "site", "hospital", "laboratory", "lab", "agent"),
        *("rater", "reader", "annotator", "estimator", "approach", "assay", "kit", "tool", "llm", "competitor"),
    )
    for ending in ("", "name", "id", "s")
}
#: Alternative names of the column case, in tables with one row for each entity and case.
LONG_CASE_NAMES = {
    f"{name}{ending}"
    for name in ("question", "item", "sample", "example", "instance", "task", "problem", "doc", "document", "image")
    for ending in ("", "id")
} | {"id", "qid", "uid", "uuid"}
#: Columns that are not entities in a table with one column for each: names and groups of cases, and costs.
METADATA = (
    LONG_CASE_NAMES
    | {"index", "idx", "row", "rownumber", "no", "nr", "number", "key", "hash", "fold", "group", "patient", "subject"}
    | {"seed", "split", "label", "target", "y", "class", "category", "level", "difficulty", "date", "timestamp"}
    | {"epoch", "step", "batch", "prompt", "answer", "language", "source", "comment", "remark", "note", "notes"}
    | {"correct", "wrong", "iscorrect", "passed", "outcome", "prediction", "predicted", "expected", "output"}
    | {"total", "sum", "mean", "average", "avg", "median", "std", "sd", "score", "result", "n", "count", "time", "age"}
)
#: Names of rows that summarise the others.
TOTALS = {"total", "totals", "sum", "grand total", "all", "overall", "average", "mean", "macro avg", "weighted avg"}
#: Words that mark a column as a cost, as in "latency (ms)" or total_tokens.
COSTS = {"latency", "token", "tokens", "second", "seconds", "cost", "runtime", "duration", "elapsed", "price", "usd"}


def squeeze(name: Any) -> str:
    """Normalise a column name for comparisons: lower case, letters and digits only."""
    return re.sub(r"[\W_]+", "", str(name).casefold())


def role_of(name: Any) -> str | None:
    """Return the role of a column name, or None."""
    return _BY_NAME.get(squeeze(name))


def is_metadata_name(name: Any) -> bool:
    """Return whether a column name is a known id, group or cost, and so unlikely to be an entity."""
    words = re.findall(r"[a-z0-9]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", str(name)).lower())
    named_id = len(words) > 1 and words[-1] in ("id", "ids", "index", "idx")
    return (
        squeeze(name) in METADATA
        or bool(COSTS & set(words))
        or named_id
        or bool(re.match(r"unnamed: ?\d|level_\d", str(name).strip(), re.I))
    )


def odd_columns(columns: Mapping[Any, np.ndarray]) -> dict[Any, str]:
    """Return the columns of outcomes that are unlike the others, with reasons.

    Parameters
    ----------
    columns : mapping
        Outcomes by column, as floats; NaN if missing.
    """
    known = {name: values[~np.isnan(values)] for name, values in columns.items()}
    known = {name: values for name, values in known.items() if values.size}
    if len(known) < 2:
        return {}
    binary = [name for name, values in known.items() if _is_binary(values)]
    others = [name for name in known if name not in binary]
    # A constant 0 or 1 is no evidence that the other columns are right or wrong.
    varied = [name for name in binary if np.ptp(known[name]) > 0] if others else binary
    if varied and others:
        odd = {name: _why_not_binary(known[name]) for name in others}
        found = {name: why for name, why in odd.items() if why}
        if found and len(found) == len(others) and len(varied) < len(others):
            # A minority of binary columns among numeric ones is odd, unless it fits their range.
            low, high = _range(known[name] for name in others)
            inside = low <= 0 and high >= 1 and high <= 1 + 1e-9
            return {} if inside else dict.fromkeys(varied, f"0 and 1 beside values from {low:g} to {high:g}")
        return found
    return {} if not others else _odd_numbers({name: known[name] for name in known})


def _is_binary(values: np.ndarray) -> bool:
    return bool(np.isin(values, (0.0, 1.0)).all())


def _why_not_binary(values: np.ndarray) -> str:
    """Explain why a column is unlike right and wrong answers; "" if it may hold partial credit."""
    low, high = values.min(), values.max()
    if low < 0 or high > 1:
        return f"values from {low:g} to {high:g} beside columns of 0 and 1"
    # Partial credit is mostly 0 and 1, or has a few levels.
    partial = np.isin(values, (0.0, 1.0)).mean() >= 0.5 or np.unique(values).size <= min(6, values.size // 2)
    return "" if partial else f"fractions from {low:g} to {high:g} beside columns of 0 and 1"


def _odd_numbers(known: Mapping[Any, np.ndarray]) -> dict[Any, str]:
    """Return the columns that number the rows, or exceed the few levels that all others share."""
    found = {}
    for name, values in known.items():
        rest = [held for other, held in known.items() if other != name]
        low, high = _range(rest)
        if _counts_rows(values) and not any(_counts_rows(held) for held in rest):
            found[name] = f"the whole numbers from {values.min():g} to {values.max():g}, each once"
            continue
        levels = np.unique(np.concatenate(rest))
        graded = levels.size <= 12 and all(np.unique(held).size < held.size for held in rest)
        if graded and ((values < low) | (values > high)).mean() > 0.5:
            found[name] = f"values from {values.min():g} to {values.max():g} beside values from {low:g} to {high:g}"
            continue
        whole = bool((values == np.floor(values)).all()) and np.ptp(values) > 0
        fractions = all(not (held == np.floor(held)).all() for held in rest)
        if whole and fractions and (values.min() > high or values.max() < low) and np.unique(values).size > 2:
            found[name] = f"whole numbers from {values.min():g} to {values.max():g} beside fractions"
    return found


def _counts_rows(values: np.ndarray) -> bool:
    """Return whether values are consecutive whole numbers, each once: probably row numbers."""
    if values.size < 3 or not (values == np.floor(values)).all():
        return False
    return bool((np.diff(np.sort(values)) == 1).all())


def _range(columns: Any) -> tuple[float, float]:
    together = np.concatenate(list(columns))
    return float(together.min()), float(together.max())
