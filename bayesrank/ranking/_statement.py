"""Statements on an order, such as "A > B and C in top 3", and how they are written."""

import re
from dataclasses import dataclass

__all__ = ["Every", "Either", "Beats", "Level", "Not", "Place", "Statement", "claims", "quoted", "text_of"]


@dataclass(frozen=True)
class Beats:
    """The entity is better (>), or no worse (>=), than the rival by a margin, or as good (=); None: no margin said."""

    entity: int
    sign: str
    rival: int
    by: float | None = None


@dataclass(frozen=True)
class Level:
    """The entity is better (>, >=), worse (<, <=) than a value of the score, or has it (=)."""

    entity: int
    sign: str
    value: float


@dataclass(frozen=True)
class Place:
    """The entity's rank compares like this with a number; counted from the last entity with ``bottom``."""

    entity: int
    sign: str
    number: int
    bottom: bool = False


@dataclass(frozen=True)
class Not:
    inner: "Statement"


@dataclass(frozen=True)
class Every:
    parts: tuple["Statement", ...]


@dataclass(frozen=True)
class Either:
    parts: tuple["Statement", ...]


Claim = Beats | Level | Place
Statement = Claim | Not | Every | Either

#: Words that may come after a name, and others that mean something.
JOINTS = "and|or|not|is|in|beats|ties|better|worse|by"
WORDS = {*JOINTS.split("|"), "than", "of", "top", "bottom", "best", "worst", "rank"}
WORD = re.compile("|".join(WORDS), re.I)
#: How a name begins that could be read where the language goes on: a keyword, a bracket, a number.
ALIKE = re.compile(r"not|rank|[(+\-.\d]", re.I)
#: Names that are printed without quotes.
PLAIN = re.compile(r"[^\W\d][\w.-]*")


def text_of(statement: Statement, names: list[str]) -> str:
    """A statement in the language that :func:`parse` reads.

    Examples
    --------
    >>> from bayesrank.ranking._parser import parse
    >>> names = ["A", "net 2"]
    >>> text_of(parse("not A < net 2 or A is best", names), names)
    "not 'net 2' > A or rank(A) <= 1"
    """
    return _text(statement, [quoted(name, names) for name in names], 0, _gap(names))


def claims(statement: Statement) -> list[Claim]:
    """What is claimed of entities in a statement, in its order.

    Examples
    --------
    >>> from bayesrank.ranking._parser import parse
    >>> len(claims(parse("A > B > A or not A is best", ["A", "B"])))
    3
    """
    match statement:
        case Not(inner):
            return claims(inner)
        case Every(parts) | Either(parts):
            return [claim for part in parts for claim in claims(part)]
    return [statement]


def quoted(name: str, names: list[str]) -> str:
    """A name as it can be written in a statement, in quotes where it needs them.

    Examples
    --------
    >>> [quoted(name, ["GPT-4", "it's", "not", "7"]) for name in ["GPT-4", "it's", "not", "7"]]
    ['GPT-4', "'it''s'", "'not'", "'7'"]
    """
    plain = PLAIN.fullmatch(name) and not is_word(name)
    if plain and not any(other.startswith(name) and other != name for other in names):
        return name
    return "'" + name.replace("'", "''") + "'"


def is_word(name: str) -> bool:
    """Whether a name reads as a word of the language, which the case of its letters does not change.

    Examples
    --------
    >>> is_word("Not "), is_word("note")
    (True, False)
    """
    return bool(WORD.fullmatch(name.strip()))


def _gap(names: list[str]) -> str:
    """Blanks that keep words apart where a name begins like the language, so that no name can be read across them.

    Empty where no name does: then words stand as people write them.
    """
    alike = [name for name in names if ALIKE.match(name)]
    return " " * (1 + max(len(run) for name in alike for run in re.findall(" *", name))) if alike else ""


def _text(statement: Statement, names: list[str], inside: int, gap: str) -> str:
    """With brackets where ``inside`` binds more than the statement: "or" less than "and", "and" less than "not"."""
    space = gap or " "
    match statement:
        case Either(parts) | Every(parts):
            binds = 1 if isinstance(statement, Either) else 2
            said = f"{space}{('or', 'and')[binds - 1]} ".join(_text(part, names, binds + 1, gap) for part in parts)
            return said if binds >= inside else f"({gap}{said}{gap})"
        case Not(inner):
            return f"not{space}{_text(inner, names, 3, gap)}"
        case Beats(entity, sign, rival, None):
            return f"{names[entity]} {sign} {names[rival]}"
        case Beats(entity, ">", rival, by):
            return f"{names[entity]} beats {names[rival]} by {by!r}"
        case Beats(entity, sign, rival, float(by)):
            return f"{names[entity]} {sign} {names[rival]} {'-' if by < 0 else '+'} {abs(by)!r}"
        case Level(entity, ">" | "<" as sign, value):
            return f"{names[entity]} {'better' if sign == '>' else 'worse'} than {value!r}"
        case Level(entity, sign, value):
            return f"{names[entity]} {sign} {value!r}"
        case Place(entity, sign, number, bottom):
            return f"{names[entity]} in bottom {number}" if bottom else f"rank{gap}({names[entity]}) {sign} {number}"
    raise TypeError(f"statement must be one; got {statement!r}")
