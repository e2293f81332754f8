"""Evaluation logs on the shell: choices about them, and evidence from them."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import xarray as xr

import bayesrank as br
from bayesrank._core.errors import ArgumentError
from bayesrank._core.inputs import guard, is_workbook, is_zip, read_unpacked_head
from bayesrank._core.notes import Note
from bayesrank.cli._sink import print_error
from bayesrank.evidence.groups import name_groups_of
from bayesrank.evidence.ledger import add_runs, ledger_of
from bayesrank.io import formats
from bayesrank.io.formats.predictions import is_one_classifier
from bayesrank.io.logs import Choices, check_choices
from bayesrank.io.tables.files import is_table_of_records
from bayesrank.io.tables.frames import read_table
from bayesrank.io.tables.table import Roles, table_of
from bayesrank.words.sentences import say

FORMS = {"name": "FILE=NAME", "only": "WHAT=VALUE"}


def choices_of(how: dict[str, Any], missing: Any = None, columns: bool = False) -> Choices:
    pairs = {}
    for option, form in FORMS.items():
        typed = how.pop(option)
        bad = next((text for text in typed if "=" not in text), None)
        if bad is not None:
            raise ArgumentError(f"--{option}", f"must have the form {form}", f"{bad!r}")
        pairs[option] = [
            text.rsplit("=", 1) if option == "name" else text.split("=", 1) for text in typed
        ]
    only: dict[str, list[str]] = {}
    for key, value in pairs["only"]:
        only.setdefault(key, []).append(value)
    rest = {option: how.pop(option) for option in ("match", "reruns", "errors", "map", "cases")}
    return check_choices(dict(pairs["name"]), only, **rest, shell=True, columns=columns).also(
        missing=missing
    )


def print_skipped(doubts: Iterable[Note]) -> None:
    """Name files that were left out by --errors skip on standard error, whatever the format of the output."""
    for note in doubts:
        if note.code == "unreadable_files":
            print_error(f"bayesrank: {say(note)}")


def are_logs(paths: Sequence[str]) -> bool:
    """Return whether paths name evaluation logs, and not one table or one shipped data set."""
    if len(paths) != 1:
        return True
    [text] = paths
    if text in br.datasets.names():
        return False
    if text != "-" and not os.path.isfile(text):
        return os.path.isdir(text) or any(mark in text for mark in "*?[")
    head = read_unpacked_head(text)
    with guard(text):
        text = formats.head_text(head)
        kind = formats.recognise(text)[0]
        if is_zip(head) and not is_workbook(head):
            return True
        if kind:
            return not (kind == "predictions" and is_one_classifier(text))
        return text.lstrip()[:1] in ("{", "[") and not is_table_of_records(text)


def evidence_of_frame(
    frame: pd.DataFrame, roles: Roles, ignore: Sequence[str], by: str | None = None
) -> xr.DataArray | xr.Dataset:
    """Return the evidence that a table of logs holds, with remedies as they are typed in a shell.

    The groups of cases in the column ``by`` take the place of data sets.
    """
    option, grouped = "--by", by is None and roles.group is not None
    if grouped:
        option, by, roles = "--group", roles.group, replace(roles, group=None)
    if by is not None and by != "dataset":
        frame = _with_datasets(frame, by, option)
    spare = (
        {"category", "cost", "seconds", "status"}
        - set(map(str, roles.columns().values()))
        - set(ignore)
    )
    table = replace(
        table_of(frame.drop(columns=[*(spare & set(frame))])), source="the logs", shell=True
    )
    # The formats know what their numbers mean.
    roles = replace(roles, outcome="outcome") if roles.outcome is None else roles
    evidence = read_table(table.drop([table.find("ignore", name) for name in ignore]), roles)
    ledger = replace(ledger_of(evidence), ignored=())
    evidence = evidence.assign_attrs(
        (add_runs(ledger, frame) if "status" in frame else ledger).to_attrs()
    )
    return name_groups_of(evidence) if grouped else evidence


def _with_datasets(frame: pd.DataFrame, by: str, option: str) -> pd.DataFrame:
    """Return the rows with each value of a column as a data set; case names begin with the name of the former one."""
    roles = ("entity", "dataset", "case", "run", "outcome")
    free = [str(name) for name in frame if name not in roles]
    if by not in free:
        raise ArgumentError(
            option, f"must name a column of the logs ({', '.join(['dataset', *free])})", f"{by!r}"
        )
    if frame[by].isna().any():
        raise ArgumentError(
            option, f"must name a column with a value in every row; {by} has empty fields"
        )
    case = frame["dataset"] + " " + frame["case"]
    return frame.assign(dataset=frame[by].astype(str), case=case).drop(columns=by)
