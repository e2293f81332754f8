"""``bayesrank rank``: which entity is best by one score, and how certain that is."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import click
import numpy as np
import pandas as pd
import xarray as xr

import bayesrank as br
from bayesrank import _text
from bayesrank._compat import groups_of
from bayesrank.cli._analysis import Analysis, analyse, analysing, chosen_score, progress
from bayesrank.cli._categories import CategoryRanking, rank_categories
from bayesrank.cli._datasets import dataset_lines, with_populations
from bayesrank.cli._files import HELP
from bayesrank.cli._formats import DIGITS, FULL, Sheet, check_digits, exporting, save, show
from bayesrank.cli._logs import are_logs, choices_of, reading_logs
from bayesrank.cli._output import rank_cells, rank_header
from bayesrank.cli._preferences import KIND, NOTES, ROPE
from bayesrank.cli._scores import read_score
from bayesrank.models import population_of
from bayesrank.ranking._notes import positive_class_notes
from bayesrank.ranking.summary import effective_draws, is_exact, score_name
from bayesrank.scores import Score
from bayesrank.statements._exact import exact_probability
from bayesrank.words._parts import Verdict
from bayesrank.words.models import check_model, model_caveat
from bayesrank.words.results import verdict_parts

EXAMPLES = """
\b
Examples:
  bayesrank rank antibody_tests --score informedness
  bayesrank rank counts.csv --score f1 --rope 0.01
  bayesrank rank anomaly_detectors --dataset art_daily_jumpsup --score mcc
  bayesrank rank livecodebench_execution
  bayesrank rank antibody_tests --top 10 --format latex
  bayesrank rank breast_cancer --ask "logreg > knn5" --ask "rf in top 3"
  bayesrank rank logs/ --only metric=acc
  bayesrank rank logs/ --by category
  bayesrank rank answers.csv --cluster question --ignore remark
  cut -d, -f1-5 counts.csv | bayesrank rank - --format board > board.json
"""

LOWER = click.option("--lower-is-better", is_flag=True, help="Rank low outcomes first, such as costs or errors.")
WHAT = f"""Rank the entities of DATA: a shipped data set, a CSV file, evaluation logs, or - for standard input.

Logs of evaluation tools are one or more files, folders, patterns or archives; 'bayesrank doctor' describes them.

In a table, the column names determine the meaning of a row. The columns are entity and the other columns of exactly
one of these lines, in any order:

\b
{HELP}

Other columns are ignored. The column entity may also be called model, classifier, system, team, test, name or study,
if there is only one of them; --entity names another. Without such a column, a row is a case and every column an
entity. Its values are outcomes: 1 for right and 0 for wrong (or pass and fail, yes and no, C and I), a grade, or
another number. With a column actual (or y_true) for the true label, the values are predicted labels.

With the two labels 0/1, -1/1, false/true, negative/positive or no/yes, the positive class is known; for other labels,
--positive names it.

If there are several data sets, a column dataset names them. Files of cases may also have these columns: case, the name
of the case; run, the repetition of the case (its outcome is the mean over runs); cluster, the group of the case; and
weight, the number of times that it counts. --case, --run, --cluster and --dataset-column accept other column names. In
a file with one column per entity, --entities lists the entities, or --ignore leaves other columns out. Cases are ranked
by the model paired. It needs every entity on every case, unless --missing says how to treat empty fields.
"""


SCORING = (
    click.option(
        "-s",
        "--score",
        help="Name or alias (see 'bayesrank scores'), f0.7, an importance tn=1,fp=1,fn=5,tp=1, or a point of the Tile "
        "a=0.3,b=0.7. [default: mean_outcome for outcomes; informedness for two classes with cases; else accuracy]",
    ),
    LOWER,
    ROPE,
    KIND,
)


def scoring(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that say what to rank by."""
    for option in reversed(SCORING):
        command = option(command)
    return command


@click.command(help=WHAT, epilog=EXAMPLES)
@partial(analysing, nargs=-1)
@reading_logs
@scoring
@click.option(
    "--ask",
    multiple=True,
    help="Print the probability of a statement, such as 'A > B and C in top 3'. May be repeated.",
)
@NOTES
@click.option(
    "--by",
    metavar="COLUMN",
    help="Outcomes only: rank by the mean over categories, by the worst category, and in each category.",
)
@click.option(
    "--cost",
    metavar="COLUMN",
    help="Outcomes by case only: the column with the cost of each answer. Adds the mean cost and "
    "the probability of being on the Pareto front of outcome and cost, which --picture then draws.",
)
@click.option("--columns", help="More columns of the table, with commas: expected_rank, observed, consensus_rank, ...")
@exporting("board")
def rank(
    score: str | None,
    lower_is_better: bool,
    rope: float,
    prob: float,
    ask: tuple[str, ...],
    kind: str | None,
    notes: bool,
    by: str | None,
    cost: str | None,
    columns: str | None,
    output: str,
    top: int | None,
    digits: int | None,
    picture: str | None,
    **how: Any,
) -> None:
    """Rank the entities, and write the table and the picture."""
    with progress() as step:
        check_digits(digits, output)
        if ask and output in ("csv", "board"):
            raise ValueError(
                f"--ask must be left out of --format {output}, which has only a row for each entity; json has both"
            )
        if by is not None:
            unfit = {"--ask": ask, "--columns": columns, "--notes": notes, "--picture": picture, "--cost": cost,
                     "--kind": kind, "--dataset": how["dataset"],
                     "--dataset-column": how["dataset_column"], "--format": output == "board" and output}  # fmt: skip
            given = next((option for option, value in unfit.items() if value), None)
            if given is not None:
                raise ValueError(f"{given} must be left out beside --by; got {unfit[given]!r}")
            _prepare(score, lower_is_better, kind, how)
            rankings = rank_categories(step, by, score, partial(known_direction, lower_is_better), rope, prob, how)
    if by is not None:
        _show_categories(rankings, by, output, top, DIGITS if digits is None else digits)
        return
    with progress() as step:
        paid = {} if cost is None else {"cost": cost}
        analysis, the_score, ranking = make_ranking(step, score, lower_is_better, rope, prob, kind, how, paid)
        table, front = br.ranking_table(ranking), None
        if cost is not None:
            better = bool(ranking.attrs["higher_is_better"])
            front = br.decisions.pareto_front(analysis.posterior, the_score, prob=prob, higher_is_better=better)
            table = table.join(_costs(front))
        wanted = _columns(columns, table, output)
        answers = [_answer(ranking, statement, analysis.posterior, the_score, kind) for statement in ask]
        saved_to = None
        if picture:
            saved_to = save(br.plots.forest(ranking) if front is None else br.plots.pareto_front(front), picture)
    if output == "board":
        click.echo(br.board(ranking, top=top), nl=False)
        return
    parts = verdict_parts(ranking, model_caveat(check_model(analysis.posterior), analysis.posterior))
    lines, remarks = parts.sentences()[1:], analysis.inputs.stated(the_score)
    if front is not None:
        lines = [*verdict_parts(front).sentences(), *lines]
        remarks = [*remarks, *verdict_parts(front).notes]
    if output not in FULL:
        lines += parts.notes if notes else []
        lines += _prior_line(analysis.posterior, the_score, kind, prob, score_name(ranking)) if notes else []
        lines += dataset_lines(analysis.posterior, the_score, ranking) if notes else []
        for answer in answers:
            p = _text.probability(
                float(answer["probability"]), min(effective_draws(ranking), answer.attrs.get("draws", np.inf))
            )
            error = float(answer["probability_error"])
            origin = "without draws" if is_exact(answer) else f"from draws, Monte-Carlo error {error:.2g}"
            apart = f"; differences up to the ROPE of {rope:g} do not count" if rope else ""
            lines.append(f"{answer.attrs['statement']}: probability {p} ({origin}{apart}).")
        noun = analysis.inputs.noun
        shown = f"the column {noun} names the entities."  # the heading says it
        kept = (line for line in remarks if line not in lines and line.lower() != shown)
        lines += [f"Note: {line}" for line in kept]
        if score is None and the_score.name != "informedness":
            low, high = ranking.attrs["range"]
            what = f", the mean of outcomes from {low:g} to {high:g}" * (
                the_score.space == "outcomes" and high < np.inf
            )
            what += "; lower is better" * lower_is_better
            lines.append(f"Note: No --score was given: the ranking is by {score_name(ranking)}{what}.")
        lines += [saved_to] if saved_to and output == "table" else []
    sheet = _sheet(ranking, table, wanted, answers, parts, lines, DIGITS if digits is None else digits)
    header = [analysis.inputs.noun, *sheet.header[1:]]
    sheet = replace(sheet, header=header, heading=[_title(ranking, the_score, analysis, top), parts.headline])
    if output in FULL:
        frame = with_populations(table, analysis.posterior, the_score, prob)
        source = {"evidence": ranking.attrs["evidence"]} if "evidence" in ranking.attrs else {}
        sheet = replace(sheet, frame=frame.assign(**(source if output == "csv" else {})))
        sheet = replace(sheet, about={**sheet.about, **analysis.inputs.labels, **source, "remarks": remarks})
    show(sheet, output, top)


def make_ranking(
    step: Any,
    score: str | None,
    lower_is_better: bool,
    rope: float,
    prob: float,
    kind: str | None,
    how: dict[str, Any],
    more: dict[str, Any],
) -> tuple[Analysis, Score, xr.Dataset]:
    """Return the analysis of DATA, the score that it is ranked by, and the ranking; ``more`` are further columns."""
    _prepare(score, lower_is_better, kind, how)
    analysis = analyse(step, **how, **more)
    the_score = chosen_score(analysis.inputs.evidence, score, how["data"])
    step("ranking")
    better = direction(the_score, lower_is_better or analysis.inputs.lower)
    ranking = br.credible_ranking(
        analysis.posterior, the_score, prob=prob, rope=rope, higher_is_better=better, kind=kind, method="auto"
    )
    return analysis, the_score, ranking


def _prepare(score: str | None, lower_is_better: bool, kind: str | None, how: dict[str, Any]) -> None:
    """Check the score, and take the paths and the options of logs out of ``how``."""
    # A name that does not exist is better known before the work than after it.
    known = None if score is None else read_score(score)
    if known is not None and known.higher_is_better is None:
        raise ValueError(f"--score must have a direction to rank by; {known.name} has none")
    if kind is not None and (how["model"] is None or population_of(how["model"]) != "data sets"):
        raise ValueError(f"--kind must be left out for models that do not learn from data sets; got {kind!r}")
    paths = how.pop("data")
    how["data"] = "\n".join(paths)
    logs = choices_of(how).also(lower=lower_is_better)
    if are_logs(paths):
        how["logs"] = logs
    elif logs.typed().removesuffix("--lower-is-better"):
        raise ValueError(f"{logs.typed().split()[0]} must be left out of a table, which is no log; got {how['data']}")


def known_direction(lower_is_better: bool, score: Score, lower: bool) -> bool | None:
    """Return whether higher is better, if the user or the files (``lower``) say so; None if the score determines it."""
    return direction(score, lower_is_better or lower)


def direction(score: Score, lower_is_better: bool) -> bool | None:
    """Return whether higher is better; None if the score determines it."""
    if not lower_is_better:
        return None
    if score.space != "outcomes":
        raise ValueError(f"--lower-is-better must be left out of scores, which have a direction; got {score.name}")
    return False


def _answer(ranking: xr.Dataset, statement: str, posterior: Any, score: Score, kind: str | None) -> xr.Dataset:
    """Return the probability of a statement; from the numbers of the table where they suffice, so that both agree."""
    known = exact_probability(ranking, statement) if is_exact(ranking) else None
    return (
        br.probability(
            posterior,
            statement,
            score,
            rope=ranking.attrs["rope"],
            kind=kind,
            higher_is_better=bool(ranking.attrs["higher_is_better"]),
        )
        if known is None
        else known
    )


def _prior_line(posterior: Any, score: Score, kind: str | None, prob: float, name: str) -> list[str]:
    """Return what the prior alone says of the score; empty without a prior to draw from."""
    from bayesrank.report.words import implied_prior, prior_scores

    implied = implied_prior(prior_scores(posterior, score, kind), prob, None if kind else posterior, score)
    prior = groups_of(posterior)["posterior"].attrs.get("prior")
    return [f"Before any data, the {prior} prior gives {name} a {implied}."] if implied else []


def _score_cells(row: Any, digits: int) -> list[str]:
    """Return median and interval."""
    low, high = row["lower"], row["upper"]
    if np.isnan(low):
        return ["–", "–"]
    return [_text.format_with_interval(row["median"], low, high, digits), _text.interval_digits(low, high, digits)]


def _cost_cells(row: Any, digits: int, size: float) -> list[str]:
    """Return the median and the interval of the mean cost, and the probability of being on the Pareto front."""
    low, high = row["mean_cost_lower"], row["mean_cost_upper"]
    middle = _text.format_with_interval(row["mean_cost"], low, high, digits)
    return [middle, _text.interval_digits(low, high, digits), _text.probability(row["probability_front"], size)]


def _show_categories(rankings: list[CategoryRanking], by: str, output: str, top: int | None, digits: int) -> None:
    """Print one ranking below the other, or all in one table that programs read."""
    if output in FULL:
        frames = [br.ranking_table(one.ranking).assign(part=one.title) for one in rankings]
        about = {"by": by, "lines": {one.title: one.lines for one in rankings}}
        show(
            Sheet([], [], frame=pd.concat([frame.iloc[:top] for frame in frames]), about=about, name="ranking"), output
        )
        return
    for one in rankings:
        header, rows = _cells(one.ranking, br.ranking_table(one.ranking), [], digits)
        show(Sheet(header, rows, one.lines, heading=[one.title]), output, top)
        click.echo()


def _costs(front: xr.Dataset) -> pd.DataFrame:
    """Return the columns of the table on costs and the Pareto front."""
    kept = {"cost": "mean_cost", "cost_lower": "mean_cost_lower", "cost_upper": "mean_cost_upper"}
    kept |= {name: name for name in ("probability_front", "probability_front_error")}
    return pd.DataFrame({new: front[name].to_series() for name, new in kept.items()})


def _columns(typed: str | None, table: pd.DataFrame, output: str) -> list[str]:
    """Return the names of the columns that were asked for, after a check that the ranking has them."""
    names = [name.strip() for name in (typed or "").split(",") if name.strip()]
    if names and output in FULL:
        raise ValueError(f"--columns must be left out of --format {output}, which has all columns; got {typed}")
    for name in names:
        if name not in table:
            raise ValueError(f"--columns must hold names among {', '.join(table.columns)}; got {name!r}")
    return names


def _title(ranking: xr.Dataset, score: Score, analysis: Analysis, top: int | None) -> str:
    """Return what is ranked by what, with the choices that decide how to read it."""
    size, settings = ranking.sizes["entity"], analysis.inputs.options
    first = f"the first {top} of " if top is not None and top < size else ""
    words = [f"Ranking of {first}{_text.count(size, analysis.inputs.noun)} by {score_name(ranking)}"]
    if "prevalence" in settings:
        given = settings["prevalence"]
        words.append(f"prevalence {given if isinstance(given, str) else f'{100 * given:g}%'}")
    if positive_class_notes(analysis.inputs.by_dataset, score):
        words += [f"positive class {label}" for label in analysis.inputs.labels.values()]
    joined = (line for line in analysis.inputs.remarks if line.startswith(("Pooled over", "Learned from")))
    words += [line[0].lower() + line[1:].split(";")[0].split(",")[0].rstrip(".") for line in joined]
    return "; ".join(words) + "."


def _cells(
    ranking: xr.Dataset, table: pd.DataFrame, columns: list[str], digits: int
) -> tuple[list[str], list[list[str]]]:
    """Return the headings and the rows of a ranking."""
    size = effective_draws(ranking)
    level = f"{100 * ranking.attrs['prob']:g}%"
    header = ["entity", score_name(ranking), f"{level} interval", *rank_header(ranking.attrs["prob"]), "tier"]
    costs = "mean_cost" in table
    header += ["mean cost", f"{level} interval", "P(front)"] * costs
    rows = [
        [
            str(name),
            *_score_cells(row, digits),
            *rank_cells(row, size),
            _text.number(row["tier"], 0),
            *(_cost_cells(row, digits, size) if costs else []),
            *(_text.number(row[name], digits) for name in columns),
        ]
        for name, row in table.iterrows()
    ]
    return [*header, *columns], rows


def _sheet(
    ranking: xr.Dataset,
    table: pd.DataFrame,
    columns: list[str],
    answers: list[xr.Dataset],
    parts: Verdict,
    lines: list[str],
    digits: int,
) -> Sheet:
    about = {name: ranking.attrs[name] for name in ("score", "prob", "rope", "method")}
    about |= {"verdict": parts.sentences(), "notes": list(parts.notes)}
    about["asked"] = [
        {name: answer.attrs[name] for name in ("statement", "method")}
        | {str(name): float(value) for name, value in answer.items()}
        for answer in answers
    ]
    return Sheet(*_cells(ranking, table, columns, digits), lines, table, about, "ranking")
