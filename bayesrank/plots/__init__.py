"""Pictures of results. They draw what was computed elsewhere; each takes ``ax=`` and returns the Axes."""

from bayesrank.plots.forest import forest
from bayesrank.plots.ranks import rank_distribution, rank_heatmap, score_lines, superiority
from bayesrank.plots.values import difference, posterior_against_prior

__all__ = [
    "difference",
    "forest",
    "posterior_against_prior",
    "rank_distribution",
    "rank_heatmap",
    "score_lines",
    "superiority",
]
