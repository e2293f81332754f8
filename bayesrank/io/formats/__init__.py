"""Formats of evaluation logs, one file each; a new file in this folder is a new format.

A format has a ``TITLE`` and two functions. ``recognise(head)`` takes the beginning of a file as
text, and returns "" if the file is not of this format, "cases" (or True) if it holds outcomes of
cases, "scores" if it holds only scores without cases, and "about" if it only describes other files.
``read(path)`` returns a DataFrame with one row a system, case, run and metric. Its columns are
those of :data:`COLUMNS`; ``case`` and ``outcome`` must be there. Its ``attrs`` may hold ``source``
(where the name of the system comes from), ``setup`` (what else makes a system: shots, solver),
``expected`` (how many cases a run had), ``variant`` (what the variants are called) and ``doubts``
(notes).

A format may state how its tool scores, as :data:`RULES` names it: ``ERRORS = "scored"`` if the tool
counts its own score of a run with an error, ``MISSING = 0`` if the tool counts a case without
outcome as failed. Doctor suggests these. If its files may list only some cases, ``TOTALS`` has the
numbers of cases by which its board divides.
"""

import importlib
import pkgutil
from collections.abc import Iterable
from functools import cache
from types import ModuleType
from typing import Any

#: Columns that a format may fill: first the columns of the table for users, then the columns for
#: checks only. ``hash`` is the content of the case, ``better`` is True if higher is better,
#: ``scored`` is the file's score of an errored run.
COLUMNS = (
    *(
        "entity",
        "dataset",
        "case",
        "run",
        "outcome",
        "cluster",
        "category",
        "cost",
        "seconds",
        "status",
    ),
    *("metric", "variant", "judge", "better", "hash", "scored"),
)

#: The rules of a tool that a format may state, by the choice that applies them.
RULES = {"errors": "ERRORS", "missing": "MISSING"}


def rules_of(kinds: Iterable[str]) -> dict[str, Any]:
    """Return the rules that all these formats state alike."""
    stated = [
        {choice: getattr(load(kind), name, None) for choice, name in RULES.items()}
        for kind in set(kinds)
    ]
    alike = {choice: {one[choice] for one in stated} for choice in RULES}
    return {
        choice: value
        for choice, held in alike.items()
        if len(held) == 1
        for value in held
        if value is not None
    }


def totals_of(kinds: Iterable[str]) -> dict[str, int]:
    """Return the numbers of cases by which the boards of these formats divide."""
    return {
        what: size
        for kind in set(kinds)
        for what, size in getattr(load(kind), "TOTALS", {}).items()
    }


@cache
def names() -> tuple[str, ...]:
    return tuple(
        sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_"))
    )


def load(name: str) -> ModuleType:
    return importlib.import_module(f"{__name__}.{name}")


def head_text(head: bytes) -> str:
    """Return the beginning of a file as :func:`recognise` takes it: without byte order mark, with LF ends of lines."""
    text = head.decode("utf-8", "replace").removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def recognise(head: str) -> tuple[str, str]:
    """Return the format of a file that begins with ``head``, and what it holds; empty strings if none knows it."""
    for name in names():
        holds = load(name).recognise(head)
        if holds:
            return name, holds if isinstance(holds, str) else "cases"
    return "", ""
