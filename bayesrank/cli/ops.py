"""``bayesrank ops``: outperformance scores, which compare across prevalences."""

from typing import Any

import click

import bayesrank as br
from bayesrank import _text
from bayesrank._draws import draw_dims
from bayesrank.cli._analysis import analyse, analysing, progress
from bayesrank.cli._output import print_numbers
from bayesrank.scores import as_score

EXAMPLES = """
\b
Examples:
  bayesrank ops breast_cancer --score f1
  bayesrank ops utah_trees --dataset PIPO --score mcc
"""


@click.command(epilog=EXAMPLES, short_help="Outperformance scores, which compare across prevalences.")
@analysing
@click.option("-s", "--score", default="f1", show_default=True, help="Name or alias; see 'bayesrank scores'.")
def ops(score: str, prob: float, **how: Any) -> None:
    """The share of all performances at the same prevalence that each entity of DATA outperforms.

    An outperformance score (OPS) is between 0 and 1 for every score and prevalence; the reference is uniform over the
    two rates.
    """
    with progress() as step:
        the_score = as_score(score)
        analysis = analyse(step, **how)
        analysis.tables("outperformance scores", how["data"])
        step("comparing")
        values = the_score(analysis.performance)
        found = br.ops.summarize(br.ops.of_draws(analysis.performance, the_score), prob)
        nominal = values.median(draw_dims(values))
    order = found["mean"].sortby(-found["mean"])["entity"].values
    rows = [
        [
            str(entity),
            _text.number(float(nominal.sel(entity=entity))),
            _text.number(float(found["mean"].sel(entity=entity))),
            _text.interval(float(found["lower"].sel(entity=entity)), float(found["upper"].sel(entity=entity))),
        ]
        for entity in order.tolist()
    ]
    nominal_heading = the_score.name.replace("_", " ")
    print_numbers(["entity", nominal_heading, "OPS", f"{100 * prob:g}% interval"], rows, least=nominal_heading)
    for line in analysis.notes(the_score):
        click.echo(f"Note: {line}")
