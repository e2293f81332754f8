"""Means with standard errors, without the cases behind them."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from bayesrank._core.records import ModelRecord
from bayesrank.evidence.kinds.base import EvidenceKind, Parts, by_entity


@dataclass(frozen=True, eq=False)
class MeanEvidence(EvidenceKind):
    """A mean and its standard error for each entity."""

    noun: ClassVar[str] = "means and standard errors"
    cases: np.ndarray | None = None  #: The number of cases behind each mean, if it is known.

    @classmethod
    def parse(cls, parts: Parts) -> Self | None:
        """Return that the posterior is of means, or None if it is of other evidence."""
        if "standard_error" not in parts.observed:
            return None
        return cls(by_entity(parts.observed, "cases") if "cases" in parts.observed else None)

    def why_no_performance(self, variables: list[str]) -> tuple[str, str] | None:
        """Return why there is no performance, and what to do instead."""
        return "means and standard errors, one number for each entity", "rank them by mean_outcome"

    def needed(self, model: ModelRecord) -> str:
        """Return the cases behind the means, where all entities seem to have the same ones; else nothing."""
        same = self.cases is not None and len(set(self.cases.tolist())) == 1
        return "per-case data" if same else ""
