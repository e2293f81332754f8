"""Curves as arrays: rates along the thresholds, areas under them, points on them.

Areas under precision-recall and lift curves sum steps at the height of their right end (average
precision), which reproduces the tables of Zhao et al.; the straight lines in their text do not, and
could exceed the ideal area. Points use rates interpolated linearly between two thresholds (Eq. 9,
with u_l for the misprinted x_l).
"""

from collections.abc import Callable

import numpy as np

#: Area metrics, with the area of the ideal ranking, the divisor of normalised ones (Zhao et al.,
#: Table 3).
IDEAL: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "roc": lambda prevalence: np.ones_like(prevalence),
    "pr": lambda prevalence: np.ones_like(prevalence),
    "lift": lambda prevalence: 1 - np.log(prevalence),
    "gain": lambda prevalence: 1 - prevalence / 2,
}
AREAS = {f"{prefix}_{curve}": curve for prefix in ("auc", "nauc") for curve in IDEAL}
#: Points on a curve: name of the abscissa, and the ordinate.
POINTS = {
    "tpr_at_fpr": ("fpr", "tpr"),
    "precision_at_recall": ("recall", "precision"),
    "precision_at_share": ("share", "precision"),
    "lift_at_share": ("share", "lift"),
    "recall_at_share": ("share", "tpr"),
    "tnr_at_recall": ("recall", "tnr"),
}

#: Thresholds, infinite and then highest first; the order of the cases by score; and in it the last
#: case at each score.
Thresholds = tuple[np.ndarray, np.ndarray, np.ndarray]


def area(curve: str, fpr: np.ndarray, tpr: np.ndarray, prevalence: np.ndarray) -> np.ndarray:
    """Return the area under curves of rates (..., point) from (0, 0) to (1, 1), at prevalences (...)."""
    rise, run = np.diff(tpr, axis=-1), np.diff(fpr, axis=-1)
    if curve in ("roc", "gain"):
        roc = np.sum(run * (tpr[..., 1:] + tpr[..., :-1]) / 2, axis=-1)
        return roc if curve == "roc" else prevalence / 2 + (1 - prevalence) * roc
    share = _share(fpr, tpr, prevalence)[..., 1:]
    lift = np.divide(tpr[..., 1:], share, out=np.zeros(share.shape), where=share > 0)
    if curve == "lift":
        return np.sum(np.diff(share, axis=-1, prepend=0.0) * lift, axis=-1)
    return prevalence * np.sum(rise * lift, axis=-1)


def rank_ideally(fpr: np.ndarray, tpr: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the curves (..., point) of the ideal ranking of the same cases: all positives come first."""
    ones, zeros = np.ones_like(tpr), np.zeros_like(fpr)
    return np.concatenate([zeros, fpr], axis=-1), np.concatenate([tpr, ones], axis=-1)


def ideal_area(curve: str, prevalence: np.ndarray) -> np.ndarray:
    """Return the area of the ranking that puts all positives first."""
    return IDEAL[curve](np.asarray(prevalence, dtype=float))


def area_range(curve: str, prevalence: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the smallest and largest area at a prevalence: all positives last, and all positives first.

    Both are limits for many thresholds, which few thresholds approach from within.
    """
    prevalence = np.asarray(prevalence, dtype=float)
    of_steps = 1 + (1 - prevalence) / prevalence * np.log1p(-prevalence)
    worst = {"roc": np.zeros_like(prevalence), "gain": prevalence / 2}.get(curve, of_steps)
    return worst, ideal_area(curve, prevalence)


def point(
    metric: str, at: float, fpr: np.ndarray, tpr: np.ndarray, prevalence: np.ndarray
) -> np.ndarray:
    """Return the ordinate where the abscissa first reaches ``at``, with linear interpolation (Zhao et al., Eq. 9)."""
    abscissa, ordinate = POINTS[metric]
    x = {"fpr": lambda: fpr, "recall": lambda: tpr, "share": lambda: _share(fpr, tpr, prevalence)}[
        abscissa
    ]()
    right = np.clip(np.sum(x < at - 1e-12, axis=-1, keepdims=True), 1, x.shape[-1] - 1)

    def ends(z: np.ndarray) -> list[np.ndarray]:
        return [np.take_along_axis(z, i, axis=-1)[..., 0] for i in (right - 1, right)]

    (x0, x1), (f0, f1), (t0, t1) = ends(x), ends(fpr), ends(tpr)
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = np.where(x1 > x0, np.clip((at - x0) / (x1 - x0), 0, 1), 1.0)
        alpha, recall = f0 + weight * (f1 - f0), t0 + weight * (t1 - t0)
        if ordinate == "tpr":
            return recall
        if ordinate == "tnr":
            return 1 - alpha
        lift = recall / (prevalence * recall + (1 - prevalence) * alpha)
    return lift if ordinate == "lift" else prevalence * lift


def order_cases(score: np.ndarray) -> Thresholds:
    order = np.argsort(-score, kind="stable")
    last = np.flatnonzero(np.append(np.diff(score[order]) != 0, True))
    return np.append(np.inf, score[order[last]]), order, last


def called_positive(
    cases: Thresholds, positive: np.ndarray, weight: np.ndarray
) -> list[np.ndarray]:
    """Return the weights (..., threshold) of the negatives and of the positives called, for weights (..., case)."""
    _, order, last = cases
    sums = (
        np.cumsum(np.where(members, weight, 0.0)[..., order], axis=-1)
        for members in (~positive, positive)
    )
    return [np.insert(total[..., last], 0, 0.0, axis=-1) for total in sums]


def bootstrap_rates(
    positive: np.ndarray, score: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return FPR and TPR (draw, threshold) for weights (draw, case)."""
    fpr, tpr = (
        called / called[:, -1:] for called in called_positive(order_cases(score), positive, weight)
    )
    return fpr, tpr


def _share(fpr: np.ndarray, tpr: np.ndarray, prevalence: np.ndarray) -> np.ndarray:
    prevalence = np.asarray(prevalence)[..., None]
    return prevalence * tpr + (1 - prevalence) * fpr
