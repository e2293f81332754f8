"""Evidence from single cases: the true label of each, and what every entity predicted of it."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._checks import (
    all_classes,
    case_labels,
    in_words,
    is_number,
    item_names,
    name_coord,
    object_array,
    ordered_categories,
    repeats,
    unique_names,
    unique_rows,
)
from bayesrank.counts import arrange

__all__ = ["from_outcomes", "from_predictions", "joint_outcomes"]

#: Whole numbers up to here are told apart by floats.
EXACT = 2**53


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
    classes = name_coord(cases.classes)
    codes, count, groups = _patterns(np.column_stack([cases.actual, cases.predicted]), cases.weight, dataset, cluster)
    return xr.Dataset(
        {
            "actual": ("pattern", classes[codes[:, 0]]),
            "predicted": (("pattern", "entity"), classes[codes[:, 1:]]),
            "count": ("pattern", count),
        },
        {"entity": name_coord(cases.entities), "label": classes} | groups,
    )


def from_outcomes(frame: pd.DataFrame, *, weight: Any = None, dataset: Any = None, cluster: Any = None) -> xr.Dataset:
    """How often each pattern of outcomes occurred: right or wrong, a grade or a number, of every entity on a case.

    For evaluations without a confusion matrix: benchmarks of language models, graded answers, costs, errors.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row a case, one column an entity, the outcome as value: a number, 0/1 or True/False for wrong and right.
    weight : sequence of int or str, optional
        How many times each case counts (whole numbers), or the column that says so.
    dataset : hashable or sequence, optional
        The data set of each case, the column that names it, or one name for all cases.
    cluster : sequence or str, optional
        What each case belongs to (a question, a patient), where cases of one cluster resemble each other, or the
        column that says so.

    Returns
    -------
    xarray.Dataset
        ``outcome`` (pattern, entity); ``count`` (pattern), above 0; and the coords ``dataset`` and ``cluster``
        (pattern) where given. Columns that were named for these are no entities. The model ``"paired"`` takes it, and
        its posterior holds ``mean_outcome``.

    Raises
    ------
    ValueError
        If an outcome is missing or not finite, a column occurs twice, or lengths differ.
    TypeError
        If ``frame`` is no DataFrame, or a column does not hold numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"gpt": [1, 1, 0, 1], "llama": [1, 0, 0, 1]})
    >>> outcomes = from_outcomes(frame)
    >>> outcomes["outcome"].values.tolist(), outcomes["count"].values.tolist()
    ([[0, 0], [1, 0], [1, 1]], [1, 1, 2])
    """
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"frame must be a pandas DataFrame; got {in_words(frame)}")
    unique_names("frame", item_names("frame", list(frame.columns), frame.shape[1]))
    given = {"weight": weight, "dataset": dataset, "cluster": cluster}
    columns = {name: held for name, held in given.items() if isinstance(held, str) and held in frame.columns}
    given |= {name: frame[column] for name, column in columns.items()}
    outcomes = frame.drop(columns=list(columns.values()))
    if not outcomes.size:
        raise ValueError(
            f"frame must hold a case and an entity at least; got {outcomes.shape[0]} x {outcomes.shape[1]}"
        )
    values = np.column_stack([_numbers(name, outcomes[name]) for name in outcomes.columns])
    if (values == np.floor(values)).all() and np.abs(values).max() < EXACT:
        values = values.astype(np.int64)
    seen, codes = np.unique(values, return_inverse=True)
    size = len(frame)
    codes, count, groups = _patterns(
        codes.reshape(values.shape), repeats(given["weight"], size), given["dataset"], given["cluster"]
    )
    return xr.Dataset(
        {"outcome": (("pattern", "entity"), seen[codes]), "count": ("pattern", count)},
        {"entity": name_coord(list(outcomes.columns))} | groups,
    )


def _patterns(codes: np.ndarray, weight: np.ndarray, dataset: Any, cluster: Any) -> tuple[np.ndarray, np.ndarray, dict]:
    """Distinct rows of each data set and cluster, how often each occurred, and the coords that name the groups."""
    groups = {
        group: pd.factorize(object_array(item_names(group, given, weight.size, broadcast=group == "dataset")))
        for group, given in (("dataset", dataset), ("cluster", cluster))
        if given is not None
    }
    seen = weight > 0
    patterns, which = unique_rows(np.column_stack([*(code for code, _ in groups.values()), codes])[seen])
    count = np.zeros(len(patterns), np.int64)
    np.add.at(count, which, weight[seen])
    named = {
        group: ("pattern", name_coord(names.tolist())[patterns[:, i]])
        for i, (group, (_, names)) in enumerate(groups.items())
    }
    return patterns[:, len(groups) :], count, named


def _numbers(name: Any, column: pd.Series) -> np.ndarray:
    """The outcomes of an entity, as numbers."""
    if column.isna().any():
        raise ValueError(
            f"frame must hold an outcome of every entity on every case; got none in column {name!r}, row "
            f"{column.index[column.isna()][0]} (frame.dropna() keeps the cases that all entities met; "
            "frame.fillna(0) counts a missing answer as wrong)"
        )
    others = [] if column.dtype.kind in "biuf" else [v for v in column if not (isinstance(v, bool) or is_number(v))]
    if others:
        raise TypeError(f"frame must hold numbers; got {in_words(others[0])} in column {name!r}")
    values = column.to_numpy(dtype=float)
    if column.dtype.kind in "iu" and column.size and max(abs(int(column.max())), abs(int(column.min()))) > EXACT:
        raise ValueError(f"frame must hold whole numbers up to 2**53; got {column.max()} in column {name!r}")
    if np.isinf(values).any():
        raise ValueError(f"frame must hold finite numbers; got an infinite one in column {name!r}")
    return values


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
            if guess.dtype.kind not in "fO":
                continue
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

    weights = repeats(weight, truth.size)
    predicted = np.column_stack([encode(f"predictions[{name!r}]", guess) for name, guess in guesses.items()])
    return _Cases(encode("y_true", truth), predicted, weights, entities, classes)
