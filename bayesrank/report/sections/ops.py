"""Outperformance scores of all entities."""

import numpy as np
from markupsafe import Markup

from bayesrank._core.draws import draw_dims
from bayesrank._core.nouns import noun
from bayesrank.ops import of_draws, summarize
from bayesrank.report.page import Page, PageBlock, block, first_of, fold_rows, interval_rows

PLACE, ON_REQUEST = 6, False
NEEDS = "draws of two classes with cases, and a score with its own direction"
REFERENCE = (
    "Zhao, Bui, Yu and Dzieciolowski. Outperformance score: a universal standardization method for "
    "confusion-matrix-based classification performance metrics."
)
#: Above this OPS, differences say little.
NEAR_ONE = 0.99
WORDS = "OPS is the share of all pairs of true positive and true negative rate that score worse at the same prevalence"


def make(page: Page) -> PageBlock | None:
    scores, performance = page.found, page.two_classes
    # OPS is about the score's own direction.
    directed = scores.score is not None and scores.score.higher_is_better == scores.higher_is_better
    if performance is None or not directed or not draw_dims(performance):
        return None
    assert scores.score is not None
    summary = summarize(of_draws(performance, scores.score), prob=page.prob)
    numbers = np.stack([summary[name].values for name in ("mean", "lower", "upper")], axis=-1)
    values = dict(zip(performance["entity"].values.tolist(), numbers, strict=True))
    names = [name for name in page.order if np.isfinite(values[name][0])]
    if not names:
        return None

    def draw(names: list) -> Markup:
        rows = [(name, [values[name]]) for name in names]
        return interval_rows(
            rows, ["OPS"], f"The outperformance score of each {noun()} with its interval."
        )

    caption = f"Mean and {page.percent} interval. {WORDS}, so prevalences may differ."
    means = [values[name][0] for name in names]
    html = block("words", [_describe_first(names, means, page.found.display)])
    html += block("rows", fold_rows(draw, names, first_of(page)), caption)
    return PageBlock(
        "Compared with all possible performances (OPS)", html, f"{WORDS}.", (REFERENCE,)
    )


def _describe_first(names: list, means: list[float], score: str) -> str:
    """Say what the OPS of the first entity means, and warn where the scores of several are near 1."""
    best = int(np.argmax(means))
    share = "over 99.9%" if means[best] > 0.9995 else f"{100 * means[best]:.1f}%"
    text = f"By {score}, {names[best]} is better than {share} of all possible performances at its prevalence."
    if sum(mean > NEAR_ONE for mean in means) > 1:
        text += f" Above {NEAR_ONE:g} the OPS saturates: it changes little where error rates differ by a factor."
    return text
