"""Predicted probabilities, or scores of cases, that areas and losses are computed from."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import xarray as xr

from bayesrank._core.errors import Advice, InPython
from bayesrank._core.records import ModelRecord
from bayesrank.evidence.kinds.base import EvidenceKind, Parts, by_entity, names_of


@dataclass(frozen=True, eq=False)
class ProbabilityEvidence(EvidenceKind):
    """Cases with predicted probabilities. The posterior stores only how many cases there are.

    What depends on the area or loss is known of ``held``, and of one of them by :meth:`of`.
    """

    noun: ClassVar[str] = "predicted probabilities"
    draws_scores: ClassVar[bool] = True
    cases: np.ndarray  #: (entity, [dataset])
    held: xr.Dataset  #: The observed variables.
    withheld: xr.DataArray | None = (
        None  #: Whether the interval of an area is withheld (entity, [dataset]).
    )
    #: Cases (or clusters) on which two entities differ (entity, rival, [dataset]).
    discordant: xr.DataArray | None = None
    #: Degrees of freedom of a score over clusters, and the factor by which its bootstrap is too
    #: narrow ([dataset]); None for independent cases.
    freedom: xr.DataArray | None = None
    factor: xr.DataArray | None = None

    @property
    def clustered(self) -> bool:
        """Return whether cases are in clusters."""
        return self.freedom is not None

    @classmethod
    def parse(cls, parts: Parts) -> Self | None:
        """Return the numbers of cases of a posterior, or None if it is of other evidence."""
        if not parts.model.probabilities or "cases" not in parts.observed:
            return None
        return cls(by_entity(parts.observed, "cases"), parts.observed)

    def why_no_performance(self, variables: list[str]) -> tuple[str, str] | None:
        """Return why there is no performance, and what to do instead."""
        return f"predicted probabilities with draws of {', '.join(variables)}", _advice(
            variables[0]
        )

    def of(self, variable: str | None) -> Self:
        """Return the evidence on one area or loss."""
        names = ("withheld", "discordant", "freedom", "factor")
        found: dict[str, Any] = {name: self.held.get(f"{variable}_{name}") for name in names}
        if (differ := found["discordant"]) is not None:
            differ = differ.sel(rival=differ["entity"].values)  # entities may have been selected
            found["discordant"] = differ.transpose("entity", "rival", ...)
        return replace(self, **found)

    def is_about(self, entities: Sequence[Any]) -> bool:
        """Return whether the evidence is about these entities, in this order."""
        return names_of(self.held) == list(entities)

    def on(self, dataset: Any) -> Self:
        """Return the evidence of one data set."""
        found: dict[str, Any] = {
            name: each.sel(dataset=dataset, drop=True)
            for name in ("withheld", "discordant", "freedom", "factor")
            if (each := getattr(self, name)) is not None and "dataset" in each.dims
        }
        return replace(self, **found)

    def needed(self, model: ModelRecord) -> str:
        """Return more cases, which all entities predict."""
        return "paired cases"


def _advice(score: str) -> Advice:
    """Return what to do instead of a performance."""
    return Advice(
        f"rank by {score}, ",
        InPython("fit with scores= for others, "),
        "or choose a threshold: labels (probability above it) ",
        InPython("with br.joint_outcomes "),
        "have a performance at that threshold",
    )
