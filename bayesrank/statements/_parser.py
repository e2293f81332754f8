"""Parser of statements on an order, such as "A > B and C in top 3".

    statement = every {"or" every}              every = one {"and" one}
    one       = "not" one | "(" statement ")" | claim
    claim     = name sign name {sign name}      sign: >  >=  =  <=  <
              | name sign number
              | name "beats" name
              | name ["is"] ["not"] ("best" | "worst" | "in" "top" whole)
              | "top" whole "=" name {"," name}

A name is quoted (quotes doubled inside) or written as it is. The longest of several matching names
is used. The parser asks for quotes if a text is ambiguous.
"""

import re
from collections.abc import Callable
from difflib import get_close_matches
from typing import NamedTuple, NoReturn

from bayesrank._core.errors import ArgumentError, ArgumentKeyError, ArgumentTypeError


class Beats(NamedTuple):
    """The entity is better (>), at least as good (>=), or as good (=) as the rival."""

    entity: int
    sign: str
    rival: int


class Bound(NamedTuple):
    """The value of the entity is above (>), at least (>=), equal to, or below a number."""

    entity: int
    sign: str
    value: float


class Place(NamedTuple):
    """The entity is among the first ``number``, or with ``bottom`` among the last."""

    entity: int
    number: int
    bottom: bool = False


class Not(NamedTuple):
    inner: "Statement"


class Every(NamedTuple):
    parts: tuple["Statement", ...]


class Either(NamedTuple):
    parts: tuple["Statement", ...]


Claim = Beats | Bound | Place
Statement = Claim | Not | Every | Either

#: Maximum depth of nested statements; deeper text would exhaust Python's stack.
DEPTH = 100
MIRROR = {">": "<", ">=": "<=", "=": "=", "<=": ">=", "<": ">"}
#: Words that may follow a name, and all words of the language.
JOINTS = "and|or|not|is|in|beats"
WORD = re.compile(f"{JOINTS}|top|best|worst", re.I)
#: Characters that end an unquoted word.
END = r"(?=[\s<>=(),]|$)"
#: Text that may follow a name: after the shorter of two names it makes the text ambiguous.
AFTER = re.compile(rf"\s*[<>=)]|\s+({JOINTS}){END}", re.I)
#: A margin, which statements do not support.
MARGIN = re.compile(rf"\s+(by\b|[+-]\s*[\d.]+%?{END})", re.I)
#: Names that need no quotes.
PLAIN = re.compile(r"[^\W\d][\w.-]*")


def parse(text: str, names: list[str]) -> Statement:
    """Parse a statement; entities are numbered by their positions in ``names``."""
    if not isinstance(text, str):
        raise ArgumentTypeError("statement", "must be a str such as 'A > B'", type(text).__name__)
    return _Parser(text, names).statement()


def claims_of(statement: Statement) -> list[Claim]:
    """Return the claims in a statement, from left to right."""
    match statement:
        case Not(inner):
            return claims_of(inner)
        case Every(parts) | Either(parts):
            return [claim for part in parts for claim in claims_of(part)]
    return [statement]


def quote_name(name: str, names: list[str]) -> str:
    """Return a name as it is written in a statement, quoted if necessary."""
    plain = PLAIN.fullmatch(name) and not WORD.fullmatch(name.strip())
    if plain and not any(other.startswith(name) and other != name for other in names):
        return name
    return "'" + name.replace("'", "''") + "'"


class _Parser:
    """Parses a statement from left to right; ``at`` is the current position."""

    def __init__(self, text: str, names: list[str]) -> None:
        self.text, self.names = text, names
        self.at = self.depth = 0

    def statement(self) -> Statement:
        result = self._either()
        if self._rest():
            self._fail("'and', 'or' or its end")
        return result

    def _either(self) -> Statement:
        return self._joined("or", Either, lambda: self._joined("and", Every, self._one))

    def _joined(
        self, word: str, joint: type[Every | Either], read: Callable[[], Statement]
    ) -> Statement:
        parts = [read()]
        while self._word(word):
            parts.append(read())
        return parts[0] if len(parts) == 1 else joint(tuple(parts))

    def _one(self) -> Statement:
        self.depth += 1
        if self.depth > DEPTH:
            raise ArgumentError(
                "statement", f"must contain at most {DEPTH} nested statements", "more"
            )
        start = self._skip()
        if self._word("not"):
            self._refuse_names_at(start)
            result: Statement = Not(self._one())
        elif self._take(r"\("):
            self._refuse_names_at(start)
            result = self._either()
            if not self._take(r"\)"):
                self._fail("'and', 'or' or ')'")
        else:
            result = self._claim()
        self.depth -= 1
        return result

    def _claim(self) -> Statement:
        start = self._skip()
        if self._word("top"):
            self._refuse_names_at(start)
            return self._first()
        entity = self._entity()
        if self._word("beats"):
            return Beats(entity, ">", self._entity())
        has_is, negated = self._word("is"), self._word("not")
        if self._word("in"):
            if not self._word("top"):
                self._fail("'top'")
            number = self._take(rf"\d+{END}")
            if not number or int(number) < 1:
                self._fail("a whole number from 1 on")
            found: Statement = Place(entity, int(number))
        elif (has_is or negated) and (end := self._word("best") or self._word("worst")):
            found = Place(entity, 1, end == "worst")
        elif has_is or negated:
            self._fail("'best', 'worst' or 'in top'")
        else:
            return self._chain(entity)
        return Not(found) if negated else found

    def _first(self) -> Statement:
        """Return the statement that the first places are those of a list: all in it, and no others."""
        number = self._take(rf"\d+{END}")
        if not number or int(number) < 1:
            self._fail("a whole number from 1 on")
        if not self._take("==|="):
            self._fail("'=' and entities with commas between them")
        chosen = [self._entity()]
        while self._take(","):
            chosen.append(self._entity())
        size, named = int(number), len(set(chosen))
        if named != size or named != len(chosen):
            raise ArgumentError(
                "statement", f"must name {size} entities behind 'top {size} ='", f"{self.text!r}"
            )
        rest = [entity for entity in range(len(self.names)) if entity not in chosen]
        return Every(
            (*(Place(one, size) for one in chosen), *(Not(Place(one, size)) for one in rest))
        )

    def _chain(self, entity: int) -> Statement:
        links: list[Claim] = []
        while sign := self._take("<=|>=|==|=|<|>"):
            sign = "=" if sign == "==" else sign
            if not links and (number := self._number()):
                return Bound(entity, sign, float(number))
            rival = self._entity()
            links.append(
                Beats(rival, MIRROR[sign], entity) if sign[0] == "<" else Beats(entity, sign, rival)
            )
            entity = rival
        if not links:
            self._fail("a comparison such as '> B', 'beats B', 'is best' or 'in top 3'")
        return links[0] if len(links) == 1 else Every(tuple(links))

    def _number(self) -> str:
        """Return the number at the current position, unless it is the beginning of a name."""
        return (
            ""
            if self._names_at(self._skip())
            else self._take(rf"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?{END}")
        )

    def _entity(self) -> int:
        start = self._skip()
        result = (
            self._read_quoted(self.text[start])
            if self.text[start : start + 1] in ("'", '"')
            else self._bare(start)
        )
        if MARGIN.match(self.text, self.at):
            self._refuse(
                self.at, "state no margin: pass it as rope= (--rope), in units of the score"
            )
        return result

    def _bare(self, start: int) -> int:
        found = sorted(self._names_at(start), key=len)
        if not found:
            stop = AFTER.search(self.text, start) or re.compile(",").search(self.text, start)
            word = self.text[start : stop.start() if stop else len(self.text)].rstrip()
            if not word or re.compile(rf"({JOINTS}){END}", re.I).match(self.text, start):
                self._fail("an entity")
            self._refuse_name(word)
        name = found[-1]
        for other in found[:-1]:
            if AFTER.match(self.text, start + len(other)):
                self._refuse(start, f"put {name!r} or {other!r} in quotes, for either may be meant")
        self.at = start + len(name)
        return self._index(name)

    def _read_quoted(self, mark: str) -> int:
        found = self._take(rf"{mark}(?:[^{mark}]|{mark}{mark})*{mark}")
        if not found:
            self._refuse(self.at, f"close the quotes with {mark}")
        name = found[1:-1].replace(mark * 2, mark)
        if name not in self.names:
            self._refuse_name(name)
        return self._index(name)

    def _index(self, name: str) -> int:
        if self.names.count(name) > 1:
            raise ArgumentError(
                "statement",
                "must name only one entity",
                f"{name!r}, the name of {self.names.count(name)} entities",
            )
        return self.names.index(name)

    def _names_at(self, start: int) -> list[str]:
        """Return the names that match at a position and end at a word boundary."""
        found = (
            name for name in dict.fromkeys(self.names) if name and self.text.startswith(name, start)
        )
        return [name for name in found if re.compile(END).match(self.text, start + len(name))]

    def _refuse_names_at(self, start: int) -> None:
        """Raise if a keyword is also the beginning of a name."""
        for name in self._names_at(start):
            if not WORD.fullmatch(name.strip()) and any(char.isalnum() for char in name):
                self._refuse(
                    start, f"put {name!r} in quotes, for it begins like the language of statements"
                )

    def _word(self, word: str) -> str:
        return self._take(rf"{word}(?=[\s<>=()'\"]|$)").lower()

    def _take(self, pattern: str) -> str:
        """Return the match of a pattern at the current position, and move behind it."""
        found = re.compile(pattern, re.I).match(self.text, self._skip())
        self.at += len(found[0]) if found else 0
        return found[0] if found else ""

    def _skip(self) -> int:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        return self.at

    def _rest(self) -> str:
        return self.text[self._skip() :]

    def _fail(self, wanted: str) -> NoReturn:
        where = f"at {self._rest()!r}" if self._rest() else "at its end"
        raise ArgumentError(
            "statement", f"must have {wanted} {where} (place {self.at + 1})", f"{self.text!r}"
        )

    def _refuse(self, start: int, wanted: str) -> NoReturn:
        raise ArgumentError(
            "statement",
            f"must {wanted}",
            f"{self.text[start:]!r} at place {start + 1} of {self.text!r}",
        )

    def _refuse_name(self, name: str) -> NoReturn:
        known = {str(one).casefold(): one for one in self.names}
        near = [known[one] for one in get_close_matches(name.casefold(), known, n=3, cutoff=0.5)]
        hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
        listed = ", ".join(self.names[:5]) + (", ..." if len(self.names) > 5 else "")
        raise ArgumentKeyError(
            "statement", f"must name entities of {listed}", f"{name!r} in {self.text!r}{hint}"
        )
