"""``bayesrank ops``: outperformance scores, which compare entities across scores and prevalences."""

from typing import Any

import click
import numpy as np

import bayesrank as br
from bayesrank._core import prose
from bayesrank._core.draws import draw_dims
from bayesrank.cli._analysis import analyse
from bayesrank.cli._export import Export, exporting, sheet_of
from bayesrank.cli._help import Grouped
from bayesrank.cli._options import DATA, SCORE_TYPE, analysing
from bayesrank.cli._sink import progress
from bayesrank.scores import Score

EXAMPLES = """
\b
Examples:
  bayesrank ops breast_cancer --score f1
  bayesrank ops utah_trees --dataset PIPO --score mcc
"""


@click.command(cls=Grouped, epilog=EXAMPLES)
@DATA
@analysing
@exporting()
@click.option(
    "-s", "--score", type=SCORE_TYPE, default="f1", help="Name or alias; see 'bayesrank scores'."
)
def ops(score: Score, prob: float, export: Export, **how: Any) -> None:
    """Compute the outperformance score (OPS) of each entity of DATA.

    Take all pairs of sensitivity and specificity, with equal weights, at the prevalence of the
    entity. The OPS is the share of them that have a worse score than the entity. It is between 0
    and 1 for every score and prevalence.
    """
    with progress() as step:
        analysis = analyse(step, **how)
        analysis.check_two_classes("outperformance scores")
        step("comparing")
        summary = br.ops.summarize(br.ops.of_draws(analysis.performance, score), prob=prob)
        values = score(analysis.performance)
        summary = summary.assign(
            {score.name: values.median(draw_dims(values)).drop_attrs()}
        ).sortby("entity")
        summary = summary.isel(entity=np.argsort(-summary["mean"].values, kind="stable"))
        export.draw("intervals", summary, f"OPS of {score.display}")
        lines = [f"Note: {line}" for line in analysis.notes(score)]
    columns = [score.name, "mean", "lower", "upper", "sd"]
    frame = summary[columns].reset_coords(drop=True).to_dataframe()
    places, record = export.places, {"score": score.name, "prob": prob} | analysis.labels
    cells = {
        score.display: lambda row: prose.number(row[score.name], places),
        "OPS": lambda row: prose.number(row["ops"], places),
        f"{100 * prob:g}% interval": lambda row: prose.interval(row["lower"], row["upper"], places),
    }
    frame = frame.rename(columns={"mean": "ops"})
    export.show(sheet_of(frame, cells, lines=lines, about=record, least=(score.display,)))
