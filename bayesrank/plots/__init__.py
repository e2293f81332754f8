"""Pictures of results. They draw what was computed elsewhere; each takes ``ax=`` and returns the Axes."""

from bayesrank.plots.forest import forest
from bayesrank.plots.ops import ops_curve, ops_drift, ops_square, ops_tile, ops_values
from bayesrank.plots.ranks import rank_distribution, rank_heatmap, score_lines, superiority
from bayesrank.plots.tile import (
    credible_tile,
    expected_rank_tile,
    probability_best_tiles,
    roc_beside_tile,
    shares,
    value_tile,
    winner_tile,
)
from bayesrank.plots.values import difference, posterior_against_prior

__all__ = [
    "credible_tile",
    "difference",
    "expected_rank_tile",
    "forest",
    "ops_curve",
    "ops_drift",
    "ops_square",
    "ops_tile",
    "ops_values",
    "posterior_against_prior",
    "probability_best_tiles",
    "rank_distribution",
    "rank_heatmap",
    "roc_beside_tile",
    "score_lines",
    "shares",
    "superiority",
    "value_tile",
    "winner_tile",
]
