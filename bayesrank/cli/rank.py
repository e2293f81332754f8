"""``bayesrank rank``: which entity is best by one score, and how certain that is."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click
import numpy as np
import pandas as pd
import xarray as xr

import bayesrank as br
from bayesrank._core import prose
from bayesrank._core.checks import rename_argument
from bayesrank._core.errors import ArgumentError
from bayesrank._core.labels import select_names
from bayesrank._core.notes import notes_of
from bayesrank._core.records import ModelRecord, RankingRecord, ResultRecord
from bayesrank.analysis.default_score import choose_score
from bayesrank.analysis.draws import rank_posterior
from bayesrank.analysis.titles import default_note, describe_weighting, title_of
from bayesrank.cases.reliability import reliability_where_runs
from bayesrank.cli._analysis import CommandAnalysis, analyse
from bayesrank.cli._categories import CategoryRanking, rank_categories
from bayesrank.cli._export import Export, Sheet, exporting
from bayesrank.cli._help import Grouped
from bayesrank.cli._options import (
    BY,
    COST,
    NAMES,
    NOTES,
    PATHS,
    adding,
    analysing,
    over_groups,
    reading_logs,
    scoring,
)
from bayesrank.cli._sink import print_block, progress
from bayesrank.io.tables.files import HEADINGS, HELP
from bayesrank.models import population_of
from bayesrank.performance.arrays import posterior_of
from bayesrank.ranking.attempts import curve_where_runs
from bayesrank.ranking.facts import get_fact
from bayesrank.ranking.summary import (
    EVIDENCE,
    effective_draws,
    first_of_order,
    is_exact,
    score_name,
)
from bayesrank.scores import Score
from bayesrank.statements.probabilities import exact_probability
from bayesrank.words.cells import ranking_cells
from bayesrank.words.models import check_model, model_notes, population_words
from bayesrank.words.results import verdict_parts
from bayesrank.words.sentences import say

EXAMPLES = """
\b
Examples:
  bayesrank rank antibody_tests --score informedness
  bayesrank rank counts.csv --score f1 --rope 0.01
  bayesrank rank anomaly_detectors --dataset art_daily_jumpsup --score mcc
  bayesrank rank langchain_tool_use
  bayesrank rank antibody_tests --top 10 --format latex
  bayesrank rank breast_cancer --ask "logreg > knn5" --ask "rf in top 3"
  bayesrank rank subs/ --truth truth.csv --top-set 3 --ask "top 3 = a, b, c"
  bayesrank rank logs/ --only metric=acc
  bayesrank rank logs/ --score pass@4
  bayesrank rank logs/ --by category
  bayesrank rank counts.csv --group language --aggregate worst
  bayesrank rank answers.csv --cluster question --ignore remark
  bayesrank rank segmentation.csv --where metric=dice --outcome value
  bayesrank rank scores.csv --fold fold --train 900 --test 100
  cut -d, -f1-5 counts.csv | bayesrank rank - --format board > board.json
"""

#: Codes of notes that are printed without --notes.
PRINTED = (
    *(
        "score_undefined",
        "worst_of_each",
        "groups_without_cases",
        "entities_lack_groups",
        "groups_independent",
    ),
    *("pair_reversed_by_absence", "at_covariates", "style_coefficients"),
)

WHAT = f"""Rank the entities of DATA: a shipped data set, a CSV file, evaluation logs, or - for standard input.

Logs of evaluation tools are one or more files, folders, patterns or archives; 'bayesrank doctor' describes them.

In a table, the column names determine the meaning of a row. The columns are entity and the other columns of exactly
one of these lines, in any order:

\b
{HELP}

A table of one classifier has the columns actual and predicted, or actual, predicted and count, and no entity: the
classifier is called like the file. (truth, y_true, Reference; pred, y_pred, .pred_class, Prediction; n, Freq are read,
too.) A table of votes on pairs has the columns model_a, model_b and winner (model_a, model_b, tie, or a name).

Other columns are ignored. The column entity may also have another name, such as model, classifier, team, test or
study, if there is only one such column; --entity names another column. Without such a column, a row is a case and every
column an entity. The values are then outcomes: 1 for right and 0 for wrong (or pass and fail, yes and no, C and I), a
grade, or another number. With a column actual (or y_true) for the true label, the values are predicted labels.

With the two labels 0/1, -1/1, false/true, negative/positive or no/yes, the positive class is known; for other labels,
--positive names it.

If there are several data sets, a column dataset names them. Files of cases may also have these columns: case, the name
of the case; run, the repetition of the case (its outcome is the mean over runs); and cluster, the group of the case.
--case, --run, --cluster and --dataset-column accept other column names. --count names the column with the number of
cases that a row stands for; without --count, a column named count is used only in the lines above, and n only beside
actual and predicted. --weight names the column of importance (survey) weights. --outcome names a column of outcomes of
any name, such as dice, and --where metric=dice keeps the rows of one metric. --entity model,variant names entities by
two columns. Scores of cross-validation (a column for each learner, or a row for each learner and fold) need --train and
--test, and --fold or --repeat if their columns have other names. In a file with one column per entity, --entities lists
the entities, or --ignore leaves other columns out. The default model for per-case data, paired, needs every entity on
every case, unless --missing says how to treat empty fields.

A role is taken without its option only from these headings. Case, blanks, hyphens and underscores do not count:

\b
{HEADINGS}
"""


@click.command(cls=Grouped, help=WHAT, epilog=EXAMPLES)
@PATHS
@analysing
@reading_logs
@scoring
@click.option(
    "--ask",
    "statement",
    multiple=True,
    help="Print the probability of a statement, such as 'A > B and C in top 3' or 'top 3 = A, B, C'. May be repeated.",
)
@click.option(
    "--top-set",
    type=click.IntRange(1),
    metavar="K",
    help="Print which entities could be among the K best, all of them at once, and which surely are.",
)
@NOTES
@over_groups
@adding(BY, COST)
@click.option(
    "--columns",
    type=NAMES,
    help="More columns of the table, with commas: expected_rank, observed, consensus_rank, ...",
)
@exporting("board")
def rank(
    score: Score | None,
    rope: float,
    prob: float,
    statement: tuple[str, ...],
    top_set: int | None,
    kind: str | None,
    notes: bool,
    by: str | None,
    cost: str | None,
    columns: list[str] | None,
    export: Export,
    **how: Any,
) -> None:
    _check_format(export, statement, top_set, columns, cost)
    if by is not None:
        unfit = {
            "--ask": statement,
            "--top-set": top_set,
            "--columns": columns,
            "--notes": notes,
            "--picture": export.picture,
            "--cost": cost,
            "--kind": kind,
            "--dataset": how["dataset"],
            "--dataset-column": how["dataset_column"],
            "--format": export.format == "board" and "board",
        }
        _check_by(by, unfit, how)
        with progress() as step:
            rankings = rank_categories(step, by, score, rope, prob, how)
        # Programs get the first entities of each ranking.
        shown = replace(export, top=None) if export.full else export
        shown.show(*_category_sheets(rankings, by, export))
        return
    with progress() as step:
        analysis, used, ranking = make_ranking(step, score, rope, prob, kind, cost, how, notes)
        table, front = _chosen_first(ranking, export.top), None
        if cost is not None:
            better = bool(RankingRecord.of(ranking).higher_is_better)
            front = br.decisions.pareto_front(
                analysis.posterior, used, prob=prob, higher_is_better=better
            )
            table = table.join(_costs(front))
        for name in columns or []:
            if name not in table:
                raise ArgumentError(
                    "--columns", f"must contain names among {', '.join(table.columns)}", f"{name!r}"
                )
        answers = [_answer(ranking, text, analysis, used, kind) for text in statement]
        first = None if top_set is None else _find_top_set(analysis, used, top_set, prob, kind)
        export.draw(*(("forest", ranking) if front is None else ("pareto_front", front)))
    if export.format == "board":
        print_block(br.board(ranking, top=export.top))
        return
    parts = verdict_parts(ranking, model_notes(check_model(analysis.posterior), analysis.posterior))
    remarks = analysis.say_remarks(used)
    remarks += [] if front is None else verdict_parts(front).notes
    if export.full:
        record = {name: ranking.attrs[name] for name in ("score", "prob", "rope", "method")}
        record |= {"verdict": parts.sentences(), "notes": list(parts.notes)}
        record |= _answer_fields(answers, first)
        source = {"evidence": text} if (text := RankingRecord.of(ranking).evidence) else {}
        record |= analysis.labels | source | {"remarks": remarks, **_attempts(analysis, used, prob)}
        if _of_datasets(analysis.posterior):
            table = table.join(_spread_over_datasets(analysis, used, prob))
        frame = table.assign(**source) if export.format == "csv" else table
        export.show(Sheet([], [], frame=frame, about=record, name="ranking"))
        return
    costs = [] if front is None else verdict_parts(front).sentences()
    lines = [*costs, *parts.sentences()[1:]]
    lines += _lines(analysis, used, ranking, prob, kind, list(parts.notes) if notes else None)
    lines += [] if first is None else [*br.verdict(first), *(br.notes(first) if notes else ())]
    lines += [_answer_words(answer, ranking) for answer in answers]
    lines += [f"Note: {line}" for line in remarks if line not in lines]
    if score is None and used.name != "informedness":
        lines.append(
            f"Note: {default_note(analysis, ranking, used).replace('No score', 'No --score')}"
        )
    header, rows = ranking_cells(ranking, table, columns or [], export.places)
    title = title_of(analysis, ranking, used, export.top)
    export.show(Sheet(header, rows, lines, heading=[title, parts.headline], least=EVIDENCE))


def _check_format(
    export: Export,
    statement: Sequence[str],
    top_set: int | None,
    columns: list[str] | None,
    cost: str | None,
) -> None:
    """Refuse options whose results have no place in the format."""
    if cost is not None and export.format == "board":
        raise ArgumentError(
            "--cost",
            "cannot be used for --format board, which has no costs; csv and json have them",
            f"{cost!r}",
        )
    for option, value, got in (
        ("--ask", statement, ""),
        ("--top-set", top_set is not None, f"{top_set}"),
    ):
        if value and export.format in ("csv", "board"):
            requirement = (
                f"cannot be used for --format {export.format}, which has only a row for each "
                "entity; json has both"
            )
            raise ArgumentError(option, requirement, got)
    if columns and export.full:
        raise ArgumentError(
            "--columns", f"cannot be used for --format {export.format}, which has all columns"
        )


def _check_by(by: str, unfit: dict[str, Any], how: dict[str, Any]) -> None:
    """Refuse options that cannot be used with --by: those of ``unfit``, and of aggregates, which leave ``how``."""
    aggregates = ("group", "category", "over", "aggregate", "weights")
    unfit = {**unfit, **{f"--{name}": how.pop(name) for name in aggregates}}
    for option, value in unfit.items():
        if value:
            hint = f"--only {by}=NAME ranks one category" if option == "--format" else ""
            raise ArgumentError(option, "cannot be used with --by", f"{value!r}", hint)


def _answer_fields(answers: list[xr.Dataset], first: xr.Dataset | None) -> dict[str, Any]:
    """Return the answers to statements, and the sets for the first places, as fields of a record."""
    fields: dict[str, Any] = {
        "asked": [
            {name: answer.attrs[name] for name in ("statement", "method")}
            | {str(name): float(value) for name, value in answer.items()}
            for answer in answers
        ]
    }
    if first is not None:
        fields["top_set"] = {"k": first.attrs["k"], "verdict": br.verdict(first)} | {
            name: first["entity"].values[first[name].values].tolist()
            for name in ("in_confidence_set", "surely_top")
        }
    return fields


def _spread_over_datasets(analysis: CommandAnalysis, score: Score, prob: float) -> pd.DataFrame:
    """Return the spread of each entity's score between data sets, as columns of the table."""
    spread = br.heterogeneity(analysis.posterior, score, prob=prob)
    others = [name for name in spread.coords if name != "entity"]
    return spread.drop_vars(others).to_dataframe()


def _lines(
    analysis: CommandAnalysis,
    score: Score,
    ranking: xr.Dataset,
    prob: float,
    kind: str | None,
    notes: list[str] | None,
) -> list[str]:
    """Return the lines below the verdict. Without ``notes``, these are the ones that change its meaning."""
    runs = [" ".join(sentences) for sentences in _attempts(analysis, score, prob).values()]
    weighting = filter(None, [describe_weighting(analysis, analysis.posterior, ranking)])
    lines = [*runs, *weighting]
    if notes is None:
        found = notes_of(get_fact(ranking, "notes"))
        return [*lines, *(say(note) for note in found if note.code in PRINTED)]
    of_runs = reliability_where_runs(analysis.posterior) if runs else None
    about_runs = [] if of_runs is None else [*br.verdict(of_runs), *br.notes(of_runs)]
    return [*lines, *notes, *about_runs, *_lines_of_model(analysis, score, kind, ranking)]


def make_ranking(
    step: Any,
    score: Score | None,
    rope: float,
    prob: float,
    kind: str | None,
    cost: str | None,
    how: dict[str, Any],
    prior: bool = True,
) -> tuple[CommandAnalysis, Score, xr.Dataset]:
    """Return the analysis of DATA, the score that it is ranked by, and the ranking; ``prior`` adds its draws."""
    if score is not None and score.higher_is_better is None and how.get("aggregate") != "gap":
        raise ArgumentError("--score", f"must have a direction to rank by; {score.name} has none")
    if kind is not None and (how["model"] is None or population_of(how["model"]) != "data sets"):
        raise ArgumentError(
            "--kind", "cannot be used for models that do not learn from data sets", f"{kind!r}"
        )
    if cost is not None:
        how = how | {"cost": cost}
    groups = ("prior",) if prior else ()
    analysis = analyse(step, groups=groups, scores=[score], ranked=True, **how)
    score = choose_score(analysis.evidence, score)
    step("ranking")
    ranking = rank_posterior(analysis, analysis.posterior, score, prob=prob, rope=rope, kind=kind)
    return analysis, score, ranking


def _answer(
    ranking: xr.Dataset, statement: str, analysis: CommandAnalysis, score: Score, kind: str | None
) -> xr.Dataset:
    """Return the probability of a statement; from the numbers of the table where they suffice, so that both agree."""
    exact = exact_probability(ranking, statement) if is_exact(ranking) else None
    if exact is not None:
        return exact
    how: dict[str, Any] = {
        "rope": RankingRecord.of(ranking).rope,
        "higher_is_better": analysis.direction(score),
    }
    return br.probability(analysis.source, statement, score, kind=kind, **how)


def _find_top_set(
    analysis: CommandAnalysis, score: Score, k: int, prob: float, kind: str | None
) -> xr.Dataset:
    """Return the entities that could be among the ``k`` best."""
    with rename_argument("top_set", "k"):
        direction = analysis.direction(score)
        return br.top_set(
            analysis.source, score, k, prob=prob, higher_is_better=direction, kind=kind
        )


def _answer_words(answer: xr.Dataset, ranking: xr.Dataset) -> str:
    record, rope = ResultRecord.of(answer), RankingRecord.of(ranking).rope
    size = min(effective_draws(ranking), record.draws or np.inf)
    error = float(answer["probability_error"])
    origin = "without draws" if is_exact(answer) else f"from draws, Monte-Carlo error {error:.2g}"
    remark = f"; differences up to the ROPE of {rope:g} do not count" if rope else ""
    p = prose.probability(float(answer["probability"]), size)
    return f"{record.statement}: probability {p} ({origin}{remark})."


def _attempts(analysis: CommandAnalysis, score: Score, prob: float) -> dict[str, list[str]]:
    """Return who is best for how many attempts, if there are several runs of each case and several entities."""
    if analysis.aim is not None or analysis.higher_is_better is False:
        return {}
    curve = curve_where_runs(analysis.posterior, prob, score)
    return (
        {}
        if curve is None or curve.sizes["entity"] < 2
        else {"attempts": verdict_parts(curve).sentences()}
    )


def _lines_of_model(
    analysis: CommandAnalysis, score: Score, kind: str | None, ranking: xr.Dataset
) -> list[str]:
    """Return what the prior alone says of the score, and how much data sets differ for the leader."""
    from bayesrank.report.words import implied_prior, prior_scores

    posterior, prob = analysis.posterior, RankingRecord.of(ranking).prob
    implied = implied_prior(
        prior_scores(posterior, score, kind), prob, None if kind else posterior, score
    )
    prior = ModelRecord.of(posterior_of(posterior)).prior
    lines = (
        [f"Before any data, the {prior} prior gives {score_name(ranking)} a {implied}."]
        if implied
        else []
    )
    words = population_words(posterior)
    if words is not None:
        lines.append(words)
    elif _of_datasets(posterior):
        leader = br.ranking_table(ranking).index[:1].tolist()
        spread = select_names(br.heterogeneity(posterior, score, prob=prob), entity=leader)
        lines += [*br.verdict(spread), *br.notes(spread)]
    return lines


def _of_datasets(posterior: Any) -> bool:
    """Return whether the posterior knows a typical data set and a new one."""
    group = posterior_of(posterior)
    return "dataset" in group.dims and {"performance_typical", "performance_new"} <= set(
        group.data_vars
    )


def _chosen_first(ranking: xr.Dataset, top: int | None) -> pd.DataFrame:
    """Return the table of a ranking; the leader and the first of the order, ``top`` in all, come before all others."""
    chosen, table = first_of_order(ranking, top), br.ranking_table(ranking)
    return (
        pd.concat([chosen, table[~table.index.isin(chosen.index)]])
        if len(chosen) < len(table)
        else table
    )


def _costs(front: xr.Dataset) -> pd.DataFrame:
    retained = {
        "cost": "mean_cost",
        "cost_lower": "mean_cost_lower",
        "cost_upper": "mean_cost_upper",
    }
    retained |= {name: name for name in ("probability_front", "probability_front_error")}
    return pd.DataFrame({new: front[name].to_series() for name, new in retained.items()})


def _category_sheets(rankings: list[CategoryRanking], by: str, export: Export) -> list[Sheet]:
    """Return one ranking a sheet, or all in one table that programs read."""
    if not export.full:
        firsts = [_chosen_first(one.ranking, export.top) for one in rankings]
        tables = [
            ranking_cells(one.ranking, first, [], export.places)
            for one, first in zip(rankings, firsts, strict=True)
        ]
        return [
            Sheet(*table, one.lines, heading=[one.title], least=EVIDENCE)
            for table, one in zip(tables, rankings, strict=True)
        ]
    frame = pd.concat(
        [first_of_order(one.ranking, export.top).assign(part=one.title) for one in rankings]
    )
    record = {"by": by, "lines": {one.title: one.lines for one in rankings}}
    return [Sheet([], [], frame=frame, about=record, name="ranking")]
