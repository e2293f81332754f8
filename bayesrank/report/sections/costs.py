"""The mean cost of each entity, and the Pareto front of score and cost."""

from typing import Any

from bayesrank._core import prose
from bayesrank._core.compat import get_variable
from bayesrank._core.labels import select_names
from bayesrank._core.nouns import noun
from bayesrank._core.records import ResultRecord
from bayesrank.decisions import pareto_front
from bayesrank.performance.arrays import posterior_of
from bayesrank.report.page import Page, PageBlock, block, picture
from bayesrank.words.results import verdict_parts

PLACE, ON_REQUEST = 42, False
NEEDS = "costs of the cases ('--cost COLUMN', or cost= of br.from_frame)"


def make(page: Page) -> PageBlock | None:
    if (
        page.posterior.container is None
        or get_variable(posterior_of(page.posterior), "mean_cost") is None
    ):
        return None
    better = bool(page.facts.higher_is_better)
    front = pareto_front(
        page.posterior, page.score, prob=page.prob, higher_is_better=better, kind=page.kind
    )
    text = verdict_parts(front)
    table = select_names(front, entity=page.order).to_dataframe()
    rows = [
        [str(name), prose.estimate(row["cost"], row["cost_lower"], row["cost_upper"]),
         prose.probability(row["probability_front"], ResultRecord.of(front).effective_draws)]
        for name, row in table.iterrows()
    ]  # fmt: skip

    def draw(figure: Any) -> None:
        from bayesrank.plots import pareto_front as drawn

        drawn(front, figure.subplots())

    caption = f"Medians and {page.percent} intervals. Filled marks are on the front with probability 0.5 or more."
    header = [noun(), f"mean cost ({page.percent} interval)", "P(on the front)"]
    words = [*text.sentences(), *text.notes]
    html = block("words", words) + block("table", header, rows) + picture(draw, (7.8, 4.8), caption)
    return PageBlock(
        "Outcome and cost", html, "Mean costs come from the Bayesian bootstrap of the same cases."
    )
