"""``bayesrank convert``: evaluation logs as one CSV table."""

from typing import Any

import click

from bayesrank._escape import csv_table
from bayesrank._outputs import write_output
from bayesrank.cli._help import Grouped
from bayesrank.cli._logs import choices_of, print_skipped
from bayesrank.cli._options import reading_logs
from bayesrank.cli._output import print_line
from bayesrank.cli._sink import print_block
from bayesrank.cli._typed import output_file
from bayesrank.logs import collect, settle
from bayesrank.words.sentences import say


@click.command(cls=Grouped)
@click.argument("paths", nargs=-1, required=True)
@reading_logs
@click.option("-o", "--output", type=output_file("table"), help="The file to write. [default: standard output]")
def convert(paths: tuple[str, ...], output: str | None, **how: Any) -> None:
    """Write evaluation logs as a CSV table with a row for each system, case and run.

    All commands read this table.
    """
    choices = choices_of(how)
    frame = settle(collect(paths, choices), choices)
    print_skipped(frame.attrs["doubts"])
    text = csv_table(frame, index=False)
    if output is None:
        print_block(text)
        return
    write_output("--output", output, "table", text)
    told = [say(note) for note in (*frame.attrs["remarks"], *frame.attrs["doubts"])]
    for line in (*told, f"Table: {output} ({len(frame):,} rows)"):
        print_line(line)
