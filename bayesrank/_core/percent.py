"""Scores in percent: where the data had their outcomes in percent, people read them so; arrays have proportions."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from decimal import Decimal
from typing import Protocol

from bayesrank._core.nouns import using_noun

__all__ = ["in_percent", "score_heading", "score_text", "score_unit", "using_words_of"]

_PERCENT: ContextVar[bool] = ContextVar("percent", default=False)
#: A number in a formatted text.
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")


class HasWords(Protocol):
    """A record that says what an entity is called, and whether scores are in percent."""

    @property
    def noun(self) -> str: ...
    @property
    def in_percent(self) -> bool: ...


@contextmanager
def using_words_of(record: HasWords) -> Iterator[None]:
    """Let texts that are made inside call an entity, and show scores, as the data of the record do."""
    token = _PERCENT.set(record.in_percent or _PERCENT.get())
    try:
        with using_noun(record.noun):
            yield
    finally:
        _PERCENT.reset(token)


def in_percent() -> bool:
    """Return whether scores are shown in percent."""
    return _PERCENT.get()


def score_text(text: str) -> str:
    """Return formatted scores as they are shown: in percent, with as many significant digits, or unchanged.

    Examples
    --------
    >>> from bayesrank._core.records import EvidenceRecord
    >>> with using_words_of(EvidenceRecord(in_percent=True)):
    ...     print(score_text("0.852 (0.800 to 1)"), score_text("−0.0004"))
    85.2 (80.0 to 100) −0.04
    >>> score_text("0.852 (0.800 to 1)")
    '0.852 (0.800 to 1)'
    """
    if not in_percent():
        return text
    return NUMBER.sub(lambda found: f"{Decimal(found[0]).scaleb(2):f}", text)


def score_heading(name: str) -> str:
    """Return the heading of a column of scores."""
    return f"{name} (%)" if in_percent() else name


def score_unit(name: str, preposition: str = "") -> str:
    """Return the unit of a difference of scores, with the name of the score."""
    return " ".join(filter(None, ["percentage points of" if in_percent() else preposition, name]))
