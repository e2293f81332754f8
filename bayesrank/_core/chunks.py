"""Lazy draws in chunks of whole blocks, drawn when needed and then discarded.

A chunk can be drawn in any order, thread or process. Its values equal those of draws in memory,
since each block has its own random streams.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from bayesrank._core.checks import describe_value, is_text
from bayesrank._core.draws import spans_of
from bayesrank._core.errors import ArgumentError
from bayesrank._core.memory import check_memory
from bayesrank._core.random import BLOCK, Block, blocks_between

#: The values of a chunk: name -> (dims, values), with chain and draw first.
Drawn = Mapping[str, tuple[tuple[str, ...], np.ndarray]]
#: Sizes of the chunks along chain and along draw, as in Dask.
Sizes = tuple[tuple[int, ...], tuple[int, ...]]


def dask_array() -> Any:
    """Import Dask's arrays, or raise an error that says how to install them."""
    try:
        import dask.array
    except ImportError:
        raise ImportError("chunks need Dask: install bayesrank[dask]") from None
    return dask.array


def chunk_sizes(chunks: Any, shape: tuple[int, int], numbers: int) -> Sizes:
    """Return the sizes of chunks along chain and draw, for draws of ``numbers`` values each.

    ``chunks`` is a number of draws, "auto", -1 (all), or an argument of ``DataArray.chunk`` for
    chain and draw.
    """
    core = dask_array().core
    requested = _chunks_by_dim(chunks)
    if is_text(requested["draw"], "auto"):
        import dask

        preferred = int(dask.utils.parse_bytes(dask.config.get("array.chunk-size", "128MiB")))
        requested["draw"] = max(preferred // (8 * max(numbers, 1)) // BLOCK, 1) * BLOCK
    try:
        if any(isinstance(held, bool | np.bool_ | float) for held in requested.values()):
            raise TypeError("no whole number")
        sizes = core.normalize_chunks((requested["chain"], requested["draw"]), shape, dtype=float)
    except (ValueError, TypeError, NotImplementedError, ZeroDivisionError) as error:
        raise ArgumentError(
            "chunks",
            "must be a number of draws, 'auto', -1, or a mapping of these",
            f"{chunks!r} for {shape[0]} chains of {shape[1]} draws",
        ) from error
    if any(edge % BLOCK for edge in np.cumsum(sizes[1])[:-1].tolist()):
        least = BLOCK * max(int(sizes[1][0]) // BLOCK, 1)
        raise ArgumentError(
            "chunks",
            f"must be multiples of {BLOCK:,} draws, the size of a block of random numbers",
            f"{chunks!r}",
            f"{least:,} is the nearest; .chunk divides draws into smaller chunks",
        )
    largest = max(sizes[0]), max(sizes[1]), numbers
    check_memory(
        "chunks must be smaller",
        f"chunks of {' x '.join(map(str, largest))} numbers",
        largest,
        repr(chunks),
    )
    return sizes


def _chunks_by_dim(chunks: Any) -> dict[str, Any]:
    """Return the requested chunks along chain and draw; one number is that of the draws."""
    if not isinstance(chunks, Mapping):
        return {"chain": 1, "draw": chunks}
    if set(chunks) - {"chain", "draw"}:
        raise ArgumentError(
            "chunks",
            "must name chain and draw only (use .chunk for other dims)",
            describe_value(dict(chunks)),
        )
    given = {dim: -1 if size is None else size for dim, size in chunks.items()}
    return {"chain": 1, "draw": "auto"} | given


def draw_lazily(
    draw: Callable[[list[Block]], Drawn], sizes: Sizes
) -> dict[str, tuple[tuple[str, ...], Any]]:
    """Return the results of ``draw`` for the blocks of each chunk as Dask arrays: name -> (dims, array).

    One draw is made immediately, to determine names and shapes.
    """
    dask_array()
    import dask

    shape = sum(sizes[0]), sum(sizes[1])
    template = draw([Block(0, 0, 1, shape)])
    # The drawer, which holds the evidence, is one item of the graph that all chunks share.
    drawer, later = dask.delayed(draw, traverse=False, pure=False), dask.delayed(_chunk, pure=False)
    grid = [
        [later(drawer, *chains, *draws, shape) for draws in spans_of(sizes[1])]
        for chains in spans_of(sizes[0])
    ]
    return {
        name: (
            dims,
            join_parts([[part[name] for part in row] for row in grid], sizes, values.shape[2:]),
        )
        for name, (dims, values) in template.items()
    }


def _chunk(
    draw: Callable[[list[Block]], Drawn],
    chain: int,
    chain_end: int,
    start: int,
    stop: int,
    shape: tuple[int, int],
) -> dict[str, np.ndarray]:
    return {
        name: values
        for name, (_, values) in draw(blocks_between(chain, chain_end, start, stop, shape)).items()
    }


def join_parts(parts: list[list[Any]], sizes: Sizes, inner: tuple[int, ...]) -> Any:
    """Return one Dask array (chain, draw, ...) of delayed parts, one for each chunk."""
    da = dask_array()
    rows = [
        da.concatenate(
            [
                da.from_delayed(part, (chains, draws, *inner), float)
                for part, draws in zip(row, sizes[1], strict=True)
            ],
            axis=1,
        )
        for row, chains in zip(parts, sizes[0], strict=True)
    ]
    return da.concatenate(rows, axis=0)
