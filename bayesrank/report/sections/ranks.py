"""How probable each rank is for each entity."""

from markupsafe import Markup

from bayesrank.report.page import Block, Page, bars, block, first_of, fold_rows
from bayesrank.report.pictures import rank_rows

PLACE, ON_REQUEST = 40, False
NEEDS = "three entities or more with ranks"


def make(page: Page) -> Block | None:
    """Return the map of rank probabilities; of two entities the table says as much."""
    ranked = page.table["median"].notna()
    if ranked.sum() < 3 or not page.has_draws:
        return None

    def draw(names: list) -> Markup:
        axis, rows = rank_rows(page.ranking, names)
        return bars([axis], rows, "How probable each rank is for each entity, best first.")

    caption = "How probable each rank is. Colours follow the square root, so that small probabilities are seen."
    names = page.table.index[ranked].tolist()
    return Block("Probability of each rank", block("rows", fold_rows(draw, names, first_of(page)), caption))
