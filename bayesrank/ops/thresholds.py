"""Curves of a classifier along its thresholds, and the best threshold for a score."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple
from warnings import catch_warnings, filterwarnings

import numpy as np
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_choice, check_integer, check_prevalences, check_prob
from bayesrank._core.classes import CELLS
from bayesrank._core.errors import ArgumentError, ArgumentKeyError
from bayesrank._core.labels import select_names
from bayesrank._core.memory import check_memory
from bayesrank._core.notes import add_notes
from bayesrank._core.random import Seed, root_sequence, stream
from bayesrank._core.types import ScoreLike
from bayesrank.evidence.alignment import align_cases
from bayesrank.evidence.probabilities import probabilities_of
from bayesrank.ops._areas import IDEAL, Thresholds, called_positive, order_cases
from bayesrank.ops.curves import check_curve_cases
from bayesrank.ops.values import orient
from bayesrank.scores.families import decision_benefit
from bayesrank.scores.score import Score

#: Numbers of weights of cases and folds that are processed together.
TOGETHER = 2**18
#: Cases in the smallest cell at a threshold that are few; and the least share of the
#: cross-validated spread.
FEW, LEAST = 3, 0.6


@check_call
def ideal_area(curve: str, prevalence: Any) -> xr.DataArray:
    """Return the area under a curve of the ideal ranking, with all positives first (Zhao et al., Table 3).

    Parameters
    ----------
    curve : {"roc", "pr", "lift", "gain"}
        The areas are 1, 1, 1 - log π and 1 - π / 2.
    prevalence : number, sequence or DataArray
        Prevalence π of the positive class, strictly between 0 and 1.

    Examples
    --------
    >>> ideal_area("lift", [0.1, 0.5]).round(3).values.tolist()
    [3.303, 1.693]
    """
    area, shares = (
        IDEAL[check_choice("curve", curve, IDEAL, ArgumentKeyError)],
        check_prevalences(prevalence),
    )
    return shares.copy(data=area(shares.values)).rename("ideal_area")


@check_call
def threshold_curves(y_true: Any, y_score: Any, *, positive: Any = 1) -> xr.Dataset:
    """Return the ROC, precision-recall, lift and gain curves at every threshold, ends included (Zhao et al., Table 3).

    Parameters
    ----------
    y_true, y_score, positive
        As for :func:`of_curve`, with its errors.

    Returns
    -------
    xarray.Dataset
        Along ``point``, for each ``entity``: ``threshold`` (cases at or above it are called
        positive; first infinite), ``fpr``, ``recall``, ``share`` of cases called positive,
        ``precision``, ``lift``; and the ``prevalence``. Rows are padded with NaN; precision and
        lift are NaN without a positive call. The gain curve is recall over share.

    Examples
    --------
    >>> curves = threshold_curves([0, 1, 0, 1], [0.1, 0.4, 0.4, 0.9])
    >>> curves["threshold"].values.tolist(), curves["precision"].values.round(3).tolist()
    ([[inf, 0.9, 0.4, 0.1]], [[nan, 1.0, 0.667, 0.5]])
    """
    aligned, joined = align_cases({"y_true": y_true, "y_score": y_score})
    truth, scores = check_curve_cases(aligned["y_true"], aligned["y_score"], positive)
    prevalence = truth.mean()
    cases = [order_cases(score) for score in scores.values()]
    table = np.full((3, len(scores), max(len(at) for at, *_ in cases)), np.nan)
    for i, one in enumerate(cases):
        fp, tp = called_positive(one, truth, np.ones(truth.size))
        table[:, i, : len(fp)] = one[0], fp / fp[-1], tp / tp[-1]
    coords = {"entity": list(scores), "prevalence": float(prevalence)}
    names = ("threshold", "fpr", "recall")
    result = xr.Dataset(
        {name: (("entity", "point"), x) for name, x in zip(names, table, strict=True)}, coords
    )
    share = prevalence * result["recall"] + (1 - prevalence) * result["fpr"]
    lift = result["recall"] / share.where(share > 0)
    result = result.assign(share=share, precision=prevalence * lift, lift=lift)
    return result.assign_attrs(add_notes({}, joined))


@check_call
def best_threshold(
    y_true: Any,
    y_score: Any,
    score: ScoreLike | Mapping[str, float] | None = None,
    *,
    positive: Any = 1,
    draws: int = 200,
    folds: int | None = None,
    prob: float = 0.95,
    seed: Seed = None,
) -> xr.Dataset:
    """Return the threshold with the highest score, and its score on held-out cases (Zhao et al., Section 4.1).

    Parameters
    ----------
    y_true, y_score, positive, prob
        As for :func:`of_curve`.
    score : Score, str, callable or mapping
        Any two-class score with a direction, which is defined at some threshold. A mapping holds
        the benefit of each outcome, such as {"fp": -1, "fn": -20}, as for
        :func:`bayesrank.decisions.expected_utility`. After evidence with probabilities
        (:func:`bayesrank.from_probabilities`), the second argument is the score.
    draws, seed
        Draws of the case weights (Bayesian bootstrap), each with its own folds, for all
        classifiers; at least 1.
    folds : int, optional
        Number of stratified folds, from 2 to the size of the smaller class. Default: 10, or that
        size if smaller.

    Returns
    -------
    xarray.Dataset
        ``threshold`` (entity), the best for the observed cases, and ``apparent``, its score. Over
        (draw, entity): ``threshold_draws`` and ``apparent_draws``, the same for weighted cases, and
        ``honest_draws``, the score at ``threshold`` for weighted cases, shifted so that its mean is
        the cross-validated score. ``honest``, ``honest_lower``, ``honest_upper`` are its mean and
        interval over the defined draws; ``optimism`` is the mean of apparent minus cross-validated
        scores (reversed if lower is better), with standard error ``optimism_error``. Ties go to the
        highest threshold.

    Notes
    -----
    The mean of the cross-validated draws has no optimism. Their spread is too large: each draw
    chooses new thresholds in new folds, but the result is for one threshold. The spread of the
    draws at this one threshold is too small, because the same cases chose it. The logarithm of the
    spread of the honest draws is a weighted mean of the logarithms of both. The weight of the
    cross-validated spread is 0.6 if the smallest cell of the confusion matrix has many cases, 0.8
    if it has 3, and 1 if it is empty. These weights were chosen by simulation, and then checked on
    other designs (scripts/measure_thresholds.py).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> y_true = np.repeat([0, 1], [60, 40])
    >>> found = best_threshold(y_true, rng.random(100), "informedness", draws=50, seed=1)  # no skill at all
    >>> found["optimism"].item() > 0.05, found["honest"].item() < found["apparent"].item()
    (True, True)
    """
    if isinstance(y_true, xr.Dataset) and score is None:
        y_true, y_score, score, positive = _of_evidence(y_true, y_score)
    aligned, joined = align_cases({"y_true": y_true, "y_score": y_score})
    truth, scores = check_curve_cases(aligned["y_true"], aligned["y_score"], positive)
    rule = _of_benefit(score) if isinstance(score, Mapping) else orient(score)
    draws, prob, root = (
        check_integer("draws", draws, 1),
        check_prob("prob", prob),
        root_sequence(seed),
    )
    fewest = int(min(truth.sum(), (~truth).sum()))
    if fewest < 2:
        raise ArgumentError(
            "y_true", "must contain at least two cases of each class", f"{fewest} of one"
        )
    folds = min(10, fewest) if folds is None else check_integer("folds", folds, 2, fewest)
    rng = stream(root, "best_threshold", truth.size, np.packbits(truth).tobytes().hex())
    parts = [order_cases(column) for column in scores.values()]
    counts = [_cells(part, truth, np.ones(truth.size)) for part in parts]
    observed = [_choose(rule, *cells) for cells in counts]
    if any(np.isnan(value) for _, value in observed):
        raise ArgumentError(
            "score", f"must be defined at one threshold at least; {rule.name!r} is defined at none"
        )
    smallest = np.array(
        [min(cell[at] for cell in cells) for cells, (at, _) in zip(counts, observed, strict=True)]
    )
    shape = (draws, len(parts))
    check_memory(
        "draws must be fewer", f"{draws} draws of {len(parts)} classifiers", (3, *shape), str(draws)
    )
    drawn = _draw_thresholds(rule, parts, truth, [at for at, _ in observed], shape, folds, rng)
    columns = {
        "threshold_draws": drawn.threshold,
        "apparent_draws": drawn.apparent,
        "honest_draws": np.clip(_stretch(drawn, smallest), *rule.range),
    }
    result = xr.Dataset(
        {name: (("draw", "entity"), x) for name, x in columns.items()}, {"entity": list(scores)}
    )
    held_out = result["apparent_draws"].copy(data=drawn.held_out)
    sign = 1 if rule.higher_is_better else -1
    optimism = (result["apparent_draws"] - held_out) * sign
    honest = result["honest_draws"].where(optimism.notnull())
    with catch_warnings():
        filterwarnings("ignore", "All-NaN", RuntimeWarning)
        ends = honest.quantile([(1 - prob) / 2, (1 + prob) / 2], "draw")
    thresholds = [part[0][index] for part, (index, _) in zip(parts, observed, strict=True)]
    return result.assign(
        threshold=("entity", thresholds),
        apparent=("entity", [value for _, value in observed]),
        honest=honest.mean("draw"),
        honest_lower=ends.isel(quantile=0, drop=True),
        honest_upper=ends.isel(quantile=1, drop=True),
        optimism=optimism.mean("draw"),
        optimism_error=optimism.std("draw", ddof=1) / np.sqrt(optimism.count("draw")),
    ).assign_attrs(add_notes({"score": rule.name, "folds": folds, "prob": prob}, joined))


class _Thresholds(NamedTuple):
    """Draws (draw, entity) under random weights of the cases."""

    threshold: np.ndarray  #: the best one of the draw
    apparent: np.ndarray  #: its score on the same cases
    fixed: np.ndarray  #: the score at the threshold that is the best on the observed cases
    held_out: np.ndarray  #: the score on folds that did not choose the threshold


def _draw_thresholds(
    rule: Score,
    parts: list,
    truth: np.ndarray,
    chosen: list[np.ndarray],
    shape: tuple[int, int],
    folds: int,
    rng: np.random.Generator,
) -> _Thresholds:
    drawn = _Thresholds(*(np.empty(shape) for _ in _Thresholds._fields))
    draws, step = shape[0], max(1, TOGETHER // (folds * truth.size))
    for block in (slice(start, min(start + step, draws)) for start in range(0, draws, step)):
        weight, fold = np.empty((2, block.stop - block.start, truth.size))
        for row, own in zip(weight, fold, strict=True):
            row[:] = rng.standard_exponential(truth.size)
            for members in (truth, ~truth):
                own[members] = rng.permutation(np.arange(members.sum()) % folds)
        for k, part in enumerate(parts):
            cells = _cells(part, truth, weight)
            index, drawn.apparent[block, k] = _choose(rule, *cells)
            drawn.threshold[block, k] = part[0][index]
            drawn.fixed[block, k] = rule.of_cells(*(cell[..., chosen[k]] for cell in cells))
            drawn.held_out[block, k] = _held_out(rule, part, truth, weight, fold, folds)
    return drawn


def _stretch(drawn: _Thresholds, smallest: np.ndarray) -> np.ndarray:
    """Return draws around the mean held-out score, spread at least as those at the fixed threshold.

    The fewer cases the ``smallest`` cell has, the nearer the spread is to that of the held-out scores.
    """
    fixed, held_out = drawn.fixed, drawn.held_out
    with catch_warnings():
        # A score may be undefined in all draws.
        filterwarnings("ignore", "All-NaN|Mean of empty|Degrees of freedom", RuntimeWarning)
        centre = np.nanmean(np.where(np.isnan(held_out), np.nan, fixed), axis=0)
        spread, most = np.nanstd(fixed, axis=0), np.nanstd(held_out, axis=0)
        share = LEAST + (1 - LEAST) / (1 + np.square(smallest / FEW))
        scale = (most / np.where(spread > 0, spread, np.nan)) ** share
        stretched = np.nanmean(held_out, axis=0) + scale * (fixed - centre)
    # Without errors at the threshold its draws are all alike.
    return np.asarray(np.where(spread > 0, stretched, held_out))


def _of_benefit(benefit: Mapping[str, float]) -> Score:
    """Return the mean benefit per case, which ranks thresholds; outcomes that are not named have none."""
    if not benefit or not set(benefit) <= set(CELLS):
        raise ArgumentError(
            "score", f"must contain benefits of {', '.join(CELLS)}", f"{dict(benefit)!r:.60}"
        )
    tn, fp, fn, tp = (benefit.get(cell, 0.0) for cell in CELLS)
    return replace(decision_benefit([[tn, fp], [fn, tp]]), higher_is_better=True)


def _of_evidence(evidence: xr.Dataset, score: Any) -> tuple[Any, Any, Any, Any]:
    """Return true labels, probabilities by entity, the score and the positive class of evidence of two classes."""
    probabilities = probabilities_of(evidence)
    if "probability" not in probabilities or "label" in probabilities["probability"].dims:
        raise ArgumentError(
            "y_true",
            "must contain probabilities of two classes",
            "other evidence",
            "br.from_probabilities makes them",
        )
    columns = {
        name: select_names(probabilities["probability"], entity=name).values
        for name in probabilities["entity"].values.tolist()
    }
    return probabilities["actual"].values, columns, score, probabilities["label"].values.tolist()[1]


def _cells(part: Thresholds, truth: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return weighted tn, fp, fn, tp (..., threshold) for weights (..., case)."""
    fp, tp = called_positive(part, truth, weight)
    tn, fn = (np.maximum(called[..., -1:] - called, 0.0) for called in (fp, tp))
    return tn, fp, fn, tp


def _choose(rule: Score, *cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the best thresholds (...), the highest in a tie, and their scores; NaN if none is defined."""
    values = rule.of_cells(*cells)
    gain = np.where(np.isnan(values), -np.inf, values if rule.higher_is_better else -values)
    index = gain.argmax(axis=-1)
    return index, np.take_along_axis(values, index[..., None], axis=-1)[..., 0]


def _held_out(
    rule: Score,
    part: Thresholds,
    truth: np.ndarray,
    weight: np.ndarray,
    fold: np.ndarray,
    folds: int,
) -> np.ndarray:
    """Return the scores (draw) of all cases, each judged by the threshold chosen from the other folds."""
    inside, weight = fold[:, None] == np.arange(folds)[:, None], weight[:, None]
    index, value = _choose(rule, *_cells(part, truth, np.where(inside, 0.0, weight)))
    cells = _cells(part, truth, np.where(inside, weight, 0.0))
    values = rule.of_cells(
        *(np.take_along_axis(cell, index[..., None], -1)[..., 0].sum(-1) for cell in cells)
    )
    return np.where(np.isnan(value).any(-1), np.nan, values)
