"""The notes of a result or in attrs, as tests read them."""

from bayesrank._core.notes import notes_of
from bayesrank.words.sentences import say


def notes_in(held):
    """Return the notes of a result or in attrs; none without the name ``notes``."""
    if "notes" in getattr(held, "attrs", {}):
        held = held.attrs
    return notes_of(held["notes"]) if "notes" in held else []


def codes_in(held):
    """Return the codes of these notes, in order."""
    return [note.code for note in notes_in(held)]


def fields_of(held, code):
    """Return the fields of the one note of a code."""
    [fields] = [note.fields for note in notes_in(held) if note.code == code]
    return fields


def said(held):
    """Return the sentences of these notes, a line for each."""
    return "\n".join(map(say, notes_in(held)))
