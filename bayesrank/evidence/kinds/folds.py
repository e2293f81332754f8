"""Scores of folds of a cross-validation."""

from dataclasses import dataclass
from typing import ClassVar, Self

from bayesrank.evidence.kinds.base import EvidenceKind, Parts


@dataclass(frozen=True, eq=False)
class FoldEvidence(EvidenceKind):
    """Scores of folds, whose training sets overlap; the posterior has only their means."""

    unit: ClassVar[str] = "folds"
    noun: ClassVar[str] = "scores of folds"

    @classmethod
    def parse(cls, parts: Parts) -> Self | None:
        """Return the evidence of folds in a posterior, or None if it has other evidence."""
        return cls() if parts.model.repeats or parts.model.datasets_of_learners else None

    def why_no_performance(self, variables: list[str]) -> tuple[str, str] | None:
        """Return why there is no performance, and what to do instead."""
        return "scores of folds, one number for each fold", "rank them by mean_outcome"
