"""Sentences of notes: one function for each code, whose parameters are the fields of the note.

Each module of this folder has the sentences about one part of the package. Most sentences on caps
are in the table of ``bayesrank/claims/caps.py``.
"""

import pkgutil
from collections.abc import Callable
from functools import cache
from importlib import import_module
from types import FunctionType
from typing import Any

from bayesrank._core.errors import ArgumentError
from bayesrank._core.notes import Note
from bayesrank.claims.caps import CAPS
from bayesrank.words.caveats import Caveat, caveat_of_code

__all__ = ["caveat_of", "say", "sentences"]


def say(note: Note | str) -> str:
    """Return the sentence of a note; a sentence stays as it is."""
    if isinstance(note, str):
        return note
    entry = CAPS.get(note.code)
    if entry is not None and entry.sentence:
        return entry.fill(entry.sentence, note.fields)
    if note.code not in sentences():
        raise ArgumentError(
            "attrs", "must contain notes of this version of bayesrank", f"the note {note.code!r}"
        )
    return sentences()[note.code](**note.fields)


def caveat_of(note: Note | str) -> Caveat:
    """Return how much a note changes the reading; a sentence does not."""
    return (
        Caveat.NONE
        if isinstance(note, str) or note.code not in sentences()
        else caveat_of_code(note.code)
    )


@cache
def sentences() -> dict[str, Callable[..., str]]:
    """Return the function of each code: the public functions of all modules of this folder."""
    result: dict[str, Callable[..., Any]] = {}
    for module in pkgutil.iter_modules(__path__):
        path = f"{__name__}.{module.name}"
        for name, held in vars(import_module(path)).items():
            if (
                isinstance(held, FunctionType)
                and held.__module__ == path
                and not name.startswith("_")
            ):
                result[name] = held
    return result
