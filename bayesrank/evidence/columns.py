"""What users hold for each entity: mappings, data frames, arrays, lists of pairs, and estimators by name."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.checks import describe_value
from bayesrank._core.errors import ArgumentError, ArgumentTypeError


def name_columns(argument: str, predictions: Any, size: int | None) -> Any:
    """Return predictions as a mapping or table from entity; those without names become "entity 1", "entity 2", ...

    Parameters
    ----------
    argument : str
        The name of the argument, for messages.
    given
        A mapping, DataFrame or Dataset, which stays as it is; a data frame of polars; pairs (name,
        predictions); one sequence of predictions; an array (case, entity); or a list of sequences.
    size : int or None
        The number of cases, if it is known.

    Raises
    ------
    ArgumentError
        If it is ambiguous which dimension is that of the cases, or estimators stand instead of
        predictions.
    """
    if isinstance(predictions, pd.Series | xr.DataArray):
        return _number([predictions]) if predictions.ndim == 1 else predictions
    if isinstance(predictions, Mapping):
        _refuse_estimators(argument, predictions.values())
        return predictions
    if isinstance(predictions, pd.DataFrame | xr.Dataset):
        return predictions
    if hasattr(predictions, "columns") and hasattr(predictions, "get_column"):  # polars
        return {name: predictions.get_column(name).to_numpy() for name in predictions.columns}
    _refuse_estimators(
        argument, predictions if isinstance(predictions, list | tuple) else [predictions]
    )
    if are_pairs(predictions):
        return pairs_by_name(argument, predictions)
    if (
        isinstance(predictions, list | tuple)
        and predictions
        and all(_is_column(one) for one in predictions)
    ):
        lengths = {len(one) for one in predictions}
        if len(predictions) == size and lengths == {size}:
            raise _ambiguous(argument, (size, size))
        return _number(predictions)
    if isinstance(predictions, str | bytes) or np.ndim(predictions) == 0:
        return predictions
    if np.ndim(predictions) == 2:
        values = np.asarray(predictions)
        if size is not None and values.shape[0] != size and values.shape[1] == size:
            requirement = f"must have a row for each of the {size} cases"
            raise ArgumentError(
                argument, requirement, f"the shape {values.shape}", f"{argument}.T has one"
            )
        if size is not None and values.shape == (size, size) and size > 1:
            raise _ambiguous(argument, values.shape)
        return _number(values.T)
    return _number([predictions])


def are_pairs(argument: Any) -> bool:
    """Return whether these are pairs of a name and something else, as in scikit-learn's lists of estimators."""
    return (
        isinstance(argument, list | tuple)
        and len(argument) > 0
        and all(
            isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], str) for one in argument
        )
        and not any(isinstance(one[1], str) for one in argument)
    )


def pairs_by_name(argument: str, pairs: Any) -> dict[str, Any]:
    """Return pairs as a mapping; raise if a name occurs twice."""
    names = [name for name, _ in pairs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ArgumentError(argument, "must name each entity once", f"{twice!r} twice")
    return dict(pairs)


def name_estimators(argument: str, estimators: Any) -> Any:
    """Return estimators by name: a mapping, pairs, one estimator, or a list of estimators of different classes."""
    if are_pairs(estimators):
        return pairs_by_name(argument, estimators)
    if _predicts(estimators):
        return {type(estimators).__name__: estimators}
    if isinstance(estimators, list | tuple) and estimators and all(map(_predicts, estimators)):
        names = [type(one).__name__ for one in estimators]
        if len(set(names)) < len(names):
            typed = ", ".join(f"'{chr(97 + i)}': ..." for i in range(len(names)))
            raise ArgumentError(
                argument, "must be named if classes repeat", names, f"{{{typed}}} names them"
            )
        return dict(zip(names, estimators, strict=True))
    return estimators


def _number(columns: Any) -> dict[str, Any]:
    return {f"entity {i}": column for i, column in enumerate(columns, 1)}


def _is_column(argument: Any) -> bool:
    return (
        not isinstance(argument, str | bytes | tuple)
        and hasattr(argument, "__len__")
        and np.ndim(argument) == 1
    )


def _predicts(argument: Any) -> bool:
    return not isinstance(argument, type) and callable(getattr(argument, "predict", None))


def _refuse_estimators(argument: str, predictions: Any) -> None:
    if any(map(_predicts, predictions)):
        requirement = "must contain predicted labels, not estimators"
        estimator = next(one for one in predictions if _predicts(one))
        hint = "br.from_estimators(estimators, X, y) predicts with them"
        raise ArgumentTypeError(argument, requirement, describe_value(estimator), hint)


def _ambiguous(argument: str, shape: Any) -> ArgumentError:
    hint = "a mapping {'name': predictions, ...} says which is which"
    return ArgumentError(
        argument, "must have more cases than entities, or names", f"the shape {shape}", hint
    )
