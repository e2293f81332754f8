"""Outperformance scores (OPS): the share of reference performances, at one prevalence, that a performance beats."""

from bayesrank.ops.changes import drift, summarize
from bayesrank.ops.curves import CURVE_METRICS, of_curve, of_value, value_curves
from bayesrank.ops.references import (
    UNIFORM,
    Distribution,
    Sample,
    better_than_chance,
    directed_binary_tree,
    from_performances,
    from_sampler,
    independent_betas,
)
from bayesrank.ops.thresholds import best_threshold, ideal_area, threshold_curves
from bayesrank.ops.values import by_label, of_draws, on_tile, square

__all__ = [
    "CURVE_METRICS",
    "Distribution",
    "Sample",
    "UNIFORM",
    "best_threshold",
    "better_than_chance",
    "by_label",
    "directed_binary_tree",
    "drift",
    "from_performances",
    "from_sampler",
    "ideal_area",
    "independent_betas",
    "of_curve",
    "of_draws",
    "of_value",
    "on_tile",
    "square",
    "summarize",
    "threshold_curves",
    "value_curves",
]
