"""``bayesrank scores``: list the scores; with DATA, several scores of every entity."""

import math
from dataclasses import replace
from typing import Any

import click
import numpy as np
import xarray as xr
from click.core import ParameterSource

import bayesrank as br
from bayesrank._core import prose
from bayesrank._core.errors import ArgumentError
from bayesrank._core.labels import has_positive_class
from bayesrank._core.percent import score_heading, score_text
from bayesrank._core.records import ResultRecord
from bayesrank.cli._analysis import CommandAnalysis, analyse
from bayesrank.cli._export import Export, Sheet, exporting
from bayesrank.cli._help import Grouped
from bayesrank.cli._options import KIND, SCORE_FORMS, analysing
from bayesrank.cli._output import fits, print_line, print_text
from bayesrank.cli._sink import progress
from bayesrank.cli._typed import ValueType, read_score, target_prevalence
from bayesrank.decisions.frequencies import OUTCOMES
from bayesrank.models import population_of
from bayesrank.ranking.values import natural_score
from bayesrank.scores import Score
from bayesrank.words.cells import interval_cells

EXAMPLES = """
\b
Examples:
  bayesrank scores
  bayesrank scores breast_cancer --prevalence 2%
  bayesrank scores counts.csv --prevalence 12/600 --per 1000
  bayesrank scores counts.csv -s sens -s spec -s lr+ --format latex
"""
#: What the scores of each sample space are of.
GROUPS = {
    "binary": "Scores of two classes. Of more: macro_f1, weighted_f1 (and so for others), or f1:CLASS.",
    "classes": "Scores of any number of classes.",
    "outcomes": "Scores of outcomes without classes.",
    "votes": "Scores of votes on pairs.",
    "cases": "Scores of predicted probabilities.",
}
#: Default scores: those of a diagnostic study for two classes, and scores of any number of classes.
OF_TWO = ("sensitivity", "specificity", "PPV", "NPV", "LR+", "LR-", "DOR")
OF_MORE = ("accuracy", "macro_recall", "macro_precision", "macro_f1", "mcc")


@click.command(cls=Grouped, epilog=EXAMPLES)
@click.argument("data", metavar="[DATA]", required=False)
@analysing
@click.option(
    "-s",
    "--score",
    "scores",
    type=ValueType("score", lambda text, option: (text, read_score(text, option))),
    multiple=True,
    help=f"{SCORE_FORMS}; may be repeated. [default: {', '.join(OF_TWO)}; for more classes {', '.join(OF_MORE)}; for "
    "outcomes mean_outcome]",
)
@click.option(
    "--per",
    type=click.FloatRange(0, min_open=True),
    help="Instead of scores, show the true and false positives and negatives to expect among this number "
    "of tested persons.",
)
@KIND
@exporting()
def scores(
    data: str | None,
    scores: tuple[tuple[str, Score], ...],
    prevalence: float | str | None,
    per: float | None,
    kind: str | None,
    prob: float,
    export: Export,
    **how: Any,
) -> None:
    """List the scores, their aliases and formulas; with DATA, the medians and intervals of several scores in one table.

    DATA is a shipped data set, or a CSV file as for 'bayesrank rank'. A number for --prevalence is
    the share of positives in the target population; predictive values are computed for it from the
    posterior rates. Its uncertainty is included if it was estimated from a sample of that
    population: 12/600. With several studies, --kind new gives intervals for one more data set like
    these, such as the next clinic.
    """
    if data is None:
        context = click.get_current_context()
        if ParameterSource.COMMANDLINE in map(context.get_parameter_source, context.params):
            raise ArgumentError(
                "DATA", "must be given for these options; without DATA all scores are listed"
            )
        _list_scores()
        return
    with progress() as step:
        share = target_prevalence(prevalence, how["draws"], how["seed"])
        share, fitted = (None, share) if isinstance(share, str) else (share, None)
        analysis = analyse(
            step, data=data, prevalence=fitted, scores=[score for _, score in scores], **how
        )
        if kind is not None and population_of(analysis.model) != "data sets":
            raise ArgumentError(
                "--kind", "cannot be used for models that do not learn from data sets", f"{kind!r}"
            )
        if share is not None:
            analysis.check_two_classes("--prevalence")
        if per is not None:
            if scores:
                raise ArgumentError("--score", "cannot be used with --per", scores[0][0])
            _show_persons(analysis, per, prevalence, share, prob, kind, export)
            return
        names = [name for name, _ in scores] or _default_scores(analysis)
        chosen = [score for _, score in scores] or [read_score(name) for name in names]
        step("scoring")
        table = _sort_table(
            br.score_table(analysis.posterior, chosen, prob=prob, prevalence=share, kind=kind),
            chosen[0],
        )
        table.attrs |= analysis.labels
        export.draw("intervals", table)
        # With --prevalence, the prevalence of the cases is not used.
        used = [
            None if share is not None and score.depends_on_prevalence else score for score in chosen
        ]
        notes = dict.fromkeys(
            line for score in used for line in analysis.notes(score, kind, ranked=False)
        )
    lines = [] if share is None else [_at(prevalence)]
    lines.append(
        f"Sorted by {names[0]}, which is not a ranking: 'bayesrank rank' says how sure an order is."
    )
    lines += [f"Note: {line}" for line in notes]
    if not scores:
        lines.append("Note: These are the default scores, as no --score was given.")
    _show(table, names, lines, export)


def _at(prevalence: float | str | None) -> str:
    if isinstance(prevalence, str):
        sample = prevalence.replace("/", " positives of ")
        return f"The prevalence was estimated from {sample} cases; the rates are assumed to apply to its population."
    return f"The rates are assumed to apply at the prevalence {prevalence:g}."


def _list_scores() -> None:
    """Print the name, formula, direction and aliases of every score."""
    better = {True: "higher", False: "lower", None: "–"}
    for space, group in br.scores.catalog().groupby("space", sort=False):
        rows = [
            [
                str(name),
                row["formula"],
                better[row["higher_is_better"]],
                row["may_rank"] or "–",
                ", ".join(row["aliases"]),
            ]
            for name, row in group.iterrows()
        ]
        print_line(GROUPS[str(space)])
        print_text(["name", "formula", "better", "may rank", "aliases"], rows)


def _show_persons(
    analysis: CommandAnalysis,
    per: float,
    prevalence: float | str | None,
    share: Any,
    prob: float,
    kind: str | None,
    export: Export,
) -> None:
    """Print how many of ``per`` persons get each right and wrong answer; the first row misses the fewest."""
    analysis.check_two_classes("--per")
    frequencies = br.decisions.natural_frequencies(
        analysis.posterior, per, prevalence=share, prob=prob, kind=kind
    )
    frequencies = frequencies.isel(
        entity=np.argsort(frequencies["mean"].sel(outcome="fn").values, kind="stable")
    )
    export.draw("natural_frequencies", frequencies)
    rows = [
        [str(name), *_frequency_cells(frequencies.isel(entity=i), export)]
        for i, name in enumerate(frequencies["entity"].values)
    ]
    headings = frequencies["heading"].values.tolist()
    header = ["entity", *headings, "PPV", "NPV"]
    frame = (
        frequencies[["mean", "lower", "upper"]]
        .reset_coords(drop=True)
        .to_dataframe(dim_order=["entity", "outcome"])
        .reset_index("outcome")
    )
    level = ResultRecord.of(frequencies).percent
    # With --prevalence, the prevalence of the cases is not used.
    used = [
        None if share is not None and name == "ppv" else br.scores.get(name)
        for name in ("tpr", "tnr", "ppv")
    ]
    notes = dict.fromkeys(line for score in used for line in analysis.notes(score, kind))
    lines = [
        f"Expected numbers per {per:,.10g} tested persons, and medians of predictive values, with {level} intervals.",
        "Sorted by the number of missed cases, which is not a ranking: 'bayesrank rank' says how sure an order is.",
        *([] if prevalence is None else [_at(prevalence)]),
        *(f"Note: {line}" for line in notes),
    ]
    record = dict(frequencies.attrs) | analysis.labels
    export.show(Sheet(header, rows, lines, frame, record, "outcomes", least=headings[-1:]))


def _frequency_cells(frequencies: xr.Dataset, export: Export) -> list[str]:
    """Return the numbers of persons and the predictive values of one entity, with intervals, as text."""
    digits = 1 if export.digits is None else export.digits
    cells = []
    for outcome in OUTCOMES:
        persons = [frequencies[end].sel(outcome=outcome) for end in ("mean", "lower", "upper")]
        cells.append(_with_interval(persons, digits))
    for value in ("ppv", "npv"):
        shares = [frequencies[f"{value}{end}"] for end in ("", "_lower", "_upper")]
        cells.append(_with_interval(shares, export.places))
    return cells


def _with_interval(numbers: list[xr.DataArray], digits: int) -> str:
    middle, low, high = map(float, numbers)
    shown, ends = interval_cells(middle, low, high, digits)
    return f"{shown} ({ends})"


def _default_scores(analysis: CommandAnalysis) -> list[str]:
    natural = natural_score(analysis.evidence)
    if natural is not None:
        return [natural.name]
    performance = analysis.performance
    two = performance.sizes["actual"] == 2 and has_positive_class(performance)
    return list(OF_TWO if two else OF_MORE)


def _sort_table(table: xr.Dataset, first: Score) -> xr.Dataset:
    """Best first by the first score; equals by name, the undefined last."""
    values = table["median"].isel(score=0).values * (1 if first.higher_is_better is False else -1)
    names = [str(name) for name in table["entity"].values]
    order = sorted(range(len(names)), key=lambda i: (math.isnan(values[i]), values[i], names[i]))
    return table.isel(entity=order)


def _show(table: xr.Dataset, names: list[str], lines: list[str], export: Export) -> None:
    """Print all scores in one table, or one below the other where a terminal has no room for that."""
    if export.full:
        frame = table.to_dataframe(dim_order=["entity", "score"]).reset_index("score")
        count = export.top and export.top * len(names)
        Export(export.format, count).show(
            Sheet([], [], frame=frame, about=dict(table.attrs), name="scores")
        )
        return
    level = f"{ResultRecord.of(table).percent} interval"
    cells = {
        str(entity): [
            _cells(table.isel(entity=i, score=j), export.places) for j in range(len(names))
        ]
        for i, entity in enumerate(table["entity"].values)
    }
    names = [score_heading(name) for name in names]
    wide = ["entity", *(f"{name} ({level})" for name in names)]
    rows = [
        [entity, *(f"{middle} ({ends})" for middle, ends, _ in found)]
        for entity, found in cells.items()
    ]
    if len(cells) == 1:
        [(entity, scores_of_entity)] = cells.items()
        rows = [[name, *each] for name, each in zip(names, scores_of_entity, strict=True)]
        replace(export, top=None).show(Sheet([entity, "median", level, "observed"], rows, lines))
    elif export.format != "table" or fits(wide, rows):
        export.show(Sheet(wide, rows, lines))
    else:
        sheets = [
            Sheet(
                ["entity", name, level, "observed"],
                [[entity, *found[j]] for entity, found in cells.items()],
            )
            for j, name in enumerate(names)
        ]
        sheets[-1].lines.extend(lines)
        export.show(*sheets)


def _cells(one: xr.Dataset, digits: int) -> list[str]:
    """Return median, interval and observed value."""
    middle, low, high, observed = (
        float(one[name]) for name in ("median", "lower", "upper", "observed")
    )
    shown = (
        prose.number(observed, digits)
        if np.isnan(low)
        else prose.format_with_interval(observed, low, high, digits)
    )
    return [score_text(text) for text in (*interval_cells(middle, low, high, digits), shown)]
