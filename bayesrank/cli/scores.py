"""``bayesrank scores``: list the scores; with DATA, several scores of every entity."""

import math
from functools import partial
from typing import Any

import click
import numpy as np
import xarray as xr

import bayesrank as br
from bayesrank import _text
from bayesrank._labels import has_positive_class
from bayesrank.cli._analysis import Analysis, analyse, analysing, check_space, progress
from bayesrank.cli._formats import DIGITS, FULL, Sheet, check_digits, exporting, save, show
from bayesrank.cli._output import fits, print_text
from bayesrank.cli._preferences import fixed_prevalence
from bayesrank.cli._scores import read_score
from bayesrank.ranking.values import natural_score
from bayesrank.scores import Score, as_score

EXAMPLES = """
\b
Examples:
  bayesrank scores
  bayesrank scores breast_cancer --prevalence 2%
  bayesrank scores counts.csv -s sens -s spec -s lr+ --format latex
"""
#: Default scores: those of a diagnostic study for two classes, and scores of any number of classes.
OF_TWO = ("sensitivity", "specificity", "PPV", "NPV", "LR+", "LR-", "DOR")
OF_MORE = ("accuracy", "macro_recall", "macro_precision", "macro_f1", "mcc")


@click.command(epilog=EXAMPLES)
@partial(analysing, required=False)
@click.option(
    "-s",
    "--score",
    "typed",
    multiple=True,
    help="Name or alias, f0.7, an importance tn=1,fp=1,fn=5,tp=1, or a point a=0.3,b=0.7; may be repeated. [default: "
    f"{', '.join(OF_TWO)}; for more classes {', '.join(OF_MORE)}; for outcomes mean_outcome]",
)
@exporting()
def scores(
    data: str | None,
    typed: tuple[str, ...],
    prevalence: str | None,
    prob: float,
    output: str,
    top: int | None,
    digits: int | None,
    picture: str | None,
    **how: Any,
) -> None:
    """List the scores, their aliases and formulas; with DATA, the medians and intervals of several scores in one table.

    DATA is a shipped data set, or a CSV file as for 'bayesrank rank'. A number for --prevalence is the share of
    positives in the target population; predictive values are computed for it from the posterior rates.
    """
    if data is None:
        given = {"--score": typed, "--prevalence": prevalence, "--picture": picture, "--top": top, "--digits": digits}
        given |= {"--format": output if output != "table" else None}
        for option, value in given.items():
            if value:
                raise ValueError(f"DATA must be given for {option}; without DATA all scores are listed")
        _print_catalogue()
        return
    with progress() as step:
        check_digits(digits, output)
        known = {name: read_score(name) for name in typed}
        _refuse_repeated(known)
        share = fixed_prevalence(prevalence)
        analysis = analyse(step, data=data, prevalence=None if share is not None else prevalence, **how)
        chosen = _chosen(analysis, known, share, data)
        names = list(chosen)
        step("scoring")
        scores = list(chosen.values())
        table = _sort_table(br.score_table(analysis.posterior, scores, prob=prob, prevalence=share), scores[0])
        saved_to = save(br.plots.intervals(table), picture) if picture else None
        notes = _notes(analysis, chosen, share)
    lines = []
    if share is not None:
        lines.append(f"At a prevalence of {share:g}, to which the rates are taken to hold.")
    lines.append(f"Sorted by {names[0]}, which is not a ranking: 'bayesrank rank' says how sure an order is.")
    lines += [f"Note: {line}" for line in notes]
    if not typed:
        lines.append("Note: These are the default scores, as no --score was given.")
    lines += [saved_to] if saved_to and output == "table" else []
    table.attrs |= analysis.inputs.labels
    _show(table, names, lines, DIGITS if digits is None else digits, output, top)


def _print_catalogue() -> None:
    table = br.scores.catalog()
    better = {True: "higher", False: "lower", None: "–"}
    print_text(
        ["name", "formula", "better", "aliases"],
        [
            [str(name), row["formula"], better[row["higher_is_better"]], ", ".join(row["aliases"])]
            for name, row in table.iterrows()
        ],
    )


def _refuse_repeated(known: dict[str, Score]) -> None:
    """Raise if a score was given by two names."""
    first: dict[str, str] = {}
    for typed, score in known.items():
        if score.name in first:
            raise ValueError(f"--score must name each score once; got {first[score.name]} and {typed}")
        first[score.name] = typed


def _chosen(analysis: Analysis, known: dict[str, Score], share: float | None, data: str) -> dict[str, Score]:
    """Return the scores by their names as typed, or the default ones, after a check that the data have them."""
    for score in known.values():
        check_space(analysis.inputs.evidence, score, data)
    if (natural := natural_score(analysis.inputs.evidence)) is not None:
        if share is not None:
            raise ValueError(f"--prevalence must be left out for outcomes, which have no classes; got {share:g}")
        return known or {natural.name: natural}
    assert analysis.counts is not None
    classes = analysis.counts.sizes["actual"]
    if share is not None and classes != 2:
        raise ValueError(f"--prevalence must be left out for {classes} classes, which have a share each; got {share:g}")
    usual = OF_TWO if classes == 2 and has_positive_class(analysis.counts) else OF_MORE
    return known or {name: as_score(name) for name in usual}


def _notes(analysis: Analysis, chosen: dict[str, Score], share: float | None) -> list[str]:
    """Return the notes on the evidence for all scores, each sentence once."""
    # With --prevalence, the prevalence of the cases is not used.
    used = [None if share is not None and score.depends_on_prevalence else score for score in chosen.values()]
    return list(dict.fromkeys(line for score in used for line in analysis.notes(score)))


def _sort_table(table: xr.Dataset, first: Score) -> xr.Dataset:
    """Best first by the first score; equals by name, the undefined last."""
    values = table["median"].isel(score=0).values * (1 if first.higher_is_better is False else -1)
    names = [str(name) for name in table["entity"].values]
    order = sorted(range(len(names)), key=lambda i: (math.isnan(values[i]), values[i], names[i]))
    return table.isel(entity=order)


def _show(table: xr.Dataset, names: list[str], lines: list[str], digits: int, output: str, top: int | None) -> None:
    level = f"{100 * table.attrs['prob']:g}% interval"
    entities = [str(name) for name in table["entity"].values]
    cells = {
        (entity, name): _cells(table.isel(entity=i, score=j), digits)
        for i, entity in enumerate(entities)
        for j, name in enumerate(names)
    }
    if output in FULL:
        frame = table.to_dataframe(dim_order=["entity", "score"]).reset_index("score")
        count = None if top is None else top * len(names)
        show(Sheet([], [], frame=frame, about=dict(table.attrs), name="scores"), output, count)
        return
    wide = ["entity", *(f"{name} ({level})" for name in names)]
    rows = [[entity, *("{} ({})".format(*cells[entity, name]) for name in names)] for entity in entities]
    if output != "table" or (len(entities) > 1 and fits(wide, rows)):
        show(Sheet(wide, rows, lines), output, top)
    elif len(entities) == 1:
        rows = [[name, *cells[entities[0], name]] for name in names]
        show(Sheet([entities[0], "median", level, "observed"], rows, lines), output)
    else:
        for name in names:
            rows = [[entity, *cells[entity, name]] for entity in entities]
            show(Sheet(["entity", name, level, "observed"], rows, lines if name == names[-1] else ()), output, top)
            click.echo()


def _cells(one: xr.Dataset, digits: int) -> list[str]:
    """Return median, interval and observed value, with fewer decimals the larger they are."""
    low, middle, high, seen = (float(one[name]) for name in ("lower", "median", "upper", "observed"))
    if np.isnan(low):
        return ["–", "–", _text.number(seen, digits)]
    return [
        _text.format_with_interval(middle, low, high, digits),
        _text.interval_digits(low, high, digits),
        _text.format_with_interval(seen, low, high, digits),
    ]
