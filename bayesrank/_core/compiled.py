"""Numba's ``njit`` with a cache on disk if a folder is writable.

Without one (system packages, containers) Numba raises an error; here code is then compiled again in
each process, with the same results. Numba is imported with the first kernel, which takes longer
than most fits.
"""

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any


@cache
def can_compile() -> bool:
    """Return whether Numba is installed; it does not exist for Python in a browser (Pyodide)."""
    return find_spec("numba") is not None


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile as ``numba.njit`` does; ``cache=True`` caches on disk if any folder is writable."""
    import numba

    def compiled(function: Callable[..., Any]) -> Any:
        try:
            return numba.njit(**options)(function)
        except RuntimeError:  # "no locator available"
            return numba.njit(**options | {"cache": False})(function)

    return compiled
