"""``bayesrank sensitivity``: which conclusions of a ranking survive other priors, models, scores and fewer data."""

from typing import Any

import click
import numpy as np
import pandas as pd
import xarray as xr

import bayesrank as br
from bayesrank import _text
from bayesrank.cases._tables import counts_of
from bayesrank.cli._analysis import Question, asking, check_classes, number_or_word, progress, question, quiet
from bayesrank.cli._output import print_numbers
from bayesrank.cli.rank import MEAN, default_score
from bayesrank.models import names
from bayesrank.plots._style import short_names
from bayesrank.scores import Score, as_score

EXAMPLES = """
\b
Examples:
  bayesrank sensitivity breast_cancer --score mcc --other-score f1
  bayesrank sensitivity breast_cancer --score f1 --other-prevalence 0.02
  bayesrank sensitivity answers.csv --other-prior 10
"""
#: Columns that the leader's name may take up.
LEADER = 20
PER_ENTITY = (
    *("median", "lower", "upper", "probability_best", "probability_best_error", "rank_lower", "rank_upper", "tier"),
    "consensus_rank",
)


@click.command(epilog=EXAMPLES, short_help="Which conclusions survive another prior, model or score?")
@asking
@click.option("-s", "--score", help="Of the base analysis, as for 'bayesrank rank'.")
@click.option("--rope", default=0.0, show_default=True, help="Differences up to this do not count.")
@click.option(
    "--other-prior", multiple=True, help="Another prior; may be repeated. [default: those that the evidence can have]"
)
@click.option(
    "--other-model",
    multiple=True,
    type=click.Choice(names()),
    help="Another model; may be repeated. [default: the other one in closed form, of counts of two classes]",
)
@click.option("--other-score", multiple=True, help="Another score; may be repeated.")
@click.option("--other-prevalence", type=float, multiple=True, help="Where the entities might be used.")
@click.option(
    "--leave-out/--no-leave-out", default=True, show_default=True, help="Leave out each data set of several in turn."
)
@click.option("--format", "output", type=click.Choice(["table", "csv"]), default="table", show_default=True)
def sensitivity(
    score: str | None,
    rope: float,
    other_prior: tuple[str, ...],
    other_model: tuple[str, ...],
    other_score: tuple[str, ...],
    other_prevalence: tuple[float, ...],
    leave_out: bool,
    output: str,
    prob: float,
    draws: int,
    seed: int,
    **how: Any,
) -> None:
    """The ranking of DATA with one thing changed at a time, and which of its conclusions survive.

    DATA is a shipped data set, or a CSV file as for 'bayesrank rank'. The prior is changed, and halved and doubled in
    weight; so are the model and whatever else is asked for. Conclusions that fall are told with what they fall under,
    and a prior that the data contradict is told first.
    """
    with progress() as step:
        others = [as_score(name) for name in other_score]
        asked = question(step, **how, apart=leave_out)
        base = _score(asked, score, how["data"])
        step("ranking")
        with quiet():
            found = br.sensitivity(
                asked.evidence,
                base,
                model=asked.model,
                priors=[number_or_word(prior) for prior in other_prior] or None,
                models=list(other_model) or None,
                scores=others,
                prevalences=other_prevalence,
                datasets=leave_out,
                join=how["join"],
                prob=prob,
                rope=rope,
                draws=draws,
                seed=seed,
                **asked.options,
            )
    if output == "csv":
        click.echo(_frame(found).to_csv(index=False), nl=False)
        return
    _print(found)
    for sentence in br.sensitivity_verdict(found):
        click.echo(sentence)
    for line in asked.remarks:
        click.echo(f"Note: {line}")


def _score(asked: Question, given: str | None, data: str) -> Score | None:
    """What the base analysis ranks by: of outcomes their mean, of tables what was asked for or the default."""
    if asked.outcomes:
        if given not in (None, MEAN):
            raise ValueError(f"--score must be {MEAN} for outcomes, which have no classes, in {data}; got {given}")
        return None
    evidence = asked.evidence
    counts = counts_of(evidence.drop_vars("cluster", errors="ignore")) if isinstance(evidence, xr.Dataset) else evidence
    score = default_score(counts) if given is None else as_score(given)
    check_classes(counts, score, data)
    return score


def _print(found: xr.Dataset) -> None:
    """One row an alternative: who leads there, and what has become of the base's leader and conclusions."""
    size = found.attrs["worth"]
    conclusions = found.sizes["conclusion"]
    rows = [
        [
            str(row["alternative"].item()),
            str(row["leader"].item()) or "–",
            _text.probability(float(row["base_leader_probability_best"]), size),
            _text.interval(float(row["base_leader_rank_lower"]), float(row["base_leader_rank_upper"]), 0),
            f"{int(row['survives'].sum())} of {conclusions}",
            _text.number(float(row["kendall_tau"]), 2),
        ]
        for row in (found.isel(alternative=i) for i in range(found.sizes["alternative"]))
    ]
    for row, leader in zip(rows, short_names([row[1] for row in rows], LEADER), strict=True):
        row[1] = leader
    header = ["alternative", "leader", "P(best)", f"{100 * found.attrs['prob']:g}% ranks", "survive", "tau"]
    print_numbers(header, rows, least="tau")
    leader = str(found["leader"].values[0])
    if leader:
        click.echo(
            f"P(best) and ranks are those of {leader}, who leads the base analysis; survive: how many of its "
            "conclusions hold; tau: how alike the orders are."
        )


def _frame(found: xr.Dataset) -> pd.DataFrame:
    """One row an alternative and entity."""
    names, size = found["alternative"].values, found.sizes["entity"]
    frame = pd.DataFrame(
        {
            "alternative": np.repeat(names, size),
            "kind": np.repeat(found["kind"].values, size),
            "entity": np.tile(found["entity"].values.astype(str), len(names)),
        }
    )
    return frame.assign(**{name: found[name].transpose("alternative", "entity").values.ravel() for name in PER_ENTITY})
