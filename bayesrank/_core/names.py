"""Shorten names to the width of a column or picture, and keep them unique."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, count, takewhile
from typing import Any
from unicodedata import normalize

from rich.cells import cell_len

from bayesrank._core.escape import escape_invisible


def short_names(names: Sequence[Any], width: int = 32) -> list[str]:
    """Shorten names in the middle to ``width`` terminal cells, and keep them unique.

    Most letters take one cell, East Asian ones two, combining marks none. If different names would
    look alike, their differing parts are shown instead of their ends.
    """
    # Composed and decomposed accents look the same.
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
        numbered = (
            f"{_beginning(cut, width - len(mark))}{mark}"
            for mark in map(" ({})".format, numbers[cut])
        )
        name = next(name for name in chain([cut], numbered) if name not in unique)
        unique[name] = None
    return list(unique)


def _cut(text: str, width: int) -> str:
    if cell_len(text) <= width:
        return text
    end = len(text) - len(_end(text, (width - 1) // 2))
    # Keep numbers whole: 106 must not read as 6.
    while (
        text[end - 1].isdigit()
        and text[end : end + 1].isdigit()
        and cell_len(text[end:]) < 2 * width // 3
    ):
        end -= 1
    return f"{_beginning(text, width - 1 - cell_len(text[end:]))}…{text[end:].lstrip()}"


def _cut_to_difference(text: str, alike: Sequence[str], width: int) -> str:
    """Return the beginning of a name, and the rest from the differing word on."""
    differ = sum(
        1 for _ in takewhile(lambda letters: len(set(letters)) == 1, zip(*alike, strict=False))
    )
    word = text.rfind(" ", 0, differ) + 1
    # Start long words just before the difference; a mark needs its letter.
    start = word if differ - word < width // 3 else differ - 1
    while start > 0 and cell_len(text[start]) == 0:
        start -= 1
    head = _beginning(text[:start], width // 3)
    rest = text[start:]
    room = width - cell_len(head) - 1
    return f"{head}…{rest if cell_len(rest) <= room else _beginning(rest, room - 1) + '…'}"


def _beginning(text: str, width: int) -> str:
    """Return the longest beginning of a text within ``width`` cells."""
    return text[
        : bisect_right(range(1, len(text) + 1), width, key=lambda size: cell_len(text[:size]))
    ].rstrip()


def _end(text: str, width: int) -> str:
    """Return the longest end of a text within ``width`` cells, without marks that lack their letter."""
    start = bisect_left(range(len(text)), -width, key=lambda start: -cell_len(text[start:]))
    return text[start:].lstrip(
        "".join(letter for letter in set(text[start:]) if cell_len(letter) == 0)
    )
