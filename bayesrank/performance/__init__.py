"""Performances (probabilities over the outcomes): their containers, and operations on them."""

from bayesrank.performance.arrays import (
    OUTCOME_DIMS,
    align_outcomes,
    are_counts,
    as_performance,
    counts_or_performance,
    observed_counts,
    only_two_classes,
    outcome_dims,
    posterior_of,
    two_class_cells,
)
from bayesrank.performance.means import mean_over_datasets
from bayesrank.performance.operations import (
    change_actual,
    change_predicted,
    check_importance,
    no_skill_twin,
    shift_prior,
    swap_actual_predicted,
    swap_classes,
)
from bayesrank.performance.regions import summary_points
from bayesrank.performance.transport import at_prevalence

__all__ = [
    "OUTCOME_DIMS",
    "align_outcomes",
    "are_counts",
    "as_performance",
    "at_prevalence",
    "change_actual",
    "change_predicted",
    "check_importance",
    "counts_or_performance",
    "mean_over_datasets",
    "no_skill_twin",
    "observed_counts",
    "only_two_classes",
    "outcome_dims",
    "posterior_of",
    "shift_prior",
    "summary_points",
    "swap_actual_predicted",
    "swap_classes",
    "two_class_cells",
]
