"""One type for each kind of evidence: what was observed behind a posterior, parsed once.

Everything else that depends on the kind is registered by the type, so that nothing asks for it. How
new units update a posterior is in ``planning/updates``.
"""

from bayesrank._core.source import Source
from bayesrank.evidence.kinds.base import EvidenceKind, Parts
from bayesrank.evidence.kinds.cases import CaseEvidence
from bayesrank.evidence.kinds.draws import DrawsAlone
from bayesrank.evidence.kinds.folds import FoldEvidence
from bayesrank.evidence.kinds.judged import JudgedEvidence
from bayesrank.evidence.kinds.means import MeanEvidence
from bayesrank.evidence.kinds.probabilities import ProbabilityEvidence
from bayesrank.evidence.kinds.tables import TableEvidence
from bayesrank.evidence.kinds.votes import VoteEvidence

__all__ = [
    *(
        "CaseEvidence",
        "DrawsAlone",
        "EvidenceKind",
        "FoldEvidence",
        "JudgedEvidence",
        "MeanEvidence",
        "Parts",
    ),
    *("ProbabilityEvidence", "TableEvidence", "VoteEvidence", "parse_evidence", "register_kind"),
]

#: Each is asked in turn whether a posterior is of its kind; cases also hold the tables that they
#: add up to.
_KINDS: list[type[EvidenceKind]] = [
    *(
        VoteEvidence,
        JudgedEvidence,
        ProbabilityEvidence,
        MeanEvidence,
        FoldEvidence,
        CaseEvidence,
        TableEvidence,
    ),
    DrawsAlone,
]


def register_kind(kind: type[EvidenceKind]) -> type[EvidenceKind]:
    """Add a type of evidence, which is asked before all others; a class decorator."""
    _KINDS.insert(0, kind)
    return kind


def parse_evidence(source: Source) -> EvidenceKind:
    """Return the evidence behind a posterior; it is parsed once for each source."""

    def parse() -> EvidenceKind:
        parts = Parts(source.observed, source.model, source.assembled)
        return next(found for kind in _KINDS if (found := kind.parse(parts)) is not None)

    return source.once("evidence", parse)
