"""``bayesrank ops``: outperformance scores, which compare across prevalences."""

from typing import Any

import click
import numpy as np
import pandas as pd

import bayesrank as br
from bayesrank import _text
from bayesrank._draws import draw_dims
from bayesrank.cli._analysis import analyse, analysing, progress
from bayesrank.cli._formats import DIGITS, Sheet, check_digits, exporting, save, show
from bayesrank.cli._scores import read_score

EXAMPLES = """
\b
Examples:
  bayesrank ops breast_cancer --score f1
  bayesrank ops utah_trees --dataset PIPO --score mcc
"""


@click.command(epilog=EXAMPLES)
@analysing
@exporting()
@click.option("-s", "--score", default="f1", show_default=True, help="Name or alias; see 'bayesrank scores'.")
def ops(
    score: str, prob: float, output: str, top: int | None, digits: int | None, picture: str | None, **how: Any
) -> None:
    """Compute the share of all performances at the same prevalence that each entity of DATA outperforms.

    An outperformance score (OPS) is between 0 and 1 for every score and prevalence; the reference is uniform over the
    two rates.
    """
    with progress() as step:
        check_digits(digits, output)
        the_score = read_score(score)
        analysis = analyse(step, **how)
        analysis.tables("outperformance scores", how["data"])
        step("comparing")
        values = the_score(analysis.performance)
        found = br.ops.summarize(br.ops.of_draws(analysis.performance, the_score), prob=prob)
        found = found.assign({the_score.name: values.median(draw_dims(values)).drop_attrs()}).sortby("entity")
        found = found.isel(entity=np.argsort(-found["mean"].values, kind="stable"))
        saved_to = save(br.plots.intervals(found, f"OPS of {the_score.display}"), picture) if picture else None
    nominal = the_score.display
    columns = [the_score.name, "mean", "lower", "upper", "sd"]
    frame = pd.DataFrame(
        {name: found[name].values for name in columns}, pd.Index(found["entity"].values, name="entity")
    ).rename(columns={"mean": "ops"})
    places = DIGITS if digits is None else digits
    rows = [
        [
            str(entity),
            _text.number(row[the_score.name], places),
            _text.number(row["ops"], places),
            _text.interval(row["lower"], row["upper"], places),
        ]
        for entity, row in frame.iterrows()
    ]
    lines = [f"Note: {line}" for line in analysis.notes(the_score)]
    lines += [saved_to] if saved_to and output == "table" else []
    header = ["entity", nominal, "OPS", f"{100 * prob:g}% interval"]
    about = {"score": the_score.name, "prob": prob} | analysis.inputs.labels
    show(Sheet(header, rows, lines, frame, about, least=nominal), output, top)
