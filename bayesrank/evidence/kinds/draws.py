"""Draws without their evidence."""

from dataclasses import dataclass
from typing import ClassVar, Self

from bayesrank.evidence.kinds.base import EvidenceKind, Parts


@dataclass(frozen=True, eq=False)
class DrawsAlone(EvidenceKind):
    """A posterior that does not say what was observed, such as a user's own."""

    noun: ClassVar[str] = "draws without their evidence"

    @classmethod
    def parse(cls, parts: Parts) -> Self | None:
        """Return that nothing is known."""
        return cls()
