"""Names cut to the room that a column or a picture has, still unique."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, count, takewhile
from typing import Any
from unicodedata import normalize

from rich.cells import cell_len

from bayesrank._escape import escape_invisible

__all__ = ["short_names"]


def short_names(names: Sequence[Any], width: int = 32) -> list[str]:
    """Names cut in the middle to ``width`` cells of a terminal, still unique: most letters take up one cell, East Asian
    ones two, combining marks none.

    Where that would make different names look alike, what they differ in is shown instead of their ends.
    """
    # A letter and its accent look the same in one character and in two.
    texts = [normalize("NFC", escape_invisible(" ".join(str(name).split()))) for name in names]
    cuts = [_cut(text, width) for text in texts]
    alike: dict[str, list[str]] = {}
    for text, cut in zip(texts, cuts, strict=True):
        alike.setdefault(cut, []).append(text)
    unique: dict[str, None] = {}
    numbers: dict[str, Iterator[int]] = defaultdict(lambda: count(2))
    for text, cut in zip(texts, cuts, strict=True):
        if len(set(alike[cut])) > 1:
            cut = _cut_to_difference(text, alike[cut], width)
        numbered = (f"{_beginning(cut, width - len(mark))}{mark}" for mark in map(" ({})".format, numbers[cut]))
        name = next(name for name in chain([cut], numbered) if name not in unique)
        unique[name] = None
    return list(unique)


def _cut(text: str, width: int) -> str:
    if cell_len(text) <= width:
        return text
    end = len(text) - len(_end(text, (width - 1) // 2))
    # A number is kept whole: 106 must not read as 6.
    while text[end - 1].isdigit() and text[end : end + 1].isdigit() and cell_len(text[end:]) < 2 * width // 3:
        end -= 1
    return f"{_beginning(text, width - 1 - cell_len(text[end:]))}…{text[end:].lstrip()}"


def _cut_to_difference(text: str, alike: Sequence[str], width: int) -> str:
    """The beginning of a name, then what follows from the word on in which names differ."""
    differ = sum(1 for _ in takewhile(lambda letters: len(set(letters)) == 1, zip(*alike, strict=False)))
    word = text.rfind(" ", 0, differ) + 1
    # A long word is entered just before the difference; a mark needs its letter.
    start = word if differ - word < width // 3 else differ - 1
    while start > 0 and cell_len(text[start]) == 0:
        start -= 1
    head = _beginning(text[:start], width // 3)
    rest = text[start:]
    room = width - cell_len(head) - 1
    return f"{head}…{rest if cell_len(rest) <= room else _beginning(rest, room - 1) + '…'}"


def _beginning(text: str, width: int) -> str:
    """As much of a text as ``width`` cells hold."""
    return text[: bisect_right(range(1, len(text) + 1), width, key=lambda size: cell_len(text[:size]))].rstrip()


def _end(text: str, width: int) -> str:
    """As much of the end of a text as ``width`` cells hold; a mark without its letter is left out."""
    start = bisect_left(range(len(text)), -width, key=lambda start: -cell_len(text[start:]))
    return text[start:].lstrip("".join(letter for letter in set(text[start:]) if cell_len(letter) == 0))
