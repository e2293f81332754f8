"""A posterior predictive check of several data sets."""

import sys
from functools import partial
from typing import Any

from markupsafe import Markup

from bayesrank.report.page import Block, Page, block
from bayesrank.report.pictures import inline_svg
from bayesrank.words.models import check_model

PLACE, ON_REQUEST = 60, False
NEEDS = "several data sets and a model that replicates their counts"
CAPTION = "What was observed over what the model replicates; 1 is what chance alone makes."


def make(page: Page) -> Block | None:
    """Return the check in words and as a picture; where it takes long, only if it was named."""
    check = page.check
    if check is None and "predictive" in page.named:
        check = check_model(page.posterior, sys.maxsize)
    if check is None:
        return None
    from bayesrank.plots import predictive_check as draw_check

    def draw(ax: Any, k: int) -> None:
        figure = ax.figure
        ax.remove()
        draw_check(check.isel(statistic=[k]), figure)

    # One beside the other where there is room.
    svg = Markup(" ").join(inline_svg(partial(draw, k=k), (4.6, 3.2)) for k in range(check.sizes["statistic"]))
    words = block("words", str(check.attrs["words"]).split("\n"))
    return Block("Does the model replicate the data?", words + block("picture", svg, CAPTION))
