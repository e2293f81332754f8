"""What evidence, a posterior or a result says of itself: typed records, which attrs of xarray objects hold.

A field is None, or has its default, where the attrs do not say it. Attrs of files hold NumPy
numbers and arrays; the records hold Python's.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cache
from types import NoneType
from typing import Any, Self, get_args, get_type_hints

import numpy as np
import xarray as xr

from bayesrank._core.errors import ArgumentError

__all__ = [
    *(
        "DriftRecord",
        "EvidenceRecord",
        "GateRecord",
        "ModelRecord",
        "PlanRecord",
        "RankingRecord",
        "Record",
        "ReliabilityRecord",
        "ResultRecord",
    ),
    *("SamplerRecord", "TileRecord"),
]


@contextmanager
def reading_attr(name: str) -> Iterator[None]:
    """Raise an error that names the attr if it does not hold what the package wrote."""
    try:
        yield
    except ArgumentError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError):
        hint = "fit the evidence again, or read the file again"
        raise ArgumentError(
            f"attrs[{name!r}]", "was changed after bayesrank wrote it", "another value", hint
        ) from None


def _numbers(value: Any) -> tuple[float, ...]:
    return tuple(float(item) for item in np.atleast_1d(value))


#: How a value in attrs is read, by the type of its field.
READ: dict[Any, Callable[[Any], Any]] = {
    str: str,
    int: int,
    float: float,
    bool: bool,
    tuple[str, ...]: lambda value: tuple(str(item) for item in np.atleast_1d(value)),
    tuple[float, ...]: _numbers,
    tuple[float, float]: _numbers,
}


@cache
def _readers(record: Any) -> dict[str, Callable[[Any], Any]]:
    """Return how each field of a record is read; a field of another type keeps its value."""
    hints = get_type_hints(record)
    result = {}
    for one in fields(record):
        kinds = [kind for kind in get_args(hints[one.name]) if kind is not NoneType]
        optional = NoneType in get_args(hints[one.name])
        result[one.name] = READ.get(
            kinds[0] if optional and len(kinds) == 1 else hints[one.name], lambda value: value
        )
    return result


@dataclass(frozen=True)
class Record:
    """A record with one field for each attr that it reads; other attrs are ignored."""

    @classmethod
    def from_attrs(cls, attrs: Mapping[Any, Any]) -> Self:
        """Return the record in the attrs of an array or a Dataset, in memory or from a file."""
        readers = _readers(cls)  # type: ignore[arg-type]
        fields_read = {}
        for name, read in readers.items():
            if name in attrs:
                with reading_attr(name):
                    fields_read[name] = read(attrs[name])
        return cls(**fields_read)

    @classmethod
    def of(cls, array: xr.DataArray | xr.Dataset) -> Self:
        """Return the record of an array or a Dataset."""
        return cls.from_attrs(array.attrs)

    def to_attrs(self) -> dict[str, Any]:
        """Return what the record says as attrs: texts, numbers and lists, which every file format can hold."""
        text = {
            one.name: getattr(self, one.name)
            for one in fields(self)
            if getattr(self, one.name) is not one.default
        }
        return {name: _plain(value) for name, value in text.items() if value is not None}


def _plain(value: Any) -> Any:
    if isinstance(value, bool):
        return int(value)
    return list(value) if isinstance(value, tuple) else value


@dataclass(frozen=True)
class EvidenceRecord(Record):
    """How evidence was assembled, in the attrs of evidence and of its posterior."""

    notes: str = ""  #: Notes as one text.
    ledger: str = ""  #: The ledger as one text.
    noun: str = ""  #: What an entity is called, such as test; empty if the data do not say it.
    in_percent: bool = False  #: Whether the data had outcomes in percent, which are shown so.
    pooled: Any = None  #: The record of a pool as one text, with the summed tables while in memory.
    clusters: int | None = None
    #: How missing answers count: "common", "own", or a number as text; the cases that are kept and
    #: left out.
    missing: str | None = None
    cases: int | None = None
    cases_left_out: int = 0
    #: Runs of a case, and whether each run is right or wrong.
    fewest_runs: int | None = None
    most_runs: int | None = None
    right_or_wrong_runs: bool = False
    range: tuple[float, float] | None = None  #: The declared range of outcomes.
    #: Importance weights: the sum of those of each data set, by name, as JSON; empty without any.
    dataset_weight_sums: str = ""

    def or_else(self, other: "EvidenceRecord") -> "EvidenceRecord":
        """Return the record with the fields of another one where this one says nothing."""
        return EvidenceRecord.from_attrs(other.to_attrs() | self.to_attrs())


@dataclass(frozen=True)
class ModelRecord(Record):
    """What a posterior says of its model."""

    model: str | None = None
    model_chosen_by: str | None = None  #: "evidence" or "user".
    words: str = ""  #: A sentence on how the evidence arose.
    kind: str | None = (
        None  #: The performance that is ranked by default: "observed", "typical" or "new".
    )
    sampler: str | None = None  #: "exact", "nuts" or "metropolis".
    nuts: str | None = None  #: Options of the sampler, as JSON.
    seed: str | None = None
    prior: str | None = None
    prevalence: str | None = None  #: "sampled", "observed", or how it was set.
    population: str | None = (
        None  #: What the learned population consists of: "data sets", "entities" or "classes".
    )
    typical: str | None = None  #: The typical data set: "mean" or "median".
    priors: str = ""  #: Every prior, as notes in one text.
    covariates: tuple[str, ...] = ()  #: Names of the covariates of data sets.
    paired: bool = False  #: Whether the model knows which cases entities share.
    split_prior: bool | None = None  #: Whether one prior is divided between data sets.
    target: str | None = None  #: What a mean over clustered cases is of: "case" or "cluster".
    units: tuple[float, ...] = ()  #: Cases or clusters of each data set.
    clustered: bool = False  #: Whether these units are clusters.
    fewest_of_class: float = np.nan  #: Of predicted probabilities: the units of the rarest class.
    dataset_weights: tuple[float, ...] | None = None
    stratum: str = "data set"  #: What a data set stands for: itself, or a group of cases.
    #: Of scores of folds: degrees of freedom, data sets of learners, repeats, and whether errors
    #: were assumed.
    freedom_of_sets: float = np.inf
    datasets_of_learners: int = 0
    repeats: int = 0
    errors_assumed: bool = False
    draws_spread: tuple[
        float, ...
    ] = ()  #: The factors by which draws of means were spread about their mean.
    over: str = ""  #: The population of the ranking: "fitted" or "retrained" models; empty for cases or data sets.
    seeds: int = 0  #: Training seeds of each entity.
    probabilities: bool = False  #: Whether it is predicted probabilities.

    @property
    def assumed_prevalence(self) -> str:
        """Return "sampled" unless another prevalence is stated."""
        return "sampled" if self.prevalence is None else self.prevalence

    @property
    def sets_prevalence(self) -> bool:
        """Return whether the prevalence was set, and neither learned from the cases nor taken from them."""
        return self.assumed_prevalence not in ("sampled", "observed")

    @property
    def prevalence_estimate(self) -> str:
        """Return the sample from which the prevalence was estimated, as "positives/cases"; empty if it was not."""
        return self.assumed_prevalence if "/" in self.assumed_prevalence else ""

    @property
    def prevalence_number(self) -> float:
        """Return the prevalence that was set, or the share of the sample from which it was estimated.

        Raises ValueError where it is no number.
        """
        return float(Fraction(self.assumed_prevalence))

    @property
    def over_datasets(self) -> bool:
        """Return whether the model learned a population of data sets."""
        return self.population == "data sets"

    @property
    def population_of_tables(self) -> str:
        """Return what a learned population of tables consists of; empty without one, or if classes are learned."""
        return self.population if self.population in ("data sets", "entities") else ""


@dataclass(frozen=True)
class SamplerRecord(Record):
    """What the group ``sample_stats`` says of the chains."""

    sampler: str = "nuts"
    tune: int | None = None
    target_accept: float | None = None
    rhat: float = np.nan
    ess_bulk: float = np.nan
    ess_tail: float = np.nan
    divergences: int = 0


@dataclass(frozen=True)
class ResultRecord(Record):
    """What a result says of itself: the score, the probability of intervals, and how it was computed."""

    score: str = ""
    display: str = ""  #: The score's display name.
    higher_is_better: bool | None = None
    range: tuple[float, float] | None = None  #: Both ends of the score.
    interval: str = ""  #: How intervals were made: CLOSED.
    finite_mean: bool | None = None
    depends_on_prevalence: bool | None = None
    prob: float = np.nan
    rope: float = np.nan
    draws: int = 0
    effective_draws: float = np.inf
    method: str = ""  #: "draws" or "exact".
    prevalence: str = ""
    reference: str = ""
    benefit: str = ""  #: The benefits of a decision, as text.
    baseline: str = ""
    unit: str = ""
    noun: str = ""  #: What an entity is called; empty if the data do not say it.
    in_percent: bool = False  #: Whether the score is shown in percent, as the data had it.
    metric: str = ""
    monitor: str = ""  #: The score to monitor where the prevalence moves.
    statement: str = ""
    long_name: str = ""

    @property
    def sign(self) -> int:
        """Return 1 if higher is better, else -1."""
        return 1 if self.higher_is_better else -1

    @property
    def percent(self) -> str:
        """Return the probability of intervals in percent."""
        return f"{100 * self.prob:g}%"


@dataclass(frozen=True)
class RankingRecord(ResultRecord):
    """What a ranking says of itself: its claim, which data set of a population is ranked, and the evidence."""

    headline: str = ""  #: "best", "shared", "leads" or "none".
    sets: str = ""  #: What the rank sets rest on: "confidence", "posterior" or "none".
    caps: tuple[str, ...] | None = None  #: Codes of the notes that limit the headline.
    kind: str = ""
    typical: str = ""
    evidence: str = ""  #: How the evidence was combined, in words.
    ledger: str = ""
    population: str = ""  #: Code of what the ranking is over; empty for cases.
    #: Of an aggregate: the dim or coord that it is over, its name, and what one item of it is
    #: called.
    over: str = ""
    aggregate: str = ""
    stratum: str = ""
    drawn: tuple[str, ...] | None = None  #: Variables of an exact ranking that come from draws.


@dataclass(frozen=True)
class TileRecord(ResultRecord):
    """What a map says of itself: how many entities it ranks, and the window of the Tile that it shows."""

    prob: float = 0.95
    entities: int = 0
    window: tuple[float, ...] | None = (
        None  #: Left, right, lower and upper end; None for the whole Tile.
    )


@dataclass(frozen=True, kw_only=True)
class PlanRecord(ResultRecord):
    """What a plan says of itself: its target, in which units it counts, and why no number suffices."""

    goal: str  #: "best", "each", "rival", "top" or "interval".
    target: float
    k: int
    width: float
    margin: float
    entity: str
    rival: str
    fixed: str  #: What stays as observed; empty if nothing does.
    entities: int
    alike: tuple[str, ...]  #: Entities with the same outcomes on all cases.
    assurance: float
    futures: int
    contenders: tuple[
        str, ...
    ] = ()  #: For labels: the entities on which they help, and the number of the others.
    others: int = 0
    reason: str  #: "met", "limit", "fixed", "size", or empty if the plan has a number.
    true_scores: str = "posterior"  #: Where the true scores of futures come from.


@dataclass(frozen=True, kw_only=True)
class ReliabilityRecord(ResultRecord):
    """What a reliability of runs says of itself: today's cases and runs, and the two entities of its plan."""

    cases: int
    runs: int
    assurance: float
    entity: str = ""
    rival: str = ""
    difference: float = np.nan


@dataclass(frozen=True, kw_only=True)
class GateRecord(ResultRecord):
    """What a gate says of itself: the baseline, the margin, how often one looks, and the worst verdict."""

    margin: float
    looks: str
    level: float
    verdict: str
    ledger: str


@dataclass(frozen=True)
class DriftRecord(ResultRecord):
    """What drift says of itself: in how many looks the probability of a false alarm holds."""

    looks: int = 0
