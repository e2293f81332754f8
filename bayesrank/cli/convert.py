"""``bayesrank convert``: evaluation logs as one CSV table, or as records of Every Eval Ever."""

from pathlib import Path
from typing import Any

import click
import pandas as pd

from bayesrank._core.errors import ArgumentError
from bayesrank._core.escape import csv_table
from bayesrank._core.outputs import check_output, write_output
from bayesrank._core.prose import count
from bayesrank.cli._help import Grouped
from bayesrank.cli._logs import choices_of, print_skipped
from bayesrank.cli._options import MISSING, WORD, reading_logs
from bayesrank.cli._output import print_line
from bayesrank.cli._sink import print_block, progress
from bayesrank.io.logs import collect, settle
from bayesrank.words.sentences import say

RECORDS = "every-eval-ever"
EXAMPLES = """
\b
Examples:
  bayesrank convert logs/ -o table.csv
  bayesrank convert logs/ --to every-eval-ever -o records \\
    --source-organization-name "Our lab" --evaluator-relationship third_party
"""


@click.command(cls=Grouped, epilog=EXAMPLES)
@click.argument("paths", nargs=-1, required=True)
@reading_logs
@click.option(
    "--to",
    type=click.Choice(["csv", RECORDS]),
    default="csv",
    help="csv: one table. every-eval-ever: a record for each system and data set, with its score, the uncertainty and "
    "the ranks.",
)
@click.option("--source-organization-name", help="For every-eval-ever: who provides the data.")
@click.option(
    "--evaluator-relationship",
    type=click.Choice(["first_party", "third_party", "collaborative", "other"]),
    help="For every-eval-ever: how the evaluator relates to the developers of the models.",
)
@click.option("--missing", type=WORD, help=f"For every-eval-ever. {MISSING}")
@click.option(
    "-o",
    "--output",
    help="The file to write; for every-eval-ever, the folder. [default: standard output, for csv]",
)
def convert(
    paths: tuple[str, ...],
    to: str,
    source_organization_name: str | None,
    evaluator_relationship: str | None,
    missing: Any,
    output: str | None,
    **how: Any,
) -> None:
    """Write evaluation logs as a CSV table with a row for each system, case and run, which all commands read.

    With --to every-eval-ever, rank the systems of each data set by their mean outcome, and write
    the records.
    """
    record = {
        "source_organization_name": source_organization_name,
        "evaluator_relationship": evaluator_relationship,
        "missing": missing,
    }
    _check_options(to, record, output)
    choices = choices_of(how)
    frame = settle(collect(paths, choices), choices)
    print_skipped(frame.attrs["doubts"])
    if to == RECORDS:
        _write_records(frame, Path(str(output)), record)
        return
    text = csv_table(frame, index=False)
    if output is None:
        print_block(text)
        return
    write_output("--output", output, "table", text)
    remarks = [say(note) for note in (*frame.attrs["remarks"], *frame.attrs["doubts"])]
    for line in (*remarks, f"Table: {output} ({len(frame):,} rows)"):
        print_line(line)


def _check_options(to: str, options: dict[str, Any], output: str | None) -> None:
    """Check before any work that the options fit the form, and that the output may be written."""
    typed = {f"--{name.replace('_', '-')}": value for name, value in options.items()}
    if to == "csv":
        unfit = next((name for name, value in typed.items() if value is not None), None)
        if unfit is not None:
            raise ArgumentError(
                unfit, f"cannot be used without --to {RECORDS}", f"{typed[unfit]!r}"
            )
        if output is not None:
            check_output("--output", output, "table")
        return
    words = {"--source-organization-name": "'Our lab'", "--evaluator-relationship": "third_party"}
    for name, example in words.items():
        if typed[name] is None:
            raise ArgumentError(
                name,
                f"must be given for {RECORDS}, since logs do not say it",
                "none",
                f"{name} {example}",
            )
    if output is None:
        raise ArgumentError(
            "--output", f"must name the folder of the records for {RECORDS}", "none", "-o records"
        )
    if Path(output).exists() and not Path(output).is_dir():
        raise ArgumentError(
            "--output", f"must be a folder for {RECORDS}", f"{output!r}, which is a file"
        )


def _write_records(frame: pd.DataFrame, folder: Path, description: dict[str, Any]) -> None:
    from bayesrank.integrations.every_eval_ever import make_records

    with progress() as step:
        step("drawing")
        records = make_records(frame, **description)
        for name, text in records.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            write_output("--output", path, "record", text)
    print_line(f"Records: {folder} ({count(len(records), 'file')})")
