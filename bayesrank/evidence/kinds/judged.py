"""Cases with verdicts, of a judge or of the tests themselves, and a truth that is known for some of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from bayesrank._core.records import ModelRecord
from bayesrank.evidence.kinds.base import (
    EvidenceKind,
    Parts,
    as_codes,
    as_values,
    by_entity,
    names_of,
    patterns_on,
)
from bayesrank.evidence.kinds.swaps import Fitted, swaps_of_columns


@dataclass(frozen=True, eq=False)
class JudgedEvidence(EvidenceKind):
    """Verdicts and known truth of each pattern of cases, as codes that are negative if missing."""

    noun: ClassVar[str] = "truth known in part"
    count: np.ndarray  #: Cases of each pattern.
    verdict: np.ndarray  #: (pattern, entity)
    truth: np.ndarray  #: (pattern, system): one truth for each entity, or one for all.
    labels: np.ndarray  #: Cases of known truth (entity, [dataset]).
    cases: np.ndarray  #: (entity, [dataset])
    of_outcomes: bool  #: Whether truth says if an entity was right; else it is the class of a case.
    entities: list[Any]  #: Their names.
    cluster: np.ndarray | None = None  #: Code of each pattern; None for independent cases.
    dataset: np.ndarray | None = (
        None  #: Name of the data set of each pattern; None for a single one.
    )
    dataset_names: tuple[Any, ...] = ()  #: The order of the data sets in ``labels`` and ``cases``.

    @classmethod
    def parse(cls, parts: Parts) -> Self | None:
        """Return the verdicts and labels of a posterior, or None if it is of other evidence."""
        observed = parts.observed
        if "judged_truth" not in observed:
            return None
        return cls(
            count=observed["judged_count"].values.astype(float),
            verdict=observed["judged_verdict"].transpose("pattern", "entity").values,
            truth=observed["judged_truth"].transpose("pattern", "system").values,
            labels=by_entity(observed, "labels"),
            cases=by_entity(observed, "cases"),
            of_outcomes="mean_outcome" in observed,
            entities=names_of(observed),
            cluster=as_codes(observed, "judged_cluster"),
            dataset=as_values(observed, "judged_dataset"),
            dataset_names=tuple(observed["dataset"].values.tolist())
            if "dataset" in observed.coords
            else (),
        )

    @property
    def independent_unit(self) -> str:
        """Return what is labelled: outcomes of entities, or cases."""
        return "labels" if self.of_outcomes else "verified cases"

    @property
    def clustered(self) -> bool:
        """Return whether cases are in clusters."""
        return self.cluster is not None

    @property
    def number_of_labels(self) -> np.ndarray:
        """Return the cases of known truth of each entity, over all data sets."""
        return np.asarray(self.labels.reshape(len(self.labels), -1).sum(axis=1))

    def is_about(self, entities: Sequence[Any]) -> bool:
        """Return whether the evidence is about these entities, in this order."""
        return self.entities == list(entities)

    def on(self, dataset: Any) -> Self:
        """Return the cases of one data set."""
        if self.dataset is None:
            return self
        position = self.dataset_names.index(dataset)
        of_entities = {name: getattr(self, name)[:, position] for name in ("labels", "cases")}
        result: Self = patterns_on(
            self, dataset, ("count", "verdict", "truth", "cluster"), **of_entities
        )
        return result

    def needed(self, model: ModelRecord) -> str:
        """Return what is labelled; a verified case tells of all tests, and judged outcomes have no prevalence."""
        return "labels" if model.prevalence is None else "verified cases"

    def interchangeable(self, fitted: Fitted) -> list[np.ndarray]:
        """Return the groups of entities whose verdicts and truths may be swapped."""
        truth = np.broadcast_to(self.truth, self.verdict.shape)
        pair = self.verdict * (truth.max() + 2) + truth + 1
        return swaps_of_columns(
            np.where(self.verdict < 0, -1, pair), self.count, self.cluster, self.dataset
        )
