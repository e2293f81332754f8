"""The sections of the report, one file each. Adding a section is adding its file; no other file knows it.

A section is a module with

- ``PLACE``: a number that says where on the page it stands, from 10 on;
- ``NEEDS``: what it needs, in words that follow "needs";
- ``ON_REQUEST``: whether it is shown only if somebody names it;
- ``make(page)``: its :class:`bayesrank.report.page.Block` for a :class:`bayesrank.report.page.Page`, or None if the
  page has not what it needs;
- ``compute(request)``, optional: the result that ``make`` finds in ``page.results`` under the section's name, for the
  command, from a :class:`bayesrank.report.page.Request`.
"""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from bayesrank._checks import check_unique, describe_value

__all__ = ["DEFAULT", "check_names", "find", "lacking", "names"]

#: Stands for the sections that are shown when nobody names any.
DEFAULT = "default"


def names(defaults: bool = False) -> list[str]:
    """Return the names of the sections in the order of the page; with ``defaults`` only those shown unasked.

    Examples
    --------
    >>> "tile" in names(), "drift" in names(defaults=True)
    (True, False)
    """
    found = sorted((part.name for part in iter_modules(__path__)), key=lambda name: (find(name).PLACE, name))
    return [name for name in found if not (defaults and find(name).ON_REQUEST)]


@cache
def find(name: str) -> Any:
    """Return the module of a section.

    Examples
    --------
    >>> find("tile").ON_REQUEST
    False
    """
    return import_module(f"{__name__}.{name}")


def check_names(argument: str, wanted: Any) -> list[str]:
    """Return names of sections, each of which there is, once; :data:`DEFAULT` may be among them.

    Examples
    --------
    >>> check_names("sections", ["tile"])
    ['tile']
    """
    if isinstance(wanted, str) or not isinstance(wanted, Sequence):
        raise TypeError(f"{argument} must be a list of names; got {describe_value(wanted)}")
    known = [DEFAULT, *names()]
    unknown = [name for name in wanted if not isinstance(name, str) or name not in known]
    if unknown:
        raise ValueError(f"{argument} must be among {', '.join(known)}; got {describe_value(unknown[0])}")
    return list(check_unique(argument, list(wanted)))


def lacking(name: str) -> str:
    """Return what to say of a section that was named and that the page cannot have.

    Examples
    --------
    >>> lacking("tile")
    'The section tile is left out: it needs two classes.'
    """
    return f"The section {name} is left out: it needs {find(name).NEEDS}."
