"""``bayesrank decide``: which entity to use, given benefits and costs of answers."""

from dataclasses import replace
from typing import Any

import click
import pandas as pd
import xarray as xr

import bayesrank as br
from bayesrank._core.errors import ArgumentError
from bayesrank.cli._analysis import analyse
from bayesrank.cli._export import Export, Sheet, exporting
from bayesrank.cli._help import Grouped
from bayesrank.cli._options import BENEFIT, DATA, NOTES, REFERENCE, adding, analysing, over_groups
from bayesrank.cli._sink import progress
from bayesrank.decisions.tables import by_utility, comparison_table, comparison_words, utility_table
from bayesrank.words.results import verdict_parts

EXAMPLES = """
\b
Examples:
  bayesrank decide counts.csv --benefit tn=0,fp=-1,fn=-10,tp=0 --prevalence 2%
  bayesrank decide breast_cancer --benefit tn=0,fp=-1,fn=-10,tp=0 --always
  bayesrank decide breast_cancer --benefit tn=0,fp=-1,fn=-10,tp=0 \\
    --reference logreg --margin-tnr 0.1
"""
COLUMNS = (
    "mean",
    "lower",
    "upper",
    "observed",
    "probability_best",
    "probability_best_error",
    "expected_regret",
)
COMPARED = ("tpr_noninferior", "tnr_noninferior", "noninferior", "superior", "equivalent")
MARGIN = click.FloatRange(0, 1)


@click.command(cls=Grouped, epilog=EXAMPLES)
@DATA
@analysing
@adding(BENEFIT, REFERENCE)
@click.option(
    "--always",
    is_flag=True,
    help="Also rank two strategies: answer negative to every case, or positive.",
)
@click.option(
    "--margin-tpr", type=MARGIN, help="Margin by which the TPR may be lower. [default: 0.05]"
)
@click.option(
    "--margin-tnr", type=MARGIN, help="Margin by which the TNR may be lower. [default: 0.05]"
)
@NOTES
@over_groups
@exporting()
def decide(
    benefit: dict[str, float] | None,
    always: bool,
    reference: str | None,
    notes: bool,
    prob: float,
    export: Export,
    **how: Any,
) -> None:
    """Rank the entities of DATA by expected utility, with P(best) and the value of perfect information.

    DATA is a shipped data set, or a CSV file as for 'bayesrank rank'. Utilities are per case at
    --prevalence, in the unit of the benefits.
    """
    with progress() as step:
        if benefit is None:
            raise ArgumentError("--benefit", "must be given, such as tn=0,fp=-1,fn=-10,tp=0")
        margins: dict[str, Any] = {name: how.pop(f"margin_{name}") for name in ("tpr", "tnr")}
        margins = {name: margin for name, margin in margins.items() if margin is not None}
        if margins and reference is None:
            raise ArgumentError(f"--margin-{min(margins)}", "needs --reference", "it alone")
        analysis = analyse(step, **how)
        analysis.check_two_classes("a benefit of four cells")
        step("deciding")
        sample = analysis.options.get("prevalence")
        # Draws also give the value of knowing the prevalence.
        target = sample if isinstance(sample, xr.DataArray) else None
        decision = br.decisions.expected_utility(
            analysis.source, benefit, strategies=always, prob=prob, prevalence=target
        )
        compared = None
        if reference is not None:
            baseline = analysis.entity("--reference", reference)
            compared = br.decisions.noninferiority(analysis.source, baseline, **margins, prob=prob)
        export.draw("intervals", by_utility(decision), "expected utility")
    lines, stated, record = analysis.say_verdict(verdict_parts(decision), notes, None)
    stated = [f"Benefit of each outcome of a case: {decision.attrs['benefit']}.", *stated]
    record |= {"benefit": benefit, "prob": prob}
    sheet = Sheet(
        *utility_table(decision, export.digits), lines, _frame(decision, compared), record
    )
    if compared is None:
        export.show(replace(sheet, lines=[*lines, *stated]))
        return
    export.show(sheet, Sheet(*comparison_table(compared), [comparison_words(compared), *stated]))


def _frame(decision: xr.Dataset, compared: xr.Dataset | None) -> pd.DataFrame:
    """Return all numbers, one row an entity."""
    frame = by_utility(decision)[list(COLUMNS)].reset_coords(drop=True).to_dataframe()
    if compared is None:
        return frame
    columns = [*(f"{name}{end}" for name in COMPARED for end in ("", "_error")), "verdict"]
    return frame.join(compared[columns].reset_coords(drop=True).to_dataframe())
