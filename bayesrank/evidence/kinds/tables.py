"""Counts of outcomes of each entity, without a link between the cases of two entities."""

from dataclasses import dataclass
from typing import ClassVar, Self

import xarray as xr

from bayesrank.evidence.kinds.base import EvidenceKind, Parts


@dataclass(frozen=True, eq=False)
class TableEvidence(EvidenceKind):
    """Confusion matrices, or counts of outcomes."""

    noun: ClassVar[str] = "tables"
    counts: (
        xr.DataArray
    )  #: Counts (entity, [dataset], actual, predicted), or (entity, [dataset], outcome).

    @classmethod
    def parse(cls, parts: Parts) -> Self | None:
        """Return the tables of a posterior, or None if there are none."""
        return cls(parts.observed["counts"]) if "counts" in parts.observed.data_vars else None
