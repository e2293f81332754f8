"""The posterior of the score over its prior."""

from typing import Any

from rich.cells import cell_len

from bayesrank.report.page import Page, PageBlock, picture
from bayesrank.report.words import prior_scores
from bayesrank.scores.display import display_name

PLACE, ON_REQUEST = 80, True
NEEDS = "prior draws, groups=('prior',) of br.fit, and at most 30 entities"
MOST = 30


def make(page: Page) -> PageBlock | None:
    values = page.found.values
    prior = prior_scores(
        page.posterior, page.found.variable or page.found.score or page.found.name, page.kind
    )
    if prior is None or values.sizes["entity"] > MOST or not bool(values.notnull().any()):
        return None
    from bayesrank.plots import posterior_against_prior
    from bayesrank.plots.kit.colors import PALETTE
    from bayesrank.plots.kit.style import list_size

    names = values["entity"].values.tolist()
    blue = dict.fromkeys(names, PALETTE[0])  # rows have their names beside them
    score = display_name(values.name) if isinstance(values.name, str) else "score"
    size = list_size(len(names), 4.2 + 0.05 * min(max(cell_len(str(name)) for name in names), 46))
    caption = f"The density of the {score} before the data (grey) and after them."

    def draw(figure: Any) -> None:
        posterior_against_prior(values, prior, figure.subplots(), ranking=page.ranking, colors=blue)

    return PageBlock("Prior and posterior", picture(draw, size, caption))
