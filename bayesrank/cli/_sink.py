"""The only place from which the command prints: all text is escaped here, so that no name can drive a terminal."""

import errno
import io
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from bayesrank._core.errors import ArgumentFileError
from bayesrank._core.escape import escape_invisible

#: What Rich sets around headings: bold and other styles. Cells are escaped before Rich sees them.
STYLE = re.compile(r"(\x1b\[[\d;]*m)")
#: The key of what a command is doing, in its context.
STAGE = "bayesrank.stage"


def print_block(text: str = "") -> None:
    """Print lines to standard output. Each line must be one of the package's own; names cannot hold line breaks."""
    _write(escape_invisible(text, keep="\n"), err=False)


def print_styled(text: str) -> None:
    """Print what Rich made of escaped cells: its styles stay."""
    parts = STYLE.split(text)
    _write(
        "".join(
            part if i % 2 else escape_invisible(part, keep="\n") for i, part in enumerate(parts)
        ),
        err=False,
    )


def print_error(text: str) -> None:
    _write(escape_invisible(text, keep="\n"), err=True)


def _write(text: str, err: bool) -> None:
    """Write lines, each with a line break at its end."""
    try:
        click.echo(text, nl=not text.endswith("\n"), err=err)
    except OSError as error:
        # A reader that stops early, as head does, is no error; click ends quietly.
        if error.errno == errno.EPIPE:
            raise
        stream = "standard error" if err else "standard output"
        raise ArgumentFileError(stream, f"cannot be written: {error.strerror}") from None


class Screen(io.StringIO):
    """Text that Rich writes as it would to standard output: with styles on a terminal, in letters of its encoding."""

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return sys.stdout.encoding or "utf-8"

    def isatty(self) -> bool:
        return sys.stdout.isatty()


def render(table: Any, width: int) -> str:
    """Return a table of Rich as text."""
    from rich.console import Console

    screen = Screen()
    # Rich takes a dumb terminal to be 80 columns wide, unless told a height, too.
    Console(file=screen, highlight=False, markup=False, emoji=False, width=width, height=25).print(
        table
    )
    return screen.getvalue()


@contextmanager
def progress() -> Iterator[Callable[[str], None]]:
    """Show a progress line on a terminal, nothing in a pipe; messages on the memory depend on the stage."""
    meta = click.get_current_context().meta
    if not sys.stderr.isatty():
        yield lambda stage: meta.update({STAGE: stage})
        return
    from rich.console import Console

    with Console(stderr=True).status("starting") as status:

        def show(stage: str) -> None:
            meta[STAGE] = stage
            status.update(escape_invisible(stage))

        yield show
