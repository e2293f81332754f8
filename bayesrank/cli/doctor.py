"""``bayesrank doctor``: what evaluation logs hold, and what stops a ranking of them."""

from dataclasses import replace
from typing import Any

import click

from bayesrank._core.errors import ArgumentError
from bayesrank._core.escape import escape_lines
from bayesrank.cli import in_options
from bayesrank.cli._help import Grouped
from bayesrank.cli._logs import choices_of
from bayesrank.cli._options import NAMES, WORD, adding, judging_options, reading_logs
from bayesrank.cli._output import print_line
from bayesrank.cli._sink import print_block
from bayesrank.diagnosis import diagnose, diagnose_covariates, diagnose_judged
from bayesrank.io.tables.table import Roles


@click.command(cls=Grouped)
@click.argument("paths", nargs=-1, required=True)
@reading_logs
@click.option(
    "--missing", type=WORD, help="How to treat missing outcomes, as for 'bayesrank rank'."
)
@adding(*judging_options)
@click.option(
    "--entities", type=NAMES, help="With --truth: the columns of tests that are compared."
)
@click.option("--count", help="With --truth: the column that says how many cases a row stands for.")
@click.option(
    "--covariate",
    "covariates",
    multiple=True,
    metavar="COLUMN",
    help="One table of counts on several data sets: a column of numbers on which the rates may depend.",
)
@click.option("--entity", help="With --covariate: the column that names the entities.")
@click.option("--dataset-column", help="With --covariate: the column that names the data sets.")
def doctor(
    paths: tuple[str, ...],
    missing: float | str | None,
    truth: str | None,
    judge: list[str] | None,
    entities: list[str] | None,
    count: str | None,
    covariates: tuple[str, ...],
    entity: str | None,
    dataset_column: str | None,
    **how: Any,
) -> None:
    """Describe evaluation logs: systems, cases, outcomes, runs, clusters, what is missing, doubts.

    PATHS are files, folders, patterns, compressed files, zip archives, or - for standard input. A
    stop is a question about the logs that you must answer before they can be ranked. The last line
    is a command that ranks the logs; it contains one possible answer to each stop. With --truth,
    doctor describes one table of judged cases: how many labels, how they were chosen, the judge's
    errors. With --covariate, it describes a table of counts: the values of each covariate, and
    whether slopes can be estimated.
    """
    for option, given in (("--entity", entity), ("--dataset-column", dataset_column)):
        if given is not None and not covariates:
            raise ArgumentError(option, "cannot be used without --covariate", f"{given!r}")
    if truth is not None or judge is not None:
        roles = Roles(truth=truth, judge=judge, entities=entities, count=count)
        diagnosis = diagnose_judged(paths, roles)
    elif covariates:
        diagnosis = diagnose_covariates(
            paths, Roles(entity=entity, dataset=dataset_column, covariates=list(covariates))
        )
    else:
        diagnosis = diagnose(paths, choices_of(how, missing))
    command = click.get_current_context().command
    diagnosis = replace(diagnosis, stops=[in_options(stop, command) for stop in diagnosis.stops])
    for line in escape_lines(diagnosis.lines()):
        print_block(line) if line.startswith(" ") else print_line(line)
