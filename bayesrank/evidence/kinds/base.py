"""What every kind of evidence behind a posterior knows of itself."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.notes import Note
from bayesrank._core.records import EvidenceRecord, ModelRecord
from bayesrank.evidence.kinds.swaps import Fitted, swaps_of_tables

if TYPE_CHECKING:
    from bayesrank.evidence.kinds.cases import CaseEvidence


@dataclass(frozen=True)
class Parts:
    """The parts of a posterior that say what was observed."""

    observed: xr.Dataset  #: The group ``observed_data``; empty if there is none.
    model: ModelRecord
    assembled: EvidenceRecord


@dataclass(frozen=True, eq=False)
class EvidenceKind(ABC):
    """The evidence behind a posterior, parsed once. Arrays over entities are in the order of the posterior."""

    #: What one piece of this evidence is called.
    unit: ClassVar[str] = "cases"
    #: What sentences call this kind of evidence.
    noun: ClassVar[str]
    #: Whether the draws are of named scores, such as areas and losses.
    draws_scores: ClassVar[bool] = False

    @classmethod
    @abstractmethod
    def parse(cls, parts: Parts) -> Self | None:
        """Return the evidence of a posterior, or None if it is of another kind."""

    def why_no_performance(self, variables: list[str]) -> tuple[str, str] | None:
        """Return why a posterior with these variables has no performance, and what to do; None if it may have one."""
        return None

    @property
    def independent_unit(self) -> str:
        """Return what the model takes as independent pieces of evidence."""
        return self.unit

    @property
    def clustered(self) -> bool:
        """Return whether cases are in clusters."""
        return False

    @property
    def withheld(self) -> xr.DataArray | None:
        """Return whether the interval of the ranked variable is withheld (entity, [dataset]); None if none is."""
        return None

    @property
    def joint_cases(self) -> "CaseEvidence | None":
        """Return the cases with the answers of all entities; None if they are not known."""
        return None

    @property
    def datasets(self) -> int:
        """Return the number of data sets that the single pieces name; 0 if they name none."""
        return 0

    def is_about(self, entities: Sequence[Any]) -> bool:
        """Return whether the evidence is about these entities, in this order."""
        return True

    def on(self, dataset: Any) -> Self:
        """Return the evidence of one data set."""
        return self

    def of(self, variable: str | None) -> Self:
        """Return the evidence on one variable of the posterior."""
        return self

    def columns(self, draws: xr.Dataset, leader: int | None) -> dict[str, np.ndarray]:
        """Return further columns of a ranking (entity) from the posterior's draws and the place of the leader."""
        return {}

    def notes_on(self, draws: xr.Dataset, prob: float) -> list[Note]:
        """Return what the posterior's draws say beside the ranking, such as coefficients."""
        return []

    def needed(self, model: ModelRecord) -> str | None:
        """Return the further evidence that would help most, or None if the model and the tables tell."""
        return None

    def apart(self, entity: int, others: Sequence[int]) -> list[int] | None:
        """Return which of the others nothing connects with an entity; None if the tables tell."""
        return None

    def unconnected(self, entities: list[str]) -> Note:
        """Return the cap on a ranking in which nothing connects these entities with the leader."""
        return Note("pairs_unconnected", {"entities": entities})

    def interchangeable(self, fitted: Fitted) -> list[np.ndarray]:
        """Return the groups of entities (positions) that may be swapped without a change of the evidence."""
        return swaps_of_tables(fitted)


def patterns_on(evidence: Any, dataset: Any, names: Sequence[str], **others: Any) -> Any:
    """Return evidence with the patterns of one data set alone: of its arrays with these names; others are given."""
    in_dataset = np.array([name == dataset for name in evidence.dataset.tolist()])
    own = {
        name: values[in_dataset]
        for name in names
        if (values := getattr(evidence, name)) is not None
    }
    return replace(evidence, **own, **others, dataset=None)


def by_entity(observed: xr.Dataset, name: str) -> np.ndarray:
    """Return a variable as numbers, entities along its first axis."""
    return np.asarray(observed[name].transpose("entity", ...).values.astype(float))


def as_codes(observed: xr.Dataset, name: str) -> np.ndarray | None:
    """Return a variable as codes from 0 in order of appearance; None if it is not there."""
    return pd.factorize(observed[name].values)[0] if name in observed else None


def as_values(observed: xr.Dataset, name: str) -> np.ndarray | None:
    """Return the values of a variable; None if it is not there."""
    return np.asarray(observed[name].values) if name in observed else None


def names_of(observed: xr.Dataset) -> list[Any]:
    """Return the names of the entities."""
    return list(observed["entity"].values.tolist())
