"""Facts that a reader needs beside the numbers: a note is a code with fields, and ``bayesrank.words`` says it."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from bayesrank._core.records import EvidenceRecord, reading_attr


@dataclass(frozen=True)
class Note:
    """One fact: its code, and the names and numbers that belong to it (texts, numbers, booleans, None, lists)."""

    code: str
    fields: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "fields", {name: _plain(value) for name, value in self.fields.items()}
        )


def notes_text(notes: Iterable[Note]) -> str:
    """Return notes as one text, which every file format can hold."""
    return json.dumps([[note.code, note.fields] for note in notes], ensure_ascii=False)


def notes_of(text: Any) -> list[Note]:
    """Return the notes in a text, a DataArray or an array of one text, as :func:`notes_text` wrote them."""
    with reading_attr("notes"):
        return list(_parse(str(text.item() if hasattr(text, "item") else text)))


@lru_cache(maxsize=256)
def _parse(text: str) -> tuple[Note, ...]:
    """Return the notes in a text; several outputs of one ranking read the same text."""
    return tuple(Note(code, fields) for code, fields in json.loads(text or "[]"))


def add_notes(attrs: Mapping[Any, Any], notes: Iterable[Note]) -> dict[str, Any]:
    """Return attrs of evidence with more notes in ``attrs["notes"]``."""
    all_notes = [*notes_of(EvidenceRecord.from_attrs(attrs).notes), *notes]
    return {**attrs, "notes": notes_text(all_notes)} if all_notes else dict(attrs)


def _plain(value: Any) -> Any:
    """Return a value as JSON keeps it: NumPy's scalars and arrays as Python's, other objects as their text."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)
