"""Areas under curves of weighted cases, of many draws of the weights at once.

Each area is made in two steps: from which cases are positive and the scores to a function, and from weights (case,
draw) to values (draw). What belongs to the scores is found once. Areas are NaN where a class has no weight.
"""

from collections.abc import Callable

import numpy as np

__all__ = ["Evaluate", "area_gain", "area_lift", "area_pr", "area_roc"]

#: From weights (case, draw) to values (draw).
Evaluate = Callable[[np.ndarray], np.ndarray]


def _codes(truth: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Places of the cases that rise with the score: odd where positives are, even between these.

    Negatives that no positive tells apart share a place, so that orders that differ in nothing that counts give the
    same numbers to the last digit, and tie.
    """
    marks = np.unique(score[truth])
    return np.searchsorted(marks, score, "left") + np.searchsorted(marks, score, "right")


def area_roc(truth: np.ndarray, score: np.ndarray) -> Evaluate:
    """How often a positive case scores higher than a negative one, ties by half."""
    codes = _codes(truth, score)
    up, down = np.flatnonzero(truth), np.flatnonzero(~truth)
    down = down[np.argsort(codes[down], kind="stable")]
    lower, upper = (np.searchsorted(codes[down], codes[up], side) for side in ("left", "right"))
    tied = lower < upper

    def evaluate(weight: np.ndarray) -> np.ndarray:
        mine = weight[up]
        below = _sums(weight[down])
        # What is lost, so that a perfect order has an area of 1 exactly.
        above = below[-1] - below[upper]
        above[tied] += (below[upper[tied]] - below[lower[tied]]) / 2
        lost = np.einsum("ij,ij->j", mine, above)
        return np.maximum(1 - lost / (mine.sum(axis=0) * below[-1]), 0.0)

    return evaluate


def area_gain(truth: np.ndarray, score: np.ndarray) -> Evaluate:
    """Linear in the area under ROC, at the prevalence of the draw."""
    roc = area_roc(truth, score)

    def evaluate(weight: np.ndarray) -> np.ndarray:
        prevalence = weight[truth].sum(axis=0) / weight.sum(axis=0)
        return prevalence / 2 + (1 - prevalence) * roc(weight)

    return evaluate


def area_pr(truth: np.ndarray, score: np.ndarray) -> Evaluate:
    """The average precision: of each positive, the precision where it is reached."""
    codes = -_codes(truth, score)
    # Positives before all negatives have a precision of 1, in whatever order.
    codes = np.maximum(codes, codes[~truth].min(initial=0) - 1)
    up, down = (where[np.argsort(codes[where], kind="stable")] for where in map(np.flatnonzero, (truth, ~truth)))
    last = _ends(codes[up])
    met = np.searchsorted(codes[down], codes[up][last], "right")

    def evaluate(weight: np.ndarray) -> np.ndarray:
        hit, above = _sums(weight[up]), _sums(weight[down])
        reached, missed = hit[1 + last], above[met]
        lost = np.divide(missed, reached + missed, out=np.zeros(missed.shape), where=missed > 0)
        return 1 - np.einsum("ij,ij->j", np.diff(reached, axis=0, prepend=0.0), lost) / _told(hit[-1], above[-1])

    return evaluate


def area_lift(truth: np.ndarray, score: np.ndarray) -> Evaluate:
    """The mean lift over all shares of the cases that may be called positive."""
    order = np.argsort(-score, kind="stable")
    last = _ends(score[order])
    right = truth[order][:, None]

    def evaluate(weight: np.ndarray) -> np.ndarray:
        called = weight[order]
        hit, missed = (_sums(called * which) for which in (right, ~right))
        reached = hit[1 + last]
        called = reached + missed[1 + last]
        precision = np.divide(reached, called, out=np.zeros(called.shape), where=reached > 0)
        steps = np.diff(called, axis=0, prepend=0.0)
        return np.einsum("ij,ij->j", steps, precision) / _told(hit[-1], missed[-1])

    return evaluate


def _ends(ordered: np.ndarray) -> np.ndarray:
    """The last of each group of equals."""
    return np.flatnonzero(np.append(ordered[1:] != ordered[:-1], ordered.size > 0))


def _sums(weight: np.ndarray) -> np.ndarray:
    """Cumulated weights, of no case first."""
    out = np.zeros((len(weight) + 1, weight.shape[1]))
    np.cumsum(weight, axis=0, out=out[1:])
    return out


def _told(positives: np.ndarray, negatives: np.ndarray) -> np.ndarray:
    """The weight of the positives, NaN where a class has none: nothing is told apart."""
    return np.where((positives > 0) & (negatives > 0), positives, np.nan)
