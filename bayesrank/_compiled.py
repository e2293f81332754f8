"""Numba's ``njit`` with a cache on disk if a folder is writable.

Without one (system packages, containers) Numba raises an error; here code is then compiled again in each process, with
the same results. This module is imported with the first kernel, as it imports Numba.
"""

from collections.abc import Callable
from typing import Any

import numba


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile as ``numba.njit`` does; ``cache=True`` caches on disk if any folder is writable."""

    def compiled(function: Callable[..., Any]) -> Any:
        try:
            return numba.njit(**options)(function)
        except RuntimeError:  # "no locator available"
            return numba.njit(**options | {"cache": False})(function)

    return compiled
