"""Tables as people have them: with commas, semicolons or tabs, headings in any case, spaces around fields.

Names stay text, so that test 01 is not test 1. What is wrong is told with its line.
"""

import csv
import io
import math
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

#: What messages call the file -.
STDIN = "standard input"
#: Other names of columns, with _ for spaces and hyphens.
OTHER_NAMES = {"y_true": "actual"} | {
    f"{right}_{sign}{s}": f"{right[0]}{sign[0]}"
    for right in ("true", "false")
    for sign in ("negative", "positive")
    for s in ("", "s")
}
#: Columns that say what of a case is told, or which case it is, not what it belongs to.
NO_CLUSTERS = ("entity", "case", "run", "actual", "predicted", "outcome", "weight", "count", "correct", "wrong")


class Table(NamedTuple):
    """A file's columns: their names as they are told apart and as they were typed, and the rows with their lines."""

    path: str
    names: list[str]
    typed: list[str]
    lines: list[int]
    rows: list[list[str]]

    def column(self, name: str, read: Callable[[str, str, str], Any] | None = None, may_lack: bool = False) -> list:
        """The fields of a column, by default as text; an empty one is refused, or None where it may be."""
        i = self.names.index(name)
        return [
            None if may_lack and not row[i] else self._field(line, row[i], self.typed[i], read)
            for line, row in zip(self.lines, self.rows, strict=True)
        ]

    def at(self, i: int) -> str:
        """Where the row is, for a message."""
        return f"{self.path}, line {self.lines[i]}"

    def _field(self, line: int, text: str, name: str, read: Callable[[str, str, str], Any] | None) -> Any:
        where = f"{self.path}, line {line}"
        if not text:
            hint = " (--missing says what to do about answers that are missing)" * (read is as_outcome)
            raise ValueError(f"{where}: {name} must not be empty{hint}")
        return text if read is None else read(text, name, where)


#: A count in a file; more digits than a count may have are not looked at.
COUNT = re.compile(r"(\d{1,19})(?:\.0)?")
#: How labels begin, or what they hold, that Python would read as the number of another label.
CODE = re.compile(r"[+-]?0\d|\+|.*_")


def read_table(path: str, cluster: str | None = None, ignore: Sequence[str] = ()) -> Table:
    """The file's columns but those to ``ignore``; the one that names the clusters is called cluster."""
    rows, path = _rows(path), STDIN if path == "-" else path
    if not rows:
        raise ValueError(f"{path} must have a heading and at least one row; it is empty")
    (_, first), *rest = rows
    typed = [_plain(field) for field in first]
    names = [OTHER_NAMES.get(re.sub("[ -]", "_", field.lower()), field.lower()) for field in typed]
    for option, column in [*(("--ignore", name) for name in ignore), *([("--cluster", cluster)] if cluster else [])]:
        if _plain(column).lower() not in names:
            raise ValueError(f"{option} must name a column of {path}, {', '.join(typed)}; got {column!r}")
    left_out = {_plain(name).lower() for name in ignore}
    if cluster:
        _check_cluster(cluster, _plain(cluster).lower(), names, left_out)
    kept = [i for i, name in enumerate(names) if name not in left_out]
    if cluster:
        names = ["cluster" if name == _plain(cluster).lower() else name for name in names]
    if not rest:
        raise ValueError(f"{path} must have at least one row below its heading; it has none")
    for line, fields in rest:
        if len(fields) < len(names) or any(field.strip() for field in fields[len(names) :]):
            raise ValueError(f"{path}, line {line}: must have {len(names)} fields; got {len(fields)}")
    return Table(
        path,
        [names[i] for i in kept],
        [typed[i] for i in kept],
        [line for line, _ in rest],
        [[_plain(fields[i]) for i in kept] for _, fields in rest],
    )


def _check_cluster(typed: str, column: str, names: list[str], left_out: set[str]) -> None:
    """Raise if the column of the clusters is left out, or is known for something else."""
    if column in left_out:
        raise ValueError(f"--cluster must name a column that --ignore does not leave out; got {typed!r} in both")
    if column in NO_CLUSTERS:
        raise ValueError(f"--cluster must name a column that says what cases belong to; got {typed!r}")
    if column != "cluster" and "cluster" in names and "cluster" not in left_out:
        raise ValueError(
            f"--cluster must be left out, or --ignore cluster given, beside a column cluster; got {typed!r}"
        )


def as_count(text: str, name: str, where: str) -> int:
    """A field that says how many."""
    number = to_count(text)
    if number is None:
        raise ValueError(f"{where}: {name} must be a count, a whole number without separators or signs; got {text!r}")
    return number


def to_count(text: str) -> int | None:
    """The count that a field holds: digits, and ``.0`` as tables of floats have it; None of anything else.

    A number such as 1.000, 1_000 or 1,000 may have a separator of thousands, so it is none.
    """
    found = COUNT.fullmatch(text)
    return int(found[1]) if found and int(found[1]) < 2**63 else None


def as_outcome(text: str, name: str, where: str) -> float:
    """A field that holds an outcome: a number, or true or false."""
    found = to_number(text)
    if found is None:
        raise ValueError(
            f"{where}: {name} must be an outcome, a number such as 1 for right and 0 for wrong; got {text!r} "
            "(predicted labels need a column actual with the true ones; --ignore leaves out what is no entity)"
        )
    return found


def to_number(text: str) -> float | None:
    """The finite number that a field holds, true being 1 and false 0; None if it holds none."""
    if text.lower() in ("true", "false"):
        return float(text.lower() == "true")
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in text else None


def is_code(label: str) -> bool:
    """Whether a label looks like a number but is a code, of which 01 and 1 are two."""
    return CODE.match(label) is not None


def as_labels(*columns: list) -> list[list]:
    """Labels as numbers, since 10 comes after 9, if all are and none is a code such as 01; missing ones stay None."""
    if any(is_code(label) for column in columns for label in column if label is not None):
        return list(columns)
    for kind in (int, float):
        try:
            return [[None if label is None else kind(label) for label in column] for column in columns]
        except ValueError:
            continue
    return list(columns)


def _rows(path: str) -> list[tuple[int, list[str]]]:
    """Rows that are not blank, with the numbers of the lines on which they end."""
    data, path = (sys.stdin.buffer.read(), STDIN) if path == "-" else (Path(path).read_bytes(), path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f'{path} must be text in UTF-8 (in Excel, save it as "CSV UTF-8")') from None
    heading = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max(",;\t", key=heading.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        return [(reader.line_num, row) for row in reader if any(field.strip() for field in row)]
    except csv.Error as error:
        if "field limit" in str(error):
            raise ValueError(
                f"{path}, line {reader.line_num}: must have fields of ordinary length; got one too long"
            ) from None
        raise ValueError(
            f"{path}, line {reader.line_num}: must close each quotation mark that it opens, and have nothing between "
            "the closing one and the next separator"
        ) from None


def _plain(text: str) -> str:
    """Text with single spaces and no line breaks."""
    return " ".join(text.split())
