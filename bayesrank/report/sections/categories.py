"""Rankings of the mean over categories, of the worst category, and of each category."""

from collections.abc import Sequence
from typing import Any

from bayesrank._core import prose
from bayesrank._core.errors import ArgumentError
from bayesrank._core.nouns import noun
from bayesrank._core.percent import score_heading, score_text
from bayesrank.ranking import ranking_table
from bayesrank.ranking.summary import best_texts, score_name
from bayesrank.report.page import Page, PageBlock, PageRequest, block

PLACE, ON_REQUEST = 44, True
NEEDS = "rankings of categories ('bayesrank report --by COLUMN')"


def compute(request: PageRequest) -> Sequence[Any]:
    if not request.categories:
        raise ArgumentError("--with categories", "needs --by COLUMN", request.title)
    return request.categories


def make(page: Page) -> PageBlock | None:
    categories = page.results.get("categories")
    if not categories:
        return None
    html = block(
        "words", ["The ranking above is of all cases; those below are of categories of cases."]
    )
    for one in categories:
        best = best_texts(one.ranking)
        header = [
            noun(),
            f"{score_heading(score_name(one.ranking))} ({page.percent} interval)",
            "P(best)",
            "tier",
        ]
        rows = [
            [str(name), score_text(prose.estimate(row["median"], row["lower"], row["upper"])),
             best[name], prose.number(row["tier"], 0)]
            for name, row in ranking_table(one.ranking).iterrows()
        ]  # fmt: skip
        html += (
            block("heading", one.title) + block("words", one.lines) + block("table", header, rows)
        )
    return PageBlock("Categories", html)
