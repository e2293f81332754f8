"""Curves of a classifier along its thresholds, and the best threshold for a score.

A threshold chosen and judged on the same cases looks better than it is. Here each case is judged by a threshold chosen
without it, in every draw of the case weights.
"""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._checks import check_choice, check_integer, check_memory, check_prevalences, check_prob
from bayesrank._random import Seed, root_sequence, stream
from bayesrank._types import ScoreLike
from bayesrank.ops import _areas
from bayesrank.ops.curves import check_curve_cases
from bayesrank.ops.values import orient
from bayesrank.scores.score import Score

__all__ = ["best_threshold", "ideal_area", "threshold_curves"]

CURVES = tuple(_areas.IDEAL)


def ideal_area(curve: str, prevalence: Any) -> xr.DataArray:
    """Return the area under a curve of the ideal ranking, with all positives first.

    Parameters
    ----------
    curve : {"roc", "pr", "lift", "gain"}
        Name of the curve; the areas are 1, 1, 1 - log π and 1 - π / 2.
    prevalence : number, sequence or DataArray
        Prevalence π of the positive class, strictly between 0 and 1.

    Returns
    -------
    xarray.DataArray
        The areas by which ``"auc_..."`` is divided to give ``"nauc_..."``.

    Raises
    ------
    KeyError
        If the curve is unknown.
    ValueError, TypeError
        If a prevalence is not strictly between 0 and 1.

    References
    ----------
    Zhao et al., Outperformance Score, Table 3.

    Examples
    --------
    >>> ideal_area("lift", [0.1, 0.5]).round(3).values.tolist()
    [3.303, 1.693]
    """
    check_choice("curve", curve, CURVES, KeyError)
    shares = check_prevalences(prevalence)
    return shares.copy(data=_areas.ideal_area(curve, shares.values)).rename("ideal_area")


def threshold_curves(y_true: Any, y_score: Any, *, positive: Any = 1) -> xr.Dataset:
    """Return the ROC, precision-recall, lift and gain curves at every threshold, ends included.

    Parameters
    ----------
    y_true : array_like
        Label of each case, from two classes.
    y_score : array_like, mapping or DataFrame
        Score of each case, higher for more positive; a mapping or DataFrame holds several classifiers.
    positive : label
        The label of the positive class.

    Returns
    -------
    xarray.Dataset
        Along ``point``, for each ``entity``: ``threshold`` (cases at or above it are called positive; first infinite),
        ``fpr``, ``recall``, ``share`` of cases called positive, ``precision``, ``lift``; and the ``prevalence``. Rows
        are padded with NaN; precision and lift are NaN without a positive call. The curves are recall over fpr (ROC),
        precision over recall, lift over share, and recall over share (gain).

    Raises
    ------
    ValueError
        If one class is missing, a score is NaN or all are equal.

    References
    ----------
    Zhao et al., Outperformance Score, Table 3.

    Examples
    --------
    >>> curves = threshold_curves([0, 1, 0, 1], [0.1, 0.4, 0.4, 0.9])
    >>> curves["fpr"].values.tolist(), curves["recall"].values.tolist()
    ([[0.0, 0.0, 0.5, 1.0]], [[0.0, 0.5, 1.0, 1.0]])
    >>> curves["threshold"].values.tolist(), curves["precision"].values.round(3).tolist()
    ([[inf, 0.9, 0.4, 0.1]], [[nan, 1.0, 0.667, 0.5]])
    """
    truth, scores = check_curve_cases(y_true, y_score, positive)
    prevalence = truth.mean()
    rows = []
    for score in scores.values():
        fpr, tpr = _areas.rates(truth, score)
        share = prevalence * tpr + (1 - prevalence) * fpr
        with np.errstate(invalid="ignore"):
            lift = np.where(share > 0, tpr / share, np.nan)
        rows.append([np.append(np.inf, np.unique(score)[::-1]), fpr, tpr, share, prevalence * lift, lift])
    longest = max(row[0].size for row in rows)
    table = np.full((len(rows), 6, longest), np.nan)
    for i, row in enumerate(rows):
        table[i, :, : row[0].size] = row
    names = ("threshold", "fpr", "recall", "share", "precision", "lift")
    return xr.Dataset(
        {name: (("entity", "point"), table[:, k]) for k, name in enumerate(names)},
        {"entity": list(scores), "prevalence": float(prevalence)},
    )


def best_threshold(
    y_true: Any,
    y_score: Any,
    score: ScoreLike,
    *,
    positive: Any = 1,
    draws: int = 200,
    folds: int | None = None,
    prob: float = 0.95,
    seed: Seed = None,
) -> xr.Dataset:
    """Return the threshold with the highest score, and its score on cases that were not used to choose it.

    Parameters
    ----------
    y_true : array_like
        Label of each case, from two classes.
    y_score : array_like, mapping or DataFrame
        Score of each case, higher for more positive; a mapping or DataFrame holds several classifiers.
    score : Score, str or callable
        Any two-class score with a direction.
    positive : label
        The label of the positive class.
    draws : int
        Draws of the case weights (Bayesian bootstrap), each with its own folds; at least 1.
    folds : int, optional
        Number of stratified folds, from 2 to the size of the smaller class. Default: 10, or that size if smaller.
    prob : float
        Probability of the credible intervals.
    seed : int, SeedSequence or Generator, optional
        Seed of the weights and folds, which all classifiers share.

    Returns
    -------
    xarray.Dataset
        ``threshold`` (entity), the best for the observed cases, and ``apparent``, its score. Over (draw, entity):
        ``threshold_draws`` and ``apparent_draws``, the same for weighted cases, and ``honest_draws``, the
        cross-validated score. ``honest``, ``honest_lower``, ``honest_upper`` are its mean and interval; ``optimism``
        is the mean of apparent minus honest (reversed if lower is better), with standard error ``optimism_error``.

    Raises
    ------
    ValueError
        If one class is missing, a score is NaN or all are equal, a class has fewer cases than folds, or the score has
        no direction or is undefined at all thresholds.

    Notes
    -----
    Ties go to the highest threshold. Means ignore draws in which the score is undefined.

    References
    ----------
    Zhao et al., Outperformance Score, Section 4.1 (thresholds chosen on a validation set).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> y_true = np.repeat([0, 1], [60, 40])
    >>> found = best_threshold(y_true, rng.random(100), "informedness", draws=50, seed=1)  # no skill at all
    >>> found["optimism"].item() > 0.05, found["honest"].item() < found["apparent"].item()
    (True, True)
    """
    truth, scores = check_curve_cases(y_true, y_score, positive)
    rule = orient(score)
    draws, prob = check_integer("draws", draws, 1), check_prob("prob", prob)
    root = root_sequence(seed)
    fewest = int(min(truth.sum(), (~truth).sum()))
    if fewest < 2:
        raise ValueError(f"y_true must hold at least two cases of each class; got {fewest} of one")
    folds = min(10, fewest) if folds is None else check_integer("folds", folds, 2, fewest)
    rng = stream(root, "best_threshold", truth.size, np.packbits(truth).tobytes().hex())
    ones = np.ones(truth.size)
    parts = [_thresholds(column) for column in scores.values()]
    observed = [_chosen(rule, *_cells(part, truth, ones)) for part in parts]
    if any(np.isnan(value) for _, value in observed):
        raise ValueError(f"score must be defined at some threshold; {rule.name!r} is at none")
    check_memory(
        "draws must be fewer", f"{draws} draws of {len(parts)} classifiers", (3, draws, len(parts)), str(draws)
    )
    at = np.empty((draws, len(parts)))
    apparent, honest = np.empty(at.shape), np.empty(at.shape)
    for draw in range(draws):
        weight = rng.standard_exponential(truth.size)
        fold = np.empty(truth.size, int)
        for members in (truth, ~truth):
            fold[members] = rng.permutation(np.arange(members.sum()) % folds)
        for k, part in enumerate(parts):
            index, apparent[draw, k] = _chosen(rule, *_cells(part, truth, weight))
            at[draw, k] = part[0][index]
            honest[draw, k] = _held_out(rule, part, truth, weight, fold, folds)
    sign = 1.0 if rule.higher_is_better else -1.0
    optimism = sign * (apparent - honest)
    known = np.isfinite(optimism)
    number = known.sum(0)
    tail = (1 - prob) / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(known, optimism, 0).sum(0) / number
        spread = np.sqrt(np.where(known, (optimism - mean) ** 2, 0).sum(0) / np.maximum(number - 1, 1) / number)
        central = np.where(known, honest, 0).sum(0) / number
    ends = [[np.quantile(column[ok], end) if ok.any() else np.nan for column, ok in zip(honest.T, known.T, strict=True)]
            for end in (tail, 1 - tail)]  # fmt: skip
    by_draw = ("draw", "entity")
    return xr.Dataset(
        {
            "threshold": ("entity", [part[0][index] for part, (index, _) in zip(parts, observed, strict=True)]),
            "apparent": ("entity", [value for _, value in observed]),
            "honest": ("entity", central),
            "honest_lower": ("entity", ends[0]),
            "honest_upper": ("entity", ends[1]),
            "optimism": ("entity", mean),
            "optimism_error": ("entity", spread),
            "threshold_draws": (by_draw, at),
            "apparent_draws": (by_draw, apparent),
            "honest_draws": (by_draw, honest),
        },
        {"entity": list(scores)},
    ).assign_attrs(score=rule.name, folds=folds, prob=prob)


#: Thresholds, highest first; the order of the cases by score; and the number of cases above each threshold.
Thresholds = tuple[np.ndarray, np.ndarray, np.ndarray]


def _thresholds(score: np.ndarray) -> Thresholds:
    order = np.argsort(-score, kind="stable")
    ordered = score[order]
    last = np.flatnonzero(np.append(np.diff(ordered) != 0, True))
    return np.append(np.inf, ordered[last]), order, np.append(0, last + 1)


def _cells(part: Thresholds, truth: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return weighted tn, fp, fn, tp at every threshold."""
    _, order, after = part
    found = []
    for members in (~truth, truth):
        total = np.append(0.0, np.cumsum(np.where(members, weight, 0.0)[order]))
        found.append((total[-1], total[after]))
    (negatives, fp), (positives, tp) = found
    return np.maximum(negatives - fp, 0.0), fp, np.maximum(positives - tp, 0.0), tp


def _chosen(rule: Score, *cells: np.ndarray) -> tuple[int, float]:
    """Return the best threshold, the highest in a tie, and its score; NaN if none is defined."""
    values = rule.of_cells(*cells)
    if np.isnan(values).all():
        return 0, np.nan
    index = int(np.nanargmax(values if rule.higher_is_better else -values))
    return index, float(values[index])


def _held_out(
    rule: Score, part: Thresholds, truth: np.ndarray, weight: np.ndarray, fold: np.ndarray, folds: int
) -> float:
    """Return the score of all cases, each judged by the threshold chosen from the other folds."""
    total = np.zeros(4)
    for left_out in range(folds):
        inside = fold == left_out
        index, value = _chosen(rule, *_cells(part, truth, np.where(inside, 0.0, weight)))
        if np.isnan(value):
            return np.nan
        total += [cell[index] for cell in _cells(part, truth, np.where(inside, weight, 0.0))]
    return float(rule.of_cells(*total))
