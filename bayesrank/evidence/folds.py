"""Scores of cross-validation: one score of each learner on each split into training and test cases."""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.calls import check_call
from bayesrank._core.checks import check_column, describe_value, is_number
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.labels import name_coord
from bayesrank._core.records import EvidenceRecord
from bayesrank.evidence.ledger import Entry, Ledger

#: Columns of cv_results_ with the scores of the test cases of one split, and their metric.
SPLIT = re.compile(r"split(\d+)_test_(\w+)")
#: A share written in percent.
PERCENTAGE = re.compile(r"\s*-?\d+(?:\.\d+)?\s*%\s*$")
#: Keys of the results of cross_validate that hold no scores of test cases.
NO_SCORES = re.compile(r"(fit|score)_time|train_\w+|estimator|indices")


@check_call
def from_folds(
    scores: pd.DataFrame | Mapping[Any, Any],
    *,
    train: Any = None,
    test: Any = None,
    repeat: Any = None,
    dataset: Any = None,
    metric: str | None = None,
) -> xr.Dataset:
    """Take scores of learners on the folds of cross-validation, which are not independent.

    Training sets of one data set overlap, so that the scores of its folds are correlated. The model
    ``correlated_folds`` allows for that, and ranks the learners, not the fitted models.

    Parameters
    ----------
    scores : pandas.DataFrame or dict
        One row for each split, and one column of scores for each learner, trained and tested on the
        same splits. Texts such as ``"85.2%"`` are read as shares; tables then show percent. Or
        results of scikit-learn: a dictionary of learners and what ``cross_validate`` or
        ``cross_val_score`` returned for each; or ``cv_results_`` of a search, whose candidates are
        the learners, as a dictionary or a DataFrame.
    train, test : int, float or str
        Numbers of training and of test cases of each split: a number for all, or the name of a
        column. Both may be shares of the cases, such as 0.9 and 0.1, since only their ratio
        matters. They may be left out for results of ``cross_validate(..., return_indices=True)``.
    repeat : str or int, optional
        Column with the repetition of the cross-validation; for results of scikit-learn the number
        of repetitions, as ``n_repeats`` of ``RepeatedKFold``. Without it, all folds of a data set
        belong to one repetition.
    dataset : str, optional
        Column with the data set.
    metric : str, optional
        The score to take from results of scikit-learn, such as ``"accuracy"``, if they hold
        several.

    Returns
    -------
    xarray.Dataset
        ``fold_score`` (split, entity); ``training_cases`` and ``test_cases`` (split), numbers or
        shares of cases; the coords ``repeat`` and ``dataset`` (split) if given. The attr ``ledger``
        says what was read.

    Raises
    ------
    ValueError, TypeError, KeyError
        If a column is missing, a score is missing or not finite, a number of cases is not a
        positive whole number or share, learners have different splits, several metrics leave the
        choice open, or a data set has only one split.

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

    >>> results = {"tree": {"test_score": [0.8, 0.7, 0.9]}, "forest": {"test_score": [0.9, 0.8, 0.8]}}
    >>> br.from_folds(results, train=0.67, test=0.33)["fold_score"].mean("split").round(2).values.tolist()
    [0.8, 0.83]
    """
    searched = isinstance(scores, Mapping | pd.DataFrame) and bool(split_columns(scores))
    if searched or isinstance(scores, Mapping):
        scores, sizes = (
            _of_search(scores, metric) if searched else _of_validations(dict(scores), metric)
        )
        train, test = sizes.get("train", train), sizes.get("test", test)
        scores, repeat = _with_repetitions(scores, repeat)
    elif metric is not None:
        raise ArgumentError(
            "metric", "cannot be used for a table with one column for each learner", f"{metric!r}"
        )
    if not isinstance(scores, pd.DataFrame):
        raise ArgumentTypeError(
            "scores", "must be a pandas DataFrame with a row for each split", describe_value(scores)
        )
    roles = {"repeat": repeat, "dataset": dataset}
    roles |= {
        "train": train if isinstance(train, str) else None,
        "test": test if isinstance(test, str) else None,
    }
    outcomes = scores.drop(columns=_columns_in_use(scores, roles))
    percent = [name for name, column in outcomes.items() if _is_percent(column)]
    outcomes = outcomes.apply(lambda column: _to_shares(column) if _is_percent(column) else column)
    values = _check_scores(outcomes)
    size = len(scores)
    table: dict[str, Any] = {"fold_score": (("split", "entity"), values)}
    for role, given, variable in (("train", train, "training_cases"), ("test", test, "test_cases")):
        table[variable] = (
            "split",
            _check_numbers(scores[given] if roles[role] else given, role, size, bool(roles[role])),
        )
    _check_shares(table["training_cases"][1], table["test_cases"][1])
    coords: dict[str, Any] = {"entity": name_coord(list(outcomes.columns))}
    coords |= {
        role: ("split", _names_of_splits(scores, role, roles[role]))
        for role in ("repeat", "dataset")
        if roles[role] is not None
    }
    groups = scores[dataset].tolist() if dataset is not None else [""] * size
    number = pd.Series(groups).value_counts()
    if number.min() < 2:
        where = "" if dataset is None else f" of the data set {number.idxmin()!r}"
        raise ArgumentError("scores", f"must have at least two splits{where}", "1")
    entries = tuple(Entry(str(name), size) for name in outcomes.columns)
    ledger = Ledger(entries, size, datasets=len(number) if dataset is not None else 0, unit="split")
    attrs = EvidenceRecord(in_percent=bool(percent)).to_attrs()
    return xr.Dataset(table, coords, ledger.to_attrs() | attrs)


def split_columns(names: Iterable[Any]) -> dict[str, list[Any]]:
    """Return the columns of cv_results_ with the scores of splits by metric, in the order of the splits."""
    found: dict[str, dict[int, Any]] = {}
    for name in names:
        if match := SPLIT.fullmatch(str(name)):
            found.setdefault(match[2], {})[int(match[1])] = name
    return {metric: [held[i] for i in sorted(held)] for metric, held in found.items()}


def _columns_in_use(scores: pd.DataFrame, roles: dict[str, Any]) -> list[Any]:
    """Return the columns that have a role; raise an error if one is absent or has two roles."""
    used: dict[Any, str] = {}
    for role, name in roles.items():
        if name is None:
            continue
        check_column(role, name, scores.columns, "the scores")
        if name in used:
            raise ArgumentError(
                role, "must name a different column", f"{name!r}, the {used[name]} as well"
            )
        used[name] = role
    return list(used)


def _names_of_splits(scores: pd.DataFrame, role: str, name: Any) -> np.ndarray:
    """Return the column that names the repetition or data set of each split, without missing names."""
    column = scores[name]
    if column.isna().any():
        raise ArgumentError(role, "must name a column without missing values", f"{name!r}")
    return column.to_numpy()


def _of_search(results: Any, metric: str | None) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the scores (split, candidate) in cv_results_ of a search."""
    splits = split_columns(results)
    chosen = _choose_metric(splits, metric)
    values = np.array([np.asarray(results[name], float) for name in splits[chosen]])
    names = _candidates(results)
    if len(names) != values.shape[1] or len(set(names)) < len(names):
        got = (
            "none"
            if not names
            else f"{len(set(names))} different ones of {values.shape[1]} candidates"
        )
        raise ArgumentError(
            "scores", "must have a column params that names each candidate of the search", got
        )
    return pd.DataFrame(values, columns=names), {}


def _candidates(results: Any) -> list[str]:
    """Return the names of the candidates of a search: their parameters."""
    params = list(results["params"]) if "params" in results else []
    if not all(isinstance(one, Mapping) for one in params):
        # In a file, params are text; other columns hold each parameter.
        columns = {
            str(name)[6:]: list(results[name]) for name in results if str(name).startswith("param_")
        }
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        parameters = [
            {name: value for name, value in row.items() if not pd.isna(value)} for row in rows
        ]
        params = parameters if len(parameters) == len(params) else params
    return [
        ", ".join(f"{k}={v}" for k, v in one.items()) if isinstance(one, Mapping) else str(one)
        for one in params
    ]


def _of_validations(
    results: Mapping[Any, Any], metric: str | None
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the scores (split, learner) in results of cross_validate by learner, and sizes of the splits if known."""
    if any(NO_SCORES.fullmatch(str(name)) for name in results) or not results:
        hint = "{'tree': cross_validate(...), 'forest': cross_validate(...)} names them"
        got = ", ".join(map(str, results)) or "an empty dictionary"
        raise ArgumentError(
            "scores", "must contain the results of each learner by its name", got, hint
        )
    columns, sizes = {}, []
    for name, held in results.items():
        if isinstance(held, Mapping):
            retained = {
                str(key): of for key, of in held.items() if not NO_SCORES.fullmatch(str(key))
            }
            by_metric = {key.removeprefix("test_"): of for key, of in retained.items()}
            values = by_metric[_choose_metric(by_metric, metric)]
            sizes.append(held.get("indices"))
        else:
            values = held
        columns[name] = np.atleast_1d(np.asarray(values, float))
    lengths = {name: len(held) for name, held in columns.items()}
    if len(set(lengths.values())) > 1 or any(held.ndim != 1 for held in columns.values()):
        got = ", ".join(f"{size} of {name!r}" for name, size in lengths.items())
        raise ArgumentError(
            "scores", "must contain the same number of splits for every learner", got
        )
    return pd.DataFrame(columns), _sizes_of(sizes)


def _sizes_of(indices: list[Any]) -> dict[str, Any]:
    """Return the numbers of cases of the splits, from the indices that cross_validate returned; all must be alike."""
    if not indices or any(one is None for one in indices):
        return {}
    first, *others = indices
    for other in others:
        if any(not np.array_equal(a, b) for a, b in zip(first["test"], other["test"], strict=True)):
            raise ArgumentError(
                "scores",
                "must have the same splits for every learner",
                "other indices",
                "cv=KFold(10) fixes them",
            )
    sizes = {role: {len(held) for held in first[role]} for role in ("train", "test")}
    full = {
        len(train) + len(test) for train, test in zip(first["train"], first["test"], strict=True)
    }
    if max(map(len, sizes.values())) == 1:
        return {role: held.pop() for role, held in sizes.items()}
    # Folds of nearly the same size: the ratio of their means.
    return {
        role: float(np.mean([len(held) for held in first[role]]) / max(full))
        for role in ("train", "test")
    }


def _choose_metric(metrics: Collection[str], metric: str | None) -> str:
    """Return the metric of several to take."""
    names = list(metrics)
    if metric is None and len(names) == 1:
        return names[0]
    if metric not in names:
        got = "none" if metric is None else f"{metric!r}"
        raise ArgumentError(
            "metric", f"must be one of {', '.join(names) or 'the scores of test cases'}", got
        )
    return metric


def _with_repetitions(scores: pd.DataFrame, repeat: Any) -> tuple[pd.DataFrame, str | None]:
    """Return results of scikit-learn with their repetitions, of which one comes after the other."""
    if repeat is None:
        return scores, None
    size = len(scores)
    if (
        not isinstance(repeat, int | np.integer)
        or isinstance(repeat, bool)
        or repeat < 1
        or size % repeat
    ):
        requirement = f"must be the number of repetitions, a divisor of the {size} splits"
        raise ArgumentError("repeat", requirement, f"{repeat!r}")
    name = "repeat" if "repeat" not in scores else "repetition of the folds"
    return scores.assign(**{name: np.arange(size) // (size // repeat)}), name


def _is_percent(column: pd.Series) -> bool:
    """Return whether a column holds texts such as 85.2%."""
    texts = column.tolist()
    return bool(texts) and all(isinstance(text, str) and PERCENTAGE.match(text) for text in texts)


def _to_shares(column: pd.Series) -> pd.Series:
    """Return the shares that texts such as 85.2% stand for."""
    return column.map(lambda text: float(text.strip().removesuffix("%")) / 100)


def _check_scores(outcomes: pd.DataFrame) -> np.ndarray:
    """Return the scores as numbers (split, entity)."""
    if not outcomes.shape[1]:
        raise ArgumentError("scores", "must have a column of scores for each learner", "none")
    twice = outcomes.columns[outcomes.columns.duplicated()]
    if len(twice):
        raise ArgumentError(
            "scores", "must have one column for each learner", f"{twice[0]!r} twice"
        )
    for name, column in outcomes.items():
        if column.dtype.kind not in "iufb":
            hint = f"repeat={name!r} or dataset={name!r} if it describes the split"
            raise ArgumentError(
                "scores",
                f"must contain numbers, and column {name!r} holds none",
                str(column.dtype),
                hint,
            )
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


def _check_numbers(sizes: Any, argument: str, size: int, column: bool) -> np.ndarray:
    """Return the numbers of cases of each split."""
    if not is_number(sizes) and not column:
        raise ArgumentTypeError(
            argument, "must be a number of cases or the name of a column", describe_value(sizes)
        )
    values = np.broadcast_to(np.asarray(sizes), size)
    numbers = values.astype(float) if values.dtype.kind in "iuf" else np.array([np.nan])
    if ((numbers > 0) & (numbers < 1)).all():
        return numbers
    if not (np.isfinite(numbers) & (numbers >= 1) & (numbers == np.floor(numbers))).all():
        raise ArgumentError(
            argument,
            "must be whole numbers of cases above 0, or shares of them",
            describe_value(sizes),
        )
    return numbers.astype(np.int64)


def _check_shares(train: np.ndarray, test: np.ndarray) -> None:
    """Raise an error if one size is a number of cases and the other one a share, or shares exceed all cases."""
    shares = [held.dtype.kind == "f" for held in (train, test)]
    if shares[0] != shares[1]:
        got = f"{train[0]:g} and {test[0]:g}"
        raise ArgumentError(
            "train",
            "must be a number of cases if test is a number, or a share if test is a share",
            got,
        )
    if all(shares) and (train + test > 1 + 1e-9).any():
        raise ArgumentError(
            "train",
            "must be a share that is at most 1 together with test",
            f"{(train + test).max():g}",
        )
