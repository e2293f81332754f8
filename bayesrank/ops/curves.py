"""Outperformance scores of values: of two-class scores, of areas under curves, and of points on curves."""

from collections.abc import Iterable, Mapping
from functools import lru_cache, partial
from itertools import chain
from typing import Any, TypeGuard

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import (
    check_absent,
    check_choice,
    check_integer,
    check_number,
    check_numbers,
    check_positives,
    check_prevalence,
    check_prob,
    check_regular_array,
    check_size,
    is_number,
)
from bayesrank._core.draws import draw_dims
from bayesrank._core.errors import ArgumentError, ArgumentKeyError, ArgumentTypeError
from bayesrank._core.memory import check_memory
from bayesrank._core.notes import add_notes
from bayesrank._core.random import Seed, root_sequence, stream
from bayesrank._core.types import ScoreLike
from bayesrank.cases.weights import blocks_of, check_case_weights
from bayesrank.evidence.alignment import align_cases
from bayesrank.ops._areas import (
    AREAS,
    POINTS,
    area,
    area_range,
    bootstrap_rates,
    ideal_area,
    point,
    rank_ideally,
)
from bayesrank.ops.references import Reference, below, check_curves, check_reference
from bayesrank.ops.values import broadcast, check_points, check_range, orient, value_range, wrap
from bayesrank.scores.score import cells_at

AT_K = {
    "precision_at_k": "precision_at_share",
    "lift_at_k": "lift_at_share",
    "recall_at_k": "recall_at_share",
}
CURVE_METRICS = (*AREAS, *POINTS, *AT_K)
DRAWS = 1000
#: TPR and FPR of a random ranking.
DIAGONAL = np.array([0.0, 1.0])
#: A metric and its position on the curve.
Place = tuple[str, float]


@check_call
def of_value(
    score: ScoreLike,
    value: Any,
    prevalence: Any,
    *,
    at: float | None = None,
    size: int | None = None,
    reference: Reference | xr.Dataset | None = None,
) -> xr.DataArray:
    """Return the OPS of a value of a two-class score or a metric of a curve (Zhao et al., Definition 1, Eq. 6 to 10).

    Parameters
    ----------
    score : Score, str or callable
        A two-class score with a direction; or a metric of a curve: the areas ``"auc_roc"``,
        ``"auc_pr"``, ``"auc_lift"``, ``"auc_gain"``, or relative to the ideal area ``"nauc_roc"``
        and so on; or the points ``"tpr_at_fpr"``, ``"tnr_at_recall"``, and ``"precision"``,
        ``"lift"`` or ``"recall"`` with ``"_at_share"`` (of cases called positive) or ``"_at_k"``,
        and ``"precision_at_recall"``.
    value : number, array_like or DataArray
        The reported value; NaN gives NaN.
    prevalence : number, array_like or DataArray
        Prevalence of the positive class, strictly between 0 and 1; broadcasts with ``value``.
    at : number, optional
        Position on the curve: the FPR, recall or share, strictly between 0 and 1; or the number of
        cases K.
    size : int, optional
        Number of cases in the test set, for metrics at K.
    reference : Distribution or Sample; for curves a Dataset, optional
        For scores, the default is uniform. For curves, a Dataset with ``fpr`` and ``tpr`` (sample,
        point); the default is from :func:`directed_binary_tree`.

    Returns
    -------
    xarray.DataArray
        Named "ops": the probability that a performance from the reference is strictly worse at that
        prevalence. For samples, the coord ``ops_error`` is the standard error. Other values are
        closed forms or quadrature. The error of quadrature is below 1e-8 for the catalogue's scores
        that rise with TPR and TNR, and for maxima and minima of two or more scores. It may be
        larger for a function that jumps, and for one that is not monotone.

    Raises
    ------
    ValueError
        If the value is outside the range of the score at that prevalence.

    Examples
    --------
    >>> of_value("f1", 0.6, [0.1, 0.5]).round(3).values.tolist()
    [0.958, 0.643]
    >>> of_value("auc_pr", 0.354, 0.091).round(2).item()
    0.87
    """
    if not _is_metric(score):
        score = orient(score)
        for name, given in (("at", at), ("size", size)):
            check_absent(name, given, f"for {score.name}, which is no metric of a point on a curve")
        if isinstance(reference, xr.Dataset):
            raise ArgumentTypeError(
                "reference", "must be a Distribution or a Sample for scores", "a Dataset of curves"
            )
        checked = check_reference(reference)
        values, shares = broadcast(value, prevalence)
        low, high = value_range(score, shares)
        check_range(score.name, values.values, shares.values, low, high)
        return wrap(
            values,
            below(checked, score, np.clip(values.values, low, high), shares.values),
            checked.size,
        )
    metric, position = _place(_plain(score), at, size)
    values, shares = broadcast(value, prevalence)
    check_range(score, values.values, shares.values, *_range(metric, position, shares.values))
    curves = check_curves(reference)
    return wrap(
        values,
        _below(curves, metric, position, values.values, shares.values),
        curves.sizes["sample"],
    )


@check_call
def of_curve(
    y_true: Any,
    y_score: Any,
    metric: str,
    *,
    at: Any = None,
    positive: Any = 1,
    draws: int = DRAWS,
    prob: float = 0.95,
    reference: xr.Dataset | None = None,
    weights: xr.DataArray | None = None,
    seed: Seed = None,
) -> xr.Dataset:
    """Return the OPS of areas under curves, or of points on them, from per-case data (Zhao et al., Section 3.3).

    Parameters
    ----------
    y_true : array_like
        Label of each case, from two classes.
    y_score : array_like, mapping or DataFrame
        Score of each case, higher for more positive; a mapping or DataFrame holds several
        classifiers. Everything with an index is joined to ``y_true`` by its labels.
    metric, at, reference
        As for :func:`of_value`. A sequence ``at`` gives a curve of OPS: the OPRC for
        ``"precision_at_recall"``, the OPS(lift) curve for ``"lift_at_share"``.
    positive : label
        The label of the positive class.
    draws, seed
        Draws of the Bayesian bootstrap over cases; 0 for none. Classifiers share their weights, as
        do calls with the same labels and seed.
    prob : float
        Probability of the credible intervals.
    weights : xarray.DataArray, optional
        Draws of case weights from :func:`bayesrank.case_weights`, instead of ``draws`` and
        ``seed``.

    Returns
    -------
    xarray.Dataset
        ``value``, ``ops`` and ``ops_error`` (entity, and the dim ``fpr``, ``recall``, ``share`` or
        ``k`` if ``at`` is a sequence); areas ``nauc_...`` are relative to those of the ideal
        ranking of the same cases, and have the OPS of the areas. Also ``prevalence``, and
        ``no_skill`` and ``ops_no_skill`` for a random ranking. With draws also ``value_draws`` and
        ``ops_draws`` (chain, draw, entity, ...), ``prevalence_draws``, ``ops_lower`` and
        ``ops_upper``. The OPS of draws is interpolated between prevalences 0.25 apart in log-odds.

    Examples
    --------
    >>> y_true = [0, 0, 0, 0, 0, 0, 0, 1, 1, 1]
    >>> y_score = {"good": [1, 2, 3, 4, 5, 6, 8, 7, 9, 10], "poor": [1, 9, 3, 4, 5, 6, 8, 7, 2, 10]}
    >>> result = of_curve(y_true, y_score, "auc_roc", draws=0)
    >>> result["value"].round(3).values.tolist(), bool(result["ops"][0] > result["ops"][1])
    ([0.952, 0.619], True)
    """
    aligned, joined = align_cases({"y_true": y_true, "y_score": y_score, "weights": weights})
    y_true, y_score, weights = aligned.values()
    truth, scores = check_curve_cases(y_true, y_score, positive)
    draws = check_integer("draws", draws)
    prob = check_prob("prob", prob)
    metric = check_choice(
        "metric", _plain(metric) if _is_metric(metric) else metric, CURVE_METRICS, ArgumentKeyError
    )
    curves = check_curves(reference)
    size = truth.size if metric in AT_K else None
    positions = _list_positions(at)
    relative, metric_name = metric.startswith("nauc"), metric.removeprefix("n")
    # Areas relative to the ideal one have the OPS of the areas themselves (Zhao et al., Section
    # 3.1).
    places = [_place(metric_name if relative else metric, one, size) for one in positions]
    drawn = _draw_case_weights(truth, draws, seed, weights)
    chains = () if drawn is None else tuple(drawn.sizes[dim] for dim in draw_dims(drawn))
    prevalence, value = _values(truth, list(scores.values()), places, drawn)
    shares, ops = np.broadcast_to(prevalence[:, None], value.shape[:2]), np.empty(value.shape)
    # The first row has the observed values, which need no interpolation between prevalences.
    for column, position in enumerate(places):
        for rows in (slice(0, 1), slice(1, None)):
            ops[rows, :, column] = _below(curves, *position, value[rows, :, column], shares[rows])
    chance = np.array(
        [_metric(*position, DIAGONAL, DIAGONAL, prevalence[0]) for position in places]
    )
    of_chance = [
        _below(curves, *position, one, prevalence[0])
        for position, one in zip(places, chance, strict=True)
    ]
    if relative:
        value = value / _values(truth, list(scores.values()), places, drawn, ideal=True)[1]
        chance = chance / ideal_area(AREAS[metric], prevalence[0])

    axis = "k" if metric in AT_K else POINTS[metric][0] if metric in POINTS else "at"
    dims = ("entity", axis)
    values = xr.DataArray(value[0], {"entity": list(scores), axis: positions}, dims)
    point_ops = wrap(values, ops[0], curves.sizes["sample"])
    out = xr.Dataset({"value": values, "ops": point_ops}).reset_coords("ops_error")
    out = out.assign(
        prevalence=float(prevalence[0]), no_skill=(axis, chance), ops_no_skill=(axis, of_chance)
    )
    if drawn is not None:
        along = draw_dims(drawn)
        out["prevalence_draws"] = (along, prevalence[1:].reshape(chains))
        for name, array in (("value_draws", value), ("ops_draws", ops)):
            out[name] = ((*along, *dims), array[1:].reshape(*chains, *array.shape[1:]))
        tail = (1 - prob) / 2
        for name, end in (("ops_lower", tail), ("ops_upper", 1 - tail)):
            out[name] = out["ops_draws"].quantile(end, along).drop_vars("quantile")
    if axis == "at" or np.ndim(at) == 0:
        out = out.isel({axis: 0}, drop=True)
    return out.assign_attrs(add_notes({"metric": metric, "prob": prob}, joined))


@check_call
def value_curves(
    score: ScoreLike,
    prevalence: Any,
    points: int = 201,
    reference: Reference | xr.Dataset | None = None,
    *,
    at: float | None = None,
    size: int | None = None,
) -> xr.DataArray:
    """Return OPS as a function of the value, for several prevalences (Zhao et al., Figures 1 (c) and 3).

    Parameters
    ----------
    score, reference, at, size
        As for :func:`of_value`; the range of the score at each prevalence must be finite.
    prevalence : sequence of float
        Prevalences of the positive class, strictly between 0 and 1.
    points : int
        Number of values at each prevalence, evenly spaced over the range of the score or metric
        there.

    Returns
    -------
    xarray.DataArray
        As from :func:`of_value`, (prevalence, point), with the coord ``value`` (prevalence, point):
        a curve starts at the smallest value that is possible at its prevalence, and ends at the
        largest.

    Examples
    --------
    >>> value_curves("f1", [0.1, 0.5], points=3).round(3).values.tolist()
    [[0.0, 0.926, 1.0], [0.0, 0.5, 1.0]]
    >>> value_curves("lift", [0.1, 0.5], points=3)["value"].values.round(6).tolist()
    [[0.0, 5.0, 10.0], [0.0, 1.0, 2.0]]
    """
    prevalences, points = check_numbers("prevalence", prevalence), check_size("points", points, 2)
    if not prevalences.size:
        raise ArgumentError("prevalence", "must contain at least one share", "none")
    check_memory(
        "points must be fewer",
        f"{prevalences.size} x {points} values",
        (prevalences.size, points),
        str(points),
    )
    shares = broadcast(0.0, prevalences.reshape(-1, 1))[1]
    if _is_metric(score):
        limits = _range(*_place(_plain(score), at, size), shares.values)
        least, most = (np.broadcast_to(limit, shares.shape) for limit in limits)
        name = str(score) if at is None else f"{score} {at:g}"
    else:
        oriented = orient(score)
        name, (least, most) = oriented.name, value_range(oriented, shares)
        if not np.isfinite([least, most]).all():
            raise ArgumentError(
                "score",
                "must have a finite range at each prevalence",
                f"{name} with {oriented.range}",
            )
    value = least + np.linspace(0.0, 1.0, points) * (most - least)
    value[:, -1:] = most
    dims = ("prevalence", "point")
    axes = {"prevalence": np.ravel(prevalence), "value": (dims, value)}
    values = xr.DataArray(value, axes, dims)
    return of_value(
        score, values, values["prevalence"], at=at, size=size, reference=reference
    ).assign_attrs(score=name)


@check_call
def square(score: ScoreLike, value: float, prevalence: float, resolution: int = 201) -> xr.Dataset:
    """Return a score over the ROC square, and the OPS of a value: the area with worse scores (Zhao et al., Figure 1).

    Parameters
    ----------
    score, value, prevalence
        As for :func:`of_value`, of one value of a two-class score.
    resolution : int
        Number of points on each axis, strictly inside the square.

    Returns
    -------
    xarray.Dataset
        ``score`` (tpr, fpr), ``worse`` (tpr, fpr), True where the score is worse than ``value``,
        and ``ops``.

    Examples
    --------
    >>> result = square("f1", 0.6, 0.1)
    >>> bool(abs(result.worse.mean() - result.ops) < 2 / 201)
    True
    """
    value, share = check_number("value", value), check_prevalence(prevalence)
    axis = (np.arange(check_points(resolution, 1)) + 0.5) / resolution
    score = orient(score)
    ops = of_value(score, value, share)
    on_square = score.of_cells(*cells_at(axis[None, :], axis[:, None], share))
    worse = on_square < value if score.higher_is_better else on_square > value
    return xr.Dataset(
        {"score": (("tpr", "fpr"), on_square), "worse": (("tpr", "fpr"), worse), "ops": ops},
        {"tpr": axis, "fpr": axis, "value": value, "prevalence": share},
        {"score": score.name},
    )


def _draw_case_weights(
    truth: np.ndarray, draws: int, seed: Seed, weights: Any
) -> xr.DataArray | None:
    """Return draws of the case weights, given or from a bootstrap; None without draws."""
    if weights is not None:
        for name, given in (("seed", seed), ("draws", None if draws == DRAWS else draws)):
            check_absent(name, given, "where weights are given, which were drawn")
        result = check_case_weights(weights, truth.size)
        if "dataset" in result.coords and (sets := len(set(result["dataset"].values.tolist()))) > 1:
            raise ArgumentError(
                "weights", "must come from one data set (select its cases)", f"those of {sets}"
            )
        return result
    if not draws:
        return None
    check_memory(
        "draws must be fewer",
        f"{draws} draws of {truth.size} cases",
        (draws, truth.size),
        str(draws),
    )
    # Seeded by the labels: calls for one test set share their weights, other test sets do not.
    rng = stream(
        root_sequence(seed), "bayesian_bootstrap", truth.size, np.packbits(truth).tobytes().hex()
    )
    return check_case_weights(
        xr.DataArray(
            rng.standard_exponential((1, draws, truth.size)), dims=("chain", "draw", "case")
        )
    )


def _values(
    truth: np.ndarray,
    scores: list[np.ndarray],
    places: list[Place],
    drawn: xr.DataArray | None,
    ideal: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the prevalence (draw) and the values (draw, classifier, place) on the curves, observed values first.

    With ``ideal``, the values are those of the ideal rankings of the same cases.
    """
    weights: Iterable[np.ndarray] = [np.ones((1, truth.size))]
    if drawn is not None:
        observed = drawn["count"].values[None].astype(float)
        weights = chain([observed], (block for _, block in blocks_of(drawn)))
    shares, values = [], []
    for weight in weights:
        with np.errstate(invalid="ignore"):  # a class may have weight 0
            share = weight[:, truth].sum(1) / weight.sum(1)
            curves = [bootstrap_rates(truth, score, weight) for score in scores]
            curves = [rank_ideally(*curve) for curve in curves] if ideal else curves
            rows = [[_metric(*position, *curve, share) for position in places] for curve in curves]
        shares.append(share)
        values.append(np.moveaxis(np.array(rows), -1, 0))
    prevalence = np.concatenate(shares)
    if np.ptp(prevalence) < 1e-12:  # designed: equal up to rounding
        prevalence[:] = prevalence[0]
    return prevalence, np.concatenate(values)


def _is_metric(score: Any) -> TypeGuard[str]:
    return isinstance(score, str) and _plain(score) in CURVE_METRICS


def _plain(name: str) -> str:
    return name.strip().lower().replace(" ", "_").replace("-", "_")


def _list_positions(at: Any) -> list:
    if at is None or is_number(at):
        return [at]
    numbers = check_numbers("at", at)
    if numbers.ndim != 1 or not numbers.size:
        raise ArgumentError(
            "at", "must be a number or a sequence of numbers", f"shape {numbers.shape}"
        )
    return np.asarray(at).tolist()


def _place(metric: str, at: Any, size: int | None) -> Place:
    """Return the metric and its position on the curve, with K converted to a share of the cases."""
    if metric in AREAS:
        for name, given in (("at", at), ("size", size)):
            check_absent(name, given, f"for {metric}, which is no metric of a point on a curve")
        return metric, 0.0
    if metric not in AT_K:
        check_absent("size", size, f"for {metric}, which is no metric at K")
        return metric, check_number(
            "at", at, 0.0, 1.0, ends=False
        )  # at 1 all curves end in the same point
    if size is None:
        raise ArgumentError("size", f"must be the number of cases for {metric}", "None")
    size = check_integer("size", size, 1)
    return AT_K[metric], check_integer("at", at, 1, size) / size


def _range(metric: str, at: float, prevalence: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if metric in AREAS:
        low, high = area_range(AREAS[metric], prevalence)
        return (low / high, np.ones_like(high)) if metric.startswith("nauc") else (low, high)
    worst, best = ((np.array([0.0, x, 1.0]), np.array([0.0, 1 - x, 1.0])) for x in (1.0, 0.0))
    return _metric(metric, at, *worst, prevalence), _metric(metric, at, *best, prevalence)


def _metric(
    metric: str, at: float, fpr: np.ndarray, tpr: np.ndarray, prevalence: np.ndarray
) -> np.ndarray:
    prevalence = np.asarray(prevalence, dtype=float)
    shape = (*np.broadcast_shapes(prevalence.shape, fpr.shape[:-1]), fpr.shape[-1])
    fpr, tpr = np.broadcast_to(fpr, shape), np.broadcast_to(tpr, shape)
    if metric not in AREAS:
        return point(metric, at, fpr, tpr, prevalence)
    areas = area(AREAS[metric], fpr, tpr, prevalence)
    return areas / ideal_area(AREAS[metric], prevalence) if metric.startswith("nauc") else areas


def _below(
    curves: xr.Dataset, metric: str, at: float, value: np.ndarray, prevalence: np.ndarray
) -> np.ndarray:
    """Return the share of the reference curves with a smaller metric, for arrays of any shape.

    The metric is first replaced by one that orders curves alike but depends less on prevalence.
    """
    out = np.full(value.shape, np.nan)
    defined = ~np.isnan(value) & (prevalence > 0) & (prevalence < 1)
    if metric in ("auc_gain", "nauc_gain"):  # linear in the area under ROC: the same sample serves
        gain = value * ideal_area("gain", prevalence) if metric == "nauc_gain" else value
        value, metric = (gain - prevalence / 2) / (1 - prevalence), "auc_roc"
    elif metric == "precision_at_recall":
        # At fixed recall, precision falls with the FPR, and the FPR of the reference is independent
        # of prevalence.
        odds = prevalence / (1 - prevalence) * at
        with np.errstate(divide="ignore"):
            value, metric = 1 - odds * (1 / value - 1), "tnr_at_recall"
    elif metric == "precision_at_share":
        value, metric = value / prevalence, "lift_at_share"
    elif metric == "recall_at_share":
        value, metric = value / at, "lift_at_share"
    if metric in ("auc_roc", "nauc_roc", "tpr_at_fpr", "tnr_at_recall"):
        shares, position = np.array([0.5]), np.zeros(defined.sum())
    else:
        shares, position = _prevalence_nodes(prevalence[defined])
    if not shares.size:
        return out
    asked = value[defined]
    # Rounding must not let a curve outperform itself, or a value at the end of the range be below
    # its own limit.
    asked = asked - 1e-12 * np.maximum(1.0, np.abs(asked))
    find = _default_rivals if curves is check_curves(None) else partial(_sorted_metric, curves)
    rivals = (find(metric, at, float(share)) for share in shares)
    table = np.stack([np.searchsorted(rival, asked, side="left") / rival.size for rival in rivals])
    low = np.minimum(np.floor(position).astype(int), max(shares.size - 2, 0))
    high, weight, curve = (
        np.minimum(low + 1, shares.size - 1),
        position - low,
        np.arange(asked.size),
    )
    out[defined] = (1 - weight) * table[low, curve] + weight * table[high, curve]
    return out


def _prevalence_nodes(prevalence: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return prevalences at which to evaluate the reference, and the position of each prevalence among them.

    Many are interpolated between nodes 0.25 apart in log-odds, with an error below the Monte-Carlo
    error.
    """
    distinct, position = np.unique(prevalence, return_inverse=True)
    if distinct.size <= 8:
        return distinct, position.astype(float)
    odds = np.log(distinct) - np.log1p(-distinct)
    nodes = np.linspace(odds[0], odds[-1], int(np.ceil((odds[-1] - odds[0]) / 0.25)) + 2)
    where = np.interp(odds, nodes, np.arange(nodes.size))[position]
    return 1 / (1 + np.exp(-nodes)), where


@lru_cache(maxsize=64)
def _default_rivals(metric: str, at: float, prevalence: float) -> np.ndarray:
    return _sorted_metric(check_curves(None), metric, at, prevalence)


def _sorted_metric(curves: xr.Dataset, metric: str, at: float, prevalence: float) -> np.ndarray:
    fpr, tpr = (curves[name].transpose("sample", "point").values for name in ("fpr", "tpr"))
    values = np.empty(fpr.shape[0])
    step = max(1, 500_000 // fpr.shape[1])
    for start in range(0, values.size, step):
        part = slice(start, start + step)
        values[part] = _metric(
            metric, at, fpr[part].astype(float), tpr[part].astype(float), np.asarray(prevalence)
        )
    return np.sort(values)


def check_curve_cases(
    y_true: Any, y_score: Any, positive: Any
) -> tuple[np.ndarray, dict[Any, np.ndarray]]:
    """Return which cases are positive, and the scores of each classifier."""
    truth = check_positives(y_true, positive)
    named = isinstance(y_score, Mapping | pd.DataFrame)
    columns = {name: y_score[name] for name in y_score} if named else {"entity 1": y_score}
    scores: dict[Any, np.ndarray] = {}
    for name, column in columns.items():
        score = check_regular_array("y_score", column, "numbers")
        subject = f" for {name!r}" if named else ""
        if score.dtype.kind not in "biuf" or score.shape != truth.shape:
            raise ArgumentError(
                "y_score",
                f"must contain one number for each of {truth.size} cases",
                f"{score.dtype} of shape {score.shape}{subject}",
            )
        score = score.astype(float)
        if np.isnan(score).any():
            raise ArgumentError(
                "y_score", "must contain no NaN", f"{int(np.isnan(score).sum())}{subject}"
            )
        if score.min() == score.max():
            raise ArgumentError(
                "y_score",
                f"must contain different values; all values{subject} are {score[0]:g}",
            )
        scores[name] = score
    if not scores:
        raise ArgumentError("y_score", "must contain at least one classifier", "none")
    return truth, scores
