"""Cases with the answers of all entities: predicted classes, or outcomes that are numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
import xarray as xr

from bayesrank._core.records import EvidenceRecord
from bayesrank.evidence.attempts import CaseRuns
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
from bayesrank.evidence.patterns import effective_number

#: Outcomes are means of right or wrong runs if they are this near to whole numbers of runs.
ROUNDING = 1e-6


@dataclass(frozen=True)
class TrainingSeeds:
    """Means of models that were trained again with other seeds."""

    means: np.ndarray  #: (entity, training seed), NaN where there is none.
    noise: np.ndarray  #: Variance of a mean from the cases alone (entity).


@dataclass(frozen=True, eq=False)
class CaseEvidence(EvidenceKind):
    """Joint outcomes of cases; cases with equal outcomes of all entities are one pattern.

    Either ``outcome`` is known, or ``predicted`` is. Without ``actual``, no truth of the cases is
    known.
    """

    noun: ClassVar[str] = "cases"
    entities: list[Any]  #: Their names.
    count: np.ndarray  #: Cases of each pattern, or the sum of their weights.
    outcome: np.ndarray | None = None  #: Numbers (pattern, entity), NaN if missing.
    predicted: np.ndarray | None = None  #: Labels (pattern, entity).
    actual: np.ndarray | None = None  #: Label of each pattern.
    cluster: np.ndarray | None = None  #: Code of each pattern; None for independent cases.
    dataset: np.ndarray | None = (
        None  #: Name of the data set of each pattern; None for a single one.
    )
    each: np.ndarray | None = None  #: Weight of one case of each pattern; None if all are equal.
    by_case: bool = (
        True  #: Whether all cases have equal weight, regardless of the size of their cluster.
    )
    #: Number of runs of each case if outcomes are means of right or wrong runs; else 0.
    runs: int = 0
    made: np.ndarray | None = (
        None  #: Number of right or wrong runs behind each outcome (pattern, entity), if known.
    )
    said: np.ndarray | None = (
        None  #: How often each answer was given in the runs (pattern, entity), as text, if known.
    )
    training: TrainingSeeds | None = None  #: None if models were trained once.

    @classmethod
    def parse(cls, parts: Parts) -> Self | None:
        """Return the cases of a posterior, or None if they are not known one by one."""
        observed = parts.observed
        if "pattern_count" not in observed or not {"pattern_outcome", "pattern_predicted"} & {
            *observed
        }:
            return None
        outcome = _rows(observed, "pattern_outcome")
        return cls(
            entities=names_of(observed),
            count=observed["pattern_count"].values.astype(float),
            outcome=None if outcome is None else outcome.astype(float),
            predicted=_rows(observed, "pattern_predicted"),
            actual=as_values(observed, "pattern_actual"),
            cluster=as_codes(observed, "pattern_cluster"),
            dataset=as_values(observed, "pattern_dataset"),
            each=as_values(observed, "pattern_unit_weight"),
            by_case=parts.model.target != "cluster",
            runs=0 if outcome is None else _right_or_wrong_runs(outcome, parts.assembled),
            made=_rows(observed, "pattern_runs"),
            said=_rows(observed, "pattern_answers"),
            training=_training_seeds(observed),
        )

    @property
    def joint_cases(self) -> Self:
        """Return the cases with the answers of all entities."""
        return self

    def why_no_performance(self, variables: list[str]) -> tuple[str, str] | None:
        """Return why there is no performance, and what to do instead."""
        if self.training is None:
            return None
        return (
            "outcomes of training seeds, with a mean over retrained models",
            "rank them by mean_outcome",
        )

    @property
    def independent_unit(self) -> str:
        """Return the unit of the largest variance: training seeds, clusters or cases."""
        if self.training is not None:
            return "training seeds"
        return "clusters" if self.clustered else "cases"

    @property
    def clustered(self) -> bool:
        """Return whether cases are in clusters."""
        return self.cluster is not None

    @property
    def case_runs(self) -> CaseRuns | None:
        """Return the successes and runs of each case; None for outcomes that are not of right or wrong runs."""
        if self.training is not None or self.outcome is None:
            return None
        runs = self.made
        if runs is None and self.right_or_wrong:
            runs = (~np.isnan(self.outcome)).astype(int)
        if runs is None:
            return None
        return CaseRuns(
            np.round(np.nan_to_num(self.outcome) * runs).astype(int), runs.astype(int), self.said
        )

    @property
    def datasets(self) -> int:
        """Return the number of data sets that cases name; 0 if they name none."""
        return 0 if self.dataset is None else len(set(self.dataset.tolist()))

    @property
    def given(self) -> np.ndarray:
        """Return outcomes, or predicted labels (pattern, entity)."""
        answers = self.predicted if self.outcome is None else self.outcome
        assert answers is not None
        return answers

    @cached_property
    def answers(self) -> np.ndarray:
        """Return outcomes, or predicted labels, as codes (pattern, entity), negative if missing."""
        return pd.factorize(self.given.ravel())[0].reshape(self.given.shape)

    @property
    def right_or_wrong(self) -> bool:
        """Return whether all outcomes are 0 or 1, a known range in which discordant cases bound the freedom."""
        return self.outcome is not None and bool(
            (np.isin(self.outcome, (0, 1)) | np.isnan(self.outcome)).all()
        )

    def numbers_of_cases(
        self, entities: xr.DataArray, datasets: xr.DataArray | None = None
    ) -> xr.DataArray:
        """Return the number of cases of each entity, on each data set if cases name them."""
        # Without outcomes, all entities predicted the same cases.
        answered = (
            np.ones(self.given.shape, bool) if self.outcome is None else ~np.isnan(self.outcome)
        )
        has_case = xr.DataArray(answered, {"entity": entities.variable}, ("pattern", "entity"))
        if datasets is not None and self.dataset is not None:
            has_case = has_case & (xr.DataArray(self.dataset, dims="pattern") == datasets)
        count = xr.DataArray(self.count, dims="pattern")
        return (count * has_case).sum("pattern").astype(np.int64).rename("cases").drop_attrs()

    @property
    def squares(self) -> np.ndarray:
        """Return the sum of the squared weights of the cases of each pattern."""
        return self.count if self.each is None else self.count * self.each

    def is_about(self, entities: Sequence[Any]) -> bool:
        """Return whether the evidence is about these entities, in this order."""
        return self.entities == list(entities)

    def on(self, dataset: Any) -> Self:
        """Return the cases of one data set."""
        if self.dataset is None:
            return self
        result: Self = patterns_on(
            self,
            dataset,
            ("count", "outcome", "actual", "predicted", "cluster", "each", "made", "said"),
        )
        return result

    def apart(self, entity: int, others: Sequence[int]) -> list[int]:
        """Return which of the others have no answers to the cases of an entity."""
        return [int(i) for i in others if i != entity and not self.share_cases(entity, int(i))]

    def interchangeable(self, fitted: Fitted) -> list[np.ndarray]:
        """Return the groups of entities whose answers may be swapped."""
        # Equal outcomes of averages do not show equal models.
        if self.training is not None or self.answers.shape[1] != fitted.entities:
            return []
        return swaps_of_columns(self.answers, self.count, self.cluster, self.dataset, self.each)

    def first_identical(self, entities: np.ndarray) -> np.ndarray:
        """Return, for each of some entities, the first of them that has the same answers to all cases."""
        answers = self.answers[:, entities][self.count > 0]
        columns = [column.tobytes() for column in answers.T]
        return np.array([columns.index(column) for column in columns])

    def share_cases(self, one: int, other: int) -> bool:
        """Return whether two entities have answers to a common case."""
        return self.count_shared(one, other) > 0

    def count_shared(self, one: int, other: int) -> float:
        """Return the (effective) number of cases to which two entities have answers."""
        shared = (self.answers[:, one] >= 0) & (self.answers[:, other] >= 0)
        return float(effective_number(self.count, self.each, shared[:, None])[0])

    def of_clusters(self, influence: np.ndarray) -> np.ndarray:
        """Return the sums of squares over clusters of the influence of cases (pattern, entity)."""
        assert self.cluster is not None
        return np.square(sums_within(self.cluster, self.count[:, None] * influence)).sum(axis=0)

    def weights(self, of_datasets: np.ndarray | None) -> np.ndarray:
        """Return the weight of each case of a pattern in the mean of an entity (pattern, entity), 0 if missing.

        ``of_datasets`` are the weights of the data sets in a mean over them, in their order of
        appearance; without weights all cases count alike, or all clusters.
        """
        weight = (self.answers >= 0).astype(float)
        if self.cluster is not None and not self.by_case:
            weight /= np.maximum(sums_within(self.cluster, self.count[:, None] * weight), 1e-300)[
                self.cluster
            ]
        if of_datasets is None or self.dataset is None:
            return weight / (self.count @ weight)
        names = pd.factorize(self.dataset)[0]
        total = np.maximum(sums_within(names, self.count[:, None] * weight), 1e-300)
        return weight / total[names] * of_datasets[names, None]

    def sizes(self, entity: int, strength: np.ndarray | None = None) -> list[np.ndarray]:
        """Return the weights of the units (clusters, or single cases) of each data set for one entity.

        ``strength`` is the influence of a case of each pattern (all alike without it): clusters
        without positive cases tell nothing about a rate of positive cases.
        """
        answered = self.answers[:, entity] >= 0
        names = (
            np.zeros(len(answered), int) if self.dataset is None else pd.factorize(self.dataset)[0]
        )
        result: list[np.ndarray] = []
        for position in range(names.max(initial=0) + 1):
            in_dataset = answered & (names == position)
            if self.cluster is None:
                weight = (
                    np.ones(int(in_dataset.sum())) if self.each is None else self.each[in_dataset]
                )
                result.append(
                    np.repeat(weight, np.round(self.count[in_dataset] / weight).astype(int))
                )
                continue
            cluster, count = self.cluster[in_dataset], self.count[in_dataset]
            own = count if strength is None else count * strength[in_dataset]
            size = np.bincount(cluster, own).astype(float)
            if not self.by_case:
                size = size / np.maximum(np.bincount(cluster, count), 1e-300)
            result.append(size[size > 0])
        return result


def sums_within(group: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the sums of values (item, ...) over the items of each group, by its code."""
    sums = np.zeros((group.max(initial=-1) + 1, *values.shape[1:]))
    np.add.at(sums, group, values)
    return sums


def _rows(observed: xr.Dataset, name: str) -> np.ndarray | None:
    return observed[name].transpose("pattern", "entity").values if name in observed else None


def _training_seeds(observed: xr.Dataset) -> TrainingSeeds | None:
    if "seed_mean" not in observed:
        return None
    return TrainingSeeds(by_entity(observed, "seed_mean"), by_entity(observed, "seed_noise"))


def _right_or_wrong_runs(outcome: np.ndarray, assembled: EvidenceRecord) -> int:
    """Return the number of runs of each case if outcomes are means of right or wrong runs; else 0."""
    runs = assembled.most_runs or 0
    if runs < 2 or assembled.fewest_runs != runs:
        return 0
    outcomes = outcome[~np.isnan(outcome)]
    right = outcomes * runs
    full = np.abs(right - np.round(right)).max() < ROUNDING
    return runs if outcomes.min() >= 0 and outcomes.max() <= 1 and full else 0
