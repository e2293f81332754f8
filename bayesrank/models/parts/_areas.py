"""Compiled loop over draws of case weights: areas under the ROC and the precision-recall curve, in one pass."""

import numpy as np

from bayesrank._core.compiled import njit

#: Added to a denominator that is 0 only where the numerator is 0, too.
TINY = 1e-300


@njit(nogil=True, cache=True, error_model="numpy")
def areas(weight, truth, order, ends, mass, pseudo, precise, roc, precision):
    """Write the area under ROC and, if ``precise``, the average precision of each draw and entity.

    They are NaN where a class has no weight. ``order`` (entity, case) sorts the cases by falling
    score, and ``ends`` marks the last one of each tie. ``mass`` (draw, 2) is the weight of a
    pseudo-case of the negative and the positive class, which has the score of the case ``pseudo``
    (draw, 2); both classes keep their totals. Areas are 1 minus the loss, so that a perfect order
    has exactly 1.
    """
    draws, cases = weight.shape
    of_class = np.zeros((cases, 2))
    for d in range(draws):
        total = np.zeros(2)
        for i in range(cases):
            c = truth[i]
            of_class[i, c], of_class[i, 1 - c] = weight[d, i], 0.0
            total[c] += weight[d, i]
        full = total + mass[d]
        for c in range(2):
            of_class[pseudo[d, c], c] += mass[d, c]
        retained = total / full
        for k in range(order.shape[0]):
            # Sums over the present tie, and over all cases with a score as high or higher.
            false, true, group_false, group_true, lost, missed = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            for j in range(cases):
                i = order[k, j]
                group_false += of_class[i, 0]
                group_true += of_class[i, 1]
                if ends[k, j]:
                    lost += group_true * (false + group_false / 2)
                    false += group_false
                    true += group_true
                    if precise:
                        above = false * retained[0]
                        missed += group_true * above / (above + true * retained[1] + TINY)
                    group_false = group_true = 0.0
            some = total[0] > 0 and total[1] > 0
            roc[d, k] = max(1 - lost / (full[0] * full[1]), 0.0) if some else np.nan
            precision[d, k] = max(1 - missed / full[1], 0.0) if some else np.nan


@njit(nogil=True, cache=True, error_model="numpy", fastmath=True)
def weighted_means(weight, values, out):
    """Write the means ``out`` (draw, column) of values (column, case) with weights (draw, case), in this thread."""
    for d in range(weight.shape[0]):
        total = weight[d].sum()
        for k in range(values.shape[0]):
            weighted_sum = 0.0
            for i in range(weight.shape[1]):
                weighted_sum += weight[d, i] * values[k, i]
            out[d, k] = weighted_sum / total
