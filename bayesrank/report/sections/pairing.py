"""What it adds that all entities met the same cases."""

import numpy as np

from bayesrank._core import prose
from bayesrank._core.draws import draw_dims
from bayesrank._core.labels import select_names
from bayesrank._core.nouns import nouns
from bayesrank.ranking.summary import effective_draws
from bayesrank.report.page import Page, PageBlock, block

PLACE, ON_REQUEST = 50, False
NEEDS = "several entities under a model that pairs cases"


def make(page: Page) -> PageBlock | None:
    """Return the first entity against its rivals, with pairing and without.

    Without, the draws of one entity are compared with all draws of the other, as if they were
    independent.
    """
    order = page.table.dropna(subset=["tier"]).index.tolist()
    if not page.about.paired or len(order) < 2:
        return None
    scores, ranking = page.found, page.ranking
    draws = scores.sign * scores.values.transpose("entity", *draw_dims(scores.values))
    first, *others = order[:11]  # ten rivals are listed
    x = select_names(draws, entity=first).values.ravel()
    rope, size = page.facts.rope, min(len(x), effective_draws(ranking))
    rows, shares = [], []
    for name in others:
        y = select_names(draws, entity=name).values.ravel()
        both = ~np.isnan(x) & ~np.isnan(y)
        u, v = x[both], y[both]
        independent = np.sqrt(u.var() + v.var()) if len(u) else np.nan
        if not independent > 0:
            continue
        of_leader = page.table.loc[name, ["difference", "difference_upper", "difference_lower"]]
        middle, low, high = (-of_leader).tolist()
        # How often a draw is above any draw of the other one, by more than the ROPE.
        free = float((np.searchsorted(np.sort(v), u - rope, "left") / len(v)).mean())
        paired = float(select_names(ranking["superiority"], entity=first, rival=name))
        shares.append(float((u - v).std() / independent))
        chances = [prose.probability(p, size) for p in (paired, free)]
        rows.append([str(name), prose.estimate(middle, low, high), *chances])
    if not rows:
        return None
    shared_cases = (
        f"{nouns().capitalize()} met cases together, though not all of them"
        if page.posterior.assembled.missing == "own"
        else f"All {nouns()} met the same cases"
    )
    several = ""
    if len(rows) > 1:
        several = f" (median of {len(rows)} rivals; {min(shares):.2f} to {max(shares):.2f})"
    words = (
        f"{shared_cases}. The standard deviation of the difference to {first} is {np.median(shares):.2f} times that of "
        f"independent errors{several}. The more often {nouns()} err on the same cases, the smaller this ratio is."
    )
    header = [f"rival of {first}", "difference", f"P({first} beats it)", "as if independent"]
    return PageBlock("What pairing adds", block("words", [words]) + block("table", header, rows))
