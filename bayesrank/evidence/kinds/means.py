"""Means with standard errors, without the cases behind them."""

from dataclasses import dataclass
from typing import ClassVar, Self

from bayesrank.evidence.kinds.base import EvidenceKind, Parts


@dataclass(frozen=True, eq=False)
class MeanEvidence(EvidenceKind):
    """A mean and its standard error for each entity."""

    noun: ClassVar[str] = "means and standard errors"

    @classmethod
    def parse(cls, parts: Parts) -> Self | None:
        """Return that the posterior is of means, or None if it is of other evidence."""
        return cls() if "standard_error" in parts.observed else None

    def why_no_performance(self, variables: list[str]) -> tuple[str, str] | None:
        """Return why there is no performance, and what to do instead."""
        return "means and standard errors, one number for each entity", "rank them by mean_outcome"
