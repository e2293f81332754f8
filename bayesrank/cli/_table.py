"""Tables of counts as people have them: with commas, semicolons or tabs, headings in any case, spaces around fields.

Names stay text, so that test 01 is not test 1. What is wrong is told with its line.
"""

import csv
import io
from pathlib import Path

import pandas as pd
import xarray as xr

import bayesrank as br

CELLS = ("tn", "fp", "fn", "tp")
LONG = ("actual", "predicted", "count")


def read_counts(path: str) -> xr.DataArray:
    """Counts from a file with one row a matrix, or one row a cell."""
    rows = _rows(path)
    if not rows:
        raise ValueError(f"{path} must have a heading and at least one row; it is empty")
    (_, first), *rest = rows
    heading = [_plain(field).lower() for field in first]
    long = set(LONG) <= set(heading)
    numbers = ("count",) if long else CELLS
    needed = ("entity", *(LONG if long else CELLS))
    missing = [name for name in needed if name not in heading]
    if missing:
        raise ValueError(
            f"{path} must have the columns entity, {', '.join(CELLS)} (or entity, {', '.join(LONG)}); "
            f"its heading is {', '.join(heading)}, without {', '.join(missing)}"
        )
    wanted = [*needed, *(["dataset"] if "dataset" in heading else [])]
    twice = [name for name in wanted if heading.count(name) > 1]
    if twice:
        raise ValueError(f"{path} must have each column once; its heading has {twice[0]} more than once")
    if not rest:
        raise ValueError(f"{path} must have at least one row below its heading; it has none")
    columns: dict[str, list] = {name: [] for name in wanted}
    for line, fields in rest:
        if len(fields) < len(heading) or any(field.strip() for field in fields[len(heading) :]):
            raise ValueError(f"{path}, line {line}: must have {len(heading)} fields; got {len(fields)}")
        for name in wanted:
            text = _plain(fields[heading.index(name)])
            if not text:
                raise ValueError(f"{path}, line {line}: {name} must not be empty")
            columns[name].append(_count(text, name, f"{path}, line {line}") if name in numbers else text)
    if long:
        columns |= _labels(columns["actual"], columns["predicted"])
    return br.from_frame(pd.DataFrame(columns), dataset="dataset" if "dataset" in wanted else None)


def _rows(path: str) -> list[tuple[int, list[str]]]:
    """Rows that are not blank, with the numbers of the lines on which they end."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f'{path} must be text in UTF-8 (in Excel, save it as "CSV UTF-8")') from None
    heading = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max(",;\t", key=heading.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        return [(reader.line_num, row) for row in reader if any(field.strip() for field in row)]
    except csv.Error as error:
        raise ValueError(f"{path}, line {reader.line_num}: {error}") from None


def _plain(text: str) -> str:
    """Text with single spaces and no line breaks."""
    return " ".join(text.split())


def _count(text: str, name: str, where: str) -> int:
    try:
        number = float(text) if not text.isdecimal() else int(text)
        if number < 0 or number != int(number) or number >= 2**63:
            raise ValueError
    except (ValueError, OverflowError):
        raise ValueError(
            f"{where}: {name} must be a count, a whole number without separators or signs; got {text!r}"
        ) from None
    return int(number)


def _labels(*columns: list[str]) -> dict[str, list]:
    """Labels as numbers if all are, for 10 comes after 9."""
    try:
        found: list[list] = [[int(label) for label in column] for column in columns]
    except ValueError:
        found = list(columns)
    return dict(zip(("actual", "predicted"), found, strict=True))
