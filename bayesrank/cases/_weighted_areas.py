"""Areas under curves of weighted cases: a function of weights (case, draw), for scores that are sorted once."""

from collections.abc import Callable

import numpy as np

#: A function from weights (case, draw) to values (draw).
Evaluate = Callable[[np.ndarray], np.ndarray]


def _codes(truth: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Return the positions of the cases by rising score: odd for positives, even between them.

    Negatives with no positive between them share a position. So orders with the same area give the
    same number to the last digit, and tie.
    """
    marks = np.unique(score[truth])
    return np.searchsorted(marks, score, "left") + np.searchsorted(marks, score, "right")


def area_roc(truth: np.ndarray, score: np.ndarray) -> Evaluate:
    """Return the probability that a positive case scores higher than a negative one, with ties as one half."""
    codes = _codes(truth, score)
    up, down = np.flatnonzero(truth), np.flatnonzero(~truth)
    down = down[np.argsort(codes[down], kind="stable")]
    lower, upper = (np.searchsorted(codes[down], codes[up], side) for side in ("left", "right"))
    tied = lower < upper

    def evaluate(weight: np.ndarray) -> np.ndarray:
        mine = weight[up]
        below = _sums(weight[down])
        # One minus the loss, so that a perfect order has an area of exactly 1.
        above = below[-1] - below[upper]
        above[tied] += (below[upper[tied]] - below[lower[tied]]) / 2
        lost = np.einsum("ij,ij->j", mine, above)
        return np.maximum(1 - lost / (mine.sum(axis=0) * below[-1]), 0.0)

    return evaluate


def area_gain(truth: np.ndarray, score: np.ndarray) -> Evaluate:
    """Return the area under gain, linear in the area under ROC at the prevalence of the draw."""
    roc = area_roc(truth, score)

    def evaluate(weight: np.ndarray) -> np.ndarray:
        prevalence = weight[truth].sum(axis=0) / weight.sum(axis=0)
        return prevalence / 2 + (1 - prevalence) * roc(weight)

    return evaluate


def area_pr(truth: np.ndarray, score: np.ndarray) -> Evaluate:
    """Return the average precision: the mean over positives of the precision at their position."""
    codes = -_codes(truth, score)
    # Positives before all negatives have a precision of 1 in any order.
    codes = np.maximum(codes, codes[~truth].min(initial=0) - 1)
    up, down = (
        where[np.argsort(codes[where], kind="stable")]
        for where in map(np.flatnonzero, (truth, ~truth))
    )
    last = _ends(codes[up])
    rank_of_last = np.searchsorted(codes[down], codes[up][last], "right")

    def evaluate(weight: np.ndarray) -> np.ndarray:
        hit, above = _sums(weight[up]), _sums(weight[down])
        reached, missed = hit[1 + last], above[rank_of_last]
        lost = np.divide(missed, reached + missed, out=np.zeros(missed.shape), where=missed > 0)
        return 1 - np.einsum("ij,ij->j", np.diff(reached, axis=0, prepend=0.0), lost) / _weight_of(
            hit[-1], above[-1]
        )

    return evaluate


def area_lift(truth: np.ndarray, score: np.ndarray) -> Evaluate:
    """Return the mean lift over all shares of cases called positive."""
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
        return np.einsum("ij,ij->j", steps, precision) / _weight_of(hit[-1], missed[-1])

    return evaluate


def _ends(ordered: np.ndarray) -> np.ndarray:
    return np.flatnonzero(np.append(ordered[1:] != ordered[:-1], ordered.size > 0))


def _sums(weight: np.ndarray) -> np.ndarray:
    """Return cumulative weights, starting at 0."""
    out = np.zeros((len(weight) + 1, weight.shape[1]))
    np.cumsum(weight, axis=0, out=out[1:])
    return out


def _weight_of(positives: np.ndarray, negatives: np.ndarray) -> np.ndarray:
    """Return the weight of the positives; NaN where a class has no weight, so the area is undefined."""
    return np.where((positives > 0) & (negatives > 0), positives, np.nan)
