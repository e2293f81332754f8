"""What is known of the evidence behind a ranking: counts, patterns of answers, verdicts, votes, and its model."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

import numpy as np
import xarray as xr

from bayesrank._notes import Note
from bayesrank._records import EvidenceRecord, ModelRecord
from bayesrank.performance.operations import shift_prior
from bayesrank.ranking._information import Information, Patterns
from bayesrank.scores import Score
from bayesrank.scores.score import values_of

#: Nothing is known of how the evidence was assembled.
NOTHING = EvidenceRecord()


@dataclass(frozen=True)
class Observed:
    """Known facts on the evidence; all may be unknown."""

    #: Observed counts (entity, [dataset], actual, predicted), or (entity, [dataset], outcome).
    counts: xr.DataArray | None = None
    #: Observed performance (entity, actual, predicted), if it is a mean over data sets with these ``counts``.
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
    patterns: Patterns | None = None  #: Joint outcomes of paired evidence.
    prior: xr.DataArray | None = None  #: Prior of each cell in equivalent cases (entity, [dataset], ...).
    #: Names of the data sets, and their weights if the ranking is by a mean over them.
    datasets: tuple[Any, ...] = ()
    weights: np.ndarray | None = None
    #: Smallest number of data sets with cases of an entity, if other data sets are ranked.
    fewest_datasets: int | None = None
    bootstrap: tuple[Note, ...] = ()  #: Notes on the Bayesian bootstrap of cases.
    hidden: xr.DataArray | None = None  #: Of which entities the interval of an area is withheld.
    #: The counts that the model was fitted to, for any ranked data set.
    tables: xr.DataArray | None = None
    #: For votes: wins and ties (entity, rival), and the connected pool of each entity.
    votes: xr.Dataset | None = None
    #: For truth known in part: verdicts and truth of each pattern, and the number of labels.
    judged: xr.Dataset | None = None
    #: Without a gold standard: estimates, G² and its freedom under each dependence; the chosen one is in its attrs.
    dependences: xr.Dataset | None = None
    #: For retrained models: the mean of each training seed (entity, training_seed).
    seeds: xr.DataArray | None = None
    #: Of an aggregate over groups or data sets: its effective counts, and the note on what it is over.
    known: Information | None = None
    these: Note | None = None
    extreme: bool = False  #: Whether the value is the largest or smallest of several, which a model shrinks by design.
    further: str | None = None  #: The further evidence that would help most; None if it follows from the model.

    #: Observed values by score, computed once.
    _observed: dict[Score | None, xr.DataArray | None] = field(default_factory=dict, init=False, repr=False)

    def at(self, dim: str, i: int) -> Self:
        """Return the evidence of one data set, or of one item of another dim."""
        arrays: dict[str, Any] = {
            one.name: value.isel({dim: i}, drop=True)
            for one in fields(self)
            if isinstance(value := getattr(self, one.name), xr.DataArray) and dim in value.dims
        }
        if dim != "dataset":
            return replace(self, **arrays)
        if self.judged is not None and "judged_dataset" in self.judged:
            here = self.judged["judged_dataset"].values == self.datasets[i]
            arrays["judged"] = self.judged.isel(pattern=here, dataset=i, missing_dims="ignore")
        patterns = self.patterns.on(self.datasets[i]) if self.patterns else None
        return replace(self, **arrays, patterns=patterns, datasets=())

    def size(self, entities: int) -> np.ndarray:
        """Return the number of cases of each entity over all remaining data sets; NaN if unknown."""
        if self.cases is None:
            return np.full(entities, np.nan)
        return self.cases.sum([d for d in self.cases.dims if d != "entity"]).values.astype(float)

    @property
    def table(self) -> xr.DataArray | None:
        """Return the observed performance or counts; None if unknown."""
        return self.counts if self.shares is None else self.shares

    def observed(self, score: Score | None) -> xr.DataArray | None:
        """Return the score of the observed counts (entity), at the ranked prevalence; None if unknown.

        It is infinite for a ratio whose denominator alone is 0, and NaN where undefined.
        """
        table = self.table
        if table is None or score is None or (score.space == "outcomes" and "outcome" not in table.dims):
            return self.values
        if score not in self._observed:
            self._observed[score] = self.score_of(score, table, infinite=True)
        return self._observed[score]

    def observe(self, scores: Sequence[Score]) -> None:
        """Compute several observed scores of the same table in one pass, if the prevalence is that of the cases."""
        table = self.table
        if table is not None and scores and not self.model.sets_prevalence:
            self._observed.update(zip(scores, values_of(scores, table, infinite=True), strict=True))

    def score_of(self, score: Score, observed: xr.DataArray, infinite: bool = False) -> xr.DataArray | None:
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
