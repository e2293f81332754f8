"""Evidence from estimators with scikit-learn's interface, fitted before or on the folds of a split.

This is the only module that imports scikit-learn, and only for ``cv``.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_entities, check_labels, check_order_of, describe_value
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.labels import known_classes
from bayesrank._core.notes import Note, add_notes
from bayesrank.evidence.alignment import align_cases
from bayesrank.evidence.columns import name_estimators
from bayesrank.evidence.predictions import joint_outcomes
from bayesrank.evidence.probabilities import BESIDE_PATTERNS, from_probabilities


@check_call
def from_estimators(
    estimators: Any, X: Any, y: Any, *, cv: Any = None, positive: Any = None, weight: Any = None
) -> xr.Dataset:
    """Predict the cases of a test set with fitted estimators, or with out-of-fold predictions.

    Parameters
    ----------
    estimators : mapping, list or estimator
        From the name of each entity to an object with ``predict``, as scikit-learn's estimators,
        pipelines and searches; or pairs (name, estimator); or estimators of different classes,
        which these name. Without ``cv`` they must be fitted, on other cases than ``X``.
    X, y : array or DataFrame, sequence of labels
        The features and the true label of each case.
    cv : int or splitter, optional
        Number of folds, or a splitter of scikit-learn, which tests each case once. Clones of the
        estimators are fitted without the cases that they predict, all with the same split. Without
        ``cv``, scikit-learn is not imported.
    positive : label, optional
        The positive one of two classes, as for :func:`bayesrank.from_predictions`. Estimators with
        probabilities need it, unless a standard pair of labels (0/1, no/yes, ...) says which.
    weight : sequence of float, optional
        Importance weight of each case, as for :func:`bayesrank.from_predictions`. With ``cv`` the
        estimators are fitted without weights.

    Returns
    -------
    xarray.Dataset
        Joint outcomes of the predicted labels, as from :func:`bayesrank.joint_outcomes`, for the
        model ``"paired"``. If all estimators have ``predict_proba`` or ``decision_function``, also
        their probabilities, as from :func:`bayesrank.from_probabilities`: ``br.fit(evidence,
        "bayesian_bootstrap")`` takes them. ``attrs["notes"]`` says what was done.

    Raises
    ------
    ValueError, TypeError
        If an estimator is not fitted or cannot predict, or ``cv`` does not test each case once.

    Notes
    -----
    Out-of-fold predictions come from several fitted models for each entity, whose training sets
    overlap. They rank these models on these cases. Scores of repeated splits rank learners
    (:func:`bayesrank.from_folds`).

    Examples
    --------
    >>> class Constant:
    ...     def predict(self, X):
    ...         return [1] * len(X)
    >>> evidence = br.from_estimators({"always": Constant()}, [[0.1], [0.3], [0.7]], [0, 1, 1])
    >>> br.scores.accuracy(br.fit(evidence, seed=1)["observed_data"]["counts"]).item().__round__(3)
    0.667
    """
    estimators = _check_estimators(estimators)
    names = list(estimators)
    size = check_labels("y", y).size
    if (held := _rows_of(X)) != size:
        raise ArgumentError("X", f"must have a row for each of the {size} labels of y", held)
    splits = [] if cv is None else _splits(cv, X, y)
    labels: dict[Any, Any] = {}
    values: dict[Any, Any] = {}
    for name in names:
        labels[name], values[name] = _predict(name, estimators[name], X, y, splits)
    weight = (
        None
        if weight is None
        else np.asarray(align_cases({"y_true": y, "weight": weight})[0]["weight"])
    )
    joint = joint_outcomes(y, labels, positive=positive, weight=weight)
    notes = [Note("out_of_fold", {"folds": len(splits)})] if splits else []
    lacking = [str(name) for name in names if values[name] is None]
    two = joint.sizes["label"] == 2
    if not lacking:
        order = joint["label"].values.tolist()
        tables = {name: _table(values[name], order) for name in names}
        positive_class = order[1] if two and known_classes(joint) is not None else None
        probabilities = from_probabilities(
            np.asarray(y), tables, positive=positive_class, weight=weight
        )
        renamed = probabilities.drop_vars(["label", "positive"], errors="ignore").rename(
            BESIDE_PATTERNS
        )
        joint = joint.assign(renamed.data_vars).assign_coords(case_actual=renamed["case_actual"])
    elif len(lacking) < len(names):
        notes.append(Note("probabilities_lacking", {"entities": lacking}))
    return joint.assign_attrs(add_notes(joint.attrs, notes) | {"noun": "model"})


def _splits(cv: Any, X: Any, y: Any) -> list[tuple[np.ndarray, np.ndarray]]:
    from sklearn.model_selection import check_cv

    try:
        splits = list(check_cv(cv, y, classifier=True).split(X, y))
    except (TypeError, ValueError, IndexError, AttributeError) as error:
        raise ArgumentError("cv", "must be a number of folds or a splitter", f"{error}") from error
    if not splits:
        raise ArgumentError("cv", "must be a number of folds or a splitter", describe_value(cv))
    tested = np.concatenate([np.ravel(test) for _, test in splits])
    if not np.array_equal(np.sort(tested), np.arange(len(y))):
        raise ArgumentError(
            "cv",
            "must test each case once",
            f"{tested.size} predictions of {np.unique(tested).size} of {len(y)} cases",
            "br.from_folds takes the scores of repeated splits",
        )
    return splits


def _predict(name: Any, estimator: Any, X: Any, y: Any, splits: list) -> tuple[np.ndarray, Any]:
    """Return the labels of all cases, and the values of the classes with their order; None without any."""
    try:
        if not splits:
            return np.asarray(estimator.predict(X)), _values(estimator, X)
        from sklearn.base import clone

        labels, values = None, None
        for train, test in splits:
            fitted = clone(estimator).fit(_rows(X, train), _rows(y, train))
            own = np.asarray(fitted.predict(_rows(X, test)))
            held_out = _values(fitted, _rows(X, test))
            if labels is None:
                labels = np.empty(len(y), own.dtype if own.dtype.kind in "biuf" else object)
                values = (
                    None
                    if held_out is None
                    else (np.empty((len(y), *held_out[0].shape[1:])), held_out[1])
                )
            labels[test] = own
            if values is not None and held_out is not None:
                if held_out[1] != values[1]:
                    raise ArgumentError(
                        "cv", "must have all classes in each training set", f"only {held_out[1]}"
                    )
                values[0][test] = held_out[0]
        assert labels is not None
        return labels, values
    except ArgumentError:
        raise
    except Exception as error:
        hint = (
            "fit it before, or pass cv= for out-of-fold predictions"
            if "NotFitted" in type(error).__name__
            else ""
        )
        raise ArgumentError(
            f"estimators[{name!r}]", "must predict these cases", f"{error}", hint
        ) from error


def _values(estimator: Any, X: Any) -> tuple[np.ndarray, list] | None:
    """Return probabilities, else decision values, of the classes of an estimator, and these classes; None without."""
    for method in ("predict_proba", "decision_function"):
        if not hasattr(estimator, method) or not hasattr(estimator, "classes_"):
            continue
        result = np.asarray(getattr(estimator, method)(X), float)
        classes = np.asarray(estimator.classes_).tolist()
        if result.ndim == 2 and result.shape[1] == len(classes):
            return result, classes
        if result.ndim == 1 and len(classes) == 2:
            return np.column_stack([-result, result]), classes
    return None


def _table(values_and_order: tuple[np.ndarray, list], order: list) -> pd.DataFrame:
    """Return the values (case, class) of the classes in order."""
    values, classes = values_and_order
    missing = [label for label in order if label not in classes]
    if missing:
        raise ArgumentError(
            "estimators", f"must know the classes {order}", f"none that knows {missing[0]!r}"
        )
    return pd.DataFrame(values, columns=classes)[order]


def _check_estimators(estimators: Any) -> dict[Any, Any]:
    """Return the estimators by name; raise an error unless each can predict."""
    estimators = name_estimators("estimators", estimators)
    if not isinstance(estimators, Mapping):
        raise ArgumentTypeError(
            "estimators", "must be a mapping from names to estimators", describe_value(estimators)
        )
    by_name = {name: estimators[name] for name in check_entities("estimators", list(estimators))}
    for name, estimator in by_name.items():
        if isinstance(estimator, type) or not callable(getattr(estimator, "predict", None)):
            raise ArgumentTypeError(
                f"estimators[{name!r}]",
                "must be an object with the method predict",
                describe_value(estimator),
            )
    return by_name


def _rows_of(X: Any) -> int:
    """Return the number of rows of an array, a sparse matrix, a DataFrame or a list."""
    X = check_order_of("X", X, "a row for each case")
    if isinstance(X, str | bytes) or not (getattr(X, "shape", None) or isinstance(X, Sequence)):
        raise ArgumentTypeError(
            "X", "must be an array or a DataFrame with a row for each case", describe_value(X)
        )
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def _rows(array: Any, rows: np.ndarray) -> Any:
    """Return some rows of an array, a sparse matrix, a DataFrame or a list."""
    if hasattr(array, "iloc"):
        return array.iloc[rows]
    return array[rows] if hasattr(array, "shape") else np.asarray(array)[rows]
