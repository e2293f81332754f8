"""Plots of results. They draw computed results; each takes ``ax=`` and returns the Axes.

An entity has one colour in all of them: that of its place among all entities, or that of ``colors=``. All else follows
Matplotlib's style, dark ones too.
"""

from bayesrank.plots._colors import colors
from bayesrank.plots.cases import case_grid
from bayesrank.plots.checks import predictive_check
from bayesrank.plots.decisions import decision_curve
from bayesrank.plots.fronts import pareto_front
from bayesrank.plots.maps import value_tile, value_tiles
from bayesrank.plots.meta_analysis import summary_roc
from bayesrank.plots.ops import ops_curve, ops_drift, ops_square, ops_values
from bayesrank.plots.plans import plan
from bayesrank.plots.populations import shrinkage
from bayesrank.plots.predictive import effect_of_size, matrix_pmf, pmf_over_contours, pr_pmf
from bayesrank.plots.ranks import forest, rank_heatmap, superiority
from bayesrank.plots.rates import roc_regions
from bayesrank.plots.score_pmfs import score_pmf, score_pmf_by_tpr, score_pmfs
from bayesrank.plots.sensitivities import sensitivity
from bayesrank.plots.tables import intervals
from bayesrank.plots.tile import credible_tile, expected_rank_tile, frontier_tile, shares, winner_tile
from bayesrank.plots.values import posterior_against_prior, score_differences

__all__ = [
    "case_grid",
    "colors",
    "credible_tile",
    "decision_curve",
    "effect_of_size",
    "expected_rank_tile",
    "forest",
    "frontier_tile",
    "intervals",
    "matrix_pmf",
    "ops_curve",
    "ops_drift",
    "ops_square",
    "ops_values",
    "pareto_front",
    "plan",
    "pmf_over_contours",
    "posterior_against_prior",
    "score_differences",
    "pr_pmf",
    "predictive_check",
    "rank_heatmap",
    "roc_regions",
    "score_pmf",
    "score_pmf_by_tpr",
    "score_pmfs",
    "sensitivity",
    "shares",
    "shrinkage",
    "summary_roc",
    "superiority",
    "value_tile",
    "value_tiles",
    "winner_tile",
]
