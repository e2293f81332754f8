"""Numba's ``njit`` for whoever may write nowhere: compiled code is kept on disk where that can be.

Packages are installed where their users may not write, and in a container a user may have no home. Numba raises there;
code that is compiled anew in each process gives the same numbers. Loaded with the first kernel, as it loads Numba.
"""

from collections.abc import Callable
from typing import Any

import numba


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """What ``numba.njit`` makes of a function; ``cache=True`` keeps it on disk if any folder can be written to.

    Examples
    --------
    >>> njit(cache=True)(lambda x: x + 1)(2)
    3
    """

    def compiled(function: Callable[..., Any]) -> Any:
        try:
            return numba.njit(**options)(function)
        except RuntimeError:  # "no locator available"
            return numba.njit(**options | {"cache": False})(function)

    return compiled
