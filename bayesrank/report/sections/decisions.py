"""The expected utility of each entity, and which entities are no worse than a reference."""

from collections.abc import Sequence
from typing import Any

import xarray as xr
from markupsafe import Markup

from bayesrank._core import prose
from bayesrank._core.checks import describe_value
from bayesrank._core.errors import ArgumentError
from bayesrank._core.escape import escape_invisible
from bayesrank._core.notes import notes_of
from bayesrank._core.records import ResultRecord
from bayesrank.decisions import expected_utility, noninferiority
from bayesrank.decisions.tables import (
    check_decision,
    comparison_table,
    comparison_words,
    utility_table,
)
from bayesrank.ranking.facts import get_fact
from bayesrank.report.page import Page, PageBlock, PageRequest, block, picture
from bayesrank.words.results import verdict_parts
from bayesrank.words.sentences import say

PLACE, ON_REQUEST = 70, True
NEEDS = (
    "results={'decisions': ...} of br.decisions.expected_utility, br.decisions.noninferiority or "
    "br.decisions.decision_curve"
)
#: Rows of a table.
ROWS = 20


def compute(request: PageRequest) -> list[xr.Dataset]:
    if request.benefit is None and request.reference is None:
        raise ArgumentError("--with decisions", "needs --benefit or --reference", "neither")
    result = []
    if request.benefit is not None:
        result.append(expected_utility(request.posterior, request.benefit, prob=request.prob))
    if request.reference is not None:
        result.append(noninferiority(request.posterior, request.reference, prob=request.prob))
    return result


def make(page: Page) -> PageBlock | None:
    given = page.results.get("decisions")
    if given is None:
        return None
    results = (
        [given] if isinstance(given, xr.Dataset | str) or not isinstance(given, Sequence) else given
    )
    return (
        PageBlock("Decisions", Markup("").join(_decision(one) for one in results))
        if results
        else None
    )


def _decision(result: Any) -> Markup:
    names = set(result.variables) if isinstance(result, xr.Dataset) else set()
    record = ResultRecord.of(result) if names else ResultRecord()
    if {"choice", "value_of_perfect_information"} & names:
        check_decision("decisions", result)
        at = f", at a prevalence of {float(record.prevalence):g}" if record.prevalence else ""
        parts = verdict_parts(result)
        lines = [f"Benefit of each outcome of a case: {record.benefit}{at}.", *parts.sentences()]
        notes = block("fold", "Notes", block("words", parts.notes))
        return _table("Expected utility", lines, *utility_table(result)) + notes
    if {"noninferior", "equivalent", "verdict"} <= names:
        lines = [*_notes(result), comparison_words(result)]
        return _table(f"No worse than {record.reference}?", lines, *comparison_table(result))
    if {"mean", "strategy", "threshold"} <= names:
        from bayesrank.plots import decision_curve

        caption = (
            "Net benefit of treating from a predicted probability on: mean and "
            f"{record.percent} interval, in true positives per case."
        )
        curve = picture(
            lambda figure: decision_curve(result, figure.subplots()), (8.6, 4.4), caption
        )
        return block("heading", "Decision curve") + block("words", _notes(result)) + curve
    raise ArgumentError(
        "decisions",
        "must come from br.decisions.expected_utility, br.decisions.noninferiority or br.decisions.decision_curve",
        describe_value(result),
    )


def _notes(result: xr.Dataset) -> list[str]:
    return [escape_invisible(say(note)) for note in notes_of(get_fact(result, "notes"))]


def _table(title: str, lines: list[str], header: list[str], rows: list[list[str]]) -> Markup:
    more = (
        [f"The first {ROWS} of {prose.count(len(rows), 'row')} are shown."]
        if len(rows) > ROWS
        else []
    )
    return (
        block("heading", title)
        + block("words", [*lines, *more])
        + block("table", header, rows[:ROWS])
    )
