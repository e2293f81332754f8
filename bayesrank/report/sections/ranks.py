"""How probable each rank is for each entity."""

from itertools import pairwise
from typing import Any

import numpy as np
import xarray as xr
from markupsafe import Markup

from bayesrank._core.labels import select_names
from bayesrank._core.nouns import noun
from bayesrank.report.page import Page, PageBlock, bars, block, first_of, fold_rows
from bayesrank.report.pictures import Axis

PLACE, ON_REQUEST = 40, False
NEEDS = "three entities or more with ranks"
#: Columns of the picture; of more ranks several share one.
COLUMNS = 60
#: Probabilities that are not drawn.
UNSEEN = 0.001


def make(page: Page) -> PageBlock | None:
    ranked = page.table["median"].notna()
    if ranked.sum() < 3 or not page.has_draws:
        return None

    def draw(names: list) -> Markup:
        axis, rows = rank_rows(page.ranking, names)
        return bars([axis], rows, f"How probable each rank is for each {noun()}, best first.")

    caption = "How probable each rank is. Colours follow the square root, so that small probabilities are visible."
    names = page.table.index[ranked].tolist()
    return PageBlock(
        "Probability of each rank", block("rows", fold_rows(draw, names, first_of(page)), caption)
    )


def rank_rows(ranking: xr.Dataset, names: list[Any]) -> tuple[Axis, list[dict[str, Any]]]:
    """Return the axis and rows of the picture: where each rank lies, and how dark it is.

    Only ranks that a shown entity may hold are drawn; many ranks share columns.
    """
    mass = (
        select_names(ranking["rank_probability"].transpose("entity", "rank"), entity=names)
        .fillna(0.0)
        .values
    )
    ranks = np.flatnonzero((mass > UNSEEN).any(0))
    last = int(ranks[-1]) + 1 if len(ranks) else mass.shape[1]
    # Columns of equally many ranks, each with the mean of its ranks, so that wide ones do not look
    # more probable.
    edges = np.unique([*range(0, last, -(-last // COLUMNS)), last])
    columns = np.add.reduceat(mass[:, :last], edges[:-1], axis=1) / np.diff(edges)
    size, highest = len(edges) - 1, max(columns.max(), 1e-9)
    step = next(n for n in (1, 2, 5, 10, 20, size) if size <= 8 * n)
    words = [
        f"{low + 1}" if high - low == 1 else f"{low + 1}–{high}"
        for low, high in pairwise(edges.tolist())
    ]
    ticks = [(round(100 * (k + 0.5) / size, 2), words[k]) for k in range(0, size, step)]
    width, rows = round(100 / size, 2), []
    for name, one in zip(names, columns, strict=True):
        # The square root, so that small probabilities are seen.
        dark = np.round((one / highest) ** 0.5, 2).tolist()
        marks = [
            {"x": round(100 * k / size, 2), "width": width, "dark": dark[k]}
            for k in np.flatnonzero(one > UNSEEN).tolist()
        ]
        rows.append({"name": name, "plain": True, "panels": [marks]})
    return Axis(0.0, float(last), ticks, "rank (1 is best)"), rows
