"""Evidence from single cases: the true label of each, and what every entity predicted of it."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._checks import (
    all_classes,
    case_labels,
    item_names,
    name_coord,
    object_array,
    ordered_categories,
    unique_names,
    whole_numbers,
)
from bayesrank.counts import arrange

__all__ = ["from_predictions", "joint_outcomes"]


def from_predictions(
    y_true: Any,
    predictions: Mapping[Any, Any] | pd.DataFrame,
    *,
    labels: Sequence[Any] | None = None,
    dataset: Any = None,
    weight: Any = None,
) -> xr.DataArray:
    """Counts from the true and the predicted label of every case.

    Parameters
    ----------
    y_true : sequence of labels
        The true label of each case. Any label type.
    predictions : mapping or DataFrame
        For each entity (key or column), its predicted label of each case, in the order of ``y_true``.
    labels : sequence, optional
        All classes in order; for two classes the negative one first. By default the categories
        of ``y_true`` if it has some (as in :func:`bayesrank.from_frame`), else the sorted labels that occur. A class
        named here is kept even where no case has it.
    dataset : hashable or sequence, optional
        The data set of each case, or one name for all cases.
    weight : sequence of int, optional
        How many times each case counts (whole numbers).

    Returns
    -------
    xarray.DataArray
        Integer ``counts`` (entity, [dataset], actual, predicted).

    Raises
    ------
    ValueError
        If lengths differ, a label is missing or not among ``labels``, or fewer than two classes are known.
    TypeError
        If ``predictions`` is no mapping or DataFrame.

    Examples
    --------
    >>> counts = from_predictions([0, 0, 1, 1], {"always": [1, 1, 1, 1], "good": [0, 0, 1, 0]})
    >>> counts.sel(entity="good").values.tolist()
    [[2, 0], [1, 1]]
    """
    cases = _encode(y_true, predictions, labels, weight)
    size, n_classes = cases.actual.size, len(cases.classes)
    where = [None] * size if dataset is None else item_names("dataset", dataset, size, broadcast=True)
    datasets = list(dict.fromkeys(where))
    column = {name: i for i, name in enumerate(datasets)}
    rows = np.array([column[name] for name in where])
    tables = np.zeros((len(cases.entities), len(datasets), n_classes, n_classes), np.int64)
    for table, predicted in zip(tables, cases.predicted.T, strict=True):
        np.add.at(table, (rows, cases.actual, predicted), cases.weight)
    if dataset is None:
        return arrange(tables[:, 0], cases.entities, None, cases.classes)
    pairs = [(e, d) for e in cases.entities for d in datasets]
    return arrange(
        tables.reshape(-1, n_classes, n_classes), [e for e, _ in pairs], [d for _, d in pairs], cases.classes
    )


def joint_outcomes(
    y_true: Any,
    predictions: Mapping[Any, Any] | pd.DataFrame,
    *,
    labels: Sequence[Any] | None = None,
    weight: Any = None,
    dataset: Any = None,
    cluster: Any = None,
) -> xr.Dataset:
    """How often each pattern occurred: the true label of a case, and what every entity predicted of it.

    Counts of each entity alone do not tell how often two entities err on the same cases; these patterns do.

    Parameters
    ----------
    y_true : sequence of labels
        The true label of each case. Any label type.
    predictions : mapping or DataFrame
        For each entity (key or column), its predicted label of each case, in the order of ``y_true``.
    labels : sequence, optional
        All classes in order; for two classes the negative one first. By default as for :func:`from_predictions`.
    weight : sequence of int, optional
        How many times each case counts (whole numbers).
    dataset : hashable or sequence, optional
        The data set of each case, or one name for all cases. Cases of different data sets are different patterns.
    cluster : sequence, optional
        What each case belongs to (a patient, a series), where cases of one cluster resemble each other. Cases of
        different clusters are different patterns; a name stands for the same cluster in every data set.

    Returns
    -------
    xarray.Dataset
        ``actual`` (pattern) and ``predicted`` (pattern, entity), labels; ``count`` (pattern), above 0; and the coords
        ``label`` (all classes in order), ``dataset`` and ``cluster`` (pattern) where given. Patterns are in the
        order of the data sets and clusters, then of the classes.

    Raises
    ------
    ValueError
        If lengths differ, a label is missing or not among ``labels``, or fewer than two classes are known.
    TypeError
        If ``predictions`` is no mapping or DataFrame.

    Examples
    --------
    >>> joint = joint_outcomes([0, 0, 1, 1], {"always": [1, 1, 1, 1], "good": [0, 0, 1, 0]})
    >>> joint["predicted"].values.tolist(), joint["count"].values.tolist()
    ([[1, 0], [1, 0], [1, 1]], [2, 1, 1])
    """
    cases = _encode(y_true, predictions, labels, weight)
    size = cases.actual.size
    groups = {
        group: pd.factorize(object_array(item_names(group, given, size, broadcast=group == "dataset")))
        for group, given in (("dataset", dataset), ("cluster", cluster))
        if given is not None
    }
    seen = cases.weight > 0
    keys = np.column_stack([*(code for code, _ in groups.values()), cases.actual, cases.predicted])[seen]
    patterns, which = np.unique(keys, axis=0, return_inverse=True)
    count = np.zeros(len(patterns), np.int64)
    np.add.at(count, which.ravel(), cases.weight[seen])
    classes = name_coord(cases.classes)
    labels_of = classes[patterns[:, len(groups) :]]
    return xr.Dataset(
        {
            "actual": ("pattern", labels_of[:, 0]),
            "predicted": (("pattern", "entity"), labels_of[:, 1:]),
            "count": ("pattern", count),
        },
        {"entity": name_coord(cases.entities), "label": classes}
        | {
            group: ("pattern", name_coord(names.tolist())[patterns[:, i]])
            for i, (group, (_, names)) in enumerate(groups.items())
        },
    )


class _Cases(NamedTuple):
    """Cases with their labels as positions among the classes."""

    actual: np.ndarray  # (case)
    predicted: np.ndarray  # (case, entity)
    weight: np.ndarray  # (case)
    entities: list
    classes: list


def _encode(
    y_true: Any, predictions: Mapping[Any, Any] | pd.DataFrame, labels: Sequence[Any] | None, weight: Any
) -> _Cases:
    """The cases, checked."""
    if not isinstance(predictions, Mapping | pd.DataFrame):
        raise TypeError(
            "predictions must be a mapping or a DataFrame from entity to predicted labels; "
            f"got {type(predictions).__name__}"
        )
    truth = case_labels("y_true", y_true)
    names = list(predictions.keys())
    entities = unique_names("predictions", item_names("predictions", names, len(names)))
    if not entities:
        raise ValueError("predictions must hold at least one entity; got none")
    guesses = {name: case_labels(f"predictions[{name!r}]", predictions[name]) for name in entities}
    for name, guess in guesses.items():
        if guess.size != truth.size:
            raise ValueError(
                f"predictions[{name!r}] must hold one label for each of the {truth.size} cases of y_true; "
                f"got {guess.size}"
            )
    if labels is None:
        true = set(truth.tolist())
        for name, guess in guesses.items():
            # What a classifier's predict_proba gives would else be a class for each case.
            between = [v for v in guess.tolist() if isinstance(v, float) and 0 < v < 1 and v not in true]
            if between:
                raise ValueError(
                    f"predictions[{name!r}] must hold labels, not probabilities (set a threshold); got {between[0]:g}"
                )
    named = ordered_categories(y_true) if labels is None else labels
    classes = all_classes(named, [truth, *guesses.values()])
    code = {label: i for i, label in enumerate(classes)}

    def encode(argument: str, values: np.ndarray) -> np.ndarray:
        try:
            return np.fromiter((code[v] for v in values.tolist()), dtype=np.int64, count=values.size)
        except KeyError as error:
            raise ValueError(f"{argument} holds the label {error.args[0]!r}, not among labels {classes}") from None

    weights = np.ones(truth.size, np.int64) if weight is None else np.atleast_1d(whole_numbers("weight", weight))
    if weights.shape != truth.shape:
        raise ValueError(f"weight must hold one number for each of the {truth.size} cases; got {weights.shape}")
    predicted = np.column_stack([encode(f"predictions[{name!r}]", guess) for name, guess in guesses.items()])
    return _Cases(encode("y_true", truth), predicted, weights, entities, classes)
