"""Plots for the figures of the four papers only: simplices, contours, lattices of matrices, pencils.

``docs/papers.md`` lists the figures and the call that draws each.
"""

from bayesrank.papers.beside import roc_beside_tile
from bayesrank.papers.explorers import explore_contours, explore_pmf
from bayesrank.papers.interactive import save, turning_simplex
from bayesrank.papers.places import pencil, placement_tile, prior_grids, vertices
from bayesrank.papers.roc import contours, multiplicities, pr_points, roc_points
from bayesrank.papers.simplex import animate_contours, confusion_simplex
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
