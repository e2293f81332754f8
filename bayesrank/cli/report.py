"""``bayesrank report``: the ranking as one HTML page, with the sections of your choice."""

import shlex
import sys
from pathlib import Path
from typing import Any

import click

import bayesrank as br
from bayesrank._core.errors import ArgumentError
from bayesrank._core.inputs import OPENERS
from bayesrank._core.outputs import check_output, write_output
from bayesrank.analysis.draws import silence_samplers
from bayesrank.cli._categories import rank_categories
from bayesrank.cli._export import READ
from bayesrank.cli._help import Grouped
from bayesrank.cli._options import (
    BENEFIT,
    BY,
    COST,
    PATHS,
    REFERENCE,
    adding,
    analysing,
    over_groups,
    reading_logs,
    scoring,
)
from bayesrank.cli._output import print_line
from bayesrank.cli._sink import progress
from bayesrank.cli._typed import ValueType, output_file
from bayesrank.cli.rank import make_ranking
from bayesrank.scores import Score
from bayesrank.words.results import verdict_parts

EXAMPLES = """
\b
Examples:
  bayesrank report breast_cancer
  bayesrank report counts.csv --score f1 --with sensitivity
  bayesrank report answers.csv --with cases,prior
  bayesrank report logs/ --by category --cost cost
  bayesrank report months.csv --with drift
  bayesrank report breast_cancer -o choice.html \\
    --benefit tn=0,fp=-1,fn=-10,tp=0
"""


def _sections(text: str, option: str) -> list[str]:
    """Return names of sections with commas between them, after a check that there are such."""
    from bayesrank.report.sections import check_names

    return check_names(option, [name.strip() for name in text.split(",") if name.strip()])


def report_beside(data: tuple[str, ...]) -> str:
    """Return the name of the report of some data: beside the first file, or the folder; else in this folder."""
    path = Path(data[0])
    while any(sign in path.name for sign in "*?["):
        path = path.parent
    if path.suffix in OPENERS:
        path = path.with_suffix("")
    name = "report" if path.name in ("", "-", "..") else path.stem
    return str(path.parent / f"{name}.html")


@click.command(cls=Grouped, epilog=EXAMPLES)
@PATHS
@analysing
@reading_logs
@scoring
@click.option(
    "-o",
    "--output",
    type=output_file("report"),
    help="The page to write: FILE.html. [default: beside DATA]",
)
@click.option(
    "--with",
    "wanted",
    type=ValueType("sections", _sections),
    default="",
    help="Sections to add, with commas: cases, decisions, drift, prior, sensitivity, ...; any other word lists all.",
)
@click.option("--title", help="The title of the page. [default: the name of the data]")
@over_groups
@adding(BY, COST, BENEFIT, REFERENCE)
def report(
    score: Score | None,
    rope: float,
    prob: float,
    kind: str | None,
    output: str | None,
    wanted: list[str],
    title: str | None,
    by: str | None,
    cost: str | None,
    benefit: dict[str, float] | None,
    reference: str | None,
    **how: Any,
) -> None:
    """Write the ranking of DATA as a page that opens without a network: verdict, pictures, table, and a
    paragraph on the methods for a paper.

    DATA is a shipped data set, or a CSV file as for 'bayesrank rank'. The page has the sections
    that the data support, such as sensitivity and specificity, confusion matrices, data sets, and
    the Tile (the best entity for each weighting of the errors) if the winner depends on that
    weighting.
    """
    from bayesrank.report import sections
    from bayesrank.report.page import PageRequest

    if output is None:
        output = report_beside(how["data"])
        check_output("--output", output, "report")
    with progress() as step:
        if by is not None and how["dataset"] is not None:
            raise ArgumentError("--dataset", "cannot be used with --by", f"{how['dataset']!r}")
        analysis, used, ranking = make_ranking(step, score, rope, prob, kind, cost, dict(how))
        record = analysis.about | ({} if title is None else {"title": title})
        if benefit or reference:
            analysis.check_two_classes("--benefit and --reference")
        rankings = [] if by is None else rank_categories(step, by, score, rope, prob, dict(how))
        baseline = analysis.entity("--reference", reference)
        fitted = (
            analysis.posterior,
            analysis.by_dataset,
            record["title"],
            analysis.model,
            analysis.options,
        )
        settings: Any = (
            used,
            kind,
            how["join"],
            prob,
            rope,
            how["draws"],
            how["seed"],
            benefit,
            baseline,
            rankings,
        )
        request = PageRequest(*fitted, *settings)
        step("writing")
        named = list(
            dict.fromkeys(
                [*wanted, *["decisions"] * bool(benefit or reference), *["categories"] * bool(by)]
            )
        )
        with silence_samplers():
            chosen = [(name, sections.find(name)) for name in named if name != sections.DEFAULT]
            results = {
                name: section.compute(request)
                for name, section in chosen
                if hasattr(section, "compute")
            }
        page = br.ranking_report(
            analysis.source,
            used,
            ranking=ranking,
            kind=kind,
            data=record,
            command=shlex.join(["bayesrank", *sys.argv[1:]]),
            sections=[sections.DEFAULT, *(name for name, _ in chosen)],
            results=results,
        )
        write_output("--output", output, "report", page)
    missing = [line for line in (sections.lacking(name) for name, _ in chosen) if line in page]
    read = click.get_current_context().meta[READ]
    for line in [
        read,
        *verdict_parts(ranking).sentences(),
        *(f"Note: {line}" for line in missing),
        f"Report: {output}",
    ]:
        print_line(line)
