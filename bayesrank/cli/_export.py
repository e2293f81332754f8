"""Output formats of the commands: tables, CSV, JSON, Markdown, LaTeX, and pictures.

Nothing here computes: ranks and tiers are among all, however few entities are shown.
"""

import io
import json
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from pathlib import Path
from typing import Any

import click
import pandas as pd

from bayesrank._core.errors import ArgumentError
from bayesrank._core.escape import csv_table, json_text, latex_text, markdown_text
from bayesrank._core.nouns import noun
from bayesrank._core.outputs import PICTURE_MARKS, write_output
from bayesrank.cli._options import adding
from bayesrank.cli._output import print_line, print_numbers, room_for_rows
from bayesrank.cli._sink import print_block
from bayesrank.cli._typed import output_file

FORMATS = ("table", "csv", "json", "markdown", "latex")
#: Formats with all digits.
FULL = ("csv", "json", "board")
DIGITS = 3

#: The key of the line about what was read, in the context of a command.
READ = "bayesrank.read"


@dataclass(frozen=True)
class Sheet:
    """One result in every form that a format may want."""

    #: For tables: headings, and rows with the name and the numbers of an entity.
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    #: Sentences below the table.
    lines: list[str] = field(default_factory=list)
    #: For programs: all numbers, in the same order, indexed by name; not wanted where another table
    #: has them.
    frame: pd.DataFrame | None = None
    #: For programs: metadata, and the JSON keys of the numbers.
    about: dict[str, Any] = field(default_factory=dict)
    name: str = "entities"
    #: The columns that are dropped first if the terminal is too narrow.
    least: Sequence[str] = ()
    #: Sentences above the table: what is ranked, and the answer.
    heading: Sequence[str] = ()


def sheet_of(frame: pd.DataFrame, cells: Mapping[str, Callable[[Any], str]], **more: Any) -> Sheet:
    """Return a sheet with a row for each row of a frame, and a column for each function in ``cells``."""
    rows = [[str(name), *(cell(row) for cell in cells.values())] for name, row in frame.iterrows()]
    first = noun() if frame.index.name == "entity" else str(frame.index.name)
    return Sheet([first, *cells], rows, frame=frame, **more)


@dataclass
class Export:
    """The options ``--format``, ``--top``, ``--digits`` and ``--picture``, and what they do."""

    format: str
    top: int | None = None
    digits: int | None = None
    picture: str | None = None
    #: A sentence on the picture that was written.
    written: str = ""

    def __post_init__(self) -> None:
        if self.digits is not None and self.full:
            raise ArgumentError(
                "--digits",
                f"cannot be used for --format {self.format}, whose digits are fixed",
                self.digits,
            )

    @property
    def full(self) -> bool:
        """Return whether programs read the output."""
        return self.format in FULL

    @property
    def places(self) -> int:
        """Return the decimals of scores."""
        return DIGITS if self.digits is None else self.digits

    def draw(self, plot: str, *arguments: Any) -> None:
        """Write the picture that a function of ``br.plots`` draws, if there is to be one."""
        if self.picture is None:
            return
        import numpy as np
        from matplotlib import rc_context

        from bayesrank import plots

        figure, page = np.ravel(getattr(plots, plot)(*arguments))[0].figure, io.BytesIO()
        ending = Path(self.picture).suffix.lower()
        # Ids of an SVG depend on the salt alone.
        with (
            warnings.catch_warnings(record=True) as caught,
            rc_context({"svg.hashsalt": "bayesrank"}),
        ):
            warnings.simplefilter("always")
            figure.savefig(
                page,
                format=ending[1:],
                dpi=150,
                bbox_inches="tight",
                metadata=PICTURE_MARKS[ending],
            )
        write_output("--picture", self.picture, "picture", page.getvalue())
        lacks = any(str(warning.message).startswith("Glyph") for warning in caught)
        self.written = f"Picture: {self.picture}{' (its font lacks some letters of the names)' if lacks else ''}"

    def show(self, first: Sheet, *more: Sheet) -> None:
        """Print results one below the other; programs get the first, which has all numbers."""
        read = click.get_current_context().meta.get(READ)
        if self.full:
            self._print_frame(
                first if read is None else replace(first, about={"read": read} | first.about)
            )
            return
        self._print_table(first if read is None else replace(first, heading=[read, *first.heading]))
        for sheet in more:
            print_block()
            self._print_table(sheet)
        if self.written and self.format == "table":
            print_line(self.written)

    def _print_frame(self, sheet: Sheet) -> None:
        assert sheet.frame is not None
        frame = sheet.frame.head(self.top) if self.top else sheet.frame
        if self.format == "csv":
            named = {key: held for key, held in sheet.about.items() if key == "positive"}
            print_block(csv_table(frame.assign(**named)))
            return
        records = json.loads(frame.reset_index().to_json(orient="records"))
        print_block(
            json_text(json.dumps(sheet.about | {sheet.name: records}, ensure_ascii=False, indent=2))
        )

    def _print_table(self, sheet: Sheet) -> None:
        fits = (
            room_for_rows()
            if self.format == "table" and self.top is None and sheet.heading
            else None
        )
        rows = sheet.rows[: self.top or fits]
        hidden = len(sheet.rows) - len(rows)
        why = f"--top {self.top}" if self.top else f"--top {len(sheet.rows)} shows all"
        lines = [*([f"Not shown ({why}): {hidden:,} more."] if hidden else []), *sheet.lines]
        if self.format == "markdown":
            paragraphs = [
                *map(markdown_text, sheet.heading),
                markdown(sheet.header, rows),
                *map(markdown_text, lines),
            ]
            print_block("\n\n".join(paragraphs))
        elif self.format == "latex":
            for line in [*sheet.heading, *lines]:
                print_block(f"% {' '.join(line.split())}")
            print_block(latex(sheet.header, rows))
        else:
            for line in sheet.heading:
                print_line(line)
            if sheet.heading:
                print_block()
            print_numbers(sheet.header, rows, sheet.least)
            for line in lines:
                print_line(line)


def exporting(*more: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of the output as the argument ``export``; ``more`` are additional formats."""
    options = adding(
        format_option(*more),
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
            type=output_file("picture"),
            help="Also write a picture (PNG, PDF or SVG by the suffix).",
        ),
    )

    def give(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def exported(
            format: str, top: int | None, digits: int | None, picture: str | None, **values: Any
        ) -> None:
            command(export=Export(format, top, digits, picture), **values)

        return options(exported)

    return give


def format_option(*more: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return the option ``--format``; ``more`` are additional formats."""
    return click.option(
        "--format",
        type=click.Choice([*FORMATS, *more]),
        default="table",
        help="csv and json have all digits; markdown and latex are for pasting (no LaTeX package needed).",
    )


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a pipe table; no name or number is read as markup."""
    rule = ["---", *["---:"] * (len(header) - 1)]
    lines = [
        [markdown_text(cell) for cell in header],
        rule,
        *([markdown_text(cell) for cell in row] for row in rows),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def latex(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a tabular of plain LaTeX; no name or number is read as a command."""
    # Minus signs of numbers are no hyphens.
    minus = re.compile(r"(?<![\w.}])-(?=\d)")
    body = [
        [latex_text(row[0]), *(minus.sub("$-$", latex_text(cell)) for cell in row[1:])]
        for row in rows
    ]
    head, *lines = (
        " & ".join(cells) + r" \\" for cells in ([latex_text(cell) for cell in header], *body)
    )
    begin = f"\\begin{{tabular}}{{l{'r' * (len(header) - 1)}}}"
    return "\n".join([begin, r"\hline", head, r"\hline", *lines, r"\hline", r"\end{tabular}"])
