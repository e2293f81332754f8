"""``bayesrank plan``: how many more cases would settle the ranking, and of which kind."""

from dataclasses import replace
from typing import Any

import click

import bayesrank as br
from bayesrank import _text
from bayesrank._records import PlanRecord
from bayesrank.cli._analysis import analyse, chosen_score
from bayesrank.cli._export import Export, exporting, sheet_of
from bayesrank.cli._options import DATA, NOTES, PROBABILITY, analysing, scoring
from bayesrank.cli._sink import progress
from bayesrank.ranking.summary import score_name
from bayesrank.scores import Score
from bayesrank.words.results import verdict_parts

EXAMPLES = """
\b
Examples:
  bayesrank plan breast_cancer --score mcc --target 0.95 --assurance 0.8
  bayesrank plan breast_cancer --score mcc --choose logreg --rival knn5
  bayesrank plan utah_trees --model hierarchical_beta_binomial --score f1
"""


@click.command(epilog=EXAMPLES)
@DATA
@analysing
@scoring
@click.option("--target", type=PROBABILITY, default=0.95, help="Posterior probability to reach.")
@click.option("--assurance", type=PROBABILITY, default=0.8, help="Probability of reaching it.")
@click.option("--choose", help="The entity that must meet the target. [default: the leader at that time]")
@click.option("--rival", help="The entity to beat, or all: beat each rival. [default: the target is P(best)]")
@NOTES
@exporting()
def plan(
    score: Score | None, choose: str | None, rival: str | None, notes: bool, prob: float, export: Export, **how: Any
) -> None:
    """Find the number of new cases after which the ranking of DATA probably meets a target, or why there is none.

    DATA is a shipped data set, or a file as for 'bayesrank rank'. Future cases are drawn from the posterior and update
    it. The answer is the smallest number with which the share --assurance of these futures reaches --target.
    """
    with progress() as step:
        goal = {name: how.pop(name) for name in ("target", "assurance", "rope", "kind")}
        analysis = analyse(step, scores=[score], **how)
        score = chosen_score(analysis.evidence, score)
        step("planning")
        found = br.plan(
            analysis.posterior,
            score,
            entity=analysis.entity("--choose", choose),
            rival=rival if rival == "all" else analysis.entity("--rival", rival),
            higher_is_better=analysis.direction(score),
            **goal,
            seed=how["seed"],
        )
        export.draw("plan", found)
    lines, stated, about = analysis.tell(verdict_parts(found), notes, score)
    about |= {name: found.attrs[name] for name in ("target", "assurance", "goal", "unit", "reason")}
    about |= {name: float(found[name]) for name in ("needed", "needed_lower", "needed_upper", "limit", "now")}
    cells = {
        "target met": lambda row: _text.format_probability_with_error(row["success"], row["success_error"]),
        "P(best)": lambda row: _text.number(row["probability_best"], 2),
        f"expected loss ({score_name(found)})": lambda row: f"{row['expected_loss']:.2g}",
    }
    columns = ["success", "success_error", "probability_best", "expected_loss"]
    sheet = sheet_of(
        found[columns].reset_coords(drop=True).to_dataframe(), cells, lines=[*lines, *stated], about=about, name="sizes"
    )
    rows = [[f"{int(n):,}", *row] for n, *row in sheet.rows]
    export.show(replace(sheet, header=[f"more {PlanRecord.of(found).unit}", *cells], rows=rows))
