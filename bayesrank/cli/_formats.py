"""Output formats of the commands: tables, CSV, JSON, Markdown, LaTeX, and pictures.

Nothing here computes: ranks and tiers are among all, however few entities are shown.
"""

import io
import json
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import pandas as pd

from bayesrank._escape import csv_table, escape_invisible, json_text, latex_text, markdown_text
from bayesrank._outputs import PICTURE_MARKS, check_output, write_output
from bayesrank.cli._output import print_line, print_numbers, room_for_rows

FORMATS = ("table", "csv", "json", "markdown", "latex")
#: Formats with all digits.
FULL = ("csv", "json", "board")
DIGITS = 3
HELP = "csv and json have all digits; markdown and latex are for pasting (no LaTeX package needed)."


@dataclass(frozen=True)
class Sheet:
    """One result in every form that a format may want."""

    #: For tables: headings, and rows with the name and the numbers of an entity.
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    #: Sentences below the table.
    lines: Sequence[str] = ()
    #: For programs: all numbers, in the same order, indexed by name; not wanted where another table has them.
    frame: pd.DataFrame | None = None
    #: For programs: metadata, and the JSON keys of the numbers.
    about: dict[str, Any] = field(default_factory=dict)
    name: str = "entities"
    #: The column that is dropped first if the terminal is too narrow.
    least: str | None = None
    #: Sentences above the table: what is ranked, and the answer.
    heading: Sequence[str] = ()


def exporting(*more: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add the options of the output format to a command; ``more`` are additional formats."""
    options = (
        click.option(
            "--format",
            "output",
            type=click.Choice([*FORMATS, *more]),
            default="table",
            show_default=True,
            help=HELP,
        ),
        click.option(
            "--top",
            type=click.IntRange(1),
            help="Show only this many entities, best first; ranks still refer to all entities.",
        ),
        click.option(
            "--digits",
            type=click.IntRange(0, 12),
            help=f"Decimals of scores in table, markdown, latex. [default: {DIGITS}]",
        ),
        click.option(
            "--picture",
            type=click.Path(dir_okay=False),
            callback=_writable,
            help="Also write a picture (PNG, PDF or SVG by the suffix).",
        ),
    )

    def give(command: Callable[..., None]) -> Callable[..., None]:
        for option in reversed(options):
            command = option(command)
        return command

    return give


def check_digits(digits: int | None, output: str) -> None:
    """Refuse digits where all are written."""
    if digits is not None and output in FULL:
        raise ValueError(f"--digits must be left out of --format {output}, whose digits are fixed; got {digits}")


def show(sheet: Sheet, output: str, top: int | None = None) -> None:
    """Print a result in a format."""
    fits = room_for_rows() if output == "table" and top is None and sheet.heading else None
    rows = sheet.rows[: top or fits]
    left = len(sheet.rows) - len(rows)
    why = f"--top {top}" if top else f"--top {len(sheet.rows)} shows all"
    lines = [*([f"Not shown ({why}): {left:,} more."] if left else []), *sheet.lines]
    if output == "table":
        for line in sheet.heading:
            print_line(line)
        if sheet.heading:
            click.echo()
        print_numbers(sheet.header, rows, sheet.least)
        for line in lines:
            print_line(line)
    elif output == "markdown":
        for line in sheet.heading:
            click.echo(f"{markdown_text(line)}\n")
        click.echo(markdown(sheet.header, rows))
        for line in lines:
            click.echo(f"\n{markdown_text(line)}")
    elif output == "latex":
        for line in [*sheet.heading, *lines]:
            click.echo(f"% {escape_invisible(' '.join(line.split()))}")
        click.echo(latex(sheet.header, rows))
    else:
        assert sheet.frame is not None
        frame = sheet.frame.head(top) if top else sheet.frame
        if output == "csv" and "positive" in sheet.about:
            frame = frame.assign(positive=sheet.about["positive"])
        click.echo(csv_table(frame) if output == "csv" else _json(sheet, frame), nl=output == "json")


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a pipe table; no name or number is read as markup."""
    rule = ["---", *["---:"] * (len(header) - 1)]
    lines = [[markdown_text(cell) for cell in header], rule, *([markdown_text(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def latex(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a tabular of plain LaTeX; no name or number is read as a command."""
    body = [[latex_text(row[0]), *(_with_minus_signs(latex_text(cell)) for cell in row[1:])] for row in rows]
    lines = [" & ".join(cells) + r" \\" for cells in ([latex_text(cell) for cell in header], *body)]
    return "\n".join(
        [f"\\begin{{tabular}}{{l{'r' * (len(header) - 1)}}}", r"\hline", lines[0], r"\hline", *lines[1:], r"\hline",
         r"\end{tabular}"]
    )  # fmt: skip


def save(axes: Any, path: str) -> str:
    """Write the picture of these axes, and return a sentence about it."""
    import numpy as np

    figure, page, ending = np.ravel(axes)[0].figure, io.BytesIO(), Path(path).suffix.lower()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        figure.savefig(page, format=ending[1:], dpi=150, bbox_inches="tight", metadata=PICTURE_MARKS[ending])
    write_output("--picture", path, "picture", page.getvalue())
    complete = not any(str(warning.message).startswith("Glyph") for warning in caught)
    return f"Picture: {path}{'' if complete else ' (its font lacks some letters of the names)'}"


def _writable(context: click.Context, option: click.Parameter, path: str | None) -> str | None:
    """Return the path of a picture after a check, before the work, that it can be written."""
    if path is not None:
        check_output("--picture", path, "picture")
    return path


def _json(sheet: Sheet, frame: pd.DataFrame) -> str:
    records = json.loads(frame.reset_index().to_json(orient="records"))
    return json_text(json.dumps(sheet.about | {sheet.name: records}, ensure_ascii=False, indent=2))


def _with_minus_signs(text: str) -> str:
    """Minus signs of numbers, which are no hyphens."""
    return re.sub(r"(?<![\w.}])-(?=\d)", "$-$", text)
