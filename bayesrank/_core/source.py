"""What is analysed, parsed once: a container of groups, a Dataset, or an array; everything else takes this record."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pandas as pd
import xarray as xr

from bayesrank._core.checks import describe_value
from bayesrank._core.classes import CELLS, order_classes
from bayesrank._core.compat import is_container, open_groups
from bayesrank._core.errors import ArgumentError, ArgumentTypeError
from bayesrank._core.records import EvidenceRecord, ModelRecord

__all__ = ["AGGREGATES", "Over", "Source", "groups_of", "parse_source"]

Found = TypeVar("Found")
AGGREGATES = ("mean", "worst", "gap", "borda", "win_rate")


@dataclass(frozen=True, eq=False)
class Source:
    """A posterior, a performance or values of a score, with classes in order. Its parts are read at most once.

    Exactly one of ``array``, ``dataset`` and ``container`` is given.
    """

    array: xr.DataArray | None = None
    dataset: xr.Dataset | None = None
    container: Any = None
    _found: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def once(self, key: Hashable, make: Callable[[], Found]) -> Found:
        """Return what ``make`` returned the first time that this key was asked for."""
        if key not in self._found:
            self._found[key] = make()
        result: Found = self._found[key]
        return result

    def group(self, name: str) -> xr.Dataset | None:
        """Return a group of the container with ordered classes; None if it is not there."""
        if self.container is None:
            return None
        return self.once(
            ("group", name), lambda: _with_kind(name, open_groups(self.container, name).get(name))
        )

    def with_datasets(self) -> "Source":
        """Return the record with groups of cases called data sets, where there are no data sets."""
        return self.once("data sets", self._with_datasets) if self.over_groups else self

    def _with_datasets(self) -> "Source":
        new = {"group": "dataset", "pattern_group": "pattern_dataset"}

        def rename(held: Any) -> Any:
            present = {
                old: name
                for old, name in new.items()
                if old in held.dims or old in getattr(held, "variables", ())
            }
            return held.rename(present)

        if self.array is not None:
            return Source(array=rename(self.array))
        if self.dataset is not None:
            return Source(dataset=rename(self.dataset))
        groups = {("group", name): rename(group) for name, group in self.groups.items()}
        return Source(container=self.container, _found=dict(groups))

    @property
    def over_groups(self) -> bool:
        """Return whether the source is over groups of cases instead of data sets."""
        labelled = self.array if self.array is not None else self.dataset
        labelled = self.group("posterior") if labelled is None else labelled
        return labelled is not None and "group" in labelled.dims and "dataset" not in labelled.dims

    @property
    def names(self) -> list[str]:
        """Return the names of the groups of the container."""
        return [] if self.container is None else list(map(str, self.container))

    @property
    def groups(self) -> dict[str, xr.Dataset]:
        """Return all groups of the container."""
        by_name = {name: self.group(name) for name in self.names}
        return {name: group for name, group in by_name.items() if group is not None}

    @property
    def attrs(self) -> Mapping[Any, Any]:
        """Return the attrs of the posterior; none for an array."""
        labelled = self.dataset if self.container is None else self.group("posterior")
        return {} if labelled is None else labelled.attrs

    @property
    def model(self) -> ModelRecord:
        """Return what the posterior says of its model; nothing for an array."""
        return self.once("model", lambda: ModelRecord.from_attrs(self.attrs))

    @property
    def assembled(self) -> EvidenceRecord:
        """Return what the posterior says of how its evidence was assembled; nothing for an array."""
        return self.once("assembled", lambda: EvidenceRecord.from_attrs(self.attrs))

    @property
    def words(self) -> EvidenceRecord:
        """Return the record that says what the data call an entity, and whether outcomes were in percent."""
        return self.assembled if self.array is None else EvidenceRecord.of(self.array)

    @property
    def observed(self) -> xr.Dataset:
        """Return the observed data; empty if unknown."""
        observed = self.group("observed_data")
        return xr.Dataset() if observed is None else observed


@dataclass(frozen=True, eq=False)
class Over:
    """A posterior or evidence whose scores are aggregated over groups, data sets or categories.

    It takes the place of a source where an aggregate has a meaning.
    """

    source: Source
    over: str
    aggregate: str
    weights: Any

    def check(self, known: tuple[str, ...], purpose: str, why: str) -> None:
        """Raise an error if the aggregate has no meaning for a purpose."""
        if self.aggregate not in known:
            requested = " or ".join(map(repr, known))
            raise ArgumentError(
                "aggregate", f"must be {requested} for {purpose}: {why}", f"{self.aggregate!r}"
            )


def _with_kind(name: str, group: xr.Dataset | None) -> xr.Dataset | None:
    """Return a group; a posterior of :func:`pymc.sample` with typical data sets says so by its variables alone."""
    if (
        name != "posterior"
        or group is None
        or "performance_typical" not in group
        or "kind" in group.attrs
    ):
        return group
    return group.assign_attrs({"population": "data sets", "kind": "typical"} | group.attrs)


def parse_source(source: Any, argument: str = "source") -> Source:
    """Return the record of a container, a Dataset or an array; a record is returned unchanged."""
    if isinstance(source, Source):
        return source
    if isinstance(source, Over):
        raise ArgumentTypeError(
            argument,
            "must be a posterior, a performance or values, as an aggregate has no meaning here",
            f"an aggregate over {source.over}",
            "pass what br.performance.aggregate_over was given, or one group of it",
        )
    if isinstance(source, Mapping) and set(source) == set(
        CELLS
    ):  # a performance, or counts if all are whole numbers
        source = xr.DataArray(
            [source[cell] for cell in CELLS], {"outcome": list(CELLS)}, ("outcome",)
        )
    if isinstance(source, xr.DataArray):
        return Source(array=order_classes(source, argument))
    if (
        isinstance(source, xr.DataTree) and source.data_vars and "posterior" not in source
    ):  # one group
        source = source.to_dataset()
    if isinstance(source, xr.Dataset):
        return Source(dataset=order_classes(source, argument))
    if is_container(source):
        return Source(container=source)
    framed = isinstance(source, pd.DataFrame)
    hint = (
        "br.analyze(frame) fits and ranks a table; scores of folds need train= and test="
        if framed
        else ""
    )
    requirement = "must be a DataArray, a Dataset, or an ArviZ InferenceData or DataTree"
    raise ArgumentTypeError(argument, requirement, describe_value(source), hint)


def groups_of(source: Any, *names: str, argument: str = "source") -> dict[str, xr.Dataset]:
    """Return the groups of a container, or those of some names; none of an array or a Dataset."""
    parsed = parse_source(source, argument)
    by_name = {name: parsed.group(name) for name in names or parsed.names}
    return {name: group for name, group in by_name.items() if group is not None}
