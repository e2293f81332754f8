"""``bayesrank rank``: a credible ranking by one score."""

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import click
import xarray as xr

import bayesrank as br
from bayesrank import _text
from bayesrank._compat import groups_of
from bayesrank.cli._analysis import Analysis, analyse, analysing, check_classes, progress
from bayesrank.cli._files import HELP
from bayesrank.cli._output import print_numbers, rank_cells, rank_header
from bayesrank.ranking.summary import worth
from bayesrank.scores import Score, as_score

EXAMPLES = """
\b
Examples:
  bayesrank rank antibody_tests --score informedness
  bayesrank rank counts.csv --score f1 --rope 0.01 --report counts.html
  bayesrank rank anomaly_detectors --dataset art_daily_jumpsup --score mcc
  bayesrank rank livecodebench_execution
  bayesrank rank breast_cancer --score mcc --ask "logreg > knn5 > tree" --ask "rf in top 3"
  bayesrank rank answers.csv --cluster question --ignore remark
"""

#: The variable of a posterior that outcomes are ranked by.
MEAN = "mean_outcome"
WHAT = f"""Rank the entities of DATA: a shipped data set, or a CSV file.

The columns in the file's heading tell what a row is, in any order; beside entity they are those of exactly one line:

\b
{HELP}

Other columns do not matter then. Without a column entity a row is a case, and every column an entity: its outcome, 1
for right and 0 for wrong, a grade or another number. With a column actual (or y_true), which holds the true label, it
is the label that the entity predicted.

A column dataset says on which data set, where there are several. Files of cases may also have the columns case, a name;
cluster (or --cluster), what the case belongs to; and weight, how many times it counts. --ignore leaves other columns
out. Cases are ranked by the model paired, for which every entity must have met every case.
"""


@click.command(help=WHAT, epilog=EXAMPLES, short_help="Who is best, and how sure is that?")
@analysing
@click.option(
    "-s",
    "--score",
    help="Name or alias; see 'bayesrank scores'. [default: mean_outcome of outcomes; informedness of two classes with "
    "cases; else accuracy]",
)
@click.option("--rope", default=0.0, show_default=True, help="Differences up to this do not count.")
@click.option(
    "--kind",
    type=click.Choice(["typical", "new"]),
    help="Of a hierarchical model: rank by a typical data set or by one more. [default: typical]",
)
@click.option("--ask", multiple=True, help="How probable is this of the order? 'A > B and C in top 3'; again for more.")
@click.option("--format", "output", type=click.Choice(["table", "csv", "json"]), default="table", show_default=True)
@click.option("--report", type=click.Path(dir_okay=False), help="Write a self-contained HTML report.")
def rank(
    score: str | None,
    rope: float,
    prob: float,
    ask: tuple[str, ...],
    kind: str | None,
    output: str,
    report: str | None,
    **how: Any,
) -> None:
    """A ranking as a table, as CSV or JSON, and as a report."""
    with progress() as step:
        if report and not Path(report).absolute().parent.is_dir():
            raise ValueError(f"--report must name a file in a folder that there is; got {report!r}")
        # A name that there is not is better known before the work than after it.
        known = None if score in (None, MEAN) else as_score(score)
        if known is not None and known.higher_is_better is None:
            raise ValueError(f"--score must have a better end to rank by; {known.name} has none")
        if kind is not None and not (how["model"] or "").startswith("hierarchical"):
            raise ValueError(f"--kind must be left out for models that are not hierarchical; got {kind!r}")
        if ask and output == "csv":
            raise ValueError("--ask must be left out of --format csv, which has a row for each entity; json has both")
        analysis = analyse(step, **how)
        the_score = _score(analysis, known or score, how["data"])
        step("ranking")
        ranking = br.credible_ranking(analysis.posterior, the_score, prob=prob, rope=rope, kind=kind)
        answers = [br.probability(analysis.posterior, statement, the_score, rope=rope, kind=kind) for statement in ask]
        if report:
            step("reporting")
            from bayesrank.report import ranking_report

            command = shlex.join(["bayesrank", *sys.argv[1:]])
            html = ranking_report(
                analysis.posterior, the_score, ranking, kind=kind, data=analysis.about, command=command
            )
            Path(report).write_text(html, encoding="utf-8")
    if output == "csv":
        click.echo(br.ranking_table(ranking).to_csv(), nl=False)
    elif output == "json":
        click.echo(_json(ranking, answers))
    else:
        from bayesrank.report.words import implied_prior, prior_scores

        _print_table(ranking)
        for answer in answers:
            p = _text.probability(float(answer["probability"]), worth(ranking))
            error = float(answer["probability_error"])
            click.echo(f"{answer.attrs['statement']}: probability {p} (Monte-Carlo error {error:.2g}).")
        implied = implied_prior(prior_scores(analysis.posterior, the_score, kind), prob)
        if implied:
            prior = groups_of(analysis.posterior)["posterior"].attrs["prior"]
            click.echo(f"Before any data, the {prior} prior gives {ranking.attrs['score']} a {implied}.")
        for line in analysis.remarks:
            click.echo(f"Note: {line}")
        if score is None and ranking.attrs["score"] in ("accuracy", MEAN):
            low, high = ranking.attrs["range"]
            what = f", the mean of outcomes from {low:g} to {high:g}" if the_score == MEAN else ""
            click.echo(f"Note: Ranked by {ranking.attrs['score']}{what}, as no --score was given.")
        if report:
            click.echo(f"Report: {report}")


def _score(analysis: Analysis, given: Any, data: str) -> Score | str:
    """The score to rank by: of outcomes their mean, of tables what was asked for or the default."""
    if analysis.counts is not None:
        if given == MEAN:
            raise ValueError(f"--score must be of classes, which {data} has; got {MEAN}, which is of outcomes without")
        score = given or default_score(analysis.counts)
        check_classes(analysis.counts, score, data)
        return score
    if given not in (None, MEAN):
        raise ValueError(f"--score must be {MEAN} for outcomes, which have no classes, in {data}; got {given.name}")
    if MEAN not in groups_of(analysis.posterior)["posterior"]:
        labels = ", ".join(str(label) for label in analysis.evidence["outcome"].values)
        raise ValueError(f"DATA must have outcomes that are numbers to be ranked by their mean; got {labels} in {data}")
    return MEAN


def default_score(counts: xr.DataArray) -> Score:
    """Informedness, which needs no prevalence; accuracy of more classes, or where only one of two has cases."""
    both = counts.sizes["actual"] == 2 and bool((counts.sum([d for d in counts.dims if d != "actual"]) > 0).all())
    return as_score("informedness" if both else "accuracy")


def _print_table(ranking: xr.Dataset) -> None:
    table = br.ranking_table(ranking)
    size = worth(ranking)
    rows = [
        [
            str(name),
            _text.number(row["median"]),
            _text.interval(row["lower"], row["upper"]),
            *rank_cells(row, size),
            _text.number(row["tier"], 0),
        ]
        for name, row in table.iterrows()
    ]
    level = f"{100 * ranking.attrs['prob']:g}%"
    score = ranking.attrs["score"].replace("_", " ")
    header = ["entity", score, f"{level} interval", *rank_header(ranking.attrs["prob"]), "tier"]
    print_numbers(header, rows, least="E(rank)")
    for sentence in br.verdict(ranking):
        click.echo(sentence)


def _json(ranking: xr.Dataset, answers: list[xr.Dataset]) -> str:
    table = br.ranking_table(ranking).reset_index()
    return json.dumps(
        {
            "score": ranking.attrs["score"],
            "prob": ranking.attrs["prob"],
            "rope": ranking.attrs["rope"],
            "verdict": br.verdict(ranking),
            "asked": [
                {"statement": answer.attrs["statement"]} | {str(name): float(held) for name, held in answer.items()}
                for answer in answers
            ],
            "ranking": json.loads(table.to_json(orient="records")),
        },
        ensure_ascii=False,
        indent=2,
    )
