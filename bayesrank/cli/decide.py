"""``bayesrank decide``: which entity to use, given benefits and costs of answers."""

from dataclasses import replace
from typing import Any

import click
import pandas as pd
import xarray as xr

import bayesrank as br
from bayesrank import _text
from bayesrank.cli._analysis import analyse, analysing, progress
from bayesrank.cli._formats import FULL, Sheet, check_digits, exporting, save, show
from bayesrank.cli._preferences import NOTES
from bayesrank.cli._scores import read_numbers
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
CELLS = ("tn", "fp", "fn", "tp")
COLUMNS = ("mean", "lower", "upper", "observed", "probability_best", "probability_best_error", "expected_regret")
COMPARED = ("tpr_noninferior", "tnr_noninferior", "noninferior", "superior", "equivalent")


@click.command(epilog=EXAMPLES)
@analysing
@click.option("--benefit", required=True, help="Benefit of each outcome: tn=0,fp=-1,fn=-10,tp=0. Costs are negative.")
@click.option("--always", is_flag=True, help="Add rivals that answer negative, or positive, to every case.")
@click.option("--reference", help="An entity: test whether the others are no worse in TPR and TNR.")
@click.option("--margin-tpr", type=float, help="Margin by which the TPR may be lower. [default: 0.05]")
@NOTES
@click.option("--margin-tnr", type=float, help="Margin by which the TNR may be lower. [default: 0.05]")
@exporting()
def decide(
    benefit: str,
    always: bool,
    reference: str | None,
    margin_tpr: float | None,
    margin_tnr: float | None,
    notes: bool,
    prob: float,
    output: str,
    top: int | None,
    digits: int | None,
    picture: str | None,
    **how: Any,
) -> None:
    """Rank the entities of DATA by expected utility, with P(best) and the value of perfect information.

    DATA is a shipped data set, or a CSV file as for 'bayesrank rank'. Utilities are per case at
    --prevalence, in the unit of the benefits.
    """
    with progress() as step:
        check_digits(digits, output)
        # Check the options before the computation.
        benefit_of = benefits(benefit)
        margins = _margins(reference, margin_tpr, margin_tnr)
        analysis = analyse(step, **how)
        counts = analysis.tables("a benefit of four cells", how["data"])
        other = None if reference is None else find_entity(reference, counts)
        step("deciding")
        decision = _decision(analysis.posterior, benefit_of, always, prob)
        compared = None
        if reference is not None:
            compared = br.decisions.noninferiority(analysis.posterior, other, **margins, prob=prob)
        saved_to = save(br.plots.intervals(by_utility(decision), "expected utility"), picture) if picture else None
    parts = verdict_parts(decision)
    verdict = parts.sentences() + (list(parts.notes) if notes else [])
    remarks = [f"Note: {line}" for line in analysis.inputs.stated(None) if line not in verdict]
    remarks += [saved_to] if saved_to and output == "table" else []
    about = {
        "benefit": benefit_of,
        "prob": prob,
        "verdict": parts.sentences(),
        "notes": list(parts.notes),
    } | analysis.inputs.labels
    sheet = Sheet(*utility_table(decision, digits), verdict, _frame(decision, compared), about)
    if compared is None or output in FULL:
        show(replace(sheet, lines=[*verdict, *remarks]), output, top)
        return
    show(sheet, output, top)
    click.echo()
    show(Sheet(*comparison_table(compared), [comparison_words(compared), *remarks]), output, top)


def find_entity(reference: str, counts: xr.DataArray) -> Any:
    """Return the entity whose name was typed as --reference."""
    names = {str(name): name for name in counts["entity"].values.tolist()}
    if reference not in names:
        raise ValueError(f"--reference must be one of {_text.format_names(names)}; got {reference!r}")
    return names[reference]


def benefits(text: str) -> dict[str, float]:
    """Parse the benefit of each cell."""
    wanted = f"--benefit must be tn=NUMBER,fp=NUMBER,fn=NUMBER,tp=NUMBER, each once; got {text!r}"
    found = read_numbers(text, wanted)
    if set(found) != set(CELLS):
        raise ValueError(wanted)
    return found


def _margins(reference: str | None, tpr: float | None, tnr: float | None) -> dict[str, Any]:
    """Return the margins that were given, if there is something to compare with."""
    given = {name: value for name, value in (("tpr", tpr), ("tnr", tnr)) if value is not None}
    for name, value in given.items():
        if reference is None:
            raise ValueError(f"--margin-{name} must go with --reference; got {value:g} alone")
        if not 0 <= value <= 1:
            raise ValueError(f"--margin-{name} must lie between 0 and 1; got {value:g}")
    return given


def _decision(posterior: Any, benefit_of: dict[str, float], always: bool, prob: float) -> xr.Dataset:
    try:
        return br.decisions.expected_utility(posterior, benefit_of, strategies=always, prob=prob)
    except ValueError as error:
        if str(error).startswith("prevalence must be given"):
            raise ValueError(
                "--prevalence must be a number for --always, where entities were tested at different prevalences"
            ) from None
        raise


def _frame(decision: xr.Dataset, compared: xr.Dataset | None) -> pd.DataFrame:
    """Return all numbers, one row an entity."""
    ordered = by_utility(decision)
    frame = pd.DataFrame({name: ordered[name].values for name in COLUMNS}, index=ordered["entity"].values.tolist())
    if compared is not None:
        columns = [*(f"{name}{end}" for name in COMPARED for end in ("", "_error")), "verdict"]
        more = pd.DataFrame({name: compared[name].values for name in columns}, index=compared["entity"].values.tolist())
        frame = frame.join(more)
    return frame.rename_axis("entity")
