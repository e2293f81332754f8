"""Evidence from single cases: true labels and the entities' predictions."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._checks import all_classes, check_by_entity, check_choice, check_item_names, check_labels, check_repeats
from bayesrank._labels import arrange_classes, check_order, is_ordered, name_coord, ordered_categories
from bayesrank.evidence._patterns import check_cases, common_note, patterns
from bayesrank.evidence.counts import count_cases, mark_positive

__all__ = ["from_predictions", "joint_outcomes"]

LACKING = (
    " (fill in the label that it counts as, or keep the cases that all entities met, by missing='common' of "
    "br.joint_outcomes)"
)


def from_predictions(
    y_true: Any,
    predictions: Mapping[Any, Any] | pd.DataFrame,
    *,
    labels: Sequence[Any] | None = None,
    positive: Any = None,
    dataset: Any = None,
    weight: Any = None,
) -> xr.DataArray:
    """Return counts from the true and predicted label of every case.

    Parameters
    ----------
    y_true : sequence of labels
        The true label of each case, of any type.
    predictions : mapping or DataFrame
        For each entity (key or column), its predicted labels in the order of ``y_true``.
    labels : sequence, optional
        All classes in order; with two classes, the negative one first. Classes without cases are kept. By default the
        categories of ``y_true``, else the sorted labels that occur.
    positive : label, optional
        The positive one of two classes. By default taken from ``labels``, an ordered categorical ``y_true``, or a
        standard pair (0/1, -1/1, False/True, negative/positive, no/yes, in any case). Otherwise it is unknown, and
        scores that depend on it raise an error.
    dataset : hashable or sequence, optional
        The data set of each case, or one name for all cases.
    weight : sequence of int, optional
        Number of times that each case counts.

    Returns
    -------
    xarray.DataArray
        Integer ``counts`` (entity, [dataset], actual, predicted), the positive class last. The coord ``positive`` names
        it, if it is known and not named "positive".

    Raises
    ------
    ValueError
        If lengths differ, a label is missing or not in ``labels``, or fewer than two classes are known.
    TypeError
        If ``predictions`` is not a mapping or DataFrame.

    Examples
    --------
    >>> counts = from_predictions([0, 0, 1, 1], {"always": [1, 1, 1, 1], "good": [0, 0, 1, 0]})
    >>> counts.sel(entity="good").values.tolist()
    [[2, 0], [1, 1]]
    """
    cases = _encode(y_true, predictions, labels, positive, weight)
    where = None if dataset is None else check_item_names("dataset", dataset, cases.actual.size, broadcast=True)
    codes = np.column_stack([cases.actual, cases.predicted])
    return mark_positive(count_cases(codes, cases.weight, cases.entities, where, cases.classes), cases.positive)


def joint_outcomes(
    y_true: Any,
    predictions: Mapping[Any, Any] | pd.DataFrame,
    *,
    labels: Sequence[Any] | None = None,
    positive: Any = None,
    weight: Any = None,
    dataset: Any = None,
    cluster: Any = None,
    case: Any = None,
    run: Any = None,
    missing: Literal["common"] | None = None,
) -> xr.Dataset:
    """Count how many cases have each pattern: a true label, and the prediction of every entity.

    Unlike the counts of each entity, the patterns show how often two entities err on the same cases.

    Parameters
    ----------
    y_true : sequence of labels
        The true label of each case, of any type.
    predictions : mapping or DataFrame
        For each entity (key or column), its predicted labels in the order of ``y_true``.
    labels, positive, weight : optional
        As for :func:`from_predictions`.
    dataset : hashable or sequence, optional
        The data set of each case, or one name for all cases. Patterns are counted within data sets.
    cluster : sequence, optional
        The cluster (patient, series) of each case, if cases of a cluster resemble each other. Patterns are counted
        within clusters; a name is the same cluster in every data set.
    case : sequence, optional
        The name of each case. A name that occurs twice, also in different data sets (overlapping folds), raises an
        error.
    run : sequence, optional
        The run (repetition, sample, seed) of the case; requires ``case``. Runs are not additional cases: the runs of a
        case are its cluster, unless ``cluster`` is given.
    missing : "common", optional
        Keep only the cases that all entities predicted. By default a missing prediction (None or NaN) raises an error.

    Returns
    -------
    xarray.Dataset
        Labels ``actual`` (pattern) and ``predicted`` (pattern, entity); ``count`` (pattern), above 0; the coords
        ``label`` (all classes in order), ``positive`` (if known and not named so), ``dataset`` and ``cluster``
        (pattern, if given). Patterns are ordered by data set, cluster and class. If cases were dropped, the attrs are
        ``missing``, ``cases``, ``cases_left_out`` and the ``note`` that rankings print.

    Raises
    ------
    ValueError
        If lengths differ, a label is missing or not in ``labels``, fewer than two classes are known, or a case occurs
        twice.
    TypeError
        If ``predictions`` is not a mapping or DataFrame.

    Examples
    --------
    >>> joint = joint_outcomes([0, 0, 1, 1], {"always": [1, 1, 1, 1], "good": [0, 0, 1, 0]})
    >>> joint["predicted"].values.tolist(), joint["count"].values.tolist()
    ([[1, 0], [1, 0], [1, 1]], [2, 1, 1])
    """
    if missing is not None:
        check_choice(
            "missing", missing, ("common",), other="None (a missing prediction has no place in a square table)"
        )
    cases = _encode(y_true, predictions, labels, positive, weight, missing == "common")
    classes, size = name_coord(cases.classes), cases.weight.size
    groups = {"dataset": dataset, "cluster": cluster, "case": case, "run": run}
    named = {
        group: check_item_names(group, given, size, broadcast=group == "dataset")
        for group, given in groups.items()
        if given is not None
    }
    if run is not None and case is None:
        raise ValueError("case must be given where run is, to tell whose runs they are; got None")
    if case is not None:
        check_cases(named["case"], cases.weight, named.get("dataset"), named.pop("run", None))
    if run is not None:
        named.setdefault("cluster", named["case"])
    met = cases.predicted.min(axis=1) >= 0
    if not cases.weight[met].any() and cases.weight.any():
        raise ValueError("missing cannot be 'common' where no case was met by all entities; got none")
    codes, count, coords = patterns(
        np.column_stack([cases.actual, cases.predicted])[met],
        cases.weight[met],
        {group: [name for name, kept in zip(names, met, strict=True) if kept] for group, names in named.items()},
    )
    joint = xr.Dataset(
        {
            "actual": ("pattern", classes[codes[:, 0]]),
            "predicted": (("pattern", "entity"), classes[codes[:, 1:]]),
            "count": ("pattern", count),
        },
        {"entity": name_coord(cases.entities), "label": classes} | coords,
        common_note(int(cases.weight[met].sum()), int(cases.weight[~met].sum())),
    )
    return mark_positive(joint, cases.positive)


class _Cases(NamedTuple):
    """Cases with labels coded as positions among the classes."""

    actual: np.ndarray  # (case)
    predicted: np.ndarray  # (case, entity)
    weight: np.ndarray  # (case)
    entities: list
    classes: list
    positive: Any  # the positive one of two classes; None if unknown


def _encode(
    y_true: Any,
    predictions: Mapping[Any, Any] | pd.DataFrame,
    labels: Sequence[Any] | None,
    positive: Any,
    weight: Any,
    may_lack: bool = False,
) -> _Cases:
    """Validate the cases and code their labels; an allowed missing prediction has the code -1."""
    entities = check_by_entity("predictions", predictions, "predicted labels")
    truth = check_labels("y_true", y_true)
    guesses = {
        name: check_labels(f"predictions[{name!r}]", predictions[name], may_lack=may_lack, hint=LACKING)
        for name in entities
    }
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
            # Otherwise each probability from predict_proba would become a class of its own.
            between = [v for v in guess.tolist() if isinstance(v, float) and 0 < v < 1 and v not in true]
            if between:
                raise ValueError(
                    f"predictions[{name!r}] must hold labels, not probabilities (set a threshold); got {between[0]:g}"
                )
        _check_types(truth, guesses)
    named = ordered_categories(y_true) if labels is None else labels
    classes = all_classes(named, [truth, *(guess[~pd.isna(guess)] for guess in guesses.values())])
    if labels is not None and positive is None:
        check_order(classes)
    classes, chosen = arrange_classes(classes, positive, labels is not None or is_ordered(y_true))
    code = {label: i for i, label in enumerate(classes)}

    def encode(argument: str, values: np.ndarray) -> np.ndarray:
        given = ~pd.isna(values)
        codes = np.full(values.size, -1)
        try:
            codes[given] = np.fromiter((code[v] for v in values[given].tolist()), np.int64, int(given.sum()))
        except KeyError as error:
            raise ValueError(f"{argument} holds the label {error.args[0]!r}, not among labels {classes}") from None
        return codes

    predicted = np.column_stack([encode(f"predictions[{name!r}]", guess) for name, guess in guesses.items()])
    return _Cases(encode("y_true", truth), predicted, check_repeats(weight, truth.size), entities, classes, chosen)


def _check_types(truth: np.ndarray, guesses: Mapping[Any, np.ndarray]) -> None:
    """Raise an error if predictions and true labels differ in type: each predicted label would become a class."""
    known = set(truth.tolist())
    for name, guess in guesses.items():
        held = list(dict.fromkeys(guess[~pd.isna(guess)].tolist()))
        texts = [label for label in held if isinstance(label, str)]
        mixed = all(isinstance(label, str) for label in known) != (len(texts) == len(held))
        if held and mixed and not known & set(held):
            raise ValueError(
                f"predictions[{name!r}] must hold labels as y_true has them, such as {next(iter(known))!r}; got "
                f"{held[0]!r} of another type (rename its labels to those of y_true)"
            )
