"""Predicted probabilities, or decision values, of single cases, with the true label of each case."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import (
    all_classes,
    check_by_entity,
    check_item_names,
    check_labels,
    check_nested,
    check_numbers,
    describe_value,
)
from bayesrank._core.errors import Advice, ArgumentError, ArgumentTypeError, Typed
from bayesrank._core.labels import (
    arrange_classes,
    factorize,
    find_repeat,
    is_ordered,
    name_coord,
    ordered_categories,
)
from bayesrank._core.notes import add_notes
from bayesrank.evidence.alignment import align_cases
from bayesrank.evidence.columns import are_pairs, name_columns, pairs_by_name
from bayesrank.evidence.counts import mark_positive
from bayesrank.evidence.ledger import Entry, Ledger
from bayesrank.evidence.weighting import check_numbers_of_cases, scale_weights

#: Names of variables of cases beside joint outcomes, which have patterns.
BESIDE_PATTERNS = {"actual": "case_actual", "weight": "case_weight"}


@check_call
def from_probabilities(
    y_true: Any,
    probabilities: Any,
    *,
    positive: Any = None,
    case: Any = None,
    cluster: Any = None,
    dataset: Any = None,
    weight: Any = None,
) -> xr.Dataset:
    """Take the predicted probabilities of each entity for every case, for areas under curves and losses.

    The model ``bayesian_bootstrap`` of such evidence computes the scores of the space ``"cases"``:
    ``auc_roc``, ``average_precision``, ``auc_gain``, ``brier`` and ``log_loss``.

    Parameters
    ----------
    y_true : sequence of labels
        The true label of each case.
    probabilities : mapping, DataFrame or sequence
        For each entity (key or column), the probabilities of the positive class. Decision values
        (any numbers, larger means more positive) are enough for areas. With more classes, a mapping
        from each entity to a table (case, class), in the order of the sorted labels, or a DataFrame
        with the labels as columns. A table of two classes is taken, too. A sequence describes one entity.
        Everything with an index is joined to ``y_true`` by its labels.
    positive : label, optional
        The positive one of two classes; needed unless an ordered categorical or a standard pair
        (0/1, no/yes, ...) says which.
    case : sequence, optional
        The name of each case; a name that occurs twice raises an error.
    cluster : sequence, optional
        The cluster (patient, series) of each case, if cases of a cluster resemble each other.
    dataset : hashable or sequence, optional
        The data set of each case, or one name for all cases.
    weight : sequence of float, optional
        Importance weight of each case, as for :func:`bayesrank.from_predictions`.

    Returns
    -------
    xarray.Dataset
        ``probability`` (case, entity), or (case, entity, label) for more classes; ``weight``
        (case), the scaled weight of a case, 1 if all are equal. Coords: ``actual`` (case),
        ``label``, ``positive``, and ``case``, ``cluster`` and ``dataset`` (case) if given. The attr
        ``ledger`` says what was read.

    Raises
    ------
    ValueError, TypeError
        If lengths or indexes differ, a value is missing, a class has no case, or the positive class
        is unknown.

    Examples
    --------
    >>> evidence = br.from_probabilities([0, 0, 0, 1, 1, 1], {"a": [0.1, 0.4, 0.6, 0.3, 0.7, 0.9]})
    >>> posterior = br.fit(evidence, seed=1)
    >>> round(posterior["observed_data"]["auc_roc"].item(), 3)
    0.778
    """
    groups = {"case": case, "cluster": cluster, "dataset": dataset}
    by_entity = _probabilities_by_entity(probabilities)
    aligned, joined = align_cases(
        {"y_true": y_true, "probabilities": by_entity, "weight": weight, **groups}
    )
    y_true, probabilities = aligned["y_true"], aligned["probabilities"]
    entities = check_by_entity("probabilities", probabilities, "predicted probabilities")
    truth = check_labels("y_true", y_true)
    classes, chosen = _classes_of(y_true, truth, positive)
    size = truth.size
    columns = [_check_column(name, probabilities[name], classes, size) for name in entities]
    named = _name_cases({role: aligned[role] for role in groups}, size)
    code = {label: i for i, label in enumerate(classes)}
    which, labels = factorize(truth)
    of_class = np.array([code[label] for label in labels])[which]
    weighted = scale_weights(
        check_numbers_of_cases(None, aligned["weight"], size), named.get("dataset"), of_class
    )
    retained = np.flatnonzero(weighted.number > 0)
    actual = name_coord(classes)[of_class[retained]]
    dims = ("case", "entity", *["label"] * (len(classes) > 2))
    coords: dict[str, Any] = {
        "entity": name_coord(entities),
        "label": name_coord(classes),
        "actual": ("case", actual),
    }
    coords |= {
        role: ("case", name_coord([held[i] for i in retained])) for role, held in named.items()
    }
    datasets = len(set(named["dataset"])) if "dataset" in named else 0
    ledger = Ledger(
        tuple(Entry(str(name), retained.size) for name in entities),
        retained.size,
        len(classes),
        datasets,
    )
    result = xr.Dataset(
        {
            "probability": (dims, np.stack(columns, axis=1)[retained]),
            "weight": ("case", weighted.number[retained].astype(float)),
        },
        coords,
        add_notes(weighted.attrs | ledger.to_attrs(), [*joined, *weighted.notes]),
    )
    return mark_positive(result, chosen)


def _probabilities_by_entity(probabilities: Any) -> Any:
    """Return the predicted probabilities by the name of their entity."""
    if are_pairs(probabilities):
        return pairs_by_name("probabilities", probabilities)
    if isinstance(probabilities, Mapping | pd.DataFrame):
        return probabilities
    # Of the tables, one of polars names its entities; another may have a column for each class.
    if hasattr(probabilities, "get_column"):
        return name_columns("probabilities", probabilities, None)
    return {"entity 1": probabilities}


def probabilities_of(evidence: Any) -> Any:
    """Return the probabilities beside joint outcomes, as from :func:`from_probabilities`; other evidence unchanged."""
    if not isinstance(evidence, xr.Dataset) or not {"pattern", "case"} <= set(evidence.dims):
        return evidence
    retained = [name for name in evidence.variables if "pattern" not in evidence[name].dims]
    return evidence[retained].rename({new: old for old, new in BESIDE_PATTERNS.items()})


def are_probabilities(evidence: xr.Dataset) -> bool:
    """Return whether the values are probabilities: between 0 and 1 and, over more than two classes, with sum 1."""
    values = evidence["probability"].values
    if values.min() < 0 or values.max() > 1:
        return False
    return "label" not in evidence["probability"].dims or bool(
        np.abs(values.sum(axis=2) - 1).max() < 1e-6
    )


def _classes_of(y_true: Any, truth: np.ndarray, positive: Any) -> tuple[list, Any]:
    """Return the classes in order, each with cases, and the positive one of two."""
    classes, chosen = arrange_classes(
        all_classes(ordered_categories(y_true), [truth], "y_true"), positive, is_ordered(y_true)
    )
    empty = [label for label in classes if label not in set(truth.tolist())]
    if empty or len(classes) < 2:
        got = f"none of {empty[0]!r}" if empty else f"only {classes[0]!r}"
        raise ArgumentError("y_true", "must contain cases of each of at least two classes", got)
    if len(classes) == 2 and chosen is None:
        raise ArgumentError(
            "positive",
            "must name the class that the probabilities are of",
            f"none of {classes[0]!r} and {classes[1]!r}",
            Advice(
                Typed("positive", classes[1]), " or ", Typed("positive", classes[0]), " says which"
            ),
        )
    return classes, chosen


def _name_cases(groups: Mapping[str, Any], size: int) -> dict[str, list]:
    """Return the checked names of cases, clusters and data sets."""
    named = {
        role: check_item_names(role, names, size, broadcast=role == "dataset")
        for role, names in groups.items()
        if names is not None
    }
    if "case" in named and (twice := find_repeat(named["case"])) is not None:
        raise ArgumentError(
            "case", "must name each case once", f"{named['case'][twice[0]]!r} twice"
        )
    if {"cluster", "dataset"} <= set(named):
        check_nested(named["cluster"], named["dataset"])
    return named


def _order_columns(argument: str, predicted: Any, classes: list) -> Any:
    """Return predicted probabilities with the columns of a table, if it is one, in the order of the classes."""
    if isinstance(predicted, pd.DataFrame):
        columns = {str(label): label for label in predicted.columns}
        lacking = [label for label in classes if str(label) not in columns]
        if lacking or len(columns) != len(classes):
            raise ArgumentError(
                argument, f"must have a column for each class, {classes}", list(columns)
            )
        return predicted[[columns[str(label)] for label in classes]].to_numpy()
    if np.ndim(predicted) != 2:
        return predicted
    table = np.asarray(predicted)
    if table.shape[1] != len(classes) or not _sorts(classes):
        return table
    # predict_proba sorts the classes; here the positive one may come first.
    return table[:, np.argsort(np.argsort(np.array(classes, object)))]


def _check_column(name: Any, predicted: Any, classes: list, size: int) -> np.ndarray:
    """Return the values of an entity: (case) of the positive one of two classes, (case, class) of more."""
    argument = f"probabilities[{name!r}]"
    predicted = _order_columns(argument, predicted, classes)
    try:
        values = np.asarray(predicted, float)
    except (TypeError, ValueError, OverflowError):
        raise ArgumentTypeError(
            argument, "must contain numbers", describe_value(predicted)
        ) from None
    if values.ndim == 1 and len(classes) > 2:
        raise ArgumentError(
            argument,
            f"must contain a probability of each of the {len(classes)} classes",
            "one number a case",
            f"pass a table (case, class) in the order {sorted(classes, key=repr)}",
        )
    if values.ndim not in (1, 2) or (values.ndim == 2 and values.shape[1] != len(classes)):
        raise ArgumentError(
            argument,
            "must contain a number for each case, or for each case and class",
            values.shape,
        )
    if len(values) != size:
        raise ArgumentError(
            argument, f"must contain a number for each of the {size} cases of y_true", len(values)
        )
    check_numbers(argument, values.ravel())
    if (bad := ~np.isfinite(values)).any():
        row = int(np.argwhere(bad)[0][0])
        raise ArgumentError(
            argument, "must contain a finite number for every case", f"{values[row]} for case {row}"
        )
    return values[:, 1] if values.ndim == 2 and len(classes) == 2 else values


def _sorts(classes: list) -> bool:
    return sorted(classes) != classes
