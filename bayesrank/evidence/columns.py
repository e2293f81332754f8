"""What users hold for each entity: mappings, data frames, arrays, lists of pairs, and estimators by name."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.checks import describe_value
from bayesrank._core.errors import ArgumentError, ArgumentTypeError


def name_columns(argument: str, given: Any, size: int | None) -> Any:
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
    if isinstance(given, pd.Series | xr.DataArray):
        return _number([given]) if given.ndim == 1 else given
    if isinstance(given, Mapping):
        _refuse_estimators(argument, given.values())
        return given
    if isinstance(given, pd.DataFrame | xr.Dataset):
        return given
    if hasattr(given, "columns") and hasattr(given, "get_column"):  # polars
        return {name: given.get_column(name).to_numpy() for name in given.columns}
    _refuse_estimators(argument, given if isinstance(given, list | tuple) else [given])
    if are_pairs(given):
        return pairs_by_name(argument, given)
    if isinstance(given, list | tuple) and given and all(_is_column(one) for one in given):
        lengths = {len(one) for one in given}
        if len(given) == size and lengths == {size}:
            raise _ambiguous(argument, (size, size))
        return _number(given)
    if isinstance(given, str | bytes) or np.ndim(given) == 0:
        return given
    if np.ndim(given) == 2:
        values = np.asarray(given)
        if size is not None and values.shape[0] != size and values.shape[1] == size:
            requirement = f"must have a row for each of the {size} cases"
            raise ArgumentError(
                argument, requirement, f"the shape {values.shape}", f"{argument}.T has one"
            )
        if size is not None and values.shape == (size, size) and size > 1:
            raise _ambiguous(argument, values.shape)
        return _number(values.T)
    return _number([given])


def are_pairs(given: Any) -> bool:
    """Return whether these are pairs of a name and something else, as in scikit-learn's lists of estimators."""
    return (
        isinstance(given, list | tuple)
        and len(given) > 0
        and all(
            isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], str) for one in given
        )
        and not any(isinstance(one[1], str) for one in given)
    )


def pairs_by_name(argument: str, pairs: Any) -> dict[str, Any]:
    """Return pairs as a mapping; raise if a name occurs twice."""
    names = [name for name, _ in pairs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ArgumentError(argument, "must name each entity once", f"{twice!r} twice")
    return dict(pairs)


def name_estimators(argument: str, given: Any) -> Any:
    """Return estimators by name: a mapping, pairs, one estimator, or a list of estimators of different classes."""
    if are_pairs(given):
        return pairs_by_name(argument, given)
    if _predicts(given):
        return {type(given).__name__: given}
    if isinstance(given, list | tuple) and given and all(map(_predicts, given)):
        names = [type(one).__name__ for one in given]
        if len(set(names)) < len(names):
            typed = ", ".join(f"'{chr(97 + i)}': ..." for i in range(len(names)))
            raise ArgumentError(
                argument, "must be named if classes repeat", names, f"{{{typed}}} names them"
            )
        return dict(zip(names, given, strict=True))
    return given


def _number(columns: Any) -> dict[str, Any]:
    return {f"entity {i}": column for i, column in enumerate(columns, 1)}


def _is_column(given: Any) -> bool:
    return (
        not isinstance(given, str | bytes | tuple)
        and hasattr(given, "__len__")
        and np.ndim(given) == 1
    )


def _predicts(given: Any) -> bool:
    return not isinstance(given, type) and callable(getattr(given, "predict", None))


def _refuse_estimators(argument: str, given: Any) -> None:
    if any(map(_predicts, given)):
        requirement = "must contain predicted labels, not estimators"
        estimator = next(one for one in given if _predicts(one))
        hint = "br.from_estimators(estimators, X, y) predicts with them"
        raise ArgumentTypeError(argument, requirement, describe_value(estimator), hint)


def _ambiguous(argument: str, shape: Any) -> ArgumentError:
    hint = "a mapping {'name': predictions, ...} says which is which"
    return ArgumentError(
        argument, "must have more cases than entities, or names", f"the shape {shape}", hint
    )
