"""Means and standard errors from tables that hold nothing else."""

from typing import Any

import numpy as np
import xarray as xr

from bayesrank._labels import name_coord
from bayesrank.evidence._fields import read_count_column, read_names, refuse_positive
from bayesrank.evidence._forms import Known
from bayesrank.evidence._table import Roles, Table
from bayesrank.evidence._values import as_outcome_columns

__all__ = ["read_means"]


def read_means(table: Table, known: Known, form: tuple[str, ...], roles: Roles) -> xr.Dataset:
    """Return ``mean_outcome`` and ``standard_error`` (entity), and the number of ``cases`` if the table has it."""
    refuse_positive(table, roles)
    if "dataset" in known.of:
        raise ValueError(
            f"{table.source} must hold one row for each entity; means and standard errors of several data sets "
            f"({known.of['dataset']}) cannot be pooled without outcomes by case. Keep the rows of one data set "
            f"({table.without(known.of['dataset'])} if there is only one)"
        )
    entities = read_names(table, known.of["entity"], "entity")
    for i, name in enumerate(entities):
        if name in entities[:i]:
            before = table.where[entities.index(name)].removeprefix(table.source + ", ")
            raise ValueError(f"{table.where[i]}: entity must name each entity once; got {name!r} again, after {before}")
    numbers = {role: _read_numbers(table, known.of[role]) for role in form}
    for i, error in enumerate(numbers[form[1]]):
        if error <= 0:
            zero = " (the outcomes of all cases were equal, which does not show how sure the mean is: write counts "
            zero += "as entity, correct, total)"
            raise ValueError(
                f"{table.where[i]}: {known.of[form[1]]} must be a standard error above 0; got {error:g}"
                f"{zero if error == 0 else ''}"
            )
    held: dict[str, Any] = dict(zip(("mean_outcome", "standard_error"), numbers.values(), strict=True))
    if "total" in known.of:
        held["cases"] = read_count_column(table, known.of["total"], "total")
    coords = {"entity": name_coord(entities)}
    return xr.Dataset({name: ("entity", np.array(values)) for name, values in held.items()}, coords)


def _read_numbers(table: Table, column: Any) -> list[float]:
    found = as_outcome_columns([table.column(column)])[0]
    for i, number in enumerate(found):
        if not isinstance(number, float) or not np.isfinite(number):
            raise ValueError(
                f"{table.where[i]}: {column} must be a finite number; got {table.column(column)[i]!r} (write a mean "
                "and its standard error as two numbers, on one scale)"
            )
    return found
