"""``bayesrank doctor``: what evaluation logs hold; ``bayesrank convert``: their table."""

from typing import Any

import click

from bayesrank._outputs import check_output, write_output
from bayesrank.cli._analysis import number_or_word
from bayesrank.cli._logs import choices_of, reading_logs
from bayesrank.cli._output import print_line
from bayesrank.evidence._doctor import diagnose
from bayesrank.evidence.logs import collect, settle


@click.command(short_help="What do these evaluation logs hold, and what stops a ranking?")
@click.argument("paths", nargs=-1, required=True)
@reading_logs
@click.option("--missing", help="What missing outcomes are, as for 'bayesrank rank'.")
def doctor(paths: tuple[str, ...], missing: str | None, **how: Any) -> None:
    """Describe evaluation logs: systems, cases, outcomes, runs, clusters, what is missing, doubts.

    PATHS are files, folders, patterns, compressed files, zip archives, or - for standard input. Every stop is a choice
    that only you can make; the last line is a command that ranks, with one choice made for each.
    """
    found = diagnose(paths, choices_of(how, None if missing is None else number_or_word(missing)))
    for line in str(found).splitlines():
        print_line(line) if not line.startswith(" ") else click.echo(line)


@click.command(short_help="Write evaluation logs as one CSV table.")
@click.argument("paths", nargs=-1, required=True)
@reading_logs
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="The file to write. [default: standard output]")
def convert(paths: tuple[str, ...], output: str | None, **how: Any) -> None:
    """Write evaluation logs as a CSV table with a row for each system, case and run.

    'bayesrank rank' reads the table, and so does every other command.
    """
    if output is not None:
        check_output("--output", output, "table")
    choices = choices_of(how)
    frame = settle(collect(paths, choices), choices)
    text = frame.to_csv(index=False)
    if output is None:
        click.echo(text, nl=False)
        return
    write_output("--output", output, "table", text)
    for line in (*frame.attrs["remarks"], *frame.attrs["doubts"], f"Table: {output} ({len(frame):,} rows)"):
        print_line(line)
