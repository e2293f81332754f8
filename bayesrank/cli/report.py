"""``bayesrank report``: the ranking as one HTML page, with the sections of your choice."""

import shlex
import sys
from functools import partial
from typing import Any

import click

import bayesrank as br
from bayesrank._outputs import check_output, write_output
from bayesrank.cli._analysis import analysing, progress, quiet
from bayesrank.cli._categories import rank_categories
from bayesrank.cli._logs import reading_logs
from bayesrank.cli._output import print_line
from bayesrank.cli.decide import benefits, find_entity
from bayesrank.cli.rank import known_direction, make_ranking, scoring
from bayesrank.words.results import verdict_parts

EXAMPLES = """
\b
Examples:
  bayesrank report breast_cancer -o breast_cancer.html
  bayesrank report counts.csv --score f1 -o counts.html --with sensitivity
  bayesrank report answers.csv -o answers.html --with cases,prior
  bayesrank report logs/ -o logs.html --by category --cost cost
  bayesrank report months.csv -o months.html --with drift
  bayesrank report breast_cancer -o choice.html --benefit tn=0,fp=-1,fn=-10,tp=0
"""


class Sections(click.ParamType):
    """Names of sections with commas between them."""

    name = "SECTIONS"

    def convert(self, value: Any, parameter: Any, context: Any) -> list[str]:
        from bayesrank.report.sections import check_names

        return check_names("--with", [name.strip() for name in str(value).split(",") if name.strip()])


class With(click.Option):
    """The option ``--with``, whose help names the sections; they are imported when it is printed."""

    def get_help_record(self, context: click.Context) -> tuple[str, str] | None:
        from bayesrank.report.sections import names

        shown = names(defaults=True)
        self.help = f"Sections to add, with commas: {', '.join(name for name in names() if name not in shown)}."
        return super().get_help_record(context)


@click.command(epilog=EXAMPLES)
@partial(analysing, nargs=-1)
@reading_logs
@scoring
@click.option("-o", "--output", required=True, type=click.Path(dir_okay=False), help="The page to write: FILE.html.")
@click.option("--with", "wanted", cls=With, type=Sections(), default="")
@click.option("--by", metavar="COLUMN", help="Outcomes only: add rankings of categories, as for 'bayesrank rank'.")
@click.option("--cost", metavar="COLUMN", help="Outcomes by case only: add mean costs and the Pareto front.")
@click.option("--benefit", help="Add the expected utility of each entity at --prevalence, as for 'bayesrank decide'.")
@click.option("--reference", help="Add the comparison with this entity, as for 'bayesrank decide'.")
def report(
    score: str | None,
    lower_is_better: bool,
    rope: float,
    prob: float,
    kind: str | None,
    output: str,
    wanted: list[str],
    by: str | None,
    cost: str | None,
    benefit: str | None,
    reference: str | None,
    **how: Any,
) -> None:
    """Write the ranking of DATA as a page that opens without a network: verdict, pictures, table, methods to paste.

    DATA is a shipped data set, or a CSV file as for 'bayesrank rank'. The page has the sections that the data
    support, such as sensitivity and specificity, confusion matrices, data sets, and the Tile if preference changes the
    winner.
    """
    from bayesrank.report import sections
    from bayesrank.report.page import Request

    with progress() as step:
        check_output("--output", output, "report")
        benefits_by_cell = benefits(benefit) if benefit else None
        if by is not None and how["dataset"] is not None:
            raise ValueError(f"--dataset must be left out beside --by; got {how['dataset']!r}")
        more = {} if cost is None else {"cost": cost}
        analysis, the_score, ranking = make_ranking(step, score, lower_is_better, rope, prob, kind, how, more)
        inputs = analysis.inputs
        two = analysis.counts is not None and analysis.counts.sizes["actual"] == 2
        for option, value in (("--benefit", benefit), ("--reference", reference)):
            if value and not two:
                raise ValueError(f"{option} must be left out for data that are not of two classes; got {value!r}")
        better = partial(known_direction, lower_is_better)
        rankings = [] if by is None else rank_categories(step, by, score, better, rope, prob, dict(how))
        request = Request(
            analysis.posterior, inputs.by_dataset, inputs.about["title"], inputs.model, inputs.options, the_score, kind,
            how["join"], prob, rope, how["draws"], how["seed"], benefits_by_cell,
            find_entity(reference, analysis.counts) if reference and analysis.counts is not None else None,
            rankings,
        )  # fmt: skip
        step("writing")
        named = list(dict.fromkeys([*wanted, *["decisions"] * bool(benefit or reference), *["categories"] * bool(by)]))
        with quiet():
            found = [(name, sections.find(name)) for name in named if name != sections.DEFAULT]
            results = {name: section.compute(request) for name, section in found if hasattr(section, "compute")}
        page = br.ranking_report(
            analysis.posterior,
            the_score,
            ranking=ranking,
            kind=kind,
            data=inputs.about,
            command=shlex.join(["bayesrank", *sys.argv[1:]]),
            sections=[sections.DEFAULT, *(name for name, _ in found)],
            results=results,
        )
        write_output("--output", output, "report", page)
    missing = [line for line in (sections.lacking(name) for name, _ in found) if line in page]
    for line in [*verdict_parts(ranking).sentences(), *(f"Note: {line}" for line in missing), f"Report: {output}"]:
        print_line(line)
