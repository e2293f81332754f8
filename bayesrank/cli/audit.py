"""``bayesrank audit``: say whether a score may rank, with its place on the Tile and a counterexample."""

import math
from functools import partial
from time import perf_counter

import click
import numpy as np
import pandas as pd

import bayesrank as br
from bayesrank._core import prose
from bayesrank._core.errors import ArgumentError
from bayesrank.cli._export import Export, format_option, sheet_of
from bayesrank.cli._help import Grouped
from bayesrank.cli._options import SCORE_TYPE, SHARE
from bayesrank.cli._output import print_line
from bayesrank.cli._sink import progress
from bayesrank.scores import Score
from bayesrank.scores.averages import Average
from bayesrank.scores.score import OfClass
from bayesrank.scores.verdicts import ScoreVerdict, example_of, turned, verdict_on
from bayesrank.theory.audits import TESTS
from bayesrank.words.audits import capitalise, describe_verdict

EXAMPLES = """
\b
Examples:
  bayesrank audit mcc
  bayesrank audit kappa --prevalence 20%
  bayesrank audit macro_f1 --classes 3
  bayesrank audit fn=5,fp=1,tn=1,tp=1
"""
#: Classes of an average over classes unless others are given.
OF_AVERAGE = 3
CELLS, ROLES = ("TN", "FP", "FN", "TP"), ("A", "B", "half of A, half of B")


@click.command(cls=Grouped, epilog=EXAMPLES)
@click.argument("score", metavar="SCORE", type=SCORE_TYPE)
@click.option(
    "--prevalence",
    type=SHARE,
    help="Compare only performances with this share of positives: 2% or 0.02.",
)
@click.option(
    "--classes", type=click.IntRange(2, 8), help="Number of classes. [default: 2; 3 for averages]"
)
@format_option()
def audit(score: Score, prevalence: float | str | None, classes: int | None, format: str) -> None:
    """Say whether SCORE may rank: whether its order keeps the axioms of performance-based ranking.

    SCORE is as for 'bayesrank rank'. The verdicts on two-class scores of the catalogue are stored.
    Other scores, and those at one prevalence, are audited: a search for counterexamples among pairs
    of performances. By a score that should not rank, a mixture of two entities (each answers half
    of the cases) can be better or worse than both.
    """
    share = _share(prevalence)
    if isinstance(score.matrix_function, OfClass):  # one class against the others
        score = score.matrix_function.score
    average = score.function is None and isinstance(score.matrix_function, Average)
    classes = classes or (OF_AVERAGE if average else 2)
    stored = verdict_on(score) if share is None and classes == 2 else ScoreVerdict()
    if stored.may_rank or score.higher_is_better is None:
        lines, example = describe_verdict(score, stored), example_of(stored)
    else:
        with progress() as step:
            step("searching")
            lines, example = _search(score, share, classes)
    on_tile = classes == 2 and score.space in ("binary", "classes")
    position = br.place(score, share) if on_tile else None
    if on_tile:
        at = "" if share is None else f" at prevalence {share:g}"
        where = (
            "none"
            if position is None
            else f"(a, b) = ({', '.join(prose.below_one(each, 4) for each in position)})"
        )
        lines.append(f"Place on the Tile{at}: {where}.")
    if example is None and format == "table":
        for line in lines:
            print_line(line)
        return
    frame = _table(score, example)
    record = {
        "score": score.name,
        "prevalence": share,
        "classes": classes,
        "place": position,
        "lines": lines,
    }
    cells = {str(name): partial(_cell, str(name)) for name in frame.columns}
    sheet = sheet_of(
        frame, cells, lines=lines[1:], heading=lines[:1], about=record, name="counterexample"
    )
    Export(format).show(sheet)


def _share(prevalence: float | str | None) -> float | None:
    if isinstance(prevalence, str):
        raise ArgumentError(
            "--prevalence", "must be a number such as 0.2 or 20%", f"{prevalence!r}"
        )
    return prevalence


def _search(score: Score, share: float | None, classes: int) -> tuple[list[str], np.ndarray | None]:
    """Return the verdict of an audit by the better values of a score, what was searched, and the counterexample."""
    started = perf_counter()
    lower = score.higher_is_better is False
    row = br.audit(turned(score) if lower else score, share, classes=classes)
    searched = f"Searched: {row.attrs['pairs']:,} pairs of performances in {perf_counter() - started:.1f} s."
    failed = [test for test in (*TESTS[1:], TESTS[0]) if not row[test]]
    example = row["counterexample_cases"].sel(test=failed[0]) if failed else None
    direction = " (a lower value counts as a higher score here)" * lower
    verdict = f"{capitalise(score.display)} {row['verdict'].item()}{direction}."
    retained = None if example is None or example.isel(role=slice(2)).isnull().any() else example
    return [verdict, searched], None if retained is None else retained.values.reshape(3, -1)


def _table(score: Score, example: np.ndarray | None) -> pd.DataFrame:
    """Return performances in whole numbers of cases (role, cell) as a table with their scores."""
    example = np.empty((0, 4)) if example is None else example[~np.isnan(example).any(axis=1)]
    classes = math.isqrt(example.shape[1])
    pairs = [
        f"{actual} as {predicted}" for actual in range(classes) for predicted in range(classes)
    ]
    frame = pd.DataFrame(example.astype(int), columns=list(CELLS) if classes == 2 else pairs)
    frame[score.display] = score.of_tables(example.reshape(-1, classes, classes))
    return frame.set_axis(pd.Index(ROLES[: len(frame)], name="cases"))


def _cell(name: str, row: pd.Series) -> str:
    value = float(row[name])
    return prose.number(value) if name == row.index[-1] else f"{value:,.0f}"
