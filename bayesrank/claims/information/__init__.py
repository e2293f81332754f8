"""What evidence is worth for a ranking by a score: one file for each kind of evidence, joined by its type."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from bayesrank._core.draws import draw_dims
from bayesrank._core.notes import notes_of
from bayesrank.claims.effective import Information
from bayesrank.claims.information.cases import parts_of_cases, variance_of_cases, weigh_cases
from bayesrank.claims.information.judged import weigh_judged
from bayesrank.claims.information.probabilities import weigh_probabilities
from bayesrank.claims.information.tables import (
    inflation_of_averages,
    parts_of_tables,
    variance_of_tables,
    weigh_tables,
)
from bayesrank.claims.information.votes import weigh_votes
from bayesrank.claims.observed import Observed
from bayesrank.evidence.kinds import (
    CaseEvidence,
    EvidenceKind,
    JudgedEvidence,
    ProbabilityEvidence,
    VoteEvidence,
)
from bayesrank.scores import Score

__all__ = [
    "Worth",
    "allowance_of",
    "information_by_part",
    "information_of",
    "parts_of_pair",
    "register_worth",
    "spread_for_units",
    "sampling_variance",
]


@dataclass(frozen=True)
class Worth:
    """What one kind of evidence is worth."""

    #: From the evidence, what is observed, the score, and the counts known of any evidence to its
    #: effective counts.
    weigh: Callable[[Any, Observed, Score | None, Information], Information] = weigh_tables
    #: The variance of the observed score by chance (entity), NaN if unknown.
    variance: Callable[[Any, Observed, Score | None, int], np.ndarray] = (
        lambda evidence, observed, score, entities: variance_of_tables(observed, score, entities)
    )
    #: The variance of a difference within each of two classes, and the cases of the class; None if
    #: unknown.
    parts: Callable[
        [Any, Observed, Score | None, int, int], tuple[np.ndarray, np.ndarray] | None
    ] = lambda evidence, observed, score, one, other: parts_of_tables(observed, score, one, other)


#: By the type, or one of its bases.
_WORTH: dict[type, Worth] = {
    EvidenceKind: Worth(),
    CaseEvidence: Worth(weigh_cases, variance_of_cases, parts_of_cases),
    ProbabilityEvidence: Worth(weigh_probabilities),
    JudgedEvidence: Worth(weigh_judged),
    VoteEvidence: Worth(weigh_votes),
}


def register_worth(kind: type[EvidenceKind], worth: Worth) -> None:
    """State what a kind of evidence is worth; without it, a kind is worth what tables beside it are."""
    _WORTH[kind] = worth


def _worth_of(evidence: EvidenceKind) -> Worth:
    return next(_WORTH[kind] for kind in type(evidence).__mro__ if kind in _WORTH)


def information_of(observed: Observed, score: Score | None, entities: int) -> Information:
    """Return the effective counts behind a ranking by ``score``."""
    if observed.known is not None:
        return observed.known
    record, own = observed.model, notes_of(observed.assembled.notes)
    information = Information(
        cases=observed.size(entities),
        clusters=np.full(entities, np.nan),
        population=record.population_of_tables,
        inflation=inflation_of_averages(observed, score, entities),
        freedom=record.freedom_of_sets,
        datasets=float(record.datasets_of_learners or np.nan),
        repeats=float(record.repeats or np.nan),
        seeds=float(record.seeds or np.nan),
        errors_known=not record.errors_assumed,
        supported=observed.unsupported is None,
        refusal=next((note for note in own if note.code == "not_identified"), None),
    )
    return _worth_of(observed.behind).weigh(observed.behind, observed, score, information)


def allowance_of(
    observed: Observed,
    score: Score | None,
    values: xr.DataArray,
    prob: float,
    limits: tuple[float, float],
    reference: int | None = None,
) -> xr.Dataset:
    """Return how much wider intervals are than those of draws, for few clusters or voters, by field of Allowance.

    Over ``entity`` and any other dim of ``values`` but those of draws. With the position of a
    ``reference``, the intervals are those of differences from this entity.
    """

    def allow(information: Information) -> xr.Dataset:
        found = (
            information.allowance(prob, limits)
            if reference is None
            else information.allowance_of_differences(prob, limits, reference)
        )
        return xr.Dataset({name: ("entity", held) for name, held in vars(found).items()})

    return information_by_part(observed, score, values, allow)


def information_by_part(
    observed: Observed,
    score: Score | None,
    values: xr.DataArray,
    found_of: Callable[[Information], xr.Dataset],
) -> xr.Dataset:
    """Return what the information says along each dim of ``values`` but those of draws and entities."""
    extra = [str(dim) for dim in values.dims if dim not in (*draw_dims(values), "entity")]
    if not extra:
        return found_of(information_of(observed, score, values.sizes["entity"]))
    parts = [
        information_by_part(
            observed.at(extra[0], i), score, values.isel({extra[0]: i}, drop=True), found_of
        )
        for i in range(values.sizes[extra[0]])
    ]
    return xr.concat(parts, extra[0])


def sampling_variance(observed: Observed, score: Score | None, entities: int) -> np.ndarray:
    """Return the variance of the observed value by chance (entity), NaN if unknown."""
    return _worth_of(observed.behind).variance(observed.behind, observed, score, entities)


def parts_of_pair(
    observed: Observed, score: Score | None, one: int, other: int
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the variance of a difference within each class (negative, positive), and the cases of the class.

    None unless cases have two classes, one of them rare, and all data sets are one.
    """
    return _worth_of(observed.behind).parts(observed.behind, observed, score, one, other)
