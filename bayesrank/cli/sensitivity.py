"""``bayesrank sensitivity``: which conclusions survive other priors, models, scores and fewer data."""

from dataclasses import replace
from typing import Any

import click
import numpy as np
import pandas as pd
import xarray as xr

import bayesrank as br
from bayesrank import _text
from bayesrank._names import short_names
from bayesrank.cli._analysis import asking, chosen_score, number_or_word, progress, question, quiet
from bayesrank.cli._formats import FORMATS, HELP, Sheet, show
from bayesrank.cli._preferences import NOTES, ROPE, fixed_prevalence
from bayesrank.cli._scores import read_score
from bayesrank.cli.rank import LOWER, direction
from bayesrank.models import names
from bayesrank.sensitivities.analysis import PER_ENTITY
from bayesrank.words.results import verdict_parts

EXAMPLES = """
\b
Examples:
  bayesrank sensitivity breast_cancer --score mcc --other-score f1
  bayesrank sensitivity breast_cancer --score f1 --other-prevalence 2%
  bayesrank sensitivity answers.csv --other-prior 10
"""
#: Columns that the leader's name may take up.
LEADER = 20


@click.command(epilog=EXAMPLES)
@asking
@click.option("-s", "--score", help="Score of the base analysis, as for 'bayesrank rank'.")
@LOWER
@ROPE
@click.option("--other-prior", multiple=True, help="Another prior; may be repeated. [default: all that fit the data]")
@click.option(
    "--other-model",
    multiple=True,
    type=click.Choice(names()),
    metavar="MODEL",
    help="Another model; may be repeated. [default for counts of two classes: the other conjugate model]",
)
@click.option("--other-score", multiple=True, help="Another score; may be repeated.")
@click.option(
    "--other-prevalence", multiple=True, help="Prevalence of another target population, 0.02 or 2%; may be repeated."
)
@click.option(
    "--leave-out/--no-leave-out",
    default=True,
    show_default=True,
    help="Omit each data set in turn, if there are several.",
)
@NOTES
@click.option("--format", "output", type=click.Choice(FORMATS), default="table", show_default=True, help=HELP)
def sensitivity(
    score: str | None,
    lower_is_better: bool,
    rope: float,
    other_prior: tuple[str, ...],
    other_model: tuple[str, ...],
    other_score: tuple[str, ...],
    other_prevalence: tuple[str, ...],
    leave_out: bool,
    notes: bool,
    output: str,
    prob: float,
    draws: int,
    seed: int,
    **how: Any,
) -> None:
    """Change one thing at a time in the ranking of DATA, and list the conclusions that survive.

    DATA is a shipped data set, or a CSV file as for 'bayesrank rank'. The changes are other
    priors, half and twice the weight of the prior, other models, and the options --other-... below. The output lists
    each conclusion that fails and the change that breaks it. It starts with a warning if the data contradict the prior.
    """
    with progress() as step:
        others = [read_score(name) for name in other_score]
        elsewhere = [_share(text) for text in other_prevalence]
        inputs = question(step, **how)
        base = chosen_score(inputs.evidence, score, how["data"])
        better = direction(base, lower_is_better)
        step("ranking")
        with quiet():
            found = br.sensitivity(
                inputs.by_dataset if leave_out else inputs.evidence,
                base,
                model=inputs.model,
                priors=[number_or_word(prior) for prior in other_prior] or None,
                models=list(other_model) or None,
                scores=others,
                prevalences=elsewhere,
                alternatives=["priors", "weights", "models", *(["datasets"] if leave_out else [])],
                join=how["join"],
                prob=prob,
                rope=rope,
                higher_is_better=better,
                draws=draws,
                seed=seed,
                **inputs.options,
            )
    sheet = _sheet(found, notes, inputs.stated(base, *others))
    show(replace(sheet, about=sheet.about | inputs.labels), output)


def _share(text: str) -> float:
    """Return a typed prevalence as a number."""
    share = fixed_prevalence(text)
    if share is None or not 0 <= share <= 1:
        raise ValueError(f"--other-prevalence must be a share of positives from 0 to 1, as 0.02 or 2%; got {text!r}")
    return share


def _sheet(found: xr.Dataset, with_notes: bool, remarks: list[str]) -> Sheet:
    """Return one row per alternative: its leader, the base leader, and the conclusions that survive."""
    size = found.attrs["effective_draws"]
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
    leaders = list(dict.fromkeys(row[1] for row in rows))
    short = dict(zip(leaders, short_names(leaders, LEADER), strict=True))
    for row in rows:
        row[1] = short[row[1]]
    header = ["alternative", "leader", "P(best)", f"{100 * found.attrs['prob']:g}% ranks", "survive", "tau"]
    leader = str(found["leader"].values[0])
    words = (
        f"P(best) and ranks are of {leader}, the leader of the base analysis; survive counts the conclusions that "
        "hold; tau is Kendall's correlation with the base order."
    )
    parts = verdict_parts(found)
    lines = [*parts.sentences(), *(parts.notes if with_notes else ())]
    lines += [f"Note: {line}" for line in remarks if line not in lines]
    lines += [f"Columns: {words}"] if leader else []
    about = {name: found.attrs[name] for name in ("prob", "rope") if name in found.attrs}
    about |= {"verdict": parts.sentences(), "notes": list(parts.notes)}
    return Sheet(header, rows, lines, _frame(found), about, "alternatives", least="tau")


def _frame(found: xr.Dataset) -> pd.DataFrame:
    """Return one row an alternative and entity."""
    names, size = found["alternative"].values, found.sizes["entity"]
    frame = pd.DataFrame(
        {
            "alternative": np.repeat(names, size),
            "kind": np.repeat(found["kind"].values, size),
            "entity": np.tile(found["entity"].values.astype(str), len(names)),
        }
    )
    numbers = {name: found[name].transpose("alternative", "entity").values.ravel() for name in PER_ENTITY}
    return frame.assign(**numbers).set_index("alternative")
