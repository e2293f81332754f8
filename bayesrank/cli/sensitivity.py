"""``bayesrank sensitivity``: which conclusions survive another prior, model or score."""

from typing import Any

import click
import xarray as xr

import bayesrank as br
from bayesrank._core import prose
from bayesrank._core.errors import ArgumentError
from bayesrank._core.names import short_names
from bayesrank._core.records import ResultRecord
from bayesrank.analysis.default_score import choose_score
from bayesrank.analysis.draws import silence_samplers
from bayesrank.cli._analysis import read_data
from bayesrank.cli._export import Export, Sheet, format_option
from bayesrank.cli._help import Grouped
from bayesrank.cli._options import (
    DATA,
    LOWER,
    NOTES,
    ROPE,
    SCORE,
    SCORE_TYPE,
    SHARE,
    WORD,
    asking,
    over_groups,
)
from bayesrank.cli._sink import progress
from bayesrank.models import names
from bayesrank.scores import Score
from bayesrank.sensitivities.analysis import PER_ENTITY
from bayesrank.words.results import verdict_parts

EXAMPLES = """
\b
Examples:
  bayesrank sensitivity breast_cancer --score mcc --other-score f1
  bayesrank sensitivity breast_cancer --score f1 --other-prevalence 2%
  bayesrank sensitivity answers.csv --other-prior 10
  bayesrank sensitivity answers.csv --group language --aggregate worst
"""


@click.command(cls=Grouped, epilog=EXAMPLES)
@DATA
@asking
@SCORE
@LOWER
@ROPE
@click.option(
    "--other-prior",
    "priors",
    type=WORD,
    multiple=True,
    help="Another prior; may be repeated. [default: all that fit]",
)
@click.option(
    "--other-model",
    "models",
    multiple=True,
    type=click.Choice(names()),
    metavar="MODEL",
    help="Another model; may be repeated. [default for counts of two classes: the other conjugate model]",
)
@click.option(
    "--other-score",
    "scores",
    type=SCORE_TYPE,
    multiple=True,
    help="Another score; may be repeated.",
)
@click.option(
    "--other-prevalence",
    "prevalences",
    type=SHARE,
    multiple=True,
    help="Prevalence of another target population, 0.02 or 2%; may be repeated.",
)
@NOTES
@over_groups
@format_option()
def sensitivity(
    score: Score | None,
    priors: tuple[float | str, ...],
    models: tuple[str, ...],
    scores: tuple[Score, ...],
    prevalences: tuple[float | str, ...],
    notes: bool,
    format: str,
    **how: Any,
) -> None:
    """Change one thing at a time in the ranking of DATA, and list the conclusions that survive.

    DATA is a shipped data set, or a CSV file as for 'bayesrank rank'. The changes are other priors,
    half and twice the weight of the prior, other models, and the options --other-... below. The
    output lists each conclusion that fails and the change that breaks it. It starts with a warning
    if the data contradict the prior.
    """
    with progress() as step:
        settings = {name: how.pop(name) for name in ("prob", "rope", "draws", "seed")}
        wrong = [share for share in prevalences if isinstance(share, str) or not 0 < share < 1]
        if wrong:
            raise ArgumentError(
                "--other-prevalence", "must be a share of positives, as 0.02 or 2%", f"{wrong[0]!r}"
            )
        inputs = read_data(step, draws=settings["draws"], seed=settings["seed"], **how)
        score = choose_score(inputs.evidence, score)
        step("ranking")
        with silence_samplers():
            result = br.sensitivity(
                inputs.by_dataset,
                score,
                model=inputs.model,
                priors=list(priors) or None,
                models=list(models) or None,
                scores=list(scores),
                prevalences=list(prevalences),
                alternatives=["priors", "weights", "models", "datasets"],
                join=how["join"],
                higher_is_better=inputs.direction(score),
                **settings,
                **(inputs.aim or {}),
                **inputs.options,
            )
    lines, stated, record = inputs.say_verdict(verdict_parts(result), notes, score, *scores)
    Export(format).show(_sheet(result, [*lines, *stated], record))


def _sheet(result: xr.Dataset, lines: list[str], about: dict[str, Any]) -> Sheet:
    """Return one row per alternative: its leader, the base leader, and the conclusions that survive."""
    record = ResultRecord.of(result)
    size = record.effective_draws
    rows = [
        [
            str(row["alternative"].item()),
            str(row["leader"].item()) or "–",
            prose.probability(float(row["base_leader_probability_best"]), size),
            prose.interval(
                float(row["base_leader_rank_lower"]), float(row["base_leader_rank_upper"]), 0
            ),
            f"{int(row['survives'].sum())} of {result.sizes['conclusion']}",
            prose.number(float(row["kendall_tau"]), 2),
        ]
        for row in (result.isel(alternative=i) for i in range(result.sizes["alternative"]))
    ]
    leaders = list(dict.fromkeys(row[1] for row in rows))
    short = dict(
        zip(leaders, short_names(leaders, 20), strict=True)
    )  # so that the other columns have room
    rows = [[row[0], short[row[1]], *row[2:]] for row in rows]
    header = ["alternative", "leader", "P(best)", f"{record.percent} ranks", "survive", "tau"]
    leader = str(result["leader"].values[0])
    words = (
        f"Columns: P(best) and ranks are those of {leader}, the leader of the base analysis; survive is the number of "
        "conclusions that hold; tau is Kendall's correlation with the base order."
    )
    about |= {name: result.attrs[name] for name in ("prob", "rope") if name in result.attrs}
    frame = (
        result[["kind", *PER_ENTITY]]
        .reset_coords("kind")
        .to_dataframe(["alternative", "entity"])
        .reset_index("entity")
    )
    columns = ["kind", "entity", *PER_ENTITY]
    lines = [*lines, *([words] if leader else [])]
    return Sheet(header, rows, lines, frame[columns], about, "alternatives", least=("tau",))
