"""A table of columns from a file or a DataFrame: names, fields, and the place of each row for messages."""

import shlex
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any

import numpy as np
import pandas as pd

from bayesrank._core.checks import check_column_name, check_column_names, check_item_names
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.frames import as_pandas
from bayesrank._core.inputs import STDIN
from bayesrank._core.labels import find_lookalike, find_repeat
from bayesrank.io.tables.columns import squeeze
from bayesrank.io.tables.roles import OPTIONS
from bayesrank.io.tables.values import (
    SIMPLE,
    as_count,
    as_label_columns,
    count_hint,
    distinct_fields,
    is_missing,
    map_fields,
    plain,
    to_number,
)

#: Types of fields with several values.
NESTED = (list, tuple, dict, set, frozenset, np.ndarray, pd.Series, pd.DataFrame)
#: What is typed for the number of a row.
ROW = "@row"
#: Why outcomes have no positive class.
NO_CLASSES = "for outcomes, which have no classes"


def list_choices(typed: Sequence[str]) -> str:
    """Return a list with "or" before its last item."""
    *most, last = typed
    return f"{', '.join(most)} or {last}" if most else last


def merge_offers(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Return what two remedies say together: conditions and columns to ignore of both."""
    merged = first | second
    if "where" in first and "where" in second:
        merged["where"] = first["where"] | second["where"]
    if "ignore" in first and "ignore" in second:
        merged["ignore"] = [*first["ignore"], *second["ignore"]]
    return merged


@dataclass(frozen=True)
class Roles:
    """The user's description of a table: roles of columns, the positive class, the treatment of missing answers."""

    entity: Any = None
    entities: Sequence[Any] | None = None
    dataset: Any = None
    case: Any = None
    run: Any = None
    cluster: Any = None
    positive: Any = None
    missing: Any = None
    cost: Any = None
    count: Any = None
    weight: Any = None
    tn: Any = None
    fp: Any = None
    fn: Any = None
    tp: Any = None
    #: Columns with verdicts of judges, and with the truth that is known for some cases.
    judge: Any = None
    truth: Any = None
    training_seed: Any = None
    #: Columns with the groups of cases, and with the categories of data sets or groups.
    group: Any = None
    category: Any = None
    #: Columns of numbers that shift the rates of data sets.
    covariates: Any = None
    #: The column with the outcomes of cases, with the scores of folds, or with means beside their
    #: standard errors.
    outcome: Any = None
    #: Columns with predicted labels or probabilities, and with the numbers of right, wrong and all
    #: answers.
    predicted: Any = None
    probability: Any = None
    correct: Any = None
    wrong: Any = None
    total: Any = None
    #: Columns with the standard error of a mean, or with the ends of its 95% interval.
    se: Any = None
    lower: Any = None
    upper: Any = None
    #: Columns with the two entities of a vote, and with the winner.
    a: Any = None
    b: Any = None
    winner: Any = None
    #: Columns with the folds of a cross-validation and its repetitions, and the sizes of its
    #: training and test sets.
    fold: Any = None
    repeat: Any = None
    train: Any = None
    test: Any = None
    #: Values of columns that the rows to read have.
    where: Any = None

    @property
    def strata(self) -> Any:
        """Return the column of the groups, which take the place of data sets, or of the data sets."""
        return self.dataset if self.group is None else self.group

    def covariate_columns(self) -> list[Any]:
        """Return the columns of covariates."""
        columns = self.covariates
        nothing = columns is None or (isinstance(columns, list | tuple) and not columns)
        return [] if nothing else check_column_names("covariates", columns, ())

    def columns(self) -> dict[str, Any]:
        """Return the columns named by the user, by role."""
        of_cases = (
            "entity",
            "case",
            "run",
            "training_seed",
            "cluster",
            "cost",
            "count",
            "weight",
            "outcome",
        )
        answers = ("predicted", "probability", "correct", "wrong", "total")
        others = ("category", "tn", "fp", "fn", "tp", "se", "lower", "upper")
        named = {name: getattr(self, name) for name in (*of_cases, *answers, *others)}
        named["dataset"] = self.strata
        named |= {
            f"covariates {i + 1}": column for i, column in enumerate(self.covariate_columns())
        }
        return {name: column for name, column in named.items() if column is not None}


@dataclass(frozen=True)
class Table:
    """Columns in order. ``where`` is the place of each row; ``shell`` whether messages suggest shell commands."""

    source: str
    columns: dict[Any, list[Any]]
    where: list[str]
    shell: bool = False
    categories: dict[Any, pd.CategoricalDtype] = field(default_factory=dict)
    #: The first label of an index of text without a name, which may hold a column; None if there is
    #: no such index.
    index: Any = None
    #: A field with a list, an object or other values, by column: such a column can have no role.
    nested: dict[Any, str] = field(default_factory=dict)
    #: Whether the table only tries a suggestion, so that its errors are not printed.
    trial: bool = False
    #: Whether outcomes were in percent where they were read; they are shares here.
    in_percent: bool = False
    #: What each text says that a message told to type: the roles, and the columns to ignore.
    offers: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Return the name of the file without its endings; empty for a frame and for standard input."""
        file = PurePath(self.source).name
        return "" if not self.shell or self.source == STDIN else file.partition(".")[0] or file

    def distinct(self, name: Any) -> list[Any]:
        """Return the distinct fields of a column; all fields if equal ones can differ in meaning."""
        return distinct_fields(self.columns[name])

    def heading(self) -> str:
        return ", ".join(map(str, self.columns))

    def place(self, row: int) -> str:
        """Return the place of a row within the source."""
        return self.where[row].removeprefix(self.source + ", ")

    def find(self, argument: str, wanted: Any) -> Any:
        """Return the name of the column that the user means, which may differ in case."""
        check_column_name(argument, wanted, self.columns, self.source)
        same = [name for name in self.columns if name == wanted]
        same = same or [
            name for name in self.columns if squeeze(name) == squeeze(wanted) and squeeze(wanted)
        ]
        if not same:
            raise ArgumentError(
                f"{self.argument(argument)}",
                f"must name a column of {self.source} ({self.heading()})",
                f"{wanted!r}",
                find_lookalike(wanted, self.columns),
            )
        if argument != "ignore":
            self.check_single(same[:1])
        return same[0]

    def argument(self, name: str) -> str:
        """Return what the user types for an argument."""
        return f"--{OPTIONS.get(name, name).replace('_', '-')}" if self.shell else name

    def option(self, name: str, value: Any) -> str:
        """Return an argument with its value, ready to be typed."""
        names = value if isinstance(value, list) else []
        text = ",".join(f'"{name}"' if "," in str(name) else str(name) for name in names) or str(
            value
        )
        typed = f"{self.argument(name)} {shlex.quote(text)}" if self.shell else f"{name}={value!r}"
        return self._offer(typed, {name: value})

    def _offer(self, typed: str, said: dict[str, Any]) -> str:
        """Return what is typed, and remember what it says."""
        self.offers[typed] = said
        return typed

    def options(self, name: str, values: Iterable[Any]) -> str:
        """Return the choices of an argument, ready to be typed, in a list with "or"."""
        return list_choices([self.option(name, value) for value in values])

    def together(self, *typed: str) -> str:
        """Return several arguments with their values, ready to be typed."""
        text = (" " if self.shell else ", ").join(one for one in typed if one)
        merged: dict[str, Any] = {}
        for one in filter(None, typed):
            merged = merge_offers(merged, self.offers.get(one, {}))
        return self._offer(text, merged)

    def mapping(self, case: Any, outcome: Any) -> str:
        """Return how to read one score of one entity's cases, ready to be typed, with its meaning."""
        if not self.shell:
            return (
                f"frame.assign(entity=NAME) with case={case!r}, outcome={outcome!r} ranks one score"
            )
        roles = {"case": str(case), "outcome": str(outcome)}
        typed = f"--map {shlex.quote(','.join(f'{role}={name}' for role, name in roles.items()))}"
        return f"{self._offer(typed, {'map': roles})} reads one score, of one or several files"

    def condition(self, column: Any, value: Any) -> str:
        """Return the argument that keeps the rows with a value in a column, ready to be typed."""
        typed = (
            f"--where {shlex.quote(f'{column}={value}')}"
            if self.shell
            else f"where={ {column: value}!r}"
        )
        return self._offer(typed, {"where": {column: value}})

    def conditions(self, column: Any, values: list[Any]) -> str:
        """Return the arguments that keep the rows with any of the values in a column, ready to be typed."""
        if not self.shell:
            return self.condition(column, values)
        typed = " ".join(self.condition(column, value) for value in values)
        return self._offer(typed, {"where": {column: values}})

    def without(self, columns: Any) -> str:
        """Return how to omit one or several columns."""
        several = columns if isinstance(columns, list) else [columns]
        if not self.shell:
            return self._offer(f"frame.drop(columns={columns!r})", {"ignore": several})
        return self._offer(
            " ".join(f"--ignore {shlex.quote(str(name))}" for name in several), {"ignore": several}
        )

    def offers_in(self, message: str) -> list[dict[str, Any]]:
        """Return what the remedies in a message say, in their order."""
        positions = {
            typed: message.find(typed) for typed in self.offers if typed and typed in message
        }
        # A part of a longer remedy is not a remedy itself.
        full = [
            one
            for one in positions
            if not any(one != other and one in other for other in positions)
        ]
        return [self.offers[typed] for typed in sorted(full, key=positions.__getitem__)]

    def row_of(self, place: str) -> int | None:
        """Return the row that an error is about, by the place that it names; None if it is about no row."""
        for row, where in enumerate(self.where):
            if place == where or place.startswith((f"{where}:", f"{where} ")):
                return row
        return None

    def drop_rows(self, rows: Collection[int]) -> "Table":
        """Return the table without some of its rows."""
        retained = [row for row in range(len(self.where)) if row not in rows]
        columns = {name: [held[row] for row in retained] for name, held in self.columns.items()}
        return replace(self, columns=columns, where=[self.where[row] for row in retained])

    def drop(self, names: Sequence[Any]) -> "Table":
        """Return the table without these columns."""
        return replace(
            self, columns={name: held for name, held in self.columns.items() if name not in names}
        )

    def drop_empty(self) -> "Table":
        """Return the table without empty unnamed columns, which trailing separators produce."""
        unnamed = [name for name in self.columns if str(name).startswith("Unnamed: ")]
        return self.drop([name for name in unnamed if all(map(is_missing, self.columns[name]))])

    def check_single(self, columns: Iterable[Any]) -> None:
        """Raise an error if one of the columns has a field with several values."""
        for name in columns:
            if name in self.nested:
                raise ArgumentError(
                    f"{self.source}: {name}",
                    "must have one value in each field",
                    self.nested[name][:60],
                )

    def read_names(self, column: Any, role: str) -> list[Any]:
        """Return names of entities, data sets or clusters: text or other single values, none missing."""
        result = self.columns[column]
        names = distinct_fields(result)
        if any(map(is_missing, names)):
            row = next(i for i, name in enumerate(result) if is_missing(name))
            raise ArgumentError(
                f"{self.where[row]}: {column}", "must not be empty, since it must name every item"
            )
        check_item_names(role, names, len(names))
        return result

    def read_counts(self, column: Any) -> list[int]:
        result = map_fields(as_count, self.columns[column])
        if None in result:
            row = result.index(None)
            where, value = self.where[row], self.columns[column][row]
            if is_missing(value, words=True):
                raise ArgumentError(
                    f"{where}: {column}", "must not be empty (write 0 if there were none)"
                )
            hint = count_hint(value)
            raise ArgumentError(
                f"{where}: {column}",
                "must be a count, a non-negative whole number without separators or signs",
                f"{value!r}{hint and f' ({hint})'}",
            )
        return result

    def read_numbers(self, column: Any) -> list[float]:
        """Return the numbers of a column, none missing."""
        numbers = map_fields(to_number, self.columns[column])
        if None in numbers:
            row = numbers.index(None)
            raise ArgumentError(
                f"{self.where[row]}: {column}", "must be a number", f"{self.columns[column][row]!r}"
            )
        return [number for number in numbers if number is not None]

    def read_labels(self, *names: Any) -> list[list[Any]]:
        """Return columns of labels with one type, None if missing; categorical columns unchanged."""
        columns = [self.columns[name] for name in names]
        if any(name in self.categories for name in names):
            return columns
        try:
            return as_label_columns(*columns)
        except ArgumentError as error:
            error.argument = f"{self.source}: {error.argument}"
            raise

    def refuse(self, roles: Roles, argument: str, why: str) -> None:
        """Raise an error if the user gave an argument that has no meaning here."""
        value = getattr(roles, argument)
        if value is not None:
            raise ArgumentError(self.argument(argument), f"cannot be used {why}", f"{value!r}")


def table_of(frame: Any) -> Table:
    """Convert a DataFrame to a table; a named index becomes a column."""
    frame = as_pandas("frame", frame)
    if isinstance(frame.columns, pd.MultiIndex):
        raise ArgumentTypeError("frame", "must have one level of columns", frame.columns.nlevels)
    named = [name for name in frame.index.names if name is not None and name not in frame.columns]
    places = [f"frame, row {label}" for label in frame.index.tolist()]
    if named and len(named) == frame.index.nlevels:
        frame = frame.reset_index()
    for name in frame.columns:
        if not isinstance(name, Hashable) or is_missing(name) or isinstance(name, tuple):
            raise ArgumentTypeError("frame", "must have columns with single names", f"{name!r}")
    if (twice := find_repeat(map(plain, frame.columns))) is not None:
        raise ArgumentError(
            "frame",
            "must have each column once",
            f"{plain(frame.columns[twice[0]])!r} more than once",
        )
    columns = {name: _fields(frame[name]) for name in frame.columns}
    repeated = any(held == frame.index.tolist() for held in columns.values())
    text = len(frame) and frame.index.dtype.kind in "OUST" and not named and not repeated
    return Table(
        "frame",
        columns,
        places,
        categories={
            name: dtype
            for name, dtype in frame.dtypes.items()
            if isinstance(dtype, pd.CategoricalDtype)
        },
        index=frame.index[0] if text else None,
        in_percent=bool(frame.attrs.get("in_percent")),
        nested={
            name: _field(value)
            for name in frame
            if frame.dtypes[name].kind == "O"
            and set(map(type, held := frame[name].tolist())) - SIMPLE
            for value in held
            if isinstance(value, NESTED)
        },
    ).drop_empty()


def _fields(column: pd.Series) -> list[Any]:
    """Return fields as Python objects, None if missing; those of several values as text."""
    lacks = column.isna()
    if not lacks.any():
        return map_fields(_field, column.tolist())
    pairs = zip(column.tolist(), lacks.tolist(), strict=True)
    return [None if lack else _field(value) for value, lack in pairs]


def _field(value: Any) -> Any:
    if isinstance(value, NESTED):
        return " ".join(repr(value).split())
    return plain(value.item() if isinstance(value, np.generic) else value)
