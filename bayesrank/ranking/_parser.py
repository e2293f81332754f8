"""Statements on an order, from text.

    statement = every {"or" every}              every = one {"and" one}
    one       = "not" one | "(" statement ")" | claim
    claim     = term sign term {sign term}      sign: >  >=  =  ==  <=  <
              | name ["is"] ["not"] ("best" | "worst" | "in" ("top" | "bottom") whole)
              | name ["is"] ("better" | "worse") "than" (name ["by" number] | number)
              | name "beats" name ["by" number] | name "ties" name
    term      = name [("+" | "-") number] | number | "rank" "(" name ")" | "rank" "of" name

A name stands in quotes, doubled inside, or as it is; of names that begin alike the longest is meant. Where the text
could be read in two ways the quotes are asked for.
"""

import re
from dataclasses import dataclass
from difflib import get_close_matches
from math import isinf
from typing import Any, NoReturn

from bayesrank.ranking._statement import JOINTS, Beats, Claim, Either, Every, Level, Not, Place, Statement, is_word

__all__ = ["parse"]

#: Statements in one another; beyond it nobody means what is written.
DEPTH = 100
MIRROR = {">": "<", ">=": "<=", "=": "=", "<=": ">=", "<": ">"}
#: What a bare word ends before.
END = r"(?=[\s<>=()]|$)"
NUMBER = rf"(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?{END}"
SIGNED = rf"[+-]?{NUMBER}"
#: What may come after a term: where it comes after the shorter of two names, either may be meant.
AFTER = re.compile(rf"\s*[<>=)]|\s+[+-]\s*{NUMBER}|\s+({JOINTS}){END}", re.I)


def parse(text: str, names: list[str], higher_is_better: bool = True) -> Statement:
    """What a statement says of entities, by their places among ``names``.

    Parameters
    ----------
    text : str
    names : list of str
    higher_is_better : bool
        Where lower is better, numbers are compared in words alone: "A > 0.1" would read both ways.

    Raises
    ------
    ValueError
        If it is no statement: it tells where, and what might stand there.
    KeyError
        If it names an entity that is none.

    Examples
    --------
    >>> parse("A > B and C in top 3", ["A", "B", "C"])
    Every(parts=(Beats(entity=0, sign='>', rival=1, by=None), Place(entity=2, sign='<=', number=3, bottom=False)))
    """
    if not isinstance(text, str):
        raise TypeError(f"statement must be a str such as 'A > B'; got {type(text).__name__}")
    return _Parser(text, names, higher_is_better).statement()


@dataclass(frozen=True)
class _Value:
    """An entity's value, and what is added to it, if anything is."""

    entity: int
    margin: float | None


@dataclass(frozen=True)
class _Rank:
    entity: int


_Term = _Value | _Rank | float


class _Parser:
    """Reads a statement from left to right; ``at`` is the place that it has come to."""

    def __init__(self, text: str, names: list[str], higher_is_better: bool) -> None:
        self.text, self.names, self.higher_is_better = text, names, higher_is_better
        self.at = self.depth = 0

    def statement(self) -> Statement:
        found = self._either()
        if self._rest():
            self._fail("'and', 'or' or its end")
        return found

    def _either(self) -> Statement:
        parts = [self._every()]
        while self._word("or"):
            parts.append(self._every())
        return parts[0] if len(parts) == 1 else Either(tuple(parts))

    def _every(self) -> Statement:
        parts = [self._one()]
        while self._word("and"):
            parts.append(self._one())
        return parts[0] if len(parts) == 1 else Every(tuple(parts))

    def _one(self) -> Statement:
        self.depth += 1
        if self.depth > DEPTH:
            raise ValueError(f"statement must hold at most {DEPTH} statements in one another; got more")
        start = self._skip()
        if self._word("not"):
            self._alone(start)
            found: Statement = Not(self._one())
        elif self._take(r"\("):
            self._alone(start)
            found = self._either()
            if not self._take(r"\)"):
                self._fail("'and', 'or' or ')'")
        else:
            found = self._claim()
        self.depth -= 1
        return found

    def _claim(self) -> Statement:
        start = self._skip()
        term = self._term()
        if isinstance(term, _Value) and term.margin is None:
            found = self._in_words(term.entity)
            if found is not None:
                return found
        links = []
        while sign := self._take("<=|>=|==|=|<|>"):
            begin = self._skip()
            other = self._term()
            links.append(self._compare(term, "=" if sign == "==" else sign, other, start))
            term, start = other, begin
        if not links:
            self._fail(_after(term))
        return links[0] if len(links) == 1 else Every(tuple(links))

    def _in_words(self, entity: int) -> Statement | None:
        """What is claimed of an entity in words; None if the text goes on with a sign."""
        if self._word("beats"):
            return Beats(entity, ">", self._entity(), self._by())
        if self._word("ties"):
            return Beats(entity, "=", self._entity())
        said = self._word("is")
        turned = self._word("not")
        if self._word("in"):
            end = self._word("top") or self._word("bottom") or self._fail("'top' or 'bottom'")
            found: Statement = Place(entity, "<=", self._whole(), end == "bottom")
        elif said and (end := self._word("best") or self._word("worst")):
            found = Place(entity, "<=", 1, end == "worst")
        elif better := self._word("better") or self._word("worse"):
            if not self._word("than"):
                self._fail("'than'")
            found = self._than(entity, better == "better")
        elif said or turned:
            self._fail("'best', 'worst', 'better than', 'worse than', 'in top' or 'in bottom'")
        else:
            return None
        return Not(found) if turned else found

    def _than(self, entity: int, better: bool) -> Statement:
        number = self._number()
        if number is not None:
            return Level(entity, ">" if better else "<", number)
        rival = self._entity()
        by = self._by()
        return Beats(entity, ">", rival, by) if better else Beats(rival, ">", entity, by)

    def _by(self) -> float | None:
        if not self._word("by"):
            return None
        start = self._skip()
        number = self._number()
        if number is None and (share := self._peek(r"[+-]?\d+(?:[.,]\d+)?\s*%")):
            plain = float(share.rstrip("% ").replace(",", ".")) / 100
            self._refuse(start, f"have a number in units of the score, {plain:g} for {share}")
        if number is None and (typed := self._peek(r"[+-]?\d+,\d+")):
            self._refuse(start, f"have a decimal point, {typed.replace(',', '.')} for {typed}")
        return self._fail("a number") if number is None else number

    def _compare(self, left: _Term, sign: str, right: _Term, start: int) -> Claim:
        if isinstance(left, float) or (isinstance(right, _Rank) and not isinstance(left, _Rank)):
            left, sign, right = right, MIRROR[sign], left
        if isinstance(left, _Rank):
            if not isinstance(right, float) or right != int(right):
                self._refuse(start, "compare a rank with a whole number, and values with each other, as in A > B")
            return Place(left.entity, sign, int(right))
        if isinstance(left, float) or isinstance(right, _Rank):
            self._refuse(start, "have an entity on one side (a name that is a number stands in quotes)")
        plain = left.margin is None
        if not isinstance(right, float):
            plain &= right.margin is None
        elif not plain:
            self._refuse(start, "have no margin where a value is compared with a number")
        if not (self.higher_is_better or (plain and not isinstance(right, float))):
            self._refuse(start, "say in words what is better, where lower is ('A better than 0.1', 'A beats B by 0.1')")
        if isinstance(right, float):
            return Level(left.entity, sign, right)
        by = None if plain else (right.margin or 0.0) - (left.margin or 0.0)
        if sign in (">", ">=", "="):
            return Beats(left.entity, sign, right.entity, by)
        return Beats(right.entity, MIRROR[sign], left.entity, None if by is None else 0.0 - by)

    def _term(self) -> _Term:
        start = self._skip()
        if re.compile(r"rank(\s*\(|\s+of\s)", re.I).match(self.text, start):
            self._word("rank")
            bracket = self._take(r"\(")
            if not bracket:
                self._word("of")
            self._alone(start)
            found = _Rank(self._entity())
            if bracket and not self._take(r"\)"):
                self._fail("')'")
            return found
        # What is called 7 stands in quotes, what is called 4-gram does not.
        longest = max((len(name.rstrip()) for name in self._names_at(start)), default=0)
        if longest <= len(self._peek(SIGNED)) and (number := self._number()) is not None:
            return number
        entity = self._entity()
        # Without the space the sign is part of a word: of a name that is not known.
        margin = re.compile(rf"\s+([+-])\s*({NUMBER})", re.I).match(self.text, self.at)
        if margin is None:
            return _Value(entity, None)
        self.at = margin.end()
        return _Value(entity, self._finite(margin[1] + margin[2]))

    def _entity(self) -> int:
        start = self._skip()
        if self.text[start : start + 1] in ("'", '"'):
            return self._quoted(self.text[start])
        found = sorted(self._names_at(start), key=len)
        if not found:
            self._unknown(start)
        name = found[-1]
        for other in found[:-1]:
            if AFTER.match(self.text, start + len(other)):
                self._refuse(start, f"put {name!r} or {other!r} in quotes, for either may be meant")
        self.at = start + len(name)
        return self._index(name)

    def _quoted(self, mark: str) -> int:
        found = self._take(rf"{mark}(?:[^{mark}]|{mark}{mark})*{mark}")
        if not found:
            self._refuse(self.at, f"close the quotes with {mark}")
        name = found[1:-1].replace(mark * 2, mark)
        if name not in self.names:
            self._no_entity(name)
        return self._index(name)

    def _index(self, name: str) -> int:
        if self.names.count(name) > 1:
            raise ValueError(f"statement must name one entity; got {name!r}, which {self.names.count(name)} are called")
        return self.names.index(name)

    def _names_at(self, start: int) -> list[str]:
        """Names that the text goes on with, and that end where a word does."""
        ends = re.compile(END)
        return [
            name
            for name in dict.fromkeys(self.names)
            if name and self.text.startswith(name, start) and ends.match(self.text, start + len(name))
        ]

    def _alone(self, start: int) -> None:
        """Refuse what was read as a keyword where a name begins with it too."""
        for name in self._names_at(start):
            if not is_word(name) and any(char.isalnum() for char in name):
                self._refuse(start, f"put {name!r} in quotes, for it begins like the language of statements")

    def _whole(self) -> int:
        self._skip()
        found = self._take(rf"\d+{END}")
        if not found or int(found) < 1:
            self._fail("a whole number from 1 on")
        return int(found)

    def _number(self) -> float | None:
        found = self._take(SIGNED)
        return self._finite(found) if found else None

    def _finite(self, digits: str) -> float:
        if isinf(number := float(digits)):
            self._refuse(self.at - len(digits), "hold numbers that are not too large")
        return number

    def _word(self, word: str) -> str:
        return self._take(rf"{word}(?=[\s<>=()'\"]|$)").lower()

    def _take(self, pattern: str) -> str:
        """What the text goes on with, if it is this, and go behind it."""
        found = self._peek(pattern)
        self.at += len(found)
        return found

    def _peek(self, pattern: str) -> str:
        self._skip()
        found = re.compile(pattern, re.I).match(self.text, self.at)
        return found[0] if found else ""

    def _skip(self) -> int:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        return self.at

    def _rest(self) -> str:
        return self.text[self._skip() :]

    def _fail(self, wanted: str) -> NoReturn:
        where = f"before {self._rest()!r}" if self._rest() else "at its end"
        raise ValueError(f"statement must have {wanted} {where} (place {self.at + 1}); got {self.text!r}")

    def _refuse(self, start: int, wanted: str) -> NoReturn:
        raise ValueError(f"statement must {wanted}; got {self.text[start:]!r} at place {start + 1} of {self.text!r}")

    def _unknown(self, start: int) -> NoReturn:
        """Say that no name is known that the text goes on with."""
        stop = re.compile(rf"\s*([<>=()]|$)|\s+({JOINTS}){END}", re.I).search(self.text, start)
        word = self.text[start : stop.start() if stop else len(self.text)]
        if not word or re.compile(rf"({JOINTS}){END}", re.I).match(self.text, start):
            self._fail("an entity, a number or rank(entity)")
        self._no_entity(word)

    def _no_entity(self, name: str) -> NoReturn:
        near: list[Any] = get_close_matches(name, self.names, n=3, cutoff=0.5)
        hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
        listed = ", ".join(self.names[:5]) + (", ..." if len(self.names) > 5 else "")
        raise KeyError(f"statement must name entities of {listed}; got {name!r} in {self.text!r}{hint}")


def _after(term: _Term) -> str:
    if isinstance(term, _Value) and term.margin is None:
        return "a comparison such as '> B', 'beats B', 'is best' or 'in top 3'"
    return "one of > >= = <= <"
