"""The package's own refusals, which no bug raises: what was wanted, what was given, and what to type instead."""

from dataclasses import dataclass
from typing import Any

__all__ = [
    "Advice",
    "ArgumentAttributeError",
    "ArgumentError",
    "ArgumentFileError",
    "ArgumentKeyError",
    "ArgumentTypeError",
    "InPython",
    "Typed",
]


@dataclass(frozen=True)
class Typed:
    """An argument in a message, as it is typed in Python; the command prints its option instead.

    Without a value, ``missing=`` stands for the argument alone. ``python`` is what Python takes
    instead of it.
    """

    name: str
    value: Any = None
    python: str = ""

    def __str__(self) -> str:
        return self.python or f"{self.name}={'' if self.value is None else repr(self.value)}"


class InPython(str):
    """Words of a message that only Python can use; the command leaves them out."""

    __slots__ = ()


class Advice(str):
    """Words of a message with arguments in them, which stay apart from the words until the message is printed.

    Only what is :class:`Typed` or :class:`InPython` reads differently in the command. So no name in
    the other words is taken for an argument.

    Examples
    --------
    >>> from bayesrank._core.errors import Advice, Typed
    >>> advice = Advice(Typed("missing", "common"), " keeps the cases of seed=2")
    >>> print(advice)
    missing='common' keeps the cases of seed=2
    >>> [part for part in advice.parts if isinstance(part, Typed)]
    [Typed(name='missing', value='common', python='')]
    """

    parts: tuple[str | Typed, ...]

    def __new__(cls, *parts: str | Typed) -> "Advice":
        text = super().__new__(cls, "".join(map(str, parts)))
        text.parts = tuple(
            one for part in parts for one in (part.parts if isinstance(part, Advice) else [part])
        )
        return text

    @classmethod
    def of(cls, *sentences: str) -> "Advice":
        """Return the sentences that are not empty, with semicolons between them."""
        return cls(*[part for one in sentences if one for part in ("; ", one)][1:])


class ArgumentError(ValueError):
    """An argument, a file or a table that cannot be used as it is.

    The message reads "argument wanted; got this (hint)". The command prints it as one line. Any
    other exception is a bug, and the command prints its traceback.

    Attributes
    ----------
    argument : str
        What is wrong: the name of an argument, or the file and line.
    wanted : str
        The condition, such as "must be a number".
    got : str
        What was given instead; empty if there is nothing to show.
    hint : str
        What to type instead; empty if the condition says it.

    Examples
    --------
    >>> try:
    ...     br.from_matrix([[0.9, 0.1], [0.2, 0.8]], "actual_rows")
    ... except br.ArgumentError as error:
    ...     print(error.argument, "|", error.got)
    matrix | 0.9
    """

    def __init__(self, argument: object, wanted: str, got: object = "", hint: str = "") -> None:
        self.argument, self.wanted, self.got, self.hint = map(
            _in_one_line, (argument, wanted, got, hint)
        )
        super().__init__(self.argument, self.wanted, self.got, self.hint)

    def __str__(self) -> str:
        got = f"; got {self.got}" if self.got else ""
        return f"{self.argument} {self.wanted}{got}{f' ({self.hint})' if self.hint else ''}"


def _in_one_line(part: object) -> str:
    """Return a part of a message without line breaks; words that hold arguments or advice stay as they are."""
    if isinstance(part, Advice | InPython):
        return part
    return " ".join(str(part).split("\n"))


class ArgumentTypeError(ArgumentError, TypeError):
    """An argument of a type that cannot be used; also a TypeError."""


class ArgumentKeyError(ArgumentError, KeyError):
    """A name or label that is not there; also a KeyError."""


class ArgumentFileError(ArgumentError, OSError):
    """A file that cannot be read or written; also an OSError."""


class ArgumentAttributeError(ArgumentError, AttributeError):
    """A name that a module does not have; also an AttributeError."""
