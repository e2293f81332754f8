"""``bayesrank plan``: how many more cases would settle the ranking, and of which kind."""

from typing import Any

import click
import pandas as pd
import xarray as xr

import bayesrank as br
from bayesrank import _text
from bayesrank.cli._analysis import analyse, analysing, chosen_score, progress
from bayesrank.cli._formats import Sheet, check_digits, exporting, save, show
from bayesrank.cli._preferences import KIND, NOTES, ROPE
from bayesrank.cli.rank import LOWER, direction
from bayesrank.performance import posterior_of
from bayesrank.ranking.summary import score_name
from bayesrank.words.results import verdict_parts

EXAMPLES = """
\b
Examples:
  bayesrank plan breast_cancer --score mcc --target 0.95 --assurance 0.8
  bayesrank plan breast_cancer --score mcc --choose logreg --rival knn5
  bayesrank plan utah_trees --model hierarchical_beta_binomial --score f1
"""
#: Options that br.plan takes as they are.
GOAL = ("target", "assurance", "k", "width", "margin", "rope", "more", "positives", "kind", "alternatives")
SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)


@click.command(epilog=EXAMPLES)
@analysing
@click.option("-s", "--score", help="Score, as for 'bayesrank rank'.")
@LOWER
@click.option("--target", type=SHARE, default=0.95, show_default=True, help="Posterior probability to reach.")
@click.option("--assurance", type=SHARE, default=0.8, show_default=True, help="Probability of reaching it.")
@click.option("--choose", help="The entity that must meet the target. [default: the leader at that time]")
@click.option("--rival", help="The entity to beat, or all: beat each rival. [default: the target is P(best)]")
@click.option("--k", type=click.IntRange(1), help="The target is to know the top k.")
@click.option("--width", type=float, help="The target is an interval of the score of at most this width.")
@click.option(
    "--margin", type=float, help="Non-inferiority, with --choose and --rival: worse by less than this is enough."
)
@ROPE
@click.option(
    "--more",
    type=click.Choice(["cases", "clusters", "data sets", "runs"]),
    help="The units to add. [default: data sets for hierarchical models, clusters if there are any, else cases]",
)
@click.option(
    "--positives", type=SHARE, help="Share of positives among new cases, set by design. [default: as observed]"
)
@KIND
@click.option("--alternatives", is_flag=True, help="Also plan for other kinds of new cases.")
@NOTES
@exporting()
def plan(
    score: str | None,
    lower_is_better: bool,
    choose: str | None,
    rival: str | None,
    notes: bool,
    prob: float,
    output: str,
    top: int | None,
    digits: int | None,
    picture: str | None,
    **how: Any,
) -> None:
    """Find the number of new cases after which the ranking of DATA probably meets a target, or why there is none.

    DATA is a shipped data set, or a file as for 'bayesrank rank'. Future cases are drawn from the posterior and update
    it. The answer is the smallest number with which the share --assurance of these futures reaches --target.
    """
    with progress() as step:
        check_digits(digits, output)
        goal = {name: how.pop(name) for name in GOAL}
        analysis = analyse(step, **how)
        the_score = chosen_score(analysis.inputs.evidence, score, how["data"])
        step("planning")
        names = posterior_of(analysis.posterior)["entity"].values.tolist()
        entities: dict[str | None, Any] = {str(name): name for name in names}
        found = br.plan(
            analysis.posterior,
            the_score,
            entity=entities.get(choose, choose),
            rival=entities.get(rival, rival),
            higher_is_better=direction(the_score, lower_is_better),
            **goal,
            seed=how["seed"],
        )
        saved_to = save(br.plots.plan(found), picture) if picture else None
    parts = verdict_parts(found)
    lines = parts.sentences() + (list(parts.notes) if notes else [])
    lines += [f"Note: {line}" for line in analysis.inputs.stated(the_score) if line not in lines]
    lines += [saved_to] if saved_to and output == "table" else []
    show(
        _sheet(found, lines, analysis.inputs.labels | {"verdict": parts.sentences(), "notes": list(parts.notes)}),
        output,
        top,
    )


def _sheet(found: xr.Dataset, lines: list[str], about: dict[str, Any]) -> Sheet:
    """Return one row a number of new units."""
    columns = ["success", "success_error", "probability_best", "expected_loss"]
    frame = pd.DataFrame({name: found[name].values for name in columns}, index=found["n"].values).rename_axis("n")
    rows = [
        [
            f"{n:,}",
            _text.format_probability_with_error(float(row["success"]), float(row["success_error"])),
            _text.number(float(row["probability_best"]), 2),
            f"{float(row['expected_loss']):.2g}",
        ]
        for n, row in frame.iterrows()
    ]
    header = [f"more {found.attrs['unit']}", "target met", "P(best)", f"expected loss ({score_name(found)})"]
    names = ("target", "assurance", "goal", "unit", "reason")
    about |= {name: found.attrs[name] for name in names}
    about |= {name: float(found[name]) for name in ("needed", "needed_lower", "needed_upper", "limit", "now")}
    return Sheet(header, rows, lines, frame, about, "sizes")
