"""``bayesrank plan``: how many more cases would settle the ranking, and of which kind."""

from dataclasses import replace
from typing import Any

import click

import bayesrank as br
from bayesrank._core import prose
from bayesrank._core.records import PlanRecord
from bayesrank.analysis.default_score import choose_score
from bayesrank.cli._analysis import analyse
from bayesrank.cli._export import Export, exporting, sheet_of
from bayesrank.cli._help import Grouped
from bayesrank.cli._options import DATA, NOTES, NUMBER, PROBABILITY, analysing, over_groups, scoring
from bayesrank.cli._sink import progress
from bayesrank.ranking.summary import score_name
from bayesrank.scores import Score
from bayesrank.words.results import verdict_parts

EXAMPLES = """
\b
Examples:
  bayesrank plan breast_cancer --score mcc --margin 0.02
  bayesrank plan breast_cancer --score mcc --true-scores population
  bayesrank plan utah_trees --model hierarchical_beta_binomial --score f1
"""


@click.command(cls=Grouped, epilog=EXAMPLES)
@DATA
@analysing
@scoring
@click.option(
    "--target",
    type=PROBABILITY,
    default=0.95,
    help="Level of the rank sets; with --true-scores population or posterior, a posterior probability.",
)
@click.option(
    "--assurance", type=PROBABILITY, default=0.8, help="Probability of meeting the target."
)
@click.option("--choose", help="The entity to separate from the rival. [default: the leader]")
@click.option("--rival", help="The rival, or all: beat each rival. [default: the closest one]")
@click.option(
    "--margin",
    type=NUMBER,
    help="The true difference. [default: --rope, or an estimate from all entities]",
)
@click.option(
    "--true-scores",
    type=click.Choice(["difference", "population", "posterior"]),
    help="True scores in the simulated futures: two entities that differ by --margin, or draws from the population of "
    "entities or from the posterior.",
)
@NOTES
@over_groups
@exporting()
def plan(
    score: Score | None,
    choose: str | None,
    rival: str | None,
    notes: bool,
    prob: float,
    export: Export,
    **how: Any,
) -> None:
    """Find how many new cases separate two entities of DATA if they truly differ by a given amount.

    DATA is a shipped data set, or a file as for 'bayesrank rank'. Many futures are simulated: new
    cases are added to today's. The answer is the smallest number of new cases for which the share
    of futures that meet --target is at least --assurance. Without --true-scores it is the number in
    the verdict of 'bayesrank rank'.
    """
    with progress() as step:
        of_goal = ("target", "assurance", "margin", "rope", "kind", "true_scores")
        goal = {name: how.pop(name) for name in of_goal}
        analysis = analyse(step, scores=[score], **how)
        score = choose_score(analysis.evidence, score)
        step("planning")
        plans = br.plan(
            analysis.source,
            score,
            entity=analysis.entity("--choose", choose),
            rival=rival if rival == "all" else analysis.entity("--rival", rival),
            higher_is_better=analysis.direction(score),
            **goal,
            seed=how["seed"],
        )
        export.draw("plan", plans)
    lines, stated, record = analysis.say_verdict(verdict_parts(plans), notes, score)
    facts = ("target", "assurance", "goal", "unit", "reason")
    record |= {name: plans.attrs[name] for name in facts}
    names = ("needed", "needed_lower", "needed_upper", "difference", "limit", "now")
    record |= {name: float(plans[name]) for name in names if name in plans}
    cells = {
        "target met": lambda row: prose.format_probability_with_error(
            row["success"], row["success_error"]
        ),
        "P(best)": lambda row: prose.number(row["probability_best"], 2),
        f"expected loss ({score_name(plans)})": lambda row: f"{row['expected_loss']:.2g}",
    }
    columns = ("success", "success_error", "probability_best", "expected_loss")
    frame = plans[[name for name in columns if name in plans]].reset_coords(drop=True)
    if "expected_loss" not in plans:
        cells = dict([*cells.items()][:1])
    lines = [*lines, *stated]
    sheet = sheet_of(frame.to_dataframe(), cells, lines=lines, about=record, name="sizes")
    rows = [[f"{int(n):,}", *row] for n, *row in sheet.rows]
    export.show(replace(sheet, header=[f"more {PlanRecord.of(plans).unit}", *cells], rows=rows))
