"""Files of values between commas, semicolons, tabs, bars or blanks, or of records in JSON, and their evidence."""

import codecs
import json
import re
import textwrap
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

import xarray as xr

from bayesrank._core.errors import ArgumentError
from bayesrank._core.escape import csv_text
from bayesrank._core.inputs import (
    STDIN,
    is_workbook,
    is_zip,
    parse_csv,
    parse_json,
    read_unpacked,
    read_workbook,
)
from bayesrank.io.tables.columns import role_of, squeeze
from bayesrank.io.tables.frames import read_table
from bayesrank.io.tables.named_roles import FORMS
from bayesrank.io.tables.roles import ENTITY_NAMES, STANDARD, standard_headings
from bayesrank.io.tables.table import NESTED, Roles, Table
from bayesrank.io.tables.values import map_fields, plain

DELIMITERS = ",;\t|"
#: Columns and their meanings, in lines of a terminal.
HELP = "\n".join(
    textwrap.fill(
        words, 80, initial_indent=f"  {'entity, ' + ', '.join(form):34}", subsequent_indent=" " * 36
    )
    for form, words in FORMS.items()
)
#: Standard headings of each role, in lines of a terminal.
HEADINGS = "\n".join(
    textwrap.fill(", ".join(names), 78, initial_indent=f"  {role:15}", subsequent_indent=" " * 17)
    for role, names in standard_headings().items()
)


def read_evidence(path: str, ignore: Sequence[str] = (), **roles: Any) -> xr.DataArray | xr.Dataset:
    """Return counts from a file of counts, joint outcomes from one of single cases, as ``br.from_frame`` does.

    ``roles`` are the arguments of ``br.from_frame``.
    """
    return read_table(read_csv(path, ignore), Roles(**roles))


def read_csv(
    path: str, ignore: Sequence[str] = (), problems: list[ArgumentError] | None = None
) -> Table:
    """Return the file's columns except those to ``ignore``, as text; a missing field is None.

    Lines with too few or too many fields are left out if there is a list of ``problems``, which
    then names them.

    The apostrophe that ``bayesrank convert`` puts before a formula is no part of a name.
    """
    source = STDIN if path == "-" else path
    data = read_unpacked(path)
    text = "" if is_workbook(data) else _decode(data, source)
    if re.match(r"\s*[\[{]\s*[\[{\"]", text):
        table = _read_records(text, source)
        return table.drop([table.find("ignore", name) for name in ignore])
    rows = read_workbook(data, source) if is_workbook(data) else _read_rows(text, source)
    if not rows:
        raise ArgumentError(source, "must have a heading and at least one row; it is empty")
    (_, first), *rest = rows
    names = [plain(csv_text(name)) or f"Unnamed: {i}" for i, name in enumerate(first)]
    rest = _rows_of_length(rest, len(names), source, problems)
    if not rest:
        raise ArgumentError(source, "must have at least one row below its heading; it has none")
    columns = {
        name: map_fields(
            lambda text: plain(csv_text(text)) or None, [fields[i] for _, fields in rest]
        )
        for i, name in enumerate(names)
    }
    table = Table(
        source, columns, [f"{source}, line {line}" for line, _ in rest], shell=True
    ).drop_empty()
    retained = table.drop([table.find("ignore", name) for name in ignore])
    often = Counter(names)
    twice = next((name for name in retained.columns if often[name] > 1), None)
    if twice is not None:
        raise ArgumentError(
            source,
            f"must have each column once; its heading has {twice} more than once (rename one of them)",
        )
    return retained


def _rows_of_length(
    rows: list[tuple[int, list[str]]],
    length: int,
    source: str,
    problems: list[ArgumentError] | None,
) -> list[tuple[int, list[str]]]:
    """Return the rows with as many fields as the heading; others raise an error, or add it to ``problems``."""
    retained = []
    for line, fields in rows:
        if len(fields) >= length and not any(field.strip() for field in fields[length:]):
            retained.append((line, fields))
            continue
        error = ArgumentError(
            f"{source}, line {line}:",
            f"must have {length} fields",
            len(fields),
            "a field that holds the separator stands in quotation marks",
        )
        if problems is None:
            raise error
        problems.append(error)
    return retained


def _read_rows(text: str, source: str) -> list[tuple[int, list[str]]]:
    """Return rows that are not blank, with the numbers of the lines on which they end."""
    lines = text.splitlines()
    # Excel names its separator so, in a line above the heading.
    separator = re.fullmatch(r"sep=(.)", lines[0], re.I) if lines else None
    first = [
        re.sub(r'"[^"]*"', "", line) for line in lines[1 if separator else 0 :] if line.strip()
    ][:2]
    # Of several in the heading it is the one that the next line has as often, since names may hold
    # commas.
    often = {mark: [line.count(mark) for line in first] for mark in DELIMITERS}
    alike = [
        mark for mark in DELIMITERS if len(set(often[mark])) == 1 and any(often[mark])
    ] or DELIMITERS
    delimiter = separator[1] if separator else max(alike, key=lambda mark: often[mark][:1])
    if (
        not separator
        and not any(map(sum, often.values()))
        and (blank := _split_blanks(text, source))
    ):
        return blank
    rows = parse_csv(text, source, delimiter)
    return rows[1:] if separator else rows


def _split_blanks(text: str, source: str) -> list[tuple[int, list[str]]]:
    """Return the rows of a table with blanks between its columns, as R writes it; none if lines differ in length.

    R writes names of rows without a heading.
    """
    rows = parse_csv("\n".join(line.strip() for line in text.splitlines()), source, " ")
    lengths = {len(fields) for _, fields in rows[1:]}
    if len(rows) < 3 or len(lengths) != 1 or (size := lengths.pop()) < 2:
        return []
    line, heading = rows[0]
    if len(heading) == size - 1:
        heading = ["", *heading]
    return [(line, heading), *rows[1:]] if len(heading) == size else []


def _read_records(text: str, source: str) -> Table:
    """Return a table of JSON: a list of records, one in each line, or columns by name; other values have no columns."""
    first, second = [*(line.strip() for line in text.splitlines() if line.strip()), ""][:2]
    if first.endswith("}") and second.startswith("{"):
        parsed: Any = [parse_json(line, source) for line in text.splitlines() if line.strip()]
    else:
        parsed = parse_json(text, source)
    records = _as_records(parsed)
    if not records:
        raise ArgumentError(
            source,
            "must be a table: a list of records with the same fields, or one record in each line",
            f"{type(parsed).__name__} in JSON",
            "write such a list, or a CSV file with a heading",
        )
    names = list(dict.fromkeys(name for record in records for name in record))
    columns: dict[Any, list[Any]] = {
        plain(name): [record.get(name) for record in records] for name in names
    }
    nested = {
        name: _nested_text(value)
        for name, values in columns.items()
        for value in values
        if isinstance(value, NESTED)
    }
    fields = {name: [_json_field(value) for value in values] for name, values in columns.items()}
    where = [f"{source}, record {i + 1}" for i in range(len(records))]
    return Table(source, fields, where, shell=True, nested=nested)


def _as_records(parsed: Any) -> list[dict[Any, Any]]:
    """Return the records of a list, or of columns by name whose values are lists, or values by row; else none."""
    if isinstance(parsed, list):
        return parsed if parsed and all(isinstance(one, dict) for one in parsed) else []
    if not isinstance(parsed, dict) or not parsed:
        return []
    columns = list(parsed.values())
    if all(isinstance(column, list) for column in columns) and len(set(map(len, columns))) == 1:
        return [dict(zip(parsed, row, strict=True)) for row in zip(*columns, strict=True)]
    if (
        all(isinstance(column, dict) for column in columns)
        and len({tuple(column) for column in columns}) == 1
    ):
        return [{name: column[row] for name, column in parsed.items()} for row in columns[0]]
    return []


def _nested_text(value: Any) -> str:
    return " ".join(repr(value).split())


def _json_field(value: Any) -> Any:
    """Return a field as a table in text has it: null is missing, and objects are text."""
    if isinstance(value, NESTED):
        return _nested_text(value)
    return (plain(value) or None) if isinstance(value, str) else value


def is_table_of_records(head: str) -> bool:
    """Return whether JSON that begins so has records with the columns of a form of tables, or of votes."""
    start = head.find("{")
    if start < 0:
        return False
    try:
        record, _ = json.JSONDecoder().raw_decode(head, start)
    except ValueError:
        return False
    if not isinstance(record, dict):
        return False
    if record and all(isinstance(value, list | dict) for value in record.values()):
        return head.lstrip().startswith("{") and bool(_as_records(record)) and _has_form(record)
    return _has_form(
        {name: value for name, value in record.items() if not isinstance(value, NESTED)}
    )


def _has_form(names: Collection[Any]) -> bool:
    words, roles = {squeeze(name) for name in names}, {role_of(name) for name in names}
    votes = (
        bool(words & set(STANDARD["a"]) and words & set(STANDARD["b"]))
        or {"winner", "loser"} <= words
    )
    entity = "entity" in roles or bool(words & ENTITY_NAMES)
    forms = [set(form) for form in FORMS]
    full = any(form <= roles for form in forms if "case" not in form or entity)
    return votes or (full and (entity or "actual" in roles))


def _decode(data: bytes, source: str) -> str:
    """Return the text of a UTF-8 file; raise if it is not text or not a table, with a remedy."""
    if is_zip(data):
        raise ArgumentError(source, "must be a table; it is a zip archive (unpack it)")
    if data.startswith(b"%PDF-"):
        raise ArgumentError(source, "must be a table; it is a PDF (copy its table into a CSV file)")
    # A byte order mark says that it is UTF-16, as in "Unicode text" of Excel.
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError:
        raise ArgumentError(
            source, 'must be text in UTF-8 (in Excel, save it as "CSV UTF-8")'
        ) from None
    if "\0" in text:
        raise ArgumentError(
            f"{source}, line {text[: text.index(chr(0))].count(chr(10)) + 1}:",
            "must contain no NUL characters",
        )
    return text
