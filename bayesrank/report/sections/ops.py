"""Outperformance scores of all entities."""

import numpy as np
from markupsafe import Markup

from bayesrank._draws import draw_dims
from bayesrank.ops import of_draws, summarize
from bayesrank.report.page import Block, Page, block, first_of, fold_rows, interval_rows

PLACE, ON_REQUEST = 85, True
NEEDS = "draws of two classes with cases, and a score with its own direction"
REFERENCE = (
    "Zhao, Bui, Yu and Dzieciolowski. Outperformance score: a universal standardization method for "
    "confusion-matrix-based classification performance metrics."
)
WORDS = "OPS is the share of all pairs of true positive and true negative rate that score worse at the same prevalence"


def make(page: Page) -> Block | None:
    found, performance = page.found, page.two_classes
    # OPS is about the score's own direction.
    directed = found.score is not None and found.score.higher_is_better == found.higher_is_better
    if performance is None or not directed or not draw_dims(performance):
        return None
    assert found.score is not None
    summary = summarize(of_draws(performance, found.score), prob=page.prob)
    numbers = np.stack([summary[name].values for name in ("mean", "lower", "upper")], axis=-1)
    values = dict(zip(performance["entity"].values.tolist(), numbers, strict=True))
    names = [name for name in page.order if np.isfinite(values[name][0])]
    if not names:
        return None

    def draw(names: list) -> Markup:
        rows = [(name, [values[name]]) for name in names]
        return interval_rows(rows, ["OPS"], "The outperformance score of each entity with its interval.")

    caption = f"Mean and {page.percent} interval. {WORDS}, so prevalences may differ."
    html = block("rows", fold_rows(draw, names, first_of(page)), caption)
    return Block("Outperformance scores", html, f"{WORDS}.", (REFERENCE,))
