"""Scores of cross-validation: one score of each learner on each split into training and test cases."""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._checks import describe_value, is_number
from bayesrank._errors import ArgumentError, ArgumentKeyError, ArgumentTypeError
from bayesrank._labels import name_coord
from bayesrank._text import list_names
from bayesrank.evidence.ledger import Entry, Ledger


def from_folds(scores: pd.DataFrame, *, train: Any, test: Any, repeat: Any = None, dataset: Any = None) -> xr.Dataset:
    """Take scores of learners on the folds of cross-validation, which are not independent.

    Training sets of one data set overlap, so that the scores of its folds are correlated. The model
    ``correlated_folds`` allows for that, and ranks the learners, not the fitted models.

    Parameters
    ----------
    scores : pandas.DataFrame
        One row for each split, and one column of scores for each learner, trained and tested on the same splits.
    train, test : int or str
        Numbers of training and of test cases of each split: a number for all, or the name of a column.
    repeat : str, optional
        Column with the repetition of the cross-validation. Without it, all folds of a data set are of one repetition.
    dataset : str, optional
        Column with the data set.

    Returns
    -------
    xarray.Dataset
        ``fold_score`` (split, entity); ``training_cases`` and ``test_cases`` (split); the coords ``repeat`` and
        ``dataset`` (split) if given. The attr ``ledger`` says what was read.

    Raises
    ------
    ValueError, TypeError, KeyError
        If a column is missing, a score is missing or not finite, a number of cases is not a positive whole number, or a
        data set has only one split.

    References
    ----------
    Nadeau and Bengio (2003), Inference for the generalization error, Machine Learning 52:239-281.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame({"run": [1, 1, 2, 2], "tree": [0.8, 0.7, 0.9, 0.7], "forest": [0.9, 0.8, 0.8, 0.9]})
    >>> folds = br.from_folds(scores, train=50, test=50, repeat="run")
    >>> dict(folds.sizes)
    {'split': 4, 'entity': 2}
    """
    if not isinstance(scores, pd.DataFrame):
        raise ArgumentTypeError(
            "scores", "must be a pandas DataFrame with a row for each split", describe_value(scores)
        )
    roles = {"repeat": repeat, "dataset": dataset}
    roles |= {"train": train if isinstance(train, str) else None, "test": test if isinstance(test, str) else None}
    used: dict[Any, str] = {}
    for role, name in roles.items():
        if name is None:
            continue
        if name not in scores.columns:
            held = list_names(list(map(str, scores.columns)), 12)
            raise ArgumentKeyError(role, f"must name a column of the scores ({held})", f"{name!r}")
        if name in used:
            raise ArgumentError(role, "must name a column of its own", f"{name!r}, the {used[name]} as well")
        used[name] = role
    outcomes = scores.drop(columns=list(used))
    values = _check_scores(outcomes)
    size = len(scores)
    table: dict[str, Any] = {"fold_score": (("split", "entity"), values)}
    for role, given, variable in (("train", train, "training_cases"), ("test", test, "test_cases")):
        table[variable] = ("split", _check_numbers(scores[given] if roles[role] else given, role, size))
    coords: dict[str, Any] = {"entity": name_coord(list(outcomes.columns))}
    for role in ("repeat", "dataset"):
        if roles[role] is None:
            continue
        column = scores[roles[role]]
        if column.isna().any():
            raise ArgumentError(role, "must name a column without missing values", f"{roles[role]!r}")
        coords[role] = ("split", column.to_numpy())
    groups = scores[dataset].tolist() if dataset is not None else [""] * size
    number = pd.Series(groups).value_counts()
    if number.min() < 2:
        where = "" if dataset is None else f" of the data set {number.idxmin()!r}"
        raise ArgumentError("scores", f"must have two splits or more{where}", "1")
    entries = tuple(Entry(str(name), size) for name in outcomes.columns)
    ledger = Ledger(entries, size, datasets=len(number) if dataset is not None else 0, unit="split")
    return xr.Dataset(table, coords, ledger.to_attrs())


def _check_scores(outcomes: pd.DataFrame) -> np.ndarray:
    """Return the scores as numbers (split, entity)."""
    if not outcomes.shape[1]:
        raise ArgumentError("scores", "must have a column of scores for each learner", "none")
    twice = outcomes.columns[outcomes.columns.duplicated()]
    if len(twice):
        raise ArgumentError("scores", "must have one column for each learner", f"{twice[0]!r} twice")
    for name, column in outcomes.items():
        if column.dtype.kind not in "iufb":
            hint = f"repeat={name!r} or dataset={name!r} if it describes the split"
            raise ArgumentError("scores", f"must hold numbers, and column {name!r} holds none", str(column.dtype), hint)
        if str(name).lower() in ("fold", "repeat", "run", "split", "dataset", "seed"):
            hint = f"repeat={name!r} says what it is, scores.drop(columns={name!r}) leaves it out"
            raise ArgumentError(
                "scores",
                f"must have one column for each learner, and {name!r} is probably not one",
                "its heading",
                hint,
            )
        bad = ~np.isfinite(column.to_numpy(float))
        if bad.any():
            row = outcomes.index[int(bad.argmax())]
            raise ArgumentError(
                "scores",
                f"must be finite in each split, and {name!r} is not in row {row}",
                column.loc[row],
                "leave out the splits that a learner lacks, for all learners",
            )
    return outcomes.to_numpy(float)


def _check_numbers(given: Any, argument: str, size: int) -> np.ndarray:
    """Return the numbers of cases of each split."""
    if not isinstance(given, pd.Series) and not is_number(given):
        raise ArgumentTypeError(argument, "must be a number of cases or the name of a column", describe_value(given))
    values = np.broadcast_to(np.asarray(given), size)
    if values.dtype.kind not in "iuf" or not (np.isfinite(values) & (values >= 1) & (values == np.floor(values))).all():
        raise ArgumentError(argument, "must be whole numbers of cases above 0", describe_value(given))
    return values.astype(np.int64)
