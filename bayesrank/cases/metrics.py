"""Metrics of weighted cases, for every draw of the weights: areas under curves, losses, means and user functions."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import (
    check_choice,
    check_entities,
    check_numbers,
    check_positives,
    describe_value,
    is_number,
)
from bayesrank._core.compat import to_container
from bayesrank._core.draws import draw_dims
from bayesrank._core.errors import ArgumentError, ArgumentKeyError, ArgumentTypeError
from bayesrank._core.labels import factorize, name_coord
from bayesrank._core.notes import Note, add_notes, notes_of
from bayesrank._core.records import EvidenceRecord, ModelRecord
from bayesrank.cases._weighted_areas import Evaluate, area_gain, area_lift, area_pr, area_roc
from bayesrank.cases.weights import blocks_of, check_case_weights
from bayesrank.evidence.alignment import align_cases
from bayesrank.models.parts.joint import few_units_notes
from bayesrank.scores import Score

WORDS = "All entities met the same cases; each draw weights these cases at random and computes the metric."
#: Suffixes of function names for which lower is better, following scikit-learn.
LOWER = ("_loss", "_error", "_deviance", "_distance")


@check_call
def weighted_metric(
    metric: Any, y_true: Any, predictions: Any, weights: Any, *, positive: Any = 1
) -> Any:
    """Compute the posterior of a metric from weighted cases, for entities that met the same cases.

    Areas follow the conventions of :mod:`bayesrank.ops`: steps under precision-recall and lift
    curves, straight lines under ROC and gain.

    Parameters
    ----------
    metric : str or callable
        ``"auc_roc"``, ``"auc_pr"`` (the average precision), ``"auc_lift"`` (the mean lift),
        ``"auc_gain"``; ``"brier"`` (the mean squared error of a probability), ``"log_loss"``;
        ``"mean"``, the mean of the values in ``predictions``. Or a function ``metric(y_true,
        prediction, sample_weight=weight)`` that returns a number, as in scikit-learn; it is called
        for every draw and entity.
    y_true : sequence of labels
        Labels of two classes for named metrics; None for ``"mean"``. A function receives them
        unchanged. Everything with an index is joined by its labels, as for
        :func:`bayesrank.from_predictions`.
    predictions : mapping, DataFrame, DataArray or sequence
        The predictions of each entity for each case: scores (larger means more positive), or
        probabilities of the positive class for ``"brier"`` and ``"log_loss"``. Pass a mapping from
        entity, a DataFrame with one column per entity, a DataArray with the dim ``entity``, or a
        sequence for one entity. A function may take other predictions, with cases first.
    weights : DataArray
        Weights (chain, draw, case), as from :func:`bayesrank.case_weights`. Lazy weights are drawn
        chunk by chunk.
    positive : label
        The positive class of named metrics.

    Returns
    -------
    arviz.InferenceData or xarray.DataTree
        ``posterior`` with a variable (chain, draw, entity, [dataset]) named after the metric or the
        function; ``observed_data`` with its value on the observed cases. Pass this name to
        :func:`bayesrank.credible_ranking`; for a loss, also pass ``higher_is_better=False``. A
        metric is NaN without cases; an area is NaN without cases of both classes.

    Raises
    ------
    ValueError, TypeError
        If a function does not return a number, or if a certain, wrong prediction makes a log loss
        infinite.

    Examples
    --------
    >>> y_true = [0, 0, 0, 0, 1, 1, 1] * 10
    >>> scores = {"good": [1, 2, 3, 6, 5, 7, 8] * 10, "poor": [1, 2, 7, 6, 3, 5, 8] * 10}
    >>> areas = weighted_metric("auc_roc", y_true, scores, br.case_weights(y_true, seed=1))
    >>> areas["observed_data"]["auc_roc"].values.round(3).tolist()
    [0.917, 0.667]
    >>> br.credible_ranking(areas, "auc_roc")["probability_best"].values.round(2).tolist()
    [1.0, 0.0]
    """
    name = _name(metric)
    weights = check_case_weights(weights)
    aligned, joined = align_cases(
        {"y_true": y_true, "predictions": predictions, "weights": weights}
    )
    y_true, predictions, weights = aligned.values()
    dim = str(weights.dims[-1])
    columns = _columns(predictions, weights.sizes[dim], dim)
    truth = _truth(metric, y_true, positive, weights.sizes[dim])
    datasets = (
        list(dict.fromkeys(weights["dataset"].values.tolist()))
        if "dataset" in weights.coords
        else []
    )
    groups: list = [np.flatnonzero(weights["dataset"].values == one) for one in datasets] or [
        slice(None)
    ]
    evaluate = [
        [_evaluator(metric, truth, column, entity, cases) for cases in groups]
        for entity, column in columns.items()
    ]
    dims = draw_dims(weights)
    draws = [weights.sizes[d] for d in dims]
    values = np.empty((int(np.prod(draws)), len(columns), len(groups)))
    for start, part in blocks_of(weights):
        values[start : start + len(part)] = _each(evaluate, groups, part)
    observed = _each(evaluate, groups, weights["count"].values[None].astype(float))[0]

    coords = {"entity": name_coord(list(columns))} | (
        {"dataset": name_coord(datasets)} if datasets else {}
    )
    sizes = [len(held) for held in coords.values()]
    drawn = {d: weights[d] for d in dims if d in weights.coords} | coords
    shaped = values.reshape(draws + sizes)
    posterior = xr.DataArray(shaped, drawn, (*dims, *coords), name).drop_attrs()
    if name == "brier" or name.endswith(LOWER):
        posterior.attrs["direction"] = "lower is better"
    model_record = ModelRecord(
        model="case_weights",
        words=WORDS,
        sampler="exact",
        paired=True,
        prevalence=ModelRecord.of(weights).prevalence,
    )
    record, notes = model_record.to_attrs(), notes_of(EvidenceRecord.of(weights).notes)
    if isinstance(metric, str):
        record[f"{name}_range"] = _range(name, columns)
        notes = _few_of_a_class(name, truth, weights, groups) or notes
        if model_record.assumed_prevalence != "sampled" and name != "auc_roc":
            notes.append(Note("metric_prevalence_by_design", {"metric": name}))
    if equal := _constant_entities(values, columns, groups, metric):
        notes.append(Note("draws_equal", {"entities": equal}))
    record = add_notes(record, notes)
    observed_values = xr.DataArray(observed.reshape(sizes), coords, list(coords), name)
    return to_container(
        {
            "posterior": posterior.to_dataset().assign_attrs(add_notes(record, joined)),
            "observed_data": observed_values.to_dataset(),
        }
    )


def _name(metric: Any) -> str:
    if isinstance(metric, str):
        return check_choice("metric", metric, CASE_METRICS, ArgumentKeyError, "a function")
    if isinstance(metric, Score) or not callable(metric):
        raise ArgumentTypeError(
            "metric",
            f"must be one of {tuple(CASE_METRICS)} or a function of (y_true, prediction, sample_weight) (the "
            "model 'paired' is for scores of tables)",
            describe_value(metric),
        )
    name = getattr(metric, "__name__", "metric")
    return name if name.isidentifier() else "metric"


def _truth(metric: Any, y_true: Any, positive: Any, size: int) -> Any:
    """Return the positive cases as 0 and 1 for named metrics, and the labels unchanged for functions."""
    if metric == "mean":
        if y_true is not None:
            raise ArgumentError(
                "y_true", "must be None for 'mean', which needs no labels", describe_value(y_true)
            )
        return None
    truth = check_positives(y_true, positive) if isinstance(metric, str) else np.asarray(y_true)
    if truth.ndim < 1 or len(truth) != size:
        got = len(truth) if truth.ndim else describe_value(y_true)
        raise ArgumentError(
            "y_true", f"must contain one label for each of the {size} cases of weights", got
        )
    return truth


def _columns(predictions: Any, size: int, dim: str) -> dict[Any, np.ndarray]:
    by_entity: Any = predictions
    if isinstance(predictions, xr.DataArray):
        if set(predictions.dims) != {dim, "entity"} or "entity" not in predictions.coords:
            raise ArgumentError(
                "predictions", f"must have the dims {dim} and entity, by name", predictions.dims
            )
        columns = predictions.transpose("entity", dim).values
        by_entity = dict(zip(predictions["entity"].values.tolist(), columns, strict=True))
    elif not isinstance(predictions, Mapping | pd.DataFrame):
        by_entity = {"entity 1": predictions}
    result = {
        name: np.asarray(by_entity[name])
        for name in check_entities("predictions", list(by_entity.keys()))
    }
    for name, column in result.items():
        if not column.ndim or len(column) != size:
            got = len(column) if column.ndim else describe_value(by_entity[name])
            raise ArgumentError(
                f"predictions[{name!r}]",
                f"must contain a value for each of the {size} cases of weights",
                got,
            )
    return result


def _each(evaluate: list[list[Evaluate]], groups: list, part: np.ndarray) -> np.ndarray:
    """Return values (draw, entity, data set) for weights (draw, case)."""
    out = np.empty((len(part), len(evaluate), len(groups)))
    for column, cases in enumerate(groups):
        weight = np.ascontiguousarray(part[:, cases].T)
        with np.errstate(divide="ignore", invalid="ignore"):
            for row, entity in enumerate(evaluate):
                out[:, row, column] = entity[column](weight)
    return out


def _evaluator(metric: Any, truth: Any, column: np.ndarray, entity: Any, cases: Any) -> Evaluate:
    if isinstance(metric, str):
        score = _checked_score(metric, truth, column, entity)
        return CASE_METRICS[metric](None if truth is None else truth[cases], score[cases])
    return partial(_call_metric, metric, entity, truth[cases], column[cases])


def _call_metric(
    metric: Callable, entity: Any, truth: np.ndarray, prediction: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    out = np.empty(weight.shape[1])
    for i, one in enumerate(np.ascontiguousarray(weight.T)):
        # Pass copies: a function may change its arguments.
        try:
            found = metric(truth, prediction, sample_weight=one.copy())
        except Exception as error:
            kind = ArgumentTypeError if isinstance(error, TypeError) else ArgumentError
            requirement = f"must take y_true, predictions[{entity!r}] and sample_weight"
            raise kind("metric", requirement, f"{type(error).__name__} from it: {error}") from error
        found = found.item() if isinstance(found, np.ndarray) and found.ndim == 0 else found
        if not is_number(found):
            raise ArgumentTypeError("metric", "must return a number", describe_value(found))
        out[i] = found
    return out


def _checked_score(metric: str, truth: Any, column: np.ndarray, entity: Any) -> np.ndarray:
    argument = f"predictions[{entity!r}]"
    if column.ndim != 1:
        raise ArgumentError(
            argument, "must contain one number for each case", f"the shape {column.shape}"
        )
    bounds = (0, 1) if metric in ("brier", "log_loss") else ()
    score = check_numbers(argument, column.astype(int) if column.dtype == bool else column, *bounds)
    if np.isnan(score).any():
        raise ArgumentError(
            argument, "must contain a number for every case", f"{int(np.isnan(score).sum())} NaN"
        )
    if metric == "mean" and np.isinf(score).any():
        raise ArgumentError(argument, "must contain finite numbers", "an infinite one")
    if metric == "log_loss" and (wrong := score == np.where(truth, 0, 1)).any():
        raise ArgumentError(
            argument,
            "must not be 0 or 1 for a wrong prediction: the log loss would be infinite",
            f"{score[wrong][0]:g} for {int(wrong.sum())} cases of the other class",
            "np.clip says how sure a prediction may count as",
        )
    return score


def _mean(values: np.ndarray) -> Evaluate:
    return lambda weight: values @ weight / weight.sum(axis=0)


#: The named metrics: each maps labels and scores to a function of the weights.
CASE_METRICS: dict[str, Callable[[Any, np.ndarray], Evaluate]] = {
    "auc_roc": area_roc,
    "auc_pr": area_pr,
    "auc_lift": area_lift,
    "auc_gain": area_gain,
    "brier": lambda truth, score: _mean((score - truth) ** 2),
    "log_loss": lambda truth, score: _mean(-np.log(np.where(truth, score, 1 - score))),
    "mean": lambda truth, score: _mean(score),
}


def _range(name: str, columns: Mapping[Any, np.ndarray]) -> list[float]:
    if name == "mean":
        return [
            float(end([end(column) for column in columns.values()])) for end in (np.min, np.max)
        ]
    return [0.0, np.inf if name in ("auc_lift", "log_loss") else 1.0]


def _few_of_a_class(name: str, truth: Any, weights: xr.DataArray, groups: list) -> list[Note]:
    """Note how few cases the smaller class has: the uncertainty of an area depends on it."""
    if not name.startswith("auc"):
        return []
    count, clustered = weights["count"].values, "cluster" in weights.coords
    cluster = factorize(weights["cluster"].values)[0] if clustered else None
    units = []
    for cases in groups:
        for positive in (True, False):
            member = (truth[cases] == positive) & (count[cases] > 0)
            size = (
                count[cases][member].sum()
                if cluster is None
                else np.unique(cluster[cases][member]).size
            )
            units += [int(size)] if size else []
    if not units:
        return []
    unit = "cluster" if clustered else "case"
    return few_units_notes(min(units), unit, one_class=True, one_dataset=len(groups) > 1)


def _constant_entities(
    values: np.ndarray, columns: Mapping[Any, np.ndarray], groups: list, metric: Any
) -> list[str]:
    """Return the entities with the same value in all draws, because all observed cases agree."""
    if len(values) < 2:
        return []
    with np.errstate(invalid="ignore"):  # a function may return infinity
        still = np.ptp(values, axis=0) <= 1e-12 * np.abs(values).max(axis=0)
    area = isinstance(metric, str) and metric.startswith("auc")
    result = []
    for constant, (entity, column) in zip(still, columns.items(), strict=True):
        # An entity with the same prediction for all cases has a fixed area of 1/2.
        sure = [area and len(np.unique(column[cases])) < 2 for cases in groups]
        if (constant & ~np.array(sure)).any():
            result.append(str(entity))
    return result
