"""Pictures of results. They draw what was computed elsewhere; each takes ``ax=`` and returns the Axes."""

from bayesrank.plots.forest import forest
from bayesrank.plots.ops import ops_curve, ops_drift, ops_square, ops_tile, ops_values
from bayesrank.plots.ranks import rank_distribution, rank_heatmap, score_lines, superiority
from bayesrank.plots.values import difference, posterior_against_prior

__all__ = [
    "difference",
    "forest",
    "ops_curve",
    "ops_drift",
    "ops_square",
    "ops_tile",
    "ops_values",
    "posterior_against_prior",
    "rank_distribution",
    "rank_heatmap",
    "score_lines",
    "superiority",
]
