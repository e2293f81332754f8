"""Of judged outcomes: how often each judge errs on each entity, and its ranks beside the corrected ones."""

from functools import partial
from typing import Any

import numpy as np
import xarray as xr
from markupsafe import Markup

from bayesrank._core import prose
from bayesrank._core.errors import ArgumentError
from bayesrank._core.labels import select_names
from bayesrank._core.nouns import noun
from bayesrank.plots.judges import judge_ranks
from bayesrank.plots.kit.style import list_size
from bayesrank.ranking.judges import judge_errors
from bayesrank.report.page import SEEN, Page, PageBlock, block, picture

PLACE, ON_REQUEST = 45, False
NEEDS = "verdicts of a judge, right or wrong, on one data set"


def make(page: Page) -> PageBlock | None:
    try:
        errors = judge_errors(page.posterior, prob=page.prob)
    except ArgumentError:
        return None
    order = errors["consensus_position"].argsort().values
    errors = errors.isel(entity=order)
    html = Markup("")
    for judge in errors["judge"].values.tolist():
        errors_of_judge = select_names(errors, judge=judge)
        names = errors_of_judge["entity"].values.tolist()
        rows = [[str(name), *_cells(select_names(errors_of_judge, entity=name))] for name in names]
        header = [
            noun(),
            "accepts wrong answers",
            "rejects right answers",
            "rank by the judge",
            "corrected ranks",
        ]
        spread = errors_of_judge["accepts_wrong"].values
        words = (
            f"The judge {judge} accepts between {np.nanmin(spread):.0%} and {np.nanmax(spread):.0%} of wrong answers, "
            f"depending on the {noun()}. Medians with {page.percent} intervals."
        )
        html += block("words", [words]) + block("table", header, rows)
        if len(rows) > 1:
            caption = (
                f"Ranks by the verdicts of {judge} alone (diamonds) and corrected rank sets (bars)."
            )
            draw = partial(_draw_ranks, errors, judge)
            html += picture(draw, list_size(min(len(rows), SEEN)), caption)
    return PageBlock("Errors of the judge", html)


def _cells(errors: xr.Dataset) -> list[str]:
    """Return the errors of a judge on one entity, and its ranks, as text."""
    return [
        *(_estimate(errors, error) for error in ("accepts_wrong", "rejects_right")),
        prose.number(float(errors["judge_rank"])),
        prose.interval(float(errors["rank_lower"]), float(errors["rank_upper"]), 0),
    ]


def _draw_ranks(errors: xr.Dataset, judge: str, figure: Any) -> Any:
    return judge_ranks(errors, judge, figure.subplots(), top=SEEN)


def _estimate(one: xr.Dataset, error: str) -> str:
    middle, low, high = (float(one[f"{error}{end}"]) for end in ("", "_lower", "_upper"))
    return prose.estimate(middle, low, high)
