"""``bayesrank check``: list all problems of a table, of evaluation logs or of submissions, and what ranks them."""

import json
from pathlib import Path
from typing import Any

import click

from bayesrank._core.escape import escape_lines, quote_word
from bayesrank._core.notes import notes_of
from bayesrank._core.records import EvidenceRecord
from bayesrank.analysis.default_score import choose_score
from bayesrank.analysis.setup import LOW, set_up
from bayesrank.cli import in_options
from bayesrank.cli._help import Grouped
from bayesrank.cli._logs import are_logs, choices_of
from bayesrank.cli._options import (
    IGNORE,
    POSITIVE,
    WORD,
    adding,
    judging_options,
    naming_cells,
    naming_columns,
    naming_folds,
    reading_logs,
)
from bayesrank.cli._output import print_line
from bayesrank.cli._sink import print_block
from bayesrank.evidence.kinds.given import parse_given
from bayesrank.inspection import Inspection, inspect_logs, inspect_submissions, inspect_table
from bayesrank.io.tables.table import Roles
from bayesrank.scores import as_score


def choices_of_analysis(evidence: Any) -> list[str]:
    """Return what a command must add to rank evidence: the direction of errors and costs, or the positive class."""
    notes = {note.code: note.fields for note in notes_of(EvidenceRecord.of(evidence).notes)}
    if LOW in notes:
        return ["--lower-is-better", "--higher-is-better"]
    setup = set_up(evidence)
    of_probabilities = parse_given(setup.evidence).draws_scores
    choose_score(setup.evidence, as_score("auc_roc") if of_probabilities else None)
    score = ["--score auc_roc"] if of_probabilities else []
    labels = notes["positive_class_unknown"]["labels"] if "positive_class_unknown" in notes else []
    return [" ".join([*score, f"--positive {quote_word(label)}"]) for label in labels] or [
        " ".join(score)
    ]


@click.command(cls=Grouped)
@click.argument("paths", nargs=-1, required=True)
@adding(*naming_columns, *naming_folds, *naming_cells, *judging_options, IGNORE, POSITIVE)
@click.option(
    "--missing", type=WORD, help="How to treat missing outcomes, as for 'bayesrank rank'."
)
@reading_logs
@click.option(
    "--json", "as_json", is_flag=True, help="Print sections, problems and commands as JSON."
)
@click.pass_context
def check(
    context: click.Context,
    paths: tuple[str, ...],
    truth: str | None,
    dataset_column: str | None,
    ignore: tuple[str, ...],
    missing: float | str | None,
    as_json: bool,
    **how: Any,
) -> None:
    """List every problem of PATHS with its file and line, what is there, and commands that rank it.

    PATHS are one table, evaluation logs, or with --truth FILE a folder of submissions. A row with
    an error does not hide the next one. A question is a problem, too; the commands contain one
    answer to each, and one command is printed for each answer to the first question. For logs this
    is what 'bayesrank doctor' says.

    Exit status: 0 without problems, else 1.
    """
    submitted = truth is not None and Path(truth).is_file()
    choices = choices_of(how, missing, columns=submitted)
    roles = Roles(**how, truth=truth, dataset=dataset_column, missing=missing)
    if submitted:
        inspection = inspect_submissions(paths, str(truth), choices, missing, roles.positive)
    elif choices.map or are_logs(paths):
        inspection = inspect_logs(paths, choices)
    else:
        inspection = inspect_table(paths[0], roles, ignore, choices_of_analysis)
    inspection = Inspection(
        inspection.sections,
        [in_options(one, context.command) for one in inspection.problems],
        inspection.commands,
    )
    if as_json:
        print_block(json.dumps(inspection.to_dict(), indent=2, ensure_ascii=False))
    else:
        for line in escape_lines(inspection.lines()):
            print_block(line) if line.startswith("  ") else print_line(line)
    context.exit(1 if inspection.problems else 0)
