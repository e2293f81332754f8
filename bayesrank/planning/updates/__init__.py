"""How new units would update the scores of a posterior: one file for each kind of evidence, joined by its type."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from bayesrank._core.checks import check_choice, check_number
from bayesrank._core.errors import ArgumentError
from bayesrank.evidence.kinds import (
    CaseEvidence,
    DrawsAlone,
    EvidenceKind,
    FoldEvidence,
    JudgedEvidence,
    MeanEvidence,
    ProbabilityEvidence,
    TableEvidence,
    VoteEvidence,
)
from bayesrank.planning.preposterior import Preposterior, Request
from bayesrank.planning.updates import datasets
from bayesrank.planning.updates.cases import alternatives_of_cases, units_of_cases, update_cases
from bayesrank.planning.updates.judged import update_judged
from bayesrank.planning.updates.probabilities import update_probabilities
from bayesrank.planning.updates.tables import OVERLAP, alternatives_of_tables, update_tables
from bayesrank.planning.updates.votes import update_votes

__all__ = ["OVERLAP", "NewUnits", "alternative_requests", "register_updates", "with_units"]

#: What each kind of unit needs.
NEEDS = {
    "cases": "",
    "clusters": "clusters need cases in clusters (cluster= of br.joint_outcomes or br.from_outcomes)",
    "data sets": "data sets need a hierarchical model of several data sets",
    "runs": "runs need outcomes that are means of several right or wrong runs, the same number for each case",
    "training seeds": "training seeds need retrained models",
}


@dataclass(frozen=True)
class NewUnits:
    """New units of one kind of evidence."""

    #: From the evidence, the scores and the request to the scores that new units update.
    update: Callable[[Any, Preposterior, Request], Preposterior]
    #: The units that can be added; the first is the default.
    units: Callable[[Any], list[str]] = lambda evidence: ["cases"]
    #: Requests for other kinds of units, by their names.
    alternatives: Callable[[Any, Preposterior], dict[str, Request]] = lambda evidence, source: {}
    #: Whether the classes of new cases can be chosen.
    with_classes: bool = False


def _refuse(evidence: EvidenceKind, source: Preposterior, request: Request) -> NoReturn:
    raise ArgumentError(
        "posterior",
        "must come from counts, cases or votes for a plan",
        f"a posterior of {evidence.noun}",
    )


_NEW_UNITS: dict[type[EvidenceKind], NewUnits] = {
    TableEvidence: NewUnits(update_tables, alternatives=alternatives_of_tables, with_classes=True),
    CaseEvidence: NewUnits(update_cases, units_of_cases, alternatives_of_cases, with_classes=True),
    ProbabilityEvidence: NewUnits(update_probabilities),
    JudgedEvidence: NewUnits(update_judged, units=lambda evidence: []),
    VoteEvidence: NewUnits(update_votes),
    MeanEvidence: NewUnits(_refuse),
    FoldEvidence: NewUnits(_refuse),
    DrawsAlone: NewUnits(_refuse),
}


def register_updates(kind: type[EvidenceKind], new_units: NewUnits) -> None:
    """State how new units of a kind of evidence update scores."""
    _NEW_UNITS[kind] = new_units


def with_units(source: Preposterior, request: Request | None = None) -> Preposterior:
    """Return how new units, as requested, would update the scores."""
    request = request or Request()
    evidence, hierarchical = source.evidence, source.about.over_datasets
    own = _NEW_UNITS[type(evidence)]
    units = datasets.UNITS if hierarchical else own.units(evidence)
    if request.more is not None and check_choice("more", request.more, tuple(NEEDS)) not in units:
        requirement = f"must be {' or '.join(map(repr, units))} for this posterior"
        if not units:
            requirement = (
                f"cannot be used with {evidence.noun}: the plan is in "
                f"{evidence.independent_unit} of these cases"
            )
        raise ArgumentError("more", requirement, repr(request.more), NEEDS[request.more])
    if request.positives is not None:
        check_number("positives", request.positives, 0.0, 1.0, ends=False)
        if not (source.designed and own.with_classes) or hierarchical or evidence.clustered:
            raise ArgumentError(
                "positives",
                "must be None unless the two class sizes were set by design (model 'beta_binomial', or "
                "prevalence= of br.fit): the classes of new cases are random here",
                f"{request.positives!r}",
            )
    return (
        datasets.update_datasets(source, request)
        if hierarchical
        else own.update(evidence, source, request)
    )


def alternative_requests(source: Preposterior) -> dict[str, Request]:
    """Return requests for the kinds of new units that suit a posterior, by their names."""
    if source.about.over_datasets:
        return datasets.alternatives_of_datasets()
    return _NEW_UNITS[type(source.evidence)].alternatives(source.evidence, source)
