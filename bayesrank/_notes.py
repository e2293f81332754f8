"""Notes on a result, and the caveats among them: sentences that a reader needs beside the numbers."""

from collections.abc import Iterable
from enum import IntEnum
from typing import Any


class Caveat(IntEnum):
    """How much a note changes the reading of a result. The verdict prints the note with the highest value."""

    NONE = 0
    POSITIVE_LABEL = 10
    PREVALENCE_SET = 20
    PREVALENCES_DIFFER = 25
    PRIOR_OUTWEIGHS_DATA = 30
    FEW_UNITS = 40
    MODEL_CONTRADICTED = 50
    DATASETS_DIFFER = 60
    OUTSIDE_INTERVAL = 70
    NOT_CONVERGED = 80


class Note(str):
    """A sentence with a mark that says whether it changes the reading."""

    caveat: Caveat

    def __new__(cls, text: str, caveat: Caveat = Caveat.NONE) -> "Note":
        note = super().__new__(cls, text)
        note.caveat = caveat
        return note


def join_notes(notes: Iterable[str]) -> dict[str, str]:
    """Return ``notes`` and ``caveats`` as two texts with a line for each note, which every file format can hold."""
    lines = [(line, caveat_of(note).name) for note in notes for line in str(note).split("\n") if line]
    return {"notes": "\n".join(line for line, _ in lines), "caveats": "\n".join(name for _, name in lines)}


def read_notes(result: Any) -> list[Note]:
    """Return the notes of a result with their caveats, as :func:`join_notes` stored them; all plain without caveats."""
    lines, names = (_lines(result[name]) if name in result else [] for name in ("notes", "caveats"))
    if len(names) != len(lines):
        names = ["NONE"] * len(lines)
    return [Note(line, Caveat[name]) for line, name in zip(lines, names, strict=True)]


def caveat_of(note: str) -> Caveat:
    """Return how much a note changes the reading; a plain string does not."""
    return note.caveat if isinstance(note, Note) else Caveat.NONE


def _lines(text: Any) -> list[str]:
    return [line for line in str(text.item() if hasattr(text, "item") else text).split("\n") if line]
