"""Doubts about evaluation logs, which do not stop a ranking."""

from typing import Any

import pandas as pd

from bayesrank import _text
from bayesrank.evidence.logs.choices import list_some
from bayesrank.evidence.logs.files import Logs

__all__ = ["name_copies", "name_cut_files", "name_scales", "name_setups", "name_shared_content"]

#: Systems with equal outcomes on so many runs may be copies.
MANY_EQUAL = 20


def name_setups(rows: pd.DataFrame, logs: Logs) -> list[str]:
    """List differences between the setups of systems."""
    first = rows.drop_duplicates(["entity", "dataset"])[["entity", "dataset", "file"]]
    said: dict[str, None] = {}
    for _, part in first.groupby("dataset", sort=False):
        setups = {e: logs.about[int(f)].get("setup") or {} for e, f in zip(part["entity"], part["file"], strict=True)}
        for key in next(iter(setups.values())):
            held = {e: str(s.get(key)) for e, s in setups.items()}
            if len(set(held.values())) > 1:
                said[f"Systems differ in {key}: {list_some([f'{e} {v[:60]}' for e, v in held.items()])}."] = None
    return list(said)


def name_shared_content(rows: pd.DataFrame) -> list[str]:
    """List data sets that share cases by content."""
    pairs = rows.loc[rows["hash"].notna(), ["hash", "dataset"]].drop_duplicates()
    shared = pairs[pairs.duplicated("hash", keep=False)]
    if shared.empty:
        return []
    many = _text.count(shared["hash"].nunique(), "case")
    return [
        f"The content of {many} is in several data sets ({list_some(shared['dataset'].unique())}); "
        "if they ask the same, they count twice."
    ]


def name_copies(rows: pd.DataFrame) -> list[str]:
    """List systems with equal outcomes on many cases, which may be one log under two names."""
    order = rows.sort_values(["dataset", "case"], kind="stable")
    seen: dict[Any, list[str]] = {}
    for name, part in order.groupby("entity", sort=False):
        if len(part) >= MANY_EQUAL and part["outcome"].nunique() > 1:
            columns = (tuple(part[c].fillna(-1) if c == "outcome" else part[c]) for c in ("dataset", "case", "outcome"))
            seen.setdefault(hash(tuple(columns)), []).append(str(name))
    return [
        f"{list_some(names)} have equal outcomes on all cases: one may be a copy."
        for names in seen.values()
        if names[1:]
    ]


def name_scales(rows: pd.DataFrame) -> list[str]:
    """List data sets whose outcomes are shares for one system, and perhaps percentages for another."""
    ends = rows.groupby(["dataset", "entity"], sort=False)["outcome"].agg(["min", "max"]).dropna()
    said = []
    for name, part in ends.groupby(level="dataset", sort=False):
        shares, others = part[(part["min"] >= 0) & (part["max"] <= 1)], part[part["max"].between(10, 100)]
        if len(shares) and len(others):
            said.append(
                f"Outcomes of {name} are at most 1 for {shares.index[0][1]} and at most {others['max'].iloc[0]:g} for "
                f"{others.index[0][1]}: their scales may differ."
            )
    return said


def name_cut_files(rows: pd.DataFrame, logs: Logs) -> list[str]:
    """List files that hold fewer cases than their run had."""
    held: dict[Any, int] = rows.groupby("file")["case"].nunique().to_dict()
    short = [(int(i), n, logs.about[int(i)].get("expected")) for i, n in held.items()]
    return [
        f"{logs.called(i)} holds {n} of {int(size)} cases of its run or data set."
        for i, n, size in short
        if size and n < size
    ][:3]
