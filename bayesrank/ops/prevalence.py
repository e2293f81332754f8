"""Scores whose OPS does not depend on the prevalence at fixed rates, and the one that agrees most with a score.

OPS represents the order of the score on the ROC square at one prevalence. So it is free of the
prevalence if, and only if, that order is. On the Tile this holds at the four corners
(docs/theory/ops.md).
"""

import numpy as np

from bayesrank._core.calls import check_call
from bayesrank._core.errors import ArgumentError
from bayesrank._core.types import ScoreLike
from bayesrank.ops.references import UNIFORM, below
from bayesrank.ops.values import orient
from bayesrank.scores import Score, as_score
from bayesrank.scores.score import cells_at

#: Scores to monitor where the prevalence may move: their OPS depends on the rates alone, and rises
#: with both.
FREE = ("balanced_accuracy", "ppv", "npv")
#: Prevalences between which orders are compared, and the number of performances.
PREVALENCES, RANDOM = (0.5, 0.02, 0.2, 0.8, 0.98), 600
#: Points on each axis of the square on which scores are compared.
POINTS = 16


@check_call
def prevalence_free(score: ScoreLike) -> bool:
    """Return whether the OPS of a score at fixed rates does not depend on the prevalence.

    True if the score orders the points of the ROC square alike at every prevalence. This holds for
    functions of TPR and TNR, and at the corners of the Tile: TNR, NPV, PPV and TPR. The result is
    exact for ranking scores. For others, the orders of 600 random performances are compared at five
    prevalences.

    Parameters
    ----------
    score : Score, str or callable
        A two-class score with a direction.

    Returns
    -------
    bool

    Examples
    --------
    >>> [name for name in ("f1", "ppv", "mcc", "g_mean", "accuracy", "npv") if prevalence_free(name)]
    ['ppv', 'g_mean', 'npv']
    """
    oriented = orient(score)
    if oriented.importance is not None:
        right, wrong = (
            {oriented.importance[x] > 0 for x in pair} for pair in (("tn", "tp"), ("fp", "fn"))
        )
        # One of two weights is 0; if all weights of right or of wrong outcomes are 0, the score is
        # constant.
        return (len(right) == 2 and len(wrong) == 2) or right == {False} or wrong == {False}
    fpr, tpr = np.random.default_rng(0).random((2, RANDOM))
    values = np.array([oriented.of_cells(*cells_at(fpr, tpr, share)) for share in PREVALENCES])
    values = values[:, ~np.isnan(values).any(axis=0)]
    if values.shape[1] < 2:
        raise ArgumentError("score", "must be defined inside the ROC square", oriented.name)
    slack = 1e-9 * np.ptp(values, axis=1, keepdims=True)
    # In the order of each prevalence, so that ties at any of them have to be ties at all.
    orders = np.argsort(values, axis=1, kind="stable")
    return all((np.diff(values[:, order], axis=1) >= -slack).all() for order in orders)


def closest_free(score: Score, prevalence: float) -> tuple[str, float]:
    """Return the prevalence-free score that agrees most with a score at a prevalence, and their rank correlation.

    The rank correlation is Spearman's over uniform rates: the correlation of the two OPS.
    """
    axis = (np.arange(POINTS) + 0.5) / POINTS
    fpr, tpr = (part.ravel() for part in np.meshgrid(axis, axis))
    share = np.full(fpr.shape, prevalence)

    def ops(one: Score) -> np.ndarray:
        return below(UNIFORM, one, one.of_cells(*cells_at(fpr, tpr, share)), share)

    own = ops(score)
    defined = ~np.isnan(own)
    correlations = {
        name: float(np.corrcoef(own[defined], ops(as_score(name))[defined])[0, 1]) for name in FREE
    }
    best = max(correlations, key=lambda name: correlations[name])
    return best, correlations[best]
