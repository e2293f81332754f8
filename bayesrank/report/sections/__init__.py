"""The sections of the report, one file each. To add a section, add its file; no other file changes.

A section is a module with

- ``PLACE``: a number, at least 10, by which sections are sorted;
- ``NEEDS``: the required data, in words that follow "needs";
- ``ON_REQUEST``: True if it is shown only when a user names it;
- ``make(page)``: returns its :class:`bayesrank.report.page.PageBlock`, or None if the
  :class:`bayesrank.report.page.Page` lacks the required data;
- ``compute(request)``, optional: returns the result for the command from a
  :class:`bayesrank.report.page.PageRequest`; ``make`` finds it in ``page.results`` under the name
  of the section.
"""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from bayesrank._core.checks import check_unique, describe_value
from bayesrank._core.errors import ArgumentError, ArgumentTypeError

#: The name for all sections that are shown by default.
DEFAULT = "default"


def names(defaults: bool = False) -> list[str]:
    """Return the names of the sections in the order of the page; with ``defaults`` only those shown unasked."""
    ordered = sorted(
        (part.name for part in iter_modules(__path__)), key=lambda name: (find(name).PLACE, name)
    )
    return [name for name in ordered if not (defaults and find(name).ON_REQUEST)]


@cache
def find(name: str) -> Any:
    return import_module(f"{__name__}.{name}")


def check_names(argument: str, wanted: Any) -> list[str]:
    """Check names of sections: each exists and occurs once; :data:`DEFAULT` is allowed."""
    if isinstance(wanted, str) or not isinstance(wanted, Sequence):
        raise ArgumentTypeError(argument, "must be a list of names", describe_value(wanted))
    allowed = [DEFAULT, *names()]
    unknown = [name for name in wanted if not isinstance(name, str) or name not in allowed]
    if unknown:
        raise ArgumentError(
            argument, f"must be among {', '.join(allowed)}", describe_value(unknown[0])
        )
    return list(check_unique(argument, list(wanted)))


def lacking(name: str) -> str:
    """Return the note on a section that was named but lacks its data."""
    return f"The section {name} is left out: it needs {find(name).NEEDS}."
