"""A posterior predictive check of several data sets."""

import sys
from functools import partial

from markupsafe import Markup

from bayesrank.report.page import Page, PageBlock, block
from bayesrank.report.pictures import inline_svg
from bayesrank.words.models import check_model

PLACE, ON_REQUEST = 60, False
NEEDS = "several data sets and a model that replicates their counts"


def make(page: Page) -> PageBlock | None:
    check = page.check
    if check is None and "predictive" in page.named:
        check = check_model(page.posterior, sys.maxsize)
    if check is None:
        return None
    from bayesrank.plots import predictive_check as draw_check

    parts = [check.isel(statistic=[k]) for k in range(check.sizes["statistic"])]
    # One beside the other where there is room.
    svg = Markup(" ").join(inline_svg(partial(draw_check, part), (4.6, 3.2)) for part in parts)
    caption = "Ratio of observed to replicated variation; 1 is expected by chance."
    words = block("words", str(check.attrs["words"]).split("\n"))
    return PageBlock("Does the model replicate the data?", words + block("picture", svg, caption))
