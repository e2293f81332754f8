"""Files of values between commas, semicolons, tabs or bars, and the evidence that they hold."""

import re
import shlex
import textwrap
from collections.abc import Sequence
from typing import Any

import xarray as xr

from bayesrank._errors import ArgumentError
from bayesrank._escape import csv_text
from bayesrank._inputs import STDIN, is_workbook, is_zip, parse_csv, read_unpacked, read_workbook
from bayesrank.tables.forms import FORMS
from bayesrank.tables.frames import read_table
from bayesrank.tables.table import Roles, Table
from bayesrank.tables.values import plain

DELIMITERS = ",;\t|"
#: Columns and their meanings, in lines of a terminal.
HELP = "\n".join(
    textwrap.fill(words, 80, initial_indent=f"  {'entity, ' + ', '.join(form):34}", subsequent_indent=" " * 36)
    for form, words in FORMS.items()
)


def read_evidence(path: str, ignore: Sequence[str] = (), **roles: Any) -> xr.DataArray | xr.Dataset:
    """Return counts from a file of counts, joint outcomes from one of single cases, as ``br.from_frame`` does.

    ``roles`` are the arguments of ``br.from_frame``.
    """
    return read_table(read_csv(path, ignore), Roles(**roles))


def read_csv(path: str, ignore: Sequence[str] = ()) -> Table:
    """Return the file's columns except those to ``ignore``, as text; a missing field is None.

    The apostrophe that ``bayesrank convert`` puts before a formula is no part of a name.
    """
    source = STDIN if path == "-" else path
    rows = _read_rows(path, source)
    if not rows:
        raise ArgumentError(source, "must have a heading and at least one row; it is empty")
    (_, first), *rest = rows
    names = [plain(csv_text(name)) or f"Unnamed: {i}" for i, name in enumerate(first)]
    for line, fields in rest:
        if len(fields) < len(names) or any(field.strip() for field in fields[len(names) :]):
            raise ArgumentError(
                f"{source}, line {line}:",
                f"must have {len(names)} fields",
                len(fields),
                "a field that holds the separator stands in quotation marks",
            )
    if not rest:
        raise ArgumentError(source, "must have at least one row below its heading; it has none")
    columns = {name: [plain(csv_text(fields[i])) or None for _, fields in rest] for i, name in enumerate(names)}
    table = Table(source, columns, [f"{source}, line {line}" for line, _ in rest], shell=True).drop_empty()
    kept = table.drop([table.find("ignore", name) for name in ignore])
    twice = next((name for name in kept.columns if names.count(name) > 1), None)
    if twice is not None:
        raise ArgumentError(
            source, f"must have each column once; its heading has {twice} more than once (rename one of them)"
        )
    return kept


def _read_rows(path: str, source: str) -> list[tuple[int, list[str]]]:
    """Return rows that are not blank, with the numbers of the lines on which they end."""
    data = read_unpacked(path)
    if is_workbook(data):
        return read_workbook(data, source)
    text = _decode(data, source)
    lines = text.splitlines()
    # Excel names its separator so, in a line above the heading.
    said = re.fullmatch(r"sep=(.)", lines[0], re.I) if lines else None
    first = [re.sub(r'"[^"]*"', "", line) for line in lines[1 if said else 0 :] if line.strip()][:2]
    # Of several in the heading it is the one that the next line has as often, since names may hold commas.
    often = {mark: [line.count(mark) for line in first] for mark in DELIMITERS}
    alike = [mark for mark in DELIMITERS if len(set(often[mark])) == 1 and any(often[mark])] or DELIMITERS
    delimiter = said[1] if said else max(alike, key=lambda mark: often[mark][:1])
    rows = parse_csv(text, source, delimiter)
    return rows[1:] if said else rows


def _decode(data: bytes, source: str) -> str:
    """Return the text of a UTF-8 file; raise if it is not text or not a table, with a remedy."""
    if is_zip(data):
        raise ArgumentError(source, "must be a table; it is a zip archive (unpack it)")
    if data.startswith(b"%PDF-"):
        raise ArgumentError(source, "must be a table; it is a PDF (copy its table into a CSV file)")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ArgumentError(source, 'must be text in UTF-8 (in Excel, save it as "CSV UTF-8")') from None
    if "\0" in text:
        raise ArgumentError(
            f"{source}, line {text[: text.index(chr(0))].count(chr(10)) + 1}:", "must hold no NUL characters"
        )
    if re.match(r"\s*[\[{]\s*[\[{\"]", text):
        name = "file.json" if source == STDIN else source
        first, second = [*(line.strip() for line in text.splitlines() if line.strip()), ""][:2]
        lines = ", lines=True" if name.endswith("l") or (first.endswith("}") and second.startswith("{")) else ""
        call = f"import pandas; pandas.read_json({name!r}{lines}).to_csv('data.csv', index=False)"
        raise ArgumentError(
            source,
            f"must be a table of separated values; it looks like JSON. Convert it first: python -c {shlex.quote(call)}",
        )
    return text
