"""The parts of a verdict, and how sentences list names."""

from collections.abc import Sequence
from dataclasses import dataclass

from bayesrank._escape import escape_invisible
from bayesrank._notes import Caveat, caveat_of

__all__ = ["Verdict", "compose", "few_names", "join_names"]

#: Largest number of names that a sentence lists; for more it gives the number.
NAMED = 5


@dataclass(frozen=True)
class Verdict:
    """A verdict in its four parts, and its notes; empty parts are omitted."""

    kind: str
    headline: str
    loss: str = ""
    next_step: str = ""
    caveat: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # Names of entities may contain control characters, which are removed here.
        for part in ("headline", "loss", "next_step", "caveat"):
            object.__setattr__(self, part, escape_invisible(getattr(self, part)))
        object.__setattr__(self, "notes", tuple(escape_invisible(note) for note in self.notes))

    def sentences(self) -> list[str]:
        """Return the headline, the expected loss, the next step and the caveat, as far as there are any."""
        return [part for part in (self.headline, self.loss, self.next_step, self.caveat) if part]


def compose(kind: str, headline: str, notes: Sequence[str], loss: str = "", next_step: str = "") -> Verdict:
    """Return a verdict whose fourth sentence is the note with the highest caveat; the others stay notes."""
    place = max(range(len(notes)), key=lambda i: (caveat_of(notes[i]), -i), default=None)
    if place is None or caveat_of(notes[place]) is Caveat.NONE:
        return Verdict(kind, headline, loss, next_step, "", tuple(map(str, notes)))
    rest = sorted((i for i in range(len(notes)) if i != place), key=lambda i: (-caveat_of(notes[i]), i))
    return Verdict(kind, headline, loss, next_step, str(notes[place]), tuple(str(notes[i]) for i in rest))


def join_names(names: Sequence[str]) -> str:
    """Return the names as a sentence lists them."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def few_names(names: Sequence[str], most: int = NAMED) -> str:
    """Return all names, or the first few and the number of the others, of which there are two at least."""
    return join_names(names) if len(names) <= most + 1 else f"{', '.join(names[:most])} and {len(names) - most:,} more"
