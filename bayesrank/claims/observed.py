"""What is known of the evidence behind a ranking: counts, single pieces of evidence, and its model."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any, Self

import numpy as np
import xarray as xr

from bayesrank._core.labels import sum_except
from bayesrank._core.notes import Note
from bayesrank._core.records import EvidenceRecord, ModelRecord
from bayesrank.claims.effective import Information
from bayesrank.claims.ends import (
    close_ends,
    fill_empty_classes,
    near_ends,
    reach_end_of_class,
)
from bayesrank.evidence.kinds import CaseEvidence, DrawsAlone, EvidenceKind
from bayesrank.evidence.weighting import WEIGHTED
from bayesrank.performance.arrays import OUTCOME_DIMS
from bayesrank.performance.operations import shift_prior
from bayesrank.scores import Score
from bayesrank.scores.score import values_of

#: Nothing is known of how the evidence was assembled.
NOTHING = EvidenceRecord()


@dataclass(frozen=True)
class Observed:
    """Facts on the evidence; each of them may be unknown."""

    #: Observed counts (entity, [dataset], actual, predicted), or (entity, [dataset], outcome).
    counts: xr.DataArray | None = None
    #: Observed performance (entity, actual, predicted), if it is a mean over data sets with these
    #: ``counts``.
    shares: xr.DataArray | None = None
    #: Observed performance, or value, of all pooled cases, if a typical data set is ranked.
    pooled: xr.DataArray | None = None
    values: xr.DataArray | None = None  #: Other observed values of the ranked quantity, by entity.
    performance: xr.DataArray | None = None  #: The ranked performance, if it is in memory.
    about: ModelRecord | None = None  #: What the posterior says of its model; None for values.
    assembled: EvidenceRecord = NOTHING  #: How the evidence was assembled.
    sampler: tuple[Note, ...] = ()  #: Notes on MCMC diagnostics.
    cases: xr.DataArray | None = None  #: Numbers of cases (entity, [dataset]).
    kind: str = ""  #: The ranked data set of a population: typical, new or observed; empty without a population.
    behind: EvidenceKind = field(
        default_factory=DrawsAlone
    )  #: The evidence of the ranked entities, by its kind.
    prior: xr.DataArray | None = (
        None  #: Prior of each cell in equivalent cases (entity, [dataset], ...).
    )
    #: Names of the data sets, and their weights if the ranking is by a mean over them.
    datasets: tuple[Any, ...] = ()
    weights: np.ndarray | None = None
    #: Smallest number of data sets with cases of an entity, if other data sets are ranked.
    fewest_datasets: int | None = None
    bootstrap: tuple[Note, ...] = ()  #: Notes on the Bayesian bootstrap of cases.
    improper: tuple[
        str, ...
    ] = ()  #: Entities with draws that are undefined, since a cell had no prior.
    #: The counts that the model was fitted to, for any ranked data set.
    tables: xr.DataArray | None = None
    #: Without a gold standard: estimates, G² and its freedom under each dependence; the chosen one
    #: is in its attrs.
    dependences: xr.Dataset | None = None
    #: Of an aggregate over groups or data sets: its effective counts, and the note on what it is
    #: over.
    known: Information | None = None
    these: Note | None = None
    unsupported: Note | None = (
        None  #: Why draws have no evidence behind them, which limits every claim.
    )
    extreme: bool = False  #: Whether the value is the largest or smallest of several, which a model shrinks by design.
    further: str | None = (
        None  #: The further evidence that would help most; None if it follows from the model.
    )

    #: Observed values by score, computed once.
    _observed: dict[Score | None, xr.DataArray | None] = field(
        default_factory=dict, init=False, repr=False
    )

    def at(self, dim: str, i: int) -> Self:
        """Return the evidence of one data set, or of one item of another dim."""
        arrays: dict[str, Any] = {
            one.name: value.isel({dim: i}, drop=True)
            for one in fields(self)
            if isinstance(value := getattr(self, one.name), xr.DataArray) and dim in value.dims
        }
        if dim != "dataset":
            return replace(self, **arrays)
        behind = self.behind.on(self.datasets[i]) if self.datasets else self.behind
        return replace(self, **arrays, behind=behind, datasets=())

    def flat(self, dim: str, size: int) -> Self:
        """Return observed values, tables and the prior with an entity for each entity and item of another dim."""
        names = ("counts", "shares", "values", "cases", "prior")
        arrays = {name: value for name in names if (value := getattr(self, name)) is not None}
        flat: dict[str, Any] = {
            name: _flat(each, dim, size) for name, each in arrays.items() if "entity" in each.dims
        }
        return replace(self, **flat)

    def size(self, entities: int) -> np.ndarray:
        """Return the number of cases of each entity over all remaining data sets; NaN if unknown."""
        if self.cases is None:
            return np.full(entities, np.nan)
        return sum_except(self.cases, "entity").astype(float)

    @property
    def joint_cases(self) -> CaseEvidence | None:
        """Return the cases with the answers of all entities; None if they are not known."""
        return self.behind.joint_cases

    def prior_cases(self, entities: int) -> np.ndarray:
        """Return the number of cases that the prior of each entity stands for (entity)."""
        if self.prior is None:
            return np.zeros(entities)
        return np.broadcast_to(sum_except(self.prior, "entity"), entities)

    @property
    def table(self) -> xr.DataArray | None:
        """Return the observed performance or counts; None if unknown."""
        return self.counts if self.shares is None else self.shares

    def observed(self, score: Score | None) -> xr.DataArray | None:
        """Return the score of the observed counts (entity), at the ranked prevalence; None if unknown.

        It is infinite for a ratio whose denominator alone is 0, and NaN where undefined.
        """
        table = self.table
        if (
            table is None
            or score is None
            or (score.space == "outcomes" and "outcome" not in table.dims)
        ):
            return self.values
        if score not in self._observed:
            self._observed[score] = self.score_of(score, table, infinite=True)
        return self._observed[score]

    def observe(self, scores: Sequence[Score]) -> None:
        """Compute several observed scores of the same table in one pass, if the prevalence is that of the cases."""
        table = self.table
        if table is not None and scores and not self.model.sets_prevalence:
            self._observed.update(zip(scores, values_of(scores, table, infinite=True), strict=True))

    def close(
        self,
        score: Score | None,
        interval: tuple[np.ndarray, np.ndarray],
        limits: tuple[float, float],
        prob: float,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return intervals of a score (entity) that hold the ends of ranges which the data cannot exclude.

        They are closed at the limits by :func:`close_ends`, and hold the value at the end of one
        class's rate by :func:`reach_end_of_class`. Intervals of members of a learned population
        stay: the other members can exclude an end.
        """
        estimate = self.observed(score)
        if estimate is None or (self.model.population_of_tables and self.kind != "typical"):
            return interval
        values, counts = estimate.values.astype(float), self.counts
        if score is not None and counts is not None and self._of_tables:
            prior, dims = self.prior, {"entity", *OUTCOME_DIMS}
            of_two = counts.sizes["actual"] == 2 and not self.kind
            if of_two and prior is not None and dims.issuperset(prior.dims):
                value = partial(self.score_of, score)
                interval = reach_end_of_class(interval, counts, prior, prob, value)
            if np.isnan(values).any():
                filled = self.score_of(score, fill_empty_classes(counts))
                values = (
                    values if filled is None else np.where(np.isnan(values), filled.values, values)
                )
        return close_ends(*interval, values, limits, self._near_ends(score, limits))

    @property
    def _of_tables(self) -> bool:
        """Return whether there is one table of counts of each entity."""
        counts = self.counts
        return (
            counts is not None
            and self.shares is None
            and set(counts.dims) == {"entity", *OUTCOME_DIMS}
        )

    def _near_ends(
        self, score: Score | None, limits: tuple[float, float]
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Return which entities are one case away from each limit; None if this is unknown."""
        if score is None or self.shares is not None or self.weights is not None or self.kind:
            return None
        counts, joint = self.counts, self.joint_cases
        if counts is not None:
            unlike = (score.space == "outcomes") != ("outcome" in counts.dims)
            if unlike or "dataset" in counts.dims or WEIGHTED in counts.attrs:
                return None
            # At another prevalence a single case may be worth much of the range.
            moved = self.model.sets_prevalence and score.depends_on_prevalence
            if moved:
                return None
            counts = fill_empty_classes(counts) if "actual" in counts.dims else counts
            return near_ends(counts, score, limits)
        if joint is None or not joint.right_or_wrong or joint.each is not None:
            return None
        if self.values is None or self.cases is None or self.values.dims != ("entity",):
            return None
        right = self.values.values * self.size(self.values.size)
        return right < 1.5, self.size(self.values.size) - right < 1.5

    def score_of(
        self, score: Score, observed: xr.DataArray, infinite: bool = False
    ) -> xr.DataArray | None:
        """Return the score of an observed performance, at the ranked prevalence."""
        if self.model.sets_prevalence and score.depends_on_prevalence:
            try:
                observed = shift_prior(observed, self.model.prevalence_number)
            except ValueError:  # a sampled prevalence, or more than two classes
                return None
        return values_of([score], observed, infinite=infinite)[0]

    @property
    def model(self) -> ModelRecord:
        """Return what is known of the model; nothing for values."""
        return self.about or ModelRecord()


def _flat(array: xr.DataArray, dim: str, size: int) -> xr.DataArray:
    array = (array if dim in array.dims else array.expand_dims({dim: size})).transpose(
        "entity", dim, ...
    )
    others = array.dims[2:]
    coords = {
        name: held for name, held in array.coords.variables.items() if set(held.dims) <= set(others)
    }
    values = array.values.reshape(-1, *array.shape[2:])
    return xr.DataArray(values, coords, ("entity", *others), array.name, array.attrs)
