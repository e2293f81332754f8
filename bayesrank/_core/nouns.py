"""What sentences call an entity: entity, or the word of the data, such as model or test."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from bayesrank._core.prose import plural

__all__ = ["a_noun", "noun", "noun_of_column", "nouns", "using_noun"]

#: Headings of columns that also name what is ranked.
NOUNS = (
    *(
        "agent",
        "algorithm",
        "brand",
        "classifier",
        "dentist",
        "detector",
        "forecaster",
        "indicator",
        "judge",
        "learner",
    ),
    *(
        "marker",
        "method",
        "model",
        "player",
        "predictor",
        "reader",
        "system",
        "team",
        "test",
        "tool",
    ),
)
#: What an entity is called without a word of the data.
ENTITY = "entity"

_NOUN: ContextVar[str] = ContextVar("noun", default=ENTITY)


@contextmanager
def using_noun(word: str | None) -> Iterator[None]:
    """Let sentences that are made inside call an entity by this word; an empty one changes nothing."""
    token = _NOUN.set(word or _NOUN.get())
    try:
        yield
    finally:
        _NOUN.reset(token)


def noun() -> str:
    """Return what an entity is called."""
    return _NOUN.get()


def nouns() -> str:
    """Return what entities are called."""
    return plural(noun())


def a_noun() -> str:
    """Return what an entity is called, with its article."""
    return f"{'an' if noun()[0] in 'aeiou' else 'a'} {noun()}"


def noun_of_column(column: Any) -> str:
    """Return the word for an entity that the heading of a column gives; empty if it gives none.

    Examples
    --------
    >>> noun_of_column("Model"), noun_of_column("model_a"), noun_of_column("id")
    ('model', 'model', '')
    """
    word = str(column).strip().lower().removesuffix("_a").removesuffix("_1")
    return word if word in NOUNS else ""
