"""Errors of the computation: of quadrature or of draws, and of the order."""

import numpy as np

from bayesrank.ranking.summary import is_exact
from bayesrank.report.page import Page, PageBlock, block

PLACE, ON_REQUEST = 90, True
NEEDS = "nothing"


def make(page: Page) -> PageBlock | None:
    ranking, exact, draws = page.ranking, is_exact(page.ranking), page.facts.draws
    best, rank = (
        float(ranking[f"{name}_error"].max()) for name in ("probability_best", "expected_rank")
    )
    if exact:
        lines = [
            "Ranks and probabilities are integrals, not shares of draws. With fewer nodes of the quadrature, P(best) "
            f"changes by at most {best:.1g}{'' if np.isnan(rank) else f', an expected rank by {rank:.1g}'}."
        ]
    else:
        lines = [
            f"{draws:,} posterior draws; the largest Monte-Carlo standard error of P(best) is {best:.4f}"
            f"{'' if np.isnan(rank) else f', of an expected rank {rank:.2f}'}."
        ]
    gap = float(ranking["consensus_distance"] - ranking["consensus_lower_bound"])
    best_known = (
        "no order disagrees on fewer"
        if gap < 1e-9
        else f"any other order saves at most {gap:.3f} pairs"
    )
    lines.append(
        f"The consensus order disagrees with {'the truth' if exact else 'a draw'} on "
        f"{float(ranking['consensus_distance']):.1f} pairs on average; {best_known}."
    )
    return PageBlock("Diagnostics", block("words", lines))
