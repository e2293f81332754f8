"""Votes between two entities, of people and perhaps of a judge."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from bayesrank._notes import Note
from bayesrank._records import ModelRecord
from bayesrank.evidence.kinds.base import EvidenceKind, Parts, by_entity, names_of
from bayesrank.evidence.kinds.swaps import swaps_of_votes


@dataclass(frozen=True, eq=False)
class VoteEvidence(EvidenceKind):
    """Votes, and how many of them are of people if the others are of a judge."""

    noun: ClassVar[str] = "votes"
    unit: ClassVar[str] = "votes"
    votes: np.ndarray  #: Votes in which an entity took part.
    wins: np.ndarray  #: (entity, rival)
    ties: np.ndarray  #: (entity, rival)
    pool: np.ndarray  #: Code of the connected pool of each entity.
    entities: list[Any]  #: Their names.
    labels: np.ndarray | None = None  #: Votes of people; None without a judge.

    @classmethod
    def parse(cls, parts: Parts) -> Self | None:
        """Return the votes of a posterior, or None if it is of other evidence."""
        observed = parts.observed
        if not {"wins", "ties", "pool"} <= {*observed}:
            return None
        wins, ties = (observed[name].transpose("entity", "rival").values for name in ("wins", "ties"))
        labels = by_entity(observed, "labels") if "labels" in observed else None
        return cls(by_entity(observed, "cases"), wins, ties, observed["pool"].values, names_of(observed), labels)

    def is_about(self, entities: Sequence[Any]) -> bool:
        """Return whether the evidence is about these entities, in this order."""
        return self.entities == list(entities)

    def needed(self, model: ModelRecord) -> str:
        """Return the votes that would help most: those of people beside a judge."""
        return "votes" if self.labels is None else "labels"

    def apart(self, entity: int, others: Sequence[int]) -> list[int]:
        """Return which of the others no chain of votes connects with an entity."""
        return [int(i) for i in others if self.pool[i] != self.pool[entity]]

    def unconnected(self, entities: list[str]) -> Note:
        """Return the cap on a ranking in which no chain of votes connects these entities with the leader."""
        return Note("pools_unconnected", {"entities": entities})

    def interchangeable(self, entities: int) -> list[np.ndarray]:
        """Return the groups of entities with equal votes; votes of judges distinguish entities, too."""
        return swaps_of_votes(self.wins, self.ties) if self.labels is None else []
