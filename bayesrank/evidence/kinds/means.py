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
