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
from bayesrank.cli._analysis import analyse, analysing, check_classes, progress
from bayesrank.cli._output import print_numbers, rank_cells, rank_header
from bayesrank.ranking.summary import worth
from bayesrank.scores import Score, as_score

EXAMPLES = """
\b
Examples:
  bayesrank rank antibody_tests --score informedness
  bayesrank rank counts.csv --score f1 --rope 0.01 --report counts.html
  bayesrank rank anomaly_detectors --dataset art_daily_jumpsup --score mcc
"""


@click.command(epilog=EXAMPLES, short_help="Who is best, and how sure is that?")
@analysing
@click.option(
    "-s",
    "--score",
    help="Name or alias; see 'bayesrank scores'. [default: informedness of two classes with cases, else accuracy]",
)
@click.option("--rope", default=0.0, show_default=True, help="Differences up to this do not count.")
@click.option("--format", "output", type=click.Choice(["table", "csv", "json"]), default="table", show_default=True)
@click.option("--report", type=click.Path(dir_okay=False), help="Write a self-contained HTML report.")
def rank(score: str | None, rope: float, prob: float, output: str, report: str | None, **how: Any) -> None:
    """Rank the entities of DATA: a shipped data set, or a CSV file.

    The file has a heading and one row an entity: the columns entity, tn, fp, fn, tp, in any order. Or it has one row a
    cell: entity, actual, predicted, count; of two labels the last in sorted order is the positive one. A column
    dataset says on which data set, where there are several.
    """
    with progress() as step:
        # A name that there is not is better known before the work than after it.
        the_score = None if score is None else as_score(score)
        if the_score is not None and the_score.higher_is_better is None:
            raise ValueError(f"--score must have a better end to rank by; {the_score.name} has none")
        analysis = analyse(step, **how)
        the_score = the_score or _default(analysis.counts)
        check_classes(analysis.counts, the_score, how["data"])
        step("ranking")
        ranking = br.credible_ranking(analysis.posterior, the_score, prob=prob, rope=rope)
        if report:
            step("reporting")
            from bayesrank.report import ranking_report

            command = shlex.join(["bayesrank", *sys.argv[1:]])
            html = ranking_report(analysis.posterior, the_score, ranking, data=analysis.about, command=command)
            Path(report).write_text(html, encoding="utf-8")
    if output == "csv":
        click.echo(br.ranking_table(ranking).to_csv(), nl=False)
    elif output == "json":
        click.echo(_json(ranking))
    else:
        from bayesrank.report.words import implied_prior, prior_scores

        _print_table(ranking)
        implied = implied_prior(prior_scores(analysis.posterior, the_score), prob)
        if implied:
            click.echo(f"Before any data, the {how['prior']} prior gives {the_score.name} a {implied}.")
        for line in analysis.remarks:
            click.echo(f"Note: {line}")
        if score is None and the_score.name == "accuracy":
            click.echo(f"Note: Ranked by {the_score.name}, as no --score was given.")
        if report:
            click.echo(f"Report: {report}")


def _default(counts: xr.DataArray) -> Score:
    """Informedness, which needs no prevalence; accuracy of more classes, or where only one of two has cases."""
    both = counts.sizes["actual"] == 2 and bool((counts.sum(["entity", "predicted"]) > 0).all())
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


def _json(ranking: xr.Dataset) -> str:
    table = br.ranking_table(ranking).reset_index()
    return json.dumps(
        {
            "score": ranking.attrs["score"],
            "prob": ranking.attrs["prob"],
            "rope": ranking.attrs["rope"],
            "verdict": br.verdict(ranking),
            "ranking": json.loads(table.to_json(orient="records")),
        },
        ensure_ascii=False,
        indent=2,
    )
