"""A table of columns from a file or a DataFrame: column names, fields, and the place of each row for messages."""

import shlex
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from bayesrank._checks import describe_value
from bayesrank.evidence._columns import squeeze
from bayesrank.evidence._values import is_missing, plain

__all__ = ["Roles", "Table", "table_of"]

#: Command-line options that differ from the name of the argument.
OPTIONS = {"dataset": "dataset-column"}


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

    def columns(self) -> dict[str, Any]:
        """Return the columns named by the user, by role."""
        named = {name: getattr(self, name) for name in ("entity", "dataset", "case", "run", "cluster", "cost")}
        return {name: column for name, column in named.items() if column is not None}


@dataclass(frozen=True)
class Table:
    """Columns in order. ``where`` is the place of each row; ``shell`` whether messages suggest shell commands."""

    source: str
    names: list[Any]
    columns: list[list[Any]]
    where: list[str]
    shell: bool = False
    categories: dict[Any, pd.CategoricalDtype] = field(default_factory=dict)
    #: The first label of an index of text without a name, which may hold a column; None if there is no such index.
    index: Any = None

    def column(self, name: Any) -> list[Any]:
        """Return the fields of a column."""
        return self.columns[self.position(name)]

    def position(self, name: Any) -> int:
        return next(i for i, other in enumerate(self.names) if other is name or other == name)

    def find(self, argument: str, wanted: Any) -> Any:
        """Return the name of the column that the user means, which may differ in case."""
        same = [name for name in self.names if name == wanted]
        same = same or [name for name in self.names if squeeze(name) == squeeze(wanted) and squeeze(wanted)]
        if not same:
            listed = ", ".join(map(str, self.names))
            raise ValueError(f"{self.argument(argument)} must name a column of {self.source}, {listed}; got {wanted!r}")
        return same[0]

    def argument(self, name: str) -> str:
        """Return what the user types for an argument."""
        return f"--{OPTIONS.get(name, name)}" if self.shell else name

    def option(self, name: str, value: Any) -> str:
        """Return an argument with its value, ready to be typed."""
        text = str(value)
        if isinstance(value, list):
            text = ",".join(f'"{name}"' if "," in str(name) else str(name) for name in value)
        if self.shell:
            return f"{self.argument(name)} {shlex.quote(text)}"
        return f"{name}={value!r}"

    def without(self, columns: Any) -> str:
        """Return how to omit one or several columns."""
        if not self.shell:
            return f"frame.drop(columns={columns!r})"
        several = columns if isinstance(columns, list) else [columns]
        return " ".join(f"--ignore {shlex.quote(str(name))}" for name in several)

    def drop(self, names: Sequence[Any]) -> "Table":
        """Return the table without these columns."""
        kept = [i for i, name in enumerate(self.names) if name not in names]
        return replace(self, names=[self.names[i] for i in kept], columns=[self.columns[i] for i in kept])

    def drop_empty(self) -> "Table":
        """Return the table without empty unnamed columns, which trailing separators produce."""
        empty = [
            name
            for name, column in zip(self.names, self.columns, strict=True)
            if str(name).startswith("Unnamed: ") and all(map(is_missing, column))
        ]
        return self.drop(empty) if empty else self


def table_of(frame: Any) -> Table:
    """Convert a DataFrame to a table; a named index becomes a column."""
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"frame must be a pandas DataFrame; got {describe_value(frame)}")
    if isinstance(frame.columns, pd.MultiIndex):
        raise TypeError(f"frame must have one level of columns; got {frame.columns.nlevels}")
    named = [name for name in frame.index.names if name is not None and name not in frame.columns]
    places = [f"frame, row {label}" for label in frame.index.tolist()]
    if named and len(named) == frame.index.nlevels:
        frame = frame.reset_index()
    twice = [name for name in frame.columns if list(frame.columns).count(name) > 1]
    if twice:
        raise ValueError(f"frame must have each column once; got {twice[0]!r} more than once")
    for name in frame.columns:
        if not isinstance(name, Hashable) or is_missing(name) or isinstance(name, tuple):
            raise TypeError(f"frame must have columns with single names; got {name!r}")
    repeated = any(frame[name].tolist() == frame.index.tolist() for name in frame.columns)
    text = len(frame) and frame.index.dtype.kind in "OUST" and not named and not repeated
    return Table(
        "frame",
        list(frame.columns),
        [_fields(frame[name]) for name in frame.columns],
        places,
        categories={name: dtype for name, dtype in frame.dtypes.items() if isinstance(dtype, pd.CategoricalDtype)},
        index=frame.index[0] if text else None,
    ).drop_empty()


def _fields(column: pd.Series) -> list[Any]:
    """Return fields as Python objects, None if missing."""
    lacking = column.isna().to_numpy()
    held = column.tolist()
    return [
        None if lack else plain(value.item() if isinstance(value, np.generic) else value)
        for value, lack in zip(held, lacking, strict=True)
    ]
