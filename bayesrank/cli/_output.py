"""Printing of tables: they fit the terminal, and have no width limit in a pipe."""

import math
import shutil
import sys
from collections.abc import Sequence
from typing import Any

from rich.cells import cell_len

from bayesrank._core import prose
from bayesrank._core.escape import escape_invisible, escape_lines
from bayesrank._core.names import short_names
from bayesrank.cli._sink import print_block, print_styled, render

GAP = 2
SHORTEST_NAME = 16

Rows = Sequence[Sequence[str]]


def print_text(header: Sequence[str], rows: Rows) -> None:
    """Print columns of text, which wrap if necessary; names wrap only on a small terminal, since users copy them."""
    header, rows = _visible(header, rows)
    names = max(cell_len(row[0]) for row in rows)
    _print(header, rows, [names if 2 * names <= _width() else None, *[None] * (len(header) - 1)])


def print_numbers(header: Sequence[str], rows: Rows, least: Sequence[str] = ()) -> None:
    """Print names and numbers. On a narrow terminal names are cut first, then columns dropped; numbers are never cut.

    The columns ``least`` leave first, the others from the right; a note says which did. So a
    ranking keeps its score longest, then the interval, P(best), the ranks and the tier.
    """
    width = _width()
    header, rows = _visible(header, rows)
    names = [row[0] for row in rows]
    named = [[name, *row[1:]] for name, row in zip(short_names(names, 60), rows, strict=True)]
    widths = fit_columns(header, named, width, least)
    shown = zip(short_names(names, widths[0]), rows, strict=True)
    _print(
        [header[i] for i in widths],
        [[name, *(row[i] for i in widths if i)] for name, row in shown],
        list(widths.values()),
    )
    left_out = [heading for i, heading in enumerate(header) if i not in widths]
    if left_out:
        print_line(
            f"Left out to fit {width} columns: {', '.join(left_out)}. A pipe or a wider terminal shows all."
        )


def print_line(text: str) -> None:
    """Print a sentence, between whose words lines break on a terminal; a pipe has it in one line.

    A word too long for a line, such as a path, stays whole, to be copied.
    """
    lines = [""]
    for word in escape_invisible(text).split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1] and cell_len(longer) > _width():
            lines.append(word)
        else:
            lines[-1] = longer
    print_block("\n".join(lines))


def fit_columns(
    header: Sequence[str], rows: Rows, width: float, least: Sequence[str]
) -> dict[int, int]:
    """Return the columns that ``width`` has room for, by their position, and the width of each; names come first.

    Names are cut to ``SHORTEST_NAME`` before a column leaves. A long heading breaks between words
    where that keeps a column.
    """
    numbers = [max(map(cell_len, column), default=0) for column in zip(*rows, strict=True)] or [
        0
    ] * len(header)
    unbroken = [max(cell_len(heading), size) for heading, size in zip(header, numbers, strict=True)]
    broken = [
        max(cell_len(part), size)
        for part, size in zip(map(_longest_part, header), numbers, strict=True)
    ]
    by_importance = sorted(range(1, len(header)), key=lambda i: (header[i] in least, i))
    for retained in range(len(by_importance), -1, -1):
        columns = sorted(by_importance[:retained])
        for widths in (unbroken, broken):
            room = width - sum(widths[i] + GAP for i in columns)
            if room >= min(SHORTEST_NAME, unbroken[0]):
                return {0: int(min(unbroken[0], room)), **{i: widths[i] for i in columns}}
    return {0: int(width)}


def fits(header: Sequence[str], rows: Rows) -> bool:
    """Return whether there is room for all columns and a short name, or all of it in a pipe."""
    return len(fit_columns(header, rows, _width(), ())) == len(header)


def _visible(header: Sequence[str], rows: Rows) -> tuple[list[str], list[list[str]]]:
    """Return cells without characters that a terminal obeys."""
    return escape_lines(header), [escape_lines(row) for row in rows]


def _longest_part(heading: str) -> str:
    return max(heading.split(), key=cell_len)


def room_for_rows() -> int | None:
    """Return how many rows leave the sentences around them on a terminal's screen; None in a pipe, which has all."""
    # Eighteen lines hold the sentences above and below a table.
    return max(shutil.get_terminal_size().lines - 18, 10) if sys.stdout.isatty() else None


def _width() -> float:
    """Return the width of the terminal; a pipe has none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else math.inf


def _print(header: Sequence[str], rows: Rows, widths: Sequence[int | None]) -> None:
    """Print a table in columns of these widths; None is text, as wide as there is room for."""
    width = min(_width(), 10_000)  # more than any table takes up
    fixed = [size for size in widths if size]
    plain = len(fixed) == len(widths) and sum(fixed) + GAP * (len(fixed) - 1) <= width
    # Rich takes a millisecond for a cell; it is needed for headings and for text that wraps.
    own = rows[1:] if plain and all(_fits_into(row, fixed) for row in rows) else []
    table = render(_rich_table(header, rows[: len(rows) - len(own)], widths), int(width))
    print_styled(table + "".join(f"{_line_of(row, fixed)}\n" for row in own))
    print_block()


def _rich_table(header: Sequence[str], rows: Rows, widths: Sequence[int | None]) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, GAP - 1, 0, 0))
    for i, (heading, width) in enumerate(zip(header, widths, strict=True)):
        table.add_column(
            heading, justify="right" if width and i else "left", width=width, overflow="fold"
        )
    for row in rows:
        table.add_row(*row)
    return table


def _fits_into(row: Sequence[str], widths: Sequence[int]) -> bool:
    return all(cell_len(cell) <= width for cell, width in zip(row, widths, strict=True))


def _line_of(row: Sequence[str], widths: Sequence[int]) -> str:
    """Return a row as Rich writes it: the name to the left of its column, numbers to the right."""
    name, *numbers = (
        " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)
    )
    cells = [space + cell for space, cell in zip(numbers, row[1:], strict=True)]
    return (" " * GAP).join([row[0] + name, *cells])


def probability_cell(row: Any, size: float) -> str:
    """Format P(best) of a row of a ranking table, from ``size`` effective draws; an entity without a rank has none."""
    return prose.probability(
        row["probability_best"] if row["expected_rank"] > 0 else float("nan"), size
    )
