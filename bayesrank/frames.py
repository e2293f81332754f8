"""Counts from tables as people have them: confusion matrices and data frames."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._checks import (
    all_classes,
    case_labels,
    class_labels,
    in_words,
    is_number,
    item_names,
    numbers,
    one_of,
    whole_numbers,
)
from bayesrank._labels import ordered_categories
from bayesrank.counts import CELLS, TWO_CLASSES, arrange, arrange_outcomes, put_in_class_order

#: Whole numbers beyond it are not all told apart by a float.
EXACT = 2**53

__all__ = ["from_frame", "from_matrix", "from_rates"]

#: What a row of a frame may be: a matrix, a cell of one, an entity's right and wrong, one of its outcomes.
LONG = ("actual", "predicted", "count")
RIGHT_WRONG = ("correct", "wrong")
OUTCOME_COUNTS = ("outcome", "count")
FORMS = (CELLS, LONG, RIGHT_WRONG, OUTCOME_COUNTS)


def from_matrix(
    matrix: Any,
    orientation: Literal["actual_rows", "predicted_rows"],
    *,
    labels: Sequence[Any] | None = None,
    positive: Any = None,
    entity: Any = None,
) -> xr.DataArray:
    """Counts from a square confusion matrix, or a stack of them.

    Parameters
    ----------
    matrix : array_like or DataFrame
        Whole numbers of shape (C, C), or (entities, C, C).
    orientation : {"actual_rows", "predicted_rows"}
        What the rows are. There is no default: it cannot be told from the numbers.
    labels : sequence, optional
        The C classes in the matrix's order, for two classes the negative one first. By default the labels of a
        DataFrame, ``["negative", "positive"]`` for two classes, else 0 to C - 1.
    positive : label, optional
        The positive one of two classes. By default the last of ``labels``, or that of a standing pair such as 0/1 or
        no/yes, whatever their order. The labels of a DataFrame, in the order of the alphabet or of chance, state none.
    entity : hashable or sequence, optional
        Name of the entity, or names of a stack's entities.

    Returns
    -------
    xarray.DataArray
        Integer ``counts`` (entity, actual, predicted), of two classes the positive one last. The coord ``positive``
        names it, where it is known and is not called "positive".

    Raises
    ------
    ValueError
        If the matrix is not square, not whole numbers (a normalised matrix holds no counts), or the orientation
        is not one of the two words.

    Examples
    --------
    >>> from_matrix([[90, 10], [3, 17]], "actual_rows").sel(actual="negative", predicted="positive").item()
    10
    >>> from_matrix([[90, 3], [10, 17]], "predicted_rows").sel(actual="negative", predicted="positive").item()
    10
    """
    one_of("orientation", orientation, ("actual_rows", "predicted_rows"))
    ordered = labels is not None
    if isinstance(matrix, pd.DataFrame):
        if list(matrix.index) != list(matrix.columns):
            raise ValueError(
                "matrix must have the same labels in the same order on rows and columns; "
                f"got rows {list(matrix.index)}, columns {list(matrix.columns)}"
            )
        labels = list(matrix.index) if labels is None else labels
        matrix = matrix.to_numpy()
    values = whole_numbers("matrix", matrix)
    if values.ndim not in (2, 3) or values.shape[-1] != values.shape[-2] or values.shape[-1] < 2 or not values.size:
        raise ValueError(f"matrix must have the shape (C, C) or (entities, C, C) with C >= 2; got {values.shape}")
    values = values.reshape(-1, *values.shape[-2:])
    if orientation == "predicted_rows":
        values = values.swapaxes(-1, -2)
    size, n_classes = values.shape[:2]
    if labels is None:
        labels = TWO_CLASSES if n_classes == 2 else range(n_classes)
    classes = class_labels(labels)
    if len(classes) != n_classes:
        raise ValueError(f"labels must name the {n_classes} classes of matrix; got {classes}")
    entities = [f"entity {i + 1}" for i in range(size)] if entity is None else item_names("entity", entity, size)
    return put_in_class_order(arrange(values, entities, None, classes), positive, ordered)


def from_frame(frame: pd.DataFrame, *, entity: str = "entity", dataset: str | None = None) -> xr.DataArray:
    """Counts from a table of confusion matrices, or of right and wrong, grades and other outcomes without classes.

    Parameters
    ----------
    frame : pandas.DataFrame
        Of confusion matrices: columns ``tn``, ``fp``, ``fn``, ``tp``, one row a matrix; or ``actual``, ``predicted``,
        ``count``, one row a cell. Of outcomes: columns ``correct``, ``wrong``, one row an entity (and data set); or
        ``outcome``, ``count``, one row an outcome of it. Of one of these forms only; other columns do not matter.
    entity : str
        The column that names the entities.
    dataset : str, optional
        The column that names the data sets.

    Returns
    -------
    xarray.DataArray
        Integer ``counts`` (entity, [dataset], actual, predicted). In the form of cells a cell without a row is 0,
        and classes stand in sorted order, so for two classes the larger label is the positive one; call a column
        of ordered categories to say otherwise. Of outcomes: ``counts`` (entity, [dataset], outcome), outcomes sorted
        or in the order of their categories, those that have no row 0. They are numbers (0 is wrong and 1 is right, and
        both are there even if only one occurred), or text; False and True are 0 and 1.

    Raises
    ------
    ValueError
        If columns are missing or of several forms, an (entity, dataset) pair or one of its cells or outcomes occurs
        twice, or counts are bad.
    TypeError
        If ``frame`` is no DataFrame, or outcomes are numbers as well as text.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"entity": ["a", "b"], "tn": [8, 9], "fp": [2, 1], "fn": [1, 3], "tp": [9, 7]})
    >>> from_frame(frame).dims
    ('entity', 'actual', 'predicted')
    >>> answers = pd.DataFrame({"entity": ["a", "b"], "correct": [17, 14], "wrong": [3, 6]})
    >>> from_frame(answers).sel(outcome=1).values.tolist()
    [17, 14]
    """
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"frame must be a pandas DataFrame; got {type(frame).__name__}")
    for argument, column in (("entity", entity), ("dataset", "" if dataset is None else dataset)):
        if not isinstance(column, str):
            raise TypeError(f"{argument} must be the name of a column; got {in_words(column)}")
    keys = [entity] + ([dataset] if dataset is not None else [])
    form = _form(frame, keys)
    if frame.empty:
        raise ValueError("frame must have at least one row; got none")
    for key in keys:
        item_names(key, frame[key], len(frame))
    if form in (CELLS, RIGHT_WRONG):
        cells = [whole_numbers(name, frame[name].to_numpy()) for name in form]
        entities, datasets = list(frame[entity]), None if dataset is None else list(frame[dataset])
        if form == CELLS:
            return arrange(np.stack(cells, axis=-1).reshape(-1, 2, 2), entities, datasets, list(TWO_CLASSES))
        return arrange_outcomes(np.stack(cells[::-1], axis=-1), entities, datasets, [0, 1])
    columns = list(form[:-1])
    labels, codes = _outcomes(frame) if form == OUTCOME_COUNTS else _classes(frame)
    repeated = frame.assign(**dict(zip(columns, codes, strict=True))).duplicated([*keys, *columns])
    if repeated.any():
        held = frame.loc[repeated, [*keys, *columns]].iloc[0].to_dict()
        what = "outcome" if form == OUTCOME_COUNTS else "cell"
        raise ValueError(f"frame must have one row for each {what}; got the {what} {held} more than once")
    rows = list(frame[keys].itertuples(index=False, name=None))
    position = {pair: i for i, pair in enumerate(dict.fromkeys(rows))}
    values = np.zeros((len(position), *[len(labels)] * len(columns)), np.int64)
    values[[position[pair] for pair in rows], *codes] = whole_numbers("count", frame["count"].to_numpy())
    datasets = [pair[1] for pair in position] if dataset is not None else None
    put = arrange_outcomes if form == OUTCOME_COUNTS else arrange
    return put(values, [pair[0] for pair in position], datasets, labels)


def _form(frame: pd.DataFrame, keys: list[str]) -> tuple[str, ...]:
    """The columns that tell what a row is."""
    whole = [form for form in FORMS if set(form) <= set(frame.columns)]
    if len(whole) > 1:
        held = " and of ".join(", ".join(form) for form in whole)
        raise ValueError(f"frame must have the columns of one form; got those of {held}")
    # Without any, the one of which most is there.
    form = whole[0] if whole else max(FORMS, key=lambda form: len(set(form) & set(frame.columns)) / len(form))
    wanted = [*keys, *form]
    missing = [column for column in wanted if column not in frame.columns]
    if missing:
        others = "; ".join(", ".join(other) for other in FORMS if other != form)
        raise ValueError(
            f"frame must have the columns {wanted} (or {others}); got {list(frame.columns)}, without {missing}"
        )
    twice = [name for name in wanted if wanted.count(name) > 1 or list(frame.columns).count(name) > 1]
    if twice:
        raise ValueError(f"frame must have the columns {wanted}, each once and for one thing; got {twice[0]!r} for two")
    return form


def _classes(frame: pd.DataFrame) -> tuple[list, list[list[int]]]:
    """The classes in order, and the actual and predicted one of each row by its position."""
    named = ordered_categories(frame["actual"])
    classes = all_classes(named, [case_labels(c, frame[c]) for c in ("actual", "predicted")])
    code = {label: i for i, label in enumerate(classes)}
    unknown = [label for c in ("actual", "predicted") for label in frame[c].tolist() if label not in code]
    if unknown:
        raise ValueError(f"predicted must hold categories of actual, {classes}; got {unknown[0]!r}")
    return classes, [[code[label] for label in frame[c].tolist()] for c in ("actual", "predicted")]


def _outcomes(frame: pd.DataFrame) -> tuple[list, list[list[int]]]:
    """The outcomes in order, and that of each row by its position."""
    held = case_labels("outcome", frame["outcome"]).tolist()
    named = ordered_categories(frame["outcome"])
    labels, found = (_plain_outcomes(values) for values in (held if named is None else named, held))
    if named is None:
        labels = [0, 1] if set(labels) <= {0, 1} else sorted(set(labels))
    if len(labels) < 2:
        raise ValueError(f"outcome must hold two or more outcomes; got {labels}")
    code = {label: i for i, label in enumerate(labels)}
    return labels, [[code[label] for label in found]]


def _plain_outcomes(values: list) -> list:
    """Numbers, whole ones as such, or else text."""
    numbers = [isinstance(value, bool | np.bool_) or is_number(value) for value in values]
    if not all(numbers):
        other = next(value for value, number in zip(values, numbers, strict=True) if not number)
        if any(numbers) or not all(isinstance(value, str) for value in values):
            raise TypeError(f"outcome must hold numbers, or else text; got {in_words(other)}{' too' * any(numbers)}")
        return values
    if not np.isfinite(np.asarray(values, dtype=float)).all():
        raise ValueError("outcome must hold finite numbers; got an infinite one")
    large = [value for value in values if isinstance(value, int | np.integer) and abs(int(value)) > EXACT]
    if large:
        raise ValueError(f"outcome must hold whole numbers up to 2**53, beyond which digits are lost; got {large[0]}")
    whole = all(value == int(value) and abs(value) <= EXACT for value in values)
    return [int(value) for value in values] if whole else list(map(float, values))


def from_rates(
    *, fpr: Any, fnr: Any, prevalence: Any, size: int | Sequence[int] | None = None, entity: Any = None
) -> xr.DataArray:
    """The two-class performance, or the confusion matrix, of error rates at a prevalence.

    Parameters
    ----------
    fpr, fnr, prevalence : number or sequence of numbers
        False positive rate α, false negative rate β, and share of the positive class π, between 0 and 1; sequences
        have one length, one number an entity.
    size : int or sequence of int, optional
        Cases n. With it counts are given: the positives are nπ rounded to whole cases, the errors are the rates of
        these and of the rest, rounded, too. Published rates are rounded themselves, so that cells may be off by a case.
    entity : hashable or sequence, optional
        Names of the entities; "entity 1", ... by default.

    Returns
    -------
    xarray.DataArray
        ``performance`` (entity, actual, predicted), probabilities; with ``size`` integer ``counts``, for
        :func:`bayesrank.fit`.

    Raises
    ------
    ValueError, TypeError
        If a rate is no number between 0 and 1, or lengths differ.

    References
    ----------
    Zhao et al., Outperformance Score, Section 2.2, Table 2.

    Examples
    --------
    >>> from_rates(fpr=0.1, fnr=0.25, prevalence=0.2, size=200).sel(actual="positive").values.tolist()
    [[10, 30]]
    >>> from_rates(fpr=0.1, fnr=0.25, prevalence=0.2).sel(actual="negative").values.round(3).tolist()
    [[0.72, 0.08]]
    """
    given: dict[str, np.ndarray] = {
        name: np.atleast_1d(numbers(name, value, 0.0, 1.0))
        for name, value in (("fpr", fpr), ("fnr", fnr), ("prevalence", prevalence))
    }
    if size is not None:
        given["size"] = np.atleast_1d(whole_numbers("size", size))
        if (given["size"] < 1).any():
            raise ValueError(f"size must be 1 or more; got {in_words(size)}")
    lengths = {name: values.shape for name, values in given.items()}
    longest = max(values.size for values in given.values())
    if any(shape not in ((1,), (longest,)) for shape in lengths.values()):
        held = ", ".join(f"{name} {shape}" for name, shape in lengths.items())
        raise ValueError(f"fpr, fnr, prevalence and size must be scalars or sequences of one length; got shapes {held}")
    given = {name: np.broadcast_to(values, (longest,)) for name, values in given.items()}
    entities = [f"entity {i + 1}" for i in range(longest)] if entity is None else item_names("entity", entity, longest)
    alpha, beta, share = given["fpr"], given["fnr"], given["prevalence"]
    if size is None:
        cells = [(1 - share) * (1 - alpha), (1 - share) * alpha, share * beta, share * (1 - beta)]
        coords = {"entity": entities, "actual": list(TWO_CLASSES), "predicted": list(TWO_CLASSES)}
        table = np.stack(cells, axis=-1).reshape(longest, 2, 2)
        return xr.DataArray(table, coords, ("entity", "actual", "predicted"), name="performance")
    positives = np.rint(given["size"] * share).astype(np.int64)
    negatives = given["size"] - positives
    fn, fp = (np.rint(rate * number).astype(np.int64) for rate, number in ((beta, positives), (alpha, negatives)))
    values = np.stack([negatives - fp, fp, fn, positives - fn], axis=-1).reshape(longest, 2, 2)
    return arrange(values, entities, None, list(TWO_CLASSES))
