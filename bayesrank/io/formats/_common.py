"""Helpers of formats: JSON files, names of systems from paths, outcomes and categories of cases."""

import importlib
import io
import math
import os
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from bayesrank._core.errors import ArgumentError, ArgumentFileError
from bayesrank._core.inputs import decode, open_file, parse_csv, parse_json, read_bytes, read_head
from bayesrank.io.tables.roles import CATEGORIES

#: Endings of file names that do not name a system.
ENDINGS = re.compile(
    r"(?i)[_.-]?(eval_)?(results?|predictions?|pred|report|output|scored?|samples|junit|log)$"
)


#: Functions that remember what lies in a folder, for as long as one set of logs is read.
_REMEMBERING: list[Any] = []


def remember(function: Any) -> Any:
    """Return a function of a folder that looks into each folder once, until :func:`forget_folders`."""
    _REMEMBERING.append(cache(function))
    return _REMEMBERING[-1]


def forget_folders() -> None:
    for function in _REMEMBERING:
        function.cache_clear()


@remember
def list_names(folder: Path) -> list[str]:
    """Return the names of the files of a folder, in order."""
    return sorted(os.listdir(folder))


def begin_of(path: Path) -> str:
    """Return the first characters of a file, from the first one that is no space."""
    return read_head(path)[:4096].decode("utf-8", "replace").removeprefix("\ufeff").lstrip()


def read_text(path: Path) -> str:
    return decode(read_bytes(path, path.name), path.name)


def read_json(path: Path) -> Any:
    return parse_json(read_text(path), path.name)


def read_lines(path: Path) -> Iterator[Any]:
    """Yield the value of each line that is not blank."""
    with open_file(path, path.name) as file:
        for number, line in enumerate(io.TextIOWrapper(file, encoding="utf-8-sig"), 1):
            if not line.isspace():
                try:
                    yield parse_json(line, path.name)
                except ArgumentError as error:
                    raise ArgumentFileError(
                        path.name,
                        f"must contain complete JSON in every line; line {number} does not",
                        error.got,
                    ) from None


def read_csv(path: Path) -> pd.DataFrame:
    """Return a table of separated values as text; an empty field is "" and every row has a field for each column."""
    rows = parse_csv(read_text(path), path.name)
    if not rows:
        raise ArgumentFileError(path.name, "must have a heading; it is empty")
    (_, heading), *rest = rows
    twice = next((name for name in heading if heading.count(name) > 1), None)
    if twice is not None:
        raise ArgumentFileError(
            path.name, "must have each column once", f"{twice!r} more than once"
        )
    for line, row in rest:
        if len(row) != len(heading):
            raise ArgumentFileError(
                f"{path.name}, line {line}:", f"must have {len(heading)} fields", len(row)
            )
    return pd.DataFrame([row for _, row in rest], columns=heading, dtype=object)


def read_parquet(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a Parquet file, by pyarrow or polars."""
    for name, read in (("pyarrow.parquet", "read_table"), ("polars", "read_parquet")):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        table = getattr(module, read)(path)
        rows: list[dict[str, Any]] = table.to_dicts() if name == "polars" else table.to_pylist()
        return rows
    raise ArgumentError(
        path.name, "needs the package pyarrow or polars to be read", "neither", "or write CSV"
    )


def has_keys(head: str, *keys: str) -> bool:
    """Return whether the beginning of a JSON file names all these keys."""
    return all(f'"{key}"' in head for key in keys)


def as_outcome(value: Any) -> Any:
    """Return a number or a boolean as a float, and NaN if there is none; other values stay as they are."""
    if value is None:
        return math.nan
    return float(value) if isinstance(value, bool | int | float) else value


def as_seconds(milliseconds: Any) -> float:
    """Return seconds, NaN if there is no number."""
    return milliseconds / 1000 if isinstance(milliseconds, int | float) else math.nan


def rows_of(rows: list[dict[str, Any]], source: str, **same: Any) -> pd.DataFrame:
    """Return a table of ``rows``; ``source`` is where the names of systems come from, ``same`` holds in every row."""
    frame = pd.DataFrame(rows)
    frame.attrs = {"source": source}
    return frame.assign(**same)


def category_of(fields: Any) -> Any:
    """Return the first field of a case that names a group of cases."""
    if isinstance(fields, Mapping):
        for key in CATEGORIES:
            if isinstance(fields.get(key), str | int) and fields[key] != "":
                return fields[key]
    return None


def stem_of(path: Path) -> str:
    """Return the name of a file without endings such as "results"."""
    stem = path.name.split(".json")[0].removesuffix(path.suffix)
    return ENDINGS.sub("", stem) or stem
