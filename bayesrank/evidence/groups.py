"""Groups of cases (by race, language, difficulty): named like data sets, of one evaluation, and possibly empty."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.errors import Advice, ArgumentError, Typed
from bayesrank._core.labels import name_coord
from bayesrank._core.notes import Note, add_notes

#: Attr of the names of data sets that are groups of cases.
GROUPS = "groups"
#: Values of coords and variables of a group without cases.
EMPTY = {"counts": 0, "measured": False, "test_set": ""}


def take_groups(dataset: Any, group: Any) -> tuple[Any, Callable[[Any], Any]]:
    """Return the names that take the place of data sets, and a function that calls them groups in the evidence."""
    if group is None:
        return dataset, lambda evidence: evidence
    if dataset is not None:
        raise ArgumentError(
            "group",
            Advice("cannot be used with ", Typed("dataset")),
            "both",
            "select one data set, whose cases have groups",
        )
    categories = _categories(group)
    return group, lambda evidence: name_groups_of(evidence, categories)


def _categories(group: Any) -> list[Any]:
    """Return the categories of a categorical column, which may have no cases."""
    dtype = getattr(group, "dtype", None)
    return list(dtype.categories) if isinstance(dtype, pd.CategoricalDtype) else []


def name_groups_of(evidence: Any, known: Sequence[Any] = ()) -> Any:
    """Return evidence whose data sets are called groups; ``known`` groups without cases are added and named."""
    renamed = evidence.rename(dataset="group")
    empty = [name for name in known if name not in set(renamed["group"].values.tolist())]
    if isinstance(renamed, xr.DataArray):
        names = [*renamed["group"].values.tolist(), *empty]
        renamed = (
            renamed.reindex(group=name_coord(names), fill_value=EMPTY | {renamed.name: 0})
            if empty
            else renamed
        )
        cases = renamed.sum([dim for dim in renamed.dims if dim not in ("entity", "group")])
        renamed = renamed.assign_coords(measured=renamed["measured"] & (cases > 0))
        renamed.attrs = dict(evidence.attrs)
        empty = renamed["group"].values[~renamed["measured"].any("entity").values].tolist()
    note = (
        [Note("groups_without_cases", {"groups": [str(name) for name in empty]})] if empty else []
    )
    return renamed.assign_attrs(add_notes(renamed.attrs, note)) if note else renamed


def has_groups(source: Any) -> bool:
    """Return whether an array, a Dataset or evidence is over groups instead of data sets."""
    if "group" in source.dims:
        return "dataset" not in source.dims
    return "pattern" in source.dims and "group" in source.coords and "dataset" not in source.coords


def groups_as_datasets(evidence: Any) -> Any:
    """Return evidence whose groups are called data sets, without groups in which no entity has cases."""
    result = evidence.rename(group="dataset")
    if isinstance(result, xr.DataArray) and "measured" in result.coords:
        result = result.isel(dataset=result["measured"].any("entity").values)
    result["dataset"].attrs[GROUPS] = 1
    return result


def datasets_as_groups(group: xr.Dataset, names: np.ndarray) -> xr.Dataset:
    """Return a group of a posterior whose data sets are called groups; ``names`` without cases are NaN."""
    new = {"dataset": "group", "pattern_dataset": "pattern_group"}
    result = group.rename(
        {old: name for old, name in new.items() if old in group.variables or old in group.dims}
    )
    if "group" not in result.dims or result.sizes["group"] == len(names):
        return result
    return result.reindex(
        group=names, fill_value={name: EMPTY.get(str(name), np.nan) for name in result.variables}
    )
