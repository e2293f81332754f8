"""Run work in threads: NumPy and compiled loops release Python's lock, so that threads run in parallel.

Each piece of work writes only to its own part of the results and reads only what no piece writes.
The results therefore do not depend on the number of threads or on their order.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import pairwise
from typing import Any

import numpy as np

#: Number of values below which threads cost more time than they save.
LITTLE = 2**17

#: The function ``share_out(function, *sizes)`` that :func:`thread_pool` yields.
ShareOut = Callable[..., None]


def workers() -> int:
    """Return the number of threads: one a processor, at most 8, and at most OMP_NUM_THREADS where it is set.

    In a browser (Pyodide) it is 1, since Python can start no thread there.
    """
    if sys.platform == "emscripten":
        return 1
    limit = os.environ.get("OMP_NUM_THREADS", "")
    return min(os.cpu_count() or 1, 8, int(limit) if limit.isdecimal() and int(limit) else 8)


def in_threads(
    function: Callable[[Any], Any], pieces: Iterable[Any], numbers: int = LITTLE
) -> None:
    """Call the function once for each piece, in as many threads as there are workers; raise its errors.

    With few ``numbers`` in all the calls run in this thread: others would mostly wait for Python's
    lock.
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


@contextmanager
def thread_pool() -> Iterator[ShareOut]:
    """Yield ``share_out(function, *sizes)``, which calls the function in every thread with its part of each range."""
    count = workers()
    with ThreadPoolExecutor(count) as pool:  # it starts threads with the first work
        run = pool.map if count > 1 else map

        def share_out(function: Callable[..., None], *sizes: int) -> None:
            edges = [np.linspace(0, size, count + 1).astype(int).tolist() for size in sizes]
            parts = ([slice(*pair) for pair in pairwise(edge)] for edge in edges)
            list(run(function, *parts))

        yield share_out


def one_blas_thread() -> AbstractContextManager[Any]:
    """Return a context in which linear algebra uses one thread.

    NumPy and SciPy each bring a BLAS with a thread for each processor. Threads that factorize tiny
    matrices in turn mostly wait for each other, on a busy machine for many times as long as the work
    takes.
    """
    if sys.platform == "emscripten":
        return nullcontext()
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1, "blas")


def pieces(shape: tuple[int, ...], most: int) -> Iterator[tuple[slice, ...]]:
    """Split an array of a shape into parts of about the same size, of at most ``most`` items each."""
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
