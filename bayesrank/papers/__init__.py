"""The figures of the four papers; ``docs/papers.md`` lists them with their calls."""

from bayesrank.papers.lattices import (
    animate_contours,
    confusion_simplex,
    contours,
    multiplicities,
    pr_points,
    roc_points,
)
from bayesrank.papers.pages import explore_contours, explore_pmf, save, turning_simplex
from bayesrank.papers.tile import pencil, placement_tile, prior_grids, roc_beside_tile, vertices
from bayesrank.plots._contours import count_ticks

__all__ = [
    "animate_contours",
    "confusion_simplex",
    "contours",
    "count_ticks",
    "explore_contours",
    "explore_pmf",
    "multiplicities",
    "pencil",
    "placement_tile",
    "pr_points",
    "prior_grids",
    "roc_beside_tile",
    "roc_points",
    "save",
    "turning_simplex",
    "vertices",
]
