"""Performances (probabilities over the outcomes): their containers, and operations on them.

The functions of ``__all__`` are for users; the others, imported under their own names, are for the package.
"""

from bayesrank.performance.arrays import OUTCOME_DIMS as OUTCOME_DIMS
from bayesrank.performance.arrays import align_outcomes as align_outcomes
from bayesrank.performance.arrays import are_counts as are_counts
from bayesrank.performance.arrays import as_performance
from bayesrank.performance.arrays import counts_or_performance as counts_or_performance
from bayesrank.performance.arrays import observed_counts as observed_counts
from bayesrank.performance.arrays import only_two_classes as only_two_classes
from bayesrank.performance.arrays import outcome_dims as outcome_dims
from bayesrank.performance.arrays import posterior_of as posterior_of
from bayesrank.performance.arrays import two_class_cells as two_class_cells
from bayesrank.performance.means import mean_over_datasets
from bayesrank.performance.operations import at_prevalence, no_skill_twin, relabel, shift_prior
from bayesrank.performance.operations import check_importance as check_importance
from bayesrank.performance.regions import summary_points

__all__ = [
    "as_performance",
    "at_prevalence",
    "mean_over_datasets",
    "no_skill_twin",
    "relabel",
    "shift_prior",
    "summary_points",
]
