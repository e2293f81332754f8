"""Work shared out over threads: NumPy and compiled loops let go of Python's lock, so that threads truly run together.

What a piece of work writes belongs to it alone, and what it reads nobody writes: then nothing depends on how many
threads there are, or on which is first.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np

#: Numbers to be drawn that are not worth a thread: some milliseconds.
LITTLE = 2**17


def workers() -> int:
    """Threads that work is shared out over: one a processor, at most 8; OMP_NUM_THREADS, where set, lowers it."""
    told = os.environ.get("OMP_NUM_THREADS", "")
    return min(os.cpu_count() or 1, 8, int(told) if told.isdecimal() and int(told) else 8)


def in_threads(function: Callable[[Any], Any], pieces: Iterable[Any], numbers: int = LITTLE) -> None:
    """Call the function once for each piece, in as many threads as there are workers; errors are raised.

    Of few ``numbers`` in all, in this thread: others would wait for Python's lock more than they work.

    Examples
    --------
    >>> found = {}
    >>> in_threads(lambda i: found.update({i: i**2}), range(3))
    >>> found == {0: 0, 1: 1, 2: 4}
    True
    """
    pieces = list(pieces)
    count = min(workers(), len(pieces)) if numbers >= LITTLE and len(pieces) > 1 else 1
    if count < 2:
        for piece in pieces:
            function(piece)
        return
    with ThreadPoolExecutor(count) as pool:
        for _ in pool.map(function, pieces):
            pass


def pieces(shape: tuple[int, ...], most: int) -> Iterator[tuple[slice, ...]]:
    """Parts of an array of a shape, of at most so many items each, of about the same size, which cover it.

    Examples
    --------
    >>> [[(part.start, part.stop) for part in piece] for piece in pieces((2, 5), 3)]
    [[(0, 1), (0, 3)], [(0, 1), (3, 5)], [(1, 2), (0, 3)], [(1, 2), (3, 5)]]
    """
    if not shape:
        yield ()
        return
    inner = int(np.prod(shape[1:]))
    if inner > most:
        for i in range(shape[0]):
            for rest in pieces(shape[1:], most):
                yield (slice(i, i + 1), *rest)
        return
    number = -(-shape[0] * inner // most)
    edges = -(-np.arange(number + 1) * shape[0] // max(number, 1))
    yield from ((slice(start, stop),) for start, stop in pairwise(edges.tolist()))
